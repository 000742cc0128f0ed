// type_f32.cu - f32 is not the name of what multiplies it
// expect: tc: .a must be TC_F16, TC_BF16, TC_TF32, TC_E4M3, TC_E5M2, TC_S8, TC_U8 or TC_F64
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32)
