/* gemm_mix_sm100.h - the kernels of gemm_mix_sm100.cu, and their tables. */
#define MIX(a_type, b_type, A, B, ...) TC_GEMM_SM100_DEFINE(a_type##_##b_type, .a = A, .b = B, __VA_ARGS__)

/* ---- one by gemm_fuzz.cu's own problems ---- */
TC_GEMM_SM100_DEFINE(fp8, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .bn = 32, .epi = hook_once,
                     .epi_size = sizeof(once_args))

#define PARTS(name, epi) {#name, name##_can_run, name##_run, 100, epi, name##_SMEM, name##_config(), 1, 0, 0, 0}
static const kernel kernels[] = {ROW(fp8, EPI_ONCE)};

#ifndef MIX_ALL
MIX(e4m3, e2m1, TC_E4M3, TC_E2M1, .d = TC_BF16)
MIX(e3m2, e2m3, TC_E3M2, TC_E2M3, .d = TC_F32, .bn = 80, .cluster_m = 1, .cluster_n = 2, .bk = 256, .clc = 1)
MIX(e2m1, e5m2, TC_E2M1, TC_E5M2, .d = TC_F16, .b_layout = TC_ROW, .bn = 96, .epi = tc_epi_scale_row)
MIX(e2m3, e4m3, TC_E2M3, TC_E4M3, .d = TC_F32, .d_layout = TC_COL, .bm = 48)
MIX(e2m1, e2m1, TC_E2M1, TC_E2M1, .d = TC_BF16, .bn = 64, .split = 1)
/* with factors of a byte */
TC_GEMM_SM100_DEFINE(mx_fp4_fp8, .a = TC_E2M1, .b = TC_E4M3, .d = TC_BF16, .sf = TC_SF_UE8M0_32)
TC_GEMM_SM100_DEFINE(mx_fp6, .a = TC_E3M2, .b = TC_E2M3, .d = TC_F32, .bn = 128, .cluster_m = 1, .split = 1,
                     .sf = TC_SF_UE8M0_32)
TC_GEMM_SM100_DEFINE(mx_fp8_fp4, .a = TC_E5M2, .b = TC_E2M1, .d = TC_F16, .a_layout = TC_COL, .d_layout = TC_COL,
                     .bm = 128, .sf = TC_SF_UE8M0_32, .epi = tc_epi_scale_row)
#define MIXED_KERNELS                                                                                                  \
    ROW(e4m3_e2m1, EPI_NONE), ROW(e3m2_e2m3, EPI_NONE), ROW(e2m1_e5m2, EPI_SCALE_ROW), ROW(e2m3_e4m3, EPI_NONE),       \
        PARTS(e2m1_e2m1, EPI_NONE), ROW(mx_fp4_fp8, EPI_NONE), PARTS(mx_fp6, EPI_NONE),                                \
        ROW(mx_fp8_fp4, EPI_SCALE_ROW)
#else
/* All pairs; A's type says the rest: pairs of blocks, one block, two that share A, D in columns, parts of k. */
#if MIX_ALL == 2
#define MIX_A(X)                                                                                                       \
    X(e4m3, TC_E4M3, ROW, EPI_NONE, .d = TC_BF16, .sf = TC_SF_UE8M0_32)                                                \
    X(e5m2, TC_E5M2, ROW, EPI_SCALE_ROW, .d = TC_F16, .a_layout = TC_COL, .bn = 128, .cluster_m = 1,                   \
      .sf = TC_SF_UE8M0_32, .epi = tc_epi_scale_row)                                                                   \
    X(e3m2, TC_E3M2, ROW, EPI_NONE, .d = TC_F32, .bn = 128, .cluster_m = 1, .cluster_n = 2, .clc = 1,                  \
      .sf = TC_SF_UE8M0_32)                                                                                            \
    X(e2m3, TC_E2M3, ROW, EPI_SCALE_ROW, .d = TC_F32, .d_layout = TC_COL, .bm = 128, .sf = TC_SF_UE8M0_32,             \
      .epi = tc_epi_scale_row)                                                                                         \
    X(e2m1, TC_E2M1, PARTS, EPI_NONE, .d = TC_BF16, .bn = 128, .split = 1, .sf = TC_SF_UE8M0_32)
#else
#define MIX_A(X)                                                                                                       \
    X(e4m3, TC_E4M3, ROW, EPI_NONE, .d = TC_BF16)                                                                      \
    X(e5m2, TC_E5M2, ROW, EPI_SCALE_ROW, .d = TC_F16, .a_layout = TC_COL, .bn = 48, .cluster_m = 1,                    \
      .epi = tc_epi_scale_row)                                                                                         \
    X(e3m2, TC_E3M2, ROW, EPI_NONE, .d = TC_F32, .bn = 80, .cluster_m = 1, .cluster_n = 2, .bk = 256, .clc = 1)        \
    X(e2m3, TC_E2M3, ROW, EPI_SCALE_ROW, .d = TC_F32, .d_layout = TC_COL, .bm = 48, .epi = tc_epi_scale_row)           \
    X(e2m1, TC_E2M1, PARTS, EPI_NONE, .d = TC_BF16, .bn = 64, .split = 1)
#endif
#define MIX_B(X, ...)                                                                                                  \
    X(e4m3, TC_E4M3, __VA_ARGS__)                                                                                      \
    X(e5m2, TC_E5M2, __VA_ARGS__)                                                                                      \
    X(e3m2, TC_E3M2, __VA_ARGS__)                                                                                      \
    X(e2m3, TC_E2M3, __VA_ARGS__)                                                                                      \
    X(e2m1, TC_E2M1, __VA_ARGS__)
#define MIX_DEFINE(b_type, B, a_type, A, row, epi, ...) MIX(a_type, b_type, A, B, __VA_ARGS__)
#define MIX_ROW(b_type, B, a_type, A, row, epi, ...) row(a_type##_##b_type, epi),
#define MIX_DEFINES(...) MIX_B(MIX_DEFINE, __VA_ARGS__)
#define MIX_ROWS(...) MIX_B(MIX_ROW, __VA_ARGS__)
MIX_A(MIX_DEFINES)
#define MIXED_KERNELS MIX_A(MIX_ROWS)
#endif

/* ---- twins: the same numbers in fp8 ---- */
TC_GEMM_SM100_DEFINE(groups_fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bn = 64, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM100_DEFINE(groups_fp4, .a = TC_E4M3, .b = TC_E2M1, .d = TC_BF16, .bn = 64, .groups = TC_GROUPS_ROWS)
TC_GEMM_SM100_DEFINE(quant_fp8, .a = TC_E4M3, .b = TC_E4M3, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .bn = 128)
TC_GEMM_SM100_DEFINE(quant_fp6, .a = TC_E2M3, .b = TC_E3M2, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .bn = 128)

/* gemm_mix_sm100.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
