// tcgen05_shift_sm100f.cu - shift on an f target
// expect: tc: tcgen05.shift needs an a target
// arch: 100f
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_SHIFT(1, t);
}
