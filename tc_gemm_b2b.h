/* tc_gemm_b2b.h - tc 0.2.0 - two products in a row, whose middle stays on the chip. Needs: tc_gemm.h; sm_90a.
 *
 *     D = epi(alpha * (act(A * B0) * B1) + beta * C)      A: m x k; B0: k x n0; B1: n0 x n; n0 at most 256
 *
 *     #include "tc.h"
 *     TC_GEMM_B2B_DEFINE(mlp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .act = tc_epi_gelu)
 *     ...
 *     tc_gemm_b2b_args args = { .m = m, .n = 64, .n0 = 256, .k = 64, .a = A, .lda = 64, .b0 = B0, .ldb0 = 64,
 *                               .b1 = B1, .ldb1 = 256, .d = D, .ldd = 64 };
 *     tc_status st = mlp_run(&args, stream);
 *
 * The middle, m x n0, is never written to memory: a row of it is computed in registers, goes through .act and the
 * rounding to .a's type there, and is the second product's A. So it pays where n0 is small beside m: with two calls of
 * a GEMM the middle's way to memory and back is most of the time. Where k, n0 or n are large, two calls are as good.
 *
 * FIELDS (tc_gemm_b2b_config), in any order
 *     .a .b       TC_F16 or TC_BF16, both the same: A's, B0's, B1's and the middle's type. Sums are in f32
 *     .d          TC_F16, TC_BF16 or TC_F32: D's and C's
 *     .act        hook on an element of the middle, float f(float x, tc_gemm_at at, const void *args), or .act2, on two
 *                 neighbours of a row; at.col counts 0 .. n0 - 1. Without one the middle is only rounded
 *     .epi .epi2  the same on D, as in tc_gemm.h. All hooks get the same arguments, args.epi_args
 *     .epi_size   sizeof of them, or TC_NO_ARGS; shipped hooks bring theirs
 *     .bm         rows of a tile: 128 (default), or 64: half as many for each block where m is small
 *     .bn0        64, 128, 192 or 256 (default): the most that n0 may be. What n0 leaves of it is multiplied by zeros,
 *                 so give the least that serves
 *     .bn         columns of a tile of D: 64 (default), or 128: for an n of several hundred
 * It declares NAME (the kernel), NAME_THREADS, NAME_SMEM, NAME_can_run and NAME_run, as TC_GEMM_SM90_DEFINE does;
 * TC_GEMM_B2B_DECLARE(NAME); declares the last two in other files, C files too. On any device but Hopper a call is
 * refused: TC_ERR_DEVICE. Programs that launch by themselves (NVRTC) ask tc_gemm_b2b_prepare.
 *
 * DATA. A in rows; B0 and B1 in columns: n0 columns of k, and n columns of n0, each of which lies together. a, b0 and
 * b1 begin at multiples of 16 bytes, and so do their rows: lda, ldb0, ldb1 and their strides are multiples of 8
 * elements. m, n, k, n0 are free, and so are C and D, whose rows are fastest at multiples of 16 bytes. k = 0 and n0 = 0
 * are refused. With alpha = 0 neither product is computed, and no .act is called.
 *
 * WHAT IS COMPUTED. A hook is called once for each element of the middle (of D) that exists, and for no other, but
 * where a call is cut into parts: each part computes the middle anew, and calls .act once more. args.parts says how
 * many blocks share the columns of D of the same rows; 0: as many as fill the device. The sums' order does not depend
 * on it: the same call gives the same bits.
 */
#ifndef TC_GEMM_B2B_H
#define TC_GEMM_B2B_H

#include "tc_gemm.h"

/* Compile time. */
typedef struct tc_gemm_b2b_config {
    int a, b, d;
    int bm, bn0, bn;
    int epi_size;
    tc_epi_fn act, epi;
    tc_epi2_fn act2, epi2;
} tc_gemm_b2b_config;

/* One call. All memory is the device's but for alpha, beta and epi_args. m = 0 is a call that computes nothing. */
typedef struct tc_gemm_b2b_args {
    int m, n, n0, k; /* D is m x n, the middle m x n0 */
    const void *a;
    int64_t lda; /* >= k */
    const void *b0;
    int64_t ldb0; /* >= k */
    const void *b1;
    int64_t ldb1; /* >= n0 */
    const void *c;
    int64_t ldc; /* >= n; C is not read unless beta points to something other than 0 */
    void *d;
    int64_t ldd;               /* >= n */
    const float *alpha, *beta; /* host pointers, read during the call; NULL: 1 and 0 */
    int batch;                 /* matrices, strides apart (0: the same matrix; not for d); 0: one */
    int64_t stride_a, stride_b0, stride_b1, stride_c, stride_d;
    const void *epi_args; /* host pointer to the hooks' arguments, copied during the call */
    size_t epi_size;
    int parts;        /* blocks that share the columns of D of the same rows (0: the kit's choice) */
    int pdl;          /* not 0: programmatic dependent launch */
    int pdl_constant; /* with pdl: TC_CONSTANT_B: B0 and B1, which no kernel writes that may still run */
} tc_gemm_b2b_args;

/* ---------------------------------------------------------------------------------------------------------------------
 * The configuration, and the one whose end of a tile D's is: the second product as a GEMM's.
 */
#ifdef __cplusplus
#define TC__B2B_ZEROS {}
#else
#define TC__B2B_ZEROS {0}
#endif

TC_HD TC_CONSTEXPR tc_gemm_config tc__b2b_gemm(const tc_gemm_b2b_config c)
{
    tc_gemm_config g = TC__B2B_ZEROS;
    g.a = c.a, g.b = c.b, g.d = c.d;
    g.bm = c.bm, g.bn = c.bn;
    g.epi = c.epi, g.epi2 = c.epi2, g.epi_size = c.epi_size;
    return tc_gemm90_view(tc_gemm_sm90_config(g));
}

TC_HD TC_CONSTEXPR tc_gemm_b2b_config tc_gemm_b2b_complete(const tc_gemm_b2b_config given)
{
    tc_gemm_b2b_config c = given;
    c.bm = c.bm ? c.bm : 128;
    c.bn0 = c.bn0 ? c.bn0 : 256;
    c.bn = c.bn ? c.bn : 64;
    return c;
}

TC_HD TC_CONSTEXPR int tc__b2b_hooked(const tc_gemm_b2b_config c) { return c.act || c.act2 || c.epi || c.epi2; }

/* Shared memory: boxes of D | room for blocks of A, B0 and B1 | mbarriers of the ring, and of B1. */
enum { TC__B2B_STAGES = 12, TC__B2B_BARS = TC__B2B_STAGES * 16 + 16 };
typedef struct tc_gemm_b2b_plan {
    int room, room_bytes, pipe, b1_full, bytes;
    int a_block, b0_block, b1_block; /* bytes of 64 of k: of a tile's rows, of all columns of B0, of a tile of B1 */
} tc_gemm_b2b_plan;

TC_HD TC_CONSTEXPR tc_gemm_b2b_plan tc_gemm_b2b_plan_of(const tc_gemm_b2b_config c)
{
    tc_gemm_b2b_plan p = {0, 0, 0, 0, 0, 0, 0, 0};
    p.room = tc_gemm_sm90_plan_of(tc__b2b_gemm(c)).ring;
    p.room_bytes = (TC__SM90_SMEM_MAX - TC__B2B_BARS - p.room) / 1024 * 1024;
    p.pipe = p.room + p.room_bytes;
    p.b1_full = p.pipe + TC__B2B_STAGES * 16;
    p.bytes = p.pipe + TC__B2B_BARS;
    p.a_block = c.bm * 128;
    p.b0_block = c.bn0 * 128;
    p.b1_block = c.bn * 128;
    return p;
}
TC_HD TC_CONSTEXPR int tc_gemm_b2b_smem(const tc_gemm_b2b_config c) { return tc_gemm_b2b_plan_of(c).bytes; }
TC_HD TC_CONSTEXPR int tc_gemm_b2b_threads(const tc_gemm_b2b_config c)
{
    return tc_gemm_sm90_threads(tc__b2b_gemm(c));
}

#define TC__B2B_RULES(X, c)                                                                                           \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(tc__gemm_is_16((c).a) && (c).b == (c).a,                                                                        \
      "tc: .a of TC_GEMM_B2B_DEFINE must be TC_F16 or TC_BF16, and .b the same")                                      \
    X(tc__gemm_is_16((c).d) || (c).d == TC_F32, "tc: .d of TC_GEMM_B2B_DEFINE must be TC_F16, TC_BF16 or TC_F32")     \
    X((c).bm == 64 || (c).bm == 128, "tc: .bm of TC_GEMM_B2B_DEFINE must be 64 or 128")                               \
    X((c).bn0 >= 64 && (c).bn0 <= 256 && (c).bn0 % 64 == 0,                                                           \
      "tc: .bn0, the most columns of the middle, must be 64, 128, 192 or 256: it stays in registers")                 \
    X((c).bn == 64 || (c).bn == 128, "tc: .bn of TC_GEMM_B2B_DEFINE must be 64 or 128")                               \
    X(!((c).act && (c).act2), "tc: give .act or .act2, not both")                                                     \
    X(!((c).epi && (c).epi2), "tc: give .epi or .epi2, not both")                                                     \
    X((c).epi_size >= TC_NO_ARGS && (c).epi_size <= TC_EPI_MAX,                                                       \
      "tc: .epi_size must be in 0..TC_EPI_MAX, or TC_NO_ARGS")                                                        \
    X(!tc__b2b_hooked(c) == !(c).epi_size,                                                                            \
      "tc: a hook needs .epi_size = sizeof of the hooks' arguments, TC_NO_ARGS where they take none; without a hook " \
      "there is no .epi_size")

/* 1 if the generator takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_gemm_b2b_legal(const tc_gemm_b2b_config given)
{
    const tc_gemm_b2b_config c = tc_gemm_b2b_complete(given);
    return 1 TC__B2B_RULES(TC__RULE_AND, c);
}

/* What the kernel is given. The first member is what the end of a tile knows; its a and b are the maps of A and B1,
 * its tiles those of rows (m), and parts of D's columns (n). */
typedef struct tc_gemm_b2b_params {
    tc_gemm_sm90_params p;
    tc_tmap b0;
    int n0;              /* columns of the middle that exist; 0: no products, all that is read is zeros */
    int across, each;    /* tiles of D's columns, of a part */
    int resident;        /* 1: B0 and B1 stay in shared memory, the ring has blocks of A alone; of one part */
    int b0_at, b1_at;    /* where then, from the room's start */
    int ring_at, slot;   /* the ring's first slot; bytes of one */
    uint8_t b0_batched;
} tc_gemm_b2b_params;

#ifdef __CUDACC__

/* =====================================================================================================================
 * The kernel: persistent, a block an SM. Two products of a tile of rows:
 *
 *     warpgroup 0       one thread is the producer. For each 64 of k it brings a block of A, and of B0 all columns;
 *                       then for each tile of D's columns the blocks of B1, 64 of n0 each
 *     warpgroup 1, 2    64 rows each: S = A B0 in bn0 / 2 registers; act; the same values, packed, are the fragments of
 *                       the second product's A as they lie: accumulators of m64nN and A of m64nNk16 have one layout
 *
 * Where B0 and B1 fit beside two blocks of A they are brought once and stay, and the ring has blocks of A alone.
 * Nothing orders the two consumers: while one is at its hooks, the other one's products run.
 */
typedef struct tc_gemm_b2b {
    tc_gemm_b2b_config c;
    tc_gemm_config g; /* the end of a tile */
    tc_wgmma_fn first;
    tc_wgmma_rs_fn second;
} tc_gemm_b2b;
TC_IN(tc_gemm_b2b);

TC_DEV_SM90A TC_CONSTEXPR tc_gemm_b2b tc_gemm_b2b_of(const tc_gemm_b2b_config c)
{
    const tc_gemm_b2b k = {c, tc__b2b_gemm(c), tc_wgmma_pick_f32(c.bn0, c.a), tc_wgmma_pick_f32_rs(c.bn, c.a)};
    return k;
}

/* What a block knows. */
typedef struct tc__b2b_block {
    const tc_gemm_b2b_params *q;
    tc_gemm90_block g; /* for the end of a tile; and the ring */
    uint32_t room, b1_full;
} tc__b2b_block;

/* A tile of rows, and the tiles of D's columns from first to end - 1. */
typedef struct tc__b2b_work {
    int row, batch, first, end;
} tc__b2b_work;

TC_DEV tc__b2b_work tc__b2b_work_at(tc_gemm_b2b_in k, const tc_gemm_b2b_params *q, uint32_t index)
{
    const tc_tile t = tc_tile_at(&q->p.tiles, index);
    tc__b2b_work w = {(int)t.m * k.c.bm, (int)t.batch, (int)t.n * q->each, 0};
    w.end = w.first + q->each < q->across ? w.first + q->each : q->across;
    return w;
}

/* Where blocks of B0 and B1 stay. */
TC_DEV uint32_t tc__b2b_b0_at(tc_gemm_b2b_in k, const tc__b2b_block *b, uint32_t kb)
{
    return b->room + (uint32_t)b->q->b0_at + kb * (uint32_t)tc_gemm_b2b_plan_of(k.c).b0_block;
}
TC_DEV uint32_t tc__b2b_b1_at(tc_gemm_b2b_in k, const tc__b2b_block *b, int tile, int kb)
{
    const int number = tile * (k.c.bn0 / 64) + kb;
    return b->room + (uint32_t)(b->q->b1_at + number * tc_gemm_b2b_plan_of(k.c).b1_block);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The producer's thread.
 */
TC_DEV_SM90 void tc__b2b_fetch(const tc_operand_source s, int x, const tc_operand_to to)
{
    const tc_operand_at at = {0, x, 0};
    tc_operand_fetch(0, &s, at, to);
}

/* A block of B1: of a tile of D's columns, its 64 of n0 number kb. */
typedef struct tc__b2b_b1 {
    int tile, kb, batch;
} tc__b2b_b1;

TC_DEV_SM90 void tc__b2b_fetch_b1(const tc__b2b_block *b, const tc__b2b_b1 x, const tc_operand_to to)
{
    const tc_gemm_sm90_params *p = &b->q->p;
    const tc_operand_source s = {&p->b, x.tile * b->g.width, p->b_batched ? x.batch : 0, 0};
    tc__b2b_fetch(s, p->k_first + x.kb * 64, to);
}

/* All of B1, to stay. */
TC_DEV_SM90 void tc__b2b_load_b1(tc_gemm_b2b_in k, const tc__b2b_block *b)
{
    const int blocks = b->q->across * (k.c.bn0 / 64);
    tc_mbarrier_arrive_expect_tx(b->b1_full, (uint32_t)(blocks * tc_gemm_b2b_plan_of(k.c).b1_block));
#pragma unroll 1
    for (int tile = 0; tile < b->q->across; tile++) {
#pragma unroll 1
        for (int kb = 0; kb < k.c.bn0 / 64; kb++) {
            const tc_operand_to to = {tc__b2b_b1_at(k, b, tile, kb), b->b1_full};
            const tc__b2b_b1 x = {tile, kb, 0};
            tc__b2b_fetch_b1(b, x, to);
        }
    }
}

TC_DEV_SM90 void tc__b2b_produce(tc_gemm_b2b_in k, const tc__b2b_block *b)
{
    const tc_gemm_b2b_plan plan = tc_gemm_b2b_plan_of(k.c);
    const tc_gemm_b2b_params *q = b->q;
    const tc_gemm_sm90_params *p = &q->p;
    tc_ring ring = {0, 0};
    int fresh = 1; /* B0 and B1 are still to come, if they are to stay */
    if (p->waits) {
        if (q->resident && (p->early & TC__GEMM90_EARLY_B) && blockIdx.x < p->works) tc__b2b_load_b1(k, b);
        tc_griddepcontrol_wait();
    }
#pragma unroll 1
    for (uint32_t i = blockIdx.x; i < p->works; i += gridDim.x) {
        const tc__b2b_work w = tc__b2b_work_at(k, q, i);
        const tc_operand_source a = {&p->a, w.row, p->a_batched ? w.batch : 0, 0};
        const tc_operand_source b0 = {&q->b0, 0, q->b0_batched ? w.batch : 0, 0};
        const int brings = fresh || !q->resident;
#pragma unroll 1
        for (uint32_t kb = 0; kb < p->k_blocks; kb++) {
            const uint32_t full = tc_pipe_full(b->g.pipe, ring.stage), slot = b->g.ring + ring.stage * b->g.slot;
            const int x = p->k_first + (int)kb * 64;
            const tc_operand_to to = {slot, full};
            const tc_operand_to to_b0 = {q->resident ? tc__b2b_b0_at(k, b, kb) : slot + (uint32_t)plan.a_block, full};
            TC_PIPE_WAIT_EMPTY(b->g.pipe, &ring);
            tc_mbarrier_arrive_expect_tx(full, (uint32_t)(plan.a_block + (brings ? plan.b0_block : 0)));
            tc__b2b_fetch(a, x, to);
            if (brings) tc__b2b_fetch(b0, x, to_b0);
            tc_ring_next(&ring, b->g.stages);
        }
        if (q->resident) {
            if (fresh && !(p->waits && (p->early & TC__GEMM90_EARLY_B))) tc__b2b_load_b1(k, b);
            fresh = 0;
            continue;
        }
#pragma unroll 1
        for (int tile = w.first; tile < w.end; tile++) {
#pragma unroll 1
            for (int kb = 0; kb < k.c.bn0 / 64; kb++) {
                const tc_operand_to to = {b->g.ring + ring.stage * b->g.slot, tc_pipe_full(b->g.pipe, ring.stage)};
                const tc__b2b_b1 x = {tile, kb, w.batch};
                TC_PIPE_WAIT_EMPTY(b->g.pipe, &ring);
                tc_mbarrier_arrive_expect_tx(to.full, (uint32_t)plan.b1_block);
                tc__b2b_fetch_b1(b, x, to);
                tc_ring_next(&ring, b->g.stages);
            }
        }
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * A consumer warpgroup.
 */
typedef struct tc__b2b_consumer {
    const tc__b2b_block *b;
    tc_gemm90_consumer u; /* for the end of a tile; and the place in the ring */
    tc__b2b_work w;
    float *sums, *acc;    /* of the middle; of a tile of D */
    uint32_t *middle;     /* as fragments of A, four registers for 16 columns */
} tc__b2b_consumer;

/* What registers hold is of no use any more. A first product sets them, but to ptxas each instruction reads what it
 * adds to: without this they would not be free from one tile to the next. */
TC_DEV void tc__b2b_forget(float *v, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) v[i] = 0.f;
}

/* S = A B0. */
TC_DEV_SM90A void tc__b2b_first(tc_gemm_b2b_in k, tc__b2b_consumer *x)
{
    const tc__b2b_block *b = x->b;
    const tc_gemm_b2b_plan plan = tc_gemm_b2b_plan_of(k.c);
    tc_ring *ring = &x->u.ring;
    const uint32_t blocks = b->q->p.k_blocks;
    uint32_t last = 0;
    tc__b2b_forget(x->sums, k.c.bn0 / 2);
    TC_PIPE_WAIT_FULL(b->g.pipe, ring);
#pragma unroll 1
    for (uint32_t kb = 0; kb < blocks; kb++) {
        const uint32_t now = ring->stage, slot = tc_uniform(b->g.ring + now * b->g.slot);
        const uint32_t b0 = b->q->resident ? tc_uniform(tc__b2b_b0_at(k, b, kb)) : slot + (uint32_t)plan.a_block;
        const uint64_t da = tc_wgmma_desc(slot + (uint32_t)(x->u.row * 128), 128), db = tc_wgmma_desc(b0, 128);
        int ready;
        tc_wgmma_fence();
#pragma unroll
        for (int s = 0; s < 4; s++)
            k.first(x->sums, tc_wgmma_desc_advance(da, (uint32_t)s * 32u), tc_wgmma_desc_advance(db, (uint32_t)s * 32u),
                    s > 0 ? 1 : kb > 0);
        tc_wgmma_commit_group();
        tc_ring_next(ring, b->g.stages);
        ready = kb + 1 == blocks || tc_mbarrier_test_wait_parity(tc_pipe_full(b->g.pipe, ring->stage), ring->phase);
        TC_WGMMA_WAIT_GROUP(1);
        if (kb > 0) tc__gemm90_release(k.g, &b->g, last);
        last = now;
        if (!ready) TC_PIPE_WAIT_FULL(b->g.pipe, ring);
    }
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(x->sums, k.c.bn0 / 2);
    tc__gemm90_release(k.g, &b->g, last);
}

/* act on a pair of the middle of which not both, or none, may exist: the rest becomes zeros, whatever it was. */
TC_DEV_SM90 void tc__b2b_edge(const tc_epi act, const tc_gemm_b2b_params *q, float *v, const tc_gemm_at at)
{
    const int left = at.row < q->p.out.m ? q->n0 - at.col : 0;
    if (left > 1) {
        tc__epi_hook(act, &q->p.out, v, at);
    } else {
        if (left == 1 && act.epi) v[0] = act.epi(v[0], at, q->p.out.epi);
        v[1] = 0.f;
        if (left <= 0) v[0] = 0.f;
    }
}

/* 64 columns of the middle, from 64 * kb on, to fragments of A. whole, a constant: all of this warpgroup's rows and of
 * .bn0's columns exist. */
TC_DEV_SM90A void tc__b2b_turn(const int whole, tc_gemm_b2b_in k, tc__b2b_consumer *x, const int kb)
{
    const tc_gemm_b2b_params *q = x->b->q;
    const int lane = tc_lane(), row = x->w.row + x->u.warp_row + lane / 4, col = lane % 4 * 2;
    tc_epi act = tc__gemm_epi(k.g);
    act.epi = k.c.act, act.epi2 = k.c.act2;
#pragma unroll
    for (int j = kb * 32; j < kb * 32 + 32; j += 2) {
        const tc_gemm_at at = {row + j / 2 % 2 * 8, col + j / 4 * 8, x->w.batch, 0};
        if (whole) tc__epi_hook(act, &q->p.out, x->sums + j, at);
        else tc__b2b_edge(act, q, x->sums + j, at);
        x->middle[j / 2] = tc_pack(k.c.a, x->sums[j], x->sums[j + 1]);
    }
    tc_wgmma_fence_acc_b32(x->middle + kb * 16, 16);
}

/* A tile of D's columns: the middle times its B1. turns, a constant: the middle is turned on the way, so that the
 * products of 64 columns of it run while the hook is at the next ones. */
TC_DEV_SM90A void tc__b2b_second(const int turns, tc_gemm_b2b_in k, tc__b2b_consumer *x, int tile)
{
    const tc__b2b_block *b = x->b;
    tc_ring *ring = &x->u.ring;
    const int resident = b->q->resident;
    const uint32_t stays = tc_uniform(tc__b2b_b1_at(k, b, tile, 0));
    const uint32_t step = (uint32_t)tc_gemm_b2b_plan_of(k.c).b1_block;
    uint32_t last = 0;
    tc__b2b_forget(x->acc, k.c.bn / 2);
#pragma unroll
    for (int kb = 0; kb < k.c.bn0 / 64; kb++) {
        const uint32_t now = ring->stage;
        const uint32_t at = resident ? stays + (uint32_t)kb * step : b->g.ring + now * b->g.slot;
        const uint64_t db = tc_wgmma_desc(tc_uniform(at), 128);
        if (turns) tc__b2b_turn(1, k, x, kb);
        if (!resident) TC_PIPE_WAIT_FULL(b->g.pipe, ring);
        tc_wgmma_fence();
#pragma unroll
        for (int s = 0; s < 4; s++)
            k.second(x->acc, x->middle + kb * 16 + s * 4, tc_wgmma_desc_advance(db, (uint32_t)s * 32u),
                     kb > 0 || s > 0);
        tc_wgmma_commit_group();
        if (!resident) {
            tc_ring_next(ring, b->g.stages);
            TC_WGMMA_WAIT_GROUP(1);
            if (kb > 0) tc__gemm90_release(k.g, &b->g, last);
            last = now;
        }
    }
    TC_WGMMA_WAIT_GROUP(0);
    if (!resident) tc__gemm90_release(k.g, &b->g, last);
}

TC_DEV_SM90A void tc__b2b_consume(tc_gemm_b2b_in k, const tc__b2b_block *b)
{
    const tc_gemm_b2b_params *q = b->q;
    const tc_gemm_sm90_plan ends = tc_gemm_sm90_plan_of(k.g);
    float sums[128], acc[64];
    uint32_t middle[64];
    tc__b2b_consumer x;
    x.b = b;
    x.sums = sums, x.acc = acc, x.middle = middle;
    x.u.ring.stage = x.u.ring.phase = 0;
    x.u.row = (b->g.wg - 1) * 64;
    x.u.warp_row = x.u.row + (int)tc_uniform(threadIdx.x / 32u % 4u) * 16;
    x.u.my_turn = x.u.next_turn = x.u.tile = 0;
    x.u.buf = b->g.smem + (uint32_t)ends.store + (threadIdx.x / 32u - 4u) * (uint32_t)ends.warp_store;
    x.u.stores = 0;
    x.u.warps = k.c.bm / 16;
    x.u.last = 0; /* the ring's slots may not be read yet by the other warpgroup: boxes stay in their place */
#pragma unroll 1
    for (uint32_t i = blockIdx.x; i < q->p.works; i += gridDim.x) {
        x.w = tc__b2b_work_at(k, q, i);
        x.u.w.row = x.w.row, x.u.w.batch = x.w.batch;
        x.u.w.k_first = x.u.w.k_blocks = x.u.w.part = 0, x.u.w.end = 0;
        tc__b2b_first(k, &x);
        const int whole = q->n0 == k.c.bn0 && x.w.row + x.u.row + 64 <= q->p.out.m;
        int tile = x.w.first;
        if (q->resident) TC_MBARRIER_WAIT(b->b1_full, 0, "B1", 0);
        if (whole) {
            tc__b2b_second(1, k, &x, tile);
        } else {
#pragma unroll
            for (int kb = 0; kb < k.c.bn0 / 64; kb++) tc__b2b_turn(0, k, &x, kb);
            tc__b2b_second(0, k, &x, tile);
        }
#pragma unroll 1
        for (;;) {
            tc_wgmma_fence_acc(acc, k.c.bn / 2);
            x.u.w.col = tile * b->g.width;
            tc__gemm90_end_boxes(k.g, &b->g, &x.u, acc);
            if (++tile >= x.w.end) break;
            tc__b2b_second(0, k, &x, tile);
        }
    }
    if (tc_elect_one()) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

enum { TC__B2B_MEET = 2 }; /* a named barrier: the mbarriers are there */

TC_DEV_SM90A void tc_gemm_b2b_sm90(tc_gemm_b2b_in k, const tc_gemm_b2b_params *q)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_b2b_plan plan = tc_gemm_b2b_plan_of(k.c);
    const int consumers = k.c.bm / 64;
    const tc_roles roles = tc_roles_of(consumers, TC_ROLES_USUAL);
    tc__b2b_block b;
    b.q = q;
    b.g = tc_gemm90_block_make(k.g, &q->p, tc_smem_u32(tc__dynamic_smem));
    b.room = b.g.smem + (uint32_t)plan.room;
    b.g.ring = b.room + (uint32_t)q->ring_at, b.g.slot = (uint32_t)q->slot, b.g.stages = q->p.stages;
    b.g.pipe = tc_pipe_at(b.g.smem + (uint32_t)plan.pipe, TC__B2B_STAGES);
    b.b1_full = b.g.smem + (uint32_t)plan.b1_full;
    if (b.g.wg == 0) {
        tc_roles_producer(roles);
        if (b.g.warp == 0u) {
            if (tc_elect_one()) {
                tc_prefetch_tensormap(&q->p.a);
                tc_prefetch_tensormap(&q->b0);
                tc_prefetch_tensormap(&q->p.b);
                tc_pipe_init(b.g.pipe, TC__B2B_STAGES, (uint32_t)consumers);
                tc_mbarrier_init(b.b1_full, 1);
                tc_fence_mbarrier_init();
                tc_fence_proxy_async_shared();
            }
            __syncwarp();
            tc_bar_arrive(TC__B2B_MEET, 32 + 128 * consumers); /* the producer waits for nobody */
            if (tc_elect_one()) tc__b2b_produce(k, &b);
        }
    } else {
        tc_roles_consumer(roles);
        tc_bar_sync(TC__B2B_MEET, 32 + 128 * consumers);
        if (threadIdx.x == 128) tc_griddepcontrol_launch_dependents();
        if (q->p.waits) tc_griddepcontrol_wait();
        tc__b2b_consume(k, &b);
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

TC_HOST int tc__b2b_products(const tc_gemm_b2b_args *g) { return !g->alpha || *g->alpha != 0.f; }

/* A ('a'), B0 ('0') or B1 ('1') of a call, as TMA reads it. */
TC_HOST tc_operand_matrix tc__b2b_matrix(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g, char which)
{
    tc_operand_matrix x;
    x.name = which == 'a' ? "a" : which == '0' ? "b0" : "b1";
    x.type = c->a;
    x.base = which == 'a' ? g->a : which == '0' ? g->b0 : g->b1;
    x.cols = which == '1' ? g->n0 : g->k;
    x.rows = which == 'a' ? g->m : which == '0' ? g->n0 : g->n;
    x.batch = g->batch ? g->batch : 1;
    x.pitch = which == 'a' ? g->lda : which == '0' ? g->ldb0 : g->ldb1;
    x.stride = which == 'a' ? g->stride_a : which == '0' ? g->stride_b0 : g->stride_b1;
    return x;
}

/* The second product as a call of a GEMM: what is said of C, D, hooks and batches is said of it. Its A, the middle, is
 * nowhere: any pointer. */
TC_HOST tc_gemm_args tc__b2b_gemm_args(const tc_gemm_b2b_args *g)
{
    tc_gemm_args x;
    memset(&x, 0, sizeof x);
    x.m = g->m, x.n = g->n, x.k = g->n0;
    x.a = g->b1, x.lda = g->n0, x.b = g->b1, x.ldb = g->ldb1;
    x.c = g->c, x.ldc = g->ldc, x.d = g->d, x.ldd = g->ldd;
    x.alpha = g->alpha, x.beta = g->beta;
    x.batch = g->batch;
    x.stride_a = g->stride_a ? g->stride_a : g->stride_b0; /* for what a batch of 0 is: any */
    x.stride_b = g->stride_b1, x.stride_c = g->stride_c, x.stride_d = g->stride_d;
    x.epi_args = g->epi_args, x.epi_size = g->epi_size;
    x.pdl = g->pdl, x.pdl_constant = g->pdl_constant;
    if (!tc__b2b_products(g)) x.k = 0, x.a = x.b = 0;
    return x;
}

TC_HOST int tc__b2b_empty(const tc_gemm_b2b_args *g)
{
    const tc_gemm_args x = tc__b2b_gemm_args(g);
    return tc__gemm_empty(&x);
}

/* One of A, B0 and B1. */
TC_HOST tc_status tc__b2b_check_matrix(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g, char which)
{
    const tc_operand_matrix x = tc__b2b_matrix(c, g, which);
    const int reads = tc__b2b_products(g) && !tc__b2b_empty(g);
    if (x.pitch < x.cols)
        return tc__fail(TC_ERR_PITCH, "ld%s = %lld is less than %s = %d", x.name, (long long)x.pitch,
                        which == '1' ? "n0" : "k", x.cols);
    if (x.stride < 0)
        return tc__fail(TC_ERR_BATCH, "stride_%s = %lld is negative", x.name, (long long)x.stride);
    if (reads && !x.base) return tc__fail(TC_ERR_NULL, "%s is null", x.name);
    return reads ? tc_operand_check(&x) : TC_OK;
}

/* The rules for a call. */
TC_HOST tc_status tc__b2b_check(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g)
{
    const tc_gemm_config gemm = tc__b2b_gemm(*c);
    tc_gemm_args x;
    tc_status st = TC_OK;
    int i;
    if (!g) return tc__fail(TC_ERR_NULL, "args is null");
    if (g->m < 0) return tc__fail(TC_ERR_SIZE, "m = %d is negative", g->m);
    for (i = 0; i < 2; i++) {
        const int size = i ? g->n0 : g->k;
        if (size < 1) return tc__fail(TC_ERR_SIZE, "%s = %d must be at least 1", i ? "n0" : "k", size);
        if (size > 0x7fff0000)
            return tc__fail(TC_ERR_SIZE, "%s = %d is above the limit of %d", i ? "n0" : "k", size, 0x7fff0000);
    }
    if (g->n0 > c->bn0)
        return tc__fail(TC_ERR_SIZE, "n0 = %d is above the kernel's .bn0 = %d: the middle stays on the chip", g->n0,
                        c->bn0);
    if (c->act2 && g->n0 % 2)
        return tc__fail(TC_ERR_SIZE, "n0 = %d is odd, but the kernel's pair hook (.act2) needs an even n0", g->n0);
    if (g->parts < 0) return tc__fail(TC_ERR_SIZE, "parts = %d is negative", g->parts);
    if (g->pdl_constant & ~TC_CONSTANT_B)
        return tc__fail(TC_ERR_CONFIG, "pdl_constant = %d must be TC_CONSTANT_B or 0", g->pdl_constant);
    if (g->batch < 0) return tc__fail(TC_ERR_BATCH, "batch = %d is negative", g->batch);
    for (i = 0; i < 3 && st == TC_OK; i++) st = tc__b2b_check_matrix(c, g, "a01"[i]);
    if (st != TC_OK) return st;
    x = tc__b2b_gemm_args(g);
    return tc__gemm_check(&gemm, &x);
}

/* How a call is cut: how many tiles of D's columns there are, and what a part has of them. */
typedef struct tc__b2b_cut {
    int across, each;
} tc__b2b_cut;

/* As many parts as make the longest block shortest: it computes the middle of a tile of rows, and then its tiles of D's
 * columns, each with an end of its own (about 64 of k). */
TC_HOST tc__b2b_cut tc__b2b_cut_of(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g, int blocks)
{
    const int64_t down = ((int64_t)g->m - 1) / c->bm + 1, batch = g->batch ? g->batch : 1;
    const double first = ((double)g->k + 64) * c->bn0;
    tc__b2b_cut cut;
    double best = 0;
    int parts, picked = 1, most;
    cut.across = (int)(((int64_t)g->n - 1) / c->bn + 1);
    most = cut.across < blocks ? cut.across : blocks;
    if (g->parts) most = picked = g->parts < cut.across ? g->parts : cut.across;
    for (parts = 1; parts <= most && !g->parts; parts++) {
        const int each = (cut.across - 1) / parts + 1;
        const int64_t waves = (int64_t)(((double)down * (double)batch * parts - 1) / blocks) + 1;
        const double time = (double)waves * (first + (double)each * c->bn * (c->bn0 + 64.));
        if (parts > 1 && time >= best) continue;
        best = time, picked = parts;
    }
    cut.each = (cut.across - 1) / picked + 1;
    return cut;
}

/* A map of an operand; of one that is not read, of 8 elements of D. */
TC_HOST tc_status tc__b2b_map(tc_tmap *map, const tc_gemm_b2b_args *g, const tc_operand_matrix *x, int rows)
{
    tc_operand_matrix y = *x;
    if (!tc__b2b_products(g)) {
        y.base = (const void *)((uintptr_t)g->d & ~(uintptr_t)15);
        y.cols = 8, y.rows = y.batch = 1, y.pitch = 8;
    }
    return tc_operand_map(map, &y, 64, rows);
}

/* Where B0, B1 and the ring lie. */
TC_HOST void tc__b2b_place(const tc_gemm_b2b_config *c, tc_gemm_b2b_params *q)
{
    const tc_gemm_b2b_plan plan = tc_gemm_b2b_plan_of(*c);
    const int64_t b0 = (int64_t)q->p.k_blocks * plan.b0_block;
    const int64_t b1 = (int64_t)q->across * (c->bn0 / 64) * plan.b1_block;
    int stages;
    q->resident = q->each >= q->across && !q->b0_batched && !q->p.b_batched
               && b0 + b1 + 2 * plan.a_block <= plan.room_bytes;
    q->b0_at = 0;
    q->b1_at = q->resident ? (int)b0 : 0;
    q->ring_at = q->resident ? (int)(b0 + b1) : 0;
    q->slot = plan.a_block + (q->resident ? 0 : plan.b0_block);
    stages = (plan.room_bytes - q->ring_at) / q->slot;
    q->p.stages = stages < TC__B2B_STAGES ? stages : TC__B2B_STAGES;
}

/* Parameters of a checked call that computes something. */
TC_HOST tc_status tc__b2b_fill(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g, int blocks,
                               tc_gemm_b2b_params *q)
{
    const tc_gemm_config gemm = tc__b2b_gemm(*c);
    const tc_gemm_args x = tc__b2b_gemm_args(g);
    const tc__b2b_cut cut = tc__b2b_cut_of(c, g, blocks);
    const tc_gemm_cut as = {c->bn, 1, blocks, 1, 0, 0, 0, 0, 0, 0};
    const tc_operand_matrix a = tc__b2b_matrix(c, g, 'a'), b0 = tc__b2b_matrix(c, g, '0'),
                            b1 = tc__b2b_matrix(c, g, '1');
    const tc_tiles_of of = {g->m, (cut.across - 1) / cut.each + 1, a.batch, c->bm, 1, blocks, TC_RASTER_M, 1};
    tc_status st;
    memset((void *)q, 0, sizeof *q);
    if (((double)g->m / c->bm + 1) * of.n * of.batch > 2e9)
        return tc__fail(TC_ERR_SIZE, "m = %d, n = %d, batch = %d: more than 2^31 tiles", g->m, g->n, of.batch);
    st = tc__gemm90_fill(&gemm, &x, &as, &q->p);
    if (st != TC_OK) return st;
    q->p.tiles = tc_tiles_make(&of);
    q->p.works = q->p.tiles.total;
    q->p.d_first = 0;
    q->p.k_blocks = tc__b2b_products(g) ? ((uint32_t)g->k + 63u) / 64u : 1u;
    q->p.a_batched = tc__b2b_products(g) && g->stride_a != 0;
    q->b0_batched = tc__b2b_products(g) && g->stride_b0 != 0;
    q->n0 = tc__b2b_products(g) ? g->n0 : 0;
    q->across = cut.across, q->each = cut.each;
    tc__b2b_place(c, q);
    st = tc__b2b_map(&q->p.a, g, &a, c->bm);
    if (st == TC_OK) st = tc__b2b_map(&q->b0, g, &b0, c->bn0);
    return st == TC_OK ? tc__b2b_map(&q->p.b, g, &b1, c->bn) : st;
}

/* A call to launch: as tc_gemm_sm90_launch; cluster is 1. */
typedef struct tc_gemm_b2b_launch {
    unsigned grid, block, smem, cluster;
    tc_gemm_b2b_params params;
} tc_gemm_b2b_launch;

/* A checked call that computes something. sms: blocks that run at a time. */
TC_HOST tc_status tc__b2b_launch(const tc_gemm_b2b_config *c, const tc_gemm_b2b_args *g, int sms,
                                 tc_gemm_b2b_launch *l)
{
    const tc_status st = tc__b2b_fill(c, g, sms, &l->params);
    if (st != TC_OK) return st;
    l->block = (unsigned)tc_gemm_b2b_threads(*c), l->smem = (unsigned)tc_gemm_b2b_smem(*c), l->cluster = 1;
    l->grid = l->params.p.works < (uint32_t)sms ? l->params.p.works : (unsigned)sms;
    return TC_OK;
}

#define TC__B2B_FIELD(name, most) {#name, offsetof(tc_gemm_b2b_config, name), most}
static const tc__field tc__b2b_fields[] TC_UNUSED = {
    TC__B2B_FIELD(a, 0), TC__B2B_FIELD(b, 0), TC__B2B_FIELD(d, 0), TC__B2B_FIELD(bm, 2048), TC__B2B_FIELD(bn0, 2048),
    TC__B2B_FIELD(bn, 2048), TC__B2B_FIELD(epi_size, 0), {NULL, 0, 0}};

/* As tc_gemm_sm90_prepare; hooks: tc_epi_on_device or tc_epi2_on_device. */
TC_HOST tc_status tc_gemm_b2b_prepare(const tc_gemm_b2b_config *given, const tc_gemm_b2b_args *args, int sms,
                                      tc_gemm_b2b_launch *out)
{
    const tc__field *tc__fields = tc__b2b_fields;
    tc_gemm_b2b_config complete;
    const tc_gemm_b2b_config *c = &complete;
    tc_status st;
    if (!given || !out) return tc__fail(TC_ERR_NULL, "%s is null", given ? "out" : "config");
    memset((void *)out, 0, sizeof *out);
    if (sms < 1) return tc__fail(TC_ERR_SIZE, "sms = %d must be 1 or more", sms);
    st = tc__config_range(tc__fields, given);
    if (st != TC_OK) return st;
    complete = tc_gemm_b2b_complete(*given);
    TC__B2B_RULES(TC__RULE_SAY, *c)
    st = tc__b2b_check(c, args);
    return st != TC_OK || tc__b2b_empty(args) ? st : tc__b2b_launch(c, args, sms, out);
}

TC_HOST tc_status tc__gemm_b2b_go(const tc_gemm_b2b_config *c, const tc__kernels *s, const tc_gemm_b2b_args *args,
                                  const tc__launch *how)
{
    const tc__kernel k = {s->f[0].function, s->f[0].name, tc_gemm_b2b_threads(*c), tc_gemm_b2b_smem(*c), 1, 90,
                          &s->cache[0]};
    tc_gemm_b2b_launch l;
    tc_status st = tc__b2b_check(c, args);
    int sms = 0;
    if (st != TC_OK || tc__b2b_empty(args)) return st;
    st = tc__kernel_device(&k, &sms);
    if (st == TC_OK) st = tc__b2b_launch(c, args, sms, &l);
    return st != TC_OK || !how->launch ? st : tc__kernel_launch(&k, l.grid, &l.params, how);
}

/* For other files, C files too: declares what a generator that stands in one .cu file defines for the host. */
#define TC_GEMM_B2B_DECLARE(name) TC__DECLARE(name, tc_gemm_b2b_args)

#endif /* host */

/* =====================================================================================================================
 * Generator.
 */
#ifdef __CUDACC__

/* Shipped hooks bring the size of their arguments, where all hooks are of them. */
TC_HD TC_CONSTEXPR tc_gemm_b2b_config tc__b2b_shipped(const tc_gemm_b2b_config given)
{
    tc_gemm_b2b_config c = given;
    tc_gemm_config act = TC__B2B_ZEROS, epi = TC__B2B_ZEROS;
    act.epi = c.act, act.epi2 = c.act2, epi.epi = c.epi, epi.epi2 = c.epi2;
    act = tc__gemm_shipped(act), epi = tc__gemm_shipped(epi);
    if (c.epi_size || (tc__gemm_hooked(act) && !act.epi_size) || (tc__gemm_hooked(epi) && !epi.epi_size)) return c;
    c.epi_size = act.epi_size > epi.epi_size && act.epi_size ? act.epi_size : epi.epi_size;
    if (!epi.epi_size) c.epi_size = act.epi_size;
    return c;
}

/* A configuration that has all hooks; one whose hooks, where it has any, are called by way of these. */
typedef struct tc__b2b_hooks {
    tc_epi_fn act, epi;
    tc_epi2_fn act2, epi2;
} tc__b2b_hooks;
TC_DEV TC_CONSTEXPR tc__b2b_hooks tc__b2b_hooks_of(const tc_gemm_b2b_config c)
{
    const tc__b2b_hooks h = {c.act ? c.act : tc_epi_relu, c.epi ? c.epi : tc_epi_relu,
                             c.act2 ? c.act2 : tc_epi2_bias_col, c.epi2 ? c.epi2 : tc_epi2_bias_col};
    return h;
}
TC_DEV TC_CONSTEXPR tc_gemm_b2b_config tc__b2b_with(const tc_gemm_b2b_config given, const tc__b2b_hooks h)
{
    tc_gemm_b2b_config c = given;
    if (c.act) c.act = h.act;
    if (c.epi) c.epi = h.epi;
    if (c.act2) c.act2 = h.act2;
    if (c.epi2) c.epi2 = h.epi2;
    return c;
}

/* As TC__GEMM_CONFIG: a host function given as a hook is an error that names the rule. */
#define TC__B2B_HOOK(own, hook, result, x)                                                                            \
    TC__LINE_BREAK TC_DEV result own##_##hook##_a_hook_is_a_TC_DEV_function(x v, tc_gemm_at at, const void *args)     \
    {                                                                                                                 \
        return tc__b2b_hooks_of(own##_config()).hook(v, at, args);                                                    \
    }
#define TC__B2B_BODY(own)                                                                                             \
    constexpr tc_gemm_b2b k = tc_gemm_b2b_of(tc__b2b_with(                                                            \
        own##_config(), tc__b2b_hooks{own##_act_a_hook_is_a_TC_DEV_function, own##_epi_a_hook_is_a_TC_DEV_function,   \
                                      own##_act2_a_hook_is_a_TC_DEV_function,                                         \
                                      own##_epi2_a_hook_is_a_TC_DEV_function}));                                      \
    tc_gemm_b2b_sm90(k, &p);

/* See the top of this file. */
#define TC_GEMM_B2B_DEFINE(name, ...) TC__CALL4(TC__GEMM_B2B_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_B2B_DEFINE_(name, own, ...)                                                                          \
    TC__GIVEN(own, gemm_b2b,                                                                                          \
              ".act, .epi = float f(float x, tc_gemm_at at, const void *args), "                                      \
              ".act2, .epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)",                               \
              __VA_ARGS__)                                                                                            \
    TC__CONFIG(name, own, gemm_b2b, tc_gemm_b2b_complete(tc__b2b_shipped(own##_given())))                             \
    TC__B2B_HOOK(own, act, float, float)                                                                              \
    TC__B2B_HOOK(own, epi, float, float)                                                                              \
    TC__B2B_HOOK(own, act2, tc_f32x2, tc_f32x2)                                                                       \
    TC__B2B_HOOK(own, epi2, tc_f32x2, tc_f32x2)                                                                       \
    TC__B2B_RULES(TC__RULE_ASSERT, own##_config())                                                                    \
    TC__SIZES(name, own##_config(), tc_gemm_b2b_threads, tc_gemm_b2b_smem)                                            \
    TC__KERNEL_OF(name, tc_gemm_b2b_params, (TC__SM90_BOUND(tc_gemm_b2b_threads(own##_config())), 1),                 \
                  TC__SM90_STRICT(TC__B2B_BODY(own)))                                                                 \
    TC__HOST_PART(TC__GO(own, gemm_b2b, tc__gemm_b2b_go, TC__FUNCTION(name))                                          \
                  TC__ENTRIES(name, gemm_b2b, own##_go))

#endif /* __CUDACC__ */
#endif /* TC_GEMM_B2B_H */
