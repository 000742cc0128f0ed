// hook_host_sm80.cu - a hook without TC_DEV, in the sm_80 kernel
// expect: a_hook_is_a_TC_DEV_function
// arch: 80
// expect-line: 9
// expect-lines: 9
#include "tc.h"

static float hook(float x, tc_gemm_at at, const void *args) { return x + 0.f * (at.row + at.col) + (args ? 0.f : 1.f); }
TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .epi = hook)
