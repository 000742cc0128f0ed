/* 52_block_sparse.cu - Y = A B where A consists of blocks of 128 x 128, of which one of four is there: cuSPARSE's BSR
 * (row pointers, columns of blocks, their values one after the other). Only those are read and multiplied. On every
 * device. */
#define TC_SM90_STUBS
#include "example.h"

enum { BLOCK = 128 };
typedef struct bsr { /* all of it on the device */
    int m, k, blocks;
    const int32_t *row_ptr, *col_idx;
    const void *values;
} bsr;

/* ---- the product: yours ---- */
TC_GEMM_DEFINE(spmm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bsr = BLOCK, .shapes = TC_SHAPES_LARGE)
static tc_status spmm_of(const bsr *a, const void *b, int n, void *y, cudaStream_t stream)
{
    const tc_gemm_args args = {.m = a->m, .n = n, .k = a->k, .a = a->values, .lda = BLOCK, .b = b, .ldb = a->k,
                               .d = y, .ldd = n, .bsr = {a->row_ptr, a->col_idx, a->blocks}};
    return spmm_run(&args, stream);
}

/* ---- the rest ---- */
typedef struct call {
    const bsr *a;
    const void *b;
    int n;
    void *y;
} call;
static void run_spmm(void *self)
{
    const call *c = (const call *)self;
    TC_CHECK(spmm_of(c->a, c->b, c->n, c->y, 0));
}

/* One of four. */
static int there(int row, int col)
{
    unsigned x = (unsigned)(row * 64 + col + 1) * 2654435761u;
    x ^= x >> 15, x *= 2246822519u, x ^= x >> 13;
    return x >> 30 == 0;
}

static const int32_t *upload(const int32_t *x, size_t count)
{
    void *to = example_alloc(count ? count : 1, TC_F32);
    CUDA_CHECK(cudaMemcpy(to, x, count * 4, cudaMemcpyHostToDevice));
    return (const int32_t *)to;
}

int main(void)
{
    example_device(80);
    const int m = example_size(8192), n = example_size(8192), k = example_size(8192);
    const int down = m / BLOCK, across = k / BLOCK;
    int32_t *row_ptr = (int32_t *)malloc(sizeof(int32_t) * (size_t)(down + 1));
    int32_t *col_idx = (int32_t *)malloc(sizeof(int32_t) * (size_t)down * across);
    bsr a = {m, k, 0, 0, 0, 0};
    for (int i = 0; i < down; i++) { /* about one of four; the second row has none */
        row_ptr[i] = a.blocks;
        for (int j = 0; j < across && i != 1; j++)
            if (there(i, j)) col_idx[a.blocks++] = j;
    }
    row_ptr[down] = a.blocks;
    a.row_ptr = upload(row_ptr, (size_t)down + 1), a.col_idx = upload(col_idx, (size_t)a.blocks);
    a.values = example_random((size_t)a.blocks * BLOCK * BLOCK + 1, 1, TC_BF16, 1.f);
    call c = {&a, example_random((size_t)n * k, 2, TC_BF16, 1.f), n, example_alloc((size_t)m * n, TC_BF16)};
    void (*run[1])(void *) = {run_spmm};
    void *self[1] = {&c};
    double seconds[1], worst = 0;
    example_times(1, run, self, 20, seconds);

    float x[BLOCK], *w = (float *)malloc(sizeof(float) * (size_t)k);
    for (int s = 0; s < 200; s++) {
        const int i = s == 0 ? BLOCK : s == 1 ? m - 1 : (int)(s * 2246822519u % (unsigned)m);
        const int j = (int)(s * 2654435761u % (unsigned)n);
        double sum = 0, size = 0;
        example_row(w, c.b, (size_t)j * k, k, TC_BF16);
        for (int at = row_ptr[i / BLOCK]; at < row_ptr[i / BLOCK + 1]; at++) {
            example_row(x, a.values, ((size_t)at * BLOCK + i % BLOCK) * BLOCK, BLOCK, TC_BF16);
            for (int e = 0; e < BLOCK; e++) {
                const double p = (double)x[e] * w[col_idx[at] * BLOCK + e];
                sum += p, size += fabs(p);
            }
        }
        const double bound = (k + 8) * 1.2e-7 * size + example_rounding(TC_BF16) * fabs(sum) + 1e-5;
        const double error = fabs(example_get(c.y, (size_t)i * n + j, TC_BF16) - sum) / bound;
        if (!(error <= worst)) worst = error;
    }
    printf("m %d  n %d  k %d, %d of %d blocks   ", m, n, k, a.blocks, down * across);
    if (example_emulated()) printf("emulated");
    else printf("%.1f us, %.1f TFLOP/s of what is there", seconds[0] * 1e6,
                2e-12 * a.blocks * BLOCK * BLOCK * n / seconds[0]);
    printf("   worst of 200 samples: %.2f of the error bound  %s\n", worst, worst <= 1 ? "ok" : "FAIL");
    return !(worst <= 1);
}
