/* elect.c - elect.sync: of the members, one lane is elected, the same for all; p is true there alone. Which one, the
 * ISA leaves open. */
#include <string.h>
#include "isa.h"

static void check(isa_case *c)
{
    uint32_t members = (uint32_t)c->user[0], leader = 99, elected = 0;
    const uint32_t *d = (uint32_t *)c->out, *p = d + 32;
    for (uint32_t l = 0; l < 32; l++) {
        int in = members >> l & 1;
        if (!in) {
            if (d[l] != 0xa5a5a5a5 || p[l] != 0xa5a5a5a5) isa_fail(c, "lane %u is no member, yet stored something", l);
            continue;
        }
        if (p[l] > 1) isa_fail(c, "lane %u stored no predicate: %#x", l, p[l]);
        if (p[l]) { elected |= 1u << l; leader = l; }
    }
    if (__builtin_popcount(elected) != 1) isa_fail(c, "elected lanes: %#x of %#x", elected, members);
    for (uint32_t l = 0; l < 32; l++)
        if ((members >> l & 1) && c->user[1] && d[l] != leader)
            isa_fail(c, "lane %u was told %u, but the predicate is at %u", l, d[l], leader);
}

static int build(isa_case *c)
{
    int reg = !strstr(c->v->ops, "imm"), sink = strstr(c->v->ops, "_|") != NULL;
    uint32_t members = reg ? (uint32_t)isa_random() | 4 : 0xffffffff;
    c->user[0] = members; c->user[1] = !sink;
    *(uint32_t *)isa_in(c, 4) = members;
    isa_out(c, 256);
    c->check = check;
    isa_begin(c);
    isa_put(c, ".reg .b32 %%m, %%d, %%b; .reg .pred %%p, %%q; .reg .b64 %%a;\n"
        "ld.global.u32 %%m, [%%in];\nshr.u32 %%b, %%m, %%tx; and.b32 %%b, %%b, 1; setp.eq.u32 %%q, %%b, 0;\n@%%q bra "
        "OUT;\nmov.u32 %%d, 77;\n%s %s|%%p, %s;\n", c->v->mnemonic, sink ? "_" : "%d", reg ? "%m" : "0xffffffff");
    isa_put(c,
            "mul.wide.u32 %%a, %%tx, 4; add.s64 %%a, %%a, %%out; st.global.u32 [%%a], %%d;\nselp.u32 %%b, 1, 0, %%p; "
            "st.global.u32 [%%a+128], %%b;\nOUT:\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(elect, "elect", build)
