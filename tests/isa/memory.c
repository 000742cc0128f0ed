/* memory.c - loads, stores and atomic operations with the qualifiers that PTX 9.3 and 9.4 added, and the registers of a
 * CTA's own global memory */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* Each lane loads one element of in and stores what the register holds */
static int load(isa_case *c)
{
    const char *m = c->v->mnemonic, *reg = isa_op(c, 0) + 4;
    char type[8];
    const char *readonly = strstr(m, ".proxy::readonly");
    if (readonly) {
        const char *t = readonly;
        while (t[-1] != '.') t--;
        snprintf(type, sizeof type, "%.*s", (int)(readonly - t), t);
    } else snprintf(type, sizeof type, "%s", strrchr(m, '.') + 1);
    const int size = atoi(type + 1) / 8, bytes = atoi(reg + 1) / 8;
    uint8_t *in = isa_in(c, 32 * 8), *want = isa_out(c, 32 * 8);
    isa_bytes(in, 32 * 8);
    for (int l = 0; l < 32; l++) {
        /* a wider register gets the sign, or zeros */
        memset(want + l * bytes, type[0] == 's' && in[(l + 1) * size - 1] & 0x80 ? 0xff : 0, (size_t)bytes);
        memcpy(want + l * bytes, in + l * size, (size_t)size);
    }
    isa_begin(c);
    isa_put(c, ".reg .%s %%v; .reg .b64 %%g, %%o;\nmul.wide.u32 %%g, %%tx, %d; add.s64 %%g, %%g, %%in;\n"
            "mul.wide.u32 %%o, %%tx, %d; add.s64 %%o, %%o, %%out;\n%s %%v, [%%g];\nst.global.%s [%%o], %%v;\n", reg,
            size, bytes, m, reg);
    isa_end(c);
    return 0;
}

static int store(isa_case *c)
{
    uint32_t *in = isa_in(c, 128), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    memcpy(want, in, 128);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%v; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, "
            "%%o, %%out;\nld.global.b32 %%v, [%%g];\n%s [%%o], %%v;\n", c->v->mnemonic);
    isa_end(c);
    return 0;
}

static int prefetch(isa_case *c)
{
    uint32_t *in = isa_in(c, 128), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    memcpy(want, in, 128);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%v; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, "
            "%%o, %%out;\n%s [%%g];\nld.global.b32 %%v, [%%g];\nst.global.b32 [%%o], %%v;\n", c->v->mnemonic);
    isa_end(c);
    return 0;
}

/* Two sums at each address, one lane's after the other's: subnormal numbers stay what they are. atom gives what was
 * there before: the first sum's is known. */
static float small_or_not(void)
{
    uint32_t u = (uint32_t)isa_random() & 0x807fffff;           /* subnormal */
    if (isa_int(0, 2) == 0) u |= (uint32_t)isa_int(1, 4) << 23; /* next to them */
    float f;
    memcpy(&f, &u, 4);
    return isa_int(0, 5) ? f : (float)isa_uniform(-1, 1);
}
static int add(isa_case *c)
{
    const char *m = c->v->mnemonic;
    const int atom = m[0] == 'a', n = isa_has(c, ".v4") ? 4 : isa_has(c, ".v2") ? 2 : 1;
    float *in = isa_in(c, (size_t)(32 * n) * 4);
    isa_out(c, (size_t)(64 * n) * 4);
    float *out = (float *)c->out, *want = (float *)c->want;
    for (int i = 0; i < 32 * n; i++) {
        in[i] = small_or_not();
        out[i] = small_or_not();
        want[i] = out[i] + in[i];
        if (atom) want[32 * n + i] = out[i];
    }
    isa_begin(c);
    isa_put(c, ".reg .f32 %%v<4>, %%d<4>; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, %d; add.s64 %%g, %%o, %%in; "
            "add.s64 %%o, %%o, %%out;\n", n * 4);
    for (int k = 0; k < n; k++) isa_put(c, "ld.global.f32 %%v%d, [%%g+%d];\n", k, k * 4);
    const char *v = n == 4 ? "{%v0, %v1, %v2, %v3}" : n == 2 ? "{%v0, %v1}" : "%v0",
               *d = n == 4 ? "{%d0, %d1, %d2, %d3}" : n == 2 ? "{%d0, %d1}" : "%d0";
    if (atom) isa_put(c, "%s %s, [%%o], %s;\n", m, d, v);
    else isa_put(c, "%s [%%o], %s;\n", m, v);
    for (int k = 0; atom && k < n; k++) isa_put(c, "st.global.f32 [%%o+%d], %%d%d;\n", 128 * n + k * 4, k);
    isa_end(c);
    return 0;
}

static int build(isa_case *c)
{
    const char *m = c->v->mnemonic;
    if (!strncmp(m, "ld", 2)) return load(c);
    if (!strncmp(m, "st", 2)) return store(c);
    if (!strncmp(m, "prefetch", 8)) return prefetch(c);
    if (!strncmp(m, "atom", 4) || !strncmp(m, "red", 3)) return add(c);
    return -1;
}
ISA_FAMILY(ld_st, "ld.st", build)

/* trace.mark changes nothing */
static int mark(isa_case *c)
{
    uint32_t *in = isa_in(c, 128), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    memcpy(want, in, 128);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%v; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, "
            "%%o, %%out;\nld.global.b32 %%v, [%%g];\n%s %s;\nst.global.b32 [%%o], %%v;\n", c->v->mnemonic,
            isa_op(c, 0) + 4);
    isa_end(c);
    return 0;
}

/* Four CTAs, each with so many bytes to itself: what its threads leave there, others of the CTA find */
static int build_sreg(isa_case *c)
{
    const char *m = c->v->mnemonic, *reg = strchr(c->v->ops, '%');
    if (!reg) return mark(c);
    const int wide = strstr(reg, "offset") != NULL;
    const unsigned bytes = 256 + 32 * (unsigned)isa_int(0, 40);
    uint32_t *in = isa_in(c, 4 * 256), *want = isa_out(c, 4 * 256);
    isa_bytes(in, c->in_size);
    c->grid[0] = 4; c->block[0] = 64; c->per_cta = (int)bytes;
    for (unsigned k = 0; k < 4 * 64; k++) want[k] = wide ? in[k ^ 63] : bytes;
    isa_begin(c);
    isa_put(c, ".reg .b32 %%v, %%a, %%n; .reg .b64 %%g, %%o, %%p, %%q;\nmad.lo.u32 %%a, %%cta, 64, %%tx; mul.wide.u32 "
            "%%o, %%a, 4; add.s64 %%g, %%o, %%in; add.s64 %%o, %%o, %%out; ld.global.u32 %%v, [%%g];\n");
    if (wide)
        isa_put(c, "%s %%p, %s;\nmul.wide.u32 %%q, %%tx, 4; add.s64 %%q, %%q, %%p; st.global.u32 [%%q], %%v;\nbar.sync "
                "0;\nxor.b32 %%a, %%tx, 63; mul.wide.u32 %%q, %%a, 4; add.s64 %%q, %%q, %%p; ld.global.u32 %%v, "
                "[%%q];\n", m, reg);
    else isa_put(c, "%s %%v, %s;\n", m, reg);
    isa_put(c, "st.global.u32 [%%o], %%v;\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(sreg, "sreg", build_sreg)
