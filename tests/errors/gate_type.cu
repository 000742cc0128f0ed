// gate_type.cu - a gate of f32, whose parts it would have to know
// expect: tc: .gate is for TC_F16, TC_BF16, TC_TF32, TC_E4M3, TC_E5M2, TC_S8 and TC_U8
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .gate = tc_gate_silu)
