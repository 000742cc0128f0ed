/* main.c - tc_tune: which tile of TC_GEMM_SM90_DEFINE or TC_GEMM_SM80_DEFINE is best for a shape, a type and a hook of
 * yours? Compiles candidates by NVRTC, runs them beside cuBLASLt, prints a table and the line to paste.
 *     build/tc_tune --help
 * Plain C over the toolkit's headers; NVRTC, the driver and cuBLASLt are opened at run time. */
#include "tune.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

volatile int tune_stopped;

/* ---- what every file uses ---- */
_Noreturn void tune_fail(int status, const char *format, ...)
{
    va_list list;
    report_clear();
    fflush(stdout);
    fputs("tc_tune: ", stderr);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(status);
}

void *tune_alloc(size_t size)
{
    void *p = calloc(size ? size : 1, 1);
    if (!p) tune_fail(1, "no memory");
    return p;
}

/* snprintf that must fit. */
void tune_print(char *out, size_t size, const char *format, ...)
{
    va_list list;
    int n;
    va_start(list, format);
    n = vsnprintf(out, size, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= size) tune_fail(2, "this is too long: %.200s...", out);
}

double tune_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- the directory of what is compiled ---- */
static char work[PATH_SIZE];
static pid_t work_owner;

static void work_remove(void)
{
    DIR *d = *work && getpid() == work_owner ? opendir(work) : NULL;
    struct dirent *e;
    char path[PATH_SIZE + 300];
    while (d && (e = readdir(d)) != NULL) {
        snprintf(path, sizeof path, "%s/%s", work, e->d_name);
        if (e->d_name[0] != '.') unlink(path);
    }
    if (d) closedir(d), rmdir(work);
}

static void work_make(request *r)
{
    const char *in = getenv("TMPDIR");
    tune_print(work, sizeof work, "%.800s/tc_tune.XXXXXX", in && *in ? in : "/tmp");
    if (!mkdtemp(work)) {
        const int why = errno;
        *work = 0;
        tune_fail(1, "cannot make a directory in %s: %s", in && *in ? in : "/tmp", strerror(why));
    }
    work_owner = getpid();
    atexit(work_remove);
    tune_print(r->work, sizeof r->work, "%s", work);
}

static void stop(int sig)
{
    (void)sig;
    tune_stopped = 1;
}

/* From here on a signal to end is heeded at the next candidate, and what was written is removed. */
static void heed_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

/* ---- the command line ---- */
static void help(void)
{
    printf("usage: tc_tune [options] M N K [M N K ...]\n"
           "\n"
           "Finds the tile of a GEMM, D = hook(A * B), for each shape: compiles candidate configurations of\n"
           "TC_GEMM_SM90_DEFINE and TC_GEMM_SM80_DEFINE by NVRTC, checks each against a plain kernel, runs them in\n"
           "turns with cuBLASLt (where it is installed), prints a table and the line to paste. A is M x K and D is\n"
           "M x N, row-major; B is N rows of K.\n"
           "\n"
           "  --a TYPE            of A and B: bf16 (default), f16\n"
           "  --d TYPE            of D: bf16, f16, f32; default: as --a\n"
           "  --epi FILE:NAME     your hook on one element; or a hook of tc's by its name alone: --epi tc_epi_gelu\n"
           "  --epi2 FILE:NAME    your hook on pairs\n"
           "  --epi-size BYTES    sizeof of the hook's arguments, all bytes 0; default: TC_NO_ARGS\n"
           "  --epi-args LIST     the arguments' members instead: p (address of zeros in device memory, M * N * 4\n"
           "                      bytes and more), f=X (float), i=X, l=X (whole number of 4, 8 bytes; m, n, k: the\n"
           "                      shape's)\n"
           "\n"
           "  --candidates N      how many are tried for a shape, best estimates first; default 24\n"
           "  --try FIELD=V,V,..  these values of a field, not the table's: --try bn=64,96 --try schedule=pingpong\n"
           "  --generator G       sm90 or sm80: candidates of this one alone\n"
           "  --time SECONDS      of measuring for a shape; default 10\n"
           "  --arch ARCH         sm_90a, sm_80, ..; default: the device's; without one sm_90a\n"
           "  --include DIR       the headers of tc (default: beside this program); again for directories of your own\n"
           "  --cuda DIR          the CUDA Toolkit whose NVRTC and cuBLASLt to use\n"
           "  --jobs N            compilers at a time; default: the processors\n"
           "  --no-cublas         ratios are to the first candidate\n"
           "\n"
           "  --list              print the candidates and stop; needs no GPU\n"
           "  --compile-only      compile them, print registers and spills, stop; needs no GPU\n"
           "  --csv, --json       in place of the table\n"
           "\n"
           "  tc_tune 4096 4096 4096\n"
           "  tc_tune --a f16 --d f32 --candidates 60 --time 30 16 28672 4096  64 28672 4096\n"
           "  tc_tune --epi my_epi.h:bias_gelu --epi-args p,f=0.5 8192 8192 8192\n"
           "  tc_tune --epi2 tc_epi2_bias_col --csv 1024 1024 1024 > tried.csv\n"
           "  tc_tune --list --try cluster_m=1,2,4 --try epi_stages=1,2,4 2048 2048 2048\n"
           "\n"
           "Fields and the values that are tried, in all combinations that are legal:\n");
    candidates_help(stdout);
    printf("\n"
           "Times: CUDA graphs of calls, random normal operands that rotate past the L2, both sides in turns; ratio\n"
           "is the median of rounds, beside it the quartiles. Who is 10 %% behind after three rounds is measured no\n"
           "further.\n"
           "Exit status: 0; 1 where something fails or a result is wrong; 2 for the command line.\n");
}

/* A whole number in from..to. */
static int number(const char *what, const char *text, int from, int to)
{
    char *end;
    long n;
    errno = 0;
    n = strtol(text, &end, 10);
    if (*end || end == text || errno || n < from || n > to)
        tune_fail(2, "%s %s: must be a whole number in %d..%d", what, text, from, to);
    return (int)n;
}

static int type(const char *what, const char *text, int f32_too)
{
    if (!strcmp(text, "bf16")) return TC_BF16;
    if (!strcmp(text, "f16")) return TC_F16;
    if (!strcmp(text, "f32") && f32_too) return TC_F32;
    tune_fail(2, "%s %s: the types are bf16%s", what, text, f32_too ? ", f16 and f32" : " and f16");
}

/* sm_90a, of sm_90a, compute_90a, 90a, sm_90, 9.0. */
static void arch_set(request *r, const char *text)
{
    const char *digits = text + strcspn(text, "0123456789");
    char *end;
    const long n = strtol(digits, &end, 10);
    const int named = !strncmp(text, "sm_", 3) || !strncmp(text, "compute_", 8) || digits == text;
    if (!named || n < 80 || n > 200 || (*end && (end[1] || !strchr("af", *end))))
        tune_fail(2, "--arch %s: must be a target from sm_80 on, as sm_80, sm_90a, sm_120a", text);
    tune_print(r->arch, sizeof r->arch, "sm_%ld%s", n, n == 90 ? "a" : end);
    r->dev.cc = (int)n;
}

typedef struct given { /* options that are looked at when all are read */
    const char *epi_size, *epi_args, *arch;
} given;

static int option_flag(request *r, const char *o)
{
    if (!strcmp(o, "--list")) return r->list = 1;
    if (!strcmp(o, "--compile-only")) return r->compile_only = 1;
    if (!strcmp(o, "--no-cublas")) return r->no_cublas = 1;
    if (!strcmp(o, "--csv")) return r->format = 'c';
    if (!strcmp(o, "--json")) return r->format = 'j';
    return 0;
}

static const char *const with_value[] = {"--a",        "--d",          "--epi",  "--epi2",      "--epi-size",
                                         "--epi-args", "--candidates", "--try",  "--generator", "--arch",
                                         "--cuda",     "--jobs",       "--time", "--include"};

static void option_value(request *r, given *g, const char *o, const char *v)
{
    char *end;
    if (!strcmp(o, "--a")) r->a = type(o, v, 0);
    else if (!strcmp(o, "--d")) r->d = type(o, v, 1);
    else if (!strcmp(o, "--epi")) hook_given(&r->epi, v, 0);
    else if (!strcmp(o, "--epi2")) hook_given(&r->epi, v, 1);
    else if (!strcmp(o, "--epi-size")) g->epi_size = v;
    else if (!strcmp(o, "--epi-args")) g->epi_args = v;
    else if (!strcmp(o, "--candidates")) r->candidates = number(o, v, 1, 10000);
    else if (!strcmp(o, "--try")) candidates_try(v);
    else if (!strcmp(o, "--generator")) {
        if (strcmp(v, "sm90") != 0 && strcmp(v, "sm80") != 0)
            tune_fail(2, "--generator %s: there are sm90 and sm80", v);
        r->gen = atoi(v + 2);
    } else if (!strcmp(o, "--arch")) g->arch = v;
    else if (!strcmp(o, "--cuda")) r->cuda = v;
    else if (!strcmp(o, "--jobs")) r->jobs = number(o, v, 1, 256);
    else if (!strcmp(o, "--time")) {
        r->seconds = strtod(v, &end);
        if (*end || end == v || !(r->seconds > 0 && r->seconds <= 86400))
            tune_fail(2, "--time %s: must be a number of seconds above 0", v);
    } else if (!strcmp(o, "--include")) {
        /* the first that holds tc_gemm.h is the kit's; others are for the hook's file */
        char path[PATH_SIZE];
        if (access(v, R_OK) != 0) tune_fail(2, "--include %s: there is no such directory", v);
        tune_print(path, sizeof path, "%.900s/tc_gemm.h", v);
        if (!*r->include && access(path, R_OK) == 0) tune_print(r->include, sizeof r->include, "%.900s", v);
        else if (r->mores == COUNT(r->more)) tune_fail(2, "--include %s: more than %d directories", v, COUNT(r->more));
        else r->more[r->mores++] = v;
    }
}

static request read_options(int argc, char **argv, given *g)
{
    request r;
    const char **words = (const char **)tune_alloc(sizeof *words * (size_t)argc);
    int i, j, n = 0;
    memset(&r, 0, sizeof r);
    memset(g, 0, sizeof *g);
    r.a = TC_BF16, r.candidates = 24, r.seconds = 10, r.format = 't';
    r.jobs = (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (r.jobs < 1) r.jobs = 1;
    for (i = 1; i < argc; i++) {
        char name[32];
        const char *o = argv[i], *equals = strchr(o, '=');
        if (!strcmp(o, "--help") || !strcmp(o, "-h")) {
            help();
            exit(0);
        }
        if (strncmp(o, "-", 1) != 0 || isdigit((unsigned char)o[1])) {
            words[n++] = o;
            continue;
        }
        if (equals && equals - o < (int)sizeof name) tune_print(name, sizeof name, "%.*s", (int)(equals - o), o);
        else tune_print(name, sizeof name, "%.31s", o);
        if (!equals && option_flag(&r, name)) continue;
        for (j = 0; j < COUNT(with_value) && strcmp(with_value[j], name) != 0; j++) {}
        if (j == COUNT(with_value)) tune_fail(2, "there is no option %s; --help lists them", o);
        if (!equals && i + 1 == argc) tune_fail(2, "%s needs a value", o);
        option_value(&r, g, name, equals ? equals + 1 : argv[++i]);
    }
    if (n == 0 || n % 3)
        tune_fail(2,
                  n ? "a shape is three numbers, M N K, and %d are given" : "give a shape: M N K (--help has examples)",
                  n);
    r.shape_count = n / 3;
    r.shapes = (shape *)tune_alloc(sizeof *r.shapes * (size_t)r.shape_count);
    for (i = 0; i < n; i++) {
        const int x = number(i % 3 == 0 ? "M =" : i % 3 == 1 ? "N =" : "K =", words[i], 1, 1 << 24);
        *(i % 3 == 0 ? &r.shapes[i / 3].m : i % 3 == 1 ? &r.shapes[i / 3].n : &r.shapes[i / 3].k) = x;
    }
    free(words);
    if (!r.d) r.d = r.a;
    return r;
}

/* What only holds of all options together. */
static void settle(request *r, const given *g)
{
    int i;
    if (g->epi_size && g->epi_args) tune_fail(2, "give --epi-size or --epi-args, not both: the members tell the size");
    if (g->epi_size) hook_size(&r->epi, g->epi_size);
    if (g->epi_args) hook_args(&r->epi, g->epi_args);
    hook_check(&r->epi);
    if (r->list && r->compile_only) tune_fail(2, "give --list or --compile-only, not both");
    for (i = 0; i < r->shape_count && r->epi.pair; i++)
        if (r->shapes[i].n % 2) tune_fail(2, "N = %d is odd, but a pair hook (--epi2) needs an even N", r->shapes[i].n);
    if (g->arch) arch_set(r, g->arch);
    if (!g->arch || (!r->list && !r->compile_only)) {
        const device found = measure_device();
        if (!found.present && !r->list && !r->compile_only)
            tune_fail(1, "no device to run on (%s); --list and --compile-only need none", found.why);
        if (found.present && g->arch && strcmp(r->arch, "sm_90a") == 0 && found.cc != 90)
            tune_fail(2, "--arch %s does not run on this device, %s, of compute capability %d.%d", g->arch, found.name,
                      found.cc / 10, found.cc % 10);
        if (found.present) {
            const int cc = found.cc;
            r->dev = found;
            if (!g->arch) tune_print(r->arch, sizeof r->arch, "sm_%d%s", cc, cc >= 90 ? "a" : "");
        }
    }
    if (!r->dev.present) {
        if (!*r->arch) arch_set(r, "sm_90a");
        r->dev.sms = r->dev.cc < 90 ? 108 : 132;
        r->dev.l2 = 50u << 20;
    }
}

/* The kernels of all shapes, each once. */
static int kernels_of(trials *t, int count, kernel ***out)
{
    kernel **all;
    int i, j, h, n = 0, most = 0;
    for (i = 0; i < count; i++) most += t[i].count;
    all = (kernel **)tune_alloc(sizeof *all * (size_t)(most + 1));
    for (i = 0; i < count; i++) {
        for (j = 0; j < t[i].count; j++) {
            kernel **k = &t[i].t[j].k;
            for (h = 0; h < n && ((*k)->gen != all[h]->gen || strcmp((*k)->fields, all[h]->fields) != 0); h++) {}
            if (h < n) free(*k), *k = all[h];
            else all[n++] = *k;
        }
    }
    *out = all;
    return n;
}

int main(int argc, char **argv)
{
    kernel reference, *first[1], **kernels;
    trials *t;
    given g;
    request r = read_options(argc, argv, &g);
    int i, j, count, bad = 0;
    heed_signals();
    settle(&r, &g);
    t = (trials *)tune_alloc(sizeof *t * (size_t)r.shape_count);
    for (i = 0; i < r.shape_count; i++) {
        t[i] = candidates_make(&r, r.shapes[i]);
        if (!t[i].count) tune_fail(2, "%d x %d x %d: none of the candidates is legal", t[i].s.m, t[i].s.n, t[i].s.k);
    }
    if (r.list) {
        report_list(&r, t, r.shape_count);
        return 0;
    }
    if (tune_stopped) tune_fail(130, "stopped");
    work_make(&r);
    compile_start(&r);
    count = kernels_of(t, r.shape_count, &kernels);
    /* the reference first: what is wrong with the hook is said once */
    memset(&reference, 0, sizeof reference);
    first[0] = &reference;
    compile_kernels(&r, first, 1);
    if (reference.state == KERNEL_BAD) {
        char missing[2 * TEXT_SIZE];
        tune_print(missing, sizeof missing, "identifier \"%s\" is undefined", r.epi.name);
        if (r.epi.given && strstr(reference.why, missing))
            tune_fail(2, "%s: there is no function %s in %s (%s)", r.epi.given, r.epi.name, r.epi.file, reference.why);
        tune_fail(r.epi.given ? 2 : 1, "%s does not compile: %s", r.epi.given ? r.epi.given : "the reference",
                  reference.why);
    }
    compile_kernels(&r, kernels, count);
    if (r.compile_only) {
        report_compiled(&r, kernels, count);
        for (i = 0; i < count; i++) bad |= kernels[i]->state == KERNEL_BAD;
        return bad;
    }
    measure_start(&r, &reference);
    report_begin(&r);
    for (i = 0; i < r.shape_count; i++) {
        int measured = 0;
        measure_shape(&r, &t[i]);
        report_shape(&r, &t[i]);
        for (j = 0; j < t[i].count; j++) bad |= t[i].t[j].wrong, measured += t[i].t[j].rounds > 0;
        bad |= !measured;
    }
    report_end(&r);
    return bad;
}
