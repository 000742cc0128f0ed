// groups_split.cu - groups whose k is split
// expect: tc: with .groups, .split must be 0 and .cluster_k 1
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .split = 1, .groups = TC_GROUPS_MASKED)
