// mma_popc_or.cu - an operation that there is not
// expect: xor_popc or and_popc
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA_POPC(m16n8k256, row, col, s32, b1, b1, s32, or_popc, s, u, u, s);
}
