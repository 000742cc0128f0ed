/* gemm_sm120.h - the kernels of gemm_sm120.cu, and their table. Those behind GEMM_SM120_ALL are for a build by hand
 * (-DGEMM_SM120_ALL): nvcc would take as long again. */

/* ---- schedules, tiles, warps ---- */
TC_GEMM_SM120_DEFINE(pong, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM120_DEFINE(pong_once, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 96, .bk = 64, .stages = 2,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(eight, .a = TC_F16, .b = TC_F16, .d = TC_BF16, .warps_m = 4, .warps_n = 2, .bk = 64,
                     .epi_stages = 2, .schedule = TC_COOPERATIVE, .epi2 = hook_once_pair,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(odd, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 96, .bn = 80, .warps_m = 3, .warps_n = 1,
                     .raster = TC_RASTER_N, .raster_group = 3, .epi = tc_epi_residual_f32)
/* ---- layouts ---- */
TC_GEMM_SM120_DEFINE(col_row, .a = TC_F16, .b = TC_F16, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW, .bm = 32,
                     .bk = 64, .warps_m = 1, .warps_n = 4, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(to_col, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .d_layout = TC_COL, .bm = 64, .epi = hook_once,
                     .epi_size = sizeof(once_args))
/* ---- types ---- */
TC_GEMM_SM120_DEFINE(tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bn = 64, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(tf32_turned, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, .bm = 64, .a_layout = TC_COL,
                     .b_layout = TC_ROW, .epi = tc_epi_residual_f32)
TC_GEMM_SM120_DEFINE(e5m2_turned, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(s8, .a = TC_S8, .b = TC_U8, .d = TC_S32, .bn = 64, .schedule = TC_COOPERATIVE)
TC_GEMM_SM120_DEFINE(u8_turned, .a = TC_U8, .b = TC_S8, .d = TC_BF16, .bm = 64, .bn = 64, .bk = 128, .b_layout = TC_ROW,
                     .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
/* ---- sums in f16 ---- */
TC_GEMM_SM120_DEFINE(f16_sums, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .bm = 64, .bn = 96, .split = 1,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(fp8_f16_sums, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F16, .acc = TC_F16, .b_layout = TC_ROW)
/* ---- factors of a byte; fp6 and fp4 without ---- */
TC_GEMM_SM120_DEFINE(nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16)
TC_GEMM_SM120_DEFINE(mxfp4_to_col, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F16, .sf = TC_SF_UE8M0_32, .bm = 64, .bk = 256,
                     .d_layout = TC_COL, .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(mxfp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32)
TC_GEMM_SM120_DEFINE(mxfp6_fp4, .a = TC_E3M2, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE8M0_32)
TC_GEMM_SM120_DEFINE(fp6_fp8, .a = TC_E2M3, .b = TC_E4M3, .d = TC_F32)
TC_GEMM_SM120_DEFINE(mx_turned, .a = TC_E4M3, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .a_layout = TC_COL,
                     .b_layout = TC_ROW)
TC_GEMM_SM120_DEFINE(fp6_turned, .a = TC_E3M2, .b = TC_E2M3, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW)
/* ---- k in parts ---- */
TC_GEMM_SM120_DEFINE(split_pong, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .stages = 3, .split = 1,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(split_odd, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 96, .bn = 80, .warps_m = 3, .warps_n = 1,
                     .schedule = TC_COOPERATIVE, .split = 1, .epi = tc_epi_residual_f32)
TC_GEMM_SM120_DEFINE(split_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .d_layout = TC_COL, .bn = 64, .split = 1)
TC_GEMM_SM120_DEFINE(mxfp8_split, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .split = 1)
/* ---- which picks by device and size ---- */
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_scale_row)

#ifdef GEMM_SM120_ALL
TC_GEMM_SM120_DEFINE(together, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bn = 64, .schedule = TC_COOPERATIVE,
                     .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM120_DEFINE(one_warp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 16, .bn = 32, .bk = 128, .warps_m = 1,
                     .warps_n = 1, .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(row_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(in_columns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .d_layout = TC_COL,
                     .bn = 64)
TC_GEMM_SM120_DEFINE(tf32_columns, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .a_layout = TC_COL, .d_layout = TC_COL,
                     .bm = 16, .bn = 32, .warps_m = 1, .warps_n = 1)
TC_GEMM_SM120_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(s8_once, .a = TC_S8, .b = TC_S8, .d = TC_S32, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM120_DEFINE(nvfp4_wide, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16, .bm = 64, .bk = 256,
                     .schedule = TC_COOPERATIVE, .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(mxfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE8M0_32, .bn = 64)
TC_GEMM_SM120_DEFINE(mxfp8_wide, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .sf = TC_SF_UE8M0_32, .bk = 128,
                     .schedule = TC_COOPERATIVE)
TC_GEMM_SM120_DEFINE(mxfp8_fp6, .a = TC_E4M3, .b = TC_E2M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .bn = 64)
TC_GEMM_SM120_DEFINE(fp4_fp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .bm = 64, .bn = 64)
TC_GEMM_SM120_DEFINE(fp8_fp6, .a = TC_E5M2, .b = TC_E3M2, .d = TC_F32, .bm = 64, .d_layout = TC_COL,
                     .epi = tc_epi_scale_row)
/* every mix: as it lies by default, and both sides the other way with factors */
#define MIX(at, bt) TC_GEMM_SM120_DEFINE(mix_##at##_##bt, .a = TC_##at, .b = TC_##bt, .d = TC_F32, .bm = 64, .bn = 64)
#define MIX_TURNED(at, bt)                                                                                            \
    MIX(at, bt)                                                                                                       \
    TC_GEMM_SM120_DEFINE(mx_##at##_##bt, .a = TC_##at, .b = TC_##bt, .d = TC_F32, .sf = TC_SF_UE8M0_32,               \
                         .a_layout = TC_COL, .b_layout = TC_ROW)
#define MIXES(X, Y)                                                                                                   \
    X(E4M3, E4M3) X(E4M3, E5M2) X(E4M3, E3M2) X(E4M3, E2M3) X(E4M3, E2M1) X(E5M2, E4M3) X(E5M2, E5M2) X(E5M2, E3M2)   \
    X(E5M2, E2M3) X(E5M2, E2M1) X(E3M2, E4M3) X(E3M2, E5M2) X(E3M2, E3M2) X(E3M2, E2M3) X(E3M2, E2M1) X(E2M3, E4M3)   \
    X(E2M3, E5M2) X(E2M3, E3M2) X(E2M3, E2M3) X(E2M3, E2M1) X(E2M1, E4M3) X(E2M1, E5M2) X(E2M1, E3M2) X(E2M1, E2M3)   \
    Y(E2M1, E2M1)
MIXES(MIX_TURNED, MIX)
TC_GEMM_SM120_DEFINE(mx_col_col, .a = TC_E2M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .a_layout = TC_COL,
                     .d_layout = TC_COL, .bn = 64)
TC_GEMM_SM120_DEFINE(mx_row_col, .a = TC_E5M2, .b = TC_E3M2, .d = TC_F16, .sf = TC_SF_UE8M0_32, .b_layout = TC_ROW,
                     .d_layout = TC_COL, .bm = 64, .bn = 128, .schedule = TC_COOPERATIVE, .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(fp4_row, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .b_layout = TC_ROW, .bm = 64, .split = 1)
TC_GEMM_SM120_DEFINE(f16_sums_wide, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .a_layout = TC_COL,
                     .d_layout = TC_COL, .epi = tc_epi_scale_row)
TC_GEMM_SM120_DEFINE(e5m2_f16_sums, .a = TC_E5M2, .b = TC_E5M2, .d = TC_F32, .acc = TC_F16, .schedule = TC_COOPERATIVE,
                     .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_DEFINE(any_f16_sums, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16)
TC_GEMM_DEFINE(any_u8, .a = TC_U8, .b = TC_S8, .d = TC_F32, .d_layout = TC_COL)
#endif

#define PARTS(name, epi) {#name, name##_can_run, name##_run, 120, epi, name##_SMEM, name##_config(), 1, 0, 0, 0, 0}
static const kernel kernels[] = {
    ROW(pong, EPI_NONE), ROW(pong_once, EPI_ONCE), ROW(eight, EPI_ONCE_PAIR), ROW(odd, EPI_RESIDUAL),
    ROW(col_row, EPI_ONCE_PAIR), ROW(to_col, EPI_ONCE), ROW(tf32, EPI_ONCE), ROW(e5m2_turned, EPI_SCALE_ROW),
    ROW(tf32_turned, EPI_RESIDUAL),
    ROW(s8, EPI_NONE), ROW(u8_turned, EPI_BIAS_GELU), ANY(any, EPI_SCALE_ROW),
    PARTS(split_pong, EPI_ONCE), PARTS(split_odd, EPI_RESIDUAL), PARTS(split_s8, EPI_NONE),
    PARTS(f16_sums, EPI_ONCE), ROW(fp8_f16_sums, EPI_NONE),
#ifdef GEMM_SM120_ALL
    ROW(together, EPI_BIAS_GELU), ROW(one_warp, EPI_SCALE_ROW), ROW(row_row, EPI_ONCE), ROW(in_columns, EPI_NONE),
    ROW(tf32_columns, EPI_NONE), ROW(e4m3, EPI_ONCE), ROW(f16_sums_wide, EPI_SCALE_ROW), ROW(e5m2_f16_sums, EPI_ONCE),
    ANY(any_f16_sums, EPI_NONE), ROW(s8_once, EPI_ONCE), ANY(any_u8, EPI_NONE),
#endif
};

/* gemm_sm120.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
