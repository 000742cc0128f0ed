// sm120_type.cu - what mma.sync of TC_GEMM_SM120_DEFINE does not multiply
// expect: tc: TC_GEMM_SM120_DEFINE multiplies f16, bf16, tf32
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64)
