// tma_replace_sm90.cu - tensormap.replace for plain sm_90
// expect: needs sm_90a or an a or f target of Blackwell
// arch: 90
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_TENSORMAP_REPLACE(rank, shared::cta, s, 1);
}
