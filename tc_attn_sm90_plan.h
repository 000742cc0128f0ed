/* tc_attn_sm90_plan.h - tc 0.2.0 - what tc_attn_sm90.h makes of a configuration. Needs: the headers below.
 *
 *     tc_attn_sm90_config             a configuration with every unset field filled in
 *     tc_attn_sm90_smem, _threads     what its block takes
 *     tc_attn_sm90_legal              would the generator take it?
 *     tc__attn90_sections (host)      which tiles of queries are worked on together
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
/* Of a row's exponentials so many times eight columns come before the wait for P V, the others behind it; 0: ptxas
 * puts the wait where it likes, which is before all of them. At 128 columns 16 exponentials of a lane gain 3 %, under
 * a causal mask 14 1 %, and all 32 lose 5 %; above, under a causal mask, all of the first row's gain 2 to 3 %, without
 * one any number loses. So it does up to 64 columns, 1 to 5 %: what runs beside a wgmma is slowed by it. */
TC_HD TC_CONSTEXPR int tc__attn90_pause(const tc_attn_config c)
{
    const int wide = tc__attn_wide(c), all = c.bn / 8;
    if (c.mask || c.score || c.dropout || c.type == TC_E4M3 || wide <= 64) return 0;
    return wide > 128 ? (c.causal ? all : 0) : c.causal ? (all > 7 ? 7 : all) : all > 8 ? 8 : all;
}
/* So many of row i's last probabilities of a tile are added to its sum when the warpgroup has come to the next tile and
 * is about to wait for its turn: all of the second row's of heads up to 64, which gains 3 %; of heads up to 128 almost
 * all of both rows', which gains 1 to 4 % under a causal mask, and 1 to 3 % of many keys without one, but of 512 loses
 * 4. With dropout they are added before they are dropped, in the same order: p = 0 gives the same bits. */
TC_HD TC_CONSTEXPR int tc__attn90_later(const tc_attn_config c, int i)
{
    const int wide = tc__attn_wide(c), most = c.bn > 32 ? c.bn - 32 : 0;
    if (c.mask || c.score || c.type == TC_E4M3 || wide > 128) return 0;
    if (wide <= 64) return i ? c.bn : 0;
    return c.causal ? most : c.later && !c.dropout ? (i ? c.bn : most) : 0;
}
TC_HD TC_CONSTEXPR int tc__attn90_least_smem(const tc_attn_config c)
{
    return c.q_stages * (tc__attn90_q_tile(c).bytes + 16) + 2 * 48
           + c.stages * (tc__attn90_k_tile(c).bytes + tc__attn90_v_tile(c).bytes + 32) + 16 + 64 + TC_ATTN_ORDER_BYTES
           + (c.type == TC_E4M3 ? 16 * c.stages : tc__attn90_pause(c) ? 16 : 0);
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
/* O is rescaled when the next S has been issued, beside its products. It pays above 128 columns and without a causal
 * mask, whose second loop it slows down, and up to 128 where tc__attn90_pause does not serve. */
TC_HD TC_CONSTEXPR int tc__attn90_rescale_late(const tc_attn_config c)
{
    const int wide = tc__attn_wide(c);
    return !c.causal && !c.window && !c.mask && !c.score && c.type != TC_E4M3
           && (c.dropout ? wide > 64 && wide <= 128 : wide > 128);
}
/* What follows says the same to the machine in several ways, after which ptxas orders the hot loop differently: their
 * combinations differ by 4 to 9 % of a call. These are the best of nvcc 13.0, with tc__attn_row_begin's ("What ptxas
 * makes of the loop" in docs/design.md).
 *
 * Which lanes of a consumer's warp read a note and give its place back: lane 0 both; all both; all read, and the last
 * gives it back behind a __syncwarp (racecheck does not follow that to another lane). */
enum { TC__NOTE_ONE = 1, TC__NOTE_ALL, TC__NOTE_LAST };
TC_HD TC_CONSTEXPR int tc__attn90_note_by(const tc_attn_config c)
{
    const int wide = tc__attn_wide(c);
    if (c.head_dim <= 64) return TC__NOTE_ONE;
    return c.type != TC_E4M3 && wide <= 128 && !c.causal && !c.later ? TC__NOTE_ALL : TC__NOTE_LAST;
}
/* A slot goes back by a predicated instruction, not behind a branch. */
TC_HD TC_CONSTEXPR int tc__attn90_by_predicate(const tc_attn_config c)
{
    return tc__attn90_note_by(c) == TC__NOTE_ALL
        || (c.causal && c.head_dim > 64 && !c.dropout && tc__attn90_later(c, 1));
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
/* TC_E4M3: warps that turn V: a warpgroup of them where there are registers for one, so that every scheduler has as
 * much of it as any other; else two of the producer's. */
TC_HD TC_CONSTEXPR int tc__attn90_turners(const tc_attn_config c) { return c.consumers == 2 ? 4 : 2; }
TC_HD TC_CONSTEXPR int tc_attn_sm90_threads(const tc_attn_config c)
{
    return 128 * (1 + c.consumers + (c.type == TC_E4M3 && tc__attn90_turners(c) == 4));
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm90_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    const int wide = tc__attn_wide(c);
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

/* TC_ATTN_DEFINE has another kernel where its first is not the best at all lengths. Under a causal mask, where that
 * takes 192 queries at a time: 128, for few of them. Without a mask: .later, for many keys. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm90_other_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    if (c.causal) c.bm = 128;
    else c.later = 1;
    return tc_attn_sm90_config(c);
}
TC_HD TC_CONSTEXPR int tc__attn90_has_other(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm90_config(given), other = tc_attn_sm90_other_config(given);
    return !c.window && (c.bm != other.bm || tc__attn90_later(c, 1) != tc__attn90_later(other, 1));
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
    X(!(c).later || tc__attn90_later(c, 1),                                                                           \
      "tc: .later is for heads up to 128 of 16 bits, without .score, .mask and .dropout")                             \
    X((c).stages >= 2 && tc_attn_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                                   \
      "tc: .stages must be 2 or more, and the tiles of Q, K and V fit in 227 KB of shared memory")

/* Whether TC_ATTN_SM90_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_sm90_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm90_config(given);
    return 1 TC__ATTN_SM90_RULES(TC__RULE_AND, c);
}

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

#define TC__ATTN90_L2 34.8e6 /* bytes of K and V that stay in the L2 of an H100 or H200 while they are read again */

/* Rounds that a block takes for all columns in sections of so many. */
TC_HOST int64_t tc__attn90_rounds(const tc_attn_problem *p, int section, int grid)
{
    const int64_t whole = p->columns / section, rest = p->columns % section;
    return whole * (((int64_t)section * p->blocks + grid - 1) / grid) + (rest * p->blocks + grid - 1) / grid;
}

/* Columns that are worked on together. Where rows differ in work: as leave the fewest rounds, since a block without a
 * tile in a round waits for those that have one; of even numbers of rounds, in which every block has as much as any
 * other; and of those the most whose K and V lie in L2 together while two tiles of each are in the making. */
TC_HOST void tc__attn90_sections(tc_attn_problem *p, const tc_attn_config *c, int grid)
{
    double bytes = (double)(c->head_dim + c->head_dim_v) * (tc_type_bits(c->type) / 8) * p->group
                   / (p->heads / p->heads_kv),
           most;
    int64_t rounds, fewest = INT64_MAX;
    int section, i;
    p->ragged = (p->cu_q || p->lens_q) && p->batch <= 2048; /* of more it takes too long to find out who is how long */
    p->section = p->columns;
    if (grid == 0) return;
    if (p->ragged) { /* a column is a head of all sequences; eight rounds or more */
        const double tiles = (p->cu_q ? (double)p->total_q : (double)p->q_len * p->batch) / p->tile_q;
        const int heads = p->heads / p->group;
        most = TC__ATTN90_L2 / (bytes * (p->cu_k ? (double)p->total_k : (double)p->k_len * p->batch) + 1.);
        if (most * tiles < 8. * grid) most = 8. * grid / tiles;
        p->section = most < 1. ? 1 : most > heads ? heads : (int)most;
    } else if (c->causal || c->window) {
        most = TC__ATTN90_L2 / (bytes * p->k_len + 1.);
        if (most > .5 * grid) most = .5 * grid;
        for (i = 2; i <= 18; i += 2) {
            const int64_t wide = (int64_t)i * grid / p->blocks;
            section = i == 18 || wide > p->columns ? p->columns : wide > 1 ? (int)wide : 1;
            rounds = tc__attn90_rounds(p, section, grid);
            if (rounds > fewest || (rounds == fewest && section > most)) continue;
            fewest = rounds;
            p->section = section;
        }
    }
    p->rounds = (int)(((int64_t)p->section * p->blocks + grid - 1) / grid);
}

#endif /* host */
#endif /* TC_ATTN_SM90_PLAN_H */
