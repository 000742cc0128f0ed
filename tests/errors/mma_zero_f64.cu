// mma_zero_f64.cu - zeros as C of f64
// expect: TC_MMA_ZERO: d and c f32 or s32
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_ZERO(m8n8k4, row, col, f64, f64, f64, f64, x, x, x);
}
