// tma_red_async_mmio_gpu.cu - a form that assembles and does nothing
// expect: (.mmio.release.gpu would do nothing)
// arch: 100
// expect-line: 9
#include "tc.h"

__global__ void kernel(const __grid_constant__ tc_tmap map, uint32_t s, uint32_t bar, uint64_t *p, uint64_t x)
{
    TC_RED_ASYNC_GLOBAL(.mmio.release.gpu, u32, p, 1u);
}
