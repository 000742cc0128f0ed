/* unit_wgmma.cu - TC_WGMMA_SS, _RS, _SP_SS and _SP_RS: every type and many n, in random canonical layouts, against the
 * host; and what else tc_wgmma.h has: descriptors, their checks and words, the coordinates of fragments.
 *     nvcc -std=c++17 -gencode arch=compute_90a,code=sm_90a tests/unit_wgmma.cu -o build/tests/unit_wgmma
 * Matrices hold small integers (integer types: any), so that sums are exact. The host lays out A and B by tc_layout_k
 * and tc_layout_mn, A's registers and the metadata by tc_frag_wgmma_*; the kernel only copies bytes and calls. */
#include "../tc.h"
#include "../tc_types.h"
#include "test.h"

typedef struct params {
    const uint8_t *image;            /* of shared memory */
    uint32_t image_bytes;
    tc_wgmma_desc_fields a, b;       /* addresses from the start of the image */
    const uint32_t *ra, *meta;       /* by thread: 4 registers of A, 1 of metadata */
    const uint32_t *d_in;            /* by thread: the registers of D */
    uint32_t *d_out;
    int scale_d;
} params;

enum { IMAGE = 80 * 1024 };
extern __shared__ unsigned char dynamic[];

#define BITS_float(x) tc_bits_from_f32(x)
#define FROM_float(x) tc_f32_from_bits(x)
#define BITS_uint32_t(x) (x)
#define FROM_uint32_t(x) (x)
#define FENCE_float tc_wgmma_fence_acc
#define FENCE_uint32_t tc_wgmma_fence_acc_b32

#if TC_HAS_SM90A
#define BODY(type, regs, ...)                                                                                         \
    {                                                                                                                 \
        const uint32_t start = (tc_smem_u32(dynamic) + 1023u) & ~1023u, t = threadIdx.x;                              \
        unsigned char *smem = dynamic + (start - tc_smem_u32(dynamic));                                               \
        for (uint32_t i = t * 16; i < p.image_bytes; i += 128 * 16)                                                   \
            *(uint4 *)(smem + i) = *(const uint4 *)(p.image + i);                                                     \
        tc_fence_proxy_async_shared();                                                                                \
        __syncthreads();                                                                                              \
        type d[regs];                                                                                                 \
        const uint32_t *ra = p.ra + t * 4, a[4] = {ra[0], ra[1], ra[2], ra[3]};                                       \
        const uint32_t meta = p.meta[t];                                                                              \
        _Pragma("unroll") for (int i = 0; i < regs; i++) d[i] = FROM_##type(p.d_in[t * regs + i]);                    \
        tc_wgmma_desc_fields fa = p.a, fb = p.b;                                                                      \
        fa.addr += start, fb.addr += start;                                                                           \
        const uint64_t da = tc_wgmma_desc_make(fa), db = tc_wgmma_desc_make(fb);                                      \
        (void)meta, (void)da, (void)a;                                                                                \
        tc_wgmma_fence();                                                                                             \
        __VA_ARGS__;                                                                                                  \
        tc_wgmma_commit_group();                                                                                      \
        TC_WGMMA_WAIT_GROUP(0);                                                                                       \
        FENCE_##type(d, regs);                                                                                        \
        _Pragma("unroll") for (int i = 0; i < regs; i++) p.d_out[t * regs + i] = BITS_##type(d[i]);                   \
    }
#else
#define BODY(type, regs, ...) {}
#endif

/* Cases. All begin with a name and n; d, a, b: types; sel: selector; sa, sb: scales; ta, tb: transposes. */
#define H_CASES(SS, RS, SPSS, SPRS)                                                                                   \
    SS(h1, 8, f32, f16, 1, 1, 0, 0) SS(h2, 64, f32, f16, -1, 1, 1, 0) SS(h3, 256, f32, f16, 1, -1, 0, 1)              \
    SS(h4, 136, f32, f16, -1, -1, 1, 1)                                                                               \
    SS(h5, 8, f16, f16, 1, 1, 0, 0) SS(h6, 24, f16, f16, 1, 1, 1, 1) SS(h7, 256, f16, f16, -1, 1, 0, 1)               \
    SS(h8, 104, f16, f16, 1, 1, 0, 0)                                                                                 \
    SS(h9, 8, f32, bf16, 1, 1, 1, 0) SS(h10, 256, f32, bf16, 1, 1, 1, 1) SS(h11, 128, f32, bf16, 1, -1, 0, 0)         \
    RS(r1, 8, f32, f16, 1, 1, 0) RS(r2, 192, f32, f16, -1, 1, 1) RS(r3, 40, f16, f16, 1, 1, 0)                        \
    RS(r4, 256, f16, f16, 1, -1, 1)                                                                                   \
    RS(r5, 72, f32, bf16, 1, 1, 1) RS(r6, 256, f32, bf16, -1, -1, 0)                                                  \
    SPSS(s1, 8, f32, f16, 0, 1, 1, 0, 0) SPSS(s2, 128, f32, f16, 1, -1, 1, 1, 1)                                      \
    SPSS(s3, 256, f32, bf16, 1, 1, -1, 0, 1)                                                                          \
    SPSS(s4, 64, f16, f16, 0, 1, 1, 0, 0) SPSS(s5, 88, f16, f16, 1, 1, 1, 1, 0) SPSS(s6, 16, f32, bf16, 0, 1, 1, 1, 0) \
    SPRS(t1, 8, f32, f16, 1, 1, 1, 0) SPRS(t2, 128, f32, bf16, 0, 1, 1, 1) SPRS(t3, 200, f16, f16, 1, 1, -1, 0)       \
    SPRS(t4, 256, f32, f16, 0, -1, 1, 1)
#define F_CASES(SS, RS, SPSS, SPRS)                                                                                   \
    SS(f1, 8, f32, tf32, tf32, 1, 1) SS(f2, 64, f32, tf32, tf32, -1, 1) SS(f3, 256, f32, tf32, tf32, 1, -1)           \
    SS(f4, 8, f32, e4m3, e4m3, 1, 1) SS(f5, 64, f32, e4m3, e5m2, 1, -1) SS(f6, 256, f32, e5m2, e4m3, -1, 1)           \
    SS(f7, 120, f32, e5m2, e5m2, 1, 1)                                                                                \
    SS(f8, 8, f16, e4m3, e4m3, 1, 1) SS(f9, 56, f16, e4m3, e5m2, 1, -1) SS(f10, 256, f16, e5m2, e4m3, -1, 1)          \
    SS(f11, 128, f16, e5m2, e5m2, 1, 1)                                                                               \
    RS(g1, 24, f32, tf32, tf32, 1, 1) RS(g2, 256, f32, tf32, tf32, -1, -1)                                            \
    RS(g3, 8, f32, e4m3, e4m3, 1, 1) RS(g4, 72, f32, e4m3, e5m2, 1, -1) RS(g5, 256, f32, e5m2, e4m3, -1, 1)           \
    RS(g6, 32, f32, e5m2, e5m2, 1, 1)                                                                                 \
    RS(g7, 16, f16, e4m3, e4m3, 1, 1) RS(g8, 184, f16, e4m3, e5m2, 1, 1) RS(g9, 96, f16, e5m2, e4m3, 1, 1)            \
    RS(g10, 256, f16, e5m2, e5m2, 1, 1)                                                                               \
    SPSS(u1, 8, f32, tf32, tf32, 0, 1, 1) SPSS(u2, 128, f32, tf32, tf32, 1, -1, 1)                                    \
    SPSS(u3, 64, f32, e4m3, e4m3, 0, 1, 1) SPSS(u4, 256, f32, e4m3, e5m2, 0, 1, -1)                                   \
    SPSS(u5, 24, f32, e5m2, e4m3, 0, 1, 1) SPSS(u6, 96, f32, e5m2, e5m2, 0, 1, 1)                                     \
    SPSS(u7, 8, f16, e4m3, e4m3, 0, 1, 1) SPSS(u8, 160, f16, e4m3, e5m2, 0, 1, 1)                                     \
    SPSS(u9, 48, f16, e5m2, e4m3, 0, 1, 1) SPSS(u10, 256, f16, e5m2, e5m2, 0, -1, 1)                                  \
    SPRS(v1, 16, f32, tf32, tf32, 1, 1, 1) SPRS(v2, 248, f32, tf32, tf32, 0, 1, -1)                                   \
    SPRS(v3, 8, f32, e4m3, e4m3, 0, 1, 1) SPRS(v4, 112, f32, e4m3, e5m2, 0, 1, -1)                                    \
    SPRS(v5, 256, f32, e5m2, e4m3, 0, 1, 1) SPRS(v6, 40, f32, e5m2, e5m2, 0, 1, 1)                                    \
    SPRS(v7, 256, f16, e4m3, e4m3, 0, 1, 1) SPRS(v8, 32, f16, e4m3, e5m2, 0, 1, 1)                                    \
    SPRS(v9, 24, f16, e5m2, e4m3, 0, 1, 1) SPRS(v10, 64, f16, e5m2, e5m2, 0, 1, 1)
#define I_CASES(SS, RS, SPSS, SPRS)                                                                                   \
    SS(i1, 8, s8, s8) SS(i2, 24, s8, u8) SS(i3, 256, u8, s8) SS(i4, 80, u8, u8)                                       \
    SS(i5, 16, s8, s8.satfinite) SS(i6, 48, s8, u8.satfinite) SS(i7, 224, u8, s8.satfinite)                           \
    SS(i8, 128, u8, u8.satfinite)                                                                                     \
    SS(b1, 8, b1, b1.and.popc) SS(b2, 96, b1, b1.and.popc) SS(b3, 256, b1, b1.and.popc)                               \
    RS(j1, 8, s8, s8) RS(j2, 24, s8, u8) RS(j3, 256, u8, s8) RS(j4, 80, u8, u8)                                       \
    RS(j5, 16, s8, s8.satfinite) RS(j6, 48, s8, u8.satfinite) RS(j7, 224, u8, s8.satfinite)                           \
    RS(j8, 128, u8, u8.satfinite)                                                                                     \
    RS(c1, 24, b1, b1.and.popc) RS(c2, 256, b1, b1.and.popc)                                                          \
    SPSS(l1, 8, s8, s8) SPSS(l2, 24, s8, u8) SPSS(l3, 256, u8, s8) SPSS(l4, 80, u8, u8)                               \
    SPSS(l5, 16, s8, s8.satfinite) SPSS(l6, 48, s8, u8.satfinite) SPSS(l7, 224, u8, s8.satfinite)                     \
    SPSS(l8, 128, u8, u8.satfinite)                                                                                   \
    SPRS(m1, 8, s8, s8) SPRS(m2, 24, s8, u8) SPRS(m3, 256, u8, s8) SPRS(m4, 80, u8, u8)                               \
    SPRS(m5, 16, s8, s8.satfinite) SPRS(m6, 48, s8, u8.satfinite) SPRS(m7, 224, u8, s8.satfinite)                     \
    SPRS(m8, 128, u8, u8.satfinite)
/* every n, by the one-type spelling and by the functions' way */
#define N_CASES(X)                                                                                                    \
    X(8) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72) X(80) X(88) X(96) X(104) X(112) X(120) X(128)                \
    X(136) X(144) X(152) X(160) X(168) X(176) X(184) X(192) X(200) X(208) X(216) X(224) X(232) X(240) X(248) X(256)

#define REGS_f32(n) ((n) / 2)
#define REGS_f16(n) ((n) / 4)
#define TYPE_f32 float
#define TYPE_f16 uint32_t
#define KERNEL(name, type, regs, ...) KERNEL_(name, type, regs, __VA_ARGS__)
#define KERNEL_(name, type, regs, ...)                                                                                \
    __global__ void __launch_bounds__(128) k_##name(const params p) BODY(type, regs, __VA_ARGS__)

#define KH_SS(name, n, D, A, sa, sb, ta, tb)                                                                          \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SS(n, D, A, d, da, db, p.scale_d, sa, sb, ta, tb))
#define KH_RS(name, n, D, A, sa, sb, tb)                                                                              \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_RS(n, D, A, A, d, a, db, p.scale_d, sa, sb, tb))
#define KH_SPSS(name, n, D, A, sel, sa, sb, ta, tb)                                                                   \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SP_SS(n, D, A, A, d, da, db, meta, sel, p.scale_d, sa, sb, ta, tb))
#define KH_SPRS(name, n, D, A, sel, sa, sb, tb)                                                                       \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SP_RS(n, D, A, d, a, db, meta, sel, p.scale_d, sa, sb, tb))
H_CASES(KH_SS, KH_RS, KH_SPSS, KH_SPRS)
#define KF_SS(name, n, D, A, B, sa, sb)                                                                               \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SS(n, D, A, B, d, da, db, p.scale_d, sa, sb))
#define KF_RS(name, n, D, A, B, sa, sb)                                                                               \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_RS(n, D, A, B, d, a, db, p.scale_d, sa, sb))
#define KF_SPSS(name, n, D, A, B, sel, sa, sb)                                                                        \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SP_SS(n, D, A, B, d, da, db, meta, sel, p.scale_d, sa, sb))
#define KF_SPRS(name, n, D, A, B, sel, sa, sb)                                                                        \
    KERNEL(name, TYPE_##D, REGS_##D(n), TC_WGMMA_SP_RS(n, D, A, B, d, a, db, meta, sel, p.scale_d, sa, sb))
F_CASES(KF_SS, KF_RS, KF_SPSS, KF_SPRS)
#define KI_SS(name, n, A, B) KERNEL(name, uint32_t, (n) / 2, TC_WGMMA_SS(n, s32, A, B, d, da, db, p.scale_d))
#define KI_RS(name, n, A, B) KERNEL(name, uint32_t, (n) / 2, TC_WGMMA_RS(n, s32, A, B, d, a, db, p.scale_d))
#define KI_SPSS(name, n, A, B)                                                                                        \
    KERNEL(name, uint32_t, (n) / 2, TC_WGMMA_SP_SS(n, s32, A, B, d, da, db, meta, 0, p.scale_d))
#define KI_SPRS(name, n, A, B)                                                                                        \
    KERNEL(name, uint32_t, (n) / 2, TC_WGMMA_SP_RS(n, s32, A, B, d, a, db, meta, 0, p.scale_d))
I_CASES(KI_SS, KI_RS, KI_SPSS, KI_SPRS)
#define KN(n)                                                                                                         \
    KERNEL(n1_##n, float, (n) / 2, TC_WGMMA_SS(n, f32, bf16, d, da, db, p.scale_d, 1, 1, 0, 0))                       \
    KERNEL(n2_##n, float, (n) / 2, tc_wgmma_m64n##n##k16_f32_f16(d, da, db, p.scale_d))                               \
    KERNEL(n3_##n, float, (n) / 2, TC_WGMMA_SS(n, f32, e4m3, d, da, db, p.scale_d, 1, 1))
N_CASES(KN)
/* the one-type spelling of the rest */
KERNEL(o1, uint32_t, 16, TC_WGMMA_SS(32, s32, b1, d, da, db, p.scale_d))
KERNEL(o2, uint32_t, 16, TC_WGMMA_RS(32, s32, b1, d, a, db, p.scale_d))
KERNEL(o3, uint32_t, 16, TC_WGMMA_RS(32, s32, u8, d, a, db, p.scale_d))
KERNEL(o4, uint32_t, 16, TC_WGMMA_SP_RS(32, s32, u8, d, a, db, meta, 0, p.scale_d))

enum { FORM_SS, FORM_RS };
typedef struct test_case {
    const char *name;
    void (*kernel)(const params);
    int form, sparse, n;
    const char *d, *a, *b;
    int sel, sa, sb, ta, tb;
} test_case;
#define TH_SS(name, n, D, A, sa, sb, ta, tb) {#name, k_##name, FORM_SS, 0, n, #D, #A, #A, 0, sa, sb, ta, tb},
#define TH_RS(name, n, D, A, sa, sb, tb) {#name, k_##name, FORM_RS, 0, n, #D, #A, #A, 0, sa, sb, 0, tb},
#define TH_SPSS(name, n, D, A, sel, sa, sb, ta, tb) {#name, k_##name, FORM_SS, 1, n, #D, #A, #A, sel, sa, sb, ta, tb},
#define TH_SPRS(name, n, D, A, sel, sa, sb, tb) {#name, k_##name, FORM_RS, 1, n, #D, #A, #A, sel, sa, sb, 0, tb},
#define TF_SS(name, n, D, A, B, sa, sb) {#name, k_##name, FORM_SS, 0, n, #D, #A, #B, 0, sa, sb, 0, 0},
#define TF_RS(name, n, D, A, B, sa, sb) {#name, k_##name, FORM_RS, 0, n, #D, #A, #B, 0, sa, sb, 0, 0},
#define TF_SPSS(name, n, D, A, B, sel, sa, sb) {#name, k_##name, FORM_SS, 1, n, #D, #A, #B, sel, sa, sb, 0, 0},
#define TF_SPRS(name, n, D, A, B, sel, sa, sb) {#name, k_##name, FORM_RS, 1, n, #D, #A, #B, sel, sa, sb, 0, 0},
#define TI_SS(name, n, A, B) {#name, k_##name, FORM_SS, 0, n, "s32", #A, #B, 0, 1, 1, 0, 0},
#define TI_RS(name, n, A, B) {#name, k_##name, FORM_RS, 0, n, "s32", #A, #B, 0, 1, 1, 0, 0},
#define TI_SPSS(name, n, A, B) {#name, k_##name, FORM_SS, 1, n, "s32", #A, #B, 0, 1, 1, 0, 0},
#define TI_SPRS(name, n, A, B) {#name, k_##name, FORM_RS, 1, n, "s32", #A, #B, 0, 1, 1, 0, 0},
#define TN(n)                                                                                                         \
    {"n1_" #n, k_n1_##n, FORM_SS, 0, n, "f32", "bf16", "bf16", 0, 1, 1, 0, 0},                                        \
    {"n2_" #n, k_n2_##n, FORM_SS, 0, n, "f32", "f16", "f16", 0, 1, 1, 0, 0},                                          \
    {"n3_" #n, k_n3_##n, FORM_SS, 0, n, "f32", "e4m3", "e4m3", 0, 1, 1, 0, 0},
static const test_case cases[] = {
    H_CASES(TH_SS, TH_RS, TH_SPSS, TH_SPRS) F_CASES(TF_SS, TF_RS, TF_SPSS, TF_SPRS)
    I_CASES(TI_SS, TI_RS, TI_SPSS, TI_SPRS) N_CASES(TN) {"o1", k_o1, FORM_SS, 0, 32, "s32", "b1", "b1", 0, 1, 1, 0, 0},
    {"o2", k_o2, FORM_RS, 0, 32, "s32", "b1", "b1", 0, 1, 1, 0, 0},
    {"o3", k_o3, FORM_RS, 0, 32, "s32", "u8", "u8", 0, 1, 1, 0, 0},
    {"o4", k_o4, FORM_RS, 1, 32, "s32", "u8", "u8", 0, 1, 1, 0, 0},
};

static int type_of(const char *name)
{
    for (int t = 1; t < TC_TYPE_COUNT; t++) {
        const size_t len = strlen(tc_type_name(t));
        if (!strncmp(name, tc_type_name(t), len) && (name[len] == 0 || name[len] == '.')) return t;
    }
    return 0;
}

/* ---- a matrix of rows x k codes in a random canonical layout, written into the image at *end ---- */
static uint8_t image[IMAGE];

static void lay_out(const uint8_t *codes, int type, uint32_t rows, uint32_t k, int mn_major, uint32_t *end,
                    tc_wgmma_desc_fields *f, char *words)
{
    static const int modes[4] = {0, 32, 64, 128};
    const uint32_t bits = (uint32_t)tc_type_bits(type), bytes = k * bits / 8;
    const int mode = modes[test_int(0, 3)], flip = test_int(0, 1);
    const uint32_t w = mode ? (uint32_t)mode : 16, atom = 8 * w, pad = (uint32_t)test_int(0, 1) * atom;
    uint32_t shift = 0, most = 0;
    memset(f, 0, sizeof *f);
    f->swizzle = mode;
    if (!mn_major) {
        const uint32_t across = (bytes + w - 1) / w, down = rows / 8;
        if (flip) f->leading_bytes = atom, f->stride_bytes = atom * across + pad;
        else f->stride_bytes = atom + pad, f->leading_bytes = f->stride_bytes * down;
        if (mode && across == 1) f->leading_bytes = 16 * (uint32_t)test_int(0, 9); /* not used */
        /* start within the line: k goes on there */
        if (mode && bytes < w) shift = (uint32_t)test_int(0, (int)(w / bytes) - 1);
    } else {
        const uint32_t across = (rows * bits / 8 + w - 1) / w, down = k / 8;
        uint32_t mn = flip ? atom : (atom + pad) * down, kk = flip ? atom * across + pad : atom + pad;
        if (mode) f->leading_bytes = mn, f->stride_bytes = kk;
        else f->leading_bytes = kk, f->stride_bytes = mn;
    }
    f->addr = (*end + 1023) & ~1023u;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t x = 0; x < k; x++) {
            const uint32_t kx = x + shift * k;
            const uint32_t at = f->addr + (mn_major ? tc_layout_mn(mode, (int)bits, f->leading_bytes, f->stride_bytes,
                                                                   r, x) : tc_layout_k(mode, (int)bits,
                           f->leading_bytes, f->stride_bytes, r, kx));
            const uint32_t code = tc_element_code(codes, type, (uint64_t)r * k + x);
            if (at + 4 >= IMAGE) {
                printf("the image is too small\n");
                exit(1);
            }
            if (bits == 1) image[at] = (uint8_t)((image[at] & ~(1u << kx % 8)) | code << kx % 8);
            else for (uint32_t i = 0; i < bits / 8; i++) image[at + i] = (uint8_t)(code >> 8 * i);
            if (at + 4 > most) most = at + 4;
        }
    *end = most;
    f->addr += shift * bytes;
    CHECK(tc_wgmma_desc_check(f) == TC_OK, "%s", tc_why());
    sprintf(words, "%s-major, swizzle %d, lead %u, stride %u, shift %u", mn_major ? "MN" : "K", mode, f->leading_bytes,
            f->stride_bytes, shift);
}

static uint32_t *dev_u32(const uint32_t *from, size_t n)
{
    uint32_t *p;
    CUDA_CHECK(cudaMalloc(&p, n * 4));
    CUDA_CHECK(cudaMemcpy(p, from, n * 4, cudaMemcpyHostToDevice));
    return p;
}

/* k of the instruction in elements of A as it is multiplied: twice the stored ones if sparse */
static void one(const test_case *c)
{
    const int ta = type_of(c->a), tb = type_of(c->b), td = type_of(c->d), bits = tc_type_bits(ta),
              sat = strstr(c->b, "satfinite") != 0;
    const int ks = 256 / bits, k = c->sparse ? 2 * ks : ks, n = c->n, group = bits == 32 ? 2 : 4, keep = group / 2;
    const int regs = td == TC_F16 ? n / 4 : n / 2;
    static uint8_t a[64 * 32 + 8], b[256 * 64 + 8];
    static int at[64][64];                       /* sparse: the column of a stored element */
    static double va[64][512], vb[256][512];
    uint32_t ra[128 * 4], meta[128], end = 0;
    uint32_t *d_in = (uint32_t *)calloc((size_t)(128 * regs), 4), *d_out = (uint32_t *)calloc((size_t)(128 * regs), 4);
    uint8_t *dimage;
    params p;
    char words_a[128] = "registers", words_b[128];
    memset(&p, 0, sizeof p), memset(va, 0, sizeof va), memset(image, 0x5a, sizeof image);
    for (int i = 0; i < 64 * ks; i++)
        tc_element_code_set(a, ta, (uint64_t)i, bits == 1 || ta == TC_S8
                            || ta == TC_U8 ? (uint32_t)(test_random() >> 32) : tc_from_f32(ta, (float)test_int(-3, 3)));
    for (int i = 0; i < n * k; i++)
        tc_element_code_set(b, tb, (uint64_t)i, bits == 1 || tb == TC_S8
                            || tb == TC_U8 ? (uint32_t)(test_random() >> 32) : tc_from_f32(tb, (float)test_int(-3, 3)));
    for (int r = 0; r < 64; r++)
        for (int g = 0; g < ks; g += keep) {
            int first = test_int(0, group - 1), second = test_int(0, group - 2);
            if (second >= first) second++;
            if (keep == 2 && first > second) { const int x = first; first = second, second = x; }
            for (int i = 0; i < keep; i++) {
                at[r][(g + i) % 64] = c->sparse ? g * 2 + (i ? second : first) : g + i;
                va[r][c->sparse ? g * 2 + (i ? second : first) : g + i] = (double)tc_element_get(a, ta,
                    (uint64_t)(r * ks + g + i)) * c->sa;
            }
        }
    for (int r = 0; r < n; r++)
        for (int x = 0; x < k; x++) vb[r][x] = (double)tc_element_get(b, tb, (uint64_t)(r * k + x)) * c->sb;
    /* registers of A, metadata */
    for (int t = 0; t < 128; t++) {
        for (int r = 0; r < 4; r++) {
            const int e = 32 / bits;
            ra[t * 4 + r] = 0;
            for (int i = r * e; i < r * e + e; i++)
                ra[t * 4 + r] |= tc_element_code(a, ta,
                                                 (uint64_t)(tc_frag_wgmma_a_row(t, i, bits) * ks
                                                            + tc_frag_wgmma_a_col(t, i, bits)))
                << (i - r * e) * bits % 32;
        }
        meta[t] = (uint32_t)(test_random() >> 32);
        if (c->sparse && (bits == 8 || t % 4 / 2 == c->sel)) {
            meta[t] = 0;
            for (int x = 0; x < 8; x++) {
                const int row = tc_frag_wgmma_meta_row(t, x, bits), col = tc_frag_wgmma_meta_col(t, x, bits);
                uint32_t nibble;
                if (bits == 32) nibble = at[row][col / 2] - col ? 14u : 4u;
                else nibble = (uint32_t)(at[row][col / 2] - col) | (uint32_t)(at[row][col / 2 + 1] - col) << 2;
                meta[t] |= nibble << 4 * x;
            }
        }
    }
    if (c->form == FORM_SS) lay_out(a, ta, 64, (uint32_t)ks, c->ta, &end, &p.a, words_a);
    lay_out(b, tb, (uint32_t)n, (uint32_t)k, c->tb, &end, &p.b, words_b);
    for (int i = 0; i < 128 * regs; i++)
        d_in[i] = td == TC_F32 ? tc_bits_from_f32((float)test_int(-50, 50))
                : td == TC_F16 ? tc_f16_from_f32((float)test_int(-50, 50))
                | (uint32_t)tc_f16_from_f32((float)test_int(-50, 50)) << 16
                : sat          ? (test_int(0, 1) ? 0x7fffffffu - (uint32_t)test_int(0, 99999)
                                  : 0x80000000u + (uint32_t)test_int(0, 99999))
                               : (uint32_t)(test_random() >> 32);
    p.image_bytes = (end + 15) & ~15u;
    CUDA_CHECK(cudaMalloc(&dimage, p.image_bytes));
    CUDA_CHECK(cudaMemcpy(dimage, image, p.image_bytes, cudaMemcpyHostToDevice));
    p.image = dimage, p.ra = dev_u32(ra, 128 * 4), p.meta = dev_u32(meta, 128),
        p.d_in = dev_u32(d_in, (size_t)(128 * regs)), p.d_out = dev_u32(d_out, (size_t)(128 * regs));
    p.scale_d = test_int(0, 3) != 0;
    snprintf(test_context, sizeof test_context, "%s", c->name);
    CUDA_CHECK(cudaFuncSetAttribute((const void *)c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    IMAGE + 1024));
    c->kernel<<<1, 128, IMAGE + 1024>>>(p);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(d_out, p.d_out, (size_t)(128 * regs) * 4, cudaMemcpyDeviceToHost));
    int bad = 0, t_bad = 0, i_bad = 0;
    double got_bad = 0, want_bad = 0;
    for (int t = 0; t < 128; t++)
        for (int i = 0; i < n / 2; i++) {
            const int row = tc_frag_wgmma_d_row(t, i), col = tc_frag_wgmma_d_col(t, i);
            const uint32_t in = td == TC_F16 ? d_in[t * regs + i / 2] >> i % 2 * 16 & 0xffff : d_in[t * regs + i];
            const uint32_t out = td == TC_F16 ? d_out[t * regs + i / 2] >> i % 2 * 16 & 0xffff : d_out[t * regs + i];
            double want = 0, got;
            for (int x = 0; x < k; x++) want += va[row][x] * vb[col][x];
            if (td == TC_S32) {
                want += p.scale_d ? (double)(int32_t)in : 0;
                if (sat) want = want > 2147483647.0 ? 2147483647.0 : want < -2147483648.0 ? -2147483648.0 : want;
                else want = (double)(int32_t)(uint32_t)(int64_t)want;
                got = (double)(int32_t)out;
            } else {
                want += p.scale_d ? (double)tc_f32_from(td, in) : 0;
                got = (double)tc_f32_from(td, out);
            }
            if (got != want && !bad++) t_bad = t, i_bad = i, got_bad = got, want_bad = want;
        }
    CHECK(!bad, "%s: m64n%d %s.%s.%s%s %s, A %s; B %s: %d elements, the first in thread %d, number %d: %g, want %g",
          c->name, n, c->d, c->a, c->b, c->sparse ? " sparse" : "", c->form == FORM_SS ? "SS" : "RS", words_a, words_b,
          bad, t_bad, i_bad, got_bad, want_bad);
    CUDA_CHECK(cudaFree(dimage));
    CUDA_CHECK(cudaFree((void *)(uintptr_t)p.ra));
    CUDA_CHECK(cudaFree((void *)(uintptr_t)p.meta));
    CUDA_CHECK(cudaFree((void *)(uintptr_t)p.d_in));
    CUDA_CHECK(cudaFree(p.d_out));
    free(d_in), free(d_out);
}

/* ---- descriptors on the host ---- */
#define REFUSED(text, ...)                                                                                            \
    do {                                                                                                              \
        tc_wgmma_desc_fields f = {0x2000, 16, 1024, 0, 128};                                                          \
        uint64_t x = 42;                                                                                              \
        __VA_ARGS__;                                                                                                  \
        CHECK(tc_wgmma_desc_encode(&x, &f) == TC_ERR_DESC && x == 42, "%s: taken", text);                             \
        CHECK(strstr(tc_why(), text) != 0, "\"%s\" lacks \"%s\"", tc_why(), text);                                    \
    } while (0)

static void test_descriptors(void)
{
    char text[256];
    uint64_t x = 0;
    tc_wgmma_desc_fields f = {0x2000, 16, 1024, 0, 128};
    REFUSED("addr = 0x2008 is not a multiple of 16", f.addr = 0x2008);
    REFUSED("addr = 0x40000", f.addr = 0x40000);
    REFUSED("leading_bytes = 8", f.leading_bytes = 8);
    REFUSED("leading_bytes = 262144", f.leading_bytes = 262144);
    REFUSED("stride_bytes = 1032", f.stride_bytes = 1032);
    REFUSED("stride_bytes = 524288", f.stride_bytes = 524288);
    REFUSED("stride_bytes = 512 is not a multiple of the 128-byte swizzle's atom of 1024", f.stride_bytes = 512);
    REFUSED("base_offset = 8", f.base_offset = 8);
    REFUSED("base_offset = 1, but without a swizzle", f.base_offset = 1; f.swizzle = 0);
    REFUSED("swizzle = 96", f.swizzle = 96);
    CHECK(tc_wgmma_desc_encode(&x, &f) == TC_OK && x == tc_wgmma_desc(0x2000, 128), "the plain tile");
    tc_wgmma_desc_text(text, sizeof text, x);
    CHECK(!strcmp(text,
                  "wgmma: shared address 0x02000, leading byte offset 16, stride byte offset 1024, base offset 0, "
                  "128-byte swizzle"), "%s", text);
    f.swizzle = 64, f.stride_bytes = 512, f.base_offset = 2;
    tc_wgmma_desc_text(text, sizeof text, tc_wgmma_desc_make(f));
    CHECK(strstr(text, "stride byte offset 512, base offset 2, 64-byte swizzle"), "%s", text);
    tc_wgmma_desc_text(text, sizeof text, x | 1ull << 46);
    CHECK(strstr(text, "this is a descriptor of tcgen05"), "%s", text);
    tc_wgmma_desc_text(text, sizeof text, x | 1ull << 14);
    CHECK(strstr(text, "bits that wgmma leaves unused are set"), "%s", text);
    tc_wgmma_desc_text(text, 8, x);
    CHECK(!strcmp(text, "wgmma: "), "cut: %s", text);
}

__global__ void k_has(int *out) { *out = TC_HAS_SM90A; }

int main(void)
{
    int has = 0, *dhas;
    test_descriptors();
    if (!test_device()) {
        SKIP("wgmma: no device");
        return test_end();
    }
    CUDA_CHECK(cudaMalloc(&dhas, 4));
    k_has<<<1, 1>>>(dhas);
    CUDA_CHECK(cudaMemcpy(&has, dhas, 4, cudaMemcpyDeviceToHost));
    if (!has) SKIP("wgmma: needs sm_90a and a build for it");
    else
        for (int round = 0; round < 4; round++)
            for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) one(&cases[i]);
    return test_end();
}
