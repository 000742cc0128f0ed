// mma_quad_f16_f32.cu - m8n8k4 with d f16 and c f32
// expect: d.c f16.f16, f32.f16 or f32.f32
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m8n8k4, row, col, f16, f16, f16, f32, u, u, u, f);
}
