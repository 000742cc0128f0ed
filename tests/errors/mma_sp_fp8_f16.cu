// mma_sp_fp8_f16.cu - sparse fp8 with f16 without ordered metadata
// expect: d and c f32, or both f16 with TC_MMA_SP_ORDERED
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_SP(m16n8k64, row, col, f16, e4m3, e4m3, f16, u, u, u, u, u[0], 0);
}
