// mma_scale_byte_id.cu - an odd byte id with scale_vec::2X
// expect: byte ids are 0..3 with 1X, 0 or 2 with 2X
// arch: 120a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_BLOCK_SCALE_IMM(m16n8k64, row, col, mxf4, scale_vec_2X, f32, e2m1, e2m1, f32, ue8m0, f, u, u, f, u[0],
                           1, 0, u[1], 0, 0);
}
