/* emu_slots.cu - lanes that go different ways, and registers of 32 and of 64 bits that are never alive together. usage:
 * emu_slots CASE. tcemu lets registers share a place in its register file, where lane 3 of a 32-bit register is not
 * where lane 3 of a 64-bit one is. A lane goes round a loop as often as its number has bits set, and once more, so that
 * some stand behind the loop with 32-bit values they need while others compute with 64-bit ones that come earlier in
 * the text. tests/emu_modes.sh. */
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

#define ROUND "TOP_%=: sub.u32 left, left, 1;\n"
#define WIDE \
    "cvt.u64.u32 w0, lane; mul.lo.u64 w0, w0, 0x100000001; add.u64 w1, w0, 0x700000007;\n" \
    "add.u64 w2, w0, w1; add.u64 w3, w1, w2; xor.b64 w0, w0, w3; xor.b64 w0, w0, w2; xor.b64 w0, w0, w1;\n" \
    "xor.b64 %1, %1, w0;\n"
#define NARROW \
    "add.u32 x0, lane, 1000; add.u32 x1, lane, 2000; add.u32 x2, lane, 3000; add.u32 x3, lane, 4000;\n" \
    "add.u32 x4, lane, 5000; add.u32 x5, lane, 6000; add.u32 x6, lane, 7000; add.u32 x7, lane, 8000;\n" \
    "setp.ne.u32 again, left, 0; @again bra TOP_%=;\n" \
    "add.u32 x0, x0, x1; add.u32 x2, x2, x3; add.u32 x4, x4, x5; add.u32 x6, x6, x7;\n" \
    "add.u32 x0, x0, x2; add.u32 x4, x4, x6; add.u32 %0, x0, x4;\n"
#define OUTER ".reg .pred again; .reg .b32 left, lane; mov.u32 lane, %2; popc.b32 left, lane; add.u32 left, left, 1;\n"

/* more names than tcemu gives a place each */
static __global__ void many(unsigned *sum, unsigned long long *bits)
{
    unsigned s;
    unsigned long long b = 0;
    asm volatile("{ .reg .b32 unused<600>;\n" OUTER ".reg .b64 w<4>; .reg .b32 x<8>;\n"
        ROUND WIDE NARROW "}" : "=r"(s), "+l"(b) : "r"(threadIdx.x));
    sum[threadIdx.x] = s;
    bits[threadIdx.x] = b;
}
/* few names; those of two blocks beside each other have the same numbers */
static __global__ void blocks(unsigned *sum, unsigned long long *bits)
{
    unsigned s;
    unsigned long long b = 0;
    asm volatile("{" OUTER ROUND "{ .reg .b64 w<4>;\n" WIDE "}\n{ .reg .b32 x<8>;\n" NARROW "}\n}"
        : "=r"(s), "+l"(b) : "r"(threadIdx.x));
    sum[threadIdx.x] = s;
    bits[threadIdx.x] = b;
}

int main(int argc, char **argv)
{
    static unsigned sum[32];
    static unsigned long long bits[32];
    unsigned *dsum;
    unsigned long long *dbits;
    const char *name = argc > 1 ? argv[1] : "";
    if (cudaMalloc(&dsum, sizeof sum) || cudaMalloc(&dbits, sizeof bits)) return 2;
    if (!strcmp(name, "many")) many<<<1, 32>>>(dsum, dbits);
    else if (!strcmp(name, "blocks")) blocks<<<1, 32>>>(dsum, dbits);
    else return 2;
    if (cudaMemcpy(sum, dsum, sizeof sum, cudaMemcpyDefault)) return 2;
    if (cudaMemcpy(bits, dbits, sizeof bits, cudaMemcpyDefault)) return 2;
    int wrong = 0;
    for (unsigned l = 0; l < 32; l++) {
        unsigned long long w0 = l * 0x100000001ull, w1 = w0 + 0x700000007ull, w2 = w0 + w1, w3 = w1 + w2;
        unsigned long long want = __builtin_popcount(l) % 2 ? 0 : w0 ^ w1 ^ w2 ^ w3;
        wrong += sum[l] != 36000 + 8 * l || bits[l] != want;
    }
    printf("%d lanes wrong\n", wrong);
    return wrong != 0;
}
