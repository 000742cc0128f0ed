/* tc_gemm_tiles.h - tc 0.2.0 - generated GEMMs of which not all is computed: tiles of D, k of a tile, blocks of A. The
 * rules for a configuration and for a call. Needs: the headers below.
 *
 *     TC_GEMM_DEFINE(syrk, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .triangle = TC_TRIANGLE_LOWER)
 *     tc_gemm_args args = {.m = n, .n = n, .k = k, .a = A, .lda = k, .b = A, .ldb = k, .d = D, .ldd = n};
 *     tc_status st = syrk_run(&args, stream);                           D = A * A', its lower triangle
 *
 * .triangle   TC_TRIANGLE_LOWER (row >= column) or TC_TRIANGLE_UPPER, with the diagonal, of a D of any m and n. What
 *             lies beyond it is neither read nor written, C's too, and no hook is called there. Blocks walk along the
 *             tiles that the triangle touches and no others.
 * .tile       int f(tc_gemm_tile tile, const void *args), a TC_DEV function of a tile's rows and columns of D, all of
 *             which exist: TC_TILE_SKIP, TC_TILE_PARTIAL or TC_TILE_WHOLE. A skipped tile is not computed, and D stays
 *             there as it is. It may be asked any number of times, about several neighbouring tiles at once (a
 *             cluster's), about any part of a tile, and must say SKIP of no part of what holds something.
 * .keep       int f(tc_gemm_at at, const void *args), of .tile's TC_TILE_PARTIAL: is this element stored? Else it stays
 *             as it is. Without .keep, all of a partial tile is stored.
 * .k_range    tc_gemm_k f(tc_gemm_tile tile, const void *args): k from .first to .end - 1 is all that this tile (or
 *             several) is the sum of. Kernels take k in steps of .bk (64 of 16 bits, TC_GEMM_DEFINE's: 128 bytes), and
 *             round the range outwards to it: what A and B have there is multiplied, and so it has to be in order. A
 *             triangular factor (trmm) has zeros, not another matrix, in the other triangle of its blocks on the
 *             diagonal: those of a tile's rows, and .bk on either side. What lies further off is not read. No k at all
 *             (first >= end): D = epi(beta * C). The longer tiles are first where the first or the last of all is one.
 * .bsr        128, 256 or (not of TC_GEMM_DEFINE) 64: A consists of blocks of so many rows and columns, most of which
 *             are not there: cuSPARSE's BSR with row-major blocks, indices from 0, on the device:
 *
 *                 args.a = values, .lda = 128                          blocks x 128 x 128 elements
 *                 args.bsr = {row_ptr, col_idx, blocks}                m / 128 + 1 and `blocks` of int32_t
 *
 *             m, n are free (a last row of blocks is whole in values), k is a multiple of .bsr; a block may come twice,
 *             and in any order. A row of blocks without any: D = epi(beta * C). Indices that cannot be are no blocks,
 *             and nothing outside of the matrices is read. batch: stride_a apart lie other values, in the same places.
 *             A plan reads row_ptr and col_idx at each launch.
 *
 * The functions get the hook's arguments, epi_args; .epi_size = sizeof of them, or TC_NO_ARGS. They run in the kernel's
 * producer (.keep in its epilogue): a few comparisons.
 *
 * TC_GEMM_SM90_DEFINE, TC_GEMM_SM80_DEFINE, and TC_GEMM_DEFINE, which takes the sm_80 kernels elsewhere than on Hopper
 * and for rows that TMA refuses. Clusters, ping-pong, .step and .swap as ever (.bsr: .cluster_m 1, no .swap). .k_range
 * goes with .triangle and .tile. Hooks, alpha, beta, C, batches, layouts (.bsr: A and D in rows) and plans too, and
 * sums of what is written of D (above TC_AUX_PRE in tc_gemm_config.h; the launch that adds them up asks .tile as well).
 * Not with them: .groups, .index, .aux, .sparse, .weights, .a_scale, .b_scale, .split, .cluster_k;
 * .epi2 not with .triangle and .keep, for they may keep one of a pair; .raster not with .triangle.
 */
#ifndef TC_GEMM_TILES_H
#define TC_GEMM_TILES_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"

/* Is every step of k in one block, and every tile in one row of them? */
TC_HD TC_CONSTEXPR int tc__tiles_bsr_ok(tc_gemm_config_in c)
{
    return c.bsr == 0
        || ((c.bsr == 64 || c.bsr == 128 || c.bsr == 256) && c.bm > 0 && c.bk > 0 && c.bsr % c.bm == 0
            && c.bsr % c.bk == 0);
}

/* c: as given, no tile needed; */
#define TC__GEMM_TILES_GIVEN_RULES(X, c)                                                                              \
    X((c).triangle >= 0 && (c).triangle <= TC_TRIANGLE_UPPER,                                                         \
      "tc: .triangle must be TC_TRIANGLE_LOWER, TC_TRIANGLE_UPPER or 0")                                              \
    X(!(c).triangle || (!(c).tile && !(c).keep),                                                                      \
      "tc: .triangle says itself which tiles and elements there are: it goes without .tile and .keep")                \
    X(!(c).triangle || (c).raster == 0, "tc: with .triangle, tiles go in strips of its own: .raster must be left out")\
    X(!(c).keep || (c).tile, "tc: .keep needs .tile, of whose TC_TILE_PARTIAL it decides")                            \
    X(!tc__tiles_picks(c) || !(c).epi2,                                                                               \
      "tc: .epi2 does not go with .triangle and .keep, which may keep one of a pair: use .epi")                       \
    X((c).bsr == 0 || (c).bsr == 64 || (c).bsr == 128 || (c).bsr == 256,                                              \
      "tc: .bsr must be 64, 128 or 256, the rows and columns of A's blocks, or 0")                                    \
    X(!(c).bsr || (!(c).triangle && !(c).tile && !(c).k_range),                                                       \
      "tc: .bsr goes without .triangle, .tile and .k_range: its blocks say what is multiplied")                       \
    X(!(c).bsr || (!tc__gemm_a_col(c) && !tc__gemm_d_col(c)), "tc: .bsr wants .a_layout and .d_layout TC_ROW")        \
    X(!tc__tiles_some(c) || (!(c).groups && !(c).index && !(c).aux && !(c).sparse && !tc__gemm_scaled(c) && !(c).sf   \
                             && !(c).any && !tc__gemm_quantised(c)),                                                  \
      "tc: .triangle, .tile, .k_range and .bsr do not go with .groups, .index, .aux, a quantised D, .sparse, "        \
      ".a_scale, .b_scale, .sf and TC_GEMM_SM90_ANY_DEFINE")                                                          \
    X(!tc__tiles_some(c) || (!tc__gemm_is_f32((c).a)                                                                  \
                             && (tc__gemm_is_16((c).a) || (!tc__gemm_a_col(c) && !tc__gemm_b_row(c)))),               \
      "tc: .triangle, .tile, .k_range and .bsr go without .a = TC_F32, and but for types of 16 bits with A in rows "  \
      "and B in columns")                                                                                             \
    X(!tc__tiles_some(c) || ((c).epi_size <= tc__tiled_at(c) && TC_EPI_MAX % 8 == 0),                                 \
      "tc: .triangle, .tile, .k_range and .bsr leave the hook's arguments (.epi_size) 64 bytes less than TC_EPI_MAX, " \
      "with sums of D 128, of columns 192")

/* and completed. */
#define TC__GEMM_TILES_RULES(X, c)                                                                                    \
    TC__GEMM_TILES_GIVEN_RULES(X, c)                                                                                  \
    X(tc__tiles_bsr_ok(c), "tc: .bsr must be a multiple of .bm and of .bk: a step of k lies in one of A's blocks")

/* Kernels that compute all of D. */
#define TC__GEMM_ALL_TILES_RULES(X, c)                                                                                \
    X(!tc__tiles_some(c) && !(c).keep,                                                                                \
      "tc: .triangle, .tile, .keep, .k_range and .bsr are for TC_GEMM_SM90_DEFINE, TC_GEMM_SM80_DEFINE and "          \
      "TC_GEMM_DEFINE")

#ifdef __CUDACC__

TC_DEV const tc__tiled *tc__tiled_of(tc_gemm_config_in c, const tc_gemm_out *o)
{
    return (const tc__tiled *)(o->epi + tc__tiled_at(c));
}

/* Rows and columns of D, as a kernel counts them, as the user does. of: p's m and n, the view that they are of. */
typedef struct tc__tiles_patch {
    int row, rows, col, cols, batch;
} tc__tiles_patch;

TC_DEV tc_gemm_tile tc__tiles_place(const int turned, const tc_gemm_out *o, const tc__tiles_patch x)
{
    const int row_end = x.rows < o->m - x.row ? x.row + x.rows : o->m;
    const int col_end = x.cols < o->n - x.col ? x.col + x.cols : o->n;
    const tc_gemm_tile t = {turned ? x.col : x.row, turned ? col_end : row_end, turned ? x.row : x.col,
                            turned ? row_end : col_end, x.batch};
    return t;
}

/* Rows and columns of the instruction's as the plain view has them: .swap changes them over. */
TC_DEV tc__tiles_patch tc__tiles_swapped(tc_gemm_config_in c, const tc__tiles_patch x)
{
    const tc__tiles_patch y = {c.swap ? x.col : x.row, c.swap ? x.cols : x.rows, c.swap ? x.row : x.col,
                               c.swap ? x.rows : x.cols, x.batch};
    return y;
}

/* What is done with them: TC_TILE_*. c's .triangle is of rows as the kernel has them. */
TC_DEV int tc__tiles_state(tc_gemm_config_in c, const int turned, const tc_gemm_out *o, const tc__tiles_patch x)
{
    if (x.row >= o->m || x.col >= o->n) return TC_TILE_SKIP;
    if (c.triangle) return tc_triangle_state(c.triangle, tc__tiles_place(0, o, x));
    if (c.tile) {
        const int state = c.tile(tc__tiles_place(turned, o, x), o->epi);
        return state == TC_TILE_PARTIAL && !c.keep ? TC_TILE_WHOLE : state;
    }
    return TC_TILE_WHOLE;
}

/* A run of steps of k; none: blocks is 0. */
typedef struct tc__tiles_run {
    uint32_t first, blocks;
} tc__tiles_run;

/* Of `all` steps, those of some tiles. */
TC_DEV tc__tiles_run tc__tiles_k(tc_gemm_config_in c, const int all, const tc_gemm_out *o, const tc_gemm_tile t)
{
    const tc_gemm_k k = c.k_range(t, o->epi);
    const int first = k.first > 0 ? k.first / c.bk : 0, most = k.end > 0 ? (k.end - 1) / c.bk + 1 : 0;
    const int end = most < all ? most : all;
    const tc__tiles_run r = {(uint32_t)first, k.first < k.end && first < end ? (uint32_t)(end - first) : 0u};
    return r;
}

/* .bsr: the blocks of row number `row` of them, from which to the one behind the last. */
typedef struct tc__tiles_blocks {
    int from, end;
} tc__tiles_blocks;

TC_DEV tc__tiles_blocks tc__tiles_row(const tc__tiled *t, int row)
{
    tc__tiles_blocks b = {0, 0};
    if ((uint32_t)row >= (uint32_t)t->rows) return b;
    b.from = t->row_ptr[row], b.end = t->row_ptr[row + 1];
    b.from = b.from < 0 ? 0 : b.from;
    b.end = b.end > t->blocks ? t->blocks : b.end;
    b.end = b.end < b.from ? b.from : b.end;
    return b;
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* After tc__gemm_check. */
TC_HOST tc_status tc__gemm_check_tiles(const tc_gemm_config *c, const tc_gemm_args *g)
{
    const tc_gemm_bsr *b = &g->bsr;
    if (!c->bsr || tc__gemm_empty(g)) return TC_OK;
    if (b->blocks < 0 || (int64_t)b->blocks * c->bsr > 0x7fff0000)
        return tc__fail(TC_ERR_SIZE, "bsr.blocks = %d must be in 0..%d", b->blocks, 0x7fff0000 / c->bsr);
    if (g->k % c->bsr)
        return tc__fail(TC_ERR_SIZE, "k = %d is not a multiple of the kernel's .bsr = %d", g->k, c->bsr);
    if (g->k == 0) return TC_OK;
    if (!b->row_ptr) return tc__fail(TC_ERR_NULL, "bsr.row_ptr is null, but the kernel has .bsr");
    if (!b->col_idx && b->blocks) return tc__fail(TC_ERR_NULL, "bsr.col_idx is null, but bsr.blocks = %d", b->blocks);
    if (((uintptr_t)b->row_ptr | (uintptr_t)b->col_idx) % 4)
        return tc__fail(TC_ERR_ALIGN, "bsr.%s = %p is not a multiple of 4 bytes",
                        (uintptr_t)b->row_ptr % 4 ? "row_ptr" : "col_idx",
                        (const void *)((uintptr_t)b->row_ptr % 4 ? b->row_ptr : b->col_idx));
    return TC_OK;
}

#endif /* host */
#endif /* TC_GEMM_TILES_H */
