// gate_host.cu - a gate without TC_DEV
// expect-first: a_hook_is_a_TC_DEV_function
// expect: gate_a_hook_is_a_TC_DEV_function
// expect-line: 9
// expect-lines: 9
#include "tc.h"

static float hook(float gate, float up, tc_gemm_at at, const void *args) { return gate + (at.row && args ? up : 0.f); }
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .gate = hook)
