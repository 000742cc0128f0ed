/* tc_kernel.h - tc 0.1.0 - what the generated kernels share: rings, stubs for other targets, device checks, launch. Needs: the headers below.
 *
 * tc_gemm.h and tc_attn.h stand on this. For kernels of your own:
 *
 *     tc_ring, tc_ring_next, tc_ring_skip    position in a ring of shared-memory slots with a full and an empty mbarrier each
 *     tc_uniform                             a value that is the same in all lanes, known to the compiler as such
 *
 * The rest (tc__, TC__) is private: which target a kernel was built for, whether a device can run it, and how it is launched.
 */
#ifndef TC_KERNEL_H
#define TC_KERNEL_H

#include "tc_core.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"

#define TC__SM90_SMEM_MAX 232448 /* 227 KB, what a block of sm_90 may have */

#ifdef __CUDACC__

/* Two f32 to two 16-bit elements of type. */
TC_DEV_SM80 uint32_t tc__pack(const int type, float x, float y) { return type == TC_BF16 ? tc_bf16x2(x, y) : tc_f16x2(x, y); }

/* The low 16 bits of w, an element of type, to f32. */
TC_DEV float tc__unpack(const int type, uint32_t w)
{
    return type == TC_BF16 ? tc_f32_from_bits(w << 16) : tc_f32_from_f16((uint16_t)w);
}

/* wait_group with a constant that is no literal: folds to one instruction. */
TC_DEV_SM80 void tc__cp_async_wait(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_WAIT_GROUP(0); break;
    case 1: TC_CP_ASYNC_WAIT_GROUP(1); break;
    case 2: TC_CP_ASYNC_WAIT_GROUP(2); break;
    case 3: TC_CP_ASYNC_WAIT_GROUP(3); break;
    default: TC_CP_ASYNC_WAIT_GROUP(4); break;
    }
}

TC_DEV_SM90 void tc__bulk_wait_read(const int n)
{
    switch (n) {
    case 0: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0); break;
    case 1: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(1); break;
    case 2: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(2); break;
    default: TC_CP_ASYNC_BULK_WAIT_GROUP_READ(3); break;
    }
}

/* A value that is the same in all 32 lanes, which must call this together: redux.sync leaves it in a uniform register, so that
 * ptxas takes loops and branches over it for uniform. PTX: redux.sync, sm_80. */
TC_DEV_SM80 uint32_t tc_uniform(uint32_t x)
{
    uint32_t r;
    asm volatile("redux.sync.or.b32 %0, %1, 0xffffffff;" : "=r"(r) : "r"(x));
    return r;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Position in a ring of `stages` slots, each with a full and an empty barrier. phase is the parity of the current lap:
 * consumers wait full with phase, producers wait empty with phase ^ 1 (which a fresh barrier passes).
 */
typedef struct tc_ring {
    uint32_t stage, phase;
} tc_ring;

TC_DEV void tc_ring_next(tc_ring *r, const int stages)
{
    if (++r->stage == (uint32_t)stages) {
        r->stage = 0;
        r->phase ^= 1u;
    }
}

/* Skips a run of slots given as its remainder and quotient by stages (the host can divide: a division here would drag the
 * position out of the uniform registers). */
TC_DEV void tc_ring_skip(tc_ring *r, uint32_t slots, uint32_t laps, const int stages)
{
    r->stage += slots;
    r->phase ^= laps & 1u;
    if (r->stage >= (uint32_t)stages) {
        r->stage -= (uint32_t)stages;
        r->phase ^= 1u;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Kernels and the targets they are built for.
 */
/* NVRTC has no host side and finds a kernel by its name; elsewhere a kernel belongs to its file. */
#ifdef __CUDACC_RTC__
#define TC__KERNEL extern "C" __global__ void
#else
#define TC__KERNEL static __global__ void
#endif

/* A kernel that other targets may be built beside: theirs is a stub bounded to one warp, by which the host knows it. */
#if TC_HAS_SM90A
#define TC__SM90_BOUND(threads) threads
#define TC__IF_SM90A(...) __VA_ARGS__
#else
#define TC__SM90_BOUND(threads) 32
#define TC__IF_SM90A(...)
#endif
#if TC_HAS_SM80
#define TC__SM80_BOUND(threads) threads
#define TC__IF_SM80(...) __VA_ARGS__
#else
#define TC__SM80_BOUND(threads) 32
#define TC__IF_SM80(...)
#endif

/* A generator of sm_90a kernels alone in a build for another target: an error at the user's line, or with TC_SM90_STUBS a stub. */
#ifdef TC_SM90_STUBS
#define TC__SM90_STRICT(...) TC__IF_SM90A(__VA_ARGS__)
#else
#define TC__SM90_STRICT(...) __VA_ARGS__
#endif

#endif /* __CUDACC__ */

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: what a device can run, and the launch.
 */
#if defined(__CUDACC_RTC__) || defined(TC_NO_HOST)
#define TC__HOST_PART(...)
#else
#define TC__HOST_PART(...) __VA_ARGS__
#endif

/* What every generator declares: NAME_can_run, which checks only, and NAME_run, both over NAME__go. */
#define TC__ENTRIES(name, arguments)                                                                                  \
    TC_HOST tc_status name##_can_run(const arguments *args, const char **why)                                         \
    {                                                                                                                 \
        const tc_status st = name##__go(args, 0, 0);                                                                  \
        if (why) *why = st == TC_OK ? "" : tc_why();                                                                  \
        return st;                                                                                                    \
    }                                                                                                                 \
    TC_HOST tc_status name##_run(const arguments *args, cudaStream_t stream) { return name##__go(args, stream, 1); }

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

#define TC__MAX_DEVICES 64

/* What a kernel's first call on a device found out: 0 for nothing yet, else 1 + the clusters that run at a time.
 * Any thread may write it, and all write the same. */
typedef struct tc__kernel_cache {
    volatile int clusters[TC__MAX_DEVICES];
} tc__kernel_cache;

/* One kernel as the host sees it. */
typedef struct tc__kernel {
    const void *function;
    const char *name;
    int threads, smem, cluster, cc; /* cc: 90 for exactly 9.0, 80 for 8.0 and later */
    tc__kernel_cache *cache;
} tc__kernel;

/* Which of TMA's rules one operand breaks; TC__TMA_FITS for none. */
enum { TC__TMA_FITS = 0, TC__TMA_BASE, TC__TMA_PITCH, TC__TMA_STRIDE, TC__TMA_REACH };

TC_HOST int tc__tma_breaks(const void *p, int64_t pitch, int64_t stride, int batch, int bytes)
{
    const int64_t reach = (int64_t)1 << 40;
    return (uintptr_t)p % 16                                      ? TC__TMA_BASE
         : pitch * bytes % 16                                     ? TC__TMA_PITCH
         : batch > 1 && stride * bytes % 16                       ? TC__TMA_STRIDE
         : pitch * bytes >= reach || stride * bytes >= reach      ? TC__TMA_REACH
                                                                  : TC__TMA_FITS;
}

TC_HOST tc_status tc__cuda_fail(const char *call, cudaError_t err)
{
    (void)cudaGetLastError(); /* ours to report, not the next call's to find */
    return tc__fail(TC_ERR_CUDA, "%s: %s", call, cudaGetErrorString(err));
}

TC_HOST cudaLaunchConfig_t tc__kernel_launch_config(const tc__kernel *k, unsigned blocks, cudaStream_t stream, int pdl,
                                                  cudaLaunchAttribute *attributes)
{
    cudaLaunchConfig_t l;
    memset((void *)&l, 0, sizeof l);
    l.gridDim.x = blocks;
    l.gridDim.y = l.gridDim.z = 1;
    l.blockDim.x = (unsigned)k->threads;
    l.blockDim.y = l.blockDim.z = 1;
    l.dynamicSmemBytes = (size_t)k->smem;
    l.stream = stream;
    l.attrs = attributes;
    if (k->cluster > 1) {
        attributes[l.numAttrs].id = cudaLaunchAttributeClusterDimension;
        attributes[l.numAttrs].val.clusterDim.x = (unsigned)k->cluster;
        attributes[l.numAttrs].val.clusterDim.y = attributes[l.numAttrs].val.clusterDim.z = 1;
        l.numAttrs++;
    }
    if (pdl) {
        attributes[l.numAttrs].id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attributes[l.numAttrs].val.programmaticStreamSerializationAllowed = 1;
        l.numAttrs++;
    }
    return l;
}

/* May this device run the kernel, and how many of its clusters at a time? The answer is kept after the first call. */
TC_HOST tc_status tc__kernel_device(const tc__kernel *k, int *clusters)
{
    struct cudaFuncAttributes attr;
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch;
    cudaError_t err;
    int device, major = 0, minor = 0, smem = 0, count = 0;
    if ((err = cudaGetDevice(&device)) != cudaSuccess) return tc__cuda_fail("cudaGetDevice", err);
    if (device < TC__MAX_DEVICES && k->cache->clusters[device]) {
        *clusters = k->cache->clusters[device] - 1;
        return TC_OK;
    }
    if ((err = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&smem, cudaDevAttrMaxSharedMemoryPerBlockOptin, device)) != cudaSuccess ||
        (err = cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device)) != cudaSuccess)
        return tc__cuda_fail("cudaDeviceGetAttribute", err);
    if (k->cc == 90 ? major * 10 + minor != 90 : major < 8)
        return tc__fail(TC_ERR_DEVICE, "%s needs compute capability %s, device %d has %d.%d", k->name,
                        k->cc == 90 ? "9.0" : "8.0 or later", device, major, minor);
    if (k->smem > smem)
        return tc__fail(TC_ERR_SMEM, "%s needs %d bytes of shared memory, device %d gives a block %d", k->name, k->smem, device, smem);
    err = cudaFuncGetAttributes(&attr, k->function);
    /* A build without this target holds a stub, which is bounded to one warp. */
    if (err != cudaSuccess || attr.maxThreadsPerBlock < k->threads) {
        (void)cudaGetLastError();
        return tc__fail(TC_ERR_IMAGE, "%s was not compiled for device %d (%d.%d): add -gencode arch=compute_%d%s,code=sm_%d%s", k->name, device,
                        major, minor, k->cc == 90 ? 90 : major * 10 + minor, k->cc == 90 ? "a" : "",
                        k->cc == 90 ? 90 : major * 10 + minor, k->cc == 90 ? "a" : "");
    }
    if ((err = cudaFuncSetAttribute(k->function, cudaFuncAttributeMaxDynamicSharedMemorySize, k->smem)) != cudaSuccess)
        return tc__cuda_fail("cudaFuncSetAttribute", err);
    if (k->cluster > 1) {
        launch = tc__kernel_launch_config(k, (unsigned)k->cluster, 0, 0, attributes);
        err = cudaOccupancyMaxActiveClusters(&count, k->function, &launch);
        if (err != cudaSuccess || count < 1) {
            (void)cudaGetLastError();
            return tc__fail(TC_ERR_CLUSTER, "%s: no cluster of %d blocks with %d bytes of shared memory each fits on device %d", k->name,
                            k->cluster, k->smem, device);
        }
    }
    *clusters = count;
    if (device < TC__MAX_DEVICES) k->cache->clusters[device] = count + 1;
    return TC_OK;
}

TC_HOST tc_status tc__kernel_launch(const tc__kernel *k, unsigned blocks, const void *params, int pdl, cudaStream_t stream)
{
    cudaLaunchAttribute attributes[2];
    cudaLaunchConfig_t launch = tc__kernel_launch_config(k, blocks, stream, pdl && k->cc == 90, attributes);
    void *arguments[1];
    cudaError_t err;
    arguments[0] = (void *)(uintptr_t)params;
    err = cudaLaunchKernelExC(&launch, k->function, arguments);
    return err == cudaSuccess ? TC_OK : tc__cuda_fail(k->name, err);
}

/* A hook's arguments, prefix_args and prefix_size; defined: the size that the kernel was defined with, or 0. */
TC_HOST tc_status tc__check_hook(const char *prefix, int defined, const void *args, size_t size)
{
    if (size > TC_EPI_MAX) return tc__fail(TC_ERR_EPI, "%s_size = %llu is above TC_EPI_MAX = %d bytes", prefix, (unsigned long long)size, TC_EPI_MAX);
    if (defined && size != (size_t)defined)
        return tc__fail(TC_ERR_EPI, "%s_size = %llu, but the kernel was defined with .%s_size = %d", prefix, (unsigned long long)size, prefix, defined);
    if (size && !args) return tc__fail(TC_ERR_EPI, "%s_args is null, but %s_size = %llu", prefix, prefix, (unsigned long long)size);
    if (args && !size) return tc__fail(TC_ERR_EPI, "%s_size = 0, but %s_args is given", prefix, prefix);
    return TC_OK;
}

/* A tensor map; where it breaks a rule the sentence begins with the operand's name. */
TC_HOST tc_status tc__tmap_named(tc_tmap *map, const char *name, const tc_tmap_desc *d)
{
    const tc_status st = tc_tmap_encode(map, d);
    char why[TC_WHY_SIZE];
    if (st == TC_OK) return st;
    memcpy(why, tc_why(), sizeof why);
    return tc__fail(st, "%s: %.200s", name, why);
}

/* Is the current device one of compute capability 9.0, which alone runs the sm_90a kernels? */
TC_HOST int tc__on_hopper(void)
{
    int device, major = 0, minor = 0;
    return cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) == cudaSuccess
        && cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) == cudaSuccess && major == 9 && minor == 0;
}

#endif /* host */
#endif /* TC_KERNEL_H */
