/* tc_gemm_sm90_promote.h - tc 0.2.0 - the Hopper GEMM's sums beside those of the Tensor Cores: of 8-bit floats, whose
 * own are short, and of blocks of k that come with factors. Needs: the headers below; sm_90a.
 *
 * The Tensor Cores add up .promote elements of k, then their sums are added to sums in f32. 64 rows of a tile are
 * computed and added at a time, so that a warpgroup has one set of short sums, however many rows are its own; where
 * .promote spans several blocks of k, the short sums of all rows wait. While one warpgroup adds, the other's products
 * keep the Tensor Cores busy.
 *
 * FACTORS (.a_scale, .b_scale). A block of 128 of k of a row (or of 128 rows) comes with one: the short sums of that
 * block are multiplied by A's and B's on their way. A warp beside the producer copies a tile's into the ring with its
 * blocks, so that they come as early; consumers read theirs while the products run.
 *
 *     tc__gemm90_produce_factors    the warp that copies them
 *     tc__gemm90_ask                a thread's factors of a block of k
 *     tc__gemm90_promote            64 rows of a block, when its products are there
 */
#ifndef TC_GEMM_SM90_PROMOTE_H
#define TC_GEMM_SM90_PROMOTE_H

#include "tc_gemm_sm90_plan.h"

#ifdef __CUDACC__

/* A side's factors of one block of k: of each line of the tile, or with 128 x 128 of each 64 lines. */
typedef struct tc__gemm90_factors {
    const tc_scale_side *of;
    int scale, first, count; /* TC_SCALE_; the tile's first line; how many factors */
    uint32_t to;             /* in shared memory, those of slot 0 */
} tc__gemm90_factors;

TC_DEV tc__gemm90_factors tc__gemm90_factors_of(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_work *w,
                                                int which)
{
    const uint32_t at = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).factors;
    const tc__gemm90_factors a = {&g->p->a_scale, c.a_scale, w->row, tc__gemm90_factors_a(c), at};
    const tc__gemm90_factors b = {&g->p->b_scale, c.b_scale, w->col, tc__gemm90_factors_b(c),
                                  at + (uint32_t)tc__gemm90_factors_a(c) * 4u};
    return which == 'a' ? a : b;
}

/* The mbarrier that says that the warps of the consumers have read those of a slot. */
TC_DEV uint32_t tc__gemm90_read_at(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    return g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).read + stage * 8u;
}

/* Where those of a tile's next block of k lie. wide: of rows or columns that lie together, all of which exist; then of
 * this lane's four. */
typedef struct tc__gemm90_factor_line {
    const float *at;
    int wide;
} tc__gemm90_factor_line;

TC_DEV_SM80 tc__gemm90_factor_line tc__gemm90_factors_from(const tc__gemm90_factors *f, const tc_work *w)
{
    const tc_scale_side *s = f->of;
    const float *begin = s->at + w->batch * s->batch + (int64_t)w->k_first * s->blocks;
    tc__gemm90_factor_line x = {begin, 0};
    if (f->scale != TC_SCALE_1X128) return x;
    x.wide = s->lines == 1 && f->first + f->count - 1 <= s->last
          && ((uintptr_t)(begin + f->first) | (uintptr_t)(s->blocks * 4)) % 16 == 0;
    if (x.wide) x.at += f->first + tc_lane() * 4;
    return x;
}

/* A warp copies them to a slot: block number kb of k of the tile's. One by one they take about as long as the products
 * of a block do. */
TC_DEV_SM80 void tc__gemm90_copy_factors(const tc__gemm90_factors *f, tc__gemm90_factor_line *x, uint32_t kb,
                                         uint32_t slot)
{
    const tc_scale_side *s = f->of;
    const int exists = (int)kb < s->count; /* parts of a short k may lie past its end */
    if (x->wide) {
#pragma unroll
        for (int i = 0; i < f->count; i += 128)
            if (i + tc_lane() * 4 < f->count)
                tc_cp_async_cg_16_zfill(f->to + slot + (uint32_t)((i + tc_lane() * 4) * 4), x->at + i, exists ? 16 : 0);
    } else {
#pragma unroll
        for (int i = 0; i < f->count; i += 32) {
            const int number = i + tc_lane(), line = f->first + number * (f->scale == TC_SCALE_1X128 ? 1 : 64);
            const int factor = f->scale == TC_SCALE_128X128 ? line / TC__SCALE_K : line;
            if (number < f->count)
                tc_cp_async_ca_4_zfill(f->to + slot + (uint32_t)(number * 4),
                                       x->at + (int64_t)(factor < s->last ? factor : s->last) * s->lines,
                                       exists ? 4 : 0);
        }
    }
    x->at += s->blocks;
}

/* The warp that brings factors into the ring, tile after tile. */
TC_DEV_SM90 void tc__gemm90_produce_factors(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    tc_ring ring = {0, 0};
    if (g->p->waits) tc_griddepcontrol_wait();
    const uint32_t works = c.groups ? tc__gemm90_works(c, g) : 0u;
    for (uint32_t i = tc__gemm90_first(c, g); i < (c.groups ? works : g->p->works);
         i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        const tc_work w = c.groups ? tc__gemm90_group_work(0, c, g, i) : tc_gemm90_work(c, g, i);
        const tc__gemm90_factors a = tc__gemm90_factors_of(c, g, &w, 'a'), b = tc__gemm90_factors_of(c, g, &w, 'b');
        tc__gemm90_factor_line a_line = tc__gemm90_factors_from(&a, &w), b_line = tc__gemm90_factors_from(&b, &w);
        for (uint32_t kb = w.k_first; kb < w.k_first + w.k_blocks; kb++) {
            const uint32_t slot = ring.stage * (uint32_t)tc__gemm90_factor_bytes(c);
            TC_MBARRIER_WAIT(tc__gemm90_read_at(c, g, ring.stage), ring.phase ^ 1u, "read", (int)ring.stage);
            if (c.a_scale) tc__gemm90_copy_factors(&a, &a_line, kb, slot);
            if (c.b_scale) tc__gemm90_copy_factors(&b, &b_line, kb, slot);
            tc_cp_async_mbarrier_arrive_noinc(tc_pipe_full(g->pipe, ring.stage));
            tc_ring_next(&ring, g->stages);
        }
    }
    tc_cp_async_wait_all();
}

/* What a thread of a consumer takes of a block's factors: of its rows (each two of 64, eight apart) and columns (two of
 * eight, or of each 64). */
typedef struct tc__gemm90_promoting {
    float rows[64], cols[64]; /* as many as accumulators allow: 2048 rows of a warpgroup, 256 columns */
} tc__gemm90_promoting;

/* While the products run: they lie in the slot's place. */
TC_DEV_SM90 void tc__gemm90_ask(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                tc__gemm90_promoting *s)
{
    const uint32_t a = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).factors
                     + u->ring.stage * (uint32_t)tc__gemm90_factor_bytes(c);
    const uint32_t b = a + (uint32_t)tc__gemm90_factors_a(c) * 4u, lane = threadIdx.x % 32u;
    const uint32_t lifts = (uint32_t)tc__gemm90_lifts(c); /* two rows side by side, else eight apart */
    const uint32_t mine = threadIdx.x % 128u / 32u * 16u + lane / 4u * (lifts ? 2u : 1u);
#pragma unroll
    for (int i = 0; c.a_scale && i < tc__gemm90_rows(c) / 32; i++) {
        const uint32_t row = (uint32_t)u->row + (uint32_t)(i / 2 * 64);
        const uint32_t factor = c.a_scale == TC_SCALE_1X128 ? row + mine + (uint32_t)(i % 2) * (lifts ? 1u : 8u)
                                                            : row / 64u;
        s->rows[i] = tc__epi_shared(a + factor * 4u);
    }
#pragma unroll
    for (int i = 0; c.b_scale == TC_SCALE_1X128 && i < c.bn / 8; i++) {
        asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(s->cols[2 * i]), "=f"(s->cols[2 * i + 1])
                     : "r"(b + (lane % 4u * 2u + (uint32_t)i * 8u) * 4u) : "memory");
    }
#pragma unroll
    for (int i = 0; c.b_scale == TC_SCALE_128X128 && i < (c.bn + 63) / 64; i++)
        s->cols[i] = tc__epi_shared(b + (uint32_t)i * 4u);
    __syncwarp();
    if (lane == 0) tc_mbarrier_arrive(tc__gemm90_read_at(c, g, u->ring.stage));
}

/* Sums of 64 rows: the Tensor Cores' and ours. */
typedef struct tc__gemm90_sums {
    const float *part;
    float *sums;
    int n; /* columns: a constant */
} tc__gemm90_sums;

/* 64 rows of sums, number i of the warpgroup's, take in short ones. */
TC_DEV void tc__gemm90_promote(tc_gemm_config_in c, const tc__gemm90_promoting *s, const int i,
                               const tc__gemm90_sums x)
{
#pragma unroll
    for (int e = 0; e < x.n / 2; e++) {
        const float row = c.a_scale ? s->rows[2 * i + e % 4 / 2] : 1.f;
        const float col = c.b_scale == TC_SCALE_1X128 ? s->cols[e / 4 * 2 + e % 2] : c.b_scale ? s->cols[e / 32] : 1.f;
        x.sums[e] += tc__gemm_scaled(c) ? x.part[e] * (row * col) : x.part[e];
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_PROMOTE_H */
