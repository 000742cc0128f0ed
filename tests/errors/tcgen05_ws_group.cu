// tcgen05_ws_group.cu - .ws with a pair of CTAs
// expect: tc: tcgen05.mma.ws: the cta_group is 1
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_WS_SS(2, f16, t, a, b, i, 1);
}
