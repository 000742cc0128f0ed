// tma_fence_order.cu - a fence that is none
// expect: tc: fence: the qualifiers are {.sc, .acq_rel, .acquire, .release} with .cta, .cluster, .gpu or .sys
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_FENCE(.cta.acquire);
}
