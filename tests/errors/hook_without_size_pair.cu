// hook_without_size_pair.cu - a hook of pairs without the size of its arguments
// expect: tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none
// arch: 80
// expect-line: 13
#include "tc.h"

TC_DEV tc_f32x2 hook(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x;
}

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi2 = hook)
