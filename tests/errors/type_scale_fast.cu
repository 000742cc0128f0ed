// type_scale_fast.cu - factors of blocks, whose sums are never taken apart
// expect: tc: .a_scale and .b_scale are for TC_E4M3 and TC_E5M2, sums in f32, .promote 128 or left out
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .b_scale = TC_SCALE_128X128, .promote = TC_FAST)
