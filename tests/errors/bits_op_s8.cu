// bits_op_s8.cu - the same of a type that has but one way
// expect: tc: .a = TC_B1 wants .op = TC_XOR or TC_AND, which no other type has
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .op = TC_XOR)
