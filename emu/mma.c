/* mma.c - warp-level matrix instructions: mma.sync (dense, sparse, block-scaled), wmma.load/store/mma, ldmatrix,
 * stmatrix, movmatrix. Fragments are taken apart into plain matrices, multiplied, and distributed again.
 *
 * Fragments: with g = lane / 4 and t = lane % 4, and K counted in 32-bit words of packed elements,
 *   A (16 rows), register r: row g + 8 * (r % 2), word t + 4 * (r / 2)  A (8 rows), register r: row g, word t + 4 * r
 *   B, register r: column g, word t + 4 * r                             C, D, element e: row g + 8 * (e / 2), column 2t
 *                                                                       + e % 2
 * holds for every shape but the quad-pair m8n8k4. wmma repeats it for each 16 rows and each 8 columns, and its f16 A
 * and B, which have more registers than elements to hold, repeat themselves.
 *
 * Sums are formed in double with the accumulator first and rounded once. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "model.h"
#include "num.h"

typedef struct mma_plan {
    /* bitop: 'x', 'a'; block: scales along K, 0 if none */
    uint8_t wmma, sparse, ordered, quad, sat, bitop, kind, block, acol, bcol;
    uint8_t ta, tb, tc, td, ts;                                                 /* PT_*; ts: of the scales */
    uint8_t m, n, round, sel, selmax;
    uint16_t k;
    uint8_t bits;                       /* of an element in its register */
    uint8_t na, nb, nc, nd;             /* registers */
    struct mma_plan *next;
} mma_plan;

enum { K_NONE, K_F8F6F4, K_MXF8F6F4, K_MXF4, K_MXF4NVF4 };
enum { FAM_ANY, FAM_BLACKWELL, FAM_120, FAM_120A };     /* which a and f targets */

/* ---- Decoding: common ---- */

static int is_word(const char *a, const char *b) { return !strcmp(a, b); }

/* The module's target and the device against what an instruction needs. */
static int need(emu_module *m, const ptx_instr *i, int min, int fam, const char *what, char *err, size_t n)
{
    int sm = 0; char suffix = 0;
    sscanf(m->ptx->target, "sm_%d%c", &sm, &suffix);
    if (sm == 101) sm = 110;                            /* its former name */
    int af = suffix == 'a' || suffix == 'f', is120 = sm == 120 || sm == 121;
    if (fam == FAM_BLACKWELL && !(af && sm >= 100))
        return emu_decode_error(err, n, i,
                                "%s requires an architecture- or family-specific target from sm_100a up, the module's "
                                "is %s", what, m->ptx->target);
    if (fam == FAM_120 && !(af && is120))
        return emu_decode_error(err, n, i,
                                "%s requires target sm_120a, sm_120f, sm_121a or sm_121f, the module's is %s", what,
                                m->ptx->target);
    if (fam == FAM_120A && !(suffix == 'a' && is120))
        return emu_decode_error(err, n, i, "%s requires target sm_120a or sm_121a, the module's is %s", what,
                                m->ptx->target);
    if (sm < min)
        return emu_decode_error(err, n, i, "%s requires target sm_%d or higher, the module's is %s", what, min,
                                m->ptx->target);
    if (m->dev && m->dev->sm < min)
        return emu_decode_error(err, n, i, "%s requires a device of sm_%d or higher, this is %s", what, min,
                                m->dev->option);
    return 0;
}

/* Operands: a vector, or a lone register where one is enough */
static ptx_opnd *elems(const ptx_opnd *o, unsigned *n)
{
    if (o->kind == PO_VEC) { *n = o->n; return o->elem; }
    *n = 1;
    return (ptx_opnd *)o;
}
static inline const ptx_opnd *elem0(const ptx_opnd *o) { return o->kind == PO_VEC ? o->elem : o; }

static int check_regs(const ptx_instr *i, const ptx_opnd *o, const char *name, unsigned want, int bits, int dst,
                      char *err, size_t n)
{
    unsigned k; const ptx_opnd *e = elems(o, &k);
    if (k != want) return emu_decode_error(err, n, i, "%s must be a vector of %u registers, not %u", name, want, k);
    for (unsigned j = 0; j < k; j++) {
        if (e[j].kind == PO_REG ? ptx_type_bits(e[j].type) != bits : dst || e[j].kind == PO_SINK
            || e[j].kind == PO_NONE)
            return emu_decode_error(err, n, i, "element %u of %s must be a %d-bit register", j, name, bits);
    }
    return 0;
}
static int prep(emu_module *m, ptx_func *fn, ptx_opnd *o, ptx_type t, char *err, size_t n)
{
    unsigned k; ptx_opnd *e = elems(o, &k);
    for (unsigned j = 0; j < k; j++) if (emu_prepare(m, fn, &e[j], t, err, n)) return -1;
    return 0;
}
static ptx_type acc_reg_type(ptx_type t)
{
    return t == PT_F32 ? PT_F32 : t == PT_F64 ? PT_F64 : t == PT_S32 ? PT_S32 : PT_B32;
}

/* Plans live as long as the process; equal instructions share one. p was zeroed before it was filled. */
static const mma_plan *intern(const mma_plan *p)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static mma_plan *all;
    pthread_mutex_lock(&lock);
    mma_plan *q = all;
    while (q && memcmp(q, p, offsetof(mma_plan, next))) q = q->next;
    if (!q && (q = malloc(sizeof *q))) { memcpy(q, p, sizeof *q); q->next = all; all = q; }
    pthread_mutex_unlock(&lock);
    return q;
}

static int parse_shape(const char *s, int *m, int *n, int *k)
{
    int end = 0;
    return sscanf(s, "m%dn%dk%d%n", m, n, k, &end) == 3 && !s[end];
}

static int full_warp(warp *w, const ptx_instr *i, uint32_t mask)
{
    if (mask == EMU_FULL) return 1;
    emu_report(w, i, mask, E_CONVERGENCE, "%s needs a full warp: only lanes 0x%08x of 32 execute it (%s)", i->mod[0],
               mask, w->exists != EMU_FULL ? "the block size is no multiple of 32" : "the others have exited");
    return 0;
}

static int is_fp8(ptx_type t) { return t == PT_E4M3 || t == PT_E5M2; }
static int is_f8f6f4(ptx_type t) { return is_fp8(t) || t == PT_E3M2 || t == PT_E2M3 || t == PT_E2M1; }

/* ---- Multiplying ---- */

enum { MAXA = 2048, MAXB = 1024, MAXC = 256 };         /* elements: 16x128 (32x16), 128x8 (16x32), 16x16 (32x8) */

/* acc[m][n] += sum over k of a[m][k] * b[k][n]. Products of the narrow formats are exact in double. */
static void mac(double *acc, const float *a, int lda, const double *b, int M, int N, int K)
{
    for (int m = 0; m < M; m++)
        for (int n = 0; n < N; n += 8) {
            double s[8], *c = acc + m * N + n;
            const double *bb = b + n;
            const float *aa = a + m * lda;
            memcpy(s, c, sizeof s);
            for (int k = 0; k < K; k++, bb += N) {
                double x = aa[k];
                for (int j = 0; j < 8; j++) s[j] += x * bb[j];
            }
            memcpy(c, s, sizeof s);
        }
}
/* The same for one row whose k-th element belongs to row idx[k] of b; N is 8. What is not selected is not
 * multiplied. */
static void mac_sparse(double *acc, const float *a, const uint8_t *idx, const double *b, int K)
{
    double s[8];
    memcpy(s, acc, sizeof s);
    for (int k = 0; k < K; k++) {
        double x = a[k];
        const double *bb = b + idx[k] * 8;
        for (int j = 0; j < 8; j++) s[j] += x * bb[j];
    }
    memcpy(acc, s, sizeof s);
}

/* Registers -> rows of packed words. A: rows are M; B: rows are N. */
static void gather_a(warp *w, const mma_plan *p, const ptx_opnd *e, uint32_t *out, int words)
{
    int tiles = p->m >= 16 ? p->m / 16 : 1, h = p->m >= 16 ? 2 : 1, per = words / 4 * h;
    for (int r = 0; r < tiles * per; r++) {
        const uint32_t *v = R32(w, &e[r]);
        int q = r % per, row = r / per * 16 + 8 * (q % h), word = 4 * (q / h);
        for (int l = 0; l < 32; l++) out[(row + l / 4) * words + word + l % 4] = v[l];
    }
}
static void gather_b(warp *w, const mma_plan *p, const ptx_opnd *e, uint32_t *out, int words)
{
    int per = words / 4;
    for (int r = 0; r < p->n / 8 * per; r++) {
        const uint32_t *v = R32(w, &e[r]);
        int col = r / per * 8, word = 4 * (r % per);
        for (int l = 0; l < 32; l++) out[(col + l / 4) * words + word + l % 4] = v[l];
    }
}
/* Where element e of lane 0 of an accumulator is, and how far from there it is in lane l */
static inline int acc_first(const mma_plan *p, int e)
{
    int per = p->m >= 16 ? 4 : 2, tile = e / per, q = e % per, row = 8 * (q / 2), col = q % 2;
    if (p->n > 8) col += 8 * tile; else row += 16 * tile;
    return row * p->n + col;
}
static inline int acc_lane(const mma_plan *p, int l) { return (l >> 2) * p->n + 2 * (l & 3); }
static inline int acc_at(const mma_plan *p, int e, int l) { return acc_first(p, e) + acc_lane(p, l); }

static void decode_elems(float *dst, const uint32_t *src, const mma_plan *p, ptx_type t, int n)
{
    if (p->kind == K_F8F6F4 || p->kind == K_MXF8F6F4) num_bytes_to_f32(dst, src, t, t == PT_E2M1 ? 2 : 0, n);
    else num_to_f32(dst, src, t, n);
}

static void load_acc(warp *w, const mma_plan *p, const ptx_opnd *e, double *acc)
{
    for (int r = 0; r < p->nc; r++) {
        const uint32_t *v = R32(w, &e[r]);
        if (p->tc == PT_F16) {
            double *lo = acc + acc_first(p, 2 * r), *hi = acc + acc_first(p, 2 * r + 1);
            for (int l = 0; l < 32; l++) {
                lo[acc_lane(p, l)] = num_f16_to_f32((uint16_t)v[l]);
                hi[acc_lane(p, l)] = num_f16_to_f32((uint16_t)(v[l] >> 16));
            }
            continue;
        }
        double *at = acc + acc_first(p, r);
        if (p->tc == PT_F32) for (int l = 0; l < 32; l++) at[acc_lane(p, l)] = num_bits_f32(v[l]);
        else for (int l = 0; l < 32; l++) at[acc_lane(p, l)] = (int32_t)v[l];
    }
}

static inline uint32_t f32_of(double x)
{
    float f = (float)x;
    return f == f ? num_f32_bits(f) : NUM_NAN32;
}
static inline uint32_t s32_of(double x, int sat)
{
    int64_t v = (int64_t)x;
    if (sat) v = v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v;
    return (uint32_t)v;
}

static void store_acc(warp *w, const mma_plan *p, const ptx_opnd *e, const double *acc, uint32_t mask)
{
    for (int r = 0; r < p->nd; r++) {
        uint32_t *v = R32(w, &e[r]), out[32];
        if (p->td == PT_F16) {
            const double *lo = acc + acc_first(p, 2 * r), *hi = acc + acc_first(p, 2 * r + 1);
            for (int l = 0; l < 32; l++)
                out[l] = num_f64_to_f16(lo[acc_lane(p, l)]) | (uint32_t)num_f64_to_f16(hi[acc_lane(p, l)]) << 16;
        } else {
            const double *at = acc + acc_first(p, r);
            if (p->td == PT_F32) for (int l = 0; l < 32; l++) out[l] = f32_of(at[acc_lane(p, l)]);
            else for (int l = 0; l < 32; l++) out[l] = s32_of(at[acc_lane(p, l)], p->sat);
        }
        for (int l = 0; l < 32; l++) v[l] = mask >> l & 1 ? out[l] : v[l];
    }
}

/* ---- Sparsity ----
 * Four bits of metadata belong to 4 elements of a row of A (2 for tf32, 8 for 4-bit types). 16- and 32-bit types: a
 * lane's word has 16 bits for row g, 16 for row g + 8; the lanes of a quad that contribute follow each other along K.
 * Smaller types: a lane's word is for one row; the lanes are those of row g, of row g + 8, then the same for the second
 * half of K. */
static void sparse_index(warp *w, const ptx_instr *i, const mma_plan *p, const uint32_t *meta, const float *a_values,
                         uint8_t idx[16][64])
{
    int wide = p->ta == PT_F16 || p->ta == PT_BF16 || p->ta == PT_TF32;
    int tf32 = p->ta == PT_TF32, pairs = p->bits == 4;
    int span = tf32 ? 2 : pairs ? 8 : 4, groups = p->k / span;
    uint32_t bad = 0; unsigned code = 0; int bad_row = 0, bad_group = 0;
    for (int row = 0; row < 16; row++)
        for (int q = 0; q < groups; q++) {
            int lane, shift, hi = row >= 8, step = wide ? 4 : 8;        /* groups in a lane's share of the row */
            lane = row % 8 * 4;
            if (wide) lane += groups <= 4 ? p->sel : p->sel * 2 + q / step, shift = 16 * hi;
            else lane += (groups <= 8 ? p->sel * 2 : q / step * 2) + hi, shift = 0;
            unsigned nib = meta[lane] >> (shift + q % step * 4) & 15, a = nib & 3, b = nib >> 2;
            uint8_t *o = &idx[row][q * span / 2];
            int ok;
            if (tf32) {
                ok = nib == 4 || nib == 14;
                o[0] = (uint8_t)(q * 2 + (a >> 1));
            } else {
                ok = p->ordered ? a < b : a != b;
                /* what compressors write for a group of zeros: adds nothing, wherever it points */
                if (p->ordered && !nib && !emu_opt.strict) {
                    const float *v = a_values + row * (p->k / 2) + q * span / 2;
                    ok = 1;
                    for (int j = 0; j < span / 2; j++) ok &= v[j] == 0;
                }
                if (pairs) for (int j = 0; j < 4; j++) o[j] = (uint8_t)(q * 8 + (j < 2 ? a : b) * 2 + j % 2);
                else o[0] = (uint8_t)(q * 4 + a), o[1] = (uint8_t)(q * 4 + b);
            }
            if (!ok) {
                if (!bad) code = nib, bad_row = row, bad_group = q;
                bad |= 1u << lane;
            }
        }
    if (bad)
        emu_report(w, i, bad, E_OPERAND, "sparsity metadata 0x%x of row %d, columns %d to %d of A is invalid: %s", code,
                   bad_row, bad_group * span, bad_group * span + span - 1,
                   tf32 ? "for .tf32 it must be 0x4 (first element) or 0xe (second)"
                   : p->ordered ? "with .sp::ordered_metadata the two indices must increase"
                   : "the two indices must differ");
}

/* ---- Block scales ----
 * A: the lane pair thread-id-a of each quad holds them, its first lane those of row g, its second those of row g + 8.
 * B: lane thread-id-b of each quad holds those of column g. byte-id: the first byte used of the lane's word. */
static unsigned selector(warp *w, const ptx_instr *i, const ptx_opnd *o, const char *name, int max, int step)
{
    const uint32_t *v = R32(w, o);
    uint32_t x = v[0] & 0xffff, differ = 0;
    for (int l = 1; l < 32; l++) if ((v[l] & 0xffff) != x) differ |= 1u << l;
    if (differ) emu_report(w, i, differ, E_OPERAND, "%s must be the same in all lanes of the warp", name);
    if ((int)x > max || x % step) {
        emu_report(w, i, EMU_FULL, E_OPERAND, "%s is %u, it must be %s", name, x,
                   max == 0 ? "0" : max == 1 ? "0 or 1" : step == 2 ? "0 or 2" : "0, 1, 2 or 3");
        x = 0;
    }
    return x;
}
static void scales(warp *w, const ptx_instr *i, const mma_plan *p, int at, double sa[16][4], double sb[8][4])
{
    const ptx_opnd *op = i->op + at;
    int bmax = p->block == 1 ? 3 : p->block == 2 ? 2 : 0, bstep = p->block == 2 ? 2 : 1;
    unsigned ba = selector(w, i, &op[1].elem[0], "byte-id-a", bmax, bstep),
             ia = selector(w, i, &op[1].elem[1], "thread-id-a", 1, 1);
    unsigned bb = selector(w, i, &op[3].elem[0], "byte-id-b", bmax, bstep),
             ib = selector(w, i, &op[3].elem[1], "thread-id-b", 3, 1);
    const uint32_t *va = R32(w, elem0(&op[0])), *vb = R32(w, elem0(&op[2]));
    for (int s = 0; s < p->block; s++) {
        for (int r = 0; r < 16; r++)
            sa[r][s] = num_decode(p->ts, va[r % 8 * 4 + ia * 2 + r / 8] >> 8 * (ba + s) & 0xff);
        for (int c = 0; c < 8; c++) sb[c][s] = num_decode(p->ts, vb[c * 4 + ib] >> 8 * (bb + s) & 0xff);
    }
}

/* ---- mma and wmma.mma ---- */

/* Lines of statistics are shared by all that run the instruction */
static void add(uint64_t *counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

static void count_flops(warp *w, const ptx_instr *i, const mma_plan *p)
{
    stat_line *s = emu_stat(w, i);
    if (model_of(w)) model_mma(w, p->ta, 2. * p->m * p->n * p->k * (p->quad ? 4 : 1) / (p->sparse ? 2 : 1));
    if (s) add(&s->flops, 2ull * p->m * p->n * p->k * (p->quad ? 4 : 1));
}

static int exec_mma(warp *w, const ptx_instr *i, uint32_t mask)
{
    const mma_plan *p = i->aux;
    full_warp(w, i, mask);
    int ka = p->sparse ? p->k / 2 : p->k, wa = ka * p->bits / 32, wb = p->k * p->bits / 32;
    uint32_t words[MAXA];
    float fa[MAXA], fb[MAXB];
    double b[MAXB], acc[MAXC];

    gather_a(w, p, elem0(&i->op[1]), words, wa);
    decode_elems(fa, words, p, p->ta, p->m * ka);
    gather_b(w, p, elem0(&i->op[2]), words, wb);
    decode_elems(fb, words, p, p->tb, p->n * p->k);
    for (int n = 0; n < p->n; n++) for (int k = 0; k < p->k; k++) b[k * p->n + n] = fb[n * p->k + k];
    load_acc(w, p, elem0(&i->op[3]), acc);

    uint8_t idx[16][64];
    if (p->sparse) sparse_index(w, i, p, R32(w, elem0(&i->op[4])), fa, idx);
    if (p->block) {
        double sa[16][4], sb[8][4];
        scales(w, i, p, p->sparse ? 6 : 4, sa, sb);
        int step = p->k / p->block, astep = ka / p->block;
        for (int r = 0; r < 16; r++)
            for (int s = 0; s < p->block; s++) {
                double part[8] = {0};
                if (p->sparse) mac_sparse(part, fa + r * ka + s * astep, idx[r] + s * astep, b, astep);
                else mac(part, fa + r * ka + s * astep, ka, b + s * step * 8, 1, 8, step);
                for (int c = 0; c < 8; c++) acc[r * 8 + c] += part[c] * (sa[r][s] * sb[c][s]);
            }
    } else if (p->sparse)
        for (int r = 0; r < 16; r++) mac_sparse(acc + r * 8, fa + r * ka, idx[r], b, ka);
    else
        mac(acc, fa, ka, b, p->m, p->n, p->k);
    store_acc(w, p, elem0(&i->op[0]), acc, mask);
    count_flops(w, i, p);
    return X_NEXT;
}

static int exec_mma_b1(warp *w, const ptx_instr *i, uint32_t mask)
{
    const mma_plan *p = i->aux;
    full_warp(w, i, mask);
    int words = p->k / 32;
    uint32_t a[16 * 8], b[8 * 8];
    double acc[MAXC];
    gather_a(w, p, elem0(&i->op[1]), a, words);
    gather_b(w, p, elem0(&i->op[2]), b, words);
    load_acc(w, p, elem0(&i->op[3]), acc);
    for (int m = 0; m < p->m; m++)
        for (int n = 0; n < 8; n++) {
            int s = 0;
            for (int k = 0; k < words; k++) {
                uint32_t x = a[m * words + k], y = b[n * words + k];
                s += __builtin_popcount(p->bitop == 'x' ? x ^ y : x & y);
            }
            acc[m * 8 + n] += s;
        }
    store_acc(w, p, elem0(&i->op[0]), acc, mask);
    count_flops(w, i, p);
    return X_NEXT;
}

/* A chain of fused multiply-adds along K, each rounded as the instruction says */
static int exec_mma_f64(warp *w, const ptx_instr *i, uint32_t mask)
{
    const mma_plan *p = i->aux;
    full_warp(w, i, mask);
    double a[16 * 16], b[8 * 16], acc[16 * 8];
    const ptx_opnd *e = elem0(&i->op[1]);
    int h = p->m / 8;
    for (int r = 0; r < p->na; r++) {
        const uint64_t *v = R64(w, &e[r]);
        for (int l = 0; l < 32; l++) a[(l / 4 + 8 * (r % h)) * p->k + l % 4 + 4 * (r / h)] = num_bits_f64(v[l]);
    }
    e = elem0(&i->op[2]);
    for (int r = 0; r < p->nb; r++) {
        const uint64_t *v = R64(w, &e[r]);
        for (int l = 0; l < 32; l++) b[l / 4 * p->k + l % 4 + 4 * r] = num_bits_f64(v[l]);
    }
    e = elem0(&i->op[3]);
    for (int r = 0; r < p->nc; r++) {
        const uint64_t *v = R64(w, &e[r]);
        for (int l = 0; l < 32; l++) acc[acc_at(p, r, l)] = num_bits_f64(v[l]);
    }
    for (int m = 0; m < p->m; m++)
        for (int n = 0; n < 8; n++) {
            double s = acc[m * 8 + n];
            for (int k = 0; k < p->k; k++) {
                double x = a[m * p->k + k], y = b[n * p->k + k];
                s = p->round == NUM_RN ? fma(x, y, s) : num_fma_f64(x, y, s, p->round);
            }
            acc[m * 8 + n] = s;
        }
    e = elem0(&i->op[0]);
    for (int r = 0; r < p->nd; r++) {
        uint64_t *v = R64(w, &e[r]);
        EMU_EACH(l, mask) v[l] = num_f64_bits(acc[acc_at(p, r, (int)l)]);
    }
    count_flops(w, i, p);
    return X_NEXT;
}

/* m8n8k4 .f16: four products, one for each quad pair: lanes 4q..4q+3 and 16+4q..16+4q+3. Row (column) x of A (B)
 * belongs to lane x % 4 of the low (x < 4) or the high quad, or with the other layout k does. */
static int exec_mma_quad(warp *w, const ptx_instr *i, uint32_t mask)
{
    const mma_plan *p = i->aux;
    full_warp(w, i, mask);
    const ptx_opnd *ea = elem0(&i->op[1]), *eb = elem0(&i->op[2]), *ec = elem0(&i->op[3]), *ed = elem0(&i->op[0]);
    const uint32_t *va[2] = {R32(w, &ea[0]), R32(w, &ea[1])}, *vb[2] = {R32(w, &eb[0]), R32(w, &eb[1])};
    double out[4][8][8];
    for (int q = 0; q < 4; q++) {
        float a[8][4], b[4][8];
        for (int x = 0; x < 8; x++)
            for (int k = 0; k < 4; k++) {
                int high = 16 * (x / 4) + 4 * q, major = high + x % 4, minor = high + k;
                int l = p->acol ? minor : major, j = p->acol ? x % 4 : k;
                a[x][k] = num_f16_to_f32((uint16_t)(va[j / 2][l] >> 16 * (j % 2)));
                l = p->bcol ? major : minor, j = p->bcol ? k : x % 4;
                b[k][x] = num_f16_to_f32((uint16_t)(vb[j / 2][l] >> 16 * (j % 2)));
            }
        for (int x = 0; x < 8; x++)
            for (int y = 0; y < 8; y++) {
                double c;
                if (p->tc == PT_F32) {          /* two rows and 2 x 2 columns a lane */
                    int l = 16 * (x / 4) + 4 * q + (x & 1) + (y & 2), j = (x & 2) + (y & 4) + (y & 1);
                    c = num_bits_f32(R32(w, &ec[j])[l]);
                } else {
                    int l = 16 * (x / 4) + 4 * q + x % 4;
                    c = num_f16_to_f32((uint16_t)(R32(w, &ec[y / 2])[l] >> 16 * (y % 2)));
                }
                for (int k = 0; k < 4; k++) c += (double)a[x][k] * b[k][y];
                out[q][x][y] = c;
            }
    }
    EMU_EACH(l, mask) {
        int q = l / 4 % 4, high = (int)l / 16 * 4;
        if (p->td == PT_F32)
            for (int j = 0; j < 8; j++)
                R32(w, &ed[j])[l] = f32_of(out[q][high + (l & 1) + (j & 2)][(j & 4) + (l & 2) + (j & 1)]);
        else
            for (int j = 0; j < 4; j++) {
                const double *c = &out[q][high + l % 4][2 * j];
                R32(w, &ed[j])[l] = num_f64_to_f16(c[0]) | (uint32_t)num_f64_to_f16(c[1]) << 16;
            }
    }
    count_flops(w, i, p);
    return X_NEXT;
}

/* ---- Decoding mma ---- */

enum { C_F16, C_BF16, C_TF32, C_F64, C_I8, C_I4, C_B1, C_FP8, C_KF8, C_MX8, C_MX4 };
static const struct { uint8_t cls, sparse, m; uint16_t k; uint8_t sm, selmax; } shapes[] = {
    {C_F16, 0, 8, 4, 70, 0}, {C_F16, 0, 16, 8, 75, 0}, {C_F16, 0, 16, 16, 80, 0}, {C_F16, 1, 16, 16, 80, 3},
    {C_F16, 1, 16, 32, 80, 1},
    {C_BF16, 0, 16, 8, 80, 0}, {C_BF16, 0, 16, 16, 80, 0}, {C_BF16, 1, 16, 16, 80, 3}, {C_BF16, 1, 16, 32, 80, 1},
    {C_TF32, 0, 16, 4, 80, 0}, {C_TF32, 0, 16, 8, 80, 0}, {C_TF32, 1, 16, 8, 80, 3}, {C_TF32, 1, 16, 16, 80, 1},
    {C_F64, 0, 8, 4, 80, 0}, {C_F64, 0, 16, 4, 90, 0}, {C_F64, 0, 16, 8, 90, 0}, {C_F64, 0, 16, 16, 90, 0},
    {C_I8, 0, 8, 16, 75, 0}, {C_I8, 0, 16, 16, 80, 0}, {C_I8, 0, 16, 32, 80, 0}, {C_I8, 1, 16, 32, 80, 1},
    {C_I8, 1, 16, 64, 80, 0},
    {C_I4, 0, 8, 32, 75, 0}, {C_I4, 0, 16, 32, 80, 0}, {C_I4, 0, 16, 64, 80, 0}, {C_I4, 1, 16, 64, 80, 1},
    {C_I4, 1, 16, 128, 80, 0},
    {C_B1, 0, 8, 128, 75, 0}, {C_B1, 0, 16, 128, 80, 0}, {C_B1, 0, 16, 256, 80, 0},
    {C_FP8, 0, 16, 16, 89, 0}, {C_FP8, 0, 16, 32, 89, 0}, {C_FP8, 1, 16, 64, 89, 0},
    {C_KF8, 0, 16, 32, 100, 0}, {C_KF8, 1, 16, 64, 100, 0},
    {C_MX8, 0, 16, 32, 120, 0}, {C_MX8, 1, 16, 64, 120, 0},
    {C_MX4, 0, 16, 64, 120, 0}, {C_MX4, 1, 16, 128, 120, 0},
};
static const uint8_t class_bits[] = {16, 16, 32, 64, 8, 4, 1, 8, 8, 8, 4};

static int decode_mma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
#define FAIL(...) return emu_decode_error(err, n, i, __VA_ARGS__)
    mma_plan p;
    memset(&p, 0, sizeof p);
    int sync = 0, aligned = 0, M = 0, N = 0, K = 0, nlay = 0, nt = 0, bs = 0, popc = 0, round = -1, vec = 0;
    char lay[2] = {0}; uint8_t t[5] = {0};
    for (int q = 1; q < i->nmod; q++) {
        const char *s = i->mod[q]; ptx_type ty;
        if (is_word(s, "sync")) sync = 1;
        else if (is_word(s, "aligned")) aligned = 1;
        else if (is_word(s, "sp")) p.sparse = 1;
        else if (is_word(s, "sp::ordered_metadata")) p.sparse = p.ordered = 1;
        else if (is_word(s, "satfinite")) p.sat = 1;
        else if (is_word(s, "row") || is_word(s, "col")) {
            if (nlay == 2) FAIL("more than two layouts");
            lay[nlay++] = s[0];
        } else if (is_word(s, "kind::f8f6f4")) p.kind = K_F8F6F4;
        else if (is_word(s, "kind::mxf8f6f4")) p.kind = K_MXF8F6F4;
        else if (is_word(s, "kind::mxf4")) p.kind = K_MXF4;
        else if (is_word(s, "kind::mxf4nvf4")) p.kind = K_MXF4NVF4;
        else if (is_word(s, "block_scale")) bs = 1;
        else if (is_word(s, "scale_vec::1X")) vec = 1;
        else if (is_word(s, "scale_vec::2X")) vec = 2;
        else if (is_word(s, "scale_vec::4X")) vec = 4;
        else if (is_word(s, "xor")) p.bitop = 'x';
        else if (is_word(s, "and")) p.bitop = 'a';
        else if (is_word(s, "popc")) popc = 1;
        else if (is_word(s, "rn")) round = NUM_RN;
        else if (is_word(s, "rz")) round = NUM_RZ;
        else if (is_word(s, "rm")) round = NUM_RM;
        else if (is_word(s, "rp")) round = NUM_RP;
        else if (parse_shape(s, &M, &N, &K)) ;
        else if ((ty = ptx_type_of(s)) != PT_NONE) { if (nt == 5) FAIL("too many types"); t[nt++] = (uint8_t)ty; }
        else FAIL("unknown modifier .%s", s);
    }
    if (!sync || !aligned) FAIL(".sync.aligned is required");
    if (nt != 4 + (bs ? 1 : 0))
        FAIL("%d types expected (D, A, B, C%s), not %d", 4 + (bs ? 1 : 0), bs ? ", scales" : "", nt);
    if (nlay != 2) FAIL("two layouts expected");
    if (N != 8) FAIL("unsupported shape");
    p.td = t[0], p.ta = t[1], p.tb = t[2], p.tc = t[3], p.ts = t[4];
    ptx_type a = p.ta, b = p.tb;

    int cls;
    if (p.kind == K_F8F6F4 || p.kind == K_MXF8F6F4) {
        if (!is_f8f6f4(a) || !is_f8f6f4(b)) FAIL("A and B of this .kind must be e4m3, e5m2, e3m2, e2m3 or e2m1");
        cls = p.kind == K_F8F6F4 ? C_KF8 : C_MX8;
    } else if (p.kind) {
        if (a != PT_E2M1 || b != PT_E2M1) FAIL("A and B of this .kind must be e2m1");
        cls = C_MX4;
    } else if (a == PT_F16 && b == a) cls = C_F16;
    else if (a == PT_BF16 && b == a) cls = C_BF16;
    else if (a == PT_TF32 && b == a) cls = C_TF32;
    else if (a == PT_F64 && b == a) cls = C_F64;
    else if ((a == PT_S8 || a == PT_U8) && (b == PT_S8 || b == PT_U8)) cls = C_I8;
    else if ((a == PT_S4 || a == PT_U4) && (b == PT_S4 || b == PT_U4)) cls = C_I4;
    else if (a == PT_B1 && b == a) cls = C_B1;
    else if (is_fp8(a) && is_fp8(b)) cls = C_FP8;
    else if (is_f8f6f4(a) && is_f8f6f4(b)) FAIL("FP6 and FP4 types require .kind::f8f6f4 or a block-scaled .kind");
    else FAIL("unsupported types of A and B");

    /* shape */
    int row = -1, any = 0;
    for (size_t q = 0; q < sizeof shapes / sizeof *shapes; q++)
        if (shapes[q].cls == cls && shapes[q].sparse == p.sparse) {
            any = 1;
            if (shapes[q].m == M && shapes[q].k == K) row = (int)q;
        }
    if (!any) FAIL("there is no sparse form for these types");
    if (row < 0) FAIL("shape m%dn%dk%d does not exist for these types%s", M, N, K, p.sparse ? " with .sp" : "");
    p.m = (uint8_t)M, p.n = 8, p.k = (uint16_t)K, p.bits = class_bits[cls], p.selmax = shapes[row].selmax;
    p.quad = cls == C_F16 && M == 8;
    if (!p.quad && (lay[0] != 'r' || lay[1] != 'c')) FAIL("the layouts must be .row.col");
    p.acol = lay[0] == 'c', p.bcol = lay[1] == 'c';

    /* accumulators */
    ptx_type c = p.tc, d = p.td;
    int f16acc = c == PT_F16 && d == PT_F16;
    switch (cls) {
    case C_F16:
        if (p.quad ? !(f16acc || (d == PT_F32 && (c == PT_F16 || c == PT_F32)))
            : !(f16acc || (c == PT_F32 && d == PT_F32)))
            FAIL("the types of D and C must be f16 and f16, or f32 and f32%s", p.quad ? ", or f32 and f16" : "");
        break;
    case C_BF16: case C_TF32:
        if (c != PT_F32 || d != PT_F32) FAIL("D and C must be f32 with bf16 and tf32");
        break;
    case C_FP8: case C_KF8:
        if (!f16acc && (c != PT_F32 || d != PT_F32)) FAIL("the types of D and C must be f16 and f16, or f32 and f32");
        break;
    case C_MX8: case C_MX4:
        if (c != PT_F32 || d != PT_F32) FAIL("block-scaled mma has f32 accumulators only");
        break;
    case C_F64:
        if (c != PT_F64 || d != PT_F64) FAIL("D and C must be f64");
        break;
    default:
        if (c != PT_S32 || d != PT_S32) FAIL("D and C must be s32");
    }
    if (p.sat && cls != C_I8 && cls != C_I4) FAIL(".satfinite is for 8- and 4-bit integers only");
    if (round >= 0 && cls != C_F64) FAIL("a rounding modifier is for f64 only");
    p.round = round < 0 ? NUM_RN : (uint8_t)round;
    if (cls == C_B1 ? !popc || !p.bitop : popc || p.bitop)
        FAIL(cls == C_B1 ? ".xor.popc or .and.popc is required" : ".popc is for b1 only");

    /* block scaling */
    if (bs != (cls == C_MX8 || cls == C_MX4))
        FAIL(bs ? ".block_scale needs .kind::mxf8f6f4, mxf4 or mxf4nvf4" : "this .kind requires .block_scale");
    if (vec && !bs) FAIL(".scale_vec needs .block_scale");
    if (bs) {
        if (p.kind == K_MXF4NVF4 && !vec) FAIL(".kind::mxf4nvf4 requires .scale_vec::2X or .scale_vec::4X");
        if (!vec) vec = p.kind == K_MXF4 ? 2 : 1;
        if (p.kind != K_MXF4NVF4 && vec != (p.kind == K_MXF4 ? 2 : 1))
            FAIL(".scale_vec::%dX is not for this .kind", vec);
        if (p.kind != K_MXF4NVF4 && p.ts != PT_UE8M0) FAIL("the scales of this .kind are ue8m0");
        if (p.kind == K_MXF4NVF4 && !(vec == 2 && p.ts == PT_UE8M0) && !(vec == 4 && (p.ts == PT_UE4M3
                                                                                      || p.ts == PT_UE8M0)))
            FAIL(".kind::mxf4nvf4 takes .scale_vec::2X with ue8m0 or .scale_vec::4X with ue4m3 or ue8m0");
        if (p.kind == K_MXF4NVF4 && vec == 4 && p.ts == PT_UE8M0
            && emu_needs(m, i, 91, p.sparse ? "120a,121a" : "120f,120a,121f,121a", err, n))
            return -1;
        p.block = (uint8_t)vec;
    }

    /* target */
    int fam = FAM_ANY, sm = shapes[row].sm; const char *what = "this shape and type";
    if (cls == C_B1 && p.bitop == 'a' && sm < 80) sm = 80, what = ".and.popc";
    if (cls == C_FP8) what = "mma with e4m3 or e5m2";
    if (p.sparse && !p.ordered && p.kind) FAIL("sparse mma with .kind is .sp::ordered_metadata only");
    if (cls == C_FP8 && p.sparse && f16acc) {
        if (!p.ordered) FAIL("sparse mma of e4m3 or e5m2 with f16 accumulators is .sp::ordered_metadata only");
        fam = FAM_120, what = "sparse mma of e4m3 or e5m2 with f16 accumulators";
    }
    if (cls == C_KF8) {
        int narrow = !is_fp8(a) || !is_fp8(b);
        fam = narrow || (p.sparse && f16acc) ? FAM_120 : FAM_BLACKWELL;
        what = narrow ? "mma with FP6 or FP4 types" : ".kind::f8f6f4";
    }
    if (bs)
        fam = p.sparse && cls == C_MX4 ? FAM_120A : FAM_120, what = p.sparse ? "sparse mma with .block_scale"
            : "mma with .block_scale";
    if (need(m, i, sm, fam, what, err, n)) return -1;

    /* operands */
    int ebits = cls == C_F64 ? 64 : 32, ka = p.sparse ? K / 2 : K;
    if (p.quad) p.na = p.nb = 2, p.nc = c == PT_F32 ? 8 : 4, p.nd = d == PT_F32 ? 8 : 4;
    else {
        p.na = (uint8_t)(M * ka * p.bits / ebits / 32), p.nb = (uint8_t)(8 * K * p.bits / ebits / 32);
        p.nc = (uint8_t)(M * 8 / 32 / (c == PT_F16 ? 2 : 1)), p.nd = (uint8_t)(M * 8 / 32 / (d == PT_F16 ? 2 : 1));
    }
    int nop = 4 + 2 * p.sparse + (bs ? 4 : 0);
    if (i->nop != nop) FAIL("%d operands expected, not %d", nop, i->nop);
    if (check_regs(i, &i->op[0], "D", p.nd, ebits, 1, err, n) || check_regs(i, &i->op[1], "A", p.na, ebits, 0, err, n)
        || check_regs(i, &i->op[2], "B", p.nb, ebits, 0, err, n) || check_regs(i, &i->op[3], "C", p.nc, ebits, 0, err,
        n)) return -1;
    ptx_type ab = cls == C_F64 ? PT_F64 : PT_B32;
    if (prep(m, fn, &i->op[1], ab, err, n) || prep(m, fn, &i->op[2], ab, err, n)
        || prep(m, fn, &i->op[3], acc_reg_type(c), err, n))
        return -1;
    if (p.sparse) {
        ptx_opnd *sel = &i->op[5];
        if (check_regs(i, &i->op[4], "the metadata", 1, 32, 0, err, n) || prep(m, fn, &i->op[4], PT_B32, err, n))
            return -1;
        if (sel->kind != PO_IMM) FAIL("the sparsity selector must be an immediate");
        if (sel->imm < 0 || sel->imm > p.selmax)
            FAIL("the sparsity selector is %lld, for this shape and type it must be %s", (long long)sel->imm,
                 p.selmax == 0 ? "0" : p.selmax == 1 ? "0 or 1" : "0 to 3");
        p.sel = (uint8_t)sel->imm;
    }
    if (bs) {
        ptx_opnd *o = &i->op[4 + 2 * p.sparse];
        for (int q = 0; q < 4; q += 2) {
            static const char *const name[] = {"scale-a-data", "", "scale-b-data", ""};
            if (check_regs(i, &o[q], name[q], 1, 32, 0, err, n) || prep(m, fn, &o[q], PT_B32, err, n)) return -1;
            if (o[q + 1].kind != PO_VEC || o[q + 1].n != 2) FAIL("{byte-id, thread-id} must follow %s", name[q]);
            for (int x = 0; x < 2; x++) {
                ptx_opnd *s = &o[q + 1].elem[x];
                if (s->kind == PO_REG ? ptx_type_bits(s->type) != 16 : s->kind != PO_IMM)
                    FAIL("byte-id and thread-id must be 16-bit registers or immediates");
                int max = x ? (q ? 3 : 1) : vec == 1 ? 3 : vec == 2 ? 2 : 0;
                if (s->kind == PO_IMM && (s->imm < 0 || s->imm > max || (!x && vec == 2 && s->imm % 2)))
                    FAIL("%s-id-%c is %lld, out of range for .scale_vec::%dX", x ? "thread" : "byte", q ? 'b' : 'a',
                         (long long)s->imm, vec);
                if (emu_prepare(m, fn, s, PT_U16, err, n)) return -1;
            }
        }
    }
    if (!(i->aux = intern(&p))) FAIL("out of memory");
    i->flags |= I_ALIGNED;
    i->exec = p.quad ? exec_mma_quad : cls == C_F64 ? exec_mma_f64 : cls == C_B1 ? exec_mma_b1 : exec_mma;
    return 0;
#undef FAIL
}

/* ---- wmma ---- */

typedef struct wmma_plan {
    mma_plan g;                         /* shape, bits; ta: element type; acol: stored by columns */
    uint8_t role, space, nreg;          /* role 'a', 'b', 'c' (of d too) */
    uint16_t lines, len;                /* contiguous runs in memory: how many, elements in each */
    uint32_t line_bytes, align;
} wmma_plan;

/* Registers that hold a fragment once, without repetition */
static int frag_regs(const mma_plan *g, int role, ptx_type t)
{
    int elements = role == 'a' ? g->m * g->k : role == 'b' ? g->k * g->n : g->m * g->n;
    int bits = t == PT_F16 || t == PT_BF16 ? 16
             : t == PT_F64 ? 64
             : t == PT_S8 || t == PT_U8 ? 8
             : t == PT_S4 || t == PT_U4 ? 4
             : t == PT_B1 ? 1
             : 32;
    return elements * bits / 32 / (bits == 64 ? 64 : 32);
}

/* Which wmma shapes exist for elements of type t as A and B: minimum target, 0 if none */
static int wmma_shape(int M, int N, int K, ptx_type t)
{
    int k16 = K == 16 && ((M == 16 && N == 16) || (M == 8 && N == 32) || (M == 32 && N == 8));
    switch (t) {
    case PT_F16: return k16 ? 70 : 0;
    case PT_BF16: return k16 ? 80 : 0;
    case PT_S8: case PT_U8: return k16 ? 72 : 0;
    case PT_TF32: return M == 16 && N == 16 && K == 8 ? 80 : 0;
    case PT_F64: return M == 8 && N == 8 && K == 4 ? 80 : 0;
    case PT_S4: case PT_U4: return M == 8 && N == 8 && K == 32 ? 75 : 0;
    case PT_B1: return M == 8 && N == 8 && K == 128 ? 75 : 0;
    default: return 0;
    }
}
/* The same for C and D */
static int wmma_acc_shape(int M, int N, int K, ptx_type t)
{
    int best = 0;
    static const uint8_t of_f32[] = {PT_F16, PT_BF16, PT_TF32, 0}, of_f16[] = {PT_F16, 0},
                         of_s32[] = {PT_S8, PT_S4, PT_B1, 0}, of_f64[] = {PT_F64, 0};
    const uint8_t *l = t == PT_F32 ? of_f32 : t == PT_F16 ? of_f16 : t == PT_S32 ? of_s32 : t == PT_F64 ? of_f64 : NULL;
    for (; l && *l; l++) {
        int sm = wmma_shape(M, N, K, *l);
        if (sm && (!best || sm < best)) best = sm;
    }
    return best;
}

/* The runs of a matrix in memory: checks that lanes agree, and accesses each run for a lane of its own */
static void wmma_lines(warp *w, const ptx_instr *i, const wmma_plan *p, uint32_t mask, const ptx_opnd *mem, int flags,
                       uint8_t *buf)
{
    int first = __builtin_ctz(mask);
    uint64_t base = emu_mem_addr(w, mem, first);
    int64_t ld = p->len;
    uint32_t differ = 0;
    if (i->nop == 3) {
        const uint32_t *s = R32(w, &i->op[2]);
        ld = (int32_t)s[first];
        EMU_EACH(l, mask) if (s[l] != s[first]) differ |= 1u << l;
    }
    EMU_EACH(l, mask) if (emu_mem_addr(w, mem, (int)l) != base) differ |= 1u << l;
    if (differ)
        emu_report(w, i, differ, E_OPERAND,
                   "the address and the stride of wmma must be the same in all lanes of the warp");
    if (flags & A_WRITE && ld < p->len)
        emu_report(w, i, mask, E_OPERAND, "stride %lld is less than the %d elements of a %s: they overlap",
                   (long long)ld, p->len, p->g.acol ? "column" : "row");
    int shared; uint32_t s32;
    shared = p->space == SP_SHARED || (p->space == SP_NONE && emu_to_shared(SP_NONE, base, &s32));
    for (int x = 0; x < p->lines; x++) {
        uint64_t at = base + (uint64_t)(ld * x * p->g.bits / 8);
        int lane = mask >> (x % 32) & 1 ? x % 32 : first;
        uint8_t *q = emu_access(w, i, lane, p->space, at, p->line_bytes, p->align, flags);
        uint8_t *b = buf + x * p->line_bytes;
        if (flags & A_WRITE) { if (q) memcpy(q, b, p->line_bytes); }
        else if (q) memcpy(b, q, p->line_bytes);
        else memset(b, (int)(EMU_POISON & 0xff), p->line_bytes);
    }
    stat_line *st = emu_stat(w, i);
    if (st) {
        uint64_t bytes = (uint64_t)p->lines * p->line_bytes;
        if (shared) add(&st->shared_bytes, bytes);
        else {
            uint64_t seen[256]; int n = 0;
            add(&st->global_bytes, bytes);
            for (int x = 0; x < p->lines; x++) {
                uint64_t at = base + (uint64_t)(ld * x * p->g.bits / 8);
                for (uint64_t s = at >> 5; s <= (at + p->line_bytes - 1) >> 5; s++) {
                    int j = 0;
                    while (j < n && seen[j] != s) j++;
                    if (j == n && n < 256) seen[n++] = s;
                }
            }
            add(&st->sectors, (uint64_t)n);
        }
    }
}

/* What register r of lane l of a fragment of A (B) holds: row (column) x, word of K */
static void frag_word(const wmma_plan *p, int r, int l, int *x, int *word)
{
    int epw = 32 / p->g.bits, words = p->g.k / epw;
    if (p->role == 'a') {
        int h = p->g.m >= 16 ? 2 : 1, per = words / 4 * h, q = r % per;
        *x = r / per * 16 + 8 * (q % h) + l / 4, *word = 4 * (q / h) + l % 4;
    } else {
        int per = words / 4;
        *x = r / per * 8 + l / 4, *word = 4 * (r % per) + l % 4;
    }
}

static int exec_wmma_load(warp *w, const ptx_instr *i, uint32_t mask)
{
    const wmma_plan *p = i->aux;
    uint8_t buf[2048];
    full_warp(w, i, mask);
    wmma_lines(w, i, p, mask, &i->op[1], A_READ, buf);
    const ptx_opnd *e = elem0(&i->op[0]);
    int bytes = p->g.bits / 8, once = frag_regs(&p->g, p->role, p->g.ta);
    if (p->g.bits == 64) {
        for (int r = 0; r < p->nreg; r++) {
            uint64_t *v = R64(w, &e[r]);
            EMU_EACH(l, mask) {
                /* row of A or C, column of B; k or column of C */
                int a = (int)l / 4, b = p->role == 'c' ? 2 * (l % 4) + r : l % 4;
                int row_major = p->role == 'b' ? p->g.acol : !p->g.acol;
                int line = row_major ? a : b, at = row_major ? b : a;
                memcpy(&v[l], buf + line * p->line_bytes + at * 8, 8);
            }
        }
        return X_NEXT;
    }
    for (int r = 0; r < p->nreg; r++) {
        uint32_t *v = R32(w, &e[r]);
        EMU_EACH(l, mask) {
            uint32_t word = 0;
            if (p->role == 'c') {
                int per = 32 / p->g.bits;
                for (int j = 0; j < per; j++) {
                    int at = acc_at(&p->g, r * per + j, (int)l), row = at / p->g.n, col = at % p->g.n;
                    int line = p->g.acol ? col : row, pos = p->g.acol ? row : col;
                    memcpy((uint8_t *)&word + j * bytes, buf + line * p->line_bytes + pos * bytes, bytes);
                }
            } else {
                int x, kw, along = p->role == 'a' ? !p->g.acol : p->g.acol;     /* K is contiguous in memory */
                frag_word(p, r % once, (int)l, &x, &kw);
                if (along) memcpy(&word, buf + x * p->line_bytes + kw * 4, 4);
                else for (int j = 0; j < 4 / bytes; j++)
                    memcpy((uint8_t *)&word + j * bytes, buf + (kw * (4 / bytes) + j) * p->line_bytes + x * bytes,
                           bytes);
            }
            v[l] = word;
        }
    }
    return X_NEXT;
}

static int exec_wmma_store(warp *w, const ptx_instr *i, uint32_t mask)
{
    const wmma_plan *p = i->aux;
    uint8_t buf[2048];
    full_warp(w, i, mask);
    const ptx_opnd *e = elem0(&i->op[1]);
    int bytes = p->g.bits / 8, per = p->g.bits == 16 ? 2 : 1;
    for (int r = 0; r < p->nreg; r++) {
        const uint8_t *v = (const uint8_t *)R32(w, &e[r]);      /* a lane's share has 4 bytes, or 8 */
        for (int l = 0; l < 32; l++)
            for (int j = 0; j < per; j++) {
                int at = acc_at(&p->g, r * per + j, l), row = at / p->g.n, col = at % p->g.n;
                int line = p->g.acol ? col : row, pos = p->g.acol ? row : col;
                memcpy(buf + line * p->line_bytes + pos * bytes, v + l * (bytes == 8 ? 8 : 4) + j * bytes, bytes);
            }
    }
    wmma_lines(w, i, p, mask, &i->op[0], A_WRITE, buf);
    return X_NEXT;
}

static int decode_wmma_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, int load, char *err, size_t n)
{
#define FAIL(...) return emu_decode_error(err, n, i, __VA_ARGS__)
    wmma_plan p;
    memset(&p, 0, sizeof p);
    int M = 0, N = 0, K = 0, sync = 0, aligned = 0; char lay = 0, role = 0; ptx_type t = PT_NONE;
    p.space = SP_NONE;
    for (int q = 2; q < i->nmod; q++) {
        const char *s = i->mod[q];
        if (is_word(s, "a") || is_word(s, "b") || is_word(s, "c") || is_word(s, "d")) role = s[0];
        else if (is_word(s, "sync")) sync = 1;
        else if (is_word(s, "aligned")) aligned = 1;
        else if (is_word(s, "row") || is_word(s, "col")) lay = s[0];
        else if (is_word(s, "global")) p.space = SP_GLOBAL;
        else if (is_word(s, "shared") || is_word(s, "shared::cta")) p.space = SP_SHARED;
        else if (parse_shape(s, &M, &N, &K)) ;
        else if (t == PT_NONE && (t = ptx_type_of(s)) != PT_NONE) ;
        else FAIL("unknown modifier .%s", s);
    }
    if (!sync || !aligned) FAIL(".sync.aligned is required");
    if (load ? role != 'a' && role != 'b' && role != 'c' : role != 'd')
        FAIL("which matrix must be said: .%s", load ? "a, .b or .c" : "d");
    if (!lay) FAIL(".row or .col is required");
    if (role == 'd') role = 'c';
    int sm = role == 'c' ? wmma_acc_shape(M, N, K, t) : wmma_shape(M, N, K, t);
    if (!sm) FAIL("there is no such matrix of shape m%dn%dk%d with this type", M, N, K);
    if (need(m, i, sm, FAM_ANY, "this shape and type", err, n)) return -1;
    int sub = t == PT_S4 || t == PT_U4 || t == PT_B1;
    if (sub && (role == 'a' ? lay != 'r' : lay != 'c')) FAIL("4-bit and 1-bit matrices are .row for A and .col for B");
    p.g.wmma = 1, p.g.m = (uint8_t)M, p.g.n = (uint8_t)N, p.g.k = (uint16_t)K, p.g.ta = (uint8_t)t,
        p.g.acol = lay == 'c';
    p.g.bits = t == PT_F16 || t == PT_BF16 ? 16
             : t == PT_F64 ? 64
             : t == PT_S8 || t == PT_U8 ? 8
             : t == PT_S4 || t == PT_U4 ? 4
             : t == PT_B1 ? 1
             : 32;
    p.role = (uint8_t)role;
    p.nreg = (uint8_t)(t == PT_F16 && role != 'c' ? 8 : frag_regs(&p.g, role, t));
    int rows = role == 'b' ? K : M, cols = role == 'a' ? K : N;
    p.lines = (uint16_t)(lay == 'r' ? rows : cols), p.len = (uint16_t)(lay == 'r' ? cols : rows);
    p.line_bytes = p.len * p.g.bits / 8;
    /* each row (column) starts at a multiple of a lane's fragment; 16 bytes are enough for what the library
     * documents */
    p.align = p.nreg * (p.g.bits == 64 ? 8u : 4u);
    if (p.align > 16) p.align = 16;

    if (i->nop != 2 && i->nop != 3) FAIL("2 or 3 operands expected, not %d", i->nop);
    ptx_opnd *mem = &i->op[load ? 1 : 0], *vec = &i->op[load ? 0 : 1];
    int bits = p.g.bits == 64 ? 64 : 32;
    if (mem->kind != PO_MEM) FAIL("an address is expected");
    if (check_regs(i, vec, "the fragment", p.nreg, bits, load, err, n)) return -1;
    if (!load && prep(m, fn, vec, acc_reg_type(t), err, n)) return -1;
    if (emu_prepare(m, fn, mem, PT_U64, err, n)) return -1;
    if (i->nop == 3) {
        if (i->op[2].kind == PO_REG && ptx_type_bits(i->op[2].type) != 32) FAIL("the stride must be 32-bit");
        if (emu_prepare(m, fn, &i->op[2], PT_B32, err, n)) return -1;
    }
    wmma_plan *q = malloc(sizeof *q);           /* lives with the module */
    if (!q) FAIL("out of memory");
    *q = p;
    i->aux = q;
    i->flags |= I_ALIGNED;
    i->exec = load ? exec_wmma_load : exec_wmma_store;
    return 0;
#undef FAIL
}

static int decode_wmma(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
#define FAIL(...) return emu_decode_error(err, n, i, __VA_ARGS__)
    if (i->nmod < 2) FAIL("load, store or mma is expected");
    if (is_word(i->mod[1], "load")) return decode_wmma_ldst(m, fn, i, 1, err, n);
    if (is_word(i->mod[1], "store")) return decode_wmma_ldst(m, fn, i, 0, err, n);
    if (!is_word(i->mod[1], "mma")) FAIL("unknown operation .%s", i->mod[1]);
    mma_plan p;
    memset(&p, 0, sizeof p);
    int sync = 0, aligned = 0, M = 0, N = 0, K = 0, nlay = 0, nt = 0, popc = 0, round = -1;
    char lay[2] = {0}; uint8_t t[4] = {0};
    for (int q = 2; q < i->nmod; q++) {
        const char *s = i->mod[q]; ptx_type ty;
        if (is_word(s, "sync")) sync = 1;
        else if (is_word(s, "aligned")) aligned = 1;
        else if (is_word(s, "satfinite")) p.sat = 1;
        else if (is_word(s, "row") || is_word(s, "col")) {
            if (nlay == 2) FAIL("more than two layouts");
            lay[nlay++] = s[0];
        } else if (is_word(s, "xor")) p.bitop = 'x';
        else if (is_word(s, "and")) p.bitop = 'a';
        else if (is_word(s, "popc")) popc = 1;
        else if (is_word(s, "rn")) round = NUM_RN;
        else if (is_word(s, "rz")) round = NUM_RZ;
        else if (is_word(s, "rm")) round = NUM_RM;
        else if (is_word(s, "rp")) round = NUM_RP;
        else if (parse_shape(s, &M, &N, &K)) ;
        else if ((ty = ptx_type_of(s)) != PT_NONE) { if (nt == 4) FAIL("too many types"); t[nt++] = (uint8_t)ty; }
        else FAIL("unknown modifier .%s", s);
    }
    if (!sync || !aligned) FAIL(".sync.aligned is required");
    if (nlay != 2) FAIL("two layouts expected");
    if (nt == 2) p.td = t[0], p.tc = t[1], p.ta = p.tb = PT_F16;
    else if (nt == 4) p.td = t[0], p.ta = t[1], p.tb = t[2], p.tc = t[3];
    else FAIL("types of D and C (f16), or of D, A, B and C are expected");
    if (p.ta != p.tb) FAIL("A and B must be of the same type");
    int sm = wmma_shape(M, N, K, p.ta);
    if (!sm) FAIL("shape m%dn%dk%d does not exist for this type", M, N, K);
    int isint = 0, f64 = 0, sub = 0;
    p.bits = 16;
    switch (p.ta) {
    case PT_F16:
        if ((p.td != PT_F16 && p.td != PT_F32) || (p.tc != PT_F16 && p.tc != PT_F32))
            FAIL("D and C must be f16 or f32");
        break;
    case PT_BF16: case PT_TF32:
        if (p.td != PT_F32 || p.tc != PT_F32) FAIL("D and C must be f32");
        if (p.ta == PT_TF32) p.bits = 32;
        break;
    case PT_F64: if (p.td != PT_F64 || p.tc != PT_F64) FAIL("D and C must be f64"); p.bits = 64; f64 = 1; break;
    default:
        if (p.td != PT_S32 || p.tc != PT_S32) FAIL("D and C must be s32");
        p.bits = p.ta == PT_B1 ? 1 : p.ta == PT_S4 || p.ta == PT_U4 ? 4 : 8;
        isint = p.ta != PT_B1, sub = p.bits < 8;
    }
    if (p.sat && !isint) FAIL(".satfinite is for 8- and 4-bit integers only");
    if (round >= 0 && !f64) FAIL("a rounding modifier is for f64 only");
    if (p.ta == PT_B1 ? !popc || !p.bitop : popc || p.bitop)
        FAIL(p.ta == PT_B1 ? ".xor.popc or .and.popc is required" : ".popc is for b1 only");
    if (sub && (lay[0] != 'r' || lay[1] != 'c')) FAIL("the layouts of 4-bit and 1-bit matrices must be .row.col");
    if (p.bitop == 'a' && sm < 80) sm = 80;
    if (need(m, i, sm, FAM_ANY, "this shape and type", err, n)) return -1;
    p.wmma = 1, p.m = (uint8_t)M, p.n = (uint8_t)N, p.k = (uint16_t)K, p.round = round < 0 ? NUM_RN : (uint8_t)round;
    p.na = (uint8_t)(p.ta == PT_F16 ? 8 : frag_regs(&p, 'a', p.ta)),
        p.nb = (uint8_t)(p.ta == PT_F16 ? 8 : frag_regs(&p, 'b', p.ta));
    p.nc = (uint8_t)frag_regs(&p, 'c', p.tc), p.nd = (uint8_t)frag_regs(&p, 'c', p.td);
    int bits = f64 ? 64 : 32;
    if (i->nop != 4) FAIL("4 operands expected, not %d", i->nop);
    if (check_regs(i, &i->op[0], "D", p.nd, bits, 1, err, n) || check_regs(i, &i->op[1], "A", p.na, bits, 0, err, n)
        || check_regs(i, &i->op[2], "B", p.nb, bits, 0, err, n) || check_regs(i, &i->op[3], "C", p.nc, bits, 0, err,
        n)) return -1;
    ptx_type ab = f64 ? PT_F64 : PT_B32;
    if (prep(m, fn, &i->op[1], ab, err, n) || prep(m, fn, &i->op[2], ab, err, n)
        || prep(m, fn, &i->op[3], acc_reg_type(p.tc), err, n))
        return -1;
    if (!(i->aux = intern(&p))) FAIL("out of memory");
    i->flags |= I_ALIGNED;
    i->exec = f64 ? exec_mma_f64 : p.ta == PT_B1 ? exec_mma_b1 : exec_mma;
    return 0;
#undef FAIL
}

/* ---- ldmatrix, stmatrix, movmatrix ----
 * f[0]: matrices, f[1]: rows of each in memory (16 bytes, one address of one lane), f[2]: transposed, f[3]: bits of an
 * element in memory (16, 8, 6, 4; S4: signed ones, without the padding of a row), f[4]: space */
enum { S4 = 5 };

/* One matrix row of one lane; counts what 8 rows at a time cost in shared memory */
static uint8_t *matrix_row(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint32_t size, int flags)
{
    uint32_t s;
    if (i->f[4] == SP_NONE && !emu_to_shared(SP_NONE, addr, &s)) {
        emu_report(w, i, 1u << lane, E_OOB_SHARED, "%s: generic address 0x%llx is not in shared memory", i->mod[0],
                   (unsigned long long)addr);
        return NULL;
    }
    return emu_access(w, i, lane, (int)i->f[4], addr, size, i->f[3] == S4 ? 8 : 16, flags);
}
static void matrix_stats(warp *w, const ptx_instr *i, const uint64_t *addr)
{
    stat_line none, *st = emu_stat(w, i) ? emu_stat(w, i) : &none;
    if (st == &none && !w->cta->cl->model) return;
    int rows = (int)(i->f[0] * i->f[1]);
    add(&st->shared_bytes, 16u * (unsigned)rows);
    for (int p = 0; p < rows; p += 8) {
        int worst = 0;
        for (int bank = 0; bank < 8; bank++) {          /* of 16 bytes */
            int n = 0;
            for (int a = p; a < p + 8; a++) {
                int again = 0;
                if ((int)(addr[a] >> 4 & 7) != bank) continue;
                for (int b = p; b < a; b++) again |= addr[b] == addr[a];
                n += !again;
            }
            if (n > worst) worst = n;
        }
        if (worst > 1) add(&st->conflicts, (unsigned)(worst - 1));
        model_work(w, MP_LSU, worst > 1 ? worst : 1);
    }
}

static int exec_ldmatrix(warp *w, const ptx_instr *i, uint32_t mask)
{
    int nmat = (int)i->f[0], rows = (int)i->f[1], trans = (int)i->f[2], bits = (int)i->f[3];
    uint8_t buf[32][16];
    uint64_t addr[32];
    const ptx_opnd *e = elem0(&i->op[0]);
    full_warp(w, i, mask);
    uint32_t size = bits == 6 ? 12 : bits == 4 || bits == S4 ? 8 : 16;  /* what pads a row to 16 bytes is not read */
    for (int l = 0; l < nmat * rows; l++) {
        addr[l] = emu_mem_addr(w, &i->op[1], l);
        const uint8_t *p = mask >> l & 1 ? matrix_row(w, i, l, addr[l], size, A_READ) : NULL;
        uint8_t *b = buf[l];
        if (!p) memset(b, (int)(EMU_POISON & 0xff), 16);
        else if (bits == 6)
            for (int j = 0; j < 16; j++) {
                int at = j * 6, v = p[at / 8] | (at / 8 < 11 ? p[at / 8 + 1] << 8 : 0);
                b[j] = v >> at % 8 & 63;
            }
        else if (bits == 4) for (int j = 0; j < 16; j++) b[j] = p[j / 2] >> 4 * (j % 2) & 15;
        else if (bits == S4)
            for (int j = 0; j < 16; j++) b[j] = (uint8_t)(((p[j / 2] >> 4 * (j % 2) & 15) ^ 8) - 8);
        else memcpy(b, p, 16);
    }
    int nreg = rows == 16 ? nmat * 2 : nmat;
    for (int r = 0; r < nreg; r++) {
        uint32_t *v = R32(w, &e[r]);
        EMU_EACH(l, mask) {
            int g = (int)l / 4, t = l % 4;
            uint8_t *o = (uint8_t *)&v[l];
            if (rows == 16) for (int j = 0; j < 4; j++) o[j] = buf[r / 2 * 16 + 4 * t + j][g + 8 * (r % 2)];
            else if (!trans) memcpy(o, &buf[r * 8 + g][4 * t], 4);
            else for (int j = 0; j < 2; j++) memcpy(o + 2 * j, &buf[r * 8 + 2 * t + j][2 * g], 2);
        }
    }
    matrix_stats(w, i, addr);
    return X_NEXT;
}

static int exec_stmatrix(warp *w, const ptx_instr *i, uint32_t mask)
{
    int nmat = (int)i->f[0], trans = (int)i->f[2], bits = (int)i->f[3];
    uint8_t buf[32][16];
    uint64_t addr[32];
    const ptx_opnd *e = elem0(&i->op[1]);
    full_warp(w, i, mask);
    for (int r = 0; r < nmat; r++) {
        const uint32_t *v = R32(w, &e[r]);
        for (int l = 0; l < 32; l++) {
            int g = l / 4, t = l % 4;
            const uint8_t *s = (const uint8_t *)&v[l];
            if (bits == 8) for (int j = 0; j < 4; j++) buf[r * 8 + 2 * t + j % 2][g + 8 * (j / 2)] = s[j];
            else if (!trans) memcpy(&buf[r * 8 + g][4 * t], s, 4);
            else for (int j = 0; j < 2; j++) memcpy(&buf[r * 8 + 2 * t + j][2 * g], s + 2 * j, 2);
        }
    }
    for (int l = 0; l < nmat * 8; l++) {
        addr[l] = emu_mem_addr(w, &i->op[0], l);
        uint8_t *p = mask >> l & 1 ? matrix_row(w, i, l, addr[l], 16, A_WRITE) : NULL;
        if (p) memcpy(p, buf[l], 16);
    }
    matrix_stats(w, i, addr);
    return X_NEXT;
}

static int exec_movmatrix(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint16_t in[8][8];
    full_warp(w, i, mask);
    const uint32_t *s = R32(w, elem0(&i->op[1]));
    for (int l = 0; l < 32; l++) memcpy(&in[l / 4][2 * (l % 4)], &s[l], 4);
    uint32_t *d = R32(w, elem0(&i->op[0]));
    EMU_EACH(l, mask) d[l] = in[2 * (l % 4)][l / 4] | (uint32_t)in[2 * (l % 4) + 1][l / 4] << 16;
    return X_NEXT;
}

static int decode_matrix(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
#define FAIL(...) return emu_decode_error(err, n, i, __VA_ARGS__)
    enum { LD, ST, MOV } what = i->mod[0][0] == 'l' ? LD : i->mod[0][0] == 's' ? ST : MOV;
    int sync = 0, aligned = 0, trans = 0, space = SP_NONE, num = 0;
    const char *shape = "", *dst = "", *src = "";
    for (int q = 1; q < i->nmod; q++) {
        const char *s = i->mod[q];
        if (is_word(s, "sync")) sync = 1;
        else if (is_word(s, "aligned")) aligned = 1;
        else if (is_word(s, "trans")) trans = 1;
        else if (is_word(s, "m8n8") || is_word(s, "m16n16") || is_word(s, "m8n16") || is_word(s, "m16n8")) shape = s;
        else if (is_word(s, "b16") || is_word(s, "b8") || is_word(s, "b8x16")) dst = s;
        else if (what == LD && (is_word(s, "b6x16_p32") || is_word(s, "b4x16_p64") || is_word(s, "s4"))) src = s;
        else if (what == LD && is_word(s, "s8")) dst = s;
        else if (what != MOV && (is_word(s, "x1") || is_word(s, "x2") || is_word(s, "x4"))) num = s[1] - '0';
        else if (what != MOV && (is_word(s, "shared") || is_word(s, "shared::cta"))) space = SP_SHARED;
        else FAIL("unknown modifier .%s", s);
    }
    if (!sync || !aligned) FAIL(".sync.aligned is required");
    i->flags |= I_ALIGNED;
    if (what == MOV) {
        if (!is_word(shape, "m8n8") || !is_word(dst, "b16") || !trans) FAIL("only .m8n8.trans.b16 exists");
        if (need(m, i, 75, FAM_ANY, "movmatrix", err, n)) return -1;
        if (i->nop != 2) FAIL("2 operands expected, not %d", i->nop);
        if (check_regs(i, &i->op[0], "d", 1, 32, 1, err, n) || check_regs(i, &i->op[1], "a", 1, 32, 0, err, n))
            return -1;
        if (prep(m, fn, &i->op[1], PT_B32, err, n)) return -1;
        i->exec = exec_movmatrix;
        return 0;
    }
    if (!num) FAIL(".x1, .x2 or .x4 is required");
    int rows = 8, bits = 16, fam = FAM_ANY, sm = what == LD ? 75 : 90;
    if (is_word(shape, "m8n8")) {
        if (!is_word(dst, "b16") || *src) FAIL("m8n8 is for .b16");
    } else if (what == ST) {
        if (!is_word(shape, "m16n8")) FAIL("unsupported shape");
        if (!is_word(dst, "b8")) FAIL("m16n8 is for .b8");
        if (!trans) FAIL("m16n8 requires .trans");
        bits = 8, fam = FAM_BLACKWELL, sm = 100;
    } else {
        int wide = is_word(shape, "m16n16");
        if (!wide && !is_word(shape, "m8n16")) FAIL("unsupported shape");
        if (is_word(dst, "s8")) {
            if (wide || !is_word(src, "s4")) FAIL(".s8.s4 goes with m8n16");
            if (emu_needs(m, i, 94, "90a," EMU_BLACKWELL_120, err, n)) return -1;
            bits = S4;
        } else if (is_word(dst, "b8x16")) {
            if (!*src || is_word(src, "s4")) FAIL(".b8x16 needs .b6x16_p32 or .b4x16_p64");
            bits = src[1] - '0';
        } else {
            if (!is_word(dst, "b8") || *src || !wide)
                FAIL("m16n16 is for .b8, and m16n16 and m8n16 for .b8x16.b6x16_p32 and .b8x16.b4x16_p64");
            bits = 8;
        }
        if (wide && !trans) FAIL("m16n16 requires .trans");
        if (!wide && trans) FAIL("m8n16 has no .trans");
        if (wide && num == 4) FAIL("m16n16 is .x1 or .x2");
        rows = wide ? 16 : 8;
        if (bits != S4) fam = FAM_BLACKWELL, sm = 100;
    }
    if (need(m, i, sm, fam, fam ? "this shape" : i->mod[0], err, n)) return -1;
    if (i->nop != 2) FAIL("2 operands expected, not %d", i->nop);
    ptx_opnd *mem = &i->op[what == LD ? 1 : 0], *vec = &i->op[what == LD ? 0 : 1];
    if (mem->kind != PO_MEM) FAIL("an address is expected");
    if (check_regs(i, vec, what == LD ? "the destination" : "the source", (unsigned)(rows == 16 ? num * 2 : num), 32,
                   what == LD, err, n))
        return -1;
    if (what == ST && prep(m, fn, vec, PT_B32, err, n)) return -1;
    if (emu_prepare(m, fn, mem, PT_U64, err, n)) return -1;
    i->f[0] = (uint32_t)num, i->f[1] = (uint32_t)rows, i->f[2] = (uint32_t)trans, i->f[3] = (uint32_t)bits,
        i->f[4] = (uint32_t)space;
    i->exec = what == LD ? exec_ldmatrix : exec_stmatrix;
    return 0;
#undef FAIL
}

const emu_family emu_mma[] = {
    {"mma", decode_mma}, {"wmma", decode_wmma}, {"ldmatrix", decode_matrix}, {"stmatrix", decode_matrix},
    {"movmatrix", decode_matrix}, {0}
};
