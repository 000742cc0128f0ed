// tma_gather4_sm120a.cu - gather4 into shared::cluster for sm_120a
// expect: into shared::cta sm_100: compile with -gencode arch=compute_100a,code=sm_100a
// arch: 120a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, , , , s, &map, (0, 0, 0, 0, 0), bar);
}
