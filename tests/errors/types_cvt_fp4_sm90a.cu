// types_cvt_fp4_sm90a.cu - fp4 in a build for sm_90a
// expect: needs an a or f target of Blackwell: compile with -gencode arch=compute_100a,code=sm_100a
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rn.satfinite, e2m1x2, f32, r[0], x, y);
}
