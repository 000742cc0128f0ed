/* fabric.c - fabric.*. There is no fabric on one device and no logical endpoint, so each operation must fail as the ISA
 * says operations fail: its mbarrier counts what it would have counted, its phase ends after the thread's submit, the
 * report's predicate is set, and no byte has moved. tcemu says "unsupported" of each: tests/isa.sh runs this family by
 * itself. Not for GPUs. */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

static int build(isa_case *c)
{
    const char *m = c->v->mnemonic;
    const int op = strstr(m, ".try_") != NULL, atom = strstr(m, ".try_atom") != NULL,
              pull = strstr(m, ".try_pullred") != NULL,
              get = strstr(m, ".try_get") != NULL, counted = isa_has(c, ".counted::bytes"),
              mask = isa_has(c, ".cp_mask");
    const unsigned n = 16 * (unsigned)isa_int(1, 32), count = atom ? 1 : get || pull ? n : n / 16;
    uint32_t *want = isa_out(c, 512 + 16);
    want[0] = !op; want[1] = 1; want[2] = op;                /* over before the submit; after it; report */
    isa_begin(c);
    k_shared(c, 512);
    k_fill(c, 512);
    isa_put(c, ".reg .b32 %%e, %%n, %%v; .reg .b64 %%f, %%k; .reg .b16 %%h; .reg .pred %%p, %%q, %%first;\n"
            "mov.u32 %%e, 7; mov.u32 %%n, %u; mov.u64 %%f, 4096; mov.u64 %%k, 256; mov.u16 %%h, 0xff;\n"
            "setp.eq.u32 %%first, %%tx, 0;\n@%%first mbarrier.init.layout::v1.shared::cta.b64 [%%mb], 1;\n"
            "fence.proxy.async.shared::cta; fence.mbarrier_init.release.cluster; bar.sync 0;\n", n);
    if (op) isa_put(c, "@%%first mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], %u;\n", count);
    else isa_put(c, "@%%first mbarrier.arrive.shared::cta.b64 _, [%%mb];\n");
    const char *handle = counted ? "[%e, %f, %k]" : "[%e, %f]", *guard = pull ? "" : "@%first ";
    if (pull) isa_put(c, "%s [%%sm], %s, %%n, [%%mb], 0xFFFFFFFF;\n", m, handle);
    else if (get) isa_put(c, "%s%s [%%sm], %s, %%n, [%%mb];\n", guard, m, handle);
    else if (atom) isa_put(c, "%s%s %s, [%%sm], [%%sm+64], [%%mb];\n", guard, m, handle);
    else if (op) isa_put(c, "%s%s %s, [%%sm], %%n, [%%mb]%s;\n", guard, m, handle, mask ? ", %h" : "");
    isa_put(c, "@!%%first bra DONE;\nmbarrier.test_wait.parity.shared::cta.b64 %%p, [%%mb], 0; selp.u32 %%v, 1, 0, "
            "%%p; st.global.u32 [%%out], %%v;\n");
    if (op) isa_put(c, "fabric.submit;\n");
    else isa_put(c, "%s%s%s;\n", m, isa_op(c, 0) ? " " : "", isa_op(c, 0) ? isa_op(c, 0) + 4 : "");
    isa_put(c, "W: mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %%p|%%q, [%%mb], 0; @!%%p bra W;\n"
            "selp.u32 %%v, 1, 0, %%p; st.global.u32 [%%out+4], %%v; selp.u32 %%v, 1, 0, %%q; st.global.u32 [%%out+8], "
            "%%v;\nDONE: bar.sync 0;\nadd.s64 %%out, %%out, 16;\n");
    k_dump(c, 512);
    isa_end(c);
    return 0;
}
ISA_FAMILY(fabric, "fabric", build)
