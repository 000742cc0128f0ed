// wgmma_sm90.cu - a wgmma macro in a build for sm_90 without the a
// expect: needs sm_90a: compile with -gencode arch=compute_90a,code=sm_90a
// arch: 90
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d)
{
    TC_WGMMA_SS(8, f32, bf16, d, 0ull, 0ull, 1, 1, 1, 0, 0);
}
