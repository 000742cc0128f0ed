// tcgen05_st_count.cu - a count that is no power of 2
// expect: tc: tcgen05.st: the count of 32x32b and 16x64b is x1, x2, x4, x8, x16, x32, x64 or x128
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_ST(32x32b, x3, t, r);
}
