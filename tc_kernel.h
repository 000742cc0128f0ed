/* tc_kernel.h - tc 0.2.0 - a skeleton for Hopper kernels of your own: rings, roles, registers and barriers are here.
 * Needs: the headers below; sm_90a.
 *
 * A kernel that multiplies tiles is three functions; the rest is the same in each. You write them, the skeleton calls
 * them:
 *
 *     load      one thread: TMA copies of one step of k into a slot                                   (the producer)
 *     step      a warpgroup: the products of one slot, issued as wgmma into acc                       (a consumer)
 *     finish    a warpgroup: what becomes of acc when the last step is done; stores                   (a consumer)
 *
 *     typedef struct my_params { tc_kernel_head head; tc_tmap a, b, d; int m, n; } my_params;         // head comes
 *                                                                                                     first
 *     TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *params) { ... }
 *     TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *params) { ... }
 *     TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *params) { ... }
 *     TC_KERNEL_SM90_DEFINE(mine, my_params, .bm = 128, .bn = 256, .slot_bytes = (128 + 256) * 64 * 2, .accumulators =
 *     128,
 *                           .load = load, .step = step, .finish = finish)
 *     ...
 *     my_params p;                                          // fill the tensor maps: tc_operand_map, tc_tmap_encode
 *     tc_kernel_call call = { .m = m, .n = n, .steps = (k + 63) / 64, .stream = stream };
 *     tc_status st = mine_launch(&p, &call);                // fills p.head, checks the device, launches
 *
 * It declares NAME (the kernel), NAME_THREADS, NAME_SMEM, NAME_launch.
 *
 * WHAT HAPPENS. The grid is persistent: a block walks over tiles of bm x bn in the order of tc_tile_at. The producer
 * waits until a slot is empty, announces slot_bytes, and calls load, which must bring just as many into the slot of
 * this block (what neighbours multicast into it counts). A consumer waits until the slot is full and calls step;
 * wgmma.fence before it, commit_group behind it are the skeleton's. While the products run, it looks for the next slot,
 * and gives a slot back when the group after it has been issued and it is surely read. After the last step nothing is
 * in flight, and finish may read acc. The producer meanwhile fills the ring for the next tile.
 *
 * TRAPS
 *     The first product of a tile must overwrite acc (scale_d = s->step > 0 || not the first): nobody clears it.
 *     step and finish are called by all 128 threads of a warpgroup, and must not branch apart around wgmma.
 *     A condition that differs between lanes of a warp around TMA or wgmma makes ptxas move descriptors out of uniform
 *     registers, which is slow: conditions over t->row (known to be the same) are fine.
 *     In a cluster a block may still receive from its neighbours when it is done: the skeleton keeps it.
 */
#ifndef TC_KERNEL_H
#define TC_KERNEL_H

#include "tc_epi.h"
#include "tc_operand.h"
#include "tc_pipe.h"
#include "tc_work.h"

/* What a kernel's parameters begin with; NAME_launch fills it. */
typedef struct tc_kernel_head {
    tc_tiles tiles; /* of clusters */
    uint32_t steps;
} tc_kernel_head;

/* A slot of the ring and the step that it is for. */
typedef struct tc_slot {
    uint32_t at,
        full; /* shared addresses: its first byte, a multiple of 1024; the mbarrier that counts its bytes (load) */
    uint32_t step;     /* of k, from 0 */
    uint32_t rank;     /* of this block in its cluster */
    int wg;            /* consumer warpgroup, from 0 (step) */
} tc_slot;

/* The end of a tile, as a warp sees it. */
typedef struct tc_tile_end {
    uint32_t rank;
    int wg;         /* consumer warpgroup, from 0 */
    int row;        /* this warp's first row of its warpgroup's 64: 0, 16, 32, 48; known to be the same for the warp */
    uint32_t store; /* shared address of this warp's store_bytes, a multiple of 1024 */
} tc_tile_end;

typedef void (*tc_load_fn)(const tc_slot *s, const tc_work *w, const void *params);
typedef void (*tc_step_fn)(const tc_slot *s, const tc_work *w, float *acc, const void *params);
typedef void (*tc_finish_fn)(const tc_tile_end *t, const tc_work *w, float *acc, const void *params);

/* Compile time; fields in any order, one that is left out takes the default behind it. */
typedef struct tc_kernel_config {
    int bm, bn;        /* tile of a block: what w->row and w->col count by */
    int slot_bytes;    /* bytes of a slot, all of which arrive for each step; a multiple of 1024 */
    int stages;        /* slots (what fits, at most 12) */
    int consumers;     /* warpgroups that call step and finish: 1, 2 or 3 (2) */
    int accumulators;  /* floats of acc: registers of each of their threads, at most 208 (96 with three) */
    int cluster;       /* blocks of a cluster, neighbours along m (1) */
    int store_bytes; /* shared memory of a consumer warp for stores, a multiple of 1024 (4096: two boxes of 16 x 128) */
    tc_load_fn load;
    tc_step_fn step;
    tc_finish_fn finish;
} tc_kernel_config;

TC_HD TC_CONSTEXPR int tc_kernel_sm90_threads(const tc_kernel_config c) { return 128 * (1 + c.consumers); }
TC_HD TC_CONSTEXPR int tc_kernel_sm90_smem(const tc_kernel_config c)
{
    return c.stages * c.slot_bytes + c.consumers * 4 * c.store_bytes + tc_pipe_bytes(c.stages);
}

TC_HD TC_CONSTEXPR tc_kernel_config tc_kernel_sm90_config(const tc_kernel_config given)
{
    tc_kernel_config c = given;
    c.consumers = c.consumers ? c.consumers : 2;
    c.cluster = c.cluster ? c.cluster : 1;
    c.store_bytes = c.store_bytes ? c.store_bytes : 4096;
    if (c.stages == 0 && c.slot_bytes > 0) {
        c.stages = (TC__SM90_SMEM_MAX - tc_kernel_sm90_smem(c)) / (c.slot_bytes + tc_pipe_bytes(1));
        c.stages = c.stages > 12 ? 12 : c.stages;
    }
    return c;
}

#define TC__KERNEL_RULES(X, c)                                                                                        \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X((c).bm > 0 && (c).bn > 0, "tc: .bm and .bn, the tile of a block, must be given")                                \
    X((c).load && (c).step && (c).finish, "tc: .load, .step and .finish must be given")                               \
    X((c).slot_bytes > 0 && (c).slot_bytes % 1024 == 0, "tc: .slot_bytes must be a multiple of 1024")                 \
    X((c).store_bytes % 1024 == 0, "tc: .store_bytes must be a multiple of 1024")                                     \
    X((c).consumers >= 1 && (c).consumers <= 3, "tc: .consumers must be 1, 2 or 3 warpgroups")                        \
    X((c).accumulators > 0 && (c).accumulators <= ((c).consumers == 3 ? 96 : 208),                                    \
      "tc: .accumulators, floats of a thread, must be in 1..208 (1..96 for 3 consumers)")                             \
    X((c).cluster >= 1 && (c).cluster <= 8, "tc: .cluster must be in 1..8")                                           \
    X((c).stages >= 2 && tc_kernel_sm90_smem(c) <= TC__SM90_SMEM_MAX,                                                 \
      "tc: .stages must be 2 or more, and .slot_bytes * .stages plus the warps' .store_bytes fit in 227 KB of "       \
      "shared memory")

#ifdef __CUDACC__

/* What a block knows. */
typedef struct tc__kernel_block {
    const tc_kernel_head *head;
    const void *params;
    uint32_t smem, rank;
    tc_pipe pipe;
    int wg;
} tc__kernel_block;

TC_DEV tc_work tc__kernel_work(const tc_kernel_config c, const tc__kernel_block *b, uint32_t index)
{
    const tc_tile t = tc_tile_at(&b->head->tiles, index);
    tc_work w;
    w.row = ((int)t.m * c.cluster + (int)b->rank) * c.bm;
    w.col = (int)t.n * c.bn;
    w.batch = (int)t.batch;
    w.k_first = w.part = 0;
    w.k_blocks = b->head->steps;
    return w;
}

/* The producer's thread: slot after slot, tile after tile. */
TC_DEV_SM90A void tc__kernel_produce(const tc_kernel_config c, const tc__kernel_block *b)
{
    tc_ring ring = {0, 0};
    for (uint32_t i = blockIdx.x / (uint32_t)c.cluster; i < b->head->tiles.total;
         i += gridDim.x / (uint32_t)c.cluster) {
        const tc_work w = tc__kernel_work(c, b, i);
        for (uint32_t kb = 0; kb < w.k_blocks; kb++) {
            const tc_slot s = {b->smem + ring.stage * (uint32_t)c.slot_bytes, tc_pipe_full(b->pipe, ring.stage), kb,
                               b->rank, 0};
            TC_PIPE_WAIT_EMPTY(b->pipe, &ring);
            tc_mbarrier_arrive_expect_tx(s.full, (uint32_t)c.slot_bytes);
            c.load(&s, &w, b->params);
            tc_ring_next(&ring, c.stages);
        }
    }
    tc_griddepcontrol_launch_dependents();
}

/* A slot goes back, to every block that may write to it. */
TC_DEV_SM90A void tc__kernel_release(const tc_kernel_config c, const tc__kernel_block *b, uint32_t stage)
{
    const uint32_t t = threadIdx.x % 128u;
    if (c.cluster == 1 && t == 0) tc_mbarrier_arrive(tc_pipe_empty(b->pipe, stage));
    if (c.cluster > 1 && t < (uint32_t)c.cluster) tc_mbarrier_arrive_cluster_relaxed(tc_pipe_empty(b->pipe, stage), t);
}

/* A consumer warpgroup. */
TC_DEV_SM90A void tc__kernel_consume(const tc_kernel_config c, const tc__kernel_block *b)
{
    const uint32_t warp = tc_uniform(threadIdx.x / 32u - 4u);
    const tc_tile_end end = {b->rank, b->wg - 1, (int)(warp % 4u) * 16,
                             b->smem + (uint32_t)(c.stages * c.slot_bytes) + warp * (uint32_t)c.store_bytes};
    tc_ring ring = {0, 0};
    float acc[256];
    for (uint32_t i = blockIdx.x / (uint32_t)c.cluster; i < b->head->tiles.total;
         i += gridDim.x / (uint32_t)c.cluster) {
        const tc_work w = tc__kernel_work(c, b, i);
        uint32_t last = 0;
        TC_PIPE_WAIT_FULL(b->pipe, &ring);
        for (uint32_t kb = 0; kb < w.k_blocks; kb++) {
            const tc_slot s = {b->smem + ring.stage * (uint32_t)c.slot_bytes, 0, kb, b->rank, b->wg - 1};
            const uint32_t now = ring.stage;
            int ready;
            tc_wgmma_fence();
            c.step(&s, &w, acc, b->params);
            tc_wgmma_commit_group();
            tc_ring_next(&ring, c.stages);
            ready = kb + 1 == w.k_blocks || tc_mbarrier_test_wait_parity(tc_pipe_full(b->pipe, ring.stage), ring.phase);
            TC_WGMMA_WAIT_GROUP(1); /* the group before this one is done: its slot goes back */
            if (kb > 0) tc__kernel_release(c, b, last);
            last = now;
            if (!ready) TC_PIPE_WAIT_FULL(b->pipe, &ring);
        }
        TC_WGMMA_WAIT_GROUP(0);
        tc_wgmma_fence_acc(acc, c.accumulators);
        tc__kernel_release(c, b, last);
        c.finish(&end, &w, acc, b->params);
    }
    if (tc_lane() == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

/* The kernel's body. */
TC_DEV_SM90A void tc_kernel_sm90(const tc_kernel_config c, const tc_kernel_head *head, const void *params)
{
    extern __shared__ TC_ALIGN(1024) unsigned char tc__dynamic_smem[];
    const tc_roles roles = tc_roles_of(c.consumers, c.accumulators > 160 ? TC_ROLES_CONSUMERS : TC_ROLES_USUAL);
    tc__kernel_block b;
    b.head = head;
    b.params = params;
    b.smem = tc_smem_u32(tc__dynamic_smem);
    b.rank = c.cluster > 1 ? tc_cluster_ctarank() : 0u;
    b.pipe = tc_pipe_at(b.smem + (uint32_t)(c.stages * c.slot_bytes + c.consumers * 4 * c.store_bytes), c.stages);
    b.wg = tc_warpgroup();
    if (threadIdx.x == 0) {
        tc_pipe_init(b.pipe, c.stages, (uint32_t)(c.consumers * c.cluster));
        tc_fence_mbarrier_init();
    }
    if (c.cluster > 1) tc_cluster_sync(); /* nobody may signal a neighbour's barrier before it exists */
    else __syncthreads();
    tc_griddepcontrol_wait();
    if (b.wg == 0) {
        tc_roles_producer(roles);
        if (threadIdx.x == 0) tc__kernel_produce(c, &b);
    } else {
        tc_roles_consumer(roles);
        tc__kernel_consume(c, &b);
    }
    if (c.cluster > 1) tc_cluster_sync(); /* nor leave while a neighbour may still signal or fill */
}

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

/* A call: tiles of bm x bn over m x n (and batch of them; 0: one), each of `steps` calls of load and step. */
typedef struct tc_kernel_call {
    int m, n, batch, steps;
    int raster, raster_group; /* order of tiles, 0: picked by shape */
    int pdl;                  /* not 0: programmatic dependent launch */
    cudaStream_t stream;
} tc_kernel_call;

TC_HOST tc_status tc__kernel_run(const tc_kernel_config *c, const tc__kernel *k, tc_kernel_head *params,
                                 const tc_kernel_call *call)
{
    tc_tiles_of of;
    tc__launch how = {0, 1, 0, 0, 0, 0, 0};
    tc_status st;
    int clusters = 0;
    if (!params || !call) return tc__fail(TC_ERR_NULL, "%s: %s is null", k->name, params ? "call" : "params");
    if (call->m < 0 || call->n < 0 || call->batch < 0)
        return tc__fail(TC_ERR_SIZE, "%s: m = %d, n = %d, batch = %d: none may be negative", k->name, call->m, call->n,
                        call->batch);
    if (call->steps < 1) return tc__fail(TC_ERR_SIZE, "%s: steps = %d must be 1 or more", k->name, call->steps);
    if (call->raster < 0 || call->raster > TC_RASTER_N || call->raster_group < 0)
        return tc__fail(
            TC_ERR_SIZE,
            "%s: raster = %d, raster_group = %d: raster is 0, TC_RASTER_M or TC_RASTER_N, raster_group 0 or more",
            k->name, call->raster, call->raster_group);
    if (call->m == 0 || call->n == 0) return TC_OK;
    of.m = call->m, of.n = call->n, of.batch = call->batch ? call->batch : 1;
    of.bm = c->bm * c->cluster, of.bn = c->bn;
    if (((of.m - 1) / of.bm + 1.0) * ((of.n - 1) / of.bn + 1.0) * of.batch >= 2147483648.0)
        return tc__fail(TC_ERR_SIZE, "%s: m = %d, n = %d, batch = %d: 2^31 tiles or more", k->name, of.m, of.n,
                        of.batch);
    if ((st = tc__kernel_device(k, &clusters)) != TC_OK) return st;
    of.width = clusters, of.raster = call->raster, of.group = call->raster_group;
    params->tiles = tc_tiles_make(&of);
    params->steps = (uint32_t)call->steps;
    how.stream = call->stream, how.pdl = call->pdl;
    if (params->tiles.total < (uint32_t)clusters) clusters = (int)params->tiles.total;
    return tc__kernel_launch(k, (unsigned)(clusters * k->cluster), params, &how);
}

#endif /* host */

#ifdef __CUDACC__

/* In a build for another target: what to do about it, at the user's line. */
#if defined(__CUDA_ARCH__) && !TC_HAS_SM90A && !defined(TC_SM90_STUBS)
#define TC__KERNEL_TARGET \
    static_assert(0, "tc: TC_KERNEL_SM90_DEFINE needs -gencode arch=compute_90a,code=sm_90a; " \
                     "for a build that has other targets too, #define TC_SM90_STUBS before tc.h");
#else
#define TC__KERNEL_TARGET
#endif

/* See the top of this file. */
#define TC_KERNEL_SM90_DEFINE(name, params_type, ...)                                                                 \
    TC__KERNEL_TARGET                                                                                                 \
    TC__KERNEL_CONFIG(name, __VA_ARGS__)                                                                              \
    TC__KERNEL __launch_bounds__(TC__SM90_BOUND(tc_kernel_sm90_threads(name##_config())), 1)                          \
        name(const __grid_constant__ params_type p)                                                                   \
    {                                                                                                                 \
        (void)p;                                                                                                      \
        TC__SM90_STRICT(constexpr tc_kernel_config c = name##_config(); tc_kernel_sm90(c, &p.head, &p);)              \
    }                                                                                                                 \
    TC__HOST_PART(TC__KERNEL_HOST(name, params_type))

/* A pass for a target without sm_90a makes no host code, but reads it. It cannot name the hooks, and so knows no
 * configuration. */
#if defined(TC_SM90_STUBS) && !TC_HAS_SM90A
#define TC__KERNEL_CONFIG(name, ...) enum { name##_THREADS = 128, name##_SMEM = 1024 };
#define TC__KERNEL_HOST(name, params_type)                                                                            \
    TC_HOST tc_status name##_launch(params_type *tc__p, const tc_kernel_call *call)                                   \
    {                                                                                                                 \
        return tc__p && call && (const void *)name ? TC_ERR_IMAGE : TC_ERR_NULL;                                      \
    }
#else
#define TC__KERNEL_CONFIG(name, ...)                                                                                  \
    TC_HD constexpr tc_kernel_config name##_config(void)                                                              \
    {                                                                                                                 \
        tc_kernel_config tc__given = {};                                                                              \
        TC__FIELDS(tc__given, __VA_ARGS__)                                                                            \
        return tc_kernel_sm90_config(tc__given);                                                                      \
    }                                                                                                                 \
    TC__KERNEL_RULES(TC__RULE_ASSERT, name##_config())                                                                \
    enum { name##_THREADS = tc_kernel_sm90_threads(name##_config()),                                                  \
        name##_SMEM = tc_kernel_sm90_smem(name##_config()) };
#define TC__KERNEL_HOST(name, params_type)                                                                            \
    TC_HOST tc_status name##_launch(params_type *tc__p, const tc_kernel_call *call)                                   \
    {                                                                                                                 \
        static tc__kernel_cache cache;                                                                                \
        const tc_kernel_config c = name##_config();                                                                   \
        const tc__kernel k = {(const void *)name, #name, tc_kernel_sm90_threads(c), tc_kernel_sm90_smem(c),           \
            c.cluster, 90, &cache};                                                                                   \
        static_assert(offsetof(params_type, head) == 0,                                                               \
            "tc: the parameters of a kernel begin with a tc_kernel_head named head");                                 \
        return tc__kernel_run(&c, &k, tc__p ? &tc__p->head : 0, call);                                                \
    }
#endif

#endif /* __CUDACC__ */
#endif /* TC_KERNEL_H */
