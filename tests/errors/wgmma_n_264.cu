// wgmma_n_264.cu - a width above 256
// expect: tc: wgmma: n must be a multiple of 8 in 8..256
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, const uint32_t *a)
{
    TC_WGMMA_RS(264, f32, f16, d, a, 0ull, 1, 1, 1, 0);
}
