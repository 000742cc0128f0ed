/* bench.h - what the benchmarks share: random inputs past the L2, calls in CUDA graphs, turns, cuBLASLt's best of 8.
 *
 *     bench_problem   sets of random operands of one shape, so many that no call finds its inputs in the L2
 *     bench_side      a contestant: a function that computes one set; captured as a graph with one call for each set,
 *                     and again where that makes less than a millisecond
 *     bench_worst     the largest error that kernels report, of D's elements or others; bench_main: the main of a table
 *                     of cases and kernels
 *     bench_plan      seconds of a burst and rounds; bench_alternate lets the sides take turns, a burst each a round
 *     bench_cublas    cuBLASLt's first 8 algorithms as sides, ranked by bursts of their own */
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

/* What is being measured: an error that CUDA reports later than its cause says so. */
static char bench_now[96];

#define CUDA_CHECK(call)                                                                              \
    do {                                                                                              \
        cudaError_t err_ = (call);                                                                    \
        if (err_ != cudaSuccess) {                                                                    \
            fprintf(stderr, "%s:%d: %s: %s%s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_),  \
                    bench_now);                                                                       \
            exit(2);                                                                                  \
        }                                                                                             \
    } while (0)

#include "record.h"

/* ---- inputs: standard normal, from a counter hash and Box-Muller ---- */
static __device__ uint32_t bench_hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return (uint32_t)(x >> 32);
}

/* One element, as a float; and a float as one. Integers: 16 steps of the normal's spread. */
static __device__ double bench_get(int type, const void *p, size_t i)
{
    switch (type) {
    case TC_BF16: return tc_f32_from_bf16(((const uint16_t *)p)[i]);
    case TC_F16: return tc_f32_from_f16(((const uint16_t *)p)[i]);
    case TC_S32: return ((const int32_t *)p)[i];
    case TC_S8: return ((const int8_t *)p)[i];
    case TC_E4M3: return tc_f32_from_e4m3(((const uint8_t *)p)[i]);
    case TC_F64: return ((const double *)p)[i];
    default: return ((const float *)p)[i];
    }
}

static __device__ void bench_put(int type, void *p, size_t i, float x)
{
    switch (type) {
    case TC_BF16: ((uint16_t *)p)[i] = tc_bf16_from_f32(x); break;
    case TC_F16: ((uint16_t *)p)[i] = tc_f16_from_f32(x); break;
    case TC_S8: ((int8_t *)p)[i] = (int8_t)fminf(fmaxf(rintf(16 * x), -127.f), 127.f); break;
    case TC_E4M3: ((uint8_t *)p)[i] = tc_e4m3_from_f32(x); break;
    case TC_F64: ((double *)p)[i] = x; break;
    default: ((float *)p)[i] = x;
    }
}

static __global__ void bench_fill_kernel(void *p, size_t count, uint64_t seed, int type, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float u = (bench_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i) + 1.f) * 2.3283064e-10f;
        const float v = bench_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i + 1) * 2.3283064e-10f;
        const float x = scale * sqrtf(-2.f * logf(u)) * cospif(2.f * v);
        bench_put(type, p, i, scale == 0.f ? 0.f : x); /* and not -0 */
    }
}

static inline void bench_fill(void *p, size_t count, uint64_t seed, int type, float scale)
{
    bench_fill_kernel<<<1024, 256>>>(p, count, seed, type, scale);
    CUDA_CHECK(cudaGetLastError());
}

/* 1: A and B are zeros, with which a board stays below its limit of power: what clocks, memory and code are. */
static int bench_zeros;

/* ---- one problem: several sets of operands, so that a call never finds its inputs in the L2 ---- */
typedef struct bench_shape {
    int m, n, k; /* D[m,n] = A[m,k] * B[n,k]^T; for a layer: tokens, outputs, inputs */
    int batch;   /* so many of them, one behind the other (0: one) */
} bench_shape;

/* Types of A and B and of D; 1: A lies in columns, B in rows. */
typedef struct bench_kind {
    int ab, d, a_col, b_row;
    int acc;   /* TC_F16: sums of cuBLASLt in f16; TC_FAST: with fast accumulation */
    int other; /* type of cuBLASLt's D, where it is not d: it has none like it */
    int scaled; /* 1: a factor for each 1 x 128 of A and each 128 x 128 of B */
    int added;  /* 1: D = A * B + C, another matrix of D's type */
} bench_kind;

typedef struct bench_problem {
    int m, n, k, batch, sets; /* batch: 0 is one */
    bench_kind kind;
    char *a, *b, *c, *d;      /* c: .added */
    float *a_scale, *b_scale; /* .scaled: the same for all sets */
    size_t a_size, b_size, d_size; /* bytes of one set */
    void *workspace;               /* for the kit's calls, zeroed once; cuBLASLt has its own */
    size_t workspace_size;
    cudaStream_t stream;
    double replay; /* seconds that a replay of a graph should take at the least, about */
} bench_problem;

enum { BENCH_WORKSPACE = 64 << 20, BENCH_SETS_MAX = 1024 };

static __host__ __device__ inline int bench_batch(bench_shape s) { return s.batch ? s.batch : 1; }
static inline double bench_shape_flops(bench_shape s) { return 2.0 * s.m * s.n * s.k * bench_batch(s); }

/* What a call must move at the least: A and B (and C) read once, D written once. */
static inline double bench_shape_bytes(bench_shape s, bench_kind kind)
{
    return bench_batch(s) * (tc_type_bits(kind.ab) / 8 * ((double)s.m * s.k + (double)s.n * s.k)
                             + (1 + kind.added) * (tc_type_bits(kind.d) / 8) * (double)s.m * s.n);
}

/* Bytes of an element of D, as wide as the wider side's. */
static inline size_t bench_d_bytes(bench_kind kind)
{
    const int d = tc_type_bits(kind.d), other = kind.other ? tc_type_bits(kind.other) : 0;
    return (size_t)(d > other ? d : other) / 8;
}

/* Products in the time of one of 16 bits. */
static inline double bench_pace(bench_kind kind) { return 16.0 / tc_type_bits(kind.ab); }

/* Sets of operands that together take three times the L2, at least two. */
static inline int bench_sets(bench_shape s, bench_kind kind, double l2)
{
    const double sets = ceil(3 * l2 / bench_shape_bytes(s, kind));
    if (sets < 2) return 2;
    return sets < BENCH_SETS_MAX ? (int)sets : BENCH_SETS_MAX;
}

/* Factors: of A with rows together, of B with blocks of k together, lines of whole 16 bytes. */
static __host__ __device__ inline int64_t bench_a_lines(const bench_problem *p) { return (p->m + 3) / 4 * 4; }
static __host__ __device__ inline int64_t bench_b_lines(const bench_problem *p) { return (p->k + 511) / 512 * 4; }

static __device__ inline double bench_factor(const bench_problem *p, size_t row, size_t col, int k)
{
    if (!p->kind.scaled) return 1;
    return (double)p->a_scale[row + (size_t)(k / 128) * bench_a_lines(p)]
         * p->b_scale[col / 128 * bench_b_lines(p) + k / 128];
}

static inline void bench_fill_factors(bench_problem *p)
{
    const size_t a = (size_t)(p->k + 127) / 128 * bench_a_lines(p), b = (size_t)(p->n + 127) / 128 * bench_b_lines(p);
    if (!p->kind.scaled) return;
    CUDA_CHECK(cudaMalloc((void **)&p->a_scale, 4 * a));
    CUDA_CHECK(cudaMalloc((void **)&p->b_scale, 4 * b));
    bench_fill(p->a_scale, a, 5, TC_F32, 1.f);
    bench_fill(p->b_scale, b, 6, TC_F32, 1.f);
}

/* sets = 0: as many as it takes to get past the L2. */
static inline bench_problem bench_problem_make(bench_shape shape, bench_kind kind, int sets)
{
    bench_problem p;
    int l2 = 0;
    memset(&p, 0, sizeof p);
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    p.m = shape.m, p.n = shape.n, p.k = shape.k, p.batch = bench_batch(shape), p.kind = kind;
    p.replay = 1e-3;
    p.sets = sets > 0 ? sets : bench_sets(shape, kind, l2);
    /* sizes rounded up so that every set is 256-byte aligned */
    p.a_size = ((size_t)p.m * p.k * p.batch * (tc_type_bits(kind.ab) / 8) + 255) / 256 * 256;
    p.b_size = ((size_t)p.n * p.k * p.batch * (tc_type_bits(kind.ab) / 8) + 255) / 256 * 256;
    p.d_size = ((size_t)p.m * p.n * p.batch * bench_d_bytes(kind) + 255) / 256 * 256;
    CUDA_CHECK(cudaMalloc((void **)&p.a, p.a_size * p.sets));
    CUDA_CHECK(cudaMalloc((void **)&p.b, p.b_size * p.sets));
    CUDA_CHECK(cudaMalloc((void **)&p.d, p.d_size * p.sets));
    p.workspace_size = BENCH_WORKSPACE;
    CUDA_CHECK(cudaMalloc(&p.workspace, p.workspace_size));
    CUDA_CHECK(cudaMemset(p.workspace, 0, p.workspace_size));
    bench_fill(p.a, p.a_size * p.sets / (tc_type_bits(kind.ab) / 8), 1, kind.ab, bench_zeros ? 0.f : 1.f);
    bench_fill(p.b, p.b_size * p.sets / (tc_type_bits(kind.ab) / 8), 2, kind.ab, bench_zeros ? 0.f : 1.f);
    bench_fill_factors(&p);
    if (kind.added) CUDA_CHECK(cudaMalloc((void **)&p.c, p.d_size * p.sets));
    if (kind.added) bench_fill(p.c, p.d_size * p.sets / bench_d_bytes(kind), 4, kind.d, 1.f);
    CUDA_CHECK(cudaMemset(p.d, 0xff, p.d_size * p.sets));
    CUDA_CHECK(cudaStreamCreate(&p.stream));
    CUDA_CHECK(cudaDeviceSynchronize());
    return p;
}

static inline void bench_problem_free(bench_problem *p)
{
    CUDA_CHECK(cudaStreamDestroy(p->stream));
    CUDA_CHECK(cudaFree(p->workspace));
    CUDA_CHECK(cudaFree(p->a));
    CUDA_CHECK(cudaFree(p->b));
    CUDA_CHECK(cudaFree(p->c));
    CUDA_CHECK(cudaFree(p->d));
    CUDA_CHECK(cudaFree(p->a_scale));
    CUDA_CHECK(cudaFree(p->b_scale));
}

/* Every element of D becomes a NaN: what a call leaves out shows. */
static inline void bench_poison(const bench_problem *p)
{
    CUDA_CHECK(cudaMemset(p->d, 0xff, p->d_size * p->sets));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static __host__ __device__ inline bench_shape bench_shape_of(const bench_problem *p)
{
    const bench_shape s = {p->m, p->n, p->k, p->batch};
    return s;
}
static inline double bench_flops(const bench_problem *p) { return bench_shape_flops(bench_shape_of(p)); }

/* Programmatic dependent launch of the kit's calls: each may begin while the one before drains. */
static int bench_pdl;

static inline tc_gemm_args bench_args(const bench_problem *p, int set)
{
    static const float one = 1.f;
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    set %= p->sets;
    g.m = p->m, g.n = p->n, g.k = p->k;
    if (p->batch > 1) {
        g.batch = p->batch;
        g.stride_a = (int64_t)p->m * p->k, g.stride_b = (int64_t)p->n * p->k;
        g.stride_c = g.stride_d = (int64_t)p->m * p->n;
    }
    if (p->kind.added) g.c = p->c + p->d_size * set, g.ldc = p->n, g.beta = &one;
    g.a = p->a + p->a_size * set, g.lda = p->kind.a_col ? p->m : p->k;
    g.b = p->b + p->b_size * set, g.ldb = p->kind.b_row ? p->n : p->k;
    g.d = p->d + p->d_size * set, g.ldd = p->n;
    g.a_scale.at = p->a_scale, g.b_scale.at = p->b_scale;
    if (p->kind.scaled) g.a_scale.lines = 1, g.a_scale.blocks = bench_a_lines(p);
    if (p->kind.scaled) g.b_scale.lines = bench_b_lines(p), g.b_scale.blocks = 1;
    g.workspace = p->workspace, g.workspace_size = p->workspace_size;
    g.pdl = bench_pdl;
    return g;
}

/* ---- the largest difference between D of a set and another result ---- */
typedef struct bench_difference {
    float value; /* |x - y| / (bench_small + |y|); infinite where x or y is a NaN */
    size_t at;   /* its element */
} bench_difference;

/* Standard normal inputs give D a spread of sqrt(k), integers 256 times that: what a small element may differ by grows
 * with it. Of tf32 each product is off by up to 2^-9; sums in f16 and those of fp8 have few bits. */
static __host__ __device__ inline float bench_small(const bench_problem *p)
{
    const float small = p->kind.acc == TC_F16 ? 2 : p->kind.ab == TC_TF32 || p->kind.ab == TC_E4M3 ? 0.5f : 0.0625f;
    return sqrtf((float)p->k) * (p->kind.d == TC_S32 ? 16 : small);
}
#define BENCH_LIMIT 0.02f

static __global__ void bench_diff_kernel(bench_problem p, const void *x, const void *y,
                                         unsigned long long *worst)
{
    const size_t count = (size_t)p.m * p.n * bench_batch(bench_shape_of(&p));
    const float small = bench_small(&p);
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        const float a = (float)bench_get(p.kind.d, x, i), b = (float)bench_get(p.kind.d, y, i);
        const float d = fabsf(a - b) / (small + fabsf(b));
        const unsigned bits = __float_as_uint(d == d ? d : INFINITY);
        /* the read spares nearly every atomic */
        if (bits > *(volatile unsigned long long *)worst >> 32)
            atomicMax(worst, (unsigned long long)bits << 32 | i);
    }
}

static inline bench_difference bench_diff(const bench_problem *p, int set, const void *y)
{
    unsigned long long *worst, both;
    unsigned bits;
    bench_difference r;
    CUDA_CHECK(cudaMalloc((void **)&worst, 8));
    CUDA_CHECK(cudaMemset(worst, 0, 8));
    bench_diff_kernel<<<1024, 256>>>(*p, p->d + p->d_size * set, y, worst);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&both, worst, 8, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(worst));
    bits = (unsigned)(both >> 32);
    memcpy(&r.value, &bits, 4);
    r.at = (size_t)(both & 0xffffffffu);
    return r;
}

/* ---- what kernels report of a result against fp64, the largest of it ---- */
static inline unsigned *bench_worst(void)
{
    unsigned *worst;
    CUDA_CHECK(cudaMalloc((void **)&worst, sizeof *worst));
    CUDA_CHECK(cudaMemset(worst, 0, sizeof *worst));
    return worst;
}
static inline float bench_worst_end(unsigned *worst)
{
    float r;
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&r, worst, sizeof r, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(worst));
    return r;
}

/* |got - x| / (small + |x|), infinite where one is a NaN. Not negative: its bits rise as it does. */
static __device__ inline void bench_report(unsigned *worst, double got, double x, double small)
{
    const double off = fabs(got - x) / (small + fabs(x));
    atomicMax(worst, __float_as_uint(off == off ? (float)off : INFINITY));
}

/* A warp an element of D, <<<BENCH_SAMPLES / 8, 256>>>: which of `count`; the sum over its lanes. */
enum { BENCH_SAMPLES = 4096 };
static __device__ inline size_t bench_sample(size_t count)
{
    const size_t i = blockIdx.x * (size_t)(blockDim.x / 32) + threadIdx.x / 32;
    return ((uint64_t)bench_hash(2 * i) << 32 | bench_hash(2 * i + 1)) % count;
}
static __device__ inline double bench_warp_sum(double x)
{
    for (int e = 16; e; e /= 2) x += __shfl_xor_sync(0xffffffffu, x, e);
    return x;
}

/* ---- sides: whatever computes set `set` of a problem on the problem's stream; 0 for success ---- */
typedef int (*bench_fn)(void *self, const bench_problem *p, int set);

enum { BENCH_ROUNDS_MAX = 101 };

typedef struct bench_side {
    bench_fn run;
    void *self;
    /* from here on bench_side_capture fills in */
    cudaGraphExec_t graph; /* calls of the sets in turn */
    cudaStream_t stream;
    int calls;             /* of a replay */
    double replay;         /* seconds of a replay, about */
    double seconds[BENCH_ROUNDS_MAX], median; /* of a call */
} bench_side;

typedef struct bench_plan {
    double seconds; /* of a burst */
    int rounds;
} bench_plan;

static int bench_less(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static inline double bench_median(const double *x, int count)
{
    double sorted[BENCH_ROUNDS_MAX];
    memcpy(sorted, x, sizeof *x * (size_t)count);
    qsort(sorted, (size_t)count, sizeof *sorted, bench_less);
    return count % 2 ? sorted[count / 2] : 0.5 * (sorted[count / 2 - 1] + sorted[count / 2]);
}

/* Seconds for `replays` replays of a side's graph, after `lead` unmeasured ones in the same breath. */
static inline double bench_replay(const bench_side *s, int lead, int replays)
{
    static cudaEvent_t start, stop;
    float ms;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    for (int i = 0; i < lead; i++) CUDA_CHECK(cudaGraphLaunch(s->graph, s->stream));
    CUDA_CHECK(cudaEventRecord(start, s->stream));
    for (int i = 0; i < replays; i++) CUDA_CHECK(cudaGraphLaunch(s->graph, s->stream));
    CUDA_CHECK(cudaEventRecord(stop, s->stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return ms * 1e-3;
}

/* How often a graph goes through the sets: a millisecond's worth, beside which the gap between replays is nothing. */
static inline int bench_passes(const bench_problem *p)
{
    const bench_shape s = bench_shape_of(p);
    const double pass = p->sets * (fmax(bench_shape_flops(s) / bench_pace(p->kind) / 600e12,
                                            bench_shape_bytes(s, p->kind) / 4e12) + 2e-6);
    return (int)fmax(1, fmin(ceil(p->replay / pass), BENCH_SETS_MAX / p->sets));
}

/* Calls once by itself (it loads the kernel, and a refusal shows), then captures `calls` of them. 1: refused. */
static inline int bench_capture(bench_side *s, const bench_problem *p, int calls)
{
    cudaGraph_t graph = 0;
    int failed = s->run(s->self, p, 0);
    CUDA_CHECK(cudaStreamSynchronize(p->stream));
    if (failed) return 1;
    CUDA_CHECK(cudaStreamBeginCapture(p->stream, cudaStreamCaptureModeRelaxed));
    for (int i = 0; i < calls && !failed; i++) failed = s->run(s->self, p, i);
    if (cudaStreamEndCapture(p->stream, &graph) != cudaSuccess || failed) {
        cudaGetLastError(); /* an error of the capture is answered by the return value */
        if (graph) cudaGraphDestroy(graph);
        return 1;
    }
    CUDA_CHECK(cudaGraphInstantiate(&s->graph, graph, 0));
    CUDA_CHECK(cudaGraphDestroy(graph));
    s->stream = p->stream;
    s->calls = calls;
    s->replay = bench_replay(s, 1, 1);
    return 0;
}

/* A call for each set. */
static inline int bench_side_capture(bench_side *s, const bench_problem *p)
{
    return bench_capture(s, p, p->sets * bench_passes(p));
}

static inline void bench_side_free(bench_side *s)
{
    if (s->graph) CUDA_CHECK(cudaGraphExecDestroy(s->graph));
    s->graph = 0;
}

/* Seconds of a call, from a burst of about `seconds` whose first fifth does not count. */
static inline double bench_burst(const bench_side *s, double seconds)
{
    const int replays = s->replay > 0 && seconds > s->replay ? (int)ceil(seconds / s->replay) : 1;
    return bench_replay(s, (replays + 3) / 4, replays) / replays / s->calls;
}

/* The sides take turns, one burst each a round; where a round starts and its direction change, so that no side always
 * runs behind the same one: what ran before sets the board's clock. */
static inline void bench_alternate(bench_side *const *sides, int count, const bench_plan *plan)
{
    for (int r = 0; r < plan->rounds; r++)
        for (int i = 0; i < count; i++) {
            bench_side *s = sides[(r / 2 + (r % 2 ? count - 1 - i : i)) % count];
            s->seconds[r] = bench_burst(s, plan->seconds);
        }
    for (int i = 0; i < count; i++) sides[i]->median = bench_median(sides[i]->seconds, plan->rounds);
}

/* Rate of `ours` over that of `theirs`: the median over the rounds of the ratio of the same round, and its spread. */
typedef struct bench_ratio {
    double median, min, max;
} bench_ratio;

static inline bench_ratio bench_against(const bench_side *ours, const bench_side *theirs, int rounds)
{
    double x[BENCH_ROUNDS_MAX];
    bench_ratio r = {0, INFINITY, 0};
    for (int i = 0; i < rounds; i++) {
        x[i] = theirs->seconds[i] / ours->seconds[i];
        if (x[i] < r.min) r.min = x[i];
        if (x[i] > r.max) r.max = x[i];
    }
    r.median = bench_median(x, rounds);
    return r;
}

/* ---- cuBLASLt: the first 8 algorithms of its heuristic, each a side ---- */
enum { BENCH_ALGOS = 8 };

typedef struct bench_cublas_self {
    struct bench_cublas *cublas;
    int algo;
} bench_cublas_self;

typedef struct bench_cublas {
    cublasLtMatmulDesc_t op;
    cudaDataType_t scale; /* type of alpha and beta */
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulHeuristicResult_t algos[BENCH_ALGOS];
    bench_cublas_self selves[BENCH_ALGOS];
    bench_side sides[BENCH_ALGOS];
    int count; /* sides; after bench_cublas_rank the fastest first. 0: cuBLASLt refuses the problem */
    void *workspace;
    size_t workspace_size;
} bench_cublas;

static inline cublasLtHandle_t bench_lt(void)
{
    static cublasLtHandle_t lt;
    if (!lt && cublasLtCreate(&lt)) {
        fprintf(stderr, "cublasLtCreate fails\n");
        exit(2);
    }
    return lt;
}

static inline int bench_cublas_run(void *self, const bench_problem *p, int set)
{
    const bench_cublas_self *s = (const bench_cublas_self *)self;
    const bench_cublas *c = s->cublas;
    const tc_gemm_args g = bench_args(p, set);
    const double one64 = 1;
    const float one = 1.f;
    const int32_t int_one = 1;
    const uint16_t one16 = 0x3c00;
    const uint64_t zero = 0; /* of every type */
    const void *beta = p->kind.added ? (const void *)&one : (const void *)&zero;
    const void *alpha = c->scale == CUDA_R_32I   ? (const void *)&int_one
                      : c->scale == CUDA_R_64F ? (const void *)&one64
                      : c->scale == CUDA_R_16F ? (const void *)&one16 : &one;
    return cublasLtMatmul(bench_lt(), c->op, alpha, g.b, c->a, g.a, c->b, beta, p->kind.added ? g.c : g.d, c->d, g.d,
                          c->d, &c->algos[s->algo].algo, c->workspace, c->workspace_size, p->stream)
           != CUBLAS_STATUS_SUCCESS;
}

static inline cudaDataType_t bench_cuda_type(int type)
{
    return type == TC_BF16 ? CUDA_R_16BF : type == TC_F16 ? CUDA_R_16F : type == TC_S8 ? CUDA_R_8I
         : type == TC_S32 ? CUDA_R_32I : type == TC_E4M3 ? CUDA_R_8F_E4M3 : type == TC_F64 ? CUDA_R_64F : CUDA_R_32F;
}

/* cuBLASLt's A is our B. */
static inline int bench_cublas_factors(bench_cublas *c, const bench_problem *p)
{
    const cublasLtMatmulMatrixScale_t a = CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
    const cublasLtMatmulMatrixScale_t b = CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
    return cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, &a, sizeof a)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, &b, sizeof b)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &p->b_scale, sizeof p->b_scale)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &p->a_scale, sizeof p->a_scale);
}

/* A layout of a batch: how far its matrices lie apart. */
static inline int bench_cublas_batch(cublasLtMatrixLayout_t layout, const bench_problem *p, int64_t apart)
{
    const int32_t count = p->batch;
    return cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count)
        || cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &apart, sizeof apart);
}

/* The algorithms, captured. bias (may be NULL): n elements of D's type, and GELU after them (the tanh form). */
static inline void bench_cublas_make(bench_cublas *c, const bench_problem *p, const void *bias)
{
    const int half = p->kind.acc == TC_F16;
    const int8_t fast = p->kind.acc == TC_FAST;
    const cudaDataType_t ab = bench_cuda_type(p->kind.ab);
    const cudaDataType_t d = bench_cuda_type(p->kind.other ? p->kind.other : p->kind.d);
    const cublasOperation_t op_b = p->kind.b_row ? CUBLAS_OP_N : CUBLAS_OP_T,
                            op_a = p->kind.a_col ? CUBLAS_OP_T : CUBLAS_OP_N;
    const cublasComputeType_t compute = p->kind.ab == TC_S8     ? CUBLAS_COMPUTE_32I
                                      : p->kind.ab == TC_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                      : p->kind.ab == TC_F64  ? CUBLAS_COMPUTE_64F
                                      : half                  ? CUBLAS_COMPUTE_16F : CUBLAS_COMPUTE_32F;
    const cudaDataType_t scale = p->kind.ab == TC_S8 ? CUDA_R_32I : p->kind.ab == TC_F64 ? CUDA_R_64F
                               : half ? CUDA_R_16F : CUDA_R_32F;
    const int m = p->m, n = p->n, k = p->k, b_row = p->kind.b_row, a_col = p->kind.a_col;
    const cublasLtEpilogue_t epilogue = bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    cublasLtMatmulPreference_t preference;
    int found = 0;
    memset(c, 0, sizeof *c);
    c->workspace_size = BENCH_WORKSPACE;
    CUDA_CHECK(cudaMalloc(&c->workspace, c->workspace_size));
    /* row-major D = A B is column-major D' = B' A' */
    c->scale = scale;
    if (cublasLtMatmulDescCreate(&c->op, compute, scale)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_TRANSA, &op_b, sizeof op_b)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_TRANSB, &op_a, sizeof op_a)
        || cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof epilogue)
        || (p->kind.scaled && bench_cublas_factors(c, p))
        || (bias && cublasLtMatmulDescSetAttribute(c->op, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias))
        || cublasLtMatrixLayoutCreate(&c->a, ab, b_row ? n : k, b_row ? k : n, b_row ? n : k)
        || cublasLtMatrixLayoutCreate(&c->b, ab, a_col ? m : k, a_col ? k : m, a_col ? m : k)
        || cublasLtMatrixLayoutCreate(&c->d, d, n, m, n)
        || bench_cublas_batch(c->a, p, (int64_t)n * k) || bench_cublas_batch(c->b, p, (int64_t)m * k)
        || bench_cublas_batch(c->d, p, (int64_t)m * n) || cublasLtMatmulPreferenceCreate(&preference)
        || cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                &c->workspace_size, sizeof c->workspace_size)) {
        fprintf(stderr, "cublasLt cannot be set up for %dx%dx%d\n", p->m, p->n, p->k);
        exit(2);
    }
    if (cublasLtMatmulAlgoGetHeuristic(bench_lt(), c->op, c->a, c->b, c->d, c->d, preference, BENCH_ALGOS, c->algos,
                                       &found))
        found = 0;
    cublasLtMatmulPreferenceDestroy(preference);
    for (int i = 0; i < found; i++) {
        bench_side *s = &c->sides[c->count];
        memset(s, 0, sizeof *s);
        c->selves[i].cublas = c, c->selves[i].algo = i;
        s->run = bench_cublas_run, s->self = &c->selves[i];
        if (c->algos[i].state == CUBLAS_STATUS_SUCCESS && !bench_side_capture(s, p)) c->count++;
    }
}

static int bench_faster(const void *x, const void *y)
{
    const double a = ((const bench_side *)x)->median, b = ((const bench_side *)y)->median;
    return a < b ? -1 : a > b;
}

/* Three bursts of each in turns, of a third of the plan's; sorts the sides. How many deserve the rounds: the first two,
 * and the third where it is within 3 % of the first (bursts this short are no surer). */
static inline int bench_cublas_rank(bench_cublas *c, const bench_plan *plan)
{
    const bench_plan quick = {plan->seconds / 3, 3};
    bench_side *sides[BENCH_ALGOS];
    for (int i = 0; i < c->count; i++) sides[i] = &c->sides[i];
    if (c->count > 1) bench_alternate(sides, c->count, &quick);
    qsort(c->sides, (size_t)c->count, sizeof c->sides[0], bench_faster);
    if (c->count <= 2) return c->count;
    return c->sides[2].median < 1.03 * c->sides[0].median ? 3 : 2;
}

static inline void bench_cublas_free(bench_cublas *c)
{
    for (int i = 0; i < c->count; i++) bench_side_free(&c->sides[i]);
    cublasLtMatrixLayoutDestroy(c->a);
    cublasLtMatrixLayoutDestroy(c->b);
    cublasLtMatrixLayoutDestroy(c->d);
    cublasLtMatmulDescDestroy(c->op);
    CUDA_CHECK(cudaFree(c->workspace));
}

/* The lines that every record of a measurement starts with. */
static inline void bench_header(FILE *f, int argc, char **argv)
{
    char libraries[64];
    snprintf(libraries, sizeof libraries, "cuBLASLt %zu; ", cublasLtGetVersion());
    record_begin(f, libraries, argc, argv);
}

/* What a benchmark of cases and kernels is asked for. */
typedef struct bench_options {
    bench_plan plan;
    const char *kernel; /* this one alone, or null */
    int one, list;      /* case, from 1; 0: all */
} bench_options;

/* 0, or the exit status where the words make no sense, which has been said. */
static inline int bench_options_read(bench_options *o, int argc, char **argv)
{
    const bench_plan usual = {0.05, 7};
    memset(o, 0, sizeof *o);
    o->plan = usual;
    for (int i = 1; i < argc; i++) {
        const int value = i + 1 < argc;
        if (!strcmp(argv[i], "--list")) o->list = 1;
        else if (!strcmp(argv[i], "--case") && value) o->one = atoi(argv[++i]);
        else if (!strcmp(argv[i], "--kernel") && value) o->kernel = argv[++i];
        else if (!strcmp(argv[i], "--seconds") && value) o->plan.seconds = atof(argv[++i]);
        else if (!strcmp(argv[i], "--rounds") && value) o->plan.rounds = atoi(argv[++i]);
        else return fprintf(stderr, "%s: not an option, or without its value. There are --case N, --kernel NAME, "
                                    "--seconds S, --rounds N, --list\n", argv[i]), 2;
    }
    if (!(o->plan.seconds > 0) || o->plan.rounds < 1 || o->plan.rounds > BENCH_ROUNDS_MAX)
        return fprintf(stderr, "--seconds is more than 0, --rounds 1 to %d\n", (int)BENCH_ROUNDS_MAX), 2;
    return 0;
}

/* A benchmark of cases and kernels: its main. */
typedef struct bench_table {
    const char *columns; /* the first line of its figures */
    int cases, kernels;
    void (*say)(int i); /* --list: case i in words, up to the end of the line */
    const char *(*kernel)(int i);
    void (*begin)(void);                           /* before its figures; or null */
    int (*measure)(int i, const bench_options *o); /* prints a line a kernel; how many failed */
} bench_table;

static inline int bench_main(const bench_table *t, int argc, char **argv)
{
    bench_options o;
    int failed = bench_options_read(&o, argc, argv);
    if (failed) return failed;
    for (int i = 0; o.list && i < t->cases; i++) {
        printf("case %d: ", i + 1);
        t->say(i);
        printf("\n");
    }
    for (int i = 0; o.list && i < t->kernels; i++) printf("kernel %s\n", t->kernel(i));
    if (o.list) return 0;
    bench_header(stdout, argc, argv);
    if (t->begin) t->begin();
    printf("%s\n", t->columns);
    for (int i = 0; i < t->cases; i++)
        if (!o.one || o.one == i + 1) failed += t->measure(i, &o);
    return failed != 0;
}

#endif
