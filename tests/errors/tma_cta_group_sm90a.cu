// tma_cta_group_sm90a.cu - cta_group for sm_90a
// expect: tc: cp.async.bulk.tensor: cta_group needs sm_100a, sm_103a, sm_107a, sm_110a
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(1d, shared::cluster, tile, , 2, , s, &map, (0), bar);
}
