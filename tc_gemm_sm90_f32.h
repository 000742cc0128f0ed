/* tc_gemm_sm90_f32.h - tc 0.2.0 - the Hopper GEMM of f32 to f32's precision (tc_gemm_f32.h): three products of tf32.
 * Needs: the headers below; sm_90a.
 *
 * TMA brings f32. A's rows come to the instruction from registers: a consumer reads its fragments (ldmatrix) and has hi
 * and lo of them there. B must lie in shared memory. Its hi is the block as TMA brought it, for the hardware cuts
 * elements off to tf32 by itself; its lo three warps beside the producer write behind it, in the same slot, and say so
 * at an mbarrier (`read` of the plan) that consumers wait for:
 *
 *     slot: A, f32 | B, f32 | lo of B
 *
 * WHY SO. Shared memory is the wall. The Tensor Cores read 12 bytes of B for each element and each 64 rows of A in the
 * time of three products, 64 bytes a cycle and half of what there is, whatever the tile, and whether parts are of tf32
 * or of bf16. Of a tile of 256 x 128 each k takes 96 cycles: TMA writes 1536 bytes, A's fragments are 1024, and B's lo
 * is read and written, 1024: 37 bytes a cycle, 101 of 128 in all. A from shared memory would be another 2048 and its lo
 * 2048 more, past what there is. B cut off and A rounded: what is left out, lo(A) * lo(B), then has no sign of its own.
 *
 * SUMS. 16 of k of 64 rows are a unit of six wgmmas, into sums that begin anew: lo(A) hi(B), hi(A) lo(B), hi(A) hi(B).
 * While a warpgroup adds a unit's to its sums the other one's keeps the Tensor Cores busy. A warpgroup of 64 rows has
 * registers for the sums of both units of a slot (tc__gemm90_f32_pairs of the plan), and adds one unit's while the next
 * is multiplied. What is not finite at the end is computed anew from memory.
 *
 *     tc__gemm90_f32_split        the warps that make B's lo
 *     tc__gemm90_f32_loop         consumers: the k loop
 *     tc__gemm90_f32_pair_loop    the same of 64 rows, a slot's two units one behind the other
 *     tc__gemm90_f32_fill         (host)
 */
#ifndef TC_GEMM_SM90_F32_H
#define TC_GEMM_SM90_F32_H

#include "tc_gemm_f32.h"
#include "tc_gemm_sm90_promote.h"

#ifdef __CUDACC__

/* wgmma of tf32 with A in registers, for the columns that a tile may have. */
#define TC__F32_WIDTHS(X) X(16) X(32) X(64) X(96) X(128) X(160) X(192) X(224) X(256)
#define TC__F32_WGMMA(n)                                                                                              \
    TC_DEV_SM90A void tc__f32_wgmma_n##n(float *d, const uint32_t *a, uint64_t desc_b, int scale_d)                   \
    {                                                                                                                 \
        TC_WGMMA_RS(n, f32, tf32, d, a, desc_b, scale_d, 1, 1);                                                       \
    }
TC__F32_WIDTHS(TC__F32_WGMMA)
#undef TC__F32_WGMMA
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_rs_fn tc__f32_wgmma(int n)
{
#define TC__X(N) n == N ? tc__f32_wgmma_n##N :
    return TC__F32_WIDTHS(TC__X) (tc_wgmma_rs_fn)0;
#undef TC__X
}

/* A thread's share of `count` (a constant, at most 3) times 96 pieces of B, from `at` on and before `end`: their lo
 * goes `bytes` behind them. All are read before the first is written: the way through shared memory is long. */
TC_DEV_SM90 void tc__f32_split(const uint32_t at, const uint32_t end, const uint32_t bytes, const uint32_t count)
{
    uint32_t x[3][4];
#pragma unroll
    for (uint32_t i = 0; i < count; i++)
        if (at + i * 1536u < end)
            asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x[i][0]), "=r"(x[i][1]), "=r"(x[i][2]), "=r"(x[i][3])
                         : "r"(at + i * 1536u) : "memory");
#pragma unroll
    for (uint32_t i = 0; i < count; i++) {
#pragma unroll
        for (int e = 0; e < 4; e++) x[i][e] = tc_f32_lo(x[i][e], tc_f32_cut(x[i][e])) + 0x1000u; /* to be cut off */
        if (at + i * 1536u < end)
            asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                         : : "r"(at + bytes + i * 1536u), "r"(x[i][0]), "r"(x[i][1]), "r"(x[i][2]), "r"(x[i][3])
                         : "memory");
    }
}

/* Warps 1 to 3 of the producer's warpgroup: slot after slot, tile after tile. Nobody need say that a
 * slot's lo is free: it is when TMA may write the rest of it. Narrow tiles wait for it, and have it made three pieces
 * at a time; wide ones have no registers left for that. */
TC_DEV_SM90 void tc__gemm90_f32_split(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t bytes = (uint32_t)tc__gemm90_b(c, c.bn).bytes, from = (uint32_t)tc__gemm90_a_bytes(c);
    const uint32_t works = c.groups ? tc__gemm90_works(c, g) : g->p->works, mine = (threadIdx.x - 32u) * 16u;
    tc_ring ring = {0, 0};
    for (uint32_t i = tc__gemm90_first(c, g); i < works; i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        const uint32_t blocks = c.split ? tc_gemm90_work(c, g, i).k_blocks : g->p->k_blocks;
        for (uint32_t kb = 0; kb < blocks; kb++) {
            const uint32_t hi = g->ring + ring.stage * g->slot + from;
            TC_PIPE_WAIT_FULL(g->pipe, &ring);
#pragma unroll
            for (uint32_t at = 0; tc__gemm90_f32_pairs(c) && at < bytes; at += 3u * 1536u)
                tc__f32_split(hi + at + mine, hi + bytes, bytes, 3u);
#pragma unroll 2
            for (uint32_t at = mine; !tc__gemm90_f32_pairs(c) && at < bytes; at += 1536u)
                tc__f32_split(hi + at, hi + bytes, bytes, 1u);
            tc_fence_proxy_async_shared();
            __syncwarp();
            if (threadIdx.x % 32u == 0u) tc_mbarrier_arrive(tc__gemm90_read_at(c, g, ring.stage));
            tc_ring_next(&ring, g->stages);
        }
    }
}

/* A lane's place among a slot's rows of A, for tc__f32_read. */
TC_DEV_SM90 uint32_t tc__f32_mine(const tc_gemm90_consumer *u)
{
    const uint32_t lane = threadIdx.x % 32u, row = (uint32_t)u->row + threadIdx.x % 128u / 32u * 16u + lane % 16u;
    return row * 128u + (lane / 16u ^ row % 8u) * 16u;
}

/* A's fragments of 16 of k, number `half` of a slot, of the warpgroup's 64 rows number i; at: a lane's place there. */
TC_DEV_SM90 void tc__f32_read(uint32_t *x, uint32_t at, const int i, const int half)
{
#pragma unroll
    for (int s = 0; s < 2; s++)
        tc_ldmatrix_x4(x + 4 * s, (at ^ (uint32_t)((half * 2 + s) * 32)) + (uint32_t)(i * 64 * 128));
}

/* A unit: descriptors of B's hi and lo from its first k on, its sums, its registers of A's parts. */
typedef struct tc__f32_unit {
    uint64_t hi, lo;
    float *part;
    uint32_t *a;
} tc__f32_unit;

/* 16 of k: x, what was read of A, small products first. */
TC_DEV_SM90A void tc__f32_issue(const tc_wgmma_rs_fn mma, const uint32_t *x, const tc__f32_unit u)
{
    const uint64_t hi_b = tc_wgmma_desc_advance(u.hi, 32u), lo_b = tc_wgmma_desc_advance(u.lo, 32u);
    uint32_t *hi = u.a, *lo = u.a + 8;
#pragma unroll
    for (int e = 0; e < 8; e++) hi[e] = tc_f32_hi(x[e]), lo[e] = tc_f32_lo(x[e], hi[e]);
    tc_wgmma_fence();
    mma(u.part, lo, u.hi, 0);
    mma(u.part, lo + 4, hi_b, 1);
    mma(u.part, hi, u.lo, 1);
    mma(u.part, hi + 4, lo_b, 1);
    mma(u.part, hi, u.hi, 1);
    mma(u.part, hi + 4, hi_b, 1);
    tc_wgmma_commit_group();
}

/* Sums that are not finite, anew: of this tile's run of k. */
TC_DEV_SM90 void tc__gemm90_f32_mend(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                     float *acc)
{
    const tc_scale_side *a = &g->p->a_scale, *b = &g->p->b_scale;
    const int first = (int)u->w.k_first * c.bk, run = (int)u->w.k_blocks * c.bk, lane = tc_lane();
    const tc_f32_lines lines = {a->at + u->w.batch * a->batch + first, b->at + u->w.batch * b->batch + first, a->blocks,
                                b->blocks, a->lines, b->lines, a->count - first < run ? a->count - first : run, 0, 0};
    const tc_f32_fragment mine = {u->w.row + u->warp_row + lane / 4, u->w.col + lane % 4 * 2,
                                  tc__gemm90_rows(c) / 64, c.bn, 64};
    tc_f32_mend(&lines, mine, acc, tc__gemm90_rows(c) * c.bn / 128);
}

/* 64 rows of a warpgroup: the two units of a slot have sums and registers of their own, and run one behind the other.
 * The first one's sums are added while the second one runs. Nothing runs from one slot to the next: ptxas does not
 * follow sums that do so and are read. */
TC_DEV_SM90A void tc__gemm90_f32_pair_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                           tc__gemm90_loop_state *l)
{
    const int count = c.bn / 2;
    const uint32_t mine = tc__f32_mine(l->u), blocks = tc_uniform(l->u->w.k_blocks);
    tc_ring *ring = &l->u->ring;
    uint32_t x[8], a[2][16], slot = tc_uniform(g->ring + ring->stage * g->slot);
    float part[2][128];
#pragma unroll
    for (int e = 0; e < count; e++) l->acc[e] = 0.f;
    tc__f32_read(x, slot + mine, 0, 0);
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = ring->stage, b_at = slot + (uint32_t)tc__gemm90_a_bytes(c);
        const uint64_t hi = tc_wgmma_desc(b_at, 128),
                       lo = tc_wgmma_desc(b_at + (uint32_t)tc__gemm90_b(c, c.bn).bytes, 128);
        const tc__f32_unit one = {hi, lo, part[0], a[0]};
        const tc__f32_unit two = {tc_wgmma_desc_advance(hi, 64u), tc_wgmma_desc_advance(lo, 64u), part[1], a[1]};
        TC_MBARRIER_WAIT(tc__gemm90_read_at(c, g, now), ring->phase, "parts", (int)now);
        tc__f32_issue(mma, x, one);
        tc__f32_read(x, slot + mine, 0, 1);
        tc__f32_issue(mma, x, two);
        tc_ring_next(ring, g->stages);
        slot = tc_uniform(g->ring + ring->stage * g->slot);
        if (kb + 1 < blocks) {
            TC_PIPE_WAIT_FULL(g->pipe, ring);
            tc__f32_read(x, slot + mine, 0, 0);
        }
        TC_WGMMA_WAIT_GROUP(1);
        tc_wgmma_fence_acc(part[0], count);
#pragma unroll
        for (int e = 0; e < count; e++) l->acc[e] += part[0][e];
        TC_WGMMA_WAIT_GROUP(0);
        tc_wgmma_fence_acc(part[1], count);
        tc__gemm90_release(c, g, now);
#pragma unroll
        for (int e = 0; e < count; e++) l->acc[e] += part[1][e];
    }
    tc__gemm90_f32_mend(c, g, l->u, l->acc);
}

/* acc are the sums; the first slot is full; gives all slots back. */
TC_DEV_SM90A void tc__gemm90_f32_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                      tc__gemm90_loop_state *l)
{
    const int chunks = tc__gemm90_rows(c) / 64, count = c.bn / 2;
    const uint32_t mine = tc__f32_mine(l->u), blocks = tc_uniform(l->u->w.k_blocks);
    tc_ring *ring = &l->u->ring;
    float part[128];
#pragma unroll
    for (int e = 0; e < chunks * count; e++) l->acc[e] = 0.f;
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = ring->stage, slot = tc_uniform(g->ring + now * g->slot);
        const uint32_t b_at = slot + (uint32_t)tc__gemm90_a_bytes(c);
        const uint64_t hi = tc_wgmma_desc(b_at, 128),
                       lo = tc_wgmma_desc(b_at + (uint32_t)tc__gemm90_b(c, c.bn).bytes, 128);
        uint32_t x[8], a[16];
        TC_MBARRIER_WAIT(tc__gemm90_read_at(c, g, now), ring->phase, "parts", (int)now);
        tc__f32_read(x, slot + mine, 0, 0);
#pragma unroll
        for (int unit = 0; unit < 2 * chunks; unit++) {
            const int i = unit % chunks, next = unit + 1;
            const uint32_t from = (uint32_t)(unit / chunks * 64);
            const tc__f32_unit one = {tc_wgmma_desc_advance(hi, from), tc_wgmma_desc_advance(lo, from), part, a};
            tc__f32_issue(mma, x, one);
            if (next < 2 * chunks) tc__f32_read(x, slot + mine, next % chunks, next / chunks);
            TC_WGMMA_WAIT_GROUP(0);
            tc_wgmma_fence_acc(part, count);
#pragma unroll
            for (int e = 0; e < count; e++) l->acc[i * count + e] += part[e];
        }
        tc__gemm90_release(c, g, now);
        tc_ring_next(ring, g->stages);
        if (kb + 1 < blocks) TC_PIPE_WAIT_FULL(g->pipe, ring);
    }
    tc__gemm90_f32_mend(c, g, l->u, l->acc);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Both operands as they lie in memory, where kernels of other types have factors: base, pitch, batch; rows, k. */
TC_HOST tc_scale_side tc__gemm90_f32_side(const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    const tc_operand_matrix m = tc__gemm_matrix(c, g, which);
    tc_scale_side x;
    x.at = (const float *)m.base, x.blocks = m.pitch, x.batch = m.stride;
    x.lines = m.rows, x.last = 0, x.count = g->k;
    return x;
}

/* c: plain, complete; its instruction's A is B with .swap. */
TC_HOST void tc__gemm90_f32_fill(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_sm90_params *p)
{
    if (!tc__gemm_is_f32(c->a)) return;
    p->a_scale = tc__gemm90_f32_side(c, g, c->swap ? 'b' : 'a');
    p->b_scale = tc__gemm90_f32_side(c, g, c->swap ? 'a' : 'b');
}

#endif /* host */
#endif /* TC_GEMM_SM90_F32_H */
