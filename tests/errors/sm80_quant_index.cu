// sm80_quant_index.cu - a quantised D of rows of A that are looked up
// expect: tc: a quantised D with .index = TC_INDEX_A is for TC_GEMM_SM100_DEFINE
// expect-line: 6
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .d_scale = TC_SCALE_1X128, .index = TC_INDEX_A)
