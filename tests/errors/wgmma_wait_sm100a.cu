// wgmma_wait_sm100a.cu - a wgmma wait in a build for sm_100a
// expect: needs sm_90a: compile with -gencode arch=compute_90a,code=sm_90a
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel()
{
    TC_WGMMA_WAIT_GROUP(0);
}
