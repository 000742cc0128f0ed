/* tc_gemm_sm90.h - tc 0.2.0 - the GEMM's mainloop for Hopper: TMA, wgmma, warp-specialised, persistent.
 * Needs: the headers below; sm_90a.
 *
 *     tc_gemm_sm90_mma                       the consumer of one tile; tc_gemm_sm90_load.h is its producer
 *     tc_gemm_sm90                           the kernel's body
 *     tc_gemm_sm90_fill (host)               what the kernel is given, from a call's arguments
 *     tc_gemm_sm90_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *                                            (tc_gemm.h)
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer. The configuration is in
 * tc_gemm_sm90_plan.h, its rules are in tc_gemm_sm90_rules.h, the end of a tile in tc_gemm_sm90_store.h, tiles that are
 * not all of D in tc_gemm_sm90_tiles.h; tc_gemm_sm90_parts.h picks the loop, the producers and the end of a kernel.
 *
 *     warpgroup 0       one thread of it is the producer: fills the ring with TMA, tile after tile; where rows of A are
 *                       looked up, all of them copy these (tc_gemm_sm90_gather.h)
 *     warpgroup 1..     consumers: wgmma from the ring into registers, then hook, shared memory, TMA store
 *
 *     shared memory:    boxes of 16 rows, epi_stages for each consumer warp | sums from the other blocks (cluster_k)
 *                       | slots of the ring: a block of A, a block of B (tc_operand.h)
 *                       | full[stages], empty[stages], turn[consumers], sums
 */
#ifndef TC_GEMM_SM90_H
#define TC_GEMM_SM90_H

#include "tc_conv_sm90.h"
#include "tc_gemm_choice.h"
#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_sm90_any.h"
#include "tc_gemm_sm90_each.h"
#include "tc_gemm_sm90_f32.h"
#include "tc_gemm_sm90_gather.h"
#include "tc_gemm_sm90_groups.h"
#include "tc_gemm_sm90_load.h"
#include "tc_gemm_sm90_once.h"
#include "tc_gemm_sm90_plan.h"
#include "tc_gemm_sm90_promote.h"
#include "tc_gemm_sm90_rules.h"
#include "tc_gemm_sm90_split.h"
#include "tc_gemm_sm90_sparse.h"
#include "tc_gemm_sm90_quant.h"
#include "tc_gemm_sm90_turn.h"
#include "tc_gemm_sm90_tiles.h"
#include "tc_gemm_sm90_weights.h"
#include "tc_gemm_sums.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers.
 */
/* wgmma's descriptor of a block. */
TC_DEV uint64_t tc__gemm90_desc(const tc_operand o, uint32_t at)
{
    return o.mn ? tc_wgmma_desc_mn(at, (uint32_t)o.box_bytes) : tc_wgmma_desc(at, 128);
}

/* The k loop with the wgmma of one width. The place in the ring, and descriptors with it, must be in uniform registers:
 * ptxas puts them there if nothing in the kernel, from one tile to the next, may part the lanes of a warp in its eyes
 * (docs/design.md). With small tiles a step is as long as what stands here in a row, 170 cycles and more, so it is
 * short: descriptors of the next slot are made while this one is multiplied, the wait for it is one instruction and a
 * branch (a test beforehand is a vote and three moves between predicates), and no branch asks whether it is the first
 * step. */
TC_DEV_SM90A void tc__gemm90_loop(tc_gemm_config_in c, const tc_wgmma_fn mma, const tc_gemm90_block *g,
                                  tc__gemm90_loop_state *l)
{
    const tc_operand oa = tc__gemm90_a(c), ob = tc__gemm90_b(c, g->width);
    tc_gemm90_consumer *u = l->u;
    tc_ring ring = u->ring;
    const uint32_t blocks = u->w.k_blocks;
    const tc__gemm90_giver give = tc__gemm90_giver_of(c, g);
    /* 64 rows of A are 64 * 128 bytes, in rows as in columns */
    uint32_t slot = g->ring + ring.stage * g->slot;
    uint64_t da = tc__gemm90_desc(oa, slot + (uint32_t)(u->row * 128));
    uint64_t db = tc__gemm90_desc(ob, slot + (uint32_t)oa.bytes);
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = ring.stage;
        tc_wgmma_fence();
        {
#pragma unroll
            for (int s = 0; s < tc_operand_steps(oa); s++) {
#pragma unroll
                for (int i = 0; i < tc__gemm90_rows(c) / 64; i++)
                    mma(l->acc + i * tc__gemm90_regs(c, c.bn),
                        tc_wgmma_desc_advance(da, (uint32_t)(tc_operand_step(oa, s) + i * 64 * 128)),
                        tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, s)),
                        s > 0 ? 1 : kb > 0);
            }
        }
        tc_wgmma_commit_group();
        tc_ring_next(&ring, g->stages);
        slot = g->ring + ring.stage * g->slot;
        da = tc__gemm90_desc(oa, slot + (uint32_t)(u->row * 128));
        db = tc__gemm90_desc(ob, slot + (uint32_t)oa.bytes);
        TC_WGMMA_WAIT_GROUP(1);
        tc__gemm90_give(c, g, &give, l->last, kb > 0);
        l->last = now;
        if (kb + 1 < blocks) TC_PIPE_WAIT_FULL(g->pipe, &ring);
    }
    u->ring = ring;
}

/* wgmmas of a block of k: the warpgroup's 64 rows number i. */
typedef struct tc__gemm90_wgmma {
    tc_wgmma_fn mma;
    int n; /* its columns */
} tc__gemm90_wgmma;

typedef struct tc__gemm90_step {
    uint64_t a, b; /* descriptors of the slot */
    int i, add;    /* add: to what the accumulators hold */
} tc__gemm90_step;

TC_DEV_SM90A void tc__gemm90_issue(tc_gemm_config_in c, const tc__gemm90_wgmma mma, const tc__gemm90_step x,
                                  float *acc)
{
    const tc_operand oa = tc__gemm90_a(c), ob = tc__gemm90_b(c, mma.n);
#pragma unroll
    for (int s = 0; s < tc_operand_steps(oa); s++)
        mma.mma(acc, tc_wgmma_desc_advance(x.a, (uint32_t)(tc_operand_step(oa, s) + x.i * 64 * 128)),
                tc_wgmma_desc_advance(x.b, (uint32_t)tc_operand_step(ob, s)), s > 0 ? 1 : x.add);
}

/* The first 64 rows of the ring's slot. */
TC_DEV_SM90A tc__gemm90_step tc__gemm90_step_of(tc_gemm_config_in c, const tc_gemm90_block *g,
                                                const tc_gemm90_consumer *u)
{
    const tc_operand oa = tc__gemm90_a(c);
    const uint32_t slot = g->ring + u->ring.stage * g->slot;
    const tc__gemm90_step x = {tc__gemm90_desc(oa, slot + (uint32_t)(u->row * 128)),
                               tc_wgmma_desc(slot + (uint32_t)oa.bytes, 128), 0, 0};
    return x;
}

/* A constant: the kernel, its wgmma; whether it is the last block of k of a tile. */
typedef struct tc__gemm90_promoter {
    tc_gemm_config c;
    tc__gemm90_wgmma mma;
    int last;
} tc__gemm90_promoter;

/* Short sums of 64 rows, which wgmmas that run are adding up, and where the next ones will read. */
typedef struct tc__gemm90_short {
    tc__gemm90_step step;
    tc__gemm90_giver give;
    float sums[128];
} tc__gemm90_short;

TC_DEV_SM90A void tc__gemm90_issue_part(const tc__gemm90_promoter x, tc__gemm90_short *part)
{
    tc_wgmma_fence();
    tc__gemm90_issue(x.c, x.mma, part->step, part->sums);
    tc_wgmma_commit_group();
}

/* A block of k, whose first 64 rows are running. Between the end of one group of wgmmas and the start of the next stand
 * the additions and nothing else: where the next one reads is found out while this one runs, and a slot is given back
 * when the next one runs. */
TC_DEV_SM90A void tc__gemm90_promoting_block(const tc__gemm90_promoter x, const tc_gemm90_block *g,
                                             tc__gemm90_loop_state *l, tc__gemm90_short *part)
{
    const int chunks = tc__gemm90_rows(x.c) / 64, count = x.mma.n / 2;
    tc_ring *ring = &l->u->ring;
    const uint32_t now = ring->stage;
    tc__gemm90_promoting p;
    int ready = 1;
    if (tc__gemm_scaled(x.c)) tc__gemm90_ask(x.c, g, l->u, &p);
#pragma unroll
    for (int i = 0; i < chunks; i++) {
        const tc__gemm90_sums sums = {part->sums, l->acc + i * x.c.bn / 2, x.mma.n};
        part->step.i = i + 1;
        if (i + 1 == chunks) {
            tc_ring_next(ring, g->stages);
            if (!x.last) ready = tc_mbarrier_test_wait_parity(tc_pipe_full(g->pipe, ring->stage), ring->phase);
            if (!x.last) part->step = tc__gemm90_step_of(x.c, g, l->u);
        }
        TC_WGMMA_WAIT_GROUP(0);
        tc_wgmma_fence_acc(part->sums, count);
        tc__gemm90_promote(x.c, &p, i, sums);
        if (!ready) TC_PIPE_WAIT_FULL(g->pipe, ring);
        if (i + 1 < chunks || !x.last) tc__gemm90_issue_part(x, part);
    }
    tc__gemm90_give(x.c, g, &part->give, now, 1);
}

/* The same of 64 rows, whose products are in `part`: the next block's run into `next` meanwhile. */
TC_DEV_SM90A void tc__gemm90_ahead_block(const tc__gemm90_promoter x, const tc_gemm90_block *g,
                                         tc__gemm90_loop_state *l, tc__gemm90_short *part, tc__gemm90_short *next)
{
    const tc__gemm90_sums sums = {part->sums, l->acc, x.mma.n};
    tc_ring *ring = &l->u->ring;
    const uint32_t now = ring->stage;
    tc__gemm90_promoting p;
    if (tc__gemm_scaled(x.c)) tc__gemm90_ask(x.c, g, l->u, &p);
    tc_ring_next(ring, g->stages);
    if (!x.last) {
        TC_PIPE_WAIT_FULL(g->pipe, ring);
        next->step = tc__gemm90_step_of(x.c, g, l->u);
        tc__gemm90_issue_part(x, next);
        TC_WGMMA_WAIT_GROUP(1);
    } else {
        TC_WGMMA_WAIT_GROUP(0);
    }
    tc_wgmma_fence_acc(part->sums, x.mma.n / 2);
    tc__gemm90_promote(x.c, &p, 0, sums);
    tc__gemm90_give(x.c, g, &part->give, now, 1);
}

TC_DEV_SM90A void tc__gemm90_ahead_loop(tc_gemm_config_in c, const tc__gemm90_wgmma mma, const tc_gemm90_block *g,
                                        tc__gemm90_loop_state *l)
{
    const tc__gemm90_promoter inner = {c, mma, 0}, last = {c, mma, 1};
    uint32_t left = tc_uniform(l->u->w.k_blocks);
    tc__gemm90_short even, odd;
    even.give = odd.give = tc__gemm90_giver_of(c, g);
    even.step = tc__gemm90_step_of(c, g, l->u);
#pragma unroll
    for (int e = 0; e < mma.n / 2; e++) l->acc[e] = 0.f;
    tc__gemm90_issue_part(inner, &even);
#pragma unroll 1
    for (; left > 2; left -= 2) {
        tc__gemm90_ahead_block(inner, g, l, &even, &odd);
        tc__gemm90_ahead_block(inner, g, l, &odd, &even);
    }
    if (left == 2) {
        tc__gemm90_ahead_block(inner, g, l, &even, &odd);
        tc__gemm90_ahead_block(last, g, l, &odd, &even);
    } else {
        tc__gemm90_ahead_block(last, g, l, &even, &odd);
    }
}

/* .promote of each block of k: its 64 rows one after the other. acc are the sums; gives all slots back. */
TC_DEV_SM90A void tc__gemm90_promoting_loop(tc_gemm_config_in c, const tc__gemm90_wgmma mma,
                                            const tc_gemm90_block *g, tc__gemm90_loop_state *l)
{
    if (tc__gemm90_ahead(c, mma.n)) return tc__gemm90_ahead_loop(c, mma, g, l);
    const tc__gemm90_promoter inner = {c, mma, 0}, last = {c, mma, 1};
    const uint32_t blocks = tc_uniform(l->u->w.k_blocks);
    tc__gemm90_short part;
    part.give = tc__gemm90_giver_of(c, g);
    part.step = tc__gemm90_step_of(c, g, l->u);
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++)
#pragma unroll
        for (int e = 0; e < mma.n / 2; e++) l->acc[i * c.bn / 2 + e] = 0.f;
    tc__gemm90_issue_part(inner, &part);
    for (uint32_t kb = 1; kb < blocks; kb++) tc__gemm90_promoting_block(inner, g, l, &part);
    tc__gemm90_promoting_block(last, g, l, &part);
}

/* .promote of several blocks of k: the Tensor Cores' sums of all rows wait for the last of them. */
TC_DEV_SM90A void tc__gemm90_promoting_late_loop(tc_gemm_config_in c, const tc__gemm90_wgmma mma,
                                                 const tc_gemm90_block *g, tc__gemm90_loop_state *l)
{
    const tc_operand oa = tc__gemm90_a(c);
    const int chunks = tc__gemm90_rows(c) / 64, count = mma.n / 2;
    const uint32_t period = (uint32_t)(c.promote / c.bk);
    tc_gemm90_consumer *u = l->u;
    tc_ring *ring = &u->ring;
    float part[256];
#pragma unroll
    for (int i = 0; i < chunks * count; i++) l->acc[i] = 0.f;
    for (uint32_t first = 0; first < u->w.k_blocks; first += period) {
        const uint32_t left = u->w.k_blocks - first, blocks = tc_uniform(left < period ? left : period);
        for (uint32_t b = 0; b < blocks; b++) {
            const uint32_t now = ring->stage, slot = tc_uniform(g->ring + now * g->slot);
            int ready;
            tc_wgmma_fence();
#pragma unroll
            for (int i = 0; i < chunks; i++) {
                const tc__gemm90_step step = {tc__gemm90_desc(oa, slot + (uint32_t)(u->row * 128)),
                                              tc_wgmma_desc(slot + (uint32_t)oa.bytes, 128), i, b > 0};
                tc__gemm90_issue(c, mma, step, part + i * count);
            }
            tc_wgmma_commit_group();
            tc_ring_next(ring, g->stages);
            ready = b + 1 == left || tc_mbarrier_test_wait_parity(tc_pipe_full(g->pipe, ring->stage), ring->phase);
            TC_WGMMA_WAIT_GROUP(1);
            if (b > 0) tc__gemm90_release(c, g, l->last);
            l->last = now;
            if (!ready) TC_PIPE_WAIT_FULL(g->pipe, ring);
        }
        TC_WGMMA_WAIT_GROUP(0);
        tc__gemm90_release(c, g, l->last);
        tc_wgmma_fence_acc(part, chunks * count);
#pragma unroll
        for (int e = 0; e < chunks * count; e++) l->acc[e] += part[e];
    }
}

/* What a kernel is made of, by name: its loop over k, its warpgroup of producers, the end of its tiles
 * (tc_gemm_sm90_parts.h). They are literals at the call of the kernel's body: what a constant argument of an inlined
 * function names, nvcc inlines there, and what nobody names it never sees. Of a field of the configuration it learns
 * only when everything has been copied into the kernel; of a pointer in a struct when arrays stand on the stack. */
typedef struct tc__gemm90_begun { /* what the producer's thread has begun with */
    tc_gemm90_producer u;
    tc__gemm90_run run;
} tc__gemm90_begun;

typedef void (*tc__gemm90_loop_fn)(tc_gemm90_in k, const tc_gemm90_block *g, tc__gemm90_loop_state *l);
typedef void (*tc__gemm90_produce_fn)(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b);
typedef void (*tc__gemm90_end_fn)(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc);

TC_DEV_SM90A TC_CONSTEXPR tc_gemm90 tc_gemm90_of(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc_gemm90_view(c);
    const tc_wgmma_kind kind = {v.a, v.b, tc__gemm90_a(v).mn, tc__gemm90_b(v, v.bn).mn,
                                tc__gemm90_halves(v) ? TC_F16 : 0};
    tc_gemm90 k = {v, tc_wgmma_pick(v.bn, kind),
                   tc__gemm_is_f32(v.a)  ? tc__f32_wgmma(v.bn)
                   : tc__gemm90_lifts(v) ? tc__lift_wgmma(v.bn, v.a, v.b)
                                        : tc_wgmma_pick_f32_rs(v.any || v.weights ? v.bn : 0, v.a),
                   {0}, {0},
                   tc_wgmma_pick_sp(v.sparse ? v.bn : 0, kind, 0),
                   tc_wgmma_pick_sp(v.sparse ? v.bn : 0, kind, tc_type_bits(v.a) != 8)};
    k.c.d_layout = c.d_layout; /* for the hooks, who know D as it is */
    for (int n = v.step; v.any && v.step && n <= v.bn; n += v.step) k.rs[n / 8 - 1] = tc_wgmma_pick_f32_rs(n, v.a);
    for (int n = v.step; tc__gemm90_lifts(v) && v.step && n <= v.bn; n += v.step)
        k.rs[n / 8 - 1] = tc__lift_wgmma(n, v.a, v.b);
    for (int n = v.step; !v.any && v.step && n <= v.bn; n += v.step) k.widths[n / 8 - 1] = tc_wgmma_pick(n, kind);
    return k;
}

/* One warpgroup: one tile into acc. k_blocks >= 1. Leaves no wgmma in flight. A slot is given back one step late, when
 * the group that read it has surely finished. With TC_PINGPONG the next warpgroup gets its turn as soon as this one's
 * last wgmma is issued. Turns are needed for more than order: a parity tells only neighbouring laps of the ring apart,
 * so nobody may wait for a slot while the lap before it is still to come. */
TC_DEV_SM90A void tc_gemm_sm90_mma(const tc__gemm90_loop_fn loop, tc_gemm90_in k, const tc_gemm90_block *g,
                                   tc__gemm90_loop_state *l)
{
    const tc_gemm_config c = k.c;
    const int count = tc__gemm90_rows(c) / 64 * tc__gemm90_regs(c, c.bn);
    if (!c.any) TC_PIPE_WAIT_FULL(g->pipe, &l->u->ring);
    if (tc__gemm90_asks_c(c) && g->p->c_ahead && l->asks) tc__gemm90_c_ahead(c, g, l->u);
    loop(k, g, l);
    if (c.schedule == TC_PINGPONG && tc_lane() == 0) tc_mbarrier_arrive(l->u->next_turn);
    if (tc__gemm90_promotes(c)) {
        if (tc__gemm90_lifts(c)) tc__lift_order(l->acc, count);
        return;
    }
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(l->acc, count);
    if (c.weights) tc__weights_up_again(c, l->acc, count);
    tc__gemm90_release(c, g, l->last);
    if (tc__gemm90_halves(c) && !tc__gemm90_packed(c)) tc__gemm90_unpack(l->acc, l->acc, count);
    if (tc__gemm90_lifts(c)) tc__lift_order(l->acc, count);
}

/* The barriers that say that a slot is full. */
TC_DEV_SM90 void tc__gemm90_start_full(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t fills = c.any ? tc__any_fills(g) : tc__gemm_scaled(c) ? 33u : tc__gemm90_gathers(c) ? 5u : 1u;
    tc_pipe_init_full(g->pipe, c.stages, tc__gemm90_turning(c) ? tc__turn_fills(c) : fills);
    if (tc__gemm90_turning(c)) tc__turn_init(c, g);
    tc_fence_mbarrier_init();
}

/* The table of all groups' tiles, by the producer's warp, and its first tile. The kernel before may write what they are
 * made of. Without a tile run stays as it is: of no blocks of k. */
TC_DEV_SM90 void tc__gemm90_start_groups(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_run *run)
{
    const uint32_t first = tc__gemm90_per_cluster(c, g, blockIdx.x);
    if (g->p->waits) tc_griddepcontrol_launch_dependents();
    if (g->p->waits) tc_griddepcontrol_wait();
    tc_groups_scan(c.groups == TC_GROUPS_MASKED, &g->p->groups, tc__gemm90_table(c, g));
    __syncwarp();
    if (first < tc__gemm90_works(c, g)) run->w = tc__gemm90_group_work(1, c, g, first);
}

/* Do consumers wait for nothing that the producer's warp leaves in shared memory before its first block of k? */
TC_DEV TC_CONSTEXPR int tc__gemm90_lone(tc_gemm_config_in c)
{
    return !c.any && !tc__gemm90_gathers(c) && !tc__gemm_in_rows(c) && !tc__gemm90_noted(c);
}

/* The producer's warp: its first tile, while the others make barriers. */
TC_DEV_SM90 void tc__gemm90_start_producer(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_run *run)
{
    const int edges = (tc__gemm90_edged_a(c) || tc__gemm90_edged_b(c)) && g->p->edges;
    if (!edges && tc_elect_one()) {
        if (!c.weights) tc_prefetch_tensormap(&g->p->a);
        tc_prefetch_tensormap(&g->p->b);
        if (c.gate) tc_prefetch_tensormap((const tc_tmap *)(g->p->out.epi + tc__gate_map_at(tc__gemm_told_bytes(c))));
    }
    if (!tc__gemm_in_rows(c) && !tc__gemm90_noted(c))
        run->w = tc_gemm90_work(c, g, tc__gemm90_per_cluster(c, g, blockIdx.x));
    if (edges && tc_elect_one()) tc__gemm90_edge_prefetch(c, g, &run->w);
    __syncwarp();
}

/* Tiles as the launch that adds sums up asks about them. */
TC_DEV tc__sums_tiles tc__gemm90_sums_tiles(tc_gemm_config_in c, const tc_gemm_sm90_params *p)
{
    tc__sums_tiles t = tc__sums_tiles_of(c.bm, p->width, p->cluster, c.cluster_n);
    if (c.groups == TC_GROUPS_ARRAY) t.each = tc__each90_of(p), t.call = tc__each90_call(p);
    return t;
}

/* bar.sync: a lone producer's ring has its barriers; all others of the block meet where there is one. */
enum { TC__GEMM90_BEGUN = 8, TC__GEMM90_MET = 12 };

/* The barriers of a block: one thread makes the full ones, one the empty ones, one the rest. All of the block's threads
 * meet behind them, and its cluster's, but a lone producer: nobody waits for its warp, and it waits for the first two
 * alone (tc__gemm90_met). */
TC_DEV_SM90 void tc__gemm90_start(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t turn = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).turn,
                   sums = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums;
    const uint32_t readers = c.schedule == TC_PINGPONG ? 1u : (uint32_t)c.consumers; /* warpgroups that read a slot */
    const uint32_t of_one = (tc__gemm90_by_threads(c) ? 4u : 1u) * readers;
    const uint32_t releases = of_one * (uint32_t)(g->cluster_m + c.cluster_n - 1);
    /* elected threads: around one that is picked by its number ptxas wraps a loop over lanes for each instruction */
    if (g->warp == 1u && tc_elect_one()) tc__gemm90_start_full(c, g);
    if (g->warp == 2u && tc_elect_one()) {
        tc_pipe_init_empty(g->pipe, c.stages, releases);
        tc_fence_mbarrier_init();
    }
    if (g->warp == 3u && tc_elect_one()) {
        for (int i = 0; tc__gemm90_factor_room(c) > 0 && i < c.stages; i++)
            tc_mbarrier_init(tc__gemm90_read_at(c, g, (uint32_t)i), tc__gemm_is_f32(c.a) ? 3u : 4u * readers);
        for (int i = 0; i < c.consumers; i++) tc_mbarrier_init(turn + (uint32_t)i * 8u, 4); /* a lane of each warp */
        if (c.cluster_k > 1) {
            tc_mbarrier_init(sums, 1);
            tc_mbarrier_arrive_expect_tx(sums, (uint32_t)tc__gemm90_sums_bytes(c));
        }
        if (tc__gemm90_joined(c, g)) {
            const uint32_t own = tc__gemm90_join_places(c, g, tc_gemm90_work(c, g, blockIdx.x).part);
            tc_mbarrier_init(sums, 1);
            tc_mbarrier_arrive_expect_tx(sums, own * g->p->split.parts * (uint32_t)TC__GEMM90_PLACE);
        }
        if (tc__gemm90_noted(c)) tc_pipe_init(tc__tiles_pipe(c, g), TC__GEMM90_NOTES, (uint32_t)(4 * c.consumers));
        tc_fence_mbarrier_init();
        if (g->p->d_by == TC__GEMM_D_TMA) tc_prefetch_tensormap(&g->p->d);
    }
    __syncwarp();
    /* fence.mbarrier_init has released what the others must see; of parts, waited for before sums are sent */
    const int clustered = tc__gemm90_cluster(c, g) > 1;
    if (clustered || tc__gemm90_joined(c, g)) tc_cluster_arrive_relaxed();
    if (tc__gemm90_lone(c) && (g->warp == 1u || g->warp == 2u)) tc_bar_arrive(TC__GEMM90_BEGUN, 96);
    if (tc__gemm90_lone(c) && g->warp == 0u) return; /* the others meet at one instruction, as synccheck wants it */
    if (clustered) tc_cluster_wait();
    else if (tc__gemm90_lone(c)) tc_bar_sync(TC__GEMM90_MET, tc_gemm_sm90_threads(c) - 32);
    if (!tc__gemm90_lone(c) && (!clustered || tc__gemm_in_rows(c)))
        __syncthreads(); /* in a cluster: for what the relaxed arrival does not release, the table */
}

/* A lone producer's warp. */
TC_DEV_SM90 void tc__gemm90_met(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    tc_bar_sync(TC__GEMM90_BEGUN, 96);
    if (tc__gemm90_cluster(c, g) > 1) tc_cluster_wait();
}

/* By a warp that nobody waits for. The kernel behind may set itself up from now on, and waits itself for what it reads;
 * but for what it was told is constant (.pdl_constant), which a kernel may have written that this one waits for: so
 * this one waits first. */
TC_DEV_SM90 void tc__gemm90_let_next_begin(const tc_gemm90_block *g)
{
    if (g->p->waits) tc_griddepcontrol_wait();
    tc_griddepcontrol_launch_dependents();
}

/* Do consumers read nothing in memory before a tile's end? What they multiply has come by way of the producer, who has
 * waited for the kernel before: they need not wait themselves, unless some of it has come early. */
TC_DEV TC_CONSTEXPR int tc__gemm90_waits_late(tc_gemm_config_in c)
{
    return !(c.any || c.groups || c.sparse || c.index || c.conv || c.gate || tc__gemm_scaled(c) || tc__gemm90_noted(c)
             || tc__sums_begins(c));
}

/* Tiles of a block: from which number on, and how far apart. */
typedef struct tc__gemm90_run_of {
    const tc_gemm90_block *g;
    uint32_t first, step;
} tc__gemm90_run_of;

/* A consumer warpgroup: all tiles of its block, or with TC_PINGPONG every second or third of them. */
TC_DEV_SM90A void tc__gemm90_consume(const tc__gemm90_loop_fn loop, const tc__gemm90_end_fn end, tc_gemm90_in k,
                                     tc__gemm90_run_of run)
{
    const tc_gemm90_block *g = run.g;
    const uint32_t first = run.first, step = run.step;
    const tc_gemm_config c = k.c;
    const int groups = tc__gemm_in_rows(c), tiled = tc__gemm90_noted(c);
    const tc_gemm_sm90_params *p = g->p;
    const int pingpong = c.schedule == TC_PINGPONG, wg = g->wg;
    const uint32_t turn = pingpong ? (uint32_t)(wg - 1) : 0u, turns = pingpong ? (uint32_t)c.consumers : 1u;
    const uint32_t turn_at = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).turn;
    uint32_t tiles = turn == 0; /* the first warpgroup's first turn is free */
    tc_gemm90_consumer u;
    float acc[256];
    u.ring.stage = u.ring.phase = 0;
    u.row = pingpong ? 0 : (wg - 1) * tc__gemm90_rows(c);
    u.warp_row = u.row + (int)tc_uniform(threadIdx.x / 32u % 4u) * 16;
    u.my_turn = turn_at + turn * 8u;
    u.next_turn = turn_at + (turn + 1u == turns ? 0u : turn + 1u) * 8u;
    u.buf = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).store
          + (threadIdx.x / 32u - 4u) * (uint32_t)tc_gemm_sm90_plan_of(c).warp_store;
    u.stores = 0;
    u.warps = pingpong ? 4 : 4 * c.consumers;
    if (turn && !tiled) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, g->stages);
    if (turn > 1u && !tiled) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, g->stages);
    tc__tiles_reader notes = {{0, 0}, turn, turns};
    const uint32_t works = groups ? tc_uniform(tc__gemm90_works(c, g)) : 0u;
    if (!tc__gemm90_waits_late(c) && p->waits) tc_griddepcontrol_wait();
    if (tc__sums_begins(c)) tc__sums_begin(c, &p->out, &p->groups, blockIdx.x == 0 && threadIdx.x == 128);
    for (uint32_t i = first + turn * step; tiled ? tc__tiles_take(c, g, &notes, &u) : i < (groups ? works : p->works);
         i += turns * step) {
        if (!tiled) u.w = groups ? tc__gemm90_group_work(1, c, g, i) : tc_gemm90_work(c, g, i);
        /* C: of a warpgroup's first tile behind the operands, which nothing is to hold up; else before its turn */
        tc__gemm90_loop_state l = {&u, acc, 0, !pingpong || i == first + turn * step};
        if (tc__gemm90_asks_c(c) && pingpong && !l.asks && p->c_ahead) tc__gemm90_c_ahead(c, g, &u);
        if (pingpong) TC_MBARRIER_WAIT(u.my_turn, tiles++ & 1u, "turn", (int)turn);
        tc_gemm_sm90_mma(loop, k, g, &l);
        if (c.split) u.tile = tc__gemm90_share_of(p, i).tile * (uint32_t)g->cluster_m + tc__gemm90_rank(c, g);
        u.last = !tiled && i + turns * step >= (groups ? works : p->works);
        if (tc__gemm90_waits_late(c) && p->early) tc_griddepcontrol_wait();
        end(c, g, &u, acc);
#pragma unroll
        for (uint32_t other = 1; other < turns; other++)
            if (!tiled) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, g->stages);
    }
    if (c.swap || tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* The producer, warp 0's elected thread: all tiles of its block. */
TC_DEV_SM90 void tc__gemm90_produce_tiles(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gemm90_begun *b)
{
    const tc_gemm_sm90_params *p = g->p;
    const uint32_t first = tc__gemm90_per_cluster(c, g, blockIdx.x), step = tc__gemm90_per_cluster(c, g, gridDim.x);
    const uint32_t works = c.groups ? tc__gemm90_works(c, g) : 0u;
    if (p->early && first < (c.groups ? works : p->works)) tc__gemm90_load_early(c, g, &b->u, &b->run);
    b->run.waits = p->waits && !p->early;
    for (uint32_t i = first; i < (c.groups ? works : p->works);) {
        tc_gemm_sm90_load(c, g, &b->u, &b->run);
        b->u.back ^= p->to_and_fro;
        b->run.from = b->run.waits = 0;
        i += step;
        if (c.weights || i < (c.groups ? works : p->works)) /* .weights: for the question they lack a register */
            b->run.w = c.groups ? tc__gemm90_group_work(0, c, g, i) : tc_gemm90_work(c, g, i);
    }
}

/* The kernel. loop, produce, end: what it is made of, literals; k: tc_gemm90_of its configuration, a constant. */
TC_DEV_SM90A void tc_gemm_sm90(const tc__gemm90_loop_fn loop, const tc__gemm90_produce_fn produce,
                               const tc__gemm90_end_fn end, tc_gemm90_in k, const tc_gemm_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const tc_gemm90_block g = tc_gemm90_block_make(c, p, tc_smem_u32(tc__dynamic_smem));
    const uint32_t blocks = (uint32_t)tc__gemm90_cluster(c, &g);
    const uint32_t first = tc__gemm90_per_cluster(c, &g, blockIdx.x), step = tc__gemm90_per_cluster(c, &g, gridDim.x);
    const int tiled = tc__gemm90_noted(c);
    const int many = tc__gemm90_many(c) && !tc__gemm90_turning(c); /* warps that turn want some too */
    /* a producer that asks for its tiles, or copies rows as they lie, needs more than a loop over TMA does */
    const int usual = tiled || c.any ? TC_ROLES_PRODUCER : TC_ROLES_USUAL;
    const tc_roles roles = tc_roles_of(c.consumers, !many ? usual : tiled ? TC_ROLES_USUAL : TC_ROLES_CONSUMERS);

    tc__gemm90_begun begun = {{{0, 0}, 0}, {{0, 0, 0, 0, 0, 0, 0}, 0, 0}};
    if (g.wg == 0) tc_roles_producer(roles);
    if (tc__gemm_in_rows(c) && g.warp == 0u) tc__gemm90_start_groups(c, &g, &begun.run);
    if (tc__gemm90_gathers(c) && g.warp == 0u && tc_elect_one()) tc_prefetch_tensormap(c.swap ? &p->a : &p->b);
    tc__gemm90_start(c, &g);
    if (g.wg == 0) { /* its first load is what all wait for */
        if (!c.any && !tc__gemm90_gathers(c) && g.warp == 0u) tc__gemm90_start_producer(c, &g, &begun.run);
        if (tc__gemm90_lone(c) && g.warp == 0u) tc__gemm90_met(c, &g);
        if (g.warp == 3u) tc__gemm90_let_next_begin(&g);
        produce(c, &g, &begun);
    } else {
        tc_roles_consumer(roles);
        /* many registers: not the producer's value */
        const int anew = c.any || c.split || tc__gemm_sums(c) == TC_S32 || tc__gemm90_promotes(c)
                      || tc__gemm90_lifts(c) || c.gate;
        const tc__gemm90_run_of mine = {&g, anew ? tc__gemm90_first(c, &g) : first, step};
        tc__gemm90_consume(loop, end, k, mine);
    }
    if (tc__gemm90_joined(c, &g) && g.wg == 0) tc_cluster_wait(); /* as its consumers have done */
    /* A block's shared memory must outlive the arrivals and multicasts of its neighbours. */
    if (blocks > 1) {
        tc_cluster_arrive_relaxed();
        tc_cluster_wait();
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* An operand by name, and the rows of its boxes. */
typedef struct tc__gemm90_box_of {
    char which;
    int rows;
} tc__gemm90_box_of;

/* A tensor map of an operand for a ring; with k = 0 it may be anything: a map of 8 elements of D, of which nothing is
 * read. */
TC_HOST tc_status tc__gemm90_map(tc_tmap *map, const tc_gemm_config *c, const tc_gemm_args *g, tc__gemm90_box_of box)
{
    tc_operand_matrix x = tc__gemm_matrix(c, g, box.which);
    const int across = 1024 / tc_type_bits(x.type);
    const int turned = box.which == 'a' ? tc__gemm_a_col(*c) : tc__gemm_b_row(*c);
    const int sparse = c->sparse == (box.which == 'a' ? TC_SPARSE_A : TC_SPARSE_B);
    if (x.type == TC_TF32) x.type = TC_F32; /* elements as they are */
    if (c->groups == TC_GROUPS_ARRAY) { /* a form, which each product fills in */
        x.base = (const void *)(uintptr_t)4096;
        x.cols = across / 8, x.rows = x.batch = 1, x.pitch = across / 8;
    } else if (g->k == 0) {
        x.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
        x.cols = across / 8;
        x.rows = x.batch = 1;
        x.pitch = across / 8;
    } else if (tc__gemm_k_outer(*c)) { /* matrix number i ends with row i - 1: tc_gemm_sm90_groups.h */
        x.base = (const char *)x.base - tc__gemm_k_before(c, g, box.which);
        x.batch = x.rows + 1, x.stride = x.pitch;
    }
    return tc_operand_map(map, &x, sparse ? c->bk / 2 : across, turned && tc__gemm_is_16(c->a) ? 64 : box.rows);
}

/* Parameters of a checked call that is cut as `cut` says, but for the maps of A and B. c: complete, not a view. */
TC_HOST tc_status tc__gemm90_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                    tc_gemm_sm90_params *p)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const tc_gemm_config e = tc__gemm_gated(v); /* as the end of a tile knows it */
    const int products = tc__gemm_products(v), d_width = cut->width / products;
    const tc_operand_matrix d = tc__gemm_matrix(c, g, 'd');
    const tc_gemm_args all = tc__gate_all(&v, g);
    const int64_t d_bytes = (int64_t)g->m * g->n * d.batch * tc_type_bits(c->d) / 8;
    const uint32_t at_least = (uint32_t)(cut->parts > v.cluster_k ? cut->parts : v.cluster_k);
    tc_status st = tc__gemm_tiles(&p->tiles, &v, &all, cut);
    if (st != TC_OK) return st;
    p->groups = tc__gemm_groups_of(&v, g, cut);
    p->out = tc__gemm_out(&v, g);
    p->edges = 0, p->a_rows = p->b_rows = 0x7fffffff;
    if (tc__gemm90_whole_rows(e) && cut->parts < 2) tc__gemm_row_parts_of(&p->out, d_width / v.cluster_k / 16);
    if (tc__gemm90_whole_columns(v) && cut->parts < 2) tc__gemm_col_parts_of(&p->out, tc__gemm90_rows(v) / 16);
    tc__tiles_fill(&v, g, cut, p);
    p->width = cut->width;
    p->cluster = cut->cluster;
    p->stages = tc__gemm90_ring(&v, cut);
    p->works = p->tiles.total * (uint32_t)cut->parts;
    p->k_blocks = ((uint32_t)g->k + (uint32_t)c->bk - 1 + (c->any ? TC__ANY_CLASSES - 1 : 0)) / (uint32_t)c->bk;
    if (p->k_blocks < at_least) p->k_blocks = at_least;
    p->skip_slots = p->k_blocks % (uint32_t)p->stages;
    p->skip_laps = p->k_blocks / (uint32_t)p->stages;
    p->k_first = g->k ? 0 : 1 << 20; /* past the row that the maps then have */
    p->a_batched = g->k && (c->swap ? g->stride_b : g->stride_a) != 0;
    p->b_batched = g->k && (c->swap ? g->stride_a : g->stride_b) != 0;
    p->join_at = cut->joined ? (uint32_t)(tc_gemm_sm90_plan_of(v).ring_bytes - tc__gemm90_join_bytes(&v, cut)) : 0u;
    p->joined = (uint8_t)(cut->joined != 0);
    p->join_each = cut->joined ? (uint32_t)tc__gemm90_join_each(&v, cut) : 0u;
    p->to_and_fro = !cut->joined && p->works > 2u * (uint32_t)cut->blocks && g->k >= 2048 && !tc__gemm_scaled(*c)
                 && !tc__tiles_uneven(*c) && !tc__gemm_by_80(*c);
    p->a_scale = tc__gemm_scale(c, g, c->swap ? 'b' : 'a'), p->b_scale = tc__gemm_scale(c, g, c->swap ? 'a' : 'b');
    if (tc__gemm_k_outer(*c)) { /* which has no factors: for a plan's next matrices */
        p->a_scale.batch = tc__gemm_k_before(c, g, c->swap ? 'b' : 'a');
        p->b_scale.batch = tc__gemm_k_before(c, g, c->swap ? 'a' : 'b');
    }
    p->d_first = d_bytes > cut->l2 / 2;
    p->classes = cut->classes, p->copies = cut->copies;
    p->d_row = g->d_row, p->d_rows = g->d_rows;
    p->waits = (uint8_t)(g->pdl > 0);
    p->early = 0;
    if (g->pdl > 0 && (g->pdl_constant & (c->swap ? TC_CONSTANT_B : TC_CONSTANT_A))) p->early |= TC__GEMM90_EARLY_A;
    if (g->pdl > 0 && (g->pdl_constant & (c->swap ? TC_CONSTANT_A : TC_CONSTANT_B))) p->early |= TC__GEMM90_EARLY_B;
    if (g->k == 0 || c->any) p->early = 0; /* the maps are of D; copies begin together */
    p->gathers = (uint8_t)tc__gemm90_gathers(*c);
    p->weights = tc__weights_bricks(c, g);
    if (c->weights) memset(&p->a, 0, sizeof p->a);
    tc__sparse_fill(c, g, p);
    tc__gemm90_f32_fill(c, g, p);
    p->split = tc_split_make(g->workspace, p->tiles.total * (uint32_t)cut->cluster, (uint32_t)cut->parts, p->k_blocks);
    p->apart = cut->parts > 1 && !cut->joined && p->works <= (uint32_t)cut->blocks;
    p->shares = p->apart ? tc_divide_by(p->tiles.total) : p->split.by_parts;
    p->d_by = tc__gemm90_d_by(c, g);
    if (c->d == TC_S32 && (p->out.beta != 0.f || (tc__gemm_raw(*c) && p->out.alpha != 1.f)))
        p->d_by = TC__GEMM_D_PIECES; /* boxes know sums as they are, and C of floats */
    if (c->groups == TC_GROUPS_ARRAY) p->d_by = TC__GEMM_D_PIECES;
    if (p->d_by == TC__GEMM_D_TMA && cut->classes) p->d_by = TC__GEMM_D_ROWS; /* .any: not one row after another */
    p->d_plain = p->d_by == TC__GEMM_D_TMA && p->out.beta == 0.f;
    p->d_clips = p->d_by == TC__GEMM_D_TMA && (int64_t)d.cols * tc_type_bits(c->d) % 128 == 0; /* it writes 16 bytes */
    if (tc__gemm_outputs(*c) || (tc__gemm_hooked(*c) && !tc__gemm90_asks_hooks(*c))
        || (p->out.beta != 0.f && !tc__gemm90_holds_c(v)))
        p->d_clips = 0; /* the rest of a box is not its own, or not for the hook, or for C */
    p->c_ahead = p->out.beta != 0.f && tc__gemm90_asks_c(v); /* where k is split too, each part: tiles are few then */
    p->d_wide = p->d_plain && tc__gemm90_widens(e) && d_width % 64 == 0
             && p->stages * tc__gemm90_slot_of(v, cut->width, cut->copies)
                    <= tc_gemm_sm90_plan_of(v).ring_bytes - tc__gemm90_wide_room(v);
    if (p->d_by == TC__GEMM_D_TMA) {
        const tc_box box = tc__gemm90_box(p->d_wide ? tc__gemm90_widened(v) : e);
        p->d_some = tc__gemm90_asks_hooks(v) && (d.cols % tc_box_cols(box) || (!tc__gemm_in_rows(v) && d.rows % 16));
        st = tc_operand_map(&p->d, &d, tc_box_cols(box), c->swap ? 8 : 16);
    }
    if (st == TC_OK) st = tc__once_fill(&v, &d, cut, p);
    tc__each90_fill(&v, g, cut, p);
    return st;
}

/* .gate: B2's map, behind the hook's arguments, which begin at a multiple of 64 bytes. */
TC_HOST tc_status tc__gemm90_map_b2(const tc_gemm_config *c, const tc_gemm_args *g, tc__gemm90_box_of box,
                                    tc_gemm_sm90_params *p)
{
    const tc_gemm_args second = tc__gate_second(g);
    tc_tmap map;
    const tc_status st = tc__gemm90_map(&map, c, &second, box);
    if (st == TC_OK) memcpy(p->out.epi + tc__gate_map_at(tc__gemm_told_bytes(*c)), &map, sizeof map);
    return st;
}

/* The maps of the last rows of A and B (tc_gemm_sm90_edge.h). */
TC_HOST tc_status tc__gemm90_edges(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                   const tc__gemm90_box_of *boxes, tc_gemm_sm90_params *p)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const int has[2] = {tc__gemm90_edged_a(v), tc__gemm90_edged_b(v)};
    tc_status st = TC_OK;
    int i;
    for (i = 0; i < 2 && g->k && st == TC_OK; i++) {
        const int rows = has[i] ? tc__gemm_matrix(c, g, boxes[i].which).rows : 0;
        const int together = i ? cut->width * v.cluster_n : v.bm * cut->cluster; /* of tiles that share them */
        const tc__gemm90_box_of last = {boxes[i].which, rows % boxes[i].rows};
        if (rows % together == 0) continue;
        *(i ? &p->b_rows : &p->a_rows) = rows;
        p->edges |= TC__GEMM90_EDGE_ROWS;
        if (last.rows == 0) continue;
        p->edges |= i ? TC__GEMM90_EDGE_B : TC__GEMM90_EDGE_A;
        st = tc__gemm90_map(i ? &p->b_edge : &p->a_edge, c, g, last);
    }
    return st;
}

/* All of them. */
TC_HOST tc_status tc_gemm_sm90_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                    tc_gemm_sm90_params *p)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    const tc__gemm90_box_of a = {c->swap ? 'b' : 'a', (tc__gemm90_squares_a(v) ? v.bk : v.bm) / v.cluster_n};
    const int width = cut->width / tc__gemm_products(v);
    const tc__gemm90_box_of b = {c->swap ? 'a' : 'b', (tc__gemm90_turns_b(v) ? v.bk : width) / cut->cluster};
    const tc__gemm90_box_of boxes[2] = {a, b};
    const int gathers = tc__gemm90_gathers(*c);
    tc_status st = tc__gemm90_fill(c, g, cut, p);
    if (gathers) tc__gather_fill(c, g, p);
    if (st == TC_OK && !c->weights && !(gathers && !c->swap)) st = tc__gemm90_map(&p->a, c, g, a);
    if (st == TC_OK && !(gathers && c->swap)) st = tc__gemm90_map(&p->b, c, g, b);
    if (st == TC_OK && c->gate) st = tc__gemm90_map_b2(c, g, b, p);
    if (st == TC_OK) st = tc__gemm90_edges(c, g, cut, boxes, p);
    return st;
}

/* The same for rows of any alignment. */
TC_HOST tc_status tc_gemm_sm90_any_fill(const tc_gemm_config *c, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                        tc_gemm_sm90_any_params *q)
{
    const tc__gemm90_box_of nothing = {'a', cut->width / cut->cluster};
    const tc_any_rows x = {(const char *)g->b, g->ldb * 2, g->stride_b * 2, g->n, g->k};
    const tc_any_rows y = {(const char *)g->a, g->lda * 2, g->stride_a * 2, g->m, g->k};
    tc_status st = tc__gemm90_fill(c, g, cut, &q->p);
    q->x = x, q->y = y;
    memset(q->phase, 0, sizeof q->phase);
    if (st != TC_OK || cut->copies) return st;
    return g->k ? tc__any_maps(q, c, g, cut) : tc__gemm90_map(&q->y_maps[0], c, g, nothing);
}

/* A call to launch: grid in blocks (0: there is nothing to compute), threads of a block, bytes of its dynamic shared
 * memory, blocks of a cluster (1: launch without), whether it gains by programmatic dependent launch (it may be
 * launched so, or not), and the kernel's only argument. */
typedef struct tc_gemm_sm90_launch {
    unsigned grid, block, smem, cluster, pdl;
    size_t workspace; /* bytes that it takes of the call's */
    tc_gemm_sm90_params params;
} tc_gemm_sm90_launch;

/* The rules for a call. */
TC_HOST tc_status tc__gemm90_check(const tc_gemm_config *c, const tc_gemm_args *args)
{
    tc_status st = tc__gemm_check(c, args);
    tc_gemm_args g;
    if (st == TC_OK) st = tc__gemm_check_sparse(c, args);
    if (st == TC_OK) st = tc__gemm_check_tiles(c, args);
    if (st == TC_OK && (c->any || c->conv))
        return tc__fail(TC_ERR_CONFIG, ".%s = 1 is for %s, whose NAME_run launches its kernel", c->any ? "any" : "conv",
                        c->any ? "TC_GEMM_SM90_ANY_DEFINE" : "TC_CONV_DEFINE");
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    if (c->weights) {
        const tc_status own = tc__weights_call_check(c, &g);
        if (own != TC_OK) return own;
    }
    return tc__gemm_check_tma(c, &g);
}

/* What a cut takes, but for the parameters. */
TC_HOST void tc__gemm90_size(const tc_gemm_config *c, const tc_gemm_cut *cut, tc_gemm_sm90_launch *l)
{
    const tc_gemm_config v = tc_gemm90_view(*c);
    l->block = (unsigned)tc_gemm_sm90_threads(*c);
    l->smem = (unsigned)tc_gemm_sm90_plan_of(v).bytes;
    l->cluster = (unsigned)tc__gemm90_cluster_of(&v, cut);
    l->grid = (unsigned)cut->blocks * l->cluster;
    l->workspace = cut->workspace;
}

/* A checked call that computes something. clusters: how many of the kernel run at a time (.step: blocks). */
TC_HOST tc_status tc__gemm90_launch(const tc_gemm_config *c, const tc_gemm_args *args, int clusters,
                                    tc_gemm_sm90_launch *l)
{
    const tc_gemm_config plain = tc__gemm_plain(*c);
    const tc_gemm_args read = tc__gemm_effective(args);
    const tc__gemm_device device = tc__gemm_device_of(clusters, 0);
    tc_gemm_args g = tc__gemm_plain_args(c, &read);
    tc_gemm_cut cut;
    const tc_gemm_args left = tc__gemm_less_parts(c, &g);
    tc_status st = tc__gemm90_cut(&plain, &left, &device, &cut);
    l->pdl = g.pdl > 0 || (st == TC_OK && cut.brief);
    if (g.pdl <= 0) g.pdl_constant = 0; /* the kit's own decision promises nothing of what others write */
    g.pdl = (int)l->pdl;
    if (st == TC_OK) st = tc_gemm_sm90_fill(&plain, &g, &cut, &l->params);
    cut.workspace += tc__gemm_parts_bytes(c, &g) + tc__each90_bytes(c, cut.blocks);
    tc__gemm90_size(&plain, &cut, l);
    if (st != TC_OK) l->grid = 0;
    return st;
}

/* tc_gemm_sm90_prepare: a call of a kernel that the program compiles and launches by itself (NVRTC, the driver API).
 * given: the configuration of its TC_GEMM_SM90_DEFINE, tc_epi_on_device or tc_epi2_on_device for its hook. clusters:
 * how many of it run at a time (cuOccupancyMaxActiveClusters; the device's multiprocessors divided by the cluster's
 * blocks are as good; with .step the multiprocessors). */
TC__PREPARE(gemm, 90, clusters, TC__GEMM_SM90_RULES)

/* A checked call that computes something: with launch != 0 runs it. */
TC_HOST tc_status tc__gemm_sm90_run_checked(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                            const tc__launch *how)
{
    tc_gemm_sm90_launch l;
    tc__launch there = *how;
    tc__kernel use = *k;
    int clusters = 0;
    tc_status st = how->device ? tc__kernel_on(k, how->device - 1, &clusters) : tc__kernel_device(k, &clusters);
    if (st == TC_OK) st = tc__gemm90_launch(c, args, clusters, &l);
    if (st == TC_OK && how->workspace) *how->workspace = l.workspace;
    if (st != TC_OK || !how->launch) return st;
    use.cluster = (int)l.cluster; /* .step: as the call picks */
    there.pdl = (int)l.pdl;
    if (how->plan) how->plan->turned = c->swap != tc__gemm_d_col(*c), how->plan->pdl = there.pdl;
    const tc__gemm_launched launched = {&use, l.grid, &l.params, &l.params.out};
    return tc__gemm_kernel_launch(c, &launched, &there);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm90_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    const tc_status st = tc__gemm90_check(c, args);
    return st != TC_OK || tc__gemm_empty(args) ? st : tc__gemm_sm90_run_checked(c, k, args, how);
}

/* The same for rows of any alignment. */
TC_HOST tc_status tc__gemm_sm90_any_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                        const tc__launch *how)
{
    tc_gemm_sm90_any_params params;
    tc_gemm_sm90_launch l;
    tc__kernel use = *k;
    tc_gemm_cut cut;
    tc_status st = tc__gemm_check(c, args);
    int blocks = 0;
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    st = how->device ? tc__kernel_on(k, how->device - 1, &blocks) : tc__kernel_device(k, &blocks);
    if (st == TC_OK) {
        const tc_gemm_args g = tc__gemm_effective(args);
        const tc__gemm_device device = tc__gemm_device_of(blocks, 0);
        const tc_gemm_args left = tc__gemm_less_parts(c, &g);
        st = tc__gemm90_cut(c, &left, &device, &cut);
        if (st == TC_OK) st = tc_gemm_sm90_any_fill(c, &g, &cut, &params);
        cut.workspace += tc__gemm_parts_bytes(c, &g);
    }
    if (st != TC_OK) return st;
    tc__gemm90_size(c, &cut, &l);
    if (how->workspace) *how->workspace = l.workspace;
    use.cluster = (int)l.cluster;
    const tc__gemm_launched launched = {&use, l.grid, &params, &params.p.out};
    return how->launch ? tc__gemm_kernel_launch(c, &launched, how) : TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_SM90_H */
