// wmma_bf16_sm75.cu - bf16 in a build for sm_75
// expect: needs sm_80 or later
// arch: 75
// expect-line: 9
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k16_bf16 a; TC_WMMA_LOAD(a, row, m16n16k16, global, bf16, a, u, 16);
}
