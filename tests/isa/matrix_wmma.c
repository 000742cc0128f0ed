/* matrix_wmma.c - wmma.load, wmma.mma, wmma.store. Fragments are opaque, so every case is a whole chain: A, B and C are
 * loaded, multiplied, and D is stored; the row's instruction is in it as the table writes it, its partners are chosen
 * at random: layout, stride, state space.
 * Three warps, each with one round of data and matrices of its own. What the store must not touch is compared, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

enum { AREA = 2048, IN = 3 * AREA, WARPS = MX_ROUNDS };

typedef struct part {       /* one of A, B, C, D */
    mx_type t;
    int col;                /* column-major */
    int rows, cols, stride, strided, regs;
    const char *space;      /* of the mnemonic */
    int in_shared;
    char mnemonic[120];
} part;
typedef struct { int m, n; part d; mx_expect e[]; } wmma_t;

static long element(const part *p, int row, int col)
{
    return p->col ? (long)col * p->stride + row : (long)row * p->stride + col;
}
static uint64_t get(const uint8_t *at, const part *p, int row, int col)
{
    int bits = mx_bits(p->t);
    long bit = element(p, row, col) * bits;
    uint64_t v = 0;
    memcpy(&v, at + bit / 8, (size_t)(bits + 7) / 8);
    return bits < 8 ? v >> bit % 8 & ((1u << bits) - 1) : v;
}
static void set(uint8_t *at, const part *p, int row, int col, uint64_t v)
{
    int bits = mx_bits(p->t);
    long bit = element(p, row, col) * bits;
    if (bits >= 8) memcpy(at + bit / 8, &v, (size_t)bits / 8);
    else at[bit / 8] = (uint8_t)((at[bit / 8] & ~(((1 << bits) - 1) << bit % 8)) | (int)v << bit % 8);
}

static void check(isa_case *c)
{
    wmma_t *x = c->data;
    for (int w = 0; w < WARPS; w++) {
        uint8_t *got = c->out + w * AREA, covered[AREA] = { 0 };
        for (int i = 0; i < x->m; i++) for (int j = 0; j < x->n; j++) {
            uint64_t code = get(got, &x->d, i, j);
            double v = mx_value(x->d.t, code);
            mx_expect e = x->e[(w * x->m + i) * x->n + j];
            if (!mx_good(e, v)) {
                isa_fail(c, "round %d: D[%d][%d] is %.9g (0x%llx), must be %.9g .. %.9g", w, i, j, v,
                         (unsigned long long)code, e.lo, e.hi);
                return;
            }
            memset(covered + element(&x->d, i, j) * mx_bits(x->d.t) / 8, 1, (size_t)mx_bits(x->d.t) / 8);
        }
        for (int i = 0; i < AREA; i++)
            if (!covered[i] && got[i] != ISA_FILL) {
                isa_fail(c, "byte %d, which is none of D's, was written", i);
                return;
            }
    }
}

static void address(isa_case *c, const part *p, const char *reg, int offset)
{
    /* a 64-bit address: of the global or the shared copy, or generic */
    isa_put(c, "mad.wide.u32 %s, %%w, %d, %s;\n", reg, p->in_shared ? IN + AREA : offset >= IN ? AREA : IN,
            p->in_shared ? "%sm" : offset >= IN ? "%out" : "%in");
    isa_put(c, "add.u64 %s, %s, %d;\n", reg, reg, p->in_shared ? offset : offset % IN);
    if (!*p->space) isa_put(c, "cvta.%s.u64 %s, %s;\n", p->in_shared ? "shared" : "global", reg, reg);
}
static int build(isa_case *c)
{
    const char *mn = c->v->mnemonic;
    static const char *const letter[] = { "a", "b", "c" };
    int m, n, k, tested = -1, sm = isa_sm;
    const char *s = strstr(mn, ".m");
    while (s && sscanf(s, ".m%dn%dk%d", &m, &n, &k) != 3) s = strstr(s + 1, ".m");
    if (!s) return -1;
    char shape[20];
    snprintf(shape, sizeof shape, "m%dn%dk%d", m, n, k);
    mx_type t[4] = { MX_NONE };
    int nt = mx_types(mn, t, 4);
    mx_type ab = MX_NONE, ct = MX_NONE, dt = MX_NONE;
    if (!strncmp(mn, "wmma.mma", 8)) { tested = 4; dt = t[0]; ct = t[nt - 1]; ab = nt == 2 ? MX_F16 : t[1]; }
    else if (!strncmp(mn, "wmma.store", 10)) { tested = 3; dt = t[0]; }
    else for (int i = 0; i < 3; i++) if (mn[10] == *letter[i]) { tested = i; if (i < 2) ab = t[0]; else ct = t[0]; }
    if (tested < 0) return -1;
    /* what goes with it */
    mx_type acc = dt ? dt : ct;
    if (!ab) ab = k == 8 ? MX_TF32 : acc == MX_F64 ? MX_F64 : k == 128 ? MX_B1 : k == 32 ? isa_int(0, 1) ? MX_S4 : MX_U4
        : acc == MX_S32 ? isa_int(0, 1) ? MX_S8 : MX_U8 : acc == MX_F16 || sm < 80 || isa_int(0, 1) ? MX_F16 : MX_BF16;
    if (!acc) acc = mx_is_int(ab) ? MX_S32 : ab == MX_F64 ? MX_F64 : MX_F32;
    if (!dt) dt = acc;
    if (!ct) ct = acc;

    part p[4];
    memset(p, 0, sizeof p);
    char suffixed[60];
    for (int i = 0; i < 4; i++) {
        part *q = &p[i];
        q->t = i < 2 ? ab : i == 2 ? ct : dt;
        q->rows = i == 1 ? k : m; q->cols = i == 0 ? k : n;
        q->regs = i < 2 && ab == MX_F16 ? 8 : q->rows * q->cols * mx_bits(q->t) / (mx_bits(q->t) == 64 ? 2048 : 1024);
        static const char *const spaces[] = { "", ".global", ".shared", ".shared::cta" };
        if (tested == i) {
            q->col = isa_has(c, ".col");
            q->space = isa_has(c, ".global") ? ".global"
                     : isa_has(c, ".shared") ? ".shared"
                     : isa_has(c, ".shared::cta") ? ".shared::cta"
                     : "";
            q->strided = !strcmp(c->v->note, "stride");
        } else {
            q->col = mx_bits(ab) < 8 && i < 2 ? i == 1 : isa_int(0, 1);
            q->space = spaces[isa_int(0, 3)];
            q->strided = isa_int(0, 1);
        }
        if (tested == 4 && i < 2) q->col = !strncmp(strstr(mn, ".aligned.") + 9 + 4 * i, "col", 3);
        q->in_shared = *q->space ? q->space[1] == 's' : isa_int(0, 1);
        int dim = q->col ? q->rows : q->cols, bits = mx_bits(q->t);
        /* strides keep rows aligned to 32 bytes, a fragment's size at most */
        q->stride = q->strided ? ((dim * bits + 255) / 256 + isa_int(0, 1)) * 256 / bits : dim;
    }
    static const char *const word[] = { [MX_F16] = "f16", [MX_BF16] = "bf16", [MX_TF32] = "tf32", [MX_F32] = "f32",
                                        [MX_F64] = "f64", [MX_S8] = "s8",
        [MX_U8] = "u8", [MX_S4] = "s4", [MX_U4] = "u4", [MX_B1] = "b1", [MX_S32] = "s32" };
    for (int i = 0; i < 4; i++)
        snprintf(p[i].mnemonic, sizeof p[i].mnemonic, i < 3 ? "wmma.load.%s.sync.aligned.%s.%s%s.%s"
                 : "wmma.store.%s.sync.aligned.%s.%s%s.%s", i < 3 ? letter[i] : "d", p[i].col ? "col" : "row", shape,
                 p[i].space, word[p[i].t]);
    char mma[400];
    if (ab == MX_F16) snprintf(suffixed, sizeof suffixed, "%s.%s", word[dt], word[ct]);
    else snprintf(suffixed, sizeof suffixed, "%s.%s.%s.%s", word[dt], word[ab], word[ab], word[ct]);
    snprintf(mma, sizeof mma, "wmma.mma%s.sync.aligned.%s.%s.%s.%s", ab == MX_B1 ? ".xor.popc" : "", p[0].col ? "col"
             : "row", p[1].col ? "col" : "row", shape, suffixed);
    if (tested == 4) snprintf(mma, sizeof mma, "%s", mn);
    else if (strcmp(p[tested].mnemonic, mn)) return -1;

    /* data */
    uint8_t *in = isa_in(c, WARPS * IN);
    isa_out(c, WARPS * AREA);
    for (int i = 0; i < WARPS * IN; i++) in[i] = (uint8_t)(isa_random() >> 13);
    wmma_t *x = c->data = calloc(1, sizeof *x + (size_t)(WARPS * m * n) * sizeof(mx_expect));
    *x = (wmma_t){ .m = m, .n = n, .d = p[3] };
    for (int w = 0; w < WARPS; w++) {
        mx_product_t *pr = mx_new(m, n, k, 0);
        pr->a = pr->b = ab; pr->c = ct; pr->d = dt; pr->round = w;
        pr->sat = strstr(mma, ".satfinite") != NULL;
        pr->b1 = ab != MX_B1 ? 0 : strstr(mma, ".xor") ? 'x' : '&';
        pr->rnd = strstr(mma, ".rz") ? 'z' : strstr(mma, ".rm") ? 'm' : strstr(mma, ".rp") ? 'p' : 'n';
        double *values[] = { pr->A, pr->B, pr->C };
        for (int i = 0; i < 3; i++) for (int r = 0; r < p[i].rows; r++) for (int q = 0; q < p[i].cols; q++) {
            /* an f32 C must stay within the range of an f16 D */
            uint64_t code = i < 2 ? mx_random(ab, dt == MX_F16 ? MX_F16 : ct, w)
                          : dt == MX_F16 && ct == MX_F32 && w ? mx_encode(ct, isa_int(-100, 100))
                          : mx_random_acc(ct, w);
            set(in + w * IN + i * AREA, &p[i], r, q, code);
            values[i][r * p[i].cols + q] = mx_value(p[i].t, code);
        }
        mx_product(pr, x->e + w * m * n);
        free(pr);
    }
    c->check = check;
    c->block[0] = 32 * WARPS;
    c->smem = WARPS * (IN + AREA);

    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%w, %%i, %%v, %%s; .reg .b64 %%sm, %%p, %%q; .reg .pred %%c;\nmov.u64 %%sm, dsmem;\nshr.u32 "
            "%%w, %%tx, 5;\n");
    for (int i = 0; i < 4; i++)
        isa_put(c, ".reg .%s %%%c<%d>;\n", p[i].t == MX_F64 ? "f64"
                                           : i > 1 && p[i].t == MX_F32 ? "f32"
                                           : "b32", "abcd"[i], p[i].regs);
    /* everything is in shared memory too: warp w's A, B, C, D at w * (IN + AREA) */
    for (int w = 0; w < WARPS; w++) for (int half = 0; half < 2; half++)
        isa_put(c,
                "mov.u32 %%i, %%tx;\nL%d_%d:\nmad.wide.u32 %%p, %%i, 4, %s;\nld.global.b32 %%v, "
                "[%%p+%d];\nmad.wide.u32 %%q, %%i, 4, %%sm;\nst.shared.b32 [%%q+%d], %%v;\n"
                "add.u32 %%i, %%i, %d;\nsetp.lt.u32 %%c, %%i, %d;\n@%%c bra L%d_%d;\n", w, half, half ? "%out" : "%in",
                w * (half ? AREA : IN), w * (IN + AREA) + half * IN, 32 * WARPS, (half ? AREA : IN) / 4, w, half);
    isa_put(c, "bar.sync 0;\n");
    for (int i = 0; i < 4; i++) {
        if (i == 3) isa_put(c, "%s {", mma);
        if (i == 3) for (int f = 0; f < 4; f++) {
            int part = f == 0 ? 3 : f - 1;
            for (int r = 0; r < p[part].regs; r++) isa_put(c, "%s%%%c%d", r ? "," : "", "abcd"[part], r);
            isa_put(c, "%s", f < 3 ? "}, {" : "};\n");
        }
        address(c, &p[i], "%p", i * AREA);
        if (p[i].strided) isa_put(c, "mov.u32 %%s, %d;\n", p[i].stride);
        isa_put(c, "%s ", p[i].mnemonic);
        if (i == 3) isa_put(c, "[%%p], ");
        isa_put(c, "{");
        for (int r = 0; r < p[i].regs; r++) isa_put(c, "%s%%%c%d", r ? "," : "", "abcd"[i], r);
        isa_put(c, i == 3 ? "}" : "}, [%%p]");
        isa_put(c, p[i].strided ? ", %%s;\n" : ";\n");
    }
    if (p[3].in_shared) {
        isa_put(c, "bar.sync 0;\n");
        for (int w = 0; w < WARPS; w++)
            isa_put(c,
                    "mov.u32 %%i, %%tx;\nR%d:\nmad.wide.u32 %%p, %%i, 4, %%sm;\nld.shared.b32 %%v, "
                    "[%%p+%d];\nmad.wide.u32 %%q, %%i, 4, %%out;\nst.global.b32 [%%q+%d], %%v;\n"
                    "add.u32 %%i, %%i, %d;\nsetp.lt.u32 %%c, %%i, %d;\n@%%c bra R%d;\n", w, w * (IN + AREA) + IN,
                    w * AREA, 32 * WARPS, AREA / 4, w);
    }
    isa_end(c);
    return 0;
}
ISA_FAMILY(wmma, "wmma", build)
