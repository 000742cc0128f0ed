/* unit_plan.c - how the host plans a call, without a GPU: the order of tiles, division by what it knows, how a GEMM is
 * cut and split, which kernel is chosen and which ones serve, the blocks of decoding. C11, and C++ from C++11 on.
 * What plans nothing: unit_host.c.
 *     cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I$CUDA/include tests/unit_plan.c -o unit_plan -L$CUDA/lib64
 *     -lcudart -lm */
#include "../tc.h"
#include "test.h"

/* ---- the order of tiles ---- */
static void test_tiles(void)
{
    /* index, m, n */
    static const uint32_t drawn[][3] = {{0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {3, 1, 1}, {7, 1, 3}, {8, 2, 0}, {10, 2, 1}};
    size_t x;
    int i;
    for (x = 0; x < sizeof drawn / sizeof drawn[0]; x++) {
        const tc_tiles_of of = {400, 400, 1, 100, 100, 4, TC_RASTER_M, 2};
        const tc_tiles t = tc_tiles_make(&of);
        const tc_tile at = tc_tile_at(&t, drawn[x][0]);
        CHECK(at.m == drawn[x][1] && at.n == drawn[x][2] && at.batch == 0, "tile %u is (%u, %u)", drawn[x][0], at.m,
              at.n);
    }
    for (i = 0; i < 3000; i++) {
        const int bm = 16 * test_int(1, 16), bn = 16 * test_int(1, 16), batch = test_int(0, 3) ? 1 : test_int(2, 5);
        const int m = test_int(1, 40 * bm), n = test_int(1, test_int(0, 1) ? 40 * bn : bn), width = test_int(1, 200);
        const int raster = test_int(0, 2), group = test_int(0, 2) ? 0
                         : test_int(0, 9) ? test_int(1, 60)
                         : 1 << test_int(20, 30);
        const tc_tiles_of of = {m, n, batch, bm, bn, width, raster, group};
        const tc_tiles t = tc_tiles_make(&of);
        const uint32_t want_m = (uint32_t)((m + bm - 1) / bm), want_n = (uint32_t)((n + bn - 1) / bn);
        unsigned char *seen;
        uint32_t index, bad = 0;
        CHECK(t.m == want_m && t.n == want_n && t.total == want_m * want_n * (uint32_t)batch,
              "%d x %d x %d in %d x %d: %u %u %u", m, n, batch, bm, bn, t.m, t.n, t.total);
        CHECK(t.group >= 1
              && (!group || t.group == (uint32_t)group
                  || (t.group < (uint32_t)group && t.group == (t.along_n ? t.n : t.m))), "group %d becomes %u", group,
              t.group);
        CHECK(!raster || t.along_n == (uint32_t)(raster == TC_RASTER_N), "raster %d becomes %u", raster, t.along_n);
        seen = (unsigned char *)calloc(t.total, 1);
        if (!seen) exit(1);
        for (index = 0; index < t.total; index++) {
            const tc_tile at = tc_tile_at(&t, index);
            const uint32_t place = (at.batch * t.m + at.m) * t.n + at.n;
            if (at.m >= t.m || at.n >= t.n || at.batch >= (uint32_t)batch || seen[place < t.total ? place : 0]) bad++;
            else seen[place] = 1;
        }
        CHECK(bad == 0, "%u x %u x %d tiles, group %u along %c: %u places missed or met twice", t.m, t.n, batch,
              t.group, t.along_n ? 'n' : 'm', bad);
        free(seen);
    }
    { /* sizes near the limits: counts hold, and the last index is in range */
        const tc_tiles_of tall = {0x7fff0000, 64, 1, 128, 128, 132, 0, 0},
                          wide = {64, 0x7fff0000, 1, 64, 16, 132, 0, 0};
        const tc_tiles t = tc_tiles_make(&tall), u = tc_tiles_make(&wide);
        const tc_tile a = tc_tile_at(&t, t.total - 1), b = tc_tile_at(&u, u.total - 1);
        CHECK(t.m == 0xfffe00u && t.n == 1 && t.total == t.m && a.m < t.m && a.n == 0, "tall: %u x %u", t.m, t.n);
        CHECK(u.m == 1 && u.n == 0x7fff000u && u.total == u.n && b.n < u.n && b.m == 0, "wide: %u x %u", u.m, u.n);
    }
}

/* ---- division by what the host knows ---- */
static int divides(tc_divide d, uint32_t by, uint64_t x)
{
    return x > 0x7fffffffu || tc_quotient((uint32_t)x, d) == (uint32_t)x / by;
}

/* Dividends around multiples of the divisor: small ones, random ones, and the last below 2^31. How many are wrong. */
static int divides_badly(uint32_t by)
{
    const tc_divide d = tc_divide_by(by);
    const uint32_t top = 0x7fffffffu / by;
    int i, j, bad = d.by != by;
    for (i = 0; i < 24; i++) {
        const uint32_t any = (uint32_t)(test_random() % (top + 1u));
        const uint32_t q = i < 4 ? (uint32_t)i : i < 8 && top > 8u ? top - (uint32_t)(i - 4) : any;
        for (j = -1; j <= 1; j++) bad += !divides(d, by, (uint64_t)q * by + (uint64_t)(int64_t)j);
    }
    for (i = 0; i < 4; i++) bad += !divides(d, by, 0x7fffffffu - (uint32_t)i);
    return bad;
}

static void test_divide(void)
{
    uint32_t by, x, bad = 0;
    int i;
    for (by = 1; by <= 4096; by++) {
        const int wrong = divides_badly(by);
        CHECK(wrong == 0, "division by %u: %d dividends", by, wrong);
    }
    for (i = 0; i < 20000; i++) { /* as many of each length in bits */
        by = (uint32_t)(test_random() >> 33) >> test_int(0, 30);
        if (by) bad += divides_badly(by) != 0;
    }
    CHECK(bad == 0, "division by %u of 20000 random numbers", bad);
    for (i = 0; i <= 31; i++) { /* powers of two and their neighbours, 2^31 itself */
        const uint32_t power = 1u << i;
        CHECK(divides_badly(power) == 0 && (i < 2 || divides_badly(power - 1u) == 0)
                  && (i > 30 || divides_badly(power + 1u) == 0), "division by about 2^%d", i);
    }
    for (by = 1, bad = 0; by <= 300; by++) { /* all of the dividends that a small grid has */
        const tc_divide d = tc_divide_by(by);
        for (x = 0; x < 70000; x++) bad += tc_quotient(x, d) != x / by;
    }
    CHECK(bad == 0, "%u quotients of numbers below 70000 by 1 to 300", bad);
}

/* ---- split k, and how a call is cut ---- */
static void test_split(void)
{
    static TC_ALIGN(16) char workspace[1024];
    uint32_t parts, k;
    CHECK(tc_split_bytes(1000, 0, 32768) == 0 && tc_split_bytes(1000, 1, 32768) == 0, "one part takes a workspace");
    /* a counter of 8 bytes for each tile, all of them in multiples of 256 bytes; four bytes for each sum */
    CHECK(tc_split_bytes(3, 2, 32768) == 256 + 786432, "3 tiles, 2 parts: %llu",
          (unsigned long long)tc_split_bytes(3, 2, 32768));
    CHECK(tc_split_bytes(32, 3, 64) == 256 + 24576 && tc_split_bytes(33, 3, 64) == 512 + 25344, "32 and 33 tiles");
    CHECK(tc_split_bytes(65536, 255, 32768) == (size_t)2190433320960ull + 524288u, "more than 2^32 bytes: %llu",
          (unsigned long long)tc_split_bytes(65536, 255, 32768));
    for (parts = 1; parts <= TC_SPLIT_MOST; parts++)
        for (k = parts; k < parts + 600; k += 1u + k % 37u) {
            const tc_gemm_split s = tc_split_make(workspace, 33, parts, k);
            const uint32_t longest = s.k_each + (s.k_more ? 1u : 0u);
            CHECK(s.k_each * parts + s.k_more == k && s.k_more < parts && s.k_each >= 1u
                      && longest == (k + parts - 1u) / parts, "%u steps in %u parts: %u, one more for %u", k, parts,
                  s.k_each, s.k_more);
            CHECK(s.parts == parts && tc_quotient(33u * parts - 1u, s.by_parts) == 32u, "%u parts", parts);
            CHECK(parts < 2 ? !s.sums : (char *)s.sums == workspace + 512 && (void *)s.counters == (void *)workspace,
                  "%u parts: where the sums are", parts);
        }
}

/* The cut of a call in one of TC_GEMM_DEFINE's kernels: what a kernel may rely on. */
static void cut_keeps(const tc_gemm_config *c, const tc_gemm_args *g, const tc__gemm_device *d)
{
    const int swap = c->swap, bm = swap ? c->bn : c->bm, most = swap ? c->bm : c->bn;
    const int64_t rows = swap ? g->n : g->m, cols = swap ? g->m : g->n, steps = ((int64_t)g->k + 63) / 64;
    const int cluster_rows = swap ? c->cluster_n : c->cluster_m, across = swap ? c->cluster_m : c->cluster_n;
    const tc_gemm_config view = tc_gemm90_view(*c);
    int64_t limit, works, waves;
    tc_gemm_cut cut;
    const tc_status st = tc__gemm90_cut(c, g, d, &cut);
    CHECK(st == TC_OK, "%d x %d x %d: %s", g->m, g->n, g->k, tc_why());
    if (st != TC_OK) return;
    CHECK(cut.cluster == 1 || cut.cluster == cluster_rows, "a cluster of %d", cut.cluster);
    CHECK(cut.width > 0 && cut.width <= most && (c->step ? cut.width % c->step == 0 : cut.width == most),
          "%d x %d x %d: width %d, .step %d, at most %d", g->m, g->n, g->k, cut.width, c->step, most);
    CHECK(cut.parts == 1 || (c->split && cut.parts <= TC_SPLIT_MOST && cut.parts <= steps),
          "%d x %d x %d: %d parts of %d steps", g->m, g->n, g->k, cut.parts, (int)steps);
    CHECK(cut.parts == 1 || cut.workspace <= (g->workspace ? g->workspace_size : 0),
          "%d x %d x %d: %d parts do not fit the workspace", g->m, g->n, g->k, cut.parts);
    CHECK(cut.workspace <= (size_t)d->blocks * 4 * (size_t)(bm * most) * 4 + 4096 + (size_t)d->blocks * 32,
          "%d x %d x %d: %d parts take more than four tiles a block", g->m, g->n, g->k, cut.parts);
    limit = c->step ? d->blocks / cut.cluster : d->blocks;
    if (c->step && across > 1) { /* as many as lie in one part of the chip each */
        limit = tc__gemm90_at_once(&view, &cut, d) > 1 ? tc__gemm90_at_once(&view, &cut, d) : 1;
        CHECK(limit == 1 || limit * cut.cluster * across <= d->blocks, "%d clusters of %d on %d", (int)limit,
              cut.cluster * across, d->blocks);
    }
    works = ((rows + (int64_t)bm * cut.cluster - 1) / ((int64_t)bm * cut.cluster))
          * ((cols + (int64_t)cut.width * across - 1) / ((int64_t)cut.width * across)) * (g->batch ? g->batch : 1)
          * cut.parts;
    waves = (works + limit - 1) / limit;
    if (cut.joined) { /* a cluster a tile, none of which waits for another */
        CHECK(cut.parts >= 2 && cut.parts <= TC__GEMM90_JOIN_MOST && cut.cluster == 1 && cut.workspace == 0,
              "%d x %d x %d: a cluster of %d parts", g->m, g->n, g->k, cut.parts);
        CHECK(cut.blocks == works / cut.parts && works <= d->blocks, "%d x %d x %d: %d clusters of %d blocks", g->m,
              g->n, g->k, cut.blocks, cut.parts);
        return;
    }
    CHECK(cut.blocks >= 1 && cut.blocks <= works && cut.blocks <= limit,
          "%d x %d x %d: %d blocks for %lld works on %lld", g->m, g->n, g->k, cut.blocks, (long long)works,
          (long long)limit);
    CHECK((works + cut.blocks - 1) / cut.blocks == waves && (int64_t)(cut.blocks - 1) * waves < works,
          "%d x %d x %d: %d blocks are not the fewest for %lld works in %lld waves", g->m, g->n, g->k, cut.blocks,
          (long long)works, (long long)waves);
}

static void test_cut(void)
{
    static const int blocks[] = {1, 2, 3, 4, 66, 114, 132, 144};
    static TC_ALIGN(16) char workspace[16]; /* only its address is looked at */
    int tile, i, splits = 0, narrow = 0;
    for (tile = 0; tile < TC__GEMM_TILE_COUNT; tile++) {
        tc_gemm_config given, c;
        memset(&given, 0, sizeof given);
        given.a = given.b = given.d = TC_BF16;
        c = tc__gemm_tiled(given, tc__gemm_tiles_of[tile]);
        for (i = 0; i < 3000; i++) {
            const tc__gemm_device d = tc__gemm_device_of(blocks[test_int(0, 7)], test_int(0, 1) * 3352);
            tc_gemm_args g;
            tc_gemm_cut cut;
            memset(&g, 0, sizeof g);
            g.m = 1 + (test_int(0, 0x7ffffff) >> test_int(14, 26));
            g.n = 1 + (test_int(0, 0x7ffffff) >> test_int(13, 26));
            g.k = test_int(0, 9) ? 1 + (test_int(0, 0x7ffffff) >> test_int(12, 26)) : 0;
            g.batch = test_int(0, 3) ? 0 : test_int(1, 40);
            if (test_int(0, 2)) g.workspace = workspace, g.workspace_size = (size_t)1 << test_int(10, 34);
            cut_keeps(&c, &g, &d);
            if (tc__gemm90_cut(&c, &g, &d, &cut) == TC_OK)
                splits += cut.parts > 1, narrow += cut.width < (c.swap ? c.bm : c.bn);
        }
    }
    CHECK(splits > 100 && narrow > 100, "%d calls were split and %d cut narrow: too few to say something", splits,
          narrow);
    { /* one row of tiles and a long k: nothing else fills the device, so it is split, but not without a workspace */
        const tc__gemm_device d = tc__gemm_device_of(132, 0);
        tc_gemm_config given, c;
        tc_gemm_args g;
        tc_gemm_cut cut;
        memset(&given, 0, sizeof given);
        given.a = given.b = given.d = TC_BF16;
        c = tc__gemm_tiled(given, tc__gemm_tiles_of[0]);
        memset(&g, 0, sizeof g);
        g.m = 128, g.n = 256, g.k = 65536, g.workspace = workspace, g.workspace_size = (size_t)64 << 20;
        CHECK(tc__gemm90_cut(&c, &g, &d, &cut) == TC_OK && cut.parts > 1, "64 MB: %d parts", cut.parts);
        g.workspace = NULL, g.workspace_size = 0;
        CHECK(tc__gemm90_cut(&c, &g, &d, &cut) == TC_OK && (cut.parts == 1 || cut.joined),
              "no workspace: %d parts", cut.parts);
    }
}

/* Which calls start by themselves while the kernel before drains: short ones, but for those that wait for the memory
 * and whose blocks would lie badly. */
static void test_brief(void)
{
    static TC_ALIGN(256) unsigned char memory[512];
    static const struct { int m, n, k, brief, weights; } calls[] = {
        {512, 512, 512, 1, 0}, {1000, 1000, 1000, 1, 0}, {1536, 1536, 1536, 1, 0}, {16, 4096, 4096, 1, 0},
        {128, 50304, 768, 1, 0}, {16, 3584, 4608, 1, 0}, {16, 4608, 3584, 0, 0}, {16, 10240, 8192, 0, 0},
        {192, 4096, 7168, 0, 0}, {8192, 8192, 8192, 0, 0}, {4096, 28672, 4096, 0, 0}, {16, 8192, 8192, 1, TC_S4},
        {16, 28672, 8192, 1, TC_S4}, {16, 33792, 8192, 0, TC_S4}, {4096, 8192, 8192, 0, TC_S4}};
    const tc__device on = {0, 90, 132, 4800};
    const tc__gemm_device d = tc__gemm_device_of(132, 0);
    size_t i;
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        tc_gemm_config given, c;
        tc_gemm_choice pick;
        tc_gemm_args g;
        tc_gemm_cut cut;
        memset(&given, 0, sizeof given);
        given.a = given.b = given.d = TC_BF16;
        given.weights = calls[i].weights, given.weights_k = calls[i].weights ? 128 : 0;
        memset(&g, 0, sizeof g);
        g.m = calls[i].m, g.n = calls[i].n, g.k = calls[i].k;
        g.lda = g.k, g.ldb = calls[i].weights ? 0 : g.k, g.ldd = g.n, g.a = g.b = g.d = memory;
        pick = tc__gemm_choose(&given, &g, &on);
        c = tc__gemm_tiled(given, tc__gemm_tiles_of[pick.kernel - 1]);
        g.choice = &pick;
        CHECK(tc__gemm90_cut(&c, &g, &d, &cut) == TC_OK && cut.brief == calls[i].brief,
              "%d x %d x %d, weights %d: brief %d", g.m, g.n, g.k, calls[i].weights, cut.brief);
        g.pdl = -1;
        CHECK(tc__gemm90_cut(&c, &g, &d, &cut) == TC_OK && !cut.brief, "%d x %d x %d: never", g.m, g.n, g.k);
    }
}

/* Groups with few rows wait for B's bytes: they get a tile for few rows, which no other one reads faster for. */
static void test_choose_few(void)
{
    static TC_ALIGN(256) unsigned char memory[512];
    static const int32_t ends[64] = {0};
    const tc__device on = {0, 90, 132, 4917};
    int i;
    for (i = 0; i < 200; i++) {
        const tc__gemm_tile *t;
        tc_gemm_config given;
        tc_gemm_args g;
        memset(&given, 0, sizeof given);
        memset(&g, 0, sizeof g);
        given.a = given.b = given.d = TC_BF16, given.groups = TC_GROUPS_ROWS;
        g.m = 64 * test_int(1, 16), g.n = 512 * test_int(2, 16), g.k = 512 * test_int(2, 16);
        g.lda = g.ldb = g.k, g.ldd = g.n, g.stride_b = (int64_t)g.n * g.k, g.a = g.b = g.d = memory;
        g.groups.count = 64, g.groups.ends = ends;
        t = &tc__gemm_tiles_of[tc__gemm_search(&given, &g, &on).kernel - 1];
        CHECK(t->bm == 64 || t->swap, "%d rows in 64 groups, n %d, k %d: in tiles of %d rows", g.m, g.n, g.k, t->bm);
    }
}

/* What TC_GEMM_DEFINE remembers of a problem is what it would find: whatever came before, also where problems differ in
 * one thing alone. */
static void test_choose(void)
{
    static TC_ALIGN(256) unsigned char memory[512];
    tc_gemm_config given;
    int i, bad = 0, aligned = 0, kinds[TC__SHAPES_TILES + 1] = {0};
    memset(&given, 0, sizeof given);
    given.a = given.b = given.d = TC_BF16;
    for (i = 0; i < 4000; i++) {
        tc_gemm_args g;
        tc_gemm_choice found, kept;
        const tc__device on = {0, 90, test_int(0, 3) ? 132 : 114, test_int(0, 1) ? 3352 : 4917};
        memset(&g, 0, sizeof g);
        g.m = test_int(0, 1) ? 1000 : 64, g.n = test_int(0, 1) ? 1000 : 4096, g.k = test_int(0, 1) ? 1024 : 8192;
        g.batch = test_int(0, 3) ? 0 : 3;
        g.lda = g.k + (test_int(0, 3) ? 0 : 8), g.ldb = g.k + (test_int(0, 3) ? 0 : 8), g.ldd = g.n;
        g.a = memory + 16 * test_int(0, 1), g.b = memory + 256 + 16 * test_int(0, 1), g.d = memory;
        if (test_int(0, 1)) g.workspace = memory, g.workspace_size = (size_t)1 << test_int(20, 27);
        given.shapes = test_int(0, 2) ? 0 : test_int(1, TC__SHAPES_TILES);
        found = tc__gemm_search(&given, &g, &on);
        kept = tc__gemm_choose(&given, &g, &on);
        bad += found.kernel != kept.kernel || found.width != kept.width || found.cluster != kept.cluster
            || found.parts != kept.parts || found.blocks != kept.blocks;
        CHECK(found.kernel >= 1 && found.kernel <= TC__GEMM_TILE_COUNT, "kernel %d", found.kernel);
        CHECK(!given.shapes || (tc__gemm_tiles_of[found.kernel - 1].shapes & given.shapes),
              "kernel %d is left out by .shapes = %d", found.kernel, given.shapes);
        kinds[given.shapes] |= 1 << found.kernel;
        if (g.a == memory) { /* another answer for rows that straddle lines, of the same sizes */
            tc_gemm_args h = g;
            h.a = memory + 16;
            kept = tc__gemm_search(&given, &h, &on);
            aligned += found.kernel != kept.kernel || found.width != kept.width || found.parts != kept.parts;
        }
    }
    CHECK(bad == 0, "%d of 4000 choices are those of another problem", bad);
    for (i = 0; i <= TC__SHAPES_TILES; i++) CHECK(kinds[i] != 0, ".shapes = %d was never tried", i);
    CHECK(aligned > 0, "no choice depends on alignment: this test shows nothing about it");
}

/* The same shape of one type whose sums are held in other ways: each has tiles of its own. */
static void test_choose_sums(void)
{
    static const int sums[][3] = {{0, 0, 0}, {TC_FAST, 0, 0}, {0, TC_SCALE_1X128, TC_SCALE_128X128},
                                  {0, TC_SCALE_1X128, TC_SCALE_1X128}, {0, TC_SCALE_128X128, TC_SCALE_1X128}};
    static TC_ALIGN(256) unsigned char memory[512];
    const tc__device on = {0, 90, 132, 4917};
    int i, other = 0;
    for (i = 0; i < 200; i++) {
        const int *s = sums[i % 5];
        tc_gemm_config given;
        tc_gemm_args g;
        tc_gemm_choice found, kept;
        memset(&given, 0, sizeof given);
        memset(&g, 0, sizeof g);
        given.a = given.b = TC_E4M3, given.d = TC_BF16;
        given.promote = s[0], given.a_scale = s[1], given.b_scale = s[2];
        g.m = 64 << i / 5 % 8, g.n = 4096, g.k = g.lda = g.ldb = 4096, g.ldd = g.n;
        g.a = g.b = g.d = memory;
        found = tc__gemm_search(&given, &g, &on);
        kept = tc__gemm_choose(&given, &g, &on);
        other += found.kernel != kept.kernel || found.width != kept.width || found.cluster != kept.cluster;
    }
    CHECK(other == 0, "%d of 200 choices are those of other sums", other);
}

/* The same shape of one type where kernels of the list are not there, or do not split k. */
static tc_gemm_k half_of_k(tc_gemm_tile t, const void *args)
{
    const tc_gemm_k k = {0, 64};
    return (void)t, (void)args, k;
}
static tc_f32x2 pair_as_it_is(tc_f32x2 x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }
static float as_it_is(float x, tc_gemm_at at, const void *args) { return (void)at, (void)args, x; }

static void test_choose_lines(void)
{
    enum { PLAIN, AUX, K_RANGE, INDEX_D, HOOK, PAIR, D_COL, WAYS };
    static const int shapes[][3] = {{1536, 1536, 1536}, {2049, 2048, 2048}, {4100, 4104, 4104}, {256, 512, 8192},
                                    {128, 4096, 4096}};
    static TC_ALIGN(256) unsigned char memory[512];
    const tc__device on = {0, 90, 132, 4917};
    int i, other = 0, refused = 0, differ = 0;
    for (i = 0; i < 1000; i++) {
        const int *s = shapes[test_int(0, 4)], way = test_int(0, WAYS - 1), bits8 = test_int(0, 2) == 0;
        tc_gemm_config given, plain;
        tc_gemm_args g;
        tc_gemm_choice found, kept;
        memset(&given, 0, sizeof given);
        memset(&g, 0, sizeof g);
        given.a = given.b = bits8 ? TC_S8 : TC_BF16, given.d = bits8 ? TC_F32 : TC_BF16;
        given.b_layout = bits8 ? TC_ROW : 0;
        plain = given;
        if (way == AUX) given.aux = TC_BF16, given.aux_what = TC_AUX_PRE;
        if (way == K_RANGE) given.k_range = half_of_k, given.epi_size = TC_NO_ARGS;
        if (way == INDEX_D) given.index = TC_INDEX_D;
        if (way == HOOK) given.epi = as_it_is;
        if (way == PAIR) given.epi2 = pair_as_it_is;
        if (way == D_COL) given.d_layout = TC_COL;
        g.m = s[0], g.n = s[1], g.k = s[2];
        g.lda = (g.k + 15) / 16 * 16, g.ldb = (bits8 ? g.n : g.k) + 15, g.ldb -= g.ldb % 16, g.ldd = 8192;
        g.a = g.b = g.d = g.workspace = memory, g.workspace_size = 1 << 27;
        found = tc__gemm_search(&given, &g, &on);
        kept = tc__gemm_choose(&given, &g, &on);
        other += found.kernel != kept.kernel || found.width != kept.width || found.cluster != kept.cluster
              || found.parts != kept.parts || found.meet != kept.meet;
        refused += !tc__gemm_line_ok(given, tc__gemm_tiles_of[kept.kernel - 1]);
        found = tc__gemm_search(&plain, &g, &on);
        differ += found.kernel != kept.kernel || found.parts != kept.parts;
    }
    CHECK(other == 0, "%d of 1000 choices are those of another generator", other);
    CHECK(refused == 0, "%d of 1000 choices are of kernels that are not there", refused);
    CHECK(differ > 0, "no choice depends on the generator: this test shows nothing about it");
}

/* ---- which kernels serve ---- */
/* TC_GEMM_DEFINE's kernels for Hopper keep the rules of TC_GEMM_SM90_DEFINE, which nobody asserts of them, in every
 * type and layout, with whatever else comes of a tile: or its model would pick widths that a kernel has not. */
static tc_f32x2 pair_hook(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x;
}
static float gate_hook(float x, float y, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x + y;
}
static tc_gemm_config hopper_lines_config(int type, int layout, int more)
{
    static const int types[6][2] = {{TC_BF16, TC_BF16}, {TC_F16, TC_F32}, {TC_E4M3, TC_BF16}, {TC_E5M2, TC_F32},
                                    {TC_S8, TC_S32}, {TC_TF32, TC_F32}};
    tc_gemm_config c;
    memset(&c, 0, sizeof c);
    c.a = c.b = types[type][0], c.d = types[type][1];
    c.a_layout = layout & 1 ? TC_COL : TC_ROW, c.b_layout = layout & 2 ? TC_ROW : TC_COL;
    c.d_layout = layout & 4 ? TC_COL : TC_ROW;
    if (more == 1) c.epi2 = pair_hook, c.epi_size = TC_NO_ARGS;
    if (more == 2) c.row_sum = TC_SUM;
    if (more == 3) c.aux = TC_F32, c.aux_what = TC_AUX_PRE;
    if (more == 4) c.gate = gate_hook, c.epi_size = TC_NO_ARGS;
    if (more == 5) c.d = TC_E4M3, c.d_scale = TC_SCALE_1X128;
    if (more == 6) c.rows = TC_SOFTMAX;
    if (more == 7) c.a_scale = TC_SCALE_1X128, c.b_scale = TC_SCALE_128X128;
    return c;
}
static void test_hopper_lines(void)
{
    int i, j;
    for (i = 0; i < 6 * 8 * 8 * 3; i++) {
        static const int promotes[3] = {0, TC_FAST, 256};
        tc_gemm_config c = hopper_lines_config(i % 6, i / 6 % 8, i / 48 % 8);
        int legal = 0; /* what no line has is the user's own fault, and asserted */
        c.promote = promotes[i / 384];
        if ((c.promote && !tc__gemm_is_fp8(c.a)) || !tc__gemm_by_wgmma(c)) continue;
        for (j = 0; j < TC__GEMM_TILE_COUNT; j++)
            legal += tc__gemm_line_ok(c, tc__gemm_tiles_of[j])
                  && tc_gemm_sm90_legal(tc__gemm_tiled(c, tc__gemm_tiles_of[j]));
        for (j = 0; legal && j < TC__GEMM_TILE_COUNT; j++)
            CHECK(!tc__gemm_line_ok(c, tc__gemm_tiles_of[j])
                      || tc_gemm_sm90_legal(tc__gemm_tiled(c, tc__gemm_tiles_of[j])),
                  "%s, layouts %d, more %d, promote %d, line %d", tc_type_name(c.a), i / 6 % 8, i / 48 % 8, c.promote,
                  j + 1);
    }
}

/* Rows of any alignment have constants of their own: cuts that were measured stay when those of the others are fitted
 * anew. (128 x 4098 x 14338 in 64 columns and two parts took a third longer on an H200.) */
static void test_choose_any(void)
{
    static TC_ALIGN(256) unsigned char memory[256];
    static const int cases[][6] = {
        {4100, 4100, 4100, 192, 2, 1},  {1001, 1001, 1001, 64, 1, 1},   {2047, 2047, 2047, 128, 2, 1},
        {513, 4099, 4097, 96, 1, 1},    {16, 4099, 4097, 32, 1, 4},     {4096, 4096, 4100, 224, 2, 1},
        {777, 777, 777, 64, 1, 1},      {256, 1026, 8190, 64, 2, 3},    {128, 4098, 14338, 128, 1, 4},
    };
    const tc__gemm_device h200 = tc__gemm_device_of(132, TC__H200_BANDWIDTH);
    tc_gemm_config given;
    size_t i;
    memset(&given, 0, sizeof given);
    given.a = given.b = given.d = TC_BF16;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tc_gemm_config c = tc__gemm_any_tiled(given);
        tc_gemm_cut cut;
        tc_gemm_args g;
        memset(&cut, 0, sizeof cut);
        memset(&g, 0, sizeof g);
        g.m = cases[i][0], g.n = cases[i][1], g.k = cases[i][2];
        g.lda = g.ldb = g.k, g.ldd = g.n, g.a = g.b = g.d = g.workspace = memory, g.workspace_size = 1 << 30;
        CHECK(tc__gemm90_cut(&c, &g, &h200, &cut) == TC_OK, "%s", tc_why());
        CHECK(cut.width == cases[i][3] && cut.cluster == cases[i][4] && cut.parts == cases[i][5],
              "%d x %d x %d: %d columns, cluster %d, %d parts", g.m, g.n, g.k, cut.width, cut.cluster, cut.parts);
    }
}

/* Looked-up rows of A on Hopper: each line of TC_GEMM_DEFINE's list keeps the rules, and no two blocks share them; what
 * has more for the producer's warps to do is left to the sm_80 kernels; and another call's choice is not taken. */
static void test_hopper_gathers(void)
{
    static const int types[5][2] = {{TC_F16, TC_F16}, {TC_BF16, TC_F32}, {TC_E4M3, TC_BF16}, {TC_S8, TC_S32},
                                    {TC_TF32, TC_F32}};
    const tc__device on = {0, 90, 132, 3350};
    tc_gemm_config c;
    tc_gemm_args g;
    int i, j, promote;
    memset(&c, 0, sizeof c);
    memset(&g, 0, sizeof g);
    c.groups = TC_GROUPS_ROWS, c.index = TC_INDEX_A | TC_INDEX_D;
    for (i = 0; i < 5; i++) {
        c.a = c.b = types[i][0], c.d = types[i][1];
        CHECK(tc__gemm_by_wgmma(c) && !tc__gemm_any_by_wgmma(c), "%s", tc_type_name(c.a));
        for (j = 0; j < TC__GEMM_TILE_COUNT; j++) {
            for (promote = 0; promote >= (tc__gemm_is_fp8(c.a) ? TC_FAST : 0); promote += TC_FAST) {
                c.promote = promote;
                const tc_gemm_config t = tc__gemm_tiled(c, tc__gemm_tiles_of[j]);
                CHECK(tc_gemm_sm90_legal(t) && t.cluster_n == 1, "%s, line %d", tc_type_name(c.a), j);
            }
        }
        c.promote = 0;
        c.b_layout = TC_ROW;
        CHECK(tc__gemm_by_wgmma(c) == tc__gemm_is_16(c.a), "%s, B in rows", tc_type_name(c.a));
        c.b_layout = 0;
    }
    c.a = c.b = TC_F32, c.d = TC_F32;
    CHECK(!tc__gemm_by_wgmma(c), "TC_F32");
    c.a = c.b = TC_E4M3, c.d = TC_BF16, c.b_scale = TC_SCALE_128X128;
    CHECK(!tc__gemm_by_wgmma(c), ".b_scale");
    c.b_scale = 0, c.a = c.b = TC_BF16, c.groups = 0, c.index = 0;
    g.m = 64, g.n = 4096, g.k = 4096, g.lda = g.ldb = 4096, g.ldd = 4096;
    {
        const uint64_t without = tc__gemm_hash(&c, &g, &on);
        c.index = TC_INDEX_A;
        CHECK(tc__gemm_hash(&c, &g, &on) != without, "a choice is another one's");
        CHECK(tc__gemm_search(&c, &g, &on).kernel > 0, "no kernel is chosen");
    }
}

/* What Blackwell's kernels have, and what TC_GEMM_DEFINE must not take them for: looked-up rows of A, by gather4, and
 * packed weights tcgen05's alone has. */
static void test_blackwell_serves(void)
{
    tc_gemm_config c;
    memset(&c, 0, sizeof c);
    c.a = c.b = c.d = TC_BF16;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), "bf16");
    c.groups = TC_GROUPS_ROWS;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), ".groups");
    c.a_scale = TC_SCALE_1X128, c.a = c.b = TC_E4M3;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".groups with factors");
    c.a_scale = 0, c.groups = 0, c.b = TC_E2M3;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), "fp8 times fp6");
    c.a = c.b = TC_BF16, c.groups = TC_GROUPS_ROWS, c.index = TC_INDEX_D;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), ".groups with rows of D looked up");
    c.index = TC_INDEX_A;
    CHECK(tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".groups with rows of A looked up");
    c.index = 0, c.groups = TC_GROUPS_K;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c) && !tc__gemm_by_wgmma(c), "TC_GROUPS_K");
    c.a_layout = TC_COL;
    CHECK(!tc__gemm_by_wgmma(c), "TC_GROUPS_K, k together in B");
    c.b_layout = TC_ROW;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c) && tc__gemm_by_wgmma(c), "TC_GROUPS_K, k outside");
    c.a_layout = c.b_layout = 0;
    c.groups = TC_GROUPS_ARRAY;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c) && tc__gemm_by_wgmma(c), "TC_GROUPS_ARRAY");
    c.shapes = TC_SHAPES_FEW_ROWS;
    CHECK(!tc__gemm_by_wgmma(c), "TC_GROUPS_ARRAY, few rows alone");
    c.shapes = 0, c.a = c.b = TC_TF32, c.d = TC_F32, c.a_layout = TC_COL;
    CHECK(!tc__gemm_by_wgmma(c), "TC_GROUPS_ARRAY of words in columns");
    c.a = c.b = c.d = TC_BF16, c.a_layout = 0;
    c.index = TC_INDEX_A, c.groups = 0;
    CHECK(tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".index");
    c.index = 0, c.weights = TC_S4;
    CHECK(!tc__gemm_by_tcgen05(c) && tc__gemm100_serves(c) && !tc__gemm_by_sm120(c), ".weights");
    CHECK(tc__gemm_by_wgmma(c) && tc__gemm100_lacks(&c, 107) && !tc__gemm100_lacks(&c, 103), ".weights");
    c.groups = TC_GROUPS_ROWS;
    CHECK(!tc__gemm100_serves(c) && !tc__gemm_by_wgmma(c), ".weights with .groups are mma.sync's");
    CHECK(!tc__gemm_simt_of(c, 75), "CUDA cores have no .weights");
    c.groups = 0, c.row_sum = TC_SUM;
    CHECK(!tc__gemm100_serves(c) && tc__gemm_by_wgmma(c), ".weights with .row_sum");
    c.row_sum = 0, c.weights = 0, c.triangle = TC_TRIANGLE_LOWER;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".triangle");
    c.triangle = 0, c.sparse = TC_SPARSE_A;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), ".sparse");
    c.sparse = 0, c.gate = gate_hook, c.epi_size = TC_NO_ARGS;
    CHECK(tc__gemm_by_tcgen05(c) && tc__gemm_by_sm120(c), ".gate");
    c.all_sum = TC_MAX_ABS;
    CHECK(tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".gate with .all_sum");
    c.all_sum = 0, c.a = c.b = TC_S8, c.d = TC_S8;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".gate to s8");
    c.a = c.b = TC_TF32, c.d = TC_F32, c.round = 1;
    CHECK(!tc__gemm_by_tcgen05(c) && !tc__gemm_by_sm120(c), ".gate of rounded tf32");
}

/* The lists of TC_GEMM_DEFINE there keep the rules with gates, which nobody asserts of them. */
static void test_blackwell_gates(void)
{
    static const tc__gemm100_tile tiles[TC__GEMM100_TILE_COUNT] = {
        TC__GEMM100_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    static const tc__gemm120_tile tiles120[TC__GEMM120_TILE_COUNT] = {
        TC__GEMM120_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    static const int groups[3] = {0, TC_GROUPS_ROWS, TC_GROUPS_MASKED};
    int i, j;
    for (i = 0; i < 6 * 2 * 3 * 2; i++) {
        tc_gemm_config c = hopper_lines_config(i % 6, 0, 4);
        if (c.d == TC_S32) c.d = TC_F32;
        c.groups = groups[i / 12 % 3];
        if (tc_type_bits(c.a) == 16 && i / 6 % 2 && !c.groups) c.a_layout = TC_COL;
        if (i / 36) c.row_sum = TC_MAX_ABS;
        for (j = 0; j < TC__GEMM100_TILE_COUNT; j++)
            CHECK(tc__gemm100_serves(c) && tc_gemm_sm100_legal(tc__gemm100_tiled(c, tiles[j])), "%d, tile %d", i, j);
        for (j = 0; j < TC__GEMM120_TILE_COUNT && !c.row_sum; j++)
            CHECK(tc__gemm120_serves(c) && tc_gemm_sm120_legal(tc__gemm120_tiled(c, tiles120[j])), "%d, tile %d", i, j);
    }
}

/* ---- Hopper's other kernel: few queries of causal heads of 64, many keys of heads of 128 without a mask ---- */
static void test_other(void)
{
    static const struct {
        int q, k, takes;
    } cases[] = {{1, 1, 1},     {128, 128, 1},   {256, 256, 1},   {512, 512, 1},   {640, 640, 1},  {768, 768, 0},
                 {896, 896, 0}, {1024, 1024, 1}, {1536, 1536, 0}, {2048, 2048, 0}, {128, 8192, 1}, {4096, 4096, 0}};
    tc_attn_config c;
    tc_attn_args g;
    size_t i;
    int none = 0;
    memset(&c, 0, sizeof c);
    memset(&g, 0, sizeof g);
    c.type = TC_BF16, c.head_dim = c.head_dim_v = 64, c.causal = 1;
    g.batch = g.heads = 1;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        g.q_len = cases[i].q, g.k_len = cases[i].k;
        CHECK(tc__attn90_takes_other(&c, &g) == cases[i].takes, "%d queries of %d keys", g.q_len, g.k_len);
    }
    g.q_len = g.k_len = 512, g.cu_q = &none;
    CHECK(!tc__attn90_takes_other(&c, &g), "packed: the longest is not every one");
    g.cu_q = 0, c.causal = 0;
    CHECK(!tc__attn90_takes_other(&c, &g), "no mask: no such kernel");
    c.causal = 1, c.head_dim = c.head_dim_v = 128;
    CHECK(!tc__attn90_takes_other(&c, &g), "heads of 128 have tiles of 128 anyhow");
    c.causal = 0;
    CHECK(!tc__attn90_takes_other(&c, &g), "512 keys are few");
    g.k_len = 2048;
    CHECK(tc__attn90_takes_other(&c, &g), "2048 keys are many");
    g.lens_k = &none;
    CHECK(!tc__attn90_takes_other(&c, &g), "how many keys there are is known on the device alone");
    g.lens_k = 0, c.window = 1;
    CHECK(!tc__attn90_takes_other(&c, &g), "a window: nobody sees many");
    c.window = 0, c.dropout = 1;
    CHECK(!tc__attn90_takes_other(&c, &g), "dropout is after the sums");
    c.dropout = 0, c.head_dim = c.head_dim_v = 256;
    CHECK(!tc__attn90_takes_other(&c, &g), "heads of 256: no such kernel");
}

/* ---- decoding: 32 heads over 8 of 128 in bf16, tiles of 64 keys and 32 KB ---- */
static tc_attn_config decode_call(tc_attn_args *g, int batch, int keys)
{
    tc_attn_config c;
    memset(&c, 0, sizeof c);
    memset(g, 0, sizeof *g);
    c.type = TC_BF16, c.head_dim = 128;
    g->batch = batch, g->q_len = 1, g->k_len = keys, g->heads = 32, g->heads_kv = 8;
    return tc_attn_decode_config(c);
}

/* Without a workspace: blocks that share a unit's keys. */
static void test_decode_share(void)
{
    static const tc__decode_device h200 = {132, {264, 130, 64, 30, 14}, 4917},
                                   no_16 = {132, {264, 130, 64, 30, 0}, 4917},
                                   a100 = {108, {216, 0, 0, 0, 0}, 1555}, small = {4, {8, 4, 2, 1, 0}, 0};
    /* heads: so many of K and V too */
    static const struct {
        const tc__decode_device *on;
        int batch, keys, heads, asked, window;
        unsigned cluster, blocks;
    } cases[] = {
        {&h200, 1, 65536, 0, 0, 0, 16, 128},  {&h200, 1, 4096, 0, 0, 0, 16, 128}, {&h200, 1, 512, 0, 0, 0, 8, 64},
        {&h200, 1, 256, 0, 0, 0, 1, 8},       {&h200, 1, 64, 0, 0, 0, 1, 8},      {&h200, 1, 0, 0, 0, 0, 1, 8},
        {&h200, 2, 65536, 0, 0, 0, 8, 128},   {&h200, 4, 4096, 0, 0, 0, 4, 128},  {&h200, 8, 8192, 0, 0, 0, 4, 256},
        {&h200, 16, 2048, 0, 0, 0, 2, 256},   {&h200, 64, 8192, 0, 0, 0, 1, 264}, {&h200, 256, 512, 0, 0, 0, 1, 264},
        {&no_16, 1, 65536, 0, 0, 0, 8, 64},   {&a100, 1, 65536, 0, 0, 0, 1, 8},   {&small, 1, 65536, 0, 0, 0, 1, 8},
        {&h200, 1, 65536, 1, 0, 0, 16, 16},   {&h200, 1, 65536, 1, 5, 0, 4, 4},   {&h200, 1, 65536, 0, 1, 0, 1, 1},
        {&h200, 1, 65536, 0, 64, 0, 8, 64},   {&h200, 1, 65536, 0, 0, 99, 1, 8},  {&h200, 1, 65536, 0, 0, 511, 8, 64},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_attn_args g;
        tc__decode_cut cut;
        tc_attn_config c = decode_call(&g, cases[i].batch, cases[i].keys);
        memset(&cut, 0, sizeof cut);
        c.window = cases[i].window != 0;
        g.blocks = cases[i].asked;
        if (cases[i].heads) g.heads = g.heads_kv = cases[i].heads;
        g.window_left = cases[i].window, g.window_right = 0;
        CHECK(tc__decode_cut_of(&c, &g, 0, cases[i].on->clusters[0], &cut) == TC_OK, "%s", tc_why());
        CHECK(cut.cluster == 1 && cut.workspace == 0, "case %d: clusters of %u", (int)i, cut.cluster);
        tc__decode_share(&c, &g, cases[i].on, &cut);
        CHECK(cut.cluster == cases[i].cluster && cut.blocks == cases[i].blocks && cut.least == 1,
              "case %d: %u blocks in clusters of %u, wants %u in %u", (int)i, cut.blocks, cut.cluster, cases[i].blocks,
              cases[i].cluster);
    }
}

/* ... and with one: do parts meet there (clusters of 1 with a workspace), or sooner? */
static void test_decode_best_cut(void)
{
    static const tc__decode_device h200 = {132, {264, 130, 64, 30, 14}, 4917}, a100 = {108, {216, 0, 0, 0, 0}, 1555};
    static int lens[1];
    static const struct {
        const tc__decode_device *on;
        int batch, keys, told, small; /* told: lengths on the device; small: the workspace, by a byte */
        unsigned cluster, there;
    } cases[] = {
        {&h200, 1, 65536, 0, 0, 1, 1}, {&h200, 1, 4096, 0, 0, 16, 0},  {&h200, 1, 4096, 1, 0, 16, 0},
        {&h200, 1, 4096, 0, 1, 1, 1},  {&h200, 16, 2048, 0, 0, 2, 0},  {&h200, 16, 2048, 1, 0, 1, 1},
        {&h200, 64, 8192, 0, 0, 1, 0}, {&h200, 64, 8192, 1, 0, 1, 1},  {&h200, 256, 512, 0, 0, 1, 0},
        {&h200, 1, 32768, 0, 0, 1, 1}, {&a100, 1, 65536, 0, 0, 1, 1}, {&a100, 64, 8192, 0, 0, 1, 0},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tc_attn_args g;
        tc__decode_cut cut;
        const tc_attn_config c = decode_call(&g, cases[i].batch, cases[i].keys);
        memset(&cut, 0, sizeof cut);
        g.lens_k = cases[i].told ? lens : 0;
        CHECK(tc__decode_cut_of(&c, &g, 1, cases[i].on->clusters[0], &cut) == TC_OK && cut.workspace, "%s", tc_why());
        g.workspace = &cut, g.workspace_size = cut.workspace - (size_t)cases[i].small;
        CHECK(tc__decode_best_cut(&c, &g, cases[i].on, &cut) == TC_OK, "%s", tc_why());
        CHECK(cut.cluster == cases[i].cluster && (cut.workspace != 0) == (cases[i].there != 0),
              "case %d: clusters of %u, %d bytes of workspace", (int)i, cut.cluster, (int)cut.workspace);
    }
}

int main(void)
{
    test_seed(1);
    test_tiles();
    test_divide();
    test_split();
    test_cut();
    test_brief();
    test_choose_few();
    test_choose();
    test_choose_sums();
    test_choose_lines();
    test_choose_any();
    test_hopper_lines();
    test_hopper_gathers();
    test_blackwell_serves();
    test_blackwell_gates();
    test_other();
    test_decode_share();
    test_decode_best_cut();
    return test_end();
}
