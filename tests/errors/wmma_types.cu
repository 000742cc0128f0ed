// wmma_types.cu - s8 with u8
// expect: tc: wmma.mma: d, a, b, c: f16|f32, f16, f16, f16|f32
// expect-line: 9
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k16_s8 a; tc_wmma_b_m16n16k16_u8 b; tc_wmma_c_m16n16k16_s32 c;
    TC_WMMA_MMA(row, col, m16n16k16, s32, s8, u8, s32, c, a, b, c);
}
