// k_range_host.cu - .k_range without TC_DEV
// expect: k_range_a_hook_is_a_TC_DEV_function
// expect-line: 12
// expect-lines: 9
#include "tc.h"

static tc_gemm_k below(tc_gemm_tile t, const void *args)
{
    const tc_gemm_k k = {0, args ? 0 : t.row_end};
    return k;
}
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .epi_size = TC_NO_ARGS, .b = TC_BF16, .d = TC_BF16, .k_range = below)
