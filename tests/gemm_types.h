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
#ifdef SOME_KERNELS
#define ANY_SHAPES SOME_SHAPES
#else
#define ANY_SHAPES 0
#endif
TC_GEMM_DEFINE(any, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_COL, .d_layout = TC_COL,
               .epi = tc_epi_scale_row, .shapes = ANY_SHAPES)

/* ---- types ---- */
TC_GEMM_SM80_DEFINE(tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32)
TC_GEMM_DEFINE(any_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .d_layout = TC_COL, .epi = tc_epi_residual_f32,
               .shapes = SOME_SHAPES)
TC_GEMM_SM80_DEFINE(s8_s8, .a = TC_S8, .b = TC_S8, .d = TC_S32)
TC_GEMM_SM80_DEFINE(u8_s8, .a = TC_U8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 96, .bk = 64, .d_layout = TC_COL)
TC_GEMM_SM80_DEFINE(s8_u8, .a = TC_S8, .b = TC_U8, .d = TC_S8, .bm = 64, .bn = 64, .epi = tc_epi_scale_row)
TC_GEMM_DEFINE(any_s8, .a = TC_U8, .b = TC_S8, .d = TC_F32, .shapes = SOME_SHAPES)
TC_GEMM_SM80_DEFINE(f64, .a = TC_F64, .b = TC_F64, .d = TC_F64)

TC_GEMM_SM80_DEFINE(f16_acc, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .bm = 128, .bn = 256,
                    .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 64, .bn = 64, .epi = hook_once,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(e5m2_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .bm = 64, .bn = 64, .acc = TC_F16)
TC_GEMM_SM80_DEFINE(blocks, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .a_scale = TC_SCALE_1X128,
                    .b_scale = TC_SCALE_128X128)
TC_GEMM_SM80_DEFINE(blocks_to_col, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 64, .bn = 64, .d_layout = TC_COL,
                    .b_scale = TC_SCALE_1X128, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_DEFINE(any_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .a_scale = TC_SCALE_1X128,
               .b_scale = TC_SCALE_128X128,
               .shapes = SOME_SHAPES)

/* ---- both at once: 8, 32 and 64 bits, which threads turn on the way to registers ---- */
TC_GEMM_SM80_DEFINE(u8_col_row, .a = TC_U8, .b = TC_S8, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW, .bm = 48,
                    .bn = 96, .bk = 128, .warps_m = 1, .warps_n = 2, .epi2 = hook_once_pair,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(tf32_col_row, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .a_layout = TC_COL, .b_layout = TC_ROW)
TC_GEMM_DEFINE(any_s8_row, .a = TC_S8, .b = TC_S8, .d = TC_S32, .b_layout = TC_ROW, .shapes = SOME_SHAPES)

/* ---- the same by wgmma ---- */
TC_GEMM_SM90_DEFINE(h_tf32, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 128, .bn = 128, .step = 32, .split = 1,
                    .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_s8_u8, .a = TC_S8, .b = TC_U8, .d = TC_S32, .bm = 128, .bn = 128, .step = 32, .split = 1)
/* 128 rows a warpgroup: two lots of sums, also where a tile is narrower than its accumulators */
TC_GEMM_SM90_DEFINE(h_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 256, .bn = 128, .step = 64, .split = 1,
                    .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_e5m2_e4m3, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .bm = 64, .bn = 128, .swap = 1, .step = 64,
                    .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_blocks, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 256, .bn = 128, .cluster_m = 2,
                    .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128, .epi = hook_once,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_blocks_to_col, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, .bm = 128, .bn = 128, .d_layout = TC_COL,
                    .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_1X128, .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(h_blocks_swap, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .bm = 64, .bn = 64, .swap = 1, .step = 64,
                    .split = 1, .cluster_n = 2, .a_scale = TC_SCALE_128X128, .b_scale = TC_SCALE_1X128)
TC_GEMM_SM90_DEFINE(h_fast, .a = TC_E5M2, .b = TC_E5M2, .d = TC_BF16, .bm = 128, .bn = 256, .cluster_m = 2,
                    .promote = TC_FAST)
TC_GEMM_SM90_DEFINE(h_row_row, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 256, .b_layout = TC_ROW,
                    .cluster_m = 2, .step = 128, .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_col_row, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 128, .bn = 96, .a_layout = TC_COL,
                    .b_layout = TC_ROW, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_row_row_to_col, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .b_layout = TC_ROW,
                    .d_layout = TC_COL, .swap = 1, .step = 16, .split = 1, .epi = hook_once,
                    .epi_size = sizeof(once_args))

/* sums in f16: as many as f32 would have, which become f32 at once, and more, which stay two in a register */
TC_GEMM_SM90_DEFINE(h_half, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .bm = 128, .bn = 256, .cluster_m = 2,
                    .step = 16, .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_half_big, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .bm = 256, .bn = 256, .step = 64,
                    .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))

/* blocks of these are turned: B in the ring; A on its way to registers and B in the ring, for a pair of blocks; words
 * in the ring; B alone on its way to registers, 128 rows a warpgroup, of one width and of many; A alone, half of whose
 * square a tile has; B to registers beside factors, whose slots come around from the third block of k on */
TC_GEMM_SM90_DEFINE(h_s8_row, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 128, .bn = 256, .b_layout = TC_ROW)
TC_GEMM_SM90_DEFINE(h_e4m3_col_row, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .bm = 128, .bn = 128, .cluster_m = 2,
                    .step = 128, .split = 1, .a_layout = TC_COL, .b_layout = TC_ROW, .epi = hook_once,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_s8_row_steps, .a = TC_S8, .b = TC_S8, .d = TC_BF16, .bm = 256, .bn = 128, .swap = 1, .step = 32,
                    .split = 1, .cluster_n = 2, .b_layout = TC_ROW, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_blocks_row, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 128, .bn = 128, .swap = 1,
                    .stages = 2, .cluster_n = 2, .b_layout = TC_ROW, .a_scale = TC_SCALE_1X128,
                    .b_scale = TC_SCALE_128X128)

#ifndef SOME_KERNELS /* the Makefile leaves these out where make test runs in tcemu; make fuzz has them */
TC_GEMM_SM80_DEFINE(col_row_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .a_layout = TC_COL, .b_layout = TC_ROW,
                    .d_layout = TC_COL, .bm = 48, .bn = 48, .warps_m = 1, .warps_n = 1, .epi = tc_epi_scale_row)
TC_GEMM_SM80_DEFINE(tf32_round, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, .round = 1, .bm = 48, .bn = 48, .bk = 16,
                    .warps_m = 1, .warps_n = 3, .stages = 4, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(u8_u8, .a = TC_U8, .b = TC_U8, .d = TC_BF16, .bm = 48, .bn = 48, .warps_m = 3, .warps_n = 1,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_DEFINE(any_f64, .a = TC_F64, .b = TC_F64, .d = TC_F64)
TC_GEMM_SM80_DEFINE(blocks_col_row, .a = TC_E4M3, .b = TC_E5M2, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW,
                    .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_1X128)
TC_GEMM_SM80_DEFINE(f64_col_row, .a = TC_F64, .b = TC_F64, .d = TC_F64, .a_layout = TC_COL, .b_layout = TC_ROW)
TC_GEMM_SM80_DEFINE(s8_row, .a = TC_S8, .b = TC_S8, .d = TC_S32, .b_layout = TC_ROW)
TC_GEMM_DEFINE(any_f16_acc, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .b_layout = TC_ROW,
               .shapes = SOME_SHAPES)
TC_GEMM_DEFINE(any_e5m2, .a = TC_E5M2, .b = TC_E5M2, .d = TC_F16, .epi = tc_epi_scale_row,
               .shapes = SOME_SHAPES)
TC_GEMM_SM90_DEFINE(h_s8, .a = TC_S8, .b = TC_S8, .d = TC_BF16, .bm = 128, .bn = 192, .schedule = TC_PINGPONG,
                    .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .bm = 128, .bn = 96, .promote = 256,
                    .schedule = TC_PINGPONG)
TC_GEMM_SM90_DEFINE(h_blocks_pp, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, .bm = 64, .bn = 64, .cluster_n = 2,
                    .schedule = TC_PINGPONG, .b_scale = TC_SCALE_1X128)
TC_GEMM_SM90_DEFINE(h_col_col_to_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128,
                    .a_layout = TC_COL, .d_layout = TC_COL, .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(h_tf32_col_row, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 128, .bn = 96, .cluster_n = 2,
                    .schedule = TC_PINGPONG, .a_layout = TC_COL, .b_layout = TC_ROW)
TC_GEMM_SM90_DEFINE(h_s8_u8_row, .a = TC_S8, .b = TC_U8, .d = TC_S32, .bm = 128, .bn = 256, .swap = 1, .cluster_n = 2,
                    .b_layout = TC_ROW)
TC_GEMM_SM90_DEFINE(h_e5m2_col, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16, .bm = 64, .bn = 96, .promote = 256,
                    .cluster_n = 2, .schedule = TC_PINGPONG, .a_layout = TC_COL, .epi2 = hook_once_pair,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_half_pp, .a = TC_F16, .b = TC_F16, .d = TC_BF16, .acc = TC_F16, .bm = 128, .bn = 256,
                    .cluster_n = 2, .schedule = TC_PINGPONG, .a_layout = TC_COL, .b_layout = TC_ROW,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
#endif
#ifdef FUZZ_ALL /* make fuzz: more combinations of what is above */
TC_GEMM_SM80_DEFINE(s8_col, .a = TC_S8, .b = TC_U8, .d = TC_S32, .a_layout = TC_COL)
TC_GEMM_SM80_DEFINE(u8_row_to_col, .a = TC_U8, .b = TC_U8, .d = TC_S8, .b_layout = TC_ROW, .d_layout = TC_COL, .bm = 64,
                    .bn = 64, .bk = 64, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(tf32_col, .a = TC_TF32, .b = TC_TF32, .d = TC_BF16, .a_layout = TC_COL, .bm = 48, .bn = 48,
                    .bk = 16, .warps_m = 1, .warps_n = 1, .round = 1)
TC_GEMM_SM80_DEFINE(f64_row_to_col, .a = TC_F64, .b = TC_F64, .d = TC_F64, .b_layout = TC_ROW, .bm = 48, .bn = 64,
                    .warps_m = 1, .warps_n = 2, .d_layout = TC_COL)
TC_GEMM_SM80_DEFINE(e4m3_row, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, .b_layout = TC_ROW, .acc = TC_F16)
TC_GEMM_DEFINE(any_e4m3_col, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .a_layout = TC_COL, .d_layout = TC_COL,
               .epi = tc_epi_scale_row)
TC_GEMM_SM90_DEFINE(h_u8_col_to_col, .a = TC_U8, .b = TC_S8, .d = TC_BF16, .bm = 64, .bn = 128, .swap = 1, .step = 16,
                    .split = 1, .a_layout = TC_COL, .d_layout = TC_COL)
TC_GEMM_SM90_DEFINE(h_blocks_col_row, .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .bm = 256, .bn = 128, .cluster_m = 4,
                    .a_layout = TC_COL, .b_layout = TC_ROW, .a_scale = TC_SCALE_1X128, .b_scale = TC_SCALE_128X128)
TC_GEMM_SM90_DEFINE(h_e5m2_row_3, .a = TC_E5M2, .b = TC_E5M2, .d = TC_F32, .bm = 192, .bn = 48, .consumers = 3,
                    .promote = TC_FAST, .b_layout = TC_ROW)
TC_GEMM_SM90_DEFINE(h_tf32_col_k2, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .bm = 64, .bn = 64, .cluster_k = 2,
                    .a_layout = TC_COL, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(row_row_to_col, .a = TC_F16, .b = TC_F16, .d = TC_F32, .b_layout = TC_ROW, .d_layout = TC_COL,
                    .bm = 48, .bn = 128, .warps_m = 1, .warps_n = 4, .epi = tc_epi_residual_f32)
TC_GEMM_SM80_DEFINE(s8_hook, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 64, .epi = hook_once,
                    .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(f64_small, .a = TC_F64, .b = TC_F64, .d = TC_F64, .bm = 48, .bn = 64, .warps_m = 1, .warps_n = 2,
                    .d_layout = TC_COL, .stages = 4)
TC_GEMM_SM80_DEFINE(e4m3_e5m2, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .bm = 32, .bn = 96, .bk = 64,
                    .d_layout = TC_COL)
TC_GEMM_SM90_DEFINE(h_u8_s8, .a = TC_U8, .b = TC_S8, .d = TC_S32, .bm = 64, .bn = 128, .swap = 1, .step = 16,
                    .split = 1)
TC_GEMM_SM90_DEFINE(h_half_swap, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .bm = 64, .bn = 64, .swap = 1,
                    .step = 8, .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_half_k3, .a = TC_F16, .b = TC_F16, .d = TC_F32, .acc = TC_F16, .bm = 64, .bn = 96,
                    .cluster_k = 3, .b_layout = TC_ROW, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(h_half_flat, .a = TC_F16, .b = TC_F16, .d = TC_F16, .acc = TC_F16, .bm = 256, .bn = 256, .swap = 1,
                    .step = 16, .split = 1, .a_layout = TC_COL, .d_layout = TC_COL)
TC_GEMM_SM90_DEFINE(h_col_col, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 128, .a_layout = TC_COL,
                    .cluster_n = 2, .schedule = TC_PINGPONG, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
#endif

static const kernel kernels[] = {
    H(h_tf32, EPI_ONCE, 1, 32, 128, 0), H(h_s8_u8, EPI_NONE, 1, 32, 128, 0),
    H(h_e4m3, EPI_ONCE, 1, 64, 128, 0), H(h_e5m2_e4m3, EPI_ONCE, 1, 64, 64, 0),
    H(h_fast, EPI_NONE, 0), H(h_blocks, EPI_ONCE, 0),
    H(h_blocks_to_col, EPI_RESIDUAL, 0), H(h_blocks_swap, EPI_NONE, 1, 64, 64, 1),
    H(h_row_row, EPI_ONCE, 1, 128, 256, 1), H(h_col_row, EPI_ONCE_PAIR, 0),
    H(h_row_row_to_col, EPI_ONCE, 1, 16, 64, 0), ROW(row_row, EPI_BIAS_GELU), ROW(col_col, EPI_RESIDUAL),
    ROW(col_row, EPI_ONCE_PAIR), ROW(row_col_to_col, EPI_ONCE),
    ANY(any, EPI_SCALE_ROW), ROW(tf32, EPI_NONE), ANY(any_tf32, EPI_RESIDUAL),
    ROW(s8_s8, EPI_NONE), ROW(u8_s8, EPI_NONE), ROW(s8_u8, EPI_SCALE_ROW),
    ANY(any_s8, EPI_NONE), ROW(f64, EPI_NONE), ROW(f16_acc, EPI_BIAS_GELU),
    FP8(e4m3, EPI_ONCE, e4m3_SMEM), FP8(e5m2_e4m3, EPI_NONE, e5m2_e4m3_SMEM),
    FP8(blocks, EPI_NONE, blocks_SMEM), FP8(any_blocks, EPI_NONE, 0),
    FP8(blocks_to_col, EPI_ONCE, blocks_to_col_SMEM), ROW(u8_col_row, EPI_ONCE_PAIR),
    ROW(tf32_col_row, EPI_NONE),
    ANY(any_s8_row, EPI_NONE), H(h_s8_row, EPI_NONE, 0), H(h_e4m3_col_row, EPI_ONCE, 1, 128, 128, 1),
    H(h_half, EPI_ONCE, 1, 16, 256, 1), H(h_half_big, EPI_ONCE, 1, 64, 256, 0),
    H(h_s8_row_steps, EPI_ONCE, 1, 32, 256, 1),
    H(h_blocks_row, EPI_NONE, 0),
#ifndef SOME_KERNELS
    ROW(col_row_to_col, EPI_SCALE_ROW), ROW(tf32_round, EPI_BIAS_GELU), ROW(u8_u8, EPI_ONCE_PAIR),
    ANY(any_f64, EPI_NONE), FP8(blocks_col_row, EPI_NONE, blocks_col_row_SMEM), ROW(f64_col_row, EPI_NONE),
    ROW(s8_row, EPI_NONE), ANY(any_f16_acc, EPI_NONE), FP8(any_e5m2, EPI_SCALE_ROW, 0), H(h_s8, EPI_ONCE, 0),
    H(h_e4m3_e5m2, EPI_NONE, 0), H(h_blocks_pp, EPI_NONE, 0), H(h_col_col_to_col, EPI_RESIDUAL, 0),
    H(h_tf32_col_row, EPI_NONE, 0), H(h_s8_u8_row, EPI_NONE, 0), H(h_e5m2_col, EPI_ONCE_PAIR, 0),
    H(h_half_pp, EPI_ONCE_PAIR, 0),
#endif
    IF_ALL(H(h_u8_s8, EPI_NONE, 1, 16, 64, 0), H(h_col_col, EPI_BIAS_GELU, 0), ROW(row_row_to_col, EPI_RESIDUAL),
           ROW(s8_hook, EPI_ONCE), ROW(f64_small, EPI_NONE), FP8(e4m3_e5m2, EPI_NONE, e4m3_e5m2_SMEM),
           ROW(s8_col, EPI_NONE), ROW(u8_row_to_col, EPI_ONCE), ROW(tf32_col, EPI_NONE), ROW(f64_row_to_col, EPI_NONE),
           FP8(e4m3_row, EPI_NONE, e4m3_row_SMEM), FP8(any_e4m3_col, EPI_SCALE_ROW, 0),
           H(h_u8_col_to_col, EPI_NONE, 1, 16, 64, 0), H(h_blocks_col_row, EPI_NONE, 0),
           H(h_e5m2_row_3, EPI_NONE, 0),
           H(h_tf32_col_k2, EPI_ONCE_PAIR, 0), H(h_half_swap, EPI_ONCE, 1, 8, 64, 0), H(h_half_k3, EPI_ONCE, 0),
           H(h_half_flat, EPI_NONE, 1, 16, 256, 0),)
};
