// sm100_turned_fp8.cu - one box of A for two blocks
// expect: tc: A of 8 bits in columns wants .cluster_n 1
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM100_DEFINE(gemm, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .a_layout = TC_COL, .cluster_n = 2)
