// mma_sp_f64.cu - sparse f64
// expect: mma.sp: a's type is f16, bf16, tf32
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_SP(m16n8k16, row, col, f64, f64, f64, f64, x, x, x, x, u[0], 0);
}
