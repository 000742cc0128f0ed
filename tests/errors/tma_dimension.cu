// tma_dimension.cu - a dimension past 5
// expect: tc: cp.async.bulk.tensor: the dimension is 1d, 2d, 3d, 4d or 5d
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(6d, shared::cluster, tile, , , , s, &map, (0, 0, 0), bar);
}
