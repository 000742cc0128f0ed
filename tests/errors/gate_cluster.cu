// gate_cluster.cu - three blocks share B's rows, but half of a tile is no whole places of D
// expect: tc: with .gate, .bn and .step must be multiples of 32 and of 16 * .cluster_m (half of them are D's columns)
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_BF16, .bm = 128, .bn = 144, .cluster_m = 3, .cluster_n = 2,
                    .gate = tc_gate_silu)
