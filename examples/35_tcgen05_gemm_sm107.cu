/* 35_tcgen05_gemm_sm107.cu - the GEMM of example 30 for Rubin (sm_107a): the longer K, B kept in the collector, more
 * than 256 KB of shared memory, 576 columns of tensor memory. CUDA 13.4 or later compiles its kernels.
 *
 * D (m x n) = A (m x k) * B (n rows of k), f32 accumulation: e4m3, and e2m1 with a scale of ue4m3 for each 16 elements
 * (nvfp4). Read example 30 first; what is new:
 *
 *   1 An instruction takes 64 bytes of K of each row, not 32: 64 e4m3, 128 e2m1. One with the old K takes as many
 *     cycles. Three things go together: .k in the instruction's descriptor, the step of the operands' descriptors (+
 *     4), and as many factors: eight of nvfp4, two words of tensor memory.
 *   2 A tile is 256 x 256, by one block: two accumulators, one below the other. Both need the same B. The mma for
 *     the upper one leaves it in the collector (collector::b::fill), the lower one's finds it there (::lastuse):
 *     shared memory is read three times where it would be four. It is a permission: B stays in its slot until both are
 *     done.
 *   3 That is 512 columns; nvfp4's factors have 64 more: all 576, which tcgen05.alloc.exclusive alone gives.
 *   4 The rings have four slots of 64 KB and nvfp4's factors: more than 256 KB. Descriptors have 15 bits for an
 *     address there (tc_tcgen05_desc knows); the factors lie below, since tcgen05.cp was reported not to find them
 *     above 256 KB. The host must allow so much: cudaFuncAttributeSharedMemoryMode.
 *   5 A has a ring of its own, B and the factors another. An mma has read A from shared memory before it is done, and a
 *     commit with .sync_restrict::shared::read::mma::a arrives then: the producer fills A anew while the mma still
 *     works. It speaks of A alone, so what holds B and factors waits for the usual commit.
 *   6 Where nvfp4's k ends in the middle of 64 bytes the last instruction has the old K: the factors behind the end
 *     are not there. e4m3 has zeros there, from TMA.
 *
 *     shared memory   0      32 KB         160 KB        288 KB      320 KB
 *                     | factors | A, 4 slots | B, 4 slots | stores   | barriers
 *     tensor memory   columns 0 .. 255 rows 0 .. 127, 256 .. 511 rows 128 .. 255, 512 .. factors of A, 544 .. of B
 *
 * Proven in tcemu and assembled by ptxas; it has not run on a GPU yet.
 */
#include "tcgen05_main.h"

enum {
    BM = 256, BN = 256, HALF = 128, A_STAGES = 4, B_STAGES = 4, THREADS = 192,
    A_BYTES = BM * 128, B_BYTES = BN * 128, STORE_BYTES = 32 * 128,
    SF_HALF = 4 * 512, SF_BYTES = 4 * SF_HALF, /* of a slot: 128 rows x 16 factors; A's two halves, B's two */
    SF_AT = 0, A_AT = SF_AT + B_STAGES * SF_BYTES, B_AT = A_AT + A_STAGES * A_BYTES,
    STORE_AT = B_AT + B_STAGES * B_BYTES, A_FULL_AT = STORE_AT + 4 * 2 * STORE_BYTES,
    A_EMPTY_AT = A_FULL_AT + A_STAGES * 8, B_FULL_AT = A_EMPTY_AT + A_STAGES * 8, B_EMPTY_AT = B_FULL_AT + B_STAGES * 8,
    DONE_AT = B_EMPTY_AT + B_STAGES * 8, FREE_AT = DONE_AT + 8, TMEM_AT = FREE_AT + 8, SMEM = TMEM_AT + 16,
    COLUMNS = 576, SFA_COLUMN = 512, SFB_COLUMN = 544
};

typedef struct params {
    tc_tmap a, b, d;
    const uint8_t *sfa, *sfb; /* nvfp4: blocks of 128 rows x 4 factors, 512 bytes */
    tc_tiles tiles;
    uint32_t steps; /* of 32 bytes of k */
    int m, n;
} params;

TC_TCGEN05_IDESC(IDESC_E4M3, .kind = TC_KIND_F8F6F4, .m = HALF, .n = BN, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
                 .sm107 = 1, .k = 64);
TC_TCGEN05_IDESC(IDESC_E2M1, .kind = TC_KIND_MXF4NVF4, .m = HALF, .n = BN, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                 .scale = TC_UE4M3, .block = 16, .sm107 = 1, .k = 128);
TC_TCGEN05_IDESC(IDESC_E2M1_END, .kind = TC_KIND_MXF4NVF4, .m = HALF, .n = BN, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                 .scale = TC_UE4M3, .block = 16, .sm107 = 1, .k = 64);

#if TC_HAS_SM107A && TC_PTX_ISA >= 94
/* Blocks of factors of 128 rows, row block `at`, to where they belong in a slot. */
TC_DEV void factors(const params *p, uint32_t to, const uint8_t *from, uint32_t at, uint32_t step, uint32_t full)
{
    const uint32_t count = p->steps - step < 4 ? p->steps - step : 4;
    tc_cp_async_bulk_g2s(to, from + (size_t)(at * p->steps + step) * 512, count * 512, full);
}

/* One thread: slot after slot, tile after tile. A first, whose slot is free first. */
TC_DEV void produce(const params *p, uint32_t smem, const int type)
{
    tc_ring a = {0, 0}, b = {0, 0};
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        /* halves of the tile that have rows of A, and of B; of factors there are no others */
        const uint32_t a_halves = (int)(t.m * BM) + HALF < p->m ? 2 : 1,
                       b_halves = (int)(t.n * BN) + HALF < p->n ? 2 : 1;
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint32_t a_full = smem + A_FULL_AT + a.stage * 8, full = smem + B_FULL_AT + b.stage * 8;
            const uint32_t sf = smem + SF_AT + b.stage * SF_BYTES;
            const uint32_t one = (p->steps - step < 4 ? p->steps - step : 4) * 512;
            TC_MBARRIER_WAIT(smem + A_EMPTY_AT + a.stage * 8, a.phase ^ 1, "A's empty", (int)a.stage);
            tc_mbarrier_arrive_expect_tx(a_full, A_BYTES);
            tc_cp_async_bulk_tensor_2d(smem + A_AT + a.stage * A_BYTES, &p->a, (int)step * 32, (int)t.m * BM, a_full);
            TC_MBARRIER_WAIT(smem + B_EMPTY_AT + b.stage * 8, b.phase ^ 1, "B's empty", (int)b.stage);
            tc_mbarrier_arrive_expect_tx(full, B_BYTES + (type == TC_E2M1 ? (a_halves + 2) * one : 0));
            tc_cp_async_bulk_tensor_2d(smem + B_AT + b.stage * B_BYTES, &p->b, (int)step * 32, (int)t.n * BN, full);
            /* columns of B that are not there are zeros times any */
            for (uint32_t h = 0; type == TC_E2M1 && h < 2; h++) {
                if (h < a_halves) factors(p, sf + h * SF_HALF, p->sfa, t.m * 2 + h, step, full);
                factors(p, sf + (2 + h) * SF_HALF, p->sfb, t.n * 2 + (h < b_halves ? h : 0), step, full);
            }
            tc_ring_next(&a, A_STAGES);
            tc_ring_next(&b, B_STAGES);
        }
    }
    /* The last commits about A must arrive before the block is gone, and no other barrier says that they have: what
     * waits for D has heard of the mmas. */
    for (int s = 0; s < A_STAGES; s++, tc_ring_next(&a, A_STAGES))
        TC_MBARRIER_WAIT(smem + A_EMPTY_AT + a.stage * 8, a.phase ^ 1, "A's last", (int)a.stage);
}

/* nvfp4: a slot's factors to tensor memory. Four columns a block of 128 rows x 4 factors; B's 256 columns have two of
 * them side by side. cp and mma of one thread are done in order: behind the mmas that still read the ones before. */
TC_DEV void copy_factors(uint32_t tmem, uint32_t smem, uint32_t a_halves, uint32_t blocks)
{
    for (uint32_t j = 0; j < blocks; j++)
        for (uint32_t h = 0; h < 2; h++) {
            const uint64_t a = tc_tcgen05_desc_scales(smem + h * SF_HALF + j * 512),
                           b = tc_tcgen05_desc_scales(smem + (2 + h) * SF_HALF + j * 512);
            if (h < a_halves) TC_TCGEN05_CP(1, 32x128b.warpx4, tmem + SFA_COLUMN + h * 16 + j * 4, a);
            TC_TCGEN05_CP(1, 32x128b.warpx4, tmem + SFB_COLUMN + j * 8 + h * 4, b);
        }
}

/* One thread: multiplies what the rings hold into the two accumulators. */
TC_DEV void multiply(const params *p, uint32_t smem, uint32_t tmem, const int type)
{
    tc_ring of_a = {0, 0}, of_b = {0, 0};
    uint32_t phase = 0;
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int both = (int)(t.m * BM) + HALF < p->m;
        TC_MBARRIER_WAIT(smem + FREE_AT, phase ^ 1, "free", 0);
        for (uint32_t step = 0; step < p->steps; step += 4) {
            const uint64_t a = tc_tcgen05_desc(smem + A_AT + of_a.stage * A_BYTES, 128),
                           b = tc_tcgen05_desc(smem + B_AT + of_b.stage * B_BYTES, 128);
            const uint64_t low = a + HALF * 128 / 16; /* rows 128 .. 255 */
            TC_MBARRIER_WAIT(smem + A_FULL_AT + of_a.stage * 8, of_a.phase, "A's full", (int)of_a.stage);
            TC_MBARRIER_WAIT(smem + B_FULL_AT + of_b.stage * 8, of_b.phase, "B's full", (int)of_b.stage);
            tc_tcgen05_fence_after_thread_sync(); /* behind other warps' tcgen05.ld of the accumulators */
            if (type == TC_E2M1)
                copy_factors(tmem, smem + SF_AT + of_b.stage * SF_BYTES, both ? 2 : 1,
                             p->steps - step < 4 ? p->steps - step : 4);
            /* + 4: 64 bytes further in the swizzled rows. The first overwrites D. */
            for (uint32_t j = 0; j < 2 && step + 2 * j < p->steps; j++) {
                const uint32_t add = step + j > 0, sfa = tmem + SFA_COLUMN + j * 8, sfb = tmem + SFB_COLUMN + j * 16;
                const uint32_t idesc = step + 2 * j + 1 < p->steps ? (uint32_t)IDESC_E2M1 : (uint32_t)IDESC_E2M1_END;
                if (type == TC_E4M3 && both) {
                    TC_TCGEN05_MMA_SS(1, f8f6f4.collector::b::fill, tmem, a + j * 4, b + j * 4, IDESC_E4M3, add);
                    TC_TCGEN05_MMA_SS(1, f8f6f4.collector::b::lastuse, tmem + BN, low + j * 4, b + j * 4, IDESC_E4M3,
                                      add);
                } else if (type == TC_E4M3) {
                    TC_TCGEN05_MMA_SS(1, f8f6f4, tmem, a + j * 4, b + j * 4, IDESC_E4M3, add);
                } else if (both) {
                    TC_TCGEN05_MMA_SS_BLOCK(1, mxf4nvf4.block_scale.block16.collector::b::fill, tmem, a + j * 4,
                                            b + j * 4, idesc, sfa, sfb, add);
                    TC_TCGEN05_MMA_SS_BLOCK(1, mxf4nvf4.block_scale.block16.collector::b::lastuse, tmem + BN,
                                            low + j * 4, b + j * 4, idesc, sfa + 16, sfb, add);
                } else {
                    TC_TCGEN05_MMA_SS_BLOCK(1, mxf4nvf4.block_scale.block16, tmem, a + j * 4, b + j * 4, idesc, sfa,
                                            sfb, add);
                }
            }
            TC_TCGEN05_COMMIT_Q(1, .sync_restrict::shared::read::mma::a.shared::cluster,
                                smem + A_EMPTY_AT + of_a.stage * 8); /* when they have read A */
            TC_TCGEN05_COMMIT(1, smem + B_EMPTY_AT + of_b.stage * 8); /* when they are done */
            tc_ring_next(&of_a, A_STAGES);
            tc_ring_next(&of_b, B_STAGES);
        }
        TC_TCGEN05_COMMIT(1, smem + DONE_AT);
        phase ^= 1;
    }
}

/* A warp: 32 rows of each half of each tile, 128 bytes of D's row at a time, from tensor memory through a swizzled
 * buffer to D. */
TC_DEV void store(const params *p, unsigned char *memory, uint32_t smem, uint32_t tmem)
{
    const uint32_t quarter = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    const uint32_t bufs = STORE_AT + quarter * 2 * STORE_BYTES;
    uint32_t which = 0, phase = 0;
    for (uint32_t i = blockIdx.x; i < p->tiles.total; i += gridDim.x) {
        const tc_tile t = tc_tile_at(&p->tiles, i);
        const int col = (int)t.n * BN;
        TC_MBARRIER_WAIT(smem + DONE_AT, phase, "done", 0);
        tc_tcgen05_fence_after_thread_sync();
        for (int c = 0; c < 2 * BN; c += 64, which ^= 1) { /* columns of tensor memory: the upper half, the lower */
            const int row = (int)t.m * BM + c / BN * HALF + (int)quarter * 32, at = col + c % BN;
            const uint32_t buf = bufs + which * STORE_BYTES;
            if (row / HALF * HALF >= p->m) break; /* nothing was multiplied there */
            if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); /* the store before the last has left this buffer */
            __syncwarp();
#pragma unroll
            for (int half = 0; half < 2; half++) { /* 32 columns: a register each */
                uint32_t r[32];
                TC_TCGEN05_LD(32x32b, x32, r, tmem + tc_tcgen05_taddr((int)quarter * 32, c + half * 32));
                tc_tcgen05_wait_ld_regs(r, 32);
#pragma unroll
                for (int j = 0; j < 16; j++)
                    r[j] = tc_bf16x2(tc_f32_from_bits(r[2 * j]), tc_f32_from_bits(r[2 * j + 1]));
#pragma unroll
                for (int j = 0; j < 4; j++)
                    *(uint4 *)(memory + buf + tc_swizzle_128B(lane * 128 + (uint32_t)(half * 64 + j * 16))) =
                        make_uint4(r[4 * j], r[4 * j + 1], r[4 * j + 2], r[4 * j + 3]);
            }
            tc_fence_proxy_async_shared(); /* ordinary writes before, TMA's reads after */
            __syncwarp();
            if (lane == 0) {
                if (row < p->m && at < p->n) tc_cp_async_bulk_tensor_2d_store(&p->d, smem + buf, at, row);
                tc_cp_async_bulk_commit_group();
            }
        }
        tc_tcgen05_fence_before_thread_sync(); /* our loads come before the mmas that this arrival allows */
        __syncwarp();
        if (lane == 0) tc_mbarrier_arrive(smem + FREE_AT);
        phase ^= 1;
    }
    if (lane == 0) TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
}

TC_DEV void gemm(const params *p, const int type)
{
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem);
    const int warp = tc_warp();
    if (threadIdx.x == 0) {
        for (int s = 0; s < 2 * A_STAGES; s++) tc_mbarrier_init(smem + A_FULL_AT + s * 8, 1); /* full, then empty */
        for (int s = 0; s < 2 * B_STAGES; s++) tc_mbarrier_init(smem + B_FULL_AT + s * 8, 1);
        tc_mbarrier_init(smem + DONE_AT, 1);
        tc_mbarrier_init(smem + FREE_AT, 4); /* one arrival a storing warp */
        tc_fence_mbarrier_init();
    }
    /* a whole warp; all columns: nobody else may have any on this SM */
    if (warp == 1) TC_TCGEN05_ALLOC_EXCLUSIVE(1, smem + TMEM_AT, COLUMNS);
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    __syncthreads();
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
    const uint32_t tmem = *(volatile uint32_t *)(dynamic_smem + TMEM_AT);
    if (warp == 0) {
        if (tc_elect_one()) produce(p, smem, type);
    } else if (warp == 1) {
        if (tc_elect_one()) multiply(p, smem, tmem, type);
    } else {
        store(p, dynamic_smem, smem, tmem);
    }
    __syncwarp(); /* together again */
    tc_tcgen05_fence_before_thread_sync(); /* alloc, dealloc */
    __syncthreads(); /* nobody uses tensor memory any more */
    tc_tcgen05_fence_after_thread_sync(); /* alloc, dealloc */
    if (warp == 1) TC_TCGEN05_DEALLOC_EXCLUSIVE(1, tmem, COLUMNS);
}
#define KERNEL(name, type) \
    static __global__ void __launch_bounds__(THREADS, 1) name(const __grid_constant__ params p) { gemm(&p, type); }
#else
#define KERNEL(name, type) \
    static __global__ void __launch_bounds__(32, 1) name(const __grid_constant__ params p) {}
#endif
KERNEL(gemm_e4m3, TC_E4M3)
KERNEL(gemm_nvfp4, TC_E2M1)

/* More than 227 KB of shared memory: cudaFuncAttributeSharedMemoryMode to
 * cudaSharedMemoryModeAllowOversizedSharedMemory, names that CUDA has from 13.4 on */
static cudaError_t allow(void (*kernel)(params)) { return cudaFuncSetAttribute(kernel, (cudaFuncAttribute)16, 3); }

static tc_status run(const tcgen05_problem *g)
{
    void (*const kernel)(params) = g->type == TC_E4M3 ? gemm_e4m3 : gemm_nvfp4;
    const int row = tcgen05_row_bytes(g->k, g->type);
    params p;
    tc_status st = tcgen05_map(&p.a, g->a, g->m, row, BM);
    if (st == TC_OK) st = tcgen05_map(&p.b, g->b, g->n, row, BN);
    if (st == TC_OK) st = tcgen05_map_d(&p.d, g->d, g->m, g->n, g->d_type, 32);
    if (st != TC_OK) return st;
    p.sfa = g->sfa, p.sfb = g->sfb;
    const tc_tiles_of of = {g->m, g->n, 1, BM, BN, g->sms, 0, 0};
    p.tiles = tc_tiles_make(&of);
    p.steps = (uint32_t)(row + 31) / 32;
    p.m = g->m, p.n = g->n;
    if (allow(kernel) != cudaSuccess) return TC_ERR_CUDA;
    kernel<<<p.tiles.total < (uint32_t)g->sms ? p.tiles.total : (uint32_t)g->sms, THREADS, SMEM>>>(p);
    return cudaGetLastError() == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}

int main(void)
{
    const int types[2] = {TC_E4M3, TC_E2M1};
    struct cudaFuncAttributes attr;
    int failed = 0;
    example_device(107);
    if (cudaFuncGetAttributes(&attr, gemm_e4m3) != cudaSuccess || attr.maxThreadsPerBlock < THREADS)
        return printf("no code for sm_107a in this build (CUDA 13.4 or later has it): not run\n"), 0;
    for (int i = 0; i < 2; i++) {
        failed += tcgen05_shape(run, types[i], 8192, 16384, 4096);
        failed += tcgen05_shape(run, types[i], 4920, 4232, 1168);
    }
    return failed;
}
