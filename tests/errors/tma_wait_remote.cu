// tma_wait_remote.cu - a remote wait
// expect: : a wait is local
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    int done; TC_MBARRIER_TRY_WAIT_PARITY(.shared::cluster, done, bar, 0u);
}
