// sm100_type_unset.cu - no types, and A in columns
// expect: tc: .a must be TC_F16, TC_BF16, TC_TF32
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .d = TC_BF16, .a_layout = TC_COL)
