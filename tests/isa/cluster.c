/* cluster.c - clusters: their barrier, addresses and registers, distributed shared memory, st.async and red.async,
 * clusterlaunchcontrol;
 * and setmaxnreg, griddepcontrol */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* barrier.cluster: what one CTA wrote before its arrive, the other reads after its wait. A relaxed arrive gets a
 * fence. */
static int build_barrier(isa_case *c)
{
    const char *m = c->v->mnemonic;
    int arrive = strstr(m, "arrive") != NULL, aligned = isa_has(c, ".aligned");
    uint32_t *in = isa_in(c, 1024), *want = isa_out(c, 4 * 128);
    isa_bytes(in, 1024);
    for (int r = 0; r < 4; r++) for (int l = 0; l < 32; l++) want[r * 32 + l] = in[((r + 1) % 4) * 32 + l];
    c->cluster[0] = c->grid[0] = 4;
    isa_begin(c);
    k_shared(c, 128);
    isa_put(c,
            ".reg .b32 %%v, %%a, %%t; .reg .b64 %%g, %%o;\nmad.lo.u32 %%t, %%rank, 32, %%tx; mul.wide.u32 %%o, %%t, 4; "
            "add.s64 %%g, %%in, %%o; add.s64 %%o, %%o, %%out; ld.global.u32 %%v, [%%g];\n"
            "mad.lo.u32 %%a, %%tx, 4, %%sm; st.shared::cta.u32 [%%a], %%v;\n%s%s; %s;\n",
            isa_has(c, ".relaxed") ? "fence.acq_rel.cluster;\n" : "", arrive ? m
            : aligned ? "barrier.cluster.arrive.aligned" : "barrier.cluster.arrive",
            arrive ? aligned ? "barrier.cluster.wait.aligned" : "barrier.cluster.wait" : m);
    isa_put(c,
            "add.u32 %%t, %%rank, 1; and.b32 %%t, %%t, 3; mapa.shared::cluster.u32 %%a, %%a, %%t; "
            "ld.shared::cluster.u32 %%v, [%%a]; st.global.u32 [%%o], %%v;\n");
    k_cluster_sync(c);
    isa_end(c);
    return 0;
}
ISA_FAMILY(barrier_cluster, "barrier.cluster", build_barrier)

/* mapa, getctarank, cvta, isspacep: CTA r forms the address of CTA r+1's word; the word read through it, or the rank
 * found in it, tells */
static int build_addr(isa_case *c)
{
    const char *m = c->v->mnemonic;
    int wide = strstr(m, "u64") != NULL, shared = strstr(m, ".shared::cluster") != NULL;
    int mapa = !strncmp(m, "mapa", 4), rank = !strncmp(m, "getctarank", 10), to = !strncmp(m, "cvta.to", 7),
        cvta = !strncmp(m, "cvta.shared", 11), is = !strncmp(m, "isspacep", 8);
    uint32_t *in = isa_in(c, 64), *want = isa_out(c, 4 * 16);
    isa_bytes(in, 64);
    for (int r = 0; r < 4; r++) {
        uint32_t next = (uint32_t)(r + 1) % 4, *w = want + r * 4;
        w[0] = rank ? next : is ? 1 : in[next];
        w[1] = rank ? (uint32_t)r : is ? 1 : in[r];             /* and of the CTA's own */
        w[2] = is ? 0 : rank ? 0xa5a5a5a5 : in[next];          /* isspacep: of a global address */
    }
    c->cluster[0] = c->grid[0] = 4;
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c,
            ".reg .b32 %%v, %%a, %%b, %%t, %%d; .reg .b64 %%g, %%o, %%a8, %%ga, %%d8; .reg .pred %%p;\nmul.wide.u32 "
            "%%o, %%rank, 16; add.s64 %%o, %%o, %%out; mul.wide.u32 %%g, %%rank, 4; add.s64 %%g, %%g, %%in;\n"
            "setp.ne.u32 %%p, %%tx, 0; @%%p bra S;\nld.global.u32 %%v, [%%g]; st.shared::cta.u32 [%%sm], %%v;\nS:\n");
    k_cluster_sync(c);
    isa_put(c, "@%%p bra END;\nmov.u32 %%b, 0;\n");
    for (int k = 0; k < 2; k++) {
        isa_put(c, "add.u32 %%t, %%rank, %d; and.b32 %%t, %%t, 3;\n", 1 - k);
        if (mapa) {
            if (!wide) isa_put(c, "%s %%d, %%sm, %%t; ld.shared::cluster.u32 %%v, [%%d];\n", m);
            else if (shared)
                isa_put(c, "cvt.u64.u32 %%a8, %%sm; %s %%d8, %%a8, %%t; ld.shared::cluster.u32 %%v, [%%d8];\n", m);
            else isa_put(c, "cvta.shared.u64 %%a8, sm; %s %%d8, %%a8, %%t; ld.u32 %%v, [%%d8];\n", m);
        } else {
            isa_put(c,
                    "mapa.shared::cluster.u32 %%a, %%sm, %%t; cvt.u64.u32 %%a8, %%a; cvta.shared.u64 %%ga, sm; "
                    "mapa.u64 %%ga, %%ga, %%t;\n");
            if (rank) isa_put(c, "%s %%v, %s;\n", m, !wide ? "%a" : shared ? "%a8" : "%ga");
            else if (cvta) isa_put(c, "%s %%d8, %%a8; ld.u32 %%v, [%%d8];\n", m);
            else if (to) isa_put(c, "%s %%d8, %%ga; cvt.u32.u64 %%d, %%d8; ld.shared::cluster.u32 %%v, [%%d];\n", m);
            else { isa_put(c, "%s %%p, %%ga; selp.u32 %%v, 1, 0, %%p;\n", m); }
        }
        isa_put(c, "st.global.u32 [%%o+%d], %%v;\n", k * 4);
    }
    if (is) isa_put(c, "%s %%p, %%in; selp.u32 %%v, 1, 0, %%p; st.global.u32 [%%o+8], %%v;\n", m);
    else if (!rank)
        isa_put(c,
                "add.u32 %%t, %%rank, 1; and.b32 %%t, %%t, 3; mapa.shared::cluster.u32 %%a, %%sm, %%t; "
                "ld.shared::cluster.u32 %%v, [%%a]; st.global.u32 [%%o+8], %%v;\n");
    isa_put(c, "END:\n");
    k_cluster_sync(c);
    isa_end(c);
    return 0;
}
ISA_FAMILY(cluster_addr, "cluster.addr", build_addr)

/* ---- Special registers ---- */
static void check_smem(isa_case *c)
{
    /* the register; total, aggregate, reserved begin, end, cap; dynamic; address of the variable */
    const uint32_t *w = (uint32_t *)c->out;
    uint32_t total = w[1], aggr = w[2], begin = w[3], end = w[4], cap = w[5], dyn = w[6], sm = w[7];
    if (total != 1024 + 256) isa_fail(c, "%%total_smem_size is %u with 1024 bytes static, 256 dynamic", total);
    if (dyn != 256) isa_fail(c, "%%dynamic_smem_size is %u, must be 256", dyn);
    if (begin > end || end - begin > cap) isa_fail(c, "the reserved bytes are %u to %u, capacity %u", begin, end, cap);
    if (sm >= begin && sm < end) isa_fail(c, "a variable at %u is in the reserved bytes %u to %u", sm, begin, end);
    if (isa_sm >= 90 && aggr != total + cap)
        isa_fail(c, "%%aggr_smem_size is %u, total %u, capacity of the reserved bytes %u", aggr, total, cap);
    static const char *const name[] = { "total_smem", "aggr_smem", "offset_begin", "offset_end", "offset_cap",
                                        "dynamic_smem" };
    for (int i = 0; i < 6; i++) if (strstr(c->v->ops, name[i]) && w[0] != w[1 + i]) isa_fail(c, "two reads differ");
}
static int build_sreg(isa_case *c)
{
    const char *reg = strchr(c->v->ops, '%');
    if (strstr(reg, "smem")) {
        isa_out(c, 32);
        c->smem = 256;
        c->check = check_smem;
        isa_begin(c);
        isa_put(c,
                ".shared .align 16 .b8 var[1024];\n.reg .b32 %%v, %%sm; .reg .pred %%p;\nsetp.ne.u32 %%p, %%tx, 0; "
                "@%%p bra END;\n%s %%v, %s; st.global.u32 [%%out], %%v;\n", c->v->mnemonic, reg);
        static const char *const all[] = { "%total_smem_size", "%aggr_smem_size", "%reserved_smem_offset_begin",
                                           "%reserved_smem_offset_end", "%reserved_smem_offset_cap",
                                           "%dynamic_smem_size" };
        for (int i = 0; i < 6; i++)
            if (i != 1 || isa_sm >= 90)
                isa_put(c, "mov.u32 %%v, %s; st.global.u32 [%%out+%d], %%v;\n", all[i], 4 + 4 * i);
        isa_put(c,
                "mov.u32 %%sm, var; and.b32 %%v, %%sm, 0xffffff; st.global.u32 [%%out+28], %%v; st.shared.u32 [%%sm], "
                "%%v;\nEND:\n");
        isa_end(c);
        return 0;
    }
    unsigned cl[3] = { 2, 1, 2 }, g[3] = { 4, 3, 2 };
    int explicit = isa_int(0, 1) || !strstr(reg, "explicit");
    char axis = reg[strlen(reg) - 1];
    int k = axis == 'x' ? 0 : axis == 'y' ? 1 : 2;
    for (int i = 0; i < 3; i++) { c->grid[i] = g[i]; c->cluster[i] = explicit ? cl[i] : 1; }
    uint32_t *want = isa_out(c, 24 * 4);
    for (unsigned z = 0; z < g[2]; z++) for (unsigned y = 0; y < g[1]; y++) for (unsigned x = 0; x < g[0]; x++) {
        unsigned id[3] = { x, y, z };
        uint32_t v;
        if (strstr(reg, "%clusterid")) v = id[k] / cl[k];
        else if (strstr(reg, "%nclusterid")) v = g[k] / cl[k];
        else if (strstr(reg, "%cluster_ctaid")) v = id[k] % cl[k];
        else if (strstr(reg, "%cluster_nctaid")) v = cl[k];
        else if (strstr(reg, "ctarank") && !strstr(reg, "nctarank")) v = x % 2 + z % 2 * 2;
        else if (strstr(reg, "nctarank")) v = 4;
        else v = (uint32_t)explicit;
        want[(z * 3 + y) * 4 + x] = v;
    }
    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%v, %%t, %%u; .reg .b64 %%g; .reg .pred %%p;\nsetp.ne.u32 %%p, %%tx, 0; @%%p bra END;\nmov.u32 "
            "%%t, %%ctaid.z; mov.u32 %%u, %%ctaid.y; mad.lo.u32 %%t, %%t, 3, %%u;\n"
            "mad.lo.u32 %%t, %%t, 4, %%cta; mul.wide.u32 %%g, %%t, 4; add.s64 %%g, %%g, %%out;\n");
    if (strstr(c->v->mnemonic, "pred")) isa_put(c, "%s %%p, %s; selp.u32 %%v, 1, 0, %%p;\n", c->v->mnemonic, reg);
    else isa_put(c, "%s %%v, %s;\n", c->v->mnemonic, reg);
    isa_put(c, "st.global.u32 [%%g], %%v;\nEND:\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(cluster_sreg, "cluster.sreg", build_sreg)

/* A value of ops' kind, spelled as registers: "{%v0, %v1}" with bits each; declares and loads them from [%g] */
static int vector_of(isa_case *c, const char *op, char *text, int *bits, const char **type)
{
    int n = 1;
    const char *t = strchr(op, ' ');
    *text = 0;
    if (sscanf(op, "%*[a-z]{%dx", &n) == 1) t = strchr(op, 'x') + 1; else t++;
    *bits = atoi(t + 1);
    *type = *t == 'f' ? (*bits == 32 ? "f32" : "f64")
          : *bits == 8 ? "b8"
          : *bits == 16 ? "b16"
          : *bits == 32 ? "b32"
          : *bits == 64 ? "b64"
          : "b128";
    isa_put(c, ".reg .%s %%v<%d>;\n", *type, n);
    char *s = text;
    if (n > 1 || strchr(op, '{')) s += sprintf(s, "{");
    for (int i = 0; i < n; i++) s += sprintf(s, "%s%%v%d", i ? ", " : "", i);
    if (n > 1 || strchr(op, '{')) sprintf(s, "}");
    return n;
}

/* ld and st.shared::cluster */
static int build_dsmem(isa_case *c)
{
    int load = !strncmp(c->v->mnemonic, "ld", 2);
    uint8_t *in = isa_in(c, 2048), *want = isa_out(c, 2 * 512);
    isa_bytes(in, 2048);
    c->cluster[0] = c->grid[0] = 2;
    isa_begin(c);
    k_shared(c, 512);
    k_fill(c, 512);
    char v[80]; int bits; const char *type;
    int n = vector_of(c, isa_op(c, load ? 0 : 1), v, &bits, &type), size = n * bits / 8;
    for (int r = 0; r < 2; r++)
        for (int l = 0; l < 32; l++)
            memcpy(want + r * 512 + l * size, in + (load ? 1 - r : r ^ 1) * 512 + l * size, (size_t)size);
    isa_put(c, ".reg .b32 %%a, %%t, %%d; .reg .b64 %%g, %%o;\nbar.sync 0;\n");
    isa_put(c,
            "mad.lo.u32 %%a, %%tx, %d, %%sm; mul.wide.u32 %%o, %%tx, %d; mul.wide.u32 %%g, %%rank, 512; add.s64 %%g, "
            "%%g, %%o; add.s64 %%o, %%out, %%g; add.s64 %%g, %%g, %%in; xor.b32 %%t, %%rank, 1;\n"
            "mapa.shared::cluster.u32 %%d, %%a, %%t;\n", size, size);
    for (int i = 0; i < n; i++) isa_put(c, "ld.global.%s %%v%d, [%%g+%d];\n", type, i, i * bits / 8);
    if (load) for (int i = 0; i < n; i++) isa_put(c, "st.shared.%s [%%a+%d], %%v%d;\n", type, i * bits / 8, i);
    k_cluster_sync(c);
    if (load) {
        isa_put(c, "%s %s, [%%d];\n", c->v->mnemonic, v);
        for (int i = 0; i < n; i++) isa_put(c, "st.global.%s [%%o+%d], %%v%d;\n", type, i * bits / 8, i);
    } else isa_put(c, "%s [%%d], %s;\n", c->v->mnemonic, v);
    k_cluster_sync(c);
    if (!load) k_dump(c, 512);
    isa_end(c);
    return 0;
}
ISA_FAMILY(cluster_shared, "cluster.shared", build_dsmem)

/* st.async, red.async: from each lane of CTA 0 to a slot in CTA 1, whose mbarrier counts the bytes; or to global
 * memory */
static int build_async(isa_case *c)
{
    const char *m = c->v->mnemonic, *type = strrchr(m, '.') + 1;
    int red = strstr(m, "red.async") != NULL, global = isa_has(c, ".release");     /* to global memory, of its own */
    char op[8] = "";
    static const char *const ops[] = { "inc", "dec", "min", "max", "and", "or", "xor", "add" };
    for (int i = 0; i < 8 && red; i++) {
        char w[8];
        snprintf(w, sizeof w, ".%s", ops[i]);
        if (isa_has(c, w)) strcpy(op, ops[i]);
    }
    int counter = red && (!strcmp(op, "inc") || !strcmp(op, "dec"));
    unsigned ctas = global ? 1 : 2;
    uint8_t *in = isa_in(c, 1024), *want = isa_out(c, ctas * 512);
    isa_bytes(in, 1024);
    c->cluster[0] = c->grid[0] = ctas;
    isa_begin(c);
    char v[80]; int bits; const char *reg_type;
    int n = vector_of(c, isa_op(c, 1), v, &bits, &reg_type), size = n * bits / 8;
    if (!strcmp(type, "b8")) { bits = 8; size = 1; reg_type = "b8"; }       /* the register may be wider */
    /* generic addresses of shared memory */
    const char *d = isa_has(c, ".shared::cluster") ? "%d" : "%gd", *mb = isa_has(c, ".shared::cluster") ? "%m" : "%gm";
    if (red) {
        for (int i = 0; i < 1024; i += bits / 8) isa_element(type, in + i, counter);
        if (global) {
            for (int i = 0; i < 512; i += bits / 8) isa_element(type, c->out + i, 0);
            memcpy(want, c->out, 512);
        } else { memcpy(want, in + 512, 512); memcpy(want + 512, in + 512, 512); }
    }
    for (int l = 0; l < 32; l++) {
        uint8_t *d = want + (ctas - 1) * 512 + l * size;
        if (red) isa_reduce(op, type, d, in + l * size); else memcpy(d, in + l * size, (size_t)size);
    }
    isa_put(c,
            ".reg .b32 %%a, %%t, %%d, %%m; .reg .b64 %%g, %%o, %%gd, %%gm; .reg .pred %%p;\n"
            "mul.wide.u32 %%o, %%tx, %d; add.s64 %%g, %%in, %%o; add.s64 %%o, %%out, %%o;\n", size);
    for (int i = 0; i < n; i++) isa_put(c, "ld.global.%s %%v%d, [%%g+%d];\n", reg_type, i, i * bits / 8);
    if (global) {
        isa_put(c, "%s [%%o], %s;\n", m, v);
        isa_end(c);
        return 0;
    }
    k_shared(c, 512);
    if (red) k_load(c, 512, 512); else k_fill(c, 512);
    isa_put(c,
            "setp.ne.u32 %%p, %%tx, 0; @%%p bra I;\nsetp.eq.u32 %%p, %%rank, 0; @%%p bra "
            "I;\nmbarrier.init.shared::cta.b64 [%%mb], 1; fence.mbarrier_init.release.cluster; "
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %d;\nI:\n", 32 * size);
    k_cluster_sync(c);
    isa_put(c,
            "setp.ne.u32 %%p, %%rank, 0; @%%p bra W;\nmad.lo.u32 %%a, %%tx, %d, %%sm; mov.u32 %%t, 1; "
            "mapa.shared::cluster.u32 %%d, %%a, %%t; mapa.shared::cluster.u32 %%m, %%mb, %%t;\n"
            "cvt.u64.u32 %%gd, %%d; cvta.shared::cluster.u64 %%gd, %%gd; cvt.u64.u32 %%gm, %%m; "
            "cvta.shared::cluster.u64 %%gm, %%gm;\n%s [%s], %s, [%s];\nbra DONE;\nW:\n", size, m, d, v, mb);
    k_wait(c, 0, 0, 0);
    isa_put(c, "DONE:\n");
    k_cluster_sync(c);
    k_dump(c, 512);
    isa_end(c);
    return 0;
}
ISA_FAMILY(st_async, "st.async", build_async)
ISA_FAMILY(red_async, "red.async", build_async)
ISA_FAMILY(multimem_async, "multimem.async", build_async)

/* ---- clusterlaunchcontrol ----
 * Every CTA marks itself, then asks to take over CTAs that have not begun and marks those it gets, until it gets none.
 * Whatever was launched and whatever cancelled, each is marked once. */
static void check_clc(isa_case *c)
{
    const uint32_t *mark = (uint32_t *)c->out, total = (uint32_t)c->user[0];
    for (uint32_t i = 0; i < total; i++)
        if (mark[i] != 1) { isa_fail(c, "CTA %u was done %u times", i, mark[i]); return; }
    if (!mark[total]) isa_fail(c, "no CTA of %u was cancelled", total);
}
static int build_clc(isa_case *c)
{
    const char *m = c->v->mnemonic;
    int try = strstr(m, "try_cancel") != NULL, multi = isa_has(c, ".multicast::cluster::all"),
        generic = try && !isa_has(c, ".shared::cta");
    int axis = strstr(m, "ctaid::x") ? 0 : strstr(m, "ctaid::y") ? 1 : strstr(m, "ctaid::z") ? 2 : -1;
    unsigned n[3] = { 8, 6, 13 };
    if (axis >= 0) { n[0] = n[1] = n[2] = 1; n[axis] = 624; }
    for (int k = 0; k < 3; k++) c->grid[k] = n[k];
    if (multi) c->cluster[0] = 2;
    unsigned total = n[0] * n[1] * n[2];
    uint32_t *want = isa_out(c, total * 4 + 4);
    memset(c->out, 0, total * 4 + 4);
    for (unsigned i = 0; i < total; i++) want[i] = 1;
    c->user[0] = total;
    c->check = check_clc;
    c->smem = 90 * 1024;        /* two of them on a multiprocessor at most: not all CTAs can begin at once */
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c,
            ".reg .b32 %%x, %%y, %%z, %%w, %%t, %%par, %%me; .reg .b64 %%g, %%ga, %%gm; .reg .pred %%p, %%q, %%z0; "
            ".reg .b128 %%r;\ncvta.shared.u64 %%ga, sm; cvta.shared.u64 %%gm, mb;\n"
            "mov.u32 %%par, 0; mov.u32 %%me, %%cluster_ctarank; mov.u32 %%x, %%ctaid.x; mov.u32 %%y, %%ctaid.y; "
            "mov.u32 %%z, %%ctaid.z;\nsetp.ne.u32 %%z0, %%tx, 0;\n"
            "@!%%z0 mbarrier.init.shared::cta.b64 [%%mb], 1;\n@!%%z0 fence.mbarrier_init.release.cluster;\n");
    isa_put(c,
            "LOOP:\n@%%z0 bra MARKED;\nmad.lo.u32 %%t, %%z, %u, %%y; mad.lo.u32 %%t, %%t, %u, %%x; mul.wide.u32 %%g, "
            "%%t, 4; add.s64 %%g, %%g, %%out; red.relaxed.gpu.global.add.u32 [%%g], 1;\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], 16;\nMARKED:\n", n[1], n[0]);
    k_cluster_sync(c);          /* everybody has read the response before, and expects the next */
    isa_put(c, "or.b32 %%t, %%tx, %%me; setp.ne.u32 %%p, %%t, 0; @%%p bra ASKED;\n");
    if (try) isa_put(c, "%s [%s], [%s];\n", m, generic ? "%ga" : "%sm", generic ? "%gm" : "%mb");
    else
        isa_put(c,
                "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%%sm], "
                "[%%mb];\n");
    isa_put(c,
            "ASKED:\nW: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%mb], %%par; @!%%p bra W;\nxor.b32 %%par, "
            "%%par, 1;\nld.shared.b128 %%r, [%%sm];\n" "%s %%q, %%r;\n@!%%q bra END;\n", strstr(m, "is_canceled") ? m
            : "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128");
    if (axis >= 0) isa_put(c, "mov.u32 %%x, 0; mov.u32 %%y, 0; mov.u32 %%z, 0;\n%s %%%c, %%r;\n", m, "xyz"[axis]);
    else
        isa_put(c, "%s {%%x, %%y, %%z, %%w}, %%r;\n", strstr(m, "get_first") ? m
                : "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128");
    if (multi) isa_put(c, "add.u32 %%x, %%x, %%me;\n");
    isa_put(c,
            "@!%%z0 red.relaxed.gpu.global.add.u32 [%%out+%u], 1;\nfence.proxy.async.shared::cta;\nbra LOOP;\nEND:\n",
            total * 4);
    isa_end(c);
    return 0;
}
ISA_FAMILY(clc, "clusterlaunchcontrol", build_clc)

/* ---- setmaxnreg: four warps shrink (and grow again); registers in use keep their values ---- */
static int build_setmaxnreg(isa_case *c)
{
    int n = isa_sweep(c, "N", 0), inc = strstr(c->v->mnemonic, ".inc") != NULL;
    uint32_t *in = isa_in(c, 512), *want = isa_out(c, 512);
    isa_bytes(in, 512);
    for (int t = 0; t < 128; t++) want[t] = in[t] * 3 + 1;
    c->block[0] = 128;
    c->min_blocks = 1;
    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%v, %%w; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, "
            "%%o, %%out; ld.global.u32 %%v, [%%g]; mul.lo.u32 %%w, %%v, 3;\n");
    if (inc) isa_put(c, "setmaxnreg.dec.sync.aligned.u32 24;\n");
    /* .dec to 256 assembles, but an H200 takes it for an illegal instruction: there it stands behind a predicate that
     * is false */
    isa_put(c, ".reg .pred %%run; setp.eq.u32 %%run, %d, 0;\n", !inc && n == 256);
    isa_put(c, "@%%run %s %d;\nadd.u32 %%w, %%w, 1; st.global.u32 [%%o], %%w;\n", c->v->mnemonic, n);
    isa_end(c);
    return 0;
}
ISA_FAMILY(setmaxnreg, "setmaxnreg", build_setmaxnreg)

/* griddepcontrol: launched as a dependent of what went before, all of which is done */
static int build_griddep(isa_case *c)
{
    uint32_t *in = isa_in(c, 128), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    memcpy(want, in, 128);
    c->pdl = 1;
    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%v; .reg .b64 %%g, %%o;\n%s;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, "
            "%%o, %%out; ld.global.u32 %%v, [%%g]; st.global.u32 [%%o], %%v;\n%s;\n",
            strstr(c->v->mnemonic, "wait") ? c->v->mnemonic : "griddepcontrol.wait",
            strstr(c->v->mnemonic, "launch") ? c->v->mnemonic : "griddepcontrol.launch_dependents");
    isa_end(c);
    return 0;
}
ISA_FAMILY(griddepcontrol, "griddepcontrol", build_griddep)
