// tma_wait_group.cu - a wait that ptxas would take
// expect: tc: cp.async.bulk.wait_group: n is a constant in 0..63
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_CP_ASYNC_BULK_WAIT_GROUP(-1);
}
