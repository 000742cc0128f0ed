// mma_bf16_f16_accumulator.cu - bf16 with an f16 accumulator
// expect: bf16 has no 16-bit accumulator
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k16, row, col, f16, bf16, bf16, f16, u, u, u, u);
}
