/* 48_attn_fp8.cu - attention with Q, K and V in e4m3: quantised here, with a factor for each head or each 128 rows.
 *
 *     TC_ATTN_DEFINE(attn, .type = TC_E4M3, .head_dim = 128, .causal = 1)     O in bf16; .o = TC_F16: in f16
 *     a.q = codes, a.q_scale = factors;                                      Q is codes times factors, device memory
 *     a.q_factors.batch = heads * blocks, a.q_factors.head = blocks;         from one batch, one head to the next
 *     a.q_factors.rows = 128;                                                rows that share one; 0: all of a head
 *
 * K and V have factors of their own. Those of blocks of rows follow outliers that come and go along a sequence; to the
 * kernel all forms cost the same. Checked against fp64 of the codes, and held against attention of what was quantised.
 * Hopper alone. Needs tc*.h alone. */
#define TC_SM90_STUBS
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
TC_ATTN_DEFINE(attn, .type = TC_E4M3, .head_dim = 128, .causal = 1)
/* ---------------------------------------------------------------------------------------------------------------- */

enum { DIM = 128, ROWS = 128 /* of a factor */ };

#define CUDA_CHECK(call)                                                                                     \
    do {                                                                                                     \
        cudaError_t err_ = (call);                                                                           \
        if (err_ != cudaSuccess) {                                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_));         \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

/* x: (batch, rows, heads, 128) of f32. A block of threads makes codes of `each` rows of a head: the largest becomes
 * 448, e4m3's last. factors: (batch, heads, gridDim.x). */
static __global__ void quantise(const float *x, uint8_t *codes, float *factors, int rows, int each)
{
    __shared__ float all[DIM];
    const int heads = (int)gridDim.y, h = (int)blockIdx.y, b = (int)blockIdx.z, e = (int)threadIdx.x;
    const int from = (int)blockIdx.x * each, to = from + each < rows ? from + each : rows;
    float most = 0, factor;
    for (int i = from; i < to; i++) most = fmaxf(most, fabsf(x[(((size_t)b * rows + i) * heads + h) * DIM + e]));
    all[e] = most;
    __syncthreads();
    for (int i = 0; i < DIM; i++) most = fmaxf(most, all[i]);
    factor = most > 0 ? most / 448 : 1;
    if (e == 0) factors[((size_t)b * heads + h) * gridDim.x + blockIdx.x] = factor;
    for (int i = from; i < to; i++) {
        const size_t at = (((size_t)b * rows + i) * heads + h) * DIM + e;
        codes[at] = tc_e4m3_from_f32(x[at] / factor);
    }
}

/* Q, K or V: what it was, its codes, its factors. */
typedef struct tensor {
    int batch, rows, heads, each, blocks;
    float *x, *factors, *dev_factors;
    uint8_t *codes, *dev_codes;
} tensor;

/* Numbers of about standard normal size; one row in 300 is 8 times that. */
static tensor make(int batch, int rows, int heads, int each)
{
    tensor t = {batch, rows, heads, each, (rows + each - 1) / each, 0, 0, 0, 0, 0};
    const size_t count = (size_t)batch * rows * heads * DIM, factors = (size_t)batch * heads * t.blocks;
    float *dev;
    t.x = (float *)malloc(count * 4), t.codes = (uint8_t *)malloc(count), t.factors = (float *)malloc(factors * 4);
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        for (int k = 0; k < 4; k++) sum += (float)rand() / (float)RAND_MAX - 0.5f;
        t.x[i] = sum * 1.73f * (i / DIM % 300 == 7 ? 8 : 1);
    }
    CUDA_CHECK(cudaMalloc((void **)&dev, count * 4));
    CUDA_CHECK(cudaMalloc((void **)&t.dev_codes, count));
    CUDA_CHECK(cudaMalloc((void **)&t.dev_factors, factors * 4));
    CUDA_CHECK(cudaMemcpy(dev, t.x, count * 4, cudaMemcpyHostToDevice));
    quantise<<<dim3((unsigned)t.blocks, (unsigned)heads, (unsigned)batch), DIM>>>(dev, t.dev_codes, t.dev_factors, rows,
                                                                                each);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(t.codes, t.dev_codes, count, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(t.factors, t.dev_factors, factors * 4, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaFree(dev));
    return t;
}

static void drop(tensor *t)
{
    free(t->x), free(t->codes), free(t->factors);
    CUDA_CHECK(cudaFree(t->dev_codes));
    CUDA_CHECK(cudaFree(t->dev_factors));
}

/* One element: as it was, or what its code means. */
static double value(const tensor *t, int coded, int b, int row, int h, int e)
{
    const size_t at = (((size_t)b * t->rows + row) * t->heads + h) * DIM + e;
    return !coded ? t->x[at] : (double)tc_f32_from_e4m3(t->codes[at])
                                   * t->factors[((size_t)b * t->heads + h) * t->blocks + row / t->each];
}

/* Row i of head h in fp64, with or without what quantising did; size: the same of |v|. */
static void truth(const tensor *t, int coded, int b, int h, int i, double *o, double *size)
{
    const int keys = t[1].rows - t[0].rows + i + 1, hk = h / (t[0].heads / t[1].heads);
    double *p = (double *)malloc(sizeof(double) * (size_t)keys), top = -INFINITY, sum = 0;
    for (int j = 0; j < keys; j++) {
        p[j] = 0;
        for (int e = 0; e < DIM; e++) p[j] += value(&t[0], coded, b, i, h, e) * value(&t[1], coded, b, j, hk, e);
        p[j] /= sqrt((double)DIM);
        top = fmax(top, p[j]);
    }
    for (int j = 0; j < keys; j++) sum += p[j] = exp(p[j] - top);
    for (int e = 0; e < DIM; e++) {
        o[e] = size[e] = 0;
        for (int j = 0; j < keys; j++) {
            const double v = value(&t[2], coded, b, j, hk, e) * p[j] / sum;
            o[e] += v, size[e] += fabs(v);
        }
    }
    free(p);
}

/* each: rows of a factor of Q, of K and V; 0 is what the library calls a head's. 0: right */
static int attend(int q_len, int k_len, int each)
{
    enum { BATCH = 2, HEADS = 4, HEADS_KV = 2 };
    tensor t[3] = {make(BATCH, q_len, HEADS, each ? each : q_len), make(BATCH, k_len, HEADS_KV, each ? each : k_len),
                   make(BATCH, k_len, HEADS_KV, each ? each : k_len)};
    const tc_attn_factors f[2] = {{HEADS * t[0].blocks, t[0].blocks, each},
                                  {HEADS_KV * t[1].blocks, t[1].blocks, each}};
    const size_t bytes = (size_t)BATCH * q_len * HEADS * DIM * 2;
    uint16_t *o = (uint16_t *)malloc(bytes);
    double squares[3] = {0, 0, 0}; /* [1] of the kernel's error, [2] of that and quantising's, relative to a row's */
    tc_attn_args a = {0};
    int wrong = 0;
    a.batch = BATCH, a.heads = HEADS, a.heads_kv = HEADS_KV, a.q_len = q_len, a.k_len = k_len;
    a.q = t[0].dev_codes, a.q_scale = t[0].dev_factors, a.q_factors = f[0];
    a.k = t[1].dev_codes, a.k_scale = t[1].dev_factors, a.k_factors = f[1];
    a.v = t[2].dev_codes, a.v_scale = t[2].dev_factors, a.v_factors = f[1];
    CUDA_CHECK(cudaMalloc(&a.o, bytes));
    CUDA_CHECK(cudaMemset(a.o, 0xff, bytes)); /* NaN, so that what nobody writes is seen */
    if (attn_run(&a, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    CUDA_CHECK(cudaMemcpy(o, a.o, bytes, cudaMemcpyDeviceToHost));
    for (int s = 0; s < 12; s++) {
        const int b = s % BATCH, h = s % HEADS, i = s < 4 ? s / 2 * (q_len - 1) : s * 7919 % q_len;
        double coded[DIM], plain[DIM], size[DIM], unused[DIM], row[3] = {0, 0, 0};
        truth(t, 1, b, h, i, coded, size);
        truth(t, 0, b, h, i, plain, unused);
        for (int e = 0; e < DIM; e++) {
            const double x = tc_f32_from_bf16(o[(((size_t)b * q_len + i) * HEADS + h) * DIM + e]);
            /* P in e4m3 is off by up to 1/16; sums and scores in short sums by less than 1/64 more */
            wrong += !(fabs(x - coded[e]) <= size[e] * (1. / 16 + 1. / 64) + fabs(coded[e]) / 256 + 1e-6);
            row[0] += plain[e] * plain[e], row[1] += (x - coded[e]) * (x - coded[e]);
            row[2] += (x - plain[e]) * (x - plain[e]);
        }
        for (int k = 1; k < 3; k++) squares[k] += row[k] / row[0] / 12;
    }
    printf("q %4d  k %4d  factors of %s  error %.4f of fp64 of the codes, %.4f of what was quantised  %s\n", q_len,
           k_len, each ? "128 rows" : "heads   ", sqrt(squares[1]), sqrt(squares[2]),
           wrong ? "FAIL" : "ok");
    for (int i = 0; i < 3; i++) drop(&t[i]);
    free(o);
    CUDA_CHECK(cudaFree(a.o));
    return wrong != 0;
}

int main(void)
{
    cudaDeviceProp prop;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    if (prop.major != 9) return printf("this device is no Hopper: built, not run\n"), 0;
    return attend(300, 300, 0) | attend(300, 300, ROWS) | attend(70, 700, ROWS);
}
