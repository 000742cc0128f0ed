/* tc_tiles.h - tc 0.2.0 - which tiles of a product are computed, and the order of those of a triangle. Needs: the
 * headers below.
 *
 *     tc_gemm_tile, TC_TILE_*            a tile, as functions of the user's are asked about it, and what they answer
 *     tc_triangle, tc_triangle_make      the tiles that a triangle touches, as a line: how many there are,
 *     tc_triangle_at                     and which is number so and so
 *
 * tc_gemm_tiles.h is the manual of .triangle, .tile, .keep, .k_range and .bsr.
 */
#ifndef TC_TILES_H
#define TC_TILES_H

#include "tc_epi.h"
#include "tc_work.h"

/* Rows row .. row_end - 1 and columns col .. col_end - 1 of D, all of which exist, of matrix `batch`. */
typedef struct tc_gemm_tile {
    int row, row_end, col, col_end, batch;
} tc_gemm_tile;

enum {
    TC_TILE_SKIP = 0,
    TC_TILE_PARTIAL = 1,
    TC_TILE_WHOLE = 2
}; /* what is computed and stored of a tile: nothing, some or all of it */

/* k from first to end - 1. */
typedef struct tc_gemm_k {
    int first, end;
} tc_gemm_k;

typedef int (*tc_gemm_tile_fn)(tc_gemm_tile tile, const void *args);
typedef tc_gemm_k (*tc_gemm_k_fn)(tc_gemm_tile tile, const void *args);

TC_HD int tc__tiles_least(int a, int b) { return a < b ? a : b; }

/* What a triangle (rows >= columns, or rows <= columns) takes of a tile. */
TC_HD int tc_triangle_state(int triangle, tc_gemm_tile t)
{
    const int lower = triangle == TC_TRIANGLE_LOWER, long_first = lower ? t.row : t.col;
    const int long_end = lower ? t.row_end : t.col_end, first = lower ? t.col : t.row;
    if (long_end <= first) return TC_TILE_SKIP;
    return long_first >= (lower ? t.col_end : t.row_end) - 1 ? TC_TILE_WHOLE : TC_TILE_PARTIAL;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The tiles that a triangle touches, spoken of as the lower one's: of tile row r the first ceil((r + 1) * p / q), where
 * p / q is a tile's rows by its columns in lowest terms, and no more than there are. They go in strips of rows, in a
 * strip column after column, so that blocks that run together share rows of A and B; a strip's stairs come last, row
 * after row:
 *
 *     p = q, strips of 3 rows      0
 *                                  1 3
 *                                  2 4 5
 *                                  6 9 12 15
 *                                  7 10 13 16 18
 *                                  8 11 14 17 19 20
 *
 * A strip has a multiple of q rows, so that the tiles of all strips before it are a polynomial of its number.
 */
typedef struct tc_triangle {
    uint32_t rows, cols;   /* tiles along each side: of the upper triangle, the other way round */
    uint32_t strip, p, q;  /* rows of a strip */
    uint32_t climbing;     /* strips none of whose rows meets the last column before its own end: the polynomial's, */
    uint32_t before;       /* the tiles in them; */
    uint32_t then;         /* and in the one behind, from which on rows have all columns */
    uint32_t total;        /* of one matrix */
    int upper;
} tc_triangle;

/* Tiles of row r. */
TC_HD uint32_t tc__triangle_of(const tc_triangle *t, uint32_t r)
{
    const uint64_t all = ((uint64_t)(r + 1u) * t->p + t->q - 1u) / t->q;
    return all < t->cols ? (uint32_t)all : t->cols;
}

/* Tiles of the first s strips, if no column were the last. */
TC_HD uint64_t tc__triangle_strips(const tc_triangle *t, uint32_t s)
{
    const uint64_t turns = (uint64_t)s * (t->strip / t->q), once = ((uint64_t)(t->p + 1u) * (t->q + 1u) - 2u) / 2u;
    return turns * once + (turns ? turns * (turns - 1u) / 2u * t->p * t->q : 0u);
}

/* Tile number `in` of strip s, whatever its rows. */
TC_HD tc_tile tc__triangle_in(const tc_triangle *t, uint32_t s, uint32_t in)
{
    const uint32_t first = s * t->strip, left = t->rows - first, rows = left < t->strip ? left : t->strip;
    const uint32_t all = tc__triangle_of(t, first); /* columns that all of its rows have */
    tc_tile x = {first, 0, 0};
    if (in < all * rows) {
        x.n = in / rows, x.m = first + in - x.n * rows;
        return x;
    }
    in -= all * rows;
    for (x.m = first + 1u; x.m + 1u < first + rows; x.m++) {
        const uint32_t more = tc__triangle_of(t, x.m) - all;
        if (in < more) break;
        in -= more;
    }
    x.n = all + in;
    return x;
}

/* Tile number index, of `total` of each matrix. */
TC_HD tc_tile tc_triangle_at(const tc_triangle *t, uint32_t index)
{
    const uint32_t batch = index / t->total, i = index - batch * t->total, whole = t->strip * t->cols;
    uint32_t s = t->climbing, in;
    tc_tile x;
    if (i < t->before) { /* the last strip that does not begin behind it */
        uint32_t end = t->climbing;
        for (s = 0; end - s > 1u;) {
            const uint32_t middle = (s + end) / 2u;
            if (tc__triangle_strips(t, middle) <= i) s = middle;
            else end = middle;
        }
        in = i - (uint32_t)tc__triangle_strips(t, s);
    } else if (i < t->then) {
        in = i - t->before;
    } else {
        s = t->climbing + 1u + (i - t->then) / whole;
        in = (i - t->then) % whole;
    }
    x = tc__triangle_in(t, s, in);
    x.batch = batch;
    if (t->upper) {
        const uint32_t m = x.m;
        x.m = x.n, x.n = m;
    }
    return x;
}

/* of: as tc_tiles_make's, whose .raster is not looked at. total stays below the tiles of all of m x n. */
TC_HD tc_triangle tc_triangle_make(const tc_tiles_of *of, int upper)
{
    const int along = upper ? of->n : of->m, across = upper ? of->m : of->n;
    const int by = upper ? of->bn : of->bm, by_across = upper ? of->bm : of->bn;
    const int end = tc__tiles_least(along, across); /* what lies behind it is nobody's */
    int x = by, y = by_across, group = of->group;
    uint64_t total;
    tc_triangle t;
    while (y) {
        const int rest = x % y;
        x = y, y = rest;
    }
    t.upper = upper;
    t.p = (uint32_t)(by / x), t.q = (uint32_t)(by_across / x);
    t.rows = (uint32_t)(((int64_t)along + by - 1) / by);
    t.cols = (uint32_t)(((int64_t)end + by_across - 1) / by_across);
    if (group <= 0) {
        group = 1;
        while ((int64_t)group * group * by < (int64_t)of->width * by_across) group++;
    }
    if ((uint32_t)group > t.rows) group = (int)t.rows;
    t.strip = ((uint32_t)group + t.q - 1u) / t.q * t.q;
    t.climbing = t.cols / (t.strip / t.q * t.p);
    if (t.climbing > t.rows / t.strip) t.climbing = t.rows / t.strip;
    total = tc__triangle_strips(&t, t.climbing);
    t.before = (uint32_t)total;
    if (t.climbing * t.strip < t.rows) {
        uint32_t r, first = t.climbing * t.strip;
        for (r = first; r < first + t.strip && r < t.rows; r++) total += tc__triangle_of(&t, r);
        t.then = (uint32_t)total;
        if (r < t.rows) total += (uint64_t)(t.rows - r) * t.cols;
    } else {
        t.then = t.before;
    }
    t.total = (uint32_t)total;
    return t;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What a kernel is told of its tiles besides. It lies in the last bytes of tc_gemm_out.epi, before what sums of D
 * are told (tc__tiled_at), so that the parameters of all other kernels are what they are.
 */
typedef struct tc__tiled {
    tc_triangle triangle;           /* .triangle, of clusters of tiles */
    const int32_t *row_ptr, *col_idx; /* .bsr, on the device */
    int blocks;
    int rows; /* rows of them */
} tc__tiled;
enum { TC__TILED_BYTES = 64 };

#endif /* TC_TILES_H */
