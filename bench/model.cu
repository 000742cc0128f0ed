/* model.cu - kernels with good and deliberately bad tiles, to hold tcemu --model against a board (docs/model.md).
 *     make bench-model                      on an H200 (sm_90a), about half a minute; writes bench/results/model.csv
 *     build/bench/model --list              names; needs no GPU
 *     build/bench/model --kernel bf16_64x64 --seconds 0.01 --rounds 3    one of them, a quick look
 *     build/tcemu --sms 2 --no-checks --model=h200 --json=model.json build/bench/model --small > small.csv
 *                                           the busiest multiprocessor's share of the same problems, under tcemu
 *
 * D[4096,4096] = A[4096,k] * B[4096,k]^T with 4096 bytes of k; attention of 2048 tokens and 32 heads (of 16 heads
 * where a head has 256 elements). Standard normal operands in sets past the L2, calls in CUDA graphs, the kernels take
 * turns (bench.h). Each D, and O, is checked at places of its own against sums in fp64.
 *
 * The record: name, work (useful floating-point operations; a causal mask halves them), microseconds, rate in
 * TFLOP/s. --small: name, work of an even share of two of 132 multiprocessors, 0, 0; what runs is as many tiles as the
 * busiest two have, all k of each, so that nothing has to be scaled but the work. */
#define TC_SM90_STUBS /* for a build that is for sm_80 too */
#include "bench.h"

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define FAST .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .promote = TC_FAST
#define E4M3 .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16
#define TF32 .a = TC_TF32, .b = TC_TF32, .d = TC_F32
#define S8 .a = TC_S8, .b = TC_S8, .d = TC_S32
#define PINGPONG .schedule = TC_PINGPONG

/* X(name, type of A and B, type of D, bm, bn, fields...): bm and bn are those of a tile of D. */
#define GEMMS(X)                                                                       \
    X(bf16_128x256, TC_BF16, TC_BF16, 128, 256, BF16)                                  \
    X(bf16_128x256_c2, TC_BF16, TC_BF16, 128, 256, BF16, .cluster_m = 2)               \
    X(bf16_128x256_2st, TC_BF16, TC_BF16, 128, 256, BF16, .stages = 2)                 \
    X(bf16_128x192_pp, TC_BF16, TC_BF16, 128, 192, BF16, PINGPONG)                     \
    X(bf16_64x256_pp, TC_BF16, TC_BF16, 64, 256, BF16, PINGPONG)                       \
    X(bf16_128x128, TC_BF16, TC_BF16, 128, 128, BF16)                                  \
    X(bf16_128x128_2st, TC_BF16, TC_BF16, 128, 128, BF16, .stages = 2)                 \
    X(bf16_128x64, TC_BF16, TC_BF16, 128, 64, BF16)                                    \
    X(bf16_128x32, TC_BF16, TC_BF16, 128, 32, BF16)                                    \
    X(bf16_64x256_one, TC_BF16, TC_BF16, 64, 256, BF16, .consumers = 1)                \
    X(bf16_64x128_one, TC_BF16, TC_BF16, 64, 128, BF16, .consumers = 1)                \
    X(bf16_64x64_one, TC_BF16, TC_BF16, 64, 64, BF16, .consumers = 1)                  \
    X(bf16_64x64_3st, TC_BF16, TC_BF16, 64, 64, BF16, .consumers = 1, .stages = 3)     \
    X(bf16_64x16_one, TC_BF16, TC_BF16, 64, 16, BF16, .consumers = 1)                  \
    X(fast_128x256, TC_E4M3, TC_BF16, 128, 256, FAST)                                  \
    X(fast_128x128, TC_E4M3, TC_BF16, 128, 128, FAST)                                  \
    X(e4m3_128x128, TC_E4M3, TC_BF16, 128, 128, E4M3)                                  \
    X(e4m3_64x64_one, TC_E4M3, TC_BF16, 64, 64, E4M3, .consumers = 1)                  \
    X(tf32_128x256, TC_TF32, TC_F32, 128, 256, TF32)                                   \
    X(tf32_128x64, TC_TF32, TC_F32, 128, 64, TF32)                                     \
    X(s8_128x256, TC_S8, TC_S32, 128, 256, S8)                                         \
    X(s8_64x128_one, TC_S8, TC_S32, 64, 128, S8, .consumers = 1)

/* X(name, head_dim, causal, bm, fields...) */
#define ATTNS(X)                                          \
    X(attn_128, 128, 0, 128, .bn = 128)                   \
    X(attn_128_causal, 128, 1, 128, .bn = 128)            \
    X(attn_128_64x128, 128, 0, 64, .bm = 64)              \
    X(attn_128_128x32, 128, 0, 128, .bn = 32)             \
    X(attn_128_64x16, 128, 0, 64, .bm = 64, .bn = 16)     \
    X(attn_64, 64, 0, 192, .bm = 192)                     \
    X(attn_64_causal, 64, 1, 192, .bm = 192)              \
    X(attn_64_64x64, 64, 0, 64, .bm = 64, .bn = 64)       \
    X(attn_256, 256, 0, 128, .bn = 80)                    \
    X(attn_32, 32, 0, 192, .bm = 192)

#define DEFINE_GEMM(name, ab, d, m, n, ...) TC_GEMM_SM90_DEFINE(name, .bm = m, .bn = n, __VA_ARGS__)
#define DEFINE_ATTN(name, dim, mask, m, ...)                                                              \
    TC_ATTN_SM90_DEFINE(name, .type = TC_BF16, .head_dim = dim, .causal = mask, __VA_ARGS__)
GEMMS(DEFINE_GEMM)
ATTNS(DEFINE_ATTN)

enum { BOARD_SMS = 132, SMALL_SMS = 2, SIDE = 4096, K_BYTES = 4096, TOKENS = 2048, SAMPLES = 4096 };

typedef struct model_kernel {
    const char *name;
    tc_status (*gemm)(const tc_gemm_args *, cudaStream_t);
    tc_status (*attn)(const tc_attn_args *, cudaStream_t);
    int ab, d, bm, bn;    /* GEMM: types, tile */
    int head_dim, causal; /* attention */
} model_kernel;

#define GEMM_ROW(name, ab, d, m, n, ...) {#name, name##_run, 0, ab, d, m, n, 0, 0},
#define ATTN_ROW(name, dim, mask, m, ...) {#name, 0, name##_run, 0, 0, m, 0, dim, mask},
static const model_kernel kernels[] = {GEMMS(GEMM_ROW) ATTNS(ATTN_ROW)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int over(int x, int y) { return (x + y - 1) / y; }

/* ---- what is computed ---- */
typedef struct model_case {
    const model_kernel *kernel;
    double work;               /* operations that count */
    bench_problem p;           /* GEMM; of attention its stream alone */
    int heads, q_len, k_len;   /* attention */
    uint16_t *q, *k, *v, *o;   /* sets after each other, in p.sets */
    size_t q_size, k_size;     /* elements of a set */
    bench_side side;
} model_case;

static void make_gemm(model_case *c, int small)
{
    const model_kernel *k = c->kernel;
    const bench_kind kind = {k->ab, k->d, 0, 0, k->ab == TC_E4M3 ? TC_FAST : 0, 0, 0};
    bench_shape s = {SIDE, SIDE, K_BYTES * 8 / tc_type_bits(k->ab)};
    c->work = bench_shape_flops(s);
    if (small) { /* two rows of tiles, each as many as the busiest multiprocessor of the board has */
        c->work *= (double)SMALL_SMS / BOARD_SMS;
        s.n = k->bn * over(over(SIDE, k->bm) * over(SIDE, k->bn), BOARD_SMS);
        s.m = SMALL_SMS * k->bm;
    }
    c->p = bench_problem_make(s, kind, small);
}

static void make_attn(model_case *c, int small)
{
    const model_kernel *k = c->kernel;
    int l2 = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    c->heads = k->head_dim > 128 ? 16 : 32;
    c->q_len = c->k_len = TOKENS;
    c->work = 4.0 * c->heads * c->q_len * (double)c->k_len * k->head_dim / (k->causal ? 2 : 1);
    if (small && !k->causal) {
        c->work *= (double)SMALL_SMS / BOARD_SMS;
        c->q_len = SMALL_SMS * k->bm * over(over(TOKENS, k->bm) * c->heads, BOARD_SMS);
        c->heads = 1;
    } else if (small) { /* tiles differ: of the board's multiprocessors each has an even share; so a head on two */
        c->work /= c->heads;
        c->heads = 1;
    }
    memset(&c->p, 0, sizeof c->p);
    c->q_size = (size_t)c->q_len * c->heads * k->head_dim;
    c->k_size = (size_t)c->k_len * c->heads * k->head_dim;
    c->p.sets = small ? 1 : (int)fmin(16, ceil(3.0 * l2 / (4 * (c->q_size + c->k_size))));
    c->p.m = c->q_len, c->p.n = c->k_len, c->p.k = c->heads * k->head_dim * 2; /* 2 m n k operations, for the graph */
    c->p.kind.ab = c->p.kind.d = TC_BF16;
    c->p.replay = 1e-3;
    CUDA_CHECK(cudaMalloc((void **)&c->q, 2 * c->q_size * c->p.sets));
    CUDA_CHECK(cudaMalloc((void **)&c->k, 2 * c->k_size * c->p.sets));
    CUDA_CHECK(cudaMalloc((void **)&c->v, 2 * c->k_size * c->p.sets));
    CUDA_CHECK(cudaMalloc((void **)&c->o, 2 * c->q_size * c->p.sets));
    bench_fill(c->q, c->q_size * c->p.sets, 1, TC_BF16, 1.f);
    bench_fill(c->k, c->k_size * c->p.sets, 2, TC_BF16, 1.f);
    bench_fill(c->v, c->k_size * c->p.sets, 3, TC_BF16, 1.f);
    CUDA_CHECK(cudaMemset(c->o, 0xff, 2 * c->q_size * c->p.sets));
    CUDA_CHECK(cudaStreamCreate(&c->p.stream));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static int run_case(void *self, const bench_problem *p, int set)
{
    const model_case *c = (const model_case *)self;
    if (c->kernel->gemm) {
        const tc_gemm_args g = bench_args(p, set);
        return c->kernel->gemm(&g, p->stream) != TC_OK;
    }
    tc_attn_args a;
    memset(&a, 0, sizeof a);
    set %= p->sets;
    a.batch = 1, a.heads = c->heads, a.q_len = c->q_len, a.k_len = c->k_len;
    a.q = c->q + c->q_size * set, a.k = c->k + c->k_size * set, a.v = c->v + c->k_size * set;
    a.o = c->o + c->q_size * set;
    return c->kernel->attn(&a, p->stream) != TC_OK;
}

static void free_case(model_case *c)
{
    bench_side_free(&c->side);
    if (c->kernel->gemm) {
        bench_problem_free(&c->p);
        return;
    }
    CUDA_CHECK(cudaStreamDestroy(c->p.stream));
    CUDA_CHECK(cudaFree(c->q));
    CUDA_CHECK(cudaFree(c->k));
    CUDA_CHECK(cudaFree(c->v));
    CUDA_CHECK(cudaFree(c->o));
}

/* ---- is it right? ---- */
static __device__ double warp_sum(double x)
{
    for (int e = 16; e; e /= 2) x += __shfl_xor_sync(0xffffffffu, x, e);
    return x;
}

/* A warp sums one element of set 0. worst: the largest difference, over what an element may be off by. */
static __global__ void gemm_truth(bench_problem p, unsigned *worst)
{
    const uint64_t i = blockIdx.x * (uint64_t)(blockDim.x / 32) + threadIdx.x / 32;
    const size_t at = ((uint64_t)bench_hash(2 * i + 1) << 32 | bench_hash(2 * i + 2)) % ((size_t)p.m * p.n);
    const size_t row = at / p.n, col = at % p.n;
    double x = 0, d;
    for (int e = threadIdx.x % 32; e < p.k; e += 32)
        x += bench_get(p.kind.ab, p.a, row * p.k + e) * bench_get(p.kind.ab, p.b, col * p.k + e);
    x = warp_sum(x);
    d = fabs(bench_get(p.kind.d, p.d, at) - x) / (bench_small(&p) + fabs(x));
    if (threadIdx.x % 32 == 0) atomicMax(worst, __float_as_uint(d == d ? (float)d : INFINITY));
}

/* The same of attention, two passes over the keys: O is off by up to a bf16's rounding and that of P. */
static __global__ void attn_truth(model_case c, int dim, int causal, unsigned *worst)
{
    const uint64_t i = blockIdx.x * (uint64_t)(blockDim.x / 32) + threadIdx.x / 32;
    const size_t at = ((uint64_t)bench_hash(2 * i + 1) << 32 | bench_hash(2 * i + 2)) % c.q_size;
    const int el = (int)(at % dim), head = (int)(at / dim % c.heads), row = (int)(at / dim / c.heads);
    const int keys = causal ? row + 1 + c.k_len - c.q_len : c.k_len;
    double most = -1e300, sum = 0, x = 0, d;
    for (int pass = 0; pass < 2; pass++)
        for (int key = threadIdx.x % 32; key < keys; key += 32) {
            const size_t other = ((size_t)key * c.heads + head) * dim;
            double s = 0, w;
            for (int e = 0; e < dim; e++)
                s += bench_get(TC_BF16, c.q, at - el + e) * bench_get(TC_BF16, c.k, other + e);
            s /= sqrt((double)dim);
            if (!pass) most = fmax(most, s);
            else w = exp(s - most), sum += w, x += w * bench_get(TC_BF16, c.v, other + el);
        }
    /* each lane has a largest of its own: bring the sums to the warp's */
    double all = most;
    for (int e = 16; e; e /= 2) all = fmax(all, __shfl_xor_sync(0xffffffffu, all, e));
    sum = warp_sum(sum * exp(most - all)), x = warp_sum(x * exp(most - all)) / sum;
    d = fabs(bench_get(TC_BF16, c.o, at) - x) / (0.1 + fabs(x));
    if (threadIdx.x % 32 == 0) atomicMax(worst, __float_as_uint(d == d ? (float)d : INFINITY));
}

static float off_by(const model_case *c, int samples)
{
    unsigned *worst, bits;
    float r;
    CUDA_CHECK(cudaMalloc((void **)&worst, 4));
    CUDA_CHECK(cudaMemset(worst, 0, 4));
    if (c->kernel->gemm) gemm_truth<<<samples / 4, 128>>>(c->p, worst);
    else attn_truth<<<samples / 4, 128>>>(*c, c->kernel->head_dim, c->kernel->causal, worst);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&bits, worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(worst));
    memcpy(&r, &bits, 4);
    return r;
}

/* ---- the record ---- */
static void header(FILE *f, int argc, char **argv)
{
    record_begin(f, "", argc, argv);
    fprintf(f, "name,work,microseconds,rate\n");
}

/* On a board: captured, checked, timed in turns. Groups of so many kernels, whose operands fit beside each other. */
enum { TURNS = 8 };

static int measure(const model_kernel *const *which, int count, const bench_plan *plan)
{
    static model_case cases[TURNS];
    bench_side *in[TURNS];
    int ready = 0, failed = 0;
    for (int i = 0; i < count; i++) {
        model_case *c = &cases[ready];
        float off;
        memset(c, 0, sizeof *c);
        c->kernel = which[i];
        snprintf(bench_now, sizeof bench_now, " (%s)", c->kernel->name);
        if (c->kernel->gemm) make_gemm(c, 0);
        else make_attn(c, 0);
        c->side.run = run_case, c->side.self = c;
        if (bench_side_capture(&c->side, &c->p)) {
            printf("# %s: refused: %s\n", c->kernel->name, tc_why());
            failed++;
        } else if (off = off_by(c, SAMPLES), !(off < (c->kernel->gemm ? BENCH_LIMIT : 0.1f))) {
            printf("# %s: wrong, off by %g\n", c->kernel->name, (double)off);
            failed++;
        } else {
            in[ready++] = &c->side;
            continue;
        }
        free_case(c);
    }
    if (ready) bench_alternate(in, ready, plan);
    for (int i = 0; i < ready; i++) {
        const model_case *c = &cases[i];
        printf("%s,%.0f,%.2f,%.1f\n", c->kernel->name, c->work, 1e6 * c->side.median,
               c->work / c->side.median * 1e-12);
        free_case(&cases[i]);
    }
    fflush(stdout);
    return failed;
}

static int run_small(const model_kernel *k)
{
    static model_case c;
    float off;
    int failed;
    memset(&c, 0, sizeof c);
    c.kernel = k;
    if (k->gemm) make_gemm(&c, 1);
    else make_attn(&c, 1);
    failed = run_case(&c, &c.p, 0);
    CUDA_CHECK(cudaStreamSynchronize(c.p.stream));
    if (failed) printf("# %s: refused: %s\n", k->name, tc_why());
    else if (off = off_by(&c, 8), !(off < (k->gemm ? BENCH_LIMIT : 0.1f))) {
        printf("# %s: wrong, off by %g\n", k->name, (double)off);
        failed = 1;
    } else printf("%s,%.0f,0,0\n", k->name, c.work);
    fflush(stdout);
    free_case(&c);
    return failed;
}

int main(int argc, char **argv)
{
    const model_kernel *which[KERNELS];
    bench_options o;
    char *rest[64];
    int small = 0, count = 0, failed = 0, given = 0;
    for (int i = 0; i < argc && given < 64; i++)
        if (i && !strcmp(argv[i], "--small")) small = 1;
        else rest[given++] = argv[i];
    failed = bench_options_read(&o, given, rest);
    if (failed) return failed;
    for (int i = 0; i < KERNELS; i++)
        if (!o.kernel || !strcmp(o.kernel, kernels[i].name)) which[count++] = &kernels[i];
    if (!count) return fprintf(stderr, "--kernel %s: there is none of that name; --list shows them\n", o.kernel), 2;
    for (int i = 0; o.list && i < count; i++) printf("%s\n", which[i]->name);
    if (o.list) return 0;
    header(stdout, argc, argv);
    for (int i = 0; small && i < count; i++) failed += run_small(which[i]);
    for (int i = 0; !small && i < count; i += TURNS)
        failed += measure(which + i, count - i < TURNS ? count - i : TURNS, &o.plan);
    return failed != 0;
}
