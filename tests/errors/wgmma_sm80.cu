// wgmma_sm80.cu - a wgmma function in a build for sm_80
// expect: needs sm_90a: compile with -gencode arch=compute_90a,code=sm_90a
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(float *d)
{
    tc_wgmma_m64n8k16_f32_bf16(d, 0ull, 0ull, 0);
}
