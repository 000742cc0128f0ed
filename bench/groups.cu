/* groups.cu - many products in one launch (.groups): rates of TC_GEMM_DEFINE and of some tiles, bf16 and e4m3.
 *     make bench-groups                     on an H200, about a minute; then beside PyTorch (bench/groups.py)
 *     build/bench/groups --list             cases and kernels; needs no GPU
 *     build/bench/groups --case 2 --kernel pp_192    one of them; --seconds 0.01 --rounds 3: a quick look
 *
 * D[m,n] = A[m,k] * B[g][n,k]^T, each group g some rows of A and D: `even`, or `uneven`, as a router might deal
 * them out; `looked up`: rows of A in another order; `e4m3`: times a factor for each row of A and each row of B, sums
 * promoted as the default has it, and not. `gradients`: D[g][n,k] = A[m,n]^T * B[m,k] over the rows of group g, by the
 * kernels of TMA and of mma.sync. Operands take more than the L2, calls stand in CUDA graphs, the
 * kernels take turns (bench.h), and each D is checked at 4096 places against sums in fp64. TB/s: of the weights
 * (gradients) of groups that have rows, which is what decoding waits for. With -DGROUPS_LIBRARY this file is the
 * library that groups.py calls. */
#define TC_SM90_STUBS /* for a build that is for sm_80 too */
#ifdef GROUPS_LIBRARY
#include "../tc.h"
#else
#include "bench.h"
#endif

#define GROUPS_OF_ROWS .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .groups = TC_GROUPS_ROWS
TC_GEMM_DEFINE(any, GROUPS_OF_ROWS)
/* many rows a group */
TC_GEMM_SM90_DEFINE(co_256, GROUPS_OF_ROWS, .bm = 128, .bn = 256)
TC_GEMM_SM90_DEFINE(co_256_c12, GROUPS_OF_ROWS, .bm = 128, .bn = 256, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(co_256_c21, GROUPS_OF_ROWS, .bm = 128, .bn = 256, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(co_tall, GROUPS_OF_ROWS, .bm = 256, .bn = 128)
TC_GEMM_SM90_DEFINE(co_tall_c12, GROUPS_OF_ROWS, .bm = 256, .bn = 128, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(pp_192, GROUPS_OF_ROWS, .bm = 128, .bn = 192, .schedule = TC_PINGPONG)
TC_GEMM_SM90_DEFINE(pp_192_c12, GROUPS_OF_ROWS, .bm = 128, .bn = 192, .schedule = TC_PINGPONG, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(pp_128_c12, GROUPS_OF_ROWS, .bm = 128, .bn = 128, .schedule = TC_PINGPONG, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(pp_64_256, GROUPS_OF_ROWS, .bm = 64, .bn = 256, .schedule = TC_PINGPONG)
/* few rows a group */
TC_GEMM_SM90_DEFINE(few_8_128, GROUPS_OF_ROWS, .bm = 8, .bn = 128, .swap = 1)
TC_GEMM_SM90_DEFINE(few_16_64, GROUPS_OF_ROWS, .bm = 16, .bn = 64, .swap = 1)
TC_GEMM_SM90_DEFINE(few_16_128, GROUPS_OF_ROWS, .bm = 16, .bn = 128, .swap = 1)
TC_GEMM_SM90_DEFINE(few_16_256, GROUPS_OF_ROWS, .bm = 16, .bn = 256, .swap = 1)
TC_GEMM_SM90_DEFINE(few_32_128, GROUPS_OF_ROWS, .bm = 32, .bn = 128, .swap = 1)
TC_GEMM_SM90_DEFINE(few_16_pp, GROUPS_OF_ROWS, .bm = 16, .bn = 128, .swap = 1, .schedule = TC_PINGPONG)

/* rows of A looked up */
TC_GEMM_DEFINE(index_any, GROUPS_OF_ROWS, .index = TC_INDEX_A, .shapes = TC_SHAPES_LARGE)
TC_GEMM_SM80_DEFINE(index_mma, GROUPS_OF_ROWS, .index = TC_INDEX_A)
/* e4m3: a factor for each row of A, and for each row of each B */
typedef struct factors {
    const float *a, *b;
    int n;
} factors;
TC_DEV float by_factors(float x, tc_gemm_at at, const void *args)
{
    const factors *f = (const factors *)args;
    return x * f->a[at.row] * f->b[(size_t)at.group * f->n + at.col];
}
#define GROUPS_OF_8                                                                                                   \
    .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16, .groups = TC_GROUPS_ROWS, .epi = by_factors,                            \
    .epi_size = sizeof(factors), .shapes = TC_SHAPES_LARGE
TC_GEMM_DEFINE(e4m3_any, GROUPS_OF_8)
TC_GEMM_DEFINE(e4m3_fast, GROUPS_OF_8, .promote = TC_FAST)
/* gradients of weights */
#define GROUPS_OF_K                                                                                                   \
    .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .a_layout = TC_COL, .b_layout = TC_ROW, .groups = TC_GROUPS_K
TC_GEMM_DEFINE(dw_any, GROUPS_OF_K, .shapes = TC_SHAPES_LARGE)
TC_GEMM_SM90_DEFINE(dw_256, GROUPS_OF_K, .bm = 128, .bn = 256, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(dw_pp_192, GROUPS_OF_K, .bm = 128, .bn = 192, .schedule = TC_PINGPONG, .cluster_n = 2)
TC_GEMM_SM80_DEFINE(dw_mma, GROUPS_OF_K)

enum { FOR_ALL, FOR_MANY, FOR_FEW, FOR_INDEX, FOR_DW, FOR_8 };
typedef struct group_kernel {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int rows; /* which cases it is for */
} group_kernel;

#define KERNEL(name, rows) {#name, name##_run, rows}
static const group_kernel kernels[] = {
    KERNEL(any, FOR_ALL), KERNEL(co_256, FOR_MANY), KERNEL(co_256_c12, FOR_MANY), KERNEL(co_256_c21, FOR_MANY),
    KERNEL(co_tall, FOR_MANY), KERNEL(co_tall_c12, FOR_MANY), KERNEL(pp_192, FOR_MANY), KERNEL(pp_192_c12, FOR_MANY),
    KERNEL(pp_128_c12, FOR_MANY), KERNEL(pp_64_256, FOR_MANY), KERNEL(few_8_128, FOR_FEW), KERNEL(few_16_64, FOR_FEW),
    KERNEL(few_16_128, FOR_FEW), KERNEL(few_16_256, FOR_FEW), KERNEL(few_32_128, FOR_FEW), KERNEL(few_16_pp, FOR_FEW),
    KERNEL(index_any, FOR_INDEX), KERNEL(index_mma, FOR_INDEX), KERNEL(dw_any, FOR_DW), KERNEL(dw_256, FOR_DW),
    KERNEL(dw_pp_192, FOR_DW), KERNEL(dw_mma, FOR_DW), KERNEL(e4m3_any, FOR_8), KERNEL(e4m3_fast, FOR_8),
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* A call: ends, for FOR_INDEX rows, and for FOR_8 factors, on the device. */
typedef struct group_call {
    const void *a, *b;
    void *d;
    const int32_t *ends;
    int groups, m, n, k;
    const int32_t *a_row;
    factors f;
} group_call;

static tc_status run_kernel(int kernel, const group_call *c, cudaStream_t stream)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = c->m, g.n = c->n, g.k = c->k;
    g.a = c->a, g.lda = c->k, g.b = c->b, g.ldb = c->k, g.stride_b = (int64_t)c->n * c->k, g.d = c->d, g.ldd = c->n;
    g.groups.count = c->groups, g.groups.ends = c->ends;
    if (kernels[kernel].rows == FOR_INDEX) g.a_row = c->a_row, g.a_rows = c->m;
    if (kernels[kernel].rows == FOR_DW) {
        g.m = c->n, g.n = c->k, g.k = c->m, g.lda = c->n, g.ldb = g.ldd = c->k;
        g.stride_b = 0, g.stride_d = (int64_t)c->n * c->k;
    }
    if (kernels[kernel].rows == FOR_8) g.epi_args = &c->f, g.epi_size = sizeof c->f;
    return kernels[kernel].run(&g, stream);
}

#ifdef GROUPS_LIBRARY

extern "C" const char *groups_why(void) { return tc_why(); }

/* Kernel number i's name, NULL past the last; for few rows a group (1), for many (0), for both (2), for what groups.py
 * does not measure (3), for e4m3 (4). */
extern "C" const char *groups_name(int i) { return i >= 0 && i < KERNELS ? kernels[i].name : 0; }
extern "C" int groups_few(int i)
{
    if (kernels[i].rows == FOR_8) return 4;
    return kernels[i].rows == FOR_ALL ? 2 : kernels[i].rows > FOR_FEW ? 3 : kernels[i].rows == FOR_FEW;
}

/* pointers: A, B, D, ends, and of e4m3 the factors of A's and of B's rows. sizes: groups, m, n, k. 0 for success; else
 * groups_why() says why. */
extern "C" int groups_run(int i, const void *const *pointers, const int *sizes, void *stream)
{
    const factors f = {(const float *)pointers[4], (const float *)pointers[5], sizes[2]};
    const group_call c = {pointers[0],  pointers[1], (void *)pointers[2], (const int32_t *)pointers[3], sizes[0],
                          sizes[1], sizes[2], sizes[3], 0, f};
    return (int)run_kernel(i, &c, (cudaStream_t)stream);
}

#else

typedef struct group_case {
    const char *name;
    int groups, m, n, k, what;
} group_case;

static const group_case cases[] = {
    {"8 experts", 8, 8192, 14336, 4096, FOR_MANY},
    {"32 experts", 32, 8192, 4096, 7168, FOR_MANY},
    {"32 experts, down", 32, 8192, 7168, 2048, FOR_MANY},
    {"64 experts, decoding", 64, 512, 4096, 7168, FOR_FEW},
    {"32 experts, looked up", 32, 8192, 4096, 7168, FOR_INDEX},
    {"8 experts, gradients", 8, 8192, 14336, 4096, FOR_DW},
    {"32 experts, gradients", 32, 32768, 4096, 2048, FOR_DW},
    {"8 experts, e4m3", 8, 8192, 14336, 4096, FOR_8},
    {"32 experts, e4m3", 32, 8192, 4096, 7168, FOR_8},
    {"32 experts, down, e4m3", 32, 8192, 7168, 2048, FOR_8},
};
enum { CASES = sizeof cases / sizeof cases[0], MOST_GROUPS = 64 };

/* Where each group's rows end: as many each, or in shares of exp(0.7 * normal), each row dealt out by chance. */
static void deal(const group_case *c, int uneven, int32_t *ends)
{
    double share[MOST_GROUPS], all = 0, sum = 0;
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < c->groups; i++) {
        double normal = 0;
        for (int j = 0; j < 12; j++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            normal += (double)(state >> 11) / 9007199254740992.0 - 0.5;
        }
        share[i] = uneven ? exp(0.7 * normal) : 1;
        all += share[i];
    }
    for (int i = 0; i < c->groups; i++) {
        sum += share[i];
        ends[i] = (int32_t)(c->m * (sum / all) + 0.5);
    }
    ends[c->groups - 1] = c->m;
}

/* A warp sums one element of D in fp64: of gradients, of rows. */
static __global__ void truth_dw_kernel(group_call c, unsigned *worst)
{
    const size_t each = (size_t)c.n * c.k, at = bench_sample(c.groups * each), row = at % each / c.k, col = at % c.k;
    const int g = (int)(at / each), first = g ? c.ends[g - 1] : 0, end = c.ends[g];
    double x = 0;
    for (int e = first + (int)(threadIdx.x % 32); e < end; e += 32)
        x += bench_get(TC_BF16, c.a, (size_t)e * c.n + row) * bench_get(TC_BF16, c.b, (size_t)e * c.k + col);
    x = bench_warp_sum(x);
    if (threadIdx.x % 32 == 0)
        bench_report(worst, bench_get(TC_BF16, c.d, at), x, 0.0625 * sqrt((double)(end > first ? end - first : 1)));
}

static __global__ void truth_kernel(group_call c, unsigned *worst)
{
    const size_t at = bench_sample((size_t)c.m * c.n), row = at / c.n, col = at % c.n;
    int g = 0;
    double x = 0;
    while (c.ends[g] <= (int)row) g++;
    const size_t from = c.a_row ? (size_t)c.a_row[row] : row;
    const int type = c.f.a ? TC_E4M3 : TC_BF16;
    double small = (c.f.a ? 0.5 : 0.0625) * sqrt((double)c.k); /* as bench_small */
    for (int e = threadIdx.x % 32; e < c.k; e += 32)
        x += bench_get(type, c.a, from * c.k + e) * bench_get(type, c.b, ((size_t)g * c.n + col) * c.k + e);
    x = bench_warp_sum(x);
    if (c.f.a) {
        const double f = (double)c.f.a[row] * c.f.b[(size_t)g * c.n + col];
        x *= f, small *= fabs(f);
    }
    if (threadIdx.x % 32 == 0) bench_report(worst, bench_get(TC_BF16, c.d, at), x, small);
}

static float off_by(const group_call *c, int what)
{
    unsigned *worst = bench_worst();
    if (what == FOR_DW) truth_dw_kernel<<<BENCH_SAMPLES / 8, 256>>>(*c, worst);
    else truth_kernel<<<BENCH_SAMPLES / 8, 256>>>(*c, worst);
    return bench_worst_end(worst);
}

typedef struct group_side {
    const group_call *call;
    int kernel;
} group_side;

static int run_side(void *self, const bench_problem *p, int set)
{
    const group_side *s = (const group_side *)self;
    (void)set;
    return run_kernel(s->kernel, s->call, p->stream) != TC_OK;
}

/* Is it for such a case? only: the one that was asked for by name, also where others are for it. */
static int serves(const group_kernel *kn, const group_case *c, const char *only)
{
    const int of_rows = kn->rows <= FOR_FEW && c->what <= FOR_FEW;
    if (only) return !strcmp(only, kn->name) && (of_rows || kn->rows == c->what);
    return kn->rows == c->what || (of_rows && kn->rows == FOR_ALL);
}

/* Rows in another order, on the device. */
static const int32_t *shuffled(int rows)
{
    int32_t *host = (int32_t *)malloc((size_t)rows * 4), *at = 0;
    for (int i = 0; i < rows; i++) host[i] = (int32_t)((int64_t)i * 4099 % rows); /* 4099 is a prime */
    CUDA_CHECK(cudaMalloc((void **)&at, (size_t)rows * 4));
    CUDA_CHECK(cudaMemcpy(at, host, (size_t)rows * 4, cudaMemcpyHostToDevice));
    free(host);
    return at;
}

/* One case: prints a line a kernel. How many failed. */
static int measure(const group_case *c, int uneven, const char *only, const bench_plan *plan)
{
    static bench_side sides[KERNELS];
    bench_side *in[KERNELS];
    group_side selves[KERNELS];
    const int type = c->what == FOR_8 ? TC_E4M3 : TC_BF16, size = tc_type_bits(type) / 8;
    const bench_kind kind = {type, TC_BF16, 0, 0, 0, 0, 0};
    const double flops = 2.0 * c->m * c->n * c->k;
    const size_t weights = (size_t)c->groups * c->n * c->k, rows = (size_t)c->m;
    const int dw = c->what == FOR_DW;
    const size_t a_size = rows * (dw ? c->n : c->k), b_size = dw ? rows * c->k : weights;
    const size_t d_size = dw ? weights : rows * c->n;
    int32_t ends[MOST_GROUPS];
    bench_problem p;
    group_call call;
    double busy = 0;
    int count = 0, failed = 0;
    memset(&p, 0, sizeof p);
    memset(sides, 0, sizeof sides);
    snprintf(bench_now, sizeof bench_now, " (%s, %s)", c->name, uneven ? "uneven" : "even");
    p.m = c->m, p.n = c->n, p.k = c->k, p.kind = kind, p.sets = 1, p.replay = 1e-3;
    deal(c, uneven, ends);
    for (int i = 0; i < c->groups; i++) busy += ends[i] > (i ? ends[i - 1] : 0);
    call.groups = c->groups, call.m = c->m, call.n = c->n, call.k = c->k;
    memset(&call.f, 0, sizeof call.f);
    if (c->what == FOR_8) {
        call.f.n = c->n;
        CUDA_CHECK(cudaMalloc((void **)&call.f.a, 4 * rows));
        CUDA_CHECK(cudaMalloc((void **)&call.f.b, (size_t)4 * c->groups * c->n));
        bench_fill((void *)call.f.a, rows, 3, TC_F32, 1.f);
        bench_fill((void *)call.f.b, (size_t)c->groups * c->n, 4, TC_F32, 1.f);
    }
    CUDA_CHECK(cudaMalloc((void **)&call.a, a_size * size));
    CUDA_CHECK(cudaMalloc((void **)&call.b, b_size * size));
    CUDA_CHECK(cudaMalloc(&call.d, d_size * 2));
    call.a_row = c->what == FOR_INDEX ? shuffled(c->m) : 0;
    CUDA_CHECK(cudaMalloc((void **)&call.ends, sizeof ends));
    CUDA_CHECK(cudaMemcpy((void *)call.ends, ends, sizeof ends, cudaMemcpyHostToDevice));
    bench_fill((void *)call.a, a_size, 1, type, 1.f);
    bench_fill((void *)call.b, b_size, 2, type, 1.f);
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    for (int i = 0; i < KERNELS; i++) {
        bench_side *s = &sides[count];
        if (!serves(&kernels[i], c, only)) continue;
        selves[count].call = &call, selves[count].kernel = i;
        s->run = run_side, s->self = &selves[count];
        CUDA_CHECK(cudaMemset(call.d, 0xff, d_size * 2));
        if (bench_side_capture(s, &p)) {
            printf("# %s: refused: %s\n", kernels[i].name, tc_why());
            failed++;
        } else if (!(off_by(&call, c->what) < BENCH_LIMIT)) {
            printf("# %s: wrong, off by %g\n", kernels[i].name, (double)off_by(&call, c->what));
            failed++;
        } else {
            in[count] = s;
            count++;
        }
    }
    if (count) bench_alternate(in, count, plan);
    for (int i = 0; i < count; i++)
        printf("%s,%d,%d,%d,%d,%s,%s,%.1f,%.2f\n", c->name, c->groups, c->m, c->n, c->k, uneven ? "uneven" : "even",
               kernels[selves[i].kernel].name, flops / in[i]->median * 1e-12,
               (double)size * weights * busy / c->groups / in[i]->median * 1e-12);
    fflush(stdout);
    for (int i = 0; i < count; i++) bench_side_free(in[i]);
    CUDA_CHECK(cudaStreamDestroy(p.stream));
    CUDA_CHECK(cudaFree((void *)call.a));
    CUDA_CHECK(cudaFree((void *)call.b));
    CUDA_CHECK(cudaFree(call.d));
    CUDA_CHECK(cudaFree((void *)call.ends));
    CUDA_CHECK(cudaFree((void *)call.a_row));
    CUDA_CHECK(cudaFree((void *)call.f.a));
    CUDA_CHECK(cudaFree((void *)call.f.b));
    return failed;
}

static void say(int i)
{
    printf("%s: %d rows, n %d, k %d, %d groups", cases[i].name, cases[i].m, cases[i].n, cases[i].k, cases[i].groups);
}
static const char *kernel_name(int i) { return kernels[i].name; }
static int measure_both(int i, const bench_options *o)
{
    return measure(&cases[i], 0, o->kernel, &o->plan) + measure(&cases[i], 1, o->kernel, &o->plan);
}

int main(int argc, char **argv)
{
    const bench_table table = {"case,groups,m,n,k,rows,kernel,TFLOP/s,TB/s", CASES, KERNELS, say,
                               kernel_name, 0, measure_both};
    return bench_main(&table, argc, argv);
}
#endif
