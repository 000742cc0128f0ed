// mma_fp4_sm100a.cu - fp4 in mma.sync on sm_100a
// expect: needs sm_120a, sm_121a or the f target of one
// arch: 100a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_KIND(m16n8k32, row, col, f8f6f4, f32, e2m1, e4m3, f32, f, u, u, f);
}
