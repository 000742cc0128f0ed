// sm90_epi_stages.cu - too many store buffers
// expect: tc: .epi_stages must be in 1..4
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_stages = 9)
