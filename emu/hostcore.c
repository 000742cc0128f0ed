/* hostcore.c - what lies under both CUDA APIs: modules and kernels, device memory and copies, streams, events, captured
 * graphs, errors.
 * Everything is performed at the call, in the calling thread, under one lock. Streams only carry names and, while one
 * is being captured, the graph that its work becomes part of. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fatbin.h"
#include "host.h"

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

static int stuck;                                   /* a kernel failed: its context is lost */
int host_sticky(void) { return stuck; }
static int is_sticky(int e)
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
typedef struct { const void **key; void **val; size_t cap, fill; } map;       /* key: 0 empty, 1 deleted */
static size_t map_slot(const map *m, const void *k)
{
    size_t h = (size_t)(((uintptr_t)k >> 3) * 0x9e3779b97f4a7c15ull >> 17) & (m->cap - 1);
    while (m->key[h] && m->key[h] != k) h = (h + 1) & (m->cap - 1);
    return h;
}
static void *map_get(const map *m, const void *k)
{
    if (!m->cap || (uintptr_t)k < 2) return NULL;
    size_t h = map_slot(m, k);
    return m->key[h] ? m->val[h] : NULL;
}
static void map_put(map *m, const void *k, void *v)
{
    if ((uintptr_t)k < 2) return;
    if (m->fill * 2 >= m->cap) {
        map n = { 0 };
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
static void map_del(map *m, const void *k)
{
    if (!m->cap || (uintptr_t)k < 2) return;
    size_t h = map_slot(m, k);
    if (m->key[h]) { m->key[h] = (void *)1; m->val[h] = NULL; }
}

/* ---- Modules ---- */
/* live modules; kernel handles; kernels and variables by host address */
static map images, funcs, shadows, shadow_vars;
static host_image *image_list;

static const char *file_of(const void *p)
{
    Dl_info d;
    return dladdr(p, &d) && d.dli_fname && *d.dli_fname ? d.dli_fname : program_invocation_name;
}

host_image *host_image_new(const void *data, size_t size, const char *from)
{
    host_image *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->data = data; m->size = size;
    m->from = strdup(from ? from : file_of(data));
    m->next = image_list; image_list = m;
    map_put(&images, m, m);
    host_used();
    return m;
}
int host_image_valid(const void *m) { return map_get(&images, m) != NULL; }

int host_image_load(host_image *m)
{
    if (m->mod || m->error) return m->error;
    const emu_device *d = emu_opt.device;
    fatbin_ptx p = { 0 };
    char err[1024] = "";
    if (fatbin_find_ptx(m->data, m->size, d->sm, d->suffix, &p)) {
        host_say("%s: %s", m->from, p.why);
        m->error = p.invalid ? cudaErrorInvalidKernelImage : cudaErrorNoKernelImageForDevice;
    } else {
        m->mod = emu_module_load(p.text, p.length, m->from, err, sizeof err);
        free(p.text);
        if (!m->mod) { host_say("%s: %s", m->from, err); m->error = cudaErrorInvalidPtx; }
    }
    for (host_var *v = m->vars; v; v = v->next) {
        v->addr = m->mod ? emu_module_global(m->mod, v->name, &v->size) : NULL;
        if (!v->managed) continue;
        /* the host reads and writes the variable through this pointer, so it must point somewhere even if there is no
         * such variable */
        *v->managed = v->addr ? v->addr : calloc(1, v->host_size + 1);
    }
    return m->error;
}

int host_image_open(host_image **m, const void *data, size_t size, const char *from)
{
    *m = NULL;
    if (!data) return cudaErrorInvalidValue;
    host_image *i = host_image_new(data, size, from);
    if (!i) return cudaErrorMemoryAllocation;
    int e = host_image_load(i);
    i->data = NULL;                                 /* the caller may free it now */
    if (e == cudaErrorNoKernelImageForDevice) host_not_run();
    if (e) { host_image_close(i); return e; }
    *m = i;
    return 0;
}

int host_image_file(host_image **m, const char *file)
{
    *m = NULL;
    if (!file) return cudaErrorInvalidValue;
    FILE *f = fopen(file, "rb");
    if (!f) { host_say("%s: %m", file); return cudaErrorFileNotFound; }
    char *b = NULL; size_t n = 0, cap = 0, r;
    do {
        if (n + 65536 > cap) {
            char *x = realloc(b, (cap = cap * 2 + 131072) + 1);
            if (!x) { free(b); fclose(f); return cudaErrorMemoryAllocation; }
            b = x;
        }
        n += r = fread(b + n, 1, cap - n, f);
    } while (r);
    fclose(f);
    b[n] = 0;
    int e = host_image_open(m, b, n, file);
    free(b);
    return e;
}

static void func_free(CUfunction f)
{
    map_del(&funcs, f);
    if (f->shadow && map_get(&shadows, f->shadow) == f) map_del(&shadows, f->shadow);
    free(f->name); free(f);
}

int host_image_close(host_image *m)
{
    if (!host_image_valid(m)) return cudaErrorInvalidResourceHandle;
    host_image **p = &image_list;
    while (*p && *p != m) p = &(*p)->next;
    if (*p) *p = m->next;
    map_del(&images, m);
    for (CUfunction f = m->funcs, n; f; f = n) { n = f->next; func_free(f); }
    for (host_var *v = m->vars, *n; v; v = n) { n = v->next; free(v); }
    if (m->mod) emu_module_unload(m->mod);
    free(m->from); free(m);
    return 0;
}

static CUfunction func_new(host_image *m, const char *name, emu_kernel *k)
{
    CUfunction f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->image = m; f->name = strdup(name); f->k = k; f->carveout = -1;
    f->next = m->funcs; m->funcs = f;
    map_put(&funcs, f, f);
    return f;
}

static int func_load(CUfunction f)
{
    if (f->k) return 0;
    int e = host_image_load(f->image);
    if (e) return e;
    f->k = emu_module_kernel(f->image->mod, f->name);
    if (f->k) return 0;
    if (!f->missing++) host_say("%s: the PTX for %s has no kernel %s", f->image->from, emu_opt.device->option, f->name);
    return cudaErrorInvalidDeviceFunction;
}

CUfunction host_func_find(const void *h)
{
    CUfunction f = map_get(&shadows, h);
    return f ? f : map_get(&funcs, h);
}
int host_func(CUfunction *f, const void *h)
{
    *f = host_func_find(h);
    return *f ? func_load(*f) : cudaErrorInvalidDeviceFunction;
}
/* The same, to launch it: what cannot be loaded has said why, and the program must not end as if it had run */
int host_func_launch(CUfunction *f, const void *h)
{
    int e = host_func(f, h);
    if (e && *f) host_not_run();
    return e;
}

int host_image_kernel(CUfunction *f, host_image *m, const char *name)
{
    *f = NULL;
    if (!host_image_valid(m)) return cudaErrorInvalidResourceHandle;
    if (!name) return cudaErrorInvalidValue;
    int e = host_image_load(m);
    if (e) return e;
    for (CUfunction x = m->funcs; x; x = x->next) if (!strcmp(x->name, name)) { *f = x; return func_load(x); }
    emu_kernel *k = emu_module_kernel(m->mod, name);
    if (!k) return cudaErrorSymbolNotFound;
    *f = func_new(m, name, k);
    return *f ? 0 : cudaErrorMemoryAllocation;
}
int host_image_kernel_n(CUfunction *f, host_image *m, unsigned i)
{
    if ((int)i >= m->mod->nkernel) return cudaErrorInvalidValue;
    return host_image_kernel(f, m, m->mod->kernel[i].fn->name);
}

int host_image_global(void **addr, size_t *size, host_image *m, const char *name)
{
    if (!host_image_valid(m)) return cudaErrorInvalidResourceHandle;
    if (!name) return cudaErrorInvalidValue;
    int e = host_image_load(m);
    if (e) return e;
    size_t n = 0;
    void *p = emu_module_global(m->mod, name, &n);
    if (!p) return cudaErrorSymbolNotFound;
    if (addr) *addr = p;
    if (size) *size = n;
    for (host_var *v = m->vars; v; v = v->next) if (v->addr == p) return 0;
    host_var *v = calloc(1, sizeof *v);             /* so that copies know its bounds */
    if (!v) return cudaErrorMemoryAllocation;
    *v = (host_var){ .next = m->vars, .image = m, .name = "", .addr = p, .size = n };
    m->vars = v;
    return 0;
}

/* ---- Registration, from constructors of the program; nothing is loaded before it is used ---- */
API void **__cudaRegisterFatBinary(void *wrapper)
{
    host_lock();
    host_image *m = host_image_new(wrapper, 0, NULL);
    if (m) m->registered = 1;
    host_unlock();
    return (void **)m;
}
API void __cudaRegisterFatBinaryEnd(void **h) { (void)h; }

/* At exit and at dlclose(). The module itself stays: reports at the end of the process name its source lines. */
API void __cudaUnregisterFatBinary(void **h)
{
    host_lock();
    host_image *m = (void *)h;
    if (host_image_valid(m)) {
        if (!m->mod && !m->error) m->error = cudaErrorCudartUnloading;
        for (CUfunction f = m->funcs; f; f = f->next) if (f->shadow) { map_del(&shadows, f->shadow); f->shadow = NULL; }
        for (host_var *v = m->vars; v; v = v->next)
            if (v->shadow) { map_del(&shadow_vars, v->shadow); v->shadow = NULL; v->managed = NULL; }
    }
    host_unlock();
}

API void __cudaRegisterFunction(void **h, const char *shadow, char *fun, const char *name, int limit, uint3 *tid,
                                uint3 *bid, dim3 *bdim, dim3 *gdim, int *wsize)
{
    (void)fun; (void)limit; (void)tid; (void)bid; (void)bdim; (void)gdim; (void)wsize;
    host_lock();
    CUfunction f = host_image_valid(h) ? func_new((host_image *)h, name, NULL) : NULL;
    if (f) { f->shadow = shadow; map_put(&shadows, shadow, f); }
    host_unlock();
}

static void register_var(void **h, const void *shadow, void **managed, const char *name, size_t size)
{
    host_lock();
    host_var *v = host_image_valid(h) ? calloc(1, sizeof *v) : NULL;
    if (v) {
        host_image *m = (host_image *)h;
        *v = (host_var){ .next = m->vars, .image = m, .shadow = shadow, .managed = managed, .name = name,
                         .host_size = size };
        m->vars = v;
        map_put(&shadow_vars, shadow, v);
    }
    host_unlock();
}
API void __cudaRegisterVar(void **h, char *shadow, char *addr, const char *name, int ext, size_t size, int constant,
                           int global)
{
    (void)addr; (void)ext; (void)constant; (void)global;
    register_var(h, shadow, NULL, name, size);
}
API void __cudaRegisterManagedVar(void **h, void **pointer, char *addr, const char *name, int ext, size_t size,
                                  int constant, int global)
{
    (void)addr; (void)ext; (void)constant; (void)global;
    register_var(h, pointer, pointer, name, size);
}
/* Before the host first touches a managed variable */
API char __cudaInitModule(void **h)
{
    host_lock();
    if (host_image_valid(h)) host_image_load((host_image *)h);
    host_unlock();
    return 1;
}
API void __cudaRegisterHostVar(void **h, const char *name, char *var, size_t size)
{
    (void)h; (void)name; (void)var; (void)size;
}

int host_symbol(void **addr, size_t *size, const void *symbol, const char *api)
{
    host_var *v = map_get(&shadow_vars, symbol);
    /* a managed variable's symbol is the pointer that the host sees, or where it points */
    if (!v) for (host_image *m = image_list; m && !v; m = m->next)
        for (v = m->vars; v; v = v->next) if (v->managed && v->addr && v->addr == symbol) break;
    if (!v) {
        host_say("%s: %p is no __device__ or __constant__ variable", api, symbol);
        return cudaErrorInvalidSymbol;
    }
    int e = host_image_load(v->image);
    if (e) return e;
    if (!v->addr) {
        host_say("%s: the PTX has no variable %s: no kernel uses it", api, v->name);
        return cudaErrorInvalidSymbol;
    }
    *addr = v->addr; *size = v->size;
    return 0;
}

/* ---- Kernels' attributes, occupancy ---- */
static int product(const uint32_t *v) { return v[0] ? (int)(v[0] * (v[1] ? v[1] : 1) * (v[2] ? v[2] : 1)) : 0; }

static int max_threads(const emu_kernel *k)
{
    int n = product(k->fn->reqntid);
    if (!n) n = product(k->fn->maxntid);
    /* registers do not limit it: how many there are is only an estimate */
    return !n || n > 1024 ? 1024 : n;
}
static int max_dyn(const emu_kernel *k)
{
    int room = emu_opt.device->smem_per_block - (int)k->static_smem;
    if (k->smem_mode >= 2)
        return (k->smem_mode >= 3 ? emu_opt.device->smem_optin : emu_smem_plain(emu_opt.device)) - (int)k->static_smem;
    return k->max_dyn_smem >= 0 ? k->max_dyn_smem : room > 0 ? room : 0;
}
/* Blocks on a multiprocessor. What may be launched fits at least once, whatever the estimate of its registers says. */
static int resident(const emu_kernel *k, int threads, size_t smem)
{
    if (threads > max_threads(k) || smem + k->static_smem > (size_t)emu_opt.device->smem_optin) return 0;
    int n = emu_blocks_per_sm(k, threads, smem);
    return n > 0 ? n : 1;
}

int host_func_get(CUfunction f, int a, int *v)
{
    emu_kernel *k = f->k;
    const uint32_t *c = k->fn->cluster;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *v = max_threads(k); return 0;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES: *v = (int)k->static_smem; return 0;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES: *v = 0; return 0;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES: *v = (int)k->local_bytes; return 0;
    case CU_FUNC_ATTRIBUTE_NUM_REGS: *v = emu_kernel_regs(k); return 0;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION: *v = atoi(k->mod->ptx->target + 3); return 0;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION: *v = emu_opt.device->sm; return 0;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA: *v = 0; return 0;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: *v = max_dyn(k); return 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT: *v = f->carveout; return 0;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *v = f->must_cluster || (k->fn->explicit_cluster && !c[0]); return 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: *v = (int)(c[0] ? c[0] : f->cluster.x); return 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT: *v = (int)(c[0] ? c[1] : f->cluster.y); return 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: *v = (int)(c[0] ? c[2] : f->cluster.z); return 0;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: *v = k->cluster_nonportable; return 0;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: *v = f->policy; return 0;
    case 16: case 17: *v = k->smem_mode; return 0;
    default: return cudaErrorInvalidValue;
    }
}

int host_func_set(CUfunction f, int a, int v, const char *api)
{
    emu_kernel *k = f->k;
    const emu_device *d = emu_opt.device;
    switch (a) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (v < 0 || v + (int64_t)k->static_smem > emu_smem_plain(d)) {
            host_say("%s(%s): %d bytes of dynamic shared memory beside %u static ones are more than the %d that a "
                     "block of %s can have%s", api, f->name, v, k->static_smem, emu_smem_plain(d), d->option,
                     emu_smem_plain(d) < d->smem_optin ? " (more of it: cudaFuncAttributeSharedMemoryMode)" : "");
            return cudaErrorInvalidValue;
        }
        k->max_dyn_smem = v;
        return 0;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (v < -1 || v > 100) return cudaErrorInvalidValue;
        f->carveout = v;
        return 0;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH: case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
        case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
        if (v < 0 || k->fn->cluster[0]) return cudaErrorInvalidValue;      /* fixed at compile time */
        *(a == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH ? &f->cluster.x
          : a == CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT ? &f->cluster.y
          : &f->cluster.z) = (uint32_t)v;
        return 0;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED: k->cluster_nonportable = v != 0; return 0;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: f->policy = v; return 0;
    case 16: case 17:                    /* SharedMemoryMode of CUDA 13: the runtime's number, the driver's */
        if (v < 0 || v > 4) {
            host_say("%s(%s): a shared-memory mode of %d is not in 0..4", api, f->name, v);
            return cudaErrorInvalidValue;
        }
        k->smem_mode = v;
        return 0;
    default: return cudaErrorInvalidValue;
    }
}

int host_param_info(CUfunction f, size_t i, size_t *offset, size_t *size)
{
    ptx_func *fn = f->k->fn;
    if ((int64_t)i >= fn->nparam) return cudaErrorInvalidValue;
    if (offset) *offset = fn->param[i]->offset;
    if (size) *size = fn->param[i]->size;
    return 0;
}

int host_occupancy(int *blocks, CUfunction f, int threads, size_t smem)
{
    if (!blocks || threads <= 0) return cudaErrorInvalidValue;
    *blocks = resident(f->k, threads, smem);
    return 0;
}

int host_occupancy_smem(size_t *smem, CUfunction f, int blocks, int threads)
{
    const emu_device *d = emu_opt.device;
    if (!smem || blocks <= 0 || threads <= 0) return cudaErrorInvalidValue;
    if (resident(f->k, threads, 0) < blocks) return cudaErrorInvalidValue;
    int64_t n = d->smem_per_sm / blocks - d->smem_reserved - (int64_t)f->k->static_smem;
    if (n > d->smem_optin - (int64_t)f->k->static_smem) n = d->smem_optin - (int64_t)f->k->static_smem;
    *smem = n < 0 ? 0 : (size_t)n;
    return 0;
}

/* Clusters live within a group of multiprocessors that share a crossbar: eight groups of whole pairs of
 * multiprocessors */
static int clusters_at_once(const emu_device *d, int per_sm, int size)
{
    int pairs = d->sms / 2, groups = d->sms >= 64 ? 8 : 1, n = 0;
    for (int g = 0; g < groups; ++g) n += (pairs / groups + (g < pairs % groups)) * 2 * per_sm / size;
    return n;
}

int host_clusters(int *n, CUfunction f, emu_launch_config c, int max_size)
{
    const emu_device *d = emu_opt.device;
    if (!n) return cudaErrorInvalidValue;
    uint32_t *fix = f->k->fn->cluster;
    if (fix[0]) c.cluster = (emu_dim3){ fix[0], fix[1] ? fix[1] : 1, fix[2] ? fix[2] : 1 };
    else if (!c.cluster.x) c.cluster = f->cluster;
    uint64_t threads = (uint64_t)c.block.x * c.block.y * c.block.z,
             size = (uint64_t)(c.cluster.x ? c.cluster.x : 1) * (c.cluster.y ? c.cluster.y
                                                                 : 1) * (c.cluster.z ? c.cluster.z : 1);
    if (!threads || threads > 1024) return cudaErrorInvalidValue;
    if (d->max_cluster < 2) return cudaErrorNotSupported;
    int limit = f->k->cluster_nonportable ? d->max_cluster : d->max_cluster < 8 ? d->max_cluster : 8;
    int per_sm = (int64_t)c.dyn_smem > max_dyn(f->k) ? 0 : resident(f->k, (int)threads, c.dyn_smem);
    *n = 0;
    if (max_size) {
        for (int s = limit; s >= 1 && per_sm; s /= 2) if (clusters_at_once(d, per_sm, s)) { *n = s; break; }
        return 0;
    }
    if (size > (uint64_t)limit) return cudaErrorInvalidClusterSize;
    if (per_sm) *n = clusters_at_once(d, per_sm, (int)size);
    return 0;
}

/* ---- The device's attributes ---- */
int host_device_attribute(int *v, int a)
{
    const emu_device *d = emu_opt.device;
    const int cluster = d->max_cluster > 1;
    if (!v) return cudaErrorInvalidValue;
    switch (a) {
    case 1: *v = 1024; break;                       /* threads per block, its dimensions, the grid's */
    case 2: case 3: *v = 1024; break;
    case 4: *v = 64; break;
    case 5: *v = 2147483647; break;
    case 6: case 7: *v = 65535; break;
    case 8: *v = d->smem_per_block; break;
    case 9: *v = 65536; break;                      /* constant memory */
    case 10: *v = 32; break;
    case 11: *v = 2147483647; break;                /* pitch */
    case 12: *v = d->regs_per_sm; break;
    case 13: *v = d->clock_khz; break;
    case 14: *v = 512; break;                       /* texture alignment */
    case 15: *v = 1; break;
    case 16: *v = d->sms; break;
    case 18: *v = d->sm == 87 || d->sm == 110 || d->sm == 121; break;      /* integrated */
    case 19: *v = 1; break;
    case 21: case 22: case 23: *v = 131072; break;
    case 24: case 25: case 26: *v = 16384; break;
    case 27: case 28: *v = 32768; break;
    case 29: *v = 2048; break;
    case 30: *v = 512; break;
    case 31: *v = 1; break;
    case 33: *v = 1; break;                         /* PCI bus */
    case 36:
        *v = d->sm == 90 ? 3201000 : d->sm >= 100 && d->sm < 110 ? 3996000 : d->sm == 80 ? 1593000 : 8000000; break;
    case 37:
        *v = d->sm == 80 ? 5120
           : d->sm == 90 ? 6144
           : d->sm == 100 || d->sm == 103 || d->sm == 107 ? 8192
           : d->sm == 120 ? 512
           : d->sm == 86 || d->sm == 89 ? 384
           : 256;
        break;
    case 38: *v = d->l2_bytes; break;
    case 39: *v = d->threads_per_sm; break;
    case 40: *v = 3; break;
    case 41: *v = 1; break;
    case 42: *v = 32768; break;
    case 43: *v = 2048; break;
    case 44: *v = 1; break;
    case 45: case 46: *v = 32768; break;
    case 47: case 48: *v = 8192; break;
    case 49: *v = 32768; break;
    case 51: *v = 32; break;
    case 52: case 53: *v = 32768; break;
    case 54: *v = 2046; break;
    case 55: *v = 32768; break;
    case 56: *v = 131072; break;
    case 57: *v = 65536; break;
    case 58: case 59: case 60: *v = 16384; break;
    case 61: case 63: case 64: case 66: case 67: *v = 32768; break;
    case 62: case 65: *v = 2048; break;
    case 68: *v = 2046; break;
    case 69: *v = 268435456; break;
    case 70: *v = 131072; break;
    case 71: *v = 65000; break;
    case 72: *v = 2097120; break;
    case 73: case 74: case 77: *v = 32768; break;
    case 75: *v = d->sm / 10; break;
    case 76: *v = d->sm % 10; break;
    case 78: case 79: case 80: *v = 1; break;
    case 81: *v = d->smem_per_sm; break;
    case 82: *v = d->regs_per_sm; break;
    case 83: *v = 1; break;                         /* managed memory */
    case 85: *v = 0; break;
    case 87: *v = d->sm == 80 || d->sm == 90 || d->sm == 100 ? 2 : 64; break;
    case 89: case 90: *v = 1; break;                /* concurrent managed access, preemption */
    case 91: *v = 1; break;                         /* host memory has the same address on the device */
    case 95: *v = 1; break;                         /* cooperative launches */
    case 97: *v = emu_smem_plain(d); break;
    case 99: *v = 1; break;
    case 106: *v = d->blocks_per_sm; break;
    case 108: *v = d->sm >= 80 ? d->l2_bytes / 8 * 5 : 0; break;
    case 109: *v = d->sm >= 80 ? 134213632 : 0; break;
    case 111: *v = d->smem_reserved; break;
    case 115: *v = 1; break;                        /* memory pools */
    case 119: *v = 0; break;
    case 120: *v = cluster; break;
    case 126: *v = d->sm >= 90 ? 4 : 1; break;
    case 127: *v = d->sm >= 90; break;              /* tensor maps */
    case 129: *v = 0; break;
    case 150: *v = d->smem_optin; break;            /* oversized shared memory */
    case 160: *v = d->sm == 107 ? 131072 : INT32_MAX; break;         /* large class of tensor maps */
    case 131: case 134: *v = -1; break;             /* no NUMA node */
    /* and what there is not: timeouts, ECC, TCC, peers, pageable access, stream memory operations, virtual memory
     * management, IPC, ... */
    default:
        if (a < 1 || a >= CU_DEVICE_ATTRIBUTE_MAX) return cudaErrorInvalidValue;
        *v = 0;
    }
    return 0;
}

/* ---- Memory ---- */
typedef struct { int kind; unsigned flags; size_t size; } block;
static map blocks;
static size_t allocated, allocated_high;
char host_pool;
static uint64_t pool_threshold;

int host_region(uint64_t addr, uint64_t *base, uint64_t *size, unsigned *flags)
{
    if (flags) *flags = 0;
    if (emu_alloc_find(addr, base, size)) {
        block *b = map_get(&blocks, (void *)(uintptr_t)*base);
        if (b && flags) *flags = b->flags;
        if (b) return b->kind;
    }
    for (host_image *m = image_list; m; m = m->next) {
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
    map_put(&blocks, p, b);
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
    block *b = map_get(&blocks, p);
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
    map_del(&blocks, p);
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
    block *b = map_get(&blocks, p);
    if (!b || b->kind != M_REGISTERED) {
        host_say("%s(%p): that is not registered", api, p);
        return cudaErrorHostMemoryNotRegistered;
    }
    map_del(&blocks, p);
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
    for (host_image *m = image_list; m; m = m->next) if (m->mod) reset_variables(m->mod);
    stuck = 0;
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

/* ---- Performing work ---- */
static uint64_t ticks;                              /* what copies and launches add to the emulated time */
static uint64_t now(void) { return emu_clock() + ticks; }

static const char *demangled(const char *name, char **buf)
{
    static char *(*f)(const char *, char *, size_t *, int *);
    if (!f) f = (char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int st = 1;
    *buf = f ? f(name, NULL, NULL, &st) : NULL;
    return *buf && !st ? *buf : name;
}

static const void *launched_in;                     /* where the last operation was, if it was a launch */
static int perform_launch(host_op *op)
{
    CUfunction f = op->launch.f;
    emu_launch_config c = op->launch.c;
    char why[1024] = "", *buf = NULL;
    int before = emu_error_count();
    if (!c.cluster.x) c.cluster = f->cluster;
    c.pdl = c.pdl && op->where && op->where == launched_in; /* else it waits for all that comes before it */
    int e = emu_launch(f->k, &c, op->launch.args, op->launch.packed, op->launch.size, why, sizeof why);
    ++ticks;
    if (e && *why && (!is_sticky(e) || emu_error_count() == before)) {
        host_say("%s: %s", demangled(f->name, &buf), why);
        free(buf);
    }
    if (e == cudaErrorNotSupported && emu_error_count() == before) host_not_run();
    if (is_sticky(e)) stuck = e;
    launched_in = e ? NULL : op->where;
    return e;
}

/* Is [addr, addr + n) what the copy's direction says? want: 1 device, 0 host, -1 either. *tracked: it lies in device
 * memory */
static int check_range(const char *api, const char *what, const void *p, size_t n, int want, int *tracked)
{
    uint64_t addr = (uintptr_t)p, base, size;
    int kind = host_region(addr, &base, &size, NULL);
    *tracked = 0;
    if (!kind) {
        if (want == 1) {
            char why[256] = "";
            if (!p || emu_global_ok(addr, n, 0, why, sizeof why)) *why = 0;
            host_say("%s: the %s %p is not device memory%s%s", api, what, p, *why ? ": " : "", why);
            return cudaErrorInvalidValue;
        }
        if (!p) { host_say("%s: the %s is a null pointer", api, what); return cudaErrorInvalidValue; }
        return 0;
    }
    if (want == 0 && kind == M_DEVICE) {
        host_say("%s: the %s %p is device memory, where the direction says host memory", api, what, p);
        return cudaErrorInvalidValue;
    }
    if (addr - base > size || n > size - (addr - base)) {
        /* a copy may run from registered host memory into the pageable memory behind it */
        if (kind == M_REGISTERED && want != 1) return 0;
        host_say("%s: %zu bytes at the %s %p: the allocation of %llu bytes at %#llx ends after %llu of them", api, n,
                 what, p, (unsigned long long)size, (unsigned long long)base,
                 (unsigned long long)(size - (addr - base)));
        return cudaErrorInvalidValue;
    }
    uint64_t b2, s2;
    *tracked = emu_alloc_find(addr, &b2, &s2) != NULL;
    return 0;
}

/* copied bytes are as initialised as their source */
static void mark_copied(char *dst, const char *src, size_t n, int src_tracked)
{
    uint64_t d = (uintptr_t)dst, s = (uintptr_t)src;
    if (!emu_opt.checks || !src_tracked || !emu_global_uninit(s, n)) { emu_global_mark(d, n, 1); return; }
    for (size_t i = 0; i < n; i += 64) {
        size_t c = n - i < 64 ? n - i : 64;
        if (!emu_global_uninit(s + i, c)) { emu_global_mark(d + i, c, 1); continue; }
        for (size_t k = i; k < i + c; ++k) emu_global_mark(d + k, 1, !emu_global_uninit(s + k, 1));
    }
}

static size_t span(size_t w, size_t h, size_t d, size_t pitch, size_t slice)
{
    return (d - 1) * slice + (h - 1) * pitch + w;
}

static int copy(host_op *op)
{
    size_t w = op->copy.width, h = op->copy.height, d = op->copy.depth;
    int kind = op->copy.kind, dt, st, e;
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
        host_say("%s: %d is no direction", op->api, kind);
        return cudaErrorInvalidMemcpyDirection;
    }
    if (!w || !h || !d) return 0;
    if ((h > 1 && (op->copy.dpitch < w || op->copy.spitch < w)) ) {
        host_say("%s: rows of %zu bytes, but a pitch of %zu", op->api, w, op->copy.dpitch < w ? op->copy.dpitch
                 : op->copy.spitch);
        return cudaErrorInvalidPitchValue;
    }
    int want_d = kind == cudaMemcpyDefault ? -1 : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int want_s = kind == cudaMemcpyDefault ? -1 : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    e = check_range(op->api, "destination", op->copy.dst, span(w, h, d, op->copy.dpitch, op->copy.dslice), want_d, &dt);
    if (!e)
        e = check_range(op->api, "source", op->copy.src, span(w, h, d, op->copy.spitch, op->copy.sslice), want_s, &st);
    if (e) return e;
    if (h == 1 || (op->copy.dpitch == w && op->copy.spitch == w)) {         /* rows lie one after another */
        if (d == 1 || (op->copy.dslice == w * h && op->copy.sslice == w * h)) { w *= h * d; h = d = 1; }
        else { w *= h; h = 1; }
    }
    for (size_t z = 0; z < d; ++z)
        for (size_t y = 0; y < h; ++y) {
            char *q = op->copy.dst + z * op->copy.dslice + y * op->copy.dpitch;
            const char *p = op->copy.src + z * op->copy.sslice + y * op->copy.spitch;
            if (dt) mark_copied(q, p, w, st);
            memmove(q, p, w);
        }
    ticks += 1 + w * h * d / 256;
    return 0;
}

static int set(host_op *op)
{
    size_t w = op->set.width, h = op->set.height, d = op->set.depth;
    int t, unit = op->set.unit;
    if (!w || !h || !d) return 0;
    if (h > 1 && op->set.pitch < w) {
        host_say("%s: rows of %zu bytes, but a pitch of %zu", op->api, w, op->set.pitch);
        return cudaErrorInvalidPitchValue;
    }
    if (((uintptr_t)op->set.dst | (h > 1 ? op->set.pitch : 0)) & (size_t)(unit - 1)) {
        host_say("%s: %p is not aligned to the %d bytes of the value", op->api, (void *)op->set.dst, unit);
        return cudaErrorInvalidValue;
    }
    int e = check_range(op->api, "destination", op->set.dst, span(w, h, d, op->set.pitch, op->set.slice), 1, &t);
    if (e) return e;
    for (size_t z = 0; z < d; ++z)
        for (size_t y = 0; y < h; ++y) {
            char *q = op->set.dst + z * op->set.slice + y * op->set.pitch;
            if (unit == 1) memset(q, (int)op->set.value, w);
            else if (unit == 2) for (size_t x = 0; x < w / 2; ++x) ((uint16_t *)(void *)q)[x] = (uint16_t)op->set.value;
            else for (size_t x = 0; x < w / 4; ++x) ((uint32_t *)(void *)q)[x] = op->set.value;
            if (t) emu_global_mark((uintptr_t)q, w, 1);
        }
    ticks += 1 + w * h * d / 256;
    return 0;
}

static int perform(host_op *op)
{
    int e = 0;
    if (op->kind != OP_LAUNCH) launched_in = NULL;
    switch (op->kind) {
    case OP_LAUNCH: return perform_launch(op);
    case OP_COPY: return copy(op);
    case OP_SET: return set(op);
    case OP_RECORD:
        op->record.event->recorded = 1; op->record.event->when = now();
        return 0;
    case OP_CALL:
        host_unlock();                              /* the function may wait for other threads */
        op->call.fn(op->call.data);
        host_lock();
        return 0;
    case OP_GRAPH:
        for (host_op *o = op->graph.graph->first; o && !e; o = o->next) e = perform(o);
        launched_in = NULL;
        return e;
    }
    return cudaErrorUnknown;
}

/* ---- Streams and events ---- */
static map streams, events, graphs;
static unsigned long long next_id = 3;              /* 1 and 2 are the default streams' */
static int captures;                                /* streams in capture that the legacy stream would wait for */

int host_stream(CUstream s, const char *api)
{
    if ((uintptr_t)s <= 2 || map_get(&streams, s)) return 0;
    host_say("%s: %p is no stream", api, (void *)s);
    return cudaErrorInvalidResourceHandle;
}
static struct CUgraph_st *capture_of(CUstream s) { return (uintptr_t)s > 2 ? s->capture : NULL; }
/* Is the capture that the event was recorded in still going on? */
static int capturing(CUevent e)
{
    return e->capture && map_get(&graphs, e->capture) && e->capture->id == e->capture_id && !e->capture->over;
}

int host_stream_new(CUstream *s, unsigned flags, int priority)
{
    if (!s || flags > 1) return cudaErrorInvalidValue;
    if (!(*s = calloc(1, sizeof **s))) return cudaErrorMemoryAllocation;
    (*s)->flags = flags; (*s)->id = next_id++;
    (*s)->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    map_put(&streams, *s, *s);
    host_used();
    return 0;
}
int host_stream_free(CUstream s, const char *api)
{
    int e = host_stream(s, api);
    if (e || (uintptr_t)s <= 2) return e ? e : cudaErrorInvalidResourceHandle;
    if (s->capture) {
        s->capture->invalid = 1;                    /* its capture cannot end well any more */
        if (s->origin && !s->flags) --captures;
        host_graph_free(s->capture);
    }
    map_del(&streams, s);
    free(s);
    return 0;
}
int host_stream_sync(CUstream s, const char *api)
{
    int e = host_stream(s, api);
    if (e || !capture_of(s)) return e;
    if (s->capture->invalid) return cudaErrorStreamCaptureInvalidated;
    host_say("%s: the stream is being captured: that spoils the capture", api);
    s->capture->invalid = 1;
    return cudaErrorStreamCaptureUnsupported;
}
/* Spoils the captures of all streams, or of those alone that the legacy stream waits for. Is there any? */
static int spoil(int blocking_only)
{
    int n = 0;
    for (size_t i = 0; i < streams.cap; ++i) {
        CUstream s = (uintptr_t)streams.key[i] > 1 ? streams.val[i] : NULL;
        if (s && s->capture && !(blocking_only && s->flags)) s->capture->invalid = n = 1;
    }
    return n;
}
int host_device_sync(const char *api)
{
    if (!spoil(0)) return 0;
    host_say("%s: a stream is being captured: waiting for the device spoils the capture", api);
    return cudaErrorStreamCaptureUnsupported;
}

int host_event(CUevent e, const char *api)
{
    if (map_get(&events, e)) return 0;
    host_say("%s: %p is no event", api, (void *)e);
    return cudaErrorInvalidResourceHandle;
}
/* For waits and queries of the host */
int host_event_sync(CUevent e, const char *api)
{
    int r = host_event(e, api);
    if (r || !e->capture) return r;
    host_say("%s: the event was last recorded in a stream that was being captured", api);
    if (capturing(e)) e->capture->invalid = 1;
    return cudaErrorCapturedEvent;
}
int host_event_new(CUevent *e, unsigned flags)
{
    if (!e || flags & ~7u) return cudaErrorInvalidValue;
    if (!(*e = calloc(1, sizeof **e))) return cudaErrorMemoryAllocation;
    (*e)->flags = flags;
    map_put(&events, *e, *e);
    host_used();
    return 0;
}
int host_event_free(CUevent e)
{
    int r = host_event(e, "cudaEventDestroy");
    if (r) return r;
    map_del(&events, e);
    free(e);
    return 0;
}
int host_event_record(CUevent e, CUstream s, const char *api)
{
    int r = host_event(e, api);
    if (!r) r = host_stream(s, api);
    if (r) return r;
    e->capture = capture_of(s);                     /* inside a capture an event only joins streams */
    if (e->capture) {
        e->capture_id = e->capture->id;
        memcpy(e->seen, s->seen, sizeof e->seen);
        return e->capture->invalid ? cudaErrorStreamCaptureInvalidated : 0;
    }
    host_op op = { .kind = OP_RECORD, .api = api, .record.event = e };
    return host_submit(s, &op);
}
int host_stream_wait(CUstream s, CUevent e, const char *api)
{
    int r = host_event(e, api);
    if (!r) r = host_stream(s, api);
    if (r) return r;
    struct CUgraph_st *g = capture_of(s), *from = capturing(e) ? e->capture : NULL;
    if ((g && g->invalid) || (from && from->invalid)) return cudaErrorStreamCaptureInvalidated;
    if (from && (uintptr_t)s <= 2) {
        host_say("%s: the default stream cannot become part of a capture", api);
        from->invalid = 1;
        return cudaErrorStreamCaptureImplicit;
    }
    if (g && g != from && (from || e->recorded || e->capture)) {
        host_say("%s: a captured stream cannot wait for an event of %s", api, from ? "another capture"
                 : "before the capture or outside of it");
        g->invalid = 1;
        if (from) from->invalid = 1;
        return from ? cudaErrorStreamCaptureMerge : cudaErrorStreamCaptureIsolation;
    }
    if (!from) return 0;
    /* the stream joins the capture; call order is an order that the graph allows */
    if (!g) {
        s->capture = from;
        ++from->refs;
        s->lane = from->lanes < HOST_LANES ? from->lanes++ : HOST_LANES - 1;
        memset(s->seen, 0, sizeof s->seen);
    }
    for (int i = 0; i < HOST_LANES; ++i) if (s->seen[i] < e->seen[i]) s->seen[i] = e->seen[i];
    return 0;
}
int host_event_elapsed(float *ms, CUevent a, CUevent b, const char *api)
{
    int r = host_event_sync(a, api);
    if (!r) r = host_event_sync(b, api);
    if (r) return r;
    if (!ms) return cudaErrorInvalidValue;
    if (!a->recorded || !b->recorded || (a->flags | b->flags) & cudaEventDisableTiming) {
        host_say("%s: %s", api, !a->recorded || !b->recorded ? "an event was never recorded"
                 : "an event was made with cudaEventDisableTiming");
        return cudaErrorInvalidResourceHandle;
    }
    *ms = (float)((double)(int64_t)(b->when - a->when) * 1e-6);       /* a warp instruction counts as a nanosecond */
    return 0;
}

/* ---- Graphs: the work that a stream captured, in the order of the calls ---- */
int host_graph_new(struct CUgraph_st **g)
{
    if (!g) return cudaErrorInvalidValue;
    if (!(*g = calloc(1, sizeof **g))) return cudaErrorMemoryAllocation;
    (*g)->last = &(*g)->first; (*g)->refs = 1; (*g)->id = next_id++;
    map_put(&graphs, *g, *g);
    return 0;
}
int host_graph_free(struct CUgraph_st *g)
{
    if (!map_get(&graphs, g)) return cudaErrorInvalidValue;
    if (--g->refs) return 0;
    map_del(&graphs, g);
    for (host_op *o = g->first, *n; o; o = n) {
        n = o->next;
        if (o->kind == OP_LAUNCH) free((void *)o->launch.packed);
        if (o->kind == OP_GRAPH) host_graph_free(o->graph.graph);
        free(o);
    }
    free(g);
    return 0;
}
/* An executable graph is its graph, which never changes after the capture */
int host_graph_ref(struct CUgraph_st **exec, struct CUgraph_st *g)
{
    if (!exec || !map_get(&graphs, g)) return cudaErrorInvalidValue;
    ++g->refs;
    *exec = g;
    return 0;
}

/* A node is the work itself. Room for more than there are is filled with nulls. */
int host_graph_nodes(struct CUgraph_st *g, host_op **node, size_t *n)
{
    if (!n || !map_get(&graphs, g)) return cudaErrorInvalidValue;
    if (!node) { *n = g->n; return 0; }
    host_op *o = g->first;
    size_t had = 0;
    for (size_t i = 0; i < *n; ++i) {
        node[i] = o;
        if (o) { ++had; o = o->next; }
    }
    *n = had;
    return 0;
}
int host_graph_node_type(const host_op *node, int *type)
{
    static const int types[] = { [OP_LAUNCH] = cudaGraphNodeTypeKernel, [OP_COPY] = cudaGraphNodeTypeMemcpy,
                                 [OP_SET] = cudaGraphNodeTypeMemset,
        [OP_CALL] = cudaGraphNodeTypeHost, [OP_RECORD] = cudaGraphNodeTypeEventRecord,
        [OP_GRAPH] = cudaGraphNodeTypeGraph };
    if (!type || !node) return cudaErrorInvalidValue;
    for (size_t i = 0; i < graphs.cap; ++i) {
        struct CUgraph_st *g = (uintptr_t)graphs.key[i] > 1 ? graphs.val[i] : NULL;
        for (host_op *o = g ? g->first : NULL; o; o = o->next) if (o == node) { *type = types[o->kind]; return 0; }
    }
    return cudaErrorInvalidValue;
}

static int graph_add(struct CUgraph_st *g, const host_op *op)
{
    host_op *o = malloc(sizeof *o);
    if (!o) return cudaErrorMemoryAllocation;
    *o = *op;
    o->next = NULL;
    if (op->kind == OP_LAUNCH) {                    /* arguments are taken now */
        ptx_func *fn = op->launch.f->k->fn;
        size_t n = op->launch.args ? fn->param_bytes : op->launch.size;
        char *b = calloc(1, n + 1);
        if (!b) { free(o); return cudaErrorMemoryAllocation; }
        if (op->launch.args)
            for (int i = 0; i < fn->nparam; ++i)
                memcpy(b + fn->param[i]->offset, op->launch.args[i], fn->param[i]->size);
        else if (n) memcpy(b, op->launch.packed, n);
        o->launch.args = NULL; o->launch.packed = b; o->launch.size = n;
    }
    if (op->kind == OP_GRAPH) ++op->graph.graph->refs;
    *g->last = o; g->last = &o->next; ++g->n;
    return 0;
}

int host_capture_begin(CUstream s, int mode)
{
    int e = host_stream(s, "cudaStreamBeginCapture");
    if (e) return e;
    if ((uintptr_t)s <= 2) return cudaErrorStreamCaptureUnsupported;    /* the default streams cannot be captured */
    if (s->capture) return cudaErrorIllegalState;
    if ((e = host_graph_new(&s->capture))) return e;
    s->origin = 1; s->mode = mode; s->lane = 0; s->capture->lanes = 1;
    memset(s->seen, 0, sizeof s->seen);
    if (!s->flags) ++captures;
    return 0;
}
int host_capture_end(CUstream s, struct CUgraph_st **g)
{
    int e = host_stream(s, "cudaStreamEndCapture");
    if (e) return e;
    if (g) *g = NULL;
    if (!g || (uintptr_t)s <= 2 || !s->capture) return !g ? cudaErrorInvalidValue : cudaErrorIllegalState;
    if (!s->origin) return cudaErrorStreamCaptureUnmatched;
    struct CUgraph_st *x = s->capture;
    if (!s->flags) --captures;
    for (size_t i = 0; i < streams.cap; ++i) {      /* and the streams that joined */
        CUstream t = (uintptr_t)streams.key[i] > 1 ? streams.val[i] : NULL;
        if (t && t != s && t->capture == x) { t->capture = NULL; host_graph_free(x); }
    }
    s->capture = NULL; s->origin = 0; x->over = 1;
    e = x->invalid ? cudaErrorStreamCaptureInvalidated : 0;
    for (int i = 0; i < x->lanes && !e; ++i)
        if (s->seen[i] != x->count[i]) {
            host_say("cudaStreamEndCapture: a stream that joined the capture has work that the stream which ends it "
                     "does not wait for");
            e = cudaErrorStreamCaptureUnjoined;
        }
    if (e) host_graph_free(x); else *g = x;
    return e;
}
int host_capture_info(CUstream s, int *status, unsigned long long *id, struct CUgraph_st **g)
{
    int e = host_stream(s, "cudaStreamGetCaptureInfo");
    if (e) return e;
    struct CUgraph_st *x = capture_of(s);
    if (status)
        *status = !x ? cudaStreamCaptureStatusNone
                : x->invalid ? cudaStreamCaptureStatusInvalidated
                : cudaStreamCaptureStatusActive;
    if (x && id) *id = x->id;
    if (g) *g = x;
    return 0;
}

int host_submit(CUstream s, host_op *op)
{
    int e = host_stream(s, op->api);
    if (e) return e;
    host_used();
    if (op->kind == OP_GRAPH && !map_get(&graphs, op->graph.graph)) return cudaErrorInvalidValue;
    struct CUgraph_st *g = capture_of(s);
    if (g && g->invalid) return cudaErrorStreamCaptureInvalidated;
    op->where = g ? (const char *)g + s->lane : s ? (const void *)s : (const void *)&streams;
    if (g) {
        s->seen[s->lane] = ++g->count[s->lane];
        return graph_add(g, op);
    }
    if (captures && (uintptr_t)s <= 1) {
        host_say("%s: in the legacy default stream, while a stream that it waits for is being captured: that spoils "
                 "the capture", op->api);
        spoil(1);
        return cudaErrorStreamCaptureImplicit;
    }
    return perform(op);
}

int host_copy(const char *api, void *dst, const void *src, size_t n, int kind, CUstream s)
{
    host_op op = { .kind = OP_COPY, .api = api, .copy = { dst, src, n, n, n, n, n, 1, 1, kind } };
    return host_submit(s, &op);
}
int host_copy_2d(const char *api, void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
                 int kind, CUstream s)
{
    host_op op = { .kind = OP_COPY, .api = api, .copy = { dst, src, dpitch, 0, spitch, 0, w, h, 1, kind } };
    if (dpitch < w || spitch < w) return cudaErrorInvalidPitchValue;
    return host_submit(s, &op);
}
int host_set(const char *api, void *dst, size_t pitch, uint32_t v, int unit, size_t w, size_t h, CUstream s)
{
    host_op op = { .kind = OP_SET, .api = api, .set = { dst, pitch, 0, w * (size_t)unit, h, 1, v, unit } };
    return host_submit(s, &op);
}
int host_call(const char *api, void (*fn)(void *), void *data, CUstream s)
{
    host_op op = { .kind = OP_CALL, .api = api, .call = { fn, data } };
    return fn ? host_submit(s, &op) : cudaErrorInvalidValue;
}

int host_launch_attributes(emu_launch_config *c, const CUlaunchAttribute *a, unsigned n, const char *api)
{
    for (unsigned i = 0; i < n; ++i, ++a)
        switch ((int)a->id) {
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
            c->cluster = (emu_dim3){ a->value.clusterDim.x, a->value.clusterDim.y, a->value.clusterDim.z };
            break;
        case CU_LAUNCH_ATTRIBUTE_COOPERATIVE: c->cooperative = a->value.cooperative != 0; break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
            c->pdl = a->value.programmaticStreamSerializationAllowed != 0; break;
        case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT: case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT: {
            /* the kernel is over when the call returns: an event within it is recorded at its beginning */
            CUevent e = (int)a->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ? a->value.programmaticEvent.event
                : a->value.launchCompletionEvent.event;
            int r = host_event(e, api);
            if (r) return r;
            e->recorded = 1; e->when = now();
            break;
        }
        /* where and when blocks run, what stays in caches: no difference to results */
        case CU_LAUNCH_ATTRIBUTE_IGNORE: case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
            case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
        case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE: case CU_LAUNCH_ATTRIBUTE_PRIORITY:
            case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
        case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN: case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
            case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
            break;
        case 17: case 18: {              /* of CUDA 13: PortableClusterSizeMode, SharedMemoryMode */
            int mode;
            memcpy(&mode, &a->value, sizeof mode);
            if (mode < 0 || mode > ((int)a->id == 17 ? 2 : 4)) {
                host_say("%s: %s = %d is not in 0..%d", api, (int)a->id == 17 ? "portableClusterSizeMode"
                         : "sharedMemoryMode", mode, (int)a->id == 17 ? 2 : 4);
                return cudaErrorInvalidValue;
            }
            *((int)a->id == 17 ? &c->cluster_mode : &c->smem_mode) = mode;
            break;
        }
        default:
            host_say("%s: launch attribute %d is not emulated", api, (int)a->id);
            return cudaErrorNotSupported;
        }
    return 0;
}
