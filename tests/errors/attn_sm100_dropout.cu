// attn_sm100_dropout.cu - dropout in a kernel with tensor memory
// arch: 100a
// expect: tc: Blackwell's attention has no .dropout: TC_ATTN_DEFINE takes its sm_80 kernel for it
// expect-line: 7
#include "tc.h"

TC_ATTN_SM100_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .dropout = 1)
