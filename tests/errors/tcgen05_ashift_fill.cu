// tcgen05_ashift_fill.cu - .ashift does not go with collector fill
// expect: or with .ashift.collector::a::lastuse or ::discard
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_TS(1, f16.ashift.collector::a::fill, t, t, b, i, 1);
}
