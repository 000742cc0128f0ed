/* tc_gemm_sm100.h - tc 0.2.0 - the GEMM's mainloop for Blackwell: TMA, tcgen05, tensor memory, persistent.
 * Needs: the headers below; sm_100a, 103a, 107a, 110a, or their f.
 *
 *     TC_GEMM_SM100_DEFINE(NAME, fields...)   one kernel, as TC_GEMM_SM90_DEFINE: tc_gemm.h has what it declares, and
 *                                             the call
 *     tc_gemm_sm100_load, _mma                producer and multiplier of one tile
 *     tc_gemm_sm100                           the kernel's body
 *     tc_gemm_sm100_fill (host)               what the kernel is given, from a call's arguments
 *     tc_gemm_sm100_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *
 * FIELDS: .a .b .d, the layouts, hooks and .raster as everywhere; and
 *     .cluster_m  2 (the default): pairs of blocks multiply 256 rows together; 1: blocks of 128 rows by themselves
 *     .cluster_n  1; 2: two of them side by side share A by multicast
 *     .bn         16..256 columns in steps of 16 (256). .bm is 128: a block's rows of tensor memory
 *     .bk         a multiple of 128 bytes of k (128 bytes);  .stages: what fits, at most 12;  .epi_stages: 2
 *     .clc        1: cluster launch control: the grid has a cluster for each tile, and those that run take over others
 *                 that have not begun, one by one, as long as there are any: where multiprocessors are shared, or some
 *                 tiles take longer, none waits. 0: as many clusters as run at a time, each with its share of the tiles
 *     .chip       107: for sm_107 (Rubin) alone, which has more of everything: see RUBIN
 *     .sf         TC_SF_UE8M0_32 (mxfp8: e4m3, e5m2; mxfp4: e2m1), TC_SF_UE4M3_16 (nvfp4: e2m1): A's rows and B's
 *                 columns come with factors of a byte for each 32 or 16 of k, in args.sfa and args.sfb, in the layout
 *                 of tc_sf.h. .bn is 256 or 128 then, and k of e2m1 even; a factor of a whole matrix goes
 *                 into alpha. tc_gemm_plan_pointers leaves them where they are
 * Where D is column-major m and n change places in these. TYPES: f16, bf16, tf32, e4m3 and e5m2 in any mix (sums in
 * f32: there is nothing to promote), s8 and u8 in any mix on 10.0 and 11.0 (10.3 has no kind::i8). A in columns and B
 * in rows are served for all of them. A and B follow TMA's rules; C and D may lie anywhere.
 *     .groups     as in tc_gemm.h: many products in one launch; with .sf each group's factors of A begin at a block
 *                 of their own (GROUPS in tc_sf.h), those of B are stride_sfb apart. Not with .clc
 *     .split      1: a call may split k between clusters, with a workspace (WORKSPACE in tc_gemm.h); not with .clc,
 *                 .groups and a quantised D; with .sf in no more parts than steps of .bk
 *     .weights    TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3, TC_E2M1: B is packed (tc_weights.h; args.b as in tc_gemm.h), the
 *                 same bytes as for TC_GEMM_SM90_DEFINE; with .weights_k and .weights_zero. .a = .b is TC_BF16 or
 *                 TC_F16, which they are multiplied as, .bn 128, .bk 128, no cluster; .bm is 16..256 rows of D in
 *                 steps of 16 (128): 16 for few rows, 128 or more for many; .split as without. Not with .clc, .groups,
 *                 .index, .aux, .row_sum, .col_sum and a quantised D, nor on sm_107 (tc_gemm_sm100_weights.h)
 * Of args.choice .blocks and, with .split, .parts mean something. Of .index
 * TC_INDEX_D is served.
 *
 * RUBIN. Code for sm_107a or f (CUDA 13.4 or later) has a form of its own: instructions of 64 bytes of k where e4m3,
 * e5m2 and e2m1 are multiplied, twice the rate of those of 32, and as many .stages as 327 KB of shared memory hold
 * where they are left out; with .sf and 256 columns all 576 of tensor memory. The host asks which code it launches: a
 * build may have both. With .chip = 107 there is code for sm_107 alone, and .stages may be as many as that. A program
 * that launches by itself (tc_gemm_sm100_prepare) sets .chip = 107 for code that it compiled for sm_107; NAME_SMEM
 * speaks of the other form.
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. The configuration and its rules are in
 * tc_gemm_sm100_plan.h, the end of a tile in tc_gemm_sm100_store.h, packed weights in tc_gemm_sm100_weights.h.
 *
 *     warp 0       one thread of it is the producer: fills the ring with TMA, tile after tile
 *     warp 1       one thread of it (of a pair's first block) multiplies what the ring holds into one of two
 *                  accumulators
 *     warp 2..5    bring the other one from tensor memory to D: hook, shared memory, TMA store
 *
 *     full         TMA has filled a slot: of both blocks of a pair, counted by its first
 *     empty        a slot has been read: a tcgen05.commit to all blocks of the cluster, one for each that multiplies
 *     done         an accumulator holds its tile's sums: a commit to both blocks of a pair
 *     free         it has been read: the warps that store arrive, those of both blocks of a pair
 *     told, heard  .clc: the answer to the cluster's first block's question for another tile has come, in each block;
 *                  all roles of all blocks have read it
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#ifndef TC_GEMM_SM100_H
#define TC_GEMM_SM100_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_cut.h"
#include "tc_gemm_sm100_plan.h"
#include "tc_gemm_sm100_store.h"
#include "tc_gemm_sm100_weights.h"

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

/* ---------------------------------------------------------------------------------------------------------------------
 * Producer: one thread of each block.
 */
/* A box to this block, or with a mask to those of the cluster; a pair's bytes are counted by its first block. */
TC_DEV_SM100A void tc__gemm100_fetch(const int pair, const tc_operand_source *s, tc_operand_at at, tc_operand_to to)
{
    const int x = at.turned ? s->row + at.row : at.k, y = at.turned ? at.k : s->row;
    if (!pair) {
        tc_operand_fetch(s->mask != 0, s, at, to);
    } else if (s->mask) {
        TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, multicast::cluster, cta_group::2, , to.dst, s->map,
                                (x, y, s->batch), to.full, s->mask);
    } else {
        TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, , cta_group::2, , to.dst, s->map, (x, y, s->batch), to.full);
    }
}

/* One tile: blocks of k into the ring. With .cluster_n = 2 this block loads half of its rows of A, for the block beside
 * it too: of each box, or half of the boxes. */
TC_DEV_SM100A void tc_gemm_sm100_load(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring, const tc_work *w)
{
    const tc_gemm_config c = k.c;
    const tc_gemm_sm100_params *p = g->p;
    if (c.weights) {
        tc__gemm100_weights_load(k, g, ring, w);
        return;
    }
    const tc_operand oa = tc__gemm100_a(c), ob = tc__gemm100_b(c);
    const int pair = c.cluster_m == 2, a_rows = oa.rows / c.cluster_n;
    const int a_boxes = oa.mn ? oa.boxes / c.cluster_n : oa.boxes;
    const uint32_t m = tc__gemm100_m(k, g), n = tc__gemm100_n(k, g);
    const uint32_t both = 1u | 1u << c.cluster_m; /* ranks of one m and all n, from m = 0 */
    const tc_operand_source a = {&p->a, w->row + (int)n * a_rows, p->a_batched ? w->batch : 0,
                                 (uint16_t)(c.cluster_n == 2 ? both << m : 0u)};
    const tc_operand_source b = {&p->b, w->col + (int)m * ob.rows, p->b_batched ? w->batch : 0, 0};
    const uint32_t to_a = n * (uint32_t)(oa.mn ? a_boxes * oa.box_bytes : a_rows * 128);
    const uint32_t slot_bytes = (uint32_t)tc__gemm100_slot(c), sf_at = (uint32_t)(oa.bytes + ob.bytes);
    const int sf_blocks = tc__gemm100_sf_blocks(c), step = c.a == TC_E2M1 ? c.bk / 2 : c.bk; /* its maps count bytes */
    const int sf_row = c.sf ? tc__gemm_sf_row(c, &p->groups, w) : 0;
    const tc_operand_source sfa = {&p->sfa, sf_row / 128 * p->sf_blocks, p->sfa_batched ? w->batch : 0, 0};
    const tc_operand_source sfb = {&p->sfb, w->col / 128 * p->sf_blocks, p->sfb_batched ? w->batch : 0, 0};
    for (uint32_t kb = 0; kb < w->k_blocks; kb++) {
        const uint32_t own = tc_pipe_full(g->pipe, ring->stage), slot = g->ring + ring->stage * slot_bytes;
        const uint32_t full = pair ? tc_mapa(own, tc__gemm100_leader(k, g)) : own;
        const int at_k = (int)(w->k_first + kb), from = p->k_first + at_k * step;
        TC_PIPE_WAIT_EMPTY(g->pipe, ring);
        if (!pair || m == 0u) tc_mbarrier_arrive_expect_tx(own, slot_bytes * (uint32_t)c.cluster_m);
#pragma unroll
        for (int box = 0; box < a_boxes; box++) {
            const tc_operand_to to = {slot + to_a + (uint32_t)(box * oa.box_bytes), full};
            tc__gemm100_fetch(pair, &a, tc_operand_place(oa, box, from), to);
        }
#pragma unroll
        for (int box = 0; box < ob.boxes; box++) {
            const tc_operand_to to = {slot + (uint32_t)(oa.bytes + box * ob.box_bytes), full};
            tc__gemm100_fetch(pair, &b, tc_operand_place(ob, box, from), to);
        }
        if (c.sf) { /* of this block's rows, and of all columns of the tile; past the end of k they are not used */
            const int block = p->k_first + at_k * sf_blocks;
            const tc_operand_at row = {1, (sfa.row + block) * 4, -sfa.row};
            const tc_operand_to to_row = {slot + sf_at, full};
            tc__gemm100_fetch(pair, &sfa, row, to_row);
#pragma unroll
            for (int j = 0; j < tc__gemm100_sf_across(c); j++) { /* columns past D's have other columns' or zeros */
                const tc_operand_at col = {1, (sfb.row + j * p->sf_blocks + block) * 4, -sfb.row};
                const tc_operand_to to_col = {slot + sf_at + (uint32_t)((1 + j) * sf_blocks * TC_SF_BLOCK), full};
                tc__gemm100_fetch(pair, &sfb, col, to_col);
            }
        }
        tc_ring_next(ring, c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Multiplier: one thread of each pair, or of each block.
 */
/* tcgen05's descriptor of a block. */
TC_DEV uint64_t tc__gemm100_desc(const tc_operand o, uint32_t at)
{
    const tc_tcgen05_desc_fields wide = {at, (uint32_t)o.box_bytes, 4u * 128u, 0, 0, 128, 1}; /* 4 k's of 32 bits */
    if (!o.mn) return tc_tcgen05_desc(at, 128);
    return tc_type_bits(o.type) == 32 ? tc_tcgen05_desc_make(wide)
                                      : tc_tcgen05_desc_mn(at, 128, (uint32_t)o.box_bytes);
}

/* One instruction: its operands' descriptors, the accumulator's address, whether it adds to what that holds. */
typedef struct tc__gemm100_step {
    uint64_t a, b;
    uint32_t d;
    int add;
    uint32_t sfa, sfb, id; /* .sf: columns of the factors, and which of the four in a cell is the first */
    int half;              /* .sf: only the first half of the instruction's k is there */
} tc__gemm100_step;

#define TC__GEMM100_MMA(kind)                                                                                         \
    do {                                                                                                              \
        if (k.c.cluster_m == 2) TC_TCGEN05_MMA_SS(2, kind, x.d, x.a, x.b, k.idesc, x.add);                            \
        else TC_TCGEN05_MMA_SS(1, kind, x.d, x.a, x.b, k.idesc, x.add);                                               \
    } while (0)
#define TC__GEMM100_MMA_BLOCK(kind)                                                                                   \
    do {                                                                                                              \
        const uint32_t idesc = (x.half ? k.idesc_half : k.idesc) | x.id << 29 | x.id << 4;                            \
        if (k.c.cluster_m == 2) TC_TCGEN05_MMA_SS_BLOCK(2, kind, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);          \
        else TC_TCGEN05_MMA_SS_BLOCK(1, kind, x.d, x.a, x.b, idesc, x.sfa, x.sfb, x.add);                             \
    } while (0)
TC_DEV_SM100A void tc__gemm100_issue(tc_gemm100_in k, const tc__gemm100_step x)
{
    if (k.kind == TC_KIND_F16) TC__GEMM100_MMA(f16);
    if (k.kind == TC_KIND_TF32) TC__GEMM100_MMA(tf32);
    if (k.kind == TC_KIND_F8F6F4) TC__GEMM100_MMA(f8f6f4);
#if TC_HAS_TCGEN05_I8
    if (k.kind == TC_KIND_I8) TC__GEMM100_MMA(i8);
#endif
    if (k.kind == TC_KIND_MXF8F6F4) TC__GEMM100_MMA_BLOCK(mxf8f6f4.block_scale);
    if (k.kind == TC_KIND_MXF4) TC__GEMM100_MMA_BLOCK(mxf4.block_scale);
    if (k.kind == TC_KIND_MXF4NVF4) TC__GEMM100_MMA_BLOCK(mxf4nvf4.block_scale.block16);
}

/* .sf: a slot's blocks of factors to tensor memory, A's and then B's; what this thread issues after comes after. Those
 * of 256 columns of B stand side by side, by fours of k. */
TC_DEV_SM100A void tc__gemm100_factors(tc_gemm100_in k, uint32_t from, uint32_t to)
{
    const int blocks = tc__gemm100_sf_blocks(k.c), across = tc__gemm100_sf_across(k.c);
#pragma unroll
    for (int i = 0; i < (1 + across) * blocks; i++) {
        const uint64_t desc = tc_tcgen05_desc_scales(from + (uint32_t)(i * TC_SF_BLOCK));
        const int j = i - blocks, at = i < blocks ? i : blocks + j % blocks * across + j / blocks;
        if (k.c.cluster_m == 2) TC_TCGEN05_CP(2, 32x128b.warpx4, to + (uint32_t)(at * 4), desc);
        else TC_TCGEN05_CP(1, 32x128b.warpx4, to + (uint32_t)(at * 4), desc);
    }
}

/* What this thread has issued is done: told to the blocks of a mask. */
TC_DEV_SM100A void tc__gemm100_commit(tc_gemm100_in k, uint32_t bar, uint32_t mask)
{
    if (k.c.cluster_m == 2) TC_TCGEN05_COMMIT_MULTICAST(2, bar, mask);
    else if (k.c.cluster_n == 2) TC_TCGEN05_COMMIT_MULTICAST(1, bar, mask);
    else TC_TCGEN05_COMMIT(1, bar);
}

/* One tile into an accumulator, which is free. */
TC_DEV_SM100A void tc_gemm_sm100_mma(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring,
                                     const tc__gemm100_target *to)
{
    const uint32_t d = to->d;
    const tc_operand oa = tc__gemm100_a(k.c), ob = tc__gemm100_b(k.c);
    const int sf_blocks = tc__gemm100_sf_blocks(k.c), each = k.wide ? 2 : 1, steps = tc_operand_steps(oa) / each;
    const int sf_across = tc__gemm100_sf_across(k.c), sf_sets = tc__gemm100_sf_sets(k.c);
    const uint32_t sets = g->tmem + (uint32_t)tc__gemm100_accumulators(k.c);
    for (uint32_t kb = 0; kb < (k.c.split ? to->k_blocks : g->p->k_blocks); kb++) {
        const uint32_t slot = g->ring + ring->stage * (uint32_t)tc__gemm100_slot(k.c);
        const uint32_t at_k = to->k_first + kb;
        const uint64_t a = tc__gemm100_desc(oa, slot), b = tc__gemm100_desc(ob, slot + (uint32_t)oa.bytes);
        TC_PIPE_WAIT_FULL(g->pipe, ring);
        tc_tcgen05_fence_after_thread_sync(); /* behind other warps' tcgen05.ld of a free accumulator, in both blocks */
        const uint32_t set = sets + (k.c.sf ? ring->stage % (uint32_t)sf_sets : 0u)
                                        * (uint32_t)tc__gemm100_sf_columns(k.c);
        if (k.c.sf) tc__gemm100_factors(k, slot + (uint32_t)(oa.bytes + ob.bytes), set);
#pragma unroll
        for (int s = 0; s < steps; s++) {
            const int block = s * sf_blocks / steps; /* of factors; an instruction takes 4, 2 or 1 of a row's 4 in it */
            const tc__gemm100_step x = {tc_tcgen05_desc_advance(a, (uint32_t)tc_operand_step(oa, s * each)),
                                        tc_tcgen05_desc_advance(b, (uint32_t)tc_operand_step(ob, s * each)), d,
                                        s > 0 ? 1 : kb > 0,
                                        set + (uint32_t)(block * 4),
                                        set + (uint32_t)((sf_blocks + block * sf_across) * 4),
                                        (uint32_t)(s * sf_blocks * 4 / steps % 4),
                                        k.wide && (at_k * (uint32_t)steps + (uint32_t)s) * 2u + 1u >= g->p->k_steps};
            if (!k.c.sf || (at_k * (uint32_t)steps + (uint32_t)s) * (uint32_t)each < g->p->k_steps)
                tc__gemm100_issue(k, x);
        }
        tc__gemm100_commit(k, tc_pipe_empty(g->pipe, ring->stage), (1u << tc__gemm100_cluster(k)) - 1u);
        tc_ring_next(ring, k.c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The roles, each over all tiles of its block, in the same order.
 */
/* A role's place among its tiles: the number of one among those of the clusters, and with .clc of the answer that says
 * which is next. */
typedef struct tc__gemm100_turn {
    uint32_t tile;
    tc_ring answer;
    uint32_t works; /* .groups, .split: how many there are */
} tc__gemm100_turn;

TC_DEV_SM100A tc__gemm100_turn tc__gemm100_first(tc_gemm100_in k, const tc_gemm100_block *g)
{
    const tc__gemm100_turn t = {blockIdx.x / (uint32_t)tc__gemm100_cluster(k), {0, 0},
                                k.c.groups || k.c.split ? tc__gemm100_works(k, g) : 0u};
    return t;
}

/* Is there none at all? Without .groups a block that was launched has one. */
TC_DEV int tc__gemm100_none(tc_gemm100_in k, const tc__gemm100_turn *t) { return k.c.groups && t->tile >= t->works; }

/* .clc: the producer's, before it fetches a tile: asks for the next one. Every block expects the answer; the cluster's
 * first one asks, when all roles of all blocks have read what stood in its place. After a refusal nobody asks again. */
TC_DEV_SM100A void tc__gemm100_ask(tc_gemm100_in k, const tc_gemm100_block *g, const tc__gemm100_turn *t)
{
    const uint32_t told = g->told + t->answer.stage * 8u, answer = g->answers + t->answer.stage * 16u;
    if (!k.c.clc) return;
    if (g->rank == 0u)
        TC_MBARRIER_WAIT(g->heard + t->answer.stage * 8u, t->answer.phase ^ 1u, "heard", (int)t->answer.stage);
    tc_mbarrier_arrive_expect_tx(told, 16);
    if (g->rank != 0u) return;
    if (tc__gemm100_cluster(k) > 1) tc_clusterlaunchcontrol_try_cancel_multicast(answer, told);
    else tc_clusterlaunchcontrol_try_cancel(answer, told);
}

/* To the next tile, if there is one. warp (a constant): all lanes of a warp call, and not one thread. */
TC_DEV_SM100A int tc__gemm100_next(tc_gemm100_in k, const tc_gemm100_block *g, tc__gemm100_turn *t, const int warp)
{
    uint64_t low, high;
    int more;
    if (!k.c.clc) {
        t->tile += gridDim.x / (uint32_t)tc__gemm100_cluster(k);
        return t->tile < (k.c.groups || k.c.split ? t->works : g->p->tiles.total);
    }
    TC_MBARRIER_WAIT(g->told + t->answer.stage * 8u, t->answer.phase, "told", (int)t->answer.stage);
    asm volatile("ld.shared.v2.b64 {%0, %1}, [%2];"
                 : "=l"(low), "=l"(high) : "r"(g->answers + t->answer.stage * 16u) : "memory");
    more = tc_clusterlaunchcontrol_is_canceled(low, high);
    if (more)
        t->tile = tc_clusterlaunchcontrol_first_ctaid_x(low, high) / (uint32_t)tc__gemm100_cluster(k);
    tc_fence_proxy_async_shared(); /* our reads before, the next answer after */
    if (warp) __syncwarp(); /* all lanes have read the answer */
    if (!warp || tc_elect_one()) tc_mbarrier_arrive_cluster(g->heard + t->answer.stage * 8u, 0);
    tc_ring_next(&t->answer, TC__GEMM100_ANSWERS);
    return more;
}

TC_DEV_SM100A void tc__gemm100_produce(tc_gemm100_in k, const tc_gemm100_block *g)
{
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring ring = {0, 0};
    if (tc__gemm100_none(k, &turn)) return;
    do {
        const tc_work w = tc_gemm100_work(0, k, g, turn.tile);
        tc__gemm100_ask(k, g, &turn);
        tc_gemm_sm100_load(k, g, &ring, &w);
    } while (tc__gemm100_next(k, g, &turn, 0));
    for (int s = 0; s < k.c.stages; s++) {
        TC_PIPE_WAIT_EMPTY(g->pipe, &ring); /* nobody may leave while a commit is on its way to its barriers */
        tc_ring_next(&ring, k.c.stages);
    }
}

TC_DEV_SM100A void tc__gemm100_multiply(tc_gemm100_in k, const tc_gemm100_block *g)
{
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring ring = {0, 0}, acc = {0, 0}, both = {0, 0}; /* with an overlap one barrier is of both accumulators */
    tc_ring made = {0, 0};
    if (tc__gemm100_none(k, &turn)) return;
    do {
        const tc_ring free = tc__gemm100_overlap(k.c) ? both : acc;
        TC_MBARRIER_WAIT(g->free + free.stage * 8u, free.phase ^ 1u, "free", (int)free.stage);
        tc__gemm100_target to = {g->tmem + acc.stage * (uint32_t)tc__gemm100_stride(k.c), 0u, 0u};
        if (k.c.split) {
            const tc_work w = tc_gemm100_work(0, k, g, turn.tile);
            to.k_first = w.k_first, to.k_blocks = w.k_blocks;
        }
        if (k.c.weights) tc__gemm100_weights_mma(k, g, &ring, &made, &to);
        else tc_gemm_sm100_mma(k, g, &ring, &to);
        if (k.c.cluster_m == 2) TC_TCGEN05_COMMIT_MULTICAST(2, g->done + acc.stage * 8u, 3u << g->rank);
        else TC_TCGEN05_COMMIT(1, g->done + acc.stage * 8u);
        tc_ring_next(&acc, tc__gemm100_sums_held(k.c));
        if (tc__gemm100_overlap(k.c)) tc_ring_next(&both, 1);
    } while (tc__gemm100_next(k, g, &turn, 0));
}

TC_DEV_SM100A void tc__gemm100_finish(tc_gemm100_in k, const tc_gemm100_block *g)
{
    const tc_gemm_sm100_plan plan = tc_gemm_sm100_plan_of(k.c);
    const int quarter = (int)tc_uniform(threadIdx.x / 32u % 4u); /* of the lanes: what the hardware gives this warp */
    tc__gemm100_turn turn = tc__gemm100_first(k, g);
    tc_ring acc = {0, 0};
    tc_gemm100_storer u;
    u.row = quarter * 32;
    u.buf = g->smem + (uint32_t)(plan.store + quarter * plan.warp_store);
    u.stores = 0;
    if (tc__gemm100_none(k, &turn)) return;
    do {
        u.w = tc_gemm100_work(1, k, g, turn.tile);
        if (k.c.weights) u.w = tc__gemm100_turned(&u.w);
        if (k.c.split) {
            const uint32_t blocks = (uint32_t)tc__gemm100_cluster(k), step = gridDim.x / blocks;
            u.tile = tc_quotient(turn.tile, g->p->split.by_parts) * blocks + g->rank;
            u.last = turn.tile + step >= turn.works;
        }
        u.tmem = g->tmem + acc.stage * (uint32_t)tc__gemm100_stride(k.c) + tc_tcgen05_taddr(quarter * 32, 0);
        TC_MBARRIER_WAIT(g->done + acc.stage * 8u, acc.phase, "done", (int)acc.stage);
        tc_tcgen05_fence_after_thread_sync();
        if (k.c.weights) tc__gemm100_weights_store(k, g, &u, acc.stage);
        else tc_gemm_sm100_store(k, g, &u, acc.stage);
        tc_ring_next(&acc, tc__gemm100_sums_held(k.c));
    } while (tc__gemm100_next(k, g, &turn, 1));
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel. A block that was launched has a tile, but with .groups.
 */
TC_DEV_SM100A void tc__gemm100_sync(tc_gemm100_in k)
{
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    if (tc__gemm100_cluster(k) > 1) tc_cluster_sync();
    else __syncthreads();
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
}

TC_DEV_SM100A tc_gemm100_block tc__gemm100_block_make(tc_gemm100_in k, const tc_gemm_sm100_params *p, uint32_t smem)
{
    const tc_gemm_sm100_plan plan = tc_gemm_sm100_plan_of(k.c);
    tc_gemm100_block g;
    g.p = p;
    g.smem = smem;
    g.ring = smem + (uint32_t)plan.ring;
    g.tmem = 0;
    g.done = smem + (uint32_t)plan.done, g.free = smem + (uint32_t)plan.free;
    g.answers = smem + (uint32_t)plan.answers;
    g.told = smem + (uint32_t)plan.told, g.heard = smem + (uint32_t)plan.heard;
    g.table = smem + (uint32_t)plan.groups, g.parts = smem + (uint32_t)plan.parts;
    g.rank = blockIdx.x % (uint32_t)tc__gemm100_cluster(k); /* the grid is a line of clusters */
    g.pipe = tc_pipe_at(smem + (uint32_t)plan.pipe, k.c.stages);
    g.made = tc_pipe_at(smem + (uint32_t)plan.made, tc__gemm100_made(k.c));
    return g;
}

/* A warp of each block: its columns of tensor memory; 576 of them are given to one block alone. */
TC_DEV_SM100A void tc__gemm100_alloc(tc_gemm100_in k, uint32_t slot)
{
#if TC_HAS_SM107A && TC_PTX_ISA >= 94
    if (k.columns > 512) {
        if (k.c.cluster_m == 2) TC_TCGEN05_ALLOC_EXCLUSIVE_N(2, slot, k.columns);
        else TC_TCGEN05_ALLOC_EXCLUSIVE_N(1, slot, k.columns);
        return;
    }
#endif
    if (k.c.cluster_m == 2) TC_TCGEN05_ALLOC_N(2, slot, k.columns);
    else TC_TCGEN05_ALLOC_N(1, slot, k.columns);
    if (k.c.cluster_m == 2) TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(2);
    else TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(1);
}
TC_DEV_SM100A void tc__gemm100_dealloc(tc_gemm100_in k, uint32_t tmem)
{
#if TC_HAS_SM107A && TC_PTX_ISA >= 94
    if (k.columns > 512) {
        if (k.c.cluster_m == 2) TC_TCGEN05_DEALLOC_EXCLUSIVE_N(2, tmem, k.columns);
        else TC_TCGEN05_DEALLOC_EXCLUSIVE_N(1, tmem, k.columns);
        return;
    }
#endif
    if (k.c.cluster_m == 2) TC_TCGEN05_DEALLOC_N(2, tmem, k.columns);
    else TC_TCGEN05_DEALLOC_N(1, tmem, k.columns);
}

/* Barriers and tensor memory, and the meeting of all threads of the cluster behind them. */
TC_DEV_SM100A void tc__gemm100_start(tc_gemm100_in k, tc_gemm100_block *g, uint32_t warp)
{
    const uint32_t slot = g->smem + (uint32_t)tc_gemm_sm100_plan_of(k.c).tmem;
    if (warp == 0u && tc_elect_one()) {
        if (!k.c.weights) tc_prefetch_tensormap(&g->p->a);
        tc_prefetch_tensormap(&g->p->b);
        tc_pipe_init(g->pipe, k.c.stages, (uint32_t)k.c.cluster_n); /* a commit from each that multiplies */
        for (uint32_t i = 0; i < TC__GEMM100_ACCUMULATORS; i++) {
            tc_mbarrier_init(g->done + i * 8u, 1);
            tc_mbarrier_init(g->free + i * 8u, 4u * (uint32_t)k.c.cluster_m); /* a lane of each warp that stores */
        }
        for (uint32_t i = 0; k.c.clc && i < TC__GEMM100_ANSWERS; i++) {
            tc_mbarrier_init(g->told + i * 8u, 1);
            /* the producer and four warps of each block, and those that multiply */
            tc_mbarrier_init(g->heard + i * 8u, 5u * (uint32_t)tc__gemm100_cluster(k) + (uint32_t)k.c.cluster_n);
        }
        if (k.c.weights) tc_pipe_init_full(g->made, tc__gemm100_made(k.c), TC__GEMM100_MAKERS); /* a lane of each */
        if (k.c.weights) tc_pipe_init_empty(g->made, tc__gemm100_made(k.c), 1);
        tc_fence_mbarrier_init();
    }
    if (warp == 1u) {
        tc__gemm100_alloc(k, slot);
    }
    if (warp == 2u && g->p->d_by == TC__GEMM_D_TMA && tc_elect_one()) tc_prefetch_tensormap(&g->p->d);
    if (k.c.groups && warp == 3u) { /* the kernel before may write the bounds that the table is made of */
        if (g->p->waits) tc_griddepcontrol_wait();
        tc_groups_scan(k.c.groups == TC_GROUPS_MASKED, &g->p->groups, g->table);
    }
    __syncwarp(); /* together again */
    tc__gemm100_sync(k);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(g->tmem) : "r"(slot) : "memory");
    /* The kernel behind may set itself up from now on, and wait for the tensor memory; it waits itself for what it
     * reads. */
    if (threadIdx.x == 0) tc_griddepcontrol_launch_dependents();
    if (g->p->waits) tc_griddepcontrol_wait();
}

TC_DEV_SM100A void tc_gemm_sm100(tc_gemm100_in k, const tc_gemm_sm100_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t warp = tc_uniform(threadIdx.x / 32u);
    tc_gemm100_block g = tc__gemm100_block_make(k, p, tc_smem_u32(tc__dynamic_smem));
    tc__gemm100_start(k, &g, warp);
    if (warp == 0u) {
        if (tc_elect_one()) tc__gemm100_produce(k, &g);
    } else if (warp == 1u) {
        if (tc__gemm100_m(k, &g) == 0u && tc_elect_one()) tc__gemm100_multiply(k, &g);
    } else if (k.c.weights && warp >= (uint32_t)TC__GEMM100_THREADS / 32u) {
        tc__gemm100_make(k, &g, warp - (uint32_t)TC__GEMM100_THREADS / 32u);
    } else {
        tc__gemm100_finish(k, &g);
    }
    __syncwarp(); /* together again */
    tc__gemm100_sync(k); /* nobody uses tensor memory, or a neighbour's shared memory, any more */
    if (warp == 1u) tc__gemm100_dealloc(k, g.tmem);
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* An operand's tensor map; with k = 0 one of 8 elements of D, of which nothing is read. v: the configuration's view,
 * and g the call's. */
TC_HOST tc_status tc__gemm100_map(tc_tmap *map, const tc_gemm_config *v, const tc_gemm_args *g, char which)
{
    const tc_operand o = which == 'a' ? tc__gemm100_a(*v) : tc__gemm100_b(*v);
    const int across = tc_operand_box_k(o), rows = which == 'a' ? o.rows / v->cluster_n : o.rows;
    tc_operand_matrix x = tc__gemm_matrix(v, g, v->swap ? 'a' : which); /* roles changed over: B alone has a map */
    tc_operand_box box = {across, o.mn ? v->bk : rows, 128};
    if (x.type == TC_TF32) { /* elements as they are */
        x.type = TC_F32;
        if (o.mn) box.swizzle = TC_SWIZZLE_128B_ATOM_32B;
    }
    if (x.type == TC_E2M1) { /* two in a byte; k is even */
        x.type = TC_U8;
        x.cols /= 2, x.pitch /= 2, x.stride /= 2;
        box.cols = 128;
    }
    if (g->k == 0) {
        x.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
        x.cols = across / 8;
        x.rows = x.batch = 1;
        x.pitch = across / 8;
    }
    return tc_operand_map_box(map, &x, &box);
}

/* Parameters of a checked call that is cut as `cut` says: clusters of the grid. c, g: of the view. */
TC_HOST tc_status tc_gemm_sm100_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                     tc_gemm_sm100_params *p)
{
    const tc_gemm_config v = *c;
    const tc_operand_matrix d = tc__gemm_matrix(&v, g, 'd');
    const tc_box box = tc__gemm100_box(v);
    const tc__gemm_sf sf = {tc__gemm100_sf_k(v), tc__gemm100_sf_blocks(v), v.groups};
    tc_status st = tc__gemm_tiles(&p->tiles, &v, g, cut);
    if (st != TC_OK) return st;
    p->groups = tc__gemm_groups_of(&v, g, cut);
    p->d_row = g->d_row, p->d_rows = g->d_rows;
    p->out = tc__gemm_out(&v, g);
    p->k_blocks = ((uint32_t)g->k + (uint32_t)v.bk - 1) / (uint32_t)v.bk;
    if (p->k_blocks < (uint32_t)cut->parts) p->k_blocks = (uint32_t)cut->parts;
    p->works = p->tiles.total * (uint32_t)cut->parts;
    p->split = tc_split_make(g->workspace, p->tiles.total * (uint32_t)(v.cluster_m * v.cluster_n), (uint32_t)cut->parts,
                             p->k_blocks);
    p->k_first = g->k ? 0 : 1 << 20; /* past the row that the maps then have */
    p->k_steps = (uint32_t)(((int64_t)g->k * tc_type_bits(v.a) + 255) / 256);
    if (p->k_steps == 0) p->k_steps = 1;
    p->sf_blocks = v.sf ? tc_sf_blocks(g->k, sf.k) : 0;
    p->sfa_batched = g->k && g->stride_sfa != 0, p->sfb_batched = g->k && g->stride_sfb != 0;
    p->a_batched = g->k && g->stride_a != 0;
    p->b_batched = g->k && (v.swap ? g->stride_a : g->stride_b) != 0;
    p->weights = tc__weights_bricks(&v, g);
    p->waits = (uint8_t)(g->pdl != 0);
    p->d_by = tc__gemm_d_by(&v, g, &p->out);
    p->d_plain = p->d_by == TC__GEMM_D_TMA && p->out.beta == 0.f;
    p->d_clips = p->d_plain && (int64_t)d.cols * tc_type_bits(v.d) / 8 % 16 == 0; /* TMA writes whole 16 bytes */
    if (tc__gemm_outputs(v)) p->d_clips = 0;
    if (p->d_by == TC__GEMM_D_TMA) st = tc_operand_map(&p->d, &d, tc_box_cols(box), 16);
    if (v.weights) memset(&p->a, 0, sizeof p->a);
    if (st == TC_OK && !v.weights) st = tc__gemm100_map(&p->a, &v, g, 'a');
    if (st == TC_OK) st = tc__gemm100_map(&p->b, &v, g, 'b');
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfa, sf, g, 'a');
    if (st == TC_OK && v.sf) st = tc__gemm_sf_map(&p->sfb, sf, g, 'b');
    return st;
}

/* A call to launch: grid in blocks (0: there is nothing to compute), threads of a block, bytes of its dynamic shared
 * memory, blocks of a cluster (1: launch without), and the kernel's only argument. */
typedef struct tc_gemm_sm100_launch {
    unsigned grid, block, smem, cluster;
    size_t workspace; /* bytes that it takes of the call's */
    tc_gemm_sm100_params params;
} tc_gemm_sm100_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm100_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    tc_status st = tc__gemm_check(c, args);
    tc_gemm_args g;
    if (st == TC_OK) st = tc__gemm_check_sparse(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    if (c->a == TC_E2M1 && g.k % 2)
        return tc__fail(TC_ERR_SIZE, "k = %d is odd, but two elements of e2m1 share a byte", g.k);
    if (c->weights) {
        st = tc__weights_call_check(c, &g);
        if (st != TC_OK) return st;
    }
    if (c->sf && g.k) st = tc__gemm_check_sf(c, &g, 'a');
    if (c->sf && g.k && st == TC_OK) st = tc__gemm_check_sf(c, &g, 'b');
    return st == TC_OK ? tc__gemm_check_tma(c, &g) : st;
}

#define TC__GEMM100_MAKE 100.0 /* .weights: cycles in which numbers of 128 bytes of k are made */

/* What the choice reckons with for a call of a kernel of which so many clusters run at a time: a step of 128 bytes of k
 * takes the longer of its products (two cycles a column) and of its bytes (64 a cycle), and so many bytes a tile's sums
 * take to the workspace and back. v, g: of the view. */
TC_HOST tc__gemm_pace tc__gemm100_pace(const tc_gemm_config *v, const tc_gemm_args *g, int clusters)
{
    const int across = v->bn * v->cluster_n;
    const double rows = TC__GEMM100_ROWS, of_a = v->weights ? rows / 16 * tc_type_bits(v->weights) : rows;
    const double products = 2. * v->bn, bytes = 2. * (of_a + (double)(v->bn / v->cluster_m));
    tc__gemm_pace x = {0, 1, 0, 0, 12. * v->bn, 16. * v->bn};
    x.tiles = (double)tc__gemm_about_tiles(v, g, v->bm * v->cluster_m, across);
    if (clusters > 1) x.at_a_time = clusters;
    x.steps = (double)g->k * tc_type_bits(v->a) / 1024;
    x.step = products > bytes ? products : bytes;
    if (v->weights && x.step < TC__GEMM100_MAKE) x.step = TC__GEMM100_MAKE;
    return x;
}

/* What parts of its tiles take of the call's workspace. */
TC_HOST tc__gemm_room tc__gemm100_room(const tc_gemm_config *v, const tc_gemm_args *g)
{
    const int64_t down = (g->m + (int64_t)v->bm * v->cluster_m - 1) / (v->bm * v->cluster_m);
    const int64_t across = (g->n + (int64_t)v->bn * v->cluster_n - 1) / (v->bn * v->cluster_n);
    const int64_t tiles = down * across * tc__gemm_batch(g) * v->cluster_m * v->cluster_n;
    const tc__gemm_room room = {(uint32_t)(tiles < 0x7fffffff ? tiles : 0x7fffffff), (size_t)(v->bm * v->bn),
                                g->workspace ? g->workspace_size : 0};
    return room;
}

/* Cycles of a call in the best parts of k, which *parts becomes. */
TC_HOST double tc__gemm100_best(const tc_gemm_config *v, const tc_gemm_args *g, int clusters, int *parts)
{
    const tc__gemm_pace pace = tc__gemm100_pace(v, g, clusters);
    const tc__gemm_room room = tc__gemm100_room(v, g);
    *parts = v->split ? tc__gemm_best_parts(&pace, &room, (int)(((int64_t)g->k + v->bk - 1) / v->bk)) : 1;
    return tc__gemm_cycles(&pace, *parts);
}

/* A checked call that computes something. clusters: how many of the kernel run at a time. */
TC_HOST tc_status tc__gemm100_launch(const tc_gemm_config *c, const tc_gemm_args *args, int clusters,
                                     tc_gemm_sm100_launch *l)
{
    const tc_gemm_args read = tc__gemm_effective(args), g = tc__gemm_plain_args(c, &read);
    const tc_gemm_config v = tc_gemm100_view(*c);
    tc_gemm_args left = tc__gemm_less_parts(c, &g);
    if (v.swap) left.m = g.n, left.n = g.m; /* rows and columns of the instruction */
    const tc__gemm_cutting by = {tc__gemm100_pace(&v, &left, clusters), tc__gemm100_room(&v, &left), clusters};
    tc_gemm_cut cut;
    tc_status st = tc__gemm_split_cut(&v, &left, &by, &cut);
    l->workspace = cut.workspace + tc__gemm_parts_bytes(c, &g);
    l->block = (unsigned)tc_gemm_sm100_threads(*c);
    l->smem = (unsigned)tc_gemm_sm100_smem(*c);
    l->cluster = (unsigned)(v.cluster_m * v.cluster_n);
    l->grid = 0;
    if (st == TC_OK) st = tc_gemm_sm100_fill(&v, &g, &cut, &l->params);
    if (st != TC_OK) return st;
    if (v.clc && l->params.tiles.total > 0x7fffffffu / l->cluster)
        return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, batch = %d: with .clc more than 2^31 blocks", args->m, args->n,
                        tc__gemm_batch(args));
    if (v.clc || l->params.works < (uint32_t)cut.blocks) cut.blocks = (int)l->params.works;
    l->grid = (unsigned)cut.blocks * l->cluster;
    return TC_OK;
}

/* tc_gemm_sm100_prepare: a call of a kernel that the program compiles and launches by itself (NVRTC, the driver API).
 * given: the configuration of its TC_GEMM_SM100_DEFINE, tc_epi_on_device or tc_epi2_on_device for its hook. clusters:
 * how many of it run at a time (cuOccupancyMaxActiveClusters; the device's multiprocessors divided by the cluster's
 * blocks are as good). */
TC__PREPARE(gemm, 100, clusters, TC__GEMM_SM100_RULES)

/* A kernel as the host sees it. */
TC_HOST tc__kernel tc__gemm_sm100_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const tc__kernel k = {f.function, f.name, tc_gemm_sm100_threads(*c), tc_gemm_sm100_smem(*c),
                          c->cluster_m * c->cluster_n, 100, cache};
    return k;
}

/* Integers are not on every chip that has tcgen05. */
TC_HOST int tc__gemm100_lacks(const tc_gemm_config *c, int cc)
{
    return tc__gemm_is_int(c->a) && (cc == 103 || cc == 107);
}
TC_HOST tc_status tc__gemm100_check_kind(const tc_gemm_config *c, const char *name)
{
    tc__device d;
    if (tc__device_now(&d) != cudaSuccess) return TC_OK;
    if (c->weights && d.cc == 107)
        return tc__fail(TC_ERR_DEVICE,
                        "%s has .weights, which are for compute capability 10.0, 10.3 and 11.0; device %d has %d.%d",
                        name, d.at, d.cc / 10, d.cc % 10);
    if (!tc__gemm100_lacks(c, d.cc)) return TC_OK;
    return tc__fail(TC_ERR_DEVICE,
                    "%s multiplies %s, which tcgen05 does on compute capability 10.0 and 11.0; device %d has %d.%d",
                    name, tc_type_name(c->a), d.at, d.cc / 10, d.cc % 10);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm100_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                     const tc__launch *how)
{
    tc_gemm_sm100_launch l;
    int clusters = 0;
    tc_status st = tc__gemm100_check(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    st = tc__gemm100_check_kind(c, k->name);
    if (st == TC_OK) st = tc__kernel_device(k, &clusters);
    if (st == TC_OK) st = tc__gemm100_launch(c, args, clusters, &l);
    if (st == TC_OK && how->workspace) *how->workspace = l.workspace;
    if (st != TC_OK || !how->launch) return st;
    if (how->plan) how->plan->turned = c->swap != tc__gemm_d_col(*c);
    const tc__gemm_launched launched = {k, l.grid, &l.params, &l.params.out};
    return tc__gemm_kernel_launch(c, &launched, how);
}

/* Other matrices for a plan: at[i] is null where a, b, c or d is not read. */
TC_HOST tc_status tc__gemm100_point(tc_gemm_sm100_params *p, int turned, const void *const *at,
                                    const tc_gemm_args *args)
{
    const void *of_d = (const void *)((uintptr_t)args->d & ~(uintptr_t)15); /* with k = 0 all maps are of D */
    tc_status st = p->d_by == TC__GEMM_D_TMA ? tc_tmap_replace_address(&p->d, args->d) : TC_OK;
    if (st == TC_OK) st = tc_tmap_replace_address(turned ? &p->b : &p->a, at[0] ? args->a : of_d);
    if (p->weights.rows) {
        if (st == TC_OK && at[1]) p->weights.at = (const char *)args->b;
        return st;
    }
    if (st == TC_OK) st = tc_tmap_replace_address(turned ? &p->a : &p->b, at[1] ? args->b : of_d);
    return st;
}

/* What a generator's functions for the host do. */
TC_HOST tc_status tc__gemm_sm100_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    tc__device on = {0, 0, 0, 0};
    tc_gemm_config form = *c;
    tc__kernel k;
    if (tc__device_now(&on) == cudaSuccess)
        form = tc_gemm_sm100_form(*c, tc__kernel_target(s->f[0].function, &s->cache[0], on.at, on.cc));
    k = tc__gemm_sm100_kernel(&form, s->f[0], &s->cache[0]);
    if (on.cc == 107 && tc_gemm_sm100_columns(form) > 256 && k.smem < TC__GEMM107_ALONE) k.smem = TC__GEMM107_ALONE;
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm100_params);
    return tc__gemm_sm100_run(&form, &k, args, how);
}

#endif /* host */

/* ---------------------------------------------------------------------------------------------------------------------
 * The generator; what it shares with the others is in tc_gemm.h.
 */
#ifdef __CUDACC__

#define TC__GEMM_SM100_BOUND(config) (tc__gemm100_here(config) ? tc_gemm_sm100_threads(config) : 32)
#define TC__GEMM_SM100_BODY(own, config, params)                                                                      \
    constexpr tc_gemm100 k = tc_gemm100_of(TC__GEMM_HOOKED(own, config));                                             \
    if (tc__gemm100_here(config)) {                                                                                   \
        if (TC__GEMM_FINISHES(k.c, params)) TC__GEMM_FINISH(k.c, params);                                             \
        else tc_gemm_sm100(k, &params);                                                                               \
    }

#define TC_GEMM_SM100_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM100_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM100_DEFINE_(name, own, ...)                                                                        \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm100_config, __VA_ARGS__)                                                     \
    TC__GEMM_SM100_RULES(TC__RULE_ASSERT, own##_config())                                                             \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm100_threads, tc_gemm_sm100_smem)                                        \
    TC__KERNEL_OF(name, tc_gemm_sm100_params, (TC__GEMM_SM100_BOUND(own##_config()), 1),                              \
                  TC__SM100_STRICT(TC__GEMM_SM100_BODY(own, own##_config(), p)))                                      \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm100_go, TC__FUNCTION(name)) TC__GEMM_ENTRIES(name, own))

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM100_H */
