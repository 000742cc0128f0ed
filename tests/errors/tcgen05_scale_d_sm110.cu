// tcgen05_scale_d_sm110.cu - scale-input-d on sm_110a
// expect: tc: tcgen05.mma: scale-input-d does not exist on sm_110
// arch: 110a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_SCALE(1, f16, t, a, b, i, 1, 2);
}
