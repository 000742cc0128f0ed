// wgmma_setmaxnreg_n.cu - a register count that is no multiple of 8
// expect: tc: setmaxnreg: n must be a multiple of 8 in 24..256
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_SETMAXNREG_INC(100);
}
