/* tc_gemm_sm90_turn.h - tc 0.2.0 - the Hopper GEMM's operands that lie MN-major (A in columns, B in rows) in types of 8
 * and 32 bits, which wgmma reads K-major alone: how their blocks are turned. Needs: the headers below;
 * sm_90a.
 *
 * TMA brings a block as it lies, in boxes of 128 bytes of rows for each k. A block of k is 128 bytes too, so a box is a
 * square of elements: of 8 bits 128 x 128 of them in 16 KB, of 32 bits 32 x 32 in 4 KB. There are two ways from there.
 *
 * TO REGISTERS (lifts): the instruction's A of 8 bits, which may come from there. ldmatrix.x4.trans moves pairs of
 * bytes: a register has rows 2g and 2g + 1 of one k and of the next, and prmt makes of two of them four k of each row,
 * a fragment's register. Shared memory is read as often as if wgmma read A itself, and nothing is written back. Which k
 * are in the first of two registers is chosen as in tc_turn.h: the eight lines of each matrix lie in different banks.
 * Of 16 rows a lane so has sums of 2g and 2g + 1 in place of g and g + 8; it exchanges them when a tile's sums are
 * complete, two shuffles for two of them, and what comes after does not know. B in rows takes this way with .swap.
 *
 * IN THE RING: a B of 8 bits, and both operands of 32. Turned, a box fills the same bytes. Three (with factors two)
 * warps of the producer's warpgroup turn it in its place. What a warp takes at a time is two tiles of a box that change
 * places, or two that lie on its diagonal: it reads both, then writes both, and no other warp knows of them. It reads
 * and writes every byte of a block, so what is turned here should be few columns that many rows are multiplied by.
 *
 *     slot:    raw      TMA has brought what is to be turned
 *              full     it is turned (an arrival of each of those warps), and TMA has brought the other operand
 *              empty    as ever; in a cluster a slot that threads have written to is given to other blocks by a release
 *                       at cluster scope, which the whole loop waits for: better no cluster
 *
 *  8 BITS. tc_turn.h.
 *
 * 32 BITS. Tiles of 8 x 8, two to a warp: a lane reads a column's words one by one, four k that follow one another, and
 * writes them as the 16 bytes of a row that they then are. Of one pair in four two lanes meet in a bank when they read.
 *
 *     tc__turn_raw, _init, _fills        the barriers
 *     tc__turn_expect                    the producer announces a slot's bytes
 *     tc__turn_produce                   a warp that turns blocks, tile after tile
 *     tc__lift_read, _make, _order       A's registers of half a block of k of 64 rows; sums in their order
 *     tc__gemm90_lift_loop, _lift_late_loop, _lift_promoting_loop   consumers: the k loop with A from registers
 */
#ifndef TC_GEMM_SM90_TURN_H
#define TC_GEMM_SM90_TURN_H

#include "tc_gemm_sm90_promote.h"
#include "tc_turn.h"

/* The first warp that turns (the first of all loads, the second may copy factors), and how many do. */
TC_HD TC_CONSTEXPR int tc__turn_first(tc_gemm_config_in c) { return tc__gemm_scaled(c) ? 2 : 1; }
TC_HD TC_CONSTEXPR int tc__turn_warps(tc_gemm_config_in c) { return 4 - tc__turn_first(c); }

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Barriers. raw counts what TMA brings of operands that are to be turned.
 */
TC_DEV uint32_t tc__turn_raw(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    return g->pipe.full + (uint32_t)tc_pipe_bytes(c.stages) + stage * 8u;
}

/* Arrivals that make a slot full: of the producer, if an operand comes as it is multiplied; of the warps that turn; of
 * those lanes that copy factors. */
TC_HD TC_CONSTEXPR uint32_t tc__turn_fills(tc_gemm_config_in c)
{
    const int as_is = !tc__gemm90_turns_a(c) || !tc__gemm90_turns_b(c);
    return (uint32_t)(as_is + tc__turn_warps(c) + (tc__gemm_scaled(c) ? 32 : 0));
}

TC_DEV_SM90 void tc__turn_init(tc_gemm_config_in c, const tc_gemm90_block *g)
{
#pragma unroll
    for (int s = 0; s < c.stages; s++) tc_mbarrier_init(tc__turn_raw(c, g, (uint32_t)s), 1);
}

/* A slot's bytes are announced. */
TC_DEV_SM90 void tc__turn_expect(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    const int a = tc__gemm90_turns_a(c), b = tc__gemm90_turns_b(c);
    const uint32_t a_bytes = (uint32_t)tc__gemm90_a_bytes(c), as_is = a ? g->slot - a_bytes : a_bytes;
    if (!a || !b) tc_mbarrier_arrive_expect_tx(tc_pipe_full(g->pipe, stage), as_is);
    tc_mbarrier_arrive_expect_tx(tc__turn_raw(c, g, stage), a && b ? g->slot : g->slot - as_is);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A warp's work on a box.
 */
/* 32 bits: the lane's first word of tile (0, 0), and its 16 bytes there. */
TC_DEV tc__turner tc__turner_of_32(void)
{
    const uint32_t lane = threadIdx.x % 32u, n = lane % 8u, four = lane / 8u % 2u;
    const tc__turner t = {four * 512u + ((n / 4u ^ four * 4u) * 16u) + n % 4u * 4u,
                          n * 128u + ((four ^ n) * 16u), {0, 0}, lane >= 16u ? 0xffffffffu : 0u};
    return t;
}

/* The same of the four tiles of a line of a box, twice two of them: row by 1024 bytes, two chunks by 32. */
TC_DEV_SM90 void tc__turn_32(const tc__turner *t, uint32_t at, uint32_t part)
{
    const uint32_t tile = 1024u + 32u, step = (part & 1u || !part ? 2u : 1u) * tile;
    const uint32_t mine = t->second & ((part ? part : 1u) * tile);
    const uint32_t read = t->read ^ mine ^ part * 32u, write = t->write ^ mine ^ part * 1024u;
    uint32_t r[2][4];
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int e = 0; e < 4; e++) /* of four k */
            asm volatile("ld.shared.b32 %0, [%1];" : "=r"(r[i][e])
                         : "r"(at + (read ^ (i ? step : 0u) ^ (uint32_t)(e * (128 + 16)))) : "memory");
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 2; i++)
        asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
                     : : "r"(at + (write ^ (i ? step : 0u))), "r"(r[i][0]), "r"(r[i][1]), "r"(r[i][2]), "r"(r[i][3])
                     : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The warps.
 */
/* This warp's share of a slot: every so many parts of its boxes, which lie end to end. */
TC_DEV_SM90 void tc__turn_slot(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__turner *t, uint32_t stage)
{
    const int eight = tc_type_bits(c.a) == 8, b_turns = tc__gemm90_turns_b(c);
    const uint32_t parts = eight ? 8u : 4u, box = (uint32_t)tc__gemm90_fetched_a(c).box_bytes;
    const uint32_t box_bytes = b_turns ? (uint32_t)tc__gemm90_fetched_b(c, c.bn).box_bytes : box;
    const uint32_t first = tc__gemm90_turns_a(c) ? 0u : (uint32_t)tc__gemm90_a_bytes(c);
    const uint32_t bytes = b_turns ? g->slot - first : (uint32_t)tc__gemm90_a_bytes(c);
    const uint32_t slot = g->ring + stage * g->slot + first, end = bytes / box_bytes * parts;
#pragma unroll 1
    for (uint32_t i = g->warp - (uint32_t)tc__turn_first(c); i < end; i += (uint32_t)tc__turn_warps(c)) {
        if (eight) tc__turn_8(c.consumers == 3 ? 2 : 4, t, slot + i / parts * box_bytes, i % parts);
        else tc__turn_32(t, slot + i / parts * box_bytes, i % parts);
    }
}

TC_DEV_SM90 void tc__turn_produce(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const tc__turner t = tc_type_bits(c.a) == 8 ? tc__turner_of_8() : tc__turner_of_32();
    const uint32_t works = tc__gemm_in_rows(c) ? tc__gemm90_works(c, g) : g->p->works;
    if (c.groups == TC_GROUPS_K && g->p->waits) tc_griddepcontrol_wait(); /* for the bounds */
    tc_ring ring = {0, 0};
    for (uint32_t i = tc__gemm90_first(c, g); i < works; i += tc__gemm90_per_cluster(c, g, gridDim.x)) {
        uint32_t blocks = tc__gemm_in_rows(c)        ? g->p->k_blocks
                        : c.groups == TC_GROUPS_K ? tc__gemm90_cut(c, g, tc_gemm90_work(c, g, i).batch).blocks
                                                  : tc_gemm90_work(c, g, i).k_blocks;
        for (; blocks; blocks--) {
            TC_MBARRIER_WAIT(tc__turn_raw(c, g, ring.stage), ring.phase, "raw", (int)ring.stage);
            tc__turn_slot(c, g, &t, ring.stage);
            tc_fence_proxy_async_shared();
            __syncwarp();
            if (tc_elect_one()) tc_mbarrier_arrive(tc_pipe_full(g->pipe, ring.stage));
            tc_ring_next(&ring, g->stages);
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A of 8 bits from registers.
 */
/* wgmma with A in registers, for each type and width. */
#define TC__LIFT_TYPES(X, n)                                                                                          \
    X(n, f32, e4m3, e4m3, TC_E4M3, TC_E4M3, TC__LIFT_F) X(n, f32, e4m3, e5m2, TC_E4M3, TC_E5M2, TC__LIFT_F)           \
    X(n, f32, e5m2, e4m3, TC_E5M2, TC_E4M3, TC__LIFT_F) X(n, f32, e5m2, e5m2, TC_E5M2, TC_E5M2, TC__LIFT_F)           \
    X(n, s32, s8, s8, TC_S8, TC_S8, TC__LIFT_I) X(n, s32, s8, u8, TC_S8, TC_U8, TC__LIFT_I)                           \
    X(n, s32, u8, s8, TC_U8, TC_S8, TC__LIFT_I) X(n, s32, u8, u8, TC_U8, TC_U8, TC__LIFT_I)
#define TC__LIFT_F(n, D, A, B) TC_WGMMA_RS(n, D, A, B, d, a, desc_b, scale_d, 1, 1)
#define TC__LIFT_I(n, D, A, B) TC_WGMMA_RS(n, D, A, B, (int32_t *)d, a, desc_b, scale_d)
#define TC__LIFT_ONE(n, D, A, B, type_a, type_b, MMA)                                                                 \
    TC_DEV_SM90A void tc__lift_##A##_##B##_n##n(float *d, const uint32_t *a, uint64_t desc_b, int scale_d)            \
    {                                                                                                                 \
        MMA(n, D, A, B);                                                                                              \
    }
#define TC__LIFT_ALL(n) TC__LIFT_TYPES(TC__LIFT_ONE, n)
TC__WG_BY_16(TC__LIFT_ALL)
#undef TC__LIFT_ALL
#undef TC__LIFT_ONE
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_rs_fn tc__lift_wgmma(int n, int type_a, int type_b)
{
#define TC__LIFT_PICK(N, D, A, B, TA, TB, MMA) n == N && type_a == TA && type_b == TB ? tc__lift_##A##_##B##_n##N :
#define TC__LIFT_ALL(N) TC__LIFT_TYPES(TC__LIFT_PICK, N)
    return TC__WG_BY_16(TC__LIFT_ALL) (tc_wgmma_rs_fn)0;
#undef TC__LIFT_ALL
#undef TC__LIFT_PICK
}

/* A lane's row of ldmatrix in a square, for step 0 of k and the warp's 16 of the first 64 rows; prmt's selectors. */
typedef struct tc__lifter {
    uint32_t mine, pick[2];
} tc__lifter;

TC_DEV tc__lifter tc__lifter_of(void)
{
    const uint32_t lane = threadIdx.x % 32u, chunk = threadIdx.x / 32u % 4u, row = lane % 8u;
    const uint32_t k = lane / 16u * 16u + row / 2u * 4u + row % 2u + ((row >= 4u) ^ (lane / 8u % 2u)) * 2u;
    const uint32_t late = lane % 4u >= 2u;
    const tc__lifter t = {k * 128u + (chunk ^ k % 8u) * 16u, {late ? 0x2064u : 0x6420u, late ? 0x3175u : 0x7531u}};
    return t;
}

/* The registers of two steps of k, number `half`, as they are read: of the 64 rows from number `row` on. */
TC_DEV_SM90 void tc__lift_read(const tc__lifter *t, uint32_t slot, int row, const int half, uint32_t *raw)
{
    const uint32_t at = slot + (uint32_t)(row / 128) * 16384u + (t->mine ^ (uint32_t)(row / 64 % 2 * 64));
#pragma unroll
    for (int s = 0; s < 2; s++) tc_ldmatrix_x4_trans(raw + 4 * s, at + (uint32_t)((half * 2 + s) * 4096));
}

/* a may be raw. */
TC_DEV void tc__lift_make(const tc__lifter *t, const uint32_t *raw, uint32_t *a)
{
#pragma unroll
    for (int i = 0; i < 8; i += 2) {
        const uint32_t x = raw[i], y = raw[i + 1];
        a[i] = tc__turn_pick(x, y, t->pick[0]);
        a[i + 1] = tc__turn_pick(x, y, t->pick[1]);
    }
}

/* By asm: of what __shfl_sync takes nvcc makes integers, also of the sums, and ptxas then serialises wgmma. */
TC_DEV float tc__lift_shuffle(float x, int lane)
{
    float y;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 31, 0xffffffff;" : "=f"(y) : "f"(x), "r"(lane));
    return y;
}

/* Sums' rows in their order: a lane has had 2g and 2g + 1 of 16, it gets g and g + 8. */
TC_DEV void tc__lift_order(float *acc, const int count)
{
    const int lane = tc_lane(), g = lane / 4, low = g < 4, odd = g % 2;
    const int one = ((odd ? 4 : 0) + g / 2) * 4 + lane % 4, other = one ^ 16;
#pragma unroll
    for (int i = 0; i < count; i++) {
        if (i % 4 < 2) {
            const float x = tc__lift_shuffle(low ? acc[i] : acc[i + 2], one);
            const float y = tc__lift_shuffle(low ? acc[i + 2] : acc[i], other);
            acc[i] = odd ? y : x;
            acc[i + 2] = odd ? x : y;
        }
    }
}

/* wgmma of a width that a kernel has. */
typedef struct tc__lift_wgmmas {
    tc_wgmma_rs_fn mma;
    int n;
} tc__lift_wgmmas;

/* The k loop: `blocks` blocks of k into sums. The first slot is full; the last is not given back. A unit is two steps
 * of k of 64 rows. While one is multiplied, the registers of the next are made of what was read before, and those of
 * the one after that are read. */
typedef struct tc__lift_to {
    float *sums;
    int apart; /* of the sums of 64 rows from those of the next: a constant */
    uint32_t blocks;
} tc__lift_to;

TC_DEV_SM90A void tc__lift_blocks(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                  tc__gemm90_loop_state *l, const tc__lift_to to)
{
    const tc_operand ob = tc__gemm90_b(c, g->width);
    const int chunks = tc__gemm90_rows(c) / 64, units = 2 * chunks;
    const tc__lifter t = tc__lifter_of();
    tc_gemm90_consumer *u = l->u;
    tc_ring *ring = &u->ring;
    uint32_t a[2][8], raw[8];
    uint32_t slot = g->ring + ring->stage * g->slot;
    tc__lift_read(&t, slot, u->row, 0, raw);
    tc__lift_make(&t, raw, a[0]);
    tc__lift_read(&t, slot, u->row + 1 % chunks * 64, 1 / chunks, raw);
    for (uint32_t kb = 0; kb < to.blocks; kb++) {
        const uint32_t now = ring->stage;
        const int more = kb + 1 < to.blocks;
        const uint64_t db = tc_wgmma_desc(tc_uniform(g->ring + now * g->slot + (uint32_t)tc__gemm90_a_bytes(c)), 128);
#pragma unroll
        for (int i = 0; i < units; i++) {
            const int half = i / chunks, next = (i + 2) % units;
            tc_wgmma_fence();
#pragma unroll
            for (int s = 0; s < 2; s++)
                mma(to.sums + i % chunks * to.apart, a[i % 2] + 4 * s,
                    tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, half * 2 + s)), half + s > 0 ? 1 : kb > 0);
            tc_wgmma_commit_group();
            TC_WGMMA_WAIT_GROUP(1); /* the unit before has left its registers */
            if (i == 0 && kb > 0) tc__gemm90_release(c, g, l->last);
            if (i + 1 < units || more) tc__lift_make(&t, raw, a[(i + 1) % 2]);
            if (i + 2 == units) {
                tc_ring_next(ring, g->stages);
                if (more) TC_PIPE_WAIT_FULL(g->pipe, ring);
                slot = g->ring + ring->stage * g->slot;
            }
            if (i + 2 < units || more) tc__lift_read(&t, slot, u->row + next % chunks * 64, next / chunks, raw);
        }
        l->last = now;
    }
}

TC_DEV_SM90A void tc__gemm90_lift_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                       tc__gemm90_loop_state *l)
{
    const tc__lift_to to = {l->acc, c.bn / 2, tc_uniform(l->u->w.k_blocks)};
    tc__lift_blocks(c, mma, g, l, to);
}

/* .promote of several blocks of k. Gives all slots back. */
TC_DEV_SM90A void tc__gemm90_lift_late_loop(tc_gemm_config_in c, const tc_wgmma_rs_fn mma, const tc_gemm90_block *g,
                                            tc__gemm90_loop_state *l)
{
    const int sums = tc__gemm90_rows(c) / 64 * c.bn / 2;
    const uint32_t period = (uint32_t)(c.promote / c.bk), all = tc_uniform(l->u->w.k_blocks);
    float part[256];
#pragma unroll
    for (int e = 0; e < sums; e++) l->acc[e] = 0.f;
    for (uint32_t first = 0; first < all; first += period) {
        const uint32_t left = all - first;
        const tc__lift_to to = {part, c.bn / 2, tc_uniform(left < period ? left : period)};
        if (first) TC_PIPE_WAIT_FULL(g->pipe, &l->u->ring);
        tc__lift_blocks(c, mma, g, l, to);
        TC_WGMMA_WAIT_GROUP(0);
        tc__gemm90_release(c, g, l->last);
        tc_wgmma_fence_acc(part, sums);
#pragma unroll
        for (int e = 0; e < sums; e++) l->acc[e] += part[e];
    }
}

/* Half a block of k of 64 rows. */
TC_DEV_SM90A void tc__lift_issue(const tc_wgmma_rs_fn mma, const uint32_t *a, uint64_t db, const int half,
                                 float *part)
{
    tc_wgmma_fence();
#pragma unroll
    for (int s = 0; s < 2; s++)
        mma(part, a + 4 * s, tc_wgmma_desc_advance(db, (uint32_t)((half * 2 + s) * 32)), half + s > 0);
    tc_wgmma_commit_group();
}

/* .promote of each block of k, 64 rows at a time (tc_gemm_sm90_promote.h). While the second half of these is
 * multiplied, registers of the next ones' first half are made; those of their second half are read while sums are
 * added. */
TC_DEV_SM90A void tc__gemm90_lift_promoting_loop(tc_gemm_config_in c, const tc__lift_wgmmas mma,
                                                 const tc_gemm90_block *g, tc__gemm90_loop_state *l)
{
    const int chunks = tc__gemm90_rows(c) / 64, count = mma.n / 2;
    const tc__lifter t = tc__lifter_of();
    const uint32_t blocks = tc_uniform(l->u->w.k_blocks);
    tc_ring *ring = &l->u->ring;
    uint32_t a[2][8], slot = g->ring + ring->stage * g->slot;
    uint64_t db = tc_wgmma_desc(tc_uniform(slot + (uint32_t)tc__gemm90_a_bytes(c)), 128);
    float part[128];
#pragma unroll
    for (int i = 0; i < chunks; i++)
#pragma unroll
        for (int e = 0; e < count; e++) l->acc[i * c.bn / 2 + e] = 0.f;
    tc__lift_read(&t, slot, l->u->row, 0, a[0]);
    tc__lift_make(&t, a[0], a[0]);
    tc__lift_read(&t, slot, l->u->row, 1, a[1]);
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = ring->stage;
        const int more = kb + 1 < blocks;
        tc__gemm90_promoting p;
#pragma unroll
        for (int i = 0; i < chunks; i++) {
            const tc__gemm90_sums sums = {part, l->acc + i * c.bn / 2, mma.n};
            const int next = i + 1 < chunks || more, row = l->u->row + (i + 1) % chunks * 64;
            tc__lift_make(&t, a[1], a[1]);
            tc__lift_issue(mma.mma, a[0], db, 0, part);
            tc__lift_issue(mma.mma, a[1], db, 1, part);
            if (i == 0 && tc__gemm_scaled(c)) tc__gemm90_ask(c, g, l->u, &p);
            if (i + 1 == chunks) {
                tc_ring_next(ring, g->stages);
                if (more) TC_PIPE_WAIT_FULL(g->pipe, ring);
                slot = g->ring + ring->stage * g->slot;
                db = tc_wgmma_desc(tc_uniform(slot + (uint32_t)tc__gemm90_a_bytes(c)), 128);
            }
            TC_WGMMA_WAIT_GROUP(1);
            if (next) tc__lift_read(&t, slot, row, 0, a[0]);
            if (next) tc__lift_make(&t, a[0], a[0]);
            TC_WGMMA_WAIT_GROUP(0);
            tc_wgmma_fence_acc(part, count);
            if (next) tc__lift_read(&t, slot, row, 1, a[1]);
            if (i + 1 == chunks) tc__gemm90_release(c, g, now);
            tc__gemm90_promote(c, &p, i, sums);
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_TURN_H */
