// hook_without_size_any.cu - the same for every device
// expect: tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none
// expect-line: 12
#include "tc.h"

typedef struct { const float *bias; } hook_args;
TC_DEV float hook(float x, tc_gemm_at at, const void *args)
{
    return x + ((const hook_args *)args)->bias[at.col];
}

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = hook)
