// type_acc_sm90.cu - sums in f16 of fp8, which Hopper's kernel does not have
// expect: tc: TC_GEMM_SM90_DEFINE multiplies f16, bf16, tf32 (.round 0), f32, e4m3, e5m2, s8 and u8 (not to s8); sums
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, .acc = TC_F16)
