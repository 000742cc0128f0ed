/* b2b.cu - two products in a row whose middle stays on the chip (tc_gemm_b2b.h), beside two calls of TC_GEMM_DEFINE and
 * two of cuBLASLt.
 *     make build/bench/b2b && build/bench/b2b         about a minute on an H200
 *     --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds (default 0.05, 9)
 *     --only 16384                 shapes of so many rows alone
 *     --tiny                       small shapes, for tcemu: is D right?
 *
 * bf16. Of each shape without a hook between the products, and with GELU (the tanh form, as cuBLASLt has it; there
 * with a bias of zeros). Calls are captured in CUDA graphs over sets of A and D that do not fit the L2 together; all
 * three take turns. cuBLASLt's algorithms are the fastest of its heuristic's for each of the two products. A ratio is
 * the median of those of the rounds. D is held against that of the two calls. */
#define TC_SM90_STUBS
#include "bench.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
TC_GEMM_B2B_DEFINE(plain_256, BF16)
TC_GEMM_B2B_DEFINE(plain_128, BF16, .bn0 = 128)
TC_GEMM_B2B_DEFINE(plain_64, BF16, .bn0 = 64)
TC_GEMM_B2B_DEFINE(gelu_256, BF16, .act = tc_epi_gelu_tanh)
TC_GEMM_B2B_DEFINE(gelu_128, BF16, .bn0 = 128, .act = tc_epi_gelu_tanh)
TC_GEMM_B2B_DEFINE(gelu_64, BF16, .bn0 = 64, .act = tc_epi_gelu_tanh)
TC_GEMM_DEFINE(gemm, BF16)
TC_GEMM_DEFINE(gemm_gelu, BF16, .epi = tc_epi_gelu_tanh)

typedef struct shape {
    int m, n, n0, k;
} shape;
static const shape real[] = {{16384, 64, 256, 64}, {16384, 128, 256, 128}, {16384, 64, 64, 64}, {16384, 256, 128, 256},
                             {131072, 64, 256, 64}, {131072, 128, 128, 128}, {4096, 64, 256, 64},
                             {4096, 4096, 64, 4096}, {8192, 1024, 256, 1024}};
static const shape tiny[] = {{300, 64, 256, 64}, {200, 136, 104, 72}};

/* The two products; the middle is the first one's D and the second one's A. */
typedef struct contest {
    shape s;
    int gelu;
    bench_problem first, second;
    bench_cublas lt[2];
} contest;

static int run_one(void *self, const bench_problem *p, int set)
{
    const contest *c = (const contest *)self;
    const tc_gemm_args x = bench_args(&c->first, set), y = bench_args(&c->second, set);
    tc_gemm_b2b_args g;
    tc_status st;
    memset(&g, 0, sizeof g);
    g.m = c->s.m, g.n = c->s.n, g.n0 = c->s.n0, g.k = c->s.k;
    g.a = x.a, g.lda = x.lda, g.b0 = x.b, g.ldb0 = x.ldb, g.b1 = y.b, g.ldb1 = y.ldb, g.d = y.d, g.ldd = y.ldd;
    if (c->s.n0 > 128) st = (c->gelu ? gelu_256_run : plain_256_run)(&g, p->stream);
    else if (c->s.n0 > 64) st = (c->gelu ? gelu_128_run : plain_128_run)(&g, p->stream);
    else st = (c->gelu ? gelu_64_run : plain_64_run)(&g, p->stream);
    if (st != TC_OK) printf("# one call: %s\n", tc_why());
    return st != TC_OK;
}

static int run_two(void *self, const bench_problem *p, int set)
{
    const contest *c = (const contest *)self;
    const tc_gemm_args x = bench_args(&c->first, set), y = bench_args(&c->second, set);
    tc_status st = (c->gelu ? gemm_gelu_run : gemm_run)(&x, p->stream);
    if (st == TC_OK) st = gemm_run(&y, p->stream);
    if (st != TC_OK) printf("# two calls: %s\n", tc_why());
    return st != TC_OK;
}

static int run_lt(void *self, const bench_problem *p, int set)
{
    contest *c = (contest *)self;
    (void)p;
    return bench_cublas_run(c->lt[0].sides[0].self, &c->first, set)
        || bench_cublas_run(c->lt[1].sides[0].self, &c->second, set);
}

/* Problems of a shape, over one stream and one middle. */
static void contest_make(contest *c, const shape *s, int gelu, int sets)
{
    const bench_kind kind = {TC_BF16, TC_BF16, 0, 0, 0, 0, 0};
    const bench_shape moved = {s->m, s->n, s->k}, first = {s->m, s->n0, s->k}, second = {s->m, s->n, s->n0};
    int l2 = 0;
    memset(c, 0, sizeof *c);
    c->s = *s, c->gelu = gelu;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    if (!sets) sets = bench_sets(moved, kind, l2);
    c->first = bench_problem_make(first, kind, sets), c->second = bench_problem_make(second, kind, sets);
    CUDA_CHECK(cudaFree(c->second.a));
    CUDA_CHECK(cudaStreamDestroy(c->second.stream));
    c->second.a = c->first.d, c->second.stream = c->first.stream;
}

static void contest_free(contest *c)
{
    c->second.a = 0;
    CUDA_CHECK(cudaStreamCreate(&c->second.stream));
    bench_problem_free(&c->first);
    bench_problem_free(&c->second);
}

/* How far one call's D is from two calls': both round the middle to bf16. */
static float difference(contest *c)
{
    char *other;
    bench_difference d;
    CUDA_CHECK(cudaMalloc((void **)&other, c->second.d_size));
    if (run_two(c, &c->first, 0)) return INFINITY;
    CUDA_CHECK(cudaStreamSynchronize(c->first.stream));
    CUDA_CHECK(cudaMemcpy(other, c->second.d, c->second.d_size, cudaMemcpyDeviceToDevice));
    bench_poison(&c->second);
    if (run_one(c, &c->first, 0)) return INFINITY;
    CUDA_CHECK(cudaStreamSynchronize(c->first.stream));
    d = bench_diff(&c->second, 0, other);
    CUDA_CHECK(cudaFree(other));
    return d.value;
}

static void measure(contest *c, const bench_plan *plan)
{
    bench_side sides[3], *turns[3] = {&sides[0], &sides[1], &sides[2]};
    bench_fn run[3] = {run_one, run_two, run_lt};
    const size_t bias_bytes = (size_t)c->s.n0 * 2;
    const double flops = bench_flops(&c->first) + bench_flops(&c->second);
    bench_ratio two, lt;
    void *bias;
    int failed = 0;
    CUDA_CHECK(cudaMalloc(&bias, bias_bytes));
    CUDA_CHECK(cudaMemset(bias, 0, bias_bytes));
    memset(sides, 0, sizeof sides);
    bench_cublas_make(&c->lt[0], &c->first, c->gelu ? bias : 0);
    bench_cublas_make(&c->lt[1], &c->second, 0);
    for (int i = 0; i < 2; i++) {
        if (c->lt[i].count) bench_cublas_rank(&c->lt[i], plan);
        else failed = 1;
    }
    for (int i = 0; i < 3 && !failed; i++) {
        sides[i].run = run[i], sides[i].self = c;
        failed = bench_side_capture(&sides[i], &c->first);
    }
    if (failed) {
        printf("# %d: not measured\n", c->s.m);
    } else {
        bench_alternate(turns, 3, plan);
        two = bench_against(&sides[0], &sides[1], plan->rounds), lt = bench_against(&sides[0], &sides[2], plan->rounds);
        printf("%d,%d,%d,%d,%s,%.2f,%.2f,%.2f,%.1f,%.2f,%.2f\n", c->s.m, c->s.n, c->s.n0, c->s.k,
               c->gelu ? "gelu" : "none", sides[0].median * 1e6, sides[1].median * 1e6, sides[2].median * 1e6,
               1e-12 * flops / sides[0].median, two.median, lt.median);
    }
    for (int i = 0; i < 3; i++) bench_side_free(&sides[i]);
    for (int i = 0; i < 2; i++) bench_cublas_free(&c->lt[i]);
    CUDA_CHECK(cudaFree(bias));
}

int main(int argc, char **argv)
{
    bench_plan plan = {0.05, 9};
    const shape *shapes = real;
    int count = sizeof real / sizeof real[0], small = 0, only = 0, wrong = 0;
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : "0";
        if (!strcmp(argv[i], "--tiny")) small = 1, shapes = tiny, count = sizeof tiny / sizeof tiny[0];
        else if (!strcmp(argv[i], "--seconds")) plan.seconds = atof(next), i++;
        else if (!strcmp(argv[i], "--rounds")) plan.rounds = atoi(next), i++;
        else if (!strcmp(argv[i], "--only")) only = atoi(next), i++;
        else {
            fprintf(stderr, "b2b: unknown option %s; bench/b2b.cu says what there is\n", argv[i]);
            return 2;
        }
    }
    if (plan.rounds < 1 || plan.rounds > BENCH_ROUNDS_MAX) plan.rounds = 9;
    printf("m,n,n0,k,act,us,us_two_calls,us_cublaslt,TFLOP/s,times_two_calls,times_cublaslt\n");
    for (int i = 0; i < 2 * count; i++) {
        contest c;
        float off;
        if (only && shapes[i / 2].m != only) continue;
        contest_make(&c, &shapes[i / 2], i % 2, small);
        off = difference(&c);
        if (!(off < BENCH_LIMIT))
            printf("# %d %d %d %d: WRONG by %g\n", c.s.m, c.s.n, c.s.n0, c.s.k, (double)off), wrong++;
        if (!small) measure(&c, &plan);
        contest_free(&c);
        fflush(stdout);
    }
    printf("# %s\n", wrong ? "WRONG" : "D is right");
    return wrong != 0;
}
