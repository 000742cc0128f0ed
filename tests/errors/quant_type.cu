// quant_type.cu - factors of a D that is not quantised
// expect: tc: .d_scale must be TC_SCALE_1X128, with .d = TC_E4M3, TC_E5M2 or TC_S8, or 0
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .d_scale = TC_SCALE_1X128)
