/* gemm_kernels.cu - the kernels that gemm.cu measures. Each is compiled by itself, with KERNEL its number in the list
 * below, so that make -j builds them side by side. */
#include "../tc.h"

#if KERNEL == 0
TC_GEMM_DEFINE(gemm_any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
#elif KERNEL == 1
TC_GEMM_DEFINE(gemm_f16, .a = TC_F16, .b = TC_F16, .d = TC_F16)
#elif KERNEL == 2
/* bias and GELU by erf, one element at a time; the tanh form comes with the kit as a pair hook */
TC_DEV float bias_gelu(float x, tc_gemm_at at, const void *args)
{
    return tc_gelu(x + ((const tc_epi_vector *)args)->v[at.col]);
}
TC_GEMM_DEFINE(gemm_erf, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_gelu, .epi_size = sizeof(tc_epi_vector),
               .epi_pure = 1)
#elif KERNEL == 3
TC_GEMM_DEFINE(gemm_tanh, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi2 = tc_epi2_bias_gelu_tanh)
#elif KERNEL == 4
TC_GEMM_SM80_DEFINE(gemm_sm80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .stages = 4)
#elif KERNEL == 5
TC_GEMM_DEFINE(gemm_row_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW)
#elif KERNEL == 6
TC_GEMM_DEFINE(gemm_col_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL)
#elif KERNEL == 7
TC_GEMM_DEFINE(gemm_col_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW)
#elif KERNEL == 8
TC_GEMM_DEFINE(gemm_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32)
#elif KERNEL == 9
TC_GEMM_DEFINE(gemm_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32)
#elif KERNEL == 10
/* W8A8: a scale for each token and each output */
TC_DEV float scales(float x, tc_gemm_at at, const void *args)
{
    const float *v = ((const tc_epi_vector *)args)->v;
    return x * v[at.row] * v[at.col];
}
TC_GEMM_DEFINE(gemm_s8_scales, .a = TC_S8, .b = TC_S8, .d = TC_BF16, .epi = scales, .epi_size = sizeof(tc_epi_vector))
#elif KERNEL == 11
TC_GEMM_DEFINE(gemm_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16)
#elif KERNEL == 12
TC_GEMM_DEFINE(gemm_e4m3_fast, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .promote = TC_FAST)
#elif KERNEL == 13
TC_GEMM_DEFINE(gemm_f16_sums, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16)
#elif KERNEL == 14
TC_GEMM_DEFINE(gemm_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64)
#elif KERNEL == 15
TC_GEMM_DEFINE(gemm_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .a_scale = TC_SCALE_1X128,
               .b_scale = TC_SCALE_128X128)
#elif KERNEL == 16
TC_GEMM_DEFINE(gemm_s8_row, .a = TC_S8, .b = TC_S8, .d = TC_S32, .b_layout = TC_ROW)
#elif KERNEL == 17
TC_GEMM_DEFINE(gemm_s8_turned, .a = TC_S8, .b = TC_S8, .d = TC_S32, .a_layout = TC_COL, .b_layout = TC_ROW)
#elif KERNEL == 18
TC_GEMM_DEFINE(gemm_e4m3_row, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .b_layout = TC_ROW)
#elif KERNEL == 19
TC_GEMM_DEFINE(gemm_e4m3_turned, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW)
#elif KERNEL == 20
TC_GEMM_DEFINE(gemm_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32)
#endif
