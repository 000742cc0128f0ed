/* sync.c - mbarrier, fences, named barriers.
 *
 * An mbarrier is modelled here as the ISA describes it: a phase, the count of arrivals expected in each phase, those
 * still pending in this one, and the pending transactions. The phase ends when both are zero; the pending count is then
 * the expected count again. The script of a test moves the real one and the model side by side, and every test_wait on
 * the way must say what the model says. */
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

typedef struct { isa_case *c; uint32_t expected, pending, phase; int tx, n; uint32_t *want; } script;

static void store(script *s, const char *reg, uint32_t want)
{
    isa_put(s->c, "st.global.u32 [%%out+%d], %s;\n", s->n * 4, reg);
    s->want[s->n++] = want;
}
static void phase(script *s) { if (!s->pending && !s->tx) { s->phase++; s->pending = s->expected; } }
static void arrived(script *s, uint32_t count) { s->pending -= count; phase(s); }

static void arrive(script *s, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        isa_put(s->c, "mbarrier.arrive.shared::cta.b64 _, [%%mb];\n");
        arrived(s, 1);
    }
}
/* test_wait.parity says whether the phase with this parity is over: the present phase or the one before it */
static void test(script *s, uint32_t parity)
{
    isa_put(s->c, "mbarrier.test_wait.parity.shared::cta.b64 %%p, [%%mb], %u; selp.u32 %%v, 1, 0, %%p;\n", parity);
    store(s, "%v", (s->phase & 1) != parity);
}
/* Everything that follows an instruction which left the phase open: the rest of this phase, and the whole next one */
static void finish(script *s)
{
    test(s, 0);
    arrive(s, s->pending - 1);
    test(s, 0);
    arrive(s, 1);
    if (s->tx) {
        test(s, 0);
        isa_put(s->c, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%mb], %d;\n", s->tx);
        s->tx = 0; phase(s);
    }
    test(s, 0);
    test(s, 1);
    arrive(s, s->pending - 1);
    test(s, 1);
    arrive(s, 1);
    test(s, 1);
    test(s, 0);
}

/* Of two mbarriers, which has this layout? */
static int check_layout(isa_case *c)
{
    const char *m = c->v->mnemonic, *own = isa_has(c, ".layout::v1") ? "v1" : "v0",
               *other = own[1] == '1' ? "v0" : "v1", *base = strstr(m, ".shared") ? "%mb" : "%ga";
    uint32_t *want = isa_out(c, 12);
    want[0] = 1; want[1] = 0; want[2] = own[1] == '0';
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c, ".reg .b32 %%v; .reg .b64 %%ga; .reg .pred %%p;\ncvta.shared.u64 %%ga, mb;\nsetp.ne.u32 %%p, %%tx, 0; "
            "@%%p bra END;\nmbarrier.init.layout::%s.shared::cta.b64 [%%mb], 3; "
            "mbarrier.init.layout::%s.shared::cta.b64 [%%mb+8], 511; mbarrier.init.shared::cta.b64 [%%mb+16], 7;\n",
            own,
            other);
    for (int k = 0; k < 3; k++)
        isa_put(c, "%s %%p, [%s+%d]; selp.u32 %%v, 1, 0, %%p; st.global.u32 [%%out+%d], %%v;\n", m, base, 8 * k, 4 * k);
    isa_put(c, "END:\n");
    isa_end(c);
    return 0;
}

/* CTA 0 does it for the CTAs of a mask; those find it done, the others find nothing. Each moves its own mbarrier on
 * through this phase and the next. */
static int multicast(isa_case *c)
{
    enum { CTAS = 8, BYTES = 256 };
    const char *m = c->v->mnemonic;
    const int drop = !strncmp(m, "mbarrier.arrive_drop", 20), is_arrive = drop || !strncmp(m, "mbarrier.arrive.", 16),
              expect = isa_has(c, ".expect_tx"), complete = !strncmp(m, "mbarrier.complete_tx", 20);
    const int counted = is_arrive && !expect && isa_op(c, 3) != NULL, state = is_arrive;
    const uint32_t k0 = (uint32_t)isa_int(4, 9), count = counted ? (uint32_t)isa_int(1, (int)k0 - 2) : 1,
                   mask = (uint32_t)isa_int(1, (1 << CTAS) - 1);
    const int tx = isa_int(1, 5000);
    uint32_t *want = isa_out(c, CTAS * BYTES), plain[BYTES / 4];
    script in = { c, k0, k0, 0, complete ? tx : 0, 0, plain }, left = in;
    c->cluster[0] = c->grid[0] = CTAS;
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c, ".reg .b32 %%v, %%a, %%n, %%m; .reg .b64 %%o; .reg .pred %%p, %%p0;\nmul.wide.u32 %%o, %%rank, %d; "
            "add.s64 %%out, %%out, %%o; mov.u32 %%n, %u; mov.u32 %%m, %u; setp.ne.u32 %%p0, %%tx, 0;\n@%%p0 bra L1;\n"
            "mbarrier.init.shared::cta.b64 [%%mb], %u; fence.mbarrier_init.release.cluster;\n", BYTES,
            counted ? count : (uint32_t)tx, mask, k0);
    if (complete) isa_put(c, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%mb], %d;\n", tx);
    isa_put(c, "L1:\n");
    k_cluster_sync(c);
    isa_put(c, "setp.ne.u32 %%p, %%rank, 0; or.pred %%p, %%p, %%p0; @%%p bra L2;\nmapa.shared::cluster.u32 %%a, %%mb, "
            "0;\n%s %s[%%a]%s, %%m;\nL2:\n", m, state ? "_, " : "", counted || expect || complete ? ", %n" : "");
    k_cluster_sync(c);
    isa_put(c, "@%%p0 bra L4;\nshr.u32 %%v, %%m, %%rank; and.b32 %%v, %%v, 1; setp.eq.u32 %%p, %%v, 0; @%%p bra L3;\n");
    if (expect) in.tx += tx;
    if (complete) in.tx -= tx;
    if (drop) in.expected -= count;
    if (is_arrive) arrived(&in, count);
    uint32_t other[BYTES / 4];
    finish(&in);
    isa_put(c, "bra L4;\nL3:\n");
    left.want = other;
    finish(&left);
    isa_put(c, "L4:\n");
    k_cluster_sync(c);
    isa_end(c);
    for (uint32_t r = 0; r < CTAS; r++) {
        const script *s = mask >> r & 1 ? &in : &left;
        memcpy(want + r * BYTES / 4, s->want, (size_t)s->n * 4);
    }
    return 0;
}

static int build_mbarrier(isa_case *c)
{
    const char *m = c->v->mnemonic, *out = isa_op(c, 0);
    if (strstr(m, ".check_layout")) return check_layout(c);
    if (strstr(m, ".multicast")) return multicast(c);
    int remote = isa_has(c, ".shared::cluster"), generic = !strstr(m, ".shared");
    int drop = !strncmp(m, "mbarrier.arrive_drop", 20), is_arrive = drop || !strncmp(m, "mbarrier.arrive.", 16);
    int expect = isa_has(c, ".expect_tx"), complete = isa_has(c, ".complete_tx"), wait = strstr(m, "_wait") != NULL,
        no_complete = isa_has(c, ".noComplete");
    int returns = out && !strcmp(out, "out b64");
    const char *last = NULL;
    for (int i = 0; isa_op(c, i); i++) last = isa_op(c, i);
    int counted = is_arrive && last && !strcmp(last, "in b32");
    uint32_t k0 = (uint32_t)isa_int(4, 9), count = is_arrive && counted && !expect ? (uint32_t)isa_int(1, (int)k0 - 2)
             : 1;
    int tx = isa_int(1, 5000);
    *(uint32_t *)isa_in(c, 4) = k0;
    script s = { c, k0, k0, 0, 0, 0, isa_out(c, 256) };
    if (remote) c->cluster[0] = c->grid[0] = 2;
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c,
            ".reg .b32 %%v, %%k, %%n, %%a, %%t; .reg .b64 %%s, %%ga, %%x; .reg .pred %%p, %%p0, %%p1; .reg .b8 "
            "%%byte;\n"
            "ld.global.u32 %%k, [%%in];\ncvta.shared.u64 %%ga, mb;\nmov.u32 %%a, %%mb;\n" "mov.u32 %%n, %u;\n",
            expect || complete ? (uint32_t)tx : count);
    const char *addr = generic ? "%ga" : remote ? "%a" : "%mb";
    /* the owner of the mbarrier is the last CTA, thread 0; who executes the instruction is the first CTA's thread 0 */
    isa_put(c, "setp.ne.u32 %%p0, %%tx, 0; setp.ne.u32 %%p1, %%rank, %d; or.pred %%p0, %%p0, %%p1;\n@%%p0 bra L1;\n",
            remote);
    if (!strncmp(m, "mbarrier.init", 13)) isa_put(c, "%s [%s], %%k;\n", m, addr);
    else isa_put(c, "mbarrier.init%s.shared::cta.b64 [%%mb], %%k;\n",
                 strstr(m, ".phase_type") ? isa_int(0, 1) ? ".layout::v1" : ".layout::v0" : "");
    if (isa_sm >= 90) isa_put(c, "fence.mbarrier_init.release.cluster;\n");
    if (complete) { isa_put(c, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%%mb], %d;\n", tx); s.tx = tx; }
    isa_put(c, "L1:\n");
    if (remote) k_cluster_sync(c); else isa_put(c, "bar.sync 0;\n");
    isa_put(c, "setp.ne.u32 %%p0, %%tx, 0; setp.ne.u32 %%p1, %%rank, 0; or.pred %%p1, %%p0, %%p1;\n@%%p1 bra L2;\n");
    if (remote) isa_put(c, "mov.u32 %%t, 1; mapa.shared::cluster.u32 %%a, %%mb, %%t;\n");
    if (is_arrive) {
        isa_put(c, "%s %s, [%s]%s;\n", m, returns ? "%s" : "_", addr, counted ? ", %n" : "");
        if (expect) s.tx += tx;
        if (drop) s.expected -= count;
        arrived(&s, count);
    } else if (expect || complete) {
        isa_put(c, "%s [%s], %%n;\n", m, addr);
        s.tx += expect ? tx : -tx;
    } else if (wait) {
        /* with a report (of .layout::v1): a predicate more, and perhaps its value; both 0 where nobody reported */
        int parity = isa_has(c, ".parity"), value = strstr(c->v->ops, "out b8") != NULL,
            report = strstr(c->v->ops, "pred|pred") != NULL,
            limit = !strcmp(c->v->note, "time limit") || (strstr(m, ".phase_type") && isa_op(c, 3 + value));
        const char *dst = value ? "%p|%p1, %byte" : report ? "%p|%p1" : "%p";
        isa_put(c, "mbarrier.arrive.shared::cta.b64 %%s, [%%mb]; mov.u32 %%t, 200; mov.u32 %%n, 0;\n");
        arrived(&s, 1);
#define WAIT(want)                                                                                                    \
    isa_put(c, "%s %s, [%s], %s%s; selp.u32 %%v, 1, 0, %%p;\n", m, dst, addr, parity ? "%n" : "%s",                   \
            limit ? ", %t" : "");                                                                                     \
    store(&s, "%v", want);                                                                                            \
    if (report && want) { isa_put(c, "selp.u32 %%v, 1, 0, %%p1;\n"); store(&s, "%v", 0); }                            \
    if (value && want) { isa_put(c, "cvt.u32.u8 %%v, %%byte;\n"); store(&s, "%v", 0); }
        WAIT(0);
        arrive(&s, s.pending);
        WAIT(1);
        if (parity) { isa_put(c, "mov.u32 %%n, 1;\n"); WAIT(0); }
        isa_put(c, "bra L2;\n");
    } else if (!strncmp(m, "mbarrier.pending_count", 22)) {
        isa_put(c, "mov.u32 %%n, 2; mbarrier.arrive.noComplete.shared::cta.b64 %%s, [%%mb], %%n;\n%s %%v, %%s;\n", m);
        store(&s, "%v", k0);       /* before the arrive that returned the state */
        arrived(&s, 2);
        isa_put(c, "mbarrier.arrive.noComplete.shared::cta.b64 %%s, [%%mb], 1;\n%s %%v, %%s;\n", m);
        store(&s, "%v", k0 - 2);
        arrived(&s, 1);
    /* its bytes serve as memory then, and as an mbarrier again after an init */
    } else if (!strncmp(m, "mbarrier.inval", 14)) {
        isa_put(c, "%s [%s];\nmov.b64 %%x, 0x123456789abcdef0; st.shared.b64 [%%mb], %%x; ld.shared.u32 %%v, [%%mb];\n",
                m, addr);
        store(&s, "%v", 0x9abcdef0);
        isa_put(c, "mbarrier.init.shared::cta.b64 [%%mb], %u;\n", k0);
    } else if (strncmp(m, "mbarrier.init", 13)) { isa_fail(c, "what does it do?"); return -1; }
    if (no_complete) { isa_put(c, "mbarrier.pending_count.b64 %%v, %%s;\n"); store(&s, "%v", k0); }
    if (returns) {
        isa_put(c, "mbarrier.test_wait.shared::cta.b64 %%p, [%%mb], %%s; selp.u32 %%v, 1, 0, %%p;\n");
        store(&s, "%v", 0);
    }
    isa_put(c, "L2:\n");
    if (remote) k_cluster_sync(c); else isa_put(c, "bar.sync 0;\n");
    isa_put(c, "setp.ne.u32 %%p0, %%tx, 0; setp.ne.u32 %%p1, %%rank, %d; or.pred %%p0, %%p0, %%p1;\n@%%p0 bra L3;\n",
            remote);
    if (!wait) {
        /* the state belongs to phase 0: over as soon as that is; testing it later than the next phase is not allowed */
        if (returns) {
            test(&s, 0);
            arrive(&s, s.pending);
            if (s.tx) {
                isa_put(c, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%%mb], %d;\n", s.tx);
                s.tx = 0;
                phase(&s);
            }
            isa_put(c, "mbarrier.test_wait.shared::cta.b64 %%p, [%%mb], %%s; selp.u32 %%v, 1, 0, %%p;\n");
            store(&s, "%v", 1);
            arrive(&s, s.pending - 1);
            test(&s, 1);
            arrive(&s, 1);
            test(&s, 1);
        } else finish(&s);
    }
    isa_put(c, "L3:\n");
    if (remote) k_cluster_sync(c);
    isa_end(c);
    return c->failed ? -1 : 0;
}
ISA_FAMILY(mbarrier, "mbarrier", build_mbarrier)

/* ---- Fences ---- */

/* Message passing between two warps of a CTA, many times: what the producer wrote before its fence and flag, the
 * consumer reads after flag and fence */
static int message_passing(isa_case *c, const char *release, const char *acquire)
{
    enum { ROUNDS = 20 };
    uint32_t *in = isa_in(c, 4096), *want = isa_out(c, ROUNDS * 128);
    isa_bytes(in, 128);
    for (int r = 0; r < ROUNDS; r++) for (int l = 0; l < 32; l++) want[r * 32 + l] = in[31 - l] + (uint32_t)r;
    c->block[0] = 64;
    /* in: 128 bytes of data, at 1024 the messages, at 2048 the flag, at 2052 the acknowledgement */
    isa_begin(c);
    isa_put(c,
            ".reg .b32 %%v, %%r, %%f, %%l; .reg .b64 %%g, %%x, %%o; .reg .pred %%p, %%q;\nand.b32 %%l, %%tx, 31; "
            "setp.ge.u32 %%q, %%tx, 32; mov.u32 %%r, 0;\n"
            "mul.wide.u32 %%g, %%l, 4; add.s64 %%g, %%g, %%in; mul.wide.u32 %%o, %%l, 4; add.s64 %%o, %%o, %%out; "
            "sub.u32 %%v, 31, %%l; mul.wide.u32 %%x, %%v, 4; add.s64 %%x, %%x, %%in;\n" "@%%q bra CONSUMER;\n"
            "P: ld.global.u32 %%v, [%%g]; add.u32 %%v, %%v, %%r; st.global.u32 [%%g+1024], %%v;\n"
            "%s;\nadd.u32 %%r, %%r, 1; red.relaxed.gpu.global.add.u32 [%%in+2048], 1;\n"
            "mul.lo.u32 %%f, %%r, 32;\nPW: ld.relaxed.gpu.global.u32 %%v, [%%in+2052]; setp.lt.u32 %%p, %%v, %%f; @%%p "
            "bra PW;\n%s;\n" "setp.lt.u32 %%p, %%r, %d; @%%p bra P;\nbra DONE;\n", release, acquire, ROUNDS);
    isa_put(c,
            "CONSUMER: add.u32 %%r, %%r, 1; mul.lo.u32 %%f, %%r, 32;\nCW: ld.relaxed.gpu.global.u32 %%v, [%%in+2048]; "
            "setp.lt.u32 %%p, %%v, %%f; @%%p bra CW;\n"
            "%s;\nld.global.u32 %%v, [%%x+1024]; st.global.u32 [%%o], %%v; add.s64 %%o, %%o, "
            "128;\n%s;\nred.relaxed.gpu.global.add.u32 [%%in+2052], 1;\n"
            "setp.lt.u32 %%p, %%r, %d; @%%p bra CONSUMER;\nDONE:\n", acquire, release, ROUNDS);
    isa_end(c);
    return 0;
}

/* A release restricted to the CTA's own shared memory, an acquire of the cluster's: CTA 0 writes its shared memory,
 * releases, arrives at CTA 1's mbarrier (relaxed); CTA 1 waits (relaxed), acquires, and reads CTA 0's shared memory.
 * With .async::generic the other way round: CTA 1 has read its buffer when it releases, and CTA 0 then overwrites it by
 * the asynchronous proxy. */
static int restricted(isa_case *c)
{
    int proxy = strstr(c->v->mnemonic, ".proxy") != NULL,
        read = isa_has(c, ".sync_restrict::shared::cluster::read");      /* of what was read alone */
    uint8_t *in = isa_in(c, 512), *want = isa_out(c, 256);
    isa_bytes(in, 512);
    c->cluster[0] = c->grid[0] = 2;
    memcpy(want, in + (proxy ? 256 : 0), 128);                 /* what CTA 1 read first, or from CTA 0 */
    if (proxy) memcpy(want + 128, in, 128);                    /* and what was copied over it */
    isa_begin(c);
    k_shared(c, 128);
    isa_put(c,
            ".reg .b32 %%v, %%a, %%b, %%t; .reg .b64 %%g, %%o; .reg .pred %%p, %%q;\nmul.wide.u32 %%o, %%tx, 4; "
            "add.s64 %%g, %%in, %%o; add.s64 %%o, %%o, %%out;\n"
            "setp.ne.u32 %%q, %%rank, 0; shl.b32 %%a, %%tx, 2; add.u32 %%a, %%a, %%sm;\nsetp.ne.u32 %%p, %%tx, 0; @%%p "
            "bra I;\nmbarrier.init.shared::cta.b64 [%%mb], 32; mbarrier.init.shared::cta.b64 [%%mb+8], 1; "
            "fence.mbarrier_init.release.cluster;\nI:\n");
    /* CTA 1's buffer is written, and its writes ordered, before the other CTA can hear of it by the fence alone */
    if (read)
        isa_put(c, "@!%%q bra W;\nld.global.u32 %%v, [%%g+256]; st.shared::cta.u32 [%%a], %%v; "
                "fence.proxy.async.shared::cta;\nW:\n");
    k_cluster_sync(c);
    const char *rel = read ? c->v->mnemonic
        : proxy ? "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster"
        : "fence.release.sync_restrict::shared::cta.cluster";
    const char *acq = proxy ? "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster"
        : "fence.acquire.sync_restrict::shared::cluster.cluster";
    if (!proxy) {
        isa_put(c,
                "@%%q bra ONE;\nld.global.u32 %%v, [%%g]; st.shared::cta.u32 [%%a], %%v;\n%s;\nmov.u32 %%t, 1; "
                "mapa.shared::cluster.u32 %%b, %%mb, %%t;\n"
                "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%%b];\nbra END;\n"
                "ONE: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %%p, [%%mb], 0; @!%%p bra ONE;\n%s;\n"
                "mov.u32 %%t, 0; mapa.shared::cluster.u32 %%b, %%a, %%t; ld.shared::cluster.u32 %%v, [%%b]; "
                "st.global.u32 [%%o], %%v;\nEND:\n", rel, acq);
    } else {
        isa_put(c,
                "@%%q bra ONE;\nld.global.u32 %%v, [%%g]; st.shared::cta.u32 [%%a], %%v; "
                "fence.proxy.async.shared::cta; bar.sync 0;\nsetp.ne.u32 %%p, %%tx, 0; @%%p bra END;\n"
                "ZW: mbarrier.try_wait.parity.relaxed.cluster.shared::cta.b64 %%p, [%%mb], 0; @!%%p bra ZW;\n%s;\n"
                "mov.u32 %%t, 1; mapa.shared::cluster.u32 %%a, %%sm, %%t; mapa.shared::cluster.u32 %%b, %%mb, %%t; "
                "add.u32 %%b, %%b, 8;\n"
                "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%a], [%%sm], 128, "
                "[%%b];\nbra END;\n", acq);
        isa_put(c,
                "ONE: %s@!%%p "
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb+8], 128;\n"
                "ld.shared.u32 %%v, [%%a]; st.global.u32 [%%o], %%v;\n%s;\n"
                "mov.u32 %%t, 0; mapa.shared::cluster.u32 %%b, %%mb, %%t; "
                "mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%%b];\n"
                "OW: mbarrier.try_wait.parity.shared::cta.b64 %%p, [%%mb+8], 0; @!%%p bra OW;\nld.shared.u32 %%v, "
                "[%%a]; st.global.u32 [%%o+128], %%v;\nEND:\n",
                read ? "" : "ld.global.u32 %v, [%g+256]; st.shared::cta.u32 [%a], %v; bar.sync 0;\n", rel);
    }
    k_cluster_sync(c);
    isa_end(c);
    return 0;
}

/* The generic proxy writes, the fence, the asynchronous proxy reads */
static int proxy_async(isa_case *c)
{
    int global = isa_has(c, ".global");
    uint8_t *in = isa_in(c, 4096), *want = isa_out(c, 128);
    isa_bytes(in, 128);
    memcpy(want, in, 128);
    isa_begin(c);
    k_shared(c, 128);
    isa_put(c,
            ".reg .b32 %%v, %%a; .reg .b64 %%g; .reg .pred %%p;\nmul.wide.u32 %%g, %%tx, 4; add.s64 %%g, %%g, %%in; "
            "ld.global.u32 %%v, [%%g]; shl.b32 %%a, %%tx, 2; add.u32 %%a, %%a, %%sm;\n"
            "setp.ne.u32 %%p, %%tx, 0;\n@!%%p mbarrier.init.shared::cta.b64 [%%mb], 1;\n");
    if (global)
        isa_put(c,
                "st.global.u32 [%%g+1024], %%v;\n%s;\nfence.mbarrier_init.release.cluster; bar.sync 0;\n@%%p bra "
                "W;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%%mb], 128;\n"
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%sm], [%%in+1024], 128, "
                "[%%mb];\nW:\n", c->v->mnemonic);
    else
        isa_put(c,
                "st.shared.u32 [%%a], %%v;\n%s;\nbar.sync 0;\n@%%p bra W;\ncp.async.bulk.global.shared::cta.bulk_group "
                "[%%out], [%%sm], 128;\n" "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nW:\n",
                c->v->mnemonic);
    if (global) { k_wait(c, 0, 0, 0); k_dump(c, 128); }
    isa_end(c);
    return 0;
}

/* fence.mbarrier_init: the other CTA may use the mbarrier after a relaxed cluster barrier */
static int mbarrier_init(isa_case *c)
{
    uint32_t *want = isa_out(c, 8);
    want[0] = want[1] = 1;
    c->cluster[0] = c->grid[0] = 2;
    isa_begin(c);
    k_shared(c, 16);
    isa_put(c,
            ".reg .b32 %%a, %%t; .reg .b64 %%g; .reg .pred %%p;\nsetp.ne.u32 %%p, %%tx, 0; @%%p bra "
            "I;\nmbarrier.init.shared::cta.b64 [%%mb], 1; %s;\nI:\n"
            "barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.aligned;\n@%%p bra END;\nxor.b32 %%t, "
            "%%rank, 1; mapa.shared::cluster.u32 %%a, %%mb, %%t;\n"
            "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%%a];\n", c->v->mnemonic);
    isa_put(c,
            "W: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %%p, [%%mb], 0; @!%%p bra W;\nmul.wide.u32 "
            "%%g, %%rank, 4; add.s64 %%g, %%g, %%out; mov.u32 %%t, 1; st.global.u32 [%%g], %%t;\nEND:\n");
    k_cluster_sync(c);
    isa_end(c);
    return 0;
}

int isa_fence_tensormap(isa_case *c);       /* tensor.c */

static int build_fence(isa_case *c)
{
    const char *m = c->v->mnemonic;
    char other[480];
    if (strstr(m, "tensormap")) return isa_fence_tensormap(c);
    if (strstr(m, "sync_restrict")) return restricted(c);
    if (strstr(m, "mbarrier_init")) return mbarrier_init(c);
    if (strstr(m, "proxy.async")) return proxy_async(c);
    /* one-sided fences have the matching one on the other side */
    const char *scope = strrchr(m, '.');
    if (strstr(m, "fence.acquire")) {
        snprintf(other, sizeof other, "fence.acq_rel%s", scope);
        return message_passing(c, other, m);
    }
    if (strstr(m, "fence.release")) {
        snprintf(other, sizeof other, "fence.acq_rel%s", scope);
        return message_passing(c, m, other);
    }
    if (strstr(m, "proxy.alias")) {
        snprintf(other, sizeof other, "%s;\nfence.acq_rel.gpu", m);
        return message_passing(c, other, "fence.acq_rel.gpu");
    }
    return message_passing(c, m, m);
}
ISA_FAMILY(fence, "fence", build_fence)

/* ---- Named barriers: warps 0 and 1 of 4 produce, 2 and 3 consume ----
 * sync: everybody waits for everybody. arrive: the producers do not wait; what they wrote before is there for the
 * consumers' sync. */
static int build_barrier(isa_case *c)
{
    const char *m = c->v->mnemonic, *a = isa_op(c, 0), *b = isa_op(c, 1);
    /* the lanes of the mask wait for each other: odd lanes read what their even neighbours wrote */
    if (!strcmp(m, "bar.warp.sync")) {
        uint32_t *in = isa_in(c, 128), *want = isa_out(c, 128);
        isa_bytes(in, 128);
        for (int l = 0; l < 32; l += 2) want[l + 1] = in[l];
        isa_begin(c);
        k_shared(c, 128);
        isa_put(c,
                ".reg .b32 %%v, %%a, %%k, %%m; .reg .b64 %%g, %%o; .reg .pred %%p;\nmul.wide.u32 %%o, %%tx, 4; add.s64 "
                "%%g, %%in, %%o; add.s64 %%o, %%o, %%out; ld.global.u32 %%v, [%%g];\n"
                "shl.b32 %%a, %%tx, 2; add.u32 %%a, %%a, %%sm; and.b32 %%k, %%tx, 1; setp.ne.u32 %%p, %%k, 0; mov.u32 "
                "%%m, 0xffffffff;\n@%%p bra ODD;\nst.shared.u32 [%%a], %%v;\n%s %%m;\nbra END;\n"
                "ODD: %s %%m;\nld.shared.u32 %%v, [%%a+-4]; st.global.u32 [%%o], %%v;\nEND:\n", m, m);
        isa_end(c);
        return 0;
    }
    int arrive = strstr(m, ".arrive") != NULL, reg = !strcmp(a, "in b32");
    const char *all = reg ? "%b, %n" : b ? "1, 128" : a + 4;
    uint32_t *in = isa_in(c, 512), *want = isa_out(c, 512);
    isa_bytes(in, 512);
    /* producers' words, from the other pair; with sync everybody reads, with arrive the consumers */
    for (int t = 0; t < 128; t++) if (!arrive || t >= 64) want[t] = in[(t + 64) % 128];
    c->block[0] = 128;
    isa_begin(c);
    k_shared(c, 512);
    isa_put(c,
            ".reg .b32 %%v, %%a, %%b, %%n; .reg .b64 %%g, %%o; .reg .pred %%p;\nmov.u32 %%b, %d; mov.u32 %%n, 128;\n",
            isa_int(0, 15));
    isa_put(c,
            "mul.wide.u32 %%o, %%tx, 4; add.s64 %%g, %%in, %%o; add.s64 %%o, %%o, %%out; ld.global.u32 %%v, "
            "[%%g];\nshl.b32 %%a, %%tx, 2; add.u32 %%a, %%a, %%sm; st.shared.u32 [%%a], %%v;\n"
            "setp.ge.u32 %%p, %%tx, 64;\n");
    if (arrive) isa_put(c, "@%%p bra CONSUME;\n%s %s;\nbra END;\nCONSUME: barrier.cta.sync %s;\n", m, all, all);
    else isa_put(c, "%s %s;\n", m, all);
    isa_put(c,
            "xor.b32 %%a, %%tx, 64; shl.b32 %%a, %%a, 2; add.u32 %%a, %%a, %%sm; ld.shared.u32 %%v, [%%a]; "
            "st.global.u32 [%%o], %%v;\nEND:\n");
    isa_end(c);
    return 0;
}
ISA_FAMILY(barrier_cta, "barrier.cta", build_barrier)
