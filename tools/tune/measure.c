/* measure.c - a shape's trials: data, the comparison with the reference, then graphs of calls, both sides of a ratio
 * in turns. The driver alone is asked; nothing here needs the CUDA runtime. */
#include "measure.h"
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

driver cu;
static void *driver_library;

/* ---- the driver ---- */
void cu_must(CUresult e, const char *what)
{
    const char *text = NULL;
    if (e == CUDA_SUCCESS) return;
    if (cu.GetErrorString) cu.GetErrorString(e, &text);
    tune_fail(1, "%.*s: %s", (int)strcspn(what, "("), what, text ? text : "an error without a name");
}

static const char *said(CUresult e)
{
    const char *text = NULL;
    return cu.GetErrorString(e, &text) == CUDA_SUCCESS && text ? text : "an error without a name";
}

static int driver_open(char *why, size_t size)
{
    static const int versions[] = {1, 0};
    request here;
    memset(&here, 0, sizeof here);
    driver_library = library_open(&here, "libcuda.so", versions, why, size);
    if (!driver_library) return tune_print(why, size, "no libcuda.so.1: there is no NVIDIA driver"), 0;
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define LOAD(name)                                                                                                     \
    {                                                                                                                  \
        void *found = library_find(driver_library, TEXT(cu##name));                                                    \
        if (!found) return tune_print(why, size, "this driver has no " TEXT(cu##name)), 0;                             \
        memcpy((void *)&cu.name, &found, sizeof found);                                                                \
    }
    DRIVER_FUNCTIONS(LOAD)
    return 1;
}

/* What tc_tma.h asks of the runtime. */
cudaError_t tune_entry_point(const char *name, void **found, unsigned version, unsigned long long flags,
                             enum cudaDriverEntryPointQueryResult *result)
{
    (void)version, (void)flags;
    *found = driver_library ? library_find(driver_library, name) : NULL;
    *result = *found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    return cudaSuccess;
}
const char *tune_error_string(cudaError_t e) { return e == cudaSuccess ? "not found" : "an error"; }
cudaError_t tune_get_device(int *device) { return *device = 0, cudaSuccess; }
cudaError_t tune_set_device(int device) { return (void)device, cudaErrorNoDevice; }

static int attribute(CUdevice d, CUdevice_attribute a)
{
    int value = 0;
    return cu.DeviceGetAttribute(&value, a, d) == CUDA_SUCCESS ? value : 0;
}

static device look(void)
{
    device x;
    CUdevice d;
    CUresult e;
    int count = 0;
    memset(&x, 0, sizeof x);
    if (!driver_open(x.why, sizeof x.why)) return x;
    e = cu.Init(0);
    if (e == CUDA_SUCCESS) e = cu.DeviceGetCount(&count);
    if (e == CUDA_SUCCESS && count == 0) e = CUDA_ERROR_NO_DEVICE;
    if (e == CUDA_SUCCESS) e = cu.DeviceGet(&d, 0);
    if (e == CUDA_SUCCESS) e = cu.DeviceGetName(x.name, sizeof x.name, d);
    if (e != CUDA_SUCCESS) return tune_print(x.why, sizeof x.why, "%.200s", said(e)), x;
    x.cc = 10 * attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
           + attribute(d, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    x.sms = attribute(d, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    x.l2 = (size_t)attribute(d, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    x.emulated = strstr(x.name, "tcemu") != NULL;
    x.present = 1;
    return x;
}

/* Asked in a process of its own: the compilers' processes come from this one, which then has no driver in it yet. */
device measure_device(void)
{
    device x;
    int ends[2], status;
    pid_t pid;
    memset(&x, 0, sizeof x);
    tune_print(x.why, sizeof x.why, "the driver did not answer");
    fflush(NULL);
    if (pipe(ends) != 0 || (pid = fork()) < 0) return x;
    if (pid == 0) {
        x = look();
        _exit(write(ends[1], &x, sizeof x) != (ssize_t)sizeof x);
    }
    close(ends[1]);
    if (read(ends[0], &x, sizeof x) != (ssize_t)sizeof x) x.present = 0;
    close(ends[0]);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {}
    return x;
}

/* ---- kernels ---- */
typedef struct loaded {
    const request *r;
    const kernel *k;
    CUmodule module;
    CUfunction function, any; /* any: the sm_80 kernel's twin for rows of any alignment */
    int clusters;             /* that run at a time */
} loaded;

/* A compiled file's bytes, ended by a 0. */
static char *bytes_of(const kernel *k, const char *end)
{
    char path[PATH_SIZE], *bytes = NULL;
    long size = -1;
    FILE *f;
    tune_print(path, sizeof path, "%s.%s", k->path, end);
    f = fopen(path, "rb");
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size > 0 && fseek(f, 0, SEEK_SET) == 0) {
        bytes = (char *)tune_alloc((size_t)size + 1);
        if (fread(bytes, 1, (size_t)size, f) != (size_t)size) free(bytes), bytes = NULL;
    }
    if (f) fclose(f);
    return bytes;
}

/* Machine code; PTX where that does not load: tcemu runs no other. */
static CUresult module_load(const request *r, const kernel *k, CUmodule *out)
{
    CUresult e = CUDA_ERROR_FILE_NOT_FOUND;
    const char *ends[2] = {"cubin", "ptx"};
    int i;
    for (i = r->dev.emulated; i < 2 && e != CUDA_SUCCESS; i++) {
        char *bytes = bytes_of(k, ends[i]);
        if (bytes) e = cu.ModuleLoadData(out, bytes);
        free(bytes);
    }
    return e;
}

typedef struct geometry {
    unsigned grid, block, smem, cluster;
} geometry;

static void config_of(CUlaunchConfig *l, CUlaunchAttribute *cluster, geometry g)
{
    memset(l, 0, sizeof *l);
    memset(cluster, 0, sizeof *cluster);
    l->gridDimX = g.grid, l->gridDimY = l->gridDimZ = 1;
    l->blockDimX = g.block, l->blockDimY = l->blockDimZ = 1;
    l->sharedMemBytes = g.smem;
    l->hStream = cu.stream;
    if (g.cluster < 2) return;
    cluster->id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster->value.clusterDim.x = g.cluster;
    cluster->value.clusterDim.y = cluster->value.clusterDim.z = 1;
    l->attrs = cluster;
    l->numAttrs = 1;
}

static CUresult start(CUfunction f, geometry g, void *params)
{
    void *arguments[1];
    CUlaunchConfig l;
    CUlaunchAttribute cluster;
    arguments[0] = params;
    config_of(&l, &cluster, g);
    return cu.LaunchKernelEx(&l, f, arguments, NULL);
}

static const char *kernel_load(loaded *x, const request *r, const kernel *k)
{
    const tc_gemm_config c = candidate_complete(k);
    const int smem = candidate_smem(k);
    geometry g = {1, 128, 0, 1};
    CUlaunchConfig l;
    CUlaunchAttribute cluster;
    CUresult e;
    memset(x, 0, sizeof *x);
    x->r = r;
    x->k = k;
    e = module_load(r, k, &x->module);
    if (e == CUDA_SUCCESS) e = cu.ModuleGetFunction(&x->function, x->module, "tune_gemm");
    if (e == CUDA_SUCCESS && k->gen == 80) e = cu.ModuleGetFunction(&x->any, x->module, "tune_gemm_any");
    if (e == CUDA_SUCCESS) e = cu.FuncSetAttribute(x->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, smem);
    if (e == CUDA_SUCCESS && x->any)
        e = cu.FuncSetAttribute(x->any, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, smem);
    x->clusters = r->dev.sms;
    if (e == CUDA_SUCCESS && k->gen == 90 && !c.step && c.cluster_m * c.cluster_n * c.cluster_k > 1) {
        g.cluster = g.grid = (unsigned)(c.cluster_m * c.cluster_n * c.cluster_k);
        g.block = (unsigned)tc_gemm_sm90_threads(c);
        g.smem = (unsigned)smem;
        config_of(&l, &cluster, g);
        e = cu.OccupancyMaxActiveClusters(&x->clusters, x->function, &l);
        if (e == CUDA_SUCCESS && x->clusters < 1) return "no cluster of it fits on the device";
    }
    return e == CUDA_SUCCESS ? NULL : said(e);
}

static CUdeviceptr workspace; /* for split k: calls follow one another, so one serves all */

static tc_gemm_args arguments_of(const request *r, const operands *o, int set, const unsigned char *hook)
{
    const size_t i = (size_t)(set % o->sets);
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = o->s.m, g.n = o->s.n, g.k = o->s.k;
    g.a = (const void *)(uintptr_t)(o->a + i * o->a_size), g.lda = g.k;
    g.b = (const void *)(uintptr_t)(o->b + i * o->b_size), g.ldb = g.k;
    g.d = (void *)(uintptr_t)(o->d + i * o->d_size), g.ldd = g.n;
    g.workspace = (void *)(uintptr_t)workspace, g.workspace_size = TUNE_WORKSPACE;
    if (r->epi.given && r->epi.size > 0) g.epi_args = hook, g.epi_size = (size_t)r->epi.size;
    return g;
}

static const char *kernel_call(void *self, const operands *o, int set)
{
    const loaded *x = (const loaded *)self;
    unsigned char hook[TC_EPI_MAX];
    tc_gemm_args args;
    CUresult e;
    hook_fill(&x->r->epi, o->s, o->zeros, hook);
    args = arguments_of(x->r, o, set, hook);
    if (x->k->gen == 90) {
        tc_gemm_sm90_launch l;
        geometry g;
        if (tc_gemm_sm90_prepare(&x->k->c, &args, x->clusters, &l) != TC_OK) return tc_why();
        g.grid = l.grid, g.block = l.block, g.smem = l.smem, g.cluster = l.cluster;
        e = start(x->function, g, &l.params);
    } else {
        tc_gemm_sm80_launch l;
        geometry g;
        if (tc_gemm_sm80_prepare(&x->k->c, &args, x->clusters, &l) != TC_OK) return tc_why();
        g.grid = l.grid, g.block = l.block, g.smem = l.smem, g.cluster = l.cluster;
        e = start(l.any ? x->any : x->function, g, &l.params);
    }
    return e == CUDA_SUCCESS ? NULL : said(e);
}

/* ---- graphs ---- */
static CUevent events[2];

static double elapsed(void)
{
    float ms = 0;
    CU(EventSynchronize(events[1]));
    CU(EventElapsedTime(&ms, events[0], events[1]));
    return ms * 1e-3;
}

static int emulated; /* then a call is enough */

static const char *capture(side *out, call_fn call, void *self, const operands *o)
{
    CUgraph graph = NULL;
    const char *why = NULL;
    int i;
    CU(StreamBeginCapture(cu.stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    for (i = 0; i < out->calls && !why; i++) why = call(self, o, i);
    CU(StreamEndCapture(cu.stream, &graph));
    if (!why) {
        CU(GraphInstantiate(&out->graph, graph, 0));
        CU(GraphLaunch(out->graph, cu.stream));
        CU(StreamSynchronize(cu.stream));
    }
    if (graph) CU(GraphDestroy(graph));
    return why;
}

const char *side_make(side *out, call_fn call, void *self, const operands *o, double seconds)
{
    const char *why = NULL;
    int tries, i;
    memset(out, 0, sizeof *out);
    for (i = 0; i < 2 && !why; i++) why = call(self, o, i);
    if (why) return why;
    /* every set once, so that what the graph begins with has left the L2 when it ends; then as many as take long
     * enough */
    out->calls = emulated ? 2 : o->sets;
    for (tries = 0; tries < 2; tries++) {
        double one;
        why = capture(out, call, self, o);
        if (why || emulated) return why;
        one = side_time(out);
        if (one * out->calls > 0.7 * seconds || out->calls == MOST_CALLS) break;
        if (tries) break;
        i = one > 0 && seconds / one < MOST_CALLS ? (int)(seconds / one) : MOST_CALLS;
        side_free(out);
        out->calls = i > o->sets ? i : o->sets;
    }
    return why;
}

double side_time(const side *s)
{
    CU(EventRecord(events[0], cu.stream));
    CU(GraphLaunch(s->graph, cu.stream));
    CU(EventRecord(events[1], cu.stream));
    return elapsed() / s->calls;
}

void side_free(side *s)
{
    if (s->graph) CU(GraphExecDestroy(s->graph));
    memset(s, 0, sizeof *s);
}

/* ---- the reference ---- */
typedef struct reference_params { /* tune_params of compile.c */
    int m, n, k, rows, row_step;
    CUdeviceptr a, b, d;
    TC_ALIGN(16) unsigned char epi[TC_EPI_MAX];
} reference_params;

static CUfunction reference_run, reference_compare, reference_fill;
static int blas_here;
static char blas_why[TEXT_SIZE];

void measure_start(const request *r, kernel *reference)
{
    char why[TEXT_SIZE];
    CUdevice d;
    CUcontext context;
    CUmodule module;
    if (!driver_open(why, sizeof why)) tune_fail(1, "%s", why);
    emulated = r->dev.emulated;
    CU(Init(0));
    CU(DeviceGet(&d, 0));
    CU(DevicePrimaryCtxRetain(&context, d));
    CU(CtxSetCurrent(context));
    CU(StreamCreate(&cu.stream, CU_STREAM_NON_BLOCKING));
    CU(EventCreate(&events[0], 0));
    CU(EventCreate(&events[1], 0));
    CU(MemAlloc(&workspace, TUNE_WORKSPACE));
    CU(MemsetD8Async(workspace, 0, TUNE_WORKSPACE, cu.stream));
    cu_must(module_load(r, reference, &module), "the reference does not load");
    CU(ModuleGetFunction(&reference_run, module, "tune_reference"));
    CU(ModuleGetFunction(&reference_compare, module, "tune_compare"));
    CU(ModuleGetFunction(&reference_fill, module, "tune_fill"));
    if (r->no_cublas || (emulated && !r->cuda)) return; /* its kernels are machine code, which tcemu does not run */
    blas_here = cublas_open(r, blas_why, sizeof blas_why);
    if (!blas_here) fprintf(stderr, "tc_tune: no cuBLASLt (%s): ratios are to the first candidate\n", blas_why);
}

static CUresult launch_plain(CUfunction f, unsigned gx, unsigned gy, void **arguments)
{
    CUlaunchConfig l;
    memset(&l, 0, sizeof l);
    l.gridDimX = gx, l.gridDimY = gy, l.gridDimZ = 1;
    l.blockDimX = 256, l.blockDimY = l.blockDimZ = 1;
    l.hStream = cu.stream;
    return cu.LaunchKernelEx(&l, f, arguments, NULL);
}

static void fill(CUdeviceptr p, size_t bytes, unsigned long long seed, int exact)
{
    unsigned long long count = bytes / 2;
    void *arguments[4];
    arguments[0] = &p, arguments[1] = &count, arguments[2] = &seed, arguments[3] = &exact;
    cu_must(launch_plain(reference_fill, emulated ? 2 : 1024, 1, arguments), "random numbers");
}

/* D of set 0 against the reference's: NULL, or what is wrong. */
static void compare(trial *t, reference_params *p, CUdeviceptr got, CUdeviceptr found)
{
    unsigned long long said_of[2] = {0, 0};
    void *arguments[3];
    CUresult e;
    arguments[0] = p, arguments[1] = &got, arguments[2] = &found;
    e = launch_plain(reference_compare, emulated ? 2 : 1024, 1, arguments);
    if (e == CUDA_SUCCESS) e = cu.MemcpyDtoHAsync(said_of, found, sizeof said_of, cu.stream);
    if (e == CUDA_SUCCESS) e = cu.StreamSynchronize(cu.stream);
    cu_must(e, "the comparison with the reference");
    if (!said_of[0]) return;
    t->wrong = 1;
    tune_print(t->why, sizeof t->why,
               "WRONG: %llu elements differ from the reference, the first at row %llu, column %llu", said_of[0],
               said_of[1] / (unsigned long long)p->n, said_of[1] % (unsigned long long)p->n);
}

static void check_all(const request *r, trials *t, loaded *x, const operands *o)
{
    const double flops = 2.0 * o->s.m * o->s.n * o->s.k;
    const size_t element = (size_t)tc_type_bits(r->d) / 8;
    reference_params p;
    CUdeviceptr found;
    void *arguments[1];
    CUresult e;
    int i;
    memset(&p, 0, sizeof p);
    p.m = o->s.m, p.n = o->s.n, p.k = o->s.k;
    /* of a very large product some rows, an odd number apart, so that they meet every row of a tile */
    p.row_step = flops > 4e12 ? (int)(flops / 4e12) * 2 + 1 : 1;
    while (p.m / p.row_step >= 64 * 65535) p.row_step += 2; /* a grid has no more blocks along y */
    p.rows = (p.m + p.row_step - 1) / p.row_step;
    p.a = o->a, p.b = o->b;
    CU(MemAlloc(&found, 16));
    cu_must(cu.MemAlloc(&p.d, (size_t)p.rows * (size_t)p.n * element), "cuMemAlloc");
    hook_fill(&r->epi, o->s, o->zeros, p.epi);
    fill(o->a, o->a_size, 1, 1);
    fill(o->b, o->b_size, 2, 1);
    arguments[0] = &p;
    e = launch_plain(reference_run, (unsigned)(p.n + 63) / 64, (unsigned)(p.rows + 63) / 64, arguments);
    if (e == CUDA_SUCCESS) e = cu.StreamSynchronize(cu.stream);
    if (e != CUDA_SUCCESS && r->epi.given)
        tune_fail(1, "%s: a kernel with this hook fails: %s; pointers among its arguments want --epi-args (--help)",
                  r->epi.given, said(e));
    cu_must(e, "the reference");
    for (i = 0; i < t->count; i++) {
        const char *why;
        report_progress("checking", i, t->count, t->t[i].k->fields);
        if (t->t[i].k->state != KERNEL_READY) {
            tune_print(t->t[i].why, sizeof t->t[i].why, "%s", t->t[i].k->why);
            continue;
        }
        if (tune_stopped) tune_fail(130, "stopped");
        CU(MemsetD8Async(o->d, 0xff, o->d_size, cu.stream));
        CU(MemsetD8Async(found, 0, 8, cu.stream));
        CU(MemsetD8Async(found + 8, 0xff, 8, cu.stream));
        why = kernel_load(&x[i], r, t->t[i].k);
        if (!why) why = kernel_call(&x[i], o, 0);
        if (why) {
            tune_print(t->t[i].why, sizeof t->t[i].why, "does not run: %.400s", why);
            continue;
        }
        e = cu.StreamSynchronize(cu.stream);
        if (e != CUDA_SUCCESS)
            tune_fail(1, "%s(%s) fails: %s", candidate_generator(t->t[i].k), t->t[i].k->fields, said(e));
        compare(&t->t[i], &p, o->d, found);
    }
    CU(MemFree(found));
    CU(MemFree(p.d));
}

/* ---- a shape ---- */
static size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

static operands operands_make(const request *r, shape s)
{
    operands o;
    size_t set, room = 0, all = 0, want, more;
    memset(&o, 0, sizeof o);
    o.s = s;
    o.a_size = padded((size_t)s.m * (size_t)s.k * 2);
    o.b_size = padded((size_t)s.n * (size_t)s.k * 2);
    o.d_size = padded((size_t)s.m * (size_t)s.n * (size_t)tc_type_bits(r->d) / 8);
    set = o.a_size + o.b_size + o.d_size;
    want = emulated ? 2 : 3 * r->dev.l2 / set + 2;
    CU(MemGetInfo(&room, &all));
    /* the reference's D, a hook's zeros and cuBLASLt's workspace besides */
    more = 3 * o.d_size + (128u << 20);
    if (set + more > room / 10 * 9)
        tune_fail(1, "%d x %d x %d: %.1f GB of operands are too many for the %.1f GB that are free", s.m, s.n, s.k,
                  (double)(set + more) * 1e-9, (double)room * 1e-9);
    if (want > (room / 10 * 9 - more) / set) want = (room / 10 * 9 - more) / set;
    o.sets = want > MOST_CALLS ? MOST_CALLS : (int)want;
    CU(MemAlloc(&o.a, o.a_size * (size_t)o.sets));
    CU(MemAlloc(&o.b, o.b_size * (size_t)o.sets));
    CU(MemAlloc(&o.d, o.d_size * (size_t)o.sets));
    if (r->epi.words) {
        const size_t size = padded((size_t)s.m * (size_t)s.n * 4 + (size_t)s.k * 4);
        CU(MemAlloc(&o.zeros, size));
        CU(MemsetD8Async(o.zeros, 0, size, cu.stream));
    }
    return o;
}

static int by_value(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static void settle(trial *t)
{
    double x[MOST_ROUNDS];
    const int n = t->rounds;
    memcpy(x, t->time, sizeof x);
    qsort(x, (size_t)n, sizeof *x, by_value);
    t->median_time = 0.5 * (x[(n - 1) / 2] + x[n / 2]);
    memcpy(x, t->ratio, sizeof x);
    qsort(x, (size_t)n, sizeof *x, by_value);
    t->median_ratio = 0.5 * (x[(n - 1) / 2] + x[n / 2]);
    t->low = x[n / 4];
    t->high = x[n - 1 - n / 4];
}

/* Rounds until the time is over: in each every candidate that is still of interest, beside the other side, which goes
 * first in one round and last in the next. Who is far behind after three rounds has lost, and leaves its time to the
 * others. */
static void rounds(const request *r, trials *t, const side *base, const side *s)
{
    const double began = tune_now();
    const int least = emulated ? 1 : 3;
    double base_time[MOST_ROUNDS], best = 0;
    int round, i, done = 0;
    for (round = 0; round < MOST_ROUNDS && !done; round++) {
        double sum = 0;
        int sides = 0;
        for (i = 0; i < t->count; i++) {
            trial *x = &t->t[i];
            double theirs, ours;
            if (!s[i].graph || x->asleep) continue;
            report_progress("measuring", (int)(1000 * (tune_now() - began) / r->seconds), 1000, x->k->fields);
            if (tune_stopped) tune_fail(130, "stopped");
            if (round % 2) ours = side_time(&s[i]), theirs = side_time(base);
            else theirs = side_time(base), ours = side_time(&s[i]);
            x->time[x->rounds] = ours;
            x->ratio[x->rounds++] = ours > 0 ? theirs / ours : 0;
            sum += theirs;
            sides++;
        }
        if (!sides) break;
        base_time[round] = sum / sides;
        for (i = 0; i < t->count; i++)
            if (t->t[i].rounds) {
                settle(&t->t[i]);
                if (t->t[i].median_ratio > best) best = t->t[i].median_ratio;
            }
        for (i = 0; i < t->count; i++) t->t[i].asleep = round + 1 >= least && t->t[i].median_ratio < 0.9 * best;
        done = (round + 1 >= least && tune_now() - began >= r->seconds) || emulated;
    }
    if (round) {
        qsort(base_time, (size_t)round, sizeof *base_time, by_value);
        t->cublas_time = 0.5 * (base_time[(round - 1) / 2] + base_time[round / 2]);
    }
    t->tried_s = tune_now() - began;
}

void measure_shape(const request *r, trials *t)
{
    operands o = operands_make(r, t->s);
    loaded *x = (loaded *)tune_alloc(sizeof *x * (size_t)t->count);
    side *s = (side *)tune_alloc(sizeof *s * (size_t)t->count), blas = {NULL, 0};
    const side *base = NULL;
    int i;
    check_all(r, t, x, &o);
    fill(o.a, o.a_size * (size_t)o.sets, 3, 0);
    fill(o.b, o.b_size * (size_t)o.sets, 4, 0);
    for (i = 0; i < t->count; i++) {
        const char *why = NULL;
        report_progress("preparing", i, t->count, t->t[i].k->fields);
        if (tune_stopped) tune_fail(130, "stopped");
        if (!*t->t[i].why) why = side_make(&s[i], kernel_call, &x[i], &o, 8e-3);
        if (why) tune_print(t->t[i].why, sizeof t->t[i].why, "does not run: %.400s", why);
    }
    if (blas_here) {
        const char *why = cublas_start(r, &o);
        if (!why) why = side_make(&blas, cublas_call, NULL, &o, 8e-3);
        if (why) report_clear(), fprintf(stderr, "tc_tune: %s: ratios are to the first candidate\n", why);
        else base = &blas, t->cublas = 1;
    }
    for (i = 0; i < t->count && !base; i++)
        if (s[i].graph) base = &s[i];
    if (base) rounds(r, t, base, s);
    report_clear();
    for (i = 0; i < t->count; i++) {
        side_free(&s[i]);
        if (x[i].module) CU(ModuleUnload(x[i].module));
    }
    side_free(&blas);
    if (blas_here) cublas_stop();
    CU(MemFree(o.a));
    CU(MemFree(o.b));
    CU(MemFree(o.d));
    if (o.zeros) CU(MemFree(o.zeros));
    free(x);
    free(s);
}
