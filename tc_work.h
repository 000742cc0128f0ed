/* tc_work.h - tc 0.2.0 - what a block of a GEMM does next: the order of tiles, and the run of k that belongs to each.
 * Needs: tc_core.h.
 *
 *     tc_tiles, tc_tiles_make (host), tc_tile_at      which tile comes when
 *     tc_work, tc_work_at                             a tile as the producer and the consumers see it: first row and
 *                                                     column, run of k
 *     tc_groups, tc_groups_scan, tc_groups_tile       the same of many products at a time, whose rows the device alone
 *                                                     knows
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

/* Tiles of a strip where `all` are cut into so many: strips are alike, because a narrow one asks for the whole of the
 * other operand for few products. strips: all over the tiles that one should have, rounded. */
TC_HD uint32_t tc_strip_size(uint32_t all, uint32_t strips) { return strips > 1u ? (all + strips - 1u) / strips : all; }

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
        if (outer) group = (int)tc_strip_size(outer, (outer + (uint32_t)group / 2u) / (uint32_t)group);
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
    int end;                    /* groups: the tile's rows of D end before this one */
} tc_work;

/* ---------------------------------------------------------------------------------------------------------------------
 * Groups: many products at a time, of as many rows of A and D each as the device alone knows. The tiles of all of them
 * stand in one line, group after group; the host knows how many there are at most, and a block finds the group of a
 * tile from a table in shared memory: for each group how many tiles, counted along rows, its last one ends with.
 *
 *     rows     5        0     9              in tiles of 4 rows
 *     tiles    o o            o o o
 *     table    2        2     5
 *
 * A group's tiles go in strips of about tc_tiles.group along its rows, in a strip column after column: as tc_tile_at
 * goes.
 */
enum { TC_GROUPS_ROWS = 1, TC_GROUPS_MASKED = 2, TC_GROUPS_K = 3, TC_GROUPS_ARRAY = 4 }; /* .groups (tc_gemm.h) */
enum { TC_GROUPS_MOST_80 = 65536 }; /* groups of TC_GROUPS_K and _ARRAY, which need no table */
enum { TC_GROUPS_MOST = 1024, TC__GROUPS_TILES = 0xffff }; /* groups; tiles along rows, which the table can count */
enum { TC__GROUPS_BYTES = 2 * TC_GROUPS_MOST };            /* of the table */

typedef struct tc_groups {
    const int32_t *bounds; /* on the device: where each group's rows end; TC_GROUPS_MASKED: how many it has */
    int count, lead;       /* groups; 1: bounds begin with where the first one begins, 0: it begins at 0 */
    int rows;              /* of D; TC_GROUPS_MASKED: of each of its matrices; TC_GROUPS_K: k */
    int most;              /* tiles along rows, at most */
    tc_divide by;          /* rows of a tile, or of a cluster's tiles */
} tc_groups;

#ifdef __CUDACC__

/* Rows of D (TC_GROUPS_K: of k) from the first to the one behind the last. */
typedef struct tc_group_rows {
    int first, end;
} tc_group_rows;

TC_DEV int tc__groups_between(int x, int least, int most) { return x < least ? least : x > most ? most : x; }

/* Those of group i. Whatever bounds hold, they lie inside D. */
TC_DEV tc_group_rows tc_groups_rows(const int masked, const tc_groups *g, int i)
{
    const int32_t *end = g->bounds + i + (masked ? 0 : g->lead);
    tc_group_rows r = {0, *end};
    if (!masked && end > g->bounds) r.first = end[-1];
#ifdef TC_DEBUG
    if (blockIdx.x == 0 && (r.first < 0 || r.end < r.first || r.end > g->rows))
        printf("tc: groups: %d to %d of group %d are not in ascending order inside of 0 to %d\n", r.first, r.end, i,
               g->rows);
#endif
    r.first = tc__groups_between(r.first, 0, g->rows);
    r.end = tc__groups_between(r.end, r.first, g->rows);
    return r;
}

/* Tiles along the rows of group i. */
TC_DEV uint32_t tc__groups_tiles(const int masked, const tc_groups *g, int i)
{
    const tc_group_rows r = tc_groups_rows(masked, g, i);
    return tc_quotient((uint32_t)(r.end - r.first) + g->by.by - 1u, g->by);
}

TC_DEV uint32_t tc__groups_less(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* The table, at shared address `to`, by all lanes of one warp, each for its run of groups. Before others read it: a
 * barrier. */
TC_DEV void tc_groups_scan(const int masked, const tc_groups *g, uint32_t to)
{
    const int lane = (int)(threadIdx.x % 32u), each = (g->count + 31) / 32;
    const int first = lane * each, end = first + each < g->count ? first + each : g->count;
    const uint32_t most = (uint32_t)g->most;
    uint32_t mine = 0, all;
#pragma unroll 1
    for (int i = first; i < end; i++) mine = tc__groups_less(mine + tc__groups_tiles(masked, g, i), most);
    all = mine;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffffu, all, (unsigned)step);
        if (lane >= step) all += before;
    }
    all -= mine;
#pragma unroll 1
    for (int i = first; i < end; i++) {
        all = tc__groups_less(all + tc__groups_tiles(masked, g, i), most);
        asm volatile("st.shared.u16 [%0], %1;" : : "r"(to + (uint32_t)i * 2u), "h"((uint16_t)all) : "memory");
    }
}

/* Entry i of the table, or its last. */
TC_DEV uint32_t tc__groups_at(const tc_groups *g, uint32_t table, int i)
{
    uint16_t x;
    i = i < g->count ? i : g->count - 1;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(x) : "r"(table + (uint32_t)i * 2u) : "memory");
    return x;
}

/* Tiles along the rows of all groups. */
TC_DEV uint32_t tc_groups_total(const tc_groups *g, uint32_t table) { return tc__groups_at(g, table, g->count); }

/* The group of tile number `tile` along rows. warp, a constant: all lanes of a warp ask together, and look at 32
 * entries at a time; else each for itself. */
TC_DEV int tc__groups_find(const int warp, const tc_groups *g, uint32_t table, uint32_t tile)
{
    int lo = 0, hi = g->count - 1;
    if (warp) {
        const int lane = (int)(threadIdx.x % 32u);
        if (hi >= 32)
            lo = 32 * __popc(__ballot_sync(0xffffffffu, tc__groups_at(g, table, lane * 32 + 31) <= tile));
        lo += __popc(__ballot_sync(0xffffffffu, tc__groups_at(g, table, lo + lane) <= tile));
        return lo < hi ? lo : hi;
    }
    while (lo < hi) {
        const int middle = (lo + hi) / 2;
        if (tc__groups_at(g, table, middle) <= tile) lo = middle + 1;
        else hi = middle;
    }
    return lo;
}

/* The line of tiles: groups, the order of a group's tiles (tc_tiles.area divides by the tiles across), the table. */
typedef struct tc_groups_line {
    const tc_groups *groups;
    const tc_tiles *tiles;
    uint32_t table;
} tc_groups_line;

/* Tile number `along` along the rows of a group, `across` across. */
typedef struct tc_group_tile {
    int group;
    uint32_t along, across;
} tc_group_tile;

/* Tile number index of the line. warp: as above. */
TC_DEV tc_group_tile tc_groups_tile(const int warp, const tc_groups_line *l, uint32_t index)
{
    const tc_tiles *t = l->tiles;
    const int group = tc__groups_find(warp, l->groups, l->table, tc_quotient(index, t->area));
    const uint32_t before = group ? tc__groups_at(l->groups, l->table, group - 1) : 0u;
    const uint32_t tiles = tc__groups_at(l->groups, l->table, group) - before, in_group = index - before * t->area.by;
    const uint32_t strips = tc_quotient(tiles + t->group / 2u, t->full);
    tc_group_tile r = {group, 0u, 0u};
    uint32_t in = in_group, size = tiles ? tiles : 1u;
    if (strips > 1u) {
        const uint32_t each = tc_strip_size(tiles, strips), span = each * t->area.by, strip = in_group / span;
        r.along = strip * each;
        in -= strip * span;
        size = tiles - r.along < each ? tiles - r.along : each;
    }
    r.across = in / size;
    r.along += in - r.across * size;
    return r;
}

#endif /* __CUDACC__ */

#endif /* TC_WORK_H */
