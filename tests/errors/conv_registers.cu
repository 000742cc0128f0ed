// conv_registers.cu - as many accumulators as a GEMM may have
// expect: tc: a convolution's accumulators, rows of a warpgroup * .bn / 128, must be at most 192
// expect-line: 6
#include "tc.h"

TC_CONV_SM90_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 208, .schedule = TC_PINGPONG)
