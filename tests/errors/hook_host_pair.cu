// hook_host_pair.cu - a pair hook without TC_DEV
// expect: a_hook_is_a_TC_DEV_function
// expect-line: 8
// expect-lines: 9
#include "tc.h"

static tc_f32x2 hook(tc_f32x2 x, tc_gemm_at at, const void *args) { return at.row + at.col && args ? x : x; }
TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .epi2 = hook)
