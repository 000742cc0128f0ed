// sm100_clc.cu - a scheduler that there is not
// expect: tc: .clc must be 0 or 1
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .clc = 2)
