// tma_mode.cu - a mode of stores in a load
// expect: tc: cp.async.bulk.tensor: the mode is left out, tile, tile::gather4, im2col, im2col::w or im2col::w::128
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::scatter4, , , , s, &map, (0, 0, 0, 0, 0), bar);
}
