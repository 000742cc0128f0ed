/* tc_gemm_sm90_once.h - tc 0.2.0 - the end of a Hopper GEMM's tile that is its block's only one, of plain D of 16 bits.
 * Needs: the headers below; sm_90a.
 *
 *     tc__gemm90_once       has a kernel this way?
 *     tc__once_fill (host)  may a call take it, and the maps of D that go with it
 *     tc__gemm90_end_once   the end of the tile
 *
 * Nothing hides this end, and its instructions come from memory as it goes: a line of eight takes some 40 cycles. So
 * there are few, no question is asked twice, and what a tile has more of in a kernel of other calls is not on the way.
 * The ring, which nobody reads any more, holds all of the tile, a warp's 16 rows after another's: boxes of 64 columns,
 * swizzled, and one of the 16, 32 or 48 that are left. A tile on its side (.swap) is a box of 64 columns by all of its
 * rows for each 64 of the instruction's. TMA leaves out what lies behind D's edges.
 */
#ifndef TC_GEMM_SM90_ONCE_H
#define TC_GEMM_SM90_ONCE_H

#include "tc_gemm_cut.h"
#include "tc_gemm_gate.h"
#include "tc_gemm_sm90_store.h"

enum { TC__ONCE_COLS = 64 };   /* of a box */
enum { TC__ONCE_BARRIER = 9 }; /* and one or two more: one for each warpgroup of consumers */

TC_HD TC_CONSTEXPR int tc__gemm90_once(tc_gemm_config_in c)
{
    return c.step && c.step % 16 == 0 && tc_type_bits(c.d) == 16 && tc__gemm_sums(c) != TC_S32 && !tc__gemm90_packed(c)
        && c.cluster_k == 1
        && !(c.weights || c.any || c.gate || c.gated || c.groups || c.index || tc__gemm_hooked(c) || tc__gemm_outputs(c)
             || tc__gemm_quantised(c) || tc__gemm_in_tile(c) || tc__gemm90_noted(c));
}

/* The map of a tile's last columns: where hooks would be told something, of which there are none. */
TC_HD const tc_tmap *tc__once_rest(const tc_gemm_sm90_params *p)
{
    return (const tc_tmap *)(p->out.epi + tc__gate_map_at(0));
}

/* Bytes of a warp's 16 rows by so many columns of the tile, or of 16 columns by so many rows: swizzled boxes begin at
 * multiples of 1024. */
TC_HD TC_CONSTEXPR int tc__once_bytes(int width) { return (16 * 2 * width + 1023) / 1024 * 1024; }

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* v: a view. d: D as TMA writes it. Of p all but the maps is known. */
TC_HOST tc_status tc__once_fill(const tc_gemm_config *v, const tc_operand_matrix *d, const tc_gemm_cut *cut,
                                tc_gemm_sm90_params *p)
{
    const int rest = cut->width % TC__ONCE_COLS;
    const tc_operand_box box = {rest, 16, rest == 48 ? 0 : 2 * rest, 0};
    tc_status st = TC_OK;
    p->d_once = tc__gemm90_once(*v) && p->d_plain && p->d_clips && cut->parts < 2
             && p->works <= (uint32_t)cut->blocks
             && v->bm / 16 * tc__once_bytes(cut->width) <= tc_gemm_sm90_plan_of(*v).ring_bytes;
    if (!p->d_once) return TC_OK;
    if (v->swap) return tc_operand_map(&p->d, d, TC__ONCE_COLS, cut->width);
    if (rest) {
        tc_tmap map; /* aligned */
        st = tc_operand_map_box(&map, d, &box);
        memcpy(p->out.epi + tc__gate_map_at(0), &map, sizeof map);
        p->d_once = 2;
    }
    return st == TC_OK ? tc_operand_map(&p->d, d, TC__ONCE_COLS, 16) : st;
}

#endif

#ifdef __CUDACC__

/* A lane's place in a box of `cols` columns, for stmatrix: of 16 of them, and what number j of these is xored with. */
typedef struct tc__once_lane {
    uint32_t at, mix;
} tc__once_lane;

TC_DEV tc__once_lane tc__once_lane_of(uint32_t box, uint32_t cols)
{
    const uint32_t lane = (uint32_t)tc_lane(), row = lane % 16u;
    const uint32_t swizzle = cols == 64u ? row & 7u : cols == 32u ? row / 2u & 3u : cols == 16u ? row / 4u & 1u : 0u;
    const tc__once_lane x = {box + row * cols * 2u, lane / 16u * 16u ^ swizzle * 16u};
    return x;
}

/* A thread's eight sums of 16 x 16 elements of D, as stmatrix takes them. */
typedef struct tc__once_words {
    uint32_t of[4];
} tc__once_words;

TC_DEV tc__once_words tc__once_pack(const int type, const float *v)
{
    const tc__once_words w = {{tc_pack(type, v[0], v[1]), tc_pack(type, v[2], v[3]), tc_pack(type, v[4], v[5]),
                               tc_pack(type, v[6], v[7])}};
    return w;
}

/* A warp's 16 rows of the tile's 64 number i, to shared memory. */
TC_DEV_SM90 void tc__once_fill_rows(tc_gemm_config_in c, const tc_gemm90_block *g, const float *v, uint32_t to)
{
    const int whole = g->width / TC__ONCE_COLS * TC__ONCE_COLS;
    const tc__once_lane wide = tc__once_lane_of(to, TC__ONCE_COLS);
    tc__once_lane x = wide;
#pragma unroll
    for (int col = 0; col < c.bn; col += 16) {
        if (col % c.step == 0 && col >= g->width) break;
        if (col % TC__ONCE_COLS == 0) {
            const uint32_t before = (uint32_t)(16 * 2 * col);
            x.at = wide.at + before;
            if (c.step % TC__ONCE_COLS && col == whole)
                x = tc__once_lane_of(to + before, (uint32_t)(g->width - whole));
        }
        const tc__once_words w = tc__once_pack(c.d, v + col / 2);
        tc_stmatrix_x4(x.at + ((uint32_t)(col % TC__ONCE_COLS * 2) ^ x.mix), w.of);
    }
}

/* Boxes of one after the other, by one thread. */
TC_DEV_SM90 void tc__once_send_rows(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t from, tc_gemm_at at)
{
    const int whole = g->width / TC__ONCE_COLS * TC__ONCE_COLS;
#pragma unroll 1
    for (int col = 0; col < whole; col += TC__ONCE_COLS) {
        tc__gemm90_send(g, &g->p->d, from, at);
        at.col += TC__ONCE_COLS, from += 16 * 2 * TC__ONCE_COLS;
    }
    if (c.step % TC__ONCE_COLS && whole < g->width) tc__gemm90_send(g, tc__once_rest(g->p), from, at);
}

/* .swap: a warp's 16 columns of D by the tile's rows, to a box of 64 columns. */
typedef struct tc__once_box {
    uint32_t at, warp; /* which of the warpgroup's */
} tc__once_box;

TC_DEV_SM90 void tc__once_fill_swapped(tc_gemm_config_in c, const tc_gemm90_block *g, const float *v,
                                       const tc__once_box box)
{
    const uint32_t lane = (uint32_t)tc_lane();
    /* stmatrix: lanes 0-7 address rows 0-7, columns 0-7; 8-15 the same rows, columns 8-15; 16-31 rows 8-15 */
    const uint32_t at = box.at + (lane % 8u + lane / 16u * 8u) * 128u
                      + ((box.warp * 32u + lane / 8u % 2u * 16u) ^ lane % 8u * 16u);
#pragma unroll
    for (int row = 0; row < c.bn; row += 16) {
        if (row % c.step == 0 && row >= g->width) break;
        const tc__once_words w = tc__once_pack(c.d, v + row / 2);
        tc_stmatrix_x4_trans(at + (uint32_t)(row * 128), w.of);
    }
}

/* The end of a warpgroup's tile on its side. */
TC_DEV_SM90 void tc__once_swapped(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                  const float *acc)
{
    const int blocks = tc__gemm90_rows(c) / 64;
    const uint32_t each = (uint32_t)(128 * g->width), warp = (uint32_t)(u->warp_row - u->row) / 16u;
    const uint32_t first = g->ring + (uint32_t)(u->row / 64) * each;
#pragma unroll
    for (int i = 0; i < blocks; i++) {
        const tc__once_box box = {first + (uint32_t)i * each, warp};
        tc__once_fill_swapped(c, g, acc + i * c.bn / 2, box);
    }
    tc_fence_proxy_async_shared();
    tc_bar_sync(TC__ONCE_BARRIER + g->wg - 1, 128);
    if (warp == 0u && tc_elect_one()) {
#pragma unroll
        for (int i = 0; i < blocks; i++) {
            const tc_gemm_at at = {u->w.col, u->w.row + u->row + i * 64, u->w.batch, 0};
            tc__gemm90_send(g, &g->p->d, first + (uint32_t)i * each, at);
        }
        tc_cp_async_bulk_commit_group();
    }
}

/* 1: that was all. */
TC_DEV_SM90 int tc__gemm90_end_once(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                    float *acc)
{
    if (!tc__gemm90_once(c) || !g->p->d_once) return 0;
    const int blocks = tc__gemm90_rows(c) / 64;
    const uint32_t each = (uint32_t)tc__once_bytes(g->width);
    const uint32_t place = g->ring + (threadIdx.x / 32u - 4u) * (uint32_t)blocks * each;
    tc_bar_sync(1, c.schedule == TC_PINGPONG ? 128 : 128 * c.consumers); /* all have read the ring */
    tc__epi_alpha(acc, blocks * c.bn / 2, g->p->out.alpha);
    if (c.swap) {
        tc__once_swapped(c, g, u, acc);
        return 1;
    }
#pragma unroll
    for (int i = 0; i < blocks; i++)
        tc__once_fill_rows(c, g, acc + i * c.bn / 2, place + (uint32_t)i * each);
    tc_fence_proxy_async_shared();
    __syncwarp();
    if (tc_elect_one()) {
#pragma unroll
        for (int i = 0; i < blocks; i++) {
            const tc_gemm_at at = {u->w.row + u->warp_row + i * 64, u->w.col, u->w.batch, 0};
            tc__once_send_rows(c, g, place + (uint32_t)i * each, at);
        }
        tc_cp_async_bulk_commit_group();
    }
    return 1;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_ONCE_H */
