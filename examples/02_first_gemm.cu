/* 02_first_gemm.cu - the least that multiplies two matrices: D = A * B in bf16, on any device from sm_80 on. Returns 0
 * if D is right. A is m x k, row by row; B is k x n, column by column, so that both lie along k; D is m x n, row by
 * row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)

static uint16_t *device(uint16_t *p, size_t count) /* count elements there, from p if it is given */
{
    void *there = NULL;
    cudaMalloc(&there, count * sizeof *p);
    if (there && p) cudaMemcpy(there, p, count * sizeof *p, cudaMemcpyHostToDevice);
    return (uint16_t *)there;
}

int main(void)
{
    const int m = 512, n = 384, k = 256;
    uint16_t *a = (uint16_t *)malloc(2 * m * k), *b = (uint16_t *)malloc(2 * n * k), *d = (uint16_t *)malloc(2 * m * n);
    int wrong = 0;
    for (int i = 0; i < m * k; i++) a[i] = tc_bf16_from_f32((float)(i % 7 - 3));
    for (int i = 0; i < n * k; i++) b[i] = tc_bf16_from_f32((float)(i % 5 - 2) / 4);
    uint16_t *A = device(a, m * k), *B = device(b, n * k), *D = device(NULL, m * n);

    tc_gemm_args g = {.m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n};
    if (gemm_run(&g, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    const cudaError_t error = cudaMemcpy(d, D, 2 * m * n, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return fprintf(stderr, "%s\n", cudaGetErrorString(error)), 1;

    for (int i = 0; i < m * n; i += 997) { /* every 997th element of D against its sum on the CPU */
        float sum = 0, x = tc_f32_from_bf16(d[i]);
        for (int j = 0; j < k; j++) sum += tc_f32_from_bf16(a[i / n * k + j]) * tc_f32_from_bf16(b[i % n * k + j]);
        wrong += !(fabsf(x - sum) <= fabsf(sum) / 256);
    }
    printf("D(0, 0) = %g; %s\n", tc_f32_from_bf16(d[0]), wrong ? "FAIL: elements are wrong" : "ok");
    return wrong != 0;
}
