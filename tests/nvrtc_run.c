/* nvrtc_run.c - generated kernels that a C program compiles at run time and launches by itself: NVRTC takes
 * build/tc_single.h and a few lines as one string, the driver API loads the PTX, tc_*_prepare say how to launch it.
 * Results beside fp64; refusals in words. build/tests/nvrtc_run [the file, default build/tc_single.h] Needs a GPU, or
 * tcemu. */
#include "../tc.h"
#include "test.h"
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>

static const char user[] =
    "\ntypedef struct { const float *bias; float scale; } my_args;\n"
    "TC_DEV float my_epi(float x, tc_gemm_at at, const void *args)\n"
    "{ const my_args *p = (const my_args *)args; return x * p->scale + p->bias[at.col]; }\n"
    "TC_DEV tc_f32x2 my_epi2(tc_f32x2 x, tc_gemm_at at, const void *args)\n"
    "{ const my_args *p = (const my_args *)args;\n"
    "  x.x = x.x * p->scale + p->bias[at.col]; x.y = x.y * p->scale + p->bias[at.col + 1]; return x; }\n"
    "TC_DEV float my_score(float s, tc_attn_at at, const void *args)\n"
    "{ const my_args *p = (const my_args *)args; return s + p->bias[at.h] * (float)(at.kv - at.q); }\n"
    "TC_GEMM_SM80_DEFINE(gemm80, .epi2 = my_epi2, .epi_size = sizeof(my_args), .a = TC_F16, .b = TC_F16, .d = TC_F32, "
    ".bm = 64, .bn = 64)\n"
    "TC_ATTN_SM80_DEFINE(attn80, .score = my_score, .hook_size = sizeof(my_args), .type = TC_F16, .head_dim = 64)\n"
    "#if TC_HAS_SM90A\n"
    "TC_GEMM_SM90_DEFINE(gemm90, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 128, .cluster_m = 2, .epi = my_epi, "
    ".epi_size = sizeof(my_args))\n"
    "TC_ATTN_SM90_DEFINE(attn90, .type = TC_BF16, .head_dim = 64, .causal = 1, .score = my_score, .hook_size = "
    "sizeof(my_args))\n"
    "#endif\n";
typedef struct { const float *bias; float scale; } my_args;

/* The same configurations, for the host: a hook is a function of the device, of which it matters here only that there
 * is one. */
static tc_gemm_config config_gemm90(void)
{
    const tc_gemm_config c = {.a = TC_BF16,
                              .b = TC_BF16,
                              .d = TC_BF16,
                              .bn = 128,
                              .cluster_m = 2,
                              .epi = tc_epi_on_device,
                              .epi_size = sizeof(my_args)};
    return c;
}
static tc_gemm_config config_gemm80(void)
{
    const tc_gemm_config c = {.a = TC_F16,
                              .b = TC_F16,
                              .d = TC_F32,
                              .bm = 64,
                              .bn = 64,
                              .epi2 = tc_epi2_on_device,
                              .epi_size = sizeof(my_args)};
    return c;
}
static tc_attn_config config_attn90(void)
{
    const tc_attn_config c = {
        .type = TC_BF16, .head_dim = 64, .causal = 1, .score = tc_attn_score_on_device, .hook_size = sizeof(my_args)};
    return c;
}
static tc_attn_config config_attn80(void)
{
    const tc_attn_config c = {
        .type = TC_F16, .head_dim = 64, .score = tc_attn_score_on_device, .hook_size = sizeof(my_args)};
    return c;
}

/* ---- NVRTC and the driver ---- */
#define FUNCTIONS(F)                                                                                                   \
    F(Init) F(ModuleLoadData) F(ModuleGetFunction) F(FuncSetAttribute) F(LaunchKernelEx) F(CtxSynchronize)
#define DECLARE(name) __typeof__(cu##name) *name;
static struct { FUNCTIONS(DECLARE) } cu;
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

static void load_driver(void)
{
    void *lib = dlopen("libcuda.so.1", RTLD_NOW);
    void *found = NULL;
    if (!lib) {
        SKIP("no driver: %s", dlerror());
        exit(test_end());
    }
#define LOAD(name)                                                                                                     \
    found = dlsym(lib, TEXT(cu##name)), memcpy((void *)&cu.name, &found, sizeof found);                                \
    CHECK(found != NULL, "no " #name);
    FUNCTIONS(LOAD)
    if (test_failed) exit(test_end());
}

/* The file, then the lines above, as one string, to PTX. */
static char *compile(const char *path, const char *arch, const char *std)
{
    FILE *f = fopen(path, "rb");
    const char *options[2];
    char option[64], *text = NULL, *log, *ptx;
    long size = -1;
    size_t log_size = 0, ptx_size = 0;
    nvrtcProgram program;
    nvrtcResult result;
    if (f && fseek(f, 0, SEEK_END) == 0) size = ftell(f);
    if (size >= 0) text = (char *)malloc((size_t)size + sizeof user);
    if (!text || fseek(f, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)size, f) != (size_t)size) {
        printf("FAIL cannot read %s\n", path);
        exit(1);
    }
    fclose(f);
    memcpy(text + size, user, sizeof user);
    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    options[0] = option;
    options[1] = std;
    if (nvrtcCreateProgram(&program, text, "user.cu", 0, NULL, NULL) != NVRTC_SUCCESS) exit(1);
    result = nvrtcCompileProgram(program, 2, options);
    nvrtcGetProgramLogSize(program, &log_size);
    log = (char *)calloc(log_size + 1, 1);
    nvrtcGetProgramLog(program, log);
    CHECK(result == NVRTC_SUCCESS && !strstr(log, "warning"), "%s %s: %s\n%.900s", arch, std,
          nvrtcGetErrorString(result), log);
    if (result != NVRTC_SUCCESS || nvrtcGetPTXSize(program, &ptx_size) != NVRTC_SUCCESS) exit(test_end());
    ptx = (char *)calloc(ptx_size + 1, 1);
    nvrtcGetPTX(program, ptx);
    nvrtcDestroyProgram(&program);
    free(log);
    free(text);
    return ptx;
}

/* What every prepared call has. */
typedef struct shape {
    unsigned grid, block, smem, cluster;
} shape;

static void launch(CUmodule module, const char *name, shape s, void *params)
{
    CUfunction f;
    CUlaunchConfig l;
    CUlaunchAttribute attribute;
    void *arguments[1];
    arguments[0] = params;
    memset(&l, 0, sizeof l);
    memset(&attribute, 0, sizeof attribute);
    l.gridDimX = s.grid, l.gridDimY = l.gridDimZ = 1;
    l.blockDimX = s.block, l.blockDimY = l.blockDimZ = 1;
    l.sharedMemBytes = s.smem;
    if (s.cluster > 1) {
        attribute.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attribute.value.clusterDim.x = s.cluster;
        attribute.value.clusterDim.y = attribute.value.clusterDim.z = 1;
        l.attrs = &attribute;
        l.numAttrs = 1;
    }
    CHECK(cu.ModuleGetFunction(&f, module, name) == CUDA_SUCCESS, "%s is not in the module", name);
    CHECK(cu.FuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)s.smem) == CUDA_SUCCESS,
          "%s: %u bytes", name, s.smem);
    CHECK(cu.LaunchKernelEx(&l, f, arguments, NULL) == CUDA_SUCCESS, "%s: grid %u, block %u, cluster %u", name, s.grid,
          s.block, s.cluster);
    CHECK(cu.CtxSynchronize() == CUDA_SUCCESS, "%s does not end well", name);
}

/* ---- data ---- */
enum { COUNT = 256 * 256, HEADS = 2, DIM = 64, M = 200, N = 130, K = 88, LEN = 150, SMS = 5 };
static uint16_t a[COUNT], b[COUNT], v[COUNT];
static float bias[256], out[COUNT];
static void *dev_a, *dev_b, *dev_v, *dev_out, *dev_bias;
static my_args hook;

static float value(int type, uint16_t x) { return type == TC_BF16 ? tc_f32_from_bf16(x) : tc_f32_from_f16(x); }

static void *device(const void *from, size_t bytes)
{
    void *p = NULL;
    CHECK(cudaMalloc(&p, bytes) == cudaSuccess, "no memory");
    CHECK(cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice) == cudaSuccess, "no copy");
    return p;
}

static void fill(int type)
{
    uint16_t *all[3];
    int i, j;
    all[0] = a, all[1] = b, all[2] = v;
    for (i = 0; i < COUNT; i++)
        for (j = 0; j < 3; j++)
            all[j][i] = type == TC_BF16 ? tc_bf16_from_f32(test_normal()) : tc_f16_from_f32(test_normal());
    for (i = 0; i < 256; i++) bias[i] = test_normal();
    dev_a = device(a, sizeof a), dev_b = device(b, sizeof b), dev_v = device(v, sizeof v);
    dev_out = device(out, sizeof out), dev_bias = device(bias, sizeof bias);
    hook.bias = (const float *)dev_bias;
    hook.scale = 0.5f;
}

static void drop(void)
{
    cudaFree(dev_a), cudaFree(dev_b), cudaFree(dev_v), cudaFree(dev_out), cudaFree(dev_bias);
}

/* ---- GEMM ---- */
static tc_gemm_args gemm_args(int k, int pitch)
{
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = k;
    g.a = dev_a, g.lda = pitch;
    g.b = dev_b, g.ldb = pitch;
    g.d = dev_out, g.ldd = 136;
    g.epi_args = &hook, g.epi_size = sizeof hook;
    return g;
}

static void check_gemm(const char *name, const tc_gemm_config *c, const tc_gemm_args *g)
{
    double worst = 0;
    int i, j, k;
    CHECK(cudaMemcpy(out, dev_out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess, "no result");
    for (i = 0; i < g->m; i++) {
        for (j = 0; j < g->n; j++) {
            double sum = 0, got;
            for (k = 0; k < g->k; k++) sum += (double)value(c->a, a[i * g->lda + k]) * value(c->b, b[j * g->ldb + k]);
            sum = sum * hook.scale + bias[j];
            got = c->d == TC_F32 ? out[i * g->ldd + j]
                                 : tc_f32_from_bf16(((const uint16_t *)(const void *)out)[i * g->ldd + j]);
            if (fabs(got - sum) > worst) worst = fabs(got - sum);
        }
    }
    CHECK(worst < (c->d == TC_F32 ? 1e-4 : 0.07), "%s: off by %g", name,
          worst); /* bf16: half a unit of values up to 32 */
}

static void test_gemm90(CUmodule module)
{
    const tc_gemm_config c = config_gemm90();
    tc_gemm_args g;
    tc_gemm_sm90_launch l;
    shape s;
    fill(TC_BF16);
    g = gemm_args(K, K);
    CHECK(tc_gemm_sm90_prepare(&c, &g, SMS, &l) == TC_OK, "%s", tc_why());
    CHECK(l.cluster == 2 && l.block == 384 && l.grid == 4 && l.smem > 100000, "grid %u, block %u, %u bytes, cluster %u",
          l.grid, l.block, l.smem, l.cluster);
    s.grid = l.grid, s.block = l.block, s.smem = l.smem, s.cluster = l.cluster;
    launch(module, "gemm90", s, &l.params);
    check_gemm("gemm90", &c, &g);
    drop();
}

static void test_gemm80(CUmodule module)
{
    const tc_gemm_config c = config_gemm80();
    int any;
    for (any = 0; any < 2; any++) {
        tc_gemm_args g;
        tc_gemm_sm80_launch l;
        shape s;
        fill(TC_F16);
        g = gemm_args(K - any, K - any);
        CHECK(tc_gemm_sm80_prepare(&c, &g, SMS, &l) == TC_OK, "%s", tc_why());
        CHECK(l.any == any && l.cluster == 1 && l.block == 128 && l.grid == 4 * 3, "any %d, grid %u, block %u", l.any,
              l.grid, l.block);
        s.grid = l.grid, s.block = l.block, s.smem = l.smem, s.cluster = l.cluster;
        launch(module, l.any ? "gemm80_any" : "gemm80", s, &l.params);
        check_gemm(l.any ? "gemm80_any" : "gemm80", &c, &g);
        drop();
    }
}

/* ---- attention ---- */
static tc_attn_args attn_args(void)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = 1, g.heads = HEADS;
    g.q_len = g.k_len = LEN;
    g.q = dev_a, g.k = dev_b, g.v = dev_v, g.o = dev_out;
    g.hook_args = &hook, g.hook_size = sizeof hook;
    return g;
}

static void check_attn(const char *name, int type, int causal)
{
    const uint16_t *o = (const uint16_t *)(const void *)out;
    double worst = 0;
    int h, i, j, e;
    CHECK(cudaMemcpy(out, dev_out, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess, "no result");
    for (h = 0; h < HEADS; h++) {
        for (i = 0; i < LEN; i++) {
            double sum = 0, row[DIM] = {0}, most = -1e30, score[LEN];
            const int end = causal ? i + 1 : LEN;
            for (j = 0; j < end; j++) {
                score[j] = 0;
                for (e = 0; e < DIM; e++)
                    score[j] +=
                        (double)value(type, a[(i * HEADS + h) * DIM + e]) * value(type, b[(j * HEADS + h) * DIM + e]);
                score[j] = score[j] / 8 + (double)bias[h] * (j - i);
                if (score[j] > most) most = score[j];
            }
            for (j = 0; j < end; j++) {
                const double p = exp(score[j] - most);
                sum += p;
                for (e = 0; e < DIM; e++) row[e] += p * value(type, v[(j * HEADS + h) * DIM + e]);
            }
            for (e = 0; e < DIM; e++) {
                const double off = fabs(row[e] / sum - value(type, o[(i * HEADS + h) * DIM + e]));
                if (off > worst) worst = off;
            }
        }
    }
    CHECK(worst < 0.03, "%s: off by %g", name, worst);
}

static void test_attn90(CUmodule module)
{
    const tc_attn_config c = config_attn90();
    tc_attn_args g;
    tc_attn_sm90_launch l;
    shape s;
    fill(TC_BF16);
    g = attn_args();
    CHECK(tc_attn_sm90_prepare(&c, &g, SMS, &l) == TC_OK, "%s", tc_why());
    s.grid = l.grid, s.block = l.block, s.smem = l.smem, s.cluster = l.cluster;
    launch(module, "attn90", s, &l.params);
    check_attn("attn90", TC_BF16, 1);
    drop();
}

static void test_attn80(CUmodule module)
{
    const tc_attn_config c = config_attn80();
    tc_attn_args g;
    tc_attn_sm80_launch l;
    shape s;
    fill(TC_F16);
    g = attn_args();
    CHECK(tc_attn_sm80_prepare(&c, &g, SMS, &l) == TC_OK, "%s", tc_why());
    s.grid = l.grid, s.block = l.block, s.smem = l.smem, s.cluster = l.cluster;
    launch(module, "attn80", s, &l.params);
    check_attn("attn80", TC_F16, 0);
    drop();
}

/* ---- refusals: of configurations, of calls; nothing to compute ---- */
#define SAYS(call, status, text)                                                                                      \
    do {                                                                                                              \
        const tc_status st_ = call;                                                                                   \
        CHECK(st_ == (status) && strstr(tc_why(), text), "%s: %d, \"%s\"", #call, (int)st_, tc_why());                \
    } while (0)

static void test_refusals(void)
{
    static tc_gemm_sm90_launch l90;
    static tc_gemm_sm80_launch l80;
    static tc_attn_sm90_launch t90;
    static tc_attn_sm80_launch t80;
    tc_gemm_config c = config_gemm90();
    tc_attn_config t = config_attn90();
    tc_gemm_args g;
    tc_attn_args args;
    fill(TC_BF16);
    g = gemm_args(K, K);
    args = attn_args();
    SAYS(tc_gemm_sm90_prepare(NULL, &g, 1, &l90), TC_ERR_NULL, "config is null");
    SAYS(tc_gemm_sm90_prepare(&c, &g, 1, NULL), TC_ERR_NULL, "out is null");
    SAYS(tc_gemm_sm90_prepare(&c, NULL, 1, &l90), TC_ERR_NULL, "args is null");
    SAYS(tc_gemm_sm90_prepare(&c, &g, 0, &l90), TC_ERR_SIZE, "clusters = 0");
    SAYS(tc_gemm_sm80_prepare(&c, &g, -1, &l80), TC_ERR_SIZE, "blocks = -1");
    SAYS(tc_attn_sm90_prepare(&t, &args, 0, &t90), TC_ERR_SIZE, "sms = 0");
    SAYS(tc_attn_sm80_prepare(&t, NULL, 1, &t80), TC_ERR_NULL, "args is null");
    c.bm = 100;
    SAYS(tc_gemm_sm90_prepare(&c, &g, 1, &l90), TC_ERR_CONFIG, ".bm must be a multiple of 64 rows");
    CHECK(strstr(tc_why(), ".bm = 100"), "the value is not told: %s", tc_why());
    c.bm = -64;
    SAYS(tc_gemm_sm90_prepare(&c, &g, 1, &l90), TC_ERR_CONFIG, ".bm = -64 must be in 0..2048");
    c = config_gemm90();
    c.epi_size = 0;
    SAYS(tc_gemm_sm90_prepare(&c, &g, 1, &l90), TC_ERR_CONFIG, "a hook needs .epi_size");
    c = config_gemm80();
    c.stages = 9;
    SAYS(tc_gemm_sm80_prepare(&c, &g, 1, &l80), TC_ERR_CONFIG, ".stages = 9");
    c = config_gemm80();
    c.bk = 4;
    SAYS(tc_gemm_sm80_prepare(&c, &g, 1, &l80), TC_ERR_CONFIG, "512 or 1024 of TC_B1 (.bk = 4)");
    t.head_dim = 40;
    SAYS(tc_attn_sm90_prepare(&t, &args, 1, &t90), TC_ERR_CONFIG,
         ".head_dim must be a multiple of 16 in 16..256 (.head_dim = 40)");
    SAYS(tc_attn_sm80_prepare(&t, &args, 1, &t80), TC_ERR_CONFIG, ".head_dim = 40");
    c = config_gemm80();
    g.n = 129;
    SAYS(tc_gemm_sm80_prepare(&c, &g, 1, &l80), TC_ERR_SIZE, "n = 129 is odd"); /* the pair hook */
    c = config_gemm90();
    g = gemm_args(K - 1, K - 1);
    SAYS(tc_gemm_sm90_prepare(&c, &g, 1, &l90), TC_ERR_ALIGN, "lda = 87");
    g.m = 0;
    l90.grid = 7;
    CHECK(tc_gemm_sm90_prepare(&c, &g, 1, &l90) == TC_OK && l90.grid == 0, "nothing to compute: grid %u", l90.grid);
    memset(&args, 0, sizeof args); /* a call without anything */
    args.hook_args = &hook, args.hook_size = sizeof hook;
    t = config_attn80();
    CHECK(tc_attn_sm80_prepare(&t, &args, 1, &t80) == TC_OK && t80.grid == 0, "nothing to compute: grid %u, %s",
          t80.grid, tc_why());
    drop();
}

/* Any configuration is refused as the compiler would, or taken; none stops the program. Built to trap on overflow and
 * division by 0. */
static void test_any_config(void)
{
    static const int usual[] = {0,  0,  0,  0,   1,   2,   3,   4,    8,  16,      32,         48,
                                64, 80, 96, 128, 192, 256, 300, 2048, -1, 1 << 20, 0x7fffffff, -0x7fffffff};
    static tc_gemm_sm90_launch l90;
    static tc_gemm_sm80_launch l80;
    static tc_attn_sm90_launch t90;
    static tc_attn_sm80_launch t80;
    tc_gemm_args g;
    tc_attn_args args;
    int i, j, taken = 0, refused = 0;
    memset(&g, 0, sizeof g);       /* nothing to compute: it is about the configuration */
    memset(&args, 0, sizeof args);
    for (i = 0; i < 20000; i++) {
        tc_gemm_config c = {.a = TC_F16, .b = TC_F16, .d = TC_F32};
        tc_attn_config t = {.type = TC_F16};
        for (j = 0; j < 1 + i % 3; j++) {
            const int x = usual[test_int(0, (int)(sizeof usual / sizeof usual[0]) - 1)];
            int *const gemm[] = {&c.a,         &c.b,        &c.d,          &c.bm,        &c.bn,           &c.bk,
                                 &c.stages,    &c.warps_m,  &c.warps_n,    &c.cluster_m, &c.cluster_n,    &c.cluster_k,
                                 &c.consumers, &c.schedule, &c.epi_stages, &c.raster,    &c.raster_group, &c.epi_size};
            int *const attn[] = {&t.type, &t.head_dim, &t.head_dim_v, &t.causal,    &t.window, &t.bm,
                                 &t.bn,   &t.stages,   &t.q_stages,   &t.consumers, &t.warps,  &t.hook_size};
            *gemm[test_int(0, 17)] = x;
            *attn[test_int(0, 11)] = x;
        }
        for (j = 0; j < 4; j++) {
            const tc_status st = j == 0   ? tc_gemm_sm90_prepare(&c, &g, 1, &l90)
                                 : j == 1 ? tc_gemm_sm80_prepare(&c, &g, 1, &l80)
                                 : j == 2 ? tc_attn_sm90_prepare(&t, &args, 1, &t90)
                                          : tc_attn_sm80_prepare(&t, &args, 1, &t80);
            if (st == TC_ERR_CONFIG) refused++;
            else if (st == TC_OK || st == TC_ERR_EPI) taken++; /* a call without the hook's arguments */
            else CHECK(0, "status %d: %s", (int)st, tc_why());
        }
    }
    CHECK(taken > 2000 && refused > 2000, "%d taken, %d refused", taken, refused);
}

int main(int argc, char **argv)
{
    static const char *const arch[] = {"compute_80", "compute_90a"};
    int major = 0, minor = 0, hopper;
    char *ptx;
    CUmodule module;
    test_any_config();
    load_driver();
    if (cu.Init(0) != CUDA_SUCCESS || cudaFree(0) != cudaSuccess ||
        cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
        cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess) {
        SKIP("no device");
        return test_end();
    }
    hopper = major == 9 && minor == 0;
    ptx = compile(argc > 1 ? argv[1] : "build/tc_single.h", arch[hopper], hopper ? "--std=c++14" : "--std=c++17");
    CHECK(cu.ModuleLoadData(&module, ptx) == CUDA_SUCCESS, "the PTX does not load");
    if (test_failed) return test_end();
    if (hopper) {
        test_gemm90(module);
        test_attn90(module);
    } else {
        SKIP("gemm90, attn90: this device is no Hopper");
    }
    test_gemm80(module);
    test_attn80(module);
    test_refusals();
    free(ptx);
    return test_end();
}
