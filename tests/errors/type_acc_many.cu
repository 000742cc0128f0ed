// type_acc_many.cu - so many sums in f16 that they stay packed, where blocks exchange them as floats
// expect: tc: .acc = TC_F16 with more than 128 sums a thread (rows of a warpgroup * .bn / 128) goes with .cluster_k 1
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .bm = 256, .bn = 192, .cluster_k = 2)
