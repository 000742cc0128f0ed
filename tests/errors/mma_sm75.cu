// mma_sm75.cu - m16n8k16 in a build for sm_75
// expect: needs sm_80 or later
// arch: 75
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d, const uint32_t *a)
{
    tc_mma_m16n8k16_f32_f16(d, a, a, d);
}
