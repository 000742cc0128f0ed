// groups_array_sm90.cu - products of their own by TMA
// expect: tc: .groups = TC_GROUPS_ARRAY is for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ARRAY)
