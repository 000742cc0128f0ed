/* 32_tcgen05_gemm_generated.cu - the GEMM of examples 30 and 31 from one line, with your epilogue: D = gelu(A * B *
 * scale + bias) by tcgen05.
 *
 * What a user writes stands between the two lines: the hook is example 22's. TC_GEMM_DEFINE takes such kernels by
 * itself on Blackwell; TC_GEMM_SM100_DEFINE is for choosing the tile. Pairs of blocks (.cluster_m = 2) multiply 256
 * rows together; while one tile goes from tensor memory to D, the next one is multiplied into the other accumulator.
 *
 * Proven in tcemu (build/tcemu --device sm_100a) and assembled by ptxas; it has not run on a GPU yet. Needs tc*.h.
 */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
typedef struct { const float *bias; float scale; } my_args;

TC_DEV float bias_gelu(float x, tc_gemm_at at, const void *args)
{
    const my_args *p = (const my_args *)args;
    return tc_gelu(x * p->scale + p->bias[at.col]);
}

TC_GEMM_SM100_DEFINE(pairs, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 256, .cluster_m = 2,
                     .epi_size = sizeof(my_args), .epi = bias_gelu)
TC_GEMM_SM100_DEFINE(alone, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .cluster_m = 1,
                     .epi_size = sizeof(my_args), .epi = bias_gelu)
/* ---------------------------------------------------------------------------------------------------------------- */

/* element i of a matrix: a multiple of 1/8 in -1 .. 1, the same on the device and here */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 17) / 8 - 1;
}

static __global__ void fill(void *p, size_t count, uint32_t seed, int type)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x) {
        if (type == TC_F32) ((float *)p)[i] = number(seed, i);
        else ((uint16_t *)p)[i] = tc_bf16_from_f32(number(seed, i));
    }
}

static void *matrix(int rows, int cols, uint32_t seed, int type)
{
    void *p = 0;
    if (cudaMalloc(&p, (size_t)rows * cols * tc_type_bits(type) / 8) != cudaSuccess) exit(1);
    fill<<<512, 256>>>(p, (size_t)rows * cols, seed, type);
    return p;
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
} kernel;

int main(void)
{
    /* feed-forward layers: GPT-2 XL, Llama-3 8B, at 4096 tokens; then a ragged one */
    const int shapes[3][3] = {{4096, 6400, 1600}, {4096, 14336, 4096}, {2777, 1116, 2008}};
    const kernel kernels[2] = {{"pairs", pairs_run}, {"alone", alone_run}};
    cudaDeviceProp prop;
    cudaEvent_t from, to;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    if (prop.major < 10 || prop.major > 11)
        return printf("needs compute capability 10.x or 11.x, this device has %d.%d: built, not run\n", prop.major,
                      prop.minor), 0;
    const int emulated = !strncmp(prop.name, "tcemu", 5);
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (int x = 0; x < 6; x++) {
        const int *shape = shapes[x / 2], div = emulated ? 8 : 1, m = shape[0] / div, n = shape[1] / div,
                  k = (shape[2] / div + 7) / 8 * 8; /* TMA: rows of a multiple of 16 bytes */
        void *a = matrix(m, k, 1, TC_BF16), *b = matrix(n, k, 2, TC_BF16), *d = matrix(m, n, 3, TC_BF16),
             *bias = matrix(1, n, 4, TC_F32);
        const my_args hook = {(const float *)bias, 0.02f};
        const tc_gemm_args g = {.m = m, .n = n, .k = k, .a = a, .lda = k, .b = b, .ldb = k, .d = d, .ldd = n,
                                .epi_args = &hook, .epi_size = sizeof hook};
        float ms = 0;
        int wrong = 0;
        for (int i = 0; i < (emulated ? 1 : 20); i++) {
            if (i == 10) cudaEventRecord(from, 0);
            if (kernels[x % 2].run(&g, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
        }
        if (!emulated) cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms, from, to);
        for (int s = 0; s < 400; s++) { /* samples against the CPU: the last element, then anywhere */
            const size_t i = s ? (size_t)s * 2654435761u % ((size_t)m * n) : (size_t)m * n - 1;
            uint16_t got;
            double sum = 0, y, want;
            for (int j = 0; j < k; j++) sum += number(1, i / n * k + j) * number(2, i % n * k + j);
            y = sum * 0.02 + number(4, i % n), want = 0.5 * y * (1 + erf(y * sqrt(0.5)));
            if (cudaMemcpy(&got, (uint16_t *)d + i, 2, cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
            wrong += !(fabs(tc_f32_from_bf16(got) - want) <= fabs(want) / 250 + 1e-5); /* bf16: 1/256 */
        }
        printf("%s  m %5d  n %5d  k %5d   ", kernels[x % 2].name, m, n, k);
        if (!emulated) printf("%7.1f TFLOP/s   ", 2e-8 * m * n * k / ms);
        printf("%s\n", wrong ? "FAIL" : "ok");
        failed += wrong != 0;
        cudaFree(a), cudaFree(b), cudaFree(d), cudaFree(bias);
    }
    return failed;
}
