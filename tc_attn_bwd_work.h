/* tc_attn_bwd_work.h - tc 0.2.0 - a call of attention's backward pass, checked, and what runs around its mainloop.
 * Needs: the headers below; sm_80.
 *
 * What stands below both mainloops of tc_attn_bwd.h: configuration, arguments, what a kernel knows of a call, and
 *
 *     tc_attn_bwd_work_at    tile of keys number i of a call: its sequence, its head, which tiles of queries see it
 *     tc_attn_bwd_first, _next   its steps: head, tile of queries
 *     tc_attn_bwd_before     the kernel before the main one: delta = rowsum(dO * O), lse in powers of 2
 *     tc_attn_bwd_after      the kernel after it: dQ from f32 to its type, the gradient of the sinks
 *     tc_attn_bwd_store      a warp's 16 rows of dK or dV, from its fragment to memory
 *
 * WORKSPACE. Tiles of bm queries are numbered through all heads and sequences (tc__attn_bwd_tile); for each there are
 *     rows     2 x bm floats: lse * log2 e (+inf where there is no such query, or it sees no key: P is then 0), delta
 *     sums     bm x width floats, dQ before its scale: 16 rows by 8 columns are one run of 128 floats, lane by lane as
 *              the fragment of mma.sync and of wgmma has them, and such runs follow each other along the columns; or
 *              (panels) along 32 of them, then down the rows, and so for the next 32
 *     turn     how many tiles of keys have added to the sums: in the ordered form each waits for the one before it
 *     sink     its part of the sinks' gradient
 * and for all of them a counter of the tiles of keys that blocks have taken.
 *
 * tc_attn_bwd.h is the manual.
 */
#ifndef TC_ATTN_BWD_WORK_H
#define TC_ATTN_BWD_WORK_H

#include "tc_attn_work.h"
#include "tc_softmax.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Configuration (compile time) and arguments (run time). An unset field takes the default that stands behind it.
 */
typedef struct tc_attn_bwd_config {
    int type;                    /* of all tensors: TC_F16 or TC_BF16 */
    int head_dim;                /* of Q and K: a multiple of 16 in 16..256 (128) */
    int head_dim_v;              /* of V, O and dO (head_dim) */
    int causal;                  /* as the forward's */
    int window;                  /* 1: a call's window_left and window_right hold */
    int bm, bn;                  /* queries and keys of a tile (by head_dim) */
    int stages;                  /* tiles of Q and dO in flight (2) */
    int warps;                   /* SM80: warps of a block (8) */
    int dropout;                 /* as the forward's */
    int hook_size;               /* sizeof of the hooks' arguments, or TC_NO_ARGS */
    tc_attn_score_fn score;      /* the forward's hooks, and */
    tc_attn_score_fn score_grad; /* the derivative of .score at the same s */
    tc_attn_mask_fn mask;
    tc_attn_sink_fn sink;
} tc_attn_bwd_config;

/* Are there heads that are walked up (tc_attn_bwd_work_at)? */
TC_HD TC_CONSTEXPR int tc__attn_bwd_climbs(const tc_attn_bwd_config c) { return c.causal && !c.window; }

TC_HD TC_CONSTEXPR int tc__attn_bwd_hooked(const tc_attn_bwd_config c)
{
    return c.score || c.score_grad || c.mask || c.sink;
}

#define TC__ATTN_BWD_RULES(X, c)                                                                                      \
    X((c).type == TC_F16 || (c).type == TC_BF16, "tc: .type must be TC_F16 or TC_BF16")                               \
    X((c).head_dim >= 16 && (c).head_dim <= 256 && (c).head_dim % 16 == 0,                                            \
      "tc: .head_dim must be a multiple of 16 in 16..256")                                                            \
    X((c).head_dim_v >= 16 && (c).head_dim_v <= 256 && (c).head_dim_v % 16 == 0,                                      \
      "tc: .head_dim_v must be a multiple of 16 in 16..256")                                                          \
    X(((c).causal == 0 || (c).causal == 1) && ((c).window == 0 || (c).window == 1),                                   \
      "tc: .causal and .window are 0 or 1")                                                                           \
    TC__ATTN_DROPOUT_RULES(X, c)                                                                                      \
    X(!(c).score == !(c).score_grad, "tc: .score and .score_grad, its derivative, come together")                     \
    X((c).hook_size >= TC_NO_ARGS && (c).hook_size <= TC_EPI_MAX,                                                     \
      "tc: .hook_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                       \
    X(tc__attn_bwd_hooked(c) == ((c).hook_size != 0),                                                                 \
      "tc: hooks need .hook_size = sizeof of their arguments, TC_NO_ARGS where they take none; without a hook "       \
      "there is no .hook_size")

/* One call. Tensors, strides and lengths as in tc_attn_args. */
typedef struct tc_attn_bwd_args {
    int batch, heads, heads_kv;
    int q_len, k_len;
    const void *q, *k, *v, *o;  /* the forward's inputs and its output */
    const float *lse;           /* as the forward wrote it */
    const void *dout;           /* the gradient of O */
    void *dq, *dk, *dv;         /* the results, of the inputs' type */
    float *dsink;               /* with .sink: f32, one for each head, summed over batches and rows; or NULL */
    tc_attn_strides q_stride, k_stride, v_stride, o_stride, dout_stride, dq_stride, dk_stride, dv_stride;
    int64_t lse_batch, lse_head;
    float scale;
    int window_left, window_right;
    const int *cu_q, *cu_k;
    int total_q, total_k;
    const int *lens_q, *lens_k;
    const int *host_cu_q, *host_cu_k, *host_lens_q, *host_lens_k;
    const void *hook_args;
    size_t hook_size;
    void *workspace;            /* NAME_workspace bytes, a multiple of 128 bytes; anything may stand in it */
    size_t workspace_size;
    int fast;                   /* 1: dQ is added up in whatever order blocks come: bits differ from call to call */
    int pdl;                    /* not 0: Hopper's main kernel starts up while the one before it ends */
    float dropout_p;            /* with .dropout: the forward's */
    uint64_t dropout_seed, dropout_offset;
} tc_attn_bwd_args;

/* What the kernels know of a call. */
typedef struct tc_attn_bwd_problem {
    int batch, heads, heads_kv, share, q_len, k_len, total_q, total_k;
    int bm, width;              /* queries of a tile; columns of its sums */
    int q_tiles, k_tiles;       /* of a sequence at most */
    int tiles;                  /* of queries, of one head in all sequences */
    int columns, section;       /* key heads of all batches; how many of them are worked on together */
    int climbing, climb;        /* the first so many of them are walked up, so many of them together */
    int tail_q, tail_k;         /* rows behind a sequence may hold anything */
    int panels;                 /* 1: the sums lie in panels of 32 columns */
    int window_left, window_right, fast;
    float scale, scale_log2;
    const int *cu_q, *cu_k, *lens_q, *lens_k;
    const void *o, *dout;
    void *dq, *dk, *dv;
    const float *lse;
    float *dsink;
    long long o_batch, o_row, o_head, dout_batch, dout_row, dout_head, dq_batch, dq_row, dq_head;
    long long dk_batch, dk_row, dk_head, dv_batch, dv_row, dv_head, lse_batch, lse_head;
    float *rows, *sums, *sinks; /* the workspace */
    unsigned *turns;
    unsigned *counter;          /* of tiles of keys that are taken; NULL: without a query nobody sets it to 0 */
    TC_ALIGN(16) unsigned char hook[TC_EPI_MAX];
} tc_attn_bwd_problem;

enum { TC__ATTN_BWD_AROUND = 256 }; /* threads of the kernels before and after */

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * A tile of work: which keys, which tiles of queries.
 */
typedef struct tc_attn_bwd_work {
    int b, h, n;      /* batch, key head, tile of keys */
    int k0;           /* its first key */
    int q_len, k_len; /* of this sequence */
    int q_at, k_at;   /* its first row in the tensors */
    int tile;         /* number of its first tile of queries within a head */
    int count;        /* of tiles of queries that see the keys, in each head of the group: */
    int first, last;  /* from this one, up or down to that one */
    int up;
} tc_attn_bwd_work;

/* Tiles that have something of first .. last, of those that 0 .. len - 1 is cut into; none: lo = hi = 0. */
TC_DEV void tc__attn_bwd_range(int first, int last, int len, int tile, int *lo, int *hi)
{
    *lo = *hi = 0;
    if (first < 0) first = 0;
    if (last > len - 1) last = len - 1;
    if (first > last) return;
    *lo = first / tile;
    *hi = last / tile + 1;
}

/* Sequence b: lengths and places. */
TC_DEV void tc__attn_bwd_sequence(const tc_attn_bwd_problem *p, tc_attn_bwd_work *w)
{
    const tc__attn_division q = {p->cu_q, p->lens_q, p->q_len, p->total_q},
                            k = {p->cu_k, p->lens_k, p->k_len, p->total_k};
    tc__attn_sequence(q, w->b, &w->q_at, &w->q_len);
    tc__attn_sequence(k, w->b, &w->k_at, &w->k_len);
    /* packed: floor(start / bm) + b leaves each sequence room for its last tile */
    w->tile = p->cu_q ? w->q_at / p->bm + w->b : w->b * p->q_tiles;
}

/* Tile of keys `index` of the call; 0 where the sequence has no such tile. Within a section the same tile of keys of
 * all heads comes first, then the next one's, and whoever waits for a turn waits for blocks that have started before
 * it. Two ways to walk:
 *     down     tiles of keys from the first on, each with its queries from the last tile down: all begin at one end, so
 *              that one waits a turn for the one before it, and not as many as lie between their first queries
 *     up       under a causal mask alone: tiles of keys from the last back, each with its queries from the diagonal on.
 *              Two that begin together are as far apart as their diagonals then, and none waits, so that all tiles of a
 *              head run at a time and stay in the L2. But the longest tiles come last: hence the last heads of a call
 *              are walked down. */
TC_DEV int tc_attn_bwd_work_at(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p, uint32_t index,
                               tc_attn_bwd_work *w)
{
    const uint32_t climbing = tc__attn_bwd_climbs(c) ? (uint32_t)p->climbing : 0u;
    const int up = index < climbing * (uint32_t)p->k_tiles;
    const uint32_t from = up ? 0u : climbing, together = (uint32_t)(up ? p->climb : p->section);
    const uint32_t area = together * (uint32_t)p->k_tiles, i = index - from * (uint32_t)p->k_tiles,
                   sec = i / area, rest = i - sec * area;
    const uint32_t left = (up ? climbing : (uint32_t)p->columns) - from - sec * together,
                   size = left < together ? left : together;
    const uint32_t n = rest / size, column = from + sec * together + (rest - n * size);
    int off, lo, hi;
    w->up = up;
    w->n = up ? p->k_tiles - 1 - (int)n : (int)n;
    w->b = (int)(column / (uint32_t)p->heads_kv);
    w->h = (int)(column - (uint32_t)w->b * (uint32_t)p->heads_kv);
    w->k0 = w->n * c.bn;
    tc__attn_bwd_sequence(p, w);
    if (w->k0 >= w->k_len) return 0;
    off = w->k_len - w->q_len;
    tc__attn_bwd_range(w->k0 - off - p->window_right,
                       (w->k0 + c.bn < w->k_len ? w->k0 + c.bn : w->k_len) - 1 - off + p->window_left, w->q_len, p->bm,
                       &lo, &hi);
    w->count = hi - lo;
    w->first = up ? lo : hi - 1, w->last = up ? hi - 1 : lo;
    return 1;
}

/* A step of it: which head, which tile of queries. */
typedef struct tc_attn_bwd_step {
    int h, m;
} tc_attn_bwd_step;

TC_DEV tc_attn_bwd_step tc_attn_bwd_first(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w)
{
    const tc_attn_bwd_step s = {w->h * p->share, w->first};
    return s;
}
TC_DEV void tc_attn_bwd_next(const tc_attn_bwd_config c, const tc_attn_bwd_work *w, tc_attn_bwd_step *s)
{
    const int up = tc__attn_bwd_climbs(c) && w->first < w->last;
    if (s->m == w->last) s->m = w->first, s->h++;
    else s->m += up ? 1 : -1;
}

/* Which keys tile m of queries sees: lo .. hi - 1. */
TC_DEV void tc__attn_bwd_keys(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int m, int *lo, int *hi)
{
    const int off = w->k_len - w->q_len, q0 = m * p->bm, end = q0 + p->bm < w->q_len ? q0 + p->bm : w->q_len;
    tc__attn_bwd_range(q0 + off - p->window_left, end - 1 + off + p->window_right, w->k_len, 1, lo, hi);
}

/* How many tiles of keys add to tile m of queries before this one does. */
TC_DEV int tc__attn_bwd_turn(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int m)
{
    if (tc__attn_bwd_climbs(c) && w->up) { /* from the last that it sees; the last query of all sees the last key */
        const int last = (m + 1) * p->bm + w->k_len - w->q_len;
        return ((last < w->k_len ? last : w->k_len) - 1) / c.bn - w->n;
    }
    if (c.window) { /* from the first that it sees */
        const int first = m * p->bm + w->k_len - w->q_len - p->window_left;
        return w->n - (first > 0 ? first / c.bn : 0);
    }
    return w->n; /* the first tile of keys is seen by whoever sees any */
}

/* Does a query of tile m fail to see a key of the tile, or does a key not exist? */
TC_DEV int tc__attn_bwd_edge(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int m)
{
    const int off = w->k_len - w->q_len, q0 = m * p->bm;
    return w->k0 + c.bn > w->k_len || ((c.causal || c.window) && w->k0 + c.bn - 1 - q0 - off > p->window_right)
        || (c.window && w->k0 - (q0 + p->bm - 1) - off < -p->window_left);
}

/* Number of tile m of queries of head h in the workspace. */
TC_DEV int tc__attn_bwd_tile(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int h, int m)
{
    return h * p->tiles + w->tile + m; /* the host has seen that there are fewer than 2^31 */
}

/* Its rows' lse and delta, and its sums. */
TC_DEV float *tc__attn_bwd_rows_of(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int h, int m)
{
    return p->rows + (long long)tc__attn_bwd_tile(p, w, h, m) * (2 * p->bm);
}
TC_DEV float *tc__attn_bwd_sums(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, int h, int m)
{
    return p->sums + (long long)tc__attn_bwd_tile(p, w, h, m) * (p->bm * p->width);
}

/* Turns: one thread waits until `before` tiles of keys have added, and one says that this one has, once all who wrote
 * have fenced and met. */
TC_DEV_SM80 void tc__attn_bwd_wait_turn(const unsigned *turn, unsigned before)
{
    unsigned now;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(__cvta_generic_to_global(turn))
                     : "memory");
    } while (now < before);
}
TC_DEV_SM80 void tc__attn_bwd_end_turn(unsigned *turn, unsigned after)
{
    asm volatile("st.release.gpu.global.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(turn)), "r"(after) : "memory");
}

/* Dropout. P and dP stand there without the factor 1 / (1 - p): delta is multiplied by 1 - p (tc_attn_bwd_before), and
 * dQ, dK and dV by the factor at last. */
TC_DEV float tc__attn_bwd_scale(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p, float scale)
{
    return c.dropout ? scale * tc__dropout_in(p->hook)->scale : scale;
}

/* Which of a lane's eight elements of 16 queries by 16 keys are dropped: bit e stands for element e of the fragment.
 * q, kv: the first. */
TC_DEV uint32_t tc__attn_bwd_drops(const tc_attn_bwd_problem *p, const tc_attn_at at)
{
    const tc__dropout *d = tc__dropout_in(p->hook);
    const int lane = tc_lane();
    const tc__dropout_patch patch = {(uint32_t)(at.kv / 4 + lane % 4), (uint32_t)(at.q / 2 + lane / 4), (uint32_t)at.h,
                                     (uint32_t)at.b};
    uint32_t w[4], bits = 0;
    tc__dropout_words(d, patch, w);
#pragma unroll
    for (int e = 0; e < 8; e++)
        if (tc__dropout_drops(d, w[e % 2 * 2 + e / 4], e / 2 % 2)) bits |= 1u << e;
    return bits;
}

/* The same where the fragment's rows are keys. A patch belongs to two lanes, of an even key and the odd one behind it:
 * each asks for one of the two patches that they have and trades what is the other's. The whole warp. */
TC_DEV uint32_t tc__attn_bwd_drops_turned(const tc_attn_bwd_problem *p, const tc_attn_at at)
{
    const tc__dropout *d = tc__dropout_in(p->hook);
    const int lane = tc_lane(), odd = lane / 4 % 2;
    const tc__dropout_patch patch = {(uint32_t)(at.kv / 4 + lane / 8), (uint32_t)(at.q / 2 + lane % 4 * 2 + odd),
                                     (uint32_t)at.h, (uint32_t)at.b};
    uint32_t w[4], bits = 0;
    tc__dropout_words(d, patch, w);
#pragma unroll
    for (int i = 0; i < 2; i++) { /* bit 3 of the key */
        const uint32_t mine = odd ? w[2 + i] : w[i], got = __shfl_xor_sync(0xffffffffu, odd ? w[i] : w[2 + i], 4),
                       even_q = odd ? got : mine, odd_q = odd ? mine : got;
#pragma unroll
        for (int upper = 0; upper < 2; upper++) { /* bit 3 of the query */
            if (tc__dropout_drops(d, even_q, upper)) bits |= 1u << (4 * upper + 2 * i);
            if (tc__dropout_drops(d, odd_q, upper)) bits |= 1u << (4 * upper + 2 * i + 1);
        }
    }
    return bits;
}

/* Where rows of a fragment go: the first element of row 0, elements from row to row, rows that exist. */
typedef struct tc_attn_bwd_rows {
    uint16_t *first;
    long long pitch;
    int exist;
} tc_attn_bwd_rows;

/* 16 rows by `cols` columns of a warp's fragment times scale: 16 bytes a lane, 64 of a row by a quad. */
TC_DEV_SM80 void tc_attn_bwd_store(const int type, const int cols, const tc_attn_bwd_rows to, const float *v,
                                   float scale)
{
    const int lane = tc_lane();
#pragma unroll
    for (int j = 0; j < cols / 8; j += 4) {
        const int n = cols / 8 - j < 4 ? 2 : 4;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const int row = lane / 4 + i * 8;
            uint16_t *at = to.first + row * to.pitch + j * 8;
            uint32_t x[4];
#pragma unroll
            for (int e = 0; e < n; e++)
                x[e] = tc_pack(type, v[4 * (j + e) + 2 * i] * scale, v[4 * (j + e) + 2 * i + 1] * scale);
            tc__attn_transpose(x, n);
            if (row < to.exist && n == 4) *(uint4 *)(at + lane % 4 * 8) = make_uint4(x[0], x[1], x[2], x[3]);
            if (row < to.exist && n == 2)
                *(uint2 *)(at + lane % 2 * 8 + lane % 4 / 2 * 4) = make_uint2(x[0], x[1]);
        }
    }
}

/* Rows k .. of dK (which: 0) or dV of this work's head. */
TC_DEV tc_attn_bwd_rows tc__attn_bwd_dkv(const tc_attn_bwd_problem *p, const tc_attn_bwd_work *w, const int which,
                                         int k)
{
    const long long b = p->cu_k ? 0 : w->b;
    tc_attn_bwd_rows r;
    r.pitch = which ? p->dv_row : p->dk_row;
    r.first = (uint16_t *)(which ? p->dv : p->dk) + b * (which ? p->dv_batch : p->dk_batch)
            + w->h * (which ? p->dv_head : p->dk_head) + (w->k_at + k) * r.pitch;
    r.exist = w->k_len - k;
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Before and after: a block a tile of queries of a head. 0 where there is no such tile.
 */
TC_DEV int tc__attn_bwd_unit(const tc_attn_bwd_problem *p, uint32_t index, tc_attn_bwd_work *w, int *h, int *m)
{
    const uint32_t head = index / (uint32_t)p->q_tiles;
    *m = (int)(index - head * (uint32_t)p->q_tiles);
    w->b = (int)(head / (uint32_t)p->heads);
    *h = (int)(head - (uint32_t)w->b * (uint32_t)p->heads);
    tc__attn_bwd_sequence(p, w);
    return *m * p->bm < w->q_len;
}

/* 8 products of two elements each, added up. */
TC_DEV float tc__attn_bwd_dot(const int type, uint4 x, uint4 y)
{
    const uint32_t a[4] = {x.x, x.y, x.z, x.w}, b[4] = {y.x, y.y, y.z, y.w};
    float s = 0.f;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        s = fmaf(tc_unpack(type, a[i] & 0xffffu), tc_unpack(type, b[i] & 0xffffu), s);
        s = fmaf(tc_unpack(type, a[i] >> 16), tc_unpack(type, b[i] >> 16), s);
    }
    return s;
}

/* Sum over a warp, in the same order always. */
TC_DEV float tc__attn_bwd_warp_sum(float x)
{
#pragma unroll
    for (int i = 16; i; i /= 2) x += __shfl_xor_sync(0xffffffffu, x, i);
    return x;
}

/* 1 - p, of the rounded p: exact. */
TC_DEV float tc__attn_bwd_keeps(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p)
{
    return c.dropout ? (float)(65536u - (tc__dropout_in(p->hook)->below >> 16)) / 65536.f : 1.f;
}

TC_DEV_SM80 void tc_attn_bwd_before(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p)
{
    const int chunks = c.head_dim_v / 8, lane = tc_lane(), warp = (int)threadIdx.x / 32;
    const int lanes = chunks <= 2 ? 2 : chunks <= 4 ? 4 : chunks <= 8 ? 8 : chunks <= 16 ? 16 : 32;
    __shared__ float parts[TC__ATTN_BWD_AROUND / 32];
    tc_attn_bwd_work w;
    float sink = 0.f, part = 0.f;
    float *rows;
    int h, m;
    if (blockIdx.x == 0 && threadIdx.x == 0) *p->counter = 0;
    if (!tc__attn_bwd_unit(p, blockIdx.x, &w, &h, &m)) return;
    const long long b_q = p->cu_q ? 0 : w.b, tile = tc__attn_bwd_tile(p, &w, h, m);
    const uint16_t *o = (const uint16_t *)p->o + b_q * p->o_batch + h * p->o_head + (long long)w.q_at * p->o_row,
                   *g = (const uint16_t *)p->dout + b_q * p->dout_batch + h * p->dout_head
                      + (long long)w.q_at * p->dout_row;
    const float *lse = p->lse + b_q * p->lse_batch + h * p->lse_head + w.q_at;
    rows = p->rows + tile * 2 * p->bm;
    if (c.sink) {
        const tc_attn_at at = {w.b, h, 0, 0, 0};
        sink = c.sink(at, p->hook) * TC__LOG2E;
    }
    for (int r = warp * (32 / lanes) + lane / lanes; r < p->bm; r += TC__ATTN_BWD_AROUND / lanes) {
        const int q = m * p->bm + r, exists = q < w.q_len;
        float s = 0.f, l = TC__INF;
        if (exists && lane % lanes < chunks)
            s = tc__attn_bwd_dot(c.type, *(const uint4 *)(o + q * p->o_row + lane % lanes * 8),
                                 *(const uint4 *)(g + q * p->dout_row + lane % lanes * 8));
#pragma unroll
        for (int i = lanes / 2; i; i /= 2) s += __shfl_xor_sync(0xffffffffu, s, i);
        if (exists) l = lse[q] == -TC__INF ? TC__INF : lse[q] * TC__LOG2E;
        if (lane % lanes == 0) {
            rows[r] = l;
            rows[p->bm + r] = l == TC__INF ? 0.f : s * tc__attn_bwd_keeps(c, p);
            if (c.sink && l != TC__INF && sink != -TC__INF) part -= tc__exp2(sink - l) * s;
        }
    }
    if (threadIdx.x == 0) p->turns[tile] = 0;
    if (p->fast) /* else the first tile of keys writes, and does not add */
        for (int i = (int)threadIdx.x * 4; i < p->bm * p->width; i += TC__ATTN_BWD_AROUND * 4)
            *(float4 *)(p->sums + tile * p->bm * p->width + i) = make_float4(0.f, 0.f, 0.f, 0.f);
    if (c.sink && p->dsink) {
        part = tc__attn_bwd_warp_sum(part);
        if (lane == 0) parts[warp] = part;
        __syncthreads();
        if (threadIdx.x == 0) {
            part = 0.f;
            for (int i = 0; i < TC__ATTN_BWD_AROUND / 32; i++) part += parts[i];
            p->sinks[tile] = part;
        }
    }
}

/* The gradient of head h's sink. One warp. */
TC_DEV_SM80 void tc__attn_bwd_dsink(const tc_attn_bwd_problem *p, int h)
{
    float sum = 0.f;
    for (int b = 0; b < p->batch; b++) {
        tc_attn_bwd_work w;
        w.b = b;
        tc__attn_bwd_sequence(p, &w);
        for (int m = tc_lane(); m * p->bm < w.q_len; m += 32) sum += p->sinks[tc__attn_bwd_tile(p, &w, h, m)];
    }
    sum = tc__attn_bwd_warp_sum(sum);
    if (tc_lane() == 0) p->dsink[h] = sum;
}

TC_DEV_SM80 void tc_attn_bwd_after(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p)
{
    const uint32_t units = (uint32_t)p->q_tiles * (uint32_t)p->heads * (uint32_t)p->batch; /* behind them: the sinks */
    const int warp = (int)threadIdx.x / 32, spans = (c.head_dim + 31) / 32;
    tc_attn_bwd_work w;
    int h, m, lo, hi;
    if (blockIdx.x >= units) {
        if (threadIdx.x < 32) tc__attn_bwd_dsink(p, (int)(blockIdx.x - units));
        return;
    }
    if (!tc__attn_bwd_unit(p, blockIdx.x, &w, &h, &m)) return;
    const float *sums = tc__attn_bwd_sums(p, &w, h, m);
    tc__attn_bwd_keys(p, &w, m, &lo, &hi); /* none: nobody has written the sums */
    for (int i = warp; i < p->bm / 16 * spans; i += TC__ATTN_BWD_AROUND / 32) {
        const int r = i / spans, col = i % spans * 32, q = m * p->bm + r * 16;
        const int run = p->panels ? col / 32 * (p->bm / 4) + r * 4 : r * (p->width / 8) + col / 8;
        tc_attn_bwd_rows to;
        float v[16];
        to.pitch = p->dq_row;
        to.first = (uint16_t *)p->dq + (p->cu_q ? 0 : w.b * p->dq_batch) + h * p->dq_head + (w.q_at + q) * to.pitch;
        to.first += col;
        to.exist = w.q_len - q;
        if (to.exist <= 0) continue;
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float4 x = make_float4(0.f, 0.f, 0.f, 0.f);
            if (lo < hi && col + j * 8 < c.head_dim) x = *(const float4 *)(sums + ((run + j) * 32 + tc_lane()) * 4);
            v[4 * j] = x.x, v[4 * j + 1] = x.y, v[4 * j + 2] = x.z, v[4 * j + 3] = x.w;
        }
        if (col + 32 <= c.head_dim) tc_attn_bwd_store(c.type, 32, to, v, tc__attn_bwd_scale(c, p, p->scale));
        else tc_attn_bwd_store(c.type, 16, to, v, tc__attn_bwd_scale(c, p, p->scale));
    }
}

#endif /* __CUDACC__ */

/* =====================================================================================================================
 * Host: checks.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* The call as the forward's, for the rules that both have. */
TC_HOST tc_attn_args tc__attn_bwd_forward(const tc_attn_bwd_args *g)
{
    tc_attn_args a;
    memset(&a, 0, sizeof a);
    a.batch = g->batch, a.heads = g->heads, a.heads_kv = g->heads_kv, a.q_len = g->q_len, a.k_len = g->k_len;
    a.q = g->q, a.k = g->k, a.v = g->v, a.o = (void *)(uintptr_t)g->o, a.lse = (float *)(uintptr_t)g->lse;
    a.q_stride = g->q_stride, a.k_stride = g->k_stride, a.v_stride = g->v_stride, a.o_stride = g->o_stride;
    a.lse_batch = g->lse_batch, a.lse_head = g->lse_head;
    a.scale = g->scale, a.window_left = g->window_left, a.window_right = g->window_right;
    a.cu_q = g->cu_q, a.cu_k = g->cu_k, a.total_q = g->total_q, a.total_k = g->total_k;
    a.lens_q = g->lens_q, a.lens_k = g->lens_k;
    a.host_cu_q = g->host_cu_q, a.host_cu_k = g->host_cu_k;
    a.host_lens_q = g->host_lens_q, a.host_lens_k = g->host_lens_k;
    a.hook_args = g->hook_args, a.hook_size = g->hook_size;
    return a;
}

TC_HOST tc_attn_config tc__attn_bwd_forward_config(const tc_attn_bwd_config *c)
{
    tc_attn_config f;
    memset((void *)&f, 0, sizeof f);
    f.type = c->type, f.head_dim = c->head_dim, f.head_dim_v = c->head_dim_v;
    f.causal = c->causal, f.window = c->window, f.hook_size = c->hook_size;
    return f;
}

enum { TC__BWD_Q, TC__BWD_K, TC__BWD_V, TC__BWD_O, TC__BWD_DOUT, TC__BWD_DQ, TC__BWD_DK, TC__BWD_DV, TC__BWD_TENSORS };

/* A tensor of the call. */
TC_HOST tc__attn_tensor tc__attn_bwd_tensor_of(const tc_attn_bwd_config *c, const tc_attn_bwd_args *g, int which)
{
    static const char *const names[TC__BWD_TENSORS] = {"q", "k", "v", "o", "dout", "dq", "dk", "dv"};
    static const char like[TC__BWD_TENSORS] = {'q', 'k', 'v', 'o', 'o', 'q', 'k', 'v'};
    const void *const base[TC__BWD_TENSORS] = {g->q, g->k, g->v, g->o, g->dout, g->dq, g->dk, g->dv};
    const tc_attn_strides strides[TC__BWD_TENSORS] = {g->q_stride,    g->k_stride,  g->v_stride,  g->o_stride,
                                                      g->dout_stride, g->dq_stride, g->dk_stride, g->dv_stride};
    tc_attn_args a = tc__attn_bwd_forward(g);
    const tc_attn_config f = tc__attn_bwd_forward_config(c);
    tc__attn_tensor t;
    a.q_stride = a.k_stride = a.v_stride = a.o_stride = strides[which];
    t = tc__attn_tensor_of(&f, &a, like[which]);
    t.name = names[which];
    t.base = base[which];
    return t;
}

TC_HOST tc_status tc__attn_bwd_check_tensor(const tc__attn_tensor *t, int which)
{
    static const char *const names[3] = {"batch", "row", "head"};
    const int64_t given[3] = {t->given.batch, t->given.row, t->given.head}, all[3] = {t->s.batch, t->s.row, t->s.head};
    const int extent[3] = {t->batch, t->rows, t->heads};
    int i;
    if (!t->base) return tc__fail(TC_ERR_NULL, "%s is null", t->name);
    if ((uintptr_t)t->base % 16)
        return tc__fail(TC_ERR_ALIGN, "%s = %p is not a multiple of 16 bytes", t->name, t->base);
    for (i = 0; i < 3; i++) {
        const long long s = (long long)all[i];
        if (s < 0) return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld is negative", t->name, names[i], s);
        if (s % 8)
            return tc__fail(TC_ERR_ALIGN, "%s_stride.%s = %lld elements is not a multiple of 8 (16 bytes)", t->name,
                            names[i], s);
        if (s >= (int64_t)1 << 39)
            return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld elements is 2^40 bytes or more, which TMA cannot step",
                            t->name, names[i], s);
        if (s || extent[i] <= 1) continue;
        if (which >= TC__BWD_DQ)
            return tc__fail(TC_ERR_SIZE, "%s_stride.%s = %lld, but there are %d: rows of %s lie on each other", t->name,
                            names[i], (long long)given[i], extent[i], t->name);
        if (given[i] != TC_ATTN_SHARED)
            return tc__fail(TC_ERR_SIZE,
                            "%s_stride.%s = 0, but there are %d and other strides are given: give this one too, or "
                            "TC_ATTN_SHARED where all are the same memory",
                            t->name, names[i], extent[i]);
    }
    return TC_OK;
}

/* Which sides there are: queries (1), keys (2); 0: nothing to compute. */
TC_HOST int tc__attn_bwd_sides(const tc_attn_bwd_args *g)
{
    const int q = g->q_len > 0 && !(g->cu_q && g->total_q == 0), k = g->k_len > 0 && !(g->cu_k && g->total_k == 0);
    return g->batch == 0 || g->heads == 0 ? 0 : q + 2 * k;
}

/* Nothing to write either? */
TC_HOST int tc__attn_bwd_nothing(const tc_attn_bwd_args *g)
{
    return !tc__attn_bwd_sides(g) && !(g->dsink && g->heads > 0);
}

/* The rules for a call but for the workspace's. */
TC_HOST tc_status tc__attn_bwd_check(const tc_attn_bwd_config *c, const tc_attn_bwd_args *g)
{
    const tc_attn_config f = tc__attn_bwd_forward_config(c);
    tc_attn_args a;
    tc_status st;
    int i, sides;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    a = tc__attn_bwd_forward(g);
    st = tc__attn_check_sizes(&f, &a);
    if (st == TC_OK) st = tc__attn_check_dropout(c->dropout, g->dropout_p, g->dropout_seed, g->dropout_offset);
    if (st == TC_OK) st = tc__check_hook("hook", c->hook_size, g->hook_args, g->hook_size);
    if (st == TC_OK) st = tc__attn_check_side(&a, 'q');
    if (st == TC_OK) st = tc__attn_check_side(&a, 'k');
    if (st != TC_OK) return st;
    if (g->fast != 0 && g->fast != 1) return tc__fail(TC_ERR_SIZE, "fast = %d must be 0 or 1", g->fast);
    if (g->dsink && !c->sink) return tc__fail(TC_ERR_EPI, "dsink is given, but the kernel was defined without .sink");
    if ((uintptr_t)g->dsink % 4)
        return tc__fail(TC_ERR_ALIGN, "dsink = %p is not a multiple of 4 bytes", (void *)g->dsink);
    sides = tc__attn_bwd_sides(g);
    for (i = 0; i < TC__BWD_TENSORS; i++) {
        const tc__attn_tensor t = tc__attn_bwd_tensor_of(c, g, i);
        const int keys = i == TC__BWD_K || i == TC__BWD_V || i == TC__BWD_DK || i == TC__BWD_DV;
        /* q beside k_len 0 is read by nobody, but dq is written; k beside q_len 0 likewise */
        if (sides & (keys ? 2 : 1)) {
            st = tc__attn_bwd_check_tensor(&t, i);
            if (st != TC_OK) return st;
        } else if (t.base && !(keys ? g->cu_k && g->total_k == 0 : g->cu_q && g->total_q == 0)) {
            const char *const none = g->batch == 0 ? "batch" : g->heads == 0 ? "heads" : keys ? "k_len" : "q_len";
            return tc__fail(g->batch == 0 ? TC_ERR_BATCH : TC_ERR_SIZE,
                            "%s = 0, but %s is given: null where there is nothing to do", none, t.name);
        }
    }
    if (sides & 1) {
        if (!g->lse) return tc__fail(TC_ERR_NULL, "lse is null");
        if ((uintptr_t)g->lse % 4)
            return tc__fail(TC_ERR_ALIGN, "lse = %p is not a multiple of 4 bytes", (const void *)g->lse);
        if (g->lse_batch < 0) return tc__fail(TC_ERR_SIZE, "lse_batch = %lld is negative", (long long)g->lse_batch);
        if (g->lse_head < 0) return tc__fail(TC_ERR_SIZE, "lse_head = %lld is negative", (long long)g->lse_head);
    }
    return TC_OK;
}

/* What a main kernel's tile is: of queries, of keys, and how wide its sums of dQ are. */
typedef struct tc__attn_bwd_cut {
    int bm, bn, width, sms, panels;
} tc__attn_bwd_cut;

/* Tiles of queries of a head in all sequences. */
TC_HOST int64_t tc__attn_bwd_tiles(const tc_attn_bwd_args *g, const tc__attn_bwd_cut *cut)
{
    return g->cu_q ? (int64_t)g->total_q / cut->bm + g->batch
                   : (int64_t)g->batch * ((g->q_len + (int64_t)cut->bm - 1) / cut->bm);
}

/* There are at most 2^31 tiles of each kind. */
TC_HOST tc_status tc__attn_bwd_check_tiles(const tc_attn_bwd_args *g, const tc__attn_bwd_cut *cut)
{
    const double q = (double)((g->q_len + (int64_t)cut->bm - 1) / cut->bm) * g->batch * g->heads,
                 all = (double)tc__attn_bwd_tiles(g, cut) * g->heads,
                 k = (double)((g->k_len + (int64_t)cut->bn - 1) / cut->bn) * g->batch * g->heads;
    if (q <= 2e9 && all <= 2e9 && k <= 2e9) return TC_OK;
    return tc__fail(TC_ERR_SIZE, "q_len = %d, k_len = %d, heads = %d, batch = %d: more than 2^31 tiles", g->q_len,
                    g->k_len, g->heads, g->batch);
}

/* Bytes of the workspace, and with p where its parts lie. */
TC_HOST size_t tc__attn_bwd_bytes(const tc_attn_bwd_args *g, const tc__attn_bwd_cut *cut, tc_attn_bwd_problem *p)
{
    const size_t all = (size_t)tc__attn_bwd_tiles(g, cut) * (size_t)g->heads, bm = (size_t)cut->bm;
    const size_t sums = all * bm * (size_t)cut->width * 4, rows = all * bm * 8, small = (all * 4 + 4 + 127) / 128 * 128;
    if (!(tc__attn_bwd_sides(g) & 1)) return 0;
    if (p) {
        char *w = (char *)g->workspace;
        p->sums = (float *)w;
        p->rows = (float *)(w + sums);
        p->turns = (unsigned *)(w + sums + rows);
        p->counter = p->turns + all;
        p->sinks = (float *)(w + sums + rows + small);
    }
    return sums + rows + 2 * small;
}

TC_HOST tc_status tc__attn_bwd_problem_make(tc_attn_bwd_problem *p, const tc_attn_bwd_config *c,
                                            const tc_attn_bwd_args *g, const tc__attn_bwd_cut *cut)
{
    const size_t bytes = tc__attn_bwd_bytes(g, cut, NULL);
    const int64_t rows = g->cu_q ? g->total_q : g->q_len;
    const int hk = g->heads_kv ? g->heads_kv : g->heads;
    const int sides = tc__attn_bwd_sides(g);
    tc_attn_strides s;
    double wants;
    int near;
    memset((void *)p, 0, sizeof *p);
    p->batch = g->batch, p->heads = g->heads, p->heads_kv = hk, p->share = g->heads / hk;
    p->q_len = g->q_len, p->k_len = g->k_len, p->total_q = g->total_q, p->total_k = g->total_k;
    p->bm = cut->bm, p->width = cut->width, p->panels = cut->panels;
    p->q_tiles = sides & 1 ? (g->q_len + cut->bm - 1) / cut->bm : 0;
    p->k_tiles = sides & 2 ? (g->k_len + cut->bn - 1) / cut->bn : 0;
    if (bytes && !g->workspace)
        return tc__fail(TC_ERR_NULL, "workspace is null, but the call takes %llu bytes of it",
                        (unsigned long long)bytes);
    if ((uintptr_t)g->workspace % 128)
        return tc__fail(TC_ERR_ALIGN, "workspace = %p is not a multiple of 128 bytes", g->workspace);
    if (g->workspace_size < bytes)
        return tc__fail(TC_ERR_SIZE, "workspace_size = %llu is less than the %llu bytes that the call takes",
                        (unsigned long long)g->workspace_size, (unsigned long long)bytes);
    tc__attn_bwd_bytes(g, cut, p);
    p->tiles = (int)tc__attn_bwd_tiles(g, cut);
    p->columns = hk * g->batch;
    /* How many tiles of keys of a head run at a time: the fewer, the fewer wait for their turn. Four at least, and so
     * many that what a section's heads read and add up stays in the L2; from eight on they share each tile of queries
     * there. Of the wide form, whose tiles of 64 keys read and add twice as much, 64: at 8192 keys with 24 it gives 361
     * TFLOP/s, with 64 416. */
    wants = cut->sms * (2. * c->head_dim + 2. * c->head_dim_v + 4. * cut->width) * g->q_len * p->share / 36e6;
    near = cut->panels ? 64 : wants < 3. ? 4 : wants < 7. ? (int)wants + 1 : 8;
    if (near > p->k_tiles) near = p->k_tiles;
    p->section = near > 0 ? (cut->sms + near - 1) / near : 1;
    if (tc__attn_bwd_climbs(*c) && p->k_tiles) {
        /* walked down: the heads whose tiles are three for each multiprocessor, four tiles of a head at a time */
        const int rest = (3 * cut->sms + p->k_tiles - 1) / p->k_tiles;
        p->climbing = p->columns > rest ? p->columns - rest : 0;
        p->climb = (cut->sms + p->k_tiles - 1) / p->k_tiles;
        p->section = (cut->sms + 3) / 4;
        if (p->section > p->columns - p->climbing) p->section = p->columns - p->climbing;
    }
    if (p->section > p->columns) p->section = p->columns;
    p->tail_q = g->cu_q || g->lens_q, p->tail_k = g->cu_k || g->lens_k;
    p->window_left = c->window && g->window_left >= 0 && g->window_left < TC__ATTN_FAR ? g->window_left : TC__ATTN_FAR;
    p->window_right = c->causal ? 0 : TC__ATTN_FAR;
    if (!c->causal && c->window && g->window_right >= 0 && g->window_right < TC__ATTN_FAR)
        p->window_right = g->window_right;
    p->fast = g->fast;
    p->scale = g->scale > 0.f ? g->scale : tc__attn_default_scale(c->head_dim);
    p->scale_log2 = p->scale * TC__LOG2E;
    p->cu_q = g->cu_q, p->cu_k = g->cu_k, p->lens_q = g->lens_q, p->lens_k = g->lens_k;
    p->o = g->o, p->dout = g->dout, p->dq = g->dq, p->dk = g->dk, p->dv = g->dv, p->lse = g->lse, p->dsink = g->dsink;
    s = tc__attn_bwd_tensor_of(c, g, TC__BWD_O).s;
    p->o_batch = s.batch, p->o_row = s.row, p->o_head = s.head;
    s = tc__attn_bwd_tensor_of(c, g, TC__BWD_DOUT).s;
    p->dout_batch = s.batch, p->dout_row = s.row, p->dout_head = s.head;
    s = tc__attn_bwd_tensor_of(c, g, TC__BWD_DQ).s;
    p->dq_batch = s.batch, p->dq_row = s.row, p->dq_head = s.head;
    s = tc__attn_bwd_tensor_of(c, g, TC__BWD_DK).s;
    p->dk_batch = s.batch, p->dk_row = s.row, p->dk_head = s.head;
    s = tc__attn_bwd_tensor_of(c, g, TC__BWD_DV).s;
    p->dv_batch = s.batch, p->dv_row = s.row, p->dv_head = s.head;
    p->lse_head = g->lse_head ? g->lse_head : rows;
    p->lse_batch = g->lse_batch ? g->lse_batch : rows * g->heads;
    if (g->hook_size) memcpy(p->hook, g->hook_args, g->hook_size);
    if (c->dropout) tc__dropout_put(p->hook, g->dropout_p, g->dropout_seed, g->dropout_offset);
    return TC_OK;
}

#define TC__ATTN_BWD_FIELD(name, most) {#name, offsetof(tc_attn_bwd_config, name), most}
static const tc__field tc__attn_bwd_fields[] TC_UNUSED = {
    TC__ATTN_BWD_FIELD(type, 0),   TC__ATTN_BWD_FIELD(head_dim, 1024), TC__ATTN_BWD_FIELD(head_dim_v, 1024),
    TC__ATTN_BWD_FIELD(causal, 16), TC__ATTN_BWD_FIELD(window, 16),    TC__ATTN_BWD_FIELD(bm, 2048),
    TC__ATTN_BWD_FIELD(bn, 2048),  TC__ATTN_BWD_FIELD(stages, 64),     TC__ATTN_BWD_FIELD(warps, 64),
    TC__ATTN_BWD_FIELD(dropout, 16), TC__ATTN_BWD_FIELD(hook_size, 0), {NULL, 0, 0}};

/* The three kernels of a call that has been checked and made: before, main, after. blocks 0: not launched. */
typedef struct tc__attn_bwd_calls {
    tc__kernel before, main, after;
    unsigned blocks;    /* of the main one */
    const void *params; /* its parameters */
} tc__attn_bwd_calls;

TC_HOST tc_status tc__attn_bwd_launch(const tc__attn_bwd_calls *k, const tc_attn_bwd_problem *p, const tc__launch *how)
{
    const unsigned units = (unsigned)p->q_tiles * (unsigned)p->heads * (unsigned)p->batch;
    tc__launch plain = *how;
    tc_status st = TC_OK;
    plain.pdl = 0;
    if (units) st = tc__kernel_launch(&k->before, units, p, &plain);
    /* Hopper's main kernel waits itself: it may start up while the one before it ends */
    if (st == TC_OK && k->blocks) st = tc__kernel_launch(&k->main, k->blocks, k->params, units ? how : &plain);
    if (st == TC_OK && (units || p->dsink)) /* without a query the gradient of a sink is 0 */
        st = tc__kernel_launch(&k->after, units + (p->dsink ? (unsigned)p->heads : 0u), p, &plain);
    return st;
}

#endif /* host */
#endif /* TC_ATTN_BWD_WORK_H */
