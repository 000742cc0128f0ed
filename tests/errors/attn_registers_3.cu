// attn_registers_3.cu - the same with three consumers, which have fewer registers
// expect: tc: too many registers
// expect: 128 for 3 consumers
// expect-line: 7
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .bm = 192)
