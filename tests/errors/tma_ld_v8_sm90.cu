// tma_ld_v8_sm90.cu - 32 bytes at a time for sm_90a
// expect: tc: 32 bytes at a time need sm_100: compile with -gencode arch=compute_100,code=sm_100
// arch: 90a
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    float v[8]; TC_LD_GLOBAL(, v8, f32, v, p);
}
