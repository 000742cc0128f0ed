// mma_f64_sm80.cu - a large f64 shape in a build for sm_80
// expect: needs sm_90 or later
// arch: 80
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k8, row, col, f64, f64, f64, f64, x, x, x, x);
}
