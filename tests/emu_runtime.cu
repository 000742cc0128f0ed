/* emu_runtime.cu - the CUDA runtime API as tcemu provides it: what each call does, and what it answers to a wrong one.
 *     nvcc -std=c++17 -cudart shared -gencode arch=compute_90a,code=compute_90a tests/emu_runtime.cu -o
 *     build/tests/emu_runtime -lpthread build/tcemu build/tests/emu_runtime
 *
 * Errors are provoked on purpose: tcemu says a sentence about each on stderr. Kernels that take the context down run in
 * processes of their own. What only tcemu promises is asked of tcemu alone; the rest is CUDA's documentation. */
#include "test.h"
#include <assert.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static cudaDeviceProp device;
/* by tcemu? 10 * major + minor of the device, and of what its kernels were compiled for */
static int emulated, sm, code;

/* the call works */
#define OK(call)                                                             \
    do {                                                                     \
        const cudaError_t err_ = (call);                                     \
        CHECK(err_ == cudaSuccess, "%s: %s", #call, cudaGetErrorName(err_)); \
        (void)cudaGetLastError();                                            \
    } while (0)

/* the call gives the error, which is then the last one */
#define FAILS(call, want)                                                                          \
    do {                                                                                           \
        const cudaError_t err_ = (call), last_ = cudaGetLastError();                               \
        CHECK(err_ == (want), "%s: %s, want %s", #call, cudaGetErrorName(err_), #want);            \
        CHECK(last_ == (want), "%s: last error %s, want %s", #call, cudaGetErrorName(last_), #want); \
    } while (0)
#define LAUNCH_OK() OK(cudaPeekAtLastError())
#define LAUNCH_FAILS(want) FAILS(cudaPeekAtLastError(), want)

/* ---- kernels ---- */
enum { N = 1000, BYTES = N * 4, BLOCKS = 4, THREADS = 256 };

__device__ int bias = 5;
__constant__ float table[4] = {1, 2, 3, 4};
__managed__ int offset = 7;

typedef struct {
    int x;
    double y[3];
    char z;
} parameter;

__global__ void linear(int *p, int n, int slope)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = i * slope + bias + offset + (int)table[1];
}

__global__ void add_one(int *p, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(p + i, 1);
}

__global__ void reverse(int *p)
{
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    p[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x];
}

__global__ void static_16k(int *p)
{
    __shared__ int words[4096];
    words[threadIdx.x] = 1;
    __syncthreads();
    *p = words[0];
}

__global__ void __launch_bounds__(128) at_most_128(int *p) { *p = 1; }
__global__ void by_value(int *p, parameter q, char b) { *p = q.x + (int)q.y[2] + q.z + b; }
__global__ void set_one(int *p) { *p = 1; }

/* rank in the cluster + 10 * its size */
__device__ int cluster_place(void)
{
    int rank = 0, size = 1;
#if __CUDA_ARCH__ >= 900
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
#endif
    return rank + 10 * size;
}
#if defined __CUDA_ARCH__ && __CUDA_ARCH__ < 900
#define CLUSTER_OF_2
#else
#define CLUSTER_OF_2 __cluster_dims__(2, 1, 1)
#endif
__global__ void CLUSTER_OF_2 fixed_cluster(int *p) { p[blockIdx.x] = cluster_place(); }
__global__ void any_cluster(int *p) { p[blockIdx.x] = cluster_place(); }

/* what CUDA's device headers make of __vabsdiffu4, __vsads4 and the like, and vadd2 to vmax4 as asm */
__global__ void video(const int *a, const int *b, int *o)
{
    const int i = threadIdx.x, x = a[i], y = b[i];
    o[8 * i] = (int)__vabsdiffu4(x, y);
    o[8 * i + 1] = (int)__vabsdiffs4(x, y);
    o[8 * i + 2] = (int)__vsadu4(x, y);
    o[8 * i + 3] = (int)__vsads4(x, y);
    asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(o[8 * i + 4]) : "r"(x), "r"(y), "r"(0));
    asm("vsub4.u32.u32.u32.sat %0, %1, %2, %3;" : "=r"(o[8 * i + 5]) : "r"(x), "r"(y), "r"(0));
    asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(o[8 * i + 6]) : "r"(x), "r"(y), "r"(0));
    asm("vadd2.s32.s32.u32.add %0, %1, %2, %3;" : "=r"(o[8 * i + 7]) : "r"(x), "r"(y), "r"(5));
}

/* a frame that grows, in a function that is called and in one that calls */
__device__ __noinline__ int on_stack(int n)
{
    int *p = (int *)__builtin_alloca(n * sizeof *p), sum = 0;
    for (int k = 0; k < n; k++) p[k] = k * k;
    for (int k = n - 1; k >= 0; k -= 2) sum += p[k];
    return sum;
}
__global__ void stack(int *o, int n)
{
    int *p = (int *)__builtin_alloca((n + threadIdx.x) * sizeof *p), sum = 0;
    for (int k = 0; k < n + (int)threadIdx.x; k++) p[k] = on_stack(k);
    for (int k = 0; k < n + (int)threadIdx.x; k++) sum += p[k];
    o[threadIdx.x] = sum;
}

/* takes the context down */
enum { WRITE_NULL, TRAP, ASSERT, MISALIGNED, FATAL };
__global__ void fatal(int kind, int *p)
{
    if (kind == WRITE_NULL) *(volatile int *)0 = 1;
    if (kind == TRAP) __trap();
    if (kind == ASSERT) assert(p == 0);
    if (kind == MISALIGNED) *(volatile int *)((char *)p + 1) = 1;
}

static int *mem; /* N words of device memory */
static int host[N];
static void get(void) { OK(cudaMemcpy(host, mem, BYTES, cudaMemcpyDeviceToHost)); }

/* ---- errors: names, sentences, the last one ---- */
static void test_errors(void)
{
    CHECK(!strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"), "%s",
          cudaGetErrorName(cudaErrorInvalidValue));
    CHECK(!strcmp(cudaGetErrorString(cudaSuccess), "no error"), "%s", cudaGetErrorString(cudaSuccess));
    CHECK(!strcmp(cudaGetErrorName((cudaError_t)12345), "unrecognized error code"), "%s",
          cudaGetErrorName((cudaError_t)12345));
    CHECK(!strcmp(cudaGetErrorString((cudaError_t)12345), "unrecognized error code"), "%s",
          cudaGetErrorString((cudaError_t)12345));
    CHECK(cudaSetDevice(-1) == cudaErrorInvalidDevice, "device -1");
    CHECK(cudaFree(0) == cudaSuccess, "a null pointer may be freed");
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice, "a call that works clears the last error");
    CHECK(cudaPeekAtLastError() == cudaErrorInvalidDevice, "looking at the last error clears it");
    CHECK(cudaGetLastError() == cudaErrorInvalidDevice, "the last error");
    CHECK(cudaGetLastError() == cudaSuccess, "the last error stays");
}

/* ---- the device: count, attributes, properties ---- */
static void test_device_answers(void)
{
    int count = 0, now = -1, value = 0;
    OK(cudaGetDeviceCount(&count));
    CHECK(count >= 1 && (!emulated || count == 1), "%d devices", count);
    FAILS(cudaSetDevice(count), cudaErrorInvalidDevice);
    OK(cudaSetDevice(0));
    OK(cudaGetDevice(&now));
    CHECK(now == 0, "device %d", now);
    FAILS(cudaGetDeviceProperties(&device, count), cudaErrorInvalidDevice);
    FAILS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)0, 0), cudaErrorInvalidValue);
    FAILS(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)100000, 0), cudaErrorInvalidValue);
    FAILS(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, count), cudaErrorInvalidDevice);
#define SAME(field, attribute)                                                                     \
    OK(cudaDeviceGetAttribute(&value, attribute, 0));                                              \
    CHECK((long long)device.field == value, "%s: %lld, " #attribute " is %d", #field, (long long)device.field, value)
    SAME(major, cudaDevAttrComputeCapabilityMajor);
    SAME(minor, cudaDevAttrComputeCapabilityMinor);
    SAME(multiProcessorCount, cudaDevAttrMultiProcessorCount);
    SAME(warpSize, cudaDevAttrWarpSize);
    SAME(maxThreadsPerBlock, cudaDevAttrMaxThreadsPerBlock);
    SAME(maxThreadsPerMultiProcessor, cudaDevAttrMaxThreadsPerMultiProcessor);
    SAME(maxGridSize[0], cudaDevAttrMaxGridDimX);
    SAME(maxThreadsDim[2], cudaDevAttrMaxBlockDimZ);
    SAME(sharedMemPerBlock, cudaDevAttrMaxSharedMemoryPerBlock);
    SAME(sharedMemPerBlockOptin, cudaDevAttrMaxSharedMemoryPerBlockOptin);
    SAME(sharedMemPerMultiprocessor, cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    SAME(reservedSharedMemPerBlock, cudaDevAttrReservedSharedMemoryPerBlock);
    SAME(regsPerMultiprocessor, cudaDevAttrMaxRegistersPerMultiprocessor);
    SAME(l2CacheSize, cudaDevAttrL2CacheSize);
    SAME(cooperativeLaunch, cudaDevAttrCooperativeLaunch);
    SAME(clusterLaunch, cudaDevAttrClusterLaunch);
    SAME(unifiedAddressing, cudaDevAttrUnifiedAddressing);
#undef SAME
    CHECK(device.warpSize == 32 && device.totalGlobalMem > 0, "warps of %d, %zu bytes", device.warpSize,
          device.totalGlobalMem);
    CHECK(device.clusterLaunch == (sm >= 90), "sm_%d: clusters %d", sm, device.clusterLaunch);
    CHECK(device.sharedMemPerBlockOptin + device.reservedSharedMemPerBlock <= device.sharedMemPerMultiprocessor,
        "a block has more shared memory than an SM");
    if (emulated)
        for (int i = 1; i < 148; i++)
            CHECK(cudaDeviceGetAttribute(&value, (cudaDeviceAttr)i, 0) == cudaSuccess, "attribute %d", i);
}

/* ---- launches, and copies of what they made ---- */
static void test_launch(void)
{
    int bad = 0;
    linear<<<BLOCKS, THREADS>>>(mem, N, 3);
    LAUNCH_OK();
    OK(cudaDeviceSynchronize());
    get();
    for (int i = 0; i < N; i++) bad += host[i] != 3 * i + 5 + 7 + 2;
    CHECK(!bad, "%d words are wrong", bad);

    const parameter q = {1, {0, 0, 40}, 3};
    by_value<<<1, 1>>>(mem, q, 5);
    get();
    CHECK(host[0] == 49, "a struct by value: %d", host[0]);

    linear<<<1, 1025>>>(mem, 1, 1);
    LAUNCH_FAILS(cudaErrorInvalidConfiguration);
    linear<<<0, 32>>>(mem, 1, 1);
    LAUNCH_FAILS(cudaErrorInvalidConfiguration);
    linear<<<dim3(1, 65536), 32>>>(mem, 1, 1);
    LAUNCH_FAILS(cudaErrorInvalidConfiguration);
    at_most_128<<<1, 128>>>(mem);
    LAUNCH_OK();
    at_most_128<<<1, 256>>>(mem);
    LAUNCH_FAILS(cudaErrorLaunchOutOfResources);
    FAILS(cudaLaunchKernel((const void *)test_errors, dim3(1), dim3(1), 0, 0, 0), cudaErrorInvalidDeviceFunction);

    int n = N, slope = 2;
    void *args[] = {&mem, &n, &slope};
    OK(cudaLaunchKernel((const void *)linear, dim3(BLOCKS), dim3(THREADS), args, 0, 0));
    get();
    CHECK(host[N - 1] == 2 * (N - 1) + 14, "cudaLaunchKernel: %d", host[N - 1]);
    slope = 1;
    OK(cudaLaunchCooperativeKernel((const void *)linear, dim3(BLOCKS), dim3(THREADS), args, 0, 0));
    get();
    CHECK(host[N - 1] == N - 1 + 14, "cudaLaunchCooperativeKernel: %d", host[N - 1]);
    int blocks = 0;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, linear, 1024, 0));
    blocks *= device.multiProcessorCount;
    CHECK(blocks > 0, "no block of 1024 threads fits");
    OK(cudaLaunchCooperativeKernel((const void *)linear, dim3(blocks), dim3(1024), args, 0, 0));
    FAILS(cudaLaunchCooperativeKernel((const void *)linear, dim3(blocks + 1), dim3(1024), args, 0, 0),
          cudaErrorCooperativeLaunchTooLarge);
}

/* ---- linear copies and fills: directions and bounds ---- */
static void test_copies(void)
{
    int *to;
    OK(cudaMalloc(&to, BYTES));
    linear<<<BLOCKS, THREADS>>>(mem, N, 1);
    OK(cudaMemcpy(to, mem, BYTES, cudaMemcpyDeviceToDevice));
    OK(cudaMemset(to, 0x11, 8));
    OK(cudaMemcpy(host, to, BYTES, cudaMemcpyDefault));
    CHECK(host[0] == 0x11111111 && host[1] == 0x11111111 && host[2] == 16, "%x %x %d", host[0], host[1], host[2]);
    OK(cudaMemcpy(to, host + 2, 4, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(host, to, 4, cudaMemcpyDeviceToHost));
    CHECK(host[0] == 16, "%d", host[0]);
    OK(cudaMemcpy(host + 1, host, 4, cudaMemcpyHostToHost));
    CHECK(host[1] == 16, "%d", host[1]);
    OK(cudaMemcpy(host, to, 0, cudaMemcpyDeviceToHost));
    FAILS(cudaMemcpy(host, mem, BYTES, (cudaMemcpyKind)9), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaMemcpy(host, mem, BYTES + 1, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    FAILS(cudaMemset(mem, 0, BYTES + 4), cudaErrorInvalidValue);
    FAILS(cudaMemset(0, 0, 4), cudaErrorInvalidValue);
    if (emulated) { /* undefined in CUDA, refused here */
        FAILS(cudaMemcpy(host, mem, BYTES, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
        FAILS(cudaMemset(host, 0, 4), cudaErrorInvalidValue);
    }
    OK(cudaFree(to));
}

/* ---- __device__, __constant__ and __managed__ variables ---- */
static void test_symbols(void)
{
    int value = 6;
    float two[2] = {9, 10};
    void *at;
    size_t size;
    offset = 8;
    OK(cudaMemcpyToSymbol(bias, &value, sizeof value));
    OK(cudaMemcpyToSymbol(table, two, sizeof two));
    linear<<<BLOCKS, THREADS>>>(mem, N, 0);
    get();
    CHECK(host[0] == 6 + 8 + 10, "the kernel sees %d", host[0]);
    OK(cudaMemcpyFromSymbol(two, table, 4, 8));
    CHECK(two[0] == 3, "table[2] = %g", two[0]);
    FAILS(cudaMemcpyFromSymbol(two, table, 4, 16), cudaErrorInvalidValue);
    FAILS(cudaMemcpyToSymbol(bias, &value, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    OK(cudaGetSymbolSize(&size, table));
    CHECK(size == sizeof table, "%zu", size);
    OK(cudaGetSymbolAddress(&at, bias));
    value = 0;
    OK(cudaMemcpy(&value, at, 4, cudaMemcpyDeviceToHost));
    CHECK(value == 6, "bias = %d", value);
    OK(cudaGetSymbolAddress(&at, offset));
    CHECK(at == (void *)&offset, "a managed variable has one address");
    FAILS(cudaGetSymbolAddress(&at, host), cudaErrorInvalidSymbol);
}

/* ---- allocations: pageable, pinned, managed, registered, stream-ordered ---- */
static void test_memory(void)
{
    cudaPointerAttributes a;
    size_t free_before, free_after, total;
    unsigned flags = 0;
    int *p, *pinned, *managed, *own = (int *)calloc(N, 4);
    void *at;
    OK(cudaPointerGetAttributes(&a, mem + 3));
    CHECK(a.type == cudaMemoryTypeDevice && a.devicePointer == mem + 3 && a.device == 0, "type %d", a.type);
    OK(cudaPointerGetAttributes(&a, own));
    CHECK(a.type == cudaMemoryTypeUnregistered, "type %d", a.type);
    OK(cudaPointerGetAttributes(&a, &offset));
    CHECK(a.type == cudaMemoryTypeManaged, "type %d", a.type);

    OK(cudaMemGetInfo(&free_before, &total));
    OK(cudaMalloc(&p, 16 << 20));
    OK(cudaMemGetInfo(&free_after, &total));
    CHECK(free_before <= total && free_after + (16 << 20) <= free_before, "%zu of %zu free, then %zu", free_before,
          total, free_after);
    OK(cudaFree(p));
    if (emulated) FAILS(cudaFree(p), cudaErrorInvalidValue);
    if (emulated) FAILS(cudaFree(mem + 1), cudaErrorInvalidValue);
    FAILS(cudaMalloc(&p, total + 1), cudaErrorMemoryAllocation);

    OK(cudaMallocHost(&pinned, BYTES));
    OK(cudaMallocManaged(&managed, BYTES));
    FAILS(cudaMallocManaged(&p, 0), cudaErrorInvalidValue);
    FAILS(cudaMallocManaged(&p, BYTES, 8), cudaErrorInvalidValue);
    for (int i = 0; i < N; i++) pinned[i] = managed[i] = i;
    add_one<<<BLOCKS, THREADS>>>(pinned, N);
    add_one<<<BLOCKS, THREADS>>>(managed, N);
    OK(cudaDeviceSynchronize());
    CHECK(pinned[5] == 6 && managed[N - 1] == N, "%d %d", pinned[5], managed[N - 1]);
    OK(cudaPointerGetAttributes(&a, pinned));
    CHECK(a.type == cudaMemoryTypeHost && a.hostPointer == pinned, "type %d", a.type);
#if CUDART_VERSION >= 13000
    cudaMemLocation here;
    here.type = cudaMemLocationTypeDevice, here.id = 0;
    OK(cudaMemPrefetchAsync(managed, BYTES, here, 0, 0));
    OK(cudaMemAdvise(managed, BYTES, cudaMemAdviseSetReadMostly, here));
    FAILS(cudaMemPrefetchAsync(mem, BYTES, here, 0, 0), cudaErrorInvalidValue);
#endif
    FAILS(cudaFree(pinned), cudaErrorInvalidValue);
    FAILS(cudaFreeHost(mem), cudaErrorInvalidValue);
    OK(cudaFreeHost(pinned));
    OK(cudaFree(managed));
    OK(cudaFreeHost(0));

    OK(cudaHostAlloc(&pinned, BYTES, cudaHostAllocWriteCombined));
    OK(cudaHostGetFlags(&flags, pinned));
    CHECK(flags & cudaHostAllocWriteCombined, "flags %u", flags);
    OK(cudaFreeHost(pinned));
    FAILS(cudaHostAlloc(&pinned, BYTES, 64), cudaErrorInvalidValue);

    for (int i = 0; i < N; i++) own[i] = 3;
    OK(cudaHostRegister(own, BYTES, 0));
    FAILS(cudaHostRegister(own, BYTES, 0), cudaErrorHostMemoryAlreadyRegistered);
    OK(cudaHostGetDevicePointer(&at, own, 0));
    add_one<<<BLOCKS, THREADS>>>((int *)at, N);
    OK(cudaDeviceSynchronize());
    CHECK(own[7] == 4, "%d", own[7]);
    OK(cudaHostUnregister(own));
    FAILS(cudaHostUnregister(own), cudaErrorHostMemoryNotRegistered);
    free(own);

    OK(cudaMallocAsync((void **)&p, 64, 0));
    OK(cudaMemsetAsync(p, 0, 64, 0));
    OK(cudaFreeAsync(p, 0));
    cudaMemPool_t pool;
    uint64_t threshold = 1 << 20, got = 0;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &got));
    CHECK(got == threshold, "%llu", (unsigned long long)got);
}

/* ---- pitched memory: copies and fills of two and three dimensions ---- */
static void test_pitched(void)
{
    enum { W = 100, H = 50 };
    static unsigned char from[W * (H + 1)], to[W * H];
    unsigned char *p;
    size_t pitch;
    for (int i = 0; i < W * (H + 1); i++) from[i] = (unsigned char)(i * 7);
    OK(cudaMallocPitch(&p, &pitch, W, H));
    CHECK(pitch >= W && pitch % device.texturePitchAlignment == 0, "pitch %zu", pitch);
    OK(cudaMemcpy2D(p, pitch, from, W, W, H, cudaMemcpyHostToDevice));
    OK(cudaMemset2D(p + 10, pitch, 0x55, 5, H));
    OK(cudaMemcpy2D(to, W, p, pitch, W, H, cudaMemcpyDeviceToHost));
    int bad = 0;
    for (int i = 0; i < W * H; i++) bad += to[i] != (i % W >= 10 && i % W < 15 ? 0x55 : from[i]);
    CHECK(!bad, "%d bytes are wrong", bad);
    FAILS(cudaMemcpy2D(p, pitch, from, W, W, H + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy2D(p, W / 2, from, W, W, H, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    OK(cudaFree(p));

    cudaPitchedPtr box;
    const cudaExtent extent = make_cudaExtent(20, 10, 5);
    OK(cudaMalloc3D(&box, extent));
    CHECK(box.pitch >= 20 && box.xsize == 20 && box.ysize == 10, "pitch %zu, %zu * %zu", box.pitch, box.xsize,
          box.ysize);
    cudaMemcpy3DParms in, out;
    memset(&in, 0, sizeof in), memset(&out, 0, sizeof out), memset(to, 0, sizeof to);
    in.srcPtr = make_cudaPitchedPtr(from, 20, 20, 10), in.dstPtr = box, in.extent = extent,
        in.kind = cudaMemcpyHostToDevice;
    out.srcPtr = box, out.dstPtr = make_cudaPitchedPtr(to, 20, 20, 10), out.extent = extent,
        out.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&in));
    OK(cudaMemcpy3D(&out));
    CHECK(!memcmp(from, to, 1000) && to[1000] == 0, "20 * 10 * 5 bytes there and back differ");
    OK(cudaMemset3D(box, 0x33, make_cudaExtent(20, 10, 2)));
    OK(cudaMemcpy3D(&out));
    CHECK(to[0] == 0x33 && to[399] == 0x33 && to[400] == from[400], "%x %x %x", to[0], to[399], to[400]);
    OK(cudaFree(box.ptr));
}

/* ---- kernels: attributes, dynamic shared memory, parameters, occupancy ---- */
static void test_functions(void)
{
    const int optin = (int)device.sharedMemPerBlockOptin;
    cudaFuncAttributes a;
    int blocks = 0, grid = 0, block = 0;
    size_t room = 0;
    reverse<<<1, 32, 128>>>(mem);
    LAUNCH_OK();
    get();
    CHECK(host[0] == 31 && host[31] == 0, "%d %d", host[0], host[31]);
    reverse<<<1, 32, 60000>>>(mem);
    LAUNCH_FAILS(cudaErrorInvalidValue);
    FAILS(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, optin + 1), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, optin));
    reverse<<<1, 32, 60000>>>(mem);
    LAUNCH_OK();
    FAILS(cudaFuncSetAttribute(static_16k, cudaFuncAttributeMaxDynamicSharedMemorySize, optin - 16383),
          cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(static_16k, cudaFuncAttributeMaxDynamicSharedMemorySize, optin - 16384));

    OK(cudaFuncGetAttributes(&a, static_16k));
    CHECK(a.sharedSizeBytes == 16384 && a.maxDynamicSharedSizeBytes == optin - 16384, "%zu + %d bytes",
          a.sharedSizeBytes, a.maxDynamicSharedSizeBytes);
    CHECK(a.maxThreadsPerBlock == 1024 && a.numRegs > 0 && a.localSizeBytes == 0, "%d threads, %d registers",
          a.maxThreadsPerBlock, a.numRegs);
    CHECK(a.binaryVersion == sm && a.ptxVersion <= sm && a.ptxVersion >= 75, "sm_%d from compute_%d", a.binaryVersion,
          a.ptxVersion);
    OK(cudaFuncGetAttributes(&a, at_most_128));
    CHECK(a.maxThreadsPerBlock == 128, "%d threads", a.maxThreadsPerBlock);
    FAILS(cudaFuncGetAttributes(&a, (const void *)test_errors), cudaErrorInvalidDeviceFunction);

    size_t at, size;
    const char *name = 0;
    OK(cudaFuncGetParamInfo((const void *)by_value, 1, &at, &size));
    CHECK(at == 8 && size == sizeof(parameter), "at %zu, %zu bytes", at, size);
    FAILS(cudaFuncGetParamInfo((const void *)by_value, 3, &at, &size), cudaErrorInvalidValue);
    OK(cudaFuncGetName(&name, (const void *)by_value));
    CHECK(name && strstr(name, "by_value"), "%s", name ? name : "(null)");

    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, linear, THREADS, 0));
    CHECK(blocks >= 1 && blocks * THREADS <= device.maxThreadsPerMultiProcessor, "%d blocks", blocks);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, THREADS, optin));
    CHECK(blocks == 1, "all of the shared memory: %d blocks", blocks);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, THREADS, optin + 1));
    CHECK(blocks == 0, "more shared memory than there is: %d blocks", blocks);
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&room, reverse, 2, 128));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, room));
    CHECK(room > 0 && blocks >= 2, "with the %zu bytes for two blocks there are %d", room, blocks);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reverse, 128, room + 1024));
    CHECK(blocks < 2, "with 1024 more than the %zu bytes for two blocks there are %d", room, blocks);
    OK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, linear, 0, 0));
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, linear, block, 0));
    CHECK(block % 32 == 0 && grid == blocks * device.multiProcessorCount, "%d blocks of %d", grid, block);
}

/* ---- clusters: fixed when compiled and asked for at the launch ---- */
static void test_clusters(void)
{
    cudaFuncAttributes a;
    cudaLaunchConfig_t config;
    cudaLaunchAttribute attribute[2];
    int n = 0;
    if (code < 90) {
        SKIP("clusters: needs code for compute capability 9.0, this device runs that for %d.%d", code / 10, code % 10);
        return;
    }
    OK(cudaFuncGetAttributes(&a, fixed_cluster));
    CHECK(a.requiredClusterWidth == 2 && a.requiredClusterHeight == 1, "%d * %d", a.requiredClusterWidth,
          a.requiredClusterHeight);
    fixed_cluster<<<4, 32>>>(mem);
    LAUNCH_OK();
    get();
    CHECK(host[0] == 20 && host[1] == 21 && host[2] == 20 && host[3] == 21, "%d %d %d %d", host[0], host[1], host[2],
          host[3]);
    fixed_cluster<<<3, 32>>>(mem); /* no multiple of the cluster */
    CHECK(cudaGetLastError() != cudaSuccess, "3 blocks in clusters of 2");

    memset(&config, 0, sizeof config), memset(attribute, 0, sizeof attribute);
    config.gridDim = dim3(8), config.blockDim = dim3(32), config.attrs = attribute, config.numAttrs = 2;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 4, attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
    attribute[1].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute[1].val.programmaticStreamSerializationAllowed = 1;
    OK(cudaLaunchKernelEx(&config, any_cluster, mem));
    get();
    CHECK(host[0] == 40 && host[3] == 43 && host[7] == 43, "%d %d %d", host[0], host[3], host[7]);
    OK(cudaOccupancyMaxActiveClusters(&n, any_cluster, &config));
    CHECK(n > 0, "%d clusters of 4", n);
    OK(cudaOccupancyMaxPotentialClusterSize(&n, any_cluster, &config));
    CHECK(n == 8, "the largest portable cluster has %d blocks", n);
    attribute[0].val.clusterDim.x = 16, config.gridDim = dim3(16);
    FAILS(cudaLaunchKernelEx(&config, any_cluster, mem), cudaErrorInvalidClusterSize);
    if (sm != 90 && sm != 100) return;
    OK(cudaFuncSetAttribute(any_cluster, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    OK(cudaLaunchKernelEx(&config, any_cluster, mem));
    get();
    CHECK(host[15] == 175, "%d", host[15]);
}

/* ---- instructions that CUDA's own headers and the compiler use seldom ---- */
static int clamp(int v, int low, int high) { return v < low ? low : v > high ? high : v; }
static void test_instructions(void)
{
    enum { PAIRS = 64 };
    int bad = 0, *p;
    for (int i = 0; i < 2 * PAIRS; i++) host[i] = (int)(test_random() >> 16);
    host[0] = (int)0x80ff7f00, host[PAIRS] = 0x7f00ff80, host[1] = -1, host[PAIRS + 1] = 0;
    OK(cudaMalloc(&p, BYTES));
    OK(cudaMemcpy(mem, host, BYTES, cudaMemcpyHostToDevice));
    video<<<1, PAIRS>>>(mem, mem + PAIRS, p);
    LAUNCH_OK();
    int in[2 * PAIRS];
    memcpy(in, host, sizeof in);
    OK(cudaMemcpy(host, p, BYTES, cudaMemcpyDeviceToHost));
    for (int i = 0; i < PAIRS; i++) {
        unsigned want[8] = {0};
        want[7] = 5;
        for (int k = 0; k < 4; k++) {
            const int x = in[i] >> 8 * k & 255, y = in[PAIRS + i] >> 8 * k & 255, sx = (signed char)x,
                      sy = (signed char)y;
            want[0] |= (unsigned)abs(x - y) << 8 * k;
            want[1] |= (unsigned)abs(sx - sy) << 8 * k;
            want[2] += (unsigned)abs(x - y);
            want[3] += (unsigned)abs(sx - sy);
            want[4] |= ((unsigned)clamp(sx + sy, -128, 127) & 255) << 8 * k;
            want[5] |= (unsigned)clamp(x - y, 0, 255) << 8 * k;
        }
        for (int k = 0; k < 2; k++) {
            const int x = (short)(in[i] >> 16 * k), y = (short)(in[PAIRS + i] >> 16 * k);
            want[6] |= ((unsigned)(x > y ? x : y) & 65535) << 16 * k;
            want[7] += (unsigned)(x + (unsigned short)y);
        }
        for (int k = 0; k < 8; k++) {
            const int wrong = (unsigned)host[8 * i + k] != want[k];
            if (wrong && !bad++)
                printf("pair %d, operation %d: %x and %x give %x, want %x\n", i, k, in[i], in[PAIRS + i],
                       host[8 * i + k], want[k]);
        }
    }
    CHECK(!bad, "%d of %d are wrong", bad, 8 * PAIRS);
    OK(cudaFree(p));

    stack<<<1, 40>>>(mem, 3);
    LAUNCH_OK();
    get();
    bad = 0;
    for (int i = 0; i < 40; i++) {
        int want = 0;
        for (int k = 0; k < 3 + i; k++) for (int j = k - 1; j >= 0; j -= 2) want += j * j;
        bad += host[i] != want;
    }
    CHECK(!bad, "alloca: %d of 40 threads", bad);
}

/* ---- streams, events, functions of the host ---- */
static void set_flag(void *flag) { *(int *)flag = 1; }
static void CUDART_CB set_flag_too(cudaStream_t stream, cudaError_t status, void *flag)
{
    *(int *)flag = stream && status == cudaSuccess ? 2 : 3;
}

static void test_streams(void)
{
    cudaStream_t s, other;
    cudaEvent_t begin, end, untimed;
    float ms = -1;
    unsigned flags = 9;
    int least = 9, greatest = 9, priority = 9, flag = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaEventCreate(&begin));
    OK(cudaEventCreate(&end));
    OK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    OK(cudaStreamGetFlags(other, &flags));
    CHECK(flags == cudaStreamNonBlocking, "flags %u", flags);
    OK(cudaEventQuery(end)); /* never recorded: nothing to wait for */
    FAILS(cudaEventElapsedTime(&ms, begin, end), cudaErrorInvalidResourceHandle);

    OK(cudaEventRecord(begin, s));
    OK(cudaMemsetAsync(mem, 0, BYTES, s));
    add_one<<<BLOCKS, THREADS, 0, s>>>(mem, N);
    OK(cudaEventRecord(end, s));
    OK(cudaEventRecord(untimed, s));
    OK(cudaStreamWaitEvent(other, end));
    add_one<<<BLOCKS, THREADS, 0, other>>>(mem, N);
    OK(cudaStreamSynchronize(other));
    OK(cudaStreamQuery(other));
    OK(cudaEventSynchronize(end));
    OK(cudaEventElapsedTime(&ms, begin, end));
    CHECK(ms > 0, "%g ms", ms);
    FAILS(cudaEventElapsedTime(&ms, begin, untimed), cudaErrorInvalidResourceHandle);
    get();
    CHECK(host[0] == 2 && host[N - 1] == 2, "%d %d", host[0], host[N - 1]);
    add_one<<<BLOCKS, THREADS, 0, cudaStreamPerThread>>>(mem, N);
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    add_one<<<BLOCKS, THREADS, 0, cudaStreamLegacy>>>(mem, N);
    get();
    CHECK(host[0] == 4, "%d", host[0]);

    OK(cudaLaunchHostFunc(s, set_flag, &flag));
    OK(cudaStreamSynchronize(s));
    CHECK(flag == 1, "cudaLaunchHostFunc: %d", flag);
    OK(cudaStreamAddCallback(s, set_flag_too, &flag, 0));
    OK(cudaStreamSynchronize(s));
    CHECK(flag == 2, "cudaStreamAddCallback: %d", flag);

    OK(cudaStreamDestroy(s));
    OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(greatest <= least, "priorities %d to %d", least, greatest);
    OK(cudaStreamCreateWithPriority(&s, cudaStreamDefault, greatest - 10));
    OK(cudaStreamGetPriority(s, &priority));
    CHECK(priority == greatest, "priority %d is not cut to %d", priority, greatest);
    OK(cudaStreamDestroy(s));
    if (emulated) { /* undefined in CUDA */
        FAILS(cudaStreamDestroy(s), cudaErrorInvalidResourceHandle);
        add_one<<<1, 32, 0, s>>>(mem, 1);
        LAUNCH_FAILS(cudaErrorInvalidResourceHandle);
    }
    OK(cudaStreamDestroy(other));
    OK(cudaEventDestroy(begin));
    OK(cudaEventDestroy(end));
    OK(cudaEventDestroy(untimed));
}

/* ---- graphs: what two streams captured, launched again and again ---- */
static void test_graphs(void)
{
    cudaStream_t s, joined;
    cudaEvent_t e;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamCaptureStatus status;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&joined, cudaStreamNonBlocking));
    OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
    OK(cudaMemset(mem, 1, BYTES));
    OK(cudaDeviceSynchronize());
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusActive, "status %d", status);
    OK(cudaMemsetAsync(mem, 0, BYTES, s));
    add_one<<<BLOCKS, THREADS, 0, s>>>(mem, N);
    OK(cudaEventRecord(e, s));
    OK(cudaStreamWaitEvent(joined, e));
    OK(cudaStreamIsCapturing(joined, &status));
    CHECK(status == cudaStreamCaptureStatusActive, "the stream that joined: %d", status);
    add_one<<<BLOCKS, THREADS, 0, joined>>>(mem, N);
    OK(cudaEventRecord(e, joined));
    OK(cudaStreamWaitEvent(s, e));
    add_one<<<BLOCKS, THREADS, 0, s>>>(mem, 500);
    OK(cudaStreamEndCapture(s, &graph));
    OK(cudaStreamIsCapturing(joined, &status));
    CHECK(status == cudaStreamCaptureStatusNone, "after the capture: %d", status);
    get();
    CHECK(host[0] == 0x01010101, "the capture itself did the work");
    cudaGraphNode_t node[6];
    cudaGraphNodeType type;
    size_t nodes = 0, kernels = 0, sets = 0;
    OK(cudaGraphGetNodes(graph, 0, &nodes));
    CHECK(nodes == 4, "%zu nodes", nodes);
    memset(node, 1, sizeof node);
    nodes = 6;
    OK(cudaGraphGetNodes(graph, node, &nodes));
    CHECK(nodes == 4 && !node[4] && !node[5], "%zu nodes, then %p %p", nodes, (void *)node[4], (void *)node[5]);
    for (size_t i = 0; i < nodes && i < 6; i++) {
        OK(cudaGraphNodeGetType(node[i], &type));
        kernels += type == cudaGraphNodeTypeKernel;
        sets += type == cudaGraphNodeTypeMemset;
    }
    CHECK(kernels == 3 && sets == 1, "%zu kernels, %zu memsets", kernels, sets);
    FAILS(cudaGraphGetNodes(graph, node, 0), cudaErrorInvalidValue);

    OK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        OK(cudaGraphLaunch(exec, joined));
        OK(cudaStreamSynchronize(joined));
        get();
        CHECK(host[0] == 3 && host[N - 1] == 2, "launch %d: %d %d", i, host[0], host[N - 1]);
    }
    FAILS(cudaEventQuery(e), cudaErrorCapturedEvent);
    OK(cudaGraphDestroy(graph));
    OK(cudaMemset(mem, 1, BYTES));
    OK(cudaGraphLaunch(exec, 0)); /* it lives on without its graph */
    get();
    CHECK(host[0] == 3, "%d", host[0]);
    OK(cudaGraphExecDestroy(exec));
    OK(cudaEventDestroy(e));
    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(joined));
}

/* the capture of s ends with the error and without a graph, and s is of use again */
static void ends_with(cudaStream_t s, cudaError_t want, int line)
{
    cudaGraph_t graph = (cudaGraph_t)&line;
    cudaStreamCaptureStatus status;
    const cudaError_t err = cudaStreamEndCapture(s, &graph);
    (void)cudaGetLastError();
    CHECK(err == want, "line %d: the capture ends with %s, want %s", line, cudaGetErrorName(err),
          cudaGetErrorName(want));
    CHECK(!graph, "line %d: there is a graph", line);
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusNone, "line %d: status %d", line, status);
    OK(cudaStreamSynchronize(s));
}

/* ---- what a capture does not permit: the call fails, and mostly the capture with it ---- */
static void test_capture_errors(void)
{
    cudaStream_t s, other, blocking;
    cudaEvent_t before, inside, outside;
    cudaStreamCaptureStatus status;
    cudaGraph_t graph;
    OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    OK(cudaStreamCreate(&blocking));
    OK(cudaEventCreate(&before));
    OK(cudaEventCreate(&inside));
    OK(cudaEventCreate(&outside));
    OK(cudaEventRecord(before, s));
    FAILS(cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal), cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(s, &graph) != cudaSuccess, "the end of no capture");
    (void)cudaGetLastError();

    /* to wait for it */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMemsetAsync(mem, 0, BYTES, s));
    FAILS(cudaStreamSynchronize(s), cudaErrorStreamCaptureUnsupported);
    OK(cudaStreamIsCapturing(s, &status));
    CHECK(status == cudaStreamCaptureStatusInvalidated, "status %d", status);
    FAILS(cudaMemsetAsync(mem, 0, BYTES, s), cudaErrorStreamCaptureInvalidated);
    ends_with(s, cudaErrorStreamCaptureInvalidated, __LINE__);
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    FAILS(cudaDeviceSynchronize(), cudaErrorStreamCaptureUnsupported);
    ends_with(s, cudaErrorStreamCaptureInvalidated, __LINE__);

    /* to wait for an event of it */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(inside, s));
    FAILS(cudaEventSynchronize(inside), cudaErrorCapturedEvent);
    ends_with(s, cudaErrorStreamCaptureInvalidated, __LINE__);

    /* to wait in it for what is outside of it */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    FAILS(cudaStreamWaitEvent(s, before), cudaErrorStreamCaptureIsolation);
    ends_with(s, cudaErrorStreamCaptureInvalidated, __LINE__);

    /* to wait in it for another capture */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(outside, other));
    FAILS(cudaStreamWaitEvent(s, outside), cudaErrorStreamCaptureMerge);
    ends_with(s, cudaErrorStreamCaptureInvalidated, __LINE__);
    ends_with(other, cudaErrorStreamCaptureInvalidated, __LINE__);

    /* the legacy default stream would have to wait for it */
    OK(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
    add_one<<<1, 32>>>(mem, 1);
    LAUNCH_FAILS(cudaErrorStreamCaptureImplicit);
    ends_with(blocking, cudaErrorStreamCaptureInvalidated, __LINE__);

    /* a stream joined it and is not waited for; or ends it in place of the first */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaEventRecord(inside, s));
    OK(cudaStreamWaitEvent(other, inside));
    OK(cudaMemsetAsync(mem, 0, BYTES, other));
    FAILS(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
    ends_with(s, emulated ? cudaErrorStreamCaptureUnjoined : cudaErrorStreamCaptureInvalidated, __LINE__);
    OK(cudaStreamIsCapturing(other, &status));
    CHECK(status == cudaStreamCaptureStatusNone, "status %d", status);

    /* a joined stream without work of its own need not be waited for; an event of a capture that is over joins
     * nothing */
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
    OK(cudaMemsetAsync(mem, 0, BYTES, s));
    OK(cudaEventRecord(inside, s));
    OK(cudaStreamWaitEvent(other, inside));
    OK(cudaStreamEndCapture(s, &graph));
    if (emulated) OK(cudaStreamWaitEvent(other, inside));
    OK(cudaStreamIsCapturing(other, &status));
    CHECK(status == cudaStreamCaptureStatusNone, "status %d", status);
    OK(cudaGraphDestroy(graph));

    OK(cudaStreamDestroy(s));
    OK(cudaStreamDestroy(other));
    OK(cudaStreamDestroy(blocking));
    OK(cudaEventDestroy(before));
    OK(cudaEventDestroy(inside));
    OK(cudaEventDestroy(outside));
}

/* ---- threads of the host at once, each with memory and errors of its own ---- */
static void *work(void *failed)
{
    int *p, now[100], bad = 0;
    bad += cudaMalloc(&p, sizeof now) != cudaSuccess || cudaMemset(p, 0, sizeof now) != cudaSuccess;
    for (int i = 0; i < 5; i++) add_one<<<1, 100>>>(p, 100);
    bad += cudaGetLastError() != cudaSuccess || cudaMemcpy(now, p, sizeof now, cudaMemcpyDefault) != cudaSuccess;
    for (int i = 0; i < 100; i++) bad += now[i] != 5;
    bad += cudaFree(p) != cudaSuccess;
    bad += cudaSetDevice(-1) != cudaErrorInvalidDevice; /* the last error of this thread alone */
    *(int *)failed = bad;
    return 0;
}

static void test_threads(void)
{
    enum { WORKERS = 4 };
    pthread_t thread[WORKERS];
    int bad[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        if (pthread_create(&thread[i], 0, work, &bad[i])) exit(1);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(thread[i], 0);
        CHECK(bad[i] == 0, "thread %d: %d things went wrong", i, bad[i]);
    }
    CHECK(cudaGetLastError() == cudaSuccess, "another thread's error");
}

/* ---- functions of the driver by name ---- */
static void test_entry_points(void)
{
    void *f = 0;
    cudaDriverEntryPointQueryResult found;
    OK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found));
    CHECK(f && found == cudaDriverEntryPointSuccess, "%p, %d", f, found);
    OK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &f, 12000, cudaEnableDefault, &found));
    CHECK(!f && found == cudaDriverEntryPointSymbolNotFound, "%p, %d", f, found);
}

/* ---- the end: variables have their first values again ---- */
static void test_reset(void)
{
    OK(cudaFree(mem));
    OK(cudaDeviceReset());
    OK(cudaMalloc(&mem, BYTES));
    linear<<<BLOCKS, THREADS>>>(mem, N, 0);
    get();
    CHECK(host[0] == 5 + 7 + 2, "%d", host[0]);
    OK(cudaFree(mem));
}

/* ---- kernels that take the context down: every later call gives the same error ---- */
static const cudaError_t fatal_error[FATAL] = {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorAssert,
                                               cudaErrorMisalignedAddress};

static int run_fatal(int kind)
{
    const cudaError_t want = fatal_error[kind];
    cudaError_t err;
    CUDA_CHECK(cudaMalloc(&mem, BYTES));
    fatal<<<1, 32>>>(kind, mem);
#define STAYS(call)                                                                                                   \
    err = (call);                                                                                                     \
    CHECK(err == want, "kind %d: %s: %s, want %s", kind, #call, cudaGetErrorName(err), cudaGetErrorName(want))
    STAYS(cudaDeviceSynchronize());
    STAYS(cudaGetLastError());
    STAYS(cudaGetLastError());
    STAYS(cudaMalloc(&mem, BYTES));
    STAYS(cudaMemcpy(host, mem, BYTES, cudaMemcpyDeviceToHost));
    set_one<<<1, 1>>>(mem);
    STAYS(cudaPeekAtLastError());
    STAYS(cudaStreamSynchronize(0));
#undef STAYS
    return test_failed != 0;
}

static void test_fatal(const char *self)
{
    const char *code = getenv("TCEMU_ERROR_EXITCODE");
    /* tcemu says by the exit status that it has reported something */
    const int want = emulated ? code ? atoi(code) : 86 : 0;
    fflush(stdout);
    for (int i = 0; i < FATAL; i++) {
        char kind[2] = {(char)('0' + i), 0};
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", self, kind, (char *)0);
            _exit(127);
        }
        waitpid(child, &status, 0);
        CHECK(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == want, "kind %d: status %#x, want exit %d", i,
              status, want);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) return run_fatal((argv[1][0] - '0') & 3);
    sm = test_device();
    if (sm == 0) {
        SKIP("the runtime API: there is no device");
        return test_end();
    }
    CUDA_CHECK(cudaGetDeviceProperties(&device, 0));
    emulated = strstr(device.name, "tcemu") != 0;
    cudaFuncAttributes a;
    if (cudaFuncGetAttributes(&a, linear) == cudaErrorNoKernelImageForDevice) {
        SKIP("the runtime API: the program has no code for compute capability %d.%d", sm / 10, sm % 10);
        return test_end();
    }
    code = a.ptxVersion;
    CUDA_CHECK(cudaMalloc(&mem, BYTES));
    test_errors();
    test_device_answers();
    test_launch();
    test_copies();
    test_symbols();
    test_memory();
    test_pitched();
    test_functions();
    test_instructions();
    test_clusters();
    test_streams();
    test_graphs();
    test_capture_errors();
    test_threads();
    test_entry_points();
    test_reset();
    test_fatal(argv[0]);
    return test_end();
}
