// tcgen05_idesc_field.cu - a misspelt field
// expect: nn
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_F16, .m = 128, .nn = 256);
