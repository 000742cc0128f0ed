// type_d_s32.cu - an integer D of floats
// expect: tc: .d must be TC_F16, TC_BF16 or TC_F32; of integers TC_S32 and TC_S8 too; of TC_F64 it is TC_F64
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_S32)
