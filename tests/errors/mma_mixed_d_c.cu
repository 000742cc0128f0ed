// mma_mixed_d_c.cu - m16n8k8 with d f32 and c f16
// expect: d and c both f32 or both f16; m8n8k4 with any layouts
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k8, row, col, f32, f16, f16, f16, f, u, u, u);
}
