/* alu.c - integer arithmetic, logic, compares, selects and moves, and what the decoders of all arithmetic share.
 * The carry flag of add.cc and its like is a mask of lanes, as a predicate is: each function that has such instructions
 * gets one more predicate slot (fn->npred grows while it is decoded), which all of them share; its number is in
 * f[5]. */
#include "alu.h"
#include <string.h>

/* ---- Tools of the decoders ---- */

void alu_begin(alu_dec *x, emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    *x = (alu_dec){ .m = m, .fn = fn, .i = i, .err = err, .n = n, .used = 1 };
    for (int k = 1; k < i->nmod && k < 32; k++) {
        ptx_type t = ptx_type_of(i->mod[k]);
        if ((t == PT_NONE && strcmp(i->mod[k], "pred")) || x->nt == 4) continue;
        x->t[x->nt++] = t == PT_NONE ? PT_PRED : t;
        x->used |= 1u << k;
    }
}

int alu_opt(alu_dec *x, const char *word)
{
    int found = 0;
    for (int k = 1; k < x->i->nmod && k < 32; k++)
        if (!strcmp(x->i->mod[k], word)) { x->used |= 1u << k; found = 1; }
    return found;
}

int alu_round(alu_dec *x)
{
    static const char *const word[] = { "rn", "rz", "rm", "rp" };
    static const int round[] = { NUM_RN, NUM_RZ, NUM_RM, NUM_RP };
    int r = -1;
    for (int k = 0; k < 4; k++) if (alu_opt(x, word[k])) r = r < 0 ? round[k] : 99;
    return r;       /* 99: two of them; no table has it, decoders refuse it */
}

int alu_words(alu_dec *x)
{
    if (x->i->nmod > 32) return ALU_FAIL(x, "too many modifiers");
    for (int k = 1; k < x->i->nmod; k++)
        if (!(x->used >> k & 1)) return ALU_FAIL(x, ".%s is not supported here", x->i->mod[k]);
    return 0;
}

static const struct { char letter; uint8_t type; } letters[] = {
    { 'p', PT_PRED }, { 'k', PT_B16 }, { 'B', PT_B32 }, { 'Q', PT_B64 }, { 'h', PT_U16 }, { 'w', PT_U32 },
    { 'd', PT_U64 }, { 'H', PT_S16 }, { 'W', PT_S32 }, { 'D', PT_S64 }, { 'f', PT_F32 }, { 'F', PT_F64 },
    { 'e', PT_F16 }, { 'E', PT_F16X2 },
    { 'y', PT_BF16 }, { 'Y', PT_BF16X2 }, { 'x', PT_F32X2 }, { 'B', PT_U16X2 }, { 'B', PT_S16X2 }, { 0, 0 } };

char alu_letter(ptx_type t)
{
    for (int k = 0; letters[k].letter; k++) if (letters[k].type == t) return letters[k].letter;
    return 0;
}

int alu_operand(alu_dec *x, ptx_opnd *o, ptx_type t, int is_dst, const char *what)
{
    int bits = ptx_type_bits(t), pred = t == PT_PRED;
    if (is_dst && o->kind != PO_REG) return ALU_FAIL(x, "%s must be a register", what);
    if (o->kind == PO_REG) {
        if (pred != (o->type == PT_PRED))
            return ALU_FAIL(x, pred ? "%s must be a predicate" : "%s must not be a predicate", what);
        if (!pred && ptx_type_bits(o->type) != bits)
            return ALU_FAIL(x, "%s has %d bits where the instruction takes %d", what, ptx_type_bits(o->type), bits);
    } else if (o->kind != PO_IMM && o->kind != PO_SREG && o->kind != PO_SYM) {
        return ALU_FAIL(x, "%s is of a kind that the instruction does not take", what);
    } else if (o->kind == PO_IMM && (o->type == PT_F32 || o->type == PT_F64)) {
        int fits = t == PT_F32 || t == PT_F64 || (o->type == PT_F32 && t == PT_B32)
            || (o->type == PT_F64 && t == PT_B64);
        if (!fits) return ALU_FAIL(x, "%s must not be a floating-point literal", what);
    }
    if (o->neg && (is_dst || !pred)) return ALU_FAIL(x, "%s: '!' belongs to predicates that are read", what);
    return is_dst ? 0 : emu_prepare(x->m, x->fn, o, t, x->err, x->n);
}

int alu_operands(alu_dec *x, const char *sig)
{
    static const char *const what[] = { "the destination", "the first source", "the second source", "the third source",
                                        "the fourth source" };
    size_t n = strlen(sig);
    if (x->i->nop != n) return ALU_FAIL(x, "%d operands where the instruction has %d", x->i->nop, (int)n);
    for (size_t k = 0; k < n; k++) {
        ptx_type t = PT_NONE;
        for (int j = 0; letters[j].letter; j++) if (letters[j].letter == sig[k]) { t = letters[j].type; break; }
        if (alu_operand(x, &x->i->op[k], t, k == 0, what[k < 5 ? k : 4])) return -1;
    }
    return 0;
}

int alu_table(alu_dec *x, const alu_entry *t, size_t n)
{
    char key[128] = ""; size_t len = 0;
    for (int types = 0; types < 2; types++)
        for (int k = 0; k < x->i->nmod; k++) {
            const char *s = x->i->mod[k]; size_t sl = strlen(s);
            int is_type = k > 0 && k < 32 && (ptx_type_of(s) != PT_NONE || !strcmp(s, "pred"));
            if (is_type != types || len + sl + 2 > sizeof key) continue;
            if (len) key[len++] = '.';
            memcpy(key + len, s, sl + 1); len += sl;
        }
    for (size_t k = 0; k < n; k++)
        if (!strcmp(t[k].key, key)) {
            x->i->exec = t[k].exec;
            return alu_operands(x, t[k].sig);
        }
    return ALU_FAIL(x, "this combination of modifiers and types is not supported");
}

/* ---- Integer arithmetic ---- */

#define S16(v) ((int16_t)(v))
#define HI16(v) ((uint32_t)(v) >> 16)
#define U16(e) ((uint32_t)(uint16_t)(e))
#define X2(lo, hi) (U16(lo) | (uint32_t)(hi) << 16)
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
typedef unsigned __int128 u128; typedef __int128 s128;

OP2(HOT, add16, u32, u32, u32, U16(a + b))
OP2(HOT, add32, u32, u32, u32, a + b)
OP2(HOT, add64, u64, u64, u64, a + b)
OP2(HOT, add16x2, u32, u32, u32, U16(a + b) | ((a & 0xffff0000) + (b & 0xffff0000)))
OP2(HOT, sub16, u32, u32, u32, U16(a - b))
OP2(HOT, sub32, u32, u32, u32, a - b)
OP2(HOT, sub64, u64, u64, u64, a - b)
INLINE int32_t sat32(int64_t v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : (int32_t)v; }
OP2(COLD, add_sat, s32, s32, s32, sat32((int64_t)a + b))
OP2(COLD, sub_sat, s32, s32, s32, sat32((int64_t)a - b))

OP2(HOT, mul_lo16, u32, u32, u32, U16(a * b))
OP2(HOT, mul_lo32, u32, u32, u32, a * b)
OP2(HOT, mul_lo64, u64, u64, u64, a * b)
OP2(COLD, mul_hi_u16, u32, u32, u32, a * b >> 16)
OP2(COLD, mul_hi_s16, u32, u32, u32, U16((S16(a) * S16(b)) >> 16))
OP2(HOT, mul_hi_u32, u32, u32, u32, (uint64_t)a * b >> 32)
OP2(COLD, mul_hi_s32, u32, s32, s32, ((int64_t)a * b) >> 32)
OP2(COLD, mul_hi_u64, u64, u64, u64, (u128)a * b >> 64)
OP2(COLD, mul_hi_s64, u64, s64, s64, ((s128)a * b) >> 64)
OP2(HOT, mul_wide_u16, u32, u32, u32, a * b)
OP2(HOT, mul_wide_s16, u32, u32, u32, S16(a) * S16(b))
OP2(HOT, mul_wide_u32, u64, u32, u32, (uint64_t)a * b)
OP2(HOT, mul_wide_s32, u64, s32, s32, (int64_t)a * b)

OP3(HOT, mad_lo16, u32, u32, u32, u32, U16(a * b + c))
OP3(HOT, mad_lo32, u32, u32, u32, u32, a * b + c)
OP3(HOT, mad_lo64, u64, u64, u64, u64, a * b + c)
OP3(COLD, mad_hi_u16, u32, u32, u32, u32, U16((a * b >> 16) + c))
OP3(COLD, mad_hi_s16, u32, u32, u32, u32, U16((uint32_t)((S16(a) * S16(b)) >> 16) + c))
OP3(COLD, mad_hi_u32, u32, u32, u32, u32, (uint32_t)((uint64_t)a * b >> 32) + c)
OP3(COLD, mad_hi_s32, u32, s32, s32, u32, (uint32_t)(((int64_t)a * b) >> 32) + c)
OP3(COLD, mad_hi_sat, s32, s32, s32, s32, sat32((((int64_t)a * b) >> 32) + c))
OP3(COLD, mad_hi_u64, u64, u64, u64, u64, (uint64_t)((u128)a * b >> 64) + c)
OP3(COLD, mad_hi_s64, u64, s64, s64, u64, (uint64_t)(((s128)a * b) >> 64) + c)
OP3(HOT, mad_wide_u16, u32, u32, u32, u32, a * b + c)
OP3(HOT, mad_wide_s16, u32, u32, u32, u32, (uint32_t)(S16(a) * S16(b)) + c)
OP3(HOT, mad_wide_u32, u64, u32, u32, u64, (uint64_t)a * b + c)
OP3(HOT, mad_wide_s32, u64, s32, s32, u64, (uint64_t)((int64_t)a * b) + c)

/* 24-bit factors, 48-bit product: .lo is bits 0..31, .hi bits 16..47 */
INLINE uint64_t mul24u(uint32_t a, uint32_t b) { return (uint64_t)(a & 0xffffff) * (b & 0xffffff); }
INLINE int64_t mul24s(uint32_t a, uint32_t b) { return (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8); }
OP2(COLD, mul24_lo_u32, u32, u32, u32, mul24u(a, b))
OP2(COLD, mul24_hi_u32, u32, u32, u32, mul24u(a, b) >> 16)
OP2(COLD, mul24_lo_s32, u32, u32, u32, mul24s(a, b))
OP2(COLD, mul24_hi_s32, u32, u32, u32, mul24s(a, b) >> 16)
OP3(COLD, mad24_lo_u32, u32, u32, u32, u32, (uint32_t)mul24u(a, b) + c)
OP3(COLD, mad24_hi_u32, u32, u32, u32, u32, (uint32_t)(mul24u(a, b) >> 16) + c)
OP3(COLD, mad24_lo_s32, u32, u32, u32, u32, (uint32_t)mul24s(a, b) + c)
OP3(COLD, mad24_hi_s32, u32, u32, u32, u32, (uint32_t)(mul24s(a, b) >> 16) + c)
OP3(COLD, mad24_hi_sat, s32, u32, u32, s32, sat32((int64_t)(int32_t)(mul24s(a, b) >> 16) + c))

OP3(COLD, sad_u16, u32, u32, u32, u32, U16(c + (a < b ? b - a : a - b)))
OP3(COLD, sad_s16, u32, u32, u32, u32, U16(c + (uint32_t)(S16(a) < S16(b) ? S16(b) - S16(a) : S16(a) - S16(b))))
OP3(HOT, sad_u32, u32, u32, u32, u32, c + (a < b ? b - a : a - b))
OP3(HOT, sad_s32, u32, s32, s32, u32, c + (a < b ? (uint32_t)b - (uint32_t)a : (uint32_t)a - (uint32_t)b))
OP3(COLD, sad_u64, u64, u64, u64, u64, c + (a < b ? b - a : a - b))
OP3(COLD, sad_s64, u64, s64, s64, u64, c + (a < b ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b))

/* By zero: all ones, quotient and remainder, as the code that ptxas makes gives it */
OP2(COLD, div_u16, u32, u32, u32, b ? a / b : 0xffff)
OP2(COLD, rem_u16, u32, u32, u32, b ? a % b : 0xffff)
OP2(COLD, div_s16, u32, u32, u32, U16(b ? S16(a) / S16(b) : -1))
OP2(COLD, rem_s16, u32, u32, u32, U16(b ? S16(a) % S16(b) : -1))
OP2(COLD, div_u32, u32, u32, u32, b ? a / b : ~0u)
OP2(COLD, rem_u32, u32, u32, u32, b ? a % b : ~0u)
OP2(COLD, div_s32, u32, s32, s32, b == 0 ? ~0u : b == -1 ? 0u - (uint32_t)a : (uint32_t)(a / b))
OP2(COLD, rem_s32, u32, s32, s32, b == 0 ? ~0u : b == -1 ? 0u : (uint32_t)(a % b))
OP2(COLD, div_u64, u64, u64, u64, b ? a / b : ~0ull)
OP2(COLD, rem_u64, u64, u64, u64, b ? a % b : ~0ull)
OP2(COLD, div_s64, u64, s64, s64, b == 0 ? ~0ull : b == -1 ? 0ull - (uint64_t)a : (uint64_t)(a / b))
OP2(COLD, rem_s64, u64, s64, s64, b == 0 ? ~0ull : b == -1 ? 0ull : (uint64_t)(a % b))

OP1(COLD, abs16, u32, u32, S16(a) < 0 ? U16(0u - a) : a)
OP1(HOT, abs32, u32, s32, a < 0 ? 0u - (uint32_t)a : (uint32_t)a)
OP1(COLD, abs64, u64, s64, a < 0 ? 0ull - (uint64_t)a : (uint64_t)a)
OP1(COLD, neg16, u32, u32, U16(0u - a))
OP1(HOT, neg32, u32, u32, 0u - a)
OP1(HOT, neg64, u64, u64, 0ull - a)

OP2(HOT, min_u32, u32, u32, u32, MIN(a, b))
OP2(HOT, max_u32, u32, u32, u32, MAX(a, b))
OP2(HOT, min_s32, s32, s32, s32, MIN(a, b))
OP2(HOT, max_s32, s32, s32, s32, MAX(a, b))
OP2(COLD, min_u64, u64, u64, u64, MIN(a, b))
OP2(COLD, max_u64, u64, u64, u64, MAX(a, b))
OP2(COLD, min_s64, s64, s64, s64, MIN(a, b))
OP2(COLD, max_s64, s64, s64, s64, MAX(a, b))
OP2(COLD, min_s16, u32, u32, u32, S16(a) < S16(b) ? a : b)
OP2(COLD, max_s16, u32, u32, u32, S16(a) > S16(b) ? a : b)
OP2(HOT, min_relu_s32, s32, s32, s32, MAX(MIN(a, b), 0))
OP2(HOT, max_relu_s32, s32, s32, s32, MAX(MAX(a, b), 0))
INLINE int16_t mins(int16_t a, int16_t b) { return MIN(a, b); }
INLINE int16_t maxs(int16_t a, int16_t b) { return MAX(a, b); }
OP2(HOT, min_u16x2, u32, u32, u32, X2(MIN(U16(a), U16(b)), MIN(HI16(a), HI16(b))))
OP2(HOT, max_u16x2, u32, u32, u32, X2(MAX(U16(a), U16(b)), MAX(HI16(a), HI16(b))))
OP2(HOT, min_s16x2, u32, u32, u32, X2(mins((int16_t)a, (int16_t)b), mins((int16_t)HI16(a), (int16_t)HI16(b))))
OP2(HOT, max_s16x2, u32, u32, u32, X2(maxs((int16_t)a, (int16_t)b), maxs((int16_t)HI16(a), (int16_t)HI16(b))))
OP2(HOT, min_relu_s16x2, u32, u32, u32,
    X2(maxs(mins((int16_t)a, (int16_t)b), 0), maxs(mins((int16_t)HI16(a), (int16_t)HI16(b)), 0)))
OP2(HOT, max_relu_s16x2, u32, u32, u32,
    X2(maxs(maxs((int16_t)a, (int16_t)b), 0), maxs(maxs((int16_t)HI16(a), (int16_t)HI16(b)), 0)))

/* ---- Bits ---- */

INLINE uint32_t clz32(uint32_t v) { return v ? (uint32_t)__builtin_clz(v) : 32; }
INLINE uint32_t clz64(uint64_t v) { return v ? (uint32_t)__builtin_clzll(v) : 64; }
INLINE uint32_t top32(uint32_t v) { return 31 - clz32(v); }      /* highest set bit; ~0 if none */
INLINE uint32_t top64(uint64_t v) { return 63 - clz64(v); }
INLINE uint32_t up(uint32_t pos, uint32_t msb) { return pos == ~0u ? pos : msb - pos; }
OP1(COLD, popc32, u32, u32, __builtin_popcount(a))
OP1(COLD, popc64, u32, u64, __builtin_popcountll(a))
OP1(COLD, clz32, u32, u32, clz32(a))
OP1(COLD, clz64, u32, u64, clz64(a))
/* Of a negative number: the highest bit that is not a copy of the sign */
OP1(COLD, bfind_u32, u32, u32, top32(a))
OP1(COLD, bfind_s32, u32, s32, top32((uint32_t)(a < 0 ? ~a : a)))
OP1(COLD, bfind_u64, u32, u64, top64(a))
OP1(COLD, bfind_s64, u32, s64, top64((uint64_t)(a < 0 ? ~a : a)))
OP1(COLD, bfind_shiftamt_u32, u32, u32, up(top32(a), 31))
OP1(COLD, bfind_shiftamt_s32, u32, s32, up(top32((uint32_t)(a < 0 ? ~a : a)), 31))
OP1(COLD, bfind_shiftamt_u64, u32, u64, up(top64(a), 63))
OP1(COLD, bfind_shiftamt_s64, u32, s64, up(top64((uint64_t)(a < 0 ? ~a : a)), 63))

INLINE uint32_t rev32(uint32_t v)
{
    v = (v >> 1 & 0x55555555) | (v & 0x55555555) << 1;
    v = (v >> 2 & 0x33333333) | (v & 0x33333333) << 2;
    v = (v >> 4 & 0x0f0f0f0f) | (v & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(v);
}
OP1(COLD, brev32, u32, u32, rev32(a))
OP1(COLD, brev64, u64, u64, (uint64_t)rev32((uint32_t)a) << 32 | rev32((uint32_t)(a >> 32)))

/* The n-th set bit (offset) of the mask from bit base on, upwards or downwards */
static uint32_t fns(uint32_t m, uint32_t base, int32_t offset)
{
    if (base > 31) return ~0u;
    if (offset == 0) return m >> base & 1 ? base : ~0u;
    int64_t count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (int pos = (int)base; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
        if (m >> pos & 1 && count-- == 0) return (uint32_t)pos;
    return ~0u;
}
OP3(COLD, fns, u32, u32, u32, s32, fns(a, b, c))

/* Bit fields: position and length are 8 bits; what lies beyond the register reads as sign (bfe) or is dropped (bfi) */
INLINE uint64_t field(uint32_t len, uint32_t width) { return len >= width ? ~0ull >> (64 - width) : (1ull << len) - 1; }
INLINE uint64_t bfe(uint64_t a, uint32_t pos, uint32_t len, uint32_t width, int is_signed)
{
    pos &= 0xff; len &= 0xff;
    uint64_t in = pos < width ? field(width - pos, width) & field(len, width) : 0;      /* bits that come from a */
    uint64_t v = pos < width ? a >> pos & in : 0;
    if (is_signed && len) {
        uint32_t top = pos + len - 1 < width - 1 ? pos + len - 1 : width - 1;
        if (a >> top & 1) v |= ~in;
    }
    return v;
}
INLINE uint64_t bfi(uint64_t a, uint64_t b, uint32_t pos, uint32_t len, uint32_t width)
{
    pos &= 0xff; len &= 0xff;
    if (pos >= width) return b;
    uint64_t m = field(len, width) << pos;
    return (b & ~m) | (a << pos & m);
}
OP3(COLD, bfe_u32, u32, u32, u32, u32, bfe(a, b, c, 32, 0))
OP3(COLD, bfe_s32, u32, u32, u32, u32, bfe(a, b, c, 32, 1))
OP3(COLD, bfe_u64, u64, u64, u32, u32, bfe(a, b, c, 64, 0))
OP3(COLD, bfe_s64, u64, u64, u32, u32, bfe(a, b, c, 64, 1))
COLD static int x_bfi32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]);
    const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *p = R_u32(w, &i->op[3]), *n = R_u32(w, &i->op[4]);
    LANES({ d[l] = (uint32_t)bfi(a[l], b[l], p[l], n[l], 32); })
    return X_NEXT;
}
COLD static int x_bfi64(ALU_ARGS)
{
    u64 *d = R_u64(w, &i->op[0]); const u64 *a = R_u64(w, &i->op[1]), *b = R_u64(w, &i->op[2]);
    const u32 *p = R_u32(w, &i->op[3]), *n = R_u32(w, &i->op[4]);
    LANES({ d[l] = bfi(a[l], b[l], p[l], n[l], 64); })
    return X_NEXT;
}

INLINE uint32_t bmsk(uint32_t a, uint32_t b, int clamp)
{
    if (clamp && a > 31) return 0;
    uint32_t from = ~0u << (a & 31), sum = (a & 31) + (b & 31);
    return sum > 31 || (clamp && b > 31) ? from : from & ~(~0u << sum);
}
OP2(COLD, bmsk_clamp, u32, u32, u32, bmsk(a, b, 1))
OP2(COLD, bmsk_wrap, u32, u32, u32, bmsk(a, b, 0))
INLINE uint32_t szext(uint32_t a, uint32_t b, int clamp, int is_signed)
{
    if (clamp && b > 31) return a;
    b &= 31;
    uint32_t m = ~0u << b;
    return (a & ~m) | (b && is_signed && a >> (b - 1) & 1 ? m : 0);
}
OP2(COLD, szext_clamp_u32, u32, u32, u32, szext(a, b, 1, 0))
OP2(COLD, szext_clamp_s32, u32, u32, u32, szext(a, b, 1, 1))
OP2(COLD, szext_wrap_u32, u32, u32, u32, szext(a, b, 0, 0))
OP2(COLD, szext_wrap_s32, u32, u32, u32, szext(a, b, 0, 1))

/* ---- Dot products of bytes ---- */

INLINE int32_t byte_of(uint32_t v, int k, int is_signed)
{
    v = v >> (8 * k) & 0xff;
    return is_signed ? (int8_t)v : (int32_t)v;
}
INLINE int32_t half_of(uint32_t v, int k, int is_signed)
{
    v = v >> (16 * k) & 0xffff;
    return is_signed ? (int16_t)v : (int32_t)v;
}
INLINE uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c, int as, int bs)
{
    for (int k = 0; k < 4; k++) c += (uint32_t)(byte_of(a, k, as) * byte_of(b, k, bs));
    return c;
}
INLINE uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c, int as, int bs, int hi)
{
    for (int k = 0; k < 2; k++) c += (uint32_t)(half_of(a, k, as) * byte_of(b, k + 2 * hi, bs));
    return c;
}
#define DP(suffix, as, bs) \
    OP3(COLD, dp4a_##suffix, u32, u32, u32, u32, dp4a(a, b, c, as, bs)) \
    OP3(COLD, dp2a_lo_##suffix, u32, u32, u32, u32, dp2a(a, b, c, as, bs, 0)) \
    OP3(COLD, dp2a_hi_##suffix, u32, u32, u32, u32, dp2a(a, b, c, as, bs, 1))
DP(uu, 0, 0) DP(us, 0, 1) DP(su, 1, 0) DP(ss, 1, 1)

/* ---- Video instructions on 2 halves or 4 bytes: vadd2 ... vabsdiff4, without selectors and masks ---- */

enum { V_ADD, V_SUB, V_ABSDIFF, V_MIN, V_MAX };
enum { V_SIGNED_D = 1, V_SIGNED_A = 2, V_SIGNED_B = 4, V_SAT = 8, V_SUM = 16, V_FOUR = 32 };
COLD static int x_video(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]);
    const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *c = R_u32(w, &i->op[3]);
    const uint32_t op = i->f[0], f = i->f[1];
    const int parts = f & V_FOUR ? 4 : 2, bits = 32 / parts;
    const int32_t low = f & V_SIGNED_D ? -(1 << (bits - 1)) : 0,
                  high = f & V_SIGNED_D ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    EMU_EACH(l, mask) {
        uint32_t r = f & V_SUM ? c[l] : 0;
        for (int k = 0; k < parts; k++) {
            int32_t x = parts == 4 ? byte_of(a[l], k, (f & V_SIGNED_A) != 0) : half_of(a[l], k, (f & V_SIGNED_A) != 0);
            int32_t y = parts == 4 ? byte_of(b[l], k, (f & V_SIGNED_B) != 0) : half_of(b[l], k, (f & V_SIGNED_B) != 0),
                    t;
            switch (op) {
            case V_ADD: t = x + y; break;
            case V_SUB: t = x - y; break;
            case V_ABSDIFF: t = x > y ? x - y : y - x; break;
            case V_MIN: t = MIN(x, y); break;
            default: t = MAX(x, y); break;
            }
            if (f & V_SAT) t = t < low ? low : t > high ? high : t;
            r = f & V_SUM ? r + (uint32_t)t : r | ((uint32_t)t & ((1u << bits) - 1)) << (bits * k);
        }
        d[l] = r;
    }
    return X_NEXT;
}

/* ---- Logic and shifts ---- */

OP2(HOT, and32, u32, u32, u32, a & b)
OP2(HOT, or32, u32, u32, u32, a | b)
OP2(HOT, xor32, u32, u32, u32, a ^ b)
OP2(HOT, and64, u64, u64, u64, a & b)
OP2(HOT, or64, u64, u64, u64, a | b)
OP2(HOT, xor64, u64, u64, u64, a ^ b)
OP1(COLD, not16, u32, u32, a ^ 0xffff)
OP1(HOT, not32, u32, u32, ~a)
OP1(HOT, not64, u64, u64, ~a)
OP1(COLD, cnot32, u32, u32, a == 0)
OP1(COLD, cnot64, u64, u64, a == 0)

OP2(HOT, shl16, u32, u32, u32, b < 16 ? U16(a << (b & 15)) : 0)
OP2(HOT, shl32, u32, u32, u32, b < 32 ? a << (b & 31) : 0)
OP2(HOT, shl64, u64, u64, u32, b < 64 ? a << (b & 63) : 0)
OP2(HOT, shr_u32, u32, u32, u32, b < 32 ? a >> (b & 31) : 0)
OP2(HOT, shr_u64, u64, u64, u32, b < 64 ? a >> (b & 63) : 0)
OP2(HOT, shr_s16, u32, u32, u32, U16(S16(a) >> (b < 15 ? b : 15)))
OP2(HOT, shr_s32, u32, s32, u32, a >> (b < 31 ? b : 31))
OP2(HOT, shr_s64, u64, s64, u32, a >> (b < 63 ? b : 63))

/* Funnel shifts of b:a */
OP3(HOT, shf_l_clamp, u32, u32, u32, u32, (((uint64_t)b << 32 | a) << MIN(c, 32u)) >> 32)
OP3(HOT, shf_l_wrap, u32, u32, u32, u32, (((uint64_t)b << 32 | a) << (c & 31)) >> 32)
OP3(HOT, shf_r_clamp, u32, u32, u32, u32, ((uint64_t)b << 32 | a) >> MIN(c, 32u))
OP3(HOT, shf_r_wrap, u32, u32, u32, u32, ((uint64_t)b << 32 | a) >> (c & 31))

/* lop3: the table as three layers of selection; f[0]: the table */
#define LOP3_MASKS(t) \
    const uint32_t m0 = -((t) & 1u), m1 = -((t) >> 1 & 1u) ^ m0, m2 = -((t) >> 2 & 1u), m3 = -((t) >> 3 & 1u) ^ m2, \
                   m4 = -((t) >> 4 & 1u), m5 = -((t) >> 5 & 1u) ^ m4, m6 = -((t) >> 6 & 1u), m7 = -((t) >> 7 & 1u) ^ m6
#define PICK(s, x, y) ((y) ^ ((s) & ((x) ^ (y))))
#define LOP3(a, b, c) PICK(a, PICK(b, m6 ^ ((c) & m7), m4 ^ ((c) & m5)), PICK(b, m2 ^ ((c) & m3), m0 ^ ((c) & m1)))
HOT static int x_lop3(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]);
    const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *c = R_u32(w, &i->op[3]);
    LOP3_MASKS(i->f[0]);
    LANES({ d[l] = LOP3(a[l], b[l], c[l]); })
    return X_NEXT;
}
static uint32_t bool_op(uint32_t kind, uint32_t t, uint32_t c) { return kind == 1 ? t & c : kind == 2 ? t | c : t ^ c; }
static void put_pred(warp *w, const ptx_opnd *o, uint32_t mask, uint32_t v)
{
    if (o->kind == PO_SINK) return;
    uint32_t *p = RP(w, o);
    *p = (*p & ~mask) | (v & mask);
}
/* lop3.BoolOp d|p, a, b, c, table, q: p = (d != 0) BoolOp q; f[1]: BoolOp */
COLD static int x_lop3_pred(ALU_ARGS)
{
    const ptx_opnd *dst = i->op[0].elem;
    const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *c = R_u32(w, &i->op[3]);
    u32 none[32], *d = dst[0].kind == PO_SINK ? none : R_u32(w, &dst[0]);
    uint32_t q = emu_pred(w, &i->op[5]), t = 0;
    LOP3_MASKS(i->f[0]);
    EMU_EACH(l, mask) { uint32_t r = LOP3(a[l], b[l], c[l]); d[l] = r; t |= (uint32_t)(r != 0) << l; }
    put_pred(w, &dst[1], mask, bool_op(i->f[1], t, q));
    return X_NEXT;
}

/* prmt: the selector holds 4 nibbles, byte of b:a in the low 3 bits, 8: the sign of that byte instead */
INLINE uint32_t prmt(uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t v = (uint64_t)b << 32 | a; uint32_t r = 0;
    for (int k = 0; k < 4; k++, c >>= 4) {
        uint32_t x = (uint32_t)(v >> (8 * (c & 7))) & 0xff;
        if (c & 8) x = x & 0x80 ? 0xff : 0;
        r |= x << (8 * k);
    }
    return r;
}
OP3(COLD, prmt, u32, u32, u32, u32, prmt(a, b, c))
/* Constant selector without signs; f[k]: shift of byte k */
HOT static int x_prmt_imm(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]);
    const uint32_t s0 = i->f[0], s1 = i->f[1], s2 = i->f[2], s3 = i->f[3];
    LANES({ uint64_t v = (uint64_t)b[l] << 32 | a[l];
        d[l] = (uint32_t)(v >> s0 & 0xff) | (uint32_t)(v >> s1 & 0xff) << 8 | (uint32_t)(v >> s2 & 0xff) << 16
            | (uint32_t)(v >> s3 & 0xff) << 24;
        })
    return X_NEXT;
}
/* The modes of prmt as selectors, by the low two bits of c */
static const struct { const char *word; uint16_t sel[4]; } prmt_mode[] = {
    { "f4e", { 0x3210, 0x4321, 0x5432, 0x6543 } }, { "b4e", { 0x5670, 0x6701, 0x7012, 0x0123 } },
    { "rc8", { 0x0000, 0x1111, 0x2222, 0x3333 } }, { "ecl", { 0x3210, 0x3211, 0x3222, 0x3333 } },
    { "ecr", { 0x0000, 0x1110, 0x2210, 0x3210 } }, { "rc16", { 0x1010, 0x3232, 0x1010, 0x3232 } } };
COLD static int x_prmt_mode(ALU_ARGS)
{
    const uint16_t *sel = prmt_mode[i->f[0]].sel;
    u32 *d = R_u32(w, &i->op[0]);
    const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]), *c = R_u32(w, &i->op[3]);
    LANES({ d[l] = prmt(a[l], b[l], sel[c[l] & 3]); })
    return X_NEXT;
}

/* Predicates; f[0]: 1 and, 2 or, 3 xor */
COLD static int x_pred2(ALU_ARGS)
{
    put_pred(w, &i->op[0], mask, bool_op(i->f[0], emu_pred(w, &i->op[1]), emu_pred(w, &i->op[2])));
    return X_NEXT;
}
COLD static int x_pred_not(ALU_ARGS) { put_pred(w, &i->op[0], mask, ~emu_pred(w, &i->op[1])); return X_NEXT; }
COLD static int x_pred_mov(ALU_ARGS) { put_pred(w, &i->op[0], mask, emu_pred(w, &i->op[1])); return X_NEXT; }

/* ---- Carry ----
 * f[0]: C_* bits, f[5]: slot of the carry flag. A subtraction is a + ~b + 1, and the flag is the carry of that: set if
 * there was no borrow.
 * The ISA's text has it the other way round; the toolkit's own code (128-bit division) reads the flag of subc.cc by
 * addc and needs it so. */
enum { C_IN = 1, C_OUT = 2, C_SUB = 4, C_MAD = 8, C_HI = 16, C_SIGNED = 32 };
#define CARRY(bits, T, ST, W, SW) COLD static int x_carry##bits(ALU_ARGS) { \
    T *d = (T *)R_u##bits(w, &i->op[0]); const T *a = (T *)R_u##bits(w, &i->op[1]), *b = (T *)R_u##bits(w, &i->op[2]); \
    const uint32_t f = i->f[0]; const T *c = f & C_MAD ? (T *)R_u##bits(w, &i->op[3]) : NULL; \
    uint32_t *flag = w->pred + w->pbase + i->f[5], in = f & C_IN ? *flag : f & C_SUB ? EMU_FULL : 0, out = 0; \
    EMU_EACH(l, mask) { \
        uint32_t ci = in >> l & 1; W r; T x = a[l], y = f & C_SUB ? ~b[l] : b[l]; \
        if (f & C_MAD) { \
            T p = f & C_HI ? (f & C_SIGNED ? (T)(((SW)(ST)x * (ST)y) >> bits) : (T)((W)x * y >> bits)) : x * y; \
            r = (W)p + c[l] + ci; \
        } else r = (W)x + y + ci; \
        d[l] = (T)r; out |= (uint32_t)(r >> bits & 1) << l; \
    } \
    if (f & C_OUT) *flag = (*flag & ~mask) | out; \
    return X_NEXT; }
CARRY(32, u32, s32, uint64_t, int64_t)
CARRY(64, u64, s64, u128, s128)

/* ---- Compares ----
 * A compare gives the lanes where the relation holds. Relations are sets of less 1, equal 2, greater 4, unordered 8. */
typedef uint32_t (*alu_cmp)(warp *, const ptx_instr *);
#define CMP(name, A, expr) HOT static uint32_t c_##name(warp *w, const ptx_instr *i) { \
    const A *a_ = R_##A(w, &i->op[1]), *b_ = R_##A(w, &i->op[2]); uint32_t r = 0; \
    for (uint32_t l = 0; l < 32; l++) { const A a = a_[l], b = b_[l]; r |= (uint32_t)(expr) << l; } \
    return r; }
#define CMP6(t, A, V) CMP(t##1, A, V(a) < V(b)) CMP(t##2, A, V(a) == V(b)) CMP(t##3, A, V(a) <= V(b)) \
    CMP(t##4, A, V(a) > V(b)) CMP(t##5, A, V(a) != V(b)) CMP(t##6, A, V(a) >= V(b))
#define CMPF(t, A, V)                                                                                                 \
    CMP(t##1, A, V(a) < V(b)) CMP(t##2, A, V(a) == V(b)) CMP(t##3, A, V(a) <= V(b)) CMP(t##4, A, V(a) > V(b))         \
    CMP(t##5, A, (V(a) < V(b)) | (V(a) > V(b))) CMP(t##6, A, V(a) >= V(b))                                            \
        CMP(t##7, A, (V(a) == V(a)) & (V(b) == V(b)))                                                                 \
    CMP(t##8, A, (V(a) != V(a)) | (V(b) != V(b))) CMP(t##9, A, !(V(a) >= V(b)))                                       \
        CMP(t##10, A, !((V(a) < V(b)) | (V(a) > V(b))))                                                               \
    CMP(t##11, A, !(V(a) > V(b))) CMP(t##12, A, !(V(a) <= V(b))) CMP(t##13, A, V(a) != V(b))                          \
        CMP(t##14, A, !(V(a) < V(b)))
#define AS_IS(v) (v)
#define FTZ32(v) num_ftz(v)
CMP6(u32_, u32, AS_IS) CMP6(s32_, s32, AS_IS) CMP6(u64_, u64, AS_IS) CMP6(s64_, s64, AS_IS) CMP6(s16_, u32, S16)
CMPF(f32_, f32, AS_IS) CMPF(ftz_, f32, FTZ32) CMPF(f64_, f64, AS_IS)
#define ROW6(t) { NULL, c_##t##1, c_##t##2, c_##t##3, c_##t##4, c_##t##5, c_##t##6 }
#define ROWF(t)                                                                                                       \
    { NULL, c_##t##1, c_##t##2, c_##t##3, c_##t##4, c_##t##5, c_##t##6, c_##t##7, c_##t##8, c_##t##9, c_##t##10,      \
    c_##t##11, c_##t##12, c_##t##13, c_##t##14 }
static const alu_cmp cmp_u32[15] = ROW6(u32_), cmp_s32[15] = ROW6(s32_), cmp_u64[15] = ROW6(u64_),
                     cmp_s64[15] = ROW6(s64_),
    cmp_s16[15] = ROW6(s16_), cmp_f32[15] = ROWF(f32_), cmp_ftz[15] = ROWF(ftz_), cmp_f64[15] = ROWF(f64_);

static const struct { const char *word; uint8_t set; } relations[] = {
    { "eq", 2 }, { "ne", 5 }, { "lt", 1 }, { "le", 3 }, { "gt", 4 }, { "ge", 6 }, { "lo", 1 }, { "ls", 3 }, { "hi", 4 },
    { "hs", 6 },
    { "equ", 10 }, { "neu", 13 }, { "ltu", 9 }, { "leu", 11 }, { "gtu", 12 }, { "geu", 14 }, { "num", 7 },
    { "nan", 8 } };

/* f16, bf16: f[1]: relation, f[2]: CH_* */
enum { CH_BF16 = 1, CH_X2 = 2, CH_FTZ = 4 };
HOT static uint32_t c_half(const u32 *a, const u32 *b, uint32_t rel, uint32_t how, uint32_t shift)
{
    uint32_t lt = 0, eq = 0, gt = 0;
    uint32_t keep = how & CH_FTZ ? 0x8000 : 0xffff, bf = how & CH_BF16 ? 1 : 0;
    for (uint32_t l = 0; l < 32; l++) {
        uint32_t x = a[l] >> shift & 0xffff, y = b[l] >> shift & 0xffff;
        x = x & 0x7c00 ? x : x & keep; y = y & 0x7c00 ? y : y & keep;
        float xf = pickf(bf, alu_bf16(x), alu_f16(x)), yf = pickf(bf, alu_bf16(y), alu_f16(y));
        lt |= (uint32_t)(xf < yf) << l; eq |= (uint32_t)(xf == yf) << l; gt |= (uint32_t)(xf > yf) << l;
    }
    return (rel & 1 ? lt : 0) | (rel & 2 ? eq : 0) | (rel & 4 ? gt : 0) | (rel & 8 ? ~(lt | eq | gt) : 0);
}

/* What setp and set have in common: t, u: the relation and its complement, or the relation in the high halves; then the
 * third source. f[0]: BoolOp; aux: the compare, NULL for halves. */
static void compare(warp *w, const ptx_instr *i, uint32_t *t, uint32_t *u)
{
    if (i->aux) {
        *t = (*(const alu_cmp *)i->aux)(w, i); *u = ~*t;
    } else {
        const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]);
        *t = c_half(a, b, i->f[1], i->f[2], 0);
        *u = i->f[2] & CH_X2 ? c_half(a, b, i->f[1], i->f[2], 16) : ~*t;
    }
    if (i->f[0]) {
        uint32_t c = emu_pred(w, &i->op[3]);
        *t = bool_op(i->f[0], *t, c); *u = bool_op(i->f[0], *u, c);
    }
}
COLD static int x_setp(ALU_ARGS)
{
    uint32_t t, u;
    if (i->aux && !i->f[0] && i->op[0].kind == PO_REG) {        /* as nearly always */
        t = (*(const alu_cmp *)i->aux)(w, i);
        uint32_t *p = RP(w, &i->op[0]);
        *p = (*p & ~mask) | (t & mask);
        return X_NEXT;
    }
    compare(w, i, &t, &u);
    const ptx_opnd *o = &i->op[0];
    if (o->kind == PO_PAIR) {
        put_pred(w, &o->elem[0], mask, t);
        put_pred(w, &o->elem[1], mask, u);
    } else put_pred(w, o, mask, t);
    return X_NEXT;
}
/* f[3]: true; f[4]: true in the high half */
COLD static int x_set(ALU_ARGS)
{
    uint32_t t, u, yes = i->f[3], high = i->f[4];
    compare(w, i, &t, &u);
    u32 *d = R_u32(w, &i->op[0]);
    LANES({ d[l] = (t >> l & 1 ? yes : 0) | (u >> l & 1 ? high : 0); })
    return X_NEXT;
}

/* ---- Selection ---- */

HOT static int x_selp32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1]), *b = R_u32(w, &i->op[2]);
    const uint32_t p = emu_pred(w, &i->op[3]);
    LANES({ uint32_t x = a[l], y = b[l]; d[l] = p >> l & 1 ? x : y; })
    return X_NEXT;
}
HOT static int x_selp64(ALU_ARGS)
{
    u64 *d = R_u64(w, &i->op[0]); const u64 *a = R_u64(w, &i->op[1]), *b = R_u64(w, &i->op[2]);
    const uint32_t p = emu_pred(w, &i->op[3]);
    LANES({ uint64_t x = a[l], y = b[l]; d[l] = p >> l & 1 ? x : y; })
    return X_NEXT;
}
OP3(COLD, slct32_s32, u32, u32, u32, s32, c >= 0 ? a : b)
OP3(COLD, slct64_s32, u64, u64, u64, s32, c >= 0 ? a : b)
OP3(COLD, slct32_f32, u32, u32, u32, f32, c >= 0 ? a : b)
OP3(COLD, slct64_f32, u64, u64, u64, f32, c >= 0 ? a : b)
OP3(COLD, slct32_ftz, u32, u32, u32, f32, num_ftz(c) >= 0 ? a : b)
OP3(COLD, slct64_ftz, u64, u64, u64, f32, num_ftz(c) >= 0 ? a : b)

/* ---- mov ---- */

HOT static int x_mov32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1]);
    LANES({ d[l] = a[l]; })
    return X_NEXT;
}
HOT static int x_mov64(ALU_ARGS)
{
    u64 *d = R_u64(w, &i->op[0]); const u64 *a = R_u64(w, &i->op[1]);
    LANES({ d[l] = a[l]; })
    return X_NEXT;
}
COLD static int x_mov128(ALU_ARGS)
{
    u64 *d = R_u64(w, &i->op[0]); const u64 *a = R_u64(w, &i->op[1]);
    EMU_EACH(l, mask) { d[l] = a[l]; d[32 + l] = a[32 + l]; }
    return X_NEXT;
}
/* Vectors. The common shapes, then any: f[0]: bits of an element */
HOT static int x_pack_2x16(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1].elem[0]), *b = R_u32(w, &i->op[1].elem[1]);
    LANES({ d[l] = a[l] | b[l] << 16; })
    return X_NEXT;
}
HOT static int x_pack_2x32(ALU_ARGS)
{
    u64 *d = R_u64(w, &i->op[0]); const u32 *a = R_u32(w, &i->op[1].elem[0]), *b = R_u32(w, &i->op[1].elem[1]);
    LANES({ d[l] = a[l] | (uint64_t)b[l] << 32; })
    return X_NEXT;
}
HOT static int x_unpack_2x16(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0].elem[0]), *e = R_u32(w, &i->op[0].elem[1]); const u32 *a = R_u32(w, &i->op[1]);
    LANES({ uint32_t v = a[l]; d[l] = v & 0xffff; e[l] = v >> 16; })
    return X_NEXT;
}
HOT static int x_unpack_2x32(ALU_ARGS)
{
    u32 *d = R_u32(w, &i->op[0].elem[0]), *e = R_u32(w, &i->op[0].elem[1]); const u64 *a = R_u64(w, &i->op[1]);
    LANES({ uint64_t v = a[l]; d[l] = (uint32_t)v; e[l] = (uint32_t)(v >> 32); })
    return X_NEXT;
}
COLD static int x_pack(ALU_ARGS)
{
    const ptx_opnd *v = &i->op[1], *o = &i->op[0]; const uint32_t eb = i->f[0];
    const int total = ptx_type_bits(o->type);
    EMU_EACH(l, mask) {
        uint64_t r[2] = { 0, 0 };
        for (uint32_t k = 0; k < v->n; k++) {
            uint64_t x = eb == 64 ? R64(w, &v->elem[k])[l] : R32(w, &v->elem[k])[l];
            r[k * eb / 64] |= x << (k * eb % 64);
        }
        if (total <= 32) R32(w, o)[l] = (uint32_t)r[0]; else R64(w, o)[l] = r[0];
        if (total == 128) R64(w, o)[32 + l] = r[1];
    }
    return X_NEXT;
}
COLD static int x_unpack(ALU_ARGS)
{
    const ptx_opnd *v = &i->op[0], *o = &i->op[1]; const uint32_t eb = i->f[0]; const int total = (int)(eb * v->n);
    EMU_EACH(l, mask) {
        uint64_t r[2] = { total <= 32 ? R32(w, o)[l] : R64(w, o)[l], total == 128 ? R64(w, o)[32 + l] : 0 };
        for (uint32_t k = 0; k < v->n; k++) {
            if (v->elem[k].kind == PO_SINK) continue;
            uint64_t x = r[k * eb / 64] >> (k * eb % 64);
            if (eb == 64) R64(w, &v->elem[k])[l] = x;
            else R32(w, &v->elem[k])[l] = (uint32_t)(x & ((1ull << eb) - 1));
        }
    }
    return X_NEXT;
}

static ALU_DECODER(d_mov)
{
    ALU_BEGIN(x);
    if (x->nt != 1) return ALU_FAIL(x, "one type is needed");
    if (alu_words(x)) return -1;
    if (i->nop != 2) return ALU_FAIL(x, "%d operands where the instruction has 2", i->nop);
    ptx_type t = x->t[0]; int bits = ptx_type_bits(t);
    ptx_opnd *d = &i->op[0], *a = &i->op[1];
    if (d->kind == PO_VEC || a->kind == PO_VEC) {
        static const ptx_type by_bits[] = { [1] = PT_B8, [2] = PT_B16, [4] = PT_B32, [8] = PT_B64 };
        ptx_opnd *v = d->kind == PO_VEC ? d : a;
        if (d->kind == a->kind) return ALU_FAIL(x, "one vector is enough");
        if (t != PT_B16 && t != PT_B32 && t != PT_B64 && t != PT_B128)
            return ALU_FAIL(x, "a vector needs .b16, .b32, .b64 or .b128");
        if (v->n != 2 && v->n != 4) return ALU_FAIL(x, "a vector of %d elements", v->n);
        int eb = bits / v->n;
        if (eb < 8) return ALU_FAIL(x, "elements of %d bits", eb);
        int sinks = 0;
        for (int k = 0; k < v->n; k++) {
            if (v == d && v->elem[k].kind == PO_SINK) { sinks++; continue; }
            if (alu_operand(x, &v->elem[k], by_bits[eb / 8], v == d, "an element of the vector")) return -1;
        }
        if (v == d && a->kind != PO_REG && bits == 128) return ALU_FAIL(x, "the source must be a register");
        if (alu_operand(x, v == d ? a : d, t, v != d, v == d ? "the source" : "the destination")) return -1;
        i->f[0] = (uint32_t)eb;
        i->flags |= I_MOVE;
        if (v == d)
            i->exec = sinks || v->n != 2 ? x_unpack : eb == 16 ? x_unpack_2x16 : eb == 32 ? x_unpack_2x32 : x_unpack;
        else i->exec = v->n != 2 ? x_pack : eb == 16 ? x_pack_2x16 : eb == 32 ? x_pack_2x32 : x_pack;
        return 0;
    }
    if (t != PT_B128 && (!alu_letter(t) || t == PT_F16X2 || t == PT_BF16X2 || t == PT_F32X2 || t == PT_U16X2
                         || t == PT_S16X2 || t == PT_F16 || t == PT_BF16))
        return ALU_FAIL(x, "this type is not supported");
    if (t == PT_B128 && a->kind != PO_REG) return ALU_FAIL(x, "the source must be a register or a vector");
    if (alu_operand(x, d, t, 1, "the destination") || alu_operand(x, a, t, 0, "the source")) return -1;
    if (a->kind == PO_REG) i->flags |= I_MOVE;
    i->exec = t == PT_PRED ? x_pred_mov : bits <= 32 ? x_mov32 : bits == 64 ? x_mov64 : x_mov128;
    return 0;
}

/* ---- Tables ---- */

#define ALL3(key, n16, n32, n64)                                                                                      \
    { key ".u16", x_##n16, "hhh" }, { key ".s16", x_##n16, "HHH" }, { key ".u32", x_##n32, "www" },                   \
    { key ".s32", x_##n32, "WWW" }, { key ".u64", x_##n64, "ddd" }, { key ".s64", x_##n64, "DDD" }
#define ALL6(key, n)                                                                                                  \
    { key ".u16", x_##n##_u16, "hhh" }, { key ".s16", x_##n##_s16, "HHH" }, { key ".u32", x_##n##_u32, "www" },       \
    { key ".s32", x_##n##_s32, "WWW" }, { key ".u64", x_##n##_u64, "ddd" }, { key ".s64", x_##n##_s64, "DDD" }
static const alu_entry t_add[] = { ALL3("add", add16, add32, add64), ALL3("sub", sub16, sub32, sub64),
    { "add.u16x2", x_add16x2, "BBB" }, { "add.s16x2", x_add16x2, "BBB" },
    { "add.sat.s32", x_add_sat, "WWW" }, { "sub.sat.s32", x_sub_sat, "WWW" } };
static const alu_entry t_mul[] = { ALL3("mul.lo", mul_lo16, mul_lo32, mul_lo64), ALL6("mul.hi", mul_hi),
    { "mul.wide.u16", x_mul_wide_u16, "whh" }, { "mul.wide.s16", x_mul_wide_s16, "WHH" },
    { "mul.wide.u32", x_mul_wide_u32, "dww" }, { "mul.wide.s32", x_mul_wide_s32, "DWW" },
    { "mul24.lo.u32", x_mul24_lo_u32, "www" }, { "mul24.lo.s32", x_mul24_lo_s32, "WWW" },
    { "mul24.hi.u32", x_mul24_hi_u32, "www" }, { "mul24.hi.s32", x_mul24_hi_s32, "WWW" } };
static const alu_entry t_mad[] = {
    { "mad.lo.u16", x_mad_lo16, "hhhh" }, { "mad.lo.s16", x_mad_lo16, "HHHH" }, { "mad.lo.u32", x_mad_lo32, "wwww" },
    { "mad.lo.s32", x_mad_lo32, "WWWW" }, { "mad.lo.u64", x_mad_lo64, "dddd" }, { "mad.lo.s64", x_mad_lo64, "DDDD" },
    { "mad.hi.u16", x_mad_hi_u16, "hhhh" }, { "mad.hi.s16", x_mad_hi_s16, "HHHH" },
    { "mad.hi.u32", x_mad_hi_u32, "wwww" },
    { "mad.hi.s32", x_mad_hi_s32, "WWWW" }, { "mad.hi.u64", x_mad_hi_u64, "dddd" },
    { "mad.hi.s64", x_mad_hi_s64, "DDDD" },
    { "mad.hi.sat.s32", x_mad_hi_sat, "WWWW" },
    { "mad.wide.u16", x_mad_wide_u16, "whhw" }, { "mad.wide.s16", x_mad_wide_s16, "WHHW" },
    { "mad.wide.u32", x_mad_wide_u32, "dwwd" }, { "mad.wide.s32", x_mad_wide_s32, "DWWD" },
    { "mad24.lo.u32", x_mad24_lo_u32, "wwww" }, { "mad24.lo.s32", x_mad24_lo_s32, "WWWW" },
    { "mad24.hi.u32", x_mad24_hi_u32, "wwww" }, { "mad24.hi.s32", x_mad24_hi_s32, "WWWW" },
    { "mad24.hi.sat.s32", x_mad24_hi_sat, "WWWW" } };
static const alu_entry t_misc[] = {
    ALL6("div", div), ALL6("rem", rem), { "sad.u16", x_sad_u16, "hhhh" }, { "sad.s16", x_sad_s16, "HHHH" },
    { "sad.u32", x_sad_u32, "wwww" }, { "sad.s32", x_sad_s32, "WWWW" }, { "sad.u64", x_sad_u64, "dddd" },
    { "sad.s64", x_sad_s64, "DDDD" }, { "abs.s16", x_abs16, "HH" }, { "abs.s32", x_abs32, "WW" },
    { "abs.s64", x_abs64, "DD" }, { "neg.s16", x_neg16, "HH" }, { "neg.s32", x_neg32, "WW" },
    { "neg.s64", x_neg64, "DD" }, { "min.u16", x_min_u32, "hhh" }, { "min.s16", x_min_s16, "HHH" },
    { "min.u32", x_min_u32, "www" }, { "min.s32", x_min_s32, "WWW" }, { "min.u64", x_min_u64, "ddd" },
    { "min.s64", x_min_s64, "DDD" }, { "min.relu.s32", x_min_relu_s32, "WWW" }, { "min.u16x2", x_min_u16x2, "BBB" },
    { "min.s16x2", x_min_s16x2, "BBB" }, { "min.relu.s16x2", x_min_relu_s16x2, "BBB" }, { "max.u16", x_max_u32, "hhh" },
    { "max.s16", x_max_s16, "HHH" }, { "max.u32", x_max_u32, "www" }, { "max.s32", x_max_s32, "WWW" },
    { "max.u64", x_max_u64, "ddd" }, { "max.s64", x_max_s64, "DDD" }, { "max.relu.s32", x_max_relu_s32, "WWW" },
    { "max.u16x2", x_max_u16x2, "BBB" }, { "max.s16x2", x_max_s16x2, "BBB" },
    { "max.relu.s16x2", x_max_relu_s16x2, "BBB" } };
#define DP_KEYS(op, n) { op ".u32.u32", x_##n##_uu, "wwww" }, { op ".u32.s32", x_##n##_us, "WwWW" }, \
    { op ".s32.u32", x_##n##_su, "WWwW" }, { op ".s32.s32", x_##n##_ss, "WWWW" }
static const alu_entry t_bits[] = {
    { "popc.b32", x_popc32, "wB" }, { "popc.b64", x_popc64, "wQ" }, { "clz.b32", x_clz32, "wB" },
    { "clz.b64", x_clz64, "wQ" }, { "bfind.u32", x_bfind_u32, "ww" }, { "bfind.s32", x_bfind_s32, "wW" },
    { "bfind.u64", x_bfind_u64, "wd" }, { "bfind.s64", x_bfind_s64, "wD" },
    { "bfind.shiftamt.u32", x_bfind_shiftamt_u32, "ww" }, { "bfind.shiftamt.s32", x_bfind_shiftamt_s32, "wW" },
    { "bfind.shiftamt.u64", x_bfind_shiftamt_u64, "wd" }, { "bfind.shiftamt.s64", x_bfind_shiftamt_s64, "wD" },
    { "fns.b32", x_fns, "BBBW" }, { "brev.b32", x_brev32, "BB" }, { "brev.b64", x_brev64, "QQ" },
    { "bfe.u32", x_bfe_u32, "wwww" }, { "bfe.s32", x_bfe_s32, "WWww" }, { "bfe.u64", x_bfe_u64, "ddww" },
    { "bfe.s64", x_bfe_s64, "DDww" }, { "bfi.b32", x_bfi32, "BBBww" }, { "bfi.b64", x_bfi64, "QQQww" },
    { "bmsk.clamp.b32", x_bmsk_clamp, "Bww" }, { "bmsk.wrap.b32", x_bmsk_wrap, "Bww" },
    { "szext.clamp.u32", x_szext_clamp_u32, "www" }, { "szext.clamp.s32", x_szext_clamp_s32, "WWw" },
    { "szext.wrap.u32", x_szext_wrap_u32, "www" }, { "szext.wrap.s32", x_szext_wrap_s32, "WWw" },
    DP_KEYS("dp4a", dp4a), DP_KEYS("dp2a.lo", dp2a_lo), DP_KEYS("dp2a.hi", dp2a_hi) };
static const alu_entry t_logic[] = {
    { "and.b16", x_and32, "kkk" }, { "and.b32", x_and32, "BBB" }, { "and.b64", x_and64, "QQQ" },
    { "and.pred", x_pred2, "ppp" }, { "or.b16", x_or32, "kkk" }, { "or.b32", x_or32, "BBB" },
    { "or.b64", x_or64, "QQQ" }, { "or.pred", x_pred2, "ppp" }, { "xor.b16", x_xor32, "kkk" },
    { "xor.b32", x_xor32, "BBB" }, { "xor.b64", x_xor64, "QQQ" }, { "xor.pred", x_pred2, "ppp" },
    { "not.b16", x_not16, "kk" }, { "not.b32", x_not32, "BB" }, { "not.b64", x_not64, "QQ" },
    { "not.pred", x_pred_not, "pp" },
    { "cnot.b16", x_cnot32, "kk" }, { "cnot.b32", x_cnot32, "BB" }, { "cnot.b64", x_cnot64, "QQ" } };
static const alu_entry t_shift[] = {
    { "shl.b16", x_shl16, "kkw" }, { "shl.b32", x_shl32, "BBw" }, { "shl.b64", x_shl64, "QQw" },
    { "shr.b16", x_shr_u32, "kkw" }, { "shr.b32", x_shr_u32, "BBw" }, { "shr.b64", x_shr_u64, "QQw" },
    { "shr.u16", x_shr_u32, "hhw" }, { "shr.u32", x_shr_u32, "www" }, { "shr.u64", x_shr_u64, "ddw" },
    { "shr.s16", x_shr_s16, "HHw" }, { "shr.s32", x_shr_s32, "WWw" }, { "shr.s64", x_shr_s64, "DDw" },
    { "shf.l.clamp.b32", x_shf_l_clamp, "BBBw" }, { "shf.l.wrap.b32", x_shf_l_wrap, "BBBw" },
    { "shf.r.clamp.b32", x_shf_r_clamp, "BBBw" }, { "shf.r.wrap.b32", x_shf_r_wrap, "BBBw" } };
#define TABLE(x, t) alu_table(x, t, sizeof t / sizeof *t)

static int is_float(ptx_type t)
{
    return t == PT_F32 || t == PT_F64 || t == PT_F16 || t == PT_F16X2 || t == PT_BF16 || t == PT_BF16X2
        || t == PT_F32X2;
}

/* ---- Decoders ---- */

static int decode_carry(alu_dec *x)
{
    ptx_instr *i = x->i; const char *op = i->mod[0]; ptx_func *fn = x->fn;
    size_t len = strlen(op);
    uint32_t f = len == 4 ? C_IN : 0;        /* addc subc madc */
    if (!strncmp(op, "sub", 3)) f |= C_SUB;
    if (alu_opt(x, "cc")) f |= C_OUT;
    if (op[0] == 'm') {
        int lo = alu_opt(x, "lo"), hi = alu_opt(x, "hi");
        if (lo == hi) return ALU_FAIL(x, "needs .lo or .hi");
        f |= C_MAD | (hi ? C_HI : 0);
    }
    if (x->nt != 1 || (x->t[0] != PT_U32 && x->t[0] != PT_S32 && x->t[0] != PT_U64 && x->t[0] != PT_S64))
        return ALU_FAIL(x, "needs .u32, .s32, .u64 or .s64");
    if (alu_words(x)) return -1;
    char l = alu_letter(x->t[0]), sig[5] = { l, l, l, f & C_MAD ? l : 0, 0 };
    if (alu_operands(x, sig)) return -1;
    if (x->t[0] == PT_S32 || x->t[0] == PT_S64) f |= C_SIGNED;
    /* The flag's slot: that of an instruction decoded before, or a new one */
    ptx_module *ptx = x->m->ptx; uint32_t slot = fn->npred, k;
    for (k = (uint32_t)(i - ptx->code); k-- > fn->begin; )      /* instructions are decoded in order */
        if (ptx->code[k].exec == x_carry32 || ptx->code[k].exec == x_carry64) { slot = ptx->code[k].f[5]; break; }
    if (k + 1 == fn->begin) fn->npred++;
    i->f[0] = f; i->f[5] = slot;
    i->exec = ptx_type_bits(x->t[0]) == 64 ? x_carry64 : x_carry32;
    return 0;
}

static ALU_DECODER(d_carry) { ALU_BEGIN(x); return decode_carry(x); }
static ALU_DECODER(d_arith)      /* add sub mul mad: integer, carry, float */
{
    ALU_BEGIN(x);
    if (!x->nt) return ALU_FAIL(x, "a type is needed");
    if (is_float(x->t[0])) return alu_float_arith(m, fn, i, err, err_size);
    if (emu_has(i, "cc")) return decode_carry(x);
    return i->mod[0][1] == 'u' && i->mod[0][0] == 'm' ? TABLE(x, t_mul)
         : i->mod[0][0] == 'm' ? TABLE(x, t_mad)
         : TABLE(x, t_add);
}
static ALU_DECODER(d_mul24) { ALU_BEGIN(x); return i->mod[0][1] == 'u' ? TABLE(x, t_mul) : TABLE(x, t_mad); }
static ALU_DECODER(d_misc)       /* div rem sad abs neg min max */
{
    ALU_BEGIN(x);
    if (!x->nt || !is_float(x->t[0])) return TABLE(x, t_misc);
    const char *op = i->mod[0];
    if (!strcmp(op, "div")) return alu_float_div(m, fn, i, err, err_size);
    if (!strcmp(op, "abs") || !strcmp(op, "neg")) return alu_float_sign(m, fn, i, err, err_size);
    if (!strcmp(op, "min") || !strcmp(op, "max")) return alu_float_minmax(m, fn, i, err, err_size);
    return TABLE(x, t_misc);
}
static ALU_DECODER(d_bits)
{
    ALU_BEGIN(x);
    if (TABLE(x, t_bits)) return -1;
    return 0;
}
static ALU_DECODER(d_video)
{
    static const char *const ops[] = { "add", "sub", "absdiff", "min", "max" };
    ALU_BEGIN(x);
    const char *op = i->mod[0] + 1;             /* behind the v */
    size_t len = strlen(op) - 1;
    uint32_t f = op[len] == '4' ? V_FOUR : 0;
    for (uint32_t k = 0; k < 5; k++) if (strlen(ops[k]) == len && !strncmp(op, ops[k], len)) i->f[0] = k;
    if (alu_opt(x, "sat")) f |= V_SAT;
    if (alu_opt(x, "add")) f |= V_SUM;
    for (int k = 0; k < x->nt; k++) if (x->t[k] != PT_U32 && x->t[k] != PT_S32) x->nt = 0;
    if (x->nt != 3) return ALU_FAIL(x, "three types are needed, of .u32 and .s32");
    for (int k = 0; k < 3; k++) f |= x->t[k] == PT_S32 ? (uint32_t)V_SIGNED_D << k : 0;
    if (f & V_SAT && f & V_SUM) return ALU_FAIL(x, ".sat and .add do not go together");
    i->f[1] = f;
    if (alu_words(x)) return -1;
    i->exec = x_video;
    return alu_operands(x, "BBBB");
}
static ALU_DECODER(d_logic)
{
    ALU_BEGIN(x);
    if (TABLE(x, t_logic)) return -1;
    i->f[0] = i->mod[0][0] == 'a' ? 1 : i->mod[0][0] == 'o' ? 2 : 3;
    return 0;
}
static ALU_DECODER(d_shift) { ALU_BEGIN(x); return TABLE(x, t_shift); }

static uint32_t decode_bool(alu_dec *x)
{
    uint32_t k = 0;
    if (alu_opt(x, "and")) k = 1;
    if (alu_opt(x, "or")) k = k ? 9 : 2;
    if (alu_opt(x, "xor")) k = k ? 9 : 3;
    return k;       /* 0: none; 9: more than one */
}

static ALU_DECODER(d_lop3)
{
    ALU_BEGIN(x);
    uint32_t k = decode_bool(x);
    if (k == 9 || x->nt != 1 || x->t[0] != PT_B32)
        return ALU_FAIL(x, "the forms are lop3.b32 and lop3.{and,or,xor}.b32");
    if (alu_words(x)) return -1;
    if (i->nop != (k ? 6 : 5)) return ALU_FAIL(x, "%d operands where the instruction has %d", i->nop, k ? 6 : 5);
    if (i->op[4].kind != PO_IMM || i->op[4].imm < 0 || i->op[4].imm > 255)
        return ALU_FAIL(x, "the table must be a constant from 0 to 255");
    for (int j = 1; j < 4; j++) if (alu_operand(x, &i->op[j], PT_B32, 0, "a source")) return -1;
    i->f[0] = (uint32_t)i->op[4].imm; i->f[1] = k;
    if (!k) {
        i->exec = x_lop3;
        return alu_operand(x, &i->op[0], PT_B32, 1, "the destination");
    }
    ptx_opnd *d = &i->op[0];
    if (d->kind != PO_PAIR) return ALU_FAIL(x, "the destination must be d|p");
    if (d->elem[0].kind != PO_SINK && alu_operand(x, &d->elem[0], PT_B32, 1, "the destination d")) return -1;
    if (alu_operand(x, &d->elem[1], PT_PRED, 1, "the destination p")) return -1;
    if (alu_operand(x, &i->op[5], PT_PRED, 0, "the predicate q")) return -1;
    i->exec = x_lop3_pred;
    return 0;
}

static ALU_DECODER(d_prmt)
{
    ALU_BEGIN(x);
    int mode = -1;
    for (int k = 0; k < (int)(sizeof prmt_mode / sizeof *prmt_mode); k++)
        if (alu_opt(x, prmt_mode[k].word)) mode = mode < 0 ? k : 99;
    if (mode == 99 || x->nt != 1 || x->t[0] != PT_B32)
        return ALU_FAIL(x, "this combination of modifiers and types is not supported");
    if (alu_words(x) || alu_operands(x, "BBBB")) return -1;
    const ptx_opnd *c = &i->op[3];
    i->exec = x_prmt;
    if (mode >= 0) {
        i->f[0] = (uint32_t)mode;
        i->exec = x_prmt_mode;
    } else if (c->kind == PO_IMM && !(c->imm & 0x8888)) {
        for (int k = 0; k < 4; k++) i->f[k] = (uint32_t)(c->imm >> (4 * k) & 7) * 8;
        i->exec = x_prmt_imm;
    }
    return 0;
}

/* The compare of setp and set: relation, BoolOp, .ftz, source type */
static int decode_compare(alu_dec *x, ptx_type t)
{
    ptx_instr *i = x->i; const char *word = NULL; uint32_t rel = 0;
    for (int k = 0; k < (int)(sizeof relations / sizeof *relations); k++)
        if (alu_opt(x, relations[k].word)) {
            if (word) return ALU_FAIL(x, "two relations");
            word = relations[k].word; rel = relations[k].set;
        }
    if (!word) return ALU_FAIL(x, "a relation is needed");
    i->f[0] = decode_bool(x);
    if (i->f[0] == 9) return ALU_FAIL(x, "two Boolean operations");
    int ftz = (t == PT_F32 || t == PT_F16 || t == PT_F16X2) && alu_opt(x, "ftz");
    int is_unsigned_word = word[0] == 'h' || (word[0] == 'l' && (word[1] == 'o' || word[1] == 's'));
    const alu_cmp *row = NULL; int max = 6, half = 0;
    switch (t) {
    case PT_B16: case PT_B32: if (rel == 2 || rel == 5) row = cmp_u32; break;
    case PT_B64: if (rel == 2 || rel == 5) row = cmp_u64; break;
    case PT_U16: case PT_U32: row = cmp_u32; break;
    case PT_U64: row = cmp_u64; break;
    case PT_S16: row = cmp_s16; break;
    case PT_S32: row = cmp_s32; break;
    case PT_S64: row = cmp_s64; break;
    case PT_F32: row = ftz ? cmp_ftz : cmp_f32; max = 14; break;
    case PT_F64: row = cmp_f64; max = 14; break;
    case PT_F16: case PT_BF16: case PT_F16X2: case PT_BF16X2: half = 1; max = 14; break;
    default: return ALU_FAIL(x, "this source type is not supported");
    }
    if ((!row && !half) || rel > (uint32_t)max || (is_unsigned_word && t != PT_U16 && t != PT_U32 && t != PT_U64))
        return ALU_FAIL(x, ".%s does not go with the type", word);
    i->aux = row ? row + rel : NULL;
    i->f[1] = rel;
    i->f[2] = (t == PT_BF16 || t == PT_BF16X2 ? CH_BF16 : 0) | (t == PT_F16X2 || t == PT_BF16X2 ? CH_X2 : 0)
        | (ftz ? CH_FTZ : 0);
    if (alu_words(x)) return -1;
    int n = i->f[0] ? 4 : 3;
    if (i->nop != n) return ALU_FAIL(x, "%d operands where the instruction has %d", i->nop, n);
    if (alu_operand(x, &i->op[1], t, 0, "the first source") || alu_operand(x, &i->op[2], t, 0, "the second source"))
        return -1;
    return n == 4 ? alu_operand(x, &i->op[3], PT_PRED, 0, "the third source") : 0;
}

static ALU_DECODER(d_setp)
{
    ALU_BEGIN(x);
    if (x->nt != 1) return ALU_FAIL(x, "one type is needed");
    if (decode_compare(x, x->t[0])) return -1;
    ptx_opnd *d = &i->op[0];
    i->exec = x_setp;
    if (d->kind != PO_PAIR) return alu_operand(x, d, PT_PRED, 1, "the destination");
    for (int k = 0; k < 2; k++)
        if (d->elem[k].kind != PO_SINK && alu_operand(x, &d->elem[k], PT_PRED, 1, "the destination")) return -1;
    return 0;
}

static ALU_DECODER(d_set)
{
    ALU_BEGIN(x);
    if (x->nt != 2) return ALU_FAIL(x, "two types are needed");
    ptx_type dt = x->t[0], st = x->t[1];
    if (decode_compare(x, st)) return -1;
    int half = st == PT_F16 || st == PT_BF16, x2 = st == PT_F16X2 || st == PT_BF16X2;
    uint32_t yes;
    switch (dt) {
    case PT_U32: case PT_S32: yes = x2 ? 0xffff : ~0u; break;
    case PT_F32: if (half || x2) goto bad; yes = 0x3f800000; break;
    case PT_U16: case PT_S16: if (!half) goto bad; yes = 0xffff; break;
    case PT_F16: if (x2) goto bad; yes = 0x3c00; break;
    case PT_BF16: if (x2) goto bad; yes = 0x3f80; break;
    case PT_F16X2: if (st != PT_F16X2) goto bad; yes = 0x3c00; break;
    case PT_BF16X2: if (st != PT_BF16X2) goto bad; yes = 0x3f80; break;
    default: goto bad;
    }
    i->f[3] = yes; i->f[4] = x2 ? yes << 16 : 0;
    i->exec = x_set;
    return alu_operand(x, &i->op[0], dt, 1, "the destination");
bad:
    return ALU_FAIL(x, "these types do not go together");
}

static ALU_DECODER(d_selp)
{
    ALU_BEGIN(x);
    char l = x->nt == 1 ? alu_letter(x->t[0]) : 0, sig[5] = { l, l, l, 'p', 0 };
    if (!l || !strchr("kBQhwdHWDfF", l)) return ALU_FAIL(x, "this type is not supported");
    if (alu_words(x)) return -1;
    i->exec = ptx_type_bits(x->t[0]) == 64 ? x_selp64 : x_selp32;
    return alu_operands(x, sig);
}

static ALU_DECODER(d_slct)
{
    ALU_BEGIN(x);
    char l = x->nt == 2 ? alu_letter(x->t[0]) : 0, sig[5] = { l, l, l, 0, 0 };
    if (!l || !strchr("kBQhwdHWDfF", l) || (x->t[1] != PT_S32 && x->t[1] != PT_F32))
        return ALU_FAIL(x, "these types are not supported");
    int is_f = x->t[1] == PT_F32, ftz = is_f && alu_opt(x, "ftz"), wide = ptx_type_bits(x->t[0]) == 64;
    sig[3] = is_f ? 'f' : 'W';
    if (alu_words(x)) return -1;
    i->exec = !is_f ? (wide ? x_slct64_s32 : x_slct32_s32)
            : ftz ? (wide ? x_slct64_ftz : x_slct32_ftz)
            : wide ? x_slct64_f32
            : x_slct32_f32;
    return alu_operands(x, sig);
}

const emu_family emu_alu[] = {
    { "add", d_arith }, { "sub", d_arith }, { "mul", d_arith }, { "mad", d_arith }, { "fma", alu_float_arith },
    { "addc", d_carry }, { "subc", d_carry }, { "madc", d_carry }, { "mul24", d_mul24 }, { "mad24", d_mul24 },
    { "div", d_misc }, { "rem", d_misc }, { "sad", d_misc }, { "abs", d_misc }, { "neg", d_misc }, { "min", d_misc },
    { "max", d_misc }, { "popc", d_bits }, { "clz", d_bits }, { "bfind", d_bits }, { "fns", d_bits },
    { "brev", d_bits }, { "bfe", d_bits }, { "bfi", d_bits }, { "bmsk", d_bits }, { "szext", d_bits },
    { "dp4a", d_bits }, { "dp2a", d_bits }, { "vadd2", d_video }, { "vsub2", d_video }, { "vabsdiff2", d_video },
    { "vmin2", d_video }, { "vmax2", d_video }, { "vadd4", d_video }, { "vsub4", d_video }, { "vabsdiff4", d_video },
    { "vmin4", d_video }, { "vmax4", d_video }, { "and", d_logic }, { "or", d_logic }, { "xor", d_logic },
    { "not", d_logic }, { "cnot", d_logic }, { "lop3", d_lop3 }, { "shl", d_shift }, { "shr", d_shift },
    { "shf", d_shift }, { "prmt", d_prmt }, { "set", d_set }, { "setp", d_setp }, { "selp", d_selp },
    { "slct", d_slct }, { "rcp", alu_float_unary }, { "sqrt", alu_float_unary }, { "rsqrt", alu_float_unary },
    { "sin", alu_float_unary }, { "cos", alu_float_unary }, { "lg2", alu_float_unary }, { "ex2", alu_float_unary },
    { "tanh", alu_float_unary },
    { "copysign", alu_copysign }, { "testp", alu_testp }, { "mov", d_mov }, { NULL, NULL } };
