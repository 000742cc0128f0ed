// cp_async_wait_sm75.cu - the wait for cp.async in a build for sm_75
// expect: needs sm_80 or later: compile with -gencode arch=compute_80,code=sm_80
// arch: 75
// expect-line: 9
#include "tc.h"

__global__ void kernel()
{
    TC_CP_ASYNC_WAIT_GROUP(0);
}
