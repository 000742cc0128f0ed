// conv_bk.cu - a tap's channels come 128 bytes at a time
// expect: tc: TC_CONV_SM90_DEFINE wants .bk of 128 bytes of channels
// expect-line: 6
#include "tc.h"

TC_CONV_SM90_DEFINE(conv, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .bk = 128)
