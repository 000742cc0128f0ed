// sm90_for_sm80.cu - a Hopper kernel in a build for sm_80
// expect: compute_90a
// arch: 80
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
