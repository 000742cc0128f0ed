// mma_type_unknown.cu - a type that there is not
// expect: a's type is f16, bf16, tf32, f64, s8, u8, s4, u4, b1, e4m3 or e5m2
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k16, row, col, f32, half, half, f32, f, u, u, f);
}
