/* spcompress.c - spcompress and spdecompress. What the ISA leaves open is kept out of the data: elements of a group
 * differ in what is compared, but for NaNs, of which there are at most two. The two kept elements come in the order of
 * their indices (the order the ISA does not name; metadata of sparse mma has it). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "kernels.h"

/* Value of an element: descriptor's type 0 f16 or u8, 1 bf16 or s8, 2 e5m2, 3 e4m3, 4 e3m2, 5 e2m3 */
static double value(int bits, int type, uint32_t e)
{
    static const struct { int exp, man, bias; } f[2][6] = { { { 0 }, { 0 }, { 5, 2, 15 }, { 4, 3, 7 }, { 3, 2, 3 },
                                                             { 2, 3, 1 } }, { { 5, 10, 15 }, { 8, 7, 127 } } };
    if (bits == 8 && type < 2) return type ? (int8_t)e : (double)(uint8_t)e;
    const int exp = f[bits == 16][type].exp, man = f[bits == 16][type].man, bias = f[bits == 16][type].bias;
    const int x = (int)(e >> man) & ((1 << exp) - 1), m = (int)e & ((1 << man) - 1), neg = e >> (exp + man) & 1;
    double v = x ? ldexp(m | 1 << man, x - bias - man) : ldexp(m, 1 - bias - man);
    if ((bits == 16 || type == 2) && x == (1 << exp) - 1) v = m ? NAN : INFINITY;
    if (bits == 8 && type == 3 && x == 15 && m == 7) v = NAN;
    return neg ? -v : v;
}
static uint32_t random_element(int bits, int type)
{
    uint32_t e = (uint32_t)isa_random() & (bits == 16 ? 0xffff : 0xff);
    return bits == 8 && type >= 4 ? e & 0x3f : e;
}
/* Is a kept before b? NaNs before all; -0 < +0 */
static int before(double a, double b, int op)
{
    if (isnan(a) || isnan(b)) return isnan(a) && !isnan(b);
    if (op & 1) { a = fabs(a); b = fabs(b); }
    if (a == b) return op & 2 ? signbit(a) && !signbit(b) : !signbit(a) && signbit(b);
    return op & 2 ? a < b : a > b;
}

static void put_list(isa_case *c, const char *prefix, int n)
{
    for (int k = 0; k < n; k++) isa_put(c, "%s%%%s%d", k ? ", " : "{", prefix, k);
    isa_put(c, "}");
}
static void put_bits(uint32_t *v, int at, int bits, uint32_t x) { v[at / 32] |= x << at % 32; (void)bits; }

/* 32 lanes, each with its own data; spcompress: registers of mdata, cdata, data, a descriptor */
static int compress(isa_case *c)
{
    int size, index, num;
    if (sscanf(c->v->mnemonic, "spcompress.b%d.b%d.sp::2:4.x%d", &size, &index, &num) != 3) return -1;
    const int nd = 2 * num, nm = (num * index + size - 1) / size, groups = num * 64 / size / 4;
    uint32_t *in = isa_in(c, (size_t)(32 * (nd + 1)) * 4), *want = isa_out(c, (size_t)(32 * (num + nm)) * 4);
    memset(want, 0, c->out_size);
    for (int l = 0; l < 32; l++) {
        uint32_t *data = in + l * (nd + 1), *md = want + l * (num + nm), *cd = md + nm;
        const int op = isa_int(0, 3), type = size == 16 ? isa_int(0, 1) : isa_int(0, 5);
        data[nd] = (uint32_t)(type << 2 | op);
        for (int g = 0; g < groups; g++) {
            uint32_t e[4];
            double v[4];
            for (int again = 1; again; ) {
                int nans = 0;
                again = 0;
                for (int k = 0; k < 4; k++) { e[k] = random_element(size, type); v[k] = value(size, type, e[k]); }
                for (int a = 0; a < 4; a++) {
                    nans += isnan(v[a]) != 0;
                    for (int b = 0; b < a; b++)
                        again |= !before(v[a], v[b], op) && !before(v[b], v[a], op) && !(isnan(v[a]) && isnan(v[b]));
                    /* whether -0 < +0 is meant for magnitudes too, the text does not say */
                    for (int b = 0; b < a; b++) again |= (op & 1) && fabs(v[a]) == fabs(v[b]);
                }
                again |= nans > 2;
            }
            int first[4], at = 0;
            for (int k = 0; k < 4; k++) {                 /* how many go before it? */
                first[k] = 0;
                for (int b = 0; b < 4; b++) first[k] += before(v[b], v[k], op);
                put_bits(data, (4 * g + k) * size, size, e[k]);
            }
            for (int k = 0; k < 4; k++)
                if (first[k] < 2) {
                    put_bits(cd, (2 * g + at) * size, size, e[k]);
                    put_bits(md, (2 * g + at) * index, index, (uint32_t)k);
                    at++;
                }
        }
    }
    memset(c->out, 0xa5, c->out_size);
    isa_begin(c);
    isa_put(c, ".reg .b32 %%d<%d>, %%c<%d>, %%m<%d>, %%s; .reg .b64 %%g, %%o;\nmul.wide.u32 %%g, %%tx, %d; add.s64 "
            "%%g, %%g, %%in; mul.wide.u32 %%o, %%tx, %d; add.s64 %%o, %%o, %%out;\n", nd, num, nm, (nd + 1) * 4,
            (num + nm) * 4);
    for (int k = 0; k < nd; k++) isa_put(c, "ld.global.b32 %%d%d, [%%g+%d];\n", k, k * 4);
    isa_put(c, "ld.global.b32 %%s, [%%g+%d];\n%s ", nd * 4, c->v->mnemonic);
    put_list(c, "m", nm); isa_put(c, ", "); put_list(c, "c", num); isa_put(c, ", "); put_list(c, "d", nd);
    isa_put(c, ", %%s;\n");
    for (int k = 0; k < nm; k++) isa_put(c, "st.global.b32 [%%o+%d], %%m%d;\n", k * 4, k);
    for (int k = 0; k < num; k++) isa_put(c, "st.global.b32 [%%o+%d], %%c%d;\n", (nm + k) * 4, k);
    isa_end(c);
    return 0;
}
ISA_FAMILY(spcompress, "spcompress", compress)

/* data[mdata[N][S]] = cdata[N][S], the rest 0 */
static int decompress(isa_case *c)
{
    int size, index, from, to, num;
    if (sscanf(c->v->mnemonic, "spdecompress.b%d.b%d.sp::%d:%d.x%d", &size, &index, &from, &to, &num) != 5) return -1;
    const int nd = (to * size * num + 31) / 32, nc = (from * size * num + 31) / 32, nm = (from * index * num + 31) / 32;
    uint32_t *in = isa_in(c, (size_t)(32 * (nc + nm)) * 4), *want = isa_out(c, (size_t)(32 * nd) * 4);
    memset(want, 0, c->out_size);
    for (int l = 0; l < 32; l++) {
        uint32_t *md = in + l * (nc + nm), *cd = md + nm, *data = want + l * nd;
        for (int n = 0; n < num; n++) {
            uint32_t used = 0;
            for (int s = 0; s < from; s++) {
                int k;
                do k = isa_int(0, to - 1); while (used >> k & 1);
                used |= 1u << k;
                const uint32_t e = (uint32_t)isa_random() & (size == 16 ? 0xffff : 0xff);
                put_bits(md, (n * from + s) * index, index, (uint32_t)k);
                put_bits(cd, (n * from + s) * size, size, e);
                put_bits(data, (n * to + k) * size, size, e);
            }
        }
    }
    isa_begin(c);
    isa_put(c, ".reg .b32 %%d<%d>, %%c<%d>, %%m<%d>; .reg .b64 %%g, %%o;\nmul.wide.u32 %%g, %%tx, %d; add.s64 %%g, "
            "%%g, %%in; mul.wide.u32 %%o, %%tx, %d; add.s64 %%o, %%o, %%out;\n", nd, nc, nm, (nc + nm) * 4, nd * 4);
    for (int k = 0; k < nm; k++) isa_put(c, "ld.global.b32 %%m%d, [%%g+%d];\n", k, k * 4);
    for (int k = 0; k < nc; k++) isa_put(c, "ld.global.b32 %%c%d, [%%g+%d];\n", k, (nm + k) * 4);
    isa_put(c, "%s ", c->v->mnemonic);
    put_list(c, "d", nd); isa_put(c, ", "); put_list(c, "m", nm); isa_put(c, ", "); put_list(c, "c", nc);
    isa_put(c, ";\n");
    for (int k = 0; k < nd; k++) isa_put(c, "st.global.b32 [%%o+%d], %%d%d;\n", k * 4, k);
    isa_end(c);
    return 0;
}
ISA_FAMILY(spdecompress, "spdecompress", decompress)
