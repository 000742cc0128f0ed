// wmma_store_matrix.cu - a store of c
// expect: TC_WMMA_STORE: the matrix is d
// expect-line: 8
#include "tc_wmma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    tc_wmma_c_m16n16k16_f32 c; TC_WMMA_STORE(c, row, m16n16k16, global, f32, f, c, 16);
}
