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
 * Numbers: products are exact, sums are f32, in the order of k, beginning with D. With scale factors the sum of a block
 * is multiplied by the scales and added to D with one rounding. D of f16 is rounded once per instruction. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tcgen05.h"
#include "num.h"

enum { KIND_F16, KIND_TF32, KIND_F8, KIND_I8, KIND_MXF8, KIND_MXF4, KIND_NVF4 };
static const char *const kind_name[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
enum { NOT = 255 };
typedef struct form {                   /* i->aux: what the mnemonic says, and where the operands are */
    uint8_t kind, group, sp, ws, ts, ashift, vec;        /* vec: 0 not said, 1, 2, 4: scale_vec::NX; 16, 32: block */
    uint8_t meta, idesc, sfa, sfb, mask, enable, zero;   /* operand numbers, NOT: none */
    uint8_t scale_d;                    /* exponent of scale-input-d */
} form;

enum { MAX_K = 128, MAX_N = 256, MAX_UNITS = 1280 };

/* An issued mma */
typedef struct mma_op {
    const form *f; cta *c[2];
    int M, N, K, ks;                    /* ks: elements of a row of A that are stored */
    ptx_type ta, tb; int f16_d, neg, trans_a, trans_b, sat, sel;
    int rows, banks, half;              /* per CTA */
    int a_bytes, b_bytes;               /* of a row: K-major units * 16 */
    int enable;
    uint32_t d, a, meta, sfa, sfb;      /* tensor memory addresses */
    int sfa_id, sfb_id, nsf; ptx_type tsf;
    uint64_t zero;                      /* zero-column mask descriptor */
    uint32_t disable[8];
    smem_desc da, db; int abs_a, abs_b; /* abs: the leading offset is an absolute address */
    uint64_t raw_a, raw_b;
    int ok_a, ok_b;
} mma_op;

/* ---- The instruction descriptor ---- */

static uint32_t field(uint32_t x, int lo, int bits) { return x >> lo & ((1u << bits) - 1); }
/* place in memory of the non-mxf4 kinds */
static int bits_of(ptx_type t) { return t == PT_TF32 ? 32 : t == PT_F16 || t == PT_BF16 ? 16 : 8; }

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
    int kind = f->kind, block = kind >= KIND_MXF8, mx4 = kind >= KIND_MXF4, group = f->group;
    uint32_t fa = field(x, 7, 3), fb = field(x, 10, 3);
    const char *k = kind_name[kind];
    o->M = (int)field(x, 24, 5) << 4;
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
        if (field(x, 23, 1) || field(x, 29, 1)) IDESC("bits 23 and 29 are reserved and must be 0");
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
        if (field(x, 3, 1)) IDESC("bit 3 is reserved and must be 0");
        o->sfb_id = (int)field(x, 4, 2);
        o->sfa_id = (int)field(x, 29, 2);
        o->tsf = field(x, 23, 1) ? PT_UE8M0 : PT_UE4M3;
        if (o->sel) IDESC("bits 0-1 must be 0 with kind::%s", k);
        if (mx4) {
            if (fa != 1 || field(x, 10, 2) != 1 || field(x, 12, 1))
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::%s has 1 (e2m1)", fa, fb, k);
            if (o->trans_a || o->trans_b) IDESC("bits 15-16 (transpose) must be 0 with kind::%s", k);
            o->ta = o->tb = PT_E2M1;
        } else {
            if (narrow[fa] == PT_NONE || narrow[fb] == PT_NONE)
                IDESC("types %u and %u in bits 7-9 and 10-12; kind::mxf8f6f4 has 0 e4m3, 1 e5m2, 3 e2m3, 4 e3m2, "
                      "5 e2m1", fa, fb);
            if (field(x, 31, 1)) IDESC("bit 31 is reserved and must be 0 with kind::mxf8f6f4");
            o->ta = narrow[fa];
            o->tb = narrow[fb];
        }
        if (kind != KIND_NVF4 && o->tsf != PT_UE8M0)
            IDESC("bit 23 (scale type) is 0 (ue4m3); kind::%s has 1 (ue8m0)", k);
    }
    /* K */
    int per = mx4 ? 64 : 256 / bits_of(o->ta), k96 = mx4 && field(x, 31, 1);
    o->ks = k96 ? 96 : per;
    o->K = f->sp ? 2 * o->ks : o->ks;
    if (k96 && f->sp) IDESC("bit 31 (K = 96) is for dense matrices only");
    if (k96 && dev->sm != 103) IDESC("bit 31 (K = 96) needs sm_103a, this is %s", dev->option);
    if (k96 && f->ts) IDESC("bit 31 (K = 96) with A in tensor memory is not supported by tcemu");
    o->a_bytes = k96 ? 48 : 32;
    o->b_bytes = k96 ? 48 : f->sp ? 64 : 32;
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
    if (f->sp && kind <= KIND_TF32 && o->sel > 1) IDESC("sparsity selector %d (bits 0-1): tcemu knows 0 and 1", o->sel);
    if (f->sp && kind > KIND_TF32 && o->sel)
        IDESC("sparsity selector %d (bits 0-1) must be 0 with kind::%s", o->sel, k);
    if (f->ashift && o->M < 128) IDESC(".ashift needs M = 128 or 256, not %d", o->M);
    /* scale factors of a row */
    if (block) {
        int want = k96 ? (f->vec == 16 ? 6 : 3) : kind == KIND_MXF8 ? 1 : f->vec == 4 || f->vec == 16 ? 4 : 2;
        if (k96 && f->vec != 16 && f->vec != 32 && f->vec) IDESC("K = 96 needs .block16 or .block32");
        o->nsf = want;
        if (o->tsf == PT_UE4M3 && f->vec != 4 && f->vec != 16)
            IDESC("scale type ue4m3 (bit 23) needs .scale_vec::4X or .block16");
        for (int b = 0; b < 2; b++) {
            int id = b ? o->sfb_id : o->sfa_id;
            int ok = want == 1 || want == 3 ? 1 : want == 4 ? id == 0 : id == 0 || id == 2;
            if (!ok)
                IDESC("scale factor id of %c is %d (bits %s); with %d scale factors per row it must be %s", b ? 'B'
                      : 'A', id, b ? "4-5" : "29-30", want, want == 4 ? "0" : "0 or 2");
        }
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
    return o->f->kind >= KIND_MXF4 || num_bits(t) >= 8 ? 16 : num_bits(t) * 2;
}

/* n 16-byte units as numbers. 4- and 6-bit types of the f8f6f4 kinds: 16 elements in a unit, padded. Returns elements
 * per unit. */
static int decode_units(float *to, const uint8_t *raw, int n, ptx_type t, int mx4)
{
    int bits = num_bits(t);
    if (mx4 || bits >= 8) {
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
    int mx4 = o->f->kind >= KIND_MXF4, told = 0, col = (int)(o->a & 0xffff), first = (int)(o->a >> 16);
    for (int m = 0; m < o->rows; m++) {
        int from = m;
        /* rows move down by one, the last of each quarter stays */
        if (o->f->ashift && m % 32 != 31) from = m + 1;
        int lane = first + lane_of(o, bank, from), un = tm_uninit(t, lane, col, 8);
        if (un >= 0 && emu_opt.checks && !told) told = 1, uninit(op, lane, un, "matrix A");
        const void *raw = &t->cell[lane][col];
        if (!mx4 && num_bits(o->ta) < 8)
            num_bytes_to_f32(a + m * o->ks, raw, o->ta, o->ta == PT_E2M1 ? 2 : 0, (size_t)o->ks);
        else decode_units(a + m * o->ks, raw, 2, o->ta, mx4);
    }
}

/* at[m][j]: which k the j-th stored element of row m has. Compressors leave 0 where the elements are zeros, so only
 * where they are not is metadata without meaning a fault. */
static void metadata(async_op *op, const mma_op *o, tmem *t, int bank, const float *a, uint8_t *at)
{
    int kind = o->f->kind, first = (int)(o->meta >> 16), col0 = (int)(o->meta & 0xffff), told = 0, bad = 0;
    int chunks = kind <= KIND_TF32 ? 8 : 16, per = o->ks / chunks;
    for (int m = 0; m < o->rows; m++, at += o->ks, a += o->ks)
        for (int c = 0; c < chunks; c++) {
            int lane, col, nib;
            /* 16 rows x K in 16 lanes: 8 rows x half of K, rows + 8 in the high half */
            if (kind <= KIND_TF32) {
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
            else if (kind >= KIND_MXF4) {
                at[4 * c] = (uint8_t)(8 * c + 2 * (int)i0), at[4 * c + 1] = (uint8_t)(at[4 * c] + 1);
                at[4 * c + 2] = (uint8_t)(8 * c + 2 * (int)i1), at[4 * c + 3] = (uint8_t)(at[4 * c + 2] + 1);
            } else at[2 * c] = (uint8_t)(4 * c + (int)i0), at[2 * c + 1] = (uint8_t)(4 * c + (int)i1);
        }
}

/* Columns from one word of scale factors of a row to the next */
static int sf_stride(int rows) { return (rows + 127) / 128 * 4; }
static int sf_columns(const mma_op *o, int id, int count, int joint)
{
    return (count + 31) / 32 + ((id + o->nsf - 1) / 4 ? sf_stride(joint) : 0);
}

/* Scale factors s of rows [from, to) as the quarter of the lanes holds them */
static void scales(async_op *op, const mma_op *o, tmem *t, uint32_t taddr, int id, int s, int quarter, int from,
                   int end, int joint, double *to, const char *what)
{
    int byte = id + s, col0 = (int)(taddr & 0xffff) + byte / 4 * sf_stride(joint), told = 0;
    for (int r = from; r < end; r++) {
        int lane = quarter * 32 + r % 32, col = col0 + r / 32;
        if (emu_opt.checks && !told && tm_uninit(t, lane, col, 1) >= 0) told = 1, uninit(op, lane, col, what);
        to[r] = num_decode(o->tsf, t->cell[lane][col] >> byte % 4 * 8 & 255);
    }
}

/* ---- An mma ---- */

static float *matrix_b(const mma_op *o)
{
    static __thread float b[MAX_K * MAX_N], rows[MAX_K * (MAX_N + 64)];
    static __thread uint8_t raw[MAX_UNITS * 16];
    static __thread uint32_t offset[MAX_UNITS];
    int n = o->N / o->f->group, first, mx4 = o->f->kind >= KIND_MXF4;
    int units = units_b(o, offset, &first);
    for (int x = 0; x < o->f->group; x++) {
        float *to = b + x * n;
        gather(raw, o->c[x]->smem, offset, units);
        int per = decode_units(rows, raw, units, o->tb, mx4);
        if (o->trans_b) {
            int line = units / o->K * per, skip = shift_of(o) - first * per;
            for (int k = 0; k < o->K; k++) memcpy(to + k * o->N, rows + k * line + skip, (size_t)n * 4);
        } else
            for (int c = 0; c < n; c += 8)
                for (int k = 0; k < o->K; k++)
                    for (int y = 0; y < 8; y++) to[k * o->N + c + y] = rows[(c + y) * o->K + k];
    }
    if (o->zero >> 39 & 1)
        for (int c = 0; c < o->N; c++) if (masked(o, c)) for (int k = 0; k < o->K; k++) b[k * o->N + c] = 0;
    return b;
}

static void matrix_a(const mma_op *o, const cta *c, float *a)
{
    static __thread float rows[MAX_K * 128];
    static __thread uint8_t raw[MAX_UNITS * 16];
    static __thread uint32_t offset[MAX_UNITS];
    int units = units_a(o, offset), mx4 = o->f->kind >= KIND_MXF4;
    gather(raw, c->smem, offset, units);
    if (!o->trans_a) { decode_units(a, raw, units, o->ta, mx4); return; }
    decode_units(rows, raw, units, o->ta, mx4);
    for (int m = 0; m < o->rows; m++) for (int k = 0; k < o->ks; k++) a[m * o->ks + k] = rows[k * o->rows + m];
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
    static __thread float acc[128 * MAX_N], dot[32 * MAX_N];
    static __thread double sa[8][128], sb[8][MAX_N];
    const form *f = o->f;
    tmem *t = tc5_tmem(o->c[x]);
    int nb = o->N / o->banks, col = (int)(o->d & 0xffff), first = (int)(o->d >> 16), ldb = o->N, told = 0;
    const float *bb = b + bank * nb;
    for (int m = 0; m < o->rows; m++) {                              /* the input */
        int lane = first + lane_of(o, bank, m);
        float *to = acc + m * nb;
        if (!o->enable || f->kind == KIND_I8) memset(to, 0, (size_t)nb * 4);
        if (!o->enable) continue;
        if (emu_opt.checks && !told && !(o->disable[x * 4 + lane / 32] >> lane % 32 & 1)) {
            int un = tm_uninit(t, lane, col, nb);
            if (un >= 0) told = 1, uninit(op, lane, un, "the accumulator D (enable-input-d is true)");
        }
        if (f->kind == KIND_I8) continue;
        const uint32_t *from = &t->cell[lane][col];
        if (o->f16_d) for (int n = 0; n < nb; n++) to[n] = num_f16_to_f32((uint16_t)from[n]);
        else memcpy(to, from, (size_t)nb * 4);
        if (f->scale_d) {
            float s = 1.0f / (float)(1 << f->scale_d);
            for (int n = 0; n < nb; n++) to[n] *= s;
        }
    }
    if (f->kind < KIND_MXF8) {
        if (f->sp) gemm_sparse(acc, nb, a, at, o->ks, bb, ldb, o->rows, nb, o->ks);
        else gemm(acc, nb, a, o->ks, bb, ldb, o->rows, nb, o->K);
    } else {
        int blk = o->K / o->nsf, sblk = o->ks / o->nsf;
        for (int m0 = 0; m0 < o->rows; m0 += 32) {                   /* 32 rows: the lanes of a quarter */
            int quarter = (first + lane_of(o, bank, m0)) / 32;
            for (int s = 0; s < o->nsf; s++) {
                scales(op, o, t, o->sfa, o->sfa_id, s, quarter, m0, m0 + 32, 128, sa[s], "scale factors of A");
                scales(op, o, t, o->sfb, o->sfb_id, s, quarter, 0, nb, o->N, sb[s], "scale factors of B");
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
        if (f->kind == KIND_I8) {
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
    const float *b = matrix_b(o);
    for (int x = 0; x < o->f->group; x++)
        for (int bank = 0; bank < o->banks; bank++) {
            if (o->f->ts || !bank) {
                if (o->f->ts) tmem_a(op, o, tc5_tmem(o->c[x]), bank, a);
                else matrix_a(o, o->c[x], a);
                if (o->neg) for (int e = 0; e < o->rows * o->ks; e++) a[e] = -a[e];
            }
            if (o->f->sp) metadata(op, o, tc5_tmem(o->c[x]), bank, a, at);
            bank_product(op, o, x, bank, a, at, b);
        }
}

/* Descriptor of A or B. 1 if fine */
static int descriptor(warp *w, const ptx_instr *i, uint32_t bit, const mma_op *o, uint64_t raw, int is_b, smem_desc *d,
                      int *abs)
{
    const char *name = is_b ? "B" : "A";
    int trans = is_b ? o->trans_b : o->trans_a, tf32 = o->ta == PT_TF32;
    *abs = (int)(raw >> 52 & 1);
    const char *why = smem_desc_tcgen05(raw & ~(1ull << 52), d);
    if (!why && *abs && (o->ks != 96 || trans || d->width != 128 || d->atom != 16))
        why = "bit 52 (leading dimension as an absolute address) is supported for K = 96, K-major, 128B swizzle only";
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
    int acol = 0, mcol = 0, mcols = f->kind <= KIND_TF32 ? 1 : 2, sfa_cols = 0, sfb_cols = 0;
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
        sfa_cols = sf_columns(&o, o.sfa_id, o.rows, 128);
        sfb_cols = sf_columns(&o, o.sfb_id, f->group == 2 && o.M == 128 ? nb : o.N, o.N);
    }
    for (int k = 0; k < f->group; k++) {
        if (!tc5_allocated(w, i, bit, o.c[k], o.d, dcol, nb, "D")) return;
        if (f->ts && !tc5_allocated(w, i, bit, o.c[k], o.a, acol, 8, "A")) return;
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
    async_op *op = tc5_new(w, i, lane, sizeof o, mma_perform);
    for (int k = 0; k < f->group; k++) {
        int first, n;
        if (!f->ts && !tc5_touch(w, i, lane, op, o.c[k], offset, units_a(&o, offset), used_bytes(&o, o.ta), "A",
                                 o.raw_a)) {
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
            emu_async_free(op);
            return;
        }
    }
    memcpy(op->payload, &o, sizeof o);
    /* ordering in tensor memory */
    uint32_t halves = o.half ? 0x55u << (o.d >> 20) : 0xff;
    for (int k = 0; k < f->group; k++) {
        int told = 0;
        if (f->ts) told |= tc5_access(w, i, bit, o.c[k], halves, acol, 8, TA_READ, op, "tcgen05.mma (A)");
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
    stat_line *st = emu_stat(w, i);
    if (st) {
        uint64_t shared = (uint64_t)o.N * (uint64_t)o.b_bytes + (f->ts ? 0 : (uint64_t)o.M * (uint64_t)o.a_bytes);
        __atomic_fetch_add(&st->flops, 2ull * (uint64_t)o.M * (uint64_t)o.N * (uint64_t)o.K, __ATOMIC_RELAXED);
        __atomic_fetch_add(&st->shared_bytes, shared, __ATOMIC_RELAXED);
        __atomic_fetch_add(&st->tmem_bytes, (uint64_t)o.M * (uint64_t)o.N * 4 * (o.enable ? 2 : 1)
                           + (f->ts ? (uint64_t)o.M * 32 : 0), __ATOMIC_RELAXED);
    }
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
    form f = {.kind = NOT, .meta = NOT, .sfa = NOT, .sfb = NOT, .mask = NOT, .zero = NOT};
    int sm = m->dev->sm, block = 0, coll = 0, coll_fill = 0;
    int a_target = tc5_arch_specific(m);
    for (int k = 2; k < i->nmod; k++) {
        const char *x = i->mod[k];
        if (!strcmp(x, "sp")) f.sp = 1;
        else if (!strcmp(x, "ws")) f.ws = 1;
        else if (!strcmp(x, "cta_group::1")) f.group = 1;
        else if (!strcmp(x, "cta_group::2")) f.group = 2;
        else if (!strncmp(x, "kind::", 6)) {
            for (uint8_t y = 0; y < 7; y++) if (!strcmp(x + 6, kind_name[y])) f.kind = y;
            if (f.kind == NOT) BAD(".%s is not supported", x);
        } else if (!strcmp(x, "block_scale")) block = 1;
        else if (!strcmp(x, "scale_vec::1X")) f.vec = 1;
        else if (!strcmp(x, "scale_vec::2X")) f.vec = 2;
        else if (!strcmp(x, "scale_vec::4X")) f.vec = 4;
        else if (!strcmp(x, "block16")) f.vec = 16;
        else if (!strcmp(x, "block32")) f.vec = 32;
        else if (!strcmp(x, "ashift")) f.ashift = 1;
        else if (!strncmp(x, "collector::", 11)) {
            const char *b = x + 11, *u = strstr(b, "::");
            if (!u || (strcmp(u, "::fill") && strcmp(u, "::use") && strcmp(u, "::lastuse") && strcmp(u, "::discard")))
                BAD(".%s is not supported", x);
            coll = b[0] == 'a' && u == b + 1 ? 1 : b[0] == 'b' && b[1] >= '0' && b[1] <= '3' && u == b + 2 ? 2 : 0;
            if (!coll) BAD(".%s is not supported", x);
            coll_fill = !strcmp(u, "::fill") || !strcmp(u, "::use");
        } else BAD(".%s is not supported", x);
    }
    if (!f.group) BAD(".cta_group::1 or .cta_group::2 is required");
    if (f.kind == NOT) BAD(".kind is required");
    int mx = f.kind >= KIND_MXF8;
    if (mx != block) BAD(mx ? ".kind::%s needs .block_scale" : ".kind::%s has no .block_scale", kind_name[f.kind]);
    if (f.ws && f.group == 2) BAD(".ws has .cta_group::1 only");
    if (f.ws && block) BAD(".ws has no block-scaled kinds");
    if (coll && (coll == 2) != f.ws) BAD(f.ws ? ".ws has the collectors b0..b3" : "only .ws has the collectors b0..b3");
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
    if (f.kind == KIND_I8 && (sm == 103 || !a_target))
        BAD(".kind::i8 exists on sm_100a and sm_110a only, not on %s", sm == 103 ? m->dev->option : m->ptx->target);

    /* operands: [d], a, b, ([meta]), idesc, ([sfa], [sfb]), ({mask}), enable, (scale or zero mask) */
    int at = 3, n = i->nop;
    ptx_opnd *o = i->op;
    if (n < 5 || o[0].kind != PO_MEM) BAD("operands are missing");
    f.ts = o[1].kind == PO_MEM;
    if (o[2].kind == PO_MEM) BAD("B must be a descriptor in a register, not in tensor memory");
    if (f.sp) {
        if (o[at].kind != PO_MEM) BAD("the sparsity metadata must be an address in brackets");
        f.meta = (uint8_t)at++;
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
            if (f.kind > KIND_I8 || f.kind == KIND_F8) BAD("scale-input-d goes with .kind::f16 and .kind::tf32 only");
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
