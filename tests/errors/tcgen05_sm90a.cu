// tcgen05_sm90a.cu - a tcgen05 macro in a build for sm_90a
// expect: needs sm_100a, sm_103a, sm_107a, sm_110a or the f target of one:
// expect: compile with -gencode arch=compute_100a,code=sm_100a
// arch: 90a
// expect-line: 10
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SS(1, f16, t, a, b, i, 1);
}
