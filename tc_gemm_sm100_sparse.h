/* tc_gemm_sm100_sparse.h - tc 0.2.0 - the Blackwell GEMM with a 2:4 sparse operand (.sparse), which is the
 * instruction's A: metadata's way to tensor memory. Needs: the headers below; sm_100a and its like.
 *
 * A block of k is 128 bytes of what is kept of each row of A, 256 bytes of each row of B, and the metadata of both as
 * bricks (tc_sparse_pack.h), the same that Hopper's and the sm_80 kernels read:
 *
 *     slot of the ring:    A: 128 rows of 128 bytes | B: bn rows of 256 bytes (a pair: half of them) | metadata
 *
 * tcgen05.mma.sp reads metadata from tensor memory, and tcgen05.cp brings it there, 16 bytes of shared memory to four
 * columns of a lane. A brick has the same words, but neighbours in it are neighbours along k of two rows. So one warp
 * of the block, the seventh, puts them in order where they lie: a lane reads 16 bytes of two bricks and writes 16 bytes
 * of two lanes of tensor memory, without bank conflicts. It is a sixteenth of A's bytes, and is done while earlier
 * slots are multiplied.
 *
 *     16 and 32 bits                                   brick j, thread 4 x + q of 16 rows: its word j.q
 *     lane      x (rows x, x + 8)   x + 8 (the same)   (x, q as g, q in tc_sparse_pack.h)
 *     column 0  0.0                 0.1                instruction 0: selector 0, groups 0..3, and 4..7
 *     column 1  0.2                 0.3                instruction 1: selector 1
 *     column 2  1.0                 1.1                instruction 2
 *     column 3  1.2                 1.3                instruction 3
 *
 *     8 bits                                           brick j, thread 4 x + q, word i: j.q.i
 *     lane      x (row x)           x + 8 (row x + 8)
 *     column 0  0.0.0               0.1.0              instruction 0, groups 0..7
 *     column 1  0.2.0               0.3.0                             groups 8..15
 *     column 2  0.0.1  ...                             instruction 1; those of brick 1 are columns 4..7
 *
 *     raw          a slot's bricks have come: the producer arrives, and bulk copies count their bytes
 *     full         here one arrival more for each block of a pair: its metadata is in order
 *
 *     tc__gemm100_meta_init                     the barriers of both
 *     tc__gemm100_meta_source, _fetch           the producer: a tile; one block of k
 *     tc__gemm100_meta_order                    the seventh warp: one slot
 *     tc__gemm100_meta_copy                     the multiplier: a slot's metadata to tensor memory
 *     tc__gemm100_meta_fill                     (host)
 *
 * Source: PTX ISA, "Sparse matrices" of tcgen05.mma, "tcgen05.cp".
 */
#ifndef TC_GEMM_SM100_SPARSE_H
#define TC_GEMM_SM100_SPARSE_H

#include "tc_gemm_sm100_plan.h"

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

enum { TC__GEMM100_META_DOWN = TC__GEMM100_ROWS / TC_SP_BRICK_ROWS, TC__GEMM100_META_ALONG = 2 };

TC_DEV_SM100A uint32_t tc__gemm100_meta_at(tc_gemm100_in k, const tc_gemm100_block *g, uint32_t stage)
{
    const int before = tc__gemm100_a(k.c).bytes + tc__gemm100_b(k.c).bytes;
    return g->ring + stage * (uint32_t)tc__gemm100_slot(k.c) + (uint32_t)before;
}

TC_DEV_SM100A void tc__gemm100_meta_init(tc_gemm100_in k, const tc_gemm100_block *g)
{
    tc_pipe_init_full(g->pipe, k.c.stages, 1u + (uint32_t)k.c.cluster_m);
    tc_pipe_init_empty(g->pipe, k.c.stages, (uint32_t)k.c.cluster_n); /* a commit from each that multiplies */
#pragma unroll
    for (int s = 0; s < k.c.stages; s++) tc_mbarrier_init(g->raw + (uint32_t)s * 8u, 1);
}

/* Where a tile's bricks begin in memory, for each 64 rows: of rows that do not exist the last that there are, whose
 * products nobody stores. */
typedef struct tc__gemm100_meta_lines {
    const char *at[TC__GEMM100_META_DOWN];
} tc__gemm100_meta_lines;

TC_DEV_SM100A tc__gemm100_meta_lines tc__gemm100_meta_source(tc_gemm100_in k, const tc_gemm100_block *g,
                                                             const tc_work *w)
{
    const tc_gemm_sm100_params *p = g->p;
    tc__gemm100_meta_lines lines;
#pragma unroll
    for (int i = 0; i < TC__GEMM100_META_DOWN; i++) {
        const int row = w->row / TC_SP_BRICK_ROWS + i;
        lines.at[i] = p->meta + w->batch * p->meta_batch
                    + (int64_t)(row < p->meta_rows ? row : p->meta_rows - 1) * p->meta_along
                          * tc_sp_brick_bytes(tc_type_bits(k.c.a));
    }
    return lines;
}

/* Bricks of block at_k of k to a slot that is free. Of what lies behind k the last that there is: A has zeros there.
 * With k = 0 there are none, and the arrival alone says that the slot is free. Those of 16 and 32 bits lie by rows,
 * then along k; of 8 bits along k, then by rows: what becomes 1024 bytes of tensor memory's order lies in these
 * 1024. */
typedef struct tc__gemm100_meta_step {
    uint32_t stage, k; /* the slot, the number of the block of k */
} tc__gemm100_meta_step;
TC_DEV_SM100A void tc__gemm100_meta_fetch(tc_gemm100_in k, const tc_gemm100_block *g,
                                          const tc__gemm100_meta_lines *lines, const tc__gemm100_meta_step at)
{
    const uint32_t bytes = (uint32_t)tc_sp_brick_bytes(tc_type_bits(k.c.a)), raw = g->raw + at.stage * 8u;
    const uint32_t to = tc__gemm100_meta_at(k, g, at.stage), last = (uint32_t)g->p->meta_along - 1u;
    if (!g->p->meta) {
        tc_mbarrier_arrive(raw);
        return;
    }
    tc_mbarrier_arrive_expect_tx(raw, (uint32_t)tc__gemm100_meta_bytes(k.c));
#pragma unroll
    for (int j = 0; j < TC__GEMM100_META_ALONG; j++) {
        const uint32_t brick = at.k * (uint32_t)TC__GEMM100_META_ALONG + (uint32_t)j;
        const uint32_t from = (brick < last ? brick : last) * bytes;
#pragma unroll
        for (int i = 0; i < TC__GEMM100_META_DOWN; i++) {
            const int place = tc_type_bits(k.c.a) == 8 ? j * TC__GEMM100_META_DOWN + i : i * TC__GEMM100_META_ALONG + j;
            tc_cp_async_bulk_g2s(to + (uint32_t)place * bytes, lines->at[i] + from, bytes, raw);
        }
    }
}

TC_DEV_SM100A uint4 tc__gemm100_meta_read(uint32_t at)
{
    uint4 x;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w) : "r"(at) : "memory");
    return x;
}
TC_DEV_SM100A void tc__gemm100_meta_write(uint32_t at, uint32_t x, uint32_t y, uint32_t z, uint32_t w)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(x), "r"(y), "r"(z), "r"(w) : "memory");
}

/* One slot, whose bricks have come, by a whole warp; then it is full as far as this block's metadata goes. A piece is
 * 1024 bytes, of 64 lanes of tensor memory: two bricks side by side of 16 and 32 bits, one of 8. */
TC_DEV_SM100A void tc__gemm100_meta_order(tc_gemm100_in k, const tc_gemm100_block *g, const tc_ring *ring)
{
    const int eight = tc_type_bits(k.c.a) == 8, pieces = tc__gemm100_meta_bytes(k.c) / 1024;
    const uint32_t lane = threadIdx.x % 32u, at = tc__gemm100_meta_at(k, g, ring->stage);
    const uint32_t late = lane / 4u % 2u; /* of 8 bits: half of the lanes read their second 16 bytes first */
    const uint32_t first = at + (eight ? lane * 32u + late * 16u : lane * 16u);
    const uint32_t second = at + (eight ? lane * 32u + (late ^ 1u) * 16u : 512u + lane * 16u);
    const uint32_t to = at + lane / 8u * 256u + lane % 8u * 16u;
    const uint32_t full = tc_pipe_full(g->pipe, ring->stage), none = (uint32_t)TC__SP_NOTHING;
    uint4 x[4], y[4];
    TC_MBARRIER_WAIT(g->raw + ring->stage * 8u, ring->phase, "raw", (int)ring->stage);
#pragma unroll
    for (int i = 0; i < pieces; i++) {
        x[i] = y[i] = make_uint4(none, none, none, none); /* k is 0 */
        if (!g->p->meta) continue;
        x[i] = tc__gemm100_meta_read(first + (uint32_t)i * 1024u);
        y[i] = tc__gemm100_meta_read(second + (uint32_t)i * 1024u);
    }
    __syncwarp(); /* all have read */
#pragma unroll
    for (int i = 0; i < pieces; i++) {
        const uint32_t here = to + (uint32_t)i * 1024u;
        const uint4 a = eight && late ? y[i] : x[i], b = eight && late ? x[i] : y[i];
        if (eight) {
            tc__gemm100_meta_write(here, a.x, b.x, a.y, b.y);
            tc__gemm100_meta_write(here + 128u, a.z, b.z, a.w, b.w);
        } else {
            tc__gemm100_meta_write(here, a.x, a.z, b.x, b.z);
            tc__gemm100_meta_write(here + 128u, a.y, a.w, b.y, b.w);
        }
    }
    tc_fence_proxy_async_shared(); /* tcgen05.cp reads what is written here, and the next bricks come over it */
    __syncwarp();
    if (!tc_elect_one()) return;
    if (k.c.cluster_m == 2) tc_mbarrier_arrive_cluster(full, tc__gemm100_leader(k, g));
    else tc_mbarrier_arrive(full);
}

/* A slot's metadata to its columns of tensor memory; what this thread issues after comes after. */
TC_DEV_SM100A void tc__gemm100_meta_copy(tc_gemm100_in k, uint32_t from, uint32_t to)
{
#pragma unroll
    for (int i = 0; i < tc__gemm100_meta_bytes(k.c) / 2048; i++) {
        const uint64_t desc = tc_tcgen05_desc_scales(from + (uint32_t)(i * 2048)); /* 8 rows of 16 bytes follow 8 */
        if (k.c.cluster_m == 2) TC_TCGEN05_CP(2, 128x128b, to + (uint32_t)(i * 4), desc);
        else TC_TCGEN05_CP(1, 128x128b, to + (uint32_t)(i * 4), desc);
    }
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a kernel is told of a checked call's metadata. v, g: of the view. */
TC_HOST void tc__gemm100_meta_fill(const tc_gemm_config *v, const tc_gemm_args *g, tc_gemm_sm100_params *p)
{
    p->meta = NULL, p->meta_batch = 0, p->meta_rows = p->meta_along = 0;
    if (!v->sparse || !g->k) return;
    p->meta = (const char *)g->meta;
    p->meta_batch = g->stride_meta;
    p->meta_rows = (int)tc__sp_bricks_down(tc__sparse_rows(v, g));
    p->meta_along = (int)tc__sp_bricks_along(tc_type_bits(v->a), g->k);
}

#endif /* host */
#endif /* TC_GEMM_SM100_SPARSE_H */
