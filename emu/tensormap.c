/* tensormap.c - the instructions on tensor maps in memory: tensormap.replace, .cp_fenceproxy, .query. What a map holds
 * is in tmap.c. */
#include <stdio.h>
#include <string.h>
#include "tma.h"

#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

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

int tma_decode_map(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
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
    if (tma_value(m, fn, i, v, want == 64 ? PT_B64 : PT_B32, err, n)) return -1;
    f.bytes = (uint8_t)(want / 8);
    i->exec = replace_exec;
    memcpy(i->f, &f, sizeof f);
    return 0;
}
