// wgmma_n.cu - a width that wgmma has not
// expect: tc: wgmma: n must be a multiple of 8 in 8..256
// expect-line: 8
#include "tc.h"

__global__ void kernel(float *d)
{
    TC_WGMMA_SS(100, f32, bf16, d, 0ull, 0ull, 1, 1, 1, 0, 0);
}
