// cp_async_sm75.cu - cp.async in a build for sm_75
// expect: needs sm_80 or later: compile with -gencode arch=compute_80,code=sm_80
// arch: 75
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t dst, const void *src)
{
    tc_cp_async_cg_16(dst, src);
}
