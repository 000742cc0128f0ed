/* tc_attn.h - tc 0.1.0 - generated attention kernels with your hooks. Needs: the headers below; sm_80 to sm_120, best on sm_90a.
 *
 *     O = softmax(mask(score(scale * Q K'))) V           exact, forward; f16 or bf16, sums in f32
 *
 *     #include "tc.h"
 *     typedef struct { const float *slopes; } my_args;
 *     TC_DEV float alibi(float s, int b, int h, int q, int kv, const void *args)
 *     {
 *         return s + ((const my_args *)args)->slopes[h] * (kv - q);
 *     }
 *     TC_ATTN_DEFINE(attn, .type = TC_BF16, .head_dim = 128, .causal = 1, .score = alibi)
 *     ...
 *     my_args mine = { slopes };
 *     tc_attn_args args = { .batch = b, .heads = h, .heads_kv = hk, .q_len = n, .k_len = n, .q = Q, .k = K, .v = V, .o = O, .lse = lse,
 *                           .hook_args = &mine, .hook_size = sizeof mine };
 *     tc_status st = attn_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_attn_config in their order)
 *     TC_ATTN_DEFINE        one call for every device: a Hopper kernel and an sm_80 kernel; picks at run time
 *     TC_ATTN_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile and stages are fields.
 *     TC_ATTN_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target
 *   Each declares:
 *     NAME                            the kernel (for TC_ATTN_DEFINE NAME_sm90 and NAME_sm80)
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_ATTN_DEFINE)
 *     tc_status NAME_can_run(const tc_attn_args *args, const char **why)    checks only; *why (may be NULL) gets the sentence
 *     tc_status NAME_run(const tc_attn_args *args, cudaStream_t stream)     checks, then launches
 *
 * NAME_run is asynchronous, allocates nothing, synchronises nothing, may be captured in a graph and called from any thread.
 * On error nothing is launched, O is untouched, and tc_why() names the argument, its value and the rule.
 *
 * TENSORS are (batch, rows, heads, head_dim), contiguous unless strides say otherwise; the elements of a head are neighbours. Bases are
 * multiples of 16 bytes, strides of 8 elements. heads is a multiple of heads_kv: query head h reads key head h / (heads / heads_kv).
 * Any lengths from 1 (k_len may be 0), and different ones for queries and keys. Sequences of different lengths are either
 *     packed   cu_q, cu_k: where each begins, as in (total, heads, head_dim); device, batch + 1 ints, the first 0, rising
 *     padded   lens_q, lens_k: how many rows of each batch are in use; device, batch ints. What lies behind them may be anything, NaN too
 * and what belongs to no sequence is not written. A call cannot read device memory; give host copies too (host_cu_q, ...) to have the
 * lengths checked. Unchecked nonsense in them gives nonsense, but no access outside of the tensors.
 *
 * MASKS. Query q of a sequence stands at key q + k_len - q_len (bottom-right alignment: the last query at the last key).
 *     .causal = 1    it sees no key behind its place
 *     .window = 1    it sees window_left keys before its place and window_right behind it (-1: all); tiles outside are not read
 *     .mask          keeps or drops each key, below
 * A row that sees no key gives 0, and -inf as its log-sum-exp; never NaN.
 *
 * HOOKS (plain TC_DEV functions; b, h: batch and query head; q, kv: places within their sequences, that exist)
 *     .score     = float f(float s, int b, int h, int q, int kv, const void *args)    s is scale * Q K'; returns the score to use
 *     .mask      = int f(int b, int h, int q, int kv, const void *args)               not 0: the key is kept
 *     .mask_tile = int f(tc_attn_tile tile, const void *args)      with .mask: TC_ATTN_SKIP, _PARTIAL (ask .mask) or _WHOLE for a tile
 *     .out       = float f(float o, int b, int h, int q, int d, const void *args)     each element of O, before it is rounded
 *     .sink      = float f(int b, int h, const void *args)         a further score in each row's sum, whose value is 0; in lse too
 *     args points to a copy of *hook_args made at the call (at most TC_EPI_MAX bytes), which lies in constant memory. .mask_tile is
 *     called by every lane of a warp with the same tile and must answer the same. A hook costs what it computes: a division or an
 *     expf per score is felt; multiply by what the host has inverted.
 *
 * PARTS for your own kernels (tier 2)
 *     tc_attn_work_at, tc_attn_next              which tile of queries comes when, which tiles of keys it sees
 *     tc_attn_score, tc_attn_softmax             hook and masks, online softmax on fragments; tc_attn_rows: a lane's maxima and sums
 *     tc_attn_pack, tc_attn_rescale              P as an A operand; O after a maximum rose
 *     tc_attn_finish, tc_attn_store              O divided by the sums and through the hook, lse; O to memory
 *     tc_attn_sm90_load, tc_attn_sm90_mma        producer and consumer of the Hopper kernel
 *
 * Where query heads share K and V and queries are few (decoding), the heads of a group become rows of one tile. Two calls with the
 * same arguments on the same device give the same bits. There is no split over keys: few queries over one long sequence use few SMs.
 */
#ifndef TC_ATTN_H
#define TC_ATTN_H

#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_kernel.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Configuration (compile time) and arguments (run time). An unset field takes the default that stands behind it.
 */

/* What a tile-level mask hook is asked about: queries q .. q_end - 1 and keys kv .. kv_end - 1 of head h of batch b; all exist. */
typedef struct tc_attn_tile {
    int b, h, q, q_end, kv, kv_end;
} tc_attn_tile;

enum { TC_ATTN_SKIP = 0, TC_ATTN_PARTIAL = 1, TC_ATTN_WHOLE = 2 }; /* what it answers: nothing, some or all of it is kept */

typedef float (*tc_attn_score_fn)(float s, int b, int h, int q, int kv, const void *args);
typedef int (*tc_attn_mask_fn)(int b, int h, int q, int kv, const void *args);
typedef int (*tc_attn_mask_tile_fn)(tc_attn_tile tile, const void *args);
typedef float (*tc_attn_out_fn)(float o, int b, int h, int q, int d, const void *args);
typedef float (*tc_attn_sink_fn)(int b, int h, const void *args);

typedef struct tc_attn_config {
    int type;                      /* of Q, K, V and O: TC_F16 or TC_BF16 */
    int head_dim;                  /* of Q and K: a multiple of 16 in 16..256 (128) */
    int head_dim_v;                /* of V and O (head_dim) */
    int causal;                    /* 1: a query sees no key behind its own place, the last query that of the last key */
    int window;                    /* 1: a call's window_left and window_right hold */
    int bm, bn;                    /* queries and keys of a tile (by head_dim) */
    int stages;                    /* tiles of K, and of V, in flight (2) */
    int q_stages;                  /* SM90: tiles of Q: 2 overlap the end of one with the start of the next (what fits) */
    int consumers;                 /* SM90: consumer warpgroups, 64 queries each (bm / 64) */
    int warps;                     /* SM80: warps of a block (bm / 32) */
    int hook_size;                 /* sizeof of the hooks' arguments; when set, a call must give just as many */
    tc_attn_score_fn score;        /* hooks: see the top of this file */
    tc_attn_mask_fn mask;
    tc_attn_mask_tile_fn mask_tile;
    tc_attn_out_fn out;
    tc_attn_sink_fn sink;
} tc_attn_config;

/* Distances in elements between neighbours of a tensor: batches, rows (queries or keys), heads. Multiples of 8. */
typedef struct tc_attn_strides {
    int64_t batch, row, head;
} tc_attn_strides;

/* One call. A tensor whose strides are all 0 is contiguous: (batch, rows, heads, head_dim), packed: (rows, heads, head_dim). */
typedef struct tc_attn_args {
    int batch, heads, heads_kv; /* heads_kv 0: as many as heads; else heads must be a multiple of it (GQA, MQA) */
    int q_len, k_len;           /* rows of a batch; with cu_q, cu_k or lens: at least the longest sequence */
    const void *q, *k, *v;
    void *o;
    float *lse; /* log of the sum of exp(score) of each row, f32, (batch, heads, q_len), packed: (heads, total_q); NULL: not wanted */
    tc_attn_strides q_stride, k_stride, v_stride, o_stride;
    int64_t lse_batch, lse_head;     /* strides of lse (0: contiguous) */
    float scale;                     /* of Q * K' (0: 1 / sqrt(head_dim)) */
    int window_left, window_right;   /* with .window: keys a query sees before and behind its place; -1: all */
    const int *cu_q, *cu_k;          /* device, batch + 1 of them: where each sequence begins in packed Q and O, packed K and V */
    int total_q, total_k;            /* rows of packed Q and O, K and V */
    const int *lens_q, *lens_k;      /* device, batch of them: how many rows of each padded batch there are */
    const int *host_cu_q, *host_cu_k, *host_lens_q, *host_lens_k; /* host copies of the same, checked if given */
    const void *hook_args;           /* host pointer to the hooks' arguments, copied during the call */
    size_t hook_size;
    int pdl; /* not 0: programmatic dependent launch (Hopper kernel only) */
} tc_attn_args;

/* What both kernels know of a call. */
typedef struct tc_attn_problem {
    int batch, heads, heads_kv, q_len, k_len;
    int group;                  /* query heads that share the rows of a tile: 1, or heads / heads_kv */
    int tile_q;                 /* queries of a tile: bm / group */
    int blocks, columns;        /* tiles of queries in a sequence; heads of Q, or where they share tiles of K, of all batches */
    int section;                /* columns that are worked on together, so that their K and V stay in L2 */
    int zero_tail;              /* rows of V behind the last key of a sequence may hold anything */
    int window_left, window_right; /* what a row sees, however it is asked for; large: all */
    float scale, scale_log2;
    const int *cu_q, *cu_k, *lens_q, *lens_k;
    void *o;
    float *lse;
    long long o_batch, o_row, o_head, lse_batch, lse_head;
    TC_ALIGN(16) unsigned char hook[TC_EPI_MAX];
} tc_attn_problem;

typedef struct tc_attn_sm90_params {
    tc_tmap q, k, v, o;
    tc_attn_problem problem;
} tc_attn_sm90_params;

typedef struct tc_attn_sm80_params {
    const void *q, *k, *v;
    long long q_batch, q_row, q_head, k_batch, k_row, k_head, v_batch, v_row, v_head;
    long long k_pass, k_tile, k_back, v_pass, v_tile, v_back; /* bytes between a thread's copies, between tiles; from the last copy to the tile before */
    tc_attn_problem problem;
} tc_attn_sm80_params;

#define TC__LOG2E 1.4426950408889634f
#define TC__ATTN_FAR 0x20000000 /* a window that ends nowhere */

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
    int free_lo, free_hi; /* of those, the tiles of which every query sees every key: no causal mask, no window, no end */
} tc_attn_work;

TC_DEV int tc__attn_clamp(int x, int lo, int hi) { return x < lo ? lo : x > hi ? hi : x; }

/* Its index among the batches of Q and O, of K and V: 0 where they are packed. */
TC_DEV int tc__attn_outer_q(const tc_attn_problem *p, const tc_attn_work *w) { return p->cu_q ? 0 : w->b; }
TC_DEV int tc__attn_outer_k(const tc_attn_problem *p, const tc_attn_work *w) { return p->cu_k ? 0 : w->b; }

/* Length and place of sequence b. Whatever stands in cu and lens, no row outside of the tensor comes of it. */
TC_DEV void tc__attn_sequence(const int *cu, const int *lens, int b, int rows, int *at, int *len)
{
    *at = 0;
    *len = rows;
    if (cu) {
        *at = cu[b];
        *len = tc__attn_clamp(cu[b + 1] - *at, 0, rows);
    } else if (lens) {
        *len = tc__attn_clamp(lens[b], 0, rows);
    }
}

/* Tile `index` of the call; 0 where the sequence has no such tile.
 * Order: within a section the tiles with the most keys first, so that the last to start are the shortest. */
TC_DEV int tc_attn_work_at(const tc_attn_config c, const tc_attn_problem *p, uint32_t index, tc_attn_work *w)
{
    const uint32_t blocks = (uint32_t)p->blocks, area = (uint32_t)p->section * blocks, sec = index / area, rest = index - sec * area;
    const uint32_t left = (uint32_t)p->columns - sec * (uint32_t)p->section, size = left < (uint32_t)p->section ? left : (uint32_t)p->section;
    const uint32_t row = rest / size, column = sec * (uint32_t)p->section + (rest - row * size);
    const uint32_t per_batch = (uint32_t)(p->heads / p->group);
    int last, off;
    w->b = (int)(column / per_batch);
    w->h = (int)(column - (uint32_t)w->b * per_batch) * p->group;
    w->q0 = (int)(c.causal ? blocks - 1u - row : row) * p->tile_q;
    tc__attn_sequence(p->cu_q, p->lens_q, w->b, p->q_len, &w->q_at, &w->q_len);
    tc__attn_sequence(p->cu_k, p->lens_k, w->b, p->k_len, &w->k_at, &w->k_len);
    if (w->q0 >= w->q_len) return 0;
    last = w->q0 + p->tile_q - 1;
    last = last < w->q_len ? last : w->q_len - 1;
    off = w->k_len - w->q_len;
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
    return 1;
}

/* What the mask hook says of tile n of keys. */
TC_DEV int tc_attn_tile_state(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, int n)
{
    if (c.mask_tile) {
        const int q_end = w->q0 + p->tile_q, kv_end = (n + 1) * c.bn;
        const tc_attn_tile t = {w->b, w->h, w->q0, q_end < w->q_len ? q_end : w->q_len, n * c.bn, kv_end < w->k_len ? kv_end : w->k_len};
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

/* Query and head of row r of a tile. */
TC_DEV void tc__attn_row(const tc_attn_problem *p, const tc_attn_work *w, int r, int *q, int *h)
{
    *q = w->q0 + r;
    *h = w->h;
    if (p->group > 1) {
        const uint32_t i = (uint32_t)r / (uint32_t)p->group;
        *q = w->q0 + (int)i;
        *h = w->h + r - (int)i * p->group;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Scores in registers: 16 rows by `cols` columns of a warp in the layout that mma.sync and wgmma share. Lane l holds, with g = l / 4
 * and q = l % 4, s[4j], s[4j+1] at (g, 8j + 2q), (g, 8j + 2q + 1) and s[4j+2], s[4j+3] at row g + 8.
 */
TC_DEV float tc__exp2(float x)
{
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
TC_DEV float tc__inverse(float x) /* right to the last bit or the one before */
{
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
TC_DEV float tc__log2(float x)
{
    float y;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}
#define TC__INF tc_f32_from_bits(0x7f800000u)
#define TC__LN2 0.6931471805599453f

/* Score hook, then masks; 1 where rows may have been left few keys. row: of the tile, that of s[0] in lane 0. A hook is asked about
 * places that exist only: where a row or a column does not, the last one stands in. state: what the mask hook said of tile n. edges: 0
 * where n is known to be a tile that every row sees whole. */
TC_DEV int tc_attn_score(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, float *s, const int cols, int row, int n, int state, const int edges)
{
    const int masked = edges && (n < w->free_lo || n >= w->free_hi), kv0 = n * c.bn + tc_lane() % 4 * 2;
    if (c.score == 0 && c.mask == 0 && !masked) return 0;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int q, h, from = 0, to = w->k_len;
        tc__attn_row(p, w, row + tc_lane() / 4 + i * 8, &q, &h);
        if (c.causal || c.window) {
            const int end = q + w->k_len - w->q_len + p->window_right + 1;
            to = end < to ? end : to;
        }
        if (c.window) from = q + w->k_len - w->q_len - p->window_left;
        q = q < w->q_len ? q : w->q_len - 1;
        if (c.score && masked) {
#pragma unroll
            for (int j = 0; j < cols / 4; j++) {
                float *x = s + j / 2 * 4 + i * 2 + j % 2;
                const int kv = kv0 + j / 2 * 8 + j % 2;
                *x = c.score(*x * p->scale, w->b, h, q, kv < w->k_len ? kv : w->k_len - 1, p->hook);
            }
        } else if (c.score) {
#pragma unroll
            for (int j = 0; j < cols / 4; j++) {
                float *x = s + j / 2 * 4 + i * 2 + j % 2;
                *x = c.score(*x * p->scale, w->b, h, q, kv0 + j / 2 * 8 + j % 2, p->hook);
            }
        }
        if (masked) {
            from -= kv0;
            to -= kv0;
#pragma unroll
            for (int j = 0; j < cols / 4; j++) {
                float *x = s + j / 2 * 4 + i * 2 + j % 2;
                const int kv = j / 2 * 8 + j % 2;
                if (kv >= to || (c.window && kv < from)) *x = -TC__INF;
            }
        }
        if (c.mask && state == TC_ATTN_PARTIAL) {
#pragma unroll
            for (int j = 0; j < cols / 4; j++) {
                float *x = s + j / 2 * 4 + i * 2 + j % 2;
                const int kv = kv0 + j / 2 * 8 + j % 2;
                if (!c.mask(w->b, h, q, kv < w->k_len ? kv : w->k_len - 1, p->hook)) *x = -TC__INF;
            }
        }
    }
    return (masked && (c.causal || c.window)) || (c.mask && state == TC_ATTN_PARTIAL);
}

/* The two rows of a lane: the value that exp is taken relative to, this lane's part of the sum, and by how much rounding P to 16 bits
 * has changed that part, where it was looked at. */
typedef struct tc_attn_rows {
    float max[2], sum[2], rounding[2];
} tc_attn_rows;

TC_DEV void tc_attn_rows_init(tc_attn_rows *r)
{
    r->max[0] = r->max[1] = -TC__INF;
    r->sum[0] = r->sum[1] = 0.f;
    r->rounding[0] = r->rounding[1] = 0.f;
}

/* The largest of a lane's own scores in each of its two rows. */
TC_DEV void tc__attn_top(const float *s, const int cols, float *top)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float a = fmaxf(s[2 * i], s[4 + 2 * i]), b = fmaxf(s[2 * i + 1], s[4 + 2 * i + 1]);
#pragma unroll
        for (int j = 2; j < cols / 8; j++) {
            a = fmaxf(a, s[4 * j + 2 * i]);
            b = fmaxf(b, s[4 * j + 2 * i + 1]);
        }
        top[i] = fmaxf(a, b);
    }
}

/* The larger of a row's x over the four lanes that share it. */
TC_DEV float tc__attn_quad_max(float x)
{
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/* By how much rounding to 16 bits changes the sum of row i's probabilities. */
TC_DEV_SM80 float tc__attn_rounding(const int type, const float *s, const int cols, const int i)
{
    float sum = 0.f;
#pragma unroll
    for (int j = 0; j < cols / 8; j++) {
        const float *x = s + 4 * j + 2 * i;
        const uint32_t w = tc__pack(type, x[0], x[1]);
        sum += tc__unpack(type, w & 0xffffu) - x[0] + (tc__unpack(type, w >> 16) - x[1]);
    }
    return sum;
}

/* Scores to exp2(score * scale - max), in place; adds them to the sums. Where no row of the warp has a new maximum the return value is
 * 0; else 1, for the whole warp, and what was added up before is to be multiplied by f[0], f[1]. few: rows may see few keys here
 * (there is a mask), so that the rounding of a single P counts: O is then divided by what was multiplied. (Not so everywhere: that
 * would cost 10 %. And to let a maximum rise a little before anything is multiplied would gain some, but be less exact by 3 to 14 %:
 * the largest P, which is 1, would have to be rounded.) */
TC_DEV_SM80 int tc_attn_softmax(const tc_attn_config c, const float scale, float *s, const int cols, int few, tc_attn_rows *r, float *f)
{
    float top[2], shift[2];
    int rise;
    tc__attn_top(s, cols, top);
    rise = __any_sync(0xffffffffu, top[0] > r->max[0] || top[1] > r->max[1]);
    if (rise) { /* only now do lanes ask their neighbours */
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float to = tc__attn_quad_max(fmaxf(r->max[i], top[i])), base = to == -TC__INF ? 0.f : to;
            f[i] = tc__exp2((r->max[i] - base) * scale);
            r->sum[i] *= f[i];
            r->rounding[i] *= f[i];
            r->max[i] = to;
        }
    }
#pragma unroll
    for (int i = 0; i < 2; i++) shift[i] = r->max[i] == -TC__INF ? 0.f : -r->max[i] * scale;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        float a = 0.f, b = 0.f;
#pragma unroll
        for (int j = 0; j < cols / 8; j++) {
            float *x = s + 4 * j + 2 * i;
            x[0] = tc__exp2(fmaf(x[0], scale, shift[i]));
            x[1] = tc__exp2(fmaf(x[1], scale, shift[i]));
            a += x[0];
            b += x[1];
        }
        r->sum[i] += a + b;
    }
    if (few) {
#pragma unroll
        for (int i = 0; i < 2; i++) r->rounding[i] += tc__attn_rounding(c.type, s, cols, i);
    }
    return rise;
}

/* P as the A operand of the second product: `cols` columns of probabilities to 16-bit pairs, 4 registers for each 16 columns. */
TC_DEV_SM80 void tc_attn_pack(const int type, const float *s, const int cols, uint32_t *a)
{
#pragma unroll
    for (int i = 0; i < cols / 4; i++) a[i] = tc__pack(type, s[2 * i], s[2 * i + 1]);
}

TC_DEV void tc_attn_rescale(float *o, const int cols, const float *f)
{
#pragma unroll
    for (int i = 0; i < cols / 2; i++) o[i] *= f[i / 2 % 2];
}

/* 4 words of each of the 4 lanes of a quad, transposed: lane q gets word q of all, in the order of the lanes. n is 4, or 2 for half of
 * it: then lane q gets the words of lanes q & ~1, q | 1 that belong to w[q & 1]. */
TC_DEV void tc__attn_transpose(uint32_t *w, const int n)
{
    const int odd = tc_lane() & 1, high = tc_lane() & 2;
#pragma unroll
    for (int i = 0; i < n; i += 2) {
        const uint32_t got = __shfl_xor_sync(0xffffffffu, odd ? w[i] : w[i + 1], 1), kept = odd ? w[i + 1] : w[i];
        w[i] = odd ? got : kept;
        w[i + 1] = odd ? kept : got;
    }
    if (n == 4) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const uint32_t got = __shfl_xor_sync(0xffffffffu, high ? w[i] : w[i + 2], 2), kept = high ? w[i + 2] : w[i];
            w[i] = high ? got : kept;
            w[i + 2] = high ? kept : got;
        }
    }
}

/* The end of 16 rows of a tile: o divided by the sums, through the output hook, and the log-sum-exp stored. row: of the tile, that
 * of o[0] in lane 0. A row that nothing was added to gives 0 and -inf. */
TC_DEV_SM80 void tc_attn_finish(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, float *o, const tc_attn_rows *r, int row)
{
    const int lane = tc_lane();
    const float scale = c.score ? TC__LOG2E : p->scale_log2;
    float *lse = p->lse + ((long long)tc__attn_outer_q(p, w) * p->lse_batch + w->q_at);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int tile_row = row + lane / 4 + i * 8;
        float sum = r->sum[i], top = r->max[i] == -TC__INF ? -TC__INF : r->max[i] * scale, inverse, rounded = r->sum[i] + r->rounding[i];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        rounded += __shfl_xor_sync(0xffffffffu, rounded, 1);
        rounded += __shfl_xor_sync(0xffffffffu, rounded, 2);
        inverse = sum == 0.f ? 0.f : tc__inverse(rounded);
        if (c.sink || c.out || p->lse) {
            int q, h;
            tc__attn_row(p, w, tile_row, &q, &h);
            if (c.sink) {
                const float sink = c.sink(w->b, h, p->hook) * TC__LOG2E, high = fmaxf(top, sink);
                const float mine = top == -TC__INF ? 0.f : tc__exp2(top - high), other = sink == -TC__INF ? 0.f : tc__exp2(sink - high);
                rounded = rounded * mine + other;
                inverse = rounded == 0.f ? 0.f : mine * tc__inverse(rounded);
                sum = sum * mine + other;
                top = high;
            }
            if (p->lse && q < w->q_len && tile_row < p->tile_q * p->group && lane % 4 == 0)
                lse[h * p->lse_head + q] = sum == 0.f ? -TC__INF : (top + tc__log2(sum)) * TC__LN2;
            if (c.out) {
                q = q < w->q_len ? q : w->q_len - 1;
#pragma unroll
                for (int j = 0; j < c.head_dim_v / 8; j++) {
                    const int d = j * 8 + lane % 4 * 2;
                    o[4 * j + 2 * i] = c.out(o[4 * j + 2 * i] * inverse, w->b, h, q, d, p->hook);
                    o[4 * j + 2 * i + 1] = c.out(o[4 * j + 2 * i + 1] * inverse, w->b, h, q, d + 1, p->hook);
                }
            }
        }
        if (c.out == 0) {
#pragma unroll
            for (int j = 0; j < c.head_dim_v / 8; j++) {
                o[4 * j + 2 * i] *= inverse;
                o[4 * j + 2 * i + 1] *= inverse;
            }
        }
    }
}

/* Those rows to O: 16 bytes a lane, 64 of a row by a quad; rows that do not exist are left out. */
TC_DEV_SM80 void tc_attn_store(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, const float *o, int row)
{
    const int lane = tc_lane(), dv = c.head_dim_v;
    uint16_t *to[2];
    int exists[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        int q, h;
        tc__attn_row(p, w, row + lane / 4 + i * 8, &q, &h);
        exists[i] = q < w->q_len && row + lane / 4 + i * 8 < p->tile_q * p->group;
        to[i] = (uint16_t *)p->o + ((long long)tc__attn_outer_q(p, w) * p->o_batch + (long long)(w->q_at + q) * p->o_row + h * p->o_head);
    }
#pragma unroll
    for (int j = 0; j < dv / 8; j += 4) {
        const int n = dv / 8 - j < 4 ? 2 : 4;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint32_t x[4];
#pragma unroll
            for (int e = 0; e < n; e++) x[e] = tc__pack(c.type, o[4 * (j + e) + 2 * i], o[4 * (j + e) + 2 * i + 1]);
            tc__attn_transpose(x, n);
            if (exists[i] && n == 4) *(uint4 *)(to[i] + j * 8 + lane % 4 * 8) = make_uint4(x[0], x[1], x[2], x[3]);
            if (exists[i] && n == 2) *(uint2 *)(to[i] + j * 8 + lane % 2 * 8 + lane % 4 / 2 * 4) = make_uint2(x[0], x[1]);
        }
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM90: warp-specialised, persistent.
 *
 *     warpgroup 0       one warp of it is the producer: Q once a tile, K and V into their rings by TMA
 *     warpgroup 1..     consumers, 64 rows of Q each: S = Q K', softmax in registers, O += P V
 *
 *     shared memory:    Q: [boxes of 64 columns][bm rows][128 bytes] | K: [stages][boxes][bn][128] | V: the same | O
 *                       | for each tile of Q which work it is | mbarriers: full and empty of each slot; tail
 *
 * Two overlaps keep the Tensor Cores busy. Inside a warpgroup the softmax of one tile runs while P V of the tile before it is
 * multiplied; between warpgroups turns are taken (named barriers): while one issues its products the other is in its softmax.
 */
TC_HD TC_CONSTEXPR int tc__attn_boxes(int dim) { return (dim + 63) / 64; }
TC_HD TC_CONSTEXPR int tc__attn_q_bytes(const tc_attn_config c) { return tc__attn_boxes(c.head_dim) * c.bm * 128; }
TC_HD TC_CONSTEXPR int tc__attn_k_bytes(const tc_attn_config c) { return tc__attn_boxes(c.head_dim) * c.bn * 128; }
TC_HD TC_CONSTEXPR int tc__attn_v_bytes(const tc_attn_config c) { return tc__attn_boxes(c.head_dim_v) * c.bn * 128; }
TC_HD TC_CONSTEXPR int tc__attn_least_smem(const tc_attn_config c)
{
    return c.q_stages * (tc__attn_q_bytes(c) + 16) + 2 * 48 + c.stages * (tc__attn_k_bytes(c) + tc__attn_v_bytes(c) + 32) + 8;
}
/* O leaves through shared memory by TMA where there is room for it. */
TC_HD TC_CONSTEXPR int tc__attn_o_bytes(const tc_attn_config c)
{
    const int bytes = tc__attn_boxes(c.head_dim_v) * c.bm * 128;
    return tc__attn_least_smem(c) + bytes <= TC__SM90_SMEM_MAX ? bytes : 0;
}
TC_HD TC_CONSTEXPR int tc_attn_sm90_smem(const tc_attn_config c) { return tc__attn_least_smem(c) + tc__attn_o_bytes(c); }
TC_HD TC_CONSTEXPR int tc_attn_sm90_threads(const tc_attn_config c) { return 128 * (1 + c.consumers); }

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm90_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    const int wide = c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v;
    c.stages = c.stages ? c.stages : 2;
    c.bm = c.bm ? c.bm : wide <= 64 && !c.score && !c.mask ? 192 : 128; /* three warpgroups leave 160 registers: not enough for hooks */
    c.consumers = c.consumers ? c.consumers : c.bm / 64;
    if (c.bn == 0) c.bn = wide <= 128 ? 128 : wide <= 192 ? 112 : 80;
    if (c.q_stages == 0) {
        c.q_stages = 2;
        c.q_stages = tc__attn_least_smem(c) <= TC__SM90_SMEM_MAX ? 2 : 1;
    }
    return c;
}

#ifdef __CUDACC__

TC_DEV uint32_t tc__attn_q(const tc_attn_config c, uint32_t smem, uint32_t stage) { return smem + stage * (uint32_t)tc__attn_q_bytes(c); }
TC_DEV uint32_t tc__attn_k(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn_q(c, smem, (uint32_t)c.q_stages) + stage * (uint32_t)tc__attn_k_bytes(c);
}
TC_DEV uint32_t tc__attn_v(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn_k(c, smem, (uint32_t)c.stages) + stage * (uint32_t)tc__attn_v_bytes(c);
}
TC_DEV uint32_t tc__attn_o(const tc_attn_config c, uint32_t smem) { return tc__attn_v(c, smem, (uint32_t)c.stages); }
/* two notes, also where there is one slot of Q: its laps alternate between them */
TC_DEV uint32_t tc__attn_note(const tc_attn_config c, uint32_t smem, tc_ring q)
{
    return tc__attn_o(c, smem) + (uint32_t)tc__attn_o_bytes(c) + (c.q_stages == 1 ? q.phase : q.stage) * 48u;
}
TC_DEV uint32_t tc__attn_k_full(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_o(c, smem) + (uint32_t)(tc__attn_o_bytes(c) + 2 * 48) + stage * 16u; }
TC_DEV uint32_t tc__attn_k_empty(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_k_full(c, smem, stage) + 8u; }
TC_DEV uint32_t tc__attn_v_full(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_k_full(c, smem, (uint32_t)c.stages) + stage * 16u; }
TC_DEV uint32_t tc__attn_v_empty(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_v_full(c, smem, stage) + 8u; }
TC_DEV uint32_t tc__attn_q_full(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_v_full(c, smem, (uint32_t)c.stages) + stage * 16u; }
TC_DEV uint32_t tc__attn_q_empty(const tc_attn_config c, uint32_t smem, uint32_t stage) { return tc__attn_q_full(c, smem, stage) + 8u; }
TC_DEV uint32_t tc__attn_tail(const tc_attn_config c, uint32_t smem) { return tc__attn_q_full(c, smem, (uint32_t)c.q_stages); }

/* Where a tile of K or V lies in its tensor; used: rows of it that belong to the sequence. */
typedef struct tc__attn_source {
    int row, head, outer, used;
} tc__attn_source;

/* One tile of K or V into its slot; lane 0 of the producer. */
TC_DEV_SM90 void tc__attn_sm90_fetch(const tc_attn_config c, const tc_tmap *map, const int boxes, uint32_t dst, uint32_t bar, const tc__attn_source *from)
{
    tc_mbarrier_arrive_expect_tx(bar, (uint32_t)(boxes * c.bn * 128));
#pragma unroll
    for (int i = 0; i < boxes; i++) tc_cp_async_bulk_tensor_4d(dst + (uint32_t)(i * c.bn * 128), map, i * 64, from->row, from->head, from->outer, bar);
}

/* Tile number `round` of a block: back and forth over the blocks, which evens out work that shrinks along the order. */
TC_DEV uint32_t tc__attn_turn(uint32_t round, uint32_t block, uint32_t blocks) { return round * blocks + (round & 1u ? blocks - 1u - block : block); }

/* A tile that has no key to attend: 0 (through the output hook) and -inf, or the sink. By one warp. */
TC_DEV void tc__attn_store_nothing(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w)
{
#pragma unroll 1
    for (int i = 0; i < p->tile_q * p->group; i++) {
        int q, h;
        tc__attn_row(p, w, i, &q, &h);
        if (q < w->q_len) {
            uint16_t *to = (uint16_t *)p->o + ((long long)tc__attn_outer_q(p, w) * p->o_batch + (long long)(w->q_at + q) * p->o_row + h * p->o_head);
#pragma unroll 1
            for (int d = tc_lane(); d < c.head_dim_v; d += 32) {
                const float x = c.out ? c.out(0.f, w->b, h, q, d, p->hook) : 0.f;
                to[d] = c.type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
            }
            if (p->lse && tc_lane() == 0)
                p->lse[(long long)tc__attn_outer_q(p, w) * p->lse_batch + h * p->lse_head + w->q_at + q] = c.sink ? c.sink(w->b, h, p->hook) : -TC__INF;
        }
    }
}

/* The producer finds out what comes next, and leaves it beside the tile of Q: it has the time for the divisions. b = -1: the end. */
TC_DEV void tc__attn_note_put(uint32_t at, const tc_attn_work *w)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(w->b), "r"(w->h), "r"(w->q0), "r"(w->q_len) : "memory");
    asm volatile("st.shared.v4.b32 [%0+16], {%1, %2, %3, %4};" : : "r"(at), "r"(w->k_len), "r"(w->q_at), "r"(w->lo), "r"(w->hi) : "memory");
    asm volatile("st.shared.v2.b32 [%0+32], {%1, %2};" : : "r"(at), "r"(w->free_lo), "r"(w->free_hi) : "memory");
}

/* Into uniform registers: it is the same for the warp, which has few others (producer) or needs them for sums (consumers). */
TC_DEV_SM80 void tc__attn_work_uniform(tc_attn_work *w)
{
    w->b = (int)tc_uniform((uint32_t)w->b);
    w->h = (int)tc_uniform((uint32_t)w->h);
    w->q0 = (int)tc_uniform((uint32_t)w->q0);
    w->q_len = (int)tc_uniform((uint32_t)w->q_len);
    w->k_len = (int)tc_uniform((uint32_t)w->k_len);
    w->q_at = (int)tc_uniform((uint32_t)w->q_at);
    w->k_at = (int)tc_uniform((uint32_t)w->k_at);
    w->lo = (int)tc_uniform((uint32_t)w->lo);
    w->hi = (int)tc_uniform((uint32_t)w->hi);
    w->free_lo = (int)tc_uniform((uint32_t)w->free_lo);
    w->free_hi = (int)tc_uniform((uint32_t)w->free_hi);
}

/* The consumers read it. */
TC_DEV_SM80 void tc__attn_note_get(uint32_t at, tc_attn_work *w)
{
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(w->b), "=r"(w->h), "=r"(w->q0), "=r"(w->q_len) : "r"(at) : "memory");
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4+16];" : "=r"(w->k_len), "=r"(w->q_at), "=r"(w->lo), "=r"(w->hi) : "r"(at) : "memory");
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2+32];" : "=r"(w->free_lo), "=r"(w->free_hi) : "r"(at) : "memory");
    w->k_at = 0;  /* the producer's affair */
    tc__attn_work_uniform(w);
    __syncwarp(); /* all lanes have read before one gives the slot back */
}

/* Producer, one warp: one tile of V. Rows behind the sequence may hold anything where it is packed or padded, and 0 times anything
 * may be NaN: they become zeros before anyone reads them. */
TC_DEV_SM90 void tc__attn_sm90_fetch_v(const tc_attn_config c, const tc_attn_sm90_params *p, uint32_t smem, tc_ring *vr, uint32_t *tails, const tc__attn_source *from)
{
    const int lane = tc_lane(), boxes = tc__attn_boxes(c.head_dim_v);
    const uint32_t v = tc__attn_v(c, smem, vr->stage), full = tc__attn_v_full(c, smem, vr->stage), tail = tc__attn_tail(c, smem);
    TC_MBARRIER_WAIT(tc__attn_v_empty(c, smem, vr->stage), vr->phase ^ 1u, "V empty", (int)vr->stage);
    if (p->problem.zero_tail && from->used < c.bn) {
        if (lane == 0) tc__attn_sm90_fetch(c, &p->v, boxes, v, tail, from);
        TC_MBARRIER_WAIT(tail, *tails & 1u, "V tail", 0);
        ++*tails;
#pragma unroll 1
        for (int at = from->used * 128 + lane * 16; at < c.bn * 128; at += 512) {
#pragma unroll
            for (int i = 0; i < boxes; i++)
                asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" : : "r"(v + (uint32_t)(i * c.bn * 128 + at)), "r"(0) : "memory");
        }
        tc_fence_proxy_async_shared();
        __syncwarp();
        if (lane == 0) tc_mbarrier_arrive(full);
    } else if (lane == 0) {
        tc__attn_sm90_fetch(c, &p->v, boxes, v, full, from);
    }
    tc_ring_next(vr, c.stages);
}

/* The block's next tile of work that has keys to look at: *n is the first of its tiles of keys, *round counts. 0 at the end. What a
 * tile without keys has to say is stored on the way. */
TC_DEV int tc__attn_next_work(const tc_attn_config c, const tc_attn_problem *p, uint32_t *round, tc_attn_work *w, int *n)
{
    const uint32_t total = (uint32_t)p->blocks * (uint32_t)p->columns;
    int state;
    for (;;) {
        const uint32_t i = tc__attn_turn((*round)++, blockIdx.x, gridDim.x);
        if (i >= total) return 0;
        if (!tc_attn_work_at(c, p, i, w)) continue;
        *n = tc_attn_next(c, p, w, w->hi, &state);
        if (*n >= w->lo) return 1;
        tc__attn_store_nothing(c, p, w);
    }
}

/* Producer, one warp: everything that the block reads, in the order in which the consumers want it: K one tile ahead of V, also
 * from one tile of work to the next. What comes next is found out while the rings are full, so that nobody waits for the divisions. */
TC_DEV_SM90 void tc_attn_sm90_load(const tc_attn_config c, const tc_attn_sm90_params *p, uint32_t smem)
{
    const tc_attn_problem *a = &p->problem;
    const int lane = tc_lane(), boxes = tc__attn_boxes(c.head_dim);
    tc_ring qr = {0, 0}, kr = {0, 0}, vr = {0, 0};
    uint32_t round = 0, tails = 0;
    tc__attn_source k = {0, 0, 0, -1}, v = k; /* v: of the tile of K before, whose V is still to come */
    tc_attn_work w, coming;
    int n = 0, state, first, more = tc__attn_next_work(c, a, &round, &coming, &first);
    w.lo = 1;
    for (;;) {
        int fresh;
        if (n >= w.lo) n = tc_attn_next(c, a, &w, n, &state);
        fresh = n < w.lo;
        if (fresh) {
            if (c.q_stages == 1 && v.used >= 0) { /* the slot of Q is free only when this V has been asked for */
                tc__attn_sm90_fetch_v(c, p, smem, &vr, &tails, &v);
                v.used = -1;
            }
            w = coming;
            tc__attn_work_uniform(&w);
            n = first;
            TC_MBARRIER_WAIT(tc__attn_q_empty(c, smem, qr.stage), qr.phase ^ 1u, "Q empty", (int)qr.stage);
            if (lane == 0) {
                const uint32_t full = tc__attn_q_full(c, smem, qr.stage);
                if (!more) w.b = -1;
                tc__attn_note_put(tc__attn_note(c, smem, qr), &w);
                if (more) {
                    tc_mbarrier_arrive_expect_tx(full, (uint32_t)(boxes * a->tile_q * a->group * 128));
#pragma unroll
                    for (int e = 0; e < boxes; e++)
                        tc_cp_async_bulk_tensor_5d(tc__attn_q(c, smem, qr.stage) + (uint32_t)(e * c.bm * 128), &p->q, e * 64, 0, w.q_at + w.q0, w.h / a->group,
                                                   tc__attn_outer_q(a, &w), full);
                } else {
                    tc_mbarrier_arrive(full);
                }
            }
            tc_ring_next(&qr, c.q_stages);
            if (!more) break;
            k.head = (int)tc_uniform((uint32_t)(w.h / (a->heads / a->heads_kv)));
            k.outer = (int)tc_uniform((uint32_t)tc__attn_outer_k(a, &w));
            n = (int)tc_uniform((uint32_t)n);
        }
        k.row = w.k_at + n * c.bn;
        k.used = w.k_len - n * c.bn;
        TC_MBARRIER_WAIT(tc__attn_k_empty(c, smem, kr.stage), kr.phase ^ 1u, "K empty", (int)kr.stage);
        if (lane == 0) tc__attn_sm90_fetch(c, &p->k, boxes, tc__attn_k(c, smem, kr.stage), tc__attn_k_full(c, smem, kr.stage), &k);
        tc_ring_next(&kr, c.stages);
        if (v.used >= 0) tc__attn_sm90_fetch_v(c, p, smem, &vr, &tails, &v);
        v = k;
        if (fresh) more = (int)tc_uniform((uint32_t)tc__attn_next_work(c, a, &round, &coming, &first));
    }
    if (v.used >= 0) tc__attn_sm90_fetch_v(c, p, smem, &vr, &tails, &v);
}

/* Consumer: a slot goes back, by one thread of the warpgroup. */
TC_DEV_SM90 void tc__attn_release(uint32_t bar)
{
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(bar);
}

/* S = Q K' of one tile, issued. */
TC_DEV_SM90A void tc__attn_sm90_qk(const tc_attn_config c, const tc_wgmma_fn qk, uint32_t smem, uint32_t q_stage, uint32_t stage, int wg, float *s)
{
    const uint64_t q = tc_wgmma_desc(tc__attn_q(c, smem, q_stage) + (uint32_t)(wg * 64 * 128), 128), k = tc_wgmma_desc(tc__attn_k(c, smem, stage), 128);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < c.head_dim / 16; i++)
        qk(s, tc_wgmma_desc_advance(q, (uint32_t)(i / 4 * c.bm * 128 + i % 4 * 32)), tc_wgmma_desc_advance(k, (uint32_t)(i / 4 * c.bn * 128 + i % 4 * 32)), i > 0);
    tc_wgmma_commit_group();
}

/* O = P V, or O += P V, of one tile, issued. */
TC_DEV_SM90A void tc__attn_sm90_pv(const tc_attn_config c, const tc_wgmma_rs_fn pv, uint32_t smem, uint32_t stage, const uint32_t *a, float *o, int add)
{
    const uint64_t v = tc_wgmma_desc_mn(tc__attn_v(c, smem, stage), (uint32_t)(c.bn * 128));
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < c.bn / 16; i++) pv(o, a + 4 * i, tc_wgmma_desc_advance(v, (uint32_t)(i * 2048)), i > 0 ? 1 : add);
    tc_wgmma_commit_group();
}

/* A consumer warp's 16 rows to O: by TMA through its part of shared memory where all rows of the tile follow each other in O, which is
 * the case unless heads are packed or another sequence begins among them; else by ordinary stores. Every condition here is the same for
 * the warp and known to be: else the products' descriptors would leave the uniform registers. */
TC_DEV_SM90 void tc__attn_sm90_store(const tc_attn_config c, const tc_attn_sm90_params *p, const tc_attn_work *w, uint32_t smem, float *o, const tc_attn_rows *r, int row)
{
    const tc_attn_problem *a = &p->problem;
    tc_attn_finish(c, a, w, o, r, row);
    if (tc__attn_o_bytes(c) && a->group == 1 && ((a->cu_q == 0 && a->lens_q == 0) || w->q0 + c.bm <= w->q_len)) {
        const uint32_t lane = (uint32_t)tc_lane(), to = tc__attn_o(c, smem) + (uint32_t)(row * 128), at = to + tc_swizzle_128B(lane % 16 * 128 + lane / 16 * 16);
        if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); /* the tile before has left */
        __syncwarp();
#pragma unroll
        for (int j = 0; j < c.head_dim_v / 16; j++) {
            const float *x = o + 8 * j;
            const uint32_t v[4] = {tc__pack(c.type, x[0], x[1]), tc__pack(c.type, x[2], x[3]), tc__pack(c.type, x[4], x[5]), tc__pack(c.type, x[6], x[7])};
            tc_stmatrix_x4((at ^ (uint32_t)(j % 4 * 32)) + (uint32_t)(j / 4 * c.bm * 128), v);
        }
        tc_fence_proxy_async_shared();
        __syncwarp();
        if (lane == 0) {
#pragma unroll
            for (int i = 0; i < tc__attn_boxes(c.head_dim_v); i++)
                if (w->q0 + row < w->q_len) tc_cp_async_bulk_tensor_4d_store(&p->o, to + (uint32_t)(i * c.bm * 128), i * 64, w->q_at + w->q0 + row, w->h, tc__attn_outer_q(a, w));
            tc_cp_async_bulk_commit_group();
        }
    } else {
        tc_attn_store(c, a, w, o, row);
    }
}

/* Where a consumer stands: its place in the rings, and what it keeps for the rows of its lanes. */
typedef struct tc__attn_consumer {
    tc_ring q, k, v;
    int wg, row;    /* warpgroup, and the warp's first row in a tile */
    tc_attn_work w;
    int n;          /* tile of keys */
    tc_attn_rows r;
} tc__attn_consumer;

/* The first S of a tile of work, after it was issued: to P in a. */
TC_DEV_SM90A void tc__attn_sm90_first(const tc_attn_config c, const tc_attn_sm90_params *p, uint32_t smem, tc__attn_consumer *u, float *s, uint32_t *a)
{
    float f[2];
    int state, few;
    u->n = tc_attn_next(c, &p->problem, &u->w, u->w.hi, &state);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(s, c.bn / 2);
    tc__attn_release(tc__attn_k_empty(c, smem, u->k.stage));
    tc_ring_next(&u->k, c.stages);
    tc_attn_rows_init(&u->r);
    few = tc_attn_score(c, &p->problem, &u->w, s, c.bn, u->row, u->n, state, 1);
    tc_attn_softmax(c, c.score ? TC__LOG2E : p->problem.scale_log2, s, c.bn, few, &u->r, f);
    tc_attn_pack(c.type, s, c.bn, a);
}

/* One more tile of keys of a tile of work: S of tile n is multiplied together with P V of the tile before it, and the softmax runs while
 * P V does. Leaves P in a. add: whether o holds anything yet. edges: as for tc_attn_score. */
TC_DEV_SM90A void tc__attn_sm90_step(const tc_attn_config c, const tc_wgmma_fn qk, const tc_wgmma_rs_fn pv, const tc_attn_sm90_params *p, uint32_t smem,
                                     tc__attn_consumer *u, float *s, uint32_t *a, float *o, int n, int state, int add, const int edges)
{
    const int next_wg = u->wg + 1 == c.consumers ? 0 : u->wg + 1;
    float f[2];
    int rise, few;
    TC_MBARRIER_WAIT(tc__attn_k_full(c, smem, u->k.stage), u->k.phase, "K full", (int)u->k.stage);
    if (c.consumers > 1) tc_bar_sync(1 + u->wg, 256);
    tc__attn_sm90_qk(c, qk, smem, u->q.stage, u->k.stage, u->wg, s);
    TC_MBARRIER_WAIT(tc__attn_v_full(c, smem, u->v.stage), u->v.phase, "V full", (int)u->v.stage);
    tc__attn_sm90_pv(c, pv, smem, u->v.stage, a, o, add);
    if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
    TC_WGMMA_WAIT_GROUP(1);
    tc_wgmma_fence_acc(s, c.bn / 2);
    tc__attn_release(tc__attn_k_empty(c, smem, u->k.stage));
    tc_ring_next(&u->k, c.stages);
    few = tc_attn_score(c, &p->problem, &u->w, s, c.bn, u->row, n, state, edges);
    rise = tc_attn_softmax(c, c.score ? TC__LOG2E : p->problem.scale_log2, s, c.bn, few, &u->r, f);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(o, c.head_dim_v / 2);
    tc__attn_release(tc__attn_v_empty(c, smem, u->v.stage));
    tc_ring_next(&u->v, c.stages);
    tc_attn_pack(c.type, s, c.bn, a);
    if (rise) tc_attn_rescale(o, c.head_dim_v, f);
}

/* The tiles of keys after the first. Those that every row sees whole have a loop of their own: not a single test for a mask stands
 * in it, which gains 7 %. The return value: whether o holds anything. */
TC_DEV_SM90A int tc__attn_sm90_rest(const tc_attn_config c, const tc_wgmma_fn qk, const tc_wgmma_rs_fn pv, const tc_attn_sm90_params *p, uint32_t smem,
                                    tc__attn_consumer *u, float *s, uint32_t *a, float *o)
{
    int add = 0, state = TC_ATTN_WHOLE, n;
    if (c.mask || (c.head_dim_v > 192 && (c.causal || c.window))) { /* of wide heads one loop, for want of registers */
        for (n = tc_attn_next(c, &p->problem, &u->w, u->n, &state); n >= u->w.lo; n = tc_attn_next(c, &p->problem, &u->w, n, &state), add = 1)
            tc__attn_sm90_step(c, qk, pv, p, smem, u, s, a, o, n, state, add, 1);
    } else {
        n = u->n - 1;
        if (c.causal || c.window) /* without them only the first tile can have an edge: the end of the sequence */
            for (; n >= u->w.free_hi && n >= u->w.lo; n--, add = 1) tc__attn_sm90_step(c, qk, pv, p, smem, u, s, a, o, n, state, add, 1);
        for (; n >= u->w.free_lo; n--, add = 1) tc__attn_sm90_step(c, qk, pv, p, smem, u, s, a, o, n, state, add, 0);
        if (c.window)
            for (; n >= u->w.lo; n--, add = 1) tc__attn_sm90_step(c, qk, pv, p, smem, u, s, a, o, n, state, add, 1);
    }
    if (tc_lane() == 0) tc_mbarrier_arrive(tc__attn_q_empty(c, smem, u->q.stage));
    tc_ring_next(&u->q, c.q_stages);
    return add;
}

/* Consumer, one warpgroup: all tiles of work of this block. Where two of them meet, the last P V of the one and the first S of the
 * other are multiplied together, and the one is stored while the other's S is in the making. */
TC_DEV_SM90A void tc_attn_sm90_mma(const tc_attn_config c, const tc_wgmma_fn qk, const tc_wgmma_rs_fn pv, const tc_attn_sm90_params *p, uint32_t smem, int wg)
{
    const int next_wg = wg + 1 == c.consumers ? 0 : wg + 1, early = c.q_stages == 2 && c.head_dim_v <= 192; /* S of the next tile before this one is stored: wants registers, and its Q */
    tc__attn_consumer u = {{0, 0}, {0, 0}, {0, 0}, wg, wg * 64 + (int)(threadIdx.x / 32u % 4u) * 16};
    float s[128], o[128];
    uint32_t a[64];
    int add;

    if (c.consumers > 1 && wg == 1) tc_bar_arrive(1, 256); /* the first warpgroup's first turn */
    TC_MBARRIER_WAIT(tc__attn_q_full(c, smem, 0), 0, "Q full", 0);
    tc__attn_note_get(tc__attn_note(c, smem, u.q), &u.w);
    if (u.w.b < 0) return;
    TC_MBARRIER_WAIT(tc__attn_k_full(c, smem, 0), 0, "K full", 0);
    tc__attn_sm90_qk(c, qk, smem, 0, 0, wg, s);
    tc__attn_sm90_first(c, p, smem, &u, s, a);
    for (;;) {
        const tc_attn_work before = u.w;
        add = tc__attn_sm90_rest(c, qk, pv, p, smem, &u, s, a, o);
        TC_MBARRIER_WAIT(tc__attn_v_full(c, smem, u.v.stage), u.v.phase, "V full", (int)u.v.stage);
        if (early) {
            TC_MBARRIER_WAIT(tc__attn_q_full(c, smem, u.q.stage), u.q.phase, "Q full", (int)u.q.stage);
            tc__attn_note_get(tc__attn_note(c, smem, u.q), &u.w);
            if (u.w.b < 0) {
                u.w = before;
                break;
            }
        }
        if (c.consumers > 1) tc_bar_sync(1 + wg, 256);
        tc__attn_sm90_pv(c, pv, smem, u.v.stage, a, o, add);
        if (early) {
            TC_MBARRIER_WAIT(tc__attn_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn_sm90_qk(c, qk, smem, u.q.stage, u.k.stage, wg, s);
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(1);
        } else {
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(0);
        }
        tc_wgmma_fence_acc(o, c.head_dim_v / 2);
        tc__attn_release(tc__attn_v_empty(c, smem, u.v.stage));
        tc_ring_next(&u.v, c.stages);
        tc__attn_sm90_store(c, p, &before, smem, o, &u.r, u.row);
        if (!early) {
            TC_MBARRIER_WAIT(tc__attn_q_full(c, smem, u.q.stage), u.q.phase, "Q full", (int)u.q.stage);
            tc__attn_note_get(tc__attn_note(c, smem, u.q), &u.w);
            if (u.w.b < 0) {
                if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
                return;
            }
            TC_MBARRIER_WAIT(tc__attn_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn_sm90_qk(c, qk, smem, u.q.stage, u.k.stage, wg, s);
        }
        tc__attn_sm90_first(c, p, smem, &u, s, a);
    }
    tc__attn_sm90_pv(c, pv, smem, u.v.stage, a, o, add); /* the last tile of all */
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(o, c.head_dim_v / 2);
    tc__attn_sm90_store(c, p, &u.w, smem, o, &u.r, u.row);
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* The kernel. */
TC_DEV_SM90A void tc_attn_sm90(const tc_attn_config c, const tc_wgmma_fn qk, const tc_wgmma_rs_fn pv, const tc_attn_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const int wg = tc_warpgroup(), many = c.bn / 2 + c.bn / 4 + c.head_dim_v / 2 > 190, /* sums and probabilities that want every register */
              hooked = c.mask_tile && c.bn / 2 + c.bn / 4 + c.head_dim_v / 2 <= 170;                              /* the producer calls a hook */

    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->q);
        tc_prefetch_tensormap(&p->k);
        tc_prefetch_tensormap(&p->v);
        for (uint32_t i = 0; i < (uint32_t)c.q_stages; i++) {
            tc_mbarrier_init(tc__attn_q_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn_q_empty(c, smem, i), (uint32_t)c.consumers * 4u); /* a lane of each warp: they have read the note, too */
        }
        for (uint32_t i = 0; i < (uint32_t)c.stages; i++) {
            tc_mbarrier_init(tc__attn_k_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn_k_empty(c, smem, i), (uint32_t)c.consumers);
            tc_mbarrier_init(tc__attn_v_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn_v_empty(c, smem, i), (uint32_t)c.consumers);
        }
        tc_mbarrier_init(tc__attn_tail(c, smem), 1);
        tc_fence_mbarrier_init();
    }
    /* rows of Q's tiles that TMA never writes: packed heads whose number does not divide bm */
    for (int i = 0; i < c.q_stages * tc__attn_boxes(c.head_dim); i++)
        for (int at = p->problem.tile_q * p->problem.group * 128 + (int)threadIdx.x * 16; at < c.bm * 128; at += tc_attn_sm90_threads(c) * 16)
            asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" : : "r"(smem + (uint32_t)(i * c.bm * 128 + at)), "r"(0) : "memory");
    tc_fence_proxy_async_shared();
    __syncthreads();
    tc_griddepcontrol_wait();

    if (wg == 0) {
        if (c.consumers == 2 && hooked) TC_SETMAXNREG_DEC(56);
        else if (c.consumers == 2 && !many) TC_SETMAXNREG_DEC(40);
        else if (c.consumers == 2) TC_SETMAXNREG_DEC(24);
        else if (c.consumers == 3) TC_SETMAXNREG_DEC(32);
        if (threadIdx.x < 32) {
            tc_attn_sm90_load(c, p, smem);
            tc_griddepcontrol_launch_dependents();
        }
    } else {
        if (c.consumers == 2 && hooked) TC_SETMAXNREG_INC(224);
        else if (c.consumers == 2 && !many) TC_SETMAXNREG_INC(232);
        else if (c.consumers == 2) TC_SETMAXNREG_INC(240);
        else if (c.consumers == 3) TC_SETMAXNREG_INC(160);
        tc_attn_sm90_mma(c, qk, pv, p, smem, wg - 1);
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * SM80: one block a tile of queries; each warp has bm / warps rows of it, and all the keys.
 *
 *     shared memory:    Q: [bm rows][head_dim] | K: [stages][bn rows][head_dim] | V: [stages][bn rows][head_dim_v]
 *                       rows end to end, their 16-byte chunks swizzled
 *
 * What bounds it is shared memory: a fragment that ldmatrix brings must serve as many products as registers allow. So a warp has
 * 32 rows where O leaves room for them (each fragment of K and V then serves two products), and as much of Q as fits stays in
 * registers. exp2 of the next 16 keys runs between the products of P V of these 16, so that neither waits for the other.
 */
TC_HD TC_CONSTEXPR int tc__attn80_rows(const tc_attn_config c) { return c.bm / c.warps; }
TC_HD TC_CONSTEXPR int tc_attn_sm80_threads(const tc_attn_config c) { return c.warps * 32; }
TC_HD TC_CONSTEXPR int tc_attn_sm80_smem(const tc_attn_config c) { return (c.bm * c.head_dim + c.stages * c.bn * (c.head_dim + c.head_dim_v)) * 2; }

/* Registers of a lane: those of O and S; how many steps of 16 columns of Q fit beside them; how many blocks an SM then has. What is
 * allowed for all the rest was found by trying: nothing may spill. */
#define TC__ATTN80_ROOM 176
TC_HD TC_CONSTEXPR int tc__attn80_sums(const tc_attn_config c) { return tc__attn80_rows(c) / 16 * (c.bn + c.head_dim_v) / 2; }
TC_HD TC_CONSTEXPR int tc__attn80_held(const tc_attn_config c)
{
    const int each = tc__attn80_rows(c) / 4, room = (c.score || c.mask || c.window ? 160 : TC__ATTN80_ROOM) - tc__attn80_sums(c), fit = room > 0 ? room / each : 0;
    return fit < c.head_dim / 16 ? fit : c.head_dim / 16;
}
TC_HD TC_CONSTEXPR int tc__attn80_blocks(const tc_attn_config c)
{
    const int rest = c.score || c.mask ? 96 : c.causal || c.window || c.head_dim < 64 ? 64 : 48;
    const int registers = tc__attn80_sums(c) + tc__attn80_held(c) * tc__attn80_rows(c) / 4 + rest;
    const int by_registers = 65536 / ((registers + 7) / 8 * 8 * tc_attn_sm80_threads(c)), by_smem = 232448 / (tc_attn_sm80_smem(c) + 1024);
    const int blocks = by_registers < by_smem ? by_registers : by_smem;
    return blocks < 1 ? 1 : blocks;
}

/* Tiles of keys that every row sees whole have a loop of their own, but where ptxas then has a few registers too few. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define TC__ATTN80_APART 0
#else
#define TC__ATTN80_APART 1
#endif

/* How many ldmatrix run ahead of their products; how many cp.async go out in a run: behind an ldmatrix ptxas has sm_90 pause for them.
 * A __syncwarp here and there keeps ptxas from moving ldmatrix up until registers spill. */
#define TC__ATTN80_AHEAD(c) ((c).window || (c).score || (c).mask || (c).head_dim < 64 ? 2 : 3)
enum { TC__ATTN80_RUN = 4 };

/* Copies of a tile to shared memory: `lanes` threads side by side in a row, `pieces` chunks of 8 elements each; `step` rows in a pass. */
TC_HD TC_CONSTEXPR int tc__attn80_lanes(const int dim) { return dim / 8 & -(dim / 8); }
TC_HD TC_CONSTEXPR int tc__attn80_pieces(const int dim) { return dim / 8 / tc__attn80_lanes(dim); }
TC_HD TC_CONSTEXPR int tc__attn80_step(const tc_attn_config c, const int dim) { return tc_attn_sm80_threads(c) / tc__attn80_lanes(dim); }
TC_HD TC_CONSTEXPR int tc__attn80_passes(const tc_attn_config c, const int dim) { return (c.bn + tc__attn80_step(c, dim) - 1) / tc__attn80_step(c, dim); }

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm80_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    c.stages = c.stages ? c.stages : 2;
    c.bm = c.bm ? c.bm : c.head_dim_v <= 128 ? 128 : 64;
    c.warps = c.warps ? c.warps : c.head_dim_v <= 128 ? (c.bm + 31) / 32 : c.bm / 16;
    if (c.bn == 0) c.bn = c.head_dim + c.head_dim_v > 256 || (c.head_dim_v > 96 && c.head_dim != c.head_dim_v) || (c.head_dim_v > 32 && (c.score || c.mask)) ? 32 : 64;
    return c;
}

#ifdef __CUDACC__

/* Byte offset of a chunk of 8 elements in rows of dim elements. The XOR is as wide as the largest power of 2 that divides a row, at
 * most 8 chunks: 8 rows of one chunk column, which are a matrix of ldmatrix, then lie in 8 different 16-byte groups of banks. */
TC_DEV int tc__attn80_xor(const int dim) { return (dim / 8 & -(dim / 8)) < 8 ? dim / 8 & -(dim / 8) : 8; }
TC_DEV uint32_t tc__attn80_twist(const int dim, uint32_t row) { return row / (8u / (uint32_t)tc__attn80_xor(dim)) % (uint32_t)tc__attn80_xor(dim) * 16u; }
TC_DEV uint32_t tc__attn80_at(const int dim, uint32_t row, uint32_t chunk) { return row * (uint32_t)(dim * 2) + (chunk * 16u ^ tc__attn80_twist(dim, row)); }

/* The same moved by `chunks`, an even constant. */
TC_DEV uint32_t tc__attn80_move(const int dim, uint32_t at, const int chunks)
{
    return (at ^ (uint32_t)(chunks % tc__attn80_xor(dim) * 16)) + (uint32_t)(chunks / tc__attn80_xor(dim) * tc__attn80_xor(dim) * 16);
}

/* Copy number i of a thread: where to, from the place of its first one. step is a power of 2, and so the XOR of the sum of two rows
 * is that of the two. */
TC_DEV uint32_t tc__attn80_to(const tc_attn_config c, const int dim, uint32_t first, const int i)
{
    const int row = i / tc__attn80_pieces(dim) * tc__attn80_step(c, dim);
    return (first ^ tc__attn80_twist(dim, (uint32_t)row)) + (uint32_t)(row * dim * 2 + i % tc__attn80_pieces(dim) * tc__attn80_lanes(dim) * 16);
}

/* A thread's first copy of a tile: where it goes in a slot, and how far from the tile's first row it comes from. */
TC_DEV uint32_t tc__attn80_first_to(const int dim, uint32_t t) { return tc__attn80_at(dim, t / (uint32_t)tc__attn80_lanes(dim), t % (uint32_t)tc__attn80_lanes(dim)); }
TC_DEV uint32_t tc__attn80_first_from(const int dim, uint32_t t, uint32_t pitch)
{
    return t / (uint32_t)tc__attn80_lanes(dim) * pitch + t % (uint32_t)tc__attn80_lanes(dim) * 16u;
}

/* A tile of K or V whose first `exist` rows there are; zeros for the others, since 0 times anything may be NaN. */
TC_DEV_SM80 void tc__attn80_fill(const tc_attn_config c, const int dim, uint32_t slot, const char *src, uint32_t pitch, long long pass, int exist)
{
    const uint32_t to = slot + tc__attn80_first_to(dim, threadIdx.x);
    const int r = (int)threadIdx.x / tc__attn80_lanes(dim), step = tc__attn80_step(c, dim);
    src += tc__attn80_first_from(dim, threadIdx.x, pitch);
#pragma unroll
    for (int i = 0; i < tc__attn80_passes(c, dim) * tc__attn80_pieces(dim); i++) {
        const int row = r + i / tc__attn80_pieces(dim) * step;
        if (i > 0 && i % tc__attn80_pieces(dim) == 0) src += pass;
        if (row < c.bn) tc_cp_async_cg_16_zfill(tc__attn80_to(c, dim, to, i), src + i % tc__attn80_pieces(dim) * tc__attn80_lanes(dim) * 16, row < exist ? 16 : 0);
    }
}

/* Copy number i of a tile of which every row exists; src moves along. Predicated: a branch would keep ptxas from mixing the copies
 * with the products around them. */
TC_DEV_SM80 void tc__attn80_copy(const tc_attn_config c, const int dim, uint32_t to, const char **src, uint32_t off, long long pass, const int i, int on)
{
    const int r = (int)threadIdx.x / tc__attn80_lanes(dim), row = i / tc__attn80_pieces(dim) * tc__attn80_step(c, dim);
    if (i > 0 && i % tc__attn80_pieces(dim) == 0) *src += pass;
    if (row + tc__attn80_step(c, dim) > c.bn) on = on && r + row < c.bn;
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .b64 from;\n\t"
                 "setp.ne.b32 p, %3, 0;\n\t"
                 "cvt.u64.u32 from, %2;\n\t"
                 "add.s64 from, from, %1;\n\t"
                 "@p cp.async.cg.shared.global [%0], [from], 16;\n\t"
                 "}" : : "r"(tc__attn80_to(c, dim, to, i)), "l"(*src), "r"(off + (uint32_t)(i % tc__attn80_pieces(dim) * tc__attn80_lanes(dim) * 16)), "r"(on) : "memory");
}

TC_DEV_SM80 const char *tc__attn80_uniform(const char *p)
{
    return (const char *)((uint64_t)tc_uniform((uint32_t)((uint64_t)p >> 32)) << 32 | tc_uniform((uint32_t)(uint64_t)p));
}

/* The tile of Q; rows that do not exist become zeros. */
TC_DEV_SM80 void tc__attn80_load_q(const tc_attn_config c, const tc_attn_sm80_params *p, const tc_attn_work *w, uint32_t smem)
{
    const tc_attn_problem *pr = &p->problem;
    const int lanes = tc__attn80_lanes(c.head_dim), r = (int)threadIdx.x / lanes, ch = (int)threadIdx.x % lanes, step = tc__attn80_step(c, c.head_dim);
    const char *base = (const char *)p->q + ((long long)tc__attn_outer_q(&p->problem, w) * p->q_batch + (long long)w->q_at * p->q_row + ch * 8) * 2;
#pragma unroll 2
    for (int row = r; row < c.bm; row += step) {
        const uint32_t to = smem + tc__attn80_at(c.head_dim, (uint32_t)row, (uint32_t)ch);
        int q, h, bytes;
        tc__attn_row(pr, w, row, &q, &h);
        bytes = q < w->q_len && row < pr->tile_q * pr->group ? 16 : 0;
#pragma unroll
        for (int i = 0; i < tc__attn80_pieces(c.head_dim); i++)
            tc_cp_async_cg_16_zfill(to + (uint32_t)(i * lanes * 16), base + ((long long)q * p->q_row + h * p->q_head) * 2 + i * lanes * 16, bytes);
    }
}

TC_DEV_SM80 void tc__attn80_mma(const int type, float *d, const uint32_t *a, const uint32_t *b, const int zero)
{
    if (type == TC_BF16 && zero) TC_MMA_ZERO(m16n8k16, row, col, f32, bf16, bf16, f32, d, a, b);
    else if (type == TC_BF16) tc_mma_m16n8k16_f32_bf16(d, a, b, d);
    else if (zero) TC_MMA_ZERO(m16n8k16, row, col, f32, f16, f16, f32, d, a, b);
    else tc_mma_m16n8k16_f32_f16(d, a, b, d);
}

/* What moves along while a block works on a tile. */
typedef struct tc__attn80_place {
    uint32_t q_lane, k_lane, v_lane; /* ldmatrix: offsets of this lane in 16 rows of Q, K, V */
    uint32_t q, k, v;         /* shared addresses, the same for all lanes: this warp's rows of Q; slot 0 of K, of V */
    const char *k_src, *v_src; /* the tile that is loaded next, the same for all lanes */
    uint32_t use, fill;       /* slots: that of this tile, that of the tile loaded next */
} tc__attn80_place;

TC_DEV_SM80 void tc__attn80_read_q(const tc_attn_config c, const tc__attn80_place *at, const int step, uint32_t *a)
{
#pragma unroll
    for (int t = 0; t < tc__attn80_rows(c) / 16; t++)
        tc_ldmatrix_x4(a + 4 * t, tc__attn80_move(c.head_dim, at->q_lane, 2 * step) + (at->q + (uint32_t)(t * 16 * c.head_dim * 2)));
}

/* How many of `copies` have gone out before unit u of `units`. */
TC_DEV int tc__attn80_due(const int copies, const int units, const int u)
{
    return u == units ? copies : copies * u / units / TC__ATTN80_RUN * TC__ATTN80_RUN;
}

/* S = Q K' of one tile; between the products the copies of the tile that is loaded next. Unit u: 16 columns of Q by 16 keys. */
TC_DEV_SM80 void tc__attn80_qk(const tc_attn_config c, const tc_attn_sm80_params *p, tc__attn80_place *at, const uint32_t *held, int load, float *s)
{
    const int tiles = tc__attn80_rows(c) / 16, each = c.bn / 16, units = c.head_dim / 16 * each, fore = TC__ATTN80_AHEAD(c), slots = fore + 1, hold = tc__attn80_held(c);
    const int k_copies = tc__attn80_passes(c, c.head_dim) * tc__attn80_pieces(c.head_dim);
    const int copies = k_copies + tc__attn80_passes(c, c.head_dim_v) * tc__attn80_pieces(c.head_dim_v);
    const uint32_t k = at->k + at->use * (uint32_t)(c.bn * c.head_dim * 2);
    uint32_t k_to, v_to, k_off, v_off, thread;
    uint32_t f[4][4], q[2][16];
#define TC__ATTN80_K(u) tc_ldmatrix_x4(f[(u) % slots], tc__attn80_move(c.head_dim, at->k_lane, (u) / each * 2) + (k + (uint32_t)((u) % each * 16 * c.head_dim * 2)))
    /* the thread's number in a way that depends on the loop: else what follows of it would take registers all the time */
    asm volatile("{\n\t"
                 ".reg .b32 zero;\n\t"
                 "shr.u32 zero, %2, 8;\n\t"
                 "add.u32 %0, %1, zero;\n\t"
                 "}" : "=r"(thread) : "r"(threadIdx.x), "r"(at->fill));
    k_to = at->k + at->fill * (uint32_t)(c.bn * c.head_dim * 2) + tc__attn80_first_to(c.head_dim, thread);
    v_to = at->v + at->fill * (uint32_t)(c.bn * c.head_dim_v * 2) + tc__attn80_first_to(c.head_dim_v, thread);
    k_off = tc__attn80_first_from(c.head_dim, thread, (uint32_t)(p->k_row * 2));
    v_off = tc__attn80_first_from(c.head_dim_v, thread, (uint32_t)(p->v_row * 2));
    if (hold == 0) tc__attn80_read_q(c, at, 0, q[0]);
#pragma unroll
    for (int u = 0; u < fore && u < units; u++) TC__ATTN80_K(u);
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int step = u / each, j = u % each;
        const uint32_t *a = step < hold ? held + step * tiles * 4 : q[step % 2];
        if (j == 0 && step) __syncwarp();
        if (u + fore < units) TC__ATTN80_K(u + fore);
        if (j == 0 && step + 1 < c.head_dim / 16 && step + 1 >= hold) tc__attn80_read_q(c, at, step + 1, q[(step + 1) % 2]);
#pragma unroll
        for (int i = tc__attn80_due(copies, units, u); i < tc__attn80_due(copies, units, u + 1); i++) {
            if (i < k_copies) tc__attn80_copy(c, c.head_dim, k_to, &at->k_src, k_off, p->k_pass, i, load);
            else tc__attn80_copy(c, c.head_dim_v, v_to, &at->v_src, v_off, p->v_pass, i - k_copies, load);
        }
#pragma unroll
        for (int e = 0; e < 2; e++) {
#pragma unroll
            for (int t = 0; t < tiles; t++) tc__attn80_mma(c.type, s + t * c.bn / 2 + (2 * j + e) * 4, a + 4 * t, f[u % slots] + 2 * e, step == 0);
        }
    }
#undef TC__ATTN80_K
    tc_cp_async_commit_group();
}

/* Element i (of 8 of each of the lane's tiles of 16 rows) of keys 16 j .. 16 j + 15, to exp2 and into the sum of its row. */
TC_DEV_SM80 void tc__attn80_exp(const tc_attn_config c, float scale, const float *shift, const int j, const int i, float *s, float *sum)
{
    float *x = s + i / 8 * c.bn / 2 + j * 8 + i % 8;
    *x = tc__exp2(fmaf(*x, scale, shift[i / 8 * 2 + i % 4 / 2]));
    sum[i / 8 * 2 + i % 4 / 2] += *x;
}

/* O += P V of one tile, P = exp2(S * scale + shift). Unit: 16 keys by 16 columns of V. */
TC_DEV_SM80 void tc__attn80_pv(const tc_attn_config c, const tc__attn80_place *at, float scale, const float *shift, float *s, float *sum, float *o)
{
    const int tiles = tc__attn80_rows(c) / 16, each = c.head_dim_v / 16, units = c.bn / 16 * each, fore = TC__ATTN80_AHEAD(c), slots = fore + 1;
    const uint32_t v = at->v + at->use * (uint32_t)(c.bn * c.head_dim_v * 2);
    uint32_t f[4][4], a[2][16];
    float part[8]; /* the sums of this tile alone: fewer roundings in a long row */
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) part[i] = 0.f;
#define TC__ATTN80_V(u) tc_ldmatrix_x4_trans(f[(u) % slots], tc__attn80_move(c.head_dim_v, at->v_lane, (u) % each * 2) + (v + (uint32_t)((u) / each * 16 * c.head_dim_v * 2)))
#pragma unroll
    for (int u = 0; u < fore && u < units; u++) TC__ATTN80_V(u);
#pragma unroll
    for (int i = 0; i < tiles * 8; i++) tc__attn80_exp(c, scale, shift, 0, i, s, part);
#pragma unroll
    for (int t = 0; t < tiles; t++) tc_attn_pack(c.type, s + t * c.bn / 2, 16, a[0] + 4 * t);
#pragma unroll
    for (int u = 0; u < units; u++) {
        const int j = u / each, n = u % each;
        if (u % 4 == 0) __syncwarp();
        if (u + fore < units) TC__ATTN80_V(u + fore);
#pragma unroll
        for (int e = 0; e < 2; e++) {
#pragma unroll
            for (int t = 0; t < tiles; t++) tc__attn80_mma(c.type, o + t * c.head_dim_v / 2 + (2 * n + e) * 4, a[j % 2] + 4 * t, f[u % slots] + 2 * e, 0);
        }
        if (j + 1 < c.bn / 16) {
#pragma unroll
            for (int i = tiles * 8 * n / each; i < tiles * 8 * (n + 1) / each; i++) tc__attn80_exp(c, scale, shift, j + 1, i, s, part);
            if (n + 1 == each) {
#pragma unroll
                for (int t = 0; t < tiles; t++) tc_attn_pack(c.type, s + t * c.bn / 2 + (j + 1) * 8, 16, a[(j + 1) % 2] + 4 * t);
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) sum[i] += part[i];
#undef TC__ATTN80_V
}

/* The shift of a row that has seen no key yet: exp2 gives 0, and every score is a rise. Finite, since inf - inf would be NaN. */
#define TC__ATTN80_NONE 3e38f

/* 16 rows: where one of the warp's has a new maximum, their shifts, which are -maximum * scale, and what was added up before. */
TC_DEV_SM80 void tc__attn80_raise(const tc_attn_config c, float scale, const float *s, float *shift, float *sum, float *rounding, float *o)
{
    float top[2];
    tc__attn_top(s, c.bn, top);
    if (!__any_sync(0xffffffffu, fmaf(top[0], scale, shift[0]) > 0.f || fmaf(top[1], scale, shift[1]) > 0.f)) return;
#pragma unroll
    for (int i = 0; i < 2; i++) { /* only now do lanes ask their neighbours */
        const float to = fminf(shift[i], -tc__attn_quad_max(top[i]) * scale), f = tc__exp2(to - shift[i]);
        shift[i] = to;
        sum[i] *= f;
        if (c.causal || c.window || c.mask) rounding[i] *= f; /* otherwise the 0 that the compiler knows */
#pragma unroll
        for (int j = 0; j < c.head_dim_v / 8; j++) {
            o[4 * j + 2 * i] *= f;
            o[4 * j + 2 * i + 1] *= f;
        }
    }
}

/* 16 rows that may see few keys: by how much rounding P to 16 bits changes their sums. */
TC_DEV_SM80 void tc__attn80_round(const tc_attn_config c, float scale, const float *s, const float *shift, float *rounding)
{
#pragma unroll
    for (int j = 0; j < c.bn / 4; j++) {
        const float x = tc__exp2(fmaf(s[2 * j], scale, shift[j % 2])), y = tc__exp2(fmaf(s[2 * j + 1], scale, shift[j % 2]));
        const uint32_t w = tc__pack(c.type, x, y);
        rounding[j % 2] += tc__unpack(c.type, w & 0xffffu) - x + (tc__unpack(c.type, w >> 16) - y);
    }
}

/* One tile of keys. load: there is a tile to be loaded meanwhile; edges: as for tc_attn_score. */
TC_DEV_SM80 void tc__attn80_tile(const tc_attn_config c, const tc_attn_sm80_params *p, const tc_attn_work *w, tc__attn80_place *at, const uint32_t *held, int row0,
                                 int n, int state, int load, const int edges, float *s, float *shift, float *sum, float *rounding, float *o)
{
    const float scale = c.score ? TC__LOG2E : p->problem.scale_log2;
    tc__attn80_qk(c, p, at, held, load, s);
#pragma unroll
    for (int t = 0; t < tc__attn80_rows(c) / 16; t++) {
        float *x = s + t * c.bn / 2;
        const int few = tc_attn_score(c, &p->problem, w, x, c.bn, row0 + t * 16, n, state, edges);
        tc__attn80_raise(c, scale, x, shift + 2 * t, sum + 2 * t, rounding + 2 * t, o + t * c.head_dim_v / 2);
        if (few) tc__attn80_round(c, scale, x, shift + 2 * t, rounding + 2 * t);
    }
    tc__attn80_pv(c, at, scale, shift, s, sum, o);
}

/* On to the next tile: its slot, and the tile to be loaded next after `ahead`, which is returned. There are stages / 2 tiles between two
 * barriers; while they are worked on, as many are loaded. */
TC_DEV_SM80 int tc__attn80_forward(const tc_attn_config c, const tc_attn_sm80_params *p, const tc_attn_work *w, tc__attn80_place *at, int ahead)
{
    const int together = c.stages / 2;
    int unused;
    const int next = tc_attn_next(c, &p->problem, w, ahead, &unused);
    at->k_src -= p->k_back;
    at->v_src -= p->v_back;
    if (c.mask || c.mask_tile) { /* tiles were skipped */
        at->k_src -= (ahead - next - 1) * p->k_tile;
        at->v_src -= (ahead - next - 1) * p->v_tile;
    }
    at->use = at->use + 1 == (uint32_t)c.stages ? 0 : at->use + 1;
    at->fill = at->fill + 1 == (uint32_t)c.stages ? 0 : at->fill + 1;
    if (together == 1 || at->use % (uint32_t)together == 0) {
        tc__cp_async_wait(c.stages - 2 * together);
        __syncthreads();
    }
    return next;
}

/* The kernel. Tiles of keys that every row sees whole have a loop of their own, without a test for a mask. */
TC_DEV_SM80 void tc_attn_sm80(const tc_attn_config c, const tc_attn_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_attn_problem *pr = &p->problem;
    const int tiles = tc__attn80_rows(c) / 16, lane = tc_lane(), row0 = (int)tc_uniform(threadIdx.x / 32u) * tc__attn80_rows(c), hold = tc__attn80_held(c);
    const int together = c.stages / 2, apart = TC__ATTN80_APART && !c.window && !c.mask;
    const float scale = c.score ? TC__LOG2E : pr->scale_log2;
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem), smem_k = smem + (uint32_t)(c.bm * c.head_dim * 2);
    const uint32_t smem_v = smem_k + (uint32_t)(c.stages * c.bn * c.head_dim * 2);
    tc__attn80_place at;
    tc_attn_work w;
    float shift[8], sum[8], rounding[8]; /* of each row: what is added to score * scale before exp2; as in tc_attn_rows */
    uint32_t held[256];
    float o[256], s[256];
    uint32_t index;
    int n, ahead, state, unused, hk;

    if (!tc_attn_work_at(c, pr, blockIdx.x, &w)) return;
    w.hi = (int)tc_uniform((uint32_t)w.hi);
    w.free_hi = (int)tc_uniform((uint32_t)w.free_hi);
    if (c.window) {
        w.lo = (int)tc_uniform((uint32_t)w.lo);
        w.free_lo = (int)tc_uniform((uint32_t)w.free_lo);
    }
#pragma unroll
    for (int i = 0; i < tiles * c.head_dim_v / 2; i++) o[i] = 0.f;
#pragma unroll
    for (int i = 0; i < 2 * tiles; i++) shift[i] = TC__ATTN80_NONE, sum[i] = rounding[i] = 0.f;
    n = tc_attn_next(c, pr, &w, w.hi, &state);
    if (n >= w.lo) {
        hk = w.h / (pr->heads / pr->heads_kv);
        at.q_lane = tc__attn80_at(c.head_dim, (uint32_t)(lane % 16), (uint32_t)(lane / 16));
        at.k_lane = tc__attn80_at(c.head_dim, (uint32_t)(lane % 8 + lane / 16 * 8), (uint32_t)(lane / 8 % 2));
        at.v_lane = tc__attn80_at(c.head_dim_v, (uint32_t)(lane % 16), (uint32_t)(lane / 16));
        at.q = smem + (uint32_t)(row0 * c.head_dim * 2);
        at.k = smem_k;
        at.v = smem_v;
        at.k_src = tc__attn80_uniform((const char *)p->k + ((long long)tc__attn_outer_k(pr, &w) * p->k_batch + (long long)w.k_at * p->k_row + hk * p->k_head) * 2);
        at.v_src = tc__attn80_uniform((const char *)p->v + ((long long)tc__attn_outer_k(pr, &w) * p->v_batch + (long long)w.k_at * p->v_row + hk * p->v_head) * 2);
        at.use = 0;
        at.fill = 0;
        tc__attn80_load_q(c, p, &w, smem);
        ahead = n;
#pragma unroll 1
        for (int i = 0; i < c.stages - together; i++) {
            if (ahead >= w.lo) {
                tc__attn80_fill(c, c.head_dim, smem_k + at.fill * (uint32_t)(c.bn * c.head_dim * 2), at.k_src + ahead * p->k_tile, (uint32_t)(p->k_row * 2), p->k_pass, w.k_len - ahead * c.bn);
                tc__attn80_fill(c, c.head_dim_v, smem_v + at.fill * (uint32_t)(c.bn * c.head_dim_v * 2), at.v_src + ahead * p->v_tile, (uint32_t)(p->v_row * 2), p->v_pass, w.k_len - ahead * c.bn);
                ahead = tc_attn_next(c, pr, &w, ahead, &unused);
            }
            at.fill++;
            tc_cp_async_commit_group();
        }
        at.k_src += ahead * p->k_tile;
        at.v_src += ahead * p->v_tile;
        tc__cp_async_wait(c.stages - 2 * together);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < hold; i++) tc__attn80_read_q(c, &at, i, held + i * tiles * 4);
        for (;;) {
            tc__attn80_tile(c, p, &w, &at, held, row0, n, state, ahead >= w.lo, 1, s, shift, sum, rounding, o);
            n = tc_attn_next(c, pr, &w, n, &state);
            if (n < w.lo) break;
            ahead = tc__attn80_forward(c, p, &w, &at, ahead);
            if (apart && n < w.free_hi) break;
        }
        if (apart && n >= w.lo) {
            for (;;) {
                tc__attn80_tile(c, p, &w, &at, held, row0, n, state, ahead >= w.lo, 0, s, shift, sum, rounding, o);
                if (--n < w.lo) break;
                ahead = tc__attn80_forward(c, p, &w, &at, ahead);
            }
        }
    }
    /* from scratch, so that nothing of it takes registers in the loop */
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    tc_attn_work_at(c, pr, index, &w);
#pragma unroll
    for (int t = 0; t < tiles; t++) {
        tc_attn_rows r;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            r.max[i] = shift[2 * t + i] == TC__ATTN80_NONE ? -TC__INF : -shift[2 * t + i] / scale;
            r.sum[i] = sum[2 * t + i];
            r.rounding[i] = rounding[2 * t + i];
        }
        tc_attn_finish(c, pr, &w, o + t * c.head_dim_v / 2, &r, row0 + t * 16);
        tc_attn_store(c, pr, &w, o + t * c.head_dim_v / 2, row0 + t * 16);
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * Host: checks and launches.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST int tc__attn_kv_heads(const tc_attn_args *g) { return g->heads_kv ? g->heads_kv : g->heads; }
TC_HOST int tc__attn_empty(const tc_attn_args *g) { return g->batch == 0 || g->heads == 0 || g->q_len == 0 || (g->cu_q && g->total_q == 0); }

/* Strides as given, or those of a contiguous tensor. */
TC_HOST tc_attn_strides tc__attn_strides(tc_attn_strides s, int64_t rows, int heads, int dim)
{
    if (s.batch == 0 && s.row == 0 && s.head == 0) {
        s.head = dim;
        s.row = (int64_t)dim * heads;
        s.batch = s.row * rows;
    }
    return s;
}

TC_HOST tc_status tc__attn_check_tensor(const char *name, const void *p, tc_attn_strides s)
{
    const int64_t all[3] = {s.batch, s.row, s.head};
    static const char *const names[3] = {"batch", "row", "head"};
    int i;
    if (!p) return tc__fail(TC_ERR_NULL, "%s is null", name);
    if ((uintptr_t)p % 16) return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes", name, p);
    for (i = 0; i < 3; i++) {
        if (all[i] < 0) return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld is negative", name, names[i], (long long)all[i]);
        if (all[i] % 8) return tc__fail(TC_ERR_ALIGN, "%s_stride.%s = %lld elements is not a multiple of 8 (16 bytes)", name, names[i], (long long)all[i]);
        if (all[i] >= (int64_t)1 << 39)
            return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld elements is 2^40 bytes or more, which TMA cannot step", name, names[i], (long long)all[i]);
    }
    return TC_OK;
}

/* Where sequences begin (cumulative), or how long they are. */
TC_HOST tc_status tc__attn_check_lengths(const char *name, const int *host, int cumulative, int batch, int longest, int total)
{
    int i;
    if (!host) return TC_OK;
    for (i = 0; i < batch; i++) {
        int len;
        if (cumulative && i == 0 && host[0] != 0) return tc__fail(TC_ERR_SIZE, "%s[0] = %d: the first sequence begins at 0", name, host[0]);
        if (cumulative && host[i + 1] < host[i])
            return tc__fail(TC_ERR_SIZE, "%s is not monotonic: [%d] = %d comes after [%d] = %d", name, i + 1, host[i + 1], i, host[i]);
        len = cumulative ? host[i + 1] - host[i] : host[i];
        if (len < 0) return tc__fail(TC_ERR_SIZE, "%s[%d] = %d is negative", name, i, len);
        if (len > longest) return tc__fail(TC_ERR_SIZE, "%s: sequence %d has %d rows, more than the %d of %s_len", name, i, len, longest, strstr(name, "_q") ? "q" : "k");
    }
    if (cumulative && host[batch] > total) return tc__fail(TC_ERR_SIZE, "%s[%d] = %d is more than the %d rows of total_%s", name, batch, host[batch], total, strstr(name, "_q") ? "q" : "k");
    return TC_OK;
}

/* One side of the lengths, x: q or k. */
TC_HOST tc_status tc__attn_check_side(char x, const int *cu, const int *lens, const int *host_cu, const int *host_lens, const tc_attn_args *g, int longest, int total)
{
    char name[16];
    if (cu && lens) return tc__fail(TC_ERR_SIZE, "cu_%c and lens_%c are both given: sequences are packed or padded, not both", x, x);
    if (host_cu && !cu) return tc__fail(TC_ERR_NULL, "host_cu_%c is given, but cu_%c is null", x, x);
    if (host_lens && !lens) return tc__fail(TC_ERR_NULL, "host_lens_%c is given, but lens_%c is null", x, x);
    if (total < 0) return tc__fail(TC_ERR_SIZE, "total_%c = %d is negative", x, total);
    if (cu && (uintptr_t)cu % 4) return tc__fail(TC_ERR_ALIGN, "cu_%c = %p is not a multiple of 4 bytes", x, (const void *)cu);
    if (lens && (uintptr_t)lens % 4) return tc__fail(TC_ERR_ALIGN, "lens_%c = %p is not a multiple of 4 bytes", x, (const void *)lens);
    if (cu && longest > total) return tc__fail(TC_ERR_SIZE, "%c_len = %d is more than total_%c = %d", x, longest, x, total);
    snprintf(name, sizeof name, "host_%s_%c", cu ? "cu" : "lens", x);
    return tc__attn_check_lengths(name, cu ? host_cu : host_lens, cu != 0, g->batch, longest, total);
}

TC_HOST tc_status tc__attn_check(const tc_attn_config *c, const tc_attn_args *g)
{
    tc_status st = TC_OK;
    tc_attn_strides o;
    int hk;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    if (g->heads < 0) return tc__fail(TC_ERR_SIZE, "heads = %d is negative", g->heads);
    if (g->heads_kv < 0) return tc__fail(TC_ERR_SIZE, "heads_kv = %d is negative", g->heads_kv);
    if (g->q_len < 0 || g->k_len < 0) return tc__fail(TC_ERR_SIZE, "%c_len = %d is negative", g->q_len < 0 ? 'q' : 'k', g->q_len < 0 ? g->q_len : g->k_len);
    if (g->q_len > TC__ATTN_FAR / 2 || g->k_len > TC__ATTN_FAR / 2)
        return tc__fail(TC_ERR_SIZE, "%c_len = %d is above the limit of %d", g->q_len > TC__ATTN_FAR / 2 ? 'q' : 'k', g->q_len > TC__ATTN_FAR / 2 ? g->q_len : g->k_len, TC__ATTN_FAR / 2);
    hk = tc__attn_kv_heads(g);
    if (hk && g->heads % hk) return tc__fail(TC_ERR_SIZE, "heads = %d is not a multiple of heads_kv = %d", g->heads, hk);
    if ((double)g->batch * g->heads > 1e9) return tc__fail(TC_ERR_SIZE, "batch = %d, heads = %d: more than 10^9 heads", g->batch, g->heads);
    if (g->scale < 0.f || g->scale != g->scale || g->scale > 3e38f) return tc__fail(TC_ERR_SIZE, "scale = %g must be a positive number, or 0 for 1 / sqrt(head_dim)", (double)g->scale);
    if (c->window) {
        if (g->window_left < -1) return tc__fail(TC_ERR_SIZE, "window_left = %d must be 0 or more, or -1 for all", g->window_left);
        if (g->window_right < -1) return tc__fail(TC_ERR_SIZE, "window_right = %d must be 0 or more, or -1 for all", g->window_right);
    } else if ((g->window_left != 0 && g->window_left != -1) || (g->window_right != 0 && g->window_right != -1)) {
        return tc__fail(TC_ERR_SIZE, "window_left = %d, window_right = %d, but the kernel was defined without .window", g->window_left, g->window_right);
    }
    st = tc__check_hook("hook", c->hook_size, g->hook_args, g->hook_size);
    if (st == TC_OK) st = tc__attn_check_side('q', g->cu_q, g->lens_q, g->host_cu_q, g->host_lens_q, g, g->q_len, g->total_q);
    if (st == TC_OK) st = tc__attn_check_side('k', g->cu_k, g->lens_k, g->host_cu_k, g->host_lens_k, g, g->k_len, g->total_k);
    if (st != TC_OK || tc__attn_empty(g)) return st;
    st = tc__attn_check_tensor("q", g->q, tc__attn_strides(g->q_stride, g->q_len, g->heads, c->head_dim));
    if (st == TC_OK && g->k_len) st = tc__attn_check_tensor("k", g->k, tc__attn_strides(g->k_stride, g->k_len, hk, c->head_dim));
    if (st == TC_OK && g->k_len) st = tc__attn_check_tensor("v", g->v, tc__attn_strides(g->v_stride, g->k_len, hk, c->head_dim_v));
    o = tc__attn_strides(g->o_stride, g->q_len, g->heads, c->head_dim_v);
    if (st == TC_OK) st = tc__attn_check_tensor("o", g->o, o);
    if (st != TC_OK) return st;
    if (o.batch == 0 && g->batch > 1 && !g->cu_q) return tc__fail(TC_ERR_SIZE, "o_stride.batch = 0, but batch = %d: rows of O lie on each other", g->batch);
    if (o.row == 0 && g->q_len > 1) return tc__fail(TC_ERR_SIZE, "o_stride.row = 0, but q_len = %d: rows of O lie on each other", g->q_len);
    if (o.head == 0 && g->heads > 1) return tc__fail(TC_ERR_SIZE, "o_stride.head = 0, but heads = %d: rows of O lie on each other", g->heads);
    if (g->lse && (uintptr_t)g->lse % 4) return tc__fail(TC_ERR_ALIGN, "lse = %p is not a multiple of 4 bytes", (void *)g->lse);
    if (g->lse_batch < 0 || g->lse_head < 0) return tc__fail(TC_ERR_SIZE, "lse_%s = %lld is negative", g->lse_batch < 0 ? "batch" : "head", (long long)(g->lse_batch < 0 ? g->lse_batch : g->lse_head));
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
    const tc_attn_strides o = tc__attn_strides(g->o_stride, g->q_len, g->heads, c->head_dim_v);
    const int64_t rows = g->cu_q ? g->total_q : g->q_len;
    double bytes;
    memset((void *)p, 0, sizeof *p);
    p->batch = g->batch;
    p->heads = g->heads;
    p->heads_kv = hk;
    p->q_len = g->q_len;
    p->k_len = g->k_len;
    /* heads that share K and V go into one tile where that makes fewer tiles: short queries */
    p->group = 1;
    if (share > 1 && fits >= 1 && !c->mask_tile && (g->q_len + (int64_t)fits - 1) / fits < (g->q_len + (int64_t)c->bm - 1) / c->bm * share) p->group = share;
    p->tile_q = c->bm / p->group;
    p->blocks = (g->q_len + p->tile_q - 1) / p->tile_q;
    p->columns = g->heads / p->group * g->batch;
    if ((double)p->blocks * p->columns > 2e9) return tc__fail(TC_ERR_SIZE, "q_len = %d, heads = %d, batch = %d: more than 2^31 tiles", g->q_len, g->heads, g->batch);
    bytes = (double)g->k_len * (c->head_dim + c->head_dim_v) * 2 * p->group / share; /* of one column: query heads share those of their key head */
    /* causal: all columns at once where at least two tiles of each are in the making at a time; else as many as L2 holds */
    p->section = !c->causal && !c->window ? 1 : p->columns * 2 <= sms || bytes * p->columns < 32e6 ? p->columns : (int)(32e6 / bytes);
    if (p->section < 1) p->section = 1;
    p->zero_tail = g->cu_k || g->lens_k;
    p->window_left = c->window && g->window_left >= 0 && g->window_left < TC__ATTN_FAR ? g->window_left : TC__ATTN_FAR;
    p->window_right = c->causal ? 0 : c->window && g->window_right >= 0 && g->window_right < TC__ATTN_FAR ? g->window_right : TC__ATTN_FAR;
    p->scale = g->scale > 0.f ? g->scale : tc__attn_default_scale(c->head_dim);
    p->scale_log2 = p->scale * TC__LOG2E;
    p->cu_q = g->cu_q;
    p->cu_k = g->cu_k;
    p->lens_q = g->lens_q;
    p->lens_k = g->lens_k;
    p->o = g->o;
    p->lse = g->lse;
    p->o_batch = o.batch;
    p->o_row = o.row;
    p->o_head = o.head;
    p->lse_head = g->lse_head ? g->lse_head : rows;
    p->lse_batch = g->lse_batch ? g->lse_batch : rows * g->heads;
    if (g->hook_size) memcpy(p->hook, g->hook_args, g->hook_size);
    return TC_OK;
}

/* A tensor map of `rows` rows of `heads` heads, `share` of which stand side by side in a tile (Q; 0: there is no such dimension). */
TC_HOST tc_status tc__attn_map(tc_tmap *map, const char *name, const tc_attn_config *c, const void *base, int dim, int rows, int heads, int share, int batch,
                               tc_attn_strides s, int box_rows)
{
    tc_tmap_desc d;
    int i = 1;
    memset(&d, 0, sizeof d);
    d.type = c->type;
    d.base = base;
    d.dim[0] = (uint64_t)dim;
    d.box[0] = 64;
    if (share) {
        d.dim[i] = d.box[i] = (uint32_t)share;
        d.stride[i++ - 1] = (uint64_t)s.head * 2;
    }
    d.dim[i] = (uint64_t)(rows > 0 ? rows : 1);
    d.box[i] = (uint32_t)box_rows;
    d.stride[i++ - 1] = (uint64_t)s.row * 2;
    d.dim[i] = (uint64_t)(share ? heads / share : heads);
    d.box[i] = 1;
    d.stride[i++ - 1] = (uint64_t)s.head * 2 * (uint64_t)(share ? share : 1);
    d.dim[i] = (uint64_t)batch;
    d.box[i] = 1;
    d.stride[i++ - 1] = (uint64_t)s.batch * 2;
    d.rank = i;
    for (i = 1; i < d.rank; i++)
        if (d.dim[i] == 1) d.stride[i - 1] = 16; /* never stepped over, but there are rules for it */
    d.swizzle = 128;
    d.l2_promotion = 256;
    return tc__tmap_named(map, name, &d);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__attn_sm90_run(const tc_attn_config *c, const tc__kernel *k, const tc_attn_args *g, cudaStream_t stream, int launch)
{
    tc_attn_sm90_params p;
    tc_status st = tc__attn_check(c, g);
    int sms = 0, hk;
    uint32_t total;
    if (st != TC_OK || tc__attn_empty(g)) return st;
    st = tc__kernel_device(k, &sms);
    if (st == TC_OK) st = tc__attn_problem_make(&p.problem, c, g, sms);
    if (st != TC_OK) return st;
    hk = p.problem.heads_kv;
    st = tc__attn_map(&p.q, "q", c, g->q, c->head_dim, g->cu_q ? g->total_q : g->q_len, g->heads, p.problem.group, g->cu_q ? 1 : g->batch,
                      tc__attn_strides(g->q_stride, g->q_len, g->heads, c->head_dim), p.problem.tile_q);
    if (g->k_len == 0) { /* K and V may be anything, nothing of them is read */
        p.k = p.v = p.q;
    } else {
        if (st == TC_OK) st = tc__attn_map(&p.k, "k", c, g->k, c->head_dim, g->cu_k ? g->total_k : g->k_len, hk, 0, g->cu_k ? 1 : g->batch,
                                           tc__attn_strides(g->k_stride, g->k_len, hk, c->head_dim), c->bn);
        if (st == TC_OK) st = tc__attn_map(&p.v, "v", c, g->v, c->head_dim_v, g->cu_k ? g->total_k : g->k_len, hk, 0, g->cu_k ? 1 : g->batch,
                                           tc__attn_strides(g->v_stride, g->k_len, hk, c->head_dim_v), c->bn);
    }
    if (st == TC_OK) st = tc__attn_map(&p.o, "o", c, g->o, c->head_dim_v, g->cu_q ? g->total_q : g->q_len, g->heads, 0, g->cu_q ? 1 : g->batch,
                                       tc__attn_strides(g->o_stride, g->q_len, g->heads, c->head_dim_v), 16);
    if (st != TC_OK || !launch) return st;
    total = (uint32_t)p.problem.blocks * (uint32_t)p.problem.columns;
    return tc__kernel_launch(k, total < (uint32_t)sms ? total : (uint32_t)sms, &p, g->pdl, stream);
}

/* The rows that one pass of copies fills lie within 2^32 bytes. */
TC_HOST tc_status tc__attn80_check_pitch(char x, int64_t row, int rows)
{
    const int64_t most = ((int64_t)1 << 31) / rows;
    return row < most ? TC_OK : tc__fail(TC_ERR_SIZE, "%c_stride.row = %lld elements is above the limit of %lld", x, (long long)row, (long long)(most - 8));
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__attn_sm80_run(const tc_attn_config *c, const tc__kernel *k, const tc_attn_args *g, cudaStream_t stream, int launch)
{
    tc_attn_sm80_params p;
    tc_attn_strides q, ks, v;
    tc_status st = tc__attn_check(c, g);
    int sms = 0;
    if (st != TC_OK || tc__attn_empty(g)) return st;
    q = tc__attn_strides(g->q_stride, g->q_len, g->heads, c->head_dim);
    ks = tc__attn_strides(g->k_stride, g->k_len, tc__attn_kv_heads(g), c->head_dim);
    v = tc__attn_strides(g->v_stride, g->k_len, tc__attn_kv_heads(g), c->head_dim_v);
    if (g->k_len) st = tc__attn80_check_pitch('k', ks.row, tc__attn80_step(*c, c->head_dim));
    if (st == TC_OK && g->k_len) st = tc__attn80_check_pitch('v', v.row, tc__attn80_step(*c, c->head_dim_v));
    if (st == TC_OK) st = tc__kernel_device(k, &sms);
    if (st == TC_OK) st = tc__attn_problem_make(&p.problem, c, g, sms);
    if (st != TC_OK || !launch) return st;
    p.q = g->q, p.q_batch = q.batch, p.q_row = q.row, p.q_head = q.head;
    p.k = g->k, p.k_batch = ks.batch, p.k_row = ks.row, p.k_head = ks.head;
    p.v = g->v, p.v_batch = v.batch, p.v_row = v.row, p.v_head = v.head;
    p.k_pass = ks.row * tc__attn80_step(*c, c->head_dim) * 2;
    p.k_tile = ks.row * c->bn * 2;
    p.k_back = p.k_pass * (tc__attn80_passes(*c, c->head_dim) - 1) + p.k_tile;
    p.v_pass = v.row * tc__attn80_step(*c, c->head_dim_v) * 2;
    p.v_tile = v.row * c->bn * 2;
    p.v_back = p.v_pass * (tc__attn80_passes(*c, c->head_dim_v) - 1) + p.v_tile;
    return tc__kernel_launch(k, (unsigned)p.problem.blocks * (unsigned)p.problem.columns, &p, g->pdl, stream);
}

#endif /* host */

/* =====================================================================================================================
 * Generators.
 */
#ifdef __CUDACC__

TC_DEV float tc__attn_no_score(float s, int b, int h, int q, int kv, const void *args) { (void)b, (void)h, (void)q, (void)kv, (void)args; return s; }
TC_DEV int tc__attn_no_mask(int b, int h, int q, int kv, const void *args) { (void)b, (void)h, (void)q, (void)kv, (void)args; return 1; }
TC_DEV int tc__attn_no_mask_tile(tc_attn_tile tile, const void *args) { (void)tile, (void)args; return TC_ATTN_WHOLE; }
TC_DEV float tc__attn_no_out(float o, int b, int h, int q, int d, const void *args) { (void)b, (void)h, (void)q, (void)d, (void)args; return o; }
TC_DEV float tc__attn_no_sink(int b, int h, const void *args) { (void)b, (void)h, (void)args; return 0.f; }

/* The first assertion always holds: it is there to be printed, with this line, when a hook does not fit. */
#define TC__ATTN_CONFIG(name, complete, ...)                                                                          \
    static_assert(true, "tc: a hook is a TC_DEV function: .score = float f(float s, int b, int h, int q, int kv, const void *args), " \
                        ".mask = int f(int b, int h, int q, int kv, const void *args), .mask_tile = int f(tc_attn_tile tile, const void *args), " \
                        ".out = float f(float o, int b, int h, int q, int d, const void *args), .sink = float f(int b, int h, const void *args)"); \
    TC_HD constexpr tc_attn_config name##_config(void) { return complete(tc_attn_config{__VA_ARGS__}); }              \
    TC_DEV void name##__a_hook_is_a_TC_DEV_function(void)                                                             \
    {                                                                                                                 \
        constexpr tc_attn_config c = name##_config();                                                                 \
        constexpr tc_attn_score_fn score = c.score ? c.score : tc__attn_no_score;                                     \
        constexpr tc_attn_mask_fn mask = c.mask ? c.mask : tc__attn_no_mask;                                          \
        constexpr tc_attn_mask_tile_fn mask_tile = c.mask_tile ? c.mask_tile : tc__attn_no_mask_tile;                 \
        constexpr tc_attn_out_fn out = c.out ? c.out : tc__attn_no_out;                                               \
        constexpr tc_attn_sink_fn sink = c.sink ? c.sink : tc__attn_no_sink;                                          \
        (void)score(0.f, 0, 0, 0, 0, 0), (void)mask(0, 0, 0, 0, 0), (void)mask_tile(tc_attn_tile{}, 0);               \
        (void)out(0.f, 0, 0, 0, 0, 0), (void)sink(0, 0, 0);                                                           \
    }
#define TC__ATTN_HOOK(name) if (false) name##__a_hook_is_a_TC_DEV_function();

#define TC__ATTN_CHECK_COMMON(c)                                                                                      \
    static_assert((c).type == TC_F16 || (c).type == TC_BF16, "tc: .type must be TC_F16 or TC_BF16");                  \
    static_assert((c).head_dim >= 16 && (c).head_dim <= 256 && (c).head_dim % 16 == 0, "tc: .head_dim must be a multiple of 16 in 16..256"); \
    static_assert((c).head_dim_v >= 16 && (c).head_dim_v <= 256 && (c).head_dim_v % 16 == 0, "tc: .head_dim_v must be a multiple of 16 in 16..256"); \
    static_assert(((c).causal == 0 || (c).causal == 1) && ((c).window == 0 || (c).window == 1), "tc: .causal and .window are 0 or 1"); \
    static_assert(!(c).mask_tile || (c).mask, "tc: .mask_tile needs .mask, which decides where it answers TC_ATTN_PARTIAL"); \
    static_assert((c).hook_size >= 0 && (c).hook_size <= TC_EPI_MAX, "tc: .hook_size must be in 0..TC_EPI_MAX");

#define TC__ATTN_CHECK_SM90(c)                                                                                        \
    TC__ATTN_CHECK_COMMON(c)                                                                                          \
    static_assert((c).consumers >= 1 && (c).consumers <= 3 && (c).bm == 64 * (c).consumers, "tc: .bm must be 64, 128 or 192: 64 queries for each of .consumers warpgroups"); \
    static_assert((c).bn >= 16 && (c).bn <= 256 && (c).bn % 16 == 0, "tc: .bn must be a multiple of 16 in 16..256");  \
    static_assert((c).bn / 2 + (c).bn / 4 + (c).head_dim_v / 2 <= ((c).consumers == 3 ? 128 : 208),                   \
                  "tc: too many registers: .bn / 2 + .bn / 4 + .head_dim_v / 2 must be at most 208 (128 for 3 consumers)"); \
    static_assert((c).q_stages == 1 || (c).q_stages == 2, "tc: .q_stages must be 1 or 2");                            \
    static_assert((c).stages >= 2 && tc_attn_sm90_smem(c) <= TC__SM90_SMEM_MAX,                  \
                  "tc: .stages must be 2 or more, and the tiles of Q, K and V fit in 227 KB of shared memory");

#define TC__ATTN_SM90_BODY(config)                                                                                    \
    constexpr tc_attn_config c = config();                                                                            \
    constexpr tc_wgmma_fn qk = tc_wgmma_pick_f32(c.bn, c.type);                                                       \
    constexpr tc_wgmma_rs_fn pv = tc_wgmma_pick_f32_rs_mn(c.head_dim_v, c.type);                                      \
    tc_attn_sm90(c, qk, pv, &p);

#define TC__ATTN_SM90_KERNEL(name)                                                                                    \
    TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_attn_sm90_threads(name##_config())), 1)                            \
        name(const __grid_constant__ tc_attn_sm90_params p)

#define TC_ATTN_SM90_DEFINE(name, ...)                                                                                \
    TC__ATTN_CONFIG(name, tc_attn_sm90_config, __VA_ARGS__)                                                           \
    TC__ATTN_CHECK_SM90(name##_config())                                                                              \
    enum { name##_THREADS = tc_attn_sm90_threads(name##_config()), name##_SMEM = tc_attn_sm90_smem(name##_config()) }; \
    TC__ATTN_SM90_KERNEL(name) { TC__SM90_STRICT(TC__ATTN_HOOK(name) TC__ATTN_SM90_BODY(name##_config)) }             \
    TC__HOST_PART(TC__ATTN_SM90_HOST(name) TC__ENTRIES(name, tc_attn_args))

#define TC__ATTN_SM90_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_attn_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__kernel_cache cache;                                                                                \
        const tc_attn_config c = name##_config();                                                                     \
        const tc__kernel k = {(const void *)name, #name, tc_attn_sm90_threads(c), tc_attn_sm90_smem(c), 1, 90, &cache}; \
        return tc__attn_sm90_run(&c, &k, args, stream, launch);                                                       \
    }

#define TC__ATTN_CHECK_SM80(c)                                                                                        \
    TC__ATTN_CHECK_COMMON(c)                                                                                          \
    static_assert((c).warps == 1 || (c).warps == 2 || (c).warps == 4 || (c).warps == 8 || (c).warps == 16, "tc: .warps must be 1, 2, 4, 8 or 16"); \
    static_assert((c).bm > 0 && (c).bm % (16 * (c).warps) == 0 && (c).bm <= 64 * (c).warps, "tc: .bm must be 16, 32, 48 or 64 queries for each of .warps"); \
    static_assert((c).bn >= 16 && (c).bn <= 256 && (c).bn % 16 == 0, "tc: .bn must be a multiple of 16 in 16..256");  \
    static_assert(tc__attn80_sums(c) <= 208 && (tc__attn80_sums(c) + 48) * tc_attn_sm80_threads(c) <= 65536,          \
                  "tc: too many registers: .bm / .warps / 32 * (.bn + .head_dim_v) must be at most 208, less with 16 warps"); \
    static_assert((c).stages >= 2 && (c).stages <= 6 && tc_attn_sm80_smem(c) <= TC__SM90_SMEM_MAX,                    \
                  "tc: .stages must be in 2..6, and the tiles of Q, K and V fit in 227 KB of shared memory");

#define TC__ATTN_SM80_KERNEL(name, bound, ...)                                                                        \
    TC__KERNEL __launch_bounds__(bound(tc_attn_sm80_threads(name##_config())), tc__attn80_blocks(name##_config()))    \
        name(const __grid_constant__ tc_attn_sm80_params p) { __VA_ARGS__ }

#define TC__ATTN_SM80_BODY(config)                                                                                    \
    constexpr tc_attn_config c = config();                                                                            \
    tc_attn_sm80(c, &p);

#define TC_ATTN_SM80_DEFINE(name, ...)                                                                                \
    TC__ATTN_CONFIG(name, tc_attn_sm80_config, __VA_ARGS__)                                                           \
    TC__ATTN_CHECK_SM80(name##_config())                                                                              \
    enum { name##_THREADS = tc_attn_sm80_threads(name##_config()), name##_SMEM = tc_attn_sm80_smem(name##_config()) }; \
    TC__ATTN_SM80_KERNEL(name, TC__SM80_BOUND, TC__ATTN_HOOK(name) TC__ATTN_SM80_BODY(name##_config))                 \
    TC__HOST_PART(TC__ATTN_SM80_HOST(name) TC__ENTRIES(name, tc_attn_args))

#define TC__ATTN_SM80_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_attn_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        static tc__kernel_cache cache;                                                                                \
        const tc_attn_config c = name##_config();                                                                     \
        const tc__kernel k = {(const void *)name, #name, tc_attn_sm80_threads(c), tc_attn_sm80_smem(c), 1, 80, &cache}; \
        return tc__attn_sm80_run(&c, &k, args, stream, launch);                                                       \
    }

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_ATTN_DEFINE: types, head dims, masks and hooks come from the user, everything else from here.
 */
/* In a build for sm_90a its sm_80 kernel is a stub: nothing would call it there. */
#if TC_HAS_SM80 && (!TC_HAS_SM90A || !defined(__CUDA_ARCH__))
#define TC__ATTN_SM80_BOUND(threads) threads
#define TC__IF_ATTN_SM80(...) __VA_ARGS__
#else
#define TC__ATTN_SM80_BOUND(threads) 32
#define TC__IF_ATTN_SM80(...)
#endif

#define TC__ATTN_CHECK_AUTO(c)                                                                                        \
    static_assert(!(c).bm && !(c).bn && !(c).stages && !(c).consumers && !(c).q_stages && !(c).warps,                 \
                  "tc: TC_ATTN_DEFINE picks tiles itself; to choose them use TC_ATTN_SM90_DEFINE or TC_ATTN_SM80_DEFINE");

TC_HD constexpr tc_attn_config tc__attn_as_given(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    return c;
}

#define TC_ATTN_DEFINE(name, ...)                                                                                     \
    TC__ATTN_CONFIG(name, tc__attn_as_given, __VA_ARGS__)                                                             \
    TC__ATTN_CHECK_AUTO(name##_config())                                                                              \
    TC__ATTN_CHECK_COMMON(name##_config())                                                                            \
    TC_HD constexpr tc_attn_config name##_sm90_config(void) { return tc_attn_sm90_config(name##_config()); }          \
    TC_HD constexpr tc_attn_config name##_sm80_config(void) { return tc_attn_sm80_config(name##_config()); }          \
    TC__ATTN_SM90_KERNEL(name##_sm90) { TC__IF_SM90A(TC__ATTN_HOOK(name) TC__ATTN_SM90_BODY(name##_sm90_config)) }    \
    TC__ATTN_SM80_KERNEL(name##_sm80, TC__ATTN_SM80_BOUND, TC__IF_ATTN_SM80(TC__ATTN_HOOK(name) TC__ATTN_SM80_BODY(name##_sm80_config))) \
    TC__HOST_PART(TC__ATTN_SM90_HOST(name##_sm90) TC__ATTN_SM80_HOST(name##_sm80) TC__ATTN_AUTO_HOST(name) TC__ENTRIES(name, tc_attn_args))

/* Hopper's own kernel where this is Hopper and the build has it. */
#define TC__ATTN_AUTO_HOST(name)                                                                                      \
    TC_HOST tc_status name##__go(const tc_attn_args *args, cudaStream_t stream, int launch)                           \
    {                                                                                                                 \
        const tc_status st = tc__on_hopper() ? name##_sm90__go(args, stream, launch) : TC_ERR_IMAGE;             \
        return st == TC_ERR_IMAGE ? name##_sm80__go(args, stream, launch) : st;                                       \
    }

#endif /* __CUDACC__ */
#endif /* TC_ATTN_H */
