/* tc_softmax.h - tc 0.2.0 - online softmax on fragments, with masks and hooks; O to memory. Needs: sm_80.
 *
 * What the kernels of tc_attn.h do between the two products and after the last, the same on every generation:
 *
 *     tc_attn_score                     score hook and masks
 *     tc_attn_rows, tc_attn_rows_init   a lane's maxima and sums
 *     tc_attn_softmax                   scores to probabilities
 *     tc_attn_add_later                 those that were left out of their rows' sums
 *     tc_attn_drop                      dropout: probabilities that become 0
 *     tc_attn_pack                      P as an A operand
 *     tc_attn_rescale                   O after a maximum rose
 *     tc_attn_finish                    O divided by the sums and through the hook; the log-sum-exp
 *     tc_attn_store                     O to memory
 *
 * tc_attn.h is the manual.
 */
#ifndef TC_SOFTMAX_H
#define TC_SOFTMAX_H

#include "tc_attn_work.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Scores in registers: 16 rows by `cols` columns of a warp in the layout that mma.sync and wgmma share. Lane l holds,
 * with g = l / 4 and q = l % 4, s[4j], s[4j+1] at (g, 8j + 2q), (g, 8j + 2q + 1) and s[4j+2], s[4j+3] at row g + 8.
 */
/* Scores of 16 rows, and where they stand. */
typedef struct tc_attn_scores {
    float *s;    /* the fragment */
    int cols;    /* keys: columns of it */
    int row;     /* of the tile of work: that of s[0] in lane 0 */
    int n;       /* tile of keys */
    int state;   /* what the mask hooks say of it */
    int edges;   /* 0: every row is known to see all of it */
    int few;     /* rows may have been left few keys: what tc_attn_score returned */
    float scale; /* exp2(score * scale) is what softmax wants: tc_attn_scale */
    int up;      /* a constant: P, and with it sums and O, are 2^up times as large */
    int later_0, later_1; /* constants: of each row so many of the last columns are added up by tc_attn_add_later */
} tc_attn_scores;

TC_DEV int tc__attn_later(const tc_attn_scores x, const int i) { return i ? x.later_1 : x.later_0; }

/* Do they wait for the next tile? With dropout they are added up at once. */
TC_DEV int tc__attn_waits(const tc_attn_config c, const tc_attn_scores x) { return x.later_1 && !c.dropout; }

TC_DEV float tc_attn_scale(const tc_attn_config c, const tc_attn_problem *p)
{
    /* of a hook's scores tc_attn_score has made powers of 2, of 8-bit products their factors have */
    return c.score || c.type == TC_E4M3 ? 1.f : p->scale_log2;
}

/* Score hook, then masks; 1 where rows may have been left few keys. Each hook is asked exactly about the pairs of
 * query and key that exist and that causal and window keep, once about each. In tiles where there are others
 * (x.edges, and n outside of the free ones) every question has its condition, elsewhere none has. With a score hook
 * s is left times log2 e: to scale by that in the exponent would round twice, and of values near the end of f32 the
 * difference would be infinite. */
TC_DEV int tc_attn_score(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                         const tc_attn_scores x)
{
    const int masked = x.edges && (x.n < w->free_lo || x.n >= w->free_hi),
              partial = c.mask && x.state == TC_ATTN_PARTIAL;
    const int kv0 = x.n * c.bn + tc_lane() % 4 * 2;
    if (c.score == 0 && c.mask == 0 && !masked) return 0;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int r = x.row + tc_lane() / 4 + i * 8;
        const tc_attn_at row = tc__attn_row(p, w, r);
        const int q = row.q, h = row.h;
        int from = 0, to = w->k_len;
        if (c.causal || c.window) {
            const int end = q + w->k_len - w->q_len + p->window_right + 1;
            to = end < to ? end : to;
        }
        if (c.window) from = q + w->k_len - w->q_len - p->window_left;
        const int exists = !(c.score || c.mask) || tc__attn_row_exists(p, w, r, q); /* else no hook is asked about it */
        if (!exists) to = 0;
        from -= kv0;
        to -= kv0;
        if (masked) {
#pragma unroll
            for (int j = 0; j < x.cols / 4; j++) {
                float *s = x.s + j / 2 * 4 + i * 2 + j % 2;
                const int kv = j / 2 * 8 + j % 2, seen = kv < to && (!c.window || kv >= from);
                const tc_attn_at at = {w->b, h, q, kv0 + kv, 0};
                if (!seen) *s = -TC__INF;
                else if (c.score) *s = c.score(*s * p->scale, at, p->hook) * TC__LOG2E;
            }
        }
        if (c.score && !masked && exists) {
#pragma unroll
            for (int j = 0; j < x.cols / 4; j++) {
                float *s = x.s + j / 2 * 4 + i * 2 + j % 2;
                const tc_attn_at at = {w->b, h, q, kv0 + j / 2 * 8 + j % 2, 0};
                *s = c.score(*s * p->scale, at, p->hook) * TC__LOG2E;
            }
        }
        if (partial && masked) {
#pragma unroll
            for (int j = 0; j < x.cols / 4; j++) {
                float *s = x.s + j / 2 * 4 + i * 2 + j % 2;
                const int kv = j / 2 * 8 + j % 2, seen = kv < to && (!c.window || kv >= from);
                const tc_attn_at at = {w->b, h, q, kv0 + kv, 0};
                if (seen && !c.mask(at, p->hook)) *s = -TC__INF;
            }
        }
        if (partial && !masked && exists) {
#pragma unroll
            for (int j = 0; j < x.cols / 4; j++) {
                float *s = x.s + j / 2 * 4 + i * 2 + j % 2;
                const tc_attn_at at = {w->b, h, q, kv0 + j / 2 * 8 + j % 2, 0};
                if (!c.mask(at, p->hook)) *s = -TC__INF;
            }
        }
    }
    return (masked && tc__attn_few(c, w)) || partial;
}

/* The two rows of a lane: the value that exp is taken relative to, this lane's part of the sum, and by how much
 * rounding P to 16 bits has changed that part, where it was looked at. */
typedef struct tc_attn_rows {
    float *o; /* the fragment of O */
    int row;  /* of the tile of work: the first one of lane 0 */
    float max[2], sum[2], rounding[2];
} tc_attn_rows;

TC_DEV void tc_attn_rows_init(tc_attn_rows *r)
{
    r->max[0] = r->max[1] = -TC__INF;
    r->sum[0] = r->sum[1] = 0.f;
    r->rounding[0] = r->rounding[1] = 0.f;
}

/* The largest of a lane's own scores in row i. late: how many of the four chains of comparisons begin when `from` is
 * known, and not before; it is -inf or NaN. -1: two chains, for want of registers. */
TC_DEV float tc__attn_top(const tc_attn_scores x, const int i, const int late, float from)
{
    float t[4];
    if (late < 0) {
        t[0] = fmaxf(x.s[2 * i], x.s[4 + 2 * i]), t[1] = fmaxf(x.s[2 * i + 1], x.s[5 + 2 * i]);
#pragma unroll
        for (int j = 2; j < x.cols / 8; j++) {
            t[0] = fmaxf(t[0], x.s[4 * j + 2 * i]);
            t[1] = fmaxf(t[1], x.s[4 * j + 2 * i + 1]);
        }
        return fmaxf(t[0], t[1]);
    }
#pragma unroll
    for (int e = 0; e < 4; e++) t[e] = x.s[e / 2 * 4 + 2 * i + e % 2];
#pragma unroll
    for (int e = 4 - late; e < 4; e++) t[e] = fmaxf(t[e], from);
#pragma unroll
    for (int j = 2; j < x.cols / 8; j++) {
        t[j % 2 * 2] = fmaxf(t[j % 2 * 2], x.s[4 * j + 2 * i]);
        t[j % 2 * 2 + 1] = fmaxf(t[j % 2 * 2 + 1], x.s[4 * j + 2 * i + 1]);
    }
    return fmaxf(fmaxf(t[0], t[1]), fmaxf(t[2], t[3]));
}

/* The larger of a row's x over the four lanes that share it. */
TC_DEV float tc__attn_quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/* By how much rounding to 16 bits changes the sum of row i's probabilities. */
TC_DEV_SM80 float tc__attn_rounding(const int type, const float *s, const int cols, const int i)
{
    float sum = 0.f;
#pragma unroll
    for (int j = 0; j < cols / 8; j++) {
        const float *x = s + 4 * j + 2 * i;
        const uint32_t w = tc_pack(type, x[0], x[1]);
        sum += tc_unpack(type, w & 0xffffu) - x[0] + (tc_unpack(type, w >> 16) - x[1]);
    }
    return sum;
}

/* x.few: that of both rows, beside their sums. */
TC_DEV_SM80 void tc__attn_add_rounding(const tc_attn_config c, const tc_attn_scores x, tc_attn_rows *r)
{
    if (!x.few) return;
#pragma unroll
    for (int i = 0; i < 2; i++) r->rounding[i] += tc__attn_rounding(c.type, x.s, x.cols, i);
}

/* What is added in the exponent. */
TC_DEV float tc__attn_shift(const tc_attn_scores x, float base)
{
    return x.up ? fmaf(-base, x.scale, (float)x.up) : -base * x.scale;
}

/* tc_attn_softmax of kernels with a mask hook: both rows at once, and lanes ask their neighbours only where a maximum
 * rose. In one row after the other ptxas found no place for P beside the products, and serialised them. */
TC_DEV_SM80 int tc__attn_softmax_both(const tc_attn_scores x, tc_attn_rows *r, float *f)
{
    const float top[2] = {tc__attn_top(x, 0, -1, 0.f), tc__attn_top(x, 1, -1, 0.f)}, scale = x.scale;
    const int rise = __any_sync(0xffffffffu, top[0] > r->max[0] || top[1] > r->max[1]);
    float shift[2];
    if (rise) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float to = tc__attn_quad_max(fmaxf(r->max[i], top[i])), base = to == -TC__INF ? 0.f : to;
            f[i] = tc__exp2((r->max[i] - base) * scale);
            r->sum[i] *= f[i];
            r->rounding[i] *= f[i];
            r->max[i] = to;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) shift[i] = r->max[i] == -TC__INF ? 0.f : tc__attn_shift(x, r->max[i]);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float a = 0.f, b = 0.f;
#pragma unroll
        for (int j = 0; j < x.cols / 8; j++) {
            float *p = x.s + 4 * j + 2 * i;
            p[0] = tc__exp2(fmaf(p[0], scale, shift[i]));
            p[1] = tc__exp2(fmaf(p[1], scale, shift[i]));
            a += p[0];
            b += p[1];
        }
        r->sum[i] += a + b;
    }
    return rise;
}

/* A row on its way through the softmax: what is added in the exponent; its probabilities' sum so far, in two parts. */
typedef struct tc__attn_row_open {
    float shift, a, b;
    int rise; /* it has a new maximum */
} tc__attn_row_open;

/* A row's sum begins with what O is multiplied by, times 0: else ptxas leaves that power of 2 to the last, and all of
 * O's multiplications stand behind the exponentials. In nvcc 13.0 it gains 5 to 8 % of 128 queries of 64 columns, and
 * costs 3 % of 192 whose second row is not added up later, and of 128 columns that are. */
TC_DEV int tc__attn_seeds(const tc_attn_config c, const tc_attn_scores x)
{
    return c.causal && (tc__attn_wide(c) > 64 ? !tc__attn_waits(c, x) : c.bm != 192 || tc__attn_waits(c, x));
}

/* Of the second row's four chains of comparisons so many wait for the first row's maximum, where the compiler would
 * else make them before the first row's exponentials. */
TC_DEV int tc__attn_late(const tc_attn_config c, const tc_attn_scores x)
{
    const int wide = tc__attn_wide(c);
    if (wide > 64) return wide > 128 ? 4 : c.causal ? 0 : 2;
    return tc__attn_waits(c, x) && !(c.causal && c.bm == 192) ? 0 : 2;
}

/* Row i: its maximum, and what was added up before under the old one. Where every row sees a finite score nothing asks
 * for -inf. */
TC_DEV_SM80 tc__attn_row_open tc__attn_row_begin(const tc_attn_config c, const tc_attn_scores x, const int i,
                                                 tc_attn_rows *r, float *f)
{
    const int late = i == 1 ? tc__attn_late(c, x) : 0;
    const float from = late ? fmaf(r->max[0], 0.f, -TC__INF) : 0.f, top = tc__attn_top(x, i, late, from),
                to = tc__attn_quad_max(fmaxf(r->max[i], top)),
                base = (x.edges || c.score) && to == -TC__INF ? 0.f : to;
    tc__attn_row_open o = {tc__attn_shift(x, base), 0.f, 0.f, to > r->max[i]};
    f[i] = tc__exp2((r->max[i] - base) * x.scale);
    if (tc__attn_seeds(c, x)) o.b = f[i] * 0.f;
    r->sum[i] *= f[i];
    r->rounding[i] *= f[i];
    r->max[i] = to;
    return o;
}

/* Its exponentials of columns 8 * from to 8 * to. */
TC_DEV_SM80 void tc__attn_row_exp2(const tc_attn_config c, const tc_attn_scores x, const int i, const int from,
                                   const int to, tc__attn_row_open *o)
{
#pragma unroll
    for (int j = from; j < to; j++) {
        float *p = x.s + 4 * j + 2 * i;
        p[0] = tc__exp2(fmaf(p[0], x.scale, o->shift));
        p[1] = tc__exp2(fmaf(p[1], x.scale, o->shift));
        if (8 * j >= x.cols - tc__attn_later(x, i)) continue;
        o->a = j == 0 ? p[0] : o->a + p[0];
        o->b = j == 0 && !tc__attn_seeds(c, x) ? p[1] : o->b + p[1];
    }
}

/* What of them is added up now. */
TC_DEV void tc__attn_row_end(const tc_attn_scores x, const int i, const tc__attn_row_open o, tc_attn_rows *r)
{
    if (tc__attn_later(x, i) < x.cols) r->sum[i] += o.a + o.b;
}

/* Scores to exp2(score * scale - max), in place; adds them to the sums. What was added up before is to be multiplied by
 * f[0], f[1], unless the return value is 0: then no row of the warp has a new maximum.
 * x.few: rows may see few keys here (there is a mask), so that the rounding of a single P counts: O is then divided by
 * what was multiplied. (Not so everywhere: that would cost 10 %. And to let a maximum rise a little before anything
 * is multiplied would gain some, but be less exact by 3 to 14 %: the largest P, which is 1, would have to be rounded.)
 * One row after the other: while the first one's exponentials are computed, the second one's maximum can be found.
 * To ask whether any maximum rose pays where O is wide; else the multiplications by 1 hide behind the exponentials, and
 * the question would not. tc_attn_softmax_head and _tail are the two halves of it, for who has something to do between:
 * the first row up to column 8 * columns, and the rest. */
TC_DEV_SM80 tc__attn_row_open tc_attn_softmax_head(const tc_attn_config c, const tc_attn_scores x, const int columns,
                                                   tc_attn_rows *r, float *f)
{
    tc__attn_row_open o = tc__attn_row_begin(c, x, 0, r, f);
    tc__attn_row_exp2(c, x, 0, 0, columns, &o);
    return o;
}
TC_DEV_SM80 int tc_attn_softmax_tail(const tc_attn_config c, const tc_attn_scores x, const int columns,
                                     tc__attn_row_open first, tc_attn_rows *r, float *f)
{
    tc__attn_row_open o = first;
    int rise;
    tc__attn_row_exp2(c, x, 0, columns, x.cols / 8, &o);
    tc__attn_row_end(x, 0, o, r);
    o = tc__attn_row_begin(c, x, 1, r, f);
    rise = first.rise | o.rise;
    tc__attn_row_exp2(c, x, 1, 0, x.cols / 8, &o);
    tc__attn_row_end(x, 1, o, r);
    tc__attn_add_rounding(c, x, r);
    return tc__attn_wide(c) <= 128 || __any_sync(0xffffffffu, rise);
}
TC_DEV_SM80 int tc_attn_softmax(const tc_attn_config c, const tc_attn_scores x, tc_attn_rows *r, float *f)
{
    if (c.mask) {
        const int rise = tc__attn_softmax_both(x, r, f);
        tc__attn_add_rounding(c, x, r);
        return rise;
    }
    return tc_attn_softmax_tail(c, x, 0, tc_attn_softmax_head(c, x, 0, r, f), r, f);
}

/* What is left of the sums, while P is still in x.s, and before the next tile's maxima are known. */
TC_DEV void tc_attn_add_later(const tc_attn_scores x, tc_attn_rows *r)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int from = (x.cols - tc__attn_later(x, i)) / 8;
        if (tc__attn_later(x, i) == 0) continue;
        float a = x.s[4 * from + 2 * i], b = x.s[4 * from + 2 * i + 1];
#pragma unroll
        for (int j = from + 1; j < x.cols / 8; j++) a += x.s[4 * j + 2 * i], b += x.s[4 * j + 2 * i + 1];
        r->sum[i] = __fadd_rn(r->sum[i], a + b); /* and in no kernel a multiply-add with what it was scaled by */
    }
}

/* The patch of dropout that holds a lane's eight probabilities of 16 rows of a tile, from `row` on, by 16 keys from kv
 * on; heads do not share the tile. */
TC_DEV tc__dropout_patch tc__attn_patch(const tc_attn_work *w, int row, int kv)
{
    const int lane = tc_lane();
    const tc__dropout_patch at = {(uint32_t)(kv / 4 + lane % 4), (uint32_t)((w->q0 + row) / 2 + lane / 4),
                                  (uint32_t)w->h, (uint32_t)w->b};
    return at;
}

/* Those of them that are dropped to 0. */
TC_DEV void tc__attn_drop_8(const tc__dropout *d, const tc__dropout_patch at, float *s)
{
    uint32_t w[4];
    tc__dropout_words(d, at, w);
#pragma unroll
    for (int e = 0; e < 8; e++)
        if (tc__dropout_drops(d, w[e % 2 * 2 + e / 4], e / 2 % 2)) s[e] = 0.f;
}

/* The same of all columns, after tc_attn_softmax, whose sums are those without dropout. tc_attn_finish multiplies by
 * 1 / (1 - p). */
TC_DEV void tc_attn_drop(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                         const tc_attn_scores x)
{
    if (!c.dropout) return;
#pragma unroll
    for (int i = 0; i < x.cols / 16; i++)
        tc__attn_drop_8(tc__dropout_in(p->hook), tc__attn_patch(w, x.row, x.n * c.bn + i * 16), x.s + 8 * i);
}

/* P as the A operand of the second product: `cols` columns of probabilities to 16-bit pairs, 4 registers for each 16
 * columns. */
TC_DEV_SM80 void tc_attn_pack(const int type, const float *s, const int cols, uint32_t *a)
{
#pragma unroll
    for (int i = 0; i < cols / 4; i++) a[i] = tc_pack(type, s[2 * i], s[2 * i + 1]);
}

TC_DEV void tc_attn_rescale(float *o, const int cols, const float *f)
{
#pragma unroll
    for (int i = 0; i < cols / 2; i++) o[i] *= f[i / 2 % 2];
}

/* 4 words of each of the 4 lanes of a quad, transposed: lane q gets word q of all, in the order of the lanes. n is
 * 4, or 2 for half of it: then lane q gets the words of lanes q & ~1, q | 1 that belong to w[q & 1]. */
TC_DEV void tc__attn_transpose(uint32_t *w, const int n)
{
    const int odd = tc_lane() & 1, high = tc_lane() & 2;
#pragma unroll
    for (int i = 0; i < n; i += 2) {
        const uint32_t got = __shfl_xor_sync(0xffffffffu, odd ? w[i] : w[i + 1], 1), kept = odd ? w[i + 1] : w[i];
        w[i] = odd ? got : kept;
        w[i + 1] = odd ? kept : got;
    }
    if (n == 4) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t got = __shfl_xor_sync(0xffffffffu, high ? w[i] : w[i + 2], 2), kept = high ? w[i + 2] : w[i];
            w[i] = high ? got : kept;
            w[i + 2] = high ? kept : got;
        }
    }
}

/* A row's end: the sum of its probabilities relative to 2^top, the same of what was multiplied, what O is to be
 * multiplied by. */
typedef struct tc__attn_end {
    float sum, top, rounded, inverse;
} tc__attn_end;

TC_DEV float tc__attn_lse(const tc__attn_end *e)
{
    return e->sum == 0.f ? -TC__INF : (e->top + tc__log2(e->sum)) * TC__LN2;
}

/* A sink is one more key, without a value: its score in natural units. */
TC_DEV void tc__attn_add_sink(float score, tc__attn_end *e)
{
    const float sink = score * TC__LOG2E, high = fmaxf(e->top, sink);
    const float mine = e->top == -TC__INF ? 0.f : tc__exp2(e->top - high),
                other = sink == -TC__INF ? 0.f : tc__exp2(sink - high);
    e->rounded = e->rounded * mine + other;
    e->inverse = e->rounded == 0.f ? 0.f : mine * tc__inverse(e->rounded);
    e->sum = e->sum * mine + other;
    e->top = high;
}

/* The end of 16 rows of a tile: o divided by the sums, through the output hook, and the log-sum-exp stored. row: of
 * the tile, that of o[0] in lane 0. A row that nothing was added to gives 0 and -inf. */
TC_DEV_SM80 void tc_attn_finish(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                                const tc_attn_rows *r)
{
    float *o = r->o;
    const int lane = tc_lane();
    const float scale = tc_attn_scale(c, p);
    float *lse = p->lse + ((long long)tc__attn_outer_q(p, w) * p->lse_batch + w->q_at);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int tile_row = r->row + lane / 4 + i * 8;
        tc__attn_end end = {r->sum[i], r->max[i] == -TC__INF ? -TC__INF : r->max[i] * scale,
                            r->sum[i] + r->rounding[i], 0.f};
        end.sum += __shfl_xor_sync(0xffffffffu, end.sum, 1);
        end.sum += __shfl_xor_sync(0xffffffffu, end.sum, 2);
        end.rounded += __shfl_xor_sync(0xffffffffu, end.rounded, 1);
        end.rounded += __shfl_xor_sync(0xffffffffu, end.rounded, 2);
        end.inverse = end.sum == 0.f ? 0.f : tc__inverse(end.rounded);
        if (c.sink || c.out || p->lse) {
            const tc_attn_at row = tc__attn_row(p, w, tile_row);
            const int q = row.q, h = row.h, exists = tc__attn_row_exists(p, w, tile_row, q);
            if (c.sink && exists) {
                const tc_attn_at at = {w->b, h, 0, 0, 0};
                tc__attn_add_sink(c.sink(at, p->hook), &end);
            }
            if (p->lse && exists && lane % 4 == 0)
                lse[h * p->lse_head + q] = tc__attn_lse(&end);
            if (c.out && exists) {
                if (c.dropout) end.inverse *= tc__dropout_in(p->hook)->scale;
#pragma unroll
                for (int j = 0; j < c.head_dim_v / 8; j++) {
                    const int d = j * 8 + lane % 4 * 2;
                    const tc_attn_at even = {w->b, h, q, 0, d}, odd = {w->b, h, q, 0, d + 1};
                    o[4 * j + 2 * i] = c.out(o[4 * j + 2 * i] * end.inverse, even, p->hook);
                    o[4 * j + 2 * i + 1] = c.out(o[4 * j + 2 * i + 1] * end.inverse, odd, p->hook);
                }
            }
        }
        if (c.out == 0) {
            if (c.dropout) end.inverse *= tc__dropout_in(p->hook)->scale;
#pragma unroll
            for (int j = 0; j < c.head_dim_v / 8; j++) {
                o[4 * j + 2 * i] *= end.inverse;
                o[4 * j + 2 * i + 1] *= end.inverse;
            }
        }
    }
}

/* Where the two rows of a lane begin in O, and whether they exist. row: of the tile, that of lane 0. */
typedef struct tc__attn_place_of_rows {
    uint16_t *to[2];
    int exists[2];
} tc__attn_place_of_rows;

TC_DEV tc__attn_place_of_rows tc__attn_rows_at(const tc_attn_problem *p, const tc_attn_work *w, int row)
{
    tc__attn_place_of_rows r;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const tc_attn_at at = tc__attn_row(p, w, row + tc_lane() / 4 + i * 8);
        r.exists[i] = tc__attn_row_exists(p, w, row + tc_lane() / 4 + i * 8, at.q);
        r.to[i] = (uint16_t *)p->o
                  + ((long long)tc__attn_outer_q(p, w) * p->o_batch + (long long)(w->q_at + at.q) * p->o_row
                     + at.h * p->o_head);
    }
    return r;
}

/* Columns col .. col + 8 n - 1 (n is 4, or 2) of those rows from their fragment o: 16 or 8 bytes a lane, 64 or 32 of a
 * row by a quad; rows that do not exist are left out. */
typedef struct tc__attn_piece {
    int type, n, col;
} tc__attn_piece;

TC_DEV_SM80 void tc__attn_store_piece(const tc__attn_piece piece, const float *o, const tc__attn_place_of_rows *at)
{
    const int lane = tc_lane(), n = piece.n;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint16_t *to = at->to[i] + piece.col;
        uint32_t x[4];
#pragma unroll
        for (int e = 0; e < n; e++) x[e] = tc_pack(piece.type, o[4 * e + 2 * i], o[4 * e + 2 * i + 1]);
        tc__attn_transpose(x, n);
        if (at->exists[i] && n == 4) *(uint4 *)(to + lane % 4 * 8) = make_uint4(x[0], x[1], x[2], x[3]);
        if (at->exists[i] && n == 2) *(uint2 *)(to + lane % 2 * 8 + lane % 4 / 2 * 4) = make_uint2(x[0], x[1]);
    }
}

/* All columns of a lane's rows to O. */
TC_DEV_SM80 void tc_attn_store(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                               const tc_attn_rows *r)
{
    const tc__attn_place_of_rows at = tc__attn_rows_at(p, w, r->row);
#pragma unroll
    for (int j = 0; j < c.head_dim_v / 8; j += 4) {
        const tc__attn_piece piece = {tc__attn_o_type(c), c.head_dim_v / 8 - j < 4 ? 2 : 4, j * 8};
        tc__attn_store_piece(piece, r->o + 4 * j, &at);
    }
}

/* A tile that has no key to attend: 0 (through the output hook) and -inf, or the sink. By one warp. */
TC_DEV void tc__attn_store_nothing(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w)
{
#pragma unroll 1
    for (int i = 0; i < p->tile_q * p->group; i++) {
        const tc_attn_at row = tc__attn_row(p, w, i);
        const int q = row.q, h = row.h;
        if (q < w->q_len) {
            if (p->lse && tc_lane() == 0) {
                const tc_attn_at at = {w->b, h, 0, 0, 0};
                p->lse[(long long)tc__attn_outer_q(p, w) * p->lse_batch + h * p->lse_head + w->q_at + q] =
                    c.sink ? c.sink(at, p->hook) : -TC__INF;
            }
            uint16_t *to = (uint16_t *)p->o
                           + ((long long)tc__attn_outer_q(p, w) * p->o_batch + (long long)(w->q_at + q) * p->o_row
                              + h * p->o_head);
#pragma unroll 1
            for (int d = tc_opaque(tc_lane()); d < c.head_dim_v; d += 32) { /* few registers: kept by nobody */
                const tc_attn_at at = {w->b, h, q, 0, d};
                const float x = c.out ? c.out(0.f, at, p->hook) : 0.f;
                to[d] = tc__attn_o_type(c) == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
            }
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_SOFTMAX_H */
