// type_f32_turned.cu - elements whose parts are multiplied are not turned
// expect: tc: .a = TC_F32 wants A in rows and B in columns
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .b_layout = TC_ROW)
