/* matrix.h - what the matrix families' tests share: number formats, random operands, the product that must come out.
 *
 * A result is judged by an interval. Integers, one-bit products and small-integer data must come out exactly; other
 * floating-point data may differ from the exact sum by what an accumulator of that width may lose: see mx_product(). */
#ifndef MATRIX_H
#define MATRIX_H
#include "isa.h"

typedef enum { MX_NONE, MX_F16, MX_BF16, MX_TF32, MX_F32, MX_F64, MX_E4M3, MX_E5M2, MX_E3M2, MX_E2M3, MX_E2M1, MX_UE8M0,
               MX_UE4M3, MX_UE5M3,
    MX_S8, MX_U8, MX_S4, MX_U4, MX_B1,
    MX_TI16 /* sign and 11 bits in 16 */, MX_S32 } mx_type;

mx_type mx_type_of(const char *word, size_t n);        /* "e4m3"; MX_NONE if it is no type */
/* the type words of a mnemonic, in order; returns their number */
int mx_types(const char *mnemonic, mx_type *t, int max);
int mx_bits(mx_type t);                                 /* bits of an element, tf32 32 */
int mx_is_int(mx_type t);
double mx_value(mx_type t, uint64_t code);
uint64_t mx_encode(mx_type t, double v);                /* v is representable */

/* Rounds of data. MX_EXACT: small integers, so that every sum is exact. MX_WIDE: all of a format's exponents,
 * subnormals included (integers:
 * all codes). MX_SPECIAL: as WIDE, with a few infinities and NaNs (integers: extremes, so that sums overflow). */
enum { MX_EXACT, MX_WIDE, MX_SPECIAL, MX_ROUNDS };
/* A random element. acc: type of the accumulator, which limits magnitudes */
uint64_t mx_random(mx_type t, mx_type acc, int round);
uint64_t mx_random_acc(mx_type t, int round);           /* an element of C */
uint64_t mx_random_scale(mx_type t, int round);

#define MX_ABSENT 1e300
/* D = op(A) * op(B) + C */
typedef struct mx_product_t {
    int m, n, k;
    mx_type a, b, c, d;
    int round;
    double *A, *B, *C;      /* values: A[row * k + k], B[k * n + col], C[row * n + col]; MX_ABSENT in A: a zero
                               that sparse A leaves out, what B holds there is not looked at, be it infinite */
    double *SA, *SB;        /* NULL, or block scales: SA[row * vec + chunk], SB[chunk * n + col] */
    int vec;
    int sat;                /* .satfinite */
    int b1;                 /* 'x' xor, '&' and */
    char rnd;               /* f64: 'n', 'z', 'm', 'p' */
} mx_product_t;
typedef struct { double lo, hi; } mx_expect;            /* NaN in lo: must be NaN; lo > hi: anything goes */
mx_product_t *mx_new(int m, int n, int k, int vec);     /* one block: free() frees all */
void mx_product(const mx_product_t *p, mx_expect *e);
int mx_good(mx_expect e, double v);

/* Sparse A. kind 2: two of four (or of eight, in pairs: pair = 1); kind 1: one of two (tf32). Fills the metadata nibble
 * of a chunk and the positions of its elements: kind 2, pos[0..1] (times two, plus 0 and 1, in pairs), kind 1, pos[0].
 * ordered: indices ascend */
uint32_t mx_metadata(int kind, int ordered, int *pos);

/* A matrix in shared memory as a descriptor tells it (PTX ISA, "Canonical layouts"). mn: row of A, column of B. Offsets
 * are relative to the shared memory's first byte, which lies at a multiple of 1024. atom32: the 128-byte swizzle that
 * moves 32 bytes at a time (tcgen05). second, if not 0: where rows go on that the 128 bytes of a swizzle end (sm_103's
 * leading dimension as an address) */
typedef struct { int swizzle, mn_major, bits, atom32; uint32_t start, lbo, sbo, base, second; } mx_smem;
/* byte that holds the element (its low bits first if it is smaller) */
uint32_t mx_smem_at(const mx_smem *s, int mn, int k);
/* A random layout for mn x k elements at or after *top, which moves past it. swizzle -1: any */
mx_smem mx_smem_layout(int mn, int k, int bits, int mn_major, int swizzle, uint32_t *top);
void mx_smem_put(uint8_t *smem, const mx_smem *s, int mn, int k, uint64_t code);

/* ---- tcgen05: kernels whose Tensor Memory is written before and read back after ----
 * Each CTA has an image of shared memory (smem bytes) and one of Tensor Memory (columns 0..cols-1 of the allocation, a
 * multiple of 32), 128 rows of cols words. in holds the shared images of both CTAs, then their Tensor Memory's.
 * Registers for the body: %tm (b32) address of the allocation, %s shared address of the image, %mbar of an mbarrier
 * (count 1), %wb (warp's first lane) << 16, %one: predicate of one thread of CTA 0; %t0..%t31, %u<4> b32, %l<4> b64,
 * %c. */
typedef struct { int ctas, group, cols; uint32_t smem; } mx_tc5;
size_t mx_tc5_in(const mx_tc5 *t);                      /* bytes of in */
void mx_tc5_begin(isa_case *c, const mx_tc5 *t);        /* with isa_begin; sets block, cluster, grid, smem */
/* by %one; everybody waits. NULL: an ordinary one */
void mx_tc5_commit(isa_case *c, const mx_tc5 *t, const char *commit);
void mx_tc5_readback(isa_case *c, const mx_tc5 *t);     /* Tensor Memory -> out */
void mx_tc5_end(isa_case *c, const mx_tc5 *t);
uint64_t mx_tc5_descriptor(const mx_smem *s);           /* without the start address */

/* A kernel around an instruction that only has register operands: every thread loads its inputs from 8-byte slots,
 * executes, and stores its outputs into 8-byte slots. Operand i has count[i] registers; slot[i]: its first slot, -1 for
 * immediates. */
typedef struct mx_regs {
    int nops, nin, nout;
    /* dir: i, o, b (in and out), m (immediate) */
    struct { char dir; char type[8]; int count, slot; char imm[120]; } op[12];
} mx_regs;
int mx_parse_ops(isa_case *c, mx_regs *r);              /* 0, or -1 if an operand is of another kind */
/* the whole kernel, with isa_begin and isa_end */
void mx_emit_regs(isa_case *c, const mx_regs *r, const char *suffix);
#endif
