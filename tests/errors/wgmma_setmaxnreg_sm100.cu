// wgmma_setmaxnreg_sm100.cu - setmaxnreg in a build for plain sm_100
// expect: compile with -gencode arch=compute_90a,code=sm_90a (or 100a, 103a, 107a, 110a, 120a, 121a)
// arch: 100
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_SETMAXNREG_INC(104);
}
