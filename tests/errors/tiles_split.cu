// tiles_split.cu - a triangle whose k is split
// expect: tc: .triangle, .tile, .k_range and .bsr do not go with .split, .cluster_k and .weights
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .split = 1, .triangle = TC_TRIANGLE_LOWER)
