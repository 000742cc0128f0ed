/* tc_gemm_sm90_sparse.h - tc 0.2.0 - the Hopper GEMM with a 2:4 sparse operand (.sparse), which is the instruction's A:
 * metadata's way to the Tensor Cores, and the k loop. Needs: the headers below; sm_90a.
 *
 * A block of k is 64 bytes of what is kept of each row of A (or 128, as .bk says), in a swizzle of that width, 128
 * (256) bytes of each row of B, and for each 64 rows of A a brick of metadata (tc_sparse_pack.h) for each 64 bytes:
 *
 *     slot of the ring:    A: bm rows of 64 bytes | B: bn rows of 128 bytes | bricks
 *
 * Bricks come by bulk copies that the slot's barrier counts as it counts TMA's boxes. A thread reads its words of a
 * slot when the slot is full, while the Tensor Cores are at the one before. wgmma reads them at a time of its own, so
 * that there are two sets of registers for them: one is filled only when the group that had it has ended. In a cluster
 * each block brings all its bricks itself: they are a fortieth of the bytes.
 *
 *     tc__sparse_expected, _source, _fetch     the producer: bytes of a slot; a tile; one block of k
 *     tc__gemm90_sparse_loop          consumers: the k loop, with and without .promote
 *     tc__sparse_fill                 (host)
 */
#ifndef TC_GEMM_SM90_SPARSE_H
#define TC_GEMM_SM90_SPARSE_H

#include "tc_gemm_sm90_plan.h"

#ifdef __CUDACC__

TC_DEV uint32_t tc__sparse_expected(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return (uint32_t)(tc__gemm90_a_bytes(c) + tc__gemm90_b(c, c.bn).bytes + (g->p->meta ? tc__gemm90_bricks(c) : 0));
}

/* Where a tile's bricks begin in memory, for each 64 rows: of a last tile's rows that do not exist the last that there
 * are, whose products nobody stores. Found out once a tile: a block of k takes half the time that one without
 * .sparse takes, and addresses by multiplication would hold up the loads. */
TC_DEV_SM90 void tc__sparse_source(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_operand_source *s,
                                   const char **lines)
{
    const tc_gemm_sm90_params *p = g->p;
    const int bytes = tc_sp_brick_bytes(tc_type_bits(c.a));
    /* the tile's first row, not that of this block's share of A */
    const int first = s->row - (int)tc__gemm90_place_of(c, g).n * (c.bm / c.cluster_n);
#pragma unroll
    for (int i = 0; i < c.bm / TC_SP_BRICK_ROWS; i++) {
        const int row = first / TC_SP_BRICK_ROWS + i;
        lines[i] = p->meta + s->batch * p->meta_batch
                 + (long long)(row < p->meta_rows ? row : p->meta_rows - 1) * p->meta_along * bytes;
    }
}

/* Bricks of one block of k. Of what lies behind k (parts of a short k) the last that there is: A has zeros there. */
TC_DEV_SM90 void tc__sparse_fetch(tc_gemm_config_in c, const tc_gemm90_block *g, const char *const *lines,
                                  tc__gemm90_fetch_at at)
{
    const tc_gemm_sm90_params *p = g->p;
    const int bytes = tc_sp_brick_bytes(tc_type_bits(c.a)), along = tc__gemm90_bricks_along(c);
    const uint32_t full = tc_pipe_full(g->pipe, at.stage);
    const uint32_t to = g->ring + at.stage * g->slot + (uint32_t)tc__gemm90_bricks_at(c);
    if (!p->meta) return;
#pragma unroll
    for (int j = 0; j < along; j++) {
        const uint32_t k = at.kb * (uint32_t)along + (uint32_t)j, last = (uint32_t)p->meta_along - 1u;
        const uint32_t from = (k < last ? k : last) * (uint32_t)bytes;
#pragma unroll
        for (int i = 0; i < c.bm / TC_SP_BRICK_ROWS; i++)
            tc_cp_async_bulk_g2s(to + (uint32_t)((i * along + j) * bytes), lines[i] + from, (uint32_t)bytes, full);
    }
}

/* A thread's words of a slot: of each 64 rows of its warpgroup, of each 64 bytes of k, one or two. */
typedef struct tc__sparse_words {
    uint32_t of[4][4];
} tc__sparse_words;

TC_DEV_SM90 void tc__sparse_read(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                 tc__sparse_words *m)
{
    const int bits = tc_type_bits(c.a), bytes = tc_sp_brick_bytes(bits), words = tc_sp_brick_words(bits);
    const int along = tc__gemm90_bricks_along(c);
    const uint32_t at = g->ring + u->ring.stage * g->slot + (uint32_t)tc__gemm90_bricks_at(c)
                      + (uint32_t)(u->row / TC_SP_BRICK_ROWS * along * bytes) + threadIdx.x % 128u * 4u * words;
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
#pragma unroll
        for (int j = 0; j < along; j++) {
            const uint32_t from = at + (uint32_t)((i * along + j) * bytes);
            uint32_t *to = m->of[i] + j * words;
            to[0] = to[words - 1] = (uint32_t)TC__SP_NOTHING;
            if (!g->p->meta) continue; /* k is 0, and nothing lies there */
            if (words == 2)
                asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "r"(from) : "memory");
            else asm volatile("ld.shared.b32 %0, [%1];" : "=r"(to[0]) : "r"(from) : "memory");
        }
    }
}

/* Where a consumer is: descriptors of the slot that is multiplied next, and who gives slots back. */
typedef struct tc__sparse_at {
    uint64_t a, b;
    tc__gemm90_giver give;
} tc__sparse_at;

TC_DEV_SM90A void tc__sparse_look(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                  tc__sparse_at *at)
{
    const int row = tc__gemm90_a_row(c);
    const uint32_t slot = g->ring + u->ring.stage * g->slot;
    at->a = tc_wgmma_desc(slot + (uint32_t)(u->row * row), row);
    at->b = tc_wgmma_desc(slot + (uint32_t)tc__gemm90_a(c).bytes, 128);
}

/* A block of k as a constant, and what it does: the sums, added to or begun, its metadata, where the next block's goes,
 * and whether there is one. */
typedef struct tc__sparse_block {
    float *sums;
    const tc__sparse_words *meta;
    tc__sparse_words *next;
    tc__sparse_at *at;
    int add, more;
} tc__sparse_block;

/* What stands between two groups of wgmmas is short, as in tc__gemm90_loop. */
TC_DEV_SM90A void tc__sparse_multiply(tc_gemm90_in k, const tc_gemm90_block *g, tc__gemm90_loop_state *l,
                                      const tc__sparse_block b)
{
    const tc_gemm_config c = k.c;
    const tc_operand ob = tc__gemm90_b(c, c.bn);
    const int row = tc__gemm90_a_row(c), eight = tc_type_bits(c.a) == 8;
    tc_ring *ring = &l->u->ring;
    const uint32_t now = ring->stage;
    const uint64_t da = b.at->a, db = b.at->b;
    tc_wgmma_fence();
#pragma unroll
    for (int s = 0; s < row / 32; s += 2) { /* the first and the second half of the lanes of four hold 16 bits' words */
#pragma unroll
        for (int i = 0; i < tc__gemm90_rows(c) / 64; i++)
            k.even(b.sums + i * c.bn / 2, tc_wgmma_desc_advance(da, (uint32_t)(s * 32 + i * 64 * row)),
                   tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, 2 * s)), b.meta->of[i][eight ? s : s / 2],
                   s > 0 ? 1 : b.add);
#pragma unroll
        for (int i = 0; i < tc__gemm90_rows(c) / 64; i++)
            k.odd(b.sums + i * c.bn / 2, tc_wgmma_desc_advance(da, (uint32_t)(s * 32 + 32 + i * 64 * row)),
                  tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, 2 * s + 2)),
                  b.meta->of[i][eight ? s + 1 : s / 2], 1);
    }
    tc_wgmma_commit_group();
    tc_ring_next(ring, g->stages);
    tc__sparse_look(c, g, l->u, b.at);
    TC_WGMMA_WAIT_GROUP(1); /* the block before has ended: its slot and its words are free */
    tc__gemm90_give(c, g, &b.at->give, l->last, b.add);
    l->last = now;
    if (b.more) TC_PIPE_WAIT_FULL(g->pipe, ring);
    if (b.more) tc__sparse_read(c, g, l->u, b.next);
}

/* A run of blocks of a tile into sums that begin anew; left: blocks of the tile from the first of them on. meta[0] is
 * that of the first, and but for the tile's last run there is an even number of them. */
typedef struct tc__sparse_run {
    float *sums;
    tc__sparse_at *at;
    uint32_t blocks, left;
} tc__sparse_run;

TC_DEV_SM90A void tc__sparse_multiply_run(tc_gemm90_in k, const tc_gemm90_block *g, tc__gemm90_loop_state *l,
                                          tc__sparse_words *meta, const tc__sparse_run run)
{
    for (uint32_t i = 0; i < run.blocks; i += 2u) {
        const tc__sparse_block even = {run.sums, &meta[0], &meta[1], run.at, i > 0, i + 1u < run.left};
        const tc__sparse_block odd = {run.sums, &meta[1], &meta[0], run.at, 1, i + 2u < run.left};
        tc__sparse_multiply(k, g, l, even);
        if (i + 1u < run.blocks) tc__sparse_multiply(k, g, l, odd);
    }
}

/* The first slot is full. With .promote all slots are given back, else all but the last. */
TC_DEV_SM90A void tc__gemm90_sparse_loop(tc_gemm90_in k, const tc_gemm90_block *g, tc__gemm90_loop_state *l)
{
    const tc_gemm_config c = k.c;
    const int count = tc__gemm90_rows(c) / 64 * c.bn / 2;
    const uint32_t blocks = tc_uniform(l->u->w.k_blocks);
    tc__sparse_words meta[2];
    tc__sparse_at at = {0, 0, tc__gemm90_giver_of(c, g)};
    tc__sparse_look(c, g, l->u, &at);
    tc__sparse_read(c, g, l->u, &meta[0]);
    if (!tc__gemm90_promotes(c)) {
        const tc__sparse_run all = {l->acc, &at, blocks, blocks};
        tc__sparse_multiply_run(k, g, l, meta, all);
    } else {
        const uint32_t period = (uint32_t)(c.promote / c.bk);
        float part[128];
#pragma unroll
        for (int e = 0; e < count; e++) l->acc[e] = 0.f;
        for (uint32_t first = 0; first < blocks; first += period) {
            const uint32_t left = blocks - first;
            const tc__sparse_run run = {part, &at, left < period ? left : period, left};
            tc__sparse_multiply_run(k, g, l, meta, run);
            TC_WGMMA_WAIT_GROUP(0);
            tc__gemm90_release(c, g, l->last);
            tc_wgmma_fence_acc(part, count);
#pragma unroll
            for (int e = 0; e < count; e++) l->acc[e] += part[e];
        }
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a kernel is told of a checked call's metadata. */
TC_HOST void tc__sparse_fill(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_sm90_params *p)
{
    p->meta = NULL, p->meta_batch = 0, p->meta_rows = p->meta_along = 0;
    if (!c->sparse || !g->k) return;
    p->meta = (const char *)g->meta;
    p->meta_batch = g->stride_meta;
    p->meta_rows = (int)tc__sp_bricks_down(tc__sparse_rows(c, g));
    p->meta_along = (int)tc__sp_bricks_along(tc_type_bits(c->a), g->k);
}

#endif /* host */
#endif /* TC_GEMM_SM90_SPARSE_H */
