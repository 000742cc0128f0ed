// weights_k.cu - a group of k that no factor has
// expect: .weights_k must be 32, 64, 128 or 0
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 48)
