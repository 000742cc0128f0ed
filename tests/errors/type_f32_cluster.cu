// type_f32_cluster.cu - what threads read of a slot, no neighbour writes
// expect: tc: .a = TC_F32 wants .bk 32, .bn (with .swap: .bm) 16 or a multiple of 32 up to 256, 1 to 3 .consumers, a
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .bm = 128, .bn = 128, .cluster_m = 2)
