// sm90_split_cluster.cu - k split between blocks of which two share a tile's columns
// expect: tc: with .split, .schedule must be TC_COOPERATIVE, .cluster_k and .cluster_n (with .swap: .cluster_m) 1
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .cluster_n = 2, .split = 1)
