/* gemm_f32.h - the kernels of gemm_f32.cu, and their table. Those behind FUZZ_ALL are make fuzz's. */
TC_GEMM_SM90_DEFINE(h_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32, .bm = 256, .bn = 128, .split = 1, .epi = hook_once,
                    .epi_size = sizeof(once_args))
/* 64 rows of a warpgroup */
TC_GEMM_SM90_DEFINE(h_swap, .a = TC_F32, .b = TC_F32, .d = TC_BF16, .bm = 32, .bn = 192, .swap = 1, .step = 32,
                    .consumers = 3, .split = 1, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(f32, .a = TC_F32, .b = TC_F32, .d = TC_F32, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(f32_to_col, .a = TC_F32, .b = TC_F32, .d = TC_BF16, .bm = 64, .bn = 64, .bk = 16, .warps_m = 1,
                    .warps_n = 4, .stages = 4, .d_layout = TC_COL, .epi = tc_epi_residual_f32)
TC_GEMM_DEFINE(any, .a = TC_F32, .b = TC_F32, .d = TC_F32, .shapes = SOME_SHAPES)
/* rows of A that are looked up, in groups */
TC_GEMM_SM80_DEFINE(looked_up, .a = TC_F32, .b = TC_F32, .d = TC_F32, .bm = 64, .groups = TC_GROUPS_ROWS,
                    .index = TC_INDEX_A)
#ifdef FUZZ_ALL
TC_GEMM_SM90_DEFINE(h_to_col, .a = TC_F32, .b = TC_F32, .d = TC_F32, .bm = 160, .bn = 128, .d_layout = TC_COL,
                    .epi = tc_epi_residual_f32)
TC_GEMM_SM80_DEFINE(f32_pair, .a = TC_F32, .b = TC_F32, .d = TC_F16, .bm = 64, .bn = 32, .warps_m = 2, .warps_n = 1,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
#endif

static const kernel kernels[] = {
    H(h_f32, EPI_ONCE, 1), H(h_swap, EPI_ONCE_PAIR, 1, 32, 32, 0), ROW(f32, EPI_ONCE), ROW(f32_to_col, EPI_RESIDUAL),
    ANY(any, EPI_NONE),
    IF_ALL(ROW(f32_pair, EPI_ONCE_PAIR), H(h_to_col, EPI_RESIDUAL, 0),)
};

/* gemm_f32.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
