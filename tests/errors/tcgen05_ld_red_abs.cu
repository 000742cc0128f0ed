// tcgen05_ld_red_abs.cu - .abs of integers
// expect: tc: tcgen05.ld.red: the operation is min or max; for f32 also with .abs, .NaN or .abs.NaN
// arch: 103a
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t t, uint64_t a, uint64_t b, uint32_t i, uint32_t *r)
{
    TC_TCGEN05_LD_RED(32x32b, x4, max.abs, u32, r, i, t);
}
