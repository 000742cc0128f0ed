/* unit_tma.cu - tc_mbarrier.h, tc_memory.h and tc_tma.h: the macros with every qualifier, and tensor maps of every
 * kind, against the host.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a -gencode arch=compute_100a,code=sm_100a tests/unit_tma.cu
 *     -o build/tests/unit_tma
 * What unit_device.cu tests already, the functions for tiled copies above all, is not repeated here. */
#include "../tc.h"
#include "../tc_types.h"
#include "test.h"

static void random_bytes(test_buffer *b)
{
    for (size_t i = 0; i < b->bytes; i++) ((uint8_t *)b->host)[i] = (uint8_t)(test_random() >> 40);
    test_buffer_up(b);
}

static int has90, has_any_a, has100, has100a;
__global__ void k_has(int *out) { *out = TC_HAS_SM90 | TC_HAS_ANY_A << 1 | TC_HAS_SM100 << 2 | TC_HAS_SM100A << 3; }

extern __shared__ unsigned char dynamic[];
TC_DEV unsigned char *smem_base(void) { return dynamic + (1024u - (tc_smem_u32(dynamic) & 1023u)) % 1024u; }

/* ---- mbarrier, by one thread: out[i] against the number beside each step ---- */
static const uint32_t mbarrier_want[] = {3, 0, 2, 0, 1, 1, 0, 1, 1, 1, 1, 1, 2, 1, 1, 1};
__global__ void k_mbarrier(uint32_t *out)
{
#if TC_HAS_SM90
    __shared__ uint64_t word, generic;
    const uint32_t bar = tc_smem_u32(&word);
    uint64_t s, first;
    int done;
    TC_MBARRIER_INIT(.shared::cta, bar, 3u);
    TC_MBARRIER_ARRIVE(.release.cta.shared::cta, first, bar);
    out[0] = tc_mbarrier_pending_count(first);                                     /* 3 */
    TC_MBARRIER_TEST_WAIT(.acquire.cta.shared::cta, done, bar, first); out[1] = (uint32_t)done; /* 0 */
    TC_MBARRIER_ARRIVE(.expect_tx.relaxed.cluster.shared, s, bar, 64u);
    out[2] = tc_mbarrier_pending_count(s);                                         /* 2 */
    /* from the next phase on the count is 2 */
    TC_MBARRIER_ARRIVE_DROP(.shared, _, bar);
    TC_MBARRIER_TRY_WAIT_PARITY(.shared, done, bar, 0u, 10u); out[3] = (uint32_t)done; /* 0: bytes lack */
    TC_MBARRIER_COMPLETE_TX(.relaxed.cta.shared::cta, bar, 64u);
    TC_MBARRIER_TEST_WAIT(.relaxed.cluster.shared, done, bar, first); out[4] = (uint32_t)done; /* 1 */
    TC_MBARRIER_TRY_WAIT(.acquire.cluster.shared::cta, done, bar, first); out[5] = (uint32_t)done; /* 1 */
    TC_MBARRIER_TEST_WAIT_PARITY(.acquire.cta.shared::cta, done, bar, 1u); out[6] = (uint32_t)done; /* 0 */
    TC_MBARRIER_ARRIVE(.shared::cta, _, bar, 2u);                                  /* both arrivals of phase 1 */
    TC_MBARRIER_TRY_WAIT_PARITY(.relaxed.cta.shared::cta, done, bar, 1u); out[7] = (uint32_t)done; /* 1 */
    TC_MBARRIER_EXPECT_TX(.shared::cta, bar, 16u);
    TC_MBARRIER_ARRIVE(.release.cluster.shared::cluster, _, bar, 2u);              /* this CTA is part of its cluster */
    /* 1: first is two phases old (the ISA leaves it open; so on an H200) */
    TC_MBARRIER_TRY_WAIT(.shared, done, bar, first); out[8] = (uint32_t)done;
    TC_MBARRIER_COMPLETE_TX(.relaxed.cluster.shared::cluster, bar, 16u);
    TC_MBARRIER_TRY_WAIT_PARITY(.acquire.cluster.shared, done, bar, 0u); out[9] = (uint32_t)done; /* 1 */
    TC_MBARRIER_ARRIVE(.noComplete.shared::cta, s, bar, 1u);
    TC_MBARRIER_ARRIVE(.shared::cluster, _, bar);
    TC_MBARRIER_TEST_WAIT_PARITY(.shared, done, bar, 1u); out[10] = (uint32_t)done; /* 1 */
    TC_MBARRIER_INVAL(.shared::cta, bar);
    TC_MBARRIER_INIT(, &generic, 2u);                                              /* by pointers */
    TC_MBARRIER_ARRIVE(.relaxed.cta, s, &generic);
    TC_MBARRIER_ARRIVE(.expect_tx, _, &generic, 8u);
    TC_MBARRIER_COMPLETE_TX(, &generic, 8u);
    TC_MBARRIER_TRY_WAIT(, done, &generic, s, 1000u); out[11] = (uint32_t)done;     /* 1 */
    out[12] = tc_mbarrier_pending_count(s);                                        /* 2 */
    TC_MBARRIER_ARRIVE_DROP(.noComplete, s, &generic, 1u);
    TC_MBARRIER_ARRIVE_DROP(.expect_tx.release.cta, s, &generic, 0u);
    TC_MBARRIER_TEST_WAIT_PARITY(.relaxed.cta, done, &generic, 1u); out[13] = (uint32_t)done; /* 1 */
    TC_MBARRIER_TEST_WAIT(, done, &generic, s); out[14] = (uint32_t)done;           /* 1 */
    TC_MBARRIER_TRY_WAIT_PARITY(, done, &generic, 1u); out[15] = (uint32_t)done;    /* 1 */
#endif
}

/* ---- fences, barriers, special registers; a cluster of two ---- */
enum { CLUSTER_OUT = 40 };
#if TC_HAS_SM90
#define CLUSTER_OF_2 __cluster_dims__(2, 1, 1)
#else
#define CLUSTER_OF_2
#endif
__global__ void CLUSTER_OF_2 k_cluster(uint32_t *out)
{
#if TC_HAS_SM90
    __shared__ TC_ALIGN(128) uint32_t mine[64];
    __shared__ TC_ALIGN(16) uint32_t source[16];
    __shared__ uint64_t word;
    const uint32_t rank = tc_sreg_cluster_ctarank(), other = rank ^ 1, bar = tc_smem_u32(&word), t = threadIdx.x;
    const uint32_t there = tc_mapa(tc_smem_u32(mine), other), bar_there = tc_mapa(bar, other);
    uint32_t *o = out + blockIdx.x * CLUSTER_OUT;
    if (t < 64) mine[t] = 1000 * rank + t;
    if (t < 16) source[t] = 7 + t;
    if (t == 0) {
        TC_MBARRIER_INIT(.shared::cta, bar, 1u);
        tc_fence_mbarrier_init();
    }
    tc_fence_proxy_async_shared();
    TC_BARRIER_CLUSTER_ARRIVE(.release);
    TC_BARRIER_CLUSTER_WAIT(.acquire);
    if (t == 0) {
        uint32_t v[4], one[1];
        float f[1];
        uint64_t l[1];
        TC_LD_SHARED_CLUSTER(v4, b32, v, there + 16); o[0] = v[0] == 1000 * other + 4 && v[3] == 1000 * other + 7;
        TC_LD_SHARED_CLUSTER(, b32, one, there + 12); o[1] = one[0] == 1000 * other + 3;
        TC_LD_SHARED_CLUSTER(, f32, f, there); o[2] = tc_bits_from_f32(f[0]) == 1000 * other;
        TC_LD_SHARED_CLUSTER(, b64, l, there + 8);
        o[3] = l[0] == ((uint64_t)(1000 * other + 3) << 32 | (1000 * other + 2));
        o[4] = tc_getctarank(there) == other && tc_getctarank_shared_u64(there) == other;
        void *p = tc_mapa_u64(mine, other);
        o[5] = tc_getctarank_u64(p) == other && tc_isspacep_shared_cluster(p) && !tc_isspacep_shared_cluster(out);
        o[6] = tc_cvta_to_shared_cluster(p) == there && tc_cvta_shared_cluster(there) == p
            && (uint32_t)tc_mapa_shared_u64(tc_smem_u32(mine), other) == there;
        o[7] = tc_sreg_cluster_nctarank() == 2 && tc_sreg_cluster_ctaid_x() == rank && tc_sreg_cluster_nctaid_x() == 2
            && tc_sreg_cluster_nctaid_y() == 1 &&
               tc_sreg_cluster_nctaid_z() == 1 && tc_sreg_cluster_ctaid_y() == 0 && tc_sreg_cluster_ctaid_z() == 0
               && tc_sreg_is_explicit_cluster();
        o[8] = tc_sreg_clusterid_x() == blockIdx.x / 2 && tc_sreg_clusterid_y() == 0 && tc_sreg_clusterid_z() == 0
            && tc_sreg_nclusterid_x() == gridDim.x / 2 &&
               tc_sreg_nclusterid_y() == 1 && tc_sreg_nclusterid_z() == 1;
        o[9] = tc_sreg_total_smem_size() >= tc_sreg_dynamic_smem_size()
            && tc_sreg_aggr_smem_size() >= tc_sreg_total_smem_size() &&
               tc_sreg_reserved_smem_offset_end() >= tc_sreg_reserved_smem_offset_begin()
               && tc_sreg_reserved_smem_offset_cap() < 1u << 20;
    }
    tc_cluster_sync();
    /* all that comes from the other CTA is counted: 4 + 8 + 16 + 16 + 8 + 4 bytes of st.async, 4 * 9 + 8 + ... of
     * red.async, 16 * 3 of bulk */
    if (t == 0) {
        const uint32_t four[4] = {1, 2, 3, 4};
        const float reals[4] = {1.f, 2.f, 3.f, 4.f};
        const uint64_t wide[2] = {5, 6};
        const double doubles[2] = {7., 8.};
        TC_MBARRIER_ARRIVE(.expect_tx.shared::cta, _, bar, 4u + 8u + 16u + 16u + 16u + 8u + 4u * 11u + 8u + 64u + 16u);
        TC_ST_ASYNC(, , b32, there, four, bar_there);
        TC_ST_ASYNC(.weak, v2, s32, there + 8, four, bar_there);
        TC_ST_ASYNC(, v4, u32, there + 16, four, bar_there);
        TC_ST_ASYNC(, v4, f32, there + 32, reals, bar_there);
        TC_ST_ASYNC(.weak, v2, u64, there + 48, wide, bar_there);
        TC_ST_ASYNC(, , f64, there + 64, doubles, bar_there);
        TC_RED_ASYNC(add, u32, there + 72, 5u, bar_there);
        TC_RED_ASYNC(add, s32, there + 76, (uint32_t)-5, bar_there);
        TC_RED_ASYNC(min, u32, there + 80, 3u, bar_there);
        TC_RED_ASYNC(max, u32, there + 84, 5000u, bar_there);
        TC_RED_ASYNC(min, s32, there + 88, (uint32_t)-9, bar_there);
        TC_RED_ASYNC(max, s32, there + 92, (uint32_t)-9, bar_there);
        TC_RED_ASYNC(and, b32, there + 96, 0xfu, bar_there);
        TC_RED_ASYNC(or, b32, there + 100, 0xf0000u, bar_there);
        TC_RED_ASYNC(xor, b32, there + 104, 0xffu, bar_there);
        TC_RED_ASYNC(inc, u32, there + 108, 5000u, bar_there);
        TC_RED_ASYNC(dec, u32, there + 112, 5000u, bar_there);
        TC_RED_ASYNC(add, u64, there + 120, 1ull << 32, bar_there);
        tc_cp_async_bulk_s2cluster(there + 128, tc_smem_u32(source), 64, bar_there);
        TC_CP_REDUCE_ASYNC_BULK_CLUSTER(add, u32, there + 192, tc_smem_u32(source), 16, bar_there);
    }
    if (t == 0) {
        TC_MBARRIER_WAIT(bar, 0, "other CTA", 0);
        const uint32_t base = 1000 * rank;
        o[10] = mine[0] == 1 && mine[2] == 1 && mine[3] == 2;
        o[11] = mine[4] == 1 && mine[5] == 2 && mine[6] == 3 && mine[7] == 4;
        o[12] = mine[8] == tc_bits_from_f32(1.f) && mine[11] == tc_bits_from_f32(4.f);
        o[13] = mine[12] == 5 && mine[13] == 0 && mine[14] == 6 && mine[15] == 0;
        o[14] = mine[16] == 0 && mine[17] == 0x401c0000;
        o[15] = mine[18] == base + 18 + 5;
        o[16] = mine[19] == base + 19 - 5;
        o[17] = mine[20] == 3 && mine[21] == 5000;
        o[18] = mine[22] == (uint32_t)-9 && mine[23] == base + 23;
        o[19] = mine[24] == ((base + 24) & 0xf) && mine[25] == ((base + 25) | 0xf0000)
            && mine[26] == ((base + 26) ^ 0xff);
        o[20] = mine[27] == base + 28 && mine[28] == base + 27;
        o[21] = mine[30] == base + 30 && mine[31] == base + 31 + 1;
        o[22] = mine[32] == 7 && mine[47] == 22;
        o[23] = mine[48] == base + 48 + 7 && mine[51] == base + 51 + 10 && mine[52] == base + 52;
    }
    tc_cluster_sync();
    if (t == 0) TC_ST_SHARED_CLUSTER(v4, b32, there, source);
    if (t == 1) { const float f[1] = {2.5f}; TC_ST_SHARED_CLUSTER(, f32, there + 16, f); }
    if (t == 2) { const uint64_t l[1] = {99}; TC_ST_SHARED_CLUSTER(, b64, there + 24, l); }
    TC_BARRIER_CLUSTER_ARRIVE(.release.aligned);
    TC_BARRIER_CLUSTER_WAIT(.acquire.aligned);
    if (t == 0)
        o[24] = mine[0] == 7 && mine[3] == 10 && mine[4] == tc_bits_from_f32(2.5f) && mine[6] == 99 && mine[7] == 0;
    /* every fence; named barriers of both halves of the block */
    TC_FENCE(.sc.cta); TC_FENCE(.sc.cluster); TC_FENCE(.sc.gpu); TC_FENCE(.sc.sys); TC_FENCE(.acq_rel.cta);
    TC_FENCE(.acq_rel.cluster); TC_FENCE(.acq_rel.gpu); TC_FENCE(.acq_rel.sys); TC_FENCE(.cta); TC_FENCE(.cluster);
    TC_FENCE(.gpu); TC_FENCE(.sys); TC_FENCE(.acquire.cta); TC_FENCE(.acquire.cluster); TC_FENCE(.acquire.gpu);
    TC_FENCE(.acquire.sys); TC_FENCE(.release.cta); TC_FENCE(.release.cluster); TC_FENCE(.release.gpu);
    TC_FENCE(.release.sys); TC_FENCE(.acquire.sync_restrict::shared::cluster.cluster);
    TC_FENCE(.release.sync_restrict::shared::cta.cluster); TC_FENCE(.mbarrier_init.release.cluster);
    TC_FENCE(.proxy.alias); TC_FENCE(.proxy.async); TC_FENCE(.proxy.async.global); TC_FENCE(.proxy.async.shared::cta);
    TC_FENCE(.proxy.async.shared::cluster);
    TC_FENCE(.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster);
    TC_FENCE(.proxy.async::generic.release.sync_restrict::shared::cta.cluster);
    TC_FENCE(.proxy.tensormap::generic.release.cta); TC_FENCE(.proxy.tensormap::generic.release.cluster);
    TC_FENCE(.proxy.tensormap::generic.release.gpu); TC_FENCE(.proxy.tensormap::generic.release.sys); TC_MEMBAR(.cta);
    TC_MEMBAR(.gl); TC_MEMBAR(.sys); TC_MEMBAR(.proxy.alias);
    uint32_t leader;
    const int elected = tc_elect_sync(&leader, 0xffffffffu);
    const uint32_t votes = __ballot_sync(0xffffffffu, elected);
    if (t == 0) o[25] = __popc(votes) == 1 && votes == 1u << leader;
    if (t < 64) {
        tc_barrier_sync(1, 128);
        if (t < 32) source[0] = 77;
        TC_BARRIER_CTA_ARRIVE(.aligned, 2, 128);
        TC_BARRIER_CTA_SYNC(.aligned, 3, 64);
    } else {
        tc_barrier_arrive(1, 128);
        TC_BARRIER_CTA_SYNC(, 2, 128);
        if (t == 64) o[26] = source[0] == 77;
    }
    tc_bar_warp_sync(0xffffffffu);
    TC_BARRIER_CTA_SYNC(.aligned, 0);
    TC_BARRIER_CLUSTER_ARRIVE(.relaxed.aligned);
    TC_BARRIER_CLUSTER_WAIT(.aligned);
    TC_BARRIER_CLUSTER_ARRIVE(.relaxed);
    TC_BARRIER_CLUSTER_WAIT();
    TC_BARRIER_CLUSTER_ARRIVE();
    TC_BARRIER_CLUSTER_WAIT();
#endif
}

/* ---- loads, stores, policies ---- */
__global__ void k_memory(uint32_t *p, uint32_t *out)
{
#if TC_HAS_SM80
    uint64_t keep, once, part, half, range, fraction;
    uint32_t r[8] = {0};
    const float share = 0.25f;
    TC_CREATEPOLICY_FRACTIONAL(.L2::evict_last, keep);
    TC_CREATEPOLICY_FRACTIONAL(.L2::evict_first, once);
    TC_CREATEPOLICY_FRACTIONAL(.L2::evict_normal.L2::evict_first, part, 0.5f);
    TC_CREATEPOLICY_FRACTIONAL(.L2::evict_unchanged.L2::evict_unchanged, half, share);
    TC_CREATEPOLICY_RANGE(.global.L2::evict_last, range, p, 512u, 1024u);
    TC_CREATEPOLICY_RANGE(.L2::evict_first.L2::evict_unchanged, fraction, p, 512u, 1024u);
    TC_PREFETCH(.global.L1, p); TC_PREFETCH(.L2, p); TC_PREFETCH(.global.L2::evict_last, p);
    TC_PREFETCH(.global.L2::evict_normal, p); TC_PREFETCH(.L1, p);
    tc_prefetchu_L1(p);
    TC_APPLYPRIORITY(.global, p); TC_APPLYPRIORITY(, p);
    uint32_t v4[4], v2[2], v1[1];
    float f4[4], f2[2];
    uint64_t l2[2], l1[1];
    TC_LD_GLOBAL(.nc.L2::cache_hint, v4, b32, v4, p, keep);
    TC_LD_GLOBAL(.L2::cache_hint, v2, b32, v2, p + 2, once);
    TC_LD_GLOBAL(.nc.L2::cache_hint, , b32, v1, p + 3, part);
    TC_LD_GLOBAL(.L2::cache_hint, v4, f32, f4, p + 4, half);
    TC_LD_GLOBAL(.L2::cache_hint, v2, f32, f2, p + 8, range);
    TC_LD_GLOBAL(.L2::cache_hint, v2, b64, l2, p + 8, fraction);
    TC_LD_GLOBAL(.nc.L2::cache_hint, , b64, l1, p + 14, keep);
    TC_ST_GLOBAL(.L2::cache_hint, v4, b32, out, v4, keep);
    TC_ST_GLOBAL(.L2::cache_hint, v2, b32, out + 4, v2, keep);
    TC_ST_GLOBAL(.L2::cache_hint, , b32, out + 6, v1, keep);
    TC_ST_GLOBAL(.L2::cache_hint, v4, f32, out + 8, f4, once);
    TC_ST_GLOBAL(.L2::cache_hint, v2, f32, out + 12, f2, once);
    TC_ST_GLOBAL(.L2::cache_hint, v2, b64, out + 16, l2, once);
    TC_ST_GLOBAL(.L2::cache_hint, , b64, out + 20, l1, part);
    TC_LD_GLOBAL(.nc.L1::no_allocate.L2::256B, v4, b32, r, p + 16);
    TC_ST_GLOBAL(.L1::no_allocate, v4, b32, out + 24, r); TC_LD_GLOBAL(.L1::evict_last.L2::64B, v4, b32, r, p + 20);
    TC_ST_GLOBAL(.L1::evict_first, v4, b32, out + 28, r);
#if TC_HAS_SM100
    double d[4];
    TC_LD_GLOBAL(.nc.L2::evict_last, v8, b32, r, p + 32); TC_ST_GLOBAL(.L2::evict_first, v8, b32, out + 32, r);
    TC_LD_GLOBAL(.L1::no_allocate.L2::evict_first, v4, f64, d, p + 40); TC_ST_GLOBAL(, v4, f64, out + 40, d);
    uint16_t h = (uint16_t)p[48];
    TC_ST_ASYNC_GLOBAL(.release.gpu, b32, out + 48, p[48]);
    TC_ST_ASYNC_GLOBAL(.release.sys, f32, out + 49, tc_f32_from_bits(p[49]));
    TC_ST_ASYNC_GLOBAL(.mmio.release.sys, u64, out + 50, *(const uint64_t *)(p + 50));
    TC_ST_ASYNC_GLOBAL(.release.gpu, b16, out + 52, h); TC_ST_ASYNC_GLOBAL(.release.gpu, u8, out + 53, p[53]);
    TC_RED_ASYNC_GLOBAL(.release.gpu, u32, out + 54, 5u); TC_RED_ASYNC_GLOBAL(.mmio.release.sys, s64, out + 56, 7ull);
    __shared__ TC_ALIGN(16) uint32_t zero[32];
    for (int i = 0; i < 32; i++) zero[i] = 5;
    TC_ST_BULK(.weak.shared::cta, tc_smem_u32(zero) + 16, 64);
    for (int i = 0; i < 32; i++) out[64 + i] = zero[i];
#endif
    TC_DISCARD(.global, p); /* p's first 128 bytes are nothing from here on */
#endif
}

/* ---- bulk copies ---- */
__global__ void k_bulk(const unsigned char *in, unsigned char *out)
{
#if TC_HAS_SM90
    __shared__ TC_ALIGN(128) unsigned char s[1024];
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word), to = tc_smem_u32(s);
    const uint64_t policy = tc_createpolicy_evict_first();
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
        tc_cp_async_bulk_prefetch(in, 1024);
        tc_cp_async_bulk_prefetch_hint(in, 1024, policy);
        tc_mbarrier_arrive_expect_tx(bar, 1024);
        tc_cp_async_bulk_g2s_hint(to, in, 128, bar, policy);
        tc_cp_async_bulk_g2cta(to + 128, in + 128, 128, bar);
        tc_cp_async_bulk_g2cta_hint(to + 256, in + 256, 256, bar, policy);
        tc_cp_async_bulk_g2s_multicast_hint(to + 512, in + 512, 512, bar, 1, policy);
        TC_MBARRIER_WAIT(bar, 0, "bulk", 0);
        tc_cp_async_bulk_s2g_hint(out, to, 512, policy);
        tc_cp_async_bulk_s2g(out + 512, to + 512, 512);
#if TC_HAS_SM100
        tc_cp_async_bulk_s2g_mask(out + 1024, to, 128, 0x00f3);
        tc_cp_async_bulk_s2g_hint_mask(out + 1152, to, 128, policy, 0x8001);
#endif
        /* reductions of 16 bytes each, onto what is there */
#define REDUCE(i, op, type) TC_CP_REDUCE_ASYNC_BULK(op, type, out + 2048 + 16 * (i), to + 16 * (i), 16)
        REDUCE(0, and, b32); REDUCE(1, or, b32); REDUCE(2, xor, b32); REDUCE(3, and, b64); REDUCE(4, or, b64);
        REDUCE(5, xor, b64); REDUCE(6, add, u32); REDUCE(7, add, s32); REDUCE(8, add, u64); REDUCE(9, inc, u32);
        REDUCE(10, dec, u32); REDUCE(11, min, u32); REDUCE(12, max, u32); REDUCE(13, min, s32); REDUCE(14, max, s32);
        REDUCE(15, min, u64); REDUCE(16, max, u64); REDUCE(17, min, s64); REDUCE(18, max, s64);
        TC_CP_REDUCE_ASYNC_BULK_HINT(add, u32, out + 2048 + 16 * 19, to + 16 * 19, 16, policy);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
#endif
}

static uint64_t reduced(int i, uint64_t old, uint64_t x)
{
    const uint32_t o = (uint32_t)old, a = (uint32_t)x;
    switch (i) {
    case 0: case 3: return old & x;
    case 1: case 4: return old | x;
    case 2: case 5: return old ^ x;
    case 6: case 7: case 19: return (uint32_t)(o + a);
    case 8: return old + x;
    case 9: return o >= a ? 0 : o + 1;
    case 10: return o == 0 || o > a ? a : o - 1;
    case 11: return o < a ? o : a;
    case 12: return o > a ? o : a;
    case 13: return (int32_t)o < (int32_t)a ? o : a;
    case 14: return (int32_t)o > (int32_t)a ? o : a;
    case 15: return old < x ? old : x;
    case 16: return old > x ? old : x;
    case 17: return (int64_t)old < (int64_t)x ? old : x;
    default: return (int64_t)old > (int64_t)x ? old : x;
    }
}

/* ---- tensor copies: which of them, and where ---- */
/* came: what the mbarrier counts, if not bytes */
typedef struct { int form, c[5], w[3]; uint32_t bytes, came; } copy;
enum { TILE_1, TILE_2, TILE_3, TILE_4, TILE_5, TILE_2_DEFAULT, TILE_2_MULTI, TILE_2_MULTI_HINT, TILE_3_HINT, TILE_2_CTA,
       IM2COL_3, IM2COL_4, IM2COL_5, IM2COL_4_ALL, GATHER4, GATHER4_CLUSTER, GATHER4_GROUP,
       IM2COL_W_4, IM2COL_W128_4, IM2COL_W_CLUSTER_3, IM2COL_W_5_ALL };
__global__ void k_load(const __grid_constant__ tc_tmap map, copy q, unsigned char *out)
{
#if TC_HAS_SM90
    unsigned char *s = smem_base();
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word), to = tc_smem_u32(s);
    const tc_tmap *t = &map;
    for (uint32_t i = threadIdx.x; i < q.bytes; i += blockDim.x) s[i] = 0xee;
    if (threadIdx.x == 0) {
        const uint64_t policy = tc_createpolicy_evict_last();
        (void)policy;
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
    }
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint64_t policy = tc_createpolicy_evict_last();
        const uint16_t mask = 1;
        TC_PREFETCH_TENSORMAP(, t);
        tc_mbarrier_arrive_expect_tx(bar, q.came ? q.came : q.bytes);
        switch (q.form) {
        case TILE_1:
            TC_CP_ASYNC_BULK_TENSOR(1d, shared::cluster, tile, , , , to, t, (q.c[0]), bar);
            TC_CP_ASYNC_BULK_PREFETCH_TENSOR(1d, tile, , t, (q.c[0])); break;
        case TILE_2:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, , , , to, t, (q.c[0], q.c[1]), bar);
            TC_CP_ASYNC_BULK_PREFETCH_TENSOR(2d, , , t, (q.c[0], q.c[1])); break;
        case TILE_3:
            TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, , , , to, t, (q.c[0], q.c[1], q.c[2]), bar); break;
        case TILE_4:
            TC_CP_ASYNC_BULK_TENSOR(4d, shared::cluster, tile, , , , to, t, (q.c[0], q.c[1], q.c[2], q.c[3]), bar);
            break;
        case TILE_5:
            TC_CP_ASYNC_BULK_TENSOR(5d, shared::cluster, tile, , , , to, t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]),
                                    bar);
            break;
        case TILE_2_DEFAULT: TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, , , , , to, t, (q.c[0], q.c[1]), bar); break;
        case TILE_2_MULTI:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, multicast::cluster, , , to, t, (q.c[0], q.c[1]), bar,
                                    mask);
            break;
        case TILE_2_MULTI_HINT:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, , multicast::cluster, , L2::cache_hint, to, t,
                                    (q.c[0], q.c[1]), bar, mask, policy);
            break;
        case TILE_3_HINT:
            TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, tile, , , L2::cache_hint, to, t, (q.c[0], q.c[1], q.c[2]), bar,
                                    policy);
            break;
        case TILE_2_CTA: TC_CP_ASYNC_BULK_TENSOR(2d, shared::cta, tile, , , , to, t, (q.c[0], q.c[1]), bar); break;
        case IM2COL_3:
            TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, im2col, , , , to, t, (q.c[0], q.c[1], q.c[2]), bar, (q.w[0]));
            break;
        case IM2COL_4:
            TC_CP_ASYNC_BULK_TENSOR(4d, shared::cluster, im2col, , , , to, t, (q.c[0], q.c[1], q.c[2], q.c[3]), bar,
                                    (q.w[0], q.w[1]));
            break;
        case IM2COL_5:
            TC_CP_ASYNC_BULK_TENSOR(5d, shared::cta, im2col, , , , to, t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), bar,
                                    (q.w[0], q.w[1], q.w[2]));
            TC_CP_ASYNC_BULK_PREFETCH_TENSOR(5d, im2col, L2::cache_hint, t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]),
                                             (q.w[0], q.w[1], q.w[2]), policy);
            break;
        case IM2COL_4_ALL:
            TC_CP_ASYNC_BULK_TENSOR(4d, shared::cluster, im2col, multicast::cluster, , L2::cache_hint, to, t,
                                    (q.c[0], q.c[1], q.c[2], q.c[3]), bar, (q.w[0], q.w[1]), mask, policy);
            break;
#if TC_HAS_SM100
        case GATHER4:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cta, tile::gather4, , , , to, t,
                                    (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), bar);
            break;
        case IM2COL_W_4:
            TC_CP_ASYNC_BULK_TENSOR(4d, shared::cta, im2col::w, , , , to, t, (q.c[0], q.c[1], q.c[2], q.c[3]), bar,
                                    (q.w[0], q.w[1]));
            break;
#endif
#if TC_HAS_SM100A
        case GATHER4_CLUSTER:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, , , L2::cache_hint, to, t,
                                    (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), bar, policy);
            TC_CP_ASYNC_BULK_PREFETCH_TENSOR(2d, tile::gather4, , t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]));
            break;
        case GATHER4_GROUP:
            TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile::gather4, multicast::cluster, 1, , to, t,
                                    (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), bar, mask);
            break;
        case IM2COL_W128_4:
            TC_CP_ASYNC_BULK_TENSOR(4d, shared::cta, im2col::w::128, , 1, , to, t,
                                    (q.c[0], q.c[1], q.c[2], q.c[3]), bar, (q.w[0], q.w[1]));
            break;
        case IM2COL_W_CLUSTER_3:
            TC_CP_ASYNC_BULK_TENSOR(3d, shared::cluster, im2col::w, , , , to, t, (q.c[0], q.c[1], q.c[2]), bar,
                                    (q.w[0], q.w[1]));
            break;
        case IM2COL_W_5_ALL:
            TC_CP_ASYNC_BULK_TENSOR(5d, shared::cluster, im2col::w, multicast::cluster, 1, L2::cache_hint,
                                    to, t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), bar, (q.w[0], q.w[1]), mask,
                                    policy);
            TC_CP_ASYNC_BULK_PREFETCH_TENSOR(5d, im2col::w, , t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]),
                                             (q.w[0], q.w[1]));
            break;
#endif
        default: break;
        }
        TC_MBARRIER_WAIT(bar, 0, "box", 0);
    }
    __syncthreads();
    TC_MBARRIER_WAIT(bar, 0, "box", 0);
    for (uint32_t i = threadIdx.x; i < q.bytes; i += blockDim.x) out[i] = s[i];
#endif
}

/* The host's model of a copy: element (channel or column x, row r) of the box is the tensor's element at `at`, or the
 * fill. Only those bytes of a row are looked at that the box has; rows lie `pitch` apart, swizzled. */
typedef struct { int type, mode, padded; uint32_t inner, rows; int64_t at[1024];
                 /* first element of row r, in bits from the base; -1: outside */ } model;
static void check_box(const char *what, const model *m, const uint8_t *tensor, const uint8_t *got,
                      const uint8_t *row_valid, uint32_t columns_valid)
{
    const uint32_t bits = (uint32_t)tc_type_bits(m->type), pad = m->padded || bits == 6,
                   row = pad ? m->inner : m->inner * bits / 8;
    const uint32_t width = tc_swizzle_width(m->mode), pitch = width > row ? width : row;
    int bad = 0;
    uint32_t bad_r = 0, bad_x = 0, bad_got = 0, bad_want = 0;
    for (uint32_t r = 0; r < m->rows; r++)
        for (uint32_t x = 0; x < m->inner; x++) {
            /* padded: 16 elements stand in 16 bytes, packed from the first byte on */
            const uint64_t place = pad ? (uint64_t)(x / 16) * 128 + x % 16 * bits : (uint64_t)x * bits;
            const uint32_t byte = tc_swizzle(m->mode, r * pitch + (uint32_t)(place / 8)), shift = (uint32_t)(place % 8);
            uint64_t code = 0, want = 0;
            for (uint32_t i = 0; i * 8 < shift + bits; i++)
                code |= (uint64_t)got[tc_swizzle(m->mode, r * pitch + (uint32_t)(place / 8) + i)] << 8 * i;
            (void)byte;
            code = code >> shift & (bits < 64 ? (1ull << bits) - 1 : ~0ull);
            if (row_valid[r] && x < columns_valid) {
                const uint64_t from = (uint64_t)m->at[r] + (uint64_t)x * bits;
                for (uint32_t i = 0; i < bits; i++)
                    want |= (uint64_t)(tensor[(from + i) / 8] >> (from + i) % 8 & 1) << i;
            }
            /* a load by such a map rounds */
            if (m->type == TC_TF32) want = tc_tf32_from_f32(tc_f32_from_bits((uint32_t)want));
            if (code != want && !bad++) bad_r = r, bad_x = x, bad_got = (uint32_t)code, bad_want = (uint32_t)want;
        }
    CHECK(!bad, "%s: %d elements, the first is %u of row %u: %x, want %x", what, bad, bad_x, bad_r, bad_got, bad_want);
}

static void load(const tc_tmap *map, const copy *q, test_buffer *out)
{
    memset(out->host, 0, out->bytes);
    k_load<<<1, 128, 66 * 1024>>>(*map, *q, (unsigned char *)out->dev);
    test_buffer_down(out);
}

/* every type and swizzle in two dimensions, with both edges of the tensor in reach */
static void test_types(void)
{
    static const int types[] = {TC_U8, TC_E4M3, TC_U16, TC_U32, TC_S32, TC_U64, TC_S64, TC_F16, TC_BF16, TC_F32,
                                TC_TF32, TC_F64, TC_E2M1, TC_U4, TC_E2M3, TC_E3M2, TC_E2M1};
    static const int modes[] = {0, 32, 64, 128, TC_SWIZZLE_128B_ATOM_32B, TC_SWIZZLE_128B_ATOM_32B_FLIP_8B,
                                TC_SWIZZLE_128B_ATOM_64B};
    static const int forms[] = {TILE_2, TILE_2_DEFAULT, TILE_2_MULTI, TILE_2_MULTI_HINT, TILE_2_CTA};
    test_buffer tensor = test_buffer_make(256 * 1024), out = test_buffer_make(65536);
    random_bytes(&tensor);
    for (int t = 0; t < (int)(sizeof types / sizeof types[0]); t++)
        for (int k = 0; k < (int)(sizeof modes / sizeof modes[0]); k++) {
            const int type = types[t], bits = tc_type_bits(type), pad = bits == 6 || t == 16, mode = modes[k];
            const uint32_t width = mode ? tc_swizzle_width(mode) : 64, inner = pad ? 128 : width * 8 / (uint32_t)bits;
            tc_tmap_desc d;
            tc_tmap map;
            copy q;
            static model m;
            uint8_t valid[1024];
            char what[128];
            if (!has100 && (bits < 8 || mode > 128)) continue;
            if (pad && mode != 0 && mode != 128 && mode != TC_SWIZZLE_128B_ATOM_32B) continue;
            if (pad && mode == 0 && test_int(0, 1)) continue;
            memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
            d.type = type, d.rank = 2, d.base = tensor.dev, d.padded = t == 16;
            d.dim[0] = pad ? 256 : (uint64_t)inner * 2 - (bits < 32 ? 2 : 1), d.dim[1] = 40;
            d.stride[0] = 1024, d.box[0] = inner, d.box[1] = 24, d.swizzle = mode;
            const tc_status st = tc_tmap_encode(&map, &d);
            CHECK(st == TC_OK, "map of %s, swizzle %d: %s", tc_type_name(type), mode, tc_why());
            if (st != TC_OK) continue;
            /* sm_120 loads packed types into shared::cta only */
            q.form = has100 && !has100a && bits < 8 ? TILE_2_CTA : forms[test_int(0, 4)];
            q.c[0] = pad ? 128 : test_int(0, 1) ? (int)inner : 0;
            q.c[1] = test_int(-5, 30);
            m.type = type, m.mode = mode, m.padded = t == 16, m.inner = inner, m.rows = 24;
            const uint32_t row = pad ? inner : inner * (uint32_t)bits / 8;
            q.bytes = 24 * (tc_swizzle_width(mode) > row ? tc_swizzle_width(mode) : row);
            q.came = pad ? 24 * inner * (uint32_t)bits / 8 : 0;
            for (int r = 0; r < 24; r++) {
                valid[r] = q.c[1] + r >= 0 && q.c[1] + r < 40;
                m.at[r] = (int64_t)(q.c[1] + r) * 1024 * 8 + (int64_t)q.c[0] * bits;
            }
            load(&map, &q, &out);
            snprintf(what, sizeof what, "box of %s%s, swizzle %d, form %d, at (%d, %d)", tc_type_name(type),
                     pad ? " padded" : "", mode, q.form, q.c[0], q.c[1]);
            check_box(what, &m, (const uint8_t *)tensor.host, (const uint8_t *)out.host, valid,
                      (uint32_t)((int64_t)d.dim[0] - q.c[0] < inner ? (int64_t)d.dim[0] - q.c[0] : inner));
        }
    test_buffer_drop(&tensor), test_buffer_drop(&out);
}

/* other dimensions, and gather4 */
static void test_tiles(void)
{
    test_buffer tensor = test_buffer_make(512 * 1024), out = test_buffer_make(65536);
    random_bytes(&tensor);
    for (int n = 0; n < 40; n++) {
        static const int forms[] = {TILE_1, TILE_2, TILE_3, TILE_4, TILE_5, TILE_3_HINT};
        const int form = forms[n % 6], rank = form == TILE_3_HINT ? 3 : form - TILE_1 + 1;
        tc_tmap_desc d;
        tc_tmap map;
        copy q;
        static model m;
        uint8_t valid[1024];
        uint32_t rows = 1;
        memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
        d.type = TC_BF16, d.rank = rank, d.base = tensor.dev, d.swizzle = 64;
        for (int i = 0; i < 5; i++)
            d.dim[i] = i ? (uint64_t)test_int(3, 7) : 61, d.box[i] = i ? (uint32_t)test_int(1, 4) : 32;
        for (int i = 0; i < 4; i++) d.stride[i] = i ? d.stride[i - 1] * 7 : 128;
        q.form = form;
        CHECK(tc_tmap_encode(&map, &d) == TC_OK, "%s", tc_why());
        for (int i = 0; i < rank; i++) q.c[i] = i ? test_int(-2, 5) : 8 * test_int(-1, 5);
        for (int i = 1; i < rank; i++) rows *= d.box[i];
        m.type = TC_BF16, m.mode = 64, m.padded = 0, m.inner = 32, m.rows = rows;
        /* negative columns: the model shifts the row, so only the right edge is left to columns_valid */
        if (q.c[0] < 0) q.c[0] = 0;
        for (uint32_t r = 0; r < rows; r++) {
            uint32_t rest = r;
            int64_t at = (int64_t)q.c[0] * 16;
            valid[r] = 1;
            for (int i = 1; i < rank; i++) {
                const int x = q.c[i] + (int)(rest % d.box[i]);
                rest /= d.box[i];
                if (x < 0 || x >= (int)d.dim[i]) valid[r] = 0;
                at += (int64_t)x * (int64_t)d.stride[i - 1] * 8;
            }
            m.at[r] = at;
        }
        q.bytes = rows * 64;
        load(&map, &q, &out);
        check_box("tile", &m, (const uint8_t *)tensor.host, (const uint8_t *)out.host, valid,
                  (uint32_t)(61 - q.c[0] < 32 ? 61 - q.c[0] : 32));
    }
    for (int n = 0; n < 12 && has100; n++) {
        static const int forms[] = {GATHER4, GATHER4_CLUSTER, GATHER4_GROUP};
        tc_tmap_desc d;
        tc_tmap map;
        copy q;
        static model m;
        uint8_t valid[1024];
        memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
        d.type = TC_F16, d.rank = 2, d.base = tensor.dev, d.swizzle = 128, d.dim[0] = 128, d.dim[1] = 100,
            d.stride[0] = 256, d.box[0] = 64, d.box[1] = 1;
        q.form = forms[has100a ? n % 3 : 0], q.bytes = 512, q.c[0] = n % 2 * 64;
        CHECK(tc_tmap_encode(&map, &d) == TC_OK, "%s", tc_why());
        m.type = TC_F16, m.mode = 128, m.padded = 0, m.inner = 64, m.rows = 4;
        for (int r = 0; r < 4; r++) {
            q.c[1 + r] = test_int(-2, 105);
            valid[r] = q.c[1 + r] >= 0 && q.c[1 + r] < 100;
            m.at[r] = ((int64_t)q.c[1 + r] * 256 + q.c[0] * 2) * 8;
        }
        load(&map, &q, &out);
        check_box("gather4", &m, (const uint8_t *)tensor.host, (const uint8_t *)out.host, valid, 64);
    }
    test_buffer_drop(&tensor), test_buffer_drop(&out);
}

/* im2col: a 3x3 (3x3x3, 3) filter over {C, W, H, D, N}; pixels go on from row to row of the bounding box, and from
 * image to image */
static void test_im2col(void)
{
    test_buffer tensor = test_buffer_make(512 * 1024), out = test_buffer_make(65536);
    random_bytes(&tensor);
    for (int n = 0; n < 24; n++) {
        static const int forms[] = {IM2COL_3, IM2COL_4, IM2COL_5, IM2COL_4_ALL};
        const int form = forms[n % 4], rank = form == IM2COL_4_ALL ? 4 : form - IM2COL_3 + 3, space = rank - 2;
        tc_tmap_im2col_desc d;
        tc_tmap map;
        copy q;
        static model m;
        uint8_t valid[1024];
        memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
        d.type = TC_F16, d.rank = rank, d.base = tensor.dev, d.channels = 32, d.pixels = (uint32_t)test_int(1, 40),
            d.swizzle = 64;
        d.dim[0] = 64, d.dim[rank - 1] = 3;
        for (int i = 1; i <= space; i++) d.dim[i] = (uint64_t)test_int(4, 7), d.lower[i - 1] = -1, d.upper[i - 1] = -1;
        for (int i = 0; i < rank - 1; i++) d.stride[i] = i ? d.stride[i - 1] * d.dim[i] : 128;
        CHECK(tc_tmap_im2col_encode(&map, &d) == TC_OK, "%s", tc_why());
        q.form = form, q.bytes = d.pixels * 64, q.c[0] = test_int(0, 1) * 32;
        for (int i = 1; i <= space; i++) q.c[i] = test_int(-1, (int)d.dim[i] - 2), q.w[i - 1] = test_int(0, 2);
        q.c[rank - 1] = test_int(0, 1);
        m.type = TC_F16, m.mode = 64, m.padded = 0, m.inner = 32, m.rows = d.pixels;
        int at[5];
        memcpy(at, q.c, sizeof at);
        for (uint32_t r = 0; r < d.pixels; r++) {
            int64_t byte = (int64_t)q.c[0] * 2 + (int64_t)at[rank - 1] * (int64_t)d.stride[rank - 2];
            valid[r] = at[rank - 1] >= 0 && at[rank - 1] < 3;
            for (int i = 1; i <= space; i++) {
                const int x = at[i] + q.w[i - 1];
                if (x < 0 || x >= (int)d.dim[i]) valid[r] = 0;
                byte += (int64_t)x * (int64_t)d.stride[i - 1];
            }
            m.at[r] = byte * 8;
            for (int i = 1; i < rank; i++) { /* the next pixel of the bounding box: from lower to dim - 1 + upper */
                at[i]++;
                if (i == rank - 1 || at[i] <= (int)d.dim[i] - 1 + d.upper[i - 1]) break;
                at[i] = d.lower[i - 1];
            }
        }
        load(&map, &q, &out);
        check_box("im2col", &m, (const uint8_t *)tensor.host, (const uint8_t *)out.host, valid, 32);
    }
    test_buffer_drop(&tensor), test_buffer_drop(&out);
}

/* the wide forms: that each runs and fills what it says it fills; their geometry is tcemu's and the manual's
 * business */
static void test_im2col_w(void)
{
    test_buffer tensor = test_buffer_make(512 * 1024), out = test_buffer_make(65536);
    random_bytes(&tensor);
    for (int form = IM2COL_W_4; form <= IM2COL_W_5_ALL; form++) {
        tc_tmap_im2col_desc d;
        tc_tmap map;
        copy q;
        const int rank = form == IM2COL_W_CLUSTER_3 ? 3 : form == IM2COL_W_5_ALL ? 5 : 4;
        memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
        if (form != IM2COL_W_4 && !has100a) continue;
        d.type = TC_F16, d.rank = rank, d.base = tensor.dev, d.channels = 64, d.swizzle = 128,
            d.mode = form == IM2COL_W128_4 ? TC_IM2COL_W128 : TC_IM2COL_W;
        d.pixels = form == IM2COL_W128_4 ? 0 : 16;
        d.dim[0] = 64;
        for (int i = 1; i < rank; i++) d.dim[i] = i == 1 ? 20 : 3;
        for (int i = 0; i < rank - 1; i++) d.stride[i] = i ? d.stride[i - 1] * d.dim[i] : 128;
        CHECK(tc_tmap_im2col_encode(&map, &d) == TC_OK, "%s", tc_why());
        q.form = form, q.bytes = (form == IM2COL_W128_4 ? 128 : 16) * 128;
        load(&map, &q, &out);
        /* the first 16 pixels are those of row 0, from pixel 0 on, all channels */
        int bad = 0;
        for (uint32_t i = 0; i < 16 * 128; i++)
            bad += ((uint8_t *)out.host)[tc_swizzle_128B(i)] != ((uint8_t *)tensor.host)[i];
        CHECK(!bad, "im2col::w, form %d: %d bytes", form, bad);
    }
    test_buffer_drop(&tensor), test_buffer_drop(&out);
}

/* ---- stores and reductions; scatter4 ---- */
enum { STORE, STORE_DEFAULT_HINT, SCATTER4, RED_ADD, RED_MIN, RED_MAX, RED_AND, RED_OR, RED_XOR, RED_INC, RED_DEC,
       STORES };
__global__ void k_store(const __grid_constant__ tc_tmap map, copy q, const uint32_t *in)
{
#if TC_HAS_SM90
    unsigned char *s = smem_base();
    const uint32_t from = tc_smem_u32(s);
    const tc_tmap *t = &map;
    for (uint32_t i = threadIdx.x; i < q.bytes / 4; i += blockDim.x) ((uint32_t *)s)[i] = in[i];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint64_t policy = tc_createpolicy_evict_first();
        switch (q.form) {
        case STORE: TC_CP_ASYNC_BULK_TENSOR_STORE(2d, tile, , t, (q.c[0], q.c[1]), from); break;
        case STORE_DEFAULT_HINT:
            TC_CP_ASYNC_BULK_TENSOR_STORE(2d, , L2::cache_hint, t, (q.c[0], q.c[1]), from, policy); break;
#if TC_HAS_SM100A
        case SCATTER4:
            TC_CP_ASYNC_BULK_TENSOR_STORE(2d, tile::scatter4, , t, (q.c[0], q.c[1], q.c[2], q.c[3], q.c[4]), from);
            break;
#endif
        case RED_ADD:
            TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, add, tile, L2::cache_hint, t, (q.c[0], q.c[1]), from, policy); break;
        case RED_MIN: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, min, , , t, (q.c[0], q.c[1]), from); break;
        case RED_MAX: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, max, tile, , t, (q.c[0], q.c[1]), from); break;
        case RED_AND: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, and, tile, , t, (q.c[0], q.c[1]), from); break;
        case RED_OR: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, or, tile, , t, (q.c[0], q.c[1]), from); break;
        case RED_XOR: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, xor, tile, , t, (q.c[0], q.c[1]), from); break;
        case RED_INC: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, inc, tile, , t, (q.c[0], q.c[1]), from); break;
        case RED_DEC: TC_CP_REDUCE_ASYNC_BULK_TENSOR(2d, dec, tile, , t, (q.c[0], q.c[1]), from); break;
        default: break;
        }
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
#endif
}

static void test_stores(void)
{
    static const int as[STORES] = {-1, -1, -1, 6, 11, 12, 0, 1, 2, 9, 10};
    test_buffer tensor = test_buffer_make(64 * 256), in = test_buffer_make(4096);
    for (int form = 0; form < STORES; form++) {
        tc_tmap_desc d;
        tc_tmap map;
        copy q;
        int bad = 0;
        if (form == SCATTER4 && !has100a) continue;
        memset(&d, 0, sizeof d), memset(&q, 0, sizeof q);
        random_bytes(&tensor), random_bytes(&in);
        uint32_t *before = (uint32_t *)malloc(tensor.bytes);
        memcpy(before, tensor.host, tensor.bytes);
        d.type = TC_U32, d.rank = 2, d.base = tensor.dev, d.swizzle = 128, d.dim[0] = 64, d.dim[1] = 60,
            d.stride[0] = 256, d.box[0] = 32, d.box[1] = form == SCATTER4 ? 1 : 8;
        /* the last four rows are outside */
        q.form = form, q.c[0] = 32, q.c[1] = 56, q.bytes = form == SCATTER4 ? 512 : 1024;
        if (form == SCATTER4) q.c[1] = 7, q.c[2] = 59, q.c[3] = 0, q.c[4] = 63;
        CHECK(tc_tmap_encode(&map, &d) == TC_OK, "%s", tc_why());
        k_store<<<1, 128, 66 * 1024>>>(map, q, (const uint32_t *)in.dev);
        test_buffer_down(&tensor);
        for (int y = 0; y < 64; y++)
            for (int x = 0; x < 64; x++) {
                int r = form == SCATTER4 ? -1 : y - 56;
                uint32_t want = before[y * 64 + x];
                if (form == SCATTER4) for (int k = 0; k < 4; k++) if (q.c[1 + k] == y) r = k;
                if (x >= 32 && y < 60 && r >= 0) {
                    const uint32_t from =
                        ((uint32_t *)in.host)[tc_swizzle_128B((uint32_t)r * 128 + (uint32_t)(x - 32) * 4) / 4];
                    want = as[form] < 0 ? from : (uint32_t)reduced(as[form], want, from);
                }
                bad += ((uint32_t *)tensor.host)[y * 64 + x] != want;
            }
        CHECK(!bad, "store or reduction %d: %d elements", form, bad);
        free(before);
    }
    test_buffer_drop(&tensor), test_buffer_drop(&in);
}

/* ---- tensormap.replace: a map for one tensor becomes one for another, in shared memory; then the copy of that box
 * ---- */
__global__ void k_replace(const __grid_constant__ tc_tmap map, tc_tmap *scratch, const void *base, uint64_t dim0,
                          uint64_t dim1, uint64_t stride, uint32_t box0, uint32_t box1, unsigned char *out, int way)
{
#if TC_HAS_ANY_A
    __shared__ TC_ALIGN(128) tc_tmap m;
    unsigned char *s = smem_base();
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word), at = tc_smem_u32(&m);
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
    }
    if (way == 0) {
        if (threadIdx.x < 16) m.opaque[threadIdx.x] = map.opaque[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) {
            TC_TENSORMAP_REPLACE(global_address, shared::cta, at, base);
            TC_TENSORMAP_REPLACE(rank, shared::cta, at, 1);
            TC_TENSORMAP_REPLACE(global_dim, shared::cta, at, 0, (uint32_t)dim0);
            TC_TENSORMAP_REPLACE(global_dim, shared::cta, at, 1, (uint32_t)dim1);
            TC_TENSORMAP_REPLACE(global_stride, shared::cta, at, 0, stride);
            TC_TENSORMAP_REPLACE(box_dim, shared::cta, at, 0, box0);
            TC_TENSORMAP_REPLACE(box_dim, shared::cta, at, 1, box1);
            TC_TENSORMAP_REPLACE(element_stride, shared::cta, at, 0, 1);
            TC_TENSORMAP_REPLACE(element_stride, shared::cta, at, 1, 1);
            TC_TENSORMAP_REPLACE(elemtype, shared::cta, at, 1);
            TC_TENSORMAP_REPLACE(interleave_layout, shared::cta, at, 0);
            TC_TENSORMAP_REPLACE(swizzle_mode, shared::cta, at, 2);
            TC_TENSORMAP_REPLACE(fill_mode, shared::cta, at, 0);
        }
        __syncwarp();
        TC_TENSORMAP_CP_FENCEPROXY(.gpu, scratch, at);
    } else {
        if (threadIdx.x < 16) scratch->opaque[threadIdx.x] = map.opaque[threadIdx.x];
        __syncwarp();
        if (threadIdx.x == 0) {
            TC_TENSORMAP_REPLACE(global_address, global, scratch, base);
            TC_TENSORMAP_REPLACE(global_dim, , scratch, 0, (uint32_t)dim0);
            TC_TENSORMAP_REPLACE(global_dim, global, scratch, 1, (uint32_t)dim1);
            TC_TENSORMAP_REPLACE(global_stride, , scratch, 0, stride);
            TC_TENSORMAP_REPLACE(box_dim, global, scratch, 0, box0);
            TC_TENSORMAP_REPLACE(box_dim, , scratch, 1, box1);
            TC_TENSORMAP_REPLACE(elemtype, global, scratch, 1);
            TC_TENSORMAP_REPLACE(swizzle_mode, global, scratch, 2);
            TC_FENCE(.proxy.tensormap::generic.release.gpu);
        }
        __syncwarp();
    }
    if (threadIdx.x == 0) {
        TC_FENCE_PROXY_TENSORMAP_ACQUIRE(.gpu, scratch);
        tc_mbarrier_arrive_expect_tx(bar, 64 * box1);
        TC_CP_ASYNC_BULK_TENSOR(2d, shared::cluster, tile, , , , tc_smem_u32(s), scratch, (0, 1), bar);
    }
    __syncthreads();
    TC_MBARRIER_WAIT(bar, 0, "box", 0);
    for (uint32_t i = threadIdx.x; i < 64 * box1; i += blockDim.x) out[i] = s[i];
#endif
}

static void test_replace(void)
{
    test_buffer tensor = test_buffer_make(16384), other = test_buffer_make(16384), out = test_buffer_make(4096),
                scratch = test_buffer_make(256);
    for (int way = 0; way < 2; way++) {
        tc_tmap_desc d;
        tc_tmap map;
        static model m;
        uint8_t valid[1024];
        memset(&d, 0, sizeof d);
        random_bytes(&tensor), random_bytes(&other);
        d.type = TC_U8, d.rank = 2, d.base = other.dev, d.dim[0] = 100, d.dim[1] = 3, d.stride[0] = 112, d.box[0] = 16,
            d.box[1] = 2;
        CHECK(tc_tmap_encode(&map, &d) == TC_OK, "%s", tc_why());
        k_replace<<<1, 32, 66 * 1024>>>(map, (tc_tmap *)scratch.dev, tensor.dev, 30, 10, 256, 32, 12,
                                        (unsigned char *)out.dev, way);
        test_buffer_down(&out);
        m.type = TC_U16, m.mode = 64, m.padded = 0, m.inner = 32, m.rows = 12;
        for (int r = 0; r < 12; r++) valid[r] = 1 + r < 10, m.at[r] = (int64_t)(1 + r) * 256 * 8;
        check_box(way ? "a map replaced in global memory" : "a map replaced in shared memory", &m,
                  (const uint8_t *)tensor.host, (const uint8_t *)out.host, valid, 30);
    }
    test_buffer_drop(&tensor), test_buffer_drop(&other), test_buffer_drop(&out), test_buffer_drop(&scratch);
}

/* ---- clusterlaunchcontrol: blocks take over others until none is left; each block's number must be counted once
 * ---- */
__global__ void k_clc(uint32_t *seen)
{
#if TC_HAS_SM100
    __shared__ TC_ALIGN(16) uint64_t answer[2];
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word), at = tc_smem_u32(answer);
    uint32_t me = blockIdx.x, phase = 0;
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
    }
    __syncthreads();
    for (;;) {
        if (threadIdx.x == 0) {
            tc_fence_proxy_async_shared();
            tc_mbarrier_arrive_expect_tx(bar, 16);
            if (phase & 1) TC_CLUSTERLAUNCHCONTROL_TRY_CANCEL(, answer, &word);
            else tc_clusterlaunchcontrol_try_cancel(at, bar);
            atomicAdd(&seen[me], 1);
        }
        TC_MBARRIER_WAIT(bar, phase & 1, "answer", 0);
        const uint64_t low = answer[0], high = answer[1];
        __syncthreads();
        if (!tc_clusterlaunchcontrol_is_canceled(low, high)) break;
        uint32_t xyz[3];
        tc_clusterlaunchcontrol_first_ctaid(xyz, low, high);
        me = xyz[0] == tc_clusterlaunchcontrol_first_ctaid_x(low, high)
            && xyz[1] == tc_clusterlaunchcontrol_first_ctaid_y(low, high) &&
             xyz[2] == tc_clusterlaunchcontrol_first_ctaid_z(low, high) ? xyz[0] : 0;
        phase++;
    }
#endif
}

/* ---- host: maps ---- */
static unsigned char room[256] TC_ALIGN(64);
static tc_tmap_im2col_desc good_im2col(void)
{
    tc_tmap_im2col_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_F16, d.rank = 4, d.base = room, d.dim[0] = 64, d.dim[1] = 20, d.dim[2] = 10, d.dim[3] = 2;
    d.stride[0] = 128, d.stride[1] = 2560, d.stride[2] = 25600, d.channels = 64, d.pixels = 32, d.swizzle = 128;
    d.lower[0] = d.lower[1] = d.upper[0] = d.upper[1] = -1;
    return d;
}
static tc_tmap_desc good_tiled(void)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_E2M1, d.rank = 2, d.base = room, d.dim[0] = 256, d.dim[1] = 100, d.stride[0] = 128, d.box[0] = 256,
        d.box[1] = 64, d.swizzle = 128;
    return d;
}
#define REFUSED(kind, check, text, ...)                                                                               \
    do {                                                                                                              \
        kind##_desc d = good_##check();                                                                               \
        __VA_ARGS__;                                                                                                  \
        CHECK(kind##_check(&d) == TC_ERR_TMAP, "%s: taken", text);                                                    \
        CHECK(strstr(tc_why(), text) != 0, "\"%s\" lacks \"%s\"", tc_why(), text);                                    \
    } while (0)
#define I(text, ...) REFUSED(tc_tmap_im2col, im2col, text, __VA_ARGS__)
#define T(text, ...) REFUSED(tc_tmap, tiled, text, __VA_ARGS__)

static void test_host(void)
{
    char text[512];
    tc_tmap_im2col_desc i = good_im2col();
    tc_tmap_desc t = good_tiled();
    CHECK(tc_tmap_im2col_check(&i) == TC_OK, "%s", tc_why());
    CHECK(tc_tmap_check(&t) == TC_OK, "%s", tc_why());
    I("rank = 2 is not in 3..5", d.rank = 2);
    I("type = 0", d.type = 0);
    I("lower[1] (H) = -129 is not in -128..127", d.lower[1] = -129);
    I("upper[0] (W) = 128 is not in -128..127", d.upper[0] = 128);
    I("the bounding box is empty in H", d.upper[1] = -11);
    I("channels = 0 is not in 1..256", d.channels = 0);
    I("channels = 12 elements = 24 bytes is not a multiple of 16", d.channels = 12);
    I("channels = 128 elements = 256 bytes is wider than the 128-byte swizzle", d.channels = 128);
    I("pixels = 1025 is not in 1..1024", d.pixels = 1025);
    I("mode = 3", d.mode = 3);
    I("swizzle = 32, but the wide modes", d.mode = TC_IM2COL_W; d.swizzle = 32; d.channels = 16);
    I("interleave = 16, but the wide modes", d.mode = TC_IM2COL_W; d.interleave = 16);
    I("TC_IM2COL_W128 has 128", d.mode = TC_IM2COL_W128);
    I("dim[2] = 0", d.dim[2] = 0; d.upper[1] = 5);
    I("stride[1] = 2561", d.stride[1] = 2561);
    T("dim[0] = 255 is odd", d.dim[0] = 255);
    T("oob_nan = 1 needs a floating-point map type, not e2m1", d.oob_nan = 1);
    T("padded = 1 needs a type of 4 or 6 bits, not bf16", d.type = TC_BF16; d.padded = 1);
    T("ftz = 1 needs f32 or tf32", d.ftz = 1);
    T("dim[0] = 250 is not a multiple of 128", d.padded = 1; d.dim[0] = 250; d.box[0] = 128);
    T("box[0] = 256, but a padded map of e2m1 needs 128", d.padded = 1);
    T("box[0] = 256, but a padded map of e3m2 needs 128", d.type = TC_E3M2);
    T("is not a multiple of 32 bytes", d.padded = 1; d.box[0] = 128; d.base = room + 16);
    T("stride[0] = 144 bytes is not a multiple of 32", d.padded = 1; d.box[0] = 128; d.stride[0] = 144);
    T("swizzle = 64, but a padded map of e2m1 has 0, 128 and TC_SWIZZLE_128B_ATOM_32B", d.padded = 1; d.box[0] = 128;
      d.swizzle = 64);
    T("interleave = 16, but e2m3 has no interleaved layout", d.type = TC_E2M3; d.box[0] = 128; d.interleave = 16;
      d.rank = 3; d.dim[2] = d.box[2] = 1);
    T("swizzle = 96", d.swizzle = 96);
    tc_tmap_text(text, sizeof text, &t);
    CHECK(strstr(text, "tiled map of e2m1 at ") == text
          && strstr(text,
                    ": 256 x 100 elements with strides of 128 bytes; box 256 x 64 = 8192 bytes in rows of 128, "
                    "128-byte swizzle, tile at a " "multiple of 1024, out of bounds reads 0"), "%s", text);
    t = good_tiled(), t.type = TC_E3M2, t.box[0] = 128, t.swizzle = TC_SWIZZLE_128B_ATOM_32B, t.elem_stride[1] = 2,
    t.l2_promotion = 256;
    tc_tmap_text(text, sizeof text, &t);
    CHECK(strstr(text,
                 "box 128 x 64 = 4096 bytes in rows of 128, 128-byte swizzle of 32-byte atoms, tile at a multiple of "
                 "512, 16 elements padded to 16 bytes, element strides 1 x 2, L2 " "fetches 256 bytes"), "%s", text);
    tc_tmap_im2col_text(text, sizeof text, &i);
    CHECK(strstr(text, "im2col map of f16 at ") == text
          && strstr(text,
                    "; taps W from -1 to 18, H from -1 to 8; 64 channels of 32 pixels = 4096 bytes in rows of 128, "
                    "128-byte swizzle"), "%s", text);
    tc_tmap_text(text, 6, &t);
    CHECK(!strcmp(text, "tiled"), "cut: %s", text);
}

int main(void)
{
    int has = 0, *dhas;
    test_host();
    if (!test_device()) {
        SKIP("the device: none here");
        return test_end();
    }
    CUDA_CHECK(cudaMalloc(&dhas, 4));
    k_has<<<1, 1>>>(dhas);
    CUDA_CHECK(cudaMemcpy(&has, dhas, 4, cudaMemcpyDeviceToHost));
    has90 = has & 1, has_any_a = has >> 1 & 1, has100 = has >> 2 & 1, has100a = has >> 3 & 1;
    {
        test_buffer p = test_buffer_make(4096), out = test_buffer_make(4096);
        random_bytes(&p);
        k_memory<<<1, 1>>>((uint32_t *)p.dev, (uint32_t *)out.dev);
        test_buffer_down(&out);
        const uint32_t *x = (const uint32_t *)p.host, *o = (const uint32_t *)out.host;
        CHECK(!memcmp(o, x, 16) && !memcmp(o + 4, x + 2, 8) && o[6] == x[3] && !memcmp(o + 8, x + 4, 16)
              && !memcmp(o + 12, x + 8, 8) && !memcmp(o + 16, x + 8, 16) && !memcmp(o + 20, x + 14, 8)
              && !memcmp(o + 24, x + 16, 32), "loads and stores with policies");
        if (has100) {
            CHECK(!memcmp(o + 32, x + 32, 64), "32 bytes at a time");
            CHECK(o[48] == x[48] && o[49] == x[49] && o[50] == x[50] && o[51] == x[51] && o[52] == (x[48] & 0xffff)
                  && o[53] == (x[53] & 0xff), "st.async to global memory");
            CHECK(o[54] == 5 && o[56] == 7 && o[57] == 0, "red.async on global memory");
            for (int i = 0; i < 32; i++)
                CHECK(o[64 + i] == (i >= 4 && i < 20 ? 0u : 5u), "st.bulk, word %d: %u", i, o[64 + i]);
        } else SKIP("32 bytes at a time, st.async to global memory, st.bulk, clusterlaunchcontrol: need sm_100");
        test_buffer_drop(&p), test_buffer_drop(&out);
    }
    if (!has90) {
        SKIP("mbarrier with every qualifier, clusters, bulk and tensor copies: need sm_90");
        return test_end();
    }
    {
        test_buffer out = test_buffer_make(64);
        k_mbarrier<<<1, 1>>>((uint32_t *)out.dev);
        test_buffer_down(&out);
        for (int i = 0; i < 16; i++)
            CHECK(((uint32_t *)out.host)[i] == mbarrier_want[i], "mbarrier, step %d: %u, want %u", i,
                  ((uint32_t *)out.host)[i], mbarrier_want[i]);
        test_buffer_drop(&out);
    }
    {
        test_buffer out = test_buffer_make(4 * CLUSTER_OUT * 4);
        k_cluster<<<4, 128>>>((uint32_t *)out.dev);
        test_buffer_down(&out);
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 27; i++)
                CHECK(((uint32_t *)out.host)[b * CLUSTER_OUT + i] == 1, "cluster, block %d, check %d", b, i);
        test_buffer_drop(&out);
    }
    {
        test_buffer in = test_buffer_make(1024), out = test_buffer_make(4096);
        random_bytes(&in), random_bytes(&out);
        uint8_t before[4096];
        memcpy(before, out.host, sizeof before);
        k_bulk<<<1, 32>>>((const unsigned char *)in.dev, (unsigned char *)out.dev);
        test_buffer_down(&out);
        const uint8_t *x = (const uint8_t *)in.host, *o = (const uint8_t *)out.host;
        CHECK(!memcmp(o, x, 1024), "bulk copies");
        for (int i = 0; i < 256 && has100; i++) {
            const int kept = (i < 128 ? 0x00f3 : 0x8001) >> i % 16 & 1;
            CHECK(o[1024 + i] == (kept ? x[i % 128] : before[1024 + i]), "byte mask, byte %d", i);
        }
        for (int i = 0; i < 20; i++) {
            const int wide = (i >= 3 && i <= 5) || i == 8 || (i >= 15 && i <= 18), size = wide ? 8 : 4;
            for (int k = 0; k < 16; k += size) {
                uint64_t old = 0, with = 0, got = 0;
                memcpy(&old, before + 2048 + 16 * i + k, (size_t)size), memcpy(&with, x + 16 * i + k, (size_t)size),
                    memcpy(&got, o + 2048 + 16 * i + k, (size_t)size);
                CHECK(got == reduced(i, old, with), "bulk reduction %d: %llx and %llx give %llx", i,
                      (unsigned long long)old, (unsigned long long)with, (unsigned long long)got);
            }
        }
        test_buffer_drop(&in), test_buffer_drop(&out);
    }
    CUDA_CHECK(cudaFuncSetAttribute((const void *)k_load, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 * 1024));
    CUDA_CHECK(cudaFuncSetAttribute((const void *)k_store, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 * 1024));
    CUDA_CHECK(cudaFuncSetAttribute((const void *)k_replace, cudaFuncAttributeMaxDynamicSharedMemorySize, 66 * 1024));
    for (int round = 0; round < 4; round++) test_types();
    test_tiles();
    test_im2col();
    test_stores();
    if (has_any_a) test_replace();
    else SKIP("tensormap.replace: needs an a or f target");
    if (has100) {
        test_buffer seen = test_buffer_make(64 * 4);
        test_im2col_w();
        k_clc<<<64, 32>>>((uint32_t *)seen.dev);
        test_buffer_down(&seen);
        for (int i = 0; i < 64; i++)
            CHECK(((uint32_t *)seen.host)[i] == 1, "clusterlaunchcontrol: block %d was done %u times", i,
                  ((uint32_t *)seen.host)[i]);
        test_buffer_drop(&seen);
    }
    if (!has100) SKIP("packed types, atoms of 32 and 64 bytes: need sm_100");
    if (!has100a) SKIP("gather4 and wide im2col into shared::cluster, scatter4: need sm_100a");
    return test_end();
}
