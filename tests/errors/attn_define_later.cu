// attn_define_later.cu - a field of one kernel in the generator that picks kernels itself
// expect: tc: TC_ATTN_DEFINE picks tiles itself
// expect: TC_ATTN_SM90_DEFINE, TC_ATTN_SM100_DEFINE, TC_ATTN_SM120_DEFINE or TC_ATTN_SM80_DEFINE
// expect-line: 7
#include "tc.h"

TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .later = 1)
