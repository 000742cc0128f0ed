/* unit_desc.c - descriptors of tcgen05, and where factors of a byte lie: the kit's functions against values that
 * another implementation makes of the same tiles. They were printed by a program around CUTLASS 4.7.0's
 * make_umma_desc (under tcemu, as sm_100a), make_instr_desc, make_instr_desc_block_scaled, and Sm1xxBlockScaledConfig:
 * what these returned is all that stands here. usage: unit_desc */
#include "../tc_sf.h"
#include "../tc_tcgen05.h"
#include "test.h"

/* ---- shared memory: the tile, how it lies, and where ---- */
static void test_shared(void)
{
    static const struct { uint64_t want; const char *text; tc_tcgen05_desc_fields f; } of[] = {
        /* 128 rows of f16 at 0x400: along k a swizzle's width, without a swizzle 32 bytes */
        {0x4000404000010040u, "k, 128", {.addr = 0x400, .leading_bytes = 16, .stride_bytes = 1024, .swizzle = 128}},
        {0x8000402000010040u, "k, 64", {.addr = 0x400, .leading_bytes = 16, .stride_bytes = 512, .swizzle = 64}},
        {0xc000401000010040u, "k, 32", {.addr = 0x400, .leading_bytes = 16, .stride_bytes = 256, .swizzle = 32}},
        {0x0000400800800040u, "k, none", {.addr = 0x400, .leading_bytes = 128 * 16, .stride_bytes = 128}},
        /* 128 rows of f16 x 64 k, rows together, all k of a width before the next width */
        {0x4000404002000040u, "m, 128", {.addr = 0x400, .leading_bytes = 64 * 128, .stride_bytes = 1024,
                                         .swizzle = 128}},
        {0x8000402001000040u, "m, 64", {.addr = 0x400, .leading_bytes = 64 * 64, .stride_bytes = 512, .swizzle = 64}},
        {0xc000401000800040u, "m, 32", {.addr = 0x400, .leading_bytes = 64 * 32, .stride_bytes = 256, .swizzle = 32}},
        /* 256 rows at 0x1400, 32 k */
        {0x4000404000010140u, "k, 128", {.addr = 0x1400, .leading_bytes = 16, .stride_bytes = 1024, .swizzle = 128}},
        {0x0000400801000140u, "k, none", {.addr = 0x1400, .leading_bytes = 256 * 16, .stride_bytes = 128}},
        {0x4000404001000140u, "m, 128", {.addr = 0x1400, .leading_bytes = 32 * 128, .stride_bytes = 1024,
                                         .swizzle = 128}},
        {0x8000402000800140u, "m, 64", {.addr = 0x1400, .leading_bytes = 32 * 64, .stride_bytes = 512, .swizzle = 64}},
        /* 128 rows of e4m3 at 0x800, 128 k: at 128 bytes there is one width */
        {0x4000404000000080u, "m, 128", {.addr = 0x800, .stride_bytes = 1024, .swizzle = 128}},
        {0x8000402002000080u, "m, 64", {.addr = 0x800, .leading_bytes = 128 * 64, .stride_bytes = 512, .swizzle = 64}},
        /* tf32 at 0x400, 32 k: 128 rows in atoms of 32 bytes; 64 rows */
        {0x2000402001000040u, "m, 128, 32", {.addr = 0x400, .leading_bytes = 32 * 128, .stride_bytes = 512,
                                             .swizzle = 128, .base32 = 1}},
        {0x0000400800400040u, "k, none", {.addr = 0x400, .leading_bytes = 64 * 16, .stride_bytes = 128}},
        {0xc000401000400040u, "m, 32", {.addr = 0x400, .leading_bytes = 32 * 32, .stride_bytes = 256, .swizzle = 32}},
    };
    size_t i;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        const tc_tcgen05_desc_fields f = of[i].f;
        const uint64_t got = tc_tcgen05_desc_make(f);
        CHECK(got == of[i].want, "%d (%s): %016llx", (int)i, of[i].text, (unsigned long long)got);
        if (f.base32 || !f.swizzle) continue;
        if (of[i].text[0] == 'k')
            CHECK(tc_tcgen05_desc(f.addr, f.swizzle) == of[i].want, "%d (%s): tc_tcgen05_desc", (int)i, of[i].text);
        else
            CHECK(tc_tcgen05_desc_mn(f.addr, f.swizzle, f.leading_bytes) == of[i].want, "%d (%s): tc_tcgen05_desc_mn",
                  (int)i, of[i].text);
    }
}

/* ---- instructions ---- */
#define F8 .kind = TC_KIND_F8F6F4
#define MXF8 .kind = TC_KIND_MXF8F6F4
#define MXF8_E4M3 MXF8, .m = 128, .n = 128, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32
#define NVF4(rows, cols) .kind = TC_KIND_MXF4NVF4, .m = rows, .n = cols, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32
static void test_instructions(void)
{
    static const struct { uint32_t want; tc_tcgen05_idesc_fields f; } of[] = {
        {0x08400010, {.kind = TC_KIND_F16, .m = 128, .n = 256, .a = TC_F16, .b = TC_F16, .d = TC_F32}},
        {0x10400490, {.kind = TC_KIND_F16, .m = 256, .n = 256, .a = TC_BF16, .b = TC_BF16, .d = TC_F32,
                      .cta_group = 2}},
        {0x04030000, {.kind = TC_KIND_F16, .m = 64, .n = 8, .a = TC_F16, .b = TC_F16, .d = TC_F16, .trans_b = 1}},
        {0x08198490, {.kind = TC_KIND_F16, .m = 128, .n = 96, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .trans_a = 1,
                      .trans_b = 1}},
        {0x08102490, {.kind = TC_KIND_F16, .m = 128, .n = 64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .negate_a = 1}},
        {0x08104490, {.kind = TC_KIND_F16, .m = 128, .n = 64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .negate_b = 1}},
        {0x08210910, {.kind = TC_KIND_TF32, .m = 128, .n = 128, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .trans_b = 1}},
        {0x080800a8, {.kind = TC_KIND_I8, .m = 128, .n = 32, .a = TC_S8, .b = TC_U8, .d = TC_S32, .saturate = 1}},
        {0x10100420, {.kind = TC_KIND_I8, .m = 256, .n = 64, .a = TC_U8, .b = TC_S8, .d = TC_S32, .cta_group = 2}},
        {0x08400410, {F8, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32}},
        {0x08040080, {F8, .m = 128, .n = 16, .a = TC_E5M2, .b = TC_E4M3, .d = TC_F16}},
        {0x08201190, {F8, .m = 128, .n = 128, .a = TC_E2M3, .b = TC_E3M2, .d = TC_F32}},
        {0x10200290, {F8, .m = 256, .n = 128, .a = TC_E2M1, .b = TC_E4M3, .d = TC_F32, .cta_group = 2}},
        {0x08200014, {.kind = TC_KIND_F16, .m = 128, .n = 128, .a = TC_F16, .b = TC_F16, .d = TC_F32, .sparse = 1}},
        {0x82100010, {.kind = TC_KIND_F16, .m = 32, .n = 64, .a = TC_F16, .b = TC_F16, .d = TC_F32, .max_shift = 16,
                      .ws = 1}},
        {0x08c00400, {MXF8, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E5M2, .d = TC_F32, .scale = TC_UE8M0}},
        {0x10b01280, {MXF8, .m = 256, .n = 192, .a = TC_E2M1, .b = TC_E3M2, .d = TC_F32, .scale = TC_UE8M0,
                      .cta_group = 2}},
        {0x08a18000, {MXF8_E4M3, .trans_a = 1, .trans_b = 1, .scale = TC_UE8M0}},
        {0x28a00030, {MXF8_E4M3, .scale = TC_UE8M0, .sfa_id = 1, .sfb_id = 3}},
        {0x08a00480, {.kind = TC_KIND_MXF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                      .scale = TC_UE8M0}},
        {0x10400480, {NVF4(256, 256), .scale = TC_UE4M3, .cta_group = 2}},
        {0x08300484, {NVF4(128, 192), .sparse = 1, .scale = TC_UE4M3}},
        {0x48a004a0, {.kind = TC_KIND_MXF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                      .scale = TC_UE8M0, .sfa_id = 2, .sfb_id = 2}},
    };
    size_t i;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        const uint32_t got = tc_tcgen05_idesc_make(of[i].f);
        CHECK(tc_tcgen05_idesc_check(&of[i].f) == TC_OK, "%d: %s", (int)i, tc_why());
        CHECK(got == of[i].want, "%d: 0x%08x, not 0x%08x", (int)i, (unsigned)got, (unsigned)of[i].want);
    }
}

/* ---- factors: 300 rows of nine, of blocks of 16 (k = 144) and 32 (k = 288) ---- */
static void test_factors(void)
{
    static const int factor[] = {0, 1, 3, 4, 5, 7, 8};
    static const struct { int row, at[7]; } of[] = {
        {0, {0, 1, 3, 512, 513, 515, 1024}},
        {1, {16, 17, 19, 528, 529, 531, 1040}},
        {31, {496, 497, 499, 1008, 1009, 1011, 1520}},
        {32, {4, 5, 7, 516, 517, 519, 1028}},
        {33, {20, 21, 23, 532, 533, 535, 1044}},
        {63, {500, 501, 503, 1012, 1013, 1015, 1524}},
        {64, {8, 9, 11, 520, 521, 523, 1032}},
        {95, {504, 505, 507, 1016, 1017, 1019, 1528}},
        {96, {12, 13, 15, 524, 525, 527, 1036}},
        {127, {508, 509, 511, 1020, 1021, 1023, 1532}},
        {128, {1536, 1537, 1539, 2048, 2049, 2051, 2560}},
        {129, {1552, 1553, 1555, 2064, 2065, 2067, 2576}},
        {160, {1540, 1541, 1543, 2052, 2053, 2055, 2564}},
        {255, {2044, 2045, 2047, 2556, 2557, 2559, 3068}},
        {256, {3072, 3073, 3075, 3584, 3585, 3587, 4096}},
        {299, {3252, 3253, 3255, 3764, 3765, 3767, 4276}},
    };
    size_t i;
    int s, block;
    for (block = 16; block <= 32; block += 16) {
        CHECK(tc_sf_bytes(300, 9 * block, block) == 4608, "%d bytes", (int)tc_sf_bytes(300, 9 * block, block));
        for (i = 0; i < sizeof of / sizeof *of; i++)
            for (s = 0; s < 7; s++)
                CHECK(tc_sf_at(9 * block, block, of[i].row, factor[s]) == (size_t)of[i].at[s], "row %d, factor %d: %d",
                      of[i].row, factor[s], (int)tc_sf_at(9 * block, block, of[i].row, factor[s]));
    }
}

int main(void)
{
    test_shared();
    test_instructions();
    test_factors();
    return test_end();
}
