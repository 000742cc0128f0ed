// sm100_d_e2m1.cu - D of 4 bits without factors
// expect: tc: .d = TC_E2M1 wants .d_sf
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E2M1)
