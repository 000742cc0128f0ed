// wait_group_variable.cu - a wait whose count is no literal
// expect: asm
// arch: 80
// expect-line: 9
#include "tc.h"

__global__ void kernel(int n)
{
    TC_CP_ASYNC_WAIT_GROUP(n);
}
