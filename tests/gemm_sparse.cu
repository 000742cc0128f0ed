/* gemm_sparse.cu - a 2:4 sparse operand (.sparse): pruning, bricks of metadata, random products.
 *     build/tests/gemm_sparse [problems] [seed]
 * Built with -DSPARSE_ALL it has more kernels.
 *
 * The reference prunes by itself (the two largest of four, of two the larger; the first of equals) and multiplies in
 * fp64. Elements are small integers, so that every sum is exact in every type: each element of D has one right value,
 * rounded once to D's type, and is compared in every bit. What lies around the operands is NaN, around D it must stay.
 */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include "gemm_told.h"
#include "gemm_problems.h"

#define A_SPARSE .sparse = TC_SPARSE_A
#define B_SPARSE .sparse = TC_SPARSE_B
#define BF16 .a = TC_BF16, .b = TC_BF16
#define F16 .a = TC_F16, .b = TC_F16
#define TOLD .epi = told_one, .epi_size = sizeof(told)
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_gemm_config c;
    int cc; /* 90: Hopper alone; 100: Blackwell alone; 89, 80, 120: and later */
} kernel;

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
TC_GEMM_SM90_DEFINE(bf16_90, BF16, .d = TC_BF16, A_SPARSE, .bn = 64, TOLD)
TC_GEMM_SM90_DEFINE(f16_90, F16, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 32, .bk = 128, .cluster_m = 2,
                    .stages = 2)
TC_GEMM_SM90_DEFINE(tf32_90, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 96,
                    .schedule = TC_PINGPONG, .epi2 = told_pair, .epi_size = sizeof(told))
TC_GEMM_SM90_DEFINE(s8_90, .a = TC_S8, .b = TC_U8, .d = TC_S32, A_SPARSE, .bn = 64)
TC_GEMM_SM90_DEFINE(e4m3_90, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, A_SPARSE, .bn = 64)
TC_GEMM_SM90_DEFINE(b_bf16_90, BF16, .d = TC_BF16, B_SPARSE, .bm = 32, .bn = 128, TOLD)
TC_GEMM_SM90_DEFINE(split_90, BF16, .d = TC_F32, A_SPARSE, .bn = 32, .cluster_m = 2, .split = 1,
                    .stages = 3)
TC_GEMM_SM80_DEFINE(bf16_80, BF16, .d = TC_BF16, A_SPARSE, .bm = 64, .bn = 64, TOLD)
TC_GEMM_SM80_DEFINE(tf32_80, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 32, .warps_m = 1,
                    .warps_n = 2, .round = 1)
TC_GEMM_SM80_DEFINE(s8_80, .a = TC_S8, .b = TC_U8, .d = TC_S32, A_SPARSE, .bm = 64, .bn = 64)
#ifdef SPARSE_ALL
#define ALL(...) __VA_ARGS__
TC_GEMM_DEFINE(any_bf16, BF16, .d = TC_BF16, A_SPARSE)
TC_GEMM_DEFINE(any_e4m3, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32, A_SPARSE)
TC_GEMM_DEFINE(any_s8, .a = TC_S8, .b = TC_S8, .d = TC_S8, A_SPARSE)
TC_GEMM_DEFINE(any_b_f16, F16, .d = TC_F16, B_SPARSE, .d_layout = TC_COL)
TC_GEMM_SM80_DEFINE(b_bf16_80, BF16, .d = TC_F32, B_SPARSE, .d_layout = TC_COL, TOLD)
TC_GEMM_SM80_DEFINE(tf32_2_80, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bk = 64, .epi2 = told_pair,
                    .epi_size = sizeof(told))
TC_GEMM_SM80_DEFINE(u8_80, .a = TC_U8, .b = TC_U8, .d = TC_F32, A_SPARSE, .bm = 64, .bk = 256)
TC_GEMM_SM80_DEFINE(u8_s8_80, .a = TC_U8, .b = TC_S8, .d = TC_S8, A_SPARSE, .bm = 64, .bn = 64)
TC_GEMM_SM80_DEFINE(e4m3_80, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, A_SPARSE)
TC_GEMM_SM80_DEFINE(wide_80, BF16, .d = TC_BF16, A_SPARSE, TOLD)
TC_GEMM_SM80_DEFINE(f16_80, F16, .d = TC_F32, A_SPARSE, .bm = 64, .bn = 64, .bk = 128, .warps_m = 2, .warps_n = 2)
TC_GEMM_SM90_DEFINE(wide_90, BF16, .d = TC_BF16, A_SPARSE, .cluster_m = 2, TOLD)
TC_GEMM_SM90_DEFINE(cluster_90, F16, .d = TC_F16, A_SPARSE, .bn = 64, .cluster_n = 2, .stages = 3)
TC_GEMM_SM90_DEFINE(cluster_k_90, BF16, .d = TC_F32, A_SPARSE, .bn = 128, .cluster_k = 2)
TC_GEMM_SM90_DEFINE(col_90, F16, .d = TC_F32, A_SPARSE, .bn = 64, .bm = 128, .d_layout = TC_COL, TOLD)
TC_GEMM_SM90_DEFINE(rows_90, BF16, .d = TC_BF16, A_SPARSE, .bm = 256, .bn = 96)
TC_GEMM_SM90_DEFINE(tf32_2_90, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, A_SPARSE, .bn = 160, .bk = 64)
TC_GEMM_SM90_DEFINE(u8_90, .a = TC_U8, .b = TC_U8, .d = TC_F32, A_SPARSE, .bn = 128, .bk = 256, TOLD)
TC_GEMM_SM90_DEFINE(e5m2_90, .a = TC_E5M2, .b = TC_E5M2, .d = TC_BF16, A_SPARSE, .bk = 256, .promote = TC_FAST)
TC_GEMM_SM90_DEFINE(e4m3_2_90, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F16, A_SPARSE, .bk = 256, .promote = 1024)
TC_GEMM_SM90_DEFINE(b_s8_90, .a = TC_U8, .b = TC_S8, .d = TC_F32, B_SPARSE, .bm = 16, .bn = 64)
TC_GEMM_SM90_DEFINE(b_e4m3_90, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F32, B_SPARSE, .bm = 96)
TC_GEMM_SM90_DEFINE(b_tf32_90, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, B_SPARSE, .bm = 64, .bn = 128, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(b_wide_90, F16, .d = TC_F16, B_SPARSE, .cluster_n = 2)
TC_GEMM_SM90_DEFINE(b_col_90, BF16, .d = TC_F32, B_SPARSE, .bm = 64, .bn = 128, .d_layout = TC_COL)
#else
#define ALL(...)
#endif

#define ROW(name, cc) {#name, name##_can_run, name##_run, name##_config(), cc}
static const kernel kernels[] = {
    ROW(bf16_90, 90), ROW(f16_90, 90), ROW(tf32_90, 90), ROW(s8_90, 90), ROW(e4m3_90, 90), ROW(b_bf16_90, 90),
    ROW(split_90, 90), ROW(bf16_80, 80), ROW(tf32_80, 80), ROW(s8_80, 80),
    ALL(ROW(wide_80, 80), ROW(f16_80, 80), ROW(any_bf16, 80), ROW(any_e4m3, 89), ROW(any_s8, 80), ROW(any_b_f16, 80),
        ROW(b_bf16_80, 80), ROW(tf32_2_80, 80), ROW(u8_80, 80), ROW(u8_s8_80, 80), ROW(e4m3_80, 89), ROW(wide_90, 90),
        ROW(cluster_90, 90), ROW(cluster_k_90, 90), ROW(col_90, 90), ROW(rows_90, 90), ROW(tf32_2_90, 90),
        ROW(u8_90, 90), ROW(e5m2_90, 90), ROW(e4m3_2_90, 90), ROW(b_s8_90, 90), ROW(b_e4m3_90, 90),
        ROW(b_tf32_90, 90), ROW(b_wide_90, 90), ROW(b_col_90, 90))
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

static int is_int(int type) { return type == TC_S8 || type == TC_U8; }
static int size_of(int type) { return tc_type_bits(type) / 8; }

/* TC_TF32 lies in memory as f32. */
static int as_stored(int type) { return type == TC_TF32 ? TC_F32 : type; }
static void put(void *p, int type, size_t i, double x)
{
    if (type == TC_S32) ((int32_t *)p)[i] = (int32_t)x;
    else if (type == TC_S8) ((int8_t *)p)[i] = (int8_t)fmin(fmax(rint(x), -128), 127);
    else if (type == TC_U8) ((uint8_t *)p)[i] = (uint8_t)x;
    else tc_element_set(p, as_stored(type), i, (float)x);
}
static double get(const void *p, int type, size_t i)
{
    return type == TC_S32 ? (double)((const int32_t *)p)[i]
         : type == TC_S8  ? (double)((const int8_t *)p)[i]
         : type == TC_U8  ? (double)((const uint8_t *)p)[i]
                          : (double)tc_element_get(p, as_stored(type), i);
}
static double small(int type) { return test_int(type == TC_U8 ? 0 : -4, 4); }

/* By the words of tc_sparse.h, and nothing of its code. */
static void prune(double *row, int type, int cols)
{
    const int group = type == TC_TF32 ? 2 : 4, keep = group / 2;
    for (int g = 0; g < cols; g += group) {
        int drop[4] = {0, 0, 0, 0};
        for (int i = 0; i < group; i++) {
            int above = 0;
            for (int j = 0; j < group; j++)
                above += fabs(row[g + j]) > fabs(row[g + i]) || (fabs(row[g + j]) == fabs(row[g + i]) && j < i);
            drop[i] = above >= keep;
        }
        for (int i = 0; i < group; i++)
            if (drop[i]) row[g + i] = 0;
    }
}

/* ---- the layout ---- */
static __global__ void pack_kernel(tc_sp_args p, long long *over)
{
    int64_t r = -1;
    switch (p.type) {
    case TC_F16: r = tc_sp_pack_grid(TC_F16, &p); break;
    case TC_BF16: r = tc_sp_pack_grid(TC_BF16, &p); break;
    case TC_TF32: r = tc_sp_pack_grid(TC_TF32, &p); break;
    case TC_S8: r = tc_sp_pack_grid(TC_S8, &p); break;
    case TC_U8: r = tc_sp_pack_grid(TC_U8, &p); break;
    case TC_E4M3: r = tc_sp_pack_grid(TC_E4M3, &p); break;
    default: r = tc_sp_pack_grid(TC_E5M2, &p); break;
    }
    if (r >= 0) atomicMin(over, (long long)r);
}

static const int types[7] = {TC_F16, TC_BF16, TC_TF32, TC_S8, TC_U8, TC_E4M3, TC_E5M2};

static void test_places(void)
{
    for (int i = 0; i < 7; i++) {
        const int bits = tc_type_bits(types[i]), words = tc_sp_brick_words(bits), group = tc_sp_group(bits);
        const int64_t cols = 3 * tc_sp_brick_cols(bits);
        int wrong = 0;
        for (int t = 0; t < 128; t++)
            for (int w = 0; w < words; w++)
                for (int x = 0; x < 8; x++) { /* the brick at rows 64 .., columns of the second: number 4 */
                    const int selector = t % 4 / 2; /* wgmma's, of two steps of k */
                    const int row = 64 + tc_frag_wgmma_meta_row(t, x, bits);
                    const int col = tc_sp_brick_cols(bits) + w * 16 * group + tc_frag_wgmma_meta_col(t, x, bits)
                                  + (bits == 8 ? 0 : selector * 8 * group);
                    const tc_sp_place p = tc_sp_meta_place(types[i], cols, row, col / group);
                    wrong += p.word != (4 * 128 + t) * words + w || p.bit != 4 * x;
                }
        CHECK(wrong == 0, "%s: %d nibbles are not where wgmma.sp wants them", tc_type_name(types[i]), wrong);
    }
}

/* host and device, against the pruner above; pitches of any alignment */
static void test_pack(int number, int on_device)
{
    const int type = types[number % 7], unit = type == TC_TF32 ? 4 : 8, size = size_of(type);
    const int rows = test_int(1, 140), cols = unit * test_int(1, 40), even = test_int(0, 2);
    const int lda = even ? (cols + 15) / 16 * 16 : cols + test_int(0, 5);
    const int ldk = even ? (cols / 2 + 15) / 16 * 16 : cols / 2 + test_int(0, 5);
    const int64_t bytes = tc_sp_meta_bytes(type, rows, cols);
    test_buffer a = test_buffer_make((size_t)rows * lda * size + 16), over = test_buffer_make(8);
    test_buffer kept = test_buffer_make((size_t)rows * ldk * size + 16), meta = test_buffer_make((size_t)bytes);
    char *back = (char *)malloc((size_t)rows * lda * size);
    double *want = (double *)malloc((size_t)cols * sizeof(double));
    tc_sp_args p;
    int wrong = 0;
    for (size_t i = 0; i < (size_t)rows * lda; i++) put(a.host, type, i, small(type));
    memset(&p, 0, sizeof p);
    p.type = type, p.prune = 1, p.rows = rows, p.cols = cols, p.a = a.host, p.lda = lda;
    p.kept = kept.host, p.ldk = ldk;
    p.meta = (uint8_t *)meta.host;
    snprintf(test_context, sizeof test_context, "pack %s: %d x %d, lda %d, ldk %d", tc_type_name(type), rows, cols, lda,
             ldk);
    CHECK(tc_sp_pack(&p) == TC_OK && tc_sp_unpack(&p, back) == TC_OK, "%s: %s", test_context, tc_why());
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < cols; i++) want[i] = get(a.host, type, (size_t)r * lda + i);
        prune(want, type, cols);
        for (int i = 0; i < cols; i++) wrong += get(back, type, (size_t)r * lda + i) != want[i];
    }
    CHECK(wrong == 0, "%s: %d elements are others", test_context, wrong);
    if (on_device) {
        char *host_kept = (char *)malloc(kept.bytes), *host_meta = (char *)malloc(meta.bytes);
        const long long none = 1ll << 62;
        memcpy(host_kept, kept.host, kept.bytes), memcpy(host_meta, meta.host, meta.bytes);
        memcpy(over.host, &none, 8);
        memset(kept.host, 0, kept.bytes), memset(meta.host, 0xee, meta.bytes);
        test_buffer_up(&a), test_buffer_up(&kept), test_buffer_up(&meta), test_buffer_up(&over);
        p.a = a.dev, p.kept = kept.dev, p.meta = (uint8_t *)meta.dev;
        pack_kernel<<<3, 64>>>(p, (long long *)over.dev);
        test_buffer_down(&kept), test_buffer_down(&meta), test_buffer_down(&over);
        CHECK(memcmp(host_kept, kept.host, kept.bytes) == 0 && memcmp(host_meta, meta.host, meta.bytes) == 0,
              "%s: the device packs otherwise", test_context);
        CHECK(*(long long *)over.host == none, "%s: pruning finds fault at %lld", test_context,
              *(long long *)over.host);
        /* what is pruned passes, and one element more in one group is found there */
        const int row = test_int(0, rows - 1), group = type == TC_TF32 ? 2 : 4, g = test_int(0, cols / group - 1);
        p.prune = 0, p.kept = 0, p.meta = 0;
        for (int broken = 0; broken < 2; broken++) {
            for (int r = 0; r < rows; r++)
                memcpy((char *)a.host + (size_t)r * lda * size, back + (size_t)r * lda * size, (size_t)cols * size);
            for (int i = 0; broken && i < group; i++) put(a.host, type, (size_t)row * lda + g * group + i, 1);
            test_buffer_up(&a), test_buffer_up(&over);
            pack_kernel<<<3, 64>>>(p, (long long *)over.dev);
            long long at;
            CUDA_CHECK(cudaMemcpy(&at, over.dev, 8, cudaMemcpyDeviceToHost));
            CHECK(at == (broken ? (long long)row * (cols / group) + g : none), "%s: fault at %lld", test_context, at);
        }
        p.a = a.host;
        CHECK(tc_sp_pack(&p) == TC_ERR_SPARSE, "%s: the host lets it pass", test_context);
        free(host_kept), free(host_meta);
    }
    free(back), free(want);
    test_buffer_drop(&a), test_buffer_drop(&kept), test_buffer_drop(&meta), test_buffer_drop(&over);
}

/* ---- products ---- */
/* An operand: rows of k, as fp64 and as the kernel reads it. */
typedef struct {
    int type, rows, k, sparse, cols; /* cols: of what lies in memory */
    int64_t ld, stride;
    double *of; /* batch x rows x k, pruned */
    test_buffer at, meta;
    int64_t stride_meta;
} operand;

static operand operand_make(int type, int rows, int k, int sparse, int batch, int any)
{
    operand x;
    const int size = size_of(type), unit = any ? 1 : 16 / size;
    double *line = (double *)malloc((size_t)(k + 1) * sizeof(double));
    memset(&x, 0, sizeof x);
    x.type = type, x.rows = rows, x.k = k, x.sparse = sparse, x.cols = sparse ? k / 2 : k;
    x.ld = (x.cols + unit - 1) / unit * unit + unit * test_int(0, 2);
    if (x.ld == 0) x.ld = unit;
    x.stride = (int64_t)rows * x.ld + unit * test_int(0, 3);
    x.of = (double *)malloc((size_t)batch * rows * (k + 1) * sizeof(double));
    x.at = test_buffer_make((size_t)x.stride * batch * size + 16);
    x.stride_meta = k ? tc_sp_meta_bytes(type, rows, k) + 16 * test_int(0, 1) : 0;
    x.meta = test_buffer_make(sparse && k ? (size_t)x.stride_meta * batch : 16);
    for (size_t i = 0; i < (size_t)x.stride * batch; i++) put(x.at.host, type, i, is_int(type) ? 77 : NAN);
    for (int z = 0; z < batch; z++) {
        char *dense = (char *)malloc((size_t)rows * (k + 1) * size);
        for (int r = 0; r < rows; r++) {
            double *of = x.of + ((size_t)z * rows + r) * k;
            for (int e = 0; e < k; e++) line[e] = small(type), put(dense, type, (size_t)r * k + e, line[e]);
            if (sparse) prune(line, type, k);
            memcpy(of, line, (size_t)k * sizeof(double));
            for (int e = 0; !sparse && e < k; e++) put(x.at.host, type, (size_t)z * x.stride + r * x.ld + e, line[e]);
        }
        if (sparse && k) {
            tc_sp_args p;
            memset(&p, 0, sizeof p);
            p.type = type, p.prune = 1, p.rows = rows, p.cols = k, p.a = dense, p.lda = k, p.ldk = x.ld;
            p.kept = (char *)x.at.host + (size_t)z * x.stride * size;
            p.meta = (uint8_t *)x.meta.host + (size_t)z * x.stride_meta;
            CHECK(tc_sp_pack(&p) == TC_OK, "%s", tc_why());
        }
        free(dense);
    }
    free(line);
    test_buffer_up(&x.at), test_buffer_up(&x.meta);
    return x;
}
static void operand_drop(operand *x) { free(x->of), test_buffer_drop(&x->at), test_buffer_drop(&x->meta); }

static int problem(const kernel *k)
{
    const tc_gemm_config *c = &k->c;
    const int unit = c->a == TC_TF32 ? 4 : 8, batch = test_int(0, 4) == 0 ? 2 : 1, hooked = c->epi || c->epi2;
    const int m = test_int(1, c->bm > 64 ? 300 : 2 * c->bm + 3), n = 2 * test_int(1, test_int(0, 3) ? 70 : 150);
    const int kk = test_int(0, 14) ? unit * test_int(1, test_int(0, 3) ? 20 : 75) : 0, share = test_int(0, 1);
    const int any = k->cc < 90 && test_int(0, 1), col = c->d_layout == TC_COL, size = size_of(c->d);
    operand a = operand_make(c->a, m, kk, c->sparse == TC_SPARSE_A, batch, any);
    operand b = operand_make(c->b, n, kk, c->sparse == TC_SPARSE_B, batch, any);
    const int plain = c->d == TC_S32 && !hooked && test_int(0, 1);
    const float alpha = plain ? 1.f : c->d == TC_S32 ? 2.f : 0.5f;
    const float beta = test_int(0, 1) ? (plain ? 1.f : c->d == TC_S32 ? -3.f : -1.5f) : 0.f;
    const int wide = col ? m : n, high = col ? n : m, ldd = wide + test_int(0, 9);
    const size_t elements = (size_t)high * ldd * batch;
    test_buffer d = test_buffer_make(elements * size + 16), old = test_buffer_make(elements * size + 16);
    test_buffer by = test_buffer_make((size_t)n * 4 + 16), stray = test_buffer_make(16), work;
    tc_gemm_args g;
    tc_gemm_choice choice = {0, 0, 0, 0, 0, 0};
    const told hook = {(int *)stray.dev, (const float *)by.dev, m, n};
    int wrong = 0;
    memset(&g, 0, sizeof g);
    for (size_t i = 0; i < elements; i++) put(old.host, c->d, i, test_int(-8, 8));
    memcpy(d.host, old.host, d.bytes);
    for (int i = 0; i < n; i++) ((float *)by.host)[i] = (float)test_int(1, 8) / 4;
    test_buffer_up(&d), test_buffer_up(&old), test_buffer_up(&by);
    g.m = m, g.n = n, g.k = kk, g.a = kk ? a.at.dev : 0, g.lda = a.ld, g.b = kk ? b.at.dev : 0, g.ldb = b.ld;
    g.d = d.dev, g.ldd = ldd, g.alpha = &alpha, g.beta = &beta, g.c = old.dev, g.ldc = ldd;
    g.meta = !kk ? 0 : c->sparse == TC_SPARSE_A ? a.meta.dev : b.meta.dev;
    if (hooked) g.epi_args = &hook, g.epi_size = sizeof hook;
    if (batch > 1) {
        g.batch = batch, g.stride_a = a.stride, g.stride_b = share ? 0 : b.stride;
        g.stride_c = g.stride_d = (int64_t)high * ldd;
        g.stride_meta = c->sparse == TC_SPARSE_A ? a.stride_meta : share ? 0 : b.stride_meta;
    }
    work = test_buffer_make(1 << 20);
    if (c->split && test_int(0, 1)) choice.parts = test_int(2, 4), g.choice = &choice;
    if (c->split) g.workspace = work.dev, g.workspace_size = work.bytes;
    snprintf(test_context, sizeof test_context, "%s: m %d n %d k %d, lda %lld ldb %lld ldd %d, batch %d (shared %d), "
             "alpha %g beta %g, parts %d", k->name, m, n, kk, (long long)a.ld, (long long)b.ld, ldd, batch, share,
             (double)alpha, (double)beta, choice.parts);
    if (choice.parts && k->can_run(&g, 0) != TC_OK) g.choice = 0; /* more workspace than there is */
    CHECK(k->run(&g, 0) == TC_OK, "%s: %s", test_context, tc_why());
    test_buffer_down(&d), test_buffer_down(&stray);
    for (int z = 0; z < batch; z++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                const size_t at = (size_t)z * high * ldd + (col ? (size_t)j * ldd + i : (size_t)i * ldd + j);
                const double *x = a.of + ((size_t)z * m + i) * kk;
                const double *y = b.of + ((size_t)(share ? 0 : z) * n + j) * kk;
                double want = 0;
                char one[8];
                for (int e = 0; e < kk; e++) want += x[e] * y[e];
                want = alpha * want + beta * get(old.host, c->d, at);
                if (hooked) want *= ((float *)by.host)[j];
                put(one, c->d, 0, want);
                if (get(d.host, c->d, at) != get(one, c->d, 0) && wrong++ == 0)
                    printf("  %s: D[%d][%d][%d] = %.9g, not %.9g\n", test_context, z, i, j, get(d.host, c->d, at),
                           want);
            }
    for (int i = 0; i < high * batch; i++)
        wrong += memcmp((char *)d.host + ((size_t)i * ldd + wide) * size,
                        (char *)old.host + ((size_t)i * ldd + wide) * size, (size_t)(ldd - wide) * size) != 0;
    CHECK(wrong == 0, "%s: %d wrong", test_context, wrong);
    CHECK(*(int *)stray.host == 0, "%s: the hook is called for %d elements that D does not have", test_context,
          *(int *)stray.host);
    operand_drop(&a), operand_drop(&b);
    test_buffer_drop(&d), test_buffer_drop(&old), test_buffer_drop(&by), test_buffer_drop(&stray);
    test_buffer_drop(&work);
    return wrong;
}

#ifndef FUZZ_KERNELS
/* ---- what is refused, in words ---- */
#define REFUSES(call, status, text)                                                                          \
    do {                                                                                                     \
        const tc_status st_ = (call);                                                                        \
        CHECK(st_ == (status) && strstr(tc_why(), text), "status %d, \"%s\", not \"%s\"", st_, tc_why(), text); \
    } while (0)

static void test_refused(void)
{
    static uint32_t room[64];
    tc_sp_args p;
    tc_gemm_args g;
    memset(&p, 0, sizeof p);
    REFUSES(tc_sp_pack(0), TC_ERR_NULL, "args is null");
    p.type = TC_F64;
    REFUSES(tc_sp_pack(&p), TC_ERR_SPARSE, "type = ");
    p.type = TC_BF16, p.rows = 1, p.cols = 8, p.lda = 8, p.a = room, p.ldm = 4;
    REFUSES(tc_sp_pack(&p), TC_ERR_PITCH, "ldm = 4, but bricks have no pitch");
    p.ldm = 0, p.meta = (uint8_t *)room + 2;
    REFUSES(tc_sp_pack(&p), TC_ERR_ALIGN, "meta = ");
    p.meta = 0, p.cols = 12, p.lda = 12;
    REFUSES(tc_sp_pack(&p), TC_ERR_SIZE, "cols = 12");
    memset(&g, 0, sizeof g);
    g.m = 16, g.n = 64, g.k = 128, g.a = g.b = g.d = (void *)4096, g.lda = 64, g.ldb = 128, g.ldd = 64;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_NULL, "meta is null, but the kernel has .sparse");
    g.meta = (void *)4104;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_ALIGN, "meta = 0x1008 is not a multiple of 16 bytes");
    g.meta = (void *)4096, g.lda = 56;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_PITCH, "lda = 56 is less than k / 2 = 64");
    g.lda = 64, g.k = 124;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_SIZE, "k = 124 is not a multiple of 8, as the sparse operand needs");
    g.k = 128, g.a = (void *)4098;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_ALIGN, "a = ");
    g.a = (void *)4096, g.batch = 2, g.stride_a = 4096, g.stride_d = 1024, g.stride_meta = 512;
    REFUSES(f16_90_can_run(&g, 0), TC_ERR_BATCH, "stride_meta = 512 must be 0, or a multiple of 16 bytes and at least "
                                                 "the 1024");
}
#endif

/* Is the kernel for this device? tcgen05 multiplies integers on some alone. */
static int serves(const kernel *k, int cc)
{
    if (k->cc == 100) return cc >= 100 && cc < 120 && !tc__gemm100_lacks(&k->c, cc);
    return k->cc == 90 ? cc == 90 : cc >= k->cc;
}

int main(int argc, char **argv)
{
    const problem_args run = problem_args_of(argc, argv, 40);
    const int cc = test_device();
    printf("seed %llu\n", (unsigned long long)run.seed);
    test_seed(run.seed);
#ifndef FUZZ_KERNELS
    test_places();
    for (int i = 0; i < 21; i++) test_pack(i, cc != 0);
    test_refused();
#endif
#ifdef FUZZ_MORE
    FUZZ_MORE(cc);
#endif
    if (!cc) {
        SKIP("products: no device");
        return test_end();
    }
    for (int i = 0, done = 0; done < run.problems && i < run.problems * KERNELS; i++) {
        const kernel *k = &kernels[i % KERNELS];
        if (!serves(k, cc)) continue;
        problem(k);
        done++;
    }
    return test_end();
}
