// epi_pure.cu - a hook that writes nothing, and there is none
// expect: tc: .epi_pure is said of .epi or .epi2, and there is neither
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_pure = 1)
