// tma_reduce_add_f16.cu - an add of f16 without .noftz
// expect: tc: cp.reduce.async.bulk: op and type are and, or, xor b32, b64;
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_REDUCE_ASYNC_BULK(add, f16, p, s, 16);
}
