// type_promote_bk.cu - promotion within a block of k
// expect: tc: .promote must be a multiple of .bk
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bn = 128, .promote = 64)
