/* unit_mma.cu - tc_mma.h and tc_sparse.h: every mma.sync and mma.sp, fed and read through the layout functions, against
 * a plain product on the host; the 2:4 compressors; ldmatrix, stmatrix and cp.async in the forms that unit_device
 * leaves out.
 *     nvcc -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a
 *          -gencode arch=compute_100a,code=sm_100a -gencode arch=compute_120a,code=sm_120a tests/unit_mma.cu -o
 *          build/tests/unit_mma
 *
 * Numbers are small integers, exact in every type, so results are compared for equality. What the device lacks is
 * skipped. */
#include <fenv.h>
#include "../tc_mma.h"
#include "../tc_sparse.h"
#include "test.h"

/* ---- the lists: one line an instruction ----
 * DENSE: gate, shape, M, K, types of D A B C, class; the others as their macros take them. */
#define LIST_DENSE(X)                                                                                                  \
    X(75, m16n8k8, 16, 8, f16, f16, f16, f16, b16) X(75, m16n8k8, 16, 8, f32, f16, f16, f32, b16)                      \
    X(80, m16n8k16, 16, 16, f16, f16, f16, f16, b16) X(80, m16n8k16, 16, 16, f32, f16, f16, f32, b16)                  \
    X(80, m16n8k8, 16, 8, f32, bf16, bf16, f32, b16) X(80, m16n8k16, 16, 16, f32, bf16, bf16, f32, b16)                \
    X(80, m16n8k4, 16, 4, f32, tf32, tf32, f32, b32) X(80, m16n8k8, 16, 8, f32, tf32, tf32, f32, b32)                  \
    X(80, m8n8k4, 8, 4, f64, f64, f64, f64, b64) X(90, m16n8k4, 16, 4, f64, f64, f64, f64, b64)                        \
    X(90, m16n8k8, 16, 8, f64, f64, f64, f64, b64) X(90, m16n8k16, 16, 16, f64, f64, f64, f64, b64)                    \
    LIST_INT(X, s8, s8, 16, 32, b8) LIST_INT(X, s8, u8, 16, 32, b8) LIST_INT(X, u8, s8, 16, 32, b8)                    \
    LIST_INT(X, u8, u8, 16, 32, b8) LIST_INT(X, s4, s4, 32, 64, b4) LIST_INT(X, s4, u4, 32, 64, b4)                    \
    LIST_INT(X, u4, s4, 32, 64, b4) LIST_INT(X, u4, u4, 32, 64, b4)                                                    \
    LIST_FP8(X, e4m3, e4m3) LIST_FP8(X, e4m3, e5m2) LIST_FP8(X, e5m2, e4m3) LIST_FP8(X, e5m2, e5m2)
#define LIST_INT(X, a, b, k, k2, c)                                                                                    \
    X(75, m8n8k##k, 8, k, s32, a, b, s32, c) X(80, m16n8k##k, 16, k, s32, a, b, s32, c)                               \
    X(80, m16n8k##k2, 16, k2, s32, a, b, s32, c)
#define LIST_SAT(X)                                                                                                    \
    LIST_INT(X, s8, s8, 16, 32, b8) LIST_INT(X, s8, u8, 16, 32, b8) LIST_INT(X, u8, s8, 16, 32, b8)                    \
    LIST_INT(X, u8, u8, 16, 32, b8) LIST_INT(X, s4, s4, 32, 64, b4) LIST_INT(X, s4, u4, 32, 64, b4)                    \
    LIST_INT(X, u4, s4, 32, 64, b4) LIST_INT(X, u4, u4, 32, 64, b4)
#define LIST_FP8(X, a, b)                                                                                              \
    X(89, m16n8k16, 16, 16, f32, a, b, f32, b8) X(89, m16n8k32, 16, 32, f32, a, b, f32, b8)                            \
    X(89, m16n8k16, 16, 16, f16, a, b, f16, b8) X(89, m16n8k32, 16, 32, f16, a, b, f16, b8)
#define LIST_ROUND(X)                                                                                                  \
    LIST_ROUND1(X, rn) LIST_ROUND1(X, rz) LIST_ROUND1(X, rm) LIST_ROUND1(X, rp)
#define LIST_ROUND1(X, r)                                                                                             \
    X(80, m8n8k4, 8, 4, r) X(90, m16n8k4, 16, 4, r) X(90, m16n8k8, 16, 8, r) X(90, m16n8k16, 16, 16, r)
#define LIST_POPC(X)                                                                                                   \
    X(75, m8n8k128, 8, 128, xor_popc) X(80, m16n8k128, 16, 128, xor_popc) X(80, m16n8k256, 16, 256, xor_popc)          \
    X(80, m8n8k128, 8, 128, and_popc) X(80, m16n8k128, 16, 128, and_popc) X(80, m16n8k256, 16, 256, and_popc)
#define LIST_ZERO(X)                                                                                                   \
    X(80, m16n8k16, 16, 16, f32, f16, f16, f32, b16) X(80, m16n8k16, 16, 16, f32, bf16, bf16, f32, b16)                \
    X(80, m16n8k4, 16, 4, f32, tf32, tf32, f32, b32) X(80, m16n8k8, 16, 8, f32, tf32, tf32, f32, b32)                  \
    X(75, m16n8k8, 16, 8, f32, f16, f16, f32, b16) X(80, m16n8k32, 16, 32, s32, s8, s8, s32, b8)                       \
    X(75, m8n8k16, 8, 16, s32, s8, s8, s32, b8) X(80, m16n8k16, 16, 16, s32, s8, s8, s32, b8)
#define LIST_PAIRS(X, ...)                                                                                             \
    LIST_PAIRS1(X, e4m3, __VA_ARGS__) LIST_PAIRS1(X, e5m2, __VA_ARGS__) LIST_PAIRS1(X, e3m2, __VA_ARGS__)              \
    LIST_PAIRS1(X, e2m3, __VA_ARGS__) LIST_PAIRS1(X, e2m1, __VA_ARGS__)
#define LIST_PAIRS1(X, a, ...)                                                                                        \
    X(a, e4m3, __VA_ARGS__) X(a, e5m2, __VA_ARGS__) X(a, e3m2, __VA_ARGS__) X(a, e2m3, __VA_ARGS__)                   \
    X(a, e2m1, __VA_ARGS__)
#define LIST_FP8_PAIRS(X, ...)                                                                                        \
    X(e4m3, e4m3, __VA_ARGS__) X(e4m3, e5m2, __VA_ARGS__) X(e5m2, e4m3, __VA_ARGS__) X(e5m2, e5m2, __VA_ARGS__)
/* quads: layouts of A and B, types of D and C */
#define LIST_QUAD(X) LIST_QUAD1(X, row, row) LIST_QUAD1(X, row, col) LIST_QUAD1(X, col, row) LIST_QUAD1(X, col, col)
#define LIST_QUAD1(X, a, b) X(a, b, f16, f16) X(a, b, f32, f16) X(a, b, f32, f32)
/* sparse: gate, shape, K, types, class, groups along K, selector */
#define LIST_SP(X)                                                                                                     \
    LIST_SP4(X, 80, m16n8k16, 16, f16, f16, f16, f16, b16) LIST_SP2(X, 80, m16n8k32, 32, f16, f16, f16, f16, b16)      \
    LIST_SP4(X, 80, m16n8k16, 16, f32, f16, f16, f32, b16) LIST_SP2(X, 80, m16n8k32, 32, f32, f16, f16, f32, b16)      \
    LIST_SP4(X, 80, m16n8k16, 16, f32, bf16, bf16, f32, b16) LIST_SP2(X, 80, m16n8k32, 32, f32, bf16, bf16, f32, b16)  \
    LIST_SP4(X, 80, m16n8k8, 8, f32, tf32, tf32, f32, b32) LIST_SP2(X, 80, m16n8k16, 16, f32, tf32, tf32, f32, b32)    \
    LIST_SPI(X) X(89, m16n8k64, 64, f32, e4m3, e4m3, f32, b8, 0) X(89, m16n8k64, 64, f32, e4m3, e5m2, f32, b8, 0)      \
    X(89, m16n8k64, 64, f32, e5m2, e4m3, f32, b8, 0) X(89, m16n8k64, 64, f32, e5m2, e5m2, f32, b8, 0)
#define LIST_SPI(X)                                                                                                    \
    LIST_SPI1(X, s8, s8, 32, 64, b8) LIST_SPI1(X, s8, u8, 32, 64, b8) LIST_SPI1(X, u8, s8, 32, 64, b8)                 \
    LIST_SPI1(X, u8, u8, 32, 64, b8) LIST_SPI1(X, s4, s4, 64, 128, b4) LIST_SPI1(X, s4, u4, 64, 128, b4)               \
    LIST_SPI1(X, u4, s4, 64, 128, b4) LIST_SPI1(X, u4, u4, 64, 128, b4)
#define LIST_SPI1(X, a, b, k, k2, c)                                                                                  \
    LIST_SP2(X, 80, m16n8k##k, k, s32, a, b, s32, c) X(80, m16n8k##k2, k2, s32, a, b, s32, c, 0)
#define LIST_SP4(X, g, s, k, d, a, b, c, t)                                                                           \
    LIST_SP2(X, g, s, k, d, a, b, c, t) X(g, s, k, d, a, b, c, t, 2) X(g, s, k, d, a, b, c, t, 3)
#define LIST_SP2(X, g, s, k, d, a, b, c, t) X(g, s, k, d, a, b, c, t, 0) X(g, s, k, d, a, b, c, t, 1)
#define LIST_SPO_F16(X)                                                                                                \
    X(1200, m16n8k64, 64, f16, e4m3, e4m3, f16, b8, 0) X(1200, m16n8k64, 64, f16, e4m3, e5m2, f16, b8, 0)              \
    X(1200, m16n8k64, 64, f16, e5m2, e4m3, f16, b8, 0) X(1200, m16n8k64, 64, f16, e5m2, e5m2, f16, b8, 0)
/* block scales with packed e2m1: kind, scale_vec, type of the scales */
#define LIST_MXF4(X)                                                                                                  \
    X(mxf4, scale_vec_default, ue8m0, 2) X(mxf4, scale_vec_2X, ue8m0, 2)                                              \
    X(mxf4nvf4, scale_vec_2X, ue8m0, 2) X(mxf4nvf4, scale_vec_4X, ue4m3, 4)

/* Numbers of all of them: one enum, in the order of the lists. */
#define N_DENSE(g, s, m, k, d, a, b, c, t) DENSE_##s##_##d##_##a##_##b,
#define N_SAT(g, s, m, k, d, a, b, c, t) SAT_##s##_##a##_##b,
#define N_ROUND(g, s, m, k, r) ROUND_##s##_##r,
#define N_POPC(g, s, m, k, o) POPC_##s##_##o,
#define N_ZERO(g, s, m, k, d, a, b, c, t) ZERO_##s##_##d##_##a,
#define N_KIND(a, b, t) KIND_##t##_##a##_##b,
#define N_MXF8(a, b, v) MXF8_##v##_##a##_##b,
#define N_QUAD(a, b, d, c) QUAD_##a##_##b##_##d##_##c,
#define N_SP(g, s, k, d, a, b, c, t, e) SP_##s##_##d##_##a##_##b##_##e,
#define N_SPS(g, s, k, d, a, b, c, t, e) SPS_##s##_##d##_##a##_##b##_##e,
#define N_SPO(g, s, k, d, a, b, c, t, e) SPO_##s##_##d##_##a##_##b##_##e,
#define N_SPOS(g, s, k, d, a, b, c, t, e) SPOS_##s##_##d##_##a##_##b##_##e,
#define N_SPKIND(a, b, t) SPKIND_##t##_##a##_##b,
#define N_SPMXF8(a, b, v) SPMXF8_##v##_##a##_##b,
#define N_MXF4(kind, v, s, n) BS_##kind##_##v,
#define N_SPMXF4(kind, v, s, n) SPBS_##kind##_##v,
enum {
    LIST_DENSE(N_DENSE) LIST_SAT(N_SAT) LIST_ROUND(N_ROUND) LIST_POPC(N_POPC) LIST_ZERO(N_ZERO) LIST_PAIRS(N_KIND, f32)
    LIST_PAIRS(N_KIND, f16) LIST_PAIRS(N_MXF8, scale_vec_1X) LIST_PAIRS(N_MXF8, scale_vec_default) LIST_QUAD(N_QUAD)
    LIST_SP(N_SP) LIST_SPI(N_SPS) LIST_SP(N_SPO) LIST_SPO_F16(N_SPO) LIST_SPI(N_SPOS) LIST_PAIRS(N_SPKIND, f32)
    LIST_PAIRS(N_SPKIND, f16) LIST_PAIRS(N_SPMXF8, scale_vec_1X) LIST_PAIRS(N_SPMXF8, scale_vec_default)
    LIST_MXF4(N_MXF4) LIST_MXF4(N_SPMXF4)
    CASES
};

/* ---- the device: a lane's words of A, B, C, metadata and scales come in, its words of D go out ---- */
enum { A = 0, B = 16, C = 32, META = 48, SCALE_A = 49, SCALE_B = 50, IDS = 51, IN = 56, OUT = 16 };
enum { HAS75 = 1, HAS80 = 2, HAS89 = 4, HAS90 = 8, HASBW = 16, HAS120 = 32, HAS120A = 64 };

__global__ void k_has(int *out)
{
    *out = HAS75 | (TC_HAS_SM80 ? HAS80 : 0) | (TC_HAS_SM89 ? HAS89 : 0) | (TC_HAS_SM90 ? HAS90 : 0)
        | (TC_HAS_BLACKWELL_A ? HASBW : 0)
         | (TC_HAS_SM120A ? HAS120 : 0) | (TC_HAS_SM120A_ONLY ? HAS120A : 0);
}

#define P_f32 (float *)
#define P_f16 (uint32_t *)
#define P_s32 (int32_t *)
#define P_f64 (double *)
#define P_REG_f64 (double *)
#define P_REG_OTHER (uint32_t *)
#define ARGS(d, c) P_##d(out), in + A, in + B, P_##c(in + C)

/* #if cannot stand in a list; these are empty where the target lacks the instruction. */
#if TC_HAS_SM75
#define IF_75(...) __VA_ARGS__
#else
#define IF_75(...)
#endif
#if TC_HAS_SM80
#define IF_80(...) __VA_ARGS__
#else
#define IF_80(...)
#endif
#if TC_HAS_SM89
#define IF_89(...) __VA_ARGS__
#else
#define IF_89(...)
#endif
#if TC_HAS_SM90
#define IF_90(...) __VA_ARGS__
#else
#define IF_90(...)
#endif
#if TC_HAS_BLACKWELL_A
#define IF_1000(...) __VA_ARGS__
#else
#define IF_1000(...)
#endif
#if TC_HAS_SM120A
#define IF_1200(...) __VA_ARGS__
#else
#define IF_1200(...)
#endif
#if TC_HAS_SM120A_ONLY
#define IF_1201(...) __VA_ARGS__
#else
#define IF_1201(...)
#endif

#define R_f16 uint32_t *
#define R_bf16 uint32_t *
#define R_tf32 uint32_t *
#define R_f64 double *
#define R_s8 uint32_t *
#define R_u8 uint32_t *
#define R_s4 uint32_t *
#define R_u4 uint32_t *
#define R_e4m3 uint32_t *
#define R_e5m2 uint32_t *

#define K_DENSE(g, s, m, k, d, a, b, c, t)                                                                             \
    case DENSE_##s##_##d##_##a##_##b:                                                                                  \
        IF_##g(TC_MMA(s, row, col, d, a, b, c, P_##d(out), (R_##a)(in + A), (R_##b)(in + B), P_##c(in + C));)          \
        break;
#define K_SAT(g, s, m, k, d, a, b, c, t)                                                                               \
    case SAT_##s##_##a##_##b:                                                                                         \
        IF_##g(TC_MMA_SATFINITE(s, row, col, d, a, b, c, P_##d(out), in + A, in + B, P_##c(in + C));) break;
#define K_ROUND(g, s, m, k, r)                                                                                         \
    case ROUND_##s##_##r:                                                                                              \
        IF_##g(TC_MMA_ROUND(s, row, col, r, f64, f64, f64, f64, P_f64(out), P_f64(in + A), P_f64(in + B),             \
                            P_f64(in + C));)                                                                          \
        break;
#define K_POPC(g, s, m, k, o)                                                                                          \
    case POPC_##s##_##o:                                                                                              \
        IF_##g(TC_MMA_POPC(s, row, col, s32, b1, b1, s32, o, P_s32(out), in + A, in + B, P_s32(in + C));) break;
#define K_ZERO(g, s, m, k, d, a, b, c, t)                                                                              \
    case ZERO_##s##_##d##_##a: IF_##g(TC_MMA_ZERO(s, row, col, d, a, b, c, P_##d(out), in + A, in + B);) break;
#define K_QUAD(a, b, d, c)                                                                                             \
    case QUAD_##a##_##b##_##d##_##c:                                                                                  \
        TC_MMA(m8n8k4, a, b, d, f16, f16, c, P_##d(out), in + A, in + B, P_##c(in + C)); break;
#define K_SP(g, s, k, d, a, b, c, t, e)                                                                                \
    case SP_##s##_##d##_##a##_##b##_##e:                                                                               \
        IF_##g(TC_MMA_SP(s, row, col, d, a, b, c, P_##d(out), in + A, in + B, P_##c(in + C), in[META], e);)            \
        break;
#define K_SPS(g, s, k, d, a, b, c, t, e)                                                                               \
    case SPS_##s##_##d##_##a##_##b##_##e:                                                                              \
        IF_##g(TC_MMA_SP_SATFINITE(s, row, col, d, a, b, c, P_##d(out), in + A, in + B, P_##c(in + C), in[META], e);)  \
        break;
#define K_SPO(g, s, k, d, a, b, c, t, e)                                                                               \
    case SPO_##s##_##d##_##a##_##b##_##e:                                                                              \
        IF_##g(TC_MMA_SP_ORDERED(s, row, col, d, a, b, c, P_##d(out), in + A, in + B, P_##c(in + C), in[META], e);)    \
        break;
#define K_SPOS(g, s, k, d, a, b, c, t, e)                                                                              \
    case SPOS_##s##_##d##_##a##_##b##_##e:                                                                             \
        IF_##g(TC_MMA_SP_ORDERED_SATFINITE(s, row, col, d, a, b, c, P_##d(out), in + A, in + B, P_##c(in + C),        \
                                           in[META], e);)                                                             \
        break;
#define K_KIND(a, b, t)                                                                                                \
    case KIND_##t##_##a##_##b:                                                                                         \
        TC_MMA_KIND(m16n8k32, row, col, f8f6f4, t, a, b, t, P_##t(out), in + A, in + B, P_##t(in + C));                \
        break;
#define K_SPKIND(a, b, t)                                                                                              \
    case SPKIND_##t##_##a##_##b:                                                                                       \
        TC_MMA_SP_KIND(m16n8k64, row, col, f8f6f4, t, a, b, t, P_##t(out), in + A, in + B, P_##t(in + C),             \
                       in[META], 0);                                                                                  \
        break;
#define IDS_OF(i) (uint16_t)(in[IDS] >> 4 * (i) & 15u)
#define K_MXF8(a, b, v)                                                                                                \
    case MXF8_##v##_##a##_##b:                                                                                         \
        TC_MMA_BLOCK_SCALE(m16n8k32, row, col, mxf8f6f4, v, f32, a, b, f32, ue8m0, P_f32(out), in + A, in + B,        \
                           P_f32(in + C), in[SCALE_A],                                                                \
                           IDS_OF(0), IDS_OF(1), in[SCALE_B], IDS_OF(2), IDS_OF(3));                                   \
        break;
#define K_SPMXF8(a, b, v)                                                                                              \
    case SPMXF8_##v##_##a##_##b:                                                                                       \
        TC_MMA_SP_BLOCK_SCALE(m16n8k64, row, col, mxf8f6f4, v, f32, a, b, f32, ue8m0, P_f32(out), in + A,             \
                              in + B, P_f32(in + C), in[META], 0,                                                     \
                              in[SCALE_A], IDS_OF(0), IDS_OF(1), in[SCALE_B], IDS_OF(2), IDS_OF(3));                   \
        break;
#define K_MXF4(kind, v, s, n)                                                                                          \
    case BS_##kind##_##v:                                                                                              \
        TC_MMA_BLOCK_SCALE(m16n8k64, row, col, kind, v, f32, e2m1, e2m1, f32, s, P_f32(out), in + A, in + B,          \
                           P_f32(in + C), in[SCALE_A],                                                                \
                           IDS_OF(0), IDS_OF(1), in[SCALE_B], IDS_OF(2), IDS_OF(3));                                   \
        break;
#define K_SPMXF4(kind, v, s, n)                                                                                        \
    case SPBS_##kind##_##v:                                                                                            \
        TC_MMA_SP_BLOCK_SCALE(m16n8k128, row, col, kind, v, f32, e2m1, e2m1, f32, s, P_f32(out), in + A, in + B,      \
                              P_f32(in + C), in[META], 0,                                                             \
                              in[SCALE_A], IDS_OF(0), IDS_OF(1), in[SCALE_B], IDS_OF(2), IDS_OF(3));                   \
        break;

__global__ void k_mma(int id, uint32_t *all_in, uint32_t *all_out)
{
    uint32_t *in = all_in + threadIdx.x * IN, *out = all_out + threadIdx.x * OUT;
    switch (id) {
        LIST_DENSE(K_DENSE) LIST_SAT(K_SAT) LIST_ROUND(K_ROUND) LIST_POPC(K_POPC) LIST_ZERO(K_ZERO) LIST_QUAD(K_QUAD)
        LIST_SP(K_SP) LIST_SPI(K_SPS) LIST_SP(K_SPO) LIST_SPO_F16(K_SPO) LIST_SPI(K_SPOS)
#if TC_HAS_SM120A
        LIST_PAIRS(K_KIND, f32) LIST_PAIRS(K_KIND, f16) LIST_PAIRS(K_SPKIND, f32) LIST_PAIRS(K_SPKIND, f16)
        LIST_PAIRS(K_MXF8, scale_vec_1X) LIST_PAIRS(K_MXF8, scale_vec_default) LIST_PAIRS(K_SPMXF8, scale_vec_1X)
        LIST_PAIRS(K_SPMXF8, scale_vec_default) LIST_MXF4(K_MXF4)
#endif
#if TC_HAS_SM120A_ONLY
        LIST_MXF4(K_SPMXF4)
#endif
#if TC_HAS_BLACKWELL_A && !TC_HAS_SM120A /* sm_100 has fp8 of these, sparse with f32 only */
        LIST_FP8_PAIRS(K_KIND, f32) LIST_FP8_PAIRS(K_KIND, f16) LIST_FP8_PAIRS(K_SPKIND, f32)
#endif
    }
}

/* Literal ids: those that in[IDS] names, for the two packed forms and 1X */
#if TC_HAS_SM120A_ONLY
#define K_IMM(ba, ta, bb, tb)                                                                                          \
    if (in[IDS] == (ba | ta << 4 | bb << 8 | tb << 12))                                                                \
        TC_MMA_BLOCK_SCALE_IMM(m16n8k32, row, col, mxf8f6f4, scale_vec_1X, f32, e4m3, e4m3, f32, ue8m0,               \
                               P_f32(out), in + A, in + B, P_f32(in + C),                                             \
                               in[SCALE_A], ba, ta, in[SCALE_B], bb, tb);
#define K_IMM_SP(ba, ta, bb, tb)                                                                                       \
    if (in[IDS] == (ba | ta << 4 | bb << 8 | tb << 12))                                                                \
        TC_MMA_SP_BLOCK_SCALE_IMM(m16n8k64, row, col, mxf8f6f4, scale_vec_1X, f32, e4m3, e4m3, f32, ue8m0,            \
                                  P_f32(out), in + A, in + B, P_f32(in + C),                                          \
                                  in[META], 0, in[SCALE_A], ba, ta, in[SCALE_B], bb, tb);
#endif
__global__ void k_imm(int sparse, uint32_t *all_in, uint32_t *all_out)
{
#if TC_HAS_SM120A_ONLY
    uint32_t *in = all_in + threadIdx.x * IN, *out = all_out + threadIdx.x * OUT;
    if (sparse) {
        K_IMM_SP(0, 0, 0, 0) K_IMM_SP(3, 1, 3, 3) K_IMM_SP(1, 0, 2, 1) K_IMM_SP(2, 1, 1, 2)
    } else {
        K_IMM(0, 0, 0, 0) K_IMM(3, 1, 3, 3) K_IMM(1, 0, 2, 1) K_IMM(2, 1, 1, 2)
    }
#endif
}

/* ---- types on the host ---- */
typedef enum { t_f16, t_bf16, t_tf32, t_f64, t_s8, t_u8, t_s4, t_u4, t_b1, t_e4m3, t_e5m2, t_e3m2, t_e2m3, t_e2m1,
               t_f32, t_s32, t_ue8m0, t_ue4m3 } type_t;

static double small_float(int code, int e, int m, int bias)
{
    const int sign = code >> (e + m) & 1, ex = code >> m & ((1 << e) - 1), man = code & ((1 << m) - 1);
    const double x = ex ? ldexp((double)(man | 1 << m), ex - bias - m) : ldexp((double)man, 1 - bias - m);
    return sign ? -x : x;
}

static double value_of(type_t t, uint32_t c)
{
    switch (t) {
    case t_f16: return tc_f32_from_f16((uint16_t)c);
    case t_bf16: return tc_f32_from_bf16((uint16_t)c);
    case t_tf32: case t_f32: return tc_f32_from_bits(c);
    case t_s8: return (int8_t)c;
    case t_s4: return c & 8 ? (int)c - 16 : (int)c;
    case t_s32: return (int32_t)c;
    case t_e4m3: case t_ue4m3: return small_float((int)c, 4, 3, 7);
    case t_e5m2: return small_float((int)c, 5, 2, 15);
    case t_e3m2: return small_float((int)c, 3, 2, 3);
    case t_e2m3: return small_float((int)c, 2, 3, 1);
    case t_e2m1: return small_float((int)c, 2, 1, 1);
    case t_ue8m0: return ldexp(1, (int)c - 127);
    default: return c;
    }
}

static uint32_t code_of(type_t t, double x)
{
    uint32_t c;
    if (t == t_f16) return tc_f16_from_f32((float)x);
    if (t == t_bf16) return tc_bf16_from_f32((float)x);
    if (t == t_tf32 || t == t_f32) return tc_bits_from_f32((float)x);
    if (t == t_s32) return (uint32_t)(int64_t)x;
    for (c = 0; c < 256; c++)
        if (value_of(t, c) == x) return c;
    printf("FAIL no code of type %d for %g\n", t, x);
    test_failed++;
    return 0;
}

/* A number for A or B: -3..3, what is unsigned 0..3, a bit */
static double random_value(type_t t)
{
    return t == t_b1 ? test_int(0, 1) : t == t_u8 || t == t_u4 ? test_int(0, 3) : test_int(-3, 3);
}

/* ---- one case ---- */
typedef int (*coord)(int, int);
typedef int (*meta_coord)(int, int, int);
typedef struct { coord a_row, a_col, b_row, b_col, d_row, d_col; } layout;
#define LAYOUT(name)                                                                                                  \
    {tc_frag_##name##_a_row, tc_frag_##name##_a_col, tc_frag_##name##_b_row, tc_frag_##name##_b_col,                  \
     tc_frag_##name##_d_row, tc_frag_##name##_d_col}

typedef struct {
    const char *name;
    int id, gate, m, k;
    type_t d, a, b, c;
    layout l;
    meta_coord meta_row, meta_col;
    int sparse, selector;       /* sparse: 1 */
    int bytes;                  /* fp6 and fp4 in bytes */
    int sat, zero, pop;         /* pop: 'x', 'a' */
    int round;                  /* 1 + fesetround's number, or 0 */
    int scales;                 /* along K; 0: none */
    type_t s;
    int imm;
} test_case;

static int has, done;
static uint32_t *d_in, *d_out, h_in[32 * IN], h_out[32 * OUT];

static int bits_of(type_t t, int bytes)
{
    return t == t_f64 ? 64
         : t == t_tf32 ? 32
         : t <= t_bf16 ? 16
         : t == t_b1 ? 1
         : t == t_s4 || t == t_u4 || (t == t_e2m1 && !bytes) ? 4
         : 8;
}

/* The code of x where it lies in its container */
static uint32_t contained(type_t t, int bytes, double x) { return code_of(t, x) << (t == t_e2m1 && bytes ? 2 : 0); }

static void put(uint32_t *words, int i, int bits, uint32_t code) { words[i * bits / 32] |= code << (i * bits % 32); }

static int gate_bit(int gate)
{
    return gate == 75 ? HAS75
         : gate == 80 ? HAS80
         : gate == 89 ? HAS89
         : gate == 90 ? HAS90
         : gate == 1000 ? HASBW
         : gate == 1200 ? HAS120
         : HAS120A;
}

static int tc_of(type_t t)
{
    static const int map[] = {TC_F16, TC_BF16, TC_TF32, 0, TC_S8, TC_U8, TC_S4, TC_U4, 0, TC_E4M3, TC_E5M2, TC_E3M2,
                              TC_E2M3, TC_E2M1};
    return map[t];
}

static void get_codes(const uint8_t *row, int bits, int i, uint32_t *c)
{
    *c = bits == 32 ? ((const uint32_t *)row)[i]
       : bits == 16 ? ((const uint16_t *)row)[i]
       : bits == 8 ? row[i]
       : row[i / 2] >> i % 2 * 4 & 15;
}

static void run_case(const test_case *t)
{
    static double a[16][256], b[8][256], c[16][8];
    double sa[16][4], sb[8][4];
    const int bits = bits_of(t->a, t->bytes), kept_k = t->sparse ? t->k / 2 : t->k, ids = t->imm ? t->imm - 1 : 0;
    int ba = ids & 15, ta = ids >> 4 & 15, bb = ids >> 8 & 15, tb = ids >> 12 & 15;
    if (!(has & gate_bit(t->gate))) return;
    done++;
    memset(h_in, 0, sizeof h_in);
    memset(h_out, 0x55, sizeof h_out);
    for (int r = 0; r < t->m; r++) for (int k = 0; k < t->k; k++) a[r][k] = random_value(t->a);
    for (int n = 0; n < 8; n++) for (int k = 0; k < t->k; k++) b[n][k] = random_value(t->b);
    for (int r = 0; r < t->m; r++)
        for (int n = 0; n < 8; n++)
            c[r][n] = t->zero ? 0
                    : t->c == t_s32 && t->sat ? (test_int(0, 1) ? 2147483600.0 : -2147483600.0)
                    : test_int(-20, 20);
    if (t->round) { /* one product that must be rounded, in column r % k of A's row r */
        for (int r = 0; r < t->m; r++)
            for (int k = 0; k < t->k; k++)
                a[r][k] = k == r % t->k ? (test_int(0, 1) ? 1 : -1) * (1 + ldexp(test_int(1, 1000000), -52)) : 0;
        for (int n = 0; n < 8; n++) for (int k = 0; k < t->k; k++) b[n][k] = 1 + ldexp(test_int(1, 1000000), -52);
        for (int r = 0; r < t->m; r++) for (int n = 0; n < 8; n++) c[r][n] = ldexp(test_int(-3, 3), -60);
    }

    if (t->sparse) { /* a block of 16 x 16 groups: compress it all, use the part of the selector */
        static uint8_t mem[16 * 256], kept[16 * 128], meta[16 * 8], back[16 * 256];
        const int block = tc_sp_block(bits), pitch = block * bits / 8;
        tc_sp_args p;
        memset(mem, 0, sizeof mem);
        for (int r = 0; r < 16; r++)
            for (int k = 0; k < block; k++) {
                const uint32_t code = contained(t->a, t->bytes, random_value(t->a));
                if (bits == 4) mem[r * pitch + k / 2] |= (uint8_t)(code << k % 2 * 4);
                else memcpy(mem + r * pitch + k * bits / 8, &code, (size_t)bits / 8);
            }
        memset(&p, 0, sizeof p);
        p.type = tc_of(t->a), p.bits = bits, p.prune = 1, p.rows = 16, p.cols = block, p.a = mem, p.lda = block,
            p.kept = kept, p.ldk = block / 2;
        p.meta = meta, p.ldm = 8;
        CHECK(tc_sp_compress(&p) == TC_OK, "%s: %s", t->name, tc_why());
        CHECK(tc_sp_expand(&p, back) == TC_OK, "%s: %s", t->name, tc_why());
        for (int r = 0; r < 16; r++)
            for (int k = 0; k < t->k; k++) {
                uint32_t code;
                get_codes(back + r * pitch, bits, t->selector * t->k + k, &code);
                a[r][k] = value_of(t->a, t->a == t_e2m1 && t->bytes ? code >> 2 : code);
            }
        for (int lane = 0; lane < 32; lane++) {
            uint32_t *in = h_in + lane * IN, word = 0, mask = 0;
            for (int i = 0; i < 16 * kept_k / 32; i++) {
                uint32_t code;
                get_codes(kept + t->l.a_row(lane, i) * (pitch / 2), bits, t->selector * kept_k + t->l.a_col(lane, i),
                          &code);
                put(in + A, i, bits, code);
            }
            in[META] = tc_sp_mma_meta(meta, 8, bits, lane);
            /* the same from what the layout functions say of each pair of bits */
            for (int i = 0; i < 16; i++) {
                const int row = t->meta_row(lane, i, t->selector), col = t->meta_col(lane, i, t->selector);
                CHECK((row < 0) == (col < 0), "%s: lane %d pair %d", t->name, lane, i);
                if (row < 0) continue;
                const int per = bits == 32 ? 1
                              : bits == 4 ? 4
                              : 2, group = t->selector * t->k / tc_sp_group(bits) + col / per;
                const uint32_t nibble = meta[row * 8 + group / 2] >> group % 2 * 4 & 15;
                word |= (nibble >> i % 2 * 2 & 3) << 2 * i;
                mask |= 3u << 2 * i;
                CHECK(tc_sp_mma_lane(bits, row, group) == lane && tc_sp_mma_bit(bits, row, group) == i / 2 * 4,
                      "%s: row %d group %d: lane %d bit %d", t->name, row, group, tc_sp_mma_lane(bits, row, group),
                      tc_sp_mma_bit(bits, row, group));
            }
            CHECK((in[META] & mask) == word, "%s: lane %d: metadata %08x, by the layout %08x of %08x", t->name, lane,
                  in[META], word, mask);
        }
    }

    for (int lane = 0; lane < 32; lane++) {
        uint32_t *in = h_in + lane * IN;
        if (t->a == t_f64) {
            for (int i = 0; i < t->m * t->k / 32; i++)
                memcpy(in + A + 2 * i, &a[t->l.a_row(lane, i)][t->l.a_col(lane, i)], 8);
            for (int i = 0; i < 8 * t->k / 32; i++)
                memcpy(in + B + 2 * i, &b[t->l.b_row(lane, i)][t->l.b_col(lane, i)], 8);
        } else {
            for (int i = 0; !t->sparse && i < t->m * t->k / 32; i++)
                put(in + A, i, bits, contained(t->a, t->bytes, a[t->l.a_row(lane, i)][t->l.a_col(lane, i)]));
            for (int i = 0; i < 8 * t->k / 32; i++)
                put(in + B, i, bits, contained(t->b, t->bytes, b[t->l.b_row(lane, i)][t->l.b_col(lane, i)]));
        }
        for (int i = 0; i < t->m * 8 / 32; i++) {
            const double x = c[t->l.d_row(lane, i)][t->l.d_col(lane, i)];
            if (t->c == t_f64) memcpy(in + C + 2 * i, &x, 8);
            else put(in + C, i, t->c == t_f16 ? 16 : 32, code_of(t->c, x));
        }
    }

    if (t->scales) {
        if (!t->imm)
            ba = t->scales == 1 ? test_int(0, 3) : t->scales == 2 ? 2 * test_int(0, 1) : 0, ta = test_int(0, 1),
                bb = t->scales == 1 ? test_int(0, 3) : t->scales == 2 ? 2 * test_int(0, 1) : 0, tb = test_int(0, 3);
        for (int r = 0; r < 16; r++) for (int i = 0; i < t->scales; i++) sa[r][i] = ldexp(1, test_int(-2, 2));
        for (int n = 0; n < 8; n++) for (int i = 0; i < t->scales; i++) sb[n][i] = ldexp(1, test_int(-2, 2));
        for (int lane = 0; lane < 32; lane++) {
            uint32_t *in = h_in + lane * IN, wa = 0xffffffffu, wb = 0xffffffffu; /* what is not read is NaN */
            const int row = tc_frag_scale_a_row(lane, ta), col = tc_frag_scale_b_col(lane, tb);
            for (int i = 0; i < t->scales; i++) {
                if (row >= 0) wa = (wa & ~(255u << 8 * (ba + i))) | code_of(t->s, sa[row][i]) << 8 * (ba + i);
                if (col >= 0) wb = (wb & ~(255u << 8 * (bb + i))) | code_of(t->s, sb[col][i]) << 8 * (bb + i);
            }
            in[SCALE_A] = wa, in[SCALE_B] = wb, in[IDS] = (uint32_t)(ba | ta << 4 | bb << 8 | tb << 12);
        }
    }

    CUDA_CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(d_out, h_out, sizeof h_out, cudaMemcpyHostToDevice));
    if (t->imm) k_imm<<<1, 32>>>(t->sparse, d_in, d_out);
    else k_mma<<<1, 32>>>(t->id, d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));

    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < t->m * 8 / 32; i++) {
            const int r = t->l.d_row(lane, i), n = t->l.d_col(lane, i);
            const uint32_t *out = h_out + lane * OUT;
            double sum = c[r][n], got;
            if (t->round) {
                const int k = r % t->k;
                fesetround(t->round - 1);
                volatile double x = a[r][k], y = b[n][k], z = c[r][n], once = fma(x, y, z);
                sum = once;
                fesetround(FE_TONEAREST);
            } else {
                for (int k = 0; k < t->k; k++) {
                    const int s = t->scales ? k / (t->k / t->scales) : 0;
                    sum += t->pop == 'x' ? a[r][k] != b[n][k] : a[r][k] * b[n][k] * (t->scales ? sa[r][s] * sb[n][s]
                        : 1);
                }
                if (t->sat) sum = sum > 2147483647.0 ? 2147483647.0 : sum < -2147483648.0 ? -2147483648.0 : sum;
            }
            if (t->d == t_f64) memcpy(&got, out + 2 * i, 8);
            else got = t->d == t_f16 ? value_of(t_f16, out[i / 2] >> i % 2 * 16 & 0xffff) : value_of(t->d, out[i]);
            CHECK(got == sum, "%s: D[%d][%d] (lane %d, element %d) is %.17g, must be %.17g", t->name, r, n, lane, i,
                  got, sum);
        }
}

/* Four products of 8x8x4 */
static void run_quad(const char *name, int id, int acol, int bcol, type_t d, type_t c)
{
    double a[4][8][4], b[4][8][4], cc[4][8][8];
    memset(h_in, 0, sizeof h_in);
    for (int p = 0; p < 4; p++) for (int x = 0; x < 8; x++) {
        for (int k = 0; k < 4; k++) a[p][x][k] = test_int(-3, 3), b[p][x][k] = test_int(-3, 3);
        for (int y = 0; y < 8; y++) cc[p][x][y] = test_int(-20, 20);
    }
    for (int lane = 0; lane < 32; lane++) {
        uint32_t *in = h_in + lane * IN;
        const int p = tc_frag_m8n8k4_f16_product(lane);
        for (int i = 0; i < 4; i++) {
            put(in + A, i, 16,
                code_of(t_f16, a[p][tc_frag_m8n8k4_f16_a_row(lane, i, acol)][tc_frag_m8n8k4_f16_a_col(lane, i, acol)]));
            put(in + B, i, 16,
                code_of(t_f16, b[p][tc_frag_m8n8k4_f16_b_row(lane, i, bcol)][tc_frag_m8n8k4_f16_b_col(lane, i, bcol)]));
        }
        for (int i = 0; i < 8; i++)
            put(in + C, i, c == t_f16 ? 16 : 32,
                code_of(c,
                        cc[p][tc_frag_m8n8k4_f16_d_row(lane, i, c == t_f32)][tc_frag_m8n8k4_f16_d_col(lane, i,
            c == t_f32)]));
    }
    CUDA_CHECK(cudaMemcpy(d_in, h_in, sizeof h_in, cudaMemcpyHostToDevice));
    k_mma<<<1, 32>>>(id, d_in, d_out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
    done++;
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < 8; i++) {
            const int p = tc_frag_m8n8k4_f16_product(lane), r = tc_frag_m8n8k4_f16_d_row(lane, i, d == t_f32),
                      n = tc_frag_m8n8k4_f16_d_col(lane, i, d == t_f32);
            double sum = cc[p][r][n],
                   got = d == t_f16 ? value_of(t_f16, h_out[lane * OUT + i / 2] >> i % 2 * 16 & 0xffff)
                   : value_of(t_f32, h_out[lane * OUT + i]);
            for (int k = 0; k < 4; k++) sum += a[p][r][k] * b[p][n][k];
            CHECK(got == sum, "%s: product %d: D[%d][%d] (lane %d, element %d) is %g, must be %g", name, p, r, n, lane,
                  i, got, sum);
        }
}

#define NO_LAYOUT {0, 0, 0, 0, 0, 0}
#define META_OF(name) tc_frag_sp_##name##_meta_row, tc_frag_sp_##name##_meta_col
#define TYPES(d, a, b, c) t_##d, t_##a, t_##b, t_##c
#define T_DENSE(g, s, m, k, d, a, b, c, t)                                                                            \
    {"mma " #s " " #d " " #a " " #b, DENSE_##s##_##d##_##a##_##b, g, m, k, TYPES(d, a, b, c), LAYOUT(s##_##t), 0, 0,  \
     0, 0, 0, 0, 0, 0, 0, 0, t_f32, 0},
#define T_SAT(g, s, m, k, d, a, b, c, t)                                                                              \
    {"mma satfinite " #s " " #a " " #b, SAT_##s##_##a##_##b, g, m, k, TYPES(d, a, b, c), LAYOUT(s##_##t), 0, 0, 0, 0, \
     0, 1, 0, 0, 0, 0, t_f32, 0},
#define ROUND_rn FE_TONEAREST
#define ROUND_rz FE_TOWARDZERO
#define ROUND_rm FE_DOWNWARD
#define ROUND_rp FE_UPWARD
#define T_ROUND(g, s, m, k, r)                                                                                        \
    {"mma " #s " f64 " #r, ROUND_##s##_##r, g, m, k, t_f64, t_f64, t_f64, t_f64, LAYOUT(s##_b64), 0, 0, 0, 0, 0, 0,   \
     0, 0, 1 + ROUND_##r, 0, t_f32, 0},
#define T_POPC(g, s, m, k, o)                                                                                         \
    {"mma " #s " b1 " #o, POPC_##s##_##o, g, m, k, t_s32, t_b1, t_b1, t_s32, LAYOUT(s##_b1), 0, 0, 0, 0, 0, 0, 0,     \
     #o[0], 0, 0, t_f32, 0},
#define T_ZERO(g, s, m, k, d, a, b, c, t)                                                                             \
    {"mma C=0 " #s " " #d " " #a, ZERO_##s##_##d##_##a, g, m, k, TYPES(d, a, b, c), LAYOUT(s##_##t), 0, 0, 0, 0, 0,   \
     0, 1, 0, 0, 0, t_f32, 0},
#define T_SP(g, s, k, d, a, b, c, t, e)                                                                               \
    {"mma.sp " #s " " #d " " #a " " #b " " #e, SP_##s##_##d##_##a##_##b##_##e, g, 16, k, TYPES(d, a, b, c),           \
     LAYOUT(sp_##s##_##t), META_OF(s##_##t), 1, e, 0, 0, 0, 0, 0, 0, t_f32, 0},
#define T_SPS(g, s, k, d, a, b, c, t, e)                                                                              \
    {"mma.sp satfinite " #s " " #a " " #b " " #e, SPS_##s##_##d##_##a##_##b##_##e, g, 16, k, TYPES(d, a, b, c),       \
     LAYOUT(sp_##s##_##t), META_OF(s##_##t), 1, e, 0, 1, 0, 0, 0, 0, t_f32, 0},
#define T_SPO(g, s, k, d, a, b, c, t, e)                                                                              \
    {"mma.sp::ordered_metadata " #s " " #d " " #a " " #b " " #e, SPO_##s##_##d##_##a##_##b##_##e, g, 16, k,           \
     TYPES(d, a, b, c), LAYOUT(sp_##s##_##t), META_OF(s##_##t), 1, e, 0, 0, 0, 0, 0, 0, t_f32, 0},
#define T_SPOS(g, s, k, d, a, b, c, t, e)                                                                             \
    {"mma.sp::ordered_metadata satfinite " #s " " #a " " #b " " #e, SPOS_##s##_##d##_##a##_##b##_##e, g, 16, k,       \
     TYPES(d, a, b, c), LAYOUT(sp_##s##_##t), META_OF(s##_##t), 1, e, 0, 1, 0, 0, 0, 0, t_f32, 0},
#define BOTH_FP8(a, b) ((t_##a == t_e4m3 || t_##a == t_e5m2) && (t_##b == t_e4m3 || t_##b == t_e5m2))
#define T_KIND(a, b, t)                                                                                               \
    {"mma f8f6f4 " #t " " #a " " #b, KIND_##t##_##a##_##b, BOTH_FP8(a, b) ? 1000 : 1200, 16, 32, TYPES(t, a, b, t),   \
     LAYOUT(m16n8k32_b8), 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, t_f32, 0},
#define T_SPKIND(a, b, t)                                                                                             \
    {"mma.sp f8f6f4 " #t " " #a " " #b, SPKIND_##t##_##a##_##b, BOTH_FP8(a, b) && t_##t == t_f32 ? 1000 : 1200, 16,   \
     64, TYPES(t, a, b, t), LAYOUT(sp_m16n8k64_b8), META_OF(m16n8k64_b8), 1, 0, 1, 0, 0, 0, 0, 0, t_f32, 0},
#define T_MXF8(a, b, v)                                                                                               \
    {"mma mxf8f6f4 " #a " " #b, MXF8_##v##_##a##_##b, 1200, 16, 32, TYPES(f32, a, b, f32), LAYOUT(m16n8k32_b8), 0, 0, \
     0, 0, 1, 0, 0, 0, 0, 1, t_ue8m0, 0},
#define T_SPMXF8(a, b, v)                                                                                             \
    {"mma.sp mxf8f6f4 " #a " " #b, SPMXF8_##v##_##a##_##b, 1200, 16, 64, TYPES(f32, a, b, f32),                       \
     LAYOUT(sp_m16n8k64_b8), META_OF(m16n8k64_b8), 1, 0, 1, 0, 0, 0, 0, 1, t_ue8m0, 0},
#define T_MXF4(kind, v, s, n)                                                                                         \
    {"mma " #kind " " #v, BS_##kind##_##v, 1200, 16, 64, TYPES(f32, e2m1, e2m1, f32), LAYOUT(m16n8k64_b4), 0, 0, 0,   \
     0, 0, 0, 0, 0, 0, n, t_##s, 0},
#define T_SPMXF4(kind, v, s, n)                                                                                       \
    {"mma.sp " #kind " " #v, SPBS_##kind##_##v, 1201, 16, 128, TYPES(f32, e2m1, e2m1, f32), LAYOUT(sp_m16n8k128_b4),  \
     META_OF(m16n8k128_b4), 1, 0, 0, 0, 0, 0, 0, n, t_##s, 0},
#define T_IMM(ids)                                                                                                    \
    {"mma mxf8f6f4 literal ids", 0, 1201, 16, 32, TYPES(f32, e4m3, e4m3, f32), LAYOUT(m16n8k32_b8), 0, 0, 0, 0, 1, 0, \
     0, 0, 0, 1, t_ue8m0, 1 + ids},                                                                                   \
    {"mma.sp mxf8f6f4 literal ids", 0, 1201, 16, 64, TYPES(f32, e4m3, e4m3, f32), LAYOUT(sp_m16n8k64_b8),             \
     META_OF(m16n8k64_b8), 1, 0, 1, 0, 0, 0, 0, 1, t_ue8m0, 1 + ids},
static const test_case cases[] = {
    LIST_DENSE(T_DENSE) LIST_SAT(T_SAT) LIST_ROUND(T_ROUND) LIST_POPC(T_POPC) LIST_ZERO(T_ZERO) LIST_SP(T_SP)
    LIST_SPI(T_SPS) LIST_SP(T_SPO) LIST_SPO_F16(T_SPO) LIST_SPI(T_SPOS) LIST_PAIRS(T_KIND, f32) LIST_PAIRS(T_KIND, f16)
    LIST_PAIRS(T_SPKIND, f32) LIST_PAIRS(T_SPKIND, f16) LIST_PAIRS(T_MXF8, scale_vec_1X)
    LIST_PAIRS(T_MXF8, scale_vec_default) LIST_PAIRS(T_SPMXF8, scale_vec_1X) LIST_PAIRS(T_SPMXF8, scale_vec_default)
    LIST_MXF4(T_MXF4) LIST_MXF4(T_SPMXF4) T_IMM(0x0000) T_IMM(0x3313) T_IMM(0x1201) T_IMM(0x2112)
};

/* ---- the compressors ---- */
__global__ void k_compress(const tc_sp_args args, int64_t *bad)
{
    const int64_t b = tc_sp_compress_grid(&args);
    if (b >= 0) atomicMin((unsigned long long *)bad, (unsigned long long)b);
}

static void test_compress(type_t t, int bits)
{
    const int rows = 24, group = tc_sp_group(bits), cols = 6 * group, lda = cols + 2 * group,
              slots = bits == 32 ? 2 : 4, ldk = cols / 2 + 4, ldm = cols / group / 2 + 3;
    const int unit = bits == 4 ? 2 : 1, abytes = rows * lda * bits / 8, kbytes = rows * ldk * bits / 8,
              mbytes = rows * ldm;
    uint8_t *a = (uint8_t *)malloc((size_t)abytes), *back = (uint8_t *)malloc((size_t)abytes),
            *kept = (uint8_t *)calloc((size_t)kbytes, 1), *meta = (uint8_t *)calloc((size_t)mbytes, 1);
    uint8_t *da, *dk, *dm, *hk = (uint8_t *)malloc((size_t)kbytes), *hm = (uint8_t *)malloc((size_t)mbytes);
    int64_t *dbad, bad;
    tc_sp_args p, q;
    int64_t first = -1;
    for (int i = 0; i < abytes; i++) a[i] = (uint8_t)(test_random() >> 24);
    if (t == t_f16 || t == t_bf16)
        for (int i = 0; i < abytes / 2; i++)
            ((uint16_t *)a)[i] = (uint16_t)code_of(t, test_int(0, 2) ? test_int(-8, 8) : 0);
    if (t == t_tf32)
        for (int i = 0; i < abytes / 4; i++) ((uint32_t *)a)[i] = code_of(t, test_int(0, 2) ? test_int(-8, 8) : -0.0);
    if (t == t_e3m2 || t == t_e2m3) for (int i = 0; i < abytes; i++) a[i] &= 0x3f;
    if (t == t_e2m1 && bits == 8) for (int i = 0; i < abytes; i++) a[i] &= 0x3c;
    if (t == t_e4m3) for (int i = 0; i < abytes; i++) a[i] &= 0xf7; /* no NaN */
    if (t == t_e5m2) for (int i = 0; i < abytes; i++) a[i] &= 0xdf;
    if (bits <= 8) for (int i = 0; i < abytes; i++) if (test_int(0, 3) == 0) a[i] = 0;
    memset(&p, 0, sizeof p);
    p.type = tc_of(t), p.bits = bits == 8 && t == t_e2m1 ? 8 : 0, p.rows = rows, p.cols = cols, p.a = a, p.lda = lda;
    p.prune = 1, p.kept = kept, p.ldk = ldk, p.meta = meta, p.ldm = ldm;
    CHECK(tc_sp_compress(&p) == TC_OK, "type %d: %s", t, tc_why());
    memcpy(back, a, (size_t)abytes);
    CHECK(tc_sp_expand(&p, back) == TC_OK, "type %d: %s", t, tc_why());
    for (int r = 0; r < rows; r++)
        for (int g = 0; g < cols / group; g++) {
            double was[4], is[4], lost = 0, least = 1e30;
            int nonzero = 0, kept_n = 0, same = 1;
            const uint32_t nibble = meta[r * ldm + g / 2] >> g % 2 * 4 & 15;
            for (int s = 0; s < slots; s++) {
                was[s] = is[s] = 0;
                for (int u = 0; u < unit; u++) {
                    uint32_t x, y;
                    get_codes(a + r * lda * bits / 8, bits, (g * slots + s) * unit + u, &x);
                    get_codes(back + r * lda * bits / 8, bits, (g * slots + s) * unit + u, &y);
                    if (t == t_e2m1 && bits == 8) x >>= 2, y >>= 2;
                    was[s] += fabs(value_of(t, x)), is[s] += fabs(value_of(t, y));
                }
                nonzero += was[s] != 0, kept_n += is[s] != 0;
                same &= was[s] == is[s];
                if (is[s] != was[s] && was[s] > lost) lost = was[s];
                if (is[s] != 0 && is[s] < least) least = is[s];
            }
            if (nonzero > slots / 2 && first < 0) first = (int64_t)r * (cols / group) + g;
            CHECK(kept_n == (nonzero < slots / 2 ? nonzero : slots / 2), "type %d (%d, %d): %d of %d nonzeros kept", t,
                  r, g, kept_n, nonzero);
            CHECK(same == (nonzero <= slots / 2), "type %d (%d, %d)", t, r, g);
            CHECK(lost <= least, "type %d (%d, %d): lost %g, kept %g", t, r, g, lost, least);
            CHECK(bits == 32 ? nibble == 4 || nibble == 14 : (nibble & 3) < nibble >> 2,
                  "type %d (%d, %d): metadata %x", t, r, g, nibble);
        }
    /* as it was, it is refused and the place named; pruned, it is taken and comes out the same */
    q = p, q.prune = 0;
    CHECK(first >= 0, "type %d: no group too full", t);
    CHECK(tc_sp_compress(&q) == TC_ERR_SPARSE, "type %d", t);
    {
        char text[100];
        snprintf(text, sizeof text, "row %lld, columns %lld to %lld", (long long)(first / (cols / group)),
                 (long long)(first % (cols / group) * group), (long long)(first % (cols / group) * group + group - 1));
        CHECK(strstr(tc_why(), text) != NULL, "type %d: \"%s\" lacks \"%s\"", t, tc_why(), text);
    }
    CUDA_CHECK(cudaMalloc(&da, (size_t)abytes)); CUDA_CHECK(cudaMalloc(&dk, (size_t)kbytes));
    CUDA_CHECK(cudaMalloc(&dm, (size_t)mbytes)); CUDA_CHECK(cudaMalloc(&dbad, 8));
    CUDA_CHECK(cudaMemcpy(da, a, (size_t)abytes, cudaMemcpyHostToDevice));
    for (int prune = 0; prune < 2; prune++) {
        CUDA_CHECK(cudaMemset(dk, 0, (size_t)kbytes)); CUDA_CHECK(cudaMemset(dm, 0, (size_t)mbytes));
        CUDA_CHECK(cudaMemset(dbad, 0xff, 8));
        q = p, q.prune = prune, q.a = da, q.kept = dk, q.meta = dm;
        k_compress<<<2, 64>>>(q, dbad);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(hk, dk, (size_t)kbytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(hm, dm, (size_t)mbytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(&bad, dbad, 8, cudaMemcpyDeviceToHost));
        CHECK(bad == (prune ? -1 : first), "type %d: the device finds group %lld, the host %lld", t, (long long)bad,
              (long long)first);
        CHECK(!memcmp(hk, kept, (size_t)kbytes) && !memcmp(hm, meta, (size_t)mbytes), "type %d: device and host differ",
              t);
    }
    q = p, q.prune = 0, q.a = back, q.kept = hk, q.meta = hm;
    memset(hk, 0, (size_t)kbytes), memset(hm, 0, (size_t)mbytes);
    CHECK(tc_sp_compress(&q) == TC_OK, "type %d: %s", t, tc_why());
    CHECK(tc_sp_expand(&q, a) == TC_OK && !memcmp(a, back, (size_t)abytes), "type %d: not the same after a second turn",
          t);
    CUDA_CHECK(cudaFree(da)); CUDA_CHECK(cudaFree(dk)); CUDA_CHECK(cudaFree(dm)); CUDA_CHECK(cudaFree(dbad));
    free(a), free(back), free(kept), free(meta), free(hk), free(hm);
}

static void test_compress_arguments(void)
{
    uint16_t a[64] = {0}, kept[32];
    uint8_t meta[8];
    uint32_t words[32];
    tc_sp_args p, q;
    memset(&p, 0, sizeof p);
    p.type = TC_F16, p.rows = 4, p.cols = 16, p.a = a, p.lda = 16, p.kept = kept, p.ldk = 8, p.meta = meta, p.ldm = 2;
    CHECK(tc_sp_compress(&p) == TC_OK, "%s", tc_why());
#define WRONG(change, status, text)                                                                                   \
    q = p, change; CHECK(tc_sp_compress(&q) == status && strstr(tc_why(), text), "%s", tc_why())
    WRONG(q.a = 0, TC_ERR_NULL, "a is null");
    WRONG(q.type = TC_F64, TC_ERR_SPARSE, "f64");
    WRONG(q.bits = 8, TC_ERR_SPARSE, "f16 in 8 bits");
    WRONG(q.rows = -1, TC_ERR_SIZE, "rows = -1");
    WRONG(q.cols = 12, TC_ERR_SIZE, "cols = 12 is no multiple of 8");
    WRONG(q.lda = 15, TC_ERR_PITCH, "lda = 15");
    WRONG(q.ldk = 7, TC_ERR_PITCH, "ldk = 7");
    WRONG(q.ldm = 1, TC_ERR_PITCH, "ldm = 1");
    WRONG((q.kept = 0, q.meta = 0), TC_OK, "");
    CHECK(tc_sp_pack_mma(&p, words) == TC_ERR_SIZE && strstr(tc_why(), "rows = 4"), "%s", tc_why());
}

/* Metadata of a whole matrix: each block is what tc_sp_mma_meta says */
static void test_pack(void)
{
    static uint8_t meta[32 * 24];
    static uint32_t words[2 * 3 * 32];
    tc_sp_args p;
    memset(&p, 0, sizeof p);
    for (int i = 0; i < (int)sizeof meta; i++) meta[i] = (uint8_t)(test_random() >> 20);
    p.type = TC_S8, p.rows = 32, p.cols = 3 * 64, p.kept = meta, p.ldk = 96, p.meta = meta, p.ldm = 24;
    CHECK(tc_sp_pack_mma(&p, words) == TC_OK, "%s", tc_why());
    for (int b = 0; b < 6; b++)
        for (int lane = 0; lane < 32; lane++)
            CHECK(words[b * 32 + lane] == tc_sp_mma_meta(meta + b / 3 * 16 * 24 + b % 3 * 8, 24, 8, lane),
                  "block %d lane %d", b, lane);
}

/* ---- ldmatrix, stmatrix: the row of memory i lies at 16 * i ---- */
enum { MX_CASES = 6 + 6 + 12 + 12 + 6 };
__global__ void k_load(int which, const uint8_t *in, uint32_t *out)
{
    __shared__ TC_ALIGN(128) uint8_t s[512];
    uint32_t r[4] = {0, 0, 0, 0};
    for (int i = (int)threadIdx.x; i < 512; i += 32) s[i] = in[i];
    __syncthreads();
    const uint32_t row = tc_smem_u32(s) + 16 * threadIdx.x;
    const void *ptr = s + 16 * threadIdx.x;
    switch (which) {
    case 0: TC_LDMATRIX(m8n8, x1, shared, b16, r, row); break;
    case 1: TC_LDMATRIX(m8n8, x2, shared_cta, b16, r, row); break;
    case 2: TC_LDMATRIX(m8n8, x4, generic, b16, r, ptr); break;
    case 3: TC_LDMATRIX_TRANS(m8n8, x1, generic, b16, r, ptr); break;
    case 4: TC_LDMATRIX_TRANS(m8n8, x2, shared, b16, r, row); break;
    case 5: TC_LDMATRIX_TRANS(m8n8, x4, shared_cta, b16, r, row); break;
#if TC_HAS_BLACKWELL_A
    case 6: TC_LDMATRIX_TRANS(m16n16, x1, shared, b8, r, row); break;
    case 7: TC_LDMATRIX_TRANS(m16n16, x2, generic, b8, r, ptr); break;
    case 8: TC_LDMATRIX_TRANS(m16n16, x1, shared_cta, b8x16_b6x16_p32, r, row); break;
    case 9: TC_LDMATRIX_TRANS(m16n16, x2, shared, b8x16_b6x16_p32, r, row); break;
    case 10: TC_LDMATRIX_TRANS(m16n16, x1, generic, b8x16_b4x16_p64, r, ptr); break;
    case 11: TC_LDMATRIX_TRANS(m16n16, x2, shared, b8x16_b4x16_p64, r, row); break;
    case 12: TC_LDMATRIX(m8n16, x1, shared, b8x16_b6x16_p32, r, row); break;
    case 13: TC_LDMATRIX(m8n16, x2, shared_cta, b8x16_b6x16_p32, r, row); break;
    case 14: TC_LDMATRIX(m8n16, x4, generic, b8x16_b6x16_p32, r, ptr); break;
    case 15: TC_LDMATRIX(m8n16, x1, shared, b8x16_b4x16_p64, r, row); break;
    case 16: TC_LDMATRIX(m8n16, x2, generic, b8x16_b4x16_p64, r, ptr); break;
    case 17: TC_LDMATRIX(m8n16, x4, shared, b8x16_b4x16_p64, r, row); break;
#endif
    }
#pragma unroll
    for (int i = 0; i < 4; i++) out[threadIdx.x * 4 + i] = r[i];
}

__global__ void k_store(int which, const uint32_t *in, uint8_t *out)
{
#if TC_HAS_SM90
    __shared__ TC_ALIGN(128) uint8_t s[512];
    uint32_t r[4];
#pragma unroll
    for (int i = 0; i < 4; i++) r[i] = in[threadIdx.x * 4 + i];
    for (int i = (int)threadIdx.x; i < 512; i += 32) s[i] = 0;
    __syncthreads();
    const uint32_t row = tc_smem_u32(s) + 16 * threadIdx.x;
    void *ptr = s + 16 * threadIdx.x;
    switch (which) {
    case 0: TC_STMATRIX(m8n8, x1, shared, b16, row, r); break;
    case 1: TC_STMATRIX(m8n8, x2, shared_cta, b16, row, r); break;
    case 2: TC_STMATRIX(m8n8, x4, generic, b16, ptr, r); break;
    case 3: TC_STMATRIX_TRANS(m8n8, x1, generic, b16, ptr, r); break;
    case 4: TC_STMATRIX_TRANS(m8n8, x2, shared, b16, row, r); break;
    case 5: TC_STMATRIX_TRANS(m8n8, x4, shared_cta, b16, row, r); break;
#if TC_HAS_BLACKWELL_A
    case 6: TC_STMATRIX_TRANS(m16n8, x1, shared, b8, row, r); break;
    case 7: TC_STMATRIX_TRANS(m16n8, x2, generic, b8, ptr, r); break;
    case 8: TC_STMATRIX_TRANS(m16n8, x4, shared_cta, b8, row, r); break;
#endif
    }
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 512; i += 32) out[i] = s[i];
#endif
}

static void test_matrices(void)
{
    static const struct { int regs, bits, bw; coord row, col; } loads[18] = {
        {1, 16, 0, tc_frag_ldmatrix_m8n8_row, tc_frag_ldmatrix_m8n8_col},
        {2, 16, 0, tc_frag_ldmatrix_m8n8_row, tc_frag_ldmatrix_m8n8_col},
        {4, 16, 0, tc_frag_ldmatrix_m8n8_row, tc_frag_ldmatrix_m8n8_col},
        {1, 16, 0, tc_frag_ldmatrix_m8n8_trans_row, tc_frag_ldmatrix_m8n8_trans_col},
        {2, 16, 0, tc_frag_ldmatrix_m8n8_trans_row, tc_frag_ldmatrix_m8n8_trans_col},
        {4, 16, 0, tc_frag_ldmatrix_m8n8_trans_row, tc_frag_ldmatrix_m8n8_trans_col},
#define WIDE(n, b) {n, b, 1, tc_frag_ldmatrix_m16n16_trans_row, tc_frag_ldmatrix_m16n16_trans_col}
#define FLAT(n, b) {n, b, 1, tc_frag_ldmatrix_m8n16_row, tc_frag_ldmatrix_m8n16_col}
        WIDE(2, 8), WIDE(4, 8), WIDE(2, 6), WIDE(4, 6), WIDE(2, 4), WIDE(4, 4), FLAT(1, 6), FLAT(2, 6), FLAT(4, 6),
            FLAT(1, 4), FLAT(2, 4), FLAT(4, 4)};
    static const struct { int regs, bits, bw; coord row, col; } stores[9] = {
        {1, 16, 0, tc_frag_stmatrix_m8n8_row, tc_frag_stmatrix_m8n8_col},
        {2, 16, 0, tc_frag_stmatrix_m8n8_row, tc_frag_stmatrix_m8n8_col},
        {4, 16, 0, tc_frag_stmatrix_m8n8_row, tc_frag_stmatrix_m8n8_col},
        {1, 16, 0, tc_frag_stmatrix_m8n8_trans_row, tc_frag_stmatrix_m8n8_trans_col},
        {2, 16, 0, tc_frag_stmatrix_m8n8_trans_row, tc_frag_stmatrix_m8n8_trans_col},
        {4, 16, 0, tc_frag_stmatrix_m8n8_trans_row, tc_frag_stmatrix_m8n8_trans_col},
#define TALL(n) {n, 8, 1, tc_frag_stmatrix_m16n8_trans_row, tc_frag_stmatrix_m16n8_trans_col}
        TALL(1), TALL(2), TALL(4)};
    uint8_t mem[512], back[512];
    uint32_t regs[128];
    for (int i = 0; i < 512; i++) mem[i] = (uint8_t)(test_random() >> 30);
    for (int v = 0; v < 18; v++) {
        const int lane_bits = loads[v].bits == 16 ? 16 : 8, mask = (1 << loads[v].bits) - 1;
        if (loads[v].bw && !(has & HASBW)) continue;
        CUDA_CHECK(cudaMemcpy(d_in, mem, 512, cudaMemcpyHostToDevice));
        k_load<<<1, 32>>>(v, (const uint8_t *)d_in, d_out);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(regs, d_out, 512, cudaMemcpyDeviceToHost));
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < loads[v].regs * 32 / lane_bits; i++) {
                const int row = loads[v].row(lane, i), col = loads[v].col(lane, i), bit = col * loads[v].bits;
                uint32_t want = 0,
                         got = regs[lane * 4 + i * lane_bits / 32] >> (i * lane_bits % 32) & (lane_bits == 16 ? 0xffffu
                         : 0xffu);
                memcpy(&want, mem + row * 16 + bit / 8, bit / 8 < 15 ? 2 : 1);
                want = want >> bit % 8 & (uint32_t)mask;
                CHECK(got == want, "ldmatrix form %d lane %d element %d: %x, memory (%d, %d) has %x", v, lane, i, got,
                      row, col, want);
            }
    }
    if (!(has & HAS90)) { SKIP("stmatrix: needs sm_90"); return; }
    for (int i = 0; i < 128; i++) regs[i] = (uint32_t)(test_random() >> 30);
    for (int v = 0; v < 9; v++) {
        const int bits = stores[v].bits;
        if (stores[v].bw && !(has & HASBW)) continue;
        CUDA_CHECK(cudaMemcpy(d_in, regs, 512, cudaMemcpyHostToDevice));
        k_store<<<1, 32>>>(v, d_in, (uint8_t *)d_out);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(back, d_out, 512, cudaMemcpyDeviceToHost));
        memset(mem, 0, sizeof mem);
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < stores[v].regs * 32 / bits; i++) {
                const uint32_t x = regs[lane * 4 + i * bits / 32] >> (i * bits % 32);
                memcpy(mem + stores[v].row(lane, i) * 16 + stores[v].col(lane, i) * bits / 8, &x, (size_t)bits / 8);
            }
        for (int i = 0; i < 512; i++)
            CHECK(mem[i] == back[i], "stmatrix form %d byte %d: %x, must be %x", v, i, back[i], mem[i]);
    }
}

/* ---- cp.async: case i copies into its own 16 bytes ---- */
enum { CP_CASES = 24 };
/* hints: also those with a cache policy. ptxas 13.0 makes of them, where the destination is a uniform base plus an
 * offset, an instruction that an H200 refuses as illegal: on hardware they are assembled here and not run. */
static int cp_hint(int i) { return i == 4 || i == 5 || i == 12 || i == 13 || i == 17 || i == 18; }
__global__ void k_cp_async(const uint8_t *in, uint8_t *out, int hints)
{
#if TC_HAS_SM80
    __shared__ TC_ALIGN(16) uint8_t s[CP_CASES * 16];
    __shared__ uint64_t bar[2];
    const int i = (int)threadIdx.x;
    const uint8_t *src = in + 16 * i;
    const uint32_t dst = tc_smem_u32(s) + 16u * (uint32_t)i, mb = tc_smem_u32(bar);
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 64;" : : "r"(mb) : "memory"); /* 32 by noinc, 32 by threads */
        asm volatile("mbarrier.init.shared.b64 [%0], 32;" : : "r"(mb + 8) : "memory");
    }
    for (int x = 0; i < CP_CASES && x < 16; x++) s[16 * i + x] = 0xee;
    __syncthreads();
    switch (i) {
    case 0: TC_CP_ASYNC(ca, shared, L2_none, dst, src, 4); break;
    case 1: TC_CP_ASYNC(ca, shared, L2_64B, dst, src, 8); break;
    case 2: TC_CP_ASYNC(ca, shared_cta, L2_128B, dst, src, 16); break;
    case 3: TC_CP_ASYNC(cg, shared, L2_256B, dst, src, 16); break;
    case 4: if (hints) TC_CP_ASYNC_CACHE_HINT(ca, shared, L2_none, dst, src, 4, policy); break;
    case 5: if (hints) TC_CP_ASYNC_CACHE_HINT(cg, shared_cta, L2_128B, dst, src, 16, policy); break;
    case 6: TC_CP_ASYNC_SRC_SIZE(ca, shared, L2_none, dst, src, 4, 3); break;
    case 7: TC_CP_ASYNC_SRC_SIZE(ca, shared_cta, L2_64B, dst, src, 8, 5); break;
    case 8: TC_CP_ASYNC_SRC_SIZE(ca, shared, L2_128B, dst, src, 16, 9); break;
    case 9: TC_CP_ASYNC_SRC_SIZE(cg, shared, L2_256B, dst, src, 16, 0); break;
    case 10: TC_CP_ASYNC_SRC_SIZE_IMM(cg, shared, L2_256B, dst, src, 16, 0); break;
    case 11: TC_CP_ASYNC_SRC_SIZE_IMM(ca, shared, L2_none, dst, src, 8, 2); break;
    case 12: if (hints) TC_CP_ASYNC_SRC_SIZE_CACHE_HINT(cg, shared, L2_64B, dst, src, 16, 7, policy); break;
    case 13: if (hints) TC_CP_ASYNC_SRC_SIZE_CACHE_HINT(ca, shared_cta, L2_none, dst, src, 4, 1, policy); break;
    case 14: TC_CP_ASYNC_IGNORE_SRC(cg, shared, L2_none, dst, src, 16, 1); break;
    case 15: TC_CP_ASYNC_IGNORE_SRC(cg, shared, L2_128B, dst, src, 16, 0); break;
    case 16: TC_CP_ASYNC_IGNORE_SRC(ca, shared_cta, L2_none, dst, src, 4, 2); break;
    case 17: if (hints) TC_CP_ASYNC_IGNORE_SRC_CACHE_HINT(ca, shared, L2_256B, dst, src, 8, 0, policy); break;
    case 18: if (hints) TC_CP_ASYNC_IGNORE_SRC_CACHE_HINT(cg, shared, L2_none, dst, src, 16, 1, policy); break;
    }
    TC_CP_ASYNC_MBARRIER_ARRIVE_NOINC(shared, mb);
    tc_cp_async_mbarrier_arrive(mb + 8); /* raises the count by one, then arrives */
    asm volatile("{\n.reg .b64 t;\nmbarrier.arrive.shared.b64 t, [%0];\nmbarrier.arrive.shared.b64 t, [%1];\n}"
                 : : "r"(mb), "r"(mb + 8) : "memory");
    for (int b = 0; b < 2; b++) {
        int over = 0;
        while (!over)
            asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.b32 %0, 1, 0, p;\n}"
                         : "=r"(over) : "r"(mb + 8 * b) : "memory");
    }
    TC_CP_ASYNC_WAIT_GROUP(0);
    tc_cp_async_wait_all();
    __syncthreads();
    for (int x = 0; i < CP_CASES && x < 16; x++) out[16 * i + x] = s[16 * i + x];
#endif
}

static void test_cp_async(void)
{
    static const int size[19] = {4, 8, 16, 16, 4, 16, 4, 8, 16, 16, 16, 8, 16, 4, 16, 16, 4, 8, 16},
                     copied[19] = {4, 8, 16, 16, 4, 16, 3, 5, 9, 0, 0, 2, 7, 1, 0, 16, 0, 8, 0};
    uint8_t in[CP_CASES * 16], out[CP_CASES * 16];
    if (!(has & HAS80)) { SKIP("cp.async: needs sm_80"); return; }
    for (int i = 0; i < (int)sizeof in; i++) in[i] = (uint8_t)(i * 7 + 1);
    CUDA_CHECK(cudaMemcpy(d_in, in, sizeof in, cudaMemcpyHostToDevice));
    cudaDeviceProp prop;
    CUDA_CHECK(cudaGetDeviceProperties(&prop, 0));
    const int hints = !strncmp(prop.name, "tcemu", 5);
    if (!hints) SKIP("cp.async with a cache policy: ptxas 13.0 assembles it to an instruction that an H200 refuses");
    k_cp_async<<<1, 32>>>((const uint8_t *)d_in, (uint8_t *)d_out, hints);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 19; i++)
        for (int x = 0; x < 16 && (hints || !cp_hint(i)); x++) {
            const int want = x < copied[i] ? in[16 * i + x] : x < size[i] ? 0 : 0xee;
            CHECK(out[16 * i + x] == want, "cp.async case %d byte %d: %x, must be %x", i, x, out[16 * i + x], want);
        }
}

/* ---- the layouts alone: each element of each matrix belongs to exactly one lane and place ---- */
static void test_layouts(void)
{
    static const struct { const char *name; int m, k, n_elements; layout l; } all[] = {
#define L(s, m, k, c) {#s "_" #c, m, k, 0, LAYOUT(s##_##c)},
        L(m16n8k8, 16, 8, b16) L(m16n8k16, 16, 16, b16) L(m16n8k4, 16, 4, b32) L(m16n8k8, 16, 8, b32)
        L(m8n8k4, 8, 4, b64) L(m16n8k4, 16, 4, b64) L(m16n8k8, 16, 8, b64) L(m16n8k16, 16, 16, b64)
        L(m8n8k16, 8, 16, b8) L(m16n8k16, 16, 16, b8) L(m16n8k32, 16, 32, b8) L(m8n8k32, 8, 32, b4)
        L(m16n8k32, 16, 32, b4) L(m16n8k64, 16, 64, b4) L(m8n8k128, 8, 128, b1) L(m16n8k128, 16, 128, b1)
        L(m16n8k256, 16, 256, b1)
    };
    for (size_t v = 0; v < sizeof all / sizeof *all; v++) {
        static char seen[16 * 256];
        const layout *l = &all[v].l;
        memset(seen, 0, sizeof seen);
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < all[v].m * all[v].k / 32; i++) seen[l->a_row(lane, i) * 256 + l->a_col(lane, i)]++;
        for (int i = 0; i < 16 * 256; i++)
            CHECK(seen[i] == (i / 256 < all[v].m && i % 256 < all[v].k), "%s: A (%d, %d) %d times", all[v].name,
                  i / 256, i % 256, seen[i]);
    }
}

int main(void)
{
    int *d_has, total = (int)(sizeof cases / sizeof *cases);
    if (!test_device()) {
        SKIP("no device");
        return test_end();
    }
    CUDA_CHECK(cudaMalloc(&d_in, sizeof h_in));
    CUDA_CHECK(cudaMalloc(&d_out, sizeof h_out));
    CUDA_CHECK(cudaMalloc(&d_has, sizeof has));
    CUDA_CHECK(cudaMemset(d_in, 0, sizeof h_in));
    CUDA_CHECK(cudaMemset(d_out, 0, sizeof h_out));
    k_has<<<1, 1>>>(d_has);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(&has, d_has, sizeof has, cudaMemcpyDeviceToHost));
    test_layouts();
    for (int i = 0; i < total; i++) run_case(&cases[i]);
    if (done < total) SKIP("%d of %d instructions: not on this device or not in this build", total - done, total);
#define RUN_QUAD(a, b, d, c)                                                                                          \
    run_quad("mma m8n8k4 " #a " " #b " " #d " " #c, QUAD_##a##_##b##_##d##_##c, #a[0] == 'c', #b[0] == 'c', t_##d,    \
             t_##c);
    LIST_QUAD(RUN_QUAD)
    printf("%d instructions run\n", done);
    test_compress(t_f16, 16), test_compress(t_bf16, 16), test_compress(t_tf32, 32), test_compress(t_s8, 8),
        test_compress(t_u8, 8), test_compress(t_e4m3, 8);
    test_compress(t_e5m2, 8), test_compress(t_e3m2, 8), test_compress(t_e2m3, 8), test_compress(t_e2m1, 8),
        test_compress(t_e2m1, 4), test_compress(t_s4, 4), test_compress(t_u4, 4);
    test_compress_arguments();
    test_pack();
    test_matrices();
    test_cp_async();
    return test_end();
}
