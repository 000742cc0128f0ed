// sm100_bm.cu - half of the lanes of tensor memory
// expect: tc: .bm must be 128, the rows of tensor memory
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64)
