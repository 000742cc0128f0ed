/* example.h - what the examples share and what is not their idea: data, timing, a sampled fp64 check, cuBLAS for
 * comparison. */
#ifndef TC_EXAMPLE_H
#define TC_EXAMPLE_H

#include "../tc.h"
#include <cublas_v2.h> /* types only: the library is opened at run time, and may be missing */
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CUDA_CHECK(call)                                                                             \
    do {                                                                                             \
        cudaError_t err_ = (call);                                                                   \
        if (err_ != cudaSuccess) {                                                                   \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_)); \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

#define TC_CHECK(call)                                                                               \
    do {                                                                                             \
        tc_status st_ = (call);                                                                      \
        if (st_ != TC_OK) {                                                                          \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, tc_why(), tc_status_text(st_));  \
            exit(1);                                                                                 \
        }                                                                                            \
    } while (0)

/* Under tcemu kernels run on the CPU: one call is enough, and its time says nothing about a GPU. */
static inline int example_emulated(void)
{
    cudaDeviceProp prop;
    return cudaGetDeviceProperties(&prop, 0) == cudaSuccess && strncmp(prop.name, "tcemu", 5) == 0;
}

/* A dimension for the machine at hand: on the CPU a sixteenth of it, with the same remainder of 8. */
static inline int example_size(int n) { return example_emulated() ? n / 128 * 8 + n % 8 : n; }

/* Compute capability as 10 * major + minor. Leaves, saying why, where there is no device or not the one needed: 90
 * means Hopper alone (wgmma), 100 the families that have tcgen05 (10.0, 10.3, 11.0), any other that capability or a
 * later one. */
static inline int example_device(int needed)
{
    cudaDeviceProp prop;
    int count = 0, have;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("no CUDA device here: built, not run\n");
        exit(0);
    }
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    have = prop.major * 10 + prop.minor;
    if (needed == 90 ? have != 90 : needed == 100 ? have < 100 || have >= 120 : have < needed) {
        printf("%s has compute capability %d.%d, this example needs %d.%d%s: not run\n", prop.name, prop.major,
               prop.minor, needed / 10, needed % 10, needed == 90 ? "" : needed == 100 ? ", 10.3 or 11.0"
               : " or later");
        exit(0);
    }
    printf("%s, compute capability %d.%d, %d SMs\n", prop.name, prop.major, prop.minor, prop.multiProcessorCount);
    return have;
}

/* Normally distributed numbers, the same for the same seed: type TC_F32, TC_F16 or TC_BF16. */
static __global__ void example_fill(void *p, size_t count, uint32_t seed, int type, float scale)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        uint64_t h = (i + 1) * 0x9e3779b97f4a7c15ull + (uint64_t)seed * 0xd1342543de82ef95ull;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
        const float u = ((uint32_t)(h >> 40) + 1) * 5.9604645e-8f, v = (uint32_t)(h & 0xffffff) * 5.9604645e-8f;
        const float x = scale * sqrtf(-2.f * logf(u)) * cospif(2.f * v);
        if (type == TC_F32) ((float *)p)[i] = x;
        else ((uint16_t *)p)[i] = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
    }
}

static inline void *example_alloc(size_t count, int type)
{
    void *p;
    CUDA_CHECK(cudaMalloc(&p, count * (size_t)tc_type_bits(type) / 8));
    CUDA_CHECK(cudaMemset(p, 0xff, count * (size_t)tc_type_bits(type) / 8)); /* NaN: what nobody writes is seen */
    return p;
}

static inline void *example_random(size_t count, uint32_t seed, int type, float scale)
{
    void *p = example_alloc(count, type);
    example_fill<<<512, 256>>>(p, count, seed, type, scale);
    CUDA_CHECK(cudaGetLastError());
    return p;
}

/* Element i of device memory, and a run of them, as double and float. */
static inline double example_get(const void *p, size_t i, int type)
{
    unsigned char raw[8];
    const size_t size = (size_t)tc_type_bits(type) / 8;
    uint16_t h;
    float f;
    CUDA_CHECK(cudaMemcpy(raw, (const char *)p + i * size, size, cudaMemcpyDeviceToHost));
    memcpy(&h, raw, sizeof h);
    memcpy(&f, raw, sizeof f);
    return type == TC_F32 ? f : type == TC_BF16 ? tc_f32_from_bf16(h) : tc_f32_from_f16(h);
}

static inline void example_row(float *out, const void *p, size_t at, int count, int type)
{
    uint16_t *h = (uint16_t *)malloc((size_t)count * 2);
    CUDA_CHECK(cudaMemcpy(h, (const uint16_t *)p + at, (size_t)count * 2, cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++) out[i] = type == TC_BF16 ? tc_f32_from_bf16(h[i]) : tc_f32_from_f16(h[i]);
    free(h);
}

/* The dot product of row i of A and row j of B in fp64, and in *size the sum of the absolute products. */
static inline double example_dot(const void *a, int64_t lda, const void *b, int64_t ldb, int k, int i, int j, int type,
                                 double *size)
{
    float *x = (float *)malloc(sizeof(float) * (size_t)k), *y = (float *)malloc(sizeof(float) * (size_t)k);
    double sum = 0;
    *size = 0;
    example_row(x, a, (size_t)(i * lda), k, type);
    example_row(y, b, (size_t)(j * ldb), k, type);
    for (int e = 0; e < k; e++) sum += (double)x[e] * y[e], *size += fabs((double)x[e] * y[e]);
    free(x);
    free(y);
    return sum;
}

/* Half a unit in the last place of a stored type, relative. */
static inline double example_rounding(int type)
{
    return type == TC_F32 ? 6e-8 : type == TC_BF16 ? 1.0 / 256 : 1.0 / 2048;
}

/* Median seconds of run[i](self[i]), each after a warm-up, in turns: what the board's temperature does, it does to all.
 * Calls are timed in groups, so that the events themselves do not count. */
static int example_order(const void *x, const void *y)
{
    const float a = *(const float *)x, b = *(const float *)y;
    return a < b ? -1 : a > b;
}

static inline void example_times(int count, void (*const *run)(void *), void *const *self, int calls, double *seconds)
{
    enum { ROUNDS = 15, MOST = 4 };
    float ms[MOST][ROUNDS];
    cudaEvent_t start, stop;
    if (example_emulated()) {
        for (int i = 0; i < count; i++) run[i](self[i]), seconds[i] = NAN;
        return;
    }
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < count; i++)
        for (int c = 0; c < 3; c++) run[i](self[i]);
    for (int r = 0; r < ROUNDS; r++) {
        for (int i = 0; i < count; i++) {
            CUDA_CHECK(cudaEventRecord(start, 0));
            for (int c = 0; c < calls; c++) run[i](self[i]);
            CUDA_CHECK(cudaEventRecord(stop, 0));
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&ms[i][r], start, stop));
        }
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    for (int i = 0; i < count; i++) {
        qsort(ms[i], ROUNDS, sizeof ms[i][0], example_order);
        seconds[i] = ms[i][ROUNDS / 2] * 1e-3 / calls;
    }
}

/* cuBLAS's plain product of the same operands into d, for scale; 0 where the library is not there. */
typedef struct example_gemm {
    const void *a, *b;
    void *d;
    int m, n, k, type;
} example_gemm;

typedef cublasStatus_t (*example_gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                          const void *, const void *, cudaDataType, int, const void *, cudaDataType,
                                          int, const void *, void *, cudaDataType, int, cublasComputeType_t,
                                          cublasGemmAlgo_t);
static example_gemm_ex example_cublas;
static cublasHandle_t example_cublas_handle;

static void example_cublas_run(void *self)
{
    const example_gemm *g = (const example_gemm *)self;
    const cudaDataType t = g->type == TC_BF16 ? CUDA_R_16BF : CUDA_R_16F;
    const float one = 1.f, zero = 0.f; /* row-major D = A B is column-major D' = B' A' */
    example_cublas(example_cublas_handle, CUBLAS_OP_T, CUBLAS_OP_N, g->n, g->m, g->k, &one, g->b, t, g->k, g->a, t,
                   g->k, &zero, g->d, t, g->n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

static inline int example_cublas_open(void)
{
    void *lib;
    cublasStatus_t (*create)(cublasHandle_t *);
    if (example_emulated()) return 0; /* cuBLAS holds no PTX that tcemu could run */
    lib = example_cublas ? 0 : dlopen("libcublas.so.13", RTLD_NOW);
    if (!lib && !example_cublas) lib = dlopen("libcublas.so.12", RTLD_NOW);
    if (!lib) return example_cublas != 0;
    create = (cublasStatus_t(*)(cublasHandle_t *))dlsym(lib, "cublasCreate_v2");
    if (create && create(&example_cublas_handle) == CUBLAS_STATUS_SUCCESS)
        example_cublas = (example_gemm_ex)dlsym(lib, "cublasGemmEx");
    return example_cublas != 0;
}

#endif
