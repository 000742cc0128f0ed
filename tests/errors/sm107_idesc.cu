// sm107_idesc.cu - the long K without a word about the chip
// expect: tc: instruction descriptor IDESC: k of 64 (f8f6f4, mxf8f6f4), of 128 and, sparse, of 96 need sm107 = 1
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F8F6F4, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .k = 64);
