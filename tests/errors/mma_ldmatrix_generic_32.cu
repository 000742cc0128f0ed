// mma_ldmatrix_generic_32.cu - a 32-bit generic address, which ptxas would take
// expect: asm operand
// expect-line: 8
#include "tc_mma.h"

__global__ void kernel(uint32_t *u, float *f, int *s, double *x)
{
    TC_LDMATRIX(m8n8, x2, generic, b16, u, u[0]);
}
