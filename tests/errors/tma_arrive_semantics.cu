// tma_arrive_semantics.cu - a semantics without a scope
// expect: tc: mbarrier.arrive: the qualifiers are {.release or .relaxed with .cta or .cluster}{.shared, .shared::cta}
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_MBARRIER_ARRIVE(.release.shared::cta, x, bar);
}
