/* matrix_move.c - ldmatrix, stmatrix, movmatrix. One warp; the rows lie scattered over 4 KiB of shared memory, at slots
 * of 16 bytes.
 *
 * Lane l = 4g + t. m8n8, 16-bit: register i holds row g, columns 2t and 2t+1 of matrix i, whose rows lanes 8i..
 * address; .trans: of its transpose. m8n16: bytes 4t..4t+3 of row g. m16n16.trans: registers 2i and 2i+1 hold rows g
 * and g+8 of the transpose, columns 4t..4t+3;
 * lanes 16i.. address its rows. stmatrix m16n8.trans: the matrix is stored by columns of 16 bytes, which lanes 8i..
 * address; the register holds rows g and g+8, columns 2t and 2t+1 each. Elements of 6 or 4 bits lie 16 to a row, lowest
 * bits first, and arrive in the low bits of a byte; with .s8.s4 they arrive with their sign, and a row has 8 bytes, no
 * padding. */
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

enum { SMEM = 4096, SLOTS = SMEM / 16 };

/* Slots for 32 rows, all different: lanes beyond those that count have valid addresses too, as sm_75 wants, but of
 * other rows */
static void slots(uint32_t *at)
{
    uint8_t used[SLOTS] = { 0 };
    for (int i = 0; i < 32; i++) {
        int s;
        do s = isa_int(0, SLOTS - 1); while (used[s]);
        used[s] = 1;
        at[i] = (uint32_t)s * 16;
    }
}
static void fill_smem(isa_case *c, int from)
{
    isa_put(c,
            ".reg .b32 %%i, %%v, %%sm; .reg .b64 %%p, %%sm64; .reg .pred %%c;\nmov.u32 %%sm, dsmem;\nmov.u64 %%sm64, "
            "dsmem;\ncvta.shared.u64 %%sm64, %%sm64;\n"
            "mov.u32 %%i, %%tx;\nFILL:\nmad.wide.u32 %%p, %%i, 4, %%in;\nld.global.b32 %%v, [%%p+%d];\n"
            ".reg .b32 %%a;\nmad.lo.u32 %%a, %%i, 4, %%sm;\nst.shared.b32 [%%a], %%v;\nadd.u32 %%i, %%i, "
            "32;\nsetp.lt.u32 %%c, %%i, %d;\n@%%c bra FILL;\nbar.sync 0;\n", from, SMEM / 4);
    isa_put(c,
            "mad.wide.u32 %%p, %%tx, 4, %%in;\nld.global.b32 %%v, [%%p];\nadd.u32 %%a, %%sm, %%v;\n.reg .b64 "
            "%%g;\ncvt.u64.u32 %%g, %%v;\nadd.u64 %%g, %%g, %%sm64;\n");
}
static const char *where(isa_case *c) { return isa_has(c, ".shared") || isa_has(c, ".shared::cta") ? "%a" : "%g"; }

static int build_load(isa_case *c)
{
    int x = isa_number(c, ".x", 0), trans = isa_has(c, ".trans"), square = isa_has(c, ".m16n16"),
        wide = isa_has(c, ".m8n16");
    int bits = isa_has(c, ".b6x16_p32") ? 6 : isa_has(c, ".b4x16_p64") || isa_has(c, ".s4") ? 4
             : 8, sign = isa_has(c, ".s4"), regs = square ? 2 * x : x;
    if (!x) return -1;
    uint32_t *at = isa_in(c, 128 + SMEM), *want = isa_out(c, (size_t)(32 * regs) * 4);
    uint8_t *mem = c->in + 128;
    for (int i = 0; i < SMEM; i++) mem[i] = (uint8_t)(isa_random() >> 17);
    slots(at);
    for (int i = 0; sign && i < 32; i++) at[i] += 8 * (uint32_t)isa_int(0, 1);     /* rows of 8 bytes */
    for (int lane = 0; lane < 32; lane++) for (int r = 0; r < regs; r++) {
        int g = lane / 4, t = lane % 4;
        uint32_t v = 0;
        for (int b = 0; b < 4; b++) {
            if (!square && !wide) {
                int row = trans ? 2 * t + b / 2 : g, col = trans ? g : 2 * t + b / 2;
                v |= (uint32_t)mem[at[8 * r + row] + (uint32_t)col * 2 + (uint32_t)b % 2] << 8 * b;
                continue;
            }
            int row = square ? 16 * (r / 2) + 4 * t + b : 8 * r + g, col = square ? g + 8 * (r % 2) : 4 * t + b;
            uint16_t w;
            int bit = col * bits;
            memcpy(&w, mem + at[row] + bit / 8, 2);
            uint32_t e = w >> bit % 8 & ((1u << bits) - 1);
            if (sign && e & 8) e |= 0xf0;
            v |= e << 8 * b;
        }
        want[lane * regs + r] = v;
    }
    c->smem = SMEM;
    isa_begin(c);
    fill_smem(c, 128);
    isa_put(c, ".reg .b32 %%d<%d>;\n%s {", regs, c->v->mnemonic);
    for (int r = 0; r < regs; r++) isa_put(c, "%s%%d%d", r ? "," : "", r);
    isa_put(c, "}, [%s];\nmad.wide.u32 %%p, %%tx, %d, %%out;\n", where(c), regs * 4);
    for (int r = 0; r < regs; r++) isa_put(c, "st.global.b32 [%%p+%d], %%d%d;\n", r * 4, r);
    isa_end(c);
    return 0;
}
ISA_FAMILY(ldmatrix, "ldmatrix", build_load)

static int build_store(isa_case *c)
{
    int x = isa_number(c, ".x", 0), trans = isa_has(c, ".trans"), bytes = isa_has(c, ".b8");
    if (!x) return -1;
    uint32_t *at = isa_in(c, 128 + SMEM + 32 * 16), *want = isa_out(c, SMEM), *reg = at + (128 + SMEM) / 4;
    for (int i = 0; i < SMEM + 32 * 16; i++) c->in[128 + i] = (uint8_t)(isa_random() >> 17);
    slots(at);
    memcpy(want, c->in + 128, SMEM);
    for (int lane = 0; lane < 32; lane++) for (int r = 0; r < x; r++) for (int b = 0; b < 4; b++) {
        int g = lane / 4, t = lane % 4, row, at_byte;
        /* row in memory: a column of the matrix */
        if (bytes) { row = 2 * t + b % 2; at_byte = g + b / 2 * 8; }
        else { row = trans ? 2 * t + b / 2 : g; at_byte = (trans ? g : 2 * t + b / 2) * 2 + b % 2; }
        ((uint8_t *)want)[at[8 * r + row] + (uint32_t)at_byte] = (uint8_t)(reg[lane * 4 + r] >> 8 * b);
    }
    c->smem = SMEM;
    isa_begin(c);
    fill_smem(c, 128);
    isa_put(c, ".reg .b32 %%d<4>;\nmad.wide.u32 %%p, %%tx, 16, %%in;\n");
    for (int r = 0; r < x; r++) isa_put(c, "ld.global.b32 %%d%d, [%%p+%d];\n", r, 128 + SMEM + r * 4);
    isa_put(c, "%s [%s], {", c->v->mnemonic, where(c));
    for (int r = 0; r < x; r++) isa_put(c, "%s%%d%d", r ? "," : "", r);
    isa_put(c,
            "};\nbar.sync 0;\nmov.u32 %%i, %%tx;\nBACK:\nmad.wide.u32 %%p, %%i, 4, %%out;\nmad.lo.u32 %%a, %%i, 4, "
            "%%sm;\nld.shared.b32 %%v, [%%a];\n"
            "st.global.b32 [%%p], %%v;\nadd.u32 %%i, %%i, 32;\nsetp.lt.u32 %%c, %%i, %d;\n@%%c bra BACK;\n", SMEM / 4);
    isa_end(c);
    return 0;
}
ISA_FAMILY(stmatrix, "stmatrix", build_store)

static int build_mov(isa_case *c)
{
    mx_regs r;
    if (mx_parse_ops(c, &r)) return -1;
    uint16_t m[8][8];
    uint64_t *in = isa_in(c, 32 * 8), *want = isa_out(c, 32 * 8);
    for (int i = 0; i < 64; i++) m[i / 8][i % 8] = (uint16_t)(isa_random() >> 11);
    for (int lane = 0; lane < 32; lane++) {
        int g = lane / 4, t = lane % 4;
        in[lane] = m[g][2 * t] | (uint32_t)m[g][2 * t + 1] << 16;
        ((uint32_t *)want)[lane * 2] = m[2 * t][g] | (uint32_t)m[2 * t + 1][g] << 16;
    }
    mx_emit_regs(c, &r, "");
    return 0;
}
ISA_FAMILY(movmatrix, "movmatrix", build_mov)
