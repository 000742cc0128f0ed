/* memory.cu - addresses, lifetimes, initialisation; traps and asserts; launches that cannot be */
#include "broken.h"

/* ---- global memory ---- */
KERNEL(oob_global)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    // EXPECT oob_global out-of-bounds-global: "write to 4 bytes of global memory"
    if (BAD ? i <= n : i < n) out[i] = in[i];
}
HOST(oob_global)
{
    float *p;
    cudaMalloc(&p, 64 * sizeof *p);
    oob_global<BAD><<<3, 32>>>(in_d, p, 64);
    cudaDeviceSynchronize();
    cudaFree(p);
}
KERNEL(null_pointer)
{
    out[threadIdx.x] = in[threadIdx.x]; // EXPECT null_pointer out-of-bounds-global: "null pointer"
}
HOST(null_pointer) { null_pointer<BAD><<<1, 32>>>(BAD ? nullptr : in_d, out_d, 64); }
KERNEL(host_pointer)
{
    out[threadIdx.x] = in[threadIdx.x]; // EXPECT host_pointer out-of-bounds-global: "host memory"
}
HOST(host_pointer)
{
    float *h = (float *)malloc(128), *d;
    for (int k = 0; k < 32; k++) h[k] = 1.f;
    cudaMalloc(&d, 128);
    cudaMemcpy(d, h, 128, cudaMemcpyHostToDevice);
    host_pointer<BAD><<<1, 32>>>(BAD ? h : d, out_d, 64);
    cudaDeviceSynchronize();
    cudaFree(d);
    free(h);
}
KERNEL(freed)
{
    out[threadIdx.x] = in[threadIdx.x]; // EXPECT freed use-after-free: "freed"
}
HOST(freed)
{
    float *d;
    cudaMalloc(&d, 128);
    cudaMemset(d, 0, 128);
    if (BAD) cudaFree(d);
    freed<BAD><<<1, 32>>>(d, out_d, 64);
    cudaDeviceSynchronize();
    if (!BAD) cudaFree(d);
}
KERNEL(misaligned_global)
{
    // EXPECT misaligned_global misaligned: "16 bytes"
    const float4 v = *(const float4 *)(in + (BAD ? 1 : 4) + 4 * threadIdx.x);
    out[threadIdx.x] = v.x + v.y + v.z + v.w;
}
RUN(misaligned_global, 1, 32, 0)
KERNEL(uninit_global)
{
    out[threadIdx.x] = in[threadIdx.x]; // EXPECT uninit_global uninitialised-global: "that nobody has written"
}
HOST(uninit_global)
{
    float *d;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, BAD ? 64 : 256); // the size in elements, not in bytes
    uninit_global<BAD><<<1, 64>>>(d, out_d, 64);
    cudaDeviceSynchronize();
    cudaFree(d);
}
__constant__ float table[4] = {1.f, 2.f, 3.f, 4.f};
KERNEL(write_constant)
{
    if (threadIdx.x < 4) ((float *)in)[threadIdx.x] = 0.f; // EXPECT write_constant write-to-constant: "constant"
    out[threadIdx.x] = table[threadIdx.x & 3];
}
HOST(write_constant)
{
    void *p;
    cudaGetSymbolAddress(&p, table);
    write_constant<BAD><<<1, 32>>>(BAD ? (float *)p : out_d + 64, out_d, 64);
}

/* ---- shared and local memory ---- */
KERNEL(oob_shared)
{
    extern __shared__ float s[];
    s[threadIdx.x] = in[threadIdx.x]; // EXPECT oob_shared out-of-bounds-shared: "the CTA has"
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
RUN(oob_shared, 1, 64, BAD ? 64 : 64 * sizeof(float))
KERNEL(oob_shared_below)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    const int left = (int)threadIdx.x - (n >> 4); // up to 4 to the left
    // EXPECT oob_shared_below out-of-bounds-shared: "belong to the system"
    out[threadIdx.x] = BAD || left >= 0 ? s[left] : 0.f;
}
RUN(oob_shared_below, 1, 64, 0)
KERNEL(misaligned_shared)
{
    __shared__ TC_ALIGN(16) float s[128 + 4];
    for (int k = threadIdx.x; k < 132; k += blockDim.x) s[k] = in[k];
    __syncthreads();
    // EXPECT misaligned_shared misaligned: "not a multiple of 8"
    const float2 v = *(const float2 *)(s + (n >> 6) * (BAD ? 1 : 2) + 2 * threadIdx.x);
    out[threadIdx.x] = v.x + v.y;
}
RUN(misaligned_shared, 1, 64, 0)
KERNEL(uninit_shared)
{
    __shared__ float s[64];
    if (threadIdx.x < (BAD ? n - 1 : n)) s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x]; // EXPECT uninit_shared uninitialised-shared: "that nobody has written"
}
RUN(uninit_shared, 1, 64, 0)
KERNEL(uninit_told)
{
    __shared__ float s[64];
    const int half = n / 2;
    if ((int)threadIdx.x < half) s[threadIdx.x] = in[threadIdx.x];
    if (threadIdx.x == 0) tc_emu_written(tc_smem_u32(s + half), (uint32_t)(BAD ? half - 1 : half) * 4u);
    __syncthreads();
    const float x = s[threadIdx.x]; // EXPECT uninit_told uninitialised-shared: "that nobody has written"
    out[threadIdx.x] = (int)threadIdx.x < half ? x : 0.f;
}
RUN(uninit_told, 1, 64, 0)
KERNEL(told_of_others)
{
    __shared__ float s[64];
    s[threadIdx.x] = in[threadIdx.x];
    // EXPECT told_of_others out-of-bounds-shared: "are not this CTA's shared memory"
    tc_emu_written(tc_smem_u32(s), BAD ? 1u << 20 : (uint32_t)n * 4u);
    __syncthreads();
    out[threadIdx.x] = s[n - 1 - threadIdx.x];
}
RUN(told_of_others, 1, 64, 0)
KERNEL(oob_local)
{
    float a[8];
    for (int k = 0; k < 8; k++) a[k] = in[(k * n) & 255];
    // EXPECT oob_local out-of-bounds-local: "of local memory"
    out[threadIdx.x] = a[(threadIdx.x & 7) * (BAD ? (unsigned)n : 1u)];
}
RUN(oob_local, 1, 32, 0)
KERNEL(double_free)
{
    float *p = (float *)malloc(64);
    if (p) p[0] = in[threadIdx.x];
    if (p) out[threadIdx.x] = p[0];
    free(p);
    if (BAD && threadIdx.x == 0) free(p); // EXPECT double_free use-after-free: "freed already"
}
RUN(double_free, 1, 32, 0)
KERNEL(global_as_shared)
{
    __shared__ float s[32];
    s[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    // a 32-bit shared address is no pointer
    const uint64_t p = BAD ? (uint64_t)tc_smem_u32(&s[threadIdx.x]) : (uint64_t)&s[threadIdx.x];
    asm volatile("" : : "l"(p));
    // EXPECT global_as_shared out-of-bounds-global: "a 32-bit address of shared memory used as a pointer"
    out[threadIdx.x] = *(volatile float *)p;
}
RUN(global_as_shared, 1, 32, 0)

/* ---- stopped by the program itself; what cannot run ---- */
KERNEL(failed_assert)
{
    assert(n == (BAD ? 32 : 64)); // EXPECT failed_assert assert: "n == (BAD ? 32 : 64)"
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(failed_assert, 1, 32, 0)
KERNEL(trapped)
{
    if (in[threadIdx.x] < (BAD ? 6.f : 0.f)) __trap(); // EXPECT trapped trap: "trap"
    out[threadIdx.x] = in[threadIdx.x];
}
RUN(trapped, 1, 32, 0)
extern "C" __device__ float of_no_library(float);
KERNEL(unsupported)
{
    float v = in[threadIdx.x];
    // EXPECT unsupported unsupported: "of_no_library, which has no body"
    if (BAD) v = of_no_library(v);
    out[threadIdx.x] = v;
}
RUN(unsupported, 1, 32, 0)
KERNEL(not_multimem)
{
    float v = 0;
    // EXPECT not_multimem operand: "is no multimem address, but one of a device's own memory"
    if (BAD) asm volatile("multimem.ld_reduce.relaxed.gpu.global.add.f32 %0, [%1];" : "=f"(v) : "l"(in) : "memory");
    out[threadIdx.x] = v;
}
RUN(not_multimem, 1, 32, 0)

/* ---- launches that the hardware refuses ---- */
KERNEL(copy) { out[threadIdx.x] = in[threadIdx.x]; }
HOST(smem_too_large)
{
    cudaFuncSetAttribute(copy<BAD>, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024);
    // EXPECT smem_too_large refused: "307200 bytes of shared memory; a block of sm_90a has at most 232448"
    copy<BAD><<<1, 32, BAD ? 300 * 1024 : 200 * 1024>>>(in_d, out_d, 64);
}
KERNEL(copy2) { out[threadIdx.x] = in[threadIdx.x]; }
HOST(smem_no_attribute)
{
    if (!BAD) cudaFuncSetAttribute(copy2<BAD>, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 * 1024);
    // EXPECT smem_no_attribute refused: "cudaFuncAttributeMaxDynamicSharedMemorySize"
    copy2<BAD><<<1, 32, 64 * 1024>>>(in_d, out_d, 64);
}
// EXPECT block_too_large refused: "1056 threads; the limits are 1024"
HOST(block_too_large) { copy<BAD><<<1, BAD ? 1056 : 1024>>>(in_d, out_d, 64); }
template <bool BAD> static __global__ void __launch_bounds__(64) bounded(PARAMS) { out[threadIdx.x] = in[threadIdx.x]; }
// EXPECT launch_bounds refused: "compiled for at most 64"
HOST(launch_bounds) { bounded<BAD><<<1, BAD ? 128 : 64>>>(in_d, out_d, 64); }
// EXPECT cluster_too_large refused: "the limit is 8"
HOST(cluster_too_large) { launch_cluster(copy<BAD>, BAD ? 16 : 8, BAD ? 16 : 8, 32, 0); }
// EXPECT cluster_grid refused: "is not a multiple of the cluster"
HOST(cluster_grid) { launch_cluster(copy<BAD>, BAD ? 3 : 4, 2, 32, 0); }
HOST(grid_empty) { copy<BAD><<<BAD ? 0 : 1, 32>>>(in_d, out_d, 64); } // EXPECT grid_empty refused: "must be at least 1"
HOST(cooperative_too_large)
{
    float *in = in_d, *out = out_d;
    int n = 64;
    void *args[] = {&in, &out, &n};
    // EXPECT cooperative_too_large refused: "a cooperative launch of 100000 blocks"
    cudaLaunchCooperativeKernel((void *)copy<BAD>, BAD ? 100000 : 64, 32, args, 0, 0);
}
HOST(memcpy_oob)
{
    static float h[64];
    float *d;
    cudaMalloc(&d, 128);
    // EXPECT memcpy_oob refused: "the allocation of 128 bytes"
    cudaMemcpy(d, h, BAD ? 256 : 128, cudaMemcpyHostToDevice);
    cudaFree(d);
}
