/* main.c - tcemu: runs a CUDA program with libtcemu.so in front of the CUDA runtime and driver.
 * Options travel to the library in TCEMU_* variables, so they reach child processes too. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "device.h"
#include "model.h"

#define VERSION "0.2.0"

static void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("tcemu: ", stderr); vfprintf(stderr, fmt, ap); fputc('\n', stderr);
    va_end(ap);
}

static void help(FILE *f)
{
    fprintf(f,
"usage: tcemu [options] program [arguments]\n"
"\n"
"Runs a CUDA program without a GPU: kernels are executed from the PTX inside the program, and mistakes in them\n"
"(out-of-bounds and uninitialised memory, races, missing fences and waits, misuse of mbarriers, wgmma, TMA, tcgen05,\n"
"deadlocks) are reported with the line of source they come from. Build the program with\n"
"\n"
"    nvcc -cudart shared -lineinfo -gencode arch=compute_90a,code=[sm_90a,compute_90a] ...\n"
"\n"
"so that it takes the CUDA runtime as a shared library and contains PTX (compute_90a in code=). Not with -G, under "
"which wgmma\ncannot be run. Scripts work as well: the programs that they start are emulated.\n"
"\n"
"  --device NAME       the GPU to be: sm_80, sm_90a, sm_100a, ...; default " EMU_DEFAULT_DEVICE
"; --device list shows them all\n  --schedules N       run the program N times: first with every asynchronous "
"operation as late as the program's waits\n                      allow, then N-1 times in random orders. The exit "
"status is that of the worst run\n  --schedule I        only the I-th of these runs (0: as late as possible, the "
"default)\n  --sms N             give the device N multiprocessors: with few, a persistent kernel has several tiles "
"for each block\n  --seed N            for the random orders, default 1\n"
"  --threads N         clusters of a grid run on so many threads; default: one for each processor\n"
"  --hang N            report a hang after N warp instructions without progress, default %llu\n"
"  --timeout SECONDS   end a kernel that runs longer, and show where its threads are; default 0: never\n"
"  --strict            also report what the PTX ISA does not promise, though widely used libraries rely on it: "
"leaving\n                      with committed bulk stores that nobody waited for, or before what signals the block's "
"mbarriers\n                      was waited for; an mbarrier made known by a relaxed arrival at the cluster barrier; "
"different\n                      setmaxnreg in one warpgroup on sm_100 and later; what cp.async wrote read by "
"the\n                      asynchronous proxy without a fence; prefetches of what is not there; ordered sparsity "
"metadata 0x0\n                      for groups of zeros\n"
"  --no-checks         only compute: faster, finds no races and no uninitialised memory\n"
"  --stats             what each line of source executed: instructions, floating-point operations, bytes, bank "
"conflicts;\n                      --stats=kernel books what was inlined to the line of the kernel's own file that "
"calls it\n  --model BOARD       a bound of each kernel's time on a board, and what it waits for; --model list shows "
"the boards.\n                      Kernels run as on that board's architecture, unless --device names another\n"
"  --model-svg FILE    draws one multiprocessor's time; --model-kernel NAME: of kernels of that name alone\n"
"  --json[=FILE]       reports as JSON lines, on stderr or in FILE (FILE.1, FILE.2, ... for the further runs "
"of --schedules)\n  --error-exitcode N  exit status when errors were reported but the program returned 0; default 86; "
"0: leave it\n  -v, --verbose       say more, also that there were no errors\n"
"  --version, --help\n"
"\n"
"Everything runs at the moment of the call; streams are in order by themselves. Times between events are emulated: one "
"warp\ninstruction counts as a nanosecond, so they say nothing about a GPU's speed. Exit status: the program's own; 86 "
"where\nerrors were reported or kernels could not be run; 1 or 2 where tcemu itself could not go on; 127 where there "
"is no such program.\n",
        (unsigned long long)EMU_DEFAULT_HANG);
}

/* ---- Will preloading reach this program's CUDA runtime? ---- */
static int elf_static_cudart(const uint8_t *f, size_t n)
{
    const Elf64_Ehdr *h = (const void *)f;
    if (n < sizeof *h || memcmp(f, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64
        || h->e_shentsize != sizeof(Elf64_Shdr) || h->e_shoff > n || (uint64_t)h->e_shnum * sizeof(Elf64_Shdr) > n
        - h->e_shoff || h->e_shstrndx >= h->e_shnum)
        return 0;
    const Elf64_Shdr *s = (const void *)(f + h->e_shoff);
    int fatbin = 0, needed = 0, undefined = 0, defined = 0;
    for (int i = 0; i < h->e_shnum; ++i)            /* no section may reach past the file */
        if (s[i].sh_type != SHT_NOBITS && (s[i].sh_offset > n || s[i].sh_size > n - s[i].sh_offset)) return 0;
    const Elf64_Shdr *names = &s[h->e_shstrndx];
    for (int i = 0; i < h->e_shnum; ++i) {
        const Elf64_Shdr *x = &s[i];
        if (x->sh_name < names->sh_size && !strncmp((const char *)f + names->sh_offset + x->sh_name, ".nv_fatbin",
                                                    names->sh_size - x->sh_name))
            fatbin = 1;
        if (x->sh_link >= h->e_shnum) continue;
        const char *str = (const char *)f + s[x->sh_link].sh_offset;
        size_t size = s[x->sh_link].sh_size;
        if (!size || s[x->sh_link].sh_type != SHT_STRTAB || str[size - 1]) continue;
        if (x->sh_type == SHT_DYNAMIC) {
            const Elf64_Dyn *d = (const void *)(f + x->sh_offset);
            for (size_t k = 0; k < x->sh_size / sizeof *d && d[k].d_tag != DT_NULL; ++k)
                if (d[k].d_tag == DT_NEEDED && d[k].d_un.d_val < size
                    && !strncmp(str + d[k].d_un.d_val, "libcudart.", 10))
                    needed = 1;
        }
        if (x->sh_type == SHT_DYNSYM || x->sh_type == SHT_SYMTAB) {
            const Elf64_Sym *y = (const void *)(f + x->sh_offset);
            for (size_t k = 0; k < x->sh_size / sizeof *y; ++k) {
                if (y[k].st_name >= size) continue;
                const char *name = str + y[k].st_name;
                if (strcmp(name, "__cudaRegisterFatBinary") && strcmp(name, "cudaMalloc")) continue;
                if (y[k].st_shndx == SHN_UNDEF) undefined = 1; else defined = 1;
            }
        }
    }
    return !needed && !undefined && (fatbin || defined);
}

/* "./prog", or a name to be looked for in PATH; NULL if there is none */
static const char *find_program(const char *name, char *buf, size_t n)
{
    if (strchr(name, '/')) return name;
    const char *p = getenv("PATH");
    for (; p && *p; p += strcspn(p, ":"), p += *p == ':') {
        int len = (int)strcspn(p, ":");
        snprintf(buf, n, "%.*s%s%s", len, p, len ? "/" : "", name);
        if (!access(buf, X_OK)) return buf;
    }
    return NULL;
}

static int check_program(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), bad = 0;
    struct stat st;
    if (fd < 0) return 0;                           /* exec will say what is wrong */
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *f = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (f != MAP_FAILED) { bad = elf_static_cudart(f, (size_t)st.st_size); munmap(f, (size_t)st.st_size); }
    }
    close(fd);
    return bad;
}

/* ---- Environment ---- */
static void set(const char *name, const char *value) { if (setenv(name, value, 1)) { say("out of memory"); exit(1); } }
static void set_number(const char *name, uint64_t v)
{
    char b[32];
    snprintf(b, sizeof b, "%llu", (unsigned long long)v);
    set(name, b);
}
static void prepend(const char *name, const char *value)
{
    const char *old = getenv(name);
    if (!old || !*old) { set(name, value); return; }
    char *b;
    if (asprintf(&b, "%s:%s", value, old) < 0) { say("out of memory"); exit(1); }
    set(name, b);
    free(b);
}

/* build/tcemu finds build/libtcemu.so and build/emu/libcuda.so.1; PREFIX/bin/tcemu finds PREFIX/lib/tcemu/ */
static void preload(void)
{
    char self[PATH_MAX], lib[PATH_MAX + 64], dir[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0) { say("/proc/self/exe: %s", strerror(errno)); exit(1); }
    self[n] = 0;
    *strrchr(self, '/') = 0;
    snprintf(lib, sizeof lib, "%s/libtcemu.so", self);
    snprintf(dir, sizeof dir, "%s/emu", self);
    if (access(lib, R_OK)) {
        snprintf(lib, sizeof lib, "%s/../lib/tcemu/libtcemu.so", self);
        snprintf(dir, sizeof dir, "%s/../lib/tcemu", self);
    }
    if (access(lib, R_OK)) { say("libtcemu.so is neither in %s nor in %s", self, dir); exit(1); }
    if (strpbrk(lib, " :")) { say("LD_PRELOAD cannot name %s: there is a space or a colon in the path", lib); exit(1); }
    prepend("LD_PRELOAD", lib);
    prepend("LD_LIBRARY_PATH", dir);                /* for dlopen("libcuda.so.1") */
}

/* The library appends, because several processes may write; so the file is emptied here. Its path is made absolute: a
 * process may have another working directory. */
static void set_json(const char *file, uint64_t schedule)
{
    char path[2 * PATH_MAX + 32], cwd[PATH_MAX] = "", suffix[24] = "";
    if (!strcmp(file, "-")) { set("TCEMU_JSON", "-"); return; }
    if (schedule) snprintf(suffix, sizeof suffix, ".%llu", (unsigned long long)schedule);
    if (*file != '/' && !getcwd(cwd, sizeof cwd)) { say("the working directory: %s", strerror(errno)); exit(1); }
    snprintf(path, sizeof path, "%s%s%s%s", cwd, *cwd ? "/" : "", file, suffix);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) { say("%s: %s", path, strerror(errno)); exit(1); }
    close(fd);
    set("TCEMU_JSON", path);
}

static pid_t child;
static void forward(int sig) { if (child > 0) kill(child, sig); }

static int run(const char *path, char **argv)       /* does not return in the child */
{
    child = fork();
    if (child < 0) { say("fork: %s", strerror(errno)); exit(1); }
    if (!child) {
        execv(path, argv);
        int e = errno;
        say("%s: %s", argv[0], strerror(e));
        _exit(e == ENOENT ? 127 : 126);
    }
    int st;
    while (waitpid(child, &st, 0) < 0) if (errno != EINTR) { say("wait: %s", strerror(errno)); exit(1); }
    child = 0;
    return WIFEXITED(st) ? WEXITSTATUS(st) : 128 + WTERMSIG(st);
}

static const char *argument(int argc, char **argv, int *i, const char *value)
{
    if (value) return value;
    if (*i + 1 >= argc) { say("%s needs a value; see tcemu --help", argv[*i]); exit(2); }
    return argv[++*i];
}

static uint64_t number(const char *option, const char *s, uint64_t min, uint64_t max)
{
    uint64_t v;
    if (emu_number(s, &v) || v < min || v > max) {
        say("%s %s: a number from %llu to %llu is needed", option, s, (unsigned long long)min, (unsigned long long)max);
        exit(2);
    }
    return v;
}

int main(int argc, char **argv)
{
    int i;
    uint64_t schedules = 1, schedule = 0, seed = 1;
    const char *json = NULL, *device = NULL, *board = NULL;
    if (argc < 2) { help(stderr); return 2; }
    for (i = 1; i < argc && argv[i][0] == '-'; ++i) {
        char name[32];
        const char *eq = strchr(argv[i], '='), *value = NULL;
        snprintf(name, sizeof name, "%.*s", (int)(eq ? eq - argv[i] : (long)strlen(argv[i])), argv[i]);
        if (eq) value = eq + 1;
        int flag = 0;                               /* options without a value */
        if (!strcmp(argv[i], "--")) { ++i; break; }
        if (!strcmp(name, "--help") || !strcmp(name, "-h")) { help(stdout); return 0; }
        else if (!strcmp(name, "--version")) { puts("tcemu " VERSION " (CUDA 13.0)"); return 0; }
        else if (!strcmp(name, "--device")) {
            device = argument(argc, argv, &i, value);
            if (!strcmp(device, "list")) { emu_device_list(stdout); return 0; }
            if (!emu_device_find(device)) {
                say("there is no device %s; tcemu --device list shows what there is", device);
                return 2;
            }
            set("TCEMU_DEVICE", device);
        }
        else if (!strcmp(name, "--sms"))
            set_number("TCEMU_SMS", number(name, argument(argc, argv, &i, value), 1, 65536));
        else if (!strcmp(name, "--seed"))
            seed = number(name, argument(argc, argv, &i, value), 0, UINT64_MAX), set_number("TCEMU_SEED", seed);
        else if (!strcmp(name, "--schedules")) schedules = number(name, argument(argc, argv, &i, value), 1, 1000000);
        else if (!strcmp(name, "--schedule"))
            schedule = number(name, argument(argc, argv, &i, value), 0, 1000000),
                set_number("TCEMU_SCHEDULE", schedule);
        else if (!strcmp(name, "--threads"))
            set_number("TCEMU_THREADS", number(name, argument(argc, argv, &i, value), 1, 1024));
        else if (!strcmp(name, "--hang"))
            set_number("TCEMU_HANG", number(name, argument(argc, argv, &i, value), 1, UINT64_MAX));
        else if (!strcmp(name, "--timeout"))
            set_number("TCEMU_TIMEOUT", number(name, argument(argc, argv, &i, value), 0, 1000000000));
        else if (!strcmp(name, "--error-exitcode"))
            set_number("TCEMU_ERROR_EXITCODE", number(name, argument(argc, argv, &i, value), 0, 255));
        else if (!strcmp(name, "--json")) {
            if (value && !*value) { say("--json= needs the name of a file"); return 2; }
            json = value ? value : "-";
        }
        else if (!strcmp(name, "--model")) {
            board = argument(argc, argv, &i, value);
            if (!strcmp(board, "list")) { emu_model_list(stdout); return 0; }
            if (!emu_model_device(board)) {
                say("there is no board %s; tcemu --model list shows what there is", board);
                return 2;
            }
            set("TCEMU_MODEL", board);
        }
        else if (!strcmp(name, "--model-svg")) set("TCEMU_MODEL_SVG", argument(argc, argv, &i, value));
        else if (!strcmp(name, "--model-kernel")) set("TCEMU_MODEL_KERNEL", argument(argc, argv, &i, value));
        else if (!strcmp(name, "--stats") && value) {
            if (strcmp(value, "line") && strcmp(value, "kernel")) {
                say("--stats=%s: line or kernel is needed", value);
                return 2;
            }
            set("TCEMU_STATS", *value == 'k' ? "2" : "1");
        }
        else if ((flag = !strcmp(name, "--stats"))) set("TCEMU_STATS", "1");
        else if ((flag = !strcmp(name, "--strict"))) set("TCEMU_STRICT", "1");
        else if ((flag = !strcmp(name, "--no-checks"))) set("TCEMU_CHECKS", "0");
        else if ((flag = !strcmp(name, "-v") || !strcmp(name, "--verbose"))) set("TCEMU_VERBOSE", "1");
        else { say("there is no option %s; see tcemu --help", argv[i]); return 2; }
        if (flag && value) { say("%s takes no value", name); return 2; }
    }
    if (board && !device) set("TCEMU_DEVICE", device = emu_model_device(board)->target);
    if (i >= argc) { say("which program? See tcemu --help"); return 2; }
    if (schedules > 1 && schedule) {
        say("--schedules runs them all, --schedule only one: give one of the two");
        return 2;
    }

    char buf[PATH_MAX];
    const char *path = find_program(argv[i], buf, sizeof buf);
    if (!path) { say("%s: there is no such program", argv[i]); return 127; }
    if (check_program(path)) {
        say("%s: built with the static CUDA runtime: rebuild with nvcc -cudart shared", argv[i]);
        return 1;
    }
    preload();
    if (json) set_json(json, 0);
    if (schedules == 1) {
        execv(path, argv + i);
        int e = errno;
        say("%s: %s", argv[i], strerror(e));
        return e == ENOENT ? 127 : 126;
    }

    /* the launcher's own environment is the children's: only schedule and JSON file change from run to run */
    signal(SIGINT, forward); signal(SIGTERM, forward); signal(SIGHUP, forward);
    int worst = 0; uint64_t failed = 0, first = 0, s;
    for (s = 0; s < schedules; ++s) {
        set_number("TCEMU_SCHEDULE", s);
        if (json) set_json(json, s);
        int st = run(path, argv + i);
        if (!st) continue;
        if (!failed++) first = s;
        if (st > worst) worst = st;
        say("schedule %llu of %llu failed with exit status %d; alone: tcemu%s%s --schedule %llu --seed %llu %s ...",
            (unsigned long long)s, (unsigned long long)schedules, st, device ? " --device " : "", device ? device : "",
            (unsigned long long)s, (unsigned long long)seed, argv[i]);
        if (st == 126 || st == 127 || st == 128 + SIGINT || st == 128 + SIGTERM) return st;
    }
    if (failed)
        say("%llu of %llu schedules failed, the first was %llu", (unsigned long long)failed,
            (unsigned long long)schedules, (unsigned long long)first);
    else if (getenv("TCEMU_VERBOSE")) say("all %llu schedules passed", (unsigned long long)schedules);
    return worst;
}
