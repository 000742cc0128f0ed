// wmma_satfinite.cu - saturation of f16
// expect: TC_WMMA_MMA_SATFINITE: a and b are both s8, u8, s4 or u4
// expect-line: 9
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k16_f16 a; tc_wmma_b_m16n16k16_f16 b; tc_wmma_c_m16n16k16_f32 c;
    TC_WMMA_MMA_SATFINITE(row, col, m16n16k16, f32, f16, f16, f32, c, a, b, c);
}
