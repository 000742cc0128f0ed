// groups_k_sm90.cu - groups cut along k by TMA, where k lies together in B
// expect: tc: .groups = TC_GROUPS_K of TC_GEMM_SM90_DEFINE wants .a_layout TC_COL and .b_layout TC_ROW
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .groups = TC_GROUPS_K)
