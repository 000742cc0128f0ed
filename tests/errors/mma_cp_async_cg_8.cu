// mma_cp_async_cg_8.cu - cp.async.cg of 8 bytes
// expect: ca with 4, 8 or 16 bytes, cg with 16
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_CP_ASYNC(cg, shared, L2_none, u[0], f, 8);
}
