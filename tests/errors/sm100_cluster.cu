// sm100_cluster.cu - four blocks that multiply together
// expect: tc: .cluster_m must be 1, or 2 for a pair of blocks
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_m = 4)
