// type_acc_s32.cu - sums of integers in f32
// expect: tc: .acc must be TC_F16, of TC_F16 and fp8 alone, or left out
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_F32, .acc = TC_F32)
