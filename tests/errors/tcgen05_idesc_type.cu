// tcgen05_idesc_type.cu - a type that the kind has not
// expect: tc: instruction descriptor IDESC: a and b: kind f16 has f16 and bf16
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F16, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32);
