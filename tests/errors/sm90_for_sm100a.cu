// sm90_for_sm100a.cu - a Hopper kernel in a build for sm_100a
// expect: compute_90a
// arch: 100a
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
