// hook_short.cu - a hook without arguments
// expect: float f(float x, tc_gemm_at at, const void *args)
// arch: 80
// expect-line: 8
#include "tc.h"

TC_DEV float hook(float x) { return x > 0.f ? x : 0.f; }
TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .epi = hook)
