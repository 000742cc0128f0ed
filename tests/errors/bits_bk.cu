// bits_bk.cu - a k step of 32 bytes of bits
// expect: 16 of TC_F64, 128 or 256 of TC_S4 and TC_U4, 512 or 1024 of TC_B1
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_B1, .b = TC_B1, .d = TC_S32, .op = TC_AND, .bk = 256)
