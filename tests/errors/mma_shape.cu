// mma_shape.cu - a shape that tf32 does not have
// expect: m16n8k4 or m16n8k8
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_MMA(m16n8k16, row, col, f32, tf32, tf32, f32, f, u, u, f);
}
