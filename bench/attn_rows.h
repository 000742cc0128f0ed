/* attn_rows.h - what decode.cu and mla.cu share: rows of O against fp64, and pages in random order; behind bench.h. */
#ifndef TC_ATTN_ROWS_H
#define TC_ATTN_ROWS_H

/* Element i of a key or of a value of a row's head. */
typedef double (*attn_element)(const void *of, int key, int i);

/* A row: of bf16 Q, of dim elements, and O; the keys that it sees. of: what k and v are asked with. */
typedef struct attn_row {
    const uint16_t *q, *o;
    int dim, keys;
    double scale;
    const void *of;
    attn_element k, v;
} attn_row;

/* A block computes a row of O, a thread an element; s: room for its keys. P in bf16 moves a sum of random signs by
 * about 2^-9 of the root of the sum of squares. */
static __device__ __forceinline__ void attn_row_report(const attn_row *r, double *s, unsigned *worst)
{
    const int t = threadIdx.x;
    double sum = 0, squares = 0, z = 0;
    for (int j = t; j < r->keys; j += blockDim.x) {
        double dot = 0;
        for (int i = 0; i < r->dim; i++) dot += tc_f32_from_bf16(r->q[i]) * r->k(r->of, j, i);
        s[j] = exp(dot * r->scale); /* small enough */
    }
    __syncthreads();
    for (int j = 0; j < r->keys; j++) {
        const double x = s[j] * r->v(r->of, j, t);
        sum += x, squares += x * x, z += s[j];
    }
    bench_report(worst, tc_f32_from_bf16(r->o[t]), sum / z, sqrt(squares) / z);
}

/* Rows that are looked at, from the first to the last of `count`: each block's. */
enum { ATTN_ROWS = 6 };
static __device__ inline int attn_row_of(int count)
{
    return (int)((size_t)blockIdx.x * (count - 1) / (gridDim.x - 1));
}
static inline double *attn_room(int keys)
{
    double *s;
    CUDA_CHECK(cudaMalloc((void **)&s, sizeof(double) * ATTN_ROWS * keys));
    return s;
}

/* 0..pages - 1 in random order, on the device. */
static inline void attn_shuffle(int *table, int pages)
{
    int *order = (int *)malloc(sizeof(int) * (size_t)pages);
    uint64_t x = 88172645463325252ull;
    for (int p = 0; p < pages; p++) order[p] = p;
    for (int p = pages - 1; p > 0; p--) {
        int with, was = order[p];
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        with = (int)(x % (uint64_t)(p + 1));
        order[p] = order[with], order[with] = was;
    }
    CUDA_CHECK(cudaMemcpy(table, order, sizeof(int) * (size_t)pages, cudaMemcpyHostToDevice));
    free(order);
}

/* A millisecond's worth of calls, each of which reads so many bytes. 1: refused. */
static inline int attn_capture(bench_side *side, const bench_problem *p, double bytes)
{
    return bench_capture(side, p, p->sets * (int)fmax(1, ceil(1e-3 / (p->sets * (bytes / 4e12 + 5e-6)))));
}

#endif
