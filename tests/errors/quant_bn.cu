// quant_bn.cu - a quantised D in tiles that cut blocks of 128 columns
// expect: tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn and .step to be multiples of 128
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bn = 192, .d_scale = TC_SCALE_1X128)
