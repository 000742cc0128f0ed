/* tc_gemm_rows.h - tc 0.2.0 - softmax of D's rows, and the largest of each, where a row lies in one tile.
 * Needs: the headers below.
 *
 * A router of experts, a small head: n is at most a tile's width, so that the product's kernel itself can do what
 * tc_rows.h does to rows in memory:
 *
 *     TC_GEMM_DEFINE(route, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .rows = TC_SOFTMAX, .top = 8, .renorm = 1)
 *     tc_gemm_args args = { .m = tokens, .n = experts, ..., .d = P, .ldd = experts,
 *                           .top = { .values = weights, .index = chosen } };
 *
 * FIELDS of TC_GEMM_DEFINE (TC_F16, TC_BF16; n up to 256), TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE (n up to .bn)
 *     .rows           TC_SOFTMAX, TC_LOG_SOFTMAX: what D's rows become of x = hook(alpha * A * B + beta * C), in f32,
 *                     before they are rounded; 0: they stay x
 *     .top, .renorm   as tc_rows.h has them: K, at most 32, of the largest x of each row
 * ARGS. top.values (f32) and top.index (s32): m rows of .top, top.ldv and top.ldi from a row to the next (0: .top), the
 * batch's matrices after each other; either may be null. top.lse: m floats, or null. n from .top on: what
 * is wider is a product with D in f32, and NAME_run of TC_ROWS_DEFINE behind it. alpha is the scale.
 *     Order, what is not finite, a row of -inf: as tc_rows.h has it.
 *
 * Not with .swap, .step, .split, .cluster_k, .groups, .index, .gate, .aux, sums of rows and columns, a quantised D, D
 * in columns, sums in f16, .weights, tiles that are not computed. TC_GEMM_SM80_DEFINE wants .warps_n 1, 2 or 4.
 * TC_GEMM_DEFINE takes its wide kernel on Hopper, its sm_80 ones on all other devices, and for rows that TMA refuses.
 * With few rows and a long k such a tile keeps most multiprocessors idle: a product whose k is split, and
 * TC_ROWS_DEFINE's pass, are faster then.
 *
 * HOW. 16 rows of a warp's sums go through its shared memory, some at a time (SM90: 4 KB, SM80: all), so that a row
 * lies with neighbouring lanes, 8 elements each (SM80: of warps that share rows each takes some); and from there, D
 * too, to memory, 16 bytes a lane where they fit.
 */
#ifndef TC_GEMM_ROWS_H
#define TC_GEMM_ROWS_H

#include "tc_gemm_config.h"
#include "tc_rows_work.h"

enum { TC__GEMM_ROWS_MOST = 256 }; /* columns of TC_GEMM_DEFINE's tiles */

/* What a kernel is told of it, in the last bytes of tc_gemm_out.epi. */
typedef struct tc__gemm_rows_out {
    float *values, *lse;
    int32_t *index;
    long long ldv, ldi;
} tc__gemm_rows_out;

#ifdef __CUDACC__

/* Rows of sums in shared memory: of 16 those from `row` on, `count` of them, each `pitch` bytes after the one before.
 * Each `chunks` of 8 columns lie `apart` bytes behind those before (0: all lie together). */
typedef struct tc__gemm_staged {
    uint32_t at;
    int pitch, row, count, chunks, apart;
    tc_gemm_at first; /* of the 16 */
} tc__gemm_staged;

/* Lanes of a row: 8 columns each; a power of 2. */
TC_HD TC_CONSTEXPR int tc__gemm_rows_lanes(tc_gemm_config_in c)
{
    const int most = c.bn / 8 > c.top ? c.bn / 8 : c.top;
    return most > 16 ? 32 : most > 8 ? 16 : most > 4 ? 8 : most > 2 ? 4 : most > 1 ? 2 : 1;
}

/* x of a lane's 8 columns of a row: -inf where there are none. */
TC_DEV void tc__gemm_rows_x(tc_gemm_config_in c, const tc_gemm_out *o, uint32_t from, tc_gemm_at at, int n, float *x)
{
    const tc_epi e = {c.d, 0, 0, c.epi, c.epi2, 0, 0, 0, 0, c.d, 0, 0, 0, 0};
    if (at.col < n) {
#pragma unroll
        for (int i = 0; i < 8; i += 4)
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[i]), "=f"(x[i + 1]), "=f"(x[i + 2]), "=f"(x[i + 3])
                         : "r"(from + (uint32_t)i * 4u) : "memory");
    }
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
        tc_gemm_at here = at;
        here.col += i;
        if (here.col >= n) {
            x[i] = x[i + 1] = -TC__INF;
            continue;
        }
        x[i] *= o->alpha, x[i + 1] *= o->alpha;
        if (o->beta != 0.f) x[i] += o->beta * tc__epi_read_c(tc__gemm_c(c), o, here);
        if (here.col + 1 < n) {
            tc_gemm_at next = here;
            next.col++;
            if (o->beta != 0.f) x[i + 1] += o->beta * tc__epi_read_c(tc__gemm_c(c), o, next);
            tc__epi_hook(e, o, x + i, here);
        } else {
            if (c.epi) x[i] = c.epi(x[i], here, o->epi);
            x[i + 1] = -TC__INF;
        }
    }
}

/* The largest of a row, that a group has in x. */
TC_DEV void tc__gemm_rows_top(tc_gemm_config_in c, const tc__gemm_rows_out *w, const tc__rows_group *g,
                              const tc_rows_sum *s, const tc__rows_keys k, long long row)
{
    const int has = g->in < c.top && k.n > 0;
    tc__rows_list l = {0, 0, 0};
    float x;
    tc__rows_largest_of(c.top, 8, g, &l, k);
    x = has ? tc_rows_unrank(l.mine) : c.rows ? -TC__INF : 0.f;
    x = tc__rows_value(c.rows, c.renorm, g, s, x);
    if (has && w->values) w->values[row * w->ldv + g->in] = x;
    if (has && w->index) w->index[row * w->ldi + g->in] = tc_rows_col(l.mine);
}

/* Staged rows to D and all else: for all lanes of a warp. spread: chunk i of row j lies at i ^ j % 4. */
TC_DEV_SM75 void tc__gemm_rows_end(tc_gemm_config_in c, const tc_gemm_out *o, const int spread,
                                   const tc__gemm_staged t)
{
    const tc__gemm_rows_out *w = (const tc__gemm_rows_out *)(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES);
    const int lanes = tc__gemm_rows_lanes(c), size = tc_type_bits(c.d) / 8;
    tc__rows_group g = tc__rows_group_of(lanes, 0, 0);
    g.warps = 1, g.warp = 0;
#pragma unroll 1
    for (int i = 0; i < t.count; i += 32 / lanes) {
        const int in = i + g.first / lanes, part = t.apart ? g.in / t.chunks : 0;
        const int chunk = spread ? g.in ^ (in & 3) : g.in - part * t.chunks;
        const uint32_t from = t.at + (uint32_t)(part * t.apart + in * t.pitch + chunk * 32);
        const tc_gemm_at at = {t.first.row + t.row + in, g.in * 8, t.first.batch, 0};
        const int n = in < t.count && at.row < o->m ? o->n : 0;
        const long long row = (long long)at.batch * o->m + at.row;
        tc_rows_sum s = {1.f, 1.4426950408889634f, 0.f, 0.f, 0.f, 0};
        float x[8], y[8], most = -TC__INF, sum = 0.f;
        const tc__rows_keys k = {x, 8, 0, n};
        tc__gemm_rows_x(c, o, from, at, n, x);
        if (c.rows) {
#pragma unroll
            for (int e = 0; e < 8; e++) most = fmaxf(most, x[e]);
            tc_rows_largest(&s, tc__rows_join(TC__ROWS_MAX, lanes, most));
#pragma unroll
            for (int e = 0; e < 8; e++) sum += tc_rows_exp(&s, x[e]);
            tc_rows_total(&s, tc__rows_join(TC__ROWS_SUM, lanes, sum));
            if (w->lse && n && g.in == 0) w->lse[row] = tc_rows_lse(&s);
        }
        if (c.top && (w->values || w->index)) tc__gemm_rows_top(c, w, &g, &s, k, row);
#pragma unroll
        for (int e = 0; e < 8; e++) y[e] = tc_rows_prob(c.rows, &s, x[e]);
        if (at.col < n)
            tc__rows_write(c.d, 8, (char *)o->d + tc__epi_d_at(o, at) * size, y, make_int2(at.col, n));
        __syncwarp();
    }
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The rules for a call. c: complete, so that its tile is known; or TC_GEMM_DEFINE's. */
TC_HOST tc_status tc__gemm_check_rows(const tc_gemm_config *c, const tc_gemm_args *g, int empty)
{
    const tc_gemm_top *t = &g->top;
    const int bn = c->bn ? c->bn : TC__GEMM_ROWS_MOST;
    if (!c->top && (t->values || t->index || t->ldv || t->ldi))
        return tc__fail(TC_ERR_CONFIG, "top.%s is given, but the kernel was generated without .top",
                        t->values ? "values" : t->index ? "index" : t->ldv ? "ldv" : "ldi");
    if (!c->rows && t->lse)
        return tc__fail(TC_ERR_CONFIG, "top.lse is given, but the kernel was generated without .rows");
    if (!tc__gemm_in_tile(*c) || empty) return TC_OK;
    if (g->n > bn)
        return tc__fail(TC_ERR_SIZE, "n = %d is above .bn = %d, but .rows and .top want a row in one tile: "
                        "TC_ROWS_DEFINE (tc_rows.h) takes rows of any width, behind a product", g->n, bn);
    if (g->n < c->top) return tc__fail(TC_ERR_SIZE, "n = %d is less than .top = %d", g->n, c->top);
    if (c->top && !t->values && !t->index)
        return tc__fail(TC_ERR_NULL, "top.values and top.index are null, but the kernel has .top");
    if ((t->ldv && t->ldv < c->top) || (t->ldi && t->ldi < c->top))
        return tc__fail(TC_ERR_PITCH, "top.ld%c = %lld is less than .top = %d", t->ldv && t->ldv < c->top ? 'v' : 'i',
                        (long long)(t->ldv && t->ldv < c->top ? t->ldv : t->ldi), c->top);
    if (((uintptr_t)t->values | (uintptr_t)t->index | (uintptr_t)t->lse) % 4)
        return tc__fail(TC_ERR_ALIGN, "top.values = %p, index = %p, lse = %p: one is not a multiple of 4 bytes",
                        (void *)t->values, (void *)t->index, (void *)t->lse);
    return TC_OK;
}

TC_HOST void tc__gemm_rows_to(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_out *o)
{
    tc__gemm_rows_out w;
    memset((void *)&w, 0, sizeof w);
    w.values = g->top.values, w.lse = g->top.lse, w.index = g->top.index;
    w.ldv = g->top.ldv ? g->top.ldv : c->top, w.ldi = g->top.ldi ? g->top.ldi : c->top;
    memcpy(o->epi + TC_EPI_MAX - TC__OUTPUTS_BYTES, (const void *)&w, sizeof w);
}

#endif /* host */
#endif /* TC_GEMM_ROWS_H */
