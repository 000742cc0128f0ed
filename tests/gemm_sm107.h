/* gemm_sm107.h - the kernels of gemm_sm107.cu, and their table: those of gemm_sm100.h that have another form on Rubin,
 * a few that have the same, and those that Rubin alone has. */

/* ---- the same instructions; more stages ---- */
TC_GEMM_SM100_DEFINE(pair, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM100_DEFINE(one_small, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 16, .cluster_m = 1, .stages = 2,
                     .epi_stages = 1)
TC_GEMM_SM100_DEFINE(four, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bn = 96, .cluster_n = 2, .epi2 = hook_pair,
                     .epi_size = sizeof(hook_args))
TC_GEMM_SM100_DEFINE(in_columns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .d_layout = TC_COL, .bm = 64)
TC_GEMM_SM100_DEFINE(split_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 48, .d_layout = TC_COL, .split = 1)
/* ---- 64 bytes of k ---- */
TC_GEMM_SM100_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .bn = 112, .cluster_m = 1, .bk = 256)
TC_GEMM_SM100_DEFINE(e5m2_turned, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_ROW,
                     .bn = 96, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(e4m3_own, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .cluster_m = 1, .cluster_n = 2, .bn = 256,
                     .stages = 5, .chip = 107, .clc = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(split_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bn = 128, .split = 1, .epi = hook_once,
                     .epi_size = sizeof(once_args))
TC_GEMM_SM100_DEFINE(s8, .a = TC_S8, .b = TC_S8, .d = TC_S32)
/* ---- of bytes that were fewer bits: 32 bytes of k ---- */
TC_GEMM_SM100_DEFINE(fp8_fp4, .a = TC_E4M3, .b = TC_E2M1, .d = TC_BF16)
TC_GEMM_SM100_DEFINE(fp6_fp6, .a = TC_E3M2, .b = TC_E2M3, .d = TC_F32, .bn = 80, .cluster_m = 1, .bk = 256, .chip = 107)

/* ---- factors of a byte ---- */
TC_GEMM_SM100_DEFINE(nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16)
TC_GEMM_SM100_DEFINE(nvfp4_one, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE4M3_16, .cluster_m = 1,
                     .cluster_n = 2, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(mxfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE8M0_32, .clc = 1)
TC_GEMM_SM100_DEFINE(mxfp4_to_col, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F16, .sf = TC_SF_UE8M0_32, .cluster_n = 1,
                     .d_layout = TC_COL, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(mxfp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .sf = TC_SF_UE8M0_32)
TC_GEMM_SM100_DEFINE(mxfp8_turned, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .sf = TC_SF_UE8M0_32, .a_layout = TC_COL,
                     .b_layout = TC_ROW, .cluster_m = 1, .stages = 3, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(nvfp4_split, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .split = 1)
TC_GEMM_SM100_DEFINE(mx_fp6_fp8, .a = TC_E3M2, .b = TC_E4M3, .d = TC_F32, .sf = TC_SF_UE8M0_32)
/* 576 columns of tensor memory */
TC_GEMM_SM100_DEFINE(nvfp4_wide, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 384)
TC_GEMM_SM100_DEFINE(nvfp4_256, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16, .bn = 256, .chip = 107)
TC_GEMM_SM100_DEFINE(mxfp4_256, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32, .sf = TC_SF_UE8M0_32, .bn = 256, .chip = 107,
                     .cluster_m = 1, .cluster_n = 2, .epi = tc_epi_scale_row)
TC_GEMM_SM100_DEFINE(mxfp8_256, .a = TC_E5M2, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32, .bm = 256, .chip = 107,
                     .d_layout = TC_COL)
/* ---- which picks by device and size ---- */
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_scale_row)
TC_GEMM_DEFINE(any_u8, .a = TC_U8, .b = TC_S8, .d = TC_F32, .d_layout = TC_COL)

static const kernel kernels[] = {
    ROW(pair, EPI_NONE), ROW(e4m3, EPI_ONCE), ROW(one_small, EPI_NONE), ROW(e4m3_e5m2, EPI_NONE), ROW(four, EPI_PAIR),
    ROW(e5m2_turned, EPI_SCALE_ROW), ROW(in_columns, EPI_NONE), ROW(e4m3_own, EPI_ONCE), ANY(any, EPI_SCALE_ROW),
    ANY(any_u8, EPI_NONE), PARTS(split_to_col, EPI_NONE), PARTS(split_e4m3, EPI_ONCE),
};

/* gemm_sm100.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
