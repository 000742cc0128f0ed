/* tc_attn_sm100.h - tc 0.2.0 - attention's mainloop for Blackwell: TMA, tcgen05, tensor memory. Needs: the headers
 * below; sm_100a, 103a, 107a, 110a, or their f.
 *
 *     tc_attn_sm100_config                  a configuration with every unset field filled in
 *     tc_attn_sm100_smem, _threads          what its block takes
 *     tc_attn_sm100_columns                 columns of tensor memory that it takes
 *     tc_attn_sm100_mma, _softmax           multiplier and consumer, for kernels of your own
 *     tc_attn_sm100                         the kernel's body
 *     tc_attn_sm100_prepare (host)          a call to launch by yourself: checked, its grid and its parameters
 *
 * tc_attn.h is the manual. FIELDS: .type, the head dims, .causal, .window and the hooks as everywhere; and
 *     .bm         256 (two tiles of 128 queries in turns) or 128 (one; the default where both do not fit);
 *                 .consumers follows: bm / 128
 *     .bn         32, 64, 96 or 128 keys (the most that fit)
 *     .stages, .q_stages    as on Hopper
 *     .exp_poly   0..16 (0): so many of 16 exponentials are polynomials (as exact): the unit for exp2 is what a tile
 *                 of 128 queries, keys and head dims waits for. What gains most is for a board to say
 *
 *     warp 0      producer: Q, K and V by TMA, as on Hopper (tc_attn_sm90_load)
 *     warp 1      finds out which tile of queries comes next (tc__attn90_order)
 *     warp 2      multiplies: S = Q K' and O += P V, of one tile of queries after the other
 *     warps 4..   a warpgroup for each tile of 128 queries: softmax, a row a thread; rescales O where a maximum rose;
 *                 O and the log-sum-exp to memory
 *
 *     tensor memory: for each tile of queries S, which becomes P (two keys a column), and O
 *     shared memory: as tc_attn_sm90.h's; behind it the barriers of S, P and O, and the address of tensor memory
 *
 *     S full      a commit: S holds its sums. The products before it are done too: O may be rescaled
 *     P full      the four warps have written P, and rescaled O
 *     O full      a commit: the last P V of a tile is done
 *
 * While one warpgroup is in its softmax, the other tile's products run: P V of this step, S of the next. One thread
 * issues them and they are done in order, so that S may be overwritten where P before it was read.
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#ifndef TC_ATTN_SM100_H
#define TC_ATTN_SM100_H

#include "tc_attn_sm90.h"
#include "tc_memory.h"
#include "tc_tcgen05.h"

typedef tc_attn_sm90_params tc_attn_sm100_params;

enum {
    TC__ATTN100_ROWS = 128,      /* queries of a tile: a lane of tensor memory each */
    TC__ATTN100_ALONE = 116736,  /* shared memory of a block that takes more than half of the tensor memory */
    TC__ATTN107_ALONE = 167936,  /* the same on sm_107, which has 328 KB */
    TC__ATTN100_EXTRA = 64       /* behind what is as on Hopper: three barriers a tile, the word for the address */
};

/* Columns from one S, or O, to what follows it. */
TC_HD TC_CONSTEXPR int tc__attn100_s_columns(const tc_attn_config c) { return (c.bn + 31) / 32 * 32; }
TC_HD TC_CONSTEXPR int tc__attn100_o_columns(const tc_attn_config c) { return (c.head_dim_v + 31) / 32 * 32; }
TC_HD TC_CONSTEXPR int tc__attn100_wants(const tc_attn_config c)
{
    return c.consumers * (tc__attn100_s_columns(c) + tc__attn100_o_columns(c));
}
TC_HD TC_CONSTEXPR int tc_attn_sm100_columns(const tc_attn_config c)
{
    const int want = tc__attn100_wants(c);
    return want <= 32 ? 32 : want <= 64 ? 64 : want <= 128 ? 128 : want <= 256 ? 256 : 512;
}

TC_HD TC_CONSTEXPR int tc_attn_sm100_smem(const tc_attn_config c)
{
    const int bytes = tc_attn_sm90_smem(c) + TC__ATTN100_EXTRA;
    return tc_attn_sm100_columns(c) > 256 && bytes < TC__ATTN100_ALONE ? TC__ATTN100_ALONE : bytes;
}
TC_HD TC_CONSTEXPR int tc_attn_sm100_threads(const tc_attn_config c) { return 128 * (1 + c.consumers); }

/* Does a block of it fit? */
TC_HD TC_CONSTEXPR int tc__attn100_fits(const tc_attn_config c)
{
    return tc__attn100_wants(c) <= (int)TC_CHIP_100_TMEM && tc_attn_sm100_smem(c) <= TC__SM90_SMEM_MAX;
}

/* The configuration with every unset field filled in: two tiles of queries if they fit with 64 keys or more, the most
 * keys that do, and then a second slot of Q. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm100_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    const int keys = c.bn, slots = c.q_stages, rows = c.bm;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    c.stages = c.stages ? c.stages : 2;
    c.q_stages = slots ? slots : 1;
    c.bm = rows ? rows : 2 * TC__ATTN100_ROWS;
    c.consumers = given.consumers ? given.consumers : c.bm / TC__ATTN100_ROWS;
    if (!keys) for (c.bn = 128; c.bn > 32 && !tc__attn100_fits(c);) c.bn -= 32;
    if (!rows && !given.consumers && (!tc__attn100_fits(c) || (!keys && c.bn < 64))) {
        c.bm = TC__ATTN100_ROWS, c.consumers = 1;
        if (!keys) for (c.bn = 128; c.bn > 32 && !tc__attn100_fits(c);) c.bn -= 32;
    }
    if (!slots) {
        c.q_stages = 2;
        c.q_stages = tc__attn100_fits(c) ? 2 : 1;
    }
    return c;
}

/* The instructions: S = Q K' from shared memory; O += P V, P in tensor memory, V read along its rows. */
TC_HD TC_CONSTEXPR tc_op tc__attn100_qk_op(const tc_attn_config c)
{
    tc_op op = tc_op_make(100, TC_INST_TCGEN05);
    op.a = op.b = c.type, op.acc = TC_F32;
    op.m = TC__ATTN100_ROWS, op.n = c.bn, op.ctas = 1;
    op.kind = TC_KIND_F16;
    op.a_from = op.b_from = TC_HOME_SMEM;
    op.a_major = op.b_major = TC_MAJOR_K;
    return op;
}
TC_HD TC_CONSTEXPR tc_op tc__attn100_pv_op(const tc_attn_config c)
{
    tc_op op = tc__attn100_qk_op(c);
    op.n = c.head_dim_v;
    op.a_from = TC_HOME_TMEM;
    op.b_major = TC_MAJOR_MN;
    return op;
}

/* Their descriptors. */
TC_HD TC_CONSTEXPR tc_tcgen05_idesc_fields tc__attn100_idesc(const tc_attn_config c, int pv)
{
    tc_tcgen05_idesc_fields f = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    f.kind = TC_KIND_F16;
    f.m = TC__ATTN100_ROWS, f.n = pv ? c.head_dim_v : c.bn;
    f.a = f.b = c.type, f.d = TC_F32;
    f.trans_b = pv;
    f.cta_group = 1;
    return f;
}

/* As TC__ATTN_RULES. */
#define TC__ATTN_SM100_RULES(X, c)                                                                                    \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Blackwell's attention spills: compile this file without it "  \
      "(or with -ewp), or define TC_ALLOW_RDC")                                                                       \
    TC__ATTN_RULES(X, c)                                                                                              \
    X(!(c).dropout, "tc: Blackwell's attention has no .dropout: TC_ATTN_DEFINE takes its sm_80 kernel for it")        \
    X((c).consumers >= 1 && (c).consumers <= 2 && (c).bm == TC__ATTN100_ROWS * (c).consumers,                         \
      "tc: .bm must be 128 or 256: 128 queries for each of .consumers warpgroups")                                    \
    X((c).bn >= 32 && (c).bn <= 128 && (c).bn % 32 == 0, "tc: .bn must be 32, 64, 96 or 128")                         \
    X(tc_op_exists(tc__attn100_qk_op(c)) && tc_op_exists(tc__attn100_pv_op(c)),                                       \
      "tc: tcgen05 does not multiply .type in tiles of .bn and .head_dim_v: docs/types.md")                           \
    X(tc_tcgen05_idesc_rule(tc__attn100_idesc(c, 0)) == 0 && tc_tcgen05_idesc_rule(tc__attn100_idesc(c, 1)) == 0,     \
      "tc: the instructions have no such descriptors")                                                                \
    X(tc__attn100_wants(c) <= (int)TC_CHIP_100_TMEM,                                                                  \
      "tc: .bn and .head_dim_v, each rounded up to 32, times .bm / 128 must fit in 512 columns of tensor memory")     \
    X((c).q_stages == 1 || (c).q_stages == 2, "tc: .q_stages must be 1 or 2")                                         \
    X((c).stages >= 2 && tc_attn_sm100_smem(c) <= TC__SM90_SMEM_MAX,                                                  \
      "tc: .stages must be 2 or more, and the tiles of Q, K and V fit in 227 KB of shared memory")

/* Whether TC_ATTN_SM100_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_sm100_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm100_config(given);
    return 1 TC__ATTN_SM100_RULES(TC__RULE_AND, c);
}

#ifdef __CUDACC__
#if TC_HAS_SM100A && defined(__CUDA_ARCH__)

/* What a block knows: its shared memory, its tensor memory. */
typedef struct tc_attn100_block {
    const tc_attn_sm100_params *p;
    uint32_t smem, tmem;
} tc_attn100_block;

TC_DEV uint32_t tc__attn100_s_full(const tc_attn_config c, uint32_t smem, int tile)
{
    return smem + (uint32_t)(tc_attn_sm90_smem(c) + tile * 24);
}
TC_DEV uint32_t tc__attn100_p_full(const tc_attn_config c, uint32_t smem, int tile)
{
    return tc__attn100_s_full(c, smem, tile) + 8u;
}
TC_DEV uint32_t tc__attn100_o_full(const tc_attn_config c, uint32_t smem, int tile)
{
    return tc__attn100_s_full(c, smem, tile) + 16u;
}
TC_DEV uint32_t tc__attn100_slot(const tc_attn_config c, uint32_t smem) { return tc__attn100_s_full(c, smem, 2); }

/* Where S (and P) and O of a tile of queries begin. */
TC_DEV uint32_t tc__attn100_s(const tc_attn_config c, const tc_attn100_block *g, int tile)
{
    return g->tmem + (uint32_t)(tile * tc__attn100_s_columns(c));
}
TC_DEV uint32_t tc__attn100_o(const tc_attn_config c, const tc_attn100_block *g, int tile)
{
    return g->tmem + (uint32_t)(c.consumers * tc__attn100_s_columns(c) + tile * tc__attn100_o_columns(c));
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Multiplier: one warp, of which one thread issues.
 */
typedef struct tc__attn100_multiplier {
    tc_ring q, k, v;
    uint32_t phase; /* of P */
} tc__attn100_multiplier;

/* S = Q K' of a tile of queries, and the word that it is done. */
TC_DEV_SM100A void tc__attn100_qk(const tc_attn_config c, const tc_attn100_block *g, const tc__attn100_multiplier *u,
                                  const int tile)
{
    const uint32_t idesc = tc_tcgen05_idesc_make(tc__attn100_idesc(c, 0)), d = tc__attn100_s(c, g, tile);
    const uint64_t q = tc_tcgen05_desc(tc__attn90_q(c, g->smem, u->q.stage) + (uint32_t)(tile * 128 * 128), 128),
                   k = tc_tcgen05_desc(tc__attn90_k(c, g->smem, u->k.stage), 128);
#pragma unroll
    for (int i = 0; i < tc_operand_steps(tc__attn90_q_tile(c)); i++)
        TC_TCGEN05_MMA_SS(1, f16, d, tc_tcgen05_desc_advance(q, (uint32_t)tc_operand_step(tc__attn90_q_tile(c), i)),
                          tc_tcgen05_desc_advance(k, (uint32_t)tc_operand_step(tc__attn90_k_tile(c), i)), idesc, i > 0);
    TC_TCGEN05_COMMIT(1, tc__attn100_s_full(c, g->smem, tile));
}

/* O = P V, or O += P V, of a tile of queries. */
TC_DEV_SM100A void tc__attn100_pv(const tc_attn_config c, const tc_attn100_block *g, const tc__attn100_multiplier *u,
                                  const int tile, int add)
{
    const uint32_t idesc = tc_tcgen05_idesc_make(tc__attn100_idesc(c, 1)), d = tc__attn100_o(c, g, tile),
                   a = tc__attn100_s(c, g, tile);
    const uint64_t v = tc_tcgen05_desc_mn(tc__attn90_v(c, g->smem, u->v.stage), 128,
                                          (uint32_t)tc__attn90_v_tile(c).box_bytes);
#pragma unroll
    for (int i = 0; i < c.bn / 16; i++)
        TC_TCGEN05_MMA_TS(1, f16, d, a + (uint32_t)(i * 8), tc_tcgen05_desc_advance(v, (uint32_t)(i * 2048)), idesc,
                          i > 0 ? 1 : add);
}

/* All tiles of work of this block. */
TC_DEV_SM100A void tc_attn_sm100_mma(const tc_attn_config c, const tc_attn100_block *g)
{
    const tc_attn_problem *a = &g->p->problem;
    const uint32_t smem = g->smem;
    tc__attn100_multiplier u = {{0, 0}, {0, 0}, {0, 0}, 0};
    tc_attn_work w;
    for (;;) {
        int state, next, add = 0;
        TC_MBARRIER_WAIT(tc__attn90_q_full(c, smem, u.q.stage), u.q.phase, "Q full", (int)u.q.stage);
        tc__attn90_note_get(TC__NOTE_ONE, tc__attn90_note(c, smem, u.q), &w);
        if (w.b < 0) break;
        next = tc_attn_next(c, a, &w, tc_attn_next(c, a, &w, w.hi, &state), &state);
        TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
        if (tc_elect_one()) {
#pragma unroll
            for (int t = 0; t < c.consumers; t++) tc__attn100_qk(c, g, &u, t);
            TC_TCGEN05_COMMIT(1, tc__attn90_k_empty(c, smem, u.k.stage));
            if (next < w.lo) TC_TCGEN05_COMMIT(1, tc__attn90_q_empty(c, smem, u.q.stage));
        }
        tc_ring_next(&u.k, c.stages);
        for (;; add = 1) { /* P V of a tile of keys, and S of the next, if there is one */
            const int more = next >= w.lo, after = more ? tc_attn_next(c, a, &w, next, &state) : next;
            TC_MBARRIER_WAIT(tc__attn90_v_full(c, smem, u.v.stage), u.v.phase, "V full", (int)u.v.stage);
            if (more) TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
#pragma unroll
            for (int t = 0; t < c.consumers; t++) {
                TC_MBARRIER_WAIT(tc__attn100_p_full(c, smem, t), u.phase, "P full", t);
                tc_tcgen05_fence_after_thread_sync(); /* behind other warps' st of P and O, ld of S */
                if (tc_elect_one()) {
                    tc__attn100_pv(c, g, &u, t, add);
                    if (t == c.consumers - 1) TC_TCGEN05_COMMIT(1, tc__attn90_v_empty(c, smem, u.v.stage));
                    if (more) tc__attn100_qk(c, g, &u, t);
                    else TC_TCGEN05_COMMIT(1, tc__attn100_o_full(c, smem, t));
                    if (more && t == c.consumers - 1) {
                        TC_TCGEN05_COMMIT(1, tc__attn90_k_empty(c, smem, u.k.stage));
                        if (after < w.lo) TC_TCGEN05_COMMIT(1, tc__attn90_q_empty(c, smem, u.q.stage));
                    }
                }
                __syncwarp(); /* together again */
            }
            u.phase ^= 1u;
            tc_ring_next(&u.v, c.stages);
            if (!more) break;
            tc_ring_next(&u.k, c.stages);
            next = after;
        }
        tc_ring_next(&u.q, c.q_stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Softmax: a warpgroup for each tile of 128 queries, one row a thread.
 */
/* A thread's row: what exp is taken relative to, the sum, and by how much rounding P to 16 bits has changed it. */
typedef struct tc__attn100_row {
    int r; /* of the tile of work */
    float max, sum, rounding;
    uint32_t s, o; /* this warp's lanes of tensor memory */
} tc__attn100_row;

/* A tile of keys: which, what the mask hooks say of it, whether O holds anything. */
typedef struct tc__attn100_keys {
    int n, state, add;
} tc__attn100_keys;

/* Score hook, then masks, over a row of scores; as tc_attn_score, which has the rules. */
TC_DEV int tc__attn100_score(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w, int r,
                             const tc__attn100_keys x, float *s)
{
    const int masked = x.n < w->free_lo || x.n >= w->free_hi, partial = c.mask && x.state == TC_ATTN_PARTIAL,
              kv0 = x.n * c.bn;
    if (c.score == 0 && !masked && !partial) return 0;
    const tc_attn_at row = tc__attn_row(p, w, r);
    int from = 0, to = w->k_len;
    if (c.causal || c.window) {
        const int end = row.q + w->k_len - w->q_len + p->window_right + 1;
        to = end < to ? end : to;
    }
    if (c.window) from = row.q + w->k_len - w->q_len - p->window_left;
    if ((c.score || c.mask) && !tc__attn_row_exists(p, w, r, row.q)) to = 0; /* no hook is asked about it */
    from -= kv0;
    to -= kv0;
#pragma unroll
    for (int j = 0; j < c.bn; j++) {
        const int seen = j < to && (!c.window || j >= from);
        const tc_attn_at at = {w->b, row.h, row.q, kv0 + j, 0};
        if (!seen) s[j] = -TC__INF;
        else if (c.score) s[j] = c.score(s[j] * p->scale, at, p->hook) * TC__LOG2E;
        if (partial && seen && !c.mask(at, p->hook)) s[j] = -TC__INF;
    }
    return (masked && tc__attn_few(c, w)) || partial;
}

/* 32 columns of this warp's lanes, or where the tile has 16 more only, those; waited for. */
TC_DEV_SM100A void tc__attn100_get(uint32_t *x, uint32_t from, const int columns)
{
    if (columns == 32) TC_TCGEN05_LD(32x32b, x32, x, from);
    else TC_TCGEN05_LD(32x32b, x16, x, from);
    tc_tcgen05_wait_ld_regs(x, columns);
}

/* O times f, a factor for each row. */
TC_DEV_SM100A void tc__attn100_rescale(const tc_attn_config c, uint32_t o, float f)
{
#pragma unroll
    for (int d = 0; d < c.head_dim_v; d += 32) {
        const int columns = c.head_dim_v - d < 32 ? 16 : 32;
        uint32_t x[32];
        tc__attn100_get(x, o + (uint32_t)d, columns);
#pragma unroll
        for (int e = 0; e < columns; e++) x[e] = tc_bits_from_f32(tc_f32_from_bits(x[e]) * f);
        if (columns == 32) TC_TCGEN05_ST(32x32b, x32, o + (uint32_t)d, x);
        else TC_TCGEN05_ST(32x32b, x16, o + (uint32_t)d, x);
    }
}

/* exp2 by multiplications and additions: 2^j of the whole number next to x times a polynomial of what is left, right
 * to 2^-22. Below 2^-126 it is 0, and of NaN it is NaN. x is at most 0, or a rounding above. */
TC_DEV_SM80 float tc__attn100_exp2(float x)
{
    float whole, rest, y;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(x) : "f"(x), "f"(-127.f));
    whole = x + 12582912.f; /* 1.5 * 2^23: the sum's last bits are j */
    rest = x - (whole - 12582912.f);
    y = fmaf(rest, 1.3276471873942823e-3f, 9.675541333505084e-3f);
    y = fmaf(rest, y, 5.5507132738650114e-2f);
    y = fmaf(rest, y, 0.24022119723863647f);
    y = fmaf(rest, y, 0.6931469670645358f);
    y = fmaf(rest, y, 1.0000000716546769f);
    return y * tc_f32_from_bits((tc_bits_from_f32(whole) << 23) + 0x3f800000u);
}

/* S of a tile of keys, which is there, to P. */
TC_DEV_SM100A void tc__attn100_step(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                                    tc__attn100_row *u, const tc__attn100_keys x)
{
    const float scale = tc_attn_scale(c, p);
    float s[128], top[4] = {-TC__INF, -TC__INF, -TC__INF, -TC__INF}, sum[4] = {0.f, 0.f, 0.f, 0.f}, f, to, base, shift;
    uint32_t bits[128];
    int few, rise;
#pragma unroll
    for (int i = 0; i < c.bn; i += 32) TC_TCGEN05_LD(32x32b, x32, bits + i, u->s + (uint32_t)i);
    tc_tcgen05_wait_ld_regs(bits, c.bn);
#pragma unroll
    for (int j = 0; j < c.bn; j++) s[j] = tc_f32_from_bits(bits[j]);
    few = tc__attn100_score(c, p, w, u->r, x, s);
#pragma unroll
    for (int j = 0; j < c.bn; j++) top[j % 4] = fmaxf(top[j % 4], s[j]);
    to = fmaxf(fmaxf(u->max, fmaxf(top[0], top[1])), fmaxf(top[2], top[3]));
    base = to == -TC__INF ? 0.f : to;
    shift = -base * scale;
    f = tc__exp2((u->max - base) * scale);
    rise = to > u->max;
    u->max = to;
    u->rounding *= f;
#pragma unroll
    for (int i = 0; i < c.bn; i += 32) {
        uint32_t words[16];
#pragma unroll
        for (int j = 0; j < 32; j++) {
            const float y = fmaf(s[i + j], scale, shift);
            s[i + j] = j % 16 * c.exp_poly % 16 < c.exp_poly ? tc__attn100_exp2(y) : tc__exp2(y);
            sum[j % 4] += s[i + j];
        }
#pragma unroll
        for (int j = 0; j < 16; j++) words[j] = tc_pack(c.type, s[i + 2 * j], s[i + 2 * j + 1]);
        if (few) {
#pragma unroll
            for (int j = 0; j < 16; j++)
                u->rounding += tc_unpack(c.type, words[j] & 0xffffu) - s[i + 2 * j]
                             + (tc_unpack(c.type, words[j] >> 16) - s[i + 2 * j + 1]);
        }
        TC_TCGEN05_ST(32x32b, x16, u->s + (uint32_t)(i / 2), words);
    }
    u->sum = u->sum * f + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
    if (x.add && __any_sync(0xffffffffu, rise)) tc__attn100_rescale(c, u->o, f);
    tc_tcgen05_wait_st();
}

/* The end of a row: O divided by the sum and through the output hook, and the log-sum-exp; as tc_attn_finish. */
TC_DEV_SM100A void tc__attn100_finish(const tc_attn_config c, const tc_attn_problem *p, const tc_attn_work *w,
                                      const tc__attn100_row *u)
{
    const float scale = tc_attn_scale(c, p);
    const tc_attn_at row = tc__attn_row(p, w, u->r);
    const int exists = tc__attn_row_exists(p, w, u->r, row.q);
    tc__attn_end end = {u->sum, u->max == -TC__INF ? -TC__INF : u->max * scale, u->sum + u->rounding, 0.f};
    uint16_t *to = (uint16_t *)p->o
                 + ((long long)tc__attn_outer_q(p, w) * p->o_batch + (long long)(w->q_at + row.q) * p->o_row
                    + row.h * p->o_head);
    end.inverse = end.sum == 0.f ? 0.f : tc__inverse(end.rounded);
    if (c.sink && exists) {
        const tc_attn_at at = {w->b, row.h, 0, 0, 0};
        tc__attn_add_sink(c.sink(at, p->hook), &end);
    }
    if (p->lse && exists)
        p->lse[(long long)tc__attn_outer_q(p, w) * p->lse_batch + w->q_at + row.h * p->lse_head + row.q] =
            tc__attn_lse(&end);
#pragma unroll
    for (int d = 0; d < c.head_dim_v; d += 32) {
        const int columns = c.head_dim_v - d < 32 ? 16 : 32;
        uint32_t x[32];
        tc__attn100_get(x, u->o + (uint32_t)d, columns);
        if (exists) {
#pragma unroll
            for (int e = 0; e < columns; e += 16) {
                uint32_t words[8];
#pragma unroll
                for (int i = 0; i < 8; i++) {
                    const tc_attn_at even = {w->b, row.h, row.q, 0, d + e + 2 * i},
                                     odd = {w->b, row.h, row.q, 0, d + e + 2 * i + 1};
                    float lo = tc_f32_from_bits(x[e + 2 * i]) * end.inverse,
                          hi = tc_f32_from_bits(x[e + 2 * i + 1]) * end.inverse;
                    if (c.out) lo = c.out(lo, even, p->hook), hi = c.out(hi, odd, p->hook);
                    words[i] = tc_pack(c.type, lo, hi);
                }
                tc__st_global_32(to + d + e, words, (uintptr_t)to % 32 == 0);
            }
        }
        __syncwarp(); /* together again */
    }
}

/* One warpgroup: its rows of all tiles of work of this block. */
TC_DEV_SM100A void tc_attn_sm100_softmax(const tc_attn_config c, const tc_attn100_block *g, int tile)
{
    const tc_attn_problem *a = &g->p->problem;
    const uint32_t smem = g->smem, lanes = tc_uniform(threadIdx.x / 32u % 4u) * 32u;
    uint32_t s_phase = 0, o_phase = 0;
    tc_ring q = {0, 0};
    tc__attn100_row u;
    tc_attn_work w;
    u.r = tile * TC__ATTN100_ROWS + (int)lanes + tc_lane();
    u.s = tc__attn100_s(c, g, tile) + tc_tcgen05_taddr((int)lanes, 0);
    u.o = tc__attn100_o(c, g, tile) + tc_tcgen05_taddr((int)lanes, 0);
    for (;;) {
        tc__attn100_keys x = {0, 0, 0};
        TC_MBARRIER_WAIT(tc__attn90_q_full(c, smem, q.stage), q.phase, "Q full", (int)q.stage);
        tc__attn90_note_get(TC__NOTE_ONE, tc__attn90_note(c, smem, q), &w);
        if (w.b < 0) break;
        if (tc_lane() == 0) tc_mbarrier_arrive(tc__attn90_q_empty(c, smem, q.stage)); /* the note has been read */
        tc_ring_next(&q, c.q_stages);
        u.max = -TC__INF, u.sum = 0.f, u.rounding = 0.f;
        for (x.n = tc_attn_next(c, a, &w, w.hi, &x.state); x.n >= w.lo;
             x.n = tc_attn_next(c, a, &w, x.n, &x.state), x.add = 1) {
            TC_MBARRIER_WAIT(tc__attn100_s_full(c, smem, tile), s_phase, "S full", tile);
            tc_tcgen05_fence_after_thread_sync();
            s_phase ^= 1u;
            tc__attn100_step(c, a, &w, &u, x);
            tc_tcgen05_fence_before_thread_sync();
            __syncwarp();
            if (tc_lane() == 0) tc_mbarrier_arrive(tc__attn100_p_full(c, smem, tile));
        }
        TC_MBARRIER_WAIT(tc__attn100_o_full(c, smem, tile), o_phase, "O full", tile);
        tc_tcgen05_fence_after_thread_sync();
        o_phase ^= 1u;
        tc__attn100_finish(c, a, &w, &u);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel.
 */
/* Barriers and tensor memory, and the meeting of all threads behind them. */
TC_DEV_SM100A void tc__attn100_start(const tc_attn_config c, tc_attn100_block *g, uint32_t warp)
{
    const tc_attn_sm100_params *p = g->p;
    const uint32_t smem = g->smem, slot = tc__attn100_slot(c, smem), columns = (uint32_t)tc_attn_sm100_columns(c);
    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->q);
        tc_prefetch_tensormap(&p->k);
        tc_prefetch_tensormap(&p->v);
        for (uint32_t i = 0; i < (uint32_t)c.q_stages; i++) {
            tc_mbarrier_init(tc__attn90_q_full(c, smem, i), 1);
            /* a lane of each warp that has read the note, and the commit of the last S */
            tc_mbarrier_init(tc__attn90_q_empty(c, smem, i), (uint32_t)c.consumers * 4u + 1u);
        }
        for (uint32_t i = 0; i < (uint32_t)c.stages; i++) {
            tc_mbarrier_init(tc__attn90_k_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn90_k_empty(c, smem, i), 1);
            tc_mbarrier_init(tc__attn90_v_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn90_v_empty(c, smem, i), 1);
        }
        for (int i = 0; i < c.consumers; i++) {
            tc_mbarrier_init(tc__attn100_s_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn100_p_full(c, smem, i), 4);
            tc_mbarrier_init(tc__attn100_o_full(c, smem, i), 1);
        }
        tc_mbarrier_init(tc__attn90_tail(c, smem), 1);
        tc_mbarrier_init(tc__attn90_mail(c, smem), 1);
        tc_mbarrier_init(tc__attn90_mail(c, smem) + 8u, 1);
        tc_fence_mbarrier_init();
    }
    /* rows of Q's tiles that TMA never writes: packed heads whose number does not divide bm */
    for (int i = 0; i < c.q_stages * tc__attn90_q_tile(c).boxes; i++)
        for (int at = p->problem.tile_q * p->problem.group * 128 + (int)threadIdx.x * 16; at < c.bm * 128;
             at += tc_attn_sm100_threads(c) * 16)
            tc__attn90_zero_16(smem + (uint32_t)(i * tc__attn90_q_tile(c).box_bytes + at));
    tc_fence_proxy_async_shared();
    __syncwarp(); /* together again */
    if (warp == 2u) {
        TC_TCGEN05_ALLOC_N(1, slot, columns);
        TC_TCGEN05_RELINQUISH_ALLOC_PERMIT(1);
    }
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    __syncthreads();
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(g->tmem) : "r"(slot) : "memory");
    tc_griddepcontrol_wait();
}

TC_DEV_SM100A void tc_attn_sm100(const tc_attn_config c, const tc_attn_sm100_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t warp = tc_uniform(threadIdx.x / 32u);
    tc_attn100_block g = {p, tc_smem_u32(tc__dynamic_smem), 0};
    tc__attn100_start(c, &g, warp);
    if (warp < 4u) {
        if (c.consumers == 2) TC_SETMAXNREG_DEC(56);
        if (warp == 0u) {
            tc_attn_sm90_load(c, p, g.smem);
            tc_griddepcontrol_launch_dependents();
        } else if (warp == 1u) {
            tc__attn90_order(c, &p->problem, g.smem);
        } else if (warp == 2u) {
            tc_attn_sm100_mma(c, &g);
        }
    } else {
        if (c.consumers == 2) TC_SETMAXNREG_INC(224);
        tc_attn_sm100_softmax(c, &g, (int)warp / 4 - 1);
    }
    __syncwarp(); /* together again */
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    __syncthreads(); /* nobody uses tensor memory any more */
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
    if (warp == 2u) TC_TCGEN05_DEALLOC_N(1, g.tmem, (uint32_t)tc_attn_sm100_columns(c));
}

#endif /* TC_HAS_SM100A */
#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* As tc_attn_sm90_launch. */
typedef tc_attn_sm90_launch tc_attn_sm100_launch;

TC_HOST tc_status tc__attn100_check(const tc_attn_config *c, const tc_attn_args *g) { return tc__attn_check(c, g); }

/* A checked call that computes something: Hopper's grid, order and tensor maps. */
TC_HOST tc_status tc__attn100_launch(const tc_attn_config *c, const tc_attn_args *g, int sms, tc_attn_sm100_launch *l)
{
    const tc_status st = tc__attn90_launch(c, g, sms, l);
    l->block = (unsigned)tc_attn_sm100_threads(*c);
    l->smem = (unsigned)tc_attn_sm100_smem(*c);
    return st;
}

/* tc_attn_sm100_prepare, as tc_attn_sm90_prepare. */
TC__PREPARE(attn, 100, sms, TC__ATTN_SM100_RULES)
TC__RUN(attn, 100)

#endif /* host */
#endif /* TC_ATTN_SM100_H */
