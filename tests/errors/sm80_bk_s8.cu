// sm80_bk_s8.cu - a k step of 32 bytes
// expect: tc: .bk must be 32 or 64 of elements of 16 bits, 64 or 128 of 8 bits, 16 or 32 of 32, 16 of TC_F64
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bk = 32)
