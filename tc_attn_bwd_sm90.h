/* tc_attn_bwd_sm90.h - tc 0.2.0 - attention's backward mainloop for Hopper. Needs: the headers below; sm_90a.
 *
 *     tc_attn_bwd_sm90                  the kernel's body
 *
 * Here is its form for head dims up to 128; tc_attn_bwd_sm90_wide.h has that for larger ones, tc_attn_bwd_sm90_parts.h
 * what they share.
 *
 * tc_attn_bwd.h is the manual.
 */
#ifndef TC_ATTN_BWD_SM90_H
#define TC_ATTN_BWD_SM90_H

#include "tc_attn_map.h"
#include "tc_attn_bwd_sm90_parts.h"
#include "tc_attn_bwd_sm90_wide.h"

/* =====================================================================================================================
 * SM90: a tile of work is 128 keys of a key head; its block walks the tiles of bm queries that see them. A block a
 * multiprocessor: whoever is done takes the next tile that nobody has, so tiles are begun in their order, and the next
 * one's Q, dO and then K and V come while dK and dV of this one are stored.
 *
 *     warpgroup 0     warp 0 is the producer: K and V once, Q, dO and the rows' lse and delta into a ring, by TMA
 *                     warps 1 and 2 are the writers, of every second step each: dQ from shared memory to the
 *                     workspace, added by TMA, in turn
 *     warpgroup 1, 2  consumers, 64 keys each
 *
 *     shared memory:  K, V [boxes of 64 columns][128 keys][128 bytes] | stages of Q, dO [boxes][bm][128] | dS, two
 *                     [boxes of 64 queries][128 keys][128] | dQ, f32 as in the workspace, two where they fit | stages
 *                     of lse, delta [bm] | mbarriers, the number of the tile
 *
 * Scores are computed turned, S' = K Q' and dP' = V dO': a consumer's fragment of P' and of dS' then is, packed, the A
 * operand of dV += P' dO and dK += dS' Q, and never leaves its registers for them. Only dS goes to shared memory, for
 * dQ = dS K, of which each consumer computes half: 64 of 128 queries, or half of the columns.
 *
 * One step of a consumer; what stands beside each line runs on the Tensor Cores meanwhile, and always what the other
 * one has issued:
 *     P = exp2(S scale - lse)                      S, dP
 *     dS = P (dP - delta)
 *     dS stored, the other's waited for            dV
 *     dQ to shared memory                          dK
 * S, dP and dQ read both operands from shared memory, all that it can give; dV and dK read half as much, and beside dK
 * there is room for what is written of dQ. There are two dS, so that one wait a step is enough: who stores the next but
 * one has waited for what the other stored after its dQ of this one.
 */

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Writers, one thread each: tile after tile of dQ to the workspace. In turn the first tile of keys writes and the
 * others add, each after the one before it; else all add.
 *
 * To look for a turn, to add and to see that everything has arrived takes longer than a step does, half of it for one
 * answer of the L2 after the other: hence two writers, who each have two steps' time, and look for their turn before
 * there is anything to add. What a tile of keys waits for are turns of tiles with a lower number, so nobody waits for
 * ever, however few blocks run: tiles are taken in the order of their numbers, each block works on its own in that
 * order too, and of those that are taken and not done the lowest waits for nobody. (That holds for no other order: were
 * a tile to add before a lower one does, a block that runs alone would have the lower one wait for it.)
 */
TC_DEV_SM90 void tc__attn_bwd90_write(const tc_attn_bwd_config c, tc__attn_bwd90_block *b, uint32_t which)
{
    const tc_attn_bwd_problem *a = &b->p->problem;
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    const uint32_t bytes = (uint32_t)tc__attn_bwd90_dq_bytes(c),
                   from = b->smem + (uint32_t)plan.dq + (plan.dqs == 2 ? which * bytes : 0u);
    uint32_t n = 3u * which; /* of steps: the even ones are this writer's, in laps of four */
#pragma unroll 1
    for (;;) {
        const uint32_t index = tc__attn_bwd90_take(b);
        tc_attn_bwd_step s;
        tc_mbarrier_arrive(b->index_empty);
        if (index >= tc__attn_bwd90_tiles(b)) break;
        if (!tc__attn_bwd90_begin(c, b, index)) continue;
        s = tc_attn_bwd_first(&b->p->problem, &b->w);
#pragma unroll 1
        for (; b->steps > 0; b->steps--, tc_attn_bwd_next(c, &b->w, &s), n++) {
            if (n & 1u) continue;
            const uint32_t tile = (uint32_t)tc__attn_bwd_tile(a, &b->w, s.h, s.m);
            float *to = a->sums + (unsigned long long)tile * (bytes / 4u);
            const unsigned before = a->fast ? 1u : (unsigned)tc__attn_bwd_turn(c, a, &b->w, s.m);
            if (!a->fast && before) {
                tc__attn_bwd_wait_turn(a->turns + tile, before);
                tc_fence_proxy_async_global(); /* TMA adds to what others wrote before the turn came */
            }
            TC_MBARRIER_WAIT(tc_pipe_full(b->dq, which), n >> 1 & 1u, "dQ full", (int)which);
            tc_fence_proxy_async_shared(); /* and reads what the consumers wrote */
            if (before) tc_cp_reduce_async_bulk_add_f32(to, from, bytes);
            else tc_cp_async_bulk_s2g(to, from, bytes);
            tc_cp_async_bulk_commit_group();
            TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
            tc_mbarrier_arrive(tc_pipe_empty(b->dq, which));
            if (!a->fast) {
                TC_CP_ASYNC_BULK_WAIT_GROUP(0);
                tc__attn_bwd_end_turn(a->turns + tile, before + 1u);
            }
        }
    }
    TC_CP_ASYNC_BULK_WAIT_GROUP(0);
}

/* dQ, this consumer's half, from the dS of both. */
TC_DEV_SM90A void tc__attn_bwd90_dq(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                    const tc__attn_bwd90_consumer *u, uint32_t ds)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc_operand k = tc__attn_bwd90_k_tile(c);
    const uint32_t from = b->smem + (uint32_t)tc__attn_bwd90_plan_of(c).k;
    /* half of the columns: a box of two, or 64 bytes of the one */
    const uint32_t half = (uint32_t)(c.bm == 128 ? 0 : k.boxes == 2 ? u->wg * k.box_bytes : u->wg * 64);
    const uint32_t mine = ds + (uint32_t)(c.bm == 128 ? u->wg * c.bn * 128 : 0);
    tc__attn_bwd90_columns(kernel.m.dq, k, mine, from + half, u->dq);
}

/* Are there registers to ask for lse and delta early? */
TC_HD TC_CONSTEXPR int tc__attn_bwd90_early(const tc_attn_bwd_config c)
{
    return c.bm == 64 && !c.dropout && (c.stages == 2 || c.head_dim + c.head_dim_v <= 192);
}

/* The same, here or elsewhere. early: well before they are used, since behind products in the making a load takes some
 * 300 cycles. */
TC_DEV_SM80 void tc__attn_bwd90_ask(const tc_attn_bwd_config c, const tc__attn_bwd90_consumer *u, uint32_t rows,
                                    const int early)
{
    if (early == tc__attn_bwd90_early(c)) tc__attn_bwd90_read(c, u, rows);
}

/* P and dP to P and dS, packed: not before, since there are no registers for all four. */
TC_DEV_SM80 void tc__attn_bwd90_ds(const tc_attn_bwd_config c, const tc__attn_bwd90_consumer *u)
{
#pragma unroll
    for (int j = 0; j < c.bm / 8; j++) {
        const tc_f32x2 l = u->rows[j];
        const float *s = u->s + 4 * j, *d = u->dp + 4 * j;
        if (c.dropout) { /* of P, and of dP in place */
            float p[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                const int dropped = u->e[TC__ATTN_BWD90_DROPS] >> (j * 4 + i) & 1u;
                p[i] = dropped ? 0.f : s[i];
                if (dropped) u->dp[4 * j + i] = 0.f;
            }
            u->a[2 * j] = tc_pack(c.type, p[0], p[1]);
            u->a[2 * j + 1] = tc_pack(c.type, p[2], p[3]);
        } else {
            u->a[2 * j] = tc_pack(c.type, s[0], s[1]);
            u->a[2 * j + 1] = tc_pack(c.type, s[2], s[3]);
        }
        u->e[2 * j] = tc_pack(c.type, s[0] * (d[0] - l.x), s[1] * (d[1] - l.y));
        u->e[2 * j + 1] = tc_pack(c.type, s[2] * (d[2] - l.x), s[3] * (d[3] - l.y));
    }
}

/* dQ of this step, when it is there, to shared memory for the writer, who has the fence that TMA wants. */
TC_DEV_SM90 void tc__attn_bwd90_hand(const tc_attn_bwd_config c, const tc__attn_bwd90_block *b,
                                     const tc__attn_bwd90_consumer *u)
{
    const int runs = tc__attn_bwd90_dq_n(c) / 8, warp = u->row % 64 / 16;
    const int run = c.bm == 128 ? (u->wg * 4 + warp) * runs : (warp * 2 + u->wg) * runs;
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    /* its number, and that of the step that had its slot before, plus 2: fresh barriers pass for what never was */
    const uint32_t step = u->steps, last = step + 2u - (uint32_t)plan.dqs;
    const uint32_t slot = plan.dqs == 2 ? (step & 1u) * (uint32_t)tc__attn_bwd90_dq_bytes(c) : 0u;
    const uint32_t to = b->smem + (uint32_t)(plan.dq + run * 512 + tc_lane() * 16) + slot;
    TC_MBARRIER_WAIT(tc_pipe_empty(b->dq, last & 1u), (last >> 1 & 1u) ^ 1u, "dQ empty", (int)(last & 1u));
#pragma unroll
    for (int j = 0; j < runs; j++)
        asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                     : : "r"(to + (uint32_t)(j * 512)), "f"(u->dq[4 * j]), "f"(u->dq[4 * j + 1]),
                       "f"(u->dq[4 * j + 2]), "f"(u->dq[4 * j + 3])
                     : "memory");
    __syncwarp();
    /* without a branch: a causal call of heads of 128 gains 1 to 2 % */
    tc__mbarrier_arrive_if(tc_lane() == 0, tc_pipe_full(b->dq, step & 1u));
}

/* A step in two halves, each a batch of products: S and dP; dV, dK and dQ. Nothing is in the making from one to the
 * next: ptxas wants registers for all products of a pipeline of wgmmas side by side, and these five take 256.
 *
 * The first half, to P and dP. first: the tile's, for which K and V have to come. */
TC_DEV_SM90A void tc__attn_bwd90_front(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                       tc__attn_bwd90_consumer *u, const tc_attn_bwd_step at, int first)
{
    const tc_attn_bwd_config c = kernel.c;
    const uint32_t rows = tc__attn_bwd90_rows(c, b, u);
    const int edge = (int)tc_uniform((uint32_t)(c.mask || tc__attn_bwd_edge(c, &b->p->problem, &b->w, at.m)));
    if (first) TC_MBARRIER_WAIT(b->k_full, tc__attn_bwd90_kv(b), "K full", 0);
    TC_PIPE_WAIT_FULL(b->q, &u->ring);
    tc__attn_bwd90_ask(c, u, rows, 1);
    tc__attn_bwd90_s(kernel, b, u, u->ring.stage);
    if (first) TC_MBARRIER_WAIT(b->v_full, tc__attn_bwd90_kv(b), "V full", 0);
    TC_PIPE_WAIT_FULL(b->dout, &u->ring);
    tc__attn_bwd90_dp(kernel, b, u, u->ring.stage);
    tc__attn_bwd90_drop(c, b, u, at);
    TC_WGMMA_WAIT_GROUP(1);
    tc_wgmma_fence_acc(u->s, c.bm / 2);
    if (edge) tc__attn_bwd90_mask(c, b, u, at);
    tc__attn_bwd90_ask(c, u, rows, 0);
    tc__attn_bwd90_p(c, u, b->p->problem.scale_log2);
    tc__attn_bwd90_ask(c, u, rows + (uint32_t)(c.bm * 4), 1);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(u->dp, c.bm / 2);
}

/* The second half, to dQ; the slots go back. */
TC_DEV_SM90A void tc__attn_bwd90_back(const tc__attn_bwd90_kernel kernel, const tc__attn_bwd90_block *b,
                                      tc__attn_bwd90_consumer *u)
{
    const tc_attn_bwd_config c = kernel.c;
    const tc__attn_bwd90_plan plan = tc__attn_bwd90_plan_of(c);
    const tc_operand o = tc__attn_bwd90_o_tile(c), q = tc__attn_bwd90_q_tile(c);
    const uint32_t stage = u->ring.stage,
                   ds = b->smem + (uint32_t)plan.ds + (u->steps & 1u) * (uint32_t)(c.bm * c.bn * 2);
    const tc_box box = {c.type, 128};
    const uint32_t to = ds + (uint32_t)(u->row * 128) + tc_box_lane(box);
    tc__attn_bwd90_ask(c, u, tc__attn_bwd90_rows(c, b, u) + (uint32_t)(c.bm * 4), 0);
    tc__attn_bwd90_ds(c, u);
    tc__attn_bwd90_add(kernel.m.dv, o, b->smem + (uint32_t)plan.dout + stage * (uint32_t)o.bytes, u->dv, u->a);
#pragma unroll
    for (int j = 0; j < c.bm / 16; j++)
        tc_stmatrix_x4((to ^ (uint32_t)(j % 4 * 32)) + (uint32_t)(j / 4 * c.bn * 128), u->e + 4 * j);
    __syncwarp();
    if (tc_lane() == 0) tc_mbarrier_arrive(b->ds_full);
    TC_MBARRIER_WAIT(b->ds_full, u->steps & 1u, "dS full", 0);
    tc_fence_proxy_async_shared(); /* here and not before the arrival: the other waits for that */
    tc__attn_bwd90_dq(kernel, b, u, ds);
    tc__attn_bwd90_add(kernel.m.dk, q, b->smem + (uint32_t)plan.q + stage * (uint32_t)q.bytes, u->dk, u->e);
    TC_WGMMA_WAIT_GROUP(1);
    tc_wgmma_fence_acc(u->dq, tc__attn_bwd90_dq_n(c) / 2);
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(tc_pipe_empty(b->dout, stage));
    tc__attn_bwd90_hand(c, b, u);
    TC_WGMMA_WAIT_GROUP(0);
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(tc_pipe_empty(b->q, stage));
    tc_ring_next(&u->ring, c.stages);
    u->steps++;
}

/* All steps of a tile. */
TC_DEV_SM90A void tc__attn_bwd90_steps(const tc__attn_bwd90_kernel kernel, tc__attn_bwd90_block *b,
                                       tc__attn_bwd90_consumer *u)
{
    const tc_attn_bwd_config c = kernel.c;
    tc_attn_bwd_step at = tc_attn_bwd_first(&b->p->problem, &b->w);
    int first = 1;
#pragma unroll 1
    for (; b->steps > 0; b->steps--, first = 0, tc_attn_bwd_next(c, &b->w, &at)) {
        tc__attn_bwd90_front(kernel, b, u, at, first);
        tc__attn_bwd90_back(kernel, b, u);
    }
    if (threadIdx.x % 128u == 0) tc_mbarrier_arrive(b->kv_empty);
    b->phases ^= (uint32_t)TC__ATTN_BWD90_KV;
    tc_wgmma_fence_acc(u->dk, c.head_dim / 2);
    tc_wgmma_fence_acc(u->dv, c.head_dim_v / 2);
}

TC_DEV_SM90A void tc__attn_bwd90_consume(const tc_attn_bwd_config c, const tc_attn_bwd_sm90_wgmma m,
                                         tc__attn_bwd90_block *b, int wg)
{
    const tc__attn_bwd90_kernel kernel = {c, m};
    const tc_attn_bwd_problem *a = &b->p->problem;
    tc__attn_bwd90_consumer u;
    float s[64], dp[64], dq[64], dk[128], dv[128];
    uint32_t pa[32], ea[32];
    tc_f32x2 rows[16];
    u.wg = wg;
    u.row = wg * 64 + (int)tc_uniform(threadIdx.x / 32u % 4u) * 16;
    u.ring.stage = u.ring.phase = u.steps = 0;
    u.s = s, u.dp = dp, u.dq = dq, u.dk = dk, u.dv = dv, u.a = pa, u.e = ea, u.rows = rows;
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
        for (int i = 0; i < c.head_dim / 2; i++) dk[i] = 0.f;
#pragma unroll
        for (int i = 0; i < c.head_dim_v / 2; i++) dv[i] = 0.f;
        if (b->steps > 0) tc__attn_bwd90_steps(kernel, b, &u);
        tc_attn_bwd_store(c.type, c.head_dim_v, tc__attn_bwd_dkv(a, &b->w, 1, b->w.k0 + u.row), dv,
                          tc__attn_bwd_scale(c, a, 1.f));
        tc_attn_bwd_store(c.type, c.head_dim, tc__attn_bwd_dkv(a, &b->w, 0, b->w.k0 + u.row), dk,
                          tc__attn_bwd_scale(c, a, a->scale));
    }
}

/* The kernel. */
TC_DEV_SM90A void tc_attn_bwd_sm90(const tc_attn_bwd_config c, const tc_attn_bwd_sm90_wgmma m,
                                   const tc_attn_bwd_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc__attn_bwd90_plan at = tc__attn_bwd90_plan_of(c);
    const int wg = tc_warpgroup(), wide = tc__attn_bwd90_wide(c);
    /* dK and dV of 128 columns, or dV of as many as there can be, want every register there is; where there are fewer,
     * the producer's tails want some */
    const int many = wide ? c.head_dim_v > 224 : c.bm == 64 && c.head_dim + c.head_dim_v > 224;
    const int wants = many ? TC_ROLES_CONSUMERS : TC_ROLES_USUAL;
    const tc_roles roles = tc_roles_of(2, wants);
    tc__attn_bwd90_block b;
    uint32_t bars;
    b.p = p;
    b.smem = tc_smem_u32(tc__dynamic_smem);
    bars = b.smem + (uint32_t)at.bars;
    b.q = tc_pipe_at(bars, c.stages);
    b.dout = tc_pipe_at(bars + (uint32_t)tc_pipe_bytes(c.stages), at.douts);
    bars += (uint32_t)(tc_pipe_bytes(c.stages) + tc_pipe_bytes(at.douts));
    b.dq = tc_pipe_at(bars, 2);
    bars += (uint32_t)tc_pipe_bytes(2);
    if (wide) {
        b.ds = tc_pipe_at(bars + (uint32_t)tc_pipe_bytes(2), 2);
        b.pass = tc_pipe_at(bars + (uint32_t)(2 * tc_pipe_bytes(2)), 1);
        bars += (uint32_t)(2 * tc_pipe_bytes(2) + tc_pipe_bytes(1));
    }
    b.k_full = bars, b.v_full = bars + 8u, b.tail = bars + 16u, b.kv_empty = bars + 24u;
    b.index_full = bars + 32u, b.index_empty = bars + 40u, b.index = bars + 48u, b.ds_full = bars + 56u;
    b.phases = 0, b.steps = 0;
    if (threadIdx.x == 0) {
        tc_pipe_init(b.q, c.stages, 2);
        tc_pipe_init(b.dout, at.douts, 2);
        tc_mbarrier_init(b.k_full, 1);
        tc_mbarrier_init(b.v_full, 1);
        tc_mbarrier_init(b.tail, 1);
        tc_mbarrier_init(b.kv_empty, 2);
        tc_mbarrier_init(b.ds_full, wide ? 1 : 8); /* a writer; a lane of each consumer warp */
        tc_mbarrier_init(b.index_full, 1);
        tc_mbarrier_init(b.index_empty, 8 + 2); /* a lane of each consumer warp, the writers */
        tc_pipe_init_full(b.dq, 2, wide ? 4 : 8); /* a lane of each warp that has a share of it */
        tc_pipe_init_empty(b.dq, 2, 1);
        if (wide) {
            tc_pipe_init_full(tc__attn_bwd90_wide_slots(&b, 1), 2, 4);
            tc_pipe_init_empty(tc__attn_bwd90_wide_slots(&b, 1), 2, 1);
            tc_pipe_init_full(b.ds, 2, 4);  /* a lane of each warp of one consumer */
            tc_pipe_init_empty(b.ds, 2, 8); /* of both */
            tc_pipe_init_full(b.pass, 1, 4);
            tc_pipe_init_empty(b.pass, 1, 4);
        }
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    tc_griddepcontrol_wait();
    if (wg == 0) {
        tc_roles_producer(roles);
        const uint32_t warp = tc_uniform(threadIdx.x / 32u);
        if (warp == 0) tc__attn_bwd90_produce_all(c, &b);
        else if (warp < 3 && tc_lane() == 0) {
            if (wide) tc__attn_bwd90_wide_write(c, &b, warp - 1u);
            else tc__attn_bwd90_write(c, &b, warp - 1u);
        }
    } else {
        tc_roles_consumer(roles);
        if (!wide) tc__attn_bwd90_consume(c, m, &b, wg - 1);
        else if (wg == 1) tc__attn_bwd90_wide_consume(c, m, &b, 0);
        else tc__attn_bwd90_wide_consume(c, m, &b, 1);
    }
}

#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST tc__attn_bwd_cut tc__attn_bwd90_cut(const tc_attn_bwd_config *c, int sms)
{
    const tc__attn_bwd_cut cut = {c->bm, c->bn, tc__attn_bwd90_width(*c), sms, tc__attn_bwd90_wide(*c)};
    return cut;
}

/* Parameters of a checked call. */
TC_HOST tc_status tc__attn_bwd90_fill(const tc_attn_bwd_config *c, const tc_attn_bwd_args *g, int sms,
                                      tc_attn_bwd_sm90_params *p)
{
    const tc__attn_bwd_cut cut = tc__attn_bwd90_cut(c, sms);
    const int sides = tc__attn_bwd_sides(g);
    tc_status st = tc__attn_bwd_problem_make(&p->problem, c, g, &cut);
    memset((void *)&p->q, 0, sizeof p->q);
    p->k = p->v = p->dout = p->q; /* of a side that is not there nothing is read */
    if (st == TC_OK && sides == 3) st = tc__attn_map(&p->q, tc__attn_bwd_tensor_of(c, g, TC__BWD_Q), 0, c->bm);
    if (st == TC_OK && sides == 3) st = tc__attn_map(&p->k, tc__attn_bwd_tensor_of(c, g, TC__BWD_K), 0, c->bn);
    if (st == TC_OK && sides == 3) st = tc__attn_map(&p->v, tc__attn_bwd_tensor_of(c, g, TC__BWD_V), 0, c->bn);
    if (st == TC_OK && sides == 3) st = tc__attn_map(&p->dout, tc__attn_bwd_tensor_of(c, g, TC__BWD_DOUT), 0, c->bm);
    return st;
}

/* k: before, main, after. */
TC_HOST tc_status tc__attn_bwd_sm90_run(const tc_attn_bwd_config *c, const tc__kernel *k, const tc_attn_bwd_args *g,
                                        const tc__launch *how)
{
    tc__attn_bwd_calls calls;
    tc_attn_bwd_sm90_params p;
    const tc__attn_bwd_cut cut = tc__attn_bwd90_cut(c, 1);
    tc_status st = tc__attn_bwd_check(c, g);
    int sms = 0, i;
    if (st != TC_OK || tc__attn_bwd_nothing(g)) return st;
    st = tc__attn_bwd_check_tiles(g, &cut);
    if (st != TC_OK) return st;
    if (how->workspace) return *how->workspace = tc__attn_bwd_bytes(g, &cut, NULL), TC_OK;
    for (i = 0; i < 3 && st == TC_OK; i++) st = tc__kernel_device(&k[i], &sms);
    if (st == TC_OK) st = tc__attn_bwd90_fill(c, g, sms, &p);
    if (st != TC_OK || !how->launch) return st;
    calls.before = k[0], calls.main = k[1], calls.after = k[2];
    calls.blocks = (unsigned)p.problem.k_tiles * (unsigned)p.problem.columns;
    if (p.problem.counter && calls.blocks > (unsigned)sms) calls.blocks = (unsigned)sms;
    calls.params = &p;
    return tc__attn_bwd_launch(&calls, &p.problem, how);
}

#endif /* host */
#endif /* TC_ATTN_BWD_SM90_H */
