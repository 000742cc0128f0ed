// tiles_bsr_cluster.cu - neighbours along m share no blocks
// expect: tc: .bsr goes without .swap, and with .cluster_m = 1
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_m = 2, .bsr = 128)
