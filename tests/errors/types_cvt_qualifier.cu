// types_cvt_qualifier.cu - fp8 without .satfinite
// expect: tc: cvt to e4m3x2: the qualifiers are .rn.satfinite
// expect-line: 8
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rn, e4m3x2, f32, h[0], x, y);
}
