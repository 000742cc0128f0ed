/* tc_gemm_sm90_weights.h - tc 0.2.0 - the Hopper GEMM whose B is packed weights of 4 or 8 bits (tc_weights.h): how they
 * reach the Tensor Cores. Needs: the headers below; sm_90a.
 *
 * Roles are changed over (.swap): B is the instruction's A, which may come from registers. A brick, or the half of it
 * that a block of 64 k has, is copied to a slot as it is, in one or two bulk copies. Each thread then finds its own
 * codes of a step side by side, makes f16 or bf16 of them in its registers, and multiplies them by the factor of their
 * group (tc_gemm_weights.h): no ldmatrix, no shuffle, and no place in shared memory for what is made.
 *
 *     tc__weights_fetch, _expected     the producer: one block of k; bytes of a slot
 *     tc__gemm90_weights_loop          consumers: the k loop
 *     tc__gemm90_weights_few_loop      the same of few rows
 */
#ifndef TC_GEMM_SM90_WEIGHTS_H
#define TC_GEMM_SM90_WEIGHTS_H

#include "tc_gemm_sm90_plan.h"

#ifdef __CUDACC__

/* Bytes that come to a slot for each block of k, of any kernel. */
TC_DEV uint32_t tc__weights_expected(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    if (!c.weights) return g->slot - (uint32_t)tc__gemm90_parts(c, c.bn);
    return (uint32_t)(tc__gemm90_b(c, c.bn).bytes
                      + (g->p->weights.at ? c.bm / TC_WEIGHTS_ROWS * tc__gemm_brick(c) : 0));
}

/* Bricks of one block of k. Of what lies outside (a last tile's second brick, parts of a short k) the last that there
 * is: nobody stores what comes of it, or A has zeros there. */
TC_DEV_SM90 void tc__weights_fetch(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_operand_source *s,
                                   tc__gemm90_fetch_at at)
{
    const tc_gemm_sm90_params *p = g->p;
    const int whole = tc__weights_brick(c.weights, c.weights_k, c.weights_zero), codes = tc__weights_codes(c.weights);
    const int codes_here = codes / TC_WEIGHTS_K * c.bk;
    const int factors_here = tc__weights_factors(c.weights_k, c.weights_zero, c.bk);
    const int along = (int)at.kb * c.bk / TC_WEIGHTS_K, half = c.bk == TC_WEIGHTS_K ? 0 : (int)at.kb % 2;
    const uint32_t full = tc_pipe_full(g->pipe, at.stage), slot = g->ring + at.stage * g->slot;
    if (!p->weights.at) return;
#pragma unroll
    for (int i = 0; i < c.bm / TC_WEIGHTS_ROWS; i++) {
        const int row = s->row / TC_WEIGHTS_ROWS + i;
        const long long brick = (long long)(row < p->weights.rows ? row : p->weights.rows - 1) * p->weights.along
                              + (along < p->weights.along ? along : p->weights.along - 1);
        const char *from = p->weights.at + s->batch * p->weights.batch + brick * whole;
        const uint32_t to = slot + (uint32_t)(i * tc__gemm_brick(c));
        if (c.bk == TC_WEIGHTS_K) {
            tc_cp_async_bulk_g2s(to, from, (uint32_t)whole, full);
        } else {
            tc_cp_async_bulk_g2s(to, from + half * codes_here, (uint32_t)codes_here, full);
            if (c.weights_k)
                tc_cp_async_bulk_g2s(to + (uint32_t)codes_here,
                                     from + codes + (c.weights_k < TC_WEIGHTS_K ? half * factors_here : 0),
                                     (uint32_t)factors_here, full);
        }
    }
}

/* A thread's place in its warpgroup's brick. */
TC_DEV tc__weights_place tc__weights_place_of(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t t = threadIdx.x % 128u, row = t / 32u * 16u + t % 32u / 4u;
    const uint32_t brick = (uint32_t)((g->wg - 1) * tc__gemm_brick(c));
    const uint32_t factors = brick + (uint32_t)(tc__weights_codes(c.weights) / TC_WEIGHTS_K * c.bk) + row * 2u;
    const tc__weights_place p = {(uint32_t)tc_opaque((int)(brick + t * 16u)), (uint32_t)tc_opaque((int)factors)};
    return p;
}

/* A consumer thread on its way through the ring: where it stands, the slot there, its own codes in one. */
typedef struct tc__weights_walk {
    tc_ring ring;
    uint32_t slot;
    tc__weights_place own;
} tc__weights_walk;

TC_DEV tc__weights_place tc__weights_here(const tc__weights_walk *w) { return tc__weights_place_in(w->own, w->slot); }

TC_DEV_SM90 tc__weights_walk tc__weights_begin(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_ring *ring)
{
    const tc__weights_walk w = {*ring, g->ring + ring->stage * g->slot, tc__weights_place_of(c, g)};
    if (!g->p->weights.at) tc__weights_blank(c, tc__weights_here(&w));
    return w;
}
TC_DEV void tc__weights_next(const tc_gemm90_block *g, tc__weights_walk *w)
{
    tc_ring_next(&w->ring, g->stages);
    w->slot = g->ring + w->ring.stage * g->slot;
}

/* Descriptor of A's rows in the slot. */
TC_DEV uint64_t tc__weights_a(tc_gemm_config_in c, const tc__weights_walk *w)
{
    return tc_wgmma_desc(w->slot + (uint32_t)tc__gemm90_a_bytes(c), 128);
}

/* A warp gives a slot back. */
TC_DEV_SM90 void tc__weights_give(const tc_gemm90_block *g, uint32_t stage, int gives)
{
    __syncwarp();
    tc__mbarrier_arrive_if(threadIdx.x % 32u == 0u && gives, tc_pipe_empty(g->pipe, stage));
}

/* .weights: B's rows come from registers, of packed codes. While the Tensor Cores are at half a block of k, registers
 * of the half after it are made, of what was read before, and the half after that is read. The place in the ring, and
 * with it descriptors, is in uniform registers (tc__gemm90_loop), and but for the end of k no branch parts the loop. */
TC_DEV_SM90A void tc__gemm90_weights_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                          tc__gemm90_loop_state *l)
{
    const int steps = c.bk / 32; /* of half a block */
    const tc_operand ob = tc__gemm90_b(c, c.bn);
    const uint32_t blocks = l->u->w.k_blocks;
    uint32_t a[2][16];
    tc__weights_raw raw;
    tc__weights_walk w = tc__weights_begin(c, g, &l->u->ring);
    tc__weights_read(c, tc__weights_here(&w), 0, &raw);
    tc__weights_make(c, &raw, 0, a[0]);
    tc__weights_read(c, tc__weights_here(&w), 1, &raw);
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = w.ring.stage;
        const int more = kb + 1 < blocks;
        const uint64_t db = tc__weights_a(c, &w);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            tc_wgmma_fence();
#pragma unroll
            for (int s = 0; s < steps; s++)
                mma(l->acc, a[half] + 4 * s,
                    tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, half * steps + s)),
                    half + s > 0 ? 1 : kb > 0);
            tc_wgmma_commit_group();
            TC_WGMMA_WAIT_GROUP(1); /* the half before has left its registers */
            if (half == 0) {
                tc__weights_give(g, l->last, kb > 0);
                tc__weights_make(c, &raw, 1, a[1]);
                tc__weights_next(g, &w);
                if (more) {
                    TC_PIPE_WAIT_FULL(g->pipe, &w.ring);
                    tc__weights_read(c, tc__weights_here(&w), 0, &raw);
                }
            } else {
                tc__weights_make(c, &raw, 0, a[0]); /* behind the last block of nothing, which nobody reads */
                if (more) tc__weights_read(c, tc__weights_here(&w), 1, &raw);
            }
        }
        l->last = now;
    }
    l->u->ring = w.ring;
}

/* The same of 4 bits for 16 rows of D or less, where threads take longer than the Tensor Cores. A warpgroup's warps
 * meet at each group of wgmmas, late by what the others of their schedulers hold them up: one group, and one meeting,
 * of a whole block of k. Its registers are made when the group before has left them; meanwhile other warpgroups
 * multiply. */
TC_DEV_SM90A void tc__gemm90_weights_few_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                              tc__gemm90_loop_state *l)
{
    const int steps = c.bk / 16;
    const tc_operand ob = tc__gemm90_b(c, c.bn);
    const uint32_t blocks = l->u->w.k_blocks;
    uint32_t a[32];
    tc__weights_raw raw[2]; /* of the halves of a block */
    tc__weights_walk w = tc__weights_begin(c, g, &l->u->ring);
#pragma unroll
    for (int half = 0; half < 2; half++) tc__weights_read(c, tc__weights_here(&w), half, &raw[half]);
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = w.ring.stage;
        const int more = kb + 1 < blocks;
        const uint64_t db = tc__weights_a(c, &w);
#pragma unroll
        for (int half = 0; half < 2; half++) {
            if (tc__weights_same(c, half)) tc__weights_take_factors(&raw[1], &raw[0]);
            tc__weights_make(c, &raw[half], half, a + half * 2 * steps);
        }
        tc_wgmma_fence();
#pragma unroll
        for (int s = 0; s < steps; s++)
            mma(l->acc, a + 4 * s, tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, s)), s > 0 ? 1 : kb > 0);
        tc_wgmma_commit_group();
        tc__weights_next(g, &w);
        if (more) {
            TC_PIPE_WAIT_FULL(g->pipe, &w.ring);
#pragma unroll
            for (int half = 0; half < 2; half++) tc__weights_read(c, tc__weights_here(&w), half, &raw[half]);
        }
        TC_WGMMA_WAIT_GROUP(0);
        tc__weights_give(g, now, more);
        l->last = now;
    }
    l->u->ring = w.ring;
}

/* Which of the two. */
TC_DEV TC_CONSTEXPR int tc__gemm90_weights_few(tc_gemm_config_in c)
{
    return tc_type_bits(c.weights) == 4 && c.bn <= 16 && c.bk == TC_WEIGHTS_K;
}

#endif /* __CUDACC__ */

#endif /* TC_GEMM_SM90_WEIGHTS_H */
