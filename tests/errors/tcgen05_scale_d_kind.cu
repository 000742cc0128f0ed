// tcgen05_scale_d_kind.cu - scale-input-d with a kind that has none
// expect: tc: tcgen05.mma: scale-input-d goes with the kinds f16 and tf32
// arch: 100a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS_SCALE(1, f8f6f4, t, a, b, i, 1, 2);
}
