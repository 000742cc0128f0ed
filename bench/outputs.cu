/* outputs.cu - what it costs a GEMM to write more than D (.aux, .row_sum, .col_sum), and to quantise D (.d_scale,
 * .d_sf): 4096 x 14336 x 4096 in bf16; and two products of one A with one D (.gate), beside one product of as many
 * operations, whose D has twice the columns. And what it costs to add a matrix of D's size: as C, or by a hook.
 *     build/bench/outputs                   a minute on an H100: times in turns, and their ratios to the plain kernel's
 *     build/bench/outputs 4096 4096 4096    another m, n, k
 *
 * One tile for all of a kind, so that the ratio is of the epilogue alone: cooperative, and ping-pong (turns); `any` is
 * TC_GEMM_DEFINE's choice, with a workspace. Each takes turns with its plain kernel, in bursts of 40 ms; the ratio is
 * the median of the rounds', with their spread. D alone is larger than the L2. */
#define TC_SM90_STUBS
#include "../tc.h"
#include <stdio.h>
#include <stdlib.h>

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define TILE BF16, .bm = 128, .bn = 256, .cluster_m = 2
#define TURNS BF16, .bm = 128, .bn = 192, .cluster_m = 2, .schedule = TC_PINGPONG
#define AUX .aux = TC_BF16, .aux_what = TC_AUX_PRE, .epi = tc_epi_gelu
TC_GEMM_SM90_DEFINE(plain, TILE, .epi = tc_epi_gelu)
TC_GEMM_SM90_DEFINE(aux, TILE, AUX)
TC_GEMM_SM90_DEFINE(rows, TILE, .epi = tc_epi_gelu, .row_sum = TC_SUM_SQ)
TC_GEMM_SM90_DEFINE(both, TILE, AUX, .row_sum = TC_SUM_SQ)
TC_GEMM_SM90_DEFINE(cols, TILE, .epi = tc_epi_gelu, .col_sum = TC_SUM)
#define NARROW .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, .bm = 128, .bn = 256, .cluster_m = 2, .epi = tc_epi_gelu
TC_GEMM_SM90_DEFINE(blocks, NARROW, .d_scale = TC_SCALE_1X128)
TC_GEMM_SM90_DEFINE(mxfp8, NARROW, .d_sf = TC_SF_UE8M0_32)
TC_GEMM_SM90_DEFINE(turns, TURNS, .epi = tc_epi_gelu)
TC_GEMM_SM90_DEFINE(turns_aux, TURNS, AUX)
TC_GEMM_SM90_DEFINE(turns_rows, TURNS, .epi = tc_epi_gelu, .row_sum = TC_SUM_SQ)
TC_GEMM_SM90_DEFINE(turns_cols, TURNS, .epi = tc_epi_gelu, .col_sum = TC_SUM)
/* a second output of 8 bits, the same across D, one of bits; sums of other kinds */
TC_DEV float mask(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x > 0.f;
}
TC_GEMM_SM90_DEFINE(turns_aux8, TURNS, .aux = TC_E4M3, .aux_what = TC_AUX_PRE, .epi = tc_epi_gelu)
TC_GEMM_SM90_DEFINE(turns_across8, TURNS, .aux = TC_E4M3, .aux_what = TC_AUX_PRE, .aux_layout = TC_COL,
                    .epi = tc_epi_gelu)
TC_GEMM_SM90_DEFINE(turns_bits, TURNS, .aux = TC_B1, .aux_epi = mask, .epi = tc_epi_gelu)
TC_GEMM_SM90_DEFINE(turns_lse, TURNS, .epi = tc_epi_gelu, .row_sum = TC_LOG_SUM_EXP)
TC_GEMM_SM90_DEFINE(turns_all, TURNS, .epi = tc_epi_gelu, .all_sum = TC_MAX_ABS)
TC_GEMM_SM90_DEFINE(turns_atomic, TURNS, .epi = tc_epi_gelu, .col_sum = TC_SUM, .sum_atomic = 1)
#define TURNS_128 .bm = 128, .bn = 128, .cluster_m = 2, .schedule = TC_PINGPONG, .epi = tc_epi_gelu
TC_GEMM_SM90_DEFINE(turns_128, BF16, TURNS_128)
TC_GEMM_SM90_DEFINE(turns_blocks, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, TURNS_128, .d_scale = TC_SCALE_1X128)
TC_GEMM_SM90_DEFINE(turns_mxfp8, .a = TC_BF16, .b = TC_BF16, .d = TC_E4M3, TURNS_128, .d_sf = TC_SF_UE8M0_32)
TC_GEMM_SM90_DEFINE(none, TILE)
TC_GEMM_SM90_DEFINE(turns_none, TURNS)
TC_GEMM_SM90_DEFINE(hook, TILE, .epi2 = tc_epi2_residual_bf16)
TC_GEMM_SM90_DEFINE(turns_hook, TURNS, .epi2 = tc_epi2_residual_bf16)
TC_GEMM_DEFINE(any, BF16)
TC_GEMM_DEFINE(any_hook, BF16, .epi2 = tc_epi2_residual_bf16)
TC_GEMM_SM90_DEFINE(gate, TILE, .gate = tc_gate_gelu)
TC_GEMM_SM90_DEFINE(turns_gate, TURNS, .gate = tc_gate_gelu)

typedef struct side {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int aux, rows, cols, scale, sf, base; /* what it writes; base: the side that it is compared with */
    int two;                              /* products: TWO_B of an A, or ONE_WIDE of as many operations */
    int added;                            /* AS_C, BY_HOOK: the matrix that is added */
    int across, all;                      /* the second output's lines are columns; a sum of all of D */
} side;
enum { TWO_B = 1, ONE_WIDE = 2, AS_C = 1, BY_HOOK = 2 };
static const side sides[] = {
    {"plain", plain_run, 0, 0, 0, 0, 0, 0},       {"aux", aux_run, 1, 0, 0, 0, 0, 0},
    {"rows", rows_run, 0, 1, 0, 0, 0, 0},         {"both", both_run, 1, 1, 0, 0, 0, 0},
    {"turns", turns_run, 0, 0, 0, 0, 0, 4},       {"turns_aux", turns_aux_run, 1, 0, 0, 0, 0, 4},
    {"turns_rows", turns_rows_run, 0, 1, 0, 0, 0, 4},
    {"cols", cols_run, 0, 0, 1, 0, 0, 0},         {"blocks", blocks_run, 0, 0, 0, 1, 0, 0},
    {"mxfp8", mxfp8_run, 0, 0, 0, 0, 1, 0},
    {"wide", plain_run, 0, 0, 0, 0, 0, 10, ONE_WIDE}, {"gate", gate_run, 0, 0, 0, 0, 0, 10, TWO_B},
    {"turns_wide", turns_run, 0, 0, 0, 0, 0, 12, ONE_WIDE},
    {"turns_gate", turns_gate_run, 0, 0, 0, 0, 0, 12, TWO_B},
    {"turns_cols", turns_cols_run, 0, 0, 1, 0, 0, 4},
    {"turns_aux8", turns_aux8_run, 1, 0, 0, 0, 0, 4},
    {"turns_across8", turns_across8_run, 1, 0, 0, 0, 0, 4, 0, 0, 1},
    {"turns_bits", turns_bits_run, 1, 0, 0, 0, 0, 4},
    {"turns_lse", turns_lse_run, 0, 1, 0, 0, 0, 4},
    {"turns_all", turns_all_run, 0, 0, 0, 0, 0, 4, 0, 0, 0, 1},
    {"turns_atomic", turns_atomic_run, 0, 0, 1, 0, 0, 4},
    {"turns_128", turns_128_run, 0, 0, 0, 0, 0, 21},
    {"turns_blocks", turns_blocks_run, 0, 0, 0, 1, 0, 21},
    {"turns_mxfp8", turns_mxfp8_run, 0, 0, 0, 0, 1, 21},
    {"none", none_run, 0, 0, 0, 0, 0, 24},        {"none_c", none_run, 0, 0, 0, 0, 0, 24, 0, AS_C},
    {"hook", hook_run, 0, 0, 0, 0, 0, 24, 0, BY_HOOK},
    {"turns_none", turns_none_run, 0, 0, 0, 0, 0, 27},
    {"turns_none_c", turns_none_run, 0, 0, 0, 0, 0, 27, 0, AS_C},
    {"turns_hook", turns_hook_run, 0, 0, 0, 0, 0, 27, 0, BY_HOOK},
    {"any", any_run, 0, 0, 0, 0, 0, 30},          {"any_c", any_run, 0, 0, 0, 0, 0, 30, 0, AS_C},
    {"any_hook", any_hook_run, 0, 0, 0, 0, 0, 30, 0, BY_HOOK},
};
enum { SIDES = sizeof sides / sizeof sides[0], ROUNDS = 7, ROOM = 1 << 28 };

static void check(cudaError_t err)
{
    if (err == cudaSuccess) return;
    printf("outputs: %s\n", cudaGetErrorString(err));
    exit(1);
}

static __global__ void fill(uint16_t *p, size_t count, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t x = (uint32_t)i * 2654435761u + seed;
        x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
        p[i] = tc_bf16_from_f32((float)(int)(x % 2001u) * 0.001f - 1.f);
    }
}

static void *matrix(size_t count, uint32_t seed)
{
    void *p;
    check(cudaMalloc(&p, count * 2));
    fill<<<1024, 256>>>((uint16_t *)p, count, seed);
    check(cudaGetLastError());
    return p;
}

static int less(const void *x, const void *y)
{
    return (*(const float *)x > *(const float *)y) - (*(const float *)x < *(const float *)y);
}

int main(int argc, char **argv)
{
    const int m = argc > 1 ? atoi(argv[1]) : 4096, n = argc > 2 ? atoi(argv[2]) : 14336;
    const int k = argc > 3 ? atoi(argv[3]) : 4096;
    const double calls_of_40_ms = 40e-3 * 650e12 / (2. * m * n * k);
    const int calls = calls_of_40_ms < 1500 ? 1 + (int)calls_of_40_ms : 1500;
    tc_gemm_args plain_args = {.m = m, .n = n, .k = k, .lda = k, .ldb = k, .ldd = n};
    void *second = matrix((size_t)m * n, 4), *workspace;
    float *out, *sums, *factors;
    cudaEvent_t from, to;
    printf("m %d n %d k %d, bf16, gelu; median of %d rounds of %d calls\n", m, n, k, ROUNDS, calls);
    plain_args.a = matrix((size_t)m * k, 1), plain_args.b = matrix((size_t)n * k * 2, 2);
    plain_args.d = matrix((size_t)m * n * 2, 3);
    check(cudaMalloc(&workspace, ROOM)), check(cudaMalloc((void **)&out, (size_t)m * 4));
    check(cudaMalloc((void **)&sums, (size_t)n * 4));
    check(cudaMalloc((void **)&factors, ((size_t)m + 127) * (((size_t)n + 127) / 128) * 4));
    check(cudaEventCreate(&from)), check(cudaEventCreate(&to));
    for (int i = 0; i < SIDES; i++) {
        const int base = sides[i].base;
        float ms[2][ROUNDS], ratio[ROUNDS];
        for (int round = -1; round < ROUNDS; round++) /* the first warms up */
            for (int other = 1; other >= 0; other--) {
                const side *s = &sides[other ? base : i];
                tc_gemm_args g = plain_args;
                const tc_epi_matrix residual = {second, n};
                const float one = 1.f;
                if (s->aux) g.aux.p = second, g.aux.ld = s->across ? m : n;
                if (s->all) g.all_out = out, g.workspace = workspace, g.workspace_size = ROOM;
                if (s->added == AS_C) g.c = second, g.ldc = n, g.beta = &one;
                if (s->added == BY_HOOK) g.epi_args = &residual, g.epi_size = sizeof residual;
                if (s->run == any_run || s->run == any_hook_run) g.workspace = workspace, g.workspace_size = ROOM;
                if (s->rows) g.row_out = out, g.workspace = workspace, g.workspace_size = ROOM;
                if (s->cols) g.col_out = sums, g.workspace = workspace, g.workspace_size = ROOM;
                if (s->scale) g.d_scale_out.at = factors, g.d_scale_out.lines = 1, g.d_scale_out.blocks = m;
                if (s->sf) g.d_sf_out = factors;
                if (s->two == TWO_B) g.b2 = (const uint16_t *)g.b + (size_t)n * k;
                if (s->two == ONE_WIDE) g.n = g.ldd = 2 * n;
                check(cudaEventRecord(from));
                for (int call = 0; call < calls; call++) {
                    if (s->run(&g, 0) == TC_OK) continue;
                    printf("outputs: %s: %s\n", s->name, tc_why());
                    return 1;
                }
                check(cudaEventRecord(to)), check(cudaEventSynchronize(to));
                if (round >= 0) check(cudaEventElapsedTime(&ms[other][round], from, to));
            }
        for (int round = 0; round < ROUNDS; round++) ratio[round] = ms[0][round] / ms[1][round];
        qsort(ms[0], ROUNDS, sizeof ms[0][0], less), qsort(ratio, ROUNDS, sizeof ratio[0], less);
        printf("%-12s %8.1f us %8.1f TFLOP/s   %.3f (%.3f to %.3f) of %s's time\n", sides[i].name,
               ms[0][ROUNDS / 2] * 1e3 / calls, (sides[i].two ? 4e-9 : 2e-9) * m * n * k * calls / ms[0][ROUNDS / 2],
               ratio[ROUNDS / 2], ratio[0], ratio[ROUNDS - 1], sides[base].name);
    }
    return 0;
}
