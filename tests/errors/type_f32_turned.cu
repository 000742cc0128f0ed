// type_f32_turned.cu - elements of 32 bits are not turned
// expect: tc: .a_layout = TC_COL and .b_layout = TC_ROW need TC_F16 or TC_BF16
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .b_layout = TC_ROW)
