// mma_scale_4x_ue8m0.cu - blocks of 16 with ue8m0 came with PTX 9.1
// expect: needs PTX 9.1: CUDA 13.1 or later
// arch: 120a
// flags: -DTC_PTX_ISA=90
// expect-line: 10
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_BLOCK_SCALE(m16n8k64, row, col, mxf4nvf4, scale_vec_4X, f32, e2m1, e2m1, f32, ue8m0, f, u, u, f, u[0],
                       0, 0, u[1], 0, 0);
}
