/* tcgen05_move.c - what moves data into tensor memory, out of it and within it: tcgen05.ld and st, with their shapes
 * and with what ld makes of the values on the way (red, spcompress); cp, shift. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tcgen05.h"
#include "model.h"
#include "num.h"

#define BAD(...) return emu_decode_error(err, size, i, __VA_ARGS__)

/* ---- ld, st ---- */

enum { SH_32x32, SH_16x64, SH_16x128, SH_16x256, SH_16x32x2 };
/* i->aux */
/* sp: keeps two of four, the least (1) or the greatest (2) */
typedef struct ldst { uint8_t shape, num, pack, store, red, abs, nan, sp; uint8_t type; int split, regs, cols; } ldst;

/* Register r of lane l: lane (relative to the base) and column (with .pack: the first of two) */
static inline void place(const ldst *s, int l, int r, int *lane, int *col)
{
    int c;
    switch (s->shape) {
    case SH_32x32: *lane = l; c = r; break;
    case SH_16x64: *lane = l / 4 + l % 2 * 8; c = 2 * r + l / 2 % 2; break;
    case SH_16x128: *lane = l / 4 + r % 2 * 8; c = r / 2 * 4 + l % 4; break;
    case SH_16x256: *lane = l / 4 + r / 2 % 2 * 8; c = r / 4 * 8 + l % 4 * 2 + r % 2; break;
    default: *lane = l % 16; *col = (s->pack ? 2 * r : r) + l / 16 * s->split; return;
    }
    *col = s->pack ? 2 * c : c;
}

/* Checks the address of an ld or st; returns the first lane, or -1 */
static int base_lane(warp *w, const ptx_instr *i, uint32_t mask, uint32_t taddr, const ldst *s)
{
    int lane = (int)(taddr >> 16), quarter = (int)(w->id % 4) * 32;
    /* seen in published kernels, in CTA pairs; hardware reads the CTA's own lane */
    if (lane >= TM_LANES) {
        static _Atomic uint64_t told;           /* by launch: all its loads and stores have it in common */
        if (told != w->cta->cl->L->gridid) {
            told = w->cta->cl->L->gridid;
            emu_report(w, i, mask, E_TMEM,
                       "address 0x%08x: lane %d of tensor memory, which has lanes 0..127, in each CTA of a pair too; "
                       "taken as lane %d, as hardware seems to", taddr, lane, lane % TM_LANES);
        }
        lane %= TM_LANES;
    }
    if (lane / 32 * 32 != quarter) {
        emu_report(w, i, mask, E_TMEM,
                   "address 0x%08x has lane %d, but warp %u can access lanes %d..%d only (warp %% 4 chooses the "
                   "quarter)", taddr, lane, w->id, quarter, quarter + 31);
        lane = quarter + lane % 32;
    }
    int rows = s->shape == SH_32x32 ? 32 : 16;
    if (lane % rows) {
        emu_report(w, i, mask, E_TMEM, "address 0x%08x has lane %d; this shape needs a multiple of %d", taddr, lane,
                   rows);
        return -1;
    }
    return lane;
}

/* The column ranges that it touches: one, or two for .16x32bx2 */
static int ranges(const ldst *s, int col, int from[2], int n[2])
{
    from[0] = col;
    n[0] = s->cols;
    if (s->shape != SH_16x32x2) return 1;
    from[1] = col + s->split;
    n[1] = s->cols;
    return 2;
}

/* -1: cannot be done; 1: not ordered (reported) */
static int ldst_check(warp *w, const ptx_instr *i, uint32_t mask, uint32_t taddr, const ldst *s, int *lane)
{
    int from[2], n[2], k = ranges(s, (int)(taddr & 0xffff), from, n);
    *lane = base_lane(w, i, mask, taddr, s);
    if (*lane < 0) return -1;
    for (int x = 0; x < k; x++)
        if (!tc5_allocated(w, i, mask, w->cta, taddr, from[x], n[x], s->store ? "tcgen05.st" : "tcgen05.ld")) return -1;
    uint32_t halves = (s->shape == SH_32x32 ? 3u : 1u) << *lane / 16;
    int bad = 0;
    for (int x = 0; x < k && !bad; x++)
        bad = tc5_access(w, i, mask, w->cta, halves, from[x], n[x], s->store ? TA_ST : TA_LD, NULL,
                         s->store ? "tcgen05.st" : "tcgen05.ld");
    model_note(w, NULL, (model_event){.kind = s->store ? EV_T5_ST : EV_T5_LD, .a = (float)(s->regs * 128)});
    stat_line *st = emu_stat(w, i);
    if (st) __atomic_fetch_add(&st->tmem_bytes, (uint64_t)s->regs * 128 * (s->pack ? 2 : 1), __ATOMIC_RELAXED);
    return bad;
}

static int x_st(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ldst *s = i->aux;
    const ptx_opnd *v = &i->op[i->nop - 1];
    tmem *t = tc5_tmem(w->cta);
    uint32_t taddr = tc5_uniform(w, i, mask, &i->op[0], "tensor memory address");
    int base, col0 = (int)(taddr & 0xffff);
    tc5_of(w)->seq++;
    if (ldst_check(w, i, mask, taddr, s, &base) < 0) return X_NEXT;
    for (int r = 0; r < s->regs; r++) {
        const uint32_t *reg = R32(w, &v->elem[r]);
        if (s->shape == SH_32x32 && !s->pack) {
            EMU_EACH(l, mask) t->cell[base + (int)l][col0 + r] = reg[l];
            if (r == 0)
                EMU_EACH(l, mask)
                    for (int c = col0; c < col0 + s->regs; c++) t->init[base + (int)l][c / 64] |= 1ull << c % 64;
            continue;
        }
        EMU_EACH(l, mask) {
            int lane, col;
            place(s, (int)l, r, &lane, &col);
            lane += base;
            col += col0;
            if (s->pack) {
                t->cell[lane][col] = reg[l] & 0xffff;
                t->cell[lane][col + 1] = reg[l] >> 16;
                tm_set_init(t, lane, col, 2);
            } else {
                t->cell[lane][col] = reg[l];
                t->init[lane][col / 64] |= 1ull << col % 64;
            }
        }
    }
    return X_NEXT;
}

/* min, max of ld.red: without .NaN a NaN loses against a number; -0 is less than +0 */
static uint32_t reduce(const ldst *s, uint32_t a, uint32_t b)
{
    int max = s->red == 2;
    if (s->type == PT_U32) return (a < b) == max ? b : a;
    if (s->type == PT_S32) return ((int32_t)a < (int32_t)b) == max ? b : a;
    float x = num_bits_f32(a), y = num_bits_f32(b);
    if (x != x || y != y) return s->nan || (x != x && y != y) ? NUM_NAN32 : x != x ? b : a;
    if (x == y) return max ? a & b : a | b;                                  /* the signs of zeros */
    return (x < y) == max ? b : a;
}

static void uninit_ld(warp *w, const tc5_load *ld, int lane, int col)
{
    emu_report(w, ld->i, w->live, E_UNINIT_TMEM,
               "reads tensor memory at lane %d, column %d, that nobody has written since it was allocated (or whose "
               "write is still in flight: nothing waited for it)", lane, col);
}
static uint32_t *load_values(warp *w, const tc5_load *ld, int report)
{
    static __thread uint32_t result[129 * 32];
    const ldst *s = ld->i->aux;
    tmem *t = tc5_tmem(w->cta);
    int base = (int)(ld->taddr >> 16), col0 = (int)(ld->taddr & 0xffff), told = !report || !emu_opt.checks;
    if (ld->taddr == ~0u) memset(result, 0xcd, sizeof result);
    else if (s->shape == SH_32x32 && !s->pack)      /* by far the most frequent: a row to a lane */
        for (int l = 0; l < 32; l++) {
            const uint32_t *row = &t->cell[base + l][col0];
            int un = told ? -1 : tm_uninit(t, base + l, col0, s->regs);
            for (int r = 0; r < s->regs; r++) result[r * 32 + l] = row[r];
            if (un < 0) continue;
            uninit_ld(w, ld, base + l, un);
            told = 1;
        }
    else for (int r = 0; r < s->regs; r++)
        for (int l = 0; l < 32; l++) {
            int lane, col;
            place(s, l, r, &lane, &col);
            lane += base;
            col += col0;
            if (!told && tm_uninit(t, lane, col, s->pack ? 2 : 1) >= 0) {
                uninit_ld(w, ld, lane, col);
                told = 1;
            }
            result[r * 32 + l] = s->pack ? (t->cell[lane][col] & 0xffff) | t->cell[lane][col + 1] << 16
                : t->cell[lane][col];
        }
    if (s->red && ld->taddr != ~0u) {
        uint32_t *d = result + s->regs * 32, m = s->abs ? 0x7fffffffu : ~0u;
        for (int l = 0; l < 32; l++) {
            d[l] = result[l] & m;
            if (s->type == PT_F32 && s->nan && (d[l] & 0x7fffffff) > 0x7f800000) d[l] = NUM_NAN32;
            for (int r = 1; r < s->regs; r++) d[l] = reduce(s, d[l], result[r * 32 + l] & m);
        }
    }
    return result;
}

/* Does a go before b where two of four are kept? NaN before all; of equals the first is kept, which the ISA leaves
 * open. */
static int goes_before(const ldst *s, uint32_t a, uint32_t b)
{
    uint32_t m = s->abs ? 0x7fffffffu : ~0u;
    float x = num_bits_f32(a & m), y = num_bits_f32(b & m);
    if (x != x || y != y) return x != x && y == y;
    if (x == y) return s->abs ? 0 : s->sp == 2 ? (a >> 31) < (b >> 31) : (a >> 31) > (b >> 31);
    return s->sp == 2 ? x > y : x < y;
}

/* Two of each four columns: kept[regs / 2], and their places, 4 bits for four, in meta */
static void compress(const ldst *s, const uint32_t *from, uint32_t *kept, uint32_t *meta)
{
    memset(meta, 0, 4 * 128);
    for (int g = 0; g < s->regs / 4; g++)
        for (int l = 0; l < 32; l++) {
            const uint32_t *x = from + g * 128 + l;
            int before[4], n = 0, at[2] = {0, 1};
            for (int k = 0; k < 4; k++) {
                before[k] = 0;
                for (int j = 0; j < 4; j++) {
                    int ahead = goes_before(s, x[j * 32], x[k * 32]);
                    before[k] += ahead || (j < k && !goes_before(s, x[k * 32], x[j * 32]));
                }
            }
            for (int k = 0; k < 4; k++) if (before[k] < 2 && n < 2) at[n++] = k;
            for (int k = 0; k < 2; k++) kept[(2 * g + k) * 32 + l] = x[at[k] * 32];
            meta[g / 8 * 32 + l] |= (uint32_t)(at[0] | at[1] << 2) << g % 8 * 4;
        }
}

static int x_ld(warp *w, const ptx_instr *i, uint32_t mask)
{
    const ldst *s = i->aux;
    const ptx_opnd *v = &i->op[s->sp != 0], *red = &i->op[s->sp ? 2 : 1];
    int count = s->sp ? s->regs / 2 : s->regs;
    tc5_warp *t = tc5_of(w);
    uint32_t taddr = tc5_uniform(w, i, mask, &i->op[i->nop - 1 - (s->shape == SH_16x32x2)], "tensor memory address");
    int base;
    t->seq++;
    tc5_load l = {i, taddr};
    int bad = ldst_check(w, i, mask, taddr, s, &base);
    l.taddr = bad < 0 ? ~0u : (taddr & 0xffff) | (uint32_t)base << 16;       /* ~0: gives poison */
    const uint32_t *now = load_values(w, &l, !bad);
    uint32_t reduced[32], kept[64 * 32], meta[4 * 32];
    if (s->red) memcpy(reduced, now + s->regs * 32, 128);
    if (s->sp) {
        compress(s, now, kept, meta);
        now = kept;
        for (int r = 0; r < i->op[0].n; r++) memcpy(R32(w, &i->op[0].elem[r]), meta + r * 32, 128);
    }
    for (int r = 0; r < count; r++) memcpy(R32(w, &v->elem[r]), now + r * 32, 128);
    if (s->red) memcpy(R32(w, red), reduced, 128);
    if (emu_opt.checks) {
        uint32_t tag = emu_tag_new(w, i, "the result of a tcgen05.ld", t->seq);
        for (int r = 0; r < count; r++) emu_tag(w, tag, &v->elem[r], 0);
        for (int r = 0; s->sp && r < i->op[0].n; r++) emu_tag(w, tag, &i->op[0].elem[r], 0);
        if (s->red) emu_tag(w, tag, red, 0);
    }
    return X_NEXT;
}

/* The ISA: a load is complete at its wait::ld, and its registers must not be touched before. The hardware also waits
 * where one of them is used, and CUTLASS counts on that for all loads of a tile but the last: so that alone is an error
 * under --strict only, or in a kernel that has no wait::ld at all; else one line says it, and the load counts as
 * complete from here on. */
void emu_tcgen05_used(warp *w, const ptx_instr *i, uint32_t mask, const ptx_instr *ld, uint32_t seq, int write)
{
    static _Atomic(const ptx_func *) told;
    launch *L = w->cta->cl->L;
    const char *does = write ? "writes" : "reads";
    if (emu_opt.strict || !tc5_cluster_of(w->cta->cl)->waits_ld) {
        emu_report(w, i, mask, E_TCGEN05,
                   "%s a register that is the result of a tcgen05.ld still in flight: tcgen05.wait::ld must come first",
                   does);
        emu_report_also(w, ld, "the tcgen05.ld");
        return;
    }
    if (tc5_of(w)->ld_waited < seq) tc5_of(w)->ld_waited = seq;
    if (told == L->k->fn) return;
    told = L->k->fn;
    char here[400], there[400];
    fprintf(stderr,
            "tcemu: note: a register of the tcgen05.ld at %s is used at %s without tcgen05.wait::ld in between (kernel "
            "%s). The PTX ISA demands it; hardware waits here by itself: "
            "--strict makes it an error, and names every place\n", emu_where(L->mod->ptx, ld, there, sizeof there),
            emu_where(L->mod->ptx, i, here, sizeof here), emu_kernel_name(L));
}

static int all_registers(const ptx_opnd *v)
{
    for (int k = 0; k < v->n; k++) if (v->elem[k].kind != PO_REG || v->elem[k].type == PT_PRED) return 0;
    return 1;
}

int tc5_decode_ldst(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size, int store)
{
    static const char *const shapes[] = {"32x32b", "16x64b", "16x128b", "16x256b", "16x32bx2"};
    ldst s = {.store = (uint8_t)store, .shape = 255, .type = PT_NONE};
    int sync = 0, aligned = 0, num = 0, half = 0, places = 0;
    for (int k = 2; k < i->nmod; k++) {
        const char *x = i->mod[k];
        int found = 0;
        for (int j = 0; j < 5; j++) if (!strcmp(x, shapes[j])) s.shape = (uint8_t)j, found = 1;
        if (found) continue;
        if (!strcmp(x, "sync")) sync = 1;
        else if (!strcmp(x, "aligned")) aligned = 1;
        else if (x[0] == 'x' && x[1] >= '1' && x[1] <= '9') {
            num = atoi(x + 1);
            if (num > 128 || num & (num - 1)) BAD(".%s is not supported", x);
        } else if (!strcmp(x, store ? "unpack::16b" : "pack::16b")) s.pack = 1;
        else if (!store && !strcmp(x, "red")) s.red = s.red ? s.red : 3;
        else if (!store && !strcmp(x, "spcompress")) s.sp = s.sp ? s.sp : 3;
        else if (s.sp && !strcmp(x, "sp::2:4")) half = 1;
        else if (s.sp && !strcmp(x, "b2")) places = 1;
        else if ((s.red || s.sp) && (!strcmp(x, "min") || !strcmp(x, "max"))) {
            uint8_t which = x[1] == 'i' ? 1 : 2;
            if (s.red) s.red = which;
            if (s.sp) s.sp = which;
        } else if ((s.red || s.sp) && !strcmp(x, "abs")) s.abs = 1;
        else if (s.red && !strcmp(x, "NaN")) s.nan = 1;
        else if (!strcmp(x, "b32")) s.type = PT_B32;
        else if ((s.red || s.sp) && (!strcmp(x, "f32") || !strcmp(x, "u32") || !strcmp(x, "s32")))
            s.type = (uint8_t)ptx_type_of(x);
        else BAD(".%s is not supported", x);
    }
    if (!sync || !aligned) BAD(".sync.aligned is required");
    if (s.shape == 255) BAD("a shape is required: .32x32b, .16x64b, .16x128b, .16x256b or .16x32bx2");
    if (!num) BAD("a repetition .x1 .. .x128 is required");
    if (s.sp) {
        if (!tc5_is_107(m) || !tc5_arch_specific(m)) BAD(".spcompress needs sm_107a, not %s", m->ptx->target);
        if (s.sp == 3 || !half || !places || s.type != PT_F32)
            BAD(".spcompress needs .min or .max, .sp::2:4 and .f32.b2");
        if (s.shape != SH_32x32) BAD(".spcompress has the shape .32x32b only");
        if (num < 4) BAD(".spcompress needs .x4 or more");
    }
    if (s.red) {
        if (m->dev->sm == 100) BAD("ld.red exists on sm_103, sm_107 and sm_110, not on %s", m->dev->option);
        if (s.red == 3 || s.type == PT_NONE || s.type == PT_B32)
            BAD("ld.red needs .min or .max and .f32, .u32 or .s32");
        if ((s.abs || s.nan) && s.type != PT_F32) BAD(".abs and .NaN go with .f32 only");
        if (s.shape != SH_32x32 && s.shape != SH_16x32x2) BAD("ld.red has the shapes .32x32b and .16x32bx2 only");
        if (num < 2) BAD("ld.red needs .x2 or more");
        if (s.pack) BAD("ld.red has no .pack::16b");
    } else if (!s.sp && s.type != PT_B32) BAD(".b32 is required");
    int per = s.shape == SH_16x128 ? 2 : s.shape == SH_16x256 ? 4 : 1;
    s.num = (uint8_t)num;
    s.regs = num * per;
    if (s.regs > 128) BAD(".x%d is too many for this shape: at most 128 registers", num);
    int wide = s.shape == SH_16x64 ? 2 : s.shape == SH_16x128 ? 4 : s.shape == SH_16x256 ? 8 : 1;
    s.cols = num * wide * (s.pack ? 2 : 1);
    int split = s.shape == SH_16x32x2, want = 2 + split + !!s.red + !!s.sp;
    if (i->nop != want) BAD("%d operands are required%s", want, split ? " (one is the offset of the second half)" : "");
    const ptx_opnd *v = &i->op[store ? want - 1 : s.sp != 0], *addr = &i->op[store ? 0 : want - 1 - split];
    const ptx_opnd *red = &i->op[s.sp ? 2 : 1];
    int count = s.sp ? s.regs / 2 : s.regs;
    if (v->kind != PO_VEC || v->n != count || !all_registers(v))
        BAD("a vector of %d registers in braces is required", count);
    if (s.sp && (i->op[0].kind != PO_VEC || i->op[0].n != (num + 31) / 32 || !all_registers(&i->op[0])))
        BAD("a vector of %d registers in braces is required for the places", (num + 31) / 32);
    if (addr->kind != PO_MEM) BAD("the tensor memory address must be in brackets");
    if (s.red && (red->kind != PO_REG || red->type == PT_PRED))
        BAD("the result of the reduction must be a register");
    if (split) {
        const ptx_opnd *o = &i->op[store ? 1 : want - 1];
        if (o->kind != PO_IMM) BAD("the offset of the second half must be an immediate");
        if (o->imm < 0 || o->imm > 511)
            BAD("the offset of the second half must be in 0..511, not %lld", (long long)o->imm);
        s.split = (int)o->imm;
    }
    for (int k = 0; k < i->nop; k++)
        if (i->op[k].kind != PO_IMM && emu_prepare(m, fn, &i->op[k], PT_B32, err, size)) return -1;
    ldst *p = malloc(sizeof s);
    *p = s;
    i->aux = p;
    i->flags |= I_ALIGNED;
    i->exec = store ? x_st : x_ld;
    return 0;
}

/* ---- cp, shift ---- */

enum { CP_128, CP_4, CP_64_02_13, CP_64_01_23, CP_32 };
typedef struct { uint8_t where, units, fmt; uint8_t rows; } cp_kind;         /* i->aux; fmt 6, 4: decompress */
typedef struct { smem_desc d; uint32_t taddr; cta *c[2]; int n; } cp_op;

static void cp_units(const cp_kind *k, const smem_desc *d, uint32_t *offset)
{
    smem_desc_k_major(d, 0, k->rows, 0, k->units, offset);
}

/* 16 elements of 4 or 6 bits become 16 bytes, as tcgen05.mma reads them: 4 bits at bit 2, 6 bits at bit 0 */
static void decompress(uint32_t *to, const uint8_t *from, int bits)
{
    uint8_t b[16];
    for (int k = 0; k < 16; k++) {
        if (bits == 4) b[k] = (uint8_t)((from[k / 2] >> k % 2 * 4 & 15) << 2);
        else {
            int at = k * 6;
            uint32_t v = from[at / 8] | (uint32_t)from[at / 8 + 1] << 8;
            b[k] = v >> at % 8 & 63;
        }
    }
    memcpy(to, b, 16);
}

static void cp_perform(async_op *op, int stage)
{
    if (stage != AO_WRITE) return;
    const cp_op *p = op->payload;
    const cp_kind *k = op->i->aux;
    uint32_t offset[256], v[4];
    int lane0 = (int)(p->taddr >> 16), col = (int)(p->taddr & 0xffff);
    cp_units(k, &p->d, offset);
    for (int x = 0; x < p->n; x++) {
        tmem *t = tc5_tmem(p->c[x]);
        for (int r = 0; r < k->rows; r++)
            for (int u = 0; u < k->units; u++) {
                const uint8_t *src = p->c[x]->smem + offset[r * k->units + u];
                if (k->fmt) decompress(v, src, k->fmt); else memcpy(v, src, 16);
                int to[4] = {r, -1, -1, -1};
                switch (k->where) {
                case CP_4: to[0] = r * 32; break;
                case CP_64_02_13: to[1] = r + 64; break;
                case CP_64_01_23: to[0] = r / 32 * 64 + r % 32; to[1] = to[0] + 32; break;
                case CP_32: to[1] = r + 32; to[2] = r + 64; to[3] = r + 96; break;
                }
                for (int j = 0; j < 4 && to[j] >= 0; j++) {
                    int lane = to[j] + lane0;
                    memcpy(&t->cell[lane][col + u * 4], v, 16);
                    tm_set_init(t, lane, col + u * 4, 4);
                }
            }
    }
}

static int x_cp(warp *w, const ptx_instr *i, uint32_t mask)
{
    const cp_kind *k = i->aux;
    int group = (int)i->f[0];
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    EMU_EACH(l, mask) {
        uint32_t taddr = (uint32_t)emu_mem_addr(w, &i->op[0], (int)l), bit = 1u << l, offset[256];
        uint64_t desc = R64(w, &i->op[1])[l];
        int lane = (int)(taddr >> 16), col = (int)(taddr & 0xffff), bad = 0;
        if (k->where == CP_4 ? lane > 31 : lane != 0) {
            emu_report(w, i, bit, E_TMEM, "address 0x%08x has lane %d: this shape writes %s", taddr, lane,
                       k->where == CP_4 ? "one lane of each quarter, the first must be 0..31"
                       : "all lanes, so it must be 0");
            continue;
        }
        smem_desc d;
        const char *why = smem_desc_tcgen05(desc, w->cta->cl->L->dev->sm == 107, &d);
        if (!why && d.start >> 18)
            why = "a source of tcgen05.cp above 256 KB of shared memory; hardware was reported not to find it there";
        if (why) {
            emu_report(w, i, bit, E_DESCRIPTOR, "the descriptor of the source, 0x%016llx: %s", (unsigned long long)desc,
                       why);
            continue;
        }
        if (d.atom == 32) {
            emu_report(w, i, bit, E_DESCRIPTOR,
                       "the descriptor of the source, 0x%016llx: swizzle 128B with 32-byte atoms is for MN-major "
                       "matrices", (unsigned long long)desc);
            continue;
        }
        async_op *op = tc5_new(w, i, (int)l, sizeof(cp_op), cp_perform);
        cp_op *p = op->payload;
        p->d = d;
        p->taddr = taddr;
        p->n = group;
        p->c[0] = w->cta;
        if (group == 2) p->c[1] = tc5_peer(w->cta);
        cp_units(k, &d, offset);
        uint32_t halves = k->where == CP_4 ? 0x55u << lane / 16 : 0xff;
        for (int x = 0; x < group && !bad; x++) {
            bad |= !tc5_allocated(w, i, bit, p->c[x], taddr, col, k->units * 4, "the destination");
            if (!bad)
                bad |= !tc5_touch(w, i, (int)l, op, p->c[x], offset, k->rows * k->units, k->fmt == 4 ? 8
                                  : k->fmt == 6 ? 12 : 16, "the source", desc);
        }
        if (bad) { emu_async_free(op); continue; }
        for (int x = 0; x < group; x++)
            if (tc5_access(w, i, bit, p->c[x], halves, col, k->units * 4, TA_WRITE, op, "tcgen05.cp")) break;
        model_note(w, NULL, (model_event){.kind = EV_T5_CP, .a = (float)(k->rows * k->units * 16)});
        stat_line *st = emu_stat(w, i);
        if (st) {
            __atomic_fetch_add(&st->shared_bytes, (uint64_t)group * k->rows * k->units * 16, __ATOMIC_RELAXED);
            __atomic_fetch_add(&st->tmem_bytes, (uint64_t)group * (k->where == CP_4 ? 4 : 128) * k->units * 16,
                               __ATOMIC_RELAXED);
        }
        tc5_post(op, group);
    }
    return X_NEXT;
}

/* Each quarter: row r + 1 goes to row r, the last row stays; 8 columns */
typedef struct { uint32_t taddr; cta *c[2]; int n; } shift_op;
static void shift_perform(async_op *op, int stage)
{
    if (stage != AO_WRITE) return;
    const shift_op *p = op->payload;
    int col = (int)(p->taddr & 0xffff);
    for (int x = 0; x < p->n; x++) {
        tmem *t = tc5_tmem(p->c[x]);
        for (int l = 0; l < TM_LANES; l++) {
            if (l % 32 == 31) continue;
            memcpy(&t->cell[l][col], &t->cell[l + 1][col], 32);
            for (int k = col; k < col + 8; k++) {
                uint64_t bit = 1ull << k % 64;
                t->init[l][k / 64] = (t->init[l][k / 64] & ~bit) | (t->init[l + 1][k / 64] & bit);
            }
        }
    }
}
int tc5_shift(warp *w, const ptx_instr *i, uint32_t mask)
{
    int group = (int)i->f[0];
    if (tc5_group(w, i, mask, group)) return X_NEXT;
    EMU_EACH(l, mask) {
        uint32_t taddr = (uint32_t)emu_mem_addr(w, &i->op[0], (int)l), bit = 1u << l;
        int lane = (int)(taddr >> 16), col = (int)(taddr & 0xffff), bad = 0;
        if (lane) {
            if (lane % 32 || lane >= TM_LANES)
                emu_report(w, i, bit, E_TMEM, "address 0x%08x has lane %d: it must be a multiple of 32 in 0..96", taddr,
                           lane);
            else
                emu_report(w, i, bit, E_UNSUPPORTED,
                           "tcgen05.shift with lane %d is not supported, only with lane 0 (it then shifts all four "
                           "quarters)", lane);
            continue;
        }
        async_op *op = tc5_new(w, i, (int)l, sizeof(shift_op), shift_perform);
        shift_op *p = op->payload;
        p->taddr = taddr;
        p->n = group;
        p->c[0] = w->cta;
        if (group == 2) p->c[1] = tc5_peer(w->cta);
        for (int x = 0; x < group && !bad; x++) bad |= !tc5_allocated(w, i, bit, p->c[x], taddr, col, 8, "the matrix");
        if (bad) { emu_async_free(op); continue; }
        for (int x = 0; x < group; x++)
            if (tc5_access(w, i, bit, p->c[x], 0xff, col, 8, TA_WRITE, op, "tcgen05.shift")) break;
        tc5_post(op, group);
    }
    return X_NEXT;
}

int tc5_decode_cp(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t size)
{
    static const char *const words[] = {"cta_group::1", "cta_group::2", "128x256b", "4x256b", "128x128b", "64x128b",
                                        "32x128b", "warpx2::02_13", "warpx2::01_23", "warpx4",
                                        "b8x16", "b6x16_p32", "b4x16_p64", 0};
    const char *bad = tc5_unknown_word(i, words);
    cp_kind k = {0};
    if (bad) BAD(".%s is not supported", bad);
    if (!tc5_group_of(i)) BAD(".cta_group::1 or .cta_group::2 is required");
    int w02 = emu_has(i, "warpx2::02_13"), w01 = emu_has(i, "warpx2::01_23"), w4 = emu_has(i, "warpx4"), shapes = 0;
    if (emu_has(i, "128x256b")) k = (cp_kind){CP_128, 2, 0, 128}, shapes++;
    if (emu_has(i, "128x128b")) k = (cp_kind){CP_128, 1, 0, 128}, shapes++;
    if (emu_has(i, "4x256b")) k = (cp_kind){CP_4, 2, 0, 4}, shapes++;
    if (emu_has(i, "64x128b")) k = (cp_kind){w02 ? CP_64_02_13 : CP_64_01_23, 1, 0, 64}, shapes++;
    if (emu_has(i, "32x128b")) k = (cp_kind){CP_32, 1, 0, 32}, shapes++;
    if (shapes != 1) BAD("one shape is required");
    if (k.rows == 64 ? w02 + w01 != 1 || w4
        : k.rows == 32 ? !w4 || w02 || w01
        : w02 || w01 || w4)
        BAD("64x128b needs .warpx2::02_13 or .warpx2::01_23, 32x128b needs .warpx4, other shapes have neither");
    int b6 = emu_has(i, "b6x16_p32"), b4 = emu_has(i, "b4x16_p64");
    if (b6 + b4 > 1 || emu_has(i, "b8x16") != b6 + b4) BAD("decompression is .b8x16.b6x16_p32 or .b8x16.b4x16_p64");
    k.fmt = b6 ? 6 : b4 ? 4 : 0;
    if (i->nop != 2 || i->op[0].kind != PO_MEM) BAD("[address] and a descriptor are required");
    if (emu_prepare(m, fn, &i->op[0], PT_U32, err, size) || emu_prepare(m, fn, &i->op[1], PT_B64, err, size)) return -1;
    cp_kind *p = malloc(sizeof k);
    *p = k;
    i->aux = p;
    i->f[0] = (uint32_t)tc5_group_of(i);
    i->exec = x_cp;
    return 0;
}
