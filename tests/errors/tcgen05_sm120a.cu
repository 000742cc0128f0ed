// tcgen05_sm120a.cu - tensor memory on sm_120a, which has none
// expect: needs sm_100a, sm_103a, sm_107a, sm_110a or the f target of one
// arch: 120a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_ALLOC(1, t, 32);
}
