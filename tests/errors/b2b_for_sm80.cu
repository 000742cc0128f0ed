// b2b_for_sm80.cu - Hopper's kernel in a build for sm_80
// arch: 80
// expect: compute_90a
#include "tc.h"

TC_GEMM_B2B_DEFINE(two, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
