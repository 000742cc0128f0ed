/* tc_gemm_sm90.h - tc 0.2.0 - the GEMM's mainloop for Hopper: TMA, wgmma, warp-specialised, persistent. Needs: the
 * headers below; sm_90a.
 *
 *     tc_gemm_sm90_config                    a configuration with every unset field filled in
 *     tc_gemm_sm90_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm90_params, _fill (host)      what the kernel is given; fills it from a call's arguments
 *     tc_gemm_sm90_prepare (host)            a call to launch by yourself: checked, its grid and its parameters
 *                                            (tc_gemm.h)
 *     tc_gemm_sm90_load, _mma, _store        producer and consumer of one tile, for kernels of your own
 *     tc_gemm_sm90                           the kernel's body
 *
 * tc_gemm.h is the manual, docs/add-a-kernel.md says what a mainloop must offer.
 *
 *     warpgroup 0       one thread of it is the producer: fills the ring with TMA, tile after tile
 *     warpgroup 1..     consumers: wgmma from the ring into registers, then hook, shared memory, TMA store
 *
 *     shared memory:    [stages] blocks of A | [stages] blocks of B (tc_operand.h) | boxes of 16 rows, epi_stages for
 *                       each consumer warp
 *                       | sums from the other blocks (cluster_k) | full[stages], empty[stages], turn[consumers], sums
 *
 * A store belongs to one warp (16 rows), from stmatrix to TMA: the epilogue has no barrier wider than a warp.
 */
#ifndef TC_GEMM_SM90_H
#define TC_GEMM_SM90_H

#include "tc_gemm_config.h"
#include "tc_pipe.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * The plan of a block's shared memory, in bytes from its start.
 */
TC_HD TC_CONSTEXPR int tc__gemm90_rows(const tc_gemm_config c)
{
    return c.schedule == TC_PINGPONG ? c.bm : c.bm / c.consumers; /* of a warpgroup */
}
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_a(const tc_gemm_config c) { return tc_operand_of(c.a, c.bm, c.bk); }
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_b(const tc_gemm_config c) { return tc_operand_of(c.b, c.bn, c.bk); }
TC_HD TC_CONSTEXPR int tc__gemm90_stage_bytes(const tc_gemm_config c)
{
    return tc__gemm90_a(c).bytes + tc__gemm90_b(c).bytes;
}

/* Boxes of D: the widest swizzle whose columns divide those that a block stores. */
TC_HD TC_CONSTEXPR tc_box tc__gemm90_box(const tc_gemm_config c)
{
    const int row = c.bn / c.cluster_k * tc_type_bits(c.d) / 8;
    const tc_box b = {c.d, row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 && c.d != TC_F32 ? 32 : 0};
    return b;
}

/* With cluster_k: what the other blocks send, bm x bn / cluster_k floats from each, and the barrier that counts it. */
TC_HD TC_CONSTEXPR int tc__gemm90_sums_bytes(const tc_gemm_config c)
{
    return (c.cluster_k - 1) * c.bm * c.bn / c.cluster_k * 4;
}

typedef struct tc_gemm_sm90_plan {
    int a, b;           /* blocks of the ring */
    int store;          /* boxes of the consumer warps, warp_store bytes each */
    int warp_store;
    int received;       /* sums from other blocks */
    int pipe, turn, sums; /* mbarriers */
    int bytes;
} tc_gemm_sm90_plan;

TC_HD TC_CONSTEXPR tc_gemm_sm90_plan tc_gemm_sm90_plan_of(const tc_gemm_config c)
{
    tc_gemm_sm90_plan p = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    p.b = c.stages * tc__gemm90_a(c).bytes;
    p.store = c.stages * tc__gemm90_stage_bytes(c);
    p.warp_store = c.epi_stages * 16 * tc__gemm90_box(c).bytes;
    p.received = p.store + c.consumers * 4 * p.warp_store;
    p.pipe = p.received + tc__gemm90_sums_bytes(c);
    p.turn = p.pipe + tc_pipe_bytes(c.stages);
    p.sums = p.turn + c.consumers * 8;
    p.bytes = p.sums + 8;
    return p;
}

TC_HD TC_CONSTEXPR int tc_gemm_sm90_smem(const tc_gemm_config c) { return tc_gemm_sm90_plan_of(c).bytes; }
TC_HD TC_CONSTEXPR int tc_gemm_sm90_threads(const tc_gemm_config c) { return 128 * (1 + c.consumers); }

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm90_config(const tc_gemm_config given)
{
    tc_gemm_config c = given;
    c.bm = c.bm ? c.bm : 128;
    c.bn = c.bn ? c.bn : 256;
    c.bk = c.bk ? c.bk : 64;
    c.cluster_m = c.cluster_m ? c.cluster_m : 1;
    c.cluster_n = c.cluster_n ? c.cluster_n : 1;
    c.cluster_k = c.cluster_k ? c.cluster_k : 1;
    c.schedule = c.schedule ? c.schedule : TC_COOPERATIVE;
    c.consumers = c.consumers ? c.consumers : c.schedule == TC_COOPERATIVE && c.bm == 64 ? 1 : 2;
    c.epi_stages = c.epi_stages ? c.epi_stages : 2;
    if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) { /* as many as fit, at most 12 */
        const int slot = tc__gemm90_stage_bytes(c) + tc_pipe_bytes(1);
        c.stages = (TC__SM90_SMEM_MAX - tc_gemm_sm90_plan_of(c).bytes) / slot;
        c.stages = c.stages > 12 ? 12 : c.stages;
    }
    return c;
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm90_op(const tc_gemm_config c)
{
    tc_op op = tc_op_make(90, TC_INST_WGMMA);
    op.a = c.a, op.b = c.b, op.acc = TC_F32;
    op.m = 64, op.n = c.bn;
    op.a_from = op.b_from = TC_HOME_SMEM;
    op.a_major = op.b_major = TC_MAJOR_K;
    return op;
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM90_RULES(X, c)                                                                                     \
    TC__GEMM_RULES(X, c)                                                                                              \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(tc_op_types_ok(tc_gemm_sm90_op(c)), "tc: wgmma does not multiply the types of .a and .b: docs/types.md")        \
    X((c).schedule == TC_COOPERATIVE || (c).schedule == TC_PINGPONG,                                                  \
      "tc: .schedule must be TC_COOPERATIVE or TC_PINGPONG")                                                          \
    X((c).consumers >= 1 && (c).consumers <= 3, "tc: .consumers must be 1, 2 or 3 warpgroups")                        \
    X((c).bm > 0 && tc__gemm90_rows(c) > 0 && tc__gemm90_rows(c) % 64 == 0 && (c).bm % tc__gemm90_rows(c) == 0,       \
      "tc: .bm must be a multiple of 64 rows for each consumer warpgroup (64 * consumers if cooperative)")            \
    X((c).bn > 0 && (c).bn % 16 == 0 && tc_op_exists(tc_gemm_sm90_op(c)),                                             \
      "tc: .bn must be a multiple of 16 in 16..256")                                                                  \
    X((c).bk > 0 && (c).bk % 64 == 0, "tc: .bk must be a multiple of 64")                                             \
    X(tc__gemm90_rows(c) * (c).bn / 128 <= ((c).consumers == 3 ? 96 : 208),                                           \
      "tc: too many accumulators: rows of a warpgroup * .bn / 128 must be at most 208 (96 for 3 consumers)")          \
    X((c).cluster_m >= 1 && (c).cluster_n >= 1 && (c).cluster_m * (c).cluster_n <= 8,                                 \
      "tc: .cluster_m * .cluster_n must be in 1..8")                                                                  \
    X((c).bm % (8 * (c).cluster_n) == 0 && (c).bn % (8 * (c).cluster_m) == 0,                                         \
      "tc: .bm must divide by 8 * .cluster_n and .bn by 8 * .cluster_m")                                              \
    X((c).cluster_k == 1 || ((c).cluster_k >= 2 && (c).cluster_k <= 4 && (c).cluster_m * (c).cluster_n == 1           \
                             && (c).schedule == TC_COOPERATIVE && (c).bn % (16 * (c).cluster_k) == 0),                \
      "tc: .cluster_k must be in 1..4, with a cooperative schedule, no other cluster, and .bn a multiple of 16 "      \
      "* .cluster_k")                                                                                                 \
    X((c).bm / (c).cluster_n <= 256, "tc: .bm / .cluster_n must be at most 256, a tensor map's box")                  \
    X((c).epi_stages >= 1 && (c).epi_stages <= 4, "tc: .epi_stages must be in 1..4")                                  \
    X((c).stages >= 2 && tc_gemm_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                                   \
      "tc: .stages must be 2 or more, and tiles * .stages plus store buffers fit in 227 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm90_legal(const tc_gemm_config c)
{
    return 1 TC__GEMM_SM90_RULES(TC__RULE_AND, c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the kernel is given. Tensor maps have the dimensions (k or n, rows, batch).
 */
typedef struct tc_gemm_sm90_params {
    tc_tmap a, b, d;
    tc_gemm_out out;
    tc_tiles tiles;    /* of clusters */
    uint32_t k_blocks; /* at least 1, or cluster_k: blocks past the end of k are read as zeros */
    int k_first;       /* where k starts; past the end if k is 0 */
    uint32_t skip_slots, skip_laps; /* k_blocks modulo and divided by the ring's stages: another warpgroup's tile */
    int a_batched, b_batched;       /* 0 where every batch uses the same matrix */
} tc_gemm_sm90_params;

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel as its functions know it: a constant (its configuration, the wgmma of its width and type), and what a
 * block knows.
 */
typedef struct tc_gemm90 {
    tc_gemm_config c;
    tc_wgmma_fn mma;
} tc_gemm90;

TC_DEV_SM90A TC_CONSTEXPR tc_gemm90 tc_gemm90_of(const tc_gemm_config c)
{
    tc_gemm90 k = {c, tc_wgmma_pick_f32(c.bn, c.a)};
    return k;
}

typedef struct tc_gemm90_block {
    const tc_gemm_sm90_params *p;
    uint32_t smem; /* shared address of its dynamic shared memory, a multiple of 1024 */
    tc_pipe pipe;
    uint32_t rank; /* in the cluster */
    int wg;        /* warpgroup of this thread */
} tc_gemm90_block;

TC_DEV_SM90 tc_gemm90_block tc_gemm90_block_make(const tc_gemm_config c, const tc_gemm_sm90_params *p, uint32_t smem)
{
    tc_gemm90_block b;
    b.p = p;
    b.smem = smem;
    b.pipe = tc_pipe_at(smem + (uint32_t)tc_gemm_sm90_plan_of(c).pipe, c.stages);
    b.rank = c.cluster_m * c.cluster_n * c.cluster_k > 1 ? tc_cluster_ctarank() : 0u;
    b.wg = tc_warpgroup();
    return b;
}

/* A consumer warpgroup: its place in the ring, and what its warps keep. */
typedef struct tc_gemm90_consumer {
    tc_ring ring;
    int row, warp_row; /* its first row within a tile; that of this warp, the same for all lanes and known to be */
    uint32_t my_turn, next_turn; /* ping-pong: mbarriers of this warpgroup and of the one whose tile comes next */
    uint32_t buf, stores;        /* this warp's boxes; how many stores have used them, in turn */
    tc_work w;                   /* the tile */
} tc_gemm90_consumer;

/* Tile `index` as this block sees it. With cluster_k: its share of k, one of cluster_k about equal runs. */
TC_DEV tc_work tc_gemm90_work(const tc_gemm_config c, const tc_gemm90_block *b, uint32_t index)
{
    const tc_tile t = tc_tile_at(&b->p->tiles, index);
    const uint32_t cm = c.cluster_k > 1 ? 0u : b->rank % (uint32_t)c.cluster_m,
                   cn = c.cluster_k > 1 ? 0u : b->rank / (uint32_t)c.cluster_m;
    tc_work w;
    w.row = ((int)t.m * c.cluster_m + (int)cm) * c.bm;
    w.col = ((int)t.n * c.cluster_n + (int)cn) * c.bn;
    w.batch = (int)t.batch;
    w.k_first = c.cluster_k > 1 ? b->p->k_blocks * b->rank / (uint32_t)c.cluster_k : 0u;
    w.k_blocks = c.cluster_k > 1 ? b->p->k_blocks * (b->rank + 1u) / (uint32_t)c.cluster_k - w.k_first : b->p->k_blocks;
    return w;
}

/* Producer, one thread: the blocks of one tile of work. In a cluster each block loads its share of the A tile for the
 * blocks of its row and of the B tile for those of its column. */
TC_DEV_SM90 void tc_gemm_sm90_load(const tc_gemm_config c, const tc_gemm90_block *g, tc_ring *ring, const tc_work *w)
{
    const tc_gemm_sm90_params *p = g->p;
    const tc_operand oa = tc__gemm90_a(c), ob = tc__gemm90_b(c);
    const uint32_t rank = c.cluster_k > 1 ? 0u : g->rank, cm = rank % (uint32_t)c.cluster_m,
                   cn = rank / (uint32_t)c.cluster_m;
    const int a_rows = c.bm / c.cluster_n, b_rows = c.bn / c.cluster_m;
    tc_operand_source a, b;
    a.map = &p->a;
    a.row = w->row + (int)cn * a_rows;
    a.batch = p->a_batched ? w->batch : 0;
    a.mask = 0;
    b.map = &p->b;
    b.row = w->col + (int)cm * b_rows;
    b.batch = p->b_batched ? w->batch : 0;
    b.mask = (uint16_t)(((1u << c.cluster_m) - 1u) << (cn * (uint32_t)c.cluster_m));
#pragma unroll
    for (int i = 0; i < c.cluster_n; i++) a.mask |= (uint16_t)(1u << (cm + (uint32_t)(i * c.cluster_m)));

    for (uint32_t kb = w->k_first; kb < w->k_first + w->k_blocks; kb++) {
        const uint32_t full = tc_pipe_full(g->pipe, ring->stage);
        const uint32_t to_a = g->smem + ring->stage * (uint32_t)oa.bytes + cn * (uint32_t)(a_rows * 128);
        const uint32_t to_b = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).b + ring->stage * (uint32_t)ob.bytes
                            + cm * (uint32_t)(b_rows * 128);
        TC_PIPE_WAIT_EMPTY(g->pipe, ring);
        tc_mbarrier_arrive_expect_tx(full, (uint32_t)tc__gemm90_stage_bytes(c));
#pragma unroll
        for (int box = 0; box < oa.boxes; box++) {
            const int k = p->k_first + (int)kb * c.bk + box * tc_operand_box_k(oa);
            tc_operand_fetch(c.cluster_n > 1, &a, k, to_a + (uint32_t)(box * oa.box_bytes), full);
            tc_operand_fetch(c.cluster_m > 1, &b, k, to_b + (uint32_t)(box * ob.box_bytes), full);
        }
        tc_ring_next(ring, c.stages);
    }
}

/* Consumer: gives a slot back to every block that may write into it: those of this block's row and column. */
TC_DEV_SM90 void tc__gemm90_release(const tc_gemm_config c, const tc_gemm90_block *g, uint32_t stage)
{
    const uint32_t t = threadIdx.x % 128u, empty = tc_pipe_empty(g->pipe, stage), rank = c.cluster_k > 1 ? 0u : g->rank;
    if (c.cluster_m * c.cluster_n == 1) {
        if (t == 0) tc_mbarrier_arrive(empty);
    } else if (t < (uint32_t)(c.cluster_m + c.cluster_n - 1)) {
        const uint32_t cm = rank % (uint32_t)c.cluster_m, cn = rank / (uint32_t)c.cluster_m;
        uint32_t to = t - (uint32_t)c.cluster_m; /* index among the other blocks of the row */
        to = t < (uint32_t)c.cluster_m ? cn * (uint32_t)c.cluster_m + t
                                       : cm + (to < cn ? to : to + 1u) * (uint32_t)c.cluster_m;
        tc_mbarrier_arrive_cluster_relaxed(empty, to);
    }
}

/* Consumer, one warpgroup: the k loop of one tile into acc. k_blocks >= 1. Leaves no wgmma in flight. A slot is given
 * back one step late, when the group that read it has surely finished. With TC_PINGPONG the next warpgroup gets its
 * turn as soon as this one's last wgmma is issued. Turns are needed for more than order: a parity tells only
 * neighbouring laps of the ring apart, so nobody may wait for a slot while the lap before it is still to come. */
TC_DEV_SM90A void tc_gemm_sm90_mma(const tc_gemm90 k, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    const tc_gemm_config c = k.c;
    const tc_operand oa = tc__gemm90_a(c), ob = tc__gemm90_b(c);
    const uint32_t k_blocks = u->w.k_blocks;
    tc_ring *ring = &u->ring;
    uint32_t last = 0;
    TC_PIPE_WAIT_FULL(g->pipe, ring);
    for (uint32_t kb = 0; kb < k_blocks; kb++) {
        const uint64_t da = tc_wgmma_desc(g->smem + ring->stage * (uint32_t)oa.bytes + (uint32_t)(u->row * 128), 128);
        const uint64_t db = tc_wgmma_desc(g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).b
                                              + ring->stage * (uint32_t)ob.bytes,
                                          128);
        const uint32_t now = ring->stage;
        int ready;
        tc_wgmma_fence();
#pragma unroll
        for (int s = 0; s < tc_operand_steps(oa); s++) {
#pragma unroll
            for (int i = 0; i < tc__gemm90_rows(c) / 64; i++) {
                k.mma(acc + i * c.bn / 2, tc_wgmma_desc_advance(da, (uint32_t)(tc_operand_step(oa, s) + i * 64 * 128)),
                      tc_wgmma_desc_advance(db, (uint32_t)tc_operand_step(ob, s)), s > 0 ? 1 : kb > 0);
            }
        }
        tc_wgmma_commit_group();
        /* While the Tensor Cores work, look whether the next slot is full: what stands between the end of one group and
         * the start of the next one but one is then as short as can be. */
        tc_ring_next(ring, c.stages);
        ready = kb + 1 == k_blocks || tc_mbarrier_test_wait_parity(tc_pipe_full(g->pipe, ring->stage), ring->phase);
        TC_WGMMA_WAIT_GROUP(1);
        if (kb > 0) tc__gemm90_release(c, g, last);
        last = now;
        if (!ready) TC_PIPE_WAIT_FULL(g->pipe, ring);
    }
    if (c.schedule == TC_PINGPONG && tc_lane() == 0) tc_mbarrier_arrive(u->next_turn);
    TC_WGMMA_WAIT_GROUP(0);
    tc_wgmma_fence_acc(acc, tc__gemm90_rows(c) / 64 * c.bn / 2);
    tc__gemm90_release(c, g, last);
}

/* cluster_k: every block has a partial sum of the whole tile and keeps bn / cluster_k columns of it. Each thread sends
 * the rest to the blocks that keep them, 16 bytes at a time, where the same thread adds them up, in the order of k. The
 * bytes are counted by an mbarrier of the receiver. A block computes one tile in its life, so nothing here is used
 * twice. */
TC_DEV_SM90 void tc__gemm90_exchange_sums(const tc_gemm_config c, const tc_gemm90_block *g, float *acc)
{
    const int mt = tc__gemm90_rows(c) / 64, part = c.bn / c.cluster_k / 2, pieces = mt * part / 4,
              threads = 128 * c.consumers;
    const uint32_t t = threadIdx.x - 128u, from_one = (uint32_t)(pieces * threads * 16), rank = g->rank;
    const uint32_t received = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).received,
                   sums = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums;
#pragma unroll
    for (int to = 0; to < c.cluster_k; to++) {
        if ((uint32_t)to != rank) { /* senders before the receiver have slot rank, those behind it rank - 1 */
            const uint32_t slot = rank < (uint32_t)to ? rank : rank - 1u;
            const uint32_t at = tc_mapa(received + slot * from_one + t * 16u, (uint32_t)to),
                           bar = tc_mapa(sums, (uint32_t)to);
#pragma unroll
            for (int i = 0; i < pieces; i++) {
                const float *v = acc + i / (part / 4) * (c.bn / 2) + to * part + i % (part / 4) * 4;
                tc_st_async_v4_f32(at + (uint32_t)(i * threads * 16), v, bar);
            }
        }
    }
    tc_mbarrier_wait_cluster(sums, 0); /* the bytes come from other blocks */
#pragma unroll
    for (int i = 0; i < pieces; i++) {
        float sum[4] = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
        for (int from = 0; from < c.cluster_k; from++) {
            float v[4];
            if ((uint32_t)from == rank) {
#pragma unroll
                for (int me = 0; me < c.cluster_k; me++) { /* registers have constant numbers only */
                    if ((uint32_t)me == rank) {
#pragma unroll
                        for (int e = 0; e < 4; e++)
                            v[e] = acc[i / (part / 4) * (c.bn / 2) + me * part + i % (part / 4) * 4 + e];
                    }
                }
            } else {
                const uint32_t slot = (uint32_t)from < rank ? (uint32_t)from : (uint32_t)from - 1u;
                asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                             : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                             : "r"(received + slot * from_one + t * 16u + (uint32_t)(i * threads * 16))
                             : "memory");
            }
#pragma unroll
            for (int e = 0; e < 4; e++) sum[e] = from == 0 ? v[e] : sum[e] + v[e];
        }
#pragma unroll
        for (int e = 0; e < 4; e++) acc[i / (part / 4) * (c.bn / 2) + i % (part / 4) * 4 + e] = sum[e];
    }
}

/* A box of D, number i of a tile's (along rows of 64, then columns): what the epilogue and its edges count by. */
TC_HD TC_CONSTEXPR int tc__gemm90_boxes(const tc_gemm_config c)
{
    return c.bn / c.cluster_k / tc_box_cols(tc__gemm90_box(c));
}

TC_DEV tc_gemm_at tc__gemm90_box_at(const tc_gemm_config c, const tc_gemm90_block *g, const tc_gemm90_consumer *u,
                                    int i)
{
    const int across = tc__gemm90_boxes(c), part = c.cluster_k > 1 ? (int)g->rank * (c.bn / c.cluster_k) : 0;
    const tc_gemm_at at = {u->w.row + u->warp_row + i / across * 64,
                           u->w.col + part + i % across * tc_box_cols(tc__gemm90_box(c)), u->w.batch, 0};
    return at;
}

/* The boxes of this warp that cross the last row or the last column of D, through shared memory as f32, before all
 * others: the stores of the tile before have long left their buffers. One at a time, since a hook's code
 * shall not stand here for each: so each has its turn at the one place where its registers are known. */
TC_DEV_SM90 void tc__gemm90_store_edges(const tc_gemm_config c, const tc_gemm90_block *g, tc_gemm90_consumer *u,
                                        const float *acc)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_box box = tc__gemm90_box(c), f = {TC_F32, box.bytes};
    const int cols = tc_box_cols(f), parts = tc_box_cols(box) / cols, across = tc__gemm90_boxes(c),
              boxes = tc__gemm90_rows(c) / 64 * across;
    const int once = parts <= c.epi_stages ? parts : 1; /* parts that the warp's boxes hold side by side */
    const uint32_t at = u->buf + tc_box_lane(f);
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
#pragma unroll 1
    for (int i = 0; i < boxes * parts; i += once) {
        tc_gemm_at first = tc__gemm90_box_at(c, g, u, i / parts);
        if (first.row >= o->m || first.col >= o->n || (first.row + 16 <= o->m && first.col + tc_box_cols(box) <= o->n))
            continue;
        first.col += i % parts * cols;
        __syncwarp();
#pragma unroll
        for (int k = 0; k < boxes * parts; k++) {
            const float *v = acc + k / parts / across * c.bn / 2 + k / parts % across * tc_box_cols(box) / 2
                           + k % parts * cols / 2;
            if (k / once * once == i) tc_box_put(f, at + (uint32_t)(k % once * 16 * box.bytes), v, 0, cols / 2);
        }
        __syncwarp();
        tc__box_store_edge(box, once, tc__gemm_epi(c), o, u->buf, first);
    }
    __syncwarp();
}

/* Consumer, one warpgroup: acc through alpha, beta * C and the hook to D. Whole boxes leave by TMA. */
TC_DEV_SM90 void tc_gemm_sm90_store(const tc_gemm_config c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    const tc_gemm_out *o = &g->p->out;
    const tc_box box = tc__gemm90_box(c);
    const int cols = tc_box_cols(box), most = cols / 2 < 32 ? cols / 2 : 32;
    const int group = tc__gemm90_rows(c) * c.bn / 128 > 128 ? 8 : most;
    const int lane = tc_lane(), across = tc__gemm90_boxes(c);
    const uint32_t lane_at = tc_box_lane(box);
    if (u->w.row + u->row + tc__gemm90_rows(c) > o->m || u->w.col + c.bn > o->n) tc__gemm90_store_edges(c, g, u, acc);
#pragma unroll
    for (int i = 0; i < tc__gemm90_rows(c) / 64 * across; i++) {
        float *v = acc + i / across * c.bn / 2 + i % across * cols / 2;
        const tc_gemm_at first = tc__gemm90_box_at(c, g, u, i);
        /* Only conditions that the compiler knows to be the same for the warp may stand around what follows: else it
         * takes the warp for diverged and moves the main loop's descriptors out of the uniform registers. */
        if (first.row + 16 <= o->m && first.col + cols <= o->n) {
            const uint32_t to = u->buf + (u->stores % (uint32_t)c.epi_stages) * (uint32_t)(16 * box.bytes);
            if (lane == 0) tc__bulk_wait_read(c.epi_stages - 1);
            __syncwarp();
            tc__epi_alpha(v, cols / 2, o->alpha);
            if (o->beta != 0.f) tc__box_add_c(box, o, v, to, first);
            /* Hook, then store, `group` values at a time: more of them hide more latency, where registers are left. */
#pragma unroll
            for (int from = 0; from < cols / 2; from += group) {
#pragma unroll
                for (int j = from; j < from + group; j += 2) {
                    const tc_gemm_at at = {first.row + lane / 4 + j / 2 % 2 * 8, first.col + lane % 4 * 2 + j / 4 * 8,
                                           first.batch, 0};
                    tc__epi_hook(tc__gemm_epi(c), o, v + j, at);
                }
                tc_box_put(box, to + lane_at, v, from, from + group);
            }
            tc_fence_proxy_async_shared();
            __syncwarp();
            if (lane == 0) {
                tc_cp_async_bulk_tensor_3d_store(&g->p->d, to, first.col, first.row, first.batch);
                tc_cp_async_bulk_commit_group();
            }
            ++u->stores;
        }
    }
}

/* The barriers of a block, and the meeting of all its threads behind them; its cluster's too. */
TC_DEV_SM90 void tc__gemm90_start(const tc_gemm_config c, const tc_gemm90_block *g)
{
    const uint32_t turn = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).turn,
                   sums = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).sums;
    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&g->p->a);
        tc_prefetch_tensormap(&g->p->b);
        tc_prefetch_tensormap(&g->p->d);
        tc_pipe_init(g->pipe, c.stages,
                     (uint32_t)((c.schedule == TC_PINGPONG ? 1 : c.consumers) * (c.cluster_m + c.cluster_n - 1)));
        for (int i = 0; i < c.consumers; i++) tc_mbarrier_init(turn + (uint32_t)i * 8u, 4); /* a lane of each warp */
        if (c.cluster_k > 1) {
            tc_mbarrier_init(sums, 1);
            tc_mbarrier_arrive_expect_tx(sums, (uint32_t)tc__gemm90_sums_bytes(c));
        }
        tc_fence_mbarrier_init();
    }
    if (c.cluster_m * c.cluster_n * c.cluster_k > 1) { /* fence.mbarrier_init has released what the others must see */
        tc_cluster_arrive_relaxed();
        tc_cluster_wait();
    } else {
        __syncthreads();
    }
    tc_griddepcontrol_wait();
}

/* A consumer warpgroup: all tiles of its block, or with TC_PINGPONG every second or third of them. */
TC_DEV_SM90A void tc__gemm90_consume(const tc_gemm90 k, const tc_gemm90_block *g, uint32_t first, uint32_t step)
{
    const tc_gemm_config c = k.c;
    const tc_gemm_sm90_params *p = g->p;
    const int pingpong = c.schedule == TC_PINGPONG, wg = g->wg;
    const uint32_t turn = pingpong ? (uint32_t)(wg - 1) : 0u, turns = pingpong ? (uint32_t)c.consumers : 1u;
    const uint32_t turn_at = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).turn;
    uint32_t tiles = turn == 0; /* the first warpgroup's first turn is free */
    tc_gemm90_consumer u;
    float acc[256];
    u.ring.stage = u.ring.phase = 0;
    u.row = pingpong ? 0 : (wg - 1) * tc__gemm90_rows(c);
    u.warp_row = u.row + (int)tc_uniform(threadIdx.x / 32u % 4u) * 16;
    u.my_turn = turn_at + turn * 8u;
    u.next_turn = turn_at + (turn + 1u == turns ? 0u : turn + 1u) * 8u;
    u.buf = g->smem + (uint32_t)tc_gemm_sm90_plan_of(c).store
          + (threadIdx.x / 32u - 4u) * (uint32_t)tc_gemm_sm90_plan_of(c).warp_store;
    u.stores = 0;
    if (turn) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, c.stages);
    if (turn > 1u) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, c.stages);
    for (uint32_t i = first + turn * step; i < p->tiles.total; i += turns * step) {
        u.w = tc_gemm90_work(c, g, i);
        if (pingpong) TC_MBARRIER_WAIT(u.my_turn, tiles++ & 1u, "turn", (int)turn);
        tc_gemm_sm90_mma(k, g, &u, acc);
        if (c.cluster_k > 1) tc__gemm90_exchange_sums(c, g, acc);
        tc_gemm_sm90_store(c, g, &u, acc);
#pragma unroll
        for (uint32_t other = 1; other < turns; other++) tc_ring_skip(&u.ring, p->skip_slots, p->skip_laps, c.stages);
    }
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* The kernel. */
TC_DEV_SM90A void tc_gemm_sm90(const tc_gemm90 k, const tc_gemm_sm90_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_gemm_config c = k.c;
    const uint32_t blocks = (uint32_t)(c.cluster_m * c.cluster_n * c.cluster_k);
    const tc_gemm90_block g = tc_gemm90_block_make(c, p, tc_smem_u32(tc__dynamic_smem));
    const uint32_t first = blockIdx.x / blocks, step = gridDim.x / blocks;
    const int many = c.bn * tc__gemm90_rows(c) / 128 > 160; /* accumulators that want every register */
    const tc_roles roles = tc_roles_of(c.consumers, many ? TC_ROLES_CONSUMERS : TC_ROLES_USUAL);

    tc__gemm90_start(c, &g);
    if (g.wg == 0) {
        tc_roles_producer(roles);
        if (threadIdx.x == 0) {
            tc_ring ring = {0, 0};
            for (uint32_t i = first; i < p->tiles.total; i += step) {
                const tc_work w = tc_gemm90_work(c, &g, i);
                tc_gemm_sm90_load(c, &g, &ring, &w);
            }
            tc_griddepcontrol_launch_dependents();
        }
    } else {
        tc_roles_consumer(roles);
        tc__gemm90_consume(k, &g, first, step);
    }
    /* A block's shared memory must outlive the arrivals and multicasts of its neighbours. */
    if (blocks > 1) {
        tc_cluster_arrive_relaxed();
        tc_cluster_wait();
    }
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A tensor map of A or B for a ring; with k = 0 they may be anything: a map of 8 elements of D, of which nothing is
 * read. */
TC_HOST tc_status tc__gemm90_map(tc_tmap *map, const tc_gemm_config *c, const tc_gemm_args *g, char which)
{
    tc_operand_matrix x = tc__gemm_matrix(c, g, which);
    if (g->k == 0) {
        x.base = g->d;
        x.cols = 8;
        x.rows = x.batch = 1;
        x.pitch = 8;
    }
    return tc_operand_map(map, &x, 1024 / tc_type_bits(x.type),
                          which == 'a' ? c->bm / c->cluster_n : c->bn / c->cluster_m);
}

/* Parameters and grid of a checked call. clusters: how many of the kernel run at a time. */
TC_HOST tc_status tc_gemm_sm90_fill(const tc_gemm_config *c, const tc_gemm_args *g, int clusters,
                                    tc_gemm_sm90_params *p)
{
    const tc_operand_matrix d = tc__gemm_matrix(c, g, 'd');
    const tc_box box = tc__gemm90_box(*c);
    tc_status st = tc__gemm_tiles(&p->tiles, c, g, clusters);
    if (st != TC_OK) return st;
    p->out = tc__gemm_out(g);
    p->k_blocks = ((uint32_t)g->k + (uint32_t)c->bk - 1) / (uint32_t)c->bk;
    if (p->k_blocks < (uint32_t)c->cluster_k) p->k_blocks = (uint32_t)c->cluster_k;
    p->skip_slots = p->k_blocks % (uint32_t)c->stages;
    p->skip_laps = p->k_blocks / (uint32_t)c->stages;
    p->k_first = g->k ? 0 : 1 << 20; /* past the row that the maps then have */
    p->a_batched = g->k && g->stride_a != 0;
    p->b_batched = g->k && g->stride_b != 0;
    st = tc_operand_map(&p->d, &d, tc_box_cols(box), 16);
    if (st == TC_OK) st = tc__gemm90_map(&p->a, c, g, 'a');
    if (st == TC_OK) st = tc__gemm90_map(&p->b, c, g, 'b');
    return st;
}

/* A call to launch: grid in blocks (0: there is nothing to compute), threads of a block, bytes of its dynamic shared
 * memory, blocks of a cluster (1: launch without), and the kernel's only argument. */
typedef struct tc_gemm_sm90_launch {
    unsigned grid, block, smem, cluster;
    tc_gemm_sm90_params params;
} tc_gemm_sm90_launch;

/* The rules for a call; g becomes the call to make. */
TC_HOST tc_status tc__gemm90_check(const tc_gemm_config *c, const tc_gemm_args *args, tc_gemm_args *g)
{
    const tc_status st = tc__gemm_check(c, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    *g = tc__gemm_effective(args);
    return tc__gemm_check_tma(c, g);
}

/* A checked call that computes something. */
TC_HOST tc_status tc__gemm90_launch(const tc_gemm_config *c, const tc_gemm_args *g, int clusters,
                                    tc_gemm_sm90_launch *l)
{
    const tc_status st = tc_gemm_sm90_fill(c, g, clusters, &l->params);
    const uint32_t total = l->params.tiles.total;
    l->block = (unsigned)tc_gemm_sm90_threads(*c);
    l->smem = (unsigned)tc_gemm_sm90_smem(*c);
    l->cluster = (unsigned)(c->cluster_m * c->cluster_n * c->cluster_k);
    l->grid = st != TC_OK ? 0
                          : (total < (uint32_t)clusters || c->cluster_k > 1 ? total : (uint32_t)clusters) * l->cluster;
    return st;
}

/* A call of a kernel that the program compiles and launches by itself (NVRTC, the driver API). given: the configuration
 * of its TC_GEMM_SM90_DEFINE, tc_epi_on_device or tc_epi2_on_device for its hook. clusters: how many of it run at a
 * time (cuOccupancyMaxActiveClusters; the device's multiprocessors divided by the cluster's blocks are as good). */
TC_HOST tc_status tc_gemm_sm90_prepare(const tc_gemm_config *given, const tc_gemm_args *args, int clusters,
                                       tc_gemm_sm90_launch *out)
{
    const tc__field *tc__fields = tc__gemm_fields;
    tc_gemm_config complete;
    const tc_gemm_config *c = &complete;
    tc_gemm_args g;
    tc_status st;
    if (!given || !out) return tc__fail(TC_ERR_NULL, "%s is null", given ? "out" : "config");
    memset((void *)out, 0, sizeof *out);
    if (clusters < 1) return tc__fail(TC_ERR_SIZE, "clusters = %d must be 1 or more", clusters);
    st = tc__gemm_config_check(given);
    if (st != TC_OK) return st;
    complete = tc_gemm_sm90_config(*given);
    TC__GEMM_SM90_RULES(TC__RULE_SAY, *c)
    st = tc__gemm90_check(c, args, &g);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    return tc__gemm90_launch(c, &g, clusters, out);
}

/* Checks, and with launch != 0 runs. */
TC_HOST tc_status tc__gemm_sm90_run(const tc_gemm_config *c, const tc__kernel *k, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    tc_gemm_sm90_launch l;
    tc_gemm_args g;
    tc_status st = tc__gemm90_check(c, args, &g);
    int clusters = 0;
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    st = tc__kernel_device(k, &clusters);
    if (st == TC_OK) st = tc__gemm90_launch(c, &g, clusters, &l);
    if (st != TC_OK || !how->launch) return st;
    return tc__kernel_launch(k, l.grid, &l.params, how);
}

#endif /* host */
#endif /* TC_GEMM_SM90_H */
