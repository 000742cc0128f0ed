/* slots.c - a place in the register file for each virtual register. PTX names a new one for almost every value,
 * thousands in an unrolled kernel; registers that are never alive together share a slot, so that a warp's registers
 * stay in the processor's caches.
 *
 * Alive is judged with care rather than sharply: from the first to the last instruction, in the order of the text,
 * where a value may be needed. Registers that asynchronous instructions fill or read (wgmma, tcgen05.ld) keep a slot
 * of their own, and so do those that are copied from or to them: what is on its way to a slot must not find another
 * register there.
 *
 * Why that is right for lanes that go different ways: each lane follows one path through the blocks, writes to its own
 * part of a slot alone, and what it still needs is alive wherever on that path it stands. So it does not matter which
 * other register the slot is for lanes elsewhere, as long as their part of it is another one. A register of up to 32
 * bits and one of 64 differ in that: lane 3 of the first is word 3 of its plane, and in the second word 3 belongs to
 * lane 1. So these two kinds never share: free slots of either kind go to their own kind only, and names of both kinds
 * that the parser gave one number (in asm blocks beside each other) are told apart here. 64 and 128 bits agree: each
 * half of 128 bits is laid out as 64 bits are. */
#include <stdlib.h>
#include <string.h>
#include "core.h"

enum { FEW = 256 };                     /* as many fit without */

/* of a virtual register, which is a number and a layout (key_of); next: in a list; block: the first that names it;
 * bit: in the sets of the blocks, for those that may be alive where a block begins or ends (far). Most are not: written
 * and read in one block. */
typedef struct { uint32_t from, to, next, block, bit; uint8_t width, own, seen, far; } life;
typedef struct { uint32_t begin, end, succ[2]; int nsucc; const ptx_sym *table; uint64_t *use, *def, *in, *out; } block;
typedef struct { ptx_module *m; ptx_func *f; life *v; block *b; uint32_t nv, nb, words, *block_of, *far; } work;

static uint8_t width_of(const ptx_opnd *o)
{
    int bits = ptx_type_bits((ptx_type)o->type);
    return (uint8_t)(bits <= 32 ? 1 : bits / 32);
}
static uint32_t key_of(const ptx_opnd *o) { return 2 * o->reg + (width_of(o) > 1); }
static int is_value(const ptx_opnd *o)
{
    return (o->kind == PO_REG && o->type != PT_PRED) || (o->kind == PO_MEM && o->type != PT_NONE && !o->sym);
}

/* Instructions that write all of their first operand and do not read it */
static int defines(const ptx_instr *i)
{
    static const char *const words[] = {
        "mov", "add", "sub", "mul", "mad", "fma", "neg", "abs", "min", "max", "and", "or", "xor", "not",
        "cnot", "lop3", "shl", "shr", "shf", "prmt", "selp", "slct", "set", "cvt", "cvta", "ex2", "lg2",
        "rcp", "sqrt", "rsqrt", "sin", "cos", "tanh", "div", "rem", "popc", "clz", "bfe", "bfi", "bfind",
        "brev", "mul24", "mad24", "sad", "dp4a", "dp2a", "mapa", "ld", "ldu", "ldmatrix", "shfl", "atom",
        "mma", "movmatrix", "copysign", "redux", "activemask", 0};
    if (i->guard >= 0 || !i->nop) return 0;
    for (const char *const *w = words; *w; w++) if (!strcmp(*w, i->mod[0])) return 1;
    return 0;
}
static int asynchronous(const ptx_instr *i) { return !strcmp(i->mod[0], "wgmma") || !strcmp(i->mod[0], "tcgen05"); }

typedef void (*visitor)(work *k, const ptx_opnd *o, uint32_t pc, int first);
static void visit(work *k, const ptx_opnd *o, uint32_t pc, int first, visitor f)
{
    if (is_value(o)) f(k, o, pc, first && o->kind == PO_REG);
    for (int e = 0; o->elem && e < o->n; e++) visit(k, &o->elem[e], pc, first, f);
}
/* An operand counts as read before the instruction writes: so the sources first */
static void visit_all(work *k, uint32_t pc, visitor f)
{
    const ptx_instr *i = &k->m->code[pc];
    for (int n = i->nop - 1; n >= 0; n--) visit(k, &i->op[n], pc, n == 0, f);
}
static void note(work *k, const ptx_opnd *o, uint32_t pc, int first)
{
    life *v = &k->v[key_of(o)];
    uint32_t at = k->block_of[pc - k->f->begin];
    if (!v->seen) {
        *v = (life){.seen = 1, .from = pc, .to = pc, .width = width_of(o), .block = at};
        v->far = !(first && defines(&k->m->code[pc]));          /* read before it is written */
    }
    if (at != v->block) v->far = 1;
    if (width_of(o) > v->width) v->width = width_of(o);
    if (pc > v->to) v->to = pc;
    if (asynchronous(&k->m->code[pc])) v->own = 1;
}
static void use_or_def(work *k, const ptx_opnd *o, uint32_t pc, int first)
{
    block *b = &k->b[k->block_of[pc - k->f->begin]];
    const life *v = &k->v[key_of(o)];
    uint64_t bit = 1ull << v->bit % 64;
    uint32_t w = v->bit / 64;
    if (!v->far) return;
    if (first && defines(&k->m->code[pc])) { if (!(b->use[w] & bit)) b->def[w] |= bit; }
    else if (!(b->def[w] & bit)) b->use[w] |= bit;
}
static void extend(work *k, const uint64_t *set, uint32_t pc)
{
    for (uint32_t w = 0; w < k->words; w++)
        for (uint64_t s = set[w]; s; s &= s - 1) {
            life *v = &k->v[k->far[w * 64 + (uint32_t)__builtin_ctzll(s)]];
            if (pc < v->from) v->from = pc;
            if (pc > v->to) v->to = pc;
        }
}

static int leaves(const ptx_instr *i)
{
    const char *w = i->mod[0];
    return !strcmp(w, "bra") || !strcmp(w, "brx") || !strcmp(w, "ret") || !strcmp(w, "exit");
}
static void make_blocks(work *k)
{
    const ptx_func *f = k->f;
    const ptx_instr *code = k->m->code;
    uint32_t n = f->end - f->begin;
    uint8_t *leads = calloc(n + 1, 1);
    leads[0] = 1;
    for (uint32_t p = f->begin; p < f->end; p++) {
        const ptx_instr *i = &code[p];
        const char *w = i->mod[0];
        if (!strcmp(w, "bra") && i->op[0].sym) leads[i->op[0].sym->target - f->begin] = 1;
        if (!strcmp(w, "brx") && i->op[1].sym)
            for (int t = 0; t < i->op[1].sym->ntargets; t++) leads[i->op[1].sym->targets[t]->target - f->begin] = 1;
        if (leaves(i)) leads[p + 1 - f->begin] = 1;
    }
    k->block_of = malloc(n * sizeof *k->block_of);
    for (uint32_t p = 0; p < n; p++) k->nb += leads[p];
    k->b = calloc(k->nb, sizeof *k->b);
    uint32_t at = 0;
    for (uint32_t p = 0; p < n; p++) {
        if (leads[p]) { if (p) k->b[at++].end = f->begin + p; k->b[at].begin = f->begin + p; }
        k->block_of[p] = at;
    }
    k->b[at].end = f->end;
    for (uint32_t x = 0; x < k->nb; x++) {
        block *b = &k->b[x];
        const ptx_instr *last = &code[b->end - 1];
        const char *w = last->mod[0];
        int bra = !strcmp(w, "bra"), brx = !strcmp(w, "brx"), gone = leaves(last);
        if (bra && last->op[0].sym) b->succ[b->nsucc++] = k->block_of[last->op[0].sym->target - f->begin];
        if (brx) b->table = last->op[1].sym;
        if ((!gone || last->guard >= 0) && x + 1 < k->nb) b->succ[b->nsucc++] = x + 1;
    }
    free(leads);
}
static void make_sets(work *k)
{
    uint32_t n = 0;
    k->far = malloc((k->nv + 1) * sizeof *k->far);
    for (uint32_t v = 0; v < k->nv; v++) if (k->v[v].far) { k->v[v].bit = n; k->far[n++] = v; }
    k->words = n / 64 + 1;
    for (uint32_t x = 0; x < k->nb; x++) {
        block *b = &k->b[x];
        b->use = calloc(4 * (size_t)k->words, sizeof *b->use);
        b->def = b->use + k->words; b->in = b->def + k->words; b->out = b->in + k->words;
    }
    for (uint32_t p = k->f->begin; p < k->f->end; p++) visit_all(k, p, use_or_def);
}
static void flow(work *k)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t x = k->nb; x-- > 0;) {
            block *b = &k->b[x];
            for (int s = 0; s < b->nsucc; s++)
                for (uint32_t w = 0; w < k->words; w++) b->out[w] |= k->b[b->succ[s]].in[w];
            if (b->table)
                for (int t = 0; t < b->table->ntargets; t++) {
                    const block *to = &k->b[k->block_of[b->table->targets[t]->target - k->f->begin]];
                    for (uint32_t w = 0; w < k->words; w++) b->out[w] |= to->in[w];
                }
            for (uint32_t w = 0; w < k->words; w++) {
                uint64_t in = b->use[w] | (b->out[w] & ~b->def[w]);
                if (in != b->in[w]) { b->in[w] = in; again = 1; }
            }
        }
    }
}
/* Copies of registers that have a slot of their own have one as well */
static void own_copies(work *k)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t p = k->f->begin; p < k->f->end; p++) {
            const ptx_instr *i = &k->m->code[p];
            if (strcmp(i->mod[0], "mov") || i->nop != 2) continue;
            const ptx_opnd *o[8];
            int n = 0, own = 0, all = 1;
            for (int x = 0; x < 2; x++) {
                const ptx_opnd *e = i->op[x].kind == PO_VEC ? i->op[x].elem : &i->op[x];
                for (int y = 0; y < (i->op[x].kind == PO_VEC ? i->op[x].n : 1)
                    && n < 8; y++) if (is_value(&e[y])) o[n++] = &e[y];
            }
            for (int x = 0; x < n; x++) { own |= k->v[key_of(o[x])].own; all &= k->v[key_of(o[x])].own; }
            if (!own || all) continue;
            for (int x = 0; x < n; x++) k->v[key_of(o[x])].own = 1;
            again = 1;
        }
    }
}

typedef struct { uint32_t *at, n, cap; } stack;
static void push(stack *s, uint32_t x)
{
    if (s->n == s->cap) s->at = realloc(s->at, (s->cap = s->cap ? 2 * s->cap : 64) * sizeof *s->at);
    s->at[s->n++] = x;
}
static uint32_t take(stack s[3], int kind, uint32_t *top)       /* kind: 0 one slot, 1 two, 2 four */
{
    if (s[kind].n) return s[kind].at[--s[kind].n];
    if (kind == 1 && s[2].n) {          /* never two for one: see above */
        uint32_t x = s[2].at[--s[2].n];
        push(&s[1], x + 2);
        return x;
    }
    uint32_t x = *top, one = 1u << kind;
    if (kind && x % 2) { push(&s[0], x); x++; }
    *top = x + one;
    return x;
}
static void renumber(const uint32_t *place, ptx_opnd *o, int n)
{
    for (int k = 0; k < n; k++) {
        if (is_value(&o[k])) o[k].reg = place[key_of(&o[k])];
        if (o[k].elem) renumber(place, o[k].elem, o[k].n);
    }
}
/* Is there a plane that registers of both layouts lie in? They may not even where all have room. */
static int mixed(const work *k)
{
    uint8_t *kinds = calloc(k->nv / 2 + 4, 1);
    int both = 0;
    for (uint32_t v = 0; v < k->nv; v++)
        for (uint32_t p = 0; k->v[v].seen && p < k->v[v].width; p++) both |= (kinds[v / 2 + p] |= 1u << v % 2) == 3;
    free(kinds);
    return both;
}
void emu_share_slots(emu_module *m, ptx_func *f)
{
    work k = {.m = m->ptx, .f = f, .nv = 2 * f->nslot};
    uint32_t n = f->end - f->begin, top = 0, *place, *begins, *ends;
    stack room[3] = {{0}};
    if (!n) return;
    k.v = calloc(k.nv + 1, sizeof *k.v);
    make_blocks(&k);
    for (uint32_t p = f->begin; p < f->end; p++) visit_all(&k, p, note);
    if (f->nslot <= FEW) {
        if (!mixed(&k)) { free(k.b); free(k.v); free(k.block_of); return; }
        for (uint32_t v = 0; v < k.nv; v++) k.v[v].own = 1;     /* told apart, and there is room for all */
    }
    own_copies(&k);
    make_sets(&k);
    flow(&k);
    for (uint32_t x = 0; x < k.nb; x++) {
        extend(&k, k.b[x].in, k.b[x].begin);
        extend(&k, k.b[x].out, k.b[x].end - 1);
    }
    /* in the order of the text: who begins takes what is free, who has ended gives back */
    place = calloc(k.nv + 1, sizeof *place);
    begins = malloc(2 * (size_t)n * sizeof *begins);
    ends = begins + n;
    memset(begins, 0xff, 2 * (size_t)n * sizeof *begins);
    for (uint32_t v = 0; v < k.nv; v++) {
        if (!k.v[v].seen) continue;
        int kind = k.v[v].width == 4 ? 2 : k.v[v].width == 2;
        if (k.v[v].own) { place[v] = take(room, kind, &top); continue; }
        k.v[v].next = begins[k.v[v].from - f->begin];
        begins[k.v[v].from - f->begin] = v;
    }
    for (uint32_t p = 0; p < n; p++) {
        for (uint32_t v = begins[p], next; v != ~0u; v = next) {
            next = k.v[v].next;
            place[v] = take(room, k.v[v].width == 4 ? 2 : k.v[v].width == 2, &top);
            k.v[v].next = ends[k.v[v].to - f->begin];
            ends[k.v[v].to - f->begin] = v;
        }
        for (uint32_t v = ends[p]; v != ~0u; v = k.v[v].next) push(&room[k.v[v].width == 4 ? 2 : k.v[v].width == 2],
            place[v]);
    }
    for (uint32_t p = f->begin; p < f->end; p++) renumber(place, m->ptx->code[p].op, m->ptx->code[p].nop);
    f->named = f->nslot;
    f->nslot = top;

    for (uint32_t x = 0; x < k.nb; x++) free(k.b[x].use);
    for (int x = 0; x < 3; x++) free(room[x].at);
    free(k.b); free(k.v); free(k.block_of); free(k.far); free(place); free(begins);
}
