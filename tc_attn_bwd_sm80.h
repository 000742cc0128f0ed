/* tc_attn_bwd_sm80.h - tc 0.2.0 - attention's backward mainloop for sm_80 and every later target. Needs: the headers
 * below.
 *
 *     tc_attn_bwd_sm80_config           a configuration with every unset field filled in
 *     tc_attn_bwd_sm80_legal            would the generator take this configuration?
 *     tc_attn_bwd_sm80_smem, _threads   what its block takes
 *     tc_attn_bwd_sm80                  the kernel's body
 *
 * tc_attn_bwd.h is the manual.
 */
#ifndef TC_ATTN_BWD_SM80_H
#define TC_ATTN_BWD_SM80_H

#include "tc_mma.h"
#include "tc_attn_bwd_work.h"

typedef struct tc_attn_bwd_sm80_params {
    const void *q, *k, *v;
    long long q_batch, q_row, q_head, k_batch, k_row, k_head, v_batch, v_row, v_head;
    tc_attn_bwd_problem problem;
} tc_attn_bwd_sm80_params;

/* =====================================================================================================================
 * SM80: one block a tile of bn keys of a key head; it walks the tiles of bm queries that see them, head after head of
 * the group.
 *
 *     shared memory:  K [bn][head_dim] | V [bn][head_dim_v] | stages of Q [bm][head_dim] and dO [bm][head_dim_v]
 *                     | P [bm][bn] | dS [bm][bn]          rows end to end, their 16-byte chunks swizzled
 *
 *     S = Q K', dP = dO V'        warps share the tile: 16 queries by bn * bm / 16 / warps keys each
 *     P, dS                       in registers, then to shared memory: every other product reads them there
 *     dV += P' dO, dK += dS' Q    16 keys a warp, and where warps are left a part of the columns
 *     dQ += dS K                  16 queries a warp likewise; to the workspace
 */
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm80_threads(const tc_attn_bwd_config c) { return c.warps * 32; }
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm80_smem(const tc_attn_bwd_config c)
{
    return ((c.bn + c.stages * c.bm) * (c.head_dim + c.head_dim_v) + 2 * c.bm * c.bn) * 2;
}
/* Registers of a lane for dK and dV; for S and dP; for dQ. */
TC_HD TC_CONSTEXPR int tc__attn_bwd80_sums(const tc_attn_bwd_config c)
{
    return c.bn * (c.head_dim + c.head_dim_v) / (c.warps * 32);
}

/* 99 KB, what a block of sm_86, 89 and 120 may have: no kernel whose tile is chosen here needs more. */
#define TC__ATTN_BWD80_SMEM ((int)TC_CHIP_86_SMEM)

TC_HD TC_CONSTEXPR tc_attn_bwd_config tc_attn_bwd_sm80_config(const tc_attn_bwd_config given)
{
    tc_attn_bwd_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    const int wide = c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v;
    const int halves = c.head_dim % 32 == 0 && c.head_dim_v % 32 == 0; /* two warps may share the columns */
    c.warps = c.warps ? c.warps : wide > 128 || !halves ? 4 : 8;
    c.bm = c.bm ? c.bm : wide > 128 ? 32 : 64;
    c.bn = c.bn ? c.bn : wide > 128 ? 32 : wide <= 64 && c.warps == 8 ? 128 : 64;
    if (c.stages == 0) {
        c.stages = 2;
        c.stages = tc_attn_bwd_sm80_smem(c) <= TC__ATTN_BWD80_SMEM ? 2 : 1;
    }
    return c;
}

/* How many warps stand side by side along the second dimension where 16 rows of the first are one warp's; 0: it does
 * not come out even. */
TC_HD TC_CONSTEXPR int tc__attn_bwd80_split(int warps, int rows)
{
    return rows >= 16 && rows % 16 == 0 && rows / 16 <= warps && warps % (rows / 16) == 0 ? warps / (rows / 16) : 0;
}
TC_HD TC_CONSTEXPR int tc__attn_bwd80_even(int columns, int split)
{
    return split && columns % split == 0 && columns / split % 16 == 0;
}

#define TC__ATTN_BWD_SM80_RULES(X, c)                                                                                 \
    TC__ATTN_BWD_RULES(X, c)                                                                                          \
    X((c).warps == 1 || (c).warps == 2 || (c).warps == 4 || (c).warps == 8, "tc: .warps must be 1, 2, 4 or 8")        \
    X((c).bm >= 16 && (c).bm <= 128 && (c).bn >= 16 && (c).bn <= 128, "tc: .bm and .bn must be in 16..128")           \
    X(tc__attn_bwd80_even((c).bn, tc__attn_bwd80_split((c).warps, (c).bm)),                                           \
      "tc: .bm must be 16 queries for each of .warps or of a part of them, which share .bn in multiples of 16")       \
    X(tc__attn_bwd80_even((c).head_dim, tc__attn_bwd80_split((c).warps, (c).bm))                                      \
      && tc__attn_bwd80_even((c).head_dim, tc__attn_bwd80_split((c).warps, (c).bn))                                   \
      && tc__attn_bwd80_even((c).head_dim_v, tc__attn_bwd80_split((c).warps, (c).bn)),                                \
      "tc: .head_dim and .head_dim_v must be multiples of 16 for each warp beside the 16 rows of .bm and .bn: above " \
      "128 multiples of 32")                                                                                          \
    X(tc__attn_bwd80_sums(c) <= 144,                                                                                  \
      "tc: too many registers: .bn * (.head_dim + .head_dim_v) / (.warps * 32) must be at most 144")                  \
    X(((c).stages == 1 || (c).stages == 2) && tc_attn_bwd_sm80_smem(c) <= TC__SM90_SMEM_MAX,                          \
      "tc: .stages must be 1 or 2, and the tiles of Q, K, V, dO, P and dS fit in 227 KB of shared memory")

/* Whether TC_ATTN_BWD_SM80_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm80_legal(const tc_attn_bwd_config given)
{
    const tc_attn_bwd_config c = tc_attn_bwd_sm80_config(given);
    return 1 TC__ATTN_BWD_SM80_RULES(TC__RULE_AND, c);
}

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Products of tiles in shared memory. An operand as ldmatrix reads it: where this lane's row begins, its column in
 * bytes, by what its chunks are twisted.
 */
typedef struct tc__attn_bwd80_at {
    uint32_t row, col, twist;
} tc__attn_bwd80_at;

/* across 0: A whose rows are the product's, or B whose rows are its k (with trans); 1: the two others. row, col: the
 * warp's first one. */
TC_DEV tc__attn_bwd80_at tc__attn_bwd80_operand(const int bytes, uint32_t tile, const int across, int row, int col)
{
    const uint32_t lane = (uint32_t)tc_lane(), r = across ? lane % 8 + lane / 16 * 8 : lane % 16,
                   chunk = across ? lane / 8 % 2 : lane / 16;
    tc__attn_bwd80_at a;
    a.row = tile + ((uint32_t)row + r) * (uint32_t)bytes;
    /* opaque: what follows of it would else be computed before the loop and take registers all the time */
    a.col = (uint32_t)tc_opaque((int)((uint32_t)col * 2u + chunk * 16u));
    a.twist = tc_rows_twist(bytes, (uint32_t)row + r);
    return a;
}

/* Its 16 x 16 elements `rows` rows and `cols` columns on; rows: a multiple of 16. */
TC_DEV uint32_t tc__attn_bwd80_move(const int bytes, const tc__attn_bwd80_at a, const int rows, const int cols)
{
    return a.row + (uint32_t)(rows * bytes) + ((a.col + (uint32_t)(cols * 2)) ^ a.twist);
}

/* A product: n columns, k; bytes of A's and B's rows in shared memory; A, B turned: their rows are k. */
typedef struct tc__attn_bwd80_shape {
    int type, n, k, a_bytes, b_bytes, a_turned, b_turned;
} tc__attn_bwd80_shape;

/* d (16 x n) += A B. */
TC_DEV_SM80 void tc__attn_bwd80_product(const tc__attn_bwd80_shape s, float *d, const tc__attn_bwd80_at a,
                                        const tc__attn_bwd80_at b)
{
#pragma unroll
    for (int k = 0; k < s.k; k += 16) {
        uint32_t x[4];
        if (s.a_turned) tc_ldmatrix_x4_trans(x, tc__attn_bwd80_move(s.a_bytes, a, k, 0));
        else tc_ldmatrix_x4(x, tc__attn_bwd80_move(s.a_bytes, a, 0, k));
#pragma unroll
        for (int n = 0; n < s.n; n += 16) {
            uint32_t y[4];
            if (s.b_turned) tc_ldmatrix_x4_trans(y, tc__attn_bwd80_move(s.b_bytes, b, k, n));
            else tc_ldmatrix_x4(y, tc__attn_bwd80_move(s.b_bytes, b, n, k));
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *to = d + (n / 8 + e) * 4;
                if (s.type == TC_BF16) tc_mma_m16n8k16_f32_bf16(to, x, y + 2 * e, to);
                else tc_mma_m16n8k16_f32_f16(to, x, y + 2 * e, to);
            }
        }
    }
}

/* `rows` rows of dim elements, `exist` of which there are, to shared memory; zeros for the others, since 0 times
 * anything may be NaN. */
typedef struct tc__attn_bwd80_source {
    const char *first;
    long long pitch; /* bytes */
    int exist;
} tc__attn_bwd80_source;

TC_DEV_SM80 void tc__attn_bwd80_load(const int threads, const int rows, const int dim, uint32_t to,
                                     const tc__attn_bwd80_source from)
{
    const int chunks = dim / 8;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < rows * chunks; i += threads) {
        const int r = i / chunks, ch = i - r * chunks;
        const int there = r < from.exist;
        tc_cp_async_cg_16_zfill(to + tc_rows_at(dim * 2, (uint32_t)r, (uint32_t)ch),
                                from.first + (there ? r * from.pitch + ch * 16 : 0), there ? 16 : 0);
    }
}

/* Where a block stands. */
typedef struct tc__attn_bwd80_place {
    const tc_attn_bwd_sm80_params *p;
    tc_attn_bwd_work w;
    uint32_t k, v, q, dout, prob, ds; /* shared addresses; q and dout: of stage 0 */
    int warp;
} tc__attn_bwd80_place;

/* Tile m of the queries of head h on its way to a stage. */
TC_DEV_SM80 void tc__attn_bwd80_fetch(const tc_attn_bwd_config c, const tc__attn_bwd80_place *u, int h, int m,
                                      int stage)
{
    const tc_attn_bwd_sm80_params *p = u->p;
    const tc_attn_bwd_problem *a = &p->problem;
    const long long b = a->cu_q ? 0 : u->w.b, row = u->w.q_at + m * c.bm;
    const tc__attn_bwd80_source q = {(const char *)p->q + (b * p->q_batch + h * p->q_head + row * p->q_row) * 2,
                                     p->q_row * 2, u->w.q_len - m * c.bm};
    const tc__attn_bwd80_source g = {
        (const char *)a->dout + (b * a->dout_batch + h * a->dout_head + row * a->dout_row) * 2, a->dout_row * 2,
        u->w.q_len - m * c.bm};
    const int threads = tc_attn_bwd_sm80_threads(c);
    tc__attn_bwd80_load(threads, c.bm, c.head_dim, u->q + (uint32_t)(stage * c.bm * c.head_dim * 2), q);
    tc__attn_bwd80_load(threads, c.bm, c.head_dim_v, u->dout + (uint32_t)(stage * c.bm * c.head_dim_v * 2), g);
}

/* Which rows and columns of a product are this warp's. */
typedef struct tc__attn_bwd80_part {
    int row, col, cols;
} tc__attn_bwd80_part;

TC_DEV tc__attn_bwd80_part tc__attn_bwd80_mine(const tc_attn_bwd_config c, int warp, const int rows, const int columns)
{
    const int split = tc__attn_bwd80_split(c.warps, rows);
    const tc__attn_bwd80_part x = {warp / split * 16, warp % split * (columns / split), columns / split};
    return x;
}

/* Two elements of a row to shared memory. */
TC_DEV void tc__attn_bwd80_put(const int bytes, uint32_t tile, int row, int col, uint32_t pair)
{
    asm volatile("st.shared.b32 [%0], %1;"
                 : : "r"(tile + (uint32_t)(row * bytes) + ((uint32_t)(col * 2) ^ tc_rows_twist(bytes, (uint32_t)row))),
                   "r"(pair)
                 : "memory");
}

/* One score of head h to P, in place, and what dS is multiplied by for the hook. */
TC_DEV void tc__attn_bwd80_probability(const tc_attn_bwd_config c, const tc_attn_bwd_problem *p, const tc_attn_at at,
                                       float lse, float *s, float *slope)
{
    const float x = *s * p->scale;
    *slope = 1.f;
    if (c.score) {
        *slope = c.score_grad(x, at, p->hook);
        *s = tc__exp2(fmaf(c.score(x, at, p->hook), TC__LOG2E, -lse));
    } else {
        *s = tc__exp2(fmaf(*s, p->scale_log2, -lse));
    }
    if (c.mask && !c.mask(at, p->hook)) *s = 0.f;
}

/* S and dP of tile m of head h, to P and dS in shared memory. */
TC_DEV_SM80 void tc__attn_bwd80_scores(const tc_attn_bwd_config c, const tc__attn_bwd80_place *u, int h, int m,
                                       int stage)
{
    const tc_attn_bwd_problem *p = &u->p->problem;
    const tc__attn_bwd80_part me = tc__attn_bwd80_mine(c, u->warp, c.bm, c.bn);
    const int cols = c.bn / tc__attn_bwd80_split(c.warps, c.bm), qb = c.head_dim * 2, vb = c.head_dim_v * 2;
    const tc__attn_bwd80_shape qk = {c.type, cols, c.head_dim, qb, qb, 0, 0},
                               ov = {c.type, cols, c.head_dim_v, vb, vb, 0, 0};
    const uint32_t q = u->q + (uint32_t)(stage * c.bm * qb), g = u->dout + (uint32_t)(stage * c.bm * vb);
    const int lane = tc_lane(), off = u->w.k_len - u->w.q_len, edge = tc__attn_bwd_edge(c, p, &u->w, m);
    const float *rows = tc__attn_bwd_rows_of(p, &u->w, h, m);
    float s[64], dp[64];
    uint32_t drops[2] = {0, 0}; /* bit i: s[i] is dropped */
#pragma unroll
    for (int i = 0; i < cols / 2; i++) s[i] = dp[i] = 0.f;
    tc__attn_bwd80_product(qk, s, tc__attn_bwd80_operand(qb, q, 0, me.row, 0),
                           tc__attn_bwd80_operand(qb, u->k, 1, me.col, 0));
    tc__attn_bwd80_product(ov, dp, tc__attn_bwd80_operand(vb, g, 0, me.row, 0),
                           tc__attn_bwd80_operand(vb, u->v, 1, me.col, 0));
#pragma unroll
    for (int i = 0; i < cols / 16 && c.dropout; i++) {
        const tc_attn_at at = {u->w.b, h, m * c.bm + me.row, u->w.k0 + me.col + i * 16, 0};
        drops[i / 4] |= tc__attn_bwd_drops(p, at) << (i % 4 * 8);
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int r = me.row + lane / 4 + i * 8, qi = m * c.bm + r;
        const float lse = rows[r], delta = rows[c.bm + r];
        int from = 0, to = u->w.k_len;
        if (c.causal || c.window) to = tc__attn_clamp(qi + off + p->window_right + 1, 0, to);
        if (c.window) from = qi + off - p->window_left;
        if ((c.score || c.mask) && qi >= u->w.q_len) to = 0;
#pragma unroll
        for (int j = 0; j < cols / 8; j++) {
            float x[2], y[2];
#pragma unroll
            for (int e = 0; e < 2; e++) {
                const int kv = u->w.k0 + me.col + j * 8 + lane % 4 * 2 + e;
                const tc_attn_at at = {u->w.b, h, qi, kv, 0};
                float slope = 0.f;
                x[e] = s[4 * j + 2 * i + e];
                if ((!edge && !(c.score || c.mask)) || (kv < to && (!c.window || kv >= from)))
                    tc__attn_bwd80_probability(c, p, at, lse, &x[e], &slope);
                else x[e] = 0.f;
                const int at_s = 4 * j + 2 * i + e, dropped = c.dropout && (drops[at_s / 32] >> (at_s % 32) & 1u);
                y[e] = x[e] * ((dropped ? 0.f : dp[at_s]) - delta);
                if (c.score) y[e] = x[e] == 0.f ? 0.f : y[e] * slope;
                if (dropped) x[e] = 0.f;
            }
            tc__attn_bwd80_put(c.bn * 2, u->prob, r, me.col + j * 8 + lane % 4 * 2, tc_pack(c.type, x[0], x[1]));
            tc__attn_bwd80_put(c.bn * 2, u->ds, r, me.col + j * 8 + lane % 4 * 2, tc_pack(c.type, y[0], y[1]));
        }
    }
}

/* dQ of tile m of head h to the workspace: in turn, or as it comes. */
TC_DEV_SM80 void tc__attn_bwd80_dq(const tc_attn_bwd_config c, const tc__attn_bwd80_place *u, int h, int m)
{
    const tc_attn_bwd_problem *p = &u->p->problem;
    const tc__attn_bwd80_part me = tc__attn_bwd80_mine(c, u->warp, c.bm, c.head_dim);
    const int cols = c.head_dim / tc__attn_bwd80_split(c.warps, c.bm);
    const tc__attn_bwd80_shape sk = {c.type, cols, c.bn, c.bn * 2, c.head_dim * 2, 0, 1};
    float *to = tc__attn_bwd_sums(p, &u->w, h, m) + (me.row / 16 * (c.head_dim / 8) + me.col / 8) * 128 + tc_lane() * 4;
    unsigned *turn = p->turns + tc__attn_bwd_tile(p, &u->w, h, m);
    const int before = tc__attn_bwd_turn(c, p, &u->w, m);
    float d[128];
#pragma unroll
    for (int i = 0; i < cols / 2; i++) d[i] = 0.f;
    tc__attn_bwd80_product(sk, d, tc__attn_bwd80_operand(c.bn * 2, u->ds, 0, me.row, 0),
                           tc__attn_bwd80_operand(c.head_dim * 2, u->k, 0, 0, me.col));
    if (p->fast) {
#pragma unroll
        for (int i = 0; i < cols / 2; i++) atomicAdd(to + i / 4 * 128 + i % 4, d[i]);
        return;
    }
    if (threadIdx.x == 0) tc__attn_bwd_wait_turn(turn, (unsigned)before);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < cols / 2; i += 4) {
        float4 x = make_float4(0.f, 0.f, 0.f, 0.f);
        if (before) x = *(const float4 *)(to + i / 4 * 128);
        *(float4 *)(to + i / 4 * 128) = make_float4(x.x + d[i], x.y + d[i + 1], x.z + d[i + 2], x.w + d[i + 3]);
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) tc__attn_bwd_end_turn(turn, (unsigned)before + 1u);
}

/* The kernel. */
TC_DEV_SM80 void tc_attn_bwd_sm80(const tc_attn_bwd_config c, const tc_attn_bwd_sm80_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_attn_bwd_problem *a = &p->problem;
    const int threads = tc_attn_bwd_sm80_threads(c), split = tc__attn_bwd80_split(c.warps, c.bn);
    const int qb = c.head_dim * 2, vb = c.head_dim_v * 2;
    const tc__attn_bwd80_shape po = {c.type, c.head_dim_v / split, c.bm, c.bn * 2, vb, 1, 1},
                               sq = {c.type, c.head_dim / split, c.bm, c.bn * 2, qb, 1, 1};
    tc__attn_bwd80_place u;
    float dk[128], dv[128];
    int stage = 0;
    u.p = p;
    u.warp = (int)tc_uniform(threadIdx.x / 32u);
    if (!tc_attn_bwd_work_at(c, a, blockIdx.x, &u.w)) return;
    u.k = tc_smem_u32(tc__dynamic_smem);
    u.v = u.k + (uint32_t)(c.bn * qb);
    u.q = u.v + (uint32_t)(c.bn * vb);
    u.dout = u.q + (uint32_t)(c.stages * c.bm * qb);
    u.prob = u.dout + (uint32_t)(c.stages * c.bm * vb);
    u.ds = u.prob + (uint32_t)(c.bm * c.bn * 2);
    const tc__attn_bwd80_part mine_v = tc__attn_bwd80_mine(c, u.warp, c.bn, c.head_dim_v),
                              mine_k = tc__attn_bwd80_mine(c, u.warp, c.bn, c.head_dim);
#pragma unroll
    for (int i = 0; i < c.head_dim_v / split / 2; i++) dv[i] = 0.f;
#pragma unroll
    for (int i = 0; i < c.head_dim / split / 2; i++) dk[i] = 0.f;
    if (u.w.count > 0) {
        const long long b = a->cu_k ? 0 : u.w.b, row = u.w.k_at + u.w.k0;
        const tc__attn_bwd80_source k = {(const char *)p->k + (b * p->k_batch + u.w.h * p->k_head + row * p->k_row) * 2,
                                         p->k_row * 2, u.w.k_len - u.w.k0};
        const tc__attn_bwd80_source v = {(const char *)p->v + (b * p->v_batch + u.w.h * p->v_head + row * p->v_row) * 2,
                                         p->v_row * 2, u.w.k_len - u.w.k0};
        const int last = (u.w.h + 1) * a->share;
        tc__attn_bwd80_load(threads, c.bn, c.head_dim, u.k, k);
        tc__attn_bwd80_load(threads, c.bn, c.head_dim_v, u.v, v);
        tc_attn_bwd_step at = tc_attn_bwd_first(a, &u.w), ahead;
        tc__attn_bwd80_fetch(c, &u, at.h, at.m, 0);
        tc_cp_async_commit_group();
#pragma unroll 1
        for (;;) {
            ahead = at;
            tc_attn_bwd_next(c, &u.w, &ahead);
            TC_CP_ASYNC_WAIT_GROUP(0);
            __syncthreads(); /* the tile is there, and everybody is done with the one before */
            if (c.stages == 2 && ahead.h < last) tc__attn_bwd80_fetch(c, &u, ahead.h, ahead.m, stage ^ 1);
            if (c.stages == 2) tc_cp_async_commit_group();
            tc__attn_bwd80_scores(c, &u, at.h, at.m, stage);
            __syncthreads();
            const uint32_t g = u.dout + (uint32_t)(stage * c.bm * vb), q = u.q + (uint32_t)(stage * c.bm * qb);
            tc__attn_bwd80_product(po, dv, tc__attn_bwd80_operand(c.bn * 2, u.prob, 1, 0, mine_v.row),
                                   tc__attn_bwd80_operand(vb, g, 0, 0, mine_v.col));
            tc__attn_bwd80_product(sq, dk, tc__attn_bwd80_operand(c.bn * 2, u.ds, 1, 0, mine_k.row),
                                   tc__attn_bwd80_operand(qb, q, 0, 0, mine_k.col));
            if (c.stages == 1) {
                __syncthreads();
                if (ahead.h < last) tc__attn_bwd80_fetch(c, &u, ahead.h, ahead.m, 0);
                tc_cp_async_commit_group();
            } else {
                stage ^= 1;
            }
            tc__attn_bwd80_dq(c, &u, at.h, at.m);
            at = ahead;
            if (at.h == last) break;
        }
    }
    tc_attn_bwd_rows to = tc__attn_bwd_dkv(a, &u.w, 1, u.w.k0 + mine_v.row);
    to.first += mine_v.col;
    tc_attn_bwd_store(c.type, c.head_dim_v / split, to, dv, tc__attn_bwd_scale(c, a, 1.f));
    to = tc__attn_bwd_dkv(a, &u.w, 0, u.w.k0 + mine_k.row);
    to.first += mine_k.col;
    tc_attn_bwd_store(c.type, c.head_dim / split, to, dk, tc__attn_bwd_scale(c, a, a->scale));
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST tc__attn_bwd_cut tc__attn_bwd80_cut(const tc_attn_bwd_config *c, int sms)
{
    const tc__attn_bwd_cut cut = {c->bm, c->bn, c->head_dim, sms, 0};
    return cut;
}

/* Parameters of a checked call. */
TC_HOST tc_status tc__attn_bwd80_fill(const tc_attn_bwd_config *c, const tc_attn_bwd_args *g, int sms,
                                      tc_attn_bwd_sm80_params *p)
{
    const tc__attn_bwd_cut cut = tc__attn_bwd80_cut(c, sms);
    const tc_attn_strides q = tc__attn_bwd_tensor_of(c, g, TC__BWD_Q).s;
    const tc_attn_strides k = tc__attn_bwd_tensor_of(c, g, TC__BWD_K).s;
    const tc_attn_strides v = tc__attn_bwd_tensor_of(c, g, TC__BWD_V).s;
    p->q = g->q, p->q_batch = q.batch, p->q_row = q.row, p->q_head = q.head;
    p->k = g->k, p->k_batch = k.batch, p->k_row = k.row, p->k_head = k.head;
    p->v = g->v, p->v_batch = v.batch, p->v_row = v.row, p->v_head = v.head;
    return tc__attn_bwd_problem_make(&p->problem, c, g, &cut);
}

/* k: before, main, after. */
TC_HOST tc_status tc__attn_bwd_sm80_run(const tc_attn_bwd_config *c, const tc__kernel *k, const tc_attn_bwd_args *g,
                                        const tc__launch *how)
{
    tc__attn_bwd_calls calls;
    tc_attn_bwd_sm80_params p;
    const tc__attn_bwd_cut cut = tc__attn_bwd80_cut(c, 1);
    tc_status st = tc__attn_bwd_check(c, g);
    int sms = 0, i;
    if (st != TC_OK || tc__attn_bwd_nothing(g)) return st;
    st = tc__attn_bwd_check_tiles(g, &cut);
    if (st != TC_OK) return st;
    if (how->workspace) return *how->workspace = tc__attn_bwd_bytes(g, &cut, NULL), TC_OK;
    for (i = 0; i < 3 && st == TC_OK; i++) st = tc__kernel_device(&k[i], &sms);
    if (st == TC_OK) st = tc__attn_bwd80_fill(c, g, sms, &p);
    if (st != TC_OK || !how->launch) return st;
    calls.before = k[0], calls.main = k[1], calls.after = k[2];
    calls.blocks = (unsigned)p.problem.k_tiles * (unsigned)p.problem.columns;
    calls.params = &p;
    return tc__attn_bwd_launch(&calls, &p.problem, how);
}

#endif /* host */
#endif /* TC_ATTN_BWD_SM80_H */
