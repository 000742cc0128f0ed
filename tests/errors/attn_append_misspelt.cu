// attn_append_misspelt.cu - a field that there is not
// expect: rope_dims
// expect-line: 6
#include "tc.h"

TC_ATTN_APPEND_DEFINE(append, .type = TC_F16, .rope_dims = 64)
