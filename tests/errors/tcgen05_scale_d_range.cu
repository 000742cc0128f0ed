// tcgen05_scale_d_range.cu - scale-input-d out of range
// expect: tc: tcgen05.mma: scale-input-d is a literal in 0..15
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_SCALE(1, f16, t, a, b, i, 1, 16);
}
