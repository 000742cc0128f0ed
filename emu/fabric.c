/* fabric.c - fabric.*: copies and reductions through logical endpoints of the NVLink fabric. One emulated device has no
 * fabric and cuLogicalEndpointCreate is not there, so no endpoint exists and every operation fails. It fails as the ISA
 * has it: nothing is moved, the mbarrier counts what it would have counted and gets the report of a failed operation.
 * That is said as "unsupported", once a place, so that no program takes it for a copy.
 *
 * An operation waits for its thread's fabric.submit. Without one its mbarrier never completes, which the deadlock's
 * report shows, and an exit before it is reported. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

/* f: 0 operand of the size, or 0; 1 its mbarrier; 2 1: the mbarrier counts bytes, 16: chunks of 16 bytes; 3 by a whole
 * warp; 4 operand of the handle; 5 shared operands: a bit each */
typedef struct { cta *c; uint32_t off, count; } fabric_op;

static void perform(async_op *op, int stage)
{
    const fabric_op *p = op->payload;
    if (stage != AO_WRITE) return;
    emu_mbar_report(op, p->c, p->off, 1);
    emu_mbar_complete_tx(op, p->c, p->off, p->count);
}

static int exec_operation(warp *w, const ptx_instr *i, uint32_t mask)
{
    if (i->f[3]) mask &= 1u << __builtin_ctz(mask);          /* the warp's operation is one */
    EMU_EACH(l, mask) {
        fabric_op f = {.count = 1};
        const uint32_t size = i->f[0] ? R32(w, &i->op[i->f[0]])[l] : 16;
        const uint32_t bit = 1u << l;
        int ok = 1;
        if (size % 16)
            emu_report(w, i, bit, E_OPERAND, "the size, %u bytes, is not a multiple of 16", size), ok = 0;
        for (int k = 0; k < i->nop; k++) {
            uint32_t a, off;
            if (!(i->f[5] >> k & 1)) continue;
            const uint64_t addr = emu_mem_addr(w, &i->op[k], (int)l);
            if (!emu_to_shared(SP_SHARED, addr, &a) || emu_shared_cta(w, a, &off) != w->cta
                || off + size > w->cta->smem_size)
                emu_report(w, i, bit, E_OOB_SHARED, "%u bytes at 0x%llx are not in the CTA's shared memory", size,
                           (unsigned long long)addr), ok = 0;
            else if (off % 16)
                emu_report(w, i, bit, E_MISALIGNED, "%s is not a multiple of 16", emu_offset(w->cta, off)), ok = 0;
        }
        if (!emu_mbar_check(w, i, (int)l, SP_SHARED, emu_mem_addr(w, &i->op[i->f[1]], (int)l), &f.c, &f.off)) continue;
        if (!mbar_find(f.c, f.off)->v1)
            emu_report(w, i, bit, E_MBARRIER,
                       "the mbarrier at %s is of .layout::v0: fabric operations need .layout::v1",
                       emu_offset(f.c, f.off));
        if (ok)
            emu_report(w, i, bit, E_UNSUPPORTED,
                       "the operation fails, and its mbarrier gets a report: there is no fabric here, and logical "
                       "endpoint %u does not exist", (uint32_t)emu_mem_addr(w, &i->op[i->f[4]], (int)l));
        f.count = i->f[0] ? size / i->f[2] : 1;
        async_op *op = emu_async_new(w, i, (int)l, sizeof f, perform);
        memcpy(op->payload, &f, sizeof f);
        op->has_mbar = 1; op->mbar_cta = f.c; op->mbar_off = f.off;
        op->next = w->fabric;
        w->fabric = op;
    }
    return X_NEXT;
}

static int exec_submit(warp *w, const ptx_instr *i, uint32_t mask)
{
    (void)i;
    for (async_op **at = &w->fabric; *at; ) {
        async_op *op = *at;
        if (!(mask >> op->lane & 1)) { at = &op->next; continue; }
        *at = op->next;
        emu_async_post(op);
    }
    return X_NEXT;
}
/* fabric.wait: no operation reads shared memory here */
static int exec_wait(warp *w, const ptx_instr *i, uint32_t mask) { (void)w; (void)i; (void)mask; return X_NEXT; }

void emu_fabric_exit(warp *w)
{
    while (w->fabric) {
        async_op *op = w->fabric;
        w->fabric = op->next;
        emu_report(w, op->i, 1u << op->lane, E_IN_FLIGHT,
                   "the thread exits without a fabric.submit after this operation");
        emu_async_free(op);
    }
}

static int decode(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    static const char *const ops[] = {"try_get", "try_put", "try_red", "try_pullred", "try_atom"};
    const char *what = i->nmod > 1 ? i->mod[1] : "";
    if (!strcmp(what, "submit")) {
        const int group = emu_has(i, "commit_group");
        for (int k = 2; k < i->nmod; k++)
            if (strcmp(i->mod[k], "commit_group") && strcmp(i->mod[k], "op_restrict::fetching"))
                BAD("does not know .%s", i->mod[k]);
        if (i->nop) BAD("takes no operands");
        i->exec = exec_submit;
        return emu_needs(m, i, group ? 95 : 93, "sm_100+", err, n);
    }
    if (!strcmp(what, "wait")) {
        const int old = emu_has(i, "sync_restrict::reads");
        if (i->nmod != 3 || (!old && !emu_has(i, "sync_restrict::read")))
            BAD("must be fabric.wait.sync_restrict::read N");
        if (!old && (i->nop != 1 || i->op[0].kind != PO_IMM || i->op[0].imm < 0))
            BAD("the number must be an immediate");
        i->exec = exec_wait;
        return emu_needs(m, i, old ? 93 : 95, "sm_100+", err, n);
    }
    int op = -1;
    for (int k = 0; k < 5; k++) if (!strcmp(what, ops[k])) op = k;
    if (op < 0) BAD("unknown form");
    if (emu_has(i, "tensor")) BAD("the tensor forms are not supported");
    const int get = op == 0, pull = op == 3, atom = op == 4, mask_ = emu_has(i, "cp_mask"),
              counted = emu_has(i, "counted::bytes"), multi = emu_has(i, "multimem");
    const int bytes = emu_has(i, "mbarrier::complete_tx::bytes");
    if (!emu_has(i, "async") || !emu_has(i, "shared::cta") || !emu_has(i, "mbarrier::report::fabric")
        || !emu_has(i, "relaxed") || !emu_has(i, "sys") || bytes != (get || pull)
        || (!bytes && !emu_has(i, "mbarrier::complete_tx::16B")))
        BAD("not a form of PTX");
    if (pull != emu_has(i, "sync") || (pull && !multi) || ((get || atom) && multi)) BAD("not a form of PTX");
    const ptx_type t = emu_type_n(i, 0);
    const int acc = emu_has_prefix(i, "acc::") || t == PT_E4M3 || t == PT_E5M2;
    if (emu_needs(m, i, atom ? 94 : 93, pull && acc ? EMU_BLACKWELL_120 : "sm_100+", err, n)) return -1;
    /* get, pullred: [smem], [handle], size, [mbar]; put, red: [handle], [smem], size, [mbar]; atom: [handle], [old],
     * [operand], [mbar] */
    const int handle = get || pull ? 1 : 0, want = 4 + mask_ + pull;
    if (i->nop != want) BAD("%d operands, %d needed", i->nop, want);
    for (int k = 0; k < 4; k++)
        if ((i->op[k].kind == PO_MEM) != (k != 2 || atom)) BAD("operand %d: not a form of PTX", k + 1);
    if (i->op[handle].type != PT_NONE && i->op[handle].n != 1 + counted)
        BAD("the handle must be [endpoint, offset%s]", counted ? ", counter" : "");
    i->f[0] = atom ? 0 : 2, i->f[1] = 3, i->f[2] = bytes ? 1 : 16, i->f[3] = (uint32_t)pull, i->f[4] = (uint32_t)handle;
    i->f[5] = atom ? 6 : handle ? 1 : 2;
    if (!atom && emu_prepare(m, fn, &i->op[2], PT_U32, err, n)) return -1;
    if (mask_ && emu_prepare(m, fn, &i->op[4], PT_B16, err, n)) return -1;
    if (pull) {
        if (i->op[4].kind != PO_IMM || (uint32_t)i->op[4].imm != EMU_FULL) BAD("the mask must be 0xffffffff");
        i->flags |= I_ALIGNED;
    }
    i->exec = exec_operation;
    return 0;
}
const emu_family emu_fabric[] = {{"fabric", decode}, {0}};
