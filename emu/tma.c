/* tma.c - bulk copies: cp.async.bulk, cp.reduce.async.bulk, prefetches, bulk groups; st.async, red.async, st.bulk. And
 * what tensor copies (tma_tensor.c) need too: decoding, destinations and their mbarriers, reductions, reports.
 *
 * An instruction gathers its operands at issue into the payload of one async_op; perform() moves the bytes later.
 *
 * What the hardware answers with a trap (a misaligned address, ...) is reported and moves no bytes.
 * The mbarrier is signalled all the same if it can be, so that one mistake is not reported twice, the second time as a
 * deadlock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
#include "num.h"
#include "tma.h"

const char *const tma_red_word[] = {"", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

/* ======== Reductions ======== */
static uint64_t combine(int red, int type, uint64_t old, uint64_t x)
{
    switch (red) {
    case RED_AND: return old & x;
    case RED_OR: return old | x;
    case RED_XOR: return old ^ x;
    case RED_INC: return (uint32_t)old >= (uint32_t)x ? 0 : old + 1;
    case RED_DEC: return (uint32_t)old == 0 || (uint32_t)old > (uint32_t)x ? x : old - 1;
    case RED_ADD:
        switch (type) {
        case PT_F16: return num_add_f16((uint16_t)old, (uint16_t)x);
        case PT_BF16: return num_add_bf16((uint16_t)old, (uint16_t)x);
        case PT_F32:                     /* flushes subnormal inputs and results */
            return num_f32_bits(num_ftz(num_canon_f32(num_ftz(num_bits_f32((uint32_t)old))
                                                      + num_ftz(num_bits_f32((uint32_t)x)))));
        case F32_KEEP: return num_f32_bits(num_canon_f32(num_bits_f32((uint32_t)old) + num_bits_f32((uint32_t)x)));
        case PT_F64: return num_f64_bits(num_bits_f64(old) + num_bits_f64(x));
        default: return old + x;
        }
    default: break;
    }
    const int max = red == RED_MAX;
    switch (type) {
    case PT_U32: return ((uint32_t)x > (uint32_t)old) == max ? x : old;
    case PT_S32: return ((int32_t)x > (int32_t)old) == max ? x : old;
    case PT_U64: return (x > old) == max ? x : old;
    case PT_S64: return ((int64_t)x > (int64_t)old) == max ? x : old;
    default: {                           /* f16, bf16: a NaN loses against a number; -0 < +0 */
        const uint32_t inf = type == PT_F16 ? 0x7c00 : 0x7f80, a = (uint32_t)old & 0xffff, b = (uint32_t)x & 0xffff;
        if ((a & 0x7fff) > inf) return (b & 0x7fff) > inf ? NUM_NAN16 : b;
        if ((b & 0x7fff) > inf) return a;
        const int32_t ka = a & 0x8000 ? -(int32_t)(a & 0x7fff) - 1 : (int32_t)a,
                      kb = b & 0x8000 ? -(int32_t)(b & 0x7fff) - 1 : (int32_t)b;
        return (kb > ka) == max ? b : a;
    }
    }
}

void tma_reduce(int red, int type, void *dst, const void *src, uint64_t bytes)
{
    const int bits = type == F32_KEEP ? 32 : ptx_type_bits((ptx_type)type);
#define LOOP(T)                                                                                                       \
    for (uint64_t k = 0; k < bytes / sizeof(T); k++) {                                                                \
        T *p = (T *)dst + k, x, old = __atomic_load_n(p, __ATOMIC_RELAXED);                                           \
        memcpy(&x, (const T *)src + k, sizeof x);                                                                     \
        while (!__atomic_compare_exchange_n(p, &old, (T)combine(red, type, old, x), 1, __ATOMIC_RELAXED,              \
                                            __ATOMIC_RELAXED)) {                                                      \
        }                                                                                                             \
    }
    if (bits == 16) { LOOP(uint16_t) }
    else if (bits == 32) { LOOP(uint32_t) }
    else { LOOP(uint64_t) }
#undef LOOP
}

/* ======== Reports: does what is copied look as if nobody had written it? ======== */
enum { REPORT_NONE, REPORT_F32, REPORT_F16, REPORT_F8, REPORT_F4, REPORT_FF };
/* Of each 16 bytes one element is looked at, which one the ISA leaves open: here the first. .per_element: each byte */
int tma_unwritten(int report, const uint8_t *p, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes; k += report == REPORT_FF ? 1 : 16) {
        const uint8_t *e = p + k;
        if (report == REPORT_F32 ? !e[0] && !e[1] && !e[2] && e[3] == 0x80
            : report == REPORT_F16 ? !e[0] && e[1] == 0x80
            : report == REPORT_F8 ? e[0] == 0x80
            : report == REPORT_F4 ? (e[0] & 15) == 8
            : e[0] == 0xff)
            return 1;
    }
    return 0;
}

/* ======== Operands in shared memory, mbarriers ======== */
int tma_shared_at(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, const char *what, cta **c,
                  uint32_t *off)
{
    uint32_t sa;
    if (!emu_to_shared(space, addr, &sa)) {
        emu_report(w, i, lane_bit(lane), E_OPERAND, "the %s address 0x%llx is not in shared memory", what, (ull)addr);
        return 0;
    }
    *c = emu_shared_cta(w, sa, off);
    if (*c) return 1;
    emu_report(w, i, lane_bit(lane), E_OOB_SHARED,
               "the %s address 0x%x is in shared memory of no CTA of the cluster (CTA rank %u, offset %u)", what, sa,
               sa >> 24, sa & 0xffffff);
    return 0;
}

int tma_find_dests(warp *w, const ptx_instr *i, int lane, const tma_f *f, tma_dests *d, cta **mbar_cta)
{
    const uint32_t bit = lane_bit(lane);
    cluster *cl = w->cta->cl;
    cta *c, *b;
    uint32_t boff;
    if (!tma_shared_at(w, i, lane, SP_SHARED, emu_mem_addr(w, &i->op[f->dst], lane), "destination", &c, &d->off))
        return 0;
    const uint64_t maddr = emu_mem_addr(w, &i->op[f->mbar], lane);
    if (!tma_shared_at(w, i, lane, SP_SHARED, maddr, "mbarrier", &b, &boff)) return 0;
    d->mbar_off = boff;
    if (f->dst_cta && c != w->cta) {
        emu_report(w, i, bit, E_OPERAND,
                   "the destination lies in shared memory of CTA %u of the cluster, but .shared::cta means the "
                   "executing CTA, %u", c->rank, w->cta->rank);
        return 0;
    }
    if (f->mask == NOT) {
        d->ctas = (uint16_t)(1u << c->rank);
        d->mbar_rank[c->rank] = (uint8_t)b->rank;
        if (f->cta_group == 2 ? c->rank / 2 != b->rank / 2 : c != b) {
            emu_report(w, i, bit, E_OPERAND, "the mbarrier is in CTA %u of the cluster, the destination in CTA %u: %s",
                       b->rank, c->rank, f->cta_group == 2 ? "they must be of the same CTA pair"
                       : "they must be in the same CTA");
            return 0;
        }
    } else {
        uint32_t ctas = R32(w, &i->op[f->mask])[lane];
        if (!f->mask32) ctas &= 0xffff;
        d->ctas = (uint16_t)ctas;
        if (!ctas || ctas >> cl->ncta) {
            emu_report(w, i, bit, E_OPERAND, "the multicast mask is 0x%x, but the cluster has %u CTA%s", ctas,
                       cl->ncta, cl->ncta > 1 ? "s" : "");
            d->ctas &= (uint16_t)((1u << cl->ncta) - 1);
            if (!d->ctas) return 0;
        }
        for (uint32_t r = 0; r < cl->ncta; r++)
            d->mbar_rank[r] = (uint8_t)(f->cta_group == 2 ? (r & ~1u) | (b->rank & 1) : r);
    }
    for (uint32_t r = 0; r < cl->ncta; r++) {
        cta *mc;
        uint32_t mo;
        if (!(d->ctas >> r & 1)) continue;
        if (d->mbar_rank[r] >= cl->ncta) {
            emu_report(w, i, bit, E_OPERAND, "the mbarrier would be in CTA %u, but the cluster has %u", d->mbar_rank[r],
                       cl->ncta);
            return 0;
        }
        if (!emu_mbar_check(w, i, lane, SP_SHARED, (uint64_t)d->mbar_rank[r] << 24 | boff, &mc, &mo)) return 0;
        *mbar_cta = mc;
        if (f->report && !mbar_find(mc, mo)->v1)
            emu_report(w, i, bit, E_MBARRIER,
                       "the mbarrier at %s of CTA rank %u is of .layout::v0, but .mbarrier::report needs one of "
                       ".layout::v1", emu_offset(mc, mo), mc->rank);
    }
    return 1;
}

void tma_post(async_op *op, cta *c, uint32_t off)
{
    op->mbar_cta = c, op->mbar_off = off, op->has_mbar = 1;
    emu_async_post(op);
}

void tma_signal(async_op *op, const tma_dests *d, uint32_t bytes)
{
    for (uint32_t r = 0; r < op->cl->ncta; r++)
        if (d->ctas >> r & 1) emu_mbar_complete_tx(op, &op->cl->cta[d->mbar_rank[r]], d->mbar_off, bytes);
}

void tma_report(async_op *op, const tma_dests *d)
{
    for (uint32_t r = 0; r < op->cl->ncta; r++)
        if (d->ctas >> r & 1) emu_mbar_report(op, &op->cl->cta[d->mbar_rank[r]], d->mbar_off, 0);
}

void tma_count(warp *w, const ptx_instr *i, uint64_t shared, uint64_t global)
{
    stat_line *s = emu_stat(w, i);
    if (s) s->async_bytes += shared, s->global_bytes += global;
}

/* ======== cp.async.bulk, cp.reduce.async.bulk ======== */
typedef struct {
    tma_dests d;
    uint64_t global;
    cta *src; uint32_t src_off, size, byte_mask;
    uint8_t red, type, skip;             /* skip: an operand was reported; signal only */
    uint8_t left, right;                 /* .ignore_oob: bytes at both ends that become anything */
    uint8_t stage[];                     /* shared to global: what was read */
} bulk;

static void bulk_load_perform(async_op *op, int stage)           /* global or shared::cta to shared::cluster */
{
    bulk *p = op->payload;
    if (stage != AO_WRITE) return;
    const uint8_t *g = NULL;
    const uint32_t total = p->size;
    if (!p->skip && total > (uint32_t)p->left + p->right) {
        p->global += p->left, p->size -= (uint32_t)p->left + p->right;
        g = p->src ? emu_async_smem(op, p->src, p->src_off, p->size, A_READ)
                   : emu_async_global(op, p->global, p->size, A_READ | A_ASYNC | A_NOINIT);
    }
    if (g && !p->src) {
        uint64_t u = emu_global_uninit(p->global, p->size);
        if (u)
            emu_report(op->w, op->i, lane_bit(op->lane), E_UNINIT_GLOBAL,
                       "copies %u bytes from 0x%llx, of which 0x%llx was never written", p->size, (ull)p->global,
                       (ull)u);
    }
    for (uint32_t r = 0; g && r < op->cl->ncta; r++) {
        if (!(p->d.ctas >> r & 1)) continue;
        uint8_t *end = op->cl->cta[r].smem + p->d.off;
        if (p->left | p->right && p->d.off + total <= op->cl->cta[r].smem_size) {
            memset(end, (int)(EMU_POISON & 0xff), p->left);
            memset(end + total - p->right, (int)(EMU_POISON & 0xff), p->right);
        }
        uint8_t *s = emu_async_smem(op, &op->cl->cta[r], p->d.off + p->left, p->size,
                                    p->red ? A_READ | A_WRITE | A_ATOMIC
                                    : A_WRITE);
        if (!s) continue;
        if (p->red) tma_reduce(p->red, p->type, s, g, p->size);
        else memmove(s, g, p->size);
    }
    const int report = F(op->i)->report;
    if (report && g && tma_unwritten(report, g, p->size)) tma_report(op, &p->d);
    tma_signal(op, &p->d, total);
}

static void bulk_store_perform(async_op *op, int stage)
{
    bulk *p = op->payload;
    if (stage == AO_READ) {
        const uint8_t *s = emu_async_smem(op, p->src, p->src_off, p->size, A_READ);
        if (s) memcpy(p->stage, s, p->size);
        else p->skip = 1;
        return;
    }
    if (p->skip || !p->size) return;
    uint8_t *g = emu_async_global(op, p->global, p->size, p->red ? A_READ | A_WRITE | A_ATOMIC | A_ASYNC
                                  : A_WRITE | A_ASYNC);
    if (!g) return;
    if (p->red) tma_reduce(p->red, p->type, g, p->stage, p->size);
    else if (p->byte_mask == 0xffff) memcpy(g, p->stage, p->size);
    else
        for (uint32_t k = 0; k < p->size; k++) if (p->byte_mask >> (k & 15) & 1) g[k] = p->stage[k];
}

/* size and addresses of a bulk copy; what was wrong is reported */
static int bulk_rules(warp *w, const ptx_instr *i, int lane, uint32_t size, uint64_t dst, uint64_t src)
{
    const uint32_t bit = lane_bit(lane);
    int ok = 1;
    if (size % 16) emu_report(w, i, bit, E_OPERAND, "the size, %u bytes, is not a multiple of 16", size), ok = 0;
    if (dst % 16)
        emu_report(w, i, bit, E_MISALIGNED, "the destination 0x%llx is not a multiple of 16", (ull)dst), ok = 0;
    if (src % 16) emu_report(w, i, bit, E_MISALIGNED, "the source 0x%llx is not a multiple of 16", (ull)src), ok = 0;
    return ok;
}

static int bulk_load_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    const uint32_t *size = R32(w, &i->op[f->size]);
    EMU_EACH(l, mask) {
        bulk b = {.size = size[l], .red = f->red, .type = f->type};
        cta *mb = NULL;
        uint64_t src = emu_mem_addr(w, &i->op[f->src], (int)l);
        if (!tma_find_dests(w, i, (int)l, f, &b.d, &mb)) continue;
        if (f->space == SP_SHARED) {
            if (!tma_shared_at(w, i, (int)l, SP_SHARED, src, "source", &b.src, &b.src_off)) continue;
            if (b.src != w->cta) {
                emu_report(w, i, lane_bit((int)l), E_OPERAND,
                           "the source lies in shared memory of CTA %u, but .shared::cta means the executing CTA, %u",
                           b.src->rank, w->cta->rank);
                b.skip = 1;
            }
            if (b.d.ctas >> w->cta->rank & 1)
                emu_report(w, i, lane_bit((int)l), E_OPERAND,
                           "the destination lies in the executing CTA (rank %u): PTX allows copies from shared::cta to "
                           "another CTA only", w->cta->rank);
        } else b.global = src;
        if (!bulk_rules(w, i, (int)l, b.size, b.d.off, src)) b.skip = 1;
        if (f->left != NOT) {
            const uint32_t left = R32(w, &i->op[f->left])[l], right = R32(w, &i->op[f->left + 1])[l];
            if (left > 15 || right > 15)
                emu_report(w, i, lane_bit((int)l), E_OPERAND, ".ignore_oob of %u and %u bytes: each is 0 to 15", left,
                           right), b.skip = 1;
            else b.left = (uint8_t)left, b.right = (uint8_t)right;
        }
        async_op *op = emu_async_new(w, i, (int)l, sizeof b, bulk_load_perform);
        memcpy(op->payload, &b, sizeof b);
        if (!b.skip) {
            if (b.src) emu_async_touch(op, b.src, b.src_off, b.size, A_READ | A_ASYNC);
            for (uint32_t r = 0; r < w->cta->cl->ncta; r++)
                if (b.d.ctas >> r & 1)
                    emu_async_touch(op, &w->cta->cl->cta[r], b.d.off, b.size,
                                    b.red ? A_READ | A_WRITE | A_ATOMIC | A_ASYNC : A_WRITE | A_ASYNC);
        }
        tma_count(w, i, (uint64_t)b.size * (uint32_t)__builtin_popcount(b.d.ctas), b.src ? 0 : b.size);
        model_note(w, op, (model_event){.kind = b.src ? EV_REMOTE : EV_LOAD, .a = (float)b.size, .mask = b.d.ctas});
        tma_post(op, mb, b.d.mbar_off);
    }
    return X_NEXT;
}

static int bulk_store_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    const uint32_t *size = R32(w, &i->op[f->size]);
    EMU_EACH(l, mask) {
        bulk b = {.size = size[l], .red = f->red, .type = f->type, .byte_mask = f->mask == NOT ? 0xffff
                  : R32(w, &i->op[f->mask])[l] & 0xffff};
        b.global = emu_mem_addr(w, &i->op[f->dst], (int)l);
        if (!tma_shared_at(w, i, (int)l, SP_SHARED, emu_mem_addr(w, &i->op[f->src], (int)l), "source", &b.src,
                           &b.src_off))
            continue;
        if (!bulk_rules(w, i, (int)l, b.size, b.global, b.src_off)) continue;
        if ((uint64_t)b.src_off + b.size > b.src->smem_size) {   /* nothing of this size can be staged */
            emu_report(w, i, lane_bit((int)l), E_OOB_SHARED,
                       "reads %u bytes at offset %u of shared memory, which has %u", b.size, b.src_off,
                       b.src->smem_size);
            continue;
        }
        async_op *op = emu_async_new(w, i, (int)l, sizeof b + b.size, bulk_store_perform);
        memcpy(op->payload, &b, sizeof b);
        op->bulk_group = 1;
        emu_async_touch(op, b.src, b.src_off, b.size, A_READ | A_ASYNC);
        tma_count(w, i, b.size, b.size);
        model_note(w, op, (model_event){.kind = EV_STORE, .a = (float)b.size});
        emu_async_post(op);
    }
    return X_NEXT;
}

static int bulk_prefetch_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    const uint32_t *size = R32(w, &i->op[f->size]);
    EMU_EACH(l, mask) {
        uint64_t a = emu_mem_addr(w, &i->op[f->src], (int)l);
        char why[256];
        if (!bulk_rules(w, i, (int)l, size[l], 0, a)) continue;
        if (i->mod[0][0] == 'a' && a % 128) {    /* applypriority */
            emu_report(w, i, lane_bit((int)l), E_MISALIGNED, "the address 0x%llx is not a multiple of 128", (ull)a);
            continue;
        }
        if (emu_opt.strict && size[l] && !emu_global_ok(a, size[l], 0, why, sizeof why))
            emu_report(w, i, lane_bit((int)l), E_OOB_GLOBAL, "prefetches %u bytes at 0x%llx: %s", size[l], (ull)a, why);
    }
    return X_NEXT;
}

/* ======== Bulk groups ======== */
static int commit_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    emu_bulk_commit(w, i, mask);
    return X_NEXT;
}
static int wait_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    return emu_bulk_wait(w, i, mask, F(i)->n, F(i)->field);
}

/* ======== st.async, red.async, st.bulk ======== */
typedef struct {
    cta *c, *bar; uint32_t off, bar_off, bytes; uint64_t global; uint8_t red, type; uint8_t value[16];
} st_async;

static void st_async_perform(async_op *op, int stage)
{
    st_async *p = op->payload;
    if (stage != AO_WRITE) return;
    const int rmw = A_READ | A_WRITE | A_ATOMIC;
    uint8_t *d = p->c ? emu_async_smem(op, p->c, p->off, p->bytes, p->red ? rmw : A_WRITE)
                      : emu_async_global(op, p->global, p->bytes, (p->red ? rmw : A_WRITE) | A_STRONG);
    if (d && p->red) tma_reduce(p->red, p->type, d, p->value, p->bytes);
    else if (d) memcpy(d, p->value, p->bytes);
    if (p->bar) emu_mbar_complete_tx(op, p->bar, p->bar_off, p->bytes);
}

static int st_async_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    const ptx_opnd *v = &i->op[1];
    EMU_EACH(l, mask) {
        st_async p = {.bytes = (uint32_t)f->bytes * f->n, .red = f->red, .type = f->type};
        const uint64_t a = emu_mem_addr(w, &i->op[0], (int)l);
        const uint32_t bit = lane_bit((int)l);
        for (uint32_t k = 0; k < f->n; k++) {
            const ptx_opnd *e = v->kind == PO_VEC ? &v->elem[k] : v;
            const uint64_t x = f->bytes >= 8 ? R64(w, e)[l] : R32(w, e)[l];
            memcpy(p.value + k * f->bytes, &x, f->bytes < 8 ? f->bytes : 8);
            if (f->bytes == 16) memcpy(p.value + 8, &R64(w, e)[32 + l], 8);
        }
        if (a % p.bytes) {
            emu_report(w, i, bit, E_MISALIGNED, "the destination 0x%llx is not a multiple of %u", (ull)a, p.bytes);
            continue;
        }
        if (f->release) {
            if (EMU_GEN_TAG(a) == EMU_GEN_SHARED || EMU_GEN_TAG(a) == EMU_GEN_LOCAL) {
                emu_report(w, i, bit, E_OPERAND, "the destination 0x%llx is not in global memory", (ull)a);
                continue;
            }
            p.global = a;
        } else {
            cta *c;
            if (!tma_shared_at(w, i, (int)l, f->space, a, "destination", &p.c, &p.off)) continue;
            if (!emu_mbar_check(w, i, (int)l, f->space, emu_mem_addr(w, &i->op[2], (int)l), &c, &p.bar_off)) continue;
            p.bar = c;
            if (c != p.c) {
                emu_report(w, i, bit, E_OPERAND,
                           "the mbarrier is in CTA %u of the cluster, the destination in CTA %u: they must be in the "
                           "same CTA", c->rank, p.c->rank);
                continue;
            }
            if (f->red ? c == w->cta : w->cta->cl->ncta < 2)
                emu_report(w, i, bit, E_OPERAND,
                           f->red ? "the destination is in the executing CTA: PTX allows another CTA of the "
                                    "cluster only"
                           : "the cluster has one CTA: PTX allows this instruction in clusters of more only");
        }
        async_op *op = emu_async_new(w, i, (int)l, sizeof p, st_async_perform);
        memcpy(op->payload, &p, sizeof p);
        if (p.c) emu_async_touch(op, p.c, p.off, p.bytes, (p.red ? A_READ | A_WRITE | A_ATOMIC : A_WRITE) | A_GENERIC);
        tma_count(w, i, p.c ? p.bytes : 0, p.c ? 0 : p.bytes);
        model_note(w, op, (model_event){.kind = EV_REMOTE, .a = (float)p.bytes});
        if (p.bar) tma_post(op, p.bar, p.bar_off);
        else emu_async_post(op);
    }
    return X_NEXT;
}

static int st_bulk_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        const uint64_t a = emu_mem_addr(w, &i->op[0], (int)l),
                       size = f->bytes == 8 ? R64(w, &i->op[1])[l] : R32(w, &i->op[1])[l];
        if (size % 8 || size > 16777216) {
            emu_report(w, i, lane_bit((int)l), E_OPERAND, size % 8 ? "the size, %llu bytes, is not a multiple of 8"
                       : "the size, %llu bytes, is more than 16777216", (ull)size);
            continue;
        }
        uint8_t *d = size ? emu_access(w, i, (int)l, f->space, a, (uint32_t)size, 8, A_WRITE) : NULL;
        if (d) memset(d, 0, size);
    }
    return X_NEXT;
}

/* ======== Decoding ======== */
#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

static int is_blackwell_tc(const emu_device *d)
{
    return (d->sm == 100 || d->sm == 103 || d->sm == 107 || d->sm == 110) && d->suffix;
}

int tma_value(emu_module *m, ptx_func *fn, ptx_instr *i, int k, ptx_type t, char *err, size_t n)
{
    if (k >= i->nop || (i->op[k].kind != PO_REG && i->op[k].kind != PO_IMM && i->op[k].kind != PO_SREG
                        && i->op[k].kind != PO_SYM))
        BAD("operand %d must be a register or an immediate", k + 1);
    return emu_prepare(m, fn, &i->op[k], t, err, n);
}

int emu_tma_decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const char *const spaces[] = {"shared::cluster", "shared::cta", "shared", "global", "L2", NULL};
    static const char *const dims[] = {"1d", "2d", "3d", "4d", "5d", NULL};
    static const char *const modes[] = {"tile", "tile::gather4", "tile::scatter4", "im2col", "im2col::w",
                                        "im2col::w::128", "im2col_no_offs", "im2col_no_offs::w", NULL};
    static const char *const reports[] = {
        "mbarrier::report::disabled", "mbarrier::report::validity::per_16bytes::80000000",
        "mbarrier::report::validity::per_16bytes::8000", "mbarrier::report::validity::per_16bytes::80",
        "mbarrier::report::validity::per_16bytes::8", "mbarrier::report::validity::per_element::ff", NULL};
    static const char *const scopes[] = {"cta", "cluster", "gpu", "sys", NULL};
    static const char *const overs[] = {"override::global_address", "override::global_dim",
                                        "override::global_dim_stride", NULL};
    static const char *const reds[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};
    enum { S_NONE, S_CLUSTER, S_CTA, S_SHARED, S_GLOBAL, S_L2 };
    const emu_device *dev = m->dev;
    tma_f f = {.dst = NOT, .src = NOT, .mbar = NOT, .size = NOT, .mask = NOT, .info = NOT, .left = NOT,
               .cta_group = 1};
    const int priority = i->mod[0][0] == 'a';                /* applypriority */
    int weak = 0, relaxed = 0, scope = 0, b128 = 0, oob = 0, report = 0, over_address = 0, over = 0, evict = 0, c16 = 0;
    int tensor_ = 0, prefetch = 0, reduce_ = 0, commit = 0, wait = 0, read = 0, mbar = 0, group = 0, multicast = 0,
        hint = 0, cp_mask = 0, noftz = 0;
    int cta_group = 0, dst = 0, src = 0, mode = 0, dim = 0;
    ptx_type type = PT_NONE;

    for (int k = 1; k < i->nmod; k++) {
        const char *w = i->mod[k];
        int x;
        if (!strcmp(w, "async") || !strcmp(w, "bulk")) continue;
        else if (!strcmp(w, "reduce")) reduce_ = 1;
        else if (!strcmp(w, "tensor")) tensor_ = 1;
        else if (!strcmp(w, "prefetch")) prefetch = 1;
        else if (!strcmp(w, "commit_group")) commit = 1;
        else if (!strcmp(w, "wait_group")) wait = 1;
        else if (!strcmp(w, "read")) read = 1;
        else if (!strcmp(w, "mbarrier::complete_tx::bytes")) mbar = 1;
        else if (!strcmp(w, "bulk_group")) group = 1;
        else if (!strcmp(w, "multicast::cluster")) multicast = 1;
        else if (!strcmp(w, "multicast::cluster::16b")) multicast = c16 = 1;
        else if (!strcmp(w, "multicast::cluster::32b")) multicast = 1, f.mask32 = 1;
        else if (!strcmp(w, "weak")) weak = 1;
        else if (!strcmp(w, "relaxed")) relaxed = 1;
        else if ((x = one_of(w, scopes))) scope = x;
        else if (!strcmp(w, "b128")) b128 = 1;
        else if (!strcmp(w, "ignore_oob")) oob = 1;
        else if ((x = one_of(w, reports))) report = 1, f.report = (uint8_t)(x - 1);
        else if ((x = one_of(w, overs))) { if (x == 1) over_address = 1; else over = x; }
        else if (!strcmp(w, priority ? "L2::evict_normal" : "L2::evict_last")) evict = 1;
        else if (!strcmp(w, "L2::cache_hint")) hint = 1;
        else if (!strcmp(w, "cp_mask")) cp_mask = 1;
        else if (!strcmp(w, "noftz")) noftz = 1;
        else if (!strcmp(w, "cta_group::1") || !strcmp(w, "cta_group::2")) cta_group = w[11] - '0';
        else if ((x = one_of(w, dims))) dim = x;
        else if ((x = one_of(w, modes))) mode = x;
        else if ((x = one_of(w, spaces))) {
            if (!dst) dst = x;
            else if (!src) src = x;
            else BAD("more than two state spaces");
        } else if (reduce_ && (x = one_of(w, reds))) f.red = (uint8_t)x;
        else if (reduce_ && ptx_type_of(w) != PT_NONE) type = ptx_type_of(w);
        else BAD(".%s is not supported", w);
    }
    if (dev->sm < 90) BAD("needs sm_90, the device is %s", dev->option);

    if (commit || wait) {
        if (tensor_ || prefetch || reduce_ || dst || (commit && (wait || read || i->nop))) BAD("not a form of PTX");
        if (wait) {
            if (!op_is(i, 0, PO_IMM) || i->nop != 1) BAD("the number of groups must be an immediate");
            const int64_t v = i->op[0].imm;
            if (v < 0) BAD("%lld groups", (long long)v);
            f.n = (uint8_t)(v > 255 ? 255 : v), f.field = (uint8_t)read;
        }
        i->exec = commit ? commit_exec : wait_exec;
        memcpy(i->f, &f, sizeof f);
        return 0;
    }
    if (read) BAD(".read belongs to wait_group");
    if (priority) {                      /* a prefetch in a bulk group */
        if (!group || !evict || src || (dst && dst != S_GLOBAL)) BAD("not a form of PTX");
        prefetch = 1, group = 0, dst = S_L2, src = S_GLOBAL;
        if (hint || over_address || over) BAD("not a form of PTX");
    }

    const int to_shared = dst == S_CLUSTER || dst == S_CTA || dst == S_SHARED;
    const int from_shared = src == S_CTA || src == S_SHARED;
    const int load = to_shared && src == S_GLOBAL, s2s = dst == S_CLUSTER && from_shared,
              store = dst == S_GLOBAL && from_shared;
    if (prefetch ? dst != S_L2 || src != S_GLOBAL : !load && !s2s && !store)
        BAD("this pair of state spaces is not supported");
    if (prefetch ? mbar || group || reduce_
        : load || s2s ? !mbar || group
        : !group || mbar)
        BAD("this completion mechanism does not go with these state spaces");
    if (multicast && (!load || dst != S_CLUSTER)) BAD(".multicast::cluster goes with .shared::cluster.global only");
    if (hint && s2s) BAD(".L2::cache_hint without global memory");
    if (reduce_ && (load || !f.red)) BAD("not a form of PTX");

    /* what PTX 9.1 to 9.4 added */
    if (weak && relaxed) BAD(".weak and .relaxed");
    if (relaxed != (scope != 0)) BAD(".relaxed and its scope go together");
    if ((weak || relaxed || b128) && (tensor_ || prefetch)) BAD("not a form of PTX");
    if (!reduce_ && relaxed && !b128) BAD(".relaxed needs .b128");
    if (b128 && (reduce_ || !(relaxed || weak))) BAD(".b128 goes with .relaxed copies");
    if (weak && reduce_) BAD("a reduction is not .weak");
    if (s2s && scope > 2) BAD("the scope is .cta or .cluster here");
    if ((weak || relaxed)
        && emu_needs(m, i, 93, !reduce_ && relaxed && load && dst == S_CLUSTER ? "90a," EMU_BLACKWELL : "sm_90+", err,
                     n))
        return -1;
    if (oob) {
        if (tensor_ || !load || dst == S_CLUSTER || f.report)
            BAD(".ignore_oob goes with copies from global to shared::cta, without a report");
        if (emu_needs(m, i, 92, "sm_90+", err, n)) return -1;
    }
    if (c16 && emu_needs(m, i, 94, "sm_90+", err, n)) return -1;
    if (report && !load) BAD(".mbarrier::report goes with copies from global memory");
    if (over && !over_address) BAD(".override::global_dim and ::global_dim_stride need .override::global_address");
    if (over_address && !tensor_) BAD(".override goes with tensors");
    if (over && ((over == 2) != (dim == 1) || mode > 1 || (multicast && !f.mask32)))
        BAD(".override::global_dim is for .1d, ::global_dim_stride for .2d to .5d; both for .tile, and with "
            ".multicast::cluster::32b alone");
    if (evict && !prefetch) BAD(".L2::evict_last goes with prefetches");
    if (evict && hint) BAD("two priorities");
    if ((f.mask32 || report || over_address || evict || mode == MODE_IM2COL_NO_OFFS_W + 1)
        && emu_needs(m, i, 94, EMU_RUBIN, err, n))
        return -1;
    f.over = (uint8_t)(over ? over : over_address);
    f.dst_cta = dst == S_CTA || dst == S_SHARED;

    int k = 0;                           /* next operand */
    if (tensor_) {
        const int spec = is_blackwell_tc(dev);
        if (!dim) BAD("the dimension is missing");
        if (s2s) BAD("this pair of state spaces is not supported");
        if (type != PT_NONE || noftz || cp_mask) BAD("not a form of PTX");
        f.dim = (uint8_t)dim, f.mode = (uint8_t)(mode ? mode - 1 : MODE_TILE);
        if (mode && (f.mode == MODE_SCATTER4 || f.mode >= MODE_IM2COL_NO_OFFS) && !store)
            BAD(".%s is for stores", modes[f.mode]);
        if ((f.mode == MODE_GATHER4 || (f.mode >= MODE_IM2COL && f.mode <= MODE_IM2COL_W128)) && store)
            BAD(".%s is for loads", modes[f.mode]);
        if (f.mode == MODE_SCATTER4 && reduce_) BAD(".tile::scatter4 is for copies");
        if ((f.mode == MODE_GATHER4 || f.mode == MODE_SCATTER4) && dim != 2) BAD(".%s is for .2d", modes[f.mode]);
        if (f.mode >= MODE_IM2COL && dim < 3) BAD(".%s is for .3d to .5d", modes[f.mode]);
        if (cta_group && (!load || !spec))
            BAD(load ? ".cta_group::%d needs sm_100a, sm_103a, sm_107a or sm_110a (or f), the device is %s"
                : ".cta_group::%d is for loads, device %s", cta_group, dev->option);
        if ((f.mode == MODE_GATHER4 || f.mode == MODE_IM2COL_W) && !(spec || (load && f.dst_cta && dev->sm >= 100)))
            BAD(".%s needs sm_100a, sm_103a, sm_107a or sm_110a (or f)%s, the device is %s", modes[f.mode],
                load ? "; into .shared::cta sm_100" : "", dev->option);
        if ((f.mode == MODE_SCATTER4 || f.mode == MODE_IM2COL_W128) && !spec)
            BAD(".%s needs sm_100a, sm_103a, sm_107a or sm_110a (or f), the device is %s", modes[f.mode], dev->option);
        if (cta_group) f.cta_group = (uint8_t)cta_group;
        if (load) f.dst = (uint8_t)k++, f.src = (uint8_t)k++, f.mbar = (uint8_t)k++;
        else if (store) f.dst = (uint8_t)k++, f.src = (uint8_t)k++;
        else f.src = (uint8_t)k++;
        const int map = store ? f.dst : f.src;
        if (!op_is(i, map, PO_MEM) || i->op[map].n == 0) BAD("operand %d must be [tensorMap, {coordinates}]", map + 1);
        const int want = f.mode == MODE_GATHER4 || f.mode == MODE_SCATTER4 ? 5 : dim;
        /* before the coordinates: the address; the sizes; the lower strides and the upper ones */
        const int before = f.over == OVER_DIM_STRIDE ? 2 * dim + 1 : f.over == OVER_DIM ? 1 + dim : f.over;
        if (i->op[map].n != before + want) BAD("%d coordinates, %d needed", i->op[map].n - before, want);
        for (int e = 0; e < before; e++)
            if (emu_prepare(m, fn, &i->op[map].elem[e], e == 0 ? PT_B64 : e <= dim || e == before - 1 ? PT_B16 : PT_B32,
                            err, n))
                return -1;
        for (int e = before; e < before + want; e++)
            if (emu_prepare(m, fn, &i->op[map].elem[e], PT_S32, err, n)) return -1;
        if (f.mode >= MODE_IM2COL && f.mode <= MODE_IM2COL_W128) {
            const int noff = f.mode == MODE_IM2COL ? dim - 2 : 2;
            if (!op_is(i, k, PO_VEC) || i->op[k].n != noff)
                BAD("operand %d must be a vector of %d im2col values", k + 1, noff);
            for (int e = 0; e < noff; e++) if (emu_prepare(m, fn, &i->op[k].elem[e], PT_U16, err, n)) return -1;
            f.info = (uint8_t)k++;
        }
        i->exec = load ? tma_tensor_load : store ? tma_tensor_store : tma_tensor_prefetch;
    } else {
        if (dim || mode || cta_group) BAD("not a form of PTX");
        if (cp_mask && (!store || reduce_)) BAD(".cp_mask is for copies from shared::cta to global");
        if (cp_mask && dev->sm < 100) BAD(".cp_mask needs sm_100, the device is %s", dev->option);
        if (!prefetch) f.dst = (uint8_t)k++;
        f.src = (uint8_t)k++;
        if (tma_value(m, fn, i, k, PT_U32, err, n)) return -1;
        f.size = (uint8_t)k++;
        if (oob) {
            f.left = (uint8_t)k;
            for (int e = k; e < k + 2; e++)
                if (op_is(i, e, PO_IMM) && (i->op[e].imm < 0 || i->op[e].imm > 15))
                    BAD(".ignore_oob takes 0 to 15 bytes at each end, not %lld", (long long)i->op[e].imm);
            if (tma_value(m, fn, i, k, PT_U32, err, n) || tma_value(m, fn, i, k + 1, PT_U32, err, n)) return -1;
            k += 2;
        }
        if (load || s2s) f.mbar = (uint8_t)k++;
        f.space = s2s ? SP_SHARED : SP_GLOBAL;
        if (reduce_) {
            int ok;
            switch (f.red) {
            case RED_ADD:
                ok = type == PT_U32 || type == PT_S32 || type == PT_U64
                    || (store && (type == PT_F32 || type == PT_F64 || type == PT_F16 || type == PT_BF16));
                if ((type == PT_F16 || type == PT_BF16 ? 1 : type == PT_F32 && noftz) != noftz)
                    BAD(".noftz belongs to .add of f16, bf16, where it must be, and f32");
                if (type == PT_F32 && noftz) {
                    if (emu_needs(m, i, 94, "sm_90+", err, n)) return -1;
                    f.type = F32_KEEP;
                }
                break;
            case RED_MIN: case RED_MAX:
                ok = type == PT_U32 || type == PT_S32
                    || (store && (type == PT_U64 || type == PT_S64 || type == PT_F16 || type == PT_BF16));
                break;
            case RED_INC: case RED_DEC: ok = type == PT_U32; break;
            default: ok = type == PT_B32 || (store && type == PT_B64); break;
            }
            if (!ok) BAD("there is no .%s reduction of this type", tma_red_word[f.red]);
            if (noftz && f.red != RED_ADD) BAD(".noftz belongs to .add of f16 and bf16");
            if (!f.type) f.type = (uint8_t)type;
        } else if (type != PT_NONE || noftz) BAD("not a form of PTX");
        i->exec = load || s2s ? bulk_load_exec : store ? bulk_store_exec : bulk_prefetch_exec;
    }
    if (multicast) {
        if (tma_value(m, fn, i, k, f.mask32 ? PT_U32 : PT_U16, err, n)) return -1;
        f.mask = (uint8_t)k++;
    }
    if (hint && tma_value(m, fn, i, k++, PT_B64, err, n)) return -1;
    if (cp_mask) {
        if (tma_value(m, fn, i, k, PT_U16, err, n)) return -1;
        f.mask = (uint8_t)k++;
    }
    if (i->nop != k) BAD("%d operands, %d needed", i->nop, k);
    const uint8_t mem[] = {f.dst, f.src, f.mbar};
    for (int e = 0; e < 3; e++)
        if (mem[e] != NOT && !op_is(i, mem[e], PO_MEM)) BAD("operand %d must be an address in brackets", mem[e] + 1);
    memcpy(i->f, &f, sizeof f);
    return 0;
}

static int decode_st_async(emu_module *m, ptx_func *fn, ptx_instr *i, int red, char *err, size_t n)
{
    static const char *const reds[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor", NULL};
    tma_f f = {.n = 1, .space = SP_NONE};
    int mmio = 0, shared = 0, global = 0, mbar = 0, weak = 0, x;
    const char *scope = NULL;
    ptx_type type = PT_NONE;
    for (int k = 2; k < i->nmod; k++) {
        const char *w = i->mod[k];
        if (!strcmp(w, red ? "relaxed" : "weak")) weak = 1;
        else if (!strcmp(w, "release")) f.release = 1;
        else if (!strcmp(w, "mmio")) mmio = 1;
        else if (!strcmp(w, "cluster") || !strcmp(w, "gpu") || !strcmp(w, "sys")) scope = w;
        else if (!strcmp(w, "shared::cluster")) shared = 1, f.space = SP_SHARED;
        else if (!strcmp(w, "global")) global = 1;
        else if (!strcmp(w, "mbarrier::complete_tx::bytes")) mbar = 1;
        else if (!red && (!strcmp(w, "v2") || !strcmp(w, "v4"))) f.n = (uint8_t)(w[1] - '0');
        else if (red && (x = one_of(w, reds))) f.red = (uint8_t)x;
        else if (ptx_type_of(w) != PT_NONE) type = ptx_type_of(w);
        else BAD(".%s is not supported", w);
    }
    const int bits = ptx_type_bits(type);
    if (m->dev->sm < 90) BAD("needs sm_90, the device is %s", m->dev->option);
    if (type == PT_NONE) BAD("the type is missing");
    if (f.release) {
        if (m->dev->sm < 100) BAD(".release needs sm_100, the device is %s", m->dev->option);
        if (weak || shared || mbar || f.n > 1 || !scope || !strcmp(scope, "cluster")) BAD("not a form of PTX");
        if (mmio && strcmp(scope, "sys")) BAD(".mmio needs the scope .sys (ptxas makes no code of this form)");
        if (red && (f.red != RED_ADD || (type != PT_U32 && type != PT_S32 && type != PT_U64 && type != PT_S64)))
            BAD("only .add of .u32 .s32 .u64 .s64");
        if (bits > 64 || type == PT_F16 || type == PT_BF16 || type == PT_TF32) BAD("this type is not supported");
    } else {
        if (mmio || global || (scope && strcmp(scope, "cluster"))) BAD("not a form of PTX");
        if (!red && bits == 128) {
            if (f.n > 1) BAD(".b128 has no vectors");
            if (emu_needs(m, i, 92, "sm_90+", err, n)) return -1;
        } else if (!red && bits != 32 && bits != 64) BAD("only types of 32, 64 and 128 bits");
        if (red && (!weak || !scope)) BAD(".relaxed.cluster is missing");
        if (bits * f.n > 128) BAD("more than 128 bits");
        if (red) {
            const int r = f.red;
            const int ok = r == RED_ADD ? type == PT_U32 || type == PT_S32 || type == PT_U64 || type == PT_S64
                           : r == RED_MIN || r == RED_MAX ? type == PT_U32 || type == PT_S32
                           : r == RED_INC || r == RED_DEC ? type == PT_U32 : r && type == PT_B32;
            if (!ok) BAD("there is no such reduction");
        }
    }
    if (i->nop != (f.release ? 2 : 3) || !op_is(i, 0, PO_MEM) || (!f.release && !op_is(i, 2, PO_MEM)))
        BAD("the operands must be [address], value%s", f.release ? "" : ", [mbarrier]");
    if (f.n > 1 ? !op_is(i, 1, PO_VEC) || i->op[1].n != f.n : op_is(i, 1, PO_VEC))
        BAD("the value must have %u elements", f.n);
    if (emu_prepare(m, fn, &i->op[1], type, err, n)) return -1;
    f.bytes = (uint8_t)(bits / 8), f.type = (uint8_t)type;
    i->exec = st_async_exec;
    memcpy(i->f, &f, sizeof f);
    return 0;
}

int emu_tma_decode_priority(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    return emu_tma_decode_cp(m, fn, i, err, n);
}

int emu_tma_decode_red(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    return decode_st_async(m, fn, i, 1, err, n);
}

int emu_tma_decode_st(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    if (i->nmod > 1 && !strcmp(i->mod[1], "async")) return decode_st_async(m, fn, i, 0, err, n);
    tma_f f = {.space = SP_NONE};
    for (int k = 2; k < i->nmod; k++) {
        if (!strcmp(i->mod[k], "weak")) continue;
        if (strcmp(i->mod[k], "shared::cta") && strcmp(i->mod[k], "shared")) BAD(".%s is not supported", i->mod[k]);
        f.space = SP_SHARED;
    }
    if (m->dev->sm < 100) BAD("needs sm_100, the device is %s", m->dev->option);
    if (i->nop != 3 || !op_is(i, 0, PO_MEM)) BAD("the operands must be [address], size, 0");
    if (!op_is(i, 2, PO_IMM) || i->op[2].imm) BAD("the value must be the immediate 0");
    const int wide = i->op[1].kind != PO_REG || ptx_type_bits((ptx_type)i->op[1].type) == 64;
    if (tma_value(m, fn, i, 1, wide ? PT_U64 : PT_U32, err, n)) return -1;
    f.bytes = wide ? 8 : 4;
    i->exec = st_bulk_exec;
    memcpy(i->f, &f, sizeof f);
    return 0;
}

const emu_family emu_tma[] = {{"tensormap", tma_decode_map}, {"multimem", emu_decode_multimem}, {0}};
