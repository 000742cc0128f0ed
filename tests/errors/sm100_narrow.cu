// sm100_narrow.cu - fp6 and integers, which no instruction multiplies
// expect: tc: .b must be the type of .a
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E3M2, .b = TC_S8, .d = TC_BF16)
