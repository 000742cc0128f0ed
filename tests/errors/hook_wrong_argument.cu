// hook_wrong_argument.cu - a hook whose row is a float
// expect: float f(float x, tc_gemm_at at, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV float hook(float x, float row, int col, const void *args) { return x * row + col + (args ? 0.f : 1.f); }
TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .epi = hook)
