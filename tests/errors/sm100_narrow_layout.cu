// sm100_narrow_layout.cu - fp6 across k, beside fp8, which may be
// expect: tc: TC_E3M2, TC_E2M3 and TC_E2M1 are read along k only
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E2M3, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW)
