// tcgen05_vector_size.cu - mxf4nvf4 must say its vector size
// expect: mxf4nvf4.block_scale with .block16, .block32, .scale_vec::2X or .scale_vec::4X
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_BLOCK(1, mxf4nvf4.block_scale, t, a, b, i, t, t, 1);
}
