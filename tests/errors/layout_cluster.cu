// layout_cluster.cu - a cluster's share of B in rows that is no whole box
// expect: tc: A in columns and B in rows want .bk 128 bytes; of 16 bits .bm / .cluster_n and .bn / .cluster_m multiples
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .b_layout = TC_ROW, .bn = 192, .cluster_m = 2)
