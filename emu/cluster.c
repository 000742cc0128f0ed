/* cluster.c - a cluster: its warps take turns of a quantum; the queue of asynchronous operations, bulk groups; what to
 * say when nobody can go on.
 *
 * Asynchronous operations are performed when nothing else in the cluster can go on (schedule 0: as late as the
 * program's waits allow), or also at random moments (schedules 1, 2, ...). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec.h"
#include "model.h"

enum { QUANTUM = 400, IDLE_LIMIT = 40 };
__thread uint64_t emu_progress, emu_writes;

uint64_t emu_rand(cluster *cl)
{
    uint64_t z = (cl->rng += 0x9e3779b97f4a7c15ull);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}
uint64_t emu_cluster_clock(warp *w)
{
    cluster *cl = w->cta->cl;
    return cl->L->clock_base + cl->steps * 2 + w->steps % 2 + cl->idle_cycles;
}
void emu_event(cluster *cl) { cl->events++; emu_progress++; }
void emu_abort(launch *L, int cuda_error, const char *fmt, ...)
{
    va_list ap;
    if (L->failed) return;
    va_start(ap, fmt);
    vsnprintf(L->error, sizeof L->error, fmt, ap);
    va_end(ap);
    if (!L->cuda_error) L->cuda_error = cuda_error;
    L->failed = 1;
}

/* ---- asynchronous operations in the cluster's queue ---- */

struct bulk_groups { int n; struct bulk_lane { async_op *open, *closed; uint32_t next_group; } lane[32]; };

void emu_async_post(async_op *op)
{
    cluster *cl = op->cl;
    op->posted = cl->steps;
    op->next = NULL;
    if (op->bulk_group) {
        warp *w = op->w;
        if (!w->bulk) w->bulk = calloc(1, sizeof *w->bulk);
        struct bulk_lane *b = &w->bulk->lane[op->lane];
        op->next = b->open;
        b->open = op;
        return;
    }
    if (cl->q_tail) cl->q_tail->next = op; else cl->q_head = op;
    cl->q_tail = op;
    cl->q_count++;
}
void emu_async_run(async_op *op)
{
    for (int s = AO_READ; s <= AO_WRITE; s++)
        if (!(op->stage_done >> s & 1)) { op->stage_done |= 1 << s; op->perform(op, s); }
}
static void queue_one(cluster *cl, int pick)
{
    async_op **at = &cl->q_head, *op = NULL, *prev = NULL;
    for (int k = 0; k < pick; k++) { prev = *at; at = &(*at)->next; }
    op = *at;
    if (op->fifo) {                             /* the first of its line goes first */
        async_op *p = NULL;
        for (async_op **a = &cl->q_head; *a; p = *a, a = &(*a)->next)
            if ((*a)->fifo == op->fifo) { at = a; prev = p; op = *a; break; }
    }
    *at = op->next;
    if (cl->q_tail == op) cl->q_tail = prev;
    cl->q_count--;
    emu_async_run(op);
    emu_async_free(op);
}
/* Performs a random one of the oldest queued operations, or from the oldest on as many as it takes to wake someone; 0
 * if there is none. AMONG: where each thread of a cluster sends words to another block (st.async) tens of thousands are
 * on their way, and to find one among all of them would take longer than the rest of the program. */
enum { AMONG = 256 };
static int queue_step(cluster *cl, int random)
{
    uint64_t events = cl->events;
    if (!cl->q_count) return 0;
    if (random) queue_one(cl, (int)(emu_rand(cl) % (cl->q_count < AMONG ? cl->q_count : AMONG)));
    else while (cl->q_count && cl->events == events) queue_one(cl, 0);
    emu_event(cl);
    return 1;
}
void queue_abandon(cta *c, warp *w, const ptx_instr *i)
{
    (void)w; (void)i;
    cluster *cl = c->cl;
    for (async_op *o = cl->q_head; o; o = o->next) {
        /* What it sent to another CTA of the cluster that CTA waits for; but not if it is read from the shared memory
         * that ends here */
        int reads = o->cta == c && o->has_mbar && emu_has(o->i, "bulk") && emu_has(o->i, "shared::cta")
            && emu_has(o->i, "shared::cluster");
        if (o->mbar_cta != c && !reads) continue;
        emu_report(o->w, o->i, 1u << o->lane, E_IN_FLIGHT,
                   "the CTA exits while this operation is still in flight: nothing waited for it");
        break;
    }
}
void bulk_exit(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    EMU_EACH(l, mask) {
        struct bulk_lane *b = &w->bulk->lane[l];
        async_op *lists[2] = {b->open, b->closed};
        for (int k = 0; k < 2; k++)
            for (async_op *o = lists[k], *next; o; o = next) {
                next = o->next;
                /* committed: hardware waits, though the ISA does not say so */
                if (!(o->stage_done & 1) && (!k || emu_opt.strict))
                    emu_report(w, o->i, 1u << l, E_IN_FLIGHT,
                               k ? "the thread exits before cp.async.bulk.wait_group has seen that shared memory "
                                   "was read"
                               : "the thread exits without cp.async.bulk.commit_group and wait_group for this "
                                 "operation");
                emu_async_run(o);
                emu_async_free(o);
            }
        b->open = b->closed = NULL;
    }
}
void emu_bulk_commit(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    model_note(w, NULL, (model_event){.kind = EV_BULK_COMMIT});
    if (!w->bulk) w->bulk = calloc(1, sizeof *w->bulk);
    EMU_EACH(l, mask) {
        struct bulk_lane *b = &w->bulk->lane[l];
        b->next_group++;
        while (b->open) {
            async_op *o = b->open;
            b->open = o->next;
            o->group_no = b->next_group;
            o->next = b->closed;
            b->closed = o;
        }
    }
}
int emu_bulk_wait(warp *w, const ptx_instr *i, uint32_t mask, int n, int read)
{
    (void)i;
    model_note(w, NULL, (model_event){.kind = EV_BULK_WAIT, .n = (uint8_t)n, .mask = (uint16_t)read});
    if (!w->bulk) return X_NEXT;
    EMU_EACH(l, mask) {
        struct bulk_lane *b = &w->bulk->lane[l];
        async_op *todo[1024]; int k = 0;
        /* stage_done 4: an earlier .read wait has seen it already */
        for (async_op *o = b->closed; o && k < 1024; o = o->next)
            if (o->group_no + (uint32_t)n <= b->next_group && !(read && o->stage_done & 4)) todo[k++] = o;
        while (k > 0) {                         /* oldest first */
            async_op *o = todo[--k];
            if (!(o->stage_done & 1)) { o->stage_done |= 1; o->perform(o, AO_READ); }
            vclk_acquire(w, 1u << l, o->vc);
            if (read) { o->stage_done |= 4; continue; }
            if (!(o->stage_done & 2)) { o->stage_done |= 2; o->perform(o, AO_WRITE); }
            for (async_op **a = &b->closed; *a; a = &(*a)->next) if (*a == o) { *a = o->next; break; }
            emu_async_free(o);
        }
    }
    emu_event(w->cta->cl);
    return X_NEXT;
}

/* ---- a cluster ---- */

static void warp_begin(warp *w, cta *c, uint32_t id)
{
    launch *L = c->cl->L;
    const ptx_func *f = L->k->fn;
    *w = (warp){.cta = c, .id = id};
    uint32_t n = L->nthread - id * 32 < 32 ? L->nthread - id * 32 : 32;
    w->exists = w->live = n == 32 ? EMU_FULL : (1u << n) - 1;
    w->nreg_alloc = f->nslot + 8;
    w->reg = emu_take((size_t)w->nreg_alloc * 128);
    memset(w->reg, 0, (size_t)w->nreg_alloc * 128);
    w->npred_alloc = preds_of(f) + 8;
    w->pred = calloc(w->npred_alloc, sizeof *w->pred);
    for (int l = 0; l < 32; l++) { w->pc[l] = f->begin; w->frame_top[l] = f->frame_bytes; }
    if (L->k->uses_wgmma) w->wrote = calloc(w->nreg_alloc, sizeof *w->wrote);
    check_warp_begin(w);
}
static void warp_end(warp *w)
{
    check_warp_end(w);
    for (int l = 0; l < 32; l++) {
        free(w->local[l]);
        for (frame *f = w->frame[l], *up; f; f = up) { up = f->up; free(f); }
    }
    cpasync_warp_end(w, 1);
    if (w->bulk) for (int l = 0; l < 32; l++) {
        async_op *lists[2] = {w->bulk->lane[l].open, w->bulk->lane[l].closed};
        for (int k = 0; k < 2; k++)
            for (async_op *o = lists[k], *next; o; o = next) { next = o->next; emu_async_free(o); }
    }
    emu_give(w->reg, (size_t)w->nreg_alloc * 128);
    free(w->pred); free(w->tag); free(w->tagged); free(w->tags); free(w->wrote); free(w->bulk);
    undef_end(w);
}
cluster *cluster_begin(launch *L, uint32_t index)
{
    cluster *cl = calloc(1, sizeof *cl);
    emu_dim3 nc = {L->grid.x / L->clusterdim.x, L->grid.y / L->clusterdim.y, L->grid.z / L->clusterdim.z};
    cl->L = L;
    cl->index = index;
    cl->ncta = L->cluster_size;
    cl->id = (emu_dim3){index % nc.x, index / nc.x % nc.y, index / (nc.x * nc.y)};
    cl->rng = L->seed * 0x2545f4914f6cdd1dull + index + 1;
    cl->events = 1;
    cl->nthread_pad = cl->ncta * L->nwarp * 32;
    cl->live_ctas = (int)cl->ncta;
    cl->cta = calloc(cl->ncta, sizeof(cta));
    check_cluster_begin(cl);
    model_cluster_begin(cl);
    for (uint32_t r = 0; r < cl->ncta; r++) {
        cta *c = &cl->cta[r];
        c->cl = cl; c->rank = r;
        c->id.x = cl->id.x * L->clusterdim.x + r % L->clusterdim.x;
        c->id.y = cl->id.y * L->clusterdim.y + r / L->clusterdim.x % L->clusterdim.y;
        c->id.z = cl->id.z * L->clusterdim.z + r / (L->clusterdim.x * L->clusterdim.y);
        c->smem_size = L->k->dyn_off + L->dyn_smem;
        c->smem = emu_take((size_t)c->smem_size + 1024);
        memset(c->smem, 0xcd, c->smem_size);
        c->nthread = (int)L->nthread;
        c->nwarp = c->live_warps = (int)L->nwarp;
        c->warp = calloc(L->nwarp, sizeof(warp));
        c->mbars = calloc(1, sizeof *c->mbars);
        if (emu_opt.checks) check_cta_begin(c);
        for (uint32_t k = 0; k < L->nwarp; k++) warp_begin(&c->warp[k], c, k);
    }
    return cl;
}
void cluster_end(cluster *cl)
{
    while (cl->q_head) { async_op *o = cl->q_head; cl->q_head = o->next; emu_async_free(o); }
    for (uint32_t r = 0; r < cl->ncta; r++) {
        cta *c = &cl->cta[r];
        for (int k = 0; k < c->nwarp; k++) {
            if (c->warp[k].live) {
                c->warp[k].live = 0;
                emu_wgmma_exit(&c->warp[k]);
                emu_fabric_exit(&c->warp[k]);
                emu_tcgen05_warp_exit(&c->warp[k]);
            }
            warp_end(&c->warp[k]);
        }
        mbar_cta_end(NULL, c);
        for (int b = 0; b < 16; b++) { vclk_drop(cl, c->bar[b].vc); vclk_drop(cl, c->bar[b].vc_done); }
        emu_wgmma_cta_free(c);
        check_cta_end(c);
        if (c->per_cta) emu_free(c->per_cta);
        emu_give(c->smem, (size_t)c->smem_size + 1024);
        free(c->warp); free(c->mbars);
    }
    emu_tcgen05_cluster_free(cl);
    vclk_drop(cl, cl->barrier_vc); vclk_drop(cl, cl->barrier_done);
    check_cluster_end(cl);
    free(cl->waits);
    spin_cluster_end(cl);
    free(cl->cta);
    free(cl);
}

/* Does the lane stand at a .sync instruction that other lanes of its warp keep it from? Those lanes, or 0 */
static uint32_t kept_by(warp *w, int l)
{
    const ptx_instr *i = &w->cta->cl->L->mod->ptx->code[w->pc[l]];
    uint32_t same = 0;
    if (!(i->flags & (I_ALIGNED | I_MEMBERS))) return 0;
    EMU_EACH(k, w->live) if (w->pc[k] == w->pc[l] && w->lane_base[k] == w->lane_base[l]) same |= 1u << k;
    w->base = w->lane_base[l]; w->pbase = w->lane_pbase[l];
    if (warp_ready(w, i, same)) return 0;
    return (i->flags & I_ALIGNED ? w->live : warp_members(w, i, l) & w->live) & ~same;
}
/* Of several threads that wait, which is the one to name first? Who spins, or waits for registers or an mbarrier,
 * rather than who waits at a barrier for that one. */
static int wait_rank(warp *w, int l)
{
    const ptx_instr *i = w->last_wait[l];
    if (!i) return kept_by(w, l) ? 3 : 5;
    if (!strcmp(i->mod[0], "setmaxnreg")) return 4;
    if (!strcmp(i->mod[0], "bar")) return i->op[0].kind == PO_IMM && i->op[0].imm == 0 ? 0 : 2;
    return emu_has(i, "cluster") && !strcmp(i->mod[0], "barrier") ? 1 : !strcmp(i->mod[0], "barrier") ? 2 : 3;
}
static void describe_wait(warp *w, int l, char *buf, size_t n)
{
    const ptx_module *px = w->cta->cl->L->mod->ptx;
    char text[200];
    uint32_t by = w->last_wait[l] ? 0 : kept_by(w, l);
    w->base = w->lane_base[l]; w->pbase = w->lane_pbase[l];
    if (by)
        snprintf(buf, n, "waits at `%s` for lanes 0x%08x of its warp",
                 ptx_text(px, &px->code[w->pc[l]], text, sizeof text), by);
    else if (!w->last_wait[l]) snprintf(buf, n, "spins at `%s`", ptx_text(px, &px->code[w->pc[l]], text, sizeof text));
    else sync_describe_wait(w, l, buf, n);
}
static void also_waits(warp *w, const cta *c, int from, int to, const char *text)
{
    if (from == to) emu_report_also(w, NULL, "block (%u,%u,%u) warp %d%s", c->id.x, c->id.y, c->id.z, from, text);
    else emu_report_also(w, NULL, "block (%u,%u,%u) warps %d-%d%s", c->id.x, c->id.y, c->id.z, from, to, text);
}
void cluster_deadlock(cluster *cl, const char *why)
{
    const ptx_module *px = cl->L->mod->ptx;
    char place[512], wait[512], text[1100], pending[1100] = "";
    struct wait { warp *w; uint32_t mask; } first = {0};
    int best = -1, from = 0, to = 0;
    for (int pass = 0; pass < 2; pass++) {      /* the report itself, then everybody else */
        for (uint32_t r = 0; r < cl->ncta; r++) {
            const cta *c = &cl->cta[r];
            for (int k = 0; k < c->nwarp; k++) {
                warp *w = &c->warp[k];
                uint32_t rest = w->live;
                while (rest) {
                    int l = __builtin_ctz(rest);
                    uint32_t same = 0;
                    EMU_EACH(j, rest)
                        if (w->pc[j] == w->pc[l] && w->lane_base[j] == w->lane_base[l]
                            && w->last_wait[j] == w->last_wait[l] && w->wait_key[j] == w->wait_key[l])
                            same |= 1u << j;
                    rest &= ~same;
                    if (!pass) {
                        int rank = wait_rank(w, l);
                        if (rank > best) { best = rank; first.w = w; first.mask = same; }
                        continue;
                    }
                    if (first.w == w && first.mask == same) continue;
                    describe_wait(w, l, wait, sizeof wait);
                    const ptx_instr *i = w->last_wait[l] ? w->last_wait[l] : &px->code[w->pc[l]];
                    snprintf(text, sizeof text, "%s: %s, at %s", same == w->live ? "" : " (some lanes)", wait,
                             emu_where(px, i, place, sizeof place));
                    if (strcmp(text, pending) || k != to + 1) {         /* neighbours that do the same: one line */
                        if (*pending) also_waits(first.w, c, from, to, pending);
                        memcpy(pending, text, sizeof text);
                        from = k;
                    }
                    to = k;
                }
            }
            if (*pending) also_waits(first.w, c, from, to, pending);
            *pending = 0;
        }
        if (!pass && first.w) {
            warp *w = first.w;
            int l = __builtin_ctz(first.mask);
            describe_wait(w, l, wait, sizeof wait);
            emu_report(w, w->last_wait[l] ? w->last_wait[l] : &px->code[w->pc[l]], first.mask, E_DEADLOCK,
                       "deadlock: %s. This thread %s", why, wait);
        }
    }
    emu_abort(cl->L, 702, "deadlock");
}

int cluster_run(cluster *cl, int64_t slice)
{
    launch *L = cl->L;
    int random = L->schedule > 0;
    uint32_t nw = cl->ncta * L->nwarp;
    uint64_t before = cl->steps;
    while ((int64_t)(cl->steps - before) < slice) {
        if (L->failed) return C_ABORT;
        if (!cl->live_ctas) {
            while (queue_step(cl, 0)) ;
            return C_DONE;
        }
        uint64_t progress = emu_progress, busy = emu_progress - emu_writes;
        int spun = 0, yielded = 0;
        uint32_t start = random ? (uint32_t)(emu_rand(cl) % nw) : 0;
        for (uint32_t k = 0; k < nw; k++) {
            uint32_t t = (start + k) % nw;
            warp *w = &cl->cta[t / L->nwarp].warp[t % L->nwarp];
            if (!w->live || (w->stalled == w->live && w->stalled_at >= cl->events)) continue;
            int quantum = random ? 1 + (int)(emu_rand(cl) % (2 * QUANTUM)) : QUANTUM, how = warp_run(w, quantum);
            if (cl->watch == 2) spin_turn(w);
            switch (how) {
            case W_ABORT: return C_ABORT;
            case W_QUANTUM: spun++; break;
            case W_YIELDED: yielded++; break;
            }
            if (random && emu_rand(cl) % 16 == 0) queue_step(cl, 1);
        }
        if (emu_progress != progress) {
            if (cl->went_idle) cl->waits_elsewhere = 1, cl->went_idle = 0;
            cl->idle_rounds = 0;
            cl->progress_at = cl->steps;
            if (emu_progress - emu_writes != busy) cl->busy_at = cl->steps;
            /* writes only, perhaps until an operation of the queue is done */
            else if (cl->steps - cl->busy_at > 200000) {
                queue_step(cl, random);
                cl->busy_at = cl->steps;
            }
            continue;
        }
        if (spun) {                             /* computing, or spinning on memory: the queue may not wait for ever */
            if (cl->waits_elsewhere && !cl->q_count && cl->steps - cl->progress_at > 5000) {
                cl->idle_cycles += 100000;      /* a grid barrier, as before: let the others come to it */
                cl->progress_at = cl->steps;
                cl->went_idle = 1;
                return C_IDLE;
            }
            if (cl->steps - cl->progress_at > 200000) {
                if (queue_step(cl, random)) { cl->progress_at = cl->steps; continue; }
                cl->idle_cycles += 100000;
                cl->progress_at = cl->steps;
                cl->went_idle = 1;
                return C_IDLE;
            }
            continue;
        }
        if (queue_step(cl, random)) { cl->idle_rounds = 0; continue; }
        /* nobody can go on: parked waits reach their time limit */
        if (++cl->idle_rounds > IDLE_LIMIT) {
            int elsewhere = 0;                  /* does anyone wait for memory that another cluster may write? */
            for (uint32_t k = 0; k < nw; k++) {
                warp *w = &cl->cta[k / L->nwarp].warp[k % L->nwarp];
                EMU_EACH(l, w->live) if (!w->last_wait[l] && !kept_by(w, (int)l)) elsewhere = 1;
            }
            if (elsewhere && cl->idle_rounds < 100 * IDLE_LIMIT) { cl->idle_cycles += 1000; return C_IDLE; }
            cluster_deadlock(cl, "no thread of the cluster can go on, and nothing is in flight that could wake one");
            return C_ABORT;
        }
        cl->idle_cycles += 1ull << (cl->idle_rounds > 34 ? 34 : cl->idle_rounds);
        cl->timeout = 1;
        emu_event(cl);
        emu_progress--;                         /* waking them up is no progress */
        for (uint32_t k = 0; k < nw; k++) {
            warp *w = &cl->cta[k / L->nwarp].warp[k % L->nwarp];
            if (w->live && warp_run(w, QUANTUM) == W_ABORT) return C_ABORT;
        }
        cl->timeout = 0;
        if (emu_progress != progress) cl->idle_rounds = 0;
    }
    return C_SLICE;
}
