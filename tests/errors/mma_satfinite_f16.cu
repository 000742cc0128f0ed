// mma_satfinite_f16.cu - saturation of f16
// expect: TC_MMA_SATFINITE: a and b are s8 or u8
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_SATFINITE(m16n8k16, row, col, f32, f16, f16, f32, f, u, u, f);
}
