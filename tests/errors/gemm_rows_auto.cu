// gemm_rows_auto.cu - rows of probabilities by the generator that picks tiles
// expect: tc: .rows and .top are for TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE: elsewhere TC_ROWS_DEFINE
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX)
