// tcgen05_ashift_ss.cu - .ashift with A in shared memory
// expect: tc: tcgen05.mma: .ashift needs A in tensor memory: TC_TCGEN05_MMA_TS
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS(1, f16.ashift, t, a, b, i, 1);
}
