// layout_threads.cu - A in columns whose lines end within a pass of copies: 64 chunks of 16 bytes, 96 threads
// expect: tc: .a_layout = TC_COL (.b_layout = TC_ROW): .bk must be a multiple of the rows of k that one pass of copies
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64, .a_layout = TC_COL, .bn = 48, .warps_m = 1,
                    .warps_n = 3)
