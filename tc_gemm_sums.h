/* tc_gemm_sums.h - tc 0.2.0 - sums of D, added up: the second launch of a GEMM that keeps some.
 * Needs: the headers below.
 *
 * The first launch has left parts in the workspace: above tc__outputs (tc_epi.h) and tc__more_outputs (tc_gemm_quant.h)
 * stands where, and in which order they are added up. Not all of them are there. Rows that are no group's or go nowhere
 * (TC_INDEX_D) have none; neither have tiles that are not computed, about which this launch asks what the first asked.
 * Of TC_GROUPS_ARRAY it asks for each product's sizes, and whether it could be computed.
 *
 *     tc__sums_begin      in the first launch, where nobody need leave the first part of all
 *     tc__gemm_finish     the second launch
 */
#ifndef TC_GEMM_SUMS_H
#define TC_GEMM_SUMS_H

#include "tc_gemm_config.h"
#include "tc_gemm_each.h"
#include "tc_gemm_tiles.h"

#ifdef __CUDACC__

/* Is this the second launch, which .row_sum and .col_sum take? params: a lvalue that holds a tc_gemm_out. tiles: a
 * tc__sums_tiles. */
#define TC__GEMM_FINISHES(c, params) (tc__gemm_twice(c) && tc__epi_outputs(&(params).out)->finish)
#define TC__GEMM_FINISH(c, params, tiles)                                                                             \
    (tc_griddepcontrol_wait(), tc__gemm_finish(c, &(params).out, &(params).groups, tiles))

/* Tiles of the first launch, as the instruction has them: rows and columns of one, and how many of a cluster stand
 * below and beside each other. TC_GROUPS_ARRAY: its products, and what the call says of all. */
typedef struct tc__sums_tiles {
    int rows, cols, down, across;
    tc__each each;
    tc__each_call call;
} tc__sums_tiles;
TC_DEV tc__sums_tiles tc__sums_tiles_of(int rows, int cols, int down, int across)
{
    tc__sums_tiles t = {};
    t.rows = rows, t.cols = cols, t.down = down, t.across = across;
    return t;
}
TC_DEV tc__sums_tiles tc__sums_no_tiles(void) { return tc__sums_tiles_of(1, 1, 1, 1); }

/* Rows of groups: from *first (null: from 0) on up to *end, or up to end[i] of matrix i. */
typedef struct tc__sums_some {
    const int32_t *first, *end;
    int each;
} tc__sums_some;
TC_DEV tc__sums_some tc__sums_some_of(tc_gemm_config_in c, const tc_groups *g)
{
    tc__sums_some some = {0, 0, 0};
    if (c.groups == TC_GROUPS_MASKED) some.end = g->bounds, some.each = 1;
    if (c.groups == TC_GROUPS_ROWS) some.end = g->bounds + g->count - 1 + g->lead, some.first = g->lead ? g->bounds : 0;
    return some;
}

/* Is it none of those? */
TC_DEV int tc__sums_no_row(const tc__sums_some *s, long long matrix, int row)
{
    return row < (s->first ? *s->first : 0) || row >= s->end[s->each ? matrix : 0];
}

/* Rows (or columns) to add up: of each matrix `across` times `count` parts. */
typedef struct tc__sums_lines {
    const tc_gemm_out *o;
    const tc_groups *groups;
    tc__sums_tiles tiles;
    float *parts, *out; /* out: count of each matrix */
    float *all;         /* one float, of groups one for each */
    int count, across, batch;
    int laid; /* matrices, as parts lie: of columns of TC_GROUPS_ROWS one after the other */
    int each; /* of neighbouring parts the first is there */
    tc__sums_some some;
} tc__sums_lines;

TC_DEV tc__sums_lines tc__sums_of_rows(tc_gemm_config_in c, const tc_gemm_out *o, const tc_groups *g,
                                       const tc__sums_tiles tiles)
{
    const tc__sums_some some = tc__sums_some_of(c, g);
    const tc__outputs *w = tc__epi_outputs(o);
    const tc__sums_lines x = {o, g, tiles, w->parts, w->row_out, w->all_out, o->m, w->across, w->batch, w->batch,
                              w->each, some};
    return x;
}
TC_DEV tc__sums_lines tc__sums_of_columns(tc_gemm_config_in c, const tc_gemm_out *o, const tc_groups *g,
                                          const tc__sums_tiles tiles)
{
    const tc__more_outputs *w = tc__epi_more(o);
    const tc__outputs *all = tc__epi_outputs(o);
    const int batch = c.groups == TC_GROUPS_ROWS ? g->count : all->batch;
    const tc__sums_lines x = {o, g, tiles, w->parts, w->col_out, all->all_out, o->n, w->down, batch, all->batch,
                              w->each, {0, 0, 0}};
    return x;
}

/* What is kept of each 32 lines lies behind the parts, and the counter of blocks behind that. */
TC_DEV float *tc__sums_totals(const tc__sums_lines *w)
{
    return tc__epi_totals(w->parts, w->count, w->across, w->laid);
}
TC_DEV float *tc__sums_counter(const tc__sums_lines *w)
{
    return tc__sums_totals(w) + tc__epi_units(w->count, w->batch);
}

/* The counter to 0, by one thread, where the part that usually does it need not be there (tc__epi_put_part). */
TC_DEV int tc__sums_begins(tc_gemm_config_in c)
{
    return tc__gemm_twice(c) && c.all_sum && (c.groups || c.tile || c.index & TC_INDEX_D);
}
TC_DEV void tc__sums_begin(tc_gemm_config_in c, const tc_gemm_out *o, const tc_groups *g, int mine)
{
    const tc__sums_lines x = tc__gemm_col_kind(c) & TC__KEEP_ALL
                               ? tc__sums_of_columns(c, o, g, tc__sums_no_tiles())
                               : tc__sums_of_rows(c, o, g, tc__sums_no_tiles());
    if (tc__sums_begins(c)) tc__epi_put_if(mine, tc__sums_counter(&x), 0.f);
}

enum { TC__SUMS_AT_ONCE = 24 }; /* parts on their way before the first is added */

/* What 32 lanes have kept, as one. */
TC_DEV_SM75 float tc__sums_join_lanes(const int kind, float kept)
{
#pragma unroll
    for (int bit = 1; bit < 32; bit *= 2) kept = tc__epi_join(kind, kept, __shfl_xor_sync(0xffffffffu, kept, bit));
    return kept;
}

/* Of all of D, by the block that is the last to come here. For its first warp, whose first lane has left the sums. */
TC_DEV_SM75 void tc__sums_all(const int kind, const tc__sums_lines *w)
{
    const float *totals = tc__sums_totals(w);
    uint32_t *counter = (uint32_t *)tc__sums_counter(w);
    float kept = tc__epi_none(kind);
    int last = 0;
    if (threadIdx.x == 0) {
        __threadfence();
        last = atomicAdd(counter, 1u) == gridDim.x - 1u;
        __threadfence();
    }
    if (!__shfl_sync(0xffffffffu, last, 0)) return;
#pragma unroll 4
    for (long long i = threadIdx.x; i < tc__epi_units(w->count, w->batch); i += 32)
        kept = tc__epi_join(kind, kept, __ldcg(totals + i));
    kept = tc__sums_join_lanes(kind, kept);
    if (threadIdx.x == 0) *w->all = kept;
}

/* The same of each group's D. For all threads of a block, which have a word of shared memory between them. */
TC_DEV_SM75 void tc__sums_all_groups(const int kind, const tc__sums_lines *w, volatile uint32_t *word)
{
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    const int down = (int)tc__epi_units(w->count, 1);
    if (threadIdx.x == 0) {
        __threadfence();
        *word = atomicAdd((uint32_t *)tc__sums_counter(w), 1u) == gridDim.x - 1u;
        __threadfence();
    }
    __syncthreads();
    if (!*word) return;
    for (int matrix = warp; matrix < w->batch; matrix += warps) {
        const float *totals = tc__sums_totals(w) + (long long)matrix * down;
        float kept = tc__epi_none(kind);
#pragma unroll 4
        for (int i = lane; i < down; i += 32) kept = tc__epi_join(kind, kept, __ldcg(totals + i));
        kept = tc__sums_join_lanes(kind, kept);
        if (lane == 0) w->all[matrix] = kept;
    }
}

/* Goes a row nowhere? */
TC_DEV int tc__sums_lost(const tc__sums_lines *w, int row)
{
    const tc__outputs *x = tc__epi_outputs(w->o);
    return row < w->count && (uint32_t)x->d_row[row] >= (uint32_t)x->d_rows;
}

/* Lines of a matrix that has a size of its own: their parts' first number, in lines of parts, how many there are, and
 * how many lines. */
typedef struct tc__sums_strips {
    long long first;
    int count, lines;
} tc__sums_strips;
/* Columns of a group's rows. */
TC_DEV tc__sums_strips tc__sums_strips_of(tc_gemm_config_in c, const tc__sums_lines *w, long long matrix)
{
    const int masked = c.groups == TC_GROUPS_MASKED;
    const tc_group_rows rows = tc_groups_rows(masked, w->groups, (int)matrix);
    const tc__sums_strips s = {masked ? matrix * w->across : tc__col_strip_of(rows.first, (int)matrix),
                               (rows.end - rows.first + 15) / 16, w->count};
    return s;
}
/* TC_GROUPS_ARRAY: a product's rows, or columns; none where it was not computed. */
TC_DEV tc__sums_strips tc__sums_strips_each(tc_gemm_config_in c, const int cols, const tc__sums_lines *w,
                                            long long matrix)
{
    const tc__each_product x = tc__each_of(c, &w->tiles.each, &w->tiles.call, (int)matrix);
    const int across = ((cols ? x.m : x.n) + 15) / 16;
    const tc__sums_strips s = {matrix * w->across, across, x.good ? cols ? x.n : x.m : 0};
    return s;
}

/* The tile that holds an element of D, as the instruction has it. */
TC_DEV tc__tiles_patch tc__sums_tile(tc_gemm_config_in c, const tc__sums_tiles *t, tc_gemm_at at)
{
    const int row = c.swap ? at.col : at.row, col = c.swap ? at.row : at.col;
    const tc__tiles_patch x = {row / t->rows * t->rows, t->rows, col / t->cols * t->cols, t->cols, at.batch};
    return x;
}

/* Has the first launch left it out? A cluster whose tiles hold nothing together leaves out all of them. */
TC_DEV int tc__sums_skipped(tc_gemm_config_in c, const tc__sums_lines *w, const tc__tiles_patch x)
{
    const int rows = x.rows * w->tiles.down, cols = x.cols * w->tiles.across;
    const tc__tiles_patch all = {x.row / rows * rows, rows, x.col / cols * cols, cols, x.batch};
    return tc__tiles_state(c, 0, w->o, tc__tiles_swapped(c, x)) == TC_TILE_SKIP
        || tc__tiles_state(c, 0, w->o, tc__tiles_swapped(c, all)) == TC_TILE_SKIP;
}

/* Of TC__SUMS_AT_ONCE parts of a line from number `first` to `end` - 1, which are not there: bits. */
TC_DEV uint32_t tc__sums_gaps(tc_gemm_config_in c, const int cols, const tc__sums_lines *w, tc_gemm_at line,
                              const int first, int end)
{
    uint32_t gaps = 0, skipped = 0;
    int row = -1, col = -1;
    if (!c.triangle && !c.tile) return 0;
#pragma unroll 1
    for (int j = 0; j < TC__SUMS_AT_ONCE && first + j < end; j++) {
        const int part = (first + j) * w->each * 16;
        const tc_gemm_at at = {cols ? part : line.row, cols ? line.row : part, line.batch, 0};
        const tc__tiles_patch x = tc__sums_tile(c, &w->tiles, at);
        if (x.row != row || x.col != col) skipped = (uint32_t)tc__sums_skipped(c, w, x);
        row = x.row, col = x.col;
        gaps |= skipped << j;
    }
    return gaps;
}

/* Lines by 32, a lane each, whose parts are as many runs as a block has warps. Where blocks would have more lines one
 * after the other than a warp has rounds of parts, each warp has lines of its own. For all threads of a block, of whole
 * warps. */
TC_DEV_SM75 void tc__sums_add_up(tc_gemm_config_in c, const int cols, const tc__sums_lines *w)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    float *runs = (float *)tc__dynamic_smem;
    const int kind = cols ? tc__gemm_col_kind(c) : tc__gemm_row_kind(c), sizes = kind & TC__KEEP_EACH;
    const int own = sizes || (cols && tc__gemm_in_rows(c));
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    int all = (w->across + w->each - 1) / w->each;
    const int down = (int)tc__epi_units(w->count, 1), rounds = (all + TC__SUMS_AT_ONCE - 1) / TC__SUMS_AT_ONCE;
    const int alone = rounds <= 1 + (int)(((long long)down * w->batch - 1) / gridDim.x);
    const int share = alone ? 1 : warps, run = alone ? 0 : warp;
    const unsigned first_unit = blockIdx.x + (alone ? gridDim.x * (unsigned)warp : 0u);
    int each = (all + share - 1) / share;
    int from = run * each, end = from + each < all ? from + each : all; /* this warp's */
    const long long apart = (long long)w->each * w->count, sums = (long long)w->batch * w->across * w->count;
    const unsigned units = gridDim.x * (alone ? (unsigned)warps : 1u);
    for (long long unit = first_unit; unit < (long long)down * w->batch; unit += units) {
        const long long matrix = unit / down;
        const int row = (int)(unit % down) * 32 + lane;
        int gone = !cols && tc__gemm_in_rows(c) ? tc__sums_no_row(&w->some, matrix, row) : 0;
        if (kind & TC__KEEP_SENT) gone = gone || tc__sums_lost(w, row);
        long long first = matrix * w->across;
        if (own) {
            const tc__sums_strips strips = sizes ? tc__sums_strips_each(c, cols, w, matrix)
                                                 : tc__sums_strips_of(c, w, matrix);
            first = strips.first, all = (strips.count + w->each - 1) / w->each, each = (all + share - 1) / share;
            gone = gone || (sizes && row >= strips.lines);
            from = run * each, end = from + each < all ? from + each : all;
        }
        const float *part = w->parts + (first + (long long)from * w->each) * w->count + row;
        tc__kept kept = tc__kept_none(kind);
#pragma unroll 1
        for (int i = from; i < end; i += TC__SUMS_AT_ONCE) {
            const tc_gemm_at line = {row, 0, (int)matrix, 0};
            const uint32_t gaps = tc__sums_gaps(c, cols, w, line, i, end);
            tc__kept x[TC__SUMS_AT_ONCE];
#pragma unroll
            for (int j = 0; j < TC__SUMS_AT_ONCE; j++, part += apart) {
                const int is = row < w->count && i + j < end && !gone && !(gaps >> j & 1u);
                x[j].x = is ? __ldcg(part) : tc__epi_none(kind);
                x[j].sum = tc__kept_exp(kind) && is ? __ldcg(part + sums) : 0.f;
            }
#pragma unroll
            for (int j = 0; j < TC__SUMS_AT_ONCE; j++) kept = tc__kept_join(kind, kept, x[j]);
        }
        if (!alone) {
            runs[warp * 32 + lane] = kept.x;
            if (tc__kept_exp(kind)) runs[(warps + warp) * 32 + lane] = kept.sum;
            __syncthreads();
        }
        if (run == 0 && row < w->count && !gone) {
            for (int i = 1; i < share; i++) {
                const tc__kept of = {runs[i * 32 + lane],
                                     tc__kept_exp(kind) ? runs[(warps + i) * 32 + lane] : 0.f};
                kept = tc__kept_join(kind, kept, of);
            }
            const int to = kind & TC__KEEP_SENT ? tc__epi_outputs(w->o)->d_row[row] : row;
            if (!(kind & TC__KEEP_NO_LINE)) w->out[matrix * w->count + to] = tc__kept_end(kind, kept);
        }
        if ((kind & TC__KEEP_ALL) && run == 0) {
            const float all_32 = tc__sums_join_lanes(kind, row < w->count ? kept.x : tc__epi_none(kind));
            if (lane == 0) tc__sums_totals(w)[unit] = all_32;
        }
        if (!alone) __syncthreads();
    }
    if ((kind & TC__KEEP_ALL) && alone) __syncthreads(); /* all warps have left their sums */
    if ((kind & TC__KEEP_ALL) && c.groups) tc__sums_all_groups(kind, w, (uint32_t *)runs);
    else if ((kind & TC__KEEP_ALL) && warp == 0) tc__sums_all(kind, w);
}

TC_DEV_SM75 void tc__gemm_finish(tc_gemm_config_in c, const tc_gemm_out *o, const tc_groups *g,
                                 const tc__sums_tiles tiles)
{
    const tc__sums_lines rows = tc__sums_of_rows(c, o, g, tiles);
    if (tc__gemm_row_kind(c)) tc__sums_add_up(c, 0, &rows);
    if (!tc__gemm_col_kind(c)) return;
    const tc__sums_lines columns = tc__sums_of_columns(c, o, g, tiles);
    tc__sums_add_up(c, 1, &columns);
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SUMS_H */
