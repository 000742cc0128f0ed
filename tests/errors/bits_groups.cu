// bits_groups.cu - groups that cut k, of elements of 4 bits
// expect: and do not go with .sparse, .weights, .bsr, .k_range, convolutions, TC_GROUPS_K and TC_GROUPS_ARRAY
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_U4, .b = TC_U4, .d = TC_S32, .groups = TC_GROUPS_K)
