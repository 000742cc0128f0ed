/* tcgen05.c - tensor memory of Blackwell's tensor cores: alloc, dealloc, ld, st, cp, shift, commit, fences and waits;
 * and the checks that go with them. tcgen05.mma is in tcgen05_mma.c.
 *
 * mma, cp, shift and commit are asynchronous operations, performed in the order of issue of a CTA (of a CTA pair, if
 * cta_group::2).
 * tcgen05.ld and st are performed at once; that they were waited for is checked apart.
 *
 * Ordering is judged for 16 lanes x 1 column at a time: the last asynchronous writer and reader and the last warp that
 * loaded or stored are remembered with their clocks, and the next access must know of them (check.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tcgen05.h"
#include "model.h"
#include "num.h"

/* ---- State ---- */

tc5_warp *tc5_of(warp *w)
{
    if (!w->tc5) {
        tc5_cluster *s = tc5_cluster_of(w->cta->cl);
        w->tc5 = calloc(1, sizeof *w->tc5);
        w->tc5->next = s->warps;
        s->warps = w->tc5;
    }
    return w->tc5;
}

static void find_fences(const launch *L, const ptx_func *f, int depth, tc5_cluster *s)
{
    for (uint32_t k = f->begin; k < f->end; k++) {
        const ptx_instr *i = &L->mod->ptx->code[k];
        if (i->nmod < 2 || strcmp(i->mod[0], "tcgen05")) continue;
        s->fences_after |= !strcmp(i->mod[1], "fence::after_thread_sync");
        s->waits_ld |= !strcmp(i->mod[1], "wait::ld");
        s->commits_a |= !strcmp(i->mod[1], "commit") && emu_has(i, "sync_restrict::shared::read::mma::a");
        s->fences_before |= !strcmp(i->mod[1], "fence::before_thread_sync");
    }
    if (depth < 8)
        for (int c = 0; c < f->ncallee; c++) if (f->callee[c]->has_body) find_fences(L, f->callee[c], depth + 1, s);
}

tc5_cluster *tc5_cluster_of(cluster *cl)
{
    if (!cl->tc5) {
        tc5_cluster *s = calloc(1, sizeof *s);
        find_fences(cl->L, cl->L->k->fn, 0, s);
        cl->tc5 = s;
    }
    return cl->tc5;
}

tmem *tc5_tmem(cta *c)
{
    if (!c->tmem) {
        c->tmem = emu_take(sizeof *c->tmem);
        memset((char *)c->tmem + sizeof c->tmem->cell, 0, sizeof *c->tmem - sizeof c->tmem->cell);
        c->tmem->alloc_warp = -1;
        memset(c->tmem->cell, 0xcd, sizeof c->tmem->cell);
    }
    return c->tmem;
}

static uint32_t warp_number(const warp *w)
{
    return (w->cta->rank * (w->cta->cl->nthread_pad / w->cta->cl->ncta) + w->id * 32) / 32;
}
static const ptx_instr *at(const cluster *cl, uint32_t pc) { return &cl->L->mod->ptx->code[pc]; }
static uint32_t pc_of(const cluster *cl, const ptx_instr *i) { return (uint32_t)(i - cl->L->mod->ptx->code); }
static int knows_op(const cluster *cl, const vclk *v, const tm_mark *m)
{
    return (v ? v->c[cl->nthread_pad + m->slot] : 0) >= m->tick;
}
static cta *peer(const cta *c) { return &c->cl->cta[c->rank ^ 1]; }

int tc5_group(warp *w, const ptx_instr *i, uint32_t mask, int group)
{
    tc5_cluster *s = tc5_cluster_of(w->cta->cl);
    if (s->group && s->group != group) {
        emu_report(w, i, mask, E_TCGEN05,
                   "cta_group::%d, but the kernel used cta_group::%d before: all tcgen05 instructions of a kernel must "
                   "have the same", group, s->group);
        emu_report_also(w, s->group_at, "cta_group::%d", s->group);
    } else if (!s->group) s->group = group, s->group_at = i;
    if (group == 2 && (w->cta->rank ^ 1) >= w->cta->cl->ncta) {
        emu_report(w, i, mask, E_TCGEN05,
                   "cta_group::2 needs a pair of CTAs, but rank %u of the cluster of %u has no peer: launch with a "
                   "cluster size that is a multiple of 2", w->cta->rank, w->cta->cl->ncta);
        return -1;
    }
    return 0;
}

/* ---- Allocation ---- */

static uint32_t uniform32(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *o, const char *what)
{
    int lead = __builtin_ctz(mask);
    uint32_t v = o->kind == PO_MEM ? (uint32_t)emu_mem_addr(w, o, lead) : R32(w, o)[lead];
    EMU_EACH(l, mask) {
        uint32_t x = o->kind == PO_MEM ? (uint32_t)emu_mem_addr(w, o, (int)l) : R32(w, o)[l];
        if (x != v) {
            emu_report(w, i, mask, E_TCGEN05,
                       "the lanes of a warp must give the same %s: lane %d has 0x%x, lane %u 0x%x", what, lead, v, l,
                       x);
            break;
        }
    }
    return v;
}

static int bad_count(warp *w, const ptx_instr *i, uint32_t mask, uint32_t n)
{
    uint32_t most = (uint32_t)tc5_columns(w->cta->cl->L->dev);
    if (i->f[2]) {                                   /* .exclusive */
        if (n >= 32 && n <= most && n % 32 == 0) return 0;
        emu_report(w, i, mask, E_TMEM, "%u columns: with .exclusive their number must be a multiple of 32 in 32..%u", n,
                   most);
        return 1;
    }
    if (n >= 32 && n <= 512 && !(n & (n - 1))) return 0;
    emu_report(w, i, mask, E_TMEM, "%u columns: the number of columns must be a power of 2 in 32..512", n);
    return 1;
}

static int x_alloc(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta;
    tmem *t = tc5_tmem(c);
    int group = (int)i->f[0], lead = __builtin_ctz(mask);
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    uint32_t n = uniform32(w, i, mask, &i->op[1], "number of columns");
    if (bad_count(w, i, mask, n)) return X_NEXT;
    if (t->relinquished) {
        emu_report(w, i, mask, E_TMEM, "tcgen05.alloc after the CTA gave up its right to allocate");
        emu_report_also(w, t->relinquished_at, "relinquish_alloc_permit");
        t->relinquished = 0;
    }
    if (t->alloc_warp >= 0 && t->alloc_warp != (int)w->id)
        emu_report(w, i, mask, E_TMEM,
                   "warp %u allocates, but warp %d did before: one and the same warp of a CTA must allocate its tensor "
                   "memory", w->id, t->alloc_warp);
    t->alloc_warp = (int)w->id;
    uint32_t units = n / TM_UNIT, first = 0, number = 1, room = (i->f[2] ? TM_COLS : 512) / TM_UNIT;
    int others = t->exclusive != 0;                  /* an exclusive one is alone */
    for (int k = 0; i->f[2] && k < TM_COLS / TM_UNIT; k++) others |= t->owner[k] != 0;
    for (; first + units <= room && !others; first += 1) {           /* lowest free range */
        uint32_t k = 0;
        while (k < units && !t->owner[first + k]) k++;
        if (k == units) break;
    }
    if (others || first + units > room) {                            /* blocks until a dealloc */
        EMU_EACH(l, mask) w->last_wait[l] = i;
        return X_WAIT;
    }
    EMU_EACH(l, mask) w->last_wait[l] = NULL;
    while (t->alloc[number].ncol) number++;
    t->alloc[number].col = (uint16_t)(first * TM_UNIT);
    t->alloc[number].ncol = (uint16_t)n;
    t->alloc[number].at = i;
    if (i->f[2]) t->exclusive = (int)number;
    for (uint32_t k = 0; k < units; k++) t->owner[first + k] = (uint8_t)number;
    for (int l = 0; l < TM_LANES; l++)
        for (uint32_t k = first * TM_UNIT; k < first * TM_UNIT + n; k++) t->init[l][k / 64] &= ~(1ull << k % 64);
    for (int h = 0; h < 8; h++) {
        memset(&t->writer[h][first * TM_UNIT], 0, n * sizeof(tm_mark));
        memset(&t->reader[h][first * TM_UNIT], 0, n * sizeof(tm_mark));
        memset(&t->async_reader[h][first * TM_UNIT], 0, n * sizeof(tm_mark));
    }
    uint32_t addr = first * TM_UNIT;
    if (group == 2 && t->nalloc < 64) {
        tmem *p = peer(c)->tmem;
        t->pair_addr[t->nalloc] = addr;
        if (p && p->nalloc > t->nalloc && p->pair_addr[t->nalloc] != addr)
            emu_report(w, i, mask, E_TMEM,
                       "the CTAs of a pair must allocate in the same way: here allocation %u starts at column %u, in "
                       "the peer CTA at column %u", t->nalloc + 1, addr, p->pair_addr[t->nalloc]);
    }
    t->nalloc++;
    uint64_t dst = emu_mem_addr(w, &i->op[0], lead);
    uint32_t shared;
    if (i->f[1] == SP_NONE && !emu_to_shared(SP_NONE, dst, &shared)) {
        emu_report(w, i, 1u << lead, E_OPERAND, "the destination 0x%llx of tcgen05.alloc is not in shared memory",
                   (unsigned long long)dst);
        return X_NEXT;
    }
    uint32_t *d = emu_access(w, i, lead, (int)i->f[1], dst, 4, 4, A_WRITE);
    if (d) *d = addr;
    /* the write is ordered with what the warp's other lanes do next */
    vclk *r = vclk_release(w, mask);
    vclk_acquire(w, mask, r);
    vclk_drop(c->cl, r);
    return X_NEXT;
}

static warp *warp_of(cluster *cl, uint32_t number)
{
    uint32_t per = cl->nthread_pad / cl->ncta / 32;
    return &cl->cta[number / per].warp[number % per];
}
static int x_dealloc(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta;
    tmem *t = tc5_tmem(c);
    if (tc5_group(w, i, mask, (int)i->f[0])) return X_NEXT;
    uint32_t addr = uniform32(w, i, mask, &i->op[0], "address"),
             n = uniform32(w, i, mask, &i->op[1], "number of columns"), col = addr & 0xffff;
    if (bad_count(w, i, mask, n)) return X_NEXT;
    uint32_t number = 0;
    if (addr >> 16 == 0 && col < TM_COLS && col % TM_UNIT == 0) number = t->owner[col / TM_UNIT];
    if (!number || t->alloc[number].col != col || t->alloc[number].ncol != n) {
        if (number) {
            emu_report(w, i, mask, E_TMEM,
                       "deallocates %u columns at 0x%x, but what is allocated there is %u columns at column %u", n,
                       addr, t->alloc[number].ncol, t->alloc[number].col);
            emu_report_also(w, t->alloc[number].at, "allocated");
        } else emu_report(w, i, mask, E_TMEM, "deallocates %u columns at 0x%x, where nothing is allocated", n, addr);
        return X_NEXT;
    }
    if ((t->exclusive == (int)number) != (i->f[2] != 0)) {
        emu_report(w, i, mask, E_TMEM, t->exclusive == (int)number
                   ? "the columns were allocated by tcgen05.alloc.exclusive, so tcgen05.dealloc.exclusive must free "
                     "them"
                   : "tcgen05.dealloc.exclusive of columns that a plain tcgen05.alloc gave");
        emu_report_also(w, t->alloc[number].at, "allocated");
    }
    if (t->exclusive == (int)number) t->exclusive = 0;
    /* nothing may be on its way to these columns */
    if (emu_opt.checks) {
        int bad = 0, lead = __builtin_ctz(mask);
        const vclk *vc = w->vc[lead];
        for (int h = 0; h < 8 && !bad; h++)
            for (uint32_t k = col; k < col + n && !bad; k++) {
                const tm_mark *m = &t->writer[h][k];
                if (m->kind != MK_ASYNC) m = &t->async_reader[h][k];
                if (m->kind != MK_ASYNC || knows_op(c->cl, vc, m)) continue;
                emu_report(w, i, mask, E_TMEM,
                           "deallocates column %u while an operation on it is not known to have completed (wait for "
                           "its tcgen05.commit first)", k);
                emu_report_also(w, at(c->cl, m->pc), "the operation");
                bad = 1;
            }
        /* nor a load or store of a warp that has not waited for it */
        for (int h = 0; h < 8 && !bad; h++)
            for (uint32_t k = col; k < col + n && !bad; k++)
                for (int s = 0; s < 2 && !bad; s++) {
                    const tm_mark *m = s ? &t->writer[h][k] : &t->reader[h][k];
                    if (m->kind != MK_THREAD) continue;
                    const warp *o = warp_of(c->cl, m->warp);
                    if (!o->tc5 || (s ? o->tc5->st_waited : o->tc5->ld_waited) >= m->seq) continue;
                    emu_report(w, i, mask, E_TCGEN05,
                               "deallocates column %u, but a tcgen05.%s of it was not waited for: tcgen05.wait::%s "
                               "must come first", k, s ? "st" : "ld", s ? "st" : "ld");
                    emu_report_also(w, at(c->cl, m->pc), s ? "the tcgen05.st" : "the tcgen05.ld");
                    bad = 1;
                }
    }
    for (uint32_t k = 0; k < n / TM_UNIT; k++) t->owner[col / TM_UNIT + k] = 0;
    t->alloc[number].ncol = 0;
    emu_event(c->cl);
    return X_NEXT;
}

static int x_relinquish(warp *w, const ptx_instr *i, uint32_t mask)
{
    tmem *t = tc5_tmem(w->cta);
    if (tc5_group(w, i, mask, (int)i->f[0])) return X_NEXT;
    t->relinquished = 1;
    t->relinquished_at = i;
    return X_NEXT;
}

int tc5_allocated(warp *w, const ptx_instr *i, uint32_t mask, cta *c, uint32_t taddr, int col, int n, const char *what)
{
    const tmem *t = c->tmem;
    const char *whose = c == w->cta ? "" : " of the peer CTA";
    int most = tc5_columns(c->cl->L->dev);
    if (col < 0 || col + n > most) {
        emu_report(w, i, mask, E_TMEM, "%s at 0x%08x takes columns %d..%d; tensor memory%s has columns 0..%d", what,
                   taddr, col, col + n - 1, whose, most - 1);
        return 0;
    }
    for (int u = col / TM_UNIT; u <= (col + n - 1) / TM_UNIT; u++) {
        if (t && t->owner[u]) continue;
        int from = u * TM_UNIT > col ? u * TM_UNIT : col;
        emu_report(w, i, mask, E_TMEM,
                   "%s at 0x%08x takes columns %d..%d of tensor memory%s, of which column %d is not allocated%s", what,
                   taddr, col, col + n - 1, whose, from, t && t->nalloc ? "" : " (the CTA has not allocated any)");
        return 0;
    }
    return 1;
}

/* ---- Ordering ---- */

static int knows_warp(const vclk *v, const tm_mark *m, uint32_t tick)
{
    for (uint32_t l = 0; l < 32; l++) if ((v ? v->c[m->warp * 32u + l] : 0) < tick) return 0;
    return 1;
}
static const char *op_name(const ptx_instr *i)
{
    return i->nmod > 1 ? !strcmp(i->mod[1], "mma") ? "tcgen05.mma" : !strcmp(i->mod[1], "cp") ? "tcgen05.cp"
        : !strcmp(i->mod[1], "shift") ? "tcgen05.shift"
           : !strcmp(i->mod[1], "ld") ? "tcgen05.ld" : "tcgen05.st" : "tcgen05";
}

typedef struct {
    warp *w; const ptx_instr *i; uint32_t mask; cta *c; int how; const char *what; uint32_t halves; int col;
} actor;

static int fault(const actor *a, const tm_mark *m, int h, int col, const char *problem)
{
    static const char *const verb[] = {"loads", "stores to", "reads", "writes"};
    emu_report(a->w, a->i, a->mask, E_TCGEN05, "%s %s tensor memory (lanes %d..%d, column %d%s): %s", a->what,
               verb[a->how], h * 16, h * 16 + 15, col, a->c == a->w->cta ? "" : ", of the peer CTA", problem);
    const ptx_instr *o = at(a->c->cl, m->pc);
    emu_report_also(a->w, o, "the %s", op_name(o));
    return 1;
}

/* Must the access know of an asynchronous operation, and does it? */
static int judge_async(const actor *a, const tm_mark *m, int h, int col)
{
    cluster *cl = a->c->cl;
    tc5_cluster *s = cl->tc5;
    tc5_warp *t = a->w->tc5;
    if (a->how >= TA_READ && m->warp == warp_number(a->w)) return 0;         /* pipelined by the hardware */
    const vclk *seen = (const vclk *)a, *after = (const vclk *)a;            /* not yet compared */
    EMU_EACH(l, a->mask) {
        if (a->w->vc[l] != seen) {
            seen = a->w->vc[l];
            if (!knows_op(cl, seen, m))
                return fault(a, m, h, col, m->kind == MK_ASYNC && a->how < TA_READ
                             ? "an asynchronous operation on it was not waited for (tcgen05.commit to an mbarrier, and "
                               "a wait on that, must come between)"
                             : "an asynchronous operation of another warp on it is not ordered before this one");
        }
        if (s->fences_after && (!t || t->after[l] != after)) {
            after = t ? t->after[l] : NULL;
            if (!knows_op(cl, after, m))
                return fault(a, m, h, col,
                             "tcgen05.fence::after_thread_sync is missing between the wait and this access");
        }
    }
    return 0;
}

/* Must the access know of a warp's ld or st, and does it? */
static int judge_thread(const actor *a, const tm_mark *m, int h, int col, int is_store)
{
    cluster *cl = a->c->cl;
    tc5_cluster *s = cl->tc5;
    warp *o = warp_of(cl, m->warp);
    tc5_warp *t = o->tc5;
    uint32_t waited = t ? is_store ? t->st_waited : t->ld_waited : ~0u;
    if (m->warp == warp_number(a->w) && a->how < TA_READ) {
        /* ld after ld is no conflict and does not come here; st after st, ld after st, st after ld */
        if (waited >= m->seq) return 0;
        if (is_store && a->how == TA_ST) return 0;                           /* stores of a warp stay in order */
        return fault(a, m, h, col, is_store ? "tcgen05.wait::st must come first" : "tcgen05.wait::ld must come first");
    }
    /* a quarter's loads and stores go through in order, whichever warp they come from */
    if (waited < m->seq && a->how >= TA_READ)
        return fault(a, m, h, col, is_store ? "a tcgen05.st to it was not waited for: tcgen05.wait::st must come first"
                     : "a tcgen05.ld of it was not waited for: tcgen05.wait::ld must come first");
    const vclk *seen = (const vclk *)a;
    uint32_t fenced = 0;
    int own = m->warp == warp_number(a->w);
    if (s->fences_before && !own && t) {             /* the first fence::before_thread_sync after it */
        uint32_t from = t->nfence > TC5_FENCES ? t->nfence - TC5_FENCES : 0;
        fenced = ~0u;
        for (uint32_t k = from; k < t->nfence; k++)
            if (t->fence[k % TC5_FENCES].seq >= m->seq) {
                fenced = k == from && from ? 0 : t->fence[k % TC5_FENCES].tick;
                break;
            }
    }
    EMU_EACH(l, a->mask) {
        /* a lane issues: the other lanes of its warp were converged at the ld or st */
        if (own) {
            break;
        }
        if (a->w->vc[l] == seen) continue;
        seen = a->w->vc[l];
        if (!knows_warp(seen, m, m->tick))
            return fault(a, m, h, col, is_store ? "a tcgen05.st of another warp to it is not ordered before this one"
                         : "a tcgen05.ld of another warp from it is not ordered before this one");
        if (fenced && !knows_warp(seen, m, fenced))
            return fault(a, m, h, col,
                         "the other warp must execute tcgen05.fence::before_thread_sync between its access and the "
                         "barrier");
    }
    return 0;
}

static int same_mark(const tm_mark *a, const tm_mark *b) { return !memcmp(a, b, sizeof *a); }

int tc5_access(warp *w, const ptx_instr *i, uint32_t mask, cta *c, uint32_t halves, int col, int n, int how,
               async_op *op, const char *what)
{
    if (!emu_opt.checks) return 0;
    cluster *cl = c->cl;
    tmem *t = tc5_tmem(c);
    tc5_cluster_of(cl);
    actor a = {w, i, mask, c, how, what, halves, col};
    tc5_warp *me = tc5_of(w);
    tm_mark mine = {0};
    mine.warp = (uint16_t)warp_number(w);
    mine.pc = pc_of(cl, i);
    if (op) mine.kind = MK_ASYNC, mine.slot = op->slot, mine.tick = op->tick;
    else mine.kind = MK_THREAD, mine.tick = w->tick, mine.seq = me->seq;
    int write = how == TA_ST || how == TA_WRITE, bad = 0;
    for (int h = 0; h < 8; h++) {
        if (!(halves >> h & 1)) continue;
        tm_mark *wr = &t->writer[h][col], *ar = &t->async_reader[h][col], *tr = &t->reader[h][col];
        if (!bad)
            for (int k = 0; k < n && !bad; k++) {    /* judge each run of equal marks once */
                const tm_mark *m = &wr[k];
                if (m->kind && !(k && same_mark(m, m - 1)))
                    bad = m->kind == MK_ASYNC ? judge_async(&a, m, h, col + k) : judge_thread(&a, m, h, col + k, 1);
                if (!write || bad) continue;
                m = &ar[k];
                if (m->kind && !(k && same_mark(m, m - 1)) && how == TA_ST) bad = judge_async(&a, m, h, col + k);
                m = &tr[k];
                if (!bad && m->kind && !(k && same_mark(m, m - 1))) bad = judge_thread(&a, m, h, col + k, 0);
            }
        if (write) {
            for (int k = 0; k < n; k++) wr[k] = mine;
            memset(ar, 0, (size_t)n * sizeof *ar);
            memset(tr, 0, (size_t)n * sizeof *tr);
        } else {
            tm_mark *to = op ? ar : tr;
            for (int k = 0; k < n; k++) to[k] = mine;
        }
    }
    return bad;
}

/* The operations of a thread are performed in order, so each comes after those before it, and a commit after all */
static async_op *new_after(warp *w, const ptx_instr *i, int lane, size_t size, void (*perform)(async_op *, int),
                           vclk *before)
{
    async_op *op = emu_async_new(w, i, lane, size, perform);
    if (op->vc && before) {
        vclk *v = vclk_join(op->cl, op->vc, before);
        vclk_drop(op->cl, op->vc);
        op->vc = v;
    }
    return op;
}
async_op *tc5_new(warp *w, const ptx_instr *i, int lane, size_t size, void (*perform)(async_op *, int))
{
    return new_after(w, i, lane, size, perform, tc5_of(w)->issued[lane]);
}
async_op *tc5_new_a(warp *w, const ptx_instr *i, int lane, size_t size, void (*perform)(async_op *, int))
{
    return new_after(w, i, lane, size, perform, tc5_of(w)->read_a[lane]);
}

static void post(async_op *op, char *fifo, vclk **last, int group)
{
    op->fifo = &fifo[(group == 2 ? op->cta->rank & ~1u : op->cta->rank) & 15];
    if (op->vc) {
        vclk_drop(op->cl, *last);
        *last = vclk_ref(op->vc);
    }
    emu_async_post(op);
}
void tc5_post(async_op *op, int group)
{
    post(op, tc5_cluster_of(op->cl)->fifo, &tc5_of(op->w)->issued[op->lane], group);
}
void tc5_post_a(async_op *op, int group)
{
    post(op, tc5_cluster_of(op->cl)->fifo_a, &tc5_of(op->w)->read_a[op->lane], group);
}

/* The shared memory that an operation reads: n units of 16 bytes. used: of the padded formats only the first 8 or 12
 * bytes of a unit mean anything (copies leave the others unwritten) */
int tc5_touch(warp *w, const ptx_instr *i, int lane, async_op *op, cta *c, const uint32_t *offset, int n, int used,
              const char *what, uint64_t desc)
{
    const int flags = used < 16 ? A_READ | A_NOINIT : A_READ, errors = emu_error_count();
    static __thread uint64_t map[(1 << 19) / 16 / 64];
    uint32_t lo = ~0u, hi = 0, reserved = (uint32_t)c->cl->L->dev->smem_reserved;
    for (int u = 0; u < n; u++) {
        if (offset[u] < lo) lo = offset[u];
        if (offset[u] > hi) hi = offset[u];
    }
    if (hi + 16 > c->smem_size || lo < reserved) {
        emu_report(w, i, 1u << lane, E_DESCRIPTOR,
                   "the descriptor of %s, 0x%016llx, leads to shared address 0x%x, outside the CTA's shared memory "
                   "0x%x..0x%x", what, (unsigned long long)desc, hi + 16 > c->smem_size ? hi : lo, reserved,
                   c->smem_size);
        return 0;
    }
    if (!emu_opt.checks) return 1;
    for (int u = 0; u < n; u++) map[offset[u] >> 10] |= 1ull << (offset[u] >> 4 & 63);
    uint32_t start = 0, end = 0;                     /* the present run */
    for (uint32_t k = lo >> 10; k <= hi >> 10; k++) {
        uint64_t m = map[k];
        map[k] = 0;
        while (m) {
            uint32_t b = (uint32_t)__builtin_ctzll(m), len = ~(m >> b) ? (uint32_t)__builtin_ctzll(~(m >> b)) : 64;
            uint32_t from = k << 10 | b << 4;
            if (from != end) {
                if (end > start) emu_async_touch(op, c, start, end - start, flags);
                start = from;
            }
            end = from + len * 16;
            m = b + len >= 64 ? 0 : m & ~(((1ull << len) - 1) << b);
        }
    }
    emu_async_touch(op, c, start, end - start, flags);
    for (int u = 0; used < 16 && u < n && emu_error_count() == errors; u++)
        emu_async_touch(op, c, offset[u], (uint32_t)used, A_READ);
    return 1;
}

/* ---- ld, st ---- */

enum { SH_32x32, SH_16x64, SH_16x128, SH_16x256, SH_16x32x2 };
/* i->aux */
/* sp: keeps two of four, the least (1) or the greatest (2) */
typedef struct ldst { uint8_t shape, num, pack, store, red, abs, nan, sp; uint8_t type; int split, regs, cols; } ldst;

/* Register r of lane l: lane (relative to the base) and column (with .pack: the first of two) */
static inline void place(const ldst *s, int l, int r, int *lane, int *col)
{
    int c;
    switch (s->shape) {
    case SH_32x32: *lane = l; c = r; break;
    case SH_16x64: *lane = l / 4 + l % 2 * 8; c = 2 * r + l / 2 % 2; break;
    case SH_16x128: *lane = l / 4 + r % 2 * 8; c = r / 2 * 4 + l % 4; break;
    case SH_16x256: *lane = l / 4 + r / 2 % 2 * 8; c = r / 4 * 8 + l % 4 * 2 + r % 2; break;
    default: *lane = l % 16; *col = (s->pack ? 2 * r : r) + l / 16 * s->split; return;
    }
    *col = s->pack ? 2 * c : c;
}

/* Checks the address of an ld or st; returns the first lane, or -1 */
static int base_lane(warp *w, const ptx_instr *i, uint32_t mask, uint32_t taddr, const ldst *s)
{
    int lane = (int)(taddr >> 16), quarter = (int)(w->id % 4) * 32;
    /* seen in published kernels, in CTA pairs; hardware reads the CTA's own lane */
    if (lane >= TM_LANES) {
        static _Atomic uint64_t told;           /* by launch: all its loads and stores have it in common */
        if (told != w->cta->cl->L->gridid) {
            told = w->cta->cl->L->gridid;
            emu_report(w, i, mask, E_TMEM,
                       "address 0x%08x: lane %d of tensor memory, which has lanes 0..127, in each CTA of a pair too; "
                       "taken as lane %d, as hardware seems to", taddr, lane, lane % TM_LANES);
        }
        lane %= TM_LANES;
    }
    if (lane / 32 * 32 != quarter) {
        emu_report(w, i, mask, E_TMEM,
                   "address 0x%08x has lane %d, but warp %u can access lanes %d..%d only (warp %% 4 chooses the "
                   "quarter)", taddr, lane, w->id, quarter, quarter + 31);
        lane = quarter + lane % 32;
    }
    int rows = s->shape == SH_32x32 ? 32 : 16;
    if (lane % rows) {
        emu_report(w, i, mask, E_TMEM, "address 0x%08x has lane %d; this shape needs a multiple of %d", taddr, lane,
                   rows);
        return -1;
    }
    return lane;
}

/* The column ranges that it touches: one, or two for .16x32bx2 */
static int ranges(const ldst *s, int col, int from[2], int n[2])
{
    from[0] = col;
    n[0] = s->cols;
    if (s->shape != SH_16x32x2) return 1;
    from[1] = col + s->split;
    n[1] = s->cols;
    return 2;
}

/* -1: cannot be done; 1: not ordered (reported) */
static int ldst_check(warp *w, const ptx_instr *i, uint32_t mask, uint32_t taddr, const ldst *s, int *lane)
{
    int from[2], n[2], k = ranges(s, (int)(taddr & 0xffff), from, n);
    *lane = base_lane(w, i, mask, taddr, s);
    if (*lane < 0) return -1;
    for (int x = 0; x < k; x++)
        if (!tc5_allocated(w, i, mask, w->cta, taddr, from[x], n[x], s->store ? "tcgen05.st" : "tcgen05.ld")) return -1;
    uint32_t halves = (s->shape == SH_32x32 ? 3u : 1u) << *lane / 16;
    int bad = 0;
    for (int x = 0; x < k && !bad; x++)
        bad = tc5_access(w, i, mask, w->cta, halves, from[x], n[x], s->store ? TA_ST : TA_LD, NULL,
                         s->store ? "tcgen05.st" : "tcgen05.ld");
    model_note(w, NULL, (model_event){.kind = s->store ? EV_T5_ST : EV_T5_LD, .a = (float)(s->regs * 128)});
    stat_line *st = emu_stat(w, i);
    if (st) __atomic_fetch_add(&st->tmem_bytes, (uint64_t)s->regs * 128 * (s->pack ? 2 : 1), __ATOMIC_RELAXED);
    return bad;
}

static int x_st(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ldst *s = i->aux;
    const ptx_opnd *v = &i->op[i->nop - 1];
    tmem *t = tc5_tmem(w->cta);
    uint32_t taddr = uniform32(w, i, mask, &i->op[0], "tensor memory address");
    int base, col0 = (int)(taddr & 0xffff);
    tc5_of(w)->seq++;
    if (ldst_check(w, i, mask, taddr, s, &base) < 0) return X_NEXT;
    for (int r = 0; r < s->regs; r++) {
        const uint32_t *reg = R32(w, &v->elem[r]);
        if (s->shape == SH_32x32 && !s->pack) {
            EMU_EACH(l, mask) t->cell[base + (int)l][col0 + r] = reg[l];
            if (r == 0)
                EMU_EACH(l, mask)
                    for (int c = col0; c < col0 + s->regs; c++) t->init[base + (int)l][c / 64] |= 1ull << c % 64;
            continue;
        }
        EMU_EACH(l, mask) {
            int lane, col;
            place(s, (int)l, r, &lane, &col);
            lane += base;
            col += col0;
            if (s->pack) {
                t->cell[lane][col] = reg[l] & 0xffff;
                t->cell[lane][col + 1] = reg[l] >> 16;
                tm_set_init(t, lane, col, 2);
            } else {
                t->cell[lane][col] = reg[l];
                t->init[lane][col / 64] |= 1ull << col % 64;
            }
        }
    }
    return X_NEXT;
}

/* min, max of ld.red: without .NaN a NaN loses against a number; -0 is less than +0 */
static uint32_t reduce(const ldst *s, uint32_t a, uint32_t b)
{
    int max = s->red == 2;
    if (s->type == PT_U32) return (a < b) == max ? b : a;
    if (s->type == PT_S32) return ((int32_t)a < (int32_t)b) == max ? b : a;
    float x = num_bits_f32(a), y = num_bits_f32(b);
    if (x != x || y != y) return s->nan || (x != x && y != y) ? NUM_NAN32 : x != x ? b : a;
    if (x == y) return max ? a & b : a | b;                                  /* the signs of zeros */
    return (x < y) == max ? b : a;
}

static void uninit_ld(warp *w, const tc5_load *ld, int lane, int col)
{
    emu_report(w, ld->i, w->live, E_UNINIT_TMEM,
               "reads tensor memory at lane %d, column %d, that nobody has written since it was allocated (or whose "
               "write is still in flight: nothing waited for it)", lane, col);
}
static uint32_t *load_values(warp *w, const tc5_load *ld, int report)
{
    static __thread uint32_t result[129 * 32];
    const ldst *s = ld->i->aux;
    tmem *t = tc5_tmem(w->cta);
    int base = (int)(ld->taddr >> 16), col0 = (int)(ld->taddr & 0xffff), told = !report || !emu_opt.checks;
    if (ld->taddr == ~0u) memset(result, 0xcd, sizeof result);
    else if (s->shape == SH_32x32 && !s->pack)      /* by far the most frequent: a row to a lane */
        for (int l = 0; l < 32; l++) {
            const uint32_t *row = &t->cell[base + l][col0];
            int un = told ? -1 : tm_uninit(t, base + l, col0, s->regs);
            for (int r = 0; r < s->regs; r++) result[r * 32 + l] = row[r];
            if (un < 0) continue;
            uninit_ld(w, ld, base + l, un);
            told = 1;
        }
    else for (int r = 0; r < s->regs; r++)
        for (int l = 0; l < 32; l++) {
            int lane, col;
            place(s, l, r, &lane, &col);
            lane += base;
            col += col0;
            if (!told && tm_uninit(t, lane, col, s->pack ? 2 : 1) >= 0) {
                uninit_ld(w, ld, lane, col);
                told = 1;
            }
            result[r * 32 + l] = s->pack ? (t->cell[lane][col] & 0xffff) | t->cell[lane][col + 1] << 16
                : t->cell[lane][col];
        }
    if (s->red && ld->taddr != ~0u) {
        uint32_t *d = result + s->regs * 32, m = s->abs ? 0x7fffffffu : ~0u;
        for (int l = 0; l < 32; l++) {
            d[l] = result[l] & m;
            if (s->type == PT_F32 && s->nan && (d[l] & 0x7fffffff) > 0x7f800000) d[l] = NUM_NAN32;
            for (int r = 1; r < s->regs; r++) d[l] = reduce(s, d[l], result[r * 32 + l] & m);
        }
    }
    return result;
}

/* Does a go before b where two of four are kept? NaN before all; of equals the first is kept, which the ISA leaves
 * open. */
static int goes_before(const ldst *s, uint32_t a, uint32_t b)
{
    uint32_t m = s->abs ? 0x7fffffffu : ~0u;
    float x = num_bits_f32(a & m), y = num_bits_f32(b & m);
    if (x != x || y != y) return x != x && y == y;
    if (x == y) return s->abs ? 0 : s->sp == 2 ? (a >> 31) < (b >> 31) : (a >> 31) > (b >> 31);
    return s->sp == 2 ? x > y : x < y;
}

/* Two of each four columns: kept[regs / 2], and their places, 4 bits for four, in meta */
static void compress(const ldst *s, const uint32_t *from, uint32_t *kept, uint32_t *meta)
{
    memset(meta, 0, 4 * 128);
    for (int g = 0; g < s->regs / 4; g++)
        for (int l = 0; l < 32; l++) {
            const uint32_t *x = from + g * 128 + l;
            int before[4], n = 0, at[2] = {0, 1};
            for (int k = 0; k < 4; k++) {
                before[k] = 0;
                for (int j = 0; j < 4; j++) {
                    int ahead = goes_before(s, x[j * 32], x[k * 32]);
                    before[k] += ahead || (j < k && !goes_before(s, x[k * 32], x[j * 32]));
                }
            }
            for (int k = 0; k < 4; k++) if (before[k] < 2 && n < 2) at[n++] = k;
            for (int k = 0; k < 2; k++) kept[(2 * g + k) * 32 + l] = x[at[k] * 32];
            meta[g / 8 * 32 + l] |= (uint32_t)(at[0] | at[1] << 2) << g % 8 * 4;
        }
}

static int x_ld(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ldst *s = i->aux;
    const ptx_opnd *v = &i->op[s->sp != 0], *red = &i->op[s->sp ? 2 : 1];
    int count = s->sp ? s->regs / 2 : s->regs;
    tc5_warp *t = tc5_of(w);
    uint32_t taddr = uniform32(w, i, mask, &i->op[i->nop - 1 - (s->shape == SH_16x32x2)], "tensor memory address");
    int base;
    t->seq++;
    tc5_load l = {i, taddr};
    int bad = ldst_check(w, i, mask, taddr, s, &base);
    l.taddr = bad < 0 ? ~0u : (taddr & 0xffff) | (uint32_t)base << 16;       /* ~0: gives poison */
    const uint32_t *now = load_values(w, &l, !bad);
    uint32_t reduced[32], kept[64 * 32], meta[4 * 32];
    if (s->red) memcpy(reduced, now + s->regs * 32, 128);
    if (s->sp) {
        compress(s, now, kept, meta);
        now = kept;
        for (int r = 0; r < i->op[0].n; r++) memcpy(R32(w, &i->op[0].elem[r]), meta + r * 32, 128);
    }
    for (int r = 0; r < count; r++) memcpy(R32(w, &v->elem[r]), now + r * 32, 128);
    if (s->red) memcpy(R32(w, red), reduced, 128);
    if (emu_opt.checks) {
        uint32_t tag = emu_tag_new(w, i, "the result of a tcgen05.ld", t->seq);
        for (int r = 0; r < count; r++) emu_tag(w, tag, &v->elem[r], 0);
        for (int r = 0; s->sp && r < i->op[0].n; r++) emu_tag(w, tag, &i->op[0].elem[r], 0);
        if (s->red) emu_tag(w, tag, red, 0);
    }
    return X_NEXT;
}

/* The ISA: a load is complete at its wait::ld, and its registers must not be touched before. The hardware also waits
 * where one of them is used, and CUTLASS counts on that for all loads of a tile but the last: so that alone is an error
 * under --strict only, or in a kernel that has no wait::ld at all; else one line says it, and the load counts as
 * complete from here on. */
void emu_tcgen05_used(warp *w, const ptx_instr *i, uint32_t mask, const ptx_instr *ld, uint32_t seq, int write)
{
    static _Atomic(const ptx_func *) told;
    launch *L = w->cta->cl->L;
    const char *does = write ? "writes" : "reads";
    if (emu_opt.strict || !tc5_cluster_of(w->cta->cl)->waits_ld) {
        emu_report(w, i, mask, E_TCGEN05,
                   "%s a register that is the result of a tcgen05.ld still in flight: tcgen05.wait::ld must come first",
                   does);
        emu_report_also(w, ld, "the tcgen05.ld");
        return;
    }
    if (tc5_of(w)->ld_waited < seq) tc5_of(w)->ld_waited = seq;
    if (told == L->k->fn) return;
    told = L->k->fn;
    char here[400], there[400];
    fprintf(stderr,
            "tcemu: note: a register of the tcgen05.ld at %s is used at %s without tcgen05.wait::ld in between (kernel "
            "%s). The PTX ISA demands it; hardware waits here by itself: "
            "--strict makes it an error, and names every place\n", emu_where(L->mod->ptx, ld, there, sizeof there),
            emu_where(L->mod->ptx, i, here, sizeof here), emu_kernel_name(L));
}

static int x_wait_ld(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i; (void)mask;
    tc5_warp *t = tc5_of(w);
    t->ld_waited = t->seq;
    model_note(w, NULL, (model_event){.kind = EV_T5_WAIT});
    if (w->ntagged) emu_untag_all(w);           /* no wgmma on these devices: all tags are of loads */
    return X_NEXT;
}
static int x_wait_st(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i; (void)mask;
    tc5_of(w)->st_waited = w->tc5->seq;
    model_note(w, NULL, (model_event){.kind = EV_T5_WAIT});
    return X_NEXT;
}

/* ---- fences, commit ---- */

static int x_fence_before(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    tc5_warp *t = tc5_of(w);
    (void)mask;
    t->fence[t->nfence % TC5_FENCES].tick = w->tick;
    t->fence[t->nfence++ % TC5_FENCES].seq = t->seq;
    return X_NEXT;
}
static int x_fence_after(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    tc5_warp *t = tc5_of(w);
    cluster *cl = w->cta->cl;
    EMU_EACH(l, mask) { vclk_drop(cl, t->after[l]); t->after[l] = vclk_ref(w->vc[l]); }
    return X_NEXT;
}

typedef struct { int n; struct { cta *c; uint32_t off; } to[16]; } commit;
static void commit_perform(async_op *op, int stage)
{
    commit *p = op->payload;
    if (stage == AO_WRITE) for (int k = 0; k < p->n; k++) emu_mbar_arrive_op(op, p->to[k].c, p->to[k].off, 1);
}
static int x_commit(warp *w, const ptx_instr *i, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    int group = (int)i->f[0], space = (int)i->f[1];
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    EMU_EACH(l, mask) {
        uint64_t addr = emu_mem_addr(w, &i->op[0], (int)l);
        commit p = {0};
        uint32_t off, shared;
        cta *c;
        if (i->f[2]) {                               /* multicast: the same offset in the CTAs of the mask */
            uint32_t ranks = R32(w, &i->op[1])[l] & (i->f[3] ? ~0u : 0xffff);
            if (!emu_to_shared(space, addr, &shared)) {
                emu_report(w, i, 1u << l, E_MBARRIER, "address 0x%llx of the mbarrier is not in shared memory",
                           (unsigned long long)addr);
                continue;
            }
            if (!ranks) emu_report(w, i, 1u << l, E_OPERAND, "the multicast mask is 0: nobody is signalled");
            EMU_EACH(r, ranks) {
                if (r >= cl->ncta) {
                    emu_report(w, i, 1u << l, E_OPERAND,
                               "the multicast mask 0x%x names CTA rank %u, the cluster has %u CTAs", ranks, r,
                               cl->ncta);
                    break;
                }
                if (!emu_mbar_check(w, i, (int)l, SP_SHARED, (shared & 0xffffff) | r << 24, &c, &off)) continue;
                p.to[p.n].c = c;
                p.to[p.n++].off = off;
            }
        } else if (emu_mbar_check(w, i, (int)l, space, addr, &c, &off)) {
            p.to[0].c = c;
            p.to[0].off = off;
            p.n = 1;
        }
        if (!p.n) continue;
        async_op *op = (i->f[4] ? tc5_new_a : tc5_new)(w, i, (int)l, sizeof p, commit_perform);
        memcpy(op->payload, &p, sizeof p);
        op->has_mbar = 1;
        op->mbar_cta = p.to[0].c;
        op->mbar_off = p.to[0].off;
        model_note(w, op, (model_event){.kind = EV_T5_COMMIT});
        (i->f[4] ? tc5_post_a : tc5_post)(op, group);
    }
    return X_NEXT;
}

/* ---- cp, shift ---- */

enum { CP_128, CP_4, CP_64_02_13, CP_64_01_23, CP_32 };
typedef struct { uint8_t where, units, fmt; uint8_t rows; } cp_kind;         /* i->aux; fmt 6, 4: decompress */
typedef struct { smem_desc d; uint32_t taddr; cta *c[2]; int n; } cp_op;

static void cp_units(const cp_kind *k, const smem_desc *d, uint32_t *offset)
{
    smem_desc_k_major(d, 0, k->rows, 0, k->units, offset);
}

/* 16 elements of 4 or 6 bits become 16 bytes, as tcgen05.mma reads them: 4 bits at bit 2, 6 bits at bit 0 */
static void decompress(uint32_t *to, const uint8_t *from, int bits)
{
    uint8_t b[16];
    for (int k = 0; k < 16; k++) {
        if (bits == 4) b[k] = (uint8_t)((from[k / 2] >> k % 2 * 4 & 15) << 2);
        else {
            int at = k * 6;
            uint32_t v = from[at / 8] | (uint32_t)from[at / 8 + 1] << 8;
            b[k] = v >> at % 8 & 63;
        }
    }
    memcpy(to, b, 16);
}

static void cp_perform(async_op *op, int stage)
{
    if (stage != AO_WRITE) return;
    const cp_op *p = op->payload;
    const cp_kind *k = op->i->aux;
    uint32_t offset[256], v[4];
    int lane0 = (int)(p->taddr >> 16), col = (int)(p->taddr & 0xffff);
    cp_units(k, &p->d, offset);
    for (int x = 0; x < p->n; x++) {
        tmem *t = tc5_tmem(p->c[x]);
        for (int r = 0; r < k->rows; r++)
            for (int u = 0; u < k->units; u++) {
                const uint8_t *src = p->c[x]->smem + offset[r * k->units + u];
                if (k->fmt) decompress(v, src, k->fmt); else memcpy(v, src, 16);
                int to[4] = {r, -1, -1, -1};
                switch (k->where) {
                case CP_4: to[0] = r * 32; break;
                case CP_64_02_13: to[1] = r + 64; break;
                case CP_64_01_23: to[0] = r / 32 * 64 + r % 32; to[1] = to[0] + 32; break;
                case CP_32: to[1] = r + 32; to[2] = r + 64; to[3] = r + 96; break;
                }
                for (int j = 0; j < 4 && to[j] >= 0; j++) {
                    int lane = to[j] + lane0;
                    memcpy(&t->cell[lane][col + u * 4], v, 16);
                    tm_set_init(t, lane, col + u * 4, 4);
                }
            }
    }
}

static int x_cp(warp *w, const ptx_instr *i, uint32_t mask)
{
    const cp_kind *k = i->aux;
    int group = (int)i->f[0];
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    EMU_EACH(l, mask) {
        uint32_t taddr = (uint32_t)emu_mem_addr(w, &i->op[0], (int)l), bit = 1u << l, offset[256];
        uint64_t desc = R64(w, &i->op[1])[l];
        int lane = (int)(taddr >> 16), col = (int)(taddr & 0xffff), bad = 0;
        if (k->where == CP_4 ? lane > 31 : lane != 0) {
            emu_report(w, i, bit, E_TMEM, "address 0x%08x has lane %d: this shape writes %s", taddr, lane,
                       k->where == CP_4 ? "one lane of each quarter, the first must be 0..31"
                       : "all lanes, so it must be 0");
            continue;
        }
        smem_desc d;
        const char *why = smem_desc_tcgen05(desc, w->cta->cl->L->dev->sm == 107, &d);
        if (!why && d.start >> 18)
            why = "a source of tcgen05.cp above 256 KB of shared memory; hardware was reported not to find it there";
        if (why) {
            emu_report(w, i, bit, E_DESCRIPTOR, "the descriptor of the source, 0x%016llx: %s", (unsigned long long)desc,
                       why);
            continue;
        }
        if (d.atom == 32) {
            emu_report(w, i, bit, E_DESCRIPTOR,
                       "the descriptor of the source, 0x%016llx: swizzle 128B with 32-byte atoms is for MN-major "
                       "matrices", (unsigned long long)desc);
            continue;
        }
        async_op *op = tc5_new(w, i, (int)l, sizeof(cp_op), cp_perform);
        cp_op *p = op->payload;
        p->d = d;
        p->taddr = taddr;
        p->n = group;
        p->c[0] = w->cta;
        if (group == 2) p->c[1] = peer(w->cta);
        cp_units(k, &d, offset);
        uint32_t halves = k->where == CP_4 ? 0x55u << lane / 16 : 0xff;
        for (int x = 0; x < group && !bad; x++) {
            bad |= !tc5_allocated(w, i, bit, p->c[x], taddr, col, k->units * 4, "the destination");
            if (!bad)
                bad |= !tc5_touch(w, i, (int)l, op, p->c[x], offset, k->rows * k->units, k->fmt == 4 ? 8
                                  : k->fmt == 6 ? 12 : 16, "the source", desc);
        }
        if (bad) { emu_async_free(op); continue; }
        for (int x = 0; x < group; x++)
            if (tc5_access(w, i, bit, p->c[x], halves, col, k->units * 4, TA_WRITE, op, "tcgen05.cp")) break;
        model_note(w, NULL, (model_event){.kind = EV_T5_CP, .a = (float)(k->rows * k->units * 16)});
        stat_line *st = emu_stat(w, i);
        if (st) {
            __atomic_fetch_add(&st->shared_bytes, (uint64_t)group * k->rows * k->units * 16, __ATOMIC_RELAXED);
            __atomic_fetch_add(&st->tmem_bytes, (uint64_t)group * (k->where == CP_4 ? 4 : 128) * k->units * 16,
                               __ATOMIC_RELAXED);
        }
        tc5_post(op, group);
    }
    return X_NEXT;
}

/* Each quarter: row r + 1 goes to row r, the last row stays; 8 columns */
typedef struct { uint32_t taddr; cta *c[2]; int n; } shift_op;
static void shift_perform(async_op *op, int stage)
{
    if (stage != AO_WRITE) return;
    const shift_op *p = op->payload;
    int col = (int)(p->taddr & 0xffff);
    for (int x = 0; x < p->n; x++) {
        tmem *t = tc5_tmem(p->c[x]);
        for (int l = 0; l < TM_LANES; l++) {
            if (l % 32 == 31) continue;
            memcpy(&t->cell[l][col], &t->cell[l + 1][col], 32);
            for (int k = col; k < col + 8; k++) {
                uint64_t bit = 1ull << k % 64;
                t->init[l][k / 64] = (t->init[l][k / 64] & ~bit) | (t->init[l + 1][k / 64] & bit);
            }
        }
    }
}
static int x_shift(warp *w, const ptx_instr *i, uint32_t mask)
{
    int group = (int)i->f[0];
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    EMU_EACH(l, mask) {
        uint32_t taddr = (uint32_t)emu_mem_addr(w, &i->op[0], (int)l), bit = 1u << l;
        int lane = (int)(taddr >> 16), col = (int)(taddr & 0xffff), bad = 0;
        if (lane) {
            if (lane % 32 || lane >= TM_LANES)
                emu_report(w, i, bit, E_TMEM, "address 0x%08x has lane %d: it must be a multiple of 32 in 0..96", taddr,
                           lane);
            else
                emu_report(w, i, bit, E_UNSUPPORTED,
                           "tcgen05.shift with lane %d is not supported, only with lane 0 (it then shifts all four "
                           "quarters)", lane);
            continue;
        }
        async_op *op = tc5_new(w, i, (int)l, sizeof(shift_op), shift_perform);
        shift_op *p = op->payload;
        p->taddr = taddr;
        p->n = group;
        p->c[0] = w->cta;
        if (group == 2) p->c[1] = peer(w->cta);
        for (int x = 0; x < group && !bad; x++) bad |= !tc5_allocated(w, i, bit, p->c[x], taddr, col, 8, "the matrix");
        if (bad) { emu_async_free(op); continue; }
        for (int x = 0; x < group; x++)
            if (tc5_access(w, i, bit, p->c[x], 0xff, col, 8, TA_WRITE, op, "tcgen05.shift")) break;
        tc5_post(op, group);
    }
    return X_NEXT;
}

/* ---- Ends ---- */

/* At the exit of a warp's last lane: frees what the warp holds */
void emu_tcgen05_warp_exit(warp *w)
{
    tc5_warp *t = w->tc5;
    cluster *cl = w->cta->cl;
    if (!t) return;
    for (int l = 0; l < 32; l++) {
        vclk_drop(cl, t->issued[l]);
        vclk_drop(cl, t->after[l]);
        vclk_drop(cl, t->read_a[l]);
        t->issued[l] = t->after[l] = t->read_a[l] = NULL;
    }
    /* the rest stays: others may be judged against the warp's accesses */
    t->ld_waited = t->st_waited = ~0u;
}

/* At the exit of the last warp of a CTA: what is still allocated */
void emu_tcgen05_cta_exit(warp *w, cta *c)
{
    tmem *t = c->tmem;
    if (!t || c->cl->L->failed) return;
    for (int k = 1; k <= TM_COLS / TM_UNIT; k++)
        if (t->alloc[k].ncol)
            emu_report(w, t->alloc[k].at, 0, E_TMEM,
                       "%u columns of tensor memory at column %u were not deallocated: every tcgen05.alloc needs its "
                       "tcgen05.dealloc before the CTA exits", t->alloc[k].ncol, t->alloc[k].col);
}

void emu_tcgen05_cluster_free(cluster *cl)
{
    for (uint32_t r = 0; r < cl->ncta; r++) { emu_give(cl->cta[r].tmem, sizeof(tmem)); cl->cta[r].tmem = NULL; }
    tc5_cluster *s = cl->tc5;
    if (!s) return;
    for (tc5_warp *t = s->warps, *next; t; t = next) {
        next = t->next;
        free(t);
    }
    free(s);
    cl->tc5 = NULL;
}

/* ---- Decoding ---- */

#define BAD(...) return emu_decode_error(err, size, i, __VA_ARGS__)

/* The first modifier, from the third word on, that is not in the list; or NULL */
static const char *unknown_word(const ptx_instr *i, const char *const *words)
{
    for (int k = 2; k < i->nmod; k++) {
        int found = 0;
        for (const char *const *x = words; *x && !found; x++) found = !strcmp(*x, i->mod[k]);
        if (!found) return i->mod[k];
    }
    return NULL;
}
int tc5_arch_specific(const emu_module *m)
{
    size_t n = strlen(m->ptx->target);
    return m->dev->suffix == 'a' && !(n && m->ptx->target[n - 1] == 'f');
}
int tc5_is_107(const emu_module *m) { return m->dev->sm == 107 && emu_target_own(m) && emu_target_sm(m) == 107; }
static int group_of(const ptx_instr *i) { return emu_has(i, "cta_group::1") ? 1 : emu_has(i, "cta_group::2") ? 2 : 0; }

static int decode_alloc(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "sync", "aligned", "shared::cta", "b32",
                                        "exclusive",
                                        0};
    const char *what = i->mod[1], *bad = unknown_word(i, words);
    int alloc = !strcmp(what, "alloc"), rel = !strcmp(what, "relinquish_alloc_permit");
    if (bad) BAD(".%s is not supported", bad);
    if (!emu_has(i, "sync") || !emu_has(i, "aligned")) BAD(".sync.aligned is required");
    if (!group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    if (!rel && !emu_has(i, "b32")) BAD(".b32 is required");
    if (rel && emu_has(i, "exclusive")) BAD(".exclusive goes with alloc and dealloc only");
    if (!alloc && emu_has(i, "shared::cta")) BAD(".shared::cta goes with alloc only");
    if (i->nop != (rel ? 0 : 2)) BAD("%d operands are required", rel ? 0 : 2);
    i->flags |= I_ALIGNED;
    i->f[0] = (uint32_t)group_of(i);
    if (rel) { i->exec = x_relinquish; return 0; }
    if (alloc != (i->op[0].kind == PO_MEM))
        BAD(alloc ? "the destination must be an address in brackets" : "the first operand must be a register");
    if (emu_prepare(m, fn, &i->op[0], PT_U32, err, size) || emu_prepare(m, fn, &i->op[1], PT_U32, err, size)) return -1;
    i->f[2] = (uint32_t)emu_has(i, "exclusive");
    if (i->f[2] && i->op[1].kind == PO_IMM && (i->op[1].imm < 32 || i->op[1].imm % 32))
        BAD("the number of columns must be a multiple of 32, not %lld", (long long)i->op[1].imm);
    if (!i->f[2] && i->op[1].kind == PO_IMM
        && (i->op[1].imm < 32 || i->op[1].imm > 512 || (i->op[1].imm & (i->op[1].imm - 1))))
        BAD("the number of columns must be a power of 2 in 32..512, not %lld", (long long)i->op[1].imm);
    i->f[1] = emu_has(i, "shared::cta") ? SP_SHARED : SP_NONE;
    i->exec = alloc ? x_alloc : x_dealloc;
    return 0;
}

static int all_registers(const ptx_opnd *v)
{
    for (int k = 0; k < v->n; k++) if (v->elem[k].kind != PO_REG || v->elem[k].type == PT_PRED) return 0;
    return 1;
}

static int decode_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size, int store)
{
    static const char *const shapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    ldst s = {.store = (uint8_t)store, .shape = 255, .type = PT_NONE};
    int sync = 0, aligned = 0, num = 0, half = 0, places = 0;
    for (int k = 2; k < i->nmod; k++) {
        const char *x = i->mod[k];
        int found = 0;
        for (int j = 0; j < 5; j++) if (!strcmp(x, shapes[j])) s.shape = (uint8_t)j, found = 1;
        if (found) continue;
        if (!strcmp(x, "sync")) sync = 1;
        else if (!strcmp(x, "aligned")) aligned = 1;
        else if (x[0] == 'x' && x[1] >= '1' && x[1] <= '9') {
            num = atoi(x + 1);
            if (num > 128 || num & (num - 1)) BAD(".%s is not supported", x);
        } else if (!strcmp(x, store ? "unpack::16b" : "pack::16b")) s.pack = 1;
        else if (!store && !strcmp(x, "red")) s.red = s.red ? s.red : 3;
        else if (!store && !strcmp(x, "spcompress")) s.sp = s.sp ? s.sp : 3;
        else if (s.sp && !strcmp(x, "sp::2:4")) half = 1;
        else if (s.sp && !strcmp(x, "b2")) places = 1;
        else if ((s.red || s.sp) && (!strcmp(x, "min") || !strcmp(x, "max"))) {
            uint8_t which = x[1] == 'i' ? 1 : 2;
            if (s.red) s.red = which;
            if (s.sp) s.sp = which;
        } else if ((s.red || s.sp) && !strcmp(x, "abs")) s.abs = 1;
        else if (s.red && !strcmp(x, "NaN")) s.nan = 1;
        else if (!strcmp(x, "b32")) s.type = PT_B32;
        else if ((s.red || s.sp) && (!strcmp(x, "f32") || !strcmp(x, "u32") || !strcmp(x, "s32")))
            s.type = (uint8_t)ptx_type_of(x);
        else BAD(".%s is not supported", x);
    }
    if (!sync || !aligned) BAD(".sync.aligned is required");
    if (s.shape == 255) BAD("a shape is required: .32x32b, .16x64b, .16x128b, .16x256b or .16x32bx2");
    if (!num) BAD("a repetition .x1 .. .x128 is required");
    if (s.sp) {
        if (!tc5_is_107(m) || !tc5_arch_specific(m)) BAD(".spcompress needs sm_107a, not %s", m->ptx->target);
        if (s.sp == 3 || !half || !places || s.type != PT_F32)
            BAD(".spcompress needs .min or .max, .sp::2:4 and .f32.b2");
        if (s.shape != SH_32x32) BAD(".spcompress has the shape .32x32b only");
        if (num < 4) BAD(".spcompress needs .x4 or more");
    }
    if (s.red) {
        if (m->dev->sm == 100) BAD("ld.red exists on sm_103, sm_107 and sm_110, not on %s", m->dev->option);
        if (s.red == 3 || s.type == PT_NONE || s.type == PT_B32)
            BAD("ld.red needs .min or .max and .f32, .u32 or .s32");
        if ((s.abs || s.nan) && s.type != PT_F32) BAD(".abs and .NaN go with .f32 only");
        if (s.shape != SH_32x32 && s.shape != SH_16x32x2) BAD("ld.red has the shapes .32x32b and .16x32bx2 only");
        if (num < 2) BAD("ld.red needs .x2 or more");
        if (s.pack) BAD("ld.red has no .pack::16b");
    } else if (!s.sp && s.type != PT_B32) BAD(".b32 is required");
    int per = s.shape == SH_16x128 ? 2 : s.shape == SH_16x256 ? 4 : 1;
    s.num = (uint8_t)num;
    s.regs = num * per;
    if (s.regs > 128) BAD(".x%d is too many for this shape: at most 128 registers", num);
    int wide = s.shape == SH_16x64 ? 2 : s.shape == SH_16x128 ? 4 : s.shape == SH_16x256 ? 8 : 1;
    s.cols = num * wide * (s.pack ? 2 : 1);
    int split = s.shape == SH_16x32x2, want = 2 + split + !!s.red + !!s.sp;
    if (i->nop != want) BAD("%d operands are required%s", want, split ? " (one is the offset of the second half)" : "");
    const ptx_opnd *v = &i->op[store ? want - 1 : s.sp != 0], *addr = &i->op[store ? 0 : want - 1 - split];
    const ptx_opnd *red = &i->op[s.sp ? 2 : 1];
    int count = s.sp ? s.regs / 2 : s.regs;
    if (v->kind != PO_VEC || v->n != count || !all_registers(v))
        BAD("a vector of %d registers in braces is required", count);
    if (s.sp && (i->op[0].kind != PO_VEC || i->op[0].n != (num + 31) / 32 || !all_registers(&i->op[0])))
        BAD("a vector of %d registers in braces is required for the places", (num + 31) / 32);
    if (addr->kind != PO_MEM) BAD("the tensor memory address must be in brackets");
    if (s.red && (red->kind != PO_REG || red->type == PT_PRED))
        BAD("the result of the reduction must be a register");
    if (split) {
        const ptx_opnd *o = &i->op[store ? 1 : want - 1];
        if (o->kind != PO_IMM) BAD("the offset of the second half must be an immediate");
        if (o->imm < 0 || o->imm > 511)
            BAD("the offset of the second half must be in 0..511, not %lld", (long long)o->imm);
        s.split = (int)o->imm;
    }
    for (int k = 0; k < i->nop; k++)
        if (i->op[k].kind != PO_IMM && emu_prepare(m, fn, &i->op[k], PT_B32, err, size)) return -1;
    ldst *p = malloc(sizeof s);
    *p = s;
    i->aux = p;
    i->flags |= I_ALIGNED;
    i->exec = store ? x_st : x_ld;
    return 0;
}

static int decode_commit(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "mbarrier::arrive::one", "shared::cluster",
                                        "multicast::cluster", "multicast::cluster::16b", "multicast::cluster::32b",
                                        "sync_restrict::shared::read::mma::a", "b64", 0};
    const char *bad = unknown_word(i, words);
    int wide = emu_has(i, "multicast::cluster::32b"), read_a = emu_has(i, "sync_restrict::shared::read::mma::a");
    int multi = wide || emu_has(i, "multicast::cluster") || emu_has(i, "multicast::cluster::16b");
    if (bad) BAD(".%s is not supported", bad);
    if (!group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    if ((wide || read_a) && !tc5_is_107(m))
        BAD(".%s needs sm_107a or sm_107f, not %s", wide ? "multicast::cluster::32b" : "sync_restrict", m->ptx->target);
    if (!emu_has(i, "mbarrier::arrive::one") || !emu_has(i, "b64")) BAD(".mbarrier::arrive::one and .b64 are required");
    if (i->nop != 1 + multi || i->op[0].kind != PO_MEM)
        BAD("[mbarrier]%s is required", multi ? " and a mask of CTAs" : "");
    if (emu_prepare(m, fn, &i->op[0], PT_U64, err, size) ||
        (multi && emu_prepare(m, fn, &i->op[1], wide ? PT_U32 : PT_U16, err, size)))
        return -1;
    i->f[0] = (uint32_t)group_of(i);
    i->f[1] = emu_has(i, "shared::cluster") ? SP_SHARED : SP_NONE;
    i->f[2] = (uint32_t)multi;
    i->f[3] = (uint32_t)wide;
    i->f[4] = (uint32_t)read_a;
    i->exec = x_commit;
    return 0;
}

static int decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "128x256b", "4x256b", "128x128b", "64x128b",
                                        "32x128b", "warpx2::02_13", "warpx2::01_23", "warpx4",
                                        "b8x16", "b6x16_p32", "b4x16_p64", 0};
    const char *bad = unknown_word(i, words);
    cp_kind k = {0};
    if (bad) BAD(".%s is not supported", bad);
    if (!group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    int w02 = emu_has(i, "warpx2::02_13"), w01 = emu_has(i, "warpx2::01_23"), w4 = emu_has(i, "warpx4"), shapes = 0;
    if (emu_has(i, "128x256b")) k = (cp_kind){CP_128, 2, 0, 128}, shapes++;
    if (emu_has(i, "128x128b")) k = (cp_kind){CP_128, 1, 0, 128}, shapes++;
    if (emu_has(i, "4x256b")) k = (cp_kind){CP_4, 2, 0, 4}, shapes++;
    if (emu_has(i, "64x128b")) k = (cp_kind){w02 ? CP_64_02_13 : CP_64_01_23, 1, 0, 64}, shapes++;
    if (emu_has(i, "32x128b")) k = (cp_kind){CP_32, 1, 0, 32}, shapes++;
    if (shapes != 1) BAD("one shape is required");
    if (k.rows == 64 ? w02 + w01 != 1 || w4
        : k.rows == 32 ? !w4 || w02 || w01
        : w02 || w01 || w4)
        BAD("64x128b needs .warpx2::02_13 or .warpx2::01_23, 32x128b needs .warpx4, other shapes have neither");
    int b6 = emu_has(i, "b6x16_p32"), b4 = emu_has(i, "b4x16_p64");
    if (b6 + b4 > 1 || emu_has(i, "b8x16") != b6 + b4) BAD("decompression is .b8x16.b6x16_p32 or .b8x16.b4x16_p64");
    k.fmt = b6 ? 6 : b4 ? 4 : 0;
    if (i->nop != 2 || i->op[0].kind != PO_MEM) BAD("[address] and a descriptor are required");
    if (emu_prepare(m, fn, &i->op[0], PT_U32, err, size) || emu_prepare(m, fn, &i->op[1], PT_B64, err, size)) return -1;
    cp_kind *p = malloc(sizeof k);
    *p = k;
    i->aux = p;
    i->f[0] = (uint32_t)group_of(i);
    i->exec = x_cp;
    return 0;
}

static int decode(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    const char *what = i->nmod > 1 ? i->mod[1] : "";
    int sm = m->dev->sm;
    if ((sm != 100 && sm != 103 && sm != 107 && sm != 110) || (m->dev->suffix != 'a' && m->dev->suffix != 'f'))
        BAD("tcgen05 needs sm_100a, sm_103a, sm_107a or sm_110a (or their f targets), not %s", m->dev->option);
    if (!emu_target_own(m)) BAD("tcgen05 needs an 'a' or 'f' target, the module has %s", m->ptx->target);
    if (emu_has(i, "cta_group::2"))
        for (uint32_t k = fn->begin; k < fn->end; k++)
            if (!strcmp(m->ptx->code[k].mod[0], "tcgen05") && emu_has(&m->ptx->code[k], "cta_group::1"))
                BAD("the function has tcgen05 instructions of .cta_group::1 too (line %u): all of a kernel must be of "
                    "one kind", m->ptx->code[k].line);
    if (!strcmp(what, "mma")) return tc5_decode_mma(m, fn, i, err, size);
    if (!strcmp(what, "alloc") || !strcmp(what, "dealloc") || !strcmp(what, "relinquish_alloc_permit"))
        return decode_alloc(m, fn, i, err, size);
    if (!strcmp(what, "ld")) return decode_ldst(m, fn, i, err, size, 0);
    if (!strcmp(what, "st")) return decode_ldst(m, fn, i, err, size, 1);
    if (!strcmp(what, "commit")) return decode_commit(m, fn, i, err, size);
    if (!strcmp(what, "cp")) return decode_cp(m, fn, i, err, size);
    int wld = !strcmp(what, "wait::ld"), wst = !strcmp(what, "wait::st");
    if (wld || wst) {
        if (i->nmod != 4 || !emu_has(i, "sync") || !emu_has(i, "aligned") || i->nop)
            BAD("exactly .sync.aligned and no operands are required");
        i->flags |= I_ALIGNED;
        i->exec = wld ? x_wait_ld : x_wait_st;
        return 0;
    }
    int before = !strcmp(what, "fence::before_thread_sync"), after = !strcmp(what, "fence::after_thread_sync");
    if (before || after) {
        if (i->nmod != 2 || i->nop) BAD("no modifiers or operands are allowed");
        i->exec = before ? x_fence_before : x_fence_after;
        return 0;
    }
    if (!strcmp(what, "shift")) {
        if (!tc5_arch_specific(m)) BAD("tcgen05.shift needs an 'a' target, not %s", m->ptx->target);
        if (i->nmod != 4 || !emu_has(i, "down") || !group_of(i))
            BAD("exactly .cta_group::1 or ::2 and .down are required");
        if (i->nop != 1 || i->op[0].kind != PO_MEM) BAD("[address] is required");
        if (emu_prepare(m, fn, &i->op[0], PT_U32, err, size)) return -1;
        i->f[0] = (uint32_t)group_of(i);
        i->exec = x_shift;
        return 0;
    }
    BAD("tcgen05.%s is not supported", what);
}

const emu_family emu_tcgen05[] = {{"tcgen05", decode}, {0, 0}};
