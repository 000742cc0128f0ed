// sm90_cluster.cu - a cluster of 16 blocks
// expect: tc: .cluster_m * .cluster_n must be in 1..8
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_m = 4, .cluster_n = 4)
