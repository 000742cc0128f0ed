// sm100_for_plain_sm100.cu - a Blackwell kernel in a build for sm_100 without the a
// expect: compute_100a
// arch: 100
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128)
