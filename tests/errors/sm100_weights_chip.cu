// sm100_weights_chip.cu - packed weights for sm_107
// expect: tc: .weights are not for sm_107: .chip must be left out
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 64, .chip = 107)
