// any_given.cu - the field that another generator sets
// expect: tc: .any is for TC_GEMM_SM90_ANY_DEFINE
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 128, .swap = 1, .any = 1)
