/* tc_work.h - tc 0.2.0 - what a block of a GEMM does next: the order of tiles, and the run of k that belongs to each.
 * Needs: tc_core.h.
 *
 *     tc_tiles, tc_tiles_make (host), tc_tile_at      which tile comes when
 *     tc_work, tc_work_at                             a tile as the producer and the consumers see it: first row and
 *                                                     column, run of k
 *
 * Both roles of a kernel ask with the same index, so that nothing has to be sent from one to the other. (Attention's
 * work takes divisions and look-ups; there the producer finds out and leaves a note: tc_attn_work.h.)
 */
#ifndef TC_WORK_H
#define TC_WORK_H

#include "tc_core.h"

enum { TC_RASTER_M = 1, TC_RASTER_N = 2 }; /* groups of tiles along m, along n */

/* ---------------------------------------------------------------------------------------------------------------------
 * Division by a number that the host knows: a product and a shift in place of the 100 cycles and more of a division,
 * which a block pays for before its first load. For numbers below 2^31.
 */
typedef struct tc_divide {
    uint32_t by, multiplier, shift;
} tc_divide;

TC_HD tc_divide tc_divide_by(uint32_t by)
{
    tc_divide d = {by, 0, 0};
    while (d.shift < 31 && (1u << d.shift) < by) d.shift++;
    d.multiplier = by ? (uint32_t)((((uint64_t)1 << 32) * (((uint64_t)1 << d.shift) - by)) / by + 1) : 0u;
    return d;
}

TC_HD uint32_t tc_quotient(uint32_t x, tc_divide d)
{
    return ((uint32_t)((uint64_t)x * d.multiplier >> 32) + x) >> d.shift;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The order of tiles: tile `index` of the grid to (m, n, batch). Blocks that run together should share rows of A and B
 * in L2, so the order walks `group` tiles along one dimension, then steps along the other.
 *
 *     group = 2 along m:   n ->   0 2 4 6
 *                          m      1 3 5 7
 *                          |      8 10 ...
 */
typedef struct tc_tiles {
    uint32_t m, n;     /* tiles along each dimension */
    uint32_t total;    /* m * n * batch */
    uint32_t group;    /* tiles of a group */
    uint32_t along_n;  /* 0: groups are rows of tiles, 1: columns */
    tc_divide area, span, full, rest; /* by m * n; by the tiles of a whole group; by group, by the size of the last */
} tc_tiles;

typedef struct tc_tile {
    uint32_t m, n, batch;
} tc_tile;

TC_HD tc_tile tc_tile_at(const tc_tiles *t, uint32_t index)
{
    const uint32_t batch = tc_quotient(index, t->area), in_batch = index - batch * t->area.by;
    const uint32_t g = tc_quotient(in_batch, t->span), in = in_batch - g * t->span.by, first = g * t->group;
    const uint32_t whole = first + t->group <= (t->along_n ? t->n : t->m), size = whole ? t->full.by : t->rest.by;
    const uint32_t i = tc_quotient(in, whole ? t->full : t->rest), o = first + in - i * size;
    tc_tile tile;
    tile.m = t->along_n ? i : o;
    tile.n = t->along_n ? o : i;
    tile.batch = batch;
    return tile;
}

/* What tiles are made of: m x n elements and `batch` matrices in steps of bm x bn, in an order for `width` blocks at a
 * time. raster, group: 0 to pick: the tiles in flight then cover a patch of D that is about square, which needs the
 * fewest rows of A and B at a time. */
typedef struct tc_tiles_of {
    int m, n, batch, bm, bn, width, raster, group;
} tc_tiles_of;

/* total must stay below 2^31. */
TC_HD tc_tiles tc_tiles_make(const tc_tiles_of *of)
{
    tc_tiles t;
    uint32_t outer;
    int group = of->group;
    t.m = (uint32_t)((of->m + (int64_t)of->bm - 1) / of->bm);
    t.n = (uint32_t)((of->n + (int64_t)of->bn - 1) / of->bn);
    t.total = t.m * t.n * (uint32_t)of->batch;
    t.along_n = of->raster ? of->raster == TC_RASTER_N : t.n < t.m;
    outer = t.along_n ? t.n : t.m;
    if (group <= 0) {
        const int64_t along = t.along_n ? of->bn : of->bm, across = t.along_n ? of->bm : of->bn;
        group = 1;
        while ((int64_t)group * group * along < (int64_t)of->width * across) group++;
    }
    t.group = (uint32_t)group < outer || outer == 0 ? (uint32_t)group : outer; /* as many as there are */
    t.area = tc_divide_by(t.m * t.n);
    t.span = tc_divide_by(t.group * (t.along_n ? t.m : t.n));
    t.full = tc_divide_by(t.group);
    t.rest = tc_divide_by(outer ? outer % t.group : 0);
    return t;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A tile of work of one block.
 */
typedef struct tc_work {
    int row, col, batch;        /* of the tile's first element */
    uint32_t k_first, k_blocks; /* steps of k, at least one: from k_first on */
    uint32_t part;              /* which run of k it is, where k is split */
} tc_work;

#endif /* TC_WORK_H */
