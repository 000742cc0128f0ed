/* tc_gemm_each.h - tc 0.2.0 - groups that are products of their own (.groups = TC_GROUPS_ARRAY): which tile of them
 * comes when, what the device knows of one. Needs: the headers below. The manual stands above tc_gemm_groups in
 * tc_gemm_config.h.
 *
 *     tc__each                      what a kernel is told
 *     tc__each_walk, tc__each_find  the tiles of all products, in one line: which product's is number `index`
 *     tc__each_of                   that product, and whether it can be computed
 *
 * The line has no table: a warp walks along it, 32 products at a time, whose tiles its lanes count and add up, and
 * keeps what lies behind it. So a block that takes every so-many-th tile reads each product's size once or twice, there
 * may be any number of products, and warps have nothing to tell each other.
 */
#ifndef TC_GEMM_EACH_H
#define TC_GEMM_EACH_H

#include "tc_gemm_config.h"

/* Of the view whose D is row-major. */
typedef struct tc__each {
    tc_gemm_each at;
    int count, m, n, k; /* products; the most that one has */
    tc_divide by_m, by_n; /* rows of a tile, columns */
    uint32_t strip;       /* about so many tiles along a product's rows go together */
} tc__each;

#ifdef __CUDACC__

/* A size as an array says it, kept inside 0 .. most; without one it is most. */
TC_DEV int tc__each_size(const int32_t *at, int i, int most)
{
    const int x = at ? at[i] : most;
    return x < 0 ? 0 : x > most ? most : x;
}

/* How far a warp has come: tiles of all products before number `first`, a multiple of 32. */
typedef struct tc__each_walk {
    uint32_t before;
    int first;
} tc__each_walk;

/* A tile of product number `product` (-1: there is none such), as number `along` along its rows, `across` across. */
typedef struct tc__each_tile {
    int product;
    uint32_t along, across;
} tc__each_tile;

TC_DEV uint32_t tc__each_tiles(const tc_divide by, int x) { return tc_quotient((uint32_t)x + by.by - 1u, by); }

/* Tile number index of all products; not one before those that this walk has found. All lanes of a warp ask
 * together. */
TC_DEV tc__each_tile tc__each_find(const tc__each *e, tc__each_walk *w, uint32_t index)
{
    const uint32_t all_lanes = 0xffffffffu;
    const int lane = (int)(threadIdx.x % 32u);
    tc__each_tile r = {-1, 0u, 0u};
#pragma unroll 1
    for (; w->first < e->count; w->first += 32) {
        const int i = w->first + lane, there = i < e->count;
        uint32_t m = there ? tc__each_tiles(e->by_m, tc__each_size(e->at.m, i, e->m)) : 0u;
        uint32_t n = there ? tc__each_tiles(e->by_n, tc__each_size(e->at.n, i, e->n)) : 0u;
        uint32_t sum = m * n;
#pragma unroll
        for (int step = 1; step < 32; step *= 2) {
            const uint32_t before = __shfl_up_sync(all_lanes, sum, (unsigned)step);
            if (lane >= step) sum += before;
        }
        const uint32_t total = __shfl_sync(all_lanes, sum, 31), in = index - w->before;
        if (in < total) {
            const int at = __popc(__ballot_sync(all_lanes, sum <= in));
            const uint32_t in_product = in - (__shfl_sync(all_lanes, sum, at) - __shfl_sync(all_lanes, m * n, at));
            m = __shfl_sync(all_lanes, m, at), n = __shfl_sync(all_lanes, n, at);
            const uint32_t strip = tc_strip_size(m, (m + e->strip / 2u) / e->strip), span = strip * n;
            const uint32_t first = in_product / span * strip, rest = in_product % span;
            const uint32_t size = m - first < strip ? m - first : strip;
            r.product = w->first + at, r.across = rest / size, r.along = first + rest % size;
            return r;
        }
        w->before += total;
    }
    return r;
}

/* One product; k: 0 where it cannot be computed (good is 0 then). */
typedef struct tc__each_product {
    const void *a, *b;
    long long lda, ldb;
    int m, n, k, good;
    const void *c;
    void *d;
    long long ldc, ldd;
    uint32_t bits_cd; /* of addresses and pitches in bytes: which alignment C and D have */
} tc__each_product;

/* What the call says of all: of the view, too. */
typedef struct tc__each_call {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    const tc_gemm_out *out;
    int beta; /* is C read? */
} tc__each_call;

/* A matrix of elements of `size` bytes, whose lines have `least` elements: */
typedef struct tc__each_matrix {
    const char *at;
    long long ld;
    int size, least;
} tc__each_matrix;

/* 1 where it can be read. */
TC_DEV int tc__each_good(const tc__each_matrix x)
{
    return x.at && ((uint32_t)(uintptr_t)x.at & (uint32_t)(x.size - 1)) == 0u && x.ld >= x.least;
}

TC_DEV uint32_t tc__each_bits(const tc__each_matrix x)
{
    return (uint32_t)(uintptr_t)x.at | (uint32_t)(x.ld * x.size);
}

/* Product number i. c: a view. */
TC_DEV tc__each_product tc__each_of(tc_gemm_config_in c, const tc__each *e, const tc__each_call *call, int i)
{
    const tc_gemm_each *at = &e->at;
    const tc_gemm_out *o = call->out;
    const int size = tc_type_bits(c.a) / 8, size_d = tc_type_bits(c.d) / 8;
    const int size_c = tc_type_bits(tc__gemm_c(c)) / 8;
    const int m = tc__each_size(at->m, i, e->m), n = tc__each_size(at->n, i, e->n);
    const int k = tc__each_size(at->k, i, e->k);
    const tc__each_matrix a = {at->a ? (const char *)at->a[i] : (const char *)call->a + i * call->stride_a * size,
                               at->lda ? at->lda[i] : call->lda, size, tc__gemm_a_col(c) ? m : k};
    const tc__each_matrix b = {at->b ? (const char *)at->b[i] : (const char *)call->b + i * call->stride_b * size,
                               at->ldb ? at->ldb[i] : call->ldb, size, tc__gemm_b_row(c) ? n : k};
    const tc__each_matrix d = {at->d ? (const char *)at->d[i] : (const char *)o->d + i * o->stride_d * size_d,
                               at->ldd ? at->ldd[i] : o->ldd, size_d, n};
    tc__each_matrix x = d; /* C, where it is read */
    tc__each_product r;
    if (call->beta) {
        x.size = size_c;
        x.at = at->c ? (const char *)at->c[i] : (const char *)o->c + i * o->stride_c * size_c;
        x.ld = at->ldc ? at->ldc[i] : o->ldc;
    }
    r.good = (k == 0 || (tc__each_good(a) && tc__each_good(b))) && tc__each_good(d) && tc__each_good(x)
          && !(c.epi2 && n % 2);
    r.a = a.at, r.b = b.at, r.lda = a.ld, r.ldb = b.ld;
    r.m = m, r.n = n, r.k = r.good ? k : 0;
    r.c = x.at, r.d = (void *)(uintptr_t)d.at, r.ldc = x.ld, r.ldd = d.ld;
    r.bits_cd = tc__each_bits(d) | tc__each_bits(x);
    return r;
}

/* The call's D with the product's in its place. */
TC_DEV tc_gemm_out tc__each_out(const tc_gemm_out *call, const tc__each_product *x)
{
    tc_gemm_out o = *call;
    o.m = x->m, o.n = x->n;
    o.c = x->c, o.ldc = x->ldc, o.stride_c = 0;
    o.d = x->d, o.ldd = x->ldd, o.stride_d = 0;
    return o;
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Of a checked call; v, g: of the view. */
TC_HOST tc__each tc__each_make(const tc_gemm_config *v, const tc_gemm_args *g, const tc_tiles *tiles)
{
    const int64_t rows = ((int64_t)g->m + v->bm - 1) / v->bm;
    tc__each x;
    memset((void *)&x, 0, sizeof x);
    if (v->groups != TC_GROUPS_ARRAY) return x;
    x.at = g->groups.each;
    x.count = g->groups.count, x.m = g->m, x.n = g->n, x.k = g->k;
    x.by_m = tc_divide_by((uint32_t)v->bm), x.by_n = tc_divide_by((uint32_t)v->bn);
    x.strip = tiles->group ? tiles->group : 1u;
    if (x.strip > rows && rows > 0) x.strip = (uint32_t)rows;
    return x;
}

#endif /* host */
#endif /* TC_GEMM_EACH_H */
