// layout_tf32_cluster.cu - eight blocks that share 32 k of B in rows: less than a swizzle each
// expect: of other types .cluster_n and .cluster_m 1, 2, 4 or 8 (TC_TF32: not 8)
// arch: 90a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .b_layout = TC_ROW, .bm = 64, .cluster_m = 8)
