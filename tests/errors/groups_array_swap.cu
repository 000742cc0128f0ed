// groups_array_swap.cu - products of their own whose roles are changed over
// expect: tc: .groups = TC_GROUPS_ARRAY of TC_GEMM_SM90_DEFINE goes with 1 or 2 .consumers and at most 160 accumulators
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .swap = 1, .groups = TC_GROUPS_ARRAY)
