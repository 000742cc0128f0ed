/* matrix_mma.c - mma.sync and mma.sp: fragments, metadata and scale selectors as in the PTX ISA's sections on mma and
 * mma.sp; ldmatrix, stmatrix, movmatrix. Three warps, each with one round of data. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include "matrix.h"

enum { THREADS = 32 * MX_ROUNDS };

/* g: group of four lanes, t: lane within it. A register holds n elements (1 for f64). A: rows g and g + 8, k in blocks
 * of 4n; B alike */
static void frag_a(int lane, int reg, int j, int n, int *row, int *k)
{
    *row = lane / 4 + reg % 2 * 8;
    *k = reg / 2 * 4 * n + lane % 4 * n + j;
}
static void frag_b(int lane, int reg, int j, int n, int *k, int *col)
{
    *k = reg * 4 * n + lane % 4 * n + j;
    *col = lane / 4;
}
static void frag_d(int lane, int i, int *row, int *col) { *row = lane / 4 + i / 2 * 8; *col = lane % 4 * 2 + i % 2; }

typedef struct { int m, n, d16, quads; mx_type d; mx_expect e[]; } expect_t;   /* by round, quad pair, row, col */

/* Quad pairs of m8n8k4: lanes 4q..4q+3 and 16+4q..; x: 0..7 within the pair */
static void pair_of(int lane, int *q, int *x) { *q = lane % 16 / 4; *x = lane % 4 + lane / 16 * 4; }
static void frag_d884(int lane, int i, int f32, int *row, int *col)
{
    int q, x;
    pair_of(lane, &q, &x);
    if (!f32) { *row = x; *col = i; return; }
    *row = (lane & 1) + (i & 2) + lane / 16 * 4; *col = (i & 4) + (lane & 2) + (i & 1);
}

static void check(isa_case *c)
{
    expect_t *x = c->data;
    int nout = (int)c->user[0], per = x->d16 ? 2 : 1;
    for (int th = 0; th < THREADS; th++) for (int r = 0; r < nout; r++) for (int h = 0; h < per; h++) {
        int lane = th % 32, i = r * per + h, row, col, q = 0, dummy;
        if (x->quads) {
            pair_of(lane, &q, &dummy);
            frag_d884(lane, i, !x->d16, &row, &col);
        } else frag_d(lane, i, &row, &col);
        uint64_t got = ((uint64_t *)c->out)[th * nout + r];
        if (x->d16) got = got >> 16 * h & 0xffff;
        mx_expect e = x->e[((th / 32 * (x->quads ? 4 : 1) + q) * x->m + row) * x->n + col];
        double v = mx_value(x->d, got);
        if (!mx_good(e, v)) {
            isa_fail(c, "round %d: D[%d][%d] (lane %d, register %d) is %.9g (0x%llx), must be %.9g .. %.9g", th / 32,
                     row, col, lane, r, v, (unsigned long long)got, e.lo, e.hi);
            return;
        }
    }
}

static uint64_t *slot(isa_case *c, const mx_regs *r, int op, int thread, int reg)
{
    return (uint64_t *)c->in + (size_t)thread * r->nin + r->op[op].slot + reg;
}

/* c->in for C, and its values */
static void put_c(isa_case *c, const mx_regs *r, int op, int w, mx_type ct, int quads, int q, mx_product_t *p)
{
    int per = ct == MX_F16 ? 2 : 1;
    for (int i = 0; i < p->m * p->n; i++) p->C[i] = 0;
    if (r->op[op].dir == 'm') return;
    for (int lane = 0; lane < 32; lane++) for (int i = 0; i < r->op[op].count * per; i++) {
        int row, col, lq = 0, x;
        if (quads) {
            pair_of(lane, &lq, &x);
            frag_d884(lane, i, ct != MX_F16, &row, &col);
        } else frag_d(lane, i, &row, &col);
        if (lq != q) continue;
        /* with an f16 D, a C of f32 must stay in its range */
        uint64_t code = mx_random_acc(ct, p->round);
        if (p->d == MX_F16 && ct == MX_F32 && p->round != MX_EXACT) code = mx_encode(ct, isa_int(-100, 100));
        p->C[row * p->n + col] = mx_value(ct, code);
        *slot(c, r, op, w * 32 + lane, i / per) |= code << (ct == MX_F16 ? i % 2 * 16 : 0);
    }
}

static int build_884(isa_case *c, mx_regs *r, const mx_type *t)
{
    const char *s = strstr(c->v->mnemonic, "m8n8k4.") + 7;
    int acol = !strncmp(s, "col", 3), bcol = !strncmp(s + 4, "col", 3);
    expect_t *x = c->data = calloc(1, sizeof *x + MX_ROUNDS * 4 * 64 * sizeof(mx_expect));
    *x = (expect_t){ .m = 8, .n = 8, .d16 = t[0] == MX_F16, .quads = 1, .d = t[0] };
    for (int w = 0; w < MX_ROUNDS; w++) for (int q = 0; q < 4; q++) {
        mx_product_t *p = mx_new(8, 8, 4, 0);
        p->d = t[0]; p->round = w;
        for (int lane = 0; lane < 32; lane++) {
            int lq, pos;
            pair_of(lane, &lq, &pos);
            if (lq != q) continue;
            for (int i = 0; i < 4; i++) {
                uint64_t a = mx_random(MX_F16, t[0], w), b = mx_random(MX_F16, t[0], w);
                *slot(c, r, 1, w * 32 + lane, i / 2) |= a << i % 2 * 16;
                *slot(c, r, 2, w * 32 + lane, i / 2) |= b << i % 2 * 16;
                if (acol) p->A[(i + lane / 16 * 4) * 4 + lane % 4] = mx_value(MX_F16, a);
                else p->A[pos * 4 + i] = mx_value(MX_F16, a);
                if (bcol) p->B[i * 8 + pos] = mx_value(MX_F16, b);
                else p->B[lane % 4 * 8 + i + lane / 16 * 4] = mx_value(MX_F16, b);
            }
        }
        put_c(c, r, 3, w, t[3], 1, q, p);
        mx_product(p, x->e + (w * 4 + q) * 64);
        free(p);
    }
    return 0;
}

static int build(isa_case *c)
{
    const char *mn = c->v->mnemonic;
    mx_regs r;
    mx_type t[5] = { MX_NONE };
    int m, n, k, nt = mx_types(mn, t, 5);
    const char *shape = strstr(mn, ".m");
    while (shape && sscanf(shape, ".m%dn%dk%d", &m, &n, &k) != 3) shape = strstr(shape + 1, ".m");
    if (!shape || nt < 4 || mx_parse_ops(c, &r)) return -1;
    c->block[0] = THREADS;
    isa_in(c, (size_t)THREADS * r.nin * 8);
    memset(isa_out(c, (size_t)THREADS * r.nout * 8), 0, c->out_size);
    memset(c->out, 0, c->out_size);
    c->user[0] = r.nout;
    c->check = check;
    if (m == 8 && k == 4 && t[0] != MX_F64) {
        if (build_884(c, &r, t)) return -1;
        mx_emit_regs(c, &r, "");
        return 0;
    }
    int ordered = strstr(mn, "ordered_metadata") != NULL, sparse = !strncmp(mn, "mma.sp", 6);
    int box = strstr(mn, "f8f6f4") ? 8 : mx_bits(t[1]);        /* bits an element takes in a register */
    int per = box == 64 ? 1 : 32 / box;
    int pairs = box == 4, kind = !sparse ? 0 : t[1] == MX_TF32 ? 1 : 2;
    int scaled = isa_has(c, ".block_scale"), vec = 0;
    if (scaled) vec = isa_number(c, ".scale_vec::", strstr(mn, "mxf8f6f4") ? 1 : 2);
    int meta_op = sparse ? 4 : -1, sa_op = sparse ? 6 : 4, sb_op = sa_op + 2;
    if (r.nops != 4 + sparse * 2 + scaled * 4) return -1;
    int kc = sparse ? k / 2 : k;
    if (r.op[1].count * per * 32 != m * kc || r.op[2].count * per * 32 != k * n) return -1;
    expect_t *x = c->data = calloc(1, sizeof *x + (size_t)(MX_ROUNDS * m * n) * sizeof(mx_expect));
    *x = (expect_t){ .m = m, .n = n, .d16 = t[0] == MX_F16, .d = t[0] };
    uint64_t *codes = malloc(sizeof *codes * (size_t)(m * kc));
    for (int w = 0; w < MX_ROUNDS; w++) {
        mx_product_t *p = mx_new(m, n, k, vec);
        p->a = t[1]; p->b = t[2]; p->c = t[3]; p->d = t[0]; p->round = w;
        p->sat = isa_has(c, ".satfinite");
        p->b1 = isa_has(c, ".xor") ? 'x' : isa_has(c, ".and") ? '&' : 0;
        p->rnd = isa_has(c, ".rz") ? 'z' : isa_has(c, ".rm") ? 'm' : isa_has(c, ".rp") ? 'p' : 'n';
        for (int i = 0; i < m * kc; i++) codes[i] = mx_random(t[1], t[0], w);
        if (sparse) {
            int sel = atoi(r.op[5].imm), span = kind == 1 ? 2 : pairs ? 8 : 4, chunks = k / span;
            for (int lane = 0; lane < 32; lane++) *slot(c, &r, meta_op, w * 32 + lane, 0) = (uint32_t)isa_random();
            for (int i = 0; i < m * k; i++) p->A[i] = MX_ABSENT;
            for (int row = 0; row < m; row++) for (int ch = 0; ch < chunks; ch++) {
                int pos[2], lane, bit;
                uint32_t nib = mx_metadata(kind, ordered, pos);
                if (box >= 16) {
                    lane = row % 8 * 4 + (chunks == 4 ? sel : 2 * sel) + ch / 4;
                    bit = row / 8 * 16 + ch % 4 * 4;
                } else { lane = row % 8 * 4 + row / 8 + ch / 8 * 2 + 2 * sel; bit = ch % 8 * 4; }
                uint64_t *e = slot(c, &r, meta_op, w * 32 + lane, 0);
                *e = (*e & ~(15ull << bit)) | (uint64_t)nib << bit;
                for (int i = 0; i < span / 2; i++) {
                    int at = pairs ? pos[i / 2] * 2 + i % 2 : pos[i];
                    p->A[row * k + ch * span + at] = mx_value(t[1], codes[row * kc + ch * span / 2 + i]);
                }
            }
        } else for (int i = 0; i < m * k; i++) p->A[i] = mx_value(t[1], codes[i]);
        for (int lane = 0; lane < 32; lane++) {
            int row, col, kk;
            for (int i = 0; i < r.op[1].count; i++) for (int j = 0; j < per; j++) {
                frag_a(lane, i, j, per, &row, &kk);
                uint64_t code = codes[row * kc + kk];
                *slot(c, &r, 1, w * 32 + lane, i) |= (box == 8 && t[1] == MX_E2M1 ? code << 2 : code)
                    << (per > 1 ? j * box : 0);
            }
            for (int i = 0; i < r.op[2].count; i++) for (int j = 0; j < per; j++) {
                frag_b(lane, i, j, per, &kk, &col);
                uint64_t code = mx_random(t[2], t[0], w);
                p->B[kk * n + col] = mx_value(t[2], code);
                *slot(c, &r, 2, w * 32 + lane, i) |= (box == 8 && t[2] == MX_E2M1 ? code << 2 : code)
                    << (per > 1 ? j * box : 0);
            }
        }
        if (scaled) {
            int id[4];      /* byte a, thread a, byte b, thread b */
            for (int s = 0; s < 2; s++) {
                int op = s ? sb_op : sa_op;
                if (r.op[op + 1].dir == 'm') {
                    if (sscanf(r.op[op + 1].imm, "{%d,%d}", &id[2 * s], &id[2 * s + 1]) != 2) return -1;
                } else {
                    id[2 * s] = vec == 1 ? isa_int(0, 3) : vec == 2 ? isa_int(0, 1) * 2 : 0;
                    id[2 * s + 1] = isa_int(0, s ? 3 : 1);
                    for (int lane = 0; lane < 32; lane++)
                        for (int i = 0; i < 2; i++) *slot(c, &r, op + 1, w * 32 + lane, i) = (uint64_t)id[2 * s + i];
                }
                for (int lane = 0; lane < 32; lane++) *slot(c, &r, op, w * 32 + lane, 0) = (uint32_t)isa_random();
                for (int i = 0; i < (s ? n : m); i++) for (int v = 0; v < vec; v++) {
                    uint64_t code = mx_random_scale(t[4], w);
                    int lane = s ? i * 4 + id[3] : i % 8 * 4 + id[1] * 2 + i / 8, bit = (id[2 * s] + v) * 8;
                    uint64_t *e = slot(c, &r, op, w * 32 + lane, 0);
                    *e = (*e & ~(255ull << bit)) | code << bit;
                    if (s) p->SB[v * n + i] = mx_value(t[4], code); else p->SA[i * vec + v] = mx_value(t[4], code);
                }
            }
        }
        put_c(c, &r, 3, w, t[3], 0, 0, p);
        mx_product(p, x->e + w * m * n);
        free(p);
    }
    free(codes);
    mx_emit_regs(c, &r, "");
    return 0;
}
ISA_FAMILY(mma, "mma", build)
