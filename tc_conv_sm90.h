/* tc_conv_sm90.h - tc 0.2.0 - the Hopper GEMM's A as what a filter reads of X: im2col by TMA. Needs: the headers below;
 * sm_90a.
 *
 * A's row is a pixel of Y, its block of k one tap of the filter and 128 bytes of channels. One copy brings that block
 * for all rows of a tile: TMA walks over X from the first row's pixel on, line after line of the bounding box in which
 * the filter's first tap moves, with the filter's strides; the tap's distance is added to where it reads, and what then
 * lies outside of X is zeros. So padding, strides and dilation cost nothing, and rows of a tile may be of two images.
 *
 *     bounding box    from -lower to size - 1 + upper - reach along each axis, reach = (filter - 1) * dilation
 *     copy            pixels of a tile, 64 channels of 16 bits; at (channel, first pixel), offset tap * dilation
 *
 * W is as many matrices as a filter has taps, filters by channels: a block's last channels are zeros where a tap has no
 * more. A filter of one tap that reads each pixel once has X as its A, and no map of this kind.
 *
 *     tc__conv_start, _fetch         the producer: a tile's first pixel; a block of k
 *     tc_conv_sm90_params            what the kernel is given
 *     tc__conv90_check, _maps        (host) what TMA's maps can say; the maps of X and W
 */
#ifndef TC_CONV_SM90_H
#define TC_CONV_SM90_H

#include "tc_gemm_sm90_plan.h"

typedef struct tc_conv_sm90_params {
    tc_gemm_sm90_params p; /* first: what the rest of the kernel knows */
    tc_conv_walk walk;
} tc_conv_sm90_params;

#ifdef __CUDACC__

TC_DEV const tc_conv_walk *tc__conv90_walk(const tc_gemm90_block *g)
{
    return &((const tc_conv_sm90_params *)g->p)->walk;
}

TC_DEV tc_conv_pixel tc__conv_start(const tc_gemm90_block *g, int row)
{
    const tc_conv_pixel matrix = {row, 0, 0, 0};
    return tc__conv90_walk(g)->space ? tc__conv_first(tc__conv90_walk(g), row) : matrix;
}

/* A box of X: its first channel and pixel, and the tap's distance from it. */
typedef struct tc__conv_box {
    int channel;
    tc_conv_pixel at;
    tc_conv_size tap;
} tc__conv_box;

#define TC__CONV_LOAD(dim, at, off)                                                                                   \
    if (multicast)                                                                                                    \
        TC_CP_ASYNC_BULK_TENSOR(dim, shared::cluster, im2col, multicast::cluster, , , to.dst, s->map, at, to.full,    \
                                off, s->mask);                                                                        \
    else TC_CP_ASYNC_BULK_TENSOR(dim, shared::cluster, im2col, , , , to.dst, s->map, at, to.full, off)

TC_DEV_SM90 void tc__conv_load_1(const int multicast, const tc_operand_source *s, tc__conv_box b, tc_operand_to to)
{
    TC__CONV_LOAD(3d, (b.channel, b.at.w, b.at.n), (b.tap.w));
}
TC_DEV_SM90 void tc__conv_load_2(const int multicast, const tc_operand_source *s, tc__conv_box b, tc_operand_to to)
{
    TC__CONV_LOAD(4d, (b.channel, b.at.w, b.at.h, b.at.n), (b.tap.w, b.tap.h));
}
TC_DEV_SM90 void tc__conv_load_3(const int multicast, const tc_operand_source *s, tc__conv_box b, tc_operand_to to)
{
    TC__CONV_LOAD(5d, (b.channel, b.at.w, b.at.h, b.at.d, b.at.n), (b.tap.w, b.tap.h, b.tap.d));
}

/* Block number at.kb of k. */
TC_DEV_SM90 void tc__conv_fetch(const tc__gemm90_fetching f, const tc_gemm90_block *g, const tc__gemm90_sources *s,
                                tc__gemm90_fetch_at at)
{
    const tc_gemm_config c = f.c;
    const tc_conv_walk *w = tc__conv90_walk(g);
    const uint32_t full = tc_pipe_full(g->pipe, at.stage), slot = g->ring + at.stage * g->slot;
    const uint32_t past = at.kb >= w->steps; /* parts of a short k: channels that there are not */
    const uint32_t tap = past ? 0u : tc_quotient(at.kb, w->per_tap);
    const int channel = g->p->k_first + (int)(past ? w->per_tap.by : at.kb - tap * w->per_tap.by) * c.bk;
    if (f.which & TC__GEMM90_EARLY_A) {
        const tc__conv_box box = {channel, s->first, tc__conv_tap(w, tap)};
        const tc_operand_to to = {slot + s->to_a, full};
        const tc_operand_at place = {0, channel, 0};
        if (w->space == 2) tc__conv_load_2(c.cluster_n > 1, &s->a, box, to);
        else if (w->space == 0) tc_operand_fetch(c.cluster_n > 1, &s->a, place, to);
        else if (w->space == 1) tc__conv_load_1(c.cluster_n > 1, &s->a, box, to);
        else tc__conv_load_3(c.cluster_n > 1, &s->a, box, to);
    }
    if (f.which & TC__GEMM90_EARLY_B) {
        const tc_operand_to to = {slot + s->to_b, full};
        const tc_operand_at place = {0, channel, 0};
        tc_operand_source b = s->b;
        b.batch = (int)tap;
        tc_operand_fetch(tc__gemm90_shares_b(f, g), &b, place, to);
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Axes of X that a map has: the first of them may be left out where it is of one pixel, and the filter too. 0: A is
 * X. */
TC_HOST int tc__conv90_space(const tc_conv_args *a)
{
    int i, first = 3, plain = 1;
    for (i = 2; i >= 3 - a->dims; i--) {
        const tc__conv_line x = tc__conv_line_of(a, i);
        if (x.out != x.size || x.filter > 1 || x.stride > 1 || x.lower) plain = 0;
        if (x.size > 1 || x.filter > 1 || x.lower || x.upper) first = i;
    }
    return plain ? 0 : first == 3 ? 1 : 3 - first;
}

/* Blocks of k of a tap. */
TC_HOST int tc__conv90_blocks(const tc_conv_config *c, const tc_conv_args *a) { return (a->c - 1) / c->bk + 1; }

/* What a map cannot say of a checked call, in words. */
TC_HOST tc_status tc__conv90_check(const tc_conv_args *a)
{
    static const int most_reach[4] = {0, 65535, 255, 31}, most_corner[4] = {0, 32768, 128, 16};
    static const char axis[3] = {'d', 'h', 'w'};
    const int space = tc__conv90_space(a);
    const int64_t far = (int64_t)1 << 40;
    int64_t bytes = tc__conv_ld(a->ldx, a->c) * 8;
    int i;
    for (i = 2; i >= 0; i--) {
        const tc__conv_line x = tc__conv_line_of(a, i);
        bytes *= x.size;
        if (space && i >= 3 - space && x.stride > 8)
            return tc__fail(TC_ERR_SIZE, "stride.%c = %lld, but TMA steps over 8 pixels at most: TC_CONV_SM80_DEFINE "
                            "and TC_CONV_DEFINE have other kernels", axis[i], (long long)x.stride);
        if (space && i >= 3 - space && x.reach > most_reach[space])
            return tc__fail(TC_ERR_SIZE, "filter.%c = %lld and dilation.%c = %lld: a filter's taps lie %lld pixels "
                            "apart, for TMA %d at most with %d axes: TC_CONV_SM80_DEFINE and TC_CONV_DEFINE have "
                            "other kernels", axis[i], (long long)x.filter, axis[i], (long long)x.dilation,
                            (long long)x.reach, most_reach[space], space);
        if (space && i >= 3 - space
            && (x.lower > most_corner[space] || x.reach - x.upper > most_corner[space]
                || x.upper - x.reach >= most_corner[space]))
            return tc__fail(TC_ERR_SIZE, "lower.%c = %lld, upper.%c = %lld around a filter over %lld pixels: TMA's "
                            "corners lie %d pixels from X's at most with %d axes: TC_CONV_SM80_DEFINE and "
                            "TC_CONV_DEFINE have other kernels", axis[i], (long long)x.lower, axis[i],
                            (long long)x.upper, (long long)x.reach + 1, most_corner[space], space);
    }
    if (bytes >= far) return tc__fail(TC_ERR_SIZE, "an image of x is 2^40 bytes or more, which TMA cannot step");
    return TC_OK;
}

/* The map of X for boxes of so many pixels. */
TC_HOST tc_status tc__conv90_x_map(tc_tmap *map, const tc_conv_config *c, const tc_conv_args *a, int pixels)
{
    const int space = tc__conv90_space(a), size = tc_type_bits(c->a) / 8;
    const int64_t ld = tc__conv_ld(a->ldx, a->c);
    tc_tmap_im2col_desc d;
    char why[TC_WHY_SIZE];
    tc_status st;
    int i;
    memset(&d, 0, sizeof d);
    d.type = c->a == TC_TF32 ? TC_F32 : c->a; /* elements as they are */
    d.rank = space + 2;
    d.base = a->x;
    d.dim[0] = (uint64_t)a->c;
    d.stride[0] = (uint64_t)(ld * size);
    for (i = 0; i < space; i++) {
        const tc__conv_line x = tc__conv_line_of(a, 2 - i);
        d.dim[i + 1] = (uint64_t)x.size;
        d.stride[i + 1] = d.stride[i] * (uint64_t)x.size;
        d.lower[i] = (int)-x.lower, d.upper[i] = (int)(x.upper - x.reach);
        d.elem_stride[i + 1] = (uint32_t)x.stride;
    }
    d.dim[space + 1] = (uint64_t)a->n;
    d.channels = (uint32_t)c->bk, d.pixels = (uint32_t)pixels;
    d.swizzle = 128;
    d.l2_promotion = 128;
    st = tc_tmap_im2col_encode(map, &d);
    if (st == TC_OK) return st;
    memcpy(why, tc_why(), sizeof why);
    return tc__fail(st, "x: %.200s", why);
}

/* Rows of the boxes of A and of B. */
typedef struct tc__conv90_rows {
    int a, b;
} tc__conv90_rows;

/* The maps of X and W of a checked call that reads them. */
TC_HOST tc_status tc__conv90_maps(tc_conv_sm90_params *q, const tc_conv_config *c, const tc_conv_args *a,
                                  tc__conv90_rows rows)
{
    const int64_t taps = tc__conv_taps(a);
    const int type = c->a == TC_TF32 ? TC_F32 : c->a, b_type = c->b == TC_TF32 ? TC_F32 : c->b;
    const tc_operand_matrix x = {"x", type, a->x, a->c, 0, 1, tc__conv_ld(a->ldx, a->c), 0};
    const tc_operand_matrix w = {"w", b_type, a->w, a->c, a->k, (int)taps, taps * a->c, a->c};
    tc_operand_matrix pixels = x;
    tc_status st;
    pixels.rows = q->p.out.m;
    q->walk = tc__conv_walk_of(a, tc__conv90_blocks(c, a));
    q->walk.space = tc__conv90_space(a);
    st = q->walk.space ? tc__conv90_x_map(&q->p.a, c, a, rows.a) : tc_operand_map(&q->p.a, &pixels, c->bk, rows.a);
    return st == TC_OK ? tc_operand_map(&q->p.b, &w, c->bk, rows.b) : st;
}

#endif /* host */
#endif /* TC_CONV_SM90_H */
