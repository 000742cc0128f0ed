/* tc_gemm_sm90_split.h - tc 0.2.0 - the Hopper GEMM's end of a tile whose k is split: the parts' sums, and pieces of
 * what this block is to add up. Needs: the headers below; sm_90a.
 *
 *     tc__gemm90_meet, tc__gemm90_store_slices, tc__gemm90_leave     through the workspace (tc_split.h)
 *     tc__gemm90_join                                                parts that are the blocks of a cluster
 */
#ifndef TC_GEMM_SM90_SPLIT_H
#define TC_GEMM_SM90_SPLIT_H

#include "tc_gemm_sm90_store.h"

#ifdef __CUDACC__

/* A part's sums in the workspace, in pieces of four: whole places. */
TC_DEV size_t tc__gemm90_part(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return (size_t)(c.bm * tc__gemm90_places(g->width) * 4);
}

/* Sums of a split tile in the workspace: part after part, in each place after place of the instruction's tile (along
 * its rows, then its columns), in each the lanes' first four registers, then their last four. */
TC_DEV float4 *tc__gemm90_sums_at(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t part, int place)
{
    return (float4 *)g->p->split.sums + part * tc__gemm90_part(c, g) + (size_t)(place * 64 + tc_lane());
}

/* This warpgroup's sums to the workspace. */
TC_DEV_SM90 void tc__gemm90_leave_part(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                       const float *acc)
{
    const int first = c.any ? tc_opaque(u->warp_row / 16) : u->warp_row / 16;
    float4 *to = tc__gemm90_sums_at(c, g, u->tile * g->p->split.parts + u->w.part, first);
    const int down = c.bm / 16; /* places of a column of them */
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
#pragma unroll
        for (int j = 0; j < tc__gemm90_places(c.bn); j++) {
            if (j * 16 < g->width) {
                float room[8];
                const tc__gemm90_taken all = {i, j * 16, 8};
                const float *v = tc__gemm90_take(c, acc, all, room);
                tc__gemm_leave(to + (j * down + i * 4) * 64, v);
                tc__gemm_leave(to + (j * down + i * 4) * 64 + 32, v + 4);
            }
        }
    }
}

/* A lane's registers of one place, all parts added up in the order of k. */
TC_DEV_SM90 void tc__gemm90_add_parts(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t first, int place,
                                      float *v)
{
    const int at_once = tc__gemm90_promotes(c) ? 4 : 8; /* on their way before the first is added */
    const tc__gemm_parts from = {tc__gemm90_sums_at(c, g, first, place), tc__gemm90_part(c, g), &g->p->split};
    tc__gemm_add_parts(at_once, c, &from, v);
}

/* The places of a split tile that are this warp's to add up: of the slices that fall to its block (bits), whose places
 * go to the warps in turn. */
typedef struct tc__gemm90_walk {
    uint32_t slices;
    int i, last, apart, step; /* the place, their number, from a warp's to the next one's, from a turn to the next */
} tc__gemm90_walk;

TC_DEV_SM90 tc__gemm90_walk tc__gemm90_walk_of(const tc_gemm90_block *g, const tc_gemm90_consumer *u, int places,
                                               uint32_t slices)
{
    const int apart = (int)tc_split_slices(g->p->split.parts);
    const tc__gemm90_walk w = {slices, places, places, apart, apart * u->warps};
    return w;
}

/* The next one that holds something of D; -1: there is none. c: as D is. */
TC_DEV_SM90 int tc__gemm90_walk_on(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                   tc__gemm90_walk *w)
{
    const int warp = (int)tc_uniform(threadIdx.x / 32u % (uint32_t)u->warps), down = c.bm / 16;
    for (;;) {
        w->i += w->step;
        while (w->slices && w->i >= w->last) { /* the next slice */
            w->i = __ffs((int)w->slices) - 1 + w->apart * warp;
            w->slices &= w->slices - 1u;
        }
        if (w->i >= w->last) return -1;
        const tc__gemm90_spot s = tc__gemm90_spot_of(c, g, w->i % down * 16, w->i / down * 16);
        if (tc__gemm90_spot_exists(c, g, u, &s)) return w->i;
    }
}

/* The slices of a split tile that fall to this block, to D. */
TC_DEV_SM90 void tc__gemm90_store_slices(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                         uint32_t slices)
{
    const int down = c.bm / 16;
    tc__gemm90_walk w = tc__gemm90_walk_of(g, u, down * tc__gemm90_places(g->width), slices);
    if (c.swap || tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i; (i = tc__gemm90_walk_on(c, g, u, &w)) >= 0;) {
        const tc__gemm90_spot s = tc__gemm90_spot_of(c, g, i % down * 16, i / down * 16);
        float v[8];
        tc__gemm90_add_parts(c, g, u->tile * g->p->split.parts, i, v);
        __syncwarp();
        tc__gemm90_put_place(c, u->buf, v);
        tc__gemm90_store_piece(c, g, u, &s, 0);
    }
    __syncwarp();
}

/* A tile's part: sums to the workspace, and the meeting with the other parts. Says which slices fall to this block. */
TC_DEV_SM90 uint32_t tc__gemm90_meet(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                     const float *acc)
{
    const tc_gemm_split *s = &g->p->split;
    const int threads = u->warps * 32;
    const uint32_t word = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).parts;
    uint32_t slices;
    tc__gemm90_leave_part(c, g, u, acc);
    tc_bar_sync(1, threads);
    if (threadIdx.x % (uint32_t)threads == 0) {
        __threadfence(); /* for all of them: the barrier has made their stores this thread's to release */
        slices = tc_split_arrive(s, u->tile, u->w.part, u->last);
        asm volatile("st.shared.b32 [%0], %1;" : : "r"(word), "r"(slices) : "memory");
    }
    tc_bar_sync(1, threads);
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(slices) : "r"(word) : "memory");
    return tc_uniform(slices);
}

/* When they are added up. */
TC_DEV_SM90 void tc__gemm90_leave(const tc_gemm90_block *g, const tc_gemm90_consumer *u)
{
    const int threads = u->warps * 32;
    tc_bar_sync(1, threads);
    if (threadIdx.x % (uint32_t)threads == 0) tc_split_leave(&g->p->split, u->tile);
}

/* ---- Parts that are a cluster's blocks. Place number i of the tile belongs to block i % parts, where all parts send
 * it, its own block too, by st.async, which its mbarrier counts. A block computes one tile in its life. */
TC_DEV uint32_t tc__gemm90_join_from(const tc_gemm90_block *g, uint32_t part, uint32_t place)
{
    return g->ring + g->p->join_at + (part * g->p->join_each + place) * (uint32_t)TC__GEMM90_PLACE
         + (uint32_t)tc_lane() * 16u;
}

/* Places of a tile that are block `part`'s. */
TC_DEV uint32_t tc__gemm90_join_places(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t part)
{
    const tc_gemm_split *s = &g->p->split;
    const uint32_t all = (uint32_t)(c.bm / 16 * tc__gemm90_places(g->width));
    return tc_quotient(all + s->parts - 1u - part, s->by_parts);
}

TC_DEV_SM90 void tc__gemm90_join_send(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                      const float *acc)
{
    const tc_gemm_split *s = &g->p->split;
    const uint32_t sums = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums;
    const int down = c.bm / 16; /* places of a column of them */
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
#pragma unroll
        for (int j = 0; j < tc__gemm90_places(c.bn); j++) {
            if (j * 16 < g->width) {
                float room[8];
                const tc__gemm90_taken all = {i, j * 16, 8};
                const float *v = tc__gemm90_take(c, acc, all, room);
                const uint32_t place = (uint32_t)(u->warp_row / 16 + j * down + i * 4);
                const uint32_t number = tc_quotient(place, s->by_parts), owner = place - number * s->parts;
                const uint32_t to = tc_mapa(tc__gemm90_join_from(g, u->w.part, number), owner);
                const uint32_t bar = tc_mapa(sums, owner);
                tc_st_async_v4_f32(to, v, bar);
                tc_st_async_v4_f32(to + 512u, v + 4, bar);
            }
        }
    }
}

/* All parts of a place added up in the order of k. */
TC_DEV_SM90 void tc__gemm90_join_add(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t place, float *v)
{
    const uint32_t parts = g->p->split.parts;
#pragma unroll
    for (int e = 0; e < 8; e++) v[e] = 0.f;
#pragma unroll 2
    for (uint32_t part = 0; part < parts; part++) {
        const uint32_t from = tc__gemm90_join_from(g, part, place);
#pragma unroll
        for (uint32_t half = 0; half < 2u; half++) {
            float x[4];
            asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]) : "r"(from + half * 512u) : "memory");
#pragma unroll
            for (uint32_t e = 0; e < 4u; e++) v[half * 4u + e] = tc__gemm_plus1(c, v[half * 4u + e], x[e]);
        }
    }
}

TC_DEV_SM90 void tc__gemm90_join(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                 const float *acc)
{
    const int down = c.bm / 16;
    const uint32_t parts = g->p->split.parts, own = tc__gemm90_join_places(c, g, u->w.part);
    tc_cluster_wait(); /* for the others' mbarriers */
    tc__gemm90_join_send(c, g, u, acc);
    TC_MBARRIER_WAIT_CLUSTER(g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums, 0, "sums", 0);
#pragma unroll 1
    for (uint32_t n = tc_uniform(threadIdx.x / 32u) - 4u; n < own; n += (uint32_t)u->warps) {
        const int place = (int)(n * parts + u->w.part);
        const tc__gemm90_spot s = tc__gemm90_spot_of(c, g, place % down * 16, place / down * 16);
        float v[8];
        if (!tc__gemm90_spot_exists(c, g, u, &s)) continue;
        tc__gemm90_join_add(c, g, n, v);
        __syncwarp();
        tc__gemm90_put_place(c, u->buf, v);
        tc__gemm90_store_piece(c, g, u, &s, 0);
    }
    __syncwarp();
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_SPLIT_H */
