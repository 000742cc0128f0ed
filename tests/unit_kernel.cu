/* unit_kernel.cu - kernels of one's own on the skeleton tc_kernel.h: right results, and what NAME_launch answers to bad
 * calls.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/unit_kernel.cu -o build/tests/unit_kernel
 *
 * D = A * B' in bf16 with numbers so small that sums are exact, so D must be right to the bit, and nothing beside it
 * touched.
 * The kernels differ in consumers, cluster and slots; one load, step and finish serve them all. Bad calls are refused
 * before the device is asked, so that half runs everywhere. */
#define TC_SM90_STUBS
#include "../tc_kernel.h"
#include "test.h"

enum { BN = 128, BK = 64 };

typedef struct params {
    tc_kernel_head head;
    tc_tmap a, b, d;
    int m, n;
    uint32_t a_bytes, part; /* of a slot; rows of B that each block of a cluster loads */
    uint16_t mask;          /* blocks of a cluster, for the multicast; 0: none */
} params;

TC_DEV_SM90A void load(const tc_slot *s, const tc_work *w, const void *args)
{
    const params *p = (const params *)args;
    const int k = (int)s->step * BK, first = (int)(s->rank * p->part);
    const uint32_t b = s->at + p->a_bytes + (uint32_t)first * 128u;
    tc_cp_async_bulk_tensor_3d(s->at, &p->a, k, w->row, w->batch, s->full);
    if (p->mask) tc_cp_async_bulk_tensor_3d_multicast(b, &p->b, k, w->col + first, w->batch, s->full, p->mask);
    else tc_cp_async_bulk_tensor_3d(b, &p->b, k, w->col, w->batch, s->full);
}

TC_DEV_SM90A void step(const tc_slot *s, const tc_work *w, float *acc, const void *args)
{
    const params *p = (const params *)args;
    const uint64_t a = tc_wgmma_desc(s->at + (uint32_t)s->wg * (64 * 128), 128),
                   b = tc_wgmma_desc(s->at + p->a_bytes, 128);
    (void)w;
#pragma unroll
    for (int k = 0; k < BK / 16; k++)
        TC_WGMMA_SS(128, f32, bf16, acc, a + (uint64_t)(k * 2), b + (uint64_t)(k * 2), k > 0 || s->step > 0, 1, 1, 0,
                    0);
}

TC_DEV_SM90A void finish(const tc_tile_end *t, const tc_work *w, float *acc, const void *args)
{
    const params *p = (const params *)args;
    const tc_box box = {TC_BF16, 128};
    const tc_store to = {&p->d, w->row + t->wg * 64 + t->row, w->col, w->batch, p->m, p->n, t->store};
    tc_store_rows(box, BN, &to, acc);
}

/* consumers, cluster, stages (0: what fits) */
#define KERNELS(X)                                                                                                    \
    X(one, 1, 1, 0) X(two, 2, 1, 2) X(three, 3, 1, 0) X(pair, 2, 2, 0) X(pair_short, 1, 2, 2) X(four, 1, 4, 3)
#define DEFINE(name, warpgroups, blocks, slots)                                                                       \
    TC_KERNEL_SM90_DEFINE(name, params, .bm = 64 * warpgroups, .bn = BN, .slot_bytes = (64 * warpgroups + BN) * 128,  \
                          .stages = slots,                                                                            \
                          .consumers = warpgroups, .accumulators = BN / 2, .cluster = blocks, .load = load,           \
                          .step = step, .finish = finish)
KERNELS(DEFINE)

typedef struct kernel {
    const char *name;
    tc_status (*launch)(params *, const tc_kernel_call *);
    int consumers, cluster, threads, smem;
} kernel;
#define ENTRY(name, warpgroups, blocks, slots) {#name, name##_launch, warpgroups, blocks, name##_THREADS, name##_SMEM},
static const kernel kernels[] = {KERNELS(ENTRY)};
enum { COUNT = sizeof kernels / sizeof kernels[0] };

/* ---- right results ---- */
typedef struct shape {
    int m, n, k, batch, pdl;
} shape;

static void one_shape(const kernel *kn, shape x)
{
    const int m = x.m, n = x.n, k = x.k, times = x.batch ? x.batch : 1, bm = 64 * kn->consumers, ldd = n + 8,
              rows = m + 3;
    test_buffer a = test_buffer_make((size_t)times * m * k * 2), b = test_buffer_make((size_t)times * n * k * 2);
    test_buffer d = test_buffer_make((size_t)times * rows * ldd * 2);
    uint16_t *A = (uint16_t *)a.host, *B = (uint16_t *)b.host, *D = (uint16_t *)d.host;
    float *fa = (float *)malloc((size_t)times * m * k * 4), *fb = (float *)malloc((size_t)times * n * k * 4);
    const tc_operand_matrix ma = {"a", TC_BF16, a.dev, k, m, times, k, (int64_t)m * k},
                            mb = {"b", TC_BF16, b.dev, k, n, times, k, (int64_t)n * k};
    const tc_operand_matrix md = {"d", TC_BF16, d.dev, n, m, times, ldd, (int64_t)rows * ldd};
    const tc_kernel_call call = {m, n, x.batch, (k + BK - 1) / BK, 0, 0, x.pdl, 0};
    params p;
    tc_status st;
    int wrong = 0;
    for (size_t i = 0; i < (size_t)times * m * k; i++)
        fa[i] = (float)test_int(-8, 8) / 8, A[i] = tc_bf16_from_f32(fa[i]);
    for (size_t i = 0; i < (size_t)times * n * k; i++)
        fb[i] = (float)test_int(-8, 8) / 8, B[i] = tc_bf16_from_f32(fb[i]);
    memset(d.host, 0xa5, d.bytes);
    test_buffer_up(&a), test_buffer_up(&b), test_buffer_up(&d);
    memset(&p, 0, sizeof p);
    p.m = m, p.n = n, p.a_bytes = (uint32_t)bm * 128u, p.part = (uint32_t)(BN / kn->cluster);
    p.mask = (uint16_t)(kn->cluster > 1 ? (1 << kn->cluster) - 1 : 0);
    st = tc_operand_map(&p.a, &ma, BK, bm);
    if (st == TC_OK) st = tc_operand_map(&p.b, &mb, BK, (int)p.part);
    if (st == TC_OK) st = tc_operand_map(&p.d, &md, 64, 16);
    for (int i = 0; i < 1 + x.pdl && st == TC_OK; i++) st = kn->launch(&p, &call);
    CHECK(st == TC_OK, "%s: %s", kn->name, tc_why());
    test_buffer_down(&d);
    for (int z = 0; z < times; z++)
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < ldd; j++) {
                const uint16_t got = D[((size_t)z * rows + i) * ldd + j];
                float sum = 0;
                for (int e = 0; e < k && i < m && j < n; e++)
                    sum += fa[((size_t)z * m + i) * k + e] * fb[((size_t)z * n + j) * k + e];
                if (i < m && j < n) wrong += tc_f32_from_bf16(got) != tc_f32_from_bf16(tc_bf16_from_f32(sum));
                else wrong += got != 0xa5a5;
            }
    CHECK(wrong == 0, "%s: m %d n %d k %d batch %d: %d elements are wrong", kn->name, m, n, k, x.batch, wrong);
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d);
    free(fa), free(fb);
}

static void results(const kernel *kn)
{
    const int tall = 64 * kn->consumers * kn->cluster; /* rows of a cluster's tile */
    int sms = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    one_shape(kn, shape{tall, BN, BK, 0, 0});                    /* one tile, one step */
    one_shape(kn, shape{8, 8, 8, 0, 0});                         /* less than a tile, less than a step */
    one_shape(kn, shape{tall + 37, BN + 24, 200, 1, 0});         /* ragged everywhere; more steps than two slots */
    /* a batch; more steps than any ring has slots; one launch behind another */
    one_shape(kn, shape{tall / 2 + 5, 2 * BN, 1000, 3, 1});
    /* more tiles than clusters: each walks, a step a tile */
    one_shape(kn, shape{2 * tall - 1, BN, BK, 5 * sms / kn->cluster / 4, 0});
    one_shape(kn, shape{tall + 1, 2 * BN - 8, 136, 5 * sms / kn->cluster / 8, 0});
}

/* ---- bad calls ---- */
static void refused(const kernel *kn, params *p, const tc_kernel_call *call, tc_status want, const char *text, int line)
{
    tc_status st;
    tc__why_text[0] = 0;
    st = kn->launch(p, call);
    CHECK(st == want, "line %d: %s: %s (%s), want %s", line, kn->name, tc_status_text(st), tc_why(),
          tc_status_text(want));
    CHECK(strstr(tc_why(), text) && strstr(tc_why(), kn->name), "line %d: %s: \"%s\" lacks \"%s\" or the kernel's name",
          line, kn->name, tc_why(), text);
}

#define REFUSED(change, want, text)                     \
    do {                                                \
        tc_kernel_call c = good;                        \
        change;                                         \
        refused(kn, &p, &c, want, text, __LINE__);      \
    } while (0)

static void bad_calls(const kernel *kn)
{
    const tc_kernel_call good = {256, 256, 2, 4, 0, 0, 0, 0};
    const int most = 2147483647;
    params p;
    tc_kernel_call empty = good;
    memset(&p, 0, sizeof p);
    refused(kn, 0, &good, TC_ERR_NULL, "params is null", __LINE__);
    refused(kn, &p, 0, TC_ERR_NULL, "call is null", __LINE__);
    REFUSED(c.m = -1, TC_ERR_SIZE, "m = -1, n = 256, batch = 2: none may be negative");
    REFUSED(c.n = -128, TC_ERR_SIZE, "m = 256, n = -128, batch = 2: none may be negative");
    REFUSED(c.batch = -most - 1, TC_ERR_SIZE, "batch = -2147483648: none may be negative");
    REFUSED(c.steps = 0, TC_ERR_SIZE, "steps = 0 must be 1 or more");
    REFUSED(c.steps = -4, TC_ERR_SIZE, "steps = -4 must be 1 or more");
    REFUSED(c.raster = 3, TC_ERR_SIZE, "raster = 3");
    REFUSED(c.raster_group = -1, TC_ERR_SIZE, "raster_group = -1");
    REFUSED((c.m = most, c.n = most), TC_ERR_SIZE, "m = 2147483647, n = 2147483647, batch = 2: 2^31 tiles or more");
    REFUSED((c.m = 1, c.n = 1, c.batch = most, c.n = BN + 1), TC_ERR_SIZE, "batch = 2147483647: 2^31 tiles or more");
    empty.m = 0;
    CHECK(kn->launch(&p, &empty) == TC_OK, "%s: no rows is no error: %s", kn->name, tc_why());
    empty.m = 256, empty.n = 0;
    CHECK(kn->launch(&p, &empty) == TC_OK, "%s: no columns is no error: %s", kn->name, tc_why());
}

int main(void)
{
    const int device = test_device();
    const tc_kernel_call good = {256, 256, 1, 4, 0, 0, 0, 0};
    params p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < COUNT; i++) {
        bad_calls(&kernels[i]);
        CHECK(kernels[i].threads == 128 * (1 + kernels[i].consumers), "%s: %d threads", kernels[i].name,
              kernels[i].threads);
        CHECK(kernels[i].smem > 0 && kernels[i].smem <= TC__SM90_SMEM_MAX, "%s: %d bytes", kernels[i].name,
              kernels[i].smem);
        if (device == 90) {
            results(&kernels[i]);
        } else if (device) {
            refused(&kernels[i], &p, &good, TC_ERR_DEVICE, "needs compute capability 9.0", __LINE__);
        }
    }
    if (device != 90) SKIP("results: need compute capability 9.0, this is %d.%d", device / 10, device % 10);
    return test_end();
}
