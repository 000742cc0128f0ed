// sm100_sparse_b.cu - a sparse B with D in rows
// expect: tc: TC_SPARSE_A wants .d_layout = TC_ROW, and TC_SPARSE_B .d_layout = TC_COL
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_B)
