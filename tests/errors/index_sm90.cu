// index_sm90.cu - rows of A that are looked up, by TMA
// expect: tc: .index = TC_INDEX_A is for TC_GEMM_SM80_DEFINE, TC_GEMM_SM100_DEFINE and TC_GEMM_DEFINE
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .index = TC_INDEX_A)
