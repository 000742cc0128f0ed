// sm120_for_sm90a.cu - a kernel of the sm_120 family in a build for Hopper
// expect: tc: this kernel needs sm_120 or sm_121
// arch: 90a
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
