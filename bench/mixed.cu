/* mixed.cu - packed weights of 4 and 8 bits (.weights) times bf16, beside the same product with weights in bf16.
 *     make build/bench/mixed && build/bench/mixed       on an H200, about a minute
 *     build/bench/mixed --list              cases and kernels; needs no GPU
 *     build/bench/mixed --case 2 --kernel s4_few    one of them; --seconds 0.01 --rounds 3: a quick look
 *
 * Operands are in sets past the L2, calls stand in CUDA graphs, the kernels take turns (bench.h), and each D is checked
 * at 4096 places against sums in fp64 of what is multiplied (tc_weights_value). GB/s: of the weights as they lie in
 * memory, packed or in bf16, factors included. */
#define TC_SM90_STUBS
#include "bench.h"

#define IN_BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define S4 IN_BF16, .weights = TC_S4, .weights_k = 128
#define S8 IN_BF16, .weights = TC_S8, .weights_k = 128
TC_GEMM_DEFINE(plain, IN_BF16)
/* few rows */
TC_GEMM_SM90_DEFINE(s4_few, S4, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(s4_few_128, S4, .bm = 16, .bn = 128, .split = 1)
TC_GEMM_SM90_DEFINE(s4_64, S4, .bm = 64, .split = 1)
TC_GEMM_SM90_DEFINE(u4_few, IN_BF16, .weights = TC_U4, .weights_k = 128, .weights_zero = 1, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(e2m1_few, IN_BF16, .weights = TC_E2M1, .weights_k = 32, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(s8_few, S8, .bm = 16, .split = 1)
TC_GEMM_SM90_DEFINE(e4m3_few, IN_BF16, .weights = TC_E4M3, .weights_k = 128, .bm = 16, .split = 1)
/* many */
TC_GEMM_SM90_DEFINE(s4_256, S4, .bm = 256)
TC_GEMM_SM90_DEFINE(s8_256, S8, .bm = 256)
TC_GEMM_SM90_DEFINE(e4m3_256, IN_BF16, .weights = TC_E4M3, .weights_k = 128, .bm = 256)

typedef struct mixed_kernel {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int few; /* 2: for all cases */
    tc_gemm_config c;
} mixed_kernel;
#define KERNEL(name, few) {#name, name##_run, few, name##_config()}
static const mixed_kernel kernels[] = {
    KERNEL(plain, 2), KERNEL(s4_few, 1), KERNEL(s4_few_128, 1), KERNEL(s4_64, 1), KERNEL(u4_few, 1),
    KERNEL(e2m1_few, 1), KERNEL(s8_few, 1), KERNEL(e4m3_few, 1), KERNEL(s4_256, 0), KERNEL(s8_256, 0),
    KERNEL(e4m3_256, 0),
};
enum { KERNELS = sizeof kernels / sizeof kernels[0], SETS_MOST = 12 };

typedef struct mixed_case { int m, n, k, few; } mixed_case;
static const mixed_case cases[] = {
    {16, 28672, 8192, 1}, {16, 8192, 8192, 1}, {16, 8192, 28672, 1}, {16, 4096, 4096, 1}, {64, 8192, 8192, 1},
    {1, 8192, 8192, 1}, {4096, 8192, 8192, 0}};
enum { CASES = sizeof cases / sizeof cases[0] };

/* Weights of one kernel, in sets; the zeros of u4 are 8. */
typedef struct mixed_weights {
    tc_weights w; /* .type 0: bf16 as it is */
    char *at;
    size_t bytes;
} mixed_weights;

static __global__ void fill_kernel(tc_weights w, uint32_t *to, size_t words, uint64_t seed)
{
    const size_t brick = (size_t)tc__weights_brick(w.type, w.group, w.zero) / 4, codes = tc__weights_codes(w.type) / 4;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < words; i += (size_t)gridDim.x * blockDim.x) {
        const size_t in = i % brick;
        const uint32_t factor = tc_from_f32(w.as, tc_type_bits(w.type) == 8 ? 0.0078125f : 0.25f);
        const uint32_t zero = tc_from_f32(w.as, (float)(tc__weights_base(w.type, w.as) + 8));
        const uint32_t behind = w.zero && (in - codes) / 32 % 2 ? zero : factor;
        to[i] = in < codes ? bench_hash(seed * words + i) : behind * 0x10001u;
    }
}

typedef struct mixed_side {
    const mixed_kernel *kernel;
    mixed_weights weights;
    char *a, *d;
    void *workspace;
    int m, n, k, sets;
} mixed_side;

static int run_side(void *self, const bench_problem *p, int set)
{
    const mixed_side *s = (const mixed_side *)self;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = s->m, g.n = s->n, g.k = s->k, g.a = s->a, g.lda = s->k, g.d = s->d, g.ldd = s->n;
    g.b = s->weights.at + s->weights.bytes * (size_t)(set % s->sets), g.ldb = s->weights.w.type ? 0 : s->k;
    g.workspace = s->workspace, g.workspace_size = (size_t)64 << 20;
    return s->kernel->run(&g, p->stream) != TC_OK;
}

/* A warp sums one element of D in fp64. */
static __global__ void truth_kernel(mixed_side s, unsigned *worst)
{
    const size_t at = bench_sample((size_t)s.m * s.n), row = at / s.n, col = at % s.n;
    double x = 0, size = 0;
    for (int e = threadIdx.x % 32; e < s.k; e += 32) {
        const double b = s.weights.w.type ? (double)tc_weights_value(&s.weights.w, s.weights.at, (int)col, e)
                                          : bench_get(TC_BF16, s.weights.at, col * s.k + e);
        const double product = bench_get(TC_BF16, s.a, row * s.k + e) * b;
        x += product, size += product * product;
    }
    x = bench_warp_sum(x), size = bench_warp_sum(size);
    if (threadIdx.x % 32 == 0) bench_report(worst, bench_get(TC_BF16, s.d, at), x, 0.0625 * sqrt(size));
}

static float off_by(const mixed_side *s)
{
    unsigned *worst = bench_worst();
    truth_kernel<<<BENCH_SAMPLES / 8, 256>>>(*s, worst);
    return bench_worst_end(worst);
}

static void side_make(mixed_side *s, const mixed_case *c, const mixed_kernel *k)
{
    memset(s, 0, sizeof *s);
    s->kernel = k, s->m = c->m, s->n = c->n, s->k = c->k;
    s->weights.w.type = k->c.weights, s->weights.w.as = k->c.a, s->weights.w.group = k->c.weights_k;
    s->weights.w.zero = k->c.weights_zero, s->weights.w.n = c->n, s->weights.w.k = c->k;
    s->weights.bytes = k->c.weights ? (size_t)tc_weights_bytes(&s->weights.w) : (size_t)c->n * c->k * 2;
    s->sets = c->few ? (int)(((size_t)256 << 20) / s->weights.bytes) + 1 : 1;
    if (s->sets > SETS_MOST) s->sets = SETS_MOST;
    CUDA_CHECK(cudaMalloc((void **)&s->weights.at, s->weights.bytes * s->sets));
    CUDA_CHECK(cudaMalloc((void **)&s->a, (size_t)c->m * c->k * 2));
    CUDA_CHECK(cudaMalloc((void **)&s->d, (size_t)c->m * c->n * 2));
    CUDA_CHECK(cudaMalloc(&s->workspace, (size_t)64 << 20));
    bench_fill(s->a, (size_t)c->m * c->k, 1, TC_BF16, 1.f);
    if (!k->c.weights) bench_fill(s->weights.at, (size_t)c->n * c->k * s->sets, 2, TC_BF16, 1.f);
    for (int i = 0; k->c.weights && i < s->sets; i++)
        fill_kernel<<<1024, 256>>>(s->weights.w, (uint32_t *)(s->weights.at + s->weights.bytes * i),
                                   s->weights.bytes / 4, (uint64_t)i + 3);
    CUDA_CHECK(cudaMemset(s->d, 0xff, (size_t)c->m * c->n * 2));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void side_free(mixed_side *s)
{
    CUDA_CHECK(cudaFree(s->weights.at));
    CUDA_CHECK(cudaFree(s->a));
    CUDA_CHECK(cudaFree(s->d));
    CUDA_CHECK(cudaFree(s->workspace));
}

/* One case: prints a line a kernel. How many failed. */
static int measure(const mixed_case *c, const char *only, const bench_plan *plan)
{
    static bench_side sides[KERNELS];
    static mixed_side selves[KERNELS];
    bench_side *in[KERNELS];
    const bench_kind kind = {TC_BF16, TC_BF16, 0, 0, 0, 0, 0};
    bench_problem p;
    int count = 0, failed = 0;
    memset(&p, 0, sizeof p);
    memset(sides, 0, sizeof sides);
    snprintf(bench_now, sizeof bench_now, " (m %d, n %d, k %d)", c->m, c->n, c->k);
    p.m = c->m, p.n = c->n, p.k = c->k, p.kind = kind, p.sets = c->few ? SETS_MOST : 1, p.replay = 1e-3;
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    for (int i = 0; i < KERNELS; i++) {
        bench_side *s = &sides[count];
        const int wanted = only ? !strcmp(only, kernels[i].name) : kernels[i].few == 2 || kernels[i].few == c->few;
        if (!wanted) continue;
        side_make(&selves[count], c, &kernels[i]);
        s->run = run_side, s->self = &selves[count];
        if (run_side(s->self, &p, 0)) {
            printf("# %s: refused: %s\n", kernels[i].name, tc_why());
            failed++;
        } else {
            CUDA_CHECK(cudaStreamSynchronize(p.stream));
            const float off = off_by(&selves[count]);
            if (off < BENCH_LIMIT && bench_side_capture(s, &p) == 0) {
                in[count] = s;
                count++;
                continue;
            }
            printf("# %s: wrong, off by %g\n", kernels[i].name, (double)off);
            failed++;
        }
        side_free(&selves[count]);
    }
    if (count) bench_alternate(in, count, plan);
    for (int i = 0; i < count; i++)
        printf("%d,%d,%d,%s,%.2f,%.1f,%.0f\n", c->m, c->n, c->k, selves[i].kernel->name, in[i]->median * 1e6,
               2.0 * c->m * c->n * c->k / in[i]->median * 1e-12,
               (double)selves[i].weights.bytes / in[i]->median * 1e-9);
    fflush(stdout);
    for (int i = 0; i < count; i++) bench_side_free(in[i]), side_free(&selves[i]);
    CUDA_CHECK(cudaStreamDestroy(p.stream));
    return failed;
}

static void say(int i) { printf("m %d, n %d, k %d", cases[i].m, cases[i].n, cases[i].k); }
static const char *kernel_name(int i) { return kernels[i].name; }
static int measure_case(int i, const bench_options *o) { return measure(&cases[i], o->kernel, &o->plan); }

int main(int argc, char **argv)
{
    const bench_table table = {"m,n,k,kernel,us,TFLOP/s,GB/s of weights", CASES, KERNELS, say, kernel_name, 0,
                               measure_case};
    return bench_main(&table, argc, argv);
}
