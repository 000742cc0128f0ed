/* wgmma.cu - Hopper's warpgroup MMA: fences, waits and operands. D = A * B, 64 x 8 of f32, K = 16 of bf16: A's tile is
 * 64 rows of 32 bytes, B's is 8 rows of 32 bytes, both with the 32-byte swizzle. */
#include "broken.h"

enum { A_BYTES = 64 * 32, B_BYTES = 8 * 32 };
#define BAR(b) __shared__ TC_ALIGN(8) uint64_t b##_storage[1]; const uint32_t b = tc_smem_u32(b##_storage)
#define TILES __shared__ TC_ALIGN(1024) struct { uint32_t a[A_BYTES / 4], b[B_BYTES / 4]; } m
/* Written by ordinary stores, for the asynchronous proxy to read */
static __device__ __forceinline__ void fill(uint32_t *p, int words, const float *in)
{
    for (int k = threadIdx.x; k < words; k += blockDim.x) p[k] = in[k] > 3.f ? 0x3f803f80u : 0;
}
#define FILLED                                                                                                        \
    TILES; fill(m.a, A_BYTES / 4, in); fill(m.b, B_BYTES / 4, in); tc_fence_proxy_async_shared(); __syncthreads();    \
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32)
#define MMA(acc) TC_WGMMA_SS(8, f32, bf16, acc, da, db, 1, 1, 1, 0, 0)
#define DONE(acc) for (int k = 0; k < 4; k++) out[threadIdx.x + k * blockDim.x] = acc[k]

KERNEL(wgmma_no_fence)
{
    FILLED;
    float acc[4] = {0};
    if (!BAD) tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_no_fence wgmma-fence: "no wgmma.fence was executed before the warp's first wgmma"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_no_fence, 1, 128, 0)
KERNEL(wgmma_acc_written)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    for (int k = 0; k < 4; k++) acc[k] *= in[k + 1]; // ALSO wgmma_acc_written: "written"
    if (!BAD) tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_acc_written wgmma-fence: "was written after the last wgmma.fence"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_acc_written, 1, 128, 0)
KERNEL(wgmma_a_written)
{
    FILLED;
    float acc[4] = {0};
    uint32_t a[4];
    if (BAD) tc_wgmma_fence();
    for (int k = 0; k < 4; k++) a[k] = m.a[(threadIdx.x + k) & 127] + n; // ALSO wgmma_a_written: "written"
    if (!BAD) tc_wgmma_fence();
    (void)da;
    // EXPECT wgmma_a_written wgmma-fence: "of A was written after the last wgmma.fence"
    TC_WGMMA_RS(8, f32, bf16, acc, a, db, 0, 1, 1, 0);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_a_written, 1, 128, 0)
KERNEL(wgmma_read_early)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // ALSO wgmma_read_early: "issued"
    tc_wgmma_commit_group();
    if (!BAD) TC_WGMMA_WAIT_GROUP(0);
    out[threadIdx.x] = acc[0]; // EXPECT wgmma_read_early wgmma-wait: "wgmma.wait_group must come first"
    TC_WGMMA_WAIT_GROUP(0);
}
RUN(wgmma_read_early, 1, 128, 0)
KERNEL(wgmma_wait_too_large)
{
    FILLED;
    float acc[4] = {0}, two[4] = {0};
    tc_wgmma_fence();
    MMA(acc);
    tc_wgmma_commit_group();
    MMA(two);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(1); // the older of the two
    if (!BAD) TC_WGMMA_WAIT_GROUP(0);
    // EXPECT wgmma_wait_too_large wgmma-wait: "wgmma.wait_group must come first"
    for (int k = 0; k < 4; k++) acc[k] += two[k];
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_wait_too_large, 1, 128, 0)
KERNEL(wgmma_no_commit)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // ALSO wgmma_no_commit: "issued"
    if (!BAD) tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0); // waits for committed groups only
    out[threadIdx.x] = acc[0]; // EXPECT wgmma_no_commit wgmma-wait: "still in flight"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
}
RUN(wgmma_no_commit, 1, 128, 0)
KERNEL(wgmma_a_overwritten)
{
    FILLED;
    float acc[4] = {0};
    uint32_t a[4];
    for (int k = 0; k < 4; k++) a[k] = m.a[threadIdx.x & 127];
    (void)da;
    tc_wgmma_fence();
    TC_WGMMA_RS(8, f32, bf16, acc, a, db, 0, 1, 1, 0); // ALSO wgmma_a_overwritten: "the wgmma"
    tc_wgmma_commit_group();
    if (!BAD) TC_WGMMA_WAIT_GROUP(0);
    asm volatile("add.u32 %0, %0, %1;" : "+r"(a[0]) : "r"(n)); // EXPECT wgmma_a_overwritten wgmma-wait: "of A"
    TC_WGMMA_WAIT_GROUP(0);
    out[threadIdx.x] = acc[0] + (float)a[0];
}
RUN(wgmma_a_overwritten, 1, 128, 0)
KERNEL(wgmma_exit)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_exit in-flight-at-exit: "no wgmma.wait_group waited"
    tc_wgmma_commit_group();
    if (!BAD) TC_WGMMA_WAIT_GROUP(0);
}
RUN(wgmma_exit, 1, 128, 0)
KERNEL(wgmma_no_proxy_fence)
{
    TILES;
    fill(m.b, B_BYTES / 4, in);
    tc_fence_proxy_async_shared();
    // ALSO wgmma_no_proxy_fence: "written"
    for (int k = threadIdx.x; k < A_BYTES / 4; k += 128) m.a[k] = 0x3f803f80u + n;
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_no_proxy_fence proxy-fence: "without a fence.proxy.async in between"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_no_proxy_fence, 1, 128, 0)
/* What cp.async copies is written through the generic proxy too */
KERNEL(wgmma_copied_no_proxy_fence)
{
    TILES;
    fill(m.b, B_BYTES / 4, in);
    tc_fence_proxy_async_shared();
    // ALSO wgmma_copied_no_proxy_fence: "written"
    tc_cp_async_cg_16(tc_smem_u32(m.a) + threadIdx.x * 16u, in + threadIdx.x * 4u);
    tc_cp_async_commit_group();
    TC_CP_ASYNC_WAIT_GROUP(0);
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_copied_no_proxy_fence proxy-fence: "without a fence.proxy.async in between"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_copied_no_proxy_fence, 1, 128, 0)
KERNEL(wgmma_no_barrier)
{
    TILES;
    for (int k = threadIdx.x; k < (A_BYTES + B_BYTES) / 4; k += 128) m.a[k] = 0;
    tc_fence_proxy_async_shared();
    __syncthreads();
    // EXPECT wgmma_no_barrier race: "this write is not ordered after the read by an asynchronous operation"
    for (int k = threadIdx.x; k < (A_BYTES + B_BYTES) / 4; k += 128) m.a[k] = 0x3f803f80u + n;
    tc_fence_proxy_async_shared();
    if (!BAD) __syncthreads();
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // ALSO wgmma_no_barrier: "the read"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_no_barrier, 1, 128, 0)
KERNEL(wgmma_operand_overwritten)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // ALSO wgmma_operand_overwritten: "the read"
    tc_wgmma_commit_group();
    if (!BAD) TC_WGMMA_WAIT_GROUP(0);
    __syncthreads(); // all have issued theirs, which is not enough
    m.a[threadIdx.x] = n; // EXPECT wgmma_operand_overwritten race: "wgmma.wait_group must come between"
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_operand_overwritten, 1, 128, 0)
/* A producer warp loads B again and again into one buffer; the consumers give it back as soon as they have issued the
 * wgmma */
KERNEL(wgmma_buffer_refilled)
{
    TILES;
    BAR(full);
    BAR(empty);
    fill(m.a, A_BYTES / 4, in);
    tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_mbarrier_init(empty, 128); tc_fence_mbarrier_init(); }
    __syncthreads();
    if (threadIdx.x >= 128) {
        if (threadIdx.x == 128)
            for (int k = 0; k < 4; k++) {
                tc_mbarrier_wait(empty, (k & 1) ^ 1);
                tc_mbarrier_arrive_expect_tx(full, B_BYTES);
            // EXPECT wgmma_buffer_refilled race: "write is not ordered after the read by an asynchronous operation"
                tc_cp_async_bulk_g2s(tc_smem_u32(m.b), in + k * n, B_BYTES, full);
            }
    } else {
        const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
        float acc[4] = {0};
        for (int k = 0; k < 4; k++) {
            tc_mbarrier_wait(full, k & 1);
            tc_wgmma_fence();
            MMA(acc); // ALSO wgmma_buffer_refilled: "the read"
            tc_wgmma_commit_group();
            if (!BAD) TC_WGMMA_WAIT_GROUP(0);
            tc_mbarrier_arrive(empty);
            if (BAD) TC_WGMMA_WAIT_GROUP(0);
        }
        for (int k = 0; k < 4; k++) out[threadIdx.x + k * 128] = acc[k];
    }
}
RUN(wgmma_buffer_refilled, 1, 160, 0)
KERNEL(wgmma_no_full_wait)
{
    TILES;
    BAR(full);
    fill(m.a, (A_BYTES + B_BYTES) / 4, in);
    tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) { tc_mbarrier_init(full, 1); tc_fence_mbarrier_init(); }
    __syncthreads();
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(full, B_BYTES);
        tc_cp_async_bulk_g2s(tc_smem_u32(m.b), in, B_BYTES, full); // ALSO wgmma_no_full_wait: "the write"
    }
    __syncwarp();
    __syncthreads();
    if (!BAD) tc_mbarrier_wait(full, 0);
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_no_full_wait race: "this read is not ordered after the write by an asynchronous operation"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
    tc_mbarrier_wait(full, 0);
}
RUN(wgmma_no_full_wait, 1, 128, 0)
KERNEL(wgmma_three_warps)
{
    FILLED;
    float acc[4] = {0};
    if (BAD ? threadIdx.x < 96 : 1) {
        tc_wgmma_fence();
        MMA(acc); // EXPECT wgmma_three_warps convergence: "all 4 warps must execute the same ones"
        tc_wgmma_commit_group();
        TC_WGMMA_WAIT_GROUP(0);
    }
    DONE(acc);
}
RUN(wgmma_three_warps, 1, 128, 0)
KERNEL(wgmma_divergent)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    if (BAD ? threadIdx.x % 32 < n / 4 : 1) {
        MMA(acc); // EXPECT wgmma_divergent convergence: "lanes 0xffff0000 are elsewhere"
    }
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_divergent, 1, 128, 0)
KERNEL(wgmma_descriptors_differ)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    // EXPECT wgmma_descriptors_differ convergence: "must give the same descriptor of B"
    TC_WGMMA_SS(8, f32, bf16, acc, da, BAD ? db - (threadIdx.x / 32) : db, 1, 1, 1, 0, 0);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_descriptors_differ, 1, 128, 0)
KERNEL(wgmma_descriptor_oob)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    // EXPECT wgmma_descriptor_oob descriptor: "outside"
    TC_WGMMA_SS(8, f32, bf16, acc, BAD ? tc_wgmma_desc_advance(da, 1 << 16) : da, db, 1, 1, 1, 0, 0);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_descriptor_oob, 1, 128, 0)
KERNEL(wgmma_descriptor_stride)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    /* groups of 8 rows are 256 bytes apart; 1024 is the distance for the 128-byte swizzle */
    // EXPECT wgmma_descriptor_stride descriptor: "stride offset 1024"
    TC_WGMMA_SS(8, f32, bf16, acc, BAD ? da + (((uint64_t)(1024 - 256) / 16) << 32) : da, db, 1, 1, 1, 0, 0);
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_descriptor_stride, 1, 128, 0)
KERNEL(wgmma_uninit)
{
    TILES;
    fill(m.a, BAD ? 384 : 512, in);
    fill(m.b, B_BYTES / 4, in);
    tc_fence_proxy_async_shared();
    __syncthreads();
    const uint64_t da = tc_wgmma_desc(tc_smem_u32(m.a), 32), db = tc_wgmma_desc(tc_smem_u32(m.b), 32);
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_uninit uninitialised-shared: "that nobody has written"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_uninit, 1, 128, 0)
KERNEL(wgmma_block_size)
{
    FILLED;
    float acc[4] = {0};
    tc_wgmma_fence();
    MMA(acc); // EXPECT wgmma_block_size convergence: "wgmma needs the 4 warps"
    tc_wgmma_commit_group();
    TC_WGMMA_WAIT_GROUP(0);
    DONE(acc);
}
RUN(wgmma_block_size, 1, BAD ? 96 : 128, 0)
