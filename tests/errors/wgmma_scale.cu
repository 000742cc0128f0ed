// wgmma_scale.cu - a scale of 2
// expect: tc: wgmma: scale_a and scale_b are 1 or -1
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_RS(64, f32, bf16, d, a, 0ull, 1, 2, 1, 0);
}
