/* spin.c - a grid that hangs although it writes memory: `while (*flag == 0) atomicAdd(count, 1);`
 *
 * Nothing is stopped because it takes long. A grid is said to hang when it can be shown that it will never do
 * anything but what it does now:
 *   - nobody comes to a barrier, an mbarrier or an asynchronous operation, no cluster begins or ends, and none has an
 *     operation in flight;
 *   - every warp goes through the same states again and again, where a state is the place in the code and those
 *     registers that decide what is executed and which addresses are touched (the rest, such as what is counted, may
 *     change);
 *   - no memory from which such a register is loaded is written, by anyone.
 * A warp in such a state does next what it did after that state before, since all that it depends on is the same; and
 * so for ever.
 *
 * First the clusters that only write memory run for a while under watch, which tells the instructions that they go
 * round in, and thereby the registers that decide (phase 1); then each of their warps must repeat itself, a turn of a
 * loop at a time (phase 2). Whatever does not fit (calls, local memory, other instructions) leaves the question open,
 * and it is asked again later. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core.h"

enum { KEPT = 64, SURE = 48, TABLE = 1 << 16, PATIENCE = 400 };
/* since: turns since the last new state */
typedef struct spin_warp { uint64_t seen[KEPT]; uint32_t n, turns, since; } spin_warp;
struct spin {
    pthread_mutex_t lock;
    launch *L;
    int phase; uint32_t gen; uint64_t quiet;                /* hard progress at the beginning of this attempt */
    uint32_t ready, proven;                                 /* clusters that are through with phase 1; with phase 2 */
    /* by instruction of the kernel: executed; a load that decides; a store of what does not */
    uint8_t *ran, *reads, *careful;
    uint64_t *slot, *pred;                                  /* registers that decide */
    uint32_t nslot, npred;
    uint64_t *key; uint8_t *how; uint32_t nkeys; int conflict, full, grew;      /* memory: 1 read, 2 written */
    double again, pause, began, cpu; int told;
};

static double clock_of(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static double seconds(void) { return clock_of(CLOCK_MONOTONIC); }
struct spin *spin_new(launch *L)
{
    struct spin *s = calloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    s->L = L;
    s->gen = 1;
    s->began = seconds();
    s->cpu = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    s->pause = 0.25;
    return s;
}
void spin_free(struct spin *s)
{
    free(s->ran); free(s->reads); free(s->careful); free(s->slot); free(s->pred); free(s->key); free(s->how);
    pthread_mutex_destroy(&s->lock);
    free(s);
}
void spin_cluster_end(cluster *cl) { free(cl->spin_warps); }

/* ---- memory ---- */

static void mark(struct spin *s, uint64_t key, int how)
{
    uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) % TABLE;
    if (s->nkeys >= TABLE / 2) { s->full = 1; return; }
    while (s->key[h] && s->key[h] != key) h = (h + 1) % TABLE;
    s->nkeys += !s->key[h];
    s->key[h] = key;
    s->how[h] |= (uint8_t)how;
    s->conflict |= s->how[h] == 3;
}
/* In words of 4 bytes; shared memory by cluster and rank */
static void mark_range(warp *w, int space, uint64_t addr, uint32_t bytes, int how)
{
    cluster *cl = w->cta->cl;
    struct spin *s = cl->L->spin;
    if (space == SP_NONE) space = EMU_GEN_TAG(addr) == EMU_GEN_SHARED ? SP_SHARED
        : EMU_GEN_TAG(addr) == EMU_GEN_LOCAL ? SP_LOCAL : SP_GLOBAL;
    if (space == SP_LOCAL || space == SP_PARAM) return;
    uint64_t tag = space == SP_SHARED ? 1ull << 63 | (uint64_t)cl->index << 32 : 0;
    if (tag) addr &= 0xffffffff;
    pthread_mutex_lock(&s->lock);
    if (s->phase) for (uint64_t k = addr >> 2; k <= (addr + bytes - 1) >> 2; k++) mark(s, (tag | k) + 1, how);
    pthread_mutex_unlock(&s->lock);
}
void spin_load(warp *w, const ptx_instr *i, int space, uint64_t addr, uint32_t bytes)
{
    const struct spin *s = w->cta->cl->L->spin;
    uint32_t k = (uint32_t)(i - w->cta->cl->L->mod->ptx->code) - w->cta->cl->L->k->fn->begin;
    if (w->cta->cl->watch == 2 && s->reads[k]) mark_range(w, space, addr, bytes, 1);
}
void spin_store(warp *w, const ptx_instr *i, int space, uint64_t addr, uint32_t bytes, int changed)
{
    const struct spin *s = w->cta->cl->L->spin;
    uint32_t k = (uint32_t)(i - w->cta->cl->L->mod->ptx->code) - w->cta->cl->L->k->fn->begin;
    if (changed || (w->cta->cl->watch == 2 && s->careful[k])) mark_range(w, space, addr, bytes, 2);
}
void spin_ran(warp *w, uint32_t pc)
{
    struct spin *s = w->cta->cl->L->spin;
    const ptx_func *f = w->cta->cl->L->k->fn;
    /* the last one: in a callee */
    uint8_t *r = &s->ran[pc < f->begin || pc >= f->end ? f->end - f->begin : pc - f->begin];
    if (*r) return;
    *r = 1;
    s->grew = 1;
}

/* ---- which registers decide ---- */

enum { C_IMPURE, C_PURE, C_LOAD, C_STORE, C_ATOM, C_NOTHING };
static int class_of(const ptx_instr *i)
{
    static const char *const pure[] = {
        "mov", "add", "addc", "sub", "subc", "mul", "mad", "madc", "fma", "neg", "abs", "min", "max", "and",
        "or", "xor", "not", "cnot", "lop3", "shl", "shr", "shf", "prmt", "selp", "slct", "set", "setp", "cvt",
        "cvta", "ex2", "lg2", "rcp", "sqrt", "rsqrt", "sin", "cos", "tanh", "div", "rem", "popc", "clz",
        "bfe", "bfi", "bfind", "brev", "mul24", "mad24", "sad", "dp4a", "dp2a", "mapa", "shfl", "copysign",
        "redux", "activemask", "vote", "match", "elect", "isspacep", "testp", "bra", "exit", 0};
    static const char *const nothing[] = {"membar", "fence", "nanosleep", "pmevent", "bar", "barrier", "discard",
        "prefetch", "prefetchu", 0};
    const char *w = i->mod[0];
    for (const char *const *p = pure; *p; p++) if (!strcmp(*p, w)) return C_PURE;
    for (const char *const *p = nothing; *p; p++) if (!strcmp(*p, w)) return C_NOTHING;
    if (!strcmp(w, "ld")) return C_LOAD;
    if (!strcmp(w, "st") && !emu_has(i, "async") && !emu_has(i, "bulk")) return C_STORE;
    if (!strcmp(w, "atom") || (!strcmp(w, "red") && !emu_has(i, "async"))) return C_ATOM;
    if (!strcmp(w, "mbarrier") && (emu_has(i, "test_wait") || emu_has(i, "try_wait"))) return C_PURE;
    return C_IMPURE;
}
static int planes(const ptx_opnd *o)
{
    int bits = ptx_type_bits((ptx_type)o->type);
    return bits <= 32 ? 1 : bits / 32;
}
static int decides(const struct spin *s, const ptx_opnd *o)
{
    if (o->kind == PO_REG && o->type == PT_PRED) return s->pred[o->reg / 64] >> o->reg % 64 & 1;
    if (o->kind == PO_REG) return s->slot[o->reg / 64] >> o->reg % 64 & 1;
    for (int k = 0; o->elem && k < o->n; k++) if (decides(s, &o->elem[k])) return 1;
    return 0;
}
/* Values that are the same whenever the state is: no register but those that decide */
static int settled(const struct spin *s, const ptx_opnd *o)
{
    if (o->kind == PO_REG) return decides(s, o);
    if (o->kind == PO_SREG) return 0;
    for (int k = 0; o->elem && k < o->n; k++) if (!settled(s, &o->elem[k])) return 0;
    return 1;
}
static int add(struct spin *s, const ptx_opnd *o)
{
    int more = 0;
    if (o->kind == PO_REG && o->type == PT_PRED) {
        uint64_t b = 1ull << o->reg % 64;
        more = !(s->pred[o->reg / 64] & b);
        s->pred[o->reg / 64] |= b;
    } else if (o->kind == PO_REG || (o->kind == PO_MEM && o->type != PT_NONE && !o->sym))
        for (int p = 0; p < planes(o); p++) {
            uint64_t b = 1ull << (o->reg + (uint32_t)p) % 64, *at = &s->slot[(o->reg + (uint32_t)p) / 64];
            more |= !(*at & b);
            *at |= b;
        }
    for (int k = 0; o->elem && k < o->n; k++) more |= add(s, &o->elem[k]);
    return more;
}
/* Returns 0 if there is an instruction that this analysis knows nothing of */
static int analyse(struct spin *s)
{
    const ptx_func *f = s->L->k->fn;
    uint32_t n = f->end - f->begin;
    memset(s->slot, 0, (s->nslot / 64 + 1) * sizeof *s->slot);
    memset(s->pred, 0, (s->npred / 64 + 1) * sizeof *s->pred);
    memset(s->reads, 0, n);
    memset(s->careful, 0, n);
    if (s->ran[n]) return 0;
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t k = 0; k < n; k++) {
            const ptx_instr *i = &s->L->mod->ptx->code[f->begin + k];
            if (!s->ran[k]) continue;
            int c = class_of(i), dest = i->nop && (c == C_PURE || c == C_LOAD || (c == C_ATOM && i->mod[0][0] == 'a'));
            if (c == C_IMPURE) return 0;
            if (i->guard >= 0) again |= add(s, &(ptx_opnd){.kind = PO_REG, .type = PT_PRED, .reg = (uint32_t)i->guard});
            if (c == C_NOTHING) continue;
            if (c == C_LOAD || c == C_STORE || c == C_ATOM) {
                if (emu_has(i, "local") || (emu_has(i, "param") && c == C_STORE)) return 0;
                for (int o = 0; o < i->nop; o++) if (i->op[o].kind == PO_MEM) again |= add(s, &i->op[o]);
            }
            if (dest && decides(s, &i->op[0])) for (int o = 1; o < i->nop; o++) again |= add(s, &i->op[o]);
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        const ptx_instr *i = &s->L->mod->ptx->code[f->begin + k];
        if (!s->ran[k]) continue;
        int c = class_of(i), atom = c == C_ATOM && i->mod[0][0] == 'a';
        s->reads[k] = (c == C_LOAD || atom) && decides(s, &i->op[0]);
        if (c != C_STORE && c != C_ATOM) continue;
        for (int o = atom; o < i->nop; o++)
            if (i->op[o].kind != PO_MEM && !settled(s, &i->op[o])) s->careful[k] = 1;
    }
    return 1;
}

/* ---- states ---- */

static uint64_t state(const struct spin *s, const warp *w)
{
    uint64_t h = 0xcbf29ce484222325ull;
#define MIX(x) (h = (h ^ (x)) * 0x9e3779b97f4a7c15ull, h ^= h >> 29)
    MIX(w->live);
    EMU_EACH(l, w->live) MIX(w->pc[l] | (uint64_t)w->lane_base[l] << 32);
    for (uint32_t k = 0; k <= s->nslot / 64; k++)
        for (uint64_t b = s->slot[k]; b; b &= b - 1) {
            uint32_t p = k * 64 + (uint32_t)__builtin_ctzll(b);
            const uint64_t *v = (const uint64_t *)(const void *)(w->reg + (size_t)p * 32);
            if (p < s->nslot) for (int x = 0; x < 16; x++) MIX(v[x]);
        }
    for (uint32_t k = 0; k <= s->npred / 64; k++)
        for (uint64_t b = s->pred[k]; b; b &= b - 1) {
            uint32_t p = k * 64 + (uint32_t)__builtin_ctzll(b);
            if (p < s->npred) MIX(w->pred[p]);
        }
    return h;
}
/* After a turn of the warp in phase 2 */
void spin_turn(warp *w)
{
    cluster *cl = w->cta->cl;
    const struct spin *s = cl->L->spin;
    spin_warp *r = &((spin_warp *)cl->spin_warps)[w->cta->rank * cl->L->nwarp + w->id];
    uint64_t h = state(s, w);
    r->turns++;
    r->since++;
    for (uint32_t k = 0; k < KEPT && k < r->n; k++) if (r->seen[k] == h) return;
    r->seen[r->n++ % KEPT] = h;
    r->since = 0;
}
static int all_repeat(const cluster *cl)
{
    if (cl->q_count) return 0;                  /* a copy in flight: who waits for it will go on */
    for (uint32_t r = 0; r < cl->ncta; r++)
        for (uint32_t k = 0; k < cl->L->nwarp; k++) {
            const warp *w = &cl->cta[r].warp[k];
            const spin_warp *x = &((const spin_warp *)cl->spin_warps)[r * cl->L->nwarp + k];
            /* waits for something that is no write */
            if (!w->live || (w->stalled == w->live && w->stalled_at >= cl->events)) continue;
            if (x->since < SURE) return 0;
        }
    return 1;
}

/* ---- the attempts ---- */

static void leave(struct spin *s) { s->phase = 0; s->gen++; }
static void put_off(struct spin *s, double now)
{
    leave(s);
    s->pause *= 2;
    s->again = now + s->pause;
}
static void begin(struct spin *s, uint64_t quiet)
{
    const ptx_func *f = s->L->k->fn;
    uint32_t n = f->end - f->begin + 1;
    if (!s->ran) {
        s->nslot = f->nslot;
        s->npred = f->npred;
        s->ran = malloc(n); s->reads = malloc(n); s->careful = malloc(n);
        s->slot = malloc((s->nslot / 64 + 1) * sizeof *s->slot);
        s->pred = malloc((s->npred / 64 + 1) * sizeof *s->pred);
        s->key = malloc(TABLE * sizeof *s->key);
        s->how = malloc(TABLE);
    }
    memset(s->ran, 0, n);
    memset(s->key, 0, TABLE * sizeof *s->key);
    memset(s->how, 0, TABLE);
    s->nkeys = 0;
    s->conflict = s->full = s->grew = 0;
    s->ready = s->proven = 0;
    s->quiet = quiet;
    s->gen++;
    s->phase = 1;
}
/* Before a slice of a cluster: is it watched, and how? */
void spin_before(cluster *cl, int alone)
{
    struct spin *s = cl->L->spin;
    pthread_mutex_lock(&s->lock);
    cl->watch = 0;
    if (s->phase && alone) {
        if (cl->spin_gen != s->gen) {
            cl->spin_gen = s->gen;
            cl->spin_slices = 0;
            cl->spin_ready = cl->spin_proven = 0;
        }
        cl->watch = s->phase;
        if (s->phase == 2 && cl->spin_ready != 2) {
            size_t bytes = (size_t)cl->ncta * cl->L->nwarp * sizeof(spin_warp);
            if (!cl->spin_warps) cl->spin_warps = malloc(bytes);
            memset(cl->spin_warps, 0, bytes);
            cl->spin_ready = 2;
            cl->spin_slices = 0;
        }
    }
    pthread_mutex_unlock(&s->lock);
}
/* After it. quiet: how often anything but a write has happened in the grid; active: its clusters; alone: all of them
 * only write, and no other can begin. Returns 1 if the grid is proven to hang. */
int spin_after(cluster *cl, uint64_t quiet, uint32_t active, int alone)
{
    struct spin *s = cl->L->spin;
    int hangs = 0;
    pthread_mutex_lock(&s->lock);
    double now = alone ? seconds() : 0;
    if (s->phase && (s->quiet != quiet || !alone)) leave(s);
    else if (!s->phase) { if (alone && now >= s->again) begin(s, quiet); }
    else if (cl->watch && cl->spin_gen == s->gen) {
        cl->spin_slices++;
        if (s->phase == 2 && s->grew) {         /* they do something else as well: once more */
            s->phase = 1;
            s->ready = s->proven = 0;
            s->grew = s->conflict = 0;
            s->gen++;
        }
        else if (s->phase == 1 && cl->watch == 1) {
            if (!cl->spin_ready) { cl->spin_ready = 1; s->ready++; }
            if (s->ready >= active) {
                if (analyse(s)) { s->phase = 2; s->grew = 0; }
                else put_off(s, now);
            }
        } else if (s->phase == 2 && cl->watch == 2) {
            if (!cl->spin_proven && all_repeat(cl)) { cl->spin_proven = 1; s->proven++; }
            if (s->proven >= active && !s->conflict && !s->full) hangs = 1;
            else if (s->conflict || s->full || cl->spin_slices > PATIENCE) put_off(s, now);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return hangs;
}
/* --timeout, by the clock on the wall; and a word to whoever waits for a processor's 20 s. Returns 1 if the time
 * is up. */
int spin_time(cluster *cl, int alone, uint32_t workers)
{
    struct spin *s = cl->L->spin;
    double t = seconds() - s->began;
    if (emu_opt.timeout && t > (double)emu_opt.timeout) return 1;
    if (!alone || s->told || t < 20 || clock_of(CLOCK_PROCESS_CPUTIME_ID) - s->cpu < 20 * workers) return 0;
    s->told = 1;
    fprintf(stderr, "tcemu: note: kernel %s has run for %.0f s, and for some time its threads have only computed "
            "and written memory: none came to a barrier, and none ended. tcemu cannot tell "
            "whether it hangs; --timeout SECONDS ends it and shows where its threads are\n", emu_kernel_name(cl->L), t);
    return 0;
}
