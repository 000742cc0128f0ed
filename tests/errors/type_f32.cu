// type_f32.cu - f32 multiplies f32 alone
// expect: tc: .b must be the type of .a
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F32, .b = TC_TF32, .d = TC_F32)
