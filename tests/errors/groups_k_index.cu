// groups_k_index.cu - groups cut along k whose rows of A are looked up
// expect: tc: .groups = TC_GROUPS_K and TC_GROUPS_ARRAY do not go with .index, .a_scale, .b_scale, .sf, .weights and a
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_K, .index = TC_INDEX_A)
