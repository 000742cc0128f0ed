// tma_membar_async.cu - the membar of the async proxy
// expect: the async proxy has TC_FENCE(.proxy.async)
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_MEMBAR(.proxy.async);
}
