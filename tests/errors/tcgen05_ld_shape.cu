// tcgen05_ld_shape.cu - a shape that ld has not
// expect: tc: tcgen05.ld: the shape is 32x32b, 16x64b, 16x128b or 16x256b
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD(32x64b, x4, r, t);
}
