/* sync.cu - races between threads, barriers, warps that must converge, deadlocks, mbarriers */
#include "broken.h"

/* ---- races ---- */
KERNEL(no_syncthreads)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; // EXPECT no_syncthreads race: "this write is not ordered after the read"
    if (!BAD) __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x]; // ALSO no_syncthreads: "the read"
}
RUN(no_syncthreads, 1, 64, 0)
KERNEL(no_second_syncthreads)
{
    __shared__ float s[64];
    float sum = 0;
    for (int k = 0; k < 4; k++) {
        s[threadIdx.x] = in[k * n + threadIdx.x]; // ALSO no_second_syncthreads: "the write"
        __syncthreads();
        sum += s[n - 1 - threadIdx.x]; // EXPECT no_second_syncthreads race: "this read is not ordered after the write"
        if (!BAD) __syncthreads();
    }
    out[threadIdx.x] = sum;
}
RUN(no_second_syncthreads, 1, 64, 0)
KERNEL(no_syncwarp)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x]; // ALSO no_syncwarp: "the write"
    if (!BAD) __syncwarp();
    // EXPECT no_syncwarp race: "(s + 4): this read is not ordered after the write by warp 0 lane 1 (the same warp"
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}
RUN(no_syncwarp, 1, 32, 0)
KERNEL(syncwarp_for_two_warps)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (BAD) __syncwarp(); else __syncthreads();
    // EXPECT syncwarp_for_two_warps uninitialised-shared: "the write is not ordered before this"
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
RUN(syncwarp_for_two_warps, 1, 64, 0)
KERNEL(named_barrier_count)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    tc_bar_sync(1, BAD ? 32 : 64);
    // EXPECT named_barrier_count uninitialised-shared: "the write is not ordered before this"
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
RUN(named_barrier_count, 1, 64, 0)
KERNEL(histogram_no_atomic)
{
    __shared__ unsigned h[8];
    if (threadIdx.x < 8) h[threadIdx.x] = 0;
    __syncthreads();
    const int b = (int)in[threadIdx.x] & 7;
    if (BAD) h[b]++; // EXPECT histogram_no_atomic race: "race in shared memory"
    else atomicAdd(&h[b], 1u);
    __syncthreads();
    if (threadIdx.x < 8) out[threadIdx.x] = (float)h[threadIdx.x];
}
RUN(histogram_no_atomic, 1, 64, 0)
KERNEL(two_writers)
{
    __shared__ float total;
    float v = in[threadIdx.x];
    for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(0xffffffffu, v, k);
    // EXPECT two_writers race: "this write is not ordered after the write"
    if (BAD ? (threadIdx.x & 31) == 0 : threadIdx.x == 0) total = v;
    __syncthreads();
    out[threadIdx.x] = total;
}
RUN(two_writers, 1, 64, 0)
KERNEL(bytes_overlap)
{
    __shared__ unsigned char s[256];
    // EXPECT bytes_overlap race: "this write is not ordered after the write"
    s[BAD ? threadIdx.x & ~32u : threadIdx.x] = (unsigned char)(threadIdx.x + n);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x & ~32u];
}
RUN(bytes_overlap, 2, 64, 0)
KERNEL(atomic_and_plain)
{
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    atomicAdd(&total, (unsigned)in[threadIdx.x]); // ALSO atomic_and_plain: "the write"
    if (!BAD) __syncthreads();
    out[threadIdx.x] = (float)total; // EXPECT atomic_and_plain race: "this read is not ordered after the write"
}
RUN(atomic_and_plain, 1, 64, 0)
KERNEL(flag_no_fence)
{
    __shared__ float data;
    __shared__ int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        data = in[n];
        if (!BAD) __threadfence_block();
        *(volatile int *)&flag = 1;
    } else if (threadIdx.x == 32) {
        while (*(volatile int *)&flag == 0) { }
        if (!BAD) __threadfence_block();
        out[0] = data; // EXPECT flag_no_fence race: "this read is not ordered after the write"
    }
}
RUN(flag_no_fence, 1, 64, 0)

/* ---- clusters ---- */
KERNEL(dsmem_no_cluster_sync)
{
    __shared__ float s[32];
    s[threadIdx.x] = 0;
    tc_cluster_sync();
    s[threadIdx.x] = in[threadIdx.x]; // EXPECT dsmem_no_cluster_sync race: "this write is not ordered after the read"
    if (BAD) __syncthreads(); else tc_cluster_sync();
    const uint32_t other = tc_mapa(tc_smem_u32(&s[threadIdx.x]), tc_cluster_ctarank() ^ 1);
    float v;
    // ALSO dsmem_no_cluster_sync: "the read"
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(other) : "memory");
    out[threadIdx.x] = v;
    tc_cluster_sync();
}
RUN_CLUSTER(dsmem_no_cluster_sync, 2, 32, 0)
KERNEL(dsmem_exited)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    tc_cluster_sync();
    if (tc_cluster_ctarank() == 0) {
        unsigned long long t = clock64();
        while (clock64() - t < 20000) { }
        float v;
        // EXPECT dsmem_exited out-of-bounds-shared: "which has exited"
        asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(tc_mapa(tc_smem_u32(&s[threadIdx.x]), 1))
                     : "memory");
        out[threadIdx.x] = v;
    }
    if (!BAD) tc_cluster_sync(); // nobody leaves while another one reads
}
RUN_CLUSTER(dsmem_exited, 2, 32, 0)
KERNEL(dsmem_rank)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    tc_cluster_sync();
    const uint32_t rank = BAD ? tc_cluster_ctarank() + 1 : tc_cluster_ctarank() ^ 1;
    // EXPECT dsmem_rank operand: "the address of CTA rank 2: the cluster has 2 CTAs"
    const uint32_t other = tc_mapa(tc_smem_u32(&s[threadIdx.x]), rank);
    float v;
    asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(other) : "memory");
    out[threadIdx.x] = v;
    tc_cluster_sync();
}
RUN_CLUSTER(dsmem_rank, 2, 32, 0)

/* ---- warps that must converge ---- */
KERNEL(shfl_missing)
{
    float v = in[threadIdx.x];
    // EXPECT shfl_missing convergence: "member mask 0xffffffff"
    if (!BAD || threadIdx.x < n / 4) v += __shfl_xor_sync(0xffffffffu, v, 1);
    out[threadIdx.x] = v;
    __syncwarp();
}
RUN(shfl_missing, 1, 32, 0)
KERNEL(shfl_outside_mask)
{
    float v = in[threadIdx.x];
    // EXPECT shfl_outside_mask convergence: "which takes no part"
    if (threadIdx.x < 16) v += __shfl_xor_sync(0xffffu, v, BAD ? 16 : 8);
    out[threadIdx.x] = v;
}
RUN(shfl_outside_mask, 1, 32, 0)
KERNEL(vote_missing)
{
    unsigned b = 0;
    // EXPECT vote_missing convergence: "member mask 0xffffffff"
    if (!BAD || in[threadIdx.x] > 3.f) b = __ballot_sync(0xffffffffu, in[threadIdx.x] > 4.f);
    out[threadIdx.x] = (float)b;
    __syncwarp();
}
RUN(vote_missing, 1, 32, 0)
KERNEL(syncwarp_missing)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    if (!BAD || threadIdx.x != 31) __syncwarp();
    // EXPECT syncwarp_missing race: "this read is not ordered after the write by warp 0 lane 0"
    out[threadIdx.x] = s[31 - threadIdx.x];
}
RUN(syncwarp_missing, 1, 32, 0)
KERNEL(syncwarp_beside_barrier)
{
    const bool last = threadIdx.x == n / 2 - 1;
    if (BAD && last) asm volatile("barrier.sync 1, 32;" : : : "memory");
    else __syncwarp(); // EXPECT syncwarp_beside_barrier deadlock: "for lanes 0x80000000 of its warp"
    if (!BAD || !last) asm volatile("barrier.sync 1, 32;" : : : "memory");
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(syncwarp_beside_barrier, 1, 32, 0)
KERNEL(bar_divergent)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (BAD) {
        // EXPECT bar_divergent convergence: "must be executed by all lanes of the warp"
        if (threadIdx.x % 32 < n / 4) asm volatile("bar.sync 0;" : : : "memory");
        else asm volatile("bar.sync 0;" : : : "memory");
    } else __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
RUN(bar_divergent, 1, 64, 0)
KERNEL(mma_divergent)
{
    uint32_t a[4] = {0x3f803f80u, 0x3f803f80u, 0x3f803f80u, 0x3f803f80u}, b[2] = {0x3f803f80u, 0x3f803f80u};
    float d[4] = {in[threadIdx.x], 0, 0, 0};
    // EXPECT mma_divergent convergence: "must be executed by all lanes of the warp"
    if (BAD ? threadIdx.x < n / 2 - 1 : 1) tc_mma_m16n8k16_f32_bf16(d, a, b, d);
    out[threadIdx.x] = d[0];
    __syncwarp();
}
RUN(mma_divergent, 1, 32, 0)
KERNEL(mma_partial_warp)
{
    uint32_t a[4] = {0x3f803f80u, 0x3f803f80u, 0x3f803f80u, 0x3f803f80u}, b[2] = {0x3f803f80u, 0x3f803f80u};
    float d[4] = {in[threadIdx.x], 0, 0, 0};
    tc_mma_m16n8k16_f32_bf16(d, a, b, d); // EXPECT mma_partial_warp convergence: "the block size is no multiple of 32"
    out[threadIdx.x] = d[0];
}
RUN(mma_partial_warp, 1, BAD ? 48 : 64, 0)
TC_DEV void ldmatrix(uint32_t *r, uint32_t addr)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(r[0]), "=r"(r[1]),
                 "=r"(r[2]), "=r"(r[3]) : "r"(addr) : "memory");
}
KERNEL(ldmatrix_misaligned)
{
    __shared__ TC_ALIGN(16) uint16_t s[32 * 12];
    uint32_t r[4];
    for (int k = threadIdx.x; k < 32 * 12; k += 32) s[k] = (uint16_t)k;
    __syncthreads();
    // EXPECT ldmatrix_misaligned misaligned: "not a multiple of 16"
    ldmatrix(r, tc_smem_u32(s + threadIdx.x * (BAD ? n / 5 : n / 8)));
    out[threadIdx.x] = (float)r[0];
}
RUN(ldmatrix_misaligned, 1, 32, 0)
KERNEL(ldmatrix_no_barrier)
{
    __shared__ TC_ALIGN(16) uint16_t s[32 * 8];
    uint32_t r[4];
    for (int k = threadIdx.x; k < 32 * 8; k += 32) s[k] = (uint16_t)k; // ALSO ldmatrix_no_barrier: "the write"
    if (!BAD) __syncwarp();
    // EXPECT ldmatrix_no_barrier race: "this read is not ordered after the write"
    ldmatrix(r, tc_smem_u32(s + threadIdx.x * 8));
    out[threadIdx.x] = (float)r[0];
}
RUN(ldmatrix_no_barrier, 1, 32, 0)

/* ---- barriers ---- */
KERNEL(barrier_number)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    tc_bar_sync(BAD ? n / 4 : n / 4 - 1, 64); // EXPECT barrier_number operand: "there are 16 of them, 0 to 15"
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
RUN(barrier_number, 1, 64, 0)
KERNEL(barrier_odd_count)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    tc_bar_sync(1, BAD ? n - 1 : n); // EXPECT barrier_odd_count operand: "not a multiple of 32"
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
RUN(barrier_odd_count, 1, 64, 0)
KERNEL(barriers_crossed)
{
    const int warp = threadIdx.x / 32;
    tc_bar_sync(BAD ? 1 + warp : 1, 64); // EXPECT barriers_crossed deadlock: "32 of 64 threads"
    tc_bar_sync(BAD ? 2 - warp : 2, 64);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(barriers_crossed, 1, 64, 0)
KERNEL(barrier_counts_differ)
{
    // EXPECT barrier_counts_differ operand: "while threads are waiting at it with a count"
    tc_bar_sync(1, BAD && threadIdx.x < 32 ? 64 : 96);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(barrier_counts_differ, 1, 96, 0)
KERNEL(cluster_one_never_arrives)
{
    __shared__ TC_ALIGN(8) uint64_t bar;
    const uint32_t b = tc_smem_u32(&bar);
    if (threadIdx.x == 0) { tc_mbarrier_init(b, 1); tc_fence_mbarrier_init(); }
    tc_cluster_sync();
    if (tc_cluster_ctarank() == 1) {
        if (!BAD && threadIdx.x == 0) tc_mbarrier_arrive(b);
        // EXPECT cluster_one_never_arrives deadlock: "of CTA rank 1: phase 0, 1 of 1 arrivals pending"
        tc_mbarrier_wait(b, 0);
    }
    // ALSO cluster_one_never_arrives: "block (0,0,0) warp 0: waits at the cluster barrier, where 32 of 64 threads"
    tc_cluster_sync();
    out[threadIdx.x] = in[threadIdx.x];
}
RUN_CLUSTER(cluster_one_never_arrives, 2, 32, 0)
KERNEL(cluster_arrive_twice)
{
    tc_cluster_arrive();
    if (BAD) tc_cluster_arrive(); // EXPECT cluster_arrive_twice operand: "barrier.cluster.arrive twice"
    tc_cluster_wait();
    out[threadIdx.x] = in[threadIdx.x];
}
RUN_CLUSTER(cluster_arrive_twice, 2, 32, 0)
KERNEL(cluster_wait_alone)
{
    if (!BAD) tc_cluster_arrive();
    tc_cluster_wait(); // EXPECT cluster_wait_alone operand: "barrier.cluster.wait without barrier.cluster.arrive"
    out[threadIdx.x] = in[threadIdx.x];
}
RUN_CLUSTER(cluster_wait_alone, 2, 32, 0)
static __device__ int go;
template <bool BAD> static __global__ void grid_spin(PARAMS)
{
    if (blockIdx.x == 0) {
        if (!BAD && threadIdx.x == 0) { __threadfence(); atomicExch(&go, 1); }
    } else if (threadIdx.x == 0) {
        while (*(volatile int *)&go == 0) { } // EXPECT grid_spin deadlock: "This thread spins at"
    }
    out[blockIdx.x * 32 + threadIdx.x] = in[threadIdx.x];
}
RUN(grid_spin, 2, 32, 0)
template <bool BAD> static __global__ void spin_in_cta(PARAMS)
{
    __shared__ volatile int flag;
    if (threadIdx.x == 0) flag = 0;
    __syncthreads();
    if (threadIdx.x == 32) flag = BAD ? 2 : 1;
    if (threadIdx.x == 0) while (flag != 1) { } // EXPECT spin_in_cta deadlock: "This thread spins at"
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(spin_in_cta, 1, 64, 0)

/* ---- setmaxnreg ---- */
template <bool BAD> static __global__ void __launch_bounds__(384, 1) setmaxnreg_sum(PARAMS)
{
    if (threadIdx.x < 128) TC_SETMAXNREG_DEC(40);
    // EXPECT setmaxnreg_sum deadlock: "to 240 for 2304 registers more than its warp has, of which the CTA has 256 free"
    else if (BAD) TC_SETMAXNREG_INC(240);
    else TC_SETMAXNREG_INC(232);
    out[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
}
RUN(setmaxnreg_sum, 1, 384, 0)
template <bool BAD> static __global__ void __launch_bounds__(384, 1) setmaxnreg_dec(PARAMS)
{
    // EXPECT setmaxnreg_dec setmaxnreg: "the warp has only 168"
    if (BAD) { if (threadIdx.x < 128) TC_SETMAXNREG_DEC(232); }
    else if (threadIdx.x < 128) TC_SETMAXNREG_DEC(40);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(setmaxnreg_dec, 1, 384, 0)
template <bool BAD> static __global__ void __launch_bounds__(384, 1) setmaxnreg_one_warp(PARAMS)
{
    // EXPECT setmaxnreg_one_warp setmaxnreg: "all warps of a warpgroup: warp 0 has executed this one, warp 3 has not"
    if (threadIdx.x < (BAD ? 32 : 128)) TC_SETMAXNREG_DEC(40);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(setmaxnreg_one_warp, 1, 384, 0)

/* ---- mbarrier ---- */
#define BAR(b) __shared__ TC_ALIGN(8) uint64_t b##_storage[2]; const uint32_t b = tc_smem_u32(b##_storage)
KERNEL(mbar_uninit)
{
    BAR(bar);
    if (!BAD && threadIdx.x == 0) tc_mbarrier_init(bar, blockDim.x);
    __syncthreads();
    tc_mbarrier_arrive(bar); // EXPECT mbar_uninit mbarrier: "is not initialised"
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_uninit, 1, 64, 0)
KERNEL(mbar_init_unordered)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, blockDim.x); // ALSO mbar_init_unordered: "initialised"
    if (!BAD) __syncthreads();
    // EXPECT mbar_init_unordered mbarrier: "without a barrier between its initialisation by another thread and this"
    tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_init_unordered, 1, 32, 0)
KERNEL(mbar_count_zero)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, BAD ? 0 : 1); // EXPECT mbar_count_zero mbarrier: "with a count of 0"
    __syncthreads();
    if (threadIdx.x == 0) tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_count_zero, 1, 32, 0)
KERNEL(mbar_misaligned)
{
    BAR(bar);
    // EXPECT mbar_misaligned misaligned: "not a multiple of 8"
    if (threadIdx.x == 0) tc_mbarrier_init(BAD ? bar + 4 : bar, 1);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_misaligned, 1, 32, 0)
KERNEL(mbar_arrive_overflow)
{
    BAR(bar);
    if (threadIdx.x == 0) { tc_mbarrier_init(bar, 4); tc_fence_mbarrier_init(); }
    __syncthreads();
    // EXPECT mbar_arrive_overflow mbarrier: "more arrivals than expected"
    if (threadIdx.x == 0) tc_mbarrier_arrive_count(bar, BAD ? 5 : 4);
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_arrive_overflow, 1, 32, 0)
KERNEL(mbar_tx_overflow)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t bytes = BAD ? 1 << 20 : 1 << 12;
        tc_mbarrier_expect_tx(bar, bytes); // EXPECT mbar_tx_overflow mbarrier: "it holds -(2^20-1) to 2^20-1"
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" : : "r"(bar), "r"(bytes) : "memory");
        tc_mbarrier_arrive(bar);
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_tx_overflow, 1, 32, 0)
KERNEL(mbar_never_arrived)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, BAD ? 33 : 32);
    __syncthreads();
    tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0); // EXPECT mbar_never_arrived deadlock: "1 of 33 arrivals pending"
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_never_arrived, 1, 32, 0)
KERNEL(mbar_overwritten)
{
    __shared__ TC_ALIGN(8) struct { float s[64]; uint64_t bar; } m;
    const uint32_t bar = tc_smem_u32(&m.bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 1); // ALSO mbar_overwritten: "initialised"
    __syncthreads();
    // EXPECT mbar_overwritten mbarrier: "destroys the mbarrier at offset 1280 (m + 256)"
    m.s[threadIdx.x + (BAD ? n >> 6 : 0)] = in[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = m.s[threadIdx.x];
}
RUN(mbar_overwritten, 1, 64, 0)
KERNEL(mbar_reinit)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 64);
    __syncthreads();
    if (threadIdx.x < 32) tc_mbarrier_arrive(bar);
    if (!BAD && threadIdx.x >= 32) tc_mbarrier_arrive(bar);
    __syncthreads();
    if (!BAD && threadIdx.x == 0) tc_mbarrier_inval(bar);
    // EXPECT mbar_reinit mbarrier: "mbarrier.init of an mbarrier in use"
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 64);
    __syncthreads();
    tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_reinit, 1, 64, 0)
KERNEL(mbar_init_again)
{
    BAR(bar);
    for (int k = 0; k < 2; k++) {
        // EXPECT mbar_init_again mbarrier: "mbarrier.inval must come first"
        if (threadIdx.x == 0) tc_mbarrier_init(bar, 64);
        __syncthreads();
        tc_mbarrier_arrive(bar);
        tc_mbarrier_wait(bar, 0);
        __syncthreads();
        if (!BAD && threadIdx.x == 0) tc_mbarrier_inval(bar);
    }
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_init_again, 1, 64, 0)
KERNEL(mbar_inval_early)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 64);
    __syncthreads();
    tc_mbarrier_arrive(bar);
    tc_mbarrier_wait(bar, 0);
    __syncthreads();
    if (BAD) {
        if (threadIdx.x == 0) tc_mbarrier_inval(bar); // ALSO mbar_inval_early: "there"
        __syncthreads();
    }
    tc_mbarrier_arrive(bar); // EXPECT mbar_inval_early mbarrier: "no longer valid: it was invalidated"
    tc_mbarrier_wait(bar, 1);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_inval_early, 1, 64, 0)
KERNEL(mbar_inval_in_use)
{
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        const long long t = clock64();
        while (clock64() - t < 20000) { } // until the other warp waits
        if (!BAD) { tc_mbarrier_arrive(bar); tc_mbarrier_wait(bar, 0); }
    }
    if (threadIdx.x == 32) tc_mbarrier_wait(bar, 0);
    __syncwarp();
    if (!BAD) __syncthreads();
    // EXPECT mbar_inval_in_use mbarrier: "mbarrier.inval of an mbarrier in use: a thread waits for it"
    if (threadIdx.x == 0) tc_mbarrier_inval(bar);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_inval_in_use, 1, 64, 0)
KERNEL(mbar_remote_wait)
{
    BAR(bar);
    if (threadIdx.x == 0) { tc_mbarrier_init(bar, 32); tc_fence_mbarrier_init(); }
    tc_cluster_sync();
    tc_mbarrier_arrive_cluster(bar, tc_cluster_ctarank() ^ 1);
    // EXPECT mbar_remote_wait mbarrier: "only local ones can be waited for"
    tc_mbarrier_wait(BAD ? tc_mapa(bar, tc_cluster_ctarank() ^ 1) : bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
    tc_cluster_sync();
}
RUN_CLUSTER(mbar_remote_wait, 2, 32, 0)
/* The waiter of phase 0 is held up until two more phases have gone by: with parities it then waits for a phase that it
 * cannot tell */
KERNEL(mbar_phase_lost)
{
    BAR(full);
    BAR(empty);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_mbarrier_init(empty, 1); }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < 4; k++) {
            if (!BAD && k) tc_mbarrier_wait(empty, (k - 1) & 1);
            tc_mbarrier_arrive(full);
        }
    } else if (threadIdx.x == 32) {
        for (int k = 0; k < 4; k++) {
            tc_mbarrier_wait(full, k & 1); // EXPECT mbar_phase_lost mbarrier: "phase lost"
            tc_mbarrier_arrive(empty);
        }
    }
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(mbar_phase_lost, 1, 64, 0)
/* The consumer waits for the wrong parity first: producer and consumer sleep, each for the other */
KERNEL(lost_wakeup)
{
    __shared__ float s;
    BAR(full);
    BAR(empty);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_mbarrier_init(empty, 1); }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 0; k < 4; k++) {
            tc_mbarrier_wait(empty, BAD ? k & 1 : (k & 1) ^ 1); // EXPECT lost_wakeup deadlock: "waits for phase 0"
            s = in[k];
            tc_mbarrier_arrive(full);
        }
    } else if (threadIdx.x == 32) {
        for (int k = 0; k < 4; k++) {
            tc_mbarrier_wait(full, k & 1);
            out[k] = s;
            tc_mbarrier_arrive(empty);
        }
    }
}
RUN(lost_wakeup, 1, 64, 0)
KERNEL(mbar_wrong_parity)
{
    __shared__ float s;
    BAR(full);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); s = 0; }
    __syncthreads();
    if (threadIdx.x == 0) {
        s = in[3]; // EXPECT mbar_wrong_parity race: "this write is not ordered after the read"
        tc_mbarrier_arrive(full);
    } else if (threadIdx.x == 32) {
        tc_mbarrier_wait(full, BAD ? 1 : 0); // parity 1 of a fresh mbarrier: "already over"
        out[0] = s; // ALSO mbar_wrong_parity: "the read"
    }
}
RUN(mbar_wrong_parity, 1, 64, 0)
/* try_wait may come back without the phase being over: its result must be looked at */
KERNEL(mbar_try_once)
{
    __shared__ float s;
    BAR(full);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); s = 0; }
    __syncthreads();
    if (threadIdx.x == 32) {
        const long long t = clock64();
        while (clock64() - t < 20000) { } // late
        s = in[3]; // EXPECT mbar_try_once race: "this write is not ordered after the read"
        tc_mbarrier_arrive(full);
    } else if (threadIdx.x == 0) {
        if (BAD) tc__mbarrier_poll(full, 0); else while (!tc__mbarrier_poll(full, 0)) { }
        out[0] = s; // ALSO mbar_try_once: "the read"
    }
}
RUN(mbar_try_once, 1, 64, 0)
KERNEL(mbar_remote_unordered)
{
    BAR(full);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_fence_mbarrier_init(); }
    if (BAD) __syncthreads(); else tc_cluster_sync();
    // EXPECT mbar_remote_unordered mbarrier: "of CTA rank 1"
    if (threadIdx.x == 0) tc_mbarrier_arrive_cluster(full, tc_cluster_ctarank() ^ 1);
    tc_mbarrier_wait(full, 0);
    out[threadIdx.x] = in[threadIdx.x];
    tc_cluster_sync();
}
RUN_CLUSTER(mbar_remote_unordered, 2, 64, 0)

/* ---- dependent launches: out is written by a first kernel, and read by one that may start beside it ---- */
static __global__ void pdl_first(PARAMS)
{
    tc_griddepcontrol_launch_dependents();
    out[threadIdx.x] = in[threadIdx.x] + (float)n;
}
KERNEL(pdl_read_early)
{
    float x = 0;
    if (BAD) x = in[threadIdx.x]; // EXPECT pdl_read_early griddepcontrol: "which kernel pdl_first wrote"
    tc_griddepcontrol_wait();
    if (!BAD) x = in[threadIdx.x];
    out[threadIdx.x] = x;
}
HOST(pdl_read_early)
{
    pdl_first<<<1, 64>>>(in_d, out_d, 64);
    launch_dependent(pdl_read_early<BAD>, out_d, out_d + 64);
}
/* one thread's wait serves those that a barrier orders behind it */
KERNEL(pdl_other_warp)
{
    if (threadIdx.x == 0) tc_griddepcontrol_wait();
    if (!BAD) __syncthreads();
    out[threadIdx.x] = in[threadIdx.x]; // EXPECT pdl_other_warp griddepcontrol: "nothing before this waits for it"
}
HOST(pdl_other_warp)
{
    pdl_first<<<1, 64>>>(in_d, out_d, 64);
    launch_dependent(pdl_other_warp<BAD>, out_d, out_d + 64);
}
KERNEL(pdl_write_early)
{
    const float x = (float)(n + threadIdx.x);
    if (BAD) out[threadIdx.x] = x; // EXPECT pdl_write_early griddepcontrol: "writes global memory"
    tc_griddepcontrol_wait();
    if (!BAD) out[threadIdx.x] = x;
}
HOST(pdl_write_early)
{
    pdl_first<<<1, 64>>>(in_d, out_d, 64);
    launch_dependent(pdl_write_early<BAD>, in_d, out_d);
}
/* what a copy reads it reads later than its thread asks for it, but not later than that thread's wait */
KERNEL(pdl_bulk_early)
{
    TC_ALIGN(128) __shared__ float s[64];
    BAR(full);
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_fence_mbarrier_init(); }
    __syncthreads();
    if (!BAD) tc_griddepcontrol_wait();
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(full, 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, full); // EXPECT pdl_bulk_early griddepcontrol: "reads global"
    }
    tc_griddepcontrol_wait();
    tc_mbarrier_wait(full, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
HOST(pdl_bulk_early)
{
    pdl_first<<<1, 64>>>(in_d, out_d, 64);
    launch_dependent(pdl_bulk_early<BAD>, out_d, out_d + 64);
}
/* A kernel that lets the next one start before it has waited: the one before it may still run then, too. */
KERNEL(pdl_lets_go)
{
    if (BAD) tc_griddepcontrol_launch_dependents();
    tc_griddepcontrol_wait();
    if (!BAD) tc_griddepcontrol_launch_dependents();
    out[threadIdx.x] = in[threadIdx.x];
}
static __global__ void pdl_last(PARAMS)
{
    const float x = in[threadIdx.x]; // EXPECT pdl_lets_go griddepcontrol: "which kernel pdl_first wrote"
    tc_griddepcontrol_wait();
    out[threadIdx.x] = x + (float)n;
}
HOST(pdl_lets_go)
{
    pdl_first<<<1, 64>>>(in_d, out_d, 64);
    launch_dependent(pdl_lets_go<BAD>, in_d + 64, out_d + 64);
    launch_dependent(pdl_last, out_d, out_d + 128);
}
