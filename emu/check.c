/* check.c - happens-before: vector clocks of threads and asynchronous operations, and the shadow of shared memory that
 * remembers who touched each word last. Finds races, generic-proxy writes that the asynchronous proxy reads without a
 * proxy fence, and reads of bytes that nobody wrote.
 *
 * Ordering comes from what orders memory in PTX: barriers, mbarriers, bar.warp.sync, cluster barriers, completion of
 * asynchronous operations that was waited for, and release/acquire patterns through strong accesses and fences. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define NSLOT 256u                      /* asynchronous operations told apart at one time, per cluster */

/* One word of shared memory. who: 0 nobody; 1 + warp of the cluster; 0x8000 | slot of an asynchronous operation. */
typedef struct {
    uint16_t w_who; uint8_t w_lane, init;
    uint32_t w_tick, w_pc;
    uint16_t r_who; uint8_t flags, pad;
    uint32_t r_mask, r_tick, r_pc, more;        /* more: index of further readers, 0 none; F_CROWD: of a crowd */
} word;
enum { F_SPLIT = 1, F_MBAR = 2, F_WSTRONG = 4, F_RSTRONG = 8, F_CROWD = 16,
       F_GENERIC = 32 /* an operation wrote it, but in the generic proxy: cp.async */ };
typedef struct { uint16_t who; uint8_t strong; uint32_t mask, tick, pc, next; } reader;
/* Copies and matrix instructions leave runs of words in one state: a block of 8 words that are all alike has one word
 * in its stead (block, where same says so; its words in w are then not in use). Such a word has no further readers. */
enum { BLOCK = 8 };
struct shadow { word *w; word *block; uint8_t *same; word *bytes; uint32_t nwords, nblocks; };

struct clock_state {
    uint32_t tick[NSLOT]; uint8_t busy[NSLOT]; uint32_t next;
    reader *pool; uint32_t npool, cap, free;
    /* readers of one CTA, found by their warp: see crowd_of() */
    uint32_t *crowd; uint32_t ncrowd, cap_crowd, free_crowd;
    vclk *memo_a, *memo_b, *memo_r;
    struct strong { uint64_t key; vclk *v; } *strong; uint32_t nstrong, cap_strong;
    vclk *spare[16]; int nspare;
    /* global memory, written by threads */
    struct gwrite { uint64_t key; uint32_t thread, tick, pc; } *gwrite; uint32_t ngwrite, cap_gwrite;
};

/* ---- vector clocks ---- */

static vclk *vclk_new(cluster *cl)
{
    struct clock_state *s = cl->clocks;
    vclk *v = s->nspare ? s->spare[--s->nspare] : malloc(sizeof *v + 2 * sizeof(uint32_t) * cl->nclock);
    v->ref = 1;
    v->n = cl->nclock;
    return v;
}
vclk *vclk_ref(vclk *v) { if (v) v->ref++; return v; }
void vclk_drop(cluster *cl, vclk *v)
{
    if (!v || --v->ref) return;
    struct clock_state *s = cl->clocks;
    if (s->nspare < 16) s->spare[s->nspare++] = v; else free(v);
}
static vclk *vclk_copy(cluster *cl, const vclk *v)
{
    vclk *n = vclk_new(cl);
    if (v) memcpy(n->c, v->c, 2 * sizeof(uint32_t) * cl->nclock);
    else memset(n->c, 0, 2 * sizeof(uint32_t) * cl->nclock);
    return n;
}
__attribute__((target_clones("avx2", "default")))
static void max_into(uint32_t *a, const uint32_t *b, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++) a[k] = a[k] > b[k] ? a[k] : b[k];
}
vclk *vclk_join(cluster *cl, vclk *a, vclk *b)
{
    if (!a || a == b) return vclk_ref(b);
    if (!b) return vclk_ref(a);
    struct clock_state *s = cl->clocks;
    if (s->memo_a == a && s->memo_b == b) return vclk_ref(s->memo_r);
    vclk *r = vclk_copy(cl, a);
    max_into(r->c, b->c, 2 * cl->nclock);
    vclk_drop(cl, s->memo_a); vclk_drop(cl, s->memo_b); vclk_drop(cl, s->memo_r);
    s->memo_a = vclk_ref(a); s->memo_b = vclk_ref(b); s->memo_r = vclk_ref(r);
    return r;
}
void vclk_merge(cluster *cl, vclk **into, vclk *v)
{
    if (!v) return;
    vclk *r = vclk_join(cl, *into, v);
    vclk_drop(cl, *into);
    *into = r;
}
static inline uint16_t warp_index(const warp *w) { return (uint16_t)(1 + thread_index(w, 0) / 32); }

vclk *vclk_release(warp *w, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    if (!emu_opt.checks || !mask) return NULL;
    vclk *r = NULL, *last = NULL;
    EMU_EACH(l, mask) {
        if (r && w->vc[l] == last) continue;
        if (!r) r = vclk_copy(cl, w->vc[l]);
        else if (w->vc[l]) max_into(r->c, w->vc[l]->c, 2 * cl->nclock);
        last = w->vc[l];
    }
    uint32_t t0 = thread_index(w, 0);
    EMU_EACH(l, mask) r->c[t0 + l] = w->tick;
    w->tick++;
    return r;
}
void vclk_acquire(warp *w, uint32_t mask, vclk *v)
{
    if (!v) return;
    cluster *cl = w->cta->cl;
    EMU_EACH(l, mask) {
        if (w->vc[l] == v) continue;
        vclk *r = vclk_join(cl, w->vc[l], v);
        vclk_drop(cl, w->vc[l]);
        w->vc[l] = r;
    }
}
void check_proxy_fence(warp *w, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    if (!emu_opt.checks) return;
    uint32_t t0 = thread_index(w, 0);
    while (mask) {                              /* lanes that know the same go on sharing one clock */
        vclk *from = w->vc[__builtin_ctz(mask)];
        uint32_t same = 0;
        EMU_EACH(l, mask) if (w->vc[l] == from) same |= 1u << l;
        vclk *to = vclk_copy(cl, from);
        max_into(vclk_p(to), to->c, cl->nclock);
        EMU_EACH(l, same) vclk_p(to)[t0 + l] = w->tick;
        EMU_EACH(l, same) { vclk_drop(cl, w->vc[l]); w->vc[l] = vclk_ref(to); }
        vclk_drop(cl, to);
        mask &= ~same;
    }
    w->tick++;
}

/* Release and acquire through strong accesses: what a thread had done before its last fence goes with its next strong
 * write to the address; a strong read takes it in, and the next fence makes it count. */
static struct strong *strong_find(struct clock_state *s, uint64_t key, int make)
{
    for (uint32_t k = 0; k < s->nstrong; k++) if (s->strong[k].key == key) return &s->strong[k];
    if (!make) return NULL;
    if (s->nstrong == s->cap_strong)
        s->strong = realloc(s->strong, (s->cap_strong = s->cap_strong ? 2 * s->cap_strong : 16) * sizeof *s->strong);
    s->strong[s->nstrong] = (struct strong){key, NULL};
    return &s->strong[s->nstrong++];
}
/* per warp, allocated with the first fence or strong access */
typedef struct { vclk *released[32], *seen[32], *taken[32]; } fences;
static fences *fences_of(warp *w)
{
    if (!w->fences) w->fences = calloc(1, sizeof(fences));
    return w->fences;
}
void check_fence(warp *w, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    if (!emu_opt.checks) return;
    fences *f = fences_of(w);
    EMU_EACH(l, mask) if (f->seen[l]) {
        vclk_acquire(w, 1u << l, f->seen[l]);
        vclk_drop(cl, f->seen[l]);
        f->seen[l] = NULL;
    }
    vclk *r = vclk_release(w, mask);
    EMU_EACH(l, mask) { vclk_drop(cl, f->released[l]); f->released[l] = vclk_ref(r); }
    vclk_drop(cl, r);
}
/* A relaxed wait saw v: it counts from the lane's next fence on */
void check_seen(warp *w, int lane, vclk *v)
{
    if (emu_opt.checks && v) vclk_merge(w->cta->cl, &fences_of(w)->seen[lane], v);
}
/* What a relaxed arrival tells: what the lanes had done before their last fence; and that asynchronous operations which
 * they have waited for are over, which is so whatever the order of memory. */
vclk *vclk_release_relaxed(warp *w, uint32_t mask)
{
    cluster *cl = w->cta->cl;
    fences *f = w->fences;
    vclk *r = vclk_release(w, mask);
    if (!r) return NULL;
    memset(r->c, 0, sizeof(uint32_t) * cl->nthread_pad);
    memset(vclk_p(r), 0, sizeof(uint32_t) * cl->nthread_pad);
    if (f) EMU_EACH(l, mask) if (f->released[l]) max_into(r->c, f->released[l]->c, 2 * cl->nclock);
    return r;
}
void check_strong(warp *w, uint32_t mask, cta *c, const uint64_t *addr, int reads, int writes, int acquire, int release)
{
    cluster *cl = w->cta->cl;
    struct clock_state *s = cl->clocks;
    if (!emu_opt.checks) return;
    fences *f = w->fences;
    if (!release && !acquire && !f && !s->nstrong) return;      /* nobody fences: nothing is published */
    f = fences_of(w);
    EMU_EACH(l, mask) {
        uint64_t key = c ? (uint64_t)c->rank << 32 | addr[l] : addr[l];
        if (reads) {
            struct strong *e = strong_find(s, key, 0);
            if (e && e->v) {
                if (!acquire) vclk_merge(cl, &f->seen[l], e->v);
                else if (f->taken[l] != e->v) { /* a poll finds the same again and again */
                    vclk_acquire(w, 1u << l, e->v);
                    vclk_drop(cl, f->taken[l]);
                    f->taken[l] = vclk_ref(e->v);
                }
            }
        }
        if (writes) {
            vclk *r = release ? vclk_release(w, 1u << l) : vclk_ref(f->released[l]);
            if (r) vclk_merge(cl, &strong_find(s, key, 1)->v, r);
            vclk_drop(cl, r);
        }
    }
}

/* ---- global memory that threads of the cluster wrote and bulk copies of it read ----
 * In pieces of 16 bytes, and only in kernels that have bulk copies. */
static struct gwrite *gwrite_slot(struct clock_state *s, uint64_t key)
{
    uint32_t h = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 32) & (s->cap_gwrite - 1);
    while (s->gwrite[h].key && s->gwrite[h].key != key) h = (h + 1) & (s->cap_gwrite - 1);
    return &s->gwrite[h];
}
void check_global_write(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint64_t size)
{
    struct clock_state *s = w->cta->cl->clocks;
    for (uint64_t k = addr >> 4; k <= (addr + size - 1) >> 4; k++) {
        if (2 * s->ngwrite >= s->cap_gwrite) {
            struct gwrite *old = s->gwrite;
            uint32_t n = s->cap_gwrite;
            s->cap_gwrite = n ? 2 * n : 1024;
            s->gwrite = calloc(s->cap_gwrite, sizeof *s->gwrite);
            for (uint32_t j = 0; j < n; j++) if (old[j].key) *gwrite_slot(s, old[j].key) = old[j];
            free(old);
        }
        struct gwrite *g = gwrite_slot(s, k);
        s->ngwrite += !g->key;
        *g = (struct gwrite){k, thread_index(w, lane), w->tick, (uint32_t)(i - w->cta->cl->L->mod->ptx->code)};
    }
}
void check_global_async_read(async_op *op, uint64_t addr, uint64_t size)
{
    struct clock_state *s = op->cl->clocks;
    if (!s->ngwrite || !op->vc || !size) return;
    for (uint64_t k = addr >> 4; k <= (addr + size - 1) >> 4; k++) {
        struct gwrite *g = gwrite_slot(s, k);
        if (!g->key || vclk_p(op->vc)[g->thread] >= g->tick) continue;
        int ordered = op->vc->c[g->thread] >= g->tick;
        emu_report(op->w, op->i, 1u << op->lane, E_PROXY,
                   "the asynchronous proxy reads global memory at %#llx, which a thread of the same %s wrote through "
                   "the generic proxy, without %s in between", (unsigned long long)(k << 4),
                   op->cl->ncta > 1 ? "cluster" : "CTA", ordered ? "a fence.proxy.async"
                   : "a barrier and a fence.proxy.async");
        emu_report_also(op->w, &op->cl->L->mod->ptx->code[g->pc], "written");
        g->thread = 0; g->tick = 0;
        return;
    }
}

/* ---- life of the state ---- */
void check_cluster_begin(cluster *cl)
{
    cl->clocks = calloc(1, sizeof *cl->clocks);
    cl->clocks->npool = 1;
    cl->nclock = cl->nthread_pad + NSLOT;
}
void check_cluster_end(cluster *cl)
{
    struct clock_state *s = cl->clocks;
    vclk_drop(cl, s->memo_a); vclk_drop(cl, s->memo_b); vclk_drop(cl, s->memo_r);
    for (uint32_t k = 0; k < s->nstrong; k++) vclk_drop(cl, s->strong[k].v);
    for (int k = 0; k < s->nspare; k++) free(s->spare[k]);
    free(s->strong);
    free(s->gwrite);
    free(s->pool); free(s->crowd);
    free(s);
    cl->clocks = NULL;
}
void check_cta_begin(cta *c)
{
    c->shadow = calloc(1, sizeof *c->shadow);
    c->shadow->nblocks = (c->smem_size + 4 * BLOCK - 1) / (4 * BLOCK);
    c->shadow->nwords = c->shadow->nblocks * BLOCK;
    c->shadow->w = emu_take(c->shadow->nwords * sizeof(word));
    c->shadow->block = emu_take(c->shadow->nblocks * (sizeof(word) + 1));
    c->shadow->same = (uint8_t *)(c->shadow->block + c->shadow->nblocks);
    memset(c->shadow->block, 0, c->shadow->nblocks * sizeof(word));
    memset(c->shadow->same, 1, c->shadow->nblocks);
}
void check_cta_end(cta *c)
{
    if (!c->shadow) return;
    emu_give(c->shadow->w, c->shadow->nwords * sizeof(word));
    emu_give(c->shadow->block, c->shadow->nblocks * (sizeof(word) + 1));
    emu_give(c->shadow->bytes, 4 * (size_t)c->shadow->nwords * sizeof(word));
    free(c->shadow);
    c->shadow = NULL;
}
void check_warp_begin(warp *w) { w->tick = 1; }
void check_warp_end(warp *w)
{
    cluster *cl = w->cta->cl;
    fences *f = w->fences;
    for (int l = 0; l < 32; l++) {
        vclk_drop(cl, w->vc[l]); w->vc[l] = NULL;
        if (f) { vclk_drop(cl, f->released[l]); vclk_drop(cl, f->seen[l]); vclk_drop(cl, f->taken[l]); }
    }
    free(f);
    w->fences = NULL;
}

/* ---- the shadow of shared memory ---- */

static const ptx_instr *at(const cluster *cl, uint32_t pc) { return &cl->L->mod->ptx->code[pc]; }
static uint32_t pc_of(const cluster *cl, const ptx_instr *i) { return (uint32_t)(i - cl->L->mod->ptx->code); }

/* Who is about to touch the word, and what it knows */
typedef struct {
    warp *w; int lane; const ptx_instr *i; uint16_t who; uint32_t tick, pc; const vclk *vc; int flags; uint32_t self;
    async_op *op;
} actor;

static int knows(const actor *a, uint16_t who, uint32_t mask, uint32_t tick)
{
    cluster *cl = a->w->cta->cl;
    if (who & 0x8000) return (a->vc ? a->vc->c[cl->nthread_pad + (who & 0x7fff)] : 0) >= tick;
    uint32_t t0 = (who - 1u) * 32;
    EMU_EACH(l, mask) {
        if (t0 + l == a->self) continue;
        if ((a->vc ? a->vc->c[t0 + l] : 0) < tick) return 0;
    }
    return 1;
}
static void name_actor(const cluster *cl, uint16_t who, uint32_t mask, char *buf, size_t n)
{
    if (who & 0x8000) { snprintf(buf, n, "an asynchronous operation"); return; }
    uint32_t per = cl->nthread_pad / cl->ncta / 32, wi = who - 1u;
    if (cl->ncta > 1)
        snprintf(buf, n, "warp %u lane %d of CTA rank %u", wi % per, __builtin_ctz(mask ? mask : 1), wi / per);
    else snprintf(buf, n, "warp %u lane %d", wi, __builtin_ctz(mask ? mask : 1));
}
/* What waits for an asynchronous operation? */
static const char *waited_by(const ptx_instr *i, int read)
{
    const char *w = i->mod[0];
    if (!strcmp(w, "wgmma")) return "wgmma.wait_group";
    if (!strcmp(w, "tcgen05")) return "tcgen05.commit to an mbarrier and a wait on that";
    if (!emu_has(i, "bulk"))
        return strcmp(w, "cp") ? "a wait on its mbarrier" : "cp.async.wait_group, or a wait on its mbarrier";
    return !emu_has(i, "bulk_group") ? "a wait on its mbarrier"
         : read ? "cp.async.bulk.wait_group.read"
         : "cp.async.bulk.wait_group";
}
/* Does the st write what lies there already? Its element at the offset is compared. */
static int same_value(const actor *a, const cta *c, uint32_t off)
{
    const ptx_instr *i = a->i;
    uint32_t from, bytes = i->f[1];
    uint8_t now[16];
    if (a->op || strcmp(i->mod[0], "st") || i->op[0].kind != PO_MEM || !bytes || bytes > 16) return 0;
    if (!emu_to_shared((int)i->f[0], emu_mem_addr(a->w, &i->op[0], a->lane), &from)) return 0;
    from &= 0xffffff;
    uint32_t k = (off - from) / bytes, at_ = from + k * bytes;
    const ptx_opnd *v = &i->op[1];
    if (off < from || k >= i->f[2] || at_ + bytes > c->smem_size) return 0;
    if (v->kind == PO_VEC) v = &v->elem[k];
    if (bytes <= 4 && !(v->kind == PO_REG && ptx_type_bits(v->type) == 64)) memcpy(now, &R32(a->w, v)[a->lane], bytes);
    else memcpy(now, &R64(a->w, v)[a->lane], bytes < 8 ? bytes : 8);
    if (bytes == 16) memcpy(now + 8, &R64(a->w, v)[32 + a->lane], 8);
    return !memcmp(now, c->smem + at_, bytes);
}
static int race(const actor *a, cta *c, uint32_t off, const char *mine, const char *theirs, uint16_t who, uint32_t mask,
                uint32_t pc)
{
    char name[96], hint[160];
    cluster *cl = c->cl;
    const ptx_instr *o = at(cl, pc);
    name_actor(cl, who, mask, name, sizeof name);
    if (who & 0x8000)
        snprintf(hint, sizeof hint, "not waited for, or still in flight: %s must come between",
                 waited_by(o, theirs[0] == 'r'));
    else if (who == warp_index(a->w))
        snprintf(hint, sizeof hint, "the same warp: __syncwarp or a barrier must come between");
    else if (c->cl->ncta > 1 && (who - 1u) / (cl->nthread_pad / cl->ncta / 32) != a->w->cta->rank)
        snprintf(hint, sizeof hint, "another CTA: a cluster barrier or an mbarrier must come between");
    else snprintf(hint, sizeof hint, "another warp: a barrier or an mbarrier must come between");
    const char *equal = mine[0] == 'w' && theirs[0] == 'w'
               && same_value(a, c, off) ? "; both wrote the same value in this run" : "";
    emu_report(a->w, a->i, 1u << a->lane, E_RACE,
               "race in shared memory at %s: this %s is not ordered after the %s by %s (%s)%s", emu_offset(c, off),
               mine, theirs, name, hint, equal);
    emu_report_also(a->w, o, "the %s", theirs);
    return 1;
}
/* Async-proxy access to bytes that a thread, or its cp.async, wrote through the generic proxy */
static int unfenced(const actor *a, cta *c, uint32_t off, const word *e)
{
    if (!e->w_who || (e->w_who & 0x8000 && !(e->flags & F_GENERIC))) return 0;
    uint32_t t = e->w_who & 0x8000 ? c->cl->nthread_pad + (e->w_who & 0x7fffu) : (e->w_who - 1u) * 32 + e->w_lane;
    if ((a->vc ? vclk_p(a->vc)[t] : 0) >= e->w_tick) return 0;
    emu_report(a->w, a->i, 1u << a->lane, E_PROXY,
               "the asynchronous proxy %s shared memory at %s that was written through the generic proxy, without a "
               "fence.proxy.async in between", a->flags & A_READ ? "reads" : "overwrites", emu_offset(c, off));
    emu_report_also(a->w, at(c->cl, e->w_pc), "written");
    return 1;
}
/* A word that several warps of its CTA read, as the tile of a GEMM: a crowd has one place for each warp, [mask tick
 * pc|strong << 31], the warps that are there as bits of [0] (a CTA has at most 32), and in [1] the list of all other
 * readers. */
static uint32_t crowd_size(const cluster *cl) { return 2 + 3 * cl->L->nwarp; }
static uint32_t *crowd_of(const cluster *cl, const word *e)
{
    return cl->clocks->crowd + (size_t)e->more * crowd_size(cl);
}
static void crowd_make(cluster *cl, word *e)
{
    struct clock_state *s = cl->clocks;
    uint32_t n = s->free_crowd, size = crowd_size(cl);
    if (n) s->free_crowd = s->crowd[(size_t)n * size + 1];
    else {
        if (s->ncrowd >= s->cap_crowd)
            s->crowd = realloc(s->crowd, (size_t)(s->cap_crowd = s->cap_crowd ? 2 * s->cap_crowd : 256) * size
                               * sizeof *s->crowd);
        if (!s->ncrowd) s->ncrowd = 1;
        n = s->ncrowd++;
    }
    s->crowd[(size_t)n * size] = 0;
    s->crowd[(size_t)n * size + 1] = e->more;
    e->more = n;
    e->flags |= F_CROWD;
}
static void readers_clear(cluster *cl, word *e)
{
    struct clock_state *s = cl->clocks;
    if (e->flags & F_CROWD) {
        uint32_t *g = crowd_of(cl, e), n = e->more;
        e->flags &= (uint8_t)~F_CROWD;
        e->more = g[1];
        g[1] = s->free_crowd;
        s->free_crowd = n;
    }
    while (e->more) {
        uint32_t n = s->pool[e->more].next;
        s->pool[e->more].next = s->free;
        s->free = e->more;
        e->more = n;
    }
    e->r_who = 0;
}
static uint32_t reader_new(struct clock_state *s)
{
    uint32_t n = s->free;
    if (n) { s->free = s->pool[n].next; return n; }
    if (s->npool >= s->cap) s->pool = realloc(s->pool, (s->cap = s->cap ? 2 * s->cap : 256) * sizeof *s->pool);
    return s->npool++;
}
/* The last reader of the word joins the older ones, to make room for reader a that does not know of it */
static void reader_keep(const actor *a, cta *c, word *e)
{
    cluster *cl = c->cl;
    struct clock_state *s = cl->clocks;
    uint32_t first = 1 + c->rank * cl->L->nwarp, k = e->r_who - first, strong = e->flags & F_RSTRONG ? 1 : 0;
    reader r = {e->r_who, (uint8_t)strong, e->r_mask, e->r_tick, e->r_pc, 0};
    if (!(e->r_who & 0x8000) && k < cl->L->nwarp) {
        if (!(e->flags & F_CROWD)) crowd_make(cl, e);
        uint32_t *g = crowd_of(cl, e), *x = g + 2 + 3 * k, older = g[0] >> k & 1;
        if (older && x[1] == r.tick) { x[0] |= r.mask; if (!strong) x[2] &= ~(1u << 31); return; }
        reader was = {r.who, (uint8_t)(x[2] >> 31), x[0], x[1], x[2] & ~(1u << 31), 0};
        g[0] |= 1u << k;
        x[0] = r.mask; x[1] = r.tick; x[2] = r.pc | strong << 31;
        if (!older || !(was.mask & ~r.mask) || knows(a, was.who, was.mask & ~r.mask, was.tick)) return;
        /* the warp's other lanes read earlier, and nobody has heard of it: into the list */
        r = was;
    }
    uint32_t *list = e->flags & F_CROWD ? crowd_of(cl, e) + 1 : &e->more;
    for (uint32_t n = *list; n; n = s->pool[n].next)
        if (s->pool[n].who == r.who && s->pool[n].tick == r.tick) {
            s->pool[n].mask |= r.mask;
            s->pool[n].strong &= r.strong;
            return;
        }
    for (uint32_t *n = list; *n;) {             /* forget those that reader a comes after */
        reader *o = &s->pool[*n];
        if (knows(a, o->who, o->mask, o->tick)) { uint32_t dead = *n; *n = o->next; o->next = s->free; s->free = dead; }
        else n = &o->next;
    }
    uint32_t n = reader_new(s);
    r.next = *list;
    s->pool[n] = r;
    *list = n;
}
static int one(const actor *a, cta *c, word *e, uint32_t off)
{
    cluster *cl = c->cl;
    int strong = (a->flags & A_STRONG) != 0, bad = 0;
    const char *mine = a->flags & A_WRITE ? "write" : "read";
    int async = (a->who & 0x8000) != 0;
    if (e->w_who && !(strong && e->flags & F_WSTRONG)
        /* lanes of one instruction */
        && !(e->w_who == a->who && e->w_tick == a->tick && e->w_pc == a->pc && !async)
        && !knows(a, e->w_who, 1u << e->w_lane, e->w_tick)) {
        bad = race(a, c, off, mine, "write", e->w_who, 1u << e->w_lane, e->w_pc);
    } else if (async && a->flags & A_ASYNC && unfenced(a, c, off, e)) bad = 1;
    if (a->flags & A_WRITE) {
        if (!bad && e->r_who && !(strong && e->flags & F_RSTRONG)) {
            if (!(e->r_who == a->who && e->r_tick == a->tick && e->r_pc == a->pc)
                && !knows(a, e->r_who, e->r_mask, e->r_tick))
                bad = race(a, c, off, mine, "read", e->r_who, e->r_mask, e->r_pc);
            uint32_t rest = e->more;
            if (e->flags & F_CROWD) {
                uint32_t *g = crowd_of(cl, e), first = 1 + c->rank * cl->L->nwarp;
                rest = g[1];
                EMU_EACH(k, g[0]) {
                    uint32_t *x = g + 2 + 3 * k, who = first + k;
                    if ((strong && x[2] >> 31) || (who == a->who && x[1] == a->tick && (x[2] & ~(1u << 31)) == a->pc)
                        || knows(a, (uint16_t)who, x[0], x[1]))
                        continue;
                    bad = race(a, c, off, mine, "read", (uint16_t)who, x[0], x[2] & ~(1u << 31));
                    break;
                }
            }
            for (uint32_t n = rest; n && !bad; n = cl->clocks->pool[n].next) {
                reader *r = &cl->clocks->pool[n];
                if (!(strong && r->strong) && !knows(a, r->who, r->mask, r->tick))
                    bad = race(a, c, off, mine, "read", r->who, r->mask, r->pc);
            }
        }
        readers_clear(cl, e);
        e->w_who = a->who; e->w_lane = (uint8_t)(async ? 0 : a->lane); e->w_tick = a->tick; e->w_pc = a->pc;
        e->flags = (uint8_t)((e->flags & ~(F_WSTRONG | F_RSTRONG | F_GENERIC)) | (strong ? F_WSTRONG : 0)
                             | (emu_opt.strict && async && !(a->flags & (A_ASYNC | A_GENERIC)) ? F_GENERIC : 0));
        return bad;
    }
    uint32_t bit = async ? 1 : 1u << a->lane;
    if (e->r_who == a->who && e->r_tick == a->tick) {
        e->r_mask |= bit;
        if (!strong) e->flags &= (uint8_t)~F_RSTRONG;
        return bad;
    }
    if (e->r_who && !knows(a, e->r_who, e->r_mask & ~(e->r_who == a->who ? bit : 0), e->r_tick)) reader_keep(a, c, e);
    e->r_who = a->who; e->r_mask = bit; e->r_tick = a->tick; e->r_pc = a->pc;
    e->flags = (uint8_t)((e->flags & ~F_RSTRONG) | (strong ? F_RSTRONG : 0));
    return bad;
}
static void unfold(struct shadow *s, uint32_t block)
{
    word *w = &s->w[block * BLOCK], x = s->block[block];
    for (int k = 0; k < BLOCK; k++) w[k] = x;
    s->same[block] = 0;
}
/* The word by itself */
static inline word *word_at(struct shadow *s, uint32_t k)
{
    if (s->same[k / BLOCK]) unfold(s, k / BLOCK);
    return &s->w[k];
}
static inline uint8_t flags_at(const struct shadow *s, uint32_t k)
{
    return s->same[k / BLOCK] ? s->block[k / BLOCK].flags : s->w[k].flags;
}
static word *split(struct shadow *s, uint32_t k)
{
    word *e = word_at(s, k);
    /* filled in where a word is split */
    if (!s->bytes) s->bytes = emu_take(4 * (size_t)s->nwords * sizeof(word));
    word *b = &s->bytes[4 * (size_t)k];
    if (!(e->flags & F_SPLIT)) {
        for (int j = 0; j < 4; j++) { b[j] = *e; b[j].more = 0; b[j].flags &= (uint8_t)~F_CROWD; }
        b[0].more = e->more;                    /* a list has one owner; byte 0 serves */
        b[0].flags = e->flags;
        e->more = 0;
        e->flags &= (uint8_t)~F_CROWD;
        e->flags |= F_SPLIT;
    }
    return b;
}
static inline int same_word(const word *a, const word *b)
{
    uint64_t x[4], y[4];
    memcpy(x, a, 32);
    memcpy(y, b, 32);
    return !((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) | (x[3] ^ y[3]));
}
_Static_assert(sizeof(word) == 32, "same_word compares 32 bytes");
static void fold(struct shadow *s, uint32_t block)
{
    const word *w = &s->w[block * BLOCK];
    if (w->more || w->flags & (F_SPLIT | F_CROWD | F_MBAR)) return;
    for (int k = 1; k < BLOCK; k++) if (!same_word(&w[k], w)) return;
    s->block[block] = *w;
    s->same[block] = 1;
}
/* What was judged last: words in the state `in` become `out` */
typedef struct { word in, out; int have; } judged;
static int words(const actor *a, cta *c, uint32_t off, uint32_t end, judged *j)
{
    struct shadow *s = c->shadow;
    int bad = 0;
    while (off < end) {
        uint32_t k = off / 4;
        word *e = word_at(s, k);
        if (off % 4 || end - off < 4 || e->flags & F_SPLIT) {
            uint32_t stop = (k + 1) * 4 < end ? (k + 1) * 4 : end;
            int whole = off % 4 == 0 && stop == (k + 1) * 4 && a->flags & A_WRITE;
            word *b = split(s, k);
            for (; off < stop; off++) { int r = one(a, c, &b[off & 3], off); bad |= r; if (r && a->op) return 1; }
            if (whole) {                        /* all four bytes the same again */
                uint8_t init = e->init; uint8_t mb = e->flags & F_MBAR;
                *e = b[0]; e->init = init; e->flags = (uint8_t)((e->flags & ~(F_SPLIT | F_MBAR)) | mb);
            }
            j->have = 0;
            continue;
        }
        off += 4;
        if (j->have && same_word(e, &j->in)) { *e = j->out; continue; }
        word in = *e;
        int r = one(a, c, e, off - 4);
        bad |= r;
        if (r && a->op) return 1;
        j->have = !e->more && !in.more;
        j->in = in; j->out = *e;
    }
    return bad;
}
static int range(const actor *a, cta *c, uint32_t off, uint32_t size)
{
    struct shadow *s = c->shadow;
    int bad = 0;
    uint32_t end = off + size;
    judged j;
    j.have = 0;
    while (off < end) {
        uint32_t block = off / (4 * BLOCK), next = (block + 1) * 4 * BLOCK;
        if (next > end || off % (4 * BLOCK)) {
            uint32_t stop = next < end ? next : end;
            int r = words(a, c, off, stop, &j);
            bad |= r;
            if (r && a->op) return 1;
            off = stop;
            continue;
        }
        off = next;
        if (s->same[block]) {
            word *e = &s->block[block], in = *e;
            if (j.have && same_word(e, &j.in)) { *e = j.out; continue; }
            int r = one(a, c, e, off - 4 * BLOCK);
            j.have = !e->more;
            j.in = in; j.out = *e;
            /* a list has one owner: the first word; the others are judged one by one */
            if (e->more) {
                *e = in;
                unfold(s, block);
                s->w[block * BLOCK] = j.out;
                if (!(r && a->op)) r |= words(a, c, off - 4 * BLOCK + 4, off, &j);
            }
            bad |= r;
            if (r && a->op) return 1;
            continue;
        }
        int r = words(a, c, off - 4 * BLOCK, off, &j);
        bad |= r;
        if (r && a->op) return 1;
        fold(s, block);
    }
    return bad;
}
static int initialised(struct shadow *s, uint32_t off, uint32_t size, uint32_t *where)
{
    for (uint32_t o = off; o < off + size; ) {
        uint32_t block = o / (4 * BLOCK);
        if (s->same[block] && s->block[block].init == 15) { o = (block + 1) * 4 * BLOCK; continue; }
        uint8_t init = s->same[block] ? s->block[block].init : s->w[o / 4].init;
        if (o % 4 == 0 && off + size - o >= 4) {
            if (init != 15) { *where = o; return 0; }
            o += 4;
        } else { if (!(init >> o % 4 & 1)) { *where = o; return 0; } o++; }
    }
    return 1;
}
static void set_init(struct shadow *s, uint32_t off, uint32_t size)
{
    for (uint32_t o = off; o < off + size; ) {
        uint32_t block = o / (4 * BLOCK), next = (block + 1) * 4 * BLOCK;
        if (s->same[block]) {
            if (o % (4 * BLOCK) == 0 && next <= off + size) s->block[block].init = 15;
            if (s->block[block].init == 15) { o = next; continue; }
        }
        if (o % 4 == 0 && off + size - o >= 4) { word_at(s, o / 4)->init = 15; o += 4; }
        else { word_at(s, o / 4)->init |= (uint8_t)(1 << o % 4); o++; }
        if (o == next && !s->same[block]) fold(s, block);
    }
}
/* The frequent case, without the general machinery: a plain read of words whose last reader was a lane of this warp,
 * within its present tick, or nobody, or that have room for its warp, and whose last write the lane knows of. Returns
 * how many of the bytes are thereby dealt with. */
static inline uint32_t read_again(warp *w, const ptx_instr *i, int lane, cta *c, uint32_t off, uint32_t size)
{
    struct shadow *s = c->shadow;
    uint16_t who = warp_index(w);
    uint32_t bit = 1u << lane, self = thread_index(w, lane), done = 0;
    const vclk *vc = w->vc[lane];
    for (; done < size; done += 4) {
        word *e = word_at(s, (off + done) / 4);
        if (e->flags & (F_MBAR | F_SPLIT | F_RSTRONG) || e->init != 15) break;
        int mine = e->r_who == who && e->r_tick == w->tick;
        if (mine && e->r_mask & bit) continue;
        if (e->w_who) {
            if (e->w_who & 0x8000) {
                if ((vc ? vc->c[c->cl->nthread_pad + (e->w_who & 0x7fff)] : 0) < e->w_tick) break;
            } else {
                uint32_t t = (e->w_who - 1u) * 32 + e->w_lane;
                if (t != self && (vc ? vc->c[t] : 0) < e->w_tick) break;
            }
        }
        if (mine) e->r_mask |= bit;
        else if (!e->r_who) { e->r_who = who; e->r_mask = bit; e->r_tick = w->tick; e->r_pc = pc_of(c->cl, i); }
        else if (e->flags & F_CROWD && c == w->cta) {
            uint32_t *g = crowd_of(c->cl, e), *x = g + 2 + 3 * w->id;
            if (!(g[0] >> w->id & 1)) { g[0] |= 1u << w->id; x[0] = bit; x[1] = w->tick; x[2] = pc_of(c->cl, i); }
            else if (x[1] == w->tick && !(x[2] >> 31)) x[0] |= bit;
            else break;
        } else break;
    }
    return done;
}
void check_shared_written(cta *c, uint32_t off, uint32_t size)
{
    if (c->shadow) set_init(c->shadow, off, size);
}
int check_shared(warp *w, const ptx_instr *i, int lane, cta *c, uint32_t off, uint32_t size, int flags)
{
    struct shadow *s = c->shadow;
    int bad = 0;
    if (!s) return 0;
    if (!(flags & (A_WRITE | A_ATOMIC | A_STRONG | A_ASYNC)) && !((off | size) & 3)) {
        uint32_t done = read_again(w, i, lane, c, off, size);
        if (done == size) return 0;
        off += done;
        size -= done;
    }
    if ((flags_at(s, off / 4) | flags_at(s, (off + size - 1) / 4)) & F_MBAR)
        mbar_clobbered(w, i, lane, c, off, (uint32_t)(flags & A_WRITE ? size : 0));
    uint32_t t = thread_index(w, lane);
    actor a = {.w = w, .lane = lane, .i = i, .who = warp_index(w), .tick = w->tick, .pc = pc_of(c->cl, i),
               .vc = w->vc[lane], .flags = flags, .self = t};
    bad = range(&a, c, off, size);
    uint32_t where;
    if (!bad && flags & (A_READ | A_ATOMIC) && !(flags & A_NOINIT) && !initialised(s, off, size, &where)) {
        emu_report(w, i, 1u << lane, E_UNINIT_SHARED,
                   "reads shared memory at %s that nobody has written yet: it is never written, or the write is not "
                   "ordered before this (a barrier or wait is missing)", emu_offset(c, where));
        set_init(s, off, size);
        bad = 1;
    }
    if (flags & (A_WRITE | A_ATOMIC)) set_init(s, off, size);
    return bad;
}
void check_mbar_mark(cta *c, uint32_t off, int on)
{
    if (!c->shadow) return;
    for (uint32_t o = off; o < off + 8; o += 4) {
        word *e = word_at(c->shadow, o / 4);
        e->flags = (uint8_t)(on ? e->flags | F_MBAR : e->flags & ~F_MBAR);
        e->init = 15;
    }
}

/* Has the thread that uses the mbarrier learnt of its mbarrier.init? */
int check_init_visible(warp *w, const ptx_instr *i, int lane, cta *c, mbar *b)
{
    if (!emu_opt.checks || !b->init_w || (b->init_w == w && b->init_lane == lane)) return 1;
    uint32_t t = thread_index(b->init_w, b->init_lane);
    if ((w->vc[lane] ? w->vc[lane]->c[t] : 0) >= b->init_tick) return 1;
    /* a cluster barrier, if only relaxed, has come between */
    if (!emu_opt.strict && c->cl->barrier_gen > b->init_gen) return 1;
    emu_report(w, i, 1u << lane, E_MBARRIER,
               "the mbarrier at %s of CTA rank %u is used without a barrier between its initialisation by another "
               "thread and this", emu_offset(c, b->off), c->rank);
    emu_report_also(w, b->init_at, "initialised");
    b->init_w = NULL;
    return 0;
}

/* An operation of the asynchronous proxy will signal the mbarrier: it must know of the init, which the generic proxy
 * did */
int check_init_fenced(warp *w, const ptx_instr *i, int lane, cta *c, mbar *b)
{
    if (!emu_opt.checks || !b->init_w || b->fenced) return 1;
    uint32_t t = thread_index(b->init_w, b->init_lane);
    if ((w->vc[lane] ? vclk_p(w->vc[lane])[t] : 0) >= b->init_tick) { b->fenced = 1; return 1; }
    emu_report(w, i, 1u << lane, E_PROXY,
               "this asynchronous operation will signal the mbarrier at %s of CTA rank %u, which was initialised "
               "through the generic proxy: fence.mbarrier_init (or "
               "fence.proxy.async) must follow the initialisation", emu_offset(c, b->off), c->rank);
    emu_report_also(w, b->init_at, "initialised");
    b->fenced = 1;
    return 0;
}

/* ---- asynchronous operations ---- */
async_op *emu_async_new(warp *w, const ptx_instr *i, int lane, size_t payload_size, void (*perform)(async_op *, int))
{
    return emu_async_new_lanes(w, i, 1u << lane, payload_size, perform);
}
async_op *emu_async_new_lanes(warp *w, const ptx_instr *i, uint32_t mask, size_t payload_size,
                              void (*perform)(async_op *, int))
{
    int lane = __builtin_ctz(mask);
    cluster *cl = w->cta->cl;
    struct clock_state *s = cl->clocks;
    async_op *op = calloc(1, sizeof *op + payload_size);
    *op = (async_op){.cl = cl, .w = w, .lane = lane, .i = i, .cta = w->cta, .perform = perform, .payload = op + 1,
                     .mbar_off = ~0u};
    if (!emu_opt.checks) return op;
    op->early = early_lane(w, lane);
    uint32_t k = 0;
    while (k < NSLOT && s->busy[(s->next + k) % NSLOT]) k++;     /* all busy: share one, and tell less */
    op->slot = (s->next + k) % NSLOT;
    s->next = op->slot + 1;
    s->busy[op->slot] = 1;
    op->tick = ++s->tick[op->slot];
    op->vc = vclk_release(w, mask);
    op->vc->c[cl->nthread_pad + op->slot] = op->tick;
    vclk_p(op->vc)[cl->nthread_pad + op->slot] = op->tick;
    return op;
}
/* cp.async writes through the generic proxy: what it wrote has passed no proxy fence when it is over */
void check_generic_op(async_op *op)
{
    const vclk *v = op->w->vc[op->lane];
    uint32_t k = op->cl->nthread_pad + op->slot;
    if (op->vc) vclk_p(op->vc)[k] = v ? vclk_p((vclk *)v)[k] : 0;
}
void emu_async_free(async_op *op)
{
    if (op->vc) { op->cl->clocks->busy[op->slot] = 0; vclk_drop(op->cl, op->vc); }
    free(op);
}
void emu_async_acquire(warp *w, uint32_t mask, async_op *op) { vclk_acquire(w, mask, op->vc); }

void emu_async_touch(async_op *op, cta *c, uint32_t off, uint32_t bytes, int flags)
{
    check_async_touch(op, op->lane, c, off, bytes, flags & A_GENERIC ? flags : flags | A_ASYNC);
}
void check_async_touch(async_op *op, int lane, cta *c, uint32_t off, uint32_t bytes, int flags)
{
    if (!c->shadow || !bytes) return;
    if ((uint64_t)off + bytes > c->smem_size) {
        emu_report(op->w, op->i, 1u << op->lane, E_OOB_SHARED,
                   "%u bytes of shared memory at %s run past the end of the CTA's, which is at offset %u", bytes,
                   emu_offset(c, off), c->smem_size);
        return;
    }
    actor a = {.w = op->w, .lane = lane, .i = op->i, .who = (uint16_t)(0x8000 | op->slot), .tick = op->tick,
               .pc = pc_of(op->cl, op->i), .vc = op->vc, .flags = flags, .self = ~0u, .op = op};
    if (range(&a, c, off, bytes)) return;
    uint32_t where;
    if (flags & A_READ && !(flags & A_NOINIT) && !initialised(c->shadow, off, bytes, &where)) {
        emu_report(op->w, op->i, 1u << op->lane, E_UNINIT_SHARED,
                   "reads shared memory at %s that nobody has written yet: it is never written, or the write is not "
                   "ordered before this (a barrier or wait is missing)", emu_offset(c, where));
        set_init(c->shadow, off, bytes);
    }
}
uint8_t *emu_async_smem(async_op *op, cta *c, uint32_t off, uint32_t bytes, int flags)
{
    (void)op;
    if ((uint64_t)off + bytes > c->smem_size) return NULL;
    if (flags & A_WRITE && c->shadow) set_init(c->shadow, off, bytes);
    return c->smem + off;
}
