/* tcgen05.cu - Blackwell's tensor memory and its MMA: allocation, fences, waits
 * Two rounds of D = A * B in tensor memory, 128 x 16 of f32, K = 16 of bf16, read back by four warps. Every mistake is
 * one line of two_rounds() left out or changed. */
#include "broken.h"

// arch: 100a
enum mistake {
    NONE, NO_COMMIT_WAIT, NO_WAIT_LD, NO_BEFORE, NO_AFTER, NO_COMMIT, NO_PROXY_FENCE, NO_INIT_ORDER, NOT_ALLOCATED,
        WRONG_LANES, LEAK, DEALLOC_COUNT, DEALLOC_TWICE, DEALLOC_EARLY,
    ALLOC_48, ALLOC_LATE, ALLOC_TOO_MUCH, ALL_LANES, OPERAND_OVERWRITTEN, DESC_OOB, D_LANE, SHAPE, UNINIT, DIVERGENT_LD,
    NO_ALLOC_BARRIER, NO_WAIT_ST, NO_TWIN_ORDER, WRONG_PHASE, ALLOC_DIVERGENT, BAR_UNINIT, D_UNINIT, NO_TMEM_ORDER
};
enum { COLS = 32, N = 16, A_BYTES = 128 * 32, B_BYTES = N * 32 };
#define IDESC(m, n) (1u << 4 | 1u << 7 | 1u << 10 | (uint32_t)((n) / 8) << 17 | (uint32_t)((m) / 16) << 24)

/* K-major, 32-byte swizzle: groups of 8 rows are 256 bytes apart */
TC_DEV uint64_t desc(const void *p)
{
    return (uint64_t)(tc_smem_u32(p) >> 4) | 1ull << 16 | 16ull << 32 | 1ull << 46 | 6ull << 61;
}
TC_DEV void alloc(uint32_t *slot, uint32_t cols)
{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" : : "r"(tc_smem_u32(slot)),
                 "r"(cols) : "memory");
}
TC_DEV void dealloc(uint32_t t, uint32_t cols)
{
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" : : "r"(t), "r"(cols) : "memory");
}
TC_DEV void relinquish() { asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" : : : "memory"); }
TC_DEV void mma(uint32_t d, uint64_t a, uint64_t b, uint32_t idesc, uint32_t accumulate)
{
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p; }"
                 : : "r"(d), "l"(a), "l"(b), "r"(idesc), "r"(accumulate) : "memory");
}
TC_DEV void commit(uint32_t bar)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" : : "r"(bar) : "memory");
}
TC_DEV void fence_before() { asm volatile("tcgen05.fence::before_thread_sync;" : : : "memory"); }
TC_DEV void fence_after() { asm volatile("tcgen05.fence::after_thread_sync;" : : : "memory"); }
TC_DEV void wait_ld() { asm volatile("tcgen05.wait::ld.sync.aligned;" : : : "memory"); }
TC_DEV void wait_st() { asm volatile("tcgen05.wait::st.sync.aligned;" : : : "memory"); }
TC_DEV void ld4(uint32_t *v, uint32_t t)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x4.b32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]),
                 "=r"(v[3]) : "r"(t) : "memory");
}
TC_DEV void st4(uint32_t t, uint32_t x)
{
    asm volatile("tcgen05.st.sync.aligned.32x32b.x4.b32 [%0], {%1, %1, %1, %1};" : : "r"(t), "r"(x) : "memory");
}

template <int M> static __device__ __forceinline__ void two_rounds(PARAMS)
{
    __shared__ TC_ALIGN(1024) struct { uint32_t a[A_BYTES / 4], b[B_BYTES / 4]; uint64_t bar; uint32_t slot; } m;
    const int warp = threadIdx.x / 32;
    const uint32_t bar = tc_smem_u32(&m.bar), quarter = (uint32_t)(warp * 32) << 16;
    uint32_t v[4];
    if (M == NO_ALLOC_BARRIER && threadIdx.x == 0) m.slot = 0;
    if (M == NO_ALLOC_BARRIER) __syncthreads();
    // ALSO tc5_no_proxy_fence: "written"
    for (int k = threadIdx.x; k < (A_BYTES + B_BYTES) / 4; k += 128) m.a[k] = in[k] > 3.f ? 0x3f803f80u : 0;
    if (M != NO_PROXY_FENCE) tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) {
        if (M != BAR_UNINIT) tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
    }
    __syncwarp();
    if (warp == 0) {
        const uint32_t cols = M == ALLOC_48 ? 48 : M == ALLOC_TOO_MUCH ? 512 : COLS;
        if (M == ALLOC_LATE) relinquish(); // ALSO tc5_alloc_after_relinquish: "relinquish_alloc_permit"
        // EXPECT tc5_alloc_divergent convergence: "must be executed by all lanes of the warp together"
        if (M == ALLOC_DIVERGENT && threadIdx.x < n / 4) alloc(&m.slot, cols);
        // EXPECT tc5_alloc_48 tmem: "the number of columns must be a power of 2"
        // EXPECT tc5_alloc_after_relinquish tmem: "gave up its right to allocate"
        // EXPECT tc5_no_alloc_barrier race: "this write is not ordered after the read"
        // EXPECT tc5_leak tmem: "were not deallocated"
        else alloc(&m.slot, cols);
        if (M == ALLOC_TOO_MUCH) alloc(&m.slot, COLS); // EXPECT tc5_alloc_too_much deadlock: "tcgen05.alloc"
        if (M != ALLOC_LATE) relinquish();
    }
    if (M != NO_ALLOC_BARRIER) {
        fence_before();
        __syncthreads();
        fence_after();
    }
    const uint32_t t = m.slot; // ALSO tc5_no_alloc_barrier: "the read"
    if (M == NO_ALLOC_BARRIER) __syncthreads();
    for (int k = 0; k < 2; k++) {
        if (M == ALL_LANES ? warp == 0 : threadIdx.x == 0) {
            const uint32_t d = M == NOT_ALLOCATED ? t + COLS : M == D_LANE ? t + (16u << 16) : t;
            const uint64_t a = M == DESC_OOB ? desc(m.a) + (1 << 12) : desc(m.a);
            // EXPECT tc5_no_fence_before tcgen05-order: "tcgen05.fence::before_thread_sync"
            // EXPECT tc5_no_proxy_fence proxy-fence: "without a fence.proxy.async"
            // EXPECT tc5_not_allocated tmem: "is not allocated"
            // EXPECT tc5_descriptor_oob descriptor: "outside the CTA's shared memory"
            // EXPECT tc5_d_lane tmem: "begins at lane 16"
            // EXPECT tc5_all_lanes convergence: "by 32 lanes at once"
            // EXPECT tc5_shape descriptor: "instruction descriptor"
            // EXPECT tc5_d_uninit uninitialised-tmem: "was never written"
            // ALSO tc5_operand_overwritten: "the read"
            // ALSO tc5_no_thread_order: "the tcgen05.mma"
            if (M != UNINIT) mma(d, a, desc(m.b), IDESC(128, M == SHAPE ? 0 : N), M == D_UNINIT);
            
           
            if (M != NO_COMMIT) commit(bar);
        }
        __syncwarp();
        // EXPECT tc5_operand_overwritten race: "this write is not ordered after the read by an asynchronous operation"
        if (M == OPERAND_OVERWRITTEN && threadIdx.x == 0) m.a[threadIdx.x] = n;
        // EXPECT tc5_no_commit deadlock: "1 of 1 arrivals pending"
        // EXPECT tc5_bar_uninit mbarrier: "is not initialised"
        if (M != NO_COMMIT_WAIT) tc_mbarrier_wait(bar, M == WRONG_PHASE ? (k & 1) ^ 1 : k & 1);
        if (M != NO_AFTER || k == 0) fence_after();
        // EXPECT tc5_ld_divergent convergence: "must be executed by all lanes of the warp together"
        if (M == DIVERGENT_LD && threadIdx.x % 32 < n / 4) ld4(v, t + quarter);
        // EXPECT tc5_no_commit_wait uninitialised-tmem: "still in flight: nothing waited for it"
        // EXPECT tc5_no_fence_after tcgen05-order: "tcgen05.fence::after_thread_sync is missing"
        // EXPECT tc5_wrong_lanes tmem: "warp 1 can access lanes 32..63 only"
        // EXPECT tc5_uninit uninitialised-tmem: "that nobody has written"
        // EXPECT tc5_wrong_phase uninitialised-tmem: "still in flight: nothing waited for it"
        // EXPECT tc5_no_thread_order tcgen05-order: "an asynchronous operation on it was not waited for"
        // ALSO tc5_no_wait_ld: "the tcgen05.ld"
        else ld4(v, t + (M == WRONG_LANES ? 0 : quarter));
        if (M != NO_WAIT_LD) wait_ld();
        // EXPECT tc5_no_wait_ld tcgen05-order: "still in flight: tcgen05.wait::ld must come first"
        out[threadIdx.x + 128 * k] = __uint_as_float(v[0]);
        if (M != NO_BEFORE) fence_before();
        if (M != NO_TWIN_ORDER) __syncthreads(); // the next round overwrites what others may still read
        fence_after();
    }
    // ALSO tc5_dealloc_early: "the operation"
    if (M == DEALLOC_EARLY && threadIdx.x == 0) { mma(t, desc(m.a), desc(m.b), IDESC(128, N), 0); commit(bar); }
    __syncwarp();
    // EXPECT tc5_dealloc_count tmem: "deallocates 64 columns"
    // EXPECT tc5_dealloc_early tmem: "is not known to have completed"
    if (warp == 0 && M != LEAK && M != ALLOC_TOO_MUCH) dealloc(t, M == DEALLOC_COUNT ? COLS * 2 : COLS);
    // EXPECT tc5_dealloc_twice tmem: "where nothing is allocated"
    if (M == DEALLOC_TWICE && warp == 0) dealloc(t, COLS);
}
#define CASE(name, mistake)                                              \
    KERNEL(name) { two_rounds<BAD ? mistake : NONE>(in, out, n); }       \
    RUN(name, 1, 128, 0)
CASE(tc5_no_commit_wait, NO_COMMIT_WAIT)
CASE(tc5_no_wait_ld, NO_WAIT_LD)
CASE(tc5_no_fence_before, NO_BEFORE)
CASE(tc5_no_fence_after, NO_AFTER)
CASE(tc5_no_commit, NO_COMMIT)
CASE(tc5_no_proxy_fence, NO_PROXY_FENCE)
CASE(tc5_not_allocated, NOT_ALLOCATED)
CASE(tc5_wrong_lanes, WRONG_LANES)
CASE(tc5_leak, LEAK)
CASE(tc5_dealloc_count, DEALLOC_COUNT)
CASE(tc5_dealloc_twice, DEALLOC_TWICE)
CASE(tc5_dealloc_early, DEALLOC_EARLY)
CASE(tc5_alloc_48, ALLOC_48)
CASE(tc5_alloc_after_relinquish, ALLOC_LATE)
CASE(tc5_alloc_too_much, ALLOC_TOO_MUCH)
CASE(tc5_alloc_divergent, ALLOC_DIVERGENT)
CASE(tc5_all_lanes, ALL_LANES)
CASE(tc5_operand_overwritten, OPERAND_OVERWRITTEN)
CASE(tc5_descriptor_oob, DESC_OOB)
CASE(tc5_d_lane, D_LANE)
CASE(tc5_shape, SHAPE)
CASE(tc5_uninit, UNINIT)
CASE(tc5_d_uninit, D_UNINIT)
CASE(tc5_ld_divergent, DIVERGENT_LD)
CASE(tc5_no_alloc_barrier, NO_ALLOC_BARRIER)
CASE(tc5_no_thread_order, NO_TWIN_ORDER)
CASE(tc5_wrong_phase, WRONG_PHASE)
CASE(tc5_bar_uninit, BAR_UNINIT)

/* Stores to tensor memory */
KERNEL(tc5_no_wait_st)
{
    __shared__ uint32_t slot;
    uint32_t v[4];
    if (threadIdx.x < 32) { alloc(&slot, COLS); relinquish(); }
    __syncthreads();
    const uint32_t t = slot + (threadIdx.x / 32 * 32 << 16);
    st4(t, n); // ALSO tc5_no_wait_st: "the tcgen05.st"
    if (!BAD) wait_st();
    ld4(v, t); // EXPECT tc5_no_wait_st tcgen05-order: "tcgen05.wait::st must come first"
    wait_ld();
    out[threadIdx.x] = (float)v[0];
    __syncthreads();
    if (threadIdx.x < 32) dealloc(slot, COLS);
}
RUN(tc5_no_wait_st, 1, 128, 0)
/* The other loads of the kernel are waited for, this one too, but later */
KERNEL(tc5_late_wait_ld)
{
    __shared__ uint32_t slot;
    uint32_t v[4], u[4];
    if (threadIdx.x < 32) { alloc(&slot, COLS); relinquish(); }
    __syncthreads();
    const uint32_t t = slot + (threadIdx.x / 32 * 32 << 16);
    st4(t, n);
    wait_st();
    ld4(u, t);
    wait_ld();
    ld4(v, t); // ALSO tc5_late_wait_ld: "the tcgen05.ld"
    if (!BAD) wait_ld();
    // EXPECT tc5_late_wait_ld tcgen05-order: "reads a register that is the result of a tcgen05.ld still in flight"
    out[threadIdx.x] = (float)(v[3] + u[0]);
    wait_ld();
    __syncthreads();
    if (threadIdx.x < 32) dealloc(slot, COLS);
}
RUN(tc5_late_wait_ld, 1, 128, 0)
/* Registers may be moved, packed and unpacked before the wait; what comes of it is on its way as they are */
KERNEL(tc5_packed_ld)
{
    __shared__ uint32_t slot;
    uint32_t v[4], lo, hi;
    uint64_t both;
    if (threadIdx.x < 32) { alloc(&slot, COLS); relinquish(); }
    __syncthreads();
    const uint32_t t = slot + (threadIdx.x / 32 * 32 << 16);
    st4(t, n);
    wait_st();
    ld4(v, t); // ALSO tc5_packed_ld: "the tcgen05.ld"
    asm volatile("{ .reg .b64 x; mov.b64 x, {%1, %2}; mov.b64 %0, x; }" : "=l"(both) : "r"(v[0]), "r"(v[1]));
    asm volatile("{ .reg .b32 a, b; mov.b64 {a, b}, %2; mov.b32 %0, a; mov.b32 %1, b; }" : "=r"(lo), "=r"(hi)
                 : "l"(both));
    if (!BAD) wait_ld();
    // EXPECT tc5_packed_ld tcgen05-order: "the result of a tcgen05.ld still in flight"
    asm volatile("add.u32 %0, %0, %1;" : "+r"(lo) : "r"(hi));
    wait_ld();
    out[threadIdx.x] = (float)lo;
    __syncthreads();
    if (threadIdx.x < 32) dealloc(slot, COLS);
}
RUN(tc5_packed_ld, 1, 128, 0)
/* What a warp stored, and an mma then adds to */
KERNEL(tc5_no_wait_st_mma)
{
    __shared__ TC_ALIGN(1024) struct { uint32_t a[A_BYTES / 4], b[B_BYTES / 4]; uint64_t bar; uint32_t slot; } m;
    const uint32_t bar = tc_smem_u32(&m.bar);
    uint32_t v[4];
    for (int k = threadIdx.x; k < (A_BYTES + B_BYTES) / 4; k += 128) m.a[k] = 0;
    tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) { tc_mbarrier_init(bar, 1); tc_fence_mbarrier_init(); }
    __syncwarp();
    if (threadIdx.x < 32) { alloc(&m.slot, COLS); relinquish(); }
    fence_before();
    __syncthreads();
    fence_after();
    const uint32_t t = m.slot, own = t + (threadIdx.x / 32 * 32 << 16);
    for (int k = 0; k < N; k += 4) st4(own + k, n); // ALSO tc5_no_wait_st_mma: "the tcgen05.st"
    if (!BAD) wait_st();
    fence_before();
    __syncthreads();
    fence_after();
    if (threadIdx.x == 0) {
        // EXPECT tc5_no_wait_st_mma tcgen05-order: "tcgen05.wait::st must come first"
        mma(t, desc(m.a), desc(m.b), IDESC(128, N), 1);
        commit(bar);
    }
    __syncwarp();
    tc_mbarrier_wait(bar, 0);
    fence_after();
    ld4(v, own);
    wait_ld();
    out[threadIdx.x] = (float)v[0];
    fence_before();
    __syncthreads();
    fence_after();
    if (threadIdx.x < 32) dealloc(t, COLS);
}
RUN(tc5_no_wait_st_mma, 1, 128, 0)
/* Lanes as if those of a pair's second CTA came after the first's */
KERNEL(tc5_lane_128)
{
    __shared__ uint32_t slot;
    uint32_t v[4];
    if (threadIdx.x < 32) { alloc(&slot, COLS); relinquish(); }
    __syncthreads();
    const uint32_t t = slot + (threadIdx.x / 32 * 32 << 16);
    st4(t, n);
    wait_st();
    ld4(v, BAD ? t + (128u << 16) : t); // EXPECT tc5_lane_128 tmem: "tensor memory, which has lanes 0..127"
    wait_ld();
    out[threadIdx.x] = (float)v[0];
    __syncthreads();
    if (threadIdx.x < 32) dealloc(slot, COLS);
}
RUN(tc5_lane_128, 1, 128, 0)
KERNEL(tc5_ld_exit)
{
    __shared__ uint32_t slot;
    uint32_t v[4];
    if (threadIdx.x < 32) { alloc(&slot, COLS); relinquish(); }
    __syncthreads();
    const uint32_t t = slot + (threadIdx.x / 32 * 32 << 16);
    st4(t, n);
    wait_st();
    ld4(v, t);
    if (!BAD) wait_ld();
    __syncthreads();
    if (threadIdx.x < 32) dealloc(slot, COLS); // EXPECT tc5_ld_exit tcgen05-order: "tcgen05.wait::ld"
    if (!BAD) out[threadIdx.x] = (float)v[0]; // else nobody uses what was loaded
}
RUN(tc5_ld_exit, 1, 128, 0)
/* A commit to both blocks of a cluster, of which the second leaves without having waited for it. The first commit is to
 * the block that issues it alone: the later one, which that block waits for, speaks for it. */
KERNEL(tc5_commit_exit)
{
    __shared__ TC_ALIGN(16) uint64_t bars[2];
    const uint32_t own = tc_smem_u32(&bars[0]), both = tc_smem_u32(&bars[1]);
    const uint32_t mask = 3;
    if (threadIdx.x == 0) {
        tc_mbarrier_init(own, 1);
        tc_mbarrier_init(both, 1);
        tc_fence_mbarrier_init();
    }
    tc_cluster_sync();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        commit(own);
        // EXPECT tc5_commit_exit in-flight-at-exit: "nobody there has waited for this operation"
        TC_TCGEN05_COMMIT_MULTICAST(1, both, mask);
    }
    if (blockIdx.x == 0 || !BAD) tc_mbarrier_wait(both, 0);
    tc_cluster_sync();
}
RUN_CLUSTER(tc5_commit_exit, 2, 32, 0)
KERNEL(tc5_no_peer)
{
    __shared__ uint32_t slot;
    if (threadIdx.x < 32) {
        const uint32_t a = tc_smem_u32(&slot), n = COLS;
        // EXPECT tc5_no_peer tcgen05-order: "launch with a cluster size that is a multiple of 2"
        asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" : : "r"(a), "r"(n) : "memory");
        asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" : : : "memory");
    }
    if (BAD) return;
    tc_cluster_sync();
    if (threadIdx.x < 32)
        asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" : : "r"(slot), "r"(COLS) : "memory");
}
HOST(tc5_no_peer) { launch_cluster(tc5_no_peer<BAD>, 2, BAD ? 1 : 2, 64, 0); }
