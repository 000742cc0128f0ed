/* gemm_fuzz.cu - random problems through generated kernels, against fp64 on the CPU and, on a GPU, against cuBLAS.
 *     build/tests/gemm_fuzz [problems] [seed] [largest dimension]
 *
 * The bound: a sum of k products in f32, in any order and with truncation, is off by at most (k + 8) * 2^-23 * sum |a b|;
 * the hooks here have slopes below 1.2; rounding to D adds half a unit in its last place. */
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include <cublas_v2.h>
#include <dlfcn.h>
#include <time.h>

/* ---- hooks, device and host twin ---- */
enum { EPI_NONE, EPI_BIAS_GELU, EPI_SCALE_ROW, EPI_RESIDUAL, EPI_PAIR, EPI_COUNT };

typedef struct { const float *bias; float factor; } hook_args;

TC_DEV float hook_bias_gelu(float x, tc_gemm_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return tc_gelu(x * p->factor + p->bias[at.col]);
}

TC_DEV tc_f32x2 hook_pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    const tc_f32x2 r = {tc_relu(x.x + p->bias[at.col]), x.y * p->factor + p->bias[at.row]};
    return r;
}

static double host_hook(int epi, double x, int row, int col, const float *vector, double factor, const float *residual, int64_t ld)
{
    switch (epi) {
    case EPI_BIAS_GELU: x = x * factor + vector[col]; return 0.5 * x * (1 + erf(x * 0.70710678118654752440));
    case EPI_SCALE_ROW: return x * vector[row];
    case EPI_RESIDUAL: return x + residual[row * ld + col];
    case EPI_PAIR: return col % 2 ? x * factor + vector[row] : (x + vector[col] > 0 ? x + vector[col] : 0);
    default: return x;
    }
}

/* ---- kernels ---- */
TC_GEMM_SM90_DEFINE(sm90_coop, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM90_DEFINE(sm90_coop_c21, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bm = 128, .bn = 256, .cluster_m = 2, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM90_DEFINE(sm90_coop_c12, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 256, .bn = 128, .cluster_n = 2, .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(sm90_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .schedule = TC_PINGPONG, .epi = tc_epi_scale_row)
TC_GEMM_SM90_DEFINE(sm90_pp_c22, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 192, .cluster_m = 2, .cluster_n = 2, .schedule = TC_PINGPONG, .epi2 = hook_pair, .epi_size = sizeof(hook_args))
TC_GEMM_SM90_DEFINE(sm90_bn48, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 48, .bk = 128, .epi_stages = 1)
TC_GEMM_SM90_DEFINE(sm90_bn80_3wg, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 192, .bn = 80, .consumers = 3, .raster = TC_RASTER_N, .raster_group = 3)
TC_GEMM_SM90_DEFINE(sm90_k2, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .cluster_k = 2, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM90_DEFINE(sm90_k3, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 3, .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(sm90_one, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .stages = 2)
TC_GEMM_SM80_DEFINE(sm80_128, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM80_DEFINE(sm80_256, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 256, .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(sm80_64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .bk = 32, .stages = 4, .warps_n = 2, .epi = tc_epi_residual_f32)
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_scale_row)
TC_GEMM_SM80_DEFINE(sm80_pair, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 128, .stages = 2, .epi2 = hook_pair, .epi_size = sizeof(hook_args))

typedef struct {
    const char *name;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int sm, ab, d, epi, smem;
} kernel;

static const kernel kernels[] = {
    {"sm90_coop", sm90_coop_run, 90, TC_BF16, TC_BF16, EPI_NONE, sm90_coop_SMEM},
    {"sm90_coop_c21", sm90_coop_c21_run, 90, TC_BF16, TC_F16, EPI_BIAS_GELU, sm90_coop_c21_SMEM},
    {"sm90_coop_c12", sm90_coop_c12_run, 90, TC_F16, TC_F32, EPI_RESIDUAL, sm90_coop_c12_SMEM},
    {"sm90_pp", sm90_pp_run, 90, TC_BF16, TC_BF16, EPI_SCALE_ROW, sm90_pp_SMEM},
    {"sm90_pp_c22", sm90_pp_c22_run, 90, TC_F16, TC_F16, EPI_PAIR, sm90_pp_c22_SMEM},
    {"sm90_bn48", sm90_bn48_run, 90, TC_BF16, TC_BF16, EPI_NONE, sm90_bn48_SMEM},
    {"sm90_bn80_3wg", sm90_bn80_3wg_run, 90, TC_F16, TC_F32, EPI_NONE, sm90_bn80_3wg_SMEM},
    {"sm90_k2", sm90_k2_run, 90, TC_BF16, TC_BF16, EPI_BIAS_GELU, sm90_k2_SMEM},
    {"sm90_k3", sm90_k3_run, 90, TC_F16, TC_F32, EPI_RESIDUAL, sm90_k3_SMEM},
    {"sm90_one", sm90_one_run, 90, TC_BF16, TC_F32, EPI_NONE, sm90_one_SMEM},
    {"sm80_128", sm80_128_run, 80, TC_BF16, TC_BF16, EPI_NONE, sm80_128_SMEM},
    {"sm80_256", sm80_256_run, 80, TC_F16, TC_F16, EPI_BIAS_GELU, sm80_256_SMEM},
    {"sm80_64", sm80_64_run, 80, TC_BF16, TC_F32, EPI_RESIDUAL, sm80_64_SMEM},
    {"any", any_run, 80, TC_BF16, TC_BF16, EPI_SCALE_ROW, 0},
    {"sm80_pair", sm80_pair_run, 80, TC_F16, TC_F16, EPI_PAIR, sm80_pair_SMEM},
};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- elements of any type on the host ---- */
static float get(int type, const void *p, size_t i)
{
    if (type == TC_F32) return ((const float *)p)[i];
    return type == TC_BF16 ? tc_f32_from_bf16(((const uint16_t *)p)[i]) : tc_f32_from_f16(((const uint16_t *)p)[i]);
}

static void put(int type, void *p, size_t i, float x)
{
    if (type == TC_F32) ((float *)p)[i] = x;
    else ((uint16_t *)p)[i] = type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x);
}

typedef struct { void *host, *dev; size_t bytes; } buffer;

/* count elements at `offset` elements past an aligned base; fill: 'n'ormal values, or 'x': the byte 0xff (NaN in every type) */
static buffer make(size_t count, int type, int offset, char fill)
{
    buffer b;
    const size_t size = (size_t)tc_type_bits(type) / 8;
    b.bytes = (count + (size_t)offset) * size + 256;
    b.host = malloc(b.bytes);
    memset(b.host, 0xff, b.bytes);
    if (fill == 'n')
        for (size_t i = 0; i < count + (size_t)offset; i++) put(type, b.host, i, test_normal());
    CUDA_CHECK(cudaMalloc(&b.dev, b.bytes));
    CUDA_CHECK(cudaMemcpy(b.dev, b.host, b.bytes, cudaMemcpyHostToDevice));
    return b;
}

static void drop(buffer *b)
{
    free(b->host);
    CUDA_CHECK(cudaFree(b->dev));
}

/* ---- cuBLAS, where the machine has it ---- */
typedef cublasStatus_t (*gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *, const void *, cudaDataType, int,
                                  long long, const void *, cudaDataType, int, long long, const void *, void *, cudaDataType, int, long long, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);
static gemm_ex cublas_gemm;
static cublasHandle_t cublas;

static void cublas_open(void)
{
    cudaDeviceProp prop;
    const int emulated = cudaGetDeviceProperties(&prop, 0) == cudaSuccess && strncmp(prop.name, "tcemu", 5) == 0; /* cuBLAS holds no PTX */
    void *lib = emulated ? 0 : dlopen("libcublas.so.13", RTLD_NOW);
    if (!lib && !emulated) lib = dlopen("libcublas.so.12", RTLD_NOW);
    cublasStatus_t (*create)(cublasHandle_t *) = lib ? (cublasStatus_t(*)(cublasHandle_t *))dlsym(lib, "cublasCreate_v2") : 0;
    if (create && create(&cublas) == CUBLAS_STATUS_SUCCESS) cublas_gemm = (gemm_ex)dlsym(lib, "cublasGemmStridedBatchedEx");
    if (!cublas_gemm) SKIP("comparison with cuBLAS: it does not load here; fp64 stays the reference");
}

static int pad(int x, int align) { return (x + align - 1) / align * align; }

static void one(const kernel *kn, int largest, uint64_t id)
{
    const int aligned = kn->sm == 90 || test_int(0, 2) == 0, unit = aligned ? 8 : 1, dsize = tc_type_bits(kn->d) / 8;
    const int odd_base = aligned ? 0 : test_int(0, 1) * test_int(1, 7);
    int m = test_int(1, largest), n = test_int(1, largest), k = test_int(0, 9) ? test_int(1, largest) : 0;
    const float alphas[] = {1.f, -0.5f, 0.f, 2.25f}, betas[] = {0.f, 0.f, 1.f, -1.5f};
    const float alpha = alphas[test_int(0, 3)], beta = betas[test_int(0, 3)], factor = 0.75f;
    const int batch = test_int(0, 3) ? 1 : test_int(2, 3), share_a = batch > 1 && test_int(0, 1);
    int64_t lda, ldb, ldc, ldd, sa, sb, sc, sd, ldr;
    double worst = 0, worst_cublas = 0;
    int bad = 0, outside = 0;
    if (test_int(0, 3) == 0) m = test_int(1, 8);
    if (test_int(0, 5) == 0) n = test_int(1, 24);
    if (test_int(0, 9) == 0) k = test_int(500, 3000), m = m % 96 + 1, n = n % 96 + 1; /* many laps of the ring */
    else if (largest >= 300 && test_int(0, 9) == 0) m *= 5, n *= 4, k %= 70;          /* many tiles for each block */
    if (kn->epi == EPI_PAIR) n = pad(n, 2);
    lda = pad(k, unit) + unit * test_int(0, 3), ldb = pad(k, unit) + unit * test_int(0, 3);
    ldc = pad(n, unit) + unit * test_int(0, 3), ldd = pad(n, unit) + unit * test_int(0, 3), ldr = n + test_int(0, 5);
    sa = share_a ? 0 : pad((int)(m * lda), unit) + unit * test_int(0, 2), sb = pad((int)(n * ldb), unit) + unit;
    sc = pad((int)(m * ldc), unit), sd = pad((int)(m * ldd), unit) + unit;

    buffer a = make((size_t)(sa * batch + m * lda), kn->ab, odd_base, 'n'), b = make((size_t)(sb * batch), kn->ab, odd_base, 'n');
    buffer c = make((size_t)(sc * batch), kn->d, odd_base, beta == 0.f ? 'x' : 'n'), d = make((size_t)(sd * batch), kn->d, odd_base, 'x');
    buffer vector = make((size_t)(m > n ? m : n), TC_F32, 0, 'n'), residual = make((size_t)(m * ldr), TC_F32, 0, 'n');
    const hook_args ha = {(const float *)vector.dev, factor};
    const tc_epi_vector va = {(const float *)vector.dev};
    const tc_epi_matrix ma = {residual.dev, ldr};
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k;
    g.a = (uint16_t *)a.dev + odd_base, g.lda = lda, g.b = (uint16_t *)b.dev + odd_base, g.ldb = ldb;
    if (k == 0) g.a = g.b = 0;
    g.c = beta == 0.f && test_int(0, 1) ? 0 : (char *)c.dev + odd_base * dsize, g.ldc = ldc;
    g.d = (char *)d.dev + odd_base * dsize, g.ldd = ldd;
    g.alpha = alpha == 1.f && test_int(0, 1) ? 0 : &alpha, g.beta = beta == 0.f && test_int(0, 1) ? 0 : &beta;
    g.batch = batch > 1 ? batch : test_int(0, 1);
    if (batch > 1) g.stride_a = sa, g.stride_b = sb, g.stride_c = sc, g.stride_d = sd;
    g.epi_args = kn->epi == EPI_BIAS_GELU || kn->epi == EPI_PAIR ? (const void *)&ha : kn->epi == EPI_SCALE_ROW ? (const void *)&va
               : kn->epi == EPI_RESIDUAL ? (const void *)&ma : 0;
    g.epi_size = g.epi_args == &ha ? sizeof ha : g.epi_args == &va ? sizeof va : g.epi_args == &ma ? sizeof ma : 0;
    g.pdl = test_int(0, 1);

    const tc_status st = kn->run(&g, 0);
    char what[256];
    snprintf(what, sizeof what, "problem %llu %s m %d n %d k %d lda %d ldb %d ldd %d batch %d alpha %g beta %g base +%d", (unsigned long long)id, kn->name,
             m, n, k, (int)lda, (int)ldb, (int)ldd, batch, alpha, beta, odd_base);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    if (st == TC_OK) {
        uint8_t *after = (uint8_t *)malloc(d.bytes);
        float *cb = 0;
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(after, d.dev, d.bytes, cudaMemcpyDeviceToHost));
        if (cublas_gemm && k > 0) { /* row-major D = A B is column-major D' = B' A'; the raw product in f32 */
            const cudaDataType t = kn->ab == TC_BF16 ? CUDA_R_16BF : CUDA_R_16F;
            const float unity = 1.f, zero = 0.f;
            float *raw;
            CUDA_CHECK(cudaMalloc((void **)&raw, (size_t)m * n * batch * 4));
            CUDA_CHECK(cudaMemset(raw, 0, (size_t)m * n * batch * 4)); /* initcheck does not see cuBLAS's TMA stores */
            CHECK(cublas_gemm(cublas, CUBLAS_OP_T, CUBLAS_OP_N, n, m, k, &unity, g.b, t, (int)ldb, sb, g.a, t, (int)lda, sa, &zero, raw, CUDA_R_32F, n,
                              (long long)m * n, batch, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_SUCCESS, "cuBLAS refuses %s", what);
            cb = (float *)malloc((size_t)m * n * batch * 4);
            CUDA_CHECK(cudaMemcpy(cb, raw, (size_t)m * n * batch * 4, cudaMemcpyDeviceToHost));
            CUDA_CHECK(cudaFree(raw));
        }
        float *fa = (float *)malloc(sizeof(float) * ((size_t)k + 1) * (size_t)m), *fb = (float *)malloc(sizeof(float) * ((size_t)k + 1) * (size_t)n);
        for (int z = 0; z < batch; z++) {
            for (int i = 0; i < m; i++) for (int x = 0; x < k; x++) fa[(size_t)i * k + x] = get(kn->ab, a.host, odd_base + (size_t)(z * sa + i * lda + x));
            for (int j = 0; j < n; j++) for (int x = 0; x < k; x++) fb[(size_t)j * k + x] = get(kn->ab, b.host, odd_base + (size_t)(z * sb + j * ldb + x));
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = 0, size = 0, cv = 0;
                    for (int x = 0; x < k; x++) {
                        const double t = (double)fa[(size_t)i * k + x] * fb[(size_t)j * k + x];
                        sum += t, size += fabs(t);
                    }
                    if (beta != 0.f) cv = beta * (double)get(kn->d, c.host, odd_base + (size_t)(z * sc + i * ldc + j));
                    const double slope = kn->epi == EPI_SCALE_ROW ? fabs(((float *)vector.host)[i]) : 1.2;
                    const double ref = host_hook(kn->epi, alpha * sum + cv, i, j, (float *)vector.host, factor, (float *)residual.host, ldr);
                    const double got = get(kn->d, after, odd_base + (size_t)(z * sd + i * ldd + j));
                    const double unit_d = kn->d == TC_F32 ? 1.1920929e-7 : kn->d == TC_BF16 ? 1.0 / 128 : 1.0 / 1024; /* 2^-23, 2^-7, 2^-10 */
                    const double tiny = kn->d == TC_F16 ? 6e-8 : 1e-30;
                    const double bound = slope * ((k + 8) * 1.1920929e-7 * (fabs(alpha) * size + fabs(cv)) + 4e-7 * fabs(alpha * sum + cv)) + 1e-6
                                       + 0.501 * unit_d * fabs(ref) + tiny + (kn->epi == EPI_NONE ? 0 : 3e-7 * fabs(ref));
                    const double e = fabs(got - ref) / bound;
                    if (!(e <= 1)) bad++;
                    if (!(e <= worst)) worst = e;
                    if (cb) {
                        const double other = host_hook(kn->epi, alpha * (double)cb[((size_t)z * m + i) * n + j] + cv, i, j, (float *)vector.host, factor,
                                                       (float *)residual.host, ldr);
                        const double ec = fabs(got - other) / (2 * bound);
                        if (!(ec <= worst_cublas)) worst_cublas = ec;
                    }
                }
            }
        }
        /* every byte of D outside the m x n elements must be as it was */
        for (int z = 0; z < batch; z++)
            for (int i = 0; i < m; i++) memset(after + (size_t)(odd_base + z * sd + i * ldd) * dsize, 0xff, (size_t)n * dsize);
        for (size_t i = 0; i < d.bytes; i++) outside += after[i] != 0xff;
        CHECK(bad == 0, "%s: %d elements out of bound, worst %.2f of it", what, bad, worst);
        CHECK(!(worst_cublas > 1), "%s: differs from cuBLAS, %.2f of the bound", what, worst_cublas);
        CHECK(outside == 0, "%s: %d bytes outside of D written", what, outside);
        free(fa), free(fb), free(cb), free(after);
    }
    drop(&a), drop(&b), drop(&c), drop(&d), drop(&vector), drop(&residual);
}

/* Rows 2^30 elements apart: the third one of A and of D lies past 2^31 elements, and past 2^32 bytes. */
static void far_apart(const kernel *kn)
{
    enum { M = 3, N = 200, K = 72 };
    const int64_t far = ((int64_t)1 << 30) + 8;
    const size_t bytes = (size_t)(2 * far + 256) * (size_t)(tc_type_bits(kn->d) / 8);
    static float a[M][K], b[N][K];
    static uint16_t ha[M][K], hb[N][K], hd[M][N];
    void *da, *db, *dd;
    size_t room = 0, all = 0;
    int bad = 0;
    tc_gemm_args g;
    CUDA_CHECK(cudaMemGetInfo(&room, &all));
    if (room < 2 * bytes + ((size_t)1 << 28)) {
        SKIP("%s: rows far apart: needs %zu GB of free memory, there are %zu", kn->name, (2 * bytes >> 30) + 1, room >> 30);
        return;
    }
    for (int i = 0; i < M; i++)
        for (int x = 0; x < K; x++) a[i][x] = (float)test_int(-4, 4), ha[i][x] = tc_bf16_from_f32(a[i][x]);
    for (int j = 0; j < N; j++)
        for (int x = 0; x < K; x++) b[j][x] = (float)test_int(-4, 4) * 0.125f, hb[j][x] = tc_bf16_from_f32(b[j][x]);
    CUDA_CHECK(cudaMalloc(&da, bytes));
    CUDA_CHECK(cudaMalloc(&db, sizeof hb));
    CUDA_CHECK(cudaMalloc(&dd, bytes));
    for (int i = 0; i < M; i++) CUDA_CHECK(cudaMemcpy((uint16_t *)da + i * far, ha[i], sizeof ha[i], cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, hb, sizeof hb, cudaMemcpyHostToDevice));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = da, g.lda = far, g.b = db, g.ldb = K, g.d = dd, g.ldd = far;
    CHECK(kn->run(&g, 0) == TC_OK, "%s, rows far apart: %s", kn->name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++) CUDA_CHECK(cudaMemcpy(hd[i], (uint16_t *)dd + i * far, sizeof hd[i], cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float sum = 0; /* multiples of 1/8 below 2^24: exact */
            for (int x = 0; x < K; x++) sum += a[i][x] * b[j][x];
            bad += hd[i][j] != tc_bf16_from_f32(sum);
        }
    }
    CHECK(bad == 0, "%s, rows far apart: %d of %d elements wrong", kn->name, bad, M * N);
    CUDA_CHECK(cudaFree(da));
    CUDA_CHECK(cudaFree(db));
    CUDA_CHECK(cudaFree(dd));
}

/* Is there as much shared memory as the kernel's tile needs? Says so once if not. */
static int fits(const kernel *k, int index)
{
    static int told[KERNELS];
    int room = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if (k->smem <= room) return 1;
    if (!told[index]++) SKIP("%s: needs %d bytes of shared memory, this device gives a block %d", k->name, k->smem, room);
    return 0;
}

int main(int argc, char **argv)
{
    const int device = test_device();
    const int problems = argc > 1 ? atoi(argv[1]) : 300;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    const int largest = argc > 3 ? atoi(argv[3]) : 400;
    if (device < 80) {
        SKIP("gemm_fuzz: no device of compute capability 8.0 or later");
        return test_end();
    }
    printf("gemm_fuzz: %d problems, seed %llu, dimensions up to %d\n", problems, (unsigned long long)seed, largest);
    cublas_open();
    for (int i = 0; i < problems; i++) {
        const kernel *k = &kernels[i % KERNELS];
        test_seed(seed + (uint64_t)i);
        if (k->sm == 90 && device != 90) {
            if (i < KERNELS) SKIP("%s: needs compute capability 9.0, this device has %d.%d", k->name, device / 10, device % 10);
            continue;
        }
        if (fits(k, i % KERNELS)) one(k, largest, (uint64_t)i);
    }
    for (int i = 0; i < KERNELS; i++) { /* those with bf16 throughout and no hook */
        const kernel *k = &kernels[i];
        if (k->ab == TC_BF16 && k->d == TC_BF16 && k->epi == EPI_NONE && k->sm <= device && (k->sm != 90 || device == 90) && fits(k, i)) far_apart(k);
    }
    return test_end();
}
