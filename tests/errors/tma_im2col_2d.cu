// tma_im2col_2d.cu - im2col of two dimensions
// expect: tc: cp.async.bulk.tensor: im2col takes 3d, 4d or 5d
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, im2col, , , , s, &map, (0, 0), bar, (0));
}
