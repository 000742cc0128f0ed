// gemm_rows_auto.cu - rows of probabilities by the generator that picks tiles, of a type for which it has none
// expect: tc: .rows and .top of TC_GEMM_DEFINE are for TC_F16 and TC_BF16 without .sparse
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .rows = TC_SOFTMAX)
