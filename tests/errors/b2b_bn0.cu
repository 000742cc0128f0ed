// b2b_bn0.cu - a middle that does not stay in registers
// expect: tc: .bn0, the most columns of the middle, must be 64, 128, 192 or 256: it stays in registers
// expect-line: 6
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn0 = 512)
