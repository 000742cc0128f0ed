// types_cvt_pair.cu - a pair of types that cvt has not
// expect: tc: cvt: no such pair of types, or not its number of operands: TC_CVT(q, d_type, s_type, d, sources) has tf32
// expect-line: 8
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rn.satfinite, e4m3x2, e2m1x2, h[0], h[1]);
}
