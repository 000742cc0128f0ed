// sm90_bk.cu - a k step that is not the width of a swizzle atom
// expect: tc: .bk must be a multiple of 128 bytes
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bk = 32)
