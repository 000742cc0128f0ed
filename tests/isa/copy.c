/* copy.c - cp.async, cp.async.bulk, cp.reduce.async.bulk */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* ---- cp.async: each of 32 lanes copies its own bytes to its own slot ---- */

/* cp.async{.ca,.cg} [dst], [src], size {, src-size | ignore-src} {, policy}: bytes past src-size are zero, all of them
 * with ignore-src */
static int cp_plain(isa_case *c)
{
    const char *size_op = isa_op(c, 2), *op3 = isa_op(c, 3);
    int size = atoi(size_op + 4);
    int has_src = op3 && !strcmp(op3, "in b32"), zero = op3 && !strcmp(op3, "imm 0"),
        ignore = op3 && !strcmp(op3, "in pred");
    int policy = isa_has(c, ".L2::cache_hint");
    /* in: 32 words of src-size or ignore flag, then 64 chunks; lane l takes chunk perm[l] */
    uint8_t *in = isa_in(c, 256 + 64 * 16), *want = isa_out(c, 32 * 16);
    uint32_t *arg = (uint32_t *)in, *src = arg + 32;
    isa_bytes(in + 256, 64 * 16);
    for (int l = 0; l < 32; l++) {
        arg[l] = (uint32_t)(has_src ? isa_int(0, size) : isa_int(0, 1));
        src[l] = 256 + (uint32_t)isa_int(0, 64 * 16 / size - 1) * (uint32_t)size;
        int n = has_src ? (int)arg[l] : zero || (ignore && arg[l]) ? 0 : size;
        memset(want + l * 16, 0, (size_t)size);
        memcpy(want + l * 16, in + src[l], (size_t)n);
    }
    isa_begin(c);
    k_shared(c, 512);
    k_fill(c, 512);
    isa_put(c, ".reg .b32 %%d, %%n; .reg .b64 %%g, %%a, %%pol; .reg .pred %%p;\nbar.sync 0;\n"
        "mul.wide.u32 %%a, %%tx, 4; add.s64 %%a, %%a, %%in; ld.global.u32 %%n, [%%a]; ld.global.u32 %%d, "
        "[%%a+128];\nsetp.ne.u32 %%p, %%n, 0;\ncvt.u64.u32 %%g, %%d; add.s64 %%g, %%g, %%in; mad.lo.u32 %%d, %%tx, 16, "
        "%%sm;\n");
    if (policy) isa_put(c, "createpolicy.fractional.L2::evict_first.b64 %%pol;\n");
    isa_put(c, "%s [%%d], [%%g], %d%s%s;\ncp.async.wait_all;\nbar.sync 0;\n", c->v->mnemonic, size,
        has_src ? ", %n" : zero ? ", 0" : ignore ? ", %p" : "", policy ? ", %pol" : "");
    k_dump(c, 512);
    isa_end(c);
    return 0;
}

/* Groups: g copies, each a group of its own. After wait_group N the groups but the last N are there. */
static int cp_groups(isa_case *c)
{
    int all = isa_has(c, ".wait_all"), commit = isa_has(c, ".commit_group"), n = isa_sweep(c, "N", 0), groups = n + 2;
    uint8_t *in = isa_in(c, 32 * 4 * (size_t)groups), *want = isa_out(c, 32 * 4 * (size_t)groups);
    isa_bytes(in, c->in_size);
    memcpy(want, in, c->in_size);
    isa_begin(c);
    k_shared(c, 32 * 4 * 66);
    isa_put(c,
            ".reg .b32 %%d, %%v, %%e; .reg .b64 %%g, %%o;\nmul.wide.u32 %%g, %%tx, 4; add.s64 %%o, %%out, %%g; add.s64 "
            "%%g, %%g, %%in;\nmad.lo.u32 %%d, %%tx, 4, %%sm;\n"
            "xor.b32 %%e, %%tx, 1; mad.lo.u32 %%e, %%e, 4, %%sm;\n");
    for (int i = 0; i < groups; i++) {
        isa_put(c, "cp.async.ca.shared.global [%%d+%d], [%%g+%d], 4;\n", i * 128, i * 128);
        if (!all) isa_put(c, "cp.async.commit_group;\n");
    }
    if (commit) isa_put(c, "%s;\ncp.async.wait_group 0;\n", c->v->mnemonic);        /* an empty group */
    else if (all) isa_put(c, "%s;\n", c->v->mnemonic);
    else isa_put(c, "%s %d;\n", c->v->mnemonic, n);
    int there = all || commit ? groups : groups - n;
    for (int i = 0; i < there; i++)       /* the thread's own copies need no barrier */
        isa_put(c, "ld.shared.u32 %%v, [%%d+%d]; st.global.u32 [%%o+%d], %%v;\n", i * 128, i * 128);
    isa_put(c, "cp.async.wait_all;\n");
    for (int i = there; i < groups; i++)
        isa_put(c, "ld.shared.u32 %%v, [%%d+%d]; st.global.u32 [%%o+%d], %%v;\n", i * 128, i * 128);
    isa_end(c);
    return 0;
}

/* cp.async.mbarrier.arrive: the mbarrier's arrive happens when the thread's copies are done. With .noinc it is one of
 * the expected arrivals; without, the pending count is raised by one first, so each lane arrives once more by
 * itself. */
static int cp_mbarrier(isa_case *c)
{
    int noinc = isa_has(c, ".noinc"), generic = !strstr(c->v->mnemonic, ".shared");
    uint8_t *in = isa_in(c, 128), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    for (int l = 0; l < 32; l++) memcpy(want + l * 4, in + (l ^ 1) * 4, 4);
    isa_begin(c);
    k_shared(c, 128);
    isa_put(c,
            ".reg .b32 %%d, %%v, %%e; .reg .b64 %%g, %%o, %%m; .reg .pred %%p;\nsetp.eq.u32 %%p, %%tx, 0;\n@%%p "
            "mbarrier.init.shared.b64 [%%mb], 32;\nbar.sync 0;\n"
            "mul.wide.u32 %%g, %%tx, 4; add.s64 %%o, %%out, %%g; add.s64 %%g, %%g, %%in; mad.lo.u32 %%d, %%tx, 4, "
            "%%sm;\nxor.b32 %%e, %%tx, 1; mad.lo.u32 %%e, %%e, 4, %%sm;\n"
            "cp.async.ca.shared.global [%%d], [%%g], 4;\n");
    if (generic) isa_put(c, "cvta.shared.u64 %%m, mb;\n%s [%%m];\n", c->v->mnemonic);
    else isa_put(c, "%s [%%mb];\n", c->v->mnemonic);
    if (!noinc) isa_put(c, "mbarrier.arrive.shared.b64 _, [%%mb];\n");
    k_wait(c, 0, 0, 0);
    isa_put(c, "ld.shared.u32 %%v, [%%e]; st.global.u32 [%%o], %%v;\n");
    isa_end(c);
    return 0;
}

static int build_cp_async(isa_case *c)
{
    if (strstr(c->v->mnemonic, "_group") || strstr(c->v->mnemonic, "wait_all")) return cp_groups(c);
    if (strstr(c->v->mnemonic, "mbarrier")) return cp_mbarrier(c);
    return cp_plain(c);
}
ISA_FAMILY(cp_async, "cp.async", build_cp_async)

/* ---- cp.async.bulk ---- */
enum { BULK = 2048 };       /* shared bytes of the tests */

static const char *put_policy(isa_case *c)
{
    if (!isa_has(c, ".L2::cache_hint")) return "";
    isa_put(c, ".reg .b64 %%pol;\ncreatepolicy.fractional.L2::evict_last.b64 %%pol, 1.0;\n");
    return ", %pol";
}

/* All bytes but those of the two ends */
static void check_oob(isa_case *c)
{
    const size_t to = (size_t)c->user[0], left = (size_t)c->user[1], right = (size_t)c->user[2], n = (size_t)c->user[3];
    for (size_t i = 0; i < c->out_size; i++) {
        if ((i >= to && i < to + left) || (i >= to + n - right && i < to + n)) continue;
        if (c->out[i] == c->want[i]) continue;
        isa_fail(c, "byte %zu is %02x, must be %02x (%zu bytes at %zu, ends of %zu and %zu)", i, c->out[i], c->want[i],
                 n, to, left, right);
        return;
    }
}

/* Reports (.mbarrier::report): a pattern that no element of the source has, or that all elements of one chunk of 16
 * bytes have (which one is looked at the ISA leaves open): of one of these chunks, or of any.
 * Returns whether the mbarrier must report: -1 without
 * .mbarrier::report */
int isa_report_pattern(isa_case *c, uint8_t *source, size_t n, const uint32_t *chunk, int chunks)
{
    static const struct { const char *word; int bits; uint32_t pattern; } kinds[] = {
        { ".mbarrier::report::disabled", 8, 0x80 },
        { ".mbarrier::report::validity::per_16bytes::80000000", 32, 1u << 31 },
        { ".mbarrier::report::validity::per_16bytes::8000", 16, 0x8000 },
        { ".mbarrier::report::validity::per_16bytes::80", 8, 0x80 },
        { ".mbarrier::report::validity::per_16bytes::8", 4, 8 },
        { ".mbarrier::report::validity::per_element::ff", 8, 0xff },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (!isa_has(c, kinds[k].word)) continue;
        const int bits = kinds[k].bits, bytes = bits < 8 ? 1 : bits / 8, match = chunks && isa_int(0, 1);
        for (size_t i = 0; i + (size_t)bytes <= n; i += (size_t)bytes) {
            uint32_t e = 0;
            memcpy(&e, source + i, (size_t)bytes);
            if (bits == 4) { if ((e & 15) == 8) e ^= 1; if (e >> 4 == 8) e ^= 16; }
            else if (e == kinds[k].pattern) e ^= 1;
            memcpy(source + i, &e, (size_t)bytes);
        }
        if (match) {
            size_t at = chunk ? chunk[isa_int(0, chunks - 1)] : 16 * (size_t)isa_int(0, (int)(n / 16) - 1);
            for (size_t i = 0; i < 16; i += (size_t)bytes) {
                uint32_t e = bits == 4 ? 0x88 : kinds[k].pattern;
                memcpy(source + at + i, &e, (size_t)bytes);
            }
        }
        return match && k > 0;
    }
    return -1;
}

/* global -> shared, to this CTA, to another of the cluster, or to several */
static int bulk_in(isa_case *c)
{
    int oob = isa_has(c, ".ignore_oob"), wide = isa_has(c, ".multicast::cluster::32b");
    int cluster = isa_has(c, ".shared::cluster"), multi = isa_has(c, ".multicast::cluster")
            || isa_has(c, ".multicast::cluster::16b") || wide,
        imm = strstr(c->v->ops, "imm") != NULL;
    unsigned n = imm ? 1024 : 16 * (unsigned)isa_int(1, 100), from = 16 * (unsigned)isa_int(0, 10),
             to = 16 * (unsigned)isa_int(0, (int)(BULK - n) / 16);
    unsigned ctas = multi ? 4 : cluster ? 2 : 1, mask = multi ? (unsigned)isa_int(1, 15) : cluster ? 1u << isa_int(0, 1)
             : 1;
    c->cluster[0] = c->grid[0] = ctas;
    /* .ignore_oob: the bytes at the ends may lie outside; what they become is open */
    const unsigned left = oob ? (unsigned)isa_int(0, 15) : 0, right = oob ? (unsigned)isa_int(0, n > 16 ? 15
                          : 15 - (int)left) : 0;
    if (oob) from = 0;
    uint8_t *in = isa_in(c, oob && !left ? n - right : 4096), *want = isa_out(c, BULK * ctas + 4 * ctas);
    isa_bytes(in, c->in_size);
    const int report = isa_report_pattern(c, in + from, n, NULL, 1);
    for (unsigned r = 0; r < ctas; r++)
        if (mask >> r & 1) {
            memcpy(want + r * BULK + to + left, in + from + left, n - left - right);
            if (report >= 0) memcpy(want + BULK * ctas + 4 * r, &(uint32_t){ (uint32_t)report }, 4);
        }
    c->user[0] = to; c->user[1] = left; c->user[2] = right; c->user[3] = n;
    if (oob) c->check = check_oob;
    isa_begin(c);
    k_shared(c, BULK);
    k_fill(c, BULK);
    isa_put(c, ".reg .b32 %%d, %%m, %%n, %%t; .reg .b16 %%mask; .reg .b64 %%g; .reg .pred %%p, %%q;\n"
        "fence.proxy.async.shared::cta;\nsetp.ne.u32 %%p, %%tx, 0;\n@%%p bra READY;\nmbarrier.init%s.shared::cta.b64 "
        "[%%mb], 1; fence.mbarrier_init.release.cluster;\nmov.u32 %%t, %u; shr.u32 %%t, %%t, %%rank; and.b32 %%t, %%t, "
        "1; setp.eq.u32 %%p, %%t, 0;\n@%%p bra READY;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], "
        "%u;\nREADY:\n", report > -1 ? ".layout::v1" : "", mask, n);
    k_cluster_sync(c);
    isa_put(c,
            "setp.ne.u32 %%p, %%tx, 0; setp.ne.u32 %%q, %%rank, 0; or.pred %%p, %%p, %%q;\n@%%p bra ISSUED;\nmov.u32 "
            "%%n, %u; mov.u16 %%mask, %u;\n" "add.s64 %%g, %%in, %u; add.u32 %%d, %%sm, %u; mov.u32 %%m, %%mb;\n", n,
            mask, from, to);
    if (cluster && !multi)
        isa_put(c, "mov.u32 %%t, %d; mapa.shared::cluster.u32 %%d, %%d, %%t; mapa.shared::cluster.u32 %%m, %%m, %%t;\n",
                __builtin_ctz(mask));
    const char *pol = put_policy(c);
    if (wide) isa_put(c, ".reg .b32 %%mask32; mov.u32 %%mask32, %u;\n", mask);
    char ends[32] = "";
    if (oob) snprintf(ends, sizeof ends, ", %u, %u", left, right);
    isa_put(c, "%s [%%d], [%%g], %s%s, [%%m]%s%s;\nISSUED:\n", c->v->mnemonic, imm ? "1024" : "%n", ends,
            wide ? ", %mask32" : multi ? ", %mask" : "", pol);
    /* only the CTAs that get something wait */
    isa_put(c,
            "mov.u32 %%t, %u; shr.u32 %%t, %%t, %%rank; and.b32 %%t, %%t, 1; setp.eq.u32 %%p, %%t, 0;\n@%%p bra "
            "NOTHING;\n", mask);
    k_wait(c, 0, 0, 0);
    if (report >= 0)
        isa_put(c, "mbarrier.test_wait.parity.phase_type::primary.shared::cta.b64 %%p|%%q, [%%mb], 0; selp.u32 %%t, 1, "
                "0, %%q; mul.wide.u32 %%g, %%rank, 4; add.s64 %%g, %%g, %%out; st.global.u32 [%%g+%u], %%t;\n",
                BULK * ctas);
    isa_put(c, "NOTHING:\n");
    k_cluster_sync(c);
    k_dump(c, BULK);
    isa_end(c);
    return 0;
}

/* What the reductions do with an element: d = op(d, s) */
static float half_to_float(uint16_t h)
{
    int e = h >> 10 & 31, m = h & 1023;
    float f = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(m | 1024), e - 25) : ldexpf((float)m, -24);
    return h & 0x8000 ? -f : f;
}
/* Nearest even of an exact double */
static uint16_t double_to_half(double d)
{
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d == 0) return sign;
    int e;
    frexp(d, &e);
    int q = e - 11 < -24 ? -24 : e - 11;
    double r = nearbyint(ldexp(d, -q));     /* the default rounding: nearest even */
    if (r >= 2048) { r /= 2; q++; }
    if (q > 5) return sign | 0x7c00;
    if (r < 1024) return sign | (uint16_t)r;
    return sign | (uint16_t)(((q + 25) << 10) + ((int)r - 1024));
}
static float bf_to_float(uint16_t h) { uint32_t u = (uint32_t)h << 16; float f; memcpy(&f, &u, 4); return f; }
static uint16_t double_to_bf(double d)
{
    uint16_t sign = signbit(d) ? 0x8000 : 0;
    d = fabs(d);
    if (d == 0) return sign;
    int e;
    frexp(d, &e);
    int q = e - 8 < -133 ? -133 : e - 8;
    double r = nearbyint(ldexp(d, -q));
    if (r >= 256) { r /= 2; q++; }
    if (q > 120) return sign | 0x7f80;
    if (r < 128) return sign | (uint16_t)r;
    return sign | (uint16_t)(((q + 134) << 7) + ((int)r - 128));
}

void isa_reduce(const char *op, const char *type, uint8_t *d, const uint8_t *s)
{
    uint64_t a = 0, b = 0, r = 0;
    int bytes = strstr(type, "64") ? 8 : strstr(type, "16") ? 2 : 4;
    memcpy(&a, d, (size_t)bytes); memcpy(&b, s, (size_t)bytes);
    int is_signed = type[0] == 's', floating = type[0] == 'f' || type[0] == 'b', add = !strcmp(op, "add"),
        min = !strcmp(op, "min");
    if (!strcmp(type, "b32") || !strcmp(type, "b64")) floating = 0;
    if (!strcmp(op, "and")) r = a & b;
    else if (!strcmp(op, "or")) r = a | b;
    else if (!strcmp(op, "xor")) r = a ^ b;
    else if (!strcmp(op, "inc")) r = a >= b ? 0 : a + 1;
    else if (!strcmp(op, "dec")) r = a == 0 || a > b ? b : a - 1;
    else if (!floating) {
        int64_t sa = bytes == 4 ? (int32_t)a : (int64_t)a, sb = bytes == 4 ? (int32_t)b : (int64_t)b;
        if (add) r = a + b;
        else if (is_signed) r = (sa < sb) == min ? a : b;
        else r = (a < b) == min ? a : b;
    } else if (!strcmp(type, "f32")) {
        float x, y; memcpy(&x, &a, 4); memcpy(&y, &b, 4); x += y; memcpy(&r, &x, 4);
    } else if (!strcmp(type, "f64")) {
        double x, y; memcpy(&x, &a, 8); memcpy(&y, &b, 8); x += y; memcpy(&r, &x, 8);
    } else {
        int half = !strcmp(type, "f16");
        double x = half ? half_to_float((uint16_t)a) : bf_to_float((uint16_t)a),
               y = half ? half_to_float((uint16_t)b) : bf_to_float((uint16_t)b);
        /* the sum is exact in double for f16; for bf16 see isa_element */
        if (add) r = half ? double_to_half(x + y) : double_to_bf(x + y);
        else r = (x < y) == min ? a : b;
    }
    memcpy(d, &r, (size_t)bytes);
}
/* Random operands: no NaN; sums that a double holds exactly; no pair of zeros of both signs for min and max */
void isa_element(const char *type, uint8_t *p, int counter)
{
    if (!strcmp(type, "f32")) { float f = (float)isa_uniform(-100, 100); memcpy(p, &f, 4); }
    else if (!strcmp(type, "f64")) { double f = isa_uniform(-100, 100); memcpy(p, &f, 8); }
    else if (!strcmp(type, "f16")) {
        uint16_t h;
        do h = (uint16_t)isa_random();
        while ((h & 0x7c00) == 0x7c00 || h == 0x8000);
        memcpy(p, &h, 2);
    } else if (!strcmp(type, "bf16")) {
        uint16_t h = (uint16_t)(isa_random() & 0x80ff) | (uint16_t)(isa_int(110, 140) << 7);
        memcpy(p, &h, 2);
    } else {
        isa_bytes(p, strstr(type, "64") ? 8 : 4);
        /* inc and dec wrap somewhere */
        if (counter && isa_int(0, 1)) { uint32_t v = (uint32_t)isa_int(0, 3); memcpy(p, &v, 4); }
    }
}
static void op_and_type(isa_case *c, char *op, char *type)
{
    static const char *const ops[] = { "add", "min", "max", "inc", "dec", "and", "or", "xor" };
    for (unsigned i = 0; i < 8; i++) {
        char w[8];
        snprintf(w, sizeof w, ".%s", ops[i]);
        if (isa_has(c, w)) strcpy(op, ops[i]);
    }
    strcpy(type, strrchr(c->v->mnemonic, '.') + 1);
}

/* shared -> shared of another CTA: copy or reduction */
static int bulk_across(isa_case *c)
{
    char op[8] = "", type[8] = "";
    int red = strstr(c->v->mnemonic, "cp.reduce") != NULL;
    if (red) op_and_type(c, op, type);
    int size = red && strstr(type, "64") ? 8 : 4;
    unsigned n = 16 * (unsigned)isa_int(1, 60), from = 16 * (unsigned)isa_int(0, 3),
             to = 1024 + 16 * (unsigned)isa_int(0, 3);
    c->cluster[0] = c->grid[0] = 2;
    uint8_t *in = isa_in(c, BULK), *want = isa_out(c, 2 * BULK);
    for (int i = 0; i < BULK; i += size) isa_element(red ? type : "u32", in + i, red && strstr("inc dec", op) != NULL);
    memcpy(want, in, BULK); memcpy(want + BULK, in, BULK);
    for (unsigned i = 0; i < n; i += (unsigned)size)
        if (red) isa_reduce(op, type, want + BULK + to + i, in + from + i);
        else memcpy(want + BULK + to + i, in + from + i, 4);
    isa_begin(c);
    k_shared(c, BULK);
    k_load(c, BULK, 0);
    isa_put(c,
            ".reg .b32 %%d, %%m, %%n, %%t, %%s; .reg .pred %%p, %%q;\nfence.proxy.async.shared::cta;\nsetp.ne.u32 %%p, "
            "%%tx, 0;\n@%%p bra READY;\n"
            "mbarrier.init.shared::cta.b64 [%%mb], 1; fence.mbarrier_init.release.cluster;\nsetp.eq.u32 %%p, %%rank, "
            "0;\n@%%p bra READY;\n" "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %u;\nREADY:\n", n);
    k_cluster_sync(c);
    isa_put(c,
            "setp.ne.u32 %%p, %%tx, 0; setp.ne.u32 %%q, %%rank, 0; or.pred %%p, %%p, %%q;\n@%%p bra ISSUED;\nmov.u32 "
            "%%n, %u; mov.u32 %%t, 1;\n"
            "add.u32 %%s, %%sm, %u; add.u32 %%d, %%sm, %u; mapa.shared::cluster.u32 %%d, %%d, %%t; "
            "mapa.shared::cluster.u32 %%m, %%mb, %%t;\n"
            "%s [%%d], [%%s], %%n, [%%m];\nISSUED:\nsetp.eq.u32 %%q, %%rank, 0;\n@%%q bra NOTHING;\n", n, from, to,
            c->v->mnemonic);
    k_wait(c, 0, 0, 0);
    isa_put(c, "NOTHING:\n");
    k_cluster_sync(c);
    k_dump(c, BULK);
    isa_end(c);
    return 0;
}

/* shared -> global: copy, masked copy or reduction */
static int bulk_out(isa_case *c)
{
    char op[8] = "", type[8] = "";
    int red = strstr(c->v->mnemonic, "cp.reduce") != NULL, masked = isa_has(c, ".cp_mask");
    if (red) op_and_type(c, op, type);
    int size = !red ? 4 : strstr(type, "64") ? 8 : strstr(type, "16") ? 2 : 4;
    unsigned n = 16 * (unsigned)isa_int(1, 100), from = 16 * (unsigned)isa_int(0, (int)(BULK - n) / 16),
             to = 16 * (unsigned)isa_int(0, (int)(BULK - n) / 16);
    uint16_t mask = (uint16_t)isa_random();
    uint8_t *in = isa_in(c, BULK), *want = isa_out(c, BULK);
    int counter = red && strstr("inc dec", op) != NULL, small = !strcmp(type, "f32") && isa_has(c, ".noftz");
    for (int i = 0; i < BULK; i += size) isa_element(red ? type : "u32", in + i, counter);
    if (red) {
        for (int i = 0; i < BULK; i += size) isa_element(type, c->out + i, counter);
        for (int i = 0; small && i < BULK; i += 4)              /* sums of subnormal numbers */
            for (int k = 0; k < 2; k++) {
                uint32_t u = (uint32_t)isa_random() & 0x80ffffff;
                if (isa_int(0, 3)) memcpy((k ? in : c->out) + i, &u, 4);
            }
        memcpy(want, c->out, BULK);
    }
    for (unsigned i = 0; i < n; i += (unsigned)size)
        if (red) isa_reduce(op, type, want + to + i, in + from + i);
        else for (unsigned k = i; k < i + 4; k++) if (!masked || mask >> k % 16 & 1) want[to + k] = in[from + k];
    isa_begin(c);
    k_shared(c, BULK);
    k_load(c, BULK, 0);
    isa_put(c,
            ".reg .b32 %%n, %%s; .reg .b16 %%mask; .reg .b64 %%g; .reg .pred "
            "%%p;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %%p, %%tx, 0;\n@%%p bra DONE;\n"
            "mov.u32 %%n, %u; mov.u16 %%mask, %u; add.u32 %%s, %%sm, %u; add.s64 %%g, %%out, %u;\n", n, mask, from, to);
    const char *pol = put_policy(c);
    isa_put(c, "%s [%%g], [%%s], %%n%s%s;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\nDONE:\n",
            c->v->mnemonic, pol, masked ? ", %mask" : "");
    isa_end(c);
    return 0;
}

/* Bulk groups: N + 2 of 16 bytes. After wait_group N the first two have written: the thread reads them back. With .read
 * their source may be overwritten, and the destination still gets what was there. */
static int bulk_groups(isa_case *c)
{
    int n = isa_sweep(c, "N", 0), groups = n + 2, read = isa_has(c, ".read"), commit = isa_has(c, ".commit_group");
    uint8_t *in = isa_in(c, 16 * (size_t)groups), *want = isa_out(c, 16 * (size_t)groups + 8);
    isa_bytes(in, c->in_size);
    memcpy(want, in, c->in_size);
    uint32_t *back = (uint32_t *)(want + 16 * groups);
    if (!read) { memcpy(back, in + 12, 4); memcpy(back + 1, in + 28, 4); }
    c->block[0] = 32;
    isa_begin(c);
    k_shared(c, 65 * 16 + 16);
    k_load(c, 16 * (unsigned)groups, 0);
    isa_put(c,
            ".reg .b32 %%v; .reg .pred %%p;\nfence.proxy.async.shared::cta;\nbar.sync 0;\nsetp.ne.u32 %%p, %%tx, "
            "0;\n@%%p bra DONE;\n");
    for (int i = 0; i < groups; i++)
        isa_put(c,
                "cp.async.bulk.global.shared::cta.bulk_group [%%out+%d], [%%sm+%d], 16;\ncp.async.bulk.commit_group;\n",
                i * 16, i * 16);
    if (commit) isa_put(c, "%s;\ncp.async.bulk.wait_group 0;\n", c->v->mnemonic);
    else isa_put(c, "%s %d;\n", c->v->mnemonic, n);
    if (read) isa_put(c, "st.shared.u32 [%%sm+12], %%tx; st.shared.u32 [%%sm+28], %%tx;\n");
    else
        isa_put(c,
                "ld.global.u32 %%v, [%%out+12]; st.global.u32 [%%out+%d], %%v; ld.global.u32 %%v, [%%out+28]; "
                "st.global.u32 [%%out+%d], %%v;\n", groups * 16, groups * 16 + 4);
    isa_put(c, "cp.async.bulk.wait_group 0;\nDONE:\n");
    isa_end(c);
    return 0;
}

/* A prefetch changes nothing, nor does a lower priority */
static int bulk_prefetch(isa_case *c)
{
    int priority = !strncmp(c->v->mnemonic, "applypriority", 13);
    uint8_t *in = isa_in(c, 4096), *want = isa_out(c, 128);
    isa_bytes(in, 4096);
    memcpy(want, in, 128);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%n, %%v; .reg .b64 %%g, %%o;\nmov.u32 %%n, %d;\n", 16 * isa_int(1, 200));
    const char *pol = put_policy(c);
    isa_put(c, "%s [%%in+%d], %%n%s;\n", c->v->mnemonic, priority ? 128 * isa_int(0, 6) : 16 * isa_int(0, 50), pol);
    if (priority) isa_put(c, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n");
    isa_put(c,
            "mul.wide.u32 %%g, %%tx, 4; add.s64 %%o, %%g, %%out; add.s64 %%g, %%g, %%in; "
            "ld.global.u32 %%v, [%%g]; st.global.u32 [%%o], %%v;\n");
    isa_end(c);
    return 0;
}

static int build_bulk(isa_case *c)
{
    const char *m = c->v->mnemonic;
    if (strstr(m, "_group ") || isa_has(c, ".commit_group") || isa_has(c, ".wait_group")) return bulk_groups(c);
    if (isa_has(c, ".prefetch") || !strncmp(m, "applypriority", 13)) return bulk_prefetch(c);
    if (strstr(m, ".shared::cluster.shared::cta")) return bulk_across(c);
    if (strstr(m, ".global.shared::cta")) return bulk_out(c);
    return bulk_in(c);
}
ISA_FAMILY(bulk_multimem, "multimem.bulk", build_bulk)
ISA_FAMILY(bulk, "cp.async.bulk", build_bulk)
ISA_FAMILY(bulk_reduce, "cp.reduce.async.bulk", build_bulk)
