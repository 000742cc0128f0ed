// sm120_groups.cu - groups with factors of a byte
// expect: tc: .groups does not go with .sf
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .sf = TC_SF_UE8M0_32)
