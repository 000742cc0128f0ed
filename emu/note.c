/* note.c - what a program tells tcemu, in PTX of which ptxas makes nothing: a mov.b64 of {address, bytes} to a register
 * that has the name PTX_NOTE says that so many bytes of shared memory may be read although nobody wrote them
 * (tc_emu_written of tc_memory.h). Nothing else must read that register. */
#include <string.h>
#include "core.h"

static int exec_written(warp *w, const ptx_instr *i, uint32_t mask)
{
    EMU_EACH(l, mask) {
        const uint32_t a = R32(w, &i->op[1].elem[0])[l], off = a & 0xffffffu, n = R32(w, &i->op[1].elem[1])[l];
        cta *c = w->cta;
        if (a >> 24 != c->rank || (uint64_t)off + n > c->smem_size)
            emu_report(w, i, 1u << l, E_OOB_SHARED,
                       "speaks of %u bytes at 0x%x, which are not this CTA's shared memory", n, a);
        else check_shared_written(c, off, n);
    }
    return X_NEXT;
}

int emu_decode_note(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    if (i->nmod != 2 || strcmp(i->mod[1], "b64") || i->nop != 2 || !i->op[1].elem || i->op[1].n != 2)
        return emu_decode_error(err, n, i, PTX_NOTE " wants mov.b64 of {address, bytes}");
    i->exec = exec_written;
    return emu_prepare(m, fn, &i->op[1], PT_B32, err, n);
}
