// tma_ld_type.cu - a type that ld has not
// expect: tc: ld, st: vec is empty, v2, v4 or v8, type is b32, u32, s32, f32, b64, u64, s64 or f64
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    float v[8]; TC_LD_GLOBAL(, v4, f16, v, p);
}
