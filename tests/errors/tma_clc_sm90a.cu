// tma_clc_sm90a.cu - clusterlaunchcontrol for sm_90a
// expect: needs sm_100 or later: compile with -gencode arch=compute_100,code=sm_100
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    tc_clusterlaunchcontrol_try_cancel(s, bar);
}
