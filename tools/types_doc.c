/* types_doc.c - writes docs/types.md from tc_op.h's table: which types, instructions, homes, majors and shapes there
 * are on which generation, and (from a table in this file) what the generators serve of that; and tc_chip.h's table.
 *     types_doc FILE             writes FILE
 *     types_doc --check FILE     says whether FILE is what it would write; ends with "N passed, N failed"
 */
#include "tc_chip.h"
#include "tc_op.h"
#include <stdlib.h>

static char page[1 << 16];
static size_t length;

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    length += (size_t)vsnprintf(page + length, sizeof page - length, format, list);
    va_end(list);
    if (length >= sizeof page) {
        fprintf(stderr, "types_doc: the page is too small\n");
        exit(2);
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Words for the masks of a row.
 */
static const int gens[] = {75, 80, 89, 90, 100, 103, 110, 120, 121};
enum { GENS = sizeof gens / sizeof *gens };

static void put_types(int mask)
{
    int t, n = 0;
    for (t = 1; t < TC_TYPE_COUNT; t++)
        if (mask >> t & 1) put("%s%s", n++ ? " " : "", tc_type_name(t));
}

/* "sm_80 on", or each by name with the letter of the plainest target. */
static void put_gens(int mask, int target)
{
    int i, n = 0, first = 0;
    while (first < GENS && !(mask & tc_op_gen_bit(gens[first]))) first++;
    for (i = first; i < GENS && (mask & tc_op_gen_bit(gens[i]));) i++;
    if (target == TC_TARGET_PLAIN && first < GENS && i == GENS) {
        put("sm_%d on", gens[first]);
        return;
    }
    for (i = 0; i < GENS; i++)
        if (mask & tc_op_gen_bit(gens[i]))
            put("%s%d%s", n++ ? " " : "sm_", gens[i], target == TC_TARGET_A ? "a" : target == TC_TARGET_F ? "f" : "");
}

static void put_homes(int mask)
{
    static const char *const names[] = {"registers", "shared", "tensor memory"};
    int i, n = 0;
    for (i = 0; i < 3; i++)
        if (mask >> i & 1) put("%s%s", n++ ? ", " : "", names[i]);
}

static void put_shape(const tc_op_shape *s)
{
    int m, n = 0, i;
    put("m");
    for (m = 8; m <= 256; m *= 2)
        if (s->m & m) put("%s%d", n++ ? "/" : "", m);
    put(" n");
    for (i = 0; i < 2; i++)
        if (s->n_also[i] && s->n_also[i] < s->n_max) put("%d, ", s->n_also[i]);
    if (s->n_min == s->n_max)
        put("%d", s->n_min);
    else if (s->n_max == 2 * s->n_min)
        put("%d, %d", s->n_min, s->n_max);
    else
        put("%d..%d by %d", s->n_min, s->n_max, s->n_step);
    for (i = 0; i < 2; i++)
        if (s->n_also[i] > s->n_max) put(", %d", s->n_also[i]);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What multiplies what, by generation.
 */
static const struct line {
    const char *name;
    int type, scale_vec, k;
} lines[] = {{"f16", TC_F16, 0, 0},
             {"bf16", TC_BF16, 0, 0},
             {"tf32", TC_TF32, 0, 0},
             {"f64", TC_F64, 0, 0},
             {"s8, u8", TC_S8, 0, 0},
             {"s4, u4", TC_S4, 0, 0},
             {"b1", TC_B1, 0, 0},
             {"e4m3, e5m2", TC_E4M3, 0, 0},
             {"e3m2, e2m3", TC_E2M3, 0, 0},
             {"e2m1", TC_E2M1, 0, 0},
             {"fp8, fp6, fp4 with a scale for 32 (mxf8f6f4)", TC_E4M3, 32, 0},
             {"e2m1 with a scale for 32 (mxf4)", TC_E2M1, 32, 64},
             {"e2m1 with a scale for 16 (nvf4)", TC_E2M1, 16, 64}};

static void matrix(int sparse)
{
    size_t l;
    int g, inst;
    put("| A and B |");
    for (g = 0; g < GENS; g++) put(" sm_%d%s |", gens[g], gens[g] < 90 ? "" : "a");
    put("\n|---|");
    for (g = 0; g < GENS; g++) put("---|");
    put("\n");
    for (l = 0; l < sizeof lines / sizeof *lines; l++) {
        put("| %s |", lines[l].name);
        for (g = 0; g < GENS; g++) {
            int n = 0;
            for (inst = TC_INST_TCGEN05; inst >= TC_INST_MMA; inst--) {
                tc_op op = tc_op_make(gens[g], inst);
                op.a = op.b = lines[l].type, op.scale_vec = lines[l].scale_vec, op.sparse = sparse,
                op.k = lines[l].k << sparse;
                if (!tc_op_exists(op)) continue;
                put(tc_op_native(op) ? "%s %s" : "%s *%s*", n++ ? "," : "",
                    inst == TC_INST_MMA     ? "mma"
                    : inst == TC_INST_WGMMA ? "wgmma"
                                            : "tcgen05");
            }
            put(n ? " |" : " - |");
        }
        put("\n");
    }
}

/* One instruction's rows of the table. */
static void rows(int inst)
{
    const int mma = inst == TC_INST_MMA, kinds = inst != TC_INST_WGMMA, scales = mma || inst == TC_INST_TCGEN05;
    int i;
    put("| A | B | sums | %sshape%s | k | bytes of k, A and B | %sMN-major | 2:4 sparse A | %shas it |%s\n",
        kinds ? "kind | " : "", inst == TC_INST_TCGEN05 ? "; of two CTAs" : "", mma ? "" : "A from | B from | ",
        scales ? "scales | " : "", mma ? " slow on |" : "");
    put("|---|---|---|---|---|---|---|---|---|%s%s%s%s\n", kinds ? "---|" : "", mma ? "" : "---|---|",
        scales ? "---|" : "", mma ? "---|" : "");
    for (i = 0; i < TC_OP_ROW_COUNT; i++) {
        const tc_op_row r = tc_op_row_at(i);
        tc_op op = tc_op_make(0, inst);
        if (r.inst != inst) continue;
        put("| ");
        put_types(r.types);
        put(" | %s | ", r.mix ? "any of these" : "the same");
        put_types(r.sums);
        put(" | ");
        if (kinds) put("%s | ", tc_op_kind_name(r.kind));
        put_shape(&r.shape[0]);
        if (r.shape[1].m) put("; "), put_shape(&r.shape[1]);
        op.kind = r.kind, op.scale_vec = r.scale_vec, op.sparse = r.density == 2;
        for (op.a = 1; !(r.types >> op.a & 1);) op.a++;
        op.b = op.a, op.k = r.k << op.sparse;
        put(r.density == 3 ? " | %d, sparse %d |" : " | %d |", op.k, 2 * op.k);
        put(r.density == 3 ? " %d %d, sparse %d %d | " : " %d %d | ", tc_op_k_bytes(op, 0), tc_op_k_bytes(op, 1),
            tc_op_k_bytes(op, 0), 2 * tc_op_k_bytes(op, 1));
        if (!mma) put_homes(r.a_from), put(" | "), put_homes(r.b_from), put(" | ");
        put("%s%s | %s | ",
            r.mn_from == 0                                       ? "no"
            : r.mn_from == TC_HOME_REG                           ? "A, B"
            : r.inst == TC_INST_WGMMA || r.a_from & TC_HOME_TMEM ? "A in shared, B"
                                                                 : "A, B",
            r.mn_from && (r.types & (1 << TC_E2M1)) ? ", of 8 bits" : "",
            r.density == 1   ? "no"
            : r.density == 2 ? "only"
                             : "yes");
        if (r.scale_vec) put_types(r.scale), put(", one for %d", r.scale_vec);
        if (scales) put(" | ");
        put_gens(r.gens, r.target);
        if (mma) put(" | ");
        if (r.gens & ~r.native) put_gens(r.gens & ~r.native, TC_TARGET_PLAIN);
        put(" |\n");
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the generators serve: kept by hand, from the manuals of tc_gemm.h and tc_attn.h.
 */
static const char *const served[][7] = {
    {"TC_GEMM_SM80_DEFINE", "mma.sync", "f16 f16, bf16 bf16", "f32, of f16 also f16",
     "K-major or MN-major (turned by ldmatrix), each", "f16, bf16, f32; row-major or column-major", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync", "tf32 tf32 (f32 in memory)", "f32",
     "K-major or MN-major (read word by word), each", "f16, bf16, f32; either", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync, three of tf32", "f32 f32, to f32's precision", "f32", "K-major, K-major",
     "f16, bf16, f32; either", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync", "s8 u8, any of these", "s32",
     "K-major or MN-major (turned by ldmatrix and prmt), each", "s32, s8, f32, f16, bf16; either", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync",
     "e4m3 e5m2, any of these; factors of 1 x 128, 128 x 128", "f32, f16", "as s8", "f16, bf16, f32; either",
     "sm_89 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync; from sm_90 on two of s8 and u8, made in registers", "s4 u4, any of these", "s32",
     "K-major, K-major", "s32, s8, f32, f16, bf16; either", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync, xor and and; from sm_100 on eight of s8 or u8, made in registers", "b1 b1",
     "s32", "K-major, K-major", "s32, s8, f32, f16, bf16; either", "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "two mma.sync of f16, made in registers, exactly", "the same", "the same", "the same",
     "the same", "sm_80 to 88"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync, B from registers, as its A",
     "f16, bf16 times packed s4 u4 s8 u8 e4m3 e2m1 (.weights)", "f32", "K-major, packed", "f16, bf16, f32; row-major",
     "sm_80 on"},
    {"TC_GEMM_SM80_DEFINE", "mma.sync", "f64 f64", "f64", "as tf32", "f64; either", "sm_80 on"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, both operands from shared memory", "f16 f16, bf16 bf16", "f32, of f16 also f16",
     "K-major or MN-major, each", "f16, bf16, f32; row-major or column-major", "sm_90a"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, both operands from shared memory", "tf32 tf32 (f32 in memory, cut off)", "f32",
     "K-major or MN-major (turned in shared memory), each", "f16, bf16, f32; either", "sm_90a"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, three of tf32, A from registers", "f32 f32, to f32's precision", "f32",
     "K-major, K-major", "f16, bf16, f32; either", "sm_90a"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, B from shared memory, A too or from registers", "s8 u8, any of these", "s32",
     "K-major or MN-major (A turned on its way to registers, B in shared memory), each",
     "s32, f32, f16, bf16; either", "sm_90a"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, B from shared memory, A too or from registers",
     "e4m3 e5m2, any of these; factors of 1 x 128, 128 x 128", "f32",
     "as s8", "f16, bf16, f32; either", "sm_90a"},
    {"TC_GEMM_SM90_DEFINE", "wgmma, B from registers, as its A",
     "f16, bf16 times packed s4 u4 s8 u8 e4m3 e2m1 (.weights)", "f32", "K-major, packed", "f16, bf16, f32; row-major",
     "sm_90a"},
    {"TC_GEMM_SM90_ANY_DEFINE", "wgmma; rows of any alignment", "f16 f16, bf16 bf16", "f32", "K-major, K-major",
     "f16, bf16, f32; row-major", "sm_90a"},
    {"TC_GEMM_DEFINE", "one of the above", "all of the above", "the same", "the same, on Hopper too", "the same",
     "sm_80 on"},
    {"TC_GEMM_DEFINE", "CUDA cores, where the Tensor Cores lack the types", "all of the above", "f32, s32, f64",
     "the same", "the same", "sm_75"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma", "f16 f16, bf16 bf16, tf32 tf32 (f32 in memory, cut off)", "f32",
     "K-major or MN-major, each", "f16, bf16, f32; either", "a and f of sm_100, 103, 107, 110"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma, kind::f8f6f4; of fp8 with k of 64 on sm_107",
     "e4m3 e5m2 e3m2 e2m3 e2m1, any of these", "f32", "K-major; fp8 also MN-major, each", "f16, bf16, f32; either",
     "the same"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma, kind::i8", "s8 u8, any of these", "s32", "K-major or MN-major, each",
     "s32, f32, f16, bf16; either", "sm_100a 110a"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma, kind::mxf8f6f4; of fp8 with k of 64 on sm_107",
     "as kind::f8f6f4, but two e2m1; factors ue8m0 for 32", "f32", "K-major; fp8 also MN-major, each",
     "f16, bf16, f32; either", "a and f of sm_100, 103, 107, 110"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma, kinds mxf4, mxf4nvf4; with k of 128 on sm_107",
     "e2m1 e2m1; factors ue8m0 for 32, ue4m3 for 16", "f32", "K-major, K-major", "f16, bf16, f32; either", "the same"},
    {"TC_GEMM_SM100_DEFINE", "tcgen05.mma.sp",
     "f16 f16, bf16 bf16, tf32 tf32, s8 u8, e4m3 e5m2; A 2:4 sparse, or B where D is column-major",
     "f32, s32", "K-major, K-major", "s32 of integers, f16, bf16, f32", "the same; integers: sm_100a 110a"},
    {"TC_GEMM_SM120_DEFINE", "mma.sync", "f16 f16, bf16 bf16, tf32 tf32 (f32 in memory, cut off)",
     "f32, of f16 also f16", "K-major or MN-major, each", "f16, bf16, f32; either", "sm_120, 121"},
    {"TC_GEMM_SM120_DEFINE", "mma.sync", "s8 u8, any of these", "s32",
     "K-major or MN-major (a and f targets), each", "s32, f32, f16, bf16; either", "sm_120, 121"},
    {"TC_GEMM_SM120_DEFINE", "mma.sync, kind::f8f6f4", "e4m3 e5m2 e3m2 e2m3 e2m1, any of these",
     "f32, of fp8 with fp8 also f16", "K-major or MN-major, each", "f16, bf16, f32; either",
     "sm_120f 121f; fp8 K-major on plain targets too"},
    {"TC_GEMM_SM120_DEFINE", "mma.sync, kind::mxf8f6f4", "the same; factors ue8m0 for 32", "f32",
     "K-major or MN-major, each", "f16, bf16, f32; either", "sm_120f 121f"},
    {"TC_GEMM_SM120_DEFINE", "mma.sync, kinds mxf4, mxf4nvf4", "e2m1 e2m1; factors ue8m0 for 32, ue4m3 for 16", "f32",
     "K-major, K-major", "f16, bf16, f32; either", "sm_120f 121f"},
    {"TC_GEMM_SM120_DEFINE", "mma.sp::ordered_metadata",
     "f16 f16, bf16 bf16, tf32 tf32, s8 u8, e4m3 e5m2; A 2:4 sparse, or B where D is column-major", "f32, s32",
     "K-major, K-major", "s32 of integers, f16, bf16, f32", "sm_120, 121"},
    {"TC_ATTN_SM80_DEFINE", "mma.sync", "Q, K, V: f16, bf16", "f32",
     "Q, K: K-major; V: MN-major in memory, turned by ldmatrix", "the type of Q; rows of heads", "sm_80 on"},
    {"TC_ATTN_SM90_DEFINE", "wgmma; P from registers", "Q, K, V: f16, bf16", "f32", "Q, K: K-major; V: MN-major",
     "the type of Q; rows of heads", "sm_90a"},
    {"TC_ATTN_SM90_DEFINE", "wgmma; P from registers", "Q, K, V: e4m3; factors of heads, rows, blocks of rows", "f32",
     "Q, K: K-major; V: MN-major in memory, turned in shared memory", "f16, bf16; rows of heads", "sm_90a"},
    {"TC_ATTN_SM100_DEFINE", "tcgen05.mma; P from tensor memory", "Q, K, V: f16, bf16", "f32",
     "Q, K: K-major; V: MN-major", "the type of Q; rows of heads", "a and f of sm_100, 103, 107, 110"},
    {"TC_ATTN_SM120_DEFINE", "mma.sync; P from registers", "Q, K, V: f16, bf16", "f32",
     "Q, K: K-major; V: MN-major in memory, turned by ldmatrix", "the type of Q; rows of heads",
     "sm_120f 121f; with .warps = 4 plain targets too"},
    {"TC_ATTN_DEFINE", "one of the above", "all of the above", "f32", "as above", "the same",
     "sm_80 on; e4m3: sm_90a"}};

static void write_page(void)
{
    size_t i;
    int j;
    put("# Which types, where\n\nWritten by `tools/types_doc.c` from the table in `tc_op.h`, which `tests/unit_op.c` "
        "holds against the ISA's; "
        "`make test` checks that it is\nup to date. In code: `tc_op_exists`, `tc_op_k`, `tc_op_rule` and others of "
        "`tc_op.h`. "
        "The kit's names for the instructions: `docs/isa.md`.\n\n"
        "## By generation, dense\n\nThe instructions that multiply a type, the one to prefer first. *Slanted*: it is "
        "there, but ptxas writes other, "
        "slow instructions for it.\nsm_80 stands for 86, 87 and 88 as well. From sm_90 on: the a targets; plain ones "
        "have mma of the types that sm_89 has, and no more.\n\n");
    matrix(0);
    put("\n## By generation, A 2:4 sparse\n\n`mma.sp::ordered_metadata`: plain `mma.sp` of f16 and 8-bit integers is "
        "slow from sm_100 on.\n\n");
    matrix(1);
    put("\n## wgmma\n\nD lies in registers. `m`, `n`, `k`: of one instruction. A sparse product has twice the k, of "
        "which A stores half.\n\n");
    rows(TC_INST_WGMMA);
    put("\n## tcgen05.mma\n\nD lies in tensor memory. A in tensor memory is K-major. The f8f6f4 kinds keep fp6 and fp4 "
        "in bytes. An MN-major B of 8 "
        "bits: n in steps of 16\n(two CTAs: 32).\n\n");
    rows(TC_INST_TCGEN05);
    put("\n## tcgen05.mma.ws\n\n");
    rows(TC_INST_TCGEN05_WS);
    put("\n## mma.sync, mma.sp\n\nA, B and D lie in registers, K-major. Shared memory may hold 16-bit types MN-major: "
        "ldmatrix .trans turns them. "
        "f16 m8n8k4 alone takes either\nmajor. b1 has xor before sm_80, and later both xor and and.\n\n");
    rows(TC_INST_MMA);
    put("\n## What the generators serve\n\nKept by hand, in `tools/types_doc.c`.\n\n"
        "| generator | instruction | A B | sums | majors | D | runs on |\n|---|---|---|---|---|---|---|\n");
    for (i = 0; i < sizeof served / sizeof *served; i++) {
        for (j = 0; j < 7; j++) put(j ? " %s |" : "| `%s` |", served[i][j]);
        put("\n");
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The chips: tc_chip.h's table.
 */
static const char *const features[] = {
    "mma.sync", "cp.async, mma of bf16 and tf32", "fp8", "TMA, clusters", "wgmma", "tcgen05", "`kind::i8`",
    "tcgen05 of sm_107", "spcompress", "mma.sync of fp6 and fp4", "cvt with stochastic rounding",
    "setmaxnreg, tensormap.replace"
};
enum { FEATURES = sizeof features / sizeof *features };

static void put_features(int mask)
{
    int i, n = 0;
    for (i = 0; i < FEATURES; i++)
        if (mask >> i & 1) put("%s%s", n++ ? "; " : "", features[i]);
    if (!n) put("-");
}

/* A chip's row. */
static void put_chip(int chip)
{
    const tc__chip c = tc__chip_of(chip);
    put("| %d | %d KB | ", chip, c.smem / 1024);
    if (c.tmem) put("%d", c.tmem);
    else put("-");
    put(" | %d | ", c.threads);
    if (c.cluster > 1) put("%d", c.cluster);
    else put("-");
    put(" | ");
    put_features(c.plain);
    put(" | ");
    put_features(c.f);
    put(" | ");
    put_features(c.a);
    put(" | ");
#define TC__X(target, ...) \
    if (c.family && target <= chip && tc_target_runs(target, 'f', chip)) put("%df ", target);
    TC_CHIPS(TC__X)
#undef TC__X
    if (!c.family) put("- ");
    put("|\n");
}

static void write_chips(void)
{
    put("\n## The chips\n\n"
        "From `TC_CHIPS` of `tc_chip.h`: shared memory that a block may have, columns of tensor memory, threads of a "
        "multiprocessor, blocks of\nthe largest cluster; what plain, f and a targets have, each beside the one before; "
        "which f targets' code runs on the chip.\n\n"
        "| sm | shared memory | columns | threads | cluster | plain | f | a | runs |\n"
        "|---|---|---|---|---|---|---|---|---|\n");
#define TC__X(chip, ...) put_chip(chip);
    TC_CHIPS(TC__X)
#undef TC__X
}

int main(int argc, char **argv)
{
    const int check = argc == 3 && !strcmp(argv[1], "--check");
    const char *path = argv[argc - 1];
    FILE *f;
    if (argc != 2 + check) {
        fprintf(stderr, "usage: types_doc [--check] FILE\n");
        return 2;
    }
    write_page();
    write_chips();
    f = fopen(path, check ? "rb" : "wb");
    if (check) {
        static char old[sizeof page + 1];
        const size_t n = f ? fread(old, 1, sizeof old, f) : 0;
        const int same = n == length && !memcmp(old, page, n);
        if (!same) printf("FAIL %s is not what tools/types_doc.c writes: make doc\n", path);
        printf("%d passed, %d failed\n", same, !same);
        return !same;
    }
    if (!f || fwrite(page, 1, length, f) != length || fclose(f)) {
        fprintf(stderr, "types_doc: cannot write %s\n", path);
        return 2;
    }
    return 0;
}
