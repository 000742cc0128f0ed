// mma_layout.cu - A by columns
// expect: m8n8k16, m16n8k16 or m16n8k32, row, col
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k32, col, col, s32, s8, s8, s32, s, u, u, s);
}
