/* 46_mla_decoding.cu - multi-head latent attention: all heads over one paged cache of 576 columns, values among them.
 *
 *     TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)
 *     a.q = Q;                      (batch, q_len, heads, 576): the projections of the model are absorbed in it
 *     a.k = cache;                  (page, row, 576): 512 of the latent, which are the values too, and 64 rotated
 *     a.scale = 1 / sqrt(192);      what the model was trained with
 *     mla_run(&a, stream);          O: (batch, q_len, heads, 512)
 *
 * Two queries a sequence, as where one token is guessed ahead: .causal keeps the first from seeing the second's key.
 * Lengths and pages live on the device, so that the call can be replayed as a CUDA graph while sequences grow; with the
 * workspace few long sequences keep the whole GPU busy. Checked against fp64. Hopper alone. */
#define TC_SM90_STUBS
#include "tc.h"
#include <math.h>
#include <stdlib.h>

TC_ATTN_MLA_DEFINE(mla, .type = TC_BF16, .causal = 1, .paged = 1)

enum { BATCH = 3, Q_LEN = 2, DIM = 576, DIM_V = 512, PAGE = 64 };

#define CUDA_CHECK(call)                                                                                     \
    do {                                                                                                     \
        cudaError_t err_ = (call);                                                                           \
        if (err_ != cudaSuccess) {                                                                           \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_));         \
            exit(1);                                                                                         \
        }                                                                                                    \
    } while (0)

static void *to_device(const void *host, size_t bytes)
{
    void *p = 0;
    CUDA_CHECK(cudaMalloc(&p, bytes));
    if (host) CUDA_CHECK(cudaMemcpy(p, host, bytes, cudaMemcpyHostToDevice));
    else CUDA_CHECK(cudaMemset(p, 0xff, bytes)); /* NaN, so that what nobody writes is seen */
    return p;
}

/* multiples of 1/8 in -2 .. 2 */
static uint16_t *numbers(size_t count, uint32_t seed)
{
    uint16_t *p = (uint16_t *)malloc(count * 2);
    for (size_t i = 0; i < count; i++) {
        uint32_t h = ((uint32_t)i + seed * 0x9e3779b9u) * 2654435761u;
        h = (h ^ h >> 15) * 2246822519u;
        p[i] = tc_bf16_from_f32((float)((h >> 13) % 33) / 8 - 2);
    }
    return p;
}

/* One row of Q over `keys` rows of a sequence whose pages are `table`: how many of the 512 elements of o are wrong. */
static int wrong(const uint16_t *q, const uint16_t *cache, const int *table, int keys, const uint16_t *o)
{
    double *p = (double *)malloc(sizeof(double) * (size_t)(keys + 1)), top = -INFINITY, sum = 0;
    int bad = 0;
    for (int j = 0; j < keys; j++) {
        const uint16_t *row = cache + ((size_t)table[j / PAGE] * PAGE + j % PAGE) * DIM;
        p[j] = 0;
        for (int e = 0; e < DIM; e++) p[j] += (double)tc_f32_from_bf16(q[e]) * tc_f32_from_bf16(row[e]);
        p[j] /= sqrt(192.);
        top = fmax(top, p[j]);
    }
    for (int j = 0; j < keys; j++) sum += p[j] = exp(p[j] - top);
    for (int e = 0; e < DIM_V; e++) {
        double x = 0, size = 0;
        for (int j = 0; j < keys; j++) {
            const size_t at = ((size_t)table[j / PAGE] * PAGE + j % PAGE) * DIM + e;
            x += p[j] / sum * tc_f32_from_bf16(cache[at]), size += p[j] / sum * fabs(tc_f32_from_bf16(cache[at]));
        }
        bad += !(fabs(tc_f32_from_bf16(o[e]) - x) <= (size + fabs(x)) / 256 + 1e-4);
    }
    free(p);
    return bad;
}

int main(void)
{
    cudaDeviceProp prop;
    int count = 0, emulated, bad = 0;
    tc_attn_args a = {0};
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("no CUDA device here: built, not run\n");
        return 0;
    }
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    if (prop.major != 9) {
        printf("this device is no Hopper: built, not run\n");
        return 0;
    }
    emulated = strncmp(prop.name, "tcemu", 5) == 0;
    const int heads = emulated ? 24 : 128, table_pages = emulated ? 5 : 64, pages = BATCH * table_pages + 3;
    const int lens[BATCH] = {table_pages * PAGE - 1, PAGE + 1, 2};
    const size_t rows = (size_t)BATCH * Q_LEN * heads;

    /* any page may follow any other: here they go down by 7 */
    int *table = (int *)malloc(sizeof(int) * (size_t)(BATCH * table_pages));
    for (int i = 0; i < BATCH * table_pages; i++) table[i] = (pages * 7 - 7 * i % pages) % pages;
    uint16_t *q = numbers(rows * DIM, 1), *cache = numbers((size_t)pages * PAGE * DIM, 2);
    uint16_t *o = (uint16_t *)malloc(rows * DIM_V * 2);

    a.batch = BATCH, a.heads = heads, a.q_len = Q_LEN, a.k_len = table_pages * PAGE;
    a.scale = 1 / sqrtf(192.f);
    a.q = to_device(q, rows * DIM * 2), a.k = to_device(cache, (size_t)pages * PAGE * DIM * 2);
    a.o = to_device(0, rows * DIM_V * 2);
    a.lens_k = (int *)to_device(lens, sizeof lens);
    a.page_table = (int *)to_device(table, sizeof(int) * (size_t)(BATCH * table_pages));
    a.table_pages = table_pages, a.page_rows = PAGE, a.pages = pages;
    a.workspace_size = mla_workspace(&a);
    if (a.workspace_size) a.workspace = to_device(0, a.workspace_size);
    if (mla_run(&a, 0) != TC_OK) {
        fprintf(stderr, "FAIL %s\n", tc_why());
        return 1;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(o, a.o, rows * DIM_V * 2, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BATCH; b++)
        for (int i = 0; i < Q_LEN; i++)
            for (int h = 0; h < heads; h += 7) {
                const size_t row = ((size_t)b * Q_LEN + i) * heads + h;
                bad += wrong(q + row * DIM, cache, table + b * table_pages, lens[b] - Q_LEN + 1 + i, o + row * DIM_V);
            }
    printf("%s\n", bad ? "FAIL" : "latent attention: O is right");
    return bad != 0;
}
