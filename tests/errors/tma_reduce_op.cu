// tma_reduce_op.cu - an operation that a tensor reduction has not
// expect: tc: cp.reduce.async.bulk.tensor: op is add, min, max, inc, dec, and, or or xor
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_REDUCE_ASYNC_BULK_TENSOR(1d, mul, tile, , &map, (0), s);
}
