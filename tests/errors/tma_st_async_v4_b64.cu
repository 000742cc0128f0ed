// tma_st_async_v4_b64.cu - 32 bytes of st.async
// expect: tc: st.async: 16 bytes at most
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_ST_ASYNC(, v4, b64, s, p, bar);
}
