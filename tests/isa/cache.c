/* cache.c - cache policies, hints, prefetches: none changes what is read or written; and st.bulk, which zeroes shared
 * memory */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* ld or st with hints: each lane moves one vector from in to out */
static int load_store(isa_case *c)
{
    const char *m = c->v->mnemonic, *op = isa_op(c, !strncmp(m, "ld", 2) ? 0 : 1);
    int load = !strncmp(m, "ld", 2), n = 1, hint = isa_has(c, ".L2::cache_hint");
    const char *t = strrchr(m, '.') + 1;
    sscanf(op, "%*[a-z]{%dx", &n);
    int bytes = atoi(t + 1) / 8, size = n * bytes;
    uint8_t *in = isa_in(c, 32 * 32), *want = isa_out(c, 32 * 32);
    isa_bytes(in, 32 * 32);
    memcpy(want, in, (size_t)(32 * size));
    isa_begin(c);
    isa_put(c,
            ".reg .%s %%v<%d>; .reg .b64 %%g, %%o, %%pol;\nmul.wide.u32 %%o, %%tx, %d; add.s64 %%g, %%o, %%in; add.s64 "
            "%%o, %%o, %%out;\n", t, n, size);
    if (hint) isa_put(c, "createpolicy.fractional.L2::evict_first.b64 %%pol, 0.25;\n");
    char v[100], *s = v;
    s += sprintf(s, n > 1 ? "{" : "");
    for (int i = 0; i < n; i++) s += sprintf(s, "%s%%v%d", i ? ", " : "", i);
    sprintf(s, n > 1 ? "}" : "");
    if (load) isa_put(c, "%s %s, [%%g]%s;\n", m, v, hint ? ", %pol" : "");
    else for (int i = 0; i < n; i++) isa_put(c, "ld.global.%s %%v%d, [%%g+%d];\n", t, i, i * bytes);
    if (!load) isa_put(c, "%s [%%o], %s%s;\n", m, v, hint ? ", %pol" : "");
    else for (int i = 0; i < n; i++) isa_put(c, "st.global.%s [%%o+%d], %%v%d;\n", t, i * bytes, i);
    isa_end(c);
    return 0;
}

static int st_bulk(isa_case *c)
{
    int generic = !isa_has(c, ".shared::cta"), n = 8 * isa_int(1, 64), at = 8 * isa_int(0, 60);
    uint8_t *want = isa_out(c, 1024);
    memset(want + at, 0, (size_t)n);
    isa_begin(c);
    k_shared(c, 1024);
    k_fill(c, 1024);
    isa_put(c,
            ".reg .b64 %%g, %%n; .reg .b32 %%a; .reg .pred %%p;\nbar.sync 0;\nsetp.ne.u32 %%p, %%tx, 0; @%%p bra "
            "D;\nmov.b64 %%n, %d; cvta.shared.u64 %%g, sm; add.s64 %%g, %%g, %d; add.u32 %%a, %%sm, %d;\n%s [%s], %%n, "
            "0;\nD: bar.sync 0;\n", n, at, at, c->v->mnemonic, generic ? "%g" : "%a");
    k_dump(c, 1024);
    isa_end(c);
    return 0;
}

static int build(isa_case *c)
{
    const char *m = c->v->mnemonic;
    if (!strncmp(m, "st.bulk", 7)) return st_bulk(c);
    if (!strncmp(m, "ld.", 3) || !strncmp(m, "st.", 3)) return load_store(c);
    int discard = !strncmp(m, "discard", 7), create = !strncmp(m, "createpolicy", 12), local = isa_has(c, ".local");
    uint8_t *in = isa_in(c, 1024), *want = isa_out(c, 128);
    isa_bytes(in, 1024);
    memcpy(want, in, 128);
    if (discard) memcpy(want, in + 512, 128);        /* what is discarded may be anything until it is written again */
    isa_begin(c);
    isa_put(c,
            ".local .align 16 .b8 loc[64];\n.reg .b32 %%v, %%n; .reg .f32 %%f; .reg .b64 %%g, %%o, %%a, %%pol; .reg "
            ".pred %%p;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, %%o, %%out;\n");
    if (create) {
        const char *op = isa_op(c, 1);
        if (strstr(m, ".cvt")) isa_put(c, "mov.b64 %%a, 0x14f0000000000000;\n%s %%pol, %%a;\n", m);
        else if (strstr(m, ".range"))
            isa_put(c, "mov.u32 %%n, 256; mov.u32 %%v, 1024; %s\n%s %%pol, [%%a], %%n, %%v;\n",
                    isa_has(c, ".global") ? "mov.b64 %a, %in;" : "cvta.global.u64 %a, %in;", m);
        else if (!op) isa_put(c, "%s %%pol;\n", m);
        else if (!strcmp(op, "in f32")) isa_put(c, "mov.f32 %%f, 0f3e800000;\n%s %%pol, %%f;\n", m);
        else isa_put(c, "%s %%pol, %s;\n", m, op + 4);
        isa_put(c, "ld.global.L2::cache_hint.u32 %%v, [%%g], %%pol;\n");
    } else {
        int global = isa_has(c, ".global");
        isa_put(c, local ? "mov.b64 %%a, loc; st.local.u32 [%%a], %%tx;\n"
                   : global ? "mov.b64 %%a, %%in;\n"
                   : "cvta.global.u64 %%a, %%in;\n");
        isa_put(c, "setp.ne.u32 %%p, %%tx, 0; @%%p bra S;\n%s [%%a]%s;\nS: bar.warp.sync 0xffffffff;\n", m,
                strstr(c->v->ops, "128") ? ", 128" : "");
        if (discard) isa_put(c, "ld.global.u32 %%v, [%%g+512]; st.global.u32 [%%g], %%v; mov.u32 %%v, 0;\n");
        if (local)
            isa_put(c,
                    "ld.local.u32 %%n, [%%a]; xor.b32 %%n, %%n, %%tx; ld.global.u32 %%v, [%%g]; xor.b32 %%v, %%v, "
                    "%%n;\n");
        else isa_put(c, "ld.global.u32 %%v, [%%g];\n");
    }
    isa_put(c, "st.global.u32 [%%o], %%v;\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(cache, "cache", build)
