// layout_sm90.cu - columns of A in blocks of k that wgmma's descriptor does not step through
// expect: tc: A in columns and B in rows want .bk 128 bytes; of 16 bits .bm / .cluster_n and .bn / .cluster_m multiples
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .bk = 128)
