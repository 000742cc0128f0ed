// sm100_split.cu - parts of k of groups
// expect: tc: .split must be 0, or 1 without .clc and .groups
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .split = 1, .groups = TC_GROUPS_MASKED)
