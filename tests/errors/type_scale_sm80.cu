// type_scale_sm80.cu - factors for each 128 of k, and blocks of 64
// expect: tc: with .a_scale or .b_scale, .bk must be 128
// expect-line: 6
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bn = 64, .bk = 64, .a_scale = TC_SCALE_1X128)
