/* fatbin.c - finds the PTX for a device in a fat binary.
 *
 * A fat binary: u32 magic, u16 version, u16 header size, u64 payload size, then entries, each a header and its payload:
 *    0 u16 kind            2 u16 version          4 u32 header size (64, more where there are names or options)
 *    8 u64 payload size, padded to 8              16 u32 payload size where compressed, else 0
 *   24 u16 minor, u16 major of the PTX or ELF     28 u32 arch: 90
 *   32 u32 offset and 36 u32 length of the source's name
 *   40 u64 flags                                  56 u64 size when decompressed
 * nvcc 13.0 compresses with zstd by default (--compress-mode=balance, size), with LZ4 for --compress-mode=speed. */
#include "fatbin.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_PTX = 1, KIND_ELF = 2, KIND_CUBIN = 4, KIND_LTO = 8, ENTRY_HEADER = 64, MAX_PRELINKED = 4096 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000, FLAG_A = 0x100000, FLAG_F = 0x200000 };
static const uint32_t FATBIN_MAGIC = 0xBA55ED50, WRAPPER_MAGIC = 0x466243B1;
static const size_t LIMIT = (size_t)1 << 30;            /* nothing honest claims more */

/* What __cudaRegisterFatBinary is handed. */
typedef struct {
    uint32_t magic, version;
    const void *data;
    /* version 2, of -rdc=true: the fat binaries that were linked, then NULL */
    const void *const *prelinked;
} wrapper;

typedef struct {
    int kind, arch;
    char suffix;
    uint64_t flags;
    const uint8_t *payload;
    size_t size, compressed, full;
} entry;

/* The entries still to come; the state of next_entry(). */
typedef struct {
    const uint8_t *p, *entries_end, *end;               /* end: of the last fat binary */
    int damaged;
} reader;

static uint64_t le(const uint8_t *p, int bytes)
{
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

static int fail(fatbin_ptx *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(p->why, sizeof p->why, format, args);
    va_end(args);
    return -1;
}

/* --- which PTX runs where --------------------------------------------------------------------------------------- */

/* Chips that share 'f' code; 110 was called 101 until CUDA 13. */
static int family(int sm) { return sm == 101 ? 110 : sm / 10 * 10; }

/* How well PTX of arch and suffix suits the device: 0 not at all, else the higher the better. */
static int rank(int arch, char suffix, int sm, char sm_suffix)
{
    if (arch <= 0) return 0;
    if (arch == sm && suffix == sm_suffix) return 1 << 24;
    if (suffix == 'a') return arch == sm ? 1 << 23 : 0;
    if (suffix == 'f') return family(arch) == family(sm) && arch <= sm ? (1 << 22) + arch : 0;
    return suffix == 0 && arch <= sm ? arch : 0;
}

/* --- PTX text --------------------------------------------------------------------------------------------------- */

/* over white space and comments */
static const char *skip(const char *s)
{
    for (;;) {
        while (isspace((unsigned char)*s)) s++;
        if (s[0] == '/' && s[1] == '/') s += strcspn(s, "\n");
        else if (s[0] == '/' && s[1] == '*') {
            const char *e = strstr(s + 2, "*/");
            s = e ? e + 2 : s + strlen(s);
        } else return s;
    }
}

/* Reads ".version 9.0 .target sm_90a". -1 where the text does not begin so. */
static int ptx_target(const char *s, int *arch, char *suffix)
{
    s = skip(s);
    if (strncmp(s, ".version", 8)) return -1;
    s = skip(s + 8);
    s = skip(s + strspn(s, "0123456789."));
    if (strncmp(s, ".target", 7)) return -1;
    s = skip(s + 7);
    if (strncmp(s, "sm_", 3)) return -1;
    s += 3;
    size_t digits = strspn(s, "0123456789");
    if (digits == 0 || digits > 4) return -1;
    *arch = atoi(s);
    s += digits;
    *suffix = *s == 'a' || *s == 'f' ? *s++ : 0;
    return isalnum((unsigned char)*s) ? -1 : 0;
}

/* Plain text: p takes a copy of it. */
static int from_text(const char *text, size_t size, int sm, char suffix, fatbin_ptx *p)
{
    const char *zero = size ? memchr(text, 0, size) : NULL;
    size_t n = zero ? (size_t)(zero - text) : size ? size : strlen(text);
    if (n > LIMIT) return fail(p, "the PTX is longer than 1 GiB");
    if (!(p->text = malloc(n + 1))) return fail(p, "no memory for %zu bytes of PTX", n);
    memcpy(p->text, text, n);
    p->text[n] = 0;
    p->length = n;
    if (ptx_target(p->text, &p->arch, &p->suffix) < 0)
        p->invalid = 1,
        fail(p, "the image is neither a fat binary nor PTX: PTX begins with .version and .target sm_<arch>");
    else if (!rank(p->arch, p->suffix, sm, suffix))
        fail(p, "the PTX is for sm_%d%.1s, which does not run on sm_%d%.1s: compile it with -arch=compute_%d%.1s",
             p->arch, &p->suffix, sm, &suffix, sm, &suffix);
    else return 0;
    free(p->text);
    p->text = NULL;
    return -1;
}

/* --- entries ---------------------------------------------------------------------------------------------------- */

/* Makes r read what lies at image. -1: not a fat binary, or cut short. */
static int open_fatbin(reader *r, const uint8_t *image, const uint8_t *end)
{
    if (end && end - image < 16) return -1;
    uint64_t header = le(image + 6, 2), payload = le(image + 8, 8);
    if ((uint32_t)le(image, 4) != FATBIN_MAGIC || header < 16 || payload > LIMIT) return -1;
    if (end && header + payload > (uint64_t)(end - image)) return -1;
    r->p = image + header;
    r->entries_end = r->p + payload;
    r->end = end ? end : r->entries_end;
    return 0;
}

/* The next entry: 1, or 0 at the end, where r->damaged tells whether the headers made sense up to there. */
static int next_entry(reader *r, entry *e)
{
    while (r->p == r->entries_end) {
        while (r->p != r->end && *r->p == 0) r->p++;    /* sections are padded */
        if (r->p == r->end) return 0;
        if (open_fatbin(r, r->p, r->end) < 0) {
            r->damaged = 1;
            return 0;
        }
    }
    size_t left = (size_t)(r->entries_end - r->p);
    r->damaged = 1;
    if (left < ENTRY_HEADER) return 0;
    uint64_t header = le(r->p + 4, 4), size = le(r->p + 8, 8);
    if (header < ENTRY_HEADER || header > left || size > left - header) return 0;
    r->damaged = 0;
    e->flags = le(r->p + 40, 8);
    e->kind = (int)le(r->p, 2);
    uint64_t arch = le(r->p + 28, 4);
    e->arch = arch < 10000 ? (int)arch : 0;
    e->suffix = e->flags & FLAG_A ? 'a' : e->flags & FLAG_F ? 'f' : 0;
    e->payload = r->p + header;
    e->size = (size_t)size;
    e->compressed = (size_t)le(r->p + 16, 4);
    uint64_t full = le(r->p + 56, 8);
    e->full = full > LIMIT ? LIMIT + 1 : (size_t)full;
    r->p = e->payload + size;
    return 1;
}

/* The text of a PTX entry: p->text and p->length. */
static int unpack(const entry *e, fatbin_ptx *p)
{
    int packed = (e->flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
    size_t full = packed ? e->full : e->size;
    if (full > LIMIT) return fail(p, "PTX compute_%d%.1s claims to be longer than 1 GiB", e->arch, &e->suffix);
    if (packed && e->compressed > e->size) return fail(p, "PTX compute_%d%.1s is cut short", e->arch, &e->suffix);
    /* neither compression shrinks more than this; a small file shall not claim much memory */
    if (packed && full / 65536 > e->compressed)
        return fail(p, "PTX compute_%d%.1s claims an impossible size", e->arch, &e->suffix);
    char *text = malloc(full + 1);
    if (!text) return fail(p, "no memory for %zu bytes of PTX", full);
    long n = (long)full;
    if (!packed) memcpy(text, e->payload, full);
    else if (e->flags & FLAG_ZSTD) n = zstd_decompress(e->payload, e->compressed, text, full);
    else n = lz4_block_decompress(e->payload, e->compressed, text, full);
    if (n < 0 || (size_t)n != full) {
        free(text);
        return fail(p, "PTX compute_%d%.1s is damaged: it does not decompress to its %zu bytes", e->arch, &e->suffix,
                    full);
    }
    text[full] = 0;
    p->text = text;
    p->length = strlen(text);                           /* it may be padded with zeros */
    return 0;
}

/* --- saying what is there --------------------------------------------------------------------------------------- */

static void append(char *list, size_t cap, const char *item)
{
    size_t n = strlen(list);
    if (n >= 4 && !strcmp(list + n - 4, " ...")) return;
    if (n + strlen(item) + 8 < cap) snprintf(list + n, cap - n, "%s%s", n ? ", " : "", item);
    else snprintf(list + n, cap - n, " ...");
}

static void describe(const uint8_t *image, const uint8_t *end, char *list, size_t cap)
{
    reader r = { 0 };
    entry e;
    list[0] = 0;
    if (open_fatbin(&r, image, end) < 0) return;
    while (next_entry(&r, &e)) {
        char item[64];
        if (e.kind == KIND_ELF || e.kind == KIND_CUBIN)
            snprintf(item, sizeof item, "machine code sm_%d%.1s", e.arch, &e.suffix);
        else if (e.kind == KIND_PTX) snprintf(item, sizeof item, "PTX compute_%d%.1s", e.arch, &e.suffix);
        else if (e.kind == KIND_LTO) snprintf(item, sizeof item, "LTO code lto_%d%.1s", e.arch, &e.suffix);
        else snprintf(item, sizeof item, "code of kind %d", e.kind);
        append(list, cap, item);
    }
}

/* --- the choice ------------------------------------------------------------------------------------------------- */

static int from_fatbin(const uint8_t *image, const uint8_t *end, int sm, char suffix, fatbin_ptx *p)
{
    reader r = { 0 };
    entry e;
    int best = 0;
    if (open_fatbin(&r, image, end) < 0)
        return p->invalid = 1, fail(p, "the fat binary is damaged: it is cut short or its header is wrong");
    while (next_entry(&r, &e)) {
        int k = e.kind == KIND_PTX ? rank(e.arch, e.suffix, sm, suffix) : 0;
        /* the .target line has the last word: toolkits older than the flags leave a suffix to it */
        if (!k || (k <= best && (e.suffix || e.arch < 90))) continue;
        fatbin_ptx q = { 0 };
        int bad = unpack(&e, &q);
        if (!bad && ptx_target(q.text, &q.arch, &q.suffix) < 0)
            bad = fail(&q, "PTX compute_%d%.1s is damaged: it does not begin with .version and .target sm_<arch>",
                       e.arch, &e.suffix);
        if (!bad && (k = rank(q.arch, q.suffix, sm, suffix)) > best) {
            free(p->text);
            *p = q;
            best = k;
            continue;
        }
        free(q.text);
        if (bad) {                                      /* rather than run older code in silence */
            free(p->text);
            *p = q;
            p->text = NULL;
            return -1;
        }
    }
    if (r.damaged) {
        free(p->text);
        p->text = NULL;
        return p->invalid = 1, fail(p, "the fat binary is damaged: an entry reaches beyond its end");
    }
    if (best) return 0;
    char list[128];
    describe(image, end, list, sizeof list);
    return fail(p,
                "the fat binary has no PTX that sm_%d%.1s can run (it has: %s): compile with -gencode "
                "arch=compute_%d%.1s,code=compute_%d%.1s", sm, &suffix, *list ? list : "nothing", sm, &suffix, sm,
                &suffix);
}

/* With -rdc=true the wrapper's own fat binary has linked machine code only, and the PTX of every source file lies in
 * those that were linked. A single one of them with PTX is the whole program; several would have to be linked. */
static int from_wrapper(const wrapper *w, int sm, char suffix, fatbin_ptx *p)
{
    if (!w->data) return fail(p, "the fat binary's wrapper points nowhere");
    if ((uint32_t)le(w->data, 4) != FATBIN_MAGIC)
        return fail(p, "the fat binary's wrapper points to something else than a fat binary");
    if (from_fatbin(w->data, NULL, sm, suffix, p) == 0) return 0;
    if (w->version != 2 || !w->prelinked) return -1;
    int found = 0;
    fatbin_ptx one;
    for (int i = 0; i < MAX_PRELINKED && w->prelinked[i] && found < 2; i++) {
        memset(&one, 0, sizeof one);
        if (from_fatbin(w->prelinked[i], NULL, sm, suffix, &one) < 0) continue;
        if (++found == 1) *p = one;
        else free(one.text);
    }
    if (found < 2) return found == 1 ? 0 : -1;
    free(p->text);
    p->text = NULL;
    return fail(p,
                "the program was compiled with -rdc=true, and the PTX of its source files is not linked: compile "
                "without -rdc=true, or all of it as one source file");
}

static int find(const uint8_t *image, size_t size, int sm, char suffix, fatbin_ptx *p)
{
    /* text of unknown length may be shorter than a magic number: no byte is looked at behind a 0 */
    uint8_t magic[4] = { 0 };
    for (size_t i = 0; i < 4 && (!size || i < size); i++)
        if (!(magic[i] = image[i])) break;
    uint32_t m = (uint32_t)le(magic, 4);                /* none of the magic numbers has a 0 in it */
    if (m == FATBIN_MAGIC) return from_fatbin(image, size ? image + size : NULL, sm, suffix, p);
    if (m == WRAPPER_MAGIC) {
        wrapper w;
        if (size && size < sizeof w) return fail(p, "the fat binary's wrapper is cut short");
        memcpy(&w, image, sizeof w);
        return from_wrapper(&w, sm, suffix, p);
    }
    if (!memcmp(magic, "\177ELF", 4)) {
        /* the sm is the second byte of e_flags since CUDA 13, before it the first */
        char arch[16] = "";
        if (!size || size >= 64) snprintf(arch, sizeof arch, " for sm_%d", image[8] > 7 ? image[49] : image[48]);
        return fail(p,
                    "the image is machine code (an ELF cubin%s) without PTX: compile with -gencode arch=compute_%d%.1s,"
                    "code=compute_%d%.1s, or load PTX", arch, sm, &suffix, sm, &suffix);
    }
    return from_text((const char *)image, size, sm, suffix, p);
}

int fatbin_find_ptx(const void *image, size_t size, int sm, char suffix, fatbin_ptx *p)
{
    memset(p, 0, sizeof *p);
    if (!image) return fail(p, "there is no image");
    if (find(image, size, sm, suffix, p) < 0) return -1;
    p->why[0] = 0;
    return 0;
}
