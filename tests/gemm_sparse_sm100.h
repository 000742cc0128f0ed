/* gemm_sparse_sm100.h - the kernels of gemm_sparse_sm100.cu, and their table. */
TC_GEMM_SM100_DEFINE(pair, BF16, .d = TC_BF16, A_SPARSE, TOLD)
TC_GEMM_SM100_DEFINE(one, F16, .d = TC_F32, A_SPARSE, .bn = 64, .cluster_m = 1, .stages = 2)
TC_GEMM_SM100_DEFINE(four, BF16, .d = TC_F32, A_SPARSE, .bn = 32, .cluster_n = 2, .split = 1, .stages = 3)
TC_GEMM_SM100_DEFINE(tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bn = 96, .epi2 = told_pair,
                     .epi_size = sizeof(told))
TC_GEMM_SM100_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, A_SPARSE, .bn = 240, .cluster_m = 1)
TC_GEMM_SM100_DEFINE(b_bf16, BF16, .d = TC_BF16, B_SPARSE, .bm = 48, .d_layout = TC_COL, .clc = 1, TOLD)
#ifndef FUZZ_RUBIN
TC_GEMM_SM100_DEFINE(s8, .a = TC_S8, .b = TC_U8, .d = TC_S32, A_SPARSE, .bn = 64, .stages = 3)
#endif
#ifdef SPARSE_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_SM100_DEFINE(one_wide, BF16, .d = TC_BF16, A_SPARSE, .cluster_m = 1, .bn = 256)
TC_GEMM_SM100_DEFINE(beside, F16, .d = TC_F16, A_SPARSE, .cluster_m = 1, .cluster_n = 2, .bn = 112, .clc = 1, TOLD)
TC_GEMM_SM100_DEFINE(clc_four, BF16, .d = TC_F32, A_SPARSE, .bn = 16, .cluster_n = 2, .clc = 1)
TC_GEMM_SM100_DEFINE(pair_224, F16, .d = TC_BF16, A_SPARSE, .bn = 224, .raster = TC_RASTER_N)
TC_GEMM_SM100_DEFINE(tf32_wide, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, A_SPARSE, .clc = 1)
TC_GEMM_SM100_DEFINE(tf32_one, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .cluster_m = 1, .split = 1, TOLD)
TC_GEMM_SM100_DEFINE(e5m2, .a = TC_E5M2, .b = TC_E5M2, .d = TC_BF16, A_SPARSE, .promote = TC_FAST)
TC_GEMM_SM100_DEFINE(e4m3_four, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, A_SPARSE, .bn = 80, .cluster_n = 2)
TC_GEMM_SM100_DEFINE(b_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, B_SPARSE, .d_layout = TC_COL)
TC_GEMM_SM100_DEFINE(b_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, B_SPARSE, .d_layout = TC_COL, .cluster_n = 1,
                     .bm = 128)
TC_GEMM_DEFINE(any_bf16, BF16, .d = TC_BF16, A_SPARSE)
TC_GEMM_DEFINE(any_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, A_SPARSE)
TC_GEMM_DEFINE(any_b_f16, F16, .d = TC_F16, B_SPARSE, .d_layout = TC_COL)
#ifndef FUZZ_RUBIN
TC_GEMM_SM100_DEFINE(u8, .a = TC_U8, .b = TC_U8, .d = TC_F32, A_SPARSE, .cluster_m = 1, .clc = 1, TOLD)
TC_GEMM_SM100_DEFINE(b_s8, .a = TC_U8, .b = TC_S8, .d = TC_S32, B_SPARSE, .d_layout = TC_COL)
TC_GEMM_DEFINE(any_s8, .a = TC_S8, .b = TC_S8, .d = TC_S8, A_SPARSE)
#endif
#else
#define ALL(...)
#endif
#ifdef FUZZ_RUBIN
#define I8(...)
#else
#define I8(...) __VA_ARGS__
#endif

#define ROW(name, cc) {#name, name##_can_run, name##_run, name##_config(), cc}
static const kernel kernels[] = {
    ROW(pair, 100), ROW(one, 100), ROW(four, 100), ROW(tf32, 100), ROW(e4m3, 100), ROW(b_bf16, 100),
    I8(ROW(s8, 100),)
    ALL(ROW(one_wide, 100), ROW(beside, 100), ROW(clc_four, 100), ROW(pair_224, 100), ROW(tf32_wide, 100),
        ROW(tf32_one, 100), ROW(e5m2, 100), ROW(e4m3_four, 100), ROW(b_tf32, 100), ROW(b_e4m3, 100),
        ROW(any_bf16, 80), ROW(any_e4m3, 89), ROW(any_b_f16, 80),
        I8(ROW(u8, 100), ROW(b_s8, 100), ROW(any_s8, 80)))
};

/* gemm_sparse_sm100.cu's own, before the problems */
static void more(int cc);
#define FUZZ_MORE more
