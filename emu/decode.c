/* decode.c - from parsed instructions to executable ones: finds the family of each instruction, makes its operands
 * readable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

int emu_has(const ptx_instr *i, const char *word)
{
    for (int k = 1; k < i->nmod; k++) if (!strcmp(i->mod[k], word)) return 1;
    return 0;
}
int emu_has_prefix(const ptx_instr *i, const char *prefix)
{
    size_t n = strlen(prefix);
    for (int k = 1; k < i->nmod; k++) if (!strncmp(i->mod[k], prefix, n)) return 1;
    return 0;
}
ptx_type emu_type_n(const ptx_instr *i, int n)
{
    for (int k = i->nmod - 1; k > 0; k--) {
        ptx_type t = ptx_type_of(i->mod[k]);
        if (t != PT_NONE && n-- == 0) return t;
    }
    return PT_NONE;
}
int emu_decode_error(char *err, size_t n, const ptx_instr *i, const char *fmt, ...)
{
    size_t len = 0;
    va_list ap;
    if (!n) return -1;
    err[0] = 0;
    for (int k = 0; k < i->nmod && len < n; k++)
        len += (size_t)snprintf(err + len, n - len, "%s%s", k ? "." : "", i->mod[k]);
    if (len < n) len += (size_t)snprintf(err + len, n - len, ": ");
    va_start(ap, fmt);
    if (len < n) vsnprintf(err + len, n - len, fmt, ap);
    va_end(ap);
    return -1;
}

/* Immediates are read like registers: as planes of 32 equal lanes, one for each value of a module */
typedef struct konst { struct konst *next; uint64_t value; int bits; _Alignas(64) uint64_t plane[64]; } konst;
const void *emu_konst(emu_module *m, uint64_t value, int bits)
{
    konst **bucket = (konst **)(void *)m->konst + (value * 0x9e3779b97f4a7c15ull >> 52);
    for (konst *k = *bucket; k; k = k->next) if (k->value == value && k->bits == bits) return k->plane;
    konst *k = aligned_alloc(64, (sizeof *k + 63) / 64 * 64);
    *k = (konst){.next = *bucket, .value = value, .bits = bits};
    *bucket = k;
    if (bits <= 32) for (int l = 0; l < 32; l++) ((uint32_t *)k->plane)[l] = (uint32_t)value;
    else for (int l = 0; l < 32; l++) { k->plane[l] = value; k->plane[32 + l] = (int64_t)value < 0 ? ~0ull : 0; }
    return k->plane;
}

int emu_is_kernel_param(const ptx_sym *s) { return s->entry_param; }

int emu_prepare(emu_module *m, ptx_func *fn, ptx_opnd *o, ptx_type type, char *err, size_t n)
{
    int bits = ptx_type_bits(type);
    switch (o->kind) {
    case PO_SREG: case PO_SYM: o->wide = bits == 64 || !bits; break;
    default: break;
    }
    switch (o->kind) {
    case PO_SREG:
        if (type == PT_PRED && o->type != PT_PRED) { o->type = PT_PRED; o->reg = fn->npred++; }
        return 0;
    case PO_REG: case PO_NONE: case PO_MEM: case PO_SINK: return 0;
    case PO_VEC: case PO_PAIR: case PO_ARGS:
        for (int k = 0; k < o->n; k++) if (emu_prepare(m, fn, &o->elem[k], type, err, n)) return -1;
        return 0;
    case PO_SYM:
        if (o->sym->space == SP_GLOBAL || o->sym->space == SP_CONST)
            o->konst = emu_konst(m, (uint64_t)(uintptr_t)o->sym->addr + (uint64_t)o->imm, 64);
        else if (o->sym->space == SP_FUNC) o->konst = emu_konst(m, (uint64_t)(uintptr_t)o->sym, 64);
        return 0;
    case PO_IMM: {
        uint64_t v = (uint64_t)o->imm;
        if (type == PT_PRED) { o->konst = emu_konst(m, v ? EMU_FULL : 0, 32); return 0; }
        if (o->type == PT_F64 && (type == PT_F32 || type == PT_TF32)) {
            double d; float f; uint32_t u;
            memcpy(&d, &v, 8); f = (float)d; memcpy(&u, &f, 4); v = u;
        } else if (o->type == PT_F32 && type == PT_F64) {
            uint32_t u = (uint32_t)v; float f; double d;
            memcpy(&f, &u, 4); d = f; memcpy(&v, &d, 8);
        } else if (o->type == PT_S64 && (type == PT_F32 || type == PT_F64)) {
            snprintf(err, n, "an integer literal where a floating-point value is needed");
            return -1;
        }
        if (!bits) bits = 64;
        if (bits < 32) v &= (1ull << bits) - 1;
        o->konst = emu_konst(m, bits <= 32 ? (uint32_t)v : v, bits <= 32 ? 32 : 64);
        return 0;
    }
    }
    return 0;
}

/* Operands whose value depends on the warp get one of the scratch planes at the end of the register window */
enum { SCRATCH = 8 };
static int needs_plane(const ptx_opnd *o)
{
    return o->kind == PO_SREG
        || (o->kind == PO_SYM && (o->sym->space == SP_SHARED || o->sym->space == SP_LOCAL
                                  || o->sym->space == SP_PARAM));
}
static void give_planes(ptx_func *fn, ptx_opnd *o, int n, int *next, ptx_instr *i)
{
    for (int k = 0; k < n; k++) {
        if (needs_plane(&o[k])) {
            /* which one; reg becomes the plane */
            if (o[k].kind == PO_SREG) { o[k].n = (uint16_t)o[k].reg; o[k].type = 0; }
            o[k].reg = fn->nslot + 4 * (uint32_t)(*next)++;
            i->flags |= I_REFRESH;
        } else if (o[k].kind == PO_SINK) {
            o[k].reg = fn->nslot + 4 * (uint32_t)(*next)++;
        } else if (o[k].elem) give_planes(fn, o[k].elem, o[k].n, next, i);
    }
}

static const emu_family *const families[] = {emu_control, emu_alu, emu_cvt, emu_mem, emu_sync, emu_tma, emu_mma,
                                             emu_wgmma, emu_tcgen05, emu_spcompress, emu_fabric, emu_early};
static uint32_t hash_of(const char *word)
{
    uint32_t h = 5381;
    for (; *word; word++) h = h * 33 + (uint8_t)*word;
    return h % 1024;
}
static emu_decoder find(const char *word)
{
    static struct { const char *word; emu_decoder d; } hash[1024];
    static int made;
    uint32_t h;
    if (!made) {
        for (size_t f = 0; f < sizeof families / sizeof *families; f++)
            for (const emu_family *e = families[f]; e->word; e++) {
                for (h = hash_of(e->word); hash[h].word; h = (h + 1) % 1024);
                hash[h].word = e->word; hash[h].d = e->decode;
            }
        made = 1;
    }
    for (h = hash_of(word); hash[h].word; h = (h + 1) % 1024) if (!strcmp(hash[h].word, word)) return hash[h].d;
    return NULL;
}

int emu_target_own(const emu_module *m)
{
    const char *t = m->ptx->target;
    size_t n = strlen(t);
    return n ? t[n - 1] == 'a' || t[n - 1] == 'f' : m->dev->suffix != 0;
}
int emu_target_sm(const emu_module *m)
{
    int sm = m->dev->sm;
    sscanf(m->ptx->target, "sm_%d", &sm);
    return sm;
}

int emu_needs(const emu_module *m, const ptx_instr *i, uint32_t version, const char *targets, char *err, size_t n)
{
    if (m->ptx->version < version)
        return emu_decode_error(err, n, i, "needs PTX ISA %u.%u, the module says .version %u.%u", version / 10,
                                version % 10, m->ptx->version / 10, m->ptx->version % 10);
    const char *have = m->ptx->target;
    if (strncmp(have, "sm_", 3)) return 0;
    have += 3;
    int least;
    if (sscanf(targets, "sm_%d+", &least) == 1) {
        if (atoi(have) >= least) return 0;
        return emu_decode_error(err, n, i, "needs the target sm_%d or higher, the module has %s", least,
                                m->ptx->target);
    }
    size_t len = strlen(have);
    for (const char *t = targets; t; t = strchr(t, ',')) {
        t += *t == ',';
        if (!strncmp(t, have, len) && (t[len] == ',' || !t[len])) return 0;
    }
    return emu_decode_error(err, n, i, "needs one of the targets %s, the module has %s", targets, m->ptx->target);
}

/* An instruction that cannot be run is an error only if it is reached: a kernel may hold code for other paths */
static int unsupported(warp *w, const ptx_instr *i, uint32_t mask)
{
    char text[256];
    return emu_fatal(w, i, mask, E_UNSUPPORTED, "tcemu cannot run `%s`: %s",
                     ptx_text(w->cta->cl->L->mod->ptx, i, text, sizeof text), (const char *)i->aux);
}
static void decode_func(emu_module *m, ptx_func *fn)
{
    char err[512];
    fn->nslot = (fn->nslot + 1) & ~1u;
    for (uint32_t p = fn->begin; p < fn->end; p++) {
        ptx_instr *i = &m->ptx->code[p];
        if (i->exec) continue;
        int next = 0;
        uint8_t keep = i->flags;
        const char *word = i->mod[0];
        if (strcmp(word, "bra") && strcmp(word, "brx") && strcmp(word, "call"))
            give_planes(fn, i->op, i->nop, &next, i);
        if (next > SCRATCH) { i->aux = "too many special operands"; i->exec = unsupported; continue; }
        emu_decoder d = i->note ? emu_decode_note : find(word);
        err[0] = 0;
        if (!d) snprintf(err, sizeof err, "unknown instruction");
        if (!d || d(m, fn, i, err, sizeof err) || !i->exec) {
            i->exec = unsupported;
            i->flags = keep;
            i->aux = strdup(err[0] ? err : "not supported");
        } else if (!strcmp(word, "mov") && i->nop == 2 && i->op[0].kind == PO_REG && i->op[1].kind == PO_IMM)
            i->flags |= I_MOVE;
    }
}
int emu_decode_reachable(emu_module *m, ptx_func *entry, char *err, size_t n)
{
    (void)err; (void)n;
    if (!m->konst) m->konst = calloc(4096, sizeof(konst *));
    if (entry->decoded) return 0;
    entry->decoded = 1;
    if (entry->has_body) emu_share_slots(m, entry);
    entry->nslot = (entry->nslot + 1) & ~1u;
    for (int k = 0; k < entry->nparam; k++) entry->param[k]->entry_param = entry->is_entry;
    if (entry->has_body) decode_func(m, entry);
    entry->nslot = ((entry->nslot + 1) & ~1u) + 4 * SCRATCH;
    entry->npred += 2;
    for (int k = 0; k < entry->ncallee; k++)
        if (entry->callee[k]->has_body) emu_decode_reachable(m, entry->callee[k], err, n);
    if (entry->calls_indirect)
        for (int k = 0; k < m->ptx->nfunc; k++)
            if (!m->ptx->func[k]->is_entry && m->ptx->func[k]->has_body)
                emu_decode_reachable(m, m->ptx->func[k], err, n);
    return 0;
}

uint64_t emu_sym_addr(warp *w, const ptx_sym *s, int lane)
{
    launch *L = w->cta->cl->L;
    switch (s->space) {
    case SP_SHARED: return (uint64_t)w->cta->rank << 24 | L->k->shared_off[s->id];
    case SP_LOCAL: return w->frame_off[lane] + s->offset;
    case SP_PARAM:
        return emu_is_kernel_param(s) ? (uint64_t)(uintptr_t)L->param + s->offset : w->frame_off[lane] + s->offset;
    default: return (uint64_t)(uintptr_t)s->addr;
    }
}

static uint32_t sreg32(warp *w, uint32_t sr, int axis, uint32_t l)
{
    const cta *c = w->cta; const cluster *cl = c->cl; const launch *L = cl->L;
    uint32_t t = w->id * 32 + l;
#define AXIS(v) (axis == 0 ? (v).x : axis == 1 ? (v).y : axis == 2 ? (v).z : 0)
    switch (sr) {
    case SR_TID:
        return axis == 0 ? t % L->block.x
             : axis == 1 ? t / L->block.x % L->block.y
             : axis == 2 ? t / (L->block.x * L->block.y)
             : 0;
    case SR_NTID: return AXIS(L->block);
    case SR_LANEID: return l;
    case SR_WARPID: return w->id;
    case SR_NWARPID: return (uint32_t)L->dev->threads_per_sm / 32;
    case SR_CTAID: return AXIS(c->id);
    case SR_NCTAID: return AXIS(L->grid);
    case SR_SMID: return (uint32_t)((cl->id.x * cl->ncta + c->rank) % (uint32_t)L->dev->sms);
    case SR_NSMID: return (uint32_t)L->dev->sms;
    case SR_GRIDID: return (uint32_t)L->gridid;
    case SR_CLUSTERID:
        return axis == 0 ? c->id.x / L->clusterdim.x
             : axis == 1 ? c->id.y / L->clusterdim.y
             : axis == 2 ? c->id.z / L->clusterdim.z
             : 0;
    case SR_NCLUSTERID:
        return axis == 0 ? L->grid.x / L->clusterdim.x
             : axis == 1 ? L->grid.y / L->clusterdim.y
             : axis == 2 ? L->grid.z / L->clusterdim.z
             : 0;
    case SR_CLUSTER_CTAID:
        return axis == 0 ? c->id.x % L->clusterdim.x
             : axis == 1 ? c->id.y % L->clusterdim.y
             : axis == 2 ? c->id.z % L->clusterdim.z
             : 0;
    case SR_CLUSTER_NCTAID: return AXIS(L->clusterdim);
    case SR_CLUSTER_CTARANK: return c->rank;
    case SR_CLUSTER_NCTARANK: return cl->ncta;
    case SR_LANEMASK_EQ: return 1u << l;
    case SR_LANEMASK_LE: return (2u << l) - 1;
    case SR_LANEMASK_LT: return (1u << l) - 1;
    case SR_LANEMASK_GE: return ~((1u << l) - 1);
    case SR_LANEMASK_GT: return ~((2u << l) - 1);
    case SR_CLOCK: return (uint32_t)emu_cluster_clock(w);
    case SR_CLOCK_HI: return (uint32_t)(emu_cluster_clock(w) >> 32);
    case SR_GLOBALTIMER_LO: return (uint32_t)emu_cluster_clock(w);
    case SR_GLOBALTIMER_HI: return (uint32_t)(emu_cluster_clock(w) >> 32);
    case SR_TOTAL_SMEM_SIZE: return c->smem_size - (uint32_t)L->dev->smem_reserved;
    case SR_AGGR_SMEM_SIZE: return c->smem_size;
    case SR_DYNAMIC_SMEM_SIZE: return L->dyn_smem;
    case SR_RESERVED_SMEM_END: return (uint32_t)L->dev->smem_reserved;
    case SR_RESERVED_SMEM_CAP: return (uint32_t)L->dev->smem_reserved;
    case SR_IS_EXPLICIT_CLUSTER: return L->cluster_size > 1 || L->k->fn->explicit_cluster;
    case SR_WARPSZ: return 32;
    case SR_PER_CTA_SIZE: return L->k->fn->per_cta;
    case SR_ENVREG:
        return axis == 1 ? (uint32_t)((uint64_t)(uintptr_t)L->grid_workspace >> 32)
             : axis == 2 ? (uint32_t)(uintptr_t)L->grid_workspace
             : 0;
    default: return 0;
    }
}
/* The CTA's own global memory, made when it is asked for */
static uint64_t per_cta_memory(cta *c)
{
    const uint32_t size = c->cl->L->k->fn->per_cta;
    if (!c->per_cta && size) c->per_cta = emu_alloc(size, "memory of a CTA (.minperctamemory)");
    return (uint64_t)(uintptr_t)c->per_cta;
}
static void refresh(warp *w, const ptx_opnd *o, int n)
{
    for (int k = 0; k < n; k++) {
        const ptx_opnd *p = &o[k];
        if (p->kind == PO_SREG) {
            uint32_t *d = w->reg + (size_t)(w->base + p->reg) * 32, sr = p->n;
            if (p->type == PT_PRED) w->pred[w->pbase + p->reg] = sreg32(w, sr, (int)p->imm, 0) ? EMU_FULL : 0;
            else if (p->wide) {
                if (sr == SR_PER_CTA_OFFSET) {
                    const uint64_t at = per_cta_memory(w->cta);
                    for (int l = 0; l < 32; l++) ((uint64_t *)d)[l] = at;
                    continue;
                }
                uint64_t v = sr == SR_GRIDID ? w->cta->cl->L->gridid : emu_cluster_clock(w);
                int clock = sr == SR_CLOCK64 || sr == SR_GLOBALTIMER || sr == SR_GRIDID;
                for (uint32_t l = 0; l < 32; l++) ((uint64_t *)d)[l] = clock ? v : sreg32(w, sr, (int)p->imm, l);
            } else for (uint32_t l = 0; l < 32; l++) d[l] = sreg32(w, sr, (int)p->imm, l);
        } else if (needs_plane(p)) {
            uint32_t *d = w->reg + (size_t)(w->base + p->reg) * 32;
            if (p->wide)
                for (int l = 0; l < 32; l++) ((uint64_t *)d)[l] = emu_sym_addr(w, p->sym, l) + (uint64_t)p->imm;
            else for (int l = 0; l < 32; l++) d[l] = (uint32_t)(emu_sym_addr(w, p->sym, l) + (uint64_t)p->imm);
        } else if (p->elem) refresh(w, p->elem, p->n);
    }
}
void emu_refresh(warp *w, const ptx_instr *i) { refresh(w, i->op, i->nop); }
