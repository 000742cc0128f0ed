// mma_fp8_sm80.cu - fp8 in a build for sm_80
// expect: needs sm_89 or later: compile with -gencode arch=compute_89,code=sm_89
// arch: 80
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k32, row, col, f32, e4m3, e4m3, f32, f, u, u, f);
}
