// tcgen05_idesc_scale.cu - a scale type that the kind has not
// expect: tc: instruction descriptor IDESC: scale is TC_UE8M0 with the mx kinds
// arch: 100a
// expect-line: 7
#include "tc.h"

TC_TCGEN05_IDESC(IDESC, .kind = TC_KIND_MXF4, .m = 128, .n = 256, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                 .scale = TC_UE4M3);
