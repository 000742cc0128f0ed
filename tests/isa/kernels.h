/* kernels.h - pieces of PTX that many of the test kernels have in common. Each may be used once in a kernel unless it
 * takes a label number. */
#ifndef ISA_KERNELS_H
#define ISA_KERNELS_H
#include <string.h>
#include "isa.h"

/* Static shared memory: "sm" of so many bytes aligned to 1024, and 8 mbarriers "mb"; registers %sm, %mb with their
 * .shared::cta addresses */
static inline void k_shared(isa_case *c, unsigned bytes)
{
    isa_put(c,
            ".shared .align 1024 .b8 sm[%u];\n.shared .align 8 .b64 mb[8];\n.reg .b32 %%sm, %%mb;\nmov.u32 %%sm, sm; "
            "mov.u32 %%mb, mb;\n", bytes);
}
/* sm[0..bytes) = ISA_FILL, by all threads; no barrier after it */
static inline void k_fill(isa_case *c, unsigned bytes)
{
    isa_put(c,
            "{ .reg .b32 i, a, v; .reg .pred p;\nshl.b32 i, %%tx, 2; mov.b32 v, 0x%02x%02x%02x%02x;\nFILL: setp.ge.u32 "
            "p, i, %u; @p bra FILLED;\n"
            "add.u32 a, i, %%sm; st.shared.u32 [a], v; add.u32 i, i, %u; bra FILL;\nFILLED: }\n", ISA_FILL, ISA_FILL,
            ISA_FILL, ISA_FILL, bytes, c->block[0] * 4);
}
/* global at p_out + rank * bytes = sm[0..bytes), by all threads */
static inline void k_dump(isa_case *c, unsigned bytes)
{
    isa_put(c,
            "{ .reg .b32 i, a, v; .reg .b64 g; .reg .pred p;\nshl.b32 i, %%tx, 2;\nDUMP: setp.ge.u32 p, i, %u; @p bra "
            "DUMPED;\n"
            "add.u32 a, i, %%sm; ld.shared.u32 v, [a]; mad.lo.u32 a, %%rank, %u, i; cvt.u64.u32 g, a; add.s64 g, g, "
            "%%out; st.global.u32 [g], v;\n" "add.u32 i, i, %u; bra DUMP;\nDUMPED: }\n", bytes, bytes, c->block[0] * 4);
}
/* sm[0..bytes) = global at p_in + from, by all threads */
static inline void k_load(isa_case *c, unsigned bytes, unsigned from)
{
    isa_put(c,
            "{ .reg .b32 i, a, v; .reg .b64 g; .reg .pred p;\nshl.b32 i, %%tx, 2;\nLOAD: setp.ge.u32 p, i, %u; @p bra "
            "LOADED;\n"
            "add.u32 a, i, %%sm; cvt.u64.u32 g, i; add.s64 g, g, %%in; ld.global.u32 v, [g+%u]; st.shared.u32 [a], v;\n"
            "add.u32 i, i, %u; bra LOAD;\nLOADED: }\n", bytes, from, c->block[0] * 4);
}
/* Waits until the phase of mbarrier mb[n] with this parity is over */
static inline void k_wait(isa_case *c, int n, int parity, int label)
{
    isa_put(c, "{ .reg .pred p;\nWAIT%d: mbarrier.%s_wait.parity.shared.b64 p, [%%mb+%d], %d; @!p bra WAIT%d; }\n",
            label, isa_sm >= 90 ? "try" : "test", n * 8, parity, label);
}
static inline void k_cluster_sync(isa_case *c)
{
    isa_put(c, "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n");
}

static inline void isa_bytes(void *p, size_t n)
{
    for (size_t i = 0; i < n; i++) ((uint8_t *)p)[i] = (uint8_t)isa_random();
}
/* copy.c: d = op(d, s) on one element, as the reductions do; a random element for it */
void isa_reduce(const char *op, const char *type, uint8_t *d, const uint8_t *s);
void isa_element(const char *type, uint8_t *p, int counter);
int isa_report_pattern(isa_case *c, uint8_t *source, size_t n, const uint32_t *chunk, int chunks);
#endif
