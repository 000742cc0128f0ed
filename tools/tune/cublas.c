/* cublas.c - cuBLASLt where it is here: the fastest of its heuristic's first eight algorithms, by measurement. */
#include "measure.h"

#if defined(__has_include)
#if __has_include(<cublasLt.h>)
#define HAS_CUBLAS 1
#endif
#endif

#ifndef HAS_CUBLAS

int cublas_open(const request *r, char *why, size_t why_size)
{
    (void)r;
    tune_print(why, why_size, "tc_tune was built without cublasLt.h");
    return 0;
}
const char *cublas_start(const request *r, const operands *o) { return (void)r, (void)o, "no cuBLASLt"; }
const char *cublas_call(void *self, const operands *o, int set)
{
    return (void)self, (void)o, (void)set, "no cuBLASLt";
}
void cublas_stop(void) {}

#else

#include <cublasLt.h>

#define FUNCTIONS(F)                                                                                                   \
    F(Create)                                                                                                          \
    F(Matmul) F(MatmulDescCreate) F(MatmulDescDestroy) F(MatmulDescSetAttribute) F(MatrixLayoutCreate)                 \
        F(MatrixLayoutDestroy) F(MatmulPreferenceCreate) F(MatmulPreferenceDestroy) F(MatmulPreferenceSetAttribute)    \
            F(MatmulAlgoGetHeuristic)
#define DECLARE(name) __typeof__(cublasLt##name) *name;
static struct {
    FUNCTIONS(DECLARE)
} lt;

enum { ALGORITHMS = 8 };
static const size_t workspace_size = 64u << 20;
static struct {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t op;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulHeuristicResult_t algo[ALGORITHMS];
    int count, best;
    CUdeviceptr workspace;
} blas;

int cublas_open(const request *r, char *why, size_t why_size)
{
    static const int versions[] = {13, 12, 0};
    void *library = library_open(r, "libcublasLt.so", versions, why, why_size);
    if (!library) return 0;
#define LOAD(name)                                                                                                     \
    {                                                                                                                  \
        void *found = library_find(library, "cublasLt" #name);                                                         \
        if (!found) return tune_print(why, why_size, "this cuBLASLt has no cublasLt" #name), 0;                        \
        memcpy((void *)&lt.name, &found, sizeof found);                                                                \
    }
    FUNCTIONS(LOAD)
    if (lt.Create(&blas.handle) != CUBLAS_STATUS_SUCCESS) return tune_print(why, why_size, "cublasLtCreate fails"), 0;
    return 1;
}

const char *cublas_call(void *self, const operands *o, int set)
{
    const float one = 1.f, zero = 0.f;
    const size_t i = (size_t)(set % o->sets);
    void *a = (void *)(uintptr_t)(o->a + i * o->a_size), *b = (void *)(uintptr_t)(o->b + i * o->b_size),
         *d = (void *)(uintptr_t)(o->d + i * o->d_size);
    (void)self;
    /* row-major D = A B is column-major D' = B' A' */
    return lt.Matmul(blas.handle, blas.op, &one, b, blas.a, a, blas.b, &zero, d, blas.d, d, blas.d,
                     &blas.algo[blas.best].algo, (void *)(uintptr_t)blas.workspace, workspace_size,
                     (cudaStream_t)cu.stream)
                   == CUBLAS_STATUS_SUCCESS
               ? NULL
               : "cublasLtMatmul fails";
}

static cudaDataType_t type_of(int type)
{
    return type == TC_BF16 ? CUDA_R_16BF : type == TC_F16 ? CUDA_R_16F : CUDA_R_32F;
}

const char *cublas_start(const request *r, const operands *o)
{
    const cublasOperation_t transposed = CUBLAS_OP_T;
    const uint64_t m = (uint64_t)o->s.m, n = (uint64_t)o->s.n, k = (uint64_t)o->s.k;
    cublasLtMatmulPreference_t preference = NULL;
    double best = 1e30;
    int i, found = -1, ok;
    blas.op = NULL, blas.a = blas.b = blas.d = NULL, blas.count = 0;
    if (!blas.workspace && cu.MemAlloc(&blas.workspace, workspace_size) != CUDA_SUCCESS)
        return "no memory for cuBLASLt";
    ok = !lt.MatmulDescCreate(&blas.op, CUBLAS_COMPUTE_32F, CUDA_R_32F)
         && !lt.MatmulDescSetAttribute(blas.op, CUBLASLT_MATMUL_DESC_TRANSA, &transposed, sizeof transposed)
         && !lt.MatrixLayoutCreate(&blas.a, type_of(r->a), k, n, (int64_t)k)
         && !lt.MatrixLayoutCreate(&blas.b, type_of(r->a), k, m, (int64_t)k)
         && !lt.MatrixLayoutCreate(&blas.d, type_of(r->d), n, m, (int64_t)n) && !lt.MatmulPreferenceCreate(&preference)
         && !lt.MatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace_size,
                                             sizeof workspace_size)
         && !lt.MatmulAlgoGetHeuristic(blas.handle, blas.op, blas.a, blas.b, blas.d, blas.d, preference, ALGORITHMS,
                                       blas.algo, &blas.count);
    if (preference) lt.MatmulPreferenceDestroy(preference);
    if (!ok || blas.count == 0) return "cuBLASLt has no algorithm for this shape";
    for (i = 0; i < blas.count; i++) {
        side s;
        double time[3], median;
        int j;
        blas.best = i;
        if (side_make(&s, cublas_call, NULL, o, 2e-3)) continue;
        for (j = 0; j < 3; j++) time[j] = side_time(&s);
        median = time[0] > time[1] ? time[0] : time[1];
        if (time[2] < median) {
            const double low = time[0] < time[1] ? time[0] : time[1];
            median = time[2] > low ? time[2] : low;
        }
        if (median < best) best = median, found = i;
        side_free(&s);
    }
    blas.best = found < 0 ? 0 : found;
    return found < 0 ? "none of cuBLASLt's algorithms runs" : NULL;
}

void cublas_stop(void)
{
    if (blas.a) lt.MatrixLayoutDestroy(blas.a);
    if (blas.b) lt.MatrixLayoutDestroy(blas.b);
    if (blas.d) lt.MatrixLayoutDestroy(blas.d);
    if (blas.op) lt.MatmulDescDestroy(blas.op);
    blas.a = blas.b = blas.d = NULL, blas.op = NULL;
}

#endif
