// wmma_fragment.cu - the fragment of another type
// expect: this is a fragment of another shape or type
// expect-line: 8
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k16_bf16 a; TC_WMMA_LOAD(a, row, m16n16k16, global, f16, a, u, 16);
}
