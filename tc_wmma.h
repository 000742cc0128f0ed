/* tc_wmma.h - tc 0.2.0 - wmma: matrices of 16x16 and the like, loaded, multiplied and stored by a warp, in C. Needs:
 * tc_core.h; sm_70 and later.
 *
 * The gentlest way to the Tensor Cores: no layout to know, no address of a lane to compute. All 32 lanes make each call
 * together, with the same pointer and the same stride.
 *
 *     tc_wmma_a_m16n16k16_f16 a;
 *     tc_wmma_b_m16n16k16_f16 b;
 *     tc_wmma_c_m16n16k16_f32 c;
 *     TC_WMMA_FILL(c, 0.f);
 *     for (int k = 0; k < K; k += 16) {
 *         TC_WMMA_LOAD(a, row, m16n16k16, global, f16, a, A + k, lda);       16 x 16 of A, rows lda elements apart
 *         TC_WMMA_LOAD(b, col, m16n16k16, global, f16, b, B + k, ldb);
 *         TC_WMMA_MMA(row, col, m16n16k16, f32, f16, f16, f32, c, a, b, c);   C = A * B + C
 *     }
 *     for (int i = 0; i < TC_WMMA_COUNT(c); i++) c.x[i] *= alpha;             unrolled, on the elements this lane holds
 *     TC_WMMA_STORE(d, row, m16n16k16, global, f32, D, c, ldd);
 *
 * or, with functions of your own name:
 *
 *     TC_WMMA_DEFINE(hmma, row, col, m16n16k16, f32, f16, f16, f32)
 *     hmma_a a; hmma_b b; hmma_c c;
 *     hmma_fill(&c, 0.f); hmma_load_a_global(&a, A, lda); hmma_load_b_global(&b, B, ldb); hmma_mma(&c, &a, &b, &c);
 *     hmma_store_row_global(D, &c, ldd);
 *
 * CONTENTS (tokens in PTX's order)
 *     fragments   tc_wmma_{a,b,c}_{shape}_{type}: struct { ... x[count]; }; c is the accumulator, of C and of D
 *     TC_WMMA_LOAD(a|b|c, row|col, shape, space, type, frag, p, stride)     space: global, shared, shared_cta, generic
 *     TC_WMMA_LOAD_PACKED(the same without stride)                          lines end to end
 *     TC_WMMA_STORE(d, row|col, shape, space, type, p, frag, stride)        TC_WMMA_STORE_PACKED
 *     TC_WMMA_MMA(alayout, blayout, shape, dtype, atype, btype, ctype, d, a, b, c)
 *     TC_WMMA_MMA_SATFINITE (the same, integers), TC_WMMA_MMA_ROUND(alayout, blayout, shape, rn|rz|rm|rp, f64, f64,
 *     f64, f64, d, a, b, c), TC_WMMA_MMA_POPC(xor_popc|and_popc, row, col, m8n8k128, s32, b1, b1, s32, d, a, b, c)
 *     TC_WMMA_FILL(frag, value), TC_WMMA_COUNT(frag)
 *     TC_WMMA_DEFINE(name, alayout, blayout, shape, dtype, atype, btype, ctype)   types and functions: name_load_a ...
 *
 * SHAPES AND TYPES (x[]: registers of A, of B; of C and D)
 *     types         shapes                       x of A, B (m16n16, m8n32, m32n8)  C and D              from
 *     f16           m16n16k16 m8n32k16 m32n8k16  8 8, 8 8, 8 8 (pairs, repeated)   f16 (4) f32 (8)      sm_70 (*)
 *     bf16          the same                     4 4, 2 8, 8 2 (pairs)             f32 (8)              sm_80
 *     s8 s8, u8 u8  the same                     2 2, 1 4, 4 1 (four bytes each)   s32 (8)              sm_72
 *     tf32          m16n16k8                     4 4                               f32 (8)              sm_80
 *     f64           m8n8k4                       1 1                               f64 (2)              sm_80
 *     s4 s4, u4 u4  m8n8k32                      1 1 (eight each)                  s32 (2)              sm_75
 *     b1            m8n8k128                     1 1 (32 each)                     s32 (2)              sm_75 (**)
 *     (*) C and D in any mix. (**) and_popc: sm_80. A and B of either layout, but s4, u4 and b1: A row, B col. What A
 *     and B may mix: nothing; s8 with u8 is for TC_MMA of tc_mma.h.
 *
 * ELEMENTS: x[i] is a float, int32_t or double of the accumulator, or a register of packed elements (lower k in the
 * lower bits). Which row and column x[i] is, PTX leaves open: it is the same for all fragments of one kind, so work
 * that does not ask for the place (scale, add two accumulators, an activation) may be done in place; for the rest go
 * through memory, or use tc_mma.h.
 *
 * TRAPS
 *     stride counts elements, of s4 and b1 too. The first address and every line must be aligned to 16 bytes (to the
 *     bytes of a lane's fragment where these are fewer). p is a pointer in every space; shared, global: it must point
 *     there.
 *     Say shared or global where you know it: ptxas does not find out, and a generic load of shared memory has no
 *     ldmatrix in it.
 *     Every lane of the warp, with the same pointer and stride: anything else is undefined.
 *     tf32 is stored as f32; the unit reads its upper 19 bits. Round first (cvt.rna.tf32) where that matters.
 *     A lane's x[] is not a row of the matrix. Loops over x need #pragma unroll, or the fragment goes to the stack.
 *     .satfinite stands last here, before the types in mma.sync. wmma's s4 and b1 are emulated where mma's are (sm_90,
 *     sm_100 and later).
 *     Faster from sm_80 on is mma.sync with ldmatrix (tc_mma.h): a load here is ordinary loads, and its bank conflicts
 *     are yours.
 *
 * Source: PTX ISA, "Matrix multiply-accumulate operation using wmma instructions".
 */
#ifndef TC_WMMA_H
#define TC_WMMA_H

#include "tc_core.h"

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Fragments. Matrix, shape, type, C type of x, count.
 */
#define TC__WM_FRAGS(X)                                                                                               \
    X(a, m16n16k16, f16, uint32_t, 8) X(b, m16n16k16, f16, uint32_t, 8) X(c, m16n16k16, f16, uint32_t, 4)             \
    X(c, m16n16k16, f32, float, 8) X(c, m16n16k16, s32, int32_t, 8) X(a, m8n32k16, f16, uint32_t, 8)                  \
    X(b, m8n32k16, f16, uint32_t, 8) X(c, m8n32k16, f16, uint32_t, 4) X(c, m8n32k16, f32, float, 8)                   \
    X(c, m8n32k16, s32, int32_t, 8) X(a, m32n8k16, f16, uint32_t, 8) X(b, m32n8k16, f16, uint32_t, 8)                 \
    X(c, m32n8k16, f16, uint32_t, 4) X(c, m32n8k16, f32, float, 8) X(c, m32n8k16, s32, int32_t, 8)                    \
    X(a, m16n16k16, bf16, uint32_t, 4) X(b, m16n16k16, bf16, uint32_t, 4) X(a, m8n32k16, bf16, uint32_t, 2)           \
    X(b, m8n32k16, bf16, uint32_t, 8) X(a, m32n8k16, bf16, uint32_t, 8) X(b, m32n8k16, bf16, uint32_t, 2)             \
    X(a, m16n16k16, s8, uint32_t, 2) X(b, m16n16k16, s8, uint32_t, 2) X(a, m8n32k16, s8, uint32_t, 1)                 \
    X(b, m8n32k16, s8, uint32_t, 4) X(a, m32n8k16, s8, uint32_t, 4) X(b, m32n8k16, s8, uint32_t, 1)                   \
    X(a, m16n16k16, u8, uint32_t, 2) X(b, m16n16k16, u8, uint32_t, 2) X(a, m8n32k16, u8, uint32_t, 1)                 \
    X(b, m8n32k16, u8, uint32_t, 4) X(a, m32n8k16, u8, uint32_t, 4) X(b, m32n8k16, u8, uint32_t, 1)                   \
    X(a, m16n16k8, tf32, uint32_t, 4) X(b, m16n16k8, tf32, uint32_t, 4) X(c, m16n16k8, f32, float, 8)                 \
    X(a, m8n8k4, f64, double, 1) X(b, m8n8k4, f64, double, 1) X(c, m8n8k4, f64, double, 2)                            \
        X(a, m8n8k32, s4, uint32_t, 1)                                                                                \
    X(b, m8n8k32, s4, uint32_t, 1) X(a, m8n8k32, u4, uint32_t, 1) X(b, m8n8k32, u4, uint32_t, 1)                      \
    X(c, m8n8k32, s32, int32_t, 2) X(a, m8n8k128, b1, uint32_t, 1) X(b, m8n8k128, b1, uint32_t, 1)                    \
    X(c, m8n8k128, s32, int32_t, 2)
#define TC__WM_FRAG(matrix, shape, type, c, count)                                                                    \
    typedef struct tc_wmma_##matrix##_##shape##_##type { c x[count]; } tc_wmma_##matrix##_##shape##_##type;
TC__WM_FRAGS(TC__WM_FRAG)
#undef TC__WM_FRAG

/* How many x a fragment has, and all of them set to a value (of x's type: for f16 a pair, tc_f16x2). */
#define TC_WMMA_COUNT(frag) ((int)(sizeof((frag).x) / sizeof((frag).x[0])))
#define TC_WMMA_FILL(frag, value)                                                                                     \
    do {                                                                                                              \
        _Pragma("unroll") for (int tc__i = 0; tc__i < TC_WMMA_COUNT(frag); tc__i++)(frag).x[tc__i] = (value);         \
    } while (0)

/* wmma came with sm_70; its integers with sm_72. nvcc 13 starts at sm_75, older ones do not. */
TC_DEV void tc__needs_sm70(void) {}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 720
TC_DEV void tc__needs_sm72(void) {}
#else
TC__NEEDS(
    "needs sm_72 or later: compile with -gencode arch=compute_75,code=sm_75, or guard the call with #if TC_HAS_SM75")
void tc__needs_sm72(void)
{
}
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * Tables. A fragment's registers (R, F float, D double) and gate; layouts that there are and those that a type lacks;
 * state spaces.
 */
#define TC__WM_a_m16n16k16_f16 ~, R8, sm70
#define TC__WM_b_m16n16k16_f16 ~, R8, sm70
#define TC__WM_c_m16n16k16_f16 ~, R4, sm70
#define TC__WM_c_m16n16k16_f32 ~, F8, sm70
#define TC__WM_c_m16n16k16_s32 ~, R8, sm72
#define TC__WM_a_m8n32k16_f16 ~, R8, sm70
#define TC__WM_b_m8n32k16_f16 ~, R8, sm70
#define TC__WM_c_m8n32k16_f16 ~, R4, sm70
#define TC__WM_c_m8n32k16_f32 ~, F8, sm70
#define TC__WM_c_m8n32k16_s32 ~, R8, sm72
#define TC__WM_a_m32n8k16_f16 ~, R8, sm70
#define TC__WM_b_m32n8k16_f16 ~, R8, sm70
#define TC__WM_c_m32n8k16_f16 ~, R4, sm70
#define TC__WM_c_m32n8k16_f32 ~, F8, sm70
#define TC__WM_c_m32n8k16_s32 ~, R8, sm72
#define TC__WM_a_m16n16k16_bf16 ~, R4, sm80
#define TC__WM_b_m16n16k16_bf16 ~, R4, sm80
#define TC__WM_a_m8n32k16_bf16 ~, R2, sm80
#define TC__WM_b_m8n32k16_bf16 ~, R8, sm80
#define TC__WM_a_m32n8k16_bf16 ~, R8, sm80
#define TC__WM_b_m32n8k16_bf16 ~, R2, sm80
#define TC__WM_a_m16n16k16_s8 ~, R2, sm72
#define TC__WM_b_m16n16k16_s8 ~, R2, sm72
#define TC__WM_a_m8n32k16_s8 ~, R1, sm72
#define TC__WM_b_m8n32k16_s8 ~, R4, sm72
#define TC__WM_a_m32n8k16_s8 ~, R4, sm72
#define TC__WM_b_m32n8k16_s8 ~, R1, sm72
#define TC__WM_a_m16n16k16_u8 ~, R2, sm72
#define TC__WM_b_m16n16k16_u8 ~, R2, sm72
#define TC__WM_a_m8n32k16_u8 ~, R1, sm72
#define TC__WM_b_m8n32k16_u8 ~, R4, sm72
#define TC__WM_a_m32n8k16_u8 ~, R4, sm72
#define TC__WM_b_m32n8k16_u8 ~, R1, sm72
#define TC__WM_a_m16n16k8_tf32 ~, R4, sm80
#define TC__WM_b_m16n16k8_tf32 ~, R4, sm80
#define TC__WM_c_m16n16k8_f32 ~, F8, sm80
#define TC__WM_a_m8n8k4_f64 ~, D1, sm80
#define TC__WM_b_m8n8k4_f64 ~, D1, sm80
#define TC__WM_c_m8n8k4_f64 ~, D2, sm80
#define TC__WM_a_m8n8k32_s4 ~, R1, sm75
#define TC__WM_b_m8n8k32_s4 ~, R1, sm75
#define TC__WM_a_m8n8k32_u4 ~, R1, sm75
#define TC__WM_b_m8n8k32_u4 ~, R1, sm75
#define TC__WM_c_m8n8k32_s32 ~, R2, sm75
#define TC__WM_a_m8n8k128_b1 ~, R1, sm75
#define TC__WM_b_m8n8k128_b1 ~, R1, sm75
#define TC__WM_c_m8n8k128_s32 ~, R2, sm75
#define TC__WM_LAYOUT_row ~, 1
#define TC__WM_LAYOUT_col ~, 1
#define TC__WM_NOT_a_col_s4 ~, 1
#define TC__WM_NOT_a_col_u4 ~, 1
#define TC__WM_NOT_a_col_b1 ~, 1
#define TC__WM_NOT_b_row_s4 ~, 1
#define TC__WM_NOT_b_row_u4 ~, 1
#define TC__WM_NOT_b_row_b1 ~, 1
#define TC__WM_SPACE_generic ~, ""
#define TC__WM_SPACE_global ~, ".global"
#define TC__WM_SPACE_shared ~, ".shared"
#define TC__WM_SPACE_shared_cta ~, ".shared::cta"
#define TC__WM_PTR_generic ~, TC__WM_P
#define TC__WM_PTR_global ~, TC__WM_PG
#define TC__WM_PTR_shared ~, TC__WM_PS
#define TC__WM_PTR_shared_cta ~, TC__WM_PS
#define TC__WM_P(p) "l"(p)
#define TC__WM_PG(p) "l"(__cvta_generic_to_global(p))
#define TC__WM_PS(p) "l"(__cvta_generic_to_shared(p))
/* the third item of a table's line */
#define TC__WM_GATE(...) TC__WM_GATE_(__VA_ARGS__, ~, sm70, ~)
#define TC__WM_GATE_(a, b, c, ...) c

/* Register lists. */
#define TC__WM_N1 "%0"
#define TC__WM_N2 "%0,%1"
#define TC__WM_N4 "%0,%1,%2,%3"
#define TC__WM_N8 "%0,%1,%2,%3,%4,%5,%6,%7"
#define TC__WM_OR1(f) "=r"((f).x[0])
#define TC__WM_IR1(f) "r"((f).x[0])
#define TC__WM_OR2(f) "=r"((f).x[0]), "=r"((f).x[1])
#define TC__WM_IR2(f) "r"((f).x[0]), "r"((f).x[1])
#define TC__WM_OR4(f) "=r"((f).x[0]), "=r"((f).x[1]), "=r"((f).x[2]), "=r"((f).x[3])
#define TC__WM_IR4(f) "r"((f).x[0]), "r"((f).x[1]), "r"((f).x[2]), "r"((f).x[3])
#define TC__WM_OR8(f)                                                                                                 \
    "=r"((f).x[0]), "=r"((f).x[1]), "=r"((f).x[2]), "=r"((f).x[3]), "=r"((f).x[4]), "=r"((f).x[5]), "=r"((f).x[6]),   \
        "=r"((f).x[7])
#define TC__WM_IR8(f)                                                                                                 \
    "r"((f).x[0]), "r"((f).x[1]), "r"((f).x[2]), "r"((f).x[3]), "r"((f).x[4]), "r"((f).x[5]), "r"((f).x[6]),          \
        "r"((f).x[7])
#define TC__WM_OF8(f)                                                                                                 \
    "=f"((f).x[0]), "=f"((f).x[1]), "=f"((f).x[2]), "=f"((f).x[3]), "=f"((f).x[4]), "=f"((f).x[5]), "=f"((f).x[6]),   \
        "=f"((f).x[7])
#define TC__WM_IF8(f)                                                                                                 \
    "f"((f).x[0]), "f"((f).x[1]), "f"((f).x[2]), "f"((f).x[3]), "f"((f).x[4]), "f"((f).x[5]), "f"((f).x[6]),          \
        "f"((f).x[7])
#define TC__WM_OD1(f) "=d"((f).x[0])
#define TC__WM_ID1(f) "d"((f).x[0])
#define TC__WM_OD2(f) "=d"((f).x[0]), "=d"((f).x[1])
#define TC__WM_ID2(f) "d"((f).x[0]), "d"((f).x[1])

/* Statements: with a stride (last operand), and without (_P). */
#define TC__WM_LD_R1(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 4);                                                                                                \
    asm volatile(text " {" TC__WM_N1 "}, [%1], %2;" : TC__WM_OR1(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_R1(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 4);                                                                                                \
    asm volatile(text " {" TC__WM_N1 "}, [%1];" : TC__WM_OR1(f) : ptr : "memory")
#define TC__WM_LD_R2(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " {" TC__WM_N2 "}, [%2], %3;" : TC__WM_OR2(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_R2(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " {" TC__WM_N2 "}, [%2];" : TC__WM_OR2(f) : ptr : "memory")
#define TC__WM_LD_R4(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " {" TC__WM_N4 "}, [%4], %5;" : TC__WM_OR4(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_R4(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " {" TC__WM_N4 "}, [%4];" : TC__WM_OR4(f) : ptr : "memory")
#define TC__WM_LD_R8(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " {" TC__WM_N8 "}, [%8], %9;" : TC__WM_OR8(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_R8(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " {" TC__WM_N8 "}, [%8];" : TC__WM_OR8(f) : ptr : "memory")
#define TC__WM_LD_F8(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " {" TC__WM_N8 "}, [%8], %9;" : TC__WM_OF8(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_F8(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " {" TC__WM_N8 "}, [%8];" : TC__WM_OF8(f) : ptr : "memory")
#define TC__WM_LD_D1(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " {" TC__WM_N1 "}, [%1], %2;" : TC__WM_OD1(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_D1(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " {" TC__WM_N1 "}, [%1];" : TC__WM_OD1(f) : ptr : "memory")
#define TC__WM_LD_D2(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " {" TC__WM_N2 "}, [%2], %3;" : TC__WM_OD2(f) : ptr, "r"((int)(s)) : "memory")
#define TC__WM_LDP_D2(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " {" TC__WM_N2 "}, [%2];" : TC__WM_OD2(f) : ptr : "memory")
#define TC__WM_LD_BAD(help, text, f, ptr, s) static_assert(0, help)
#define TC__WM_LDP_BAD(help, text, f, ptr, s) static_assert(0, help)
#define TC__WM_ST_R2(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " [%0], {%1,%2}, %3;" : : ptr, TC__WM_IR2(f), "r"((int)(s)) : "memory")
#define TC__WM_STP_R2(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 8);                                                                                                \
    asm volatile(text " [%0], {%1,%2};" : : ptr, TC__WM_IR2(f) : "memory")
#define TC__WM_ST_R4(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4}, %5;" : : ptr, TC__WM_IR4(f), "r"((int)(s)) : "memory")
#define TC__WM_STP_R4(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4};" : : ptr, TC__WM_IR4(f) : "memory")
#define TC__WM_ST_R8(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" : : ptr, TC__WM_IR8(f), "r"((int)(s)) : "memory")
#define TC__WM_STP_R8(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" : : ptr, TC__WM_IR8(f) : "memory")
#define TC__WM_ST_F8(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4,%5,%6,%7,%8}, %9;" : : ptr, TC__WM_IF8(f), "r"((int)(s)) : "memory")
#define TC__WM_STP_F8(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 32);                                                                                               \
    asm volatile(text " [%0], {%1,%2,%3,%4,%5,%6,%7,%8};" : : ptr, TC__WM_IF8(f) : "memory")
#define TC__WM_ST_D2(help, text, f, ptr, s)                                                                           \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " [%0], {%1,%2}, %3;" : : ptr, TC__WM_ID2(f), "r"((int)(s)) : "memory")
#define TC__WM_STP_D2(help, text, f, ptr, s)                                                                          \
    TC__WM_SIZE(f, 16);                                                                                               \
    asm volatile(text " [%0], {%1,%2};" : : ptr, TC__WM_ID2(f) : "memory")
#define TC__WM_ST_BAD(help, text, f, ptr, s) static_assert(0, help)
#define TC__WM_STP_BAD(help, text, f, ptr, s) static_assert(0, help)
#define TC__WM_SIZE(f, bytes)                                                                                         \
    static_assert(sizeof((f).x) == (bytes),                                                                           \
                  "tc: wmma: this is a fragment of another shape or type: take tc_wmma_{a,b,c}_{shape}_{type}")

#define TC__WM_HELP                                                                                                   \
    "tc: wmma: a and b: m16n16k16, m8n32k16 or m32n8k16 with f16, bf16, s8, u8; m16n16k8 tf32; m8n8k4 f64; m8n8k32 "  \
    "s4, u4 (a row, b col); m8n8k128 b1 (a row, b col); c and d: f16, f32 or s32 of these shapes, f64 of m8n8k4"
#define TC__WM_CHECK(matrix, layout, space, type)                                                                     \
    static_assert(TC__PROBE(TC__WM_LAYOUT_##layout, 0) && !TC__PROBE(TC__WM_NOT_##matrix##_##layout##_##type, 0),     \
                  "tc: wmma: the layout is row or col; s4, u4 and b1: a row, b col");                                 \
    static_assert(sizeof(TC__PROBE(TC__WM_SPACE_##space, "no such space")) != sizeof("no such space"),                \
                  "tc: wmma: the space is global, shared, shared_cta or generic")

/* PTX: wmma.load. matrix: a, b or c. p: a pointer; stride: elements from line to line (row: from row to row, col: from
 * column to column). PACKED: the lines lie end to end. */
#define TC__WM_LOAD(how, matrix, layout, shape, space, type, frag, p, stride)                                         \
    do {                                                                                                              \
        TC__WM_CHECK(matrix, layout, space, type);                                                                    \
        TC__CAT(tc__needs_, TC__WM_GATE(TC__WM_##matrix##_##shape##_##type, ~, sm70))();                              \
        TC__CALL(TC__CAT(TC__WM_##how##_, TC__PROBE(TC__WM_##matrix##_##shape##_##type, BAD)), TC__WM_HELP,           \
                 "wmma.load." #matrix ".sync.aligned." #layout "." #shape TC__PROBE(TC__WM_SPACE_##space, "") "."     \
                 #type, frag,                                                                                         \
                 TC__CALL(TC__PROBE(TC__WM_PTR_##space, TC__WM_P), p), stride);                                       \
    } while (0)
#define TC_WMMA_LOAD(matrix, layout, shape, space, type, frag, p, stride)                                             \
    TC__WM_LOAD(LD, matrix, layout, shape, space, type, frag, p, stride)
#define TC_WMMA_LOAD_PACKED(matrix, layout, shape, space, type, frag, p)                                              \
    TC__WM_LOAD(LDP, matrix, layout, shape, space, type, frag, p, 0)

/* PTX: wmma.store. matrix: d. */
#define TC__WM_STORE(how, matrix, layout, shape, space, type, p, frag, stride)                                        \
    do {                                                                                                              \
        static_assert(sizeof(#matrix) == 2 && #matrix[0] == 'd', "tc: TC_WMMA_STORE: the matrix is d");               \
        TC__WM_CHECK(c, layout, space, type);                                                                         \
        TC__CAT(tc__needs_, TC__WM_GATE(TC__WM_c_##shape##_##type, ~, sm70))();                                       \
        TC__CALL(TC__CAT(TC__WM_##how##_, TC__PROBE(TC__WM_c_##shape##_##type, BAD)), TC__WM_HELP,                    \
                 "wmma.store.d.sync.aligned." #layout "." #shape TC__PROBE(TC__WM_SPACE_##space, "") "." #type, frag, \
                 TC__CALL(TC__PROBE(TC__WM_PTR_##space, TC__WM_P), p), stride);                                       \
    } while (0)
#define TC_WMMA_STORE(matrix, layout, shape, space, type, p, frag, stride)                                            \
    TC__WM_STORE(ST, matrix, layout, shape, space, type, p, frag, stride)
#define TC_WMMA_STORE_PACKED(matrix, layout, shape, space, type, p, frag)                                             \
    TC__WM_STORE(STP, matrix, layout, shape, space, type, p, frag, 0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Products. Table: registers of D, A, B, C, and the gate.
 */
#define TC__WM_MMA_m16n16k16_f16_f16_f16_f16 ~, R4_R8_R8_R4, sm70
#define TC__WM_MMA_m16n16k16_f16_f16_f16_f32 ~, R4_R8_R8_F8, sm70
#define TC__WM_MMA_m16n16k16_f32_f16_f16_f16 ~, F8_R8_R8_R4, sm70
#define TC__WM_MMA_m16n16k16_f32_f16_f16_f32 ~, F8_R8_R8_F8, sm70
#define TC__WM_MMA_m8n32k16_f16_f16_f16_f16 ~, R4_R8_R8_R4, sm70
#define TC__WM_MMA_m8n32k16_f16_f16_f16_f32 ~, R4_R8_R8_F8, sm70
#define TC__WM_MMA_m8n32k16_f32_f16_f16_f16 ~, F8_R8_R8_R4, sm70
#define TC__WM_MMA_m8n32k16_f32_f16_f16_f32 ~, F8_R8_R8_F8, sm70
#define TC__WM_MMA_m32n8k16_f16_f16_f16_f16 ~, R4_R8_R8_R4, sm70
#define TC__WM_MMA_m32n8k16_f16_f16_f16_f32 ~, R4_R8_R8_F8, sm70
#define TC__WM_MMA_m32n8k16_f32_f16_f16_f16 ~, F8_R8_R8_R4, sm70
#define TC__WM_MMA_m32n8k16_f32_f16_f16_f32 ~, F8_R8_R8_F8, sm70
#define TC__WM_MMA_m16n16k16_f32_bf16_bf16_f32 ~, F8_R4_R4_F8, sm80
#define TC__WM_MMA_m8n32k16_f32_bf16_bf16_f32 ~, F8_R2_R8_F8, sm80
#define TC__WM_MMA_m32n8k16_f32_bf16_bf16_f32 ~, F8_R8_R2_F8, sm80
#define TC__WM_MMA_m16n16k16_s32_s8_s8_s32 ~, R8_R2_R2_R8, sm72
#define TC__WM_MMA_m8n32k16_s32_s8_s8_s32 ~, R8_R1_R4_R8, sm72
#define TC__WM_MMA_m32n8k16_s32_s8_s8_s32 ~, R8_R4_R1_R8, sm72
#define TC__WM_MMA_m16n16k16_s32_u8_u8_s32 ~, R8_R2_R2_R8, sm72
#define TC__WM_MMA_m8n32k16_s32_u8_u8_s32 ~, R8_R1_R4_R8, sm72
#define TC__WM_MMA_m32n8k16_s32_u8_u8_s32 ~, R8_R4_R1_R8, sm72
#define TC__WM_MMA_m16n16k8_f32_tf32_tf32_f32 ~, F8_R4_R4_F8, sm80
#define TC__WM_MMA_m8n8k4_f64_f64_f64_f64 ~, D2_D1_D1_D2, sm80
#define TC__WM_MMA_m8n8k32_s32_s4_s4_s32 ~, R2_R1_R1_R2, sm75
#define TC__WM_MMA_m8n8k32_s32_u4_u4_s32 ~, R2_R1_R1_R2, sm75
#define TC__WM_POPC_xor_popc_m8n8k128_s32_b1_b1_s32 ~, R2_R1_R1_R2, sm75
#define TC__WM_POPC_and_popc_m8n8k128_s32_b1_b1_s32 ~, R2_R1_R1_R2, sm80
#define TC__WM_POPC_TEXT_xor_popc ~, ".xor.popc"
#define TC__WM_POPC_TEXT_and_popc ~, ".and.popc"
#define TC__WM_SAT_s8_s8 ~, 1
#define TC__WM_SAT_u8_u8 ~, 1
#define TC__WM_SAT_s4_s4 ~, 1
#define TC__WM_SAT_u4_u4 ~, 1
#define TC__WM_ROUND_rn_f64 ~, 1
#define TC__WM_ROUND_rz_f64 ~, 1
#define TC__WM_ROUND_rm_f64 ~, 1
#define TC__WM_ROUND_rp_f64 ~, 1
#define TC__WM_AB_f16_f16 ~, "" /* f16 is what PTX leaves out: .dtype.ctype */

#define TC__WM_DO_R4_R8_R8_R4(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 16); TC__WM_SIZE(a, 32); TC__WM_SIZE(b, 32); TC__WM_SIZE(c, 16);                                   \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23};" \
                 : TC__WM_OR4(d) : TC__WM_IR8(a), TC__WM_IR8(b), TC__WM_IR4(c))
#define TC__WM_DO_R4_R8_R8_F8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 16); TC__WM_SIZE(a, 32); TC__WM_SIZE(b, 32); TC__WM_SIZE(c, 32);                                   \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, "                   \
                 "{%20,%21,%22,%23,%24,%25,%26,%27};"                                                                 \
                 : TC__WM_OR4(d) : TC__WM_IR8(a), TC__WM_IR8(b), TC__WM_IF8(c))
#define TC__WM_DO_F8_R8_R8_R4(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 32); TC__WM_SIZE(b, 32); TC__WM_SIZE(c, 16);                                   \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, "   \
                 "{%24,%25,%26,%27};"                                                                                 \
                 : TC__WM_OF8(d) : TC__WM_IR8(a), TC__WM_IR8(b), TC__WM_IR4(c))
#define TC__WM_DO_F8_R8_R8_F8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 32); TC__WM_SIZE(b, 32); TC__WM_SIZE(c, 32);                                   \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, "   \
                 "{%24,%25,%26,%27,%28,%29,%30,%31};"                                                                 \
                 : TC__WM_OF8(d) : TC__WM_IR8(a), TC__WM_IR8(b), TC__WM_IF8(c))
#define TC__WM_DO_F8_R4_R4_F8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 16); TC__WM_SIZE(b, 16); TC__WM_SIZE(c, 32);                                   \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23};" \
                 : TC__WM_OF8(d) : TC__WM_IR4(a), TC__WM_IR4(b), TC__WM_IF8(c))
#define TC__WM_DO_F8_R2_R8_F8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 8); TC__WM_SIZE(b, 32); TC__WM_SIZE(c, 32);                                    \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13,%14,%15,%16,%17}, {%18,%19,%20,%21,%22,%23,"  \
                 "%24,%25};"                                                                                          \
                 : TC__WM_OF8(d) : TC__WM_IR2(a), TC__WM_IR8(b), TC__WM_IF8(c))
#define TC__WM_DO_F8_R8_R2_F8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 32); TC__WM_SIZE(b, 8); TC__WM_SIZE(c, 32);                                    \
    asm volatile(text end                                                                                             \
                 " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17}, {%18,%19,%20,%21,%22,%23,"  \
                 "%24,%25};"                                                                                          \
                 : TC__WM_OF8(d) : TC__WM_IR8(a), TC__WM_IR2(b), TC__WM_IF8(c))
#define TC__WM_DO_R8_R2_R2_R8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 8); TC__WM_SIZE(b, 8); TC__WM_SIZE(c, 32);                                     \
    asm volatile(text end " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"        \
                 : TC__WM_OR8(d) : TC__WM_IR2(a), TC__WM_IR2(b), TC__WM_IR8(c))
#define TC__WM_DO_R8_R1_R4_R8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 4); TC__WM_SIZE(b, 16); TC__WM_SIZE(c, 32);                                    \
    asm volatile(text end " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8}, {%9,%10,%11,%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"    \
                 : TC__WM_OR8(d) : TC__WM_IR1(a), TC__WM_IR4(b), TC__WM_IR8(c))
#define TC__WM_DO_R8_R4_R1_R8(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 32); TC__WM_SIZE(a, 16); TC__WM_SIZE(b, 4); TC__WM_SIZE(c, 32);                                    \
    asm volatile(text end " {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"    \
                 : TC__WM_OR8(d) : TC__WM_IR4(a), TC__WM_IR1(b), TC__WM_IR8(c))
#define TC__WM_DO_D2_D1_D1_D2(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 16); TC__WM_SIZE(a, 8); TC__WM_SIZE(b, 8); TC__WM_SIZE(c, 16);                                     \
    asm volatile(text end " {%0,%1}, {%2}, {%3}, {%4,%5};"                                                            \
                 : TC__WM_OD2(d) : TC__WM_ID1(a), TC__WM_ID1(b), TC__WM_ID2(c))
#define TC__WM_DO_R2_R1_R1_R2(help, text, end, d, a, b, c)                                                            \
    TC__WM_SIZE(d, 8); TC__WM_SIZE(a, 4); TC__WM_SIZE(b, 4); TC__WM_SIZE(c, 8);                                       \
    asm volatile(text end " {%0,%1}, {%2}, {%3}, {%4,%5};"                                                            \
                 : TC__WM_OR2(d) : TC__WM_IR1(a), TC__WM_IR1(b), TC__WM_IR2(c))
#define TC__WM_DO_BAD(help, text, end, d, a, b, c) static_assert(0, help)

#define TC__WM_MMA_HELP                                                                                               \
    "tc: wmma.mma: d, a, b, c: f16|f32, f16, f16, f16|f32; f32, bf16, bf16, f32; s32, s8, s8, s32; s32, u8, u8, s32 " \
    "with m16n16k16, m8n32k16 or m32n8k16; f32, tf32, tf32, f32 with m16n16k8; f64 with m8n8k4; s32, s4, s4, s32 "    \
    "and s32, u4, u4, s32 with m8n8k32; b1: TC_WMMA_MMA_POPC"
#define TC__WM_LAYOUTS(al, bl, at, bt)                                                                                \
    static_assert(TC__PROBE(TC__WM_LAYOUT_##al, 0) && TC__PROBE(TC__WM_LAYOUT_##bl, 0)                                \
                  && !TC__PROBE(TC__WM_NOT_a_##al##_##at, 0)                                                          \
                      && !TC__PROBE(TC__WM_NOT_b_##bl##_##bt, 0),                                                     \
                  "tc: wmma.mma: a layout is row or col; s4, u4 and b1: a row, b col")
#define TC__WM_MMA(row, help, text, end, d, a, b, c)                                                                  \
    do {                                                                                                              \
        TC__CAT(tc__needs_, TC__WM_GATE(row, ~, sm70))();                                                             \
        TC__CALL(TC__CAT(TC__WM_DO_, TC__PROBE(row, BAD)), help, text, end, d, a, b, c);                              \
    } while (0)

/* PTX: wmma.mma. d = a * b + c; the fragments, d may be c. */
#define TC_WMMA_MMA(alayout, blayout, shape, dtype, atype, btype, ctype, d, a, b, c)                                  \
    do {                                                                                                              \
        TC__WM_LAYOUTS(alayout, blayout, atype, btype);                                                               \
        TC__WM_MMA(TC__WM_MMA_##shape##_##dtype##_##atype##_##btype##_##ctype, TC__WM_MMA_HELP,                       \
                   "wmma.mma.sync.aligned." #alayout "." #blayout "." #shape "."                                      \
                   #dtype TC__PROBE(TC__WM_AB_##atype##_##btype,                                                      \
                   "." #atype "." #btype) "." #ctype, "", d, a, b, c);                                                \
    } while (0)
/* Integers: sums beyond int32 stop at its ends. */
#define TC_WMMA_MMA_SATFINITE(alayout, blayout, shape, dtype, atype, btype, ctype, d, a, b, c)                        \
    do {                                                                                                              \
        TC__WM_LAYOUTS(alayout, blayout, atype, btype);                                                               \
        static_assert(TC__PROBE(TC__WM_SAT_##atype##_##btype, 0),                                                     \
                      "tc: TC_WMMA_MMA_SATFINITE: a and b are both s8, u8, s4 or u4");                                \
        TC__WM_MMA(TC__WM_MMA_##shape##_##dtype##_##atype##_##btype##_##ctype, TC__WM_MMA_HELP,                       \
                   "wmma.mma.sync.aligned." #alayout "." #blayout "." #shape "." #dtype "." #atype "." #btype "."     \
                   #ctype,                                                                                            \
                   ".satfinite", d, a, b, c);                                                                         \
    } while (0)
/* f64 with a rounding: rn (what TC_WMMA_MMA does), rz, rm, rp. */
#define TC_WMMA_MMA_ROUND(alayout, blayout, shape, rnd, dtype, atype, btype, ctype, d, a, b, c)                       \
    do {                                                                                                              \
        TC__WM_LAYOUTS(alayout, blayout, atype, btype);                                                               \
        static_assert(TC__PROBE(TC__WM_ROUND_##rnd##_##atype, 0), "tc: TC_WMMA_MMA_ROUND: rn, rz, rm or rp, and f64");\
        TC__WM_MMA(TC__WM_MMA_##shape##_##dtype##_##atype##_##btype##_##ctype, TC__WM_MMA_HELP,                       \
                   "wmma.mma.sync.aligned." #alayout "." #blayout "." #shape "." #rnd "." #dtype "." #atype "."       \
                   #btype "." #ctype, "", d,                                                                          \
                   a, b, c);                                                                                          \
    } while (0)
/* Bits: C + popcount(A xor B) or popcount(A and B) along K. The operation comes first, as in PTX. */
#define TC_WMMA_MMA_POPC(op, alayout, blayout, shape, dtype, atype, btype, ctype, d, a, b, c)                         \
    do {                                                                                                              \
        TC__WM_LAYOUTS(alayout, blayout, atype, btype);                                                               \
        TC__WM_MMA(TC__WM_POPC_##op##_##shape##_##dtype##_##atype##_##btype##_##ctype,                                \
                   "tc: TC_WMMA_MMA_POPC: xor_popc or and_popc, row, col, m8n8k128, s32, b1, b1, s32",                \
                   "wmma.mma" TC__PROBE(TC__WM_POPC_TEXT_##op, "") ".sync.aligned." #alayout "." #blayout "." #shape  \
                   "." #dtype "." #atype                                                                              \
                   "." #btype "." #ctype, "", d, a, b, c);                                                            \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_WMMA_DEFINE: types and functions under a name of your own; A and B in the layouts of the definition, C and D in
 * either.
 *     name_a, name_b, name_c, name_d                         fragments
 *     name_load_a(&a, p, stride), name_load_b, name_load_c_row, name_load_c_col, name_store_row(p, &d, stride),
 *     name_store_col
 *         each also _global and _shared: say where p points when you know it. ptxas does not see it through the
 *         instruction, and generic loads of shared memory are slower (no ldmatrix in them).
 *     name_fill(&c, value), name_mma(&d, &a, &b, &c)
 */
#define TC__WM_X_f16 uint32_t
#define TC__WM_X_f32 float
#define TC__WM_X_s32 int32_t
#define TC__WM_X_f64 double
#define TC__WM_DEFINE_MOVES(name, suffix, space, alayout, blayout, shape, dtype, atype, btype, ctype)                 \
    TC_DEV void name##_load_a##suffix(name##_a *f, const void *p,                                                     \
                                      int stride) { TC_WMMA_LOAD(a, alayout, shape, space, atype, *f, p, stride); }   \
    TC_DEV void name##_load_b##suffix(name##_b *f, const void *p,                                                     \
                                      int stride) { TC_WMMA_LOAD(b, blayout, shape, space, btype, *f, p, stride); }   \
    TC_DEV void name##_load_c_row##suffix(name##_c *f, const void *p,                                                 \
                                          int stride) { TC_WMMA_LOAD(c, row, shape, space, ctype, *f, p, stride); }   \
    TC_DEV void name##_load_c_col##suffix(name##_c *f, const void *p,                                                 \
                                          int stride) { TC_WMMA_LOAD(c, col, shape, space, ctype, *f, p, stride); }   \
    TC_DEV void name##_store_row##suffix(void *p, const name##_d *f,                                                  \
                                         int stride) { TC_WMMA_STORE(d, row, shape, space, dtype, p, *f, stride); }   \
    TC_DEV void name##_store_col##suffix(void *p, const name##_d *f,                                                  \
                                         int stride) { TC_WMMA_STORE(d, col, shape, space, dtype, p, *f, stride); }
#define TC_WMMA_DEFINE(name, alayout, blayout, shape, dtype, atype, btype, ctype)                                     \
    typedef tc_wmma_a_##shape##_##atype name##_a;                                                                     \
    typedef tc_wmma_b_##shape##_##btype name##_b;                                                                     \
    typedef tc_wmma_c_##shape##_##ctype name##_c;                                                                     \
    typedef tc_wmma_c_##shape##_##dtype name##_d;                                                                     \
    TC__WM_DEFINE_MOVES(name, , generic, alayout, blayout, shape, dtype, atype, btype, ctype)                         \
    TC__WM_DEFINE_MOVES(name, _global, global, alayout, blayout, shape, dtype, atype, btype, ctype)                   \
    TC__WM_DEFINE_MOVES(name, _shared, shared, alayout, blayout, shape, dtype, atype, btype, ctype)                   \
    TC_DEV void name##_fill(name##_c *f, TC__WM_X_##ctype value) { TC_WMMA_FILL(*f, value); }                         \
    TC_DEV void name##_mma(name##_d *d, const name##_a *a, const name##_b *b, const name##_c *c)                      \
    {                                                                                                                 \
        TC_WMMA_MMA(alayout, blayout, shape, dtype, atype, btype, ctype, *d, *a, *b, *c);                             \
    }

#endif /* __CUDACC__ */
#endif /* TC_WMMA_H */
