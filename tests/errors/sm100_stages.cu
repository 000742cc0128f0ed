// sm100_stages.cu - a ring that does not fit
// expect: fit in 227 KB of shared memory
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .stages = 9)
