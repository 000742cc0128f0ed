// tcgen05_sm100.cu - a tcgen05 macro in a build for plain sm_100
// expect: needs sm_100a, sm_103a, sm_107a, sm_110a or the f target of one
// arch: 100
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD(32x32b, x4, r, t);
}
