// sm90_swap_bn.cu - D's columns as the instruction's rows, but no multiple of 64 of them
// expect: tc: with .swap, .bn must be a multiple of 64 columns for each consumer warpgroup
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 96, .swap = 1)
