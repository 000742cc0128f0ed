// sm90_step_bk.cu - a step beside a longer block of k
// expect: tc: with .step, .bk must be 128 bytes
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .bk = 128, .step = 32)
