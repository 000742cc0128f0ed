// type_s8_layout.cu - 8 bits in rows of k, which ldmatrix does not turn
// expect: tc: .a_layout = TC_COL and .b_layout = TC_ROW need TC_F16 or TC_BF16: ldmatrix turns elements of 16 bits
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .b_layout = TC_ROW)
