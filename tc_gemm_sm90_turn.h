/* tc_gemm_sm90_turn.h - tc 0.2.0 - the Hopper GEMM's operands that lie MN-major (A in columns, B in rows) in types of 8
 * and 32 bits, which wgmma reads K-major alone: how their blocks are turned in shared memory. Needs: the headers below;
 * sm_90a.
 *
 * TMA brings a block as it lies, in boxes of 128 bytes of rows for each k. A block of k is 128 bytes too, so a box is a
 * square of elements, and turned it fills the same bytes: of 8 bits 128 x 128 of them in 16 KB, of 32 bits 32 x 32 in
 * 4 KB. Three (with factors two) warps of the producer's warpgroup turn it in its place. What a warp takes at a time is
 * two tiles of a box that change places, or two that lie on its diagonal: it reads both, then writes both, and no other
 * warp knows of them.
 *
 *     slot:    raw      TMA has brought what is to be turned
 *              full     it is turned (an arrival of each of those warps), and TMA has brought the other operand
 *              empty    as ever
 *
 *  8 BITS. tc_turn.h.
 *
 * 32 BITS. Tiles of 8 x 8, two to a warp: a lane reads a column's words one by one, four k that follow one another, and
 * writes them as the 16 bytes of a row that they then are. Of one pair in four two lanes meet in a bank when they read.
 *
 *     tc__turn_raw, _init, _fills        the barriers
 *     tc__turn_expect                    the producer announces a slot's bytes
 *     tc__turn_produce                   a warp that turns blocks, tile after tile
 */
#ifndef TC_GEMM_SM90_TURN_H
#define TC_GEMM_SM90_TURN_H

#include "tc_gemm_sm90_plan.h"
#include "tc_turn.h"

/* The first warp that turns (the first of all loads, the second may copy factors), and how many do. */
TC_HD TC_CONSTEXPR int tc__turn_first(tc_gemm_config_in c) { return tc__gemm_scaled(c) ? 2 : 1; }
TC_HD TC_CONSTEXPR int tc__turn_warps(tc_gemm_config_in c) { return 4 - tc__turn_first(c); }

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Barriers. raw counts what TMA brings of operands that are to be turned.
 */
TC_DEV uint32_t tc__turn_raw(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    return g->pipe.full + (uint32_t)tc_pipe_bytes(c.stages) + stage * 8u;
}

/* Arrivals that make a slot full: of the producer, if an operand comes as it is multiplied; of the warps that turn; of
 * those lanes that copy factors. */
TC_HD TC_CONSTEXPR uint32_t tc__turn_fills(tc_gemm_config_in c)
{
    const int as_is = !tc__gemm90_turns_a(c) || !tc__gemm90_turns_b(c);
    return (uint32_t)(as_is + tc__turn_warps(c) + (tc__gemm_scaled(c) ? 32 : 0));
}

TC_DEV_SM90 void tc__turn_init(tc_gemm_config_in c, const tc_gemm90_block *g)
{
#pragma unroll
    for (int s = 0; s < c.stages; s++) tc_mbarrier_init(tc__turn_raw(c, g, (uint32_t)s), 1);
}

/* A slot's bytes are announced. */
TC_DEV_SM90 void tc__turn_expect(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    const int a = tc__gemm90_turns_a(c), b = tc__gemm90_turns_b(c);
    const uint32_t a_bytes = (uint32_t)tc__gemm90_a_bytes(c), as_is = a ? g->slot - a_bytes : a_bytes;
    if (!a || !b) tc_mbarrier_arrive_expect_tx(tc_pipe_full(g->pipe, stage), as_is);
    tc_mbarrier_arrive_expect_tx(tc__turn_raw(c, g, stage), a && b ? g->slot : g->slot - as_is);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A warp's work on a box.
 */
/* 32 bits: the lane's first word of tile (0, 0), and its 16 bytes there. */
TC_DEV tc__turner tc__turner_of_32(void)
{
    const uint32_t lane = threadIdx.x % 32u, n = lane % 8u, four = lane / 8u % 2u;
    const tc__turner t = {four * 512u + ((n / 4u ^ four * 4u) * 16u) + n % 4u * 4u,
                          n * 128u + ((four ^ n) * 16u), {0, 0}, lane >= 16u ? 0xffffffffu : 0u};
    return t;
}

/* The same of the four tiles of a line of a box, twice two of them: row by 1024 bytes, two chunks by 32. */
TC_DEV_SM90 void tc__turn_32(const tc__turner *t, uint32_t at, uint32_t part)
{
    const uint32_t tile = 1024u + 32u, step = (part & 1u || !part ? 2u : 1u) * tile;
    const uint32_t mine = t->second & ((part ? part : 1u) * tile);
    const uint32_t read = t->read ^ mine ^ part * 32u, write = t->write ^ mine ^ part * 1024u;
    uint32_t r[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) /* of four k */
            asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r[i][e])
                         : "r"(at + (read ^ (i ? step : 0u) ^ (uint32_t)(e * (128 + 16)))) : "memory");
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; i++)
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(at + (write ^ (i ? step : 0u))), "r"(r[i][0]), "r"(r[i][1]), "r"(r[i][2]), "r"(r[i][3])
                     : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The warps.
 */
/* This warp's share of a slot: every so many parts of its boxes, which lie end to end. */
TC_DEV_SM90 void tc__turn_slot(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__turner *t, uint32_t stage)
{
    const int eight = tc_type_bits(c.a) == 8, b_turns = tc__gemm90_turns_b(c);
    const uint32_t parts = eight ? 8u : 4u, box = (uint32_t)tc__gemm90_fetched_a(c).box_bytes;
    const uint32_t box_bytes = b_turns ? (uint32_t)tc__gemm90_fetched_b(c, c.bn).box_bytes : box;
    const uint32_t first = tc__gemm90_turns_a(c) ? 0u : (uint32_t)tc__gemm90_a_bytes(c);
    const uint32_t bytes = b_turns ? g->slot - first : (uint32_t)tc__gemm90_a_bytes(c);
    const uint32_t slot = g->ring + stage * g->slot + first, end = bytes / box_bytes * parts;
#pragma unroll 1
    for (uint32_t i = g->warp - (uint32_t)tc__turn_first(c); i < end; i += (uint32_t)tc__turn_warps(c)) {
        if (eight) tc__turn_8(c.consumers == 3 ? 2 : 4, t, slot + i / parts * box_bytes, i % parts);
        else tc__turn_32(t, slot + i / parts * box_bytes, i % parts);
    }
}

/* groups, a constant: .groups. */
TC_DEV_SM90 void tc__turn_produce(const int groups, tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc__turner t = tc_type_bits(c.a) == 8 ? tc__turner_of_8() : tc__turner_of_32();
    const uint32_t works = groups ? tc__gemm90_works(c, g) : g->p->works;
    tc_ring ring = {0, 0};
    for (uint32_t i = tc__gemm90_first(c, g); i < works; i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        uint32_t blocks = groups ? g->p->k_blocks : tc_gemm90_work(c, g, i).k_blocks;
        for (; blocks; blocks--) {
            TC_MBARRIER_WAIT(tc__turn_raw(c, g, ring.stage), ring.phase, "raw", (int)ring.stage);
            tc__turn_slot(c, g, &t, ring.stage);
            tc_fence_proxy_async_shared();
            __syncwarp();
            if (tc_elect_one()) tc_mbarrier_arrive(tc_pipe_full(g->pipe, ring.stage));
            tc_ring_next(&ring, g->stages);
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_TURN_H */
