/* tc_gemm_cut.h - tc 0.2.0 - how a GEMM's call is cut into tiles: widths, parts of k, groups, their order. Needs: the
 * headers below; host only.
 *
 *     tc_gemm_cut          what was decided (tc_gemm_choice.h decides)
 *     tc__gemm_tiles       the order of tiles, or why there are too many
 *     tc__gemm_groups_of   what a kernel is told of groups
 *     tc__gemm_tell_tiles  and of tiles that are not all of D
 */
#ifndef TC_GEMM_CUT_H
#define TC_GEMM_CUT_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* How a call is cut: columns of a tile, parts of k, clusters of the grid, blocks of a cluster along the instruction's
 * rows, the size of the device's L2 in bytes, the bytes of workspace that it takes, whether a tile's parts are a
 * cluster and meet there, and whether the call gains by starting while the kernel before drains. */
typedef struct tc_gemm_cut {
    int width, parts, blocks, cluster;
    int classes, copies; /* rows of any alignment (tc_gemm_sm90_any.h): log2 of A's classes; 1: A is copied */
    int64_t l2;
    size_t workspace;
    int joined, brief;
} tc_gemm_cut;

/* Blocks of a cluster as it is launched. v: a view (tc_gemm_sm90_plan.h). */
TC_HOST int tc__gemm90_cluster_of(const tc_gemm_config *v, const tc_gemm_cut *cut)
{
    return cut->cluster * v->cluster_n * v->cluster_k * (cut->joined ? cut->parts : 1);
}

/* Rows of a group of a checked call, as far as the host can say. */
TC_HOST int tc__gemm_expected(const tc_gemm_config *c, const tc_gemm_args *g)
{
    if (g->groups.expected && c->groups != TC_GROUPS_K) return g->groups.expected;
    return c->groups != TC_GROUPS_ROWS ? g->m : (int)(((int64_t)g->m + g->groups.count - 1) / g->groups.count);
}

/* Groups of a checked call in tiles of `by` rows: the most tiles along rows that there can be. */
TC_HOST int64_t tc__gemm_most_tiles(const tc_gemm_config *c, const tc_gemm_args *g, int by)
{
    const int64_t m = g->m, count = g->groups.count;
    return c->groups == TC_GROUPS_MASKED ? count * ((m + by - 1) / by) : (m + count * (by - 1)) / by;
}

/* Rows of a cluster's tiles of D. v: a view. */
TC_HOST int tc__gemm_tile_rows(const tc_gemm_config *v, const tc_gemm_cut *cut)
{
    return v->swap ? cut->width * v->cluster_n : v->bm * cut->cluster;
}

/* About how many tiles of `by` rows of D and `across` columns a call has; a group's last tile is half full on
 * average. */
TC_HOST int64_t tc__gemm_about_tiles(const tc_gemm_config *c, const tc_gemm_args *g, int by, int across)
{
    const int64_t cols = (g->n + (int64_t)across - 1) / across, count = g->groups.count;
    int64_t along;
    if (!c->groups) return (g->m + (int64_t)by - 1) / by * cols * tc__gemm_batch(g);
    along = (count * (2 * (int64_t)tc__gemm_expected(c, g) + by) + 2 * by - 1) / (2 * by);
    return (along > count ? along : count) * cols;
}

/* What a kernel is told of them. */
TC_HOST tc_groups tc__gemm_groups_of(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut)
{
    const int by = tc__gemm_tile_rows(v, cut);
    tc_groups x;
    memset(&x, 0, sizeof x);
    if (!v->groups) return x;
    x.bounds = g->groups.offsets ? g->groups.offsets : g->groups.ends;
    if (v->groups == TC_GROUPS_MASKED) x.bounds = g->groups.counts;
    x.count = g->groups.count, x.lead = g->groups.offsets != NULL;
    x.rows = v->groups == TC_GROUPS_K ? g->k : g->m;
    if (!tc__gemm_in_rows(*v)) return x; /* its tiles are a batch's */
    x.most = (int)tc__gemm_most_tiles(v, g, by);
    x.by = tc_divide_by((uint32_t)by);
    return x;
}

/* The order of a group's tiles; .total: of all groups, the most that there can be. */
TC_HOST tc_status tc__gemm_group_tiles(tc_tiles *t, const tc_gemm_config *v, const tc_gemm_args *g,
                                       const tc_gemm_cut *cut)
{
    const int by = tc__gemm_tile_rows(v, cut);
    const tc_tiles_of of = {v->swap ? g->n : g->m, v->swap ? g->m : g->n, 1, v->bm * cut->cluster,
                            cut->width * v->cluster_n, cut->blocks, v->swap ? TC_RASTER_N : TC_RASTER_M,
                            v->raster_group};
    const int64_t most = tc__gemm_most_tiles(v, g, by);
    uint32_t across;
    if (most > TC__GROUPS_TILES)
        return tc__fail(TC_ERR_SIZE, "m = %d, groups.count = %d in tiles of %d rows: more than %d tiles along m", g->m,
                        g->groups.count, by, TC__GROUPS_TILES);
    *t = tc_tiles_make(&of);
    across = v->swap ? t->m : t->n;
    if ((double)most * across > 2e9)
        return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, groups.count = %d: more than 2^31 tiles", g->m, g->n,
                        g->groups.count);
    t->area = tc_divide_by(across);
    t->total = (uint32_t)most * across;
    return TC_OK;
}

/* What tiles are made of. v: the configuration as the instruction sees it. Neighbours in the grid ask for the same rows
 * of the larger matrix, which is what comes from memory; of two as large for those that a cluster does not share. */
TC_HOST tc_tiles_of tc__gemm_tiles_made(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut)
{
    const int given = v->raster && v->swap ? TC_RASTER_M + TC_RASTER_N - v->raster : v->raster;
    const int rows = v->swap ? g->n : g->m, cols = v->swap ? g->m : g->n;
    const int share_a = cols < rows || (cols == rows && cut->cluster > 1 && v->cluster_n == 1);
    const int raster = given ? given : share_a ? TC_RASTER_N : TC_RASTER_M;
    const int class_cols = (int)(((int64_t)cols + (1 << cut->classes) - 1) >> cut->classes);
    const int whole = ((class_cols + cut->width - 1) / cut->width * cut->width) << cut->classes;
    const int matrices = tc__gemm_by_80(*v) ? g->groups.count : tc__gemm_batch(g);
    const tc_tiles_of of = {rows, cut->classes ? whole : cols, matrices, v->bm * cut->cluster,
                            cut->width * v->cluster_n, cut->blocks, raster, v->raster_group};
    return of;
}

/* The order of tiles. */
TC_HOST tc_status tc__gemm_tiles(tc_tiles *t, const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut)
{
    const tc_tiles_of of = tc__gemm_tiles_made(v, g, cut);
    const double total = ((double)of.m / of.bm + 1) * ((double)of.n / of.bn + 1) * of.batch * cut->parts;
    if (tc__gemm_in_rows(*v)) return tc__gemm_group_tiles(t, v, g, cut);
    if (total > 2e9)
        return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, %s = %d: more than 2^31 tiles", g->m, g->n,
                        v->groups ? "groups.count" : "batch", of.batch);
    *t = tc_tiles_make(&of);
    return TC_OK;
}

/* What a kernel is told of tiles that are not all of D. */
typedef struct tc__gemm_tell {
    tc_gemm_out *out;
    tc_tiles *tiles; /* total becomes the number of those that there are */
} tc__gemm_tell;

TC_HOST void tc__gemm_tell_tiles(const tc_gemm_config *v, const tc_gemm_args *g, const tc_gemm_cut *cut,
                                 tc__gemm_tell to)
{
    const tc_tiles_of of = tc__gemm_tiles_made(v, g, cut);
    tc__tiled x;
    if (!tc__tiles_some(*v)) return;
    memset(&x, 0, sizeof x);
    if (v->triangle) {
        x.triangle = tc_triangle_make(&of, (v->triangle == TC_TRIANGLE_UPPER) != (v->swap != 0));
        to.tiles->total = x.triangle.total * (uint32_t)of.batch;
    }
    if (v->bsr) {
        x.row_ptr = g->bsr.row_ptr, x.col_idx = g->bsr.col_idx, x.blocks = g->bsr.blocks;
        x.rows = (int)(((int64_t)g->m + v->bsr - 1) / v->bsr);
    }
    memcpy(to.out->epi + tc__tiled_at(*v), &x, sizeof x);
}

#endif /* host */
#endif /* TC_GEMM_CUT_H */
