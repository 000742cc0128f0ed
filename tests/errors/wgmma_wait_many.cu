// wgmma_wait_many.cu - a wait that ptxas would take
// expect: tc: wgmma.wait_group: n is a constant in 0..7
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_WAIT_GROUP(100000);
}
