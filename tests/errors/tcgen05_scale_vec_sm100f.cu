// tcgen05_scale_vec_sm100f.cu - .scale_vec on an f target
// expect: tc: tcgen05.mma: .scale_vec needs an a target; write .block16 or .block32
// arch: 100f
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_BLOCK(1, mxf8f6f4.block_scale.scale_vec::1X, t, a, b, i, t, t, 1);
}
