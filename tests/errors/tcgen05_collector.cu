// tcgen05_collector.cu - a collector of .ws in an mma without
// expect: alone or with .collector::a::fill, ::use, ::lastuse or ::discard
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS(1, f16.collector::b0::fill, t, a, b, i, 1);
}
