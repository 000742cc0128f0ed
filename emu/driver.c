/* driver.c - the CUDA driver API. Most of it is hostcore.c, hostmodule.c and hostwork.c under other names; what is here
 * alone: contexts, entry points by name, and the rule that a call needs cuInit() and a current context. Functions that
 * are not emulated are stubs, by the table at the end. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "host.h"
#include "tmap.h"

/* ---- Contexts: names only, all share the device's memory ---- */
struct CUctx_st { unsigned flags; int live, refs; unsigned long long id; };
static struct CUctx_st primary = { .id = 1 };
static unsigned long long next_context = 2;
static int initialised;
#define CONTEXTS 32
static __thread struct { CUcontext c[CONTEXTS]; int n; } current;      /* a stack */

static CUcontext top(void) { return current.n ? current.c[current.n - 1] : NULL; }
static int set_top(CUcontext c)
{
    if (current.n) --current.n;
    if (c) current.c[current.n++] = c;
    return 0;
}
static int push(CUcontext c)
{
    if (!c || current.n == CONTEXTS) return CUDA_ERROR_INVALID_VALUE;
    current.c[current.n++] = c;
    return 0;
}
static int pop(CUcontext *c)
{
    if (!current.n) return CUDA_ERROR_INVALID_CONTEXT;
    --current.n;
    if (c) *c = current.c[current.n];
    return 0;
}
void driver_use_primary(void)
{
    initialised = 1;
    if (top()) return;
    primary.live = 1;
    set_top(&primary);
}

static int ready(const char *api)
{
    if (host_sticky()) return host_sticky();
    if (!initialised) { host_say("%s: cuInit() was not called", api); return CUDA_ERROR_NOT_INITIALIZED; }
    if (!top()) { host_say("%s: no context is current", api); return CUDA_ERROR_INVALID_CONTEXT; }
    return 0;
}
/* The errors that the runtime alone has */
static CUresult result(int e)
{
    switch (e) {
    case cudaErrorInvalidConfiguration: case cudaErrorInvalidPitchValue: case cudaErrorInvalidMemcpyDirection:
        return CUDA_ERROR_INVALID_VALUE;
    case cudaErrorInvalidDeviceFunction: return CUDA_ERROR_NOT_FOUND;
    default: return (CUresult)e;
    }
}
#define ALWAYS(expr) do { host_lock(); int e_ = (int)(expr); host_unlock(); return result(e_); } while (0)
#define INIT(expr) ALWAYS(initialised ? (int)(expr) : (int)CUDA_ERROR_NOT_INITIALIZED)
#define DRV(expr)                                                                                                     \
    do {                                                                                                              \
        host_lock();                                                                                                  \
        int e_ = ready(__func__);                                                                                     \
        e_ = e_ ? e_ : (int)(expr);                                                                                   \
        host_unlock();                                                                                                \
        return result(e_);                                                                                            \
    } while (0)
#define DEV(d) ((d) != 0 ? (int)CUDA_ERROR_INVALID_DEVICE : 0)
#define ON_DEV(d, expr) INIT(DEV(d) ? DEV(d) : (int)(expr))
#define SET(p, v) ((p) ? (*(p) = (v), 0) : (int)CUDA_ERROR_INVALID_VALUE)

CUresult cuInit(unsigned flags)
{
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    host_lock(); initialised = 1; host_unlock();
    return CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *v) { ALWAYS(SET(v, CUDA_VERSION)); }

static const struct { int code; const char *name; } names[] = {
#define N(x) { CUDA_##x, "CUDA_" #x }
    N(SUCCESS), N(ERROR_INVALID_VALUE), N(ERROR_OUT_OF_MEMORY), N(ERROR_NOT_INITIALIZED), N(ERROR_DEINITIALIZED),
    N(ERROR_PROFILER_DISABLED), N(ERROR_PROFILER_NOT_INITIALIZED), N(ERROR_PROFILER_ALREADY_STARTED),
    N(ERROR_PROFILER_ALREADY_STOPPED), N(ERROR_STUB_LIBRARY), N(ERROR_CALL_REQUIRES_NEWER_DRIVER),
    N(ERROR_DEVICE_UNAVAILABLE), N(ERROR_NO_DEVICE), N(ERROR_INVALID_DEVICE), N(ERROR_DEVICE_NOT_LICENSED),
    N(ERROR_INVALID_IMAGE), N(ERROR_INVALID_CONTEXT), N(ERROR_CONTEXT_ALREADY_CURRENT), N(ERROR_MAP_FAILED),
    N(ERROR_UNMAP_FAILED), N(ERROR_ARRAY_IS_MAPPED), N(ERROR_ALREADY_MAPPED), N(ERROR_NO_BINARY_FOR_GPU),
    N(ERROR_ALREADY_ACQUIRED), N(ERROR_NOT_MAPPED), N(ERROR_NOT_MAPPED_AS_ARRAY), N(ERROR_NOT_MAPPED_AS_POINTER),
    N(ERROR_ECC_UNCORRECTABLE), N(ERROR_UNSUPPORTED_LIMIT), N(ERROR_CONTEXT_ALREADY_IN_USE),
    N(ERROR_PEER_ACCESS_UNSUPPORTED), N(ERROR_INVALID_PTX), N(ERROR_INVALID_GRAPHICS_CONTEXT),
    N(ERROR_NVLINK_UNCORRECTABLE), N(ERROR_JIT_COMPILER_NOT_FOUND), N(ERROR_UNSUPPORTED_PTX_VERSION),
    N(ERROR_JIT_COMPILATION_DISABLED), N(ERROR_UNSUPPORTED_EXEC_AFFINITY), N(ERROR_UNSUPPORTED_DEVSIDE_SYNC),
    N(ERROR_CONTAINED), N(ERROR_INVALID_SOURCE), N(ERROR_FILE_NOT_FOUND), N(ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND),
    N(ERROR_SHARED_OBJECT_INIT_FAILED), N(ERROR_OPERATING_SYSTEM), N(ERROR_INVALID_HANDLE), N(ERROR_ILLEGAL_STATE),
    N(ERROR_LOSSY_QUERY), N(ERROR_NOT_FOUND), N(ERROR_NOT_READY), N(ERROR_ILLEGAL_ADDRESS),
    N(ERROR_LAUNCH_OUT_OF_RESOURCES), N(ERROR_LAUNCH_TIMEOUT), N(ERROR_LAUNCH_INCOMPATIBLE_TEXTURING),
    N(ERROR_PEER_ACCESS_ALREADY_ENABLED), N(ERROR_PEER_ACCESS_NOT_ENABLED), N(ERROR_PRIMARY_CONTEXT_ACTIVE),
    N(ERROR_CONTEXT_IS_DESTROYED), N(ERROR_ASSERT), N(ERROR_TOO_MANY_PEERS), N(ERROR_HOST_MEMORY_ALREADY_REGISTERED),
    N(ERROR_HOST_MEMORY_NOT_REGISTERED), N(ERROR_HARDWARE_STACK_ERROR), N(ERROR_ILLEGAL_INSTRUCTION),
    N(ERROR_MISALIGNED_ADDRESS), N(ERROR_INVALID_ADDRESS_SPACE), N(ERROR_INVALID_PC), N(ERROR_LAUNCH_FAILED),
    N(ERROR_COOPERATIVE_LAUNCH_TOO_LARGE), N(ERROR_TENSOR_MEMORY_LEAK), N(ERROR_NOT_PERMITTED), N(ERROR_NOT_SUPPORTED),
    N(ERROR_SYSTEM_NOT_READY), N(ERROR_SYSTEM_DRIVER_MISMATCH), N(ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE),
    N(ERROR_MPS_CONNECTION_FAILED), N(ERROR_MPS_RPC_FAILURE), N(ERROR_MPS_SERVER_NOT_READY),
    N(ERROR_MPS_MAX_CLIENTS_REACHED), N(ERROR_MPS_MAX_CONNECTIONS_REACHED), N(ERROR_MPS_CLIENT_TERMINATED),
    N(ERROR_CDP_NOT_SUPPORTED), N(ERROR_CDP_VERSION_MISMATCH), N(ERROR_STREAM_CAPTURE_UNSUPPORTED),
    N(ERROR_STREAM_CAPTURE_INVALIDATED), N(ERROR_STREAM_CAPTURE_MERGE), N(ERROR_STREAM_CAPTURE_UNMATCHED),
    N(ERROR_STREAM_CAPTURE_UNJOINED), N(ERROR_STREAM_CAPTURE_ISOLATION), N(ERROR_STREAM_CAPTURE_IMPLICIT),
    N(ERROR_CAPTURED_EVENT), N(ERROR_STREAM_CAPTURE_WRONG_THREAD), N(ERROR_TIMEOUT), N(ERROR_GRAPH_EXEC_UPDATE_FAILURE),
    N(ERROR_EXTERNAL_DEVICE), N(ERROR_INVALID_CLUSTER_SIZE), N(ERROR_FUNCTION_NOT_LOADED),
    N(ERROR_INVALID_RESOURCE_TYPE), N(ERROR_INVALID_RESOURCE_CONFIGURATION), N(ERROR_KEY_ROTATION), N(ERROR_UNKNOWN)
#undef N
};
CUresult cuGetErrorName(CUresult e, const char **s)
{
    if (!s) return CUDA_ERROR_INVALID_VALUE;
    *s = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) if (names[i].code == (int)e) *s = names[i].name;
    return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuGetErrorString(CUresult e, const char **s)
{
    const char *name;
    if (!s) return CUDA_ERROR_INVALID_VALUE;
    *s = cuGetErrorName(e, &name) ? NULL : host_error_string((int)e);
    return *s ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- The device ---- */
CUresult cuDeviceGetCount(int *n) { INIT(SET(n, 1)); }
CUresult cuDeviceGet(CUdevice *d, int i) { ON_DEV(i, SET(d, 0)); }
CUresult cuDeviceGetName(char *s, int n, CUdevice d)
{
    ON_DEV(d, !s || n < 1 ? (int)CUDA_ERROR_INVALID_VALUE : (snprintf(s, (size_t)n, "%s", emu_opt.device->name), 0));
}
static int uuid(CUuuid *u)
{
    struct cudaDeviceProp p;
    if (!u || cudaGetDeviceProperties(&p, 0)) return CUDA_ERROR_INVALID_VALUE;
    memcpy(u, &p.uuid, sizeof *u);
    return 0;
}
CUresult cuDeviceGetUuid_v2(CUuuid *u, CUdevice d) { ON_DEV(d, uuid(u)); }
CUresult cuDeviceTotalMem_v2(size_t *n, CUdevice d) { ON_DEV(d, SET(n, emu_opt.device->memory)); }
CUresult cuDeviceGetAttribute(int *v, CUdevice_attribute a, CUdevice d) { ON_DEV(d, host_device_attribute(v, (int)a)); }
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice d)
{
    ON_DEV(d, SET(major, emu_opt.device->sm / 10) | SET(minor, emu_opt.device->sm % 10));
}
static int properties(CUdevprop *p)
{
    if (!p) return CUDA_ERROR_INVALID_VALUE;
    int *v[] = { &p->maxThreadsPerBlock, &p->maxThreadsDim[0], &p->maxThreadsDim[1], &p->maxThreadsDim[2],
                 &p->maxGridSize[0], &p->maxGridSize[1],
        &p->maxGridSize[2], &p->sharedMemPerBlock, &p->totalConstantMemory, &p->SIMDWidth, &p->memPitch,
        &p->regsPerBlock, &p->clockRate, &p->textureAlign };
    for (int i = 0; i < 14; ++i) host_device_attribute(v[i], i + 1);       /* the attributes 1 to 14, in their order */
    return 0;
}
CUresult cuDeviceGetProperties(CUdevprop *p, CUdevice d) { ON_DEV(d, properties(p)); }
CUresult cuDeviceGetPCIBusId(char *s, int n, CUdevice d)
{
    ON_DEV(d, !s || n < 13 ? (int)CUDA_ERROR_INVALID_VALUE : (snprintf(s, (size_t)n, "0000:01:00.0"), 0));
}
CUresult cuDeviceGetByPCIBusId(CUdevice *d, const char *s)
{
    INIT(!s || !d ? (int)CUDA_ERROR_INVALID_VALUE : strstr(s, "01:00") ? SET(d, 0) : (int)CUDA_ERROR_INVALID_DEVICE);
}
CUresult cuDeviceCanAccessPeer(int *v, CUdevice d, CUdevice p) { ON_DEV(d | p, SET(v, 0)); }
CUresult cuDeviceGetExecAffinitySupport(int *v, CUexecAffinityType t, CUdevice d) { (void)t; ON_DEV(d, SET(v, 0)); }
CUresult cuCtxEnablePeerAccess(CUcontext c, unsigned f) { (void)c; (void)f; DRV(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED); }
CUresult cuCtxDisablePeerAccess(CUcontext c) { (void)c; DRV(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED); }
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget t, CUflushGPUDirectRDMAWritesScope s)
{
    (void)t; (void)s;
    DRV(0);
}
CUresult cuProfilerStart(void) { DRV(0); }
CUresult cuProfilerStop(void) { DRV(0); }

/* ---- Contexts ---- */
static int retain(CUcontext *c)
{
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    primary.live = 1;
    ++primary.refs;
    *c = &primary;
    return 0;
}
static int release(void)
{
    if (primary.refs <= 0) return CUDA_ERROR_INVALID_CONTEXT;
    --primary.refs;
    return 0;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *c, CUdevice d) { ON_DEV(d, retain(c)); }
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d) { ON_DEV(d, release()); }
CUresult cuDevicePrimaryCtxReset_v2(CUdevice d) { ON_DEV(d, host_reset()); }
CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice d, unsigned f) { ON_DEV(d, (primary.flags = f, 0)); }
CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *f, int *active)
{
    ON_DEV(d, SET(f, primary.flags) | SET(active, primary.live));
}
static int create(CUcontext *c, unsigned flags)
{
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    CUcontext x = calloc(1, sizeof *x);
    if (!x) return CUDA_ERROR_OUT_OF_MEMORY;
    x->flags = flags; x->live = 1; x->id = next_context++;
    *c = x;
    return push(x);
}
CUresult cuCtxCreate_v4(CUcontext *c, CUctxCreateParams *p, unsigned f, CUdevice d)
{
    (void)p;
    ON_DEV(d, create(c, f));
}
API CUresult cuCtxCreate_v3(CUcontext *c, CUexecAffinityParam *p, int n, unsigned f, CUdevice d);
CUresult cuCtxCreate_v3(CUcontext *c, CUexecAffinityParam *p, int n, unsigned f, CUdevice d)
{
    (void)p; (void)n;
    ON_DEV(d, create(c, f));
}
API CUresult cuCtxCreate_v2(CUcontext *c, unsigned f, CUdevice d);
CUresult cuCtxCreate_v2(CUcontext *c, unsigned f, CUdevice d) { ON_DEV(d, create(c, f)); }
CUresult cuCtxDestroy_v2(CUcontext c)
{
    INIT(!c || c == &primary || !c->live ? (int)CUDA_ERROR_INVALID_CONTEXT : (c->live = 0, top() == c ? pop(NULL) : 0));
}
CUresult cuCtxPushCurrent_v2(CUcontext c) { INIT(push(c)); }
CUresult cuCtxPopCurrent_v2(CUcontext *c) { INIT(pop(c)); }
CUresult cuCtxSetCurrent(CUcontext c) { INIT(set_top(c)); }
CUresult cuCtxGetCurrent(CUcontext *c) { INIT(SET(c, top())); }
CUresult cuCtxGetDevice(CUdevice *d) { DRV(SET(d, 0)); }
CUresult cuCtxGetDevice_v2(CUdevice *d, CUcontext c) { (void)c; INIT(SET(d, 0)); }
CUresult cuCtxGetFlags(unsigned *f) { DRV(SET(f, top()->flags)); }
CUresult cuCtxSetFlags(unsigned f) { DRV((top()->flags = f, 0)); }
CUresult cuCtxGetId(CUcontext c, unsigned long long *id)
{
    INIT(!c && !top() ? (int)CUDA_ERROR_INVALID_CONTEXT : SET(id, (c ? c : top())->id));
}
CUresult cuCtxGetApiVersion(CUcontext c, unsigned *v) { (void)c; INIT(SET(v, CUDA_VERSION)); }
CUresult cuCtxSynchronize(void) { DRV(host_device_sync(__func__)); }
CUresult cuCtxSynchronize_v2(CUcontext c) { (void)c; INIT(host_sticky()); }
CUresult cuCtxSetLimit(CUlimit l, size_t v) { DRV(host_limit((int)l, NULL, v)); }
CUresult cuCtxGetLimit(size_t *v, CUlimit l) { DRV(v ? host_limit((int)l, v, 0) : (int)CUDA_ERROR_INVALID_VALUE); }
CUresult cuCtxGetCacheConfig(CUfunc_cache *c) { DRV(SET(c, CU_FUNC_CACHE_PREFER_NONE)); }
CUresult cuCtxSetCacheConfig(CUfunc_cache c) { (void)c; DRV(0); }
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRV((least ? *least = 0 : 0, greatest ? *greatest = -5 : 0, 0));
}
CUresult cuCtxResetPersistingL2Cache(void) { DRV(0); }

/* ---- Modules, libraries, kernels ---- */
#define MOD(m) ((host_image **)(m))
CUresult cuModuleLoad(CUmodule *m, const char *file)
{
    DRV(m ? host_image_file(m, file) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuModuleLoadData(CUmodule *m, const void *image)
{
    DRV(m ? host_image_open(m, image, 0, "cuModuleLoadData") : (int)CUDA_ERROR_INVALID_VALUE);
}
static int load_ex(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **v)
{
    if (!m) return CUDA_ERROR_INVALID_VALUE;
    /* logs are strings that callers print: leave them empty */
    for (unsigned i = 0; i < n; ++i)
        if ((o[i] == CU_JIT_INFO_LOG_BUFFER || o[i] == CU_JIT_ERROR_LOG_BUFFER) && v[i]) {
            for (unsigned k = 0; k < n; ++k)
                if (o[k] == (o[i] == CU_JIT_INFO_LOG_BUFFER ? CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES
                             : CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) && v[k])
                    *(char *)v[i] = 0;
        }
    return host_image_open(m, image, 0, "cuModuleLoadDataEx");
}
CUresult cuModuleLoadDataEx(CUmodule *m, const void *image, unsigned n, CUjit_option *o, void **v)
{
    DRV(load_ex(m, image, n, o, v));
}
CUresult cuModuleLoadFatBinary(CUmodule *m, const void *image)
{
    DRV(m ? host_image_open(m, image, 0, "cuModuleLoadFatBinary") : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuModuleUnload(CUmodule m) { DRV(host_image_close(m)); }
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *m) { ALWAYS(SET(m, CU_MODULE_LAZY_LOADING)); }
CUresult cuModuleGetFunction(CUfunction *f, CUmodule m, const char *name)
{
    DRV(f ? host_image_kernel(f, m, name) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuModuleGetFunctionCount(unsigned *n, CUmodule m)
{
    DRV(!host_image_valid(m) ? (int)CUDA_ERROR_INVALID_HANDLE : SET(n, (unsigned)m->mod->nkernel));
}
static int enumerate(CUfunction *f, unsigned n, host_image *m)
{
    if (!f) return CUDA_ERROR_INVALID_VALUE;
    if (!host_image_valid(m)) return CUDA_ERROR_INVALID_HANDLE;
    for (unsigned i = 0; i < n && (int)i < m->mod->nkernel; ++i) {
        int e = host_image_kernel_n(&f[i], m, i);
        if (e) return e;
    }
    return 0;
}
CUresult cuModuleEnumerateFunctions(CUfunction *f, unsigned n, CUmodule m) { DRV(enumerate(f, n, m)); }
CUresult cuModuleGetGlobal_v2(CUdeviceptr *p, size_t *n, CUmodule m, const char *name)
{
    DRV(host_image_global((void **)p, n, m, name));
}

CUresult cuLibraryLoadData(CUlibrary *l, const void *code, CUjit_option *jo, void **jv, unsigned nj,
                           CUlibraryOption *lo, void **lv, unsigned nl)
{
    (void)jo; (void)jv; (void)nj; (void)lo; (void)lv; (void)nl;
    DRV(l ? host_image_open(MOD(l), code, 0, "cuLibraryLoadData") : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuLibraryLoadFromFile(CUlibrary *l, const char *file, CUjit_option *jo, void **jv, unsigned nj,
                               CUlibraryOption *lo, void **lv, unsigned nl)
{
    (void)jo; (void)jv; (void)nj; (void)lo; (void)lv; (void)nl;
    DRV(l ? host_image_file(MOD(l), file) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuLibraryUnload(CUlibrary l) { DRV(host_image_close((host_image *)l)); }
CUresult cuLibraryGetKernel(CUkernel *k, CUlibrary l, const char *name)
{
    DRV(k ? host_image_kernel((CUfunction *)k, (host_image *)l, name) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuLibraryGetKernelCount(unsigned *n, CUlibrary l)
{
    DRV(!host_image_valid(l) ? (int)CUDA_ERROR_INVALID_HANDLE : SET(n, (unsigned)((host_image *)l)->mod->nkernel));
}
CUresult cuLibraryEnumerateKernels(CUkernel *k, unsigned n, CUlibrary l)
{
    DRV(enumerate((CUfunction *)k, n, (host_image *)l));
}
CUresult cuLibraryGetModule(CUmodule *m, CUlibrary l)
{
    DRV(!host_image_valid(l) ? (int)CUDA_ERROR_INVALID_HANDLE : SET(m, (host_image *)l));
}
CUresult cuLibraryGetGlobal(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name)
{
    DRV(host_image_global((void **)p, n, (host_image *)l, name));
}
CUresult cuLibraryGetManaged(CUdeviceptr *p, size_t *n, CUlibrary l, const char *name)
{
    DRV(host_image_global((void **)p, n, (host_image *)l, name));
}

/* CUkernel and CUfunction are the same thing */
#define FUNC(h, expr)                                                                                                 \
    do {                                                                                                              \
        CUfunction f_;                                                                                                \
        int no_;                                                                                                      \
        DRV((no_ = host_func(&f_, (const void *)(h))) ? (no_ == CUDA_SUCCESS ? 0                                      \
                                                         : f_ ? no_                                                   \
                                                         : (int)CUDA_ERROR_INVALID_HANDLE) : (int)(expr));            \
    } while (0)
CUresult cuKernelGetFunction(CUfunction *f, CUkernel k) { FUNC(k, SET(f, f_)); }
CUresult cuKernelGetLibrary(CUlibrary *l, CUkernel k) { FUNC(k, SET(l, (CUlibrary)f_->image)); }
CUresult cuKernelGetName(const char **s, CUkernel k) { FUNC(k, SET(s, f_->name)); }
CUresult cuKernelGetParamInfo(CUkernel k, size_t i, size_t *o, size_t *n) { FUNC(k, host_param_info(f_, i, o, n)); }
CUresult cuKernelGetAttribute(int *v, CUfunction_attribute a, CUkernel k, CUdevice d)
{
    (void)d;
    FUNC(k, v ? host_func_get(f_, (int)a, v) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuKernelSetAttribute(CUfunction_attribute a, int v, CUkernel k, CUdevice d)
{
    (void)d;
    FUNC(k, host_func_set(f_, (int)a, v, __func__));
}
CUresult cuKernelSetCacheConfig(CUkernel k, CUfunc_cache c, CUdevice d) { (void)c; (void)d; FUNC(k, 0); }
CUresult cuFuncGetAttribute(int *v, CUfunction_attribute a, CUfunction f)
{
    FUNC(f, v ? host_func_get(f_, (int)a, v) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuFuncSetAttribute(CUfunction f, CUfunction_attribute a, int v)
{
    FUNC(f, host_func_set(f_, (int)a, v, __func__));
}
CUresult cuFuncSetCacheConfig(CUfunction f, CUfunc_cache c) { (void)c; FUNC(f, 0); }
API CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig c);
CUresult cuFuncSetSharedMemConfig(CUfunction f, CUsharedconfig c) { (void)c; FUNC(f, 0); }
CUresult cuFuncGetModule(CUmodule *m, CUfunction f) { FUNC(f, SET(m, f_->image)); }
CUresult cuFuncGetName(const char **s, CUfunction f) { FUNC(f, SET(s, f_->name)); }
CUresult cuFuncGetParamInfo(CUfunction f, size_t i, size_t *o, size_t *n) { FUNC(f, host_param_info(f_, i, o, n)); }
CUresult cuFuncIsLoaded(CUfunctionLoadingState *s, CUfunction f) { FUNC(f, SET(s, CU_FUNCTION_LOADING_STATE_LOADED)); }
CUresult cuFuncLoad(CUfunction f) { FUNC(f, 0); }

/* Linking: a module of its own is a whole program already; several would have to become one */
struct CUlinkState_st { char *data; size_t size; int inputs; };
static int link_add(CUlinkState s, const void *data, size_t n, int type)
{
    if (!s || !data || !n) return CUDA_ERROR_INVALID_VALUE;
    if (type != CU_JIT_INPUT_PTX && type != CU_JIT_INPUT_FATBINARY) {
        host_say("cuLinkAddData: only PTX and fat binaries can be run, not machine code, objects or libraries");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (s->inputs++) {
        host_say("cuLinkAddData: linking several modules into one is not emulated");
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (!(s->data = malloc(n + 1))) return CUDA_ERROR_OUT_OF_MEMORY;
    memcpy(s->data, data, n);
    s->data[n] = 0; s->size = n + 1;
    return 0;
}
CUresult cuLinkCreate_v2(unsigned n, CUjit_option *o, void **v, CUlinkState *s)
{
    (void)n; (void)o; (void)v;
    DRV(s ? (*s = calloc(1, sizeof **s), 0) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuLinkAddData_v2(CUlinkState s, CUjitInputType t, void *data, size_t n, const char *name, unsigned no,
                          CUjit_option *o, void **v)
{
    (void)name; (void)no; (void)o; (void)v;
    DRV(link_add(s, data, n, (int)t));
}
CUresult cuLinkComplete(CUlinkState s, void **image, size_t *n)
{
    DRV(!s || !s->inputs || !image ? (int)CUDA_ERROR_INVALID_VALUE : (*image = s->data, n ? *n = s->size : 0, 0));
}
CUresult cuLinkDestroy(CUlinkState s) { DRV(s ? (free(s->data), free(s), 0) : (int)CUDA_ERROR_INVALID_VALUE); }

/* ---- Launches ---- */
static int launch_function(const char *api, CUfunction f, emu_launch_config c, void **params, void **extra, CUstream s,
                           const CUlaunchAttribute *a, unsigned na)
{
    host_op op = { .kind = OP_LAUNCH, .api = api };
    if (params && extra) {
        host_say("%s(%s): arguments both in kernelParams and in extra", api, f->name);
        return CUDA_ERROR_INVALID_VALUE;
    }
    op.launch.args = params;
    for (; extra && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) op.launch.packed = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) op.launch.size = extra[1] ? *(size_t *)extra[1] : 0;
        else return CUDA_ERROR_INVALID_VALUE;
    }
    if (f->k->fn->nparam && !op.launch.args && !op.launch.packed) {
        host_say("%s(%s): the kernel has parameters, but there are no arguments", api, f->name);
        return CUDA_ERROR_INVALID_VALUE;
    }
    op.launch.f = f; op.launch.c = c;
    int e = na && !a ? (int)CUDA_ERROR_INVALID_VALUE : host_launch_attributes(&op.launch.c, a, na, api);
    return e ? e : host_submit(s, &op);
}
CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned smem, CUstream s, void **params, void **extra)
{
    FUNC(f, launch_function(__func__, f_, (emu_launch_config){ .grid = { gx, gy, gz }, .block = { bx, by, bz },
                                .dyn_smem = smem }, params, extra, s, NULL, 0));
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                   unsigned bz, unsigned smem, CUstream s, void **params)
{
    FUNC(f, launch_function(__func__, f_, (emu_launch_config){ .grid = { gx, gy, gz }, .block = { bx, by, bz },
                                .dyn_smem = smem, .cooperative = 1 }, params, NULL, s, NULL, 0));
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **params, void **extra)
{
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    FUNC(f, launch_function(__func__, f_, (emu_launch_config){ .grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
        .block = { c->blockDimX, c->blockDimY, c->blockDimZ }, .dyn_smem = c->sharedMemBytes }, params, extra,
        c->hStream, c->attrs, c->numAttrs));
}
CUresult cuLaunchHostFunc(CUstream s, CUhostFn fn, void *data) { DRV(host_call(__func__, fn, data, s)); }

typedef struct { CUstreamCallback fn; void *data; CUstream stream; } callback;
static void call_back(void *p) { callback *c = p; c->fn(c->stream, CUDA_SUCCESS, c->data); free(c); }
static int add_callback(CUstream s, CUstreamCallback fn, void *data)
{
    if (host_stream_sync(s, "cuStreamAddCallback")) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    callback *c = fn ? malloc(sizeof *c) : NULL;
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    *c = (callback){ fn, data, s };
    return host_call("cuStreamAddCallback", call_back, c, s);
}
CUresult cuStreamAddCallback(CUstream s, CUstreamCallback fn, void *data, unsigned flags)
{
    DRV(flags ? (int)CUDA_ERROR_INVALID_VALUE : add_callback(s, fn, data));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *n, CUfunction f, int t, size_t smem)
{
    FUNC(f, host_occupancy(n, f_, t, smem));
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *n, CUfunction f, int t, size_t smem, unsigned flags)
{
    (void)flags;
    FUNC(f, host_occupancy(n, f_, t, smem));
}
CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *smem, CUfunction f, int blocks, int t)
{
    FUNC(f, host_occupancy_smem(smem, f_, blocks, t));
}
/* the block size with which most threads are resident; of equals the largest */
static int potential(int *grid, int *block, CUfunction f, CUoccupancyB2DSize fn, size_t smem, int limit)
{
    int best = 0, best_block = 0, best_n = 0, max;
    if (!grid || !block) return CUDA_ERROR_INVALID_VALUE;
    host_func_get(f, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &max);
    if (limit > 0 && limit < max) max = limit;
    for (int b = max; b > 0; b = (b - 1) / 32 * 32) {
        int n = 0;
        if (!host_occupancy(&n, f, b, fn ? fn(b) : smem) && n * b > best) { best = n * b; best_block = b; best_n = n; }
    }
    *block = best_block; *grid = best_n * emu_opt.device->sms;
    return 0;
}
CUresult cuOccupancyMaxPotentialBlockSize(int *g, int *b, CUfunction f, CUoccupancyB2DSize fn, size_t smem, int limit)
{
    FUNC(f, potential(g, b, f_, fn, smem, limit));
}
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *g, int *b, CUfunction f, CUoccupancyB2DSize fn, size_t smem,
                                                   int limit, unsigned flags)
{
    (void)flags;
    FUNC(f, potential(g, b, f_, fn, smem, limit));
}
static int clusters(int *n, CUfunction f, const CUlaunchConfig *c, int max_size, const char *api)
{
    if (!c) return CUDA_ERROR_INVALID_VALUE;
    emu_launch_config x = { .grid = { c->gridDimX, c->gridDimY, c->gridDimZ },
                            .block = { c->blockDimX, c->blockDimY, c->blockDimZ }, .dyn_smem = c->sharedMemBytes };
    int e = host_launch_attributes(&x, c->attrs, c->numAttrs, api);
    return e ? e : host_clusters(n, f, x, max_size);
}
CUresult cuOccupancyMaxPotentialClusterSize(int *n, CUfunction f, const CUlaunchConfig *c)
{
    FUNC(f, clusters(n, f_, c, 1, __func__));
}
CUresult cuOccupancyMaxActiveClusters(int *n, CUfunction f, const CUlaunchConfig *c)
{
    FUNC(f, clusters(n, f_, c, 0, __func__));
}

/* ---- Memory ---- */
#define P(x) ((void *)(uintptr_t)(x))
CUresult cuMemGetInfo_v2(size_t *f, size_t *t) { DRV((host_mem_info(f, t), 0)); }
/* the driver refuses empty allocations, the runtime does not */
static int alloc(CUdeviceptr *p, size_t n, int kind, const char *api)
{
    return !n || !p ? (int)CUDA_ERROR_INVALID_VALUE : host_malloc((void **)p, n, kind, 0, api);
}
CUresult cuMemAlloc_v2(CUdeviceptr *p, size_t n) { DRV(alloc(p, n, M_DEVICE, "cuMemAlloc")); }
CUresult cuMemAllocAsync(CUdeviceptr *p, size_t n, CUstream s)
{
    DRV(host_stream_sync(s, __func__) ? (int)CUDA_ERROR_INVALID_HANDLE : alloc(p, n, M_DEVICE, __func__));
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *p, size_t n, CUmemoryPool pool, CUstream s)
{
    DRV((void *)pool != HOST_POOL ? (int)CUDA_ERROR_INVALID_VALUE
        : host_stream_sync(s, __func__) ? (int)CUDA_ERROR_INVALID_HANDLE
        : alloc(p, n, M_DEVICE, __func__));
}
CUresult cuMemAllocManaged(CUdeviceptr *p, size_t n, unsigned flags)
{
    (void)flags;
    DRV(alloc(p, n, M_MANAGED, __func__));
}
CUresult cuMemAllocPitch_v2(CUdeviceptr *p, size_t *pitch, size_t w, size_t h, unsigned unit)
{
    (void)unit;
    DRV(!w || !h ? (int)CUDA_ERROR_INVALID_VALUE : host_malloc_pitch((void **)p, pitch, w, h, "cuMemAllocPitch"));
}
CUresult cuMemFree_v2(CUdeviceptr p) { DRV(host_free(P(p), 0, "cuMemFree")); }
CUresult cuMemFreeAsync(CUdeviceptr p, CUstream s)
{
    DRV(host_stream_sync(s, __func__) ? (int)CUDA_ERROR_INVALID_HANDLE : host_free(P(p), 0, __func__));
}
CUresult cuMemAllocHost_v2(void **p, size_t n) { DRV(host_malloc(p, n, M_HOST, 0, "cuMemAllocHost")); }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags) { DRV(host_malloc(p, n, M_HOST, flags, __func__)); }
CUresult cuMemFreeHost(void *p) { DRV(host_free(p, 1, __func__)); }
CUresult cuMemHostRegister_v2(void *p, size_t n, unsigned flags)
{
    DRV(host_register(p, n, flags, "cuMemHostRegister"));
}
CUresult cuMemHostUnregister(void *p) { DRV(host_unregister(p, __func__)); }
static int host_pointer(const void *p, unsigned *flags)
{
    uint64_t b, n;
    int kind = host_region((uintptr_t)p, &b, &n, flags);
    return kind == M_HOST || kind == M_REGISTERED || kind == M_MANAGED ? 0 : (int)CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *d, void *p, unsigned flags)
{
    (void)flags;
    DRV(host_pointer(p, NULL) ? (int)CUDA_ERROR_INVALID_VALUE : SET(d, (uintptr_t)p));
}
CUresult cuMemHostGetFlags(unsigned *f, void *p) { DRV(f ? host_pointer(p, f) : (int)CUDA_ERROR_INVALID_VALUE); }
static int address_range(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
    uint64_t b, n;
    if (!host_region(p, &b, &n, NULL)) return CUDA_ERROR_NOT_FOUND;
    if (base) *base = b;
    if (size) *size = n;
    return 0;
}
CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr p) { DRV(address_range(base, size, p)); }

static int pointer_attribute(void *out, int a, CUdeviceptr p, int quiet)
{
    uint64_t b = 0, n = 0;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    int kind = host_region(p, &b, &n, NULL), e = 0;
    if (!kind) e = CUDA_ERROR_INVALID_VALUE;
    switch (a) {
    case CU_POINTER_ATTRIBUTE_CONTEXT: *(CUcontext *)out = kind ? top() : NULL; break;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)out = !kind ? 0
            : kind == M_DEVICE || kind == M_MANAGED ? CU_MEMORYTYPE_DEVICE
            : CU_MEMORYTYPE_HOST;
        break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)out = kind ? p : 0; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)out = kind && kind != M_DEVICE ? P(p) : NULL;
        if (kind == M_DEVICE) e = CUDA_ERROR_INVALID_VALUE;
        break;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(int *)out = 0; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)out = b; break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(int *)out = kind == M_MANAGED; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = kind ? 0 : -2; break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
        *(CUdeviceptr *)out = b; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)out = n; break;
    case CU_POINTER_ATTRIBUTE_MAPPED: *(int *)out = kind != 0; break;
    case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS: *(int *)out = kind ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE : 0; break;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE: case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
        *(int *)out = 0; break;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE: *(void **)out = NULL; break;
    default:
        if (!quiet) host_say("cuPointerGetAttribute: attribute %d is not emulated", a);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return e;
}
CUresult cuPointerGetAttribute(void *out, CUpointer_attribute a, CUdeviceptr p)
{
    DRV(pointer_attribute(out, (int)a, p, 0));
}
CUresult cuPointerGetAttributes(unsigned n, CUpointer_attribute *a, void **out, CUdeviceptr p)
{
    if (!a || !out) return CUDA_ERROR_INVALID_VALUE;
    host_lock();
    int e = ready(__func__);
    for (unsigned i = 0; i < n && !e; ++i)
        if (pointer_attribute(out[i], (int)a[i], p, 1) == CUDA_ERROR_NOT_SUPPORTED) e = CUDA_ERROR_NOT_SUPPORTED;
    host_unlock();
    return (CUresult)e;
}
CUresult cuPointerSetAttribute(const void *v, CUpointer_attribute a, CUdeviceptr p)
{
    (void)v; (void)p;
    DRV(a == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? 0 : (int)CUDA_ERROR_INVALID_VALUE);
}

enum { HTOD = cudaMemcpyHostToDevice, DTOH = cudaMemcpyDeviceToHost, DTOD = cudaMemcpyDeviceToDevice,
       ANY = cudaMemcpyDefault };
CUresult cuMemcpy(CUdeviceptr d, CUdeviceptr s, size_t n) { DRV(host_copy(__func__, P(d), P(s), n, ANY, NULL)); }
CUresult cuMemcpyAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream st)
{
    DRV(host_copy(__func__, P(d), P(s), n, ANY, st));
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr d, const void *s, size_t n)
{
    DRV(host_copy("cuMemcpyHtoD", P(d), s, n, HTOD, NULL));
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr d, const void *s, size_t n, CUstream st)
{
    DRV(host_copy("cuMemcpyHtoDAsync", P(d), s, n, HTOD, st));
}
CUresult cuMemcpyDtoH_v2(void *d, CUdeviceptr s, size_t n) { DRV(host_copy("cuMemcpyDtoH", d, P(s), n, DTOH, NULL)); }
CUresult cuMemcpyDtoHAsync_v2(void *d, CUdeviceptr s, size_t n, CUstream st)
{
    DRV(host_copy("cuMemcpyDtoHAsync", d, P(s), n, DTOH, st));
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr d, CUdeviceptr s, size_t n)
{
    DRV(host_copy("cuMemcpyDtoD", P(d), P(s), n, DTOD, NULL));
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream st)
{
    DRV(host_copy("cuMemcpyDtoDAsync", P(d), P(s), n, DTOD, st));
}
CUresult cuMemcpyPeer(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n)
{
    (void)dc; (void)sc;
    DRV(host_copy(__func__, P(d), P(s), n, DTOD, NULL));
}
CUresult cuMemcpyPeerAsync(CUdeviceptr d, CUcontext dc, CUdeviceptr s, CUcontext sc, size_t n, CUstream st)
{
    (void)dc; (void)sc;
    DRV(host_copy(__func__, P(d), P(s), n, DTOD, st));
}

static int copy_3d(const char *api, const CUDA_MEMCPY3D *c, CUstream st)
{
    if (c->srcMemoryType == CU_MEMORYTYPE_ARRAY || c->dstMemoryType == CU_MEMORYTYPE_ARRAY) {
        host_say("%s: CUDA arrays are not emulated", api);
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    if (c->srcMemoryType < 1 || c->srcMemoryType > 4 || c->dstMemoryType < 1 || c->dstMemoryType > 4)
        return CUDA_ERROR_INVALID_VALUE;
    int sh = c->srcMemoryType == CU_MEMORYTYPE_HOST, dh = c->dstMemoryType == CU_MEMORYTYPE_HOST;
    int any = c->srcMemoryType == CU_MEMORYTYPE_UNIFIED || c->dstMemoryType == CU_MEMORYTYPE_UNIFIED;
    size_t sp = c->srcPitch ? c->srcPitch : c->WidthInBytes + c->srcXInBytes,
           dp = c->dstPitch ? c->dstPitch : c->WidthInBytes + c->dstXInBytes;
    size_t ss = sp * (c->srcHeight ? c->srcHeight : c->Height), ds = dp * (c->dstHeight ? c->dstHeight : c->Height);
    if (sp < c->WidthInBytes + c->srcXInBytes || dp < c->WidthInBytes + c->dstXInBytes) {
        host_say("%s: rows are wider than the pitch", api);
        return CUDA_ERROR_INVALID_VALUE;
    }
    char *d = dh ? c->dstHost : P(c->dstDevice);
    const char *s = sh ? c->srcHost : P(c->srcDevice);
    host_op op = { .kind = OP_COPY, .api = api, .copy = { d + c->dstZ * ds + c->dstY * dp + c->dstXInBytes,
                                                          s + c->srcZ * ss + c->srcY * sp + c->srcXInBytes, dp, ds, sp,
                                                          ss, c->WidthInBytes, c->Height, c->Depth,
                                                          any ? ANY : sh && dh ? cudaMemcpyHostToHost : sh ? HTOD
                                                          : dh ? DTOH : DTOD } };
    return host_submit(st, &op);
}
static int copy_2d(const char *api, const CUDA_MEMCPY2D *c, CUstream st)
{
    CUDA_MEMCPY3D x = { .srcXInBytes = c->srcXInBytes, .srcY = c->srcY, .srcMemoryType = c->srcMemoryType,
                        .srcHost = c->srcHost, .srcDevice = c->srcDevice, .srcPitch = c->srcPitch,
                        .dstXInBytes = c->dstXInBytes, .dstY = c->dstY, .dstMemoryType = c->dstMemoryType,
                        .dstHost = c->dstHost, .dstDevice = c->dstDevice, .dstPitch = c->dstPitch,
                        .WidthInBytes = c->WidthInBytes, .Height = c->Height, .Depth = 1 };
    return copy_3d(api, &x, st);
}
CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *c)
{
    DRV(c ? copy_2d("cuMemcpy2D", c, NULL) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *c)
{
    DRV(c ? copy_2d("cuMemcpy2DUnaligned", c, NULL) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *c, CUstream st)
{
    DRV(c ? copy_2d("cuMemcpy2DAsync", c, st) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *c)
{
    DRV(c ? copy_3d("cuMemcpy3D", c, NULL) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *c, CUstream st)
{
    DRV(c ? copy_3d("cuMemcpy3DAsync", c, st) : (int)CUDA_ERROR_INVALID_VALUE);
}

#define MEMSET(bits, type) \
    CUresult cuMemsetD##bits##_v2(CUdeviceptr p, type v, size_t n)                                                    \
    {                                                                                                                 \
        DRV(host_set("cuMemsetD" #bits, P(p), 0, v, bits / 8, n, 1, NULL));                                           \
    }                                                                                                                 \
    CUresult cuMemsetD##bits##Async(CUdeviceptr p, type v, size_t n, CUstream s)                                      \
    {                                                                                                                 \
        DRV(host_set(__func__, P(p), 0, v, bits / 8, n, 1, s));                                                       \
    }                                                                                                                 \
    CUresult cuMemsetD2D##bits##_v2(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h)                          \
    {                                                                                                                 \
        DRV(host_set("cuMemsetD2D" #bits, P(p), pitch, v, bits / 8, w, h, NULL));                                     \
    }                                                                                                                 \
    CUresult cuMemsetD2D##bits##Async(CUdeviceptr p, size_t pitch, type v, size_t w, size_t h, CUstream s)            \
    {                                                                                                                 \
        DRV(host_set(__func__, P(p), pitch, v, bits / 8, w, h, s));                                                   \
    }
MEMSET(8, unsigned char) MEMSET(16, unsigned short) MEMSET(32, unsigned)

static int managed(CUdeviceptr p, const char *api)
{
    uint64_t b, n;
    if (host_region(p, &b, &n, NULL) == M_MANAGED) return 0;
    host_say("%s: %#llx is not managed memory", api, p);
    return CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s)
{
    (void)n; (void)l; (void)f; (void)s;
    DRV(managed(p, __func__));
}
CUresult cuMemAdvise_v2(CUdeviceptr p, size_t n, CUmem_advise a, CUmemLocation l)
{
    (void)n; (void)a; (void)l;
    DRV(managed(p, __func__));
}
CUresult cuStreamAttachMemAsync(CUstream s, CUdeviceptr p, size_t n, unsigned f)
{
    (void)s; (void)n; (void)f;
    DRV(managed(p, __func__));
}

#define POOL(p, expr) DRV((void *)(p) != HOST_POOL ? (int)CUDA_ERROR_INVALID_VALUE : (int)(expr))
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *p, CUdevice d) { ON_DEV(d, SET(p, HOST_POOL)); }
CUresult cuDeviceGetMemPool(CUmemoryPool *p, CUdevice d) { ON_DEV(d, SET(p, HOST_POOL)); }
CUresult cuDeviceSetMemPool(CUdevice d, CUmemoryPool p) { (void)p; ON_DEV(d, 0); }
CUresult cuMemPoolCreate(CUmemoryPool *p, const CUmemPoolProps *q) { (void)q; DRV(SET(p, HOST_POOL)); }
CUresult cuMemPoolDestroy(CUmemoryPool p) { POOL(p, 0); }
CUresult cuMemPoolTrimTo(CUmemoryPool p, size_t n) { (void)n; POOL(p, 0); }
CUresult cuMemPoolSetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { POOL(p, host_pool_set(v, (int)a)); }
CUresult cuMemPoolGetAttribute(CUmemoryPool p, CUmemPool_attribute a, void *v) { POOL(p, host_pool_get(v, (int)a)); }
CUresult cuMemPoolSetAccess(CUmemoryPool p, const CUmemAccessDesc *d, size_t n) { (void)d; (void)n; POOL(p, 0); }

/* ---- Tensor maps ---- */
static int told(int e, const char *api, const char *why) { if (e) host_say("%s: %s", api, why); return e; }
CUresult cuTensorMapEncodeTiled(CUtensorMap *m, CUtensorMapDataType t, cuuint32_t rank, void *addr,
                                const cuuint64_t *dim, const cuuint64_t *stride, const cuuint32_t *box,
                                const cuuint32_t *es, CUtensorMapInterleave il, CUtensorMapSwizzle sw,
                                CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill)
{
    char why[512] = "";
    ALWAYS(told(tmap_encode_tiled(m, (int)t, rank, addr, (const uint64_t *)dim, (const uint64_t *)stride, box, es,
                                  (int)il, (int)sw, (int)l2, (int)fill, why, sizeof why), __func__, why));
}
CUresult cuTensorMapEncodeIm2col(CUtensorMap *m, CUtensorMapDataType t, cuuint32_t rank, void *addr,
                                 const cuuint64_t *dim, const cuuint64_t *stride, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *es, CUtensorMapInterleave il,
                                 CUtensorMapSwizzle sw, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill)
{
    char why[512] = "";
    ALWAYS(told(tmap_encode_im2col(m, (int)t, rank, addr, (const uint64_t *)dim, (const uint64_t *)stride, lower, upper,
                                   channels, pixels, es, (int)il, (int)sw, (int)l2, (int)fill, why, sizeof why),
                __func__, why));
}
CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *m, CUtensorMapDataType t, cuuint32_t rank, void *addr,
                                     const cuuint64_t *dim, const cuuint64_t *stride, int lower, int upper,
                                     cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *es,
                                     CUtensorMapInterleave il, CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle sw,
                                     CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill fill)
{
    char why[512] = "";
    ALWAYS(told(tmap_encode_im2col_wide(m, (int)t, rank, addr, (const uint64_t *)dim, (const uint64_t *)stride, lower,
                                        upper, channels, pixels, es, (int)il, (int)mode, (int)sw, (int)l2, (int)fill,
                                        why, sizeof why), __func__, why));
}
CUresult cuTensorMapReplaceAddress(CUtensorMap *m, void *addr)
{
    char why[512] = "";
    ALWAYS(told(tmap_replace_address(m, addr, why, sizeof why), __func__, why));
}

#if CUDA_VERSION < 13050
typedef int CUtensorMapAllocClass;
#endif
API CUresult cuTensorMapSetAllocationClass(CUtensorMap *m, CUtensorMapAllocClass wanted,
                                           CUtensorMapAllocClass *effective)
{
    char why[512] = "";
    const int told_apart = emu_opt.device->sm == 107;
    ALWAYS(told(tmap_set_class(m, (int)wanted, told_apart, (int *)effective, why, sizeof why), __func__, why));
}

/* ---- Streams, events, graphs ---- */
CUresult cuStreamCreate(CUstream *s, unsigned f) { DRV(host_stream_new(s, f, 0)); }
CUresult cuStreamCreateWithPriority(CUstream *s, unsigned f, int p) { DRV(host_stream_new(s, f, p)); }
CUresult cuStreamDestroy_v2(CUstream s) { DRV(host_stream_free(s, "cuStreamDestroy")); }
CUresult cuStreamSynchronize(CUstream s) { DRV(host_stream_sync(s, __func__)); }
CUresult cuStreamQuery(CUstream s) { DRV(host_stream_sync(s, __func__)); }
CUresult cuStreamWaitEvent(CUstream s, CUevent e, unsigned f) { (void)f; DRV(host_stream_wait(s, e, __func__)); }
#define STREAM(s, expr) DRV(host_stream(s, __func__) ? (int)CUDA_ERROR_INVALID_HANDLE : (int)(expr))
#define IS_DEFAULT(s) ((uintptr_t)(s) <= 2)
CUresult cuStreamGetPriority(CUstream s, int *p) { STREAM(s, SET(p, IS_DEFAULT(s) ? 0 : s->priority)); }
CUresult cuStreamGetFlags(CUstream s, unsigned *f) { STREAM(s, SET(f, IS_DEFAULT(s) ? 0 : s->flags)); }
CUresult cuStreamGetId(CUstream s, unsigned long long *id)
{
    STREAM(s, SET(id, IS_DEFAULT(s) ? (s ? (uintptr_t)s : 1) : s->id));
}
CUresult cuStreamGetDevice(CUstream s, CUdevice *d) { STREAM(s, SET(d, 0)); }
CUresult cuStreamGetCtx(CUstream s, CUcontext *c) { STREAM(s, SET(c, top())); }
CUresult cuStreamGetCtx_v2(CUstream s, CUcontext *c, CUgreenCtx *g) { if (g) *g = NULL; STREAM(s, SET(c, top())); }
CUresult cuStreamCopyAttributes(CUstream d, CUstream s) { (void)d; STREAM(s, 0); }
static int stream_attribute(CUstream s, int a, CUstreamAttrValue *v)
{
    if (!v) return CUDA_ERROR_INVALID_VALUE;
    memset(v, 0, sizeof *v);
    if (a == CU_LAUNCH_ATTRIBUTE_PRIORITY) v->priority = IS_DEFAULT(s) ? 0 : s->priority;
    return 0;
}
CUresult cuStreamGetAttribute(CUstream s, CUstreamAttrID a, CUstreamAttrValue *v)
{
    STREAM(s, stream_attribute(s, (int)a, v));
}
CUresult cuStreamSetAttribute(CUstream s, CUstreamAttrID a, const CUstreamAttrValue *v)
{
    STREAM(s, !v ? (int)CUDA_ERROR_INVALID_VALUE
           : (a == CU_LAUNCH_ATTRIBUTE_PRIORITY && !IS_DEFAULT(s) ? s->priority = v->priority : 0, 0));
}
CUresult cuEventCreate(CUevent *e, unsigned f) { DRV(host_event_new(e, f)); }
CUresult cuEventDestroy_v2(CUevent e) { DRV(host_event_free(e)); }
CUresult cuEventRecord(CUevent e, CUstream s) { DRV(host_event_record(e, s, __func__)); }
CUresult cuEventRecordWithFlags(CUevent e, CUstream s, unsigned f) { (void)f; DRV(host_event_record(e, s, __func__)); }
CUresult cuEventQuery(CUevent e) { DRV(host_event_sync(e, __func__)); }
CUresult cuEventSynchronize(CUevent e) { DRV(host_event_sync(e, __func__)); }
CUresult cuEventElapsedTime_v2(float *ms, CUevent a, CUevent b)
{
    DRV(host_event_elapsed(ms, a, b, "cuEventElapsedTime"));
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *m)
{
    static __thread CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (!m) return CUDA_ERROR_INVALID_VALUE;
    CUstreamCaptureMode old = mode;
    mode = *m; *m = old;
    return CUDA_SUCCESS;
}
CUresult cuStreamBeginCapture_v2(CUstream s, CUstreamCaptureMode m) { DRV(host_capture_begin(s, (int)m)); }
CUresult cuStreamEndCapture(CUstream s, CUgraph *g) { DRV(host_capture_end(s, g)); }
CUresult cuStreamIsCapturing(CUstream s, CUstreamCaptureStatus *st)
{
    DRV(st ? host_capture_info(s, (int *)st, NULL, NULL) : (int)CUDA_ERROR_INVALID_VALUE);
}
CUresult cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id, CUgraph *g,
                                   const CUgraphNode **deps, const CUgraphEdgeData **edges, size_t *n)
{
    if (deps) *deps = NULL;
    if (edges) *edges = NULL;
    if (n) *n = 0;
    DRV(st ? host_capture_info(s, (int *)st, (unsigned long long *)id, g) : (int)CUDA_ERROR_INVALID_VALUE);
}
API CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id, CUgraph *g,
                                       const CUgraphNode **deps, size_t *n);
CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *st, cuuint64_t *id, CUgraph *g,
                                   const CUgraphNode **deps, size_t *n)
{
    return cuStreamGetCaptureInfo_v3(s, st, id, g, deps, NULL, n);
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *x, CUgraph g, unsigned long long f)
{
    (void)f;
    DRV(host_graph_ref((struct CUgraph_st **)x, g));
}
CUresult cuGraphUpload(CUgraphExec x, CUstream s) { (void)x; STREAM(s, 0); }
static int graph_launch(struct CUgraph_st *g, CUstream s)
{
    host_op op = { .kind = OP_GRAPH, .api = "cuGraphLaunch", .graph = { g } };
    return host_submit(s, &op);
}
CUresult cuGraphLaunch(CUgraphExec x, CUstream s) { DRV(graph_launch((struct CUgraph_st *)x, s)); }
CUresult cuGraphGetNodes(CUgraph g, CUgraphNode *node, size_t *n) { DRV(host_graph_nodes(g, (host_op **)node, n)); }
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type)
{
    DRV(host_graph_node_type((const host_op *)node, (int *)type));
}
CUresult cuGraphDestroy(CUgraph g) { DRV(host_graph_free(g)); }
CUresult cuGraphExecDestroy(CUgraphExec x) { DRV(host_graph_free((struct CUgraph_st *)x)); }

/* ---- Entry points by name ---- */
/* Versions of a function beyond the second of CUDA 4 and before: cuFoo_v2 since 12.0, ... */
static const struct { const char *symbol; int since; } newer[] = {
    { "cuCtxCreate_v3", 11040 }, { "cuCtxCreate_v4", 12050 }, { "cuDeviceGetUuid_v2", 11040 },
    { "cuDevicePrimaryCtxRelease_v2", 11000 }, { "cuDevicePrimaryCtxReset_v2", 11000 },
    { "cuDevicePrimaryCtxSetFlags_v2", 11000 }, { "cuGetProcAddress_v2", 12000 }, { "cuEventElapsedTime_v2", 12080 },
    { "cuGraphAddDependencies_v2", 12030 }, { "cuGraphAddKernelNode_v2", 12000 }, { "cuGraphAddNode_v2", 12030 },
    { "cuGraphExecKernelNodeSetParams_v2", 12000 }, { "cuGraphExecUpdate_v2", 12000 }, { "cuGraphGetEdges_v2", 12030 },
    { "cuGraphInstantiate_v2", 11000 }, { "cuGraphKernelNodeGetParams_v2", 12000 },
    { "cuGraphKernelNodeSetParams_v2", 12000 }, { "cuGraphNodeGetDependencies_v2", 12030 },
    { "cuGraphNodeGetDependentNodes_v2", 12030 }, { "cuGraphRemoveDependencies_v2", 12030 },
    { "cuIpcOpenMemHandle_v2", 11000 }, { "cuMemAdvise_v2", 12020 }, { "cuMemPrefetchAsync_v2", 12020 },
    { "cuMemcpy3DBatchAsync_v2", 13000 }, { "cuMemcpyBatchAsync_v2", 13000 }, { "cuStreamBatchMemOp_v2", 11070 },
    { "cuStreamBeginCapture_v2", 10010 }, { "cuStreamGetCaptureInfo_v2", 11030 },
    { "cuStreamGetCaptureInfo_v3", 12030 }, { "cuStreamGetCtx_v2", 12050 },
    { "cuStreamUpdateCaptureDependencies_v2", 12030 }, { "cuStreamWaitValue32_v2", 11070 },
    { "cuStreamWaitValue64_v2", 11070 }, { "cuStreamWriteValue32_v2", 11070 }, { "cuStreamWriteValue64_v2", 11070 },
    /* never found under the old name: other parameters */
    { "cuCtxGetDevice_v2", INT32_MAX }, { "cuCtxSynchronize_v2", INT32_MAX },
};
void *driver_symbol(const char *name, int version)
{
    static void *self;
    Dl_info here, there;
    if (strncmp(name, "cu", 2) || !strncmp(name, "cuda", 4) || strlen(name) > 100) return NULL;
    if (!dladdr((void *)(uintptr_t)&initialised, &here)) return NULL;
    if (!self && !(self = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD))) self = RTLD_DEFAULT;
    if (!strcmp(name, "cuGraphInstantiate") && version >= 12000) name = "cuGraphInstantiateWithFlags";
    for (int v = 4; v >= 1; --v) {
        char s[128];
        int since = v == 1 ? 0 : 3020;
        if (v > 1) snprintf(s, sizeof s, "%s_v%d", name, v); else snprintf(s, sizeof s, "%s", name);
        for (size_t i = 0; i < sizeof newer / sizeof *newer; ++i)
            if (!strcmp(newer[i].symbol, s)) since = newer[i].since;
        if (version < since) continue;
        void *p = dlsym(self, s);
        if (p && dladdr(p, &there) && there.dli_fbase == here.dli_fbase) return p;
    }
    return NULL;
}
CUresult cuGetProcAddress_v2(const char *name, void **p, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status)
{
    (void)flags;
    if (!name || !p) return CUDA_ERROR_INVALID_VALUE;
    host_lock();
    *p = driver_symbol(name, version);
    host_unlock();
    if (status) *status = *p ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *p || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
API CUresult proc_address_v1(const char *name, void **p, int version, cuuint64_t flags) __asm__("cuGetProcAddress");
CUresult proc_address_v1(const char *name, void **p, int version, cuuint64_t flags)
{
    return cuGetProcAddress_v2(name, p, version, flags, NULL);
}

/* Private tables: what asks for them is a CUDA runtime of its own, linked statically into a library or a program that
 * the launcher did not see */
CUresult cuGetExportTable(const void **table, const CUuuid *id)
{
    static int said;
    Dl_info d;
    (void)id;
    if (table) *table = NULL;
    const char *who = dladdr(__builtin_return_address(0), &d) && d.dli_fname ? d.dli_fname : "a library";
    const char *base = strrchr(who, '/') ? strrchr(who, '/') + 1 : who;
    /* the compilers look in vain and work all the same */
    if (!strncmp(base, "libnvrtc", 8) || !strncmp(base, "libnvJitLink", 12) || !strncmp(base, "libnvptxcompiler", 16))
        return CUDA_ERROR_NOT_SUPPORTED;
    host_not_run();
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))
        host_say("%s uses the driver's private interface, which is not emulated: only code that uses the shared CUDA "
                 "runtime can be run (nvcc -cudart shared)", who);
    return CUDA_ERROR_NOT_SUPPORTED;
}

/* ---- Other names of the same functions: per-thread default streams, and older versions that differ in nothing ---- */
ALIAS(cuCtxCreate, cuCtxCreate_v2) ALIAS(cuCtxDestroy, cuCtxDestroy_v2) ALIAS(cuCtxPopCurrent, cuCtxPopCurrent_v2)
ALIAS(cuCtxPushCurrent, cuCtxPushCurrent_v2) ALIAS(cuDeviceGetUuid, cuDeviceGetUuid_v2)
ALIAS(cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2)
ALIAS(cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2)
ALIAS(cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2) ALIAS(cuEventDestroy, cuEventDestroy_v2)
ALIAS(cuEventElapsedTime, cuEventElapsedTime_v2) ALIAS(cuEventRecordWithFlags_ptsz, cuEventRecordWithFlags)
ALIAS(cuEventRecord_ptsz, cuEventRecord) ALIAS(cuGraphLaunch_ptsz, cuGraphLaunch)
ALIAS(cuGraphUpload_ptsz, cuGraphUpload) ALIAS(cuLaunchCooperativeKernel_ptsz, cuLaunchCooperativeKernel)
ALIAS(cuLaunchHostFunc_ptsz, cuLaunchHostFunc) ALIAS(cuLaunchKernelEx_ptsz, cuLaunchKernelEx)
ALIAS(cuLaunchKernel_ptsz, cuLaunchKernel) ALIAS(cuMemAllocAsync_ptsz, cuMemAllocAsync)
ALIAS(cuMemAllocFromPoolAsync_ptsz, cuMemAllocFromPoolAsync) ALIAS(cuMemAllocHost, cuMemAllocHost_v2)
ALIAS(cuMemFreeAsync_ptsz, cuMemFreeAsync) ALIAS(cuMemHostRegister, cuMemHostRegister_v2)
ALIAS(cuMemPrefetchAsync_v2_ptsz, cuMemPrefetchAsync_v2) ALIAS(cuMemcpy2DAsync_v2_ptsz, cuMemcpy2DAsync_v2)
ALIAS(cuMemcpy2DUnaligned_v2_ptds, cuMemcpy2DUnaligned_v2) ALIAS(cuMemcpy2D_v2_ptds, cuMemcpy2D_v2)
ALIAS(cuMemcpy3DAsync_v2_ptsz, cuMemcpy3DAsync_v2) ALIAS(cuMemcpy3D_v2_ptds, cuMemcpy3D_v2)
ALIAS(cuMemcpyAsync_ptsz, cuMemcpyAsync) ALIAS(cuMemcpyDtoDAsync_v2_ptsz, cuMemcpyDtoDAsync_v2)
ALIAS(cuMemcpyDtoD_v2_ptds, cuMemcpyDtoD_v2) ALIAS(cuMemcpyDtoHAsync_v2_ptsz, cuMemcpyDtoHAsync_v2)
ALIAS(cuMemcpyDtoH_v2_ptds, cuMemcpyDtoH_v2) ALIAS(cuMemcpyHtoDAsync_v2_ptsz, cuMemcpyHtoDAsync_v2)
ALIAS(cuMemcpyHtoD_v2_ptds, cuMemcpyHtoD_v2) ALIAS(cuMemcpyPeerAsync_ptsz, cuMemcpyPeerAsync)
ALIAS(cuMemcpyPeer_ptds, cuMemcpyPeer) ALIAS(cuMemcpy_ptds, cuMemcpy) ALIAS(cuMemsetD16Async_ptsz, cuMemsetD16Async)
ALIAS(cuMemsetD16_v2_ptds, cuMemsetD16_v2) ALIAS(cuMemsetD2D16Async_ptsz, cuMemsetD2D16Async)
ALIAS(cuMemsetD2D16_v2_ptds, cuMemsetD2D16_v2) ALIAS(cuMemsetD2D32Async_ptsz, cuMemsetD2D32Async)
ALIAS(cuMemsetD2D32_v2_ptds, cuMemsetD2D32_v2) ALIAS(cuMemsetD2D8Async_ptsz, cuMemsetD2D8Async)
ALIAS(cuMemsetD2D8_v2_ptds, cuMemsetD2D8_v2) ALIAS(cuMemsetD32Async_ptsz, cuMemsetD32Async)
ALIAS(cuMemsetD32_v2_ptds, cuMemsetD32_v2) ALIAS(cuMemsetD8Async_ptsz, cuMemsetD8Async)
ALIAS(cuMemsetD8_v2_ptds, cuMemsetD8_v2) ALIAS(cuStreamAddCallback_ptsz, cuStreamAddCallback)
ALIAS(cuStreamAttachMemAsync_ptsz, cuStreamAttachMemAsync) ALIAS(cuStreamBeginCapture_v2_ptsz, cuStreamBeginCapture_v2)
ALIAS(cuStreamCopyAttributes_ptsz, cuStreamCopyAttributes) ALIAS(cuStreamDestroy, cuStreamDestroy_v2)
ALIAS(cuStreamEndCapture_ptsz, cuStreamEndCapture) ALIAS(cuStreamGetAttribute_ptsz, cuStreamGetAttribute)
ALIAS(cuStreamGetCaptureInfo_v2_ptsz, cuStreamGetCaptureInfo_v2)
ALIAS(cuStreamGetCaptureInfo_v3_ptsz, cuStreamGetCaptureInfo_v3) ALIAS(cuStreamGetCtx_ptsz, cuStreamGetCtx)
ALIAS(cuStreamGetCtx_v2_ptsz, cuStreamGetCtx_v2) ALIAS(cuStreamGetDevice_ptsz, cuStreamGetDevice)
ALIAS(cuStreamGetFlags_ptsz, cuStreamGetFlags) ALIAS(cuStreamGetId_ptsz, cuStreamGetId)
ALIAS(cuStreamGetPriority_ptsz, cuStreamGetPriority) ALIAS(cuStreamIsCapturing_ptsz, cuStreamIsCapturing)
ALIAS(cuStreamQuery_ptsz, cuStreamQuery) ALIAS(cuStreamSetAttribute_ptsz, cuStreamSetAttribute)
ALIAS(cuStreamSynchronize_ptsz, cuStreamSynchronize) ALIAS(cuStreamWaitEvent_ptsz, cuStreamWaitEvent)

/* ---- What is not emulated ---- */
STUB(cuArray3DCreate) STUB(cuArray3DCreate_v2) STUB(cuArray3DGetDescriptor) STUB(cuArray3DGetDescriptor_v2)
STUB(cuArrayCreate) STUB(cuArrayCreate_v2) STUB(cuArrayDestroy) STUB(cuArrayGetDescriptor) STUB(cuArrayGetDescriptor_v2)
STUB(cuArrayGetMemoryRequirements) STUB(cuArrayGetPlane) STUB(cuArrayGetSparseProperties)
STUB(cuCheckpointProcessCheckpoint) STUB(cuCheckpointProcessGetRestoreThreadId) STUB(cuCheckpointProcessGetState)
STUB(cuCheckpointProcessLock) STUB(cuCheckpointProcessRestore) STUB(cuCheckpointProcessUnlock)
STUB(cuCoredumpGetAttribute) STUB(cuCoredumpGetAttributeGlobal) STUB(cuCoredumpSetAttribute)
STUB(cuCoredumpSetAttributeGlobal) STUB(cuCtxAttach) STUB(cuCtxDetach) STUB(cuCtxFromGreenCtx) STUB(cuCtxGetDevResource)
STUB(cuCtxGetExecAffinity) STUB(cuCtxGetSharedMemConfig) STUB(cuCtxRecordEvent) STUB(cuCtxSetSharedMemConfig)
STUB(cuCtxWaitEvent) STUB(cuDestroyExternalMemory) STUB(cuDestroyExternalSemaphore) STUB(cuDevResourceGenerateDesc)
STUB(cuDevSmResourceSplitByCount) STUB(cuDeviceGetDevResource) STUB(cuDeviceGetGraphMemAttribute)
STUB(cuDeviceGetHostAtomicCapabilities) STUB(cuDeviceGetLuid) STUB(cuDeviceGetNvSciSyncAttributes)
STUB(cuDeviceGetP2PAtomicCapabilities) STUB(cuDeviceGetP2PAttribute) STUB(cuDeviceGetTexture1DLinearMaxWidth)
STUB(cuDeviceGraphMemTrim) STUB(cuDeviceRegisterAsyncNotification) STUB(cuDeviceSetGraphMemAttribute)
STUB(cuDeviceTotalMem) STUB(cuDeviceUnregisterAsyncNotification) STUB(cuExternalMemoryGetMappedBuffer)
STUB(cuExternalMemoryGetMappedMipmappedArray) STUB(cuFuncSetBlockShape) STUB(cuFuncSetSharedSize)
STUB(cuGraphAddBatchMemOpNode) STUB(cuGraphAddChildGraphNode) STUB(cuGraphAddDependencies)
STUB(cuGraphAddDependencies_v2) STUB(cuGraphAddEmptyNode) STUB(cuGraphAddEventRecordNode) STUB(cuGraphAddEventWaitNode)
STUB(cuGraphAddExternalSemaphoresSignalNode) STUB(cuGraphAddExternalSemaphoresWaitNode) STUB(cuGraphAddHostNode)
STUB(cuGraphAddKernelNode) STUB(cuGraphAddKernelNode_v2) STUB(cuGraphAddMemAllocNode) STUB(cuGraphAddMemFreeNode)
STUB(cuGraphAddMemcpyNode) STUB(cuGraphAddMemsetNode) STUB(cuGraphAddNode) STUB(cuGraphAddNode_v2)
STUB(cuGraphBatchMemOpNodeGetParams) STUB(cuGraphBatchMemOpNodeSetParams) STUB(cuGraphChildGraphNodeGetGraph)
STUB(cuGraphClone) STUB(cuGraphConditionalHandleCreate) STUB(cuGraphCreate) STUB(cuGraphDebugDotPrint)
STUB(cuGraphDestroyNode) STUB(cuGraphEventRecordNodeGetEvent) STUB(cuGraphEventRecordNodeSetEvent)
STUB(cuGraphEventWaitNodeGetEvent) STUB(cuGraphEventWaitNodeSetEvent) STUB(cuGraphExecBatchMemOpNodeSetParams)
STUB(cuGraphExecChildGraphNodeSetParams) STUB(cuGraphExecEventRecordNodeSetEvent) STUB(cuGraphExecEventWaitNodeSetEvent)
STUB(cuGraphExecExternalSemaphoresSignalNodeSetParams) STUB(cuGraphExecExternalSemaphoresWaitNodeSetParams)
STUB(cuGraphExecGetFlags) STUB(cuGraphExecHostNodeSetParams) STUB(cuGraphExecKernelNodeSetParams)
STUB(cuGraphExecKernelNodeSetParams_v2) STUB(cuGraphExecMemcpyNodeSetParams) STUB(cuGraphExecMemsetNodeSetParams)
STUB(cuGraphExecNodeSetParams) STUB(cuGraphExecUpdate) STUB(cuGraphExecUpdate_v2)
STUB(cuGraphExternalSemaphoresSignalNodeGetParams) STUB(cuGraphExternalSemaphoresSignalNodeSetParams)
STUB(cuGraphExternalSemaphoresWaitNodeGetParams) STUB(cuGraphExternalSemaphoresWaitNodeSetParams) STUB(cuGraphGetEdges)
STUB(cuGraphGetEdges_v2) STUB(cuGraphGetRootNodes) STUB(cuGraphHostNodeGetParams) STUB(cuGraphHostNodeSetParams)
STUB(cuGraphInstantiate) STUB(cuGraphInstantiateWithParams) STUB(cuGraphInstantiateWithParams_ptsz)
STUB(cuGraphInstantiate_v2) STUB(cuGraphKernelNodeCopyAttributes) STUB(cuGraphKernelNodeGetAttribute)
STUB(cuGraphKernelNodeGetParams) STUB(cuGraphKernelNodeGetParams_v2) STUB(cuGraphKernelNodeSetAttribute)
STUB(cuGraphKernelNodeSetParams) STUB(cuGraphKernelNodeSetParams_v2) STUB(cuGraphMemAllocNodeGetParams)
STUB(cuGraphMemFreeNodeGetParams) STUB(cuGraphMemcpyNodeGetParams) STUB(cuGraphMemcpyNodeSetParams)
STUB(cuGraphMemsetNodeGetParams) STUB(cuGraphMemsetNodeSetParams) STUB(cuGraphNodeFindInClone)
STUB(cuGraphNodeGetDependencies) STUB(cuGraphNodeGetDependencies_v2) STUB(cuGraphNodeGetDependentNodes)
STUB(cuGraphNodeGetDependentNodes_v2) STUB(cuGraphNodeGetEnabled) STUB(cuGraphNodeSetEnabled) STUB(cuGraphNodeSetParams)
STUB(cuGraphReleaseUserObject) STUB(cuGraphRemoveDependencies) STUB(cuGraphRemoveDependencies_v2)
STUB(cuGraphRetainUserObject) STUB(cuGraphicsMapResources) STUB(cuGraphicsMapResources_ptsz)
STUB(cuGraphicsResourceGetMappedMipmappedArray) STUB(cuGraphicsResourceGetMappedPointer)
STUB(cuGraphicsResourceGetMappedPointer_v2) STUB(cuGraphicsResourceSetMapFlags) STUB(cuGraphicsResourceSetMapFlags_v2)
STUB(cuGraphicsSubResourceGetMappedArray) STUB(cuGraphicsUnmapResources) STUB(cuGraphicsUnmapResources_ptsz)
STUB(cuGraphicsUnregisterResource) STUB(cuGreenCtxCreate) STUB(cuGreenCtxDestroy) STUB(cuGreenCtxGetDevResource)
STUB(cuGreenCtxGetId) STUB(cuGreenCtxRecordEvent) STUB(cuGreenCtxStreamCreate) STUB(cuGreenCtxWaitEvent)
STUB(cuImportExternalMemory) STUB(cuImportExternalSemaphore) STUB(cuIpcCloseMemHandle) STUB(cuIpcGetEventHandle)
STUB(cuIpcGetMemHandle) STUB(cuIpcOpenEventHandle) STUB(cuIpcOpenMemHandle) STUB(cuIpcOpenMemHandle_v2) STUB(cuLaunch)
STUB(cuLaunchCooperativeKernelMultiDevice) STUB(cuLaunchGrid) STUB(cuLaunchGridAsync) STUB(cuLibraryGetUnifiedFunction)
STUB(cuLinkAddData) STUB(cuLinkAddFile) STUB(cuLinkAddFile_v2) STUB(cuLinkCreate) STUB(cuLogsCurrent)
STUB(cuLogsDumpToFile) STUB(cuLogsDumpToMemory) STUB(cuLogsRegisterCallback) STUB(cuLogsUnregisterCallback)
STUB(cuMemAddressFree) STUB(cuMemAddressReserve) STUB(cuMemAdvise) STUB(cuMemAlloc) STUB(cuMemAllocPitch)
STUB(cuMemBatchDecompressAsync) STUB(cuMemBatchDecompressAsync_ptsz) STUB(cuMemCreate)
STUB(cuMemDiscardAndPrefetchBatchAsync) STUB(cuMemDiscardAndPrefetchBatchAsync_ptsz) STUB(cuMemDiscardBatchAsync)
STUB(cuMemDiscardBatchAsync_ptsz) STUB(cuMemExportToShareableHandle) STUB(cuMemFree) STUB(cuMemGetAccess)
STUB(cuMemGetAddressRange) STUB(cuMemGetAllocationGranularity) STUB(cuMemGetAllocationPropertiesFromHandle)
STUB(cuMemGetDefaultMemPool) STUB(cuMemGetHandleForAddressRange) STUB(cuMemGetInfo) STUB(cuMemGetMemPool)
STUB(cuMemHostGetDevicePointer) STUB(cuMemImportFromShareableHandle) STUB(cuMemMap) STUB(cuMemMapArrayAsync)
STUB(cuMemMapArrayAsync_ptsz) STUB(cuMemPoolExportPointer) STUB(cuMemPoolExportToShareableHandle)
STUB(cuMemPoolGetAccess) STUB(cuMemPoolImportFromShareableHandle) STUB(cuMemPoolImportPointer) STUB(cuMemPrefetchAsync)
STUB(cuMemPrefetchAsync_ptsz) STUB(cuMemPrefetchBatchAsync) STUB(cuMemPrefetchBatchAsync_ptsz)
STUB(cuMemRangeGetAttribute) STUB(cuMemRangeGetAttributes) STUB(cuMemRelease) STUB(cuMemRetainAllocationHandle)
STUB(cuMemSetAccess) STUB(cuMemSetMemPool) STUB(cuMemUnmap) STUB(cuMemcpy2D) STUB(cuMemcpy2DAsync)
STUB(cuMemcpy2DUnaligned) STUB(cuMemcpy3D) STUB(cuMemcpy3DAsync) STUB(cuMemcpy3DBatchAsync)
STUB(cuMemcpy3DBatchAsync_ptsz) STUB(cuMemcpy3DBatchAsync_v2) STUB(cuMemcpy3DBatchAsync_v2_ptsz) STUB(cuMemcpy3DPeer)
STUB(cuMemcpy3DPeerAsync) STUB(cuMemcpy3DPeerAsync_ptsz) STUB(cuMemcpy3DPeer_ptds) STUB(cuMemcpyAtoA)
STUB(cuMemcpyAtoA_v2) STUB(cuMemcpyAtoA_v2_ptds) STUB(cuMemcpyAtoD) STUB(cuMemcpyAtoD_v2) STUB(cuMemcpyAtoD_v2_ptds)
STUB(cuMemcpyAtoH) STUB(cuMemcpyAtoHAsync) STUB(cuMemcpyAtoHAsync_v2) STUB(cuMemcpyAtoHAsync_v2_ptsz)
STUB(cuMemcpyAtoH_v2) STUB(cuMemcpyAtoH_v2_ptds) STUB(cuMemcpyBatchAsync) STUB(cuMemcpyBatchAsync_ptsz)
STUB(cuMemcpyBatchAsync_v2) STUB(cuMemcpyBatchAsync_v2_ptsz) STUB(cuMemcpyDtoA) STUB(cuMemcpyDtoA_v2)
STUB(cuMemcpyDtoA_v2_ptds) STUB(cuMemcpyDtoD) STUB(cuMemcpyDtoDAsync) STUB(cuMemcpyDtoH) STUB(cuMemcpyDtoHAsync)
STUB(cuMemcpyHtoA) STUB(cuMemcpyHtoAAsync) STUB(cuMemcpyHtoAAsync_v2) STUB(cuMemcpyHtoAAsync_v2_ptsz)
STUB(cuMemcpyHtoA_v2) STUB(cuMemcpyHtoA_v2_ptds) STUB(cuMemcpyHtoD) STUB(cuMemcpyHtoDAsync) STUB(cuMemsetD16)
STUB(cuMemsetD2D16) STUB(cuMemsetD2D32) STUB(cuMemsetD2D8) STUB(cuMemsetD32) STUB(cuMemsetD8)
STUB(cuMipmappedArrayCreate) STUB(cuMipmappedArrayDestroy) STUB(cuMipmappedArrayGetLevel)
STUB(cuMipmappedArrayGetMemoryRequirements) STUB(cuMipmappedArrayGetSparseProperties) STUB(cuModuleGetGlobal)
STUB(cuModuleGetSurfRef) STUB(cuModuleGetTexRef) STUB(cuMulticastAddDevice) STUB(cuMulticastBindAddr)
STUB(cuMulticastBindMem) STUB(cuMulticastCreate) STUB(cuMulticastGetGranularity) STUB(cuMulticastUnbind)
STUB(cuParamSetSize) STUB(cuParamSetTexRef) STUB(cuParamSetf) STUB(cuParamSeti) STUB(cuParamSetv)
STUB(cuProfilerInitialize) STUB(cuSignalExternalSemaphoresAsync) STUB(cuSignalExternalSemaphoresAsync_ptsz)
STUB(cuStreamBatchMemOp) STUB(cuStreamBatchMemOp_ptsz) STUB(cuStreamBatchMemOp_v2) STUB(cuStreamBatchMemOp_v2_ptsz)
STUB(cuStreamBeginCapture) STUB(cuStreamBeginCaptureToGraph) STUB(cuStreamBeginCaptureToGraph_ptsz)
STUB(cuStreamBeginCapture_ptsz) STUB(cuStreamGetCaptureInfo) STUB(cuStreamGetCaptureInfo_ptsz) STUB(cuStreamGetGreenCtx)
STUB(cuStreamUpdateCaptureDependencies) STUB(cuStreamUpdateCaptureDependencies_ptsz)
STUB(cuStreamUpdateCaptureDependencies_v2) STUB(cuStreamUpdateCaptureDependencies_v2_ptsz) STUB(cuStreamWaitValue32)
STUB(cuStreamWaitValue32_ptsz) STUB(cuStreamWaitValue32_v2) STUB(cuStreamWaitValue32_v2_ptsz) STUB(cuStreamWaitValue64)
STUB(cuStreamWaitValue64_ptsz) STUB(cuStreamWaitValue64_v2) STUB(cuStreamWaitValue64_v2_ptsz) STUB(cuStreamWriteValue32)
STUB(cuStreamWriteValue32_ptsz) STUB(cuStreamWriteValue32_v2) STUB(cuStreamWriteValue32_v2_ptsz)
STUB(cuStreamWriteValue64) STUB(cuStreamWriteValue64_ptsz) STUB(cuStreamWriteValue64_v2)
STUB(cuStreamWriteValue64_v2_ptsz) STUB(cuSurfObjectCreate) STUB(cuSurfObjectDestroy) STUB(cuSurfObjectGetResourceDesc)
STUB(cuSurfRefGetArray) STUB(cuSurfRefSetArray) STUB(cuTexObjectCreate) STUB(cuTexObjectDestroy)
STUB(cuTexObjectGetResourceDesc) STUB(cuTexObjectGetResourceViewDesc) STUB(cuTexObjectGetTextureDesc)
STUB(cuTexRefCreate) STUB(cuTexRefDestroy) STUB(cuTexRefGetAddress) STUB(cuTexRefGetAddressMode)
STUB(cuTexRefGetAddress_v2) STUB(cuTexRefGetArray) STUB(cuTexRefGetBorderColor) STUB(cuTexRefGetFilterMode)
STUB(cuTexRefGetFlags) STUB(cuTexRefGetFormat) STUB(cuTexRefGetMaxAnisotropy) STUB(cuTexRefGetMipmapFilterMode)
STUB(cuTexRefGetMipmapLevelBias) STUB(cuTexRefGetMipmapLevelClamp) STUB(cuTexRefGetMipmappedArray)
STUB(cuTexRefSetAddress) STUB(cuTexRefSetAddress2D) STUB(cuTexRefSetAddress2D_v2) STUB(cuTexRefSetAddress2D_v3)
STUB(cuTexRefSetAddressMode) STUB(cuTexRefSetAddress_v2) STUB(cuTexRefSetArray) STUB(cuTexRefSetBorderColor)
STUB(cuTexRefSetFilterMode) STUB(cuTexRefSetFlags) STUB(cuTexRefSetFormat) STUB(cuTexRefSetMaxAnisotropy)
STUB(cuTexRefSetMipmapFilterMode) STUB(cuTexRefSetMipmapLevelBias) STUB(cuTexRefSetMipmapLevelClamp)
STUB(cuTexRefSetMipmappedArray) STUB(cuUserObjectCreate) STUB(cuUserObjectRelease) STUB(cuUserObjectRetain)
STUB(cuWaitExternalSemaphoresAsync) STUB(cuWaitExternalSemaphoresAsync_ptsz)
