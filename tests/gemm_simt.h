/* gemm_simt.h - the kernels of gemm_simt.cu, and their table: TC_GEMM_DEFINE's alone, of each type. */
TC_GEMM_DEFINE(any_f32, .a = TC_F32, .b = TC_F32, .d = TC_F32, .epi = tc_epi_scale_row, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_f16, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .d_layout = TC_COL,
               .epi = hook_bias_gelu, .epi_size = sizeof(hook_args), .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_f16_sums, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .b_layout = TC_ROW, .epi = hook_once,
               .epi_size = sizeof(once_args), .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_bf16, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .b_layout = TC_ROW, .epi2 = hook_once_pair,
               .epi_size = sizeof(once_args), .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .round = 1, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_cut, .a = TC_TF32, .b = TC_TF32, .d = TC_F16, .epi = tc_epi_residual_f32, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_u8, .a = TC_U8, .b = TC_S8, .d = TC_S8, .epi = tc_epi_scale_row, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64, .d_layout = TC_COL, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_e4m3, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .epi = hook_once, .epi_size = sizeof(once_args),
               .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, .a_scale = TC_SCALE_1X128,
               .b_scale = TC_SCALE_128X128, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(looked_up, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .groups = TC_GROUPS_ROWS,
               .index = TC_INDEX_A | TC_INDEX_D, .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(looked_up_f16, .a = TC_F16, .b = TC_F16, .d = TC_F32, .groups = TC_GROUPS_ROWS,
               .index = TC_INDEX_A | TC_INDEX_D, .shapes = SOME_SHAPES)

static const kernel kernels[] = {
    ANY(any_f32, EPI_SCALE_ROW), ANY(any_f16, EPI_BIAS_GELU), ANY(any_f16_sums, EPI_ONCE),
    ANY(any_bf16, EPI_ONCE_PAIR), ANY(any_tf32, EPI_NONE), ANY(any_cut, EPI_RESIDUAL), ANY(any_s8, EPI_NONE),
    ANY(any_u8, EPI_SCALE_ROW), ANY(any_f64, EPI_NONE),
    ANY(any_e4m3, EPI_ONCE), ANY(any_blocks, EPI_NONE),
};

/* gemm_simt.cu's own, behind the problems */
static void more(int problems, uint64_t seed, int largest);
#define FUZZ_MORE more
