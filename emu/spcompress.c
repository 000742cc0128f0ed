/* spcompress.c - spcompress and spdecompress of sm_107a: a vector of registers to 2 of each 4 elements and back.
 *
 * Elements lie in the registers from bit 0 up, across registers as one string of bits; so do the indices in mdata. The
 * ISA's text leaves open, and here is taken so: the two elements that are kept stay in the order of their indices; of
 * elements that compare alike the one with the lower index is kept; -0 < +0 (that the text says), also by magnitude
 * where both are kept alike. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core.h"
#include "num.h"

#define BAD(...) return emu_decode_error(err, n, i, __VA_ARGS__)

/* f: 0 bits of an element, 1 bits of an index, 2 repetitions, 3 elements of a compressed group, 4 of a dense one */
enum { MAX_REGS = 128 };

static uint32_t bits_at(const uint32_t *v, uint32_t at, uint32_t bits)
{
    return v[at / 32] >> at % 32 & ((1u << bits) - 1);       /* never across registers: 2, 4, 8 and 16 divide 32 */
}
static void put_bits(uint32_t *v, uint32_t at, uint32_t bits, uint32_t x)
{
    v[at / 32] |= (x & ((1u << bits) - 1)) << at % 32;
}
static void read_regs(warp *w, const ptx_opnd *o, uint32_t lane, uint32_t *v)
{
    for (int k = 0; k < o->n; k++) v[k] = R32(w, &o->elem[k])[lane];
}
static void write_regs(warp *w, const ptx_opnd *o, uint32_t lane, const uint32_t *v)
{
    for (int k = 0; k < o->n; k++) if (o->elem[k].kind != PO_SINK) R32(w, &o->elem[k])[lane] = v[k];
}

static int exec_compress(warp *w, const ptx_instr *i, uint32_t mask)
{
    static const uint8_t types[2][6] = {{PT_U8, PT_S8, PT_E5M2, PT_E4M3, PT_E3M2, PT_E2M3}, {PT_F16, PT_BF16}};
    const uint32_t size = i->f[0], index = i->f[1], groups = i->f[2] * 64 / size / 4;
    EMU_EACH(l, mask) {
        uint32_t data[MAX_REGS], cdata[MAX_REGS] = {0}, mdata[MAX_REGS] = {0};
        const uint32_t desc = R32(w, &i->op[3])[l], op = desc & 3, type = desc >> 2 & 7;
        if (type > (size == 16 ? 1 : 5) || desc >> 5) {
            emu_report(w, i, 1u << l, E_OPERAND,
                       "the sparsity descriptor is 0x%x: %s", desc, desc >> 5 ? "bits 5 to 31 must be 0"
                       : size == 16 ? "elements of 16 bits are 0 (f16) or 1 (bf16) in bits 2 to 4"
                       : "elements of 8 bits are 0 (u8) to 5 (e2m3) in bits 2 to 4");
            continue;
        }
        const ptx_type t = (ptx_type)types[size == 16][type];
        read_regs(w, &i->op[2], l, data);
        for (uint32_t g = 0; g < groups; g++) {
            double key[4];
            uint32_t e[4], keep = 0, at = 0;
            for (uint32_t k = 0; k < 4; k++) {
                e[k] = bits_at(data, (4 * g + k) * size, size);
                const double x = num_decode(t, e[k]);
                /* the larger key is kept; a NaN before all numbers */
                double v = op & 1 ? fabs(x) : x;
                if (v == 0) v = !(op & 1) && signbit(x) ? -1e-300 : 0;
                key[k] = x != x ? INFINITY : op & 2 ? -v : v;
                if (x == x && isinf(key[k])) key[k] = key[k] > 0 ? 1e300 : -1e300;
            }
            for (int n = 0; n < 2; n++) {
                int best = -1;
                for (int k = 0; k < 4; k++)
                    if (!(keep >> k & 1) && (best < 0 || key[k] > key[best])) best = k;
                keep |= 1u << best;
            }
            for (uint32_t k = 0; k < 4; k++) {
                if (!(keep >> k & 1)) continue;
                put_bits(cdata, (2 * g + at) * size, size, e[k]);
                put_bits(mdata, (2 * g + at) * index, index, k);
                at++;
            }
        }
        write_regs(w, &i->op[0], l, mdata);
        write_regs(w, &i->op[1], l, cdata);
    }
    return X_NEXT;
}

static int exec_decompress(warp *w, const ptx_instr *i, uint32_t mask)
{
    const uint32_t size = i->f[0], index = i->f[1], repeat = i->f[2], from = i->f[3], to = i->f[4];
    EMU_EACH(l, mask) {
        uint32_t data[MAX_REGS] = {0}, cdata[MAX_REGS], mdata[MAX_REGS];
        read_regs(w, &i->op[1], l, mdata);
        read_regs(w, &i->op[2], l, cdata);
        for (uint32_t n = 0; n < repeat; n++) {
            uint32_t done = 0;
            for (uint32_t s = 0; s < from; s++) {
                const uint32_t k = bits_at(mdata, (n * from + s) * index, index);
                if (k >= to || done >> k & 1) {
                    emu_report(w, i, 1u << l, E_OPERAND,
                               k >= to ? "index %u of the metadata, for a group of %u elements" :
                               "index %u of the metadata twice in one group of %u elements", k, to);
                    continue;
                }
                done |= 1u << k;
                put_bits(data, (n * to + k) * size, size, bits_at(cdata, (n * from + s) * size, size));
            }
        }
        write_regs(w, &i->op[0], l, data);
    }
    return X_NEXT;
}

/* The operand's vector of b32 registers, of so many */
static int vector(emu_module *m, ptx_func *fn, ptx_instr *i, int k, uint32_t want, const char *name, char *err,
                  size_t n)
{
    ptx_opnd *o = &i->op[k];
    if (o->kind != PO_VEC || o->n != want) BAD("%s must be a vector of %u registers", name, want);
    for (int e = 0; e < o->n; e++)
        if (o->elem[e].kind != PO_SINK && (o->elem[e].kind != PO_REG || ptx_type_bits((ptx_type)o->elem[e].type) != 32))
            BAD("%s must be registers of 32 bits", name);
    return emu_prepare(m, fn, o, PT_B32, err, n);
}

static int decode(emu_module *m, ptx_func *fn, ptx_instr *i, char *err, size_t n)
{
    const int compress = !strcmp(i->mod[0], "spcompress");
    uint32_t size = 0, index = 0, from = 0, to = 0, repeat = 0;
    if (i->nmod != 5 || i->nop != (compress ? 4 : 3)) BAD("not a form of PTX");
    sscanf(i->mod[1], "b%u", &size); sscanf(i->mod[2], "b%u", &index);
    sscanf(i->mod[3], "sp::%u:%u", &from, &to); sscanf(i->mod[4], "x%u", &repeat);
    if ((size != 8 && size != 16) || (index != 2 && index != 4)) BAD("elements are .b8 or .b16, indices .b2 or .b4");
    if (!repeat || repeat > 64 || repeat & (repeat - 1)) BAD("the repetitions are x1 to x64, a power of two");
    if (compress ? from != 2 || to != 4 : !((from == 1 && to >= 2 && to <= 16) || (from == 2 && to >= 4 && to <= 16)
                                            || (from == 4 && (to == 8 || to == 16))) || to & (to - 1))
        BAD("there is no such sparsity");
    if (emu_needs(m, i, 94, "107a", err, n)) return -1;
    i->f[0] = size, i->f[1] = index, i->f[2] = repeat, i->f[3] = from, i->f[4] = to;
    if (compress) {
        const uint32_t md = (repeat * index + size - 1) / size;
        if (md + 3 * repeat > 253) BAD("more than 253 registers");
        if (vector(m, fn, i, 0, md, "mdata", err, n) || vector(m, fn, i, 1, repeat, "cdata", err, n)
            || vector(m, fn, i, 2, 2 * repeat, "data", err, n))
            return -1;
        i->exec = exec_compress;
        return emu_prepare(m, fn, &i->op[3], PT_B32, err, n);
    }
    if (from * size > 32 || (index == 2 && to > 4) || to * size * repeat < 32 || to * size * repeat > 4096)
        BAD("a group of %u elements of %u bits, indices of %u bits, %u times: not a form of PTX", from, size, index,
            repeat);
    const uint32_t md = (from * index * repeat + 31) / 32, cd = (from * size * repeat + 31) / 32,
                   d = to * size * repeat / 32;
    if (md + cd + d > 253) BAD("more than 253 registers");
    if (vector(m, fn, i, 0, d, "data", err, n) || vector(m, fn, i, 1, md, "mdata", err, n)
        || vector(m, fn, i, 2, cd, "cdata", err, n))
        return -1;
    i->exec = exec_decompress;
    return 0;
}
const emu_family emu_spcompress[] = {{"spcompress", decode}, {"spdecompress", decode}, {0}};
