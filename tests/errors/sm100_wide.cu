// sm100_wide.cu - 384 columns of a B whose boxes are 128 columns wide, for two instructions
// expect: tc: .bn = 384 wants B along k
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .sf = TC_SF_UE8M0_32, .b_layout = TC_ROW, .bn = 384)
