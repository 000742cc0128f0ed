/* unit_wmma.cu - tc_wmma.h: every product of wmma in every layout, loaded from and stored to every state space with and
 * without a stride, against a plain product on the host. Small integers, exact in every type: results are compared for
 * equality.
 *     nvcc -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a tests/unit_wmma.cu -o
 *     build/tests/unit_wmma */
#include "../tc_wmma.h"
#include "test.h"

/* ---- the list: gate, layouts of A and B, shape, M, N, K, types of D A B C, extra (none, sat, rn .., xor_popc ..)
 * ---- */
#define LIST(X)                                                                                                        \
    LIST_K16(X, 75, f16, f16, f16, none) LIST_K16(X, 75, f16, f16, f32, none) LIST_K16(X, 75, f32, f16, f16, none)     \
    LIST_K16(X, 75, f32, f16, f32, none) LIST_K16(X, 80, f32, bf16, f32, none) LIST_K16(X, 75, s32, s8, s32, none)     \
    LIST_K16(X, 75, s32, u8, s32, none) LIST_K16(X, 75, s32, s8, s32, sat) LIST_K16(X, 75, s32, u8, s32, sat)          \
    LIST_4(X, 80, m16n16k8, 16, 16, 8, f32, tf32, f32, none) LIST_4(X, 80, m8n8k4, 8, 8, 4, f64, f64, f64, none)       \
    LIST_4(X, 80, m8n8k4, 8, 8, 4, f64, f64, f64, rn) LIST_4(X, 80, m8n8k4, 8, 8, 4, f64, f64, f64, rz)                \
    LIST_4(X, 80, m8n8k4, 8, 8, 4, f64, f64, f64, rm) LIST_4(X, 80, m8n8k4, 8, 8, 4, f64, f64, f64, rp)                \
    X(75, row, col, m8n8k32, 8, 8, 32, s32, s4, s32, none) X(75, row, col, m8n8k32, 8, 8, 32, s32, u4, s32, none)      \
    X(75, row, col, m8n8k32, 8, 8, 32, s32, s4, s32, sat) X(75, row, col, m8n8k32, 8, 8, 32, s32, u4, s32, sat)        \
    X(75, row, col, m8n8k128, 8, 8, 128, s32, b1, s32, xor_popc)                                                      \
    X(80, row, col, m8n8k128, 8, 8, 128, s32, b1, s32, and_popc)
#define LIST_K16(X, g, d, ab, c, e)                                                                                    \
    LIST_4(X, g, m16n16k16, 16, 16, 16, d, ab, c, e) LIST_4(X, g, m8n32k16, 8, 32, 16, d, ab, c, e)                   \
    LIST_4(X, g, m32n8k16, 32, 8, 16, d, ab, c, e)
#define LIST_4(X, g, s, m, n, k, d, ab, c, e)                                                                          \
    X(g, row, row, s, m, n, k, d, ab, c, e) X(g, row, col, s, m, n, k, d, ab, c, e)                                   \
    X(g, col, row, s, m, n, k, d, ab, c, e) X(g, col, col, s, m, n, k, d, ab, c, e)

#define NUMBER(g, al, bl, s, m, n, k, d, ab, c, e) CASE_##al##_##bl##_##s##_##d##_##ab##_##c##_##e,
enum { LIST(NUMBER) CASES };

/* ---- the device ---- */
enum { BYTES = 2048, MODES = 5 };
enum { GENERIC, GLOBAL, SHARED, SHARED_CTA, GLOBAL_PACKED };

#if TC_HAS_SM80
#define IF_80(...) __VA_ARGS__
#else
#define IF_80(...)
#endif
#define IF_75(...) __VA_ARGS__

#define MMA_none(al, bl, s, d, ab, c) TC_WMMA_MMA(al, bl, s, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_sat(al, bl, s, d, ab, c) TC_WMMA_MMA_SATFINITE(al, bl, s, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_rn(al, bl, s, d, ab, c) TC_WMMA_MMA_ROUND(al, bl, s, rn, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_rz(al, bl, s, d, ab, c) TC_WMMA_MMA_ROUND(al, bl, s, rz, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_rm(al, bl, s, d, ab, c) TC_WMMA_MMA_ROUND(al, bl, s, rm, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_rp(al, bl, s, d, ab, c) TC_WMMA_MMA_ROUND(al, bl, s, rp, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_xor_popc(al, bl, s, d, ab, c) TC_WMMA_MMA_POPC(xor_popc, al, bl, s, d, ab, ab, c, fd, fa, fb, fc)
#define MMA_and_popc(al, bl, s, d, ab, c) TC_WMMA_MMA_POPC(and_popc, al, bl, s, d, ab, ab, c, fd, fa, fb, fc)

/* Work on the elements in place: the mode GENERIC doubles D, where x is a number and not a pair */
#define DOUBLE_f16(f)
#define DOUBLE_NUMBER(f) _Pragma("unroll") for (int i = 0; i < TC_WMMA_COUNT(f); i++) f.x[i] += f.x[i]
#define DOUBLE_f32(f) DOUBLE_NUMBER(f)
#define DOUBLE_f64(f) DOUBLE_NUMBER(f)
#define DOUBLE_s32(f) DOUBLE_NUMBER(f)

#define RUN(g, al, bl, s, m, n, k, dt, ab, ct, e)                                                                      \
    case CASE_##al##_##bl##_##s##_##dt##_##ab##_##ct##_##e: {                                                         \
        IF_##g(tc_wmma_a_##s##_##ab fa; tc_wmma_b_##s##_##ab fb; tc_wmma_c_##s##_##ct fc; tc_wmma_c_##s##_##dt fd;    \
               if (mode == GENERIC) {                                                                                  \
                   TC_WMMA_LOAD(a, al, s, generic, ab, fa, pa, lda); TC_WMMA_LOAD(b, bl, s, generic, ab, fb, pb, ldb); \
                   TC_WMMA_LOAD(c, row, s, generic, ct, fc, pc, ldc); MMA_##e(al, bl, s, dt, ab, ct);                 \
                   DOUBLE_##dt(fd);                                                                                   \
                   TC_WMMA_STORE(d, col, s, generic, dt, pd, fd, ldd);                                                \
               } else if (mode == GLOBAL) {                                                                            \
                   TC_WMMA_LOAD(a, al, s, global, ab, fa, pa, lda); TC_WMMA_LOAD(b, bl, s, global, ab, fb, pb, ldb);   \
                   TC_WMMA_LOAD(c, col, s, global, ct, fc, pc, ldc); MMA_##e(al, bl, s, dt, ab, ct);                  \
                   TC_WMMA_STORE(d, row, s, global, dt, pd, fd, ldd);                                                 \
               } else if (mode == SHARED) {                                                                            \
                   TC_WMMA_LOAD(a, al, s, shared, ab, fa, sa, lda); TC_WMMA_LOAD(b, bl, s, shared, ab, fb, sb, ldb);   \
                   TC_WMMA_LOAD(c, row, s, shared, ct, fc, sc, ldc); MMA_##e(al, bl, s, dt, ab, ct);                  \
                   TC_WMMA_STORE(d, row, s, shared, dt, sd, fd, ldd);                                                 \
               } else if (mode == SHARED_CTA) {                                                                        \
                   TC_WMMA_LOAD_PACKED(a, al, s, shared_cta, ab, fa, sa);                                             \
                   TC_WMMA_LOAD_PACKED(b, bl, s, shared_cta, ab, fb, sb);                                             \
                   TC_WMMA_LOAD_PACKED(c, col, s, shared_cta, ct, fc, sc); MMA_##e(al, bl, s, dt, ab, ct);            \
                   TC_WMMA_STORE_PACKED(d, col, s, shared_cta, dt, sd, fd);                                           \
               } else {                                                                                                \
                   TC_WMMA_LOAD_PACKED(a, al, s, global, ab, fa, pa);                                                 \
                   TC_WMMA_LOAD_PACKED(b, bl, s, global, ab, fb, pb);                                                 \
                   TC_WMMA_LOAD_PACKED(c, row, s, generic, ct, fc, pc); MMA_##e(al, bl, s, dt, ab, ct);               \
                   TC_WMMA_STORE_PACKED(d, row, s, generic, dt, pd, fd);                                              \
               })                                                                                                      \
        break;                                                                                                         \
    }

__global__ void k_wmma(int id, int mode, const uint8_t *in, uint8_t *pd, int lda, int ldb, int ldc, int ldd)
{
    __shared__ TC_ALIGN(128) uint8_t smem[4 * BYTES];
    const uint8_t *pa = in, *pb = in + BYTES, *pc = in + 2 * BYTES, *sa = smem, *sb = smem + BYTES,
                  *sc = smem + 2 * BYTES;
    uint8_t *sd = smem + 3 * BYTES;
    for (int i = (int)threadIdx.x; i < 3 * BYTES; i += 32) smem[i] = in[i];
    for (int i = (int)threadIdx.x; i < BYTES; i += 32) sd[i] = pd[i];
    __syncthreads();
    switch (id) { LIST(RUN) }
    __syncthreads();
    if (mode == SHARED || mode == SHARED_CTA)
        for (int i = (int)threadIdx.x; i < BYTES; i += 32) pd[i] = sd[i];
}

__global__ void k_has(int *out) { *out = TC_HAS_SM80; }

/* ---- the host ---- */
typedef enum { t_f16, t_bf16, t_tf32, t_f64, t_s8, t_u8, t_s4, t_u4, t_b1, t_f32, t_s32 } type_t;
static const int type_bits[] = {16, 16, 32, 64, 8, 8, 4, 4, 1, 32, 32};

static double get(const uint8_t *p, type_t t, int i)
{
    const int bits = type_bits[t];
    uint64_t x = 0;
    double d;
    if (bits < 8) x = p[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
    else memcpy(&x, p + i * bits / 8, (size_t)bits / 8);
    switch (t) {
    case t_f16: return tc_f32_from_f16((uint16_t)x);
    case t_bf16: return tc_f32_from_bf16((uint16_t)x);
    case t_tf32: case t_f32: return tc_f32_from_bits((uint32_t)x);
    case t_f64: memcpy(&d, &x, 8); return d;
    case t_s8: return (int8_t)x;
    case t_s4: return x & 8 ? (double)x - 16 : (double)x;
    case t_s32: return (int32_t)x;
    default: return (double)x;
    }
}

static void set(uint8_t *p, type_t t, int i, double v)
{
    const int bits = type_bits[t];
    uint64_t x = (uint64_t)(int64_t)v;
    if (t == t_f16) x = tc_f16_from_f32((float)v);
    if (t == t_bf16) x = tc_bf16_from_f32((float)v);
    if (t == t_tf32 || t == t_f32) x = tc_bits_from_f32((float)v);
    if (t == t_f64) memcpy(&x, &v, 8);
    if (bits < 8)
        p[i * bits / 8] = (uint8_t)((p[i * bits / 8] & ~(((1 << bits) - 1) << (i * bits % 8)))
                                    | (x & ((1u << bits) - 1)) << (i * bits % 8));
    else memcpy(p + i * bits / 8, &x, (size_t)bits / 8);
}

static int has80, done;
static uint8_t *d_in, *d_out, h_in[3 * BYTES], h_out[BYTES];

static void run_case(const char *name, int id, int gate, int acol, int bcol, int m, int n, int k, type_t d, type_t ab,
                     type_t c, const char *extra)
{
    if (gate == 80 && !has80) return;
    done++;
    for (int mode = 0; mode < MODES; mode++) {
        const int ccol = mode == GLOBAL || mode == SHARED_CTA, dcol = mode == GENERIC || mode == SHARED_CTA,
                  packed = mode >= SHARED_CTA, sat = !strcmp(extra, "sat");
        const int pad = packed ? 0 : 128, lda = (acol ? m : k) + pad / type_bits[ab],
                  ldb = (bcol ? k : n) + pad / type_bits[ab];
        const int ldc = (ccol ? m : n) + pad / type_bits[c], ldd = (dcol ? m : n) + pad / type_bits[d];
        double a[32][128], b[128][32], cc[32][32];
        memset(h_in, 0xff, sizeof h_in);
        memset(h_out, 0x5a, sizeof h_out);
        for (int r = 0; r < m; r++) for (int i = 0; i < k; i++) {
            a[r][i] = ab == t_b1 ? test_int(0, 1) : ab == t_u8 || ab == t_u4 ? test_int(0, 3) : test_int(-3, 3);
            set(h_in, ab, acol ? i * lda + r : r * lda + i, a[r][i]);
        }
        for (int i = 0; i < k; i++) for (int j = 0; j < n; j++) {
            b[i][j] = ab == t_b1 ? test_int(0, 1) : ab == t_u8 || ab == t_u4 ? test_int(0, 3) : test_int(-3, 3);
            set(h_in + BYTES, ab, bcol ? j * ldb + i : i * ldb + j, b[i][j]);
        }
        for (int r = 0; r < m; r++) for (int j = 0; j < n; j++) {
            cc[r][j] = sat && mode != GENERIC ? (test_int(0, 1) ? 2147483640.0 : -2147483640.0) : test_int(-20, 20);
            set(h_in + 2 * BYTES, c, ccol ? j * ldc + r : r * ldc + j, cc[r][j]);
        }
        CUDA_CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(d_out, h_out, sizeof h_out, cudaMemcpyHostToDevice));
        k_wmma<<<1, 32>>>(id, mode, d_in, d_out, lda, ldb, ldc, ldd);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
        for (int r = 0; r < m; r++)
            for (int j = 0; j < n; j++) {
                double sum = cc[r][j];
                const double got = get(h_out, d, dcol ? j * ldd + r : r * ldd + j);
                for (int i = 0; i < k; i++) sum += extra[0] == 'x' ? a[r][i] != b[i][j] : a[r][i] * b[i][j];
                if (sat) sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
                if (mode == GENERIC && d != t_f16) sum *= 2;
                CHECK(got == sum, "%s mode %d: D[%d][%d] is %g, must be %g", name, mode, r, j, got, sum);
            }
        /* nothing beyond the lines of D was written */
        for (int i = 0; i < (dcol ? n : m) - 1; i++)
            for (int x = dcol ? m : n; x < ldd; x++) {
                uint8_t was[8];
                memset(was, 0x5a, 8);
                CHECK(!memcmp(h_out + (i * ldd + x) * type_bits[d] / 8, was, (size_t)type_bits[d] / 8),
                      "%s mode %d: written between the lines", name, mode);
            }
    }
}

/* ---- functions by TC_WMMA_DEFINE, and fill ---- */
TC_WMMA_DEFINE(hmma, row, col, m16n16k16, f32, f16, f16, f32)
TC_WMMA_DEFINE(hmma16, col, row, m32n8k16, f16, f16, f16, f16)
TC_WMMA_DEFINE(imma, row, col, m8n32k16, s32, s8, s8, s32)

__global__ void k_define(const uint16_t *a, const uint16_t *b, float *d, uint16_t *d16, const int8_t *a8,
                         const int8_t *b8, int32_t *d32)
{
    hmma_a fa;
    hmma_b fb;
    hmma_c fc;
    hmma_fill(&fc, 2.f);
    hmma_load_a(&fa, a, 16);
    hmma_load_b(&fb, b, 16);
    hmma_mma(&fc, &fa, &fb, &fc);
    hmma_store_row(d, &fc, 16);
    hmma_load_c_row(&fc, d, 16);
    hmma_store_col(d + 256, &fc, 16);
    hmma16_a ga;
    hmma16_b gb;
    hmma16_c gc;
    hmma16_fill(&gc, 0x3c003c00u);
    hmma16_load_a(&ga, a, 32);
    hmma16_load_b(&gb, b, 8);
    hmma16_mma(&gc, &ga, &gb, &gc);
    hmma16_store_row(d16, &gc, 8);
    imma_a ia;
    imma_b ib;
    imma_c ic;
    imma_fill(&ic, -7);
    imma_load_a(&ia, a8, 16);
    imma_load_b(&ib, b8, 16);
    imma_mma(&ic, &ia, &ib, &ic);
    imma_store_row(d32, &ic, 32);
}

static void test_define(void)
{
    static uint16_t a[512], b[256], d16[256];
    static int8_t a8[128], b8[512];
    static float d[512];
    static int32_t d32[256];
    uint8_t *p;
    CUDA_CHECK(cudaMalloc(&p, 8192));
    for (int i = 0; i < 512; i++) a[i] = tc_f16_from_f32((float)test_int(-3, 3)), b8[i] = (int8_t)test_int(-100, 100);
    for (int i = 0; i < 256; i++) b[i] = tc_f16_from_f32((float)test_int(-3, 3));
    for (int i = 0; i < 128; i++) a8[i] = (int8_t)test_int(-100, 100);
    CUDA_CHECK(cudaMemcpy(p, a, 1024, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p + 1024, b, 512, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p + 1536, a8, 128, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(p + 1664, b8, 512, cudaMemcpyHostToDevice));
    k_define<<<1, 32>>>((uint16_t *)p, (uint16_t *)(p + 1024), (float *)(p + 2560), (uint16_t *)(p + 4608),
                        (int8_t *)(p + 1536), (int8_t *)(p + 1664), (int32_t *)(p + 5120));
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(d, p + 2560, 2048, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(d16, p + 4608, 512, cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(d32, p + 5120, 1024, cudaMemcpyDeviceToHost));
    for (int r = 0; r < 16; r++) for (int c = 0; c < 16; c++) {
        float s = 2.f;
        for (int k = 0; k < 16; k++) s += tc_f32_from_f16(a[r * 16 + k]) * tc_f32_from_f16(b[c * 16 + k]);
        CHECK(d[r * 16 + c] == s && d[256 + c * 16 + r] == s, "hmma (%d, %d): %g and %g, must be %g", r, c,
              d[r * 16 + c], d[256 + c * 16 + r], s);
    }
    for (int r = 0; r < 32; r++) for (int c = 0; c < 8; c++) {
        float s = 1.f;
        for (int k = 0; k < 16; k++) s += tc_f32_from_f16(a[k * 32 + r]) * tc_f32_from_f16(b[k * 8 + c]);
        CHECK(tc_f32_from_f16(d16[r * 8 + c]) == s, "hmma16 (%d, %d)", r, c);
    }
    for (int r = 0; r < 8; r++) for (int c = 0; c < 32; c++) {
        int s = -7;
        for (int k = 0; k < 16; k++) s += a8[r * 16 + k] * b8[c * 16 + k];
        CHECK(d32[r * 32 + c] == s, "imma (%d, %d)", r, c);
    }
    CUDA_CHECK(cudaFree(p));
}

int main(void)
{
    int *d_has;
    if (!test_device()) {
        SKIP("no device");
        return test_end();
    }
    CUDA_CHECK(cudaMalloc(&d_in, sizeof h_in));
    CUDA_CHECK(cudaMalloc(&d_out, sizeof h_out));
    CUDA_CHECK(cudaMalloc(&d_has, sizeof has80));
    k_has<<<1, 1>>>(d_has);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&has80, d_has, sizeof has80, cudaMemcpyDeviceToHost));
#define CALL(g, al, bl, s, m, n, k, d, ab, c, e) \
    run_case("wmma " #al " " #bl " " #s " " #d " " #ab " " #c " " #e,                                                 \
             CASE_##al##_##bl##_##s##_##d##_##ab##_##c##_##e, g, #al[0] == 'c', #bl[0] == 'c', m, n, k, t_##d,        \
             t_##ab, t_##c, #e);
    LIST(CALL)
    if (done < CASES) SKIP("%d of %d products: not on this device or not in this build", CASES - done, CASES);
    test_define();
    return test_end();
}
