/* attn_decode.cu - random problems through decoding kernels, against plain fp64 on the CPU; and their bad input.
 *     build/tests/attn_decode [configurations] [seed] [kernel]
 *
 * Configuration i has seed + i for its own seed, which also picks the kernel: `attn_decode 1 S` is configuration S
 * alone, and a name as third argument tries that kernel only. Lengths live on the device and differ, of pages some have
 * numbers that are none; few blocks are asked for, so that units are split anywhere. Whatever a call must not read is
 * NaN (rows behind a sequence's end, gaps, pages of nobody), what it must not write is 0xff before and after. Each call
 * runs twice and must give the same bits; where lengths are on the device it was captured in a graph, which then runs
 * with other lengths too. The workspace has as many bytes as were asked for, and holds anything before the first call.
 * A third of the calls has none, and a sixth does without: there the keys are split in clusters, on devices that have
 * such, of a size that is drawn too, so that many units have fewer tiles than their cluster has blocks.
 *
 * The bound is that of attn_fuzz.cu (its head says what each term is for) with what decoding adds:
 *     scores    P is relative to its warp's maximum, which then meets that of the block and that of all blocks: three
 *               differences and three ex2.approx in place of one: 3 (2^-22 (|s_j| + M) + 2^-21)
 *               with .kv another product: 2^-23 |s_j|; Q of bf16 in f16, a row's largest at 2^14: 2^-39 max|q| sum|k|
 *     P         with .kv of f16, the largest at 2^15: 2^-11 in place of the type's, and 2^-40 of V where it is small
 *     sums      a term passes through one more addition for each warp and each part: + warps + parts, of a tile each
 *               at least
 *     V         with .kv another product: 2^-23 |o| */
#define TC_SM90_STUBS
#define TC__DECODE_MEET(c, size) ((size) == wanted ? -100000 : 100000)
#define TC__DECODE_WAIT (through ? -1e9 : 1e9)
static int wanted, through; /* blocks of a cluster; parts meet in the workspace, where there is one */
#include "../tc.h"
#include "test.h"
#include "attn_memory.h"
#include <time.h>

enum { CAP = 1, RANDOM = 2, GATE = 4, SINK = 8, ALL_HOOKS = 15 };

typedef struct {
    int batch, heads, q_len, k_len, dv;
    const int *len_q, *len_k;
    int *bad, *masked; /* a question about what does not exist; questions about each pair, where counted */
    float cap;
    uint32_t salt;
    const float *sinks, *gate; /* (heads), (heads, dv) */
} hook_args;

TC_DEV int exists(const hook_args *p, tc_attn_at at)
{
    const int ok = at.b >= 0 && at.b < p->batch && at.h >= 0 && at.h < p->heads && at.q >= 0 && at.q < p->len_q[at.b];
    if (!ok) *p->bad = 1;
    return ok;
}

TC_DEV float hook_cap(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    if (exists(p, at) && (at.kv < 0 || at.kv >= p->len_k[at.b])) *p->bad = 1;
    return p->cap * tanhf(s / p->cap);
}

TC_HD int kept(const hook_args *p, int b, int h, int q, int kv)
{
    uint32_t x = p->salt + (uint32_t)b * 0x9e3779b1u + (uint32_t)h * 0x85ebca6bu + (uint32_t)q * 0xc2b2ae35u
        + (uint32_t)kv * 0x27d4eb2fu;
    x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u;
    return x >> 30 != 0;
}

TC_DEV int hook_mask(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    if (!exists(p, at)) return 0;
    if (at.kv < 0 || at.kv >= p->len_k[at.b]) *p->bad = 1;
    else atomicAdd(p->masked + (((long long)at.b * p->heads + at.h) * p->q_len + at.q) * p->k_len + at.kv, 1);
    return kept(p, at.b, at.h, at.q, at.kv);
}

TC_DEV float hook_gate(float o, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return exists(p, at) && at.d >= 0 && at.d < p->dv ? o * p->gate[at.h * p->dv + at.d] : 0.f;
}

TC_DEV float hook_sink(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return p->sinks[at.h];
}

typedef struct {
    const char *name;
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    tc_status (*can_run)(const tc_attn_args *, const char **);
    size_t (*workspace)(const tc_attn_args *);
    int hooks;
    tc_attn_config c;
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#ifdef ATTN_MLA
TC_ATTN_MLA_DEFINE(mla_paged, .type = TC_BF16, .causal = 1, .paged = 1)
TC_ATTN_MLA_DEFINE(mla_plain, .type = TC_F16)
#else
TC_ATTN_DECODE_DEFINE(d128, .type = TC_BF16, .head_dim = 128)
TC_ATTN_DECODE_DEFINE(d64_window, .type = TC_F16, .head_dim = 64, .causal = 1, .window = 1)
TC_ATTN_DECODE_DEFINE(d80_causal, .type = TC_BF16, .head_dim = 80, .causal = 1, .warps = 2)
TC_ATTN_DECODE_DEFINE(d96_rows32, .type = TC_F16, .head_dim = 96, .causal = 1, .bm = 32, .warps = 2, .stages = 2)
TC_ATTN_DECODE_DEFINE(d48_rows64, .type = TC_BF16, .head_dim = 48, .bm = 64, .warps = 1)
TC_ATTN_DECODE_DEFINE(d192_128, .type = TC_F16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_DECODE_DEFINE(d256_paged, .type = TC_BF16, .head_dim = 256, .paged = 1, .warps = 1)
TC_ATTN_DECODE_DEFINE(d128_paged, .type = TC_BF16, .head_dim = 128, .causal = 1, .paged = 1)
TC_ATTN_DECODE_DEFINE(d64_wide, .type = TC_F16, .head_dim = 64, .window = 1, .paged = 1, .bn = 96, .warps = 3)
TC_ATTN_DECODE_DEFINE(e4m3_paged, .type = TC_BF16, .head_dim = 128, .causal = 1, .kv = TC_E4M3, .paged = 1)
TC_ATTN_DECODE_DEFINE(e4m3_f16, .type = TC_F16, .head_dim = 64, .head_dim_v = 96, .kv = TC_E4M3, .bm = 32)
TC_ATTN_DECODE_DEFINE(s8_bf16, .type = TC_BF16, .head_dim = 96, .kv = TC_S8, .window = 1)
TC_ATTN_DECODE_DEFINE(s8_paged, .type = TC_F16, .head_dim = 256, .kv = TC_S8, .paged = 1)
TC_ATTN_DECODE_DEFINE(hooks, .type = TC_F16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                      .score = hook_cap, .mask = hook_mask, .out = hook_gate, .sink = hook_sink)
TC_ATTN_DECODE_DEFINE(hooks_paged, .type = TC_BF16, .head_dim = 64, .paged = 1, .hook_size = sizeof(hook_args),
                      .score = hook_cap, .mask = hook_mask, .out = hook_gate, .sink = hook_sink)
TC_ATTN_DEFINE(any, .type = TC_BF16, .head_dim = 128, .causal = 1)
#endif

#define KERNEL(name, hooks) {#name, name##_run, name##_can_run, name##_workspace, hooks, name##_config()}
static const kernel kernels[] = {
#ifdef ATTN_MLA
    KERNEL(mla_paged, 0), KERNEL(mla_paged, 0), KERNEL(mla_plain, 0),
#else
    KERNEL(d128, 0), KERNEL(d64_window, 0), KERNEL(d80_causal, 0), KERNEL(d96_rows32, 0), KERNEL(d48_rows64, 0),
    KERNEL(d192_128, 0), KERNEL(d256_paged, 0), KERNEL(d128_paged, 0), KERNEL(d64_wide, 0), KERNEL(e4m3_paged, 0),
    KERNEL(e4m3_f16, 0), KERNEL(s8_bf16, 0), KERNEL(s8_paged, 0), KERNEL(hooks, ALL_HOOKS),
    KERNEL(hooks_paged, ALL_HOOKS), KERNEL(any, 0),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };
#ifdef ATTN_MLA
enum { MLA = 1 }; /* tests/attn_mla.cu */
#define PROGRAM "attn_mla"
#else
enum { MLA = 0 };
#define PROGRAM "attn_decode"
#endif

static float value(int type, const void *p, int64_t i)
{
    switch (type) {
    case TC_BF16: return tc_f32_from_bf16(((const uint16_t *)p)[i]);
    case TC_F16: return tc_f32_from_f16(((const uint16_t *)p)[i]);
    case TC_E4M3: return tc_f32_from_e4m3(((const uint8_t *)p)[i]);
    default: return (float)((const int8_t *)p)[i];
    }
}

static void put(int type, void *p, int64_t i, float x)
{
    switch (type) {
    case TC_BF16: ((uint16_t *)p)[i] = tc_bf16_from_f32(x); break;
    case TC_F16: ((uint16_t *)p)[i] = tc_f16_from_f32(x); break;
    case TC_E4M3: ((uint8_t *)p)[i] = tc_e4m3_from_f32(x); break;
    default: ((int8_t *)p)[i] = (int8_t)fminf(fmaxf(rintf(x * 20.f), -128.f), 127.f);
    }
}

/* ---- tensors ---- */
typedef struct {
    int type, batch, rows, heads, dim;
    const int *at;    /* packed: where each sequence begins */
    const int *table; /* paged */
    int table_pages, page_rows, pages;
    tc_attn_strides s;
    size_t bytes;
    void *host, *dev;
} tensor;

/* The first element of a row; -1 where its page is none. */
static int64_t place(const tensor *t, int b, int row, int h)
{
    if (t->table) {
        const int page = t->table[b * t->table_pages + row / t->page_rows];
        if (page < 0 || page >= t->pages) return -1;
        return page * t->s.batch + row % t->page_rows * t->s.row + h * t->s.head;
    }
    return (t->at ? (t->at[b] + row) * t->s.row : b * t->s.batch + row * t->s.row) + h * t->s.head;
}

/* Rows outside of heads or the other way round, with gaps, or contiguous; memory of NaN. */
static tc_attn_strides make(tensor *t)
{
    const int chunk = 128 / tc_type_bits(t->type), given = test_int(0, 2), gap = given ? chunk * test_int(0, 3) : 0;
    t->s.head = t->dim, t->s.row = (int64_t)t->dim * t->heads + gap, t->s.batch = t->s.row * t->rows + gap;
    if (given == 2) t->s.row = t->dim + gap, t->s.head = t->s.row * t->rows, t->s.batch = t->s.head * t->heads;
    t->bytes = (size_t)(t->s.batch * t->batch) * (size_t)tc_type_bits(t->type) / 8;
    t->host = malloc(t->bytes + 16);
    memset(t->host, t->type == TC_S8 ? 0x80 : 0xff, t->bytes); /* s8 has no NaN: the largest */
    return given ? t->s : tc_attn_strides{0, 0, 0};
}

static void fill(tensor *t, int batch, const int *lens, float size)
{
    for (int b = 0; b < batch; b++)
        for (int i = 0; i < lens[b]; i++)
            for (int h = 0; h < t->heads; h++) {
                const int64_t to = place(t, b, i, h);
                for (int e = 0; e < t->dim && to >= 0; e++) put(t->type, t->host, to + e, size * test_normal());
            }
}

/* ---- one problem ---- */
typedef struct {
    const kernel *kn;
    tc_attn_args g;
    hook_args hook;     /* of the host */
    tensor q, k, v, o;
    int batch, heads, heads_kv, *lens_q, *lens_k;
    float k_scale[8], v_scale[8], *lse;
    size_t lse_count;
    char what[400];
} problem;

static double worst_o, worst_lse; /* of the bound */

static void check(problem *x)
{
    const tc_attn_config c = x->kn->c;
    const int d = c.head_dim, dv = c.head_dim_v, group = x->heads / x->heads_kv, warps = c.warps ? c.warps : 4,
              tile = c.bn ? c.bn : 64;
    const double scale = x->g.scale > 0 ? x->g.scale : (double)(float)(1 / sqrt((double)d));
    const double u = ldexp(1, c.type == TC_BF16 ? -8 : -11), tiny = c.type == TC_BF16 ? 1e-38 : ldexp(1, -25),
                 u_p = c.kv ? ldexp(1, -11) : u, tiny_p = c.kv ? ldexp(1, -40) : tiny;
    int bad = 0, bad_lse = 0, empty_wrong = 0;
    double worst[2] = {0, 0};
    size_t outside = 0;
    double *s = (double *)malloc(sizeof(double) * (size_t)(2 * x->g.k_len + 2)), *err = s + x->g.k_len + 1;
    for (int b = 0; b < x->batch; b++)
        for (int h = 0; h < x->heads; h++)
            for (int i = 0; i < x->lens_q[b]; i++) {
                const int lk = x->lens_k[b], hk = h / group, at_k = i + lk - x->lens_q[b], n = lk + tile,
                          meet = warps + n / tile + 1;
                const double ks = x->g.k_scale ? x->k_scale[x->g.scale_heads ? hk : 0] : 1,
                             vs = x->g.v_scale ? x->v_scale[x->g.scale_heads ? hk : 0] : 1;
                const double sink = x->kn->hooks & SINK ? x->hook.sinks[h] : -INFINITY;
                double top = -INFINITY, far = 0, z = 0, drift = 0;
                const int64_t qo = place(&x->q, b, i, h);
                uint16_t *got = (uint16_t *)x->o.host + place(&x->o, b, i, h);
                float *lse = x->lse ? x->lse + (x->o.at ? (int64_t)h * x->o.rows + x->o.at[b] + i
                                                : ((int64_t)b * x->heads + h) * x->o.rows + i) : 0;
                for (int j = 0; j < lk; j++) {
                    double dot = 0, all = 0, most_q = 0, keys = 0, before;
                    const int64_t ko = place(&x->k, b, j, hk);
                    s[j] = -INFINITY, err[j] = 0;
                    if (ko < 0 || (c.causal && j > at_k)) continue;
                    if (c.window && x->g.window_left >= 0 && j < at_k - x->g.window_left) continue;
                    if (c.window && x->g.window_right >= 0 && j > at_k + x->g.window_right) continue;
                    if ((x->kn->hooks & RANDOM) && !kept(&x->hook, b, h, i, j)) continue;
                    for (int e = 0; e < d; e++) {
                        const double p =
                            (double)value(x->q.type, x->q.host, qo + e) * value(x->k.type, x->k.host, ko + e);
                        dot += p, all += fabs(p);
                        most_q = fmax(most_q, fabs((double)value(x->q.type, x->q.host, qo + e)));
                        keys += fabs((double)value(x->k.type, x->k.host, ko + e));
                    }
                    s[j] = before = dot * scale * ks;
                    err[j] = (d + 8) * ldexp(all * scale * fabs(ks), -23);
                    if (c.kv) err[j] += ldexp(fabs(before), -23) + ldexp(most_q * keys * scale * fabs(ks), -39);
                    if (x->kn->hooks & CAP) {
                        s[j] = x->hook.cap * tanh(before / x->hook.cap);
                        err[j] += ldexp(fabs(before) + fabs(s[j]), -22);
                    }
                    top = s[j] > top ? s[j] : top;
                    far = fabs(s[j]) > far ? fabs(s[j]) : far;
                }
                const int any = top > -INFINITY;
                top = sink > top ? sink : top;
                for (int j = 0; j < lk; j++) {
                    if (s[j] == -INFINITY) continue;
                    err[j] = expm1(err[j] + 3 * ldexp(fabs(s[j]) + far, -22)) + 3 * ldexp(1, -21);
                    z += exp(s[j] - top), drift += exp(s[j] - top) * err[j];
                }
                if (sink > -INFINITY)
                    z += exp(sink - top),
                        drift += exp(sink - top) * (expm1(3 * ldexp(fabs(sink) + far, -22)) + 3 * ldexp(1, -21));
                for (int e = 0; e < dv; e++) {
                    const double gate = x->kn->hooks & GATE ? x->hook.gate[h * dv + e] : 1, had = value(c.type, got, e);
                    double sum = 0, size = 0, off = 0, values = 0, apart = 0, bound, ref;
                    if (!any) {
                        empty_wrong += had != 0;
                        continue;
                    }
                    for (int j = 0; j < lk; j++) {
                        if (s[j] == -INFINITY) continue;
                        const double p = exp(s[j] - top),
                                     w = vs * value(x->v.type, x->v.host, place(&x->v, b, j, hk) + e);
                        sum += p * w, size += p * fabs(w), off += p * err[j] * fabs(w), values += fabs(w);
                    }
                    for (int j = 0; j < lk; j++) {
                        if (s[j] == -INFINITY) continue;
                        const double w = vs * value(x->v.type, x->v.host, place(&x->v, b, j, hk) + e),
                                     from = fabs(w - sum / z);
                        apart += exp(s[j] - top) * (fabs(w) > from ? fabs(w) : from);
                    }
                    ref = sum / z * gate;
                    bound = (off + apart * u_p + size * ldexp(n + n / 16 + 16 + meet, -23) + values * tiny_p) / z;
                    bound += fabs(sum / z) * (drift / z + ldexp(n / 16 + 64 + meet, -23) + ldexp(1, -22)
                                              + (c.kv ? ldexp(1, -23) : 0));
                    bound = bound * fabs(gate) + ldexp(fabs(ref), -23);
                    bound += (fabs(ref) + bound) * u + tiny;
                    const double error = fabs(had - ref) / bound;
                    if (!(error <= 1)) bad++;
                    if (!(error <= worst[0])) worst[0] = error;
                }
                memset(got, 0xff, (size_t)dv * 2);
                if (lse) {
                    const double ref = z > 0 ? top + log(z) : -INFINITY;
                    if (ref == -INFINITY || !any) {
                        empty_wrong += ref == -INFINITY ? *lse != ref : !(fabs(*lse - ref) <= ldexp(fabs(ref), -22));
                    } else {
                        const double bound = drift / z + ldexp(n / 16 + 64 + meet, -23)
                                             + ldexp(far + fabs(ref), -22) + ldexp(1, -21),
                                     error = fabs(*lse - ref) / bound;
                        if (!(error <= 1)) bad_lse++;
                        if (!(error <= worst[1])) worst[1] = error;
                    }
                    memset(lse, 0xff, 4);
                }
            }
    free(s);
    for (size_t i = 0; i < x->o.bytes; i++) outside += ((uint8_t *)x->o.host)[i] != 0xff;
    for (size_t i = 0; i < x->lse_count; i++) outside += tc_bits_from_f32(x->lse[i]) != 0xffffffffu;
    CHECK(bad == 0, "%s: %d elements of O out of bound, worst %.2f of it", x->what, bad, worst[0]);
    CHECK(bad_lse == 0, "%s: %d of lse out of bound, worst %.2f of it", x->what, bad_lse, worst[1]);
    CHECK(empty_wrong == 0, "%s: %d values wrong in rows with nothing to attend", x->what, empty_wrong);
    CHECK(outside == 0, "%s: %zu bytes outside of O and lse written", x->what, outside);
    if (worst[0] > worst_o) worst_o = worst[0];
    if (worst[1] > worst_lse) worst_lse = worst[1];
}

static void poison(problem *x)
{
    CUDA_CHECK(cudaMemset(x->o.dev, 0xff, x->o.bytes));
    if (x->lse) CUDA_CHECK(cudaMemset(x->g.lse, 0xff, x->lse_count * 4));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void fetch(problem *x)
{
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(x->o.host, x->o.dev, x->o.bytes, cudaMemcpyDeviceToHost));
    if (x->lse) CUDA_CHECK(cudaMemcpy(x->lse, x->g.lse, x->lse_count * 4, cudaMemcpyDeviceToHost));
}

/* .mask is asked once about each pair that the masks before it keep. */
static void check_questions(problem *x, const hook_args *dev)
{
    const size_t count = (size_t)x->batch * x->heads * x->g.q_len * x->g.k_len;
    int *asked = (int *)calloc(count + 1, sizeof *asked), bad = 0;
    long long wrong = 0;
    CUDA_CHECK(cudaMemcpy(&bad, dev->bad, sizeof bad, cudaMemcpyDeviceToHost));
    CHECK(bad == 0, "%s: a hook is asked about a place that does not exist", x->what);
    if (count) CUDA_CHECK(cudaMemcpy(asked, dev->masked, count * sizeof *asked, cudaMemcpyDeviceToHost));
    for (int b = 0; b < x->batch; b++)
        for (int h = 0; h < x->heads; h++)
            for (int i = 0; i < x->g.q_len; i++)
                for (int j = 0; j < x->g.k_len; j++) {
                    const int seen = i < x->lens_q[b] && j < x->lens_k[b]
                                     && !(x->kn->c.causal && j > i + x->lens_k[b] - x->lens_q[b]);
                    wrong += asked[(((size_t)b * x->heads + h) * x->g.q_len + i) * x->g.k_len + j] != seen;
                }
    CHECK(wrong == 0, "%s: .mask is not asked exactly once about %lld pairs", x->what, wrong);
    free(asked);
}

static void lengths(int *lens, int batch, int longest, int alike)
{
    for (int b = 0; b < batch; b++)
        lens[b] = alike ? longest : test_int(0, 4) == 0 ? 0 : test_int(0, 3) == 0 ? longest : test_int(0, longest);
}

static void one(const kernel *kn, uint64_t seed, double work)
{
    static const int groups[] = {1, 1, 2, 3, 4, 4, 5, 8, 16, 24};
    const tc_attn_config c = kn->c;
    const int kv = c.kv ? c.kv : c.type;
    problem x;
    hook_args dev;
    static const int mla_heads[] = {1, 2, 5, 16, 24, 40, 64, 64, 100, 128};
    int group = MLA ? mla_heads[test_int(0, 9)] : groups[test_int(0, 9)],
        longest_q = test_int(0, 2) ? 1 : test_int(1, 20), longest_k, mode_q, mode_k,
        *at_q, *at_k, *table = 0, by_graph, half;
    size_t room, first_bytes;
    memset(&x, 0, sizeof x);
    x.kn = kn;
    x.batch = test_int(0, 3) ? test_int(1, 5) : test_int(30, 70), x.heads_kv = test_int(1, 3);
    if (MLA) x.batch = test_int(1, 4), x.heads_kv = 1, longest_q = longest_q > 1 ? longest_q % 4 + 1 : 1;
    /* a pair of blocks whose second one has no rows, in many parts */
    half = MLA && test_int(0, 7) == 0;
    if (half) group = 64, x.batch = 1, longest_q = 2;
    longest_k = test_int(0, 9) == 0 ? 1 : test_int(0, 2) ? test_int(1, 700) : test_int(1, 120);
    if (half) longest_k = test_int(330, 600);
    while (longest_k > 1 && !half
           && (MLA ? (double)x.batch * ((longest_q * group + 63) / 64 * 64) * (longest_k + 63)
                   : (double)x.batch * x.heads_kv * ((longest_q * group + c.bm) / 16) * longest_k
                         * (c.head_dim + c.head_dim_v)) > work)
        longest_k = (longest_k + 1) / 2;
    x.heads = group * x.heads_kv;
    x.lens_q = (int *)malloc(sizeof(int) * (size_t)(x.batch + 1));
    x.lens_k = (int *)malloc(sizeof(int) * (size_t)(x.batch + 1));
    at_q = (int *)malloc(sizeof(int) * (size_t)(x.batch + 1));
    at_k = (int *)malloc(sizeof(int) * (size_t)(x.batch + 1));
    mode_q = test_int(0, 2) ? 0 : test_int(1, 2), mode_k = test_int(0, 3) == 0 ? 0 : c.paged ? 1 : test_int(1, 2);
    lengths(x.lens_q, x.batch, longest_q, !mode_q), lengths(x.lens_k, x.batch, longest_k, !mode_k);
    if (half) mode_q = 1, x.lens_q[0] = 1, x.lens_k[0] = longest_k;
    at_q[0] = at_k[0] = 0;
    for (int b = 0; b < x.batch; b++) at_q[b + 1] = at_q[b] + x.lens_q[b], at_k[b + 1] = at_k[b] + x.lens_k[b];
    if (mode_q == 2 && at_q[x.batch] < longest_q) mode_q = 1;
    if (mode_k == 2 && at_k[x.batch] < longest_k) mode_k = 1;
    x.g.batch = x.batch, x.g.heads = x.heads, x.g.heads_kv = x.heads_kv, x.g.q_len = longest_q, x.g.k_len = longest_k;
    if (mode_q == 1) x.g.lens_q = (int *)upload(x.lens_q, sizeof(int) * (size_t)x.batch);
    if (mode_q == 2) x.g.cu_q = (int *)upload(at_q, sizeof(int) * (size_t)(x.batch + 1)), x.g.total_q = at_q[x.batch];
    if (mode_k == 1) x.g.lens_k = (int *)upload(x.lens_k, sizeof(int) * (size_t)x.batch);
    if (mode_k == 2) x.g.cu_k = (int *)upload(at_k, sizeof(int) * (size_t)(x.batch + 1)), x.g.total_k = at_k[x.batch];
    x.g.scale = test_int(0, 2) ? 0 : 0.2f;
    if (c.window) {
        x.g.window_left = test_int(0, 3) ? test_int(0, longest_k) : -1;
        x.g.window_right = test_int(0, 3) ? test_int(0, longest_q) : -1;
    }

    x.q.type = x.o.type = c.type, x.k.type = x.v.type = kv;
    x.q.batch = x.o.batch = mode_q == 2 ? 1 : x.batch, x.k.batch = x.v.batch = mode_k == 2 ? 1 : x.batch;
    x.q.rows = x.o.rows = mode_q == 2 ? at_q[x.batch] : longest_q, x.k.rows = x.v.rows = mode_k == 2 ? at_k[x.batch]
        : longest_k;
    x.q.heads = x.o.heads = x.heads, x.k.heads = x.v.heads = x.heads_kv;
    x.q.dim = x.k.dim = c.head_dim, x.v.dim = x.o.dim = c.head_dim_v;
    x.q.at = x.o.at = mode_q == 2 ? at_q : 0, x.k.at = x.v.at = mode_k == 2 ? at_k : 0;
    if (c.paged) {
        static const int sizes[] = {8, 16, 24, 64, 256, 96, 192};
        const int rows = sizes[test_int(0, MLA ? 6 : 4)], each = (longest_k + rows - 1) / rows + test_int(0, 2),
                  pages = x.batch * each + test_int(0, 5), wrong = test_int(0, 2) == 0;
        int *order = (int *)malloc(sizeof(int) * (size_t)pages);
        table = (int *)malloc(sizeof(int) * (size_t)(x.batch * each));
        for (int i = 0; i < pages; i++) order[i] = i;
        for (int i = pages - 1; i > 0; i--) {
            const int j = test_int(0, i), was = order[i];
            order[i] = order[j], order[j] = was;
        }
        for (int b = 0; b < x.batch; b++)
            for (int i = 0; i < each; i++) {
                int *to = table + b * each + i;
                *to = order[b * each + i];
                if (i * rows >= x.lens_k[b] || (wrong && test_int(0, 3) == 0)) /* of nobody, or wrong */
                    *to = test_int(0, 1) ? -1 - test_int(0, 1) * 2147483600 : pages + test_int(0, 1) * 2000000000;
            }
        x.k.table = x.v.table = table, x.k.table_pages = x.v.table_pages = each, x.k.page_rows = x.v.page_rows = rows;
        x.k.pages = x.v.pages = x.k.batch = x.v.batch = pages, x.k.rows = x.v.rows = rows;
        x.g.page_table = (int *)upload(table, sizeof(int) * (size_t)(x.batch * each));
        x.g.table_pages = each, x.g.page_rows = rows, x.g.pages = pages;
        free(order);
    }
    x.g.q_stride = make(&x.q), x.g.k_stride = make(&x.k), x.g.o_stride = make(&x.o);
    fill(&x.q, x.batch, x.lens_q, test_int(0, 3) ? 1.f : 4.f);
    fill(&x.k, x.batch, x.lens_k, 1.f);
    x.g.q = upload(x.q.host, x.q.bytes), x.g.k = upload(x.k.host, x.k.bytes);
    if (MLA) { /* V is K's first columns */
        x.v = x.k, x.v.dim = c.head_dim_v, x.g.v = test_int(0, 1) ? x.g.k : 0;
        x.g.heads_kv = test_int(0, 1), x.g.scale = test_int(0, 2) ? 0.07f : 0.2f;
    } else {
        x.g.v_stride = make(&x.v);
        fill(&x.v, x.batch, x.lens_k, 1.f);
        x.g.v = upload(x.v.host, x.v.bytes);
    }
    x.g.o = x.o.dev = upload(x.o.host, x.o.bytes);
    if (test_int(0, 3)) {
        x.lse_count = (size_t)x.o.batch * x.heads * x.o.rows;
        x.lse = (float *)malloc(x.lse_count * 4 + 16);
        memset(x.lse, 0xff, x.lse_count * 4);
        x.g.lse = (float *)upload(x.lse, x.lse_count * 4);
    }
    if (c.kv && test_int(0, 3)) {
        for (int i = 0; i < 8; i++) {
            x.k_scale[i] = (kv == TC_S8 ? 0.05f : 1.f) * (0.5f + 0.1f * (float)test_int(0, 10));
            x.v_scale[i] = (kv == TC_S8 ? 0.05f : 1.f) * (0.5f + 0.1f * (float)test_int(0, 10));
        }
        x.g.scale_heads = test_int(0, 1);
        x.g.k_scale = (float *)upload(x.k_scale, sizeof(float) * (size_t)(x.g.scale_heads ? x.heads_kv : 1));
        x.g.v_scale = (float *)upload(x.v_scale, sizeof(float) * (size_t)(x.g.scale_heads ? x.heads_kv : 1));
    } else if (kv == TC_S8) {
        x.g.scale = 0.0005f; /* of numbers up to 128 */
    }
    if (kn->hooks) {
        const size_t pairs = (size_t)x.batch * x.heads * longest_q * longest_k;
        float *sinks = (float *)malloc(4 * (size_t)x.heads),
              *gate = (float *)malloc(4 * (size_t)(x.heads * c.head_dim_v));
        int *zeros = (int *)calloc(pairs + 1, sizeof(int));
        for (int i = 0; i < x.heads; i++) sinks[i] = test_int(0, 3) ? test_normal() : -INFINITY;
        for (int i = 0; i < x.heads * c.head_dim_v; i++) gate[i] = test_normal();
        x.hook.batch = x.batch, x.hook.heads = x.heads, x.hook.q_len = longest_q, x.hook.k_len = longest_k;
        x.hook.dv = c.head_dim_v, x.hook.cap = 2.5f, x.hook.salt = (uint32_t)test_random();
        dev = x.hook;
        dev.len_q = (int *)upload(x.lens_q, sizeof(int) * (size_t)x.batch);
        dev.len_k = (int *)upload(x.lens_k, sizeof(int) * (size_t)x.batch);
        dev.bad = (int *)upload(zeros, sizeof(int)), dev.masked = (int *)upload(zeros, pairs * sizeof(int));
        dev.sinks = (float *)upload(sinks, 4 * (size_t)x.heads);
        dev.gate = (float *)upload(gate, 4 * (size_t)(x.heads * c.head_dim_v));
        x.hook.sinks = sinks, x.hook.gate = gate;
        x.g.hook_args = &dev, x.g.hook_size = sizeof dev;
        free(zeros);
    }
    x.g.blocks = test_int(0, 3) ? test_int(1, 40) : 0, x.g.pdl = test_int(-1, 1);
    if (half) x.g.blocks = 0;
    room = kn->workspace(&x.g);
    if (test_int(0, 2) == 0 && !half) room = 0;
    through = room && test_int(0, 3);
    wanted = through ? 0 : 1 << test_int(0, 4); /* else keys are split in clusters or not at all */
    if (room) {
        void *anything = malloc(room);
        memset(anything, test_int(0, 255), room);
        x.g.workspace = upload(anything, room), x.g.workspace_size = room;
        free(anything);
    }
    snprintf(x.what, sizeof x.what,
             PROGRAM " 1 %llu: %s batch %d heads %d/%d q %d mode %d k %d mode %d window %d,%d pages of %d blocks %d of "
             "%d workspace %zu%s", (unsigned long long)seed, kn->name, x.batch, x.heads, x.heads_kv, longest_q, mode_q,
             longest_k, mode_k, x.g.window_left, x.g.window_right, x.g.page_rows, x.g.blocks, wanted, room,
             through ? "" : " (not asked)");
    snprintf(test_context, sizeof test_context, "%.250s", x.what);
    by_graph = mode_k == 1 && !kn->hooks && test_int(0, 1);
    first_bytes = x.o.bytes;
    {
        uint8_t *once = (uint8_t *)malloc(first_bytes + 16);
        float *once_lse = (float *)malloc(x.lse_count * 4 + 16);
        cudaStream_t stream = 0;
        cudaGraph_t graph = 0;
        cudaGraphExec_t exec = 0;
        tc_status st;
        if (by_graph) {
            CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
            CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        }
        st = kn->run(&x.g, stream);
        CHECK(st == TC_OK, "%s: %s", x.what, tc_why());
        if (by_graph) {
            CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
            CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
            CUDA_CHECK(cudaGraphLaunch(exec, stream));
        }
        if (st == TC_OK) {
            fetch(&x);
            memcpy(once, x.o.host, first_bytes), memcpy(once_lse, x.lse, x.lse_count * 4);
            if (kn->hooks) check_questions(&x, &dev);
            check(&x);
            poison(&x);
            if (by_graph) CUDA_CHECK(cudaGraphLaunch(exec, stream));
            else CHECK(kn->run(&x.g, 0) == TC_OK, "%s: again: %s", x.what, tc_why());
            fetch(&x);
            CHECK(!memcmp(once, x.o.host, first_bytes) && !memcmp(once_lse, x.lse, x.lse_count * 4),
                  "%s: other bits in a second run", x.what);
            for (int round = 0; by_graph && round < 2; round++) {
                for (int b = 0; b < x.batch; b++) x.lens_k[b] = test_int(0, 3) ? test_int(0, x.lens_k[b]) : x.lens_k[b];
                CUDA_CHECK(cudaMemcpy((void *)x.g.lens_k, x.lens_k, sizeof(int) * (size_t)x.batch,
                                      cudaMemcpyHostToDevice));
                poison(&x);
                CUDA_CHECK(cudaGraphLaunch(exec, stream));
                fetch(&x);
                check(&x);
            }
        }
        if (by_graph) {
            CUDA_CHECK(cudaGraphExecDestroy(exec));
            CUDA_CHECK(cudaGraphDestroy(graph));
            CUDA_CHECK(cudaStreamDestroy(stream));
        }
        free(once), free(once_lse);
    }
    if (!MLA) free(x.v.host);
    free(x.q.host), free(x.k.host), free(x.o.host), free(x.lse), free(table);
    free(x.lens_q), free(x.lens_k), free(at_q), free(at_k), free((void *)x.hook.sinks), free((void *)x.hook.gate);
    free_device_memory();
}

/* ---- bad input ---- */
enum { BATCH = 2, HEADS = MLA ? 4 : 8, HEADS_KV = MLA ? 1 : 2, KEYS = 600, DIM = MLA ? 576 : 128, PAGE = 16, TABLE = 40,
       PAGES = 90 };
static char *bad_memory; /* Q, O, K, V, table, workspace */
enum { AT_O = 1 << 14, AT_KV = 1 << 15, AT_TABLE = AT_KV + PAGES * PAGE * HEADS_KV * DIM * 2,
       AT_WORK = AT_TABLE + 1024, ROOM = MLA ? 6 << 20 : 1 << 20, ALL_BAD = AT_WORK + ROOM };

static tc_attn_args good(const kernel *kn)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = BATCH, g.heads = HEADS, g.heads_kv = HEADS_KV, g.q_len = 1, g.k_len = KEYS;
    g.q = bad_memory, g.o = bad_memory + AT_O, g.k = g.v = bad_memory + AT_KV;
    g.blocks = 20, g.workspace = bad_memory + AT_WORK, g.scale = MLA ? 0.07f : 0.f;
    if (kn->c.paged)
        g.page_table = (int *)(bad_memory + AT_TABLE), g.table_pages = TABLE, g.page_rows = PAGE, g.pages = PAGES;
    g.workspace_size = kn->workspace(&g);
    return g;
}

static int untouched(void)
{
    static uint8_t now[AT_KV - AT_O];
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(now, bad_memory + AT_O, sizeof now, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof now; i++)
        if (now[i]) return 0;
    return 1;
}

static void refused(const kernel *kn, const tc_attn_args *g, tc_status want, const char *text, int line)
{
    const char *why = "";
    tc_status st = kn->can_run(g, &why);
    CHECK(st == want && strstr(why, text), "line %d: %s_can_run: %s: %s, wants \"%s\"", line, kn->name,
          tc_status_text(st), why, text);
    st = kn->run(g, 0);
    CHECK(st == want && strstr(tc_why(), text), "line %d: %s_run: %s: %s, wants \"%s\"", line, kn->name,
          tc_status_text(st), tc_why(), text);
    CHECK(untouched(), "line %d: %s: O was written", line, kn->name);
}

#ifndef FUZZ_KERNELS
#define REFUSED(kn, status, text, ...)               \
    do {                                             \
        tc_attn_args g = good(kn);                   \
        __VA_ARGS__;                                 \
        refused(kn, &g, status, text, __LINE__);     \
    } while (0)

static void test_bad_input(void)
{
    const kernel *plain = 0, *paged = 0, *bytes = 0, *both[3];
    for (int i = 0; i < KERNELS; i++) {
        if (!strcmp(kernels[i].name, "d128")) plain = &kernels[i];
        if (!strcmp(kernels[i].name, "d128_paged")) paged = &kernels[i];
        if (!strcmp(kernels[i].name, "e4m3_paged")) bytes = &kernels[i];
    }
#ifdef ATTN_MLA
    plain = &kernels[2], paged = &kernels[0], bytes = &kernels[1]; /* paged too */
#endif
    both[0] = plain, both[1] = paged, both[2] = bytes;
    CUDA_CHECK(cudaMalloc((void **)&bad_memory, ALL_BAD));
    CUDA_CHECK(cudaMemset(bad_memory, 0, ALL_BAD));
    for (int i = 0; i < 3; i++) {
        const kernel *kn = both[i];
        const size_t room = good(kn).workspace_size;
        CHECK(room > 0 && room < ROOM, "%s: a workspace of %zu bytes", kn->name, room);
        refused(kn, 0, TC_ERR_NULL, "args is null", __LINE__);
        CHECK(kn->workspace(0) == 0, "%s: a workspace for no call", kn->name);
        REFUSED(kn, TC_ERR_ALIGN, "workspace = ", g.workspace = bad_memory + AT_WORK + 8);
        REFUSED(kn, TC_ERR_NULL, "workspace is null, but workspace_size = ", g.workspace = 0);
        REFUSED(kn, TC_ERR_SIZE, "bytes that the call takes", g.workspace_size = room - 1);
        REFUSED(kn, TC_ERR_SIZE, "workspace_size = 0", g.workspace_size = 0);
        REFUSED(kn, TC_ERR_SIZE, "blocks = -1", g.blocks = -1);
        REFUSED(kn, TC_ERR_BATCH, "batch = -1", g.batch = -1);
        REFUSED(kn, TC_ERR_SIZE, "scale_heads = 2", g.scale_heads = 2);
        REFUSED(kn, TC_ERR_ALIGN, "k = ", g.k = bad_memory + AT_KV + 8; if (MLA) g.v = 0);
        REFUSED(kn, TC_ERR_SIZE, "2^31 tiles", g.q_len = 200000000; g.heads = 8000; g.heads_kv = MLA ? 1 : 1000;
                g.batch = 9; g.q_stride.batch = g.q_stride.row = g.q_stride.head = 128; g.o_stride = g.q_stride;
                g.k_stride.batch = g.k_stride.row = g.k_stride.head = 128; if (!MLA) g.v_stride = g.k_stride);
#ifdef ATTN_MLA
        REFUSED(kn, TC_ERR_SIZE, "heads_kv = 2 must be 1", g.heads_kv = 2);
        REFUSED(kn, TC_ERR_SIZE, "is not k = ", g.v = bad_memory + AT_KV + 1152);
        REFUSED(kn, TC_ERR_SIZE, "v_stride is given", g.v_stride.row = 576);
        REFUSED(kn, TC_ERR_SIZE, "scale = 0: say 1 / sqrt", g.scale = 0);
        REFUSED(kn, TC_ERR_SIZE, "scale = -1 must be a positive number", g.scale = -1);
        REFUSED(kn, TC_ERR_NULL, "k is null", g.k = g.v = 0);
        REFUSED(kn, TC_ERR_ALIGN, "k_stride.row = 580 elements is not a multiple of 8", g.k_stride.row = 580;
                g.k_stride.batch = 16 * 576; g.k_stride.head = 576);
        REFUSED(kn, TC_ERR_NULL, "lens_k is null", g.host_lens_k = (int *)bad_memory; g.lens_k = 0);
#endif
    }
    REFUSED(plain, TC_ERR_SIZE, "page_table is given, but the kernel was defined without .paged",
            g.page_table = (int *)bad_memory);
    REFUSED(plain, TC_ERR_SIZE, "page_rows is given", g.page_rows = 16);
    REFUSED(plain, TC_ERR_SIZE, "k_scale is given, but the kernel was defined without .kv",
            g.k_scale = (float *)bad_memory);
    REFUSED(plain, TC_ERR_SIZE, "v_scale is given", g.v_scale = (float *)bad_memory);
    REFUSED(paged, TC_ERR_NULL, "page_table is null", g.page_table = 0);
    REFUSED(paged, TC_ERR_ALIGN, "page_table = ", g.page_table = (int *)(bad_memory + AT_TABLE + 2));
    REFUSED(paged, TC_ERR_SIZE, "page_rows = 0", g.page_rows = 0);
    REFUSED(paged, TC_ERR_SIZE, "page_rows = 20 must be a multiple of 8", g.page_rows = 20);
    REFUSED(paged, TC_ERR_SIZE, "page_rows = -8", g.page_rows = -8);
    REFUSED(paged, TC_ERR_SIZE, "table_pages = -1", g.table_pages = -1);
    REFUSED(paged, TC_ERR_SIZE, "k_len = 600 is more than the 592 rows of table_pages = 37", g.table_pages = 37);
    REFUSED(paged, TC_ERR_SIZE, "pages = -3", g.pages = -3);
    REFUSED(paged, TC_ERR_SIZE, "pages = 0", g.pages = 0);
    REFUSED(paged, TC_ERR_SIZE, "cu_k is given, but K and V are paged", g.cu_k = (int *)bad_memory; g.total_k = KEYS);
    REFUSED(paged, TC_ERR_SIZE, "k_stride.batch = 0, but there are 90", g.k_stride.row = g.k_stride.head = 128);
#ifndef ATTN_MLA
    REFUSED(bytes, TC_ERR_ALIGN, "k_scale = ", g.k_scale = (float *)(bad_memory + 1));
    REFUSED(bytes, TC_ERR_ALIGN, "v_scale = ", g.v_scale = (float *)(bad_memory + 2));
    REFUSED(bytes, TC_ERR_ALIGN, "k_stride.row = 264 elements is not a multiple of 16",
            g.k_stride.batch = 8192; g.k_stride.row = 264; g.k_stride.head = 128);
#endif
    /* what is no error: nothing to do; no keys; nonsense in page table and lengths, which touches nothing else */
    for (int i = 0; i < 3; i++) {
        const kernel *kn = both[i];
        static const int values[] = {1 << 30, -1, -2147483647 - 1, 2147483647, 0, 599, 601, 90, 89, -(1 << 30)};
        tc_attn_args g = good(kn);
        int *nonsense = (int *)malloc(TABLE * BATCH * sizeof(int)), lens[BATCH], *dev, *dev_lens;
        g.batch = 0, g.q = 0, g.o = 0;
        CHECK(kn->run(&g, 0) == TC_OK, "%s: batch = 0: %s", kn->name, tc_why());
        g = good(kn), g.k_len = 0, g.k = g.v = 0;
        CHECK(kn->run(&g, 0) == TC_OK && untouched(), "%s: k_len = 0: %s", kn->name, tc_why()); /* O is 0 */
        CUDA_CHECK(cudaMalloc((void **)&dev, TABLE * BATCH * sizeof(int)));
        CUDA_CHECK(cudaMalloc((void **)&dev_lens, sizeof lens));
        for (int round = 0; round < 6; round++) {
            for (int e = 0; e < TABLE * BATCH; e++) nonsense[e] = values[test_int(0, 9)];
            for (int e = 0; e < BATCH; e++) lens[e] = values[test_int(0, 9)];
            CUDA_CHECK(cudaMemcpy(dev, nonsense, TABLE * BATCH * sizeof(int), cudaMemcpyHostToDevice));
            CUDA_CHECK(cudaMemcpy(dev_lens, lens, sizeof lens, cudaMemcpyHostToDevice));
            g = good(kn), g.lens_k = dev_lens;
            if (kn->c.paged) g.page_table = dev;
            if (!kn->c.paged) g.k_len = 300; /* fits the memory */
            wanted = 4;
            through = round % 3 != 0;
            if (round % 2) g.workspace = 0, g.workspace_size = 0; /* in clusters */
            CHECK(kn->run(&g, 0) == TC_OK, "%s: nonsense: %s", kn->name, tc_why());
            CUDA_CHECK(cudaDeviceSynchronize());
        }
        CUDA_CHECK(cudaMemset(bad_memory + AT_O, 0, AT_KV - AT_O));
        CUDA_CHECK(cudaFree(dev));
        CUDA_CHECK(cudaFree(dev_lens));
        free(nonsense);
    }
    CUDA_CHECK(cudaFree(bad_memory));
}
#endif

int main(int argc, char **argv)
{
    const int device = test_device(), count = argc > 1 ? atoi(argv[1]) : 150;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    struct cudaDeviceProp properties;
    const kernel *usable[KERNELS];
    int n = 0, emulated;
    if (MLA ? device != 90 : device < 80) {
        SKIP(PROGRAM ": no device of compute capability %s", MLA ? "9.0" : "8.0 or later");
        return test_end();
    }
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    emulated = strncmp(properties.name, "tcemu", 5) == 0;
    for (int i = 0; i < KERNELS; i++) {
        if (argc > 3 && strcmp(argv[3], kernels[i].name)) continue;
        if (!MLA && strcmp(kernels[i].name, "any")
            && tc__decode_smem(kernels[i].c, 2) > (int)properties.sharedMemPerBlockOptin)
            SKIP("%s: needs %d bytes of shared memory, this device gives a block %d", kernels[i].name,
                 tc__decode_smem(kernels[i].c, 2), (int)properties.sharedMemPerBlockOptin);
        else usable[n++] = &kernels[i];
    }
    printf(PROGRAM ": %d configurations of %d kernels, seed %llu\n", n ? count : 0, n, (unsigned long long)seed);
    for (int i = 0; n && i < count; i++) {
        const uint64_t mine = seed + (uint64_t)i;
        test_seed(mine);
        one(usable[mine % (uint64_t)n], mine, MLA ? emulated ? 64 * 64 * 10 : 64 * 64 * 500 : emulated ? 6e5 : 2e7);
    }
#ifndef FUZZ_KERNELS
    if (argc <= 3) test_bad_input();
#endif
    printf("worst error: %.2f of the bound of O, %.2f of that of lse\n", worst_o, worst_lse);
    return test_end();
}
