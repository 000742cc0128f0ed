// sm100_weights_tile.cu - packed weights in a tile that has not the lanes of tensor memory
// expect: .weights on Blackwell want .bk 128, .bn 128
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .weights = TC_S4, .weights_k = 128, .bn = 256)
