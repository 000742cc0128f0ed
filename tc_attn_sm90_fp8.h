/* tc_attn_sm90_fp8.h - tc 0.2.0 - attention with Q, K and V in TC_E4M3 on Hopper: what differs from 16 bits. Needs: the
 * headers below; sm_90a.
 *
 *     TC_ATTN_DEFINE(attn, .type = TC_E4M3, .head_dim = 128, .causal = 1)          O in bf16; .o = TC_F16: in f16
 *     ...
 *     args.q_scale = q_scale, args.q_factors = (tc_attn_factors){ .batch = heads, .head = 1 };     one for each head
 *     args.k_scale = k_scale, args.k_factors = (tc_attn_factors){ .batch = heads_kv * blocks, .head = blocks,
 *                                                                 .rows = 128 };        one for each 128 keys of one
 *
 * TC_ATTN_SM90_DEFINE takes the same. head_dim: multiples of 32 up to 256; head_dim_v: 64 or 128. .causal, .window,
 * grouped heads, packed and padded sequences, .out and .sink are as ever. Strides of Q, K and V are multiples of 16.
 *
 * FACTORS. Q, K and V are their codes times f32 factors in device memory: x_scale is null (1 for all) or points to the
 * factor of batch 0, head 0 (of heads; of K and V, of heads_kv); x_factors has the distance in floats from one batch
 * and from one head to the next, and how many rows of a sequence share a factor (0: all of them); those of a sequence
 * are neighbours, the first for its first rows. With distances of 0 there is one for the tensor. Packed sequences count
 * as batches: factors are found by the number of a sequence, and by places within it.
 *     Q's rows are 1 or more, K's and V's 128 times a power of 2, or 0. No form costs anything between two products:
 * Q's and K's factors belong to the scale that the exponent has anyway, V's to the factor by which O is multiplied
 * anyway when a maximum rises, and to the end.
 *     A factor is positive, 2^-60 to 2^60; 0 (of a block of zeros) is taken as 2^-64. Others are not looked for.
 *
 * P is exp2(score - maximum + 7): 1 is 128, and what is below 2^-17 of a row's maximum is 0. The rest of e4m3's range
 * is for maxima that rise by less than 1.85 in the exponent: they stay as they were, and what depends on them too. What
 * is rounded there, at most 1/16 of each, is nearly all of the error. O is divided by the f32 sum of P before it was
 * rounded, which the log-sum-exp is made of too. To divide by the sum of what was multiplied is the better where the
 * values of V have a mean: o is then off by the rounding of p_j times v_j - o, and not v_j. But it takes a conversion
 * back for each two scores; over many keys roundings cancel as well in the sum of the p_j as in that of p_j v_j. It is
 * done where it counts, for rows that may see fewer than 512 keys.
 *
 * SUMS. wgmma adds up 8-bit floats in about 14 bits. S is a sum over head_dim alone. P V would be one over all keys:
 * with .promote = 128 (default) a tile's P V is a sum of its own, O * f + P V in f32. As O is multiplied by f for the
 * maximum's sake anyway, that takes no instruction more, but registers: 64 columns of P V at a time, the first while
 * the maxima are looked for, the second while the exponentials are computed. With .promote = TC_FAST the Tensor Cores
 * add to O: all of P V at once, and for each 32 keys a loss of up to 2^-13 of the largest sum so far, always towards 0.
 *
 * V IS TURNED. 8-bit wgmma wants V's keys as neighbours. TMA brings 128 keys by 128 columns, and a warpgroup of its own
 * turns that square in its place in the ring (tc_turn.h); with .bm = 64 the two idle warps of the producer's do. An
 * accumulator's fragment has pairs of keys where an 8-bit A operand wants four in a row; the order of keys within a sum
 * is free, so the keys of V are turned into the order in which a quad has those of P, and P goes from one product to
 * the other without an exchange:
 *
 *     slot of V:    raw      TMA has brought it; beside the barrier a word: 0: there is none any more
 *                   full     it is turned (an arrival of each lane)
 *                   empty    as ever
 *
 *     tc_attn_sm90_fp8_mma      the consumer, as tc_attn_sm90_mma
 */
#ifndef TC_ATTN_SM90_FP8_H
#define TC_ATTN_SM90_FP8_H

#include "tc_attn_sm90.h"
#include "tc_turn.h"
#include "tc_types.h"

/* What the kernel knows of factors. It stands at the end of a problem's hook, so that the other types' kernels have the
 * parameters that they had. */
typedef struct tc__attn_factor_list {
    const float *f; /* null: 1 */
    long long batch, head;
    int rows, shift; /* rows of Q; of K and V tiles of keys as a power of 2, if rows is not 0 */
} tc__attn_factor_list;
typedef struct tc__attn_scaling {
    tc__attn_factor_list q, k, v;
} tc__attn_scaling;
enum { TC__ATTN_SCALING_AT = TC_EPI_MAX / 16 * 16 - (int)sizeof(tc__attn_scaling) };

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Factors.
 */
TC_DEV const tc__attn_scaling *tc__attn_fp8_scaling(const tc_attn_problem *p)
{
    return (const tc__attn_scaling *)(p->hook + TC__ATTN_SCALING_AT);
}

/* Whether K or V have factors of blocks of keys. */
TC_DEV int tc__attn_fp8_blocks(const tc_attn_sm90_params *p)
{
    const tc__attn_scaling *s = tc__attn_fp8_scaling(&p->problem);
    return s->k.rows | s->v.rows;
}

/* Number `block` of head h of batch b. */
TC_DEV float tc__attn_fp8_factor(const tc__attn_factor_list *l, tc_attn_at at, int block)
{
    const float f = l->f ? l->f[at.b * l->batch + at.h * l->head + block] : 1.f;
    return f == 0.f ? 5.42101086e-20f : f;
}

/* The factor of tile n of keys. */
TC_DEV float tc__attn_fp8_of_keys(const tc__attn_factor_list *l, const tc__attn90_consumer *u, int n)
{
    const tc_attn_at at = {u->w.b, u->head, 0, 0, 0};
    return tc__attn_fp8_factor(l, at, l->rows ? n >> l->shift : 0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The warps that turn V, slot after slot, until none follows.
 */
TC_DEV_SM90 void tc__attn_fp8_turn(const tc_attn_config c, uint32_t smem)
{
    const tc_operand tile = tc__attn90_v_tile(c);
    const tc__turner t = tc__turner_of_keys();
    const uint32_t warp = tc_uniform(threadIdx.x / 32u) % 4u - (tc__attn90_turners(c) == 2 ? 2u : 0u);
    tc_ring at = {0, 0};
    for (;;) {
        const uint32_t raw = tc__attn90_v_raw(c, smem, at.stage), v = tc__attn90_v(c, smem, at.stage);
        uint32_t follows = 0;
        TC_MBARRIER_WAIT(raw, at.phase, "V raw", (int)at.stage);
        if (tc_lane() == 0) asm volatile("ld.shared.b32 %0, [%1+8];" : "=r"(follows) : "r"(raw) : "memory");
        if (!tc_uniform(follows)) break;
#pragma unroll
        for (int i = 0; i < tile.boxes; i++)
            tc__turn_8_share(tc__attn90_turners(c), &t, v + (uint32_t)(i * tile.box_bytes), warp);
        tc_fence_proxy_async_shared();
        tc_mbarrier_arrive(tc__attn90_v_full(c, smem, at.stage));
        tc_ring_next(&at, c.stages);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers. O is promoted in pieces of 64 columns: 32 registers.
 */
#define TC__ATTN_FP8_SHIFT 7.f  /* P is 2 to this where a row's maximum is */
#define TC__ATTN_FP8_TOP 8.85f  /* and may be 2 to this, which becomes 448, where the maximum has risen since */
#define TC__ATTN_FP8_FEW 512    /* keys */

TC_HD TC_CONSTEXPR int tc__attn_fp8_pieces(const tc_attn_config c)
{
    return c.promote == TC_FAST ? 1 : c.head_dim_v / 64;
}

/* The products of one piece, issued: T = P V, or without promotion O += P V of all columns. */
TC_DEV_SM90A void tc__attn_fp8_pv(const tc_attn_config c, tc__attn90_consumer *u, const int piece)
{
    const uint64_t v = tc__attn90_slot_desc(u->v0, u->v.stage, tc__attn90_v_tile(c));
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < c.bn / 32; i++) {
        const uint64_t at = tc_wgmma_desc_advance(v, (uint32_t)(piece * 64 * 128 + i * 32));
        const uint32_t *a = u->a + 4 * i;
        if (c.promote != TC_FAST) TC_WGMMA_RS(64, f32, e4m3, u->t, a, at, i > 0, 1, 1);
        else if (c.head_dim_v == 64) TC_WGMMA_RS(64, f32, e4m3, u->r.o, a, at, 1, 1, 1);
        else TC_WGMMA_RS(128, f32, e4m3, u->r.o, a, at, 1, 1, 1);
    }
    tc_wgmma_commit_group();
}

/* After the wait for it: the piece is added to O, which is multiplied by what P's maxima ask for. */
TC_DEV_SM90A void tc__attn_fp8_promote(const tc_attn_config c, tc__attn90_consumer *u, const int piece)
{
    if (c.promote == TC_FAST) {
        tc_wgmma_fence_acc(u->r.o, c.head_dim_v / 2);
    } else {
        float *o = u->r.o + 32 * piece;
        tc_wgmma_fence_acc(u->t, 32);
#pragma unroll
        for (int i = 0; i < 32; i++) o[i] = fmaf(o[i], u->f[i / 2 % 2], u->t[i]);
    }
}

/* The other pieces, each when the one before it has been added to O. All but the last are then. */
TC_DEV_SM90A void tc__attn_fp8_rest(const tc_attn_config c, tc__attn90_consumer *u)
{
#pragma unroll
    for (int i = 1; i < tc__attn_fp8_pieces(c); i++) {
        TC_WGMMA_WAIT_GROUP(0);
        tc__attn_fp8_promote(c, u, i - 1);
        tc__attn_fp8_pv(c, u, i);
    }
}

/* What follows from the rows' maxima for the exponents of the tiles to come. */
TC_DEV_SM90 void tc__attn_fp8_place(tc__attn90_consumer *u)
{
    const float *max = u->r.max;
#pragma unroll
    for (int i = 0; i < 2; i++) u->shift[i] = TC__ATTN_FP8_SHIFT - (max[i] == -TC__INF ? 0.f : max[i]);
    u->unseen = __any_sync(0xffffffffu, max[0] == -TC__INF || max[1] == -TC__INF);
}

/* New maxima, of each row that has an exponent above what P takes, or had no score so far. Exponents, sums and what O
 * is to be multiplied by (f) follow. It is rare, so that it may cost something. tops: a lane's largest exponents by
 * rows, as tc__attn_fp8_exponents leaves them, if one of them is above what P takes. They save a look at all scores
 * where registers are left to keep them in: 1 to 2 % of a call with TC_FAST, -1 % beside promoted sums. */
TC_DEV_SM90 void tc__attn_fp8_raise(const tc_attn_config c, tc__attn90_consumer *u, const int *tops, float *f)
{
    tc_attn_rows *r = &u->r;
    const tc_attn_scores x = {u->s, c.bn, 0, 0, 0, 0, 0, 1.f};
    float fell[2], lane[2] = {tc_f32_from_bits((uint32_t)tops[0]), tc_f32_from_bits((uint32_t)tops[1])};
    if (c.promote != TC_FAST || u->unseen) lane[0] = tc__attn_top(x, 0, 0, 0.f), lane[1] = tc__attn_top(x, 1, 0, 0.f);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const float base = TC__ATTN_FP8_SHIFT - u->shift[i], over = tc__attn_quad_max(lane[i]),
                    top = over - u->shift[i],
                    to = over > TC__ATTN_FP8_TOP || r->max[i] == -TC__INF ? top : r->max[i],
                    next = to == -TC__INF ? 0.f : to;
        f[i] = tc__exp2(r->max[i] - next);
        r->sum[i] *= f[i];
        r->rounding[i] *= f[i];
        r->max[i] = to;
        fell[i] = base - next;
    }
    tc__attn_fp8_place(u);
#pragma unroll
    for (int j = 0; j < c.bn / 2; j++) u->s[j] += fell[j / 2 % 2];
}

/* Scores to exponents, in place, by the maxima so far. The return value: whether tc__attn_fp8_raise is due. That is
 * asked of the exponents' bits as integers, two comparisons an instruction: negative ones are negative, and NaN is
 * above all. tops: the largest of the lane's two rows by that order. */
TC_DEV_SM90 int tc__attn_fp8_exponents(const tc_attn_config c, tc__attn90_consumer *u, float scale, int *tops)
{
    int top[4];
#pragma unroll
    for (int j = 0; j < c.bn / 2; j++) {
        u->s[j] = fmaf(u->s[j], u->unit[j / 2 % 2] * scale, u->shift[j / 2 % 2]);
        if (j < 4) top[j / 2 + j % 2 * 2] = (int)tc_bits_from_f32(u->s[j]); /* rows 0, 1, 0, 1 */
    }
#pragma unroll
    for (int j = 4; j < c.bn / 2; j += 2)
        top[j / 2 % 4] = max(max((int)tc_bits_from_f32(u->s[j]), (int)tc_bits_from_f32(u->s[j + 1])), top[j / 2 % 4]);
    tops[0] = max(top[0], top[2]), tops[1] = max(top[1], top[3]);
    return __any_sync(0xffffffffu, u->unseen || max(tops[0], tops[1]) > (int)tc_bits_from_f32(TC__ATTN_FP8_TOP));
}

/* Scores to exponents of the first tile of a tile of work, and its maxima. */
TC_DEV_SM90 void tc__attn_fp8_first_maxima(const tc_attn_config c, tc__attn90_consumer *u, const tc_attn_scores x)
{
    float scale[2];
#pragma unroll
    for (int i = 0; i < 2; i++) {
        scale[i] = u->unit[i] * x.scale;
        u->r.max[i] = tc__attn_quad_max(tc__attn_top(x, i, 0, 0.f) * scale[i]);
    }
    tc__attn_fp8_place(u);
#pragma unroll
    for (int j = 0; j < c.bn / 2; j++) u->s[j] = fmaf(u->s[j], scale[j / 2 % 2], u->shift[j / 2 % 2]);
}

/* Exponents to probabilities, in place. */
TC_DEV_SM90 void tc__attn_fp8_exp(const tc_attn_config c, tc__attn90_consumer *u)
{
#pragma unroll
    for (int j = 0; j < c.bn / 2; j++) u->s[j] = tc__exp2(u->s[j]);
}

/* The probabilities' sums by rows. They are made when S's place is about to be given to the next, and not beside the
 * exponentials, where an addition that waits for one holds up the next: 3 to 6 %. */
TC_DEV_SM90 void tc__attn_fp8_sum(const tc_attn_config c, tc__attn90_consumer *u)
{
    float a[4];
#pragma unroll
    for (int e = 0; e < 4; e++) a[e] = u->s[e];
#pragma unroll
    for (int j = 4; j < c.bn / 2; j++) /* volatile: not among the exponentials. ptxas leaves a part behind the turn */
        asm volatile("add.f32 %0, %0, %1;" : "+f"(a[j % 4]) : "f"(u->s[j]));
    u->r.sum[0] += a[0] + a[1];
    u->r.sum[1] += a[2] + a[3];
}

/* Four codes, a in the lowest byte. */
TC_DEV_SM90 uint32_t tc__attn_fp8_four(float a, float b, float c, float d)
{
    uint32_t r;
    asm("{\n\t.reg .b16 lo, hi;\n\t"
        "cvt.rn.satfinite.e4m3x2.f32 lo, %2, %1;\n\t"
        "cvt.rn.satfinite.e4m3x2.f32 hi, %4, %3;\n\t"
        "mov.b32 %0, {lo, hi};\n\t}"
        : "=r"(r) : "f"(a), "f"(b), "f"(c), "f"(d));
    return r;
}

/* P as the A operand: of each 16 keys a lane packs the four that it has of a row. few: also by how much that changed
 * their sums. */
TC_DEV_SM90 void tc__attn_fp8_pack(const tc_attn_config c, tc__attn90_consumer *u, int few)
{
#pragma unroll
    for (int j = 0; j < c.bn / 16; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const float *p = u->s + 8 * j + 2 * i;
            u->a[2 * j + i] = tc__attn_fp8_four(p[0], p[1], p[4], p[5]);
        }
    if (few) {
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float sum = 0.f;
#pragma unroll
            for (int j = 0; j < c.bn / 16; j++) {
                const float *p = u->s + 8 * j + 2 * i;
                const tc_f32x2 x = tc_f32x2_from_e4m3x2((uint16_t)u->a[2 * j + i]),
                               y = tc_f32x2_from_e4m3x2((uint16_t)(u->a[2 * j + i] >> 16));
                sum += (x.x - p[0]) + (x.y - p[1]) + (y.x - p[4]) + (y.y - p[5]);
            }
            u->r.rounding[i] += sum;
        }
    }
}

/* V's factor of tile n from now on: O, which is kept in units of it, is to be multiplied by more than f. */
TC_DEV_SM90 void tc__attn_fp8_units(const tc__attn_factor_list *v, tc__attn90_consumer *u, int n, const float *f)
{
    const float next = tc__attn_fp8_of_keys(v, u, n), ratio = u->v_factor * tc__inverse(next);
    u->f[0] = f[0] * ratio, u->f[1] = f[1] * ratio;
    u->v_factor = next;
}

/* The first S of a tile of work, after it was issued: to P. */
TC_DEV_SM90A void tc__attn_fp8_first(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_consumer *u)
{
    const tc_attn_problem *a = &p->problem;
    const tc__attn_scaling *s = tc__attn_fp8_scaling(a);
    tc_attn_scores x = {u->s, c.bn, u->r.row, 0, 0, 1, 0, 1.f};
    x.n = u->n = tc_attn_next(c, a, &u->w, u->w.hi, &x.state);
    u->head = u->w.h / (a->heads / a->heads_kv);
    x.scale = u->k_factor = tc__attn_fp8_of_keys(&s->k, u, x.n);
    u->v_factor = tc__attn_fp8_of_keys(&s->v, u, x.n);
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int r = u->r.row + tc_lane() / 4 + i * 8;
        const tc_attn_at at = tc__attn_row(a, &u->w, r);
        u->unit[i] = a->scale_log2;
        if (tc__attn_row_exists(a, &u->w, r, at.q))
            u->unit[i] *= tc__attn_fp8_factor(&s->q, at, s->q.rows ? at.q / s->q.rows : 0);
    }
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(u->s, c.bn / 2);
    tc__attn90_release(c, tc__attn90_k_empty(c, u->smem, u->k.stage));
    tc_ring_next(&u->k, c.stages);
    tc_attn_rows_init(&u->r);
#pragma unroll
    for (int i = 0; i < c.head_dim_v / 2; i++) u->r.o[i] = 0.f;
    tc_attn_score(c, a, &u->w, x);
    tc__attn_fp8_first_maxima(c, u, x);
    tc__attn_fp8_exp(c, u);
    u->few = (u->w.free_hi - u->w.free_lo) * c.bn < TC__ATTN_FP8_FEW;
    tc__attn_fp8_pack(c, u, u->few);
    u->f[0] = u->f[1] = 1.f;
}

/* The end of a step: exponents to P. rise: maxima rose, for which O is to be multiplied by f. The next warpgroup may
 * issue its products now that those of this one have been multiplied, and exponentials begin: what these cost beside
 * products of the other one is more than what the Tensor Cores lose. */
TC_DEV_SM90A void tc__attn_fp8_end(const tc__attn90_kernel kernel, const tc_attn_sm90_params *p,
                                   tc__attn90_consumer *u, const tc__attn90_tile t, const int rise, const float *f)
{
    const tc_attn_config c = kernel.c;
    const tc__attn_scaling *s = tc__attn_fp8_scaling(&p->problem);
    const int next_wg = u->wg + 1 == c.consumers ? 0 : u->wg + 1, blocks = t.blocks && s->v.rows;
    if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
    tc__attn90_release(c, tc__attn90_v_empty(c, u->smem, u->v.stage));
    tc_ring_next(&u->v, c.stages);
    tc__attn_fp8_exp(c, u);
    tc__attn_fp8_promote(c, u, tc__attn_fp8_pieces(c) - 1);
    tc__attn_fp8_pack(c, u, t.edges && u->few);
    u->f[0] = f[0], u->f[1] = f[1];
    if (blocks) tc__attn_fp8_units(&s->v, u, t.n, f);
    if (c.promote == TC_FAST && (rise || blocks)) tc_attn_rescale(u->r.o, c.head_dim_v, u->f);
}

/* As tc__attn90_step. */
TC_DEV_SM90A void tc__attn_fp8_step(const tc__attn90_kernel kernel, const tc_attn_sm90_params *p,
                                    tc__attn90_consumer *u, const tc__attn90_tile t)
{
    const tc_attn_config c = kernel.c;
    const tc__attn_scaling *s = tc__attn_fp8_scaling(&p->problem);
    const tc_attn_scores x = {u->s, c.bn, u->r.row, t.n, t.state, t.edges, 0, 1.f};
    float f[2] = {1.f, 1.f};
    int rise, tops[2];
    if (t.blocks && s->k.rows) u->k_factor = tc__attn_fp8_of_keys(&s->k, u, t.n);
    TC_MBARRIER_WAIT(tc__attn90_k_full(c, u->smem, u->k.stage), u->k.phase, "K full", (int)u->k.stage);
    tc__attn_fp8_sum(c, u);
    if (c.consumers > 1) tc_bar_sync(1 + u->wg, 256);
    tc__attn90_qk(kernel, u);
    TC_MBARRIER_WAIT(tc__attn90_v_full(c, u->smem, u->v.stage), u->v.phase, "V full", (int)u->v.stage);
    tc__attn_fp8_pv(c, u, 0);
    TC_WGMMA_WAIT_GROUP(1);
    tc_wgmma_fence_acc(u->s, c.bn / 2);
    tc__attn90_release(c, tc__attn90_k_empty(c, u->smem, u->k.stage));
    tc_ring_next(&u->k, c.stages);
    tc_attn_score(c, &p->problem, &u->w, x);
    rise = tc__attn_fp8_exponents(c, u, u->k_factor, tops);
    tc__attn_fp8_rest(c, u);
    TC_WGMMA_WAIT_GROUP(0);
    if (t.edges) {
        if (rise) tc__attn_fp8_raise(c, u, tops, f);
        tc__attn_fp8_end(kernel, p, u, t, rise, f);
    } else if (rise) { /* a copy of its own: to jump over code costs 35 cycles. A warp's own: there is no wgmma in it */
        tc__attn_fp8_raise(c, u, tops, f);
        tc__attn_fp8_end(kernel, p, u, t, 1, f);
    } else {
        tc__attn_fp8_end(kernel, p, u, t, 0, f);
    }
}

/* The last P V of a tile of work: issued, and all but its last piece added to O. */
TC_DEV_SM90A void tc__attn_fp8_last(const tc_attn_config c, tc__attn90_consumer *u)
{
    tc__attn_fp8_pv(c, u, 0);
    tc__attn_fp8_sum(c, u);
    tc__attn_fp8_rest(c, u);
}

/* A tile of work to O. */
TC_DEV_SM90A void tc__attn_fp8_store(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_consumer *u,
                                     const tc_attn_work *w)
{
#pragma unroll
    for (int i = 0; i < c.head_dim_v / 2; i++) u->r.o[i] *= u->v_factor;
    u->r.max[0] -= TC__ATTN_FP8_SHIFT, u->r.max[1] -= TC__ATTN_FP8_SHIFT; /* the sums' units */
    tc__attn90_store(c, p, u, w);
}

/* Consumer, one warpgroup: as tc_attn_sm90_mma. */
TC_DEV_SM90A void tc_attn_sm90_fp8_mma(const tc_attn_config c, const tc_attn_sm90_wgmma m, const tc_attn_sm90_params *p,
                                       const tc_attn_sm90_self self)
{
    const tc__attn90_kernel kernel = {c, m};
    const uint32_t smem = self.smem;
    const int wg = self.wg, next_wg = wg + 1 == c.consumers ? 0 : wg + 1, early = c.q_stages == 2;
    tc__attn90_consumer u = tc__attn90_consumer_of(c, self);
    float s[64], o[64], t[32];
    uint32_t a[16];
    u.r.row = wg * 64 + (int)(threadIdx.x / 32u % 4u) * 16;
    u.s = s, u.r.o = o, u.a = a, u.t = t;

    if (c.consumers > 1 && wg == 1) tc_bar_arrive(1, 256); /* the first warpgroup's first turn */
    if (!tc__attn90_read_note(c, &u)) return;
    TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, 0), 0, "K full", 0);
    tc__attn90_qk(kernel, &u);
    tc__attn_fp8_first(c, p, &u);
    for (;;) {
        const tc_attn_work before = u.w;
        (void)tc__attn90_rest(kernel, p, &u);
        TC_MBARRIER_WAIT(tc__attn90_v_full(c, smem, u.v.stage), u.v.phase, "V full", (int)u.v.stage);
        if (early && !tc__attn90_read_note(c, &u)) {
            u.w = before;
            break;
        }
        if (c.consumers > 1) tc_bar_sync(1 + wg, 256);
        tc__attn_fp8_last(c, &u);
        if (early) {
            TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn90_qk(kernel, &u);
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(1);
        } else {
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(0);
        }
        tc__attn_fp8_promote(c, &u, tc__attn_fp8_pieces(c) - 1);
        tc__attn90_release(c, tc__attn90_v_empty(c, smem, u.v.stage));
        tc_ring_next(&u.v, c.stages);
        tc__attn_fp8_store(c, p, &u, &before);
        if (!early) {
            if (!tc__attn90_read_note(c, &u)) {
                if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
                return;
            }
            TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn90_qk(kernel, &u);
        }
        tc__attn_fp8_first(c, p, &u);
    }
    tc__attn_fp8_last(c, &u); /* the last tile of all */
    TC_WGMMA_WAIT_GROUP(0);
    tc__attn_fp8_promote(c, &u, tc__attn_fp8_pieces(c) - 1);
    tc__attn_fp8_store(c, p, &u, &u.w);
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* One tensor's factors as a call of TC_E4M3 gives them. which: 'q', 'k' or 'v' */
TC_HOST const float *tc__attn_factors_of(const tc_attn_args *g, char which, tc_attn_factors *f)
{
    *f = which == 'q' ? g->q_factors : which == 'k' ? g->k_factors : g->v_factors;
    return which == 'q' ? g->q_scale : which == 'k' ? g->k_scale : g->v_scale;
}

TC_HOST tc_status tc__attn_check_factors(const tc_attn_config *c, const tc_attn_args *g, char which)
{
    tc_attn_factors f;
    const float *at = tc__attn_factors_of(g, which, &f);
    const int tiles = f.rows / c->bn;
    if ((uintptr_t)at % 4)
        return tc__fail(TC_ERR_ALIGN, "%c_scale = %p is not a multiple of 4 bytes", which, (const void *)at);
    if (!at && (f.batch || f.head || f.rows))
        return tc__fail(TC_ERR_NULL, "%c_factors is given, but %c_scale is null", which, which);
    if (f.batch < 0 || f.head < 0)
        return tc__fail(TC_ERR_SIZE, "%c_factors.%s = %lld is negative", which, f.batch < 0 ? "batch" : "head",
                        (long long)(f.batch < 0 ? f.batch : f.head));
    if (f.rows < 0) return tc__fail(TC_ERR_SIZE, "%c_factors.rows = %d is negative", which, f.rows);
    if (which != 'q' && f.rows && (f.rows % c->bn || (tiles & (tiles - 1))))
        return tc__fail(TC_ERR_SIZE,
                        "%c_factors.rows = %d must be %d (keys of a tile) times a power of 2, or 0: one for all keys",
                        which, f.rows, c->bn);
    return TC_OK;
}

/* The same for the kernel. */
TC_HOST tc__attn_factor_list tc__attn_factor_list_of(const tc_attn_config *c, const tc_attn_args *g, char which)
{
    tc__attn_factor_list l;
    tc_attn_factors f;
    l.f = tc__attn_factors_of(g, which, &f);
    l.batch = f.batch, l.head = f.head, l.rows = f.rows;
    for (l.shift = 0; f.rows / c->bn >> (l.shift + 1);) l.shift++;
    return l;
}

TC_HOST tc_status tc__attn_fp8_check(const tc_attn_config *c, const tc_attn_args *g)
{
    tc_status st = tc__attn_check_factors(c, g, 'q');
    if (st == TC_OK) st = tc__attn_check_factors(c, g, 'k');
    if (st == TC_OK) st = tc__attn_check_factors(c, g, 'v');
    if (st == TC_OK && g->scale_heads)
        st = tc__fail(TC_ERR_SIZE, "scale_heads = %d is for .kv: with TC_E4M3 k_factors and v_factors say it",
                      g->scale_heads);
    return st;
}

TC_HOST void tc__attn_fp8_fill(tc_attn_problem *p, const tc_attn_config *c, const tc_attn_args *g)
{
    tc__attn_scaling s;
    s.q = tc__attn_factor_list_of(c, g, 'q');
    s.k = tc__attn_factor_list_of(c, g, 'k');
    s.v = tc__attn_factor_list_of(c, g, 'v');
    memcpy(p->hook + TC__ATTN_SCALING_AT, &s, sizeof s);
}

#endif /* host */
#endif /* TC_ATTN_SM90_FP8_H */
