/* sync.c - what makes threads wait for each other: barriers, mbarriers, cluster barriers, fences; and the instructions
 * of a warp as a whole: shuffles, votes, match, redux, elect; setmaxnreg, clusterlaunchcontrol. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include "model.h"
#include "num.h"

static int nothing(warp *w, const ptx_instr *i, uint32_t mask) { (void)w; (void)i; (void)mask; return X_NEXT; }

/* ---- bar, barrier ---- */

static int live_threads(const cta *c)
{
    int n = 0;
    for (int k = 0; k < c->nwarp; k++) n += __builtin_popcount(c->warp[k].live);
    return n;
}
enum { BAR_SYNC, BAR_ARRIVE, BAR_RED };
/* f: 0 kind, 1 index of the barrier operand, 2 index of the count operand or 0, 3 popc/and/or of red, 4 predicate
 * operand */
static int exec_bar(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta; cluster *cl = c->cl;
    int lead = __builtin_ctz(mask);
    uint32_t id = R32(w, &i->op[i->f[1]])[lead], count = i->f[2] ? R32(w, &i->op[i->f[2]])[lead] : 0;
    if (id > 15) return emu_fatal(w, i, mask, E_OPERAND, "barrier %u: there are 16 of them, 0 to 15", id);
    struct named_barrier *b = &c->bar[id];
    if (i->f[2] && (count % 32 || !count))
        return emu_fatal(w, i, mask, E_OPERAND,
                         "barrier %u with a thread count of %u, which is not a multiple of 32 above 0", id, count);
    if (count > (uint32_t)c->nwarp * 32)
        emu_report(w, i, mask, E_OPERAND, "barrier %u with a thread count of %u: the CTA has %d threads", id, count,
                   c->nthread);
    uint32_t first = mask & ~w->begun;
    if (first) {
        if (b->arrived && b->expected != count)
            emu_report(w, i, mask, E_OPERAND,
                       "barrier %u is used with a thread count of %u while threads are waiting at it with a count of "
                       "%u (0: all)", id, count, b->expected);
        b->expected = count;
        b->arrived += (uint32_t)__builtin_popcount(first);
        /* exited lanes count with their warp */
        if (count && first == w->live && w->exists != w->live)
            b->arrived += (uint32_t)(__builtin_popcount(w->exists) - __builtin_popcount(w->live));
        /* a partial warp counts as whole */
        if (count && w->exists != EMU_FULL) b->arrived += (uint32_t)(32 - __builtin_popcount(w->exists));
        vclk *r = vclk_release(w, first);
        vclk_merge(cl, &b->vc, r);
        vclk_drop(cl, r);
        if (i->f[0] == BAR_RED) {
            uint32_t p = emu_pred(w, &i->op[i->f[4]]) & first;
            if (!b->red_started) { b->red_popc = 0; b->red_and = 1; b->red_or = 0; b->red_started = 1; }
            b->red_popc += (uint32_t)__builtin_popcount(p);
            b->red_and &= p == first;
            b->red_or |= p != 0;
        }
        model_signal_at(w, MT_BAR, c->rank, id, b->gen);
        EMU_EACH(l, first) { w->wait_key[l] = b->gen; w->last_wait[l] = i; }
        if (i->f[0] != BAR_ARRIVE) w->begun |= first;
        emu_progress++;
    }
    uint32_t need = b->expected ? b->expected : (uint32_t)live_threads(c);
    if (b->arrived >= need && b->arrived) {
        if (b->arrived > need && b->expected)
            emu_report(w, i, mask, E_OPERAND, "barrier %u: %u threads arrived, %u were expected", id, b->arrived, need);
        vclk_drop(cl, b->vc_done);
        b->vc_done = b->vc; b->vc = NULL;
        b->arrived = 0;
        b->gen++;
        b->done_popc = b->red_popc; b->done_and = b->red_and; b->done_or = b->red_or; b->red_started = 0;
        emu_event(cl);
    }
    if (i->f[0] == BAR_ARRIVE) { EMU_EACH(l, mask) w->last_wait[l] = NULL; return X_NEXT; }
    if (w->wait_key[lead] == b->gen) return X_WAIT;
    model_wait(w, MT_BAR, c->rank, id, w->wait_key[lead]);
    w->begun &= ~mask;
    EMU_EACH(l, mask) w->last_wait[l] = NULL;
    vclk_acquire(w, mask, b->vc_done);
    if (i->f[0] == BAR_RED) {
        if (i->f[3] == 0) { EMU_EACH(l, mask) R32(w, &i->op[0])[l] = b->done_popc; }
        else {
            uint32_t *d = RP(w, &i->op[0]), v = i->f[3] == 1 ? b->done_and : b->done_or;
            *d = v ? *d | mask : *d & ~mask;
        }
    }
    return X_NEXT;
}
static int exec_warp_sync(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    vclk *r = vclk_release(w, mask);
    vclk_acquire(w, mask, r);
    vclk_drop(w->cta->cl, r);
    return X_NEXT;
}

/* ---- barrier.cluster ---- */

static int cluster_live(const cluster *cl)
{
    int n = 0;
    for (uint32_t r = 0; r < cl->ncta; r++) n += live_threads(&cl->cta[r]);
    return n;
}
static void cluster_barrier_try(cluster *cl)
{
    if (cl->barrier_arrived && cl->barrier_arrived >= (uint32_t)cluster_live(cl)) {
        vclk_drop(cl, cl->barrier_done);
        cl->barrier_done = cl->barrier_vc; cl->barrier_vc = NULL;
        cl->barrier_arrived = 0;
        cl->barrier_gen++;
        emu_event(cl);
    }
}
static int exec_cluster_arrive(warp *w, const ptx_instr *i, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    EMU_EACH(l, mask) {
        if (w->cluster_gen[l]) {
            emu_report(w, i, 1u << l, E_OPERAND, "barrier.cluster.arrive twice without barrier.cluster.wait");
            break;
        }
        w->cluster_gen[l] = cl->barrier_gen + 1;
    }
    model_signal_at(w, MT_CLUSTER, 0, 0, cl->barrier_gen);
    vclk *r = i->f[0] ? vclk_release_relaxed(w, mask) : vclk_release(w, mask);
    vclk_merge(cl, &cl->barrier_vc, r);
    vclk_drop(cl, r);
    cl->barrier_arrived += (uint32_t)__builtin_popcount(mask);
    emu_progress++;
    cluster_barrier_try(cl);
    return X_NEXT;
}
static int exec_cluster_wait(warp *w, const ptx_instr *i, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    cluster_barrier_try(cl);                    /* threads may have exited since */
    EMU_EACH(l, mask) {
        if (!w->cluster_gen[l])
            return emu_fatal(w, i, 1u << l, E_OPERAND, "barrier.cluster.wait without barrier.cluster.arrive before it");
        w->last_wait[l] = i;
    }
    EMU_EACH(l, mask) if (w->cluster_gen[l] == cl->barrier_gen + 1) return X_WAIT;
    model_wait(w, MT_CLUSTER, 0, 0, w->cluster_gen[__builtin_ctz(mask)] - 1);
    EMU_EACH(l, mask) { w->cluster_gen[l] = 0; w->last_wait[l] = NULL; }
    vclk_acquire(w, mask, cl->barrier_done);
    return X_NEXT;
}

/* ---- fences ---- */

static int exec_fence(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta;
    if (i->f[1])
        for (int k = 0; k < 64; k++)
            for (mbar *b = c->mbars->bucket[k]; b; b = b->next)
                if (b->init_w == w && mask >> b->init_lane & 1) b->fenced = 1;
    /* .proxy.async::generic.acquire and .release are both: acquire, cross the proxies, release */
    if (!i->f[0] || i->f[2]) check_fence(w, mask);
    if (i->f[0]) check_proxy_fence(w, mask);
    if (i->f[0] && i->f[2]) check_fence(w, mask);
    return X_NEXT;
}

/* ---- mbarrier ---- */

mbar *mbar_find(cta *c, uint32_t off)
{
    for (mbar *b = c->mbars->bucket[off / 8 % 64]; b; b = b->next) if (b->off == off && b->valid) return b;
    return NULL;
}
static void mbar_image(cta *c, const mbar *b)    /* the opaque word, for programs that look (or copy a phase token) */
{
    uint64_t v = ((uint64_t)b->phase & 1) << 63 | ((uint64_t)(-b->pending) & 0xfffff) << 43
        | ((uint64_t)(b->tx) & 0x1fffff) << 20 | (b->expected & 0xfffff);
    memcpy(c->smem + b->off, &v, 8);
}
static void mbar_try(cta *c, mbar *b)
{
    if (b->pending == 0 && b->tx == 0) {
        vclk_drop(c->cl, b->done);
        b->done = b->cur; b->cur = NULL;
        b->pending = b->expected;
        b->phase++;
        if (!b->report) b->conditional++;
        b->done_report = b->report; b->done_value = b->report_value;
        b->report = b->report_value = 0;
        emu_event(c->cl);
    }
    mbar_image(c, b);
    emu_progress++;
}
static void mbar_tx_range(warp *w, const ptx_instr *i, uint32_t mask, const cta *c, const mbar *b)
{
    if (b->tx > 1048575 || b->tx < -1048575)
        emu_report(w, i, mask, E_MBARRIER,
                   "the tx-count of the mbarrier at %s becomes %lld; it holds -(2^20-1) to 2^20-1",
                   emu_offset(c, b->off), (long long)b->tx);
}
void mbar_describe(cta *c, const mbar *b, char *buf, size_t n)
{
    snprintf(buf, n, "mbarrier at %s of CTA rank %u: phase %llu, %lld of %u arrivals pending, %lld bytes pending",
             emu_offset(c, b->off), c->rank, (unsigned long long)b->phase, (long long)b->pending, b->expected,
             (long long)b->tx);
}
static cta *mbar_cta(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, uint32_t *off)
{
    uint32_t a;
    char text[256];
    cta *c = NULL;
    if (!emu_to_shared(space, addr, &a))
        emu_report(w, i, 1u << lane, E_MBARRIER,
                   "%#llx is no shared-memory address: an mbarrier lives in shared memory", (unsigned long long)addr);
    else if (!(c = emu_shared_cta(w, a, off)) || *off + 8 > c->smem_size) {
        snprintf(text, sizeof text, "mbarrier at shared address %#x, outside of the shared memory", a);
        emu_report(w, i, 1u << lane, E_OOB_SHARED, "%s", text);
        c = NULL;
    } else if (*off % 8) {
        emu_report(w, i, 1u << lane, E_MISALIGNED, "mbarrier at %s, which is not a multiple of 8", emu_offset(c, *off));
        c = NULL;
    } else if (c != w->cta && !c->live_warps) {
        emu_report(w, i, 1u << lane, E_MBARRIER, "mbarrier in CTA rank %u, which has exited", c->rank);
        c = NULL;
    }
    return c;
}
static mbar *mbar_at(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, cta **out)
{
    uint32_t off;
    cta *c = mbar_cta(w, i, lane, space, addr, &off);
    if (out) *out = c;
    if (!c) return NULL;
    mbar *b = mbar_find(c, off);
    if (b) return b;
    for (b = c->mbars->bucket[off / 8 % 64]; b && b->off != off; ) b = b->next;
    if (b) {
        emu_report(w, i, 1u << lane, E_MBARRIER, "the mbarrier at %s of CTA rank %u is no longer valid: it was %s",
                   emu_offset(c, off), c->rank, !strcmp(b->gone_at->mod[0], "mbarrier") ? "invalidated (mbarrier.inval)"
                   : "overwritten");
        emu_report_also(w, b->gone_at, "there");
    } else
        emu_report(w, i, 1u << lane, E_MBARRIER,
                   "the mbarrier at %s of CTA rank %u is not initialised (mbarrier.init has not run, or another "
                   "thread's init is not ordered before this)", emu_offset(c, off), c->rank);
    return NULL;
}
int emu_mbar_check(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, cta **c, uint32_t *offset)
{
    mbar *b = mbar_at(w, i, lane, space, addr, c);
    if (!b) return 0;
    *offset = b->off;
    check_init_visible(w, i, lane, *c, b);
    /* cp.async (not bulk), st.async and red.async belong to the generic proxy */
    if (strcmp(i->mod[0], "st") && strcmp(i->mod[0], "red")
        && (strcmp(i->mod[0], "cp") || emu_has(i, "bulk") || emu_has(i, "reduce")))
        check_init_fenced(w, i, lane, *c, b);
    return 1;
}
int emu_mbar_inc(cta *c, uint32_t off)
{
    mbar *b = mbar_find(c, off);
    if (b) b->pending++;
    return b != NULL;
}
/* The rule at a CTA's end (--strict): what signals an mbarrier of it must have been waited for, since the ISA does not
 * say that a CTA stays until it has come. Of tcgen05.commits of one thread that signal its own CTA the later one speaks
 * for those before it; in another CTA, and between a commit about A and one about everything, no order is promised. */
enum { SIGNALS = 8 };
static void note_signal(const async_op *op, const cta *c, mbar *b)
{
    if (!emu_opt.strict || !emu_opt.checks) return;
    const void *fifo = op->cta == c ? op->fifo : NULL;
    if (!b->signals) b->signals = malloc(SIGNALS * sizeof *b->signals);
    struct mbar_signal *s = b->signals, *oldest = s;
    int k = 0;
    for (; k < b->nsignals; k++) {
        if (s[k].w == op->w && s[k].lane == op->lane && s[k].fifo == fifo) break;
        if (s[k].posted < oldest->posted) oldest = &s[k];
    }
    if (k < SIGNALS) oldest = &s[k];            /* that issuer's, or a free one */
    if (k == b->nsignals && k < SIGNALS) b->nsignals++;
    *oldest = (struct mbar_signal){op->i, op->w, op->lane, fifo, b->phase, op->posted};
}
static int spoken_for(const cta *c, const struct mbar_signal *u)
{
    for (int k = 0; u->fifo && k < 64; k++)
        for (const mbar *b = c->mbars->bucket[k]; b; b = b->next)
            for (int n = 0; n < b->nsignals; n++) {
                const struct mbar_signal *s = &b->signals[n];
                if (s->w == u->w && s->lane == u->lane && s->fifo == u->fifo && s->posted > u->posted
                    && s->phase < b->seen)
                    return 1;
            }
    return 0;
}
static void unseen_signals(const cta *c)
{
    for (int k = 0; k < 64; k++)
        for (const mbar *b = c->mbars->bucket[k]; b; b = b->next)
            for (int n = 0; b->valid && n < b->nsignals; n++) {
                const struct mbar_signal *s = &b->signals[n];
                if (s->phase < b->seen || spoken_for(c, s)) continue;
                emu_report(s->w, s->i, 1u << s->lane, E_IN_FLIGHT,
                           "CTA rank %u exits, and nobody there has waited for this operation at its mbarrier at %s: "
                           "the ISA does not say that it has arrived by then", c->rank, emu_offset(c, b->off));
                return;
            }
}
void emu_mbar_complete_tx(async_op *op, cta *c, uint32_t off, uint32_t bytes)
{
    mbar *b = mbar_find(c, off);
    if (!b) {
        emu_report(op->w, op->i, 1u << op->lane, E_MBARRIER,
                   "completes on the mbarrier at %s of CTA rank %u, which %s meanwhile", emu_offset(c, off), c->rank,
                   c->live_warps ? "was invalidated or overwritten" : "has exited");
        return;
    }
    model_op_signal(op, c->rank, off, b->phase);
    note_signal(op, c, b);
    b->tx -= bytes;
    vclk_merge(c->cl, &b->cur, op->vc);
    mbar_tx_range(op->w, op->i, 1u << op->lane, c, b);
    mbar_try(c, b);
}
void emu_mbar_report(async_op *op, cta *c, uint32_t off, uint8_t value)
{
    mbar *b = mbar_find(c, off);
    if (!b) return;                             /* complete_tx says so */
    if (!b->v1) {
        emu_report(op->w, op->i, 1u << op->lane, E_MBARRIER,
                   "reports to the mbarrier at %s, which is of .layout::v0: only .layout::v1 has a report",
                   emu_offset(c, off));
        return;
    }
    b->report = 1; b->report_value = value;
}
void emu_mbar_arrive_op(async_op *op, cta *c, uint32_t off, uint32_t count)
{
    mbar *b = mbar_find(c, off);
    if (!b) {
        emu_report(op->w, op->i, 1u << op->lane, E_MBARRIER,
                   "arrives at the mbarrier at %s of CTA rank %u, which %s meanwhile", emu_offset(c, off), c->rank,
                   c->live_warps ? "was invalidated or overwritten" : "has exited");
        return;
    }
    if (b->pending < (int64_t)count) {
        emu_report(op->w, op->i, 1u << op->lane, E_MBARRIER,
                   "more arrivals than expected: %lld are pending at the mbarrier at %s, %u arrive",
                   (long long)b->pending, emu_offset(c, off), count);
        return;
    }
    model_op_signal(op, c->rank, off, b->phase);
    note_signal(op, c, b);
    b->pending -= count;
    vclk_merge(c->cl, &b->cur, op->vc);
    mbar_try(c, b);
}
void mbar_clobbered(warp *w, const ptx_instr *i, int lane, cta *c, uint32_t off, uint32_t size)
{
    uint32_t at = off / 8 * 8;
    mbar *b = mbar_find(c, at);
    if (!b) b = mbar_find(c, (off + (size ? size : 4) - 1) / 8 * 8);
    if (!b) return;
    if (!size) return;                          /* reading one is odd, not wrong */
    emu_report(w, i, 1u << lane, E_MBARRIER,
               "an ordinary write destroys the mbarrier at %s (mbarrier.inval must come first)", emu_offset(c, b->off));
    emu_report_also(w, b->init_at, "initialised");
    b->valid = 0;
    b->gone_at = i;
    check_mbar_mark(c, b->off, 0);
}
void mbar_cta_end(warp *w, cta *c)
{
    if (w && !c->cl->L->failed) unseen_signals(c);
    for (int k = 0; k < 64; k++) {
        for (mbar *b = c->mbars->bucket[k], *next; b; b = next) {
            next = b->next;
            if (b->valid && w && b->tx && !c->cl->L->failed) {
                char text[256];
                mbar_describe(c, b, text, sizeof text);
                emu_report(w, b->init_at, 0, E_MBARRIER,
                           "at the CTA's exit the bytes announced (expect_tx) and the bytes that arrived at an "
                           "mbarrier differ by %lld: %s", (long long)b->tx, text);
            }
            vclk_drop(c->cl, b->cur); vclk_drop(c->cl, b->done);
            free(b->signals);
            free(b);
        }
        c->mbars->bucket[k] = NULL;
    }
}
/* f: 0 what, 1 space, 2 count operand (0: 1), 3 flags, 4 operand with the address, 5 phase/parity operand */
enum { MB_INIT, MB_INVAL, MB_ARRIVE, MB_EXPECT, MB_COMPLETE, MB_TEST, MB_TRY, MB_PENDING };
enum { MBF_EXPECT_TX = 1, MBF_DROP = 2, MBF_RELAXED = 4, MBF_PARITY = 8, MBF_STATE = 16, MBF_NOCOMPLETE = 32,
       MBF_V1 = 64, MBF_CONDITIONAL = 128, MBF_MULTICAST = 256 };

static int exec_mbar_init(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) {
        uint32_t off, count = R32(w, &i->op[1])[l];
        cta *c = mbar_cta(w, i, (int)l, (int)i->f[1], emu_mem_addr(w, &i->op[0], (int)l), &off);
        if (!c) continue;
        const int v1 = (i->f[3] & MBF_V1) != 0;
        if (!count || count > (v1 ? 511 : 1048575)) {
            emu_report(w, i, 1u << l, E_MBARRIER, "mbarrier.init with a count of %u; it must be 1 to %s", count,
                       v1 ? "2^9-1 with .layout::v1" : "2^20-1");
            continue;
        }
        mbar *b = mbar_find(c, off);
        if (b && (b->pending != b->expected || b->tx))
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "mbarrier.init of an mbarrier in use (%lld of %u arrivals pending, %lld bytes)",
                       (long long)b->pending, b->expected, (long long)b->tx);
        else if (b) {
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "mbarrier.init of a valid mbarrier, at %s: mbarrier.inval must come first", emu_offset(c, off));
            emu_report_also(w, b->init_at, "initialised");
        }
        check_mbar_mark(c, off, 0);             /* said above: not once more as an ordinary write */
        if (!emu_access(w, i, (int)l, SP_SHARED, (uint64_t)c->rank << 24 | off, 8, 8, A_WRITE | A_NOINIT)) continue;
        /* or one that is no longer valid */
        for (b = c->mbars->bucket[off / 8 % 64]; b && b->off != off; ) b = b->next;
        if (!b) {
            b = calloc(1, sizeof *b);
            b->next = c->mbars->bucket[off / 8 % 64];
            c->mbars->bucket[off / 8 % 64] = b;
        }
        vclk_drop(c->cl, b->cur); vclk_drop(c->cl, b->done);
        mbar *next = b->next;
        free(b->signals);
        *b = (mbar){.off = off, .valid = 1, .expected = count, .pending = count, .init_at = i, .next = next,
                    .init_w = w, .init_lane = (int)l, .init_tick = w->tick, .init_gen = c->cl->barrier_gen, .v1 = v1};
        check_mbar_mark(c, off, 1);
        mbar_image(c, b);
        emu_progress++;
    }
    return X_NEXT;
}
static int exec_mbar_wait(warp *w, const ptx_instr *i, uint32_t mask);
/* Does a thread of the CTA stand at a wait for this mbarrier? */
static int mbar_waited_for(const cta *c, const mbar *b)
{
    for (int k = 0; k < c->nwarp; k++)
        EMU_EACH(l, c->warp[k].live & c->warp[k].begun)
            if (c->warp[k].last_wait[l] && c->warp[k].last_wait[l]->exec == exec_mbar_wait
                && (c->warp[k].wait_key[l] & 0xffffff) == b->off)
                return 1;
    return 0;
}
static int exec_mbar_inval(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) {
        cta *c;
        mbar *b = mbar_at(w, i, (int)l, (int)i->f[1], emu_mem_addr(w, &i->op[0], (int)l), &c);
        if (!b) continue;
        if (b->tx || mbar_waited_for(c, b))
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "mbarrier.inval of an mbarrier in use: %s (%lld of %u arrivals pending, %lld bytes)",
                       b->tx ? "bytes are on their way to it" : "a thread waits for it", (long long)b->pending,
                       b->expected, (long long)b->tx);
        b->valid = 0;
        b->gone_at = i;
        check_mbar_mark(c, b->off, 0);
    }
    return X_NEXT;
}

static int exec_mbar_arrive(warp *w, const ptx_instr *i, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    uint32_t flags = i->f[3];
    vclk *r = i->f[0] == MB_EXPECT || i->f[0] == MB_COMPLETE ? NULL
            : flags & MBF_RELAXED ? vclk_release_relaxed(w, mask)
            : vclk_release(w, mask);
    EMU_EACH(l, mask) {
        const uint64_t addr = emu_mem_addr(w, &i->op[i->f[4]], (int)l);
        /* .multicast: the mbarriers at this offset in the CTAs of the mask, the last operand */
        uint32_t ctas = 1;
        if (flags & MBF_MULTICAST) {
            ctas = R32(w, &i->op[i->nop - 1])[l];
            const uint32_t all = cl->ncta > 31 ? ~0u : (1u << cl->ncta) - 1;
            if (!ctas || ctas & ~all)
                emu_report(w, i, 1u << l, E_OPERAND, "the multicast mask is 0x%x, but the cluster has %u CTA%s", ctas,
                           cl->ncta, cl->ncta > 1 ? "s" : "");
            ctas &= all;
        }
        for (; ctas; ctas &= ctas - 1) {
        cta *c;
        mbar *b = mbar_at(w, i, (int)l, (int)i->f[1], !(flags & MBF_MULTICAST) ? addr
                          : (uint64_t)__builtin_ctz(ctas) << 24 | (addr & 0xffffff), &c);
        if (!b) continue;
        check_init_visible(w, i, (int)l, c, b);
        uint32_t n = i->f[2] ? R32(w, &i->op[i->f[2]])[l] : 1;
        if (i->f[0] == MB_EXPECT || i->f[0] == MB_COMPLETE) {
            b->tx += i->f[0] == MB_EXPECT ? (int64_t)n : -(int64_t)n;
            mbar_tx_range(w, i, 1u << l, c, b);
            mbar_try(c, b);
            continue;
        }
        if (flags & MBF_STATE && i->op[0].kind != PO_SINK)
            R64(w, &i->op[0])[l] = ((uint64_t)b->phase & 1) << 63 | ((uint64_t)(-b->pending) & 0xfffff) << 43
            | (b->phase & 0xfffff);
        uint32_t arrivals = flags & MBF_EXPECT_TX ? 1 : n;
        if (flags & MBF_EXPECT_TX) { b->tx += n; mbar_tx_range(w, i, 1u << l, c, b); }
        if (b->pending < (int64_t)arrivals) {
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "more arrivals than expected: %lld are pending in this phase of the mbarrier at %s (count %u), "
                       "%u arrive", (long long)b->pending, emu_offset(c, b->off), b->expected, arrivals);
            continue;
        }
        if (flags & MBF_NOCOMPLETE && b->pending == (int64_t)arrivals && b->tx == 0)
            emu_report(w, i, 1u << l, E_MBARRIER, ".noComplete, but this arrival completes the phase");
        model_signal_at(w, MT_MBAR, c->rank, b->off, b->phase);
        b->pending -= arrivals;
        if (flags & MBF_DROP) b->expected -= arrivals;
        vclk_merge(cl, &b->cur, r);
        mbar_try(c, b);
        }
    }
    vclk_drop(cl, r);
    return X_NEXT;
}
static int exec_mbar_layout(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t *d = RP(w, &i->op[0]);
    EMU_EACH(l, mask) {
        cta *c;
        const mbar *b = mbar_at(w, i, (int)l, (int)i->f[1], emu_mem_addr(w, &i->op[1], (int)l), &c);
        const int is = b && b->v1 == ((i->f[3] & MBF_V1) != 0);
        *d = (*d & ~(1u << l)) | (uint32_t)is << l;
    }
    return X_NEXT;
}
/* The results of a wait. The report of a phase that is not over is undefined: it says what no program should expect */
typedef struct { uint32_t reports; uint8_t value[32]; } wait_report;
static void wait_results(warp *w, const ptx_instr *i, uint32_t mask, uint32_t done, const wait_report *r)
{
    const ptx_opnd *p = i->op[0].kind == PO_PAIR ? &i->op[0].elem[0] : &i->op[0];
    uint32_t *d = RP(w, p);
    if (p->kind != PO_SINK) *d = (*d & ~mask) | done;
    if (i->op[0].kind != PO_PAIR) return;
    if (i->op[0].elem[1].kind != PO_SINK) {
        d = RP(w, &i->op[0].elem[1]);
        *d = (*d & ~mask) | ((r->reports | ~done) & mask);
    }
    if (i->f[4] == 2 && i->op[1].kind != PO_SINK)
        EMU_EACH(l, mask) R32(w, &i->op[1])[l] = done >> l & 1 ? r->value[l] : EMU_POISON & 0xff;
}
static int exec_mbar_wait(warp *w, const ptx_instr *i, uint32_t mask)
{
    wait_report report = {0};
    const int conditional = (i->f[3] & MBF_CONDITIONAL) != 0;
    cluster *cl = w->cta->cl;
    int parity = (i->f[3] & MBF_PARITY) != 0, give_up = 0;
    uint32_t done = 0, again = 0, at = 0;
    uint64_t over_by = 0;               /* the phase behind the one that is over */
    EMU_EACH(l, mask) {
        cta *c;
        uint64_t addr = emu_mem_addr(w, &i->op[i->f[4]], (int)l);
        mbar *b = mbar_at(w, i, (int)l, (int)i->f[1], addr, &c);
        if (!b) { done |= 1u << l; continue; }
        check_init_visible(w, i, (int)l, c, b);
        if (c != w->cta) {
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "waits on the mbarrier of another CTA (rank %u): only local ones can be waited for", c->rank);
        }
        uint32_t want = parity ? R32(w, &i->op[i->f[5]])[l] & 1 : (uint32_t)(R64(w, &i->op[i->f[5]])[l] >> 63);
        /* the phase of that parity has completed if the present phase has the other one; a state tells its phase
         * exactly, as an H200's does */
        int over = conditional ? (b->conditional & 1) != want : parity ? (b->phase & 1) != want
            : (b->phase & 0xfffff) != (R64(w, &i->op[i->f[5]])[l] & 0xfffff);
        if (over) {
            done |= 1u << l;
            over_by = b->seen = b->phase, at = b->off;
            report.reports |= (uint32_t)b->done_report << l;
            report.value[l] = b->done_value;
            if (i->f[3] & MBF_RELAXED) check_seen(w, (int)l, b->done);      /* a fence after it makes it an acquire */
            else vclk_acquire(w, 1u << l, b->done);
            w->last_wait[l] = NULL;
            continue;
        }
        uint64_t key = (addr & 0xffffffffff) | (b->phase << 40);
        if (w->last_wait[l] == i && w->wait_key[l] == key) again |= 1u << l;
        if (w->last_wait[l] == i && (w->wait_key[l] & 0xffffffffff) == (addr & 0xffffffffff)
            && (w->wait_key[l] >> 40) != (b->phase & 0xffffff) && (w->begun >> l & 1 || i->f[0] == MB_TRY))
            emu_report(w, i, 1u << l, E_MBARRIER,
                       "phase lost: the mbarrier at %s went on by %llu phases while this thread was waiting for one "
                       "of them", emu_offset(c, b->off),
                       (unsigned long long)((b->phase & 0xffffff) - (w->wait_key[l] >> 40)));
        w->wait_key[l] = key;
        w->last_wait[l] = i;
    }
    if (cl->model && done != mask) model_polled(w, i);
    if (cl->model && done == mask && over_by) model_wait(w, MT_MBAR, w->cta->rank, at, over_by - 1);
    if (i->f[0] == MB_TEST || done == mask) {
        w->begun &= ~mask;
        wait_results(w, i, mask, done, &report);
        return done == mask ? X_NEXT : X_YIELD;
    }
    give_up = cl->timeout;
    if (!give_up) {
        /* try_wait may fail at any time, so the first try of a phase does: a program that does not look at the result
         * is found out */
        if (!done && !again && !(w->begun & mask)) { wait_results(w, i, mask, 0, &report); return X_YIELD; }
        /* some have it: those that have not try again in the program's loop */
        if (done) { w->begun &= ~mask; wait_results(w, i, mask, done, &report); return X_NEXT; }
        w->begun |= mask;
        return X_WAIT;
    }
    w->begun &= ~mask;
    wait_results(w, i, mask, done, &report);
    return X_YIELD;
}
static int exec_mbar_pending(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) R32(w, &i->op[0])[l] = (uint32_t)(-(int64_t)(R64(w, &i->op[1])[l] >> 43)) & 0xfffff;
    return X_NEXT;
}
static int space_of(const ptx_instr *i)
{
    for (int k = 1; k < i->nmod; k++) if (!strncmp(i->mod[k], "shared", 6)) return SP_SHARED;
    return SP_NONE;
}
static int decode_mbarrier(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const char *const known[] = {"b64", "shared", "shared::cta", "shared::cluster", "release", "acquire",
                                        "relaxed", "cta", "cluster", "parity", "noComplete", "expect_tx", "noinc",
                                        "gpu", "layout::v0", "layout::v1", "phase_type::primary",
                                        "phase_type::conditional", "multicast::cluster::32b"};
    const char *what = i->nmod > 1 ? i->mod[1] : "";
    uint32_t flags = 0;
    for (int k = 2; k < i->nmod; k++) {
        int ok = 0;
        for (size_t j = 0; j < sizeof known / sizeof *known; j++) ok |= !strcmp(known[j], i->mod[k]);
        if (!ok) return emu_decode_error(err, n, i, "does not know .%s", i->mod[k]);
    }
    if (emu_has(i, "relaxed")) flags |= MBF_RELAXED;
    if (emu_has(i, "parity")) flags |= MBF_PARITY;
    if (emu_has(i, "noComplete")) flags |= MBF_NOCOMPLETE;
    const int sem = emu_has(i, "release") || emu_has(i, "acquire") || emu_has(i, "relaxed"),
              scope = emu_has(i, "cta") || emu_has(i, "cluster") || emu_has(i, "gpu");
    if (sem != scope)
        return emu_decode_error(err, n, i,
                                "the semantics (.release, .acquire, .relaxed) and the scope (.cta, .cluster) are given "
                                "together or not at all");
    i->f[1] = (uint32_t)space_of(i);
    const int check = !strcmp(what, "check_layout"), layout = emu_has_prefix(i, "layout::"),
              waits = !strcmp(what, "test_wait") || !strcmp(what, "try_wait"),
              multicast = emu_has(i, "multicast::cluster::32b"), phase_type = emu_has_prefix(i, "phase_type::");
    if (emu_has(i, "layout::v1")) flags |= MBF_V1;
    if (emu_has(i, "phase_type::conditional")) flags |= MBF_CONDITIONAL;
    if (multicast) flags |= MBF_MULTICAST;
    i->f[3] = flags;
    if ((layout && !check && strcmp(what, "init")) || (phase_type && !waits))
        return emu_decode_error(err, n, i, ".layout belongs to init and check_layout, .phase_type to waits");
    if ((layout || check || phase_type) && emu_needs(m, i, 93, "sm_90+", err, n)) return -1;
    if (multicast) {
        if (!emu_has(i, "shared::cluster") || (strncmp(what, "arrive", 6) && strcmp(what, "expect_tx")
                                               && strcmp(what, "complete_tx")))
            return emu_decode_error(err, n, i, ".multicast goes with arrivals and transactions in .shared::cluster");
        if (emu_needs(m, i, 94, EMU_RUBIN, err, n)) return -1;
        const int last = i->nop - 1;
        if (last < 2 || emu_prepare(m, fn, &i->op[last], PT_U32, err, n))
            return emu_decode_error(err, n, i, "needs a mask of CTAs as its last operand");
    }
    if (check) {
        if (!layout || i->nop != 2) return emu_decode_error(err, n, i, "needs a .layout, a predicate and an address");
        i->exec = exec_mbar_layout;
        return 0;
    }
    if (!strcmp(what, "init")) { i->exec = exec_mbar_init; return emu_prepare(m, fn, &i->op[1], PT_U32, err, n); }
    if (!strcmp(what, "inval")) { i->exec = exec_mbar_inval; return 0; }
    if (!strcmp(what, "pending_count")) {
        i->exec = exec_mbar_pending;
        return emu_prepare(m, fn, &i->op[1], PT_U64, err, n);
    }
    if (!strcmp(what, "expect_tx") || !strcmp(what, "complete_tx")) {
        i->f[0] = what[0] == 'e' ? MB_EXPECT : MB_COMPLETE;
        i->f[2] = 1;
        i->exec = exec_mbar_arrive;
        return emu_prepare(m, fn, &i->op[1], PT_U32, err, n);
    }
    if (!strcmp(what, "arrive") || !strcmp(what, "arrive_drop")) {
        int state = i->op[0].kind != PO_MEM;
        const int nop = i->nop - multicast;     /* the mask apart */
        if (emu_has(i, "expect_tx")) flags |= MBF_EXPECT_TX;
        if (what[6]) flags |= MBF_DROP;
        if (state) flags |= MBF_STATE;
        i->f[0] = MB_ARRIVE;
        i->f[4] = (uint32_t)state;
        i->f[3] = flags;
        if (state && i->op[0].kind != PO_SINK && emu_has(i, "shared::cluster"))
            return emu_decode_error(err, n, i,
                                    "an arrival at another CTA's mbarrier returns no state: the destination must be _");
        if (nop > state + 1 && !(flags & (MBF_NOCOMPLETE | MBF_EXPECT_TX)) && emu_target_sm(m) < 90)
            return emu_decode_error(err, n, i,
                                    "a count without .noComplete needs the target sm_90 or higher, the module has %s",
                                    m->ptx->target);
        if (nop > state + 1) {
            i->f[2] = (uint32_t)state + 1;
            if (emu_prepare(m, fn, &i->op[state + 1], PT_U32, err, n)) return -1;
        } else if (flags & MBF_EXPECT_TX) return emu_decode_error(err, n, i, "needs a number of bytes");
        i->exec = exec_mbar_arrive;
        return 0;
    }
    if (!strcmp(what, "test_wait") || !strcmp(what, "try_wait")) {
        if (emu_has(i, "shared::cluster"))
            return emu_decode_error(err, n, i, "only the CTA's own mbarriers can be waited for");
        const int pair = i->op[0].kind == PO_PAIR, value = pair && i->nop > 1 && i->op[1].kind != PO_MEM;
        if (flags & MBF_CONDITIONAL && (!(flags & MBF_PARITY) || pair))
            return emu_decode_error(err, n, i, ".phase_type::conditional goes with .parity and without a report");
        if (pair && !phase_type) return emu_decode_error(err, n, i, "a report needs .phase_type::primary");
        i->f[0] = what[1] == 'e' ? MB_TEST : MB_TRY;
        i->f[3] = flags;
        i->f[4] = 1 + (uint32_t)value; i->f[5] = 2 + (uint32_t)value;
        if (i->nop <= (int)i->f[5] || i->op[i->f[4]].kind != PO_MEM)
            return emu_decode_error(err, n, i, "needs an address, and a state or a parity");
        i->exec = exec_mbar_wait;
        return emu_prepare(m, fn, &i->op[i->f[5]], flags & MBF_PARITY ? PT_U32 : PT_U64, err, n);
    }
    return emu_decode_error(err, n, i, "unknown form");
}

/* ---- what a blocked thread waits for ---- */

void sync_describe_wait(warp *w, int lane, char *buf, size_t n)
{
    const ptx_instr *i = w->last_wait[lane];
    cta *c = w->cta;
    char text[200];
    if (!i) {
        i = &c->cl->L->mod->ptx->code[w->pc[lane]];
        snprintf(buf, n, "at `%s`", ptx_text(c->cl->L->mod->ptx, i, text, sizeof text));
        return;
    }
    if (i->exec == exec_bar) {
        uint32_t id = R32(w, &i->op[i->f[1]])[lane] & 15;
        struct named_barrier *b = &c->bar[id];
        snprintf(buf, n, "waits at barrier %u, where %u of %u threads have arrived", id, b->arrived,
                 b->expected ? b->expected : (uint32_t)live_threads(c));
    } else if (i->exec == exec_cluster_wait)
        snprintf(buf, n, "waits at the cluster barrier, where %u of %d threads have arrived", c->cl->barrier_arrived,
                 cluster_live(c->cl));
    else if (i->exec == exec_mbar_wait) {
        uint32_t off;
        cta *o = emu_shared_cta(w, w->wait_key[lane] & 0xffffffff, &off);
        mbar *b = o ? mbar_find(o, off) : NULL;
        if (b) {
            mbar_describe(o, b, text, sizeof text);
            snprintf(buf, n, "waits for phase %llu of the %s%s", (unsigned long long)(w->wait_key[lane] >> 40), text,
                     b->tx < 0 ? " (copies brought more than expect_tx announced)"
                     : b->tx > 0 ? " (expect_tx announced more than copies brought)"
                     : "");
        }
        else snprintf(buf, n, "waits on an mbarrier");
    } else if (!strcmp(i->mod[0], "setmaxnreg")) {
        uint32_t have = w->maxnreg ? w->maxnreg : ((uint32_t)emu_kernel_regs(c->cl->L->k) + 7) / 8 * 8;
        snprintf(buf, n,
                 "waits at setmaxnreg.inc to %u for %u registers more than its warp has, of which the CTA has %u free "
                 "(other warps must give some back by setmaxnreg.dec, or exit)", i->f[0], (i->f[0] - have) * 32,
                 c->regs_pool);
    } else snprintf(buf, n, "waits at `%s`", ptx_text(c->cl->L->mod->ptx, i, text, sizeof text));
}

/* ---- shuffles, votes ---- */

static int exec_shfl(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *d = i->op[0].kind == PO_PAIR ? &i->op[0].elem[0] : &i->op[0],
                   *p = i->op[0].kind == PO_PAIR ? &i->op[0].elem[1] : NULL;
    const uint32_t *a = R32(w, &i->op[1]), *b = R32(w, &i->op[2]), *c = R32(w, &i->op[3]);
    uint32_t src[32], out[32], ok = 0, from = undef_lanes(w, &i->op[1]), undefined = 0;
    memcpy(src, a, sizeof src);
    uint32_t memb = R32(w, &i->op[4])[__builtin_ctz(mask)];
    EMU_EACH(l, mask) {
        uint32_t bv = b[l] & 31, cl = c[l] & 31, seg = c[l] >> 8 & 31, max = (l & seg) | (cl & ~seg), min = l & seg, j;
        int in;
        switch (i->f[0]) {
        case 0: j = l - bv; in = (int32_t)j >= (int32_t)max; break;                     /* up */
        case 1: j = l + bv; in = j <= max; break;                                       /* down */
        case 2: j = l ^ bv; in = j <= max; break;                                       /* bfly */
        default: j = min | (bv & ~seg); in = j <= max;                                  /* idx */
        }
        if (!in) j = l;
        if (in && !(mask >> j & 1) && memb >> j & 1 && w->live >> j & 1) in = 1;
        undefined |= (from >> j & 1) << l;
        /* reported where it is used, if it is */
        if (in && !(memb >> j & 1 & (w->live >> j)) && !emu_opt.strict) {
            undef_shuffle(w, i, j, memb);
            undefined |= 1u << l;
        } else if (in && !(memb >> j & 1 & (w->live >> j)))
            emu_report(w, i, 1u << l, E_CONVERGENCE,
                       "shfl.sync reads lane %u, which takes no part (member mask 0x%08x, live lanes 0x%08x): the "
                       "value is undefined", j, memb, w->live);
        out[l] = src[j];
        ok |= (uint32_t)in << l;
    }
    uint32_t *dst = R32(w, d);
    if (d->kind != PO_SINK) EMU_EACH(l, mask) dst[l] = out[l];
    undef_mark(w, d, undefined, mask);
    if (p && p->kind != PO_SINK) { uint32_t *q = RP(w, p); *q = (*q & ~mask) | (ok & mask); undef_mark(w, p, 0, mask); }
    return X_NEXT;
}
enum { V_ALL, V_ANY, V_UNI, V_BALLOT };
static int exec_vote(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t p = emu_pred(w, &i->op[1]) & mask;
    if (i->f[0] == V_BALLOT) { EMU_EACH(l, mask) R32(w, &i->op[0])[l] = p; return X_NEXT; }
    int r = i->f[0] == V_ALL ? p == mask : i->f[0] == V_ANY ? p != 0 : p == mask || p == 0;
    uint32_t *d = RP(w, &i->op[0]);
    *d = r ? *d | mask : *d & ~mask;
    return X_NEXT;
}
static int exec_activemask(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) R32(w, &i->op[0])[l] = mask;
    return X_NEXT;
}
static int exec_match(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *d = i->op[0].kind == PO_PAIR ? &i->op[0].elem[0] : &i->op[0],
                   *p = i->op[0].kind == PO_PAIR ? &i->op[0].elem[1] : NULL;
    uint64_t v[32];
    EMU_EACH(l, mask) v[l] = i->f[1] == 64 ? R64(w, &i->op[1])[l] : R32(w, &i->op[1])[l];
    uint32_t out[32], all = 1;
    int lead = __builtin_ctz(mask);
    EMU_EACH(l, mask) { out[l] = 0; EMU_EACH(k, mask) if (v[k] == v[l]) out[l] |= 1u << k; all &= v[l] == v[lead]; }
    EMU_EACH(l, mask) if (d->kind != PO_SINK) R32(w, d)[l] = i->f[0] ? (all ? mask : 0) : out[l];
    if (p && p->kind != PO_SINK) { uint32_t *q = RP(w, p); *q = all ? *q | mask : *q & ~mask; }
    return X_NEXT;
}
static int exec_redux(warp *w, const ptx_instr *i, uint32_t mask)
{
    const uint32_t *a = R32(w, &i->op[1]);
    uint32_t r = a[__builtin_ctz(mask)];
    int first = 1;
    if (i->f[1]) {                              /* f32 min, max (sm_100a): .abs, .NaN */
        float f = 0; int nan = 0;
        EMU_EACH(l, mask) {
            float x = num_bits_f32(i->f[2] ? a[l] & 0x7fffffff : a[l]);
            if (x != x) { nan = 1; continue; }
            if (first || (i->f[0] == 0 ? x < f : x > f)) f = x;
            first = 0;
        }
        r = (nan && i->f[3]) || first ? 0x7fffffff : num_f32_bits(f);
    } else EMU_EACH(l, mask) {
        uint32_t x = a[l];
        if (first) { first = 0; r = x; continue; }
        switch (i->f[0]) {
        case 0: r = i->f[4] ? ((int32_t)x < (int32_t)r ? x : r) : x < r ? x : r; break;
        case 1: r = i->f[4] ? ((int32_t)x > (int32_t)r ? x : r) : x > r ? x : r; break;
        case 2: r += x; break;
        case 3: r &= x; break;
        case 4: r |= x; break;
        default: r ^= x;
        }
    }
    EMU_EACH(l, mask) R32(w, &i->op[0])[l] = r;
    return X_NEXT;
}
static int exec_elect(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *d = i->op[0].kind == PO_PAIR ? &i->op[0].elem[0] : &i->op[0],
                   *p = i->op[0].kind == PO_PAIR ? &i->op[0].elem[1] : NULL;
    uint32_t lead = (uint32_t)__builtin_ctz(mask);
    if (d->kind != PO_SINK) EMU_EACH(l, mask) R32(w, d)[l] = lead;
    if (p && p->kind != PO_SINK) { uint32_t *q = RP(w, p); *q = (*q & ~mask) | 1u << lead; }
    return X_NEXT;
}
static int decode_collective(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const char *word = i->mod[0];
    i->flags |= I_MEMBERS;
    if (!strcmp(word, "activemask")) { i->flags &= (uint8_t)~I_MEMBERS; i->exec = exec_activemask; return 0; }
    if (!emu_has(i, "sync")) return emu_decode_error(err, n, i, "only the .sync form exists on this device");
    if (i->nop < 2 || emu_prepare(m, fn, &i->op[i->nop - 1], PT_U32, err, n))
        return emu_decode_error(err, n, i, "needs a member mask");
    if (!strcmp(word, "shfl")) {
        if (i->nop != 5) return emu_decode_error(err, n, i, "needs five operands");
        i->f[0] = emu_has(i, "up") ? 0 : emu_has(i, "down") ? 1 : emu_has(i, "bfly") ? 2 : 3;
        for (int k = 1; k < 4; k++) if (emu_prepare(m, fn, &i->op[k], PT_U32, err, n)) return -1;
        i->exec = exec_shfl;
    } else if (!strcmp(word, "vote")) {
        i->f[0] = emu_has(i, "all") ? V_ALL : emu_has(i, "any") ? V_ANY : emu_has(i, "uni") ? V_UNI : V_BALLOT;
        if (emu_prepare(m, fn, &i->op[1], PT_PRED, err, n)) return -1;
        i->exec = exec_vote;
    } else if (!strcmp(word, "match")) {
        i->f[0] = (uint32_t)emu_has(i, "all");
        i->f[1] = (uint32_t)ptx_type_bits(emu_type_n(i, 0));
        if (emu_prepare(m, fn, &i->op[1], emu_type_n(i, 0), err, n)) return -1;
        i->exec = exec_match;
    } else if (!strcmp(word, "redux")) {
        static const char *const ops[] = {"min", "max", "add", "and", "or", "xor"};
        for (uint32_t k = 0; k < 6; k++) if (emu_has(i, ops[k])) i->f[0] = k;
        i->f[1] = (uint32_t)emu_has(i, "f32"); i->f[2] = (uint32_t)emu_has(i, "abs");
        i->f[3] = (uint32_t)emu_has(i, "NaN"); i->f[4] = (uint32_t)emu_has(i, "s32");
        if (emu_prepare(m, fn, &i->op[1], emu_type_n(i, 0), err, n)) return -1;
        i->exec = exec_redux;
    } else i->exec = exec_elect;
    return 0;
}

/* ---- setmaxnreg ----
 * The CTA's registers are what it was launched with: .maxntid and .minnctapersm decide (kernels without them ignore
 * setmaxnreg). */
/* Registers are allocated by 8: a kernel with 255 has 256 */
static uint32_t initial_regs(const warp *w) { return ((uint32_t)emu_kernel_regs(w->cta->cl->L->k) + 7) / 8 * 8; }
static int exec_setmaxnreg(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta;
    const ptx_func *f = c->cl->L->k->fn;
    if (!(f->maxntid[0] || f->reqntid[0]) || !(f->minnctapersm || f->maxnreg)) return X_NEXT;
    uint32_t have = w->maxnreg ? w->maxnreg : initial_regs(w), want = i->f[0];
    if (!c->regs_known) { c->regs_known = 1; c->regs_pool = 0; }
    if (i->f[1]) {                              /* inc */
        if (want < have) {
            emu_report(w, i, mask, E_SETMAXNREG, "setmaxnreg.inc to %u: the warp already has %u", want, have);
            return X_NEXT;
        }
        if ((want - have) * 32 > c->regs_pool) { EMU_EACH(l, mask) w->last_wait[l] = i; return X_WAIT; }
        c->regs_pool -= (want - have) * 32;
    } else {
        if (want == 256) {
            emu_report(w, i, mask, E_SETMAXNREG,
                       "setmaxnreg.dec to 256 assembles, but is an illegal instruction (seen on an H200)");
            return X_NEXT;
        }
        if (want > have) {
            emu_report(w, i, mask, E_SETMAXNREG,
                       "setmaxnreg.dec to %u: the warp has only %u (65536 registers over the CTA's threads)", want,
                       have);
            return X_NEXT;
        }
        c->regs_pool += (have - want) * 32;
        emu_event(c->cl);
    }
    EMU_EACH(l, mask) w->last_wait[l] = NULL;
    w->maxnreg = want;
    w->maxnreg_at = i;
    return X_NEXT;
}
void setmaxnreg_exit(warp *w)
{
    /* all warps of a warpgroup must execute the same ones: judged by what each has when the last of them exits */
    const cta *c = w->cta;
    const warp *has = NULL, *other = NULL;
    int last = 1;
    for (int k = (int)(w->id & ~3u); k < c->nwarp && k < (int)(w->id & ~3u) + 4; k++) {
        last &= !c->warp[k].live;
        if (c->warp[k].maxnreg_at) has = &c->warp[k];
    }
    for (int k = (int)(w->id & ~3u); last && has && k < c->nwarp && k < (int)(w->id & ~3u) + 4; k++)
        if (c->warp[k].maxnreg != has->maxnreg) other = &c->warp[k];
    if (other && c->cl->L->dev->sm >= 100 && !emu_opt.strict) other = NULL;
    if (other && other->maxnreg)
        emu_report(w, has->maxnreg_at, 0, E_SETMAXNREG,
                   "setmaxnreg must be executed alike by all warps of a warpgroup: warp %u has set %u, warp %u %u",
                   has->id, has->maxnreg, other->id, other->maxnreg);
    else if (other)
        emu_report(w, has->maxnreg_at, 0, E_SETMAXNREG,
                   "setmaxnreg must be executed by all warps of a warpgroup: warp %u has executed this one, warp %u "
                   "has not", has->id, other->id);
    if (w->cta->regs_known) {
        w->cta->regs_pool += (w->maxnreg ? w->maxnreg : initial_regs(w)) * 32;
        emu_event(w->cta->cl);
    }
}

/* ---- clusterlaunchcontrol ----
 * A request gets the next cluster of the grid that has not begun, and is declined when all have. The response, which
 * the ISA leaves opaque, is 1 and the coordinates x, y, z of the cluster's first CTA, 32 bits each; or all zeros. */
typedef struct { cta *c; uint32_t off; cta *mc; uint32_t moff; int multicast; } clc_payload;
static void clc_perform(async_op *op, int stage)
{
    clc_payload *p = op->payload;
    if (stage != AO_WRITE) return;
    emu_dim3 first;
    uint32_t response[4] = {0};
    if (emu_take_cluster(op->cl->L, &first))
        response[0] = 1, response[1] = first.x, response[2] = first.y, response[3] = first.z;
    for (uint32_t r = 0; r < op->cl->ncta; r++) {
        cta *c = &op->cl->cta[r];
        if (p->multicast ? !c->live_warps : c != p->c) continue;
        uint8_t *d = emu_async_smem(op, c, p->off, 16, A_WRITE);
        if (d) memcpy(d, response, 16);
        emu_mbar_complete_tx(op, p->multicast ? c : p->mc, p->moff, 16);
    }
}
static int exec_try_cancel(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) {
        async_op *op = emu_async_new(w, i, (int)l, sizeof(clc_payload), clc_perform);
        model_note(w, op, (model_event){.kind = EV_REMOTE, .a = 16});
        clc_payload *p = op->payload;
        uint32_t a;
        uint64_t addr = emu_mem_addr(w, &i->op[0], (int)l);
        p->multicast = (int)i->f[1];
        if (!emu_to_shared((int)i->f[0], addr, &a) || !(p->c = emu_shared_cta(w, a, &p->off)) || p->off % 16
            || p->off + 16 > p->c->smem_size) {
            emu_report(w, i, 1u << l, E_MISALIGNED,
                       "the response at %#llx must be 16 bytes of shared memory, aligned to 16",
                       (unsigned long long)addr);
            emu_async_free(op);
            continue;
        }
        if (!emu_mbar_check(w, i, (int)l, (int)i->f[0], emu_mem_addr(w, &i->op[1], (int)l), &p->mc, &p->moff)) {
            emu_async_free(op);
            continue;
        }
        for (uint32_t r = 0; r < w->cta->cl->ncta; r++)
            if (p->multicast || &w->cta->cl->cta[r] == p->c)
                emu_async_touch(op, &w->cta->cl->cta[r], p->off, 16, A_WRITE);
        op->has_mbar = 1; op->mbar_cta = p->mc; op->mbar_off = p->moff;
        emu_async_post(op);
    }
    return X_NEXT;
}
static int exec_query_cancel(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) {
        const uint64_t lo = R64(w, &i->op[1])[l], hi = R64(w, &i->op[1])[32 + l];
        const uint32_t response[4] = {(uint32_t)lo, (uint32_t)(lo >> 32), (uint32_t)hi, (uint32_t)(hi >> 32)};
        if (i->f[0] == 0) { uint32_t *d = RP(w, &i->op[0]); *d = (*d & ~(1u << l)) | (response[0] & 1) << l; continue; }
        if (!(response[0] & 1))
            emu_report(w, i, 1u << l, E_OPERAND,
                       "get_first_ctaid of a request that was declined: ask is_canceled first");
        if (i->op[0].kind == PO_VEC)
            for (int k = 0; k < i->op[0].n; k++) {
                if (i->op[0].elem[k].kind == PO_REG) R32(w, &i->op[0].elem[k])[l] = k < 3 ? response[1 + k] : 0;
            } else R32(w, &i->op[0])[l] = response[i->f[1]];
    }
    return X_NEXT;
}

static int exec_nanosleep(warp *w, const ptx_instr *i, uint32_t mask) { (void)w; (void)i; (void)mask; return X_YIELD; }

static int decode_sync(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const char *word = i->mod[0];
    if (!strcmp(word, "barrier") && emu_has(i, "cluster")) {
        if (emu_has(i, "aligned")) i->flags |= I_ALIGNED;
        i->f[0] = (uint32_t)emu_has(i, "relaxed");
        if (emu_has(i, "arrive")) i->exec = exec_cluster_arrive;
        else if (emu_has(i, "wait")) i->exec = exec_cluster_wait;
        return i->exec ? 0 : emu_decode_error(err, n, i, "unknown form");
    }
    if (!strcmp(word, "bar") && emu_has(i, "warp")) {
        i->flags |= I_MEMBERS;
        i->exec = exec_warp_sync;
        return emu_prepare(m, fn, &i->op[0], PT_U32, err, n);
    }
    if (!strcmp(word, "bar") || !strcmp(word, "barrier")) {
        if (!strcmp(word, "bar") || emu_has(i, "aligned")) i->flags |= I_ALIGNED;
        int red = emu_has(i, "red");
        i->f[0] = red ? BAR_RED : emu_has(i, "arrive") ? BAR_ARRIVE : BAR_SYNC;
        i->f[1] = (uint32_t)red;
        if (red) {
            i->f[3] = emu_has(i, "popc") ? 0 : emu_has(i, "and") ? 1 : 2;
            i->f[4] = (uint32_t)i->nop - 1;
            i->f[2] = i->nop == 4 ? 2 : 0;
            if (emu_prepare(m, fn, &i->op[i->f[4]], PT_PRED, err, n)) return -1;
        } else i->f[2] = i->nop > 1 ? 1 : 0;
        if (i->nop <= (int)i->f[1]) return emu_decode_error(err, n, i, "needs a barrier number");
        if (i->f[2] && emu_prepare(m, fn, &i->op[i->f[2]], PT_U32, err, n)) return -1;
        i->exec = exec_bar;
        return emu_prepare(m, fn, &i->op[i->f[1]], PT_U32, err, n);
    }
    if (!strcmp(word, "fence") || !strcmp(word, "membar")) {
        /* .proxy.async and its directed forms order the generic and the asynchronous proxy; .proxy.alias,
         * .proxy.tensormap and .mbarrier_init order nothing that is tracked here beyond what the barriers around them
         * do */
        if (*word == 'm' && emu_has(i, "proxy") && !emu_has(i, "alias"))
            return emu_decode_error(err, n, i, "of the proxy fences, membar has .proxy.alias only; write fence.proxy");
        if (emu_has_prefix(i, "mbarrier_init")) { i->exec = exec_fence; i->f[1] = 1; return 0; }
        const int fabric = emu_has(i, "generic::fabric") || emu_has(i, "fabric::generic")
            || emu_has(i, "fabric::fabric");
        if (fabric && emu_needs(m, i, 93, "sm_100+", err, n)) return -1;
        if (!fabric && emu_has(i, "alias") && (emu_has(i, "acquire") || emu_has(i, "release"))
            && emu_needs(m, i, 94, "sm_90+", err, n))
            return -1;
        if ((fabric || (emu_has(i, "alias") && (emu_has(i, "acquire") || emu_has(i, "release")))) && !emu_has(i, "sys"))
            return emu_decode_error(err, n, i, "the scope is .sys");
        if (emu_has(i, "sync_restrict::shared::cluster::read") && emu_needs(m, i, 94, "sm_90+", err, n)) return -1;
        i->f[0] = emu_has(i, "proxy") && (emu_has_prefix(i, "async"));
        for (int k = 1; k < i->nmod; k++)
            if (!strncmp(i->mod[k], "proxy::", 7) && strstr(i->mod[k], "async")) i->f[0] = 1;
        i->f[2] = (uint32_t)(emu_has(i, "acquire") || emu_has(i, "release"));
        i->exec = emu_has(i, "proxy") && !i->f[0] ? nothing : exec_fence;
        return 0;
    }
    if (!strcmp(word, "setmaxnreg")) {
        if (i->nop != 1 || i->op[0].kind != PO_IMM || i->op[0].imm % 8 || i->op[0].imm < 24 || i->op[0].imm > 256)
            return emu_decode_error(err, n, i, "the count must be a constant multiple of 8 from 24 to 256");
        if (!m->dev->suffix || !emu_target_own(m)) return emu_decode_error(err, n, i, "needs an 'a' or 'f' target");
        i->f[0] = (uint32_t)i->op[0].imm;
        i->f[1] = (uint32_t)emu_has(i, "inc");
        i->flags |= I_ALIGNED;
        i->exec = exec_setmaxnreg;
        return 0;
    }
    if (!strcmp(word, "trace")) {               /* a mark for tools that record; there is none here */
        if (i->nmod != 2 || strcmp(i->mod[1], "mark") || i->nop != 1)
            return emu_decode_error(err, n, i, "must be trace.mark with a number");
        i->exec = nothing;
        return emu_needs(m, i, 95, EMU_RUBIN, err, n);
    }
    if (!strcmp(word, "nanosleep")) { i->exec = exec_nanosleep; return 0; }
    if (!strcmp(word, "clusterlaunchcontrol")) {
        if (m->dev->sm < 100) return emu_decode_error(err, n, i, "needs sm_100");
        if (emu_has(i, "try_cancel")) {
            i->f[0] = (uint32_t)space_of(i); i->f[1] = (uint32_t)emu_has_prefix(i, "multicast");
            i->exec = exec_try_cancel;
            return 0;
        }
        i->f[0] = !emu_has(i, "is_canceled");
        i->f[1] = emu_has(i, "get_first_ctaid::z") ? 3 : emu_has(i, "get_first_ctaid::y") ? 2 : 1;
        i->exec = exec_query_cancel;
        return 0;
    }
    return emu_decode_error(err, n, i, "unknown instruction");
}
const emu_family emu_sync[] = {{"bar", decode_sync}, {"barrier", decode_sync}, {"fence", decode_sync},
                               {"membar", decode_sync}, {"setmaxnreg", decode_sync},
                               {"nanosleep", decode_sync}, {"trace", decode_sync},
                               {"clusterlaunchcontrol", decode_sync},
                               {"mbarrier", decode_mbarrier}, {"shfl", decode_collective}, {"vote", decode_collective},
                               {"activemask", decode_collective}, {"match", decode_collective},
                               {"redux", decode_collective}, {"elect", decode_collective}, {0}};
