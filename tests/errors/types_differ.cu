// types_differ.cu - A and B of two types
// expect: tc: .b must be the type of .a
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_F16, .d = TC_BF16)
