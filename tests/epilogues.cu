/* epilogues.cu - every shipped hook in every tile of TC_GEMM_DEFINE, for check_ptx: the widest tile leaves few
 * registers. */
#include "../tc.h"

#define ALL(d_type, hook, name) TC_GEMM_DEFINE(name, .a = TC_BF16, .b = TC_BF16, .d = d_type, .hook)
ALL(TC_BF16, epi = tc_epi_bias_col, g_bias_col)
ALL(TC_F32, epi = tc_epi_bias_row, g_bias_row)
ALL(TC_F16, epi = tc_epi_gelu, g_gelu)
ALL(TC_F32, epi = tc_epi_residual_f32, g_residual)
ALL(TC_BF16, epi2 = tc_epi2_bias_gelu_tanh, g_pair)
ALL(TC_BF16, epi2 = tc_epi2_residual_bf16, g_pair_residual)

int main(void)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    return g_bias_col_run(&g, 0) + g_bias_row_run(&g, 0) + g_gelu_run(&g, 0) + g_residual_run(&g, 0) + g_pair_run(&g, 0)
        + g_pair_residual_run(&g, 0);
}
