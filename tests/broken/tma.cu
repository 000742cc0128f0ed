/* tma.cu - cp.async, bulk copies and tensor copies: waited for too late or not at all, announced wrongly, badly
 * addressed */
#include "broken.h"

#define BAR(b) __shared__ TC_ALIGN(8) uint64_t b##_storage[1]; const uint32_t b = tc_smem_u32(b##_storage)
/* An mbarrier with a count of 1, seen by all threads and by the asynchronous proxy */
#define FULL(b) BAR(b); if (threadIdx.x == 0) { tc_mbarrier_init(b, 1); tc_fence_mbarrier_init(); } __syncthreads()

/* ---- cp.async ---- */
KERNEL(cp_async_no_wait)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    tc_cp_async_ca_4(tc_smem_u32(&s[threadIdx.x]), in + threadIdx.x); // ALSO cp_async_no_wait: "the write"
    tc_cp_async_commit_group();
    if (!BAD) TC_CP_ASYNC_WAIT_GROUP(0);
    // EXPECT cp_async_no_wait race: "by an asynchronous operation (not waited for, or still in flight"
    out[threadIdx.x] = s[threadIdx.x];
    TC_CP_ASYNC_WAIT_GROUP(0);
}
RUN(cp_async_no_wait, 1, 64, 0)
KERNEL(cp_async_wait_one)
{
    __shared__ float s[2][64];
    s[0][threadIdx.x] = s[1][threadIdx.x] = 0;
    for (int k = 0; k < 2; k++) {
        tc_cp_async_ca_4(tc_smem_u32(&s[k][threadIdx.x]), in + k * n + threadIdx.x);
        tc_cp_async_commit_group();
    }
    TC_CP_ASYNC_WAIT_GROUP(1); // the first of the two
    // EXPECT cp_async_wait_one race: "not waited for, or still in flight"
    out[threadIdx.x] = s[BAD ? 1 : 0][threadIdx.x];
    TC_CP_ASYNC_WAIT_GROUP(0);
}
RUN(cp_async_wait_one, 1, 64, 0)
KERNEL(cp_async_no_commit)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    tc_cp_async_ca_4(tc_smem_u32(&s[threadIdx.x]), in + threadIdx.x);
    if (!BAD) tc_cp_async_commit_group();
    TC_CP_ASYNC_WAIT_GROUP(0);
    out[threadIdx.x] = s[threadIdx.x]; // EXPECT cp_async_no_commit race: "not waited for, or still in flight"
    tc_cp_async_wait_all();
}
RUN(cp_async_no_commit, 1, 64, 0)
KERNEL(cp_async_no_barrier)
{
    __shared__ float s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    // EXPECT cp_async_no_barrier race: "this write is not ordered after the read"
    tc_cp_async_ca_4(tc_smem_u32(&s[threadIdx.x]), in + threadIdx.x);
    tc_cp_async_wait_all(); // one's own copies only
    if (!BAD) __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 32]; // ALSO cp_async_no_barrier: "the read"
}
RUN(cp_async_no_barrier, 1, 64, 0)
KERNEL(cp_async_misaligned)
{
    __shared__ TC_ALIGN(16) float s[256 + 4];
    // EXPECT cp_async_misaligned misaligned: "both must be multiples of 16"
    tc_cp_async_cg_16(tc_smem_u32(&s[4 * threadIdx.x + (BAD ? n >> 6 : 0)]), in + 4 * threadIdx.x);
    tc_cp_async_wait_all();
    out[threadIdx.x] = s[4 * threadIdx.x + 1];
}
RUN(cp_async_misaligned, 1, 64, 0)
KERNEL(cp_async_oob)
{
    __shared__ TC_ALIGN(16) float s[256];
    // EXPECT cp_async_oob out-of-bounds-global: "past the end of the allocation"
    tc_cp_async_cg_16(tc_smem_u32(&s[4 * threadIdx.x]), in + (BAD ? 4096 * n : 4 * threadIdx.x));
    tc_cp_async_wait_all();
    out[threadIdx.x] = s[4 * threadIdx.x + 1];
}
RUN(cp_async_oob, 1, 64, 0)
KERNEL(cp_async_exit)
{
    __shared__ float s[64];
    // EXPECT cp_async_exit in-flight-at-exit: "no cp.async.wait_group or wait_all"
    tc_cp_async_ca_4(tc_smem_u32(&s[threadIdx.x]), in + threadIdx.x);
    if (!BAD) tc_cp_async_wait_all();
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(cp_async_exit, 1, 64, 0)
KERNEL(cp_async_mbar_count)
{
    __shared__ float s[64];
    BAR(bar);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, BAD ? 32 : 64); // .noinc: the count must include every thread's copies
    __syncthreads();
    tc_cp_async_ca_4(tc_smem_u32(&s[threadIdx.x]), in + threadIdx.x);
    tc_cp_async_mbarrier_arrive_noinc(bar);
    tc_mbarrier_wait(bar, 0);
    // EXPECT cp_async_mbar_count race: "cp.async.wait_group, or a wait on its mbarrier must come between"
    out[threadIdx.x] = s[threadIdx.x];
    tc_cp_async_wait_all();
}
RUN(cp_async_mbar_count, 1, 64, 0)

/* ---- bulk loads ---- */
KERNEL(bulk_no_wait)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = 0;
    tc_fence_proxy_async_shared();
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar); // ALSO bulk_no_wait: "the write"
    }
    __syncthreads(); // no substitute for the wait
    if (!BAD) tc_mbarrier_wait(bar, 0);
    // EXPECT bulk_no_wait race: "by an asynchronous operation (not waited for, or still in flight"
    out[threadIdx.x] = s[threadIdx.x];
    tc_mbarrier_wait(bar, 0);
}
RUN(bulk_no_wait, 1, 64, 0)
KERNEL(bulk_one_thread_waits)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar);
        tc_mbarrier_wait(bar, 0);
    }
    if (!BAD) __syncthreads();
    // EXPECT bulk_one_thread_waits uninitialised-shared: "a barrier or wait is missing"
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(bulk_one_thread_waits, 1, 64, 0)
KERNEL(bulk_refill)
{
    __shared__ TC_ALIGN(16) float s[64];
    float sum = 0;
    FULL(bar);
    for (int k = 0; k < 3; k++) {
        if (threadIdx.x == 0) {
            tc_mbarrier_arrive_expect_tx(bar, 256);
            // EXPECT bulk_refill race: "this write is not ordered after the read"
            tc_cp_async_bulk_g2s(tc_smem_u32(s), in + k * 64, 256, bar);
        }
        tc_mbarrier_wait(bar, k & 1);
        sum += s[n - 1 - threadIdx.x]; // ALSO bulk_refill: "the read"
        if (!BAD) __syncthreads();
    }
    out[threadIdx.x] = sum;
}
RUN(bulk_refill, 1, 64, 0)
KERNEL(bulk_over_generic)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    s[threadIdx.x] = in[threadIdx.x]; // ALSO bulk_over_generic: "written"
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_over_generic proxy-fence: "without a fence.proxy.async in between"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar);
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(bulk_over_generic, 1, 64, 0)
KERNEL(expect_too_large)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, BAD ? 512 : 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar);
    }
    tc_mbarrier_wait(bar, 0); // EXPECT expect_too_large deadlock: "0 of 1 arrivals pending, 256 bytes pending"
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(expect_too_large, 1, 64, 0)
KERNEL(expect_too_small)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, BAD ? 128 : 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar);
    }
    // EXPECT expect_too_small deadlock: "-128 bytes pending (copies brought more than expect_tx announced)"
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(expect_too_small, 1, 64, 0)
KERNEL(no_expect)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = 0;
    tc_fence_proxy_async_shared();
    FULL(bar);
    if (threadIdx.x == 0) {
        if (BAD) tc_mbarrier_arrive(bar); else tc_mbarrier_arrive_expect_tx(bar, 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar); // ALSO no_expect: "the write"
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x]; // EXPECT no_expect race: "not waited for, or still in flight"
}
RUN(no_expect, 1, 64, 0)
KERNEL(expect_one_of_two)
{
    __shared__ TC_ALIGN(16) float s[2][64];
    s[1][threadIdx.x] = 0;
    tc_fence_proxy_async_shared();
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, BAD ? 256 : 512);
        tc_cp_async_bulk_g2s(tc_smem_u32(s[0]), in, 256, bar);
        tc_cp_async_bulk_g2s(tc_smem_u32(s[1]), in + 64, 256, bar); // ALSO expect_one_of_two: "the write"
    }
    tc_mbarrier_wait(bar, 0);
    // EXPECT expect_one_of_two race: "this read is not ordered after the write by an asynchronous operation"
    out[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x];
}
RUN(expect_one_of_two, 1, 64, 0)
KERNEL(st_async_no_wait)
{
    __shared__ TC_ALIGN(16) float s[32 * 4];
    BAR(bar);
    for (int k = 0; k < 4; k++) s[4 * threadIdx.x + k] = 0;
    tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
        tc_mbarrier_arrive_expect_tx(bar, 512);
    }
    tc_cluster_sync();
    const uint32_t peer = tc_cluster_ctarank() ^ 1;
    // ALSO st_async_no_wait: "the write"
    tc_st_async_v4_f32(tc_mapa(tc_smem_u32(s + 4 * threadIdx.x), peer), in + 4 * threadIdx.x, tc_mapa(bar, peer));
    tc_cluster_sync(); // no substitute for the wait
    if (!BAD) tc_mbarrier_wait(bar, 0);
    // EXPECT st_async_no_wait race: "this read is not ordered after the write by an asynchronous operation"
    out[threadIdx.x] = s[4 * threadIdx.x];
    tc_mbarrier_wait(bar, 0);
}
RUN_CLUSTER(st_async_no_wait, 2, 32, 0)
KERNEL(bulk_size)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        const uint32_t bytes = BAD ? 248 : 256;
        tc_mbarrier_arrive_expect_tx(bar, bytes);
        // EXPECT bulk_size operand: "the size, 248 bytes, is not a multiple of 16"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, bytes, bar);
    }
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = BAD ? 0 : s[threadIdx.x];
}
RUN(bulk_size, 1, 64, 0)
KERNEL(bulk_source_misaligned)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_source_misaligned misaligned: "is not a multiple of 16"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in + (BAD ? 2 : 4), 256, bar);
    }
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = BAD ? 0 : s[threadIdx.x];
}
RUN(bulk_source_misaligned, 1, 64, 0)
KERNEL(bulk_source_oob)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_source_oob out-of-bounds-global: "past the end of the allocation"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in + (1 << 18) - (BAD ? n / 2 : n), 256, bar);
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(bulk_source_oob, 1, 64, 0)
KERNEL(bulk_destination_oob)
{
    extern __shared__ TC_ALIGN(16) float d[];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 4 * n);
        // EXPECT bulk_destination_oob out-of-bounds-shared: "run past the end of the CTA's"
        tc_cp_async_bulk_g2s(tc_smem_u32(d), in, 4 * n, bar);
    }
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = d[threadIdx.x]; }
}
RUN(bulk_destination_oob, 1, 64, BAD ? 128 : 256)
KERNEL(bulk_load_exit)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_load_exit in-flight-at-exit: "nothing waited for it"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar);
    }
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(bulk_load_exit, 1, 64, 0)
KERNEL(bulk_bar_uninit)
{
    __shared__ TC_ALIGN(16) float s[64];
    BAR(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_bar_uninit mbarrier: "is not initialised"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, BAD ? bar + 8 * (n >> 6) : bar);
    }
    __syncthreads();
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = BAD ? 0 : s[threadIdx.x];
}
RUN(bulk_bar_uninit, 1, 64, 16)
KERNEL(bulk_bar_no_fence)
{
    __shared__ TC_ALIGN(16) float s[64];
    BAR(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1); // ALSO bulk_bar_no_fence: "initialised"
        if (!BAD) tc_fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, 256, bar); // EXPECT bulk_bar_no_fence proxy-fence: "fence"
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
RUN(bulk_bar_no_fence, 1, 64, 0)
KERNEL(bulk_global_no_fence)
{
    __shared__ TC_ALIGN(16) float s[64];
    FULL(bar);
    out[threadIdx.x] = in[threadIdx.x]; // ALSO bulk_global_no_fence: "written"
    if (!BAD) tc_fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 256);
        // EXPECT bulk_global_no_fence proxy-fence: "reads global memory"
        tc_cp_async_bulk_g2s(tc_smem_u32(s), out, 256, bar);
    }
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x + 64] = s[threadIdx.x];
}
RUN(bulk_global_no_fence, 1, 64, 0)
KERNEL(leaves_expecting)
{
    __shared__ TC_ALIGN(16) float s[64];
    // EXPECT leaves_expecting mbarrier: "announced (expect_tx) and the bytes that arrived at an mbarrier differ by 256"
    FULL(bar);
    if (threadIdx.x == 0) tc_mbarrier_arrive_expect_tx(bar, 256);
    tc_cluster_sync();
    if (tc_cluster_ctarank() == 0 && threadIdx.x == 0) {
        const long long t = clock64();
        while (clock64() - t < 20000) { }
        tc_cp_async_bulk_g2s_multicast(tc_smem_u32(s), in, 256, bar, 3);
    }
    if (BAD && tc_cluster_ctarank() == 1) return;
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
RUN_CLUSTER(leaves_expecting, 2, 64, 0)
KERNEL(multicast_bar_uninit)
{
    __shared__ TC_ALIGN(16) float s[64];
    BAR(bar);
    if (threadIdx.x == 0) {
        if (BAD && tc_cluster_ctarank()) for (int k = 0; k < 100 * n; k++) asm volatile(""); // a late CTA
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
        tc_mbarrier_arrive_expect_tx(bar, 256);
    }
    if (BAD) __syncthreads(); else tc_cluster_sync();
    // EXPECT multicast_bar_uninit mbarrier: "of CTA rank 1"
    if (threadIdx.x == 0 && tc_cluster_ctarank() == 0) tc_cp_async_bulk_g2s_multicast(tc_smem_u32(s), in, 256, bar, 3);
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
    tc_cluster_sync();
}
RUN_CLUSTER(multicast_bar_uninit, 2, 64, 0)

/* ---- bulk stores ---- */
KERNEL(store_no_fence)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = in[threadIdx.x]; // ALSO store_no_fence: "written"
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT store_no_fence proxy-fence: "without a fence.proxy.async in between"
        tc_cp_async_bulk_s2g(out, tc_smem_u32(s), 256);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
RUN(store_no_fence, 1, 64, 0)
KERNEL(store_no_barrier)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = 0;
    __syncthreads();
    s[threadIdx.x] = in[threadIdx.x]; // ALSO store_no_barrier: "the write"
    tc_fence_proxy_async_shared();
    if (BAD) __syncwarp(); else __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT store_no_barrier race: "this read is not ordered after the write by warp 1 lane 0"
        tc_cp_async_bulk_s2g(out, tc_smem_u32(s), 256);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
HOST(store_no_barrier) { store_no_barrier<BAD><<<1, 64>>>(in_d, out_d, 64); }
KERNEL(store_source_overwritten)
{
    __shared__ TC_ALIGN(16) float s[64];
    for (int k = 0; k < 2; k++) {
        // EXPECT store_source_overwritten race: "cp.async.bulk.wait_group.read must come between"
        s[threadIdx.x] = in[k * n + threadIdx.x];
        tc_fence_proxy_async_shared();
        __syncthreads();
        if (threadIdx.x == 0) {
            tc_cp_async_bulk_s2g(out + k * 64, tc_smem_u32(s), 256); // ALSO store_source_overwritten: "the read"
            tc_cp_async_bulk_commit_group();
            if (!BAD) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
        }
        __syncthreads();
    }
    TC_CP_ASYNC_BULK_WAIT_GROUP(0);
}
RUN(store_source_overwritten, 1, 64, 0)
KERNEL(store_wait_too_large)
{
    __shared__ TC_ALIGN(16) float s[64];
    for (int k = 0; k < 2; k++) {
        // EXPECT store_wait_too_large race: "this write is not ordered after the read by an asynchronous operation"
        s[threadIdx.x] = in[k * n + threadIdx.x];
        tc_fence_proxy_async_shared();
        __syncthreads();
        if (threadIdx.x == 0) {
            tc_cp_async_bulk_s2g(out + k * 64, tc_smem_u32(s), 256);
            tc_cp_async_bulk_commit_group();
            // one buffer, so none may be in flight
            if (BAD) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1);
            else TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
        }
        __syncthreads();
    }
    TC_CP_ASYNC_BULK_WAIT_GROUP(0);
}
RUN(store_wait_too_large, 1, 64, 0)
KERNEL(store_exit)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT store_exit in-flight-at-exit: "before cp.async.bulk.wait_group"
        tc_cp_async_bulk_s2g(out, tc_smem_u32(s), 256);
        tc_cp_async_bulk_commit_group();
        if (!BAD) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
    }
}
RUN(store_exit, 1, 64, 0)
KERNEL(store_no_commit)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT store_no_commit in-flight-at-exit: "without cp.async.bulk.commit_group"
        tc_cp_async_bulk_s2g(out, tc_smem_u32(s), 256);
        if (!BAD) tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
RUN(store_no_commit, 1, 64, 0)
KERNEL(reduce_no_fence)
{
    __shared__ TC_ALIGN(16) float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT reduce_no_fence proxy-fence: "without a fence.proxy.async in between"
        tc_cp_reduce_async_bulk_add_f32(out, tc_smem_u32(s), 256);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
RUN(reduce_no_fence, 1, 64, 0)

/* ---- tensor copies: a 64 x 64 tensor of f32, boxes of 32 x 8 ---- */
static tc_tmap map_of(const float *base)
{
    tc_tmap m;
    tc_tmap_desc d = {};
    d.type = TC_F32; d.rank = 2; d.base = base;
    d.dim[0] = d.dim[1] = 64; d.stride[0] = 256;
    d.box[0] = 32; d.box[1] = 8; d.swizzle = 128;
    if (tc_tmap_encode(&m, &d) != TC_OK) { fprintf(stderr, "tensor map: %s\n", tc_why()); exit(1); }
    return m;
}
#define MAP_KERNEL(name) template <bool BAD> static __global__ void name(const __grid_constant__ tc_tmap map, PARAMS)
#define MAP_RUN(name, base) HOST(name) { name<BAD><<<1, 64>>>(map_of(base), in_d, out_d, 64); }
#define TILE(s) __shared__ TC_ALIGN(1024) float s[32 * 8 * 2]
#define LOAD(dst, m, c0, c1)                                                                   \
    if (threadIdx.x == 0) { tc_mbarrier_arrive_expect_tx(bar, 1024); tc_cp_async_bulk_tensor_2d(dst, m, c0, c1, bar); }

MAP_KERNEL(tile_misaligned)
{
    TILE(s);
    FULL(bar);
    LOAD(tc_smem_u32(s) + (BAD ? n : 2 * n), &map, 0, 0) // EXPECT tile_misaligned misaligned: "not a multiple of 128"
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = s[threadIdx.x + 32]; }
}
MAP_RUN(tile_misaligned, in_d)
MAP_KERNEL(tile_inner_coordinate)
{
    TILE(s);
    FULL(bar);
    LOAD(tc_smem_u32(s), &map, BAD ? 2 : 4, 0) // EXPECT tile_inner_coordinate operand: "is not a multiple of 16 bytes"
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = s[threadIdx.x]; }
}
MAP_RUN(tile_inner_coordinate, in_d)
MAP_KERNEL(tile_too_large)
{
    extern __shared__ TC_ALIGN(1024) float dyn[];
    FULL(bar);
    // EXPECT tile_too_large out-of-bounds-shared: "(dynamic shared memory) run past the end"
    LOAD(tc_smem_u32(dyn), &map, 0, 0)
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = dyn[threadIdx.x]; }
}
HOST(tile_too_large) { tile_too_large<BAD><<<1, 64, BAD ? 512 : 1024>>>(map_of(in_d), in_d, out_d, 64); }
MAP_KERNEL(tile_expect_bytes)
{
    TILE(s);
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 1024);
        // half of the box lies outside: it counts all the same
        tc_cp_async_bulk_tensor_2d(tc_smem_u32(s), &map, 32, 60, bar);
        if (BAD) tc_mbarrier_expect_tx(bar, 4096);
    }
    tc_mbarrier_wait(bar, 0); // EXPECT tile_expect_bytes deadlock: "4096 bytes pending"
    out[threadIdx.x] = s[threadIdx.x];
}
MAP_RUN(tile_expect_bytes, in_d)
static __device__ __forceinline__ void load_one(const tc_tmap *map, float *out)
{
    TILE(s);
    FULL(bar);
    // EXPECT tile_map_not_const descriptor: "lies in local memory: it must be a const __grid_constant__ parameter"
    LOAD(tc_smem_u32(s), map, 0, 0)
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
// copied to local memory to have an address
static __global__ void map_by_value(tc_tmap map, float *out) { load_one(&map, out); }
static __global__ void map_in_place(const __grid_constant__ tc_tmap map, float *out) { load_one(&map, out); }
HOST(tile_map_not_const)
{
    if (BAD) map_by_value<<<1, 64>>>(map_of(in_d), out_d);
    else map_in_place<<<1, 64>>>(map_of(in_d), out_d);
}
KERNEL(tile_map_misaligned)
{
    TILE(s);
    FULL(bar);
    // EXPECT tile_map_misaligned descriptor: "is not a multiple of 64"
    LOAD(tc_smem_u32(s), (const tc_tmap *)(in + (BAD ? n / 8 : n)), 0, 0)
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = s[threadIdx.x]; }
}
HOST(tile_map_misaligned)
{
    const tc_tmap m = map_of(in_d);
    char *g;
    cudaMalloc(&g, 1024);
    cudaMemcpy(g + (BAD ? 32 : 256), &m, sizeof m, cudaMemcpyHostToDevice);
    tile_map_misaligned<BAD><<<1, 64>>>((const float *)g, out_d, 64);
    cudaDeviceSynchronize();
    cudaFree(g);
}
KERNEL(tile_map_overwritten)
{
    TILE(s);
    FULL(bar);
    // EXPECT tile_map_overwritten descriptor: "the 128 bytes are not a tensor map"
    LOAD(tc_smem_u32(s), (const tc_tmap *)in, 0, 0)
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = s[threadIdx.x]; }
}
HOST(tile_map_overwritten)
{
    const tc_tmap m = map_of(in_d);
    char *g;
    cudaMalloc(&g, 1024);
    cudaMemset(g, 0, 1024);
    cudaMemcpy(g, &m, sizeof m, cudaMemcpyHostToDevice);
    if (BAD) cudaMemset(g, 0xff, 64);
    tile_map_overwritten<BAD><<<1, 64>>>((const float *)g, out_d, 64);
    cudaDeviceSynchronize();
    cudaFree(g);
}
KERNEL(tile_map_replaced)
{
    TILE(s);
    FULL(bar);
    tc_tmap *maps = (tc_tmap *)out;
    // EXPECT tile_map_replaced race: "was changed while this copy, which reads it, was in flight"
    LOAD(tc_smem_u32(s), maps, 0, 0)
    if (!BAD) tc_mbarrier_wait(bar, 0);
    __syncthreads();
    if (threadIdx.x < 32) ((uint32_t *)maps)[threadIdx.x] = ((const uint32_t *)(maps + 1))[threadIdx.x];
    tc_mbarrier_wait(bar, 0);
    out[256 + threadIdx.x] = s[threadIdx.x];
}
HOST(tile_map_replaced)
{
    const tc_tmap m[2] = {map_of(in_d), map_of(in_d + 1024)};
    char *g;
    cudaMalloc(&g, 2048);
    cudaMemcpy(g, m, sizeof m, cudaMemcpyHostToDevice);
    tile_map_replaced<BAD><<<1, 64>>>(in_d, (float *)g, 64);
    cudaDeviceSynchronize();
    cudaFree(g);
}
MAP_KERNEL(tile_freed)
{
    TILE(s);
    FULL(bar);
    LOAD(tc_smem_u32(s), &map, 0, 0) // EXPECT tile_freed use-after-free: "has been freed"
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
HOST(tile_freed)
{
    float *g;
    cudaMalloc(&g, 16384);
    cudaMemset(g, 0, 16384);
    const tc_tmap m = map_of(g);
    if (BAD) cudaFree(g);
    tile_freed<BAD><<<1, 64>>>(m, in_d, out_d, 64);
    cudaDeviceSynchronize();
    if (!BAD) cudaFree(g);
}
MAP_KERNEL(tile_uninit_global)
{
    TILE(s);
    FULL(bar);
    LOAD(tc_smem_u32(s), &map, 0, n - 8) // EXPECT tile_uninit_global uninitialised-global: "was never written"
    tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x];
}
HOST(tile_uninit_global)
{
    float *g;
    cudaMalloc(&g, 16384);
    cudaMemset(g, 0, BAD ? 15000 : 16384);
    tile_uninit_global<BAD><<<1, 64>>>(map_of(g), in_d, out_d, 64);
    cudaDeviceSynchronize();
    cudaFree(g);
}
MAP_KERNEL(tile_read_early)
{
    TILE(s);
    for (int k = threadIdx.x; k < 256; k += blockDim.x) s[k] = 0;
    tc_fence_proxy_async_shared();
    FULL(bar);
    LOAD(tc_smem_u32(s), &map, 0, 0) // ALSO tile_read_early: "the write"
    __syncthreads(); // no substitute for the wait
    if (!BAD) tc_mbarrier_wait(bar, 0);
    out[threadIdx.x] = s[threadIdx.x]; // EXPECT tile_read_early race: "not waited for, or still in flight"
    tc_mbarrier_wait(bar, 0);
}
MAP_RUN(tile_read_early, in_d)
MAP_KERNEL(tile_store_negative)
{
    TILE(s);
    for (int k = threadIdx.x; k < 256; k += blockDim.x) s[k] = in[k];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT tile_store_negative operand: "stores and reductions take no negative coordinates"
        tc_cp_async_bulk_tensor_2d_store(&map, tc_smem_u32(s), 0, BAD ? -n / 32 : 0);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
MAP_RUN(tile_store_negative, out_d)
MAP_KERNEL(tile_store_no_fence)
{
    TILE(s);
    for (int k = threadIdx.x; k < 256; k += blockDim.x) s[k] = in[k]; // ALSO tile_store_no_fence: "written"
    if (!BAD) tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT tile_store_no_fence proxy-fence: "without a fence.proxy.async in between"
        tc_cp_async_bulk_tensor_2d_store(&map, tc_smem_u32(s), 0, 0);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
MAP_RUN(tile_store_no_fence, out_d)
MAP_KERNEL(tile_store_uninit)
{
    TILE(s);
    for (int k = threadIdx.x; k < (BAD ? 192 : 256); k += blockDim.x) s[k] = in[k];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        // EXPECT tile_store_uninit uninitialised-shared: "that nobody has written"
        tc_cp_async_bulk_tensor_2d_store(&map, tc_smem_u32(s), 0, 0);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
}
MAP_RUN(tile_store_uninit, out_d)
MAP_KERNEL(tile_rank)
{
    TILE(s);
    FULL(bar);
    if (threadIdx.x == 0) {
        tc_mbarrier_arrive_expect_tx(bar, 1024);
        // EXPECT tile_rank descriptor: "the tensor map has rank 2"
        if (BAD) tc_cp_async_bulk_tensor_3d(tc_smem_u32(s), &map, 0, 0, 0, bar);
        else tc_cp_async_bulk_tensor_2d(tc_smem_u32(s), &map, 0, 0, bar);
    }
    if (!BAD) { tc_mbarrier_wait(bar, 0); out[threadIdx.x] = s[threadIdx.x]; }
}
MAP_RUN(tile_rank, in_d)
