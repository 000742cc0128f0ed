// wgmma_b1_xor.cu - the xor form of b1
// expect: or b1.b1.and.popc
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SS(64, s32, b1, b1.xor.popc, s, 0ull, 0ull, 1);
}
