/* tc_gemm_sm90_groups.h - tc 0.2.0 - the Hopper GEMM's groups along k (.groups = TC_GROUPS_K): how a tile gets its
 * group's k and no other. Needs: the headers below; sm_90a.
 *
 * k is the outer axis of A and B: their rows in memory. A group begins at any of them, and what TMA brings of the rows
 * behind its last one must be zeros, whatever is there: the next group's, or NaN. TMA makes zeros of what lies behind a
 * tensor's end, so for each end there is a matrix in the map that ends there. The map's third dimension, where a
 * batch's matrices would be, steps by one row. Matrix number i has K rows, as many as A, and begins K rows before row
 * i:
 *
 *     rows of A    -K ..      0      first       end         K
 *                             |        |xxxxxxxxxx|          |          the group's
 *     matrix `end`      |<----------------- K --->|                     its rows behind that do not exist
 *
 * so the group begins there at k = K - (end - first), and blocks of k that go past its end are zeros. The map begins
 * before A: it is a number to add to, and nothing before row `first` is asked for. So there is one map as ever, and
 * nobody changes it.
 *
 * Tiles are a batch's. How much k one has the producer finds out and notes (tc_gemm_sm90_tiles.h).
 *
 *     tc__gemm90_cut_produce      the producer: all tiles of a block
 */
#ifndef TC_GEMM_SM90_GROUPS_H
#define TC_GEMM_SM90_GROUPS_H

#include "tc_gemm_sm90_tiles.h"

#ifdef __CUDACC__

/* One thread. */
TC_DEV_SM90 void tc__gemm90_cut_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc_gemm_sm90_params *p = g->p;
    const int both = TC__GEMM90_EARLY_A | TC__GEMM90_EARLY_B;
    const tc__gemm90_fetching any = {c, both, 0, 0}, alone = {c, both, 1, 0};
    const uint32_t step = tc__gemm90_per_cluster(c, g, gridDim.x);
    tc__tiles_writer t = {{{0, 0}, 0}, {0, 0}};
    tc__gemm90_run run = {{0, 0, 0, 0, 0, 0, 0}, 0, 0};
    if (p->waits) tc_griddepcontrol_wait();
#pragma unroll 1
    for (uint32_t i = tc__gemm90_per_cluster(c, g, blockIdx.x); i < p->works; i += step) {
        run.w = tc_gemm90_work(c, g, i);
        const tc__gemm90_cut_k k = tc__gemm90_cut(c, g, run.w.batch);
        run.w.k_first = 0u, run.w.k_blocks = k.blocks, run.w.part = TC_TILE_WHOLE;
        tc__tiles_note(c, g, &t, &run.w);
        tc__gemm90_sources s = tc__gemm90_sources_of(1, c, g, &run.w);
        const tc__gemm90_known x = {&run, &s};
        s.a.batch = s.b.batch = k.end;
        s.k = p->k_first ? p->k_first : p->groups.rows - (k.end - k.first);
        if (tc__gemm90_alone(c, g)) tc__gemm90_load_known(alone, g, &t.u, x);
        else tc__gemm90_load_known(any, g, &t.u, x);
    }
    run.w.part = TC__TILES_END;
    tc__tiles_note(c, g, &t, &run.w);
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_GROUPS_H */
