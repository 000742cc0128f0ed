/* undef.c - undefined values: what a shuffle gives that read a lane which takes no part. Many programs shuffle so and
 * never use the value (a reduction by shfl.down in half a warp: only lane 0's sum counts), so the report comes where it
 * is used: stored, compared with the rest by a vote, taken as an address or as a branch's condition. Until then lanes
 * of registers are marked, and arithmetic carries the mark on. Costs nothing in warps that have no such value. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

struct undef {
    uint32_t *reg, *pred, nreg, npred;          /* lanes that are undefined, by plane of the register file */
    uint32_t marked;                            /* how many of these are not 0 */
    uint8_t *pure;                              /* by instruction: 0 not known, 1 arithmetic, 2 anything else */
    const ptx_instr *from;                      /* the last such shuffle, and what to say of it */
    uint32_t lane, members, live;
};

static void grow(uint32_t **p, uint32_t *n, uint32_t k)
{
    if (k < *n) return;
    uint32_t more = (k + 1) * 3 / 2;
    *p = realloc(*p, more * sizeof **p);
    memset(*p + *n, 0, (more - *n) * sizeof **p);
    *n = more;
}
static uint32_t *plane(warp *w, const ptx_opnd *o)
{
    struct undef *u = w->undef;
    uint32_t k = o->type == PT_PRED ? w->pbase + o->reg : w->base + o->reg;
    if (o->type == PT_PRED) grow(&u->pred, &u->npred, k); else grow(&u->reg, &u->nreg, k);
    return o->type == PT_PRED ? &u->pred[k] : &u->reg[k];
}
/* The first mark makes the run loop call undef_step, as registers on the way do; the last one to go ends that */
static void set(warp *w, uint32_t *p, uint32_t lanes)
{
    struct undef *u = w->undef;
    if (!*p && lanes && !u->marked++) w->ntagged++;
    if (*p && !lanes && !--u->marked) w->ntagged--;
    *p = lanes;
}
uint32_t undef_lanes(warp *w, const ptx_opnd *o)
{
    struct undef *u = w->undef;
    if (!u || !u->marked) return 0;
    uint32_t lanes = o->kind == PO_REG || (o->kind == PO_MEM && o->type) ? *plane(w, o) : 0;
    for (int k = 0; o->elem && k < o->n; k++) lanes |= undef_lanes(w, &o->elem[k]);
    return lanes;
}
void undef_mark(warp *w, const ptx_opnd *o, uint32_t lanes, uint32_t mask)
{
    if (o->kind == PO_REG && (w->undef || lanes)) {
        if (!w->undef) w->undef = calloc(1, sizeof(struct undef));
        uint32_t *p = plane(w, o);
        set(w, p, (*p & ~mask) | (lanes & mask));
    }
    for (int k = 0; o->elem && k < o->n; k++) undef_mark(w, &o->elem[k], lanes, mask);
}
void undef_shuffle(warp *w, const ptx_instr *i, uint32_t lane, uint32_t members)
{
    if (!w->undef) w->undef = calloc(1, sizeof(struct undef));
    struct undef *u = w->undef;
    u->from = i; u->lane = lane; u->members = members; u->live = w->live;
}
static void used(warp *w, const ptx_instr *i, uint32_t lanes)
{
    struct undef *u = w->undef;
    emu_report(w, i, lanes, E_CONVERGENCE,
               "uses a value that shfl.sync read from lane %u, which takes no part (member mask 0x%08x, live lanes "
               "0x%08x): it is undefined", u->lane, u->members, u->live);
    emu_report_also(w, u->from, "the shuffle");
    for (uint32_t k = 0; k < u->nreg; k++) if (u->reg[k]) set(w, &u->reg[k], u->reg[k] & ~lanes);
    for (uint32_t k = 0; k < u->npred; k++) if (u->pred[k]) set(w, &u->pred[k], u->pred[k] & ~lanes);
}
static int is_pure(struct undef *u, warp *w, const ptx_instr *i)
{
    const ptx_module *m = w->cta->cl->L->mod->ptx;
    if (!u->pure) u->pure = calloc(m->ncode, 1);
    uint8_t *p = &u->pure[i - m->code];
    if (!*p) {
        *p = 2;
        for (const emu_family *f = emu_alu; f->word; f++) if (!strcmp(f->word, i->mod[0])) *p = 1;
        for (const emu_family *f = emu_cvt; f->word; f++) if (!strcmp(f->word, i->mod[0])) *p = 1;
        /* shfl marks its destination itself */
        if (!strcmp(i->mod[0], "cvta") || !strcmp(i->mod[0], "shfl")) *p = 1;
    }
    return *p == 1;
}
void undef_guard(warp *w, const ptx_instr *i, uint32_t mask)
{
    struct undef *u = w->undef;
    if (!u || !u->marked || i->guard < 0) return;
    grow(&u->pred, &u->npred, w->pbase + (uint32_t)i->guard);
    uint32_t lanes = u->pred[w->pbase + (uint32_t)i->guard] & mask;
    if (lanes) used(w, i, lanes);
}
/* before an instruction of a warp with undefined values; mask: the lanes for which its guard is true */
void undef_step(warp *w, const ptx_instr *i, uint32_t mask)
{
    struct undef *u = w->undef;
    if (!u->marked || !i->nop || !strcmp(i->mod[0], "shfl")) return;
    int pure = is_pure(u, w, i), first = i->op[0].kind == PO_REG || i->op[0].kind == PO_VEC || i->op[0].kind == PO_PAIR
        || i->op[0].kind == PO_SINK;
    uint32_t lanes = 0;
    if (pure && !strcmp(i->mod[0], "selp")) {   /* of the two only the one that is taken */
        uint32_t p = i->op[3].kind == PO_REG ? emu_pred(w, &i->op[3]) : EMU_FULL;
        lanes = (undef_lanes(w, &i->op[1]) & p) | (undef_lanes(w, &i->op[2]) & ~p) | undef_lanes(w, &i->op[3]);
    } else for (int k = first; k < i->nop; k++) lanes |= undef_lanes(w, &i->op[k]);
    if (i->guard >= 0) {
        grow(&u->pred, &u->npred, w->pbase + (uint32_t)i->guard);
        lanes |= u->pred[w->pbase + (uint32_t)i->guard];
    }
    lanes &= mask;
    if (!pure && lanes) { used(w, i, lanes); lanes = 0; }
    if (first) undef_mark(w, &i->op[0], lanes, mask);
}
void undef_end(warp *w)
{
    struct undef *u = w->undef;
    if (!u) return;
    free(u->reg); free(u->pred); free(u->pure); free(u);
    w->undef = NULL;
}
