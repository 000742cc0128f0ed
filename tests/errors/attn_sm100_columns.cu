// attn_sm100_columns.cu - two tiles of queries whose S and O want more than all of tensor memory
// expect: must fit in 512 columns of tensor memory
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_ATTN_SM100_DEFINE(attn, .type = TC_BF16, .head_dim = 256, .bm = 256, .bn = 64)
