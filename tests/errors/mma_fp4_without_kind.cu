// mma_fp4_without_kind.cu - fp4 without a kind
// expect: say TC_MMA_KIND(..., f8f6f4, ...)
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k32, row, col, f32, e2m1, e2m1, f32, f, u, u, f);
}
