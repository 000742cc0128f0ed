// b2b_act_host.cu - a hook of the middle without TC_DEV
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 7
#include "tc.h"

static float hook(float x, tc_gemm_at at, const void *args) { return x + 0.f * (at.row + at.col) + (args ? 0.f : 1.f); }
TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .act = hook, .epi_size = TC_NO_ARGS)
