/* gemm_types.h - the kernels of gemm_types.cu, and their table. */

/* ---- layouts ---- */
TC_GEMM_SM80_DEFINE(row_row, .a = TC_F16, .b = TC_F16, .d = TC_F16, .b_layout = TC_ROW, .epi = hook_bias_gelu,
                    .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(col_col, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .a_layout = TC_COL, .bm = 64, .bn = 96, .bk = 32,
                    .stages = 4, .epi = tc_epi_residual_f32)
TC_GEMM_SM80_DEFINE(col_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW,
                    .bm = 96, .bn = 64, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(row_col_to_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL, .bm = 128, .bn = 64,
                    .raster = TC_RASTER_N, .raster_group = 3, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(row_row_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F32, .b_layout = TC_ROW, .d_layout = TC_COL,
                    .bm = 48, .bn = 128, .warps_m = 1, .warps_n = 4, .epi = tc_epi_residual_f32)
TC_GEMM_SM80_DEFINE(col_row_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_ROW,
                    .d_layout = TC_COL, .bm = 48, .bn = 48, .warps_m = 1, .warps_n = 1, .epi = tc_epi_scale_row)
TC_GEMM_DEFINE(any, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_COL, .d_layout = TC_COL,
               .epi = tc_epi_scale_row)

#define ROW(name, epi) {#name, name##_can_run, name##_run, 80, epi, name##_SMEM, name##_config(), 0, 0, 0, 0}
static const kernel kernels[] = {
    ROW(row_row, EPI_BIAS_GELU), ROW(col_col, EPI_RESIDUAL), ROW(col_row, EPI_ONCE_PAIR),
    ROW(row_col_to_col, EPI_ONCE), ROW(row_row_to_col, EPI_RESIDUAL), ROW(col_row_to_col, EPI_SCALE_ROW),
    {"any", any_can_run, any_run, 80, EPI_SCALE_ROW, 0, any_config(), 0, 0, 0, 0},
};
