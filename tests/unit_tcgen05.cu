/* unit_tcgen05.cu - tests of tc_tcgen05.h: descriptors and layout functions on the host; on sm_100, 103 and 110 (a GPU,
 * or tcemu) every shape of ld, st and cp, and every kind and form of mma, against the layout functions. Operands are
 * small whole numbers: results are exact. */
#include "../tc_tcgen05.h"
#include "../tc_tma.h"
#include "test.h"

/* ---- Host: descriptors ---- */

static void test_idesc(void)
{
    /* kind, m, n, a, b, d, trans_a, trans_b, scale, group, and the bits: the same as another implementation's for the
     * same problem */
    static const struct { int kind, m, n, a, b, d, ta, tb, scale, group; uint32_t bits; } known[] = {
        {TC_KIND_F16, 128, 256, TC_BF16, TC_BF16, TC_F32, 0, 0, 0, 1, 0x08400490u},
        {TC_KIND_F16, 256, 128, TC_F16, TC_F16, TC_F16, 0, 1, 0, 2, 0x10210000u},
        {TC_KIND_TF32, 64, 8, TC_TF32, TC_TF32, TC_F32, 1, 0, 0, 1, 0x04028910u},
        {TC_KIND_F8F6F4, 128, 64, TC_E4M3, TC_E5M2, TC_F32, 0, 0, 0, 1, 0x08100410u},
        {TC_KIND_F8F6F4, 128, 16, TC_E2M1, TC_E3M2, TC_F16, 0, 0, 0, 1, 0x08041280u},
        {TC_KIND_I8, 128, 48, TC_S8, TC_U8, TC_S32, 0, 0, 0, 1, 0x080c00a0u},
        {TC_KIND_MXF8F6F4, 128, 256, TC_E4M3, TC_E2M3, TC_F32, 0, 0, TC_UE8M0, 1, 0x08c00c00u},
        {TC_KIND_MXF4, 256, 32, TC_E2M1, TC_E2M1, TC_F32, 0, 0, TC_UE8M0, 2, 0x10880480u},
        {TC_KIND_MXF4NVF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, TC_UE4M3, 1, 0x08200480u},
        /* those of examples 30 and 31 */
        {TC_KIND_F16, 128, 256, TC_F16, TC_F16, TC_F32, 0, 0, 0, 1, 0x08400010u},
        {TC_KIND_TF32, 128, 256, TC_TF32, TC_TF32, TC_F32, 0, 0, 0, 1, 0x08400910u},
        {TC_KIND_F8F6F4, 128, 256, TC_E4M3, TC_E4M3, TC_F32, 0, 0, 0, 1, 0x08400010u},
        {TC_KIND_F16, 256, 256, TC_BF16, TC_BF16, TC_F32, 0, 0, 0, 2, 0x10400490u},
        {TC_KIND_F16, 256, 256, TC_F16, TC_F16, TC_F32, 0, 0, 0, 2, 0x10400010u},
        {TC_KIND_TF32, 256, 256, TC_TF32, TC_TF32, TC_F32, 0, 0, 0, 2, 0x10400910u},
        {TC_KIND_F8F6F4, 256, 256, TC_E4M3, TC_E4M3, TC_F32, 0, 0, 0, 2, 0x10400010u},
        {TC_KIND_MXF4NVF4, 256, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, TC_UE4M3, 2, 0x10200480u},
    };
    char text[256];
    tc_tcgen05_idesc_fields f;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        memset(&f, 0, sizeof f);
        f.kind = known[i].kind, f.m = known[i].m, f.n = known[i].n, f.a = known[i].a, f.b = known[i].b,
            f.d = known[i].d;
        f.trans_a = known[i].ta, f.trans_b = known[i].tb, f.scale = known[i].scale, f.cta_group = known[i].group;
        CHECK(tc_tcgen05_idesc_check(&f) == TC_OK, "%d: %s", (int)i, tc_why());
        CHECK(tc_tcgen05_idesc_make(f) == known[i].bits, "%d: 0x%08x, not 0x%08x", (int)i, tc_tcgen05_idesc_make(f),
              known[i].bits);
    }
    CHECK(!strcmp(tc_tcgen05_idesc_text(text, sizeof text, TC_KIND_F16, 0, 0x08400490u),
                  "kind::f16: D f32, 128 x 256 = A bf16 K-major * B bf16 K-major"), "%s", text);
    CHECK(!strcmp(tc_tcgen05_idesc_text(text, sizeof text, TC_KIND_MXF4NVF4, 0, 0x08200480u),
                  "kind::mxf4nvf4: D f32, 128 x 128 = A e2m1 K-major * B e2m1 K-major, scales ue4m3, ids 0 and 0"),
                  "%s", text);
    CHECK(!strcmp(tc_tcgen05_idesc_text(text, sizeof text, TC_KIND_F8F6F4, 1, 0x84102f94u),
                  "kind::f8f6f4: D f32, 64 x 64 = -A ? K-major * B e2m3 K-major, A sparse (selector 0), shift up "
                  "to 16"), "%s", text);
}

/* Each rule is broken once, and the sentence names the field. */
static void test_idesc_rules(void)
{
    /* one row a line */
    static const struct { int rule; const char *word; tc_tcgen05_idesc_fields f; } bad[] = {
        /* kind, m, n, a, b, d, trans, trans, neg, neg, sat, sparse, sel, shift, scale, ids, k96, group, ws, block */
        {1, "kind", {0, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {2, "a and b", {TC_KIND_F16, 128, 128, TC_E4M3, TC_E4M3, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {3, "same type", {TC_KIND_F16, 128, 128, TC_F16, TC_BF16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {4, "d is", {TC_KIND_F16, 128, 128, TC_BF16, TC_BF16, TC_F16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {5, "cta_group", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0}},
        {6, "ws", {TC_KIND_MXF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE8M0, 0, 0, 0, 1, 1, 0}},
        {7, "m is", {TC_KIND_F16, 256, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {7, "m is", {TC_KIND_MXF4, 64, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE8M0, 0, 0, 0, 1, 0, 0}},
        {8, "n is", {TC_KIND_F16, 128, 260, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {8, "n is", {TC_KIND_F16, 256, 24, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}},
        {8, "n is", {TC_KIND_I8, 128, 40, TC_S8, TC_S8, TC_S32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {9, "trans_a", {TC_KIND_F8F6F4, 128, 128, TC_E2M1, TC_E4M3, TC_F32, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {10, "trans_b", {TC_KIND_F8F6F4, 128, 128, TC_E4M3, TC_E3M2, TC_F32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {11, "multiple of 16", {TC_KIND_F8F6F4, 128, 24, TC_E4M3, TC_E4M3, TC_F32, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {12, "saturate", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {13, "negate", {TC_KIND_I8, 128, 128, TC_S8, TC_S8, TC_S32, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0}},
        {14, "selector", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0}},
        {15, "max_shift", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0, 0}},
        {16, "scale", {TC_KIND_MXF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE4M3, 0, 0, 0, 1, 0, 0}},
        {17, "block is 16", {TC_KIND_MXF4NVF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE4M3, 0, 0, 0, 1, 0, 32}},
        {18, "block is 32", {TC_KIND_MXF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE8M0, 0, 0, 0, 1, 0, 16}},
        {19, "sfa_id", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0}},
        {20, "sfa_id", {TC_KIND_MXF4, 128, 128, TC_E2M1, TC_E2M1, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, TC_UE8M0, 1, 0, 0, 1, 0, 0}},
        {21, "k96", {TC_KIND_F16, 128, 128, TC_F16, TC_F16, TC_F32, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK(tc_tcgen05_idesc_rule(bad[i].f) == bad[i].rule, "%d: rule %d, not %d", (int)i,
              tc_tcgen05_idesc_rule(bad[i].f), bad[i].rule);
        CHECK(tc_tcgen05_idesc_check(&bad[i].f) == TC_ERR_DESC && strstr(tc_why(), bad[i].word), "%d: %s", (int)i,
              tc_why());
    }
}

static void test_desc(void)
{
    char text[256];
    tc_tcgen05_desc_fields f = {0x1400, 16, 1024, 0, 0, 128, 0}, g;
    CHECK(tc_tcgen05_desc_make(f) == 0x4000404000010140ull, "0x%llx", (unsigned long long)tc_tcgen05_desc_make(f));
    CHECK(tc_tcgen05_desc(0x1400, 128) == tc_tcgen05_desc_make(f), "the short form");
    const tc_tcgen05_desc_fields mn = {0x1400, 2048, 512, 0, 0, 64, 0}, sf = {0x1400, 16, 128, 0, 0, 0, 0};
    CHECK(tc_tcgen05_desc_mn(0x1400, 64, 2048) == tc_tcgen05_desc_make(mn), "the short form, MN-major");
    CHECK(tc_tcgen05_desc_scales(0x1400) == tc_tcgen05_desc_make(sf), "the short form for scales");
    CHECK(tc_tcgen05_desc_advance(tc_tcgen05_desc(0x1400, 128), 32) == tc_tcgen05_desc(0x1400, 128) + 2, "advance");
    CHECK(!strcmp(tc_tcgen05_desc_text(text, sizeof text, tc_tcgen05_desc_make(f)),
                  "start 0x1400, LBO 16, SBO 1024, 128-byte swizzle, base offset 0"), "%s", text);
    tc_tcgen05_desc_text(text, sizeof text, 0x4000004000010140ull);
    CHECK(strstr(text, "wgmma's format"), "%s", text);
    for (int i = 0; i < 5; i++) {
        static const int code[5] = {0, 6, 4, 2, 1}, width[5] = {0, 32, 64, 128, 128};
        f.swizzle = width[i], f.base32 = i == 4;
        CHECK((int)(tc_tcgen05_desc_make(f) >> 61) == code[i], "swizzle %d", width[i]);
    }
    static const struct { const char *word; tc_tcgen05_desc_fields f; } bad[] = {
        {"addr", {8, 16, 1024, 0, 0, 128, 0}}, {"addr", {0x40000, 16, 1024, 0, 0, 128, 0}},
        {"leading_bytes", {0, 8, 1024, 0, 0, 128, 0}},
        {"stride_bytes", {0, 16, 0x40000, 0, 0, 128, 0}}, {"swizzle", {0, 16, 1024, 0, 0, 96, 0}},
        {"base32", {0, 16, 1024, 0, 0, 64, 1}},
        {"base_offset", {0, 16, 1024, 8, 0, 128, 0}}, {"base_offset", {0, 16, 1024, 1, 0, 0, 0}},
        {"leading_absolute", {0, 16, 1024, 0, 1, 64, 0}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        g = bad[i].f;
        CHECK(tc_tcgen05_desc_check(&g) == TC_ERR_DESC && strstr(tc_why(), bad[i].word), "%d: %s", (int)i, tc_why());
    }
    f.swizzle = 128, f.base32 = 0;
    CHECK(tc_tcgen05_desc_check(&f) == TC_OK, "%s", tc_why());
    CHECK(!strcmp(tc_tcgen05_taddr_text(text, sizeof text, tc_tcgen05_taddr(32, 200)), "lane 32, column 200"), "%s",
          text);
    const tc_tcgen05_zero_mask_fields z = {{1, 2, 3, 4}, {1, 0, 1, 0}, 3, 5, 8};
    CHECK(tc_tcgen05_zero_mask_check(&z) == TC_OK, "%s", tc_why());
    CHECK(tc_tcgen05_zero_mask_make(z) == 0x0804028504030201ull, "0x%llx",
          (unsigned long long)tc_tcgen05_zero_mask_make(z));
}

/* D's layouts there and back, no cell twice; the swizzled K-major layout is the swizzle of tc_swizzle.h. */
static void test_layouts(void)
{
    static const struct { int m, n, g, sp, ws; } form[] = {{128, 256, 1, 0, 0}, {64, 128, 1, 0, 0}, {256, 256, 2, 0, 0},
                                                           {128, 256, 2, 0, 0},
                                                           {128, 64, 2, 1, 0}, {32, 256, 1, 0, 1}, {64, 128, 1, 0, 1},
                                                           {128, 64, 1, 0, 1}};
    static uint8_t seen[2][128][512];
    const tc_tcgen05_desc_fields f = {0, 16, 1024, 0, 0, 128, 0};
    for (size_t i = 0; i < sizeof form / sizeof form[0]; i++) {
        const int m = form[i].m, n = form[i].n, g = form[i].g, sp = form[i].sp, ws = form[i].ws;
        int good = 1;
        memset(seen, 0, sizeof seen);
        for (int r = 0; r < m; r++)
            for (int c = 0; c < n; c++) {
                const int cta = tc_tcgen05_d_cta(m, g, r), lane = tc_tcgen05_d_lane(m, n, g, sp, ws, r, c),
                          col = tc_tcgen05_d_column(m, n, g, sp, ws, c);
                good &= cta < g && lane < 128 && col < 512 && !seen[cta][lane][col]++;
                good &= tc_tcgen05_d_row(m, g, sp, ws, cta, lane) == r
                    && tc_tcgen05_d_col(m, n, g, sp, ws, lane, col) == c;
            }
        CHECK(good, "m %d n %d group %d sp %d ws %d", m, n, g, sp, ws);
    }
    CHECK(tc_tcgen05_d_row(64, 1, 0, 0, 0, 16) == -1, "M = 64 does not use lane 16");
    for (int r = 0; r < 64; r++)
        for (int k = 0; k < 64; k++)
            CHECK(tc_tcgen05_k_major_at(f, TC_BF16, 0, r, k) == tc_tile_offset(128, (uint32_t)r, (uint32_t)k * 2),
                  "row %d k %d", r, k);
    CHECK(tc_tcgen05_k(TC_KIND_MXF4, 1, 0) == 128 && tc_tcgen05_k(TC_KIND_TF32, 0, 0) == 8
          && tc_tcgen05_k(TC_KIND_MXF4NVF4, 0, 1) == 96, "K");
}

/* Descriptors and places of elements in the canonical layouts, 128 rows: the same as another implementation's. */
static void test_known_layouts(void)
{
    static const int row[5] = {13, 39, 65, 104, 117}, k[5] = {7, 14, 0, 7, 14};
    static const struct { const char *name; int type, mn; uint64_t desc; uint32_t at[5]; } known[] = {
        {"bf16 K SW128", TC_BF16, 0, 0x4000404000010000ull, {1758, 5100, 8336, 13326, 15052}},
        {"bf16 K SW64", TC_BF16, 0, 0x8000402000010000ull, {878, 2540, 4160, 6670, 7548}},
        {"bf16 K SW32", TC_BF16, 0, 0xc000401000010000ull, {446, 1260, 2080, 3342, 3756}},
        {"bf16 K no swizzle", TC_BF16, 0, 0x0000400800800000ull, {222, 2684, 1040, 1678, 3932}},
        {"bf16 MN SW128", TC_BF16, 1, 0x4000408000400000ull, {1002, 2862, 1026, 1952, 3850}},
        {"bf16 MN SW64", TC_BF16, 1, 0x8000408000200000ull, {490, 3006, 1026, 2016, 3994}},
        {"bf16 MN SW32", TC_BF16, 1, 0xc000408000100000ull, {234, 2782, 1026, 1760, 4058}},
        {"bf16 MN no swizzle", TC_BF16, 1, 0x0000400800800000ull, {250, 2670, 1026, 1776, 3946}},
        {"tf32 MN SW128, atoms of 32", TC_TF32, 1, 0x2000408000200000ull, {2516, 7004, 1028, 4032, 7956}},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        static const int swizzle[8] = {0, 128, 128, 0, 64, 0, 32, 0};
        tc_tcgen05_desc_fields f;
        memset(&f, 0, sizeof f);
        f.leading_bytes = (uint32_t)(known[i].desc >> 16 & 0x3fff) << 4,
            f.stride_bytes = (uint32_t)(known[i].desc >> 32 & 0x3fff) << 4;
        f.swizzle = swizzle[known[i].desc >> 61], f.base32 = known[i].desc >> 61 == 1;
        CHECK(tc_tcgen05_desc_make(f) == known[i].desc, "%s", known[i].name);
        for (int e = 0; e < 5; e++) {
            const uint32_t at = known[i].mn ? tc_tcgen05_mn_major_at(f, known[i].type, row[e], k[e])
                           : tc_tcgen05_k_major_at(f, known[i].type, 0, row[e], k[e]);
            CHECK(at == known[i].at[e], "%s (%d, %d): %u, not %u", known[i].name, row[e], k[e], at, known[i].at[e]);
        }
    }
    CHECK(tc_tcgen05_desc(0, 128) == known[0].desc && tc_tcgen05_desc(0, 64) == known[1].desc
          && tc_tcgen05_desc(0, 32) == known[2].desc, "the short form");
}

/* ---- Device ---- */

/* one mma: what shared and tensor memory of each CTA hold before, and what tensor memory holds after */
typedef struct mma_args {
    const uint32_t *smem, *tmem_in;
    uint32_t *tmem_out;
    uint32_t smem_bytes;
    uint64_t a, b, zero; /* descriptors without the base of dynamic shared memory */
    uint32_t idesc, d, at, meta, sfa, sfb, enable, lanes[8];
} mma_args;

#if TC_HAS_SM100A
/* All 512 columns of this warp's lanes, from and to global memory [128][512]. */
TC_DEV void tmem_write(uint32_t tmem, const uint32_t *from)
{
    for (int c = 0; c < 512; c += 16) {
        uint32_t r[16];
#pragma unroll
        for (int i = 0; i < 16; i++) r[i] = from[threadIdx.x * 512 + c + i];
        TC_TCGEN05_ST(32x32b, x16, tmem + tc_tcgen05_taddr((int)threadIdx.x / 32 * 32, c), r);
    }
    tc_tcgen05_wait_st();
}
TC_DEV void tmem_read(uint32_t *to, uint32_t tmem)
{
    for (int c = 0; c < 512; c += 16) {
        uint32_t r[16];
        TC_TCGEN05_LD(32x32b, x16, r, tmem + tc_tcgen05_taddr((int)threadIdx.x / 32 * 32, c));
        tc_tcgen05_wait_ld_regs(r, 16);
#pragma unroll
        for (int i = 0; i < 16; i++) to[threadIdx.x * 512 + c + i] = r[i];
    }
}
#define SYNC(g)                                                                                         \
    do {                                                                                                \
        tc_tcgen05_fence_before_thread_sync();                                                          \
        if (g == 2) tc_cluster_sync(); else __syncthreads();                                            \
        tc_tcgen05_fence_after_thread_sync();                                                           \
    } while (0)
/* 128 threads: fills both memories, runs STATEMENT in one thread, reads tensor memory back. */
#define BODY(g, STATEMENT)                                                                              \
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];                                      \
    __shared__ TC_ALIGN(8) uint64_t bar;                                                                \
    __shared__ uint32_t slot;                                                                           \
    const uint32_t base = tc_smem_u32(dynamic_smem), rank = g == 2 ? tc_cluster_ctarank() : 0;          \
    if (threadIdx.x < 32) TC_TCGEN05_ALLOC(g, tc_smem_u32(&slot), 512);                                 \
    if (threadIdx.x == 0) {                                                                             \
        tc_mbarrier_init(tc_smem_u32(&bar), 1);                                                         \
        tc_fence_mbarrier_init();                                                                       \
    }                                                                                                   \
    for (uint32_t i = threadIdx.x; i < p.smem_bytes / 4; i += 128)                                      \
        ((uint32_t *)dynamic_smem)[i] = p.smem[rank * (p.smem_bytes / 4) + i];                          \
    tc_fence_proxy_async_shared();                                                                      \
    SYNC(g);                                                                                            \
    const uint32_t t = slot;                                                                            \
    tmem_write(t, p.tmem_in + rank * 65536);                                                            \
    SYNC(g);                                                                                            \
    if (threadIdx.x == 0 && rank == 0) {                                                                \
        const uint64_t a = p.a + (base >> 4), b = p.b + (base >> 4);                                    \
        (void)a, (void)b;                                                                               \
        STATEMENT;                                                                                      \
        if (g == 2) TC_TCGEN05_COMMIT_MULTICAST(g, tc_smem_u32(&bar), 3);                               \
        else TC_TCGEN05_COMMIT(g, tc_smem_u32(&bar));                                                   \
    }                                                                                                   \
    TC_MBARRIER_WAIT(tc_smem_u32(&bar), 0, "mma", 0);                                                   \
    tc_tcgen05_fence_after_thread_sync();                                                               \
    tmem_read(p.tmem_out + rank * 65536, t);                                                            \
    SYNC(g);                                                                                            \
    if (threadIdx.x < 32) TC_TCGEN05_DEALLOC(g, t, 512);
#else
#define BODY(g, STATEMENT) (void)p;
#endif
#define KERNEL(name, g, STATEMENT) \
    static __global__ void __launch_bounds__(128, 1) name(const __grid_constant__ mma_args p) { BODY(g, STATEMENT) }
/* the same name where the target does not have the instruction */
#define STUB(name, g, STATEMENT) \
    static __global__ void name(const __grid_constant__ mma_args p) { (void)p; }

/* the dense and sparse forms of a kind in both groups; the others once for each form */
#define KIND_KERNELS(KERNEL, kind)                                                                                    \
    KERNEL(ss1_##kind, 1, TC_TCGEN05_MMA_SS(1, kind, t + p.d, a, b, p.idesc, p.enable))                               \
    KERNEL(ts1_##kind, 1, TC_TCGEN05_MMA_TS(1, kind, t + p.d, t + p.at, b, p.idesc, p.enable))                        \
    KERNEL(ss2_##kind, 2, TC_TCGEN05_MMA_SS(2, kind, t + p.d, a, b, p.idesc, p.enable))                               \
    KERNEL(ts2_##kind, 2, TC_TCGEN05_MMA_TS(2, kind, t + p.d, t + p.at, b, p.idesc, p.enable))                        \
    KERNEL(sp1_##kind, 1, TC_TCGEN05_MMA_SP_SS(1, kind, t + p.d, a, b, t + p.meta, p.idesc, p.enable))                \
    KERNEL(sp2_##kind, 2, TC_TCGEN05_MMA_SP_SS(2, kind, t + p.d, a, b, t + p.meta, p.idesc, p.enable))                \
    KERNEL(spt1_##kind, 1, TC_TCGEN05_MMA_SP_TS(1, kind, t + p.d, t + p.at, b, t + p.meta, p.idesc, p.enable))        \
    KERNEL(ws_##kind, 1, TC_TCGEN05_MMA_WS_SS(1, kind.collector::b0::fill, t + p.d, a, b, p.idesc, p.enable))         \
    KERNEL(wst_##kind, 1, TC_TCGEN05_MMA_WS_TS(1, kind, t + p.d, t + p.at, b, p.idesc, p.enable))                     \
    KERNEL(wsp_##kind, 1, TC_TCGEN05_MMA_WS_SP_SS(1, kind, t + p.d, a, b, t + p.meta, p.idesc, p.enable))
KIND_KERNELS(KERNEL, f16)
KIND_KERNELS(KERNEL, tf32)
KIND_KERNELS(KERNEL, f8f6f4)
#define BLOCK_KERNELS(KERNEL_SP, name, kind)                                                                          \
    KERNEL(ss1_##name, 1, TC_TCGEN05_MMA_SS_BLOCK(1, kind, t + p.d, a, b, p.idesc, t + p.sfa, t + p.sfb, p.enable))   \
    KERNEL(ss2_##name, 2, TC_TCGEN05_MMA_SS_BLOCK(2, kind, t + p.d, a, b, p.idesc, t + p.sfa, t + p.sfb, p.enable))   \
    KERNEL(ts1_##name, 1, TC_TCGEN05_MMA_TS_BLOCK(1, kind, t + p.d, t + p.at, b, p.idesc, t + p.sfa, t + p.sfb,       \
                                                  p.enable))                                                          \
    KERNEL_SP(sp1_##name, 1, TC_TCGEN05_MMA_SP_SS_BLOCK(1, kind, t + p.d, a, b, t + p.meta, p.idesc, t + p.sfa,       \
                                                        t + p.sfb, p.enable))
#if !TC_HAS_SM100A || TC_HAS_TCGEN05_A
#define KERNEL_A KERNEL
#else
#define KERNEL_A STUB
#endif
BLOCK_KERNELS(KERNEL, mxf8, mxf8f6f4.block_scale)
BLOCK_KERNELS(KERNEL_A, mxf4, mxf4.block_scale.block32)
BLOCK_KERNELS(KERNEL_A, nvf4, mxf4nvf4.block_scale.block16)
KERNEL(lanes1_f16, 1, TC_TCGEN05_MMA_SS_LANES(1, f16, t + p.d, a, b, p.idesc, p.lanes, p.enable))
KERNEL(lanes2_f16, 2, TC_TCGEN05_MMA_SS_LANES(2, f16, t + p.d, a, b, p.idesc, p.lanes, p.enable))
KERNEL(sp_lanes1_f16, 1, TC_TCGEN05_MMA_SP_SS_LANES(1, f16, t + p.d, a, b, t + p.meta, p.idesc, p.lanes, p.enable))
KERNEL(sp_lanes2_f16, 2, TC_TCGEN05_MMA_SP_SS_LANES(2, f16, t + p.d, a, b, t + p.meta, p.idesc, p.lanes, p.enable))
KERNEL(ts_lanes2_f16, 2, TC_TCGEN05_MMA_TS_LANES(2, f16, t + p.d, t + p.at, b, p.idesc, p.lanes, p.enable))
KERNEL(zero_f16, 1, TC_TCGEN05_MMA_WS_SS_ZERO(1, f16, t + p.d, a, b, p.idesc, p.enable, p.zero))
#if !TC_HAS_SM100A || TC_HAS_TCGEN05_SCALE_D
KERNEL(scale_f16, 1, TC_TCGEN05_MMA_SS_SCALE(1, f16, t + p.d, a, b, p.idesc, p.enable, 3))
#else
STUB(scale_f16, 1, 0)
#endif
#if !TC_HAS_SM100A || TC_HAS_TCGEN05_I8
KIND_KERNELS(KERNEL, i8)
#else
KIND_KERNELS(STUB, i8)
#endif

/* ---- Reference of an mma: operands of -2..2 placed by the layout functions, D expected in the places that they name
 * ---- */

enum { SMEM = 96 * 1024, B_AT = 48 * 1024, SLACK = 1024 };

/* The code of a whole number in -2..2 (0..2 for u8) */
static uint32_t code_of(int type, int v)
{
    static const struct { int type; uint32_t one, two, sign; } t[] = {
        {TC_F16, 0x3c00, 0x4000, 0x8000}, {TC_BF16, 0x3f80, 0x4000, 0x8000},
        {TC_TF32, 0x3f800000u, 0x40000000u, 0x80000000u}, {TC_F32, 0x3f800000u, 0x40000000u, 0x80000000u},
        {TC_E4M3, 0x38, 0x40, 0x80}, {TC_E5M2, 0x3c, 0x40, 0x80}, {TC_E3M2, 0x0c, 0x10, 0x20},
        {TC_E2M3, 0x08, 0x10, 0x20}, {TC_E2M1, 2, 4, 8}, {TC_UE8M0, 127, 128, 0}, {TC_UE4M3, 0x38, 0x40, 0},
    };
    if (type == TC_S8 || type == TC_U8) return (uint32_t)v & 255u;
    for (size_t i = 0; i < sizeof t / sizeof t[0]; i++)
        if (t[i].type == type) return (v < 0 ? t[i].sign : 0) | (v == 0 ? 0 : v * v == 1 ? t[i].one : t[i].two);
    return 0;
}
static void put(uint8_t *image, uint32_t byte, int bit, int bits, uint32_t code)
{
    for (int i = 0; i < bits; i++, bit++) {
        uint8_t *at = image + byte + bit / 8;
        *at = (uint8_t)((*at & ~(1 << bit % 8)) | (code >> i & 1) << bit % 8);
    }
}

typedef struct mma_case {
    void (*kernel)(mma_args);
    const char *name;
    tc_tcgen05_idesc_fields f;
    int ts, swizzle_a, swizzle_b, enable, lanes, scale_d; /* swizzle 129: 128 bytes in atoms of 32 */
    int zeros, used;
} mma_case;

static uint8_t *smem_image;
static uint32_t *tmem_image, *tmem_expect, *tmem_got, *dev_smem, *dev_in, *dev_out;

/* A tile of rows x k in the canonical layout of a swizzle, K- or MN-major, and its descriptor */
static tc_tcgen05_desc_fields layout_of(int swizzle, int trans, int bits, int dense4, int rows, int k, uint32_t addr)
{
    tc_tcgen05_desc_fields f;
    const uint32_t bytes = (uint32_t)(dense4 ? k / 2
                                      : bits <= 8 ? k
                                      : k * bits / 8), s = (uint32_t)(swizzle == 129 ? 128 : swizzle);
    memset(&f, 0, sizeof f);
    f.addr = addr, f.swizzle = (int)s, f.base32 = swizzle == 129;
    if (!trans && !s) f.leading_bytes = 128, f.stride_bytes = bytes / 16 * 128 + 16 * (uint32_t)test_int(0, 3) * 8;
    if (!trans && s) f.stride_bytes = 8 * s, f.leading_bytes = (uint32_t)(rows + 7) / 8 * 8 * s;
    if (trans && !s) f.stride_bytes = 128, f.leading_bytes = (uint32_t)rows * (uint32_t)bits / 128 * 128;
    if (trans && s) f.stride_bytes = (f.base32 ? 4 : 8) * s, f.leading_bytes = (uint32_t)((k + 7) / 8) * 8 * s;
    return f;
}

/* Is the kernel a stub in the image that this device took? A kernel of this file is bounded to its 128 threads, a stub
 * is not. */
static int stubs;
static int is_stub(void (*kernel)(mma_args))
{
    struct cudaFuncAttributes attr;
    CUDA_CHECK(cudaFuncGetAttributes(&attr, (const void *)kernel));
    stubs += attr.maxThreadsPerBlock != 128;
    return attr.maxThreadsPerBlock != 128;
}

static void run_mma(const mma_case *c, int sm)
{
    const tc_tcgen05_idesc_fields f = c->f;
    const int g = f.cta_group == 2 ? 2 : 1, m = f.m, n = f.n, k = tc_tcgen05_k(f.kind, f.sparse, f.k96),
              ks = f.sparse ? k / 2 : k;
    const int rows = m / g, cols = n / g, block = f.kind >= TC_KIND_MXF8F6F4, dense4 = f.kind >= TC_KIND_MXF4;
    const int factors = block ? tc__t5_factors(f.kind, f.block, f.k96) : 0;
    const int ba = tc_type_bits(f.a), bb = tc_type_bits(f.b), lo = f.a == TC_U8 ? 0 : -2;
    static int8_t a[256][128], b[256][128];
    static uint8_t kept[256][128]; /* the k of a stored element of a sparse A */
    static int sfa[256][8], sfb[256][8];
    static double d_in[256][256];
    mma_args args;
    int wrong = 0;
    if ((sm == 103 || sm == 107) && f.kind == TC_KIND_I8) return;
    if (sm == 110 && c->scale_d) return;
    memset(&args, 0, sizeof args);
    CHECK(tc_tcgen05_idesc_check(&f) == TC_OK, "%s: %s", c->name, tc_why());
    args.idesc = tc_tcgen05_idesc_make(f);
    args.d = (uint32_t)test_int(0, 1) * 4, args.at = 272, args.meta = 288, args.sfa = 304, args.sfb = 352,
        args.enable = (uint32_t)c->enable;
    args.smem_bytes = SMEM;
    const tc_tcgen05_desc_fields la = layout_of(c->swizzle_a, f.trans_a, ba, dense4, rows, ks,
                                                (uint32_t)test_int(0, 3) * 1024);
    const tc_tcgen05_desc_fields lb = layout_of(c->swizzle_b, f.trans_b, bb, dense4, cols, k,
                                                B_AT + (uint32_t)test_int(0, 3) * 1024);
    args.a = tc_tcgen05_desc_make(la), args.b = tc_tcgen05_desc_make(lb);
    for (size_t i = 0; i < 2 * SMEM; i++) smem_image[i] = (uint8_t)test_random();
    /* huge as f32 and as f16 */
    for (size_t i = 0; i < 2 * 65536; i++) tmem_image[i] = 0x7f000000u | (uint32_t)(test_random() & 0xffff);
    /* operands; of a sparse A two of every four are stored, which ones is random (tf32: one of two; the mxf4 kinds: two
     * pairs of four) */
    for (int r = 0; r < m; r++)
        for (int j = 0; j < ks; j++) {
            const int v = test_int(f.a == TC_U8 ? 0 : lo, 2), cta = r / rows, unit = ba > 8 ? 128 / ba
                        : dense4 ? 32
                        : 16;
            a[r][j] = (int8_t)v;
            if (c->ts) {
                for (int bank = 0; bank < 128 / rows && !(m == 64 && !f.ws && bank); bank++) {
                    const int lane = tc_tcgen05_d_lane(m, n, g, f.sparse, f.ws, r, bank * (n * rows / 128));
                    uint32_t *cell = tmem_image + cta * 65536 + lane * 512 + args.at;
                    put((uint8_t *)cell, (uint32_t)(j * (dense4 ? 4 : ba) / 8), j * (dense4 ? 4 : ba) % 8, dense4 ? 4
                        : ba, code_of(f.a, v));
                }
            } else {
                const uint32_t at = f.trans_a ? tc_tcgen05_mn_major_at(la, f.a, r % rows, j)
                               : tc_tcgen05_k_major_at(la, f.a, dense4, r % rows, j);
                put(smem_image + cta * SMEM, at, f.trans_a ? 0 : j % unit * ba % 8, ba, code_of(f.a, v));
            }
        }
    for (int r = 0; r < n; r++)
        for (int j = 0; j < k; j++) {
            const int v = test_int(f.b == TC_U8 ? 0 : -2, 2), cta = r / cols, unit = bb > 8 ? 128 / bb
                        : dense4 ? 32
                        : 16;
            const uint32_t at = f.trans_b ? tc_tcgen05_mn_major_at(lb, f.b, r % cols, j)
                           : tc_tcgen05_k_major_at(lb, f.b, dense4, r % cols, j);
            b[r][j] = (int8_t)v;
            put(smem_image + cta * SMEM, at, f.trans_b ? 0 : j % unit * bb % 8, bb, code_of(f.b, v));
        }
    for (int cta = 0; cta < g; cta++)
        for (int lane = 0; lane < 128; lane++) {
            for (int q = 0; block && q < 48; q++)
                tmem_image[cta * 65536 + lane * 512 + args.sfa + q] = 0,
                    tmem_image[cta * 65536 + lane * 512 + args.sfb + q] = 0;
        }
    for (int r = 0; f.sparse && r < m; r++)
        for (int group = 0; group < (f.kind <= TC_KIND_TF32 ? 8 : 16); group++) {
            const int i0 = test_int(0, 2), i1 = test_int(i0 + 1, 3), odd = test_int(0, 1), cta = r / rows;
            const int banks = tc__t5_banks(m, g, 1, f.ws);
            for (int bank = 0; bank < banks; bank++)
                put((uint8_t *)(tmem_image + cta * 65536 + tc_tcgen05_meta_lane(f.kind, m, n, g, f.ws, r,
                                    bank * (n / banks), group) * 512 + args.meta + tc_tcgen05_meta_column(f.kind,
                f.selector, group)), 0, tc_tcgen05_meta_bit(f.kind, r, group), 4,
                    (uint32_t)(f.kind == TC_KIND_TF32 ? (odd ? 14 : 4) : i0 | i1 << 2));
            if (f.kind == TC_KIND_TF32) kept[r][group] = (uint8_t)(2 * group + odd);
            else for (int i = 0; i < (dense4 ? 2 : 1); i++) {
                kept[r][(dense4 ? 4 : 2) * group + i] = (uint8_t)(dense4 ? 8 * group + 2 * i0 + i : 4 * group + i0);
                kept[r][dense4 ? 4 * group + 2 + i : 2 * group + 1] = (uint8_t)(dense4 ? 8 * group + 2 * i1 + i
                    : 4 * group + i1);
            }
        }
    for (int r = 0; block && r < (m > n ? m : n); r++)
        for (int s = 0; s < factors; s++) {
            sfa[r][s] = test_int(1, 2), sfb[r][s] = test_int(1, 2);
            for (int q = 0; q < 4; q++) {
                const int ra = r % rows;
                if (r < m)
                    put((uint8_t *)(tmem_image + r / rows * 65536 + (q * 32 + tc_tcgen05_sf_lane(ra)) * 512 + args.sfa
                                    + tc_tcgen05_sf_column(128, ra, f.sfa_id + s)),
                        (uint32_t)tc_tcgen05_sf_byte(f.sfa_id + s), 0, 8, code_of(f.scale, sfa[r][s]));
                for (int cta = 0; r < n && cta < g; cta++)
                    put((uint8_t *)(tmem_image + cta * 65536 + (q * 32 + tc_tcgen05_sf_lane(r)) * 512 + args.sfb
                                    + tc_tcgen05_sf_column(n, r, f.sfb_id + s)),
                        (uint32_t)tc_tcgen05_sf_byte(f.sfb_id + s), 0, 8, code_of(f.scale, sfb[r][s]));
            }
        }
    if (c->lanes) for (int i = 0; i < 4 * g; i++) args.lanes[i] = (uint32_t)test_random();
    if (c->zeros) {
        const tc_tcgen05_zero_mask_fields z = {{0, 1, 0, 0}, {1, 0, 0, 0}, c->zeros, c->used, 0};
        args.zero = tc_tcgen05_zero_mask_make(z);
    }
    for (int r = 0; r < m; r++)
        for (int col = 0; col < n; col++) {
            const int cta = tc_tcgen05_d_cta(m, g, r), lane = tc_tcgen05_d_lane(m, n, g, f.sparse, f.ws, r, col),
                      at = tc_tcgen05_d_column(m, n, g, f.sparse, f.ws, col);
            const int v = 8 * test_int(-2, 2);
            d_in[r][col] = v;
            tmem_image[cta * 65536 + lane * 512 + (int)args.d + at] = f.kind == TC_KIND_I8 ? (uint32_t)v
                : f.d == TC_F16 ? tc_f16_from_f32((float)v)
                : tc_bits_from_f32((float)v);
        }
    /* expected */
    memcpy(tmem_expect, tmem_image, 2 * 65536 * 4);
    for (int r = 0; r < m; r++)
        for (int col = 0; col < n; col++) {
            const int cta = tc_tcgen05_d_cta(m, g, r), lane = tc_tcgen05_d_lane(m, n, g, f.sparse, f.ws, r, col),
                      at = tc_tcgen05_d_column(m, n, g, f.sparse, f.ws, col);
            double y = c->enable ? d_in[r][col] / (c->scale_d ? 1 << c->scale_d : 1) : 0;
            int zero = 0;
            if (c->zeros) { /* bank 0 begins with zeros, bank 1 with a run of used columns that has lost its first */
                const int nb = n * rows / 128, bank = col / nb, turn = c->zeros + c->used,
                          place = bank == 1 ? (col % nb + 1) % turn : col % nb % turn;
                zero = bank == 0 ? place < c->zeros : place >= c->used;
            }
            if (args.lanes[cta * 4 + lane / 32] >> lane % 32 & 1) continue;
            for (int j = 0; j < ks && !zero; j++) {
                const int kk = f.sparse ? kept[r][j] : j;
                double x = (double)a[r][j] * b[col][kk] * (f.negate_a ? -1 : 1) * (f.negate_b ? -1 : 1);
                if (block) x *= sfa[r][kk / (k / factors)] * sfb[col][kk / (k / factors)];
                y += x;
            }
            tmem_expect[cta * 65536 + lane * 512 + (int)args.d + at] = f.kind == TC_KIND_I8 ? (uint32_t)(int)y
                : f.d == TC_F16 ? tc_f16_from_f32((float)y)
                : tc_bits_from_f32((float)y);
        }
    args.smem = dev_smem, args.tmem_in = dev_in, args.tmem_out = dev_out;
    CUDA_CHECK(cudaMemcpy(dev_smem, smem_image, 2 * SMEM, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dev_in, tmem_image, 2 * 65536 * 4, cudaMemcpyHostToDevice));
    cudaLaunchConfig_t launch;
    cudaLaunchAttribute cluster;
    void *arguments[1] = {&args};
    memset(&launch, 0, sizeof launch);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)g, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    if (is_stub(c->kernel)) return;
    launch.gridDim = dim3((unsigned)g), launch.blockDim = dim3(128), launch.dynamicSmemBytes = SMEM,
        launch.attrs = &cluster, launch.numAttrs = 1;
    snprintf(test_context, sizeof test_context, "%s m %d n %d", c->name, m, n);
    CUDA_CHECK(cudaFuncSetAttribute(c->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));
    CUDA_CHECK(cudaLaunchKernelExC(&launch, (const void *)c->kernel, arguments));
    CUDA_CHECK(cudaMemcpy(tmem_got, dev_out, (size_t)g * 65536 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < g * 65536; i++)
        if (tmem_got[i] != tmem_expect[i] && !(tmem_got[i] << 1 == 0 && tmem_expect[i] << 1 == 0) && wrong++ == 0)
            printf("%s m %d n %d group %d: cta %d lane %d column %d is 0x%08x, not 0x%08x (before 0x%08x)\n", c->name,
                   m, n, g, i / 65536, i / 512 % 128, i % 512, tmem_got[i], tmem_expect[i], tmem_image[i]);
    CHECK(wrong == 0, "%s m %d n %d group %d swizzle %d %d trans %d %d: %d cells", c->name, m, n, g, c->swizzle_a,
          c->swizzle_b, f.trans_a, f.trans_b, wrong);
}

static mma_case make_case(const char *name, void (*kernel)(mma_args), int kind, int m, int n, int g, int a, int b,
                          int d)
{
    mma_case c;
    memset(&c, 0, sizeof c);
    c.kernel = kernel, c.name = name, c.f.kind = kind, c.f.m = m, c.f.n = n, c.f.cta_group = g, c.f.a = a, c.f.b = b,
        c.f.d = d;
    c.enable = test_int(0, 1), c.swizzle_a = 128, c.swizzle_b = 128;
    return c;
}

static void test_mma(int sm)
{
    static const int width[4] = {0, 32, 64, 128};
    static const struct { int kind, a, b, d; } types[] = {
        {TC_KIND_F16, TC_BF16, TC_BF16, TC_F32}, {TC_KIND_F16, TC_F16, TC_F16, TC_F32},
        {TC_KIND_F16, TC_F16, TC_F16, TC_F16}, {TC_KIND_TF32, TC_TF32, TC_TF32, TC_F32},
        {TC_KIND_F8F6F4, TC_E4M3, TC_E5M2, TC_F32}, {TC_KIND_F8F6F4, TC_E5M2, TC_E4M3, TC_F16},
        {TC_KIND_F8F6F4, TC_E3M2, TC_E2M3, TC_F32},
        {TC_KIND_F8F6F4, TC_E2M1, TC_E4M3, TC_F32}, {TC_KIND_F8F6F4, TC_E2M3, TC_E2M1, TC_F32},
        {TC_KIND_I8, TC_S8, TC_U8, TC_S32}, {TC_KIND_I8, TC_U8, TC_S8, TC_S32}};
#define FORM(form, kind)                                                                                              \
    (kind == TC_KIND_F16 ? form##_f16                                                                                 \
     : kind == TC_KIND_TF32 ? form##_tf32                                                                             \
     : kind == TC_KIND_I8 ? form##_i8                                                                                 \
     : form##_f8f6f4)
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        const int kind = types[i].kind, ta = types[i].a, tb = types[i].b, td = types[i].d,
                  whole = tc_type_bits(ta) >= 8 && tc_type_bits(tb) >= 8;
        mma_case c;
        for (int s = 0; s < 4; s++) { /* K-major, each swizzle */
            c = make_case("ss", FORM(ss1, kind), kind, s % 2 ? 128 : 64, 8 * test_int(1, 2) * 8, 1, ta, tb, td);
            c.swizzle_a = width[s], c.swizzle_b = width[3 - s];
            run_mma(&c, sm);
            c = make_case("ss", FORM(ss2, kind), kind, s % 2 ? 128 : 256, 32 * test_int(1, 8), 2, ta, tb, td);
            c.swizzle_a = width[3 - s], c.swizzle_b = width[s];
            if (kind != TC_KIND_I8) c.f.negate_a = s & 1, c.f.negate_b = s >> 1;
            run_mma(&c, sm);
        }
        for (int s = 0; whole && s < 4; s++) { /* MN-major; tf32 knows one swizzle there */
            const int w = kind == TC_KIND_TF32 ? 129 : width[s];
            c = make_case("transposed", FORM(ss1, kind), kind, s & 2 ? 64 : 128, 128, 1, ta, tb, td);
            c.f.trans_a = (s + 1) & 1, c.f.trans_b = s != 1;
            c.swizzle_a = c.f.trans_a ? w : 64, c.swizzle_b = c.f.trans_b ? w : 32;
            run_mma(&c, sm);
            c = make_case("transposed", FORM(ss2, kind), kind, 256, 256, 2, ta, tb, td);
            c.f.trans_a = s != 2, c.f.trans_b = 1;
            c.swizzle_a = c.f.trans_a ? w : 64, c.swizzle_b = w;
            run_mma(&c, sm);
        }
        if (whole) { /* A in tensor memory */
            for (int s = 0; s < 2; s++) {
                c = make_case("ts", FORM(ts1, kind), kind, s ? 128 : 64, 64, 1, ta, tb, td);
                c.ts = 1;
                run_mma(&c, sm);
                c = make_case("ts", FORM(ts2, kind), kind, s ? 128 : 256, 64, 2, ta, tb, td);
                c.ts = 1;
                run_mma(&c, sm);
            }
        }
        for (int s = 0; s < 3; s++) { /* weight-stationary, with A in either memory; sparse */
            c = make_case("ws", FORM(ws, kind), kind, 32 << s, 64 << test_int(0, 2), 1, ta, tb, td);
            c.f.ws = 1;
            run_mma(&c, sm);
            if (whole) {
                c.kernel = FORM(wst, kind), c.ts = 1, c.name = "ws ts";
                run_mma(&c, sm);
            }
            c = make_case("ws sp", FORM(wsp, kind), kind, 32 << s, 64 << test_int(0, 1), 1, ta, tb, td);
            c.f.ws = 1, c.f.sparse = 1;
            run_mma(&c, sm);
        }
        for (int s = 0; s < 2; s++) {
            c = make_case("sp", FORM(sp1, kind), kind, s ? 128 : 64, 96, 1, ta, tb, td);
            c.f.sparse = 1, c.swizzle_b = s ? 128 : 0, c.swizzle_a = s ? 32 : 64;
            c.f.selector = kind <= TC_KIND_TF32 ? s : 0;
            run_mma(&c, sm);
            if (whole) {
                c.kernel = FORM(spt1, kind), c.ts = 1, c.name = "sp ts";
                run_mma(&c, sm);
            }
            c = make_case("sp", FORM(sp2, kind), kind, s ? 128 : 256, 96, 2, ta, tb, td);
            c.f.sparse = 1, c.swizzle_b = s ? 32 : 64;
            run_mma(&c, sm);
        }
    }
    static const struct { int kind, a, b, scale, block; void (*k[4])(mma_args); } scaled[] = {
        {TC_KIND_MXF8F6F4, TC_E4M3, TC_E5M2, TC_UE8M0, 32, {ss1_mxf8, ss2_mxf8, ts1_mxf8, sp1_mxf8}},
        {TC_KIND_MXF8F6F4, TC_E2M1, TC_E3M2, TC_UE8M0, 32, {ss1_mxf8, ss2_mxf8, 0, sp1_mxf8}},
        {TC_KIND_MXF4, TC_E2M1, TC_E2M1, TC_UE8M0, 32, {ss1_mxf4, ss2_mxf4, ts1_mxf4, sp1_mxf4}},
        {TC_KIND_MXF4NVF4, TC_E2M1, TC_E2M1, TC_UE4M3, 16, {ss1_nvf4, ss2_nvf4, ts1_nvf4, sp1_nvf4}},
        {TC_KIND_MXF4NVF4, TC_E2M1, TC_E2M1, TC_UE8M0, 16, {ss1_nvf4, ss2_nvf4, ts1_nvf4, sp1_nvf4}}};
    for (size_t i = 0; i < sizeof scaled / sizeof scaled[0]; i++)
        for (int form = 0; form < 4; form++)
            for (int s = 0; s < 4; s++) {
                const int g = form == 1 ? 2 : 1, kind = scaled[i].kind;
                mma_case c = make_case("block", scaled[i].k[form], kind, 128 * g, form == 1 ? 32 * test_int(1, 8)
                                       : 8 * test_int(1, 32), g, scaled[i].a, scaled[i].b, TC_F32);
                if (!c.kernel) continue;
                c.f.scale = scaled[i].scale, c.f.block = scaled[i].block, c.f.sparse = form == 3, c.ts = form == 2;
                c.swizzle_a = width[s], c.swizzle_b = width[3 - s];
                if (kind == TC_KIND_MXF8F6F4) c.f.sfa_id = s, c.f.sfb_id = 3 - s;
                if (kind == TC_KIND_MXF4) c.f.sfa_id = s / 2 * 2, c.f.sfb_id = s % 2 * 2;
                run_mma(&c, sm);
            }
    for (int s = 0; sm == 103 && s < 4; s++) { /* K = 96 */
        mma_case c = make_case("K 96", s % 2 ? ss1_nvf4 : ss1_mxf4, s % 2 ? TC_KIND_MXF4NVF4 : TC_KIND_MXF4, 128,
                               s & 2 ? 256 : 64, 1, TC_E2M1, TC_E2M1, TC_F32);
        c.f.scale = s % 2 ? TC_UE4M3 : TC_UE8M0, c.f.block = s % 2 ? 16 : 32, c.f.k96 = 1, c.swizzle_a = s & 2 ? 64
            : 128, c.swizzle_b = s & 2 ? 0 : 128;
        run_mma(&c, sm);
    }
    for (int s = 0; s < 2; s++) {
        mma_case c = make_case("lanes", lanes1_f16, TC_KIND_F16, s ? 128 : 64, 64, 1, TC_BF16, TC_BF16, TC_F32);
        c.lanes = 1;
        run_mma(&c, sm);
        c = make_case("lanes", lanes2_f16, TC_KIND_F16, s ? 128 : 256, 64, 2, TC_BF16, TC_BF16, TC_F32);
        c.lanes = 1;
        run_mma(&c, sm);
        c.kernel = ts_lanes2_f16, c.ts = 1, c.name = "ts lanes";
        run_mma(&c, sm);
        c = make_case("sp lanes", sp_lanes1_f16, TC_KIND_F16, s ? 128 : 64, 64, 1, TC_BF16, TC_BF16, TC_F32);
        c.lanes = 1, c.f.sparse = 1;
        run_mma(&c, sm);
        c = make_case("sp lanes", sp_lanes2_f16, TC_KIND_F16, 256, 64, 2, TC_BF16, TC_BF16, TC_F32);
        c.lanes = 1, c.f.sparse = 1;
        run_mma(&c, sm);
        c = make_case("scale", scale_f16, TC_KIND_F16, 128, 64, 1, TC_BF16, TC_BF16, TC_F32);
        c.enable = 1, c.scale_d = 3;
        run_mma(&c, sm);
        c = make_case("zero", zero_f16, TC_KIND_F16, 64, 64 << s, 1, TC_F16, TC_F16, TC_F32);
        c.f.ws = 1, c.zeros = 3 + s, c.used = 5;
        run_mma(&c, sm);
    }
}

/* ---- ld, st: every shape and count against tc_tcgen05_ld_lane and _column ---- */

#if TC_HAS_SM100A
/* 128 threads: tensor memory holds lane << 16 | column; r of every thread after the load goes to out[thread][i]; then
 *   the thread's own numbers
 * are stored through the same shape, and all of tensor memory is read back. */
#define LDST_BODY(regs, LOAD, STORE)                                                                    \
    __shared__ uint32_t slot;                                                                           \
    if (threadIdx.x < 32) TC_TCGEN05_ALLOC_N(1, tc_smem_u32(&slot), 512);                               \
    SYNC(1);                                                                                            \
    const uint32_t t = slot + tc_tcgen05_taddr((int)threadIdx.x / 32 * 32 + half, 0);                   \
    uint32_t r[regs];                                                                                   \
    tmem_write(slot, in);                                                                               \
    LOAD;                                                                                               \
    tc_tcgen05_wait_ld_regs(r, regs);                                                                   \
    for (int i = 0; i < regs; i++) out[threadIdx.x * 128 + i] = r[i];                                   \
    for (int i = 0; i < regs; i++) r[i] = 0x80000000u | threadIdx.x << 16 | 0x8000u | (uint32_t)i;      \
    STORE;                                                                                              \
    tc_tcgen05_wait_st();                                                                               \
    tmem_read(all, slot);                                                                               \
    SYNC(1);                                                                                            \
    if (threadIdx.x < 32) TC_TCGEN05_DEALLOC_N(1, slot, 512);
#else
#define LDST_BODY(regs, LOAD, STORE) (void)in, (void)half, (void)out, (void)all;
#endif
#define LDST_KERNEL(name, regs, LOAD, STORE)                                                                         \
    static __global__ void __launch_bounds__(128, 1) name(const uint32_t *in, int half, uint32_t *out, uint32_t *all) \
    { LDST_BODY(regs, LOAD, STORE) }
#define LDST(shape, num, regs)                                                                                       \
    LDST_KERNEL(ldst_##shape##_##num, regs, TC_TCGEN05_LD(shape, num, r, t + 32), TC_TCGEN05_ST(shape, num, t + 32, r))\
    LDST_KERNEL(pack_##shape##_##num, regs, TC_TCGEN05_LD_PACK_16B(shape, num, r, t + 32),                            \
                TC_TCGEN05_ST_UNPACK_16B(shape, num, t + 32, r))
#define LDST_X2(num, regs)                                                                                           \
    LDST_KERNEL(ldst_16x32bx2_##num, regs, TC_TCGEN05_LD_16X32BX2(num, r, t, 200),                                    \
                TC_TCGEN05_ST_16X32BX2(num, t, 200, r))                                                               \
    LDST_KERNEL(pack_16x32bx2_##num, regs, TC_TCGEN05_LD_16X32BX2_PACK_16B(num, r, t, 256),                           \
                TC_TCGEN05_ST_16X32BX2_UNPACK_16B(num, t, 256, r))
#define ALL_LDST(X)                                                                                                  \
    X(32x32b, x1, 1) X(32x32b, x2, 2) X(32x32b, x4, 4) X(32x32b, x8, 8) X(32x32b, x16, 16) X(32x32b, x32, 32)         \
    X(32x32b, x64, 64) X(32x32b, x128, 128)                                                                           \
    X(16x64b, x1, 1) X(16x64b, x2, 2) X(16x64b, x4, 4) X(16x64b, x8, 8) X(16x64b, x16, 16) X(16x64b, x32, 32)         \
    X(16x64b, x64, 64) X(16x64b, x128, 128)                                                                           \
    X(16x128b, x1, 2) X(16x128b, x2, 4) X(16x128b, x4, 8) X(16x128b, x8, 16) X(16x128b, x16, 32) X(16x128b, x32, 64)  \
    X(16x128b, x64, 128)                                                                                              \
    X(16x256b, x1, 4) X(16x256b, x2, 8) X(16x256b, x4, 16) X(16x256b, x8, 32) X(16x256b, x16, 64) X(16x256b, x32, 128)
#define ALL_LDST_X2(X) X(x1, 1) X(x2, 2) X(x4, 4) X(x8, 8) X(x16, 16) X(x32, 32) X(x64, 64) X(x128, 128)
ALL_LDST(LDST)
ALL_LDST_X2(LDST_X2)

static void run_ldst(const char *name, int shape, int regs, int pack, int split,
                     void (*kernel)(const uint32_t *, int, uint32_t *, uint32_t *))
{
    static uint32_t out[128 * 128];
    const int start = shape == TC_TCGEN05_16X32BX2 ? 0 : 32;
    /* columns a register */
    const int wide = shape == TC_TCGEN05_16X64B || shape == TC_TCGEN05_16X128B || shape == TC_TCGEN05_16X256B ? 2 : 1;
    if (regs * wide * (pack ? 2 : 1) > 480) return; /* more than tensor memory has, with what stands around it */
    for (int half = 0; half <= (shape == TC_TCGEN05_32X32B ? 0 : 16); half += 16) {
        int wrong_ld = 0, wrong_st = 0;
        for (int i = 0; i < 65536; i++) tmem_image[i] = (uint32_t)(i / 512 << 16 | 0x5000 | i % 512);
        memcpy(tmem_expect, tmem_image, 65536 * 4);
        CUDA_CHECK(cudaMemcpy(dev_in, tmem_image, 65536 * 4, cudaMemcpyHostToDevice));
        snprintf(test_context, sizeof test_context, "%s", name);
        kernel<<<1, 128>>>(dev_in, half, dev_smem, dev_out);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpy(out, dev_smem, sizeof out, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(tmem_got, dev_out, 65536 * 4, cudaMemcpyDeviceToHost));
        for (int t = 0; t < 128; t++)
            for (int i = 0; i < regs; i++) {
                const int lane = t / 32 * 32 + half + tc_tcgen05_ld_lane(shape, t % 32, i),
                          col = start + tc_tcgen05_ld_column(shape, pack, split, t % 32, i);
                const uint32_t *cell = tmem_image + lane * 512 + col,
                               mine = 0x80000000u | (uint32_t)t << 16 | 0x8000u | (uint32_t)i;
                wrong_ld += out[t * 128 + i] != (pack ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0]);
                tmem_expect[lane * 512 + col] = pack ? mine & 0xffff : mine;
                if (pack) tmem_expect[lane * 512 + col + 1] = mine >> 16;
            }
        for (int i = 0; i < 65536; i++) wrong_st += tmem_got[i] != tmem_expect[i];
        CHECK(wrong_ld == 0 && wrong_st == 0, "%s pack %d half %d: %d registers, %d cells", name, pack, half, wrong_ld,
              wrong_st);
    }
}

static void test_ldst(void)
{
#define SHAPE_OF_32x32b TC_TCGEN05_32X32B
#define SHAPE_OF_16x64b TC_TCGEN05_16X64B
#define SHAPE_OF_16x128b TC_TCGEN05_16X128B
#define SHAPE_OF_16x256b TC_TCGEN05_16X256B
#define RUN(shape, num, regs)                                                                 \
    run_ldst(#shape " " #num, SHAPE_OF_##shape, regs, 0, 0, ldst_##shape##_##num);            \
    run_ldst(#shape " " #num, SHAPE_OF_##shape, regs, 1, 0, pack_##shape##_##num);
#define RUN_X2(num, regs)                                                                     \
    run_ldst("16x32bx2 " #num, TC_TCGEN05_16X32BX2, regs, 0, 200, ldst_16x32bx2_##num);       \
    run_ldst("16x32bx2 " #num, TC_TCGEN05_16X32BX2, regs, 1, 256, pack_16x32bx2_##num);
    ALL_LDST(RUN)
    ALL_LDST_X2(RUN_X2)
    CHECK(tc_tcgen05_ld_registers(TC_TCGEN05_16X256B, 8) == 32 && tc_tcgen05_ld_registers(TC_TCGEN05_32X32B, 8) == 8,
          "registers");
}

/* ---- cp, shift, ld.red ---- */

#define CP_KERNELS(name, shape)                                                   \
    KERNEL(cp1_##name, 1, TC_TCGEN05_CP(1, shape, t + p.d, a))                    \
    KERNEL(cp2_##name, 2, TC_TCGEN05_CP(2, shape, t + p.d, a))                    \
    KERNEL(cp1_##name##_b6, 1, TC_TCGEN05_CP(1, shape.b8x16.b6x16_p32, t + p.d, a)) \
    KERNEL(cp1_##name##_b4, 1, TC_TCGEN05_CP(1, shape.b8x16.b4x16_p64, t + p.d, a))
CP_KERNELS(128x256b, 128x256b)
CP_KERNELS(128x128b, 128x128b)
CP_KERNELS(4x256b, 4x256b)
CP_KERNELS(64x128b_02_13, 64x128b.warpx2::02_13)
CP_KERNELS(64x128b_01_23, 64x128b.warpx2::01_23)
CP_KERNELS(32x128b, 32x128b.warpx4)
KERNEL_A(shift1, 1, TC_TCGEN05_SHIFT(1, t + p.d))
KERNEL_A(shift2, 2, TC_TCGEN05_SHIFT(2, t + p.d))

/* Runs a kernel on random memories of g CTAs; tmem_expect must hold the answer, as far as the caller has changed
 * tmem_image's copy. */
static void run_copy(const char *name, void (*kernel)(mma_args), int g, uint64_t a, uint32_t d)
{
    mma_args args;
    cudaLaunchConfig_t launch;
    cudaLaunchAttribute cluster;
    void *arguments[1] = {&args};
    int wrong = 0;
    memset(&args, 0, sizeof args);
    args.a = a, args.d = d, args.smem_bytes = SMEM, args.smem = dev_smem, args.tmem_in = dev_in,
        args.tmem_out = dev_out;
    CUDA_CHECK(cudaMemcpy(dev_smem, smem_image, 2 * SMEM, cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(dev_in, tmem_image, 2 * 65536 * 4, cudaMemcpyHostToDevice));
    memset(&launch, 0, sizeof launch);
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = (unsigned)g, cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    if (is_stub(kernel)) return;
    launch.gridDim = dim3((unsigned)g), launch.blockDim = dim3(128), launch.dynamicSmemBytes = SMEM,
        launch.attrs = &cluster, launch.numAttrs = 1;
    snprintf(test_context, sizeof test_context, "%s", name);
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM));
    CUDA_CHECK(cudaLaunchKernelExC(&launch, (const void *)kernel, arguments));
    CUDA_CHECK(cudaMemcpy(tmem_got, dev_out, (size_t)g * 65536 * 4, cudaMemcpyDeviceToHost));
    for (int i = 0; i < g * 65536; i++) wrong += tmem_got[i] != tmem_expect[i];
    CHECK(wrong == 0, "%s group %d: %d cells", name, g, wrong);
}

static void test_cp(void)
{
    /* rows and 16-byte units of the source; lanes that row r goes to: where */
    static const struct { const char *name; void (*k[4])(mma_args); int rows, units, where; } shapes[] = {
        {"128x256b", {cp1_128x256b, cp2_128x256b, cp1_128x256b_b6, cp1_128x256b_b4}, 128, 2, 0},
        {"128x128b", {cp1_128x128b, cp2_128x128b, cp1_128x128b_b6, cp1_128x128b_b4}, 128, 1, 0},
        {"4x256b", {cp1_4x256b, cp2_4x256b, cp1_4x256b_b6, cp1_4x256b_b4}, 4, 2, 1},
        {"64x128b 02_13", {cp1_64x128b_02_13, cp2_64x128b_02_13, cp1_64x128b_02_13_b6, cp1_64x128b_02_13_b4}, 64, 1, 2},
        {"64x128b 01_23", {cp1_64x128b_01_23, cp2_64x128b_01_23, cp1_64x128b_01_23_b6, cp1_64x128b_01_23_b4}, 64, 1, 3},
        {"32x128b", {cp1_32x128b, cp2_32x128b, cp1_32x128b_b6, cp1_32x128b_b4}, 32, 1, 4}};
    for (size_t i = 0; i < 2 * SMEM; i++) smem_image[i] = (uint8_t)test_random();
    for (size_t i = 0; i < 2 * 65536; i++) tmem_image[i] = (uint32_t)test_random();
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int form = 0; form < 4; form++)
            for (int swizzle = 0; swizzle <= 128; swizzle = swizzle ? 2 * swizzle : 32) {
                const int g = form == 1 ? 2 : 1, bits = form == 2 ? 6 : form == 3 ? 4 : 8, where = shapes[i].where;
                const uint32_t d = tc_tcgen05_taddr(where == 1 ? test_int(0, 31) : 0, 64);
                const tc_tcgen05_desc_fields f = layout_of(swizzle, 0, 8, 0, shapes[i].rows, 32, 2048);
                memcpy(tmem_expect, tmem_image, 2 * 65536 * 4);
                for (int cta = 0; cta < g; cta++)
                    for (int r = 0; r < shapes[i].rows; r++)
                        for (int e = 0; e < 16 * shapes[i].units; e++) {
                            const uint8_t *unit = smem_image + cta * SMEM + tc_tcgen05_k_major_at(f, TC_U8, 0, r,
                                          e / 16 * 16);
                            uint32_t code = 0;
                            for (int b = 0; b < bits; b++)
                                code |= (uint32_t)(unit[(e % 16 * bits + b) / 8] >> (e % 16 * bits + b) % 8 & 1) << b;
                            if (bits == 4) code <<= 2; /* as tcgen05.mma wants it in a byte */
                            for (int copy = 0; copy < (where == 4 ? 4 : where >= 2 ? 2 : 1); copy++) {
                                const int lane = where == 0 ? r : where == 1 ? r * 32 + tc_tcgen05_taddr_lane(d)
                                    : where == 2 ? r + 64 * copy
                                               : where == 3 ? r / 32 * 64 + r % 32 + 32 * copy : r + 32 * copy;
                                put((uint8_t *)(tmem_expect + cta * 65536 + lane * 512 + 64), (uint32_t)e, 0, 8, code);
                            }
                        }
                run_copy(shapes[i].name, shapes[i].k[form], g, tc_tcgen05_desc_make(f), d);
            }
    for (int g = 1; g <= 2; g++) { /* shift: a row takes the one below it, the last of a quarter stays */
        memcpy(tmem_expect, tmem_image, 2 * 65536 * 4);
        for (int i = 0; i < g * 128; i++)
            if (i % 32 != 31) memcpy(tmem_expect + i * 512 + 96, tmem_image + (i + 1) * 512 + 96, 32);
        run_copy("shift", g == 1 ? shift1 : shift2, g, 0, 96);
    }
    /* scale factors: what lies in memory as tc_tcgen05_sf_offset says is, after a 32x128b copy, where _sf_lane, _column
     * and _byte say */
    {
        const tc_tcgen05_desc_fields f = {4096, 16, 128, 0, 0, 0, 0};
        memcpy(tmem_expect, tmem_image, 2 * 65536 * 4);
        for (int r = 0; r < 128; r++)
            for (int s = 0; s < 4; s++)
                for (int q = 0; q < 4; q++)
                    put((uint8_t *)(tmem_expect + (q * 32 + tc_tcgen05_sf_lane(r)) * 512 + 32
                                    + tc_tcgen05_sf_column(128, r, s)), (uint32_t)tc_tcgen05_sf_byte(s), 0, 8,
                        smem_image[4096 + tc_tcgen05_sf_offset(4, r, s)]);
        run_copy("scale factors", cp1_32x128b, 1, tc_tcgen05_desc_make(f), 32);
        CHECK(tc_tcgen05_sf_offset(8, 130, 5) == 3 * 512 + 2 * 16 + 1 && tc_tcgen05_sf_column(256, 200, 5) == 6 + 8,
              "a second block");
    }
}

/* Each lane's least or largest of 8 columns; the values are in out too. */
static __global__ void __launch_bounds__(128, 1) reduce(const uint32_t *in, uint32_t *out)
{
#if TC_HAS_SM100A && TC_HAS_TCGEN05_LD_RED
    __shared__ uint32_t slot;
    uint32_t r[8], umax = 0;
    int32_t smin = 0;
    float least = 0, most = 0, nan = 0;
    if (threadIdx.x < 32) TC_TCGEN05_ALLOC_GENERIC(1, &slot, 512);
    SYNC(1);
    const uint32_t t = slot + tc_tcgen05_taddr((int)threadIdx.x / 32 * 32, 0);
    tmem_write(slot, in);
    TC_TCGEN05_LD_RED(32x32b, x8, min, f32, r, least, t);
    TC_TCGEN05_LD_RED(32x32b, x8, max.abs, f32, r, most, t);
    TC_TCGEN05_LD_RED(32x32b, x8, max.NaN, f32, r, nan, t);
    TC_TCGEN05_LD_RED(32x32b, x8, min, s32, r, smin, t);
    TC_TCGEN05_LD_RED_16X32BX2(x8, max, u32, r, umax, t, 16);
    tc_tcgen05_wait_ld();
    (void)r[0];
    asm volatile("" : "+f"(least), "+f"(most), "+f"(nan), "+r"(smin), "+r"(umax) : : "memory");
    out[threadIdx.x * 5] = tc_bits_from_f32(least), out[threadIdx.x * 5 + 1] = tc_bits_from_f32(most),
        out[threadIdx.x * 5 + 2] = tc_bits_from_f32(nan);
    out[threadIdx.x * 5 + 3] = (uint32_t)smin, out[threadIdx.x * 5 + 4] = umax;
    SYNC(1);
    if (threadIdx.x < 32) TC_TCGEN05_DEALLOC(1, slot, 512);
#else
    (void)in, (void)out;
#endif
}

static void test_reduce(void)
{
    static uint32_t out[128 * 5];
    int wrong = 0;
    for (int i = 0; i < 65536; i++) tmem_image[i] = tc_bits_from_f32(test_normal());
    tmem_image[5 * 512 + 3] = 0x7fc00001u;
    CUDA_CHECK(cudaMemcpy(dev_in, tmem_image, 65536 * 4, cudaMemcpyHostToDevice));
    reduce<<<1, 128>>>(dev_in, dev_out);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out, dev_out, sizeof out, cudaMemcpyDeviceToHost));
    for (int t = 0; t < 128; t++) {
        float least = INFINITY, most = 0;
        int32_t smin = INT32_MAX;
        uint32_t umax = 0;
        for (int i = 0; i < 8; i++) {
            const uint32_t x = tmem_image[t * 512 + i],
                           y = tmem_image[(t / 32 * 32 + t % 16) * 512 + t % 32 / 16 * 16 + i];
            const float v = tc_f32_from_bits(x);
            if (v < least) least = v;
            if (fabsf(v) > most) most = fabsf(v);
            if ((int32_t)x < smin) smin = (int32_t)x;
            if (y > umax) umax = y;
        }
        wrong += out[t * 5] != tc_bits_from_f32(least) || out[t * 5 + 1] != tc_bits_from_f32(most)
            || (int32_t)out[t * 5 + 3] != smin || out[t * 5 + 4] != umax;
        wrong += (tc_f32_from_bits(out[t * 5 + 2]) != tc_f32_from_bits(out[t * 5 + 2])) != (t == 5);
    }
    CHECK(wrong == 0, "%d values", wrong);
}

int main(void)
{
    const int have = test_device();
    test_idesc();
    test_idesc_rules();
    test_desc();
    test_layouts();
    test_known_layouts();
    if (have != 100 && have != 103 && have != 107 && have != 110) {
        SKIP("tcgen05: this device has compute capability %d.%d, not 10.0, 10.3, 10.7 or 11.0", have / 10, have % 10);
        return test_end();
    }
    smem_image = (uint8_t *)malloc(2 * SMEM), tmem_image = (uint32_t *)malloc(2 * 65536 * 4);
    tmem_expect = (uint32_t *)malloc(2 * 65536 * 4), tmem_got = (uint32_t *)malloc(2 * 65536 * 4);
    CUDA_CHECK(cudaMalloc(&dev_smem, 2 * SMEM));
    CUDA_CHECK(cudaMalloc(&dev_in, 2 * 65536 * 4));
    CUDA_CHECK(cudaMalloc(&dev_out, 2 * 65536 * 4));
    test_ldst();
    test_mma(have);
    test_cp();
    if (have != 100) test_reduce();
    if (stubs) SKIP("%d cases: built for an f target, which has neither shift nor sparse mxf4", stubs);
    return test_end();
}
