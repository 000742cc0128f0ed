// tma_coordinates.cu - two coordinates of three
// expect: tc: cp.async.bulk.tensor: as many coordinates as dimensions
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, , , , s, &map, (0, 0), bar);
}
