// wmma_space.cu - a space that there is not
// expect: the space is global, shared, shared_cta or generic
// expect-line: 8
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k16_f16 a; TC_WMMA_LOAD(a, row, m16n16k16, local, f16, a, u, 16);
}
