// conv_swap.cu - a tile on its side
// expect: .d_layout, .swap, .groups
// expect-line: 6
#include "tc.h"

TC_CONV_SM90_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .swap = 1, .bm = 64, .bn = 128)
