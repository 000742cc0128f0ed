// rows_cluster.cu - a second block along n, where the first one's tile has whole rows
// expect: a row is in one tile, of one width, a warp's: no .swap, .step, .split, .cluster_n, .cluster_k
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 64, .cluster_n = 2, .rows = TC_SOFTMAX)
