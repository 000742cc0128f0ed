/* tc_gemm_sm90_quant.h - tc 0.2.0 - the Hopper GEMM's end of a tile whose D is quantised: factors, and bytes to D.
 * Needs: the headers below; sm_90a.
 *
 *     tc__gemm90_end_quantised     one warpgroup: acc through alpha, beta * C and the hook to D
 *
 * A warp has 16 rows of 128 columns in registers, all that share a factor (tc_gemm_quant.h). What lies inside D, and
 * has no C, goes to D from there; what D's edges cut, and what C is added to, goes through the warp's place in shared
 * memory first, where it meets C, the hook and zeros for what does not exist, and comes back.
 */
#ifndef TC_GEMM_SM90_QUANT_H
#define TC_GEMM_SM90_QUANT_H

#include "tc_gemm_sm90_store.h"

#ifdef __CUDACC__

/* A warp's rows of a tile by columns that share a factor, the first of which is the tile's `col`: are any in D? */
TC_DEV int tc__gemm90_quant_exists(const tc_gemm90_block *g, const tc__quant_rows *x, int col)
{
    return col < g->width && x->first.row < x->end && x->first.col < g->p->out.n;
}

/* The warp's i-th 16 rows of a tile, and of those the columns from col on. */
TC_DEV tc__quant_rows tc__gemm90_quant_rows(tc_gemm_config_in c, const tc_gemm90_block *g,
                                            const tc_gemm90_consumer *u, const tc__gemm90_spot *s)
{
    const tc__quant_rows x = {{u->w.row + s->row, u->w.col + s->col, tc__gemm90_matrix(c, u), tc__gemm90_group(c, u)},
                              tc__gemm90_end(c, g, u), 0};
    return x;
}

/* What is cut, or has C, through shared memory, 16 columns at a time. One loop, so that a hook's code stands here
 * once. */
TC_DEV_SM90 void tc__gemm90_quant_cut(tc_gemm_config_in c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                      float *acc)
{
    const int groups = c.bn / 16, blocks = tc__gemm90_rows(c) / 64;
#pragma unroll 1
    for (int i = 0; i < blocks * groups; i++) {
        const int row = u->warp_row + i / groups * 64, col = i % groups * 16;
        const int in = col / TC__QUANT_COLS * TC__QUANT_COLS;
        const tc__gemm90_spot s = {row, col, c.bm}, of = {row, in, c.bm};
        const tc__quant_rows block = tc__gemm90_quant_rows(c, g, u, &of);
        if (!tc__gemm90_quant_exists(g, &block, in) || tc__quant_whole(&g->p->out, &block)) continue;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < blocks * groups; k++)
            if (k == i) tc__gemm90_put_place(c, u->buf, acc + k / groups * c.bn / 2 + k % groups * 8);
        tc__gemm90_store_piece(c, g, u, &s, 0);
        __syncwarp();
#pragma unroll
        for (int k = 0; k < blocks * groups; k++)
            if (k == i) tc__gemm_get_place(u->buf, acc + k / groups * c.bn / 2 + k % groups * 8);
    }
    __syncwarp();
}

TC_DEV_SM90 void tc__gemm90_end_quantised(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                          float *acc)
{
    const tc__quant q = tc__quant_of(c.d, c.d_scale, c.d_sf);
    const tc_gemm_out *o = &g->p->out;
    const int blocks = tc__gemm90_rows(c) / 64, across = c.bn / TC__QUANT_COLS;
    const int end = u->w.row + u->warp_row + tc__gemm90_rows(c) - 48; /* of this warp's last 16 rows */
    tc__gemm90_sums_to_f32(c, acc, blocks * c.bn / 2);
    if (o->beta != 0.f || end > tc__gemm90_end(c, g, u) || u->w.col + g->width > o->n)
        tc__gemm90_quant_cut(c, g, u, acc);
#pragma unroll
    for (int i = 0; i < blocks * across; i++) {
        const tc__gemm90_spot s = {u->warp_row + i / across * 64, i % across * TC__QUANT_COLS, c.bm};
        const tc__quant_rows x = tc__gemm90_quant_rows(c, g, u, &s);
        float *v = acc + i / across * c.bn / 2 + i % across * TC__QUANT_COLS / 2;
        if (tc__gemm90_quant_exists(g, &x, s.col)) {
            if (tc__quant_whole(&g->p->out, &x)) {
                const tc__gemm_kept all = {v, x.first, TC__QUANT_COLS / 2};
                tc__epi_alpha(v, TC__QUANT_COLS / 2, o->alpha);
                tc__gemm_visit(c, o, all);
            }
            tc__quant_block(q, o, v, x);
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_QUANT_H */
