// type_scale.cu - factors of blocks of a type that comes without
// expect: tc: .a_scale and .b_scale are for TC_E4M3 and TC_E5M2, sums in f32, .promote 128 or left out
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_scale = TC_SCALE_1X128)
