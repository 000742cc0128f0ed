// type_round.cu - a rounding that f16 does not have
// expect: tc: .round must be 0, or 1 of TC_TF32
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .round = 1)
