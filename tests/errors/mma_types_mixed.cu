// mma_types_mixed.cu - f16 with bf16
// expect: b is bf16
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k16, row, col, f32, bf16, f16, f32, f, u, u, f);
}
