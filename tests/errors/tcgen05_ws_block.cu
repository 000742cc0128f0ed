// tcgen05_ws_block.cu - .ws has no block-scaled kinds
// expect: it has no block-scaled kinds
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_WS_SS(1, mxf8f6f4.block_scale, t, a, b, i, 1);
}
