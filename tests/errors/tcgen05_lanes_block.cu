// tcgen05_lanes_block.cu - a block-scaled kind has no disable-output-lane
// expect: tc: tcgen05.mma: the kind is f16, tf32, f8f6f4, i8 or ti16
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_LANES(1, mxf4.block_scale, t, a, b, i, r, 1);
}
