/* exec.c - a warp: its lanes with a program counter each, control flow, calls and exits, registers on the way.
 *
 * A warp executes the group of its lanes that stand at one instruction; the groups of a diverged warp take turns, the
 * one that is furthest behind first (deepest call, lowest address), so that they meet again, and the others when it
 * spins. An instruction that must wait leaves its lanes where they are; they try again after the next event. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "exec.h"
#include "model.h"

/* ---- calls ---- */

static const ptx_func *current(const warp *w, int lane)
{
    return w->frame[lane] ? w->frame[lane]->fn : w->cta->cl->L->k->fn;
}
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

uint32_t warp_members(warp *w, const ptx_instr *i, int lane)
{
    const ptx_opnd *o = &i->op[i->nop - 1];
    return R32(w, o)[lane];
}
uint32_t warp_ready(warp *w, const ptx_instr *i, uint32_t mask)
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
        uint32_t memb = warp_members(w, i, l), same = 0;
        EMU_EACH(k, rest) if (warp_members(w, i, (int)k) == memb) same |= 1u << k;
        if (!(memb & w->live & ~same)) return same;
        rest &= ~same;
    }
    return 0;
}

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
            memb = warp_members(w, i, (int)l);
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
                   "switched off by their predicate", ptx_text(px, i, text, sizeof text), warp_members(w, i, lead),
                   warp_members(w, i, lead) & w->live & ~here);
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

int warp_run(warp *w, int budget)
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
                ready = warp_ready(w, &code[g[j].pc], g[j].mask);
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
                        uint32_t ready = warp_ready(w, i, mask);
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
