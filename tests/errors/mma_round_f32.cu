// mma_round_f32.cu - rounding of f32
// expect: rn, rz, rm or rp; all types f64
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_ROUND(m16n8k16, row, col, rz, f32, f16, f16, f32, f, u, u, f);
}
