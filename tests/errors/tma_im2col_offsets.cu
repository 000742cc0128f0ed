// tma_im2col_offsets.cu - one offset of two
// expect: tc: cp.async.bulk.tensor: im2col takes as many offsets as dimensions less 2
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_TENSOR(4d, shared::cluster, im2col, , , , s, &map, (0, 0, 0, 0), bar, (0));
}
