// sparse_promote.cu - promoted after an odd number of blocks of k
// expect: tc: with .sparse, .promote must be a multiple of 2 * .bk
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .sparse = TC_SPARSE_A, .promote = 128)
