/* unit_host.c - what the headers compute on the host, without a GPU: swizzles, conversions, types, statuses, tensor-map
 * rules, descriptors of wgmma and tcgen05, fragment coordinates, chips. How calls are planned: unit_plan.c.
 *     cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I$CUDA/include tests/unit_host.c emu/device.c emu/model_device.c
 *     -o unit_host -L$CUDA/lib64 -lcudart -lm
 *
 * References are written apart from the headers: conversions by ldexp and nearbyint, descriptors by PTX's bit
 * positions, tables by hand. */
#include "../tc.h"
#include "../emu/device.h"
#include "../tc_chip.h"
#include "../tc_spcompress.h"
#include "test.h"

/* ---- swizzles ---- */
static void test_swizzle(void)
{
    static const char *const drawn[8] = {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032",
                                         "67452301", "76543210"};
    static const int widths[3] = {32, 64, 128};
    uint32_t row, chunk, i;
    int w;
    for (row = 0; row < 8; row++)
        for (chunk = 0; chunk < 8; chunk++) {
            const uint32_t at = tc_swizzle_128B(row * 128 + chunk * 16);
            CHECK(at == row * 128 + (uint32_t)(drawn[row][chunk] - '0') * 16, "128B row %u chunk %u lands at %u", row,
                  chunk, at);
        }
    for (w = 0; w < 3; w++) {
        const int width = widths[w];
        const uint32_t atom = tc_swizzle_atom(width), chunks = (uint32_t)width / 16;
        unsigned char seen[1024];
        memset(seen, 0, sizeof seen);
        CHECK(atom == 8u * (uint32_t)width, "atom of %d is %u", width, atom);
        for (i = 0; i < atom; i++) {
            const uint32_t s = tc_swizzle(width, i);
            CHECK(s < atom && !seen[s % 1024], "%dB: %u to %u: not one to one in the atom", width, i, s);
            seen[s % 1024] = 1;
            CHECK(s / (uint32_t)width == i / (uint32_t)width && s % 16 == i % 16,
                  "%dB: %u to %u leaves its row or chunk", width, i, s);
        }
        for (i = 0; i < 65536; i += 4) {
            const uint32_t s = tc_swizzle(width, i);
            CHECK(tc_swizzle(width, s) == i, "%dB is not its own inverse at %u", width, i);
            CHECK(s == i / atom * atom + tc_swizzle(width, i % atom), "%dB does not repeat every %u bytes, at %u",
                  width, atom, i);
            CHECK(s == (width == 128 ? tc_swizzle_128B(i)
                        : width == 64 ? tc_swizzle_64B(i)
                        : tc_swizzle_32B(i)), "tc_swizzle(%d, %u)", width, i);
            CHECK(tc_tile_offset(width, i / (uint32_t)width, i % (uint32_t)width) == s, "tc_tile_offset(%d) at %u",
                  width, i);
        }
        /* The eight rows of a chunk column, an ldmatrix: eight different 16-byte bank groups, in each of the three
         * widths;
         * without a swizzle rows of 128, 64, 32 bytes fall into 1, 2, 4 groups. */
        for (chunk = 0; chunk < chunks; chunk++) {
            uint32_t groups = 0, plain = 0, want = 0;
            for (row = 0; row < 8; row++) {
                groups |= 1u << (tc_tile_offset(width, row, chunk * 16) / 16 % 8);
                plain |= 1u << ((row * (uint32_t)width + chunk * 16) / 16 % 8);
            }
            for (i = 0; i < 8; i++) want += plain >> i & 1u;
            CHECK(groups == 0xff, "%dB: rows of chunk %u fall into bank groups %02x", width, chunk, groups);
            CHECK(want == 128u / (uint32_t)width, "plain rows of %d bytes fall into %u groups", width, want);
        }
    }
    CHECK(tc_swizzle_atom(0) == 16, "atom of none is %u", tc_swizzle_atom(0));
    for (i = 0; i < 4096; i++) CHECK(tc_swizzle(0, i) == i, "no swizzle moves %u", i);
}

/* ---- conversions: by arithmetic, in double ---- */
typedef struct {
    const char *name;
    int man, emin, emax; /* bits of the fraction; exponents of the least and of the greatest normal number */
    unsigned inf;        /* the code of infinity */
    uint16_t (*from)(float);
    float (*to)(uint16_t);
} format;

static uint16_t f16_from(float x) { return tc_f16_from_f32(x); }
static uint16_t bf16_from(float x) { return tc_bf16_from_f32(x); }
static float f16_to(uint16_t x) { return tc_f32_from_f16(x); }
static float bf16_to(uint16_t x) { return tc_f32_from_bf16(x); }

/* Value of a positive code; infinity's is taken as the next power of two, which is where rounding sees it. */
static double value_of(const format *f, unsigned code)
{
    const unsigned e = code >> f->man, m = code & ((1u << f->man) - 1u);
    return e ? ldexp((double)(m + (1u << f->man)), (int)e - 1 + f->emin - f->man) : ldexp((double)m, f->emin - f->man);
}

/* f32 to a code, round to nearest even. */
static unsigned code_of(const format *f, float x)
{
    const unsigned sign = signbit(x) ? 0x8000u : 0u;
    double a = fabs((double)x), v;
    int e;
    if (isnan(x)) return 0x7fff;
    if (isinf(x)) return sign | f->inf;
    if (a == 0) return sign;
    frexp(a, &e);
    e = e - 1 < f->emin ? f->emin : e - 1;
    v = nearbyint(ldexp(a, f->man - e)); /* in units of the last place */
    if (v >= ldexp(1.0, f->man + 1)) v /= 2, e++;
    if (e > f->emax) return sign | f->inf;
    if (v < ldexp(1.0, f->man)) return sign | (unsigned)v; /* subnormal */
    return sign | ((unsigned)(e - f->emin + 1) << f->man) | ((unsigned)v - (1u << f->man));
}

static void test_format(const format *f)
{
    unsigned code;
    uint64_t bits;
    for (code = 0; code < 65536; code++) {
        const unsigned mag = code & 0x7fffu;
        const float x = f->to((uint16_t)code);
        if (mag > f->inf) {
            CHECK(isnan(x), "%s %04x is %g, not a NaN", f->name, code, (double)x);
            CHECK(f->from(x) == 0x7fff, "%s: the NaN %04x goes to %04x", f->name, code, (unsigned)f->from(x));
            continue;
        }
        CHECK((signbit(x) ? 1u : 0u) == code >> 15, "%s %04x has the wrong sign", f->name, code);
        CHECK(mag == f->inf ? isinf(x) : fabs((double)x) == value_of(f, mag), "%s %04x is %a", f->name, code,
              (double)x);
        CHECK(f->from(x) == code, "%s %04x comes back as %04x", f->name, code, (unsigned)f->from(x));
    }
    /* around the middle of each pair of neighbours, the last one being infinity */
    for (code = 0; code < f->inf; code++) {
        const float mid = (float)((value_of(f, code) + value_of(f, code + 1)) / 2);
        const float below = nextafterf(mid, 0.f), above = nextafterf(mid, INFINITY);
        const unsigned even = code % 2 ? code + 1 : code;
        CHECK((double)mid == (value_of(f, code) + value_of(f, code + 1)) / 2, "%s: the test itself: middle above %04x",
              f->name, code);
        CHECK(f->from(mid) == even && f->from(-mid) == (even | 0x8000u), "%s: tie above %04x goes to %04x", f->name,
              code, (unsigned)f->from(mid));
        CHECK(f->from(below) == code && f->from(-below) == (code | 0x8000u), "%s: below the tie %04x: %04x", f->name,
              code, (unsigned)f->from(below));
        CHECK(f->from(above) == code + 1 && f->from(-above) == ((code + 1) | 0x8000u), "%s: above the tie %04x: %04x",
              f->name, code, (unsigned)f->from(above));
    }
    for (bits = 0; bits < 0x100000000ull; bits += 4093) {
        const float x = tc_f32_from_bits((uint32_t)bits);
        CHECK(f->from(x) == code_of(f, x), "%s from bits %08x: %04x, want %04x", f->name, (unsigned)bits,
              (unsigned)f->from(x), code_of(f, x));
    }
    CHECK(f->from(INFINITY) == f->inf && f->from(-INFINITY) == (f->inf | 0x8000u), "%s of infinity", f->name);
    CHECK(f->from(tc_f32_from_bits(0x7f800001u)) == 0x7fff && f->from(tc_f32_from_bits(0xffffffffu)) == 0x7fff
          && f->from(tc_f32_from_bits(0xff800001u)) == 0x7fff, "%s of NaN", f->name);
    CHECK(f->from(0.f) == 0 && f->from(-0.f) == 0x8000, "%s of zero", f->name);
    CHECK(f->from(3.402823466e38f) == f->inf, "%s of the greatest f32", f->name);
    CHECK(f->from(tc_f32_from_bits(1)) == 0 && f->from(tc_f32_from_bits(0x80000001u)) == 0x8000, "%s of the least f32",
          f->name);
}

static void test_conversions(void)
{
    static const format f16 = {"f16", 10, -14, 15, 0x7c00, f16_from, f16_to};
    static const format bf16 = {"bf16", 7, -126, 127, 0x7f80, bf16_from, bf16_to};
    uint64_t bits;
    test_format(&f16);
    test_format(&bf16);
    CHECK(tc_f16_from_f32(65504.f) == 0x7bff && tc_f16_from_f32(65519.996f) == 0x7bff
          && tc_f16_from_f32(65520.f) == 0x7c00, "f16's largest: %04x %04x", (unsigned)tc_f16_from_f32(65519.996f),
          (unsigned)tc_f16_from_f32(65520.f));
    CHECK(tc_f16_from_f32(1.f) == 0x3c00 && tc_f16_from_f32(-2.f) == 0xc000 && tc_bf16_from_f32(1.f) == 0x3f80,
          "known codes");
    CHECK(tc_f16_from_f32(ldexpf(1.f, -24)) == 1 && tc_f16_from_f32(ldexpf(1.f, -25)) == 0
          && tc_f16_from_f32(ldexpf(1.5f, -25)) == 1, "least f16");
    for (bits = 0; bits < 0x100000000ull; bits += 65521)
        CHECK(tc_bits_from_f32(tc_f32_from_bits((uint32_t)bits)) == (uint32_t)bits, "bits %08x", (unsigned)bits);
}

/* ---- types and statuses ---- */
static void test_tables(void)
{
    static const struct { int type, bits; const char *name; } types[] = {
        {TC_F16, 16, "f16"}, {TC_BF16, 16, "bf16"}, {TC_F32, 32, "f32"}, {TC_TF32, 32, "tf32"}, {TC_F64, 64, "f64"},
        {TC_E4M3, 8, "e4m3"}, {TC_E5M2, 8, "e5m2"}, {TC_E3M2, 6, "e3m2"}, {TC_E2M3, 6, "e2m3"}, {TC_E2M1, 4, "e2m1"},
        {TC_S8, 8, "s8"}, {TC_U8, 8, "u8"}, {TC_S4, 4, "s4"}, {TC_U4, 4, "u4"}, {TC_B1, 1, "b1"}, {TC_S32, 32, "s32"},
        {TC_UE8M0, 8, "ue8m0"}, {TC_UE4M3, 8, "ue4m3"}, {TC_U16, 16, "u16"}, {TC_U32, 32, "u32"}, {TC_S64, 64, "s64"},
        {TC_U64, 64, "u64"}, {TC_UE5M3, 8, "ue5m3"}, {TC_TI16, 16, "ti16"}};
    static const struct { tc_status status; const char *name; } statuses[] = {
        {TC_OK, "TC_OK: "}, {TC_ERR_NULL, "TC_ERR_NULL: "}, {TC_ERR_SIZE, "TC_ERR_SIZE: "},
        {TC_ERR_PITCH, "TC_ERR_PITCH: "}, {TC_ERR_ALIGN, "TC_ERR_ALIGN: "}, {TC_ERR_BATCH, "TC_ERR_BATCH: "},
        {TC_ERR_EPI, "TC_ERR_EPI: "}, {TC_ERR_DEVICE, "TC_ERR_DEVICE: "}, {TC_ERR_IMAGE, "TC_ERR_IMAGE: "},
        {TC_ERR_SMEM, "TC_ERR_SMEM: "}, {TC_ERR_CLUSTER, "TC_ERR_CLUSTER: "}, {TC_ERR_TMAP, "TC_ERR_TMAP: "},
        {TC_ERR_DESC, "TC_ERR_DESC: "}, {TC_ERR_SPARSE, "TC_ERR_SPARSE: "}, {TC_ERR_DRIVER, "TC_ERR_DRIVER: "},
        {TC_ERR_CUDA, "TC_ERR_CUDA: "},
        {TC_ERR_CONFIG, "TC_ERR_CONFIG: "}};
    size_t i;
    int bad;
    CHECK(sizeof types / sizeof types[0] == TC_TYPE_COUNT - 1, "a type has no line in this test");
    for (i = 0; i < sizeof types / sizeof types[0]; i++) {
        CHECK(tc_type_bits(types[i].type) == types[i].bits, "%s has %d bits", types[i].name,
              tc_type_bits(types[i].type));
        CHECK(!strcmp(tc_type_name(types[i].type), types[i].name), "%s is called %s", types[i].name,
              tc_type_name(types[i].type));
    }
    for (bad = -1; bad < 99; bad += bad < 0 ? 1 : 33) {
        if (bad > 0 && bad < TC_TYPE_COUNT) continue;
        CHECK(tc_type_bits(bad) == 0 && !strcmp(tc_type_name(bad), "?"), "type %d is none", bad);
    }
    CHECK(tc_type_bits(TC_TYPE_COUNT) == 0, "TC_TYPE_COUNT is no type");
    CHECK(sizeof statuses / sizeof statuses[0] == TC_STATUS_COUNT, "a status has no line in this test");
    CHECK(TC_OK == 0, "TC_OK is %d", (int)TC_OK);
    for (i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
        const char *text = tc_status_text(statuses[i].status);
        CHECK(!strncmp(text, statuses[i].name, strlen(statuses[i].name)) && strlen(text) > strlen(statuses[i].name) + 5,
              "%s reads \"%s\"", statuses[i].name, text);
    }
    CHECK(!strcmp(tc_status_text(TC_STATUS_COUNT), "not a tc_status"), "TC_STATUS_COUNT reads \"%s\"",
          tc_status_text(TC_STATUS_COUNT));
    CHECK(!strcmp(tc_status_text((tc_status)99), "not a tc_status"), "99 reads \"%s\"", tc_status_text((tc_status)99));
#ifndef __cplusplus /* there, an enum has no values past the bits of its last name */
    CHECK(!strcmp(tc_status_text((tc_status)-1), "not a tc_status"), "-1 reads \"%s\"", tc_status_text((tc_status)-1));
    CHECK(!strcmp(tc_status_text((tc_status)1000000), "not a tc_status"), "1000000 reads \"%s\"",
          tc_status_text((tc_status)1000000));
#endif
    { /* a sentence longer than its room is cut, never overrun */
        char many[2 * TC_WHY_SIZE];
        memset(many, 'x', sizeof many);
        many[sizeof many - 1] = 0;
        CHECK(tc__fail(TC_ERR_SIZE, "%s", many) == TC_ERR_SIZE && strlen(tc_why()) == TC_WHY_SIZE - 1,
              "tc_why has %d characters", (int)strlen(tc_why()));
    }
}

/* ---- tensor maps ---- */
static TC_ALIGN(128) unsigned char tensor[256];

/* 3-D, 128-byte swizzle: breaks no rule. */
static tc_tmap_desc good_map(void)
{
    tc_tmap_desc d;
    memset(&d, 0, sizeof d);
    d.type = TC_BF16, d.rank = 3, d.base = tensor, d.swizzle = 128;
    d.dim[0] = 100, d.dim[1] = 50, d.dim[2] = 3;
    d.stride[0] = 256, d.stride[1] = 12800;
    d.box[0] = 64, d.box[1] = 16, d.box[2] = 1;
    return d;
}

/* The description is refused, and the sentence names the field and shows its value. */
static void refused(const tc_tmap_desc *d, const char *field, const char *value, int line)
{
    tc_tmap map;
    size_t i;
    tc_status st;
    tc__why_text[0] = 0;
    st = tc_tmap_check(d);
    CHECK(st == TC_ERR_TMAP, "line %d: %s %s: status %s", line, field, value, tc_status_text(st));
    CHECK(strstr(tc_why(), field) && strstr(tc_why(), value), "line %d: wants \"%s\" and \"%s\" in: %s", line, field,
          value, tc_why());
    memset(&map, 0x5a, sizeof map);
    CHECK(tc_tmap_encode(&map, d) == TC_ERR_TMAP, "line %d: %s %s: encode takes it", line, field, value);
    for (i = 0; i < sizeof map; i++)
        if (((unsigned char *)&map)[i] != 0x5a) break;
    CHECK(i == sizeof map, "line %d: %s %s: encode writes the map all the same", line, field, value);
}

static void accepted(const tc_tmap_desc *d, int line)
{
    const tc_status st = tc_tmap_check(d);
    CHECK(st == TC_OK, "line %d: refused: %s", line, tc_why());
}

/* set: statements on a good description d */
#define REFUSED(field, value, set)                                                                                    \
    do { tc_tmap_desc d = good_map(); set; refused(&d, field, value, __LINE__); } while (0)
#define ACCEPTED(set) do { tc_tmap_desc d = good_map(); set; accepted(&d, __LINE__); } while (0)

static void test_tmap(void)
{
    static const int mapped[] = {TC_U8, TC_S8, TC_E4M3, TC_E5M2, TC_UE8M0, TC_UE4M3, TC_U16, TC_U32, TC_S32, TC_U64,
                                 TC_S64, TC_F16, TC_F32, TC_F64, TC_BF16,
                                 TC_TF32, TC_E2M1, TC_S4, TC_U4};
    static const int unmapped[] = {TC_TYPE_UNSET, TC_B1, TC_TYPE_COUNT, 99};
    tc_tmap map;
    tc_tmap_desc good = good_map();
    size_t i;
    tc_status st;
    for (i = 0; i < sizeof mapped / sizeof mapped[0]; i++)
        ACCEPTED(d.type = mapped[i]; d.box[0] = 1024u / (unsigned)tc_type_bits(d.type));
    for (i = 0; i < sizeof unmapped / sizeof unmapped[0]; i++) {
        char value[16];
        snprintf(value, sizeof value, "%d", unmapped[i]);
        REFUSED("type = ", value, d.type = unmapped[i]);
    }
    REFUSED("type", "b1", d.type = TC_B1);
    REFUSED("rank", "= 0 ", d.rank = 0);
    REFUSED("rank", "= 6 ", d.rank = 6);
    REFUSED("rank", "= -1 ", d.rank = -1);
    REFUSED("base", "null", d.base = 0);
    REFUSED("base = ", "16", d.base = tensor + 8);
    REFUSED("base = ", "16", d.base = tensor + 2);
    REFUSED("base = ", "32", d.base = tensor + 16; d.interleave = 32; d.swizzle = 32);
    ACCEPTED(d.base = tensor + 16);
    REFUSED("swizzle", "= 16 ", d.swizzle = 16);
    REFUSED("swizzle", "= 256 ", d.swizzle = 256);
    REFUSED("swizzle", "= -1 ", d.swizzle = -1);
    REFUSED("interleave", "= 8 ", d.interleave = 8);
    REFUSED("interleave", "= 64 ", d.interleave = 64);
    REFUSED("rank = 2", "interleave", d.rank = 2; d.interleave = 16);
    REFUSED("swizzle = 128", "interleave 32", d.interleave = 32);
    REFUSED("swizzle = 0", "interleave 32", d.interleave = 32; d.swizzle = 0);
    REFUSED("l2_promotion", "= 32 ", d.l2_promotion = 32);
    REFUSED("l2_promotion", "= 512 ", d.l2_promotion = 512);
    REFUSED("l2_promotion", "= 1 ", d.l2_promotion = 1);
    REFUSED("oob_nan", "s8", d.oob_nan = 1; d.type = TC_S8; d.box[0] = 128);
    REFUSED("oob_nan", "s32", d.oob_nan = 1; d.type = TC_S32; d.box[0] = 32);
    ACCEPTED(d.oob_nan = 1);
    REFUSED("dim[0]", "= 0 ", d.dim[0] = 0);
    REFUSED("dim[2]", "= 0 ", d.dim[2] = 0);
    REFUSED("dim[1]", "= 4294967297 ", d.dim[1] = 0x100000001ull);
    ACCEPTED(d.dim[1] = 0x100000000ull);
    ACCEPTED(d.dim[4] = 0); /* past the rank: not looked at */
    REFUSED("box[0]", "= 0 ", d.box[0] = 0);
    REFUSED("box[1]", "= 257 ", d.box[1] = 257);
    ACCEPTED(d.box[1] = 256);
    REFUSED("box[2]", "= 1000 ", d.box[2] = 1000);
    REFUSED("elem_stride[1]", "= 9 ", d.elem_stride[1] = 9);
    ACCEPTED(d.elem_stride[1] = 8);
    REFUSED("stride[0]", "= 250 ", d.stride[0] = 250);
    REFUSED("stride[1]", "= 12808 ", d.stride[1] = 12808);
    REFUSED("stride[0] = 272", "32", d.interleave = 32; d.swizzle = 32; d.stride[0] = 272);
    REFUSED("stride[1]", "= 1099511627776 ", d.stride[1] = (uint64_t)1 << 40);
    ACCEPTED(d.stride[1] = ((uint64_t)1 << 40) - 16);
    ACCEPTED(d.stride[2] = 7);
    REFUSED("box[0]", "= 60 ", d.box[0] = 60);
    REFUSED("box[0]", "= 120 bytes", d.box[0] = 60);
    REFUSED("box[0]", "= 72 ", d.box[0] = 72);
    REFUSED("box[0]", "64-byte", d.swizzle = 64);
    REFUSED("box[0]", "32-byte", d.swizzle = 32);
    ACCEPTED(d.swizzle = 64; d.box[0] = 32);
    ACCEPTED(d.swizzle = 32; d.box[0] = 16);
    ACCEPTED(d.swizzle = 0; d.box[0] = 256);
    ACCEPTED(d.rank = 1);
    ACCEPTED(d.rank = 5; d.dim[3] = d.dim[4] = 2; d.stride[2] = d.stride[3] = 65536; d.box[3] = d.box[4] = 1);
    ACCEPTED(d.l2_promotion = 64);
    ACCEPTED(d.l2_promotion = 256);
    /* a good one, where a driver is: made; elsewhere: the reason, and the map untouched */
    memset(&map, 0x5a, sizeof map);
    st = tc_tmap_encode(&map, &good);
    if (st == TC_ERR_DRIVER) {
        SKIP("tc_tmap_encode: %s", tc_why());
        CHECK(map.opaque[0] == 0x5a5a5a5a5a5a5a5aull, "the map was written without a driver");
    } else {
        CHECK(st == TC_OK, "tc_tmap_encode: %s", tc_why());
    }
    CHECK(sizeof(tc_tmap) == 128 && TC_WHY_SIZE >= 128, "a tensor map has %d bytes", (int)sizeof(tc_tmap));
}

/* ---- wgmma descriptors ---- */
static uint64_t bits_at(uint64_t x, int low, int count) { return x >> low & (((uint64_t)1 << count) - 1); }

static void test_desc(void)
{
    static const int swizzles[4] = {0, 32, 64, 128};
    static const unsigned modes[4] = {0, 3, 2, 1};
    int s, i;
    for (s = 0; s < 4; s++) {
        for (i = 0; i < 2000; i++) {
            tc_wgmma_desc_fields f;
            uint64_t d;
            f.addr = (uint32_t)test_int(0, 0x3fff) * 16;
            f.leading_bytes = (uint32_t)test_int(0, 0x3fff) * 16;
            f.stride_bytes = (uint32_t)test_int(0, 0x3fff) * 16;
            f.base_offset = test_int(0, 7);
            f.swizzle = swizzles[s];
            d = tc_wgmma_desc_make(f);
            CHECK(bits_at(d, 0, 14) == f.addr / 16, "addr %x in %016llx", f.addr, (unsigned long long)d);
            CHECK(bits_at(d, 16, 14) == f.leading_bytes / 16, "leading %x in %016llx", f.leading_bytes,
                  (unsigned long long)d);
            CHECK(bits_at(d, 32, 14) == f.stride_bytes / 16, "stride %x in %016llx", f.stride_bytes,
                  (unsigned long long)d);
            CHECK(bits_at(d, 49, 3) == (uint64_t)f.base_offset, "base offset %d in %016llx", f.base_offset,
                  (unsigned long long)d);
            CHECK(bits_at(d, 62, 2) == modes[s], "swizzle %d in %016llx", f.swizzle, (unsigned long long)d);
            CHECK(bits_at(d, 14, 2) == 0 && bits_at(d, 30, 2) == 0 && bits_at(d, 46, 3) == 0 && bits_at(d, 52, 10) == 0,
                  "stray bits in %016llx", (unsigned long long)d);
            if (!s) continue;
            f.leading_bytes = 16, f.stride_bytes = 8u * (unsigned)f.swizzle, f.base_offset = 0;
            CHECK(tc_wgmma_desc(f.addr, f.swizzle) == tc_wgmma_desc_make(f), "tc_wgmma_desc(%x, %d)", f.addr,
                  f.swizzle);
            /* a step of 16 elements of 16 bits */
            if (f.addr + 32 < 0x40000) {
                d = tc_wgmma_desc(f.addr, f.swizzle) + 2;
                CHECK(tc_wgmma_desc(f.addr + 32, f.swizzle) == d, "step of 32 bytes from %x", f.addr);
            }
        }
    }
    CHECK(tc_wgmma_desc(0x400, 128) == 0x4000004000010040ull, "tc_wgmma_desc(0x400, 128) = %016llx",
          (unsigned long long)tc_wgmma_desc(0x400, 128));
    CHECK(tc_wgmma_desc(0x200, 64) == 0x8000002000010020ull, "tc_wgmma_desc(0x200, 64) = %016llx",
          (unsigned long long)tc_wgmma_desc(0x200, 64));
    CHECK(tc_wgmma_desc(0x100, 32) == 0xc000001000010010ull, "tc_wgmma_desc(0x100, 32) = %016llx",
          (unsigned long long)tc_wgmma_desc(0x100, 32));
}

/* ---- fragments: every element of the matrix once ---- */
static void cover(const char *what, int threads, int count, int rows, int cols, int (*row)(int, int),
                  int (*col)(int, int))
{
    unsigned char seen[64 * 256];
    int t, i, bad = 0;
    memset(seen, 0, sizeof seen);
    for (t = 0; t < threads; t++)
        for (i = 0; i < count; i++) {
            const int r = row(t, i), c = col(t, i);
            if (r < 0 || r >= rows || c < 0 || c >= cols || seen[r * cols + c]++) bad++;
        }
    CHECK(bad == 0 && threads * count == rows * cols, "%s %d x %d: %d elements outside or twice", what, rows, cols,
          bad);
}

static int a_row(int t, int i) { return tc_frag_m16n8k16_a_row(t, i); }
static int a_col(int t, int i) { return tc_frag_m16n8k16_a_col(t, i); }
static int b_row(int t, int i) { return tc_frag_m16n8k16_b_row(t, i); }
static int b_col(int t, int i) { return tc_frag_m16n8k16_b_col(t, i); }
static int d_row(int t, int i) { return tc_frag_m16n8k16_d_row(t, i); }
static int d_col(int t, int i) { return tc_frag_m16n8k16_d_col(t, i); }
static int wd_row(int t, int i) { return tc_frag_wgmma_d_row(t, i); }
static int wd_col(int t, int i) { return tc_frag_wgmma_d_col(t, i); }

static void test_fragments(void)
{
    int n, t, i;
    cover("m16n8k16 a", 32, 8, 16, 16, a_row, a_col);
    cover("m16n8k16 b", 32, 4, 8, 16, b_row, b_col);
    cover("m16n8k16 d", 32, 4, 16, 8, d_row, d_col);
    for (n = 8; n <= 256; n += 8) cover("wgmma d", 128, n / 2, 64, n, wd_row, wd_col);
    for (t = 0; t < 128; t++) /* wgmma's D is mma's D, side by side and 16 rows a warp */
        for (i = 0; i < 128; i++)
            CHECK(wd_row(t, i) == t / 32 * 16 + d_row(t % 32, i % 4) && wd_col(t, i) == i / 4 * 8 + d_col(t % 32,
                      i % 4), "wgmma d thread %d register %d", t, i);
    for (t = 0; t < 32; t++) { /* the picture in tc_mma.h */
        const int g = t / 4, q = t % 4;
        for (i = 0; i < 2; i++) {
            CHECK(a_row(t, i) == g && a_col(t, i) == 2 * q + i, "a[0] of lane %d", t);
            CHECK(a_row(t, 2 + i) == g + 8 && a_col(t, 2 + i) == 2 * q + i, "a[1] of lane %d", t);
            CHECK(a_row(t, 4 + i) == g && a_col(t, 4 + i) == 2 * q + 8 + i, "a[2] of lane %d", t);
            CHECK(a_row(t, 6 + i) == g + 8 && a_col(t, 6 + i) == 2 * q + 8 + i, "a[3] of lane %d", t);
            CHECK(b_row(t, i) == g && b_col(t, i) == 2 * q + i, "b[0] of lane %d", t);
            CHECK(b_row(t, 2 + i) == g && b_col(t, 2 + i) == 2 * q + 8 + i, "b[1] of lane %d", t);
            CHECK(d_row(t, i) == g && d_col(t, i) == 2 * q + i, "d[0..1] of lane %d", t);
            CHECK(d_row(t, 2 + i) == g + 8 && d_col(t, 2 + i) == 2 * q + i, "d[2..3] of lane %d", t);
        }
    }
}

/* ---- tcgen05 descriptors of sm_107, bits by hand from the ISA's tables; chips ---- */
/* Is the chip a device of tcemu? Then a block of the table's size fits its multiprocessor, beside what the system has
 * of it. */
static int as_emulated(int chip)
{
    char name[16];
    const emu_device *d;
    snprintf(name, sizeof name, "sm_%d", chip);
    d = emu_device_find(name);
    if (!d) return 0;
    CHECK(tc_chip_smem(chip) + (int)d->smem_reserved == (int)d->smem_per_sm, "%s: %d + %d bytes of %d", name,
          tc_chip_smem(chip), (int)d->smem_reserved, (int)d->smem_per_sm);
    CHECK((int)d->blocks_per_sm * 32 <= tc_chip_threads(chip), "%s: %d blocks, %d threads", name,
          (int)d->blocks_per_sm, tc_chip_threads(chip));
    return 1;
}

static void test_sm107(void)
{
    int emulated = 0;
    static const struct { uint32_t want; int k; const char *text; tc_tcgen05_idesc_fields f; } good[] = {
        /* D f32 (bit 4), n / 8 at 17, m / 16 at 24, K at 29 */
        {0x28400010u, 64, "K of 64", {.kind = TC_KIND_F8F6F4, .m = 128, .n = 256, .a = TC_E4M3, .b = TC_E4M3,
                                      .d = TC_F32,
                                      .sm107 = 1, .k = 64}},
        {0x30400010u, 64, "K of 64", {.kind = TC_KIND_F8F6F4, .m = 256, .n = 256, .a = TC_E4M3, .b = TC_E4M3,
                                      .d = TC_F32,
                                      .cta_group = 2, .sm107 = 1, .k = 64}},
        /* D s32 (2 at 4), types 3 at 7 and 10 */
        {0x08200da0u, 16, "ti16", {.kind = TC_KIND_TI16, .m = 128, .n = 128, .a = TC_TI16, .b = TC_TI16, .d = TC_S32,
                                   .sm107 = 1}},
        /* K code 2: bit 3; scale 2 at 23 */
        {0x09200488u, 128, "ue5m3", {.kind = TC_KIND_MXF4NVF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1,
                                     .d = TC_F32,
                                     .scale = TC_UE5M3, .block = 16, .sm107 = 1, .k = 128}},
        /* K at 31, A's scales at 26, ue8m0 at 23 */
        {0x8ca00000u, 64, "A's in 128 lanes", {.kind = TC_KIND_MXF8F6F4, .m = 128, .n = 128, .a = TC_E4M3, .b = TC_E4M3,
                                               .d = TC_F32, .scale = TC_UE8M0, .sm107 = 1, .k = 64, .sfa_wide = 1}},
        /* sparse, K code 1: bit 31; single elements at 12 */
        {0x88a01484u, 192, "single elements", {.kind = TC_KIND_MXF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1,
                                               .d = TC_F32, .sparse = 1, .scale = TC_UE8M0, .sm107 = 1, .k = 96,
                                               .sp_single = 1}},
    };
    static const struct { int rule; const char *text; tc_tcgen05_idesc_fields f; } bad[] = {
        {22, "ti16 needs sm107", {.kind = TC_KIND_TI16, .m = 128, .n = 128, .a = TC_TI16, .b = TC_TI16, .d = TC_S32}},
        {22, "no i8", {.kind = TC_KIND_I8, .m = 128, .n = 128, .a = TC_S8, .b = TC_S8, .d = TC_S32, .sm107 = 1}},
        {23, "k is the kind's", {.kind = TC_KIND_F16, .m = 128, .n = 128, .a = TC_F16, .b = TC_F16, .d = TC_F32,
                                 .sm107 = 1, .k = 32}},
        {23, "128 with these if dense", {.kind = TC_KIND_MXF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1,
                                         .d = TC_F32,
                                         .sparse = 1, .scale = TC_UE8M0, .sm107 = 1, .k = 128, .sp_single = 1}},
        {24, "need sm107", {.kind = TC_KIND_F8F6F4, .m = 128, .n = 128, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
                            .k = 64}},
        {25, "m is 128", {.kind = TC_KIND_F8F6F4, .m = 64, .n = 128, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
                          .sm107 = 1,
                          .k = 64}},
        {26, "e4m3 and e5m2", {.kind = TC_KIND_F8F6F4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E4M3, .d = TC_F32,
                               .sm107 = 1, .k = 64}},
        {27, "sp_single is 1", {.kind = TC_KIND_MXF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1, .d = TC_F32,
                                .sparse = 1, .scale = TC_UE8M0, .sm107 = 1}},
        {28, "sfa_wide goes", {.kind = TC_KIND_MXF8F6F4, .m = 128, .n = 128, .a = TC_E4M3, .b = TC_E4M3, .d = TC_F32,
                               .scale = TC_UE8M0, .sfa_wide = 1}},
        {16, "sm107: or TC_UE5M3", {.kind = TC_KIND_MXF4NVF4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E2M1,
                                    .d = TC_F32,
                                    .scale = TC_UE5M3}},
        {8, "ti16 with m = 128: steps of 16", {.kind = TC_KIND_TI16, .m = 128, .n = 8, .a = TC_TI16, .b = TC_TI16,
                                               .d = TC_S32, .sm107 = 1}},
    };
    tc_tcgen05_desc_fields d = {.addr = 0x50000, .stride_bytes = 1024, .swizzle = 128, .wide = 1, .lut_half = 1};
    char text[256];
    size_t i;
    for (i = 0; i < sizeof good / sizeof *good; i++) {
        const uint32_t got = tc_tcgen05_idesc_make(good[i].f);
        CHECK(tc_tcgen05_idesc_check(&good[i].f) == TC_OK, "%d: %s", (int)i, tc_why());
        CHECK(got == good[i].want, "%d: 0x%08x, not 0x%08x", (int)i, (unsigned)got, (unsigned)good[i].want);
        CHECK(tc_tcgen05_idesc_k(good[i].f) == good[i].k, "%d: K of %d", (int)i, tc_tcgen05_idesc_k(good[i].f));
        tc_tcgen05_idesc_text(text, sizeof text, good[i].f.kind, 0, got);
        CHECK(strstr(text, good[i].text) != NULL, "%d: \"%s\" lacks %s", (int)i, text, good[i].text);
    }
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(tc_tcgen05_idesc_rule(bad[i].f) == bad[i].rule, "%d: rule %d", (int)i, tc_tcgen05_idesc_rule(bad[i].f));
        CHECK(tc_tcgen05_idesc_check(&bad[i].f) == TC_ERR_DESC && strstr(tc_why(), bad[i].text), "%d: %s", (int)i,
              tc_why());
    }
    /* fp6 and fp4 in bytes of their own, or tight */
    {
        tc_tcgen05_idesc_fields f = {.kind = TC_KIND_MXF8F6F4, .m = 128, .n = 128, .a = TC_E2M1, .b = TC_E3M2,
                                     .d = TC_F32, .scale = TC_UE8M0, .sm107 = 1};
        CHECK(tc_tcgen05_idesc_padded(f, TC_E2M1) && tc_tcgen05_idesc_map_check(&f, TC_E3M2, 1) == TC_OK, "K of 32");
        CHECK(tc_tcgen05_idesc_map_check(&f, TC_E2M1, 0) == TC_ERR_DESC
                  && !strcmp(tc_why(), "padded = 0, but kind mxf8f6f4 with k = 32 reads e2m1 from bytes of their own"),
              "%s", tc_why());
        f.k = 64;
        CHECK(!tc_tcgen05_idesc_padded(f, TC_E2M1) && tc_tcgen05_idesc_map_check(&f, TC_E2M1, 0) == TC_OK, "K of 64");
        CHECK(tc_tcgen05_idesc_map_check(&f, TC_E3M2, 1) == TC_ERR_DESC
                  && !strcmp(tc_why(), "padded = 1, but kind mxf8f6f4 with k = 64 reads e3m2 packed tight"),
              "%s", tc_why());
        CHECK(tc_tcgen05_idesc_map_check(&f, TC_E4M3, 0) == TC_ERR_DESC && strstr(tc_why(), "neither A's"), "%s",
              tc_why());
        f.sparse = 1;
        CHECK(tc_tcgen05_idesc_padded(f, TC_E2M1), "sparse");
        f.kind = TC_KIND_MXF4, f.sparse = 0, f.b = TC_E2M1;
        CHECK(!tc_tcgen05_idesc_padded(f, TC_E2M1), "mxf4");
    }
    /* 15 bits of address, half of the indices at 53 */
    CHECK(tc_tcgen05_desc_check(&d) == TC_OK, "%s", tc_why());
    CHECK(tc_tcgen05_desc_make(d) == (0x5000ull | 64ull << 32 | 1ull << 46 | 1ull << 53 | 2ull << 61), "0x%llx",
          (unsigned long long)tc_tcgen05_desc_make(d));
    CHECK(tc_tcgen05_desc(0x50000, 128) == (0x5000ull | 1ull << 16 | 64ull << 32 | 1ull << 46 | 2ull << 61), "desc");
    tc_tcgen05_desc_text(text, sizeof text, tc_tcgen05_desc_make(d));
    CHECK(strstr(text, "start 0x50000") && strstr(text, "sm_107 alone") && strstr(text, "second half"), "%s", text);
    d.wide = 0;
    CHECK(tc_tcgen05_desc_check(&d) == TC_ERR_DESC && strstr(tc_why(), "below 2^18"), "%s", tc_why());
    d.wide = 1, d.addr = 0x80000;
    CHECK(tc_tcgen05_desc_check(&d) == TC_ERR_DESC && strstr(tc_why(), "below 2^19"), "%s", tc_why());
    CHECK(tc_spcompress_desc(TC_SP_MAXABS, TC_E4M3) == 13u && tc_spcompress_desc(TC_SP_MAX, TC_F32) == 0xfffffffcu,
          "spcompress");
    /* the chips */
    CHECK(tc_chip_smem(107) == 327 * 1024 && tc_chip_smem(90) == 227 * 1024 && tc_chip_smem(42) == 0, "smem");
    CHECK(tc_chip_tmem_columns(107) == 576 && tc_chip_tmem_columns(100) == 512 && !tc_chip_tmem_columns(120),
          "columns");
    CHECK(tc_target_runs(100, 'f', 107) && tc_target_runs(103, 'f', 107) && !tc_target_runs(107, 'f', 103), "families");
    CHECK(!tc_target_runs(100, 'f', 110) && tc_target_runs(120, 'f', 121) && !tc_target_runs(90, 'f', 90), "families");
    CHECK(!tc_target_runs(100, 'a', 103) && tc_target_runs(90, 'a', 90) && tc_target_runs(80, 0, 121), "targets");
    CHECK(tc_target_has(107, 'f', TC_FEATURE_TCGEN05_107) && !tc_target_has(103, 'a', TC_FEATURE_TCGEN05_107), "107");
    CHECK(!tc_target_has(107, 'a', TC_FEATURE_TCGEN05_I8) && !tc_target_has(107, 0, TC_FEATURE_TCGEN05), "107");
    CHECK(tc_target_has(107, 'a', TC_FEATURE_SPCOMPRESS) && !tc_target_has(107, 'f', TC_FEATURE_SPCOMPRESS), "107");
    CHECK(tc_chip_threads(107) == 1024 && tc_chip_threads(90) == 2048 && tc_chip_threads(89) == 1536, "threads");
    CHECK(tc_chip_cluster(90) == 16 && tc_chip_cluster(120) == 8 && tc_chip_cluster(89) == 1, "clusters");
    CHECK(TC_CHIP_107_SMEM == tc_chip_smem(107) && TC_CHIP_107_TMEM == tc_chip_tmem_columns(107)
              && TC_CHIP_89_THREADS == tc_chip_threads(89) && TC_CHIP_120_CLUSTER == tc_chip_cluster(120), "constants");
    /* tcemu's devices read the table */
#define TC__X(cc, ...) emulated += as_emulated(cc);
    TC_CHIPS(TC__X)
#undef TC__X
    CHECK(emulated >= 11, "tcemu has %d of the table's chips", emulated);
}

int main(void)
{
    CHECK(tc_why()[0] == 0, "tc_why is \"%s\" before any failure", tc_why());
    test_seed(1);
    test_swizzle();
    test_conversions();
    test_tables();
    test_tmap();
    test_desc();
    test_fragments();
    test_sm107();
    return test_end();
}
