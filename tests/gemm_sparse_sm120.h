/* gemm_sparse_sm120.h - the kernels of gemm_sparse_sm120.cu, and their table. */
TC_GEMM_SM120_DEFINE(bf16, BF16, .d = TC_BF16, A_SPARSE, TOLD)
TC_GEMM_SM120_DEFINE(f16_small, F16, .d = TC_F32, A_SPARSE, .bm = 32, .bn = 96, .bk = 128, .warps_m = 1, .warps_n = 2,
                     .schedule = TC_COOPERATIVE)
TC_GEMM_SM120_DEFINE(tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bm = 64, .epi2 = told_pair,
                     .epi_size = sizeof(told))
TC_GEMM_SM120_DEFINE(s8, .a = TC_S8, .b = TC_U8, .d = TC_S32, A_SPARSE, .bn = 64, .bk = 256)
TC_GEMM_SM120_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 64)
TC_GEMM_SM120_DEFINE(b_f16, F16, .d = TC_F16, B_SPARSE, .d_layout = TC_COL, .bn = 64, TOLD)
TC_GEMM_SM120_DEFINE(split, BF16, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 64, .split = 1)
TC_GEMM_DEFINE(any, BF16, .d = TC_BF16, A_SPARSE, .shapes = TC_SHAPES_SMALL)
#ifdef SPARSE_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_SM120_DEFINE(row, F16, .d = TC_BF16, A_SPARSE, .bm = 16, .bn = 32, .warps_m = 1, .warps_n = 1, TOLD)
TC_GEMM_SM120_DEFINE(tall, BF16, .d = TC_BF16, A_SPARSE, .bm = 192, .bn = 80, .warps_m = 4, .warps_n = 1)
TC_GEMM_SM120_DEFINE(eight, BF16, .d = TC_F16, A_SPARSE, .warps_m = 2, .warps_n = 4, .schedule = TC_COOPERATIVE)
TC_GEMM_SM120_DEFINE(tf32_two, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, A_SPARSE, .bk = 64, .bn = 32)
TC_GEMM_SM120_DEFINE(u8, .a = TC_U8, .b = TC_U8, .d = TC_F32, A_SPARSE, TOLD)
TC_GEMM_SM120_DEFINE(u8_s8, .a = TC_U8, .b = TC_S8, .d = TC_S32, A_SPARSE, .bm = 16, .bn = 64, .warps_m = 1,
                     .warps_n = 2)
TC_GEMM_SM120_DEFINE(b_s8, .a = TC_S8, .b = TC_S8, .d = TC_BF16, B_SPARSE, .d_layout = TC_COL, .bm = 32, .bn = 256,
                     .bk = 128, .warps_m = 1, .warps_n = 4)
TC_GEMM_SM120_DEFINE(e5m2, .a = TC_E5M2, .b = TC_E5M2, .d = TC_BF16, A_SPARSE, .bk = 256, .bn = 64, TOLD)
TC_GEMM_SM120_DEFINE(e5m2_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, A_SPARSE)
TC_GEMM_SM120_DEFINE(b_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, B_SPARSE, .d_layout = TC_COL, .split = 1)
TC_GEMM_DEFINE(any_s8, .a = TC_S8, .b = TC_S8, .d = TC_S8, A_SPARSE)
TC_GEMM_DEFINE(any_b, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, B_SPARSE, .d_layout = TC_COL)
#else
#define ALL(...)
#endif

#define ROW(name, cc) {#name, name##_can_run, name##_run, name##_config(), cc}
static const kernel kernels[] = {
    ROW(bf16, 120), ROW(f16_small, 120), ROW(tf32, 120), ROW(s8, 120), ROW(e4m3, 120), ROW(b_f16, 120),
    ROW(split, 120), ROW(any, 120),
    ALL(ROW(row, 120), ROW(tall, 120), ROW(eight, 120), ROW(tf32_two, 120), ROW(u8, 120), ROW(u8_s8, 120),
        ROW(b_s8, 120), ROW(e5m2, 120), ROW(e5m2_e4m3, 120), ROW(b_e4m3, 120), ROW(any_s8, 80), ROW(any_b, 89))
};
