/* multimem.c - multimem.ld_reduce, st and red, for a team of one device, where a multimem address has one copy of the
 * memory behind it: ld_reduce gives what lies there, whatever the operation and the accumulator's type, st stores it,
 * and red reduces it. On a GPU an ordinary address is not a multimem one: there these rows are skipped. */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

static int build(isa_case *c)
{
    const char *m = c->v->mnemonic, *type = strrchr(m, '.') + 1;
    const int load = strstr(m, ".ld_reduce") != NULL, red = !strncmp(m, "multimem.red", 12);
    const char *op = isa_op(c, load ? 0 : 1), *t = strchr(op, ' ') ? strchr(op, ' ') + 1 : strchr(op, 'x') + 1;
    if (!isa_emulated) { isa_fail(c, "needs a multicast object"); return -1; }
    int n = 1;
    char reg[8], v[120], *s = v, name[8] = "", element[8];
    sscanf(op, "%*[a-z]{%dx", &n);
    snprintf(reg, sizeof reg, "%.*s", (int)strcspn(t, "}"), t);
    const int bytes = atoi(reg + 1) / 8, size = n * bytes;
    uint8_t *in = isa_in(c, 32 * 32), *want = isa_out(c, 32 * 32);
    isa_bytes(in, 32 * 32);
    if (!red) memcpy(want, in, (size_t)(32 * size));
    else {
        static const char *const ops[] = { "add", "min", "max", "and", "or", "xor" };
        for (unsigned i = 0; i < 6; i++) {
            char w[8];
            snprintf(w, sizeof w, ".%s", ops[i]);
            if (isa_has(c, w)) strcpy(name, ops[i]);
        }
        snprintf(element, sizeof element, "%s", type);        /* f16 of f16x2 */
        if (strchr(element, 'x')) *strchr(element, 'x') = 0;
        const int each = atoi(element + strcspn(element, "0123456789")) / 8;
        for (int i = 0; i < 32 * size; i += each) {
            isa_element(element, in + i, 0);
            isa_element(element, c->out + i, 0);
        }
        memcpy(want, c->out, 32 * 32);
        for (int i = 0; i < 32 * size; i += each) isa_reduce(name, element, want + i, in + i);
    }
    s += sprintf(s, n > 1 ? "{" : "");
    for (int i = 0; i < n; i++) s += sprintf(s, "%s%%v%d", i ? ", " : "", i);
    sprintf(s, n > 1 ? "}" : "");
    isa_begin(c);
    isa_put(c, ".reg .%s %%v<%d>; .reg .b64 %%g, %%o;\nmul.wide.u32 %%o, %%tx, %d; add.s64 %%g, %%o, %%in; add.s64 "
            "%%o, %%o, %%out;\n", reg, n, size);
    if (load) isa_put(c, "%s %s, [%%g];\n", m, v);
    else for (int i = 0; i < n; i++) isa_put(c, "ld.global.%s %%v%d, [%%g+%d];\n", reg, i, i * bytes);
    if (!load) isa_put(c, "%s [%%o], %s;\n", m, v);
    else for (int i = 0; i < n; i++) isa_put(c, "st.global.%s [%%o+%d], %%v%d;\n", reg, i * bytes, i);
    isa_end(c);
    return 0;
}
ISA_FAMILY(multimem, "multimem", build)
