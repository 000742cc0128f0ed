// bits_layout.cu - elements of 4 bits whose rows run along n
// expect: tc: TC_S4, TC_U4 and TC_B1 are read along k, .a_layout TC_ROW and .b_layout TC_COL
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_S4, .b = TC_U4, .d = TC_S32, .b_layout = TC_ROW)
