// size_without_hook.cu - arguments of a hook, but no hook
// expect: without a hook there is no .epi_size
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi_size = 8)
