// sm120_sparse.cu - tiles with a sparse operand that begin within a brick of its metadata
// expect: tc: with .sparse, its side of a tile (.bm of TC_SPARSE_A, .bn of TC_SPARSE_B) must be 16, 32 or a multiple
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A, .bm = 96)
