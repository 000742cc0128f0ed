// conv_bm.cu - a tile in the generator that picks tiles itself
// expect: tc: TC_CONV_DEFINE picks tiles and schedules itself
// expect: TC_CONV_SM90_DEFINE
// expect-line: 7
#include "tc.h"

TC_CONV_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128)
