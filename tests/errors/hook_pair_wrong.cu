// hook_pair_wrong.cu - a hook on one element where a pair hook belongs
// expect: tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi2 = tc_epi_relu)
