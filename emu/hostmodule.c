/* hostmodule.c - modules under both CUDA APIs: what a program registers or loads, its kernels and variables; and what
 * programs ask about kernels and the device before a launch: attributes, occupancy. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fatbin.h"
#include "hostcore.h"

/* ---- Modules ---- */
/* live modules; kernel handles; kernels and variables by host address */
static host_map images, funcs, shadows, shadow_vars;
host_image *host_images;

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
    m->next = host_images; host_images = m;
    host_map_put(&images, m, m);
    host_used();
    return m;
}
int host_image_valid(const void *m) { return host_map_get(&images, m) != NULL; }

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
    host_map_del(&funcs, f);
    if (f->shadow && host_map_get(&shadows, f->shadow) == f) host_map_del(&shadows, f->shadow);
    free(f->name); free(f);
}

int host_image_close(host_image *m)
{
    if (!host_image_valid(m)) return cudaErrorInvalidResourceHandle;
    host_image **p = &host_images;
    while (*p && *p != m) p = &(*p)->next;
    if (*p) *p = m->next;
    host_map_del(&images, m);
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
    host_map_put(&funcs, f, f);
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
    CUfunction f = host_map_get(&shadows, h);
    return f ? f : host_map_get(&funcs, h);
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
        for (CUfunction f = m->funcs; f; f = f->next)
            if (f->shadow) { host_map_del(&shadows, f->shadow); f->shadow = NULL; }
        for (host_var *v = m->vars; v; v = v->next)
            if (v->shadow) { host_map_del(&shadow_vars, v->shadow); v->shadow = NULL; v->managed = NULL; }
    }
    host_unlock();
}

API void __cudaRegisterFunction(void **h, const char *shadow, char *fun, const char *name, int limit, uint3 *tid,
                                uint3 *bid, dim3 *bdim, dim3 *gdim, int *wsize)
{
    (void)fun; (void)limit; (void)tid; (void)bid; (void)bdim; (void)gdim; (void)wsize;
    host_lock();
    CUfunction f = host_image_valid(h) ? func_new((host_image *)h, name, NULL) : NULL;
    if (f) { f->shadow = shadow; host_map_put(&shadows, shadow, f); }
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
        host_map_put(&shadow_vars, shadow, v);
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
    host_var *v = host_map_get(&shadow_vars, symbol);
    /* a managed variable's symbol is the pointer that the host sees, or where it points */
    if (!v) for (host_image *m = host_images; m && !v; m = m->next)
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
