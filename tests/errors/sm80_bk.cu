// sm80_bk.cu - a k step of 48
// expect: tc: .bk must be 32 or 64
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bk = 48)
