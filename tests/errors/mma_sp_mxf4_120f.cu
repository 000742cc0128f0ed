// mma_sp_mxf4_120f.cu - sparse mxf4 on an f target
// expect: needs sm_120a or sm_121a, not an f target
// arch: 120f
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_SP_BLOCK_SCALE(m16n8k128, row, col, mxf4, scale_vec_2X, f32, e2m1, e2m1, f32, ue8m0, f, u, u, f, u[2],
                          0, u[0], 0, 0, u[1], 0, 0);
}
