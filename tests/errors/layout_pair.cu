// layout_pair.cu - a hook of pairs where rows do not lie together
// expect: tc: .epi2 takes neighbours of a row, which .d_layout = TC_COL does not keep together: use .epi
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .d_layout = TC_COL, .epi2 = tc_epi2_bias_col)
