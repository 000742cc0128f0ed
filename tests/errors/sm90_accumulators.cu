// sm90_accumulators.cu - more accumulators than a thread has registers
// expect: tc: too many accumulators
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .consumers = 1)
