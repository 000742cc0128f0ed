/* tc_op.h - tc 0.2.0 - one table: which Tensor Core instruction multiplies which types, from where, in which shape, on
 * which GPU. Needs: tc_core.h.
 *
 *     tc_op op = tc_op_make(90, TC_INST_WGMMA);
 *     op.a = TC_E4M3, op.b = TC_E5M2, op.acc = TC_F32;
 *     tc_op_exists(op)             1: there is such an instruction
 *     tc_op_k(op)                  32 elements of k an instruction; tc_op_k_bytes(op, 0): 32 bytes of each row of A
 *     tc_op_n_step(op)             8, from tc_op_n_min(op) to tc_op_n_max(op)
 *     op.b_major = TC_MAJOR_MN;
 *     tc_op_rule(op)               TC_OP_RULE_MAJORS: fp8 is read K-major only; tc_op_rule_text() has it in words
 *
 * An op is a question. What is 0 is left open: {.gen = 90, .a = TC_F16} asks whether anything multiplies f16 there,
 * with .n = 40 besides whether anything of 40 columns does. Four fields say something when they are 0: sparse,
 * scale_vec: a dense product without scales; ctas: 1; target: all that the chip can do (its a target, if it has one).
 * TC_OP_ANY leaves sparse, scale_vec and ctas open.
 *
 * CONTENTS. All are constant expressions from C++14 on, plain functions in C, and work under NVRTC.
 *     tc_op                        the question; TC_INST_*, TC_HOME_*, TC_MAJOR_*, TC_TARGET_*
 *     tc_op_make(gen, inst)        an op of which nothing else is said
 *     tc_op_exists(op)             1 if an instruction answers it
 *     tc_op_native(op)             1 if Tensor Cores do; 0: there is none, or ptxas writes other, slow ones instead
 *     tc_op_rule(op)               the first rule it breaks, TC_OP_RULE_*; 0: none. tc_op_rule_text(rule): the rule
 *     tc_op_types_ok _sums_ok _density_ok _homes_ok _majors_ok _m_ok _n_ok _k_ok (op)
 *                                  it breaks no rule up to this one: to ask, say, for types alone, n being what it may
 *     tc_op_k(op)                  elements of k of one instruction
 *     tc_op_k_bytes(op, which)     what they take in a row of A (which 0; sparse: of what is stored) or of B (1)
 *     tc_op_bits(op, type)         bits of an element as the instruction reads it: kind f8f6f4 has fp6 and fp4 in bytes
 *     tc_op_n_min _n_max _n_step   legal n of this instruction. s8, u8 and b1 of wgmma, and kind i8 with one CTA, have
 *                                  8 and 24 beside a step of 16, .ws 64, 128 and 256 in a step of 64: ask tc_op_n_ok
 *     tc_op_sums(op)               accumulator types, a mask of 1 << TC_*
 *     tc_op_inst(op)               TC_INST_*; tc_op_name(op): PTX's name, "wgmma.mma_async"
 *     tc_op_find(op)               which row of the table: 0..TC_OP_ROW_COUNT-1, or -1; tc_op_row_at(i): that row
 *     tc_op_check(&op)             host: a status, and the sentence in tc_why()
 *     TC_OP_RULES(X, arg)          X(arg, rule, text) for each rule
 *
 * HOW A GENERATOR ASKS. It makes the op from its configuration and asserts the rules one by one. tc_op_rule names only
 * the first that is broken, so the user gets one sentence, on his own line:
 *
 *     TC_HD TC_CONSTEXPR tc_op my_op(const my_config c)
 *     {
 *         tc_op op = tc_op_make(90, TC_INST_WGMMA);
 *         op.a = c.a, op.b = c.b, op.acc = TC_F32, op.m = 64, op.n = c.bn;
 *         op.a_from = op.b_from = TC_HOME_SMEM, op.a_major = c.a_major, op.b_major = c.b_major;
 *         return op;
 *     }
 *     #define MY_ASSERT(name, rule, text)                                                                             \
 *         static_assert(tc_op_rule(my_op(name##_config)) != rule, "tc: " #name ": " text);
 *     TC_OP_RULES(MY_ASSERT, name)                                        all rules, in this header's words
 *
 *     static_assert(tc_op_types_ok(my_op(name##_config)), "tc: " #name ": wgmma does not multiply .a and .b");
 *     static_assert(tc_op_rule(my_op(name##_config)) != TC_OP_RULE_MAJORS,    or some of them, in the generator's words
 *                   "tc: " #name ": .b_major = TC_MAJOR_MN needs a type of 16 bits");
 *     static_assert(tc_op_rule(my_op(name##_config)) != TC_OP_RULE_N, "tc: " #name ": .bn is 8..256 in steps of 8");
 *
 * A chooser leaves .inst open: the rows stand in the order of preference (tcgen05, wgmma, mma.sync; larger k first).
 *
 * TRAPS
 *     mma.sync reads registers, K-major (.row.col), whatever lies in shared memory: ldmatrix .trans turns 16-bit types
 *     on the way. That is the loader's affair and not in this table.
 *     To exist is not to be fast: ask tc_op_native. mma.sync of fp8 is slow on sm_90 to 110, of int4 from sm_90 on.
 *     Plain sm_90 has no wgmma, plain sm_100 no tcgen05: set .target where the build is not for an a target.
 *     In device code make a constant of an answer (enum, constexpr): then it costs nothing, in compile time either.
 *     scale_vec counts the elements that A stores: in a sparse product a scale serves twice as many of k.
 *     b1: mma.sync has only xor before sm_80, wgmma only and. f64 m16n8: one instruction on sm_90, later several.
 *     Plain mma.sp of f16 and 8-bit integers is slow from sm_100 on; native means mma.sp::ordered_metadata.
 *     This is what the hardware has. The kit's names for it are in docs/isa.md, what generators serve in docs/types.md.
 *
 * Source: PTX ISA 9.0, the tables of shapes and types of mma, mma.sp, wgmma and tcgen05.mma. tests/unit_op.c holds this
 * table against tests/isa/variants.tsv and tc_tcgen05.h's rules. wmma is not here: it follows mma.sync.
 */
#ifndef TC_OP_H
#define TC_OP_H

#include "tc_core.h"

/* Instructions: enum name, PTX's name. _WS: tcgen05.mma.ws, whose D lies otherwise in tensor memory. */
#define TC_OP_INSTS(X)                  \
    X(TC_INST_MMA, "mma.sync")          \
    X(TC_INST_WGMMA, "wgmma.mma_async") \
    X(TC_INST_TCGEN05, "tcgen05.mma")   \
    X(TC_INST_TCGEN05_WS, "tcgen05.mma.ws")
#define TC__X(name, text) name,
typedef enum tc_inst { TC_INST_UNSET = 0, TC_OP_INSTS(TC__X) TC_INST_COUNT } tc_inst;
#undef TC__X

enum { TC_FAST = -1 }; /* .promote: never */
enum { TC_HOME_REG = 1, TC_HOME_SMEM = 2, TC_HOME_TMEM = 4 };   /* registers, shared memory, tensor memory */
enum { TC_MAJOR_K = 1, TC_MAJOR_MN = 2 };                       /* neighbours in memory: a row's k; the rows of a k */
enum { TC_TARGET_A = 0, TC_TARGET_F = 1, TC_TARGET_PLAIN = 2 }; /* sm_100a, sm_100f, sm_100 */
enum { TC_OP_ANY = -1, TC_OP_NO_KIND = -1 };

/* PTX's .kind::, numbered as TC_KIND_* of tc_tcgen05.h, which go into tc_op.kind. */
enum {
    TC__OPK_NONE = TC_OP_NO_KIND,
    TC__OPK_F16 = 1, TC__OPK_TF32, TC__OPK_F8F6F4, TC__OPK_I8, TC__OPK_TI16, TC__OPK_MXF8F6F4, TC__OPK_MXF4,
    TC__OPK_MXF4NVF4 /* ti16: sm_107's, which has no row here yet */
};

typedef struct tc_op {
    int gen;               /* 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121 */
    int inst;              /* TC_INST_* */
    int a, b, acc;         /* types of A, B and the accumulators: TC_BF16, ... */
    int m, n, k;           /* of one instruction (ctas = 2: of both CTAs together); k of the product, as B has it */
    int a_from, b_from;    /* TC_HOME_* */
    int a_major, b_major;  /* TC_MAJOR_* */
    int scale_vec, sparse; /* elements that share a scale: 0, 16 or 32; 1: A is 2:4 sparse */
    int scale;             /* type of the scales: TC_UE8M0 or TC_UE4M3 */
    int ctas;              /* tcgen05's cta_group: 1 or 2 */
    int kind;              /* TC_KIND_*; TC_OP_NO_KIND: the form without .kind */
    int target;            /* TC_TARGET_* */
} tc_op;

typedef struct tc_op_shape {
    int m; /* the sum of all m there are; 0: none with so many CTAs */
    int n_min, n_step, n_max, n_also[2];
} tc_op_shape;

typedef struct tc_op_row {
    int inst, kind;
    int gens, target, native; /* masks of tc_op_gen_bit; target: the plainest that has it */
    int types, mix, sums;     /* masks of 1 << TC_*; mix: B has any of the types, else the one that A has */
    tc_op_shape shape[2];     /* with one CTA, with two */
    int a_from, b_from;       /* masks of TC_HOME_* */
    int mn_from;              /* from which of them MN-major is read, of types of 8 bits or more */
    int k, density;           /* k of the dense product; 1 dense, 2 sparse, 3 both */
    int scale, scale_vec;     /* scale: mask of types */
} tc_op_row;

/* ---------------------------------------------------------------------------------------------------------------------
 * The table's words. Masks of generations (86, 87 and 88 count as 80), of types; shapes; homes.
 */
enum {
    TC__OPG_NO = 0, TC__OPG_75 = 1, TC__OPG_80 = 2, TC__OPG_89 = 4, TC__OPG_90 = 8,
    TC__OPG_100 = 16, TC__OPG_103 = 32, TC__OPG_110 = 64, TC__OPG_120 = 128, TC__OPG_121 = 256,
    TC__OPG_100_110 = TC__OPG_100 | TC__OPG_110,
    TC__OPG_10X = TC__OPG_100_110 | TC__OPG_103,     /* the Blackwells with tensor memory, */
    TC__OPG_12X = TC__OPG_120 | TC__OPG_121,         /* and those without */
    TC__OPG_UP90 = TC__OPG_90 | TC__OPG_10X | TC__OPG_12X,
    TC__OPG_UP89 = TC__OPG_89 | TC__OPG_UP90,
    TC__OPG_UP80 = TC__OPG_80 | TC__OPG_UP89,
    TC__OPG_UP75 = TC__OPG_75 | TC__OPG_UP80,
    TC__OPG_OLD = TC__OPG_75 | TC__OPG_80 | TC__OPG_89,
    TC__OPG_TO90 = TC__OPG_OLD | TC__OPG_90,
    TC__OPG_89_12X = TC__OPG_89 | TC__OPG_12X
};
enum {
    TC__OPT_F16 = 1 << TC_F16, TC__OPT_BF16 = 1 << TC_BF16, TC__OPT_F32 = 1 << TC_F32, TC__OPT_TF32 = 1 << TC_TF32,
    TC__OPT_F64 = 1 << TC_F64, TC__OPT_S32 = 1 << TC_S32, TC__OPT_B1 = 1 << TC_B1, TC__OPT_E2M1 = 1 << TC_E2M1,
    TC__OPT_F16F32 = TC__OPT_F16 | TC__OPT_F32,
    TC__OPT_I8 = 1 << TC_S8 | 1 << TC_U8, TC__OPT_I4 = 1 << TC_S4 | 1 << TC_U4,
    TC__OPT_FP8 = 1 << TC_E4M3 | 1 << TC_E5M2, TC__OPT_F864 = TC__OPT_FP8 | 1 << TC_E3M2 | 1 << TC_E2M3 | TC__OPT_E2M1
};
enum { TC__OPB_SAME = 0, TC__OPB_MIX = 1 };                     /* B has A's type, or any of the row's */
enum { TC__OPD_D = 1, TC__OPD_S = 2, TC__OPD_DS = 3 };          /* dense, 2:4 sparse */
/* with one CTA, with two: the sum of the m there are; n from, in steps of, to; further n */
#define TC__OPN_NONE {0, 0, 1, 0, {0, 0}}
#define TC__OPN_M8 {{8, 8, 8, 8, {0, 0}}, TC__OPN_NONE}
#define TC__OPN_M16 {{16, 8, 8, 8, {0, 0}}, TC__OPN_NONE}
#define TC__OPN_M64 {{64, 8, 8, 256, {0, 0}}, TC__OPN_NONE}
#define TC__OPN_M64I {{64, 16, 16, 256, {8, 24}}, TC__OPN_NONE}
#define TC__OPN_T5 {{64 + 128, 8, 8, 256, {0, 0}}, {128 + 256, 16, 16, 256, {0, 0}}}
#define TC__OPN_T5I {{64 + 128, 16, 16, 256, {8, 24}}, {128 + 256, 32, 32, 256, {0, 0}}}
#define TC__OPN_T5B {{128, 8, 8, 256, {0, 0}}, {128 + 256, 16, 16, 256, {0, 0}}}
#define TC__OPN_T5BS {{128, 8, 8, 256, {0, 0}}, {256, 16, 16, 256, {0, 0}}}
#define TC__OPN_T5K96 {{128, 8, 8, 256, {0, 0}}, {256, 16, 16, 256, {0, 0}}}
#define TC__OPN_WS {{32 + 64 + 128, 64, 64, 128, {256, 0}}, TC__OPN_NONE}
#define TC__OPN_WSS {{32 + 64 + 128, 64, 64, 128, {0, 0}}, TC__OPN_NONE}
/* homes of A, of B; _MN: those from which MN-major is read too (tensor memory never) */
#define TC__OPF_RR TC_HOME_REG, TC_HOME_REG, 0
#define TC__OPF_RR_MN TC_HOME_REG, TC_HOME_REG, TC_HOME_REG
#define TC__OPF_RS TC_HOME_REG | TC_HOME_SMEM, TC_HOME_SMEM, 0
#define TC__OPF_RS_MN TC_HOME_REG | TC_HOME_SMEM, TC_HOME_SMEM, TC_HOME_SMEM
#define TC__OPF_ST TC_HOME_SMEM | TC_HOME_TMEM, TC_HOME_SMEM, 0
#define TC__OPF_ST_MN TC_HOME_SMEM | TC_HOME_TMEM, TC_HOME_SMEM, TC_HOME_SMEM
#define TC__OPF_SS TC_HOME_SMEM, TC_HOME_SMEM, 0
/* scales: types, elements that share one */
#define TC__OPE_NO 0, 0
#define TC__OPE_E8_32 1 << TC_UE8M0, 32
#define TC__OPE_E4_16 1 << TC_UE4M3, 16
#define TC__OPE_E84_16 1 << TC_UE8M0 | 1 << TC_UE4M3, 16

/* ---------------------------------------------------------------------------------------------------------------------
 * The table. The first row that fits is the one to take. k is that of the dense product, twice that where A is sparse.
 *    instruction row          kind      has it   plaine native   A     B     sums    shape  from   k        scales
 */
#define TC_OP_ROWS(X)                                                                                                \
    X(TCGEN05,    F16,         F16,      10X,     F,     10X,     F16,  SAME, F16F32, T5,    ST_MN, 16,  DS, NO)     \
    X(TCGEN05,    BF16,        F16,      10X,     F,     10X,     BF16, SAME, F32,    T5,    ST_MN, 16,  DS, NO)     \
    X(TCGEN05,    TF32,        TF32,     10X,     F,     10X,     TF32, SAME, F32,    T5,    ST_MN, 8,   DS, NO)     \
    X(TCGEN05,    F864,        F8F6F4,   10X,     F,     10X,     F864, MIX,  F16F32, T5,    ST_MN, 32,  DS, NO)     \
    X(TCGEN05,    I8,          I8,       100_110, A,     100_110, I8,   MIX,  S32,    T5I,   ST_MN, 32,  DS, NO)     \
    X(TCGEN05,    MXF8,        MXF8F6F4, 10X,     F,     10X,     F864, MIX,  F32,    T5B,   ST_MN, 32,  D,  E8_32)  \
    X(TCGEN05,    MXF4,        MXF4,     10X,     F,     10X,     E2M1, SAME, F32,    T5B,   ST,    64,  D,  E8_32)  \
    X(TCGEN05,    NVF4_16,     MXF4NVF4, 10X,     F,     10X,     E2M1, SAME, F32,    T5B,   ST,    64,  D,  E84_16) \
    X(TCGEN05,    NVF4_32,     MXF4NVF4, 10X,     F,     10X,     E2M1, SAME, F32,    T5B,   ST,    64,  D,  E8_32)  \
    X(TCGEN05,    MXF8_SP,     MXF8F6F4, 10X,     F,     10X,     F864, MIX,  F32,    T5BS,  ST_MN, 32,  S,  E8_32)  \
    X(TCGEN05,    MXF4_SP,     MXF4,     10X,     A,     10X,     E2M1, SAME, F32,    T5BS,  ST,    64,  S,  E8_32)  \
    X(TCGEN05,    NVF4_16_SP,  MXF4NVF4, 10X,     A,     10X,     E2M1, SAME, F32,    T5BS,  ST,    64,  S,  E84_16) \
    X(TCGEN05,    NVF4_32_SP,  MXF4NVF4, 10X,     A,     10X,     E2M1, SAME, F32,    T5BS,  ST,    64,  S,  E8_32)  \
    X(TCGEN05,    MXF4_K96,    MXF4,     103,     A,     103,     E2M1, SAME, F32,    T5K96, SS,    96,  D,  E8_32)  \
    X(TCGEN05,    NVF4_16_K96, MXF4NVF4, 103,     A,     103,     E2M1, SAME, F32,    T5K96, SS,    96,  D,  E84_16) \
    X(TCGEN05,    NVF4_32_K96, MXF4NVF4, 103,     A,     103,     E2M1, SAME, F32,    T5K96, SS,    96,  D,  E8_32)  \
    X(TCGEN05_WS, F16,         F16,      10X,     F,     10X,     F16,  SAME, F16F32, WS,    ST_MN, 16,  D,  NO)     \
    X(TCGEN05_WS, BF16,        F16,      10X,     F,     10X,     BF16, SAME, F32,    WS,    ST_MN, 16,  D,  NO)     \
    X(TCGEN05_WS, TF32,        TF32,     10X,     F,     10X,     TF32, SAME, F32,    WS,    ST_MN, 8,   D,  NO)     \
    X(TCGEN05_WS, F864,        F8F6F4,   10X,     F,     10X,     F864, MIX,  F16F32, WS,    ST_MN, 32,  D,  NO)     \
    X(TCGEN05_WS, I8,          I8,       100_110, A,     100_110, I8,   MIX,  S32,    WS,    ST_MN, 32,  D,  NO)     \
    X(TCGEN05_WS, F16_SP,      F16,      10X,     F,     10X,     F16,  SAME, F16F32, WSS,   ST_MN, 16,  S,  NO)     \
    X(TCGEN05_WS, BF16_SP,     F16,      10X,     F,     10X,     BF16, SAME, F32,    WSS,   ST_MN, 16,  S,  NO)     \
    X(TCGEN05_WS, TF32_SP,     TF32,     10X,     F,     10X,     TF32, SAME, F32,    WSS,   ST_MN, 8,   S,  NO)     \
    X(TCGEN05_WS, F864_SP,     F8F6F4,   10X,     F,     10X,     F864, MIX,  F16F32, WSS,   ST_MN, 32,  S,  NO)     \
    X(TCGEN05_WS, I8_SP,       I8,       100_110, A,     100_110, I8,   MIX,  S32,    WSS,   ST_MN, 32,  S,  NO)     \
    X(WGMMA,      F16,         NONE,     90,      A,     90,      F16,  SAME, F16F32, M64,   RS_MN, 16,  DS, NO)     \
    X(WGMMA,      BF16,        NONE,     90,      A,     90,      BF16, SAME, F32,    M64,   RS_MN, 16,  DS, NO)     \
    X(WGMMA,      TF32,        NONE,     90,      A,     90,      TF32, SAME, F32,    M64,   RS,    8,   DS, NO)     \
    X(WGMMA,      FP8,         NONE,     90,      A,     90,      FP8,  MIX,  F16F32, M64,   RS,    32,  DS, NO)     \
    X(WGMMA,      I8,          NONE,     90,      A,     90,      I8,   MIX,  S32,    M64I,  RS,    32,  DS, NO)     \
    X(WGMMA,      B1,          NONE,     90,      A,     90,      B1,   SAME, S32,    M64I,  RS,    256, D,  NO)     \
    X(MMA,        F16_K16,     NONE,     UP80,    PLAIN, UP80,    F16,  SAME, F16F32, M16,   RR,    16,  DS, NO)     \
    X(MMA,        F16_K8,      NONE,     UP75,    PLAIN, UP75,    F16,  SAME, F16F32, M16,   RR,    8,   D,  NO)     \
    X(MMA,        F16_K8_SP,   NONE,     UP80,    PLAIN, UP80,    F16,  SAME, F16F32, M16,   RR,    8,   S,  NO)     \
    X(MMA,        F16_M8N8K4,  NONE,     UP75,    PLAIN, 75,      F16,  SAME, F16F32, M8,    RR_MN, 4,   D,  NO)     \
    X(MMA,        BF16_K16,    NONE,     UP80,    PLAIN, UP80,    BF16, SAME, F32,    M16,   RR,    16,  DS, NO)     \
    X(MMA,        BF16_K8,     NONE,     UP80,    PLAIN, UP80,    BF16, SAME, F32,    M16,   RR,    8,   DS, NO)     \
    X(MMA,        TF32_K8,     NONE,     UP80,    PLAIN, UP80,    TF32, SAME, F32,    M16,   RR,    8,   DS, NO)     \
    X(MMA,        TF32_K4,     NONE,     UP80,    PLAIN, UP80,    TF32, SAME, F32,    M16,   RR,    4,   DS, NO)     \
    X(MMA,        F64_K16,     NONE,     UP90,    PLAIN, UP90,    F64,  SAME, F64,    M16,   RR,    16,  D,  NO)     \
    X(MMA,        F64_K8,      NONE,     UP90,    PLAIN, UP90,    F64,  SAME, F64,    M16,   RR,    8,   D,  NO)     \
    X(MMA,        F64_K4,      NONE,     UP90,    PLAIN, UP90,    F64,  SAME, F64,    M16,   RR,    4,   D,  NO)     \
    X(MMA,        F64_M8N8K4,  NONE,     UP80,    PLAIN, UP80,    F64,  SAME, F64,    M8,    RR,    4,   D,  NO)     \
    X(MMA,        I8_K32,      NONE,     UP80,    PLAIN, UP80,    I8,   MIX,  S32,    M16,   RR,    32,  DS, NO)     \
    X(MMA,        I8_K16,      NONE,     UP80,    PLAIN, UP80,    I8,   MIX,  S32,    M16,   RR,    16,  DS, NO)     \
    X(MMA,        I8_M8N8K16,  NONE,     UP75,    PLAIN, UP75,    I8,   MIX,  S32,    M8,    RR,    16,  D,  NO)     \
    X(MMA,        I4_K64,      NONE,     UP80,    PLAIN, OLD,     I4,   MIX,  S32,    M16,   RR,    64,  DS, NO)     \
    X(MMA,        I4_K32,      NONE,     UP80,    PLAIN, OLD,     I4,   MIX,  S32,    M16,   RR,    32,  DS, NO)     \
    X(MMA,        I4_M8N8K32,  NONE,     UP75,    PLAIN, OLD,     I4,   MIX,  S32,    M8,    RR,    32,  D,  NO)     \
    X(MMA,        B1_K256,     NONE,     UP80,    PLAIN, TO90,    B1,   SAME, S32,    M16,   RR,    256, D,  NO)     \
    X(MMA,        B1_K128,     NONE,     UP80,    PLAIN, TO90,    B1,   SAME, S32,    M16,   RR,    128, D,  NO)     \
    X(MMA,        B1_M8N8K128, NONE,     UP75,    PLAIN, TO90,    B1,   SAME, S32,    M8,    RR,    128, D,  NO)     \
    X(MMA,        FP8_K32,     NONE,     UP89,    PLAIN, 89_12X,  FP8,  MIX,  F16F32, M16,   RR,    32,  D,  NO)     \
    X(MMA,        FP8_K16,     NONE,     UP89,    PLAIN, 89_12X,  FP8,  MIX,  F16F32, M16,   RR,    16,  D,  NO)     \
    X(MMA,        FP8_SP,      NONE,     UP89,    PLAIN, 89_12X,  FP8,  MIX,  F32,    M16,   RR,    32,  S,  NO)     \
    X(MMA,        FP8_SP_F16,  NONE,     12X,     F,     12X,     FP8,  MIX,  F16,    M16,   RR,    32,  S,  NO)     \
    X(MMA,        F864,        F8F6F4,   12X,     F,     12X,     F864, MIX,  F16F32, M16,   RR,    32,  DS, NO)     \
    X(MMA,        F864_10X,    F8F6F4,   10X,     F,     NO,      FP8,  MIX,  F16F32, M16,   RR,    32,  D,  NO)     \
    X(MMA,        F864_10X_SP, F8F6F4,   10X,     F,     NO,      FP8,  MIX,  F32,    M16,   RR,    32,  S,  NO)     \
    X(MMA,        MXF8,        MXF8F6F4, 12X,     F,     12X,     F864, MIX,  F32,    M16,   RR,    32,  DS, E8_32)  \
    X(MMA,        MXF4,        MXF4,     12X,     F,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  D,  E8_32)  \
    X(MMA,        MXF4_SP,     MXF4,     12X,     A,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  S,  E8_32)  \
    X(MMA,        NVF4_16,     MXF4NVF4, 12X,     F,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  D,  E4_16)  \
    X(MMA,        NVF4_16_SP,  MXF4NVF4, 12X,     A,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  S,  E4_16)  \
    X(MMA,        NVF4_32,     MXF4NVF4, 12X,     F,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  D,  E8_32)  \
    X(MMA,        NVF4_32_SP,  MXF4NVF4, 12X,     A,     12X,     E2M1, SAME, F32,    M16,   RR,    64,  S,  E8_32)

#define TC__X(inst, name, ...) TC__OPR_##inst##_##name,
enum { TC_OP_ROWS(TC__X) TC_OP_ROW_COUNT };
#undef TC__X

/* Row i of the table; beyond it one that has nothing. */
TC__CHECKER tc_op_row tc_op_row_at(int i)
{
    switch (i) {
#define TC__X(inst, name, kind, gens, target, native, a, b, acc, shape, from, k, sparse, scale)                      \
    case TC__OPR_##inst##_##name: {                                                                                  \
        const tc_op_row r = {TC_INST_##inst, TC__OPK_##kind, TC__OPG_##gens, TC_TARGET_##target, TC__OPG_##native,   \
                             TC__OPT_##a, TC__OPB_##b, TC__OPT_##acc, TC__OPN_##shape, TC__OPF_##from, k,            \
                             TC__OPD_##sparse, TC__OPE_##scale};                                                     \
        return r;                                                                                                    \
    }
        TC_OP_ROWS(TC__X)
#undef TC__X
    default: break;
    }
    {
        const tc_op_row none = {0, 0, 0, 0, 0, 0, 0, 0, {TC__OPN_NONE, TC__OPN_NONE}, 0, 0, 0, 0, 0, 0, 0};
        return none;
    }
}

/* An op of this generation and instruction (0: open); the rest is open, dense, without scales. */
TC_HD TC_CONSTEXPR tc_op tc_op_make(int gen, int inst)
{
    const tc_op op = {gen, inst, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    return op;
}

/* The generation's letter in a row's masks; every letter for 0, none for what is no generation. */
TC_HD TC_CONSTEXPR int tc_op_gen_bit(int gen)
{
    return gen == 0 ? -1
         : gen == 75 ? TC__OPG_75
         : gen == 80 || gen == 86 || gen == 87 || gen == 88 ? TC__OPG_80
         : gen == 89 ? TC__OPG_89
         : gen == 90 ? TC__OPG_90
         : gen == 100 ? TC__OPG_100
         : gen == 103 ? TC__OPG_103
         : gen == 110 || gen == 101 ? TC__OPG_110 /* sm_101 is what sm_110 was called before */
         : gen == 120 ? TC__OPG_120
         : gen == 121 ? TC__OPG_121 : 0;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The rules, in the order in which they are asked: number, sentence. An op breaks rule r if no row of the table keeps
 * the rules 1 to r together.
 */
#define TC_OP_RULES(X, arg)                                                                                            \
    X(arg, TC_OP_RULE_TARGET, "no such target, or it lacks the instruction: mma.sync needs sm_75, wgmma sm_90a, "      \
                              "tcgen05 an a or f target of sm_100, sm_103 or sm_110")                                  \
    X(arg, TC_OP_RULE_TYPES, "this instruction does not multiply these types of A and B here: see docs/types.md")      \
    X(arg, TC_OP_RULE_SUMS, "accumulators are f32, or f16 with A and B of f16, fp8, fp6 or fp4; s32 with integers "    \
                            "and b1; f64 with f64")                                                                    \
    X(arg, TC_OP_RULE_DENSITY, "no such sparse or scaled form of it: see docs/types.md")                               \
    X(arg, TC_OP_RULE_HOMES, "mma.sync has A and B in registers; wgmma and tcgen05 have B in shared memory, A there "  \
                             "or in registers (wgmma) or tensor memory (tcgen05)")                                     \
    X(arg, TC_OP_RULE_MAJORS, "MN-major is read from shared memory only: by wgmma 16-bit types, by tcgen05 types of "  \
                              "8 bits or more, except by its mxf4 kinds")                                              \
    X(arg, TC_OP_RULE_M, "m is 16 or 8 with mma.sync, 64 with wgmma, 64 or 128 with tcgen05 (with scales 128; two "    \
                         "CTAs: 128 or 256; ws: 32, 64 or 128)")                                                       \
    X(arg, TC_OP_RULE_N, "n is 8 with mma.sync, else 8..256 in steps of 8 (8-bit integers and b1: 8, 24 and steps of " \
                         "16; two CTAs: twice the step; tcgen05 with an MN-major B of 8 bits: steps of 16; ws: 64, "   \
                         "128, and 256 if dense)")                                                                     \
    X(arg, TC_OP_RULE_K, "k is the instruction's own, 32 bytes with wgmma and tcgen05: see docs/types.md")
#define TC__X(arg, rule, text) rule,
typedef enum tc_op_rule_id { TC_OP_RULE_NONE = 0, TC_OP_RULES(TC__X, 0) TC_OP_RULE_COUNT } tc_op_rule_id;
#undef TC__X

/* The sentence of a rule; "" for 0. */
TC_HD TC_CONSTEXPR const char *tc_op_rule_text(int rule)
{
#define TC__X(arg, number, text) rule == number ? text :
    return TC_OP_RULES(TC__X, 0) "";
#undef TC__X
}

/* Is a type (0: any) in a mask of types? */
TC_HD TC_CONSTEXPR int tc__op_has(int mask, int type)
{
    return type == 0 || (type > 0 && type < TC_TYPE_COUNT && (mask >> type & 1));
}

/* May an operand of this type, in one of these homes, have this major? */
TC_HD TC_CONSTEXPR int tc__op_major(int major, int type, int homes)
{
    if (major == 0 || major == TC_MAJOR_K) return 1;
    return major == TC_MAJOR_MN && homes && (type == 0 || tc_type_bits(type) >= 8);
}

/* The step of n: an MN-major B of 8 bits comes 16 at a time. */
TC_HD TC_CONSTEXPR int tc__op_step(const tc_op_row *r, const tc_op *op, int ctas)
{
    const int step = r->shape[ctas - 1].n_step, least = 16 * ctas;
    return op->b_major == TC_MAJOR_MN && op->b && tc_type_bits(op->b) == 8 && step < least ? least : step;
}

TC_HD TC_CONSTEXPR int tc__op_n(const tc_op_row *r, const tc_op *op, int ctas, int n)
{
    const tc_op_shape s = r->shape[ctas - 1];
    if (op->b_major == TC_MAJOR_MN && op->b && tc_type_bits(op->b) == 8 && n % (16 * ctas)) return 0;
    return (n >= s.n_min && n <= s.n_max && n % s.n_step == 0) || (n > 0 && (n == s.n_also[0] || n == s.n_also[1]));
}

/* The first of the rules on m, n and k that op breaks with a row and 1 or 2 CTAs. */
TC_HD TC_CONSTEXPR int tc__op_shape_breaks(const tc_op_row *r, const tc_op *op, int ctas)
{
    const int m = r->shape[ctas - 1].m;
    if (m == 0 || op->m < 0 || (op->m & m) != op->m || (op->m & (op->m - 1))) return TC_OP_RULE_M;
    if (op->n && !tc__op_n(r, op, ctas, op->n)) return TC_OP_RULE_N;
    if (op->k == 0 || (op->k == r->k && (r->density & 1) && op->sparse != 1)) return 0;
    return op->k == 2 * r->k && (r->density & 2) && op->sparse ? 0 : TC_OP_RULE_K;
}

/* The first rule that op breaks with a row; 0: it fits. */
TC__CHECKER int tc__op_breaks(const tc_op_row *r, const tc_op *op)
{
    const int a_homes = op->a_from ? op->a_from & r->a_from : r->a_from;
    const int b_homes = op->b_from ? op->b_from & r->b_from : r->b_from;
    const int no_f_target = op->target == TC_TARGET_F && op->gen && op->gen < 100;
    if ((op->inst && op->inst != r->inst) || !(r->gens & tc_op_gen_bit(op->gen))) return TC_OP_RULE_TARGET;
    if (op->target < 0 || op->target > r->target || no_f_target) return TC_OP_RULE_TARGET;
    if (!tc__op_has(r->types, op->a) || !tc__op_has(r->types, op->b)) return TC_OP_RULE_TYPES;
    if (!r->mix && op->a && op->b && op->a != op->b) return TC_OP_RULE_TYPES;
    if (op->kind && op->kind != r->kind) return TC_OP_RULE_TYPES;
    if (!tc__op_has(r->sums, op->acc)) return TC_OP_RULE_SUMS;
    if (op->sparse != TC_OP_ANY && (op->sparse & ~1 || !(r->density >> op->sparse & 1))) return TC_OP_RULE_DENSITY;
    if (op->scale_vec != TC_OP_ANY && op->scale_vec != r->scale_vec) return TC_OP_RULE_DENSITY;
    if (!tc__op_has(r->scale, op->scale)) return TC_OP_RULE_DENSITY;
    if (!a_homes || !b_homes || (op->a_from & (op->a_from - 1)) || (op->b_from & (op->b_from - 1)))
        return TC_OP_RULE_HOMES;
    if (!tc__op_major(op->a_major, op->a, a_homes & r->mn_from)) return TC_OP_RULE_MAJORS;
    if (!tc__op_major(op->b_major, op->b, b_homes & r->mn_from)) return TC_OP_RULE_MAJORS;
    if (op->ctas < TC_OP_ANY || op->ctas > 2) return TC_OP_RULE_M;
    if (op->ctas != TC_OP_ANY) return tc__op_shape_breaks(r, op, op->ctas ? op->ctas : 1);
    {
        const int one = tc__op_shape_breaks(r, op, 1), two = tc__op_shape_breaks(r, op, 2);
        return one == 0 || two == 0 ? 0 : one > two ? one : two;
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Questions.
 */

/* The first row of the table that op fits, which is the one to take; -1: none. */
TC__CHECKER int tc_op_find(const tc_op op)
{
    for (int i = 0; i < TC_OP_ROW_COUNT; i++) {
        const tc_op_row r = tc_op_row_at(i);
        if (tc__op_breaks(&r, &op) == 0) return i;
    }
    return -1;
}

TC_HD TC_CONSTEXPR int tc_op_exists(const tc_op op) { return tc_op_find(op) >= 0; }

/* The first rule that op breaks, 0 if it exists: of all rows, the one that goes furthest counts. */
TC__CHECKER int tc_op_rule(const tc_op op)
{
    int rule = TC_OP_RULE_TARGET;
    for (int i = 0; i < TC_OP_ROW_COUNT; i++) {
        const tc_op_row r = tc_op_row_at(i);
        const int broken = tc__op_breaks(&r, &op);
        if (broken == 0) return 0;
        if (broken > rule) rule = broken;
    }
    return rule;
}

/* Does op keep the rules up to this one, whatever the later ones say? */
TC_HD TC_CONSTEXPR int tc__op_ok(const tc_op op, int upto)
{
    const int rule = tc_op_rule(op);
    return rule == 0 || rule > upto;
}
TC_HD TC_CONSTEXPR int tc_op_types_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_TYPES); }
TC_HD TC_CONSTEXPR int tc_op_sums_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_SUMS); }
TC_HD TC_CONSTEXPR int tc_op_density_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_DENSITY); }
TC_HD TC_CONSTEXPR int tc_op_homes_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_HOMES); }
TC_HD TC_CONSTEXPR int tc_op_majors_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_MAJORS); }
TC_HD TC_CONSTEXPR int tc_op_m_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_M); }
TC_HD TC_CONSTEXPR int tc_op_n_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_N); }
TC_HD TC_CONSTEXPR int tc_op_k_ok(const tc_op op) { return tc__op_ok(op, TC_OP_RULE_K); }

/* Do Tensor Cores do it? Any row may: fp8 on sm_120 has a slow form and a fast one. */
TC__CHECKER int tc_op_native(const tc_op op)
{
    for (int i = 0; i < TC_OP_ROW_COUNT; i++) {
        const tc_op_row r = tc_op_row_at(i);
        if ((r.native & tc_op_gen_bit(op.gen)) && tc__op_breaks(&r, &op) == 0) return 1;
    }
    return 0;
}

/* Accumulator types that op may have besides what it says: a mask of 1 << TC_*. */
TC__CHECKER int tc_op_sums(const tc_op op)
{
    int mask = 0;
    for (int i = 0; i < TC_OP_ROW_COUNT; i++) {
        const tc_op_row r = tc_op_row_at(i);
        if (tc__op_breaks(&r, &op) == 0) mask |= r.sums;
    }
    return op.acc ? mask & 1 << op.acc : mask;
}

TC_HD TC_CONSTEXPR int tc_op_inst(const tc_op op) { return tc_op_row_at(tc_op_find(op)).inst; }

/* PTX's name of the instruction; "" if there is none. */
TC_HD TC_CONSTEXPR const char *tc_op_name(const tc_op op)
{
    const int inst = tc_op_inst(op);
#define TC__X(name, text) inst == name ? text :
    return TC_OP_INSTS(TC__X) "";
#undef TC__X
}

/* PTX's name of a kind, TC_KIND_*; "" without. */
TC_HD TC_CONSTEXPR const char *tc_op_kind_name(int kind)
{
    return kind == TC__OPK_F16 ? "f16" : kind == TC__OPK_TF32 ? "tf32" : kind == TC__OPK_F8F6F4 ? "f8f6f4"
         : kind == TC__OPK_I8 ? "i8" : kind == TC__OPK_TI16 ? "ti16" : kind == TC__OPK_MXF8F6F4 ? "mxf8f6f4"
         : kind == TC__OPK_MXF4 ? "mxf4"
         : kind == TC__OPK_MXF4NVF4 ? "mxf4nvf4" : "";
}

/* k of one instruction in elements, as B has it; 0 if there is none. */
TC_HD TC_CONSTEXPR int tc_op_k(const tc_op op)
{
    const tc_op_row r = tc_op_row_at(tc_op_find(op));
    return op.k ? (r.k ? op.k : 0) : r.k * (op.sparse == 1 ? 2 : 1);
}

/* Bits of an element of this type as the instruction reads it. */
TC_HD TC_CONSTEXPR int tc_op_bits(const tc_op op, int type)
{
    const int kind = tc_op_row_at(tc_op_find(op)).kind, bits = tc_type_bits(type);
    return bits < 8 && (kind == TC__OPK_F8F6F4 || kind == TC__OPK_MXF8F6F4) ? 8 : bits;
}

/* Bytes of k that one instruction takes of each row of A (which 0; sparse: of what is stored) or of B (which 1). */
TC_HD TC_CONSTEXPR int tc_op_k_bytes(const tc_op op, int which)
{
    const int k = which || op.sparse != 1 ? tc_op_k(op) : tc_op_k(op) / 2;
    return k * tc_op_bits(op, which && op.b ? op.b : op.a) / 8;
}

/* Least, largest and usual distance of n, whatever op.n is; 0 if nothing fits the rest of op. */
TC_HD TC_CONSTEXPR tc_op tc__op_any_n(tc_op op)
{
    op.n = 0;
    return op;
}
TC_HD TC_CONSTEXPR int tc_op_n_min(const tc_op op)
{
    const tc_op_row r = tc_op_row_at(tc_op_find(tc__op_any_n(op)));
    int n = 8;
    while (n <= 256 && !tc__op_n(&r, &op, op.ctas == 2 ? 2 : 1, n)) n += 8;
    return n <= 256 ? n : 0;
}
TC_HD TC_CONSTEXPR int tc_op_n_max(const tc_op op)
{
    const tc_op_row r = tc_op_row_at(tc_op_find(tc__op_any_n(op)));
    int n = 256;
    while (n > 0 && !tc__op_n(&r, &op, op.ctas == 2 ? 2 : 1, n)) n -= 8;
    return n;
}
TC_HD TC_CONSTEXPR int tc_op_n_step(const tc_op op)
{
    const tc_op_row r = tc_op_row_at(tc_op_find(tc__op_any_n(op)));
    return r.inst ? tc__op_step(&r, &op, op.ctas == 2 ? 2 : 1) : 0;
}

#ifndef __CUDACC_RTC__
/* TC_OK, or TC_ERR_DESC and in tc_why() the op and the rule that it breaks. */
TC_HOST tc_status tc_op_check(const tc_op *op)
{
    const int rule = tc_op_rule(*op);
    if (!rule) return TC_OK;
    return tc__fail(TC_ERR_DESC, "op (gen %d, a %s, b %s, acc %s, m %d, n %d, k %d; 0 and ?: open): %s", op->gen,
                    tc_type_name(op->a), tc_type_name(op->b), tc_type_name(op->acc), op->m, op->n, op->k,
                    tc_op_rule_text(rule));
}
#endif

#endif /* TC_OP_H */
