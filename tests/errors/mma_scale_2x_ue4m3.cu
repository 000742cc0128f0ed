// mma_scale_2x_ue4m3.cu - scale_vec::2X with ue4m3
// expect: kind mxf4nvf4 m16n8k64 scale_vec_2X ue8m0 or scale_vec_4X ue4m3
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_BLOCK_SCALE(m16n8k64, row, col, mxf4nvf4, scale_vec_2X, f32, e2m1, e2m1, f32, ue4m3, f, u, u, f, u[0],
                       0, 0, u[1], 0, 0);
}
