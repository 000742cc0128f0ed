// wgmma_sp_arguments.cu - a sparse call without metadata
// expect: tc: wgmma: f16 and bf16:
// expect: TC_WGMMA_SP_RS(n, d_type, a_type[, b_type], d, a, desc_b, meta, selector, scale_d, scale_a, scale_b, trans_b)
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SP_RS(64, f32, f16, d, a, 0ull, 1, 1, 1, 0);
}
