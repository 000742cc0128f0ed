// sm90_narrow.cu - fp8 times fp4 on Hopper
// expect: tc: TC_E3M2, TC_E2M3 and TC_E2M1 are for TC_GEMM_SM100_DEFINE and TC_GEMM_SM120_DEFINE
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E2M1, .d = TC_BF16)
