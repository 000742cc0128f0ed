// sm100_quant_index.cu - a quantised D whose rows are looked up
// expect: tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .d_layout = TC_ROW and no .index = TC_INDEX_D
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .index = TC_INDEX_D)
