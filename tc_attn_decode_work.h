/* tc_attn_decode_work.h - tc 0.2.0 - decoding: its configuration and parameters, and which keys are whose. Needs: the
 * headers below.
 *
 *     tc_attn_decode_config           a configuration with every unset field filled in
 *     tc_attn_decode_smem, _threads   what its block takes; _blocks: how many of them an SM of Hopper has room for
 *     tc_attn_decode_legal            would the generator take this configuration?
 *     tc__decode_begin, tc__decode_next   a block's walk along its run of tiles
 *     tc__decode_load_q, _load_scaled, _factors   Q on its way to shared memory
 *
 * tc_attn_decode.h is the manual.
 */
#ifndef TC_ATTN_DECODE_WORK_H
#define TC_ATTN_DECODE_WORK_H

#include "tc_attn_work.h"
#include "tc_split.h"
#include "tc_work.h"

typedef struct tc_attn_decode_params {
    const void *q, *k, *v;
    const int *table;             /* pages */
    const float *k_scale, *v_scale;
    unsigned long long *counters; /* one for each block; null: no keys are split */
    float *sums;                  /* two parts of each block */
    long long q_batch, q_row, q_head; /* elements */
    long long k_batch, k_row, k_head, v_batch, v_row, v_head; /* bytes; paged: batch is the distance between pages */
    uint32_t least;               /* tiles of keys of a block, at least */
    int stages;                   /* the configuration's, or as many as the device has room for */
    int scale_heads, table_pages, pages;
    tc_divide by_page;            /* rows of a page */
    tc_attn_problem problem;
} tc_attn_decode_params;

/* =====================================================================================================================
 * What bounds it is memory, so all is there to keep many bytes on their way. A *unit* is bm rows: queries of one
 * sequence and of the heads that share one key head. Tiles of bn keys, unit after unit, sequence after sequence, stand
 * in one line, which is cut into as many equal runs as there are blocks: exact for any batch and any lengths. A block
 * walks along its run, and its ring is filled ahead across the ends of units.
 *
 * Each warp has bn / warps keys of a tile, a *slab*, and a ring of its own, which it fills with cp.async and reads with
 * ldmatrix: no barrier of the block between the ends of units. There the warps' sums are added up in shared memory, in
 * the order of the warps.
 *
 * A unit that lies in several runs is split: each of its blocks leaves its sums in the workspace and arrives at the
 * counter of the block that has the unit's beginning. The last to arrive adds them up, in the order of the keys, so who
 * adds changes no bit; nobody waits. A block has two such parts at most: the end of the unit that it begins in (or
 * all of it that is its own), and the beginning of the one that it ends in.
 *
 * Without a workspace the line is one of whole units. There, from sm_90 on, the blocks of a cluster may share each unit
 * of theirs: runs are the clusters', and of a unit's tiles block r of n has those from tiles * r / n on, found out from
 * the length like all else. A block that has none walks one tile behind the last, where there is nothing to do, so that
 * all of a cluster go through the same units. How many blocks a cluster has the kernel is not told: it asks.
 *
 *     shared memory:    [warps][stages] slabs of K, of V | Q: bm rows | sums: bm rows of f32 | maxima and sums of rows
 *
 * COUNTER, 64 bits, as that of tc_split.h: parts that arrived (bits 0-31) and a mark, without which it is no counter
 * yet. The last to arrive sets it back.
 */
TC_HD TC_CONSTEXPR int tc__decode_keys(const tc_attn_config c) { return c.warps > 0 ? c.bn / c.warps : 0; }
TC_HD TC_CONSTEXPR int tc__decode_bytes(const tc_attn_config c) { return c.kv ? 1 : 2; } /* of an element of K, V */
TC_HD TC_CONSTEXPR int tc__decode_slab(const tc_attn_config c)
{
    return tc__decode_keys(c) * (c.head_dim + c.head_dim_v) * tc__decode_bytes(c);
}
TC_HD TC_CONSTEXPR int tc__decode_pitch(const tc_attn_config c) { return c.head_dim_v + 8; } /* of a row of sums */
/* What is not ring; where in it sums, maxima begin. */
TC_HD TC_CONSTEXPR int tc__decode_at_sums(const tc_attn_config c) { return c.bm * c.head_dim * 2; }
TC_HD TC_CONSTEXPR int tc__decode_at_rows(const tc_attn_config c)
{
    return tc__decode_at_sums(c) + c.bm * tc__decode_pitch(c) * 4;
}
TC_HD TC_CONSTEXPR int tc__decode_at_scales(const tc_attn_config c)
{
    return tc__decode_at_rows(c) + (c.warps * 3 * c.bm + 4) * 4;
}
/* K and V of 8 bits are multiplied as f16, which has each of their values: two instructions make a pair. Q of bf16 then
 * is f16 too, each row times a power of two of its own, which is kept; and P is 2^_up times as large, so that what is
 * small beside the largest, which may weigh all there is where that one's V is 0, has its bits down to 2^-29. */
TC_HD TC_CONSTEXPR int tc__decode_type(const tc_attn_config c) { return c.kv ? TC_F16 : c.type; }
TC_HD TC_CONSTEXPR int tc__decode_up(const tc_attn_config c) { return c.kv ? 15 : 0; }
TC_HD TC_CONSTEXPR int tc__decode_scales(const tc_attn_config c) { return tc__decode_type(c) != c.type; }
TC_HD TC_CONSTEXPR int tc__decode_rest(const tc_attn_config c)
{
    return tc__decode_at_scales(c) + (tc__decode_scales(c) ? c.bm * 4 : 0);
}
TC_HD TC_CONSTEXPR int tc_attn_decode_threads(const tc_attn_config c) { return c.warps * 32; }
TC_HD TC_CONSTEXPR int tc__decode_smem(const tc_attn_config c, int stages)
{
    return c.warps * stages * tc__decode_slab(c) + tc__decode_rest(c);
}
TC_HD TC_CONSTEXPR int tc_attn_decode_smem(const tc_attn_config c) { return tc__decode_smem(c, c.stages); }

/* Registers of a lane: Q stays in them where there is room beside O and S. What is allowed for was found by trying:
 * nothing may spill. */
TC_HD TC_CONSTEXPR int tc__decode_sums(const tc_attn_config c)
{
    return c.bm / 16 * (c.head_dim_v + tc__decode_keys(c)) / 2;
}
TC_HD TC_CONSTEXPR int tc__decode_holds_q(const tc_attn_config c)
{
    return tc__decode_sums(c) + c.bm / 16 * c.head_dim / 4 + (tc__decode_keys(c) > 32 ? tc__decode_keys(c) : 0) <= 128;
}
/* Blocks of an SM of 228 KB. */
TC_HD TC_CONSTEXPR int tc_attn_decode_blocks(const tc_attn_config c)
{
    const int besides = !c.kv ? 96 : c.paged ? 72 : 64; /* what ptxas has done with without spilling */
    const int held = tc__decode_sums(c) + (tc__decode_holds_q(c) ? c.bm / 16 * c.head_dim / 4 : 8) + besides;
    const int registers = held < 168 ? 168 : held > 255 ? 256 : (held + 7) / 8 * 8;
    const int by_registers = 65536 / (registers * tc_attn_decode_threads(c)),
              by_smem = 233472 / (tc_attn_decode_smem(c) + 1024);
    const int blocks = by_registers < by_smem ? by_registers : by_smem;
    return blocks < 1 ? 1 : blocks > 8 ? 8 : blocks;
}

/* Parts of a unit that a thread asks for together when they are added up. */
TC_HD TC_CONSTEXPR int tc__decode_at_once(const tc_attn_config c)
{
    return 65536 / (tc_attn_decode_threads(c) * tc_attn_decode_blocks(c)) >= 200 ? 16 : 8;
}

enum { TC__DECODE_HALF = 233472 / 2 - 1024 }; /* shared memory of a block where there are two */

TC_HD TC_CONSTEXPR tc_attn_config tc_attn_decode_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    c.kv = c.kv == c.type ? 0 : c.kv;
    c.bm = c.bm ? c.bm : 16;
    c.warps = c.warps ? c.warps : 4;
    c.bn = c.bn ? c.bn : c.warps * (c.kv && c.bm / 16 * (c.head_dim_v + 32) / 2 <= 136 ? 32 : 16);
    if (c.stages == 0) {
        const int slots = c.warps * tc__decode_slab(c), tile = slots ? slots : 1,
                  half = (TC__DECODE_HALF - tc__decode_rest(c)) / tile,
                  whole = (TC__SM90_SMEM_MAX - tc__decode_rest(c)) / tile,
                  enough = tile < 32768 ? (65536 + tile - 1) / tile : 2; /* 64 KB: more cost up to 8 % */
        c.stages = half < 3 ? whole : enough < half ? enough : half;
        c.stages = c.stages > 6 ? 6 : c.stages;
    }
    return c;
}

#define TC__ATTN_DECODE_RULES(X, c)                                                                                   \
    TC__ATTN_BASE_RULES(X, c)                                                                                         \
    X((c).kv == 0 || (c).kv == TC_E4M3 || (c).kv == TC_S8, "tc: .kv must be .type, TC_E4M3 or TC_S8")                 \
    X(!(c).dropout, "tc: decoding has no .dropout")                                                                   \
    X((c).paged == 0 || (c).paged == 1, "tc: .paged is 0 or 1")                                                       \
    X(!(c).kv || ((c).head_dim % 32 == 0 && (c).head_dim_v % 32 == 0),                                                \
      "tc: with .kv .head_dim and .head_dim_v must be multiples of 32")                                               \
    X(!(c).paged || (c).warps <= 0 || (c).bn / (c).warps / 8 * (c).stages <= 32,                                      \
      "tc: with .paged .bn / .warps * .stages must be at most 256")                                                   \
    X(!(c).mask_tile, "tc: TC_ATTN_DECODE_DEFINE asks .mask alone: it takes no .mask_tile")                           \
    X((c).warps >= 1 && (c).warps <= 16, "tc: .warps must be in 1..16")                                               \
    X((c).bm >= 16 && (c).bm <= 64 && (c).bm % 16 == 0, "tc: .bm must be 16, 32, 48 or 64 rows")                      \
    X((c).bn > 0 && (c).bn % (16 * (c).warps) == 0 && (c).bn <= 64 * (c).warps,                                       \
      "tc: .bn must be 16, 32, 48 or 64 keys for each of .warps")                                                     \
    X(tc__decode_sums(c) <= 144 && (tc__decode_sums(c) + 64) * tc_attn_decode_threads(c) <= 65536,                    \
      "tc: too many registers: .bm / 32 * (.head_dim_v + .bn / .warps) must be at most 144, less with 16 warps")      \
    X((c).stages >= 2 && (c).stages <= 6 && tc_attn_decode_smem(c) <= TC__SM90_SMEM_MAX,                              \
      "tc: .stages must be in 2..6, and the tiles of K and V, Q and the sums fit in 227 KB of shared memory")

/* Whether TC_ATTN_DECODE_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_decode_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_decode_config(given);
    return 1 TC__ATTN_DECODE_RULES(TC__RULE_AND, c);
}

/* Floats of a part in the workspace: sums of rows, then maxima, sums of P, what rounding P changed. */
TC_HD TC_CONSTEXPR int tc__decode_part(const tc_attn_config c) { return c.bm * (c.head_dim_v + 3) / 32 * 32 + 32; }

#ifdef __CUDACC__

/* As the functions of tc_softmax.h see it: a warp's slab is the tile of keys, of the products' type. */
TC_DEV TC_CONSTEXPR tc_attn_config tc__decode_of_warp(const tc_attn_config c)
{
    tc_attn_config w = c;
    w.bn = tc__decode_keys(c);
    w.type = tc__decode_type(c);
    return w;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The walk along a block's run.
 */
typedef struct tc__decode_walk {
    tc_attn_work w;         /* its sequence, first head; lo, hi: slabs */
    uint32_t tiles, units;  /* of the sequence: tiles of each unit; units */
    uint32_t row_tiles;     /* units of each key head */
    uint32_t unit;
    uint32_t start;         /* of the unit, along the line */
    uint32_t tile, end;     /* of the unit: next one of this block, and the end of those */
    uint32_t left;          /* of the run, behind this unit */
    uint32_t each;          /* a block's run */
} tc__decode_walk;

/* log2 of the blocks of a cluster, which share a run: their number is a power of 2. Kernels of images before sm_90 have
 * no clusters and do not ask. (%clusterid takes ptxas a division of floats.) */
TC_DEV uint32_t tc__decode_log(void)
{
#if TC_HAS_SM90
    return 31u - (uint32_t)__clz((int)tc_cluster_nctarank());
#else
    return 0;
#endif
}

/* log2 of the tiles of rows of a unit: one; of latent attention one for each block of its cluster. */
TC_DEV uint32_t tc__decode_unit_log(const tc_attn_config c) { return c.head_dim > 256 ? tc__decode_log() : 0u; }

/* Sequence b. Its units all have the same tiles: queries are few, so the ranges that they see hardly differ. */
TC_DEV void tc__decode_sequence(const tc_attn_config c, const tc_attn_problem *p, int b, tc__decode_walk *x)
{
    const int keys = tc__decode_keys(c);
    const tc__attn_division q = {p->cu_q, p->lens_q, p->q_len, p->total_q},
                            k = {p->cu_k, p->lens_k, p->k_len, p->total_k};
    tc_attn_work *w = &x->w;
    const uint32_t log = tc__decode_unit_log(c);
    int off;
    w->b = b;
    w->q0 = 0;
    tc__attn_sequence(q, b, &w->q_at, &w->q_len);
    tc__attn_sequence(k, b, &w->k_at, &w->k_len);
    off = w->k_len - w->q_len;
    w->lo = 0;
    w->hi = (w->k_len + keys - 1) / keys; /* the last query sees the last key */
    w->free_lo = 0;
    w->free_hi = w->k_len / keys;
    if (c.causal || c.window) {
        const int whole = off + p->window_right + 1;
        w->free_hi = whole < w->k_len ? whole <= 0 ? 0 : whole / keys : w->free_hi;
    }
    if (c.window) {
        const int begin = off - p->window_left, whole = w->k_len - 1 - p->window_left;
        w->lo = begin <= 0 ? 0 : begin / keys;
        w->free_lo = whole <= 0 ? 0 : (whole + keys - 1) / keys;
    }
    x->row_tiles = ((uint32_t)(w->q_len * p->group) + (uint32_t)c.bm - 1u) / (uint32_t)c.bm;
    x->row_tiles = (x->row_tiles + (1u << log) - 1u) >> log;
    x->units = x->row_tiles * (uint32_t)p->heads_kv;
    x->tiles = w->hi > w->lo ? (uint32_t)(w->hi - w->lo + c.warps - 1) / (uint32_t)c.warps : 1u;
}

/* What a unit of the sequence takes along the line: its tiles, or 1 where no unit is split. */
TC_DEV uint32_t tc__decode_length(const tc_attn_decode_params *p, const tc__decode_walk *x)
{
    return p->counters ? x->tiles : 1u;
}

/* How much of the unit is this block's, from its tile `tile` on; of one that its cluster shares, an equal part. */
TC_DEV void tc__decode_take(const tc_attn_config c, const tc_attn_decode_params *p, tc__decode_walk *x, uint32_t tile)
{
    const uint32_t rest = tc__decode_length(p, x) - (p->counters ? tile : 0u), mine = rest < x->left ? rest : x->left;
    x->tile = tile;
    x->end = p->counters ? tile + mine : x->tiles;
    x->left -= mine;
    x->w.h = (int)(x->unit / x->row_tiles) * p->problem.group;
#if TC_HAS_SM90
    if (c.head_dim <= 256 && !p->counters) { /* there are 2^27 tiles at most */
        const uint32_t shift = tc__decode_log(), rank = tc_cluster_ctarank();
        x->tile = x->tiles * rank >> shift;
        x->end = x->tiles * (rank + 1u) >> shift;
        if (x->tile == x->end) x->tile = x->tiles, x->end = x->tiles + 1u;
    }
#else
    (void)c;
#endif
}

/* The beginning of this block's run, or its cluster's; 0 where it has none. By all lanes of a warp. */
TC_DEV int tc__decode_begin(const tc_attn_config c, const tc_attn_decode_params *p, tc__decode_walk *x)
{
    const tc_attn_problem *pr = &p->problem;
    const int alike = !pr->cu_q && !pr->cu_k && !pr->lens_q && !pr->lens_k, lane = tc_lane();
    uint32_t total = 0, first, at = 0, rest, longest = 0, units = 0;
    int b = 0;
    if (alike) {
        tc__decode_sequence(c, pr, 0, x);
        total = x->units * tc__decode_length(p, x) * (uint32_t)pr->batch;
        longest = tc__decode_length(p, x);
        units = x->units * (uint32_t)pr->batch;
    } else {
#pragma unroll 4
        for (int i = lane; i < pr->batch; i += 32) {
            tc__decode_sequence(c, pr, i, x);
            total += x->units * tc__decode_length(p, x);
            if (c.head_dim > 256) {
                longest = longest > tc__decode_length(p, x) ? longest : tc__decode_length(p, x);
                units += x->units;
            }
        }
#pragma unroll
        for (int i = 16; i; i /= 2) {
            total += __shfl_xor_sync(0xffffffffu, total, i);
            if (c.head_dim > 256) {
                const uint32_t other = __shfl_xor_sync(0xffffffffu, longest, i);
                longest = longest > other ? longest : other;
                units += __shfl_xor_sync(0xffffffffu, units, i);
            }
        }
    }
    x->each = (total + (gridDim.x >> tc__decode_log()) - 1u) / (gridDim.x >> tc__decode_log());
    x->each = x->each < p->least ? p->least : x->each;
    if (c.head_dim > 256 && total == longest * units) { /* all alike: runs of whole units, where that is little more */
        const uint32_t more = longest - 1u - (x->each - 1u) % longest;
        if (more <= 3u && more * 16u <= x->each) x->each += more;
    }
    first = (blockIdx.x >> tc__decode_log()) * x->each;
    if (first >= total) return 0;
    if (alike) {
        const uint32_t length = x->units * tc__decode_length(p, x);
        b = (int)(first / length);
        at = (uint32_t)b * length;
    } else {
        for (;; b += 32) {
            uint32_t length = 0, sum, before, here;
            if (b + lane < pr->batch) {
                tc__decode_sequence(c, pr, b + lane, x);
                length = x->units * tc__decode_length(p, x);
            }
            sum = length;
#pragma unroll
            for (int i = 1; i < 32; i *= 2) {
                const uint32_t other = __shfl_up_sync(0xffffffffu, sum, (unsigned)i);
                if (lane >= i) sum += other;
            }
            here = __ballot_sync(0xffffffffu, first < at + sum);
            if (here) {
                before = __shfl_sync(0xffffffffu, sum - length, __ffs((int)here) - 1);
                b += __ffs((int)here) - 1;
                at += before;
                break;
            }
            at += __shfl_sync(0xffffffffu, sum, 31);
        }
    }
    tc__decode_sequence(c, pr, b, x);
    rest = first - at;
    x->unit = rest / tc__decode_length(p, x);
    x->left = total - first < x->each ? total - first : x->each;
    rest -= x->unit * tc__decode_length(p, x);
    x->start = first - rest;
    tc__decode_take(c, p, x, rest);
    return 1;
}

/* On to the next unit of the run; 0 where there is none. */
TC_DEV int tc__decode_next(const tc_attn_config c, const tc_attn_decode_params *p, tc__decode_walk *x)
{
    if (!x->left) return 0;
    x->start += tc__decode_length(p, x);
    if (++x->unit == x->units) {
        do tc__decode_sequence(c, &p->problem, x->w.b + 1, x);
        while (!x->units);
        x->unit = 0;
    }
    tc__decode_take(c, p, x, 0);
    return 1;
}

/* Its first row among the queries and heads that share the key head. */
TC_DEV int tc__decode_row(const tc_attn_config c, const tc__decode_walk *x)
{
    uint32_t tile = x->unit % x->row_tiles << tc__decode_unit_log(c);
#if TC_HAS_SM90
    if (c.head_dim > 256) tile += tc_cluster_ctarank();
#endif
    return (int)tile * c.bm;
}

/* How many of its rows exist. */
TC_DEV int tc__decode_rows(const tc_attn_config c, const tc_attn_decode_params *p, const tc__decode_walk *x)
{
    const int rows = x->w.q_len * p->problem.group - tc__decode_row(c, x);
    return rows < c.bm ? rows : c.bm;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Q on its way to shared memory.
 */
/* Q of a unit's sequence; 16 bytes of its row `row` of the unit, zeros of one that does not exist. */
TC_DEV const uint16_t *tc__decode_q(const tc_attn_decode_params *p, const tc__decode_walk *x)
{
    return (const uint16_t *)p->q + (long long)tc__attn_outer_q(&p->problem, &x->w) * p->q_batch;
}
TC_DEV uint4 tc__decode_q_chunk(const tc_attn_decode_params *p, const tc__decode_walk *x, const uint16_t *q, int row,
                                int chunk)
{
    const tc_attn_at at = tc__attn_row(&p->problem, &x->w, row);
    uint4 v = make_uint4(0, 0, 0, 0);
    if (tc__attn_row_exists(&p->problem, &x->w, row, at.q))
        v = *(const uint4 *)(q + (long long)(x->w.q_at + at.q) * p->q_row + at.h * p->q_head + chunk * 8);
    return v;
}

/* The rows of a unit. */
TC_DEV void tc__decode_load_q(const tc_attn_config c, const tc_attn_decode_params *p, const tc__decode_walk *x,
                              unsigned char *to)
{
    const int chunks = c.head_dim / 8, first = tc__decode_row(c, x);
    const uint16_t *q = tc__decode_q(p, x);
#pragma unroll 2
    for (int e = (int)threadIdx.x; e < c.bm * chunks; e += c.warps * 32) {
        const int row = e / chunks, ch = e % chunks;
        *(uint4 *)(to + tc_rows_at(c.head_dim * 2, (uint32_t)row, (uint32_t)ch))
            = tc__decode_q_chunk(p, x, q, first + row, ch);
    }
}

/* The same as f16: a warp has a row, and the row's largest is brought to 2^14. */
TC_DEV_SM80 void tc__decode_load_scaled(const tc_attn_config c, const tc_attn_decode_params *p,
                                        const tc__decode_walk *x, unsigned char *to)
{
    const int chunks = c.head_dim / 8, first = tc__decode_row(c, x), lane = tc_lane();
    const uint16_t *q = tc__decode_q(p, x);
    float *scales = (float *)(to + tc__decode_at_scales(c));
#pragma unroll 2
    for (int row = (int)threadIdx.x / 32; row < c.bm; row += c.warps) {
        const uint4 v = lane < chunks ? tc__decode_q_chunk(p, x, q, first + row, lane) : make_uint4(0, 0, 0, 0);
        uint32_t w[4] = {v.x, v.y, v.z, v.w}, top = 0u;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const uint32_t upper = w[i] & 0x7fff0000u, lower = w[i] << 16 & 0x7fff0000u;
            top = upper > top ? upper : top;
            top = lower > top ? lower : top;
        }
        const uint32_t exponent = tc__order_most(top) >> 23, least = exponent < 15u ? 15u : exponent;
        const float by = __uint_as_float((268u - least) << 23); /* 2^(141 - least) */
#pragma unroll
        for (int i = 0; i < 4; i++)
            w[i] = tc_pack(TC_F16, __uint_as_float(w[i] << 16) * by, __uint_as_float(w[i] & 0xffff0000u) * by);
        if (lane < chunks)
            *(uint4 *)(to + tc_rows_at(c.head_dim * 2, (uint32_t)row, (uint32_t)lane))
                = make_uint4(w[0], w[1], w[2], w[3]);
        if (lane == 0) scales[row] = __uint_as_float((least - 14u) << 23);
    }
}

/* What S is to be multiplied by. Behind the barrier after Q. */
TC_DEV void tc__decode_factors(const tc_attn_config c, const tc_attn_decode_params *p, const tc__decode_walk *x,
                               const unsigned char *rest, float *factors)
{
    const float *scales = (const float *)(rest + tc__decode_at_scales(c));
    const float of_k = p->k_scale ? p->k_scale[p->scale_heads ? x->w.h / p->problem.group : 0] : 1.f;
#pragma unroll
    for (int i = 0; i < c.bm / 8; i++)
        factors[i] = tc__decode_scales(c) ? of_k * scales[i * 8 + tc_lane() / 4] : of_k;
}

#endif /* __CUDACC__ */
/* ---------------------------------------------------------------------------------------------------------------------
 * Host: a call checked, and cut.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The rules for a call. */
TC_HOST tc_status tc__attn_decode_check(const tc_attn_config *c, const tc_attn_args *g)
{
    tc_status st = tc__attn_check(c, g);
    if (st != TC_OK || tc__attn_empty(g)) return st;
    if (g->blocks < 0) return tc__fail(TC_ERR_SIZE, "blocks = %d is negative", g->blocks);
    if ((uintptr_t)g->workspace % 16)
        return tc__fail(TC_ERR_ALIGN, "workspace = %p is not a multiple of 16 bytes", g->workspace);
    if (!g->workspace && g->workspace_size)
        return tc__fail(TC_ERR_NULL, "workspace is null, but workspace_size = %llu",
                        (unsigned long long)g->workspace_size);
    return TC_OK;
}

/* How a checked call is cut. */
typedef struct tc__decode_cut {
    unsigned blocks, cluster;   /* of the grid, of a cluster */
    uint32_t least;
    size_t counters, workspace; /* bytes; 0: no keys are split */
} tc__decode_cut;

/* Tiles that a block has at least. So many bytes of K and V: below that it is not their number that takes time. Of MLA
 * so many that the sums of a part, which are as many bytes as two tiles, are the less. */
enum { TC__DECODE_LEAST = 98304 };
#ifndef TC__MLA_LEAST /* tests say 1, so that small problems are split too */
#define TC__MLA_LEAST 4
#endif
TC_HOST uint32_t tc__decode_least(const tc_attn_config c)
{
    const int tile = c.warps * tc__decode_slab(c);
    return c.head_dim > 256 ? (uint32_t)(TC__MLA_LEAST) : (uint32_t)((TC__DECODE_LEAST + tile - 1) / tile);
}

/* What so many blocks take of a workspace. */
TC_HOST void tc__decode_cut_room(const tc_attn_config *c, int split, tc__decode_cut *cut)
{
    cut->counters = tc__split_counter_bytes(cut->blocks);
    cut->workspace = split ? cut->counters + (size_t)cut->blocks * 2 * (size_t)tc__decode_part(*c) * sizeof(float) : 0;
}

/* at_a_time: blocks that run at a time. */
TC_HOST tc_status tc__decode_cut_of(const tc_attn_config *c, const tc_attn_args *g, int split, int at_a_time,
                                    tc__decode_cut *cut)
{
    const int share = g->heads / tc__attn_kv_heads(g);
    const double rows = (double)g->q_len * share, row_tiles = (double)(int64_t)((rows + c->bm - 1) / c->bm),
                 units = row_tiles * tc__attn_kv_heads(g) * g->batch,
                 tiles = g->k_len ? (double)((g->k_len - 1) / c->bn + 1) : 1, all = split ? units * tiles : units;
    double blocks = g->blocks && g->blocks < at_a_time ? g->blocks : at_a_time;
    if (rows >= 2147483648.0 || units * tiles >= 2147483648.0)
        return tc__fail(TC_ERR_SIZE, "q_len = %d, k_len = %d, heads = %d, batch = %d: 2^31 tiles or more", g->q_len,
                        g->k_len, g->heads, g->batch);
    split = split && tiles > 1;
    cut->least = split ? tc__decode_least(*c) : 1u;
    if (blocks * cut->least > all) blocks = (double)(int64_t)((all + cut->least - 1) / cut->least);
    cut->blocks = (unsigned)blocks;
    cut->cluster = 1;
    tc__decode_cut_room(c, split, cut);
    return TC_OK;
}

/* What runs at a time on a device: clusters of 1, 2, 4, 8 and 16 blocks, 0 where it has none of that size. */
enum { TC__DECODE_SIZES = 5 };
typedef struct tc__decode_device {
    int sms, clusters[TC__DECODE_SIZES], bandwidth; /* of the memory, GB/s; 0: as an H200's for as many SMs */
} tc__decode_device;

/* How many clusters of each size run at a time: none but of 1 where the device or the kernel's image is of before
 * sm_90. The answers are kept, 15 bits each and one that they are there: only a kernel's first such call asks. */
TC_HOST void tc__decode_ask(const tc__kernel *k, const tc__device *d, tc__decode_device *on)
{
    struct cudaFuncAttributes attr;
    int64_t found = d->at < TC__MAX_DEVICES ? TC__LOAD_RELAXED(&k->cache->sizes[d->at]) : 0;
    int i;
    if (!found) {
        found = 1;
        if (d->cc >= 90 && cudaFuncGetAttributes(&attr, k->function) == cudaSuccess && attr.ptxVersion >= 90)
            for (i = 1; i < TC__DECODE_SIZES; i++) found |= (int64_t)tc__clusters_at_once(k, 1 << i) << (15 * i - 14);
        if (d->at < TC__MAX_DEVICES) TC__STORE_RELAXED(&k->cache->sizes[d->at], found);
    }
    for (i = 1; i < TC__DECODE_SIZES; i++) on->clusters[i] = (int)(found >> (15 * i - 14) & 0x7fff);
}

/* What the meeting of a cluster of `size` blocks at the end of a unit takes (its start, two barriers, the way through
 * shared memory of others), in tiles of a block. A test says something else, so that small problems are split too. */
#ifndef TC__DECODE_MEET
#define TC__DECODE_MEET(c, size) tc__decode_least(c)
#endif

/* Units of a checked call, and tiles of each. Lengths on the device count as k_len. */
typedef struct tc__decode_work {
    int64_t units, tiles;
} tc__decode_work;

TC_HOST tc__decode_work tc__decode_work_of(const tc_attn_config *c, const tc_attn_args *g)
{
    const int64_t rows = (int64_t)g->q_len * (g->heads / tc__attn_kv_heads(g)),
                  window = c->window && g->window_left >= 0 ? (int64_t)g->window_left + g->q_len : g->k_len,
                  keys = window < g->k_len ? window : g->k_len;
    const tc__decode_work x = {(rows + c->bm - 1) / c->bm * tc__attn_kv_heads(g) * g->batch,
                               keys ? (keys - 1) / c->bn + 1 : 1};
    return x;
}

/* Time is counted in tiles of a block that has an SM for itself. The memory of an H200 brings so many to each of its
 * 132 SMs in that time; parts that meet in a workspace take so long for it. (32 heads over 8 of 128 in bf16, a tile of
 * 64 keys in 1.1 microseconds: 1 x 65536 in 264 blocks 71 microseconds, in clusters of 16 77; 1 x 4096 16.4 and 11.8;
 * 16 x 2048 38, and 36 in whole units.) A test says something else for the latter. */
#define TC__DECODE_MEMORY 1.18
#ifndef TC__DECODE_WAIT
#define TC__DECODE_WAIT 8
#endif
/* Tiles that the memory brings in that time. */
TC_HOST double tc__decode_rate(const tc__decode_device *on)
{
    return TC__DECODE_MEMORY * (on->bandwidth ? 132. * on->bandwidth / (double)TC__H200_BANDWIDTH : on->sms);
}
TC_HOST double tc__decode_memory_time(const tc__decode_work *x, const tc__decode_device *on)
{
    return (double)(x->units * x->tiles) / tc__decode_rate(on);
}

/* A call without a workspace, or that can do without: how many blocks, as a cluster, share the keys of each unit; and
 * its time. It is the larger of two:
 *   - what the busiest cluster takes: its units, one after the other, each of them a share of the tiles (that of the
 *     block with the most), longer where more blocks ask than the memory serves, and, where there is more than one
 *     block, their meeting;
 *   - what the memory takes.
 * More blocks to a cluster shorten the first until the second is what counts, or until so few clusters run at a time (a
 * cluster lies in one of the chip's groups of SMs, and the larger it is the worse it fills them) that each has more
 * units. So calls with as many units as keep the memory busy stay as they are, as do those of few keys. Of sizes that
 * take the same time, or a twentieth less, the smaller is taken. */
TC_HOST double tc__decode_share(const tc_attn_config *c, const tc_attn_args *g, const tc__decode_device *on,
                                tc__decode_cut *cut)
{
    const tc__decode_work x = tc__decode_work_of(c, g);
    const double rate = tc__decode_rate(on), memory = tc__decode_memory_time(&x, on);
    double best = 0;
    int i;
    for (i = 0; i < TC__DECODE_SIZES; i++) {
        const int size = 1 << i, asked = g->blocks / size;
        const int64_t most = g->blocks && asked < on->clusters[i] ? asked : on->clusters[i],
                      each = most ? (x.units + most - 1) / most : 0,
                      meet = i ? (int64_t)TC__DECODE_MEET(*c, size) : 0,
                      blocks = each ? (x.units + each - 1) / each * size : 0;
        const double wait = (double)blocks > rate ? (double)blocks / rate : 1,
                     part = (double)each * ((double)((x.tiles + size - 1) / size) * wait + (double)meet),
                     time = part > memory ? part : memory;
        if (!most || (i && time >= 0.95 * best)) continue;
        best = time;
        if (!i) continue;
        cut->cluster = (unsigned)size;
        cut->blocks = (unsigned)blocks;
    }
    return best;
}

/* How a checked call is cut. With a workspace: so that parts meet there, unless they meet sooner in clusters, or units
 * need no parts. on->sms 0: the device is not known, and there are no clusters. Lengths on the device may be shorter
 * than k_len, and differ: parts that meet in the workspace are of all that there are, half of what there may be, but a
 * cluster's time is that of the longest. */
TC_HOST tc_status tc__decode_best_cut(const tc_attn_config *c, const tc_attn_args *g, const tc__decode_device *on,
                                      tc__decode_cut *cut)
{
    const tc__decode_work x = tc__decode_work_of(c, g);
    const double known = g->batch == 1 || (!g->lens_k && !g->cu_k) ? 1 : 0.5;
    tc__decode_cut alone;
    double time;
    tc_status st = tc__decode_cut_of(c, g, 0, on->clusters[0], &alone);
    if (st == TC_OK) st = tc__decode_cut_of(c, g, g->workspace != 0, on->clusters[0], cut);
    if (st != TC_OK || !on->sms) return st;
    if (g->workspace && (g->workspace_size < cut->workspace || !cut->workspace || c->head_dim > 256)) return st;
    time = tc__decode_share(c, g, on, &alone);
    if (!g->workspace || time < known * tc__decode_memory_time(&x, on) + TC__DECODE_WAIT) *cut = alone;
    return st;
}

/* The parameters of a checked call that is cut so. */
TC_HOST tc_status tc__decode_fill_params(const tc_attn_config *c, const tc_attn_args *g, const tc__decode_cut *cut,
                                         tc_attn_decode_params *p)
{
    const tc_attn_strides q = tc__attn_tensor_of(c, g, 'q').s;
    const tc_attn_strides k = tc__attn_tensor_of(c, g, 'k').s;
    const tc_attn_strides v = tc__attn_tensor_of(c, g, 'v').s;
    const int bytes = tc__decode_bytes(*c);
    tc_status st = TC_OK;
    if (g->workspace_size < cut->workspace && g->workspace)
        st = tc__fail(TC_ERR_SIZE, "workspace_size = %llu is less than the %llu bytes that the call takes",
                      (unsigned long long)g->workspace_size, (unsigned long long)cut->workspace);
    if (st == TC_OK) st = tc__attn_problem_make(&p->problem, c, g, (int)cut->blocks);
    if (st != TC_OK) return st;
    p->problem.group = g->heads / tc__attn_kv_heads(g); /* a row of a unit is what tc__attn_row makes of it */
    p->problem.tile_q = g->q_len;
    p->q = g->q, p->q_batch = q.batch, p->q_row = q.row, p->q_head = q.head;
    p->k = g->k, p->k_batch = k.batch * bytes, p->k_row = k.row * bytes, p->k_head = k.head * bytes;
    p->v = g->v, p->v_batch = v.batch * bytes, p->v_row = v.row * bytes, p->v_head = v.head * bytes;
    p->table = g->page_table, p->table_pages = g->table_pages, p->pages = g->pages;
    p->by_page = tc_divide_by(c->paged && g->page_rows > 0 ? (uint32_t)g->page_rows : 1u);
    p->k_scale = g->k_scale, p->v_scale = g->v_scale, p->scale_heads = g->scale_heads;
    p->least = cut->least;
    p->stages = c->stages;
    p->counters = cut->workspace ? (unsigned long long *)g->workspace : 0;
    p->sums = cut->workspace ? (float *)((char *)g->workspace + cut->counters) : 0;
    return TC_OK;
}

/* What prepare asks first, of a configuration and of where a launch of `size` bytes is to go, which becomes zeros. */
TC_HOST tc_status tc__decode_given(const tc_attn_config *given, void *out, size_t size, int sms)
{
    if (!given || !out) return tc__fail(TC_ERR_NULL, "%s is null", given ? "out" : "config");
    memset(out, 0, size);
    if (sms < 1) return tc__fail(TC_ERR_SIZE, "sms = %d must be 1 or more", sms);
    return tc__attn_config_check(given);
}

/* The workspace of a checked call with so many blocks at a time, as NAME_workspace has it. */
TC_HOST tc_status tc__decode_room(const tc_attn_config *c, const tc_attn_args *g, int at_a_time, size_t *bytes)
{
    tc__decode_cut cut;
    const tc_status st = tc__decode_cut_of(c, g, 1, at_a_time, &cut);
    if (st == TC_OK) *bytes = cut.workspace;
    return st;
}

#endif /* host */
#endif /* TC_ATTN_DECODE_WORK_H */
