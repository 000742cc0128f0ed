/* model.c - the player: each warp of a few clusters goes through what trace.c noted, in
 * its order; pipes, shared memory, L2 and Tensor Cores serve one thing after another at the device's rate; who waits
 * goes on when what he waits for has come. So what overlaps and what does not comes out by itself. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

const char *const model_resource[MR_COUNT] = {
    "Tensor Cores", "shared memory", "from the L2", "to the L2", "issue slots", "FMA pipe", "ALU pipe",
    "special functions", "tensor memory"};

/* ---- The player ---- */
/* Times at which the groups of a warp are over: the newest first to be asked for is the n-th from the end */
typedef struct groups { double *done, open; uint32_t n, room; } groups;
typedef struct agent {
    const model_event *e; uint32_t at; int worked;
    model_cluster *c; struct sm *sm, *sms; int rank, sched, row; uint32_t base; /* base: of its cluster's tokens */
    double t, t5, mma, cp, tmem, waits[MS_KINDS];
    groups wgmma, read, wrote, copies;
} agent;
typedef struct sm {
    double tensor[4], smem, lsu, in, out, issue[4], fma[4], alu[4], xu[4], tmem[4];     /* free from then on */
    double b_tensor[4], b_smem, b_in, b_out, b_issue[4], b_fma[4], b_alu[4], b_xu[4], b_tmem[4]; /* cycles in use */
} sm;
typedef struct moment { double at; uint32_t left; uint8_t by; } moment;
typedef struct player { const model_device *d; model_result *r; moment *token; } player;

static double most(double a, double b) { return a > b ? a : b; }

/* A server that is free from *from on takes so long: when it is through */
static double serve(double *from, double *busy, double t, double cycles)
{
    *from = most(*from, t) + cycles;
    *busy += cycles;
    return *from;
}
static void span(player *p, const agent *a, int row, int kind, double from, double to)
{
    model_result *r = p->r;
    if (!emu_opt.model_svg || (a && a->sm != a->sms) || to <= from) return;
    if (row + 3 >= MODEL_ROWS) return;
    /* what follows without a gap is one span */
    const uint32_t before = r->last[row + 3];
    if (before && r->span[before - 1].kind == kind && from - r->span[before - 1].to < 1 && kind != MS_LOAD) {
        r->span[before - 1].to = (float)to;
        return;
    }
    if (r->spans == r->span_room) {
        r->span_room = r->span_room ? 2 * r->span_room : 4096;
        r->span = realloc(r->span, r->span_room * sizeof *r->span);
    }
    r->span[r->spans++] = (model_span){(float)from, (float)to, (int16_t)row, (uint8_t)kind};
    r->last[row + 3] = (uint32_t)r->spans;
}
static void group_close(groups *g)
{
    if (g->n == g->room) {
        g->room = g->room ? 2 * g->room : 64;
        g->done = realloc(g->done, g->room * sizeof *g->done);
    }
    g->done[g->n] = g->n ? most(g->open, g->done[g->n - 1]) : g->open;
    g->n++;
}
/* When all but the last n groups are over */
static double group_over(const groups *g, uint32_t n) { return g->n > n ? g->done[g->n - 1 - n] : 0; }

static void until(player *p, agent *a, double when, int kind)
{
    if (when <= a->t) return;
    a->waits[kind] += when - a->t;
    span(p, a, a->row, kind, a->t, when);
    a->t = when;
}
static void reach(player *p, uint32_t token, double when, int by)
{
    moment *m = &p->token[token];
    if (when >= m->at) m->at = when, m->by = (uint8_t)by;
    if (m->left) m->left--;
}
static void signals(player *p, const agent *a, const model_event *e, double when, int by)
{
    for (uint32_t s = 0; s < e->signals; s++) reach(p, a->base + a->c->signal[e->token + s].token, when, by);
}

/* Work of a warp: its pipes all at once, each behind what it has still to do for others */
static void work(player *p, agent *a, const float *v)
{
    sm *s = a->sm;
    const int k = a->sched;
    const double begin = a->t;
    double end = begin;
    if (v[MP_ISSUE] > 0) end = most(end, serve(&s->issue[k], &s->b_issue[k], begin, v[MP_ISSUE]));
    if (v[MP_FMA] > 0) end = most(end, serve(&s->fma[k], &s->b_fma[k], begin, v[MP_FMA]));
    if (v[MP_ALU] > 0) end = most(end, serve(&s->alu[k], &s->b_alu[k], begin, v[MP_ALU]));
    if (v[MP_XU] > 0) end = most(end, serve(&s->xu[k], &s->b_xu[k], begin, v[MP_XU]));
    if (v[MP_MMA] > 0) end = most(end, serve(&s->tensor[k], &s->b_tensor[k], begin, v[MP_MMA]));
    if (v[MP_LSU] > 0) end = most(end, serve(&s->lsu, &s->b_smem, begin, v[MP_LSU]));
    if (end > begin) a->waits[MS_WORK] += end - begin, span(p, a, a->row, MS_WORK, begin, end);
    a->t = end;
}

enum { ROW_LOAD = -1, ROW_TENSOR = -2, ROW_STORE = -3 };

static double load(player *p, agent *a, const model_event *e)
{
    const model_device *d = p->d;
    double over = a->t;
    for (uint32_t k = 0; k < a->c->ncta; k++) {
        if (!(e->mask >> k & 1)) continue;
        over = most(over, serve(&a->sms[k].in, &a->sms[k].b_in, a->t, e->a / d->l2_in));
        a->sms[k].b_smem += e->a / d->smem;
    }
    p->r->in += e->a;
    span(p, a, ROW_LOAD, MS_LOAD, a->t, over + d->load);
    return over + d->load;
}

/* One event; its work is done */
static void act(player *p, agent *a, const model_event *e)
{
    const model_device *d = p->d;
    sm *s = a->sm;
    double end;
    switch (e->kind) {
    case EV_WAIT: {
        const moment *m = &p->token[a->base + e->token];
        until(p, a, m->at, m->by == MS_LOAD ? MS_WAIT_LOAD : m->by == MS_MMA ? MS_WAIT_MMA : MS_WAIT_THREAD);
        break;
    }
    case EV_SIGNAL: reach(p, a->base + e->token, a->t + d->sync_latency, MS_WORK); break;
    case EV_LOAD: signals(p, a, e, load(p, a, e), MS_LOAD); break;
    case EV_REMOTE: signals(p, a, e, a->t + 7 * d->sync_latency, MS_WORK); break;
    case EV_STORE:
        end = serve(&s->out, &s->b_out, a->t, e->a / d->l2_out);
        s->b_smem += e->a / d->smem;
        p->r->out += e->a;
        a->read.open = most(a->read.open, end + d->sync_latency);
        a->wrote.open = most(a->wrote.open, end + d->load);
        span(p, a, ROW_STORE, MS_STORE, a->t, end);
        if (a->sm == a->sms) {
            model_result *r = p->r;
            if (r->nstores == r->store_room) {
                r->store_room = r->store_room ? 2 * r->store_room : 256;
                r->stores = realloc(r->stores, r->store_room * sizeof *r->stores);
            }
            r->stores[r->nstores++] = end;
        }
        break;
    case EV_BULK_COMMIT: group_close(&a->read); group_close(&a->wrote); break;
    case EV_BULK_WAIT: until(p, a, group_over(e->mask ? &a->read : &a->wrote, e->n), MS_WAIT_STORE); break;
    case EV_WGMMA: {
        const double cycles = most(e->a, 4 * e->b), from = most(s->tensor[a->sched], a->t);
        s->tensor[a->sched] = from + cycles;
        s->b_tensor[a->sched] += e->a;
        s->b_smem += e->b;
        a->wgmma.open = from + cycles + d->sync_latency;
        if (!a->sched) span(p, a, ROW_TENSOR, MS_MMA, from, from + cycles);
        break;
    }
    case EV_WG_COMMIT: group_close(&a->wgmma); break;
    case EV_WG_WAIT: until(p, a, group_over(&a->wgmma, e->n), MS_WAIT_MMA); break;
    case EV_CP:
        end = serve(&s->in, &s->b_in, a->t, e->a / d->l2_in) + d->ld;
        s->b_smem += e->a / d->smem;
        p->r->in += e->a;
        a->copies.open = a->cp = most(a->cp, end);
        break;
    case EV_CP_COMMIT: group_close(&a->copies); break;
    case EV_CP_WAIT: until(p, a, e->mask ? a->cp : group_over(&a->copies, e->n), MS_WAIT_LOAD); break;
    case EV_CP_ARRIVE: signals(p, a, e, most(a->cp, a->t), MS_LOAD); break;
    case EV_GLOBAL:
        p->r->in += e->a, p->r->out += e->b;
        if (e->b > 0) serve(&s->out, &s->b_out, a->t, e->b / d->l2_out);
        if (e->a > 0) until(p, a, serve(&s->in, &s->b_in, a->t, e->a / d->l2_in) + d->ld, MS_WAIT_LOAD);
        break;
    case EV_T5_MMA: {
        const double cycles = most(e->a, e->b / d->smem);
        double from = a->t;
        sm *of[2] = {s, e->n == 2 ? &a->sms[(a->rank ^ 1) % (int)a->c->ncta] : NULL};
        for (int k = 0; k < 2 && of[k]; k++) from = most(from, of[k]->tensor[0]);
        for (int k = 0; k < 2 && of[k]; k++) {
            of[k]->b_smem += e->b / d->smem;
            for (int q = 0; q < 4; q++) of[k]->tensor[q] = from + cycles, of[k]->b_tensor[q] += e->a;
        }
        a->t5 = from + cycles;
        span(p, a, ROW_TENSOR, MS_MMA, from, a->t5);
        break;
    }
    case EV_T5_CP: s->b_smem += e->a / d->smem; a->t5 = most(a->t5, s->tensor[0]); break;
    case EV_T5_COMMIT: signals(p, a, e, most(a->t5, a->t) + d->sync_latency, MS_MMA); break;
    case EV_T5_LD: case EV_T5_ST:
        if (d->tmem_in <= 0) break;
        end = serve(&s->tmem[a->sched], &s->b_tmem[a->sched], a->t,
                    e->a / (e->kind == EV_T5_LD ? d->tmem_in : d->tmem_out));
        a->tmem = most(a->tmem, end);
        break;
    case EV_T5_WAIT: until(p, a, a->tmem, MS_TMEM); break;
    default: break;
    }
}

static double busiest(const double *four) { return most(most(four[0], four[1]), most(four[2], four[3])); }

static void summary(model_result *r, const agent *a, int n, const sm *s, const model_device *d)
{
    const agent *last = a;
    for (int k = 0; k < n; k++) {
        const double end = most(a[k].t, group_over(&a[k].wrote, 0));
        if (end > r->cycles) r->cycles = end;
        if (a[k].t >= last->t) last = &a[k];
    }
    memcpy(r->waits, last->waits, sizeof r->waits);
    r->busy[MR_TENSOR] = busiest(s->b_tensor);
    r->busy[MR_SMEM] = s->b_smem;
    r->busy[MR_IN] = s->b_in;
    r->busy[MR_OUT] = s->b_out;
    r->busy[MR_ISSUE] = busiest(s->b_issue);
    r->busy[MR_FMA] = busiest(s->b_fma);
    r->busy[MR_ALU] = busiest(s->b_alu);
    r->busy[MR_XU] = busiest(s->b_xu);
    r->busy[MR_TMEM] = busiest(s->b_tmem);
    /* what cannot be faster than its slowest part: shared memory's users were not made to wait for each other */
    for (int k = 0; k < MR_COUNT; k++) r->cycles = most(r->cycles, d->start + r->busy[k]);
}

void model_play(const model_device *d, model_cluster *const *c, int n, model_result *r)
{
    int agents = 0, k = 0;
    size_t tokens = 0;
    for (int x = 0; x < n; x++) agents += (int)c[x]->nwarp, tokens += c[x]->tokens;
    agent *a = calloc((size_t)agents, sizeof *a);
    sm *sms = calloc(c[0]->ncta, sizeof *sms);
    player p = {d, r, calloc(tokens + 1, sizeof(moment))};
    uint32_t base = 0;
    for (int x = 0; x < n; x++) {
        for (uint32_t t = 0; t < c[x]->tokens; t++) p.token[base + t].left = c[x]->token[t].arrivals;
        for (uint32_t w = 0; w < c[x]->nwarp; w++, k++) {
            const uint32_t rank = w / c[x]->warps, id = w % c[x]->warps;
            a[k] = (agent){.e = c[x]->w[w].e, .c = c[x], .sm = &sms[rank], .sms = sms, .rank = (int)rank,
                           .sched = (int)(id % 4), .base = base, .t = d->start, .row = x * (int)c[x]->warps + (int)id};
        }
        base += c[x]->tokens;
        r->flops += c[x]->flops;
    }
    r->sms = (int)c[0]->ncta;
    for (int left = agents;;) {
        int next = -1;
        double when = INFINITY;
        for (int x = 0; x < agents; x++) {
            const model_event *e = &a[x].e[a[x].at];
            double t = a[x].t;
            if (e->kind == EV_END && a[x].worked) continue;
            if (e->kind == EV_WAIT && a[x].worked) {
                const moment *m = &p.token[a[x].base + e->token];
                if (m->left) continue;
                t = most(t, m->at);
            }
            if (t < when) when = t, next = x;
        }
        if (next < 0) {
            left = 0;
            for (int x = 0; x < agents; x++)
                if (a[x].e[a[x].at].kind != EV_END) {           /* what he waits for was not noted */
                    r->stuck++;
                    p.token[a[x].base + a[x].e[a[x].at].token].left = 0;
                    left = 1;
                    break;
                }
            if (!left) break;
            continue;
        }
        const model_event *e = &a[next].e[a[next].at];
        if (!a[next].worked) { work(&p, &a[next], e->work); a[next].worked = 1; continue; }
        act(&p, &a[next], e);
        a[next].at++, a[next].worked = 0;
    }
    summary(r, a, agents, sms, d);
    for (int x = 0; x < agents; x++) {
        free(a[x].wgmma.done); free(a[x].read.done); free(a[x].wrote.done); free(a[x].copies.done);
    }
    free(a); free(sms); free(p.token);
}
