/* tc_gemm_sm90_tiles.h - tc 0.2.0 - the Hopper GEMM where not all tiles of D, or not all k of a tile, are computed
 * (tc_gemm_tiles.h is the manual). Needs: the headers below; sm_90a.
 *
 * Which tile comes next, and how much k it has, takes look-ups and functions of the user's. The producer finds out and
 * leaves a note; consumers, who wait for the tile's first slot anyway, read it. Tiles that are skipped leave none.
 *
 *     notes:    [4] row, column, batch, steps of k, state, slots and laps that the ring goes on | full[4], empty[4]
 *               | .bsr: the order of A's rows of blocks
 *
 * A block's tiles follow from its number alone, so what is long comes first, and in every second round they go the
 * other way. Rows of blocks (.bsr) are put in order for that, by their number of blocks: the producer's warp deals them
 * to 32 classes. Where there are more than TC__GEMM90_ORDER of them, many tiles a block even that out.
 *
 *     tc__tiles_begin       the producer's warp, before the first tile
 *     tc__tiles_produce     the producer: all tiles of a block
 *     tc__tiles_take        a consumer warpgroup's next tile; tc__tiles_store: its way to D
 *     tc__tiles_fill        (host)
 */
#ifndef TC_GEMM_SM90_TILES_H
#define TC_GEMM_SM90_TILES_H

#include "tc_gemm_cut.h"
#include "tc_gemm_sm90_load.h"
#include "tc_gemm_sm90_plan.h"
#include "tc_gemm_sm90_store.h"
#include "tc_gemm_tiles.h"

#ifdef __CUDACC__

/* Where the notes lie, and the barriers behind them. */
TC_DEV uint32_t tc__tiles_notes(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).notes;
}
TC_DEV tc_pipe tc__tiles_pipe(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return tc_pipe_at(tc__tiles_notes(c, g) + TC__GEMM90_NOTES * TC__GEMM90_NOTE, TC__GEMM90_NOTES);
}

enum { TC__TILES_END = 3 }; /* a note's state: no tile comes any more */

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers.
 */

/* Where a warpgroup stands in the notes: of `turns` tiles it has one, after `left` others. */
typedef struct tc__tiles_reader {
    tc_ring ring;
    uint32_t left, turns;
} tc__tiles_reader;

/* A warpgroup's next tile; 0: there is none. The tile's state stands in .part. */
TC_DEV_SM90 int tc__tiles_take(tc_gemm_config_in c, const tc_gemm90_block *g, tc__tiles_reader *r,
                               tc_gemm90_consumer *u)
{
    const tc_pipe pipe = tc__tiles_pipe(c, g);
    for (;;) {
        const uint32_t at = tc__tiles_notes(c, g) + r->ring.stage * TC__GEMM90_NOTE;
        uint32_t w[8], mine = r->left == 0u;
        TC_MBARRIER_WAIT(tc_pipe_full(pipe, r->ring.stage), r->ring.phase, "note", (int)r->ring.stage);
#pragma unroll
        for (int i = 0; i < 8; i += 4)
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(w[i]), "=r"(w[i + 1]), "=r"(w[i + 2]), "=r"(w[i + 3])
                         : "r"(at + (uint32_t)(i * 4)) : "memory");
        __syncwarp();
        if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_empty(pipe, r->ring.stage));
        tc_ring_next(&r->ring, TC__GEMM90_NOTES);
        r->left = mine ? r->turns - 1u : r->left - 1u;
        u->w.part = tc_uniform(w[4]);
        if (u->w.part == TC__TILES_END) return 0;
        if (mine) {
            u->w.row = (int)tc_uniform(w[0]), u->w.col = (int)tc_uniform(w[1]), u->w.batch = (int)tc_uniform(w[2]);
            u->w.k_first = 0u, u->w.k_blocks = tc_uniform(w[3]), u->w.end = 0;
            return 1;
        }
        tc_ring_skip(&u->ring, tc_uniform(w[5]), tc_uniform(w[6]), g->stages);
    }
}

/* What of a tile goes to D where it is not all of it: pieces. In a cluster nothing of it may. 0: all of it. */
TC_DEV_SM90 int tc__tiles_store(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    if (u->w.part == TC_TILE_SKIP) return 1;
    if (!tc__gemm90_picks(c, u)) return 0;
    tc__gemm90_end_pieces(c, g, u, acc);
    return 1;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * .bsr: rows of blocks in order.
 */
TC_DEV uint32_t tc__tiles_order(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return tc__tiles_pipe(c, g).full + (uint32_t)tc_pipe_bytes(TC__GEMM90_NOTES);
}

/* Are they? Where tiles are lower than blocks, every row of blocks must have as many. */
TC_DEV int tc__tiles_ordered(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return tc__tiled_of(c, &g->p->out)->rows <= TC__GEMM90_ORDER && (c.bm == c.bsr || g->p->out.m % c.bsr == 0);
}

/* Number of blocks of a row of them. */
TC_DEV uint32_t tc__tiles_count(const tc__tiled *t, int row)
{
    const tc__tiles_blocks b = tc__tiles_row(t, row);
    return (uint32_t)(b.end - b.from);
}

/* 32 rows of blocks, one a lane: its class, and which lanes are of that class, which of this lane's own number. */
typedef struct tc__tiles_class {
    uint32_t of, same, mine;
} tc__tiles_class;

TC_DEV tc__tiles_class tc__tiles_class_of(const tc__tiled *t, int row, uint32_t most)
{
    const uint32_t lane = threadIdx.x % 32u, there = __ballot_sync(0xffffffffu, row < t->rows);
    tc__tiles_class x = {31u - (uint32_t)((uint64_t)tc__tiles_count(t, row) * 32u / (most + 1u)), there, there};
#pragma unroll
    for (uint32_t bit = 1; bit < 32u; bit *= 2u) {
        const uint32_t set = __ballot_sync(0xffffffffu, (x.of & bit) != 0u);
        x.same &= x.of & bit ? set : ~set;
        x.mine &= lane & bit ? set : ~set;
    }
    return x;
}

/* The longest first. By all lanes of the producer's warp. */
TC_DEV_SM90 void tc__tiles_sort(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc__tiled *t = tc__tiled_of(c, &g->p->out);
    const int lane = tc_lane();
    const uint32_t to = tc__tiles_order(c, g);
    uint32_t most = 0, all = 0, own;
    for (int row = lane; row - lane < t->rows; row += 32) {
        const uint32_t count = tc__tiles_count(t, row);
        most = count > most ? count : most;
    }
    asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(own) : "r"(most));
    most = own;
    for (int row = lane; row - lane < t->rows; row += 32)
        all += (uint32_t)__popc(tc__tiles_class_of(t, row, most).mine);
    own = all;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffffu, all, (unsigned)step);
        if (lane >= step) all += before;
    }
    all -= own; /* rows of the classes before this lane's */
    for (int row = lane; row - lane < t->rows; row += 32) {
        const tc__tiles_class x = tc__tiles_class_of(t, row, most);
        const uint32_t at = __shfl_sync(0xffffffffu, all, (int)x.of)
                          + (uint32_t)__popc(x.same & ((1u << (uint32_t)lane) - 1u));
        if (row < t->rows)
            asm volatile("st.shared.u16 [%0], %1;" : : "r"(to + at * 2u), "h"((uint16_t)row) : "memory");
        all += (uint32_t)__popc(x.mine);
    }
}

/* The producer's warp, before its first tile. */
TC_DEV_SM90 void tc__tiles_begin(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    if (g->p->waits) tc_griddepcontrol_wait();
    if (c.bsr && tc__tiles_ordered(c, g) && !g->p->k_first) tc__tiles_sort(c, g);
    __syncwarp();
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer: one thread.
 */
typedef struct tc__tiles_writer {
    tc_gemm90_producer u;
    tc_ring notes;
} tc__tiles_writer;

TC_DEV_SM90 void tc__tiles_note(tc_gemm_config_in c, const tc_gemm90_block *g, tc__tiles_writer *t,
                                const tc_work *w)
{
    const tc_pipe pipe = tc__tiles_pipe(c, g);
    const uint32_t at = tc__tiles_notes(c, g) + t->notes.stage * TC__GEMM90_NOTE;
    const uint32_t laps = c.schedule == TC_PINGPONG ? w->k_blocks / (uint32_t)g->stages : 0u;
    TC_MBARRIER_WAIT(tc_pipe_empty(pipe, t->notes.stage), t->notes.phase ^ 1u, "note read", (int)t->notes.stage);
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 : : "r"(at), "r"(w->row), "r"(w->col), "r"(w->batch), "r"(w->k_blocks) : "memory");
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                 : : "r"(at + 16u), "r"(w->part), "r"(w->k_blocks - laps * (uint32_t)g->stages), "r"(laps), "r"(0u)
                 : "memory");
    tc_mbarrier_arrive(tc_pipe_full(pipe, t->notes.stage));
    tc_ring_next(&t->notes, TC__GEMM90_NOTES);
}

/* A tile, of all blocks of the cluster: the instruction's first row and column, and what it is of the plain view. */
typedef struct tc__tiles_whole {
    int row, col;
    tc__tiles_patch patch;
} tc__tiles_whole;

TC_DEV tc__tiles_whole tc__tiles_at(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t index)
{
    const tc_gemm_sm90_params *p = g->p;
    const tc_tile at = c.triangle ? tc_triangle_at(&tc__tiled_of(c, &p->out)->triangle, index)
                                  : tc_tile_at(&p->tiles, index);
    const int rows = g->cluster_m * c.bm, cols = c.cluster_n * g->width;
    tc__tiles_whole t;
    t.row = (int)at.m * rows, t.col = (int)at.n * cols;
    if (c.bsr && tc__tiles_ordered(c, g) && !p->k_first) {
        uint16_t row;
        asm volatile("ld.shared.u16 %0, [%1];"
                     : "=h"(row) : "r"(tc__tiles_order(c, g) + (uint32_t)(t.row / c.bsr * 2)) : "memory");
        t.row = (int)row * c.bsr + t.row % c.bsr;
    }
    const tc__tiles_patch x = {t.row, rows, t.col, cols, (int)at.batch};
    t.patch = tc__tiles_swapped(c, x);
    return t;
}

/* Its steps of k; without any it takes one in which A and B have zeros: past their end. */
TC_DEV tc__tiles_run tc__tiles_steps(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__tiles_whole *t)
{
    const tc_gemm_sm90_params *p = g->p;
    const tc__tiles_run all = {0u, p->k_blocks};
    tc__tiles_run r = all;
    if (p->k_first) return all; /* k is 0 */
    if (c.bsr) {
        const tc__tiles_blocks b = tc__tiles_row(tc__tiled_of(c, &p->out), t->patch.row / c.bsr);
        r.first = (uint32_t)b.from, r.blocks = (uint32_t)(b.end - b.from) * (uint32_t)(c.bsr / c.bk);
    } else if (c.k_range) {
        r = tc__tiles_k(c, (int)p->k_blocks, &p->out, tc__tiles_place(tc__gemm_d_col(c), &p->out, t->patch));
        r.first = r.blocks ? r.first : p->k_blocks;
    }
    return r;
}

/* Tile `index` as this block sees it; .part is its state. 0: no block of the cluster has anything of it. */
TC_DEV_SM90 int tc__tiles_work(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t index, tc_work *w)
{
    const tc__tiles_whole t = tc__tiles_at(c, g, index);
    const int turned = tc__gemm_d_col(c);
    if (tc__tiles_state(c, turned, &g->p->out, t.patch) == TC_TILE_SKIP) return 0;
    const tc__gemm90_place at = tc__gemm90_place_of(c, g);
    const tc__tiles_run run = tc__tiles_steps(c, g, &t);
    w->row = t.row + (int)at.m * c.bm, w->col = t.col + (int)at.n * g->width;
    w->batch = t.patch.batch, w->end = 0;
    w->k_first = run.first, w->k_blocks = run.blocks ? run.blocks : 1u;
    const tc__tiles_patch mine = {w->row, c.bm, w->col, g->width, w->batch};
    w->part = (uint32_t)tc__tiles_state(c, turned, &g->p->out, tc__tiles_swapped(c, mine));
    if (c.bsr && run.blocks == 0u) w->k_first = 0xffffffffu;
    return 1;
}

/* .bsr: one step of k, A's from a row of its blocks on, B's from a column. */
typedef struct tc__tiles_step {
    int block, col, in; /* the block, its column of blocks, k within it; block -1: zeros */
} tc__tiles_step;

TC_DEV_SM90 void tc__tiles_fetch(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_sources *s,
                                 const tc__tiles_step x, uint32_t stage)
{
    const uint32_t full = tc_pipe_full(g->pipe, stage), slot = g->ring + stage * g->slot;
    const int none = x.block < 0 || g->p->k_first;
    const int past = g->p->k_first ? g->p->k_first : (int)g->p->k_blocks * c.bk; /* behind the last k */
    tc_operand_source a = s->a;
    a.row = none ? tc__tiled_of(c, &g->p->out)->blocks * c.bsr : x.block * c.bsr + a.row % c.bsr;
    const int ka = g->p->k_first ? past : x.in, kb = none ? past : x.col * c.bsr + x.in;
#pragma unroll
    for (int box = 0; box < s->oa.boxes; box++) {
        const tc_operand_to to = {slot + s->to_a + (uint32_t)(box * s->oa.box_bytes), full};
        tc_operand_fetch(c.cluster_n > 1, &a, tc_operand_place(s->oa, box, ka), to);
    }
#pragma unroll
    for (int box = 0; box < s->ob.boxes; box++) {
        const tc_operand_to to = {slot + s->to_b + (uint32_t)(box * s->ob.box_bytes), full};
        tc_operand_fetch(g->cluster_m > 1, &s->b, tc_operand_place(s->ob, box, kb), to);
    }
}

/* .bsr: the blocks of one tile. */
TC_DEV_SM90 void tc__tiles_load_blocks(tc_gemm_config_in c, const tc_gemm90_block *g, tc__tiles_writer *t,
                                       const tc_work *w)
{
    const tc__tiled *b = tc__tiled_of(c, &g->p->out);
    const tc__gemm90_sources s = tc__gemm90_sources_of(1, c, g, w);
    const int steps = c.bsr / c.bk, across = (int)g->p->k_blocks / steps, some = w->k_first != 0xffffffffu;
    const int *from = b->col_idx + w->k_first;
    int next = some && !g->p->k_first ? *from : -1;
    tc__tiles_step x = {-1, 0, 0};
    for (uint32_t i = 0; i < w->k_blocks; i++) {
        const int in = (int)(i % (uint32_t)steps);
        if (in == 0) { /* the next one's place is on its way while this one is loaded */
            const int now = (int)(i / (uint32_t)steps), there = (uint32_t)next < (uint32_t)across;
            x.block = some && there ? (int)w->k_first + now : -1, x.col = next;
            if (i + (uint32_t)steps < w->k_blocks) next = from[now + 1];
        }
        x.in = in * c.bk;
        TC_PIPE_WAIT_EMPTY(g->pipe, &t->u.ring);
        tc__gemm90_expect(c, g, t->u.ring.stage, 0);
        tc__tiles_fetch(c, g, &s, x, t->u.ring.stage);
        tc_ring_next(&t->u.ring, g->stages);
    }
}

/* All tiles of a block. With .k_range the line goes from its end to its start where the last tile is longer than the
 * first. */
TC_DEV_SM90 void tc__tiles_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc_gemm_sm90_params *p = g->p;
    const uint32_t total = p->tiles.total, step = tc__gemm90_per_cluster(c, g, gridDim.x);
    const uint32_t first = tc__gemm90_per_cluster(c, g, blockIdx.x);
    uint32_t back = 0;
    tc__tiles_writer t = {{{0, 0}, 0}, {0, 0}};
    tc__gemm90_run run = {{0, 0, 0, 0, 0, 0, 0}, 0, 0};
    if (c.k_range) {
        const tc__tiles_whole one = tc__tiles_at(c, g, 0), other = tc__tiles_at(c, g, total - 1u);
        back = tc__tiles_steps(c, g, &other).blocks > tc__tiles_steps(c, g, &one).blocks;
    }
    for (uint32_t round = 0, from = 0; from < total; round++, from += step) {
        const uint32_t i = from + (tc__tiles_uneven(c) && round % 2u ? step - 1u - first : first);
        if (i >= total || !tc__tiles_work(c, g, back ? total - 1u - i : i, &run.w)) continue;
        tc__tiles_note(c, g, &t, &run.w);
        if (c.bsr) tc__tiles_load_blocks(c, g, &t, &run.w);
        else tc_gemm_sm90_load(c, g, &t.u, &run);
        t.u.back ^= p->to_and_fro;
    }
    run.w.part = TC__TILES_END;
    tc__tiles_note(c, g, &t, &run.w);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a kernel is told of a checked call's tiles. v: a view. */
TC_HOST void tc__tiles_fill(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut,
                            tc_gemm_sm90_params *p)
{
    const tc__gemm_tell to = {&p->out, &p->tiles};
    tc__gemm_tell_tiles(v, g, cut, to);
}

#endif /* host */
#endif /* TC_GEMM_SM90_TILES_H */
