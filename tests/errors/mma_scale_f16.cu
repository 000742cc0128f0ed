// mma_scale_f16.cu - block scales with an f16 accumulator
// expect: row, col, d and c f32
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_BLOCK_SCALE(m16n8k32, row, col, mxf8f6f4, scale_vec_1X, f16, e4m3, e4m3, f16, ue8m0, u, u, u, u, u[0],
                       0, 0, u[1], 0, 0);
}
