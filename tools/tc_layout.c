/* tc_layout.c - draws which thread holds which element, where a swizzle or a TMA box puts it, and counts bank
 * conflicts. Here: its command line; tc_layout.h lists the other parts.
 *     cc -std=c11 -O2 -I. tools/tc_layout*.c -o build/tc_layout       from the repository's root; needs nothing else
 *     build/tc_layout --help
 *
 * It knows no layout of its own: every place comes from the functions of the headers (tc_frag_*, tc_swizzle*,
 * tc_layout_*, tc_tcgen05_*, tc_sp_*), so a picture is what a kernel gets. A command makes pictures, main has them
 * written as text or as one SVG.
 */
#include "../tc_swizzle.h"
#include "tc_layout.h"
#include <stdlib.h>

/* ---------------------------------------------------------------------------------------------------------------------
 * Failure: one sentence, exit 2.
 */
static const char *doing = ""; /* the command, for the sentence */

_Noreturn void fail(const char *format, ...)
{
    va_list list;
    fprintf(stderr, "tc_layout: %s%s", doing, *doing ? ": " : "");
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(2);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Command line: words and options. A command names the options that it takes.
 */
static struct {
    const char *word[8];
    int words;
    const char *name[24], *value[24];
    int options;
} args;

/* Option names with "=" take a value; "--svg" takes one if a word follows. */
static const char *const all_options[] = {
    "--svg=", "--lane=", "--elements", "--selector=", "--layout=", "--product=", "--type=", "--pack", "--split=",
    "--cta-group=", "--sp", "--ws", "--rows=", "--factors=", "--thread=", "--scale-vec=", "--byte=", "--row-bytes=",
    "--chunk=", "--view=", "--k=", "--lead=", "--stride=", "--dims=", "--box=", "--at=", "--steps=", "--padded",
    "--swizzle=", "--lower=", "--upper=", "--channels=", "--pixels=", "--offsets=", "--pattern=", "--bytes=",
    "--count="};

const char *option(const char *name)
{
    int i;
    for (i = 0; i < args.options; i++)
        if (!strcmp(args.name[i], name)) return args.value[i];
    return NULL;
}

int parse_int(const char *s, const char *what, long lo, long hi)
{
    char *end;
    const long x = strtol(s, &end, 0);
    if (end == s || *end || x < lo || x > hi)
        fail("%s is %s, but must be a number in %ld..%ld", what, *s ? s : "empty", lo, hi);
    return (int)x;
}

int number(const char *name, int unset, long lo, long hi)
{
    const char *s = option(name);
    return s ? parse_int(s, name, lo, hi) : unset;
}

/* "64,8,2" to out[0..]; returns how many */
int numbers(const char *name, int *out, int max, long lo, long hi)
{
    const char *s = option(name);
    char item[32];
    int n = 0;
    if (!s) return 0;
    for (;;) {
        const size_t length = strcspn(s, ",");
        if (n == max) fail("%s has more than %d numbers", name, max);
        print(item, sizeof item, "%.*s", (int)(length < 31 ? length : 31), s);
        out[n++] = parse_int(item, name, lo, hi);
        if (!s[length]) return n;
        s += length + 1;
    }
}

/* Index of `word` in a list of words set apart by blanks, or the sentence with the legal ones. */
int choose(const char *what, const char *word, const char *legal)
{
    const char *s = legal;
    int i;
    for (i = 0; *s; i++) {
        const size_t length = strcspn(s, " ");
        if (word && strlen(word) == length && !strncmp(s, word, length)) return i;
        s += length + strspn(s + length, " ");
    }
    if (word) fail("%s is %s, but must be one of: %s", what, *word ? word : "empty", legal);
    fail("%s is missing; it is one of: %s", what, legal);
}

const char *word(int i) { return i < args.words ? args.word[i] : NULL; }
void at_most(int words)
{
    if (args.words > words) fail("nothing is known of \"%s\" here", args.word[words]);
}

int type_of(const char *unset)
{
    const char *s = option("--type") ? option("--type") : unset;
    text legal = {0};
    int type;
    for (type = 1; type < TC_TYPE_COUNT; type++) {
        if (!strcmp(s, tc_type_name(type))) return type;
        say(&legal, "%s%s", type > 1 ? " " : "", tc_type_name(type));
    }
    fail("--type is %s, but must be one of: %s", s, legal.s);
}

static const struct {
    const char *name;
    int mode;
}
swizzles[] = {{"none", TC_SWIZZLE_NONE}, {"0", TC_SWIZZLE_NONE}, {"32", TC_SWIZZLE_32B}, {"64", TC_SWIZZLE_64B},
              {"96", TC_SWIZZLE_96B}, {"128", TC_SWIZZLE_128B},
                {"128_atom_32", TC_SWIZZLE_128B_ATOM_32B}, {"128_atom_32_flip_8", TC_SWIZZLE_128B_ATOM_32B_FLIP_8B},
                {"128_atom_64", TC_SWIZZLE_128B_ATOM_64B}};

int swizzle_of(const char *what, const char *s)
{
    text legal = {0};
    int i;
    for (i = 0; i < COUNT(swizzles); i++) {
        if (s && !strcmp(s, swizzles[i].name)) return swizzles[i].mode;
        say(&legal, "%s%s", i ? " " : "", swizzles[i].name);
    }
    if (s) fail("%s is %s, but must be one of: %s", what, s, legal.s);
    fail("%s is missing; it is one of: %s", what, legal.s);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Commands.
 */
static void command_list(void);

static const struct {
    const char *name, *words, *options, *text;
    void (*run)(void);
} commands[] = {
    /* one row a line */
    {"list", "", "", "every shape that the other commands take", command_list},
    {"mma", "SHAPE CLASS [a|b|d]", "--svg --lane --elements --layout --product --type", "fragments of mma.sync; CLASS b16 or a type like bf16", command_mma},
    {"mma-sp", "SHAPE CLASS [a|b|d|meta]", "--svg --lane --elements --selector", "fragments and metadata of mma.sp", command_mma_sp},
    {"ldmatrix", "SHAPE COUNT [trans]", "--svg --lane", "m8n8 x4 trans: which lane gets what of whose row", command_ldmatrix},
    {"stmatrix", "SHAPE COUNT [trans]", "--svg --lane", "the way back", command_stmatrix},
    {"wgmma", "d [N] | a [BITS] | meta [BITS]", "--svg --lane --elements --type --selector", "accumulators, A in registers, sparse metadata", command_wgmma},
    {"tcgen05-ld", "SHAPE [COUNT]", "--svg --lane --pack --split", "16x256b x2: registers of tcgen05.ld", command_tcgen05_ld},
    {"tcgen05-st", "SHAPE [COUNT]", "--svg --lane --pack --split", "the same of tcgen05.st", command_tcgen05_st},
    {"tmem-d", "M [N]", "--svg --cta-group --sp --ws", "where D lies in tensor memory", command_tmem_d},
    {"tmem-meta", "KIND [M]", "--svg --cta-group --ws --selector", "where the metadata of a sparse A lie there", command_tmem_meta},
    {"scale-factors", "tmem|memory|mma-a|mma-b", "--svg --rows --factors --thread --scale-vec --byte", "of block-scaled kinds", command_scale_factors},
    {"swizzle", "MODE", "--svg --type --rows --row-bytes --chunk --view --padded", "a tile of rows, and as it lies in the banks", command_swizzle},
    {"canonical", "k|mn MODE", "--svg --type --rows --k --lead --stride --padded", "layouts that wgmma's and tcgen05's descriptors name", command_canonical},
    {"tma-box", "", "--svg --dims --box --at --steps --swizzle --type --padded --rows", "a tensor copy's box in shared memory", command_tma_box},
    {"tma-im2col", "", "--svg --dims --lower --upper --channels --pixels --at --offsets --swizzle --type --padded --rows", "the same of im2col", command_tma_im2col},
    {"conflicts", "", "--svg --swizzle --row-bytes --pattern --bytes --count", "bank conflicts of an access by a warp", command_conflicts},
};

static void command_list(void)
{
    int i;
    at_most(0);
    printf("mma SHAPE CLASS a|b|d\n   ");
    list_mma(0);
    printf(" m8n8k4_b16 (written: mma m8n8k4 b16)\n    b16: f16 bf16; b32: tf32; b64: f64; b8: s8 u8 e4m3 e5m2, and "
           "e3m2 e2m3 e2m1 in bytes; b4: s4 u4 e2m1; b1\n");
    printf("mma-sp SHAPE CLASS a|b|d|meta\n   ");
    list_mma(1);
    printf("\nldmatrix m8n8 x1|x2|x4 [trans], m16n16 x1|x2 trans, m8n16 x1|x2|x4\n"
           "stmatrix m8n8 x1|x2|x4 [trans], m16n8 x1|x2|x4 trans\n"
           "wgmma d 8|16|..|256 [--type f16], a 16|32|8|1, meta 16|32|8 [--selector 0|1]\n"
           "tcgen05-ld, tcgen05-st 32x32b|16x64b|16x128b|16x256b|16x32bx2 x1..x128 [--pack] [--split COLUMNS]\n"
           "tmem-d 64|128 N, 128|256 N --cta-group 2, 32|64|128 N --ws, each also --sp\n"
           "tmem-meta f16|tf32|f8f6f4|i8|mxf8f6f4|mxf4|mxf4nvf4 M\n"
           "scale-factors tmem|memory --rows R --factors F, mma-a|mma-b --scale-vec 1|2|4 --thread T --byte B\n"
           "swizzle, canonical k|mn, --swizzle:");
    for (i = 0; i < COUNT(swizzles); i++) printf(" %s", swizzles[i].name);
    printf("\ntma-box --dims D0,D1,.. --box B0,B1,.. --at C0,C1,.. [--steps S0,S1,..] --swizzle MODE --type TYPE\n"
           "tma-im2col --dims C,W,H,N --channels C --pixels P --lower W,H --upper W,H [--offsets W,H] [--at C,W,H,N]\n"
           "conflicts --pattern row|column|ldmatrix|d|EXPRESSION --swizzle MODE --row-bytes B --bytes 1|2|4|8|16\n"
           "--type:");
    for (i = 1; i < TC_TYPE_COUNT; i++) printf(" %s", tc_type_name(i));
    printf("\n");
}

static void help(void)
{
    int i;
    printf("usage: tc_layout COMMAND [options]\n"
           "\n"
           "Draws which lane holds which element of a matrix instruction, where swizzles and TMA put a tile in shared "
           "memory, with bank\nnumbers, and counts bank conflicts. Text on stdout; with --svg FILE an SVG coloured by "
           "lane or bank (--svg alone: on stdout).\n\n");
    for (i = 0; i < COUNT(commands); i++) {
        printf("  %-13s %-30s %s\n", commands[i].name, commands[i].words, commands[i].text);
        if (strlen(commands[i].options) > 6) printf("  %-13s %s\n", "", commands[i].options + 6);
    }
    printf("\n"
           "  --lane N             only what this lane (thread of a warpgroup) holds; an SVG colours that lane alone\n"
           "  --elements           a cell for each element where a register would be one cell (8 bits and less)\n"
           "  --rows N             rows of the tile, or how many are drawn\n"
           "  --view tile|memory   of the two pictures of a swizzle this one\n"
           "  --padded             4-bit elements, 16 of them in 16 bytes\n"
           "  --pattern P          row: lanes side by side; column: a lane each row; ldmatrix: 16 x 16 of b16 (--count "
           "matrices); d: an\n                       accumulator's rows; or a C expression of lane: \"lane*16\" "
           "(byte), \"lane%%8, lane/8*16\" (row, byte)\n  --bytes N            of one lane: 1, 2, 4, 8 or 16\n"
           "\n"
           "  tc_layout mma m16n8k16 bf16 a --svg a.svg\n"
           "  tc_layout mma m16n8k16 bf16 d --lane 5\n"
           "  tc_layout swizzle 128 --type bf16\n"
           "  tc_layout tma-box --dims 100,60 --box 64,8 --at 64,56 --swizzle 128 --type bf16\n"
           "  tc_layout conflicts --pattern column --swizzle 128\n"
           "\n"
           "Exit status: 0; 2 where a word is not known, and a sentence names those that are.\n");
}

int main(int argc, char **argv)
{
    const char *svg;
    text legal = {0};
    int i, j, found = -1;
    if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        help();
        return 0;
    }
    for (i = 0; i < COUNT(commands); i++) {
        if (!strcmp(argv[1], commands[i].name)) found = i;
        say(&legal, " %s", commands[i].name);
    }
    if (found < 0) fail("%s is no command; there are:%s (--help says more)", argv[1], legal.s);
    for (i = 2; i < argc; i++) {
        char name[32], *equals = strchr(argv[i], '=');
        const char *value = "";
        int takes = -1;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            help();
            return 0;
        }
        if (strncmp(argv[i], "--", 2)) {
            if (args.words == COUNT(args.word)) fail("there are too many words");
            args.word[args.words++] = argv[i];
            continue;
        }
        print(name, sizeof name, "%.*s", equals && equals - argv[i] < 31 ? (int)(equals - argv[i]) : 31, argv[i]);
        for (j = 0; j < COUNT(all_options); j++) {
            const size_t length = strcspn(all_options[j], "=");
            if (strlen(name) == length && !strncmp(all_options[j], name, length)) takes = all_options[j][length] == '=';
        }
        {
            const char *in = commands[found].options;
            const size_t length = strlen(name);
            while ((in = strstr(in, name)) && in[length] && in[length] != ' ') in += length;
            if (!in || takes < 0) {
                doing = commands[found].name;
                fail("%s is no option here; there are: %s", name, *commands[found].options ? commands[found].options
                     : "none");
            }
        }
        if (equals) value = equals + 1;
        else if (takes && i + 1 < argc && strncmp(argv[i + 1], "--", 2)) value = argv[++i];
        else if (takes && strcmp(name, "--svg")) fail("%s needs a value", name);
        if (args.options == COUNT(args.name)) fail("there are too many options");
        for (j = 0; j < COUNT(all_options); j++)
            if (!strncmp(all_options[j], name, strlen(name)) && strcspn(all_options[j], "=") == strlen(name)) {
                static char kept[COUNT(all_options)][32];
                memcpy(kept[j], name, sizeof name);
                args.name[args.options] = kept[j];
            }
        args.value[args.options++] = value;
    }
    doing = commands[found].name;
    commands[found].run();
    svg = option("--svg");
    if (svg && pictures_drawn()) {
        FILE *f = *svg && strcmp(svg, "-") ? fopen(svg, "w") : stdout;
        if (!f) fail("cannot write %s", svg);
        write_svg(f);
        if (ferror(f) || (f != stdout && fclose(f))) fail("cannot write %s", svg);
    } else {
        write_text(stdout);
    }
    return fflush(stdout) ? 2 : 0;
}
