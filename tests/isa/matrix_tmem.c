/* matrix_tmem.c - Tensor Memory: tcgen05.alloc, ld, st, cp, shift, wait, fence, commit; and the frame of the tcgen05
 * kernels.
 *
 * ld and st, warp's lanes L.. and columns C..: register i of thread T is
 *     32x32b    lane T, column i                     16x128b   lane T/4 + 8*(i%2), column T%4 + 4*(i/2)
 *     16x64b    lane T/4 + 8*(T%2), column T/2%2 + 2*i    16x256b   lane T/4 + 8*(i/2%2), column 2*(T%4) + i%2 +
 *                                                                   8*(i/4)
 *     16x32bx2  lane T%16, column i, threads 16.. the split further on
 * With pack or unpack::16b column x of that picture is the low halves of columns 2x and 2x+1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

size_t mx_tc5_in(const mx_tc5 *t) { return (size_t)t->ctas * (t->smem + (size_t)t->cols * 512); }

static void barrier(isa_case *c, const mx_tc5 *t)
{
    isa_put(c, t->ctas > 1 ? "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;\n"
            : "bar.sync 0;\n");
}
void mx_tc5_begin(isa_case *c, const mx_tc5 *t)
{
    uint32_t control = (t->smem + 15) & ~15u;
    c->block[0] = 128;
    c->grid[0] = c->cluster[0] = (unsigned)t->ctas;
    c->smem = control + 128;
    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%tm, %%s, %%mbar, %%wb, %%t<128>, %%u<4>, %%i, %%warp; .reg .b64 %%l<4>, %%p, %%tin; .reg "
            ".pred %%one, %%c, %%w0;\n"
            "mov.u32 %%s, dsmem;\nadd.u32 %%mbar, %%s, %u;\nshr.u32 %%warp, %%tx, 5;\nsetp.eq.u32 %%w0, %%warp, "
            "0;\nshl.b32 %%wb, %%warp, 21;\n" "or.b32 %%u0, %%tx, %%rank;\nsetp.eq.u32 %%one, %%u0, 0;\n", control);
    /* the shared image; its part of in is followed by that of Tensor Memory */
    isa_put(c,
            "mad.wide.u32 %%p, %%rank, %u, %%in;\nmad.wide.u32 %%tin, %%rank, %d, %%in;\nadd.u64 %%tin, %%tin, "
            "%u;\nmul.lo.u32 %%i, %%tx, 16;\n"
            "COPY:\nsetp.ge.u32 %%c, %%i, %u;\n@%%c bra COPIED;\ncvt.u64.u32 %%l0, %%i;\nadd.u64 %%l0, %%l0, "
            "%%p;\nadd.u32 %%u0, %%i, %%s;\n"
            "ld.global.v4.b32 {%%t0,%%t1,%%t2,%%t3}, [%%l0];\nst.shared.v4.b32 [%%u0], {%%t0,%%t1,%%t2,%%t3};\nadd.u32 "
            "%%i, %%i, 2048;\nbra COPY;\nCOPIED:\n", t->smem, t->cols * 512, t->smem * (unsigned)t->ctas, t->smem);
    isa_put(c,
            "setp.eq.u32 %%c, %%tx, 0;\n@%%c mbarrier.init.shared.b64 [%%mbar], 1;\n@%%c "
            "fence.mbarrier_init.release.cluster;\nfence.proxy.async;\n");
    if (!t->cols) { barrier(c, t); return; }
    isa_put(c,
            "add.u32 %%u0, %%mbar, 16;\n@%%w0 tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [%%u0], 512;\n",
            t->group);
    isa_put(c, "tcgen05.fence::before_thread_sync;\n");
    barrier(c, t);
    isa_put(c,
            "tcgen05.fence::after_thread_sync;\nld.shared.u32 %%tm, [%%mbar+16];\nadd.u32 %%u0, %%tm, "
            "%%wb;\nmad.wide.u32 %%l0, %%tx, %d, %%tin;\n", t->cols * 4);
    for (int col = 0; col < t->cols; col += 32) {
        for (int i = 0; i < 32; i += 4)
            isa_put(c, "ld.global.v4.b32 {%%t%d,%%t%d,%%t%d,%%t%d}, [%%l0+%d];\n", i, i + 1, i + 2, i + 3,
                    (col + i) * 4);
        isa_put(c, "add.u32 %%u1, %%u0, %d;\ntcgen05.st.sync.aligned.32x32b.x32.b32 [%%u1], {", col);
        for (int i = 0; i < 32; i++) isa_put(c, "%s%%t%d", i ? "," : "", i);
        isa_put(c, "};\n");
    }
    isa_put(c, "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\n");
    barrier(c, t);
    isa_put(c, "tcgen05.fence::after_thread_sync;\n");
}
void mx_tc5_commit(isa_case *c, const mx_tc5 *t, const char *commit)
{
    if (commit) isa_put(c, "%s", commit);
    else
        isa_put(c, "@%%one tcgen05.commit.cta_group::%d.mbarrier::arrive::one.shared::cluster.b64 [%%mbar];\n",
                t->group);
    isa_put(c,
            "setp.ne.u32 %%c, %%rank, 0;\n@%%c bra DONE;\nWAIT:\nmbarrier.try_wait.parity.shared.b64 %%c, [%%mbar], "
            "0;\n@!%%c bra WAIT;\nDONE:\n");
    if (t->ctas > 1) barrier(c, t);
    isa_put(c, "tcgen05.fence::after_thread_sync;\n");
}
void mx_tc5_readback(isa_case *c, const mx_tc5 *t)
{
    isa_put(c, "add.u32 %%u0, %%tm, %%wb;\nmad.lo.u32 %%u2, %%rank, 128, %%tx;\nmad.wide.u32 %%l0, %%u2, %d, %%out;\n",
            t->cols * 4);
    for (int col = 0; col < t->cols; col += 32) {
        isa_put(c, "add.u32 %%u1, %%u0, %d;\ntcgen05.ld.sync.aligned.32x32b.x32.b32 {", col);
        for (int i = 0; i < 32; i++) isa_put(c, "%s%%t%d", i ? "," : "", i);
        isa_put(c, "}, [%%u1];\ntcgen05.wait::ld.sync.aligned;\n");
        for (int i = 0; i < 32; i += 4)
            isa_put(c, "st.global.v4.b32 [%%l0+%d], {%%t%d,%%t%d,%%t%d,%%t%d};\n", (col + i) * 4, i, i + 1, i + 2,
                    i + 3);
    }
}
void mx_tc5_end(isa_case *c, const mx_tc5 *t)
{
    if (t->cols) {
        isa_put(c, "tcgen05.fence::before_thread_sync;\n");
        barrier(c, t);
        isa_put(c,
                "tcgen05.fence::after_thread_sync;\n@%%w0 tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%tm, "
                "512;\n@%%w0 tcgen05.relinquish_alloc_permit.cta_group::%d.sync.aligned;\n", t->group, t->group);
    } else if (t->ctas > 1) barrier(c, t);
    isa_end(c);
}
uint64_t mx_tc5_descriptor(const mx_smem *s)
{
    uint64_t mode = s->atom32 ? 1 : s->swizzle == 128 ? 2 : s->swizzle == 64 ? 4 : s->swizzle == 32 ? 6 : 0;
    return (uint64_t)(s->lbo >> 4 & 0x3fff) << 16 | (uint64_t)(s->sbo >> 4 & 0x3fff) << 32 | 1ull << 46
        | (uint64_t)s->base << 49 | mode << 61;
}

static uint32_t *words(isa_case *c, const mx_tc5 *t, int cta)
{
    return (uint32_t *)(c->in + (size_t)t->ctas * t->smem) + (size_t)cta * t->cols * 128;
}
static void randomise(isa_case *c)
{
    for (size_t i = 0; i + 4 <= c->in_size; i += 4) { uint32_t v = (uint32_t)isa_random(); memcpy(c->in + i, &v, 4); }
}

/* ---- ld, st ---- */
/* shape: 0 32x32b, 1 16x64b, 2 16x128b, 3 16x256b, 4 16x32bx2 */
typedef struct { int shape, lanes, regs, columns, pack, split; } access_t;

static int access_of(isa_case *c, access_t *a)
{
    static const char *const names[] = { ".32x32b", ".16x64b", ".16x128b", ".16x256b", ".16x32bx2" };
    *a = (access_t){ .shape = -1 };
    for (int i = 0; i < 5; i++) if (isa_has(c, names[i])) a->shape = i;
    int num = 0;
    for (int i = 1; i <= 128; i *= 2) { char w[8]; snprintf(w, sizeof w, ".x%d", i); if (isa_has(c, w)) num = i; }
    if (a->shape < 0 || !num) return -1;
    a->pack = isa_has(c, ".pack::16b") || isa_has(c, ".unpack::16b");
    a->lanes = a->shape ? 16 : 32;
    a->regs = num * (a->shape == 2 ? 2 : a->shape == 3 ? 4 : 1);
    a->split = a->shape == 4 ? 16 : 0;
    a->columns = (num * (a->shape == 1 ? 2 : a->shape == 2 ? 4 : a->shape == 3 ? 8 : 1)) * (a->pack ? 2 : 1);
    return 0;
}
/* first of the one or two columns, relative to the address */
static void place(const access_t *a, int thread, int reg, int *lane, int *col)
{
    int t = thread, i = reg, x = 0, scale = a->pack ? 2 : 1;
    switch (a->shape) {
    case 0: *lane = t; x = i; break;
    case 1: *lane = t / 4 + 8 * (t % 2); x = t / 2 % 2 + 2 * i; break;
    case 2: *lane = t / 4 + 8 * (i % 2); x = t % 4 + 4 * (i / 2); break;
    case 3: *lane = t / 4 + 8 * (i / 2 % 2); x = 2 * (t % 4) + i % 2 + 8 * (i / 4); break;
    default: *lane = t % 16; x = i; break;
    }
    *col = x * scale + (a->shape == 4 ? t / 16 * a->split : 0);
}

static void address(isa_case *c, const access_t *a, int upper, int base)
{
    isa_put(c, "add.u32 %%u0, %%tm, %%wb;\nadd.u32 %%u0, %%u0, %d;\n", (a->shape && upper ? 16 << 16 : 0) + base);
}

typedef struct { int regs, is_float; } red_t;
static void check_red(isa_case *c)
{
    red_t *x = c->data;
    const uint32_t *got = (uint32_t *)c->out, *want = (uint32_t *)c->want;
    for (int th = 0; th < 128; th++) for (int i = 0; i <= x->regs; i++) {
        uint32_t g = got[th * (x->regs + 1) + i], w = want[th * (x->regs + 1) + i];
        int same = g == w || (i == x->regs && x->is_float && isnan(mx_value(MX_F32, g)) && isnan(mx_value(MX_F32, w)));
        if (!same) {
            isa_fail(c, "thread %d, %s %d: %08x, must be %08x", th, i == x->regs ? "reduction of" : "register", i, g,
                     w);
            return;
        }
    }
}

/* spcompress: two of each four columns, NaN before all and then the least or greatest (of the magnitudes); their order
 * is
 * the columns'. Places: 4 bits for four columns, 2 for each kept one. Of equal ones either may be kept: here are none.
 * */
static int build_spcompress(isa_case *c)
{
    access_t a;
    if (access_of(c, &a) || a.shape || a.regs < 4) return -1;
    int x = a.regs, red = isa_has(c, ".red"), max = isa_has(c, ".max"), abs = isa_has(c, ".abs"), nan = isa_has(c,
                                                                                                                ".NaN"),
        nm = (x + 31) / 32, n = nm + x / 2 + red, base = isa_int(0, 512 - x < 40 ? 512 - x : 40);
    mx_tc5 t = { .ctas = 1, .group = 1, .cols = (base + x + 31) / 32 * 32 };
    isa_in(c, mx_tc5_in(&t));
    uint32_t *want = isa_out(c, (size_t)(128 * n) * 4), *tm = words(c, &t, 0);
    memset(want, 0, (size_t)(128 * n) * 4);
    for (int i = 0; i < 128 * t.cols; i++)      /* no two of a group equal, not in magnitude either */
        tm[i] = !isa_int(0, 30) ? 0x7fc00000
              : (uint32_t)mx_encode(MX_F32, (isa_int(0, 999) * 4 + i % 4 + 1) * (isa_int(0, 1) ? 1.0 : -1.0));
    for (int th = 0; th < 128; th++) {
        double best = NAN;
        int any_nan = 0;
        for (int g = 0; g < x / 4; g++) {
            const uint32_t *w = tm + th * t.cols + base + 4 * g;
            int rank[4], k = 0;
            for (int i = 0; i < 4; i++) {
                double vi = mx_value(MX_F32, w[i]);
                if (abs) vi = fabs(vi);
                any_nan |= isnan(vi);
                if (!isnan(vi) && (isnan(best) || (max ? vi > best : vi < best))) best = vi;
                rank[i] = 0;
                for (int j = 0; j < 4; j++) {
                    double vj = mx_value(MX_F32, w[j]);
                    if (abs) vj = fabs(vj);
                    if (isnan(vi) ? isnan(vj) && j < i : isnan(vj) || (max ? vj > vi : vj < vi)) rank[i]++;
                }
            }
            for (int i = 0; i < 4; i++) if (rank[i] < 2) {
                want[th * n + nm + 2 * g + k] = w[i];
                want[th * n + g / 8] |= (uint32_t)i << (g % 8 * 4 + 2 * k++);
            }
        }
        if (any_nan && nan) best = NAN;
        if (red) want[th * n + n - 1] = isnan(best) ? 0x7fffffffu : (uint32_t)mx_encode(MX_F32, best);
    }
    if (red) {
        red_t *r = c->data = calloc(1, sizeof *r);
        *r = (red_t){ n - 1, 1 };
        c->check = check_red;
    }
    mx_tc5_begin(c, &t);
    address(c, &a, 0, base);
    isa_put(c, ".reg .b32 %%r<%d>;\n.reg .f32 %%red;\n%s {", n, c->v->mnemonic);
    for (int i = 0; i < nm; i++) isa_put(c, "%s%%r%d", i ? "," : "", i);
    isa_put(c, "}, {");
    for (int i = 0; i < x / 2; i++) isa_put(c, "%s%%r%d", i ? "," : "", nm + i);
    isa_put(c, red ? "}, %%red, [%%u0];\n" : "}, [%%u0];\n");
    isa_put(c, "tcgen05.wait::ld.sync.aligned;\nmad.wide.u32 %%p, %%tx, %d, %%out;\n", n * 4);
    for (int i = 0; i < nm + x / 2; i++) isa_put(c, "st.global.b32 [%%p+%d], %%r%d;\n", i * 4, i);
    if (red) isa_put(c, "st.global.f32 [%%p+%d], %%red;\n", n * 4 - 4);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_spcompress, "tcgen05.ld.spcompress", build_spcompress)

static int build_ld(isa_case *c)
{
    access_t a;
    if (access_of(c, &a)) return -1;
    int red = !strncmp(c->v->mnemonic, "tcgen05.ld.red", 14), is_float = red && isa_has(c, ".f32");
    int reach = a.columns + a.split, base = isa_int(0, 512 - reach < 40 ? 512 - reach : 40), upper = isa_int(0, 1),
        n = a.regs + red;
    mx_tc5 t = { .ctas = 1, .group = 1, .cols = (base + reach + 31) / 32 * 32 };
    isa_in(c, mx_tc5_in(&t));
    randomise(c);
    uint32_t *want = isa_out(c, (size_t)(128 * n) * 4), *tm = words(c, &t, 0);
    if (is_float)
        for (int i = 0; i < 128 * t.cols; i++)
            tm[i] = isa_int(0, 15) ? (uint32_t)mx_encode(MX_F32, (float)isa_uniform(-100, 100)) : 0x7fc00000;
    for (int th = 0; th < 128; th++) {
        double best = NAN;
        int any_nan = 0, max = isa_has(c, ".max"), have = 0;
        for (int i = 0; i < a.regs; i++) {
            int lane, col;
            place(&a, th % 32, i, &lane, &col);
            uint32_t *w = tm + (th / 32 * 32 + lane + (a.shape && upper ? 16 : 0)) * t.cols + base + col;
            want[th * n + i] = a.pack ? (w[0] & 0xffff) | w[1] << 16 : *w;
            double v = is_float ? mx_value(MX_F32, *w) : isa_has(c, ".s32") ? (double)(int32_t)*w : (double)*w;
            if (isa_has(c, ".abs")) v = fabs(v);
            if (isnan(v)) { any_nan = 1; continue; }
            if (!have || (max ? v > best : v < best)) best = v;
            have = 1;
        }
        if (any_nan && isa_has(c, ".NaN")) best = NAN;
        if (red)
            want[th * n + a.regs] = is_float ? (uint32_t)mx_encode(MX_F32, best)
                : isa_has(c, ".s32") ? (uint32_t)(int32_t)best
                : (uint32_t)best;
    }
    if (red) {
        red_t *x = c->data = calloc(1, sizeof *x);
        *x = (red_t){ a.regs, is_float };
        c->check = check_red;
    }
    mx_tc5_begin(c, &t);
    address(c, &a, upper, base);
    isa_put(c, ".reg .%s %%r<%d>;\n.reg .%s %%red;\n%s {", is_float ? "f32" : "b32", a.regs, is_float ? "f32" : "b32",
            c->v->mnemonic);
    for (int i = 0; i < a.regs; i++) isa_put(c, "%s%%r%d", i ? "," : "", i);
    isa_put(c, red ? "}, %%red, [%%u0]" : "}, [%%u0]");
    isa_put(c, a.shape == 4 ? ", 16;\n" : ";\n");
    isa_put(c, "tcgen05.wait::ld.sync.aligned;\nmad.wide.u32 %%p, %%tx, %d, %%out;\n", n * 4);
    for (int i = 0; i < a.regs; i++) isa_put(c, "st.global.%s [%%p+%d], %%r%d;\n", is_float ? "f32" : "b32", i * 4, i);
    if (red) isa_put(c, "st.global.%s [%%p+%d], %%red;\n", is_float ? "f32" : "b32", a.regs * 4);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_ld, "tcgen05.ld", build_ld)

/* The upper halves of what unpack::16b stores are nobody's */
static void check_halves(isa_case *c)
{
    const uint32_t *got = (uint32_t *)c->out, *want = (uint32_t *)c->want;
    const uint8_t *half = c->data;
    for (size_t i = 0; i < c->out_size / 4; i++) if ((got[i] ^ want[i]) & (half[i] ? 0xffff : ~0u)) {
        isa_fail(c, "lane %d, column %d: %08x, must be %08x%s", (int)(i / (size_t)c->user[0]),
                 (int)(i % (size_t)c->user[0]), got[i], want[i], half[i] ? " in its low half" : "");
        return;
    }
}
static int build_st(isa_case *c)
{
    access_t a;
    if (access_of(c, &a)) return -1;
    int reach = a.columns + a.split, base = isa_int(0, 512 - reach < 40 ? 512 - reach : 40), upper = isa_int(0, 1);
    mx_tc5 t = { .ctas = 1, .group = 1, .cols = (base + reach + 31) / 32 * 32 };
    size_t image = mx_tc5_in(&t);
    isa_in(c, image + (size_t)(128 * a.regs) * 4);
    randomise(c);
    uint32_t *want = isa_out(c, image), *regs = (uint32_t *)(c->in + image);
    memcpy(want, c->in, image);
    uint8_t *half = c->data = calloc(image / 4, 1);
    for (int i = 0; i < a.regs; i++) for (int th = 0; th < 128; th++) {
        int lane, col;
        place(&a, th % 32, i, &lane, &col);
        size_t at = (size_t)((th / 32 * 32 + lane + (a.shape && upper ? 16 : 0)) * t.cols + base + col);
        uint32_t v = regs[th * a.regs + i];
        if (a.pack) { want[at] = v & 0xffff; want[at + 1] = v >> 16; half[at] = half[at + 1] = 1; } else want[at] = v;
    }
    c->user[0] = t.cols;
    c->check = check_halves;
    /* 16x32bx2 with more columns than the split: both halves write the same words; which one wins is open. Their data
     * is made to agree. */
    if (a.shape == 4 && a.columns > a.split) for (int th = 0; th < 128; th++) for (int i = 0; i < a.regs; i++) {
        int lane, col;
        place(&a, th % 32, i, &lane, &col);
        size_t at = (size_t)((th / 32 * 32 + lane + (upper ? 16 : 0)) * t.cols + base + col);
        regs[th * a.regs + i] = a.pack ? (want[at] & 0xffff) | want[at + 1] << 16 : want[at];
    }
    mx_tc5_begin(c, &t);
    address(c, &a, upper, base);
    isa_put(c, ".reg .b32 %%r<%d>;\nmad.wide.u32 %%p, %%tx, %d, %%in;\n", a.regs, a.regs * 4);
    for (int i = 0; i < a.regs; i++) isa_put(c, "ld.global.b32 %%r%d, [%%p+%zu];\n", i, image + (size_t)i * 4);
    isa_put(c, a.shape == 4 ? "%s [%%u0], 16, {" : "%s [%%u0], {", c->v->mnemonic);
    for (int i = 0; i < a.regs; i++) isa_put(c, "%s%%r%d", i ? "," : "", i);
    isa_put(c, "};\ntcgen05.wait::st.sync.aligned;\n");
    mx_tc5_readback(c, &t);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_st, "tcgen05.st", build_st)

/* ---- cp, commit, fence, wait: shared memory -> Tensor Memory ---- */
static int build_cp(isa_case *c)
{
    const char *mn = c->v->mnemonic;
    int tested = strncmp(mn, "tcgen05.cp", 10) != 0;       /* something else: around a 128x128b */
    int group = isa_has(c, ".cta_group::2") ? 2 : 1, multicast = strstr(mn, ".multicast::cluster") != NULL;
    int read_a = strstr(mn, ".sync_restrict") != NULL;
    int rows = 128, bytes = 16, x = 1;                      /* x: 2 02_13, 3 01_23, 4 warpx4, 5: 4x256b */
    char name[400] = "tcgen05.cp.cta_group::1.128x128b";
    if (!tested) {
        snprintf(name, sizeof name, "%s", mn);
        if (sscanf(mn, "tcgen05.cp.cta_group::%*d.%dx%db", &rows, &bytes) != 2) return -1;
        bytes /= 8;
        x = rows == 64 ? isa_has(c, ".warpx2::02_13") ? 2 : 3 : rows == 32 ? 4 : rows == 4 ? 5 : 1;
    } else name[22] = (char)('0' + group);
    int b4 = isa_has(c, ".b4x16_p64"), b6 = isa_has(c, ".b6x16_p32");
    mx_tc5 t = { .ctas = group == 2 || multicast ? 2 : 1, .group = group, .cols = 32 };
    mx_smem s = mx_smem_layout(rows, bytes, 8, 0, x == 1 || x == 4 ? -1 : 0, &t.smem);
    t.smem = (t.smem + 15) & ~15u;
    isa_in(c, mx_tc5_in(&t));
    randomise(c);
    uint32_t *want = isa_out(c, (size_t)t.ctas * 128 * 32 * 4);
    memcpy(want, words(c, &t, 0), c->out_size);
    int base = isa_int(0, 24), lane0 = x == 5 ? isa_int(0, 31) : 0;
    for (int cta = 0; cta < (group == 2 ? 2 : 1); cta++)
        for (int r = 0; r < rows; r++) for (int b = 0; b < bytes; b++) {
        const uint8_t *from = c->in + (size_t)cta * t.smem;
        uint8_t v = from[mx_smem_at(&s, r, b)];
        if (b4) {
            v = (uint8_t)(from[mx_smem_at(&s, r, b / 16 * 16 + b % 16 / 2)] >> (b % 2 * 4) & 15);
            v = (uint8_t)(v << 2);
        }
        if (b6) {
            int bit = b % 16 * 6;
            uint32_t two = from[mx_smem_at(&s, r, b / 16 * 16 + bit / 8)];
            if (bit % 8 > 2) two |= (uint32_t)from[mx_smem_at(&s, r, b / 16 * 16 + bit / 8 + 1)] << 8;
            v = (uint8_t)(two >> bit % 8 & 63);
        }
        for (int copy = 0; copy < (x == 2 || x == 3 ? 2 : x == 4 ? 4 : 1); copy++) {
            int lane = x == 2 ? r + 64 * copy
                     : x == 3 ? r % 32 + r / 32 * 64 + 32 * copy
                     : x == 4 ? r + 32 * copy
                     : x == 5 ? 32 * r + lane0
                     : r;
            ((uint8_t *)want)[(size_t)((cta * 128 + lane) * 32 + base) * 4 + (size_t)b] = v;
        }
    }
    mx_tc5_begin(c, &t);
    isa_put(c,
            "add.u32 %%u0, %%s, %u;\nand.b32 %%u0, %%u0, 0x3ffff;\nshr.u32 %%u0, %%u0, 4;\ncvt.u64.u32 %%l0, "
            "%%u0;\nor.b64 %%l0, %%l0, 0x%llx;\nadd.u32 %%u1, %%tm, %d;\n", s.start,
            (unsigned long long)mx_tc5_descriptor(&s), base + (lane0 << 16));
    isa_put(c, "@%%one %s [%%u1], %%l0;\n", name);
    char commit[700] = "";
    if (!strncmp(mn, "tcgen05.commit", 14)) {
        snprintf(commit, sizeof commit,
                 ".reg .b%d %%mask;\nmov.b%d %%mask, 3;\nadd.u32 %%u2, %%mbar, %d;\ncvt.u64.u32 %%l1, %%u2;\n"
                 "cvta.shared.u64 %%l1, %%l1;\n@%%one %s [%s]%s;\n", isa_has(c, ".multicast::cluster::32b") ? 32 : 16,
                 isa_has(c, ".multicast::cluster::32b") ? 32 : 16, read_a ? 64 : 0, mn,
                 isa_has(c, ".shared::cluster") ? "%u2" : "%l1", multicast ? ", %mask" : "");
        if (multicast || read_a)
            strcat(commit, read_a && !multicast ? "setp.ne.u32 %c, %rank, 0;\n@%c bra READ;\n" : "");
        if (multicast || read_a)
            strcat(commit, "BOTH:\nmbarrier.try_wait.parity.shared.b64 %c, [%u2], 0;\n@!%c bra BOTH;\nREAD:\n");
    }
    /* tells that A was read, here none: that it arrives. The copy is waited for by another commit. */
    if (read_a) {
        isa_put(c, "setp.eq.u32 %%c, %%tx, 0;\n@%%c mbarrier.init.shared.b64 [%%mbar+64], 1;\n"
                "@%%c fence.mbarrier_init.release.cluster;\n");
        barrier(c, &t);
        isa_put(c, "%s", commit);
        *commit = 0;
    }
    if (!strncmp(mn, "tcgen05.fence", 13)) isa_put(c, "%s;\n", mn);
    mx_tc5_commit(c, &t, *commit ? commit : NULL);
    if (!strncmp(mn, "tcgen05.fence", 13)) isa_put(c, "%s;\n", mn);
    if (!strncmp(mn, "tcgen05.wait", 12)) isa_put(c, "%s;\n", mn);
    mx_tc5_readback(c, &t);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_cp, "tcgen05.cp", build_cp)
ISA_FAMILY(tmem_commit, "tcgen05.commit", build_cp)
ISA_FAMILY(tmem_fence, "tcgen05.fence", build_cp)
ISA_FAMILY(tmem_wait, "tcgen05.wait", build_cp)

/* tcgen05.shift: 8 columns; in the quarter of the address' lane each lane takes what the next one held, and the last
 * keeps its own. The text leaves open whether the other three quarters are shifted, too: either all are or none is. */
static void check_shift(isa_case *c)
{
    const uint32_t *got = (uint32_t *)c->out, *old = c->data;
    int base = (int)c->user[0], all = -1;
    for (int i = 0; i < (int)(c->out_size / 4); i++) {
        int lane = i / 32 % 128, col = i % 32, moved = col >= base && col < base + 8 && lane % 32 != 31;
        if (moved && lane >= 32 && all < 0) all = got[i] == old[i + 32];
        uint32_t want = moved && (lane < 32 || all == 1) ? old[i + 32] : old[i];
        if (got[i] != want) { isa_fail(c, "lane %d, column %d: %08x, must be %08x", lane, col, got[i], want); return; }
    }
}
static int build_shift(isa_case *c)
{
    int group = isa_has(c, ".cta_group::2") ? 2 : 1, base = isa_int(0, 3) * 8;
    mx_tc5 t = { .ctas = group, .group = group, .cols = 32 };
    isa_in(c, mx_tc5_in(&t));
    randomise(c);
    isa_out(c, (size_t)t.ctas * 128 * 32 * 4);
    memcpy(c->data = malloc(c->out_size), words(c, &t, 0), c->out_size);
    c->user[0] = base;
    c->check = check_shift;
    mx_tc5_begin(c, &t);
    isa_put(c, "add.u32 %%u1, %%tm, %d;\n@%%one %s [%%u1];\n", base, c->v->mnemonic);
    mx_tc5_commit(c, &t, NULL);
    mx_tc5_readback(c, &t);
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_shift, "tcgen05.shift", build_shift)

/* ---- alloc, dealloc, relinquish_alloc_permit ----
 * Allocates n columns, then, where they fit, 32 more; writes the last column of each, reads both back; frees both. Then
 * all 512 columns are allocated once more, in pieces of 32 (of n, had there been no 32: sizes may not grow), which only
 * works if all were freed, and freed. */
static void check_alloc(isa_case *c)
{
    /* exclusive: the second round is of plain ones */
    int n = (int)c->user[0], two = (int)c->user[2], small = two || c->user[3], most = isa_sm == 107 && c->user[3]
        ? 576 : 512;
    for (int cta = 0; cta < (int)c->user[1]; cta++) {
        const uint32_t *o = (uint32_t *)c->out + cta * 280;
        uint32_t a = o[256], b = o[257];
        if (a >> 16 || (a & 31) || a + (uint32_t)n > (uint32_t)most) isa_fail(c, "allocated %d columns at %08x", n, a);
        uint32_t piece = small ? 32 : (uint32_t)n, seen = 0;
        for (uint32_t i = 0; i < 512 / piece; i++) {
            uint32_t at = o[260 + i];
            if (at % 32 || at + piece > 512 || seen >> at / 32 & 1)
                isa_fail(c, "allocated %u columns again at %08x", piece, at);
            for (uint32_t k = 0; k < piece / 32; k++) seen |= 1u << (at / 32 + k) % 32;
        }
        if (two && (b >> 16 || (b & 31) || b + 32 > 512 || (b < a + (uint32_t)n && b + 32 > a)))
            isa_fail(c, "32 columns at %08x besides %d at %08x", b, n, a);
        for (uint32_t th = 0; th < 128; th++) {
            if (o[th * 2] != th + 1000) isa_fail(c, "the last of %d columns: lane %u has %u", n, th, o[th * 2]);
            if (two && o[th * 2 + 1] != th + 2000)
                isa_fail(c, "the last of 32 columns: lane %u has %u", th, o[th * 2 + 1]);
        }
    }
}
static int build_alloc(isa_case *c)
{
    const char *mn = c->v->mnemonic, *op;
    int group = isa_has(c, ".cta_group::2") ? 2 : 1, n = isa_sweep(c, "NC", 32 << isa_int(0, 4)), two = n <= 256;
    int alone = isa_has(c, ".exclusive");
    if (alone) { two = 0; if (!isa_sweep(c, "NC", 0)) n = 32 * isa_int(1, isa_sm == 107 ? 18 : 16); }
    int is_alloc = !strncmp(mn, "tcgen05.alloc", 13), is_dealloc = !strncmp(mn, "tcgen05.dealloc", 15),
        is_rel = !strncmp(mn, "tcgen05.relinquish", 18);
    if (!is_alloc && !is_dealloc && !is_rel) return -1;
    int imm = (op = isa_op(c, 1)) && !strncmp(op, "imm", 3), generic = is_alloc && !isa_has(c, ".shared::cta");
    char size[16], alloc[450], dealloc[450];
    snprintf(size, sizeof size, "%d", n);
    snprintf(alloc, sizeof alloc, "%s [%s], %s;\n", is_alloc ? mn
             : alone ? group == 2 ? "tcgen05.alloc.exclusive.cta_group::2.sync.aligned.shared::cta.b32"
             : "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32"
             : group == 2 ? "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32"
             : "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32", generic ? "%l0" : "%u0",
             is_alloc && !imm ? "%n" : size);
    snprintf(dealloc, sizeof dealloc, "%s %%u3, %s;\n", is_dealloc ? mn
             : alone ? group == 2 ? "tcgen05.dealloc.exclusive.cta_group::2.sync.aligned.b32"
             : "tcgen05.dealloc.exclusive.cta_group::1.sync.aligned.b32"
             : group == 2 ? "tcgen05.dealloc.cta_group::2.sync.aligned.b32"
             : "tcgen05.dealloc.cta_group::1.sync.aligned.b32", is_dealloc && !imm ? "%n" : size);
    mx_tc5 t = { .ctas = group, .group = group, .cols = 0 };
    isa_in(c, 16);
    isa_out(c, (size_t)group * 280 * 4);
    c->user[0] = n; c->user[1] = group; c->user[2] = two; c->user[3] = alone;
    c->check = check_alloc;
    mx_tc5_begin(c, &t);
    isa_put(c,
            ".reg .b32 %%n;\nmov.u32 %%n, %d;\nadd.u32 %%u0, %%mbar, 16;\ncvt.u64.u32 %%l0, %%u0;\ncvta.shared.u64 "
            "%%l0, %%l0;\nsetp.ne.u32 %%c, %%warp, 0;\n@%%c bra A1;\n%s", n, alloc);
    isa_put(c, "add.u32 %%u0, %%mbar, 20;\n");
    if (two) isa_put(c, "tcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [%%u0], 32;\n", group);
    isa_put(c, "A1:\ntcgen05.fence::before_thread_sync;\n");
    barrier(c, &t);
    isa_put(c,
            "tcgen05.fence::after_thread_sync;\nld.shared.u32 %%t0, [%%mbar+16];\nmad.lo.u32 %%u2, %%rank, 1120, "
            "0;\ncvt.u64.u32 %%l1, %%u2;\nadd.u64 %%l1, %%l1, %%out;\nst.global.u32 [%%l1+1024], %%t0;\n");
    isa_put(c, "mad.wide.u32 %%l2, %%tx, 8, %%l1;\n");
    for (int i = 0; i < 1 + two; i++) {
        if (i) isa_put(c, "ld.shared.u32 %%t1, [%%mbar+20];\nst.global.u32 [%%l1+1028], %%t1;\n");
        isa_put(c,
                "add.u32 %%t4, %%t%d, %d;\nadd.u32 %%t4, %%t4, %%wb;\nadd.u32 %%t5, %%tx, "
                "%d;\ntcgen05.st.sync.aligned.32x32b.x1.b32 [%%t4], {%%t5};\n", i, (i ? 32 : n) - 1, 1000 * (i + 1));
    }
    isa_put(c, "tcgen05.wait::st.sync.aligned;\n");
    for (int i = 0; i < 1 + two; i++)
        isa_put(c,
                "add.u32 %%t4, %%t%d, %d;\nadd.u32 %%t4, %%t4, %%wb;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%%t5}, "
                "[%%t4];\ntcgen05.wait::ld.sync.aligned;\nst.global.u32 [%%l2+%d], %%t5;\n", i, (i ? 32 : n) - 1,
                i * 4);
    isa_put(c, "tcgen05.fence::before_thread_sync;\n");
    barrier(c, &t);
    isa_put(c, "tcgen05.fence::after_thread_sync;\nsetp.ne.u32 %%c, %%warp, 0;\n@%%c bra A2;\nmov.u32 %%u3, %%t0;\n%s",
            dealloc);
    if (two) isa_put(c, "tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%t1, 32;\n", group);
    for (int i = 0; i < (two || alone ? 16 : 1); i++)
        isa_put(c,
                "add.u32 %%u0, %%mbar, %d;\ntcgen05.alloc.cta_group::%d.sync.aligned.shared::cta.b32 [%%u0], "
                "%d;\nld.shared.u32 %%t%d, [%%u0];\nst.global.u32 [%%l1+%d], %%t%d;\n", 24 + i * 4, group, two
                    || alone ? 32 : n,
                10 + i, 1040 + i * 4, 10 + i);
    for (int i = 0; i < (two || alone ? 16 : 1); i++)
        isa_put(c, "tcgen05.dealloc.cta_group::%d.sync.aligned.b32 %%t%d, %d;\n", group, 10 + i, two || alone ? 32 : n);
    if (is_rel) isa_put(c, "%s;\n", mn);
    else isa_put(c, "tcgen05.relinquish_alloc_permit.cta_group::%d.sync.aligned;\n", group);
    isa_put(c, "A2:\n");
    mx_tc5_end(c, &t);
    return 0;
}
ISA_FAMILY(tmem_alloc, "tcgen05.alloc", build_alloc)
