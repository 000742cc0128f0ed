/* attn_bwd_bad_input.cu - what attention's generated backward pass answers to arguments that break a rule, and to the
 * edges of what it takes.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/attn_bwd_bad_input.cu -o build/attn_bwd_bad_input
 *
 * Each bad call must give its status and a sentence that names the argument and its value, from NAME_can_run and from
 * NAME_run, and must leave dQ, dK, dV and dsink as they were. The checks come before any use of the device, so this
 * half runs without a GPU too (with host memory in place of device memory); the other half is skipped there. */
#define TC_SM90_STUBS
#include "../tc_attn_bwd.h"
#include "test.h"
#include "refused.h"

typedef struct { float times, sink; } hook_args;
TC_DEV float hook(float s, tc_attn_at at, const void *args)
{
    return (void)at, s * ((const hook_args *)args)->times;
}
TC_DEV float hook_grad(float s, tc_attn_at at, const void *args)
{
    return (void)s, (void)at, ((const hook_args *)args)->times;
}
TC_DEV float sink(tc_attn_at at, const void *args) { return (void)at, ((const hook_args *)args)->sink; }

TC_ATTN_BWD_SM90_DEFINE(k90, .type = TC_BF16, .head_dim = 64)
TC_ATTN_BWD_SM80_DEFINE(k80_window, .type = TC_BF16, .head_dim = 64, .window = 1)
TC_ATTN_BWD_SM80_DEFINE(k80_args, .type = TC_BF16, .head_dim = 64, .causal = 1, .hook_size = sizeof(hook_args),
                        .score = hook, .score_grad = hook_grad, .sink = sink)
TC_ATTN_BWD_DEFINE(any, .type = TC_BF16, .head_dim = 64)

enum { PLAIN = 1, WINDOW = 2, ARGS = 4, SM90 = 8, ALL = PLAIN | WINDOW | ARGS };
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_attn_bwd_args *, const char **);
    tc_status (*run)(const tc_attn_bwd_args *, cudaStream_t);
    size_t (*workspace)(const tc_attn_bwd_args *);
    int kind;
} kernel;
#define KERNEL(name, kind) {#name, name##_can_run, name##_run, name##_workspace, kind}
static const kernel kernels[] = {KERNEL(k90, PLAIN | SM90), KERNEL(k80_window, WINDOW), KERNEL(k80_args, ARGS),
                                 KERNEL(any, PLAIN)};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- one problem, in device memory where there is a device ---- */
enum { BATCH = 2, HEADS = 6, HEADS_KV = 3, Q_LEN = 24, K_LEN = 40, D = 64, ELEMENTS = BATCH * HEADS * 64 * D,
       LSE = BATCH * HEADS * 64, ROOM = 4 << 20 };
enum { Q, K, V, O, DOUT, DQ, DK, DV, TENSORS };
static int device;
static uint16_t *mem[TENSORS];
static float *mem_lse, *mem_dsink;
static char *mem_room;
static int *mem_cu_q, *mem_cu_k, *mem_lens;
static const int cu_q[BATCH + 1] = {0, 20, 44}, cu_k[BATCH + 1] = {0, 40, 70}, lens[BATCH] = {7, 24};
static const hook_args my_args = {0.25f, 2.f};

static void put(void *to, const void *from, size_t bytes)
{
    if (device) CUDA_CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
    else memcpy(to, from, bytes);
}

static void *get_memory(const void *from, size_t bytes)
{
    void *p = 0;
    if (device) CUDA_CHECK(cudaMalloc(&p, bytes));
    else p = (void *)(((uintptr_t)malloc(bytes + 256) + 255) & ~(uintptr_t)255);
    if (from) put(p, from, bytes);
    return p;
}

static unsigned char now[ELEMENTS * 2];
static void poison(void)
{
    memset(now, 0xa5, sizeof now);
    for (int i = DQ; i <= DV; i++) put(mem[i], now, ELEMENTS * 2);
    put(mem_dsink, now, HEADS * 4);
    if (device) CUDA_CHECK(cudaDeviceSynchronize());
}

/* How many bytes of a result are not 0xa5. */
static int written(int which)
{
    int n = 0;
    if (device) CUDA_CHECK(cudaDeviceSynchronize());
    put(now, mem[which], ELEMENTS * 2);
    for (size_t i = 0; i < ELEMENTS * 2; i++) n += now[i] != 0xa5;
    return n;
}

static int untouched(void)
{
    float x[HEADS];
    int n = written(DQ) + written(DK) + written(DV);
    put(x, mem_dsink, sizeof x);
    for (int i = 0; i < HEADS; i++) n += tc_bits_from_f32(x[i]) != 0xa5a5a5a5u;
    return n == 0;
}

/* Breaks no rule of any kernel. */
static tc_attn_bwd_args good(int kind)
{
    tc_attn_bwd_args g;
    memset(&g, 0, sizeof g);
    g.batch = BATCH, g.heads = HEADS, g.heads_kv = HEADS_KV, g.q_len = Q_LEN, g.k_len = K_LEN;
    g.q = mem[Q], g.k = mem[K], g.v = mem[V], g.o = mem[O], g.lse = mem_lse, g.dout = mem[DOUT];
    g.dq = mem[DQ], g.dk = mem[DK], g.dv = mem[DV];
    if (kind & ARGS) g.hook_args = &my_args, g.hook_size = sizeof my_args, g.dsink = mem_dsink;
    g.workspace = mem_room, g.workspace_size = ROOM;
    return g;
}

/* The same, packed: 44 queries and 70 keys. */
static tc_attn_bwd_args packed(int kind)
{
    tc_attn_bwd_args g = good(kind);
    g.cu_q = mem_cu_q, g.total_q = cu_q[BATCH], g.host_cu_q = cu_q;
    g.cu_k = mem_cu_k, g.total_k = cu_k[BATCH], g.host_cu_k = cu_k;
    return g;
}

TEST_REFUSED(refused, kernel, tc_attn_bwd_args)

/* Every kernel of the kinds refuses the problem `from` after it was changed (g). */
#define REFUSED_FROM(from, kinds, status, text, text2, ...)                     \
    do {                                                                        \
        for (int x_ = 0; x_ < KERNELS; x_++) {                                  \
            tc_attn_bwd_args g = from(kernels[x_].kind);                        \
            if ((kernels[x_].kind & (kinds)) == 0) continue;                    \
            __VA_ARGS__;                                                        \
            refused(&kernels[x_], &g, status, text, text2, __LINE__);           \
        }                                                                       \
        CHECK(untouched(), "line %d: a result was written", __LINE__);          \
    } while (0)
#define REFUSED(kinds, status, text, text2, ...) REFUSED_FROM(good, kinds, status, text, text2, __VA_ARGS__)
#define PACKED(status, text, text2, ...) REFUSED_FROM(packed, ALL, status, text, text2, __VA_ARGS__)
/* What is asked of the workspace and of the device after it: kernels that this device has. */
#define WORKSPACE(status, text, text2, ...)                                                                            \
    do {                                                                                                               \
        for (int x_ = 0; x_ < KERNELS; x_++) {                                                                         \
            tc_attn_bwd_args g = good(kernels[x_].kind);                                                               \
            if ((kernels[x_].kind & SM90) && device != 90) continue;                                                   \
            __VA_ARGS__;                                                                                               \
            refused(&kernels[x_], &g, status, text, text2, __LINE__);                                                  \
        }                                                                                                              \
        CHECK(untouched(), "line %d: a result was written", __LINE__);                                                 \
    } while (0)

static tc_attn_strides strides(int64_t batch, int64_t row, int64_t head)
{
    const tc_attn_strides s = {batch, row, head};
    return s;
}

static void test_rules(void)
{
    static const int falling[] = {0, 21, 20}, long_q[] = {0, 25, 44}, longer[] = {3, 41};
    const int64_t row = HEADS * D, all = (int64_t)Q_LEN * HEADS * D;
    poison();
    for (int i = 0; i < KERNELS; i++) {
        refused(&kernels[i], 0, TC_ERR_NULL, "args", "null", __LINE__);
        tc_attn_bwd_args g = good(kernels[i].kind);
        CHECK(kernels[i].workspace(0) == 0 && strstr(tc_why(), "args is null"), "%s_workspace(NULL): %s",
              kernels[i].name, tc_why());
        g.workspace = 0, g.workspace_size = 0;
        CHECK(kernels[i].workspace(&g) > 0, "%s_workspace: %s", kernels[i].name, tc_why());
        g.dk = 0;
        CHECK(kernels[i].workspace(&g) == 0 && strstr(tc_why(), "dk is null"), "%s_workspace: %s", kernels[i].name,
              tc_why());
    }
    /* sizes */
    REFUSED(ALL, TC_ERR_BATCH, "batch = -4", "negative", g.batch = -4);
    REFUSED(ALL, TC_ERR_SIZE, "heads = -1", "negative", g.heads = -1);
    REFUSED(ALL, TC_ERR_SIZE, "heads_kv = -2", "negative", g.heads_kv = -2);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = -5", "negative", g.q_len = -5);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = 1000000000", "limit of ", g.k_len = 1000000000);
    REFUSED(ALL, TC_ERR_SIZE, "heads = 6", "heads_kv = 4", g.heads_kv = 4);
    REFUSED(ALL, TC_ERR_SIZE, "scale = -0.125", "positive", g.scale = -0.125f);
    REFUSED(ALL, TC_ERR_SIZE, "fast = 2", "0 or 1", g.fast = 2);
    REFUSED(ALL, TC_ERR_SIZE, "fast = -1", "0 or 1", g.fast = -1);
    /* pointers */
    REFUSED(ALL, TC_ERR_NULL, "q is null", "", g.q = 0);
    REFUSED(ALL, TC_ERR_NULL, "k is null", "", g.k = 0);
    REFUSED(ALL, TC_ERR_NULL, "v is null", "", g.v = 0);
    REFUSED(ALL, TC_ERR_NULL, "o is null", "", g.o = 0);
    REFUSED(ALL, TC_ERR_NULL, "dout is null", "", g.dout = 0);
    REFUSED(ALL, TC_ERR_NULL, "lse is null", "", g.lse = 0);
    REFUSED(ALL, TC_ERR_NULL, "dq is null", "", g.dq = 0);
    REFUSED(ALL, TC_ERR_NULL, "dk is null", "", g.dk = 0);
    REFUSED(ALL, TC_ERR_NULL, "dv is null", "", g.dv = 0);
    REFUSED(ALL, TC_ERR_ALIGN, "o = ", "16 bytes", g.o = mem[O] + 4);
    REFUSED(ALL, TC_ERR_ALIGN, "dout = ", "16 bytes", g.dout = mem[DOUT] + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "dq = ", "16 bytes", g.dq = mem[DQ] + 2);
    REFUSED(ALL, TC_ERR_ALIGN, "dk = ", "16 bytes", g.dk = mem[DK] + 7);
    REFUSED(ALL, TC_ERR_ALIGN, "dv = ", "16 bytes", g.dv = (char *)mem[DV] + 1);
    REFUSED(ALL, TC_ERR_ALIGN, "lse = ", "4 bytes", g.lse = (float *)((char *)mem_lse + 2));
    REFUSED(ARGS, TC_ERR_ALIGN, "dsink = ", "4 bytes", g.dsink = (float *)((char *)mem_dsink + 1));
    REFUSED(PLAIN | WINDOW, TC_ERR_EPI, "dsink is given", "without .sink", g.dsink = mem_dsink);
    /* strides */
    REFUSED(ALL, TC_ERR_SIZE, "q_stride.batch = -64", "negative", g.q_stride = strides(-64, row, D));
    REFUSED(ALL, TC_ERR_SIZE, "dout_stride.head = -8", "negative", g.dout_stride = strides(all, row, -8));
    REFUSED(ALL, TC_ERR_ALIGN, "o_stride.row = 388 ", "multiple of 8", g.o_stride = strides(all, row + 4, D));
    REFUSED(ALL, TC_ERR_ALIGN, "dq_stride.row = 385 ", "multiple of 8", g.dq_stride = strides(all, row + 1, D));
    REFUSED(ALL, TC_ERR_ALIGN, "dk_stride.head = 68 ", "multiple of 8", g.dk_stride = strides(all, row, D + 4));
    REFUSED(ALL, TC_ERR_SIZE, "dv_stride.row = 549755813888 ", "2^40 bytes",
            g.dv_stride = strides(all, (int64_t)1 << 39, D));
    REFUSED(ALL, TC_ERR_SIZE, "dout_stride.row = 0", "there are 24", g.dout_stride = strides(all, 0, D));
    REFUSED(ALL, TC_ERR_SIZE, "dq_stride.batch = 0", "lie on each other", g.dq_stride = strides(0, row, D));
    REFUSED(ALL, TC_ERR_SIZE, "dk_stride.row = 0", "there are 40", g.dk_stride = strides(all, 0, D));
    REFUSED(ALL, TC_ERR_SIZE, "dv_stride.head = -1", "lie on each other",
            g.dv_stride = strides(all, row, TC_ATTN_SHARED));
    REFUSED(ALL, TC_ERR_SIZE, "lse_batch = -1", "negative", g.lse_batch = -1);
    REFUSED(ALL, TC_ERR_SIZE, "lse_head = -24", "negative", g.lse_head = -24);
    /* sizes that were forgotten */
    REFUSED(ALL, TC_ERR_BATCH, "batch = 0", "q is given", g.batch = 0);
    REFUSED(ALL, TC_ERR_SIZE, "heads = 0", "q is given", g.heads = 0; g.heads_kv = 0);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = 0", "dq is given", g.q_len = 0; g.q = g.o = g.dout = 0);
    REFUSED(ALL, TC_ERR_SIZE, "k_len = 0", "dv is given", g.k_len = 0; g.k = g.v = g.dk = 0);
    /* window, hooks, lengths */
    REFUSED(WINDOW, TC_ERR_SIZE, "window_left = -2", "-1 for all", g.window_left = -2);
    REFUSED(PLAIN | ARGS, TC_ERR_SIZE, "window_right = 3", "without .window", g.window_right = 3);
    REFUSED(ARGS, TC_ERR_EPI, "hook_size = 4", ".hook_size = 8", g.hook_size = 4);
    REFUSED(ARGS, TC_ERR_EPI, "hook_args is null", "hook_size = 8", g.hook_args = 0);
    REFUSED(PLAIN | WINDOW, TC_ERR_EPI, "hook_args", "without a hook", g.hook_args = &my_args);
    REFUSED(ALL, TC_ERR_SIZE, "cu_q and lens_q", "both", g.cu_q = mem_cu_q; g.total_q = 44; g.lens_q = mem_lens);
    REFUSED(ALL, TC_ERR_NULL, "host_cu_k", "cu_k is null", g.host_cu_k = cu_k);
    REFUSED(ALL, TC_ERR_SIZE, "host_lens_k: sequence 1 has 41 rows", "40 of k_len", g.lens_k = mem_lens;
            g.host_lens_k = longer);
    PACKED(TC_ERR_SIZE, "total_q = -1", "negative", g.total_q = -1);
    PACKED(TC_ERR_SIZE, "k_len = 71", "total_k = 70", g.k_len = 71);
    PACKED(TC_ERR_SIZE, "host_cu_q is not monotonic", "[2] = 20 comes after [1] = 21", g.host_cu_q = falling);
    PACKED(TC_ERR_SIZE, "host_cu_q: sequence 0 has 25 rows", "24 of q_len", g.host_cu_q = long_q);
    REFUSED(ALL, TC_ERR_SIZE, "q_len = 200000000", "tiles", g.q_len = 200000000; g.heads = 8000; g.heads_kv = 0;
            g.batch = 1000; g.q_stride = g.o_stride = g.dout_stride = g.dq_stride = strides(64, 64, 64));
    PACKED(TC_ERR_SIZE, "heads = 900000000", "tiles", g.heads = 900000000; g.batch = 1;
           g.total_q = 2147483647; g.host_cu_q = g.host_cu_k = 0;
           g.q_stride = g.o_stride = g.dout_stride = g.dq_stride = strides(64, 64, 64));
    /* what is broken first is named first, whatever comes after it */
    REFUSED(ALL, TC_ERR_BATCH, "batch = -1", "negative", g.batch = -1; g.q = 0; g.heads = -3; g.scale = -1.f);
    if (!device) return;
    WORKSPACE(TC_ERR_NULL, "workspace is null", "bytes", g.workspace = 0);
    WORKSPACE(TC_ERR_ALIGN, "workspace = ", "128 bytes", g.workspace = mem_room + 64);
    WORKSPACE(TC_ERR_SIZE, "workspace_size = 1000 ", "less than the ", g.workspace_size = 1000);
    WORKSPACE(TC_ERR_SIZE, "workspace_size = ", "less than the ",
              g.workspace_size = kernels[x_].workspace(&g) - 1);
    if (device != 90) {
        const tc_attn_bwd_args g = good(PLAIN);
        refused(&kernels[0], &g, TC_ERR_DEVICE, "k90", "9.0", __LINE__);
        CHECK(untouched(), "a result was written");
    }
}

/* All of a result that the problem has is 0, and no byte behind it is written. */
static void zeros(const char *name, const char *what, int which, int rows, int heads)
{
    const int n = BATCH * rows * heads * D * 2;
    int bad = 0;
    put(now, mem[which], ELEMENTS * 2);
    for (int i = 0; i < ELEMENTS * 2; i++) bad += now[i] != (i < n ? 0 : 0xa5);
    CHECK(bad == 0, "%s, %s: %d bytes are not those of a gradient that is 0", name, what, bad);
}

static void runs(const kernel *kn, const tc_attn_bwd_args *g, const char *what, int line)
{
    const char *why = "?";
    CHECK(kn->can_run(g, &why) == TC_OK && why && !*why, "line %d: %s_can_run, %s: %s", line, kn->name, what, tc_why());
    CHECK(kn->run(g, 0) == TC_OK, "line %d: %s, %s: %s", line, kn->name, what, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void test_edges(void)
{
    static unsigned char once[3][ELEMENTS * 2];
    for (int x = 0; x < KERNELS; x++) {
        const kernel *kn = &kernels[x];
        tc_attn_bwd_args g = good(kn->kind), bad;
        float d[HEADS];
        if ((kn->kind & SM90) && device != 90) {
            SKIP("%s: needs compute capability 9.0, this device has %d.%d", kn->name, device / 10, device % 10);
            continue;
        }
        /* nothing to do */
        poison();
        memset(&bad, 0, sizeof bad);
        bad.hook_args = g.hook_args, bad.hook_size = g.hook_size;
        runs(kn, &bad, "no batch, no heads", __LINE__);
        CHECK(kn->workspace(&bad) == 0 && untouched(), "%s: an empty problem takes a workspace or writes", kn->name);
        /* no keys: dQ is 0; no queries: dK, dV and dsink are */
        g.k_len = 0, g.k = g.v = g.dk = g.dv = 0;
        runs(kn, &g, "no keys", __LINE__);
        zeros(kn->name, "no keys", DQ, Q_LEN, HEADS);
        CHECK(written(DK) + written(DV) == 0, "%s: dK or dV of no keys is written", kn->name);
        poison();
        g = good(kn->kind), g.q_len = 0, g.q = g.o = g.dout = g.dq = 0, g.lse = 0, g.workspace = 0;
        g.workspace_size = 0;
        runs(kn, &g, "no queries", __LINE__);
        zeros(kn->name, "no queries", DK, K_LEN, HEADS_KV), zeros(kn->name, "no queries", DV, K_LEN, HEADS_KV);
        CHECK(written(DQ) == 0, "%s: dQ of no queries is written", kn->name);
        if (g.dsink) {
            put(d, mem_dsink, sizeof d);
            for (int i = 0; i < HEADS; i++) CHECK(d[i] == 0.f, "%s: dsink[%d] = %g without queries", kn->name, i, d[i]);
        }
        /* one call after a refused one is as good as one before it; of the workspace no byte too many */
        poison();
        g = good(kn->kind);
        if (kn->kind & WINDOW) g.window_left = g.window_right = -1;
        g.workspace_size = kn->workspace(&g);
        runs(kn, &g, "a good problem", __LINE__);
        for (int i = 0; i < 3; i++) put(once[i], mem[DQ + i], ELEMENTS * 2);
        poison();
        bad = g, bad.dout = mem[DOUT] + 1;
        CHECK(kn->run(&bad, 0) == TC_ERR_ALIGN && untouched(), "%s: %s", kn->name, tc_why());
        g.scale = 0.125f, g.lse_head = Q_LEN, g.lse_batch = Q_LEN * HEADS;
        g.dq_stride = g.q_stride = strides((int64_t)Q_LEN * HEADS * D, HEADS * D, D);
        runs(kn, &g, "the same, defaults written out", __LINE__);
        for (int i = 0; i < 3; i++) {
            put(now, mem[DQ + i], ELEMENTS * 2);
            CHECK(!memcmp(once[i], now, sizeof now), "%s: another result %d after a refused call", kn->name, i);
        }
    }
}

int main(void)
{
    static uint16_t x[ELEMENTS];
    static float lse[LSE];
    device = test_device();
    for (int i = 0; i < ELEMENTS; i++) x[i] = tc_bf16_from_f32(0.25f * test_normal());
    for (int i = 0; i < LSE; i++) lse[i] = 4.f;
    for (int i = 0; i < TENSORS; i++) mem[i] = (uint16_t *)get_memory(x, ELEMENTS * 2);
    mem_lse = (float *)get_memory(lse, sizeof lse), mem_dsink = (float *)get_memory(lse, HEADS * 4);
    mem_room = (char *)get_memory(0, ROOM);
    mem_cu_q = (int *)get_memory(cu_q, sizeof cu_q), mem_cu_k = (int *)get_memory(cu_k, sizeof cu_k);
    mem_lens = (int *)get_memory(lens, sizeof lens);
    test_rules();
    if (device) test_edges();
    else SKIP("attn_bwd_bad_input: no device: only the rules were tried");
    return test_end();
}
