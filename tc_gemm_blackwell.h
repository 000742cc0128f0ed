/* tc_gemm_blackwell.h - tc 0.2.0 - what the GEMMs of sm_100 and of sm_120 share beside the parts: boxes and pieces on
 * their way to D, factors of a byte of a call. Needs: the headers below.
 *
 *     tc__gemm_group_work              a tile of .groups as a block sees it
 *     tc__gemm_to                      what a warp that stores is told of D
 *     tc__gemm_clips, _boxed           is a box of 16 rows stored as one?
 *     tc__gemm_store_box               through alpha, beta * C and the hook to shared memory, and to D
 *     tc__gemm_piece_to_d              16 x 16 values that lie in shared memory, eight neighbours of a row a lane
 *     tc__gemm_d_by, _sf_map, _check_sf, _whole_cut   (host)
 */
#ifndef TC_GEMM_BLACKWELL_H
#define TC_GEMM_BLACKWELL_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_end.h"
#include "tc_pipe.h"
#include "tc_sf.h"

#ifdef __CUDACC__

/* .groups: rows and columns of a cluster's tiles, and of them those before this block's. */
typedef struct tc__gemm_share {
    int masked; /* TC_GROUPS_MASKED */
    int rows, cols, row, col;
} tc__gemm_share;

/* Tile number index of the line of all groups' as this block sees it, but for its run of k; .batch is its group. warp, a
 * constant: all lanes of a warp ask together, and what they are told is known to be the same for all. */
TC_DEV_SM80 tc_work tc__gemm_group_work(const int warp, const tc__gemm_share s, const tc_groups_line *line,
                                        uint32_t index)
{
    const tc_group_tile t = tc_groups_tile(warp, line, index);
    const tc_group_rows rows = tc_groups_rows(s.masked, line->groups, t.group);
    tc_work w = {(int)t.along * s.rows + s.row + rows.first, (int)t.across * s.cols + s.col, t.group, 0u, 0u, 0u,
                 rows.end};
    if (warp) {
        w.row = (int)tc_uniform((uint32_t)w.row), w.col = (int)tc_uniform((uint32_t)w.col);
        w.batch = (int)tc_uniform((uint32_t)w.batch), w.end = (int)tc_uniform((uint32_t)w.end);
    }
    return w;
}

/* by: TC__GEMM_D_*. plain: boxes go by TMA, without C; clips: and TMA leaves out what a box has outside of D. end: the
 * rows that are stored end before this one: D's, or those of a group. */
typedef struct tc__gemm_to {
    const tc_tmap *map;
    const tc_gemm_out *out;
    int by, plain, clips, end;
} tc__gemm_to;

/* An element of a tile in D, whose matrix and group are the tile's. */
TC_DEV tc_gemm_at tc__gemm_at_of(tc_gemm_config_in c, const tc_work *w, int row, int col)
{
    const tc_gemm_at at = {w->row + row, w->col + col, c.groups == TC_GROUPS_ROWS ? 0 : w->batch,
                           c.groups ? w->batch : 0};
    return at;
}

/* A box: its first element's place in D, its values, where in shared memory it is filled. */
typedef struct tc__gemm_box {
    tc_gemm_at first;
    float v[32];
    uint32_t to;
} tc__gemm_box;

/* Does TMA leave out what D's last row or column cuts off? Hooks and C are for elements that exist. Of a group's last
 * row it knows nothing. */
TC_DEV int tc__gemm_clips(tc_gemm_config_in c, const tc__gemm_to *to) { return !tc__gemm_hooked(c) && to->clips; }

/* A box, by its first place in D: is it stored as one? */
TC_DEV int tc__gemm_boxed(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc_gemm_at first)
{
    const int clips = tc__gemm_clips(c, to);
    return to->by != TC__GEMM_D_PIECES && first.row + (clips && !c.groups ? 1 : 16) <= to->end
        && first.col + (clips ? 1 : tc_box_cols(box)) <= to->out->n;
}

/* A piece whose values lie at `place`, by its first place in D. */
TC_DEV_SM90 void tc__gemm_piece_to_d(tc_gemm_config_in c, const tc__gemm_to *to, uint32_t place, tc_gemm_at first)
{
    const uint32_t lane = (uint32_t)tc_lane(), shift = lane / 2u * 64u + lane % 2u * 32u;
    tc__epi_piece piece = {place + tc_swizzle(64, shift), place + tc_swizzle(64, shift + 16u), {0, 0, 0, 0},
                           to->by == (tc__gemm_quantised(c) ? TC__GEMM_D_ROWS : TC__GEMM_D_TMA), 0, 0};
    piece.at.row = first.row + (int)lane / 2;
    piece.at.col = first.col + (int)lane % 2 * 8;
    piece.at.batch = first.batch, piece.at.group = first.group;
    __syncwarp();
    if (tc__gemm_quantised(c)) tc__quant_clear(to->out, &piece, to->end);
    if (c.groups && piece.at.row >= to->end) return;
    const float kept = tc__epi_store_piece(tc__gemm_epi(c), to->out, &piece);
    if (c.row_sum) {
        __syncwarp();
        tc__epi_piece_part(tc__gemm_epi(c), to->out, piece.at, kept);
    }
    if (c.col_sum) {
        const int left = to->out->m - first.row;
        const tc__col_place x = {place, 64, left < 16 ? left : 16, 16, first};
        __syncwarp();
        tc__col_strip(c.col_sum, to->out, &x);
    }
}

/* Hook, and to shared memory. */
TC_DEV_SM90 void tc__gemm_fill_box(tc_gemm_config_in c, const tc_box box, const tc_gemm_out *o, tc__gemm_box *b)
{
    const tc_box_span whole = {0, tc_box_cols(box) / 2};
    const tc__gemm_kept all = {b->v, {b->first.row, b->first.col, b->first.batch, b->first.group},
                               whole.to};
    tc__gemm_visit(c, o, all);
#pragma unroll
    for (int j = 0; j < whole.to; j++)
        if (c.d == TC_S32 && !tc__gemm_raw(c)) b->v[j] = tc_f32_from_bits((uint32_t)tc__epi_s32(b->v[j]));
    tc_box_put(box, b->to + tc_box_lane(box), b->v, whole);
}

/* And to D. */
TC_DEV_SM90 void tc__gemm_send_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to,
                                   const tc__gemm_box *b)
{
    const tc_gemm_out *o = to->out;
    if (to->by == TC__GEMM_D_TMA) {
        tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
        __syncwarp();
        if (tc_elect_one()) { /* bulk groups are a thread's: always the same one's */
            tc_cp_async_bulk_tensor_3d_store(to->map, b->to, b->first.col, b->first.row, b->first.batch);
            tc_cp_async_bulk_commit_group();
        }
    } else {
        const int size = tc_type_bits(c.d) / 8;
        const tc_box_rows d = {16, (char *)o->d + tc__epi_d_at(o, b->first) * size, o->ldd * size};
        __syncwarp();
        tc_box_copy(box, b->to, d);
    }
}

/* A box whose place in shared memory, b->to, is free. */
TC_DEV_SM90 void tc__gemm_store_box(tc_gemm_config_in c, const tc_box box, const tc__gemm_to *to, tc__gemm_box *b)
{
    const tc_gemm_out *o = to->out;
    if (!tc__gemm_raw(c)) {
        tc__epi_alpha(b->v, tc_box_cols(box) / 2, o->alpha);
        if (!to->plain && o->beta != 0.f) {
            const tc__box_filled f = {b->v, b->to, b->first};
            tc__box_add_c(box, o, f);
        }
    }
    tc__gemm_fill_box(c, box, o, b);
    tc__gemm_send_box(c, box, to, b);
}

/* The next of a warp's places for boxes, free: number `stores` of .epi_stages in turn, from buf on. */
TC_DEV_SM90 uint32_t tc__gemm_take_box(tc_gemm_config_in c, const tc_box box, uint32_t buf, uint32_t stores)
{
    if (tc_elect_one()) tc__bulk_wait_read(c.epi_stages - 1); /* what was stored from this place has left it */
    __syncwarp();
    return buf + stores % (uint32_t)c.epi_stages * (uint32_t)(16 * box.bytes);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host. v, g: of the view.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* How boxes go to D. */
TC_HOST int tc__gemm_d_by(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_out *o)
{
    if (!tc__gemm_fits(v, g, 'c')) return TC__GEMM_D_PIECES;
    if (tc__gemm_quantised(*v)) return TC__GEMM_D_ROWS; /* by bytes */
    if (v->d == TC_S32 && (o->beta != 0.f || (tc__gemm_raw(*v) && o->alpha != 1.f)))
        return TC__GEMM_D_PIECES; /* boxes know sums as they are, and C of floats */
    return tc__gemm_fits(v, g, 'd') ? TC__GEMM_D_TMA : TC__GEMM_D_ROWS;
}

/* How a side's factors are read: k that share one, blocks of them in a tile's step. */
typedef struct tc__gemm_sf {
    int k, blocks;
} tc__gemm_sf;

/* The map of a side's factors, as the call has them for its rows or columns. */
TC_HOST tc_status tc__gemm_sf_map(tc_tmap *map, tc__gemm_sf sf, const tc_gemm_args *g, char which)
{
    const int blocks = tc_sf_blocks(g->k, sf.k), lines = which == 'a' ? g->m : g->n;
    const tc_operand_box box = {128, sf.blocks * 4, 0};
    tc_operand_matrix x = {which == 'a' ? "sfa" : "sfb", TC_U8, which == 'a' ? g->sfa : g->sfb, 128, 0, 1, 128, 0};
    const int64_t rows = ((int64_t)lines + 127) / 128 * blocks * 4;
    x.batch = tc__gemm_batch(g), x.stride = which == 'a' ? g->stride_sfa : g->stride_sfb;
    if (g->k == 0) { /* nothing of it is read */
        x.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
        x.cols = 16, x.rows = x.batch = 1;
    } else if (rows > 0x7fffffff) {
        return tc__fail(TC_ERR_SIZE, "%s has more than 2^31 rows of 128 bytes", x.name);
    } else {
        x.rows = (int)rows;
    }
    return tc_operand_map_box(map, &x, &box);
}

/* The rules for a side's factors of a byte. */
TC_HOST tc_status tc__gemm_check_sf(const tc_gemm_args *g, char which)
{
    const void *at = which == 'a' ? g->sfa : g->sfb;
    const int64_t stride = which == 'a' ? g->stride_sfa : g->stride_sfb;
    if (!at) return tc__fail(TC_ERR_NULL, "sf%c is null, but the kernel has .sf", which);
    if ((uintptr_t)at % 16) return tc__fail(TC_ERR_ALIGN, "sf%c = %p is not a multiple of 16 bytes", which, at);
    if (stride < 0 || stride % 16)
        return tc__fail(TC_ERR_BATCH, "stride_sf%c = %lld is not a multiple of 16 bytes, as TMA needs", which,
                        (long long)stride);
    return TC_OK;
}

/* How a call is cut whose tiles have one width and all of k: as g->choice wants it, within what clusters of the kernel
 * run at a time. */
TC_HOST tc_status tc__gemm_whole_cut(const tc_gemm_config *v, const tc_gemm_args *g, int clusters, tc_gemm_cut *cut)
{
    const tc_gemm_choice none = {0, 0, 0, 0, 0}, *want = g->choice ? g->choice : &none;
    memset(cut, 0, sizeof *cut);
    cut->width = v->bn, cut->parts = 1, cut->cluster = v->cluster_m, cut->blocks = clusters;
    if (want->width && want->width != v->bn)
        return tc__fail(TC_ERR_CONFIG, "choice->width = %d must be %d", want->width, v->bn);
    if (v->cluster_m == 1 && (want->cluster < 0 || want->cluster > 1))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be in 0..1", want->cluster);
    if (want->cluster < 0 || (want->cluster > 1 && want->cluster != v->cluster_m))
        return tc__fail(TC_ERR_CONFIG, "choice->cluster = %d must be 1 or %d", want->cluster, v->cluster_m);
    if (want->parts < 0 || want->parts > 1)
        return tc__fail(TC_ERR_CONFIG, "choice->parts = %d must be in 0..1", want->parts);
    if (want->blocks < 0) return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d is negative", want->blocks);
    if (want->blocks && v->clc)
        return tc__fail(TC_ERR_CONFIG, "choice->blocks = %d, but with .clc every tile has a cluster", want->blocks);
    if (want->blocks && want->blocks < clusters) cut->blocks = want->blocks;
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_BLACKWELL_H */
