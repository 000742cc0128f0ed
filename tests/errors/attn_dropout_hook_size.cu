// attn_dropout_hook_size.cu - hooks whose arguments leave no room for the generator's
// expect: tc: with .dropout .hook_size must be at most TC_EPI_MAX - 96
// expect-line: 9
#include "tc.h"

typedef struct { float x[44]; } table;
TC_DEV float first(tc_attn_at at, const void *args) { return (void)at, ((const table *)args)->x[0]; }

TC_ATTN_SM80_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .hook_size = sizeof(table), .sink = first, .dropout = 1)
