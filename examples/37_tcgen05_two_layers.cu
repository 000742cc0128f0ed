/* 37_tcgen05_two_layers.cu - D that a GEMM quantises is the next one's A as it lies: H = gelu(X * W0), Y = H * W1, once
 * in mxfp8 and once in nvfp4, from elements and factors to elements and factors.
 *
 *   .sf     A and B come with factors of a byte in the layout of tc_sf.h
 *   .d_sf   so does D: the end of a tile finds the largest of 32 (16) neighbours, its factor, and divides by it
 *
 * H is checked against fp64, an element within half a step of its type times its factor; Y against the exact product of
 * what H and W1 are.
 *
 * Proven in tcemu (build/tcemu --device sm_100a) and assembled by ptxas; it has not run on a GPU yet. Needs tc*.h.
 */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
TC_DEV float gelu(float x, tc_gemm_at at, const void *args) { return (void)at, (void)args, tc_gelu(x); }

#define MXFP8 .a = TC_E4M3, .b = TC_E4M3, .sf = TC_SF_UE8M0_32
#define NVFP4 .a = TC_E2M1, .b = TC_E2M1, .sf = TC_SF_UE4M3_16
TC_GEMM_SM100_DEFINE(up_mxfp8, MXFP8, .d = TC_E4M3, .d_sf = TC_SF_UE8M0_32, .epi = gelu, .epi_size = TC_NO_ARGS)
TC_GEMM_SM100_DEFINE(down_mxfp8, MXFP8, .d = TC_F32)
TC_GEMM_SM100_DEFINE(up_nvfp4, NVFP4, .d = TC_E2M1, .d_sf = TC_SF_UE4M3_16, .epi = gelu, .epi_size = TC_NO_ARGS)
TC_GEMM_SM100_DEFINE(down_nvfp4, NVFP4, .d = TC_F32)
/* ---------------------------------------------------------------------------------------------------------------- */

#define CUDA(call)                                                                                     \
    do {                                                                                               \
        const cudaError_t err = (call);                                                                \
        if (err != cudaSuccess) return fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(err)), 1; \
    } while (0)

/* Elements, factors and what they are: k of a row share a factor by `block`. */
typedef struct {
    const char *name;
    int type, block;
    tc_status (*up)(const tc_gemm_args *, cudaStream_t), (*down)(const tc_gemm_args *, cudaStream_t);
} format;

typedef struct {
    int rows, k;
    uint8_t *codes, *factors; /* on the host; factors as the kernel has them */
    void *dev_codes, *dev_factors;
} matrix;

static size_t code_bytes(const format *f, const matrix *x)
{
    return (size_t)x->rows * x->k * tc_type_bits(f->type) / 8;
}
static float factor_at(const format *f, const matrix *x, int row, int k)
{
    const uint8_t code = x->factors[tc_sf_at(x->k, f->block, row, k / f->block)];
    return f->block == 32 ? tc_f32_from_ue8m0(code) : tc_f32_from_ue4m3(code);
}
static double value(const format *f, const matrix *x, int row, int k)
{
    return (double)tc_element_get(x->codes, f->type, (size_t)row * x->k + k) * factor_at(f, x, row, k);
}

/* Space for a matrix; seed: or random numbers, quantised. */
static int make(const format *f, matrix *x, int rows, int k, uint32_t seed)
{
    const size_t factors = tc_sf_bytes(rows, k, f->block);
    x->rows = rows, x->k = k;
    x->codes = (uint8_t *)calloc(code_bytes(f, x), 1), x->factors = (uint8_t *)calloc(factors, 1);
    for (int i = 0; seed && i < rows; i++)
        for (int j = 0; j < k; j += f->block) {
            float v[32], most = 0;
            for (int s = 0; s < f->block; s++) {
                seed = seed * 1664525u + 1013904223u;
                v[s] = ((float)(seed >> 8) / 8388608.f - 1.f) * (float)(1 << i % 3);
                most = fmaxf(most, fabsf(v[s]));
            }
            uint8_t *code = x->factors + tc_sf_at(k, f->block, i, j / f->block);
            *code = f->block == 32 ? tc_ue8m0_from_f32_rp(most / 448) : tc_ue4m3_from_f32(most / 6);
            for (int s = 0; s < f->block; s++)
                tc_element_set(x->codes, f->type, (size_t)i * k + j + s, v[s] / factor_at(f, x, i, j));
        }
    CUDA(cudaMalloc(&x->dev_codes, code_bytes(f, x)));
    CUDA(cudaMalloc(&x->dev_factors, factors));
    CUDA(cudaMemcpy(x->dev_codes, x->codes, code_bytes(f, x), cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy(x->dev_factors, x->factors, factors, cudaMemcpyHostToDevice));
    return 0;
}

static void drop(matrix *x)
{
    cudaFree(x->dev_codes), cudaFree(x->dev_factors);
    free(x->codes), free(x->factors);
}

static double product(const format *f, const matrix *a, const matrix *b, int row, int col, double *size)
{
    double sum = 0;
    *size = 0;
    for (int j = 0; j < a->k; j++) {
        const double x = value(f, a, row, j) * value(f, b, col, j);
        sum += x, *size += fabs(x);
    }
    return sum;
}

/* The distance from one element of the type to the next, where x is. */
static double step_of(const format *f, double x)
{
    const double size = fabs(x);
    if (f->block == 16) return size < 2 ? 0.5 : size < 4 ? 1 : 2;
    return fmax(size / 8, 1. / 512);
}

static int layers(const format *f, int m, int inner, int n, int k)
{
    matrix x, w0, h, w1;
    float *y = (float *)malloc((size_t)m * n * 4);
    void *dev_y;
    double worst_h = 0, worst_y = 0, size;
    if (make(f, &x, m, k, 1) || make(f, &w0, inner, k, 2)) return 1;
    if (make(f, &w1, n, inner, 3) || make(f, &h, m, inner, 0)) return 1;
    CUDA(cudaMalloc(&dev_y, (size_t)m * n * 4));
    const float alpha = 0.0625f;
    const tc_gemm_args up = {.m = m, .n = inner, .k = k, .a = x.dev_codes, .lda = k, .b = w0.dev_codes, .ldb = k,
                             .d = h.dev_codes, .ldd = inner, .sfa = x.dev_factors, .sfb = w0.dev_factors,
                             .alpha = &alpha, .d_sf_out = h.dev_factors};
    const tc_gemm_args down = {.m = m, .n = n, .k = inner, .a = h.dev_codes, .lda = inner, .b = w1.dev_codes,
                               .ldb = inner, .d = dev_y, .ldd = n, .sfa = h.dev_factors, .sfb = w1.dev_factors};
    if (f->up(&up, 0) != TC_OK || f->down(&down, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaMemcpy(h.codes, h.dev_codes, code_bytes(f, &h), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(h.factors, h.dev_factors, tc_sf_bytes(m, inner, f->block), cudaMemcpyDeviceToHost));
    CUDA(cudaMemcpy(y, dev_y, (size_t)m * n * 4, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 400; s++) { /* the last element, then anywhere */
        const size_t i = s ? (size_t)s * 2654435761u % ((size_t)m * inner) : (size_t)m * inner - 1;
        const int row = (int)(i / (size_t)inner), col = (int)(i % (size_t)inner);
        const double sum = alpha * product(f, &x, &w0, row, col, &size), factor = factor_at(f, &h, row, col);
        const double want = 0.5 * sum * (1 + tanh(0.7978845608 * (sum + 0.044715 * sum * sum * sum)));
        const double bound = (k + 8) * 1.2e-7 * alpha * size + 1e-3 * fabs(want) + 1e-3 /* tanh.approx */
                           + 0.5 * factor * step_of(f, want / factor) * 1.0001;
        worst_h = fmax(worst_h, fabs(value(f, &h, row, col) - want) / bound);
    }
    for (int s = 0; s < 400; s++) {
        const size_t i = s ? (size_t)s * 2654435761u % ((size_t)m * n) : (size_t)m * n - 1;
        const int row = (int)(i / (size_t)n), col = (int)(i % (size_t)n);
        const double want = product(f, &h, &w1, row, col, &size);
        const double error = fabs(y[i] - want) / ((inner + 8) * 1.2e-7 * size + 1e-30);
        worst_y = error <= worst_y ? worst_y : error;
    }
    const int ok = worst_h <= 1 && worst_y <= 1;
    printf("%s  m %5d  inner %5d  n %5d  k %5d   worst of 400: %.2f, %.2f of the bounds of H and Y   %s\n", f->name, m,
           inner, n, k, worst_h, worst_y, ok ? "ok" : "FAIL");
    drop(&x), drop(&w0), drop(&h), drop(&w1);
    cudaFree(dev_y), free(y);
    return !ok;
}

int main(void)
{
    const format formats[2] = {{"mxfp8", TC_E4M3, 32, up_mxfp8_run, down_mxfp8_run},
                               {"nvfp4", TC_E2M1, 16, up_nvfp4_run, down_nvfp4_run}};
    cudaDeviceProp prop;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    if (prop.major != 10 && prop.major != 11)
        return printf("needs compute capability 10.x or 11.x, this device has %d.%d: built, not run\n", prop.major,
                      prop.minor), 0;
    const int div = !strncmp(prop.name, "tcemu", 5) ? 8 : 1;
    for (int i = 0; i < 2; i++)
        failed += layers(&formats[i], 4096 / div, 8192 / div, 2048 / div, 4096 / div)
                + layers(&formats[i], 1000 / div, 4352 / div, 1032 / div, 2304 / div);
    return failed;
}
