/* hostcore.c - what both CUDA APIs stand on: the lock, messages, errors, the exit status, maps from pointers, memory.
 * Everything is performed at the call, in the calling thread, under one lock. hostmodule.c has the modules and kernels,
 * hostwork.c the streams and what they carry. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "hostcore.h"

void emu_report_summary(int not_run);               /* report.c */

/* ---- Lock, messages, errors ---- */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
void host_lock(void) { pthread_mutex_lock(&lock); }
void host_unlock(void) { pthread_mutex_unlock(&lock); }

void host_say(const char *fmt, ...)
{
    char b[2048];
    va_list ap;
    va_start(ap, fmt);
    int n = snprintf(b, sizeof b, "tcemu: ");
    n += vsnprintf(b + n, sizeof b - (size_t)n, fmt, ap);
    va_end(ap);
    if (n > (int)sizeof b - 2) n = (int)sizeof b - 2;
    b[n] = '\n'; b[n + 1] = 0;
    fputs(b, stderr);                               /* one call: lines of threads do not mix */
}

static int not_run;                                 /* what the program asked for that would have run on a GPU */
void host_not_run(void) { __atomic_fetch_add(&not_run, 1, __ATOMIC_RELAXED); host_used(); }

/* Functions without which kernels of the program do not run, by a piece of their names. Of others the program may do
 * without. */
static const struct { const char *piece, *why; } needed[] = {
    { "Array", "CUDA arrays, textures and surfaces are not" }, { "Tex", "CUDA arrays, textures and surfaces are not" },
    { "Surf", "CUDA arrays, textures and surfaces are not" },
    { "GraphCreate", "graphs that are built node by node are not, captured ones are" },
    { "GraphAdd", "graphs that are built node by node are not, captured ones are" },
    { "CaptureToGraph", "graphs that are built node by node are not, captured ones are" },
};
int host_stub(const char *name, int *said)
{
    const char *why = NULL;
    for (size_t i = 0; i < sizeof needed / sizeof *needed && !why; ++i)
        if (strstr(name, needed[i].piece) && !strstr(name, "MaxWidth")) why = needed[i].why;
    if (!__atomic_exchange_n(said, 1, __ATOMIC_RELAXED))
        host_say("%s is not emulated%s%s", name, why ? ": " : "", why ? why : "");
    if (why) host_not_run(); else host_used();
    return cudaErrorNotSupported;
}

int host_stuck;
int host_sticky(void) { return host_stuck; }
int host_is_sticky(int e)
{
    return e == cudaErrorIllegalAddress || e == cudaErrorLaunchTimeout
        || (e >= cudaErrorAssert && e <= cudaErrorLaunchFailure && e != cudaErrorTooManyPeers
            && e != cudaErrorHostMemoryAlreadyRegistered && e != cudaErrorHostMemoryNotRegistered)
        || e == cudaErrorTensorMemoryLeak || e == cudaErrorECCUncorrectable;
}

static int used; static pid_t owner;
void host_used(void) { used = 1; }
int host_in_use(void) { return used; }

/* Runs after the program's own exit handlers and destructors, because it was registered before all of them. */
static void at_exit(int status, void *unused)
{
    (void)unused;
    /* a fork's child has the parent's reports in its memory, but they are not its own */
    if (!used || getpid() != owner) return;
    fflush(stdout);
    emu_report_summary(not_run);
    if (status == 0 && (emu_error_count() || not_run) && emu_error_exitcode) {
        fflush(NULL);
        _exit(emu_error_exitcode);
    }
}
__attribute__((constructor(102))) static void begin(void) { owner = getpid(); on_exit(at_exit, NULL); }

/* Written here from what the codes mean; the common ones as programs' users know them */
static const struct { int code; const char *text; } errors[] = {
    { 0, "no error" }, { 1, "invalid argument" }, { 2, "out of memory" }, { 3, "initialization error" },
    { 4, "driver shutting down" },
    { 5, "profiler disabled while using external profiling tool" },
    { 6, "profiler not initialized: call cudaProfilerInitialize()" },
    { 7, "profiler already started" }, { 8, "profiler already stopped" }, { 9, "invalid configuration argument" },
    { 12, "invalid pitch argument" }, { 13, "invalid device symbol" }, { 16, "invalid host pointer" },
    { 17, "invalid device pointer" },
    { 18, "invalid texture reference" }, { 19, "texture is not bound to a pointer" },
    { 20, "invalid channel descriptor" },
    { 21, "invalid copy direction for memcpy" }, { 22, "attempt to take address of constant" },
    { 23, "fetch from texture failed" },
    { 24, "cannot fetch from a texture that is not bound" }, { 25, "incorrect use of __syncthreads()" },
    { 26, "linear filtering not supported for non-float type" },
    { 27, "read as normalized float not supported for 32-bit non float type" },
    { 28, "device emulation mode and device execution mode cannot be mixed" }, { 31, "feature not yet implemented" },
    { 32, "memory size or pointer value too large to fit in 32 bit" }, { 34, "CUDA driver is a stub library" },
    { 35, "CUDA driver version is insufficient for CUDA runtime version" },
    { 36, "API call is not supported in the installed CUDA driver" },
    { 37, "invalid surface reference" }, { 43, "duplicate global variable looked up by string name" },
    { 44, "duplicate texture looked up by string name" }, { 45, "duplicate surface looked up by string name" },
    { 46, "CUDA-capable device(s) is/are busy or unavailable" }, { 49, "incompatible driver context" },
    { 52, "__global__ function call is not configured" }, { 53, "unspecified launch failure in prior launch" },
    { 65, "launch would exceed maximum depth of nested launches" },
    { 66, "launch failed because kernel uses unregistered, file-scoped textures (texture objects are supported)" },
    { 67, "launch failed because kernel uses unregistered, file-scoped surfaces (surface objects are supported)" },
    { 68, "cudaDeviceSynchronize failed because caller's grid depth exceeds cudaLimitDevRuntimeSyncDepth" },
    { 69, "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount" },
    { 98, "invalid device function" },
    { 100, "no CUDA-capable device is detected" }, { 101, "invalid device ordinal" },
    { 102, "device doesn't have valid Grid license" },
    { 103, "integrity checks failed" }, { 127, "startup failure in cuda runtime" },
    { 200, "device kernel image is invalid" },
    { 201, "invalid device context" }, { 202, "context is already current" },
    { 205, "mapping of buffer object failed" }, { 206, "unmapping of buffer object failed" },
    { 207, "array is mapped" }, { 208, "resource already mapped" },
    { 209, "no kernel image is available for execution on the device" },
    { 210, "resource already acquired" }, { 211, "resource not mapped" }, { 212, "resource not mapped as array" },
    { 213, "resource not mapped as pointer" }, { 214, "uncorrectable ECC error encountered" },
    { 215, "limit is not supported on this architecture" },
    { 216, "exclusive-thread device already in use by a different thread" },
    { 217, "peer access is not supported between these two devices" },
    { 218, "a PTX JIT compilation failed" }, { 219, "invalid OpenGL or DirectX context" },
    { 220, "uncorrectable NVLink error detected during the execution" },
    { 221, "PTX JIT compiler library not found" },
    { 222, "the provided PTX was compiled with an unsupported toolchain." },
    { 223, "PTX JIT compilation was disabled" }, { 224, "the provided execution affinity is not supported" },
    { 225, "the provided PTX contains unsupported call to cudaDeviceSynchronize" },
    { 226, "Invalid access of peer GPU memory over nvlink or a hardware error" },
    { 300, "device kernel image is invalid" }, { 301, "file not found" }, { 302, "shared object symbol not found" },
    { 303, "shared object initialization failed" }, { 304, "OS call failed or operation not supported on this OS" },
    { 400, "invalid resource handle" },
    { 401, "the operation cannot be performed in the present state" },
    { 402, "attempted introspection would be semantically lossy" },
    { 500, "named symbol not found" }, { 600, "device not ready" }, { 700, "an illegal memory access was encountered" },
    { 701, "too many resources requested for launch" }, { 702, "the launch timed out and was terminated" },
    { 703, "launch uses incompatible texturing mode" }, { 704, "peer access is already enabled" },
    { 705, "peer access has not been enabled" },
    { 708, "cannot set while device is active in this process" }, { 709, "context is destroyed" },
    { 710, "device-side assert triggered" },
    { 711, "peer mapping resources exhausted" }, { 712, "part or all of the requested memory range is already mapped" },
    { 713, "pointer does not correspond to a registered memory region" }, { 714, "hardware stack error" },
    { 715, "an illegal instruction was encountered" },
    { 716, "misaligned address" }, { 717, "operation not supported on global/shared address space" },
    { 718, "invalid program counter" },
    { 719, "unspecified launch failure" }, { 720, "too many blocks in cooperative launch" },
    { 721, "tensor memory was not deallocated before the end of the kernel" },
    { 800, "operation not permitted" }, { 801, "operation not supported" }, { 802, "system not yet initialized" },
    { 803, "system has unsupported display driver / cuda driver combination" },
    { 804, "forward compatibility was attempted on non supported HW" },
    { 805, "MPS client failed to connect to the MPS control daemon or the MPS server" },
    { 806, "a remote procedural call between the MPS server and the MPS client failed" },
    { 807, "MPS server is not ready to accept new MPS client requests" }, { 808, "MPS max client limit reached" },
    { 809, "MPS max connections limit reached" },
    { 810, "MPS client terminated" }, { 811, "device-side launches are not supported" },
    { 812, "device-side launches do not match the driver's version" },
    { 900, "operation not permitted when stream is capturing" },
    { 901, "operation failed due to a previous error during capture" },
    { 902, "operation would result in a merge of separate capture sequences" },
    { 903, "capture was not ended in the same stream as it began" },
    { 904, "capturing stream has unjoined work" }, { 905, "dependency created on uncaptured work in another stream" },
    { 906, "operation would make the legacy stream depend on a capturing blocking stream" },
    { 907, "operation not permitted on an event last recorded in a capturing stream" },
    { 908, "attempt to terminate a thread-local capture sequence from another thread" },
    { 909, "wait operation timed out" },
    { 910, "the graph update was not performed because it included changes which violated constraints specific to "
           "instantiated graph update" },
    { 911, "an async error has occured in external entity outside of CUDA" },
    { 912, "cluster configuration is not possible" },
    { 913, "function not loaded" }, { 914, "invalid resource type" }, { 915, "invalid resource configuration" },
    { 916, "key rotation is going on" },
    { 999, "unknown error" }
};
const char *host_error_string(int code)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; ++i) if (errors[i].code == code) return errors[i].text;
    return NULL;
}

/* ---- Maps from pointers ---- */
static size_t map_slot(const host_map *m, const void *k)
{
    size_t h = (size_t)(((uintptr_t)k >> 3) * 0x9e3779b97f4a7c15ull >> 17) & (m->cap - 1);
    while (m->key[h] && m->key[h] != k) h = (h + 1) & (m->cap - 1);
    return h;
}
void *host_map_get(const host_map *m, const void *k)
{
    if (!m->cap || (uintptr_t)k < 2) return NULL;
    size_t h = map_slot(m, k);
    return m->key[h] ? m->val[h] : NULL;
}
void host_map_put(host_map *m, const void *k, void *v)
{
    if ((uintptr_t)k < 2) return;
    if (m->fill * 2 >= m->cap) {
        host_map n = { 0 };
        n.cap = m->cap ? m->cap * 2 : 256;
        n.key = calloc(n.cap, sizeof *n.key); n.val = calloc(n.cap, sizeof *n.val);
        if (!n.key || !n.val) { host_say("out of host memory"); abort(); }
        for (size_t i = 0; i < m->cap; ++i)
            if ((uintptr_t)m->key[i] > 1) {
                size_t h = map_slot(&n, m->key[i]);
                n.key[h] = m->key[i];
                n.val[h] = m->val[i];
                ++n.fill;
            }
        free(m->key); free(m->val);
        *m = n;
    }
    size_t h = map_slot(m, k);
    if (!m->key[h]) { m->key[h] = k; ++m->fill; }
    m->val[h] = v;
}
void host_map_del(host_map *m, const void *k)
{
    if (!m->cap || (uintptr_t)k < 2) return;
    size_t h = map_slot(m, k);
    if (m->key[h]) { m->key[h] = (void *)1; m->val[h] = NULL; }
}

/* ---- Memory ---- */
typedef struct { int kind; unsigned flags; size_t size; } block;
static host_map blocks;
static size_t allocated, allocated_high;
char host_pool;
static uint64_t pool_threshold;

int host_region(uint64_t addr, uint64_t *base, uint64_t *size, unsigned *flags)
{
    if (flags) *flags = 0;
    if (emu_alloc_find(addr, base, size)) {
        block *b = host_map_get(&blocks, (void *)(uintptr_t)*base);
        if (b && flags) *flags = b->flags;
        if (b) return b->kind;
    }
    for (host_image *m = host_images; m; m = m->next) {
        if (!m->mod) continue;
        for (host_var *v = m->vars; v; v = v->next)
            if (v->addr && addr - (uintptr_t)v->addr < v->size) {
                *base = (uintptr_t)v->addr; *size = v->size;
                return v->managed ? M_MANAGED : M_DEVICE;
            }
    }
    return emu_alloc_find(addr, base, size) ? M_DEVICE : M_NONE;
}

static void block_put(void *p, int kind, unsigned flags, size_t n)
{
    block *b = malloc(sizeof *b);
    if (!b) { host_say("out of host memory"); abort(); }
    *b = (block){ kind, flags, n };
    host_map_put(&blocks, p, b);
    if (kind == M_DEVICE || kind == M_MANAGED) {
        allocated += n;
        if (allocated > allocated_high) allocated_high = allocated;
    }
}

int host_malloc(void **p, size_t n, int kind, unsigned flags, const char *api)
{
    if (!p) return cudaErrorInvalidValue;
    *p = NULL;
    host_used();
    if (!n) return kind == M_MANAGED ? cudaErrorInvalidValue : 0;
    if (kind == M_DEVICE && n > emu_opt.device->memory - allocated) {
        if (emu_opt.verbose)
            host_say("%s: %zu bytes are more than the %zu that are free", api, n, emu_opt.device->memory - allocated);
        return cudaErrorMemoryAllocation;
    }
    if (!(*p = emu_alloc(n, api))) return cudaErrorMemoryAllocation;
    /* the host writes pinned and managed memory unseen: all of it counts as initialised */
    if (kind != M_DEVICE) emu_global_mark((uintptr_t)*p, n, 1);
    block_put(*p, kind, flags, n);
    return 0;
}

int host_malloc_pitch(void **p, size_t *pitch, size_t w, size_t h, const char *api)
{
    if (!p || !pitch || w > SIZE_MAX - 511) return cudaErrorInvalidValue;
    *pitch = (w + 511) & ~(size_t)511;
    if (h && *pitch > SIZE_MAX / h) return cudaErrorMemoryAllocation;
    return host_malloc(p, *pitch * h, M_DEVICE, 0, api);
}

int host_free(void *p, int host, const char *api)
{
    if (!p) return 0;
    block *b = host_map_get(&blocks, p);
    int ok = b && (host ? b->kind == M_HOST : b->kind == M_DEVICE || b->kind == M_MANAGED);
    if (!ok) {
        uint64_t base, size;
        int kind = host_region((uintptr_t)p, &base, &size, NULL);
        if (b)
            host_say("%s(%p): that is %s memory", api, p, b->kind == M_HOST ? "page-locked host"
                                                          : b->kind == M_REGISTERED ? "registered host"
                                                          : "device");
        else if (kind && base != (uintptr_t)p)
            host_say("%s(%p): that is %llu bytes into an allocation, not its beginning", api, p,
                     (unsigned long long)((uintptr_t)p - base));
        else host_say("%s(%p): there is no such allocation: freed already, or never made", api, p);
        return cudaErrorInvalidValue;
    }
    host_map_del(&blocks, p);
    if (b->kind != M_HOST) allocated -= b->size;
    free(b);
    return emu_free(p) ? cudaErrorInvalidValue : 0;
}

int host_register(void *p, size_t n, unsigned flags, const char *api)
{
    uint64_t base, size;
    if (!p || !n) return cudaErrorInvalidValue;
    host_used();
    if (host_region((uintptr_t)p, &base, &size, NULL) || host_region((uintptr_t)p + n - 1, &base, &size, NULL)) {
        host_say("%s: part of the %zu bytes at %p is registered already", api, n, p);
        return cudaErrorHostMemoryAlreadyRegistered;
    }
    emu_alloc_host(p, n, api);
    emu_global_mark((uintptr_t)p, n, 1);
    block_put(p, M_REGISTERED, flags, n);
    return 0;
}
int host_unregister(void *p, const char *api)
{
    block *b = host_map_get(&blocks, p);
    if (!b || b->kind != M_REGISTERED) {
        host_say("%s(%p): that is not registered", api, p);
        return cudaErrorHostMemoryNotRegistered;
    }
    host_map_del(&blocks, p);
    free(b);
    emu_free(p);
    return 0;
}

void host_mem_info(size_t *free_, size_t *total)
{
    if (free_)
        *free_ = emu_opt.device->memory - (allocated < emu_opt.device->memory ? allocated : emu_opt.device->memory);
    if (total) *total = emu_opt.device->memory;
}

int host_pool_get(void *v, int a)
{
    if (!v) return cudaErrorInvalidValue;
    switch (a) {
    case cudaMemPoolReuseFollowEventDependencies: case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies:
        *(int *)v = 1; return 0;
    case cudaMemPoolAttrReleaseThreshold: *(uint64_t *)v = pool_threshold; return 0;
    case cudaMemPoolAttrReservedMemCurrent: case cudaMemPoolAttrUsedMemCurrent: *(uint64_t *)v = allocated; return 0;
    case cudaMemPoolAttrReservedMemHigh: case cudaMemPoolAttrUsedMemHigh: *(uint64_t *)v = allocated_high; return 0;
    default: return cudaErrorInvalidValue;
    }
}
int host_pool_set(const void *v, int a)
{
    if (!v) return cudaErrorInvalidValue;
    if (a == cudaMemPoolAttrReleaseThreshold) pool_threshold = *(const uint64_t *)v;
    if (a == cudaMemPoolAttrReservedMemHigh || a == cudaMemPoolAttrUsedMemHigh) allocated_high = allocated;
    return a < 1 || a > 8 ? cudaErrorInvalidValue : 0;
}

int host_limit(int limit, size_t *get, size_t set)
{
    static size_t v[] = { 1024, 1 << 20, 8 << 20, 2, 2048, 64, 0 };
    if (limit < 0 || limit >= (int)(sizeof v / sizeof *v)) return cudaErrorUnsupportedLimit;
    if (get) *get = v[limit]; else v[limit] = set;
    return 0;
}

static void reset_variables(emu_module *m)
{
    for (int i = 0; i < m->ptx->nglobal; ++i) {
        ptx_sym *s = m->ptx->global[i];
        /* with relocations: tables of addresses, which nobody changes */
        if (!s->addr || s->is_extern || s->nreloc) continue;
        if (s->init) memcpy(s->addr, s->init, s->size); else memset(s->addr, 0, s->size);
    }
}

/* cudaDeviceReset: memory is freed, variables get their initial values back */
int host_reset(void)
{
    for (host_image *m = host_images; m; m = m->next) if (m->mod) reset_variables(m->mod);
    host_stuck = 0;
    for (size_t i = 0; i < blocks.cap; ++i) {
        block *b = (uintptr_t)blocks.key[i] > 1 ? blocks.val[i] : NULL;
        if (!b || b->kind == M_REGISTERED) continue;
        emu_free((void *)blocks.key[i]);
        blocks.key[i] = (void *)1; blocks.val[i] = NULL;
        free(b);
    }
    allocated = 0;
    return 0;
}
