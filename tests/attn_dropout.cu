/* attn_dropout.cu - dropout of attention, forward and backward, element by element.
 *     build/tests/attn_dropout
 *
 * The generator against Random123's known answers, on host and device; tc_attn_dropout_keeps: its share of kept places
 * within six standard deviations of the binomial, and no place's answer that of its neighbour's head, batch or offset;
 * then the masks that kernels of both generations use, exactly: with Q = 0 every probability is 1 / k_len, and where V
 * (forward) or dO and K (backward) are rows of an identity each result shows which elements are 0. Sequences plain,
 * padded and packed, heads that share K and V. p = 0 gives the bits of the kernel without .dropout, and lse is without
 * dropout whatever p is. Bad input. (What the values are: attn_fuzz, attn_bwd.) */
#define TC_SM90_STUBS
#include "../tc.h"
#include "../tc_attn_bwd.h"
#include "test.h"
#include "attn_memory.h"
#include "refused.h"

static int device;

TC_ATTN_SM80_DEFINE(f80, .type = TC_BF16, .head_dim = 64, .dropout = 1)
TC_ATTN_SM80_DEFINE(f80_plain, .type = TC_BF16, .head_dim = 64, .bn = 32)
TC_ATTN_SM90_DEFINE(f90, .type = TC_BF16, .head_dim = 64, .dropout = 1)
TC_ATTN_SM90_DEFINE(f90_plain, .type = TC_BF16, .head_dim = 64, .bm = 128)
TC_ATTN_BWD_SM80_DEFINE(b80, .type = TC_BF16, .head_dim = 64, .dropout = 1)
TC_ATTN_BWD_SM80_DEFINE(b80_plain, .type = TC_BF16, .head_dim = 64)
TC_ATTN_BWD_SM90_DEFINE(b90, .type = TC_BF16, .head_dim = 64, .dropout = 1)
TC_ATTN_BWD_SM90_DEFINE(b90_plain, .type = TC_BF16, .head_dim = 64, .bm = 64)

typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_attn_args *, const char **);
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
} forward;
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_attn_bwd_args *, const char **);
    tc_status (*run)(const tc_attn_bwd_args *, cudaStream_t);
    size_t (*workspace)(const tc_attn_bwd_args *);
} backward;
/* each beside the one without dropout */
#define FORWARD(name) {#name, name##_can_run, name##_run}
#define BACKWARD(name) {#name, name##_can_run, name##_run, name##_workspace}
static const forward forwards[2][2] = {{FORWARD(f80), FORWARD(f80_plain)}, {FORWARD(f90), FORWARD(f90_plain)}};
static const backward backwards[2][2] = {{BACKWARD(b80), BACKWARD(b80_plain)}, {BACKWARD(b90), BACKWARD(b90_plain)}};
TEST_REFUSED(refused, forward, tc_attn_args)
TEST_REFUSED(refused_back, backward, tc_attn_bwd_args)

/* ---- the generator ---- */
static const uint32_t answers[3][10] = { /* counter, key, result: kat_vectors of Random123 */
    {0, 0, 0, 0, 0, 0, 0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u},
    {~0u, ~0u, ~0u, ~0u, ~0u, ~0u, 0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu},
    {0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u, 0xa4093822u, 0x299f31d0u, 0xd16cfe09u, 0x94fdccebu,
     0x5001e420u, 0x24126ea1u}};

/* x: counter and key; the result takes the counter's place. */
TC__KERNEL ask_generator(uint32_t *x) { tc_philox4x32_10(x, x + 4); }

enum { EDGE = 96 };
TC__KERNEL ask_mask(tc_attn_dropout d, int b, int h, unsigned char *kept)
{
    const tc_attn_at at = {b, h, (int)(blockIdx.x * 3u), (int)threadIdx.x, 0};
    kept[blockIdx.x * EDGE + threadIdx.x] = (unsigned char)tc_attn_dropout_keeps(d, at);
}

static void test_generator(void)
{
    for (int i = 0; i < 3; i++) {
        uint32_t x[6];
        memcpy(x, answers[i], sizeof x);
        tc_philox4x32_10(x, x + 4);
        CHECK(memcmp(x, answers[i] + 6, 16) == 0, "answer %d: %08x %08x %08x %08x", i, x[0], x[1], x[2], x[3]);
        if (!device) continue;
        uint32_t *dev = (uint32_t *)upload(answers[i], sizeof x);
        ask_generator<<<1, 1>>>(dev);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(x, dev, sizeof x, cudaMemcpyDeviceToHost));
        CHECK(memcmp(x, answers[i] + 6, 16) == 0, "answer %d on the device: %08x", i, x[0]);
    }
    if (device) {
        const tc_attn_dropout d = {0.37f, 0x123456789abcdefull, 77};
        unsigned char got[EDGE * EDGE], *dev = (unsigned char *)device_memory(sizeof got);
        int wrong = 0;
        ask_mask<<<EDGE, EDGE>>>(d, 3, 5, dev);
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(got, dev, sizeof got, cudaMemcpyDeviceToHost));
        for (int i = 0; i < EDGE * EDGE; i++) {
            const tc_attn_at at = {3, 5, i / EDGE * 3, i % EDGE, 0};
            wrong += got[i] != tc_attn_dropout_keeps(d, at);
        }
        CHECK(wrong == 0, "tc_attn_dropout_keeps differs between host and device at %d places", wrong);
        free_device_memory();
    }
}

/* Share of kept places, and of those whose answer is another one's: head, batch, query, key, offset, seed. */
static void test_share(void)
{
    static const float ps[] = {0, 1e-6f, 0.1f, 0.25f, 0.5f, 0.9f, 0.99999f};
    static const double steps[] = {0, 0, 6554, 16384, 32768, 58982, 65535};
    enum { N = 320 };
    for (int i = 0; i < 7; i++) {
        const tc_attn_dropout d = {ps[i], 42, 1000}, other_seed = {ps[i], 43, 1000}, other_offset = {ps[i], 42, 1001};
        const double p = steps[i] / 65536, n = (double)N * N, same = p * p + (1 - p) * (1 - p);
        long kept = 0, equal[6] = {0, 0, 0, 0, 0, 0};
        for (int q = 0; q < N; q++)
            for (int kv = 0; kv < N; kv++) {
                const tc_attn_at at = {1, 2, q, kv, 0}, others[6] = {
                    {1, 3, q, kv, 0}, {2, 2, q, kv, 0}, {1, 2, q + N, kv, 0}, {1, 2, q, kv + N, 0}, at, at};
                const int k = tc_attn_dropout_keeps(d, at);
                kept += k;
                for (int e = 0; e < 6; e++)
                    equal[e] += k == tc_attn_dropout_keeps(e == 4 ? other_seed : e == 5 ? other_offset : d, others[e]);
            }
        CHECK(fabs((double)tc_dropout_scale(ps[i]) * (1 - p) - 1) < 1e-6, "p %g: scale %g", (double)ps[i],
              (double)tc_dropout_scale(ps[i]));
        CHECK(fabs((double)kept - n * (1 - p)) <= 6 * sqrt(n * p * (1 - p)), "p %g: %ld of %g kept", (double)ps[i],
              kept, n);
        for (int e = 0; e < 6; e++)
            CHECK(fabs((double)equal[e] - n * same) <= 6 * sqrt(n * same * (1 - same)), "p %g: %ld of %g equal to %d",
                  (double)ps[i], equal[e], n, e);
    }
}

/* ---- the masks of kernels ---- */
enum { D = 64, BATCH = 2, HEADS = 2, QS = 139, KS = 150 };
static const int lens_q[BATCH] = {QS, 77}, lens_k[BATCH] = {KS, 101}, cu_q[BATCH + 1] = {0, QS, QS + 77},
                 cu_k[BATCH + 1] = {0, KS, KS + 101};
static const tc_attn_dropout drop = {0.4f, 0xfeedface12345678ull, 0x100000007ull};

/* mode: 0: all of one length, 'p'added, 'c'umulative. Rows of a tensor; row r of sequence b. */
static int rows_of(int mode, int keys)
{
    return mode == 'c' ? keys ? cu_k[BATCH] : cu_q[BATCH] : BATCH * (keys ? KS : QS);
}
static int length_of(int mode, int keys, int b) { return mode ? keys ? lens_k[b] : lens_q[b] : keys ? KS : QS; }
static const char *name_of(int mode) { return mode == 'c' ? "packed" : mode ? "padded" : "plain"; }
static size_t element_at(int mode, int keys, int b, int r, int heads, int h)
{
    const int row = mode == 'c' ? (keys ? cu_k : cu_q)[b] + r : b * (keys ? KS : QS) + r;
    return ((size_t)row * (size_t)heads + (size_t)h) * D;
}
static int keeps(int b, int h, int q, int kv)
{
    const tc_attn_at at = {b, h, q, kv, 0};
    return tc_attn_dropout_keeps(drop, at);
}

/* What the two kinds of arguments have in common. */
#define FILL_ARGS(g, mode, kv_heads)                                                                                   \
    do {                                                                                                               \
        memset(&g, 0, sizeof g);                                                                                       \
        g.batch = BATCH, g.heads = HEADS, g.heads_kv = kv_heads, g.q_len = QS, g.k_len = KS;                           \
        if (mode == 'c') {                                                                                             \
            g.cu_q = (const int *)upload(cu_q, sizeof cu_q), g.cu_k = (const int *)upload(cu_k, sizeof cu_k);          \
            g.total_q = cu_q[BATCH], g.total_k = cu_k[BATCH];                                                          \
        } else if (mode) {                                                                                             \
            g.lens_q = (const int *)upload(lens_q, sizeof lens_q);                                                     \
            g.lens_k = (const int *)upload(lens_k, sizeof lens_k);                                                     \
        }                                                                                                              \
        g.dropout_p = drop.p, g.dropout_seed = drop.seed, g.dropout_offset = drop.offset;                              \
    } while (0)

static uint16_t *zeros(int rows, int heads) { return (uint16_t *)calloc((size_t)(rows * heads * D), 2); }
static int near(float x, double want) { return fabs(x - want) <= want * ldexp(1, -7); }

/* O of V = rows `first` to first + D - 1 of an identity: element d is key first + d's probability. */
static void test_forward_mask(const forward *f, int mode, int kv_heads)
{
    const int nq = rows_of(mode, 0), nk = rows_of(mode, 1);
    uint16_t *zero = zeros(nq > nk ? nq : nk, HEADS), *v, *o = zeros(nq, HEADS);
    int wrong = 0;
    for (int first = 0; first < KS; first += D) {
        tc_attn_args g;
        FILL_ARGS(g, mode, kv_heads);
        v = zeros(nk, kv_heads);
        for (int b = 0; b < BATCH; b++)
            for (int j = first; j < first + D && j < length_of(mode, 1, b); j++)
                for (int h = 0; h < kv_heads; h++)
                    v[element_at(mode, 1, b, j, kv_heads, h) + (size_t)(j - first)] = tc_bf16_from_f32(1.f);
        g.q = upload(zero, (size_t)(nq * HEADS * D) * 2), g.k = upload(zero, (size_t)(nk * kv_heads * D) * 2);
        g.v = upload(v, (size_t)(nk * kv_heads * D) * 2), g.o = upload(zero, (size_t)(nq * HEADS * D) * 2);
        CHECK(f->run(&g, 0) == TC_OK, "%s: %s", f->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(o, g.o, (size_t)(nq * HEADS * D) * 2, cudaMemcpyDeviceToHost));
        for (int b = 0; b < BATCH; b++) {
            const int lk = length_of(mode, 1, b);
            for (int q = 0; q < length_of(mode, 0, b); q++)
                for (int h = 0; h < HEADS; h++)
                    for (int d = 0; d < D && first + d < lk; d++) {
                        const float x = tc_f32_from_bf16(o[element_at(mode, 0, b, q, HEADS, h) + (size_t)d]);
                        if (keeps(b, h, q, first + d)) wrong += !near(x, (double)tc_dropout_scale(drop.p) / lk);
                        else wrong += x != 0.f;
                    }
        }
        free(v);
        free_device_memory();
    }
    CHECK(wrong == 0, "%s, %s, %d key heads: %d probabilities wrong", f->name, name_of(mode), kv_heads, wrong);
    free(zero), free(o);
}

/* Q = 0, O = 0, V = 1, dO: row q is row q % D of an identity: dP is 1. K: rows `first` on of an identity. Then dQ's
 * element d is dS of key first + d, and dV's counts the queries d, d + D, ... whose probability is kept. */
static void test_backward_mask(const backward *f, int mode)
{
    const int nq = rows_of(mode, 0), nk = rows_of(mode, 1), n = nq > nk ? nq : nk;
    uint16_t *zero = zeros(n, HEADS), *one = zeros(n, HEADS), *k, *dout = zeros(nq, HEADS), *dq = zeros(nq, HEADS),
             *dv = zeros(nk, HEADS);
    float *lse = (float *)calloc((size_t)(nq * HEADS), sizeof(float));
    int wrong_q = 0, wrong_v = 0;
    for (int i = 0; i < n * HEADS * D; i++) one[i] = tc_bf16_from_f32(1.f);
    for (int b = 0; b < BATCH; b++)
        for (int q = 0; q < length_of(mode, 0, b); q++)
            for (int h = 0; h < HEADS; h++) {
                const int row = mode == 'c' ? h * nq + cu_q[b] + q : (b * HEADS + h) * QS + q;
                lse[row] = logf((float)length_of(mode, 1, b));
                dout[element_at(mode, 0, b, q, HEADS, h) + (size_t)(q % D)] = tc_bf16_from_f32(1.f);
            }
    for (int first = 0; first < KS; first += D) {
        const size_t q_bytes = (size_t)(nq * HEADS * D) * 2, k_bytes = (size_t)(nk * HEADS * D) * 2;
        tc_attn_bwd_args g;
        FILL_ARGS(g, mode, HEADS);
        k = zeros(nk, HEADS);
        for (int b = 0; b < BATCH; b++)
            for (int j = first; j < first + D && j < length_of(mode, 1, b); j++)
                for (int h = 0; h < HEADS; h++)
                    k[element_at(mode, 1, b, j, HEADS, h) + (size_t)(j - first)] = tc_bf16_from_f32(1.f);
        g.q = upload(zero, q_bytes), g.k = upload(k, k_bytes), g.v = upload(one, k_bytes), g.o = upload(zero, q_bytes);
        g.dout = upload(dout, q_bytes), g.lse = (float *)upload(lse, (size_t)(nq * HEADS) * sizeof(float));
        g.dq = upload(zero, q_bytes), g.dk = upload(zero, k_bytes), g.dv = upload(zero, k_bytes);
        g.scale = 1.f;
        g.workspace_size = f->workspace(&g);
        g.workspace = device_memory(g.workspace_size);
        CHECK(f->run(&g, 0) == TC_OK, "%s: %s", f->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(dq, g.dq, q_bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(dv, g.dv, k_bytes, cudaMemcpyDeviceToHost));
        for (int b = 0; b < BATCH; b++)
            for (int h = 0; h < HEADS; h++) {
                const int lq = length_of(mode, 0, b), lk = length_of(mode, 1, b);
                const double each = (double)tc_dropout_scale(drop.p) / lk;
                for (int q = 0; q < lq; q++)
                    for (int d = 0; d < D && first + d < lk; d++) {
                        const float x = tc_f32_from_bf16(dq[element_at(mode, 0, b, q, HEADS, h) + (size_t)d]);
                        wrong_q += keeps(b, h, q, first + d) ? !near(x, each) : x != 0.f;
                    }
                for (int kv = 0; kv < lk && first == 0; kv++)
                    for (int d = 0; d < D; d++) {
                        const float x = tc_f32_from_bf16(dv[element_at(mode, 1, b, kv, HEADS, h) + (size_t)d]);
                        int many = 0;
                        for (int q = d; q < lq; q += D) many += keeps(b, h, q, kv);
                        wrong_v += many ? !near(x, many * each) : x != 0.f;
                    }
            }
        free(k);
        free_device_memory();
    }
    CHECK(wrong_q == 0, "%s, %s: %d elements of dS wrong", f->name, name_of(mode), wrong_q);
    CHECK(wrong_v == 0, "%s, %s: %d sums of P wrong", f->name, name_of(mode), wrong_v);
    free(zero), free(one), free(dout), free(dq), free(dv), free(lse);
}

/* ---- p = 0 is nothing; the log-sum-exp is without dropout ---- */
static void test_bits(const forward *f, const backward *r)
{
    const size_t n = (size_t)(BATCH * KS * HEADS * D), nl = (size_t)(BATCH * QS * HEADS);
    uint16_t *x[4], *got[2][4];
    float *lse[3];
    tc_attn_args g;
    tc_attn_bwd_args w;
    for (int i = 0; i < 4; i++) {
        x[i] = (uint16_t *)malloc(n * 2), got[0][i] = (uint16_t *)malloc(n * 2), got[1][i] = (uint16_t *)malloc(n * 2);
        for (size_t e = 0; e < n; e++) x[i][e] = tc_bf16_from_f32(test_normal());
    }
    for (int i = 0; i < 3; i++) lse[i] = (float *)malloc(nl * sizeof(float));
    for (int i = 0; i < 3; i++) { /* p = 0; without .dropout; p > 0 */
        FILL_ARGS(g, 0, HEADS);
        g.q = upload(x[0], n * 2), g.k = upload(x[1], n * 2), g.v = upload(x[2], n * 2);
        g.o = device_memory(n * 2), g.lse = (float *)device_memory(nl * sizeof(float));
        if (i < 2) g.dropout_p = 0;
        if (i == 1) g.dropout_seed = g.dropout_offset = 0;
        CHECK(f[i == 1].run(&g, 0) == TC_OK, "%s: %s", f->name, tc_why());
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(lse[i], g.lse, nl * sizeof(float), cudaMemcpyDeviceToHost));
        if (i < 2) CUDA_CHECK(cudaMemcpy(got[i][0], g.o, nl * D * 2, cudaMemcpyDeviceToHost));
        if (i < 2) {
            FILL_ARGS(w, 0, HEADS);
            w.q = g.q, w.k = g.k, w.v = g.v, w.o = g.o, w.lse = g.lse, w.dout = upload(x[3], n * 2);
            w.dq = device_memory(n * 2), w.dk = device_memory(n * 2), w.dv = device_memory(n * 2);
            w.dropout_p = 0;
            if (i == 1) w.dropout_seed = w.dropout_offset = 0;
            w.workspace_size = r[i].workspace(&w);
            w.workspace = device_memory(w.workspace_size);
            CHECK(r[i].run(&w, 0) == TC_OK, "%s: %s", r->name, tc_why());
            CUDA_CHECK(cudaDeviceSynchronize());
            CUDA_CHECK(cudaMemcpy(got[i][1], w.dq, nl * D * 2, cudaMemcpyDeviceToHost));
            CUDA_CHECK(cudaMemcpy(got[i][2], w.dk, n * 2, cudaMemcpyDeviceToHost));
            CUDA_CHECK(cudaMemcpy(got[i][3], w.dv, n * 2, cudaMemcpyDeviceToHost));
        }
        free_device_memory();
    }
    CHECK(memcmp(lse[0], lse[1], nl * sizeof(float)) == 0, "%s: lse with p = 0", f->name);
    CHECK(memcmp(lse[0], lse[2], nl * sizeof(float)) == 0, "%s: lse with p = %g", f->name, (double)drop.p);
    CHECK(memcmp(got[0][0], got[1][0], nl * D * 2) == 0, "%s: O with p = 0", f->name);
    CHECK(memcmp(got[0][1], got[1][1], nl * D * 2) == 0, "%s: dQ with p = 0", r->name);
    CHECK(memcmp(got[0][2], got[1][2], n * 2) == 0 && memcmp(got[0][3], got[1][3], n * 2) == 0, "%s: dK, dV with p = 0",
          r->name);
    for (int i = 0; i < 4; i++) free(x[i]), free(got[0][i]), free(got[1][i]);
    for (int i = 0; i < 3; i++) free(lse[i]);
}

/* ---- bad input ---- */
static void test_bad_input(const forward *f, const backward *r)
{
    static const float bad[] = {-0.1f, 1.f, 1.5f, NAN, INFINITY, -INFINITY};
    static const char *const said[] = {"dropout_p = -0.1", "dropout_p = 1 ", "dropout_p = 1.5", "dropout_p = ",
                                       "dropout_p = inf", "dropout_p = -inf"};
    tc_attn_args g;
    tc_attn_bwd_args w;
    memset(&g, 0, sizeof g), memset(&w, 0, sizeof w); /* nothing to do: rules are rules nevertheless */
    for (int i = 0; i < 6; i++) {
        g.dropout_p = w.dropout_p = bad[i];
        refused(&f[0], &g, TC_ERR_SIZE, said[i], "must be 0 or more and below 1", __LINE__);
        refused_back(&r[0], &w, TC_ERR_SIZE, said[i], "must be 0 or more and below 1", __LINE__);
    }
    g.dropout_p = w.dropout_p = 0.25f;
    refused(&f[1], &g, TC_ERR_SIZE, "dropout_p = 0.25", "defined without .dropout", __LINE__);
    refused_back(&r[1], &w, TC_ERR_SIZE, "dropout_p = 0.25", "defined without .dropout", __LINE__);
    g.dropout_p = w.dropout_p = 0, g.dropout_seed = w.dropout_seed = 5;
    refused(&f[1], &g, TC_ERR_SIZE, "dropout_seed = 5", "defined without .dropout", __LINE__);
    refused_back(&r[1], &w, TC_ERR_SIZE, "dropout_seed = 5", "defined without .dropout", __LINE__);
    g.dropout_seed = w.dropout_seed = 0, g.dropout_offset = w.dropout_offset = 6;
    refused(&f[1], &g, TC_ERR_SIZE, "dropout_offset = 6", "defined without .dropout", __LINE__);
    refused_back(&r[1], &w, TC_ERR_SIZE, "dropout_offset = 6", "defined without .dropout", __LINE__);
}

/* Configurations that programs give at run time; what has no dropout. */
static void test_configurations(void)
{
    tc_attn_config c;
    tc_attn_sm80_launch l80;
    tc_attn_args g;
    memset((void *)&c, 0, sizeof c), memset(&g, 0, sizeof g);
    c.type = TC_BF16, c.dropout = 1;
    CHECK(tc_attn_sm80_legal(c) && tc_attn_sm90_legal(c), "plain");
    CHECK(!tc_attn_sm100_legal(c) && !tc_attn_decode_legal(c), "Blackwell's, decoding's");
    c.dropout = 2;
    CHECK(!tc_attn_sm80_legal(c) && !tc_attn_sm90_legal(c), ".dropout = 2");
    CHECK(tc_attn_sm80_prepare(&c, &g, 1, &l80) == TC_ERR_CONFIG && strstr(tc_why(), ".dropout is 0 or 1"), "%s",
          tc_why());
    c.dropout = 1, c.hook_size = TC__DROPOUT_AT + 1, c.out = tc_attn_out_on_device;
    CHECK(tc_attn_sm80_prepare(&c, &g, 1, &l80) == TC_ERR_CONFIG && strstr(tc_why(), "TC_EPI_MAX - 96"), "%s",
          tc_why());
    c.hook_size = TC__DROPOUT_AT;
    CHECK(tc_attn_sm80_legal(c) && tc_attn_sm90_legal(c), "hook_size %d", c.hook_size);
    c.type = TC_E4M3, c.hook_size = 0, c.out = 0;
    CHECK(!tc_attn_sm90_legal(c), "e4m3");
}

int main(void)
{
    device = test_device();
    test_generator();
    test_share();
    test_configurations();
    for (int i = 0; i < 2; i++) {
        if (device < (i ? 90 : 80) || (i && device != 90)) {
            SKIP("attn_dropout: kernels of sm_%d need another device", i ? 90 : 80);
            continue;
        }
        for (int mode = 0; mode < 3; mode++) {
            test_forward_mask(&forwards[i][0], "\0pc"[mode], mode == 1 ? 1 : HEADS);
            test_backward_mask(&backwards[i][0], "\0pc"[mode]);
        }
        test_bits(forwards[i], backwards[i]);
        test_bad_input(forwards[i], backwards[i]);
    }
    return test_end();
}
