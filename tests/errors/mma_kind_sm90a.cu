// mma_kind_sm90a.cu - kind::f8f6f4 on Hopper
// expect: needs an a or f target of Blackwell
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_KIND(m16n8k32, row, col, f8f6f4, f32, e4m3, e4m3, f32, f, u, u, f);
}
