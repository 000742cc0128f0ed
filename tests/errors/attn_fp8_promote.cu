// attn_fp8_promote.cu - sums promoted where no tile ends
// expect: tc: .promote must be 128, the keys of a tile, or TC_FAST
// expect-line: 6
#include "tc.h"

TC_ATTN_SM90_DEFINE(attn, .type = TC_E4M3, .promote = 64)
