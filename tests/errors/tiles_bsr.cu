// tiles_bsr.cu - blocks that no step of k divides
// expect: tc: .bsr must be a multiple of .bm and of .bk
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bsr = 64)
