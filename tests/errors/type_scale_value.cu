// type_scale_value.cu - a kind of factors that there is not
// expect: tc: .a_scale and .b_scale must be TC_SCALE_1X128, TC_SCALE_128X128 or 0
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .b_scale = 128)
