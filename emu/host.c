/* host.c - the CUDA runtime API. Functions of libcudart that are not emulated are stubs: the table at the end names
 * them all, so that none reaches the real library, which would only say that there is no driver. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"

/* ---- Errors ---- */
static __thread int last_error;
static int keep(int e) { if (e) last_error = e; return e; }
/* Every API function is this: lock, fail if an earlier kernel took the context down, do it, remember the error */
#define RT(expr) do { host_lock(); driver_use_primary(); int e_ = host_sticky(); e_ = e_ ? e_ : (int)(expr); \
    host_unlock(); return (cudaError_t)keep(e_); } while (0)
/* Those that work even then */
#define RT_ALWAYS(expr) do { host_lock(); int e_ = (int)(expr); host_unlock(); return (cudaError_t)keep(e_); } while (0)

cudaError_t cudaGetLastError(void)
{
    int e = host_sticky() ? host_sticky() : last_error;
    last_error = 0;
    return (cudaError_t)e;
}
cudaError_t cudaPeekAtLastError(void) { return (cudaError_t)(host_sticky() ? host_sticky() : last_error); }

static const struct { int code; const char *name; } names[] = {
#define N(x) { x, #x }
    N(cudaSuccess), N(cudaErrorInvalidValue), N(cudaErrorMemoryAllocation), N(cudaErrorInitializationError),
    N(cudaErrorCudartUnloading), N(cudaErrorProfilerDisabled), N(cudaErrorProfilerNotInitialized),
    N(cudaErrorProfilerAlreadyStarted), N(cudaErrorProfilerAlreadyStopped), N(cudaErrorInvalidConfiguration),
    N(cudaErrorInvalidPitchValue), N(cudaErrorInvalidSymbol), N(cudaErrorInvalidHostPointer),
    N(cudaErrorInvalidDevicePointer), N(cudaErrorInvalidTexture), N(cudaErrorInvalidTextureBinding),
    N(cudaErrorInvalidChannelDescriptor), N(cudaErrorInvalidMemcpyDirection), N(cudaErrorAddressOfConstant),
    N(cudaErrorTextureFetchFailed), N(cudaErrorTextureNotBound), N(cudaErrorSynchronizationError),
    N(cudaErrorInvalidFilterSetting), N(cudaErrorInvalidNormSetting), N(cudaErrorMixedDeviceExecution),
    N(cudaErrorNotYetImplemented), N(cudaErrorMemoryValueTooLarge), N(cudaErrorStubLibrary),
    N(cudaErrorInsufficientDriver), N(cudaErrorCallRequiresNewerDriver), N(cudaErrorInvalidSurface),
    N(cudaErrorDuplicateVariableName), N(cudaErrorDuplicateTextureName), N(cudaErrorDuplicateSurfaceName),
    N(cudaErrorDevicesUnavailable), N(cudaErrorIncompatibleDriverContext), N(cudaErrorMissingConfiguration),
    N(cudaErrorPriorLaunchFailure), N(cudaErrorLaunchMaxDepthExceeded), N(cudaErrorLaunchFileScopedTex),
    N(cudaErrorLaunchFileScopedSurf), N(cudaErrorSyncDepthExceeded), N(cudaErrorLaunchPendingCountExceeded),
    N(cudaErrorInvalidDeviceFunction), N(cudaErrorNoDevice), N(cudaErrorInvalidDevice), N(cudaErrorDeviceNotLicensed),
    N(cudaErrorSoftwareValidityNotEstablished), N(cudaErrorStartupFailure), N(cudaErrorInvalidKernelImage),
    N(cudaErrorDeviceUninitialized), N(cudaErrorMapBufferObjectFailed), N(cudaErrorUnmapBufferObjectFailed),
    N(cudaErrorArrayIsMapped), N(cudaErrorAlreadyMapped), N(cudaErrorNoKernelImageForDevice),
    N(cudaErrorAlreadyAcquired), N(cudaErrorNotMapped), N(cudaErrorNotMappedAsArray), N(cudaErrorNotMappedAsPointer),
    N(cudaErrorECCUncorrectable), N(cudaErrorUnsupportedLimit), N(cudaErrorDeviceAlreadyInUse),
    N(cudaErrorPeerAccessUnsupported), N(cudaErrorInvalidPtx), N(cudaErrorInvalidGraphicsContext),
    N(cudaErrorNvlinkUncorrectable), N(cudaErrorJitCompilerNotFound), N(cudaErrorUnsupportedPtxVersion),
    N(cudaErrorJitCompilationDisabled), N(cudaErrorUnsupportedExecAffinity), N(cudaErrorUnsupportedDevSideSync),
    N(cudaErrorContained), N(cudaErrorInvalidSource), N(cudaErrorFileNotFound), N(cudaErrorSharedObjectSymbolNotFound),
    N(cudaErrorSharedObjectInitFailed), N(cudaErrorOperatingSystem), N(cudaErrorInvalidResourceHandle),
    N(cudaErrorIllegalState), N(cudaErrorLossyQuery), N(cudaErrorSymbolNotFound), N(cudaErrorNotReady),
    N(cudaErrorIllegalAddress), N(cudaErrorLaunchOutOfResources), N(cudaErrorLaunchTimeout),
    N(cudaErrorLaunchIncompatibleTexturing), N(cudaErrorPeerAccessAlreadyEnabled), N(cudaErrorPeerAccessNotEnabled),
    N(cudaErrorSetOnActiveProcess), N(cudaErrorContextIsDestroyed), N(cudaErrorAssert), N(cudaErrorTooManyPeers),
    N(cudaErrorHostMemoryAlreadyRegistered), N(cudaErrorHostMemoryNotRegistered), N(cudaErrorHardwareStackError),
    N(cudaErrorIllegalInstruction), N(cudaErrorMisalignedAddress), N(cudaErrorInvalidAddressSpace),
    N(cudaErrorInvalidPc), N(cudaErrorLaunchFailure), N(cudaErrorCooperativeLaunchTooLarge),
    N(cudaErrorTensorMemoryLeak), N(cudaErrorNotPermitted), N(cudaErrorNotSupported), N(cudaErrorSystemNotReady),
    N(cudaErrorSystemDriverMismatch), N(cudaErrorCompatNotSupportedOnDevice), N(cudaErrorMpsConnectionFailed),
    N(cudaErrorMpsRpcFailure), N(cudaErrorMpsServerNotReady), N(cudaErrorMpsMaxClientsReached),
    N(cudaErrorMpsMaxConnectionsReached), N(cudaErrorMpsClientTerminated), N(cudaErrorCdpNotSupported),
    N(cudaErrorCdpVersionMismatch), N(cudaErrorStreamCaptureUnsupported), N(cudaErrorStreamCaptureInvalidated),
    N(cudaErrorStreamCaptureMerge), N(cudaErrorStreamCaptureUnmatched), N(cudaErrorStreamCaptureUnjoined),
    N(cudaErrorStreamCaptureIsolation), N(cudaErrorStreamCaptureImplicit), N(cudaErrorCapturedEvent),
    N(cudaErrorStreamCaptureWrongThread), N(cudaErrorTimeout), N(cudaErrorGraphExecUpdateFailure),
    N(cudaErrorExternalDevice), N(cudaErrorInvalidClusterSize), N(cudaErrorFunctionNotLoaded),
    N(cudaErrorInvalidResourceType), N(cudaErrorInvalidResourceConfiguration), N(cudaErrorUnknown)
#undef N
};
const char *cudaGetErrorName(cudaError_t e)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) if (names[i].code == (int)e) return names[i].name;
    return "unrecognized error code";
}
const char *cudaGetErrorString(cudaError_t e)
{
    const char *s = host_error_string((int)e);
    return s ? s : "unrecognized error code";
}

/* ---- The device ---- */
#define DEV(d) ((d) != 0 ? cudaErrorInvalidDevice : 0)
#define SET(p, v) ((p) ? (*(p) = (v), 0) : (int)cudaErrorInvalidValue)

cudaError_t cudaDriverGetVersion(int *v) { RT_ALWAYS(SET(v, CUDA_VERSION)); }
cudaError_t cudaRuntimeGetVersion(int *v) { RT_ALWAYS(SET(v, CUDART_VERSION)); }
cudaError_t cudaGetDeviceCount(int *n) { RT_ALWAYS(SET(n, 1)); }
cudaError_t cudaGetDevice(int *d) { RT_ALWAYS(SET(d, 0)); }
cudaError_t cudaSetDevice(int d) { RT(DEV(d)); }
cudaError_t cudaInitDevice(int d, unsigned flags, unsigned f) { (void)flags; (void)f; RT(DEV(d)); }
static unsigned device_flags;
cudaError_t cudaSetDeviceFlags(unsigned f) { RT((device_flags = f, 0)); }
cudaError_t cudaGetDeviceFlags(unsigned *f) { RT(SET(f, device_flags | cudaDeviceMapHost)); }
cudaError_t cudaSetValidDevices(int *d, int n) { RT(!d || n < 1 ? (int)cudaErrorInvalidValue : DEV(d[0])); }
cudaError_t cudaChooseDevice(int *d, const struct cudaDeviceProp *p) { (void)p; RT(SET(d, 0)); }
cudaError_t cudaDeviceGetAttribute(int *v, enum cudaDeviceAttr a, int d)
{
    RT(DEV(d) ? DEV(d) : host_device_attribute(v, (int)a));
}
cudaError_t cudaDeviceSynchronize(void) { RT(host_device_sync(__func__)); }
cudaError_t cudaDeviceReset(void) { RT_ALWAYS((last_error = 0, host_reset())); }
cudaError_t cudaDeviceSetLimit(enum cudaLimit l, size_t v) { RT(host_limit((int)l, NULL, v)); }
cudaError_t cudaDeviceGetLimit(size_t *v, enum cudaLimit l)
{
    RT(v ? host_limit((int)l, v, 0) : (int)cudaErrorInvalidValue);
}
static enum cudaFuncCache cache_config;
cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *c) { RT(SET(c, cache_config)); }
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache c) { RT((cache_config = c, 0)); }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *c) { RT(SET(c, cudaSharedMemBankSizeFourByte)); }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig c) { (void)c; RT(0); }
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    RT((least ? *least = 0 : 0, greatest ? *greatest = -5 : 0, 0));
}
cudaError_t cudaDeviceGetPCIBusId(char *s, int n, int d)
{
    RT(DEV(d) ? DEV(d) : !s || n < 13 ? (int)cudaErrorInvalidValue : (snprintf(s, (size_t)n, "0000:01:00.0"), 0));
}
cudaError_t cudaDeviceGetByPCIBusId(int *d, const char *s)
{
    RT(!s || !d ? (int)cudaErrorInvalidValue : strstr(s, "01:00") ? SET(d, 0) : (int)cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceCanAccessPeer(int *v, int d, int p) { RT(DEV(d) ? DEV(d) : DEV(p) ? DEV(p) : SET(v, 0)); }
cudaError_t cudaDeviceEnablePeerAccess(int p, unsigned f) { (void)p; (void)f; RT(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int p) { (void)p; RT(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceGetP2PAttribute(int *v, enum cudaDeviceP2PAttr a, int s, int d)
{
    (void)v; (void)a; (void)s; (void)d;
    RT(cudaErrorInvalidDevice);
}
cudaError_t cudaCtxResetPersistingL2Cache(void) { RT(0); }
cudaError_t cudaProfilerStart(void) { RT(0); }
cudaError_t cudaProfilerStop(void) { RT(0); }
cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(enum cudaFlushGPUDirectRDMAWritesTarget t,
                                               enum cudaFlushGPUDirectRDMAWritesScope s)
{
    (void)t; (void)s;
    RT(0);
}

static int attribute(int a) { int v = 0; host_device_attribute(&v, a); return v; }
static int properties(struct cudaDeviceProp *p)
{
    const emu_device *d = emu_opt.device;
    if (!p) return cudaErrorInvalidValue;
    memset(p, 0, sizeof *p);
    snprintf(p->name, sizeof p->name, "%s", d->name);
    memcpy(p->uuid.bytes, "tcemu device   ", 15);
    p->uuid.bytes[15] = (char)d->sm;
    p->totalGlobalMem = d->memory;
    p->totalConstMem = 65536;
    p->maxThreadsDim[0] = attribute(2); p->maxThreadsDim[1] = attribute(3); p->maxThreadsDim[2] = attribute(4);
    p->maxGridSize[0] = attribute(5); p->maxGridSize[1] = attribute(6); p->maxGridSize[2] = attribute(7);
    p->major = d->sm / 10; p->minor = d->sm % 10;
    p->hostNumaId = p->deviceNumaId = -1;
    p->sharedMemPerBlock = (size_t)attribute(8); p->memPitch = (size_t)attribute(11);
    p->textureAlignment = (size_t)attribute(14);
    p->texturePitchAlignment = (size_t)attribute(51); p->surfaceAlignment = (size_t)attribute(30);
    p->sharedMemPerMultiprocessor = (size_t)attribute(81); p->sharedMemPerBlockOptin = (size_t)attribute(97);
    p->reservedSharedMemPerBlock = (size_t)attribute(111);
#define A(field, a) p->field = attribute(a)
    A(warpSize, 10); A(maxThreadsPerBlock, 1); A(regsPerBlock, 12); A(multiProcessorCount, 16); A(integrated, 18);
    A(canMapHostMemory, 19); A(maxTexture1D, 21); A(maxTexture1DMipmap, 77); A(maxTexture2D[0], 22);
    A(maxTexture2D[1], 23); A(maxTexture2DMipmap[0], 73); A(maxTexture2DMipmap[1], 74); A(maxTexture2DLinear[0], 70);
    A(maxTexture2DLinear[1], 71); A(maxTexture2DLinear[2], 72); A(maxTexture2DGather[0], 45);
    A(maxTexture2DGather[1], 46); A(maxTexture3D[0], 24); A(maxTexture3D[1], 25); A(maxTexture3D[2], 26);
    A(maxTexture3DAlt[0], 47); A(maxTexture3DAlt[1], 48); A(maxTexture3DAlt[2], 49); A(maxTextureCubemap, 52);
    A(maxTexture1DLayered[0], 42); A(maxTexture1DLayered[1], 43); A(maxTexture2DLayered[0], 27);
    A(maxTexture2DLayered[1], 28); A(maxTexture2DLayered[2], 29); A(maxTextureCubemapLayered[0], 53);
    A(maxTextureCubemapLayered[1], 54); A(maxSurface1D, 55); A(maxSurface2D[0], 56); A(maxSurface2D[1], 57);
    A(maxSurface3D[0], 58); A(maxSurface3D[1], 59); A(maxSurface3D[2], 60); A(maxSurface1DLayered[0], 61);
    A(maxSurface1DLayered[1], 62); A(maxSurface2DLayered[0], 63); A(maxSurface2DLayered[1], 64);
    A(maxSurface2DLayered[2], 65); A(maxSurfaceCubemap, 66); A(maxSurfaceCubemapLayered[0], 67);
    A(maxSurfaceCubemapLayered[1], 68); A(concurrentKernels, 31); A(ECCEnabled, 32); A(pciBusID, 33);
    A(pciDeviceID, 34); A(pciDomainID, 50); A(tccDriver, 35); A(asyncEngineCount, 40); A(unifiedAddressing, 41);
    A(memoryBusWidth, 37); A(l2CacheSize, 38); A(persistingL2CacheMaxSize, 108); A(maxThreadsPerMultiProcessor, 39);
    A(streamPrioritiesSupported, 78); A(globalL1CacheSupported, 79); A(localL1CacheSupported, 80);
    A(regsPerMultiprocessor, 82); A(managedMemory, 83); A(isMultiGpuBoard, 84); A(multiGpuBoardGroupID, 85);
    A(hostNativeAtomicSupported, 86); A(pageableMemoryAccess, 88); A(concurrentManagedAccess, 89);
    A(computePreemptionSupported, 90); A(canUseHostPointerForRegisteredMem, 91); A(cooperativeLaunch, 95);
    A(pageableMemoryAccessUsesHostPageTables, 100); A(directManagedMemAccessFromHost, 101);
    A(maxBlocksPerMultiProcessor, 106); A(accessPolicyMaxWindowSize, 109); A(hostRegisterSupported, 99);
    A(sparseCudaArraySupported, 112); A(hostRegisterReadOnlySupported, 113); A(timelineSemaphoreInteropSupported, 114);
    A(memoryPoolsSupported, 115); A(gpuDirectRDMASupported, 116); A(deferredMappingCudaArraySupported, 121);
    A(ipcEventSupported, 125); A(clusterLaunch, 120); A(unifiedFunctionPointers, 129); A(mpsEnabled, 133);
#undef A
    return 0;
}
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int d) { RT_ALWAYS(DEV(d) ? DEV(d) : properties(p)); }

/* ---- Launches ---- */
/* <<<>>> pushes its configuration, the kernel's stub pops it */
static __thread struct { dim3 grid, block; size_t smem; void *stream; } pushed[16];
static __thread int npushed;
API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t smem, struct CUstream_st *stream)
{
    if (npushed == 16) return 1;
    pushed[npushed].grid = grid; pushed[npushed].block = block; pushed[npushed].smem = smem;
    pushed[npushed].stream = stream;
    ++npushed;
    return 0;
}
API cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *smem, void *stream)
{
    if (!npushed) return (cudaError_t)keep(cudaErrorMissingConfiguration);
    --npushed;
    *grid = pushed[npushed].grid; *block = pushed[npushed].block; *smem = pushed[npushed].smem;
    *(void **)stream = pushed[npushed].stream;
    return cudaSuccess;
}

static int launch_kernel(const char *api, const void *func, dim3 g, dim3 b, void **args, size_t smem, cudaStream_t s,
                         int cooperative, const cudaLaunchAttribute *a, unsigned n)
{
    CUfunction f;
    int e = host_func_launch(&f, func);
    if (!f) host_say("%s: %p is no kernel of this program", api, func);
    if (e) return e;
    host_op op = { .kind = OP_LAUNCH, .api = api };
    op.launch.f = f; op.launch.args = args;
    op.launch.c = (emu_launch_config){ .grid = { g.x, g.y, g.z }, .block = { b.x, b.y, b.z },
                                       .dyn_smem = smem > UINT32_MAX ? UINT32_MAX : (uint32_t)smem,
                                       .cooperative = cooperative };
    if (n && !a) return cudaErrorInvalidValue;
    if (f->k->fn->nparam && !args) {
        host_say("%s(%s): the kernel has parameters, but there are no arguments", api, f->name);
        return cudaErrorInvalidValue;
    }
    e = host_launch_attributes(&op.launch.c, (const CUlaunchAttribute *)(const void *)a, n, api);
    return e ? e : host_submit(s, &op);
}
cudaError_t cudaLaunchKernel(const void *f, dim3 g, dim3 b, void **args, size_t smem, cudaStream_t s)
{
    RT(launch_kernel(__func__, f, g, b, args, smem, s, 0, NULL, 0));
}
API cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 g, dim3 b, void **args, size_t smem, cudaStream_t s);
cudaError_t __cudaLaunchKernel(cudaKernel_t f, dim3 g, dim3 b, void **args, size_t smem, cudaStream_t s)
{
    RT(launch_kernel("cudaLaunchKernel", f, g, b, args, smem, s, 0, NULL, 0));
}
cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 g, dim3 b, void **args, size_t smem, cudaStream_t s)
{
    RT(launch_kernel(__func__, f, g, b, args, smem, s, 1, NULL, 0));
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *f, void **args)
{
    RT(!c ? (int)cudaErrorInvalidValue : launch_kernel(__func__, f, c->gridDim, c->blockDim, args, c->dynamicSmemBytes,
                                                       c->stream, 0, c->attrs, c->numAttrs));
}
cudaError_t cudaLaunchHostFunc(cudaStream_t s, cudaHostFn_t fn, void *data) { RT(host_call(__func__, fn, data, s)); }

/* CUDA 13.1 to 13.5; the structs of attributes say how a copy may be done, not what it does */
API cudaError_t cudaLaunchHostFunc_v2(cudaStream_t s, cudaHostFn_t fn, void *data, unsigned mode)
{
    (void)mode;
    RT(host_call(__func__, fn, data, s));
}
API cudaError_t cudaMemcpyWithAttributesAsync(void *d, const void *s, size_t n, struct cudaMemcpyAttributes *attributes,
                                              cudaStream_t st)
{
    (void)attributes;
    RT(host_copy(__func__, d, s, n, (int)cudaMemcpyDefault, st));
}

typedef struct { cudaStreamCallback_t fn; void *data; cudaStream_t stream; } callback;
static void call_back(void *p) { callback *c = p; c->fn(c->stream, cudaSuccess, c->data); free(c); }
static int add_callback(cudaStream_t s, cudaStreamCallback_t fn, void *data)
{
    callback *c = fn ? malloc(sizeof *c) : NULL;
    if (!c) return fn ? cudaErrorMemoryAllocation : cudaErrorInvalidValue;
    *c = (callback){ fn, data, s };
    return host_call("cudaStreamAddCallback", call_back, c, s);
}
cudaError_t cudaStreamAddCallback(cudaStream_t s, cudaStreamCallback_t fn, void *data, unsigned flags)
{
    RT(flags ? (int)cudaErrorInvalidValue
       : host_stream_sync(s, __func__) ? (int)cudaErrorStreamCaptureUnsupported
       : add_callback(s, fn, data));
}

/* ---- Kernels ---- */
static int get_kernel(void **k, const void *f)
{
    if (!k) return cudaErrorInvalidValue;
    *k = host_func_find(f);
    return *k ? 0 : cudaErrorInvalidDeviceFunction;     /* a module that cannot be loaded shows at the launch */
}
API cudaError_t __cudaGetKernel(cudaKernel_t *k, const void *f);
cudaError_t __cudaGetKernel(cudaKernel_t *k, const void *f) { RT_ALWAYS(get_kernel((void **)k, f)); }
cudaError_t cudaGetKernel(cudaKernel_t *k, const void *f) { RT_ALWAYS(get_kernel((void **)k, f)); }
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *k, const void *f) { RT_ALWAYS(get_kernel((void **)k, f)); }

static int func_attributes(struct cudaFuncAttributes *a, const void *func)
{
    CUfunction f;
    int e = host_func(&f, func), v[16];
    if (e) return e;
    if (!a) return cudaErrorInvalidValue;
    for (int i = 0; i < 16; ++i) { v[i] = 0; host_func_get(f, i, &v[i]); }
    memset(a, 0, sizeof *a);
    a->maxThreadsPerBlock = v[0]; a->sharedSizeBytes = (size_t)v[1]; a->constSizeBytes = (size_t)v[2];
    a->localSizeBytes = (size_t)v[3];
    a->numRegs = v[4]; a->ptxVersion = v[5]; a->binaryVersion = v[6]; a->cacheModeCA = v[7];
    a->maxDynamicSharedSizeBytes = v[8];
    a->preferredShmemCarveout = v[9]; a->clusterDimMustBeSet = v[10]; a->requiredClusterWidth = v[11];
    a->requiredClusterHeight = v[12];
    a->requiredClusterDepth = v[13]; a->nonPortableClusterSizeAllowed = v[14];
    a->clusterSchedulingPolicyPreference = v[15];
    return 0;
}
cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *a, const void *f) { RT(func_attributes(a, f)); }

/* with a kernel that is looked up and loaded first */
#define RT_FUNC(func, expr)                                                                                           \
    do { CUfunction f_; int no_; RT((no_ = host_func(&f_, func)) ? no_ : (int)(expr)); } while (0)
cudaError_t cudaFuncSetAttribute(const void *f, enum cudaFuncAttribute a, int v)
{
    RT_FUNC(f, host_func_set(f_, (int)a, v, __func__));
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t f, enum cudaFuncAttribute a, int v, int d)
{
    RT_FUNC(f, DEV(d) ? DEV(d) : host_func_set(f_, (int)a, v, __func__));
}
cudaError_t cudaFuncSetCacheConfig(const void *f, enum cudaFuncCache c) { (void)c; RT_FUNC(f, 0); }
cudaError_t cudaFuncSetSharedMemConfig(const void *f, enum cudaSharedMemConfig c) { (void)c; RT_FUNC(f, 0); }
cudaError_t cudaFuncGetName(const char **name, const void *f) { RT_FUNC(f, SET(name, f_->name)); }
API cudaError_t cudaFuncGetParamCount(const void *f, size_t *count)
{
    RT_FUNC(f, SET(count, (size_t)f_->k->fn->nparam));
}
cudaError_t cudaFuncGetParamInfo(const void *f, size_t i, size_t *o, size_t *n)
{
    RT_FUNC(f, host_param_info(f_, i, o, n));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *f, int t, size_t smem)
{
    RT_FUNC(f, host_occupancy(n, f_, t, smem));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, const void *f, int t, size_t smem,
                                                                   unsigned flags)
{
    (void)flags;
    RT_FUNC(f, host_occupancy(n, f_, t, smem));
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *smem, const void *f, int blocks, int t)
{
    RT_FUNC(f, host_occupancy_smem(smem, f_, blocks, t));
}

static int clusters(int *n, CUfunction f, const cudaLaunchConfig_t *c, int max_size, const char *api)
{
    if (!c) return cudaErrorInvalidValue;
    emu_launch_config x = { .grid = { c->gridDim.x, c->gridDim.y, c->gridDim.z },
                            .block = { c->blockDim.x, c->blockDim.y, c->blockDim.z },
                            .dyn_smem = (uint32_t)c->dynamicSmemBytes };
    int e = host_launch_attributes(&x, (const CUlaunchAttribute *)(const void *)c->attrs, c->numAttrs, api);
    return e ? e : host_clusters(n, f, x, max_size);
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int *n, const void *f, const cudaLaunchConfig_t *c)
{
    RT_FUNC(f, clusters(n, f_, c, 1, __func__));
}
cudaError_t cudaOccupancyMaxActiveClusters(int *n, const void *f, const cudaLaunchConfig_t *c)
{
    RT_FUNC(f, clusters(n, f_, c, 0, __func__));
}

/* ---- Libraries ---- */
cudaError_t cudaLibraryLoadData(cudaLibrary_t *l, const void *code, enum cudaJitOption *jo, void **jv, unsigned nj,
                                enum cudaLibraryOption *lo, void **lv, unsigned nl)
{
    (void)jo; (void)jv; (void)nj; (void)lo; (void)lv; (void)nl;
    RT(l ? host_image_open((host_image **)l, code, 0, "cudaLibraryLoadData") : (int)cudaErrorInvalidValue);
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *l, const char *file, enum cudaJitOption *jo, void **jv, unsigned nj,
                                    enum cudaLibraryOption *lo, void **lv, unsigned nl)
{
    (void)jo; (void)jv; (void)nj; (void)lo; (void)lv; (void)nl;
    RT(l ? host_image_file((host_image **)l, file) : (int)cudaErrorInvalidValue);
}
cudaError_t cudaLibraryUnload(cudaLibrary_t l) { RT(host_image_close((host_image *)l)); }
cudaError_t cudaLibraryGetKernel(cudaKernel_t *k, cudaLibrary_t l, const char *name)
{
    RT(k ? host_image_kernel((CUfunction *)k, (host_image *)l, name) : (int)cudaErrorInvalidValue);
}
cudaError_t cudaLibraryGetGlobal(void **p, size_t *n, cudaLibrary_t l, const char *name)
{
    RT(host_image_global(p, n, (host_image *)l, name));
}
cudaError_t cudaLibraryGetManaged(void **p, size_t *n, cudaLibrary_t l, const char *name)
{
    RT(host_image_global(p, n, (host_image *)l, name));
}
cudaError_t cudaLibraryGetKernelCount(unsigned *n, cudaLibrary_t l)
{
    RT(!host_image_valid(l) ? (int)cudaErrorInvalidResourceHandle : SET(n, (unsigned)((host_image *)l)->mod->nkernel));
}
static int enumerate(void **k, unsigned n, host_image *m)
{
    if (!host_image_valid(m)) return cudaErrorInvalidResourceHandle;
    for (unsigned i = 0; i < n && (int)i < m->mod->nkernel; ++i) {
        int e = host_image_kernel_n((CUfunction *)&k[i], m, i);
        if (e) return e;
    }
    return 0;
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *k, unsigned n, cudaLibrary_t l)
{
    RT(k ? enumerate((void **)k, n, (host_image *)l) : (int)cudaErrorInvalidValue);
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f) {
    return (struct cudaChannelFormatDesc){ x, y, z, w, f }; }

static int entry_point(const char *name, void **p, int version, enum cudaDriverEntryPointQueryResult *status)
{
    if (!name || !p) return cudaErrorInvalidValue;
    *p = driver_symbol(name, version);
    if (status) *status = *p ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    if (!*p && emu_opt.verbose) host_say("cudaGetDriverEntryPoint: there is no %s", name);
    return *p || status ? 0 : cudaErrorSymbolNotFound;
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
cudaError_t cudaGetDriverEntryPoint(const char *name, void **p, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    RT(entry_point(name, p, CUDA_VERSION, status));
}
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **p, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *status)
{
    (void)flags;
    RT(entry_point(name, p, (int)version, status));
}

/* ---- Memory ---- */
cudaError_t cudaMalloc(void **p, size_t n) { RT(host_malloc(p, n, M_DEVICE, 0, __func__)); }
cudaError_t cudaFree(void *p) { RT(host_free(p, 0, __func__)); }
static int malloc_async(void **p, size_t n, cudaStream_t s, const char *api)
{
    int e = host_stream_sync(s, api);
    return e ? e : host_malloc(p, n, M_DEVICE, 0, api);
}
static int free_async(void *p, cudaStream_t s, const char *api)
{
    int e = host_stream_sync(s, api);
    return e ? e : host_free(p, 0, api);
}
cudaError_t cudaMallocAsync(void **p, size_t n, cudaStream_t s) { RT(malloc_async(p, n, s, __func__)); }
cudaError_t cudaFreeAsync(void *p, cudaStream_t s) { RT(free_async(p, s, __func__)); }
cudaError_t cudaMallocFromPoolAsync(void **p, size_t n, cudaMemPool_t pool, cudaStream_t s)
{
    RT((void *)pool != HOST_POOL ? (int)cudaErrorInvalidValue : malloc_async(p, n, s, __func__));
}
cudaError_t cudaMallocManaged(void **p, size_t n, unsigned flags)
{
    RT(flags != cudaMemAttachGlobal && flags != cudaMemAttachHost ? (int)cudaErrorInvalidValue
       : host_malloc(p, n, M_MANAGED, flags, __func__));
}
cudaError_t cudaMallocHost(void **p, size_t n) { RT(host_malloc(p, n, M_HOST, 0, __func__)); }
cudaError_t cudaHostAlloc(void **p, size_t n, unsigned flags)
{
    RT(flags & ~7u ? (int)cudaErrorInvalidValue : host_malloc(p, n, M_HOST, flags, __func__));
}
cudaError_t cudaFreeHost(void *p) { RT(host_free(p, 1, __func__)); }
cudaError_t cudaHostRegister(void *p, size_t n, unsigned flags) { RT(host_register(p, n, flags, __func__)); }
cudaError_t cudaHostUnregister(void *p) { RT(host_unregister(p, __func__)); }
static int host_pointer(void **d, void *p, unsigned *flags)
{
    uint64_t b, n; unsigned f;
    int kind = host_region((uintptr_t)p, &b, &n, &f);
    if (kind != M_HOST && kind != M_REGISTERED && kind != M_MANAGED) return cudaErrorInvalidValue;
    if (d) *d = p;
    if (flags) *flags = f | cudaHostAllocMapped;
    return 0;
}
cudaError_t cudaHostGetDevicePointer(void **d, void *p, unsigned flags)
{
    (void)flags;
    RT(d ? host_pointer(d, p, NULL) : (int)cudaErrorInvalidValue);
}
cudaError_t cudaHostGetFlags(unsigned *f, void *p) { RT(f ? host_pointer(NULL, p, f) : (int)cudaErrorInvalidValue); }
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t w, size_t h)
{
    RT(host_malloc_pitch(p, pitch, w, h, __func__));
}
static int malloc_3d(struct cudaPitchedPtr *p, struct cudaExtent x)
{
    if (!p || (x.depth && x.height > SIZE_MAX / x.depth)) return cudaErrorInvalidValue;
    p->xsize = x.width; p->ysize = x.height;
    return host_malloc_pitch(&p->ptr, &p->pitch, x.width, x.height * x.depth, "cudaMalloc3D");
}
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent x) { RT(malloc_3d(p, x)); }
cudaError_t cudaMemGetInfo(size_t *f, size_t *t) { RT((host_mem_info(f, t), 0)); }

static int pointer_attributes(struct cudaPointerAttributes *a, const void *p)
{
    uint64_t b, n;
    if (!a) return cudaErrorInvalidValue;
    memset(a, 0, sizeof *a);
    int kind = host_region((uintptr_t)p, &b, &n, NULL);
    a->type = kind == M_DEVICE ? cudaMemoryTypeDevice
            : kind == M_MANAGED ? cudaMemoryTypeManaged
            : kind == M_NONE ? cudaMemoryTypeUnregistered
            : cudaMemoryTypeHost;
    a->device = kind ? 0 : cudaInvalidDeviceId;
    a->devicePointer = kind ? (void *)(uintptr_t)p : NULL;
    a->hostPointer = kind == M_DEVICE ? NULL : (void *)(uintptr_t)p;
    return 0;
}
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *p) { RT(pointer_attributes(a, p)); }

cudaError_t cudaMemcpy(void *d, const void *s, size_t n, enum cudaMemcpyKind k)
{
    RT(host_copy(__func__, d, s, n, (int)k, NULL));
}
cudaError_t cudaMemcpyAsync(void *d, const void *s, size_t n, enum cudaMemcpyKind k, cudaStream_t st)
{
    RT(host_copy(__func__, d, s, n, (int)k, st));
}
cudaError_t cudaMemcpyPeer(void *d, int dd, const void *s, int sd, size_t n)
{
    RT(DEV(dd | sd) ? DEV(dd | sd) : host_copy(__func__, d, s, n, cudaMemcpyDeviceToDevice, NULL));
}
cudaError_t cudaMemcpyPeerAsync(void *d, int dd, const void *s, int sd, size_t n, cudaStream_t st)
{
    RT(DEV(dd | sd) ? DEV(dd | sd) : host_copy(__func__, d, s, n, cudaMemcpyDeviceToDevice, st));
}
cudaError_t cudaMemcpy2D(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k)
{
    RT(host_copy_2d(__func__, d, dp, s, sp, w, h, (int)k, NULL));
}
cudaError_t cudaMemcpy2DAsync(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k,
                              cudaStream_t st)
{
    RT(host_copy_2d(__func__, d, dp, s, sp, w, h, (int)k, st));
}

static int copy_3d(const char *api, struct cudaPitchedPtr d, struct cudaPos dp, struct cudaPitchedPtr s,
                   struct cudaPos sp, struct cudaExtent x, int kind, int arrays, cudaStream_t st)
{
    if (arrays) { host_say("%s: CUDA arrays are not emulated", api); return cudaErrorNotSupported; }
    size_t dslice = d.pitch * d.ysize, sslice = s.pitch * s.ysize;
    if (x.depth > 1 && (d.ysize < x.height || s.ysize < x.height)) return cudaErrorInvalidValue;
    host_op op = { .kind = OP_COPY, .api = api, .copy = { (char *)d.ptr + dp.z * dslice + dp.y * d.pitch + dp.x,
        (const char *)s.ptr + sp.z * sslice + sp.y * s.pitch + sp.x, d.pitch, dslice, s.pitch, sslice, x.width,
        x.height, x.depth, kind } };
    return host_submit(st, &op);
}
#define COPY_3D(p, st)                                                                                                \
    RT(!p ? (int)cudaErrorInvalidValue : copy_3d(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent,     \
                                                 (int)p->kind, p->srcArray || p->dstArray, st))
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) { COPY_3D(p, NULL); }
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t st) { COPY_3D(p, st); }
#define COPY_3D_PEER(p, st) RT(!p ? (int)cudaErrorInvalidValue : DEV(p->srcDevice | p->dstDevice) ? DEV(1) : \
    copy_3d(__func__, p->dstPtr, p->dstPos, p->srcPtr, p->srcPos, p->extent, cudaMemcpyDeviceToDevice, p->srcArray    \
            || p->dstArray, st))
cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) { COPY_3D_PEER(p, NULL); }
cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t st) { COPY_3D_PEER(p, st); }

cudaError_t cudaMemcpyBatchAsync(void *const *d, const void *const *s, const size_t *n, size_t count,
                                 struct cudaMemcpyAttributes *a, size_t *ai, size_t na, cudaStream_t st)
{
    (void)a; (void)ai; (void)na;
    int e = 0;
    if (!d || !s || !n) e = cudaErrorInvalidValue;
    host_lock();
    for (size_t i = 0; i < count && !e; ++i)
        if (!(e = host_sticky())) e = host_copy(__func__, d[i], s[i], n[i], cudaMemcpyDefault, st);
    host_unlock();
    return (cudaError_t)keep(e);
}

static int symbol_copy(const char *api, const void *symbol, void *host, size_t n, size_t offset, int to, int kind,
                       cudaStream_t st)
{
    void *p; size_t size;
    int e = host_symbol(&p, &size, symbol, api);
    if (e) return e;
    if (offset > size || n > size - offset) {
        host_say("%s: %zu bytes at offset %zu do not lie within the variable's %zu", api, n, offset, size);
        return cudaErrorInvalidValue;
    }
    if (kind != cudaMemcpyDefault && kind != cudaMemcpyDeviceToDevice
        && kind != (to ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost))
        return cudaErrorInvalidMemcpyDirection;
    return to ? host_copy(api, (char *)p + offset, host, n, kind, st)
        : host_copy(api, host, (char *)p + offset, n, kind, st);
}
cudaError_t cudaMemcpyToSymbol(const void *v, const void *s, size_t n, size_t o, enum cudaMemcpyKind k)
{
    RT(symbol_copy(__func__, v, (void *)(uintptr_t)s, n, o, 1, (int)k, NULL));
}
cudaError_t cudaMemcpyToSymbolAsync(const void *v, const void *s, size_t n, size_t o, enum cudaMemcpyKind k,
                                    cudaStream_t st)
{
    RT(symbol_copy(__func__, v, (void *)(uintptr_t)s, n, o, 1, (int)k, st));
}
cudaError_t cudaMemcpyFromSymbol(void *d, const void *v, size_t n, size_t o, enum cudaMemcpyKind k)
{
    RT(symbol_copy(__func__, v, d, n, o, 0, (int)k, NULL));
}
cudaError_t cudaMemcpyFromSymbolAsync(void *d, const void *v, size_t n, size_t o, enum cudaMemcpyKind k,
                                      cudaStream_t st)
{
    RT(symbol_copy(__func__, v, d, n, o, 0, (int)k, st));
}
static int symbol(void **p, size_t *n, const void *v, const char *api)
{
    void *q; size_t m;
    int e = host_symbol(&q, &m, v, api);
    if (e) return e;
    if (p) *p = q;
    if (n) *n = m;
    return p || n ? 0 : cudaErrorInvalidValue;
}
cudaError_t cudaGetSymbolAddress(void **p, const void *v) { RT(symbol(p, NULL, v, __func__)); }
cudaError_t cudaGetSymbolSize(size_t *n, const void *v) { RT(symbol(NULL, n, v, __func__)); }

cudaError_t cudaMemset(void *p, int v, size_t n) { RT(host_set(__func__, p, n, (uint32_t)v, 1, n, 1, NULL)); }
cudaError_t cudaMemsetAsync(void *p, int v, size_t n, cudaStream_t s)
{
    RT(host_set(__func__, p, n, (uint32_t)v, 1, n, 1, s));
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int v, size_t w, size_t h)
{
    RT(host_set(__func__, p, pitch, (uint32_t)v, 1, w, h, NULL));
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int v, size_t w, size_t h, cudaStream_t s)
{
    RT(host_set(__func__, p, pitch, (uint32_t)v, 1, w, h, s));
}
static int set_3d(const char *api, struct cudaPitchedPtr p, int v, struct cudaExtent x, cudaStream_t s)
{
    host_op op = { .kind = OP_SET, .api = api, .set = { p.ptr, p.pitch, p.pitch * p.ysize, x.width, x.height, x.depth,
                                                        (uint32_t)v, 1 } };
    return host_submit(s, &op);
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int v, struct cudaExtent x) { RT(set_3d(__func__, p, v, x, NULL)); }
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int v, struct cudaExtent x, cudaStream_t s)
{
    RT(set_3d(__func__, p, v, x, s));
}

static int managed(const void *p, size_t n, const char *api)
{
    uint64_t b, size;
    int kind = host_region((uintptr_t)p, &b, &size, NULL);
    if (kind == M_MANAGED && (uintptr_t)p - b + n <= size) return 0;
    host_say("%s: %zu bytes at %p are not managed memory", api, n, p);
    return cudaErrorInvalidValue;
}
cudaError_t cudaMemPrefetchAsync(const void *p, size_t n, struct cudaMemLocation l, unsigned flags, cudaStream_t s)
{
    (void)l; (void)flags; (void)s;
    RT(managed(p, n, __func__));
}
cudaError_t cudaMemAdvise(const void *p, size_t n, enum cudaMemoryAdvise a, struct cudaMemLocation l)
{
    (void)a; (void)l;
    RT(managed(p, n, __func__));
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t s, void *p, size_t n, unsigned f)
{
    (void)s; (void)n; (void)f;
    RT(managed(p, 1, __func__));
}

/* One pool, which is the device's memory */
#define POOL(p, expr) RT((void *)(p) != HOST_POOL ? (int)cudaErrorInvalidValue : (expr))
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int d) { RT(DEV(d) ? DEV(d) : SET(p, HOST_POOL)); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int d) { RT(DEV(d) ? DEV(d) : SET(p, HOST_POOL)); }
cudaError_t cudaDeviceSetMemPool(int d, cudaMemPool_t p) { POOL(p, DEV(d)); }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const struct cudaMemPoolProps *q) { (void)q; RT(SET(p, HOST_POOL)); }
cudaError_t cudaMemPoolDestroy(cudaMemPool_t p) { POOL(p, 0); }
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t n) { (void)n; POOL(p, 0); }
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v)
{
    POOL(p, host_pool_set(v, (int)a));
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t p, enum cudaMemPoolAttr a, void *v)
{
    POOL(p, host_pool_get(v, (int)a));
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const struct cudaMemAccessDesc *d, size_t n)
{
    (void)d; (void)n;
    POOL(p, 0);
}
cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *f, cudaMemPool_t p, struct cudaMemLocation *l)
{
    (void)l;
    POOL(p, SET(f, cudaMemAccessFlagsProtReadWrite));
}

/* ---- Streams and events ---- */
cudaError_t cudaStreamCreate(cudaStream_t *s) { RT(host_stream_new(s, 0, 0)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned f) { RT(host_stream_new(s, f, 0)); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned f, int p) { RT(host_stream_new(s, f, p)); }
cudaError_t cudaStreamDestroy(cudaStream_t s) { RT(host_stream_free(s, __func__)); }
cudaError_t cudaStreamSynchronize(cudaStream_t s) { RT(host_stream_sync(s, __func__)); }
cudaError_t cudaStreamQuery(cudaStream_t s) { RT(host_stream_sync(s, __func__)); }
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t e, unsigned f)
{
    (void)f;
    RT(host_stream_wait(s, e, __func__));
}
#define STREAM(s, expr) RT(host_stream(s, __func__) ? (int)cudaErrorInvalidResourceHandle : (expr))
#define IS_DEFAULT(s) ((uintptr_t)(s) <= 2)
cudaError_t cudaStreamGetPriority(cudaStream_t s, int *p) { STREAM(s, SET(p, IS_DEFAULT(s) ? 0 : s->priority)); }
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *f) { STREAM(s, SET(f, IS_DEFAULT(s) ? 0 : s->flags)); }
cudaError_t cudaStreamGetId(cudaStream_t s, unsigned long long *id)
{
    STREAM(s, SET(id, IS_DEFAULT(s) ? (s ? (uintptr_t)s : 1) : s->id));
}
cudaError_t cudaStreamGetDevice(cudaStream_t s, int *d) { STREAM(s, SET(d, 0)); }
cudaError_t cudaStreamCopyAttributes(cudaStream_t d, cudaStream_t s) { (void)d; STREAM(s, 0); }
static int stream_attribute(cudaStream_t s, int a, cudaLaunchAttributeValue *v)
{
    if (!v) return cudaErrorInvalidValue;
    memset(v, 0, sizeof *v);
    if (a == cudaLaunchAttributePriority) v->priority = IS_DEFAULT(s) ? 0 : s->priority;
    return 0;
}
cudaError_t cudaStreamGetAttribute(cudaStream_t s, cudaLaunchAttributeID a, cudaLaunchAttributeValue *v)
{
    STREAM(s, stream_attribute(s, (int)a, v));
}
cudaError_t cudaStreamSetAttribute(cudaStream_t s, cudaLaunchAttributeID a, const cudaLaunchAttributeValue *v)
{
    STREAM(s, !v ? (int)cudaErrorInvalidValue
           : (a == cudaLaunchAttributePriority && !IS_DEFAULT(s) ? s->priority = v->priority : 0, 0));
}

cudaError_t cudaEventCreate(cudaEvent_t *e) { RT(host_event_new(e, 0)); }
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned f) { RT(host_event_new(e, f)); }
cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { RT(host_event_record(e, s, __func__)); }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t e, cudaStream_t s, unsigned f)
{
    (void)f;
    RT(host_event_record(e, s, __func__));
}
cudaError_t cudaEventQuery(cudaEvent_t e) { RT(host_event_sync(e, __func__)); }
cudaError_t cudaEventSynchronize(cudaEvent_t e) { RT(host_event_sync(e, __func__)); }
cudaError_t cudaEventDestroy(cudaEvent_t e) { RT(host_event_free(e)); }
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    RT(host_event_elapsed(ms, a, b, __func__));
}

/* ---- Graphs: what a stream captures ---- */
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *m)
{
    static __thread enum cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    if (!m) return (cudaError_t)keep(cudaErrorInvalidValue);
    enum cudaStreamCaptureMode old = mode;
    mode = *m; *m = old;
    return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t s, enum cudaStreamCaptureMode m) { RT(host_capture_begin(s, (int)m)); }
cudaError_t cudaStreamEndCapture(cudaStream_t s, cudaGraph_t *g) { RT(host_capture_end(s, g)); }
cudaError_t cudaStreamIsCapturing(cudaStream_t s, enum cudaStreamCaptureStatus *st)
{
    RT(st ? host_capture_info(s, (int *)st, NULL, NULL) : (int)cudaErrorInvalidValue);
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *st, unsigned long long *id,
                                     cudaGraph_t *g, const cudaGraphNode_t **deps, const cudaGraphEdgeData **edges,
                                     size_t *n)
{
    if (deps) *deps = NULL;
    if (edges) *edges = NULL;
    if (n) *n = 0;
    RT(st ? host_capture_info(s, (int *)st, id, g) : (int)cudaErrorInvalidValue);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *x, cudaGraph_t g, unsigned long long flags)
{
    (void)flags;
    RT(host_graph_ref((struct CUgraph_st **)x, g));
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *x, cudaGraph_t g, unsigned long long flags)
{
    (void)flags;
    RT(host_graph_ref((struct CUgraph_st **)x, g));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t x, cudaStream_t s) { (void)x; STREAM(s, 0); }
static int graph_launch(struct CUgraph_st *g, cudaStream_t s)
{
    host_op op = { .kind = OP_GRAPH, .api = "cudaGraphLaunch", .graph = { g } };
    return host_submit(s, &op);
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t x, cudaStream_t s) { RT(graph_launch((struct CUgraph_st *)x, s)); }
cudaError_t cudaGraphGetNodes(cudaGraph_t g, cudaGraphNode_t *node, size_t *n)
{
    RT(host_graph_nodes(g, (host_op **)node, n));
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
    RT(host_graph_node_type((const host_op *)node, (int *)type));
}
cudaError_t cudaGraphDestroy(cudaGraph_t g) { RT(host_graph_free(g)); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t x) { RT(host_graph_free((struct CUgraph_st *)x)); }

/* ---- --default-stream per-thread: everything is performed at the call, so the default streams do not differ ---- */
#define PTSZ(f) ALIAS(f##_ptsz, f)
#define PTDS(f) ALIAS(f##_ptds, f)
PTSZ(__cudaLaunchKernel) PTSZ(cudaEventRecord) PTSZ(cudaEventRecordWithFlags) PTSZ(cudaFreeAsync)
PTSZ(cudaGetDriverEntryPoint) PTSZ(cudaGetDriverEntryPointByVersion) PTSZ(cudaGraphLaunch) PTSZ(cudaGraphUpload)
PTSZ(cudaLaunchCooperativeKernel) PTSZ(cudaLaunchHostFunc) PTSZ(cudaLaunchKernel) PTSZ(cudaLaunchKernelExC)
PTSZ(cudaMallocAsync) PTSZ(cudaMallocFromPoolAsync) PTSZ(cudaMemPrefetchAsync) PTSZ(cudaMemcpy2DAsync)
PTSZ(cudaMemcpy3DAsync) PTSZ(cudaMemcpy3DPeerAsync) PTSZ(cudaMemcpyAsync) PTSZ(cudaMemcpyBatchAsync)
PTSZ(cudaMemcpyFromSymbolAsync) PTSZ(cudaMemcpyToSymbolAsync) PTSZ(cudaMemset2DAsync) PTSZ(cudaMemset3DAsync)
PTSZ(cudaMemsetAsync) PTSZ(cudaStreamAddCallback) PTSZ(cudaStreamAttachMemAsync) PTSZ(cudaStreamBeginCapture)
PTSZ(cudaStreamCopyAttributes) PTSZ(cudaStreamEndCapture) PTSZ(cudaStreamGetAttribute) PTSZ(cudaStreamGetCaptureInfo)
PTSZ(cudaStreamGetDevice) PTSZ(cudaStreamGetFlags) PTSZ(cudaStreamGetId) PTSZ(cudaStreamGetPriority)
PTSZ(cudaStreamIsCapturing) PTSZ(cudaStreamQuery) PTSZ(cudaStreamSetAttribute) PTSZ(cudaStreamSynchronize)
PTSZ(cudaLaunchHostFunc_v2) PTSZ(cudaMemcpyWithAttributesAsync)
PTSZ(cudaStreamWaitEvent) PTDS(cudaMemcpy) PTDS(cudaMemcpy2D) PTDS(cudaMemcpy3D) PTDS(cudaMemcpy3DPeer)
PTDS(cudaMemcpyFromSymbol) PTDS(cudaMemcpyToSymbol) PTDS(cudaMemset) PTDS(cudaMemset2D) PTDS(cudaMemset3D)
#pragma GCC diagnostic pop

/* ---- What is not emulated ---- */
#undef STUB
#define STUB(name) \
    API int stub_##name(void) __asm__(#name); \
    API int stub_##name(void) { static int said; return keep(host_stub(#name, &said)); }
/* CUDA 13.1 to 13.5: green contexts, graphs */
STUB(cudaDevResourceGenerateDesc) STUB(cudaDevSmResourceSplit) STUB(cudaDevSmResourceSplitByCount)
STUB(cudaDeviceGetDevResource) STUB(cudaDeviceGetExecutionCtx) STUB(cudaExecutionCtxDestroy)
STUB(cudaExecutionCtxGetDevResource) STUB(cudaExecutionCtxGetDevice) STUB(cudaExecutionCtxGetId)
STUB(cudaExecutionCtxRecordEvent) STUB(cudaExecutionCtxStreamCreate) STUB(cudaExecutionCtxSynchronize)
STUB(cudaExecutionCtxWaitEvent) STUB(cudaGraphConditionalHandleCreate_v2) STUB(cudaGraphExecGetId) STUB(cudaGraphGetId)
STUB(cudaGraphNodeGetContainingGraph) STUB(cudaGraphNodeGetLocalId) STUB(cudaGraphNodeGetParams)
STUB(cudaGraphNodeGetToolsId) STUB(cudaGreenCtxCreate) STUB(cudaMemGetLocationInfo)
STUB(cudaMemcpy3DWithAttributesAsync) STUB(cudaMemcpy3DWithAttributesAsync_ptsz) STUB(cudaStreamBeginRecaptureToGraph)
STUB(cudaStreamBeginRecaptureToGraph_ptsz) STUB(cudaStreamGetDevResource) STUB(cudaStreamGetDevResource_ptsz)
STUB(cudaSubgridCreate) STUB(cudaSubgridWorkerGridCreate) STUB(cudaSubgridWorksetCreate)
STUB(__cudaGetProcAddress) STUB(__cudaRegisterUnifiedTable) STUB(cudaArrayGetInfo) STUB(cudaArrayGetMemoryRequirements)
STUB(cudaArrayGetPlane) STUB(cudaArrayGetSparseProperties) STUB(cudaCreateSurfaceObject) STUB(cudaCreateTextureObject)
STUB(cudaDestroyExternalMemory) STUB(cudaDestroyExternalSemaphore) STUB(cudaDestroySurfaceObject)
STUB(cudaDestroyTextureObject) STUB(cudaDeviceGetGraphMemAttribute) STUB(cudaDeviceGetHostAtomicCapabilities)
STUB(cudaDeviceGetNvSciSyncAttributes) STUB(cudaDeviceGetP2PAtomicCapabilities)
STUB(cudaDeviceGetTexture1DLinearMaxWidth) STUB(cudaDeviceGraphMemTrim) STUB(cudaDeviceRegisterAsyncNotification)
STUB(cudaDeviceSetGraphMemAttribute) STUB(cudaDeviceUnregisterAsyncNotification) STUB(cudaEGLStreamConsumerAcquireFrame)
STUB(cudaEGLStreamConsumerConnect) STUB(cudaEGLStreamConsumerConnectWithFlags) STUB(cudaEGLStreamConsumerDisconnect)
STUB(cudaEGLStreamConsumerReleaseFrame) STUB(cudaEGLStreamProducerConnect) STUB(cudaEGLStreamProducerDisconnect)
STUB(cudaEGLStreamProducerPresentFrame) STUB(cudaEGLStreamProducerReturnFrame) STUB(cudaEventCreateFromEGLSync)
STUB(cudaExternalMemoryGetMappedBuffer) STUB(cudaExternalMemoryGetMappedMipmappedArray) STUB(cudaFreeArray)
STUB(cudaFreeMipmappedArray) STUB(cudaGLGetDevices) STUB(cudaGLMapBufferObject) STUB(cudaGLMapBufferObjectAsync)
STUB(cudaGLRegisterBufferObject) STUB(cudaGLSetBufferObjectMapFlags) STUB(cudaGLSetGLDevice)
STUB(cudaGLUnmapBufferObject) STUB(cudaGLUnmapBufferObjectAsync) STUB(cudaGLUnregisterBufferObject)
STUB(cudaGetChannelDesc) STUB(cudaGetExportTable) STUB(cudaGetMipmappedArrayLevel)
STUB(cudaGetSurfaceObjectResourceDesc) STUB(cudaGetTextureObjectResourceDesc) STUB(cudaGetTextureObjectResourceViewDesc)
STUB(cudaGetTextureObjectTextureDesc) STUB(cudaGraphAddChildGraphNode) STUB(cudaGraphAddDependencies)
STUB(cudaGraphAddEmptyNode) STUB(cudaGraphAddEventRecordNode) STUB(cudaGraphAddEventWaitNode)
STUB(cudaGraphAddExternalSemaphoresSignalNode) STUB(cudaGraphAddExternalSemaphoresWaitNode) STUB(cudaGraphAddHostNode)
STUB(cudaGraphAddKernelNode) STUB(cudaGraphAddMemAllocNode) STUB(cudaGraphAddMemFreeNode) STUB(cudaGraphAddMemcpyNode)
STUB(cudaGraphAddMemcpyNode1D) STUB(cudaGraphAddMemcpyNodeFromSymbol) STUB(cudaGraphAddMemcpyNodeToSymbol)
STUB(cudaGraphAddMemsetNode) STUB(cudaGraphAddNode) STUB(cudaGraphChildGraphNodeGetGraph) STUB(cudaGraphClone)
STUB(cudaGraphConditionalHandleCreate) STUB(cudaGraphCreate) STUB(cudaGraphDebugDotPrint) STUB(cudaGraphDestroyNode)
STUB(cudaGraphEventRecordNodeGetEvent) STUB(cudaGraphEventRecordNodeSetEvent) STUB(cudaGraphEventWaitNodeGetEvent)
STUB(cudaGraphEventWaitNodeSetEvent) STUB(cudaGraphExecChildGraphNodeSetParams)
STUB(cudaGraphExecEventRecordNodeSetEvent) STUB(cudaGraphExecEventWaitNodeSetEvent)
STUB(cudaGraphExecExternalSemaphoresSignalNodeSetParams) STUB(cudaGraphExecExternalSemaphoresWaitNodeSetParams)
STUB(cudaGraphExecGetFlags) STUB(cudaGraphExecHostNodeSetParams) STUB(cudaGraphExecKernelNodeSetParams)
STUB(cudaGraphExecMemcpyNodeSetParams) STUB(cudaGraphExecMemcpyNodeSetParams1D)
STUB(cudaGraphExecMemcpyNodeSetParamsFromSymbol) STUB(cudaGraphExecMemcpyNodeSetParamsToSymbol)
STUB(cudaGraphExecMemsetNodeSetParams) STUB(cudaGraphExecNodeSetParams) STUB(cudaGraphExecUpdate)
STUB(cudaGraphExternalSemaphoresSignalNodeGetParams) STUB(cudaGraphExternalSemaphoresSignalNodeSetParams)
STUB(cudaGraphExternalSemaphoresWaitNodeGetParams) STUB(cudaGraphExternalSemaphoresWaitNodeSetParams)
STUB(cudaGraphGetEdges) STUB(cudaGraphGetRootNodes) STUB(cudaGraphHostNodeGetParams) STUB(cudaGraphHostNodeSetParams)
STUB(cudaGraphInstantiateWithParams) STUB(cudaGraphInstantiateWithParams_ptsz) STUB(cudaGraphKernelNodeCopyAttributes)
STUB(cudaGraphKernelNodeGetAttribute) STUB(cudaGraphKernelNodeGetParams) STUB(cudaGraphKernelNodeSetAttribute)
STUB(cudaGraphKernelNodeSetParams) STUB(cudaGraphMemAllocNodeGetParams) STUB(cudaGraphMemFreeNodeGetParams)
STUB(cudaGraphMemcpyNodeGetParams) STUB(cudaGraphMemcpyNodeSetParams) STUB(cudaGraphMemcpyNodeSetParams1D)
STUB(cudaGraphMemcpyNodeSetParamsFromSymbol) STUB(cudaGraphMemcpyNodeSetParamsToSymbol)
STUB(cudaGraphMemsetNodeGetParams) STUB(cudaGraphMemsetNodeSetParams) STUB(cudaGraphNodeFindInClone)
STUB(cudaGraphNodeGetDependencies) STUB(cudaGraphNodeGetDependentNodes) STUB(cudaGraphNodeGetEnabled)
STUB(cudaGraphNodeSetEnabled) STUB(cudaGraphNodeSetParams) STUB(cudaGraphReleaseUserObject)
STUB(cudaGraphRemoveDependencies) STUB(cudaGraphRetainUserObject) STUB(cudaGraphicsEGLRegisterImage)
STUB(cudaGraphicsGLRegisterBuffer) STUB(cudaGraphicsGLRegisterImage) STUB(cudaGraphicsMapResources)
STUB(cudaGraphicsResourceGetMappedEglFrame) STUB(cudaGraphicsResourceGetMappedMipmappedArray)
STUB(cudaGraphicsResourceGetMappedPointer) STUB(cudaGraphicsResourceSetMapFlags)
STUB(cudaGraphicsSubResourceGetMappedArray) STUB(cudaGraphicsUnmapResources) STUB(cudaGraphicsUnregisterResource)
STUB(cudaGraphicsVDPAURegisterOutputSurface) STUB(cudaGraphicsVDPAURegisterVideoSurface) STUB(cudaImportExternalMemory)
STUB(cudaImportExternalSemaphore) STUB(cudaIpcCloseMemHandle) STUB(cudaIpcGetEventHandle) STUB(cudaIpcGetMemHandle)
STUB(cudaIpcOpenEventHandle) STUB(cudaIpcOpenMemHandle) STUB(cudaLibraryGetUnifiedFunction) STUB(cudaLogsCurrent)
STUB(cudaLogsDumpToFile) STUB(cudaLogsDumpToMemory) STUB(cudaLogsRegisterCallback) STUB(cudaLogsUnregisterCallback)
STUB(cudaMalloc3DArray) STUB(cudaMallocArray) STUB(cudaMallocMipmappedArray) STUB(cudaMemDiscardAndPrefetchBatchAsync)
STUB(cudaMemDiscardAndPrefetchBatchAsync_ptsz) STUB(cudaMemDiscardBatchAsync) STUB(cudaMemDiscardBatchAsync_ptsz)
STUB(cudaMemGetDefaultMemPool) STUB(cudaMemGetMemPool) STUB(cudaMemPoolExportPointer)
STUB(cudaMemPoolExportToShareableHandle) STUB(cudaMemPoolImportFromShareableHandle) STUB(cudaMemPoolImportPointer)
STUB(cudaMemPrefetchBatchAsync) STUB(cudaMemPrefetchBatchAsync_ptsz) STUB(cudaMemRangeGetAttribute)
STUB(cudaMemRangeGetAttributes) STUB(cudaMemSetMemPool) STUB(cudaMemcpy2DArrayToArray)
STUB(cudaMemcpy2DArrayToArray_ptds) STUB(cudaMemcpy2DFromArray) STUB(cudaMemcpy2DFromArrayAsync)
STUB(cudaMemcpy2DFromArrayAsync_ptsz) STUB(cudaMemcpy2DFromArray_ptds) STUB(cudaMemcpy2DToArray)
STUB(cudaMemcpy2DToArrayAsync) STUB(cudaMemcpy2DToArrayAsync_ptsz) STUB(cudaMemcpy2DToArray_ptds)
STUB(cudaMemcpy3DBatchAsync) STUB(cudaMemcpy3DBatchAsync_ptsz) STUB(cudaMemcpyArrayToArray)
STUB(cudaMemcpyArrayToArray_ptds) STUB(cudaMemcpyFromArray) STUB(cudaMemcpyFromArrayAsync)
STUB(cudaMemcpyFromArrayAsync_ptsz) STUB(cudaMemcpyFromArray_ptds) STUB(cudaMemcpyToArray) STUB(cudaMemcpyToArrayAsync)
STUB(cudaMemcpyToArrayAsync_ptsz) STUB(cudaMemcpyToArray_ptds) STUB(cudaMipmappedArrayGetMemoryRequirements)
STUB(cudaMipmappedArrayGetSparseProperties) STUB(cudaSignalExternalSemaphoresAsync)
STUB(cudaSignalExternalSemaphoresAsync_ptsz) STUB(cudaStreamBeginCaptureToGraph)
STUB(cudaStreamBeginCaptureToGraph_ptsz) STUB(cudaStreamUpdateCaptureDependencies)
STUB(cudaStreamUpdateCaptureDependencies_ptsz) STUB(cudaUserObjectCreate) STUB(cudaUserObjectRelease)
STUB(cudaUserObjectRetain) STUB(cudaVDPAUGetDevice) STUB(cudaVDPAUSetVDPAUDevice) STUB(cudaWaitExternalSemaphoresAsync)
STUB(cudaWaitExternalSemaphoresAsync_ptsz)
/* CUDA 12's, whose struct differs */
STUB(cudaGetDeviceProperties_v2)
