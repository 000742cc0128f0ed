// wgmma_type_d.cu - bf16 with an accumulator of f16
// expect: tc: wgmma: the types of D, A and B are f32 with f16.f16, bf16.bf16, tf32.tf32
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SS(64, f16, bf16, h, 0ull, 0ull, 1, 1, 1, 0, 0);
}
