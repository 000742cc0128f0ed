// weights_zero.cu - zero points of a type that has its own
// expect: .weights_zero 0, or 1 of TC_U4 and TC_U8
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .weights = TC_S4, .weights_k = 64, .weights_zero = 1)
