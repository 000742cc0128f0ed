// mma_ldmatrix_no_trans.cu - ldmatrix m16n16 without trans
// expect: TC_LDMATRIX_TRANS: m8n8 x1|x2|x4 b16, m16n16
// arch: 100a
// expect-line: 9
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_LDMATRIX(m16n16, x2, shared, b8, u, u[0]);
}
