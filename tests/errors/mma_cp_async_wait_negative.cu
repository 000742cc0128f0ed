// mma_cp_async_wait_negative.cu - a negative wait, which ptxas would take
// expect: cp.async.wait_group: n is 0 or more
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_CP_ASYNC_WAIT_GROUP(-1);
}
