/* trace.c - notes what each warp of the first clusters of a grid does, for model.c: which pipes its instructions
 * hold, what it hands to TMA and the Tensor Cores, what it waits for and who arrives there. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"

/* ---- Which pipe does an instruction hold? ---- */
static int has_type(const ptx_instr *i, const char *t) { return emu_has(i, t); }

/* What registers' instructions cost on a board that PTX spells out: moves and conversions of addresses cost nothing */
static void classify(const model_device *d, const ptx_instr *i, uint8_t *pipe, float *cycles)
{
    static const char *const nothing[] = {"mov", "cvta", "ret", "exit", "mapa", "getctarank", "isspacep", "fence",
                                          "membar", "pragma", "griddepcontrol", "setmaxnreg", "createpolicy", 0},
        *const special[] = {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh", 0},
        *const fused[] = {"fma", "mad", "mul", 0};
    const char *op = i->mod[0];
    const int f32 = has_type(i, "f32") || has_type(i, "f16x2") || has_type(i, "bf16x2") || has_type(i, "f16")
                    || has_type(i, "bf16"), two = has_type(i, "f32x2"), wide = has_type(i, "f64");
    *pipe = MP_ALU, *cycles = (float)d->alu;
    for (int k = 0; nothing[k]; k++) if (!strcmp(op, nothing[k])) { *pipe = MP_PIPES; *cycles = 0; return; }
    for (int k = 0; special[k]; k++) if (!strcmp(op, special[k])) { *pipe = MP_XU; *cycles = (float)d->xu; return; }
    if (!strcmp(op, "cvt")) {
        /* packing two floats is one instruction of the ALU; other conversions of floats are the slow unit's */
        const int pack = has_type(i, "bf16x2") || has_type(i, "f16x2") || has_type(i, "e4m3x2")
                         || has_type(i, "e5m2x2");
        *cycles = (float)(pack || f32 ? d->cvt : d->alu);
        return;
    }
    for (int k = 0; fused[k]; k++)
        if (!strcmp(op, fused[k])) {
            *pipe = MP_FMA, *cycles = (float)d->fma * (two || wide || !f32 ? 2 : 1);    /* integers: half the rate */
            return;
        }
    if (!strcmp(op, "shfl")) { *pipe = MP_LSU, *cycles = 1; return; }
    if ((!strcmp(op, "add") || !strcmp(op, "sub")) && (f32 || two || wide)) {
        *pipe = MP_FMA, *cycles = (float)d->fma * (two ? 2 : wide ? 2 : 1);
        return;
    }
    if (!strcmp(op, "bra") || !strcmp(op, "bar") || !strcmp(op, "barrier") || !strcmp(op, "wgmma")
        || !strcmp(op, "tcgen05") || !strcmp(op, "mbarrier") || !strcmp(op, "cp") || !strcmp(op, "ld")
        || !strcmp(op, "st") || !strcmp(op, "ldmatrix") || !strcmp(op, "stmatrix") || !strcmp(op, "mma")
        || !strcmp(op, "wmma") || !strcmp(op, "elect") || !strcmp(op, "nanosleep"))
        *pipe = MP_ISSUE, *cycles = 0; /* a slot, and what their own hooks say */
}

void model_begin(launch *L)
{
    const ptx_module *m = L->mod->ptx;
    model_run *r = calloc(1, sizeof *r);
    r->dev = emu_opt.model;
    r->pipe = malloc(m->ncode + 1);
    r->cycles = malloc((m->ncode + 1) * sizeof *r->cycles);
    for (uint32_t k = 0; k < m->ncode; k++) classify(r->dev, &m->code[k], &r->pipe[k], &r->cycles[k]);
    L->model = r;
}

void model_cluster_begin(cluster *cl)
{
    model_run *r = cl->L->model;
    if (!r || cl->index >= MODEL_CLUSTERS) return;
    model_cluster *c = calloc(1, sizeof *c);
    c->ncta = cl->ncta;
    c->warps = cl->L->nwarp;
    c->nwarp = c->ncta * c->warps;
    c->w = calloc(c->nwarp, sizeof *c->w);
    c->bucket = calloc(MODEL_BUCKETS, sizeof *c->bucket);
    r->cluster[cl->index] = c;
    cl->model = c;
}

/* ---- Events ---- */
static model_warp *warp_of(warp *w) { return &w->cta->cl->model->w[w->cta->rank * w->cta->cl->model->warps + w->id]; }

static model_event *add(model_warp *t, model_event e)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->e = realloc(t->e, t->room * sizeof *t->e);
    }
    memcpy(e.work, t->work, sizeof e.work);
    memset(t->work, 0, sizeof t->work);
    t->poll = NULL;
    t->e[t->n] = e;
    return &t->e[t->n++];
}

void model_note(warp *w, async_op *op, model_event e)
{
    if (!w->cta->cl->model) return;
    model_warp *t = warp_of(w);
    add(t, e);
    if (op) op->model = t->n;           /* from 1 */
}

/* Pieces of work stay short, so that warps of a scheduler take turns */
enum { PIECE = 32 };
static void hold(model_warp *t, int pipe, double cycles)
{
    t->work[pipe] += (float)cycles;
    if (t->work[MP_ISSUE] >= PIECE) add(t, (model_event){.kind = EV_WORK});
}
void model_work(warp *w, int pipe, double cycles)
{
    if (w->cta->cl->model) warp_of(w)->work[pipe] += (float)cycles;
}
void model_ran(warp *w, const ptx_instr *i)
{
    launch *L = w->cta->cl->L;
    model_warp *t = warp_of(w);
    const size_t at = (size_t)(i - L->mod->ptx->code);
    if (t->poll == i) { memcpy(t->work, t->saved, sizeof t->work); t->poll = NULL; }
    if (L->model->pipe[at] == MP_PIPES) return;
    if (L->model->cycles[at] > 0) t->work[L->model->pipe[at]] += L->model->cycles[at];
    hold(t, MP_ISSUE, 1);
}
void model_polled(warp *w, const ptx_instr *i)
{
    model_warp *t = warp_of(w);
    if (t->poll == i) memcpy(t->work, t->saved, sizeof t->work);
    else memcpy(t->saved, t->work, sizeof t->work), t->poll = i;
}

/* ---- Tokens ---- */
static uint32_t token(model_cluster *c, int kind, uint32_t rank, uint32_t place, uint64_t phase)
{
    const uint64_t key = (uint64_t)kind << 60 | (uint64_t)rank << 54 | (uint64_t)(place & 0x3ffff) << 36
                         | (phase & 0xfffffffffull);
    const uint32_t b = (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> 52) % MODEL_BUCKETS;
    for (uint32_t t = c->bucket[b]; t; t = c->token[t - 1].next) if (c->token[t - 1].key == key) return t - 1;
    if (c->tokens == c->token_room) {
        c->token_room = c->token_room ? 2 * c->token_room : 256;
        c->token = realloc(c->token, c->token_room * sizeof *c->token);
    }
    c->token[c->tokens] = (model_token){.key = key, .next = c->bucket[b]};
    c->bucket[b] = c->tokens + 1;
    return c->tokens++;
}

/* Waits until the phase is over */
void model_wait(warp *w, int kind, uint32_t rank, uint32_t place, uint64_t phase)
{
    model_cluster *c = w->cta->cl->model;
    if (!c) return;
    model_warp *t = warp_of(w);
    if (t->poll) { memcpy(t->work, t->saved, sizeof t->work); t->poll = NULL; }
    add(t, (model_event){.kind = EV_WAIT, .token = token(c, kind, rank, place, phase)});
}
void model_signal_at(warp *w, int kind, uint32_t rank, uint32_t place, uint64_t phase)
{
    model_cluster *c = w->cta->cl->model;
    if (!c) return;
    const uint32_t t = token(c, kind, rank, place, phase);
    c->token[t].arrivals++;
    add(warp_of(w), (model_event){.kind = EV_SIGNAL, .token = t});
}
void model_op_signal(async_op *op, uint32_t rank, uint32_t place, uint64_t phase)
{
    model_cluster *c = op->cl->model;
    if (!c || !op->model) return;
    const uint32_t t = token(c, MT_MBAR, rank, place, phase);
    c->token[t].arrivals++;
    if (c->signals == c->signal_room) {
        c->signal_room = c->signal_room ? 2 * c->signal_room : 256;
        c->signal = realloc(c->signal, c->signal_room * sizeof *c->signal);
    }
    c->signal[c->signals++] = (model_signal){op->w->cta->rank * c->warps + op->w->id, op->model - 1, t};
}

/* ---- The Tensor Cores ---- */
double model_mma_rate(const model_device *d, int type)
{
    switch (type) {
    case PT_F64: return d->mma_64;
    case PT_TF32: return d->mma_tf32;
    case PT_F16: case PT_BF16: return d->mma_16;
    case PT_S8: case PT_U8: case PT_B1: case PT_S4: case PT_U4: return d->mma_s8;
    case PT_E2M1: return d->mma_4;
    default: return d->mma_8;
    }
}
void model_flops(warp *w, int type, double flops)
{
    model_cluster *c = w->cta->cl->model;
    if (!c) return;
    const double rate = model_mma_rate(w->cta->cl->L->model->dev, type);
    c->flops += flops;
    if (rate > 0) c->dense += flops / rate;
}
void model_mma(warp *w, int type, double flops)
{
    if (!w->cta->cl->model) return;
    const model_device *d = w->cta->cl->L->model->dev;
    const double rate = model_mma_rate(d, type) * d->sync / 4;  /* of a warp's sub-core */
    if (rate > 0) warp_of(w)->work[MP_MMA] += (float)(flops / rate);
    model_flops(w, type, flops);
}

/* ---- The end of a launch ---- */
static int by_event(const void *x, const void *y)
{
    const model_signal *a = x, *b = y;
    if (a->warp != b->warp) return a->warp < b->warp ? -1 : 1;
    return a->event < b->event ? -1 : a->event > b->event;
}
static void settle(model_cluster *c)
{
    qsort(c->signal, c->signals, sizeof *c->signal, by_event);
    for (size_t s = 0; s < c->signals; s++) {
        model_event *e = &c->w[c->signal[s].warp].e[c->signal[s].event];
        if (!e->signals++) e->token = (uint32_t)s;
    }
    for (uint32_t k = 0; k < c->nwarp; k++) add(&c->w[k], (model_event){.kind = EV_END});
}
static void cluster_free(model_cluster *c)
{
    if (!c) return;
    for (uint32_t k = 0; k < c->nwarp; k++) free(c->w[k].e);
    free(c->w); free(c->token); free(c->bucket); free(c->signal);
    free(c);
}
static void result_free(model_result *r)
{
    free(r->span);
    free(r->stores);
    memset(r, 0, sizeof *r);
}

/* Grids of more clusters than run at a time come in waves; a multiprocessor's first clusters are played together, two
 * multiprocessors' (or more, if they are few), and the slowest of them is the one that counts. */
void model_end(launch *L)
{
    model_run *m = L->model;
    if (!m) return;
    const uint32_t cs = L->cluster_size;
    const uint64_t clusters = (uint64_t)L->grid.x * L->grid.y * L->grid.z / cs;
    int fit = emu_blocks_per_sm(L->k, (int)L->nthread, L->dyn_smem), ready = 0;
    if (fit < 1) fit = 1;
    const uint64_t at_once = (uint64_t)L->dev->sms / cs ? (uint64_t)L->dev->sms / cs : 1;      /* a block an SM */
    uint64_t together = (clusters + at_once - 1) / at_once;
    if (together > (uint64_t)fit) together = (uint64_t)fit;
    const double waves = (double)((clusters + at_once * together - 1) / (at_once * together));
    while (ready < MODEL_CLUSTERS && m->cluster[ready]) settle(m->cluster[ready++]);
    if ((uint64_t)ready < together) together = (uint64_t)(ready ? ready : 1);
    model_result worst = {0};
    for (int first = 0; first + (int)together <= ready && first < 4 * (int)together; first += (int)together) {
        model_result r = {0};
        model_play(m->dev, &m->cluster[first], (int)together, &r);
        if (r.cycles > worst.cycles) { result_free(&worst); worst = r; } else result_free(&r);
    }
    if (ready && !L->failed) model_report(L, &worst, (int)together, waves);
    result_free(&worst);
    for (int k = 0; k < MODEL_CLUSTERS; k++) cluster_free(m->cluster[k]);
    free(m->pipe); free(m->cycles);
    free(m);
    L->model = NULL;
}
