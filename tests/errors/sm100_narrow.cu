// sm100_narrow.cu - fp6 beside fp8, which only TC_GEMM_SM120_DEFINE has
// expect: tc: TC_GEMM_SM100_DEFINE multiplies f16, bf16, tf32
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E3M2, .d = TC_BF16)
