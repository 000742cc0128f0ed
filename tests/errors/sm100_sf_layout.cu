// sm100_sf_layout.cu - 4 bits across k
// expect: tc: TC_E3M2, TC_E2M3 and TC_E2M1 are read along k only
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .b_layout = TC_ROW)
