// epi_size_negative.cu - a size below that of no arguments
// expect: tc: .epi_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_relu, .epi_size = -2)
