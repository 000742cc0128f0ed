// tcgen05_i8_sm103.cu - kind i8 on sm_103a
// expect: tc: tcgen05.mma: kind i8 needs sm_100a or sm_110a
// arch: 103a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS(1, i8, t, a, b, i, 1);
}
