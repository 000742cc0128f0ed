// mma_ldmatrix_x4.cu - ldmatrix m16n16.x4
// expect: m16n16 x1|x2 b8
// arch: 100a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_LDMATRIX_TRANS(m16n16, x4, shared, b8, u, u[0]);
}
