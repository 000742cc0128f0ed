// sm100_pair_s8.cu - a pair multiplies integers in steps of 32 columns
// expect: of 32 in a pair with integers
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bn = 48)
