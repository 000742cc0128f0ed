/* 42_attention.cu - generated attention: O = softmax(scale * Q K') V in one kernel, for prefill, grouped heads,
 * decoding, packed sequences.
 *
 * Q and O are (batch, rows, heads, head_dim), K and V the same with their own rows and heads; a call names the sizes:
 *
 *     tc_attn_args a = {0};
 *     a.batch = 4, a.heads = 32, a.heads_kv = 8;              each key head serves 4 query heads (GQA); 1 key head: MQA
 *     a.q_len = 4096, a.k_len = 4096;
 *     a.q = q, a.k = k, a.v = v, a.o = o, a.lse = lse;        lse: optional, for a backward pass or to join parts
 *     tc_status st = attn_128_run(&a, stream);                tc_why() says what is wrong with a call
 *
 * Other layouts: strides of batch, row and head. Sequences of unequal length: one after the other without padding, cu_q
 * and cu_k say where each begins. Causal is bottom-right aligned: the last query sees all keys, so the same kernel
 * decodes.
 * It runs on every device from sm_80 on. Needs tc*.h alone. */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------- */
TC_ATTN_DEFINE(attn_64, .type = TC_BF16, .head_dim = 64, .causal = 1)
TC_ATTN_DEFINE(attn_128, .type = TC_BF16, .head_dim = 128, .causal = 1)
TC_ATTN_DEFINE(attn_128_full, .type = TC_BF16, .head_dim = 128)
/* ---------------------------------------------------------------------------------------------------------------- */

/* element i of a tensor: a multiple of 1/8 in -2 .. 2, the same on the device and here */
TC_HD float number(uint32_t seed, size_t i)
{
    uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
    h = (h ^ h >> 15) * 2246822519u;
    return (float)((h >> 13) % 33) / 8 - 2;
}

static __global__ void fill(uint16_t *p, size_t count, uint32_t seed)
{
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < count; i += (size_t)gridDim.x * blockDim.x)
        p[i] = tc_bf16_from_f32(number(seed, i));
}

static void *tensor(size_t bytes, uint32_t seed) /* seed 0: NaN, so that what nobody writes is seen */
{
    void *p = 0;
    if (cudaMalloc(&p, bytes + 16) != cudaSuccess || cudaMemset(p, 0xff, bytes) != cudaSuccess) exit(1);
    if (seed) fill<<<512, 256>>>((uint16_t *)p, bytes / 2, seed);
    return p;
}

/* A sequence: its rows in Q and O, in K and V, from .. on. */
typedef struct sequence { int index, q_at, q_len, k_at, k_len; } sequence;

/* Row i of head h of a sequence against fp64. P and O are rounded to bf16 (1/256); the rest of the bound is f32's. 1 if
 * it is wrong. */
static int wrong_row(const tc_attn_args *a, int dim, int causal, const sequence *s, int h, int i)
{
    const size_t row = (size_t)a->heads * dim, row_kv = (size_t)a->heads_kv * dim,
                 at = (s->q_at + i) * row + (size_t)h * dim;
    const size_t at_kv = s->k_at * row_kv + (size_t)(h / (a->heads / a->heads_kv)) * dim;
    const int keys = causal ? s->k_len - s->q_len + i + 1 : s->k_len; /* that it sees */
    double *p = (double *)malloc(sizeof(double) * (size_t)(keys > 0 ? keys : 1)), top = -INFINITY, sum = 0;
    uint16_t o[256];
    float lse;
    int wrong = 0;
    const size_t lse_at = a->cu_q ? (size_t)h * a->total_q + s->q_at + i : ((size_t)s->index * a->heads + h) * a->q_len
        + i;
    cudaMemcpy(&lse, a->lse + lse_at, 4, cudaMemcpyDeviceToHost);
    if (cudaMemcpy(o, (uint16_t *)a->o + at, (size_t)dim * 2, cudaMemcpyDeviceToHost) != cudaSuccess) exit(1);
    if (keys < 1) { /* a row that sees nothing is 0 */
        for (int c = 0; c < dim; c++) wrong |= tc_f32_from_bf16(o[c]) != 0;
        return free(p), wrong | (lse != -INFINITY);
    }
    for (int j = 0; j < keys; j++) {
        p[j] = 0;
        for (int c = 0; c < dim; c++) p[j] += number(1, at + c) * number(2, at_kv + j * row_kv + c) / sqrt((double)dim);
        top = fmax(top, p[j]);
    }
    for (int j = 0; j < keys; j++) sum += p[j] = exp(p[j] - top);
    for (int c = 0; c < dim; c++) {
        double x = 0, size = 0;
        for (int j = 0; j < keys; j++) {
            const double v = p[j] / sum * number(3, at_kv + j * row_kv + c);
            x += v, size += fabs(v);
        }
        wrong |= !(fabs(tc_f32_from_bf16(o[c]) - x) <= (size + fabs(x)) / 256 + 1e-4);
    }
    free(p);
    return wrong | !(fabs(lse - top - log(sum)) <= 1e-4 * (1 + fabs(lse)));
}

typedef struct shape {
    const char *name;
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    int causal, batch, heads, heads_kv, q_len, k_len, dim;
    const int *lens_q, *lens_k; /* packed sequences: their lengths; q_len, k_len: the longest */
} shape;

static int size(int emulated, int n) { return emulated ? n / 128 * 8 + n % 8 : n; }

static int attend(const shape *x, int emulated) /* 0: right */
{
    const int batch = emulated && !x->lens_q && x->batch > 2 ? 2 : x->batch, packed = x->lens_q != 0,
              rounds = emulated ? 1 : 20;
    sequence seq[64];
    int cu[2][65] = {{0}}, *cu_device = 0, wrong = 0;
    double pairs = 0, flops, bytes;
    cudaEvent_t from, to;
    float ms = 0;
    for (int b = 0; b < batch; b++) {
        const int q_len = packed ? x->lens_q[b] : x->q_len, k_len = packed ? x->lens_k[b] : x->k_len;
        const sequence s = {b, cu[0][b], size(emulated, q_len), cu[1][b], size(emulated, k_len)};
        seq[b] = s, cu[0][b + 1] = s.q_at + s.q_len, cu[1][b + 1] = s.k_at + s.k_len;
        /* those that the mask leaves */
        pairs += (double)s.q_len * s.k_len - (x->causal ? 0.5 * s.q_len * (s.q_len - 1) : 0);
    }
    const size_t q_bytes = (size_t)cu[0][batch] * x->heads * x->dim * 2,
                 k_bytes = (size_t)cu[1][batch] * x->heads_kv * x->dim * 2;
    tc_attn_args a = {0};
    a.batch = batch, a.heads = x->heads, a.heads_kv = x->heads_kv, a.q_len = size(emulated, x->q_len),
        a.k_len = size(emulated, x->k_len);
    a.q = tensor(q_bytes, 1), a.k = tensor(k_bytes, 2), a.v = tensor(k_bytes, 3), a.o = tensor(q_bytes, 0);
    a.lse = (float *)tensor(q_bytes / x->dim * 2, 0);
    if (packed) {
        cudaMalloc((void **)&cu_device, sizeof cu);
        cudaMemcpy(cu_device, cu, sizeof cu, cudaMemcpyHostToDevice);
        a.cu_q = cu_device, a.host_cu_q = cu[0], a.total_q = cu[0][batch];
        a.cu_k = cu_device + 65, a.host_cu_k = cu[1], a.total_k = cu[1][batch];
    }
    cudaEventCreate(&from), cudaEventCreate(&to);
    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 2) cudaEventRecord(from, 0);
        if (x->run(&a, 0) != TC_OK) return fprintf(stderr, "%s\n", tc_why()), 1;
    }
    cudaEventRecord(to, 0), cudaEventSynchronize(to), cudaEventElapsedTime(&ms, from, to);
    for (int s = 0; s < 16; s++) { /* first and last row, of the first and last sequence and head; then anywhere */
        const uint32_t r = ((uint32_t)s * 2654435761u + 12345u) >> 8;
        const int b = s < 8 ? s / 4 * (batch - 1) : (int)r % batch,
                  h = s < 8 ? s / 2 % 2 * (x->heads - 1) : s % x->heads;
        wrong += wrong_row(&a, x->dim, x->causal, &seq[b], h, s < 8 ? s % 2 * (seq[b].q_len - 1)
                           : (int)(r >> 3) % seq[b].q_len);
    }
    printf("%-12s b %3d  h %2d/%-2d  q %5d  k %5d  d %3d %s  ", x->name, batch, x->heads, x->heads_kv, a.q_len, a.k_len,
           x->dim, x->causal ? "causal" : "      ");
    flops = 4.0 * pairs * x->heads * x->dim, bytes = 2.0 * (q_bytes + k_bytes);
    if (!emulated && flops < 100 * bytes) printf("%7.0f GB/s     ", bytes * (rounds - rounds / 2) / ms * 1e-6);
    else if (!emulated) printf("%7.1f TFLOP/s  ", flops * (rounds - rounds / 2) / ms * 1e-9);
    printf("%s\n", wrong ? "FAIL" : "ok");
    cudaFree((void *)a.q), cudaFree((void *)a.k), cudaFree((void *)a.v), cudaFree(a.o), cudaFree(a.lse),
        cudaFree(cu_device);
    return wrong != 0;
}

int main(void)
{
    /* what a server sees in one step: prompts of any length, packed; then a few new tokens, each with the keys of its
     * past */
    const int prompts[6] = {4096, 17, 1000, 2500, 1, 3333};
    const int fresh[6] = {1, 1, 4, 1, 2, 1}, past[6] = {8192, 3000, 777, 64, 5000, 1};
    const shape shapes[9] = {
        {"encoder", attn_128_full_run, 0, 4, 16, 16, 4096, 4096, 128},
        {"prefill", attn_128_run, 1, 4, 16, 16, 4096, 4096, 128},
        {"prefill", attn_64_run, 1, 4, 32, 32, 4096, 4096, 64},
        {"prefill", attn_128_run, 1, 4, 32, 8, 4096, 4096, 128}, /* Llama 3 8B */
        {"prefill", attn_128_run, 1, 1, 64, 8, 512, 16384, 128}, /* Llama 3 70B: the last 512 of a long prompt */
        /* decoding: the 8 query heads of a key head fill the rows of one tile, so that K and V are read once, not 8
         * times */
        {"decode", attn_128_run, 1, 64, 64, 8, 1, 8192, 128},
        {"decode", attn_128_run, 1, 64, 32, 1, 4, 8192, 128}, /* MQA, 4 speculated tokens */
        {"packed", attn_128_run, 1, 6, 32, 8, 4096, 4096, 128, prompts, prompts},
        {"packed", attn_128_run, 1, 6, 32, 8, 4, 8192, 128, fresh, past}};
    cudaDeviceProp prop;
    int failed = 0;
    if (cudaGetDeviceProperties(&prop, 0) != cudaSuccess) return printf("no CUDA device here: built, not run\n"), 0;
    for (int i = 0; i < 9; i++) failed += attend(&shapes[i], !strncmp(prop.name, "tcemu", 5));
    return failed;
}
