/* tc_gemm_sm100_weights.h - tc 0.2.0 - the Blackwell GEMM whose B is packed weights of 4 or 8 bits (tc_weights.h):
 * their way to the Tensor Cores through tensor memory. Needs: the headers below; sm_100a and its like.
 *
 * Roles are changed over: 128 of B's columns are the instruction's rows, and rows of D its columns. TMA brings bricks
 * to a slot of the ring as they are, as on Hopper, and A beside them. Eight warps make f16 or bf16 of the codes in
 * their registers (tc_gemm_weights.h): what a lane has of a step of 16 k are registers of wgmma's A, and as such those
 * of tcgen05.st 16x128b, which writes them where tcgen05.mma reads its A: 16 k are eight columns of tensor memory. So
 * one packing serves both generations, and what is made takes no shared memory: neither its room nor its bandwidth.
 *
 *     warps 6 .. 13   two for each 32 rows, the lanes that the hardware gives a warp; each makes half of a block's k
 *     made            a ring of blocks of k in tensor memory behind the accumulators: full when all eight warps have
 *                     written (tcgen05.wait::st, the fence, an arrival each), empty when tcgen05.commit says so
 *
 *     columns   0          bn         2 bn                                  of 512
 *               | sums     | sums     | 128 k | 128 k | 128 k | 128 k |     with .bm > 192 one accumulator
 *
 * A slot of the ring is given back by the product alone, for it comes behind what all eight warps have read of it.
 *
 * THE END OF A TILE. An accumulator's lanes are D's columns. A warp that stores takes 16 of its columns at a time,
 * turns 32 x 16 sums on their side in shared memory, and goes on as without weights: boxes, pieces, or parts of k.
 *
 *     tc__gemm100_weights_load      the producer: one tile
 *     tc__gemm100_make              a warp that makes numbers of codes, over all tiles
 *     tc__gemm100_weights_mma       the multiplier: one tile
 *     tc__gemm100_weights_store     a warp that stores: one tile
 */
#ifndef TC_GEMM_SM100_WEIGHTS_H
#define TC_GEMM_SM100_WEIGHTS_H

#include "tc_gemm_sm100_store.h"

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

/* One tile: blocks of k into the ring. Of bricks that lie outside (a last tile's second one, parts of a short k) the
 * last that there is: nobody stores what comes of it, or A has zeros there. */
TC_DEV_SM100A void tc__gemm100_weights_load(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring,
                                            const tc_work *w)
{
    const tc_gemm_config c = k.c;
    const tc_gemm_sm100_params *p = g->p;
    const tc_gemm_bricks *from = &p->weights;
    const tc_operand ob = tc__gemm100_b(c);
    const tc_operand_source b = {&p->b, w->col, p->b_batched ? w->batch : 0, 0};
    const int brick = tc__gemm_brick(c);
    const uint32_t bytes = (uint32_t)(ob.bytes + (from->at ? tc__gemm100_bricks(c) : 0));
    for (uint32_t kb = 0; kb < w->k_blocks; kb++) {
        const uint32_t full = tc_pipe_full(g->pipe, ring->stage);
        const uint32_t slot = g->ring + ring->stage * (uint32_t)tc__gemm100_slot(c);
        const int along = (int)(w->k_first + kb), last = along < from->along ? along : from->along - 1;
        TC_PIPE_WAIT_EMPTY(g->pipe, ring);
        tc_mbarrier_arrive_expect_tx(full, bytes);
#pragma unroll
        for (int i = 0; i < c.bm / TC_WEIGHTS_ROWS; i++) {
            const int at = w->row / TC_WEIGHTS_ROWS + i, row = at < from->rows ? at : from->rows - 1;
            const long long number = (long long)row * from->along + last;
            if (from->at)
                tc_cp_async_bulk_g2s(slot + (uint32_t)(i * brick), from->at + w->batch * from->batch + number * brick,
                                     (uint32_t)brick, full);
        }
#pragma unroll
        for (int box = 0; box < ob.boxes; box++) {
            const tc_operand_to to = {slot + (uint32_t)(tc__gemm100_a_bytes(c) + box * ob.box_bytes), full};
            tc_operand_fetch(0, &b, tc_operand_place(ob, box, p->k_first + along * c.bk), to);
        }
        tc_ring_next(ring, c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * From codes to tensor memory.
 */
/* A warp's two fragments of 16 rows: its lanes' places in a slot, and where its half of the first block begins in
 * tensor memory. */
typedef struct tc__gemm100_maker {
    tc__weights_place from[2];
    uint32_t to;
} tc__gemm100_maker;

TC_DEV tc__gemm100_maker tc__gemm100_maker_of(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t warp)
{
    const tc_gemm_config c = k.c;
    const uint32_t quarter = tc_uniform(threadIdx.x / 32u % 4u); /* of the lanes: what the hardware gives this warp */
    const uint32_t half = warp / 4u, words = (uint32_t)tc__weights_words(c), lane = (uint32_t)tc_lane();
    const uint32_t group = c.weights_k ? half * (uint32_t)c.bk / 2u / (uint32_t)c.weights_k : 0u;
    const uint32_t brick = quarter / 2u * (uint32_t)tc__gemm_brick(c);
    tc__gemm100_maker x;
#pragma unroll
    for (uint32_t i = 0; i < 2u; i++) {
        const uint32_t strip = quarter % 2u * 2u + i; /* of 16 rows, in the brick */
        x.from[i].codes = brick + (strip * 32u + lane) * 16u + half * words / 4u * 2048u;
        x.from[i].factors = brick + (uint32_t)tc__weights_codes(c.weights) + (strip * 16u + lane / 4u) * 2u
                          + group * (uint32_t)((c.weights_zero ? 2 : 1) * TC_WEIGHTS_ROWS * 2);
    }
    x.to = g->tmem + (uint32_t)tc__gemm100_accumulators(c) + half * (uint32_t)tc__gemm100_made_columns(c) / 2u
         + tc_tcgen05_taddr((int)quarter * 32, 0);
    return x;
}

/* What a lane reads of a slot that is full: of two fragments. */
TC_DEV_SM100A void tc__gemm100_codes(tc_gemm100_in k, const tc_gemm100_block *g, const tc__gemm100_maker *x,
                                     tc__weights_raw *raw, const tc_ring *ring)
{
    const uint32_t slot = g->ring + ring->stage * (uint32_t)tc__gemm100_slot(k.c);
    TC_PIPE_WAIT_FULL(g->pipe, ring);
    if (!g->p->weights.at) return;
#pragma unroll
    for (int i = 0; i < 2; i++) tc__weights_read(k.c, tc__weights_place_in(x->from[i], slot), 0, raw + i);
}

/* Over all tiles. What is read of the next block is on its way while what was made of this one is being written. */
TC_DEV_SM100A void tc__gemm100_make(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t warp)
{
    const uint32_t step = gridDim.x, works = k.c.split ? g->p->works : g->p->tiles.total;
    const tc__gemm100_maker x = tc__gemm100_maker_of(k, g, warp);
    tc_ring ring = {0, 0}, made = {0, 0};
    for (uint32_t tile = blockIdx.x; tile < works; tile += step) {
        const uint32_t blocks = k.c.split ? tc_gemm100_work(1, k, g, tile).k_blocks : g->p->k_blocks;
        tc__weights_raw raw[2];
        tc__gemm100_codes(k, g, &x, raw, &ring);
        for (uint32_t kb = 0; kb < blocks; kb++) {
            const uint32_t to = x.to + made.stage * (uint32_t)tc__gemm100_made_columns(k.c);
            TC_PIPE_WAIT_EMPTY(g->made, &made);
            tc_tcgen05_fence_after_thread_sync(); /* behind the products that have read these columns */
#pragma unroll
            for (int i = 0; i < 2; i++) {
                uint32_t a[16];
                if (g->p->weights.at) {
                    tc__weights_make(k.c, raw + i, 0, a);
                } else { /* k is 0: there are none */
#pragma unroll
                    for (int j = 0; j < 16; j++) a[j] = 0u;
                }
                TC_TCGEN05_ST(16x128b, x8, to + tc_tcgen05_taddr(i * 16, 0), a);
            }
            tc_ring_next(&ring, k.c.stages);
            if (kb + 1u < blocks) tc__gemm100_codes(k, g, &x, raw, &ring);
            tc_tcgen05_wait_st();
            tc_tcgen05_fence_before_thread_sync(); /* what was written comes before the products that read it */
            __syncwarp();
            if (tc_elect_one()) tc_mbarrier_arrive(tc_pipe_full(g->made, made.stage));
            tc_ring_next(&made, tc__gemm100_made(k.c));
        }
    }
    for (int s = 0; s < tc__gemm100_made(k.c); s++) {
        TC_PIPE_WAIT_EMPTY(g->made, &made); /* nobody may leave while a commit is on its way to its barriers */
        tc_ring_next(&made, tc__gemm100_made(k.c));
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Multiplier: one tile into an accumulator, which is free.
 */
TC_DEV_SM100A void tc__gemm100_weights_mma(tc_gemm100_in k, const tc_gemm100_block *g, tc_ring *ring, tc_ring *made,
                                           const tc__gemm100_target *to)
{
    const tc_operand ob = tc__gemm100_b(k.c);
    const uint32_t first = g->tmem + (uint32_t)tc__gemm100_accumulators(k.c);
    const uint32_t blocks = k.c.split ? to->k_blocks : g->p->k_blocks;
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t slot = g->ring + ring->stage * (uint32_t)tc__gemm100_slot(k.c);
        const uint32_t a = first + made->stage * (uint32_t)tc__gemm100_made_columns(k.c);
        const uint64_t b = tc_tcgen05_desc(slot + (uint32_t)tc__gemm100_a_bytes(k.c), 128);
        TC_PIPE_WAIT_FULL(g->pipe, ring);
        TC_PIPE_WAIT_FULL(g->made, made);
        tc_tcgen05_fence_after_thread_sync(); /* behind what the makers wrote, and loads of a free accumulator */
#pragma unroll
        for (int s = 0; s < tc_operand_steps(ob); s++)
            TC_TCGEN05_MMA_TS(1, f16, to->d, a + (uint32_t)(s * 8),
                              tc_tcgen05_desc_advance(b, (uint32_t)tc_operand_step(ob, s)), k.idesc,
                              s > 0 ? 1 : kb > 0);
        TC_TCGEN05_COMMIT(1, tc_pipe_empty(g->made, made->stage));
        TC_TCGEN05_COMMIT(1, tc_pipe_empty(g->pipe, ring->stage));
        tc_ring_next(ring, k.c.stages);
        tc_ring_next(made, tc__gemm100_made(k.c));
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The end of a tile.
 */
/* A tile as D has it. */
TC_DEV tc_work tc__gemm100_turned(const tc_work *w)
{
    tc_work d = *w;
    d.row = w->col, d.col = w->row;
    return d;
}

/* A lane's 16 sums of a column of D, to the column of two places of 16 x 16. */
TC_DEV void tc__gemm100_put_turned(uint32_t places, const float *v)
{
    const uint32_t lane = (uint32_t)tc_lane(), to = places + lane / 16u * 1024u;
#pragma unroll
    for (uint32_t j = 0; j < 16u; j++)
        asm volatile("st.shared.f32 [%0], %1;"
                     : : "r"(to + tc_swizzle(64, j * 64u + lane % 16u * 4u)), "f"(v[j]) : "memory");
}

/* A warp, its 32 columns of D of a tile in accumulator number `stage`, which it gives back. */
TC_DEV_SM100A void tc__gemm100_weights_store(tc_gemm100_in k, const tc_gemm100_block *g, tc_gemm100_storer *u,
                                             uint32_t stage)
{
    const tc__gemm_to to = tc__gemm100_to(k, g, u);
    const tc_box box = tc__gemm100_box(k.c);
    const int down = k.c.bn / 16, parts = k.c.split && g->p->split.parts > 1u;
    const uint32_t places = g->smem + (uint32_t)(tc_gemm_sm100_plan_of(k.c).turn + u->row / 32 * TC__GEMM100_TURN);
    const tc__gemm_ending e = {&g->p->split, &u->w, 4, u->row / 32, 1, g->parts, places, u->tile, down, k.c.bm / 16,
                               u->last};
    uint32_t r[16];
    TC_TCGEN05_LD(32x32b, x16, r, u->tmem);
#pragma unroll 1
    for (int i = 0; i < down; i++) {
        tc__gemm_box b;
        b.first = tc__gemm100_place(k, u, i * 16, u->row);
        tc_tcgen05_wait_ld_regs(r, 16); /* of packed weights */
        tc__gemm100_sums(k, b.v, r, 16);
        tc__weights_up_again(k.c, b.v, 16);
        if (i + 1 < down) TC_TCGEN05_LD(32x32b, x16, r, u->tmem + (uint32_t)((i + 1) * 16));
        else tc__gemm100_release(k, g, stage); /* of packed weights */
        if (b.first.row >= to.out->m || b.first.col >= to.out->n) continue;
        __syncwarp(); /* what lay there has been read */
        tc__gemm100_put_turned(places, b.v);
        __syncwarp();
        if (!parts && !tc__gemm_boxed(k.c, box, &to, b.first)) {
#pragma unroll 1
            for (int j = 0; j < 2; j++) {
                const tc_gemm_at first = tc__gemm100_place(k, u, i * 16, u->row + j * 16);
                if (first.col < to.out->n) tc__gemm_piece_to_d(k.c, &to, places + (uint32_t)(j * 1024), first);
            }
            continue;
        }
#pragma unroll
        for (int j = 0; j < 2; j++) tc__gemm_get_place(places + (uint32_t)(j * 1024), b.v + j * 8);
        if (parts) {
#pragma unroll
            for (int j = 0; j < 2; j++) tc__gemm_leave_place(&e, (u->row / 16 + j) * down + i, b.v + j * 8);
            continue;
        }
        b.to = tc__gemm_take_box(k.c, box, u->buf, u->stores++);
        tc__gemm_store_box(k.c, box, &to, &b);
    }
    if (parts) tc__gemm_end_part(k.c, &to, &e);
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM100_WEIGHTS_H */
