/* tune_blas.c - a cuBLASLt for tests/tune.sh, which multiplies nothing: it looks at what it is asked, tells of the
 * layouts, and writes a few bytes of D so that a call is one. Built as libcublasLt.so; tc_tune opens it under tcemu. */
#include <cublasLt.h>
#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
cublasStatus_t cublasLtCreate(cublasLtHandle_t *h) { return *h = (cublasLtHandle_t)h, CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, cublasComputeType_t c, cudaDataType_t t)
{
    *d = (cublasLtMatmulDesc_t)malloc(8);
    return c == CUBLAS_COMPUTE_32F && t == CUDA_R_32F ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d) { return free(d), CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t a, const void *p,
                                              size_t n)
{
    (void)d;
    return a == CUBLASLT_MATMUL_DESC_TRANSA && n == 4 && *(const int *)p == CUBLAS_OP_T ? 0 : 1;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *l, cudaDataType t, uint64_t r, uint64_t c, int64_t ld)
{
    *l = (cublasLtMatrixLayout_t)malloc(8);
    fprintf(stderr, "layout %d %d x %d, %d\n", (int)t, (int)r, (int)c, (int)ld);
    return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l) { return free(l), CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p)
{
    return *p = (cublasLtMatmulPreference_t)malloc(8), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p) { return free(p), CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p,
                                                    cublasLtMatmulPreferenceAttributes_t a, const void *v, size_t n)
{
    (void)p, (void)a, (void)v;
    return n == 8 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t o, cublasLtMatrixLayout_t a,
                                              cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c,
                                              cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t p, int most,
                                              cublasLtMatmulHeuristicResult_t *r, int *count)
{
    (void)h, (void)o, (void)a, (void)b, (void)c, (void)d, (void)p, (void)r;
    *count = 2;
    return most == 8 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t o, const void *alpha, const void *a,
                              cublasLtMatrixLayout_t al, const void *b, cublasLtMatrixLayout_t bl, const void *beta,
                              const void *c, cublasLtMatrixLayout_t cl, void *d, cublasLtMatrixLayout_t dl,
                              const cublasLtMatmulAlgo_t *algo, void *w, size_t ws, cudaStream_t s)
{
    CUresult (*set)(CUdeviceptr, unsigned char, size_t, CUstream);
    *(void **)&set = dlsym(RTLD_DEFAULT, "cuMemsetD8Async");
    (void)h, (void)o, (void)a, (void)al, (void)b, (void)bl, (void)cl, (void)dl, (void)algo, (void)w, (void)ws;
    if (*(const float *)alpha != 1.f || *(const float *)beta != 0.f || c != d) return CUBLAS_STATUS_INVALID_VALUE;
    return set((CUdeviceptr)d, 0, 64, (CUstream)s) ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
