// epi_size.cu - more arguments than a kernel carries
// expect: tc: .epi_size must be in 0..TC_EPI_MAX
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = 4096)
