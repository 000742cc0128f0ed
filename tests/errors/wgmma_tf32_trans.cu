// wgmma_tf32_trans.cu - a transpose of tf32
// expect: tc: wgmma: tf32, e4m3 and e5m2 are K-major only:
// expect: TC_WGMMA_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, scale_d, scale_a, scale_b)
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SS(64, f32, tf32, d, 0ull, 0ull, 1, 1, 1, 0, 0);
}
