/* exec.c - the machine: warps with independently scheduled lanes, clusters, launches, the queue of asynchronous
 * operations.
 *
 * A warp executes the group of its lanes that stand at one instruction; the groups of a diverged warp take turns, the
 * one that is furthest behind first (deepest call, lowest address), so that they meet again, and the others when it
 * spins. Warps of a cluster take turns of a quantum. An instruction that must wait leaves its lanes where they are;
 * they try again after the next event.
 *
 * Asynchronous operations are performed when nothing else in the cluster can go on (schedule 0: as late as the
 * program's waits allow), or also at random moments (schedules 1, 2, ...). */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "model.h"
#include "alloc.h"

enum { QUANTUM = 400, IDLE_LIMIT = 40 };
__thread uint64_t emu_progress, emu_writes;
static _Atomic uint64_t all_steps, next_grid = 1;

uint64_t emu_clock(void) { return all_steps; }
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

/* ---- calls ---- */

static const ptx_func *current(const warp *w, int lane)
{
    return w->frame[lane] ? w->frame[lane]->fn : w->cta->cl->L->k->fn;
}
static uint32_t preds_of(const ptx_func *f) { return f->npred + f->nslot; }     /* room for sunk predicates as well */
static void need_registers(warp *w, uint32_t base, uint32_t pbase, const ptx_func *f)
{
    if (base + f->nslot > w->nreg_alloc) {
        uint32_t n = (base + f->nslot) * 3 / 2;
        uint32_t *r = emu_take((size_t)n * 128);
        memcpy(r, w->reg, (size_t)w->nreg_alloc * 128);
        memset(r + (size_t)w->nreg_alloc * 32, 0, (size_t)(n - w->nreg_alloc) * 128);
        emu_give(w->reg, (size_t)w->nreg_alloc * 128);
        w->reg = r;
        if (w->tag) {
            w->tag = realloc(w->tag, n * sizeof *w->tag);
            memset(w->tag + w->nreg_alloc, 0, (n - w->nreg_alloc) * sizeof *w->tag);
            uint32_t had = w->nreg_alloc / 64 + 1, has = n / 64 + 1;
            w->tagged = realloc(w->tagged, has * sizeof *w->tagged);
            memset(w->tagged + had, 0, (has - had) * sizeof *w->tagged);
        }
        if (w->wrote) {
            w->wrote = realloc(w->wrote, n * sizeof *w->wrote);
            memset(w->wrote + w->nreg_alloc, 0, (n - w->nreg_alloc) * sizeof *w->wrote);
        }
        w->nreg_alloc = n;
    }
    if (pbase + preds_of(f) > w->npred_alloc) {
        uint32_t n = (pbase + preds_of(f)) * 3 / 2;
        w->pred = realloc(w->pred, n * sizeof *w->pred);
        memset(w->pred + w->npred_alloc, 0, (n - w->npred_alloc) * sizeof *w->pred);
        w->npred_alloc = n;
    }
}
uint8_t *emu_local(warp *w, int lane, uint64_t addr, uint32_t size)
{
    if (addr + size > w->frame_top[lane] || addr + size < addr) return NULL;
    if (addr + size > w->local_size[lane]) {
        uint32_t n = w->frame_top[lane] + 256;
        w->local[lane] = realloc(w->local[lane], n);
        memset(w->local[lane] + w->local_size[lane], 0xcd, n - w->local_size[lane]);
        w->local_size[lane] = n;
    }
    return w->local[lane] + addr;
}
static uint8_t *arg_bytes(warp *w, int l, const ptx_opnd *o)
{
    return emu_local(w, l, w->frame_off[l] + o->sym->offset + (uint64_t)o->imm, (uint32_t)o->sym->size);
}
/* mem.c: 0 done, 1 unknown, X_ABORT */
int emu_call_builtin(warp *w, const ptx_instr *i, uint32_t mask, const char *name);

static int exec_call(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *ret = &i->op[0], *callee = &i->op[1], *args = &i->op[2];
    launch *L = w->cta->cl->L;
    uint32_t pc = (uint32_t)(i - L->mod->ptx->code);
    ptx_sym *s = callee->sym;
    int lead = __builtin_ctz(mask);
    if (callee->kind == PO_REG) {
        s = (ptx_sym *)(uintptr_t)R64(w, callee)[lead];
        int known = 0;
        for (int k = 0; k < L->mod->ptx->nfunc; k++) {
            ptx_func *f = L->mod->ptx->func[k];
            if (f->sym == s && s) known = 1;
        }
        if (!known)
            return emu_fatal(w, i, mask, E_OPERAND, "calls through %#llx, which is not the address of a function",
                             (unsigned long long)R64(w, callee)[lead]);
        uint32_t same = 0;
        EMU_EACH(l, mask) if (R64(w, callee)[l] == (uint64_t)(uintptr_t)s) same |= 1u << l;
        mask = same;
    }
    if (!s->func || !s->func->has_body) {
        int r = emu_call_builtin(w, i, mask, s->name);
        if (r == 1)
            return emu_fatal(w, i, mask, E_UNSUPPORTED,
                             "calls %s, which has no body and is none of the functions that tcemu provides", s->name);
        if (r) return r;
        EMU_EACH(l, mask) w->pc[l] = pc + 1;
        return X_JUMP;
    }
    ptx_func *f = s->func;
    if (args->n < f->nparam || ret->n < f->nret)
        return emu_fatal(w, i, mask, E_OPERAND, "call of %s with %d arguments, it has %d", f->name, args->n, f->nparam);
    const ptx_func *from = current(w, lead);
    uint32_t base = w->lane_base[lead] + from->nslot, pbase = w->lane_pbase[lead] + preds_of(from);
    /* above the windows of lanes that are elsewhere: a 64-bit register's planes are not a 32-bit one's */
    EMU_EACH(l, w->live & ~mask) {
        const ptx_func *g = current(w, (int)l);
        if (w->lane_base[l] + g->nslot > base) base = w->lane_base[l] + g->nslot;
        if (w->lane_pbase[l] + preds_of(g) > pbase) pbase = w->lane_pbase[l] + preds_of(g);
    }
    base = (base + 1) & ~1u;
    need_registers(w, base, pbase, f);
    EMU_EACH(l, mask) {
        frame *fr = malloc(sizeof *fr);
        int depth = 0;
        for (frame *g = w->frame[l]; g; g = g->up) depth++;
        if (depth > 4000) {
            free(fr);
            return emu_fatal(w, i, 1u << l, E_OOB_LOCAL, "the call stack is deeper than 4000 functions");
        }
        *fr = (frame){w->frame[l], pc + 1, w->lane_base[l], w->lane_pbase[l], w->frame_off[l], f, ret, from,
                      w->frame_top[l]};
        uint32_t off = (w->frame_top[l] + 15) & ~15u, old = w->frame_off[l];
        w->frame_top[l] = off + f->frame_bytes;
        for (int k = 0; k < f->nparam; k++) {
            uint32_t size = (uint32_t)f->param[k]->size;
            if (args->elem[k].kind != PO_SYM || args->elem[k].sym->size < size) {
                free(fr);
                return emu_fatal(w, i, mask, E_UNSUPPORTED, "an argument of %s that is no .param variable", f->name);
            }
            uint8_t *d = emu_local(w, (int)l, off + f->param[k]->offset, size),
                    *src = emu_local(w, (int)l, old + args->elem[k].sym->offset, size);
            if (d && src) memcpy(d, w->local[l] + old + args->elem[k].sym->offset, size);
        }
        w->frame_off[l] = off;
        w->frame[l] = fr;
        w->lane_base[l] = base; w->lane_pbase[l] = pbase;
        w->pc[l] = f->begin;
    }
    return X_JUMP;
}
static void lanes_exit(warp *w, const ptx_instr *i, uint32_t mask);
static int exec_ret(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t out = 0;
    EMU_EACH(l, mask) {
        frame *f = w->frame[l];
        if (!f) { out |= 1u << l; continue; }
        uint32_t callee_off = w->frame_off[l];
        w->frame_off[l] = f->frame_off;
        for (int k = 0; k < f->fn->nret; k++) {
            uint32_t size = (uint32_t)f->fn->ret[k]->size;
            const ptx_opnd *o = &f->ret_args->elem[k];
            if (o->kind != PO_SYM) continue;
            uint8_t *src = emu_local(w, (int)l, callee_off + f->fn->ret[k]->offset, size), *d = arg_bytes(w, (int)l, o);
            if (src && d) memmove(d, w->local[l] + callee_off + f->fn->ret[k]->offset, size);
        }
        w->frame_top[l] = f->frame_top;
        w->lane_base[l] = f->base; w->lane_pbase[l] = f->pbase;
        w->pc[l] = f->ret_pc;
        w->frame[l] = f->up;
        free(f);
    }
    if (out) lanes_exit(w, i, out);
    return X_JUMP;
}
static int exec_exit(warp *w, const ptx_instr *i, uint32_t mask) { lanes_exit(w, i, mask); return X_JUMP; }
static int exec_bra(warp *w, const ptx_instr *i, uint32_t mask) { EMU_EACH(l, mask) w->pc[l] = i->f[0]; return X_JUMP; }
static int exec_brx(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_sym *t = i->op[1].sym;
    EMU_EACH(l, mask) {
        uint32_t k = R32(w, &i->op[0])[l];
        if (k >= (uint32_t)t->ntargets)
            return emu_fatal(w, i, 1u << l, E_OPERAND, "brx.idx with index %u, the list has %d targets", k,
                             t->ntargets);
        w->pc[l] = t->targets[k]->target;
    }
    return X_JUMP;
}
static int exec_trap(warp *w, const ptx_instr *i, uint32_t mask)
{
    emu_report(w, i, mask, E_TRAP, "trap: the program stops itself (__trap(), or a check that failed)");
    emu_abort(w->cta->cl->L, 719, "trap");
    return X_ABORT;
}
static int exec_nothing(warp *w, const ptx_instr *i, uint32_t mask) { (void)w; (void)i; (void)mask; return X_NEXT; }

static int decode_control(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const char *word = i->mod[0];
    i->flags |= I_CONTROL;
    if (!strcmp(word, "bra")) {
        if (i->nop != 1 || i->op[0].kind != PO_SYM || i->op[0].sym->space != SP_LABEL)
            return emu_decode_error(err, n, i, "needs a label");
        i->f[0] = i->op[0].sym->target;
        i->exec = exec_bra;
    } else if (!strcmp(word, "brx")) {
        if (i->nop != 2 || i->op[1].kind != PO_SYM || !i->op[1].sym->is_table)
            return emu_decode_error(err, n, i, "needs an index and a .branchtargets list");
        if (emu_prepare(m, fn, &i->op[0], PT_U32, err, n)) return -1;
        i->exec = exec_brx;
    } else if (!strcmp(word, "call")) {
        if (i->nop < 3) return emu_decode_error(err, n, i, "needs a function");
        if (emu_prepare(m, fn, &i->op[1], PT_U64, err, n)) return -1;
        i->exec = exec_call;
    } else if (!strcmp(word, "ret")) i->exec = exec_ret;
    else if (!strcmp(word, "exit")) i->exec = exec_exit;
    else if (!strcmp(word, "trap") || !strcmp(word, "brkpt")) { i->flags &= (uint8_t)~I_CONTROL; i->exec = exec_trap; }
    else { i->flags &= (uint8_t)~I_CONTROL; i->exec = exec_nothing; }      /* pmevent, pragma-like */
    return 0;
}
const emu_family emu_control[] = {{"bra", decode_control}, {"brx", decode_control}, {"call", decode_control},
                                  {"ret", decode_control}, {"exit", decode_control},
                                  {"trap", decode_control}, {"brkpt", decode_control}, {"pmevent", decode_control},
                                  {0}};

/* ---- exit ---- */

struct bulk_groups { int n; struct bulk_lane { async_op *open, *closed; uint32_t next_group; } lane[32]; };
static void bulk_exit(warp *w, const ptx_instr *i, uint32_t mask);
static void queue_abandon(cta *c, warp *w, const ptx_instr *i);

static void lanes_exit(warp *w, const ptx_instr *i, uint32_t mask)
{
    cta *c = w->cta;
    if (w->bulk) bulk_exit(w, i, mask);
    w->live &= ~mask;
    w->stalled &= ~mask;
    /* a thread may arrive at the cluster barrier and exit: it is not expected any more, so it may not count as arrived
     * either */
    EMU_EACH(l, mask)
        if (w->cluster_gen[l] == c->cl->barrier_gen + 1) { w->cluster_gen[l] = 0; c->cl->barrier_arrived--; }
    emu_event(c->cl);
    if (w->live) return;
    emu_wgmma_exit(w);
    emu_fabric_exit(w);
    emu_tcgen05_warp_exit(w);
    setmaxnreg_exit(w);
    cpasync_warp_end(w, 0);
    if (--c->live_warps == 0) {
        queue_abandon(c, w, i);
        mbar_cta_end(w, c);
        emu_tcgen05_cta_exit(w, c);
        c->cl->live_ctas--;
    }
}

/* ---- registers on the way ---- */

typedef struct { const ptx_instr *i; const char *what; uint32_t note; int tc5; } tag_info;
static uint32_t tag_key(uint32_t id, uint32_t index) { return id << 9 | index; }
/* w->tag of a plane, and the bit that says whether there is one: few of a kernel's registers are on the way at a
 * time */
static void tag_set(warp *w, uint32_t plane, uint32_t key)
{
    uint64_t bit = 1ull << plane % 64;
    if (!w->tag[plane] == !key) { w->tag[plane] = key; return; }
    w->tag[plane] = key;
    w->tagged[plane / 64] ^= bit;
    w->ntagged += key ? 1u : -1u;
}
uint32_t emu_tag_new(warp *w, const ptx_instr *i, const char *what, uint32_t note)
{
    if (!w->tag) {
        w->tag = calloc(w->nreg_alloc, sizeof *w->tag);
        w->tagged = calloc(w->nreg_alloc / 64 + 1, sizeof *w->tagged);
        w->tags = calloc(1024, sizeof(tag_info));
        w->next_tag = 1;
    }
    uint32_t id = w->next_tag++;
    if (w->next_tag >= 1u << 23) w->next_tag = 1;
    ((tag_info *)w->tags)[id % 1024] = (tag_info){i, what, note, !strcmp(i->mod[0], "tcgen05")};
    return id;
}
void emu_tag(warp *w, uint32_t tag, const ptx_opnd *reg, uint32_t index)
{
    tag_set(w, w->base + reg->reg, tag_key(tag, index));
}
#define EACH_TAGGED(w, p)                                                                                              \
    for (uint32_t k_ = 0, p; k_ < (w)->nreg_alloc / 64 + 1 && (w)->ntagged; k_++)                                     \
        for (uint64_t b_ = (w)->tagged[k_]; b_ && (p = k_ * 64 + (uint32_t)__builtin_ctzll(b_), 1); b_ &= b_ - 1)
void emu_untag(warp *w, uint32_t tag, const uint32_t *result)
{
    EACH_TAGGED(w, p)
        if (w->tag[p] >> 9 == tag) {
            if (result) memcpy(w->reg + (size_t)p * 32, result + (size_t)(w->tag[p] & 511) * 32, 128);
            tag_set(w, p, 0);
        }
}
void emu_untag_all(warp *w) { EACH_TAGGED(w, p) tag_set(w, p, 0); }
int emu_tagged(const warp *w, uint32_t tag)
{
    EACH_TAGGED(w, p) if (w->tag[p] >> 9 == tag) return 1;
    return 0;
}
uint32_t emu_tag_of(warp *w, const ptx_opnd *reg, uint32_t *index)
{
    if (!w->tag || reg->kind != PO_REG) return 0;
    uint32_t t = w->tag[w->base + reg->reg];
    *index = t & 511;
    return t >> 9;
}
static const tag_info *tag_of(const warp *w, uint32_t key) { return &((tag_info *)w->tags)[(key >> 9) % 1024]; }
static void tag_fault(warp *w, const ptx_instr *i, uint32_t mask, uint32_t plane, int write)
{
    const tag_info *t = tag_of(w, w->tag[plane]);
    if (t->tc5) {                               /* said once for all registers of the load */
        emu_tcgen05_used(w, i, mask, t->i, t->note, write);
        emu_untag(w, w->tag[plane] >> 9, NULL);
        return;
    }
    emu_report(w, i, mask, E_WGMMA_PENDING,
               "%s a register that is %s still in flight: wgmma.wait_group must come first", write ? "writes" : "reads",
               t->what);
    emu_report_also(w, t->i, "issued");
    tag_set(w, plane, 0);
}
static uint32_t planes_of(const ptx_opnd *o)
{
    uint32_t bits = o->kind == PO_REG && o->type != PT_PRED ? (uint32_t)ptx_type_bits(o->type) : 0;
    return bits > 32 ? bits / 32 : bits != 0;
}
static void check_tag_operand(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *o, int write)
{
    if (o->kind == PO_REG) {
        uint32_t p = w->base + o->reg, n = planes_of(o);
        for (uint32_t k = 0; k < n; k++) if (w->tag[p + k]) tag_fault(w, i, mask, p + k, write);
    } else if (o->kind == PO_MEM && o->type && w->tag[w->base + o->reg]) tag_fault(w, i, mask, w->base + o->reg, 0);
    for (int k = 0; o->elem && k < o->n; k++) check_tag_operand(w, i, mask, &o->elem[k], write);
}
/* Packing and unpacking: what a tcgen05.ld brings goes along as if moved (its values are here already, only the wait is
 * missing); what a wgmma will bring cannot */
static int tag_packed(warp *w, const ptx_instr *i)
{
    const ptx_opnd *d = &i->op[0], *s = &i->op[1];
    uint32_t key = 0;
    for (int k = 0; k < (s->kind == PO_VEC ? s->n : 1); k++) {
        const ptx_opnd *o = s->kind == PO_VEC ? &s->elem[k] : s;
        for (uint32_t p = 0; p < planes_of(o); p++)
            if (w->tag[w->base + o->reg + p]) key = w->tag[w->base + o->reg + p];
    }
    if (key && !tag_of(w, key)->tc5) return 0;
    for (int k = 0; k < (d->kind == PO_VEC ? d->n : 1); k++) {
        const ptx_opnd *o = d->kind == PO_VEC ? &d->elem[k] : d;
        for (uint32_t p = 0; p < planes_of(o); p++) tag_set(w, w->base + o->reg + p, key);
    }
    return 1;
}
/* before an instruction of a warp with registers on the way */
static void check_tags(warp *w, const ptx_instr *i, uint32_t mask)
{
    if (w->undef) undef_step(w, i, mask);
    if (!w->tag) return;
    if (i->flags & I_WGMMA) return;
    if (i->flags & I_MOVE && i->nop == 2) {
        const ptx_opnd *d = &i->op[0], *s = &i->op[1];
        if (d->type == PT_PRED && d->kind == PO_REG) return;
        if (d->kind == PO_REG && s->kind != PO_VEC) {
            uint32_t from = s->kind == PO_REG && s->type != PT_PRED;
            for (uint32_t p = 0; p < planes_of(d); p++)
                tag_set(w, w->base + d->reg + p, from ? w->tag[w->base + s->reg + p] : 0);
            return;
        }
        if (tag_packed(w, i)) return;
    }
    for (int k = 0; k < i->nop; k++) check_tag_operand(w, i, mask, &i->op[k], k == 0);
}
static void note_write(warp *w, const ptx_instr *i)
{
    const ptx_opnd *o = &i->op[0];
    w->seq++;
    if (i->flags & (I_WGMMA | I_CONTROL) || !i->nop) return;
    uint64_t at = w->seq << 24 | ((uint64_t)(i - w->cta->cl->L->mod->ptx->code) & 0xffffff);
    if (o->kind == PO_REG && o->type != PT_PRED) {
        uint64_t v = at;
        if (i->flags & I_MOVE)
            v = i->op[1].kind == PO_REG && i->op[1].type != PT_PRED ? w->wrote[w->base + i->op[1].reg] : 0;
        w->wrote[w->base + o->reg] = v;
    } else if (o->kind == PO_VEC && !(i->flags & I_MOVE))
        for (int k = 0; k < o->n; k++) if (o->elem[k].kind == PO_REG) w->wrote[w->base + o->elem[k].reg] = at;
}

/* ---- a warp ---- */

static uint32_t member_mask(warp *w, const ptx_instr *i, int lane)
{
    const ptx_opnd *o = &i->op[i->nop - 1];
    return R32(w, o)[lane];
}
/* May the group go on at its .sync instruction? Returns the lanes that may */
static uint32_t group_ready(warp *w, const ptx_instr *i, uint32_t mask)
{
    if (i->flags & I_ALIGNED) return mask == w->live ? mask : 0;
    if (!(i->flags & I_MEMBERS)) return mask;
    uint32_t rest = mask;
    if (i->guard >= 0) {
        uint32_t p = w->pred[w->pbase + (uint32_t)i->guard];
        rest &= i->guard_not ? ~p : p;
        if (!rest) return mask;
    }
    while (rest) {
        int l = __builtin_ctz(rest);
        uint32_t memb = member_mask(w, i, l), same = 0;
        EMU_EACH(k, rest) if (member_mask(w, i, (int)k) == memb) same |= 1u << k;
        if (!(memb & w->live & ~same)) return same;
        rest &= ~same;
    }
    return 0;
}

enum { W_QUANTUM, W_BLOCKED, W_YIELDED, W_DONE, W_ABORT };

static int convergence_fault(warp *w)
{
    /* bar.warp.sync may meet its like elsewhere in the code */
    const ptx_module *px = w->cta->cl->L->mod->ptx;
    uint32_t lanes = w->live & ~w->stalled;
    if (!lanes) return 0;
    int lead = __builtin_ctz(lanes);
    uint32_t at_bar = 0, memb = 0;
    EMU_EACH(l, lanes) {
        const ptx_instr *i = &px->code[w->pc[l]];
        if (i->flags & I_MEMBERS && !strcmp(i->mod[0], "bar")) {
            w->base = w->lane_base[l]; w->pbase = w->lane_pbase[l];
            memb = member_mask(w, i, (int)l);
            at_bar |= 1u << l;
        }
    }
    if (at_bar && !(memb & w->live & ~at_bar)) {
        vclk *r = vclk_release(w, at_bar);
        vclk_acquire(w, at_bar, r);
        vclk_drop(w->cta->cl, r);
        EMU_EACH(l, at_bar) w->pc[l]++;
        emu_event(w->cta->cl);
        return 0;
    }
    /* others wait for something: a deadlock, if it is one, is reported as such */
    if (w->stalled & w->live) return 0;
    /* the group that is furthest behind stands in the branch that the others did not take */
    EMU_EACH(l, lanes)
        if (w->lane_base[l] > w->lane_base[lead] || (w->lane_base[l] == w->lane_base[lead] && w->pc[l] < w->pc[lead]))
            lead = (int)l;
    const ptx_instr *i = &px->code[w->pc[lead]];
    uint32_t here = 0, there = 0;
    EMU_EACH(l, w->live) if (w->pc[l] == w->pc[lead]) here |= 1u << l; else there |= 1u << l;
    char place[256], text[160];
    const ptx_instr *j = there ? &px->code[w->pc[__builtin_ctz(there)]] : i;
    w->base = w->lane_base[lead]; w->pbase = w->lane_pbase[lead];
    if (i->flags & I_MEMBERS)
        emu_report(w, i, here, E_CONVERGENCE,
                   "`%s` waits for the lanes of its member mask 0x%08x, of which lanes 0x%08x stand elsewhere or are "
                   "switched off by their predicate", ptx_text(px, i, text, sizeof text), member_mask(w, i, lead),
                   member_mask(w, i, lead) & w->live & ~here);
    else
        emu_report(w, i, here, E_CONVERGENCE,
                   "`%s` must be executed by all lanes of the warp together; lanes 0x%08x are elsewhere",
                   ptx_text(px, i, text, sizeof text), there);
    if (there)
        emu_report_also(w, j, "the others stand at `%s`, %s", ptx_text(px, j, text, sizeof text),
                        emu_where(px, j, place, sizeof place));
    emu_abort(w->cta->cl->L, 719, "convergence fault");
    return 1;
}

static int warp_run(warp *w, int budget)
{
    cluster *cl = w->cta->cl;
    launch *L = cl->L;
    const ptx_instr *code = L->mod->ptx->code;
    /* The group that is furthest behind goes first, so that the lanes meet again; but it may be spinning: the others
     * begin after a failed poll, and in every eighth of the turns that end without the warp converged */
    int yielded = 0, rotated = w->reconverge_rr % 8 == 7;
    uint64_t events = cl->events;
    const int watch = cl->watch, note = L->stats || watch;
    if (w->stalled && cl->events > w->stalled_at) w->stalled = 0;
    for (;;) {
        uint32_t run = w->live & ~w->stalled;
        if (!w->live) return W_DONE;
        if (!run) return W_BLOCKED;
        /* the groups: choose one that may go on */
        uint32_t rest = run, mask = 0, stop = ~0u;
        int lead = __builtin_ctz(run);
        uint32_t pc = w->pc[lead], base = w->lane_base[lead];
        uint32_t same = 0;
        EMU_EACH(l, run) if (w->pc[l] == pc && w->lane_base[l] == base) same |= 1u << l;
        if (same == w->live) mask = same;                       /* converged: by far the most frequent */
        else {
            struct { uint32_t mask, pc, base; } g[32];
            int n = 0;
            while (rest) {
                int l = __builtin_ctz(rest);
                g[n].pc = w->pc[l]; g[n].base = w->lane_base[l]; g[n].mask = 0;
                EMU_EACH(k, rest) if (w->pc[k] == g[n].pc && w->lane_base[k] == g[n].base) g[n].mask |= 1u << k;
                rest &= ~g[n].mask;
                int k = n++;
                for (; k > 0 && (g[k].base > g[k - 1].base || (g[k].base == g[k - 1].base && g[k].pc < g[k - 1].pc));
                     k--) {
                    uint32_t a = g[k].mask, b = g[k].pc, c = g[k].base;
                    g[k] = g[k - 1]; g[k - 1].mask = a; g[k - 1].pc = b; g[k - 1].base = c;
                }
            }
            int first = rotated ? (int)(w->reconverge_rr / 8 % (uint32_t)n) : 0, found = -1;
            uint32_t ready = 0;
            for (int k = 0; k < 2 * n && found < 0; k++) {
                int j = (first + k) % n;
                /* what the other lanes still have to say comes first */
                if (k < n && code[g[j].pc].exec == exec_trap) continue;
                w->base = g[j].base; w->pbase = w->lane_pbase[__builtin_ctz(g[j].mask)];
                ready = group_ready(w, &code[g[j].pc], g[j].mask);
                if (ready) found = j;
            }
            if (found < 0) {
                if (convergence_fault(w)) return W_ABORT;
                if (cl->events > events) {
                    events = cl->events;
                    if (w->stalled && cl->events > w->stalled_at) w->stalled = 0;
                    continue;
                }
                return W_BLOCKED;
            }
            mask = ready;
            for (int k = 0; k < n; k++)
                if (g[k].base == g[found].base && g[k].pc > g[found].pc && g[k].pc < stop) stop = g[k].pc;
            if (mask != g[found].mask) stop = g[found].pc + 1;  /* part of a group: go one step */
            pc = g[found].pc;
            lead = __builtin_ctz(mask);
        }
        w->base = w->lane_base[lead];
        w->pbase = w->lane_pbase[lead];
        /* run it */
        for (;;) {
            const ptx_instr *i = &code[pc];
            uint32_t m = mask;
            int flags = i->flags, r;
            if (i->guard >= 0) {
                uint32_t p = w->pred[w->pbase + (uint32_t)i->guard];
                m &= i->guard_not ? ~p : p;
            }
            if (--budget < 0) {
                EMU_EACH(l, mask) w->pc[l] = pc;
                if (mask != w->live) w->reconverge_rr++;
                return W_QUANTUM;
            }
            w->steps++;
            if (__builtin_expect(note, 0)) {
                if (watch) spin_ran(w, pc);
                if (L->stats) {
                    stat_line *s = &L->stats[pc];
                    __atomic_fetch_add(&s->count, 1, __ATOMIC_RELAXED);
                    __atomic_fetch_add(&s->lanes, (uint64_t)__builtin_popcount(m), __ATOMIC_RELAXED);
                }
            }
            if (!m) { pc++; if (pc >= stop) { EMU_EACH(l, mask) w->pc[l] = pc; break; } continue; }
            if (flags) {
                if (flags & (I_ALIGNED | I_MEMBERS)) {
                    if (flags & I_ALIGNED && m != w->live) {
                        if (m != mask) {
                            emu_report(w, i, m, E_CONVERGENCE,
                                       "an .aligned instruction under a predicate that is true for lanes 0x%08x only",
                                       m);
                            emu_abort(L, 719, "convergence fault");
                            return W_ABORT;
                        }
                        EMU_EACH(l, mask) w->pc[l] = pc;
                        break;
                    }
                    if (flags & I_MEMBERS) {
                        uint32_t ready = group_ready(w, i, mask);
                        if ((ready & mask) != mask && ready != m) {      /* not all: let the chooser decide */
                            EMU_EACH(l, mask) w->pc[l] = pc;
                            if (m != mask) { EMU_EACH(l, mask & ~m) w->pc[l] = pc + 1; }
                            if (mask == w->live && !ready && !(w->stalled & w->live)) {
                                if (convergence_fault(w)) return W_ABORT;
                            } else if (mask == w->live && ready) { mask = ready; stop = pc + 1; m &= mask; goto go; }
                            break;
                        }
                    }
                }
            go:
                if (flags & I_REFRESH) emu_refresh(w, i);
                if (flags & I_CONTROL) {
                    if (cl->model) model_ran(w, i);
                    if (w->undef) undef_guard(w, i, mask);
                    cl->steps++;
                    if (i->exec == exec_bra) {
                        if (watch == 2 && i->f[0] <= pc) budget = 0;        /* a turn of a loop at a time */
                        if (m == mask) {
                            pc = i->f[0];
                            if (pc >= stop) { EMU_EACH(l, mask) w->pc[l] = pc; break; }
                            if (budget > 0 || pc > (uint32_t)(i - code)) continue;
                        }
                        EMU_EACH(l, mask & ~m) w->pc[l] = (uint32_t)(i - code) + 1;
                        EMU_EACH(l, m) w->pc[l] = i->f[0];
                        break;
                    }
                    EMU_EACH(l, mask & ~m) w->pc[l] = pc + 1;
                    EMU_EACH(l, m) w->pc[l] = pc;
                    if (i->exec(w, i, m) == X_ABORT) return W_ABORT;
                    break;
                }
            }
            if (w->ntagged) check_tags(w, i, m);
            r = i->exec(w, i, m);
            if (__builtin_expect(cl->model != NULL, 0) && r == X_NEXT) model_ran(w, i);
            cl->steps++;
            if (w->wrote) note_write(w, i);
            if (__builtin_expect(r == X_NEXT, 1)) {
                pc++;
                if (pc >= stop) { EMU_EACH(l, mask) w->pc[l] = pc; break; }
                continue;
            }
            if (r == X_ABORT) return W_ABORT;
            if (r == X_WAIT) {
                EMU_EACH(l, mask) w->pc[l] = m >> l & 1 ? pc : pc + 1;
                w->stalled |= m;
                w->stalled_at = cl->events;
                break;
            }
            if (r == X_YIELD) {
                EMU_EACH(l, mask) w->pc[l] = pc + 1;
                w->reconverge_rr += 8;
                yielded = rotated = 1;
                if (mask == w->live) return W_YIELDED;
                if (budget > 40) budget = 40;                    /* let the other groups have a short go */
                break;
            }
            EMU_EACH(l, mask) w->pc[l] = pc + 1;
            break;
        }
        if (L->failed) return W_ABORT;
        if (yielded && budget <= 0) return W_YIELDED;
    }
}

/* ---- asynchronous operations in the cluster's queue ---- */

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
static void queue_abandon(cta *c, warp *w, const ptx_instr *i)
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
static void bulk_exit(warp *w, const ptx_instr *i, uint32_t mask)
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
static cluster *cluster_begin(launch *L, uint32_t index)
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
static void cluster_end(cluster *cl)
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
    if (group_ready(w, i, same)) return 0;
    return (i->flags & I_ALIGNED ? w->live : member_mask(w, i, l) & w->live) & ~same;
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
static void deadlock(cluster *cl, const char *why)
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

enum { C_DONE, C_SLICE, C_IDLE, C_ABORT };
/* Runs the cluster until it has finished, used up the slice, or can only wait for other clusters */
static int cluster_run(cluster *cl, int64_t slice)
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
            deadlock(cl, "no thread of the cluster can go on, and nothing is in flight that could wake one");
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

/* ---- a launch ---- */

struct worker_pool {
    launch *L; uint32_t nclusters; _Atomic uint32_t next; uint32_t resident;
    _Atomic uint64_t progress;
    _Atomic uint32_t active;            /* clusters that have begun and not ended */
    /* of them those that repeat themselves with memory as it is (lower half), and the progress that it had then (upper
     * half): what a cluster was found to do before memory changed says nothing of what it does since */
    _Atomic uint64_t stuck;
    /* progress but for writes; clusters that have made none for long */
    _Atomic uint64_t busy; _Atomic uint32_t quiet; uint32_t workers;
};
/* clusterlaunchcontrol: takes the next cluster that has not begun off the grid. 1, and the coordinates of its first
 * CTA; 0: all have begun */
int emu_take_cluster(launch *L, emu_dim3 *first)
{
    struct worker_pool *p = L->pool;
    uint32_t k = atomic_load(&p->next);
    do if (k >= p->nclusters) return 0; while (!atomic_compare_exchange_weak(&p->next, &k, k + 1));
    const uint32_t nx = L->grid.x / L->clusterdim.x, ny = L->grid.y / L->clusterdim.y;
    *first = (emu_dim3){k % nx * L->clusterdim.x, k / nx % ny * L->clusterdim.y, k / (nx * ny) * L->clusterdim.z};
    atomic_fetch_add(&p->progress, 1);
    atomic_fetch_add(&p->busy, 1);
    return 1;
}
enum { SLICE = 500000, SHORT_SLICE = 1000, WATCHED = 300 /* both a warp */ };
static void set_quiet(struct worker_pool *p, cluster *cl, int quiet)
{
    if (cl->quiet != quiet) atomic_fetch_add(&p->quiet, quiet ? 1u : -1u);
    cl->quiet = quiet;
}
/* Do all clusters do nothing but write memory, for long, and can no other begin? */
static int all_quiet(struct worker_pool *p)
{
    return p->quiet == p->active && (p->next >= p->nclusters || p->active >= p->resident * p->workers);
}
/* A cluster that comes back to a state it has been in, while no memory has changed, will do so for ever. */
static uint64_t state_hash(const cluster *cl)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (uint32_t r = 0; r < cl->ncta; r++)
        for (int k = 0; k < cl->cta[r].nwarp; k++) {
            const warp *w = &cl->cta[r].warp[k];
            if (!w->live) continue;
            EMU_EACH(l, w->live) h = (h ^ w->pc[l] ^ (uint64_t)w->lane_base[l] << 32) * 0x100000001b3ull;
            const uint64_t *v = (const uint64_t *)(const void *)w->reg;
            for (size_t n = (size_t)w->nreg_alloc * 16, x = 0; x < n; x++)
                h = (h ^ v[x]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
            for (uint32_t x = 0; x < w->npred_alloc; x++) h = (h ^ w->pred[x]) * 0x100000001b3ull;
        }
    return h ? h : 1;
}
static void count_stuck(struct worker_pool *p, uint64_t now)
{
    uint64_t old = atomic_load(&p->stuck), with;
    do {
        const int newer = (int32_t)((uint32_t)now - (uint32_t)(old >> 32)) > 0;
        if (!newer && (uint32_t)now != (uint32_t)(old >> 32)) return;
        with = newer ? now << 32 | 1 : old + 1;
    } while (!atomic_compare_exchange_weak(&p->stuck, &old, with));
}
/* now: the progress before the cluster's last slice. */
static int repeats(struct worker_pool *p, cluster *cl, uint64_t now)
{
    enum { KEPT = sizeof cl->seen / sizeof *cl->seen };
    if (cl->seen_at != now) {                   /* memory has changed since */
        memset(cl->seen, 0, sizeof cl->seen);
        cl->seen_at = now;
        cl->nseen = 0;
        cl->stuck = 0;
    }
    uint64_t h = state_hash(cl);
    for (int k = 0; k < KEPT; k++)
        if (cl->seen[k] == h) {
            if (!cl->stuck) { cl->stuck = 1; count_stuck(p, now); }
            return 1;
        }
    cl->seen[cl->nseen++ % KEPT] = h;
    return 0;
}
/* Does every cluster repeat itself with memory as it has been since progress `now`? Whoever ends counts as progress
 * before it is no longer active. */
static int all_stuck(struct worker_pool *p, uint64_t now)
{
    return atomic_load(&p->stuck) == (now << 32 | atomic_load(&p->active)) && atomic_load(&p->progress) == now;
}
static void *worker(void *arg)
{
    struct worker_pool *p = arg;
    launch *L = p->L;
    cluster *head = NULL, *tail = NULL;
    uint32_t active = 0;
    int idle = 0;
    for (;;) {
        cluster *cl = NULL;
        int start = !head || (idle && active < p->resident);
        if (start) {
            /* counted before it is taken: else the others, who may wait for it, would seem to be all there are */
            atomic_fetch_add(&p->active, 1);
            uint32_t k = atomic_fetch_add(&p->next, 1);
            if (k < p->nclusters) {
                cl = cluster_begin(L, k);
                active++;
                atomic_fetch_add(&p->busy, 1);
            } else atomic_fetch_sub(&p->active, 1);
        }
        if (!cl) {
            if (!head) break;
            cl = head;
            head = cl->next;
            if (!head) tail = NULL;
        }
        uint64_t steps = cl->steps, progress = emu_progress, busy = emu_progress - emu_writes;
        const uint64_t now = atomic_load(&p->progress);
        if (cl->quiet) spin_before(cl, all_quiet(p)); else cl->watch = 0;
        uint32_t nw = cl->ncta * L->nwarp;
        int r = cluster_run(cl, cl->watch ? WATCHED * nw : p->quiet ? SHORT_SLICE * nw : SLICE);
        atomic_fetch_add(&all_steps, cl->steps - steps);
        if (emu_progress != progress) atomic_fetch_add(&p->progress, 1);
        if (emu_progress - emu_writes != busy) {
            atomic_fetch_add(&p->busy, 1);
            cl->quiet_steps = 0;
            set_quiet(p, cl, 0);
        } else if ((cl->quiet_steps += cl->steps - steps) >= 2 * SLICE
                 || (p->quiet && cl->quiet_steps >= SHORT_SLICE * nw))
            set_quiet(p, cl, 1);
        if (r == C_DONE || r == C_ABORT || L->failed) {
            set_quiet(p, cl, 0);
            cluster_end(cl);
            active--;
            idle = 0;
            atomic_fetch_add(&p->progress, 1);
            atomic_fetch_add(&p->busy, 1);
            atomic_fetch_sub(&p->active, 1);
            if (L->failed) { while (head) { cl = head; head = cl->next; cluster_end(cl); } break; }
            continue;
        }
        cl->next = NULL;
        if (tail) tail->next = cl; else head = cl;
        tail = cl;
        int alone = cl->quiet && all_quiet(p);
        if (cl->quiet && spin_after(cl, p->busy, p->active, alone))
            deadlock(cl,
                     "no cluster of the grid makes progress: its threads go round in loops, whose end depends on "
                     "memory that nobody writes, though they write other memory");
        else if (spin_time(cl, alone, p->workers)) deadlock(cl, "the kernel has run longer than --timeout allows");
        idle = r == C_IDLE || cl->quiet;
        if (r != C_IDLE) { cl->idle_slices = 0; cl->idle_steps = 0; continue; }
        if (!idle || cl->idle_at != now) { cl->idle_at = now; cl->idle_slices = 0; cl->idle_steps = 0; }
        if (!idle) continue;
        cl->idle_slices++;
        cl->idle_steps += cl->steps - steps;
        int more = p->next < p->nclusters && active < p->resident;
        if (repeats(p, cl, now) && !more && all_stuck(p, now) && cl->idle_slices > 4)
            deadlock(cl, "no cluster of the grid makes progress: threads wait for memory that nobody writes");
        else if (!more && cl->idle_steps > emu_opt.hang)
            deadlock(cl, "no memory has changed for long (see --hang): the grid seems to hang");
    }
    return NULL;
}

static int reaches(const emu_module *m, const ptx_func *f, const char *word, int depth)
{
    for (uint32_t k = f->begin; k < f->end; k++) if (!strcmp(m->ptx->code[k].mod[0], word)) return 1;
    if (depth < 8)
        for (int k = 0; k < f->ncallee; k++)
            if (f->callee[k]->has_body && reaches(m, f->callee[k], word, depth + 1)) return 1;
    return 0;
}
static void collect_shared(emu_kernel *k, const ptx_func *f, int depth, uint32_t *top)
{
    for (int s = 0; s < f->nshared; s++) {
        ptx_sym *v = f->shared[s];
        if (v->is_extern || k->shared_off[v->id] != ~0u) continue;
        uint32_t a = v->align ? v->align : 1;
        *top = (*top + a - 1) / a * a;
        k->shared_off[v->id] = *top;
        *top += (uint32_t)v->size;
    }
    if (depth < 16) for (int c = 0; c < f->ncallee; c++) collect_shared(k, f->callee[c], depth + 1, top);
    if (f->calls_indirect && depth == 0)
        for (int c = 0; c < k->mod->ptx->nfunc; c++)
            if (!k->mod->ptx->func[c]->is_entry) collect_shared(k, k->mod->ptx->func[c], 1, top);
}
emu_module *emu_module_load(const char *text, size_t n, const char *from, char *err, size_t err_size)
{
    ptx_module *px = ptx_parse(text, n, err, err_size);
    if (!px) return NULL;
    emu_module *m = calloc(1, sizeof *m);
    m->ptx = px; m->dev = emu_opt.device; m->file = strdup(from ? from : "");
    for (int k = 0; k < px->nglobal; k++) {
        ptx_sym *s = px->global[k];
        if (s->is_extern) {
            snprintf(err, err_size, "variable '%s' is .extern: it is defined in no module", s->name);
            return NULL;
        }
        s->addr = emu_alloc(s->size ? s->size : 1, s->name);
        if (s->init) memcpy(s->addr, s->init, s->size); else memset(s->addr, 0, s->size);
        emu_global_mark((uint64_t)(uintptr_t)s->addr, s->size, 1);
        if (s->space == SP_CONST) alloc_at((uint64_t)(uintptr_t)s->addr)->readonly = 1;
        if (s->space == SP_CONST) alloc_at((uint64_t)(uintptr_t)s->addr)->readonly = 2;
    }
    for (int k = 0; k < px->nglobal; k++)
        for (int r = 0; r < px->global[k]->nreloc; r++) {
            struct ptx_reloc *rel = &px->global[k]->reloc[r];
            uint64_t v = (rel->sym->space == SP_FUNC ? (uint64_t)(uintptr_t)rel->sym
                          : (uint64_t)(uintptr_t)rel->sym->addr) + (uint64_t)rel->add;
            memcpy((uint8_t *)px->global[k]->addr + rel->at, &v, 8);
        }
    for (int k = 0; k < px->nfunc; k++) m->nkernel += px->func[k]->is_entry && px->func[k]->has_body;
    m->kernel = calloc((size_t)m->nkernel + 1, sizeof *m->kernel);
    int n_k = 0;
    for (int k = 0; k < px->nfunc; k++) {
        ptx_func *f = px->func[k];
        if (!f->is_entry || !f->has_body) continue;
        emu_kernel *e = &m->kernel[n_k++];
        *e = (emu_kernel){.mod = m, .fn = f, .max_dyn_smem = -1};
        e->shared_off = malloc(((size_t)px->nshared + 1) * sizeof *e->shared_off);
        for (int s = 0; s < px->nshared; s++) e->shared_off[s] = ~0u;
        uint32_t top = (uint32_t)m->dev->smem_reserved, reserved = top;
        collect_shared(e, f, 0, &top);
        e->static_smem = top - reserved;
        uint32_t align = 16;
        for (int s = 0; s < px->nshared; s++)
            if (px->shared[s]->is_extern && px->shared[s]->align > align) align = px->shared[s]->align;
        e->dyn_off = (top + align - 1) / align * align;
        for (int s = 0; s < px->nshared; s++) if (px->shared[s]->is_extern) e->shared_off[s] = e->dyn_off;
        e->uses_wgmma = reaches(m, f, "wgmma", 0);
        e->uses_bulk = reaches(m, f, "cp", 0);
    }
    return m;
}
void emu_module_unload(emu_module *m)
{
    for (int k = 0; k < m->ptx->nglobal; k++) emu_free(m->ptx->global[k]->addr);
    /* code and planes stay: reports and statistics may still name them */
}
emu_kernel *emu_module_kernel(emu_module *m, const char *name)
{
    for (int k = 0; k < m->nkernel; k++) if (!strcmp(m->kernel[k].fn->name, name)) return &m->kernel[k];
    return NULL;
}
void *emu_module_global(emu_module *m, const char *name, size_t *size)
{
    for (int k = 0; k < m->ptx->nglobal; k++)
        if (!strcmp(m->ptx->global[k]->name, name)) {
            if (size) *size = m->ptx->global[k]->size;
            return m->ptx->global[k]->addr;
        }
    return NULL;
}
int emu_kernel_regs(const emu_kernel *k)
{
    const ptx_func *f = k->fn;
    if (f->maxnreg) return (int)f->maxnreg;
    uint32_t t = f->reqntid[0] ? f->reqntid[0] * f->reqntid[1] * f->reqntid[2]
               : f->maxntid[0] ? f->maxntid[0] * f->maxntid[1] * f->maxntid[2]
               : 0;
    uint32_t blocks = f->minnctapersm ? f->minnctapersm : 1;
    if (t && f->minnctapersm) {
        uint32_t r = (uint32_t)k->mod->dev->regs_per_sm / (t * blocks) / 8 * 8;
        return (int)(r > 255 ? 255 : r);
    }
    uint32_t r = t && t <= 512 ? 128 : 64;     /* PTX does not say what ptxas would allocate: a usual number */
    uint32_t own = ((f->named ? f->named : f->nslot) + 16) / 8 * 8;
    return (int)(own < r ? own : r);             /* never more than lets a block of the permitted size be resident */
}
int emu_blocks_per_sm(const emu_kernel *k, int threads, size_t dyn)
{
    const emu_device *d = k->mod->dev;
    if (threads <= 0 || threads > 1024) return 0;
    int warps = (threads + 31) / 32, by_threads = d->threads_per_sm / (warps * 32),
        by_regs = d->regs_per_sm / (emu_kernel_regs(k) * warps * 32);
    size_t smem = (k->dyn_off + dyn + 127) / 128 * 128;
    int by_smem = (int)((size_t)d->smem_per_sm / (smem ? smem : 1));
    int n = by_threads;
    if (by_regs < n) n = by_regs;
    if (by_smem < n) n = by_smem;
    if (d->blocks_per_sm < n) n = d->blocks_per_sm;
    if (k->static_smem + dyn > (size_t)d->smem_optin) n = 0;
    return n;
}

static int refuse(char *why, size_t n, int code, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static int refuse(char *why, size_t n, int code, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, n, fmt, ap);
    va_end(ap);
    return code;
}
int emu_launch(emu_kernel *k, const emu_launch_config *c, void **args, const void *packed, size_t packed_size,
               char *why, size_t n)
{
    const emu_device *d = k->mod->dev;
    ptx_func *f = k->fn;
    emu_dim3 g = c->grid, b = c->block, cd = c->cluster;
    uint64_t threads = (uint64_t)b.x * b.y * b.z;
    why[0] = 0;
    if (!g.x || !g.y || !g.z || !b.x || !b.y || !b.z)
        return refuse(why, n, 9, "grid (%u,%u,%u) block (%u,%u,%u): every dimension must be at least 1", g.x, g.y, g.z,
                      b.x, b.y, b.z);
    if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads > 1024)
        return refuse(why, n, 9, "block (%u,%u,%u) has %llu threads; the limits are 1024 threads and (1024,1024,64)",
                      b.x, b.y, b.z, (unsigned long long)threads);
    if (g.x > 2147483647u || g.y > 65535 || g.z > 65535)
        return refuse(why, n, 9, "grid (%u,%u,%u): the limits are (2147483647,65535,65535)", g.x, g.y, g.z);
    if (f->reqntid[0] && (b.x != f->reqntid[0] || b.y != f->reqntid[1] || b.z != f->reqntid[2]))
        return refuse(why, n, 1, "block (%u,%u,%u), but the kernel requires (%u,%u,%u)", b.x, b.y, b.z, f->reqntid[0],
                      f->reqntid[1], f->reqntid[2]);
    if (f->maxntid[0] && threads > (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2])
        return refuse(why, n, 701,
                      "%llu threads in a block, but the kernel was compiled for at most %u (__launch_bounds__)",
                      (unsigned long long)threads, f->maxntid[0] * f->maxntid[1] * f->maxntid[2]);
    if (f->cluster[0]) {
        if (cd.x && (cd.x != f->cluster[0] || cd.y != f->cluster[1] || cd.z != f->cluster[2]))
            return refuse(why, n, 1, "cluster (%u,%u,%u) at the launch, (%u,%u,%u) in the kernel's __cluster_dims__",
                          cd.x, cd.y, cd.z, f->cluster[0], f->cluster[1], f->cluster[2]);
        cd = (emu_dim3){f->cluster[0], f->cluster[1], f->cluster[2]};
    }
    if (!cd.x) cd = (emu_dim3){1, 1, 1};
    uint32_t cs = cd.x * cd.y * cd.z;
    if (cs > 1 && !d->max_cluster) return refuse(why, n, 912, "clusters need sm_90; this device is %s", d->option);
    if (cs > 1 && (g.x % cd.x || g.y % cd.y || g.z % cd.z))
        return refuse(why, n, 912, "grid (%u,%u,%u) is not a multiple of the cluster (%u,%u,%u)", g.x, g.y, g.z, cd.x,
                      cd.y, cd.z);
    const int any_cluster = c->cluster_mode ? c->cluster_mode == 2 : k->cluster_nonportable;
    const int smem_mode = c->smem_mode ? c->smem_mode : k->smem_mode;
    if (cs > (uint32_t)(any_cluster ? d->max_cluster : 8))
        return refuse(why, n, 912,
                      "a cluster of %u CTAs; the limit is 8 (%d with cudaFuncAttributeNonPortableClusterSizeAllowed)",
                      cs, d->max_cluster);
    uint64_t smem = (uint64_t)k->static_smem + c->dyn_smem;
    if (smem > (uint64_t)d->smem_optin)
        return refuse(why, n, 1, "%llu bytes of shared memory; a block of %s has at most %d", (unsigned long long)smem,
                      d->option, d->smem_optin);
    if (smem > (uint64_t)emu_smem_plain(d) && smem_mode < 3)
        return refuse(why, n, 1,
                      "%llu bytes of shared memory: more than %d needs "
                      "cudaFuncSetAttribute(cudaFuncAttributeSharedMemoryMode, "
                      "cudaSharedMemoryModeAllowOversizedSharedMemory)", (unsigned long long)smem, emu_smem_plain(d));
    if (smem_mode == 1 && smem > (uint64_t)d->smem_per_block)
        return refuse(why, n, 1, "%llu bytes of shared memory; the launch asks for a portable size, at most %d",
                      (unsigned long long)smem, d->smem_per_block);
    if (smem_mode < 2 && smem > (uint64_t)d->smem_per_block
        && c->dyn_smem > (k->max_dyn_smem < 0 ? 0 : k->max_dyn_smem))
        return refuse(why, n, 1,
                      "%llu bytes of shared memory (%u static + %u dynamic): more than %d needs "
                      "cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize)", (unsigned long long)smem,
                      k->static_smem, c->dyn_smem, d->smem_per_block);
    if (c->cooperative) {
        uint64_t room = (uint64_t)emu_blocks_per_sm(k, (int)threads, c->dyn_smem) * (uint64_t)d->sms,
                 blocks = (uint64_t)g.x * g.y * g.z;
        if (blocks > room)
            return refuse(why, n, 720, "a cooperative launch of %llu blocks; %llu fit on the device at one time",
                          (unsigned long long)blocks, (unsigned long long)room);
    }
    if (k->uses_wgmma && k->mod->ptx->debug)
        return refuse(why, n, 801,
                      "compiled with -G: ptxas then serialises wgmma, which tcemu does not imitate: the PTX reads "
                      "accumulators where a wait is missing. Compile with -lineinfo in place of -G");
    if (emu_decode_reachable(k->mod, f, why, n)) return 218;
    launch L = {.dev = d, .k = k, .mod = k->mod, .grid = g, .block = b, .clusterdim = cd, .cluster_size = cs,
                .dyn_smem = c->dyn_smem, .nthread = (uint32_t)threads, .nwarp = (uint32_t)(threads + 31) / 32,
                .seed = emu_opt.seed, .schedule = emu_opt.schedules};
    L.gridid = atomic_fetch_add(&next_grid, 1);
    L.clock_base = all_steps * 2;
    size_t bytes = f->param_bytes + 64;
    L.param = emu_param_block(bytes);
    memset(L.param, 0, bytes);
    if (args) for (int p = 0; p < f->nparam; p++) memcpy(L.param + f->param[p]->offset, args[p], f->param[p]->size);
    else if (packed) memcpy(L.param, packed, packed_size < bytes ? packed_size : bytes);
    if (emu_opt.model) model_begin(&L);
    if (emu_opt.stats) L.stats = calloc(k->mod->ptx->ncode, sizeof *L.stats);
    if (c->cooperative) {
        L.grid_workspace = emu_alloc(64, "the workspace of the cooperative launch");
        memset(L.grid_workspace, 0, 64);
        emu_global_mark((uint64_t)(uintptr_t)L.grid_workspace, 64, 1);
    }
    early_launch_begin(&L, c->pdl);
    L.spin = spin_new(&L);
    struct worker_pool p = {.L = &L, .nclusters = (uint32_t)((uint64_t)g.x * g.y * g.z / cs)};
    L.pool = &p;
    int nt = emu_opt.threads > 0 ? emu_opt.threads : (int)sysconf(_SC_NPROCESSORS_ONLN);
    if (nt < 1) nt = 1;
    if (nt > 64) nt = 64;
    if ((uint32_t)nt > p.nclusters) nt = (int)p.nclusters;
    int per_sm = emu_blocks_per_sm(k, (int)threads, c->dyn_smem);
    uint32_t fit = (uint32_t)(per_sm > 0 ? per_sm : 1) * (uint32_t)d->sms / cs;
    p.resident = (fit + (uint32_t)nt - 1) / (uint32_t)nt;
    if (!p.resident) p.resident = 1;
    p.workers = (uint32_t)nt;
    pthread_t t[64];
    for (int x = 1; x < nt; x++) pthread_create(&t[x], NULL, worker, &p);
    worker(&p);
    for (int x = 1; x < nt; x++) pthread_join(t[x], NULL);
    fflush(stdout);
    early_launch_end(&L);
    emu_report_launch_end(&L);
    model_end(&L);
    emu_param_free(L.param);
    spin_free(L.spin);
    if (L.grid_workspace) emu_free(L.grid_workspace);
    free(L.stats);
    if (L.cuda_error && !why[0]) snprintf(why, n, "%s", L.error[0] ? L.error : "the kernel made errors");
    return L.cuda_error;
}
