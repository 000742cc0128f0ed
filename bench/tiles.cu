/* tiles.cu - what it is worth not to compute all of D, of k, of A (.triangle, .k_range, .bsr): each beside the full
 * product of the same tile, in the same run.
 *     make build/bench/tiles && build/bench/tiles       on Hopper, a minute: 8192 x 8192 x 8192 in bf16
 *     build/bench/tiles 4096                            another size, a multiple of 128
 *     build/bench/tiles 8192 0.02 5                     seconds of a burst, rounds
 *
 * Calls stand in CUDA graphs and the kernels take turns (bench.h). syrk: the lower triangle of A A^T. trmm: A's lower
 * triangle times B. bsr: one of four blocks of 128 x 128 of A is there, at random; even: the same number in each row of
 * them. wide is cooperative, 128 x 256; pair ping-pong, 128 x 192. TFLOP/s are of what is computed: of half the
 * products, of a quarter. A line's last column is the ratio of the full product's time to its own, the median of the
 * rounds. Values are checked by tests/gemm_tiles.cu. */
#define TC_SM90_STUBS
#include "bench.h"

TC_DEV tc_gemm_k to_diagonal(tc_gemm_tile t, const void *args)
{
    const tc_gemm_k k = {0, t.row_end};
    (void)args;
    return k;
}
#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define WIDE BF16, .bm = 128, .bn = 256
#define PAIR BF16, .bm = 128, .bn = 192, .schedule = TC_PINGPONG
#define LOWER .triangle = TC_TRIANGLE_LOWER
#define TRMM .k_range = to_diagonal, .epi_size = TC_NO_ARGS
TC_GEMM_SM90_DEFINE(wide, WIDE, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(wide_syrk, WIDE, .cluster_m = 2, LOWER)
TC_GEMM_SM90_DEFINE(wide_trmm, WIDE, .cluster_m = 2, TRMM)
TC_GEMM_SM90_DEFINE(wide_bsr, WIDE, .bsr = 128)
TC_GEMM_SM90_DEFINE(pair, PAIR, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(pair_syrk, PAIR, .cluster_m = 2, LOWER)
TC_GEMM_SM90_DEFINE(pair_trmm, PAIR, .cluster_m = 2, TRMM)
TC_GEMM_SM90_DEFINE(pair_bsr, PAIR, .bsr = 128)

enum { FULL, SYRK, TRIANGULAR, RANDOM, EVEN };
typedef struct tiles_side {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int what, base; /* base: the side of the full product */
    double part;    /* of its products */
} tiles_side;
static tiles_side sides[] = {
    {"wide", wide_run, FULL, 0, 1},           {"wide_syrk", wide_syrk_run, SYRK, 0, .5},
    {"wide_trmm", wide_trmm_run, TRIANGULAR, 0, .5}, {"wide_bsr", wide_bsr_run, RANDOM, 0, .25},
    {"wide_bsr_even", wide_bsr_run, EVEN, 0, .25},
    {"pair", pair_run, FULL, 5, 1},           {"pair_syrk", pair_syrk_run, SYRK, 5, .5},
    {"pair_trmm", pair_trmm_run, TRIANGULAR, 5, .5}, {"pair_bsr", pair_bsr_run, RANDOM, 5, .25},
    {"pair_bsr_even", pair_bsr_run, EVEN, 5, .25},
};
enum { SIDES = sizeof sides / sizeof sides[0], BLOCK = 128 };

static tc_gemm_bsr lists[EVEN + 1];

/* One of four blocks, of all or of each row. */
static tc_gemm_bsr make_list(int what, int down, int across)
{
    int32_t *row_ptr = (int32_t *)malloc(sizeof(int32_t) * (size_t)(down + 1)), *to[2];
    int32_t *col_idx = (int32_t *)malloc(sizeof(int32_t) * (size_t)down * across);
    uint32_t state = 1;
    int wanted = down * across / 4, left = down * across, blocks = 0;
    for (int i = 0; i < down; i++) {
        row_ptr[i] = blocks;
        if (what == EVEN) wanted = across / 4, left = across;
        for (int j = 0; j < across; j++, left--) {
            state = state * 1664525u + 1013904223u;
            if ((int)((uint64_t)state * (uint32_t)left >> 32) >= wanted) continue;
            col_idx[blocks++] = j, wanted--;
        }
    }
    row_ptr[down] = blocks;
    CUDA_CHECK(cudaMalloc((void **)&to[0], sizeof(int32_t) * (size_t)(down + 1)));
    CUDA_CHECK(cudaMalloc((void **)&to[1], sizeof(int32_t) * (size_t)(blocks + 1)));
    CUDA_CHECK(cudaMemcpy(to[0], row_ptr, sizeof(int32_t) * (size_t)(down + 1), cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(to[1], col_idx, sizeof(int32_t) * (size_t)blocks, cudaMemcpyHostToDevice));
    free(row_ptr), free(col_idx);
    const tc_gemm_bsr list = {to[0], to[1], blocks};
    return list;
}

static int run_side(void *self, const bench_problem *p, int set)
{
    const tiles_side *s = (const tiles_side *)self;
    tc_gemm_args g = bench_args(p, set);
    g.workspace = 0, g.workspace_size = 0;
    if (s->what == SYRK) g.b = g.a;
    if (s->what >= RANDOM) g.lda = BLOCK, g.bsr = lists[s->what];
    if (s->run(&g, p->stream) == TC_OK) return 0;
    printf("tiles: %s: %s\n", s->name, tc_why());
    return 1;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 8192;
    const bench_plan plan = {argc > 2 ? atof(argv[2]) : 0.2, argc > 3 ? atoi(argv[3]) : 15};
    const bench_shape shape = {n, n, n};
    const bench_kind kind = {TC_BF16, TC_BF16, 0, 0, 0, 0, 0};
    static bench_side all[SIDES];
    bench_side *turns[SIDES];
    if (n < BLOCK || n % BLOCK || plan.rounds < 1 || plan.rounds > BENCH_ROUNDS_MAX) {
        printf("tiles: size %d must be a multiple of %d, rounds %d in 1..%d\n", n, BLOCK, plan.rounds,
               BENCH_ROUNDS_MAX);
        return 1;
    }
    bench_problem p = bench_problem_make(shape, kind, 0);
    lists[RANDOM] = make_list(RANDOM, n / BLOCK, n / BLOCK), lists[EVEN] = make_list(EVEN, n / BLOCK, n / BLOCK);
    for (int i = 0; i < SIDES; i++) {
        all[i].run = run_side, all[i].self = &sides[i], turns[i] = &all[i];
        if (bench_side_capture(&all[i], &p)) return 1;
    }
    bench_alternate(turns, SIDES, &plan);
    printf("%d x %d x %d, bf16; %d and %d blocks of %d; median of %d rounds\n", n, n, n, lists[RANDOM].blocks,
           lists[EVEN].blocks, n / BLOCK * (n / BLOCK), plan.rounds);
    for (int i = 0; i < SIDES; i++) {
        const bench_ratio r = bench_against(&all[i], &all[sides[i].base], plan.rounds);
        printf("%-14s %8.1f us %8.1f TFLOP/s   %.2f times as fast as %s (%.2f to %.2f)\n", sides[i].name,
               all[i].median * 1e6, sides[i].part * bench_flops(&p) / all[i].median * 1e-12, r.median,
               sides[sides[i].base].name, r.min, r.max);
    }
    for (int i = 0; i < SIDES; i++) bench_side_free(&all[i]);
    bench_problem_free(&p);
    return 0;
}
