// sm80_stages.cu - a ring that does not fit in shared memory
// expect: tc: .stages must be in 2..6
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .bk = 64, .stages = 6)
