// tma_replace_swizzle_96.cu - the 96-byte swizzle on sm_90a
// expect: (sm_103a, sm_107a 0..4)
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_TENSORMAP_REPLACE(swizzle_mode, shared::cta, s, 4);
}
