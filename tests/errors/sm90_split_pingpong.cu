// sm90_split_pingpong.cu - k split between blocks whose warpgroups alternate
// expect: tc: with .split, .schedule must be TC_COOPERATIVE, .cluster_k and .cluster_n (with .swap: .cluster_m) 1
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .schedule = TC_PINGPONG, .split = 1)
