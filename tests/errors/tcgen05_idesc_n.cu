// tcgen05_idesc_n.cu - a width that the instruction has not
// expect: tc: instruction descriptor IDESC: n is 8..256 in steps of 8
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F16, .m = 128, .n = 260, .a = TC_BF16, .b = TC_BF16, .d = TC_F32);
