// type_int_float.cu - integers by floats
// expect: tc: .b must be the type of .a (TC_S8 and TC_U8 mix, TC_E4M3 and TC_E5M2 mix, TC_S4 and TC_U4 mix)
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_F16, .d = TC_F32)
