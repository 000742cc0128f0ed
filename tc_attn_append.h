/* tc_attn_append.h - tc 0.2.0 - new tokens on their way into a cache, before attention. Needs: tc_attn.h; sm_80.
 *
 *     K, V of new tokens: normalised, rotated, quantised, to rows of the cache, in pages; Q normalised and rotated
 *
 *     TC_ATTN_DECODE_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .kv = TC_E4M3, .causal = 1, .paged = 1)
 *     TC_ATTN_APPEND_DEFINE(append, .type = TC_BF16, .head_dim = 128, .kv = TC_E4M3, .rope = TC_ROPE_HALVES, .norm = 1,
 *                           .paged = 1)
 *     ...
 *     tc_attn_args g = { ... };                              the call of attention that comes next, lengths included
 *     tc_attn_append_args a = { .to = g, .q = q, .k = k, .v = v, .turns = turns, .turns_rows = n,
 *                               .q_norm = wq, .k_norm = wk, .eps = 1e-6f };
 *     st = append_run(&a, stream);                           writes g.q, and rows of g.k and g.v
 *     st = attn_run(&g, stream);
 *
 * FIELDS (tc_attn_append_config)
 *     .type              of new tokens, of norms' weights and of to.q: TC_F16 or TC_BF16
 *     .head_dim, _v      of Q and K, of V: multiples of 16 in 16..1024 (128; head_dim)
 *     .kv                of the cache: .type, TC_E4M3 or TC_S8; elements are divided by to.k_scale, to.v_scale, rounded
 *                        to the nearest, and stop at the type's ends
 *     .rope              0 for none; TC_ROPE_HALVES: elements e and e + rope_dim / 2 are a pair; TC_ROPE_NEIGHBOURS:
 *                        2 e and 2 e + 1
 *     .rope_at, _dim     the columns that are rotated: from rope_at on, rope_dim of them (all); multiples of 16
 *     .norm              1: a row of Q, of K is x / sqrt(mean of x^2 + eps) * weight, before it is rotated, where
 *                        args.q_norm, args.k_norm (head_dim weights each) are given
 *     .norm_dim          its first columns alone: a multiple of 16 (all)
 *     .paged             as in tc_attn_decode.h
 *     .latent            1: there is no V, as in tc_attn_mla.h: head_dim is 576 and the last 64 are rotated
 *
 * ARGS. to: what attention is called with afterwards, checked as a call of it. Its k_len and lens_k count the new
 * tokens, which are the last ones of each sequence: token i of q_len stands at row k_len - q_len + i. What of the cache
 * lies before stays as it is. q, k and v are laid out as to.q, contiguous or by strides of their own; q may be null
 * (then to.q is not written) or to.q itself. turns: cosine and sine, f32, (position, rope_dim / 2, 2), for turns_rows
 * positions, k_len at least. A page that is none of to.pages is not written (TC_DEBUG prints its number).
 *     All is f32 between reading and the one rounding at the end; a row is summed up in the same order every time.
 */
#ifndef TC_ATTN_APPEND_H
#define TC_ATTN_APPEND_H

#include "tc_attn.h"
#include "tc_attn_mla_work.h"
#include "tc_types.h"

enum { TC_ROPE_HALVES = 1, TC_ROPE_NEIGHBOURS = 2 };

typedef struct tc_attn_append_config {
    int type, head_dim, head_dim_v, kv, rope, rope_at, rope_dim, norm, norm_dim, paged, latent;
} tc_attn_append_config;

typedef struct tc_attn_append_args {
    tc_attn_args to;
    const void *q, *k, *v;
    tc_attn_strides q_stride, k_stride, v_stride;
    const void *q_norm, *k_norm; /* with .norm; null: that one is not normalised */
    float eps;
    const float *turns;
    int turns_rows;
    int pdl;
} tc_attn_append_args;

/* One tensor: elements from batch, row and head to the next. */
typedef struct tc__append_tensor {
    char *base;
    long long batch, row, head;
} tc__append_tensor;

typedef struct tc_attn_append_params {
    tc__append_tensor from[3], to[3]; /* Q, K, V */
    const uint16_t *norm[2];
    const float *turns, *scale[2];
    const int *table, *cu_q, *cu_k, *lens_q, *lens_k;
    float eps;
    int heads[3], scale_heads, table_pages, pages, batch, q_len, k_len, total_q, total_k;
    tc_divide by_page, by_len, by_parts; /* parts: blocks of a token */
} tc_attn_append_params;

enum { TC__APPEND_THREADS = 128 };
TC_HD TC_CONSTEXPR int tc_attn_append_threads(const tc_attn_append_config c) { return (void)c, TC__APPEND_THREADS; }
TC_HD TC_CONSTEXPR int tc_attn_append_smem(const tc_attn_append_config c) { return (void)c, 0; }

TC_HD TC_CONSTEXPR tc_attn_append_config tc_attn_append_config_of(const tc_attn_append_config given)
{
    tc_attn_append_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : c.latent ? 576 : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.latent ? 512 : c.head_dim;
    c.kv = c.kv == c.type ? 0 : c.kv;
    c.rope_at = c.latent && !c.rope_at && !c.rope_dim ? 512 : c.rope_at;
    c.rope_dim = c.rope_dim ? c.rope_dim : c.head_dim - c.rope_at;
    c.norm_dim = c.norm_dim ? c.norm_dim : c.head_dim;
    return c;
}

/* Chunks of 8 elements of a row; lanes that have it between them, a power of 2. */
TC_HD TC_CONSTEXPR int tc__append_chunks(const tc_attn_append_config c)
{
    return (c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v) / 8;
}
TC_HD TC_CONSTEXPR int tc__append_lanes(const tc_attn_append_config c)
{
    return tc__append_chunks(c) > 16 ? 32 : tc__append_chunks(c) > 8 ? 16 : tc__append_chunks(c) > 4 ? 8
           : tc__append_chunks(c) > 2                                                                ? 4
                                                                                                     : 2;
}

#define TC__ATTN_APPEND_RULES(X, c)                                                                                   \
    X((c).type == TC_F16 || (c).type == TC_BF16, "tc: .type must be TC_F16 or TC_BF16")                               \
    X((c).head_dim >= 16 && (c).head_dim <= 1024 && (c).head_dim % 16 == 0,                                           \
      "tc: .head_dim must be a multiple of 16 in 16..1024")                                                           \
    X((c).head_dim_v >= 16 && (c).head_dim_v <= 1024 && (c).head_dim_v % 16 == 0,                                     \
      "tc: .head_dim_v must be a multiple of 16 in 16..1024")                                                         \
    X((c).kv == 0 || (c).kv == TC_E4M3 || (c).kv == TC_S8, "tc: .kv must be .type, TC_E4M3 or TC_S8")                 \
    X((c).rope == 0 || (c).rope == TC_ROPE_HALVES || (c).rope == TC_ROPE_NEIGHBOURS,                                  \
      "tc: .rope must be 0, TC_ROPE_HALVES or TC_ROPE_NEIGHBOURS")                                                    \
    X((c).rope_at >= 0 && (c).rope_at % 16 == 0 && (c).rope_dim > 0 && (c).rope_dim % 16 == 0                         \
          && (c).rope_at + (c).rope_dim <= (c).head_dim,                                                              \
      "tc: .rope_at and .rope_dim must be multiples of 16, and what they name lie in .head_dim")                      \
    X(((c).norm == 0 || (c).norm == 1) && ((c).paged == 0 || (c).paged == 1) && ((c).latent == 0 || (c).latent == 1), \
      "tc: .norm, .paged and .latent are 0 or 1")                                                                     \
    X((c).norm_dim > 0 && (c).norm_dim <= (c).head_dim && (c).norm_dim % 16 == 0,                                     \
      "tc: .norm_dim must be a multiple of 16 up to .head_dim")                                                       \
    X(!(c).latent || ((c).head_dim == 576 && (c).head_dim_v == 512 && !(c).kv),                                       \
      "tc: with .latent .head_dim is 576, .head_dim_v 512, and .kv is unset")

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * A block has one token, or where they are few a part of its heads; tc__append_lanes lanes have a row of a head between
 * them, chunks of 8 elements in turn.
 */
/* Chunk ch of a row of 16-bit elements in f32. */
TC_DEV void tc__append_read(const int type, const char *row, int ch, float *x)
{
    const uint4 w = *(const uint4 *)(row + ch * 16);
    const uint32_t pairs[4] = {w.x, w.y, w.z, w.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        x[2 * i] = tc_unpack(type, pairs[i] & 0xffffu);
        x[2 * i + 1] = tc_unpack(type, pairs[i] >> 16);
    }
}

/* The chunk that chunk ch of a row is rotated with, with TC_ROPE_HALVES; ch itself where it is not rotated so. */
TC_DEV int tc__append_partner(const tc_attn_append_config c, int ch)
{
    const int in = ch - c.rope_at / 8, half = c.rope_dim / 16;
    if (c.rope != TC_ROPE_HALVES || in < 0 || in >= 2 * half) return ch;
    return in < half ? ch + half : ch - half;
}

TC_DEV void tc__append_weigh(const tc_attn_append_config c, const uint16_t *weights, int ch, float factor, float *x)
{
    float w[8];
    if (ch * 8 >= c.norm_dim) return;
    tc__append_read(c.type, (const char *)weights, ch, w);
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = x[i] * factor * w[i];
}

/* x, a chunk of a row at a position whose cosines and sines are turns, with its partner y. */
TC_DEV void tc__append_turn(const tc_attn_append_config c, const float *turns, int ch, float *x, const float *y)
{
    const int in = ch * 8 - c.rope_at, half = c.rope_dim / 2;
    if (in < 0 || in >= c.rope_dim) return;
    if (c.rope == TC_ROPE_NEIGHBOURS) {
        const float4 a = *(const float4 *)(turns + in), b = *(const float4 *)(turns + in + 4);
        const float t[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
            const float even = x[i], odd = x[i + 1];
            x[i] = even * t[i] - odd * t[i + 1];
            x[i + 1] = odd * t[i] + even * t[i + 1];
        }
    } else {
        const float sign = in < half ? -1.f : 1.f;
        const float *from = turns + 2 * (in < half ? in : in - half);
#pragma unroll
        for (int i = 0; i < 8; i += 2) {
            const float4 t = *(const float4 *)(from + 2 * i);
            x[i] = x[i] * t.x + sign * y[i] * t.y;
            x[i + 1] = x[i + 1] * t.z + sign * y[i + 1] * t.w;
        }
    }
}

TC_DEV_SM80 void tc__append_write(const int type, char *row, int ch, const float *x)
{
    if (type == TC_E4M3)
        *(uint2 *)(row + ch * 8) = make_uint2(tc_e4m3x4(x[0], x[1], x[2], x[3]), tc_e4m3x4(x[4], x[5], x[6], x[7]));
    else if (type == TC_S8)
        *(uint2 *)(row + ch * 8) = make_uint2(tc_s8x4(x[0], x[1], x[2], x[3]), tc_s8x4(x[4], x[5], x[6], x[7]));
    else
        *(uint4 *)(row + ch * 16) = make_uint4(tc_pack(type, x[0], x[1]), tc_pack(type, x[2], x[3]),
                                               tc_pack(type, x[4], x[5]), tc_pack(type, x[6], x[7]));
}

/* Where a token stands. */
typedef struct tc__append_token {
    int q_outer, q_row;          /* in Q, and in what is new */
    int position;                /* in its sequence */
    long long outer, row;        /* in the cache; row < 0: nowhere */
} tc__append_token;

/* Token number n; 0: there is none. */
TC_DEV int tc__append_find(const tc_attn_append_config c, const tc_attn_append_params *p, uint32_t n,
                           tc__append_token *t)
{
    const tc__attn_division q = {p->cu_q, p->lens_q, p->q_len, p->total_q},
                            k = {p->cu_k, p->lens_k, p->k_len, p->total_k};
    const int b = (int)tc_quotient(n, p->by_len), i = (int)(n - (uint32_t)b * p->by_len.by);
    int q_at, q_len, k_at, k_len;
    tc__attn_sequence(q, b, &q_at, &q_len);
    tc__attn_sequence(k, b, &k_at, &k_len);
    t->q_outer = p->cu_q ? 0 : b;
    t->q_row = q_at + i;
    t->position = k_len - q_len + i;
    t->outer = p->cu_k ? 0 : b;
    t->row = k_at + t->position;
    if (i >= q_len || t->position < 0) return 0;
    if (c.paged) {
        const uint32_t nth = tc_quotient((uint32_t)t->position, p->by_page);
        const int page = p->table[(long long)b * p->table_pages + (int)nth];
        t->outer = page;
        t->row = t->position - (int)(nth * p->by_page.by);
        if ((uint32_t)page >= (uint32_t)p->pages) {
            t->row = -1;
#ifdef TC_DEBUG
            if (threadIdx.x == 0)
                printf("tc: page_table[%d][%d] = %d is none of the %d pages\n", b, (int)nth, page, p->pages);
#endif
        }
    }
    return 1;
}

/* The kernel. */
TC_DEV_SM80 void tc_attn_append(const tc_attn_append_config c, const tc_attn_append_params *p)
{
    const int lanes = tc__append_lanes(c), passes = (tc__append_chunks(c) + lanes - 1) / lanes,
              lane = tc_lane() % lanes, rows = p->heads[0] + p->heads[1] + p->heads[2],
              step = TC__APPEND_THREADS / lanes;
    const uint32_t token = tc_quotient(blockIdx.x, p->by_parts), part = blockIdx.x - token * p->by_parts.by;
    tc__append_token t;
#if TC_HAS_SM90
    tc_griddepcontrol_launch_dependents();
    tc_griddepcontrol_wait();
#endif
    if (!tc__append_find(c, p, token, &t)) return;
#pragma unroll 1
    for (int first = (int)part * step + (int)threadIdx.x / 32 * (32 / lanes); first < rows;
         first += step * (int)p->by_parts.by) { /* by whole warps */
        const int n = first + tc_lane() / lanes, which = n < p->heads[0] ? 0 : n < p->heads[0] + p->heads[1] ? 1 : 2,
                  head = n - (which > 0 ? p->heads[0] : 0) - (which > 1 ? p->heads[1] : 0),
                  chunks = n >= rows ? 0 : (which == 2 ? c.head_dim_v : c.head_dim) / 8, bytes = which && c.kv ? 1 : 2;
        const tc__append_tensor *s = &p->from[which], *d = &p->to[which];
        const uint16_t *weights = c.norm && which < 2 ? p->norm[which] : 0;
        const char *from = s->base + (t.q_outer * s->batch + t.q_row * s->row + head * s->head) * 2;
        char *to = d->base + ((which ? t.outer : t.q_outer) * d->batch + (which ? t.row : t.q_row) * d->row
                              + head * d->head) * bytes;
        const float *turns = p->turns + (long long)t.position * c.rope_dim;
        float x[4][8], y[4][8], sum = 0.f;
#pragma unroll
        for (int i = 0; i < passes; i++) {
            const int ch = lane + i * lanes;
            if (ch < chunks) {
                tc__append_read(c.type, from, ch, x[i]);
                if (c.rope == TC_ROPE_HALVES && which < 2)
                    tc__append_read(c.type, from, tc__append_partner(c, ch), y[i]);
#pragma unroll
                for (int e = 0; e < 8 && c.norm; e++)
                    if (ch * 8 < c.norm_dim) sum += x[i][e] * x[i][e];
            }
        }
        if (c.norm) {
#pragma unroll
            for (int i = 1; i < lanes; i *= 2) sum += __shfl_xor_sync(0xffffffffu, sum, i);
            sum = 1.f / sqrtf(sum / (float)c.norm_dim + p->eps);
        }
        __syncwarp(); /* q may be to.q: all of a row has been read before it is written */
        if (which && t.row < 0) continue;
#pragma unroll
        for (int i = 0; i < passes; i++) {
            const int ch = lane + i * lanes;
            if (ch >= chunks) continue;
            if (weights) {
                tc__append_weigh(c, weights, ch, sum, x[i]);
                if (c.rope == TC_ROPE_HALVES) tc__append_weigh(c, weights, tc__append_partner(c, ch), sum, y[i]);
            }
            if (c.rope && which < 2) tc__append_turn(c, turns, ch, x[i], y[i]);
            if (which && c.kv) {
                const float *scales = p->scale[which - 1], by = scales ? scales[p->scale_heads ? head : 0] : 1.f;
#pragma unroll
                for (int e = 0; e < 8; e++) x[i][e] = x[i][e] / by;
                tc__append_write(c.kv, to, ch, x[i]);
            } else {
                tc__append_write(c.type, to, ch, x[i]);
            }
        }
    }
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What is new as a call of attention sees it, for the checks that there are. */
TC_HOST tc_attn_args tc__append_new(const tc_attn_append_args *a)
{
    tc_attn_args n;
    memset(&n, 0, sizeof n);
    n.batch = a->to.batch, n.heads = a->to.heads, n.heads_kv = a->to.heads_kv;
    n.q_len = n.k_len = a->to.q_len;
    n.cu_q = n.cu_k = a->to.cu_q, n.total_q = n.total_k = a->to.total_q;
    n.q = a->q, n.k = a->k, n.v = a->v;
    n.q_stride = a->q_stride, n.k_stride = a->k_stride, n.v_stride = a->v_stride;
    return n;
}

TC_HOST tc__append_tensor tc__append_tensor_of(const tc_attn_config *c, const tc_attn_args *g, char which)
{
    const tc__attn_tensor t = tc__attn_tensor_of(c, g, which);
    const tc__append_tensor r = {(char *)(uintptr_t)t.base, t.s.batch, t.s.row, t.s.head};
    return r;
}

/* The rules for a call; *full: as attention has it. */
TC_HOST tc_status tc__append_check(const tc_attn_append_config *c, const tc_attn_append_args *a, tc_attn_args *full)
{
    tc_attn_config cache, fresh;
    tc_attn_args n;
    tc_status st;
    char why[TC_WHY_SIZE];
    if (!a) return tc__fail(TC_ERR_NULL, "args is null");
    memset((void *)&cache, 0, sizeof cache);
    cache.type = c->type, cache.head_dim = c->head_dim, cache.head_dim_v = c->head_dim_v, cache.paged = c->paged;
    fresh = cache, fresh.paged = 0;
    cache.kv = c->kv;
    *full = a->to;
    full->window_left = full->window_right = 0; /* of attention's own concern, as its hooks are */
    full->hook_args = 0, full->hook_size = 0;
    if (c->latent) {
        cache = tc_attn_mla_config(cache);
        st = tc__attn_mla_check(&cache, full, full);
    } else {
        st = tc__attn_check(&cache, full);
    }
    if (st != TC_OK) {
        memcpy(why, tc_why(), sizeof why);
        return tc__fail(st, "to: %.200s", why);
    }
    if (tc__attn_empty(full)) return TC_OK;
    if (full->k_len < full->q_len)
        return tc__fail(TC_ERR_SIZE, "to.k_len = %d is less than to.q_len = %d, but counts the new tokens too",
                        full->k_len, full->q_len);
    if ((double)full->batch * full->q_len >= 2147483648.0)
        return tc__fail(TC_ERR_SIZE, "to.batch = %d, to.q_len = %d: 2^31 tokens or more", full->batch, full->q_len);
    n = tc__append_new(a);
    n.heads_kv = full->heads_kv;
    st = a->q ? tc__attn_check_tensor(&fresh, &n, 'q') : TC_OK;
    if (st == TC_OK) st = tc__attn_check_tensor(&fresh, &n, 'k');
    if (st == TC_OK && !c->latent) st = tc__attn_check_tensor(&fresh, &n, 'v');
    if (st != TC_OK) return st;
    if (c->latent && a->v) return tc__fail(TC_ERR_SIZE, "v is given, but the kernel was defined with .latent");
    if (!c->norm && (a->q_norm || a->k_norm))
        return tc__fail(TC_ERR_SIZE, "%s_norm is given, but the kernel was defined without .norm",
                        a->q_norm ? "q" : "k");
    if ((uintptr_t)a->q_norm % 16)
        return tc__fail(TC_ERR_ALIGN, "q_norm = %p is not a multiple of 16 bytes", a->q_norm);
    if ((uintptr_t)a->k_norm % 16)
        return tc__fail(TC_ERR_ALIGN, "k_norm = %p is not a multiple of 16 bytes", a->k_norm);
    if (!(a->eps >= 0.f && a->eps < 3e38f)) return tc__fail(TC_ERR_SIZE, "eps = %g is negative or no number",
                                                            (double)a->eps);
    if (!c->rope) {
        if (a->turns || a->turns_rows)
            return tc__fail(TC_ERR_SIZE, "turns is given, but the kernel was defined without .rope");
        return TC_OK;
    }
    if (!a->turns) return tc__fail(TC_ERR_NULL, "turns is null");
    if ((uintptr_t)a->turns % 16)
        return tc__fail(TC_ERR_ALIGN, "turns = %p is not a multiple of 16 bytes", (const void *)a->turns);
    if (a->turns_rows < full->k_len)
        return tc__fail(TC_ERR_SIZE, "turns_rows = %d is less than to.k_len = %d", a->turns_rows, full->k_len);
    return TC_OK;
}

TC_HOST tc_status tc__append_go(const tc_attn_append_config *c, const tc__kernels *s, const tc_attn_append_args *a,
                                const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, TC__APPEND_THREADS, 0, 1, 80, &s->cache[0]};
    tc_attn_append_params p;
    tc_attn_config cache, fresh;
    tc_attn_args full, n;
    tc_status st = tc__append_check(c, a, &full);
    int sms = 0, i;
    unsigned tokens, parts, most;
    if (st != TC_OK || tc__attn_empty(&full)) return st;
    st = tc__kernel_device(&k, &sms);
    if (st != TC_OK || !how->launch) return st;
    memset((void *)&cache, 0, sizeof cache);
    cache.type = c->type, cache.head_dim = c->head_dim, cache.head_dim_v = c->head_dim_v, cache.paged = c->paged;
    fresh = cache, fresh.paged = 0;
    cache.kv = c->kv;
    n = tc__append_new(a);
    n.heads_kv = full.heads_kv;
    memset((void *)&p, 0, sizeof p);
    for (i = 0; i < 3; i++) {
        p.from[i] = tc__append_tensor_of(&fresh, &n, "qkv"[i]);
        p.to[i] = tc__append_tensor_of(&cache, &full, "qkv"[i]);
    }
    p.heads[0] = a->q ? full.heads : 0;
    p.heads[1] = tc__attn_kv_heads(&full);
    p.heads[2] = c->latent ? 0 : p.heads[1];
    p.norm[0] = (const uint16_t *)a->q_norm, p.norm[1] = (const uint16_t *)a->k_norm;
    p.turns = a->turns, p.eps = a->eps;
    p.scale[0] = full.k_scale, p.scale[1] = full.v_scale, p.scale_heads = full.scale_heads;
    p.table = full.page_table, p.table_pages = full.table_pages, p.pages = full.pages;
    p.by_page = tc_divide_by(c->paged ? (uint32_t)full.page_rows : 1u);
    p.by_len = tc_divide_by((uint32_t)full.q_len);
    p.cu_q = full.cu_q, p.cu_k = full.cu_k, p.lens_q = full.lens_q, p.lens_k = full.lens_k;
    p.batch = full.batch, p.q_len = full.q_len, p.k_len = full.k_len;
    p.total_q = full.total_q, p.total_k = full.total_k;
    tokens = (unsigned)full.batch * (unsigned)full.q_len;
    most = (unsigned)(p.heads[0] + p.heads[1] + p.heads[2] + TC__APPEND_THREADS / tc__append_lanes(*c) - 1)
           / (unsigned)(TC__APPEND_THREADS / tc__append_lanes(*c)); /* then each warp has one round */
    parts = (unsigned)sms * 16u / tokens;
    parts = parts < 1 ? 1 : parts > most ? most : parts;
    p.by_parts = tc_divide_by(parts);
    return tc__kernel_launch(&k, tokens * parts, &p, how);
}

#define TC_ATTN_APPEND_DECLARE(name) TC__DECLARE(name, tc_attn_append_args)

#endif /* host */

#ifdef __CUDACC__

#define TC_ATTN_APPEND_DEFINE(name, ...) TC__CALL4(TC__ATTN_APPEND_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ATTN_APPEND_DEFINE_(name, own, ...)                                                                       \
    TC__GIVEN(own, attn_append, "there are none", __VA_ARGS__)                                                        \
    TC__CONFIG(name, own, attn_append, tc_attn_append_config_of(own##_given()))                                       \
    TC__ATTN_APPEND_RULES(TC__RULE_ASSERT, own##_config())                                                            \
    TC__SIZES(name, own##_config(), tc_attn_append_threads, tc_attn_append_smem)                                      \
    TC__KERNEL_OF(name, tc_attn_append_params, (TC__SM80_BOUND(TC__APPEND_THREADS)),                                  \
                  TC__IF_SM80(constexpr tc_attn_append_config c = own##_config(); tc_attn_append(c, &p);))            \
    TC__HOST_PART(TC__GO(own, attn_append, tc__append_go, TC__FUNCTION(name)) TC__ENTRIES(name, attn_append, own##_go))

#endif /* __CUDACC__ */
#endif /* TC_ATTN_APPEND_H */
