/* tc_gemm_sm80_groups.h - tc 0.2.0 - the sm_80 GEMM's tiles of groups (.groups): whose they are, which k they have,
 * where their matrices lie. Needs: the headers below.
 *
 *     tc__gemm80_tile            a block's tile
 *     tc__gemm80_group_tile      TC_GROUPS_ROWS, _MASKED: by the table of tc_work.h, anew in each block
 *     tc__gemm80_cut             TC_GROUPS_K: tiles are a batch's, each with a run of k
 *     tc__gemm80_each_tile       TC_GROUPS_ARRAY: by the walk of tc_gemm_each.h, tile after tile
 *     tc__gemm80_line_blocks     (host) the blocks that do so
 */
#ifndef TC_GEMM_SM80_GROUPS_H
#define TC_GEMM_SM80_GROUPS_H

#include "tc_gemm_sm80_copy.h"

#ifdef __CUDACC__

/* A block's tile: its first row and column, its matrix of A and D (batch), of B (group); rows end before `end`. none:
 * there is no such tile. picks: not all of its elements are stored. */
typedef struct tc__gemm80_tile {
    int row, col;
    uint32_t batch, group;
    int end, none, picks;
    tc__each_product own; /* TC_GROUPS_ARRAY: in place of what the call says */
} tc__gemm80_tile;

/* One of the call's own matrices. */
TC_DEV tc__gemm80_tile tc__gemm80_plain_tile(const tc_tile t, const tc_gemm_sm80_params *p, const int bm, const int bn)
{
    tc__gemm80_tile r;
    r.row = (int)t.m * bm, r.col = (int)t.n * bn, r.batch = r.group = t.batch, r.end = p->out.m;
    r.none = r.picks = 0;
    return r;
}

/* The same of groups: the table lies where the ring will be. */
TC_DEV_SM75 tc__gemm80_tile tc__gemm80_group_tile(tc_gemm_config_in c, const tc_gemm_sm80_params *p, uint32_t smem)
{
    const tc_groups_line line = {&p->groups, &p->tiles, smem};
    const int masked = c.groups == TC_GROUPS_MASKED;
    tc__gemm80_tile r;
    r.row = r.col = r.end = r.none = r.picks = 0, r.batch = r.group = 0u;
    if (threadIdx.x < 32u) tc_groups_scan(masked, &p->groups, smem);
    __syncthreads();
    r.none = blockIdx.x >= tc_groups_total(&p->groups, smem) * p->tiles.area.by;
    if (!r.none) {
        const tc_group_tile t = tc_groups_tile(1, &line, blockIdx.x);
        const tc_group_rows rows = tc_groups_rows(masked, &p->groups, t.group);
        r.row = rows.first + (int)t.along * c.bm, r.end = rows.end;
        r.col = (int)t.across * (c.gate ? c.bn / 2 : c.bn);
        r.group = (uint32_t)t.group, r.batch = masked ? (uint32_t)t.group : 0u;
    }
    __syncthreads();
    return r;
}

/* What of a tile's k is computed, in elements; its state. */
typedef struct tc__gemm80_part {
    int first, k, state;
} tc__gemm80_part;

/* TC_GROUPS_K: that of its group. */
TC_DEV tc__gemm80_part tc__gemm80_cut(const tc_gemm_sm80_params *p, const tc__gemm80_tile *t)
{
    const tc_group_rows run = tc_groups_rows(0, &p->groups, (int)t->group);
    const tc__gemm80_part r = {run.first, run.end - run.first, TC_TILE_WHOLE};
    return r;
}

TC_DEV tc__each_call tc__gemm80_each_call(const tc_gemm_sm80_params *p, int beta)
{
    const tc__each_call call = {p->a, p->b, p->lda, p->ldb, p->stride_a, p->stride_b, &p->out, beta};
    return call;
}

/* TC_GROUPS_ARRAY: tile number index. Where all products have one size, tiles are a batch's, and nobody walks. none:
 * this tile is not to be computed; 2: nor is there one behind it. */
TC_DEV_SM75 tc__gemm80_tile tc__gemm80_each_tile(tc_gemm80_in k, const tc_gemm_sm80_params *p, tc__each_walk *walk,
                                                 uint32_t index)
{
    const tc_gemm_config c = k.c;
    const double beta = k.sums == TC_F64 ? p->beta : (double)p->out.beta;
    const tc__each_call call = tc__gemm80_each_call(p, beta != 0.);
    tc_tile t = {0, 0, 0};
    tc__gemm80_tile r;
    int found = index < p->tiles.total;
    if (found && !p->each.at.m && !p->each.at.n) {
        t = tc_tile_at(&p->tiles, index);
    } else if (found) {
        const tc__each_tile x = tc__each_find(&p->each, walk, index);
        t.m = x.along, t.n = x.across, t.batch = (uint32_t)x.product;
        found = x.product >= 0;
    }
    r = tc__gemm80_plain_tile(t, p, c.bm, c.bn);
    r.none = 2;
    if (!found) return r;
    r.own = tc__each_of(c, &p->each, &call, (int)t.batch);
    r.end = r.own.m;
    r.none = !r.own.good;
#ifdef TC_DEBUG
    if (r.none && t.m + t.n == 0u && threadIdx.x == 0u)
        printf("tc: groups: product %d, %d x %d, is not computed: a matrix is null or not aligned to its elements, a "
               "pitch is too small, or n odd with .epi2\n", (int)t.batch, r.own.m, r.own.n);
#endif
    return r;
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* Blocks for a line of `tiles` tiles whose real number the device alone knows: about as many as run at a time. */
TC_HOST unsigned tc__gemm80_line_blocks(const tc_gemm_config *c, int sms, uint32_t tiles)
{
    const int threads = tc_gemm_sm80_threads(*c), smem = tc_gemm_sm80_smem(*c) + 1024;
    const int registers = 65536 / (tc__gemm80_registers(*c) * threads), room = TC__SM90_SMEM_MAX / smem;
    const int by_threads = 2048 / threads, least = registers < room ? registers : room;
    const int each = least < by_threads ? least : by_threads;
    const int64_t all = (int64_t)(sms > 0 ? sms : 1) * (each > 0 ? each : 1);
    return all < tiles ? (unsigned)all : tiles;
}

#endif /* host */
#endif /* TC_GEMM_SM80_GROUPS_H */
