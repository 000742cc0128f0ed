/* tc_attn_sm120.h - tc 0.2.0 - attention's mainloop for the sm_120 family: TMA into a ring of mbarriers, and the step
 * of the sm_80 kernel. Needs: the headers below; sm_120, sm_121 (RTX 50, GB10), best as a or f targets.
 *
 *     tc_attn_sm120_config                 a configuration with every unset field filled in
 *     tc_attn_sm120_smem, _threads         what its block takes
 *     tc_attn_sm120_load                   its producer, for kernels of your own
 *     tc_attn_sm120                        the kernel's body
 *     tc_attn_sm120_prepare (host)         a call to launch by yourself: checked, its grid and its parameters
 *
 * tc_attn.h is the manual. FIELDS: .type (f16, bf16), the head dims, .causal, .window, .dropout and the hooks as
 * everywhere; and
 *     .bm         queries of a block: 16, 32, 48 or 64 for each of .warps (256 up to head dims of 64, 128 up to a
 *                 .head_dim_v of 128, above it 64)
 *     .warps      that multiply: 1, 2, 4 or 8 (8 up to head dims of 64, else 4)
 *     .bn         16..256 keys (as the sm_80 kernel's)
 *     .stages     tiles of K, and of V, in the ring: 2..6 (the most of 2..4 that fit 99 KB)
 * PLAIN TARGETS (sm_120 without the a) have no setmaxnreg, which 8 warps want: there .warps is 4 at most.
 *
 *     warps 0 ..     multiply: tc_attn_sm80.h, with .ring; each waits for its slots itself, and passes over tiles of
 *                    keys of which its own rows see nothing
 *     the next one   is the producer: Q, then K and V of one tile after the other. Beside 8 warps it has a warpgroup,
 *                    which gives its registers away (setmaxnreg)
 *
 *     shared memory: Q: [boxes][bm rows] | K: [stages][boxes][bn rows] | V: the same | mbarriers: full of each slot of
 *                    K, empty, the same of V; Q full; tail
 *
 *     full           TMA has filled a slot; V's with an end in it: the producer has written zeros behind that end
 *     empty          the warps that multiply have read it: one arrival each
 *
 * Boxes are as wide as their swizzle: the widest of 128, 64 and 32 bytes that divides a row, so that no row is padded
 * and ldmatrix has no bank conflicts whatever the head dim. TMA serves every call that tc_attn.h allows.
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#ifndef TC_ATTN_SM120_H
#define TC_ATTN_SM120_H

#include "tc_attn_sm80.h"
#include "tc_attn_sm90.h"

typedef struct tc_attn_sm120_params {
    tc_tmap q, k, v;
    tc_attn_problem problem;
} tc_attn_sm120_params;

enum { TC__ATTN120_SMEM_MAX = TC_CHIP_120_SMEM }; /* 99 KB, what a block of sm_120 may have */

/* Does the producer have a warpgroup, and give registers away? */
TC_HD TC_CONSTEXPR int tc__attn120_moves(const tc_attn_config c) { return c.warps == 8; }

/* What the others have then. A hook that the producer calls wants registers there too. */
TC_HD TC_CONSTEXPR int tc__attn120_has(const tc_attn_config c)
{
    return !tc__attn120_moves(c) ? 255 : c.mask ? 224 : 232;
}

TC_HD TC_CONSTEXPR int tc_attn_sm120_threads(const tc_attn_config c)
{
    return c.warps * 32 + (tc__attn120_moves(c) ? 128 : 32);
}

/* Offsets in a block's shared memory: behind Q, K and V the mbarriers. */
typedef struct tc__attn120_plan {
    int k_pipe, v_pipe, q_full, tail, bytes;
} tc__attn120_plan;

TC_HD TC_CONSTEXPR tc__attn120_plan tc__attn120_plan_of(const tc_attn_config c)
{
    tc__attn120_plan p = {tc_attn_sm80_smem(c), 0, 0, 0, 0};
    p.v_pipe = p.k_pipe + tc_pipe_bytes(c.stages);
    p.q_full = p.v_pipe + tc_pipe_bytes(c.stages);
    p.tail = p.q_full + 8;
    p.bytes = p.tail + 8;
    return p;
}
TC_HD TC_CONSTEXPR int tc_attn_sm120_smem(const tc_attn_config c) { return tc__attn120_plan_of(c).bytes; }

/* The configuration with every unset field filled in: the sm_80 kernel's, but that narrow heads have eight warps in
 * one block where that kernel has two blocks of four. */
TC_HD TC_CONSTEXPR tc_attn_config tc_attn_sm120_config(const tc_attn_config given)
{
    tc_attn_config c = given;
    c.head_dim = c.head_dim ? c.head_dim : 128;
    c.head_dim_v = c.head_dim_v ? c.head_dim_v : c.head_dim;
    if (!c.bm && !c.warps && c.head_dim <= 64 && c.head_dim_v <= 64) c.bm = 256, c.warps = 8;
    c = tc_attn_sm80_config(c);
    c.ring = 1;
    if (!given.stages)
        for (c.stages = 4; c.stages > 2 && tc_attn_sm120_smem(c) > TC__ATTN120_SMEM_MAX;) c.stages--;
    return c;
}

/* Boxes of TMA: so many bytes of a row wide. */
TC_HD TC_CONSTEXPR int tc__attn120_wide(const int dim) { return tc_rows_xor(dim * 2) * 16; }
TC_HD TC_CONSTEXPR int tc__attn120_boxes(const int dim) { return dim * 2 / tc__attn120_wide(dim); }

/* As TC__ATTN_RULES. */
#define TC__ATTN_SM120_RULES(X, c)                                                                                    \
    TC__ATTN_RULES(X, c)                                                                                              \
    X((c).warps == 1 || (c).warps == 2 || (c).warps == 4 || (c).warps == 8, "tc: .warps must be 1, 2, 4 or 8")        \
    X((c).bm > 0 && (c).bm % (16 * (c).warps) == 0 && (c).bm <= 64 * (c).warps && (c).bm <= 256,                      \
      "tc: .bm must be 16, 32, 48 or 64 queries for each of .warps, 256 at most")                                     \
    X((c).bn >= 16 && (c).bn <= 256 && (c).bn % 16 == 0, "tc: .bn must be a multiple of 16 in 16..256")               \
    X(tc__attn80_sums(c) <= 208 && tc__attn80_sums(c) + 48 <= tc__attn120_has(c),                                     \
      "tc: too many registers: .bm / .warps / 32 * (.bn + .head_dim_v) must be at most 206, 176 with 8 warps")        \
    X((c).stages >= 2 && (c).stages <= 6 && tc_attn_sm120_smem(c) <= TC__ATTN120_SMEM_MAX,                            \
      "tc: .stages must be in 2..6, and the tiles of Q, K and V fit in 99 KB of shared memory")

/* Whether TC_ATTN_SM120_DEFINE takes a configuration, unset fields included. */
TC_HD TC_CONSTEXPR int tc_attn_sm120_legal(const tc_attn_config given)
{
    const tc_attn_config c = tc_attn_sm120_config(given);
    return 1 TC__ATTN_SM120_RULES(TC__RULE_AND, c);
}

/* Has the target that is compiled for what the kernel takes? With -rdc=true ptxas ignores setmaxnreg. */
#if TC_HAS_SM120A && (!defined(__CUDACC_RDC__) || defined(__CUDACC_EWP__) || defined(TC_ALLOW_RDC))
#define TC__ATTN120_SETMAXNREG 1
#else
#define TC__ATTN120_SETMAXNREG 0
#endif
TC_HD TC_CONSTEXPR int tc__attn120_here(const tc_attn_config c)
{
    return TC_HAS_SM120 && (TC__ATTN120_SETMAXNREG || !tc__attn120_moves(c));
}

#ifdef __CUDACC__
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)

/* A tile of K or V: where it lies in its tensor, where it goes, the barrier that counts its bytes. */
typedef struct tc__attn120_tile {
    const tc_tmap *map;
    int row, head, outer;
    uint32_t at, full;
} tc__attn120_tile;

/* It is asked for, rows of dim elements; one lane. */
TC_DEV_SM120 void tc__attn120_fetch(const tc_attn_config c, const int dim, const tc__attn120_tile *t)
{
    const int wide = tc__attn120_wide(dim);
    tc_mbarrier_arrive_expect_tx(t->full, (uint32_t)(c.bn * dim * 2));
#pragma unroll
    for (int i = 0; i < tc__attn120_boxes(dim); i++)
        TC_CP_ASYNC_BULK_TENSOR(4d, shared::cta, tile, , , , t->at + (uint32_t)(i * c.bn * wide), t->map,
                                (i * wide / 2, t->row, t->head, t->outer), t->full);
}

/* Where the producer stands: the block's shared memory, its place in both rings. */
typedef struct tc__attn120_producer {
    const tc_attn_sm120_params *p;
    uint32_t smem;
    tc_ring ring;
} tc__attn120_producer;

/* The tile of Q; one lane. */
TC_DEV_SM120 void tc__attn120_fetch_q(const tc_attn_config c, const tc__attn120_producer *u, const tc_attn_work *w)
{
    const tc_attn_problem *a = &u->p->problem;
    const int wide = tc__attn120_wide(c.head_dim);
    const uint32_t full = u->smem + (uint32_t)tc__attn120_plan_of(c).q_full;
    tc_mbarrier_arrive_expect_tx(full, (uint32_t)(a->tile_q * a->group * c.head_dim * 2));
#pragma unroll
    for (int i = 0; i < tc__attn120_boxes(c.head_dim); i++)
        TC_CP_ASYNC_BULK_TENSOR(5d, shared::cta, tile, , , , u->smem + (uint32_t)(i * c.bm * wide), &u->p->q,
                                (i * wide / 2, 0, w->q_at + w->q0, w->h / a->group, tc__attn_outer_q(a, w)), full);
}

/* One tile of V, t->full its slot's barrier; used: rows of it that belong to the sequence. Rows behind those may hold
 * anything where sequences are packed or padded, and 0 times anything may be NaN: they become zeros before anyone reads
 * them. It is a tile of work's first one, if any. */
TC_DEV_SM120 void tc__attn120_fetch_v(const tc_attn_config c, const tc__attn120_producer *u, tc__attn120_tile *t,
                                      int used)
{
    const int wide = tc__attn120_wide(c.head_dim_v), lane = tc_lane();
    const uint32_t full = t->full, tail = u->smem + (uint32_t)tc__attn120_plan_of(c).tail;
    if (!u->p->problem.zero_tail || used >= c.bn) {
        if (lane == 0) tc__attn120_fetch(c, c.head_dim_v, t);
        return;
    }
    t->full = tail;
    if (lane == 0) tc__attn120_fetch(c, c.head_dim_v, t);
    TC_MBARRIER_WAIT(tail, 0, "V tail", 0);
#pragma unroll 1
    for (int at = used * wide + lane * 16; at < c.bn * wide; at += 512) {
#pragma unroll
        for (int i = 0; i < tc__attn120_boxes(c.head_dim_v); i++)
            tc__attn90_zero_16(t->at + (uint32_t)(i * c.bn * wide + at));
    }
    tc_fence_proxy_async_shared(); /* the slot's next tile comes by TMA */
    __syncwarp();
    if (lane == 0) tc_mbarrier_arrive(full);
}

/* Producer, one warp: everything that the block reads, in the order in which it is wanted. */
TC_DEV_SM120 void tc_attn_sm120_load(const tc_attn_config c, const tc_attn_sm120_params *p, uint32_t smem)
{
    const tc_attn_problem *a = &p->problem;
    const tc__attn120_plan plan = tc__attn120_plan_of(c);
    const tc__attn80_tiles tiles = tc__attn80_tiles_at(c, smem);
    const tc_pipe k_pipe = tc_pipe_at(smem + (uint32_t)plan.k_pipe, c.stages),
                  v_pipe = tc_pipe_at(smem + (uint32_t)plan.v_pipe, c.stages);
    const int lane = tc_lane();
    tc__attn120_producer u;
    tc__attn120_tile k, v;
    tc_attn_work w;
    int n, state;
    if (!tc_attn_work_at(c, a, blockIdx.x, &w)) return;
    n = tc_attn_next(c, a, &w, w.hi, &state);
    if (n < w.lo) return;
    u.p = p, u.smem = smem;
    u.ring.stage = u.ring.phase = 0;
    if (lane == 0) tc__attn120_fetch_q(c, &u, &w);
    k.map = &p->k, v.map = &p->v;
    k.head = v.head = w.h / (a->heads / a->heads_kv);
    k.outer = v.outer = tc__attn_outer_k(a, &w);
#pragma unroll 1
    for (; n >= w.lo; n = tc_attn_next(c, a, &w, n, &state)) {
        const uint32_t stage = u.ring.stage;
        k.row = v.row = w.k_at + n * c.bn;
        k.at = tiles.k + stage * (uint32_t)(c.bn * c.head_dim * 2), k.full = tc_pipe_full(k_pipe, stage);
        v.at = tiles.v + stage * (uint32_t)(c.bn * c.head_dim_v * 2), v.full = tc_pipe_full(v_pipe, stage);
        TC_MBARRIER_WAIT(tc_pipe_empty(k_pipe, stage), u.ring.phase ^ 1u, "K empty", (int)stage);
        if (lane == 0) tc__attn120_fetch(c, c.head_dim, &k);
        TC_MBARRIER_WAIT(tc_pipe_empty(v_pipe, stage), u.ring.phase ^ 1u, "V empty", (int)stage);
        tc__attn120_fetch_v(c, &u, &v, w.k_len - n * c.bn);
        tc_ring_next(&u.ring, c.stages);
    }
}

/* Barriers, rows of Q that TMA never writes (packed heads whose number does not divide bm), and the meeting of all
 * threads behind them. */
TC_DEV_SM120 void tc__attn120_start(const tc_attn_config c, const tc_attn_sm120_params *p, uint32_t smem)
{
    const tc__attn120_plan plan = tc__attn120_plan_of(c);
    const int wide = tc__attn120_wide(c.head_dim);
    if (threadIdx.x == 0) {
        tc_prefetch_tensormap(&p->q);
        tc_prefetch_tensormap(&p->k);
        tc_prefetch_tensormap(&p->v);
        tc_pipe_init(tc_pipe_at(smem + (uint32_t)plan.k_pipe, c.stages), c.stages, (uint32_t)c.warps);
        tc_pipe_init(tc_pipe_at(smem + (uint32_t)plan.v_pipe, c.stages), c.stages, (uint32_t)c.warps);
        tc_mbarrier_init(smem + (uint32_t)plan.q_full, 1);
        tc_mbarrier_init(smem + (uint32_t)plan.tail, 1);
        tc_fence_mbarrier_init();
    }
#pragma unroll 1
    for (int at = p->problem.tile_q * p->problem.group * wide + (int)threadIdx.x * 16; at < c.bm * wide;
         at += tc_attn_sm120_threads(c) * 16) {
#pragma unroll
        for (int i = 0; i < tc__attn120_boxes(c.head_dim); i++)
            tc__attn90_zero_16(smem + (uint32_t)(i * c.bm * wide + at));
    }
    __syncthreads();
    tc_griddepcontrol_wait();
}

/* The kernel. */
TC_DEV_SM120 void tc_attn_sm120(const tc_attn_config c, const tc_attn_sm120_params *p)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const uint32_t smem = tc_smem_u32(tc__dynamic_smem);
    const tc__attn120_plan plan = tc__attn120_plan_of(c);
    tc__attn120_start(c, p, smem);
    if (tc_uniform(threadIdx.x / 32u) >= (uint32_t)c.warps) {
#if TC__ATTN120_SETMAXNREG
        if (tc__attn120_has(c) == 224) TC_SETMAXNREG_DEC(56);
        if (tc__attn120_has(c) == 232) TC_SETMAXNREG_DEC(40);
#endif
        if (tc_uniform(threadIdx.x / 32u) == (uint32_t)c.warps) {
            tc_attn_sm120_load(c, p, smem);
            tc_griddepcontrol_launch_dependents();
        }
    } else {
        tc__attn80_ring r;
#if TC__ATTN120_SETMAXNREG
        if (tc__attn120_has(c) == 224) TC_SETMAXNREG_INC(224);
        if (tc__attn120_has(c) == 232) TC_SETMAXNREG_INC(232);
#endif
        r.problem = &p->problem;
        r.k = tc_pipe_at(smem + (uint32_t)plan.k_pipe, c.stages);
        r.v = tc_pipe_at(smem + (uint32_t)plan.v_pipe, c.stages);
        r.q_full = smem + (uint32_t)plan.q_full;
        tc__attn80_queries(c, 0, &r);
    }
}

#endif /* TC_HAS_SM120 */
#endif /* __CUDACC__ */

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* As tc_attn_sm80_launch. */
typedef struct tc_attn_sm120_launch {
    unsigned grid, block, smem, cluster;
    tc_attn_sm120_params params;
} tc_attn_sm120_launch;

TC_HOST tc_status tc__attn120_check(const tc_attn_config *c, const tc_attn_args *g) { return tc__attn_check(c, g); }

/* A tensor map in boxes of `rows` rows, as wide as they are swizzled; share: as tc__attn_map. */
TC_HOST tc_status tc__attn120_map(tc_tmap *map, const tc__attn_tensor t, int share, int rows)
{
    const tc_operand_box box = {tc__attn120_wide(t.dim) / 2, rows, tc__attn120_wide(t.dim), 0};
    return tc__attn_map_box(map, t, share, &box);
}

/* A checked call that computes something. */
TC_HOST tc_status tc__attn120_launch(const tc_attn_config *c, const tc_attn_args *g, int sms, tc_attn_sm120_launch *l)
{
    tc_attn_sm120_params *p = &l->params;
    tc_status st = tc__attn_problem_make(&p->problem, c, g, sms);
    if (st != TC_OK) return st;
    st = tc__attn120_map(&p->q, tc__attn_tensor_of(c, g, 'q'), p->problem.group, p->problem.tile_q);
    p->k = p->v = p->q; /* where there are no keys nothing of K and V is read */
    if (st == TC_OK && g->k_len) st = tc__attn120_map(&p->k, tc__attn_tensor_of(c, g, 'k'), 0, c->bn);
    if (st == TC_OK && g->k_len) st = tc__attn120_map(&p->v, tc__attn_tensor_of(c, g, 'v'), 0, c->bn);
    l->block = (unsigned)tc_attn_sm120_threads(*c);
    l->smem = (unsigned)tc_attn_sm120_smem(*c);
    l->cluster = 1;
    l->grid = st != TC_OK ? 0 : (unsigned)p->problem.blocks * (unsigned)p->problem.columns;
    return st;
}

/* tc_attn_sm120_prepare, as tc_attn_sm90_prepare. */
TC__PREPARE(attn, 120, sms, TC__ATTN_SM120_RULES)
TC__RUN(attn, 120)

#endif /* host */
#endif /* TC_ATTN_SM120_H */
