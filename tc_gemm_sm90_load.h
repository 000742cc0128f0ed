/* tc_gemm_sm90_load.h - tc 0.2.0 - the Hopper GEMM's producer: the blocks of k of a tile, by TMA. Needs: the headers
 * below; sm_90a.
 *
 *     tc_gemm_sm90_load          one tile, or a run of its blocks of k
 *     tc__gemm90_load_early      the first blocks of a block's first tile, before the kernel before has ended
 */
#ifndef TC_GEMM_SM90_LOAD_H
#define TC_GEMM_SM90_LOAD_H

#include "tc_conv_sm90.h"
#include "tc_gemm_sm90_edge.h"
#include "tc_gemm_sm90_plan.h"
#include "tc_gemm_sm90_sparse.h"
#include "tc_gemm_sm90_turn.h"
#include "tc_gemm_sm90_weights.h"

#ifdef __CUDACC__

/* Of one thread. */
typedef struct tc_gemm90_producer {
    tc_ring ring;
    int back; /* this tile takes k from its end to its start */
} tc_gemm90_producer;

/* In a cluster each block loads its share of the A tile for the blocks of its row and of the B tile for those of its
 * column. */
TC_DEV_SM90 tc__gemm90_sources tc__gemm90_sources_of(const int whole, tc_gemm_config_in c, const tc_gemm90_block *g,
                                                     const tc_work *w)
{
    const tc_gemm_sm90_params *p = g->p;
    const tc__gemm90_place at = tc__gemm90_place_of(c, g);
    const uint32_t m = (uint32_t)g->cluster_m, cm = at.m, cn = at.n;
    const int a_rows = c.bm / c.cluster_n, b_rows = c.cluster_m == 2 ? g->width >> (m - 1u) : g->width / c.cluster_m;
    tc__gemm90_sources s;
    const int a_turns = tc__gemm90_squares_a(c), b_turns = tc__gemm90_turns_b(c), b_k = c.bk / c.cluster_m;
    s.oa = tc__gemm90_fetched_a(c), s.ob = tc__gemm90_fetched_b(c, g->width);
    if (s.oa.mn && !a_turns) s.oa.boxes = a_rows / 64; /* of this block's share */
    if (s.ob.mn && !b_turns) s.ob.boxes = (b_rows + 63) / 64;
    s.a_k = (int)cn * (c.bk / c.cluster_n), s.b_k = (int)cm * (c.cluster_m == 2 ? c.bk >> (m - 1u) : b_k);
    s.a.map = &p->a;
    s.a.row = w->row + (a_turns ? 0 : (int)cn * a_rows);
    s.a.batch = p->a_batched ? w->batch : 0;
    s.a.mask = 0;
    s.b.map = &p->b;
    s.b.row = w->col + (b_turns ? 0 : (int)cm * b_rows);
    s.b.batch = p->b_batched ? w->batch : 0;
    s.b.mask = (uint16_t)(((1u << m) - 1u) << (cn * m));
#pragma unroll
    for (int i = 0; i < c.cluster_n; i++) s.a.mask |= (uint16_t)(1u << (cm + (uint32_t)i * m));
    s.to_a = a_turns ? (uint32_t)s.a_k * 128u : cn * (uint32_t)(a_rows * (c.sparse ? tc__gemm90_a_row(c) : 128));
    s.to_b = (uint32_t)(c.weights ? tc__gemm90_a_bytes(c) : s.oa.bytes)
           + (b_turns ? (uint32_t)s.b_k * 128u : cm * (uint32_t)(b_rows * 128));
    if (c.gate) { /* half of its rows are B's, half B2's */
        s.b.row = w->col / 2 + (int)cm * (b_rows / 2);
        s.to_b = (uint32_t)s.oa.bytes + cm * (uint32_t)(b_rows / 2 * 128);
    }
    s.edge = tc__gemm90_edge_of_tile(whole, c, g, w, &s, a_rows, b_rows);
    if (tc__gemm90_edge_kept(c)) tc__gemm90_edge_maps(g, &s);
    if (c.conv) s.first = tc__conv_start(g, s.a.row);
    if (c.sparse) tc__sparse_source(c, g, &s.a, s.bricks);
    return s;
}

/* A run of blocks of a tile of work. waits: for the kernel before this one. */
typedef struct tc__gemm90_run {
    tc_work w;
    uint32_t from, waits;
} tc__gemm90_run;

/* .gate: B's and B2's rows of a block of k, in halves of each box. */
TC_DEV_SM90 void tc__gemm90_fetch_both(const tc__gemm90_fetching f, const tc_gemm90_block *g,
                                       const tc__gemm90_sources *s, tc__gemm90_fetch_at at)
{
    const uint32_t to_b = g->ring + at.stage * g->slot + s->to_b, up = (uint32_t)(g->width / 2 * 128);
    const int k = g->p->k_first + (int)at.kb * f.c.bk;
    tc_operand_source b2 = s->b;
    b2.map = (const tc_tmap *)(g->p->out.epi + tc__gate_map_at(tc__gemm_told_bytes(f.c)));
#pragma unroll
    for (int box = 0; box < s->ob.boxes; box++) {
        const uint32_t first = to_b + (uint32_t)(box * s->ob.box_bytes), full = tc_pipe_full(g->pipe, at.stage);
        const tc_operand_to to = {first, full}, to2 = {first + up, full};
        const tc_operand_at from = tc_operand_place(s->ob, box, k);
        tc_operand_fetch(tc__gemm90_shares_b(f, g), &s->b, from, to);
        tc_operand_fetch(tc__gemm90_shares_b(f, g), &b2, from, to2);
    }
}

/* One block of k. */
TC_DEV_SM90 void tc__gemm90_fetch(const tc__gemm90_fetching f, const tc_gemm90_block *g, const tc__gemm90_sources *s,
                                  tc__gemm90_fetch_at at)
{
    const tc_gemm_config c = f.c;
    if (c.conv) return tc__conv_fetch(f, g, s, at);
    const uint32_t full = tc_pipe_full(g->pipe, at.stage), slot = g->ring + at.stage * g->slot;
    const uint32_t a_full = tc__gemm90_turns_a(c) ? tc__turn_raw(c, g, at.stage) : full;
    const uint32_t b_full = tc__gemm90_turns_b(c) ? tc__turn_raw(c, g, at.stage) : full;
    const int k = (c.groups == TC_GROUPS_K ? s->k : g->p->k_first) + (int)at.kb * c.bk;
    const int a_k = tc__gemm90_squares_a(c) ? k + s->a_k : c.sparse ? k / 2 : k;
    const int b_k = tc__gemm90_turns_b(c) ? k + s->b_k : k;
    if (c.weights && (f.which & TC__GEMM90_EARLY_A)) tc__weights_fetch(c, g, &s->a, at);
#pragma unroll
    for (int box = 0; box < (c.weights ? 0 : s->oa.boxes); box++) {
        const tc_operand_to to = {slot + s->to_a + (uint32_t)(box * s->oa.box_bytes), a_full};
        const int both = c.cluster_n > 1;
        if (!(f.which & TC__GEMM90_EARLY_A)) continue;
        if (f.asks && tc__gemm90_edged_a(c))
            tc__gemm90_edge_fetch(0, both, g, s, tc_operand_place(s->oa, box, a_k), to);
        else
            tc_operand_fetch(both, &s->a, tc_operand_place(s->oa, box, a_k), to);
    }
#pragma unroll
    for (int box = 0; box < (c.gate ? 0 : s->ob.boxes); box++) {
        const tc_operand_to to = {slot + s->to_b + (uint32_t)(box * s->ob.box_bytes), b_full};
        const int both = tc__gemm90_shares_b(f, g);
        if (!(f.which & TC__GEMM90_EARLY_B)) continue;
        if (f.asks && tc__gemm90_edged_b(c))
            tc__gemm90_edge_fetch(1, both, g, s, tc_operand_place(s->ob, box, b_k), to);
        else
            tc_operand_fetch(both, &s->b, tc_operand_place(s->ob, box, b_k), to);
    }
    if (c.gate && (f.which & TC__GEMM90_EARLY_B)) tc__gemm90_fetch_both(f, g, s, at);
    if (c.sparse && (f.which & TC__GEMM90_EARLY_A)) tc__sparse_fetch(c, g, s->bricks, at);
}

/* less: bytes that do not come. */
TC_DEV_SM90 void tc__gemm90_expect(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage, uint32_t less)
{
    const uint32_t bytes = (c.sparse ? tc__sparse_expected(c, g) : tc__weights_expected(c, g)) - less;
    if (tc__gemm90_turning(c)) tc__turn_expect(c, g, stage);
    else tc_mbarrier_arrive_expect_tx(tc_pipe_full(g->pipe, stage), bytes);
}

/* Blocks of k of a tile, whose sources are known. */
typedef struct tc__gemm90_known {
    const tc__gemm90_run *run;
    const tc__gemm90_sources *from;
} tc__gemm90_known;

TC_DEV_SM90 void tc__gemm90_load_known(const tc__gemm90_fetching f, const tc_gemm90_block *g, tc_gemm90_producer *u,
                                       const tc__gemm90_known x)
{
    const tc__gemm90_run *run = x.run;
    for (uint32_t i = run->from; i < run->w.k_blocks; i++) {
        const tc__gemm90_fetch_at at = {u->ring.stage, run->w.k_first + (u->back ? run->w.k_blocks - 1u - i : i)};
        TC_PIPE_WAIT_EMPTY(g->pipe, &u->ring);
        tc__gemm90_edge_note(f.c, g, x.from, &run->w, at.stage);
        tc__gemm90_expect(f.c, g, at.stage, x.from->edge & (uint32_t)TC__EDGE_BYTES);
        tc__gemm90_fetch(f, g, x.from, at);
        tc_ring_next(&u->ring, g->stages);
    }
}

/* A tile that may lack a copy has a loop of its own, and so has a block that may or may not have a neighbour: with a
 * branch between two copies ptxas gives both the same registers, and the second waits until the first has been read,
 * which makes a tile of 64 rows 5 to 10 % slower. */
TC_DEV_SM90 void tc__gemm90_load_blocks(const int alone, tc_gemm_config_in c, const tc_gemm90_block *g,
                                        tc_gemm90_producer *u, const tc__gemm90_run *run)
{
    const int both = TC__GEMM90_EARLY_A | TC__GEMM90_EARLY_B;
    const uint32_t none = alone ? 0 : TC__EDGE_NO_A | TC__EDGE_NO_B;
    const uint32_t some = none | (tc__gemm90_edge_kept(c) ? 0 : TC__EDGE_A | TC__EDGE_B);
    const tc__gemm90_fetching all = {c, both, alone, 0}, asking = {c, both, alone, 1};
    const tc__gemm90_sources s = tc__gemm90_sources_of(0, c, g, &run->w);
    const tc__gemm90_known x = {run, &s};
    if (run->waits) tc_griddepcontrol_wait();
    if (!(s.edge & some)) tc__gemm90_load_known(all, g, u, x);
    else tc__gemm90_load_known(asking, g, u, x);
}

/* Those of one tile of work, from number `from` on. */
TC_DEV_SM90 void tc_gemm_sm90_load(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_producer *u,
                                   const tc__gemm90_run *run)
{
    if (c.cluster_m * c.cluster_n == 1 || tc__gemm90_alone(c, g)) tc__gemm90_load_blocks(1, c, g, u, run);
    else tc__gemm90_load_blocks(0, c, g, u, run);
}

/* Programmatic dependent launch: as many blocks of k of the first tile as the ring takes, first of what the kernel
 * before does not write, then, when it has ended, of the rest. */
TC_DEV_SM90 void tc__gemm90_load_early(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_producer *u,
                                       tc__gemm90_run *run)
{
    const tc__gemm90_sources s = tc__gemm90_sources_of(0, c, g, &run->w);
    const tc__gemm90_fetching a = {c, TC__GEMM90_EARLY_A, 0, 1}, b = {c, TC__GEMM90_EARLY_B, 0, 1};
    const uint32_t stages = (uint32_t)g->stages, ahead = run->w.k_blocks < stages ? run->w.k_blocks : stages;
    const int early = g->p->early;
#pragma unroll 1
    for (uint32_t i = 0; i < ahead; i++) {
        const tc__gemm90_fetch_at at = {i, run->w.k_first + i};
        tc__gemm90_edge_note(c, g, &s, &run->w, i);
        tc__gemm90_expect(c, g, i, s.edge & (uint32_t)TC__EDGE_BYTES);
        if (early & TC__GEMM90_EARLY_A) tc__gemm90_fetch(a, g, &s, at);
        if (early & TC__GEMM90_EARLY_B) tc__gemm90_fetch(b, g, &s, at);
        tc_ring_next(&u->ring, g->stages);
    }
    run->from = ahead;
    tc_griddepcontrol_wait();
#pragma unroll 1
    for (uint32_t i = 0; i < ahead; i++) {
        const tc__gemm90_fetch_at at = {i, run->w.k_first + i};
        if (!(early & TC__GEMM90_EARLY_A)) tc__gemm90_fetch(a, g, &s, at);
        if (!(early & TC__GEMM90_EARLY_B)) tc__gemm90_fetch(b, g, &s, at);
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_LOAD_H */
