/* tc_tma.h - tc 0.1.0 - mbarriers, fences, clusters, bulk and tensor copies, tensor maps, PDL. Needs: tc_core.h; sm_90 and later.
 *
 * Device, one box of 64 x 128 bf16 into shared memory:
 *
 *     if (threadIdx.x == 0) {                               bar: a uint64_t in shared memory, tc_mbarrier_init(bar, 1) done
 *         tc_mbarrier_arrive_expect_tx(bar, 128 * 64 * 2);
 *         tc_cp_async_bulk_tensor_2d(smem, &p.tmap, k0, row0, bar);
 *     }
 *     TC_MBARRIER_WAIT(bar, 0, "tile", 0);
 *
 * Host, the map of that matrix (m rows, k columns, pitch lda elements):
 *
 *     tc_tmap_desc desc = { .type = TC_BF16, .rank = 2, .base = A, .dim = { k, m }, .stride = { lda * 2 },
 *                           .box = { 64, 128 }, .swizzle = 128 };
 *     tc_status st = tc_tmap_encode(&params.tmap, &desc);   params: const __grid_constant__
 *
 * CONTENTS (shared addresses are uint32_t; coordinates are elements, innermost first)
 *     mbarrier        tc_mbarrier_init _inval _arrive _arrive_count _arrive_expect_tx _expect_tx _arrive_cluster
 *                     _arrive_cluster_relaxed _test_wait_parity _try_wait_parity _arrive_state _pending_count; TC_MBARRIER_WAIT(bar, parity, name, stage)
 *     fences          tc_fence_proxy_async_shared, tc_fence_proxy_async, tc_fence_mbarrier_init
 *     clusters        tc_cluster_ctarank _nctarank _arrive _arrive_relaxed _wait _sync, tc_mapa
 *     tensor copies   tc_cp_async_bulk_tensor_{1..5}d            global to shared, completes on an mbarrier
 *                       ... _multicast                           to the same offset in every CTA of a mask
 *                       ... _hint, _multicast_hint               with an L2 cache policy
 *                       ... _store                               shared to global, completes by bulk group
 *                     tc_cp_reduce_async_bulk_tensor_{1..5}d_{add,min,max,inc,dec,and,or,xor}
 *                     tc_cp_async_bulk_prefetch_tensor_{1..5}d   global to L2
 *     bulk copies     tc_cp_async_bulk_g2s, _g2s_multicast, _s2g, _s2cluster, tc_st_async_v4_f32,
 *                     tc_cp_reduce_async_bulk_add_{u32,s32,u64,f32,f16,bf16}
 *     bulk groups     tc_cp_async_bulk_commit_group, TC_CP_ASYNC_BULK_WAIT_GROUP(n), TC_CP_ASYNC_BULK_WAIT_GROUP_READ(n)
 *     policies        tc_createpolicy_evict_first _evict_last
 *     PDL             tc_griddepcontrol_wait, tc_griddepcontrol_launch_dependents
 *     tensor maps     tc_tmap, tc_tmap_desc, tc_tmap_check, tc_tmap_encode (host), tc_prefetch_tensormap (device)
 *
 * DEBUG
 *     With -DTC_DEBUG, TC_MBARRIER_WAIT spins for TC_DEBUG_TIMEOUT_NS at most, then prints block, warp, barrier name,
 *     stage, parity, pending arrivals and source line, and traps. Without it, name and stage cost nothing.
 *
 * TRAPS
 *     A wait returns when the phase of that parity has *completed*: wait for parity 1 on a fresh barrier returns at once.
 *     Shared memory written by ordinary stores is invisible to TMA until tc_fence_proxy_async_shared in each writing thread.
 *     Shared side of a tensor copy: 128-byte aligned, and 256/512/1024 for a 32/64/128-byte swizzle. Bulk: 16 bytes, size % 16.
 *     A tensor map must be a __grid_constant__ parameter, or global memory followed by a tensormap fence.
 *     Bytes out of bounds are filled and counted: expect the whole box always.
 *     The innermost coordinate must lie at a multiple of 16 bytes: sm_90 answers any other with "illegal instruction".
 *     Loads take negative coordinates; stores and reductions do not ("illegal instruction" again), only ones past the end.
 *     A store is cut at the last 16 bytes that hold an element of the tensor, not at the last element.
 */
#ifndef TC_TMA_H
#define TC_TMA_H

#include "tc_core.h"

/* The 128 opaque bytes of a tensor map (CUtensorMap). */
typedef struct TC_ALIGN(64) tc_tmap {
    uint64_t opaque[16];
} tc_tmap;

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: mbarrier. bar: shared address of an 8-byte aligned uint64_t. A phase ends when its `count` arrivals have come and
 * the bytes expected have arrived; the parity of the first phase is 0.
 */
TC_DEV_SM80 void tc_mbarrier_init(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

TC_DEV_SM80 void tc_mbarrier_inval(uint32_t bar)
{
    asm volatile("mbarrier.inval.shared.b64 [%0];" : : "r"(bar) : "memory");
}

/* PTX: mbarrier.arrive, one arrival, release at CTA scope. */
TC_DEV_SM80 void tc_mbarrier_arrive(uint32_t bar)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(bar) : "memory");
}

TC_DEV_SM90 void tc_mbarrier_arrive_count(uint32_t bar, uint32_t count)
{
    asm volatile("mbarrier.arrive.shared.b64 _, [%0], %1;" : : "r"(bar), "r"(count) : "memory");
}

/* PTX: mbarrier.arrive.expect_tx: raises the bytes that this phase waits for, then arrives. */
TC_DEV_SM90 void tc_mbarrier_arrive_expect_tx(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

TC_DEV_SM90 void tc_mbarrier_expect_tx(uint32_t bar, uint32_t bytes)
{
    asm volatile("mbarrier.expect_tx.shared.b64 [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
}

/* PTX: mapa. The shared::cluster address that `addr` of this CTA has in CTA `rank` of the cluster. */
TC_DEV_SM90 uint32_t tc_mapa(uint32_t addr, uint32_t rank)
{
    uint32_t r;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(addr), "r"(rank));
    return r;
}

/* PTX: mbarrier.arrive on the barrier at the same address in CTA `rank` of the cluster (itself included); release at
 * cluster scope. The other CTA must still be running: end with tc_cluster_sync. */
TC_DEV_SM90 void tc_mbarrier_arrive_cluster(uint32_t bar, uint32_t rank)
{
    asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" : : "r"(tc_mapa(bar, rank)) : "memory");
}

/* The same, relaxed: for handing a slot back after reads that have completed (wgmma after its wait), where no ordinary
 * access needs ordering. A release at cluster scope is a MEMBAR of the whole GPU: in a k loop it costs a quarter to a half of the rate. */
TC_DEV_SM90 void tc_mbarrier_arrive_cluster_relaxed(uint32_t bar, uint32_t rank)
{
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" : : "r"(tc_mapa(bar, rank)) : "memory");
}

/* PTX: mbarrier.test_wait.parity (never suspends) and .try_wait.parity (may suspend for a while). 1: phase complete. */
#define TC__MBARRIER_TRY(gate, name, instr)                                                    \
    gate int name(uint32_t bar, uint32_t parity)                                               \
    {                                                                                          \
        int done;                                                                              \
        asm volatile("{\n"                                                                     \
                     ".reg .pred p;\n"                                                         \
                     instr ".parity.shared.b64 p, [%1], %2;\n"                                 \
                     "selp.b32 %0, 1, 0, p;\n"                                                 \
                     "}"                                                                       \
                     : "=r"(done)                                                              \
                     : "r"(bar), "r"(parity)                                                   \
                     : "memory");                                                              \
        return done;                                                                           \
    }
TC__MBARRIER_TRY(TC_DEV_SM80, tc_mbarrier_test_wait_parity, "mbarrier.test_wait")
TC__MBARRIER_TRY(TC_DEV_SM90, tc_mbarrier_try_wait_parity, "mbarrier.try_wait")
#undef TC__MBARRIER_TRY

/* try_wait where the target has it: it lets the hardware suspend the thread. */
TC_DEV_SM80 int tc__mbarrier_poll(uint32_t bar, uint32_t parity)
{
#if TC_HAS_SM90
    return tc_mbarrier_try_wait_parity(bar, parity);
#else
    return tc_mbarrier_test_wait_parity(bar, parity);
#endif
}

/* PTX: mbarrier.arrive with its result, the state before it; mbarrier.pending_count: how many arrivals that state lacked. */
TC_DEV_SM80 uint64_t tc_mbarrier_arrive_state(uint32_t bar)
{
    uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(bar) : "memory");
    return state;
}

TC_DEV_SM80 uint32_t tc_mbarrier_pending_count(uint64_t state)
{
    uint32_t n;
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(n) : "l"(state));
    return n;
}

/* Waits until the phase of this parity has completed. TC_MBARRIER_WAIT is the same, with a name and a stage for TC_DEBUG. */
TC_DEV_SM80 void tc_mbarrier_wait(uint32_t bar, uint32_t parity)
{
    while (!tc__mbarrier_poll(bar, parity)) {
    }
}

#ifdef TC_DEBUG
TC_DEV_SM80 void tc__mbarrier_wait_debug(uint32_t bar, uint32_t parity, const char *name, int stage, const char *file, int line)
{
    uint64_t start, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
    while (!tc__mbarrier_poll(bar, parity)) {
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        if (now - start > TC_DEBUG_TIMEOUT_NS) {
            /* PTX tells the pending count to those who arrive only. This thread is lost anyway, so it does, and traps. One lane
             * of a warp speaks. */
            if ((threadIdx.x & 31u) == (unsigned)__ffs((int)__activemask()) - 1u)
                printf("tc: block (%u,%u,%u) warp %u waits for barrier \"%s\"[%d] parity %u: %u arrivals pending, %s:%d\n", blockIdx.x, blockIdx.y,
                       blockIdx.z, threadIdx.x / 32, name, stage, parity, tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)), file, line);
            __trap();
        }
    }
}
#define TC_MBARRIER_WAIT(bar, parity, name, stage) tc__mbarrier_wait_debug(bar, parity, name, stage, __FILE__, __LINE__)
#else
#define TC_MBARRIER_WAIT(bar, parity, name, stage) tc_mbarrier_wait(bar, parity)
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: fence.proxy.async: this thread's ordinary writes, before; TMA, wgmma reads, after. _shared: shared memory only.
 * fence.mbarrier_init: makes mbarrier.init visible to the cluster and to TMA; needs a cluster or block barrier after it.
 */
TC_DEV_SM90 void tc_fence_proxy_async_shared(void) { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
TC_DEV_SM90 void tc_fence_proxy_async(void) { asm volatile("fence.proxy.async;" : : : "memory"); }
TC_DEV_SM90 void tc_fence_mbarrier_init(void)
{
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

/* PTX: %cluster_ctarank, %cluster_nctarank, barrier.cluster. Without a cluster launch a block is a cluster of one. */
TC_DEV_SM90 uint32_t tc_cluster_ctarank(void)
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

TC_DEV_SM90 uint32_t tc_cluster_nctarank(void)
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}

TC_DEV_SM90 void tc_cluster_arrive(void) { asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_arrive_relaxed(void) { asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_wait(void) { asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_sync(void)
{
    tc_cluster_arrive();
    tc_cluster_wait();
}

/* PTX: griddepcontrol. wait: the grids before this one in the stream have completed and their writes are visible; a no-op
 * without the programmatic launch attribute. launch_dependents: the next grid may start (its wait still holds it). */
TC_DEV_SM90 void tc_griddepcontrol_wait(void) { asm volatile("griddepcontrol.wait;" : : : "memory"); }
TC_DEV_SM90 void tc_griddepcontrol_launch_dependents(void)
{
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

/* PTX: createpolicy.fractional, all of the accesses. The result goes to a _hint form. */
TC_DEV_SM80 uint64_t tc_createpolicy_evict_first(void)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

TC_DEV_SM80 uint64_t tc_createpolicy_evict_last(void)
{
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cp.async.bulk.tensor, and its reduce, store and prefetch forms, for 1 to 5 dimensions.
 * Coordinates are int32 elements and may lie past the end, and for loads be negative: what lies outside reads as the map's
 * fill and is not written by stores. The innermost one times the element's size must be a multiple of 16 bytes. Called by one thread.
 * (Operand numbers below: the coordinates come last, so that one table serves.)
 */
#define TC__CRD_1 int c0
#define TC__CRD_2 int c0, int c1
#define TC__CRD_3 int c0, int c1, int c2
#define TC__CRD_4 int c0, int c1, int c2, int c3
#define TC__CRD_5 int c0, int c1, int c2, int c3, int c4
#define TC__IN_1 "r"(c0)
#define TC__IN_2 "r"(c0), "r"(c1)
#define TC__IN_3 "r"(c0), "r"(c1), "r"(c2)
#define TC__IN_4 "r"(c0), "r"(c1), "r"(c2), "r"(c3)
#define TC__IN_5 "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(c4)
/* {coordinates} starting at operand 1, 2, 3, 4, 5 */
#define TC__AT1_1 "{%1}"
#define TC__AT1_2 "{%1,%2}"
#define TC__AT1_3 "{%1,%2,%3}"
#define TC__AT1_4 "{%1,%2,%3,%4}"
#define TC__AT1_5 "{%1,%2,%3,%4,%5}"
#define TC__AT2_1 "{%2}"
#define TC__AT2_2 "{%2,%3}"
#define TC__AT2_3 "{%2,%3,%4}"
#define TC__AT2_4 "{%2,%3,%4,%5}"
#define TC__AT2_5 "{%2,%3,%4,%5,%6}"
#define TC__AT3_1 "{%3}"
#define TC__AT3_2 "{%3,%4}"
#define TC__AT3_3 "{%3,%4,%5}"
#define TC__AT3_4 "{%3,%4,%5,%6}"
#define TC__AT3_5 "{%3,%4,%5,%6,%7}"
#define TC__AT4_1 "{%4}"
#define TC__AT4_2 "{%4,%5}"
#define TC__AT4_3 "{%4,%5,%6}"
#define TC__AT4_4 "{%4,%5,%6,%7}"
#define TC__AT4_5 "{%4,%5,%6,%7,%8}"
#define TC__AT5_1 "{%5}"
#define TC__AT5_2 "{%5,%6}"
#define TC__AT5_3 "{%5,%6,%7}"
#define TC__AT5_4 "{%5,%6,%7,%8}"
#define TC__AT5_5 "{%5,%6,%7,%8,%9}"

#define TC__TMA_LOAD "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
#define TC__TMA_RED(n, op)                                                                                           \
    TC_DEV_SM90 void tc_cp_reduce_async_bulk_tensor_##n##d_##op(const tc_tmap *tmap, uint32_t src, TC__CRD_##n)      \
    {                                                                                                                \
        asm volatile("cp.reduce.async.bulk.tensor." #n "d.global.shared::cta." #op ".tile.bulk_group [%0, " TC__AT2_##n "], [%1];" \
                     : : "l"(tmap), "r"(src), TC__IN_##n : "memory");                                                \
    }
#define TC__TMA(n)                                                                                                   \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n, uint32_t bar)    \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD " [%0], [%1, " TC__AT3_##n "], [%2];"                   \
                     : : "r"(dst), "l"(tmap), "r"(bar), TC__IN_##n : "memory");                                      \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_hint(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n, uint32_t bar, \
                                                         uint64_t policy)                                            \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".L2::cache_hint [%0], [%1, " TC__AT4_##n "], [%2], %3;" \
                     : : "r"(dst), "l"(tmap), "r"(bar), "l"(policy), TC__IN_##n : "memory");                         \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_multicast(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n,        \
                                                              uint32_t bar, uint16_t cta_mask)                       \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".multicast::cluster [%0], [%1, " TC__AT4_##n "], [%2], %3;" \
                     : : "r"(dst), "l"(tmap), "r"(bar), "h"(cta_mask), TC__IN_##n : "memory");                       \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_multicast_hint(uint32_t dst, const tc_tmap *tmap, TC__CRD_##n,   \
                                                                   uint32_t bar, uint16_t cta_mask, uint64_t policy) \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n TC__TMA_LOAD ".multicast::cluster.L2::cache_hint [%0], [%1, "        \
                     TC__AT5_##n "], [%2], %3, %4;"                                                                  \
                     : : "r"(dst), "l"(tmap), "r"(bar), "h"(cta_mask), "l"(policy), TC__IN_##n : "memory");          \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_tensor_##n##d_store(const tc_tmap *tmap, uint32_t src, TC__CRD_##n)            \
    {                                                                                                                \
        asm volatile("cp.async.bulk.tensor." #n "d.global.shared::cta.tile.bulk_group [%0, " TC__AT2_##n "], [%1];"  \
                     : : "l"(tmap), "r"(src), TC__IN_##n : "memory");                                                \
    }                                                                                                                \
    TC_DEV_SM90 void tc_cp_async_bulk_prefetch_tensor_##n##d(const tc_tmap *tmap, TC__CRD_##n)                       \
    {                                                                                                                \
        asm volatile("cp.async.bulk.prefetch.tensor." #n "d.L2.global.tile [%0, " TC__AT1_##n "];"                   \
                     : : "l"(tmap), TC__IN_##n : "memory");                                                          \
    }                                                                                                                \
    TC__TMA_RED(n, add) TC__TMA_RED(n, min) TC__TMA_RED(n, max) TC__TMA_RED(n, inc)                                  \
    TC__TMA_RED(n, dec) TC__TMA_RED(n, and) TC__TMA_RED(n, or) TC__TMA_RED(n, xor)
TC__TMA(1)
TC__TMA(2)
TC__TMA(3)
TC__TMA(4)
TC__TMA(5)
#undef TC__TMA
#undef TC__TMA_RED
#undef TC__TMA_LOAD

/* PTX: prefetch.tensormap: brings a map (kernel parameter or global) into the descriptor cache. */
TC_DEV_SM90 void tc_prefetch_tensormap(const tc_tmap *tmap)
{
    asm volatile("prefetch.tensormap [%0];" : : "l"(tmap) : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: cp.async.bulk. bytes: a multiple of 16; both addresses 16-byte aligned. Called by one thread.
 */
TC_DEV_SM90 void tc_cp_async_bulk_g2s(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar) : "memory");
}

TC_DEV_SM90 void tc_cp_async_bulk_g2s_multicast(uint32_t dst, const void *src, uint32_t bytes, uint32_t bar, uint16_t cta_mask)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;"
                 : : "r"(dst), "l"(__cvta_generic_to_global(src)), "r"(bytes), "r"(bar), "h"(cta_mask) : "memory");
}

TC_DEV_SM90 void tc_cp_async_bulk_s2g(void *dst, uint32_t src, uint32_t bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                 : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes) : "memory");
}

/* PTX: st.async: 16 bytes from registers to another CTA of the cluster; dst and bar are shared::cluster addresses (tc_mapa) in
 * the same CTA, whose barrier counts the bytes. */
TC_DEV_SM90 void tc_st_async_v4_f32(uint32_t dst, const float *v, uint32_t bar)
{
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, [%5];"
                 : : "r"(dst), "f"(v[0]), "f"(v[1]), "f"(v[2]), "f"(v[3]), "r"(bar) : "memory");
}

/* To another CTA of the cluster: dst and bar are shared::cluster addresses (tc_mapa) in the same CTA. */
TC_DEV_SM90 void tc_cp_async_bulk_s2cluster(uint32_t dst, uint32_t src, uint32_t bytes, uint32_t bar)
{
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(dst), "r"(src), "r"(bytes), "r"(bar) : "memory");
}

#define TC__BULK_ADD(type, mods)                                                                                     \
    TC_DEV_SM90 void tc_cp_reduce_async_bulk_add_##type(void *dst, uint32_t src, uint32_t bytes)                     \
    {                                                                                                                \
        asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add" mods "." #type " [%0], [%1], %2;"      \
                     : : "l"(__cvta_generic_to_global(dst)), "r"(src), "r"(bytes) : "memory");                       \
    }
TC__BULK_ADD(u32, "")
TC__BULK_ADD(s32, "")
TC__BULK_ADD(u64, "")
TC__BULK_ADD(f32, "")
TC__BULK_ADD(f16, ".noftz")
TC__BULK_ADD(bf16, ".noftz")
#undef TC__BULK_ADD

/* PTX: cp.async.bulk.commit_group, .wait_group. n (a literal) newest groups may still be in flight afterwards.
 * _READ: only their reading of shared memory has to be over, so that it may be written again. Per thread. */
TC_DEV_SM90 void tc_cp_async_bulk_commit_group(void) { asm volatile("cp.async.bulk.commit_group;" : : : "memory"); }
#define TC_CP_ASYNC_BULK_WAIT_GROUP(n) \
    do { tc__needs_sm90(); asm volatile("cp.async.bulk.wait_group %0;" : : "n"(n) : "memory"); } while (0)
#define TC_CP_ASYNC_BULK_WAIT_GROUP_READ(n) \
    do { tc__needs_sm90(); asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(n) : "memory"); } while (0)

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Tensor maps, host. The driver's encoder answers a broken rule with one number; this one checks every rule first and
 * names it in tc_why(). The entry point is fetched at run time: nothing is linked with -lcuda.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)
#include <cuda_runtime_api.h>

/* What a tiled tensor map says. dim, box, elem_stride: elements, innermost first; stride[i]: bytes between neighbours in
 * dimension i + 1 (dimension 0 is contiguous). Unset elem_stride means 1, swizzle is 0, 32, 64 or 128 bytes,
 * interleave 0, 16 or 32 bytes, l2_promotion 0, 64, 128 or 256 bytes, oob_nan: out of bounds reads as NaN instead of 0.
 * Alignment: base 16 bytes (32 for interleave 32), strides 16 (32).
 * Source: CUDA driver API, cuTensorMapEncodeTiled. */
typedef struct tc_tmap_desc {
    int type; /* tc_type */
    int rank; /* 1..5 */
    const void *base;
    uint64_t dim[5];
    uint64_t stride[4];
    uint32_t box[5];
    uint32_t elem_stride[5];
    int swizzle, interleave, l2_promotion, oob_nan;
} tc_tmap_desc;

/* CUtensorMapDataType of a tc_type, or -1. */
TC_HOST int tc__tmap_type(int type)
{
    switch (type) {
    case TC_U8: case TC_S8: case TC_E4M3: case TC_E5M2: return 0;
    case TC_S32: return 3;
    case TC_F16: return 6;
    case TC_F32: return 7;
    case TC_F64: return 8;
    case TC_BF16: return 9;
    case TC_TF32: return 11;
    default: return -1;
    }
}

typedef int (*tc__encode_tiled_fn)(tc_tmap *, int, uint32_t, void *, const uint64_t *, const uint64_t *, const uint32_t *,
                                   const uint32_t *, int, int, int, int);

TC_HOST tc_status tc__encode_tiled_get(tc__encode_tiled_fn *fn)
{
    static void *volatile entry; /* written once with one value, whichever thread comes first */
    void *found = entry;
    if (!found) {
        enum cudaDriverEntryPointQueryResult result;
        cudaError_t err = cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
        if (err != cudaSuccess || result != cudaDriverEntryPointSuccess || !found)
            return tc__fail(TC_ERR_DRIVER, "cuTensorMapEncodeTiled: not in this driver (%s); needs a driver for CUDA 12.0 or later",
                            cudaGetErrorString(err));
        entry = found;
    }
    memcpy(fn, &found, sizeof *fn);
    return TC_OK;
}

/* Checks a description against every rule of a tiled map; TC_ERR_TMAP and the sentence, or TC_OK. No driver needed. */
TC_HOST tc_status tc_tmap_check(const tc_tmap_desc *d)
{
    const uint64_t align = d->interleave == 32 ? 32 : 16;
    const int bits = tc_type_bits(d->type);
    int i;
    if (tc__tmap_type(d->type) < 0) return tc__fail(TC_ERR_TMAP, "type = %d (%s) has no tiled tensor map", d->type, tc_type_name(d->type));
    if (d->rank < 1 || d->rank > 5) return tc__fail(TC_ERR_TMAP, "rank = %d is not in 1..5", d->rank);
    if (!d->base) return tc__fail(TC_ERR_TMAP, "base is null");
    if ((uintptr_t)d->base % align) return tc__fail(TC_ERR_TMAP, "base = %p is not a multiple of %d bytes", d->base, (int)align);
    if (d->swizzle != 0 && d->swizzle != 32 && d->swizzle != 64 && d->swizzle != 128)
        return tc__fail(TC_ERR_TMAP, "swizzle = %d is not 0, 32, 64 or 128", d->swizzle);
    if (d->interleave != 0 && d->interleave != 16 && d->interleave != 32)
        return tc__fail(TC_ERR_TMAP, "interleave = %d is not 0, 16 or 32", d->interleave);
    if (d->interleave && d->rank < 3) return tc__fail(TC_ERR_TMAP, "rank = %d, but interleave needs 3 or more", d->rank);
    if (d->interleave == 32 && d->swizzle != 32) return tc__fail(TC_ERR_TMAP, "swizzle = %d, but interleave 32 needs 32", d->swizzle);
    if (d->l2_promotion != 0 && d->l2_promotion != 64 && d->l2_promotion != 128 && d->l2_promotion != 256)
        return tc__fail(TC_ERR_TMAP, "l2_promotion = %d is not 0, 64, 128 or 256", d->l2_promotion);
    if (d->oob_nan && (d->type == TC_U8 || d->type == TC_S8 || d->type == TC_S32 || d->type == TC_E4M3 || d->type == TC_E5M2))
        return tc__fail(TC_ERR_TMAP, "oob_nan = %d needs a floating-point map type, not %s", d->oob_nan, tc_type_name(d->type));
    for (i = 0; i < d->rank; i++) {
        uint32_t es = d->elem_stride[i] ? d->elem_stride[i] : 1;
        if (d->dim[i] < 1 || d->dim[i] > 0x100000000ull)
            return tc__fail(TC_ERR_TMAP, "dim[%d] = %llu is not in 1..2^32", i, (unsigned long long)d->dim[i]);
        if (d->box[i] < 1 || d->box[i] > 256) return tc__fail(TC_ERR_TMAP, "box[%d] = %u is not in 1..256", i, d->box[i]);
        if (es > 8) return tc__fail(TC_ERR_TMAP, "elem_stride[%d] = %u is not in 1..8", i, es);
    }
    for (i = 0; i + 1 < d->rank; i++) {
        if (d->stride[i] % align)
            return tc__fail(TC_ERR_TMAP, "stride[%d] = %llu bytes is not a multiple of %d", i, (unsigned long long)d->stride[i], (int)align);
        if (d->stride[i] >= (1ull << 40))
            return tc__fail(TC_ERR_TMAP, "stride[%d] = %llu bytes is not below 2^40", i, (unsigned long long)d->stride[i]);
    }
    if (!d->interleave) {
        const uint32_t row = d->box[0] * (uint32_t)bits / 8;
        if (row % 16) return tc__fail(TC_ERR_TMAP, "box[0] = %u elements = %u bytes is not a multiple of 16 bytes", d->box[0], row);
        if (d->swizzle && row > (uint32_t)d->swizzle)
            return tc__fail(TC_ERR_TMAP, "box[0] = %u elements = %u bytes is wider than the %d-byte swizzle", d->box[0], row, d->swizzle);
    }
    return TC_OK;
}

/* Builds a tiled tensor map. On error *out is untouched and tc_why() names the broken rule. Thread-safe. */
TC_HOST tc_status tc_tmap_encode(tc_tmap *out, const tc_tmap_desc *d)
{
    tc__encode_tiled_fn encode = 0;
    uint32_t es[5];
    uint64_t stride[4] = {0, 0, 0, 0};
    tc_tmap map;
    int i, err;
    tc_status st = tc_tmap_check(d);
    if (st == TC_OK) st = tc__encode_tiled_get(&encode);
    if (st != TC_OK) return st;
    for (i = 0; i < 5; i++) es[i] = d->elem_stride[i] ? d->elem_stride[i] : 1;
    for (i = 0; i + 1 < d->rank; i++) stride[i] = d->stride[i];
    /* The driver wants a current context, which a thread that has called nothing but cudaGetDevice does not have yet. */
    if (cudaGetDevice(&i) == cudaSuccess) (void)cudaSetDevice(i);
    err = encode(&map, tc__tmap_type(d->type), (uint32_t)d->rank, (void *)(uintptr_t)d->base, d->dim, stride, d->box, es,
                 d->interleave / 16, d->swizzle == 128 ? 3 : d->swizzle / 32,
                 d->l2_promotion == 256 ? 3 : d->l2_promotion / 64, d->oob_nan ? 1 : 0);
    if (err) return tc__fail(TC_ERR_TMAP, "cuTensorMapEncodeTiled answers CUresult %d", err);
    *out = map;
    return TC_OK;
}

#endif /* host */
#endif /* TC_TMA_H */
