/* nvfp4_main.h - what examples 33 and 35 share: matrices in f32 and in nvfp4, made on the device, and the check of a
 * product. The example defines NVFP4_RUN, its GEMM's call, and calls nvfp4_main with the compute capabilities that have
 * it. */
#ifndef TC_NVFP4_MAIN_H
#define TC_NVFP4_MAIN_H

#include <math.h>
#include <stdlib.h>

/* A thread takes 16 elements: eight bytes of codes, a factor. */
static __global__ void quantise(const float *x, int rows, int k, float whole, uint8_t *codes, uint8_t *factors)
{
    const int across = k / 16;
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    float most = 0, v[16];
    if (i >= rows * across) return;
    for (int j = 0; j < 16; j++) {
        v[j] = x[(size_t)i * 16 + j] / whole;
        most = fmaxf(most, fabsf(v[j]));
    }
    const uint8_t factor = tc_ue4m3_from_f32(most / 6);
    const float divide = tc_f32_from_ue4m3(factor) > 0 ? 1 / tc_f32_from_ue4m3(factor) : 0;
    for (int j = 0; j < 16; j++) v[j] *= divide;
    factors[i] = factor;
    ((uint32_t *)codes)[2 * i] = tc_e2m1x8(v), ((uint32_t *)codes)[2 * i + 1] = tc_e2m1x8(v + 8);
}

static __global__ void pack(uint8_t *to, tc_sf_rows from)
{
    tc_sf_pack(to, &from, blockIdx.x * blockDim.x + threadIdx.x, gridDim.x * blockDim.x);
}

/* element i of a matrix, -1 .. 1 */
static float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)(int32_t)(h ^ h >> 13) * 4.656612873e-10f;
}

#define CUDA(call)                                                                                  \
    do {                                                                                            \
        const cudaError_t err = (call);                                                             \
        if (err != cudaSuccess) return fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err)), 1; \
    } while (0)

/* A matrix in f32 and in nvfp4, on the host and on the device. */
typedef struct {
    int rows, k;
    float *x, whole;
    uint8_t *codes, *factors;                          /* read back */
    void *dev_x, *dev_codes, *dev_factors, *dev_packed;
} matrix;

static int make(matrix *a, int rows, int k, uint32_t seed)
{
    const size_t count = (size_t)rows * k;
    const tc_sf_rows from = {0, k / 16, rows, k, 16};
    tc_sf_rows there = from;
    a->rows = rows, a->k = k;
    a->x = (float *)malloc(count * 4);
    a->codes = (uint8_t *)malloc(count / 2), a->factors = (uint8_t *)malloc(count / 16);
    /* rows of quite different sizes, as activations have them */
    for (size_t i = 0; i < count; i++) a->x[i] = number(seed, i) * (float)(1 << (i / (size_t)k) % 8);
    a->whole = 128.f / (6 * 448); /* the largest element gets the largest factor */
    CUDA(cudaMalloc(&a->dev_x, count * 4));
    CUDA(cudaMalloc(&a->dev_codes, count / 2));
    CUDA(cudaMalloc(&a->dev_factors, count / 16));
    CUDA(cudaMalloc(&a->dev_packed, tc_sf_bytes(rows, k, 16)));
    CUDA(cudaMemcpy(a->dev_x, a->x, count * 4, cudaMemcpyHostToDevice));
    quantise<<<(unsigned)((count / 16 + 127) / 128), 128>>>((const float *)a->dev_x, rows, k, a->whole,
                                                            (uint8_t *)a->dev_codes, (uint8_t *)a->dev_factors);
    there.at = (const uint8_t *)a->dev_factors;
    pack<<<64, 256>>>((uint8_t *)a->dev_packed, there);
    CUDA(cudaGetLastError());
    CUDA(cudaMemcpy(a->codes, a->dev_codes, count / 2, cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(a->factors, a->dev_factors, count / 16, cudaMemcpyDeviceToHost));
    return 0;
}

/* What was quantised, but for the factor of the whole. */
static double quantised(const matrix *a, int row, int k)
{
    const size_t i = (size_t)row * a->k + k;
    const uint8_t code = (uint8_t)(a->codes[i / 2] >> i % 2 * 4 & 15);
    return (double)tc_f32_from_e2m1(code) * tc_f32_from_ue4m3(a->factors[i / 16]);
}

static void drop(matrix *a)
{
    cudaFree(a->dev_x), cudaFree(a->dev_codes), cudaFree(a->dev_factors), cudaFree(a->dev_packed);
    free(a->x), free(a->codes), free(a->factors);
}

static int shape(int m, int n, int k, int emulated)
{
    matrix a, b;
    float *bias = (float *)malloc((size_t)n * 4), alpha, ms = 0;
    uint16_t *d = (uint16_t *)malloc((size_t)m * n * 2);
    void *dev_bias, *dev_d;
    cudaEvent_t from, to;
    double worst = 0, off = 0, all = 0;
    if (make(&a, m, k, 1) || make(&b, n, k, 2)) return 1;
    for (int j = 0; j < n; j++) bias[j] = number(3, (size_t)j);
    CUDA(cudaMalloc(&dev_bias, (size_t)n * 4));
    CUDA(cudaMalloc(&dev_d, (size_t)m * n * 2));
    CUDA(cudaMemcpy(dev_bias, bias, (size_t)n * 4, cudaMemcpyHostToDevice));
    CUDA(cudaEventCreate(&from));
    CUDA(cudaEventCreate(&to));
    alpha = a.whole * b.whole;
    const tc_epi_vector hook = {(const float *)dev_bias};
    const tc_gemm_args g = {.m = m, .n = n, .k = k, .a = a.dev_codes, .lda = k, .b = b.dev_codes, .ldb = k, .d = dev_d,
                            .ldd = n, .sfa = a.dev_packed, .sfb = b.dev_packed, .alpha = &alpha, .epi_args = &hook,
                            .epi_size = sizeof hook};
    for (int i = 0; i < (emulated ? 1 : 20); i++) {
        if (i == 10) CUDA(cudaEventRecord(from, 0));
        if (NVFP4_RUN(&g, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    }
    if (!emulated) CUDA(cudaEventRecord(to, 0));
    CUDA(cudaDeviceSynchronize());
    if (!emulated) CUDA(cudaEventElapsedTime(&ms, from, to));
    CUDA(cudaMemcpy(d, dev_d, (size_t)m * n * 2, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 400; s++) { /* the last element, then anywhere */
        const size_t i = s ? (size_t)s * 2654435761u % ((size_t)m * n) : (size_t)m * n - 1;
        const int row = (int)(i / (size_t)n), col = (int)(i % (size_t)n);
        double sum = 0, size = 0, real = 0, want, error;
        for (int j = 0; j < k; j++) {
            const double ab = quantised(&a, row, j) * quantised(&b, col, j);
            sum += ab, size += fabs(ab);
            real += (double)a.x[(size_t)row * k + j] * b.x[(size_t)col * k + j];
        }
        want = alpha * sum + bias[col]; /* sums in f32, then bf16 */
        error = fabs(tc_f32_from_bf16(d[i]) - want)
              / ((k + 8) * 1.2e-7 * alpha * size + fabs(want) * 0.501 / 128 + 1e-6);
        if (!(error <= worst)) worst = error;
        off += (alpha * sum - real) * (alpha * sum - real), all += real * real;
    }
    printf("m %5d  n %5d  k %5d   ", m, n, k);
    if (!emulated) printf("%7.1f TFLOP/s   ", 2e-8 * m * n * k / ms);
    printf("worst of 400: %.2f of the error bound; off the f32 product by %.1f %%   %s\n", worst, 100 * sqrt(off / all),
           worst <= 1 ? "ok" : "FAIL");
    drop(&a), drop(&b);
    cudaFree(dev_bias), cudaFree(dev_d), free(bias), free(d);
    return !(worst <= 1);
}

/* least, most: major compute capabilities; text: the same in words */
static int nvfp4_main(int least, int most, const char *text)
{
    const int shapes[2][3] = {{4096, 14336, 4096}, {1000, 2056, 3104}};
    cudaDeviceProp prop;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    if (prop.major < least || prop.major > most)
        return printf("needs compute capability %s, this device has %d.%d: built, not run\n", text, prop.major,
                      prop.minor), 0;
    const int emulated = !strncmp(prop.name, "tcemu", 5), div = emulated ? 8 : 1;
    for (int x = 0; x < 2; x++) /* k: whole groups of 32 elements, rows of a multiple of 16 bytes */
        failed += shape(shapes[x][0] / div, shapes[x][1] / div, shapes[x][2] / div / 32 * 32, emulated);
    return failed;
}

#endif /* TC_NVFP4_MAIN_H */
