/* 44_paged_decoding.cu - decoding with K and V in pages: append a token to each sequence, then attend to all of it.
 *
 *     append     rotates Q and K of the new token of each sequence (RoPE) and puts K and V where the page table says
 *     attn_run   one query a sequence over its pages; the lengths live on the device
 *
 * Lengths, page table and caches stay on the device, so a step is one CUDA graph, replayed as it is while sequences
 * grow. With a workspace the keys of a sequence are shared by blocks: one long sequence keeps the whole GPU busy.
 *
 *     a.page_table = table, a.table_pages = 64, a.page_rows = 16, a.pages = pages;    (batch, 64) numbers of pages
 *     a.lens_k = lens, a.k_len = 64 * 16;                                             the longest that there may be
 *     a.workspace_size = attn_workspace(&a);                                          once
 *
 * Checked against fp64 after each step: what append put into the pages, and O. Runs on every device from sm_80 on. */
#include "tc.h"
#include <math.h>
#include <stdlib.h>

TC_ATTN_DECODE_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .causal = 1, .paged = 1)

enum { BATCH = 3, HEADS = 16, HEADS_KV = 4, DIM = 128, PAGE = 16, STEPS = 4 };

/* What a step works on; tensors of tokens are (sequence, position, head, element), as they would come from projections
 * of the layer; caches (page, row, head, element). */
typedef struct cache {
    const uint16_t *q_all, *k_all, *v_all;
    uint16_t *q, *k, *v; /* Q of the new tokens; the pages */
    const float2 *turns; /* (position, DIM / 2): cosine and sine */
    const int *table;
    int *lens;
    int longest, table_pages;
} cache;

static __device__ void rotate(uint16_t *to, const uint16_t *from, float2 turn, int i)
{
    const float x = tc_f32_from_bf16(from[i]), y = tc_f32_from_bf16(from[i + DIM / 2]);
    to[i] = tc_bf16_from_f32(x * turn.x - y * turn.y);
    to[i + DIM / 2] = tc_bf16_from_f32(y * turn.x + x * turn.y);
}

/* A block for each token: the next `count` of sequence blockIdx.y. */
static __global__ void append(cache c, const int *count)
{
    const int b = blockIdx.y, pos = c.lens[b] + (int)blockIdx.x, half = DIM / 2;
    const size_t token = (size_t)b * c.longest + pos;
    if ((int)blockIdx.x >= count[b] || pos >= c.longest) return;
    const size_t row = (size_t)c.table[b * c.table_pages + pos / PAGE] * PAGE + pos % PAGE;
    for (int e = threadIdx.x; e < HEADS * half && (int)blockIdx.x + 1 == count[b]; e += blockDim.x) /* the last's Q */
        rotate(c.q + ((size_t)b * HEADS + e / half) * DIM, c.q_all + (token * HEADS + e / half) * DIM,
               c.turns[pos * half + e % half], e % half);
    for (int e = threadIdx.x; e < HEADS_KV * half; e += blockDim.x)
        rotate(c.k + (row * HEADS_KV + e / half) * DIM, c.k_all + (token * HEADS_KV + e / half) * DIM,
               c.turns[pos * half + e % half], e % half);
    for (int e = threadIdx.x; e < HEADS_KV * DIM; e += blockDim.x)
        c.v[row * HEADS_KV * DIM + e] = c.v_all[token * HEADS_KV * DIM + e];
}

/* After all of them: sequences are that much longer. */
static __global__ void grow(int *lens, const int *count, int longest)
{
    const int b = threadIdx.x;
    lens[b] = lens[b] + count[b] < longest ? lens[b] + count[b] : longest;
}

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

static uint16_t *from_device(const void *dev, size_t count)
{
    uint16_t *p = (uint16_t *)malloc(count * 2);
    CUDA_CHECK(cudaMemcpy(p, dev, count * 2, cudaMemcpyDeviceToHost));
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

/* Element e of row x, turned for its position, in fp64. */
static double turned(const uint16_t *x, int pos, int e)
{
    const double angle = pos * pow(10000, -(e % (DIM / 2)) / (DIM / 2.0));
    const double a = tc_f32_from_bf16(x[e % (DIM / 2)]), b = tc_f32_from_bf16(x[e % (DIM / 2) + DIM / 2]);
    return e < DIM / 2 ? a * cos(angle) - b * sin(angle) : b * cos(angle) + a * sin(angle);
}

/* Host copies of what a step reads. */
typedef struct host {
    uint16_t *q, *k, *v;
    int *table;
    int longest, table_pages, pages;
} host;

static size_t row_at(const host *h, int b, int pos)
{
    return (size_t)h->table[b * h->table_pages + pos / PAGE] * PAGE + pos % PAGE;
}

/* How many elements are wrong, in the pages and in O, when sequences have `lens` rows. */
static int wrong(const host *h, const cache *c, const void *o_device, const int *lens)
{
    const size_t rows = (size_t)h->pages * PAGE * HEADS_KV * DIM;
    uint16_t *k = from_device(c->k, rows), *v = from_device(c->v, rows), *q = from_device(c->q, BATCH * HEADS * DIM),
             *o = from_device(o_device, BATCH * HEADS * DIM);
    double *p = (double *)malloc(sizeof(double) * (size_t)h->longest);
    int bad = 0;
    for (int b = 0; b < BATCH; b++) {
        for (int j = 0; j < lens[b]; j++)
            for (int e = 0; e < HEADS_KV * DIM; e++) {
                const size_t at = row_at(h, b, j) * HEADS_KV * DIM + e, from = ((size_t)b * h->longest + j) * HEADS_KV
                                                                               * DIM;
                const double want = turned(h->k + from + e / DIM * DIM, j, e % DIM);
                bad += !(fabs(tc_f32_from_bf16(k[at]) - want) <= fabs(want) / 256 + 1e-5) || v[at] != h->v[from + e];
            }
        for (int head = 0; head < HEADS; head += 5) {
            double top = -INFINITY, sum = 0;
            for (int j = 0; j < lens[b]; j++) {
                const uint16_t *row = k + (row_at(h, b, j) * HEADS_KV + head / (HEADS / HEADS_KV)) * DIM;
                p[j] = 0;
                for (int e = 0; e < DIM; e++)
                    p[j] += (double)tc_f32_from_bf16(q[(b * HEADS + head) * DIM + e]) * tc_f32_from_bf16(row[e]);
                p[j] /= sqrt((double)DIM);
                top = fmax(top, p[j]);
            }
            for (int j = 0; j < lens[b]; j++) sum += p[j] = exp(p[j] - top);
            for (int e = 0; e < DIM; e++) {
                double x = 0, size = 0;
                for (int j = 0; j < lens[b]; j++) {
                    const size_t at = (row_at(h, b, j) * HEADS_KV + head / (HEADS / HEADS_KV)) * DIM + e;
                    const double w = p[j] / sum * tc_f32_from_bf16(v[at]);
                    x += w, size += fabs(w);
                }
                bad += !(fabs(tc_f32_from_bf16(o[(b * HEADS + head) * DIM + e]) - x) <= (size + fabs(x)) / 256 + 1e-4);
            }
        }
    }
    free(k), free(v), free(q), free(o), free(p);
    return bad;
}

int main(void)
{
    cudaDeviceProp prop;
    int count = 0, emulated, one[BATCH], prompt[BATCH], lens[BATCH], bad = 0;
    host h;
    cache c;
    tc_attn_args a = {0};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t step;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        printf("no CUDA device here: built, not run\n");
        return 0;
    }
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    emulated = strncmp(prop.name, "tcemu", 5) == 0;
    h.table_pages = emulated ? 12 : 128;
    h.longest = h.table_pages * PAGE;
    h.pages = BATCH * h.table_pages + 3;
    for (int b = 0; b < BATCH; b++) /* prompts of different lengths; one grows into a new page */
        one[b] = 1, lens[b] = prompt[b] = b == 0 ? h.longest - STEPS : b == 1 ? 2 * PAGE - 2 : 1;

    /* any page may follow any other: here they go down by 7 */
    h.table = (int *)malloc(sizeof(int) * (size_t)(BATCH * h.table_pages));
    for (int i = 0; i < BATCH * h.table_pages; i++) h.table[i] = (h.pages * 7 - 7 * i % h.pages) % h.pages;
    h.q = numbers((size_t)BATCH * h.longest * HEADS * DIM, 1);
    h.k = numbers((size_t)BATCH * h.longest * HEADS_KV * DIM, 2);
    h.v = numbers((size_t)BATCH * h.longest * HEADS_KV * DIM, 3);
    float2 *turns = (float2 *)malloc(sizeof(float2) * (size_t)h.longest * DIM / 2);
    for (int pos = 0; pos < h.longest; pos++)
        for (int i = 0; i < DIM / 2; i++) {
            const double angle = pos * pow(10000, -i / (DIM / 2.0));
            turns[pos * (DIM / 2) + i] = make_float2((float)cos(angle), (float)sin(angle));
        }
    c.longest = h.longest, c.table_pages = h.table_pages;
    c.q_all = (uint16_t *)to_device(h.q, (size_t)BATCH * h.longest * HEADS * DIM * 2);
    c.k_all = (uint16_t *)to_device(h.k, (size_t)BATCH * h.longest * HEADS_KV * DIM * 2);
    c.v_all = (uint16_t *)to_device(h.v, (size_t)BATCH * h.longest * HEADS_KV * DIM * 2);
    c.q = (uint16_t *)to_device(0, BATCH * HEADS * DIM * 2);
    c.k = (uint16_t *)to_device(0, (size_t)h.pages * PAGE * HEADS_KV * DIM * 2);
    c.v = (uint16_t *)to_device(0, (size_t)h.pages * PAGE * HEADS_KV * DIM * 2);
    c.turns = (float2 *)to_device(turns, sizeof(float2) * (size_t)h.longest * DIM / 2);
    c.table = (int *)to_device(h.table, sizeof(int) * (size_t)(BATCH * h.table_pages));
    int *nothing = (int *)calloc(BATCH, sizeof(int));
    c.lens = (int *)to_device(nothing, sizeof(int) * BATCH);
    int *count_prompt = (int *)to_device(prompt, sizeof prompt), *count_one = (int *)to_device(one, sizeof one);

    a.batch = BATCH, a.heads = HEADS, a.heads_kv = HEADS_KV, a.q_len = 1, a.k_len = h.longest;
    a.q = c.q, a.k = c.k, a.v = c.v, a.o = to_device(0, BATCH * HEADS * DIM * 2);
    a.lens_k = c.lens;
    a.page_table = c.table, a.table_pages = h.table_pages, a.page_rows = PAGE, a.pages = h.pages;
    a.workspace_size = attn_workspace(&a);
    if (a.workspace_size) a.workspace = to_device(0, a.workspace_size);

    /* the prompts into the pages, then a step as a graph */
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaDeviceSynchronize());
    append<<<dim3((unsigned)h.longest, BATCH), 128, 0, stream>>>(c, count_prompt);
    grow<<<1, BATCH, 0, stream>>>(c.lens, count_prompt, h.longest);
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    append<<<dim3(1, BATCH), 128, 0, stream>>>(c, count_one);
    grow<<<1, BATCH, 0, stream>>>(c.lens, count_one, h.longest);
    if (attn_run(&a, stream) != TC_OK) {
        fprintf(stderr, "FAIL %s\n", tc_why());
        return 1;
    }
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&step, graph, 0));
    for (int s = 0; s < STEPS; s++) {
        int now;
        CUDA_CHECK(cudaGraphLaunch(step, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        for (int b = 0; b < BATCH; b++) lens[b]++;
        now = wrong(&h, &c, a.o, lens);
        printf("step %d: %d, %d and %d rows: %s\n", s, lens[0], lens[1], lens[2], now ? "FAIL" : "right");
        bad += now;
    }
    CUDA_CHECK(cudaGraphExecDestroy(step));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
    printf("%s\n", bad ? "FAIL" : "paged decoding: K, V and O are right");
    return bad != 0;
}
