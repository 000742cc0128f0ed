// sm100_sparse_bk.cu - a sparse operand in blocks of k that are no box of what is kept
// expect: tc: with .sparse, .bk must be 128 of elements of 16 bits, 64 of TC_TF32, 256 of 8 bits
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .sparse = TC_SPARSE_A, .bk = 64)
