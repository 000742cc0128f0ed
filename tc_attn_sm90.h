/* tc_attn_sm90.h - tc 0.2.0 - attention's mainloop for Hopper. Needs: the headers below; sm_90a.
 *
 *     tc_attn_sm90_config                   a configuration with every unset field filled in
 *     tc_attn_sm90_smem, _threads           what its block takes
 *     tc_attn_sm90_load, tc_attn_sm90_mma   producer and consumer, for kernels of your own
 *     tc_attn_sm90                          the kernel's body
 *     tc_attn_sm90_prepare (host)           a call to launch by yourself: checked, its grid and its parameters
 *                                           (tc_attn.h)
 *
 * tc_attn.h is the manual.
 */
#ifndef TC_ATTN_SM90_H
#define TC_ATTN_SM90_H

#include "tc_swizzle.h"
#include "tc_operand.h"
#include "tc_pipe.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_softmax.h"
#include "tc_attn_map.h"
#include "tc_attn_sm90_smem.h"

typedef struct tc_attn_sm90_params {
    tc_tmap q, k, v, o;
    tc_attn_problem problem;
} tc_attn_sm90_params;

/* =====================================================================================================================
 * SM90: warp-specialised, persistent.
 *
 *     warpgroup 0       one warp of it is the producer: Q once a tile, K and V into their rings by TMA; another finds
 *                       out which tile of queries comes next
 *     warpgroup 1..     consumers, 64 rows of Q each: S = Q K', softmax in registers, O += P V
 *
 *     shared memory     tc_attn_sm90_smem.h
 *
 * Of TC_E4M3 more warps turn V in its ring, and the consumers' loop is tc_attn_sm90_fp8.h's.
 *
 * Two overlaps keep the Tensor Cores busy. Inside a warpgroup the softmax of one tile runs while P V of the tile
 * before it is multiplied; between warpgroups turns are taken (named barriers): while one issues its products the
 * other is in its softmax.
 */

#ifdef __CUDACC__

/* The two products of a configuration: S = Q K', and O += P V with P in registers. */
typedef struct tc_attn_sm90_wgmma {
    tc_wgmma_fn qk;
    tc_wgmma_rs_fn pv;
} tc_attn_sm90_wgmma;

TC_DEV_SM90A TC_CONSTEXPR tc_attn_sm90_wgmma tc__attn90_wgmma(const tc_attn_config c)
{
    const tc_wgmma_kind kind = {c.type, c.type, 0, 0, 0};
    tc_attn_sm90_wgmma m = {tc_wgmma_pick_f32(c.bn, c.type), tc_wgmma_pick_f32_rs_mn(c.head_dim_v, c.type)};
    if (c.type == TC_E4M3) m.qk = tc_wgmma_pick(c.bn, kind);
    return m;
}

/* A tile of K or V: where it lies in its tensor, and where it goes. */
typedef struct tc__attn90_source {
    int row, head, outer, used; /* used: rows of it that belong to the sequence; -1: there is no tile */
    int behind;                 /* V: slots of the ring between its slot and the next of K */
    int begins;                 /* 1: the first of a tile of work */
} tc__attn90_source;

typedef struct tc__attn90_slot {
    uint32_t at, full; /* shared addresses: the slot, the barrier that counts its bytes */
    tc_operand tile;
} tc__attn90_slot;

/* One tile of K or V into its slot; lane 0 of the producer. */
TC_DEV_SM90 void tc__attn90_fetch(const tc_tmap *map, const tc__attn90_slot to, const tc__attn90_source *from)
{
    tc_mbarrier_arrive_expect_tx(to.full, (uint32_t)to.tile.bytes);
#pragma unroll
    for (int i = 0; i < to.tile.boxes; i++)
        tc_cp_async_bulk_tensor_4d(to.at + (uint32_t)(i * to.tile.box_bytes), map, i * tc_operand_box_k(to.tile),
                                   from->row, from->head, from->outer, to.full);
}

/* Where the producer stands. */
typedef struct tc__attn90_producer {
    uint32_t smem;
    tc_ring q, k;
    uint32_t tails; /* tiles of V with an end that were fetched */
    uint32_t works; /* tiles of work whose first V was */
} tc__attn90_producer;

/* Producer, one warp: one tile of V. Rows behind the sequence may hold anything where it is packed or padded, and 0
 * times anything may be NaN: they become zeros before anyone reads them. */
TC_DEV_SM90 void tc__attn90_fetch_v(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_producer *u,
                                    const tc__attn90_source *from)
{
    const tc_operand tile = tc__attn90_v_tile(c);
    const int lane = tc_lane(), all = c.type == TC_E4M3; /* lanes arrive: racecheck follows who turns V to each */
    const int wraps = u->k.stage < (uint32_t)from->behind; /* its place in the ring: so many behind that of K */
    const tc_ring at = {u->k.stage + (uint32_t)((wraps ? c.stages : 0) - from->behind), u->k.phase ^ (uint32_t)wraps};
    const uint32_t v = tc__attn90_v(c, u->smem, at.stage),
                   full = c.type == TC_E4M3 ? tc__attn90_v_raw(c, u->smem, at.stage)
                                            : tc__attn90_v_full(c, u->smem, at.stage);
    const uint32_t tail = tc__attn90_tail(c, u->smem);
    TC_MBARRIER_WAIT(tc__attn90_v_empty(c, u->smem, at.stage), at.phase ^ 1u, "V empty", (int)at.stage);
    if (tc__attn90_o_in_v(c) && from->begins) {
        if (u->works) TC_MBARRIER_WAIT(tc__attn90_o_left(c, u->smem), (u->works - 1u) & 1u, "O left", 0);
        ++u->works;
    }
    if (all && lane == 0) tc__attn90_v_follows(c, u->smem, at.stage, 1);
    if (p->problem.zero_tail && from->used < c.bn) {
        const tc__attn90_slot to = {v, tail, tile};
        if (tc_elect_one()) tc__attn90_fetch(&p->v, to, from);
        TC_MBARRIER_WAIT(tail, u->tails & 1u, "V tail", 0);
        ++u->tails;
#pragma unroll 1
        for (int at = from->used * 128 + lane * 16; at < c.bn * 128; at += 512) {
#pragma unroll
            for (int i = 0; i < tile.boxes; i++) tc__attn90_zero_16(v + (uint32_t)(i * tile.box_bytes + at));
        }
        tc_fence_proxy_async_shared();
        __syncwarp();
        if (all || lane == 0) tc_mbarrier_arrive(full);
    } else if (tc_elect_one()) {
        const tc__attn90_slot to = {v, full, tile};
        tc__attn90_fetch(&p->v, to, from);
    } else if (all) {
        tc_mbarrier_arrive(full);
    }
}

/* One warp: which tiles of queries this block works on, one after the other, while the producer is at the one before.
 * What a tile without keys has to say is stored on the way. It has few registers: where it stands in the order lies in
 * shared memory meanwhile. */
TC_DEV_SM90 void tc__attn90_order(const tc_attn_config c, const tc_attn_problem *p, uint32_t smem)
{
    const uint32_t mail = tc__attn90_mail(c, smem), order = mail + 64u;
    int more = 1, state, n;
    tc_attn_order_begin(p, order);
    tc__order_set(order + TC__ORDER_TURN, 1u);
    while (more) {
        const uint32_t phase = tc__order_get(order + TC__ORDER_TURN);
        tc__order_set(order + TC__ORDER_TURN, phase ^ 1u);
        TC_MBARRIER_WAIT(mail + 8u, phase, "mail empty", 0);
        do {
            tc_attn_work w;
            more = tc_attn_order_next(c, p, order, &w);
            if (!more) w.b = -1;
            n = more ? tc_attn_next(c, p, &w, w.hi, &state) - w.lo : 0;
            if (tc_lane() == 0) tc__attn90_note_put(mail + 16u, &w);
            __syncwarp();
            if (n < 0) {
                tc__attn90_note_get(TC__NOTE_ONE, mail + 16u, &w);
                tc__attn_store_nothing(c, p, &w);
            }
        } while (n < 0);
        if (tc_lane() == 0) tc_mbarrier_arrive(mail);
    }
}

/* One thread of the producer: the note on work w and its tile of Q; b = -1: the note that there is none. */
TC_DEV_SM90 void tc__attn90_fetch_q(const tc_attn_config c, const tc_attn_sm90_params *p, const tc__attn90_producer *u,
                                    const tc_attn_work *w)
{
    const tc_attn_problem *a = &p->problem;
    const tc_operand tile = tc__attn90_q_tile(c);
    const uint32_t q = tc__attn90_q(c, u->smem, u->q.stage), full = tc__attn90_q_full(c, u->smem, u->q.stage);
    tc__attn90_note_put(tc__attn90_note(c, u->smem, u->q), w);
    if (w->b < 0) {
        tc_mbarrier_arrive(full);
        return;
    }
    tc_mbarrier_arrive_expect_tx(full, (uint32_t)(tile.boxes * a->tile_q * a->group * 128));
#pragma unroll
    for (int e = 0; e < tile.boxes; e++)
        tc_cp_async_bulk_tensor_5d(q + (uint32_t)(e * tile.box_bytes), &p->q, e * tc_operand_box_k(tile), 0,
                                   w->q_at + w->q0, w->h / a->group, tc__attn_outer_q(a, w), full);
}

/* Producer, one warp: the note on work w and its tile of Q, once there is a slot for them. */
TC_DEV_SM90 void tc__attn90_next_q(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_producer *u,
                                   const tc_attn_work *w)
{
    TC_MBARRIER_WAIT(tc__attn90_q_empty(c, u->smem, u->q.stage), u->q.phase ^ 1u, "Q empty", (int)u->q.stage);
    if (tc_elect_one()) tc__attn90_fetch_q(c, p, u, w);
    tc_ring_next(&u->q, c.q_stages);
}

/* Producer, one warp: everything that the block reads, in the order in which the consumers want it: K one tile ahead
 * of V, also from one tile of work to the next. */
TC_DEV_SM90 void tc_attn_sm90_load(const tc_attn_config c, const tc_attn_sm90_params *p, uint32_t smem)
{
    const tc_attn_problem *a = &p->problem;
    const uint32_t mail = tc__attn90_mail(c, smem);
    const int lane = tc_lane();
    tc__attn90_producer u; /* set field by field: zeros for all of it would be instructions */
    const tc_ring start = {0, 0};
    tc__attn90_source k = {0, 0, 0, -1, 0, 0}, v = k; /* v: of the tile of K before, whose V is still to come */
    tc_attn_work w;
    int n = 0, state, q_waits = 0; /* q_waits: K of this tile of work comes before its Q */
    u.smem = smem;
    u.q = u.k = start;
    u.tails = u.works = 0;
    w.lo = 1;
    for (;;) {
        if (n >= w.lo) n = tc_attn_next(c, a, &w, n, &state);
        if (n < w.lo) {
            if (c.q_stages == 1 && v.used >= 0) { /* the slot of Q is free only when this V has been asked for */
                v.behind = 1;
                tc__attn90_fetch_v(c, p, &u, &v);
                v.used = -1;
            }
            TC_MBARRIER_WAIT(mail, c.q_stages == 1 ? u.q.phase : u.q.stage, "mail", 0); /* one for each tile of Q */
            tc__attn90_note_get(TC__NOTE_ONE, mail + 16u, &w);
            if (lane == 0) tc_mbarrier_arrive(mail + 8u);
            q_waits = tc__attn90_q_alone(c) && w.b >= 0;
            if (!q_waits) tc__attn90_next_q(c, p, &u, &w);
            if (w.b < 0) break;
            k.begins = 1;
            n = tc_attn_next(c, a, &w, w.hi, &state);
            k.head = (int)tc_uniform((uint32_t)(w.h / (a->heads / a->heads_kv)));
            k.outer = (int)tc_uniform((uint32_t)tc__attn_outer_k(a, &w));
        }
        k.row = w.k_at + n * c.bn;
        k.used = w.k_len - n * c.bn;
        TC_MBARRIER_WAIT(tc__attn90_k_empty(c, smem, u.k.stage), u.k.phase ^ 1u, "K empty", (int)u.k.stage);
        if (tc_elect_one()) {
            const tc__attn90_slot to = {tc__attn90_k(c, smem, u.k.stage), tc__attn90_k_full(c, smem, u.k.stage),
                                        tc__attn90_k_tile(c)};
            tc__attn90_fetch(&p->k, to, &k);
        }
        tc_ring_next(&u.k, c.stages);
        if (q_waits) tc__attn90_next_q(c, p, &u, &w);
        q_waits = 0;
        v.behind = 2;
        if (v.used >= 0) tc__attn90_fetch_v(c, p, &u, &v);
        v = k;
        k.begins = 0;
    }
    v.behind = 1;
    if (c.q_stages != 1 && v.used >= 0) tc__attn90_fetch_v(c, p, &u, &v);
    if (c.type == TC_E4M3) { /* V's next place in the ring is K's by now */
        TC_MBARRIER_WAIT(tc__attn90_v_empty(c, smem, u.k.stage), u.k.phase ^ 1u, "V empty", (int)u.k.stage);
        if (lane == 0) tc__attn90_v_follows(c, smem, u.k.stage, 0);
        tc_mbarrier_arrive(tc__attn90_v_raw(c, smem, u.k.stage));
    }
}

/* Consumer: a slot goes back, by a thread of the warpgroup, since a product in it takes all of its warps; where a slot
 * may go back without a product, by a lane of each warp: one that came to wait for it too late would miss a lap. */
TC_DEV_SM90 void tc__attn90_release(const tc_attn_config c, uint32_t bar)
{
    const int mine = threadIdx.x % (tc__attn90_narrows(c) ? 32u : 128u) == 0;
    if (tc__attn90_by_predicate(c)) tc__mbarrier_arrive_if(mine, bar);
    else if (mine) tc_mbarrier_arrive(bar);
}

/* Where a consumer stands: its place in the rings, and what it keeps for the rows of its lanes. */
typedef struct tc__attn90_consumer {
    uint32_t smem;
    tc_ring q, k, v;
    int wg;         /* warpgroup */
    uint64_t q0, k0, v0; /* descriptors of the first slots, of Q at the warpgroup's rows */
    tc_attn_work w;
    int n;          /* tile of keys */
    tc_attn_rows r;
    float *s;       /* the fragment of S */
    uint32_t *a;    /* P as an A operand */
    /* TC_E4M3 */
    float *t;       /* the fragment of P V of 64 columns */
    float shift[2]; /* of each row what is added to a score to make it an exponent */
    int unseen;     /* a row of the warp has not seen a score yet */
    float unit[2];  /* of each row what S is multiplied by, but for the factor of a block of keys */
    float f[2];     /* and tc__attn90_rescale_late: what O's rows are to be multiplied by before P V is added */
    float k_factor, v_factor; /* K's; V's, by which O is still to be multiplied */
    int head;       /* K's and V's */
    int few;        /* rows may see so few keys that the rounding of P counts */
    int skip; /* 1: this warpgroup's rows see nothing of the first tile of keys: tc__attn90_narrow */
} tc__attn90_consumer;

/* Which consumer this is: its warpgroup, counted from 0, and the block's shared memory. */
typedef struct tc_attn_sm90_self {
    uint32_t smem;
    int wg;
} tc_attn_sm90_self;

/* Descriptors of the products' tiles begin with the first slots', which ptxas does not know: it makes each of another
 * by one addition, where it would compute those that it knows anew beside the products, upper word and all. Wide heads
 * have no registers for that. */
TC_HD TC_CONSTEXPR int tc__attn90_bases(const tc_attn_config c) { return c.head_dim_v <= 192; }
TC_DEV_SM80 uint64_t tc__attn90_base(uint64_t desc)
{
    return (uint64_t)tc_uniform((uint32_t)(desc >> 32)) << 32 | tc_uniform((uint32_t)desc);
}
TC_DEV uint64_t tc__attn90_q_desc(const tc_attn_config c, const tc__attn90_consumer *u, uint32_t stage)
{
    const uint32_t at = tc__attn90_q(c, u->smem, stage) + (uint32_t)(u->wg * 64 * 128);
    return tc_wgmma_desc_live(tc_wgmma_desc(at, 128), at);
}
TC_DEV uint64_t tc__attn90_k_desc(const tc_attn_config c, const tc__attn90_consumer *u, uint32_t stage)
{
    const uint32_t at = tc__attn90_k(c, u->smem, stage);
    return tc_wgmma_desc_live(tc_wgmma_desc(at, 128), at);
}
TC_DEV uint64_t tc__attn90_v_desc(const tc_attn_config c, const tc__attn90_consumer *u, uint32_t stage)
{
    const uint32_t at = tc__attn90_v(c, u->smem, stage);
    if (c.type == TC_E4M3) return tc_wgmma_desc_live(tc_wgmma_desc(at, 128), at); /* turned */
    return tc_wgmma_desc_live(tc_wgmma_desc_mn(at, (uint32_t)tc__attn90_v_tile(c).box_bytes), at);
}

/* The one of slot `stage`: the first slot's and so many tiles. To the upper word 0 is added: a mere copy of it ptxas
 * would make again for each product. */
TC_DEV uint64_t tc__attn90_slot_desc(uint64_t base, uint32_t stage, const tc_operand tile)
{
    return (uint64_t)((uint32_t)(base >> 32) + (stage >> 8)) << 32
         | ((uint32_t)base + stage * (uint32_t)(tile.bytes / 16));
}

/* A consumer before its first tile of work. */
TC_DEV_SM90 tc__attn90_consumer tc__attn90_consumer_of(const tc_attn_config c, const tc_attn_sm90_self self)
{
    tc__attn90_consumer u = {self.smem, {0, 0}, {0, 0}, {0, 0}, self.wg};
    if (!tc__attn90_bases(c)) return u;
    u.q0 = tc__attn90_base(tc__attn90_q_desc(c, &u, 0));
    u.k0 = tc__attn90_base(tc__attn90_k_desc(c, &u, 0));
    u.v0 = tc__attn90_base(tc__attn90_v_desc(c, &u, 0));
    return u;
}

/* A tile of keys in tc__attn90_step; add: whether O holds anything yet; blocks: TC_E4M3: keys may have factors of their
 * own; the rest as in tc_attn_scores. */
typedef struct tc__attn90_tile {
    int n, state, add, edges, blocks;
} tc__attn90_tile;

/* What a consumer knows when it is compiled: the configuration and its instructions. */
typedef struct tc__attn90_kernel {
    tc_attn_config c;
    tc_attn_sm90_wgmma m;
} tc__attn90_kernel;

/* S = Q K' of one tile, issued. */
TC_DEV_SM90A void tc__attn90_qk(const tc__attn90_kernel kernel, tc__attn90_consumer *u)
{
    const tc_attn_config c = kernel.c;
    const uint64_t q = tc__attn90_bases(c) ? tc__attn90_slot_desc(u->q0, u->q.stage, tc__attn90_q_tile(c))
                                           : tc__attn90_q_desc(c, u, u->q.stage);
    const uint64_t k = tc__attn90_bases(c) ? tc__attn90_slot_desc(u->k0, u->k.stage, tc__attn90_k_tile(c))
                                           : tc__attn90_k_desc(c, u, u->k.stage);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < tc_operand_steps(tc__attn90_q_tile(c)); i++)
        kernel.m.qk(u->s, tc_wgmma_desc_advance(q, (uint32_t)tc_operand_step(tc__attn90_q_tile(c), i)),
             tc_wgmma_desc_advance(k, (uint32_t)tc_operand_step(tc__attn90_k_tile(c), i)), i > 0);
    tc_wgmma_commit_group();
}

/* tc__attn90_rescale_late: O before the next P V is added; finished before the fence of that product. */
TC_DEV_SM90A void tc__attn90_rescale(const tc_attn_config c, tc__attn90_consumer *u)
{
    if (tc__attn90_rescale_late(c)) {
        tc_attn_rescale(u->r.o, c.head_dim_v, u->f);
        tc_wgmma_fence_acc(u->r.o, c.head_dim_v / 2);
    }
}

/* O = P V, or O += P V, of one tile, issued. */
TC_DEV_SM90A void tc__attn90_pv(const tc__attn90_kernel kernel, tc__attn90_consumer *u, int add)
{
    const tc_attn_config c = kernel.c;
    const uint64_t v = tc__attn90_bases(c) ? tc__attn90_slot_desc(u->v0, u->v.stage, tc__attn90_v_tile(c))
                                           : tc__attn90_v_desc(c, u, u->v.stage);
    tc_wgmma_fence();
#pragma unroll
    for (int i = 0; i < c.bn / 16; i++)
        kernel.m.pv(u->r.o, u->a + 4 * i, tc_wgmma_desc_advance(v, (uint32_t)(i * 2048)), i > 0 ? 1 : add);
    tc_wgmma_commit_group();
}

/* A consumer warp's 16 rows to O: by TMA through its part of shared memory where all rows of the tile follow each
 * other in O, which is the case unless heads are packed or another sequence begins among them; else by ordinary
 * stores. Every condition here is the same for the warp and known to be: else the products' descriptors would leave
 * the uniform registers. */
TC_DEV_SM90 void tc__attn90_store(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_consumer *u,
                                  const tc_attn_work *w)
{
    const tc_attn_problem *a = &p->problem;
    const int row = u->r.row;
    tc_attn_finish(c, a, w, &u->r);
    if ((tc__attn90_o_bytes(c) || tc__attn90_o_in_v(c)) && a->group == 1
        && ((a->cu_q == 0 && a->lens_q == 0) || w->q0 + c.bm <= w->q_len)) {
        const tc_operand tile = tc__attn90_o_tile(c);
        const tc_box box = {tc__attn_o_type(c), 128};
        const tc_box_span span = {0, 8};
        const int in_v = tc__attn90_o_in_v(c), box_bytes = in_v ? 64 * 128 : tile.box_bytes;
        const uint32_t to = in_v ? tc__attn90_v(c, u->smem, (uint32_t)u->wg) + (uint32_t)(row % 64 * 128)
                                 : tc__attn90_o(c, u->smem) + (uint32_t)(row * 128),
                       at = to + tc_box_lane(box);
        if (in_v) { /* all consumers are through with what lay in that slot; the producer holds back the next */
            const uint32_t lap = u->v.phase ^ (uint32_t)((uint32_t)u->wg < u->v.stage);
            TC_MBARRIER_WAIT(tc__attn90_v_empty(c, u->smem, (uint32_t)u->wg), lap ^ 1u, "V empty", u->wg);
        }
        if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); /* the tile before has left */
        __syncwarp();
        /* a box's distance comes after the xor: one address serves all boxes */
#pragma unroll
        for (int j = 0; j < c.head_dim_v / 16; j++)
            tc_box_put(box, (at ^ (uint32_t)(j % 4 * 32)) + (uint32_t)(j / 4 * box_bytes), u->r.o + 8 * j, span);
        tc_fence_proxy_async_shared();
        __syncwarp();
        if (tc_elect_one()) {
#pragma unroll
            for (int i = 0; i < tile.boxes; i++)
                if (w->q0 + row < w->q_len)
                    tc_cp_async_bulk_tensor_4d_store(&p->o, to + (uint32_t)(i * box_bytes), i * 64,
                                                     w->q_at + w->q0 + row, w->h, tc__attn_outer_q(a, w));
            tc_cp_async_bulk_commit_group();
        }
    } else {
        tc_attn_store(c, a, w, &u->r);
    }
}

/* K's slot goes back, and Q's with the note beside it. */
TC_DEV_SM90 void tc__attn90_k_back(const tc_attn_config c, tc__attn90_consumer *u)
{
    tc__attn90_release(c, tc__attn90_k_empty(c, u->smem, u->k.stage));
    tc_ring_next(&u->k, c.stages);
}
TC_DEV_SM90 void tc__attn90_q_back(const tc_attn_config c, const tc__attn90_consumer *u)
{
    const int by = tc__attn90_note_by(c);
    if (by == TC__NOTE_ALL || tc_lane() == (by == TC__NOTE_ONE ? 0 : 31))
        tc_mbarrier_arrive(tc__attn90_q_empty(c, u->smem, u->q.stage));
}

/* S of tile n of keys. */
TC_DEV tc_attn_scores tc__attn90_scores(const tc_attn_config c, const tc_attn_sm90_params *p,
                                        const tc__attn90_consumer *u, const tc__attn90_tile t)
{
    const tc_attn_scores x = {u->s, c.bn, u->r.row, t.n, t.state, t.edges, 0, tc_attn_scale(c, &p->problem), 0,
                              tc__attn90_later(c, 0), tc__attn90_later(c, 1)};
    return x;
}

/* What is left of the sums of the P before. With dropout nothing is: P was dropped since. */
TC_DEV void tc__attn90_add_later(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_consumer *u)
{
    const tc__attn90_tile t = {0, 0, 0, 0, 0};
    if (!c.dropout) tc_attn_add_later(tc__attn90_scores(c, p, u, t), &u->r);
}

/* The first S of a tile of work, after it was issued: to P. */
TC_DEV_SM90A void tc__attn90_first(const tc_attn_config c, const tc_attn_sm90_params *p, tc__attn90_consumer *u)
{
    const tc__attn90_tile t = {0, 0, 0, 1, 1};
    tc_attn_scores x = tc__attn90_scores(c, p, u, t);
    float f[2];
    x.n = u->n = tc_attn_next(c, &p->problem, &u->w, u->w.hi - u->skip, &x.state);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(u->s, c.bn / 2);
    tc__attn90_k_back(c, u);
    tc_attn_rows_init(&u->r);
    x.few = tc_attn_score(c, &p->problem, &u->w, x);
    u->f[0] = u->f[1] = 1.f;
    tc_attn_softmax(c, x, &u->r, f);
    if (c.dropout) tc_attn_add_later(x, &u->r);
    tc_attn_drop(c, &p->problem, &u->w, x);
    tc_attn_pack(c.type, u->s, c.bn, u->a);
}

/* P V has been added to O, and V's slot goes back. */
TC_DEV_SM90A void tc__attn90_v_done(const tc_attn_config c, tc__attn90_consumer *u)
{
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(u->r.o, c.head_dim_v / 2);
    tc__attn90_release(c, tc__attn90_v_empty(c, u->smem, u->v.stage));
}

/* tc_attn_sm90_fp8.h */
TC_DEV_SM90A void tc__attn_fp8_step(const tc__attn90_kernel kernel, const tc_attn_sm90_params *p,
                                    tc__attn90_consumer *u, const tc__attn90_tile t);
TC_DEV_SM90 void tc__attn_fp8_turn(const tc_attn_config c, uint32_t smem);
TC_DEV int tc__attn_fp8_blocks(const tc_attn_sm90_params *p);

/* One more tile of keys of a tile of work: its S is multiplied together with P V of the tile before it, and the
 * softmax runs while P V does. Leaves P. */
TC_DEV_SM90A void tc__attn90_step(const tc__attn90_kernel kernel, const tc_attn_sm90_params *p,
                                  tc__attn90_consumer *u, const tc__attn90_tile t)
{
    const tc_attn_config c = kernel.c;
    const int next_wg = u->wg + 1 == c.consumers ? 0 : u->wg + 1;
    if (c.type == TC_E4M3) {
        tc__attn_fp8_step(kernel, p, u, t);
        return;
    }
    tc_attn_scores x = tc__attn90_scores(c, p, u, t);
    float f[2];
    int rise;
    TC_MBARRIER_WAIT(tc__attn90_k_full(c, u->smem, u->k.stage), u->k.phase, "K full", (int)u->k.stage);
    tc__attn90_add_later(c, p, u);
    if (c.consumers > 1) tc_bar_sync(1 + u->wg, 256);
    tc__attn90_qk(kernel, u);
    tc__attn90_rescale(c, u);
    TC_MBARRIER_WAIT(tc__attn90_v_full(c, u->smem, u->v.stage), u->v.phase, "V full", (int)u->v.stage);
    tc__attn90_pv(kernel, u, t.add);
    if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
    TC_WGMMA_WAIT_GROUP(1);
    tc_wgmma_fence_acc(u->s, c.bn / 2);
    tc__attn90_k_back(c, u);
    if (tc__attn90_q_alone(c) && t.n == u->w.lo) tc__attn90_q_back(c, u);
    x.few = tc_attn_score(c, &p->problem, &u->w, x);
    if (tc__attn90_pause(c)) {
        const tc__attn_row_open o = tc_attn_softmax_head(c, x, tc__attn90_pause(c), &u->r, f);
#pragma unroll
        for (int j = 0; j < tc__attn90_pause(c); j++) asm volatile("" : "+f"(x.s[4 * j]), "+f"(x.s[4 * j + 1]));
        /* ptxas moves nothing over a wait in either direction. This one is for the phase before the first, which has
         * ended; V's barrier will not do: once the warp that gives the slot back has, it may be a phase ahead. */
        TC_MBARRIER_WAIT(tc__attn90_still(c, u->smem), 1u, "still", 0);
        tc__attn90_v_done(c, u);
        rise = tc_attn_softmax_tail(c, x, tc__attn90_pause(c), o, &u->r, f);
    } else {
        rise = tc_attn_softmax(c, x, &u->r, f);
        if (c.dropout) tc_attn_add_later(x, &u->r);
        tc_attn_drop(c, &p->problem, &u->w, x);
        tc__attn90_v_done(c, u);
    }
    tc_ring_next(&u->v, c.stages);
    tc_attn_pack(c.type, u->s, c.bn, u->a);
    if (tc__attn90_rescale_late(c)) u->f[0] = f[0], u->f[1] = f[1];
    else if (rise) tc_attn_rescale(u->r.o, c.head_dim_v, f);
}

/* The tiles of keys after the first. Those that every row sees whole have a loop of their own: not a single test for
 * a mask stands in it, which gains 7 %. The return value: whether O holds anything. */
TC_DEV_SM90A int tc__attn90_rest(const tc__attn90_kernel kernel, const tc_attn_sm90_params *p, tc__attn90_consumer *u)
{
    const tc_attn_config c = kernel.c;
    const tc_attn_problem *a = &p->problem;
    int add = 0, state = TC_ATTN_WHOLE, n;
    if (c.mask || (c.head_dim_v > 192 && (c.causal || c.window))) { /* of wide heads one loop, for want of registers */
        for (n = tc_attn_next(c, a, &u->w, u->n, &state); n >= u->w.lo;
             n = tc_attn_next(c, a, &u->w, n, &state), add = 1) {
            const tc__attn90_tile t = {n, state, add, 1, 1};
            tc__attn90_step(kernel, p, u, t);
        }
    } else {
        n = u->n - 1;
        /* without them only the first tile can have an edge: the end of the sequence. Of 8 bits this loop also has what
         * is done where keys are few: in the other one, which is hot, it would stand in the way. */
        if (c.causal || c.window || c.score || c.type == TC_E4M3)
            for (; (n >= u->w.free_hi || (c.type == TC_E4M3 && u->few)) && n >= u->w.lo; n--, add = 1) {
                const tc__attn90_tile t = {n, state, add, 1, 1};
                tc__attn90_step(kernel, p, u, t);
            }
        if (c.type == TC_E4M3 && tc__attn_fp8_blocks(p))
            for (; n >= u->w.free_lo; n--, add = 1) {
                const tc__attn90_tile t = {n, state, add, 0, 1};
                tc__attn90_step(kernel, p, u, t);
            }
        for (; n >= u->w.free_lo; n--, add = 1) {
            const tc__attn90_tile t = {n, state, add, 0, 0};
            tc__attn90_step(kernel, p, u, t);
        }
        if (c.window)
            for (; n >= u->w.lo; n--, add = 1) {
                const tc__attn90_tile t = {n, state, add, 1, 1};
                tc__attn90_step(kernel, p, u, t);
            }
    }
    if (!(tc__attn90_q_alone(c) && add)) tc__attn90_q_back(c, u); /* else the last step has */
    tc_ring_next(&u->q, c.q_stages);
    return add;
}

/* The note on the next tile of work. 0: there is none. */
TC_DEV_SM90 int tc__attn90_read_note(const tc_attn_config c, tc__attn90_consumer *u)
{
    TC_MBARRIER_WAIT(tc__attn90_q_full(c, u->smem, u->q.stage), u->q.phase, "Q full", (int)u->q.stage);
    tc__attn90_note_get(tc__attn90_note_by(c), tc__attn90_note(c, u->smem, u->q), &u->w);
    return u->w.b >= 0;
}

/* What this warpgroup's own rows see of the keys, which the causal mask may end before those of the tile's last row:
 * perhaps nothing of the first tile of keys, and perhaps more of them whole. */
TC_DEV_SM90 void tc__attn90_narrow(const tc_attn_config c, const tc_attn_problem *a, tc__attn90_consumer *u)
{
    if (tc__attn90_narrows(c) && a->group == 1) {
        const int first = u->w.q0 + u->wg * 64 + u->w.k_len - u->w.q_len + 1, /* keys that the first row sees */
                  whole = first > 0 ? first / c.bn : 0;
        u->skip = first + 63 <= (u->w.hi - 1) * c.bn && u->w.hi - 1 > u->w.lo;
        if (whole * c.bn <= u->w.k_len) u->w.free_hi = whole;
    } else {
        u->skip = 0;
    }
}

/* The tile of keys that is skipped: its slots go back, and its turn. */
TC_DEV_SM90 void tc__attn90_skip_k(const tc_attn_config c, tc__attn90_consumer *u)
{
    if (tc__attn90_narrows(c) && u->skip) {
        TC_MBARRIER_WAIT(tc__attn90_k_full(c, u->smem, u->k.stage), u->k.phase, "K full", (int)u->k.stage);
        tc__attn90_k_back(c, u);
    }
}
TC_DEV_SM90 void tc__attn90_skip_v(const tc_attn_config c, tc__attn90_consumer *u)
{
    if (tc__attn90_narrows(c) && u->skip) {
        tc_bar_sync(1 + u->wg, 256);
        tc_bar_arrive(1 + (u->wg + 1 == c.consumers ? 0 : u->wg + 1), 256);
        TC_MBARRIER_WAIT(tc__attn90_v_full(c, u->smem, u->v.stage), u->v.phase, "V full", (int)u->v.stage);
        tc__attn90_release(c, tc__attn90_v_empty(c, u->smem, u->v.stage));
        tc_ring_next(&u->v, c.stages);
    }
}

/* Consumer, one warpgroup: all tiles of work of this block. Where two of them meet, the last P V of the one and the
 * first S of the other are multiplied together, and the one is stored while the other's S is in the making. */
TC_DEV_SM90A void tc_attn_sm90_mma(const tc_attn_config c, const tc_attn_sm90_wgmma m, const tc_attn_sm90_params *p,
                                   const tc_attn_sm90_self self)
{
    const tc__attn90_kernel kernel = {c, m};
    const uint32_t smem = self.smem;
    const int wg = self.wg, next_wg = wg + 1 == c.consumers ? 0 : wg + 1;
    const int early = tc__attn90_early(c);
    tc__attn90_consumer u = tc__attn90_consumer_of(c, self);
    float s[128], o[128];
    uint32_t a[64];
    int add;
    u.r.row = wg * 64 + (int)(threadIdx.x / 32u % 4u) * 16;
    u.s = s, u.r.o = o, u.a = a;

    if (c.consumers > 1 && wg == 1) tc_bar_arrive(1, 256); /* the first warpgroup's first turn */
    if (!tc__attn90_read_note(c, &u)) return;
    tc__attn90_narrow(c, &p->problem, &u);
    tc__attn90_skip_k(c, &u);
    TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
    tc__attn90_qk(kernel, &u);
    tc__attn90_skip_v(c, &u);
    tc__attn90_first(c, p, &u);
    for (;;) {
        const tc_attn_work before = u.w;
        add = tc__attn90_rest(kernel, p, &u);
        TC_MBARRIER_WAIT(tc__attn90_v_full(c, smem, u.v.stage), u.v.phase, "V full", (int)u.v.stage);
        if (early && !tc__attn90_read_note(c, &u)) {
            u.w = before;
            break;
        }
        if (early) tc__attn90_narrow(c, &p->problem, &u);
        if (early) tc__attn90_skip_k(c, &u);
        tc__attn90_add_later(c, p, &u);
        if (c.consumers > 1) tc_bar_sync(1 + wg, 256);
        tc__attn90_rescale(c, &u);
        tc__attn90_pv(kernel, &u, add);
        if (early) {
            TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn90_qk(kernel, &u);
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(1);
        } else {
            if (c.consumers > 1) tc_bar_arrive(1 + next_wg, 256);
            TC_WGMMA_WAIT_GROUP(0);
        }
        tc_wgmma_fence_acc(o, c.head_dim_v / 2);
        tc__attn90_release(c, tc__attn90_v_empty(c, smem, u.v.stage));
        tc_ring_next(&u.v, c.stages);
        tc__attn90_store(c, p, &u, &before);
        if (!early) {
            if (!tc__attn90_read_note(c, &u)) {
                if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
                return;
            }
            tc__attn90_narrow(c, &p->problem, &u);
            tc__attn90_skip_k(c, &u);
            TC_MBARRIER_WAIT(tc__attn90_k_full(c, smem, u.k.stage), u.k.phase, "K full", (int)u.k.stage);
            tc__attn90_qk(kernel, &u);
            if (tc__attn90_o_in_v(c) && tc_elect_one()) {
                TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
                tc_mbarrier_arrive(tc__attn90_o_left(c, smem));
            }
        }
        tc__attn90_skip_v(c, &u);
        tc__attn90_first(c, p, &u);
    }
    tc__attn90_add_later(c, p, &u);
    tc__attn90_rescale(c, &u);
    tc__attn90_pv(kernel, &u, add); /* the last tile of all */
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(o, c.head_dim_v / 2);
    tc__attn90_store(c, p, &u, &u.w);
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* tc_attn_sm90_fp8.h */
TC_DEV_SM90A void tc_attn_sm90_fp8_mma(const tc_attn_config c, const tc_attn_sm90_wgmma m, const tc_attn_sm90_params *p,
                                       const tc_attn_sm90_self self);

/* The kernel. */
TC_DEV_SM90A void tc_attn_sm90(const tc_attn_config c, const tc_attn_sm90_wgmma m, const tc_attn_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    /* registers that S, P and O take: some consumers want every one; where there is room, the producer calls a hook */
    const int wg = tc_warpgroup(), held = c.bn / 2 + c.bn / 4 + c.head_dim_v / 2,
              wants = c.type == TC_E4M3            ? TC_ROLES_HELPED
                      : c.mask_tile && held <= 170 ? TC_ROLES_PRODUCER
                      : held > 190                 ? TC_ROLES_CONSUMERS
                                                   : TC_ROLES_USUAL;
    const tc_roles roles = tc_roles_of(c.consumers, wants);

    const uint32_t releases = (uint32_t)c.consumers * (tc__attn90_narrows(c) ? 4u : 1u); /* of a slot, a lap */

    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->q);
        tc_prefetch_tensormap(&p->k);
        tc_prefetch_tensormap(&p->v);
        for (uint32_t i = 0; i < (uint32_t)c.q_stages; i++) {
            tc_mbarrier_init(tc__attn90_q_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn90_q_empty(c, smem, i),
                             (uint32_t)c.consumers * (tc__attn90_note_by(c) == TC__NOTE_ALL ? 128u : 4u));
        }
        for (uint32_t i = 0; i < (uint32_t)c.stages; i++) {
            tc_mbarrier_init(tc__attn90_k_full(c, smem, i), 1);
            tc_mbarrier_init(tc__attn90_k_empty(c, smem, i), releases);
            tc_mbarrier_init(tc__attn90_v_full(c, smem, i),
                             c.type == TC_E4M3 ? (uint32_t)tc__attn90_turners(c) * 32u : 1u);
            if (c.type == TC_E4M3) tc_mbarrier_init(tc__attn90_v_raw(c, smem, i), 32);
            tc_mbarrier_init(tc__attn90_v_empty(c, smem, i), releases);
        }
        tc_mbarrier_init(tc__attn90_tail(c, smem), 1);
        if (tc__attn90_pause(c)) tc_mbarrier_init(tc__attn90_still(c, smem), 1);
        if (tc__attn90_o_in_v(c)) tc_mbarrier_init(tc__attn90_o_left(c, smem), (uint32_t)c.consumers * 4u);
        tc_mbarrier_init(tc__attn90_mail(c, smem), 1);
        tc_mbarrier_init(tc__attn90_mail(c, smem) + 8u, 1);
        tc_fence_mbarrier_init();
    }
    /* rows of Q's tiles that TMA never writes: packed heads whose number does not divide bm */
    for (int i = 0; i < c.q_stages * tc__attn90_q_tile(c).boxes; i++)
        for (int at = p->problem.tile_q * p->problem.group * 128 + (int)threadIdx.x * 16; at < c.bm * 128;
             at += tc_attn_sm90_threads(c) * 16)
            tc__attn90_zero_16(smem + (uint32_t)(i * tc__attn90_q_tile(c).box_bytes + at));
    tc_fence_proxy_async_shared();
    __syncthreads();
    tc_griddepcontrol_wait();

    if (wg == 0) {
        tc_roles_producer(roles);
        if (threadIdx.x < 32) {
            tc_attn_sm90_load(c, p, smem);
            tc_griddepcontrol_launch_dependents();
        } else if (threadIdx.x < 64) {
            tc__attn90_order(c, &p->problem, smem);
        } else if (c.type == TC_E4M3 && tc__attn90_turners(c) == 2) {
            tc__attn_fp8_turn(c, smem);
        }
    } else if (c.type == TC_E4M3 && wg > c.consumers) {
        tc_roles_producer(roles);
        tc__attn_fp8_turn(c, smem);
    } else {
        tc_roles_consumer(roles);
        const tc_attn_sm90_self self = {smem, wg - 1};
        if (c.type == TC_E4M3) tc_attn_sm90_fp8_mma(c, m, p, self);
        else tc_attn_sm90_mma(c, m, p, self);
    }
}

#endif /* __CUDACC__ */

#include "tc_attn_sm90_fp8.h"

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* tc_attn_sm90_fp8.h, which may have been read first, and then comes behind this */
TC_HOST tc_status tc__attn_fp8_check(const tc_attn_config *c, const tc_attn_args *g);
TC_HOST void tc__attn_fp8_fill(tc_attn_problem *p, const tc_attn_config *c, const tc_attn_args *g);

/* As tc_gemm_sm90_launch; cluster is 1. */
typedef struct tc_attn_sm90_launch {
    unsigned grid, block, smem, cluster;
    tc_attn_sm90_params params;
} tc_attn_sm90_launch;

/* The rules for a call. */
TC_HOST tc_status tc__attn90_check(const tc_attn_config *c, const tc_attn_args *g)
{
    const tc_status st = tc__attn_check(c, g);
    return st == TC_OK && c->type == TC_E4M3 ? tc__attn_fp8_check(c, g) : st;
}

/* A checked call that computes something. */
TC_HOST tc_status tc__attn90_launch(const tc_attn_config *c, const tc_attn_args *g, int sms, tc_attn_sm90_launch *l)
{
    tc_attn_sm90_params *p = &l->params;
    tc_status st = tc__attn_problem_make(&p->problem, c, g, sms);
    uint32_t total;
    if (st != TC_OK) return st;
    if (c->type == TC_E4M3) tc__attn_fp8_fill(&p->problem, c, g);
    st = tc__attn_map(&p->q, tc__attn_tensor_of(c, g, 'q'), p->problem.group, p->problem.tile_q);
    p->k = p->v = p->q; /* where there are no keys nothing of K and V is read */
    if (st == TC_OK && g->k_len) st = tc__attn_map(&p->k, tc__attn_tensor_of(c, g, 'k'), 0, c->bn);
    if (st == TC_OK && g->k_len) st = tc__attn_map(&p->v, tc__attn_tensor_of(c, g, 'v'), 0, c->bn);
    if (st == TC_OK) st = tc__attn_map(&p->o, tc__attn_tensor_of(c, g, 'o'), 0, 16);
    total = (uint32_t)p->problem.blocks * (uint32_t)p->problem.columns;
    l->block = (unsigned)tc_attn_sm90_threads(*c);
    l->smem = (unsigned)tc_attn_sm90_smem(*c);
    l->cluster = 1;
    l->grid = st != TC_OK ? 0 : total < (uint32_t)sms ? total : (uint32_t)sms;
    tc__attn90_sections(&p->problem, c, (int)l->grid);
    return st;
}

/* tc_attn_sm90_prepare, as tc_gemm_sm90_prepare: given is the configuration of the kernel's TC_ATTN_SM90_DEFINE,
 * tc_attn_score_on_device and the like for its hooks. sms: the device's multiprocessors. */
TC__PREPARE(attn, 90, sms, TC__ATTN_SM90_RULES)
TC__RUN(attn, 90)

#endif /* host */
#endif /* TC_ATTN_SM90_H */
