// type_promote.cu - promotion of sums that are not short
// expect: tc: .promote is for TC_E4M3 and TC_E5M2: a number of k, or TC_FAST
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .promote = 128)
