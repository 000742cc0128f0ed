/* multimem.c - multimem.*, for a team of one device: a multimem address there stands for one copy of the memory. So
 * ld_reduce loads (a reduction over one value is that value), st stores, red reduces, and the asynchronous forms are
 * those of one device. What makes a multimem address, cuMulticastCreate, tcemu does not have: any global address is
 * taken for one, and --strict says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"

#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

/* Looks at the addresses, then does what the instruction without multimem does */
typedef struct { emu_exec exec; int address; } plain;
static int exec_multimem(warp *w, const ptx_instr *i, uint32_t mask)
{
    const plain *p = i->aux;
    EMU_EACH(l, mask) {
        const uint64_t a = emu_mem_addr(w, &i->op[p->address], (int)l);
        const int other = EMU_GEN_TAG(a) == EMU_GEN_SHARED || EMU_GEN_TAG(a) == EMU_GEN_LOCAL;
        if (!other && !emu_opt.strict) continue;
        emu_report(w, i, 1u << l, E_OPERAND, other ? "0x%llx is no multimem address: it lies in %s memory"
                   : "0x%llx is no multimem address, but one of a device's own memory%s", (unsigned long long)a,
                   !other ? "" : EMU_GEN_TAG(a) == EMU_GEN_SHARED ? "shared" : "local");
        if (other) return emu_fatal(w, i, 1u << l, E_OPERAND, "multimem instructions access global memory alone");
        break;
    }
    return p->exec(w, i, mask);
}

/* The words that are left: of multimem.ld_reduce.relaxed.gpu.add.acc::f32.v2.f16, ld.relaxed.gpu.v2.f16 */
static void shorten(ptx_instr *i, int load)
{
    static const char *const ops[] = {"add", "min", "max", "and", "or", "xor", "acc::f32", "acc::f16", NULL};
    const char **mod = malloc((size_t)i->nmod * sizeof *mod);
    int n = 0;
    for (int k = 1; k < i->nmod; k++) {
        int drop = 0;
        for (int o = 0; load && ops[o]; o++) drop |= k > 1 && !strcmp(i->mod[k], ops[o]);
        if (!drop) mod[n++] = k == 1 && load ? "ld" : i->mod[k];
    }
    i->mod = mod;
    i->nmod = (uint8_t)n;
}

int emu_decode_multimem(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const char *what = i->nmod > 1 ? i->mod[1] : "";
    const int load = !strcmp(what, "ld_reduce"), store = !strcmp(what, "st"), red = !strcmp(what, "red"),
              copy = !strcmp(what, "cp"), async = emu_has(i, "async");
    const ptx_type t = emu_type_n(i, 0);
    uint32_t version = 81;
    const char *targets = "sm_90+";
    if (!load && !store && !red && !copy) BAD("not a form of PTX");
    if (i->nop < 2) BAD("%d operands", i->nop);
    for (int k = 2; k < i->nmod; k++)
        if (!strncmp(i->mod[k], "shared", 6) && !(copy && !strcmp(i->mod[k], "shared::cta")))
            BAD("multimem instructions access global memory alone");
    if (copy) {
        version = 91;
        if (!async || emu_has(i, "tensor") || emu_has_prefix(i, "L2::") || i->nmod < 5 || !emu_has(i, "bulk_group")
            || !emu_has(i, "shared::cta") || !emu_has(i, "global"))
            BAD("copies and reductions go from shared::cta to global, without a cache hint");
    } else if (async) {
        version = 93, targets = "sm_100+";
        if (load || !emu_has(i, "release") || emu_has(i, "mmio")) BAD("not a form of PTX");
        if (red && t == PT_S64) BAD("there is no such reduction");
    } else {
        const int fp8 = t == PT_E4M3 || t == PT_E5M2 || t == PT_E4M3X2 || t == PT_E5M2X2 || t == PT_E4M3X4
            || t == PT_E5M2X4;
        if (fp8) version = 86, targets = EMU_BLACKWELL ",120a,121a";
        else if (emu_has(i, "acc::f32")) version = 82;
        if (fp8 && red) BAD("there is no reduction of this type");
        /* sums of all types but s64, least and greatest of integers and of what has 16 or 8 bits, which comes in
         * vectors or packed; the accumulator's type is for the latter */
        const int add = emu_has(i, "add"), extreme = emu_has(i, "min") || emu_has(i, "max"),
                  logic = emu_has(i, "and") || emu_has(i, "or") || emu_has(i, "xor"),
                  half = t == PT_F16 || t == PT_BF16, half2 = t == PT_F16X2 || t == PT_BF16X2,
                  vec = emu_has(i, "v2") || emu_has(i, "v4") || emu_has(i, "v8"),
                  real = t == PT_F32 || t == PT_F64, integer = t == PT_U32 || t == PT_S32 || t == PT_U64 || t == PT_S64,
                  wide = emu_has(i, "acc::f32"), acc16 = emu_has(i, "acc::f16");
        if (!store) {
            if (logic ? t != PT_B32 && t != PT_B64 : extreme ? !integer && !half && !half2 && !fp8
                : !add || (!integer && !real && !half && !half2 && !fp8) || t == PT_S64)
                BAD("there is no such reduction");
            if ((wide && (!add || (!half && !half2))) || (acc16 && (!add || !fp8)) || (red && (wide || acc16)))
                BAD(".acc::f32 is for sums of f16 and bf16, .acc::f16 of e4m3 and e5m2");
            if (red && half2 && !add && !vec) BAD("there is no such reduction");
        }
        if ((half || t == PT_E4M3 || t == PT_E5M2) && !vec) BAD("this type comes in vectors");
        if (vec && (integer || t == PT_B32 || t == PT_B64 || t == PT_F64)) BAD("this type has no vectors");
        if (emu_has(i, load ? "release" : "acquire") || emu_has(i, "volatile")) BAD("not a form of PTX");
    }
    if (emu_needs(m, i, version, targets, err, n)) return -1;
    shorten(i, load);
    if (copy ? emu_tma_decode_cp(m, fn, i, err, n) : load || store ? emu_decode_ldst(m, fn, i, err, n)
        : emu_decode_atom(m, fn, i, err, n))
        return -1;
    plain *p = malloc(sizeof *p);
    *p = (plain){.exec = i->exec, .address = load ? 1 : 0};
    i->aux = p;
    i->exec = exec_multimem;
    return 0;
}
