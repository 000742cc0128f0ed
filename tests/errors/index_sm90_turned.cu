// index_sm90_turned.cu - rows of A that are looked up by warps that have B to turn
// expect: tc: with .index = TC_INDEX_A, TC_GEMM_SM90_DEFINE wants .cluster_n 1, at most 192 accumulators
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .b_layout = TC_ROW, .index = TC_INDEX_A)
