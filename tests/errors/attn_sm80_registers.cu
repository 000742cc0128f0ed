// attn_sm80_registers.cu - tiles whose scores and sums no thread can hold, for sm_80
// expect: tc: too many registers
// arch: 80
// expect-line: 7
#include "tc.h"

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 256, .bm = 128, .bn = 64, .warps = 4)
