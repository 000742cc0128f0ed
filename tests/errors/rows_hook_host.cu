// rows_hook_host.cu - a hook without TC_DEV
// expect: pick_a_hook_is_a_TC_DEV_function
// expect-line: 7
#include "tc.h"

static float hook(float x, tc_gemm_at at, const void *args) { return x + (at.row && args ? 1.f : 0.f); }
TC_ROWS_DEFINE(rows, .x = TC_F32, .top = 4, .pick = hook, .epi_size = TC_NO_ARGS)
