// bits_op.cu - bits, of which nothing says how they are multiplied
// expect: tc: .a = TC_B1 wants .op = TC_XOR or TC_AND, which no other type has
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_B1, .b = TC_B1, .d = TC_S32)
