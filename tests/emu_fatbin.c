/* emu_fatbin.c - tests of the fat binary reader and of its two decompressors.
 *   emu_fatbin [N SEED [REFERENCE.fatbin OTHER.fatbin...]]
 * N: mutated inputs for each of the readers. REFERENCE: made by nvcc --no-compress; every OTHER, made of the same
 * source and targets with some --compress-mode, must give the same PTX for every device. */
#include "../emu/fatbin.h"
#include "test.h"

/* --- known frames ----------------------------------------------------------------------------------------------- */

/* Content is written as pieces kind:seed:length, each of which the compressor was made to end a block at:
 * t PTX-like text, n noise, s noise over 31 letters, l noise over 3 values, z zeros. */
typedef struct { const char *content, *hex; } vector;

/* Among them: raw, RLE and compressed blocks; literals raw, RLE, Huffman with one stream and four, treeless; trees with
 * weights direct and FSE-compressed; tables predefined, RLE, described and repeated; with content size and checksum and
 * without. */
static const vector zstd_vectors[] = {
    { "z:70:5000 l:26:19",
      "28b52ffd00184400000800010084d30321540000328101812189a18b6b00010000" },
    { "z:58:43 z:95:60",
      "28b52ffd24674400001000000100208005e20100000100006d03e65c" },
    { "t:55:1 l:68:150 l:11:43",
      "28b52ffd24c208000025ec0200a40200000201020200010002020001010002010100010100000202000200020001000101000101020001"
      "020016a8e08e886b06300203ddf5108868b1017d3483d0cf00d93bcc787b6f884513ce4297947f05bc414fa3b66bcbb2f52703b4000040"
      "020002020001000006fca68420b82aad375cde5e05010000526f1941" },
    { "l:52:15 z:61:70000 l:94:30",
      "28b52ffda09d1101004c0000f240018111f162e400828b08005c0000e3c10145c58e5643080c00010000" },
    { "z:47:465 s:84:33",
      "28b52ffd60f20044000008000100cd2a1002f400001282060ce0190e63ab2db794b201001d794e84dd5792b91c20dbca1a2900010000" },
    { "z:20:8",
      "28b52ffd20081c0000410000010000" },
    { "z:27:9",
      "28b52ffd24091c00004900000100003d2fcd0d" },
    { "t:28:32 t:59:58",
      "28b52ffd245a0001002c203232257264373962726120244c5f5f4242305f6d6f762e753332206d6f765c0100240234373630256633342c"
      "2033375b25726434385b5d3433736574702e6c742e7333322003140305c585810100006b8d7c10" },
    { "l:18:296 l:86:282",
      "28b52ffd6042015c020086d2118111100010000f00140d07f08db05a0681aa8e8a50c7ca12d551ad941b8c5ab162297c400255e115b748"
      "50d239aea5fab5d560b5d54b2ae466c0a18210800028268114a700494000440200a711110f000f001000d582d25a5c163f5b40aa5e45b7"
      "4b08591c43cb06609aa16a3005353836145121a8812d4475a920ea55248bdc50030141b044518328951e4524554351222800010000" },
    { "l:32:818 l:57:49",
      "28b52ffd00008c070062c7068121a147e52d514569531ec812946aa1a0c4925538b2720d2c89028080a8b1aae254da3720024210837803"
      "1010d6ea169408be81f5a8b1b5ee96816d9b00ec96ffa88a6baf8ed71922a7fbdabab4400957a4fc7728c431d5297a47a1940932a21197"
      "7a367dbcac9582697895f77f0ed3df6e7bd0a6b99778027f853f022d0dd3c0e6da37b72fab83fb8b4d876a3b65646307613ca27e80d68f"
      "7748e6f2318fe8f576644579a0feec635d6ea07a8812973c341136961bafeb8c2d575f68d7e130a88e3a30d755718152119c029ea60976"
      "00e0d9eddfdda4d9e2fa401c48a9ef2b741e3e164f8e925accb34a879b55e400003800000201000001084000b8446431887b6fd6f41c84"
      "9b1991d56502010000" },
    { "l:45:1055",
      "28b52ffd0408340700fa418403811135003700360031b41293f5096b70c79254eaa1d1205cdc3405a3b9b124699a445d8ca080461d4253"
      "67493ae36ae4208531918864b3c4f8af06d01a2be806a9a1bc9843649b1151821e2031091b0c487ea01a00c06952e9ab4090e031a54007"
      "445e11807908c5a9a803205c82a6a900a240111036c8afa94a4f5421080a845e91ca1f2c1342f1b10946b6d02eba6b614181a514a4183b"
      "171b506fc4574b0404729167711089d9ba080914b9bab0121dfa4eaa3ab0b5f85a1c1c6d2c024ac082080a06365054a4c2a8b068c7b9ad"
      "6890950a92045c4547163bb2c64d79555441000100008034bc25" },
    { "l:33:47 l:93:1050",
      "28b52ffd644903840000f2020381111c15c965a89158a6ad18003c0700ab418803370038003600bd8da2a805550b8a86e00a2e221c65d0"
      "0b8e8a9da2253a0d1a943ad7598b08450c55111836420fb6064d0d286940f48915a189d2247fa8592565a8143c238088a5e685024a302d"
      "2234ea0708c70372556a61544010e3c21e555acc0e2d90055b31ca020620580659118f4528d10201013614880131105eb5f24956c14e22"
      "490471b15c1d082b35458b860a75c6bde81e4bf0808000c4da81243c2a2a2622f20ab86b52db25dd64cb2a7583d019c6c69f20e2f43891"
      "a0921d03207551555489a01216142a426830085591824a0d2a40d585bc2a28e0b2202ebe48e98800010000e58d3a13" },
};
static const vector lz4_vectors[] = {
    { "t:5:300",
      "f70c25666d6f762e7533322036313b0a666d612e726e2e6633322037380d00f1145d31386164642e7336342038736574702e6c742e7333"
      "322025706c642e676c6f62616c3500442c2037312900f70262726120244c5f5f4242305f323625726450008431353b0a36365b377c0087"
      "322c2037325d34332300041b00fa005b25726434312c202572343125725d7e001a370f000a8d002835348300075b00342572645e0008e5"
      "00f30632335d363173742e7368617265642e623332203336290050206c642e67" },
    { "z:1:400",
      "1f000100ff78500000000000" },
    { "n:7:50",
      "f023cc262a587f8d7d7c1faa2be373e58201375cca9d804813f346397bc7e7bbb63268916aded18da7f4ceb583f0923db41b958d" },
};

static uint8_t *grow(const char *content, size_t *length)
{
    static const char *const words[14] = { "ld.global.f32 ", "st.shared.b32 ", "fma.rn.f32 ", "add.s64 ", "mov.u32 ",
                                           "%r", "%rd", "%f",
                                           ", ", ";\n", "[", "]", "bra $L__BB0_", "setp.lt.s32 %p" };
    uint8_t *out = malloc(200000);
    size_t at = 0;
    int used;
    char kind;
    uint32_t x, n;
    for (; sscanf(content, " %c:%u:%u%n", &kind, &x, &n, &used) == 3; content += used) {
        size_t end = at + n;
        while (at < end) {
            x = x * 1103515245 + 12345;
            uint32_t v = x >> 24;
            if (kind == 'n') out[at++] = (uint8_t)v;
            else if (kind == 's') out[at++] = (uint8_t)(97 + (v < 200 ? v % 7 : v % 26));
            else if (kind == 'l') out[at++] = (uint8_t)(v % 3);
            else if (kind == 'z') out[at++] = 0;
            else {
                for (const char *w = words[(x >> 16) % 14]; *w; w++) out[at++] = (uint8_t)*w;
                x = x * 1103515245 + 12345;
                if (x >> 28 & 1) at += (size_t)sprintf((char *)out + at, "%u", (x >> 16) % 97);
            }
        }
        at = end;
    }
    *length = at;
    return out;
}

/* exactly as long as its content, so that a sanitizer sees every step beyond it */
static uint8_t *unhex(const char *hex, size_t *length)
{
    *length = strlen(hex) / 2;
    uint8_t *out = malloc(*length);
    for (size_t i = 0; i < *length; i++) {
        unsigned v = 0;
        sscanf(hex + 2 * i, "%2x", &v);
        out[i] = (uint8_t)v;
    }
    return out;
}

typedef long decompressor(const void *, size_t, void *, size_t);

static void check_vector(const char *name, decompressor *decompress, const vector *v)
{
    size_t n, length;
    uint8_t *src = unhex(v->hex, &n), *want = grow(v->content, &length), *got = malloc(length);
    long r = decompress(src, n, got, length);
    CHECK(r == (long)length, "%s %s: %ld of %zu bytes", name, v->content, r, length);
    CHECK(r < 0 || !memcmp(got, want, length), "%s %s: wrong content", name, v->content);
    CHECK(decompress(src, n, got, length - 1) == -1, "%s %s: fits where it does not", name, v->content);
    for (size_t cut = 1; cut < n; cut++) {
        uint8_t *shorter = malloc(cut);
        memcpy(shorter, src, cut);
        r = decompress(shorter, cut, got, length);
        CHECK(r < (long)length, "%s %s: whole, though cut at %zu of %zu", name, v->content, cut, n);
        free(shorter);
    }
    free(src), free(want), free(got);
}

static void check_frames(void)
{
    size_t n1, n2, length;
    uint8_t *one = unhex(zstd_vectors[1].hex, &n1), *two = unhex(zstd_vectors[2].hex, &n2),
            *want = grow(zstd_vectors[1].content, &length);
    uint8_t src[2000], out[4000];
    static const uint8_t skippable[] = { 0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3 };
    memcpy(src, skippable, 11);
    memcpy(src + 11, one, n1);
    memcpy(src + 11 + n1, skippable, 11);
    memcpy(src + 22 + n1, two, n2);
    long whole = zstd_decompress(src, 22 + n1 + n2, out, sizeof out);
    CHECK(whole > (long)length && !memcmp(out, want, length), "two frames: %ld", whole);
    for (int i = 0; i < 4; i++) {                       /* dictionaries and the reserved bit are refused */
        src[15] = (uint8_t)(one[4] ^ 1 << i);
        if (i != 2) CHECK(zstd_decompress(src + 11, n1, out, sizeof out) == -1, "descriptor bit %d", i);
    }
    one[n1 - 1] ^= 1;
    CHECK(zstd_decompress(one, n1, out, sizeof out) == -1, "a wrong checksum passes");
    CHECK(zstd_decompress("", 0, NULL, 0) == 0 && zstd_decompress("abcdefgh", 8, out, 10) == -1, "no frame");
    CHECK(lz4_block_decompress("", 0, NULL, 0) == -1 && lz4_block_decompress("\0", 1, NULL, 0) == 0, "empty block");
    CHECK(lz4_block_decompress("\x10" "a\0\0\0", 5, out, 100) == -1, "offset 0");
    CHECK(lz4_block_decompress("\x10" "a\2\0\0", 5, out, 100) == -1, "offset before the start");
    free(one), free(two), free(want);
}

/* --- the choice of PTX ------------------------------------------------------------------------------------------ */

static uint8_t image[1 << 16];
static size_t image_size;

static void put(size_t at, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++) image[at + (size_t)i] = (uint8_t)(v >> (8 * i));
}

static void add_entry(int kind, int arch, uint64_t flags, const void *payload, size_t size, size_t full)
{
    size_t at = image_size, padded = (size + 7) / 8 * 8;
    memset(image + at, 0, 64 + padded);
    put(at, (uint64_t)kind, 2);
    put(at + 2, 0x101, 2);
    put(at + 4, 64, 4);
    put(at + 8, padded, 8);
    put(at + 16, full ? size : 0, 4);
    put(at + 28, (uint64_t)arch, 4);
    put(at + 40, flags | 0x11, 8);
    put(at + 56, full, 8);
    memcpy(image + at + 64, payload, size);
    image_size = at + 64 + padded;
}

/* Fills image from "80 90a 100f e90 l90": PTX, e machine code, l LTO, p with the suffix in the text alone;
 * "+" starts a second fat binary. */
static void build(const char *spec)
{
    size_t header = 0;
    int used;
    char word[16];
    put(0, 0xBA55ED50, 4), put(4, 0x100001, 4);
    image_size = 16;
    for (; sscanf(spec, " %15s%n", word, &used) == 1; spec += used) {
        if (*word == '+') {
            put(header + 8, image_size - header - 16, 8);
            header = image_size;
            memset(image + header, 0, 16);
            put(header, 0xBA55ED50, 4), put(header + 4, 0x100001, 4);
            image_size += 16;
            continue;
        }
        const char *digits = word + strspn(word, "elp");
        char text[96], suffix = digits[strspn(digits, "0123456789")];
        snprintf(text, sizeof text,
                 "\n// made by hand\n/* .target */.version 9.0\n.target sm_%s, debug\n.address_size 64\n", digits);
        uint64_t flags = *word == 'p' ? 0 : suffix == 'a' ? 0x100000 : suffix == 'f' ? 0x200000 : 0;
        add_entry(*word == 'e' ? 2 : *word == 'l' ? 8 : 1, atoi(digits), flags, text, strlen(text), 0);
    }
    put(header + 8, image_size - header - 16, 8);
}

/* Reads a copy that ends where the image ends. */
static int find(int known_size, int sm, char suffix, fatbin_ptx *p)
{
    uint8_t *copy = malloc(image_size);
    memcpy(copy, image, image_size);
    int r = fatbin_find_ptx(copy, known_size ? image_size : 0, sm, suffix, p);
    free(copy);
    return r;
}

static void check_choice(void)
{
    static const struct { const char *spec; int sm; char suffix; const char *want; } t[] = {
        { "80 90 90a 100", 90, 'a', "90a" },        { "80 90a 90", 90, 0, "90" },           { "80 90a", 90, 0, "90a" },
        { "75 80 e90", 90, 'a', "80" },             { "90a 80", 100, 'a', "80" },
        { "90a e100", 100, 'a', NULL },
        { "100f 100", 100, 'a', "100f" },           { "100f 103 90", 103, 'a', "100f" },
        { "103f 100f", 103, 'a', "103f" },
        { "100f 103a", 103, 'a', "103a" },          { "103f 90", 100, 'a', "90" },
        { "100f 90", 110, 'a', "90" },
        { "120f 120a 90", 121, 'a', "120f" },       { "121f 120", 120, 'a', "120" },        { "100f", 120, 'a', NULL },
        { "120 121", 110, 'a', NULL },              { "", 90, 'a', NULL },
        { "l90 e90", 90, 'a', NULL },
        { "p90 p90a 80", 90, 'a', "90a" },          { "p90a 80", 100, 'a', "80" },          { "p90a", 100, 'a', NULL },
        { "80 + 90a", 90, 'a', "90a" },             { "+ + 86", 89, 0, "86" },              { "87 86 80", 86, 0, "86" },
        { "101f", 110, 'a', "101f" },               { "52 61 70", 75, 0, "70" },
    };
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        fatbin_ptx p;
        char got[16] = "none";
        build(t[i].spec);
        int r = find(1, t[i].sm, t[i].suffix, &p);
        if (r == 0) snprintf(got, sizeof got, "%d%.1s", p.arch, &p.suffix);
        CHECK(!strcmp(got, t[i].want ? t[i].want : "none"), "[%s] on %d%c gives %s: %s", t[i].spec, t[i].sm,
              t[i].suffix ? t[i].suffix : ' ', got, p.why);
        CHECK(r == 0 ? p.length == strlen(p.text) && !*p.why : !p.text && strstr(p.why, "compile with"), "[%s]: %s",
              t[i].spec, p.why);
        free(p.text);
        if (!strchr(t[i].spec, '+')) {
            CHECK(find(0, t[i].sm, t[i].suffix, &p) == r, "[%s] without size", t[i].spec);
            free(p.text);
        }
    }
}

static void check_kinds(void)
{
    fatbin_ptx p;
    char text[] = ".version 8.0\n.target sm_90a\n";
    CHECK(fatbin_find_ptx(text, 0, 90, 'a', &p) == 0 && p.arch == 90 && p.suffix == 'a' && !strcmp(p.text, text),
          "text: %s", p.why);
    free(p.text);
    CHECK(fatbin_find_ptx(text, strlen(text), 90, 'a', &p) == 0 && p.length == strlen(text), "text of a size: %s",
          p.why);
    free(p.text);
    CHECK(fatbin_find_ptx(text, 0, 100, 'a', &p) == -1 && strstr(p.why, "sm_90a"), "text: %s", p.why);
    CHECK(fatbin_find_ptx("", 0, 90, 'a', &p) == -1 && fatbin_find_ptx(NULL, 0, 90, 'a', &p) == -1, "empty");
    CHECK(fatbin_find_ptx("\x50\xed", 0, 90, 'a', &p) == -1 && fatbin_find_ptx("x", 1, 90, 'a', &p) == -1, "short");

    uint8_t elf[64] = "\177ELF\2\1\1\x41\10";
    elf[48] = 4, elf[49] = 90;
    CHECK(fatbin_find_ptx(elf, sizeof elf, 90, 'a', &p) == -1 && strstr(p.why, "sm_90") && strstr(p.why, "compute_90a"),
          "cubin: %s", p.why);

    /* a wrapper, as __cudaRegisterFatBinary gets it; version 2 has the fat binaries that were linked */
    static uint8_t linked[sizeof image];
    struct { uint32_t magic, version; const void *data; const void *const *prelinked; } w = { 0x466243B1, 1, image,
        NULL };
    build("80 90a");
    CHECK(fatbin_find_ptx(&w, 0, 90, 'a', &p) == 0 && p.suffix == 'a', "wrapper: %s", p.why);
    free(p.text);
    memcpy(linked, image, image_size);
    const void *one[] = { linked, NULL }, *two[] = { linked, linked, NULL };
    build("e90");
    CHECK(fatbin_find_ptx(&w, 0, 90, 'a', &p) == -1 && strstr(p.why, "sm_90"), "wrapper: %s", p.why);
    w.version = 2, w.prelinked = one;
    CHECK(fatbin_find_ptx(&w, sizeof w, 90, 'a', &p) == 0 && p.suffix == 'a', "linked from one: %s", p.why);
    free(p.text);
    w.prelinked = two;
    CHECK(fatbin_find_ptx(&w, 0, 90, 'a', &p) == -1 && !p.text && strstr(p.why, "-rdc"), "linked from two: %s", p.why);
    w.data = &w;
    CHECK(fatbin_find_ptx(&w, 0, 90, 'a', &p) == -1, "a wrapper in a wrapper");
    w.data = NULL;
    CHECK(fatbin_find_ptx(&w, 0, 90, 'a', &p) == -1, "an empty wrapper");

    /* many entries: the sentence stays a sentence */
    char spec[400] = "";
    for (int i = 0; i < 60; i++) strcat(spec, "e100a ");
    build(spec);
    CHECK(find(1, 90, 'a', &p) == -1 && strstr(p.why, "...") && strstr(p.why, "code=compute_90a"), "%s", p.why);

    /* claims of size */
    size_t n;
    uint8_t *frame = unhex(zstd_vectors[0].hex, &n);
    const uint64_t full[] = { 1u << 20, 1u << 30, (1u << 30) + 1, UINT64_MAX, 4 };
    for (size_t i = 0; i < sizeof full / sizeof *full; i++) {
        build("");
        add_entry(1, 90, 0x8000, frame, n, full[i]);
        put(8, image_size - 16, 8);
        CHECK(find(1, 90, 'a', &p) == -1 && *p.why, "a claim of %llu bytes", (unsigned long long)full[i]);
        put(8, UINT64_MAX - i, 8);
        CHECK(find(1, 90, 'a', &p) == -1 && *p.why, "a payload of %llu bytes", (unsigned long long)(UINT64_MAX - i));
    }
    free(frame);
}

/* --- files of nvcc ---------------------------------------------------------------------------------------------- */

static uint8_t *read_whole(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data = malloc(16 << 20);
    *n = f ? fread(data, 1, 16 << 20, f) : 0;
    if (f) fclose(f);
    CHECK(*n, "cannot read %s", path);
    data = realloc(data, *n + 1);
    return data;
}

static const struct { int sm; char suffix; } devices[] = {
    { 75, 0 }, { 80, 0 }, { 86, 0 }, { 89, 0 }, { 90, 'a' }, { 100, 'a' }, { 103, 'a' }, { 110, 'a' }, { 120, 'a' },
    { 121, 'a' }
};

static void check_file(const char *reference, const char *path)
{
    size_t nr, n;
    uint8_t *r = read_whole(reference, &nr), *d = read_whole(path, &n);
    int found = 0;
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        fatbin_ptx a, b, c;
        int sm = devices[i].sm;
        char suffix = devices[i].suffix;
        int ra = fatbin_find_ptx(r, nr, sm, suffix, &a), rb = fatbin_find_ptx(d, n, sm, suffix, &b),
            rc = fatbin_find_ptx(d, 0, sm, suffix, &c);
        CHECK(ra == rb && rb == rc, "%s on sm_%d%.1s: %s", path, sm, &suffix, ra ? a.why : b.why);
        if (ra == 0 && rb == 0)
            CHECK(a.length == b.length && a.arch == b.arch && a.suffix == b.suffix && !strcmp(a.text, b.text),
                  "%s on sm_%d%.1s differs", path, sm, &suffix);
        found += ra == 0;
        free(a.text), free(b.text), free(c.text);
    }
    CHECK(found, "%s has PTX for no device", reference);
    free(r), free(d);
}

/* --- mutation --------------------------------------------------------------------------------------------------- */

/* A damaged copy of n bytes, of exactly the size that it returns in m. */
static uint8_t *mutate(const uint8_t *data, size_t n, size_t *m)
{
    static const uint8_t odd[] = { 0, 1, 3, 0x7f, 0x80, 0xfe, 0xff, 16, 64 };
    *m = test_int(0, 7) || n < 2 ? n : (size_t)test_int(1, (int)n - 1);
    uint8_t *out = malloc(*m);
    memcpy(out, data, *m);
    for (int k = test_int(0, 3) ? test_int(1, 3) : test_int(1, 30); k; k--) {
        /* mostly near the front, where the headers are */
        size_t at = (size_t)test_int(0, (int)(test_int(0, 1) && *m > 160 ? 160 : *m) - 1);
        switch (test_int(0, 3)) {
        case 0: out[at] ^= (uint8_t)(1 << test_int(0, 7)); break;
        case 1: out[at] = (uint8_t)test_random(); break;
        case 2: out[at] = odd[test_int(0, sizeof odd - 1)]; break;
        default: out[at] = out[test_int(0, (int)*m - 1)]; break;
        }
    }
    return out;
}

static long fuzz_decompressor(decompressor *decompress, const vector *v, int count, long n)
{
    long good = 0;
    for (long i = 0; i < n; i++) {
        size_t size, m, length;
        const vector *one = &v[test_int(0, count - 1)];
        uint8_t *src = unhex(one->hex, &size), *damaged = mutate(src, size, &m), *want = grow(one->content, &length);
        size_t cap = test_int(0, 3) ? length : (size_t)test_int(0, (int)length);
        uint8_t *out = malloc(cap + !cap);
        long r = decompress(damaged, m, out, cap);
        if (r < -1 || r > (long)cap) CHECK(0, "%ld bytes of %zu", r, cap);
        good += r >= 0;
        free(src), free(damaged), free(want), free(out);
    }
    return good;
}

static long fuzz_fatbin(const uint8_t *data, size_t size, long n)
{
    long good = 0;
    for (long i = 0; i < n; i++) {
        fatbin_ptx p;
        size_t m;
        uint8_t *damaged = mutate(data, size, &m);
        int which = test_int(0, sizeof devices / sizeof *devices - 1);
        /* a damaged magic number must not turn it into a wrapper, whose pointers are believed */
        if (m < 4 || memcmp(damaged, "\xb1\x43\x62\x46", 4)) {
            int r = fatbin_find_ptx(damaged, m, devices[which].sm, devices[which].suffix, &p);
            if (r == 0 ? !p.text || strlen(p.text) != p.length : p.text || !*p.why)
                CHECK(0, "result %d, text %p, why %s", r, (void *)p.text, p.why);
            good += r == 0;
            free(p.text);
        }
        free(damaged);
    }
    return good;
}

int main(int argc, char **argv)
{
    const int nz = sizeof zstd_vectors / sizeof *zstd_vectors, nl = sizeof lz4_vectors / sizeof *lz4_vectors;
    long n = argc > 1 ? atol(argv[1]) : 2000;
    test_seed(argc > 2 ? strtoull(argv[2], NULL, 0) : 1);
    for (int i = 0; i < nz; i++) check_vector("zstd", zstd_decompress, &zstd_vectors[i]);
    for (int i = 0; i < nl; i++) check_vector("lz4", lz4_block_decompress, &lz4_vectors[i]);
    check_frames();
    check_choice();
    check_kinds();
    for (int i = 4; i < argc; i++) check_file(argv[3], argv[i]);

    long good = fuzz_decompressor(zstd_decompress, zstd_vectors, nz, n) + fuzz_decompressor(lz4_block_decompress,
         lz4_vectors, nl, n);
    build("e80 80 90a + 100f 103 120f");
    good += fuzz_fatbin(image, image_size, n);
    for (int i = 3; i < argc; i++) {
        size_t size;
        uint8_t *data = read_whole(argv[i], &size);
        good += fuzz_fatbin(data, size, n / (argc - 3));
        free(data);
    }
    printf("%ld damaged inputs, %ld of them still readable\n", n * (argc > 3 ? 4 : 3), good);
    return test_end();
}
