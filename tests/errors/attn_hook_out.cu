// attn_hook_out.cu - an output hook whose d is a float
// expect: .out = float f(float o, int b, int h, int q, int d, const void *args)
// expect-line: 7
#include "tc.h"

TC_DEV float hook(float o, int b, int h, int q, float d, const void *args) { return o * d + 0.f * (b + h + q) + (args ? 0.f : 1.f); }
TC_ATTN_SM90_DEFINE(attn, .type = TC_BF16, .head_dim = 64, .out = hook)
