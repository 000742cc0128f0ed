// tma_ld_policy.cu - a hint without a policy
// expect: tc: ld.global: a policy goes with .L2::cache_hint
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    float v[8]; TC_LD_GLOBAL(.L2::cache_hint, v4, f32, v, p);
}
