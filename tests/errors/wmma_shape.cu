// wmma_shape.cu - a shape that tf32 does not have
// expect: m16n16k8 tf32
// expect-line: 8
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_a_m16n16k8_tf32 a; TC_WMMA_LOAD(a, row, m16n16k16, global, tf32, a, u, 16);
}
