// wgmma_type_mix.cu - s8 with e4m3
// expect: tc: wgmma: the types of D, A and B are f32 with f16.f16, bf16.bf16, tf32.tf32
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d, int *s, uint32_t *h, const uint32_t *a)
{
    TC_WGMMA_SS(64, s32, s8, e4m3, s, 0ull, 0ull, 1);
}
