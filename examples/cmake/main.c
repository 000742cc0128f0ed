/* main.c - the layer, Y = scale * X W' in bf16, on a small problem, from C, checked on the CPU. X is rows x in, W out x
 * in, Y rows x out, each row by row. The host parts of tc.h are C11. Returns 0 if the result is right. */
#include "layer.h"
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 200, IN = 128, OUT = 264 };
static uint16_t x[ROWS * IN], w[OUT * IN], y[ROWS * OUT];

/* The bytes in device memory; where there is none, the program ends. */
static void *device(const void *p, size_t bytes)
{
    void *there = NULL;
    cudaError_t error = cudaMalloc(&there, bytes);
    if (error == cudaSuccess) error = cudaMemcpy(there, p, bytes, cudaMemcpyHostToDevice);
    if (error == cudaSuccess) return there;
    fprintf(stderr, "%s\n", cudaGetErrorString(error));
    exit(1);
}

int main(void)
{
    const float scale = 0.5f;
    tc_gemm_args g = {.m = ROWS, .n = OUT, .k = IN, .lda = IN, .ldb = IN, .ldd = OUT, .alpha = &scale};
    int wrong = 0;
    for (int i = 0; i < ROWS * IN; i++) x[i] = tc_bf16_from_f32((float)(i % 7 - 3));
    for (int i = 0; i < OUT * IN; i++) w[i] = tc_bf16_from_f32((float)(i % 5 - 2));
    g.a = device(x, sizeof x);
    g.b = device(w, sizeof w);
    g.d = device(y, sizeof y);
    if (layer_run(&g, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    if (cudaMemcpy(y, g.d, sizeof y, cudaMemcpyDeviceToHost) != cudaSuccess) return fprintf(stderr, "no result\n"), 1;

    for (int r = 0; r < ROWS; r++) {
        for (int o = 0; o < OUT; o++) {
            float sum = 0.f; /* small integers: exact until the result is rounded to bf16 */
            for (int i = 0; i < IN; i++) sum += tc_f32_from_bf16(x[r * IN + i]) * tc_f32_from_bf16(w[o * IN + i]);
            wrong += tc_f32_from_bf16(y[r * OUT + o]) != tc_f32_from_bf16(tc_bf16_from_f32(scale * sum));
        }
    }
    printf("%d of %d elements wrong: %s\n", wrong, ROWS * OUT, wrong ? "FAIL" : "ok");
    return wrong != 0;
}
