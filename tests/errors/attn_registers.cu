// attn_registers.cu - tiles whose scores and sums no thread can hold
// expect: tc: too many registers
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 256, .bn = 256)
