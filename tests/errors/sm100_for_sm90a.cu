// sm100_for_sm90a.cu - a Blackwell kernel in a build for sm_90a
// expect: compute_100a
// arch: 90a
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128)
