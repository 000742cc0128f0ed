// tcgen05_ld_red_x1.cu - ld.red of one column
// expect: tc: tcgen05.ld.red: the count is x2, x4, x8, x16, x32, x64 or x128
// arch: 103a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD_RED(32x32b, x1, max, u32, r, i, t);
}
