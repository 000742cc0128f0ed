// mma_b1_without_popc.cu - b1 without an operation
// expect: say TC_MMA_POPC
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k256, row, col, s32, b1, b1, s32, s, u, u, s);
}
