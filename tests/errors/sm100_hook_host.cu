// sm100_hook_host.cu - a hook without TC_DEV
// expect: a_hook_is_a_TC_DEV_function
// arch: 100a
// expect-line: 9
// expect-lines: 12
#include "tc.h"

static float hook(float x, tc_gemm_at at, const void *args) { return x + 0.f * (at.row + at.col) + (args ? 0.f : 1.f); }
TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .epi = hook)
