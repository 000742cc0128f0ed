// wgmma_sp_b1.cu - a sparse b1
// expect: tc: wgmma: b1 has no sparse form
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SP_RS(64, s32, b1, s, a, 0ull, a[0], 0, 1);
}
