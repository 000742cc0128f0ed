// tma_replace_field.cu - a field that a tensor map has not
// expect: tc: tensormap.replace: the fields are global_address, rank, elemtype
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_TENSORMAP_REPLACE(pitch, shared::cta, s, 1);
}
