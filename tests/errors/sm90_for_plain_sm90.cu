// sm90_for_plain_sm90.cu - a Hopper kernel in a build for sm_90 without the a
// expect: compute_90a
// arch: 90
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
