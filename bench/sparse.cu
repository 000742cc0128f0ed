/* sparse.cu - a 2:4 sparse operand (.sparse) beside our own dense kernel and, where its library can be opened,
 * cuSPARSELt; and the compressor beside the memory.
 *     make build/bench/sparse && build/bench/sparse       on Hopper, about two minutes
 *     build/bench/sparse --list              cases and kernels; needs no GPU
 *     build/bench/sparse --case 2 --kernel bf16_wide    one of them; --seconds 0.01 --rounds 3: a quick look
 *
 * Calls stand in CUDA graphs, the kernels take turns (bench.h), and each D is checked at 4096 places against sums in
 * fp64 of the pruned A. TFLOP/s: of the dense product, 2 m n k. A line "pack" is the compressor: GB/s of what it reads
 * and writes. cuSPARSELt (libcusparseLt.so.0, CUSPARSELT=path for another) is given the same pruned A, and finds its
 * best algorithm by its own search. */
#define TC_SM90_STUBS
#include "bench.h"
#include <dlfcn.h>

#define BF16 .a = TC_BF16, .b = TC_BF16, .d = TC_BF16
#define S8 .a = TC_S8, .b = TC_S8, .d = TC_S32
#define E4M3 .a = TC_E4M3, .b = TC_E4M3, .d = TC_BF16
#define SPARSE .sparse = TC_SPARSE_A
TC_GEMM_DEFINE(bf16_dense, BF16, .shapes = TC_SHAPES_LARGE)
TC_GEMM_SM90_DEFINE(bf16_wide, BF16, SPARSE, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(bf16_alone, BF16, SPARSE)
TC_GEMM_SM90_DEFINE(bf16_five, BF16, SPARSE, .cluster_m = 2, .epi_stages = 1)
TC_GEMM_SM90_DEFINE(bf16_pair, BF16, SPARSE, .bn = 160, .schedule = TC_PINGPONG, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(bf16_tall, BF16, SPARSE, .bm = 256, .bn = 128, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(bf16_k128, BF16, SPARSE, .bn = 192, .bk = 128, .cluster_m = 2)
TC_GEMM_DEFINE(s8_dense, S8, .shapes = TC_SHAPES_LARGE)
TC_GEMM_SM90_DEFINE(s8_wide, S8, SPARSE, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(s8_alone, S8, SPARSE)
TC_GEMM_SM90_DEFINE(s8_five, S8, SPARSE, .cluster_m = 2, .epi_stages = 1)
TC_GEMM_SM90_DEFINE(s8_pair, S8, SPARSE, .bn = 160, .schedule = TC_PINGPONG, .cluster_m = 2)
TC_GEMM_DEFINE(e4m3_dense, E4M3, .shapes = TC_SHAPES_LARGE)
TC_GEMM_SM90_DEFINE(e4m3_wide, E4M3, SPARSE, .bn = 192, .cluster_m = 2)
TC_GEMM_SM90_DEFINE(e4m3_fast, E4M3, SPARSE, .bn = 256, .promote = TC_FAST, .cluster_m = 2)

typedef struct sparse_kernel {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t); /* null: cuSPARSELt */
    int a, d, sparse;
} sparse_kernel;
#define KERNEL(name) {#name, name##_run, name##_config().a, name##_config().d, name##_config().sparse}
static const sparse_kernel kernels[] = {
    KERNEL(bf16_dense), KERNEL(bf16_wide), KERNEL(bf16_alone), KERNEL(bf16_five), KERNEL(bf16_pair), KERNEL(bf16_tall),
    KERNEL(bf16_k128),
    {"cusparselt_bf16", 0, TC_BF16, TC_BF16, TC_SPARSE_A},
    KERNEL(s8_dense), KERNEL(s8_wide), KERNEL(s8_alone), KERNEL(s8_five), KERNEL(s8_pair),
    {"cusparselt_s8", 0, TC_S8, TC_S32, TC_SPARSE_A},
    KERNEL(e4m3_dense), KERNEL(e4m3_wide), KERNEL(e4m3_fast), {"cusparselt_e4m3", 0, TC_E4M3, TC_BF16, TC_SPARSE_A},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

typedef struct sparse_case { int m, n, k, type; } sparse_case;
static const sparse_case cases[] = {
    {8192, 8192, 8192, TC_BF16}, {8192, 8192, 8192, TC_S8}, {8192, 8192, 8192, TC_E4M3},
    {4096, 4096, 4096, TC_BF16}, {28672, 4096, 8192, TC_BF16}, {8192, 512, 8192, TC_BF16},
    {4096, 8192, 14336, TC_E4M3}};
enum { CASES = sizeof cases / sizeof cases[0] };

/* ---- operands: A pruned, dense and compressed ---- */
typedef struct operands {
    char *a, *kept, *b;
    uint8_t *meta;
    int m, n, k, type;
} operands;

static __global__ void pack_kernel(tc_sp_args p)
{
    if (p.type == TC_S8) tc_sp_pack_grid(TC_S8, &p);
    else if (p.type == TC_E4M3) tc_sp_pack_grid(TC_E4M3, &p);
    else tc_sp_pack_grid(TC_BF16, &p);
}

/* A as it is multiplied, over what it was. */
static __global__ void prune_kernel(operands o)
{
    const int size = tc_type_bits(o.type) / 8;
    const size_t groups = (size_t)o.m * (o.k / 4);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < groups; i += (size_t)gridDim.x * blockDim.x) {
        const size_t row = i / (o.k / 4), g = i % (o.k / 4);
        const uint32_t nibble = tc_sp_meta_get(o.type, o.meta, o.k, (int64_t)row, (int64_t)g);
        for (uint32_t e = 0; e < 4; e++) {
            if ((nibble & 3u) == e || nibble >> 2 == e) continue;
            for (int b = 0; b < size; b++) o.a[(row * o.k + g * 4 + e) * size + b] = 0;
        }
    }
}

static tc_sp_args pack_args(const operands *o)
{
    tc_sp_args p;
    memset(&p, 0, sizeof p);
    p.type = o->type, p.prune = 1, p.rows = o->m, p.cols = o->k, p.a = o->a, p.lda = o->k;
    p.kept = o->kept, p.ldk = o->k / 2, p.meta = o->meta;
    return p;
}

static int run_pack(void *self, const bench_problem *p, int set)
{
    (void)set;
    pack_kernel<<<132 * 8, 256, 0, p->stream>>>(pack_args((const operands *)self));
    return cudaGetLastError() != cudaSuccess;
}

static operands operands_make(const sparse_case *c)
{
    const size_t size = tc_type_bits(c->type) / 8, count = (size_t)c->m * c->k;
    operands o = {0, 0, 0, 0, c->m, c->n, c->k, c->type};
    CUDA_CHECK(cudaMalloc((void **)&o.a, count * size));
    CUDA_CHECK(cudaMalloc((void **)&o.kept, count * size / 2));
    CUDA_CHECK(cudaMalloc((void **)&o.meta, (size_t)tc_sp_meta_bytes(c->type, c->m, c->k)));
    CUDA_CHECK(cudaMalloc((void **)&o.b, (size_t)c->n * c->k * size));
    bench_fill(o.a, count, 1, c->type, 1.f);
    bench_fill(o.b, (size_t)c->n * c->k, 2, c->type, 1.f);
    pack_kernel<<<1024, 256>>>(pack_args(&o));
    prune_kernel<<<1024, 256>>>(o);
    CUDA_CHECK(cudaDeviceSynchronize());
    return o;
}
static void operands_free(operands *o)
{
    CUDA_CHECK(cudaFree(o->a));
    CUDA_CHECK(cudaFree(o->kept));
    CUDA_CHECK(cudaFree(o->meta));
    CUDA_CHECK(cudaFree(o->b));
}

/* ---- cuSPARSELt, opened at run time: its header need not be there. Its structs are opaque, and no version's is larger
 * than this. Numbers are those of 0.7 and later; what they make of another version is checked as any result. Integers
 * and pointers are handed over as to a function of unknown arguments, which x86-64 and AArch64 do alike. ---- */
typedef struct lt_opaque { char bytes[16384]; } __attribute__((aligned(16))) lt_opaque;
enum { LT_ROW = 2, LT_COL = 1, LT_T = 1, LT_N = 0, LT_32I = 0, LT_32F = 2 };
typedef int (*lt_any)(...);
typedef struct lt_library {
    lt_any init, structured, dense, matmul, select, plan, workspace, size, compress, search, run;
} lt_library;

static int lt_open(lt_library *lt)
{
    static const char *const names[11] = {
        "cusparseLtInit", "cusparseLtStructuredDescriptorInit", "cusparseLtDenseDescriptorInit",
        "cusparseLtMatmulDescriptorInit", "cusparseLtMatmulAlgSelectionInit", "cusparseLtMatmulPlanInit",
        "cusparseLtMatmulGetWorkspace", "cusparseLtSpMMACompressedSize", "cusparseLtSpMMACompress",
        "cusparseLtMatmulSearch", "cusparseLtMatmul"};
    const char *path = getenv("CUSPARSELT") ? getenv("CUSPARSELT") : "libcusparseLt.so.0";
    void *so = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (!so) return printf("# no cuSPARSELt: %s\n", dlerror()), 0;
    for (int i = 0; i < 11; i++) {
        void *f = dlsym(so, names[i]);
        if (!f) return printf("# no cuSPARSELt: %s lacks %s\n", path, names[i]), 0;
        ((lt_any *)lt)[i] = (lt_any)f;
    }
    return 1;
}

typedef struct lt_side {
    lt_opaque handle, a, b, d, op, algorithm, plan;
    char *compressed, *buffer, *workspace;
} lt_side;

/* D row-major is D^T column-major; here D[m,n] = A[m,k] * B[n,k]^T, A in rows. 0 where all went well. */
static int lt_make(const lt_library *lt, lt_side *s, const operands *o, int d_type)
{
    const int ab = o->type == TC_BF16 ? CUDA_R_16BF : o->type == TC_S8 ? CUDA_R_8I : CUDA_R_8F_E4M3;
    const int d = d_type == TC_S32 ? CUDA_R_32I : CUDA_R_16BF, compute = o->type == TC_S8 ? LT_32I : LT_32F;
    const int64_t m = o->m, n = o->n, k = o->k;
    size_t bytes = 0, more = 0, room = 0;
    int bad = lt->init(&s->handle)
           || lt->structured(&s->handle, &s->a, m, k, k, 16u, ab, LT_ROW, 0)
           || lt->dense(&s->handle, &s->b, n, k, k, 16u, ab, LT_ROW)
           || lt->dense(&s->handle, &s->d, m, n, n, 16u, d, LT_ROW)
           || lt->matmul(&s->handle, &s->op, LT_N, LT_T, &s->a, &s->b, &s->d, &s->d, compute)
           || lt->select(&s->handle, &s->algorithm, &s->op, 0)
           || lt->plan(&s->handle, &s->plan, &s->op, &s->algorithm)
           || lt->size(&s->handle, &s->plan, &bytes, &more);
    if (bad) return 1;
    CUDA_CHECK(cudaMalloc((void **)&s->compressed, bytes));
    CUDA_CHECK(cudaMalloc((void **)&s->buffer, more + 16));
    if (lt->compress(&s->handle, &s->plan, o->a, s->compressed, s->buffer, (cudaStream_t)0)) return 1;
    if (lt->workspace(&s->handle, &s->plan, &room)) return 1;
    CUDA_CHECK(cudaMalloc((void **)&s->workspace, room + ((size_t)64 << 20)));
    return 0;
}

/* ---- sides ---- */
typedef struct sparse_side {
    const sparse_kernel *kernel;
    const operands *o;
    const lt_library *lt;
    lt_side *other;
    char *d;
} sparse_side;

static int run_side(void *self, const bench_problem *p, int set)
{
    const sparse_side *s = (const sparse_side *)self;
    const operands *o = s->o;
    const float one = 1, none = 0;
    cudaStream_t stream = p->stream;
    tc_gemm_args g;
    (void)set;
    if (s->other)
        return s->lt->run(&s->other->handle, &s->other->plan, &one, s->other->compressed, o->b, &none, s->d, s->d,
                          s->other->workspace, &stream, 1);
    memset(&g, 0, sizeof g);
    g.m = o->m, g.n = o->n, g.k = o->k, g.b = o->b, g.ldb = o->k, g.d = s->d, g.ldd = o->n;
    g.a = s->kernel->sparse ? o->kept : o->a, g.lda = s->kernel->sparse ? o->k / 2 : o->k;
    if (s->kernel->sparse) g.meta = o->meta;
    return s->kernel->run(&g, p->stream) != TC_OK;
}

/* A warp sums one element of D in fp64. */
static __global__ void truth_kernel(operands o, const char *d, int d_type, unsigned *worst)
{
    const size_t at = bench_sample((size_t)o.m * o.n), row = at / o.n, col = at % o.n;
    double x = 0, size = 0;
    for (int e = threadIdx.x % 32; e < o.k; e += 32) {
        const double p = bench_get(o.type, o.a, row * o.k + e) * bench_get(o.type, o.b, col * o.k + e);
        x += p, size += p * p;
    }
    x = bench_warp_sum(x), size = bench_warp_sum(size);
    if (threadIdx.x % 32 == 0) bench_report(worst, bench_get(d_type, d, at), x, 0.0625 * sqrt(size));
}

static float off_by(const sparse_side *s)
{
    unsigned *worst = bench_worst();
    truth_kernel<<<BENCH_SAMPLES / 8, 256>>>(*s->o, s->d, s->kernel->d, worst);
    return bench_worst_end(worst);
}

/* 1 where the side is there and right; otherwise says why. */
static int side_make(sparse_side *s, const bench_problem *p)
{
    const operands *o = s->o;
    const size_t bytes = (size_t)o->m * o->n * tc_type_bits(s->kernel->d) / 8;
    const float one = 1, none = 0;
    cudaStream_t stream = p->stream;
    float off;
    CUDA_CHECK(cudaMalloc((void **)&s->d, bytes));
    CUDA_CHECK(cudaMemset(s->d, 0xff, bytes));
    if (!s->kernel->run) {
        s->other = (lt_side *)calloc(1, sizeof *s->other + 16);
        if (lt_make(s->lt, s->other, o, s->kernel->d)) return printf("# %s: cuSPARSELt refuses\n", s->kernel->name), 0;
        s->lt->search(&s->other->handle, &s->other->plan, &one, s->other->compressed, o->b, &none, s->d, s->d,
                      s->other->workspace, &stream, 1);
    }
    if (run_side(s, p, 0)) return printf("# %s: refused: %s\n", s->kernel->name, s->other ? "" : tc_why()), 0;
    CUDA_CHECK(cudaStreamSynchronize(p->stream));
    off = off_by(s);
    if (!(off < BENCH_LIMIT)) return printf("# %s: wrong, off by %g\n", s->kernel->name, (double)off), 0;
    return 1;
}

static void side_free(sparse_side *s)
{
    CUDA_CHECK(cudaFree(s->d));
    if (!s->other) return;
    CUDA_CHECK(cudaFree(s->other->compressed));
    CUDA_CHECK(cudaFree(s->other->buffer));
    CUDA_CHECK(cudaFree(s->other->workspace));
    free(s->other);
}

/* One case: prints a line a kernel. How many failed. */
static int measure(const sparse_case *c, const lt_library *lt, const bench_options *options)
{
    static bench_side sides[KERNELS + 1];
    static sparse_side selves[KERNELS + 1];
    bench_side *in[KERNELS + 1];
    const bench_kind kind = {c->type, TC_BF16, 0, 0, 0, 0, 0};
    operands o = operands_make(c);
    const double read = (double)c->m * c->k * tc_type_bits(c->type) / 8;
    const double moved = 1.5 * read + (double)tc_sp_meta_bytes(c->type, c->m, c->k);
    bench_problem p;
    int count = 0, failed = 0;
    memset(&p, 0, sizeof p);
    memset(sides, 0, sizeof sides);
    memset(selves, 0, sizeof selves);
    snprintf(bench_now, sizeof bench_now, " (m %d, n %d, k %d)", c->m, c->n, c->k);
    p.m = c->m, p.n = c->n, p.k = c->k, p.kind = kind, p.sets = 1, p.replay = 1e-3;
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    for (int i = 0; i < KERNELS; i++) {
        const sparse_kernel *k = &kernels[i];
        sparse_side *s = &selves[count];
        if (options->kernel ? strcmp(options->kernel, k->name) != 0 : k->a != c->type) continue;
        if (k->a != c->type || (!k->run && !lt->run)) continue;
        memset(s, 0, sizeof *s);
        s->kernel = k, s->o = &o, s->lt = lt;
        sides[count].run = run_side, sides[count].self = s;
        if (side_make(s, &p) && bench_side_capture(&sides[count], &p) == 0) {
            in[count] = &sides[count];
            count++;
            continue;
        }
        failed += k->run != 0;
        side_free(s);
    }
    if (!options->kernel || !strcmp(options->kernel, "pack")) {
        bench_side *s = &sides[KERNELS];
        s->run = run_pack, s->self = &o;
        if (bench_side_capture(s, &p) == 0) {
            bench_alternate(&s, 1, &options->plan);
            printf("%s,%d,%d,%d,pack,%.2f,,%.0f\n", tc_type_name(c->type), c->m, c->n, c->k, s->median * 1e6,
                   moved / s->median * 1e-9);
            bench_side_free(s);
        }
    }
    if (count) bench_alternate(in, count, &options->plan);
    for (int i = 0; i < count; i++)
        printf("%s,%d,%d,%d,%s,%.2f,%.1f,\n", tc_type_name(c->type), c->m, c->n, c->k, selves[i].kernel->name,
               in[i]->median * 1e6, 2.0 * c->m * c->n * c->k / in[i]->median * 1e-12);
    fflush(stdout);
    for (int i = 0; i < count; i++) bench_side_free(in[i]), side_free(&selves[i]);
    CUDA_CHECK(cudaStreamDestroy(p.stream));
    operands_free(&o);
    return failed;
}

static void say(int i)
{
    const sparse_case *c = &cases[i];
    printf("%s, m %d, n %d, k %d", tc_type_name(c->type), c->m, c->n, c->k);
}
static const char *kernel_name(int i) { return kernels[i].name; }

static lt_library lt; /* zeros: it is not there */
static void begin(void)
{
    if (!lt_open(&lt)) memset(&lt, 0, sizeof lt);
}
static int measure_case(int i, const bench_options *o) { return measure(&cases[i], &lt, o); }

int main(int argc, char **argv)
{
    const bench_table table = {"type,m,n,k,kernel,us,TFLOP/s,GB/s", CASES, KERNELS, say, kernel_name, begin,
                               measure_case};
    return bench_main(&table, argc, argv);
}
