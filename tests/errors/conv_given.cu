// conv_given.cu - a field that the generators of convolutions set
// expect: tc: .conv is set by TC_CONV_DEFINE and its like: leave it out
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .conv = 1)
