/* attn_bwd.cu - random problems through generated attention's backward pass, against plain fp64 on the CPU.
 *     build/tests/attn_bwd [configurations] [seed] [kernel]
 * Built with -DMORE it has more kernels; with -DPATH=90 or -DPATH=80 those of one generation.
 *
 * Configuration i has seed + i for its own seed, which also picks the kernel: `attn_bwd 1 S` is configuration S alone,
 * and a name as third argument tries that kernel only. What a call must not read is NaN, what it must not write is 0xff
 * before and after. The reference takes O and lse as the kernel does, rounded; once, on exact ones, it is held against
 * differences of the loss sum(O * dO). The ordered form runs twice, and bits must be equal.
 *
 * The bound. u: 2^-8 (bf16) or 2^-11 (f16), and f16 besides 2^-25 where it is subnormal (t). For a pair of query i and
 * key j: s the score, A = scale * sum |q k|.
 *     P      p = exp(s - lse) is off by the factor 1 + d, d = expm1(e) + 2^-21, e = (head_dim + 8) 2^-23 A (a sum of
 *            products in any order, with truncation) + 2^-22 (|s| + |lse|) for scale, log2 e and the subtraction; a
 *            score hook multiplies the former by its slope and adds 2^-21 of what goes in and comes out
 *     dP     f = (head_dim_v + 8) 2^-23 sum |dO v|;    delta: D = (head_dim_v + 8) 2^-23 sum |dO o|
 *     dS     = p (dP - delta) slope is off by g = p |slope| (d |dP - delta| + (1 + d) (f + D + 2^-22 (|dP| + |delta|)))
 *              + 2^-20 p |dP - delta| where there is a slope to compute
 *     sums   dV: sum_i (p d + u p + t) |dO| and (n + 32) 2^-23 sum_i p |dO| for n terms; dQ, dK: scale times
 *            sum (g + u (|dS| + g) + t) |k or q| and (n + 32) 2^-23 sum |dS| |k or q|
 *     at last u |result| + t.
 * Dropout: m = 0 or 1 / (1 - p), as tc_attn_dropout_keeps says. dS = p (m dP - delta) slope, dV has m p for p. A kernel
 * has dP or 0, and 1 - p times delta, of which the product is rounded, and multiplies all results by 1 / (1 - p): so
 * f counts m times and t 1 / (1 - p) times, 2^-23 |delta| is added to the error of dS, and results are rounded twice
 * more. */
#define TC_SM90_STUBS
#include "../tc_attn_bwd.h"
#include "test.h"
#include "attn_tensors.h"
#include <time.h>

/* ---- hooks ---- */
enum { SOFTCAP = 1, RANDOM = 2, SINK = 4, DROPOUT = 8 };
typedef struct {
    int batch, heads, q_len, k_len;
    const int *len_q, *len_k;
    int *bad;           /* set by a question about a place that does not exist */
    float cap;
    uint32_t salt, keep;
    const float *sinks; /* (heads) */
} hook_args;

TC_DEV int exists(const hook_args *p, tc_attn_at at)
{
    const int ok = at.b >= 0 && at.b < p->batch && at.h >= 0 && at.h < p->heads && at.q >= 0 && at.q < p->len_q[at.b]
                && at.kv >= 0 && at.kv < p->len_k[at.b];
#ifndef FUZZ_BARE /* tests/check_ptx.sh: hooks as small as a user's */
    if (!ok) *p->bad = 1;
#endif
    return ok;
}
TC_DEV float hook_softcap(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return exists(p, at) ? p->cap * tanhf(s / p->cap) : 0.f;
}
TC_DEV float hook_softcap_grad(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    const float t = tanhf(s / p->cap);
    return exists(p, at) ? 1.f - t * t : 0.f;
}
TC_HD int kept(const hook_args *p, int b, int h, int q, int kv)
{
    uint32_t x = p->salt + (uint32_t)b * 0x9e3779b1u + (uint32_t)h * 0x85ebca6bu + (uint32_t)q * 0xc2b2ae35u
               + (uint32_t)kv * 0x27d4eb2fu;
    x ^= x >> 15, x *= 0x2c1b3c6du, x ^= x >> 12, x *= 0x297a2d39u;
    return (x >> 28) < p->keep;
}
TC_DEV int hook_random(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return exists(p, at) && kept(p, at.b, at.h, at.q, at.kv);
}
TC_DEV float hook_sink(tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return p->sinks[at.h];
}

/* ---- kernels ---- */
typedef struct {
    const char *name;
    tc_status (*run)(const tc_attn_bwd_args *, cudaStream_t);
    size_t (*workspace)(const tc_attn_bwd_args *);
    int sm, hooks, smem;
    tc_attn_bwd_config c;
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
#if !defined PATH || PATH == 80
TC_ATTN_BWD_SM80_DEFINE(a64_causal, .type = TC_F16, .head_dim = 64, .causal = 1)
TC_ATTN_BWD_SM80_DEFINE(a96_window, .type = TC_BF16, .head_dim = 96, .window = 1)
TC_ATTN_BWD_SM80_DEFINE(a128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_BWD_SM80_DEFINE(a192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_BWD_SM80_DEFINE(a256_window, .type = TC_F16, .head_dim = 256, .causal = 1, .window = 1)
TC_ATTN_BWD_SM80_DEFINE(a48, .type = TC_BF16, .head_dim = 48, .head_dim_v = 80)
TC_ATTN_BWD_SM80_DEFINE(a16_window, .type = TC_F16, .head_dim = 16, .window = 1, .bm = 16, .bn = 16, .stages = 2,
                        .warps = 1)
TC_ATTN_BWD_SM80_DEFINE(a_all_hooks, .type = TC_F16, .head_dim = 64, .window = 1, .hook_size = sizeof(hook_args),
                        .score = hook_softcap, .score_grad = hook_softcap_grad, .mask = hook_random, .sink = hook_sink)
TC_ATTN_BWD_SM80_DEFINE(a_drop, .type = TC_F16, .head_dim = 64, .causal = 1, .dropout = 1)
#ifdef MORE
TC_ATTN_BWD_SM80_DEFINE(a_drop_all, .type = TC_BF16, .window = 1, .hook_size = sizeof(hook_args),
                        .score = hook_softcap, .score_grad = hook_softcap_grad, .mask = hook_random, .sink = hook_sink,
                        .dropout = 1)
TC_ATTN_BWD_SM80_DEFINE(a64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_BWD_SM80_DEFINE(a128, .type = TC_F16)
TC_ATTN_BWD_SM80_DEFINE(a_softcap, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                        .score = hook_softcap, .score_grad = hook_softcap_grad)
#endif
#define IF_80(...) __VA_ARGS__
#else
#define IF_80(...)
#endif
#if !defined PATH || PATH == 90
TC_ATTN_BWD_SM90_DEFINE(h64_causal, .type = TC_F16, .head_dim = 64, .causal = 1)
TC_ATTN_BWD_SM90_DEFINE(h96_window, .type = TC_BF16, .head_dim = 96, .window = 1)
TC_ATTN_BWD_SM90_DEFINE(h128, .type = TC_F16)
TC_ATTN_BWD_SM90_DEFINE(h128_causal, .type = TC_BF16, .causal = 1)
TC_ATTN_BWD_SM90_DEFINE(h48_80, .type = TC_F16, .head_dim = 48, .head_dim_v = 80)
TC_ATTN_BWD_SM90_DEFINE(h64_halves, .type = TC_BF16, .head_dim = 64, .causal = 1, .bm = 64, .stages = 3)
TC_ATTN_BWD_SM90_DEFINE(h128_tight, .type = TC_BF16, .causal = 1, .stages = 3) /* leaves one slot for dQ */
TC_ATTN_BWD_SM90_DEFINE(hooks, .type = TC_F16, .head_dim = 64, .window = 1, .hook_size = sizeof(hook_args),
                        .mask = hook_random, .sink = hook_sink)
TC_ATTN_BWD_DEFINE(any_256, .type = TC_F16, .head_dim = 256)
TC_ATTN_BWD_DEFINE(any_softcap, .type = TC_BF16, .head_dim = 64, .hook_size = sizeof(hook_args), .score = hook_softcap,
                   .score_grad = hook_softcap_grad)
TC_ATTN_BWD_SM90_DEFINE(h_drop, .type = TC_BF16, .causal = 1, .dropout = 1)
TC_ATTN_BWD_SM90_DEFINE(h_drop_sink, .type = TC_F16, .head_dim = 64, .window = 1, .hook_size = sizeof(hook_args),
                        .sink = hook_sink, .dropout = 1)
TC_ATTN_BWD_SM90_DEFINE(h192_128_causal, .type = TC_BF16, .head_dim = 192, .head_dim_v = 128, .causal = 1)
TC_ATTN_BWD_SM90_DEFINE(h48_240, .type = TC_F16, .head_dim = 48, .head_dim_v = 240, .stages = 3)
TC_ATTN_BWD_SM90_DEFINE(h256_causal, .type = TC_BF16, .head_dim = 256, .causal = 1)
TC_ATTN_BWD_SM90_DEFINE(h160_all, .type = TC_F16, .head_dim = 160, .window = 1, .hook_size = sizeof(hook_args),
                        .mask = hook_random, .sink = hook_sink, .dropout = 1)
#ifdef MORE
TC_ATTN_BWD_SM90_DEFINE(h256_window, .type = TC_F16, .head_dim = 256, .causal = 1, .window = 1)
TC_ATTN_BWD_SM90_DEFINE(h192_drop, .type = TC_BF16, .head_dim = 192, .causal = 1, .dropout = 1)
TC_ATTN_BWD_SM90_DEFINE(h64_256, .type = TC_BF16, .head_dim = 64, .head_dim_v = 256)
TC_ATTN_BWD_SM90_DEFINE(h144_80, .type = TC_BF16, .head_dim = 144, .head_dim_v = 80, .causal = 1)
TC_ATTN_BWD_SM90_DEFINE(h_drop_mask, .type = TC_BF16, .head_dim = 96, .hook_size = sizeof(hook_args),
                        .mask = hook_random, .dropout = 1)
TC_ATTN_BWD_DEFINE(any_drop, .type = TC_F16, .head_dim = 64, .causal = 1, .dropout = 1)
TC_ATTN_BWD_SM90_DEFINE(h64, .type = TC_BF16, .head_dim = 64)
TC_ATTN_BWD_SM90_DEFINE(h128_window, .type = TC_BF16, .causal = 1, .window = 1)
TC_ATTN_BWD_DEFINE(any_causal, .type = TC_BF16, .causal = 1)
#endif
#define IF_90(...) __VA_ARGS__
#else
#define IF_90(...)
#endif

#define SM90(name, hooks) {#name, name##_run, name##_workspace, 90, hooks, name##_SMEM, name##_config()}
#define SM80(name, hooks) {#name, name##_run, name##_workspace, 80, hooks, name##_SMEM, name##_config()}
#define ANY(name, hooks)                                                                                               \
    {#name, name##_run, name##_workspace, 80, hooks, tc_attn_bwd_sm80_smem(tc_attn_bwd_sm80_config(name##_config())), \
     name##_config()}
static const kernel kernels[] = {
    IF_80(SM80(a64_causal, 0), SM80(a96_window, 0), SM80(a128_causal, 0), SM80(a192_128_causal, 0),
          SM80(a256_window, 0), SM80(a48, 0), SM80(a16_window, 0), SM80(a_all_hooks, SOFTCAP | RANDOM | SINK),
          SM80(a_drop, DROPOUT), )
    IF_90(SM90(h64_causal, 0), SM90(h96_window, 0), SM90(h128, 0), SM90(h128_causal, 0), SM90(h48_80, 0),
          SM90(h64_halves, 0), SM90(h128_tight, 0), SM90(hooks, RANDOM | SINK), ANY(any_256, 0),
          ANY(any_softcap, SOFTCAP), SM90(h_drop, DROPOUT), SM90(h_drop_sink, SINK | DROPOUT),
          SM90(h192_128_causal, 0), SM90(h48_240, 0), SM90(h256_causal, 0), SM90(h160_all, RANDOM | SINK | DROPOUT), )
#ifdef MORE
    IF_80(SM80(a64, 0), SM80(a128, 0), SM80(a_softcap, SOFTCAP), SM80(a_drop_all, SOFTCAP | RANDOM | SINK | DROPOUT), )
    IF_90(SM90(h256_window, 0), SM90(h192_drop, DROPOUT), SM90(h64_256, 0), SM90(h144_80, 0), SM90(h64, 0),
          SM90(h128_window, 0), ANY(any_causal, 0), SM90(h_drop_mask, RANDOM | DROPOUT),
          ANY(any_drop, DROPOUT), )
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- tensors ---- */
enum { Q, K, V, O, DOUT, DQ, DK, DV, TENSORS };

/* Strides in a random order of the three dimensions with random gaps, or 0 for a contiguous tensor. */
static tc_attn_strides choose_strides(tensor *t)
{
    const tc_attn_strides none = {0, 0, 0};
    t->s = default_strides(t);
    if (test_int(0, 2) == 0) return none;
    return t->s = random_strides(t);
}

/* ---- one side of the lengths ---- */
static int choose_length(int largest, int may_be_empty)
{
    const int r = test_int(0, 9);
    if (may_be_empty && test_int(0, 19) == 0) return 0;
    return r < 1 ? 1 : r < 3 ? test_int(1, 20) : r < 8 ? test_int(1, largest)
                                                      : test_int(1, largest / 64 + 1) * 64 + test_int(-1, 1);
}

static side choose_side(int batch, int len)
{
    static const char modes[] = {0, 0, 'p', 'c'};
    side s;
    int longest = 0;
    memset(&s, 0, sizeof s);
    s.mode = len ? modes[test_int(0, 3)] : 0;
    s.lens = (int *)malloc(sizeof(int) * (size_t)(batch + 1)), s.at = (int *)malloc(sizeof(int) * (size_t)(batch + 1));
    s.at[0] = 0;
    for (int b = 0; b < batch; b++) {
        s.lens[b] = !s.mode ? len : test_int(0, 4) == 0 ? 0 : test_int(0, 3) == 0 ? len : test_int(0, len);
        longest = s.lens[b] > longest ? s.lens[b] : longest;
        s.at[b + 1] = s.at[b] + s.lens[b];
    }
    s.len = s.mode == 'c' ? (longest ? longest : 1) : len;
    s.total = s.mode == 'c' ? s.at[batch] + test_int(0, 1) * test_int(0, 100) : 0;
    if (s.mode == 'c' && s.total == 0) s.total = 1;
    if (s.mode == 'c') s.dev = (int *)upload(s.at, sizeof(int) * (size_t)(batch + 1));
    else if (s.mode == 'p') s.dev = (int *)upload(s.lens, sizeof(int) * (size_t)batch);
    return s;
}

/* ---- the reference: one head of one sequence ---- */
typedef struct {
    int hooks, b, h, lq, lk, d, dv, causal, window, left, right;
    double scale;
    const hook_args *hook;
    const double *q, *k, *v, *g;  /* (rows, dim) */
    const double *o, *lse;        /* given */
    double *dq, *dk, *dv_;        /* added to */
    double *eq, *ek, *ev;         /* bounds, added to; NULL: none */
    double *abs_q, *abs_k, *abs_v; /* sums of absolute values, likewise */
    double u, tiny, dsink, esink;
    tc_attn_dropout drop;
} problem;

static int seen(const problem *p, int i, int j)
{
    const int at = i + p->lk - p->lq;
    return !(p->causal && j > at) && !(p->window && p->left >= 0 && j < at - p->left)
        && !(p->window && p->right >= 0 && j > at + p->right)
        && !((p->hooks & RANDOM) && !kept(p->hook, p->b, p->h, i, j));
}

/* What dropout multiplies a probability by. */
static double dropped(const problem *p, int i, int j)
{
    const tc_attn_at at = {p->b, p->h, i, j, 0};
    if (!(p->hooks & DROPOUT)) return 1;
    return tc_attn_dropout_keeps(p->drop, at) ? (double)tc_dropout_scale(p->drop.p) : 0;
}

/* Score after the hook; its slope; the sum of absolute products. */
static double score(const problem *p, int i, int j, double *slope, double *before, double *all)
{
    double s = 0, a = 0;
    for (int e = 0; e < p->d; e++) {
        const double x = p->q[(size_t)i * p->d + e] * p->k[(size_t)j * p->d + e];
        s += x, a += fabs(x);
    }
    s *= p->scale, *all = a * p->scale, *before = s, *slope = 1;
    if (p->hooks & SOFTCAP) {
        const double t = tanh(s / p->hook->cap);
        s = p->hook->cap * t, *slope = 1 - t * t;
    }
    return s;
}

static void forward(const problem *p, double *o, double *lse)
{
    double *s = (double *)malloc(sizeof(double) * (size_t)(p->lk + 1));
    for (int i = 0; i < p->lq; i++) {
        double top = p->hooks & SINK ? p->hook->sinks[p->h] : -INFINITY, z = 0, x, y, w;
        for (int j = 0; j < p->lk; j++) {
            s[j] = seen(p, i, j) ? score(p, i, j, &x, &y, &w) : -INFINITY;
            if (s[j] > top) top = s[j];
        }
        for (int e = 0; e < p->dv; e++) o[(size_t)i * p->dv + e] = 0;
        lse[i] = -INFINITY;
        if (top == -INFINITY) continue;
        if (p->hooks & SINK) z += exp(p->hook->sinks[p->h] - top);
        for (int j = 0; j < p->lk; j++) z += exp(s[j] - top);
        lse[i] = top + log(z);
        for (int j = 0; j < p->lk; j++) {
            const double pr = s[j] > -INFINITY ? exp(s[j] - lse[i]) * dropped(p, i, j) : 0;
            for (int e = 0; e < p->dv && pr > 0; e++) o[(size_t)i * p->dv + e] += pr * p->v[(size_t)j * p->dv + e];
        }
    }
    free(s);
}

static void backward(problem *p)
{
    for (int i = 0; i < p->lq; i++) {
        const double *g = p->g + (size_t)i * p->dv, *o = p->o + (size_t)i * p->dv;
        double delta = 0, da = 0;
        if (p->lse[i] == -INFINITY) continue;
        for (int e = 0; e < p->dv; e++) delta += g[e] * o[e], da += fabs(g[e] * o[e]);
        const double off_delta = ldexp((p->dv + 8) * da, -23);
        if ((p->hooks & SINK) && p->hook->sinks[p->h] > -INFINITY) {
            const double sink = p->hook->sinks[p->h], ps = exp(sink - p->lse[i]);
            p->dsink -= ps * delta;
            const double off_ps = expm1(ldexp(fabs(sink) + fabs(p->lse[i]), -22)) + ldexp(1, -20);
            p->esink += ps * (off_delta + fabs(delta) * off_ps);
        }
        for (int j = 0; j < p->lk; j++) {
            double slope, before, all, dp = 0, fa = 0, s, pr, ds, m, tiny = p->tiny;
            if (!seen(p, i, j)) continue;
            m = dropped(p, i, j);
            if (p->hooks & DROPOUT) tiny *= (double)tc_dropout_scale(p->drop.p);
            s = score(p, i, j, &slope, &before, &all);
            pr = exp(s - p->lse[i]);
            for (int e = 0; e < p->dv; e++) {
                const double x = g[e] * p->v[(size_t)j * p->dv + e];
                dp += m * x, fa += m * fabs(x);
            }
            ds = pr * (dp - delta) * slope;
            for (int e = 0; e < p->dv; e++) p->dv_[(size_t)j * p->dv + e] += m * pr * g[e];
            for (int e = 0; e < p->d; e++) {
                p->dq[(size_t)i * p->d + e] += p->scale * ds * p->k[(size_t)j * p->d + e];
                p->dk[(size_t)j * p->d + e] += p->scale * ds * p->q[(size_t)i * p->d + e];
            }
            if (!p->eq) continue;
            const int hooked = p->hooks & SOFTCAP;
            const double err = ldexp((p->d + 8) * all, -23) * fabs(slope) + ldexp(fabs(s) + fabs(p->lse[i]), -22)
                             + (hooked ? ldexp(fabs(before) + fabs(s), -21) : 0);
            const double d = expm1(err) + ldexp(1, -21), f = ldexp((p->dv + 8) * fa, -23);
            const double off = pr * fabs(slope) * (d * fabs(dp - delta)
                                                   + (1 + d) * (f + off_delta + ldexp(fabs(dp) + fabs(delta), -22)
                                                                + (p->hooks & DROPOUT ? ldexp(fabs(delta), -23) : 0)))
                             + (hooked ? ldexp(pr * fabs(dp - delta), -20) : 0);
            const double ep = m > 0 ? m * (pr * d + p->u * pr * (1 + d)) + tiny : 0,
                         es = off + p->u * (fabs(ds) + off) + tiny;
            for (int e = 0; e < p->dv; e++) {
                p->ev[(size_t)j * p->dv + e] += ep * fabs(g[e]);
                p->abs_v[(size_t)j * p->dv + e] += m * pr * fabs(g[e]);
            }
            for (int e = 0; e < p->d; e++) {
                const double k = fabs(p->k[(size_t)j * p->d + e]) * p->scale,
                             q = fabs(p->q[(size_t)i * p->d + e]) * p->scale;
                p->eq[(size_t)i * p->d + e] += es * k, p->abs_q[(size_t)i * p->d + e] += fabs(ds) * k;
                p->ek[(size_t)j * p->d + e] += es * q, p->abs_k[(size_t)j * p->d + e] += fabs(ds) * q;
            }
        }
    }
}

static double *doubles(size_t n) { return (double *)calloc(n + 1, sizeof(double)); }

/* The reference against differences of sum(O dO), each input moved in a random direction. */
static void check_reference(int hooks, int causal)
{
    enum { LQ = 9, LK = 13, D = 5, DVV = 7 };
    hook_args hook;
    const float sinks[1] = {0.3f};
    problem p;
    double in[4][LK * DVV], o[LQ * DVV], lse[LQ], dq[LQ * D] = {0}, dk[LK * D] = {0}, dv[LK * DVV] = {0};
    memset(&hook, 0, sizeof hook), memset(&p, 0, sizeof p);
    hook.cap = 1.5f, hook.salt = 7, hook.keep = 12, hook.sinks = sinks;
    p.hooks = hooks, p.lq = LQ, p.lk = LK, p.d = D, p.dv = DVV, p.causal = causal, p.left = p.right = -1, p.scale = 0.7;
    p.drop.p = 0.3f, p.drop.seed = 11;
    p.hook = &hook, p.q = in[0], p.k = in[1], p.v = in[2], p.g = in[3], p.o = o, p.lse = lse;
    p.dq = dq, p.dk = dk, p.dv_ = dv;
    for (int t = 0; t < 4; t++)
        for (int i = 0; i < LK * DVV; i++) in[t][i] = test_normal();
    forward(&p, o, lse);
    backward(&p);
    for (int t = 0; t < 3; t++) {
        const int n = t == 0 ? LQ * D : t == 1 ? LK * D : LK * DVV;
        const double *grad = t == 0 ? dq : t == 1 ? dk : dv, step = 1e-5;
        double dir[LK * DVV], along = 0, loss[2] = {0, 0};
        for (int i = 0; i < n; i++) dir[i] = test_normal(), along += dir[i] * grad[i];
        for (int w = 0; w < 2; w++) {
            for (int i = 0; i < n; i++) in[t][i] += (w ? -2 : 1) * step * dir[i];
            forward(&p, o, lse);
            for (int i = 0; i < LQ * DVV; i++) loss[w] += o[i] * in[3][i];
        }
        for (int i = 0; i < n; i++) in[t][i] += step * dir[i];
        const double slope = (loss[0] - loss[1]) / (2 * step);
        CHECK(fabs(slope - along) <= 1e-7 * (1 + fabs(along)), "hooks %d: input %d: reference %.9g, differences %.9g",
              hooks, t, along, slope);
    }
    if (hooks & SINK) {
        double loss[2] = {0, 0};
        for (int w = 0; w < 2; w++) {
            const float moved[1] = {w ? 0.3f - 0x1p-10f : 0.3f + 0x1p-10f};
            hook.sinks = moved;
            forward(&p, o, lse);
            for (int i = 0; i < LQ * DVV; i++) loss[w] += o[i] * in[3][i];
            hook.sinks = sinks;
        }
        const double slope = (loss[0] - loss[1]) / (2 * 0x1p-10);
        CHECK(fabs(slope - p.dsink) <= 1e-5 * (1 + fabs(slope)), "dsink %.9g, differences %.9g", p.dsink, slope);
    }
}

static double worst[3];

/* One output of one head: rows of it, the reference and its bound; what was looked at becomes 0xff. */
static int compare(int type, tensor *t, int b, int h, int rows, const double *ref, const double *bound,
                   const double *all, int terms, double *most)
{
    const double u = ldexp(1, type == TC_BF16 ? -8 : -11), tiny = type == TC_BF16 ? 1e-38 : ldexp(1, -25);
    int bad = 0;
    for (int i = 0; i < rows; i++) {
        uint16_t *got = t->host + place(t, b, i, h);
        for (int e = 0; e < t->dim; e++) {
            const size_t x = (size_t)i * (size_t)t->dim + (size_t)e;
            double lim = bound[x] + ldexp((terms + 32) * all[x], -23), error;
            lim += (fabs(ref[x]) + lim) * u + tiny;
            error = fabs(element(type, got[e]) - ref[x]) / lim;
            if (!(error <= 1)) bad++;
            if (!(error <= *most)) *most = error;
        }
        memset(got, 0xff, (size_t)t->dim * 2);
    }
    return bad;
}

static void one(const kernel *kn, uint64_t seed, int largest, double work, int emulated)
{
    static const int groups[] = {1, 1, 1, 2, 3, 4}, modes_of[TENSORS] = {0, 1, 1, 0, 0, 0, 1, 1};
    static const float scales[] = {0, 0, 0, 0.05f, 0.3f};
    static const char *const names[] = {"dq", "dk", "dv"};
    const tc_attn_bwd_config c = kn->c;
    const int d = c.head_dim, dv = c.head_dim_v, group = groups[test_int(0, 5)];
    int batch = test_int(1, 3), heads_kv = test_int(1, 2), heads, q_len = choose_length(largest, 1),
        k_len = choose_length(largest, 1), device_bad = 0, bad[3] = {0, 0, 0};
    double most[3] = {0, 0, 0};
    hook_args hook, host_hook;
    tc_attn_bwd_args g;
    tensor t[TENSORS];
    side side_q, side_k;
    size_t outside = 0;
    float sinks[8];
    if (test_int(0, 3) == 0) k_len = q_len;
    if (!q_len && !k_len) k_len = 1;
    if (test_int(0, 3) == 0) q_len = test_int(1, 70), k_len = test_int(250, 700); /* many wait for a turn */
    while ((double)batch * heads_kv * group * (q_len + 64) * (k_len + 64) * (d + dv) > work) {
        if (batch > 1) batch--;
        else if (heads_kv > 1) heads_kv--;
        else if (q_len > k_len && q_len > 1) q_len = (q_len + 1) / 2;
        else if (k_len > 1) k_len /= 2;
        else break;
    }
    heads = group * heads_kv;
    side_q = choose_side(batch, q_len), side_k = choose_side(batch, k_len);
    q_len = side_q.len, k_len = side_k.len;

    memset(&g, 0, sizeof g);
    g.batch = batch, g.heads = heads, g.heads_kv = group == 1 && test_int(0, 1) ? 0 : heads_kv;
    g.q_len = q_len, g.k_len = k_len;
    if (side_q.mode == 'c') g.cu_q = side_q.dev, g.total_q = side_q.total, g.host_cu_q = test_int(0, 1) ? side_q.at : 0;
    else if (side_q.mode == 'p') g.lens_q = side_q.dev, g.host_lens_q = test_int(0, 1) ? side_q.lens : 0;
    if (side_k.mode == 'c') g.cu_k = side_k.dev, g.total_k = side_k.total, g.host_cu_k = test_int(0, 1) ? side_k.at : 0;
    else if (side_k.mode == 'p') g.lens_k = side_k.dev, g.host_lens_k = test_int(0, 1) ? side_k.lens : 0;
    g.scale = scales[test_int(0, 4)];
    g.fast = test_int(0, 2) == 0;
    g.pdl = test_int(0, 1);
    tc_attn_dropout drop = {0, 0, 0};
    if (c.dropout) {
        static const float shares[] = {0, 0.1f, 0.2f, 0.5f, 0.9f};
        drop.p = shares[test_int(0, 4)], drop.seed = test_random(), drop.offset = test_int(0, 1) ? test_random() : 4;
        g.dropout_p = drop.p, g.dropout_seed = drop.seed, g.dropout_offset = drop.offset;
    }
    if (c.window) {
        static const int ends[] = {-1, -1, 0, 1, 5, 33, 100, 100000};
        g.window_left = test_int(0, 1) ? ends[test_int(0, 7)] : test_int(0, largest);
        g.window_right = test_int(0, 1) ? ends[test_int(0, 7)] : test_int(0, largest);
    }

    memset(t, 0, sizeof t);
    for (int i = 0; i < TENSORS; i++) {
        tc_attn_strides *given[TENSORS] = {&g.q_stride,    &g.k_stride,  &g.v_stride,  &g.o_stride,
                                           &g.dout_stride, &g.dq_stride, &g.dk_stride, &g.dv_stride};
        const side *s = modes_of[i] ? &side_k : &side_q;
        t[i].rows = s->mode == 'c' ? s->total : s->len, t[i].at = s->mode == 'c' ? s->at : 0;
        t[i].batch = s->mode == 'c' ? 1 : batch, t[i].heads = modes_of[i] ? heads_kv : heads;
        t[i].dim = i == V || i == O || i == DOUT || i == DV ? dv : d;
        t[i].base = 8 * test_int(0, 2);
        *given[i] = choose_strides(&t[i]);
        allocate(&t[i]);
        if (i < O || i == DOUT)
            for (int b = 0; b < batch; b++)
                for (int r = 0; r < s->lens[b]; r++)
                    for (int h = 0; h < t[i].heads; h++)
                        for (int e = 0; e < t[i].dim; e++)
                            t[i].host[place(&t[i], b, r, h) + e] = to_element(c.type, test_normal());
    }
    memset(&host_hook, 0, sizeof host_hook);
    host_hook.batch = batch, host_hook.heads = heads, host_hook.q_len = q_len, host_hook.k_len = k_len;
    host_hook.cap = test_int(0, 1) ? 20.f : 2.5f, host_hook.salt = (uint32_t)test_random();
    host_hook.keep = (uint32_t)test_int(1, 16);
    for (int i = 0; i < 8; i++) sinks[i] = test_int(0, 4) ? test_normal() : -INFINITY;
    host_hook.sinks = sinks;

    /* the forward, exactly; O and lse rounded */
    const double scale = g.scale > 0 ? g.scale : (double)(float)(1 / sqrt((double)d));
    const int64_t rows = t[Q].rows, outer = side_q.mode == 'c' ? 1 : batch;
    const int64_t gap = test_int(0, 1) * test_int(1, 9), head = rows + gap, step = head * heads;
    const size_t lse_elements = (size_t)(outer * step);
    float *lse = (float *)malloc(lse_elements * 4 + 16);
    problem *all = (problem *)calloc((size_t)(batch * heads), sizeof(problem));
    memset(lse, 0xff, lse_elements * 4);
    if (gap) g.lse_head = head, g.lse_batch = step;
    for (int b = 0; b < batch; b++)
        for (int h = 0; h < heads; h++) {
            problem *p = &all[b * heads + h];
            const int lq = side_q.lens[b], lk = side_k.lens[b], hk = h / group;
            double *x[4];
            p->hooks = kn->hooks, p->b = b, p->h = h, p->lq = lq, p->lk = lk, p->d = d, p->dv = dv;
            p->causal = c.causal, p->window = c.window, p->left = g.window_left, p->right = g.window_right;
            p->scale = scale, p->hook = &host_hook, p->drop = drop;
            p->u = ldexp(1, c.type == TC_BF16 ? -8 : -11), p->tiny = c.type == TC_BF16 ? 1e-38 : ldexp(1, -25);
            for (int i = 0; i < 4; i++) {
                const int which = i < 3 ? i : DOUT, n = modes_of[which] ? lk : lq;
                x[i] = doubles((size_t)n * (size_t)t[which].dim);
                for (int r = 0; r < n; r++)
                    for (int e = 0; e < t[which].dim; e++)
                        x[i][(size_t)r * (size_t)t[which].dim + (size_t)e] =
                            element(c.type, t[which].host[place(&t[which], b, r, modes_of[which] ? hk : h) + e]);
            }
            p->q = x[0], p->k = x[1], p->v = x[2], p->g = x[3];
            double *o = doubles((size_t)lq * (size_t)dv), *l = doubles((size_t)lq);
            forward(p, o, l);
            for (int r = 0; r < lq; r++) {
                float *at = lse + (side_q.mode == 'c' ? side_q.at[b] : b * step) + h * head + r;
                *at = (float)l[r], l[r] = *at;
                for (int e = 0; e < dv; e++) {
                    uint16_t *to = t[O].host + place(&t[O], b, r, h) + e;
                    *to = to_element(c.type, (float)o[(size_t)r * (size_t)dv + (size_t)e]);
                    o[(size_t)r * (size_t)dv + (size_t)e] = element(c.type, *to);
                }
            }
            p->o = o, p->lse = l;
        }
    for (int i = 0; i < TENSORS; i++) t[i].dev = (uint16_t *)upload(t[i].host, t[i].elements * 2);
    if (q_len) g.q = t[Q].dev + t[Q].base, g.o = t[O].dev + t[O].base, g.dout = t[DOUT].dev + t[DOUT].base;
    if (q_len) g.dq = t[DQ].dev + t[DQ].base, g.lse = (float *)upload(lse, lse_elements * 4);
    if (k_len) g.k = t[K].dev + t[K].base, g.v = t[V].dev + t[V].base;
    if (k_len) g.dk = t[DK].dev + t[DK].base, g.dv = t[DV].dev + t[DV].base;
    hook = host_hook;
    hook.len_q = (int *)upload(side_q.lens, sizeof(int) * (size_t)batch);
    hook.len_k = (int *)upload(side_k.lens, sizeof(int) * (size_t)batch);
    hook.bad = (int *)upload(&device_bad, sizeof(int));
    hook.sinks = (float *)upload(sinks, sizeof sinks);
    if (c.hook_size) g.hook_args = &hook, g.hook_size = sizeof hook;
    if (kn->hooks & SINK && test_int(0, 3)) g.dsink = (float *)device_memory(sizeof(float) * (size_t)heads);

    char what[500];
    snprintf(what, sizeof what, "attn_bwd 1 %llu: %s batch %d heads %d/%d q %d%s k %d%s scale %g window %d,%d%s",
             (unsigned long long)seed, kn->name, batch, heads, heads_kv, q_len,
             side_q.mode == 'c' ? " packed" : side_q.mode ? " padded" : "", k_len,
             side_k.mode == 'c' ? " packed" : side_k.mode ? " padded" : "", g.scale, g.window_left, g.window_right,
             g.fast ? " fast" : "");
    snprintf(test_context, sizeof test_context, "%.250s", what);
    g.workspace_size = kn->workspace(&g);
    CHECK((g.workspace_size > 0) == (q_len > 0), "%s: workspace %zu bytes: %s", what, g.workspace_size, tc_why());
    g.workspace = device_memory(g.workspace_size);
    /* where nobody notices that it is read before it is written: NaN */
    if (!emulated) CUDA_CHECK(cudaMemset(g.workspace, 0xff, g.workspace_size));
    uint16_t *first[3] = {0, 0, 0};
    for (int round = 0; round < (g.fast ? 1 : 2); round++) {
        const tc_status st = kn->run(&g, 0);
        CHECK(st == TC_OK, "%s: %s", what, tc_why());
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 3; i++) {
            tensor *x = &t[DQ + i];
            if (x->elements) CUDA_CHECK(cudaMemcpy(x->host, x->dev, x->elements * 2, cudaMemcpyDeviceToHost));
            if (round == 0) {
                first[i] = (uint16_t *)malloc(x->elements * 2 + 2);
                memcpy(first[i], x->host, x->elements * 2);
                if (!g.fast) CUDA_CHECK(cudaMemset(x->dev, 0xff, x->elements * 2));
            } else {
                CHECK(memcmp(first[i], x->host, x->elements * 2) == 0, "%s: %s differs from call to call", what,
                      names[i]);
            }
        }
    }
    for (int i = 0; i < 3; i++) free(first[i]);
    CUDA_CHECK(cudaMemcpy(&device_bad, hook.bad, sizeof(int), cudaMemcpyDeviceToHost));
    CHECK(device_bad == 0, "%s: a hook is asked about a place that does not exist", what);

    const int more = c.dropout ? 2 : 0; /* roundings of results */
    double dsink[8] = {0}, esink[8] = {0};
    for (int b = 0; b < batch; b++)
        for (int hk = 0; hk < heads_kv; hk++) {
            const int lq = side_q.lens[b], lk = side_k.lens[b];
            const size_t nk = (size_t)lk * (size_t)d, nv = (size_t)lk * (size_t)dv, nq = (size_t)lq * (size_t)d;
            double *k[3] = {doubles(nk), doubles(nk), doubles(nk)}, *v[3] = {doubles(nv), doubles(nv), doubles(nv)};
            for (int i = 0; i < group; i++) {
                problem *p = &all[b * heads + hk * group + i];
                double *q[3] = {doubles(nq), doubles(nq), doubles(nq)};
                p->dq = q[0], p->eq = q[1], p->abs_q = q[2];
                p->dk = k[0], p->ek = k[1], p->abs_k = k[2];
                p->dv_ = v[0], p->ev = v[1], p->abs_v = v[2];
                backward(p);
                dsink[p->h] += p->dsink, esink[p->h] += p->esink + ldexp(fabs(p->dsink), -20);
                bad[0] += compare(c.type, &t[DQ], b, p->h, lq, q[0], q[1], q[2], lk + more, &most[0]);
                for (int x = 0; x < 3; x++) free(q[x]);
            }
            bad[1] += compare(c.type, &t[DK], b, hk, lk, k[0], k[1], k[2], lq * group + more, &most[1]);
            bad[2] += compare(c.type, &t[DV], b, hk, lk, v[0], v[1], v[2], lq * group + more, &most[2]);
            for (int x = 0; x < 3; x++) free(k[x]), free(v[x]);
        }
    for (int i = 0; i < 3; i++) {
        const tensor *x = &t[DQ + i];
        CHECK(bad[i] == 0, "%s: %d elements of %s out of bound, worst %.2f of it", what, bad[i], names[i], most[i]);
        if (most[i] > worst[i]) worst[i] = most[i];
        for (size_t e = 0; e < x->elements; e++) outside += x->host[e] != 0xffff;
    }
    CHECK(outside == 0, "%s: %zu elements outside of the results written", what, outside);
    if (g.dsink) {
        float got[8];
        CUDA_CHECK(cudaMemcpy(got, g.dsink, sizeof(float) * (size_t)heads, cudaMemcpyDeviceToHost));
        for (int h = 0; h < heads; h++)
            CHECK(fabs(got[h] - dsink[h]) <= esink[h] + 1e-30, "%s: dsink[%d] = %g, not %g, bound %g", what, h, got[h],
                  dsink[h], esink[h]);
    }
    for (int i = 0; i < TENSORS; i++) free(t[i].host);
    for (int i = 0; i < batch * heads; i++)
        free((void *)all[i].q), free((void *)all[i].k), free((void *)all[i].v), free((void *)all[i].g),
            free((void *)all[i].o), free((void *)all[i].lse);
    free(all), free(lse), free(side_q.lens), free(side_q.at), free(side_k.lens), free(side_k.at);
    free_device_memory();
}

int main(int argc, char **argv)
{
    const int device = test_device(), count = argc > 1 ? atoi(argv[1]) : 100;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    struct cudaDeviceProp properties;
    const kernel *usable[KERNELS];
    int n = 0, emulated;
    for (int i = 0; i < 16; i++) check_reference(i, i & 1);
    if (device < 80) {
        SKIP("attn_bwd: no device of compute capability 8.0 or later");
        return test_end();
    }
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    emulated = strncmp(properties.name, "tcemu", 5) == 0;
    for (int i = 0; i < KERNELS; i++) {
        if (argc > 3 && strcmp(argv[3], kernels[i].name)) continue;
        if (kernels[i].sm == 90 && device != 90)
            SKIP("%s: needs compute capability 9.0, this device has %d.%d", kernels[i].name, device / 10, device % 10);
        else if (kernels[i].smem > (int)properties.sharedMemPerBlockOptin)
            SKIP("%s: needs %d bytes of shared memory, this device gives a block %d", kernels[i].name, kernels[i].smem,
                 (int)properties.sharedMemPerBlockOptin);
        else usable[n++] = &kernels[i];
    }
    printf("attn_bwd: %d configurations of %d kernels, seed %llu\n", n ? count : 0, n, (unsigned long long)seed);
    for (int i = 0; n && i < count; i++) {
        const uint64_t mine = seed + (uint64_t)i;
        test_seed(mine);
        one(usable[mine % (uint64_t)n], mine, emulated ? 220 : 900, emulated ? 1.5e7 : 1e8, emulated);
    }
    printf("worst error: %.2f of the bound of dQ, %.2f of dK, %.2f of dV\n", worst[0], worst[1], worst[2]);
    return test_end();
}
