/* gemm_outputs.cu - random problems through kernels that write more than D (.aux, .row_sum, .col_sum, .all_sum), or
 * whose C is of another type, against fp64 on the CPU: every element, every byte around each output, and the same bits
 * when a plan runs it again. Where k is 0, C holds infinities and NaN at times. Groups, looked-up rows of A and D,
 * tiles that are not computed: sums of what there is.
 *     build/tests/gemm_outputs [problems] [seed]
 *
 * Bounds: a sum of k products in f32 is off by at most (k + 8) * 2^-23 * sum |a b|, rounding to a type adds half a unit
 * in its last place; what is kept of a row (or a column, or of D) adds as many roundings of it as it has elements. */
#define TC_SM90_STUBS
#include <float.h>
#include <math.h>

#include "../tc.h"
#include "test.h"

typedef struct { const float *bias; } bias_args;
enum { PLAIN, BIAS_RELU, PAIR };

TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
{
    return tc_relu(x + ((const bias_args *)args)->bias[at.col]);
}
TC_DEV tc_f32x2 pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const bias_args *p = (const bias_args *)args;
    const tc_f32x2 r = {tc_relu(x.x + p->bias[at.col]), tc_relu(x.y + p->bias[at.col + 1])};
    return r;
}
/* A gate that reads memory: what does not exist must not be asked for. */
TC_DEV float gate_bias(float gate, float up, tc_gemm_at at, const void *args)
{
    return tc_relu(gate + ((const bias_args *)args)->bias[at.col]) * up;
}
/* What bias_relu is the slope of: 1 where it lets x pass. */
TC_DEV float mask(float x, tc_gemm_at at, const void *args)
{
    return x + ((const bias_args *)args)->bias[at.col] > 0.f ? 1.f : 0.f;
}

/* Another tensor: its scale, what is too large for 8 bits, and what is no number. */
TC_HD int lost(int row, int col) { return (row + col) % 37 == 5; }
TC_HD float scale_of(int row) { return row % 7 == 3 ? 1e4f : 0.25f; }
TC_DEV float scaled(float x, tc_gemm_at at, const void *args)
{
    (void)args;
    return lost(at.row, at.col) ? tc_f32_from_bits(0x7fc00000u) : x * scale_of(at.row);
}

/* A band of D, at most so far from its diagonal, and a product of which A has no more k. */
enum { BAND = 50, SOME_K = 64 };
TC_HD int in_band(int row, int col) { return row - col <= BAND && col - row <= BAND; }
TC_DEV int band_tile(tc_gemm_tile t, const void *args)
{
    (void)args;
    return t.row - (t.col_end - 1) > BAND || t.col - (t.row_end - 1) > BAND ? TC_TILE_SKIP : TC_TILE_PARTIAL;
}
TC_DEV int band_keep(tc_gemm_at at, const void *args) { return (void)args, in_band(at.row, at.col); }
TC_DEV tc_gemm_k some_k(tc_gemm_tile t, const void *args)
{
    const tc_gemm_k k = {0, SOME_K};
    return (void)t, (void)args, k;
}
#define IN_BAND .tile = band_tile, .keep = band_keep, .epi_size = TC_NO_ARGS

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*plan)(const tc_gemm_args *, tc_gemm_plan *);
    tc_status (*launch)(const tc_gemm_plan *, cudaStream_t);
    size_t (*room)(const tc_gemm_args *);
    int sm, hook, any, step, wide, split, smem;
    tc_gemm_config c;
} kernel;

#define HOOKED(hook) hook, .epi_size = sizeof(bias_args)
#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef OUTPUTS_SM100 /* for a build of sm_100a: the only kernels of its own */
TC_GEMM_SM100_DEFINE(sm100, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .aux = TC_F32, .aux_what = TC_AUX_PRE,
                     .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_pair, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .cluster_m = 2, .aux = TC_BF16,
                     .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS)
TC_GEMM_SM100_DEFINE(sm100_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .aux = TC_E4M3, .aux_epi = scaled,
                     .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .cluster_m = 2, .aux = TC_B1,
                     .aux_epi = mask, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_max, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 64, .row_sum = TC_MAX,
                     .col_sum = TC_MAX, .all_sum = TC_MAX)
TC_GEMM_SM100_DEFINE(sm100_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 128, .split = 1,
                     .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM100_DEFINE(sm100_lse_hook, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .row_sum = TC_LOG_SUM_EXP,
                     .col_sum = TC_MAX, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 64, .groups = TC_GROUPS_ROWS,
                     .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM100_DEFINE(sm100_groups_fp8, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bn = 128,
                     .groups = TC_GROUPS_ROWS, .row_sum = TC_SUM)
TC_GEMM_SM100_DEFINE(sm100_masked, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .groups = TC_GROUPS_MASKED,
                     .row_sum = TC_MAX, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_index, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .index = TC_INDEX_A,
                     .groups = TC_GROUPS_ROWS, .row_sum = TC_SUM)
TC_GEMM_SM100_DEFINE(sm100_atomic, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 64, .row_sum = TC_MAX,
                     .col_sum = TC_SUM_SQ, .sum_atomic = 1)
TC_GEMM_SM100_DEFINE(sm100_send, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 64, .index = TC_INDEX_D,
                     .row_sum = TC_SUM_SQ, .col_sum = TC_MAX, .all_sum = TC_MAX, .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_group_sums, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128,
                     .groups = TC_GROUPS_ROWS, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_SUM)
TC_GEMM_SM100_DEFINE(sm100_masked_amax, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bn = 128,
                     .groups = TC_GROUPS_MASKED, .all_sum = TC_MAX_ABS)
TC_GEMM_SM100_DEFINE(sm100_c32, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .c_type = TC_F32,
                     .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_all, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .all_sum = TC_SUM,
                     .epi = HOOKED(bias_relu))
TC_GEMM_SM100_DEFINE(sm100_gate, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .split = 1,
                     .gate = tc_gate_silu, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_SUM)
TC_GEMM_SM100_DEFINE(sm100_gate_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bn = 96, .cluster_m = 1,
                     .gate = HOOKED(gate_bias), .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM100_DEFINE(sm100_gate_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 256, .index = TC_INDEX_A,
                     .groups = TC_GROUPS_ROWS, .gate = HOOKED(gate_bias), .row_sum = TC_MAX_ABS)
#else
TC_GEMM_SM80_DEFINE(sm80, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_BF16, .aux_what = TC_AUX_PRE,
                    .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_max, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .warps_n = 2, .aux = TC_F16,
                    .aux_what = TC_AUX_PRE, .row_sum = TC_MAX_ABS, .all_sum = TC_SUM_SQ, .epi2 = HOOKED(pair))
TC_GEMM_SM80_DEFINE(sm80_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM80_DEFINE(sm80_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .groups = TC_GROUPS_ROWS,
                    .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM80_DEFINE(sm80_masked, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .groups = TC_GROUPS_MASKED, .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_index, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .index = TC_INDEX_A, .row_sum = TC_MAX,
                    .col_sum = TC_SUM, .all_sum = TC_MAX)
TC_GEMM_SM80_DEFINE(sm80_gate, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .all_sum = TC_MAX_ABS)
TC_GEMM_SM80_DEFINE(sm80_atomic, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .row_sum = TC_SUM, .col_sum = TC_MAX_ABS,
                    .sum_atomic = 1, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .step = 32, .split = 1, .aux = TC_S8,
                    .aux_epi = mask, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 48, .schedule = TC_PINGPONG,
                    .aux = TC_F32, .aux_what = TC_AUX_PRE, .row_sum = TC_SUM_SQ, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_turns, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .step = 64,
                    .cluster_m = 2, .schedule = TC_PINGPONG, .aux = TC_BF16, .aux_what = TC_AUX_PRE,
                    .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_k2, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 2,
                    .row_sum = TC_MAX_ABS, .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_signed, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 256, .bn = 64, .step = 16, .split = 1,
                    .row_sum = TC_MAX, .col_sum = TC_MAX, .all_sum = TC_MAX)
TC_GEMM_SM90_DEFINE(sm90_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 96, .step = 48, .split = 1,
                    .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM90_DEFINE(sm90_pp_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .step = 16,
                    .schedule = TC_PINGPONG, .row_sum = TC_LOG_SUM_EXP, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_swap_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16, .swap = 1,
                    .split = 1, .row_sum = TC_LOG_SUM_EXP, .all_sum = TC_MAX)
TC_GEMM_SM90_DEFINE(sm90_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 96, .step = 48,
                    .groups = TC_GROUPS_ROWS, .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_swap_masked, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8,
                    .swap = 1, .groups = TC_GROUPS_MASKED, .row_sum = TC_MAX, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_groups_fp8, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bm = 64, .bn = 128,
                    .groups = TC_GROUPS_ROWS, .row_sum = TC_MAX_ABS, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_index, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .index = TC_INDEX_A,
                    .row_sum = TC_SUM, .col_sum = TC_MAX_ABS, .all_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_gate, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .step = 64, .split = 1,
                    .gate = tc_gate_silu, .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM90_DEFINE(sm90_gate_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 192,
                    .schedule = TC_PINGPONG, .gate = HOOKED(gate_bias), .row_sum = TC_SUM_SQ, .all_sum = TC_SUM_SQ)
TC_GEMM_SM90_DEFINE(sm90_atomic, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 96, .step = 48, .split = 1,
                    .row_sum = TC_MAX, .col_sum = TC_SUM, .sum_atomic = 1)
TC_GEMM_SM90_DEFINE(sm90_all, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .all_sum = TC_SUM_SQ,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_swap, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8, .swap = 1,
                    .split = 1, .aux = TC_BF16, .aux_what = TC_AUX_PRE, .row_sum = TC_SUM_SQ, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .d_layout = TC_COL,
                    .aux = TC_S8, .aux_epi = mask, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_ANY_DEFINE(sm90_any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .aux = TC_F32,
                        .aux_what = TC_AUX_PRE, .row_sum = TC_SUM)
/* 8 bits, bits, and across D */
TC_GEMM_SM80_DEFINE(sm80_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .aux = TC_E4M3, .aux_epi = scaled,
                    .aux_layout = TC_COL, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 96, .warps_n = 2,
                    .d_layout = TC_COL, .aux = TC_B1, .aux_epi = mask, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_fp8, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 48, .schedule = TC_PINGPONG,
                    .aux = TC_E5M2, .aux_what = TC_AUX_PRE, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .step = 32, .split = 1,
                    .aux = TC_E4M3, .aux_epi = scaled, .aux_layout = TC_COL, .row_sum = TC_SUM,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .step = 64,
                    .cluster_m = 2, .schedule = TC_PINGPONG, .aux = TC_B1, .aux_epi = mask, .row_sum = TC_SUM_SQ,
                    .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_swap_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8,
                    .swap = 1, .aux = TC_BF16, .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_both, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bn = 128, .aux = TC_E4M3, .aux_epi = scaled,
                    .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_ANY_DEFINE(sm90_any_bits, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .aux = TC_B1,
                        .aux_epi = mask, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_ANY_DEFINE(sm90_any_max, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .row_sum = TC_MAX,
                        .all_sum = TC_MAX, .epi = HOOKED(bias_relu))
/* not all of D, rows that go elsewhere, sums of groups */
TC_GEMM_SM80_DEFINE(sm80_triangle, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .triangle = TC_TRIANGLE_LOWER, .row_sum = TC_SUM, .col_sum = TC_MAX, .all_sum = TC_SUM,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_bsr, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bsr = 128, .row_sum = TC_MAX_ABS,
                    .all_sum = TC_MAX_ABS)
TC_GEMM_SM80_DEFINE(sm80_send, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .index = TC_INDEX_A | TC_INDEX_D,
                    .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_MAX)
TC_GEMM_SM80_DEFINE(sm80_group_sums, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .row_sum = TC_LOG_SUM_EXP, .col_sum = TC_SUM,
                    .all_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_k, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .a_layout = TC_COL,
                    .b_layout = TC_ROW, .groups = TC_GROUPS_K, .row_sum = TC_SUM_SQ, .all_sum = TC_SUM_SQ)
TC_GEMM_SM90_DEFINE(sm90_triangle, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 96, .step = 48,
                    .cluster_m = 2, .triangle = TC_TRIANGLE_UPPER, .row_sum = TC_SUM_SQ, .col_sum = TC_SUM,
                    .all_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_band, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .cluster_n = 2,
                    .schedule = TC_PINGPONG, .row_sum = TC_LOG_SUM_EXP, .all_sum = TC_MAX, IN_BAND)
TC_GEMM_SM90_DEFINE(sm90_bsr, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .bsr = 128,
                    .row_sum = TC_SUM, .col_sum = TC_MAX)
TC_GEMM_SM90_DEFINE(sm90_some_k, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 128, .k_range = some_k,
                    .epi_size = TC_NO_ARGS, .row_sum = TC_SUM, .sum_atomic = 0)
TC_GEMM_SM90_DEFINE(sm90_send, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .index = TC_INDEX_D,
                    .row_sum = TC_SUM, .col_sum = TC_MAX_ABS, .all_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_group_sums, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 96, .step = 48,
                    .groups = TC_GROUPS_ROWS, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_SUM,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_k, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .a_layout = TC_COL,
                    .b_layout = TC_ROW, .groups = TC_GROUPS_K, .row_sum = TC_SUM, .col_sum = TC_MAX_ABS,
                    .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_gate_amax, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 128,
                    .schedule = TC_PINGPONG, .gate = tc_gate_silu, .col_sum = TC_SUM_SQ, .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_ANY_DEFINE(sm90_any_send, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64,
                        .index = TC_INDEX_D, .row_sum = TC_SUM_SQ, .all_sum = TC_SUM_SQ)
/* C of another type than D */
TC_GEMM_SM80_DEFINE(sm80_c32, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .c_type = TC_F32,
                    .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_c32, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .step = 16, .split = 1,
                    .c_type = TC_F32, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_c16, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .step = 48,
                    .schedule = TC_PINGPONG, .c_type = TC_BF16, .epi2 = HOOKED(pair))
TC_GEMM_SM90_DEFINE(sm90_c_sums, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bm = 128, .bn = 192, .step = 64,
                    .schedule = TC_PINGPONG, .c_type = TC_BF16, .row_sum = TC_SUM, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_swap_c, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16, .swap = 1,
                    .split = 1, .c_type = TC_F32, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_c_triangle, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .triangle = TC_TRIANGLE_LOWER, .c_type = TC_F32)
TC_GEMM_SM90_ANY_DEFINE(sm90_any_c, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .c_type = TC_F32)
#ifndef SOME_KERNELS /* the Makefile leaves these out where make test runs in tcemu; make fuzz has them */
TC_GEMM_SM80_DEFINE(sm80_groups_fp8, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .groups = TC_GROUPS_ROWS,
                    .row_sum = TC_MAX_ABS)
TC_GEMM_SM80_DEFINE(sm80_lse_hook, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .aux = TC_BF16,
                    .aux_what = TC_AUX_PRE, .row_sum = TC_LOG_SUM_EXP, .all_sum = TC_MAX_ABS, .epi2 = HOOKED(pair))
TC_GEMM_SM80_DEFINE(sm80_gate_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .warps_n = 2,
                    .groups = TC_GROUPS_MASKED, .gate = HOOKED(gate_bias), .row_sum = TC_SUM)
TC_GEMM_SM80_DEFINE(sm80_masked_all, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .groups = TC_GROUPS_MASKED,
                    .all_sum = TC_MAX)
TC_GEMM_SM80_DEFINE(sm80_gate_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .gate = tc_gate_silu, .row_sum = TC_MAX,
                    .col_sum = TC_SUM, .all_sum = TC_SUM)
TC_GEMM_SM80_DEFINE(sm80_c16, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .d_layout = TC_COL,
                    .c_type = TC_F16)
TC_GEMM_SM80_DEFINE(sm80_all, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .all_sum = TC_MAX_ABS)
TC_GEMM_SM80_DEFINE(sm80_both, .a = TC_BF16, .b = TC_BF16, .d = TC_E5M2, .bn = 128, .aux = TC_F32,
                    .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .epi = HOOKED(bias_relu))
TC_GEMM_SM80_DEFINE(sm80_band, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64,
                    .row_sum = TC_LOG_SUM_EXP, .col_sum = TC_SUM_SQ, .all_sum = TC_SUM_SQ, IN_BAND)
TC_GEMM_SM80_DEFINE(sm80_signed, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .row_sum = TC_MAX, .col_sum = TC_MAX,
                    .all_sum = TC_MAX)
TC_GEMM_SM90_DEFINE(sm90_pp_signed, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .step = 48,
                    .schedule = TC_PINGPONG, .row_sum = TC_MAX, .all_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_k2_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 2,
                    .row_sum = TC_LOG_SUM_EXP, .col_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_groups_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 128,
                    .schedule = TC_PINGPONG, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_A, .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM90_DEFINE(sm90_masked, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 256, .bn = 64,
                    .groups = TC_GROUPS_MASKED, .row_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_gate_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64,
                    .index = TC_INDEX_A, .groups = TC_GROUPS_ROWS, .gate = HOOKED(gate_bias), .row_sum = TC_MAX)
TC_GEMM_SM90_DEFINE(sm90_atomic_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 8,
                    .swap = 1, .groups = TC_GROUPS_ROWS, .row_sum = TC_SUM_SQ, .sum_atomic = 1)
TC_GEMM_SM90_DEFINE(sm90_swap_signed, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16,
                    .swap = 1, .split = 1, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_turn32, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .aux = TC_F32,
                    .aux_what = TC_AUX_PRE, .aux_layout = TC_COL, .row_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_col_turn, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 64, .d_layout = TC_COL,
                    .aux = TC_BF16, .aux_what = TC_AUX_PRE, .aux_layout = TC_ROW, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_swap_groups, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 64, .step = 16,
                    .swap = 1, .groups = TC_GROUPS_ROWS, .index = TC_INDEX_D, .row_sum = TC_SUM, .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(sm90_masked_cols, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 256, .bn = 64,
                    .groups = TC_GROUPS_MASKED, .col_sum = TC_SUM_SQ, .sum_atomic = 1)
TC_GEMM_SM90_DEFINE(sm90_groups_amax, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bm = 64, .bn = 128,
                    .groups = TC_GROUPS_ROWS, .all_sum = TC_MAX_ABS, .epi = HOOKED(bias_relu))
TC_GEMM_SM90_DEFINE(sm90_gate_col, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .step = 64,
                    .split = 1, .gate = tc_gate_silu, .row_sum = TC_MAX, .col_sum = TC_SUM, .all_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_c_large, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 256, .bn = 192, .c_type = TC_F32)
TC_GEMM_SM90_DEFINE(sm90_c_col, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .d_layout = TC_COL,
                    .c_type = TC_BF16)
TC_GEMM_SM90_DEFINE(sm90_swap_triangle, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .step = 16,
                    .swap = 1, .triangle = TC_TRIANGLE_LOWER, .row_sum = TC_MAX, .col_sum = TC_SUM)
TC_GEMM_SM90_DEFINE(sm90_swap_send, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .step = 16,
                    .swap = 1, .index = TC_INDEX_A | TC_INDEX_D, .row_sum = TC_SUM_SQ, .col_sum = TC_MAX,
                    .sum_atomic = 1)
TC_GEMM_SM90_ANY_DEFINE(sm90_any_lse, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64,
                        .row_sum = TC_LOG_SUM_EXP)
#endif
#endif

#define ROW(name, sm, hook, any, step, wide, split)                                                                   \
    {#name, name##_run, name##_can_run, name##_plan, name##_launch, name##_workspace, sm, hook, any, step, wide,      \
     split, name##_SMEM, name##_config()}
static const kernel kernels[] = {
#ifdef OUTPUTS_SM100
    ROW(sm100, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_pair, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_turn, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_bits, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_max, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_lse, 100, PLAIN, 0, 0, 0, 1),
    ROW(sm100_lse_hook, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_groups, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_groups_fp8, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_masked, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_index, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_atomic, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_send, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_group_sums, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_masked_amax, 100, PLAIN, 0, 0, 0, 0),
    ROW(sm100_c32, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_all, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_gate, 100, PLAIN, 0, 0, 0, 1),
    ROW(sm100_gate_lse, 100, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm100_gate_groups, 100, BIAS_RELU, 0, 0, 0, 0),
#else
    ROW(sm80, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_max, 80, PAIR, 1, 0, 0, 0),
    ROW(sm80_lse, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_groups, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_masked, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_index, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_gate, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_atomic, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm90, 90, BIAS_RELU, 0, 32, 128, 1),
    ROW(sm90_pp, 90, PAIR, 0, 0, 0, 0),
    ROW(sm90_turns, 90, BIAS_RELU, 0, 64, 192, 0),
    ROW(sm90_k2, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_signed, 90, PLAIN, 0, 16, 64, 1),
    ROW(sm90_lse, 90, PLAIN, 0, 48, 96, 1),
    ROW(sm90_pp_lse, 90, PAIR, 0, 16, 128, 0),
    ROW(sm90_swap_lse, 90, PLAIN, 0, 16, 64, 1),
    ROW(sm90_groups, 90, BIAS_RELU, 0, 48, 96, 0),
    ROW(sm90_swap_masked, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_groups_fp8, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_index, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_gate, 90, PLAIN, 0, 64, 128, 1),
    ROW(sm90_gate_pp, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_atomic, 90, PLAIN, 0, 48, 96, 1),
    ROW(sm90_all, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_swap, 90, BIAS_RELU, 0, 8, 64, 1),
    ROW(sm90_col, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_any, 90, PLAIN, 1, 0, 0, 0),
    ROW(sm80_turn, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_bits, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm90_fp8, 90, PAIR, 0, 0, 0, 0),
    ROW(sm90_turn, 90, BIAS_RELU, 0, 32, 128, 1),
    ROW(sm90_bits, 90, PAIR, 0, 64, 192, 0),
    ROW(sm90_swap_turn, 90, BIAS_RELU, 0, 8, 64, 0),
    ROW(sm90_both, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_any_bits, 90, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm90_any_max, 90, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_triangle, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_bsr, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_send, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_group_sums, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_k, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm90_triangle, 90, BIAS_RELU, 0, 48, 96, 0),
    ROW(sm90_band, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_bsr, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_some_k, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_send, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_group_sums, 90, BIAS_RELU, 0, 48, 96, 0),
    ROW(sm90_k, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_gate_amax, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_any_send, 90, PLAIN, 1, 0, 0, 0),
    ROW(sm80_c32, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm90_c32, 90, BIAS_RELU, 0, 16, 128, 1),
    ROW(sm90_c16, 90, PAIR, 0, 48, 96, 0),
    ROW(sm90_c_sums, 90, BIAS_RELU, 0, 64, 192, 0),
    ROW(sm90_swap_c, 90, BIAS_RELU, 0, 16, 64, 1),
    ROW(sm90_c_triangle, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_any_c, 90, PLAIN, 1, 0, 0, 0),
#ifndef SOME_KERNELS
    ROW(sm80_groups_fp8, 80, PLAIN, 1, 0, 0, 0), ROW(sm80_lse_hook, 80, PAIR, 1, 0, 0, 0),
    ROW(sm80_gate_groups, 80, BIAS_RELU, 1, 0, 0, 0), ROW(sm80_masked_all, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_gate_col, 80, PLAIN, 1, 0, 0, 0), ROW(sm80_c16, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm80_all, 80, PLAIN, 1, 0, 0, 0), ROW(sm80_both, 80, BIAS_RELU, 1, 0, 0, 0),
    ROW(sm80_band, 80, PLAIN, 1, 0, 0, 0), ROW(sm80_signed, 80, PLAIN, 1, 0, 0, 0),
    ROW(sm90_pp_signed, 90, PLAIN, 0, 48, 96, 0), ROW(sm90_k2_lse, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_groups_pp, 90, PLAIN, 0, 0, 0, 0), ROW(sm90_masked, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_gate_groups, 90, BIAS_RELU, 0, 0, 0, 0), ROW(sm90_atomic_groups, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_swap_signed, 90, PLAIN, 0, 16, 64, 1), ROW(sm90_turn32, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_col_turn, 90, BIAS_RELU, 0, 0, 0, 0), ROW(sm90_swap_groups, 90, PLAIN, 0, 16, 64, 0),
    ROW(sm90_masked_cols, 90, PLAIN, 0, 0, 0, 0), ROW(sm90_groups_amax, 90, BIAS_RELU, 0, 0, 0, 0),
    ROW(sm90_gate_col, 90, PLAIN, 0, 64, 128, 1), ROW(sm90_c_large, 90, PLAIN, 0, 0, 0, 0),
    ROW(sm90_c_col, 90, PLAIN, 0, 0, 0, 0), ROW(sm90_swap_triangle, 90, PLAIN, 0, 16, 64, 0),
    ROW(sm90_swap_send, 90, PLAIN, 0, 16, 64, 0), ROW(sm90_any_lse, 90, PLAIN, 1, 0, 0, 0),
#endif
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0], GUARD = 256 };

/* Device memory between two guards; bytes: what lies between. */
typedef struct {
    uint8_t *dev, *host, *again;
    size_t bytes;
} span;

static span span_make(size_t bytes)
{
    span s;
    s.bytes = bytes;
    s.host = (uint8_t *)malloc(bytes + 2 * GUARD), s.again = (uint8_t *)malloc(bytes + 2 * GUARD);
    CUDA_CHECK(cudaMalloc((void **)&s.dev, bytes + 2 * GUARD));
    CUDA_CHECK(cudaMemset(s.dev, 0xee, bytes + 2 * GUARD));
    return s;
}
static void span_down(const span *s, uint8_t *to)
{
    CUDA_CHECK(cudaMemcpy(to, s->dev, s->bytes + 2 * GUARD, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemset(s->dev, 0xee, s->bytes + 2 * GUARD));
}
static void span_drop(span *s)
{
    CUDA_CHECK(cudaFree(s->dev));
    free(s->host), free(s->again);
}

static span span_values(size_t count, int type)
{
    span s = span_make(count * (size_t)tc_type_bits(type) / 8);
    for (size_t i = 0; i < count; i++) tc_element_set(s.host + GUARD, type, i, test_normal());
    CUDA_CHECK(cudaMemcpy(s.dev + GUARD, s.host + GUARD, s.bytes, cudaMemcpyHostToDevice));
    return s;
}

/* Bytes of a written matrix that are none of its elements and have changed; marks the elements' bytes as 0xee. */
typedef struct { int rows, cols, batch, size; int64_t ld, stride, first; } shape;
static int strays(const span *s, const shape *x)
{
    uint8_t *copy = (uint8_t *)malloc(s->bytes + 2 * GUARD);
    int count = 0;
    memcpy(copy, s->host, s->bytes + 2 * GUARD);
    for (int z = 0; z < x->batch; z++)
        for (int i = 0; i < x->rows; i++)
            memset(copy + GUARD + (x->first + z * x->stride + i * x->ld) * x->size, 0xee,
                   (size_t)x->cols * (size_t)x->size);
    for (size_t i = 0; i < s->bytes + 2 * GUARD; i++) count += copy[i] != 0xee;
    free(copy);
    return count;
}

static double half_unit(int type)
{
    if (type == TC_E4M3 || type == TC_E5M2) return type == TC_E4M3 ? 1. / 16 : 1. / 8;
    return type == TC_BF16 ? 1. / 256 : type == TC_F16 ? 1. / 2048 : 1. / 16777216;
}
/* Half of the smallest, and the largest, of 8 bits. */
static double half_least(int type) { return type == TC_E4M3 ? 1. / 1024 : type == TC_E5M2 ? 1. / 131072 : 0; }
static double largest_of(int type) { return type == TC_E4M3 ? 448 : type == TC_E5M2 ? 57344 : INFINITY; }
static int is_mask(int type) { return type == TC_S8 || type == TC_B1; }


/* Is it within `off` of y, or as infinite, or no number either? */
static int close_to(double got, double y, double off)
{
    return y != y ? got != got : fabs(y) > DBL_MAX ? got == y : fabs(got - y) <= off;
}

/* Is it what x, off by so much, is rounded to? */
static int rounds_to(int type, double got, double x, double off)
{
    const double most = largest_of(type), y = x != x ? x : fmax(-most, fmin(most, x));
    return close_to(got, y, off + half_unit(type) * fabs(y) + half_least(type));
}

/* What is kept of elements, in fp64, and how far off it may be. Those off by less than nothing are not there. */
typedef struct { double x, off; } kept_of;
typedef struct { const double *y, *off; int64_t count, apart; } elements;
/* log(sum of exp): as far off as the element that is most so, and a little for f32 exponentials and their sum. */
static kept_of keep_exps(const elements e)
{
    kept_of k = {-INFINITY, 0};
    double sum = 0;
    for (int64_t i = 0; i < e.count; i++) {
        const double y = e.y[i * e.apart];
        if (e.off[i * e.apart] < 0) continue;
        k.x = k.x != k.x || y != y ? NAN : fmax(k.x, y), k.off = fmax(k.off, e.off[i * e.apart]);
    }
    if (k.x != k.x || fabs(k.x) > DBL_MAX) return k;
    for (int64_t i = 0; i < e.count; i++) sum += e.off[i * e.apart] < 0 ? 0 : exp(e.y[i * e.apart] - k.x);
    k.x += log(sum), k.off += 1e-6 + 1.2e-7 * fabs(k.x);
    return k;
}
static kept_of keep(int kind, const elements e)
{
    kept_of k = {kind == TC_MAX ? -INFINITY : 0, 0};
    if (kind == TC_LOG_SUM_EXP) return keep_exps(e);
    for (int64_t i = 0; i < e.count; i++) {
        const double y = e.y[i * e.apart], off = e.off[i * e.apart], x = kind == TC_MAX_ABS ? fabs(y) : y;
        if (off < 0) continue;
        if (kind == TC_MAX || kind == TC_MAX_ABS) {
            k.x = k.x != k.x || x != x ? NAN : fmax(k.x, x), k.off = fmax(k.off, off);
        } else if (kind == TC_SUM_SQ) {
            k.x += y * y, k.off += 2 * fabs(y) * off + off * off + (double)e.count * 1.2e-7 * y * y;
        } else {
            k.x += y, k.off += off + (double)e.count * 1.2e-7 * fabs(y);
        }
    }
    return k;
}

/* What .sum_atomic finds: each sum is so much more, and what is larger than nothing is not. */
static float start_of(int kind) { return kind == TC_MAX ? -INFINITY : kind == TC_MAX_ABS ? 0.f : 3.f; }
static span started(span s, int kind, int set)
{
    for (size_t i = 0; i < s.bytes / 4; i++) ((float *)(s.host + GUARD))[i] = start_of(kind);
    if (set) CUDA_CHECK(cudaMemcpy(s.dev + GUARD, s.host + GUARD, s.bytes, cudaMemcpyHostToDevice));
    return s;
}
static double more_than(const tc_gemm_config *t, int kind)
{
    return t->sum_atomic && (kind == TC_SUM || kind == TC_SUM_SQ) ? 3 : 0;
}

/* A sum that began at `more`: a part of at least 16 of its `count` elements each, and what edges cut off, was added by
 * an atomic, which rounds to what floats there are. */
static int started_close(float got, kept_of k, double more, int64_t count)
{
    return close_to(got, k.x + more, k.off + (double)(count / 16 + 2) * more / 16777216);
}

/* Of rows, of columns, of all of D: how many are wrong. rows: m of them and more, n columns. */
typedef struct { const double *y, *off; int m, n, batch; double more; } matrices_of;
static int rows_wrong(int kind, const matrices_of *x, const float *out)
{
    int wrong = 0;
    for (int i = 0; i < x->m * x->batch && kind; i++) {
        const elements e = {x->y + (int64_t)i * x->n, x->off + (int64_t)i * x->n, x->n, 1};
        const kept_of k = keep(kind, e);
        wrong += !started_close(out[i], k, x->more, e.count);
    }
    return wrong;
}
static int cols_wrong(int kind, const matrices_of *x, const float *out)
{
    int wrong = 0;
    for (int i = 0; i < x->n * x->batch && kind; i++) {
        const int64_t first = (int64_t)(i / x->n) * x->m * x->n + i % x->n;
        const elements e = {x->y + first, x->off + first, x->m, x->n};
        const kept_of k = keep(kind, e);
        wrong += !started_close(out[i], k, x->more, e.count);
    }
    return wrong;
}

/* Groups of rows, rows of A that are looked up: D's rows of each group, sums of those and of no other row. */
enum { MOST_GROUPS = 6 };
typedef struct { int count, first[MOST_GROUPS], end[MOST_GROUPS], bounds[MOST_GROUPS + 1], lead; } groups_of;
static groups_of groups_drawn(int masked, int m)
{
    groups_of g;
    int at = test_int(0, 1) ? test_int(0, m / 4) : 0;
    g.count = test_int(1, MOST_GROUPS), g.lead = !masked && (at || test_int(0, 1));
    g.bounds[0] = at;
    for (int i = 0; i < g.count; i++) {
        const int rows = test_int(0, 2) ? test_int(0, masked ? m : (m - at) / 2) : 0;
        g.first[i] = masked ? 0 : at, at = g.end[i] = g.first[i] + rows;
        g.bounds[i + g.lead] = at;
    }
    return g;
}

/* Where rows of the product go: no two to one place, some nowhere. */
static void places_drawn(int *to, int m, int d_rows)
{
    int *free_rows = (int *)malloc((size_t)d_rows * sizeof(int)), left = d_rows;
    const int lost = test_int(0, 1) ? 5 : 200; /* one of so many; whole boxes of the others go by TMA on sm_100 */
    for (int i = 0; i < d_rows; i++) free_rows[i] = i;
    for (int i = 0; i < m; i++) {
        const int take = left ? test_int(0, left - 1) : 0;
        to[i] = test_int(0, 1) ? -1 : d_rows + test_int(0, 3);
        if (left && test_int(0, lost)) to[i] = free_rows[take], free_rows[take] = free_rows[--left];
    }
    free(free_rows);
}

static void grouped(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int masked = t->groups == TC_GROUPS_MASKED, m = test_int(1, 200), n = test_int(1, 200), k = test_int(1, 100);
    const int pitch = (k + 7) / 8 * 8, ldd = test_int(0, 1) ? (n + 15) / 16 * 16 : n, dsize = tc_type_bits(t->d) / 8;
    const int gathers = t->index & TC_INDEX_A, sends = t->index & TC_INDEX_D;
    groups_of p = {1, {0}, {m}, {0}, 0};
    if (t->groups) p = groups_drawn(masked, m);
    const int matrices = masked ? p.count : 1, a_rows = gathers ? test_int(1, 100) : m;
    const int d_rows = sends ? test_int(1, 300) : m;
    span a = span_values((size_t)matrices * (size_t)a_rows * (size_t)pitch, TC_BF16);
    span b = span_values((size_t)p.count * (size_t)n * (size_t)pitch, TC_BF16), bias = span_values((size_t)n, TC_F32);
    span d = span_make((size_t)matrices * d_rows * ldd * dsize);
    span rows = started(span_make((size_t)matrices * d_rows * 4), t->row_sum, t->sum_atomic);
    span cols = started(span_make((size_t)p.count * n * 4), t->col_sum, t->sum_atomic);
    span whole = span_make((size_t)p.count * 4);
    span bounds = span_make(sizeof p.bounds);
    span b2 = span_values((size_t)p.count * (size_t)n * (size_t)pitch, TC_BF16), from = span_make((size_t)m * 4);
    span to = span_make((size_t)m * 4);
    const bias_args hook_args = {(const float *)(bias.dev + GUARD)};
    double *ys = (double *)malloc((size_t)m * n * 2 * sizeof(double)), *offs = ys + m * n;
    int wrong[4] = {0, 0, 0, 0}, *lands = (int *)(to.host + GUARD);
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    tc_gemm_args g;
    char what[200];
    CUDA_CHECK(cudaMemcpy(bounds.dev + GUARD, p.bounds, sizeof p.bounds, cudaMemcpyHostToDevice));
    for (int i = 0; i < m; i++) ((int *)(from.host + GUARD))[i] = test_int(-1, a_rows);
    CUDA_CHECK(cudaMemcpy(from.dev + GUARD, from.host + GUARD, from.bytes, cudaMemcpyHostToDevice));
    places_drawn(lands, m, d_rows);
    for (int i = 0; i < m && !sends; i++) lands[i] = i;
    CUDA_CHECK(cudaMemcpy(to.dev + GUARD, lands, to.bytes, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = g.ldb = pitch, g.ldd = ldd;
    g.a = a.dev + GUARD, g.b = b.dev + GUARD, g.d = d.dev + GUARD, g.b2 = t->gate ? b2.dev + GUARD : 0;
    if (t->row_sum) g.row_out = (float *)(rows.dev + GUARD);
    if (kn->hook) g.epi_args = &hook_args, g.epi_size = sizeof hook_args;
    if (t->col_sum) g.col_out = (float *)(cols.dev + GUARD);
    if (t->all_sum) g.all_out = (float *)(whole.dev + GUARD);
    if (kn->split && test_int(0, 1)) choice.parts = test_int(2, 5), g.choice = &choice;
    if (gathers) g.a_row = (const int32_t *)(from.dev + GUARD), g.a_rows = a_rows;
    if (sends) g.d_row = (const int32_t *)(to.dev + GUARD), g.d_rows = d_rows;
    if (t->groups) {
        const int32_t *at = (const int32_t *)(bounds.dev + GUARD);
        g.groups.count = p.count, g.stride_b = (int64_t)n * pitch;
        if (masked) g.groups.counts = at, g.stride_a = (int64_t)m * pitch, g.stride_d = (int64_t)m * ldd;
        else if (p.lead) g.groups.offsets = at;
        else g.groups.ends = at;
    }
    span workspace = span_make(kn->room(&g));
    g.workspace = workspace.dev + GUARD, g.workspace_size = workspace.bytes;
    snprintf(what, sizeof what, "problem %llu %s m %d n %d k %d groups %d lead %d a_rows %d d_rows %d",
             (unsigned long long)id, kn->name, m, n, k, p.count, p.lead, a_rows, d_rows);
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span *out[4] = {&d, &rows, &cols, &whole};
    for (int i = 0; i < 4; i++) span_down(out[i], out[i]->host);
    for (int i = 0; i < 4 && !t->sum_atomic; i++) span_down(out[i], out[i]->again); /* as it was before */
    if (!t->sum_atomic) {
        tc_gemm_plan plan;
        CHECK(kn->plan(&g, &plan) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 4; i++) {
            span_down(out[i], out[i]->again);
            CHECK(!memcmp(out[i]->host, out[i]->again, out[i]->bytes + 2 * GUARD), "%s: other bits of output %d",
                  what, i);
        }
    }
    const float start = start_of(t->row_sum);
    const uint32_t untouched = t->sum_atomic ? tc_bits_from_f32(start) : 0xeeeeeeeeu;
    uint8_t *mine = (uint8_t *)calloc((size_t)matrices * (size_t)d_rows, 1);
    for (int e = 0; e < p.count; e++) {
        int done = 0; /* rows of this group that are stored */
        for (int i = p.first[e]; i < p.end[e]; i++) {
            const int z = masked ? e : 0, row = gathers ? ((const int *)(from.host + GUARD))[i] : i, at = lands[i];
            double *y = ys + done * n, *off = offs + done * n;
            if (at < 0 || at >= d_rows) continue;
            done++;
            for (int j = 0; j < n; j++) {
                double sum = 0, size = 0, up = 0, up_size = 0;
                for (int x = 0; x < k && row >= 0 && row < a_rows; x++) {
                    const size_t ia = ((size_t)z * (size_t)a_rows + (size_t)row) * (size_t)pitch + (size_t)x;
                    const size_t ib = ((size_t)e * (size_t)n + (size_t)j) * (size_t)pitch + (size_t)x;
                    const double q = (double)tc_element_get(a.host + GUARD, TC_BF16, ia)
                                   * tc_element_get(b.host + GUARD, TC_BF16, ib);
                    const double q2 = (double)tc_element_get(a.host + GUARD, TC_BF16, ia)
                                    * tc_element_get(b2.host + GUARD, TC_BF16, ib);
                    sum += q, size += fabs(q), up += q2, up_size += fabs(q2);
                }
                const double v = kn->hook ? tc_element_get(bias.host + GUARD, TC_F32, (size_t)j) : 0;
                y[j] = kn->hook && sum + v < 0 ? 0 : sum + v;
                off[j] = (k + 8) * 1.2e-7 * size + 2e-7 * fabs(v) + 1e-6;
                if (t->gate) { /* silu's slope is at most 1.1 */
                    const double gate = kn->hook ? y[j] : sum / (1 + exp(-sum)), e = (k + 8) * 1.2e-7 * up_size;
                    y[j] = gate * up, off[j] = (1.1 * off[j] + 2e-6 * fabs(gate)) * (fabs(up) + e) + fabs(gate) * e;
                }
                const double got = tc_element_get(d.host + GUARD, t->d, (size_t)((z * d_rows + at) * ldd + j));
                wrong[0] += !close_to(got, y[j], off[j] + half_unit(t->d) * fabs(y[j]) + (t->d == TC_E4M3 ? 1e-3 : 0));
            }
            const elements of = {y, off, n, 1};
            const kept_of kept = keep(t->row_sum, of);
            mine[z * d_rows + at] = 1;
            wrong[1] += t->row_sum && !started_close(((const float *)(rows.host + GUARD))[z * d_rows + at], kept,
                                                     more_than(t, t->row_sum), n);
        }
        const matrices_of all = {ys, offs, done, n, 1, more_than(t, t->col_sum)};
        const elements every = {ys, offs, (int64_t)done * n, 1};
        const kept_of sum = keep(t->all_sum, every);
        wrong[2] += cols_wrong(t->col_sum, &all, (const float *)(cols.host + GUARD) + e * n);
        wrong[3] += t->all_sum && !close_to(((const float *)(whole.host + GUARD))[e], sum.x, sum.off);
    }
    for (int i = 0; i < matrices * d_rows; i++) {
        wrong[1] += !mine[i] && memcmp(rows.host + GUARD + 4 * i, &untouched, 4);
        for (int j = 0; j < n * dsize && !mine[i]; j++)
            wrong[0] += d.host[GUARD + (int64_t)i * ldd * dsize + j] != 0xee;
    }
    CHECK(!wrong[0] && !wrong[1], "%s: %d elements, %d rows are wrong", what, wrong[0], wrong[1]);
    CHECK(!wrong[2] && !wrong[3], "%s: %d columns, %d all_out are wrong", what, wrong[2], wrong[3]);
    span_drop(&a), span_drop(&b), span_drop(&bias), span_drop(&d), span_drop(&rows), span_drop(&cols);
    span_drop(&whole), span_drop(&bounds), span_drop(&from), span_drop(&to), span_drop(&b2), span_drop(&workspace);
    free(ys), free(mine);
}

/* Groups along k: as many products of all rows and columns, some without any k. A and B lie across k. */
static void along_k(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int m = test_int(1, 150), n = test_int(1, 150), k = test_int(1, 200), count = test_int(1, MOST_GROUPS);
    const int lda = (m + 7) / 8 * 8, ldb = (n + 7) / 8 * 8, all = count * m;
    int ends[MOST_GROUPS], wrong[4] = {0, 0, 0, 0};
    span a = span_values((size_t)k * lda, TC_BF16), b = span_values((size_t)k * ldb, TC_BF16);
    span d = span_make((size_t)all * n * 4), rows = span_make((size_t)all * 4), cols = span_make((size_t)count * n * 4);
    span whole = span_make((size_t)count * 4), bounds = span_make(sizeof ends);
    double *ys = (double *)malloc((size_t)m * n * 2 * sizeof(double)), *offs = ys + m * n;
    tc_gemm_args g;
    char what[200];
    for (int i = 0; i < count; i++) ends[i] = test_int(i ? ends[i - 1] : 0, k);
    CUDA_CHECK(cudaMemcpy(bounds.dev + GUARD, ends, sizeof ends, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldd = n, g.stride_d = (int64_t)m * n;
    g.a = a.dev + GUARD, g.b = b.dev + GUARD, g.d = d.dev + GUARD;
    g.groups.count = count, g.groups.ends = (const int32_t *)(bounds.dev + GUARD);
    if (t->row_sum) g.row_out = (float *)(rows.dev + GUARD);
    if (t->col_sum) g.col_out = (float *)(cols.dev + GUARD);
    if (t->all_sum) g.all_out = (float *)(whole.dev + GUARD);
    span workspace = span_make(kn->room(&g));
    g.workspace = workspace.dev + GUARD, g.workspace_size = workspace.bytes;
    snprintf(what, sizeof what, "problem %llu %s m %d n %d k %d groups %d", (unsigned long long)id, kn->name, m, n, k,
             count);
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span *out[4] = {&d, &rows, &cols, &whole};
    for (int i = 0; i < 4; i++) span_down(out[i], out[i]->host);
    for (int e = 0; e < count; e++) {
        for (int i = 0; i < m * n; i++) {
            double size = 0;
            ys[i] = 0;
            for (int x = e ? ends[e - 1] : 0; x < ends[e]; x++) {
                const double q = (double)tc_element_get(a.host + GUARD, TC_BF16, (size_t)(x * lda + i / n))
                               * tc_element_get(b.host + GUARD, TC_BF16, (size_t)(x * ldb + i % n));
                ys[i] += q, size += fabs(q);
            }
            offs[i] = (k + 8) * 1.2e-7 * size + 1e-6;
            wrong[0] += !close_to(((const float *)(d.host + GUARD))[e * m * n + i], ys[i], offs[i]);
        }
        const matrices_of of = {ys, offs, m, n, 1, 0};
        const elements every = {ys, offs, (int64_t)m * n, 1};
        const kept_of sum = keep(t->all_sum, every);
        wrong[1] += rows_wrong(t->row_sum, &of, (const float *)(rows.host + GUARD) + e * m);
        wrong[2] += cols_wrong(t->col_sum, &of, (const float *)(cols.host + GUARD) + e * n);
        wrong[3] += t->all_sum && !close_to(((const float *)(whole.host + GUARD))[e], sum.x, sum.off);
    }
    CHECK(!wrong[0] && !wrong[1], "%s: %d elements, %d rows are wrong", what, wrong[0], wrong[1]);
    CHECK(!wrong[2] && !wrong[3], "%s: %d columns, %d all_out are wrong", what, wrong[2], wrong[3]);
    span_drop(&a), span_drop(&b), span_drop(&d), span_drop(&rows), span_drop(&cols), span_drop(&whole);
    span_drop(&bounds), span_drop(&workspace), free(ys);
}

/* Is an element of D stored? */
static int stored(const tc_gemm_config *t, int row, int col)
{
    if (t->triangle) return t->triangle == TC_TRIANGLE_LOWER ? row >= col : row <= col;
    return t->tile ? in_band(row, col) : 1;
}

/* A as .bsr has it: of its blocks some, in a's place zeros for the others. */
typedef struct { span values, row_ptr, col_idx; int blocks; } bsr_of;
static bsr_of bsr_drawn(int each, const span *a, int m, int k, int64_t lda)
{
    const int down = (m + each - 1) / each, across = k / each;
    bsr_of x;
    x.values = span_make((size_t)(down * across + 1) * each * each * 2);
    x.row_ptr = span_make((size_t)(down + 1) * 4), x.col_idx = span_make((size_t)(down * across + 1) * 4);
    memset(x.values.host + GUARD, 0, x.values.bytes);
    x.blocks = 0;
    for (int i = 0; i < down; i++) {
        ((int *)(x.row_ptr.host + GUARD))[i] = x.blocks;
        for (int j = 0; j < across; j++) {
            const int there = test_int(0, 1);
            for (int e = 0; e < each * each; e++) {
                const int row = i * each + e / each;
                uint16_t *at = (uint16_t *)(a->host + GUARD) + row * lda + j * each + e % each;
                if (row < m && there) ((uint16_t *)(x.values.host + GUARD))[x.blocks * each * each + e] = *at;
                else if (row < m) *at = 0;
            }
            if (there) ((int *)(x.col_idx.host + GUARD))[x.blocks++] = j;
        }
    }
    ((int *)(x.row_ptr.host + GUARD))[down] = x.blocks;
    const span *all[3] = {&x.values, &x.row_ptr, &x.col_idx};
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaMemcpy(all[i]->dev + GUARD, all[i]->host + GUARD, all[i]->bytes, cudaMemcpyHostToDevice));
    return x;
}

static void one(const kernel *kn, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    if (t->groups == TC_GROUPS_K) {
        along_k(kn, id);
        return;
    }
    if (t->groups || t->index || t->gate || t->sum_atomic) {
        grouped(kn, id);
        return;
    }
    const int col = t->d_layout == TC_COL, dsize = tc_type_bits(t->d) / 8;
    const int acol = t->aux_layout ? t->aux_layout == TC_COL : col, bits = t->aux == TC_B1 ? 8 : 1; /* of a byte */
    const int asize = t->aux && bits == 1 ? tc_type_bits(t->aux) / 8 : 1, unit = kn->any && test_int(0, 1) ? 1 : 8;
    const int batch = test_int(0, 3) || t->bsr ? 1 : test_int(2, 3), far = tc__tiles_some(*t) ? 2 : 1;
    const int m = test_int(1, test_int(0, 1) ? 40 * far : 150 * far);
    const int n = (test_int(1, test_int(0, 1) ? 60 : 300) + 1) / 2 * 2 - (kn->hook != PAIR && test_int(0, 1));
    const int some = test_int(0, 7) ? test_int(1, 300) : 0, k = t->bsr ? (some + t->bsr - 1) / t->bsr * t->bsr : some;
    const int lines = col ? n : m, across = col ? m : n, odd = test_int(0, 1) ? 0 : test_int(0, 3);
    const int64_t lda = (k + unit - 1) / unit * unit + unit * test_int(0, 2), ldb = lda + unit * test_int(0, 2);
    const int64_t ldd = test_int(0, 1) ? (across + 15) / 16 * 16 : across + test_int(0, 5);
    const int alines = acol ? n : m, aacross = ((acol ? m : n) + bits - 1) / bits * bits;
    const int64_t ldx = test_int(0, 1) ? (aacross + 127) / 128 * 128 : aacross + bits * test_int(0, 5);
    const int64_t sd = lines * ldd + 16 * test_int(0, 1), sx = alines * ldx + test_int(0, 1) * 128;
    const float alpha = test_int(0, 2) ? 1.f : test_int(0, 4) ? 0.75f : 0.f;
    const float beta = test_int(0, 2) ? 0.f : -0.5f;
    const int64_t sa = (m * lda + 7) / 8 * 8, sb = (n * ldb + 7) / 8 * 8;
    span a = span_values((size_t)(sa * batch), TC_BF16), b = span_values((size_t)(sb * batch), TC_BF16);
    const int strange = k == 0 && beta != 0 && test_int(0, 1);
    bsr_of blocks;
    span c = span_values((size_t)(sd * batch), tc__gemm_c(*t)), bias = span_values((size_t)n, TC_F32);
    span d = span_make((size_t)(sd * batch + odd) * (size_t)dsize);
    span aux = span_make((size_t)(sx / bits * batch + odd) * (size_t)asize);
    span rows = span_make((size_t)m * batch * 4), cols = span_make((size_t)n * batch * 4), whole = span_make(4);
    span workspace;
    const bias_args hook_args = {(const float *)(bias.dev + GUARD)};
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    tc_gemm_plan plan;
    tc_gemm_args g;
    char what[300];
    for (int i = 0; i < 3 && strange; i++)
        tc_element_set(c.host + GUARD, tc__gemm_c(*t), (size_t)test_int(0, (int)(sd * batch) - 1),
                       i == 0 && test_int(0, 1) ? NAN : i == 1 ? -INFINITY : INFINITY);
    for (int i = 0, row = test_int(0, m - 1); i < n && strange && !col && test_int(0, 9); i++) /* -inf, mostly all */
        tc_element_set(c.host + GUARD, tc__gemm_c(*t), (size_t)(row * ldd + i), INFINITY);
    CUDA_CHECK(cudaMemcpy(c.dev + GUARD, c.host + GUARD, c.bytes, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k, g.lda = lda, g.ldb = ldb, g.ldc = g.ldd = ldd;
    if (k) g.a = a.dev + GUARD, g.b = b.dev + GUARD;
    for (int64_t i = 0; i < m * batch && t->k_range; i++)
        for (int x = SOME_K; x < k; x++)
            tc_element_set(a.host + GUARD, TC_BF16, (size_t)(i / m * sa + i % m * lda + x), 0);
    if (t->bsr) {
        blocks = bsr_drawn(t->bsr, &a, m, k, lda), g.lda = t->bsr, g.bsr.blocks = blocks.blocks;
        g.a = k && blocks.blocks ? blocks.values.dev + GUARD : 0;
        g.bsr.row_ptr = (const int32_t *)(blocks.row_ptr.dev + GUARD);
        g.bsr.col_idx = (const int32_t *)(blocks.col_idx.dev + GUARD);
    }
    g.c = beta != 0 ? c.dev + GUARD : 0, g.d = d.dev + GUARD + odd * dsize;
    g.alpha = &alpha, g.beta = &beta, g.batch = batch, g.pdl = test_int(-1, 1);
    if (batch > 1) g.stride_a = sa, g.stride_b = sb, g.stride_c = g.stride_d = sd;
    if (kn->hook) g.epi_args = &hook_args, g.epi_size = sizeof hook_args;
    if (t->aux) g.aux.p = aux.dev + GUARD + odd * asize, g.aux.ld = ldx, g.aux.stride = batch > 1 ? sx : 0;
    if (t->row_sum) g.row_out = (float *)(rows.dev + GUARD);
    if (t->col_sum) g.col_out = (float *)(cols.dev + GUARD);
    if (t->all_sum) g.all_out = (float *)(whole.dev + GUARD);
    if (kn->step && test_int(0, 1)) choice.width = kn->step * test_int(1, kn->wide / kn->step);
    if (kn->split && test_int(0, 1)) choice.parts = test_int(1, 5);
    if (test_int(0, 3)) g.choice = &choice;
    workspace = span_make(kn->room(&g));
    if (workspace.bytes) g.workspace = workspace.dev + GUARD, g.workspace_size = workspace.bytes;
    snprintf(what, sizeof what,
             "problem %llu %s m %d n %d k %d batch %d alpha %g beta %g odd %d ldd %d ldx %d w %d p %d",
             (unsigned long long)id, kn->name, m, n, k, batch, alpha, beta, odd, (int)ldd, (int)ldx,
             g.choice ? choice.width : 0, g.choice ? choice.parts : 0);
    const tc_status st = kn->run(&g, 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    span *all[5] = {&d, &aux, &rows, &cols, &whole};
    for (int i = 0; i < 5; i++) span_down(all[i], all[i]->host);
    CHECK(kn->plan(&g, &plan) == TC_OK && kn->launch(&plan, 0) == TC_OK, "%s: %s", what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 5; i++) {
        span_down(all[i], all[i]->again);
        CHECK(!memcmp(all[i]->host, all[i]->again, all[i]->bytes + 2 * GUARD), "%s: other bits of output %d", what, i);
    }
    span_down(&workspace, workspace.host);
    for (size_t i = 0; i < GUARD; i++)
        if (workspace.host[i] != 0xee || workspace.host[GUARD + workspace.bytes + i] != 0xee) {
            CHECK(0, "%s: written beside the workspace", what);
            break;
        }
    const shape dx = {lines, across, batch, dsize, ldd, sd, odd};
    const shape ax = {alines, aacross / bits, batch, asize, ldx / bits, sx / bits, odd};
    const shape rx = {1, m, batch, 4, m, m, 0}, cx = {1, n, batch, 4, n, n, 0}, wx = {1, 1, 1, 4, 1, 1, 0};
    const shape none = {0, 0, 0, 1, 0, 0, 0};
    CHECK(!strays(&d, &dx), "%s: written beside d", what);
    CHECK(!strays(&aux, t->aux ? &ax : &none), "%s: written beside aux", what);
    CHECK(!strays(&rows, t->row_sum ? &rx : &none), "%s: written beside row_out", what);
    CHECK(!strays(&cols, t->col_sum ? &cx : &none), "%s: written beside col_out", what);
    CHECK(!strays(&whole, t->all_sum ? &wx : &none), "%s: written beside all_out", what);

    int wrong[2] = {0, 0}, unsure = 0;
    double *ys = (double *)malloc((size_t)m * n * batch * 2 * sizeof(double)), *offs = ys + (int64_t)m * n * batch;
    const matrices_of y_all = {ys, offs, m, n, batch, 0};
    for (int z = 0; z < batch; z++) {
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                const int64_t at = z * sd + (col ? j * ldd + i : i * ldd + j);
                const int64_t ax_at = odd * bits + z * sx + (acol ? j * ldx + i : i * ldx + j);
                double sum = 0, size = 0, pre, off, y;
                for (int x = 0; x < k && alpha != 0; x++) {
                    const double p = (double)tc_element_get(a.host + GUARD, TC_BF16, (size_t)(z * sa + i * lda + x))
                                   * tc_element_get(b.host + GUARD, TC_BF16, (size_t)(z * sb + j * ldb + x));
                    sum += p, size += fabs(p);
                }
                const double cv = beta != 0 ? tc_element_get(c.host + GUARD, tc__gemm_c(*t), (size_t)at) : 0;
                pre = alpha * sum + beta * cv;
                off = (k + 8) * 1.2e-7 * size + (fabs(pre) > DBL_MAX ? 0 : 3e-7 * fabs(pre)) + 1e-6;
                y = pre;
                const double v = kn->hook ? tc_element_get(bias.host + GUARD, TC_F32, (size_t)j) : 0;
                if (kn->hook) y = pre + v < 0 ? 0 : pre + v;
                off += 2e-7 * fabs(v);
                const double got = tc_element_get(d.host + GUARD, t->d, (size_t)(odd + at));
                if (stored(t, i, j)) wrong[0] += !rounds_to(t->d, got, y, off);
                else wrong[0] += d.host[GUARD + (odd + at) * dsize] != 0xee, off = -1;
                ys[(z * (int64_t)m + i) * n + j] = y, offs[(z * (int64_t)m + i) * n + j] = off;
                if (t->aux) {
                    const double other = tc_element_get(aux.host + GUARD, t->aux, (size_t)ax_at);
                    if (is_mask(t->aux)) { /* of what is near 0 nobody knows */
                        unsure += fabs(pre + v) <= off;
                        if (fabs(pre + v) > off) wrong[1] += other != (pre + v > 0);
                    } else if (t->aux_what == TC_AUX_PRE) {
                        wrong[1] += !rounds_to(t->aux, other, pre, off);
                    } else {
                        const double s = scale_of(i);
                        wrong[1] += lost(i, j) ? other == other : !rounds_to(t->aux, other, s * pre, s * off);
                    }
                }
            }
        }
    }
    for (int64_t i = 0; i < alines * batch && bits > 1; i++) /* behind a row's last bit there are zeros */
        for (int64_t j = acol ? m : n; j < aacross; j++)
            wrong[1] += tc_element_get(aux.host + GUARD, TC_B1,
                                       (size_t)(odd * bits + i / alines * sx + i % alines * ldx + j)) != 0;
    const int rows_off = rows_wrong(t->row_sum, &y_all, (const float *)(rows.host + GUARD));
    const int cols_off = cols_wrong(t->col_sum, &y_all, (const float *)(cols.host + GUARD));
    const elements every = {ys, offs, (int64_t)m * n * batch, 1};
    const kept_of sum = keep(t->all_sum, every);
    const float one_out = *(const float *)(whole.host + GUARD);
    CHECK(!wrong[0], "%s: %d elements of d are wrong", what, wrong[0]);
    CHECK(!wrong[1], "%s: %d elements of aux are wrong", what, wrong[1]);
    CHECK(!rows_off && !cols_off, "%s: %d rows, %d columns are wrong", what, rows_off, cols_off);
    CHECK(!t->all_sum || close_to(one_out, sum.x, sum.off), "%s: all_out is %.9g, not %.9g", what, one_out, sum.x);
    CHECK(unsure * 10 <= m * n * batch + 100, "%s: %d elements of the mask are near 0", what, unsure);
    span_drop(&a), span_drop(&b), span_drop(&c), span_drop(&bias), span_drop(&d), span_drop(&aux), span_drop(&rows);
    span_drop(&cols), span_drop(&whole), span_drop(&workspace), free(ys);
    if (t->bsr) span_drop(&blocks.values), span_drop(&blocks.row_ptr), span_drop(&blocks.col_idx);
}

/* What is refused, and in which words. */
static void refused(const kernel *kn, const tc_gemm_args *g, const char *words)
{
    const char *why = "";
    CHECK(kn->can_run(g, &why) != TC_OK && strstr(why, words), "%s: \"%s\", not \"%s\"", kn->name, why, words);
}

/* D = C, whose rows have more parts than the second launch fetches at a time: log(sum of exp) of given numbers. */
static void wide_rows(const kernel *kn)
{
    enum { M = 5, N = 9000 };
    static const double middle[M] = {0, 90, -90, 3e4, 0}, spread[M] = {1, 20, 5, 100, 1e-3};
    span c = span_make((size_t)M * N * 4), d = span_make((size_t)M * N * 4);
    span rows = span_make(M * 4), cols = span_make(N * 4);
    double *y = (double *)calloc((size_t)2 * M * N, sizeof(double));
    const float one = 1.f;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    for (int i = 0; i < M * N; i++) {
        tc_element_set(c.host + GUARD, TC_F32, (size_t)i, middle[i / N] + spread[i / N] * test_normal());
        y[i] = tc_element_get(c.host + GUARD, TC_F32, (size_t)i);
    }
    CUDA_CHECK(cudaMemcpy(c.dev + GUARD, c.host + GUARD, c.bytes, cudaMemcpyHostToDevice));
    g.m = M, g.n = N, g.ldc = g.ldd = N, g.c = c.dev + GUARD, g.d = d.dev + GUARD, g.beta = &one;
    g.row_out = (float *)(rows.dev + GUARD);
    if (kn->c.col_sum) g.col_out = (float *)(cols.dev + GUARD);
    span workspace = span_make(kn->room(&g));
    g.workspace = workspace.dev + GUARD, g.workspace_size = workspace.bytes;
    CHECK(kn->run(&g, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    span_down(&rows, rows.host);
    for (int i = 0; i < M; i++) {
        const elements e = {y + i * N, y + M * N, N, 1};
        const kept_of k = keep_exps(e);
        const double got = ((const float *)(rows.host + GUARD))[i];
        CHECK(close_to(got, k.x, k.off), "%s: wide row %d is %.9g, not %.9g", kn->name, i, got, k.x);
    }
    span_drop(&c), span_drop(&rows), span_drop(&cols), span_drop(&d), span_drop(&workspace), free(y);
}

static void bad_input(const kernel *kn)
{
    static const bias_args bias = {0};
    char *at;
    tc_gemm_args good, g;
    if (kn->c.groups || kn->c.index || kn->c.gate || kn->c.sum_atomic || kn->c.bsr) return;
    if (kn->c.row_sum == TC_LOG_SUM_EXP && kn->c.d == TC_F32 && !tc__tiles_some(kn->c)) wide_rows(kn);
    CUDA_CHECK(cudaMalloc((void **)&at, 1 << 16));
    memset(&good, 0, sizeof good);
    good.m = good.n = good.k = 32, good.lda = good.ldb = good.ldd = good.aux.ld = 32;
    good.a = good.b = at, good.d = at + 8192, good.aux.p = at + 16384;
    good.workspace = at + 32768, good.workspace_size = 16384;
    if (kn->hook) good.epi_args = &bias, good.epi_size = sizeof bias;
    if (kn->c.row_sum) good.row_out = (float *)(at + 4096);
    if (kn->c.col_sum) good.col_out = (float *)(at + 4096);
    if (kn->c.all_sum) good.all_out = (float *)(at + 4096);
    if (!kn->c.aux) {
        refused(kn, &good, "aux is given, but the kernel was generated without .aux");
        memset(&good.aux, 0, sizeof good.aux);
    }
    CHECK(kn->can_run(&good, 0) == TC_OK, "%s: %s", kn->name, tc_why());
    if (kn->c.aux) {
        const int size = tc_type_bits(kn->c.aux) / 8, acol = kn->c.aux_layout ? kn->c.aux_layout == TC_COL
                                                                            : kn->c.d_layout == TC_COL;
        g = good, g.aux.p = 0, refused(kn, &g, "aux.p is null, but the kernel has .aux");
        g = good, g.aux.p = at + 16385;
        if (size > 1) refused(kn, &g, "is not a multiple of its element's");
        g = good, g.aux.ld = 31;
        refused(kn, &g, acol ? "aux.ld = 31 is less than m = 32" : "aux.ld = 31 is less than n = 32");
        if (kn->c.aux == TC_B1) {
            g = good, g.aux.ld = 36, refused(kn, &g, "aux.ld = 36 is not a multiple of 8 bits");
            g = good, g.batch = 2, g.stride_d = 1024, g.aux.stride = 1025;
            refused(kn, &g, "aux.stride = 1025 is not a multiple of 8 bits");
        }
        g = good, g.batch = 2, g.stride_d = 1024;
        refused(kn, &g, "aux.stride = 0, but batch = 2 products need a place");
    }
    if (kn->c.row_sum) {
        g = good, g.row_out = 0, refused(kn, &g, "row_out is null, but the kernel has .row_sum");
        g = good, g.row_out = (float *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.workspace = 0, g.workspace_size = 0;
        if (!kn->c.all_sum && !kn->c.col_sum)
            refused(kn, &g, kn->c.row_sum == TC_LOG_SUM_EXP
                                ? "workspace_size = 0 is less than the 512 bytes that .row_sum needs"
                                : "workspace_size = 0 is less than the 256 bytes that .row_sum needs");
        g = good, g.workspace_size = 240, refused(kn, &g, "workspace_size = 240 is less than the");
    } else {
        g = good, g.row_out = (float *)at, refused(kn, &g, "row_out is given, but the kernel was generated without");
    }
    if (kn->c.all_sum) {
        g = good, g.all_out = 0, refused(kn, &g, "all_out is null, but the kernel has .all_sum");
        g = good, g.all_out = (float *)(at + 2), refused(kn, &g, "is not a multiple of 4 bytes");
        g = good, g.workspace = 0, g.workspace_size = 0;
        if (!kn->c.row_sum) /* 32 rows, a total of them, the counter */
            refused(kn, &g, "workspace_size = 0 is less than the 272 bytes that .all_sum needs");
    } else {
        g = good, g.all_out = (float *)at, refused(kn, &g, "all_out is given, but the kernel was generated without");
    }
    CUDA_CHECK(cudaFree(at));
}

#define EACH_KERNEL
#include "gemm_problems.h"

int main(int argc, char **argv)
{
    const problem_test test = {"gemm_outputs", one, ONCE(bad_input)};
    return each_problem(&test, problem_args_of(argc, argv, 160));
}
