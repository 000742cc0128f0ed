// index_sm90.cu - rows of A that are looked up, by blocks that would share them
// expect: tc: with .index = TC_INDEX_A, TC_GEMM_SM90_DEFINE wants .cluster_n 1, at most 192 accumulators
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_n = 2, .index = TC_INDEX_A)
