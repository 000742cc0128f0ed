// gate_swap.cu - a gate where D's columns are the instruction's rows
// expect: and .swap, .cluster_k and TC_GEMM_SM90_ANY_DEFINE are not served
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .swap = 1)
