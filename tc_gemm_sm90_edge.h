/* tc_gemm_sm90_edge.h - tc 0.2.0 - the Hopper GEMM's last rows: those that an operand does not have are not fetched.
 * Needs: the headers below; sm_90a.
 *
 *     tc__gemm90_edge_of_tile    what of a tile's two operands does not exist, for its producer
 *     tc__gemm90_edge_maps       the maps that it takes
 *     tc__gemm90_edge_fetch      a box of what does exist
 *
 * TMA fills what a box has outside of its matrix with zeros, 16 bytes a cycle: a row that does not exist takes several
 * times as long as one that does (H200: 100 x 7168 x 9728 in tiles of 128 rows 54 us, 128 x 7168 x 9728 42 us). So the
 * last rows of A and of B have a map of their own, whose boxes are as high as what is left, a box without any row is
 * not asked for, and the slot's barrier expects so many bytes less. The slot's other rows are what lay there before,
 * which may be nothing: of them come rows and columns of sums that D does not have, which the end of a tile leaves out
 * of all that it makes. To write zeros there first would cost up to 1.5 us of a short call.
 */
#ifndef TC_GEMM_SM90_EDGE_H
#define TC_GEMM_SM90_EDGE_H

#include "tc_gemm_sm90_plan.h"
#include "tc_memory.h"

#ifdef __CUDACC__

/* What of a tile does not exist: bytes of a block of k that never come, a multiple of 128, and whether this block's
 * share of A or B ends in it, or has no row at all. In one word, for a producer with few registers. */
enum { TC__EDGE_A = 1, TC__EDGE_NO_A = 2, TC__EDGE_B = 4, TC__EDGE_NO_B = 8, TC__EDGE_BYTES = -128 };

/* Of a tile: rows of an operand that are there from its first on, as 0 .. rows. */
TC_DEV int tc__gemm90_there(int all, int first, int rows)
{
    const int there = all - first;
    return there < 0 ? 0 : there < rows ? there : rows;
}

/* s->a, s->b: with the first row of this block's share of the tile, a_rows and b_rows of them. whole: a constant, there
 * are no edges, or a producer that knows none. */
TC_DEV_SM90 uint32_t tc__gemm90_edge_of_tile(const int whole, tc_gemm_config_in c, const tc_gemm90_block *g,
                                             const tc_work *w, const tc__gemm90_sources *s, const int a_rows,
                                             int b_rows)
{
    const tc_gemm_sm90_params *p = g->p;
    uint32_t edge = 0;
    if (!(tc__gemm90_edged_a(c) || tc__gemm90_edged_b(c)) || whole || !p->edges) return 0;
    if (tc__gemm90_edged_a(c)) {
        const int there = p->a_rows - s->a.row;
        edge |= there <= 0 ? TC__EDGE_NO_A : there < a_rows ? TC__EDGE_A : 0;
        edge += (uint32_t)((c.bm - tc__gemm90_there(p->a_rows, w->row, c.bm)) * 128 * s->oa.boxes);
    }
    if (tc__gemm90_edged_b(c)) {
        const int there = p->b_rows - s->b.row;
        edge |= there <= 0 ? TC__EDGE_NO_B : there < b_rows ? TC__EDGE_B : 0;
        edge += (uint32_t)((g->width - tc__gemm90_there(p->b_rows, w->col, g->width)) * 128 * s->ob.boxes);
    }
    return edge;
}

/* Says to tcemu which rows of a slot no copy writes. */
TC_DEV_SM90 void tc__gemm90_edge_note(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_sources *s,
                                      const tc_work *w, uint32_t stage)
{
    const uint32_t slot = g->ring + stage * g->slot;
    const int a = tc__gemm90_there(g->p->a_rows, w->row, c.bm), b = tc__gemm90_there(g->p->b_rows, w->col, g->width);
    for (int box = 0; tc__gemm90_edged_a(c) && box < s->oa.boxes; box++)
        tc_emu_written(slot + (uint32_t)(box * s->oa.box_bytes + a * 128), (uint32_t)((c.bm - a) * 128));
    for (int box = 0; tc__gemm90_edged_b(c) && box < s->ob.boxes; box++)
        tc_emu_written(slot + (uint32_t)(tc__gemm90_a_bytes(c) + box * s->ob.box_bytes + b * 128),
                       (uint32_t)((g->width - b) * 128));
}

/* The maps of a block's first tile, ahead of its copies, for one thread. */
TC_DEV_SM90 void tc__gemm90_edge_prefetch(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_work *w)
{
    const tc_gemm_sm90_params *p = g->p;
    const int a = tc__gemm90_edged_a(c) && p->edges & TC__GEMM90_EDGE_A && p->a_rows - w->row < c.bm;
    const int b = tc__gemm90_edged_b(c) && p->edges & TC__GEMM90_EDGE_B && p->b_rows - w->col < g->width;
    tc_prefetch_tensormap(a ? &p->a_edge : &p->a);
    tc_prefetch_tensormap(b ? &p->b_edge : &p->b);
    if (c.gate) tc_prefetch_tensormap((const tc_tmap *)(p->out.epi + tc__gate_map_at(tc__gemm_told_bytes(c))));
}

/* Does the producer keep which map a tile takes, or the two bits that say so? A map is two registers. */
TC_DEV TC_CONSTEXPR int tc__gemm90_edge_kept(tc_gemm_config_in c) { return !tc__gemm90_many(c); }
TC_DEV_SM90 void tc__gemm90_edge_maps(const tc_gemm90_block *g, tc__gemm90_sources *s)
{
    if (s->edge & TC__EDGE_A) s->a.map = &g->p->a_edge;
    if (s->edge & TC__EDGE_B) s->b.map = &g->p->b_edge;
}

/* A box of A, or of B (a constant), of a tile with an edge, from the map that it takes; none where it has no row. */
TC_DEV_SM90 void tc__gemm90_edge_fetch(const int b, const int multicast, const tc_gemm90_block *g,
                                       const tc__gemm90_sources *s, const tc_operand_at at, const tc_operand_to to)
{
    tc_operand_source from = b ? s->b : s->a;
    if (s->edge & (b ? TC__EDGE_NO_B : TC__EDGE_NO_A)) return;
    if (tc_opaque((int)s->edge) & (b ? TC__EDGE_B : TC__EDGE_A)) from.map = b ? &g->p->b_edge : &g->p->a_edge;
    tc_operand_fetch(multicast, &from, at, to);
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_EDGE_H */
