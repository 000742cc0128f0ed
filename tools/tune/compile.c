/* compile.c - what NVRTC is given, and the processes that run it, one for each kernel and as many at a time as there
 * are processors. A compiler that dies takes its kernel along and nothing else. */
#include "tune.h"
#include <errno.h>
#include <fcntl.h>
#include <nvrtc.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTIONS(F)                                                                                                   \
    F(CreateProgram)                                                                                                   \
    F(CompileProgram) F(GetProgramLogSize) F(GetProgramLog) F(GetPTXSize) F(GetPTX) F(GetCUBINSize) F(GetCUBIN)        \
        F(GetErrorString)
#define DECLARE(name) __typeof__(nvrtc##name) *name;
static struct {
    FUNCTIONS(DECLARE)
} nvrtc;

static const char helpers_source[] =
    /* standard normal numbers, or (exact) eighths in -1..1, whose sums have no rounding in whichever order */
    "static __device__ uint32_t tune_hash(unsigned long long x)\n"
    "{\n"
    "    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;\n"
    "    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;\n"
    "    return (uint32_t)(x >> 32);\n"
    "}\n"
    "extern \"C\" __global__ void tune_fill(uint16_t *p, unsigned long long count, unsigned long long seed,\n"
    "                                     int exact)\n"
    "{\n"
    "    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
    "    for (; i < count; i += (unsigned long long)gridDim.x * blockDim.x) {\n"
    "        const uint32_t h = tune_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i);\n"
    "        const float u = ((float)h + 1.f) * 2.3283064e-10f;\n"
    "        const float v = (float)tune_hash(seed * 0x9e3779b97f4a7c15ull + 2 * i + 1) * 2.3283064e-10f;\n"
    "        const float x = exact ? ((float)(h % 17u) - 8.f) / 8.f\n"
    "                              : sqrtf(-2.f * __logf(u)) * __cosf(6.2831853f * v);\n"
    "        p[i] = TUNE_A == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);\n"
    "    }\n"
    "}\n";
static const char reference_source[] =
    /* the reference: 64 x 64 of D by 256 threads, 4 x 4 each; of D the rows 0, row_step, ... alone */
    "typedef struct { int m, n, k, rows, row_step; const uint16_t *a, *b; void *d;\n"
    "                 unsigned char TC_ALIGN(16) epi[TC_EPI_MAX]; } tune_params;\n"
    "static __device__ float tune_load(const uint16_t *p)\n"
    "{ return TUNE_A == TC_BF16 ? tc_f32_from_bf16(*p) : tc_f32_from_f16(*p); }\n"
    "static __device__ void tune_store(void *d, unsigned long long i, float x)\n"
    "{\n"
    "    if (TUNE_D == TC_F32) ((float *)d)[i] = x;\n"
    "    else ((uint16_t *)d)[i] = TUNE_D == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);\n"
    "}\n"
    "static __device__ float tune_d(const void *d, unsigned long long i)\n"
    "{\n"
    "    const uint16_t *h = (const uint16_t *)d;\n"
    "    if (TUNE_D == TC_F32) return ((const float *)d)[i];\n"
    "    return TUNE_D == TC_BF16 ? tc_f32_from_bf16(h[i]) : tc_f32_from_f16(h[i]);\n"
    "}\n"
    "extern \"C\" __global__ void __launch_bounds__(256) tune_reference(const __grid_constant__ tune_params p)\n"
    "{\n"
    "    __shared__ float a[64][17], b[64][17];\n"
    "    const int t = (int)threadIdx.x, tx = t % 16, ty = t / 16;\n"
    "    const int row0 = (int)blockIdx.y * 64, col0 = (int)blockIdx.x * 64;\n"
    "    float acc[4][4] = {};\n"
    "    for (int k0 = 0; k0 < p.k; k0 += 16) {\n"
    "        for (int i = t; i < 64 * 16; i += 256) {\n"
    "            const int r = i / 16, kk = k0 + i % 16, row = row0 + r, col = col0 + r;\n"
    "            const uint16_t *from = p.a + (long long)row * p.row_step * p.k + kk;\n"
    "            a[r][i % 16] = row < p.rows && kk < p.k ? tune_load(from) : 0.f;\n"
    "            b[r][i % 16] = col < p.n && kk < p.k ? tune_load(p.b + (long long)col * p.k + kk) : 0.f;\n"
    "        }\n"
    "        __syncthreads();\n"
    "        for (int kk = 0; kk < 16; kk++)\n"
    "            for (int i = 0; i < 4; i++)\n"
    "                for (int j = 0; j < 4; j++) acc[i][j] += a[ty * 4 + i][kk] * b[tx * 4 + j][kk];\n"
    "        __syncthreads();\n"
    "    }\n"
    "    for (int i = 0; i < 4; i++)\n"
    "        for (int j = 0; j < 4; j += 2) {\n"
    "            const int row = row0 + ty * 4 + i, col = col0 + tx * 4 + j;\n"
    "            float x = acc[i][j], y = acc[i][j + 1];\n"
    "            if (row >= p.rows || col >= p.n) continue;\n"
    "            const int two = col + 1 < p.n;\n"
    "            tc_gemm_at at = {row * p.row_step, col, 0, 0}, next = {row * p.row_step, col + 1, 0, 0};\n"
    "            (void)at, (void)next;\n"
    "#if TUNE_HOOK == 1\n"
    "            x = TUNE_EPI(x, at, p.epi);\n"
    "            if (two) y = TUNE_EPI(y, next, p.epi);\n"
    "#elif TUNE_HOOK == 2\n"
    "            tc_f32x2 pair = {x, y};\n"
    "            pair = TUNE_EPI(pair, at, p.epi);\n"
    "            x = pair.x, y = pair.y;\n"
    "#endif\n"
    "            tune_store(p.d, (unsigned long long)row * p.n + col, x);\n"
    "            if (two) tune_store(p.d, (unsigned long long)row * p.n + col + 1, y);\n"
    "        }\n"
    "}\n"
    /* found[0]: elements that differ by more than a unit in the last place of D's type; [1]: the first of them */
    "extern \"C\" __global__ void tune_compare(const __grid_constant__ tune_params p, const void *got,\n"
    "                                        unsigned long long *found)\n"
    "{\n"
    "    const float unit = TUNE_D == TC_F32 ? 1.f / (1 << 20) : TUNE_D == TC_BF16 ? 1.f / 128 : 1.f / 1024;\n"
    "    const unsigned long long count = (unsigned long long)p.rows * p.n;\n"
    "    unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;\n"
    "    for (; i < count; i += (unsigned long long)gridDim.x * blockDim.x) {\n"
    "        const unsigned long long at = i / p.n * p.row_step * p.n + i % p.n;\n"
    "        const float x = tune_d(got, at), want = tune_d(p.d, i);\n"
    "        const int both = x == want || (x != x && want != want);\n"
    "        if (!both && !(fabsf(x - want) <= unit * fabsf(want) + 1e-6f)) {\n"
    "            atomicAdd(found, 1ull);\n"
    "            atomicMin(found + 1, at);\n"
    "        }\n"
    "    }\n"
    "}\n";

/* ---- where things are ---- */
static int readable(const char *directory, const char *name)
{
    char path[PATH_SIZE];
    tune_print(path, sizeof path, "%s/%s", directory, name);
    return access(path, R_OK) == 0;
}

/* The headers: as told, or beside the program: in the repository it lies in build/, installed in bin/. */
static void find_headers(request *r)
{
    static const char *const beside[] = {"..", "../include", "."};
    char self[PATH_SIZE], *slash;
    ssize_t n;
    int i;
    if (*r->include) {
        if (!readable(r->include, "tc_gemm.h")) tune_fail(2, "--include %s: there is no tc_gemm.h in it", r->include);
        return;
    }
    n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (i = 0; i < COUNT(beside) && slash; i++) {
        tune_print(r->include, sizeof r->include, "%.900s/%s", self, beside[i]);
        if (readable(r->include, "tc_gemm.h")) return;
    }
    tune_print(r->include, sizeof r->include, ".");
    if (!readable(".", "tc_gemm.h"))
        tune_fail(2, "the headers of tc are not beside this program (%s): say --include DIRECTORY", slash ? self : "?");
}

void compile_start(request *r)
{
    static const int versions[] = {13, 12, 0};
    char why[TEXT_SIZE];
    void *library;
    find_headers(r);
    library = library_open(r, "libnvrtc.so", versions, why, sizeof why);
    if (!library)
        tune_fail(1,
                  "NVRTC compiles the candidates, and is not here (%s): install the CUDA Toolkit, or say --cuda "
                  "DIRECTORY",
                  why);
#define LOAD(name)                                                                                                     \
    {                                                                                                                  \
        void *found = library_find(library, "nvrtc" #name);                                                            \
        if (!found) tune_fail(1, "this NVRTC has no nvrtc" #name);                                                     \
        memcpy((void *)&nvrtc.name, &found, sizeof found);                                                             \
    }
    FUNCTIONS(LOAD)
}

/* ---- sources ---- */
/* What stands in the generator's brackets behind the name. */
void compile_fields(const request *r, const kernel *k, char *out, size_t size)
{
    char epi[2 * TEXT_SIZE] = "", bytes[32] = "TC_NO_ARGS";
    if (r->epi.size > 0) tune_print(bytes, sizeof bytes, "%d", r->epi.size);
    if (r->epi.given)
        tune_print(epi, sizeof epi, ", .%s = %s, .epi_size = %s", r->epi.pair ? "epi2" : "epi", r->epi.name, bytes);
    tune_print(out, size, ".a = %s, .b = %s, .d = %s%s%s%s", r->a == TC_BF16 ? "TC_BF16" : "TC_F16",
               r->a == TC_BF16 ? "TC_BF16" : "TC_F16",
               r->d == TC_F32    ? "TC_F32"
               : r->d == TC_BF16 ? "TC_BF16"
                                 : "TC_F16",
               *k->fields ? ", " : "", k->fields, epi);
}

static char *source_of(const request *r, const kernel *k)
{
    const size_t room = sizeof helpers_source + sizeof reference_source + 8192;
    char *text = (char *)tune_alloc(room), fields[4 * TEXT_SIZE];
    /* a field more or less may hide in the struct's padding */
    const int fields_before = (int)(offsetof(tc_gemm_config, epi_size) / sizeof(int));
    size_t used;
    int i;
    tune_print(text, room, "#include <tc_gemm.h>\n"); /* in quotes it would be sought in the current directory first */
    if (*r->epi.file) {
        used = strlen(text);
        tune_print(text + used, room - used, "#include \"%s\"\n", r->epi.file);
    }
    used = strlen(text);
    tune_print(text + used, room - used, "constexpr tc_gemm_config tune_fields = {");
    for (i = 0; i < fields_before; i++) {
        used = strlen(text);
        tune_print(text + used, room - used, "0, ");
    }
    used = strlen(text);
    tune_print(text + used, room - used,
               "1};\n"
               "static_assert(sizeof(tc_gemm_config) == %u && tune_fields.epi_size == 1 && "
               "sizeof(tc_gemm_sm90_params) == %u && sizeof(tc_gemm_sm80_params) == %u,\n"
               "              \"tc: these are not the headers that tc_tune was built with\");\n",
               (unsigned)sizeof(tc_gemm_config), (unsigned)sizeof(tc_gemm_sm90_params),
               (unsigned)sizeof(tc_gemm_sm80_params));
    if (k->gen == 0 && r->epi.given) { /* a hook of another type: an error about it, not about what calls it */
        used = strlen(text);
        tune_print(text + used, room - used, "static __device__ void tune_hook(void) { %s hook = %s; (void)hook; }\n",
                   r->epi.pair ? "tc_epi2_fn" : "tc_epi_fn", r->epi.name);
    }
    used = strlen(text);
    if (k->gen == 0) {
        tune_print(text + used, room - used,
                   "#define TUNE_A %d\n#define TUNE_D %d\n#define TUNE_HOOK %d\n"
                   "#define TUNE_EPI %s\n%s%s",
                   r->a, r->d, r->epi.given ? 1 + r->epi.pair : 0, r->epi.given ? r->epi.name : "", helpers_source,
                   reference_source);
    } else {
        compile_fields(r, k, fields, sizeof fields);
        tune_print(text + used, room - used, "%s(tune_gemm, %s)\n", candidate_generator(k), fields);
    }
    return text;
}

/* ---- one compilation, in a process of its own ---- */
static void write_file(const char *path, const char *end, const char *bytes, size_t size)
{
    char whole[PATH_SIZE];
    FILE *f;
    tune_print(whole, sizeof whole, "%s.%s", path, end);
    f = fopen(whole, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f)) _exit(3);
}

static _Noreturn void child(const request *r, const kernel *k)
{
    char option[24][PATH_SIZE + 32], *log, *code;
    const char *options[24];
    const char *const homes[] = {r->cuda, getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    nvrtcProgram program;
    nvrtcResult result;
    size_t size = 0;
    int n = 0, i;
    signal(SIGINT, SIG_DFL); /* who waits for it stops it */
    signal(SIGTERM, SIG_DFL);
    tune_print(option[n++], sizeof option[0], "--gpu-architecture=%s", r->arch);
    tune_print(option[n++], sizeof option[0], "--std=c++17");
    tune_print(option[n++], sizeof option[0], "--ptxas-options=-v");
    tune_print(option[n++], sizeof option[0], "--include-path=%s", r->include);
    for (i = 0; i < r->mores; i++) tune_print(option[n++], sizeof option[0], "--include-path=%s", r->more[i]);
    for (i = 0; i < COUNT(homes); i++) {
        if (!homes[i] || strlen(homes[i]) > 900) continue;
        tune_print(option[n], sizeof option[0], "--include-path=%s/include", homes[i]);
        if (readable(strchr(option[n], '=') + 1, "cuda.h")) {
            n++;
            break;
        }
    }
    for (i = 0; i < n; i++) options[i] = option[i];
    result = nvrtc.CreateProgram(&program, source_of(r, k), "tc_tune.cu", 0, NULL, NULL);
    if (result == NVRTC_SUCCESS) result = nvrtc.CompileProgram(program, n, options);
    if (nvrtc.GetProgramLogSize(program, &size) != NVRTC_SUCCESS) size = 0;
    log = (char *)tune_alloc(size + 256);
    if (size) nvrtc.GetProgramLog(program, log);
    if (result != NVRTC_SUCCESS) {
        const size_t used = strlen(log);
        tune_print(log + used, size + 256 - used, "\nerror: %s\n", nvrtc.GetErrorString(result));
    }
    write_file(k->path, "log", log, strlen(log));
    if (result != NVRTC_SUCCESS) _exit(1);
    if (nvrtc.GetPTXSize(program, &size) == NVRTC_SUCCESS && size) {
        code = (char *)tune_alloc(size);
        if (nvrtc.GetPTX(program, code) == NVRTC_SUCCESS) write_file(k->path, "ptx", code, size);
    }
    if (nvrtc.GetCUBINSize(program, &size) == NVRTC_SUCCESS && size) {
        code = (char *)tune_alloc(size);
        if (nvrtc.GetCUBIN(program, code) == NVRTC_SUCCESS) write_file(k->path, "cubin", code, size);
    }
    _exit(0);
}

/* The first line of the log with an error in it; else what became of the compiler. */
static void first_error(kernel *k, const char *log, int status)
{
    const char *line = log, *found = NULL;
    while (line && *line && !found) {
        const size_t n = strcspn(line, "\n");
        const char *e = strstr(line, "error");
        if (e && e < line + n) found = line;
        line = line[n] ? line + n + 1 : NULL;
    }
    if (found)
        tune_print(k->why, sizeof k->why, "%.*s", (int)(strcspn(found, "\n") > 480 ? 480 : strcspn(found, "\n")),
                   found);
    else if (WIFSIGNALED(status)) tune_print(k->why, sizeof k->why, "the compiler died of signal %d", WTERMSIG(status));
    else tune_print(k->why, sizeof k->why, "the compiler ended with status %d and said nothing", WEXITSTATUS(status));
}

static void ended(kernel *k, int status)
{
    char path[PATH_SIZE], *log = (char *)tune_alloc(1 << 16);
    const char *at;
    FILE *f;
    tune_print(path, sizeof path, "%s.log", k->path);
    f = fopen(path, "rb");
    if (f) {
        log[fread(log, 1, (1 << 16) - 1, f)] = 0;
        fclose(f);
    }
    k->state = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? KERNEL_READY : KERNEL_BAD;
    if (k->state == KERNEL_BAD) first_error(k, log, status);
    /* what ptxas says of each entry: the most of them */
    for (at = log; (at = strstr(at, "Used ")) != NULL; at++)
        if (atoi(at + 5) > k->registers) k->registers = atoi(at + 5);
    for (at = log; (at = strstr(at, " bytes spill stores")) != NULL; at++) {
        const char *number = at;
        while (number > log && number[-1] >= '0' && number[-1] <= '9') number--;
        if (atoi(number) > k->spills) k->spills = atoi(number);
    }
    free(log);
}

/* Children that run; killed when the program ends early. */
enum { MOST_JOBS = 256 };
static struct {
    pid_t pid;
    kernel *k;
    double began;
} running[MOST_JOBS];
static int running_count;
static pid_t parent;

static void stop_children(void)
{
    int i;
    if (getpid() != parent) return;
    for (i = 0; i < running_count; i++) kill(running[i].pid, SIGTERM);
}

void compile_kernels(const request *r, kernel **kernels, int count)
{
    static int number;
    int next = 0, done = 0, status, i;
    pid_t pid;
    if (!parent) atexit(stop_children);
    parent = getpid();
    while (done < count) {
        while (next < count && running_count < (r->jobs < MOST_JOBS ? r->jobs : MOST_JOBS)) {
            kernel *k = kernels[next++];
            tune_print(k->path, sizeof k->path, "%.900s/%d", r->work, number++);
            fflush(NULL);
            pid = fork();
            if (pid < 0) tune_fail(1, "cannot start a process for the compiler: %s", strerror(errno));
            if (pid == 0) child(r, k);
            running[running_count].pid = pid;
            running[running_count].k = k;
            running[running_count++].began = tune_now();
        }
        report_progress("compiling", done, count, kernels[done]->fields);
        pid = waitpid(-1, &status, 0);
        if (tune_stopped) tune_fail(130, "stopped");
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) tune_fail(1, "a compiler cannot be waited for: %s", strerror(errno));
        for (i = 0; i < running_count && running[i].pid != pid; i++) {}
        if (i == running_count) continue;
        running[i].k->compile_s = tune_now() - running[i].began;
        ended(running[i].k, status);
        running[i] = running[--running_count];
        done++;
    }
    report_clear();
}
