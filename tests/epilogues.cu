/* epilogues.cu - shipped hooks in the tiles of TC_GEMM_DEFINE, for check_ptx: the widest tile leaves few registers. The
 * two that take next to none are in the large tiles alone; tc_epi2_residual_bf16 is in those of examples/23. WIDEST:
 * the others too, without two of which others take as much: a bias of rows, and gelu, which example 22 has. */
#include "../tc.h"

#define SOME(d_type, hook, name, ...) TC_GEMM_DEFINE(name, .a = TC_BF16, .b = TC_BF16, .d = d_type, .hook, __VA_ARGS__)
#ifdef WIDEST
#define ALL(d_type, hook, name) SOME(d_type, hook, name, .shapes = TC_SHAPES_LARGE)
#else
#define ALL(d_type, hook, name) SOME(d_type, hook, name, .shapes = 0)
#endif
SOME(TC_BF16, epi = tc_epi_bias_col, g_bias_col, .shapes = TC_SHAPES_LARGE | TC_SHAPES_UNALIGNED)
#ifndef WIDEST
SOME(TC_F32, epi = tc_epi_bias_row, g_bias_row, .shapes = TC_SHAPES_LARGE)
ALL(TC_F16, epi = tc_epi_gelu, g_gelu)
#endif
ALL(TC_F32, epi = tc_epi_residual_f32, g_residual)
ALL(TC_BF16, epi2 = tc_epi2_bias_gelu_tanh, g_pair)

int main(void)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
#ifndef WIDEST
    if (g_bias_row_run(&g, 0) + g_gelu_run(&g, 0)) return 1;
#endif
    return g_bias_col_run(&g, 0) + g_residual_run(&g, 0) + g_pair_run(&g, 0);
}
