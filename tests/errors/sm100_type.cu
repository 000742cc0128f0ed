// sm100_type.cu - what tcgen05 does not multiply
// expect: tc: TC_GEMM_SM100_DEFINE multiplies f16, bf16, tf32
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64)
