// sm90_step_shares.cu - a block that picks its width shares A with its neighbours, and B lies in rows
// expect: .cluster_n (.cluster_m) 1, or 2 or 4 where A and B lie along k
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(g, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .step = 64, .cluster_n = 4)
