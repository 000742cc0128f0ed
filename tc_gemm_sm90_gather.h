/* tc_gemm_sm90_gather.h - tc 0.2.0 - the Hopper GEMM's rows of A that the device looks up (.index = TC_INDEX_A): by
 * cp.async, beside B by TMA. Needs: the headers below; sm_90a.
 *
 * Hopper's TMA brings rows that follow one another. So the four warps of the producer's warpgroup copy A's rows, 16
 * bytes a thread, to where TMA would have put them: eight lanes a row of 128 bytes, in the 128-byte swizzle, 16 rows a
 * pass of all warps. Of 128 rows that is eight copies a thread for each block of k, and no address is looked for in
 * memory meanwhile: a lane holds the number of one row of its warp, or of two, looked up once a tile, and each copy
 * takes that of its row from the lane that has it.
 *
 *     lane of a warp   0  1  2  3 |  4  5  6  7 | ...       pass p, warp w: rows 16 p + 4 w to 16 p + 4 w + 3
 *     holds a row of        pass 0 |       pass 1 | ...       copies: chunk lane % 8 of row lane / 8 of these
 *
 * A slot's full barrier counts B's bytes, the thread that asks for them, and the four warps. Copies are written in the
 * generic proxy, wgmma reads in the async one: so a thread waits for its own copies, fences, and its warp arrives when
 * all lanes have. It does that some slots later, so that copies of several are on their way: half of the ring, for what
 * has come and is not told of yet keeps consumers waiting. Not all of it but two at the most: a slot is given back when
 * the one behind it is multiplied, so that one must have been told of before the producer waits for the first again.
 *
 *     tc_gemm90_rows         A as the producer reads it (params of the kernel, where A's tensor map would be)
 *     tc__gather_produce     the producer: all of its warps
 *     tc__gather_fill        (host)
 */
#ifndef TC_GEMM_SM90_GATHER_H
#define TC_GEMM_SM90_GATHER_H

#include "tc_gemm_sm90_load.h"
#include "tc_gemm_sm90_plan.h"

/* Bytes; of k, so many of a row. The numbers of the rows, m of them, and the rows that there are. */
typedef struct tc_gemm90_rows {
    const char *at;
    long long pitch;
    long long k;
    const int32_t *row;
    int rows;
} tc_gemm90_rows;

#ifdef __CUDACC__

/* User's A is the instruction's A, with .swap its B: the other one has a map. */
TC_DEV const tc_gemm90_rows *tc__gather_rows(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return (const tc_gemm90_rows *)(const void *)(c.swap ? &g->p->b : &g->p->a);
}

/* Slots whose copies may be on their way while those of the next are asked for. */
enum { TC__GATHER_AHEAD = 6 };
TC_DEV uint32_t tc__gather_ahead(const tc_gemm90_block *g)
{
    const int half = g->stages / 2, most = g->stages - 2, ahead = half < most ? half : most;
    return (uint32_t)(ahead < TC__GATHER_AHEAD ? ahead : TC__GATHER_AHEAD);
}

/* Until but for the last `ahead` slots a thread's copies have come. */
TC_DEV_SM80 void tc__gather_wait(uint32_t ahead)
{
    switch (ahead) {
    case 0: TC_CP_ASYNC_WAIT_GROUP(0); break;
    case 1: TC_CP_ASYNC_WAIT_GROUP(1); break;
    case 2: TC_CP_ASYNC_WAIT_GROUP(2); break;
    case 3: TC_CP_ASYNC_WAIT_GROUP(3); break;
    case 4: TC_CP_ASYNC_WAIT_GROUP(4); break;
    case 5: TC_CP_ASYNC_WAIT_GROUP(5); break;
    default: TC_CP_ASYNC_WAIT_GROUP(6); break;
    }
}

/* Of one thread; ring, told: where the next slot is filled, and told of; asked: slots between the two. */
typedef struct tc__gatherer {
    tc_ring ring;
    uint32_t told, asked;
    uint32_t to;  /* where in a slot its first copy goes */
    int row[2];   /* numbers of rows of A, -1 for zeros: of passes 0 to 7, of 8 to 15 */
    uint32_t back; /* this tile takes k from its end to its start */
} tc__gatherer;

/* Rows of a tile: the instruction's rows, or with .swap its columns. */
TC_DEV int tc__gather_height(tc_gemm_config_in c, const tc_gemm90_block *g) { return c.swap ? g->width : c.bm; }

/* Numbers of a tile's rows. What the product does not have is not looked up. */
TC_DEV void tc__gather_look_up(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gatherer *u, const tc_work *w)
{
    const tc_gemm90_rows *a = tc__gather_rows(c, g);
    const int lane = tc_lane(), mine = lane / 4 * 16 + (int)g->warp * 4 + lane % 4;
    const int first = c.swap ? w->col : w->row, end = c.groups ? w->end : g->p->out.m;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int row = mine + i * 128;
        int at = -1;
        if (row < tc__gather_height(c, g) && first + row < end) at = a->row[first + row];
        u->row[i] = (uint32_t)at < (uint32_t)a->rows ? at : -1;
    }
}

/* Block number kb of k of A's rows to the ring's slot. */
TC_DEV_SM80 void tc__gather_copy(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gatherer *u, uint32_t kb)
{
    const tc_gemm90_rows *a = tc__gather_rows(c, g);
    const int height = tc__gather_height(c, g), lane = tc_lane();
    const int boxes = c.bk * tc_type_bits(c.a) / 1024;
#pragma unroll
    for (int box = 0; box < boxes; box++) {
        const long long k = ((long long)kb * boxes + box) * 128 + lane % 8 * 16, left = a->k - k;
        const int inside = left >= 16 ? 16 : left > 0 ? (int)left : 0;
        const char *from = a->at + k;
        const uint32_t to = g->ring + u->ring.stage * g->slot + u->to + (uint32_t)(box * height * 128);
#pragma unroll
        for (int half = 0; half < 2; half++) {
#pragma unroll
            for (int i = half * 8; i < half * 8 + 8; i++) {
                if (i * 16 >= height) break;
                const int row = __shfl_sync(0xffffffffu, u->row[half], i % 8 * 4 + lane / 8);
                const int there = height % 16 == 0 || i * 16 + (int)g->warp * 4 < height;
                if (there)
                    tc_cp_async_cg_16_zfill(to + (uint32_t)(i * 16 * 128), from + (row < 0 ? 0 : row) * a->pitch,
                                            row < 0 ? 0 : inside);
            }
        }
    }
    tc_cp_async_commit_group();
}

/* Copies to the slot that is next to be told of have come, of this thread; wgmma may read those of its warp. */
TC_DEV_SM90 void tc__gather_tell(const tc_gemm90_block *g, tc__gatherer *u)
{
    tc_fence_proxy_async_shared();
    __syncwarp();
    if (tc_elect_one()) tc_mbarrier_arrive(tc_pipe_full(g->pipe, u->told));
    u->told = u->told + 1u == (uint32_t)g->stages ? 0u : u->told + 1u;
    u->asked--;
}

/* B's block: one thread. */
TC_DEV_SM90 void tc__gather_fetch(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_sources *s,
                                  tc__gemm90_fetch_at at)
{
    const int which = c.swap ? TC__GEMM90_EARLY_A : TC__GEMM90_EARLY_B;
    const tc__gemm90_fetching any = {c, which, 0, 0}, alone = {c, which, 1, 0};
    tc_mbarrier_arrive_expect_tx(tc_pipe_full(g->pipe, at.stage),
                                 (uint32_t)(c.swap ? tc__gemm90_a(c).bytes : tc__gemm90_b(c, g->width).bytes));
    if (tc__gemm90_alone(c, g)) tc__gemm90_fetch(alone, g, s, at);
    else tc__gemm90_fetch(any, g, s, at);
}

/* All blocks of k of one tile. */
TC_DEV_SM90 void tc__gather_load(tc_gemm_config_in c, const tc_gemm90_block *g, tc__gatherer *u, const tc_work *w)
{
    const tc__gemm90_sources s = tc__gemm90_sources_of(1, c, g, w);
    const uint32_t ahead = tc__gather_ahead(g);
    tc__gather_look_up(c, g, u, w);
#pragma unroll 1
    for (uint32_t i = 0; i < w->k_blocks; i++) {
        const tc__gemm90_fetch_at at = {u->ring.stage, w->k_first + (u->back ? w->k_blocks - 1u - i : i)};
        TC_PIPE_WAIT_EMPTY(g->pipe, &u->ring);
        if (g->warp == 0u && tc_elect_one()) tc__gather_fetch(c, g, &s, at);
        __syncwarp();
        tc__gather_copy(c, g, u, at.kb);
        tc_ring_next(&u->ring, g->stages);
        if (++u->asked <= ahead) continue;
        tc__gather_wait(ahead);
        tc__gather_tell(g, u);
    }
}

/* All four warps of the producer's warpgroup. */
TC_DEV_SM90 void tc__gather_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t works = c.groups ? tc_uniform(tc__gemm90_works(c, g)) : g->p->works;
    tc__gatherer u = {{0, 0}, 0, 0, 0, {-1, -1}, 0};
    u.to = (uint32_t)(c.swap ? tc__gemm90_a(c).bytes : 0)
         + tc_swizzle(128, (g->warp * 4u + (uint32_t)tc_lane() / 8u) * 128u + (uint32_t)tc_lane() % 8u * 16u);
    if (g->p->waits) tc_griddepcontrol_wait();
    for (uint32_t i = tc__gemm90_first(c, g); i < works; i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        const tc_work w = c.groups ? tc__gemm90_group_work(1, c, g, i) : tc_gemm90_work(c, g, i);
        tc__gather_load(c, g, &u, &w);
        u.back ^= (uint32_t)g->p->to_and_fro;
    }
    TC_CP_ASYNC_WAIT_GROUP(0);
    while (u.asked) tc__gather_tell(g, &u);
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Where a kernel finds A, of a checked call: in place of its map. With k = 0 A may be anything, and its place is taken
 * by an address that a copy of nothing may have. */
TC_HOST void tc__gather_fill(const tc_gemm_config *c, const tc_gemm_args *g, tc_gemm_sm90_params *p)
{
    const int bits = tc_type_bits(c->a);
    const void *at = g->k ? g->a : (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
    const tc_gemm90_rows a = {(const char *)at, g->k ? g->lda * bits / 8 : 0, (int64_t)g->k * bits / 8, g->a_row,
                              g->a_rows};
    tc_tmap *to = c->swap ? &p->b : &p->a;
    memset((void *)to, 0, sizeof *to);
    memcpy((void *)to, (const void *)&a, sizeof a);
}

#endif /* host */
#endif /* TC_GEMM_SM90_GATHER_H */
