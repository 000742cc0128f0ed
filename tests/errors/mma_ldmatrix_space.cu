// mma_ldmatrix_space.cu - ldmatrix from global memory
// expect: the space is shared or shared_cta
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_LDMATRIX(m8n8, x2, global, b16, u, f);
}
