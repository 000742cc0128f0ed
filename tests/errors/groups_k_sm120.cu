// groups_k_sm120.cu - groups cut along k by TMA
// expect: tc: .groups = TC_GROUPS_K and TC_GROUPS_ARRAY are for TC_GEMM_SM90_DEFINE, TC_GEMM_SM80_DEFINE and TC_
// expect-line: 7
// arch: 120a
#include "tc_gemm.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_K)
