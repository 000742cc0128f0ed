// types_cvt_rs_sm120a.cu - stochastic rounding in a build for sm_120a
// expect: needs sm_100a, sm_103a or sm_107a: compile with -gencode arch=compute_100a,code=sm_100a
// arch: 120a
// expect-line: 9
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rs, f16x2, f32, r[0], x, y, 0u);
}
