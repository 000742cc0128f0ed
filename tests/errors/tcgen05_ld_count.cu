// tcgen05_ld_count.cu - more registers than 128
// expect: tc: tcgen05.ld: the count of 16x128b is x1, x2, x4, x8, x16, x32 or x64
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD(16x128b, x128, r, t);
}
