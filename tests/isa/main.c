/* main.c - runs the table of instructions (see isa.h).
 *     isa [options] all | family... | row id...
 *     --table FILE      default tests/isa/variants.tsv
 *     --cover FILE      appends a line for each row of the table that was asked for: id, variants, run, failed
 *     --seen sm_80,...  leaves out the rows that these devices have run already
 *     --leave WORD      leaves out rows newer than PTX 9.0 whose family begins so: tcemu does not have them yet
 *     --must-fail FILE  the forms that must be refused, and beside each one that must not be
 *     --seed N          default 1
 *     --dump DIR        writes each module's text there
 *     --variant N       only the N-th variant of the rows
 *     --modules N       cases of one module, default 50
 *     --omit 1          leaves the instruction out of each kernel: what passes then would not notice if it did nothing
 * Runs the rows that the present device has; a variant is one check. */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <stdarg.h>
#include <unistd.h>
#include <fcntl.h>
#include "../test.h"
#include "isa.h"

int isa_sm, isa_emulated;
char isa_suffix;
static void *lib;
static const char *dump_dir;
static uint64_t seed = 1, state;
static int batch_size = 50, only_variant = -1, omit, ptx_major = 9, ptx_minor = 0, driver_ptx;
static isa_family *families;

void isa_register(isa_family *f) { f->next = families; families = f; }
void *isa_driver(const char *name) { return dlsym(lib, name); }

/* ---- The driver's entries ---- */
#define API(X)                                                                                                        \
    X(cuInit) X(cuDriverGetVersion) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceGetAttribute)                         \
    X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxReset) X(cuCtxSetCurrent) X(cuCtxSynchronize)                     \
    X(cuModuleLoadDataEx) X(cuModuleUnload) X(cuModuleGetFunction) X(cuFuncSetAttribute) X(cuMemAlloc) X(cuMemFree)   \
    X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuLaunchKernelEx) X(cuGetErrorName)
#define STR(x) STR_(x)
#define STR_(x) #x
#define DECLARE(f) static __typeof__(&f) p_##f;
#define LOAD(f)                                                                                                       \
    p_##f = (__typeof__(&f))dlsym(lib, STR(f));                                                                       \
    if (!p_##f) { fprintf(stderr, "the driver has no %s\n", STR(f)); exit(2); }
API(DECLARE)

static const char *error_name(CUresult e)
{
    const char *s = "?";
    p_cuGetErrorName(e, &s);
    return s;
}
#define DRV(call)                                                                                                     \
    do { CUresult e_ = (call); if (e_) { fprintf(stderr, "%s: %s\n", #call, error_name(e_)); exit(2); } } while (0)

static CUdevice device;
static CUcontext context;

static void open_device(void)
{
    lib = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!lib) { fprintf(stderr, "no libcuda.so.1 here; run me in tcemu\n"); exit(2); }
    API(LOAD)
    DRV(p_cuInit(0));
    DRV(p_cuDeviceGet(&device, 0));
    int major, minor, version;
    DRV(p_cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    DRV(p_cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    char name[256];
    DRV(p_cuDeviceGetName(name, sizeof name, device));
    isa_sm = major * 10 + minor;
    isa_suffix = isa_sm >= 90 ? 'a' : 0;
    int sm; char suffix = ' ';
    if (sscanf(name, "tcemu sm_%d%c", &sm, &suffix) == 2) { isa_emulated = 1; isa_suffix = suffix == 'a' ? 'a' : 0; }
    DRV(p_cuDriverGetVersion(&version));
    /* CUDA 12.8 brought PTX 8.7; 12.9, 8.8 */
    if (version < 13000) { ptx_major = 8; ptx_minor = (version % 1000) / 10 - 1; }
    /* 900 for CUDA 13.0 */
    driver_ptx = version < 13000 ? ptx_major * 100 + ptx_minor : (version / 1000 - 4) * 100 + version % 1000 / 10;
    DRV(p_cuDevicePrimaryCtxRetain(&context, device));
    DRV(p_cuCtxSetCurrent(context));
}

/* After a kernel failed nothing in the context can be used any more */
static void reset_device(void)
{
    DRV(p_cuDevicePrimaryCtxReset(device));
    DRV(p_cuDevicePrimaryCtxRetain(&context, device));
    DRV(p_cuCtxSetCurrent(context));
}

/* ---- Random numbers ---- */
uint64_t isa_random(void)
{
    state ^= state >> 12; state ^= state << 25; state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull >> 16 | state << 48;
}
int isa_int(int lo, int hi)
{
    return lo + (int)((isa_random() >> 8 & 0xffffffffffull) % (uint64_t)((int64_t)hi - lo + 1));
}
double isa_uniform(double lo, double hi)
{
    return lo + (hi - lo) * (double)(isa_random() >> 11 & 0x1fffffffffffffull) / 9007199254740992.0;
}
static void seed_variant(const isa_variant *v)
{
    uint64_t h = 1469598103934665603ull;
    for (const char *s = v->row->id; *s; s++) h = (h ^ (uint8_t)*s) * 1099511628211ull;
    state = (h + (uint64_t)v->index * 0x9e3779b97f4a7c15ull) ^ seed * 0xbf58476d1ce4e5b9ull;
    if (!state) state = 1;
    for (int i = 0; i < 8; i++) isa_random();
}

/* ---- The table ---- */
static isa_row *rows;
static int nrows;

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) { perror(path); exit(2); }
    fseek(f, 0, SEEK_END);
    long n = ftell(f);
    rewind(f);
    char *s = malloc((size_t)n + 1);
    if (fread(s, 1, (size_t)n, f) != (size_t)n) { perror(path); exit(2); }
    s[n] = 0;
    fclose(f);
    return s;
}

/* Splits a line at tabs; returns the number of fields */
static int fields(char *line, char **f, int max)
{
    int n = 0;
    for (char *s = line; s && n < max; ) {
        f[n++] = s;
        s = strchr(s, '\t');
        if (s) *s++ = 0;
    }
    return n;
}

/* 903 of "9.3" */
static int version_of(const char *s)
{
    int major = 0, minor = 0;
    sscanf(s, "%d.%d", &major, &minor);
    return major * 100 + minor;
}

static int newer;                       /* rows that this driver is too old for */
static void read_table(const char *path, const char *leave)
{
    char *save, *text = read_file(path);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (*line == '#') continue;
        char *f[9];
        int n = fields(line, f, 9);
        if (n < 8) { fprintf(stderr, "%s: a row without 8 columns: %s\n", path, line); exit(2); }
        const int ptx = n == 9 && version_of(f[8]) > 900 ? version_of(f[8]) : 900;
        if (n == 9 && *leave && !strncmp(f[1], leave, strlen(leave))) continue;
        if (ptx > driver_ptx && !isa_emulated) { newer++; continue; }
        /* they need several GPUs and their driver's objects */
        if (!isa_emulated && (!strncmp(f[1], "multimem", 8) || !strcmp(f[1], "fabric"))) { newer++; continue; }
        rows = realloc(rows, (size_t)(nrows + 1) * sizeof *rows);
        rows[nrows++] = (isa_row){ .id = f[0], .family = f[1], .targets = f[2], .count = atoi(f[3]), .mnemonic = f[4],
                                   .ops = f[5], .sweep = f[6], .note = f[7], .ptx = ptx };
    }
}

/* Does a device have the row? "sm_80+", or a list like "100f,100a,103a" */
static int fits(const char *targets, int sm, char suffix)
{
    int least;
    if (sscanf(targets, "sm_%d+", &least) == 1) return sm >= least;
    char word[16];
    snprintf(word, sizeof word, "%d%c", sm, suffix ? suffix : '-');
    for (const char *s = targets; *s; ) {
        size_t n = strcspn(s, ",");
        if (n == strlen(word) && !strncmp(s, word, n)) return 1;
        s += n + (s[n] == ',');
    }
    return 0;
}

/* The k-th alternative of "a,b,c" or "8..256:8"; returns their number */
static int alternative(const char *s, size_t n, int k, char *out)
{
    int a, b, step, used = 0;
    if (sscanf(s, "%d..%d:%d%n", &a, &b, &step, &used) == 3 && (size_t)used == n) {
        if (out) sprintf(out, "%d", a + k * step);
        return (b - a) / step + 1;
    }
    int count = 0;
    for (size_t i = 0; ; ) {
        size_t e = i;
        while (e < n && s[e] != ',') e++;
        if (count++ == k && out) { memcpy(out, s + i, e - i); out[e - i] = 0; }
        if (e >= n) return count;
        i = e + 1;
    }
}

/* Variant number index of a row. Alternatives of the mnemonic vary slowest, from left to right, then the swept
 * operands.
 * Returns the number of variants the row's text says. */
static int expand(const isa_row *r, int index, isa_variant *v)
{
    struct { const char *s; size_t n; int count, k; char value[64]; } alt[12];
    int nalt = 0, nsweep0;
    for (const char *s = r->mnemonic; (s = strchr(s, '{')); s++) {
        alt[nalt].s = s + 1; alt[nalt].n = strcspn(s + 1, "}");
        nalt++;
    }
    nsweep0 = nalt;
    if (strcmp(r->sweep, "-"))
        for (const char *s = r->sweep; s && (s = strchr(s, '=')); ) {
            alt[nalt].s = s + 1; alt[nalt].n = strcspn(s + 1, " ");
            nalt++; s++;
        }
    int total = 1, k = index;
    for (int i = nalt - 1; i >= 0; i--) {
        alt[i].count = alternative(alt[i].s, alt[i].n, -1, NULL);
        alt[i].k = k % alt[i].count;
        k /= alt[i].count;
        total *= alt[i].count;
        alternative(alt[i].s, alt[i].n, alt[i].k, alt[i].value);
    }
    if (!v) return total;
    *v = (isa_variant){ .row = r, .index = index, .note = r->note };
    char *m = v->mnemonic;
    int a = 0;
    for (const char *s = r->mnemonic; *s; )
        if (*s == '{') { m = stpcpy(m, alt[a].value); s += alt[a].n + 2; a++; } else *m++ = *s++;
    *m = 0;
    /* sweeps by name */
    char *w = v->sweep;
    const char *s = nsweep0 < nalt ? r->sweep : "";
    for (a = nsweep0; a < nalt; a++) {
        size_t n = strcspn(s, "=");
        if (w != v->sweep) *w++ = ' ';
        w += sprintf(w, "%.*s=%s", (int)n, s, alt[a].value);
        s += n + 1 + alt[a].n;
        if (*s == ' ') s++;
    }
    char *o = v->ops;
    if (strcmp(r->ops, "-"))
    for (s = r->ops; *s; ) {
        if (*s == '$') {
            size_t n = strspn(s + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
            for (char *f = v->sweep; *f; ) {
                size_t len = strcspn(f, " ");
                if (!strncmp(f, s + 1, n) && f[n] == '=') {
                    memcpy(o, f + n + 1, len - n - 1);
                    o += len - n - 1;
                    break;
                }
                f += len + (f[len] == ' ');
            }
            s += 1 + n;
        } else if (!strncmp(s, ", hint", 6)) {
            if (strstr(v->mnemonic, ".L2::cache_hint")) o = stpcpy(o, ", in b64");
            s += 6;
        } else if (!strncmp(s, "[b64|b32]", 9)) {
            o = stpcpy(o, strstr(v->mnemonic, ".shared") ? "[b32]" : "[b64]");
            s += 9;
        /* an accumulator of wgmma: N/2 32-bit values, or N/4 registers of two halves */
        } else if (!strncmp(s, "{*x", 3)) {
            const char *n = strstr(v->mnemonic, ".m64n");
            o += sprintf(o, "{%dx", atoi(n + 5) / (strstr(n, ".f16.") == n + strcspn(n + 1, ".") + 1 ? 4 : 2));
            s += 3;
        } else *o++ = *s++;
    }
    *o = 0;
    return total;
}

/* ---- What families use ---- */
int isa_has(const isa_case *c, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = c->v->mnemonic; (s = strstr(s, word)); s++) if (s[n] == 0 || s[n] == '.') return 1;
    return 0;
}
int isa_number(const isa_case *c, const char *prefix, int deflt)
{
    size_t n = strlen(prefix);
    for (const char *s = c->v->mnemonic; (s = strstr(s, prefix)); s++)
        if (s[n] >= '0' && s[n] <= '9') return atoi(s + n);
    return deflt;
}
int isa_sweep(const isa_case *c, const char *name, int deflt)
{
    size_t n = strlen(name);
    for (const char *s = c->v->sweep; *s; ) {
        if (!strncmp(s, name, n) && s[n] == '=') return atoi(s + n + 1);
        s += strcspn(s, " ");
        if (*s) s++;
    }
    return deflt;
}
const char *isa_op(const isa_case *c, int n)
{
    static char ring[5][200];
    static int r;
    const char *s = c->v->ops;
    if (!*s) return NULL;
    for (;; n--) {
        int depth = 0;
        size_t i = 0;
        for (; s[i] && (depth || s[i] != ','); i++)
            depth += (s[i] == '{' || s[i] == '[') - (s[i] == '}' || s[i] == ']');
        if (n == 0) {
            r = (r + 1) % 5;
            snprintf(ring[r], sizeof ring[r], "%.*s", (int)i, s);
            return ring[r];
        }
        if (!s[i]) return NULL;
        s += i + 1;
        s += strspn(s, " ");
    }
}
void isa_fail(isa_case *c, const char *fmt, ...)
{
    if (c->failed) return;
    c->failed = 1;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->why, sizeof c->why, fmt, ap);
    va_end(ap);
}

static char *text;
static size_t text_size, text_cap;
static void put(const char *fmt, va_list ap)
{
    va_list ap2;
    va_copy(ap2, ap);
    size_t n = (size_t)vsnprintf(NULL, 0, fmt, ap2);
    va_end(ap2);
    if (text_size + n + 1 > text_cap) text = realloc(text, text_cap = (text_size + n + 1) * 2);
    vsnprintf(text + text_size, n + 1, fmt, ap);
    text_size += n;
}
__attribute__((format(printf, 1, 2))) static void putf(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put(fmt, ap);
    va_end(ap);
}
void isa_put(isa_case *c, const char *fmt, ...)
{
    (void)c;
    va_list ap;
    va_start(ap, fmt);
    put(fmt, ap);
    va_end(ap);
}
void isa_begin(isa_case *c)
{
    putf(".visible .entry %s(.param .u64 p_in, .param .u64 p_out", c->name);
    for (int i = 0; i < c->ntmap; i++) putf(", .param .align 64 .b8 p_tmap%d[128]", i);
    putf(") .maxntid %u, %u, %u\n", c->block[0], c->block[1], c->block[2]);
    if (c->min_blocks) putf(".minnctapersm %d\n", c->min_blocks);
    if (c->per_cta) putf(".minperctamemory %d\n", c->per_cta);
    putf("{\n.reg .b64 %%in, %%out; .reg .b32 %%tx, %%cta, %%rank;\nld.param.u64 %%in, [p_in]; ld.param.u64 %%out, "
         "[p_out];\n"
         "cvta.to.global.u64 %%in, %%in; cvta.to.global.u64 %%out, %%out;\nmov.u32 %%tx, %%tid.x; mov.u32 %%cta, "
         "%%ctaid.x;\n");
    putf(isa_sm >= 90 ? "mov.u32 %%rank, %%cluster_ctarank;\n" : "mov.u32 %%rank, 0;\n");
}
void isa_end(isa_case *c) { (void)c; putf("ret;\n}\n"); }

void *isa_in(isa_case *c, size_t n)
{
    CUdeviceptr d;
    DRV(p_cuMemAlloc(&d, n));
    c->d_in = d; c->in_size = n;
    return c->in = calloc(1, n);
}
void *isa_out(isa_case *c, size_t n)
{
    CUdeviceptr d;
    DRV(p_cuMemAlloc(&d, n));
    c->d_out = d; c->out_size = n;
    c->out = malloc(n); c->want = malloc(n);
    memset(c->out, ISA_FILL, n); memset(c->want, ISA_FILL, n);
    return c->want;
}

static void compare(isa_case *c)
{
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < c->out_size; i++) if (c->out[i] != c->want[i]) { if (!wrong++) first = i; }
    if (!wrong) return;
    size_t w = first & ~(size_t)3;
    uint32_t got = 0, want = 0;
    size_t n = c->out_size - w < 4 ? c->out_size - w : 4;
    memcpy(&got, c->out + w, n); memcpy(&want, c->want + w, n);
    isa_fail(c, "%zu of %zu bytes wrong, the first at %zu: word %zu is %08x, must be %08x", wrong, c->out_size, first,
             w / 4, got, want);
}

/* ---- Running ---- */
static const isa_family *family_of(const char *name)
{
    const isa_family *best = NULL;
    for (isa_family *f = families; f; f = f->next) {
        size_t n = strlen(f->prefix);
        if (!strncmp(name, f->prefix, n) && (name[n] == 0 || name[n] == '.') && (!best || n > strlen(best->prefix)))
            best = f;
    }
    return best;
}

static void free_case(isa_case *c)
{
    if (c->d_in) p_cuMemFree(c->d_in);
    if (c->d_out) p_cuMemFree(c->d_out);
    free(c->in); free(c->out); free(c->want); free(c->data);
}

static void verdict(isa_case *c)
{
    isa_row *r = (isa_row *)c->v->row;
    r->covered++;
    if (c->failed) r->failed++;
    if (c->failed && test_failed < 400)
        printf("FAIL %s/%d %s%s%s: %s\n", r->id, c->v->index, c->v->mnemonic, *c->v->sweep ? " " : "", c->v->sweep,
               c->why);
    if (omit && !c->failed) printf("UNNOTICED %s/%d %s\n", r->id, c->v->index, c->v->mnemonic);
    if (c->failed) test_failed++; else test_passed++;
}

static CUresult launch(isa_case *c, CUmodule mod)
{
    CUfunction f;
    CUresult e = p_cuModuleGetFunction(&f, mod, c->name);
    if (e) return e;
    if (c->smem > 48 * 1024 && c->smem <= 232448
        && (e = p_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)c->smem)))
        return e;
    /* more than 227 KB (sm_107): CU_FUNC_ATTRIBUTE_SHARED_MEMORY_MODE of CUDA 13.4, oversized allowed */
    if (c->smem > 232448 && (e = p_cuFuncSetAttribute(f, (CUfunction_attribute)17, 3))) return e;
    unsigned clusters = c->cluster[0] * c->cluster[1] * c->cluster[2];
    if (clusters > 8 && (e = p_cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1))) return e;
    if (c->in && (e = p_cuMemcpyHtoD(c->d_in, c->in, c->in_size))) return e;
    if (c->out && (e = p_cuMemcpyHtoD(c->d_out, c->out, c->out_size))) return e;
    CUlaunchAttribute attr[3];
    CUlaunchConfig cfg = { .gridDimX = c->grid[0], .gridDimY = c->grid[1], .gridDimZ = c->grid[2],
                           .blockDimX = c->block[0], .blockDimY = c->block[1], .blockDimZ = c->block[2],
                           .sharedMemBytes = c->smem, .attrs = attr };
    memset(attr, 0, sizeof attr);
    if (clusters > 1) {
        attr[cfg.numAttrs].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attr[cfg.numAttrs].value.clusterDim.x = c->cluster[0]; attr[cfg.numAttrs].value.clusterDim.y = c->cluster[1];
        attr[cfg.numAttrs++].value.clusterDim.z = c->cluster[2];
    }
    if (c->cooperative) {
        attr[cfg.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attr[cfg.numAttrs++].value.cooperative = 1;
    }
    if (c->pdl) {
        attr[cfg.numAttrs].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attr[cfg.numAttrs++].value.programmaticStreamSerializationAllowed = 1;
    }
    uint64_t in = c->d_in, out = c->d_out;
    void *args[] = { &in, &out, &c->tmap[0], &c->tmap[1] };
    if ((e = p_cuLaunchKernelEx(&cfg, f, args, NULL))) return e;
    if ((e = p_cuCtxSynchronize())) return e;
    return c->out ? p_cuMemcpyDtoH(c->out, c->d_out, c->out_size) : CUDA_SUCCESS;
}

static void module_header(const char *target, int ptx)
{
    int v = ptx_major * 100 + ptx_minor;
    if (ptx > 900) v = ptx;
    text_size = 0;
    putf(".version %d.%d\n.target %s\n.address_size 64\n.extern .shared .align 1024 .b8 dsmem[];\n", v / 100, v % 100,
         target);
}
static const char *own_target(void)
{
    static char t[16];
    snprintf(t, sizeof t, "sm_%d%.1s", isa_sm, isa_suffix ? &isa_suffix : "");
    return t;
}
static CUresult load(CUmodule *mod, char *log, size_t n)
{
    log[0] = 0;
    CUjit_option opt[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
    void *val[] = { log, (void *)n };
    text[text_size] = 0;
    return p_cuModuleLoadDataEx(mod, text, 2, opt, val);
}

/* Builds, loads and runs n cases; stops after one that made the context unusable. Returns how many are done. */
static int run_cases(const isa_variant *v, int n)
{
    isa_case *cases = aligned_alloc(64, (size_t)n * sizeof *cases);
    memset(cases, 0, (size_t)n * sizeof *cases);
    int ptx = v->row->ptx;
    for (int i = 1; i < n; i++) if (v[i].row->ptx > ptx) ptx = v[i].row->ptx;
    module_header(own_target(), ptx);
    for (int i = 0; i < n; i++) {
        isa_case *c = &cases[i];
        *c = (isa_case){ .v = &v[i], .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .cluster = { 1, 1, 1 } };
        snprintf(c->name, sizeof c->name, "%s_%d", v[i].row->id, v[i].index);
        for (char *s = c->name; *s; s++) if (*s == '-' || *s == '.') *s = '_';
        seed_variant(&v[i]);
        size_t before = text_size;
        if (family_of(v[i].row->family)->build(c)) {
            if (!c->failed) isa_fail(c, "the family does not know this variant");
            text_size = before;
        }
    }
    if (omit)
        for (int i = 0; i < n; i++) {
            char *at = strstr(text, cases[i].name), *stop = i + 1 < n ? strstr(text, cases[i + 1].name) : NULL;
            for (char *m = at; m && (m = strstr(m, v[i].mnemonic)) && (!stop || m < stop); ) {
                char *end = strchr(m, ';');
                memcpy(m, "/*", 2); memcpy(end - 2, "*/", 2);
                m = end;
            }
        }
    if (dump_dir) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.ptx", dump_dir, cases[0].name);
        FILE *f = fopen(path, "w");
        if (f) { fwrite(text, 1, text_size, f); fclose(f); }
    }
    CUmodule mod = NULL;
    static char log[8192];
    CUresult e = load(&mod, log, sizeof log);
    int done = n;
    if (e && n > 1) {               /* which one is it? */
        for (int i = 0; i < n; i++) { free_case(&cases[i]); }
        free(cases);
        for (int i = 0; i < n; i++) run_cases(v + i, 1);
        return n;
    }
    for (int i = 0; i < n; i++) {
        isa_case *c = &cases[i];
        if (e) isa_fail(c, "not assembled: %s %s", error_name(e), log);
        if (!c->failed) {
            CUresult err = launch(c, mod);
            if (err) {
                isa_fail(c, "launch: %s", error_name(err));
                verdict(c);
                done = i + 1;
                reset_device();
                for (i = 0; i < n; i++) { cases[i].d_in = cases[i].d_out = 0; free_case(&cases[i]); }
                free(cases);
                return done;
            }
            if (c->check) c->check(c); else compare(c);
        }
        verdict(c);
    }
    for (int i = 0; i < n; i++) free_case(&cases[i]);
    if (mod) p_cuModuleUnload(mod);
    free(cases);
    return done;
}

static void run_row_range(const isa_variant *v, int n)
{
    for (int at = 0; at < n; ) at += run_cases(v + at, n - at < batch_size ? n - at : batch_size);
}

/* ---- Forms that must be refused ----
 * Columns: device that tries it; .target of the module; the form; the nearest form that is accepted; why; the PTX from
 * which on it is accepted (a driver for that need not refuse it), or -; the PTX that the row needs at all, if newer
 * than 9.0. Registers: %r0-%r23 b32, %l0-%l3 b64,
 * %f0-%f23 f32, %h0-%h3 b16, %p0; "{N*r}" stands for N of the b32 registers, {N*f} likewise. */
static void put_form(const char *s)
{
    for (; *s; s++) {
        int n, used = 0; char kind;
        if (*s == '{' && sscanf(s, "{%d*%c}%n", &n, &kind, &used) == 2 && used) {
            putf("{");
            for (int i = 0; i < n; i++) putf("%s%%%c%d", i ? "," : "", kind, i);
            putf("}");
            s += used - 1;
        } else putf("%c", *s);
    }
}
/* 1: refused; said: what was said about it, in the log or on stderr. A GPU's driver refuses when it loads the module,
 * and the form is not executed.
 * tcemu refuses what it reaches, so there it is reached; what else is wrong with its operands (CUDA errors other than
 * "not supported") does not matter. */
static int refused(const char *target, const char *form, int ptx, char *said, size_t n)
{
    module_header(target, ptx);
    putf(".visible .entry k()\n{\n.reg .b32 %%r<24>; .reg .b64 %%l<4>; .reg .f32 %%f<24>; .reg .b16 %%h<4>; .reg .b128 "
         "%%q<2>; .reg .pred %%p<2>;\n");
    if (!isa_emulated) putf("mov.u32 %%r0, %%nctaid.x;\nsetp.ne.u32 %%p1, %%r0, 77;\n@%%p1 bra OUT;\n");
    put_form(form);
    putf(";\nOUT:\nret;\n}\n");
    fflush(stderr);
    int saved = dup(2), tmp = open("/tmp", O_TMPFILE | O_RDWR, 0600);
    if (tmp >= 0) dup2(tmp, 2);
    static char log[8192];
    CUmodule mod = NULL;
    CUresult e = load(&mod, log, sizeof log);
    int no = e != CUDA_SUCCESS;
    if (!e) {
        isa_case c = { .name = "k", .grid = { 1, 1, 1 }, .block = { 128, 1, 1 }, .cluster = { 1, 1, 1 } };
        e = launch(&c, mod);
        no = e == CUDA_ERROR_NOT_SUPPORTED || e == CUDA_ERROR_INVALID_PTX;
        if (e) reset_device(); else p_cuModuleUnload(mod);
    }
    fflush(stderr);
    size_t used = (size_t)snprintf(said, n, "%s", log);
    if (used >= n) used = n - 1;
    if (tmp >= 0) {
        dup2(saved, 2);
        lseek(tmp, 0, SEEK_SET);
        ssize_t got = read(tmp, said + used, n - 1 - used);
        said[used + (got > 0 ? (size_t)got : 0)] = 0;
        close(tmp);
    }
    close(saved);
    return no;
}
static void must_fail(const char *path, const char *leave)
{
    char *save, *t = read_file(path);
    int line_no = 0, ran = 0;
    for (char *line = strtok_r(t, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        line_no++;
        if (*line == '#') continue;
        char *f[7], said[16384];
        const int columns = fields(line, f, 7);
        if (columns < 6) { CHECK(0, "%s: line without 6 columns: %s", path, line); continue; }
        if (strcmp(f[0], own_target())) continue;
        const int ptx = columns == 7 ? version_of(f[6]) : 900;
        if (ptx > driver_ptx && !isa_emulated) { newer++; continue; }
        if (*leave && columns == 7 && (!strncmp(f[2], leave, strlen(leave)) || !strncmp(f[3], leave, strlen(leave)))) {
            newer++;
            continue;
        }
        ran++;
        int major = 99, minor = 0, r = refused(f[1], f[2], ptx, said, sizeof said);
        sscanf(f[5], "%d.%d", &major, &minor);
        if (major * 100 + minor > driver_ptx) CHECK(r, "%s, .target %s: accepted, but %s", f[2], f[1], f[4]);
        if (r) CHECK(strlen(said) > 20, "%s, .target %s: refused without a word (\"%s\")", f[2], f[1], said);
        r = refused(f[1], f[3], ptx, said, sizeof said);
        CHECK(!r, "%s, .target %s: refused, but is fine: %.300s", f[3], f[1], said);
    }
    CHECK(ran > 0, "no form for this device in %s", path);
}

int main(int argc, char **argv)
{
    const char *table = "tests/isa/variants.tsv", *cover = NULL, *seen = "", *refuse = NULL,
        *leave = "";
    int arg = 1;
    for (; arg + 1 < argc && argv[arg][0] == '-'; arg += 2) {
        const char *o = argv[arg], *x = argv[arg + 1];
        if (!strcmp(o, "--table")) table = x;
        else if (!strcmp(o, "--cover")) cover = x;
        else if (!strcmp(o, "--seen")) seen = x;
        else if (!strcmp(o, "--leave")) leave = x;
        else if (!strcmp(o, "--must-fail")) refuse = x;
        else if (!strcmp(o, "--seed")) seed = strtoull(x, NULL, 0);
        else if (!strcmp(o, "--dump")) dump_dir = x;
        else if (!strcmp(o, "--variant")) only_variant = atoi(x);
        else if (!strcmp(o, "--omit")) omit = atoi(x);
        else if (!strcmp(o, "--modules")) batch_size = atoi(x);
        else { fprintf(stderr, "unknown option %s\n", o); return 2; }
    }
    if (arg >= argc && !refuse) {
        fprintf(stderr, "usage: isa [options] all | family... | row...   (see main.c)\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    open_device();
    read_table(table, leave);
    printf("%s%s, seed %llu\n", own_target(), isa_emulated ? " (tcemu)" : "", (unsigned long long)seed);
    if (refuse) must_fail(refuse, leave);
    FILE *cf = cover ? fopen(cover, "a") : NULL;
    if (cover && !cf) { perror(cover); return 2; }
    isa_variant *v = NULL;
    int nv = 0;
    const char *batch_family = "";
    for (int i = 0; i < nrows; i++) {
        isa_row *r = &rows[i];
        int asked = 0;
        for (int a = arg; a < argc; a++) {
            size_t n = strlen(argv[a]);
            /* fabric: tcemu reports each, so it is run by itself */
            asked |= (!strcmp(argv[a], "all") && strcmp(r->family, "fabric")) || !strcmp(argv[a], r->id)
                || (!strncmp(r->family, argv[a], n) && (!r->family[n] || r->family[n] == '.'));
        }
        int sm; char suffix;
        for (const char *s = seen; *s; ) {
            suffix = 0;
            if (sscanf(s, "sm_%d%c", &sm, &suffix) < 1) { fprintf(stderr, "--seen %s?\n", seen); return 2; }
            if (fits(r->targets, sm, suffix == 'a' ? 'a' : 0)) asked = 0;
            s += strcspn(s, ","); s += *s == ',';
        }
        r->fits = fits(r->targets, isa_sm, isa_suffix) && asked;
        if (!r->fits) continue;
        if (expand(r, 0, NULL) != r->count) {
            CHECK(0, "%s: the text has %d variants, the row says %d", r->id, expand(r, 0, NULL), r->count);
            continue;
        }
        if (!family_of(r->family)) continue;
        if (nv && strcmp(batch_family, r->family)) { run_row_range(v, nv); nv = 0; }
        batch_family = r->family;
        v = realloc(v, (size_t)(nv + r->count) * sizeof *v);
        for (int k = 0; k < r->count; k++) if (only_variant < 0 || only_variant == k) expand(r, k, &v[nv++]);
    }
    if (nv) run_row_range(v, nv);
    free(v);
    int missing = 0, all = 0;
    for (int i = 0; i < nrows; i++) {
        isa_row *r = &rows[i];
        if (!r->fits) continue;
        all++;
        missing += r->covered < r->count;
        if (cf) fprintf(cf, "%s\t%d\t%d\t%d\n", r->id, r->count, r->covered, r->failed);
    }
    if (cf) fclose(cf);
    if (newer && isa_emulated) printf("SKIP %d forms that --leave names\n", newer);
    else if (newer) printf("SKIP %d rows newer than this driver's PTX %d.%d, or of several GPUs\n", newer,
                           driver_ptx / 100, driver_ptx % 100);
    test_skipped += newer;
    printf("%d rows, %d not covered\n", all, missing);
    return test_end();
}
