// tcgen05_group.cu - a cta_group that does not exist
// expect: tc: tcgen05.mma: the cta_group is 1 or 2
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS(4, f16, t, a, b, i, 1);
}
