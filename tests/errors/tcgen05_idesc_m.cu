// tcgen05_idesc_m.cu - 256 rows need two CTAs
// expect: tc: instruction descriptor IDESC: m is 64 or 128 with cta_group 1
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F16, .m = 256, .n = 256, .a = TC_BF16, .b = TC_BF16, .d = TC_F32);
