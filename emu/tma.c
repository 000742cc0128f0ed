/* tma.c - bulk and tensor copies: cp.async.bulk, cp.reduce.async.bulk, .tensor, prefetches, bulk groups; st.async,
 * red.async, st.bulk; tensormap.replace, tensormap.cp_fenceproxy.
 *
 * An instruction gathers its operands at issue into the payload of one async_op; perform() moves the bytes later. A
 * tensor copy sees its box as rows: elements that are neighbours in dimension 0, contiguous in global memory. Rows come
 * from a walk (tile, gather4, im2col), and lie in shared memory one after the other, each 16-byte chunk where the
 * swizzle of its address says.
 *
 * What the hardware answers with a trap (misaligned box, inner coordinate off the 16-byte grid, ...) is reported and
 * moves no bytes.
 * The mbarrier is signalled all the same if it can be, so that one mistake is not reported twice, the second time as a
 * deadlock. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model.h"
#include "num.h"
#include "tmap.h"

typedef unsigned long long ull;

enum { MODE_TILE, MODE_GATHER4, MODE_SCATTER4, MODE_IM2COL, MODE_IM2COL_W, MODE_IM2COL_W128, MODE_IM2COL_NO_OFFS,
       MODE_IM2COL_NO_OFFS_W };
enum { RED_NONE, RED_ADD, RED_MIN, RED_MAX, RED_INC, RED_DEC, RED_AND, RED_OR, RED_XOR };
static const char *const red_word[] = {"", "add", "min", "max", "inc", "dec", "and", "or", "xor"};

/* What decoding finds out; lies in ptx_instr.f. Operand numbers: NOT if absent. */
enum { NOT = 255 };
typedef struct {
    uint8_t mode, dim, red, type;        /* type: PT_* of a bulk reduction */
    uint8_t dst_cta, cta_group, dst, src;
    uint8_t mbar, size, mask, info;
    uint8_t bytes, n, space, field;      /* st.async: bytes of an element, elements; tensormap.replace: field, ord */
    uint8_t ord, release;
    uint8_t report, left, over, mask32;  /* left: operand of .ignore_oob's first number; mask32: of 32 bits */
} tma_f;
_Static_assert(sizeof(tma_f) <= sizeof ((ptx_instr *)0)->f, "fits");
static const tma_f *F(const ptx_instr *i) { return (const tma_f *)(const void *)i->f; }

/* ======== Reductions ======== */
enum { F32_KEEP = 255 };                 /* besides the PT_*: f32 whose subnormals are kept, not flushed */
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

/* dst[k] = dst[k] op src[k]; dst may be memory that other clusters change at the same time */
static void reduce(int red, int type, void *dst, const void *src, uint64_t bytes)
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
static int unwritten(int report, const uint8_t *p, uint64_t bytes)
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

/* ======== Addresses ======== */
static uint32_t lane_bit(int lane) { return 1u << lane; }

/* A shared operand of one lane: CTA and offset; 0: reported */
static int shared_at(warp *w, const ptx_instr *i, int lane, int space, uint64_t addr, const char *what, cta **c,
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

/* ---- Destinations: shared memory of one CTA, or of all in a multicast mask, and the mbarrier of each ---- */
typedef struct { uint16_t ctas; uint32_t off, mbar_off; uint8_t mbar_rank[16]; uint8_t silent; } dests;

/* Resolves the destination and mbarrier operands. 0: reported, and nothing can be done */
static int find_dests(warp *w, const ptx_instr *i, int lane, const tma_f *f, dests *d, cta **mbar_cta)
{
    const uint32_t bit = lane_bit(lane);
    cluster *cl = w->cta->cl;
    cta *c, *b;
    uint32_t boff;
    if (!shared_at(w, i, lane, SP_SHARED, emu_mem_addr(w, &i->op[f->dst], lane), "destination", &c, &d->off)) return 0;
    const uint64_t maddr = emu_mem_addr(w, &i->op[f->mbar], lane);
    if (!shared_at(w, i, lane, SP_SHARED, maddr, "mbarrier", &b, &boff)) return 0;
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

static void post_with_mbar(async_op *op, cta *c, uint32_t off)
{
    op->mbar_cta = c, op->mbar_off = off, op->has_mbar = 1;
    emu_async_post(op);
}

static void signal_all(async_op *op, const dests *d, uint32_t bytes)
{
    for (uint32_t r = 0; r < op->cl->ncta; r++)
        if (d->ctas >> r & 1) emu_mbar_complete_tx(op, &op->cl->cta[d->mbar_rank[r]], d->mbar_off, bytes);
}

static void report_all(async_op *op, const dests *d)
{
    for (uint32_t r = 0; r < op->cl->ncta; r++)
        if (d->ctas >> r & 1) emu_mbar_report(op, &op->cl->cta[d->mbar_rank[r]], d->mbar_off, 0);
}

static void count_bytes(warp *w, const ptx_instr *i, uint64_t shared, uint64_t global)
{
    stat_line *s = emu_stat(w, i);
    if (s) s->async_bytes += shared, s->global_bytes += global;
}

/* ======== cp.async.bulk, cp.reduce.async.bulk ======== */
typedef struct {
    dests d;
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
        if (p->red) reduce(p->red, p->type, s, g, p->size);
        else memmove(s, g, p->size);
    }
    const int report = F(op->i)->report;
    if (report && g && unwritten(report, g, p->size)) report_all(op, &p->d);
    signal_all(op, &p->d, total);
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
    if (p->red) reduce(p->red, p->type, g, p->stage, p->size);
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
        if (!find_dests(w, i, (int)l, f, &b.d, &mb)) continue;
        if (f->space == SP_SHARED) {
            if (!shared_at(w, i, (int)l, SP_SHARED, src, "source", &b.src, &b.src_off)) continue;
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
        count_bytes(w, i, (uint64_t)b.size * (uint32_t)__builtin_popcount(b.d.ctas), b.src ? 0 : b.size);
        model_note(w, op, (model_event){.kind = b.src ? EV_REMOTE : EV_LOAD, .a = (float)b.size, .mask = b.d.ctas});
        post_with_mbar(op, mb, b.d.mbar_off);
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
        if (!shared_at(w, i, (int)l, SP_SHARED, emu_mem_addr(w, &i->op[f->src], (int)l), "source", &b.src, &b.src_off))
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
        count_bytes(w, i, b.size, b.size);
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

/* ======== Tensor copies ======== */
typedef struct {
    dests d;
    tmap t;
    const void *map;                     /* where the tensor map lies, and what it was when the copy was issued */
    tmap was;
    cta *src; uint32_t src_off;          /* stores */
    int32_t c[5];                        /* coordinates as given */
    int32_t off[3];                      /* im2col offsets; im2col::w: wOffset */
    uint32_t rows, srow, grow;           /* rows of the box; bytes of one in shared and in global memory */
    uint32_t halo, group;                /* im2col::w: halo pixels that follow each group of pixels */
    /* from row to row in shared memory: with a swizzle its span, even if srow is less */
    uint32_t pitch;
    uint32_t total, extent;              /* bytes that complete_tx counts; shared bytes that the rows span */
    uint8_t mode, red, type, skip, warned, found;
    uint8_t stage[];                     /* stores: the box, not swizzled, rows of srow bytes */
} tensor;

enum { MAX_ROW = 256 * 8 };

/* The rows of a box, in the order of shared memory */
typedef struct {
    const tensor *p;
    uint32_t row;
    uint32_t idx[5];                     /* tile: steps in each dimension */
    int64_t at[5], last[5];              /* im2col: filter base; the one before */
} walk;

static void walk_begin(walk *k, const tensor *p)
{
    memset(k, 0, sizeof *k);
    k->p = p;
    for (int d = 0; d < 5; d++) k->at[d] = p->c[d];
}

/* The next row: its coordinates in c[1..); 1 if they lie in the tensor, then *addr is the address of element 0 of
 * dimension 0 */
static int walk_next(walk *k, int64_t c[5], uint64_t *addr)
{
    const tensor *p = k->p;
    const tmap *t = &p->t;
    const int rank = t->rank;
    c[0] = p->c[0];
    switch (p->mode) {
    case MODE_GATHER4: case MODE_SCATTER4: c[1] = p->c[1 + k->row]; break;
    case MODE_TILE:
        for (int d = 1; d < rank; d++) c[d] = (int64_t)p->c[d] + (int64_t)k->idx[d] * t->estride[d];
        for (int d = 1; d < rank; d++) {
            if (++k->idx[d] * t->estride[d] < t->box[d]) break;
            k->idx[d] = 0;
        }
        break;
    default:
        /* the pixels that follow the last of the group along W */
        if (p->halo && k->row % (p->group + p->halo) >= p->group) {
            for (int d = 1; d < rank; d++) c[d] = k->last[d] + (d < rank - 1 ? p->off[d - 1] : 0);
            c[1] += (int64_t)(k->row % (p->group + p->halo) - p->group + 1) * t->estride[1];
            break;
        }
        memcpy(k->last, k->at, sizeof k->last);
        for (int d = 1; d < rank; d++) c[d] = k->at[d] + (d < rank - 1 ? p->off[d - 1] : 0);
        for (int d = 1; d < rank - 1; d++) {                     /* W, H, D within the bounding box, then N */
            const int wide = p->mode == MODE_IM2COL_W || p->mode == MODE_IM2COL_W128
                || p->mode == MODE_IM2COL_NO_OFFS_W;
            if (wide && d > 1) continue;
            k->at[d] += t->estride[d];
            if (k->at[d] <= (int64_t)t->dim_1[d] + t->upper[d - 1]) goto done;
            k->at[d] = t->lower[d - 1];
        }
        k->at[rank - 1] += t->estride[rank - 1];
    }
done:
    k->row++;
    uint64_t a = t->addr;
    for (int d = 1; d < rank; d++) {
        if (c[d] < 0 || c[d] > (int64_t)t->dim_1[d]) return 0;
        a += (uint64_t)c[d] * t->stride[d - 1];
    }
    *addr = a;
    return 1;
}

/* Bytes of a row that lie in the tensor: [lo, hi), the first of them at the row's address + *at. 0: none */
static int inner_range(const tensor *p, uint32_t *lo, uint32_t *hi, uint64_t *at)
{
    const int bits = tmap_bits(p->t.dtype);
    const int64_t start = (int64_t)p->c[0] * bits / 8, end = (int64_t)(tmap_dim(&p->t, 0) * (uint64_t)bits / 8);
    int64_t a = start < 0 ? -start : 0, b = end - start;
    if (b > (int64_t)p->grow) b = p->grow;
    *lo = (uint32_t)a, *hi = (uint32_t)b, *at = (uint64_t)(start + a);
    return a < b;
}

static const char *coords(char *buf, size_t n, const int64_t *c, int rank)
{
    size_t len = 0;
    for (int k = 0; k < rank && len < n; k++)
        len += (size_t)snprintf(buf + len, n - len, "%s%lld", k ? ", " : "{", (long long)c[k]);
    if (len < n) snprintf(buf + len, n - len, "}");
    return buf;
}

/* What the hardware puts for elements outside the tensor: zeros, or the OOB-NaN, 0x7ff7 in every 16 bits */
static void fill_row(const tmap *t, uint8_t *row, uint32_t from, uint32_t to)
{
    if (!t->fill) memset(row + from, 0, to - from);
    else
        for (uint32_t k = from; k < to; k += 2) row[k] = 0xf7, row[k + 1] = 0x7f;
}
/* f32 to tf32: nearest even, NaN to 0x7fffe000. (The _FTZ types make no difference to loads: subnormals stay.) */
static void convert_row(uint8_t *row, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k += 4) {
        uint32_t u;
        memcpy(&u, row + k, 4);
        u = (u & 0x7fffffff) > 0x7f800000 ? 0x7fffe000 : (u + 0xfff + (u >> 13 & 1)) & 0xffffe000;
        memcpy(row + k, &u, 4);
    }
}

/* A row of srow bytes to its place, and back. s: shared memory at the start of the box; off: the shared offset of that
 * start */
static void scatter(uint8_t *s, uint32_t off, uint32_t at, int swizzle, const uint8_t *row, uint32_t bytes)
{
    if (swizzle == SW_NONE) {
        memcpy(s + at, row, bytes);
        return;
    }
    for (uint32_t x = 0; x < bytes; x += 16) {
        uint32_t a = tmap_swizzle(swizzle, off + at + x) - off;
        if (swizzle != SW_128B_ATOM_32B_FLIP_8B || !(a & 8)) memcpy(s + a, row + x, 16);
        else memcpy(s + a, row + x, 8), memcpy(s + a - 8, row + x + 8, 8);
    }
}
static void gather(const uint8_t *s, uint32_t off, uint32_t at, int swizzle, uint8_t *row, uint32_t bytes)
{
    if (swizzle == SW_NONE) {
        memcpy(row, s + at, bytes);
        return;
    }
    for (uint32_t x = 0; x < bytes; x += 16) {
        uint32_t a = tmap_swizzle(swizzle, off + at + x) - off;
        if (swizzle != SW_128B_ATOM_32B_FLIP_8B || !(a & 8)) memcpy(row + x, s + a, 16);
        else memcpy(row + x, s + a, 8), memcpy(row + x + 8, s + a - 8, 8);
    }
}

/* The packed types that are padded to 16 bytes for 16 elements: only the first 8 or 12 bytes of a chunk are written */
static void scatter_padded(async_op *op, const tensor *p, cta *c, uint32_t at, const uint8_t *row)
{
    const uint32_t used = p->t.dtype == TM_16U4_ALIGN16B ? 8 : 12;
    for (uint32_t x = 0; x < p->srow; x += 16) {
        uint8_t *s = emu_async_smem(op, c, tmap_swizzle(p->t.swizzle, p->d.off + at + x), used, A_WRITE);
        if (s) memcpy(s, row + x / 16 * used, used);
    }
}

/* Calls touch for every run of shared bytes that the box has, starting at offset off. Rows narrower than the swizzle
 * leave gaps. */
static void each_run(async_op *op, const tensor *p, cta *c, uint32_t off, int flags,
                     void (*touch)(async_op *, cta *, uint32_t, uint32_t, int))
{
    if (p->srow == p->pitch) touch(op, c, off, p->extent, flags);
    else
        for (uint32_t n = 0; n < p->rows; n++)
            for (uint32_t x = 0; x < p->srow; x += 16)
                touch(op, c, tmap_swizzle(p->t.swizzle, off + n * p->pitch + x) & ~15u, 16, flags);
}
static void mark_written(async_op *op, cta *c, uint32_t off, uint32_t bytes, int flags)
{
    emu_async_smem(op, c, off, bytes, flags);
}

/* The shared memory of a box that is loaded, marked as written; NULL if it is out of bounds */
static uint8_t *load_target(async_op *op, const tensor *p, cta *c)
{
    if (p->srow == p->pitch) return emu_async_smem(op, c, p->d.off, p->extent, A_WRITE);
    each_run(op, p, c, p->d.off, A_WRITE, mark_written);
    return emu_async_smem(op, c, p->d.off, p->extent, A_READ);
}

/* Hardware may read the map at any time until the copy has completed */
static void check_map(async_op *op, const tensor *p)
{
    if (!memcmp(p->map, &p->was, sizeof p->was)) return;
    emu_report(op->w, op->i, lane_bit(op->lane), E_RACE,
               "the tensor map at 0x%llx was changed while this copy, which reads it, was in flight: a map is replaced "
               "when all copies by it have completed", (ull)(uintptr_t)p->map);
}

static void tensor_load_perform(async_op *op, int stage)
{
    tensor *p = op->payload;
    if (stage != AO_WRITE) return;
    check_map(op, p);
    if (!p->skip) {
        const tmap *t = &p->t;
        const int padded = t->dtype == TM_16U4_ALIGN16B || t->dtype == TM_16U6_ALIGN16B;
        const int convert = t->dtype == TM_TF32 || t->dtype == TM_TF32_FTZ;
        _Alignas(64) uint8_t row[MAX_ROW];
        uint8_t *s[16] = {0};
        uint32_t lo, hi;
        uint64_t at;
        walk k;
        for (uint32_t r = 0; !padded && r < op->cl->ncta; r++)
            if (p->d.ctas >> r & 1) s[r] = load_target(op, p, &op->cl->cta[r]);
        walk_begin(&k, p);
        const int some = inner_range(p, &lo, &hi, &at);
        for (uint32_t n = 0; n < p->rows; n++) {
            int64_t c[5];
            uint64_t addr;
            const uint8_t *g = NULL, *from = row;
            if (walk_next(&k, c, &addr) && some) {
                addr += at;
                g = emu_async_global(op, addr, hi - lo, A_READ | A_ASYNC | A_NOINIT);
                const uint64_t u = g && !p->warned ? emu_global_uninit(addr, hi - lo) : 0;
                if (u) {
                    char buf[128];
                    p->warned = 1;
                    emu_report(op->w, op->i, lane_bit(op->lane), E_UNINIT_GLOBAL,
                               "loads from a tensor at 0x%llx: byte 0x%llx, in the row at coordinates %s, was never "
                               "written", (ull)t->addr, (ull)u,
                               coords(buf, sizeof buf, c, t->rank));
                }
            }
            if (g && F(op->i)->report && unwritten(F(op->i)->report, g, hi - lo)) p->found = 1;
            if (g && hi - lo == p->grow && !convert) from = g;
            else if (g) {
                fill_row(t, row, 0, lo);
                memcpy(row + lo, g, hi - lo);
                fill_row(t, row, hi, p->grow);
                if (convert) convert_row(row, lo, hi);
            } else fill_row(t, row, 0, p->grow);
            for (uint32_t r = 0; r < op->cl->ncta; r++) {
                if (s[r]) scatter(s[r], p->d.off, n * p->pitch, t->swizzle, from, p->srow);
                else if (padded && p->d.ctas >> r & 1) scatter_padded(op, p, &op->cl->cta[r], n * p->pitch, from);
            }
        }
    }
    if (p->found) report_all(op, &p->d);
    signal_all(op, &p->d, p->total);
}

static void tensor_store_perform(async_op *op, int stage)
{
    tensor *p = op->payload;
    const tmap *t = &p->t;
    if (stage == AO_READ) {
        const uint8_t *s = emu_async_smem(op, p->src, p->src_off, p->extent, A_READ);
        if (!s) p->skip = 1;
        for (uint32_t n = 0; s && n < p->rows; n++)
            gather(s, p->src_off, n * p->pitch, t->swizzle, p->stage + (size_t)n * p->srow, p->srow);
        return;
    }
    check_map(op, p);
    if (p->skip) return;
    uint32_t lo, hi;
    uint64_t at;
    walk k;
    if (!inner_range(p, &lo, &hi, &at)) return;
    /* The hardware cuts a row at 16 bytes, not at the last element: what lies in the box up to there is written too */
    hi = (hi + 15) / 16 * 16 < p->grow ? (hi + 15) / 16 * 16 : p->grow;
    walk_begin(&k, p);
    for (uint32_t n = 0; n < p->rows; n++) {
        int64_t c[5];
        uint64_t addr;
        uint8_t *row = p->stage + (size_t)n * p->srow, packed[96];
        if (!walk_next(&k, c, &addr)) continue;
        uint8_t *g = emu_async_global(op, addr + at, hi - lo, p->red ? A_READ | A_WRITE | A_ATOMIC | A_ASYNC
                                      : A_WRITE | A_ASYNC);
        if (!g) continue;
        if (t->dtype == TM_16U6_ALIGN16B) {                      /* bytes of 6 + 2 bits to packed 6 bits */
            for (uint32_t x = 0; x < p->srow / 4; x++) {
                const uint8_t *q = row + 4 * x;
                uint32_t v = (q[0] & 63u) | (q[1] & 63u) << 6 | (q[2] & 63u) << 12 | (q[3] & 63u) << 18;
                packed[3 * x] = (uint8_t)v, packed[3 * x + 1] = (uint8_t)(v >> 8),
                    packed[3 * x + 2] = (uint8_t)(v >> 16);
            }
            row = packed;
        }
        if (p->red) reduce(p->red, p->type, g, row + lo, hi - lo);
        else memcpy(g, row + lo, hi - lo);
    }
}

/* Element type of a tensor reduction, or PT_NONE if the operation does not exist for it (illegal instruction on an
 * H200; .add of f64 and, as f32, of tf32 works there, though the PTX ISA does not list it). Only the _FTZ types flush
 * subnormals. */
static int reduction_type(int red, int dtype)
{
    static const uint8_t type[TM_TYPES] = {[TM_U32] = PT_U32, [TM_S32] = PT_S32, [TM_U64] = PT_U64, [TM_S64] = PT_S64,
                                           [TM_F16] = PT_F16,
                                           [TM_BF16] = PT_BF16, [TM_F32] = F32_KEEP, [TM_F32_FTZ] = PT_F32,
                                           [TM_TF32] = F32_KEEP, [TM_TF32_FTZ] = PT_F32, [TM_F64] = PT_F64};
    const int t = type[dtype];
    switch (red) {
    case RED_ADD: return t == PT_S64 ? PT_NONE : t;
    case RED_MIN: case RED_MAX: return t == PT_F32 || t == F32_KEEP || t == PT_F64 ? PT_NONE : t;
    case RED_INC: case RED_DEC: return t == PT_U32 ? t : PT_NONE;
    default: return t == PT_U32 || t == PT_S32 ? PT_B32 : t == PT_U64 ? PT_B64 : PT_NONE;
    }
}

enum { DIR_LOAD, DIR_STORE, DIR_PREFETCH };

enum { OVER_NONE, OVER_ADDRESS, OVER_DIM, OVER_DIM_STRIDE };
/* .override: the address, sizes and strides that stand before the coordinates take the place of the map's. 0: reported,
 * move nothing */
static int override(warp *w, const ptx_instr *i, int lane, const tma_f *f, const ptx_opnd *mo, tmap *t)
{
    const uint32_t bit = lane_bit(lane);
    char why[256];
    int ok = 1, k = 0;
    t->addr = R64(w, &mo->elem[k++])[lane];
    if (t->addr % 16)
        emu_report(w, i, bit, E_MISALIGNED, ".override::global_address: 0x%llx is not a multiple of 16", (ull)t->addr),
            ok = 0;
    else if (!emu_global_ok(t->addr, 128 * 1024, 0, why, sizeof why))
        emu_report(w, i, bit, E_OOB_GLOBAL,
                   ".override::global_address: the 128 KiB from 0x%llx must be allocated, whatever the tensor's size: "
                   "%s",
                   (ull)t->addr, why);
    if (f->over == OVER_ADDRESS) return ok;
    for (int d = 0; d < t->rank; d++) {
        const uint32_t size = R32(w, &mo->elem[k++])[lane] & 0xff;
        if (!size)
            emu_report(w, i, bit, E_OPERAND, "the size of dimension %d is 0 (8 bits count): sizes are 1 to 255", d),
                ok = 0;
        t->dim_1[d] = size - 1;
    }
    t->dead = 0;
    if (f->over == OVER_DIM) return ok;
    const uint32_t upper = R32(w, &mo->elem[k + t->rank - 1])[lane];
    for (int d = 0; d < t->rank - 1; d++)
        t->stride[d] = (R32(w, &mo->elem[k++])[lane] + ((uint64_t)(upper >> 4 * d & 15) << 32)) << 4;
    return ok;
}

/* Reads map, coordinates, offsets; checks every rule; fills in the geometry. 1; 0: reported, the geometry stands, move
 * nothing; -1: X_ABORT */
static int tensor_setup(warp *w, const ptx_instr *i, int lane, const tma_f *f, int dir, tensor *p)
{
    const uint32_t bit = lane_bit(lane);
    const ptx_opnd *mo = &i->op[dir == DIR_STORE ? f->dst : f->src];
    const uint64_t addr = emu_mem_addr(w, mo, lane);
    char why[256];
    int ok = 1;

    if (EMU_GEN_TAG(addr) == EMU_GEN_LOCAL || EMU_GEN_TAG(addr) == EMU_GEN_SHARED) {
        emu_fatal(w, i, bit, E_DESCRIPTOR,
                  "the tensor map 0x%llx lies in %s memory: it must be a const __grid_constant__ parameter, or in "
                  ".const or .global memory", (ull)addr, EMU_GEN_TAG(addr) == EMU_GEN_LOCAL ? "local" : "shared");
        return -1;
    }
    if (addr % 64) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map 0x%llx is not a multiple of 64", (ull)addr);
        return -1;
    }
    const void *m = emu_access(w, i, lane, SP_NONE, addr, sizeof(tmap), 64, A_READ);
    if (!m || !tmap_read(m, &p->t, why, sizeof why) || !tmap_check(&p->t, why, sizeof why)) {
        if (m) emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map at 0x%llx: %s", (ull)addr, why);
        else emu_fatal(w, i, bit, E_DESCRIPTOR, "the tensor map at 0x%llx cannot be read", (ull)addr);
        return -1;
    }
    p->map = m;
    memcpy(&p->was, m, sizeof p->was);
    const tmap *t = &p->t;
    const int four = f->mode == MODE_GATHER4 || f->mode == MODE_SCATTER4;
    const int first = mo->n - (four ? 5 : f->dim);               /* of the coordinates */
    char small[256];
    if (t->large && !f->over && !emu_global_ok(t->addr, TMAP_WINDOW, 0, small, sizeof small))
        emu_report(w, i, bit, E_OOB_GLOBAL,
                   "the tensor map is of the large allocation class: the 128 KiB from its address 0x%llx must be "
                   "allocated: %s", (ull)t->addr, small);
    if (f->over && f->dim == t->rank && !override(w, i, lane, f, mo, &p->t)) ok = 0;
    static const char *const kind[] = {"tiled", "im2col", "im2col::w", "im2col::w::128"};
    static const uint8_t needs[] = {TMAP_TILED, TMAP_TILED, TMAP_TILED, TMAP_IM2COL, TMAP_IM2COL_W, TMAP_IM2COL_W128,
                                    TMAP_IM2COL, TMAP_IM2COL_W};
    if (f->dim != t->rank) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the instruction is .%ud, the tensor map has rank %u", f->dim, t->rank);
        return -1;
    }
    if (t->kind != needs[f->mode]) {
        emu_fatal(w, i, bit, E_DESCRIPTOR, "the instruction needs a tensor map of the kind %s, this one is %s",
                  kind[needs[f->mode]], kind[t->kind]);
        return -1;
    }
    if (t->interleave) {
        emu_fatal(w, i, bit, E_UNSUPPORTED, "tensor maps with an interleaved layout (interleave %s) are not supported",
                  t->interleave == 1 ? "16B" : "32B");
        return -1;
    }
    p->mode = f->mode, p->red = f->red;
    for (int k = 0; first + k < mo->n && k < 5; k++) p->c[k] = (int32_t)R32(w, &mo->elem[first + k])[lane];
    for (int k = 0; f->over > OVER_ADDRESS && k < t->rank; k++)
        if (p->c[k])
            emu_report(w, i, bit, E_OPERAND,
                       "coordinate %d = %d: with .override::%s all coordinates must be 0", k, p->c[k],
                       f->over == OVER_DIM ? "global_dim" : "global_dim_stride"), ok = 0;

    /* geometry */
    const int bits = tmap_bits(t->dtype), padded = t->dtype == TM_16U4_ALIGN16B || t->dtype == TM_16U6_ALIGN16B;
    const uint32_t inner = t->kind == TMAP_TILED ? t->box[0] : t->channels;
    p->grow = inner * (uint32_t)bits / 8;
    p->srow = padded ? inner : p->grow;
    p->pitch = t->swizzle ? tmap_swizzle_span(t->swizzle) : p->srow;
    uint64_t rows = 1;
    if (four) rows = 4;
    else if (f->mode == MODE_TILE)
        for (int k = 1; k < t->rank; k++) rows *= (t->box[k] + t->estride[k] - 1u) / t->estride[k];
    else rows = f->mode == MODE_IM2COL_W128 ? 128 : t->pixels;
    if (dir != DIR_PREFETCH && rows * p->pitch > w->cta->smem_size) {
        emu_fatal(w, i, bit, E_OOB_SHARED,
                  "the box takes %llu bytes of shared memory (%llu rows, one every %u bytes), the CTA has %u",
                  (ull)(rows * p->pitch), (ull)rows, p->pitch, w->cta->smem_size);
        return -1;
    }
    p->rows = (uint32_t)rows;
    /* of the padded types too: the mbarrier counts what came, without the padding */
    p->total = p->rows * p->grow;
    p->extent = p->rows * p->pitch;

    /* rules of this use */
    if (four && t->box[1] != 1)
        emu_report(w, i, bit, E_OPERAND, "boxDim[1] = %u of the tensor map, but gather4 and scatter4 need 1",
                   t->box[1]), ok = 0;
    const uint32_t grid = padded ? 128 : 128 / (uint32_t)bits;
    if (p->c[0] % (int32_t)grid)
        emu_report(w, i, bit, E_OPERAND,
                   "coordinate 0 = %d elements of %s is not a multiple of 16 bytes (%u elements): the hardware stops "
                   "with an illegal instruction", p->c[0], tmap_type_name(t->dtype), grid), ok = 0;
    if (dir == DIR_STORE) {
        for (int k = 0; first + k < mo->n; k++)
            if (p->c[k] < 0 && !(f->mode == MODE_SCATTER4 && w->cta->cl->L->dev->sm == 107))
                emu_report(w, i, bit, E_OPERAND,
                           "coordinate %d = %d: stores and reductions take no negative coordinates (loads do)", k,
                           p->c[k]), ok = 0;
        if (f->mode == MODE_IM2COL_NO_OFFS || f->mode == MODE_IM2COL_NO_OFFS_W)
            for (int k = 0; k < (f->mode == MODE_IM2COL_NO_OFFS ? t->rank - 2 : 1); k++)
                if (t->lower[k] < 0 || t->upper[k] > 0)
                    emu_report(w, i, bit, E_OPERAND,
                               "the bounding box of the tensor map leaves the tensor in %c (lower corner %d, upper "
                               "corner %d): stores do not allow that", "WHD"[k], t->lower[k], t->upper[k]), ok = 0;
        if (t->dtype == TM_16U4_ALIGN16B)
            emu_report(w, i, bit, E_OPERAND, "tensors of 16U4_ALIGN16B can only be loaded"), ok = 0;
        if (f->red && !(p->type = (uint8_t)reduction_type(f->red, t->dtype)))
            emu_report(w, i, bit, E_OPERAND, "there is no .%s reduction of tensors of %s", red_word[f->red],
                       tmap_type_name(t->dtype)), ok = 0;
    } else {
        if (t->dtype == TM_16U6_ALIGN16B && t->swizzle == SW_128B_ATOM_64B)
            emu_report(w, i, bit, E_OPERAND, "16U6_ALIGN16B with the swizzle 128B_ATOM_64B can only be stored"), ok = 0;
        if (t->dtype >= TM_16U4_ALIGN8B && w->cta->cl->L->dev->sm >= 120 && !f->dst_cta && dir == DIR_LOAD)
            emu_report(w, i, bit, E_OPERAND, "%s has no loads of %s into .shared::cluster", w->cta->cl->L->dev->option,
                       tmap_type_name(t->dtype)), ok = 0;
    }
    if (f->mode >= MODE_IM2COL) {
        const int wide = f->mode == MODE_IM2COL_W || f->mode == MODE_IM2COL_W128 || f->mode == MODE_IM2COL_NO_OFFS_W;
        static const uint16_t top[] = {65535, 255, 31};
        if (f->info != NOT && wide) {
            const uint32_t halo = R32(w, &i->op[f->info].elem[0])[lane] & 0xffff,
                           off = R32(w, &i->op[f->info].elem[1])[lane] & 0xffff;
            if (halo) {
                /* The ISA has the halo after the pixels of a row. What it is where the pixels go on in the next image
                 * is not said clearly enough */
                const int64_t fit = p->c[1] > (int64_t)t->dim_1[1] + t->upper[0] ? 0
                    : ((int64_t)t->dim_1[1] + t->upper[0] - p->c[1]) / t->estride[1] + 1;
                if (fit < (int64_t)rows) {
                    emu_fatal(w, i, bit, E_UNSUPPORTED,
                              "wHalo = %u: halo elements are supported only where all %llu pixels lie in one image; "
                              "here %lld of them do", halo, (ull)rows, (long long)fit);
                    return -1;
                }
                p->halo = halo, p->group = f->mode == MODE_IM2COL_W128 ? 32 : (uint32_t)rows;
                rows += rows / p->group * halo;
                if (dir != DIR_PREFETCH && rows * p->pitch > w->cta->smem_size) {
                    emu_fatal(w, i, bit, E_OOB_SHARED,
                              "the box with its halo takes %llu bytes of shared memory, the CTA has %u",
                              (ull)(rows * p->pitch), w->cta->smem_size);
                    return -1;
                }
                p->rows = (uint32_t)rows, p->total = p->rows * p->grow, p->extent = p->rows * p->pitch;
            }
            if (off > 31) emu_report(w, i, bit, E_OPERAND, "wOffset = %u is not in 0..31", off), ok = 0;
            p->off[0] = (int32_t)off;
        } else if (f->info != NOT) {
            for (int k = 0; k < t->rank - 2; k++) {
                p->off[k] = (int32_t)(R32(w, &i->op[f->info].elem[k])[lane] & 0xffff);
                if (p->off[k] > top[t->rank - 3])
                    emu_report(w, i, bit, E_OPERAND, "im2col offset %c = %d is not in 0..%u", "WHD"[k], p->off[k],
                               top[t->rank - 3]), ok = 0;
            }
        }
        for (int k = 0; k < (wide ? 1 : t->rank - 2); k++) {
            const int64_t last = (int64_t)t->dim_1[k + 1] + t->upper[k];
            if ((p->c[k + 1] < t->lower[k] && !wide) || p->c[k + 1] > last)
                emu_report(w, i, bit, E_OPERAND,
                           "coordinate %d = %d lies outside the bounding box of the tensor map, %d..%lld", k + 1,
                           p->c[k + 1], t->lower[k], (long long)last), ok = 0;
        }
    }
    return ok;
}

static int smem_aligned(warp *w, const ptx_instr *i, int lane, uint32_t off)
{
    if (off % 128 == 0) return 1;
    emu_report(w, i, lane_bit(lane), E_MISALIGNED, "the box is at shared offset %u, which is not a multiple of 128",
               off);
    return 0;
}

/* The box that a store reads. What lies outside the tensor goes nowhere: it need not have been written (a padded
 * tile) */
static void touch_source(async_op *op, const tensor *p)
{
    uint32_t lo, hi, inside = 0;
    uint64_t at, addr;
    int64_t c[5];
    walk k;
    const int some = inner_range(p, &lo, &hi, &at);
    walk_begin(&k, p);
    for (uint32_t n = 0; some && n < p->rows; n++) inside += (uint32_t)walk_next(&k, c, &addr);
    if (p->srow != p->grow || (inside == p->rows && !lo && hi == p->grow)) {
        each_run(op, p, p->src, p->src_off, A_READ | A_ASYNC, emu_async_touch);
        return;
    }
    const int errors = emu_error_count();
    each_run(op, p, p->src, p->src_off, A_READ | A_ASYNC | A_NOINIT, emu_async_touch);
    if (emu_error_count() != errors) return;                     /* once is enough */
    walk_begin(&k, p);
    for (uint32_t n = 0; some && n < p->rows; n++) {
        if (!walk_next(&k, c, &addr)) continue;
        const uint32_t row = p->src_off + n * p->pitch;
        if (p->t.swizzle == SW_NONE) emu_async_touch(op, p->src, row + lo, hi - lo, A_READ | A_ASYNC);
        else for (uint32_t x = (lo + 15) / 16 * 16; x + 16 <= hi; x += 16)
            emu_async_touch(op, p->src, tmap_swizzle(p->t.swizzle, row + x) & ~15u, 16, A_READ | A_ASYNC);
    }
}

static int tensor_load_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        cta *mb = NULL;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_LOAD, &p);
        if (ok < 0) return X_ABORT;
        if (!find_dests(w, i, (int)l, f, &p.d, &mb)) continue;
        if (!ok || !smem_aligned(w, i, (int)l, p.d.off)) p.skip = 1;
        async_op *op = emu_async_new(w, i, (int)l, sizeof p, tensor_load_perform);
        memcpy(op->payload, &p, sizeof p);
        for (uint32_t r = 0; !p.skip && r < w->cta->cl->ncta; r++)
            if (p.d.ctas >> r & 1) each_run(op, &p, &w->cta->cl->cta[r], p.d.off, A_WRITE | A_ASYNC, emu_async_touch);
        count_bytes(w, i, (uint64_t)p.total * (uint32_t)__builtin_popcount(p.d.ctas), (uint64_t)p.rows * p.grow);
        model_note(w, op, (model_event){.kind = EV_LOAD, .a = (float)p.total, .mask = p.d.ctas});
        post_with_mbar(op, mb, p.d.mbar_off);
    }
    return X_NEXT;
}

static int tensor_store_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_STORE, &p);
        if (ok < 0) return X_ABORT;
        if (!shared_at(w, i, (int)l, SP_SHARED, emu_mem_addr(w, &i->op[f->src], (int)l), "source", &p.src, &p.src_off))
            continue;
        if (!smem_aligned(w, i, (int)l, p.src_off) || !ok) continue;
        async_op *op = emu_async_new(w, i, (int)l, sizeof p + p.extent, tensor_store_perform);
        memcpy(op->payload, &p, sizeof p);
        op->bulk_group = 1;
        touch_source(op, &p);
        count_bytes(w, i, p.total, (uint64_t)p.rows * p.grow);
        model_note(w, op, (model_event){.kind = EV_STORE, .a = (float)p.total});
        emu_async_post(op);
    }
    return X_NEXT;
}

static int tensor_prefetch_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    EMU_EACH(l, mask) {
        tensor p;
        walk k;
        uint32_t lo, hi;
        uint64_t at;
        memset(&p, 0, sizeof p);
        const int ok = tensor_setup(w, i, (int)l, f, DIR_PREFETCH, &p);
        if (ok < 0) return X_ABORT;
        /* nobody sees what a prefetch reads */
        if (!ok || !emu_opt.strict || !inner_range(&p, &lo, &hi, &at)) continue;
        walk_begin(&k, &p);
        for (uint32_t n = 0; n < p.rows; n++) {
            int64_t c[5];
            uint64_t a;
            char why[256], buf[128];
            if (!walk_next(&k, c, &a)) continue;
            if (emu_global_ok(a + at, hi - lo, 0, why, sizeof why)) continue;
            emu_report(w, i, lane_bit((int)l), E_OOB_GLOBAL,
                       "prefetches %u bytes at 0x%llx, coordinates %s of the tensor: %s", hi - lo, (ull)(a + at),
                       coords(buf, sizeof buf, c, p.t.rank), why);
            break;
        }
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
    if (d && p->red) reduce(p->red, p->type, d, p->value, p->bytes);
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
            if (!shared_at(w, i, (int)l, f->space, a, "destination", &p.c, &p.off)) continue;
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
        count_bytes(w, i, p.c ? p.bytes : 0, p.c ? 0 : p.bytes);
        model_note(w, op, (model_event){.kind = EV_REMOTE, .a = (float)p.bytes});
        if (p.bar) post_with_mbar(op, p.bar, p.bar_off);
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

/* ======== tensormap.* ======== */
enum { FIELD_ADDRESS, FIELD_RANK, FIELD_BOX, FIELD_DIM, FIELD_STRIDE, FIELD_ESTRIDE, FIELD_ELEMTYPE, FIELD_INTERLEAVE,
       FIELD_SWIZZLE, FIELD_ATOM, FIELD_FILL };
static const char *const field_word[] = {"global_address", "rank", "box_dim", "global_dim", "global_stride",
                                         "element_stride", "elemtype",
                                         "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"};

enum { ALLOC_SAME, ALLOC_SMALL, ALLOC_LARGE };
static int query_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint32_t *d = RP(w, &i->op[0]);
    EMU_EACH(l, mask) {
        const uint64_t a = emu_mem_addr(w, &i->op[1], (int)l);
        const void *m = emu_access(w, i, (int)l, F(i)->space, a, sizeof(tmap), 128, A_READ);
        char why[256];
        tmap t = {0};
        if (m && !tmap_read(m, &t, why, sizeof why))
            emu_report(w, i, lane_bit((int)l), E_DESCRIPTOR, "at 0x%llx: %s", (ull)a, why);
        *d = (*d & ~lane_bit((int)l)) | (uint32_t)t.large << l;
    }
    return X_NEXT;
}

static int replace_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    const tma_f *f = F(i);
    const ptx_opnd *v = &i->op[i->nop - 1];
    EMU_EACH(l, mask) {
        const uint64_t a = emu_mem_addr(w, &i->op[0], (int)l);
        const uint64_t x = f->bytes == 8 ? R64(w, v)[l] : R32(w, v)[l];
        void *m = emu_access(w, i, (int)l, f->space, a, sizeof(tmap), 128, A_READ | A_WRITE);
        char why[256];
        tmap t;
        if (!m) continue;
        if (!tmap_read(m, &t, why, sizeof why)) {
            emu_report(w, i, lane_bit((int)l), E_DESCRIPTOR, "at 0x%llx: %s", (ull)a, why);
            continue;
        }
        switch (f->field) {
        case FIELD_ADDRESS:              /* ord: its allocation class, which sm_107 alone tells apart */
            t.addr = x;
            if (f->ord && w->cta->cl->L->dev->sm == 107) t.large = f->ord == ALLOC_LARGE;
            break;
        case FIELD_RANK: t.rank = (uint8_t)(x < 255 ? x + 1 : 255); break;
        case FIELD_BOX: t.box[f->ord] = (uint16_t)(x > 0xffff ? 0xffff : x); break;
        case FIELD_DIM:
            t.dim_1[f->ord] = (uint32_t)(x - 1);
            t.dead = (uint8_t)((t.dead & ~(1u << f->ord)) | (x ? 0 : 1u << f->ord));
            break;
        case FIELD_STRIDE: t.stride[f->ord] = x; break;
        case FIELD_ESTRIDE: t.estride[f->ord] = (uint8_t)(x > 255 ? 255 : x); break;
        case FIELD_ELEMTYPE: {          /* numbered otherwise than CUtensorMapDataType */
            static const uint8_t type[] = {TM_U8, TM_U16, TM_U32, TM_S32, TM_U64, TM_S64, TM_F16, TM_F32, TM_F32_FTZ,
                                           TM_F64, TM_BF16, TM_TF32,
                                           TM_TF32_FTZ, TM_16U4_ALIGN8B, TM_16U4_ALIGN16B, TM_16U6_ALIGN16B};
            t.dtype = type[x];
            break;
        }
        case FIELD_INTERLEAVE: t.interleave = (uint8_t)x; break;
        case FIELD_SWIZZLE:              /* keeps the atomicity if it is 128B before and after */
            if (x == 4) t.swizzle = SW_96B;
            else if (x < 3 || t.swizzle < SW_128B || t.swizzle == SW_96B) t.swizzle = (uint8_t)x;
            break;
        case FIELD_ATOM:
            if (t.swizzle >= SW_128B && t.swizzle != SW_96B) t.swizzle = (uint8_t)(SW_128B + x);
            else if (x)
                emu_report(w, i, lane_bit((int)l), E_DESCRIPTOR,
                           "swizzle atomicity %llu, but the tensor map has not the 128B swizzle: set swizzle_mode "
                           "first", (ull)x);
            break;
        default: t.fill = (uint8_t)x; break;
        }
        tmap_seal(&t);
        memcpy(m, &t, sizeof t);
    }
    return X_NEXT;
}

static int cp_fenceproxy_exec(warp *w, const ptx_instr *i, uint32_t mask)
{
    uint64_t done_d = 0, done_s = 0;
    EMU_EACH(l, mask) {
        const uint64_t d = emu_mem_addr(w, &i->op[0], (int)l), s = emu_mem_addr(w, &i->op[1], (int)l);
        if (d == done_d && s == done_s) continue;                /* all lanes name the same map: copied once */
        done_d = d, done_s = s;
        const void *from = emu_access(w, i, (int)l, SP_SHARED, s, sizeof(tmap), 128, A_READ);
        void *to = emu_access(w, i, (int)l, SP_GLOBAL, d, sizeof(tmap), 128, A_WRITE);
        if (from && to) memcpy(to, from, sizeof(tmap));
    }
    return X_NEXT;
}

/* ======== Decoding ======== */
#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

static int one_of(const char *w, const char *const *list)
{
    for (int k = 0; list[k]; k++) if (!strcmp(w, list[k])) return k + 1;
    return 0;
}
static int is_blackwell_tc(const emu_device *d)
{
    return (d->sm == 100 || d->sm == 103 || d->sm == 107 || d->sm == 110) && d->suffix;
}
static int op_is(const ptx_instr *i, int k, int kind) { return k < i->nop && i->op[k].kind == kind; }

/* An operand that is read as a value */
static int value(emu_module *m, ptx_func *fn, ptx_instr *i, int k, ptx_type t, char *err, size_t n)
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
        i->exec = load ? tensor_load_exec : store ? tensor_store_exec : tensor_prefetch_exec;
    } else {
        if (dim || mode || cta_group) BAD("not a form of PTX");
        if (cp_mask && (!store || reduce_)) BAD(".cp_mask is for copies from shared::cta to global");
        if (cp_mask && dev->sm < 100) BAD(".cp_mask needs sm_100, the device is %s", dev->option);
        if (!prefetch) f.dst = (uint8_t)k++;
        f.src = (uint8_t)k++;
        if (value(m, fn, i, k, PT_U32, err, n)) return -1;
        f.size = (uint8_t)k++;
        if (oob) {
            f.left = (uint8_t)k;
            for (int e = k; e < k + 2; e++)
                if (op_is(i, e, PO_IMM) && (i->op[e].imm < 0 || i->op[e].imm > 15))
                    BAD(".ignore_oob takes 0 to 15 bytes at each end, not %lld", (long long)i->op[e].imm);
            if (value(m, fn, i, k, PT_U32, err, n) || value(m, fn, i, k + 1, PT_U32, err, n)) return -1;
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
            if (!ok) BAD("there is no .%s reduction of this type", red_word[f.red]);
            if (noftz && f.red != RED_ADD) BAD(".noftz belongs to .add of f16 and bf16");
            if (!f.type) f.type = (uint8_t)type;
        } else if (type != PT_NONE || noftz) BAD("not a form of PTX");
        i->exec = load || s2s ? bulk_load_exec : store ? bulk_store_exec : bulk_prefetch_exec;
    }
    if (multicast) {
        if (value(m, fn, i, k, f.mask32 ? PT_U32 : PT_U16, err, n)) return -1;
        f.mask = (uint8_t)k++;
    }
    if (hint && value(m, fn, i, k++, PT_B64, err, n)) return -1;
    if (cp_mask) {
        if (value(m, fn, i, k, PT_U16, err, n)) return -1;
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
    if (value(m, fn, i, 1, wide ? PT_U64 : PT_U32, err, n)) return -1;
    f.bytes = wide ? 8 : 4;
    i->exec = st_bulk_exec;
    memcpy(i->f, &f, sizeof f);
    return 0;
}

static int decode_tensormap(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const emu_device *dev = m->dev;
    tma_f f = {.space = SP_NONE, .field = NOT};
    if (i->nmod < 2) BAD("not a form of PTX");
    if (!strcmp(i->mod[1], "cp_fenceproxy")) {
        static const char *const words[] = {"cp_fenceproxy", "global", "shared::cta", "tensormap::generic", "release",
                                            "cta", "cluster", "gpu", "sys", "sync", "aligned", NULL};
        for (int k = 1; k < i->nmod; k++) if (!one_of(i->mod[k], words)) BAD(".%s is not supported", i->mod[k]);
        if (dev->sm < 90) BAD("needs sm_90, the device is %s", dev->option);
        if (i->nop != 3 || !op_is(i, 0, PO_MEM) || !op_is(i, 1, PO_MEM))
            BAD("the operands must be [destination], [source], 128");
        if (!op_is(i, 2, PO_IMM) || i->op[2].imm != 128) BAD("the size must be the immediate 128");
        i->flags |= I_ALIGNED;
        i->exec = cp_fenceproxy_exec;
        memcpy(i->f, &f, sizeof f);
        return 0;
    }
    if (!strcmp(i->mod[1], "query")) {
        for (int k = 3; k < i->nmod; k++) {
            if (!strcmp(i->mod[k], "global")) f.space = SP_GLOBAL;
            else if (!strcmp(i->mod[k], "shared::cta")) f.space = SP_SHARED;
            else if (strcmp(i->mod[k], "b1024")) BAD(".%s is not supported", i->mod[k]);
        }
        if (i->nmod < 4 || strcmp(i->mod[2], "alloc_class_large") || i->nop != 2 || !op_is(i, 1, PO_MEM))
            BAD("must be tensormap.query.alloc_class_large{.global, .shared::cta}.b1024 p, [map]");
        if (emu_needs(m, i, 95, "90a," EMU_BLACKWELL_120, err, n)) return -1;
        i->exec = query_exec;
        memcpy(i->f, &f, sizeof f);
        return 0;
    }
    if (strcmp(i->mod[1], "replace")) BAD("is not supported");
    if (!emu_target_own(m)) BAD("needs an 'a' or 'f' target, the module has %s", m->ptx->target);
    static const char *const classes[] = {"alloc_same", "alloc_small", "alloc_large", NULL};
    int tile = 0, b1024 = 0, type = 0, alloc = 0;
    for (int k = 2; k < i->nmod; k++) {
        const char *w = i->mod[k];
        int field = -1;
        for (int x = 0; x <= FIELD_FILL; x++) if (!strcmp(w, field_word[x])) field = x;
        if (field >= 0) f.field = (uint8_t)field;
        else if (!strcmp(w, "tile")) tile = 1;
        else if (f.field == FIELD_ADDRESS && one_of(w, classes)) f.ord = (uint8_t)(one_of(w, classes) - 1), alloc = 1;
        else if (!strcmp(w, "b1024")) b1024 = 1;
        else if (!strcmp(w, "b32") || !strcmp(w, "b64")) type = w[1] == '3' ? 32 : 64;
        else if (!strcmp(w, "global")) f.space = SP_GLOBAL;
        else if (!strcmp(w, "shared::cta") || !strcmp(w, "shared")) f.space = SP_SHARED;
        else BAD(".%s is not supported", w);
    }
    const int want = f.field == FIELD_ADDRESS || f.field == FIELD_STRIDE ? 64 : 32;
    const int has_ord = f.field >= FIELD_BOX && f.field <= FIELD_ESTRIDE;
    if (!tile || !b1024 || f.field == NOT || type != want) BAD("not a form of PTX");
    if (alloc && emu_needs(m, i, 95, "90a," EMU_BLACKWELL_120, err, n)) return -1;
    if (dev->sm < 90 || !dev->suffix)
        BAD("needs sm_90a, or an a or f device of sm_100 and later; the device is %s", dev->option);
    if (i->nop != (has_ord ? 3 : 2) || !op_is(i, 0, PO_MEM)) BAD("%d operands, %d needed", i->nop, has_ord ? 3 : 2);
    if (has_ord) {
        const int last = f.field == FIELD_STRIDE ? 3 : 4;
        if (!op_is(i, 1, PO_IMM) || i->op[1].imm < 0 || i->op[1].imm > last)
            BAD("the ordinal must be an immediate in 0..%d", last);
        f.ord = (uint8_t)i->op[1].imm;
    }
    const int v = i->nop - 1;
    if (f.field >= FIELD_ELEMTYPE) {
        static const uint8_t top[] = {15, 2, 4, 3, 1};
        const int64_t x = i->op[v].imm;
        if (!op_is(i, v, PO_IMM) || x < 0 || x > top[f.field - FIELD_ELEMTYPE])
            BAD("the new value must be an immediate in 0..%u", top[f.field - FIELD_ELEMTYPE]);
        if (f.field == FIELD_ELEMTYPE && x > 12 && dev->sm < 100)
            BAD("element type %lld needs sm_100a, the device is %s", (long long)x, dev->option);
        if (f.field == FIELD_SWIZZLE && x == 4 && ((dev->sm != 103 && dev->sm != 107) || dev->suffix != 'a'))
            BAD("the 96B swizzle needs sm_103a or sm_107a, the device is %s", dev->option);
        if (f.field == FIELD_ATOM && dev->sm < 100) BAD("needs sm_100a, the device is %s", dev->option);
    }
    if (value(m, fn, i, v, want == 64 ? PT_B64 : PT_B32, err, n)) return -1;
    f.bytes = (uint8_t)(want / 8);
    i->exec = replace_exec;
    memcpy(i->f, &f, sizeof f);
    return 0;
}

const emu_family emu_tma[] = {{"tensormap", decode_tensormap}, {"multimem", emu_decode_multimem}, {0}};
