/* tc_rows.h - tc 0.2.0 - softmax of rows in memory, a row's largest, rows quantised. Needs: the headers below; sm_80.
 *
 *     Y = softmax(scale * hook(X)) of each row; the K largest of a row and where they stand, as comes behind a
 *     product whose rows are wider than a tile (a router of experts, classes, a language model's head); Y = hook(X) in
 *     8 bits with a factor for each row, as comes before a product of 8 bits (dynamic quantisation by tokens)
 *
 *     TC_ROWS_DEFINE(route, .x = TC_F32, .op = TC_SOFTMAX, .top = 8, .renorm = 1)
 *     ...
 *     tc_rows_args r = { .m = tokens, .n = experts, .x = logits, .ldx = experts, .values = weights, .index = chosen };
 *     st = route_run(&r, stream);
 *
 *     TC_ROWS_DEFINE(by_token, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_S8)
 *     tc_rows_args r = { .m = tokens, .n = k, .x = x, .y = x_s8, .scale_out = factors };
 *
 * FIELDS (tc_rows_config)
 *     .x              of X: TC_F32, TC_F16 or TC_BF16
 *     .op             TC_SOFTMAX, TC_LOG_SOFTMAX, TC_QUANTISE; 0: X as it is, for .top
 *     .y              of Y: the same types (.x); TC_QUANTISE: TC_E4M3, TC_E5M2 or TC_S8
 *     .top            K: so many of each row's largest, at most 32 (0: none); not with TC_QUANTISE
 *     .values         their type (TC_F32)
 *     .renorm         1: values are divided by their sum (not with TC_LOG_SOFTMAX)
 *     .epi, .epi_size a hook on each element of X, as a GEMM's (tc_hooks.h): a bias, a mask (-inf), a sigmoid
 *     .pick           a hook on what .epi makes, with its arguments: rows are ordered by that, and values are those of
 *                     what it was given (experts chosen by score + bias, weighed by score)
 *
 * ARGS. m rows of n columns, ldx (ldy) elements from a row to the next (0: n); n at least .top. y: may be null; may be
 * x, of the same size of element and the same pitch; else they do not overlap. values, index (s32): m rows of .top,
 * from the largest on, ldv and ldi from a row to the next (0: .top); either may be null. lse: m floats, log(sum of
 * exp(scale * x)) of each row, or null. scale: one over a temperature, above 0 (0: 1). scale_out, of TC_QUANTISE, which
 * has no lse and scale: m floats, the rows' factors. Any alignment; rows are fastest where x and y begin alike with
 * regard to 16 bytes, a quantised y to as many bytes as x has elements in 16: with all rows at 16 bytes it is so.
 *
 * QUANTISED ROWS. A row's factor is its largest |x|, after the hook, times 1/448 (TC_E5M2: 1/57344, TC_S8: 1/127) in
 * f32, at least 2^-126; an element is x times the factor's reciprocal, to the nearest, ties to even. By the functions,
 * and so to the bits, of a GEMM's D with .d_scale, whose factors are of 128 columns (tc_gemm_quant.h). A row that holds
 * an infinity or NaN has NaN for its factor. A row is x = element * factor. With y null there are factors alone.
 *     The product that reads them as A has the factors in its hook, of TC_S8 too, whose sums are f32 by then:
 * .epi = tc_epi_scale_row with {scale_out}, or one of one's own that knows W's channels too (examples/58_w8a8.cu). Its
 * .a_scale is not for this: that has a factor for each 128 of k.
 *
 * ORDER. By X's value (hook included), or .pick's, not by the probability, which may round two to one; of equals the
 * lowest column comes first; 0 and -0 are equal. NaN counts as larger than all.
 * WHAT IS NOT FINITE. A row with NaN or +inf has NaN for all probabilities. -inf has probability 0 and logarithm -inf;
 * a row of -inf alone 0 everywhere, not NaN, -inf for logarithms and lse; renormed values whose sum is 0 are 0.
 * Probabilities below 2^-126 are 0.
 * SAME BITS. All is f32 between reading and the one rounding at the end. A row's sum has an order that n and X's
 * alignment say: neither m nor what else runs changes it. Top columns have no rounding at all.
 *
 * HOW. NAME: rows that 32 lanes have in 8 elements each, 1 to 32 lanes a row. NAME_block: up to 8192 elements a row in
 * registers, 1 to 16 warps a row: X is read once. NAME_stream: any width; X is read once for maximum and sum (largest
 * |x|), and where there is a Y once more, from the end on, which the L2 may still have.
 *     On compute capability 9.0 and later the blocks of a cluster, up to 16, have a row of up to 16 times 8192 elements
 * in their registers, where there is no .top: they exchange maximum and sum, and X is read once.
 *     The largest: each lane has its own largest. The K-th of those bounds the row's K-th from below, so that what lies
 * above it is with K lanes, and seldom more than one with each. These alone look at their elements again.
 *     Where a row lies in a GEMM's tile, its kernel does the same by itself: tc_gemm_rows.h.
 */
#ifndef TC_ROWS_H
#define TC_ROWS_H

#include "tc_epi.h"
#include "tc_gemm_config.h"
#include "tc_host.h"
#include "tc_rows_work.h"

typedef struct tc_rows_config {
    int x, y, op, top, values, renorm, epi_size;
    tc_epi_fn epi, pick;
} tc_rows_config;

typedef struct tc_rows_args {
    int m, n;
    const void *x;
    int64_t ldx;
    void *y;
    int64_t ldy;
    void *values;
    int64_t ldv;
    int32_t *index;
    int64_t ldi;
    float *lse;
    float *scale_out;
    float scale;
    const void *epi_args; /* host pointer to the hooks' arguments, copied during the call */
    size_t epi_size;
    int pdl; /* not 0: programmatic dependent launch */
} tc_rows_args;

typedef struct tc_rows_params {
    const char *x;
    char *y, *values;
    int32_t *index;
    float *lse; /* or the rows' factors */
    long long ldx, ldy, ldv, ldi;
    int m, n, lanes; /* lanes: of a row; a power of 2 up to 32, then warps */
    float scale, log2;
    TC_ALIGN(16) unsigned char epi[TC_EPI_MAX];
} tc_rows_params;

enum { TC__ROWS_NARROW = 256, TC__ROWS_BLOCK = 32 * TC_ROWS_WARPS_MOST, TC__ROWS_FEW = 128 }; /* threads */
enum { TC__ROWS_MOST = 1 << 30 };                                         /* columns */
enum { TC__ROWS_CLUSTER = 16 };                                           /* blocks that have a row between them */

/* Elements of a chunk of 16 bytes; chunks of a lane: of 8 elements, of 16, of a step through a wide row. */
TC_HD TC_CONSTEXPR int tc__rows_byte(int type) { return type == TC_E4M3 || type == TC_E5M2 || type == TC_S8; }
TC_HD TC_CONSTEXPR int tc__rows_size(int type) { return type == TC_F32 ? 4 : tc__rows_byte(type) ? 1 : 2; }
TC_HD TC_CONSTEXPR int tc__rows_chunk(const tc_rows_config c) { return 16 / tc__rows_size(c.x); }
TC_HD TC_CONSTEXPR int tc__rows_few(const tc_rows_config c) { return 8 / tc__rows_chunk(c); }
TC_HD TC_CONSTEXPR int tc__rows_many(const tc_rows_config c) { return 16 / tc__rows_chunk(c); }
enum { TC__ROWS_STEP = 4 };

TC_HD TC_CONSTEXPR tc_rows_config tc_rows_config_of(const tc_rows_config given)
{
    tc_rows_config c = given;
    c.y = c.y ? c.y : c.x;
    c.values = c.values ? c.values : TC_F32;
    return c;
}

TC_HD TC_CONSTEXPR int tc__rows_type(int type) { return type == TC_F32 || type == TC_F16 || type == TC_BF16; }

/* Asked in functions: of a hook's address in an assertion g++ says that it is not null. */
TC_HD TC_CONSTEXPR int tc__rows_picks(const tc_rows_config c) { return c.pick ? 1 : 0; }
TC_HD TC_CONSTEXPR int tc__rows_has_hooks(const tc_rows_config c) { return c.epi || c.pick ? 1 : 0; }

/* May the blocks of a cluster have a row between them? Lists of the largest are a block's. */
TC_HD TC_CONSTEXPR int tc__rows_joins(const tc_rows_config c) { return c.op && !c.top; }

/* Blocks of NAME_block on an SM at the least. What they have on the way is all that keeps the memory busy; where 16
 * bits are read, and nothing but sums is made of them, there are registers for three. */
TC_HD TC_CONSTEXPR int tc__rows_blocks(const tc_rows_config c)
{
    return tc__rows_size(c.x) == 2 && !c.top && !tc__rows_has_hooks(c) ? 3 : 2;
}

#define TC__ROWS_RULES(X, c)                                                                                          \
    X(tc__rows_type((c).x), "tc: .x must be TC_F32, TC_F16 or TC_BF16")                                               \
    X((c).op == TC_QUANTISE || tc__rows_type((c).y),                                                                  \
      "tc: .y must be TC_F32, TC_F16 or TC_BF16; TC_E4M3, TC_E5M2 or TC_S8 are for .op = TC_QUANTISE")                \
    X((c).op != TC_QUANTISE || tc__rows_byte((c).y), "tc: .op = TC_QUANTISE wants .y = TC_E4M3, TC_E5M2 or TC_S8")    \
    X(tc__rows_type((c).values), "tc: .values must be TC_F32, TC_F16 or TC_BF16")                                     \
    X((c).op >= 0 && (c).op <= TC_QUANTISE, "tc: .op must be 0, TC_SOFTMAX, TC_LOG_SOFTMAX or TC_QUANTISE")           \
    X((c).top >= 0 && (c).top <= TC_ROWS_TOP_MOST, "tc: .top must be in 0..32")                                       \
    X((c).op != TC_QUANTISE || !(c).top, "tc: .op = TC_QUANTISE does not go with .top")                               \
    X((c).op || (c).top, "tc: neither .op nor .top is set: there is nothing to do")                                   \
    X((c).renorm == 0 || ((c).renorm == 1 && (c).top && (c).op != TC_LOG_SOFTMAX),                                    \
      "tc: .renorm is 0 or 1, and 1 wants .top, and not .op = TC_LOG_SOFTMAX")                                        \
    X(!tc__rows_picks(c) || (c).top, "tc: .pick orders the largest: it wants .top")                                   \
    X((c).epi_size >= TC_NO_ARGS && (c).epi_size <= TC_EPI_MAX,                                                       \
      "tc: .epi_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                        \
    X(!tc__rows_has_hooks(c) == !(c).epi_size,                                                                        \
      "tc: a hook needs .epi_size = sizeof of its arguments, TC_NO_ARGS where it takes none; without a hook there "   \
      "is no .epi_size")

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * A row, in chunks of 16 bytes as they lie: the first may begin before the row does, the last end behind it.
 */
typedef struct tc__rows_row {
    const char *from; /* the first chunk */
    int row, n;       /* n: 0 where there is no such row */
    int shift;        /* elements of the first chunk before the row's */
    int chunks;
} tc__rows_row;

TC_DEV tc__rows_row tc__rows_at(const tc_rows_config c, const tc_rows_params *p, int row)
{
    const int size = tc__rows_size(c.x), chunk = tc__rows_chunk(c);
    const char *x = p->x + (long long)row * p->ldx * size;
    const int before = (int)((uintptr_t)x % 16u);
    tc__rows_row r = {x - before, row, row < p->m ? p->n : 0, before / size, 0};
    r.chunks = r.n ? (r.n + r.shift + chunk - 1) / chunk : 0;
    return r;
}

/* Chunks i, i + apart, ...: elements that the row does not have are -inf (TC_QUANTISE: 0). All loads that are whole
 * first, so that they are on their way together. */
TC_DEV void tc__rows_fetch(const tc_rows_config c, const int count, const tc__rows_row *r, const int2 at, uint4 *raw)
{
    const int size = tc__rows_size(c.x), chunk = tc__rows_chunk(c);
    const uint32_t low = c.x == TC_F32 ? 0xff800000u : c.x == TC_F16 ? 0xfc00fc00u : 0xff80ff80u;
    const uint32_t none = c.op == TC_QUANTISE ? 0u : low;
#pragma unroll
    for (int j = 0; j < count; j++) {
        const int i = at.x + j * at.y, col = i * chunk - r->shift;
        raw[j] = make_uint4(none, none, none, none);
        if (col >= 0 && col + chunk <= r->n) raw[j] = *(const uint4 *)(r->from + (long long)i * 16);
    }
#pragma unroll
    for (int j = 0; j < count; j++) {
        const int i = at.x + j * at.y, col = i * chunk - r->shift;
        if ((col < 0 || col + chunk > r->n) && i < r->chunks) {
            uint32_t w[4] = {none, none, none, none};
#pragma unroll
            for (int e = 0; e < chunk; e++) {
                const char *from = r->from + (long long)i * 16 + e * size;
                if ((uint32_t)(col + e) >= (uint32_t)r->n) continue;
                if (size == 4) w[e] = *(const uint32_t *)from;
                else if (e % 2 == 0) w[e / 2] = (w[e / 2] & 0xffff0000u) | *(const uint16_t *)from;
                else w[e / 2] = (w[e / 2] & 0xffffu) | (uint32_t)*(const uint16_t *)from << 16;
            }
            raw[j] = make_uint4(w[0], w[1], w[2], w[3]);
        }
    }
}

TC_DEV float tc__rows_hook(const tc_rows_config c, const tc_rows_params *p, float x, int row, int col)
{
    const tc_gemm_at at = {row, col, 0, 0};
    return c.epi ? c.epi(x, at, p->epi) : x;
}

/* TC_QUANTISE: a chunk's elements from column col on, 0 where the row has none. One question for a whole chunk takes
 * fewer registers than one for each element. */
TC_DEV void tc__rows_hook_chunk(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r, int col,
                                float *x)
{
    const int chunk = tc__rows_chunk(c);
    if (col >= 0 && col + chunk <= r->n) {
#pragma unroll
        for (int e = 0; e < chunk; e++) x[e] = tc__rows_hook(c, p, x[e], r->row, col + e);
        return;
    }
#pragma unroll
    for (int e = 0; e < chunk; e++)
        x[e] = (uint32_t)(col + e) < (uint32_t)r->n ? tc__rows_hook(c, p, x[e], r->row, col + e) : 0.f;
}

/* Chunk i's elements. Hooks are called for those that there are. */
TC_DEV void tc__rows_values(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r, uint4 raw, int i,
                            float *x)
{
    const uint32_t w[4] = {raw.x, raw.y, raw.z, raw.w};
    const int chunk = tc__rows_chunk(c);
#pragma unroll
    for (int e = 0; e < chunk; e++) {
        const int col = i * chunk - r->shift + e;
        if (c.x == TC_F32) x[e] = tc_f32_from_bits(w[e]);
        else x[e] = tc_unpack(c.x, e % 2 ? w[e / 2] >> 16 : w[e / 2] & 0xffffu);
        if (c.epi && c.op != TC_QUANTISE)
            x[e] = (uint32_t)col < (uint32_t)r->n ? tc__rows_hook(c, p, x[e], r->row, col) : -TC__INF;
    }
    if (c.epi && c.op == TC_QUANTISE) tc__rows_hook_chunk(c, p, r, i * chunk - r->shift, x);
}

/* Chunk i of X's elements, as they have become, to Y. */
TC_DEV void tc__rows_put(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r, int i, const float *x)
{
    const int col = i * tc__rows_chunk(c) - r->shift;
    char *to = p->y + ((long long)r->row * p->ldy + col) * tc__rows_size(c.y);
    tc__rows_write(c.y, tc__rows_chunk(c), to, x, make_int2(col, r->n));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Quantised rows.
 */
TC_DEV tc__quant tc__rows_quant(const tc_rows_config c) { return tc__quant_of(c.y, TC_SCALE_1X128, 0); }

/* The largest |x| of these and of `most`. */
TC_DEV_SM80 float tc__rows_most(const int count, float most, const float *x)
{
#pragma unroll
    for (int i = 0; i < count; i++) most = tc__epi_most(most, x[i]);
    return most;
}

/* The row's factor of its lanes' largest |x|, to where it belongs. Returns what elements are multiplied by. */
TC_DEV_SM80 float tc__rows_factor(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r,
                                  const tc__rows_group *g, float most)
{
    const float factor = tc__quant_factor(tc__rows_quant(c), tc__rows_all(TC__ROWS_SIZE, g, most));
    if (r->n && g->lane == 0) p->lse[r->row] = factor;
    return tc__quant_inverse(tc__rows_quant(c), factor);
}

/* Chunk i of X's elements to Y, in bytes. */
TC_DEV_SM80 void tc__rows_put_bytes(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r, int i,
                                    const float *x, float inverse)
{
    const int chunk = tc__rows_chunk(c), col = i * chunk - r->shift;
    char *to = p->y + (long long)r->row * p->ldy + col;
    uint32_t w[2];
#pragma unroll
    for (int e = 0; e < chunk; e += 4)
        w[e / 4] = tc__quant_pair(tc__rows_quant(c), x + e, inverse)
                 | tc__quant_pair(tc__rows_quant(c), x + e + 2, inverse) << 16;
    if (col >= 0 && col + chunk <= r->n && (uintptr_t)to % (unsigned)chunk == 0) {
        if (chunk == 8) *(uint2 *)to = make_uint2(w[0], w[1]);
        else *(uint32_t *)to = w[0];
        return;
    }
#pragma unroll
    for (int e = 0; e < chunk; e++)
        if ((uint32_t)(col + e) < (uint32_t)r->n) to[e] = (char)(w[e / 4] >> e % 4 * 8);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The largest.
 */
/* A lane's best before any: its first element, as if it were -inf. */
TC_DEV tc__rows_best tc__rows_first(const tc_rows_config c, const tc__rows_row *r, int lane)
{
    const int col = lane * tc__rows_chunk(c) - r->shift;
    const tc__rows_best b = {-TC__INF, col >= r->n ? -1 : col < 0 ? 0 : col};
    return b;
}

/* An element of X once more, which was picked by something else. */
TC_DEV float tc__rows_read(const tc_rows_config c, const tc_rows_params *p, int row, int col)
{
    const char *from = p->x + ((long long)row * p->ldx + col) * tc__rows_size(c.x);
    const float x = c.x == TC_F32 ? *(const float *)from : tc_unpack(c.x, *(const uint16_t *)from);
    return tc__rows_hook(c, p, x, row, col);
}

TC_DEV float tc__rows_pick(const tc_rows_config c, const tc_rows_params *p, float x, int row, int col)
{
    const tc_gemm_at at = {row, col, 0, 0};
    return c.pick(x, at, p->epi);
}

/* Values and columns of a list, which a group's warp has (a block's: warp 0). */
TC_DEV void tc__rows_put_top(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r,
                             const tc__rows_group *g, const tc_rows_sum *s, uint64_t mine)
{
    const int has = g->in < c.top && r->n > 0, col = tc_rows_col(mine);
    float x = has ? c.pick ? tc__rows_read(c, p, r->row, col) : tc_rows_unrank(mine) : -TC__INF;
    x = tc__rows_value(c.op, c.renorm, g, s, c.renorm && !c.op && !has ? 0.f : x);
    if (!has) return;
    if (p->values) {
        const int size = tc__rows_size(c.values);
        tc__rows_put_one(c.values, p->values + ((long long)r->row * p->ldv + g->in) * size, x);
    }
    if (p->index) p->index[(long long)r->row * p->ldi + g->in] = col;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Kernels. In .op's sum and in .top's list nothing is done that the call does not want.
 */
TC_DEV int tc__rows_sums(const tc_rows_config c, const tc_rows_params *p)
{
    return c.op && (p->y || p->lse || (p->values && !c.renorm));
}
TC_DEV int tc__rows_lists(const tc_rows_config c, const tc_rows_params *p) { return c.top && (p->values || p->index); }

TC_DEV_SM80 void tc__rows_begin(void)
{
#if TC_HAS_SM90
    tc_griddepcontrol_launch_dependents();
    tc_griddepcontrol_wait();
#endif
}

/* Of a row whose lanes have it in registers, `count` elements each. */
TC_DEV void tc__rows_largest_kept(const tc_rows_config c, const int count, const tc_rows_params *p,
                                  const tc__rows_row *r, const tc__rows_group *g, tc__rows_list *l, const float *x)
{
    float key[16];
    const tc__rows_keys k = {key, tc__rows_chunk(c), r->shift, r->n};
#pragma unroll
    for (int i = 0; i < count; i++) {
        const int col = tc__rows_col_of(g, k, i);
        key[i] = x[i];
        if (c.pick) key[i] = (uint32_t)col < (uint32_t)r->n ? tc__rows_pick(c, p, x[i], r->row, col) : -TC__INF;
    }
    tc__rows_largest_of(c.top, count, g, l, k);
}

/* A row that a cluster's blocks have between them: their number, else 0; the group as this block's lanes of it. */
TC_DEV int tc__rows_in_cluster(const tc_rows_config c, const int wide, const tc_rows_params *p, tc__rows_group *g,
                               float *block)
{
    const int blocks = wide && tc__rows_joins(c) && TC_HAS_SM90 ? p->lanes / (int)blockDim.x : 0;
    if (blocks < 2) return 0;
    g->warps = (int)blockDim.x / 32;
    g->warp = g->warp % g->warps;
    g->lane += (int)(blockIdx.x % (uint32_t)blocks * blockDim.x);
    g->blocks = blocks, g->block = block;
    return blocks;
}

TC_DEV_SM80 void tc_rows_kept(const tc_rows_config c, const int wide, const tc_rows_params *p)
{
    __shared__ float numbers[64];
    __shared__ float block[2];
    __shared__ uint64_t lists[TC__ROWS_BLOCK];
    const int count = wide ? tc__rows_many(c) : tc__rows_few(c), chunk = tc__rows_chunk(c);
    tc__rows_group g = tc__rows_group_of(p->lanes, numbers, lists);
    const int blocks = tc__rows_in_cluster(c, wide, p, &g, block);
    const tc__rows_row r = tc__rows_at(c, p, blocks ? (int)(blockIdx.x / (uint32_t)blocks)
                                                    : (int)(blockIdx.x * (blockDim.x / (uint32_t)p->lanes)
                                                            + threadIdx.x / (uint32_t)p->lanes));
    const int2 at = make_int2(g.lane, g.lanes);
    tc_rows_sum s = {p->scale, p->log2, 0.f, 0.f, 0.f, 0};
    tc__rows_list l = {0, 0, 0};
    float x[16];
    uint4 raw[4];
    if (!wide) g.warps = 1, g.warp = 0;
    tc__rows_begin();
    tc__rows_fetch(c, count, &r, at, raw);
#pragma unroll
    for (int j = 0; j < count; j++) tc__rows_values(c, p, &r, raw[j], g.lane + j * g.lanes, x + j * chunk);
    if (c.op == TC_QUANTISE) {
        const float inverse = tc__rows_factor(c, p, &r, &g, tc__rows_most(count * chunk, 0.f, x));
#if TC_HAS_SM90
        if (blocks) tc_cluster_sync(); /* as below */
#endif
        if (!p->y) return;
#pragma unroll
        for (int j = 0; j < count; j++)
            if (g.lane + j * g.lanes < r.chunks)
                tc__rows_put_bytes(c, p, &r, g.lane + j * g.lanes, x + j * chunk, inverse);
        return;
    }
    if (tc__rows_lists(c, p)) tc__rows_largest_kept(c, count * chunk, p, &r, &g, &l, x);
    if (tc__rows_sums(c, p)) {
        float most = -TC__INF, sum = 0.f;
#pragma unroll
        for (int i = 0; i < count * chunk; i++) most = fmaxf(most, x[i]);
        tc_rows_largest(&s, tc__rows_all(TC__ROWS_MAX, &g, most));
#pragma unroll
        for (int i = 0; i < count * chunk; i++) {
            const float e = tc_rows_exp(&s, x[i]);
            if (c.op == TC_SOFTMAX) x[i] = e;
            sum += e;
        }
        tc_rows_total(&s, tc__rows_all(TC__ROWS_SUM, &g, sum));
#if TC_HAS_SM90
        if (blocks) tc_cluster_sync(); /* a block's shared memory must outlive the others' reads */
#endif
        if (p->lse && r.n && g.lane == 0) p->lse[r.row] = tc_rows_lse(&s);
    }
    if (tc__rows_lists(c, p) && g.warp == 0) tc__rows_put_top(c, p, &r, &g, &s, l.mine);
    if (!c.op || !p->y) return;
    if (c.pick && g.warps > 1) __syncthreads(); /* Y may be X, of which the largest were read again */
    __syncwarp();
#pragma unroll
    for (int j = 0; j < count; j++) {
#pragma unroll
        for (int e = 0; e < chunk; e++)
            x[j * chunk + e] = c.op == TC_SOFTMAX ? x[j * chunk + e] * s.inverse
                                                  : tc_rows_prob(c.op, &s, x[j * chunk + e]);
        if (g.lane + j * g.lanes < r.chunks) tc__rows_put(c, p, &r, g.lane + j * g.lanes, x + j * chunk);
    }
}

/* Rows of any width: `count` chunks a lane and step. */
TC_DEV void tc__rows_stream_top(const tc_rows_config c, const tc_rows_params *p, const tc__rows_row *r,
                                const tc__rows_group *g, tc__rows_list *l, const tc__rows_best *b)
{
    const int chunk = tc__rows_chunk(c);
    int owner;
    tc__rows_sort(c.top, g, b, l);
    tc__rows_agree(c.top, g, l);
    owner = b->col >= 0 && tc_rows_rank(b->x, b->col) >= l->least;
    if (__any_sync(0xffffffffu, owner)) {
#pragma unroll 1
        for (int i = g->lane; i - g->in < r->chunks; i += g->lanes) { /* by whole warps */
            uint4 raw = make_uint4(0, 0, 0, 0);
            float x[8];
            if (owner) {
                const int2 at = make_int2(i, 0);
                tc__rows_fetch(c, 1, r, at, &raw);
            }
            tc__rows_values(c, p, r, raw, i, x);
#pragma unroll
            for (int e = 0; e < chunk; e++) {
                const int col = i * chunk - r->shift + e;
                int may = owner && col != b->col && (uint32_t)col < (uint32_t)r->n;
                if (c.pick && may) x[e] = tc__rows_pick(c, p, x[e], r->row, col);
                may = may && !(x[e] < tc_rows_unrank(l->least));
                if (__any_sync(0xffffffffu, may)) tc__rows_offer(c.top, g, l, may ? tc_rows_rank(x[e], col) : 0);
            }
        }
    }
    tc__rows_meet(g, l);
}

/* A lane's maximum so far, and its sum of exponentials below that. */
TC_DEV void tc__rows_stream_sum(const tc_rows_sum *call, float *most, float *sum, const float *x, const int count)
{
    tc_rows_sum s = *call;
    float top = *most, part = 0.f;
#pragma unroll
    for (int i = 0; i < count; i++) top = fmaxf(top, x[i]);
    tc_rows_largest(&s, top);
#pragma unroll
    for (int i = 0; i < count; i++) part += tc_rows_exp(&s, x[i]);
    *sum = (*most == top ? *sum : *sum * tc_rows_exp(&s, *most)) + part;
    *most = top;
}

TC_DEV_SM80 void tc_rows_stream(const tc_rows_config c, const tc_rows_params *p)
{
    __shared__ float numbers[64];
    __shared__ uint64_t lists[TC__ROWS_BLOCK];
    const int count = TC__ROWS_STEP, chunk = tc__rows_chunk(c), each = count * chunk;
    const tc__rows_group g = tc__rows_group_of(TC__ROWS_BLOCK, numbers, lists);
    const tc__rows_row r = tc__rows_at(c, p, (int)blockIdx.x);
    const int by = count * g.lanes, steps = (r.chunks + by - 1) / by;
    tc_rows_sum s = {p->scale, p->log2, 0.f, 0.f, 0.f, 0};
    tc__rows_best b = tc__rows_first(c, &r, g.lane);
    tc__rows_list l = {0, 0, 0};
    float most = c.op == TC_QUANTISE ? 0.f : -TC__INF, sum = 0.f;
    tc__rows_begin();
#pragma unroll 1
    for (int step = 0; step < steps; step++) {
        const int2 at = make_int2(step * by + g.lane, g.lanes);
        uint4 raw[TC__ROWS_STEP];
        float x[32];
        tc__rows_fetch(c, count, &r, at, raw);
#pragma unroll
        for (int j = 0; j < count; j++) tc__rows_values(c, p, &r, raw[j], at.x + j * at.y, x + j * chunk);
        if (c.op == TC_QUANTISE) most = tc__rows_most(each, most, x);
        else if (tc__rows_sums(c, p)) tc__rows_stream_sum(&s, &most, &sum, x, each);
        if (!tc__rows_lists(c, p)) continue;
#pragma unroll
        for (int i = 0; i < each; i++) {
            const int col = (at.x + i / chunk * at.y) * chunk - r.shift + i % chunk;
            float key = x[i];
            if (c.pick) key = (uint32_t)col < (uint32_t)r.n ? tc__rows_pick(c, p, key, r.row, col) : -TC__INF;
            tc__rows_better(&b, key, col);
        }
    }
    if (c.op == TC_QUANTISE) {
        s.inverse = tc__rows_factor(c, p, &r, &g, most);
    } else if (tc__rows_sums(c, p)) {
        tc_rows_largest(&s, tc__rows_all(TC__ROWS_MAX, &g, most));
        tc_rows_total(&s, tc__rows_all(TC__ROWS_SUM, &g, most == -TC__INF ? sum : sum * tc_rows_exp(&s, most)));
        if (p->lse && g.lane == 0) p->lse[r.row] = tc_rows_lse(&s);
    }
    if (tc__rows_lists(c, p)) {
        tc__rows_stream_top(c, p, &r, &g, &l, &b);
        if (g.warp == 0) tc__rows_put_top(c, p, &r, &g, &s, l.mine);
    }
    if (!c.op || !p->y) return;
    if (c.pick) __syncthreads(); /* Y may be X, of which the largest were read again */
#pragma unroll 1
    for (int step = steps - 1; step >= 0; step--) { /* what was read last, the L2 still has */
        const int2 at = make_int2(step * by + g.lane, g.lanes);
        uint4 raw[TC__ROWS_STEP];
        tc__rows_fetch(c, count, &r, at, raw);
#pragma unroll
        for (int j = 0; j < count; j++) {
            float x[8];
            tc__rows_values(c, p, &r, raw[j], at.x + j * at.y, x);
            if (c.op == TC_QUANTISE) {
                if (at.x + j * at.y < r.chunks) tc__rows_put_bytes(c, p, &r, at.x + j * at.y, x, s.inverse);
                continue;
            }
#pragma unroll
            for (int e = 0; e < chunk; e++) x[e] = tc_rows_prob(c.op, &s, x[e]);
            if (at.x + j * at.y < r.chunks) tc__rows_put(c, p, &r, at.x + j * at.y, x);
        }
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* One matrix: where it may not lie, what its pitch may not be. */
typedef struct tc__rows_matrix {
    const char *name, *pitch;
    const void *at;
    int64_t ld;
    int cols, size;
} tc__rows_matrix;

TC_HOST tc_status tc__rows_check_matrix(const tc__rows_matrix x)
{
    if ((uintptr_t)x.at % (unsigned)x.size)
        return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of its element's %d bytes", x.name, x.at, x.size);
    if (x.ld && x.ld < x.cols)
        return tc__fail(TC_ERR_PITCH, "%s = %lld is less than the %d columns of a row", x.pitch, (long long)x.ld,
                        x.cols);
    return TC_OK;
}

TC_HOST tc_status tc__rows_check(const tc_rows_config *c, const tc_rows_args *a)
{
    tc_status st = TC_OK;
    long long ldx, ldy;
    int i;
    if (!a) return tc__fail(TC_ERR_NULL, "args is null");
    ldx = a->ldx ? a->ldx : a->n, ldy = a->ldy ? a->ldy : a->n;
    if (a->m < 0 || a->n < 0) return tc__fail(TC_ERR_SIZE, "m = %d, n = %d: none may be negative", a->m, a->n);
    st = tc__check_hook("epi", c->epi_size, a->epi_args, a->epi_size);
    if (st != TC_OK || a->m == 0) return st;
    if (a->n < (c->top ? c->top : 1))
        return tc__fail(TC_ERR_SIZE, "n = %d is less than %s%d", a->n, c->top ? ".top = " : "", c->top ? c->top : 1);
    if (a->n > TC__ROWS_MOST) return tc__fail(TC_ERR_SIZE, "n = %d is above 2^30", a->n);
    if (!a->x) return tc__fail(TC_ERR_NULL, "x is null");
    if (!c->op && (a->y || a->lse || a->scale != 0.f))
        return tc__fail(TC_ERR_CONFIG, "%s is given, but the kernel was defined without .op",
                        a->y ? "y" : a->lse ? "lse" : "scale");
    if (c->op == TC_QUANTISE && (a->lse || a->scale != 0.f))
        return tc__fail(TC_ERR_CONFIG, "%s is given, but the kernel was defined without .op = TC_SOFTMAX or "
                        "TC_LOG_SOFTMAX", a->lse ? "lse" : "scale");
    if (c->op == TC_QUANTISE && !a->scale_out)
        return tc__fail(TC_ERR_NULL, "scale_out is null: .op = TC_QUANTISE has factors to write");
    if (c->op != TC_QUANTISE && a->scale_out)
        return tc__fail(TC_ERR_CONFIG, "scale_out is given, but the kernel was defined without .op = TC_QUANTISE");
    if (!c->top && (a->values || a->index))
        return tc__fail(TC_ERR_CONFIG, "%s is given, but the kernel was defined without .top",
                        a->values ? "values" : "index");
    if (!a->y && !a->lse && !a->values && !a->index && !a->scale_out)
        return tc__fail(TC_ERR_NULL, "%s%s%s null: nothing to write", c->op ? "y, lse" : "",
                        c->op && c->top ? ", " : "", c->top ? "values and index are" : " are");
    if (!(a->scale >= 0.f && a->scale < 3e38f))
        return tc__fail(TC_ERR_SIZE, "scale = %g must be a number above 0, or 0 for 1", (double)a->scale);
    {
        const tc__rows_matrix all[6] = {{"x", "ldx", a->x, a->ldx, a->n, tc__rows_size(c->x)},
                                        {"y", "ldy", a->y, a->ldy, a->n, tc__rows_size(c->y)},
                                        {"values", "ldv", a->values, a->ldv, c->top, tc__rows_size(c->values)},
                                        {"index", "ldi", a->index, a->ldi, c->top, 4},
                                        {"lse", "", a->lse, 0, 1, 4},
                                        {"scale_out", "", a->scale_out, 0, 1, 4}};
        for (i = 0; i < 6 && st == TC_OK; i++)
            if (all[i].at) st = tc__rows_check_matrix(all[i]);
    }
    if (st != TC_OK) return st;
    if (a->y == a->x && tc__rows_size(c->x) != tc__rows_size(c->y))
        return tc__fail(TC_ERR_SIZE, "y is x, but the elements of .x and .y have %d and %d bytes", tc__rows_size(c->x),
                        tc__rows_size(c->y));
    if (a->y == a->x && ldx != ldy)
        return tc__fail(TC_ERR_PITCH, "y is x, but ldx = %lld and ldy = %lld differ", ldx, ldy);
    return TC_OK;
}

/* Which of the kernels has rows of so many chunks, with how many lanes a row, threads a block and blocks a row. */
typedef struct tc__rows_plan {
    int kernel, lanes, threads, cluster;
} tc__rows_plan;

TC_HOST tc__rows_plan tc__rows_plan_of(const tc_rows_config *c, int chunks)
{
    tc__rows_plan p = {0, 1, TC__ROWS_NARROW, 1};
    const int few = tc__rows_few(*c), many = tc__rows_many(*c);
    if (chunks <= 32 * few) {
        while (p.lanes * few < chunks || p.lanes < c->top) p.lanes *= 2;
    } else if (chunks <= TC__ROWS_BLOCK * many) {
        p.kernel = 1;
        p.lanes = (chunks + 32 * many - 1) / (32 * many) * 32;
        p.threads = p.lanes > 32 ? p.lanes : TC__ROWS_FEW;
    } else {
        p.kernel = 2;
        p.lanes = p.threads = TC__ROWS_BLOCK;
    }
    return p;
}

/* Rows too wide for a block: a cluster's. */
TC_HOST tc__rows_plan tc__rows_joined(const tc_rows_config *c, int chunks)
{
    const int of_block = TC__ROWS_BLOCK * tc__rows_many(*c), blocks = (chunks - 1) / of_block + 1;
    const tc__rows_plan p = {1, TC__ROWS_BLOCK * blocks, TC__ROWS_BLOCK, blocks};
    return p;
}

TC_HOST tc__kernel tc__rows_kernel(const tc__kernels *s, const tc__rows_plan *plan)
{
    const tc__kernel k = {s->f[plan->kernel].function, s->f[plan->kernel].name, plan->threads, 0, 1, 80,
                          &s->cache[plan->kernel]};
    return k;
}

/* The largest cluster of this kernel that the current device runs, of up to TC__ROWS_CLUSTER blocks. The answer is
 * kept: only a kernel's first such call asks. */
TC_HOST int tc__rows_clusters(const tc__kernel *k)
{
    struct cudaFuncAttributes attr;
    tc__device d = {0, 0, 0, 0};
    int64_t most = 0;
    if (tc__device_now(&d) == cudaSuccess && d.at < TC__MAX_DEVICES) most = TC__LOAD_RELAXED(&k->cache->sizes[d.at]);
    if (most) return (int)most;
    most = d.cc >= 90 && cudaFuncGetAttributes(&attr, k->function) == cudaSuccess && attr.ptxVersion >= 90
               ? TC__ROWS_CLUSTER : 1;
    while (most > 1 && !tc__clusters_at_once(k, (int)most)) most /= 2;
    if (d.at < TC__MAX_DEVICES) TC__STORE_RELAXED(&k->cache->sizes[d.at], most);
    return (int)most;
}

TC_HOST tc_status tc__rows_go(const tc_rows_config *c, const tc__kernels *s, const tc_rows_args *a,
                              const tc__launch *how)
{
    tc_rows_params p;
    tc__rows_plan plan;
    tc__kernel k;
    tc_status st = tc__rows_check(c, a);
    int sms = 0, rows, aligned, chunks, chunk = tc__rows_chunk(*c);
    if (st != TC_OK || a->m == 0) return st;
    memset((void *)&p, 0, sizeof p);
    p.x = (const char *)a->x, p.y = (char *)a->y, p.values = (char *)a->values, p.index = a->index;
    p.lse = c->op == TC_QUANTISE ? a->scale_out : a->lse;
    p.ldx = a->ldx ? a->ldx : a->n, p.ldy = a->ldy ? a->ldy : a->n;
    p.ldv = a->ldv ? a->ldv : c->top, p.ldi = a->ldi ? a->ldi : c->top;
    p.m = a->m, p.n = a->n;
    p.scale = a->scale != 0.f ? a->scale : 1.f;
    p.log2 = p.scale * 1.4426950408889634f;
    if (a->epi_size) memcpy(p.epi, a->epi_args, a->epi_size);
    aligned = (uintptr_t)a->x % 16 == 0 && p.ldx * tc__rows_size(c->x) % 16 == 0;
    chunks = (a->n + (aligned ? 0 : chunk - 1) + chunk - 1) / chunk;
    plan = tc__rows_plan_of(c, chunks);
    k = tc__rows_kernel(s, &plan);
    st = tc__kernel_device(&k, &sms);
    if (st == TC_OK && plan.kernel == 2 && tc__rows_joins(*c)) {
        const tc__rows_plan joined = tc__rows_joined(c, chunks);
        const tc__kernel block = tc__rows_kernel(s, &joined);
        if (joined.cluster <= TC__ROWS_CLUSTER && a->m <= 0x7fffffff / TC__ROWS_CLUSTER
            && joined.cluster <= tc__rows_clusters(&block))
            plan = joined, k = block, k.cluster = plan.cluster;
    }
    p.lanes = plan.lanes;
    rows = plan.cluster > 1 ? 1 : plan.threads / plan.lanes;
    if (st != TC_OK || !how->launch) return st;
    return tc__kernel_launch(&k, (unsigned)(((a->m - 1) / rows + 1) * plan.cluster), &p, how);
}

#define TC_ROWS_DECLARE(name) TC__DECLARE(name, tc_rows_args)

#endif /* host */

/* =====================================================================================================================
 * Generator.
 */
#ifdef __CUDACC__

/* Shipped hooks bring the size of their arguments. */
TC_HD TC_CONSTEXPR tc_rows_config tc__rows_shipped(const tc_rows_config given)
{
    tc_rows_config c = given;
    tc_gemm_config g = {};
    g.epi = c.epi, g.epi_size = c.epi_size;
    if (!c.pick) c.epi_size = tc__gemm_shipped(g).epi_size;
    return c;
}

/* A configuration that has all hooks; one whose hooks, where it has any, are called by way of these. */
TC_DEV TC_CONSTEXPR tc_rows_config tc__rows_hooks(const tc_rows_config given)
{
    tc_rows_config c = given;
    c.epi = c.epi ? c.epi : tc_epi_relu;
    c.pick = c.pick ? c.pick : tc_epi_relu;
    return c;
}
TC_DEV TC_CONSTEXPR tc_rows_config tc__rows_hooked(const tc_rows_config given, tc_epi_fn epi, tc_epi_fn pick)
{
    tc_rows_config c = given;
    if (c.epi) c.epi = epi;
    if (c.pick) c.pick = pick;
    return c;
}

#define TC__ROWS_HOOK(own, hook)                                                                                      \
    TC__LINE_BREAK TC_DEV float own##_##hook##_a_hook_is_a_TC_DEV_function(float x, tc_gemm_at at, const void *args)  \
    {                                                                                                                 \
        return tc__rows_hooks(own##_config()).hook(x, at, args);                                                      \
    }
#define TC__ROWS_BODY(own, ...)                                                                                       \
    TC__IF_SM80(constexpr tc_rows_config c = tc__rows_hooked(own##_config(),                                          \
                    own##_epi_a_hook_is_a_TC_DEV_function, own##_pick_a_hook_is_a_TC_DEV_function);                   \
                __VA_ARGS__)

/* See the top of this file. */
#define TC_ROWS_DEFINE(name, ...) TC__CALL4(TC__ROWS_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__ROWS_DEFINE_(name, own, ...)                                                                              \
    TC__GIVEN(own, rows, ".epi, .pick = float f(float x, tc_gemm_at at, const void *args)", __VA_ARGS__)              \
    TC__CONFIG(name, own, rows, tc_rows_config_of(tc__rows_shipped(own##_given())))                                   \
    TC__ROWS_HOOK(own, epi)                                                                                           \
    TC__ROWS_HOOK(own, pick)                                                                                          \
    TC__ROWS_RULES(TC__RULE_ASSERT, own##_config())                                                                   \
    TC__KERNEL_OF(name, tc_rows_params, (TC__SM80_BOUND(TC__ROWS_NARROW)), TC__ROWS_BODY(own, tc_rows_kept(c, 0, &p);))\
    TC__KERNEL_OF(name##_block, tc_rows_params, (TC__SM80_BOUND(TC__ROWS_BLOCK), tc__rows_blocks(own##_config())),    \
                  TC__ROWS_BODY(own, tc_rows_kept(c, 1, &p);))                                                        \
    TC__KERNEL_OF(name##_stream, tc_rows_params, (TC__SM80_BOUND(TC__ROWS_BLOCK), 2),                                 \
                  TC__ROWS_BODY(own, tc_rows_stream(c, &p);))                                                         \
    TC__HOST_PART(TC__GO(own, rows, tc__rows_go,                                                                      \
                         TC__FUNCTION(name) TC__FUNCTION(name##_block) TC__FUNCTION(name##_stream))                   \
                  TC__ENTRIES(name, rows, own##_go))

#endif /* __CUDACC__ */
#endif /* TC_ROWS_H */
