// sm80_for_sm75.cu - an sm_80 kernel in a build for sm_75
// expect: needs sm_80 or later
// arch: 75
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
