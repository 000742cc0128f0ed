// tma_mbarrier_generic_address.cu - a shared address where a pointer must stand
// expect: tc: the address: with .shared a shared address (uint32_t, of tc_smem_u32 or tc_mapa), without it a pointer
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_MBARRIER_INIT(, bar, 1u);
}
