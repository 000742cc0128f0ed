// tma_scatter4_sm90a.cu - scatter4 for sm_90a
// expect: tc: cp.async.bulk.tensor: tile::scatter4 needs sm_100a, sm_103a, sm_107a, sm_110a
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR_STORE(2d, tile::scatter4, , &map, (0, 0, 0, 0, 0), s);
}
