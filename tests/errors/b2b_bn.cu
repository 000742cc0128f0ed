// b2b_bn.cu - a tile of D that two products in a row do not have
// expect: tc: .bn of TC_GEMM_B2B_DEFINE must be 64 or 128
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 256)
