/* attn_main.h - the rest of an attention example: runs it on a few shapes, checks sampled rows against fp64, prints its
 * rate. */
#ifndef TC_ATTN_MAIN_H
#define TC_ATTN_MAIN_H

#include "example.h"
#include "../tc_attn.h"

typedef tc_status (*attn_run_fn)(const tc_attn_args *, cudaStream_t);
/* What the score hook makes of s = scale * q * k', in fp64; NULL: s itself. */
typedef double (*attn_score_fn)(double s, int b, int h, int q, int kv, const void *context);

typedef struct attn_example {
    const char *name; /* begins each line */
    attn_run_fn run;
    int causal, window, window_left, window_right; /* as the kernel was defined, and what a call gives; -1: all */
    attn_score_fn score;
    const void *context;
    double score_error; /* of the hook's own arithmetic, relative to the score; 0: f32 rounding */
    const void *hook_args;
    size_t hook_size;
    attn_run_fn rival; /* to compare with, "generated"; NULL: none */
} attn_example;

typedef struct attn_shape {
    int batch, heads, heads_kv, q_len, k_len, dim;
    const int *lens_q, *lens_k; /* packed sequences (varlen): batch lengths each; q_len, k_len: the longest */
} attn_shape;

typedef struct attn_call {
    attn_run_fn run;
    tc_attn_args args;
} attn_call;

static void attn_call_run(void *self) { TC_CHECK(((attn_call *)self)->run(&((attn_call *)self)->args, 0)); }

/* A host copy of `count` rows of dim bf16 elements that stand `pitch` elements apart. */
static inline float *attn_rows(const void *p, size_t at, size_t pitch, int count, int dim)
{
    const size_t n = (size_t)count * dim;
    uint16_t *h = (uint16_t *)malloc(n * 2 + 2);
    float *out = (float *)malloc(n * 4 + 4);
    if (count)
        CUDA_CHECK(cudaMemcpy2D(h, (size_t)dim * 2, (const uint16_t *)p + at, pitch * 2, (size_t)dim * 2, (size_t)count,
                                cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++) out[i] = tc_f32_from_bf16(h[i]);
    free(h);
    return out;
}

/* Keys begin .. end - 1 are what query i of a sequence sees by causal mask and window. */
static inline void attn_sees(const tc_attn_args *a, int causal, int window, int i, int q_len, int k_len, int *begin,
                             int *end)
{
    const int at = i + k_len - q_len, right = causal ? 0 : window && a->window_right >= 0 ? a->window_right : -1;
    *begin = window && a->window_left >= 0 && at - a->window_left > 0 ? at - a->window_left : 0;
    *end = right >= 0 && at + right + 1 < k_len ? at + right + 1 : k_len;
    if (*end < *begin) *end = *begin;
}

/* One row of O, and its log-sum-exp, against fp64: the error in units of its bound. What the kernel may lose, to first
 * order:
 *     p = exp(s) is rounded to bf16 before P * V: 2^-8 of sum p |v|;            o is rounded to bf16: 2^-8 of |o|
 *     f32 sums of n terms: n * 2^-23 of the sum of the terms' absolute values (wgmma truncates; half of that elsewhere)
 *     s is wrong by ds (sum over dim, hook, exp2's argument): p by p ds, o by sum p ds |v - o|  */
static inline double attn_row_error(const attn_example *e, const tc_attn_args *a, int dim, int b, int h, int i,
                                    int q_at, int k_at, int q_len, int k_len)
{
    const double unit = example_rounding(TC_BF16), f32 = 1.2e-7,
                 scale = a->scale > 0 ? a->scale : 1 / sqrt((double)dim);
    const int heads_kv = a->heads_kv ? a->heads_kv : a->heads, hk = h / (a->heads / heads_kv);
    const size_t row = (size_t)a->heads * dim, row_kv = (size_t)heads_kv * dim,
                 at = (size_t)(q_at + i) * row + (size_t)h * dim;
    float *q = attn_rows(a->q, at, row, 1, dim), *o = attn_rows(a->o, at, row, 1, dim), lse;
    float *k = attn_rows(a->k, (size_t)k_at * row_kv + (size_t)hk * dim, row_kv, k_len, dim),
          *v = attn_rows(a->v, (size_t)k_at * row_kv + (size_t)hk * dim, row_kv, k_len, dim);
    double *s = (double *)malloc(sizeof(double) * (size_t)(k_len + 1)),
           *ds = (double *)malloc(sizeof(double) * (size_t)(k_len + 1));
    double top = -INFINITY, sum = 0, slip = 0, worst = 0;
    int begin, end;
    attn_sees(a, e->causal, e->window, i, q_len, k_len, &begin, &end);
    CUDA_CHECK(cudaMemcpy(&lse,
                          a->lse + (a->cu_q ? (size_t)h * a->total_q + q_at + i
                                    : ((size_t)b * a->heads + h) * a->q_len + i), 4, cudaMemcpyDeviceToHost));
    for (int j = begin; j < end; j++) {
        double size = 0;
        s[j] = 0;
        for (int c = 0; c < dim; c++)
            s[j] += (double)q[c] * k[(size_t)j * dim + c], size += fabs((double)q[c] * k[(size_t)j * dim + c]);
        s[j] *= scale;
        ds[j] = (dim + 8) * f32 * size * scale;
        if (e->score) {
            const double x = e->score(s[j], b, h, i, j, e->context);
            ds[j] += (e->score_error + 4 * f32) * (fabs(s[j]) + fabs(x)); /* a hook that is no steeper than s itself */
            s[j] = x;
        }
        if (s[j] > top) top = s[j];
    }
    for (int j = begin; j < end; j++) {
        ds[j] += 2 * f32 * (fabs(s[j]) + fabs(top)) + 4 * f32;
        s[j] = exp(s[j] - top);
        sum += s[j];
        slip += s[j] * ds[j];
    }
    for (int c = 0; c < dim; c++) {
        double x = 0, size = 0, moved = 0, bound, error;
        for (int j = begin; j < end; j++)
            x += s[j] * v[(size_t)j * dim + c], size += s[j] * fabs((double)v[(size_t)j * dim + c]);
        if (sum > 0) x /= sum, size /= sum;
        for (int j = begin; j < end; j++) moved += s[j] * ds[j] * fabs(v[(size_t)j * dim + c] - x) / sum;
        bound = unit * size + unit * fabs(x) + 2 * (end - begin + 8) * f32 * size + moved;
        error = fabs(o[c] - x);
        error = error == 0 ? 0 : error / bound; /* a row that sees nothing must be 0, not NaN */
        if (!(error <= worst)) worst = error;
    }
    if (begin == end) {
        if (lse != -INFINITY) worst = INFINITY;
    } else {
        const double error = fabs(lse - top - log(sum)) / (slip / sum + (end - begin + 8) * f32
                                                           + 4 * f32 * (1 + fabs(top)));
        if (!(error <= worst)) worst = error;
    }
    free(q), free(o), free(k), free(v), free(s), free(ds);
    return worst;
}

/* One shape in bf16, Q, K and V standard normal; in tcemu lengths, windows and batches are made smaller. Returns 0 if
 * the samples are right. */
static inline int attn_example_shape(const attn_example *e, attn_shape shape)
{
    enum { SAMPLES = 32 };
    const int batch = example_emulated() && !shape.lens_q && !shape.lens_k && shape.batch > 2 ? 2 : shape.batch;
    const int dim = shape.dim, heads = shape.heads, heads_kv = shape.heads_kv ? shape.heads_kv : heads,
              q_len = example_size(shape.q_len), k_len = example_size(shape.k_len);
    int *cu = (int *)calloc((size_t)batch * 2 + 2, sizeof(int)), *cu_q = cu, *cu_k = cu + batch + 1, *cu_device = 0;
    double worst = 0, pairs = 0, flops, bytes, seconds[2] = {0, 0};
    attn_call call, rival;
    void (*run[2])(void *) = {attn_call_run, attn_call_run};
    void *self[2] = {&call, &rival}, *other;
    tc_attn_args *a = &call.args;
    memset(&call, 0, sizeof call);
    call.run = e->run;
    a->batch = batch, a->heads = heads, a->heads_kv = heads_kv, a->q_len = q_len, a->k_len = k_len;
    if (e->window) {
        a->window_left = e->window_left < 0 ? -1 : example_size(e->window_left);
        a->window_right = e->window_right < 0 ? -1 : example_size(e->window_right);
    }
    for (int b = 0; b < batch; b++) {
        const int ql = shape.lens_q ? example_size(shape.lens_q[b]) : q_len,
                  kl = shape.lens_k ? example_size(shape.lens_k[b]) : k_len;
        cu_q[b + 1] = cu_q[b] + ql;
        cu_k[b + 1] = cu_k[b] + kl;
        for (int i = 0; i < ql; i++) {
            int begin, end;
            attn_sees(a, e->causal, e->window, i, ql, kl, &begin, &end);
            pairs += end - begin;
        }
    }
    const int total_q = cu_q[batch], total_k = cu_k[batch];
    if (shape.lens_q || shape.lens_k) {
        CUDA_CHECK(cudaMalloc((void **)&cu_device, sizeof(int) * (size_t)(batch * 2 + 2)));
        CUDA_CHECK(cudaMemcpy(cu_device, cu, sizeof(int) * (size_t)(batch * 2 + 2), cudaMemcpyHostToDevice));
        if (shape.lens_q) a->cu_q = cu_device, a->host_cu_q = cu_q, a->total_q = total_q;
        if (shape.lens_k) a->cu_k = cu_device + batch + 1, a->host_cu_k = cu_k, a->total_k = total_k;
    }
    a->q = example_random((size_t)total_q * heads * dim, 1, TC_BF16, 1.f);
    a->k = example_random((size_t)total_k * heads_kv * dim, 2, TC_BF16, 1.f);
    a->v = example_random((size_t)total_k * heads_kv * dim, 3, TC_BF16, 1.f);
    a->o = example_alloc((size_t)total_q * heads * dim, TC_BF16);
    a->lse = (float *)example_alloc((size_t)total_q * heads, TC_F32);
    other = e->rival ? example_alloc((size_t)total_q * heads * dim, TC_BF16) : 0;
    a->hook_args = e->hook_args, a->hook_size = e->hook_size;
    rival = call;
    rival.run = e->rival;
    rival.args.o = other;
    flops = 4.0 * pairs * heads * dim; /* of the pairs that the masks leave: a causal square counts half */
    bytes = 2.0 * dim * (2.0 * total_k * heads_kv + 2.0 * total_q * heads);
    example_times(e->rival ? 2 : 1, run, self, flops < 2e10 ? 50 : flops < 2e12 ? 5 : 2, seconds);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < SAMPLES; s++) { /* first and last row, of the first and last batch and head; then anywhere */
        const uint32_t r = (uint32_t)s * 2654435761u + 12345u;
        const int b = s < 8 ? s / 4 * (batch - 1) : (int)(r >> 8) % batch,
                  h = s < 8 ? s / 2 % 2 * (heads - 1) : s % heads;
        const int ql = cu_q[b + 1] - cu_q[b], kl = cu_k[b + 1] - cu_k[b], i = s < 8 ? s % 2 * (ql - 1)
                     : ql ? (int)((r ^ r >> 15) % (uint32_t)ql)
                     : 0;
        double error;
        if (ql == 0) continue;
        error = attn_row_error(e, a, dim, b, h, i, cu_q[b], cu_k[b], ql, kl);
        if (!(error <= worst)) worst = error;
    }
    printf("%-12s b %3d  h %2d/%-2d  q %5d  k %5d  d %3d %s  ", e->name, batch, heads, heads_kv, q_len, k_len, dim,
           e->causal ? "causal" : "      ");
    if (example_emulated()) printf("emulated");
    else if (flops < 100 * bytes) printf("%7.0f GB/s   ", bytes / seconds[0] * 1e-9);
    else printf("%7.1f TFLOP/s", flops / seconds[0] * 1e-12);
    if (e->rival && !example_emulated())
        printf("   generated: %7.1f TFLOP/s (%.2fx)", flops / seconds[1] * 1e-12, seconds[1] / seconds[0]);
    printf("   worst of %d rows: %.2f of the error bound  %s\n", SAMPLES, worst, worst <= 1 ? "ok" : "FAIL");
    CUDA_CHECK(cudaFree((void *)a->q));
    CUDA_CHECK(cudaFree((void *)a->k));
    CUDA_CHECK(cudaFree((void *)a->v));
    CUDA_CHECK(cudaFree(a->o));
    CUDA_CHECK(cudaFree(a->lse));
    CUDA_CHECK(cudaFree(other));
    CUDA_CHECK(cudaFree(cu_device));
    free(cu);
    return !(worst <= 1);
}

#endif
