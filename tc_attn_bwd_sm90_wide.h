/* tc_attn_bwd_sm90_wide.h - tc 0.2.0 - attention's backward mainloop for Hopper, where a head dim is more than 128.
 * Needs: the headers below; sm_90a.
 *
 *     tc__attn_bwd90_wide_write         a writer
 *     tc__attn_bwd90_wide_consume       a consumer
 *
 * dK and dV of 64 keys are 128 registers each then, more than a warpgroup has for both. So the two share 64 keys, and
 * each has one of the sums and what goes into it:
 *
 *     consumer 0      S' = K Q', P' = exp2(S' scale - lse), dV += P' dO
 *     consumer 1      dP' = V dO', dS' = P' (dP' - delta), dK += dS' Q
 *     both            half of the columns of dQ = dS K, in boxes of 64, the middle one of three cut in half
 *
 *     shared memory:  K, V [boxes of 64 columns][64 keys][128 bytes] | stages of Q; of dO, one where no more fit
 *                     [boxes][64 queries][128] | P', f32, as the fragment has it | dS', two [64 keys][64 queries] |
 *                     dQ, f32 as in the workspace (panels), a box for each consumer, two where they fit | stages of
 *                     lse, delta [64] | mbarriers, the number of the tile
 *
 * P' goes from one to the other in f32: packed, its rounding would come on top of that of dS'. What P' and dS' are
 * operands for never leaves its warpgroup's registers: dV and dK read one operand from shared memory.
 *
 * Consumer 0 is a step ahead with S' and P'; what stands in a line runs at a time:
 *     consumer 0      dV(i), S'(i+1)      P'(i+1)             dQ(i)
 *     consumer 1      dP'(i)              dS'(i)              dQ(i), dK(i)
 * so that P' is there before it is asked for, and one's products run while the other computes.
 */
#ifndef TC_ATTN_BWD_SM90_WIDE_H
#define TC_ATTN_BWD_SM90_WIDE_H

#include "tc_attn_bwd_sm90_parts.h"

/* Columns of dQ that consumer wg works out at a time, number i of tc__attn_bwd90_pieces. */
typedef struct tc__attn_bwd90_piece {
    int column, columns;
} tc__attn_bwd90_piece;

TC_HD TC_CONSTEXPR tc__attn_bwd90_piece tc__attn_bwd90_piece_of(const tc_attn_bwd_config c, int wg, int i)
{
    const int boxes = tc__attn_bwd90_width(c) / 64, own = boxes / 2;
    const tc__attn_bwd90_piece box = {(wg * (boxes - own) + i) * 64, 64}, half = {own * 64 + wg * 32, 32};
    return i < own ? box : half;
}

#ifdef __CUDACC__

/* The slots of consumer wg's dQ. */
TC_DEV tc_pipe tc__attn_bwd90_wide_slots(const tc__attn_bwd90_block *b, uint32_t wg)
{
    tc_pipe p = b->dq;
    p.full += wg * (uint32_t)tc_pipe_bytes(2), p.empty += wg * (uint32_t)tc_pipe_bytes(2);
    return p;
}
TC_DEV uint32_t tc__attn_bwd90_wide_slot(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b, uint32_t wg,
                                         uint32_t stage)
{
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    return b->smem + (uint32_t)plan.dq + (wg * (uint32_t)plan.dqs + stage) * (uint32_t)tc__attn_bwd90_dq_bytes(c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Writers, one thread each, to the workspace, in turn as in tc_attn_bwd_sm90.h: writer `which` has every other step,
 * all that both consumers have of it; while one sees to it that its step has arrived, the other sends the next one.
 * Slots go from one to the other by b->ds_full. With .fast there are no turns, and each has all steps of one consumer.
 */
TC_DEV_SM90 void tc__attn_bwd90_wide_write(const tc_attn_bwd_config c, tc__attn_bwd90_block *b, uint32_t which)
{
    const tc_attn_bwd_problem *a = &b->p->problem;
    const int width = tc__attn_bwd90_width(c), two = tc__attn_bwd90_plan_of(c).dqs == 2; /* slots of a consumer */
    uint32_t lap = 0; /* of the slots: the step is even, or odd */
#pragma unroll 1
    for (;;) {
        const uint32_t index = tc__attn_bwd90_take(b);
        tc_attn_bwd_step s;
        tc_mbarrier_arrive(b->index_empty);
        if (index >= tc__attn_bwd90_tiles(b)) break;
        if (!tc__attn_bwd90_begin(c, b, index)) continue;
        s = tc_attn_bwd_first(a, &b->w);
        /* There are 24 registers. One for s.h and w.tile: the number of the head's tile 0; one for the steps left and
         * for w.up: negative where the walk goes up. */
        int head = tc__attn_bwd_tile(a, &b->w, s.h, 0), left = b->w.up ? -b->steps : b->steps;
#pragma unroll 1
        for (; left; left += left < 0 ? 1 : -1, lap ^= 1u) {
            b->w.up = left < 0;
            if (a->fast || lap == which) {
                const uint32_t tile = (uint32_t)(head + s.m);
                const unsigned before = a->fast ? 1u : (unsigned)tc__attn_bwd_turn(c, a, &b->w, s.m);
                if (!a->fast && before) {
                    tc__attn_bwd_wait_turn(a->turns + tile, before);
                    tc_fence_proxy_async_global(); /* TMA adds to what others wrote before the turn came */
                }
                if (!a->fast) TC_MBARRIER_WAIT(b->ds_full, lap ^ 1u, "slots of dQ", (int)which); /* phase n - 1 */
#pragma unroll 1
                for (uint32_t i = a->fast ? which : 0u; i < 2u * (uint32_t)tc__attn_bwd90_pieces(c);
                     i += a->fast ? 2u : 1u) {
                    const uint32_t wg = i & 1u, piece = i >> 1;
                    const tc_ring ring = {two ? piece : 0u, two || tc__attn_bwd90_pieces(c) == 1 ? lap : piece};
                    const tc__attn_bwd90_piece x = tc__attn_bwd90_piece_of(c, (int)wg, (int)piece);
                    const uint32_t from = tc__attn_bwd90_wide_slot(c, b, wg, ring.stage),
                                   bytes = (uint32_t)(x.columns * c.bm * 4);
                    float *to = a->sums + (unsigned long long)tile * (uint32_t)(c.bm * width) + x.column * c.bm;
                    TC_PIPE_WAIT_FULL(tc__attn_bwd90_wide_slots(b, wg), &ring);
                    tc_fence_proxy_async_shared(); /* and reads what the consumer wrote */
                    if (before) tc_cp_reduce_async_bulk_add_f32(to, from, bytes);
                    else tc_cp_async_bulk_s2g(to, from, bytes);
                    tc_cp_async_bulk_commit_group();
                    TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
                    tc_mbarrier_arrive(tc_pipe_empty(tc__attn_bwd90_wide_slots(b, wg), ring.stage));
                }
                if (!a->fast) {
                    tc_mbarrier_arrive(b->ds_full);
                    TC_CP_ASYNC_BULK_WAIT_GROUP(0);
                    tc__attn_bwd_end_turn(a->turns + tile, before + 1u);
                }
            }
            const int h = s.h;
            tc_attn_bwd_next(c, &b->w, &s);
            head += (s.h - h) * a->tiles;
        }
    }
    TC_CP_ASYNC_BULK_WAIT_GROUP(0);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Consumers.
 */
typedef struct tc__attn_bwd90_wide_consumer {
    tc__attn_bwd90_consumer u; /* ring: of Q; steps: those whose P has been passed on */
    tc_ring dout, ds, slot;    /* of this step's dO and dS, of the next piece of dQ */
    float *half;               /* a piece of dQ of 32 columns */
} tc__attn_bwd90_wide_consumer;

/* This lane's share of an operand's fragment of 64 by 64, f32, piece j of 8. */
TC_DEV uint32_t tc__attn_bwd90_wide_passed(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b, const int j)
{
    return b->smem + (uint32_t)tc__attn_bwd90_plan_of(c).p + (uint32_t)(j * 2048) + threadIdx.x % 128u * 16u;
}

/* Where a piece of dQ is summed up. Not one place for both widths: ptxas then serialises the products. */
TC_DEV float *tc__attn_bwd90_wide_sums(const tc__attn_bwd90_wide_consumer *x, const tc__attn_bwd90_piece piece)
{
    return piece.columns == 64 ? x->u.dq : x->half;
}

/* A piece of dQ from dS, which is there. */
TC_DEV_SM90A void tc__attn_bwd90_wide_dq(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                         const tc__attn_bwd90_wide_consumer *x, const tc__attn_bwd90_piece piece)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    const tc_operand tile = tc__attn_bwd90_k_tile(c);
    const uint32_t ds = b->smem + (uint32_t)plan.ds + x->ds.stage * (uint32_t)(c.bm * c.bn * 2),
                   k = b->smem + (uint32_t)plan.k + (uint32_t)(piece.column / 64 * tile.box_bytes)
                     + (uint32_t)(piece.column % 64 * 2);
    tc__attn_bwd90_columns(piece.columns == 64 ? kernel.m.dq : kernel.m.dq_half, tile, ds, k,
                           tc__attn_bwd90_wide_sums(x, piece));
}

/* The piece, when it is there, to the writer, who has the fence that TMA wants. */
TC_DEV_SM90A void tc__attn_bwd90_wide_hand(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                           tc__attn_bwd90_wide_consumer *x, const tc__attn_bwd90_piece piece)
{
    const tc_pipe slots = tc__attn_bwd90_wide_slots(b, (uint32_t)x->u.wg);
    const float *v = tc__attn_bwd90_wide_sums(x, piece);
    const uint32_t to = tc__attn_bwd90_wide_slot(c, b, (uint32_t)x->u.wg, x->slot.stage)
                      + (uint32_t)(x->u.row / 16 * 2048 + tc_lane() * 16);
    if (piece.columns == 64) tc_wgmma_fence_acc(x->u.dq, 32);
    else tc_wgmma_fence_acc(x->half, 16);
    TC_PIPE_WAIT_EMPTY(slots, &x->slot);
#pragma unroll
    for (int j = 0; j < 8; j++) /* a bound that is known when this loop is unrolled: the piece is known later */
        if (j < piece.columns / 8)
            asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                         : : "r"(to + (uint32_t)(j / 4 * c.bm * 128 + j % 4 * 512)), "f"(v[4 * j]), "f"(v[4 * j + 1]),
                           "f"(v[4 * j + 2]), "f"(v[4 * j + 3])
                         : "memory");
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_full(slots, x->slot.stage));
    tc_ring_next(&x->slot, tc__attn_bwd90_plan_of(c).dqs);
}

/* This warp has read dS. */
TC_DEV_SM80 void tc__attn_bwd90_wide_ds_done(const tc__attn_bwd90_block *b, tc__attn_bwd90_wide_consumer *x)
{
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_empty(b->ds, x->ds.stage));
    tc_ring_next(&x->ds, 2);
}

/* dQ of the step from piece number `from` on; dS goes back when the last has been multiplied. */
TC_DEV_SM90A void tc__attn_bwd90_wide_dqs(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                          tc__attn_bwd90_wide_consumer *x, const int from)
{
    const int pieces = tc__attn_bwd90_pieces(kernel.c);
#pragma unroll
    for (int i = from; i < pieces; i++) {
        const tc__attn_bwd90_piece piece = tc__attn_bwd90_piece_of(kernel.c, x->u.wg, i);
        tc__attn_bwd90_wide_dq(kernel, b, x, piece);
        TC_WGMMA_WAIT_GROUP(0);
        if (i + 1 == pieces) tc__attn_bwd90_wide_ds_done(b, x);
        tc__attn_bwd90_wide_hand(kernel.c, b, x, piece);
    }
    if (from >= pieces) tc__attn_bwd90_wide_ds_done(b, x);
}

/* ---- consumer 0: S, P, dV ---- */

TC_DEV_SM90A void tc__attn_bwd90_wide_s(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                        const tc__attn_bwd90_wide_consumer *x)
{
    TC_PIPE_WAIT_FULL(b->q, &x->u.ring);
    tc__attn_bwd90_read(kernel.c, &x->u, tc__attn_bwd90_rows(kernel.c, b, &x->u));
    tc__attn_bwd90_s(kernel, b, &x->u, x->u.ring.stage);
}

/* S, which is there, to P: passed on, and packed as an operand. What is dropped is passed on with its sign turned. */
TC_DEV_SM90A void tc__attn_bwd90_wide_p(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                        tc__attn_bwd90_wide_consumer *x, const tc_attn_bwd_step at)
{
    tc__attn_bwd90_consumer *u = &x->u;
    tc_wgmma_fence_acc(u->s, c.bm / 2);
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(tc_pipe_empty(b->q, u->ring.stage));
    tc_ring_next(&u->ring, c.stages);
    if (tc_uniform((uint32_t)(c.mask || tc__attn_bwd_edge(c, &b->p->problem, &b->w, at.m))))
        tc__attn_bwd90_mask(c, b, u, at);
    tc__attn_bwd90_p(c, u, b->p->problem.scale_log2);
    tc__attn_bwd90_drop(c, b, u, at);
    TC_MBARRIER_WAIT(tc_pipe_empty(b->pass, 0), (u->steps & 1u) ^ 1u, "P empty", 0);
#pragma unroll
    for (int j = 0; j < c.bm / 8; j++) {
        float *s = u->s + 4 * j;
        float p[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int dropped = c.dropout && (u->e[TC__ATTN_BWD90_DROPS] >> (j * 4 + i) & 1u);
            p[i] = dropped ? 0.f : s[i];
            if (dropped) s[i] = -s[i];
        }
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                     : : "r"(tc__attn_bwd90_wide_passed(c, b, j)), "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3])
                     : "memory");
        u->a[2 * j] = tc_pack(c.type, p[0], p[1]);
        u->a[2 * j + 1] = tc_pack(c.type, p[2], p[3]);
    }
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_full(b->pass, 0));
    u->steps++;
}

TC_DEV_SM90A void tc__attn_bwd90_wide_dv(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                         const tc__attn_bwd90_wide_consumer *x)
{
    const tc_operand o = tc__attn_bwd90_o_tile(kernel.c);
    TC_PIPE_WAIT_FULL(b->dout, &x->dout);
    tc__attn_bwd90_add(kernel.m.dv, o,
                       b->smem + (uint32_t)tc__attn_bwd90_plan_of(kernel.c).dout + x->dout.stage * (uint32_t)o.bytes,
                       x->u.dv, x->u.a);
}

TC_DEV_SM80 void tc__attn_bwd90_wide_dout_done(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                               tc__attn_bwd90_wide_consumer *x)
{
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(tc_pipe_empty(b->dout, x->dout.stage));
    tc_ring_next(&x->dout, tc__attn_bwd90_plan_of(c).douts);
}

/* The wait for the dS that consumer 1 has stored. */
TC_DEV_SM90 void tc__attn_bwd90_wide_ds_full(const tc__attn_bwd90_block *b, const tc__attn_bwd90_wide_consumer *x)
{
    TC_PIPE_WAIT_FULL(b->ds, &x->ds);
    tc_fence_proxy_async_shared(); /* here and not before the arrival: the other waits for that */
}

/* All steps of a tile. */
TC_DEV_SM90A void tc__attn_bwd90_wide_steps_0(const tc__attn_bwd90_kernel kernel, tc__attn_bwd90_block *b,
                                              tc__attn_bwd90_wide_consumer *x)
{
    const tc_attn_bwd_config c = kernel.c;
    tc_attn_bwd_step at = tc_attn_bwd_first(&b->p->problem, &b->w);
    TC_MBARRIER_WAIT(b->k_full, tc__attn_bwd90_kv(b), "K full", 0);
    tc__attn_bwd90_wide_s(kernel, b, x);
    TC_WGMMA_WAIT_GROUP(0);
    tc__attn_bwd90_wide_p(c, b, x, at);
#pragma unroll 1
    for (; b->steps > 1; b->steps--) {
        tc_attn_bwd_next(c, &b->w, &at);
        tc__attn_bwd90_wide_dv(kernel, b, x);
        tc__attn_bwd90_wide_s(kernel, b, x);
        TC_WGMMA_WAIT_GROUP(1);
        tc__attn_bwd90_wide_dout_done(c, b, x);
        TC_WGMMA_WAIT_GROUP(0);
        tc__attn_bwd90_wide_p(c, b, x, at);
        tc__attn_bwd90_wide_ds_full(b, x);
        tc__attn_bwd90_wide_dqs(kernel, b, x, 0);
    }
    tc__attn_bwd90_wide_dv(kernel, b, x);
    TC_WGMMA_WAIT_GROUP(0);
    tc__attn_bwd90_wide_dout_done(c, b, x);
    tc__attn_bwd90_wide_ds_full(b, x);
    tc__attn_bwd90_wide_dqs(kernel, b, x, 0);
    tc_wgmma_fence_acc(x->u.dv, c.head_dim_v / 2);
}

/* ---- consumer 1: dP, dS, dK ---- */

/* dP, which is there, and P to dS, packed. */
TC_DEV_SM90 void tc__attn_bwd90_wide_ds(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                        tc__attn_bwd90_wide_consumer *x)
{
    tc__attn_bwd90_consumer *u = &x->u;
    TC_MBARRIER_WAIT(tc_pipe_full(b->pass, 0), u->steps & 1u, "P full", 0);
#pragma unroll
    for (int j = 0; j < c.bm / 8; j++) {
        const tc_f32x2 l = u->rows[j];
        const float *d = u->dp + 4 * j;
        float p[4], y[4];
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(p[0]), "=f"(p[1]), "=f"(p[2]), "=f"(p[3]) : "r"(tc__attn_bwd90_wide_passed(c, b, j))
                     : "memory");
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const int dropped = c.dropout && (tc_bits_from_f32(p[i]) >> 31);
            y[i] = (dropped ? -p[i] : p[i]) * ((dropped ? 0.f : d[i]) - (i % 2 ? l.y : l.x));
        }
        u->e[2 * j] = tc_pack(c.type, y[0], y[1]);
        u->e[2 * j + 1] = tc_pack(c.type, y[2], y[3]);
    }
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_empty(b->pass, 0));
    u->steps++;
}

TC_DEV_SM90A void tc__attn_bwd90_wide_step_1(const tc__attn_bwd90_kernel kernel, tc__attn_bwd90_block *b,
                                             tc__attn_bwd90_wide_consumer *x, int first)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    const tc_operand q = tc__attn_bwd90_q_tile(c);
    const tc_box box = {c.type, 128};
    const uint32_t to = b->smem + (uint32_t)plan.ds + x->ds.stage * (uint32_t)(c.bm * c.bn * 2)
                      + (uint32_t)(x->u.row * 128) + tc_box_lane(box);
    const tc__attn_bwd90_piece piece = tc__attn_bwd90_piece_of(c, x->u.wg, 0);
    if (first) TC_MBARRIER_WAIT(b->v_full, tc__attn_bwd90_kv(b), "V full", 0);
    TC_PIPE_WAIT_FULL(b->dout, &x->dout);
    tc__attn_bwd90_dp(kernel, b, &x->u, x->dout.stage);
    TC_PIPE_WAIT_FULL(b->q, &x->u.ring);
    tc__attn_bwd90_read(c, &x->u, tc__attn_bwd90_rows(c, b, &x->u) + (uint32_t)(c.bm * 4));
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(x->u.dp, c.bm / 2);
    tc__attn_bwd90_wide_dout_done(c, b, x);
    tc__attn_bwd90_wide_ds(c, b, x);
    TC_PIPE_WAIT_EMPTY(b->ds, &x->ds);
#pragma unroll
    for (int j = 0; j < c.bm / 16; j++) tc_stmatrix_x4(to ^ (uint32_t)(j * 32), x->u.e + 4 * j);
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(tc_pipe_full(b->ds, x->ds.stage));
    if (first) TC_MBARRIER_WAIT(b->k_full, tc__attn_bwd90_kv(b), "K full", 0);
    tc__attn_bwd90_wide_ds_full(b, x);
    tc__attn_bwd90_wide_dq(kernel, b, x, piece);
    tc__attn_bwd90_add(kernel.m.dk, q, b->smem + (uint32_t)plan.q + x->u.ring.stage * (uint32_t)q.bytes, x->u.dk,
                       x->u.e);
    TC_WGMMA_WAIT_GROUP(1);
    tc__attn_bwd90_wide_hand(c, b, x, piece);
    TC_WGMMA_WAIT_GROUP(0);
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(tc_pipe_empty(b->q, x->u.ring.stage));
    tc_ring_next(&x->u.ring, c.stages);
    tc__attn_bwd90_wide_dqs(kernel, b, x, 1);
}

TC_DEV_SM90A void tc__attn_bwd90_wide_steps_1(const tc__attn_bwd90_kernel kernel, tc__attn_bwd90_block *b,
                                              tc__attn_bwd90_wide_consumer *x)
{
    int first = 1;
#pragma unroll 1
    for (; b->steps > 0; b->steps--, first = 0) tc__attn_bwd90_wide_step_1(kernel, b, x, first);
    tc_wgmma_fence_acc(x->u.dk, kernel.c.head_dim / 2);
}

/* ---- a consumer; wg: a constant ---- */

TC_DEV_SM90A void tc__attn_bwd90_wide_consume(const tc_attn_bwd_config c, const tc_attn_bwd_sm90_wgmma m,
                                              tc__attn_bwd90_block *b, const int wg)
{
    const tc__attn_bwd90_kernel kernel = {c, m};
    const tc_attn_bwd_problem *a = &b->p->problem;
    const int columns = wg ? c.head_dim : c.head_dim_v;
    tc__attn_bwd90_wide_consumer x;
    float s[32], dq[32], half[16], sum[128];
    uint32_t operand[16], drops[16];
    tc_f32x2 rows[8];
    x.u.wg = wg;
    x.u.row = (int)tc_uniform(threadIdx.x / 32u % 4u) * 16;
    x.u.ring.stage = x.u.ring.phase = x.u.steps = 0;
    x.dout = x.ds = x.slot = x.u.ring;
    x.u.s = x.u.dp = s, x.u.dq = dq, x.u.dk = x.u.dv = sum, x.u.a = operand, x.u.rows = rows;
    x.u.e = wg ? operand : drops, x.half = half;
#pragma unroll 1
    for (;;) {
        const uint32_t index = tc_uniform(tc__attn_bwd90_take(b));
        __syncwarp();
        if (tc_lane() == 0) tc_mbarrier_arrive(b->index_empty);
        if (index >= tc__attn_bwd90_tiles(b)) break;
        if (!tc__attn_bwd90_begin(c, b, index)) continue;
        tc__attn_bwd90_uniform(&b->w);
        b->steps = (int)tc_uniform((uint32_t)b->steps);
#pragma unroll
        for (int i = 0; i < columns / 2; i++) sum[i] = 0.f;
        if (b->steps > 0) {
            if (wg) tc__attn_bwd90_wide_steps_1(kernel, b, &x);
            else tc__attn_bwd90_wide_steps_0(kernel, b, &x);
            if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(b->kv_empty);
            b->phases ^= (uint32_t)TC__ATTN_BWD90_KV;
        }
        tc_attn_bwd_store(c.type, columns, tc__attn_bwd_dkv(a, &b->w, !wg, b->w.k0 + x.u.row), sum,
                          tc__attn_bwd_scale(c, a, wg ? a->scale : 1.f));
    }
}

#endif /* __CUDACC__ */
#endif /* TC_ATTN_BWD_SM90_WIDE_H */
