// wgmma_n_s8.cu - a width that the integer forms have not
// expect: tc: wgmma: with s8, u8 and b1, n is 8, 16, 24, 32, 48 or a larger multiple of 16 up to 256
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SS(40, s32, s8, s, 0ull, 0ull, 1);
}
