/* alu.h - shared by alu.c (integers, logic, compares, moves, the decoder's tools) and alu_float.c (f32, f64, f16,
 * bf16).
 *
 * A handler executes one instruction for the lanes in mask. It is made by a macro from an expression; with a full mask
 * the loop is plain, so that the compiler can vectorise it. A destination may be the same register as a source, never
 * one that overlaps it in another way: lane l of the result depends on lane l of the sources alone. */
#ifndef EMU_ALU_H
#define EMU_ALU_H
#include "emu.h"
#include "num.h"

/* Handlers that profit are compiled twice, for any x86-64 and for one with AVX2 and FMA; the loader picks. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(ALU_NO_CLONES)                        \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HOT __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define HOT
#endif
#define COLD
/* Helpers within loops: one call left in place is a loop that does not vectorise */
#define INLINE static inline __attribute__((always_inline))

/* Register planes are read under several types */
typedef uint32_t __attribute__((may_alias)) u32;
typedef int32_t __attribute__((may_alias)) s32;
typedef uint64_t __attribute__((may_alias)) u64;
typedef int64_t __attribute__((may_alias)) s64;
typedef float __attribute__((may_alias)) f32;
typedef double __attribute__((may_alias)) f64;
#define R_u32(w, o) ((u32 *)R32(w, o))
#define R_s32(w, o) ((s32 *)R32(w, o))
#define R_u64(w, o) ((u64 *)R64(w, o))
#define R_s64(w, o) ((s64 *)R64(w, o))
#define R_f32(w, o) ((f32 *)R32(w, o))
#define R_f64(w, o) ((f64 *)R64(w, o))

#define LANES(...) \
    if (mask == EMU_FULL) { \
        _Pragma("GCC ivdep") for (uint32_t l = 0; l < 32; l++) __VA_ARGS__ \
    } else EMU_EACH(l, mask) __VA_ARGS__

/* The same for handlers that gain more by vectors than they lose by computing lanes in vain: v, from all 32 lanes, goes
 * to d[l] */
#define WIDE_LANES(d, v) { \
    uint32_t r_[32]; \
    _Pragma("GCC ivdep") for (uint32_t l = 0; l < 32; l++) r_[l] = v; \
    LANES({ (d)[l] = r_[l]; }) }

#define ALU_ARGS warp *w, const ptx_instr *i, uint32_t mask
/* d = expression of a (, b (, c)); D, A, B, C: the types of the planes */
#define OP1(H, name, D, A, ...) H static int x_##name(ALU_ARGS) { \
    D *d_ = R_##D(w, &i->op[0]); const A *a_ = R_##A(w, &i->op[1]); \
    LANES({ const A a = a_[l]; d_[l] = (D)(__VA_ARGS__); }) return X_NEXT; }
#define OP2(H, name, D, A, B, ...) H static int x_##name(ALU_ARGS) { \
    D *d_ = R_##D(w, &i->op[0]); const A *a_ = R_##A(w, &i->op[1]); const B *b_ = R_##B(w, &i->op[2]); \
    LANES({ const A a = a_[l]; const B b = b_[l]; d_[l] = (D)(__VA_ARGS__); }) return X_NEXT; }
#define OP3(H, name, D, A, B, C, ...) H static int x_##name(ALU_ARGS) { \
    D *d_ = R_##D(w, &i->op[0]); const A *a_ = R_##A(w, &i->op[1]); const B *b_ = R_##B(w, &i->op[2]); \
    const C *c_ = R_##C(w, &i->op[3]); \
    LANES({ const A a = a_[l]; const B b = b_[l]; const C c = c_[l]; d_[l] = (D)(__VA_ARGS__); }) return X_NEXT; }

/* ---- Decoding ---- */
typedef struct alu_dec {
    emu_module *m; ptx_func *fn; ptx_instr *i; char *err; size_t n;
    ptx_type t[4]; int nt;              /* the type words, in order */
    uint32_t used;                      /* words that somebody understood (the opcode and the types from the start) */
} alu_dec;
#define ALU_FAIL(x, ...) emu_decode_error((x)->err, (x)->n, (x)->i, __VA_ARGS__)
#define ALU_DECODER(name) int name(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t err_size)
#define ALU_BEGIN(x) alu_dec x[1]; alu_begin(x, m, fn, i, err, err_size)

/* An instruction that one handler executes. key: its words, types last. sig: a letter per operand, destination
 * first. */
typedef struct { const char *key; emu_exec exec; const char *sig; } alu_entry;

void alu_begin(alu_dec *x, emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n);
int alu_opt(alu_dec *x, const char *word);      /* is the word there? It counts as understood then. */
int alu_round(alu_dec *x);                      /* NUM_RN.. from rn, rz, rm, rp; -1 if none is there */
int alu_words(alu_dec *x);                      /* 0 if every word was understood, else -1 and the sentence */
/* Checks number, kind and width of the operands and prepares the sources. Letters: p predicate; k B Q b16 b32 b64; h w
 * d u16 u32 u64; H W D s16 s32 s64; f F f32 f64; e E f16 f16x2; y Y bf16 bf16x2; x f32x2. */
int alu_operands(alu_dec *x, const char *sig);
int alu_operand(alu_dec *x, ptx_opnd *o, ptx_type t, int is_dst, const char *what);
char alu_letter(ptx_type t);
int alu_table(alu_dec *x, const alu_entry *t, size_t n);        /* looks the instruction up and decodes it */

/* alu_float.c: the floating-point side of the opcodes; op is the opcode */
ALU_DECODER(alu_float_arith);    /* add sub mul fma mad */
ALU_DECODER(alu_float_minmax);
ALU_DECODER(alu_float_sign);     /* abs neg */
ALU_DECODER(alu_float_div);
ALU_DECODER(alu_float_unary);    /* rcp sqrt rsqrt sin cos lg2 ex2 tanh */
ALU_DECODER(alu_copysign);
ALU_DECODER(alu_testp);

/* c ? a : b, c 0 or 1, without a branch: the compiler must not move a floating-point operation under a condition, for a
 * loop with conditions in it does not vectorise */
INLINE uint32_t pick32(uint32_t c, uint32_t a, uint32_t b) { return b ^ ((a ^ b) & -c); }
INLINE float pickf(uint32_t c, float a, float b) { return num_bits_f32(pick32(c, num_f32_bits(a), num_f32_bits(b))); }
INLINE double pickd(uint64_t c, double a, double b)
{
    return num_bits_f64(num_f64_bits(b) ^ ((num_f64_bits(a) ^ num_f64_bits(b)) & -c));
}

/* f16 -> f32, NaN kept as NaN */
INLINE float alu_f16(uint32_t h)
{
    uint32_t m = (h & 0x7fff) << 13, s = (h & 0x8000) << 16;
    uint32_t u = num_f32_bits(num_bits_f32(m) * 0x1p112f);          /* exact, subnormals included */
    return num_bits_f32(pick32(m >= 0x0f800000, m | 0x7f800000, u) | s);
}
INLINE float alu_bf16(uint32_t h) { return num_bits_f32(h << 16); }
#endif
