// sm100_groups.cu - groups by a scheduler that wants to know how many tiles there are
// expect: tc: with .groups, .clc must be 0
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .clc = 1)
