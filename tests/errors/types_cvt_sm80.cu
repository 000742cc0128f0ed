// types_cvt_sm80.cu - fp8 in a build for sm_80
// expect: needs sm_89 or later: compile with -gencode arch=compute_89,code=sm_89
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rn.satfinite, e4m3x2, f32, h[0], x, y);
}
