// mma_sp_selector.cu - selector 2, which ptxas would take
// expect: mma.sp: the selector is a literal: 0..3 for f16
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_SP(m16n8k32, row, col, f32, bf16, bf16, f32, f, u, u, f, u[0], 2);
}
