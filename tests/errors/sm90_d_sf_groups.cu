// sm90_d_sf_groups.cu - factors of a byte of groups, which Hopper's kernels do not write
// expect: tc: .d_sf with .groups is for TC_GEMM_SM100_DEFINE
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .groups = TC_GROUPS_ROWS)
