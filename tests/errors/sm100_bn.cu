// sm100_bn.cu - a width that is no multiple of 16
// expect: tc: .bn must be a multiple of 16 in 16..256
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 72)
