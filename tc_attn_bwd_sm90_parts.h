/* tc_attn_bwd_sm90_parts.h - tc 0.2.0 - what the two forms of attention's backward mainloop for Hopper share. Needs:
 * the headers below; sm_90a.
 *
 *     tc_attn_bwd_sm90_config           a configuration with every unset field filled in
 *     tc_attn_bwd_sm90_legal            would the generator take this configuration?
 *     tc_attn_bwd_sm90_smem, _threads   what its block takes
 *
 * and, of a block: its shared memory, its barriers, its tiles of work, its producer, and the steps of a consumer that
 * read alike in both. The forms themselves are tc_attn_bwd_sm90.h (head dims up to 128) and tc_attn_bwd_sm90_wide.h.
 *
 * tc_attn_bwd.h is the manual.
 */
#ifndef TC_ATTN_BWD_SM90_PARTS_H
#define TC_ATTN_BWD_SM90_PARTS_H

#include "tc_operand.h"
#include "tc_pipe.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_attn_bwd_work.h"

typedef struct tc_attn_bwd_sm90_params {
    tc_tmap q, k, v, dout;
    tc_attn_bwd_problem problem;
} tc_attn_bwd_sm90_params;

/* ---------------------------------------------------------------------------------------------------------------------
 * Configuration, shared memory.
 */

/* Is dK or dV too wide for 64 keys a warpgroup? */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_wide(const tc_attn_bwd_config c)
{
    return c.head_dim > 128 || c.head_dim_v > 128;
}
/* Keys of a tile. */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_keys(const tc_attn_bwd_config c) { return tc__attn_bwd90_wide(c) ? 64 : 128; }

TC_HD TC_CONSTEXPR tc_operand tc__attn_bwd90_q_tile(const tc_attn_bwd_config c)
{
    return tc_operand_of(c.type, c.bm, c.head_dim);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn_bwd90_o_tile(const tc_attn_bwd_config c)
{
    return tc_operand_of(c.type, c.bm, c.head_dim_v);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn_bwd90_k_tile(const tc_attn_bwd_config c)
{
    return tc_operand_of(c.type, c.bn, c.head_dim);
}
TC_HD TC_CONSTEXPR tc_operand tc__attn_bwd90_v_tile(const tc_attn_bwd_config c)
{
    return tc_operand_of(c.type, c.bn, c.head_dim_v);
}
/* Columns of dQ: whole boxes. Those of half of it, a consumer's, where the columns are shared. */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_width(const tc_attn_bwd_config c) { return (c.head_dim + 63) / 64 * 64; }
TC_HD TC_CONSTEXPR int tc__attn_bwd90_dq_n(const tc_attn_bwd_config c)
{
    return c.bm == 128 ? tc__attn_bwd90_width(c) : tc__attn_bwd90_width(c) / 2;
}
/* Bytes of a slot of dQ: a tile's, or the wide form's one box of it. */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_dq_bytes(const tc_attn_bwd_config c)
{
    return c.bm * (tc__attn_bwd90_wide(c) ? 64 : tc__attn_bwd90_width(c)) * 4;
}

/* Pieces, boxes or halves of one, that each consumer of the wide form has of a step's dQ. */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_pieces(const tc_attn_bwd_config c)
{
    return (tc__attn_bwd90_width(c) / 64 + 1) / 2;
}

/* Offsets in shared memory. */
typedef struct tc__attn_bwd90_plan {
    int k, v, q, dout, p, ds, dq, rows, bars, bytes;
    int douts, dqs; /* slots of dO, and of dQ (wide: of each consumer) */
} tc__attn_bwd90_plan;

TC_HD TC_CONSTEXPR tc__attn_bwd90_plan tc__attn_bwd90_plan_with(const tc_attn_bwd_config c, int douts, int dqs)
{
    tc__attn_bwd90_plan p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const int wide = tc__attn_bwd90_wide(c);
    p.douts = douts, p.dqs = dqs;
    p.v = tc__attn_bwd90_k_tile(c).bytes;
    p.q = p.v + tc__attn_bwd90_v_tile(c).bytes;
    p.dout = p.q + c.stages * tc__attn_bwd90_q_tile(c).bytes;
    p.p = p.dout + douts * tc__attn_bwd90_o_tile(c).bytes;
    p.ds = p.p + (wide ? c.bm * c.bn * 4 : 0);
    p.dq = p.ds + 2 * c.bm * c.bn * 2;
    p.rows = p.dq + (wide ? 2 : 1) * dqs * tc__attn_bwd90_dq_bytes(c);
    p.bars = p.rows + c.stages * c.bm * 8;
    p.bytes = p.bars + tc_pipe_bytes(c.stages) + tc_pipe_bytes(douts) + (wide ? 3 : 1) * tc_pipe_bytes(2)
            + (wide ? tc_pipe_bytes(1) : 0) + 8 * 8;
    return p;
}
TC_HD TC_CONSTEXPR int tc__attn_bwd90_fits(const tc_attn_bwd_config c, int douts, int dqs)
{
    return tc__attn_bwd90_plan_with(c, douts, dqs).bytes <= TC__SM90_SMEM_MAX;
}
TC_HD TC_CONSTEXPR tc__attn_bwd90_plan tc__attn_bwd90_plan_of(const tc_attn_bwd_config c)
{
    /* where the form is wide, dO is done with sooner than Q: one slot does beside two */
    const int least = tc__attn_bwd90_wide(c) && c.stages == 2 ? 1 : c.stages;
    const int douts = tc__attn_bwd90_fits(c, c.stages, 1) ? c.stages : least;
    /* of a single piece a step two slots would want more bits of a step's number than its writers count */
    const int one = tc__attn_bwd90_wide(c) && tc__attn_bwd90_pieces(c) == 1;
    return tc__attn_bwd90_plan_with(c, douts, !one && tc__attn_bwd90_fits(c, douts, 2) ? 2 : 1);
}
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm90_smem(const tc_attn_bwd_config c) { return tc__attn_bwd90_plan_of(c).bytes; }
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm90_threads(const tc_attn_bwd_config c) { return (void)c, 384; }

TC_HD TC_CONSTEXPR tc_attn_bwd_config tc_attn_bwd_sm90_config(const tc_attn_bwd_config given)
{
    tc_attn_bwd_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    c.bm = c.bm ? c.bm : c.head_dim <= 64 && c.head_dim_v <= 64 && !c.mask && !c.dropout ? 128 : 64;
    c.bn = c.bn ? c.bn : tc__attn_bwd90_keys(c);
    c.stages = c.stages ? c.stages : 2;
    return c;
}

/* The registers: dK and dV, S and dP, P as an operand, or dQ in the place of S and dP; wide: one of each pair. */
#define TC__ATTN_BWD_SM90_RULES(X, c)                                                                                 \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    TC__ATTN_BWD_RULES(X, c)                                                                                          \
    X(!(c).score, "tc: the Hopper kernel takes no .score: TC_ATTN_BWD_SM80_DEFINE does")                              \
    X((c).bn == tc__attn_bwd90_keys(c),                                                                               \
      "tc: .bn must be 128 keys on Hopper, and 64 where .head_dim or .head_dim_v is more than 128")                   \
    X((c).bm == 64 || (c).bm == 128, "tc: .bm must be 64 or 128 queries on Hopper")                                   \
    X(!tc__attn_bwd90_wide(c) || (c).bm == 64,                                                                        \
      "tc: .head_dim or .head_dim_v above 128 leaves registers for .bm = 64 alone")                                   \
    X(tc__attn_bwd90_wide(c) || (c).head_dim / 2 + (c).head_dim_v / 2 + (c).bm + (c).bm / 4 <= 224,                   \
      "tc: too many registers: (.head_dim + .head_dim_v) / 2 + .bm + .bm / 4 must be at most 224")                    \
    X(!(c).mask || (c).bm == 64, "tc: a .mask leaves registers for .bm = 64 alone")                                   \
    X(!(c).dropout || (c).bm == 64, "tc: .dropout leaves registers for .bm = 64 alone")                               \
    X((c).warps == 0, "tc: .warps is for the sm_80 kernel")                                                           \
    X((c).stages >= 2 && tc_attn_bwd_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                               \
      "tc: .stages must be 2 or more, and the tiles of Q, K, V, dO, dS and dQ fit in 227 KB of shared memory")

/* Whether TC_ATTN_BWD_SM90_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_bwd_sm90_legal(const tc_attn_bwd_config given)
{
    const tc_attn_bwd_config c = tc_attn_bwd_sm90_config(given);
    return 1 TC__ATTN_BWD_SM90_RULES(TC__RULE_AND, c);
}

#ifdef __CUDACC__

/* The products of a configuration. */
typedef struct tc_attn_bwd_sm90_wgmma {
    tc_wgmma_fn sp;        /* S' and dP' */
    tc_wgmma_rs_fn dv, dk; /* P' and dS' in registers */
    tc_wgmma_fn dq;        /* dS and K, both read along what is not k */
    tc_wgmma_fn dq_half;   /* wide: the same for half a box of columns */
} tc_attn_bwd_sm90_wgmma;

TC_DEV_SM90A TC_CONSTEXPR tc_attn_bwd_sm90_wgmma tc__attn_bwd90_wgmma(const tc_attn_bwd_config c)
{
    const tc_wgmma_kind turned = {c.type, c.type, 1, 1, 0};
    const tc_attn_bwd_sm90_wgmma m = {tc_wgmma_pick_f32(c.bm, c.type), tc_wgmma_pick_f32_rs_mn(c.head_dim_v, c.type),
                                      tc_wgmma_pick_f32_rs_mn(c.head_dim, c.type),
                                      tc_wgmma_pick(tc__attn_bwd90_wide(c) ? 64 : tc__attn_bwd90_dq_n(c), turned),
                                      tc_wgmma_pick(32, turned)};
    return m;
}

/* What every thread knows: shared memory, the tile of work, the number of its steps. */
typedef struct tc__attn_bwd90_block {
    const tc_attn_bwd_sm90_params *p;
    uint32_t smem;
    tc_pipe q, dout, dq; /* dq: a pair of barriers for each writer, whose slot it is where there are two; wide: two
                            pairs for each consumer */
    uint32_t k_full, v_full, kv_empty, tail, ds_full; /* ds_full: of both consumers; wide: dQ's slots are the next
                                                         step's */
    tc_pipe pass, ds; /* wide: P on its way from one consumer to the other, dS */
    uint32_t index, index_full, index_empty; /* the number of the tile of work, and its barriers */
    tc_attn_bwd_work w;
    int steps;
    uint32_t phases; /* bits: of the next tile's number, and of K and V, which tiles without steps leave alone */
} tc__attn_bwd90_block;

enum { TC__ATTN_BWD90_NUMBER = 1, TC__ATTN_BWD90_KV = 2 };

/* Into uniform registers: it is the same for the warp, which needs the others for sums. */
TC_DEV_SM80 void tc__attn_bwd90_uniform(tc_attn_bwd_work *w)
{
    w->b = (int)tc_uniform((uint32_t)w->b);
    w->h = (int)tc_uniform((uint32_t)w->h);
    w->n = (int)tc_uniform((uint32_t)w->n);
    w->k0 = (int)tc_uniform((uint32_t)w->k0);
    w->q_len = (int)tc_uniform((uint32_t)w->q_len);
    w->k_len = (int)tc_uniform((uint32_t)w->k_len);
    w->q_at = (int)tc_uniform((uint32_t)w->q_at);
    w->k_at = (int)tc_uniform((uint32_t)w->k_at);
    w->tile = (int)tc_uniform((uint32_t)w->tile);
    w->first = (int)tc_uniform((uint32_t)w->first);
    w->last = (int)tc_uniform((uint32_t)w->last);
}

/* Tile of work `index`: 0 where there is none of that number. */
TC_DEV_SM80 int tc__attn_bwd90_begin(const tc_attn_bwd_config c, tc__attn_bwd90_block *b, uint32_t index)
{
    b->steps = 0;
    if (!tc_attn_bwd_work_at(c, &b->p->problem, index, &b->w)) return 0;
    b->steps = b->w.count * b->p->problem.share;
    return 1;
}

TC_DEV uint32_t tc__attn_bwd90_kv(const tc__attn_bwd90_block *b)
{
    return b->phases & (uint32_t)TC__ATTN_BWD90_KV ? 1u : 0u;
}

TC_DEV uint32_t tc__attn_bwd90_tiles(const tc__attn_bwd90_block *b)
{
    return (uint32_t)b->p->problem.k_tiles * (uint32_t)b->p->problem.columns;
}

/* The number of the next tile of work, as the producer has it; from tiles on: there is no more. The caller arrives at
 * index_empty once all who wait together have it. */
TC_DEV_SM90 uint32_t tc__attn_bwd90_take(tc__attn_bwd90_block *b)
{
    uint32_t index;
    TC_MBARRIER_WAIT(b->index_full, b->phases & (uint32_t)TC__ATTN_BWD90_NUMBER, "tile", 0);
    b->phases ^= (uint32_t)TC__ATTN_BWD90_NUMBER;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(index) : "r"(b->index) : "memory");
    return index;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Producer, one warp.
 */
typedef struct tc__attn_bwd90_load {
    const tc_tmap *map;
    tc_operand tile;
    uint32_t to, full;          /* the slot; the barrier that counts its bytes */
    int row, head, outer, used; /* used: rows of it that exist, where those behind them may be anything; else large */
} tc__attn_bwd90_load;

TC_DEV_SM90 void tc__attn_bwd90_boxes(const tc__attn_bwd90_load x, uint32_t full)
{
#pragma unroll
    for (int i = 0; i < x.tile.boxes; i++)
        tc_cp_async_bulk_tensor_4d(x.to + (uint32_t)(i * x.tile.box_bytes), x.map, i * tc_operand_box_k(x.tile), x.row,
                                   x.head, x.outer, full);
}

/* A tile with an end: rows behind it become zeros before anyone reads them, for 0 times anything may be NaN. tails:
 * how many there were before; the caller arrives at its barrier afterwards. */
TC_DEV_SM90 void tc__attn_bwd90_tail(const tc__attn_bwd90_block *b, const tc__attn_bwd90_load x, uint32_t *tails)
{
    const int lane = tc_lane();
    if (lane == 0) {
        tc_mbarrier_arrive_expect_tx(b->tail, (uint32_t)x.tile.bytes);
        tc__attn_bwd90_boxes(x, b->tail);
    }
    TC_MBARRIER_WAIT(b->tail, *tails & 1u, "tail", 0);
    ++*tails;
#pragma unroll 1
    for (int at = x.used * 128 + lane * 16; at < x.tile.rows * 128; at += 512) {
#pragma unroll
        for (int i = 0; i < x.tile.boxes; i++)
            asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};"
                         : : "r"(x.to + (uint32_t)(i * x.tile.box_bytes + at)), "r"(0) : "memory");
    }
    tc_fence_proxy_async_shared();
    __syncwarp();
}

/* Into its slot; more: bytes that arrive at the barrier beside it. */
TC_DEV_SM90 void tc__attn_bwd90_fetch(const tc__attn_bwd90_block *b, const tc__attn_bwd90_load x, uint32_t more,
                                      uint32_t *tails)
{
    if (x.used < x.tile.rows) {
        tc__attn_bwd90_tail(b, x, tails);
        if (tc_lane() == 0) {
            if (more) tc_mbarrier_arrive_expect_tx(x.full, more);
            else tc_mbarrier_arrive(x.full);
        }
    } else if (tc_lane() == 0) {
        tc_mbarrier_arrive_expect_tx(x.full, (uint32_t)x.tile.bytes + more);
        tc__attn_bwd90_boxes(x, x.full);
    }
}

/* Place in the ring of dO, from that in the ring of Q: the same, or where there are two Q and one dO the lap's parity
 * is Q's slot. */
TC_DEV tc_ring tc__attn_bwd90_douts(const tc_attn_bwd_config c, const tc_ring q)
{
    const tc_ring one = {0, q.stage};
    return tc__attn_bwd90_plan_of(c).douts == c.stages ? q : one;
}

/* What goes on from tile to tile. */
typedef struct tc__attn_bwd90_producer {
    tc_ring ring;
    uint32_t tails;
} tc__attn_bwd90_producer;

TC_DEV_SM90 void tc__attn_bwd90_produce(const tc_attn_bwd_config c, tc__attn_bwd90_block *b,
                                        tc__attn_bwd90_producer *u)
{
    const tc__attn_bwd90_plan at = tc__attn_bwd90_plan_of(c);
    const tc_attn_bwd_sm90_params *p = b->p;
    const tc_attn_bwd_problem *a = &p->problem;
    const uint32_t rows_bytes = (uint32_t)c.bm * 8u;
    tc__attn_bwd90_load x;
    tc_attn_bwd_step s = tc_attn_bwd_first(&b->p->problem, &b->w);
#pragma unroll 1
    for (int i = 0; i < b->steps; i++, tc_attn_bwd_next(c, &b->w, &s), tc_ring_next(&u->ring, c.stages)) {
        x.outer = a->cu_q ? 0 : b->w.b;
        x.row = b->w.q_at + s.m * c.bm, x.head = s.h;
        x.used = a->tail_q ? b->w.q_len - s.m * c.bm : c.bm;
        TC_PIPE_WAIT_EMPTY(b->q, &u->ring);
        x.full = tc_pipe_full(b->q, u->ring.stage);
        x.map = &p->q, x.tile = tc__attn_bwd90_q_tile(c);
        x.to = b->smem + (uint32_t)at.q + u->ring.stage * (uint32_t)x.tile.bytes;
        tc__attn_bwd90_fetch(b, x, rows_bytes, &u->tails);
        if (tc_lane() == 0)
            tc_cp_async_bulk_g2s(b->smem + (uint32_t)at.rows + u->ring.stage * rows_bytes,
                                 tc__attn_bwd_rows_of(a, &b->w, s.h, s.m), rows_bytes, x.full);
        if (i == 0) { /* behind the first Q: its slot is free before the tile before is done with K */
            tc__attn_bwd90_load keys;
            keys.outer = a->cu_k ? 0 : b->w.b;
            keys.row = b->w.k_at + b->w.k0, keys.head = b->w.h;
            keys.used = a->tail_k ? b->w.k_len - b->w.k0 : c.bn;
            TC_MBARRIER_WAIT(b->kv_empty, tc__attn_bwd90_kv(b) ^ 1u, "K and V empty", 0);
            b->phases ^= (uint32_t)TC__ATTN_BWD90_KV;
            keys.full = b->k_full;
            keys.map = &p->k, keys.tile = tc__attn_bwd90_k_tile(c), keys.to = b->smem + (uint32_t)at.k;
            tc__attn_bwd90_fetch(b, keys, 0, &u->tails);
            keys.full = b->v_full;
            keys.map = &p->v, keys.tile = tc__attn_bwd90_v_tile(c), keys.to = b->smem + (uint32_t)at.v;
            tc__attn_bwd90_fetch(b, keys, 0, &u->tails);
        }
        const tc_ring o = tc__attn_bwd90_douts(c, u->ring);
        TC_PIPE_WAIT_EMPTY(b->dout, &o);
        x.full = tc_pipe_full(b->dout, o.stage);
        x.map = &p->dout, x.tile = tc__attn_bwd90_o_tile(c);
        x.to = b->smem + (uint32_t)at.dout + o.stage * (uint32_t)x.tile.bytes;
        tc__attn_bwd90_fetch(b, x, 0, &u->tails);
    }
}

/* Tile after tile: its number is drawn and told to the others. Without a counter there is one, the block's own. */
TC_DEV_SM90 void tc__attn_bwd90_produce_all(const tc_attn_bwd_config c, tc__attn_bwd90_block *b)
{
    unsigned *counter = b->p->problem.counter;
    tc__attn_bwd90_producer u;
    uint32_t index;
    u.ring.stage = u.ring.phase = u.tails = 0;
    do {
        index = b->phases ? tc__attn_bwd90_tiles(b) : blockIdx.x;
        if (counter) {
            if (tc_lane() == 0) index = atomicAdd(counter, 1u);
            index = __shfl_sync(0xffffffffu, index, 0);
        }
        TC_MBARRIER_WAIT(b->index_empty, b->phases & (uint32_t)TC__ATTN_BWD90_NUMBER ? 0u : 1u, "tile empty", 0);
        b->phases ^= (uint32_t)TC__ATTN_BWD90_NUMBER;
        if (tc_lane() == 0) {
            asm volatile("st.shared.u32 [%0], %1;" : : "r"(b->index), "r"(index) : "memory");
            tc_mbarrier_arrive(b->index_full);
        }
        if (index >= tc__attn_bwd90_tiles(b)) break;
        if (!tc__attn_bwd90_begin(c, b, index)) continue;
        tc__attn_bwd90_uniform(&b->w);
        tc__attn_bwd90_produce(c, b, &u);
    } while (1);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What consumers have in common. A consumer is a warpgroup.
 */
typedef struct tc__attn_bwd90_consumer {
    int wg, row;  /* warpgroup; first of this warp's keys in the tile */
    tc_ring ring; /* of this step */
    uint32_t steps; /* whose second half is done, in all tiles */
    float *s, *dp, *dq, *dk, *dv;
    uint32_t *a, *e; /* P' and dS' as A operands */
    tc_f32x2 *rows;  /* lse of the step's queries, then their delta */
} tc__attn_bwd90_consumer;

/* What is known when it is compiled. */
typedef struct tc__attn_bwd90_kernel {
    tc_attn_bwd_config c;
    tc_attn_bwd_sm90_wgmma m;
} tc__attn_bwd90_kernel;

/* A product of this warpgroup's 64 keys with a tile of queries: K and Q, or V and dO. x: the keys' tile, y: the
 * queries'. */
typedef struct tc__attn_bwd90_pair {
    tc_operand x, y;
    uint32_t keys, queries;
} tc__attn_bwd90_pair;

/* The descriptor of what lies at a shared address, made here and now: those of all products, made before the loop,
 * would be more than there are registers for. tile: as wide as the head. Up to 64 columns the products wait for nothing
 * that fewer instructions would bring sooner. */
TC_DEV uint64_t tc__attn_bwd90_desc(const tc_operand tile, uint32_t at)
{
    const uint32_t here = (uint32_t)tc_opaque((int)at);
    const uint64_t desc = tc_wgmma_desc(here, 128);
    return tile.k > 64 ? tc_wgmma_desc_live(desc, here) : desc;
}
TC_DEV uint64_t tc__attn_bwd90_desc_mn(const tc_operand tile, uint32_t at, int box_bytes)
{
    const uint32_t here = (uint32_t)tc_opaque((int)at);
    const uint64_t desc = tc_wgmma_desc_mn(here, (uint32_t)box_bytes);
    return tile.k > 64 ? tc_wgmma_desc_live(desc, here) : desc;
}

TC_DEV_SM90A void tc__attn_bwd90_scores(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_pair t, float *s)
{
    const uint64_t k = tc__attn_bwd90_desc(t.x, t.keys), q = tc__attn_bwd90_desc(t.y, t.queries);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < tc_operand_steps(t.x); i++)
        kernel.m.sp(s, tc_wgmma_desc_advance(k, (uint32_t)tc_operand_step(t.x, i)),
                    tc_wgmma_desc_advance(q, (uint32_t)tc_operand_step(t.y, i)), i > 0);
    tc_wgmma_commit_group();
}

/* Consumer wg's first key in the tile. */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_first(const tc_attn_bwd_config c, int wg)
{
    return tc__attn_bwd90_wide(c) ? 0 : wg * 64;
}

/* S' and dP', of a tile of queries in a slot of Q and in one of dO. */
TC_DEV_SM90A void tc__attn_bwd90_s(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                   const tc__attn_bwd90_consumer *u, uint32_t stage)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc__attn_bwd90_plan at = tc__attn_bwd90_plan_of(c);
    const tc_operand q = tc__attn_bwd90_q_tile(c);
    const uint32_t keys = b->smem + (uint32_t)(at.k + tc__attn_bwd90_first(c, u->wg) * 128);
    const tc__attn_bwd90_pair t = {tc__attn_bwd90_k_tile(c), q, keys,
                                   b->smem + (uint32_t)at.q + stage * (uint32_t)q.bytes};
    tc__attn_bwd90_scores(kernel, t, u->s);
}

TC_DEV_SM90A void tc__attn_bwd90_dp(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                    const tc__attn_bwd90_consumer *u, uint32_t stage)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc__attn_bwd90_plan at = tc__attn_bwd90_plan_of(c);
    const tc_operand o = tc__attn_bwd90_o_tile(c);
    const uint32_t keys = b->smem + (uint32_t)(at.v + tc__attn_bwd90_first(c, u->wg) * 128);
    const tc__attn_bwd90_pair t = {tc__attn_bwd90_v_tile(c), o, keys,
                                   b->smem + (uint32_t)at.dout + stage * (uint32_t)o.bytes};
    tc__attn_bwd90_scores(kernel, t, u->dp);
}

/* d (64 keys) += a times a tile of queries, whose rows are k. */
TC_DEV_SM90A void tc__attn_bwd90_add(const tc_wgmma_rs_fn product, const tc_operand tile, uint32_t from, float *d,
                                     const uint32_t *a)
{
    const uint64_t x = tc__attn_bwd90_desc_mn(tile, from, tile.box_bytes);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < tile.rows / 16; i++)
        product(d, a + 4 * i, tc_wgmma_desc_advance(x, (uint32_t)(i * 2048)), 1);
    tc_wgmma_commit_group();
}

/* d = columns of dQ: dS at `ds`, times those columns of K (`tile`) that begin at `from`. */
TC_DEV_SM90A void tc__attn_bwd90_columns(const tc_wgmma_fn product, const tc_operand tile, uint32_t ds, uint32_t from,
                                         float *d)
{
    const uint64_t x = tc__attn_bwd90_desc_mn(tile, ds, tile.rows * 128),
                   y = tc__attn_bwd90_desc_mn(tile, from, tile.box_bytes);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < tile.rows / 16; i++)
        product(d, tc_wgmma_desc_advance(x, (uint32_t)(i * 2048)), tc_wgmma_desc_advance(y, (uint32_t)(i * 2048)),
                i > 0);
    tc_wgmma_commit_group();
}

/* Two floats of shared memory. */
TC_DEV tc_f32x2 tc__attn_bwd90_two(uint32_t at)
{
    tc_f32x2 x;
    asm volatile("ld.shared.v2.f32 {%0, %1}, [%2];" : "=f"(x.x), "=f"(x.y) : "r"(at) : "memory");
    return x;
}

/* Keys that a query does not see to -inf; asked in tiles that have such alone. */
TC_DEV void tc__attn_bwd90_mask(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                const tc__attn_bwd90_consumer *u, const tc_attn_bwd_step at)
{
    const tc_attn_bwd_problem *a = &b->p->problem;
    const int lane = tc_lane(), off = b->w.k_len - b->w.q_len, q0 = at.m * c.bm + lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const int kv = b->w.k0 + u->row + lane / 4 + i * 8;
        /* this key's queries: from .. to - 1 */
        int from = 0, to = kv < b->w.k_len ? b->w.q_len : 0;
        if (c.causal || c.window) from = kv - off - a->window_right;
        if (c.window) to = tc__attn_clamp(kv - off + a->window_left + 1, 0, to);
        from -= q0, to -= q0;
#pragma unroll
        for (int j = 0; j < c.bm / 4; j++) {
            float *s = u->s + j / 2 * 4 + i * 2 + j % 2;
            const int q = j / 2 * 8 + j % 2;
            if (q < from || q >= to) {
                *s = -TC__INF;
            } else if (c.mask) {
                const tc_attn_at where = {b->w.b, at.h, q0 + q, kv, 0};
                if (!c.mask(where, a->hook)) *s = -TC__INF;
            }
        }
    }
}

/* A step's lse or delta. rows: shared address of this lane's first. */
TC_DEV void tc__attn_bwd90_read(const tc_attn_bwd_config c, const tc__attn_bwd90_consumer *u, uint32_t rows)
{
#pragma unroll
    for (int j = 0; j < c.bm / 8; j++) u->rows[j] = tc__attn_bwd90_two(rows + (uint32_t)(j * 32));
}

/* S to P, in place. */
TC_DEV_SM80 void tc__attn_bwd90_p(const tc_attn_bwd_config c, const tc__attn_bwd90_consumer *u, float scale)
{
#pragma unroll
    for (int j = 0; j < c.bm / 8; j++) {
        const tc_f32x2 l = u->rows[j];
        float *s = u->s + 4 * j;
#pragma unroll
        for (int i = 0; i < 4; i++) s[i] = tc__exp2(fmaf(s[i], scale, i % 2 ? -l.y : -l.x));
    }
}

/* What is dropped of a step of 64 queries, a bit for each element of s: worked out while S and dP are multiplied, and
 * kept where the last of dS comes to lie. */
enum { TC__ATTN_BWD90_DROPS = 64 / 4 - 1 };
TC_DEV_SM80 void tc__attn_bwd90_drop(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                     const tc__attn_bwd90_consumer *u, const tc_attn_bwd_step at)
{
    uint32_t bits = 0;
    if (!c.dropout) return;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const tc_attn_at where = {b->w.b, at.h, at.m * c.bm + i * 16, b->w.k0 + u->row, 0};
        bits |= tc__attn_bwd_drops_turned(&b->p->problem, where) << (i * 8);
    }
    u->e[TC__ATTN_BWD90_DROPS] = bits;
}

/* Shared address of the lse of this lane's first query of a step; delta is bm floats further on. */
TC_DEV uint32_t tc__attn_bwd90_rows(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                    const tc__attn_bwd90_consumer *u)
{
    return b->smem + (uint32_t)tc__attn_bwd90_plan_of(c).rows + u->ring.stage * (uint32_t)(c.bm * 8)
         + (uint32_t)(tc_lane() % 4 * 8);
}

#endif /* __CUDACC__ */
#endif /* TC_ATTN_BWD_SM90_PARTS_H */
