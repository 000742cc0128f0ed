/* matrix_tc5mma.c - tcgen05.mma, .sp, .ws, .ws.sp of every kind. Each variant runs once, with random M, N, types,
 * layouts, negation, lanes disabled, zero-column mask; all Tensor Memory it was given is compared, also what must not
 * change.
 *
 * Where element (m, n) of D lies. r: row within the CTA's share of M.
 *     A  M 256, two CTAs: lane r (128 each), column n            B  M 128, two CTAs, dense: lane r (64 each) + 64 for
 *                                                                   the upper half of N
 *     C  M 128, two CTAs, sparse: lane r%16 + r/16*32, column n  D  M 128: lane m          E  M 64 .ws: lane m + 64 for
 *     the upper half of N
 *     F  M 64: like C                                            G  M 32 .ws: lane m + 32 for each quarter of N
 * C and F may lie 16 lanes further up. A in Tensor Memory: row m in the lanes that its D rows have, 32 bytes of k from
 * its column on. B, E and G keep a copy of A (and of the metadata) in each half or quarter of the lanes.
 * Metadata, chunk x (4 elements; tf32: 2; 4-bit: 8) of a row: 16- and 32-bit types: lane m%8 + x/4*8 of the sixteen,
 * bits m/8%2*16 + x%4*4; others: the row's lane, column x/8, bits x%8*4.
 * sm_107. K of 64 bytes: dense f8f6f4 and mxf8f6f4 64, mxf4 kinds 128 (and 96, and sparse 192), sparse mxf8f6f4 128.
 * Then
 * M is 128 for each CTA, and a dense mxf8f6f4 has its elements of 4 and 6 bits without gaps. Sparse elements of 4 bits
 * have
 * the metadata of those of 8. Lookup tables: B is 3-bit indices, 48 bytes for a column's 128, of which bit 53 of the
 * descriptor chooses the half; eight e4m3 for eight columns of B in two columns of Tensor Memory, a lane each, counted
 * in
 * each CTA from its first column of B. Scales of A in 128 lanes: row i in lane i, its words in columns one after
 * another.
 * Scales of row (column) i of the CTA's share (of N): lanes i%32 of all quarters, column i/32, bytes from the scale
 * factor id on; layout B: those of each half of N in its half of the lanes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

typedef struct {
    int m, n, ctas, lane, cols, dcol, scratch, nscratch, d16; mx_type d; char layout; mx_expect *e, *quarters;
    uint32_t *old; uint8_t lanes_off[256]; char say[300];
} tc5_t;

/* of element (m, n): CTA, lane, column relative to D's */
static void place_d(const tc5_t *x, int m, int n, int *cta, int *lane, int *col)
{
    int share = x->m / x->ctas, r = m % share;
    *cta = m / share; *lane = r; *col = n;
    switch (x->layout) {
    case 'B': case 'E': *lane = r + n / (x->n / 2) * 64; *col = n % (x->n / 2); break;
    case 'C': case 'F': *lane = r % 16 + r / 16 * 32 + x->lane; break;
    case 'G': *lane = r + n / (x->n / 4) * 32; *col = n % (x->n / 4); break;
    default: break;
    }
}
/* the lanes that hold row r of A; returns their number */
static int lanes_a(const tc5_t *x, int r, int *lane)
{
    int copies = x->layout == 'B' || x->layout == 'E' ? 2 : x->layout == 'G' ? 4 : 1;
    for (int i = 0; i < copies; i++) lane[i] = r + i * 128 / copies;
    if (x->layout == 'C' || x->layout == 'F') lane[0] = r % 16 + r / 16 * 32 + x->lane;
    return copies;
}

static void check(isa_case *c)
{
    tc5_t *x = c->data;
    const uint32_t *got = (uint32_t *)c->out;
    int whole = 1, in_quarters = 1;
    uint8_t *is_d = calloc((size_t)(x->ctas * 128 * x->cols), 1);
    for (int m = 0; m < x->m && !c->failed; m++) for (int n = 0; n < x->n; n++) {
        int cta, lane, col;
        place_d(x, m, n, &cta, &lane, &col);
        int at = (cta * 128 + lane) * x->cols + x->dcol + col;
        if (x->lanes_off[cta * 128 + lane]) continue;       /* untouched */
        is_d[at] = 1;
        mx_expect e = x->e[m * x->n + n];
        double v = mx_value(x->d, got[at]);
        if (x->quarters && m % 32 == 31) {      /* one of the two readings for all these rows */
            if (!mx_good(x->quarters[m * x->n + n], v)) in_quarters = 0;
            if (!mx_good(e, v)) whole = 0;
            if (whole || in_quarters) continue;
        }
        if (!mx_good(e, v)) {
            isa_fail(c, "D[%d][%d] (CTA %d, lane %d, column %d) is %.9g (0x%x), must be %.9g .. %.9g; %s", m, n, cta,
                     lane, col, v, got[at], e.lo, e.hi, x->say);
            break;
        }
    }
    for (int i = 0; i < x->ctas * 128 * x->cols && !c->failed; i++) {
        int col = i % x->cols;
        if (is_d[i] || (col >= x->scratch && col < x->scratch + x->nscratch)) continue;
        if (got[i] != x->old[i])
            isa_fail(c, "CTA %d, lane %d, column %d changed from %08x to %08x; %s", i / x->cols / 128,
                     i / x->cols % 128, col, x->old[i], got[i], x->say);
    }
    free(is_d);
}

/* 4- and 6-bit elements of f8f6f4 kinds in shared memory: sixteen lie at the beginning of 16 bytes */
static void put(uint8_t *smem, const mx_smem *s, int mn, int k, int bits, uint64_t code)
{
    if (s->bits == 6 || s->bits == 3) {                 /* without gaps */
        mx_smem bytes = *s;
        bytes.bits = 8;
        for (int b = 0; b < bits; b++) {
            uint8_t *at = smem + mx_smem_at(&bytes, mn, (k * bits + b) / 8);
            int bit = (k * bits + b) % 8;
            *at = (uint8_t)((*at & ~(1 << bit)) | (int)(code >> b & 1) << bit);
        }
        return;
    }
    if (s->bits != 8 || bits == 8) { mx_smem_put(smem, s, mn, k, code); return; }
    for (int b = 0; b < bits; b++) {
        int bit = k % 16 * bits + b;
        uint8_t *at = smem + mx_smem_at(s, mn, k / 16 * 16 + bit / 8);
        *at = (uint8_t)((*at & ~(1 << bit % 8)) | (int)(code >> b & 1) << bit % 8);
    }
}
static int pick(const int *list, int n) { return list[isa_int(0, n - 1)]; }
#define PICK(...) pick((const int[]){ __VA_ARGS__ }, (int)(sizeof((int[]){ __VA_ARGS__ }) / sizeof(int)))
/* bits of the zero-column mask: runs of use+1 zeros and skip+1 ones */
static int masked(uint64_t desc, int part, int j)
{
    if (!(desc >> 39 & 1)) return 0;
    int zeros = (int)(desc >> 48 & 255) + 1, ones = (int)(desc >> 40 & 255) + 1, i = j + (int)(desc >> 8 * part & 255),
        first = (int)(desc >> (32 + part) & 1);
    i %= zeros + ones;
    return first ? i < ones : i >= zeros;
}

static int build(isa_case *c)
{
    const char *mn = c->v->mnemonic, *s;
    enum { F16, TF32, F8, I8, TI16, MX8, MX4, NV4 } kind = F16;
    static const char *const kinds[] = { ".kind::f16", ".kind::tf32", ".kind::f8f6f4", ".kind::i8", ".kind::ti16",
                                         ".kind::mxf8f6f4",
                                         ".kind::mxf4", ".kind::mxf4nvf4" };
    int found = 0;
    for (int i = 0; i < 8; i++) if (isa_has(c, kinds[i])) { kind = i; found = 1; }
    if (!found) return -1;
    int sparse = isa_has(c, ".sp"), ws = isa_has(c, ".ws"), group = isa_has(c, ".cta_group::2") ? 2 : 1,
        ts = !strncmp(c->v->note, "TS", 2), scaled = kind >= MX8, ashift = isa_has(c, ".ashift");
    int vec = !scaled ? 0
            : kind == MX8 ? 1
            : kind == MX4 ? 2
            : isa_has(c, ".scale_vec::4X") || isa_has(c, ".block16") ? 4
            : 2;
    /* operands after D, A, B: metadata, idesc, scales, lanes, predicate, scale or mask */
    int op = 3, has_lanes = 0, enable = -1, down = 0, has_mask = 0, lut = isa_has(c, ".decompress::lut::b");
    if (sparse || lut) op++;
    op += 1 + 2 * scaled;
    s = isa_op(c, op);
    if (s && !strncmp(s, "in{", 3)) { has_lanes = 1; s = isa_op(c, ++op); }
    if (!s) return -1;
    if (sscanf(s, "imm %d", &enable) != 1 && strcmp(s, "in pred")) return -1;
    int enable_imm = enable >= 0;
    if (!enable_imm) enable = isa_int(0, 3) != 0;
    s = isa_op(c, ++op);
    int has_down = s && sscanf(s, "imm %d", &down) == 1;
    if (s && !has_down) { if (strcmp(s, "in b64")) return -1; has_mask = 1; }
    if (isa_op(c, op + 1)) return -1;

    /* shape, types */
    tc5_t *x = c->data = calloc(1, sizeof *x);      /* e and old hang on to it, below */
    int m = ws ? PICK(32, 64, 128) : group == 1 ? scaled || ashift ? 128 : PICK(64, 128) : (scaled && sparse)
        || ashift ? 256 : PICK(128, 256), n;
    /* the longer K of sm_103 (96 of 4 bits) and sm_107 */
    int rubin = isa_sm == 107, longer = 0, named = strstr(mn, ".scale_vec") != NULL, tight = 0;
    if (rubin && kind == F8 && !ws && !sparse) longer = lut || isa_int(0, 1);
    if (rubin && kind == MX8) longer = lut || isa_int(0, 1);
    if (rubin && kind >= MX4 && !named) longer = isa_int(0, sparse ? 1 : 2);
    if (longer) m = 128 * group;
    int trans_a = 0, trans_b = 0, round = PICK(MX_EXACT, MX_EXACT, MX_WIDE, MX_SPECIAL);
    static const mx_type f8[] = { MX_E4M3, MX_E5M2, MX_E2M3, MX_E3M2, MX_E2M1 };
    static const int f8_code[] = { 0, 1, 3, 4, 5 };
    mx_type a, b, d = MX_F32, st = MX_UE8M0;
    int acode, bcode;
    switch (kind) {
    case F16:
        acode = bcode = isa_int(0, 1); a = b = acode ? MX_BF16 : MX_F16;
        if (!acode && isa_int(0, 1)) d = MX_F16;
        break;
    case TF32: a = b = MX_TF32; acode = bcode = 2; break;
    case I8:
        acode = isa_int(0, 1); bcode = isa_int(0, 1); a = acode ? MX_S8 : MX_U8; b = bcode ? MX_S8 : MX_U8; d = MX_S32;
        break;
    case TI16: a = b = MX_TI16; d = MX_S32; acode = bcode = 3; break;
    case F8: case MX8:
        acode = isa_int(0, kind == F8 && longer ? 1 : 4); bcode = isa_int(0, lut ? 0 : kind == F8 && longer ? 1 : 4);
            a = f8[acode]; b = f8[bcode]; acode = f8_code[acode];
        bcode = f8_code[bcode];
        if (kind == F8 && isa_int(0, 1)) d = MX_F16;
        break;
    default: a = b = MX_E2M1; acode = bcode = 1; if (vec == 4 && isa_int(0, 1)) st = MX_UE4M3;
        if (rubin && kind == NV4) st = (mx_type)PICK(MX_UE8M0, MX_UE4M3, MX_UE5M3);
        break;
    }
    int abits = mx_bits(a), bbits = mx_bits(b), box = kind == F16 || kind == TI16 ? 16 : kind == TF32 ? 32 : kind >=
        MX4 ? 4 : 8;
    if (kind == TF32) { trans_a = !ts && isa_int(0, 1); trans_b = !sparse && isa_int(0, 1); }
    else if (kind < MX4 && kind != TI16) { trans_a = !ts && abits == box && isa_int(0, 1); trans_b = bbits == box
                                           && !lut && isa_int(0, 1); }
    int kc = 256 / box;
    if (longer) kc = kind >= MX4 ? 64 + 32 * longer : 64;
    if (longer && kind == MX8 && sparse) trans_a = trans_a && abits == 8;
    int k = kc * (sparse ? 2 : 1);
    tight = longer && kind == MX8 && !sparse;
    int abox = tight ? abits : box, bbox = lut ? 3 : tight ? bbits : box;
    if (longer && scaled) vec *= kind >= MX4 ? 1 : 2;
    if (longer && kind >= MX4) vec = vec * kc / 64;
    int single = rubin && kind >= MX4 && sparse, half = lut && isa_int(0, 1);
    /* sm_103 has K = 96 besides; six or three scales go on in the columns of the next four */
    int k96 = isa_sm == 103 && kind >= MX4 && !sparse && !ts && !strstr(mn, ".scale_vec") && isa_int(0, 1);
    if (k96) { k = kc = 96; vec = vec == 4 ? 6 : 3; m = 128 * group; }
    if (longer == 1 && kind >= MX4 && !sparse && !ts) k96 = 1;
    if (ws) n = sparse ? PICK(64, 128) : PICK(64, 64, 128, 256);
    else {
        int step = group == 2 ? 16 : 8;
        if (kind == I8 || (kind == TI16 && (group == 2 || m == 128))) step = group == 2 ? 32 : 16;
        if ((trans_b && box == 8) || k96) step = 16 * group;
        n = k96 && isa_int(0, 1) ? step * isa_int(128 / step + 1, 256 / step)
            : step * isa_int(1, (isa_int(0, 7) ? 64 : 256) / step);
        if (kind == I8 && group == 1 && !trans_b && !isa_int(0, 3)) n = PICK(8, 24);
    }
    /* a first instruction must fill the collector that this one uses */
    int uses = strstr(mn, "::use") || strstr(mn, "::lastuse");
    if (uses && n > 128) n = 128;
    int negate_a = kind != I8 && isa_int(0, 1), negate_b = kind != I8 && isa_int(0, 1),
        sat = kind == I8 && isa_int(0, 1);
    *x = (tc5_t){ .m = m, .n = n, .ctas = group, .d = d, .d16 = d == MX_F16 };
    x->layout = ws ? m == 32 ? 'G' : m == 64 ? 'E' : 'D' : group == 2 ? m == 256 ? 'A' : sparse ? 'C' : 'B'
        : m == 64 ? 'F' : 'D';
    if (x->layout == 'C' || x->layout == 'F') x->lane = PICK(0, 16);
    int share = m / group, nshare = n / group;

    /* zero-column mask */
    uint64_t mask = 0;
    int shift = 0, max_shift = 0;
    if (has_mask) {
        mask = isa_random() & 0xffffffffffull;
        mask = (mask & ~(7ull << 36)) | (uint64_t)isa_int(0, 11) << 40 | (uint64_t)isa_int(0, 11) << 48;
        /* a start within the first run: what lies beyond is not told */
        for (int i = 0; i < 4; i++)
            mask = (mask & ~(255ull << 8 * i)) | (uint64_t)isa_int(0,
                                                                   (int)(mask >> (mask >> (32 + i) & 1 ? 40 : 48)
                                                                         & 255)) << 8 * i;
        if (isa_int(0, 1)) {
            max_shift = m == 32 ? isa_int(1, 2) : isa_int(1, 3);
            shift = isa_int(0, 4 << max_shift);
            mask |= (uint64_t)shift << 56;
        }
    }

    /* shared memory: the same layout in both CTAs */
    mx_tc5 t = { .ctas = group, .group = group };
    mx_smem la = { 0 }, lb;
    int brows = nshare + (shift + 31) / 32 * 32;
    if (rubin && !isa_int(0, 31)) t.smem = isa_int(240, 260) * 1024;        /* about and above 256 KB */
    for (int i = 0; i < 2; i++) {
        int tr = i ? trans_b : trans_a, rows = i ? brows : share, ks = i ? k : kc;
        mx_smem l;
        if (!i && ts) continue;
        if (tr && kind == TF32) {       /* 128-byte swizzle of 32-byte atoms: 4 k by 128 bytes, here end to end */
            uint32_t units = (uint32_t)(rows * 4 + 127) / 128;
            t.smem = (t.smem + 1023) & ~1023u;
            l = (mx_smem){ .swizzle = 128, .mn_major = 1, .bits = 32, .atom32 = 1, .start = t.smem, .sbo = 512,
                           .lbo = 1024 };
            t.smem += units * 1024;
        } else if (k96 && isa_int(0, 1)) {
            /* the third 48 bytes of a swizzle's 128: 32 of them, and 16 in the next tile */
            uint32_t tile = ((uint32_t)rows + 7) / 8 * 1024;
            t.smem = (t.smem + 1023) & ~1023u;
            l = (mx_smem){ .swizzle = 128, .bits = 4, .start = t.smem + 96, .sbo = 1024, .second = t.smem + tile };
            t.smem += 2 * tile;
        } else if (i && lut) {         /* 48 bytes a column, of which this mma has one half of the indices */
            l = mx_smem_layout(rows, 48, 8, 0, -1, &t.smem);
            l.bits = 3;
        } else l = mx_smem_layout(rows, ks, i ? bbox : abox, tr, -1, &t.smem);
        if (i) lb = l; else la = l;
    }
    t.smem = (t.smem + 15) & ~15u;

    /* Tensor Memory: D, A, metadata, scales, the filling instruction's D */
    int top = x->dcol = PICK(0, 32), dcols = x->layout == 'B' || x->layout == 'E' ? n / 2
            : x->layout == 'G' ? n / 4
            : n;
    top = (top + dcols + 7) / 8 * 8;
    int acol = top; if (ts) top += longer ? 16 : 8;
    int mcol = top; if (sparse) top += longer ? 8 : 4;
    int lcol = top; if (lut) top += 2;
    int llane = lut ? isa_int(0, 128 - nshare / 8) : 0, sfa_wide = rubin && scaled && share == 128 && isa_int(0, 1);
    int sacol = top; if (scaled) top += 8;
    int sbcol = top; if (scaled) top += 16;
    x->scratch = top = (top + 31) / 32 * 32; if (uses) top += x->nscratch = dcols;
    x->cols = t.cols = (top + 31) / 32 * 32;

    size_t tm_bytes = (size_t)(group * 128 * t.cols) * 4;
    isa_in(c, mx_tc5_in(&t));
    for (size_t i = 0; i + 4 <= c->in_size; i += 4) { uint32_t v = (uint32_t)isa_random(); memcpy(c->in + i, &v, 4); }
    isa_out(c, tm_bytes);
    x = c->data = realloc(x, sizeof *x + 16 + (size_t)(m * n) * (size_t)(1 + ashift) * sizeof(mx_expect) + tm_bytes);
    x->e = (mx_expect *)(((uintptr_t)(x + 1) + 15) & ~(uintptr_t)15);
    x->quarters = ashift ? x->e + m * n : NULL;
    x->old = (uint32_t *)(x->e + m * n * (1 + ashift));
    uint32_t *tm = (uint32_t *)(c->in + (size_t)group * t.smem);
    #define TM(cta, lane, col) tm[((cta) * 128 + (lane)) * t.cols + (col)]

    mx_product_t *p = mx_new(m, n, k, vec);
    p->a = a; p->b = b; p->c = p->d = d; p->round = round; p->sat = sat;
    uint64_t *codes = malloc(sizeof *codes * (size_t)(m * kc));
    for (int i = 0; i < m * kc; i++) codes[i] = mx_random(a, d, round);
    for (int row = 0; row < m; row++) for (int i = 0; i < kc; i++) {
        int cta = row / share, r = row % share, lane[4], copies = lanes_a(x, r, lane);
        uint64_t code = codes[row * kc + i];
        if (!ts) put(c->in + (size_t)cta * t.smem, &la, r, i, abits, code);
        else for (int j = 0; j < copies; j++) {
            uint64_t v = abox == 8 && abits == 4 ? code << 2 : code;
            for (int b = 0; b < abox; b++) {        /* tight ones of 6 bits cross words */
                int bit = i * abox + b;
                uint32_t *w = &TM(cta, lane[j], acol + bit / 32);
                *w = (*w & ~(1u << bit % 32)) | (uint32_t)(v >> b & 1) << bit % 32;
            }
        }
    }
    double sa = negate_a ? -1 : 1, sb = negate_b ? -1 : 1;
    /* metadata, and where each stored element of a row stands */
    int *at_k = malloc(sizeof *at_k * (size_t)(m * kc));
    for (int row = 0; row < m; row++) {
        int r = row % share, lane[4], copies = lanes_a(x, r, lane);
        if (!sparse) { for (int i = 0; i < kc; i++) at_k[row * kc + i] = i; continue; }
        int pairs = box == 4 && !single, kd = kind == TF32 ? 1 : 2, span = kd == 1 ? 2 : pairs ? 8 : 4;
        for (int ch = 0; ch < k / span; ch++) {
            int pos[2], up = 0, col = ch / 8, bit = ch % 8 * 4;
            uint32_t nib = mx_metadata(kd, 1, pos);
            if (box >= 16) { up = r % 8 + ch / 4 * 8 - r % 16; col = 0; bit = r / 8 % 2 * 16 + ch % 4 * 4; }
            for (int j = 0; j < copies; j++) {
                uint32_t *w = &TM(row / share, lane[j] + up, mcol + col);
                *w = (*w & ~(15u << bit)) | nib << bit;
            }
            for (int i = 0; i < span / 2; i++)
                at_k[row * kc + ch * span / 2 + i] = ch * span + (pairs ? pos[i / 2] * 2 + i % 2 : pos[i]);
        }
    }
    /* .ashift: a row takes the elements that the next lane holds, the last its own. The text does not say whether that
     * is the last of a CTA's 128 lanes or of each quarter, as of tcgen05.shift: in the second reading, made first, of
     * each quarter. */
    double *A2 = ashift ? malloc(sizeof *A2 * (size_t)(m * k)) : NULL;
    for (int reading = ashift ? 0 : 1; reading < 2; reading++) {
        for (int i = 0; i < m * k; i++) p->A[i] = MX_ABSENT;
        for (int row = 0; row < m; row++) for (int i = 0; i < kc; i++) {
            int from = ashift && row % (reading ? share : 32) != (reading ? share : 32) - 1 ? row + 1 : row;
            p->A[row * k + at_k[row * kc + i]] = sa * mx_value(a, codes[from * kc + i]);
        }
        if (!reading) memcpy(A2, p->A, sizeof *A2 * (size_t)(m * k));
    }
    free(at_k);
    for (int cta = 0; cta < group && lut; cta++) for (int i = 0; i < nshare; i++) {
        uint32_t *w = &TM(cta, llane + i / 8, lcol + i % 8 / 4);
        *w = (*w & ~(255u << i % 4 * 8)) | (uint32_t)mx_random(b, d, round) << i % 4 * 8;
    }
    for (int col = 0; col < brows * group; col++) {
        int cta = col / brows, within = col % brows, n_at = cta * nshare + within - shift;
        for (int i = 0; i < k; i++) {
            uint64_t code = mx_random(b, d, round);
            if (lut) {
                int index = isa_int(0, 7);
                put(c->in + (size_t)cta * t.smem, &lb, within, i + 64 * half, 3, (uint64_t)index);
                p->B[i * n + n_at] = sb * mx_value(b, TM(cta, llane + within / 8, lcol
                                                         + index / 4) >> index % 4 * 8 & 255);
                continue;
            }
            put(c->in + (size_t)cta * t.smem, &lb, within, i, bbits, code);
            if (within >= shift && within - shift < nshare) p->B[i * n + n_at] = sb * mx_value(b, code);
        }
    }
    if (has_mask) {
        int parts = 128 / m, per = n / parts;
        for (int j = 0; j < n; j++) if (masked(mask, j / per, j % per)) for (int i = 0; i < k; i++) p->B[i * n + j] = 0;
    }
    int ida = 0, idb = 0;
    if (scaled) {
        for (int i = 0; i < 2; i++)
            *(i ? &ida : &idb) = vec == 1 || vec == 3 ? isa_int(0, 3) : vec % 4 == 0 ? 0 : PICK(0, 2);
        for (int side = 0; side < 2; side++) for (int i = 0; i < (side ? n : m); i++) for (int v = 0; v < vec; v++) {
            uint64_t code = mx_random_scale(st, round);
            int at = side ? i : i % share, byte = (side ? idb : ida) + v, bit = byte % 4 * 8,
                next = byte / 4 * (side ? (n + 127) / 128 * 4 : 4);
            /* layout B: half of the lanes has half of N's */
            int side_half = side && x->layout == 'B' ? at / (n / 2) : -1;
            if (side_half >= 0) at %= n / 2;
            for (int cta = 0; cta < group; cta++) for (int q = 0; q < 4; q++) {
                /* scales of B: in both CTAs */
                if ((!side && cta != i / share) || (side_half >= 0 && q / 2 != side_half)) continue;
                int wide = !side && sfa_wide;
                if (wide && q) continue;
                uint32_t *w = wide ? &TM(cta, at, sacol + byte / 4)
                    : &TM(cta, at % 32 + 32 * q, (side ? sbcol : sacol) + at / 32 + next);
                *w = (*w & ~(255u << bit)) | (uint32_t)code << bit;
            }
            if (side) p->SB[v * n + i] = mx_value(st, code); else p->SA[i * vec + v] = mx_value(st, code);
        }
    }
    for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
        int cta, lane, col;
        uint64_t code = mx_random_acc(d, round);
        if (round == MX_EXACT && has_down && enable) code = mx_encode(d, isa_int(-1, 1) * ldexp(1, down));
        place_d(x, i, j, &cta, &lane, &col);
        uint32_t *w = &TM(cta, lane, x->dcol + col);
        *w = d == MX_F16 ? (*w & 0xffff0000u) | (uint32_t)code : (uint32_t)code;
        p->C[i * n + j] = enable ? ldexp(mx_value(d, code), -down) : 0;
    }
    uint32_t off[8] = { 0 };
    if (has_lanes) for (int i = 0; i < 4 * group; i++) {
        off[i] = (uint32_t)isa_random() & (uint32_t)isa_random();
        for (int j = 0; j < 32; j++) x->lanes_off[i * 32 + j] = off[i] >> j & 1;
    }
    mx_product(p, x->e);
    if (ashift) { memcpy(p->A, A2, sizeof *A2 * (size_t)(m * k)); mx_product(p, x->quarters); }
    free(A2); free(p); free(codes);
    memcpy(x->old, tm, tm_bytes);
    c->check = check;

    uint32_t idesc = (uint32_t)(sparse << 2 | acode << 7 | bcode << 10 | negate_a << 13 | negate_b << 14 | trans_a << 15
                                | trans_b << 16 | n / 8 << 17);
    if (!scaled)
        idesc |= (uint32_t)(sat << 3 | (d == MX_F16 ? 0
                                        : d == MX_F32 ? 1
                                        : 2) << 4 | m / 16 << 24) | (uint32_t)max_shift << 30;
    else idesc |= (uint32_t)(idb << 4 | (st == MX_UE8M0) << 23 | (st == MX_UE5M3) << 24 | sfa_wide << 26 | m / 128 << 27
                             | ida << 29) | (uint32_t)k96 << 31;
    if (single) idesc |= 1u << 12;
    if (longer) idesc |= kind == F8 ? 1u << 29 : kind == MX8 || longer == 1 ? 1u << 31 : 1u << 3;
    snprintf(x->say, sizeof x->say,
             "M %d, N %d, K %d, layout %c+%d, round %d, types %d %d -> %d, idesc %08x, A %d%s%s, B %d%s, enable %d, "
             "mask %llx", m, n, k, x->layout, x->lane, round, a, b, d, idesc, ts ? -1 : la.swizzle, trans_a ? "T" : "",
             la.atom32 ? "/32" : "", lb.swizzle, trans_b ? "T" : "", enable, (unsigned long long)mask);

    mx_tc5_begin(c, &t);
    isa_put(c,
            ".reg .b64 %%da, %%db, %%mask; .reg .b32 %%idesc, %%off<8>, %%ta, %%td, %%te, %%sa, %%sb; .reg .pred "
            "%%en;\n");
    for (int i = ts; i < 2; i++) {
        const mx_smem *l = i ? &lb : &la;
        isa_put(c,
                "add.u32 %%u0, %%s, %u;\nand.b32 %%u0, %%u0, 0x%x;\nshr.u32 %%u0, %%u0, 4;\ncvt.u64.u32 %%d%c, "
                "%%u0;\nor.b64 %%d%c, %%d%c, 0x%llx;\n", l->start, rubin ? 0x7ffff : 0x3ffff, "ab"[i], "ab"[i], "ab"[i],
                (unsigned long long)(mx_tc5_descriptor(l) | (uint64_t)(l->second != 0) << 52 |
                                     (uint64_t)(i && half) << 53));
        if (l->second)
            isa_put(c,
                    "add.u32 %%u0, %%s, %u;\nand.b32 %%u0, %%u0, 0x%x;\nshr.u32 %%u0, %%u0, 4;\ncvt.u64.u32 %%l0, "
                    "%%u0;\nshl.b64 %%l0, %%l0, 16;\nor.b64 %%d%c, %%d%c, %%l0;\n", l->second, rubin ? 0x7ffff
                        : 0x3ffff,
                    "ab"[i], "ab"[i]);
    }
    isa_put(c, "mov.b64 %%mask, 0x%llx;\nmov.u32 %%idesc, 0x%x;\nsetp.ne.u32 %%en, 0, %d;\n", (unsigned long long)mask,
            idesc, enable);
    isa_put(c, "add.u32 %%ta, %%tm, %d;\nadd.u32 %%te, %%tm, %d;\nadd.u32 %%sa, %%tm, %d;\nadd.u32 %%sb, %%tm, %d;\n",
            acol + (x->lane << 16), lut ? lcol + (llane << 16) : mcol + (x->lane << 16), sacol, sbcol);
    for (int i = 0; i < 8; i++) isa_put(c, "mov.u32 %%off%d, 0x%x;\n", i, off[i]);
    for (int pass = uses ? 0 : 1; pass < 2; pass++) {
        char name[400];
        snprintf(name, sizeof name, "%s", mn);
        if (!pass) {
            char *u, *cut;
            while ((u = strstr(name, "::use")) || (u = strstr(name, "::lastuse"))) {
                size_t old = u[2] == 'u' ? 5 : 9;
                memmove(u + 6, u + old, strlen(u + old) + 1);
                memcpy(u, "::fill", 6);
            }
            cut = strstr(name, ".ashift");
            if (cut) memmove(cut, cut + 7, strlen(cut + 7) + 1);
        }
        isa_put(c, "add.u32 %%td, %%tm, %d;\n@%%one %s [%%td], %s, %%db",
                (pass ? x->dcol : x->scratch) + (x->lane << 16), name, ts ? "[%ta]" : "%da");
        if (sparse || lut) isa_put(c, ", [%%te]");
        isa_put(c, ", %%idesc");
        if (scaled) isa_put(c, ", [%%sa], [%%sb]");
        if (has_lanes)
            isa_put(c, group == 2 ? ", {%%off0,%%off1,%%off2,%%off3,%%off4,%%off5,%%off6,%%off7}"
                    : ", {%%off0,%%off1,%%off2,%%off3}");
        if (enable_imm) isa_put(c, ", %d", enable); else isa_put(c, ", %%en");
        if (has_down) isa_put(c, ", %d", down);
        if (has_mask) isa_put(c, ", %%mask");
        isa_put(c, ";\n");
    }
    mx_tc5_commit(c, &t, NULL);
    mx_tc5_readback(c, &t);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tc5mma, "tcgen05.mma", build)
