// layout_bk.cu - more rows of k in a pass of copies than bk
// expect: tc: .a_layout = TC_COL (.b_layout = TC_ROW): .bk must be a multiple of the rows of k that one pass of copies
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .bm = 48, .bn = 96, .warps_m = 3)
