// wgmma_sp_selector.cu - the second selector of an 8-bit type
// expect: tc: wgmma: the sparsity selector is 0 or 1, with e4m3, e5m2, s8 and u8 it is 0
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SP_SS(64, s32, s8, u8, s, 0ull, 0ull, a[0], 1, 1);
}
