/* tcgen05.c - tensor memory of Blackwell's tensor cores: alloc, dealloc, commit, fences and waits; and the checks that
 * all of tcgen05 goes through. What moves data (ld, st, cp, shift) is in tcgen05_move.c, tcgen05.mma in tcgen05_mma.c.
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

uint32_t tc5_uniform(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *o, const char *what)
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
    uint32_t n = tc5_uniform(w, i, mask, &i->op[1], "number of columns");
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
        tmem *p = tc5_peer(c)->tmem;
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
    uint32_t addr = tc5_uniform(w, i, mask, &i->op[0], "address"),
             n = tc5_uniform(w, i, mask, &i->op[1], "number of columns"), col = addr & 0xffff;
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

/* ---- waits, fences, commit ---- */

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

const char *tc5_unknown_word(const ptx_instr *i, const char *const *words)
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
int tc5_group_of(const ptx_instr *i) { return emu_has(i, "cta_group::1") ? 1 : emu_has(i, "cta_group::2") ? 2 : 0; }

static int decode_alloc(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "sync", "aligned", "shared::cta", "b32",
                                        "exclusive",
                                        0};
    const char *what = i->mod[1], *bad = tc5_unknown_word(i, words);
    int alloc = !strcmp(what, "alloc"), rel = !strcmp(what, "relinquish_alloc_permit");
    if (bad) BAD(".%s is not supported", bad);
    if (!emu_has(i, "sync") || !emu_has(i, "aligned")) BAD(".sync.aligned is required");
    if (!tc5_group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    if (!rel && !emu_has(i, "b32")) BAD(".b32 is required");
    if (rel && emu_has(i, "exclusive")) BAD(".exclusive goes with alloc and dealloc only");
    if (!alloc && emu_has(i, "shared::cta")) BAD(".shared::cta goes with alloc only");
    if (i->nop != (rel ? 0 : 2)) BAD("%d operands are required", rel ? 0 : 2);
    i->flags |= I_ALIGNED;
    i->f[0] = (uint32_t)tc5_group_of(i);
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

static int decode_commit(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "mbarrier::arrive::one", "shared::cluster",
                                        "multicast::cluster", "multicast::cluster::16b", "multicast::cluster::32b",
                                        "sync_restrict::shared::read::mma::a", "b64", 0};
    const char *bad = tc5_unknown_word(i, words);
    int wide = emu_has(i, "multicast::cluster::32b"), read_a = emu_has(i, "sync_restrict::shared::read::mma::a");
    int multi = wide || emu_has(i, "multicast::cluster") || emu_has(i, "multicast::cluster::16b");
    if (bad) BAD(".%s is not supported", bad);
    if (!tc5_group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    if ((wide || read_a) && !tc5_is_107(m))
        BAD(".%s needs sm_107a or sm_107f, not %s", wide ? "multicast::cluster::32b" : "sync_restrict", m->ptx->target);
    if (!emu_has(i, "mbarrier::arrive::one") || !emu_has(i, "b64")) BAD(".mbarrier::arrive::one and .b64 are required");
    if (i->nop != 1 + multi || i->op[0].kind != PO_MEM)
        BAD("[mbarrier]%s is required", multi ? " and a mask of CTAs" : "");
    if (emu_prepare(m, fn, &i->op[0], PT_U64, err, size) ||
        (multi && emu_prepare(m, fn, &i->op[1], wide ? PT_U32 : PT_U16, err, size)))
        return -1;
    i->f[0] = (uint32_t)tc5_group_of(i);
    i->f[1] = emu_has(i, "shared::cluster") ? SP_SHARED : SP_NONE;
    i->f[2] = (uint32_t)multi;
    i->f[3] = (uint32_t)wide;
    i->f[4] = (uint32_t)read_a;
    i->exec = x_commit;
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
    if (!strcmp(what, "ld")) return tc5_decode_ldst(m, fn, i, err, size, 0);
    if (!strcmp(what, "st")) return tc5_decode_ldst(m, fn, i, err, size, 1);
    if (!strcmp(what, "commit")) return decode_commit(m, fn, i, err, size);
    if (!strcmp(what, "cp")) return tc5_decode_cp(m, fn, i, err, size);
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
        if (i->nmod != 4 || !emu_has(i, "down") || !tc5_group_of(i))
            BAD("exactly .cta_group::1 or ::2 and .down are required");
        if (i->nop != 1 || i->op[0].kind != PO_MEM) BAD("[address] is required");
        if (emu_prepare(m, fn, &i->op[0], PT_U32, err, size)) return -1;
        i->f[0] = (uint32_t)tc5_group_of(i);
        i->exec = tc5_shift;
        return 0;
    }
    BAD("tcgen05.%s is not supported", what);
}

const emu_family emu_tcgen05[] = {{"tcgen05", decode}, {0, 0}};
