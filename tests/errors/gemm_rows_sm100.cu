// gemm_rows_sm100.cu - rows of probabilities by tcgen05
// expect: tc: .rows and .top are for TC_GEMM_DEFINE, TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE: elsewhere
// expect-line: 7
// arch: 100a
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX)
