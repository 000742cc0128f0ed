// types_cvt_tf32_sm80.cu - tf32 to nearest even in a build for sm_80
// expect: tc: cvt to tf32 with .rn or .rz needs sm_90: compile with -gencode arch=compute_90,code=sm_90, or use .rna
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(float x, float y, uint32_t *r, uint16_t *h)
{
    TC_CVT(.rn, tf32, f32, r[0], x);
}
