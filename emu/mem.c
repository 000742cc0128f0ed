/* mem.c - ld, st, atom, red, prefetches, address spaces, cp.async; and the functions that the toolkit's device code
 * calls without defining them: vprintf, malloc, free, __assertfail. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include "model.h"
#include "alloc.h"
#include "num.h"

/* ---- addresses ---- */

uint64_t emu_mem_addr(warp *w, const ptx_opnd *o, int lane)
{
    if (o->sym) return emu_sym_addr(w, o->sym, lane) + (uint64_t)o->imm;
    if (o->type == PT_NONE) return (uint64_t)o->imm;
    if (ptx_type_bits(o->type) == 64)
        return ((uint64_t *)(w->reg + (size_t)(w->base + o->reg) * 32))[lane] + (uint64_t)o->imm;
    return (w->reg + (size_t)(w->base + o->reg) * 32)[lane] + (uint64_t)o->imm;
}
int emu_to_shared(int space, uint64_t addr, uint32_t *shared)
{
    if (space != SP_SHARED && EMU_GEN_TAG(addr) != EMU_GEN_SHARED) return 0;
    *shared = (uint32_t)addr;
    return 1;
}
cta *emu_shared_cta(warp *w, uint64_t addr, uint32_t *offset)
{
    cluster *cl = w->cta->cl;
    uint32_t rank = (uint32_t)addr >> 24, off = (uint32_t)addr & 0xffffff;
    if (rank >= cl->ncta || off >= cl->cta[rank].smem_size) return NULL;
    *offset = off;
    return &cl->cta[rank];
}
static void *fault(warp *w, const ptx_instr *i, int lane, emu_check what, int cuda_error, const char *why)
{
    emu_report(w, i, 1u << lane, what, "%s", why);
    if (!w->cta->cl->L->cuda_error) w->cta->cl->L->cuda_error = cuda_error;
    return NULL;
}
static const char *verb(int flags)
{
    return flags & A_ATOMIC ? "atomic access to" : flags & A_WRITE ? "write to" : "read of";
}

/* A kernel's write: that these bytes have been written, and by whom. */
static void wrote(const warp *w, alloc *a, uint64_t addr, uint64_t size)
{
    if (emu_opt.checks) alloc_mark(a, addr, size);
    if (emu_early_on) alloc_wrote(a, addr, size, w->cta->cl->L->mark);
}
static void *global_access(warp *w, const ptx_instr *i, int lane, uint64_t addr, uint64_t size, int flags)
{
    char why[320], text[400];
    alloc *a = alloc_at(addr);
    if (!a || size > a->size || addr - a->base > a->size - size || (a->readonly && flags & (A_WRITE | A_ATOMIC))) {
        int r = emu_global_ok(addr, size, flags & (A_WRITE | A_ATOMIC), why, sizeof why);
        snprintf(text, sizeof text, "%s %llu bytes of global memory: %s", verb(flags), (unsigned long long)size, why);
        return fault(w, i, lane, a && a->readonly ? E_READONLY : r < 0 ? E_FREED : E_OOB_GLOBAL, 700, text);
    }
    if (a->init && emu_opt.checks) {
        if (flags & (A_READ | A_ATOMIC) && !(flags & A_NOINIT)) {
            uint64_t u = alloc_uninit(a, addr, size);
            if (u) {
                emu_report(w, i, 1u << lane, E_UNINIT_GLOBAL,
                           "%s global memory at %#llx (byte %llu of an allocation of %llu, %s) that nobody has written",
                           verb(flags), (unsigned long long)u, (unsigned long long)(u - a->base),
                           (unsigned long long)a->size, a->what);
                alloc_mark(a, addr, size);
            }
        }
    }
    if (flags & (A_WRITE | A_ATOMIC)) wrote(w, a, addr, size);
    return (void *)(uintptr_t)addr;
}
uint8_t *emu_async_global(async_op *op, uint64_t addr, uint64_t bytes, int flags)
{
    if (op->early) early_touch(op->w, op->i, op->lane, addr, bytes, flags);
    uint8_t *p = global_access(op->w, op->i, op->lane, addr, bytes, flags);
    if (p && flags & A_READ && !(flags & A_GENERIC) && emu_opt.checks) check_global_async_read(op, addr, bytes);
    return p;
}

void *emu_access(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, uint32_t size, uint32_t align,
                 int flags)
{
    char text[320];
    if (space == SP_NONE) {
        uint64_t tag = EMU_GEN_TAG(addr);
        space = tag == EMU_GEN_SHARED ? SP_SHARED : tag == EMU_GEN_LOCAL ? SP_LOCAL : SP_GLOBAL;
        if (space == SP_LOCAL) addr &= 0xffffffff;
    }
    if (!align) align = size;
    if (addr & (align - 1)) {
        snprintf(text, sizeof text, "%s %u bytes%s at %#llx, which is not a multiple of %u", verb(flags), size,
                 space == SP_SHARED ? " of shared memory" : space == SP_LOCAL ? " of local memory" : "",
                 (unsigned long long)addr, align);
        return fault(w, i, lane, E_MISALIGNED, 716, text);
    }
    if (space == SP_SHARED) {
        cluster *cl = w->cta->cl;
        uint32_t rank = (uint32_t)addr >> 24, off = (uint32_t)addr & 0xffffff;
        if (rank >= cl->ncta || (uint64_t)off + size > cl->cta[rank].smem_size
            || off < (uint32_t)cl->L->dev->smem_reserved) {
            if (rank >= cl->ncta)
                snprintf(text, sizeof text, "%s shared memory at %#x: the cluster has no CTA of rank %u", verb(flags),
                         (uint32_t)addr, rank);
            else if (off < (uint32_t)cl->L->dev->smem_reserved)
                snprintf(text, sizeof text, "%s shared memory at %#x: the first %d bytes belong to the system",
                         verb(flags), (uint32_t)addr, cl->L->dev->smem_reserved);
            else
                snprintf(text, sizeof text,
                         "%s %u bytes of shared memory at offset %u: the CTA has %u bytes (offsets %d to %u)",
                         verb(flags), size, off, cl->cta[rank].smem_size - (uint32_t)cl->L->dev->smem_reserved,
                         cl->L->dev->smem_reserved, cl->cta[rank].smem_size - 1);
            return fault(w, i, lane, E_OOB_SHARED, 700, text);
        }
        cta *c = &cl->cta[rank];
        if (c != w->cta && !c->live_warps) {
            snprintf(text, sizeof text, "%s the shared memory of CTA rank %u, which has exited", verb(flags), rank);
            return fault(w, i, lane, E_OOB_SHARED, 700, text);
        }
        if (c->shadow) check_shared(w, i, lane, c, off, size, flags & A_ATOMIC ? flags | A_WRITE : flags);
        return c->smem + off;
    }
    if (space == SP_LOCAL || (space == SP_PARAM && addr < 1ull << 32)) {
        void *p = emu_local(w, lane, addr, size);
        if (!p) {
            snprintf(text, sizeof text, "%s %u bytes of local memory at offset %llu: the thread has %u bytes here",
                     verb(flags), size, (unsigned long long)addr, w->frame_top[lane]);
            return fault(w, i, lane, E_OOB_LOCAL, 700, text);
        }
        return p;
    }
    if (early_lane(w, lane)) early_touch(w, i, lane, addr, size, flags);
    void *p = global_access(w, i, lane, addr, size, flags);
    if (p && flags & (A_WRITE | A_ATOMIC) && emu_opt.checks && w->cta->cl->L->k->uses_bulk)
        check_global_write(w, i, lane, addr, size);
    return p;
}

/* ---- decoding common to ld, st, atom, red ---- */

enum { M_STRONG = 1, M_ACQUIRE = 2, M_RELEASE = 4, M_SIGNED = 8 };
static int space_word(const char *word)
{
    static const struct { const char *w; int s; } t[] = {{"global", SP_GLOBAL}, {"shared", SP_SHARED},
                                                         {"shared::cta", SP_SHARED}, {"shared::cluster", SP_SHARED},
                                                         {"local", SP_LOCAL},
                                                         {"const", SP_CONST}, {"param", SP_PARAM},
                                                         {"param::entry", SP_PARAM}, {"param::func", SP_PARAM}};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) if (!strcmp(word, t[k].w)) return t[k].s;
    return 0;
}
/* words that change nothing here: caching and eviction hints */
static int hint(const char *w)
{
    static const char *const t[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt", "nc", "weak", "cta", "cluster", "gpu",
                                    "sys", "unified"};
    if (!strncmp(w, "L1::", 4) || !strncmp(w, "L2::", 4)) return 1;
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) if (!strcmp(w, t[k])) return 1;
    return 0;
}
static int strong_word(const char *w)
{
    return !strcmp(w, "volatile") || !strcmp(w, "relaxed") || !strcmp(w, "mmio") ? M_STRONG
        : !strcmp(w, "acquire") ? M_STRONG | M_ACQUIRE : !strcmp(w, "release") ? M_STRONG | M_RELEASE
           : !strcmp(w, "acq_rel") ? M_STRONG | M_ACQUIRE | M_RELEASE : 0;
}
static int vector_word(const char *w) { return w[0] == 'v' && w[1] >= '2' && w[1] <= '8' && !w[2] ? w[1] - '0' : 0; }

static int counted(const warp *w) { return w->cta->cl->L->stats || w->cta->cl->model; }
/* i->f: 0 space, 1 bytes of an element, 2 elements, 3 M_*, 4 type, 5 operation */
static void conflicts(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *mem, uint32_t bytes, int space)
{
    stat_line none, *s = emu_stat(w, i) ? emu_stat(w, i) : &none;
    uint64_t a[32], total = 0;
    int shared = 0, global = 0;
    EMU_EACH(l, mask) {
        a[l] = emu_mem_addr(w, mem, (int)l);
        int sh = space == SP_SHARED || (space == SP_NONE && EMU_GEN_TAG(a[l]) == EMU_GEN_SHARED);
        shared |= sh; global |= !sh && (space == SP_GLOBAL || space == SP_NONE);
        total += bytes;
    }
    /* wavefronts: 16 bytes a lane go in quarters of the warp, 8 in halves */
    if (shared) {
        uint32_t group = bytes >= 16 ? 8 : bytes == 8 ? 16 : 32, extra = 0;
        for (uint32_t g = 0; g < 32; g += group) {
            uint32_t seen[32][32], n[32] = {0}, worst = 0;
            for (uint32_t l = g; l < g + group; l++) {
                if (!(mask >> l & 1)) continue;
                for (uint32_t b = 0; b < (bytes < 4 ? 4 : bytes); b += 4) {
                    uint32_t word = (uint32_t)((a[l] + b) >> 2), bank = word % 32, k = 0;
                    while (k < n[bank] && seen[bank][k] != word) k++;
                    if (k == n[bank] && n[bank] < 32) seen[bank][n[bank]++] = word;
                }
            }
            for (int b = 0; b < 32; b++) if (n[b] > worst) worst = n[b];
            extra += worst ? worst - 1 : 0;
        }
        model_work(w, MP_LSU, (double)extra + (total + 127) / 128);
        __atomic_fetch_add(&s->conflicts, extra, __ATOMIC_RELAXED);
        __atomic_fetch_add(&s->shared_bytes, total, __ATOMIC_RELAXED);
    } else if (global) {
        uint64_t sec[128]; uint32_t n = 0;
        EMU_EACH(l, mask) for (uint64_t b = a[l] / 32; b <= (a[l] + bytes - 1) / 32 && n < 128; b++) {
            uint32_t k = 0;
            while (k < n && sec[k] != b) k++;
            if (k == n) sec[n++] = b;
        }
        /* cp.async has an event of its own */
        if (strcmp(i->mod[0], "cp"))
            model_note(w, NULL, (model_event){.kind = EV_GLOBAL, .a = strcmp(i->mod[0], "st") ? 32.f * (float)n : 0,
                                              .b = strcmp(i->mod[0], "ld") ? 32.f * (float)n : 0});
        __atomic_fetch_add(&s->sectors, n, __ATOMIC_RELAXED);
        __atomic_fetch_add(&s->global_bytes, total, __ATOMIC_RELAXED);
    }
}
static void strong(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *mem, int space, int reads, int writes)
{
    uint64_t a[32];
    EMU_EACH(l, mask) {
        a[l] = emu_mem_addr(w, mem, (int)l);
        if (space == SP_SHARED) a[l] |= EMU_GEN_SHARED;
    }
    check_strong(w, mask, NULL, a, reads, writes, (i->f[3] & M_ACQUIRE) != 0, (i->f[3] & M_RELEASE) != 0);
}

/* ---- ld and st ---- */

static inline void put(warp *w, const ptx_opnd *o, uint32_t l, const uint8_t *p, uint32_t bytes, int is_signed)
{
    if (o->kind == PO_SINK) return;
    if (bytes == 4) {
        uint32_t v;
        memcpy(&v, p, 4);
        if (ptx_type_bits(o->type) <= 32) R32(w, o)[l] = v;
        else R64(w, o)[l] = is_signed ? (uint64_t)(int64_t)(int32_t)v : v;
        return;
    }
    if (bytes == 16) { memcpy(&R64(w, o)[l], p, 8); memcpy(&R64(w, o)[32 + l], p + 8, 8); return; }
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    if (is_signed && bytes < 8) v = (uint64_t)((int64_t)(v << (64 - 8 * bytes)) >> (64 - 8 * bytes));
    int bits = ptx_type_bits(o->type);
    if (bits == 64) R64(w, o)[l] = v;
    else R32(w, o)[l] = (uint32_t)(bits == 16 ? v & 0xffff : bits == 8 ? v & 0xff : v);
}
static inline void get(warp *w, const ptx_opnd *o, uint32_t l, uint8_t *p, uint32_t bytes)
{
    if (bytes <= 4) {
        uint32_t v;
        if (o->kind == PO_REG && ptx_type_bits(o->type) == 64) v = (uint32_t)R64(w, o)[l];
        else v = R32(w, o)[l];
        memcpy(p, &v, bytes);
    } else if (bytes == 8) memcpy(p, &R64(w, o)[l], 8);
    else { memcpy(p, &R64(w, o)[l], 8); memcpy(p + 8, &R64(w, o)[32 + l], 8); }
}
/* The frequent case of ld and st without the general machinery: plain accesses of elements of 4 or 8 bytes to global
 * memory, all lanes within one allocation and, for ld, to bytes that have been written. Fills in addr and the planes of
 * the registers; 0 if it is not that case (nothing has happened then, and nothing has been checked). */
static int plain_global(warp *w, const ptx_instr *i, uint32_t mask, const ptx_opnd *regs, const ptx_opnd *mem,
                        int write, uint64_t addr[32], uint32_t *plane[8])
{
    uint32_t bytes = i->f[1], n = i->f[2], size = bytes * n;
    int space = (int)i->f[0];
    launch *L = w->cta->cl->L;
    if ((space != SP_GLOBAL && space != SP_NONE && space != SP_CONST) || (bytes != 4 && bytes != 8) || size > 16
        || i->f[3] & M_STRONG || !mem->type || mem->sym || counted(w) || w->cta->cl->watch)
        return 0;
    if (write && (L->k->uses_bulk || space == SP_CONST)) return 0;
    if (L->nbeside && mask & ~w->waited) return 0;
    const ptx_opnd *r = regs->kind == PO_VEC ? regs->elem : regs;
    if (regs->kind == PO_VEC && regs->n != n) return 0;
    for (uint32_t k = 0; k < n; k++) {
        if ((r[k].kind != PO_REG && !(write && r[k].konst))
            || (r[k].kind == PO_REG && ptx_type_bits(r[k].type) != (int)bytes * 8))
            return 0;
        if (r[k].kind != PO_REG && bytes != 4) return 0;
        plane[k] = R32(w, &r[k]);
    }
    if (ptx_type_bits(mem->type) != 64) return 0;
    const uint64_t *base = (const uint64_t *)(const void *)(w->reg + (size_t)(w->base + mem->reg) * 32);
    const alloc *a = alloc_at(base[__builtin_ctz(mask)] + (uint64_t)mem->imm);
    if (!a || size > a->size || (write && a->readonly)) return 0;
    const uint8_t *init = emu_opt.checks && !write ? a->init : NULL;
    uint64_t bad = 0, from = a->base, room = a->size - size;
    EMU_EACH(l, mask) {
        uint64_t x = base[l] + (uint64_t)mem->imm, o = x - from;
        addr[l] = x;
        if ((x & (size - 1)) || o > room) return 0;
        if (!init) continue;
        uint32_t have = init[o / 8];
        if (size == 16) have &= init[o / 8 + 1];
        bad |= size == 4 ? (have >> (o & 4) & 15) ^ 15 : have ^ 255;
    }
    return !bad;
}

static int exec_ld(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *d = &i->op[0], *a = &i->op[1];
    uint32_t bytes = i->f[1], n = i->f[2], *plane[8];
    uint64_t at[32];
    if (!(i->f[3] & M_SIGNED) && plain_global(w, i, mask, d, a, 0, at, plane)) {
        for (uint32_t k = 0; k < n; k++)
            if (bytes == 4) EMU_EACH(l, mask) memcpy(&plane[k][l], (const uint8_t *)(uintptr_t)at[l] + 4 * k, 4);
            else EMU_EACH(l, mask) memcpy(&plane[k][2 * l], (const uint8_t *)(uintptr_t)at[l] + 8 * k, 8);
        return X_NEXT;
    }
    int space = (int)i->f[0], flags = A_READ | (i->f[3] & M_STRONG ? A_STRONG : 0), s = (i->f[3] & M_SIGNED) != 0;
    if (counted(w)) conflicts(w, i, mask, a, bytes * n, space);
    if (i->f[3] & M_STRONG) strong(w, i, mask, a, space, 1, 0);
    EMU_EACH(l, mask) {
        uint64_t addr = emu_mem_addr(w, a, (int)l);
        const uint8_t *p = emu_access(w, i, (int)l, space, addr, bytes * n, 0, flags);
        uint8_t poison[32];
        if (w->cta->cl->watch) spin_load(w, i, space, addr, bytes * n);
        if (!p) { memset(poison, 0xcd, sizeof poison); p = poison; }
        if (n == 1) put(w, d->elem && d->kind == PO_VEC ? &d->elem[0] : d, l, p, bytes, s);
        else for (uint32_t k = 0; k < n; k++) put(w, &d->elem[k], l, p + k * bytes, bytes, s);
    }
    return X_NEXT;
}
static int exec_st(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *a = &i->op[0], *v = &i->op[1];
    uint32_t bytes = i->f[1], n = i->f[2], *plane[8];
    uint64_t at[32];
    if (plain_global(w, i, mask, v, a, 1, at, plane)) {
        alloc *to = alloc_at(at[__builtin_ctz(mask)]);
        EMU_EACH(l, mask) {
            uint8_t *p = (uint8_t *)(uintptr_t)at[l], b[16];
            for (uint32_t k = 0; k < n; k++) memcpy(b + k * bytes, bytes == 4 ? &plane[k][l] : &plane[k][2 * l], bytes);
            wrote(w, to, at[l], bytes * n);
            int changed = memcmp(p, b, bytes * n) != 0;
            emu_progress += (uint64_t)changed;
            emu_writes += (uint64_t)changed;
            memcpy(p, b, bytes * n);
        }
        return X_NEXT;
    }
    int space = (int)i->f[0], flags = A_WRITE | (i->f[3] & M_STRONG ? A_STRONG : 0);
    if (counted(w)) conflicts(w, i, mask, a, bytes * n, space);
    if (i->f[3] & M_STRONG) strong(w, i, mask, a, space, 0, 1);
    EMU_EACH(l, mask) {
        uint64_t addr = emu_mem_addr(w, a, (int)l);
        uint8_t *p = emu_access(w, i, (int)l, space, addr, bytes * n, 0, flags), b[32];
        if (!p) continue;
        int changed = 0;
        if (n == 1) get(w, v->elem && v->kind == PO_VEC ? &v->elem[0] : v, l, b, bytes);
        else for (uint32_t k = 0; k < n; k++) get(w, &v->elem[k], l, b + k * bytes, bytes);
        changed = memcmp(p, b, bytes * n) != 0;
        if (bytes * n == 4 && i->f[3] & M_STRONG) {
            uint32_t x;
            memcpy(&x, b, 4);
            __atomic_store_n((uint32_t *)p, x, __ATOMIC_SEQ_CST);
        } else memcpy(p, b, bytes * n);
        changed &= space != SP_LOCAL && space != SP_PARAM;
        emu_progress += (uint64_t)changed;
        emu_writes += (uint64_t)changed;
        if (w->cta->cl->watch) spin_store(w, i, space, addr, bytes * n, changed);
    }
    return X_NEXT;
}
int emu_decode_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    int load = i->mod[0][0] == 'l', space = SP_NONE, vec = 1, flags = 0;
    ptx_type t = emu_type_n(i, 0);
    if (!load && (emu_has(i, "async") || emu_has(i, "bulk"))) return emu_tma_decode_st(m, fn, i, err, n);
    if (t == PT_NONE) return emu_decode_error(err, n, i, "has no type");
    for (int k = 1; k < i->nmod; k++) {
        const char *w = i->mod[k];
        int v;
        if (space_word(w)) space = space_word(w);
        else if ((v = vector_word(w))) vec = v;
        else if (strong_word(w)) flags |= strong_word(w);
        else if (load && !strcmp(w, "proxy::readonly")) {
            if (emu_needs(m, i, 94, "sm_90+", err, n)) return -1;
        } else if (ptx_type_of(w) == PT_NONE && !hint(w)) return emu_decode_error(err, n, i, "does not know .%s", w);
    }
    if (i->nop < 2 || i->op[load ? 1 : 0].kind != PO_MEM)
        return emu_decode_error(err, n, i, "needs a register and an address");
    if (emu_has(i, "mmio") && (emu_has(i, "acquire") || emu_has(i, "release"))
        && emu_needs(m, i, 93, "sm_75+", err, n))
        return -1;
    ptx_opnd *v = &i->op[load ? 0 : 1];
    if (vec > 1 && (v->kind != PO_VEC || v->n != vec)) return emu_decode_error(err, n, i, "needs a vector of %d", vec);
    if (vec == 1 && v->kind == PO_VEC && v->n != 1)
        return emu_decode_error(err, n, i, "a vector operand without .v2, .v4 or .v8");
    int bytes = ptx_type_bits(t) / 8;
    if (!bytes || bytes * vec > 32) return emu_decode_error(err, n, i, "more than 32 bytes in one access");
    if (emu_prepare(m, fn, v, t, err, n)) return -1;
    flags |= t == PT_S8 || t == PT_S16 || t == PT_S32 ? M_SIGNED : 0;
    i->f[0] = (uint32_t)space; i->f[1] = (uint32_t)bytes; i->f[2] = (uint32_t)vec; i->f[3] = (uint32_t)flags;
    i->f[4] = t;
    i->exec = load ? exec_ld : exec_st;
    return 0;
}

/* ---- atom and red ---- */

enum { OP_ADD, OP_INC, OP_DEC, OP_EXCH, OP_MIN, OP_MAX, OP_AND, OP_OR, OP_XOR, OP_CAS };
static uint64_t apply(int op, ptx_type t, uint64_t old, uint64_t v, uint64_t cmp)
{
    uint32_t o32 = (uint32_t)old, v32 = (uint32_t)v;
    switch (op) {
    case OP_EXCH: return v;
    case OP_CAS: return old == cmp ? v : old;
    case OP_AND: return old & v;
    case OP_OR: return old | v;
    case OP_XOR: return old ^ v;
    case OP_INC: return o32 >= v32 ? 0 : o32 + 1;
    case OP_DEC: return o32 == 0 || o32 > v32 ? v32 : o32 - 1;
    }
    switch (t) {
    case PT_F32: {
        float a = num_bits_f32(o32), b = num_bits_f32(v32);
        return num_f32_bits(num_canon_f32(op == OP_ADD ? a + b : op == OP_MIN ? fminf(a, b) : fmaxf(a, b)));
    }
    case PT_F64: {
        double a = num_bits_f64(old), b = num_bits_f64(v);
        return num_f64_bits(op == OP_ADD ? a + b : op == OP_MIN ? fmin(a, b) : fmax(a, b));
    }
    case PT_F16: {
        if (op == OP_ADD) return num_add_f16((uint16_t)old, (uint16_t)v);
        float a = num_f16_to_f32((uint16_t)old), b = num_f16_to_f32((uint16_t)v);
        return num_f32_to_f16(op == OP_MIN ? fminf(a, b) : fmaxf(a, b));
    }
    case PT_BF16: {
        if (op == OP_ADD) return num_add_bf16((uint16_t)old, (uint16_t)v);
        float a = num_bf16_to_f32((uint16_t)old), b = num_bf16_to_f32((uint16_t)v);
        return num_f32_to_bf16(op == OP_MIN ? fminf(a, b) : fmaxf(a, b));
    }
    case PT_F16X2: case PT_BF16X2: {
        ptx_type e = t == PT_F16X2 ? PT_F16 : PT_BF16;
        return (apply(op, e, o32 & 0xffff, v32 & 0xffff, 0) & 0xffff) | apply(op, e, o32 >> 16, v32 >> 16, 0) << 16;
    }
    case PT_S32:
        return op == OP_ADD ? o32 + v32
             : op == OP_MIN ? ((int32_t)o32 < (int32_t)v32 ? o32 : v32)
             : (int32_t)o32 > (int32_t)v32 ? o32
             : v32;
    case PT_S64:
        return op == OP_ADD ? old + v
             : op == OP_MIN ? ((int64_t)old < (int64_t)v ? old : v)
             : (int64_t)old > (int64_t)v ? old
             : v;
    default: return op == OP_ADD ? old + v : op == OP_MIN ? (old < v ? old : v) : old > v ? old : v;
    }
}
static pthread_mutex_t wide_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t atomically(void *p, int bytes, int op, ptx_type t, uint64_t v, uint64_t cmp)
{
    if (bytes == 4) {
        uint32_t old = __atomic_load_n((uint32_t *)p, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n((uint32_t *)p, &old, (uint32_t)apply(op, t, old, v, cmp), 0,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) ;
        return old;
    }
    if (bytes == 8) {
        uint64_t old = __atomic_load_n((uint64_t *)p, __ATOMIC_SEQ_CST);
        while (!__atomic_compare_exchange_n((uint64_t *)p, &old, apply(op, t, old, v, cmp), 0, __ATOMIC_SEQ_CST,
                                            __ATOMIC_SEQ_CST)) ;
        return old;
    }
    uint16_t old = __atomic_load_n((uint16_t *)p, __ATOMIC_SEQ_CST);
    while (!__atomic_compare_exchange_n((uint16_t *)p, &old, (uint16_t)apply(op, t, old, v, cmp), 0, __ATOMIC_SEQ_CST,
                                        __ATOMIC_SEQ_CST)) ;
    return old;
}
static int exec_atom(warp *w, const ptx_instr *i, uint32_t mask)
{
    int red = i->mod[0][0] == 'r', space = (int)i->f[0], op = (int)i->f[5];
    uint32_t bytes = i->f[1], n = i->f[2];
    ptx_type t = (ptx_type)i->f[4];
    const ptx_opnd *d = red ? NULL : &i->op[0], *a = &i->op[red ? 0 : 1], *v = &i->op[red ? 1 : 2],
                   *c = op == OP_CAS ? &i->op[red ? 2 : 3] : NULL;
    if (counted(w)) conflicts(w, i, mask, a, bytes * n, space);
    strong(w, i, mask, a, space, !red, 1);
    EMU_EACH(l, mask) {
        uint64_t addr = emu_mem_addr(w, a, (int)l);
        uint8_t *p = emu_access(w, i, (int)l, space, addr, bytes * n, 0, A_READ | A_WRITE | A_ATOMIC | A_STRONG);
        if (!p) continue;
        int changed = 0;
        if (bytes == 16) {
            uint64_t x[2], y[2] = {0}, old[2];
            get(w, v, l, (uint8_t *)x, 16);
            if (c) get(w, c, l, (uint8_t *)y, 16);
            pthread_mutex_lock(&wide_lock);
            memcpy(old, p, 16);
            if (!c) memcpy(p, x, 16);
            else if (old[0] == x[0] && old[1] == x[1]) memcpy(p, y, 16);
            changed = memcmp(p, old, 16) != 0;
            pthread_mutex_unlock(&wide_lock);
            if (d) put(w, d, l, (uint8_t *)old, 16, 0);
        } else for (uint32_t k = 0; k < n; k++) {
            uint64_t x[2] = {0}, y[2] = {0}, old;
            get(w, n > 1 ? &v->elem[k] : v, l, (uint8_t *)x, bytes);
            if (c) get(w, c, l, (uint8_t *)y, bytes);
            old = c ? atomically(p + k * bytes, (int)bytes, OP_CAS, t, y[0], x[0])
                : atomically(p + k * bytes, (int)bytes, op, t, x[0], 0);
            uint64_t now = c ? apply(OP_CAS, t, old, y[0], x[0]) : apply(op, t, old, x[0], 0);
            changed |= bytes == 8 ? now != old
                     : bytes == 4 ? (uint32_t)now != (uint32_t)old
                     : (uint16_t)now != (uint16_t)old;
            if (d) put(w, n > 1 ? &d->elem[k] : d, l, (uint8_t *)&old, bytes, 0);
        }
        emu_progress += (uint64_t)changed;
        emu_writes += (uint64_t)changed;
        if (w->cta->cl->watch) {
            if (!red) spin_load(w, i, space, addr, bytes * n);
            spin_store(w, i, space, addr, bytes * n, changed);
        }
    }
    return X_NEXT;
}
int emu_decode_atom(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const char *const ops[] = {"add", "inc", "dec", "exch", "min", "max", "and", "or", "xor", "cas"};
    int red = i->mod[0][0] == 'r', space = SP_NONE, vec = 1, flags = M_STRONG, op = -1;
    ptx_type t = emu_type_n(i, 0);
    if (red && emu_has(i, "async")) return emu_tma_decode_red(m, fn, i, err, n);
    for (int k = 1; k < i->nmod; k++) {
        const char *w = i->mod[k];
        int known = 0;
        for (int o = 0; o < 10; o++) if (!strcmp(w, ops[o])) { op = o; known = 1; }
        if (known) continue;
        if (space_word(w)) space = space_word(w);
        else if (vector_word(w)) vec = vector_word(w);
        else if (strong_word(w)) flags |= strong_word(w);
        else if (!strcmp(w, "noftz")) continue;
        else if (ptx_type_of(w) != PT_NONE) t = ptx_type_of(w);
        else if (!hint(w)) return emu_decode_error(err, n, i, "does not know .%s", w);
    }
    if (op < 0 || t == PT_NONE) return emu_decode_error(err, n, i, "needs an operation and a type");
    if (emu_has(i, "noftz") && t == PT_F32 && emu_needs(m, i, 94, "sm_90+", err, n)) return -1;
    int bytes = ptx_type_bits(t) / 8, first = red ? 0 : 1;
    if (i->nop < first + 2 + (op == OP_CAS) || i->op[first].kind != PO_MEM)
        return emu_decode_error(err, n, i, "too few operands");
    if (bytes < 2 || (bytes == 16 && op != OP_EXCH && op != OP_CAS))
        return emu_decode_error(err, n, i, "no such operation on this type");
    if (vec > 1 && (i->op[first + 1].kind != PO_VEC || i->op[first + 1].n != vec))
        return emu_decode_error(err, n, i, "needs vectors of %d", vec);
    if (vec > 1 && !red && (i->op[0].kind != PO_VEC || i->op[0].n != vec))
        return emu_decode_error(err, n, i, "needs vectors of %d", vec);
    for (int k = 0; k < i->nop; k++)
        if (k != first && emu_prepare(m, fn, &i->op[k], k <= first + 2 ? t : PT_B64, err, n)) return -1;
    i->f[0] = (uint32_t)space; i->f[1] = (uint32_t)bytes; i->f[2] = (uint32_t)vec; i->f[3] = (uint32_t)flags;
    i->f[4] = t; i->f[5] = (uint32_t)op;
    i->exec = exec_atom;
    return 0;
}

/* ---- address arithmetic and hints ---- */

static int exec_cvta(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ptx_opnd *d = &i->op[0], *s = &i->op[1];
    int narrow_s = s->kind == PO_REG && ptx_type_bits(s->type) == 32, narrow_d = ptx_type_bits(d->type) == 32;
    EMU_EACH(l, mask) {
        uint64_t a = narrow_s ? R32(w, s)[l] : R64(w, s)[l];
        if (i->f[1]) {                          /* generic -> space */
            if (i->f[0] == SP_SHARED || i->f[0] == SP_LOCAL) a = (uint32_t)a;
        } else if (i->f[0] == SP_SHARED) a = EMU_GEN_SHARED | (uint32_t)a;
        else if (i->f[0] == SP_LOCAL || (i->f[0] == SP_PARAM && a < 1ull << 32)) a = EMU_GEN_LOCAL | (uint32_t)a;
        if (narrow_d) R32(w, d)[l] = (uint32_t)a; else R64(w, d)[l] = a;
    }
    return X_NEXT;
}
static int exec_isspacep(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t r = 0;
    const ptx_opnd *s = &i->op[1];
    EMU_EACH(l, mask) {
        uint64_t a = R64(w, s)[l], tag = EMU_GEN_TAG(a);
        int in = 0;
        switch (i->f[0]) {
        case SP_SHARED: in = tag == EMU_GEN_SHARED && (i->f[1] || (uint32_t)a >> 24 == w->cta->rank); break;
        case SP_LOCAL: in = tag == EMU_GEN_LOCAL; break;
        case SP_PARAM: in = a - (uint64_t)(uintptr_t)w->cta->cl->L->param < w->cta->cl->L->k->fn->param_bytes; break;
        case SP_CONST: { alloc *al = alloc_at(a); in = al && al->readonly == 2; break; }
        default: in = tag != EMU_GEN_SHARED && tag != EMU_GEN_LOCAL;
        }
        r |= (uint32_t)in << l;
    }
    uint32_t *d = RP(w, &i->op[0]);
    *d = (*d & ~mask) | (r & mask);
    return X_NEXT;
}
static int exec_hint(warp *w, const ptx_instr *i, uint32_t mask) { (void)w; (void)i; (void)mask; return X_NEXT; }
/* prefetch....valid_addr promises that the 32 bytes can be read */
static int exec_valid_addr(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask)
        emu_access(w, i, (int)l, SP_GLOBAL, emu_mem_addr(w, &i->op[0], (int)l) & ~31ull, 32, 1, A_READ | A_NOINIT);
    return X_NEXT;
}
static int exec_policy(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) R64(w, &i->op[0])[l] = 0x1000000000000000ull;
    return X_NEXT;
}
static int exec_mapa(warp *w, const ptx_instr *i, uint32_t mask)
{
    int wide = (int)i->f[0], generic = (int)i->f[1];
    EMU_EACH(l, mask) {
        uint64_t a = wide ? R64(w, &i->op[1])[l] : R32(w, &i->op[1])[l];
        uint32_t r = R32(w, &i->op[2])[l];
        if (r >= w->cta->cl->ncta)
            emu_report(w, i, 1u << l, E_OPERAND, "the address of CTA rank %u: the cluster has %u CTAs", r,
                       w->cta->cl->ncta);
        a = ((uint32_t)a & 0xffffff) | (uint64_t)(r & 255) << 24 | (generic ? EMU_GEN_SHARED : 0);
        if (wide) R64(w, &i->op[0])[l] = a; else R32(w, &i->op[0])[l] = (uint32_t)a;
    }
    return X_NEXT;
}
static int exec_getctarank(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask)
        R32(w, &i->op[0])[l] = (uint32_t)(i->f[0] ? R64(w, &i->op[1])[l] : R32(w, &i->op[1])[l]) >> 24 & 255;
    return X_NEXT;
}
/* alloca, stacksave, stackrestore: the frame grows at its end, and ret gives it back */
enum { STACK_MOST = 512 << 10 };                /* bytes of local memory that a thread can have on any device */
static int exec_alloca(warp *w, const ptx_instr *i, uint32_t mask)
{
    int wide = i->f[0] != 0;
    uint64_t align = i->f[1];
    EMU_EACH(l, mask) {
        uint64_t size = wide ? R64(w, &i->op[1])[l] : R32(w, &i->op[1])[l],
                 from = (w->frame_top[l] + align - 1) / align * align;
        if (size > STACK_MOST || from + size > STACK_MOST)
            return emu_fatal(w, i, 1u << l, E_OOB_LOCAL,
                             "alloca of %llu bytes beside the %u bytes of local memory that the thread has: it can "
                             "have %u", (unsigned long long)size, w->frame_top[l], (unsigned)STACK_MOST);
        w->frame_top[l] = (uint32_t)(from + size);
        if (wide) R64(w, &i->op[0])[l] = from; else R32(w, &i->op[0])[l] = (uint32_t)from;
    }
    return X_NEXT;
}
static int exec_stack(warp *w, const ptx_instr *i, uint32_t mask)
{
    int wide = i->f[0] != 0, restore = i->f[1] != 0;
    EMU_EACH(l, mask) {
        if (!restore) {
            if (wide) R64(w, &i->op[0])[l] = w->frame_top[l];
            else R32(w, &i->op[0])[l] = w->frame_top[l];
            continue;
        }
        uint64_t top = wide ? R64(w, &i->op[0])[l] : R32(w, &i->op[0])[l];
        if (top > w->frame_top[l] || top < w->frame_off[l])
            emu_report(w, i, 1u << l, E_OPERAND, "stackrestore to %#llx, which no stacksave of this function gave",
                       (unsigned long long)top);
        else w->frame_top[l] = (uint32_t)top;
    }
    return X_NEXT;
}
static int decode_stack(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    ptx_type t = emu_type_n(i, 0);
    i->f[0] = t == PT_U64;
    if (t != PT_U64 && t != PT_U32) return emu_decode_error(err, n, i, "needs .u32 or .u64");
    if (strcmp(i->mod[0], "alloca")) {
        if (i->nop != 1 || i->op[0].kind != PO_REG) return emu_decode_error(err, n, i, "needs a register");
        i->f[1] = i->mod[0][5] == 'r';
        i->exec = exec_stack;
        return 0;
    }
    if (i->nop < 2 || i->nop > 3 || i->op[0].kind != PO_REG
        || (i->nop == 3 && (i->op[2].kind != PO_IMM || i->op[2].imm < 1 || i->op[2].imm > 1 << 23
                            || i->op[2].imm & (i->op[2].imm - 1))))
        return emu_decode_error(err, n, i, "needs a register, a size, and perhaps an alignment that is a power of two");
    i->f[1] = i->nop == 3 && i->op[2].imm > 8 ? (uint32_t)i->op[2].imm : 8;
    i->exec = exec_alloca;
    return emu_prepare(m, fn, &i->op[1], t, err, n);
}
static int decode_address(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const char *word = i->mod[0];
    if (!strcmp(word, "applypriority") && emu_has(i, "async")) return emu_tma_decode_priority(m, fn, i, err, n);
    ptx_type t = emu_type_n(i, 0);
    int space = SP_NONE, cluster = 0;
    for (int k = 1; k < i->nmod; k++) {
        if (space_word(i->mod[k])) space = space_word(i->mod[k]);
        if (!strcmp(i->mod[k], "shared::cluster")) cluster = 1;
    }
    i->f[0] = (uint32_t)space;
    if (!strcmp(word, "cvta")) {
        i->f[1] = (uint32_t)emu_has(i, "to");
        if (!space || i->nop != 2) return emu_decode_error(err, n, i, "needs a space and two operands");
        if (i->op[1].kind == PO_SYM && i->op[1].sym->space == SP_FUNC)
            return emu_decode_error(err, n, i, "of a function");
        i->exec = exec_cvta;
        return emu_prepare(m, fn, &i->op[1], t, err, n);
    }
    if (!strcmp(word, "isspacep")) {
        i->f[1] = (uint32_t)cluster;
        i->exec = exec_isspacep;
        return emu_prepare(m, fn, &i->op[1], PT_U64, err, n);
    }
    if (!strcmp(word, "mapa")) {
        i->f[0] = t == PT_U64; i->f[1] = space == SP_NONE;
        i->exec = exec_mapa;
        return emu_prepare(m, fn, &i->op[1], t, err, n) || emu_prepare(m, fn, &i->op[2], PT_U32, err, n) ? -1 : 0;
    }
    if (!strcmp(word, "getctarank")) {
        i->f[0] = i->op[1].kind == PO_REG && ptx_type_bits(i->op[1].type) == 64;
        i->exec = exec_getctarank;
        return emu_prepare(m, fn, &i->op[1], t, err, n);
    }
    if (!strcmp(word, "createpolicy")) {
        i->exec = exec_policy;
        for (int k = 1; k < i->nop; k++) if (i->op[k].kind == PO_SYM) return -1;
        return 0;
    }
    if (emu_has(i, "valid_addr") || emu_has(i, "L1::32B")) {
        if (!emu_has(i, "valid_addr") || !emu_has(i, "L1::32B") || (space && space != SP_GLOBAL))
            return emu_decode_error(err, n, i, ".L1::32B and .valid_addr go together, with global memory");
        i->exec = exec_valid_addr;
        return emu_needs(m, i, 94, "sm_90+", err, n);
    }
    i->exec = exec_hint;                        /* prefetch, prefetchu, applypriority, discard */
    return 0;
}

/* ---- cp.async (not bulk) ----
 * Copies stay pending until the thread waits. One operation serves the lanes of a warp that issued it together. */

typedef struct cpasync { struct cpasync *next; async_op *op; uint32_t mask, group; int committed; } cpasync;
typedef struct { uint64_t src[32]; uint32_t off[32], n[32], size, mask; cta *c[32]; } cp_payload;

static void cp_perform(async_op *op, int stage)
{
    cp_payload *p = op->payload;
    if (stage != AO_WRITE) return;
    EMU_EACH(l, p->mask) {
        uint8_t *d = emu_async_smem(op, p->c[l], p->off[l], p->size, A_WRITE);
        if (!d) continue;
        if (p->n[l]) memcpy(d, (void *)(uintptr_t)p->src[l], p->n[l]);
        memset(d + p->n[l], 0, p->size - p->n[l]);
    }
}

static int exec_cp_async(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t size = i->f[0], seen = 0;
    async_op *op = emu_async_new_lanes(w, i, mask, sizeof(cp_payload), cp_perform);
    check_generic_op(op);
    cp_payload *p = op->payload;
    p->size = size;
    if (counted(w)) {
        conflicts(w, i, mask, &i->op[0], size, SP_SHARED);
        conflicts(w, i, mask, &i->op[1], size, SP_GLOBAL);
    }
    model_note(w, NULL, (model_event){.kind = EV_CP, .a = (float)size * (float)__builtin_popcount(mask)});
    uint32_t ignore = i->f[2] ? emu_pred(w, &i->op[i->f[2]]) : 0;
    EMU_EACH(l, mask) {
        uint32_t off, n = i->f[1] ? R32(w, &i->op[i->f[1]])[l] : size;
        uint64_t dst = emu_mem_addr(w, &i->op[0], (int)l), src = emu_mem_addr(w, &i->op[1], (int)l);
        if (ignore >> l & 1) n = 0;
        if (n > size) {
            emu_report(w, i, 1u << l, E_OPERAND, "src-size %u is larger than cp-size %u", n, size);
            n = size;
        }
        cta *c = emu_shared_cta(w, dst, &off);
        if (dst % size || src % size) {
            emu_report(w, i, 1u << l, E_MISALIGNED,
                       "cp.async of %u bytes from %#llx to shared offset %u: both must be multiples of %u", size,
                       (unsigned long long)src, (uint32_t)dst & 0xffffff, size);
            continue;
        }
        if (!c || off + size > c->smem_size || off < (uint32_t)w->cta->cl->L->dev->smem_reserved) {
            emu_access(w, i, (int)l, SP_SHARED, dst, size, 0, A_WRITE);
            continue;
        }
        if (n && early_lane(w, (int)l)) early_touch(w, i, (int)l, src, n, A_READ);
        if (n && !global_access(w, i, (int)l, src, n, A_READ)) continue;
        check_async_touch(op, (int)l, c, off, size, A_WRITE);
        p->c[l] = c; p->off[l] = off; p->src[l] = src; p->n[l] = n;
        seen |= 1u << l;
    }
    p->mask = seen;
    cpasync *e = malloc(sizeof *e), **tail = &w->cpasync;
    *e = (cpasync){.op = op, .mask = mask};
    while (*tail) tail = &(*tail)->next;
    *tail = e;
    return X_NEXT;
}
static int exec_cp_commit(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    EMU_EACH(l, mask) w->cp_groups[l]++;
    model_note(w, NULL, (model_event){.kind = EV_CP_COMMIT});
    for (cpasync *e = w->cpasync; e; e = e->next)
        if (!e->committed && e->mask & mask) {
            e->committed = 1;
            e->group = w->cp_groups[__builtin_ctz(e->mask & mask)];
        }
    return X_NEXT;
}
static void cp_finish(warp *w, cpasync **at)
{
    cpasync *e = *at;
    *at = e->next;
    emu_async_run(e->op);
    vclk_acquire(w, e->mask, e->op->vc);
    emu_async_free(e->op);
    free(e);
}
static int exec_cp_wait(warp *w, const ptx_instr *i, uint32_t mask)
{
    int all = (int)i->f[0];
    model_note(w, NULL, (model_event){.kind = EV_CP_WAIT, .mask = (uint16_t)all,
                                      .n = (uint8_t)(i->f[1] < 255 ? i->f[1] : 255)});
    for (cpasync **a = &w->cpasync; *a;) {
        cpasync *e = *a;
        int lane = e->mask & mask ? __builtin_ctz(e->mask & mask) : -1;
        if (lane >= 0 && (all || (e->committed && e->group + i->f[1] <= w->cp_groups[lane]))) cp_finish(w, a);
        else a = &e->next;
    }
    emu_event(w->cta->cl);
    return X_NEXT;
}
/* cp.async.mbarrier.arrive: an operation of the cluster's queue that completes this thread's copies and then arrives */
typedef struct { warp *w; uint32_t mask; cta *c[32]; uint32_t off[32]; uint64_t before; } cp_arrive;
static void cp_arrive_perform(async_op *op, int stage)
{
    cp_arrive *p = op->payload;
    if (stage != AO_WRITE) return;
    int kept = 0;
    for (cpasync *e = p->w->cpasync; e; e = e->next)
        if (e->mask & p->mask && e->op->posted && e->op->posted <= p->before) {
            emu_async_run(e->op);
            kept++;
        }
    /* they stay for a cp.async.wait_group; but those who use the mbarrier need none, so not all of them and not for
     * ever */
    for (cpasync **a = &p->w->cpasync; *a && kept > 64;)
        if ((*a)->op->stage_done >> AO_WRITE & 1) { cp_finish(p->w, a); kept--; }
        else a = &(*a)->next;
    EMU_EACH(l, p->mask) emu_mbar_arrive_op(op, p->c[l], p->off[l], 1);
}
int emu_mbar_inc(cta *c, uint32_t off);
static int exec_cp_arrive(warp *w, const ptx_instr *i, uint32_t mask)
{
    async_op *op = emu_async_new_lanes(w, i, mask, sizeof(cp_arrive), cp_arrive_perform);
    cp_arrive *p = op->payload;
    p->w = w;
    model_note(w, op, (model_event){.kind = EV_CP_ARRIVE});
    EMU_EACH(l, mask) {
        uint64_t a = emu_mem_addr(w, &i->op[0], (int)l);
        if (!emu_mbar_check(w, i, (int)l, (int)i->f[0], a, &p->c[l], &p->off[l])) continue;
        p->mask |= 1u << l;
        if (!i->f[1]) emu_mbar_inc(p->c[l], p->off[l]);
        op->mbar_cta = p->c[l]; op->mbar_off = p->off[l]; op->has_mbar = 1;
    }
    for (cpasync *e = w->cpasync; e; e = e->next) {
        if (!(e->mask & mask)) continue;
        if (!e->op->posted) e->op->posted = w->cta->cl->steps + 1;
        vclk_merge(w->cta->cl, &op->vc, e->op->vc); /* now: a wait of this thread may finish it first */
    }
    p->before = w->cta->cl->steps + 1;
    emu_async_post(op);
    return X_NEXT;
}
void cpasync_warp_end(warp *w, int last)
{
    for (cpasync **a = &w->cpasync; *a;) {
        cpasync *e = *a;
        /* its cp.async.mbarrier.arrive is still to come */
        if (!last && e->op->posted && !e->op->stage_done) { a = &e->next; continue; }
        *a = e->next;
        if (!last && !e->op->stage_done && !w->live && !w->cta->cl->L->failed)
            emu_report(w, e->op->i, e->mask, E_IN_FLIGHT,
                       "the thread exits with this copy in flight: no cp.async.wait_group or wait_all saw it");
        emu_async_free(e->op);
        free(e);
    }
}
static int decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    if (emu_has(i, "bulk") || emu_has(i, "reduce")) return emu_tma_decode_cp(m, fn, i, err, n);
    if (!emu_has(i, "async")) return emu_decode_error(err, n, i, "unknown instruction");
    if (emu_has(i, "commit_group")) { i->exec = exec_cp_commit; return 0; }
    if (emu_has(i, "wait_all")) { i->f[0] = 1; i->exec = exec_cp_wait; return 0; }
    if (emu_has(i, "wait_group")) {
        if (i->nop != 1 || i->op[0].kind != PO_IMM)
            return emu_decode_error(err, n, i, "needs a constant number of groups");
        i->f[1] = (uint32_t)i->op[0].imm;
        i->exec = exec_cp_wait;
        return 0;
    }
    if (emu_has_prefix(i, "mbarrier")) {
        i->f[0] = SP_NONE;
        for (int k = 1; k < i->nmod; k++) if (space_word(i->mod[k])) i->f[0] = (uint32_t)space_word(i->mod[k]);
        i->f[1] = (uint32_t)emu_has(i, "noinc");
        i->exec = exec_cp_arrive;
        return i->nop == 1 && i->op[0].kind == PO_MEM ? 0
            : emu_decode_error(err, n, i, "needs the address of an mbarrier");
    }
    if (i->nop < 3 || i->op[2].kind != PO_IMM) return emu_decode_error(err, n, i, "needs a constant cp-size");
    i->f[0] = (uint32_t)i->op[2].imm;
    if (i->f[0] != 4 && i->f[0] != 8 && i->f[0] != 16)
        return emu_decode_error(err, n, i, "cp-size %u, it must be 4, 8 or 16", i->f[0]);
    if (emu_has(i, "cg") && i->f[0] != 16) return emu_decode_error(err, n, i, ".cg copies 16 bytes only");
    int policy = emu_has(i, "L2::cache_hint"), rest = i->nop - 3 - policy;
    if (rest > 1) return emu_decode_error(err, n, i, "too many operands");
    if (rest == 1) {
        ptx_opnd *o = &i->op[3];
        int pred = o->kind == PO_REG && o->type == PT_PRED;
        i->f[pred ? 2 : 1] = 3;
        if (emu_prepare(m, fn, o, pred ? PT_PRED : PT_U32, err, n)) return -1;
    }
    i->exec = exec_cp_async;
    return 0;
}

const emu_family emu_mem[] = {{"ld", emu_decode_ldst}, {"ldu", emu_decode_ldst}, {"st", emu_decode_ldst},
                              {"atom", emu_decode_atom},
                              {"red", emu_decode_atom}, {"cvta", decode_address},
                              {"isspacep", decode_address}, {"mapa", decode_address}, {"getctarank", decode_address},
                              {"createpolicy", decode_address}, {"prefetch", decode_address},
                              {"prefetchu", decode_address}, {"applypriority", decode_address},
                              {"discard", decode_address}, {"cp", decode_cp}, {"alloca", decode_stack},
                              {"stacksave", decode_stack}, {"stackrestore", decode_stack}, {0}};

/* ---- functions without a body ---- */

static const uint8_t *arg(warp *w, const ptx_instr *i, int lane, int k, uint32_t size)
{
    const ptx_opnd *a = &i->op[2];
    if (k >= a->n || a->elem[k].kind != PO_SYM) return NULL;
    return emu_local(w, lane, w->frame_off[lane] + a->elem[k].sym->offset, size);
}
static uint64_t arg64(warp *w, const ptx_instr *i, int lane, int k)
{
    uint64_t v = 0;
    const uint8_t *p = arg(w, i, lane, k, (uint32_t)(i->op[2].elem[k].sym->size < 8 ? i->op[2].elem[k].sym->size : 8));
    if (p) memcpy(&v, p, i->op[2].elem[k].sym->size < 8 ? i->op[2].elem[k].sym->size : 8);
    return v;
}
static void result(warp *w, const ptx_instr *i, int lane, uint64_t v)
{
    const ptx_opnd *r = &i->op[0];
    if (!r->n || r->elem[0].kind != PO_SYM) return;
    uint32_t size = (uint32_t)(r->elem[0].sym->size < 8 ? r->elem[0].sym->size : 8);
    uint8_t *p = emu_local(w, lane, w->frame_off[lane] + r->elem[0].sym->offset, size);
    if (p) memcpy(p, &v, size);
}
static void text_at(warp *w, const ptx_instr *i, int lane, uint64_t addr, char *buf, size_t n)
{
    size_t k = 0;
    for (; k + 1 < n; k++) {
        const char *p = emu_access(w, i, lane, SP_NONE, addr + k, 1, 1, A_READ);
        if (!p || !*p) break;
        buf[k] = *p;
    }
    buf[k] = 0;
}
static int print(warp *w, const ptx_instr *i, int lane)
{
    char fmt[2048], out[4096], spec[64], str[1024];
    text_at(w, i, lane, arg64(w, i, lane, 0), fmt, sizeof fmt);
    uint64_t list = arg64(w, i, lane, 1), at = 0;
    size_t o = 0;
    int count = 0;
    for (const char *f = fmt; *f && o + 1 < sizeof out; f++) {
        if (*f != '%') { out[o++] = *f; continue; }
        if (f[1] == '%') { out[o++] = '%'; f++; continue; }
        size_t s = 0;
        int wide = 0;
        spec[s++] = '%';
        for (f++; *f && strchr("-+ #0123456789.*hljztL", *f) && s < 40; f++) {
            if (*f == '*') {
                const uint8_t *p = emu_access(w, i, lane, SP_NONE, list + at, 4, 4, A_READ);
                int32_t v = 0;
                if (p) memcpy(&v, p, 4);
                at += 4;
                s += (size_t)snprintf(spec + s, sizeof spec - s, "%d", v);
                continue;
            }
            if (*f == 'l' || *f == 'j' || *f == 'z' || *f == 't') wide = 1; else spec[s++] = *f;
        }
        if (!*f) break;
        int eight = wide || strchr("fFeEgGaAps", *f) != NULL;
        if (eight) at = (at + 7) & ~7ull;
        uint64_t v = 0;
        const uint8_t *p = emu_access(w, i, lane, SP_NONE, list + at, eight ? 8 : 4, 0, A_READ);
        if (p) memcpy(&v, p, eight ? 8 : 4);
        at += eight ? 8 : 4;
        count++;
        size_t room = sizeof out - o;
        if (strchr("fFeEgGaA", *f)) {
            spec[s++] = *f;
            spec[s] = 0;
            o += (size_t)snprintf(out + o, room, spec, num_bits_f64(v));
        } else if (*f == 's') {
            spec[s++] = 's';
            spec[s] = 0;
            text_at(w, i, lane, v, str, sizeof str);
            o += (size_t)snprintf(out + o, room, spec, str);
        } else if (*f == 'p') o += (size_t)snprintf(out + o, room, "0x%llx", (unsigned long long)v);
        else {
            if (wide) { spec[s++] = 'l'; spec[s++] = 'l'; }
            spec[s++] = *f; spec[s] = 0;
            o += (size_t)(wide ? snprintf(out + o, room, spec, v) : snprintf(out + o, room, spec, (uint32_t)v));
        }
        if (o >= sizeof out) o = sizeof out - 1;
    }
    fwrite(out, 1, o, stdout);
    return count;
}
int emu_call_builtin(warp *w, const ptx_instr *i, uint32_t mask, const char *name)
{
    static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
    if (!strcmp(name, "vprintf")) {
        pthread_mutex_lock(&print_lock);
        EMU_EACH(l, mask) result(w, i, (int)l, (uint64_t)print(w, i, (int)l));
        pthread_mutex_unlock(&print_lock);
        return 0;
    }
    if (!strcmp(name, "malloc")) {
        EMU_EACH(l, mask) result(w, i, (int)l, (uint64_t)(uintptr_t)emu_alloc(arg64(w, i, (int)l, 0), "device malloc"));
        return 0;
    }
    if (!strcmp(name, "free")) {
        EMU_EACH(l, mask) {
            uint64_t p = arg64(w, i, (int)l, 0);
            if (p && emu_free((void *)(uintptr_t)p))
                emu_report(w, i, 1u << l, E_FREED,
                           "free of %#llx, which is no allocation of malloc, or was freed already",
                           (unsigned long long)p);
        }
        return 0;
    }
    if (!strcmp(name, "__assertfail")) {
        char msg[256], file[256], func[256];
        int l = __builtin_ctz(mask);
        text_at(w, i, l, arg64(w, i, l, 0), msg, sizeof msg);
        text_at(w, i, l, arg64(w, i, l, 1), file, sizeof file);
        text_at(w, i, l, arg64(w, i, l, 3), func, sizeof func);
        emu_report(w, i, mask, E_ASSERT, "assertion `%s` failed at %s:%u in %s", msg, file, (uint32_t)arg64(w, i, l, 2),
                   func);
        emu_abort(w->cta->cl->L, 710, "assertion failed");
        return X_ABORT;
    }
    return 1;
}
