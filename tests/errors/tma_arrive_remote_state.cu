// tma_arrive_remote_state.cu - the state of a remote arrive
// expect: ; .shared::cluster takes _ for the state
// expect-line: 8
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_MBARRIER_ARRIVE(.release.cluster.shared::cluster, x, bar);
}
