/* bench.h - what the benchmarks share: random inputs past the L2, cuBLASLt's best of 8, alternating measurement, records. */
#ifndef TC_BENCH_H
#define TC_BENCH_H

#include "../tc.h"
#include <cublasLt.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CUDA_CHECK(call)                                                                                    \
    do {                                                                                                    \
        cudaError_t err_ = (call);                                                                          \
        if (err_ != cudaSuccess) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_));        \
            exit(2);                                                                                        \
        }                                                                                                   \
    } while (0)

/* ---- inputs: standard normal, from a counter hash and Box-Muller ---- */
static __device__ uint32_t bench_hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(x >> 32);
}

static __global__ void bench_fill_kernel(uint16_t *p, size_t count, uint64_t seed, int type, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float u = (bench_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i) + 1.f) * 2.3283064e-10f;
        const float v = bench_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i + 1) * 2.3283064e-10f;
        const float x = scale * sqrtf(-2.f * logf(u)) * cospif(2.f * v);
        p[i] = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
    }
}

static inline void bench_fill(void *p, size_t count, uint64_t seed, int type, float scale)
{
    bench_fill_kernel<<<1024, 256>>>((uint16_t *)p, count, seed, type, scale);
    CUDA_CHECK(cudaGetLastError());
}

/* ---- the largest difference between two 16-bit matrices, relative to 1 + |x| ---- */
static __global__ void bench_diff_kernel(const uint16_t *x, const uint16_t *y, size_t count, int type, unsigned *worst)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float a = type == TC_BF16 ? tc_f32_from_bf16(x[i]) : tc_f32_from_f16(x[i]);
        const float b = type == TC_BF16 ? tc_f32_from_bf16(y[i]) : tc_f32_from_f16(y[i]);
        const float d = fabsf(a - b) / (1.f + fabsf(b));
        atomicMax(worst, __float_as_uint(d == d ? d : INFINITY));
    }
}

static inline float bench_diff(const void *x, const void *y, size_t count, int type)
{
    unsigned *worst, bits;
    float r;
    CUDA_CHECK(cudaMalloc((void **)&worst, 4));
    CUDA_CHECK(cudaMemset(worst, 0, 4));
    bench_diff_kernel<<<1024, 256>>>((const uint16_t *)x, (const uint16_t *)y, count, type, worst);
    CUDA_CHECK(cudaMemcpy(&bits, worst, 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(worst));
    memcpy(&r, &bits, 4);
    return r;
}

/* ---- one problem: several sets of operands, so that a call never finds its inputs in the L2 ---- */
typedef struct bench_problem {
    int m, n, k, type, sets;
    uint16_t *a, *b, *d;
    size_t a_size, b_size, d_size; /* elements of one set */
} bench_problem;

static inline bench_problem bench_problem_make(int m, int n, int k, int type)
{
    bench_problem p;
    size_t bytes;
    int l2 = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    p.m = m, p.n = n, p.k = k, p.type = type;
    /* sizes rounded up so that every set is 256-byte aligned */
    p.a_size = ((size_t)m * k + 127) / 128 * 128;
    p.b_size = ((size_t)n * k + 127) / 128 * 128;
    p.d_size = ((size_t)m * n + 127) / 128 * 128;
    bytes = 2 * (p.a_size + p.b_size + p.d_size);
    p.sets = (int)(3 * (size_t)l2 / bytes) + 2;
    CUDA_CHECK(cudaMalloc((void **)&p.a, 2 * p.a_size * p.sets));
    CUDA_CHECK(cudaMalloc((void **)&p.b, 2 * p.b_size * p.sets));
    CUDA_CHECK(cudaMalloc((void **)&p.d, 2 * p.d_size * p.sets));
    bench_fill(p.a, p.a_size * p.sets, 1, type, 1.f);
    bench_fill(p.b, p.b_size * p.sets, 2, type, 1.f);
    CUDA_CHECK(cudaMemset(p.d, 0xff, 2 * p.d_size * p.sets));
    return p;
}

static inline void bench_problem_free(bench_problem *p)
{
    CUDA_CHECK(cudaFree(p->a));
    CUDA_CHECK(cudaFree(p->b));
    CUDA_CHECK(cudaFree(p->d));
}

static inline double bench_flops(const bench_problem *p) { return 2.0 * p->m * p->n * p->k; }

static inline tc_gemm_args bench_args(const bench_problem *p, int set)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    set %= p->sets;
    g.m = p->m, g.n = p->n, g.k = p->k;
    g.a = p->a + p->a_size * set, g.lda = p->k;
    g.b = p->b + p->b_size * set, g.ldb = p->k;
    g.d = p->d + p->d_size * set, g.ldd = p->n;
    return g;
}

/* ---- contestants: anything that computes set `set` of a problem on the default stream; 0 for success ---- */
typedef int (*bench_fn)(void *self, const bench_problem *p, int set);

typedef struct bench_side {
    bench_fn run;
    void *self;
    int next; /* set to use next */
} bench_side;

/* cuBLASLt: the best of the first 8 algorithms of its heuristic, by measurement. */
typedef struct bench_cublas {
    cublasLtHandle_t lt;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulHeuristicResult_t algos[8];
    int count, best;
    void *workspace;
    size_t workspace_size;
} bench_cublas;

static inline int bench_cublas_run(void *self, const bench_problem *p, int set)
{
    bench_cublas *c = (bench_cublas *)self;
    const tc_gemm_args g = bench_args(p, set);
    const float one = 1.f, zero = 0.f;
    return cublasLtMatmul(c->lt, c->op, &one, g.b, c->a, g.a, c->b, &zero, g.d, c->d, g.d, c->d, &c->algos[c->best].algo, c->workspace,
                          c->workspace_size, 0) != CUBLAS_STATUS_SUCCESS;
}

/* Seconds for `calls` calls in a row. */
static inline double bench_time(bench_side *s, const bench_problem *p, int calls)
{
    static cudaEvent_t start, stop;
    float ms;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    CUDA_CHECK(cudaEventRecord(start, 0));
    for (int i = 0; i < calls; i++)
        if (s->run(s->self, p, s->next++)) return INFINITY;
    CUDA_CHECK(cudaEventRecord(stop, 0));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1e-3;
}

static int bench_compare(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static inline double bench_median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, bench_compare);
    return count % 2 ? x[count / 2] : 0.5 * (x[count / 2 - 1] + x[count / 2]);
}

static inline void bench_cublas_make(bench_cublas *c, const bench_problem *p)
{
    const cudaDataType_t type = p->type == TC_BF16 ? CUDA_R_16BF : CUDA_R_16F;
    const cublasOperation_t transposed = CUBLAS_OP_T;
    cublasLtMatmulPreference_t preference;
    double best = INFINITY;
    int best_i = 0;
    memset(c, 0, sizeof *c);
    c->workspace_size = 64u << 20;
    CUDA_CHECK(cudaMalloc(&c->workspace, c->workspace_size));
    /* row-major D = A B is column-major D' = B' A' */
    if (cublasLtCreate(&c->lt) || cublasLtMatmulDescCreate(&c->op, CUBLAS_COMPUTE_32F, CUDA_R_32F)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed)
        || cublasLtMatrixLayoutCreate(&c->a, type, p->k, p->n, p->k) || cublasLtMatrixLayoutCreate(&c->b, type, p->k, p->m, p->k)
        || cublasLtMatrixLayoutCreate(&c->d, type, p->n, p->m, p->n) || cublasLtMatmulPreferenceCreate(&preference)
        || cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &c->workspace_size, sizeof c->workspace_size)
        || cublasLtMatmulAlgoGetHeuristic(c->lt, c->op, c->a, c->b, c->d, c->d, preference, 8, c->algos, &c->count) || c->count == 0) {
        fprintf(stderr, "cublasLt cannot be set up for %dx%dx%d\n", p->m, p->n, p->k);
        exit(2);
    }
    cublasLtMatmulPreferenceDestroy(preference);
    for (int i = 0; i < c->count; i++) {
        const double estimate = bench_flops(p) / 500e12;
        const int calls = estimate < 1e-4 ? 40 : estimate < 1e-3 ? 6 : 2;
        bench_side side = {bench_cublas_run, c, 0};
        double times[3];
        c->best = i;
        bench_time(&side, p, 2);
        for (int r = 0; r < 3; r++) times[r] = bench_time(&side, p, calls);
        if (bench_median(times, 3) < best) best = bench_median(times, 3), best_i = i;
    }
    c->best = best_i;
}

static inline void bench_cublas_free(bench_cublas *c)
{
    cublasLtMatrixLayoutDestroy(c->a);
    cublasLtMatrixLayoutDestroy(c->b);
    cublasLtMatrixLayoutDestroy(c->d);
    cublasLtMatmulDescDestroy(c->op);
    cublasLtDestroy(c->lt);
    CUDA_CHECK(cudaFree(c->workspace));
}

/* Alternates `sides` contestants for `rounds` rounds of about `seconds` each; median seconds of one call into out[]. */
static inline void bench_alternate(bench_side *sides, int count, const bench_problem *p, int rounds, double seconds, double *out)
{
    double *times = (double *)malloc(sizeof *times * (size_t)count * (size_t)rounds);
    int calls = (int)(seconds / (bench_flops(p) / 500e12 + 3e-6));
    if (calls < 1) calls = 1;
    for (int s = 0; s < count; s++) bench_time(&sides[s], p, calls);
    for (int r = 0; r < rounds; r++)
        for (int s = 0; s < count; s++) times[s * rounds + r] = bench_time(&sides[s], p, calls) / calls;
    for (int s = 0; s < count; s++) out[s] = bench_median(times + s * rounds, rounds);
    free(times);
}

/* The lines that every record of a measurement starts with. */
static inline void bench_header(FILE *f, int argc, char **argv)
{
    cudaDeviceProp prop;
    int driver = 0, runtime = 0;
    char date[32];
    char version[256] = "", *number;
    const time_t now = time(0);
    FILE *proc = fopen("/proc/driver/nvidia/version", "r");
    if (proc) {
        if (!fgets(version, sizeof version, proc)) version[0] = 0;
        fclose(proc);
    }
    for (number = version; *number && !(number[0] >= '0' && number[0] <= '9' && number[1] >= '0' && number[1] <= '9' && number[2] >= '0' && number[2] <= '9' && number[3] == '.'); number++) {
    }
    number[strcspn(number, " \n")] = 0;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    strftime(date, sizeof date, "%Y-%m-%d", localtime(&now));
    fprintf(f, "# device %s, %d SMs; driver %s, CUDA %d.%d; toolkit %d.%d; cuBLASLt %zu; date %s\n# command", prop.name, prop.multiProcessorCount, number,
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, cublasLtGetVersion(), date);
    for (int i = 0; i < argc; i++) fprintf(f, " %s", argv[i]);
    fprintf(f, "\n");
}

#endif
