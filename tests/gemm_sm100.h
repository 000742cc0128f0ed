/* gemm_sm100.h - the kernels of gemm_sm100.cu, and their table. */

/* ---- pairs of blocks, blocks by themselves, two that share A; tiles of all widths ---- */
TC_GEMM_SM100_DEFINE(pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM100_DEFINE(pair_once, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 48, .stages = 3, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(one, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 128, .cluster_m = 1, .epi = tc_epi_residual_f32)
TC_GEMM_SM100_DEFINE(one_small, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 16, .cluster_m = 1, .stages = 2,
                     .epi_stages = 1)
TC_GEMM_SM100_DEFINE(one_once, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 80, .bk = 128, .cluster_m = 1,
                     .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(one_wide, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bn = 240, .cluster_m = 1,
                     .raster = TC_RASTER_N, .raster_group = 3, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(beside, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .cluster_m = 1, .cluster_n = 2,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(four, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bn = 96, .cluster_n = 2, .epi2 = hook_pair,
                     .epi_size = sizeof(hook_args))
/* ---- cluster launch control ---- */
TC_GEMM_SM100_DEFINE(clc, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 32, .cluster_m = 1, .clc = 1,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(clc_four, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bn = 16, .cluster_n = 2, .clc = 1,
                     .raster = TC_RASTER_M, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
/* ---- layouts ---- */
TC_GEMM_SM100_DEFINE(row_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(col_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .bn = 64, .cluster_n = 2,
                     .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM100_DEFINE(col_row_to_col, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .d_layout = TC_COL, .bm = 80, .cluster_n = 1, .epi = tc_epi_residual_f32)
TC_GEMM_SM100_DEFINE(in_columns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL, .bm = 64)
/* ---- k in parts ---- */
TC_GEMM_SM100_DEFINE(split_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .split = 1, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(split_four, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 32, .cluster_n = 2, .split = 1,
                     .b_layout = TC_ROW, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(split_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 48, .d_layout = TC_COL, .split = 1)
TC_GEMM_SM100_DEFINE(split_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bn = 64, .split = 1)
/* ---- types ---- */
TC_GEMM_SM100_DEFINE(tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bn = 128, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(tf32_turned, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .bn = 48, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(e5m2_turned, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .bn = 96, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(s8, .a = TC_S8, .b = TC_S8, .d = TC_S32)
TC_GEMM_SM100_DEFINE(u8_turned, .a = TC_U8, .b = TC_S8, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .bn = 64, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))

#ifndef SOME_KERNELS /* the Makefile leaves these out where make test runs in tcemu; make fuzz has them */
TC_GEMM_SM100_DEFINE(pair_hook, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bn = 192, .epi = hook_bias_gelu,
                     .epi_size = sizeof(hook_args))
TC_GEMM_SM100_DEFINE(clc_pair, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 64, .clc = 1, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(col_row, .a = TC_F16, .b = TC_F16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW, .bn = 96,
                     .bk = 128, .cluster_m = 1, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(to_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .d_layout = TC_COL, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(split_one, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 80, .cluster_m = 1, .split = 1,
                     .epi = tc_epi_residual_f32)
TC_GEMM_SM100_DEFINE(e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .bn = 112, .cluster_m = 1, .bk = 256)
TC_GEMM_SM100_DEFINE(s8_u8, .a = TC_S8, .b = TC_U8, .d = TC_S32, .bn = 48, .cluster_m = 1, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(u8_to_col, .a = TC_U8, .b = TC_U8, .d = TC_F32, .d_layout = TC_COL, .bm = 32, .cluster_n = 1,
                     .cluster_m = 2)
#endif
/* ---- factors of a byte; 256 columns, whose accumulators have columns in common, but where .bn is 128 ---- */
TC_GEMM_SM100_DEFINE(nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16)
TC_GEMM_SM100_DEFINE(nvfp4_one, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16, .cluster_m = 1,
                     .cluster_n = 2, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(mxfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE8M0_32, .clc = 1)
TC_GEMM_SM100_DEFINE(mxfp4_to_col, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F16, .sf = TC_SF_UE8M0_32, .cluster_n = 1,
                     .d_layout = TC_COL, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(mxfp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(mxfp8_128, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .bn = 128)
TC_GEMM_SM100_DEFINE(mxfp8_turned, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .sf = TC_SF_UE8M0_32, .a_layout = TC_COL,
                     .b_layout = TC_ROW, .cluster_m = 1, .stages = 3, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(nvfp4_split, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .split = 1)
/* 384 columns: two instructions for each step of k */
TC_GEMM_SM100_DEFINE(nvfp4_wide, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 384)
TC_GEMM_SM100_DEFINE(mxfp8_wide, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .bn = 384,
                     .cluster_n = 2, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(wide_to_col, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F16, .sf = TC_SF_UE8M0_32, .d_layout = TC_COL,
                     .bm = 384, .cluster_m = 1, .cluster_n = 1)
TC_GEMM_SM100_DEFINE(wide_split, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16, .bn = 384, .split = 1)
/* ---- which picks by device and size ---- */
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_scale_row)
TC_GEMM_DEFINE(any_u8, .a = TC_U8, .b = TC_S8, .d = TC_F32, .d_layout = TC_COL)

static const kernel kernels[] = {
    ROW(pair, EPI_NONE), ROW(pair_once, EPI_ONCE), ROW(one, EPI_RESIDUAL),
    ROW(one_small, EPI_NONE), ROW(one_once, EPI_ONCE_PAIR), ROW(one_wide, EPI_SCALE_ROW), ROW(beside, EPI_ONCE),
    ROW(four, EPI_PAIR), ROW(clc, EPI_ONCE), ROW(clc_four, EPI_ONCE_PAIR),
    ROW(row_row, EPI_ONCE), ROW(col_col, EPI_BIAS_GELU),
    ROW(col_row_to_col, EPI_RESIDUAL), ROW(in_columns, EPI_NONE),
    ROW(tf32, EPI_ONCE), ROW(tf32_turned, EPI_NONE), ROW(e4m3, EPI_ONCE),
    ROW(e5m2_turned, EPI_SCALE_ROW),
    ANY(any, EPI_SCALE_ROW), ANY(any_u8, EPI_NONE),
    PARTS(split_pair, EPI_ONCE), PARTS(split_four, EPI_ONCE_PAIR),
    PARTS(split_to_col, EPI_NONE), PARTS(split_s8, EPI_NONE),
    ROW(s8, EPI_NONE), ROW(u8_turned, EPI_BIAS_GELU),
#ifndef SOME_KERNELS
    ROW(pair_hook, EPI_BIAS_GELU), ROW(clc_pair, EPI_ONCE), ROW(col_row, EPI_ONCE_PAIR), ROW(to_col, EPI_ONCE),
    PARTS(split_one, EPI_RESIDUAL), ROW(e4m3_e5m2, EPI_NONE), ROW(s8_u8, EPI_ONCE), ROW(u8_to_col, EPI_NONE),
#endif
};

/* gemm_sm100.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
