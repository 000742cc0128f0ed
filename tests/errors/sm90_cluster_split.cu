// sm90_cluster_split.cu - a tile that does not divide among the cluster
// expect: tc: .bm must divide by 8 * .cluster_n and .bn by 8 * .cluster_m
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 48, .cluster_m = 4)
