// mma_scale_default.cu - mxf4nvf4 without a scale_vec
// expect: scale_vec_default but for mxf4nvf4
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_BLOCK_SCALE(m16n8k64, row, col, mxf4nvf4, scale_vec_default, f32, e2m1, e2m1, f32, ue4m3, f, u, u, f,
                       u[0], 0, 0, u[1], 0, 0);
}
