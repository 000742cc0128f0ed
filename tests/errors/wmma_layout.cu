// wmma_layout.cu - s4 by columns
// expect: s4, u4 and b1: a row, b col
// expect-line: 8
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m8n8k32_s4 a; TC_WMMA_LOAD(a, col, m8n8k32, global, s4, a, u, 32);
}
