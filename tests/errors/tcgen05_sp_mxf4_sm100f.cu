// tcgen05_sp_mxf4_sm100f.cu - sparse mxf4 on an f target
// expect: tc: tcgen05.mma.sp: the kinds mxf4 and mxf4nvf4 need an a target
// arch: 100f
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_MMA_SP_SS_BLOCK(1, mxf4.block_scale, t, a, b, t, i, t, t, 1);
}
