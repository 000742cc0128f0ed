/* tc_mbarrier.h - tc 0.2.0 - how threads, blocks and grids wait for each other. Needs: tc_core.h; mbarrier sm_80, most
 * else sm_90.
 *
 *     __shared__ uint64_t word;
 *     uint32_t bar = tc_smem_u32(&word);
 *     if (threadIdx.x == 0) { tc_mbarrier_init(bar, 1); tc_fence_mbarrier_init(); }
 *     __syncthreads();
 *     if (threadIdx.x == 0) tc_mbarrier_arrive_expect_tx(bar, bytes);        then a copy that completes on bar
 *     TC_MBARRIER_WAIT(bar, 0, "tile", 0);
 *
 * CONTENTS (bar: shared address of the uint64_t)
 *     mbarrier  tc_mbarrier_init _inval _arrive _arrive_count _arrive_expect_tx _expect_tx _arrive_cluster
 *                     _arrive_cluster_relaxed _test_wait_parity _try_wait_parity
 *                     _try_wait_parity_cluster _arrive_state _pending_count _wait _wait_cluster;
 *                     TC_MBARRIER_WAIT(bar, parity, name, stage), TC_MBARRIER_WAIT_CLUSTER
 *     fences    tc_fence_proxy_async_shared, _global, tc_fence_proxy_async, tc_fence_mbarrier_init
 *     clusters  tc_cluster_ctarank _nctarank _arrive _arrive_relaxed _wait _sync, tc_mapa; tc_mapa_shared_u64,
 *               tc_mapa_u64, tc_getctarank, tc_getctarank_shared_u64, tc_getctarank_u64, tc_cvta_shared_cluster,
 *               tc_cvta_to_shared_cluster, tc_isspacep_shared_cluster; tc_sreg_NAME for each special register of
 *               clusters and of shared memory
 *     blocks    tc_barrier_sync, tc_barrier_arrive (all threads of a warp need not come together), tc_bar_warp_sync,
 *                     tc_elect_sync; tc_bar_sync, tc_bar_arrive, tc_elect_one: tc_core.h
 *     grids     tc_griddepcontrol_wait, tc_griddepcontrol_launch_dependents; clusterlaunchcontrol (sm_100):
 *                     tc_clusterlaunchcontrol_try_cancel, _multicast, _is_canceled, _first_ctaid, _first_ctaid_x _y _z
 *
 *     With every qualifier, as macros. q: what stands between the name and the type or the operands, with its dots, as
 *     in PTX; it may be empty. A wrong one is refused in words.
 *     TC_MBARRIER_INIT(q, bar, count), TC_MBARRIER_INVAL(q, bar)             q: {.shared .shared::cta}, of init after
 *                     {.layout::v0 .layout::v1}; TC_MBARRIER_CHECK_LAYOUT(q, is, bar)
 *     TC_MBARRIER_ARRIVE(q, state, bar[, count]), TC_MBARRIER_ARRIVE_DROP
 *                     q: {.expect_tx .noComplete}{.release.cta .relaxed.cta .release.cluster .relaxed.cluster}
 *                     {.shared .shared::cta .shared::cluster}; state: the name of a uint64_t, or _
 *     TC_MBARRIER_EXPECT_TX(q, bar, bytes), TC_MBARRIER_COMPLETE_TX
 *                     q: {.relaxed.cta .relaxed.cluster}{.shared...}
 *     TC_MBARRIER_TEST_WAIT(q, done, bar, state), TC_MBARRIER_TEST_WAIT_PARITY(q, done, bar, parity)
 *     TC_MBARRIER_TRY_WAIT(q, done, bar, state[, ns]), TC_MBARRIER_TRY_WAIT_PARITY(q, done, bar, parity[, ns])
 *                     q: {.acquire.cta .relaxed.cta .acquire.cluster .relaxed.cluster}{.shared .shared::cta};
 *                     done: an int, 1 or 0
 *     the same with .phase_type::primary or, by parity, ::conditional before q; and with a report (PTX 9.3):
 *     TC_MBARRIER_{TEST,TRY}_WAIT{,_PARITY}_REPORT(q, done, report, bar, ..), _REPORT_VALUE(q, done, report, value, ..)
 *     TC_MBARRIER_ARRIVE_MULTICAST(q, bar[, count], mask), _ARRIVE_DROP_MULTICAST, _EXPECT_TX_MULTICAST(q, bar, bytes,
 *                     mask), _COMPLETE_TX_MULTICAST: to all CTAs of a mask of 32 bits                sm_107, PTX 9.4
 *     TC_FENCE(q), TC_MEMBAR(q), TC_FENCE_PROXY_TENSORMAP_ACQUIRE(scope, tmap)
 *     TC_BARRIER_CLUSTER_ARRIVE(q), TC_BARRIER_CLUSTER_WAIT(q)   q: {.release .relaxed or .acquire}{.aligned}
 *     TC_BARRIER_CTA_SYNC(q, id[, threads]), TC_BARRIER_CTA_ARRIVE(q, id, threads)      q: {.aligned}
 *     An address is a uint32_t where q has a .shared, and a pointer where it has none (PTX's generic form).
 *
 * AN MBARRIER counts. It is in phase 0 when made, then in 1, 0, 1, ...: a phase ends when pending arrivals and bytes
 * are both 0.
 *
 *     init(2)        arrive            arrive.expect_tx(4096)         4096 bytes land
 *     pending 2      pending 1         pending 0, bytes 4096          pending 2, bytes 0: the next phase
 *     parity 0       0                 0                              1           a wait for parity 0 ends here
 *
 * DEBUG
 *     With -DTC_DEBUG, TC_MBARRIER_WAIT and TC_MBARRIER_WAIT_CLUSTER spin for TC_DEBUG_TIMEOUT_NS at most, then print
 *     block, warp, barrier name, stage, parity, pending arrivals and source line, and trap. Without it, name and stage
 *     cost nothing.
 *
 * TRAPS
 *     A wait returns when the phase of that parity has *completed*: wait for parity 1 on a fresh barrier returns at
 *     once.
 *     .sem and .scope come together: .release alone is no qualifier. A remote arrive returns no state (_), and nobody
 *     waits remotely.
 *     A count with arrive needs sm_90; sm_80 has it with .noComplete only, which must not end the phase.
 *     try_wait's time is in nanoseconds and a hint: ask again.
 *     Shared memory written by ordinary stores is invisible to TMA and wgmma until tc_fence_proxy_async_shared: in each
 *     writing thread before the barrier, or behind it in each that issues what reads.
 *     A barrier used from another CTA, or by TMA: tc_fence_mbarrier_init after its init, then a cluster or block
 *     barrier.
 */
#ifndef TC_MBARRIER_H
#define TC_MBARRIER_H

#include "tc_core.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: mbarrier. bar: shared address of an 8-byte aligned uint64_t. A phase ends when its `count` arrivals have come
 * and the bytes expected have arrived; the parity of the first phase is 0.
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
 * access needs ordering. A release at cluster scope is a MEMBAR of the whole GPU: in a k loop it costs a quarter to a
 * half of the rate.
 * PTX before 8.6 has no .relaxed here; its release at CTA scope, which needs no MEMBAR either, is the same machine
 * code. */
TC_DEV_SM90 void tc_mbarrier_arrive_cluster_relaxed(uint32_t bar, uint32_t rank)
{
#if TC__PTX_86
    asm volatile("mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];" : : "r"(tc_mapa(bar, rank)) : "memory");
#else
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" : : "r"(tc_mapa(bar, rank)) : "memory");
#endif
}

/* The same two where `on` is not 0, by a predicate and not by a branch, behind which ptxas takes the lanes for parted.
 * bar of the second: an address in the cluster (tc_mapa). */
TC_DEV_SM80 void tc__mbarrier_arrive_if(int on, uint32_t bar)
{
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %1, 0;\n\t"
                 "@p mbarrier.arrive.shared.b64 _, [%0];\n\t}" : : "r"(bar), "r"(on) : "memory");
}

TC_DEV_SM90 void tc__mbarrier_arrive_cluster_relaxed_if(int on, uint32_t bar)
{
#if TC__PTX_86
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %1, 0;\n\t"
                 "@p mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%0];\n\t}"
                 : : "r"(bar), "r"(on) : "memory");
#else
    asm volatile("{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %1, 0;\n\t"
                 "@p mbarrier.arrive.shared::cluster.b64 _, [%0];\n\t}" : : "r"(bar), "r"(on) : "memory");
#endif
}

/* PTX: mbarrier.test_wait.parity (never suspends) and .try_wait.parity (may suspend for a while). 1: phase complete. */
#define TC__MBARRIER_TRY(gate, name, instr)                                                    \
    gate int name(uint32_t bar, uint32_t parity)                                               \
    {                                                                                          \
        int done;                                                                              \
        asm volatile("{\n"                                                                     \
                     ".reg .pred p;\n"                                                         \
                     instr ".b64 p, [%1], %2;\n"                                               \
                     "selp.b32 %0, 1, 0, p;\n"                                                 \
                     "}"                                                                       \
                     : "=r"(done)                                                              \
                     : "r"(bar), "r"(parity)                                                   \
                     : "memory");                                                              \
        return done;                                                                           \
    }
TC__MBARRIER_TRY(TC_DEV_SM80, tc_mbarrier_test_wait_parity, "mbarrier.test_wait.parity.shared")
TC__MBARRIER_TRY(TC_DEV_SM90, tc_mbarrier_try_wait_parity, "mbarrier.try_wait.parity.shared")
/* for bytes that other blocks of the cluster have sent (st.async) */
TC__MBARRIER_TRY(TC_DEV_SM90, tc_mbarrier_try_wait_parity_cluster,
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta")
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

/* PTX: mbarrier.arrive with its result, the state before it; mbarrier.pending_count: how many arrivals that state
 * lacked. */
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

/* Waits until the phase of this parity has completed. TC_MBARRIER_WAIT is the same, with a name and a stage for
 * TC_DEBUG. */
TC_DEV_SM80 void tc_mbarrier_wait(uint32_t bar, uint32_t parity)
{
    while (!tc__mbarrier_poll(bar, parity)) {
    }
}

/* The same by tc_mbarrier_try_wait_parity_cluster; TC_MBARRIER_WAIT_CLUSTER has the name and the stage. */
TC_DEV_SM90 void tc_mbarrier_wait_cluster(uint32_t bar, uint32_t parity)
{
    while (!tc_mbarrier_try_wait_parity_cluster(bar, parity)) {
    }
}

#ifdef TC_DEBUG
/* A wait of a program: what for, and where it stands. */
typedef struct tc__mbarrier_site {
    const char *name;
    int stage;
    const char *file;
    int line;
} tc__mbarrier_site;

TC_DEV uint64_t tc__mbarrier_clock(void)
{
    uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

/* Ends a wait that has lasted too long. */
TC_DEV_SM80 void tc__mbarrier_overdue(uint32_t bar, uint32_t parity, const tc__mbarrier_site at, uint64_t start)
{
    if (tc__mbarrier_clock() - start <= TC_DEBUG_TIMEOUT_NS) return;
    /* PTX tells the pending count to those who arrive only. This thread is lost anyway, so it does, and traps. One lane
     * of a warp speaks. */
    if ((threadIdx.x & 31u) == (unsigned)__ffs((int)__activemask()) - 1u)
        printf("tc: block (%u,%u,%u) warp %u waits for barrier \"%s\"[%d] parity %u: %u arrivals pending, %s:%d\n",
               blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x / 32, at.name, at.stage, parity,
               tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)), at.file, at.line);
    __trap();
}

TC_DEV_SM80 void tc__mbarrier_wait_debug(uint32_t bar, uint32_t parity, const tc__mbarrier_site at)
{
    const uint64_t start = tc__mbarrier_clock();
    while (!tc__mbarrier_poll(bar, parity)) tc__mbarrier_overdue(bar, parity, at, start);
}
TC_DEV_SM90 void tc__mbarrier_wait_cluster_debug(uint32_t bar, uint32_t parity, const tc__mbarrier_site at)
{
    const uint64_t start = tc__mbarrier_clock();
    while (!tc_mbarrier_try_wait_parity_cluster(bar, parity)) tc__mbarrier_overdue(bar, parity, at, start);
}
#define TC__MBARRIER_SITE(name, stage) tc__mbarrier_site{name, stage, __FILE__, __LINE__}
#define TC_MBARRIER_WAIT(bar, parity, name, stage)                                                                    \
    tc__mbarrier_wait_debug(bar, parity, TC__MBARRIER_SITE(name, stage))
#define TC_MBARRIER_WAIT_CLUSTER(bar, parity, name, stage)                                                            \
    tc__mbarrier_wait_cluster_debug(bar, parity, TC__MBARRIER_SITE(name, stage))
#else
#define TC_MBARRIER_WAIT(bar, parity, name, stage) tc_mbarrier_wait(bar, parity)
#define TC_MBARRIER_WAIT_CLUSTER(bar, parity, name, stage) tc_mbarrier_wait_cluster(bar, parity)
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: fence.proxy.async: this thread's ordinary writes, before; TMA, wgmma reads, after. _shared, _global: that memory
 * only.
 * fence.mbarrier_init: makes mbarrier.init visible to the cluster and to TMA; needs a cluster or block barrier after
 * it.
 */
TC_DEV_SM90 void tc_fence_proxy_async_shared(void) { asm volatile("fence.proxy.async.shared::cta;" : : : "memory"); }
TC_DEV_SM90 void tc_fence_proxy_async_global(void) { asm volatile("fence.proxy.async.global;" : : : "memory"); }
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
/* PTX: %clusterid.x, %nclusterid.x: which cluster of a grid in one dimension, of how many. */
TC_DEV_SM90 uint32_t tc_clusterid_x(void)
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(r));
    return r;
}
TC_DEV_SM90 uint32_t tc_nclusterid_x(void)
{
    uint32_t r;
    asm volatile("mov.u32 %0, %%nclusterid.x;" : "=r"(r));
    return r;
}

TC_DEV_SM90 void tc_cluster_arrive(void) { asm volatile("barrier.cluster.arrive.release.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_arrive_relaxed(void)
{ asm volatile("barrier.cluster.arrive.relaxed.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_wait(void) { asm volatile("barrier.cluster.wait.acquire.aligned;" : : : "memory"); }
TC_DEV_SM90 void tc_cluster_sync(void)
{
    tc_cluster_arrive();
    tc_cluster_wait();
}

/* PTX: griddepcontrol. wait: the grids before this one in the stream have completed and their writes are visible; a
 * no-op without the programmatic launch attribute. launch_dependents: the next grid may start (its wait still holds
 * it). */
TC_DEV_SM90 void tc_griddepcontrol_wait(void) { asm volatile("griddepcontrol.wait;" : : : "memory"); }
TC_DEV_SM90 void tc_griddepcontrol_launch_dependents(void)
{
    asm volatile("griddepcontrol.launch_dependents;" : : : "memory");
}

/* ---------------------------------------------------------------------------------------------------------------------
 * mbarrier with every qualifier.
 */
#define TC__ADDRESS(q, addr)                                                                                          \
    static_assert(sizeof(+(addr)) == (tc__holds(#q, ".shared") ? 4 : 8),                                              \
                  "tc: the address: with .shared a shared address (uint32_t, of tc_smem_u32 or tc_mapa), without it " \
                  "a pointer")
#define TC__MB_SPACE "{.shared, .shared::cta}"
#define TC__MB_SEM "|.release.cta|.relaxed.cta|.release.cluster|.relaxed.cluster"
#define TC__MB_WAITS "|.acquire.cta|.relaxed.cta|.acquire.cluster|.relaxed.cluster |.shared|.shared::cta"
#define TC__MB_SM90(q, what)                                                                                          \
    static_assert(TC_HAS_SM90, "tc: mbarrier: " what                                                                  \
                  " needs sm_90: compile with -gencode arch=compute_90,code=sm_90")

#define TC_MBARRIER_INIT(q, bar, count)                                                                               \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.layout::v0|.layout::v1 |.shared|.shared::cta"),                              \
                      "tc: mbarrier.init: the qualifiers are {.layout::v0, .layout::v1}" TC__MB_SPACE);               \
        TC__NEEDS_PTX_IF(93, tc__holds(#q, ".layout"), "mbarrier.init with a .layout");                               \
        TC__NEEDS_TARGET_IF(TC_HAS_SM90, tc__holds(#q, ".layout"), "mbarrier.init with a .layout", "sm_90", "90");    \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_sm80();                                                                                             \
        asm volatile("mbarrier.init" #q ".b64 [%0], %1;" : : "l"((uint64_t)(bar)), "r"(count) : "memory");            \
    } while (0)
#define TC_MBARRIER_INVAL(q, bar)                                                                                     \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.shared|.shared::cta"), "tc: mbarrier.inval: the qualifiers are "             \
                      TC__MB_SPACE);                                                                                  \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_sm80();                                                                                             \
        asm volatile("mbarrier.inval" #q ".b64 [%0];" : : "l"((uint64_t)(bar)) : "memory");                           \
    } while (0)

/* arrive: by S or N (state or none), and the number of arguments after it */
#define TC__MB_SINK__ ~, N
#define TC__MB_S_1 ~, TC__MB_STATE
#define TC__MB_S_2 ~, TC__MB_STATE_COUNT
#define TC__MB_N_1 ~, TC__MB_NONE
#define TC__MB_N_2 ~, TC__MB_NONE_COUNT
#define TC__MB_BAD(...)                                                                                               \
    static_assert(0, "tc: mbarrier.arrive: the arguments are (qualifiers, state or _, bar[, count])")
#define TC__MB_PICK(sink, count) TC__MB_PICK_(sink, count)
#define TC__MB_PICK_(sink, count) TC__PROBE(TC__MB_##sink##_##count, TC__MB_BAD)
#define TC__MB_STATE(op, q, state, bar)                                                                               \
    static_assert(tc__follows(#q, TC__MB_SEM " |.shared|.shared::cta"),                                               \
                  "tc: mbarrier.arrive: the qualifiers are {.release or .relaxed with .cta or .cluster}" TC__MB_SPACE \
                  "; .shared::cluster takes _ for the state; .expect_tx and .noComplete take a count");               \
    static_assert(TC_HAS_SM90 || tc__follows(#q, "|.release.cta |.shared|.shared::cta"),                              \
                  "tc: mbarrier: .relaxed and .cluster need sm_90: compile with -gencode arch=compute_90,code=sm_90"); \
    TC__ADDRESS(q, bar);                                                                                              \
    tc__needs_sm80();                                                                                                 \
    asm volatile("mbarrier." op #q ".b64 %0, [%1];" : "=l"(state) : "l"((uint64_t)(bar)) : "memory")
#define TC__MB_STATE_COUNT(op, q, state, bar, count)                                                                  \
    static_assert(tc__follows(#q, "|.expect_tx " TC__MB_SEM " |.shared|.shared::cta")                                 \
                  || tc__follows(#q, ".noComplete |.release.cta |.shared|.shared::cta"),                              \
                  "tc: mbarrier.arrive with a count: the qualifiers are {.expect_tx}{.release or .relaxed with .cta " \
                  "or .cluster}" TC__MB_SPACE                                                                         \
                  ", or .noComplete{.release.cta}" TC__MB_SPACE "; .shared::cluster takes _ for the state");          \
    static_assert(TC_HAS_SM90 || tc__holds(#q, ".noComplete"),                                                        \
                  "tc: mbarrier: a count without .noComplete needs sm_90: compile with -gencode "                     \
                  "arch=compute_90,code=sm_90");                                                                      \
    TC__ADDRESS(q, bar);                                                                                              \
    tc__needs_sm80();                                                                                                 \
    asm volatile("mbarrier." op #q ".b64 %0, [%1], %2;" : "=l"(state) : "l"((uint64_t)(bar)), "r"(count) : "memory")
#define TC__MB_NONE(op, q, state, bar)                                                                                \
    static_assert(tc__follows(#q, TC__MB_SEM " |.shared|.shared::cta|.shared::cluster"),                              \
                  "tc: mbarrier.arrive: the qualifiers are {.release or .relaxed with .cta or .cluster}{.shared, "    \
                  ".shared::cta, .shared::cluster}");                                                                 \
    static_assert(TC_HAS_SM90 || tc__follows(#q, "|.release.cta |.shared|.shared::cta"),                              \
                  "tc: mbarrier: .relaxed and .cluster need sm_90: compile with -gencode arch=compute_90,code=sm_90"); \
    TC__ADDRESS(q, bar);                                                                                              \
    tc__needs_sm80();                                                                                                 \
    asm volatile("mbarrier." op #q ".b64 _, [%0];" : : "l"((uint64_t)(bar)) : "memory")
#define TC__MB_NONE_COUNT(op, q, state, bar, count)                                                                   \
    static_assert(tc__follows(#q, "|.expect_tx " TC__MB_SEM " |.shared|.shared::cta|.shared::cluster"),               \
                  "tc: mbarrier.arrive with a count: the qualifiers are {.expect_tx}{.release or .relaxed with .cta " \
                  "or .cluster}{.shared, .shared::cta, .shared::cluster}; .noComplete returns a state");              \
    TC__ADDRESS(q, bar);                                                                                              \
    tc__needs_sm90();                                                                                                 \
    asm volatile("mbarrier." op #q ".b64 _, [%0], %1;" : : "l"((uint64_t)(bar)), "r"(count) : "memory")

/* PTX: mbarrier.arrive and .arrive_drop (which also lowers the count of the phases to come). */
#define TC_MBARRIER_ARRIVE(q, state, ...)                                                                             \
    do {                                                                                                              \
        TC__CALL(TC__MB_PICK(TC__PROBE(TC__MB_SINK_##state, S), TC__NARGS(__VA_ARGS__)), "arrive", q, state,          \
                 __VA_ARGS__);                                                                                        \
    } while (0)
#define TC_MBARRIER_ARRIVE_DROP(q, state, ...)                                                                        \
    do {                                                                                                              \
        TC__CALL(TC__MB_PICK(TC__PROBE(TC__MB_SINK_##state, S), TC__NARGS(__VA_ARGS__)), "arrive_drop", q, state,     \
                 __VA_ARGS__);                                                                                        \
    } while (0)

#define TC__MB_TX(op, q, bar, bytes)                                                                                  \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.relaxed.cta|.relaxed.cluster |.shared|.shared::cta|.shared::cluster"),       \
                      "tc: mbarrier." op                                                                              \
                      ": the qualifiers are {.relaxed.cta, .relaxed.cluster}{.shared, .shared::cta, "                 \
                      ".shared::cluster}");                                                                           \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_sm90();                                                                                             \
        asm volatile("mbarrier." op #q ".b64 [%0], %1;" : : "l"((uint64_t)(bar)), "r"(bytes) : "memory");             \
    } while (0)
#define TC_MBARRIER_EXPECT_TX(q, bar, bytes) TC__MB_TX("expect_tx", q, bar, bytes)
#define TC_MBARRIER_COMPLETE_TX(q, bar, bytes) TC__MB_TX("complete_tx", q, bar, bytes)

/* .phase_type (PTX 9.3): primary is what a wait without it asks; conditional, by parity alone, completes only if the
 * report was 0. */
#define TC__MB_SCOPED " |.acquire.cta|.relaxed.cta|.acquire.cluster|.relaxed.cluster .shared::cta"
#define TC__MB_WAIT_CHECK(op, q)                                                                                      \
    static_assert(tc__follows(#q, TC__MB_WAITS) || tc__follows(#q, ".phase_type::primary" TC__MB_SCOPED)              \
                  || (tc__holds(op, "parity") && tc__follows(#q, ".phase_type::conditional" TC__MB_SCOPED)),          \
                  "tc: mbarrier." op ": the qualifiers are {.acquire or .relaxed with .cta or .cluster}" TC__MB_SPACE \
                  ": a wait is local; or .phase_type::primary (by parity: or ::conditional), these, .shared::cta"); \
    TC__NEEDS_PTX_IF(93, tc__holds(#q, ".phase_type"), "mbarrier." op " with a .phase_type");                         \
    TC__NEEDS_TARGET_IF(TC_HAS_SM90, tc__holds(#q, ".phase_type"), "mbarrier." op " with a .phase_type", "sm_90", "90")
#define TC__MB_WAIT(op, q, constraint, done, bar, phase)                                                              \
    TC__MB_WAIT_CHECK(op, q);                                                                                         \
    static_assert(TC_HAS_SM90 || tc__follows(#q, "|.acquire.cta |.shared|.shared::cta"),                              \
                  "tc: mbarrier: .relaxed and .cluster need sm_90: compile with -gencode arch=compute_90,code=sm_90"); \
    TC__ADDRESS(q, bar);                                                                                              \
    asm volatile("{\n.reg .pred p;\nmbarrier." op #q ".b64 p, [%1], %2;\nselp.b32 %0, 1, 0, p;\n}"                    \
                 : "=r"(done) : "l"((uint64_t)(bar)), constraint(phase) : "memory")
#define TC__MB_WAIT_NS(op, q, constraint, done, bar, phase, ns)                                                       \
    TC__MB_WAIT_CHECK(op, q);                                                                                         \
    TC__ADDRESS(q, bar);                                                                                              \
    asm volatile("{\n.reg .pred p;\nmbarrier." op #q ".b64 p, [%1], %2, %3;\nselp.b32 %0, 1, 0, p;\n}"                \
                 : "=r"(done) : "l"((uint64_t)(bar)), constraint(phase), "r"(ns) : "memory")
#define TC__MB_TRY_3 ~, TC__MB_WAIT
#define TC__MB_TRY_4 ~, TC__MB_WAIT_NS
#define TC__MB_TRY_BAD(...)                                                                                           \
    static_assert(0,                                                                                                  \
                  "tc: mbarrier.try_wait: the arguments are (qualifiers, done, bar, state or parity[, nanoseconds])")
#define TC__MB_TRY(count) TC__MB_TRY_(count)
#define TC__MB_TRY_(count) TC__PROBE(TC__MB_TRY_##count, TC__MB_TRY_BAD)
#define TC_MBARRIER_TEST_WAIT(q, done, bar, state)                                                                    \
    do { tc__needs_sm80(); TC__MB_WAIT("test_wait", q, "l", done, bar, state); } while (0)
#define TC_MBARRIER_TEST_WAIT_PARITY(q, done, bar, parity)                                                            \
    do { tc__needs_sm80(); TC__MB_WAIT("test_wait.parity", q, "r", done, bar, parity); } while (0)
#define TC_MBARRIER_TRY_WAIT(q, ...)                                                                                  \
    do { tc__needs_sm90(); TC__CALL(TC__MB_TRY(TC__NARGS(__VA_ARGS__)), "try_wait", q, "l", __VA_ARGS__); } while (0)
#define TC_MBARRIER_TRY_WAIT_PARITY(q, ...)                                                                           \
    do {                                                                                                              \
        tc__needs_sm90();                                                                                             \
        TC__CALL(TC__MB_TRY(TC__NARGS(__VA_ARGS__)), "try_wait.parity", q, "r", __VA_ARGS__);                         \
    } while (0)

/* An mbarrier of .layout::v1 (counts of 1..511; PTX 9.3, sm_90) keeps a report of what its copies brought. A wait tells
 * with the phase whether there is one (report: an int) and which (value: a uint32_t, 8 bits); both are undefined while
 * done is 0. The other operations take both layouts; 0 is the report of v0. */
#define TC_MBARRIER_CHECK_LAYOUT(q, is, bar)                                                                          \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".layout::v0|.layout::v1 |.shared|.shared::cta"),                               \
                      "tc: mbarrier.check_layout: the qualifiers are .layout::v0 or .layout::v1, " TC__MB_SPACE);     \
        TC__NEEDS_PTX(93, "mbarrier.check_layout");                                                                   \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_sm90();                                                                                             \
        asm volatile("{\n.reg .pred p;\nmbarrier.check_layout" #q ".b64 p, [%1];\nselp.b32 %0, 1, 0, p;\n}"           \
                     : "=r"(is) : "l"((uint64_t)(bar)) : "memory");                                                   \
    } while (0)
#define TC__MB_REPORT_CHECK(op, q, bar)                                                                               \
    static_assert(tc__follows(#q, ".phase_type::primary" TC__MB_SCOPED), "tc: mbarrier." op                           \
                  " with a report: the qualifiers are .phase_type::primary, {.acquire or .relaxed with .cta or "      \
                  ".cluster}, .shared::cta");                                                                         \
    TC__NEEDS_PTX(93, "mbarrier." op " with a report");                                                               \
    TC__ADDRESS(q, bar);                                                                                              \
    tc__needs_sm90()
#define TC__MB_REPORT(op, q, c, done, report, bar, phase)                                                             \
    TC__MB_REPORT_CHECK(op, q, bar);                                                                                  \
    asm volatile("{\n.reg .pred p;\n.reg .pred q;\nmbarrier." op #q ".b64 p|q, [%2], %3;\nselp.b32 %0, 1, 0, p;\n"    \
                 "selp.b32 %1, 1, 0, q;\n}" : "=r"(done), "=r"(report) : "l"((uint64_t)(bar)), c(phase) : "memory")
#define TC__MB_REPORT_NS(op, q, c, done, report, bar, phase, ns)                                                      \
    TC__MB_REPORT_CHECK(op, q, bar);                                                                                  \
    asm volatile("{\n.reg .pred p;\n.reg .pred q;\nmbarrier." op #q ".b64 p|q, [%2], %3, %4;\nselp.b32 %0, 1, 0, p;\n" \
                 "selp.b32 %1, 1, 0, q;\n}"                                                                           \
                 : "=r"(done), "=r"(report) : "l"((uint64_t)(bar)), c(phase), "r"(ns) : "memory")
#define TC__MB_VALUE(op, q, c, done, report, value, bar, phase)                                                       \
    TC__MB_REPORT_CHECK(op, q, bar);                                                                                  \
    asm volatile("{\n.reg .pred p;\n.reg .pred q;\n.reg .b8 b;\nmbarrier." op #q ".b64 p|q, b, [%3], %4;\n"           \
                 "selp.b32 %0, 1, 0, p;\nselp.b32 %1, 1, 0, q;\ncvt.u32.u8 %2, b;\n}"                                 \
                 : "=r"(done), "=r"(report), "=r"(value) : "l"((uint64_t)(bar)), c(phase) : "memory")
#define TC__MB_VALUE_NS(op, q, c, done, report, value, bar, phase, ns)                                                \
    TC__MB_REPORT_CHECK(op, q, bar);                                                                                  \
    asm volatile("{\n.reg .pred p;\n.reg .pred q;\n.reg .b8 b;\nmbarrier." op #q ".b64 p|q, b, [%3], %4, %5;\n"       \
                 "selp.b32 %0, 1, 0, p;\nselp.b32 %1, 1, 0, q;\ncvt.u32.u8 %2, b;\n}"                                 \
                 : "=r"(done), "=r"(report), "=r"(value) : "l"((uint64_t)(bar)), c(phase), "r"(ns) : "memory")
#define TC__MB_REPORT_4 ~, TC__MB_REPORT
#define TC__MB_REPORT_5 ~, TC__MB_REPORT_NS
#define TC__MB_VALUE_5 ~, TC__MB_VALUE
#define TC__MB_VALUE_6 ~, TC__MB_VALUE_NS
#define TC__MB_REPORT_BAD(...)                                                                                        \
    static_assert(0, "tc: mbarrier waits with a report: the arguments are (qualifiers, done, report[, value of the "  \
                  "_VALUE forms], bar, state or parity[, nanoseconds of try_wait])")
#define TC__MB_REPORTS(kind, count) TC__MB_REPORTS_(kind, count)
#define TC__MB_REPORTS_(kind, count) TC__PROBE(TC__MB_##kind##_##count, TC__MB_REPORT_BAD)
#define TC_MBARRIER_TEST_WAIT_REPORT(q, done, report, bar, state)                                                     \
    do { TC__MB_REPORT("test_wait", q, "l", done, report, bar, state); } while (0)
#define TC_MBARRIER_TEST_WAIT_REPORT_VALUE(q, done, report, value, bar, state)                                        \
    do { TC__MB_VALUE("test_wait", q, "l", done, report, value, bar, state); } while (0)
#define TC_MBARRIER_TEST_WAIT_PARITY_REPORT(q, done, report, bar, parity)                                             \
    do { TC__MB_REPORT("test_wait.parity", q, "r", done, report, bar, parity); } while (0)
#define TC_MBARRIER_TEST_WAIT_PARITY_REPORT_VALUE(q, done, report, value, bar, parity)                                \
    do { TC__MB_VALUE("test_wait.parity", q, "r", done, report, value, bar, parity); } while (0)
#define TC_MBARRIER_TRY_WAIT_REPORT(q, ...)                                                                           \
    do { TC__CALL(TC__MB_REPORTS(REPORT, TC__NARGS(__VA_ARGS__)), "try_wait", q, "l", __VA_ARGS__); } while (0)
#define TC_MBARRIER_TRY_WAIT_REPORT_VALUE(q, ...)                                                                     \
    do { TC__CALL(TC__MB_REPORTS(VALUE, TC__NARGS(__VA_ARGS__)), "try_wait", q, "l", __VA_ARGS__); } while (0)
#define TC_MBARRIER_TRY_WAIT_PARITY_REPORT(q, ...)                                                                    \
    do { TC__CALL(TC__MB_REPORTS(REPORT, TC__NARGS(__VA_ARGS__)), "try_wait.parity", q, "r", __VA_ARGS__); } while (0)
#define TC_MBARRIER_TRY_WAIT_PARITY_REPORT_VALUE(q, ...)                                                              \
    do { TC__CALL(TC__MB_REPORTS(VALUE, TC__NARGS(__VA_ARGS__)), "try_wait.parity", q, "r", __VA_ARGS__); } while (0)

/* The same offset in every CTA of a mask of 32 bits at once (sm_107, PTX 9.4): one instruction hands a slot back to all
 * blocks that multicast into it. bar: a shared::cluster address. */
#define TC__MB_ALL ".shared::cluster.multicast::cluster::32b"
#define TC__MB_ALL_CHECK(what, q, rule, text)                                                                         \
    static_assert(tc__follows(#q, rule " " TC__MB_ALL), "tc: " what ": the qualifiers are " text TC__MB_ALL);         \
    TC__NEEDS_PTX(94, what " with .multicast");                                                                       \
    TC__NEEDS_SM107A_IF(1, what " with .multicast")
#define TC__MB_ALL_2(op, q, bar, mask)                                                                                \
    TC__MB_ALL_CHECK("mbarrier." op, q, TC__MB_SEM, "{.release or .relaxed with .cta or .cluster}");                  \
    asm volatile("mbarrier." op #q ".b64 _, [%0], %1;" : : "r"(bar), "r"((uint32_t)(mask)) : "memory")
#define TC__MB_ALL_3(op, q, bar, count, mask)                                                                         \
    TC__MB_ALL_CHECK("mbarrier." op, q, "|.expect_tx " TC__MB_SEM,                                                    \
                     "{.expect_tx}{.release or .relaxed with .cta or .cluster}");                                     \
    asm volatile("mbarrier." op #q ".b64 _, [%0], %1, %2;" : : "r"(bar), "r"(count), "r"((uint32_t)(mask)) : "memory")
#define TC__MB_ALL_ARGS_2 ~, TC__MB_ALL_2
#define TC__MB_ALL_ARGS_3 ~, TC__MB_ALL_3
#define TC__MB_ALL_BAD(...)                                                                                           \
    static_assert(0, "tc: mbarrier.arrive with .multicast: the arguments are (qualifiers, bar[, count or bytes], mask)")
#define TC__MB_ALL_PICK(count) TC__MB_ALL_PICK_(count)
#define TC__MB_ALL_PICK_(count) TC__PROBE(TC__MB_ALL_ARGS_##count, TC__MB_ALL_BAD)
#define TC_MBARRIER_ARRIVE_MULTICAST(q, ...)                                                                          \
    do { TC__CALL(TC__MB_ALL_PICK(TC__NARGS(__VA_ARGS__)), "arrive", q, __VA_ARGS__); } while (0)
#define TC_MBARRIER_ARRIVE_DROP_MULTICAST(q, ...)                                                                     \
    do { TC__CALL(TC__MB_ALL_PICK(TC__NARGS(__VA_ARGS__)), "arrive_drop", q, __VA_ARGS__); } while (0)
#define TC__MB_ALL_TX(op, q, bar, bytes, mask)                                                                        \
    do {                                                                                                              \
        TC__MB_ALL_CHECK("mbarrier." op, q, "|.relaxed.cta|.relaxed.cluster", "{.relaxed.cta, .relaxed.cluster}");    \
        asm volatile("mbarrier." op #q ".b64 [%0], %1, %2;" : : "r"(bar), "r"(bytes), "r"((uint32_t)(mask))           \
                     : "memory");                                                                                     \
    } while (0)
#define TC_MBARRIER_EXPECT_TX_MULTICAST(q, bar, bytes, mask) TC__MB_ALL_TX("expect_tx", q, bar, bytes, mask)
#define TC_MBARRIER_COMPLETE_TX_MULTICAST(q, bar, bytes, mask) TC__MB_ALL_TX("complete_tx", q, bar, bytes, mask)

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: fence, membar.
 *     q of TC_FENCE              sm_90, where there is an .acquire or .release, a .cluster, or an async or tensormap
 *                                proxy
 *     {.sc .acq_rel .acquire .release}{.cta .cluster .gpu .sys}, one of the scopes always
 *     .acquire.sync_restrict::shared::cluster.cluster    .release.sync_restrict::shared::cta.cluster
 *     .mbarrier_init.release.cluster
 *     .proxy.alias    .proxy.async{.global .shared::cta .shared::cluster}
 *     .proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
 *     .proxy.async::generic.release.sync_restrict::shared::cta.cluster
 *     .proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster: reads alone, before a slot is handed
 *     to an asynchronous writer; .proxy.alias.acquire.sys, .proxy.alias.release.sys                     sm_90, PTX 9.4
 *     .proxy.generic::fabric, .proxy.fabric::generic, .proxy.fabric::fabric, each .alias.acquire.sys or
 *     .alias.release.sys                                                                               sm_100, PTX 9.3
 *     .proxy.tensormap::generic.release{.cta .cluster .gpu .sys}; its acquire side has an address, and a macro of its
 *     own: after a tensor map was changed in global memory, tmap is that map.
 */
#define TC__FENCE_RULE                                                                                                \
    ".sc|.acq_rel|.acquire|.release| .cta|.cluster|.gpu|.sys"
#define TC__FENCE_RULE_2                                                                                              \
    ".acquire.sync_restrict::shared::cluster.cluster|.release.sync_restrict::shared::cta.cluster"                     \
    "|.mbarrier_init.release.cluster|.proxy.alias"
#define TC__FENCE_RULE_3                                                                                              \
    ".proxy.async |.global|.shared::cta|.shared::cluster|::generic.acquire.sync_restrict::shared::cluster.cluster"    \
    "|::generic.release.sync_restrict::shared::cta.cluster"
#define TC__FENCE_READ ".proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster"
#define TC__FENCE_ALIAS ".proxy.alias .acquire|.release .sys"
#define TC__FENCE_FABRIC ".proxy. generic::fabric|fabric::generic|fabric::fabric .alias .acquire|.release .sys"
#define TC_FENCE(q)                                                                                                   \
    do {                                                                                                              \
        static_assert(tc__follows(#q, TC__FENCE_RULE) || tc__follows(#q, TC__FENCE_RULE_2)                            \
                      || tc__follows(#q, TC__FENCE_RULE_3)                                                            \
                          || tc__follows(#q, ".proxy.tensormap::generic.release .cta|.cluster|.gpu|.sys")             \
                      || tc__follows(#q, TC__FENCE_READ) || tc__follows(#q, TC__FENCE_ALIAS)                          \
                      || tc__follows(#q, TC__FENCE_FABRIC),                                                           \
                      "tc: fence: the qualifiers are {.sc, .acq_rel, .acquire, .release} with .cta, .cluster, .gpu "  \
                      "or .sys; .mbarrier_init.release.cluster; .proxy.alias; .proxy.async{.global, .shared::cta, "   \
                      ".shared::cluster}; .proxy.tensormap::generic.release with a scope; or the sync_restrict "      \
                      "forms that tc_mbarrier.h lists");                                                              \
        static_assert(TC_HAS_SM90 || tc__follows(#q, "|.sc|.acq_rel .cta|.gpu|.sys")                                  \
                      || tc__follows(#q, ".proxy.alias"),                                                             \
                      "tc: fence: .acquire, .release, .cluster, .proxy.async and .proxy.tensormap need sm_90: "       \
                      "compile with -gencode arch=compute_90,code=sm_90; before it there are .sc and .acq_rel");      \
        TC__NEEDS_PTX_IF(94, tc__follows(#q, TC__FENCE_READ) || tc__follows(#q, TC__FENCE_ALIAS), "this fence");      \
        TC__NEEDS_PTX_IF(93, tc__follows(#q, TC__FENCE_FABRIC), "this fence");                                        \
        TC__NEEDS_TARGET_IF(TC_HAS_SM100, tc__follows(#q, TC__FENCE_FABRIC), "this fence", "sm_100", "100");          \
        asm volatile("fence" #q ";" : : : "memory");                                                                  \
    } while (0)
#define TC_FENCE_PROXY_TENSORMAP_ACQUIRE(scope, tmap)                                                                 \
    do {                                                                                                              \
        static_assert(tc__follows(#scope, ".cta|.cluster|.gpu|.sys"),                                                 \
                      "tc: fence.proxy.tensormap: the scope is .cta, .cluster, .gpu or .sys");                        \
        tc__needs_sm90();                                                                                             \
        asm volatile("fence.proxy.tensormap::generic.acquire" #scope " [%0], 128;" : : "l"((uint64_t)(tmap))          \
                     : "memory");                                                                                     \
    } while (0)
#define TC_MEMBAR(q)                                                                                                  \
    do {                                                                                                              \
        static_assert(tc__follows(#q, ".cta|.gl|.sys|.proxy.alias"),                                                  \
                      "tc: membar: the qualifiers are .cta, .gl, .sys or .proxy.alias; the async proxy has "          \
                      "TC_FENCE(.proxy.async)");                                                                      \
        asm volatile("membar" #q ";" : : : "memory");                                                                 \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Clusters. .aligned: all threads of the warp come together.
 */
#define TC_BARRIER_CLUSTER_ARRIVE(q)                                                                                  \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.release|.relaxed |.aligned"),                                                \
                      "tc: barrier.cluster.arrive: the qualifiers are {.release, .relaxed}{.aligned}");               \
        tc__needs_sm90();                                                                                             \
        asm volatile("barrier.cluster.arrive" #q ";" : : : "memory");                                                 \
    } while (0)
#define TC_BARRIER_CLUSTER_WAIT(q)                                                                                    \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.acquire |.aligned"),                                                         \
                      "tc: barrier.cluster.wait: the qualifiers are {.acquire}{.aligned}");                           \
        tc__needs_sm90();                                                                                             \
        asm volatile("barrier.cluster.wait" #q ";" : : : "memory");                                                   \
    } while (0)

/* PTX: mapa, getctarank, cvta, isspacep. _shared_u64: shared::cluster addresses in 64 bits; _u64: generic ones. */
TC_DEV_SM90 uint64_t tc_mapa_shared_u64(uint64_t addr, uint32_t rank)
{
    uint64_t r;
    asm("mapa.shared::cluster.u64 %0, %1, %2;" : "=l"(r) : "l"(addr), "r"(rank));
    return r;
}
TC_DEV_SM90 void *tc_mapa_u64(const void *p, uint32_t rank)
{
    uint64_t r;
    asm("mapa.u64 %0, %1, %2;" : "=l"(r) : "l"(p), "r"(rank));
    return (void *)r;
}
TC_DEV_SM90 uint32_t tc_getctarank(uint32_t addr)
{
    uint32_t r;
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(r) : "r"(addr));
    return r;
}
TC_DEV_SM90 uint32_t tc_getctarank_shared_u64(uint64_t addr)
{
    uint32_t r;
    asm("getctarank.shared::cluster.u64 %0, %1;" : "=r"(r) : "l"(addr));
    return r;
}
TC_DEV_SM90 uint32_t tc_getctarank_u64(const void *p)
{
    uint32_t r;
    asm("getctarank.u64 %0, %1;" : "=r"(r) : "l"(p));
    return r;
}
/* a shared::cluster address as a pointer, and back */
TC_DEV_SM90 void *tc_cvta_shared_cluster(uint32_t addr)
{
    uint64_t r;
    asm("cvta.shared::cluster.u64 %0, %1;" : "=l"(r) : "l"((uint64_t)addr));
    return (void *)r;
}
TC_DEV_SM90 uint32_t tc_cvta_to_shared_cluster(const void *p)
{
    uint64_t r;
    asm("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(r) : "l"(p));
    return (uint32_t)r;
}
/* Does p point into shared memory of this cluster? */
TC_DEV_SM90 int tc_isspacep_shared_cluster(const void *p)
{
    int r;
    asm("{\n.reg .pred p;\nisspacep.shared::cluster p, %1;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(r) : "l"(p));
    return r;
}

/* PTX: special registers: tc_sreg_cluster_ctaid_x() and so on. cluster_ctaid, cluster_nctaid: place in the cluster and
 * its shape; clusterid, nclusterid: of the cluster in the grid; bytes of shared memory: total_smem_size,
 * dynamic_smem_size, aggr_smem_size (of the cluster), and the part reserved by the system. */
#define TC__SREG(gate, name, reg)                                                                                     \
    gate uint32_t tc_sreg_##name(void)                                                                                \
    {                                                                                                                 \
        uint32_t r;                                                                                                   \
        asm volatile("mov.u32 %0, %%" reg ";" : "=r"(r));                                                             \
        return r;                                                                                                     \
    }
#define TC__SREG_XYZ(name)                                                                                            \
    TC__SREG(TC_DEV_SM90, name##_x, #name ".x") TC__SREG(TC_DEV_SM90, name##_y, #name ".y")                           \
        TC__SREG(TC_DEV_SM90, name##_z, #name ".z")
TC__SREG_XYZ(clusterid)
TC__SREG_XYZ(nclusterid)
TC__SREG_XYZ(cluster_ctaid)
TC__SREG_XYZ(cluster_nctaid)
TC__SREG(TC_DEV_SM90, cluster_ctarank, "cluster_ctarank")
TC__SREG(TC_DEV_SM90, cluster_nctarank, "cluster_nctarank")
TC__SREG(TC_DEV_SM90, aggr_smem_size, "aggr_smem_size")
TC__SREG(TC_DEV_SM80, reserved_smem_offset_begin, "reserved_smem_offset_begin")
TC__SREG(TC_DEV_SM80, reserved_smem_offset_end, "reserved_smem_offset_end")
TC__SREG(TC_DEV_SM80, reserved_smem_offset_cap, "reserved_smem_offset_cap")
TC__SREG(TC_DEV, total_smem_size, "total_smem_size")
TC__SREG(TC_DEV, dynamic_smem_size, "dynamic_smem_size")
#undef TC__SREG
#undef TC__SREG_XYZ
/* PTX: %perctamemoryoffset, %perctamemorysize (sm_80, PTX 9.4): global memory of this CTA's own. They exist only in an
 * entry with the directive .minperctamemory, which CUDA C cannot write: for PTX that is put together by hand. type: u64
 * or b64 of the address, u32 or b32 of the size. */
#define TC_MOV_PERCTAMEMORYOFFSET(type, d)                                                                            \
    do {                                                                                                              \
        static_assert(tc__follows(#type, "u64|b64"), "tc: %perctamemoryoffset: the type is u64 or b64");              \
        TC__NEEDS_PTX(94, "%perctamemoryoffset");                                                                     \
        tc__needs_sm80();                                                                                             \
        asm volatile("mov." #type " %0, %%perctamemoryoffset;" : "=l"(d));                                            \
    } while (0)
#define TC_MOV_PERCTAMEMORYSIZE(type, d)                                                                              \
    do {                                                                                                              \
        static_assert(tc__follows(#type, "u32|b32"), "tc: %perctamemorysize: the type is u32 or b32");                \
        TC__NEEDS_PTX(94, "%perctamemorysize");                                                                       \
        tc__needs_sm80();                                                                                             \
        asm volatile("mov." #type " %0, %%perctamemorysize;" : "=r"(d));                                              \
    } while (0)
/* PTX: trace.mark (sm_107, PTX 9.5): a literal; ptxas takes it, no document says what for */
#define TC_TRACE_MARK(n)                                                                                              \
    do {                                                                                                              \
        TC__NEEDS_PTX(95, "trace.mark");                                                                              \
        tc__needs_sm107a();                                                                                           \
        asm volatile("trace.mark %0;" : : "n"(n) : "memory");                                                         \
    } while (0)
/* 1 where the launch named a cluster */
TC_DEV_SM90 int tc_sreg_is_explicit_cluster(void)
{
    int r;
    asm volatile("{\n.reg .pred p;\nmov.pred p, %%is_explicit_cluster;\nselp.b32 %0, 1, 0, p;\n}" : "=r"(r));
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Named barriers of a block (16: 0..15; 0 is __syncthreads'). id, threads: registers or constants; threads: a multiple
 * of 32. Without .aligned the threads of a warp may come one after the other.
 */
#define TC__BARRIER_SYNC_1(q, id) asm volatile("barrier.cta.sync" #q " %0;" : : "r"(id) : "memory")
#define TC__BARRIER_SYNC_2(q, id, threads)                                                                            \
    asm volatile("barrier.cta.sync" #q " %0, %1;" : : "r"(id), "r"(threads) : "memory")
#define TC__BARRIER_PICK_1 ~, TC__BARRIER_SYNC_1
#define TC__BARRIER_PICK_2 ~, TC__BARRIER_SYNC_2
#define TC__BARRIER_BAD(...) static_assert(0, "tc: barrier.cta.sync: the arguments are (qualifiers, id[, threads])")
#define TC__BARRIER_PICK(count) TC__BARRIER_PICK_(count)
#define TC__BARRIER_PICK_(count) TC__PROBE(TC__BARRIER_PICK_##count, TC__BARRIER_BAD)
#define TC_BARRIER_CTA_SYNC(q, ...)                                                                                   \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.aligned"), "tc: barrier.cta.sync: the qualifiers are {.aligned}");           \
        TC__CALL(TC__BARRIER_PICK(TC__NARGS(__VA_ARGS__)), q, __VA_ARGS__);                                           \
    } while (0)
#define TC_BARRIER_CTA_ARRIVE(q, id, threads)                                                                         \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.aligned"), "tc: barrier.cta.arrive: the qualifiers are {.aligned}");         \
        asm volatile("barrier.cta.arrive" #q " %0, %1;" : : "r"(id), "r"(threads) : "memory");                        \
    } while (0)
TC_DEV void tc_barrier_sync(int id, int threads) { TC_BARRIER_CTA_SYNC(, id, threads); }
TC_DEV void tc_barrier_arrive(int id, int threads) { TC_BARRIER_CTA_ARRIVE(, id, threads); }
TC_DEV void tc_bar_warp_sync(uint32_t mask) { asm volatile("bar.warp.sync %0;" : : "r"(mask) : "memory"); }

/* PTX: elect.sync. 1 in one lane of mask; *lane: which. All lanes of mask call it together. */
TC_DEV_SM90 int tc_elect_sync(uint32_t *lane, uint32_t mask)
{
    int one;
    uint32_t leader;
    asm volatile("{\n.reg .pred p;\nelect.sync %0|p, %2;\nselp.b32 %1, 1, 0, p;\n}"
                 : "=r"(leader), "=r"(one)
                 : "r"(mask)
                 : "memory");
    *lane = leader;
    return one;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * PTX: clusterlaunchcontrol (sm_100): a running cluster asks for the work of one that has not started yet. try_cancel
 * writes 16 bytes at addr (shared, 16-byte aligned) and counts them on bar: expect 16 bytes. Called by one thread.
 * _multicast: the answer goes to the same offset in all CTAs of the cluster. Ask a second time only if the first was
 * granted; a refusal is final.
 */
TC_DEV_SM100 void tc_clusterlaunchcontrol_try_cancel(uint32_t addr, uint32_t bar)
{
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%0], [%1];"
                 : : "r"(addr), "r"(bar)
                 : "memory");
}
TC_DEV_BLACKWELL_A void tc_clusterlaunchcontrol_try_cancel_multicast(uint32_t addr, uint32_t bar)
{
    asm volatile("clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.multicast::cluster::"
                 "all.b128 [%0], [%1];"
                 : : "r"(addr), "r"(bar)
                 : "memory");
}
/* q: {.shared::cta}; response and bar: pointers without it */
#define TC_CLUSTERLAUNCHCONTROL_TRY_CANCEL(q, response, bar)                                                          \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.shared::cta"),                                                               \
                      "tc: clusterlaunchcontrol.try_cancel: the qualifiers are {.shared::cta}");                      \
        TC__ADDRESS(q, response);                                                                                     \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_sm100();                                                                                            \
        asm volatile("clusterlaunchcontrol.try_cancel.async" #q ".mbarrier::complete_tx::bytes.b128 [%0], [%1];"      \
                     : : "l"((uint64_t)(response)), "l"((uint64_t)(bar)) : "memory");                                 \
    } while (0)
#define TC_CLUSTERLAUNCHCONTROL_TRY_CANCEL_MULTICAST(q, response, bar)                                                \
    do {                                                                                                              \
        static_assert(tc__follows(#q, "|.shared::cta"),                                                               \
                      "tc: clusterlaunchcontrol.try_cancel: the qualifiers are {.shared::cta}");                      \
        TC__ADDRESS(q, response);                                                                                     \
        TC__ADDRESS(q, bar);                                                                                          \
        tc__needs_blackwell_a();                                                                                      \
        asm volatile("clusterlaunchcontrol.try_cancel.async" #q                                                       \
                     ".mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [%0], [%1];"                         \
                     : : "l"((uint64_t)(response)), "l"((uint64_t)(bar)) : "memory");                                 \
    } while (0)

/* The answer, read from its 16 bytes: 1 if a cluster was taken over; the x, y, z of its first CTA, only then
 * defined. */
TC_DEV_SM100 int tc_clusterlaunchcontrol_is_canceled(uint64_t low, uint64_t high)
{
    int r;
    asm volatile("{\n.reg .pred p;\n.reg .b128 h;\nmov.b128 h, {%1, %2};\n"
                 "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, h;\nselp.b32 %0, 1, 0, p;\n}"
                 : "=r"(r)
                 : "l"(low), "l"(high));
    return r;
}
TC_DEV_SM100 void tc_clusterlaunchcontrol_first_ctaid(uint32_t *xyz, uint64_t low, uint64_t high)
{
    uint32_t x, y, z;
    asm volatile("{\n.reg .b128 h;\n.reg .b32 none;\nmov.b128 h, {%3, %4};\n"
                 "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {%0, %1, %2, none}, h;\n}"
                 : "=r"(x), "=r"(y), "=r"(z) : "l"(low), "l"(high));
    xyz[0] = x, xyz[1] = y, xyz[2] = z;
}
#define TC__CLC(c)                                                                                                    \
    TC_DEV_SM100 uint32_t tc_clusterlaunchcontrol_first_ctaid_##c(uint64_t low, uint64_t high)                        \
    {                                                                                                                 \
        uint32_t r;                                                                                                   \
        asm volatile("{\n.reg .b128 h;\nmov.b128 h, {%1, %2};\n"                                                      \
                     "clusterlaunchcontrol.query_cancel.get_first_ctaid::" #c ".b32.b128 %0, h;\n}" : "=r"(r)         \
                     : "l"(low), "l"(high));                                                                          \
        return r;                                                                                                     \
    }
TC__CLC(x)
TC__CLC(y)
TC__CLC(z)
#undef TC__CLC

#endif /* __CUDACC__ */
#endif /* TC_MBARRIER_H */
