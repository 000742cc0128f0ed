// type_f64.cu - an operand that wgmma's kernel does not have
// expect: tc: TC_GEMM_SM90_DEFINE multiplies f16, bf16, tf32 (.round 0), f32, e4m3, e5m2, s8 and u8 (not to s8); sums
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64)
