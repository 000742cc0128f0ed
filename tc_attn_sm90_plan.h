/* tc_attn_sm90_plan.h - tc 0.2.0 - what tc_attn_sm90.h makes of a configuration. Needs: the headers below.
 *
 *     tc_attn_sm90_config             a configuration with every unset field filled in
 *     tc_attn_sm90_smem, _threads     what its block takes
 *     tc_attn_sm90_legal              would the generator take it?
 *
 * and how its parts meet, which producer and consumers ask alike: tc__attn90_early and its neighbours. tc_attn.h is the
 * manual.
 */
#ifndef TC_ATTN_SM90_PLAN_H
#define TC_ATTN_SM90_PLAN_H

#include "tc_operand.h"
#include "tc_pipe.h"
#include "tc_attn_work.h"

/* A tile of Q, of K, of V (and, of bm rows, of O). */
TC_HD TC_CONSTEXPR tc_operand tc__attn90_q_tile(const tc_attn_config c)
{
    return tc_operand_of(c.type, c.bm, c.head_dim);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn90_k_tile(const tc_attn_config c)
{
    return tc_operand_of(c.type, c.bn, c.head_dim);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn90_v_tile(const tc_attn_config c)
{
    return tc_operand_of(c.type, c.bn, c.head_dim_v);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn90_o_tile(const tc_attn_config c)
{
    return tc_operand_of(tc__attn_o_type(c), c.bm, c.head_dim_v);
}
TC_HD TC_CONSTEXPR int tc__attn90_least_smem(const tc_attn_config c)
{
    return c.q_stages * (tc__attn90_q_tile(c).bytes + 16) + 2 * 48
           + c.stages * (tc__attn90_k_tile(c).bytes + tc__attn90_v_tile(c).bytes + 32) + 16 + 64 + TC_ATTN_ORDER_BYTES
           + (c.type == TC_E4M3 ? 16 * c.stages : 0);
}
/* O leaves through shared memory by TMA where there is room for it. */
TC_HD TC_CONSTEXPR int tc__attn90_o_bytes(const tc_attn_config c)
{
    const int bytes = tc__attn90_o_tile(c).bytes;
    return tc__attn90_least_smem(c) + bytes <= TC__SM90_SMEM_MAX ? bytes : 0;
}
/* This header's own consumers, neither those of 8 bits nor Blackwell's, which have the producer from here. */
TC_HD TC_CONSTEXPR int tc__attn90_plain(const tc_attn_config c)
{
    return c.type != TC_E4M3 && c.bm == 64 * c.consumers;
}
/* S of the next tile of work before O of this one is stored: wants a second tile of Q, and registers. */
TC_HD TC_CONSTEXPR int tc__attn90_early(const tc_attn_config c) { return c.q_stages == 2 && c.head_dim_v <= 192; }
/* Where O has no room of its own it leaves through the slots of V, one for each consumer, and the next tile's first V
 * waits for that. */
TC_HD TC_CONSTEXPR int tc__attn90_o_in_v(const tc_attn_config c)
{
    return tc__attn90_plain(c) && !tc__attn90_early(c) && !tc__attn90_o_bytes(c) && c.consumers <= c.stages
           && tc__attn90_o_tile(c).bytes <= c.consumers * tc__attn90_v_tile(c).bytes;
}
/* One slot of Q: it is given back as soon as its last product has been multiplied, and K of the next tile does not
 * wait for it. With a mask hook nobody knows which product is the last. */
TC_HD TC_CONSTEXPR int tc__attn90_q_alone(const tc_attn_config c)
{
    return tc__attn90_plain(c) && c.q_stages == 1 && !c.mask;
}
/* O is rescaled when the next S has been issued, beside its products. It pays above 64 columns and without a causal
 * mask, whose second loop it slows down. */
TC_HD TC_CONSTEXPR int tc__attn90_rescale_late(const tc_attn_config c)
{
    const int wide = c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v;
    return !c.causal && !c.window && !c.mask && !c.score && c.type != TC_E4M3 && wide > 64
           && !(c.dropout && wide > 128);
}
/* A warpgroup's rows may see nothing of a tile of keys that rows of the next one see. Not where tiles of keys divide
 * one of queries: then at most lengths the last row's tile is the first row's too, or too small to count. */
TC_HD TC_CONSTEXPR int tc__attn90_narrows(const tc_attn_config c)
{
    return c.causal && !c.mask && c.type != TC_E4M3 && c.consumers > 1 && c.bm % c.bn != 0;
}
TC_HD TC_CONSTEXPR int tc_attn_sm90_smem(const tc_attn_config c)
{
    return tc__attn90_least_smem(c) + tc__attn90_o_bytes(c);
}
TC_HD TC_CONSTEXPR int tc_attn_sm90_threads(const tc_attn_config c) { return 128 * (1 + c.consumers); }

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm90_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    const int wide = c.head_dim > c.head_dim_v ? c.head_dim : c.head_dim_v;
    if (c.type == TC_E4M3) { /* V is turned before it is there: one tile more on its way */
        c.stages = c.stages ? c.stages : c.head_dim <= 128 ? 4 : 3;
        c.q_stages = c.q_stages || c.head_dim <= 128 ? c.q_stages : 1; /* so that O has room */
        c.o = c.o ? c.o : TC_BF16;
        c.promote = c.promote ? c.promote : 128;
        c.bm = c.bm ? c.bm : 128;
        c.bn = c.bn ? c.bn : 128;
    }
    c.stages = c.stages ? c.stages : 2;
    c.bm = c.bm                                ? c.bm
           : wide <= 64 && !c.score && !c.mask && !c.dropout
               ? 192
               : 128; /* three warpgroups leave 160 registers: not enough for hooks, nor for dropout */
    c.consumers = c.consumers ? c.consumers : c.bm / 64;
    if (c.bn == 0 && c.dropout) c.bn = wide <= 128 ? 128 : wide <= 192 ? 80 : 64; /* its generator takes registers */
    if (c.bn == 0) c.bn = wide <= 128 ? 128 : wide <= 192 ? 112 : 80;
    if (c.q_stages == 0) {
        c.q_stages = 2;
        c.q_stages = tc__attn90_least_smem(c) <= TC__SM90_SMEM_MAX ? 2 : 1;
    }
    return c;
}

/* The instructions: S = Q K' from shared memory; O += P V, P in registers, V read along its rows. */
TC_HD TC_CONSTEXPR tc_op tc__attn90_qk_op(const tc_attn_config c)
{
    tc_op op = tc_op_make(90, TC_INST_WGMMA);
    op.a = op.b = c.type, op.acc = TC_F32;
    op.m = 64, op.n = c.bn;
    op.a_from = op.b_from = TC_HOME_SMEM;
    op.a_major = op.b_major = TC_MAJOR_K;
    return op;
}

TC_HD TC_CONSTEXPR tc_op tc__attn90_pv_op(const tc_attn_config c)
{
    tc_op op = tc__attn90_qk_op(c);
    op.n = c.head_dim_v;
    op.a_from = TC_HOME_REG;
    op.b_major = c.type == TC_E4M3 ? TC_MAJOR_K : TC_MAJOR_MN; /* 8 bits: turned before */
    return op;
}

/* As TC__ATTN_RULES. The registers: S, P and O of a consumer. */
#define TC__ATTN_SM90_RULES(X, c)                                                                                     \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(tc_op_exists(tc__attn90_qk_op(c)) && tc_op_exists(tc__attn90_pv_op(c)),                                         \
      "tc: wgmma does not multiply .type in tiles of .bn and .head_dim_v: docs/types.md")                             \
    TC__ATTN_TYPE_RULE(X, c)                                                                                          \
    TC__ATTN_ANY_RULES(X, c)                                                                                          \
    TC__ATTN_CACHE_RULES(X, c)                                                                                        \
    TC__ATTN_FP8_RULES(X, c)                                                                                          \
    X((c).consumers >= 1 && (c).consumers <= 3 && (c).bm == 64 * (c).consumers,                                       \
      "tc: .bm must be 64, 128 or 192: 64 queries for each of .consumers warpgroups")                                 \
    X((c).bn >= 16 && (c).bn <= 256 && (c).bn % 16 == 0, "tc: .bn must be a multiple of 16 in 16..256")               \
    X((c).bn / 2 + (c).bn / 4 + (c).head_dim_v / 2 <= ((c).consumers == 3 ? 128 : 208),                               \
      "tc: too many registers: .bn / 2 + .bn / 4 + .head_dim_v / 2 must be at most 208 (128 for 3 consumers)")        \
    X((c).q_stages == 1 || (c).q_stages == 2, "tc: .q_stages must be 1 or 2")                                         \
    X((c).stages >= 2 && tc_attn_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                                   \
      "tc: .stages must be 2 or more, and the tiles of Q, K and V fit in 227 KB of shared memory")

/* Whether TC_ATTN_SM90_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_sm90_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm90_config(given);
    return 1 TC__ATTN_SM90_RULES(TC__RULE_AND, c);
}

#endif /* TC_ATTN_SM90_PLAN_H */
