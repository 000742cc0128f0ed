/* model_rates.cu - the rates and latencies of a Hopper board that tcemu --model takes from measurement (docs/model.md).
 *     nvcc -std=c++17 -O3 -gencode arch=compute_90a,code=sm_90a bench/model_rates.cu -o model_rates && ./model_rates
 * Some seconds. Each line: what, figure, unit; in cycles of the multiprocessor's clock, so the board's frequency, and
 * what power makes of it, do not matter. */
#include "../tc.h"
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include "record.h"

enum { BOX = 16384, SLOTS = 8, SMEM = 196608 + 2048, TIMES = 256, ROW = 128, BOX_ROWS = BOX / ROW };

#if defined(__CUDA_ARCH__)
#define IF_DEVICE(...) __VA_ARGS__
#else
#define IF_DEVICE(...)
#endif

static __device__ __forceinline__ long long now(void)
{
    long long t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) : : "memory");
    return t;
}

/* ---- TMA: one load after another ---- */
static __global__ void latency(const __grid_constant__ tc_tmap map, int first, int step, int rows, int bytes,
                               const char *plain, long long *out)
{
    extern __shared__ __align__(1024) char smem[];
    const uint32_t ring = (tc_smem_u32(smem) + 1023) / 1024 * 1024, bar = ring + SLOTS * BOX;
    if (threadIdx.x) return;
    tc_mbarrier_init(bar, 1);
    tc_fence_mbarrier_init();
    tc_fence_proxy_async_shared();
    for (int i = 0; i < TIMES; i++) {
        const int row = (first + i * step) % rows;
        const long long t = now();
        tc_mbarrier_arrive_expect_tx(bar, (uint32_t)bytes);
        if (plain) tc_cp_async_bulk_g2s(ring, plain + (size_t)row * ROW, (uint32_t)bytes, bar);
        else tc_cp_async_bulk_tensor_2d(ring, &map, 0, row, bar);
        tc_mbarrier_wait(bar, (uint32_t)i & 1);
        out[i] = now() - t;
    }
}

/* ---- TMA: eight loads in flight; blocks read the same rows (apart 0) or each its own ---- */
static __global__ void stream(const __grid_constant__ tc_tmap map, int apart, int rows, int loads, long long *out)
{
    extern __shared__ __align__(1024) char smem[];
    const uint32_t ring = (tc_smem_u32(smem) + 1023) / 1024 * 1024, bar = ring + SLOTS * BOX;
    if (threadIdx.x) return;
    for (uint32_t s = 0; s < SLOTS; s++) tc_mbarrier_init(bar + 8 * s, 1);
    tc_fence_mbarrier_init();
    tc_fence_proxy_async_shared();
    int row = (int)blockIdx.x * apart % rows;
    const long long t = now();
    for (int i = 0; i < loads + SLOTS; i++) {
        const uint32_t s = (uint32_t)i % SLOTS;
        if (i >= SLOTS) tc_mbarrier_wait(bar + 8 * s, (uint32_t)(i / SLOTS - 1) & 1);
        if (i >= loads) continue;
        tc_mbarrier_arrive_expect_tx(bar + 8 * s, BOX);
        tc_cp_async_bulk_tensor_2d(ring + s * BOX, &map, 0, row, bar + 8 * s);
        row += BOX_ROWS;
        if (row >= rows) row = 0;
    }
    out[blockIdx.x] = now() - t;
}

/* ---- wgmma of n columns by one or two warpgroups, with TMA loads beside them (loads > 0) or not. left: 1: groups of
 * four, one of which may be in flight behind the next; 0: one wgmma at a time. out: cycles of all groups. ---- */
#define WGMMA(n, form, left)                                                                                          \
    static __global__ void __launch_bounds__(384, 1)                                                                  \
    wgmma_##form##_##n(const __grid_constant__ tc_tmap map, int rows, int groups, int loads, long long *out)          \
    {                                                                                                                 \
        IF_DEVICE(extern __shared__ __align__(1024) char smem[];                                                      \
        const uint32_t ring = (tc_smem_u32(smem) + 1023) / 1024 * 1024, bar = ring + SLOTS * BOX + 32768;             \
        const uint32_t data = ring + SLOTS * BOX - 65536;                                                             \
        const int wg = (int)threadIdx.x / 128;                                                                        \
        if (threadIdx.x == 0) {                                                                                       \
            for (uint32_t s = 0; s < 4; s++) tc_mbarrier_init(bar + 8 * s, 1);                                        \
            tc_fence_mbarrier_init();                                                                                 \
            tc_fence_proxy_async_shared();                                                                            \
        }                                                                                                             \
        for (uint32_t i = threadIdx.x; i < (SLOTS * BOX + 32768) / 4; i += blockDim.x)                                \
            ((uint32_t *)(smem + (ring - tc_smem_u32(smem))))[i] = 0;                                                 \
        tc_fence_proxy_async_shared();                                                                                \
        __syncthreads();                                                                                              \
        if (wg == 0) {                                                                                                \
            int row = (int)blockIdx.x * BOX_ROWS % rows;                                                              \
            if (threadIdx.x) return;                                                                                  \
            for (int i = 0; i < loads + 4 && loads; i++) {                                                            \
                const uint32_t s = (uint32_t)i % 4;                                                                   \
                if (i >= 4) tc_mbarrier_wait(bar + 8 * s, (uint32_t)(i / 4 - 1) & 1);                                 \
                if (i >= loads) continue;                                                                             \
                tc_mbarrier_arrive_expect_tx(bar + 8 * s, BOX);                                                       \
                tc_cp_async_bulk_tensor_2d(ring + s * BOX, &map, 0, row, bar + 8 * s);                                \
                row += BOX_ROWS;                                                                                      \
                if (row >= rows) row = 0;                                                                             \
            }                                                                                                         \
            return;                                                                                                   \
        }                                                                                                             \
        float acc[n / 2];                                                                                             \
        const uint64_t da = tc_wgmma_desc(data + (uint32_t)(wg - 1) * 8192, 128);                                     \
        const uint64_t db = tc_wgmma_desc(data + 16384, 128);                                                         \
        for (int i = 0; i < n / 2; i++) acc[i] = 0.f;                                                                 \
        const long long t = now();                                                                                    \
        for (int g = 0; g < groups; g++) {                                                                            \
            tc_wgmma_fence();                                                                                         \
            _Pragma("unroll") for (int k = 0; k < (left ? 4 : 1); k++) {                                              \
                TC_WGMMA_SS(n, f32, bf16, acc, da + 2 * k, db + 2 * k, 1, 1, 1, 0, 0);                                \
            }                                                                                                         \
            tc_wgmma_commit_group();                                                                                  \
            TC_WGMMA_WAIT_GROUP(left);                                                                                \
        }                                                                                                             \
        TC_WGMMA_WAIT_GROUP(0);                                                                                       \
        tc_wgmma_fence_acc(acc, n / 2);                                                                               \
        const long long over = now() - t;                                                                             \
        float sum = 0;                                                                                                \
        for (int i = 0; i < n / 2; i++) sum += acc[i];                                                                \
        if (threadIdx.x % 128 == 0) out[wg - 1] = over + (sum != 0);                                                  \
        )                                                                                                             \
    }
#define SS(n) WGMMA(n, many, 1) WGMMA(n, lone, 0)
SS(256) SS(192) SS(128) SS(64) SS(32) SS(16)

/* ---- arithmetic: eight independent chains a thread, 16 instructions of each a turn ---- */
#define ARITH(name, text)                                                                                             \
    static __global__ void arith_##name(int turns, float seed, long long *out)                                        \
    {                                                                                                                 \
        float x[8];                                                                                                   \
        for (int i = 0; i < 8; i++) x[i] = seed + (float)(threadIdx.x + i);                                           \
        __syncthreads();                                                                                              \
        const long long t = now();                                                                                    \
        for (int n = 0; n < turns; n++)                                                                               \
            _Pragma("unroll") for (int r = 0; r < 16; r++)                                                            \
                _Pragma("unroll") for (int i = 0; i < 8; i++) asm volatile(text : "+f"(x[i]) : "f"(seed));            \
        __syncthreads();                                                                                              \
        const long long over = now() - t;                                                                             \
        float sum = 0;                                                                                                \
        for (int i = 0; i < 8; i++) sum += x[i];                                                                      \
        if (threadIdx.x == 0) out[0] = over + (sum == 12345.f);                                                       \
    }
ARITH(ex2, "ex2.approx.ftz.f32 %0, %0;")
ARITH(fma, "fma.rn.f32 %0, %0, %1, %1;")
ARITH(add, "add.f32 %0, %0, %1;")
ARITH(max, "max.f32 %0, %0, %1;")
ARITH(cvt, "{.reg .b32 t; cvt.rn.bf16x2.f32 t, %0, %1; mov.b32 %0, t;}")
ARITH(lop, "{.reg .b32 t, s; mov.b32 t, %0; mov.b32 s, %1; xor.b32 t, t, s; mov.b32 %0, t;}")
ARITH(iadd, "{.reg .b32 t, s; mov.b32 t, %0; mov.b32 s, %1; add.s32 t, t, s; mov.b32 %0, t;}")
ARITH(shfl, "{.reg .b32 t; mov.b32 t, %0; shfl.sync.bfly.b32 t, t, 1, 31, -1; mov.b32 %0, t;}")

/* ---- two warps answer each other through mbarriers; named barrier of two warps ---- */
static __global__ void sync_latency(int named, long long *out)
{
    __shared__ __align__(8) uint64_t bars[2];
    const uint32_t b = tc_smem_u32(bars), me = threadIdx.x / 32;
    if (threadIdx.x == 0) tc_mbarrier_init(b, 1), tc_mbarrier_init(b + 8, 1), tc_fence_mbarrier_init();
    __syncthreads();
    const long long t = now();
    for (uint32_t i = 0; i < TIMES; i++) {
        if (named) { asm volatile("bar.sync 1, 64;" : : : "memory"); continue; }
        if (threadIdx.x % 32) continue;
        if (me == 0) tc_mbarrier_arrive(b), tc_mbarrier_wait(b + 8, i & 1);
        else tc_mbarrier_wait(b, i & 1), tc_mbarrier_arrive(b + 8);
    }
    if (threadIdx.x == 0) out[0] = now() - t;
}

static long long *dev, host[TIMES];
static void fetch(int n)
{
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(host, dev, sizeof *host * (size_t)n, cudaMemcpyDeviceToHost));
}
static int less(const void *x, const void *y)
{
    const long long a = *(const long long *)x, b = *(const long long *)y;
    return a < b ? -1 : a > b;
}
static double median(int from, int n)
{
    qsort(host + from, (size_t)(n - from), sizeof *host, less);
    return (double)host[from + (n - from) / 2];
}

static tc_tmap map_of(void *base, int rows, int box)
{
    tc_tmap map;
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_BF16, d.rank = 2, d.base = base, d.swizzle = 128;
    d.dim[0] = 64, d.dim[1] = (uint64_t)rows, d.stride[0] = ROW, d.box[0] = 64, d.box[1] = (uint32_t)box;
    if (tc_tmap_encode(&map, &d) != TC_OK) {
        fprintf(stderr, "tc_tmap_encode: %s\n", tc_why());
        exit(2);
    }
    return map;
}

int main(int argc, char **argv)
{
    enum { NEAR_ROWS = 1 << 17, FAR_ROWS = 1 << 23, GROUPS = 512 }; /* 16 MB, 1 GB */
    cudaDeviceProp prop;
    char *buffer;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    const int sms = prop.multiProcessorCount, blocks = sms < TIMES ? sms : TIMES;
    record_begin(stdout, "", argc, argv);
    printf("what,figure,unit\n");
    CUDA_CHECK(cudaMalloc((void **)&dev, sizeof host));
    CUDA_CHECK(cudaMalloc((void **)&buffer, (size_t)FAR_ROWS * ROW));
    CUDA_CHECK(cudaMemset(buffer, 0, (size_t)FAR_ROWS * ROW));
    CUDA_CHECK(cudaFuncSetAttribute(latency, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));
    CUDA_CHECK(cudaFuncSetAttribute(stream, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));
    for (int box = 8; box <= BOX_ROWS; box *= 4)
        for (int far = 0; far < 2; far++) {
            const tc_tmap map = map_of(buffer, FAR_ROWS, box);
            /* near: the same 2 MB again and again; far: lines that 1 GB ago nobody has read */
            for (int again = 0; again < 3; again++)
                latency<<<1, 32, SMEM>>>(map, far ? 1 << 20 : 0, far ? 24593 : 64, far ? FAR_ROWS - BOX_ROWS : 16384,
                                         box * ROW, 0, dev);
            if (far) CUDA_CHECK(cudaMemset(buffer, 0, (size_t)FAR_ROWS * ROW / 2)); /* the L2 holds other lines now */
            latency<<<1, 32, SMEM>>>(map, far ? FAR_ROWS / 2 + 12345 : 0, far ? 12289 : 64,
                                     far ? FAR_ROWS - BOX_ROWS : 16384, box * ROW, 0, dev);
            fetch(TIMES);
            printf("TMA load of %d bytes from %s,%.0f,cycles\n", box * ROW, far ? "memory" : "the L2",
                   median(8, TIMES));
        }
    {
        const tc_tmap map = map_of(buffer, NEAR_ROWS, BOX_ROWS);
        for (int all = 0; all < 2; all++)
            for (int apart = 0; apart < (all ? 3 : 1); apart++) {
                static const char *const apart_words[] = {" the same lines", " neighbours a box apart", " other lines"};
                const int n = all ? blocks : 1, loads = 2048;
                const int step = apart == 0 ? 0 : apart == 1 ? BOX_ROWS : NEAR_ROWS / n / BOX_ROWS * BOX_ROWS;
                for (int warm = 0; warm < 2; warm++)
                    stream<<<n, 32, SMEM>>>(map, step, NEAR_ROWS, loads, dev);
                fetch(n);
                printf("L2 to %s%s,%.1f,bytes a cycle and multiprocessor\n", all ? "all multiprocessors" : "one",
                       all ? apart_words[apart] : "",
                       (double)loads * BOX / median(0, n));
            }
    }
    {
        const tc_tmap map = map_of(buffer, NEAR_ROWS, BOX_ROWS);
#define RUN_WGMMA(n)                                                                                                  \
    CUDA_CHECK(cudaFuncSetAttribute(wgmma_many_##n, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));              \
    CUDA_CHECK(cudaFuncSetAttribute(wgmma_lone_##n, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));              \
    for (int wgs = 1; wgs <= 2; wgs++)                                                                                \
        for (int how = 0; how < 4 - wgs; how++) { /* as many as go, beside TMA loads, one at a time */                \
            const int loads = how == 1 ? 256 : 0, threads = 128 + 128 * wgs;                                          \
            for (int warm = 0; warm < 2; warm++)                                                                      \
                if (how < 2) wgmma_many_##n<<<1, threads, SMEM>>>(map, NEAR_ROWS, GROUPS, loads, dev);                \
                else wgmma_lone_##n<<<1, threads, SMEM>>>(map, NEAR_ROWS, GROUPS, loads, dev);                        \
            fetch(2);                                                                                                 \
            printf("wgmma m64n" #n "k16 bf16 by %d warpgroup%s%s,%.1f,cycles\n", wgs, wgs > 1 ? "s" : "",             \
                   how == 2 ? " one at a time" : how ? " beside TMA loads" : "",                                      \
                   (double)host[0] / GROUPS / (how == 2 ? 1 : 4) / wgs);                                              \
        }
        RUN_WGMMA(256) RUN_WGMMA(192) RUN_WGMMA(128) RUN_WGMMA(64) RUN_WGMMA(32) RUN_WGMMA(16)
    }
#define RUN_ARITH(name)                                                                                               \
    for (int warps = 4; warps <= 16; warps *= 2) {                                                                    \
        for (int warm = 0; warm < 2; warm++) arith_##name<<<1, 32 * warps>>>(64, 0.5f, dev);                          \
        fetch(1);                                                                                                     \
        printf(#name " by %d warp%s of a scheduler,%.2f,cycles of a warp instruction\n", warps / 4,                   \
               warps > 4 ? "s" : "",                                                                                  \
               (double)host[0] / (64 * 16 * 8) / (warps / 4));                                                        \
    }
    RUN_ARITH(ex2) RUN_ARITH(fma) RUN_ARITH(add) RUN_ARITH(max) RUN_ARITH(cvt) RUN_ARITH(lop) RUN_ARITH(iadd)
    RUN_ARITH(shfl)
    for (int named = 0; named < 2; named++) {
        for (int warm = 0; warm < 2; warm++) sync_latency<<<1, 64>>>(named, dev);
        fetch(1);
        printf("%s,%.0f,cycles\n", named ? "barrier of two warps" : "mbarrier arrival to the other warp's wait",
               (double)host[0] / TIMES / (named ? 1 : 2));
    }
    return 0;
}
