// tma_sm89.cu - a tensor copy in a build for sm_89
// expect: needs sm_90 or later: compile with -gencode arch=compute_90,code=sm_90
// arch: 89
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map)
{
    tc_cp_async_bulk_tensor_2d(0, &map, 0, 0, 0);
}
