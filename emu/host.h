/* host.h - what the runtime API (host.c) and the driver API (driver.c) share: modules, kernels, streams, memory,
 * errors.
 * Functions named host_ expect host_lock() to be held, and return the number that is both a cudaError_t and a
 * CUresult. */
#ifndef EMU_HOST_H
#define EMU_HOST_H
#define __CUDA_API_PUSH_VISIBILITY_DEFAULT 1
#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#include <cuda_profiler_api.h>
#include <cuda.h>
#include <cudaProfiler.h>
#pragma GCC visibility pop
#if CUDART_VERSION < 13000
#error "tcemu is built with the headers of CUDA 13: some functions have other parameters in CUDA 12"
#endif
#include "device.h"

#define API __attribute__((visibility("default")))
/* name is another name of target: the variants for per-thread default streams, and versions that differ in nothing.
 * Neither name is a macro's (cuda.h renames cuMemAlloc to cuMemAlloc_v2, ...) */
#define ALIAS(name, target)                                                                                           \
    extern __typeof__(target) alias_##name __asm__(#name) __attribute__((alias(#target), visibility("default")));
/* A function that is not emulated: says so once and returns the error "not supported". Its parameters do not matter, so
 * it is defined under a name of its own that does not clash with the header's declaration. */
#define STUB(name) \
    API int stub_##name(void) __asm__(#name); \
    API int stub_##name(void) { static int said; return host_stub(#name, &said); }

void host_lock(void), host_unlock(void);
void host_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));     /* one line "tcemu: ..." on stderr */
int host_stub(const char *name, int *said);
int host_sticky(void);                              /* the error of a kernel that failed: every later call returns it */
/* something that a GPU would have run is not: the exit status must tell */
void host_not_run(void);
int host_in_use(void);
void host_used(void);                               /* the process uses CUDA: print the summary at its end */
const char *host_error_string(int code);            /* NULL: no such code */

/* ---- Modules. One struct is CUmodule, CUlibrary and the handle of a registered fat binary. ---- */
typedef struct host_var {
    struct host_var *next; struct CUmod_st *image;
    /* host address that stands for it, NULL in modules loaded at run time */
    const void *shadow;
    void **managed;                                 /* host's pointer to a __managed__ variable */
    const char *name; size_t host_size;
    void *addr; size_t size;                        /* once loaded */
} host_var;

struct CUmod_st {
    struct CUmod_st *next;
    const void *data; size_t size; char *from;
    emu_module *mod; int error;                     /* loaded, or failed with this error */
    int registered;                                 /* by the program's constructors: loaded at first use */
    struct CUfunc_st *funcs; host_var *vars;
};
typedef struct CUmod_st host_image;

/* One struct is CUfunction, cudaFunction_t, CUkernel and cudaKernel_t. */
struct CUfunc_st {
    struct CUfunc_st *next; host_image *image;
    const void *shadow; char *name;
    emu_kernel *k; int missing;
    emu_dim3 cluster; int must_cluster, policy, carveout;
};

host_image *host_image_new(const void *data, size_t size, const char *from);
int host_image_load(host_image *m);
int host_image_open(host_image **m, const void *data, size_t size, const char *from);  /* new and load */
int host_image_file(host_image **m, const char *file);
int host_image_close(host_image *m);
int host_image_valid(const void *m);
int host_image_kernel(CUfunction *f, host_image *m, const char *name);
int host_image_kernel_n(CUfunction *f, host_image *m, unsigned i);
int host_image_global(void **addr, size_t *size, host_image *m, const char *name);
int host_symbol(void **addr, size_t *size, const void *symbol, const char *api);   /* of a host shadow variable */
CUfunction host_func_find(const void *handle_or_shadow);
int host_func(CUfunction *f, const void *handle_or_shadow);        /* finds and loads */
/* for a launch: one that cannot be loaded counts as not run */
int host_func_launch(CUfunction *f, const void *handle_or_shadow);

int host_func_get(CUfunction f, int attribute, int *v);            /* CU_FUNC_ATTRIBUTE_* */
int host_func_set(CUfunction f, int attribute, int v, const char *api);
int host_param_info(CUfunction f, size_t i, size_t *offset, size_t *size);
int host_device_attribute(int *v, int attribute);
int host_occupancy(int *blocks, CUfunction f, int threads, size_t smem);
int host_occupancy_smem(size_t *smem, CUfunction f, int blocks, int threads);
/* max_size: the largest possible size instead */
int host_clusters(int *n, CUfunction f, emu_launch_config c, int max_size);
/* Reads launch attributes; events and priorities included. api names the caller in messages. */
int host_launch_attributes(emu_launch_config *c, const CUlaunchAttribute *a, unsigned n, const char *api);

/* ---- Work: what streams carry. It is performed at once, or becomes part of the graph that the stream captures.
 * ---- */
typedef struct host_op {
    struct host_op *next;
    enum { OP_LAUNCH, OP_COPY, OP_SET, OP_CALL, OP_RECORD, OP_GRAPH } kind;
    const char *api;
    const void *where;                              /* the stream, or its lane in a graph */
    union {
        struct { CUfunction f; emu_launch_config c; void **args; const void *packed; size_t size; } launch;
        /* bytes */
        struct {
            char *dst; const char *src; size_t dpitch, dslice, spitch, sslice, width, height, depth; int kind;
        } copy;
        /* width in bytes */
        struct { char *dst; size_t pitch, slice, width, height, depth; uint32_t value; int unit; } set;
        struct { void (*fn)(void *); void *data; } call;
        struct { struct CUevent_st *event; } record;
        struct { struct CUgraph_st *graph; } graph;
    };
} host_op;
int host_submit(CUstream s, host_op *op);
int host_copy(const char *api, void *dst, const void *src, size_t n, int kind, CUstream s);
int host_copy_2d(const char *api, void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
                 int kind, CUstream s);
/* w in units */
int host_set(const char *api, void *dst, size_t pitch, uint32_t v, int unit, size_t w, size_t h, CUstream s);
int host_call(const char *api, void (*fn)(void *), void *data, CUstream s);

/* A capture numbers its streams (lanes) and counts what each has added; seen: what comes before the stream's or the
 * event's place */
enum { HOST_LANES = 32 };
struct CUstream_st {
    unsigned flags; int priority; unsigned long long id; struct CUgraph_st *capture; int origin, mode, lane;
    unsigned seen[HOST_LANES];
};
struct CUevent_st {
    unsigned flags; int recorded; uint64_t when; struct CUgraph_st *capture; unsigned long long capture_id;
    unsigned seen[HOST_LANES];
};
struct CUgraph_st {
    host_op *first, **last; size_t n; int refs; unsigned long long id;
    /* the capture: it has ended; a mistake spoilt it */
    int over, invalid, lanes; unsigned count[HOST_LANES];
};
int host_stream(CUstream s, const char *api);       /* 0 if it is a stream */
int host_stream_new(CUstream *s, unsigned flags, int priority);
int host_stream_free(CUstream s, const char *api);
int host_stream_wait(CUstream s, CUevent e, const char *api);
int host_stream_sync(CUstream s, const char *api);
int host_device_sync(const char *api);
int host_event_new(CUevent *e, unsigned flags);
int host_event_free(CUevent e);
int host_event(CUevent e, const char *api);
int host_event_sync(CUevent e, const char *api);
int host_event_record(CUevent e, CUstream s, const char *api);
int host_event_elapsed(float *ms, CUevent a, CUevent b, const char *api);
int host_capture_begin(CUstream s, int mode);
int host_capture_end(CUstream s, struct CUgraph_st **g);
int host_capture_info(CUstream s, int *status, unsigned long long *id, struct CUgraph_st **g);
int host_graph_new(struct CUgraph_st **g);
int host_graph_ref(struct CUgraph_st **exec, struct CUgraph_st *g);
int host_graph_free(struct CUgraph_st *g);
int host_graph_nodes(struct CUgraph_st *g, host_op **node, size_t *n);      /* node NULL: only how many */
int host_graph_node_type(const host_op *node, int *type);                   /* cudaGraphNodeType */

/* ---- Memory ---- */
enum { M_NONE, M_DEVICE, M_HOST, M_MANAGED, M_REGISTERED };
int host_malloc(void **p, size_t n, int kind, unsigned flags, const char *api);
int host_malloc_pitch(void **p, size_t *pitch, size_t w, size_t h, const char *api);
int host_free(void *p, int host, const char *api);
int host_register(void *p, size_t n, unsigned flags, const char *api);
int host_unregister(void *p, const char *api);
int host_region(uint64_t addr, uint64_t *base, uint64_t *size, unsigned *flags);  /* M_* */
void host_mem_info(size_t *free, size_t *total);
int host_pool_get(void *value, int attribute);
int host_pool_set(const void *value, int attribute);
int host_limit(int limit, size_t *get, size_t set);
int host_reset(void);
#define HOST_POOL ((void *)&host_pool)
extern char host_pool;

/* ---- The driver's side ---- */
void *driver_symbol(const char *name, int version);                /* NULL: there is no such function */
/* the runtime API makes the primary context current */
void driver_use_primary(void);
#endif
