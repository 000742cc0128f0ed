// tma_mask_missing.cu - multicast without a mask
// expect: [, mask] of multicast::cluster[, policy] of L2::cache_hint)
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(1d, shared::cluster, tile, multicast::cluster, , , s, &map, (0), bar);
}
