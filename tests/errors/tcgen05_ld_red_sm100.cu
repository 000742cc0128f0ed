// tcgen05_ld_red_sm100.cu - ld.red on sm_100a
// expect: tc: tcgen05.ld.red needs the sm_103, sm_107 or sm_110 family
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD_RED(32x32b, x4, max, u32, r, i, t);
}
