/* gemm.cu - the generated GEMMs beside cuBLASLt: make bench writes bench/results/gemm.csv, and plots of it to docs/.
 *     build/bench/gemm                              every group of gemm_shapes.h, about six minutes on an H200
 *     build/bench/gemm --group small few            these groups alone
 *     build/bench/gemm --shapes 4096,4096,64 1,8,8  shapes of your own (m,n,k or m,n,k,batch)
 *     --as fused    shapes of your own with that group's kernel (default: as in big)
 *     build/bench/gemm --seconds 0.01 --rounds 3    a quick look: shorter bursts, fewer rounds
 *     --warm 0      do not run the board hot first (default: 3 s of cuBLASLt at 4096^3)
 *     --pdl 1       the kit's kernels may begin while the one before drains (cuBLASLt's may not); -1: never (default:
 *                   where the kit thinks that it pays)
 *     --zeros 1     A and B of zeros, which draw little power: how fast kernels are where that is not the limit; D is 0
 *     --sets 1      operands that stay in the L2 (default: as many sets as fill it three times)
 *     --out FILE    the record to a file too, written under its name once it is complete
 *     --list        names of the groups; --dry-run: every shape with its sets, bytes and time. Neither needs a GPU.
 *
 * How it measures. D[m,n] = A[m,k] * B[n,k]^T, standard normal operands. Both sides in one process, each call captured
 * in a CUDA graph that goes through all sets of operands, the graphs replayed. cuBLASLt's first eight algorithms
 * are ranked by short bursts; the best two or three and the kit then take turns, a burst each a round, and the one that
 * fares best against the kit is its opponent. ratio: the kit's rate over cuBLASLt's, the median over the rounds of the
 * ratio within one round; min and max are its spread. Every D is checked: against cuBLASLt's, element by element, and
 * at 4096 places against a sum in fp64. A call that fails, or a wrong D, counts as ratio 0; where cuBLASLt refuses the
 * problem, other is 0 and there is no ratio. */
#include "bench.h"
#include "gemm_shapes.h"
#include <stdarg.h>

/* bench/gemm_kernels.cu has them */
TC_GEMM_DECLARE(gemm_any);
TC_GEMM_DECLARE(gemm_f16);
TC_GEMM_DECLARE(gemm_erf);
TC_GEMM_DECLARE(gemm_tanh);
TC_GEMM_DECLARE(gemm_sm80);
TC_GEMM_DECLARE(gemm_row_row);
TC_GEMM_DECLARE(gemm_col_col);
TC_GEMM_DECLARE(gemm_col_row);
TC_GEMM_DECLARE(gemm_tf32);
TC_GEMM_DECLARE(gemm_s8);
TC_GEMM_DECLARE(gemm_s8_scales);
TC_GEMM_DECLARE(gemm_e4m3);
TC_GEMM_DECLARE(gemm_e4m3_fast);
TC_GEMM_DECLARE(gemm_f16_sums);
TC_GEMM_DECLARE(gemm_f64);
TC_GEMM_DECLARE(gemm_f32);
TC_GEMM_DECLARE(gemm_blocks);
TC_GEMM_DECLARE(gemm_s8_row);
TC_GEMM_DECLARE(gemm_s8_turned);
TC_GEMM_DECLARE(gemm_e4m3_row);
TC_GEMM_DECLARE(gemm_e4m3_turned);

/* A call of set `set`. */
#define RUN(name)                                                      \
    static int run_##name(void *self, const bench_problem *p, int set) \
    {                                                                  \
        const tc_gemm_args g = bench_args(p, set);                     \
        (void)self;                                                    \
        return gemm_##name##_run(&g, p->stream) != TC_OK;              \
    }
RUN(any)
RUN(f16)
RUN(sm80)
RUN(row_row)
RUN(col_col)
RUN(col_row)
RUN(tf32)
RUN(s8)
RUN(e4m3)
RUN(e4m3_fast)
RUN(f16_sums)
RUN(f64)
RUN(f32)
RUN(blocks)
RUN(s8_row)
RUN(s8_turned)
RUN(e4m3_row)
RUN(e4m3_turned)

/* The same bytes as the K-major kernel takes them. */
#define RUN_K_MAJOR(name)                                                        \
    static int run_##name##_k_major(void *self, const bench_problem *p, int set) \
    {                                                                            \
        bench_problem x = *p;                                                    \
        x.kind.a_col = x.kind.b_row = 0;                                         \
        return run_##name(self, &x, set);                                        \
    }
RUN_K_MAJOR(s8)
RUN_K_MAJOR(e4m3)

/* The same with a hook that takes a tc_epi_vector. */
#define RUN_WITH_VECTOR(name)                                          \
    static int run_##name(void *self, const bench_problem *p, int set) \
    {                                                                  \
        tc_gemm_args g = bench_args(p, set);                           \
        g.epi_args = self, g.epi_size = sizeof(tc_epi_vector);         \
        return gemm_##name##_run(&g, p->stream) != TC_OK;              \
    }
RUN_WITH_VECTOR(erf)
RUN_WITH_VECTOR(tanh)
RUN_WITH_VECTOR(s8_scales)

/* ---- the groups ---- */
typedef enum activation { NONE, GELU_ERF, GELU_TANH, SCALES } activation; /* GELU after a bias; rows' times columns' */

typedef struct group {
    const char *name, *about;
    bench_fn run;
    bench_kind kind;
    activation act;
    bench_fn plain; /* beside this kernel of the kit, not cuBLASLt */
    const bench_shape *shapes;
    int count;
} group;

#define SHAPES(list) list, sizeof list / sizeof list[0]
#define KIND(ab, d) {ab, d, 0, 0, 0, 0, 0}
#define BF16 KIND(TC_BF16, TC_BF16)
#define LAYOUT(a_col, b_row) {TC_BF16, TC_BF16, a_col, b_row, 0, 0, 0}
#define ADDED(ab, d) {ab, d, 0, 0, 0, 0, 0, 1}
#define SUMS(ab, d, acc) {ab, d, 0, 0, acc, 0, 0}
static const group groups[] = {
    {"big", "every dimension 4096 or more", run_any, BF16, NONE, NULL, SHAPES(shapes_big)},
    {"layers", "layers of language models, 256 to 8192 tokens", run_any, BF16, NONE, NULL, SHAPES(shapes_layers)},
    {"small", "the same layers, 1 to 128 tokens", run_any, BF16, NONE, NULL, SHAPES(shapes_small)},
    {"few", "few tiles, long k", run_any, BF16, NONE, NULL, SHAPES(shapes_few)},
    {"odd", "odd sizes, rows of 16-byte multiples", run_any, BF16, NONE, NULL, SHAPES(shapes_odd)},
    {"refused", "rows that TMA refuses", run_any, BF16, NONE, NULL, SHAPES(shapes_refused)},
    {"batched", "batches, as heads, experts and small matrices are", run_any, BF16, NONE, NULL, SHAPES(shapes_batched)},
    {"added", "D = A B + C", run_any, ADDED(TC_BF16, TC_BF16), NONE, NULL, SHAPES(shapes_added)},
    {"f16", "f16 in place of bf16", run_f16, KIND(TC_F16, TC_F16), NONE, NULL, SHAPES(shapes_f16)},
    {"fused", "bias and GELU (tanh), beside cuBLASLt's", run_tanh, BF16, GELU_TANH, NULL, SHAPES(shapes_fused)},
    {"fused_odd", "the same at odd sizes", run_tanh, BF16, GELU_TANH, NULL, SHAPES(shapes_fused_odd)},
    {"fused_tanh", "that of fused beside the kit's plain store", run_tanh, BF16, GELU_TANH, run_any,
     SHAPES(shapes_fused)},
    {"fused_erf", "with erf, beside the kit's plain store", run_erf, BF16, GELU_ERF, run_any,
     SHAPES(shapes_fused)},
    {"sm80", "TC_GEMM_SM80_DEFINE, 128x256, 4 stages", run_sm80, BF16, NONE, NULL, SHAPES(shapes_sm80)},
    {"row_row", "A and B in rows", run_row_row, LAYOUT(0, 1), NONE, NULL, SHAPES(shapes_types)},
    {"col_col", "A and B in columns", run_col_col, LAYOUT(1, 0), NONE, NULL, SHAPES(shapes_types)},
    {"col_row", "A in columns, B in rows", run_col_row, LAYOUT(1, 1), NONE, NULL, SHAPES(shapes_types)},
    {"tf32", "f32 cut off to tf32", run_tf32, KIND(TC_TF32, TC_F32), NONE, NULL, SHAPES(shapes_types)},
    {"s8", "s8 to s32", run_s8, KIND(TC_S8, TC_S32), NONE, NULL, SHAPES(shapes_types)},
    {"s8_scales", "s8, scaled by row and column to bf16, beside cuBLASLt's s8 to s32", run_s8_scales,
     {TC_S8, TC_BF16, 0, 0, 0, TC_S32, 0}, SCALES, NULL, SHAPES(shapes_types)},
    {"e4m3", "e4m3 to bf16", run_e4m3, KIND(TC_E4M3, TC_BF16), NONE, NULL, SHAPES(shapes_types)},
    {"e4m3_fast", "the same, .promote = TC_FAST, beside fast accumulation", run_e4m3_fast,
     SUMS(TC_E4M3, TC_BF16, TC_FAST), NONE, NULL, SHAPES(shapes_types)},
    {"blocks", "e4m3 with factors of 1 x 128 and 128 x 128, beside cuBLASLt's", run_blocks,
     {TC_E4M3, TC_BF16, 0, 0, 0, 0, 1}, NONE, NULL, SHAPES(shapes_blocks)},
    {"f16_sums", "f16 with sums in f16", run_f16_sums, SUMS(TC_F16, TC_F16, TC_F16), NONE, NULL, SHAPES(shapes_types)},
    {"f32", "f32 to f32's precision, beside cuBLASLt's f32", run_f32, KIND(TC_F32, TC_F32), NONE, 0,
     SHAPES(shapes_types)},
    {"f64", "f64", run_f64, KIND(TC_F64, TC_F64), NONE, NULL, SHAPES(shapes_f64)},
    {"s8_row", "s8, B in rows, beside the kit's K-major", run_s8_row, {TC_S8, TC_S32, 0, 1, 0, 0, 0}, NONE,
     run_s8_k_major, SHAPES(shapes_types)},
    {"s8_turned", "and A in columns", run_s8_turned, {TC_S8, TC_S32, 1, 1, 0, 0, 0}, NONE, run_s8_k_major,
     SHAPES(shapes_types)},
    {"e4m3_row", "e4m3, B in rows, beside the kit's K-major", run_e4m3_row, {TC_E4M3, TC_BF16, 0, 1, 0, 0, 0}, NONE,
     run_e4m3_k_major, SHAPES(shapes_types)},
    {"e4m3_turned", "and A in columns", run_e4m3_turned, {TC_E4M3, TC_BF16, 1, 1, 0, 0, 0}, NONE, run_e4m3_k_major,
     SHAPES(shapes_types)},
};
enum { GROUPS = sizeof groups / sizeof groups[0], OWN_MAX = 256, SAMPLES = 4096 };

typedef struct options {
    bench_plan plan;
    double warm; /* seconds before the first shape */
    int sets, dry, list, own_count, as;
    char chosen[GROUPS];
    const char *out;
    bench_shape own[OWN_MAX];
} options;

/* ---- the record: what is said goes to stdout and to --out ---- */
static FILE *record;

static void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    fflush(stdout);
    if (!record) return;
    va_start(args, format);
    vfprintf(record, format, args);
    va_end(args);
}

/* ---- is it right? a warp sums one element of D in fp64 ---- */
typedef struct question {
    bench_problem p;
    int set;
    activation act;
    const float *bias;
    int count;  /* elements, spread by a hash, the corners first ... */
    size_t at;  /* ... or one, where count is 1 */
    unsigned *worst;
} question;

/* Row `all` of a batch's, one matrix behind the other. */
static __device__ double truth(const question *q, size_t all, size_t col)
{
    const char *a = q->p.a + q->p.a_size * q->set, *b = q->p.b + q->p.b_size * q->set;
    const bench_kind kind = q->p.kind;
    const int lane = threadIdx.x % 32, m = q->p.m, n = q->p.n, k = q->p.k;
    const size_t matrix = all / m, row = all % m, a_from = matrix * m * k, b_from = matrix * n * k;
    double x = 0;
    for (int i = lane; i < k; i += 32)
        x += bench_get(kind.ab, a, a_from + (kind.a_col ? (size_t)i * m + row : row * k + i))
           * bench_get(kind.ab, b, b_from + (kind.b_row ? (size_t)i * n + col : col * k + i))
           * bench_factor(&q->p, row, col, i);
    for (int i = 16; i; i /= 2) x += __shfl_xor_sync(0xffffffffu, x, i);
    if (kind.added) x += bench_get(kind.d, q->p.c + q->p.d_size * q->set, all * n + col);
    if (q->act == SCALES) x *= (double)q->bias[row] * q->bias[col];
    else if (q->act != NONE) x += q->bias[col];
    if (q->act == GELU_ERF) x = 0.5 * x * (1 + erf(x * 0.70710678118654752));
    if (q->act == GELU_TANH) x = 0.5 * x * (1 + tanh(0.79788456080286536 * (x + 0.044715 * x * x * x)));
    return x;
}

static __global__ void truth_kernel(question q)
{
    const size_t m = (size_t)q.p.m * q.p.batch, n = q.p.n;
    const size_t i = blockIdx.x * (size_t)(blockDim.x / 32) + threadIdx.x / 32;
    const size_t at = q.count == 1 ? q.at
                      : i < 4      ? (i & 1) * (m - 1) * n + (i >> 1) * (n - 1)
                                   : ((uint64_t)bench_hash(2 * i) << 32 | bench_hash(2 * i + 1)) % (m * n);
    double x, d;
    if (i >= (size_t)q.count) return;
    d = bench_get(q.p.kind.d, q.p.d + q.p.d_size * q.set, at);
    x = truth(&q, at / n, at % n);
    d = fabs(d - x) / (bench_small(&q.p) + fabs(x));
    if (threadIdx.x % 32 == 0) atomicMax(q.worst, __float_as_uint(d == d ? (float)d : INFINITY));
}

static float ask(question *q)
{
    unsigned bits;
    float r;
    CUDA_CHECK(cudaMalloc((void **)&q->worst, 4));
    CUDA_CHECK(cudaMemset(q->worst, 0, 4));
    truth_kernel<<<(q->count + 7) / 8, 256>>>(*q);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&bits, q->worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(q->worst));
    memcpy(&r, &bits, 4);
    return r;
}

/* ---- one shape ---- */
typedef struct contest {
    const group *g;
    bench_problem p;
    uint16_t *bias16;     /* of D's type, for cuBLASLt; NULL without a bias or scales */
    float *bias;          /* the same values */
    tc_epi_vector vector; /* which holds bias */
    bench_cublas cublas;
    bench_side ours, plain;
    bench_side *theirs[3]; /* who takes part in the rounds */
    int opponents;
} contest;

static void make_bias(contest *c)
{
    const size_t n = (size_t)(c->p.n > c->p.m ? c->p.n : c->p.m);
    uint16_t *narrow = (uint16_t *)malloc(2 * n);
    float *wide = (float *)malloc(4 * n);
    CUDA_CHECK(cudaMalloc((void **)&c->bias16, 2 * n));
    CUDA_CHECK(cudaMalloc((void **)&c->bias, 4 * n));
    bench_fill(c->bias16, n, 3, c->p.kind.d, c->g->act == SCALES ? 0.0625f : 1.f);
    CUDA_CHECK(cudaMemcpy(narrow, c->bias16, 2 * n, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        wide[i] = c->p.kind.d == TC_BF16 ? tc_f32_from_bf16(narrow[i]) : tc_f32_from_f16(narrow[i]);
    CUDA_CHECK(cudaMemcpy(c->bias, wide, 4 * n, cudaMemcpyHostToDevice));
    c->vector.v = c->bias;
    free(narrow);
    free(wide);
}

/* D of one set after a replay of ours: like cuBLASLt's, and like fp64 where it was asked? 1: right. */
static int right_set(contest *c, int set)
{
    const bench_problem *p = &c->p;
    question q = {*p, set, c->g->act, c->bias, SAMPLES, 0, 0};
    bench_difference diff = {0, 0};
    char *reference = 0;
    float off;
    if (c->opponents && !c->g->plain && !p->kind.other) {
        CUDA_CHECK(cudaMalloc((void **)&reference, p->d_size));
        bench_poison(p);
        bench_replay(c->theirs[0], 0, 1);
        CUDA_CHECK(cudaMemcpy(reference, p->d + p->d_size * set, p->d_size, cudaMemcpyDeviceToDevice));
    }
    bench_poison(p);
    bench_replay(&c->ours, 0, 1);
    off = ask(&q);
    if (reference) {
        diff = bench_diff(p, set, reference);
        CUDA_CHECK(cudaFree(reference));
    }
    if (off < BENCH_LIMIT && !(diff.value < BENCH_LIMIT)) { /* who is wrong there? */
        q.count = 1, q.at = diff.at;
        off = ask(&q);
        say("# %s %dx%dx%d: the sides differ by %g at row %zu, column %zu; ours is off by %g there\n", c->g->name, p->m,
            p->n, p->k, (double)diff.value, diff.at / p->n, diff.at % p->n, (double)off);
    }
    if (off < BENCH_LIMIT) return 1;
    say("# %s %dx%dx%d: wrong, D of set %d is off by %g\n", c->g->name, p->m, p->n, p->k, set, (double)off);
    return 0;
}

/* Who takes part; 0 where ours refuses. */
static int prepare(contest *c, const options *o)
{
    if (c->g->act != NONE) make_bias(c);
    if (c->g->plain) {
        c->plain.run = c->g->plain;
        if (!bench_side_capture(&c->plain, &c->p)) c->theirs[c->opponents++] = &c->plain;
    } else {
        bench_cublas_make(&c->cublas, &c->p, c->g->act == SCALES ? 0 : c->bias16);
        c->opponents = bench_cublas_rank(&c->cublas, &o->plan);
        for (int i = 0; i < c->opponents; i++) c->theirs[i] = &c->cublas.sides[i];
    }
    c->ours.run = c->g->run;
    c->ours.self = &c->vector;
    if (!bench_side_capture(&c->ours, &c->p)) return 1;
    say("# %s %dx%dx%d: refused: %s\n", c->g->name, c->p.m, c->p.n, c->p.k, tc_why());
    return 0;
}

static void contest_free(contest *c)
{
    bench_side_free(&c->ours);
    bench_side_free(&c->plain);
    if (!c->g->plain) bench_cublas_free(&c->cublas);
    if (c->bias) CUDA_CHECK(cudaFree(c->bias));
    if (c->bias16) CUDA_CHECK(cudaFree(c->bias16));
    bench_problem_free(&c->p);
}

/* Measures and says a row. The ratio; 0: failed; -1: nobody to compare with. */
static double measure(const group *g, bench_shape shape, const options *o)
{
    static contest c; /* its sides point into it */
    bench_side *sides[4];
    bench_ratio ratio = {0, 0, 0};
    double rate = 0, other = 0;
    int good, best = -1;
    memset(&c, 0, sizeof c);
    snprintf(bench_now, sizeof bench_now, " (%s %dx%dx%d)", g->name, shape.m, shape.n, shape.k);
    c.g = g;
    c.p = bench_problem_make(shape, g->kind, o->sets);
    c.p.replay = fmin(1e-3, o->plan.seconds / 10);
    good = prepare(&c, o);
    /* the first set and the last: every set has its own inputs, so a graph that repeats one is found out */
    if (good) good = right_set(&c, 0) && right_set(&c, c.p.sets - 1);
    for (int i = 0; i < c.opponents; i++) sides[i] = c.theirs[i];
    sides[c.opponents] = &c.ours;
    bench_alternate(sides, c.opponents + good, &o->plan);
    for (int i = 0; i < c.opponents; i++) {
        const bench_ratio r = good ? bench_against(&c.ours, c.theirs[i], o->plan.rounds) : ratio;
        if (best >= 0 && (good ? r.median >= ratio.median : c.theirs[i]->median >= c.theirs[best]->median)) continue;
        best = i, ratio = r;
    }
    if (good) rate = bench_shape_flops(shape) / c.ours.median * 1e-12;
    if (best >= 0) other = bench_shape_flops(shape) / c.theirs[best]->median * 1e-12;
    say("%s,%d,%d,%d,%.4g,%.4g,", g->name, shape.m, shape.n, shape.k, rate, other);
    if (best >= 0) say("%.3f,%.3f,%.3f,%d\n", ratio.median, ratio.min, ratio.max, bench_batch(shape));
    else say(",,,%d\n", bench_batch(shape));
    contest_free(&c);
    if (!good) return 0;
    return best >= 0 ? ratio.median : -1;
}

/* A group, and the lines that sum it up; how many failed. */
typedef struct score {
    const char *name;
    int count, failed, alone;
    double logs, worst;
    bench_shape where;
} score;

static score run_group(const group *g, const options *o)
{
    score s = {g->name, 0, 0, 0, 0, INFINITY, {0, 0, 0}};
    for (int i = 0; i < g->count; i++) {
        const double ratio = measure(g, g->shapes[i], o);
        if (ratio < 0) {
            s.alone++;
            continue;
        }
        s.count++;
        if (ratio > 0) s.logs += log(ratio);
        else s.failed++;
        if (ratio < s.worst) s.worst = ratio, s.where = g->shapes[i];
    }
    return s;
}

static void say_score(const score *s)
{
    const int good = s->count - s->failed;
    const double mean = good ? exp(s->logs / good) : 0;
    say("# %s: ", s->name);
    if (s->count)
        say("geometric mean %.3f of %d, worst %.3f at %dx%dx%d", s->failed ? 0.0 : mean, s->count, s->worst, s->where.m,
            s->where.n, s->where.k);
    else say("no ratio");
    if (s->failed) say("; %d failed, the others' mean %.3f", s->failed, mean);
    if (s->alone) say("; %d without an opponent", s->alone);
    say("\n");
}

/* The board, hot and at its clocks before the first shape: cuBLASLt's first algorithm at 4096^3. */
static void warm(const options *o)
{
    const bench_shape shape = {4096, 4096, 4096};
    static bench_cublas cublas;
    const bench_kind kind = BF16;
    bench_problem p = bench_problem_make(shape, kind, 0);
    bench_cublas_make(&cublas, &p, 0);
    if (cublas.count) bench_burst(&cublas.sides[0], o->warm);
    bench_cublas_free(&cublas);
    bench_problem_free(&p);
}

/* The roofs for tools/bench_plot.c: tensor cores at the board's highest clock, and a copy within its memory. */
static void say_roofs(void)
{
    const size_t bytes = (size_t)512 << 20;
    cudaEvent_t start, stop;
    void *x, *y;
    float ms;
    int major = 0, minor = 0, sms = 0, khz = 0, flops;
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    /* dense 16-bit operations of an SM in a cycle, f32 accumulators */
    flops = major == 9 ? 4096 : major == 10 ? 8192 : major == 8 && minor == 0 ? 2048 : 1024;
    CUDA_CHECK(cudaMalloc(&x, bytes));
    CUDA_CHECK(cudaMalloc(&y, bytes));
    CUDA_CHECK(cudaMemset(x, 1, bytes));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < 12; i++) {
        if (i == 2) CUDA_CHECK(cudaEventRecord(start, 0));
        CUDA_CHECK(cudaMemcpyAsync(y, x, bytes, cudaMemcpyDeviceToDevice, 0));
    }
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    say("# roofs: %.0f TFLOP/s (%d per SM and cycle at %d MHz); copy %.2f TB/s\n", (double)sms * flops * khz * 1e-9,
        flops, khz / 1000, 2.0 * 10 * bytes / (ms * 1e-3) * 1e-12);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
}

/* ---- without a GPU: what would be done ---- */
static double estimate(const group *g, bench_shape s, int sets, const options *o)
{
    const double flops = bench_shape_flops(s) / bench_pace(g->kind), bytes = bench_shape_bytes(s, g->kind);
    const double call = fmax(flops / 600e12, bytes / 4e12) + 3e-6, replay = call * sets;
    const double burst = 1.25 * fmax(o->plan.seconds, replay), quick = 1.25 * fmax(o->plan.seconds / 3, replay);
    return 0.15 + 10 * 3 * replay + 8 * 3 * quick + 3.5 * o->plan.rounds * burst;
}

static double dry_group(const group *g, const options *o)
{
    double total = 0;
    int l2 = 0;
    if (cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0) != cudaSuccess || l2 <= 0) l2 = 50 << 20;
    for (int i = 0; i < g->count; i++) {
        const bench_shape s = g->shapes[i];
        const int sets = o->sets > 0 ? o->sets : bench_sets(s, g->kind, l2);
        const double seconds = estimate(g, s, sets, o), bytes = bench_shape_bytes(s, g->kind);
        printf("%s,%d,%d,%d: %d sets of %.2f MB, %.0f MB in all, about %.1f s\n", g->name, s.m, s.n, s.k, sets,
               bytes * 1e-6, sets * bytes * 1e-6, seconds);
        total += seconds;
    }
    printf("# %s: %d shapes, about %.0f s\n", g->name, g->count, total);
    return total;
}

/* ---- command line ---- */
static int is_word(const char *s) { return s && strncmp(s, "--", 2) != 0; }

static int find(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (!strcmp(groups[i].name, name)) return i;
    fprintf(stderr, "there is no group %s; --list names them\n", name);
    return -1;
}

static int choose(options *o, const char *name)
{
    const int i = find(name);
    if (i >= 0) o->chosen[i] = 1;
    return i >= 0;
}

static int own_shape(options *o, const char *text)
{
    bench_shape s;
    char rest;
    s.batch = 1;
    if (sscanf(text, "%d,%d,%d%c", &s.m, &s.n, &s.k, &rest) != 3
        && sscanf(text, "%d,%d,%d,%d%c", &s.m, &s.n, &s.k, &s.batch, &rest) != 4)
        s.m = 0;
    if (s.m < 1 || s.n < 1 || s.k < 1 || s.batch < 1) {
        fprintf(stderr, "--shapes %s: a shape is m,n,k or m,n,k,batch, each 1 or more\n", text);
        return 0;
    }
    if (o->own_count == OWN_MAX || (double)s.m * s.n * s.batch >= 4294967296.0) {
        fprintf(stderr, "--shapes %s: at most %d shapes, m * n * batch less than 2^32\n", text, (int)OWN_MAX);
        return 0;
    }
    o->own[o->own_count++] = s;
    return 1;
}

static int parse(options *o, char **argv)
{
    memset(o, 0, sizeof *o);
    o->plan.seconds = 0.05;
    o->plan.rounds = 7;
    o->warm = 3;
    while (*++argv) {
        const char *name = *argv;
        if (!strcmp(name, "--list")) o->list = 1;
        else if (!strcmp(name, "--dry-run")) o->dry = 1;
        else if (!strcmp(name, "--as") && is_word(argv[1])) {
            o->as = find(*++argv);
            if (o->as < 0) return 0;
        } else if (!strcmp(name, "--group") && is_word(argv[1])) {
            while (is_word(argv[1]))
                if (!choose(o, *++argv)) return 0;
        } else if (!strcmp(name, "--shapes") && is_word(argv[1])) {
            while (is_word(argv[1]))
                if (!own_shape(o, *++argv)) return 0;
        } else if (!strcmp(name, "--seconds") && is_word(argv[1])) o->plan.seconds = atof(*++argv);
        else if (!strcmp(name, "--warm") && is_word(argv[1])) o->warm = atof(*++argv);
        else if (!strcmp(name, "--rounds") && is_word(argv[1])) o->plan.rounds = atoi(*++argv);
        else if (!strcmp(name, "--sets") && is_word(argv[1])) o->sets = atoi(*++argv);
        else if (!strcmp(name, "--pdl") && is_word(argv[1])) bench_pdl = atoi(*++argv);
        else if (!strcmp(name, "--zeros") && is_word(argv[1])) bench_zeros = atoi(*++argv);
        else if (!strcmp(name, "--out") && is_word(argv[1])) o->out = *++argv;
        else {
            fprintf(stderr, "%s: not an option, or without its value. There are --group NAME..., --shapes m,n,k..., "
                            "--as GROUP, --seconds S, --rounds N, --warm S, --sets N, --zeros 1, --pdl 1, --out FILE, "
                            "--list, --dry-run\n",
                    name);
            return 0;
        }
    }
    if (!(o->plan.seconds > 0) || o->plan.rounds < 1 || o->plan.rounds > BENCH_ROUNDS_MAX) {
        fprintf(stderr, "--seconds is more than 0, --rounds 1 to %d\n", (int)BENCH_ROUNDS_MAX);
        return 0;
    }
    return 1;
}

/* The record is complete: under its name. */
static int publish(const options *o, const char *unfinished)
{
    if (!record) return 1;
    if (!fclose(record) && !rename(unfinished, o->out)) return 1;
    fprintf(stderr, "%s cannot be written\n", o->out);
    return 0;
}

int main(int argc, char **argv)
{
    static options o;
    static group chosen[GROUPS + 1];
    score scores[GROUPS + 1];
    char unfinished[4096];
    int count = 0, failed = 0;
    double seconds = 0;
    if (!parse(&o, argv)) return 2;
    for (int i = 0; i < GROUPS; i++) {
        const int any = memchr(o.chosen, 1, sizeof o.chosen) != 0;
        if (o.list) printf("%-11s %3d shapes: %s\n", groups[i].name, groups[i].count, groups[i].about);
        if (any ? o.chosen[i] : !o.own_count) chosen[count++] = groups[i];
    }
    if (o.list) return 0;
    if (o.own_count) {
        chosen[count] = groups[o.as];
        chosen[count].name = "own";
        chosen[count].shapes = o.own;
        chosen[count++].count = o.own_count;
    }
    if (o.dry) {
        for (int i = 0; i < count; i++) seconds += dry_group(&chosen[i], &o);
        printf("# about %.0f s in all\n", seconds);
        return 0;
    }
    if (o.out) {
        snprintf(unfinished, sizeof unfinished, "%s.new", o.out);
        record = fopen(unfinished, "w");
        if (!record) return fprintf(stderr, "%s cannot be written\n", unfinished), 2;
        bench_header(record, argc, argv);
    }
    bench_header(stdout, argc, argv);
    say_roofs();
    say("# bursts of %g ms, %d rounds; tc and other in TFLOP/s\n", o.plan.seconds * 1e3, o.plan.rounds);
    say("group,m,n,k,tc,other,ratio,min,max,batch\n");
    if (o.warm > 0) warm(&o);
    for (int i = 0; i < count; i++) {
        scores[i] = run_group(&chosen[i], &o);
        failed += scores[i].failed;
    }
    for (int i = 0; i < count; i++) say_score(&scores[i]);
    return publish(&o, unfinished) && !failed ? 0 : 1;
}
