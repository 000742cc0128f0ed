// sm90_one_stage.cu - a ring of one slot
// expect: tc: .stages must be 2 or more
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .bk = 64, .stages = 1)
