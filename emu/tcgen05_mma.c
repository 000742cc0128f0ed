/* tcgen05_mma.c - tcgen05.mma: dense, .sp, .ws, block-scaled; from the instruction descriptor to the result.
 *
 * Where the row m of a CTA's part of D lies in its 128 lanes (the ISA's layouts A..G):
 *
 *   M 256, cta_group 2; M 128, cta_group 1     rows 128, 1 bank    lane m                            A, D
 *   M 128, cta_group 2, dense                  rows 64, 2 banks    lane m + 64 bank                  B
 *   M 64, .ws                                  rows 64, 2 banks    lane m + 64 bank                  E
 *   M 32, .ws                                  rows 32, 4 banks    lane m + 32 bank                  G
 *   M 64; M 128, cta_group 2, sparse           rows 64, 1 bank     lane m / 16 * 32 + m % 16 (+ 16)  F, C
 *
 * and its column n: bank n / (N / banks), column n % (N / banks). A in tensor memory, 32 bytes of a row in 8 columns,
 * lies in the lanes of D, in each bank anew; so does the sparsity metadata. Scale factors lie in each quarter of the
 * lanes anew. B's columns come from the CTAs of a pair by halves.
 *
 * sm_107: K of 64 bytes of a row (96 and 128 elements of 4 bits; sparse 6 and 8 bits), integers of 12 bits (ti16), B as
 * indices into a table in tensor memory, and a collector that keeps B: what it keeps is B as the filling mma read it,
 * and an mma that uses it must bring the same. What no document settles about these is in docs/tcemu.md.
 *
 * Numbers: products are exact, sums are f32, in the order of k, beginning with D. With scale factors the sum of a block
 * is multiplied by the scales and added to D with one rounding. D of f16 is rounded once per instruction. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tcgen05.h"
#include "model.h"
#include "num.h"

enum { KIND_F16, KIND_TF32, KIND_F8, KIND_I8, KIND_TI16, KIND_MXF8, KIND_MXF4, KIND_NVF4, KINDS };
static const char *const kind_name[] = {"f16", "tf32", "f8f6f4", "i8", "ti16", "mxf8f6f4", "mxf4", "mxf4nvf4"};
/* Elements of 16 and 32 bits: their metadata has a layout of its own */
static int broad(int kind) { return kind <= KIND_TF32 || kind == KIND_TI16; }
enum { PT_TI16 = PT_S16 };              /* sign and magnitude of 11 bits in 16 */
enum { COLL_NONE, COLL_FILL, COLL_USE, COLL_LASTUSE, COLL_DISCARD };
enum { NOT = 255 };
typedef struct form {                   /* i->aux: what the mnemonic says, and where the operands are */
    uint8_t kind, group, sp, ws, ts, ashift, vec;        /* vec: 0 not said, 1, 2, 4: scale_vec::NX; 16, 32: block */
    uint8_t meta, lut, idesc, sfa, sfb, mask, enable, zero;      /* operand numbers, NOT: none */
    uint8_t coll_a, coll_b;             /* COLL_: what becomes of the collectors for A and B */
    uint8_t scale_d;                    /* exponent of scale-input-d */
} form;

enum { MAX_K = 192, MAX_N = 256, MAX_UNITS = 128 * 19 };

/* A as it was read, where its reading is an operation of its own: two hold it, the reading and the mma */
typedef struct a_copy { int holders, there; uint8_t raw[]; } a_copy;

/* An issued mma */
typedef struct mma_op {
    const form *f; cta *c[2];
    int M, N, K, ks;                    /* ks: elements of a row of A that are stored */
    ptx_type ta, tb; int f16_d, neg, trans_a, trans_b, sat, sel;
    int rows, banks, half;              /* per CTA */
    int a_bytes, b_bytes;               /* of a row: K-major units * 16 */
    int enable;
    int tight;                          /* elements of 4 and 6 bits lie without gaps */
    int single;                         /* sparse 4 bits: two of four elements, not of four pairs */
    uint32_t d, a, meta, lut, sfa, sfb; /* tensor memory addresses */
    int sfa_id, sfb_id, nsf, sfa_wide, ue5m3; ptx_type tsf;
    a_copy *read_a;
    uint64_t zero;                      /* zero-column mask descriptor */
    uint32_t disable[8];
    smem_desc da, db; int abs_a, abs_b; /* abs: the leading offset is an absolute address */
    uint64_t raw_a, raw_b;
    int ok_a, ok_b;
} mma_op;

/* ---- The instruction descriptor ---- */

static uint32_t field(uint32_t x, int lo, int bits) { return x >> lo & ((1u << bits) - 1); }
/* place in memory of the non-mxf4 kinds */
static int bits_of(ptx_type t)
{
    return t == PT_TF32 ? 32 : t == PT_F16 || t == PT_BF16 || t == (ptx_type)PT_TI16 ? 16 : 8;
}

#define IDESC(...)                                                                                                    \
    do {                                                                                                              \
        int n_ = snprintf(why, size, "the instruction descriptor 0x%08x: ", x);                                       \
        snprintf(why + n_, size - (size_t)n_, __VA_ARGS__);                                                           \
        return -1;                                                                                                    \
    } while (0)

/* Takes the instruction descriptor apart; -1: wrong, why says what */
static int parse_idesc(mma_op *o, const form *f, uint32_t x, const emu_device *dev, char *why, size_t size)
{
    static const ptx_type narrow[8] = {PT_E4M3, PT_E5M2, PT_NONE, PT_E2M3, PT_E3M2, PT_E2M1, PT_NONE, PT_NONE};
    int kind = f->kind, block = kind >= KIND_MXF8, mx4 = kind >= KIND_MXF4, group = f->group, rubin = dev->sm == 107;
    int longer = 0;                     /* K: 0 the first one, 1, 2 */
    uint32_t fa = field(x, 7, 3), fb = field(x, 10, 3);
    const char *k = kind_name[kind];
    o->M = block ? (int)field(x, 27, 2) << 7 : (int)field(x, 24, 5) << 4;
    o->N = (int)field(x, 17, 6) << 3;
    o->neg = (int)(field(x, 13, 1) ^ field(x, 14, 1));
    o->trans_a = (int)field(x, 15, 1);
    o->trans_b = (int)field(x, 16, 1);
    o->sel = (int)field(x, 0, 2);
    if (field(x, 2, 1) != f->sp)
        IDESC("bit 2 (sparsity) is %u, but the instruction %s .sp", field(x, 2, 1), f->sp ? "has" : "has no");
    if (!f->sp && o->sel) IDESC("bits 0-1 (sparsity selector) are %d without .sp; they must be 0", o->sel);
    if (field(x, 6, 1)) IDESC("bit 6 is reserved and must be 0");
    if (!block) {
        uint32_t dt = field(x, 4, 2);
        if (field(x, 3, 1) && kind != KIND_I8) IDESC("bit 3 (saturate) is for kind::i8 only");
        o->sat = (int)field(x, 3, 1);
        longer = kind == KIND_F8 && (int)field(x, 29, 1);
        if (longer && !rubin) IDESC("bit 29 (K = 64) needs sm_107, this is %s", dev->option);
        if (field(x, 23, 1) || (!longer && field(x, 29, 1))) IDESC("bits 23 and 29 are reserved and must be 0");
        if (field(x, 30, 2) && !f->ws) IDESC("bits 30-31 (maximum shift) are for .ws only");
        switch (kind) {
        case KIND_F16:
            if (fa > 1 || fb > 1)
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::f16 has 0 (f16) and 1 (bf16)", fa, fb);
            if (fa != fb)
                IDESC("the types of A and B (bits 7-9: %u, bits 10-12: %u) must be the same with kind::f16", fa, fb);
            if (dt > 1) IDESC("type of D %u in bits 4-5; kind::f16 has 0 (f16) and 1 (f32)", dt);
            if (!dt && fa) IDESC("D of f16 (bits 4-5) needs A and B of f16, not bf16");
            o->ta = fa ? PT_BF16 : PT_F16;
            o->tb = fb ? PT_BF16 : PT_F16;
            break;
        case KIND_TF32:
            if (fa != 2 || fb != 2) IDESC("types %u and %u in bits 7-9 and 10-12; kind::tf32 has 2 (tf32)", fa, fb);
            if (dt != 1) IDESC("type of D %u in bits 4-5; kind::tf32 has 1 (f32)", dt);
            o->ta = o->tb = PT_TF32;
            break;
        case KIND_F8:
            if (narrow[fa] == PT_NONE || narrow[fb] == PT_NONE)
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::f8f6f4 has 0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2, 5 e2m1",
                      fa, fb);
            if (dt > 1) IDESC("type of D %u in bits 4-5; kind::f8f6f4 has 0 (f16) and 1 (f32)", dt);
            o->ta = narrow[fa];
            o->tb = narrow[fb];
            break;
        case KIND_TI16:
            if (fa != 3 || fb != 3) IDESC("types %u and %u in bits 7-9 and 10-12; kind::ti16 has 3 (ti16)", fa, fb);
            if (dt != 2) IDESC("type of D %u in bits 4-5; kind::ti16 has 2 (s32)", dt);
            if (o->trans_a || o->trans_b)
                IDESC("bits 15-16 (transpose) with kind::ti16: the PTX ISA's tables contradict each other about it");
            o->ta = o->tb = (ptx_type)PT_TI16;
            break;
        default:
            if (fa > 1 || fb > 1)
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::i8 has 0 (u8) and 1 (s8)", fa, fb);
            if (dt != 2) IDESC("type of D %u in bits 4-5; kind::i8 has 2 (s32)", dt);
            if (field(x, 13, 2)) IDESC("bits 13-14 (negate) must be 0 with kind::i8");
            o->ta = fa ? PT_S8 : PT_U8;
            o->tb = fb ? PT_S8 : PT_U8;
        }
        o->f16_d = !dt;
    } else {
        uint32_t st = field(x, 23, 2);
        if (field(x, 3, 1) && !(mx4 && rubin)) IDESC("bit 3 is reserved and must be 0");
        if (field(x, 25, 1)) IDESC("bit 25 is reserved and must be 0");
        if (field(x, 24, 1) && !(kind == KIND_NVF4 && rubin && st == 2))
            IDESC("bits 23-24 (scale type) are %u; kind::%s has %s on %s", st, k, kind != KIND_NVF4 ? "1 (ue8m0)"
                  : rubin
                  ? "0 (ue4m3), 1 (ue8m0), 2 (ue5m3)" : "0 (ue4m3), 1 (ue8m0)", dev->option);
        o->ue5m3 = st == 2;
        o->sfa_wide = (int)field(x, 26, 1);
        if (o->sfa_wide && !rubin) IDESC("bit 26 (scale factors of A in 128 lanes) needs sm_107, this is %s",
                                         dev->option);
        o->sfb_id = (int)field(x, 4, 2);
        o->sfa_id = (int)field(x, 29, 2);
        o->tsf = field(x, 23, 1) ? PT_UE8M0 : PT_UE4M3;
        if (o->sel) IDESC("bits 0-1 must be 0 with kind::%s", k);
        if (mx4) {
            if (fa != 1 || field(x, 10, 2) != 1 || (field(x, 12, 1) && !rubin))
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::%s has 1 (e2m1)", fa, fb, k);
            o->single = (int)field(x, 12, 1);
            if (o->single && !f->sp) IDESC("bit 12 (sparsity of single elements) without .sp; it must be 0");
            if (rubin && f->sp && !o->single)
                IDESC("bit 12 is 0: a sparse A of pairs; %s has two of four single elements (bit 12 set) alone, whose "
                      "metadata is another", dev->option);
            longer = (int)(field(x, 3, 1) << 1 | field(x, 31, 1));
            if (longer == 3) IDESC("bits 3 and 31 (K) are both set; 0 is K = 64, bit 31 96, bit 3 128");
            if (o->trans_a || o->trans_b) IDESC("bits 15-16 (transpose) must be 0 with kind::%s", k);
            o->ta = o->tb = PT_E2M1;
        } else {
            if (narrow[fa] == PT_NONE || narrow[fb] == PT_NONE)
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::mxf8f6f4 has 0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2, "
                      "5 e2m1", fa, fb);
            longer = (int)field(x, 31, 1);
            if (longer && !rubin) IDESC("bit 31 (K = 64) needs sm_107, this is %s", dev->option);
            o->ta = narrow[fa];
            o->tb = narrow[fb];
        }
        if (kind != KIND_NVF4 && o->tsf != PT_UE8M0)
            IDESC("bit 23 (scale type) is 0 (ue4m3); kind::%s has 1 (ue8m0)", k);
    }
    /* K */
    int k96 = mx4 && longer == 1;
    o->ks = mx4 ? 64 + 32 * longer : longer ? 64 : 256 / bits_of(o->ta);
    o->K = f->sp ? 2 * o->ks : o->ks;
    if (k96 && f->sp && !rubin) IDESC("bit 31 (K = 96) is for dense matrices only");
    if (k96 && dev->sm != 103 && !rubin) IDESC("bit 31 (K = 96) needs sm_103a or sm_107a, this is %s", dev->option);
    if (k96 && f->ts && !rubin) IDESC("bit 31 (K = 96) with A in tensor memory is not supported by tcemu");
    if (mx4 && longer == 2 && f->sp) IDESC("bit 3 (K = 128) is for dense matrices only");
    if (kind == KIND_F8 && longer) {
        if (f->ws) IDESC("bit 29 (K = 64) does not go with .ws");
        if (f->sp) IDESC("bit 29 (K = 64) with .sp: the PTX ISA's tables contradict each other about it");
        if (num_bits(o->ta) != 8 || num_bits(o->tb) != 8)
            IDESC("bit 29 (K = 64) goes with e4m3 and e5m2 only with kind::f8f6f4");
    }
    if (longer && (rubin || !k96) && o->M != 128 * group)
        IDESC("M = %d (bits %s) with K = %d; the longer K has M = %d with cta_group::%d", o->M, block ? "27-28"
              : "24-28",
              o->K, 128 * group, group);
    if (f->lut != NOT) {
        if (!longer) IDESC("bit %d (K = 64) is 0; .decompress::lut::b has K = 64", block ? 31 : 29);
        if (o->tb != PT_E4M3) IDESC("type of B %u in bits 10-12; the table of .decompress::lut::b has 0 (e4m3)", fb);
        if (o->trans_b) IDESC("bit 16 (transpose B) does not go with .decompress::lut::b");
    }
    /* of a row: without gaps only where the longer K is dense */
    o->tight = kind == KIND_MXF8 && longer && !f->sp;
    o->a_bytes = o->ks * (mx4 ? 4 : o->tight ? num_bits(o->ta) : bits_of(o->ta)) / 8;
    o->b_bytes = f->lut != NOT ? 48 : o->K * (mx4 ? 4 : o->tight ? num_bits(o->tb) : bits_of(o->tb)) / 8;
    /* shapes */
    int m_ok = f->ws ? o->M == 32 || o->M == 64 || o->M == 128
             : group == 1 ? o->M == 128 || (o->M == 64 && !block)
             : o->M == 256 || (o->M == 128 && !(block && f->sp));
    if (!m_ok)
        IDESC("M = %d (bits 24-28); %s has M = %s", o->M, f->ws ? ".ws" : group == 1 ? "cta_group::1" : "cta_group::2",
              f->ws ? "32, 64, 128" : group == 1 ? block ? "128 with block scaling" : "64, 128" : block
              && f->sp ? "256 with block scaling and .sp" : "128, 256");
    int n = o->N, n_ok;
    const char *n_rule;
    if (f->ws)
        n_ok = n == 64 || n == 128 || (n == 256 && !f->sp), n_rule = f->sp ? "64, 128 with .ws.sp"
            : "64, 128, 256 with .ws";
    else if (kind == KIND_I8) {
        if (group == 1)
            n_ok = n >= 8 && n <= 256 && (n == 8 || n == 24 || n % 16 == 0), n_rule = "8, 16, 24, 32, 48, .. 256";
        else n_ok = n >= 32 && n <= 256 && n % 32 == 0, n_rule = "32, 64, .. 256 with cta_group::2";
    } else if (kind == KIND_TI16 && (group == 2 || o->M == 128)) {
        int step = group == 2 ? 32 : 16;
        n_ok = n >= step && n <= 256 && n % step == 0;
        n_rule = group == 2 ? "32, 64, .. 256 with cta_group::2" : "16, 32, .. 256 with M = 128";
    } else if (group == 1) n_ok = n >= 8 && n <= 256, n_rule = "8, 16, .. 256";
    else n_ok = n >= 16 && n <= 256 && n % 16 == 0, n_rule = "16, 32, .. 256 with cta_group::2";
    if (n_ok && o->trans_b && bits_of(o->tb) == 8)
        n_ok = n % (group == 1 ? 16 : 32) == 0, n_rule = group == 1 ? "a multiple of 16 with a transposed B of 8 bits"
            : "a multiple of 32 with a transposed B of 8 bits";
    if (!n_ok) IDESC("N = %d (bits 17-22); kind::%s has N = %s", n, k, n_rule);
    for (int b = 0; b < 2; b++) {
        ptx_type t = b ? o->tb : o->ta;
        if ((b ? o->trans_b : o->trans_a) && num_bits(t) < 8)
            IDESC("bit %d (transpose %c): only types of 8, 16 and 32 bits can be transposed", 15 + b, b ? 'B' : 'A');
    }
    if (f->ts && o->trans_a) IDESC("bit 15 (transpose A) with A in tensor memory");
    if (f->sp && broad(kind) && o->sel > 1) IDESC("sparsity selector %d (bits 0-1): tcemu knows 0 and 1", o->sel);
    if (f->sp && !broad(kind) && o->sel)
        IDESC("sparsity selector %d (bits 0-1) must be 0 with kind::%s", o->sel, k);
    if (f->ashift && o->M < 128) IDESC(".ashift needs M = 128 or 256, not %d", o->M);
    /* scale factors of a row */
    if (block) {
        int want = o->ks / (f->vec == 4 || f->vec == 16 ? 16 : 32);
        if (longer && mx4 && f->vec && f->vec < 16)
            IDESC("K = %d needs .block16 or .block32, not .scale_vec::%dX", o->K, f->vec);
        o->nsf = want;
        if (o->tsf == PT_UE4M3 && !rubin && f->vec != 4 && f->vec != 16)
            IDESC("scale type ue4m3 (bit 23) needs .scale_vec::4X or .block16");
        for (int b = 0; b < 2; b++) {
            int id = b ? o->sfb_id : o->sfa_id;
            int ok = want == 1 || want == 3 ? 1 : want % 4 == 0 ? id == 0 : id == 0 || id == 2;
            if (!ok)
                IDESC("scale factor id of %c is %d (bits %s); with %d scale factors per row it must be %s", b ? 'B'
                      : 'A', id, b ? "4-5" : "29-30", want, want % 4 == 0 ? "0" : "0 or 2");
        }
        if (o->sfa_wide && o->M != 128 * group)
            IDESC("bit 26 (scale factors of A in 128 lanes) with M = %d is not supported by tcemu, only with 128 "
                  "rows in a "
                  "CTA", o->M);
        if (k96 && group == 2 && o->M == 128) IDESC("K = 96 with M = 128 and cta_group::2 is not supported by tcemu");
    }
    /* place in the lanes */
    o->half = !f->ws && ((group == 1 && o->M == 64) || (group == 2 && o->M == 128 && f->sp));
    o->rows = o->M / group;
    o->banks = o->half ? 1 : 128 / o->rows;
    return 0;
}

/* Lane of row m of a bank, from D's first lane */
static inline int lane_of(const mma_op *o, int bank, int m)
{
    return o->half ? m / 16 * 32 + m % 16 : bank * o->rows + m;
}

/* ---- Shared memory ---- */

/* K-major units of a descriptor whose leading offset is an absolute address: where the 128 bytes of a swizzle line are
 * used up, k goes on in the matrix that begins there */
static void k_major_abs(const smem_desc *d, int r0, int rows, int units, uint32_t *offset)
{
    smem_desc a = *d, b = *d;
    uint32_t in_line = d->start & (uint32_t)(d->width - 1);
    a.lbo = b.lbo = 0;
    b.start = d->lbo;
    for (int r = r0; r < r0 + rows; r++)
        for (int u = 0; u < units; u++) {
            uint32_t at = in_line + (uint32_t)u * 16;
            if (at < d->width) {
                smem_desc x = a;
                x.start += (uint32_t)u * 16;
                smem_desc_k_major(&x, r, 1, 0, 1, offset++);
            } else {
                smem_desc x = b;
                x.start += at - d->width;
                smem_desc_k_major(&x, r, 1, 0, 1, offset++);
            }
        }
}

/* Units of a CTA's part of A. Returns how many. */
static int units_a(const mma_op *o, uint32_t *offset)
{
    int units = o->a_bytes / 16;
    if (o->trans_a) {
        int n = o->rows / (128 / bits_of(o->ta));
        smem_desc_mn_major(&o->da, 0, o->ks, 0, n, offset);
        return o->ks * n;
    }
    if (o->abs_a) k_major_abs(&o->da, 0, o->rows, units, offset);
    else smem_desc_k_major(&o->da, 0, o->rows, 0, units, offset);
    return o->rows * units;
}

/* Is column n of B taken as zeros? (zero-column mask; the mask begins anew in each bank) */
static int masked(const mma_op *o, int n)
{
    if (!(o->zero >> 39 & 1)) return 0;
    int nb = o->N / o->banks, bank = n / nb, start = (int)(o->zero >> 8 * bank & 255),
        zeros = (int)(o->zero >> 40 & 255) + 1, used = (int)(o->zero >> 48 & 255) + 1;
    int first_zero = (int)(o->zero >> (32 + bank) & 1);
    int first = first_zero ? zeros : used;
    if (start > first - 1) start = first - 1;
    int at = (n % nb + start) % (zeros + used);
    return first_zero ? at < zeros : at >= used;
}
static int shift_of(const mma_op *o) { return (int)(o->zero >> 56 & 63); }

/* Units of a CTA's part of B, n columns; K-major [n][units], N-major [K][first..last unit] */
static int units_b(const mma_op *o, uint32_t *offset, int *first)
{
    int n = o->N / o->f->group, units = o->b_bytes / 16, s = shift_of(o);
    *first = s;
    if (o->trans_b) {
        int t = 128 / bits_of(o->tb), last = (s + n - 1) / t;
        *first = s / t;
        smem_desc_mn_major(&o->db, 0, o->K, *first, last - *first + 1, offset);
        return o->K * (last - *first + 1);
    }
    if (o->abs_b) k_major_abs(&o->db, s, n, units, offset);
    else smem_desc_k_major(&o->db, s, n, 0, units, offset);
    return n * units;
}

static void gather(uint8_t *to, const uint8_t *smem, const uint32_t *offset, int n)
{
    for (int u = 0; u < n; u++) memcpy(to + u * 16, smem + offset[u], 16);
}

/* Bytes of a 16-byte unit that hold elements */
static int used_bytes(const mma_op *o, ptx_type t)
{
    return o->f->kind >= KIND_MXF4 || o->tight || num_bits(t) >= 8 ? 16 : num_bits(t) * 2;
}

/* n 16-byte units as numbers. 4- and 6-bit types of the f8f6f4 kinds: 16 elements in a unit, padded; tight: without
 * gaps. Returns elements per unit. */
static int decode_units(float *to, const uint8_t *raw, int n, ptx_type t, int tight)
{
    int bits = num_bits(t);
    if (t == (ptx_type)PT_TI16) {
        for (int e = 0; e < n * 8; e++) {
            uint32_t v = raw[2 * e] | (uint32_t)raw[2 * e + 1] << 8;
            to[e] = v >> 15 ? -(float)(v & 0x7ff) : (float)(v & 0x7ff);
        }
        return 8;
    }
    if (tight && bits == 6) {
        num_to_f32(to, raw, t, (size_t)n * 128 / 6);
        return 0;                       /* nobody asks: such matrices are not transposed */
    }
    if (tight || bits >= 8) {
        int per = 128 / (t == PT_TF32 ? 32 : bits);
        if (t == PT_S8 || t == PT_U8) {
            for (int e = 0; e < n * 16; e++) to[e] = t == PT_S8 ? (float)(int8_t)raw[e] : (float)raw[e];
        } else num_to_f32(to, raw, t, (size_t)n * (size_t)per);
        return per;
    }
    for (int u = 0; u < n; u++) num_to_f32(to + u * 16, raw + u * 16, t, 16);
    return 16;
}

/* ---- Arithmetic ---- */

typedef float v8 __attribute__((vector_size(32), aligned(4), may_alias));
/* v3: AVX2 and FMA. Contraction changes nothing but speed: the products are exact. */
#if defined(__x86_64__)
#define CLONES __attribute__((target_clones("arch=x86-64-v3", "default"), optimize("fp-contract=fast")))
#else
#define CLONES
#endif

/* d[rows][n] += a[rows][k] * b[k][n]; rows a multiple of 4 or less than that, n of 8 */
CLONES static void gemm(float *d, int ldd, const float *a, int lda, const float *b, int ldb, int rows, int n, int k)
{
    int r = 0;
    for (; r + 4 <= rows; r += 4, d += 4 * ldd, a += 4 * lda) {
        int c = 0;
        for (; c + 16 <= n; c += 16) {
            float *e = d + c;
            v8 s0 = *(v8 *)e, t0 = *(v8 *)(e + 8), s1 = *(v8 *)(e + ldd), t1 = *(v8 *)(e + ldd + 8);
            v8 s2 = *(v8 *)(e + 2 * ldd), t2 = *(v8 *)(e + 2 * ldd + 8), s3 = *(v8 *)(e + 3 * ldd),
               t3 = *(v8 *)(e + 3 * ldd + 8);
            const float *y = b + c;
            for (int j = 0; j < k; j++, y += ldb) {
                v8 p = *(const v8 *)y, q = *(const v8 *)(y + 8);
                float x0 = a[j], x1 = a[lda + j], x2 = a[2 * lda + j], x3 = a[3 * lda + j];
                s0 += x0 * p, t0 += x0 * q, s1 += x1 * p, t1 += x1 * q;
                s2 += x2 * p, t2 += x2 * q, s3 += x3 * p, t3 += x3 * q;
            }
            *(v8 *)e = s0, *(v8 *)(e + 8) = t0, *(v8 *)(e + ldd) = s1, *(v8 *)(e + ldd + 8) = t1;
            *(v8 *)(e + 2 * ldd) = s2, *(v8 *)(e + 2 * ldd + 8) = t2, *(v8 *)(e + 3 * ldd) = s3,
                *(v8 *)(e + 3 * ldd + 8) = t3;
        }
        for (; c < n; c += 8)
            for (int x = 0; x < 4; x++) {
                v8 s = *(v8 *)(d + x * ldd + c);
                for (int j = 0; j < k; j++) s += a[x * lda + j] * *(const v8 *)(b + j * ldb + c);
                *(v8 *)(d + x * ldd + c) = s;
            }
    }
}

/* d[rows][n] += a[rows][ks] * the rows of b that at[rows][ks] selects; the others are not touched: 0 * infinity must
 * not occur */
CLONES static void gemm_sparse(float *d, int ldd, const float *a, const uint8_t *at, int lda, const float *b, int ldb,
                               int rows, int n, int ks)
{
    for (int r = 0; r < rows; r++, d += ldd, a += lda, at += lda)
        for (int c = 0; c < n; c += 8) {
            v8 s = *(v8 *)(d + c);
            for (int j = 0; j < ks; j++) s += a[j] * *(const v8 *)(b + at[j] * ldb + c);
            *(v8 *)(d + c) = s;
        }
}

/* d += dot * (sa * sb[n]), rounded once */
CLONES static void add_scaled(float *d, const float *dot, double sa, const double *sb, int n)
{
    for (int c = 0; c < n; c++) d[c] = (float)((double)d[c] + (double)dot[c] * (sa * sb[c]));
}

CLONES static void canonical(uint32_t *to, const float *from, int n)
{
    for (int k = 0; k < n; k++) to[k] = from[k] == from[k] ? num_f32_bits(from[k]) : NUM_NAN32;
}

/* ---- Operands in tensor memory ---- */

static void uninit(async_op *op, int lane, int col, const char *what)
{
    emu_report(op->w, op->i, 1u << op->lane, E_UNINIT_TMEM,
               "%s: tensor memory at lane %d, column %d, was never written since it was allocated", what, lane, col);
}

static void tmem_a(async_op *op, const mma_op *o, tmem *t, int bank, float *a)
{
    int tight = o->f->kind >= KIND_MXF4 || o->tight, told = 0, col = (int)(o->a & 0xffff), first = (int)(o->a >> 16);
    for (int m = 0; m < o->rows; m++) {
        int from = m;
        /* rows move down by one, the last of each quarter stays */
        if (o->f->ashift && m % 32 != 31) from = m + 1;
        int lane = first + lane_of(o, bank, from), un = tm_uninit(t, lane, col, o->a_bytes / 4);
        if (un >= 0 && emu_opt.checks && !told) told = 1, uninit(op, lane, un, "matrix A");
        const void *raw = &t->cell[lane][col];
        if (!tight && num_bits(o->ta) < 8)
            num_bytes_to_f32(a + m * o->ks, raw, o->ta, o->ta == PT_E2M1 ? 2 : 0, (size_t)o->ks);
        else decode_units(a + m * o->ks, raw, o->a_bytes / 16, o->ta, tight);
    }
}

/* at[m][j]: which k the j-th stored element of row m has. Compressors leave 0 where the elements are zeros, so only
 * where they are not is metadata without meaning a fault. */
static void metadata(async_op *op, const mma_op *o, tmem *t, int bank, const float *a, uint8_t *at)
{
    int kind = o->f->kind, first = (int)(o->meta >> 16), col0 = (int)(o->meta & 0xffff), told = 0, bad = 0;
    int pairs = kind >= KIND_MXF4 && !o->single, chunks = broad(kind) ? 8 : o->K / (pairs ? 8 : 4);
    int per = o->ks / chunks;
    for (int m = 0; m < o->rows; m++, at += o->ks, a += o->ks)
        for (int c = 0; c < chunks; c++) {
            int lane, col, nib;
            /* 16 rows x K in 16 lanes: 8 rows x half of K, rows + 8 in the high half */
            if (broad(kind)) {
                lane = lane_of(o, bank, m & ~15) + m % 8 + c / 4 * 8;
                col = o->sel;
                nib = m / 8 % 2 * 4 + c % 4;
            } else {
                lane = lane_of(o, bank, m);
                col = c / 8;
                nib = c % 8;
            }
            lane += first;
            col += col0;
            if (emu_opt.checks && !told && tm_uninit(t, lane, col, 1) >= 0)
                told = 1, uninit(op, lane, col, "sparsity metadata");
            uint32_t v = t->cell[lane][col] >> nib * 4 & 15, i0 = v & 3, i1 = v >> 2;
            int ok = kind == KIND_TF32 ? v == 14 || v == 4 : i0 != i1;
            const float *e = a + c * per;
            if (!ok && !bad && (per == 4 ? (e[0] || e[1]) && (e[2] || e[3]) : per == 2 ? e[0] && e[1] : e[0])) {
                bad = 1;
                emu_report(op->w, op->i, 1u << op->lane, E_OPERAND,
                           "the sparsity metadata of row %d, group %d (lane %d, column %d), is 0x%x, which has no "
                           "meaning", m, c, lane, col, v);
            }
            if (kind == KIND_TF32) at[c] = (uint8_t)(2 * c + (v == 14));
            else if (pairs) {
                at[4 * c] = (uint8_t)(8 * c + 2 * (int)i0), at[4 * c + 1] = (uint8_t)(at[4 * c] + 1);
                at[4 * c + 2] = (uint8_t)(8 * c + 2 * (int)i1), at[4 * c + 3] = (uint8_t)(at[4 * c + 2] + 1);
            } else at[2 * c] = (uint8_t)(4 * c + (int)i0), at[2 * c + 1] = (uint8_t)(4 * c + (int)i1);
        }
}

/* Columns from one word of scale factors of a row to the next */
static int sf_stride(int rows) { return (rows + 127) / 128 * 4; }
static int sf_columns(const mma_op *o, int id, int count, int joint, int wide)
{
    if (wide) return (id + o->nsf - 1) / 4 + 1;
    return (count + 31) / 32 + ((id + o->nsf - 1) / 4 ? sf_stride(joint) : 0);
}

/* 5 bits of exponent, 3 of mantissa, no sign; 0xff is a NaN */
static double ue5m3(uint32_t code)
{
    uint32_t e = code >> 3, m = code & 7;
    if (code == 0xff) return num_bits_f32(NUM_NAN32);
    return e ? ldexp(8 + m, (int)e - 18) : ldexp(m, -17);
}

/* Scale factors s of rows [from, to) as the quarter of the lanes holds them */
static void scales(async_op *op, const mma_op *o, tmem *t, uint32_t taddr, int id, int s, int quarter, int from,
                   int end, int joint, int wide, double *to, const char *what)
{
    int byte = id + s, col0 = (int)(taddr & 0xffff) + byte / 4 * (wide ? 1 : sf_stride(joint)), told = 0;
    for (int r = from; r < end; r++) {
        int lane = quarter * 32 + r % 32, col = wide ? col0 : col0 + r / 32;
        if (emu_opt.checks && !told && tm_uninit(t, lane, col, 1) >= 0) told = 1, uninit(op, lane, col, what);
        uint32_t code = t->cell[lane][col] >> byte % 4 * 8 & 255;
        to[r] = o->ue5m3 ? ue5m3(code) : num_decode(o->tsf, code);
    }
}

/* ---- An mma ---- */

static uint64_t sum_of(uint64_t h, const uint8_t *p, size_t n)
{
    for (size_t k = 0; k < n; k++) h = (h ^ p[k]) * 1099511628211ull;
    return h;
}

/* The collector for B, of the CTA that issues. The hardware takes what it kept, or reads B again: only where both are
 * the same is the result known. */
static void collector_b(async_op *op, const mma_op *o, uint64_t sum)
{
    tmem *t = tc5_tmem(op->cta);
    int how = o->f->coll_b;
    if (how == COLL_USE || how == COLL_LASTUSE) {
        if (!t->filled)
            emu_report(op->w, op->i, 1u << op->lane, E_OPERAND,
                       "collector::b::%s, but the collector holds no B: an mma with collector::b::fill must come "
                       "before, "
                       "and none without collector::b::use in between", how == COLL_USE ? "use" : "lastuse");
        else if (t->filled_sum != sum) {
            emu_report(op->w, op->i, 1u << op->lane, E_OPERAND,
                       "collector::b::%s, but the B of this mma (descriptor 0x%016llx) is not the one that the "
                       "collector "
                       "was filled with (descriptor 0x%016llx)", how == COLL_USE ? "use" : "lastuse",
                       (unsigned long long)o->raw_b, (unsigned long long)t->filled_desc);
            emu_report_also(op->w, t->filled, "the mma that filled it");
        }
    }
    if (how == COLL_FILL) t->filled = op->i, t->filled_sum = sum, t->filled_desc = o->raw_b;
    else if (how != COLL_USE) t->filled = NULL;
}

/* B of a CTA from its indices, 3 bits each in 24 of the 48 bytes of a column: eight values of e4m3 in two columns of
 * tensor memory, a lane for eight columns of B */
static void look_up(async_op *op, const mma_op *o, int x, const uint8_t *raw, float *rows)
{
    tmem *t = tc5_tmem(o->c[x]);
    int n = o->N / o->f->group, col = (int)(o->lut & 0xffff), told = !emu_opt.checks;
    for (int c = 0; c < n; c++) {
        const uint8_t *from = raw + c * 48 + (o->raw_b >> 53 & 1) * 24;
        int lane = (int)(o->lut >> 16) + c / 8, un = told ? -1 : tm_uninit(t, lane, col, 2);
        if (un >= 0) told = 1, uninit(op, lane, un, "the lookup table of B");
        for (int k = 0; k < o->K; k++) {
            int bit = 3 * k;
            uint32_t v = from[bit / 8] | (bit / 8 < 23 ? (uint32_t)from[bit / 8 + 1] << 8 : 0), at = v >> bit % 8 & 7;
            rows[c * o->K + k] = (float)num_decode(PT_E4M3, t->cell[lane][col + (int)at / 4] >> at % 4 * 8 & 255);
        }
    }
}

/* The four bits of ti16 that must be zero: what hardware makes of others is not known */
static void zero_bits(async_op *op, const uint8_t *raw, int n, const char *name)
{
    for (int e = 0; e < n * 8; e++)
        if (raw[2 * e + 1] & 0x78) {
            emu_report(op->w, op->i, 1u << op->lane, E_OPERAND,
                       "%s has an element 0x%02x%02x of ti16, whose bits 11-14 must be 0: sign and magnitude, -2047 "
                       ".. 2047",
                       name, raw[2 * e + 1], raw[2 * e]);
            return;
        }
}

static float *matrix_b(async_op *op, const mma_op *o)
{
    static __thread float b[MAX_K * MAX_N], rows[MAX_K * (MAX_N + 64)];
    static __thread uint8_t raw[MAX_UNITS * 16];
    static __thread uint32_t offset[MAX_UNITS];
    int n = o->N / o->f->group, first, tight = o->f->kind >= KIND_MXF4 || o->tight;
    int units = units_b(o, offset, &first), sums = op->cl->L->dev->sm == 107 && emu_opt.checks;
    uint64_t shape[4] = {o->f->kind, (uint64_t)o->N << 32 | (uint32_t)o->K, o->tb, (uint64_t)o->trans_b};
    uint64_t sum = sum_of(14695981039346656037ull, (uint8_t *)shape, sizeof shape);
    for (int x = 0; x < o->f->group; x++) {
        float *to = b + x * n;
        gather(raw, o->c[x]->smem, offset, units);
        if (sums && o->f->coll_b) sum = sum_of(sum, raw, (size_t)units * 16);
        int per = 0;
        if (o->f->kind == KIND_TI16 && emu_opt.checks) zero_bits(op, raw, units, "B");
        if (o->f->lut != NOT) look_up(op, o, x, raw, rows);
        else per = decode_units(rows, raw, units, o->tb, tight);
        if (o->trans_b) {
            int line = units / o->K * per, skip = shift_of(o) - first * per;
            for (int k = 0; k < o->K; k++) memcpy(to + k * o->N, rows + k * line + skip, (size_t)n * 4);
        } else
            for (int c = 0; c < n; c += 8)
                for (int k = 0; k < o->K; k++)
                    for (int y = 0; y < 8; y++) to[k * o->N + c + y] = rows[(c + y) * o->K + k];
    }
    if (sums && !o->f->ws) collector_b(op, o, sum);
    if (o->zero >> 39 & 1)
        for (int c = 0; c < o->N; c++) if (masked(o, c)) for (int k = 0; k < o->K; k++) b[k * o->N + c] = 0;
    return b;
}

static void matrix_a(async_op *op, const mma_op *o, const cta *c, float *a)
{
    static __thread float rows[MAX_K * 128];
    static __thread uint8_t raw[MAX_UNITS * 16];
    static __thread uint32_t offset[MAX_UNITS];
    int units = units_a(o, offset), tight = o->f->kind >= KIND_MXF4 || o->tight;
    if (o->read_a) memcpy(raw, o->read_a->raw + (c == o->c[0] ? 0 : units * 16), (size_t)units * 16);
    else gather(raw, c->smem, offset, units);
    if (o->f->kind == KIND_TI16 && emu_opt.checks) zero_bits(op, raw, units, "A");
    if (!o->trans_a) { decode_units(a, raw, units, o->ta, tight); return; }
    decode_units(rows, raw, units, o->ta, tight);
    for (int m = 0; m < o->rows; m++) for (int k = 0; k < o->ks; k++) a[m * o->ks + k] = rows[k * o->rows + m];
}

/* The reading of A as an operation of its own, where a kernel waits for that alone */
static void take_a(const mma_op *o)
{
    static __thread uint32_t offset[MAX_UNITS];
    int units = units_a(o, offset);
    if (o->read_a->there) return;
    o->read_a->there = 1;
    for (int x = 0; x < o->f->group; x++) gather(o->read_a->raw + x * units * 16, o->c[x]->smem, offset, units);
}
static void drop_a(const mma_op *o) { if (!--o->read_a->holders) free(o->read_a); }
static void read_a_perform(async_op *op, int stage)
{
    const mma_op *o = op->payload;
    if (stage != AO_WRITE) return;
    take_a(o);
    drop_a(o);
}

static inline int32_t add_sat(int32_t a, int32_t b)
{
    int32_t r;
    return __builtin_add_overflow(a, b, &r) ? b < 0 ? INT32_MIN : INT32_MAX : r;
}

/* One bank of a CTA: its rows times its columns of B */
static void bank_product(async_op *op, const mma_op *o, int x, int bank, const float *a, const uint8_t *at,
                         const float *b)
{
    static __thread float acc[128 * MAX_N], dot[32 * MAX_N], low[128 * MAX_N], part[128 * MAX_K];
    static __thread double sa[8][128], sb[8][MAX_N];
    const form *f = o->f;
    tmem *t = tc5_tmem(o->c[x]);
    int nb = o->N / o->banks, col = (int)(o->d & 0xffff), first = (int)(o->d >> 16), ldb = o->N, told = 0;
    const float *bb = b + bank * nb;
    int integer = f->kind == KIND_I8 || f->kind == KIND_TI16;
    for (int m = 0; m < o->rows; m++) {                              /* the input */
        int lane = first + lane_of(o, bank, m);
        float *to = acc + m * nb;
        if (!o->enable || integer) memset(to, 0, (size_t)nb * 4);
        if (!o->enable) continue;
        if (emu_opt.checks && !told && !(o->disable[x * 4 + lane / 32] >> lane % 32 & 1)) {
            int un = tm_uninit(t, lane, col, nb);
            if (un >= 0) told = 1, uninit(op, lane, un, "the accumulator D (enable-input-d is true)");
        }
        if (integer) continue;
        const uint32_t *from = &t->cell[lane][col];
        if (o->f16_d) for (int n = 0; n < nb; n++) to[n] = num_f16_to_f32((uint16_t)from[n]);
        else memcpy(to, from, (size_t)nb * 4);
        if (f->scale_d) {
            float s = 1.0f / (float)(1 << f->scale_d);
            for (int n = 0; n < nb; n++) to[n] *= s;
        }
    }
    if (f->kind == KIND_TI16) {                                      /* A in two parts: then sums are exact in f32 */
        memset(low, 0, sizeof low);
        for (int h = 0; h < 2; h++) {
            for (int e = 0; e < o->rows * o->ks; e++) {
                float high = (float)((int)a[e] / 64);
                part[e] = h ? high : a[e] - 64 * high;
            }
            if (f->sp) gemm_sparse(h ? acc : low, nb, part, at, o->ks, bb, ldb, o->rows, nb, o->ks);
            else gemm(h ? acc : low, nb, part, o->ks, bb, ldb, o->rows, nb, o->K);
        }
    } else if (f->kind < KIND_MXF8) {
        if (f->sp) gemm_sparse(acc, nb, a, at, o->ks, bb, ldb, o->rows, nb, o->ks);
        else gemm(acc, nb, a, o->ks, bb, ldb, o->rows, nb, o->K);
    } else {
        int blk = o->K / o->nsf, sblk = o->ks / o->nsf;
        for (int m0 = 0; m0 < o->rows; m0 += 32) {                   /* 32 rows: the lanes of a quarter */
            int quarter = (first + lane_of(o, bank, m0)) / 32;
            for (int s = 0; s < o->nsf; s++) {
                scales(op, o, t, o->sfa, o->sfa_id, s, quarter, m0, m0 + 32, 128, o->sfa_wide, sa[s],
                       "scale factors of A");
                scales(op, o, t, o->sfb, o->sfb_id, s, quarter, 0, nb, o->N, 0, sb[s], "scale factors of B");
                memset(dot, 0, (size_t)nb * 32 * 4);
                if (f->sp)
                    gemm_sparse(dot, nb, a + m0 * o->ks + s * sblk, at + m0 * o->ks + s * sblk, o->ks, bb, ldb, 32, nb,
                                sblk);
                else gemm(dot, nb, a + m0 * o->ks + s * blk, o->ks, bb + s * blk * ldb, ldb, 32, nb, blk);
                for (int m = 0; m < 32; m++) add_scaled(acc + (m0 + m) * nb, dot + m * nb, sa[s][m0 + m], sb[s], nb);
            }
        }
    }
    for (int m = 0; m < o->rows; m++) {                              /* the output */
        int lane = first + lane_of(o, bank, m);
        if (o->disable[x * 4 + lane / 32] >> lane % 32 & 1) continue;
        uint32_t *to = &t->cell[lane][col];
        const float *from = acc + m * nb;
        if (f->kind == KIND_TI16)
            for (int n = 0; n < nb; n++)
                to[n] = (o->enable ? to[n] : 0) + 64u * (uint32_t)(int32_t)from[n] + (uint32_t)(int32_t)low[m * nb + n];
        else if (f->kind == KIND_I8) {
            for (int n = 0; n < nb; n++) {
                /* at most 64 * 255 * 255: exact */
                int32_t p = (int32_t)from[n], d = o->enable ? (int32_t)to[n] : 0;
                to[n] = o->sat ? (uint32_t)add_sat(d, p) : (uint32_t)d + (uint32_t)p;
            }
        } else if (o->f16_d) for (int n = 0; n < nb; n++) to[n] = num_f32_to_f16(from[n]);
        else canonical(to, from, nb);
        tm_set_init(t, lane, col, nb);
    }
}

static void mma_perform(async_op *op, int stage)
{
    static __thread float a[128 * MAX_K];
    static __thread uint8_t at[128 * MAX_K];
    if (stage != AO_WRITE) return;
    const mma_op *o = op->payload;
    const float *b = matrix_b(op, o);
    if (o->read_a) take_a(o);
    for (int x = 0; x < o->f->group; x++)
        for (int bank = 0; bank < o->banks; bank++) {
            if (o->f->ts || !bank) {
                if (o->f->ts) tmem_a(op, o, tc5_tmem(o->c[x]), bank, a);
                else matrix_a(op, o, o->c[x], a);
                if (o->neg) for (int e = 0; e < o->rows * o->ks; e++) a[e] = -a[e];
            }
            if (o->f->sp) metadata(op, o, tc5_tmem(o->c[x]), bank, a, at);
            bank_product(op, o, x, bank, a, at, b);
        }
    if (o->read_a) drop_a(o);
}

/* Descriptor of A or B. 1 if fine */
static int descriptor(warp *w, const ptx_instr *i, uint32_t bit, const mma_op *o, uint64_t raw, int is_b, smem_desc *d,
                      int *abs)
{
    char over[160];
    const char *name = is_b ? "B" : "A";
    int trans = is_b ? o->trans_b : o->trans_a, tf32 = o->ta == PT_TF32;
    *abs = (int)(raw >> 52 & 1);
    const uint64_t own = 1ull << 52 | (uint64_t)(is_b && o->f->lut != NOT) << 53;
    const char *why = smem_desc_tcgen05(raw & ~own, w->cta->cl->L->dev->sm == 107, d);
    int bytes = is_b ? o->b_bytes : o->a_bytes, in_line = d->width ? (int)(d->start & (d->width - 1u)) : 0;
    if (!why && *abs && (bytes % 48 || trans || d->width != 128 || d->atom != 16))
        why = "bit 52 (leading dimension as an absolute address) is supported for steps of 48 bytes (K = 96), K-major, "
              "128B swizzle only";
    if (!why && !trans && !*abs && in_line && in_line + bytes > d->width) {
        snprintf(over, sizeof over, "K-major, it begins at byte %d of a swizzle's %d, of which the %d bytes of this "
                 "mma's K "
                 "(%d) run past the end", in_line, d->width, bytes, o->K);
        why = over;
    }
    if (!why && d->atom == 32 && !(tf32 && trans))
        why = "swizzle 128B with 32-byte atoms is for transposed (MN-major) tf32 only";
    if (!why && tf32 && trans && d->atom != 32)
        why = "a transposed (MN-major) tf32 matrix needs swizzle 128B with 32-byte atoms";
    if (!why) return 1;
    emu_report(w, i, bit, E_DESCRIPTOR, "the descriptor of %s, 0x%016llx: %s", name, (unsigned long long)raw, why);
    return 0;
}

static int bad_lane(warp *w, const ptx_instr *i, uint32_t bit, const mma_op *o, uint32_t taddr, const char *what)
{
    uint32_t lane = taddr >> 16;
    if (lane == 0 || (o->half && lane == 16)) return 0;
    emu_report(w, i, bit, E_TMEM, "%s at 0x%08x begins at lane %u; with M = %d%s it must begin at lane %s", what, taddr,
               lane, o->M, o->f->ws ? " and .ws" : "", o->half ? "0 or 16" : "0");
    return 1;
}

static void issue(warp *w, const ptx_instr *i, int lane)
{
    static __thread uint32_t offset[MAX_UNITS];
    const form *f = i->aux;
    uint32_t bit = 1u << lane, x = R32(w, &i->op[f->idesc])[lane];
    cta *c = w->cta;
    char why[512];
    mma_op o = {.f = f};
    o.c[0] = f->group == 2 ? &c->cl->cta[c->rank & ~1u] : c;
    o.c[1] = f->group == 2 ? &c->cl->cta[c->rank | 1] : NULL;
    if (parse_idesc(&o, f, x, c->cl->L->dev, why, sizeof why)) {
        emu_report(w, i, bit, E_DESCRIPTOR, "%s", why);
        return;
    }
    o.d = (uint32_t)emu_mem_addr(w, &i->op[0], lane);
    o.enable = i->op[f->enable].kind == PO_IMM ? i->op[f->enable].imm != 0
        : (int)(emu_pred(w, &i->op[f->enable]) >> lane & 1);
    if (f->mask != NOT) for (int k = 0; k < 4 * f->group; k++) o.disable[k] = R32(w, &i->op[f->mask].elem[k])[lane];
    if (f->zero != NOT) {
        o.zero = R64(w, &i->op[f->zero])[lane];
        static const int max[4] = {0, 8, 16, 32};
        int s = shift_of(&o), limit = max[x >> 30];
        if (o.M == 32 && limit > 16) limit = 16;
        if (o.zero & 0xc000007000000000ull) {
            emu_report(w, i, bit, E_DESCRIPTOR,
                       "the zero-column mask descriptor 0x%016llx: bits 36-38 and 62-63 must be 0",
                       (unsigned long long)o.zero);
            return;
        }
        if (s > limit) {
            emu_report(w, i, bit, E_DESCRIPTOR,
                       "the zero-column mask descriptor 0x%016llx shifts by %d columns; the instruction descriptor "
                       "(bits 30-31) and M = %d allow %d", (unsigned long long)o.zero, s, o.M, limit);
            return;
        }
    }
    /* tensor memory */
    int nb = o.N / o.banks, block = f->kind >= KIND_MXF8, dcol = (int)(o.d & 0xffff),
        bad = bad_lane(w, i, bit, &o, o.d, "D");
    int acol = 0, mcol = 0, mcols = broad(f->kind) ? 1 : (o.K / (f->kind >= KIND_MXF4 && !o.single ? 8 : 4) + 7) / 8,
        sfa_cols = 0, sfb_cols = 0;
    if (f->ts) {
        o.a = (uint32_t)emu_mem_addr(w, &i->op[1], lane);
        acol = (int)(o.a & 0xffff);
        bad |= bad_lane(w, i, bit, &o, o.a, "A");
    }
    if (f->sp) {
        o.meta = (uint32_t)emu_mem_addr(w, &i->op[f->meta], lane);
        mcol = (int)(o.meta & 0xffff);
        bad |= bad_lane(w, i, bit, &o, o.meta, "the sparsity metadata");
        if (mcol & 1) {
            emu_report(w, i, bit, E_TMEM,
                       "the sparsity metadata at 0x%08x must begin at an even column (the selector in the instruction "
                       "descriptor chooses the odd one)", o.meta);
            return;
        }
    }
    if (!bad && o.half && ((f->ts && o.a >> 16 != o.d >> 16) || (f->sp && o.meta >> 16 != o.d >> 16))) {
        emu_report(w, i, bit, E_TMEM,
                   "D at 0x%08x, A and the sparsity metadata must begin at the same lane, 0 or 16, in this layout",
                   o.d);
        bad = 1;
    }
    int lcol = 0, lanes = o.N / f->group / 8;
    if (f->lut != NOT && !bad) {
        o.lut = (uint32_t)emu_mem_addr(w, &i->op[f->lut], lane);
        lcol = (int)(o.lut & 0xffff);
        if (lcol & 1 || (int)(o.lut >> 16) + lanes > TM_LANES) {
            emu_report(w, i, bit, E_TMEM, "the lookup table of B at 0x%08x must begin at an even column, and has a "
                       "lane for "
                       "eight columns of B, here %d", o.lut, lanes);
            bad = 1;
        }
    }
    if (bad) return;
    if (block) {                                     /* bits 30-31 of these addresses may hold the scale factor id */
        o.sfa = (uint32_t)emu_mem_addr(w, &i->op[f->sfa], lane) & 0x3fffffff;
        o.sfb = (uint32_t)emu_mem_addr(w, &i->op[f->sfb], lane) & 0x3fffffff;
        for (int k = 0; k < 2; k++)
            if ((k ? o.sfb : o.sfa) >> 16) {
                emu_report(w, i, bit, E_TMEM,
                           "the scale factors of %c at 0x%08x must begin at lane 0 (they are needed in all four "
                           "quarters)", k ? 'B' : 'A', k ? o.sfb : o.sfa);
                return;
            }
        sfa_cols = sf_columns(&o, o.sfa_id, o.rows, 128, o.sfa_wide);
        sfb_cols = sf_columns(&o, o.sfb_id, f->group == 2 && o.M == 128 ? nb : o.N, o.N, 0);
    }
    for (int k = 0; k < f->group; k++) {
        if (!tc5_allocated(w, i, bit, o.c[k], o.d, dcol, nb, "D")) return;
        if (f->ts && !tc5_allocated(w, i, bit, o.c[k], o.a, acol, o.a_bytes / 4, "A")) return;
        if (f->lut != NOT && !tc5_allocated(w, i, bit, o.c[k], o.lut, lcol, 2, "the lookup table of B")) return;
        if (f->sp && !tc5_allocated(w, i, bit, o.c[k], o.meta, mcol + o.sel, mcols, "the sparsity metadata")) return;
        if (block
            && (!tc5_allocated(w, i, bit, o.c[k], o.sfa, (int)(o.sfa & 0xffff), sfa_cols, "the scale factors of A")
                || !tc5_allocated(w, i, bit, o.c[k], o.sfb, (int)(o.sfb & 0xffff), sfb_cols, "the scale factors of B")))
            return;
    }
    /* shared memory */
    if (!f->ts) {
        o.raw_a = R64(w, &i->op[1])[lane];
        if (!descriptor(w, i, bit, &o, o.raw_a, 0, &o.da, &o.abs_a)) return;
    }
    o.raw_b = R64(w, &i->op[2])[lane];
    if (!descriptor(w, i, bit, &o, o.raw_b, 1, &o.db, &o.abs_b)) return;
    async_op *op = tc5_new(w, i, lane, sizeof o, mma_perform), *reads = NULL;
    if (tc5_cluster_of(c->cl)->commits_a && !f->ts) {
        reads = tc5_new_a(w, i, lane, sizeof o, read_a_perform);
        o.read_a = calloc(1, sizeof *o.read_a + (size_t)(f->group * units_a(&o, offset)) * 16);
        o.read_a->holders = 2;
    }
    for (int k = 0; k < f->group; k++) {
        int first, n;
        if (!f->ts && !tc5_touch(w, i, lane, reads ? reads : op, o.c[k], offset, units_a(&o, offset),
                                 used_bytes(&o, o.ta), "A", o.raw_a)) {
            free(o.read_a);
            if (reads) emu_async_free(reads);
            emu_async_free(op);
            return;
        }
        n = units_b(&o, offset, &first);
        if (o.zero >> 39 & 1 && !o.trans_b) {        /* columns taken as zeros are not read */
            int units = o.b_bytes / 16, to = 0;
            for (int col = 0; col < o.N; col++)
                if (!masked(&o, col)) { memmove(offset + to, offset + col * units, (size_t)units * 4); to += units; }
            n = to;
        }
        if (n && !tc5_touch(w, i, lane, op, o.c[k], offset, n, used_bytes(&o, o.tb), "B", o.raw_b)) {
            free(o.read_a);
            if (reads) emu_async_free(reads);
            emu_async_free(op);
            return;
        }
    }
    memcpy(op->payload, &o, sizeof o);
    if (reads) {                                     /* the mma is over after its reading */
        memcpy(reads->payload, &o, sizeof o);
        if (op->vc) {
            vclk *v = vclk_join(c->cl, op->vc, reads->vc);
            vclk_drop(c->cl, op->vc);
            op->vc = v;
        }
    }
    /* ordering in tensor memory */
    uint32_t halves = o.half ? 0x55u << (o.d >> 20) : 0xff;
    for (int k = 0; k < f->group; k++) {
        int told = 0;
        if (f->ts) told |= tc5_access(w, i, bit, o.c[k], halves, acol, o.a_bytes / 4, TA_READ, op, "tcgen05.mma (A)");
        if (f->lut != NOT && !told) {
            int from = (int)(o.lut >> 16) / 16, to = ((int)(o.lut >> 16) + lanes - 1) / 16;
            told |= tc5_access(w, i, bit, o.c[k], (2u << to) - (1u << from), lcol, 2, TA_READ, op,
                               "tcgen05.mma (lookup table of B)");
        }
        if (f->sp && !told)
            told |= tc5_access(w, i, bit, o.c[k], halves, mcol + o.sel, mcols, TA_READ, op,
                               "tcgen05.mma (sparsity metadata)");
        if (block && !told)
            told |= tc5_access(w, i, bit, o.c[k], 0xff, (int)(o.sfa & 0xffff), sfa_cols, TA_READ, op,
                               "tcgen05.mma (scale factors of A)");
        if (block && !told)
            told |= tc5_access(w, i, bit, o.c[k], 0xff, (int)(o.sfb & 0xffff), sfb_cols, TA_READ, op,
                               "tcgen05.mma (scale factors of B)");
        if (!told) tc5_access(w, i, bit, o.c[k], halves, dcol, nb, TA_WRITE, op, "tcgen05.mma (D)");
        if (told) break;
    }
    if (model_of(w)) {
        /* of each CTA: its rows of A, its half of a pair's B; fewer than 128 rows leave lanes idle */
        const int type = f->kind >= KIND_MXF4 ? PT_E2M1 : f->kind == KIND_F8 || f->kind == KIND_MXF8 ? PT_E4M3 : o.ta;
        tmem *t = tc5_tmem(w->cta);     /* A comes from the collector that an mma of the same A has filled */
        const int collected = !f->ts && t->a_holds && t->a_held == o.raw_a
                           && (f->coll_a == COLL_USE || f->coll_a == COLL_LASTUSE);
        t->a_holds = !f->ts && (f->coll_a == COLL_FILL || (f->coll_a == COLL_USE && collected));
        t->a_held = o.raw_a;
        const double rows = o.M / f->group < 128 ? 128 : o.M / f->group, products = 2. * o.N * o.ks;
        model_note(w, NULL, (model_event){.kind = EV_T5_MMA, .n = (uint8_t)f->group,
            .a = (float)(rows * products / model_mma_rate(model_of(w)->dev, type)),
            .b = (float)(((f->ts || collected ? 0 : (double)o.M * o.a_bytes) + (double)o.N * o.b_bytes) / f->group)});
        model_flops(w, type, o.M * products);
    }
    stat_line *st = emu_stat(w, i);
    if (st) {
        uint64_t shared = (uint64_t)o.N * (uint64_t)o.b_bytes + (f->ts ? 0 : (uint64_t)o.M * (uint64_t)o.a_bytes);
        __atomic_fetch_add(&st->flops, 2ull * (uint64_t)o.M * (uint64_t)o.N * (uint64_t)o.K, __ATOMIC_RELAXED);
        __atomic_fetch_add(&st->shared_bytes, shared, __ATOMIC_RELAXED);
        __atomic_fetch_add(&st->tmem_bytes, (uint64_t)o.M * (uint64_t)o.N * 4 * (o.enable ? 2 : 1)
                           + (f->ts ? (uint64_t)o.M * 32 : 0), __ATOMIC_RELAXED);
    }
    if (reads) tc5_post_a(reads, f->group);
    tc5_post(op, f->group);
}

static int x_mma(warp *w, const ptx_instr *i, uint32_t mask)
{
    const form *f = i->aux;
    if (tc5_group(w, i, mask, f->group)) return X_NEXT;
    if (mask & (mask - 1) && emu_opt.checks)
        emu_report(w, i, mask, E_CONVERGENCE,
                   "tcgen05.mma by %d lanes at once: each of them issues an MMA of its own; let one thread do it "
                   "(elect.sync)", __builtin_popcount(mask));
    EMU_EACH(l, mask) issue(w, i, (int)l);
    return X_NEXT;
}

/* ---- Decoding ---- */

#define BAD(...) return emu_decode_error(err, size, i, __VA_ARGS__)

int tc5_decode_mma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    form f = {.kind = NOT, .meta = NOT, .lut = NOT, .sfa = NOT, .sfb = NOT, .mask = NOT, .zero = NOT};
    int sm = m->dev->sm, block = 0, coll_a = 0, coll_fill = 0, lut = 0, rubin = tc5_is_107(m);
    const char *coll_n = NULL;
    int a_target = tc5_arch_specific(m);
    for (int k = 2; k < i->nmod; k++) {
        const char *x = i->mod[k];
        if (!strcmp(x, "sp")) f.sp = 1;
        else if (!strcmp(x, "ws")) f.ws = 1;
        else if (!strcmp(x, "cta_group::1")) f.group = 1;
        else if (!strcmp(x, "cta_group::2")) f.group = 2;
        else if (!strncmp(x, "kind::", 6)) {
            for (uint8_t y = 0; y < KINDS; y++) if (!strcmp(x + 6, kind_name[y])) f.kind = y;
            if (f.kind == NOT) BAD(".%s is not supported", x);
        } else if (!strcmp(x, "block_scale")) block = 1;
        else if (!strcmp(x, "scale_vec::1X")) f.vec = 1;
        else if (!strcmp(x, "scale_vec::2X")) f.vec = 2;
        else if (!strcmp(x, "scale_vec::4X")) f.vec = 4;
        else if (!strcmp(x, "block16")) f.vec = 16;
        else if (!strcmp(x, "block32")) f.vec = 32;
        else if (!strcmp(x, "ashift")) f.ashift = 1;
        else if (!strcmp(x, "decompress::lut::b")) lut = 1;
        else if (!strncmp(x, "collector::", 11)) {
            static const char *const uses[] = {"", "::fill", "::use", "::lastuse", "::discard"};
            const char *b = x + 11, *u = strstr(b, "::");
            uint8_t how = COLL_NONE;
            for (uint8_t y = COLL_FILL; u && y <= COLL_DISCARD; y++) if (!strcmp(u, uses[y])) how = y;
            if (!how) BAD(".%s is not supported", x);
            if (b[0] == 'a' && u == b + 1) f.coll_a = how, coll_a = 1, coll_fill = how == COLL_FILL || how == COLL_USE;
            else if (b[0] == 'b' && u == b + 1) f.coll_b = how;
            else if (b[0] == 'b' && b[1] >= '0' && b[1] <= '3' && u == b + 2) coll_n = x;
            else BAD(".%s is not supported", x);
        } else BAD(".%s is not supported", x);
    }
    if (!f.group) BAD(".cta_group::1 or .cta_group::2 is required");
    if (f.kind == NOT) BAD(".kind is required");
    int mx = f.kind >= KIND_MXF8;
    if (mx != block) BAD(mx ? ".kind::%s needs .block_scale" : ".kind::%s has no .block_scale", kind_name[f.kind]);
    if (f.ws && f.group == 2) BAD(".ws has .cta_group::1 only");
    if (f.ws && block) BAD(".ws has no block-scaled kinds");
    if (f.ws ? coll_a || f.coll_b : coll_n != NULL)
        BAD(f.ws ? ".ws has the collectors b0..b3" : "only .ws has the collectors b0..b3");
    if ((f.coll_b || lut || f.kind == KIND_TI16) && !rubin)
        BAD(".%s needs sm_107a or sm_107f, not %s", f.coll_b ? "collector::b" : lut ? "decompress::lut::b"
            : "kind::ti16",
            m->ptx->target);
    if (lut && (f.sp || f.ws || f.ashift || (f.kind != KIND_F8 && f.kind != KIND_MXF8)))
        BAD(".decompress::lut::b goes with a dense .kind::f8f6f4 or .kind::mxf8f6f4, without .ws and .ashift");
    if (f.vec && !block) BAD("a scale vector size needs .block_scale");
    if (f.kind == KIND_NVF4 && !f.vec)
        BAD(".kind::mxf4nvf4 needs an explicit vector size (.block16, .block32, .scale_vec::2X or ::4X)");
    if (f.vec && (f.kind == KIND_MXF8 ? f.vec != 1 && f.vec != 32
                  : f.kind == KIND_MXF4 ? f.vec != 2 && f.vec != 32
                  : f.vec == 1))
        BAD("this vector size does not go with .kind::%s", kind_name[f.kind]);
    if (f.vec && f.vec < 16 && !a_target)
        BAD(".scale_vec::NX needs an 'a' target, not %s; use .block16 or .block32", m->ptx->target);
    if (f.sp && f.kind >= KIND_MXF4 && !a_target)
        BAD(".sp with .kind::%s needs an 'a' target, not %s", kind_name[f.kind], m->ptx->target);
    if (f.kind == KIND_I8 && (sm == 103 || sm == 107 || !a_target))
        BAD(".kind::i8 exists on sm_100a and sm_110a only, not on %s", sm == 103 || sm == 107 ? m->dev->option
            : m->ptx->target);

    /* operands: [d], a, b, ([meta] or [table]), idesc, ([sfa], [sfb]), ({mask}), enable, (scale or zero mask) */
    int at = 3, n = i->nop;
    ptx_opnd *o = i->op;
    if (n < 5 || o[0].kind != PO_MEM) BAD("operands are missing");
    f.ts = o[1].kind == PO_MEM;
    if (o[2].kind == PO_MEM) BAD("B must be a descriptor in a register, not in tensor memory");
    if (f.sp) {
        if (o[at].kind != PO_MEM) BAD("the sparsity metadata must be an address in brackets");
        f.meta = (uint8_t)at++;
    }
    if (lut) {
        if (o[at].kind != PO_MEM) BAD("the lookup table must be an address in brackets");
        f.lut = (uint8_t)at++;
    }
    if (at >= n || o[at].kind == PO_MEM || o[at].kind == PO_VEC) BAD("the instruction descriptor is missing");
    f.idesc = (uint8_t)at++;
    if (block) {
        if (at + 1 >= n || o[at].kind != PO_MEM || o[at + 1].kind != PO_MEM)
            BAD("the scale factors of A and B must be addresses in brackets");
        f.sfa = (uint8_t)at++;
        f.sfb = (uint8_t)at++;
    }
    if (at < n && o[at].kind == PO_VEC) {
        if (block || f.ws) BAD("%s has no disable-output-lane", f.ws ? ".ws" : ".block_scale");
        if (o[at].n != 4 * f.group) BAD("disable-output-lane must have %d elements", 4 * f.group);
        f.mask = (uint8_t)at++;
    }
    if (at >= n) BAD("enable-input-d is missing");
    if (o[at].kind == PO_IMM ? o[at].imm != 0 && o[at].imm != 1 : !((o[at].kind == PO_REG || o[at].kind == PO_SREG)
                                                                    && o[at].type == PT_PRED))
        BAD("enable-input-d must be a predicate or 0 or 1");
    f.enable = (uint8_t)at++;
    if (at < n) {
        if (f.ws) f.zero = (uint8_t)at++;
        else {
            if (f.kind != KIND_I8 && f.kind > KIND_TF32) BAD("scale-input-d goes with .kind::f16 and .kind::tf32 only");
            if (f.kind == KIND_I8) BAD("scale-input-d with .kind::i8 is not supported");
            if (sm == 110) BAD("scale-input-d does not exist on %s", m->dev->option);
            if (o[at].kind != PO_IMM || o[at].imm < 0 || o[at].imm > 15)
                BAD("scale-input-d must be an immediate in 0..15");
            f.scale_d = (uint8_t)o[at++].imm;
        }
    }
    if (at != n) BAD("%d operands too many", n - at);
    if (f.ashift && !f.ts) BAD(".ashift needs A in tensor memory");
    if (f.ashift && (f.ws || block)) BAD(".ashift does not go with %s", f.ws ? ".ws" : ".block_scale");
    if (f.ashift && coll_fill) BAD(".ashift excludes collector::a::fill and ::use");
    if (emu_prepare(m, fn, &o[0], PT_U32, err, size) || emu_prepare(m, fn, &o[1], f.ts ? PT_U32 : PT_B64, err, size)
        || emu_prepare(m, fn, &o[2], PT_B64, err, size) || emu_prepare(m, fn, &o[f.idesc], PT_U32, err, size))
        return -1;
    if (f.meta != NOT && emu_prepare(m, fn, &o[f.meta], PT_U32, err, size)) return -1;
    if (f.lut != NOT && emu_prepare(m, fn, &o[f.lut], PT_U32, err, size)) return -1;
    if (block && (emu_prepare(m, fn, &o[f.sfa], PT_U32, err, size) || emu_prepare(m, fn, &o[f.sfb], PT_U32, err, size)))
        return -1;
    if (f.mask != NOT && emu_prepare(m, fn, &o[f.mask], PT_U32, err, size)) return -1;
    if (f.zero != NOT && emu_prepare(m, fn, &o[f.zero], PT_B64, err, size)) return -1;
    if (o[f.enable].kind != PO_IMM && emu_prepare(m, fn, &o[f.enable], PT_PRED, err, size)) return -1;
    form *p = malloc(sizeof f);
    *p = f;
    i->aux = p;
    i->exec = x_mma;
    return 0;
}
