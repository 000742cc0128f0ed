// tma_arrive_count_sm80.cu - a count in a build for sm_80
// expect: tc: mbarrier: a count without .noComplete needs sm_90: compile with -gencode arch=compute_90,code=sm_90
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_MBARRIER_ARRIVE(.shared, x, bar, 2u);
}
