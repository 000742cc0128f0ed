/* attn_bad_input.cu - what generated attention answers to arguments that break a rule, and to the edges of what it
 * takes.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/attn_bad_input.cu -o build/tests/attn_bad_input
 *
 * Each bad call must give its status and a sentence that names the argument and its value, from NAME_can_run and from
 * NAME_run, and must leave O and lse as they were. The checks come before any use of the device, so this half runs
 * without a GPU too (with host memory in place of device memory); the other half is skipped there. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "refused.h"

typedef struct { float add, times; } hook_args;

TC_DEV float hook(float s, tc_attn_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    (void)at;
    return s * p->times + p->add;
}

TC_ATTN_SM90_DEFINE(k90, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM90_DEFINE(k90_window, .type = TC_BF16, .head_dim = 64, .window = 1)
TC_ATTN_SM90_DEFINE(k90_args, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                    .score = hook)
TC_ATTN_SM80_DEFINE(k80, .type = TC_BF16, .head_dim = 64)
TC_ATTN_SM80_DEFINE(k80_window, .type = TC_BF16, .head_dim = 64, .window = 1)
TC_ATTN_SM80_DEFINE(k80_args, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                    .score = hook)
TC_ATTN_DEFINE(any, .type = TC_BF16, .head_dim = 64)
TC_ATTN_DEFINE(any_window, .type = TC_BF16, .head_dim = 64, .window = 1)
TC_ATTN_DEFINE(any_args, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args), .score = hook)
/* for the graph: nobody calls it before the capture */
TC_ATTN_DEFINE(fresh, .type = TC_BF16, .head_dim = 64)

enum { PLAIN = 1, WINDOW = 2, ARGS = 4, SM90 = 8, ALL = PLAIN | WINDOW | ARGS };

typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_attn_args *, const char **);
    tc_status (*run)(const tc_attn_args *, cudaStream_t);
    int kind;
} kernel;

#define KERNEL(name, kind) {#name, name##_can_run, name##_run, kind}
static const kernel kernels[] = {
    KERNEL(k90, PLAIN | SM90), KERNEL(k90_window, WINDOW | SM90), KERNEL(k90_args, ARGS | SM90), KERNEL(k80, PLAIN),
    KERNEL(k80_window, WINDOW), KERNEL(k80_args, ARGS), KERNEL(any, PLAIN), KERNEL(any_window, WINDOW),
    KERNEL(any_args, ARGS),
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- one problem, in device memory where there is a device ---- */
enum { BATCH = 2, HEADS = 6, HEADS_KV = 3, Q_LEN = 24, K_LEN = 40, D = 64, ELEMENTS = BATCH * HEADS * 64 * D,
       O_ELEMENTS = BATCH * Q_LEN * HEADS * D,
       LSE = BATCH * HEADS * Q_LEN };
static int device;
static uint16_t *mem_q, *mem_k, *mem_v, *mem_o;
static float *mem_lse;
static int *mem_cu_q, *mem_cu_k, *mem_lens;
static const int cu_q[BATCH + 1] = {0, 20, 44}, cu_k[BATCH + 1] = {0, 40, 70}, lens[BATCH] = {7, 24};
static const hook_args my_args = {0.25f, 2.f};

static void *get_memory(size_t bytes)
{
    void *p = 0;
    if (device) CUDA_CHECK(cudaMalloc(&p, bytes));
    else p = (void *)(((uintptr_t)malloc(bytes + 256) + 255) & ~(uintptr_t)255);
    return p;
}

static void put(void *to, const void *from, size_t bytes)
{
    if (device) CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    else memcpy(to, from, bytes);
}

static void fill_o(void)
{
    static unsigned char poison[ELEMENTS * 2];
    memset(poison, 0xa5, sizeof poison);
    put(mem_o, poison, ELEMENTS * 2);
    put(mem_lse, poison, LSE * 4);
    if (device) CUDA_CHECK(cudaDeviceSynchronize()); /* the streams below do not wait for the default one */
}

static int o_untouched(void)
{
    static unsigned char now[ELEMENTS * 2];
    if (device) CUDA_CHECK(cudaDeviceSynchronize());
    put(now, mem_o, ELEMENTS * 2);
    for (size_t i = 0; i < ELEMENTS * 2; i++)
        if (now[i] != 0xa5) return 0;
    put(now, mem_lse, LSE * 4);
    for (size_t i = 0; i < LSE * 4; i++)
        if (now[i] != 0xa5) return 0;
    return 1;
}

/* Breaks no rule of any kernel. */
static tc_attn_args good(int kind)
{
    tc_attn_args g;
    memset(&g, 0, sizeof g);
    g.batch = BATCH, g.heads = HEADS, g.heads_kv = HEADS_KV, g.q_len = Q_LEN, g.k_len = K_LEN;
    g.q = mem_q, g.k = mem_k, g.v = mem_v, g.o = mem_o, g.lse = mem_lse;
    if (kind & ARGS) g.hook_args = &my_args, g.hook_size = sizeof my_args;
    return g;
}

/* The same, packed: 44 queries and 70 keys. */
static tc_attn_args packed(int kind)
{
    tc_attn_args g = good(kind);
    g.cu_q = mem_cu_q, g.total_q = cu_q[BATCH], g.host_cu_q = cu_q;
    g.cu_k = mem_cu_k, g.total_k = cu_k[BATCH], g.host_cu_k = cu_k;
    return g;
}

TEST_REFUSED(refused, kernel, tc_attn_args)

/* Every kernel of the kinds refuses the problem `from` after `set` has changed it (g). */
#define REFUSED_FROM(from, kinds, status, text, text2, ...)                     \
    do {                                                                        \
        for (int x_ = 0; x_ < KERNELS; x_++) {                                  \
            tc_attn_args g = from(kernels[x_].kind);                            \
            if ((kernels[x_].kind & (kinds)) == 0) continue;                    \
            __VA_ARGS__;                                                        \
            refused(&kernels[x_], &g, status, text, text2, __LINE__);           \
        }                                                                       \
        CHECK(o_untouched(), "line %d: O or lse was written", __LINE__);        \
    } while (0)
#define REFUSED(kinds, status, text, text2, ...) REFUSED_FROM(good, kinds, status, text, text2, __VA_ARGS__)
#define PACKED(status, text, text2, ...) REFUSED_FROM(packed, ALL, status, text, text2, __VA_ARGS__)

static tc_attn_strides strides(int64_t batch, int64_t row, int64_t head)
{
    const tc_attn_strides s = {batch, row, head};
    return s;
}

static void test_rules(void)
{
    static const int negative[] = {5, -3}, longer[] = {3, 41}, not_first[] = {1, 20, 44}, falling[] = {0, 21, 20},
                     past[] = {0, 24, 45}, long_q[] = {0, 25, 44};
    static const int past_k[] = {0, 31, 71}, long_k[] = {0, 41, 70}, far_down[] = {0, 20, -2147483647 - 1},
                     far_up[] = {0, -2147483647 - 1, 2147483647};
    const float nan = tc_f32_from_bits(0x7fc00000u), inf = tc_f32_from_bits(0x7f800000u);
    const int64_t row = HEADS * D, all = (int64_t)Q_LEN * HEADS * D;
    fill_o();
    for (int i = 0; i < KERNELS; i++) refused(&kernels[i], 0, TC_ERR_NULL, "args", "null", __LINE__);
    /* sizes */
    REFUSED(ALL, TC_ERR_BATCH, "batch = -4", "negative", g.batch = -4);
    REFUSED(ALL, TC_ERR_SIZE, "heads = -1", "negative", g.heads = -1);
    REFUSED(ALL, TC_ERR_SIZE, "heads_kv = -2", "negative", g.heads_kv = -2);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = -5", "negative", g.q_len = -5);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = -2147483648", "negative", g.k_len = -2147483647 - 1);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = 2147483647", "limit of ", g.q_len = 2147483647);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = 1000000000", "limit of ", g.k_len = 1000000000);
    REFUSED(ALL, TC_ERR_SIZE, "heads = 6", "heads_kv = 4", g.heads_kv = 4);
    REFUSED(ALL, TC_ERR_SIZE, "heads = 6", "heads_kv = 12", g.heads_kv = 12);
    REFUSED(ALL, TC_ERR_SIZE, "batch = 1000000", "heads = 1002", g.batch = 1000000; g.heads = 1002);
    /* pointers */
    REFUSED(ALL, TC_ERR_NULL, "q is null", "", g.q = 0);
    REFUSED(ALL, TC_ERR_NULL, "k is null", "", g.k = 0);
    REFUSED(ALL, TC_ERR_NULL, "v is null", "", g.v = 0);
    REFUSED(ALL, TC_ERR_NULL, "o is null", "", g.o = 0);
    REFUSED(ALL, TC_ERR_ALIGN, "q = ", "16 bytes", g.q = mem_q + 4);
    REFUSED(ALL, TC_ERR_ALIGN, "k = ", "16 bytes", g.k = mem_k + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "v = ", "16 bytes", g.v = (char *)mem_v + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "o = ", "16 bytes", g.o = mem_o + 7);
    REFUSED(ALL, TC_ERR_ALIGN, "lse = ", "4 bytes", g.lse = (float *)((char *)mem_lse + 2));
    /* strides */
    REFUSED(ALL, TC_ERR_SIZE, "q_stride.batch = -64", "negative", g.q_stride = strides(-64, row, D));
    REFUSED(ALL, TC_ERR_SIZE, "k_stride.row = -128", "negative", g.k_stride = strides(all, -128, D));
    REFUSED(ALL, TC_ERR_SIZE, "v_stride.head = -8", "negative", g.v_stride = strides(all, row, -8));
    REFUSED(ALL, TC_ERR_SIZE, "o_stride.head = -8", "negative", g.o_stride = strides(all, row, -8));
    REFUSED(ALL, TC_ERR_ALIGN, "q_stride.row = 385 ", "multiple of 8", g.q_stride = strides(all, row + 1, D));
    REFUSED(ALL, TC_ERR_ALIGN, "k_stride.head = 68 ", "multiple of 8", g.k_stride = strides(all, row, D + 4));
    REFUSED(ALL, TC_ERR_ALIGN, "v_stride.batch = 9218 ", "multiple of 8", g.v_stride = strides(all + 2, row, D));
    REFUSED(ALL, TC_ERR_ALIGN, "o_stride.row = 388 ", "multiple of 8", g.o_stride = strides(all, row + 4, D));
    REFUSED(ALL, TC_ERR_SIZE, "q_stride.row = 549755813888 ", "2^40 bytes",
            g.q_stride = strides(all, (int64_t)1 << 39, D));
    REFUSED(ALL, TC_ERR_SIZE, "v_stride.batch = 549755813888 ", "2^40 bytes",
            g.v_stride = strides((int64_t)1 << 39, row, D));
    /* strides of which some are missing */
    REFUSED(ALL, TC_ERR_SIZE, "q_stride.batch = 0", "there are 2", g.q_stride = strides(0, row, D));
    REFUSED(ALL, TC_ERR_SIZE, "q_stride.row = 0", "there are 24", g.q_stride = strides(all, 0, D));
    REFUSED(ALL, TC_ERR_SIZE, "k_stride.batch = 0", "TC_ATTN_SHARED", g.k_stride = strides(0, row, 0));
    REFUSED(ALL, TC_ERR_SIZE, "k_stride.row = 0", "there are 40", g.k_stride = strides(all, 0, D));
    REFUSED(ALL, TC_ERR_SIZE, "v_stride.head = 0", "there are 3", g.v_stride = strides(all, row, 0));
    PACKED(TC_ERR_SIZE, "k_stride.head = 0", "there are 3", g.k_stride = strides(0, row, 0));
    /* rows of O on top of each other */
    REFUSED(ALL, TC_ERR_SIZE, "o_stride.batch = 0", "there are 2", g.o_stride = strides(0, row, D));
    REFUSED(ALL, TC_ERR_SIZE, "o_stride.row = 0", "there are 24", g.o_stride = strides(all, 0, D));
    REFUSED(ALL, TC_ERR_SIZE, "o_stride.head = 0", "there are 6", g.o_stride = strides(all, row, 0));
    REFUSED(ALL, TC_ERR_SIZE, "o_stride.batch = -1", "lie on each other", g.o_stride = strides(TC_ATTN_SHARED, row, D));
    /* sizes that were forgotten */
    REFUSED(ALL, TC_ERR_BATCH, "batch = 0", "q is given", g.batch = 0);
    REFUSED(ALL, TC_ERR_SIZE, "heads = 0", "q is given", g.heads = 0; g.heads_kv = 0);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = 0", "q is given", g.q_len = 0);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = 0", "o is given", g.q_len = 0; g.q = 0);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = 0", "k is given", g.k_len = 0);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = 0", "v is given", g.k_len = 0; g.k = 0);
    PACKED(TC_ERR_SIZE, "q_len = 0", "q is given", g.q_len = 0; g.host_cu_q = 0);
    PACKED(TC_ERR_SIZE, "k_len = 0", "k is given", g.k_len = 0; g.host_cu_k = 0);
    REFUSED(ALL, TC_ERR_SIZE, "lse_batch = -1", "negative", g.lse_batch = -1);
    REFUSED(ALL, TC_ERR_SIZE, "lse_head = -24", "negative", g.lse_head = -24);
    /* scale and window */
    REFUSED(ALL, TC_ERR_SIZE, "scale = -0.125", "positive", g.scale = -0.125f);
    REFUSED(ALL, TC_ERR_SIZE, "scale = ", "positive", g.scale = nan);
    REFUSED(ALL, TC_ERR_SIZE, "scale = inf", "positive", g.scale = inf);
    REFUSED(WINDOW, TC_ERR_SIZE, "window_left = -2", "-1 for all", g.window_left = -2);
    REFUSED(WINDOW, TC_ERR_SIZE, "window_right = -7", "-1 for all", g.window_right = -7);
    REFUSED(PLAIN | ARGS, TC_ERR_SIZE, "window_left = 5", "without .window", g.window_left = 5);
    REFUSED(PLAIN | ARGS, TC_ERR_SIZE, "window_right = 3", "without .window", g.window_right = 3);
    REFUSED(PLAIN | ARGS, TC_ERR_SIZE, "window_left = -2", "without .window", g.window_left = -2);
    /* the hooks' arguments */
    REFUSED(ALL, TC_ERR_EPI, "hook_size = 257", "TC_EPI_MAX = 256", g.hook_args = &my_args;
            g.hook_size = TC_EPI_MAX + 1);
    REFUSED(ALL, TC_ERR_EPI, "hook_size = 18446744073709551615", "TC_EPI_MAX", g.hook_args = &my_args;
            g.hook_size = (size_t)-1);
    REFUSED(ARGS, TC_ERR_EPI, "hook_size = 4", ".hook_size = 8", g.hook_size = 4);
    REFUSED(ARGS, TC_ERR_EPI, "hook_size = 0", ".hook_size = 8", g.hook_size = 0; g.hook_args = 0);
    REFUSED(ARGS, TC_ERR_EPI, "hook_args is null", "hook_size = 8", g.hook_args = 0; g.hook_size = 8);
    REFUSED(PLAIN | WINDOW, TC_ERR_EPI, "hook_args", "without a hook", g.hook_args = &my_args; g.hook_size = 0);
    /* lengths */
    REFUSED(ALL, TC_ERR_SIZE, "cu_q and lens_q", "both", g.cu_q = mem_cu_q; g.total_q = 44; g.lens_q = mem_lens);
    REFUSED(ALL, TC_ERR_SIZE, "cu_k and lens_k", "both", g.cu_k = mem_cu_k; g.total_k = 70; g.lens_k = mem_lens);
    REFUSED(ALL, TC_ERR_NULL, "host_cu_q", "cu_q is null", g.host_cu_q = cu_q);
    REFUSED(ALL, TC_ERR_NULL, "host_cu_k", "cu_k is null", g.host_cu_k = cu_k);
    REFUSED(ALL, TC_ERR_NULL, "host_lens_q", "lens_q is null", g.host_lens_q = lens);
    REFUSED(ALL, TC_ERR_NULL, "host_lens_k", "lens_k is null", g.host_lens_k = lens);
    REFUSED(ALL, TC_ERR_ALIGN, "lens_q = ", "4 bytes", g.lens_q = (const int *)((const char *)mem_lens + 1));
    REFUSED(ALL, TC_ERR_ALIGN, "lens_k = ", "4 bytes", g.lens_k = (const int *)((const char *)mem_lens + 2));
    REFUSED(ALL, TC_ERR_SIZE, "host_lens_q[1] = -3", "negative", g.lens_q = mem_lens; g.host_lens_q = negative);
    REFUSED(ALL, TC_ERR_SIZE, "host_lens_k[1] = -3", "negative", g.lens_k = mem_lens; g.host_lens_k = negative);
    REFUSED(ALL, TC_ERR_SIZE, "host_lens_q: sequence 1 has 41 rows", "24 of q_len", g.lens_q = mem_lens;
            g.host_lens_q = longer);
    REFUSED(ALL, TC_ERR_SIZE, "host_lens_k: sequence 1 has 41 rows", "40 of k_len", g.lens_k = mem_lens;
            g.host_lens_k = longer);
    PACKED(TC_ERR_ALIGN, "cu_q = ", "4 bytes", g.cu_q = (const int *)((const char *)mem_cu_q + 2));
    PACKED(TC_ERR_ALIGN, "cu_k = ", "4 bytes", g.cu_k = (const int *)((const char *)mem_cu_k + 3));
    PACKED(TC_ERR_SIZE, "total_q = -1", "negative", g.total_q = -1);
    PACKED(TC_ERR_SIZE, "total_k = -70", "negative", g.total_k = -70);
    PACKED(TC_ERR_SIZE, "q_len = 45", "total_q = 44", g.q_len = 45);
    PACKED(TC_ERR_SIZE, "k_len = 71", "total_k = 70", g.k_len = 71);
    PACKED(TC_ERR_SIZE, "q_len = 24", "total_q = 0", g.total_q = 0);
    PACKED(TC_ERR_SIZE, "k_len = 40", "total_k = 0", g.total_k = 0);
    PACKED(TC_ERR_SIZE, "host_cu_q[0] = 1", "begins at 0", g.host_cu_q = not_first);
    PACKED(TC_ERR_SIZE, "host_cu_k[0] = 1", "begins at 0", g.host_cu_k = not_first);
    PACKED(TC_ERR_SIZE, "host_cu_q is not monotonic", "[2] = 20 comes after [1] = 21", g.host_cu_q = falling);
    PACKED(TC_ERR_SIZE, "host_cu_k is not monotonic", "[2] = 20 comes after [1] = 21", g.host_cu_k = falling);
    PACKED(TC_ERR_SIZE, "host_cu_q is not monotonic", "[2] = -2147483648 comes after [1] = 20", g.host_cu_q = far_down);
    PACKED(TC_ERR_SIZE, "host_cu_k is not monotonic", "[1] = -2147483648 comes after [0] = 0", g.host_cu_k = far_up);
    PACKED(TC_ERR_SIZE, "host_cu_q: sequence 0 has 25 rows", "24 of q_len", g.host_cu_q = long_q);
    PACKED(TC_ERR_SIZE, "host_cu_k: sequence 0 has 41 rows", "40 of k_len", g.host_cu_k = long_k);
    PACKED(TC_ERR_SIZE, "host_cu_q[2] = 45", "44 rows of total_q", g.host_cu_q = past; g.q_len = 44);
    PACKED(TC_ERR_SIZE, "host_cu_k[2] = 71", "70 rows of total_k", g.host_cu_k = past_k);
    /* what is broken first is named first, whatever comes after it */
    REFUSED(ALL, TC_ERR_BATCH, "batch = -1", "negative", g.batch = -1; g.q = 0; g.heads = -3; g.scale = -1.f);
}

/* ---- answers about the device, by kernels made up for it ---- */
__global__ void __launch_bounds__(32) one_warp(int *p) { if (p) *p = 1; }
__global__ void __launch_bounds__(512) many_warps(int *p) { if (p) *p = 1; }

static void test_device_rules(void)
{
    tc__kernel_cache cache[3];
    tc__kernel k;
    tc_attn_args g = good(0);
    const tc_attn_config c = k90_config();
    tc_status st;
    fill_o();
    memset(cache, 0, sizeof cache);
    memset(&k, 0, sizeof k);
    k.function = (const void *)many_warps, k.name = "made_up", k.threads = 512, k.cluster = 1, k.cc = 80;
    k.cache = &cache[0], k.smem = 300000;
    for (int launch = 0; launch < 2; launch++) {
        const tc__launch how = {0, launch, 0, 0};
        st = tc__attn_sm90_run(&c, &k, &g, &how);
        CHECK(st == TC_ERR_SMEM && strstr(tc_why(), "made_up") && strstr(tc_why(), "300000"), "300000 bytes: %s: %s",
              tc_status_text(st), tc_why());
    }
    k.smem = 1024, k.function = (const void *)one_warp;
    for (int launch = 0; launch < 2; launch++) {
        const tc__launch how = {0, launch, 0, 0};
        st = tc__attn_sm90_run(&c, &k, &g, &how);
        CHECK(st == TC_ERR_IMAGE && strstr(tc_why(), "made_up") && strstr(tc_why(), "-gencode"), "a stub: %s: %s",
              tc_status_text(st), tc_why());
    }
    CHECK(cudaPeekAtLastError() == cudaSuccess, "a CUDA error stays behind");
    if (device != 90) {
        for (int i = 0; i < KERNELS; i++)
            if (kernels[i].kind & SM90)
                g = good(kernels[i].kind), refused(&kernels[i], &g, TC_ERR_DEVICE, kernels[i].name, "9.0", __LINE__);
    } else {
        SKIP("TC_ERR_DEVICE: this device runs every kernel of this file");
    }
    for (int i = 0; i < KERNELS; i++) {
        if ((kernels[i].kind & SM90) && device != 90) continue;
        g = good(kernels[i].kind);
        g.q_len = 200000000, g.heads = 8000, g.heads_kv = 0, g.batch = 1000; /* 2^28 / 192 * 8e6 tiles */
        g.q_stride = g.o_stride = strides(64, 64, 64);
        refused(&kernels[i], &g, TC_ERR_SIZE, "q_len = 200000000", "tiles", __LINE__);
    }
    CHECK(o_untouched(), "O or lse was written");
}

/* ---- edges that are no errors ---- */
static int can_run_here(const kernel *kn) { return !(kn->kind & SM90) || device == 90; }

static void runs(const kernel *kn, const tc_attn_args *g, const char *what, int line)
{
    const char *why = "?";
    CHECK(kn->can_run(g, &why) == TC_OK && why && !*why, "line %d: %s_can_run, %s: %s", line, kn->name, what, tc_why());
    CHECK(kn->run(g, 0) == TC_OK, "line %d: %s, %s: %s", line, kn->name, what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
}

/* O is 0 and lse -inf throughout */
static void nothing_attended(const char *name, const char *what, int line)
{
    static uint16_t o[ELEMENTS];
    static float lse[LSE];
    int bad = 0;
    put(o, mem_o, sizeof o), put(lse, mem_lse, sizeof lse);
    for (int i = 0; i < ELEMENTS; i++) bad += o[i] != (i < O_ELEMENTS ? 0 : 0xa5a5);
    for (int i = 0; i < LSE; i++) bad += tc_bits_from_f32(lse[i]) != 0xff800000u;
    CHECK(bad == 0, "line %d: %s, %s: %d values are not those of rows without keys", line, name, what, bad);
    fill_o();
}

static void test_edges(void)
{
    static uint16_t once[ELEMENTS], again[ELEMENTS];
    for (int x = 0; x < KERNELS; x++) {
        const kernel *kn = &kernels[x];
        tc_attn_args g = good(kn->kind), bad = good(kn->kind);
        if (!can_run_here(kn)) {
            SKIP("%s: needs compute capability 9.0, this device has %d.%d", kn->name, device / 10, device % 10);
            continue;
        }
        /* nothing to do */
        fill_o();
        g.batch = 0, g.q = g.o = 0;
        runs(kn, &g, "batch = 0", __LINE__);
        g = good(kn->kind), g.heads = 0, g.heads_kv = 0, g.q = g.o = 0;
        runs(kn, &g, "heads = 0", __LINE__);
        g = good(kn->kind), g.q_len = 0, g.q = g.k = g.v = g.o = 0, g.lse = 0;
        runs(kn, &g, "q_len = 0 and no tensors", __LINE__);
        g = good(kn->kind), g.cu_q = mem_cu_q, g.q_len = g.total_q = 0;
        runs(kn, &g, "packed queries, none", __LINE__);
        CHECK(o_untouched(), "%s: an empty problem writes O or lse", kn->name);
        /* no keys */
        g = good(kn->kind), g.k_len = 0, g.k = g.v = 0;
        runs(kn, &g, "k_len = 0, no K, no V", __LINE__), nothing_attended(kn->name, "k_len = 0, no K, no V", __LINE__);
        g.k_stride = strides(3, 5, 7), g.v_stride = strides(-3, -5, -7); /* of a tensor that is not there */
        runs(kn, &g, "k_len = 0, odd strides", __LINE__),
            nothing_attended(kn->name, "k_len = 0, odd strides", __LINE__);
        /* one call after a refused one is as good as one before it */
        g = good(kn->kind);
        if (kn->kind & WINDOW) g.window_left = g.window_right = -1;
        runs(kn, &g, "a good problem", __LINE__), put(once, mem_o, sizeof once);
        fill_o();
        bad.q = mem_q + 1;
        CHECK(kn->run(&bad, 0) == TC_ERR_ALIGN && o_untouched(), "%s: %s", kn->name, tc_why());
        runs(kn, &g, "the same again", __LINE__), put(again, mem_o, sizeof again);
        CHECK(!memcmp(once, again, sizeof once) && once[0] != 0xa5a5 && once[O_ELEMENTS] == 0xa5a5,
              "%s: another result after a refused call", kn->name);
        /* fields that say what is so anyway */
        fill_o();
        g.q_stride = g.o_stride = strides((int64_t)Q_LEN * HEADS * D, HEADS * D, D),
            g.k_stride = g.v_stride = strides((int64_t)K_LEN * HEADS_KV * D, HEADS_KV * D, D);
        g.lse_head = Q_LEN, g.lse_batch = Q_LEN * HEADS, g.scale = 0.125f, g.window_left = g.window_right = -1;
        runs(kn, &g, "defaults written out", __LINE__), put(again, mem_o, sizeof again);
        CHECK(!memcmp(once, again, sizeof once), "%s: written-out defaults give another result", kn->name);
        /* one K and V for all batches: as if there were only the first */
        {
            tc_attn_args shared = g;
            fill_o();
            shared.k_stride.batch = shared.v_stride.batch = TC_ATTN_SHARED;
            runs(kn, &shared, "shared K and V", __LINE__), put(again, mem_o, sizeof again);
            CHECK(!memcmp(once, again, sizeof(uint16_t) * O_ELEMENTS / BATCH) && memcmp(once, again, sizeof again),
                  "%s: K and V are not shared", kn->name);
        }
        g.lse = 0;
        runs(kn, &g, "no lse", __LINE__), put(again, mem_o, sizeof again);
        CHECK(!memcmp(once, again, sizeof once), "%s: another result without lse", kn->name);
    }
}

/* Nonsense in cu and lens: no memory of anybody else is written, nor read (which tcemu reports). */
static void test_nonsense(void)
{
    static const int values[] = {1000000, 1000064, -1, -2147483647 - 1, 2147483647, 0, 44, 43, 20, 70, 1 << 30,
                                 -(1 << 30)};
    enum { VALUES = sizeof values / sizeof values[0], GUARD = 1 << 16 };
    static unsigned char poison[GUARD], now[GUARD];
    int nonsense[BATCH + 1], *dev_q = (int *)get_memory(sizeof nonsense), *dev_k = (int *)get_memory(sizeof nonsense);
    const int total_q = cu_q[BATCH], total_k = cu_k[BATCH];
    const size_t bytes = (size_t)total_q * HEADS * D * 2, lse_bytes = (size_t)HEADS * (size_t)total_q * 4;
    /* exactly as large as the tensors, with memory of ours on both sides */
    char *o = (char *)get_memory(bytes + 2 * GUARD), *lse = (char *)get_memory(lse_bytes + 2 * GUARD);
    void *k = get_memory((size_t)total_k * HEADS_KV * D * 2), *v = get_memory((size_t)total_k * HEADS_KV * D * 2);
    memset(poison, 0x5a, sizeof poison);
    put(k, mem_k, (size_t)total_k * HEADS_KV * D * 2), put(v, mem_v, (size_t)total_k * HEADS_KV * D * 2);
    put(o, poison, GUARD), put(o + GUARD + bytes, poison, GUARD), put(lse, poison, GUARD),
        put(lse + GUARD + lse_bytes, poison, GUARD);
    for (int x = 0; x < KERNELS; x++) {
        const kernel *kn = &kernels[x];
        if (!can_run_here(kn)) continue;
        for (int round = 0; round < 24; round++) {
            tc_attn_args g = good(kn->kind);
            int bad = 0;
            for (int i = 0; i <= BATCH; i++)
                nonsense[i] = round == 0 ? (i < 1 ? 1000000 : 1000064) : values[test_int(0, VALUES - 1)];
            put(dev_q, nonsense, sizeof nonsense);
            for (int i = 0; i <= BATCH; i++)
                nonsense[i] = round == 1 ? (i < 1 ? -64 : -10) : values[test_int(0, VALUES - 1)];
            put(dev_k, nonsense, sizeof nonsense);
            g.k = k, g.v = v, g.o = o + GUARD, g.lse = (float *)(lse + GUARD);
            if (round % 3 == 2) { /* padded: shapes that fit in the same memory */
                g.batch = 1, g.lens_q = dev_q, g.lens_k = dev_k;
            } else {
                g.cu_q = dev_q, g.cu_k = dev_k, g.total_q = total_q, g.total_k = total_k;
            }
            runs(kn, &g, "nonsense in cu and lens", __LINE__);
            for (int side = 0; side < 4; side++) {
                put(now, side == 0 ? o
                         : side == 1 ? o + GUARD + bytes
                         : side == 2 ? lse
                         : lse + GUARD + lse_bytes, GUARD);
                bad += memcmp(now, poison, GUARD) != 0;
            }
            CHECK(bad == 0, "%s, round %d: memory beside O or lse was written", kn->name, round);
            if (bad) return;
        }
    }
}

/* ---- what a kernel picks for itself ---- */
static float some_score(float s, tc_attn_at at, const void *args) { (void)at, (void)args; return s; }
static int some_mask(tc_attn_at at, const void *args) { (void)at, (void)args; return 1; }

/* Every pair of head dims with every set of hooks: TC_ATTN_DEFINE takes it, and on any device. */
static void test_configs(void)
{
    for (int d = 16; d <= 256; d += 16)
        for (int dv = 16; dv <= 256; dv += 16)
            for (int set = 0; set < 16; set++) {
                tc_attn_config c;
                memset((void *)&c, 0, sizeof c);
                c.type = TC_BF16, c.head_dim = d, c.head_dim_v = dv;
                c.causal = set & 1, c.window = set >> 1 & 1, c.score = set & 4 ? some_score : 0,
                    c.mask = set & 8 ? some_mask : 0;
                c.hook_size = set & 12 ? TC_NO_ARGS : 0;
                CHECK(tc_attn_sm80_legal(c) && tc_attn_sm90_legal(c), "head_dim %d, %d, hooks %d: breaks a rule", d, dv,
                      set);
                CHECK(tc_attn_sm80_smem(tc_attn_sm80_config(c)) <= 101376,
                      "head_dim %d, %d, hooks %d: %d bytes are more than the 99 KB of sm_86, 89, 120", d, dv, set,
                      tc_attn_sm80_smem(tc_attn_sm80_config(c)));
                c.bn = 20;
                CHECK(!tc_attn_sm80_legal(c) && !tc_attn_sm90_legal(c), "head_dim %d, %d: .bn = 20 is legal", d, dv);
            }
}

/* ---- TC_ATTN_DEFINE on Hopper in a build without code for it ---- */
/* A program that holds no sm_90a code: its Hopper kernel is a stub of one warp. Refused on Hopper, though an sm_80
 * kernel is there. */
static void test_policy(void)
{
    const tc__function f[2] = {{(const void *)one_warp, "absent_sm90"}, {(const void *)k80, "k80"}};
    static tc__kernel_cache cache[2];
    const tc__kernels kernels = {f, cache};
    const tc__launch how = {0, 0, 0, 0};
    const tc_attn_args g = good(0);
    tc_attn_config c;
    tc_status st;
    memset((void *)&c, 0, sizeof c);
    c.type = TC_BF16, c.head_dim = 64;
    st = tc__attn_auto_go(&c, &kernels, &g, &how);
    if (device == 90)
        CHECK(st == TC_ERR_IMAGE && strstr(tc_why(), "absent_sm90"), "Hopper: %s: %s", tc_status_text(st), tc_why());
    else CHECK(st == TC_OK, "%s: %s", tc_status_text(st), tc_why());
}

static void test_graph(void)
{
    static uint16_t direct[ELEMENTS], replayed[ELEMENTS];
    tc_attn_args g = good(PLAIN);
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    tc_status st;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fill_o();
    CHECK(any_run(&g, stream) == TC_OK, "before the graph: %s", tc_why());
    CUDA_CHECK(cudaStreamSynchronize(stream));
    put(direct, mem_o, sizeof direct);
    fill_o();
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    st = fresh_run(&g, stream); /* the kernel's first call ever is the captured one */
    CHECK(st == TC_OK, "in the capture: %s: %s", tc_status_text(st), tc_why());
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < 2; i++) {
        fill_o();
        CHECK(o_untouched(), "the capture itself runs the kernel");
        CUDA_CHECK(cudaGraphLaunch(exec, stream));
        CUDA_CHECK(cudaStreamSynchronize(stream));
        put(replayed, mem_o, sizeof replayed);
        CHECK(!memcmp(direct, replayed, sizeof direct), "launch %d of the graph differs from the direct call", i);
    }
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaStreamDestroy(stream));
}

int main(void)
{
    static uint16_t host[ELEMENTS];
    device = test_device();
    mem_q = (uint16_t *)get_memory(sizeof host), mem_k = (uint16_t *)get_memory(sizeof host),
        mem_v = (uint16_t *)get_memory(sizeof host);
    mem_o = (uint16_t *)get_memory(sizeof host), mem_lse = (float *)get_memory(LSE * sizeof(float));
    mem_cu_q = (int *)get_memory(sizeof cu_q), mem_cu_k = (int *)get_memory(sizeof cu_k),
        mem_lens = (int *)get_memory(sizeof lens);
    test_seed(7);
    for (int i = 0; i < ELEMENTS; i++) host[i] = tc_bf16_from_f32((float)test_int(-4, 4));
    put(mem_q, host, sizeof host), put(mem_k, host + 77, sizeof host - 154),
        put(mem_v, host + 1000, sizeof host - 2000);
    put(mem_cu_q, cu_q, sizeof cu_q), put(mem_cu_k, cu_k, sizeof cu_k), put(mem_lens, lens, sizeof lens);
    test_rules();
    test_configs();
    if (device < 80) {
        SKIP("device answers, empty problems, no keys, graphs: no device of compute capability 8.0 or later");
        return test_end();
    }
    test_device_rules();
    test_edges();
    test_nonsense();
    test_policy();
    test_graph();
    return test_end();
}
