// setmaxnreg_sm80.cu - setmaxnreg in a build for sm_80
// expect: needs sm_90a or an a or f target of Blackwell: compile with -gencode arch=compute_90a,code=sm_90a
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel()
{
    TC_SETMAXNREG_DEC(24);
}
