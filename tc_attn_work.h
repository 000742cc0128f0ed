/* tc_attn_work.h - tc 0.2.0 - a call of attention, checked, and its tiles of work. Needs: the headers below.
 *
 * What stands below both kernels of tc_attn.h: configuration, arguments, what a kernel knows of a call, and
 *
 *     tc_attn_work_at     tile of queries number i of a call: its sequence, its heads, which tiles of keys it sees
 *     tc_attn_order_begin, tc_attn_order_next   the same for a persistent kernel: a block's next tile of queries
 *     tc_attn_tile_state  what the mask hooks say of one of those
 *     tc_attn_next        the next of them that is not skipped
 *
 * tc_attn.h is the manual.
 */
#ifndef TC_ATTN_WORK_H
#define TC_ATTN_WORK_H

#include "tc_core.h"
#include "tc_tma.h"
#include "tc_epi.h"
#include "tc_host.h"
#include "tc_op.h"
#include "tc_operand.h"
#include "tc_philox.h"
#include "tc_pipe.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Configuration (compile time) and arguments (run time). An unset field takes the default that stands behind it.
 */

/* What a tile-level mask hook is asked about: queries q .. q_end - 1 and keys kv .. kv_end - 1 of head h of batch b;
 * all exist. */
typedef struct tc_attn_tile {
    int b, h, q, q_end, kv, kv_end;
} tc_attn_tile;

enum {
    TC_ATTN_SKIP = 0,
    TC_ATTN_PARTIAL = 1,
    TC_ATTN_WHOLE = 2
}; /* what it answers: nothing, some or all of it is kept */

/* Where a hook is called: batch, query head, query and key within their sequences, element of a head. What a hook
 * has no use for is 0: kv is there for .score and .mask, d for .out; .sink has b and h alone. */
typedef struct tc_attn_at {
    int b, h, q, kv, d;
} tc_attn_at;

/* Dropout with probability p, which counts in steps of 2^-16, and what its mask is made of (tc_philox.h): is the
 * probability of key at.kv to query at.q of head at.h in batch at.b kept? What is kept is multiplied by
 * tc_dropout_scale(p). Host and device. */
typedef struct tc_attn_dropout {
    float p;
    uint64_t seed, offset;
} tc_attn_dropout;

TC_HD int tc_attn_dropout_keeps(const tc_attn_dropout d, const tc_attn_at at)
{
    const uint32_t q = (uint32_t)at.q, kv = (uint32_t)at.kv;
    const tc__dropout_patch patch = {kv / 16u * 4u + kv % 8u / 2u, q / 16u * 8u + q % 8u, (uint32_t)at.h,
                                     (uint32_t)at.b};
    tc__dropout made;
    uint32_t w[4];
    tc__dropout_make(&made, d.p, d.seed, d.offset);
    tc__dropout_words(&made, patch, w);
    return !tc__dropout_drops(&made, w[kv % 2u * 2u + kv / 8u % 2u], q / 8u % 2u != 0);
}

typedef float (*tc_attn_score_fn)(float s, tc_attn_at at, const void *args);
typedef int (*tc_attn_mask_fn)(tc_attn_at at, const void *args);
typedef int (*tc_attn_mask_tile_fn)(tc_attn_tile tile, const void *args);
typedef float (*tc_attn_out_fn)(float o, tc_attn_at at, const void *args);
typedef float (*tc_attn_sink_fn)(tc_attn_at at, const void *args);

typedef struct tc_attn_config {
    int type;                      /* of Q, K, V and O: TC_F16 or TC_BF16; SM90: TC_E4M3 of Q, K and V */
    int head_dim;                  /* of Q and K: a multiple of 16 in 16..256 (128) */
    int head_dim_v;                /* of V and O (head_dim) */
    int causal; /* 1: a query sees no key behind its own place, the last query that of the last key */
    int window;                    /* 1: a call's window_left and window_right hold */
    int bm, bn;                    /* queries and keys of a tile (by head_dim) */
    int stages;                    /* tiles of K, and of V, in flight (2; SM120: up to 4 that fit) */
    int q_stages; /* SM90: tiles of Q: 2 overlap the end of one with the start of the next (what fits) */
    int consumers;                 /* SM90: consumer warpgroups, 64 queries each (bm / 64) */
    int warps;                     /* SM80, SM120: warps of a block that multiply (bm / 32); decoding: (4) */
    int later; /* SM90, heads of 65 to 128, no mask: 1: P is added up while its warpgroup waits: for many keys (0) */
    int ring; /* set by SM120's generator, and by nobody else: Q, K and V come by TMA */
    int exp_poly; /* SM100: of 16 exponentials so many are polynomials on the FMA pipe; others do not look (0) */
    int kv;     /* decoding: type of K and V: .type, TC_E4M3 or TC_S8 (.type) */
    int paged;  /* decoding: 1: K and V lie in pages that a call's page_table lists */
    int o;       /* TC_E4M3: type of O: TC_BF16 or TC_F16 (TC_BF16) */
    int promote; /* TC_E4M3: sums are kept in f32 after so many keys (128); or TC_FAST */
    int dropout; /* 1: a call's dropout_p, dropout_seed and dropout_offset hold; SM90, SM120 and SM80, 16 bits */
    int hook_size;                 /* sizeof of the hooks' arguments, or TC_NO_ARGS */
    tc_attn_score_fn score;        /* hooks: see the top of this file */
    tc_attn_mask_fn mask;
    tc_attn_mask_tile_fn mask_tile;
    tc_attn_out_fn out;
    tc_attn_sink_fn sink;
} tc_attn_config;

/* Is there a hook? */
TC_HD TC_CONSTEXPR int tc__attn_hooked(const tc_attn_config c)
{
    return c.score || c.mask || c.mask_tile || c.out || c.sink;
}

/* The type of O; the larger head dim. */
TC_HD TC_CONSTEXPR int tc__attn_o_type(const tc_attn_config c) { return c.type == TC_E4M3 ? c.o : c.type; }
TC_HD TC_CONSTEXPR int tc__attn_wide(tc_attn_config c) { return c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v; }

/* Rules of a configuration that is complete: X(condition, sentence) for each. A generator asserts them,
 * tc_attn_sm90_legal and tc_attn_sm80_legal ask for all of them. TC__ATTN_BASE_RULES: those of decoding too;
 * TC__ATTN_ANY_RULES: those of 8-bit types too. */
#define TC__ATTN_RULES(X, c)                                                                                          \
    TC__ATTN_BASE_RULES(X, c)                                                                                         \
    TC__ATTN_CACHE_RULES(X, c)
#define TC__ATTN_CACHE_RULES(X, c)                                                                                    \
    X(!(c).kv && !(c).paged, "tc: .kv and .paged are fields of TC_ATTN_DECODE_DEFINE")
#define TC__ATTN_BASE_RULES(X, c)                                                                                     \
    X((c).type == TC_F16 || (c).type == TC_BF16, "tc: .type must be TC_F16 or TC_BF16")                               \
    TC__ATTN_ANY_RULES(X, c)
#define TC__ATTN_TYPE_RULE(X, c)                                                                                      \
    X((c).type == TC_F16 || (c).type == TC_BF16 || (c).type == TC_E4M3,                                               \
      "tc: .type must be TC_F16, TC_BF16 or TC_E4M3")
#define TC__ATTN_ANY_RULES(X, c)                                                                                      \
    X((c).type == TC_E4M3 ? (c).o == TC_BF16 || (c).o == TC_F16 : !(c).o || (c).o == (c).type,                        \
      "tc: .o is TC_BF16 or TC_F16 where .type is TC_E4M3, and else .type")                                           \
    X((c).promote == 0 || (c).type == TC_E4M3, "tc: .promote is for TC_E4M3")                                         \
    X((c).head_dim >= 16 && (c).head_dim <= 256 && (c).head_dim % 16 == 0,                                            \
      "tc: .head_dim must be a multiple of 16 in 16..256")                                                            \
    X((c).head_dim_v >= 16 && (c).head_dim_v <= 256 && (c).head_dim_v % 16 == 0,                                      \
      "tc: .head_dim_v must be a multiple of 16 in 16..256")                                                          \
    X((c).later == 0 || (c).later == 1, "tc: .later must be 0 or 1")                                                  \
    X((c).exp_poly >= 0 && (c).exp_poly <= 16, "tc: .exp_poly must be in 0..16")                                      \
    X(((c).causal == 0 || (c).causal == 1) && ((c).window == 0 || (c).window == 1),                                   \
      "tc: .causal and .window are 0 or 1")                                                                           \
    TC__ATTN_DROPOUT_RULES(X, c)                                                                                      \
    X(!(c).mask_tile || (c).mask, "tc: .mask_tile needs .mask, which decides where it answers TC_ATTN_PARTIAL")       \
    X((c).hook_size >= TC_NO_ARGS && (c).hook_size <= TC_EPI_MAX,                                                     \
      "tc: .hook_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                       \
    X(tc__attn_hooked(c) == ((c).hook_size != 0),                                                                     \
      "tc: hooks need .hook_size = sizeof of their arguments, TC_NO_ARGS where they take none; without a hook "       \
      "there is no .hook_size")

/* What TC_E4M3 asks besides, on Hopper. V is turned in squares of 128 keys by 128 columns; a consumer's registers hold
 * S, P, O and the sums of 64 columns. */
#define TC__ATTN_FP8_RULES(X, c)                                                                                      \
    X((c).type != TC_E4M3 || ((c).bn == 128 && (c).consumers <= 2), "tc: with TC_E4M3 .bn is 128, and .bm 64 or 128") \
    X((c).type != TC_E4M3 || (c).head_dim % 32 == 0, "tc: with TC_E4M3 .head_dim must be a multiple of 32")           \
    X((c).type != TC_E4M3 || (c).head_dim_v == 64 || (c).head_dim_v == 128,                                           \
      "tc: with TC_E4M3 .head_dim_v must be 64 or 128")                                                               \
    X((c).type != TC_E4M3 || (c).promote == 128 || (c).promote == TC_FAST,                                            \
      "tc: .promote must be 128, the keys of a tile, or TC_FAST")                                                     \
    X((c).type != TC_E4M3 || (!(c).score && !(c).mask && !(c).mask_tile),                                             \
      "tc: with TC_E4M3 there is no .score, .mask or .mask_tile: .causal and .window are what it masks by")           \
    X((c).type != TC_E4M3 || !(c).dropout, "tc: .dropout is for TC_F16 and TC_BF16")                                  \
    X((c).type != TC_E4M3 || (c).hook_size <= TC_EPI_MAX / 16 * 16 - 96,                                              \
      "tc: with TC_E4M3 .hook_size must be at most TC_EPI_MAX - 96: the rest holds where the factors lie")

/* Distances in elements between neighbours of a tensor: batches, rows (queries or keys), heads. Multiples of 8. All
 * 0: the tensor is contiguous. Else each is to be given but that of a dimension of size 1, and the batch's of a
 * packed tensor. Where all batches (or heads, or rows) of Q, K or V are the same memory, say TC_ATTN_SHARED. */
enum { TC_ATTN_SHARED = -1 };
typedef struct tc_attn_strides {
    int64_t batch, row, head;
} tc_attn_strides;

/* TC_E4M3: where the factors of Q, K or V lie, in floats: from a batch to the next, from a head to the next (0: they
 * share theirs); rows: how many rows of a sequence share one (0: all), and those of a sequence are neighbours. Packed
 * sequences count as batches. tc_attn_sm90_fp8.h */
typedef struct tc_attn_factors {
    int64_t batch, head;
    int rows;
} tc_attn_factors;

/* One call. A tensor whose strides are all 0 is contiguous: (batch, rows, heads, head_dim), packed: (rows, heads,
 * head_dim). Where there is nothing to do (batch, heads or q_len is 0) q and o are null, where there are no keys
 * (k_len is 0) k and v are; a packed tensor whose total and length are both 0 may have any pointer. */
typedef struct tc_attn_args {
    int batch, heads, heads_kv; /* heads_kv 0: as many as heads; else heads must be a multiple of it (GQA, MQA) */
    int q_len, k_len;           /* rows of a batch; with cu_q, cu_k or lens: at least the longest sequence */
    const void *q, *k, *v;
    void *o;
    float *lse; /* log of the sum of exp(score) of each row, f32: (batch, heads, q_len), packed (heads, total_q) */
    tc_attn_strides q_stride, k_stride, v_stride, o_stride;
    int64_t lse_batch, lse_head;     /* strides of lse (0: contiguous) */
    float scale;                     /* of Q * K' (0: 1 / sqrt(head_dim)) */
    int window_left, window_right;   /* with .window: keys a query sees before and behind its place; -1: all */
    const int *cu_q,
        *cu_k; /* device, batch + 1 of them: where each sequence begins in packed Q and O, packed K and V */
    int total_q, total_k;            /* rows of packed Q and O, K and V */
    const int *lens_q, *lens_k;      /* device, batch of them: how many rows of each padded batch there are */
    const int *host_cu_q, *host_cu_k, *host_lens_q, *host_lens_k; /* host copies of the same, checked if given */
    const void *hook_args;           /* host pointer to the hooks' arguments, copied during the call */
    size_t hook_size;
    int pdl; /* programmatic dependent launch of Hopper's kernel: 0 and 1 yes, -1 no; of decoding: 0 where it pays */
    /* decoding (tc_attn_decode.h) */
    void *workspace;       /* of NAME_workspace bytes, a multiple of 16; null: keys are split in clusters at most */
    size_t workspace_size;
    int blocks;            /* at most so many (0: as many as run at a time) */
    const int *page_table; /* with .paged: device, (batch, table_pages): the pages of each sequence, in order */
    int table_pages, page_rows, pages; /* pages of a sequence at most; rows of a page: a multiple of 8; pages of K, V */
    const float *k_scale, *v_scale;    /* .kv, TC_E4M3: device; what K's, V's elements are multiplied by; null: 1 */
    int scale_heads;                   /* with .kv: 0: one factor; 1: one for each of heads_kv */
    const float *q_scale;              /* with TC_E4M3 */
    tc_attn_factors q_factors, k_factors, v_factors;
    float dropout_p;                   /* with .dropout: the share of probabilities that become 0: 0 or more, below 1 */
    uint64_t dropout_seed, dropout_offset; /* name the mask; any */
} tc_attn_args;

/* What both kernels know of a call. */
typedef struct tc_attn_problem {
    int batch, heads, heads_kv, q_len, k_len;
    int total_q, total_k;       /* rows of Q and O, of K and V, where they are packed */
    int group;                  /* query heads that share the rows of a tile: 1, or heads / heads_kv */
    int tile_q;                 /* queries of a tile: bm / group */
    int blocks,
        columns; /* tiles of queries in a sequence; heads of Q, or where they share tiles of K, of all batches */
    int section;                /* columns that are worked on together, so that their K and V stay in L2 */
    int rounds, ragged;         /* of tc_attn_order */
    int zero_tail;              /* rows of V behind the last key of a sequence may hold anything */
    int window_left, window_right; /* what a row sees, however it is asked for; large: all */
    float scale, scale_log2;
    const int *cu_q, *cu_k, *lens_q, *lens_k;
    void *o;
    float *lse;
    long long o_batch, o_row, o_head, lse_batch, lse_head;
    TC_ALIGN(16) unsigned char hook[TC_EPI_MAX];
} tc_attn_problem;

#define TC__LOG2E 1.4426950408889634f
#define TC__ATTN_FAR 0x20000000 /* a window that ends nowhere */

#define TC_ATTN_ORDER_BYTES 32 /* of shared memory: where a block stands in the order of tiles, tc_attn_order_next */

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * A tile of work: which queries, which tiles of keys.
 */
typedef struct tc_attn_work {
    int b, h;           /* batch, first query head */
    int q0;             /* first query */
    int q_len, k_len;   /* of this sequence */
    int q_at, k_at;     /* its first row in the tensors */
    int lo, hi;         /* tiles of keys to visit: hi - 1 down to lo */
    int free_lo, free_hi; /* of those, the tiles of which every row sees every key: no causal mask, no window, no end */
} tc_attn_work;

TC_DEV int tc__attn_clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Its index among the batches of Q and O, of K and V: 0 where they are packed. */
TC_DEV int tc__attn_outer_q(const tc_attn_problem *p, const tc_attn_work *w) { return p->cu_q ? 0 : w->b; }
TC_DEV int tc__attn_outer_k(const tc_attn_problem *p, const tc_attn_work *w) { return p->cu_k ? 0 : w->b; }

/* How the rows of Q or K are divided into sequences: packed, padded, or all of one length. */
typedef struct tc__attn_division {
    const int *cu, *lens;
    int rows, total; /* of one sequence at most; of the tensor, where it is packed */
} tc__attn_division;

/* Length and place of sequence b. Whatever stands in cu and lens, no row outside of the tensor comes of it. */
TC_DEV void tc__attn_sequence(const tc__attn_division x, int b, int *at, int *len)
{
    *at = 0;
    *len = x.rows;
    if (x.cu) {
        *at = tc__attn_clamp(x.cu[b], 0, x.total);
        *len = tc__attn_clamp(tc__attn_clamp(x.cu[b + 1], *at, x.total) - *at, 0, x.rows);
    } else if (x.lens) {
        *len = tc__attn_clamp(x.lens[b], 0, x.rows);
    }
}

/* A tile of queries: batch, first of its heads as a column of the batch, place among its sequence's tiles. */
typedef struct tc__attn_place {
    uint32_t b, head, row;
} tc__attn_place;

/* Which tiles of keys queries w->q0 .. last see. */
TC_DEV void tc__attn_see(const tc_attn_config c, const tc_attn_problem *p, tc_attn_work *w, int last)
{
    const int off = w->k_len - w->q_len;
    w->lo = 0;
    w->hi = (w->k_len + c.bn - 1) / c.bn;
    w->free_lo = 0;
    w->free_hi = w->k_len / c.bn;
    if (c.causal || c.window) { /* row i sees keys i + off - window_left .. i + off + window_right */
        const int end = last + off + p->window_right + 1, whole = w->q0 + off + p->window_right + 1;
        w->hi = end < w->k_len ? end <= 0 ? 0 : (end + c.bn - 1) / c.bn : w->hi;
        w->free_hi = whole < w->k_len ? whole <= 0 ? 0 : whole / c.bn : w->free_hi;
    }
    if (c.window) {
        const int begin = w->q0 + off - p->window_left, whole = last + off - p->window_left;
        w->lo = begin <= 0 ? 0 : begin / c.bn;
        w->free_lo = whole <= 0 ? 0 : (whole + c.bn - 1) / c.bn;
    }
}

/* What there is to do for it; 0 where the sequence has no such tile. */
TC_DEV int tc__attn_work_of(const tc_attn_config c, const tc_attn_problem *p, const tc__attn_place at, tc_attn_work *w)
{
    const tc__attn_division q = {p->cu_q, p->lens_q, p->q_len, p->total_q},
                            k = {p->cu_k, p->lens_k, p->k_len, p->total_k};
    int last;
    w->b = (int)at.b;
    w->h = (int)at.head * p->group;
    w->q0 = (int)at.row * p->tile_q;
    tc__attn_sequence(q, w->b, &w->q_at, &w->q_len);
    tc__attn_sequence(k, w->b, &w->k_at, &w->k_len);
    if (w->q0 >= w->q_len) return 0;
    last = w->q0 + p->tile_q - 1;
    last = last < w->q_len ? last : w->q_len - 1;
    tc__attn_see(c, p, w, last);
    return 1;
}

/* Tile number `index` of `size` columns from column `first` on: of causal problems those with the most keys first. */
TC_DEV tc__attn_place tc__attn_place_of(const tc_attn_config c, const tc_attn_problem *p, uint32_t first, uint32_t size,
                                        uint32_t index)
{
    const uint32_t per_batch = (uint32_t)(p->heads / p->group), row = index / size,
                   column = first + (index - row * size);
    tc__attn_place at;
    at.b = column / per_batch;
    at.head = column - at.b * per_batch;
    at.row = c.causal ? (uint32_t)p->blocks - 1u - row : row;
    return at;
}

/* Tile `index` of the call; 0 where the sequence has no such tile.
 * Order: within a section the tiles with the most keys first, so that the last to start are the shortest. */
TC_DEV int tc_attn_work_at(const tc_attn_config c, const tc_attn_problem *p, uint32_t index, tc_attn_work *w)
{
    const uint32_t most = (uint32_t)p->section, area = most * (uint32_t)p->blocks, first = index / area * most,
                   left = (uint32_t)p->columns - first;
    return tc__attn_work_of(c, p, tc__attn_place_of(c, p, first, left < most ? left : most, index % area), w);
}

/* Where a block of a persistent kernel stands in the order of tiles: eight words of shared memory, since the warp that
 * asks has few registers. In each section a block has one tile a round, the largest first, back and forth over the
 * blocks: what one has more of in a round it has less of in the next, and the next section goes the other way round.
 * Where sequences differ in length (ragged), only tiles that exist are counted: the last row of the longest sequence's
 * tiles, then row after row, of each the sequences that have it. */
enum {
    TC__ORDER_SECTION = 0, TC__ORDER_ROUND = 4, TC__ORDER_ROUNDS = 8, /* the next turn; rounds of a section */
    TC__ORDER_BASE = 12,  /* ragged: tiles of the section before those of row ... */
    TC__ORDER_ROW = 16,   /* this; */
    TC__ORDER_RUN = 20,   /* from it down so many rows, of each */
    TC__ORDER_ALIVE = 24, /* so many sequences that have it */
    TC__ORDER_TURN = 28   /* the asker's own */
};
TC_DEV_SM80 uint32_t tc__order_get(uint32_t at)
{
    uint32_t x;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(at) : "memory");
    return tc_uniform(x);
}
TC_DEV_SM80 void tc__order_set(uint32_t at, uint32_t x)
{
    __syncwarp();
    if (tc_lane() == 0) asm volatile("st.shared.b32 [%0], %1;" : : "r"(at), "r"(x) : "memory");
    __syncwarp();
}

/* The largest of a warp's x, and their sum. PTX: redux.sync, sm_80. */
TC_DEV_SM80 uint32_t tc__order_most(uint32_t x)
{
    uint32_t r;
    asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}
TC_DEV_SM80 uint32_t tc__order_sum(uint32_t x)
{
    uint32_t r;
    asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}

/* Ragged: tiles of sequence b, 0 behind the last. */
TC_DEV int tc__order_tiles(const tc_attn_problem *p, int b)
{
    const tc__attn_division q = {p->cu_q, p->lens_q, p->q_len, p->total_q};
    int at, len = 0;
    if (b < p->batch) tc__attn_sequence(q, b, &at, &len);
    return (len + p->tile_q - 1) / p->tile_q;
}

/* Ragged, one warp: how many sequences have tiles `row`, and down to which row it is as many. */
TC_DEV_SM80 void tc__order_row(const tc_attn_problem *p, uint32_t order, int row)
{
    int alive = 0, below = 0; /* below: tiles of the longest sequence that does not have the row */
#pragma unroll 1
    for (int b = 0; b < p->batch; b += 32) {
        const int tiles = tc__order_tiles(p, b + tc_lane());
        alive += __popc(__ballot_sync(0xffffffffu, tiles > row));
        if (tiles <= row && tiles > below) below = tiles;
    }
    tc__order_set(order + TC__ORDER_ROW, (uint32_t)row);
    tc__order_set(order + TC__ORDER_RUN, (uint32_t)(row + 1) - tc__order_most((uint32_t)below));
    tc__order_set(order + TC__ORDER_ALIVE, (uint32_t)alive);
}

/* The first turn; one warp. */
TC_DEV_SM80 void tc_attn_order_begin(const tc_attn_problem *p, uint32_t order)
{
    uint32_t rounds = (uint32_t)p->rounds;
    tc__order_set(order + TC__ORDER_SECTION, 0);
    tc__order_set(order + TC__ORDER_ROUND, 0);
    tc__order_set(order + TC__ORDER_RUN, 0);
    if (p->ragged) {
        unsigned tiles = 0;
#pragma unroll 1
        for (int b = 0; b < p->batch; b += 32) tiles += (unsigned)tc__order_tiles(p, b + tc_lane());
        tiles = tc__order_sum(tiles) * (unsigned)p->section;
        rounds = (tiles + gridDim.x - 1u) / gridDim.x;
        if (rounds == 0) tc__order_set(order + TC__ORDER_SECTION, (uint32_t)p->columns); /* all are empty */
    }
    tc__order_set(order + TC__ORDER_ROUNDS, rounds);
}

/* Ragged, one warp: sequence number nth of those that have tiles `row`. */
TC_DEV_SM80 uint32_t tc__order_nth(const tc_attn_problem *p, int row, uint32_t nth)
{
#pragma unroll 1
    for (int b = 0;; b += 32) {
        const int mine = tc__order_tiles(p, b + tc_lane()) > row;
        const unsigned have = __ballot_sync(0xffffffffu, mine), many = (unsigned)__popc(have);
        if (nth < many) {
            unsigned before;
            asm volatile("mov.b32 %0, %%lanemask_lt;" : "=r"(before));
            before = (unsigned)__popc(before & have);
            return (uint32_t)(b + __ffs((int)__ballot_sync(0xffffffffu, mine && before == nth)) - 1);
        }
        nth -= many;
    }
}

/* Ragged, one warp: tile `index` of `size` heads; 0: they have no more. The indices of a section ascend. */
TC_DEV_SM80 int tc__order_find(const tc_attn_problem *p, uint32_t order, uint32_t size, uint32_t index,
                               tc__attn_place *found)
{
    uint32_t each;
    if (tc__order_get(order + TC__ORDER_RUN) == 0) { /* a section begins */
        tc__order_set(order + TC__ORDER_BASE, 0);
        tc__order_row(p, order, p->blocks - 1);
    }
    for (;;) {
        const uint32_t base = tc__order_get(order + TC__ORDER_BASE), run = tc__order_get(order + TC__ORDER_RUN);
        int row;
        each = tc__order_get(order + TC__ORDER_ALIVE) * size;
        if (index - base < each * run) break;
        row = (int)tc__order_get(order + TC__ORDER_ROW) - (int)run;
        if (row < 0) return 0;
        tc__order_set(order + TC__ORDER_BASE, base + each * run);
        tc__order_row(p, order, row);
    }
    index -= tc__order_get(order + TC__ORDER_BASE);
    found->row = index / each;
    index -= found->row * each;
    found->row = tc__order_get(order + TC__ORDER_ROW) - found->row;
    found->b = index / size;
    found->head = index - found->b * size;
    found->b = tc__order_nth(p, (int)found->row, found->b);
    return 1;
}

/* The block's next tile; 0: there is none. One warp. */
TC_DEV_SM80 int tc_attn_order_next(const tc_attn_config c, const tc_attn_problem *p, uint32_t order, tc_attn_work *w)
{
    const uint32_t columns = (uint32_t)(p->ragged ? p->heads / p->group : p->columns);
    for (;;) {
        tc__attn_place at;
        uint32_t section = tc__order_get(order + TC__ORDER_SECTION), round = tc__order_get(order + TC__ORDER_ROUND),
                 first, size, index;
        if (round == tc__order_get(order + TC__ORDER_ROUNDS)) {
            round = 0;
            section++;
            tc__order_set(order + TC__ORDER_SECTION, section);
            tc__order_set(order + TC__ORDER_RUN, 0);
        }
        tc__order_set(order + TC__ORDER_ROUND, round + 1u);
        first = section * (uint32_t)p->section;
        if (first >= columns) return 0;
        size = columns - first < (uint32_t)p->section ? columns - first : (uint32_t)p->section;
        index = round * gridDim.x + ((round + section) % 2u ? gridDim.x - 1u - blockIdx.x : blockIdx.x);
        if (p->ragged) {
            if (!tc__order_find(p, order, size, index, &at)) continue;
            at.head += first;
        } else if (c.causal || c.window) {
            if (index >= size * (uint32_t)p->blocks) continue;
            at = tc__attn_place_of(c, p, first, size, index);
        } else { /* one section, head by head */
            if (index >= columns * (uint32_t)p->blocks) continue;
            first = index / (uint32_t)p->blocks;
            at = tc__attn_place_of(c, p, first, 1, index - first * (uint32_t)p->blocks);
        }
        if (tc__attn_work_of(c, p, at, w)) return 1;
    }
}

/* What the mask hook says of tile n of keys. */
TC_DEV int tc_attn_tile_state(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, int n)
{
    if (c.mask_tile) {
        const int q_end = w->q0 + p->tile_q, kv_end = (n + 1) * c.bn;
        const tc_attn_tile t = {
            w->b, w->h, w->q0, q_end < w->q_len ? q_end : w->q_len, n * c.bn, kv_end < w->k_len ? kv_end : w->k_len};
        return c.mask_tile(t, p->hook);
    }
    return c.mask ? TC_ATTN_PARTIAL : TC_ATTN_WHOLE;
}

/* The next tile of keys below n that is not skipped, and its state; lo - 1 or less where there is none. */
TC_DEV int tc_attn_next(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, int n, int *state)
{
    *state = TC_ATTN_WHOLE;
    n--;
    if (c.mask || c.mask_tile) {
        while (n >= w->lo && (*state = tc_attn_tile_state(c, p, w, n)) == TC_ATTN_SKIP) n--;
    }
    return n;
}

/* May a row see so few keys that the rounding of a single P counts? Not where every row sees 256 of them. */
TC_DEV int tc__attn_few(const tc_attn_config c, const tc_attn_work *w)
{
    return (c.causal || c.window) && (w->free_hi - w->free_lo) * c.bn < 256;
}

/* Does row r of a tile, which is query q, exist? Behind the last of a sequence, and where packed heads do not fill
 * the tile, it does not. */
TC_DEV int tc__attn_row_exists(const tc_attn_problem *p, const tc_attn_work *w, int r, int q)
{
    return q < w->q_len && r < p->tile_q * p->group;
}

/* Batch, head and query of row r of a tile. */
TC_DEV tc_attn_at tc__attn_row(const tc_attn_problem *p, const tc_attn_work *w, int r)
{
    tc_attn_at at = {w->b, w->h, w->q0 + r, 0, 0};
    if (p->group > 1) {
        const uint32_t i = (uint32_t)r / (uint32_t)p->group;
        at.q = w->q0 + (int)i;
        at.h = w->h + r - (int)i * p->group;
    }
    return at;
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * Host: checks.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* What a program gives tc_attn_sm90_prepare and tc_attn_sm80_prepare for the hooks of a kernel that was compiled
 * elsewhere (NVRTC). Nobody calls them. */
TC_HOST float tc_attn_score_on_device(float s, tc_attn_at at, const void *args) { return (void)at, (void)args, s; }
TC_HOST int tc_attn_mask_on_device(tc_attn_at at, const void *args) { return (void)at, (void)args, 1; }
TC_HOST int tc_attn_mask_tile_on_device(tc_attn_tile tile, const void *args)
{
    return (void)tile, (void)args, TC_ATTN_PARTIAL;
}
TC_HOST float tc_attn_out_on_device(float o, tc_attn_at at, const void *args) { return (void)at, (void)args, o; }
TC_HOST float tc_attn_sink_on_device(tc_attn_at at, const void *args) { return (void)at, (void)args, 0.f; }

#define TC__ATTN_FIELD(name, most) {#name, offsetof(tc_attn_config, name), most}
static const tc__field tc__attn_fields[] TC_UNUSED = {TC__ATTN_FIELD(type, 0),
                                                      TC__ATTN_FIELD(head_dim, 1024),
                                                      TC__ATTN_FIELD(head_dim_v, 1024),
                                                      TC__ATTN_FIELD(causal, 16),
                                                      TC__ATTN_FIELD(window, 16),
                                                      TC__ATTN_FIELD(bm, 2048),
                                                      TC__ATTN_FIELD(bn, 2048),
                                                      TC__ATTN_FIELD(stages, 64),
                                                      TC__ATTN_FIELD(q_stages, 16),
                                                      TC__ATTN_FIELD(consumers, 16),
                                                      TC__ATTN_FIELD(warps, 64),
                                                      TC__ATTN_FIELD(exp_poly, 64),
                                                      TC__ATTN_FIELD(kv, 0),
                                                      TC__ATTN_FIELD(paged, 16),
                                                      TC__ATTN_FIELD(o, 0),
                                                      TC__ATTN_FIELD(promote, 0),
                                                      TC__ATTN_FIELD(dropout, 16),
                                                      TC__ATTN_FIELD(hook_size, 0),
                                                      {NULL, 0, 0}};

TC_HOST tc_status tc__attn_config_check(const tc_attn_config *c) { return tc__config_range(tc__attn_fields, c); }

TC_HOST int tc__attn_kv_heads(const tc_attn_args *g) { return g->heads_kv ? g->heads_kv : g->heads; }

TC_HOST int tc__attn_empty(const tc_attn_args *g)
{
    return g->batch == 0 || g->heads == 0 || g->q_len == 0 || (g->cu_q && g->total_q == 0);
}

/* One tensor of a call as the checks and the tensor maps see it. */
typedef struct tc__attn_tensor {
    const char *name;
    const void *base;
    int type, batch, rows, heads, dim, packed;
    tc_attn_strides given, s; /* s: as the kernel steps */
} tc__attn_tensor;

/* which: 'q', 'k', 'v' or 'o' */
TC_HOST tc__attn_tensor tc__attn_tensor_of(const tc_attn_config *c, const tc_attn_args *g, char which)
{
    const int queries = which == 'q' || which == 'o';
    tc__attn_tensor t;
    t.name = which == 'q' ? "q" : which == 'k' ? "k" : which == 'v' ? "v" : "o";
    t.base = which == 'q' ? g->q : which == 'k' ? g->k : which == 'v' ? g->v : g->o;
    t.given = which == 'q' ? g->q_stride : which == 'k' ? g->k_stride : which == 'v' ? g->v_stride : g->o_stride;
    t.type = !queries && c->kv ? c->kv : which == 'o' ? tc__attn_o_type(*c) : c->type;
    t.packed = queries ? g->cu_q != 0 : g->cu_k != 0;
    t.batch = t.packed ? 1 : g->batch;
    t.rows = queries ? (t.packed ? g->total_q : g->q_len) : (t.packed ? g->total_k : g->k_len);
    if (!queries && c->paged) t.batch = g->pages, t.rows = g->page_rows;
    t.heads = queries ? g->heads : tc__attn_kv_heads(g);
    t.dim = which == 'q' || which == 'k' ? c->head_dim : c->head_dim_v;
    t.s.batch = t.given.batch == TC_ATTN_SHARED ? 0 : t.given.batch;
    t.s.row = t.given.row == TC_ATTN_SHARED ? 0 : t.given.row;
    t.s.head = t.given.head == TC_ATTN_SHARED ? 0 : t.given.head;
    if (t.given.batch == 0 && t.given.row == 0 && t.given.head == 0) {
        t.s.head = t.dim;
        t.s.row = (int64_t)t.dim * t.heads;
        t.s.batch = t.s.row * t.rows;
    }
    return t;
}

TC_HOST tc_status tc__attn_check_tensor(const tc_attn_config *c, const tc_attn_args *g, char which)
{
    static const char *const names[3] = {"batch", "row", "head"};
    const tc__attn_tensor t = tc__attn_tensor_of(c, g, which);
    const int64_t given[3] = {t.given.batch, t.given.row, t.given.head}, all[3] = {t.s.batch, t.s.row, t.s.head};
    const int extent[3] = {t.batch, t.rows, t.heads}, chunk = 128 / tc_type_bits(t.type);
    int i;
    if (!t.base) return tc__fail(TC_ERR_NULL, "%s is null", t.name);
    if ((uintptr_t)t.base % 16) return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes", t.name, t.base);
    for (i = 0; i < 3; i++) {
        const long long s = (long long)all[i];
        if (s < 0)
            return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld is negative", t.name, names[i], s);
        if (s % chunk)
            return tc__fail(TC_ERR_ALIGN, "%s_stride.%s = %lld elements is not a multiple of %d (16 bytes)", t.name,
                            names[i], s, chunk);
        if (s >= (int64_t)1 << 39)
            return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld elements is 2^40 bytes or more, which TMA cannot step",
                            t.name, names[i], s);
    }
    for (i = 0; i < 3; i++) {
        if (all[i] || extent[i] <= 1) continue;
        if (which == 'o')
            return tc__fail(TC_ERR_SIZE, "o_stride.%s = %lld, but there are %d: rows of O lie on each other", names[i],
                            (long long)given[i], extent[i]);
        if (given[i] != TC_ATTN_SHARED)
            return tc__fail(TC_ERR_SIZE,
                            "%s_stride.%s = 0, but there are %d and other strides are given: give this one too, "
                            "or TC_ATTN_SHARED where all are the same memory",
                            t.name, names[i], extent[i]);
    }
    return TC_OK;
}

/* Lengths, as one side of the call gives them; x: 'q' or 'k'. */
typedef struct tc__attn_lengths {
    char x;
    const int *cu, *lens, *host_cu, *host_lens;
    int batch, longest, total;
} tc__attn_lengths;

/* Where sequences begin, or how long they are, by what the host knows of it. */
TC_HOST tc_status tc__attn_check_lengths(const tc__attn_lengths *l)
{
    const int *host = l->cu ? l->host_cu : l->host_lens;
    const char *const kind = l->cu ? "cu" : "lens";
    int i;
    if (!host) return TC_OK;
    for (i = 0; i < l->batch; i++) {
        int len;
        if (l->cu && i == 0 && host[0] != 0)
            return tc__fail(TC_ERR_SIZE, "host_cu_%c[0] = %d: the first sequence begins at 0", l->x, host[0]);
        if (l->cu && host[i + 1] < host[i])
            return tc__fail(TC_ERR_SIZE, "host_cu_%c is not monotonic: [%d] = %d comes after [%d] = %d", l->x, i + 1,
                            host[i + 1], i, host[i]);
        len = l->cu ? host[i + 1] - host[i] : host[i];
        if (len < 0) return tc__fail(TC_ERR_SIZE, "host_%s_%c[%d] = %d is negative", kind, l->x, i, len);
        if (len > l->longest)
            return tc__fail(TC_ERR_SIZE, "host_%s_%c: sequence %d has %d rows, more than the %d of %c_len", kind, l->x,
                            i, len, l->longest, l->x);
    }
    if (l->cu && host[l->batch] > l->total)
        return tc__fail(TC_ERR_SIZE, "host_cu_%c[%d] = %d is more than the %d rows of total_%c", l->x, l->batch,
                        host[l->batch], l->total, l->x);
    return TC_OK;
}

TC_HOST tc_status tc__attn_check_side(const tc_attn_args *g, char x)
{
    tc__attn_lengths l;
    l.x = x;
    l.cu = x == 'q' ? g->cu_q : g->cu_k;
    l.lens = x == 'q' ? g->lens_q : g->lens_k;
    l.host_cu = x == 'q' ? g->host_cu_q : g->host_cu_k;
    l.host_lens = x == 'q' ? g->host_lens_q : g->host_lens_k;
    l.batch = g->batch;
    l.longest = x == 'q' ? g->q_len : g->k_len;
    l.total = x == 'q' ? g->total_q : g->total_k;
    if (l.cu && l.lens)
        return tc__fail(TC_ERR_SIZE, "cu_%c and lens_%c are both given: sequences are packed or padded, not both", x,
                        x);
    if (l.host_cu && !l.cu) return tc__fail(TC_ERR_NULL, "host_cu_%c is given, but cu_%c is null", x, x);
    if (l.host_lens && !l.lens) return tc__fail(TC_ERR_NULL, "host_lens_%c is given, but lens_%c is null", x, x);
    if (l.total < 0) return tc__fail(TC_ERR_SIZE, "total_%c = %d is negative", x, l.total);
    if ((uintptr_t)l.cu % 4)
        return tc__fail(TC_ERR_ALIGN, "cu_%c = %p is not a multiple of 4 bytes", x, (const void *)l.cu);
    if ((uintptr_t)l.lens % 4)
        return tc__fail(TC_ERR_ALIGN, "lens_%c = %p is not a multiple of 4 bytes", x, (const void *)l.lens);
    if (l.cu && l.longest > l.total)
        return tc__fail(TC_ERR_SIZE, "%c_len = %d is more than total_%c = %d", x, l.longest, x, l.total);
    return tc__attn_check_lengths(&l);
}

/* Sizes that are 0 beside tensors that are there: forgotten, most likely. */
TC_HOST tc_status tc__attn_check_nothing(const tc_attn_args *g)
{
    const int none_q = g->cu_q && g->total_q == 0 && g->q_len == 0,
              none_k = g->cu_k && g->total_k == 0 && g->k_len == 0;
    if (!none_q && (g->q || g->o)) {
        const char *const given = g->q ? "q" : "o";
        if (g->batch == 0)
            return tc__fail(TC_ERR_BATCH, "batch = 0, but %s is given: null where there is nothing to do", given);
        if (g->heads == 0)
            return tc__fail(TC_ERR_SIZE, "heads = 0, but %s is given: null where there is nothing to do", given);
        if (g->q_len == 0)
            return tc__fail(TC_ERR_SIZE, "q_len = 0, but %s is given: null where there is nothing to do", given);
    }
    if (!none_k && !tc__attn_empty(g) && g->k_len == 0 && (g->k || g->v))
        return tc__fail(TC_ERR_SIZE, "k_len = 0, but %s is given: null where there are no keys", g->k ? "k" : "v");
    return TC_OK;
}

TC_HOST tc_status tc__attn_check_sizes(const tc_attn_config *c, const tc_attn_args *g)
{
    const int hk = tc__attn_kv_heads(g), limit = TC__ATTN_FAR / 2;
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    if (g->heads < 0) return tc__fail(TC_ERR_SIZE, "heads = %d is negative", g->heads);
    if (g->heads_kv < 0) return tc__fail(TC_ERR_SIZE, "heads_kv = %d is negative", g->heads_kv);
    if (g->q_len < 0) return tc__fail(TC_ERR_SIZE, "q_len = %d is negative", g->q_len);
    if (g->k_len < 0) return tc__fail(TC_ERR_SIZE, "k_len = %d is negative", g->k_len);
    if (g->q_len > limit) return tc__fail(TC_ERR_SIZE, "q_len = %d is above the limit of %d", g->q_len, limit);
    if (g->k_len > limit) return tc__fail(TC_ERR_SIZE, "k_len = %d is above the limit of %d", g->k_len, limit);
    if (hk && g->heads % hk)
        return tc__fail(TC_ERR_SIZE, "heads = %d is not a multiple of heads_kv = %d", g->heads, hk);
    if ((double)g->batch * g->heads > 1e9)
        return tc__fail(TC_ERR_SIZE, "batch = %d, heads = %d: more than 10^9 heads", g->batch, g->heads);
    if (g->scale < 0.f || g->scale != g->scale || g->scale > 3e38f)
        return tc__fail(TC_ERR_SIZE, "scale = %g must be a positive number, or 0 for 1 / sqrt(head_dim)",
                        (double)g->scale);
    if (!c->window) {
        if ((g->window_left != 0 && g->window_left != -1) || (g->window_right != 0 && g->window_right != -1))
            return tc__fail(TC_ERR_SIZE,
                            "window_left = %d, window_right = %d, but the kernel was defined without .window",
                            g->window_left, g->window_right);
        return TC_OK;
    }
    if (g->window_left < -1)
        return tc__fail(TC_ERR_SIZE, "window_left = %d must be 0 or more, or -1 for all", g->window_left);
    if (g->window_right < -1)
        return tc__fail(TC_ERR_SIZE, "window_right = %d must be 0 or more, or -1 for all", g->window_right);
    return TC_OK;
}

/* Where K and V lie, if in pages, and what they are multiplied by. */
TC_HOST tc_status tc__attn_check_cache(const tc_attn_config *c, const tc_attn_args *g)
{
    const int scaled = c->type == TC_E4M3;
    if (!scaled && g->q_scale)
        return tc__fail(TC_ERR_SIZE, "q_scale is given, but the kernel was defined without .type = TC_E4M3");
    if (!c->kv && !scaled && (g->k_scale || g->v_scale))
        return tc__fail(TC_ERR_SIZE, "%s_scale is given, but the kernel was defined without .kv",
                        g->k_scale ? "k" : "v");
    if ((uintptr_t)g->k_scale % 4)
        return tc__fail(TC_ERR_ALIGN, "k_scale = %p is not a multiple of 4 bytes", (const void *)g->k_scale);
    if ((uintptr_t)g->v_scale % 4)
        return tc__fail(TC_ERR_ALIGN, "v_scale = %p is not a multiple of 4 bytes", (const void *)g->v_scale);
    if (g->scale_heads < 0 || g->scale_heads > 1)
        return tc__fail(TC_ERR_SIZE, "scale_heads = %d must be 0 (one factor) or 1 (one for each of heads_kv)",
                        g->scale_heads);
    if (!c->paged) {
        if (g->page_table || g->page_rows || g->pages || g->table_pages)
            return tc__fail(TC_ERR_SIZE, "%s is given, but the kernel was defined without .paged",
                            g->page_table  ? "page_table"
                            : g->page_rows ? "page_rows"
                            : g->pages     ? "pages"
                                           : "table_pages");
        return TC_OK;
    }
    if (g->cu_k) return tc__fail(TC_ERR_SIZE, "cu_k is given, but K and V are paged: lens_k says how long they are");
    if (g->page_rows < 8 || g->page_rows % 8)
        return tc__fail(TC_ERR_SIZE, "page_rows = %d must be a multiple of 8", g->page_rows);
    if (g->table_pages < 0) return tc__fail(TC_ERR_SIZE, "table_pages = %d is negative", g->table_pages);
    if (g->pages < 0) return tc__fail(TC_ERR_SIZE, "pages = %d is negative", g->pages);
    if ((int64_t)g->table_pages * g->page_rows < g->k_len)
        return tc__fail(TC_ERR_SIZE, "k_len = %d is more than the %lld rows of table_pages = %d pages of %d", g->k_len,
                        (long long)g->table_pages * g->page_rows, g->table_pages, g->page_rows);
    if (g->k_len == 0) return TC_OK;
    if (!g->page_table) return tc__fail(TC_ERR_NULL, "page_table is null");
    if ((uintptr_t)g->page_table % 4)
        return tc__fail(TC_ERR_ALIGN, "page_table = %p is not a multiple of 4 bytes", (const void *)g->page_table);
    return g->pages ? TC_OK : tc__fail(TC_ERR_SIZE, "pages = 0, but k_len = %d", g->k_len);
}

TC_HOST tc_status tc__attn_check(const tc_attn_config *c, const tc_attn_args *g)
{
    tc_status st;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    st = tc__attn_check_sizes(c, g);
    if (st == TC_OK) st = tc__attn_check_cache(c, g);
    if (st == TC_OK) st = tc__attn_check_dropout(c->dropout, g->dropout_p, g->dropout_seed, g->dropout_offset);
    if (st == TC_OK) st = tc__check_hook("hook", c->hook_size, g->hook_args, g->hook_size);
    if (st == TC_OK) st = tc__attn_check_side(g, 'q');
    if (st == TC_OK) st = tc__attn_check_side(g, 'k');
    if (st == TC_OK) st = tc__attn_check_nothing(g);
    if (st != TC_OK || tc__attn_empty(g)) return st;
    st = tc__attn_check_tensor(c, g, 'q');
    if (st == TC_OK && g->k_len) st = tc__attn_check_tensor(c, g, 'k');
    if (st == TC_OK && g->k_len) st = tc__attn_check_tensor(c, g, 'v');
    if (st == TC_OK) st = tc__attn_check_tensor(c, g, 'o');
    if (st != TC_OK) return st;
    if ((uintptr_t)g->lse % 4) return tc__fail(TC_ERR_ALIGN, "lse = %p is not a multiple of 4 bytes", (void *)g->lse);
    if (g->lse_batch < 0) return tc__fail(TC_ERR_SIZE, "lse_batch = %lld is negative", (long long)g->lse_batch);
    if (g->lse_head < 0) return tc__fail(TC_ERR_SIZE, "lse_head = %lld is negative", (long long)g->lse_head);
    return TC_OK;
}

/* 1 / sqrt(dim), dim in 1..256, by Newton's method: sqrt would make C programs link libm. */
TC_HOST float tc__attn_default_scale(int dim)
{
    double x = 0.0625;
    int i;
    for (i = 0; i < 12; i++) x *= 1.5 - 0.5 * dim * x * x;
    return (float)x;
}

/* The part of the parameters that both kernels have; everything has been checked. */
TC_HOST tc_status tc__attn_problem_make(tc_attn_problem *p, const tc_attn_config *c, const tc_attn_args *g, int sms)
{
    const int hk = tc__attn_kv_heads(g), share = g->heads / hk, fits = c->bm / share;
    const tc_attn_strides o = tc__attn_tensor_of(c, g, 'o').s;
    const int64_t rows = g->cu_q ? g->total_q : g->q_len;
    double bytes;
    memset((void *)p, 0, sizeof *p);
    p->batch = g->batch;
    p->heads = g->heads;
    p->heads_kv = hk;
    p->q_len = g->q_len;
    p->k_len = g->k_len;
    p->total_q = g->total_q;
    p->total_k = g->total_k;
    /* heads that share K and V go into one tile where that makes fewer tiles: short queries; not with dropout, whose
     * patches want queries 8 apart in rows 8 apart */
    p->group = 1;
    if (share > 1 && fits >= 1 && !c->mask_tile && !c->dropout
        && (g->q_len + (int64_t)fits - 1) / fits < (g->q_len + (int64_t)c->bm - 1) / c->bm * share)
        p->group = share;
    p->tile_q = c->bm / p->group;
    p->blocks = (g->q_len + p->tile_q - 1) / p->tile_q;
    p->columns = g->heads / p->group * g->batch;
    if ((double)p->blocks * p->columns > 2e9)
        return tc__fail(TC_ERR_SIZE, "q_len = %d, heads = %d, batch = %d: more than 2^31 tiles", g->q_len, g->heads,
                        g->batch);
    bytes = (double)g->k_len * (c->head_dim + c->head_dim_v) * (tc_type_bits(c->type) / 8) * p->group
            / share; /* of one column: query heads share those of their key head */
    /* causal: all columns at once where at least two tiles of each are in the making at a time; else as many as L2
     * holds */
    p->section = !c->causal && !c->window                             ? 1
                 : p->columns * 2 <= sms || bytes * p->columns < 32e6 ? p->columns
                                                                      : (int)(32e6 / bytes);
    if (p->section < 1) p->section = 1;
    p->zero_tail = g->cu_k || g->lens_k;
    p->window_left = c->window && g->window_left >= 0 && g->window_left < TC__ATTN_FAR ? g->window_left : TC__ATTN_FAR;
    p->window_right = c->causal                                                             ? 0
                      : c->window && g->window_right >= 0 && g->window_right < TC__ATTN_FAR ? g->window_right
                                                                                            : TC__ATTN_FAR;
    p->scale = g->scale > 0.f ? g->scale : tc__attn_default_scale(c->head_dim);
    p->scale_log2 = p->scale * TC__LOG2E;
    p->cu_q = g->cu_q, p->cu_k = g->cu_k;
    p->lens_q = g->lens_q, p->lens_k = g->lens_k;
    p->o = g->o, p->o_batch = o.batch, p->o_row = o.row, p->o_head = o.head;
    p->lse = g->lse;
    p->lse_head = g->lse_head ? g->lse_head : rows;
    p->lse_batch = g->lse_batch ? g->lse_batch : rows * g->heads;
    if (g->hook_size) memcpy(p->hook, g->hook_args, g->hook_size);
    if (c->dropout) tc__dropout_put(p->hook, g->dropout_p, g->dropout_seed, g->dropout_offset);
    return TC_OK;
}

#endif /* host */
#endif /* TC_ATTN_WORK_H */
