// hook_wrong_result.cu - a pair hook where a hook on one element belongs
// expect: tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi2_bias_col)
