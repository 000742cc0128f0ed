// tcgen05_ws_collector.cu - a collector of A in .ws
// expect: .collector::b0, b1, b2 or b3
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_WS_SS(1, f16.collector::a::fill, t, a, b, i, 1);
}
