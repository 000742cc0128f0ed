// define_bm.cu - a tile in the generator that picks tiles itself
// expect: tc: TC_GEMM_DEFINE picks tiles and schedules itself
// expect: TC_GEMM_SM90_DEFINE
// expect-line: 7
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128)
