// stmatrix_sm80.cu - stmatrix in a build for sm_80
// expect: needs sm_90 or later: compile with -gencode arch=compute_90,code=sm_90
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(uint32_t row)
{
    tc_stmatrix_x1(row, 0);
}
