// sm90_stages.cu - a ring that does not fit in shared memory
// expect: tc: .stages must be 2 or more
// expect: 227 KB of shared memory
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .bk = 64, .stages = 9)
