// mma_cp_async_prefetch.cu - a prefetch size that there is not
// expect: prefetch L2_none, L2_64B, L2_128B or L2_256B
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_CP_ASYNC(cg, shared, L2_512B, u[0], f, 16);
}
