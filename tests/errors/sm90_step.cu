// sm90_step.cu - a step that does not divide the tile's width
// expect: tc: .step must be a multiple of 16 that divides .bn
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 256, .step = 96)
