/* emu_ptx_fuzz.c - ptx.c against damaged text: whatever the text is, the parser answers with a module that holds
 * together or with an error in words. Arguments: seed files of PTX, then optionally how many mutations and the random
 * seed. */
#include "../emu/ptx.h"
#include "test.h"

/* clang-format off */
static const char seed_data[] =
    ".version 9.0\n"
    ".target sm_90a, debug\n"
    ".address_size 64\n"
    ".file 1 \"a\\\"b.cu\", 12, 34\n"
    ".func fwd;\n"
    ".extern .shared .align 128 .b8 dyn[];\n"
    ".extern .global .u32 later;\n"
    ".global .u32 later = WARP_SZ*2;\n"
    ".global .v4 .f32 vec[2] = {{1.0,2,3,0f40800000},{-1.5e0}};\n"
    ".global .u16 m3[2][2][3] = {{{1,2,3},{4}},{{0x7},{010,0b11}}};\n"
    ".global .s32 un[] = {1,2,-3, (1<<4)|3, ~0, 5>4 ? 7 : 8};\n"
    ".const .f64 dbl = 1.25, dbl2 = -0d3FF0000000000000;\n"
    ".global .b8 bytes[24] = {1,2,3,4,5,6,7,8, 0xFF(vec), 0xFF00(vec), 0xFF0000(vec), 0xFF000000(vec), "
    "0xFF00000000(vec),0xFF0000000000(vec),0xFF000000000000(vec),0xFF00000000000000(vec), 9};\n.global .align 8 .u64 "
    "addrs[] = { vec+4, generic(un), generic(un)+8, generic(un+8)-4, fwd, 0 };\n.global .u64 self = self;\n"
    ".global .texref tex;\n"
    ".global .u32 a0, a1[3], a2 = 6;\n"
    ".weak .func (.reg .b32 rv) regf (.reg .b32 ra, .reg .f64 rb) .noreturn ;\n"
    ".func (.reg .b32 rv) regf (.reg .b32 ra, .reg .f64 rb) { add.s32 rv, ra, 1; ret; }\n"
    ".visible .func aliased(.param .b32 x);\n"
    ".func real(.param .b32 x) { .reg .b32 t; ld.param.b32 t, [x]; }\n"
    ".alias aliased, real;\n"
    ".func fwd () { nothing: }\n";

static const char seed_code[] =
    ".version 9.0\n"
    ".target sm_90a\n"
    ".address_size 64\n"
    ".func fwd;\n"
    ".func real(.param .b32 x);\n"
    ".func aliased(.param .b32 x);\n"
    ".func (.reg .b32 rv) regf (.reg .b32 ra, .reg .f64 rb);\n"
    ".global .u32 a1[3];\n"
    ".global .texref tex;\n"
    ".visible .entry k( .param .u64 .ptr .global .align 1 p0, .param .align 64 .b8 map[128], .param .u16 q )\n"
    ".maxntid 32, 4\n"
    ".minnctapersm 2 .explicitcluster .reqnctapercluster 2 .somethingnew 3, 4 .maxclusterrank 8 .abi_preserve 3\n"
    "{\n"
    " .reg .pred p, P1, %p<10>; .reg .b32 %r<100>, rA; .reg .b64 %rd<10>, d64; .reg .f32 a1<10>; .reg .b128 qq; .reg "
    ".b16 h; .reg .f64 %fd<3>;\n .shared .align 16 .b8 sm[64], sm2[2][8]; .local .v2 .b64 lo; .const .u32 fc = 3;\n"
    " .loc 1 5 3\n"
    " { .reg .pred p; .reg .b32 rA; mov.b32 rA, 1; setp.ne.b32 p, rA, 0; @ ! p bra done; @p bra.uni L1; L1: { bra L1; "
    "L1: } done: }\n // comment ; } {\n"
    " /* another } */ mov .b32 rA , 0xFFU;; mov.b32 rA, -(3+4)*2 % 5; mov.b32 rA, (.s64)-1; mov.b32 rA, !0;\n"
    " mov.f32 a15, 0f3F800000; mov.f32 a15, -1.5; mov.f64 %fd1, 1e-3; mov.f32 a10, -0F3F800000;\n"
    " ld.shared.v4.b32 {%r1,%r2,%r3,_}, [sm + 4 * 2]; ld.global.b32 %r1,[%rd1+-16];ld.global.b32 %r1,[%rd1-16+4]; "
    "ld.b32 %r1, [16];\n ld.global.u32 %r1, a1[2]; mov.u64 %rd1, sm2+3; mov.u64 %rd1, fwd; mov.b64 {%r1, %r2}, %rd1; "
    "mov.b128 qq, {%rd1, %rd2};\n mov.u32 %r1, %tid.x; mov.u32 %r1,%ctaid.z; mov.u32 %r1, %envreg31; mov.u32 %r1, "
    "%pm3; mov.u64 %rd1, %pm7_64; mov.u32 %r1, WARP_SZ; mov.u32 %r1, WARP_SZ-1;\n mov.u32 %r1, "
    "%reserved_smem_offset_1; mov.pred p, %is_explicit_cluster; mov.u32 %r1, %lanemask_lt; mov.u32 %r1, %ntid.w;\n "
    "setp.lt.and.s32 p|P1, %r1, %r2, !%p1; elect.sync _|p, -1; elect.sync %r3|p, 0xffffffff; shfl.sync.idx.b32 %r1|p, "
    "%r2, 0, 31, -1;\n mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%rd1], 16; "
    "mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [%r1], %r2;\n "
    "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster.L2::cache_hint"
    " [%r1], [%rd1, {%r2, %r3}], [%r4], h, %rd3;\n"
    " cp.async.bulk.tensor.5d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [sm], [%rd1, {%r2, %r3, 0, 1, "
    "%r4}], [sm+8], {h, 1, 2};\n"
    " tex.2d.v4.f32.f32 {a10,a11,a12,a13}, [tex, {a14,a15}]; tex.2d.v4.f32.f32 {a10,a11,a12,a13}, [tex, tex, "
    "{a14,a15}];\n wgmma.mma_async.sp::ordered_metadata.sync.aligned.m64n8k32.f32.f16.f16 {a10,a11,a12,a13}, %rd1, "
    "%rd2, %r1, 0, p, 1, -1, 0, 1;\n tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.scale_vec::4X [%r1], %rd1, "
    "%rd2, %r1, [%r2], [%r3], p;\n tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3]; "
    "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r1}, [%r3 + 4], 16;\n call (%r1), regf, (%r2, %fd1); call fwd; call "
    "fwd, (); call.uni aliased, (rA); call later_f, (%r1); \n ts: .branchtargets A, B, C;\n"
    " brx.idx %r1, ts; A: B:\n"
    " C: ct: .calltargets fwd, real; pr: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) "
    ".noreturn;\n call (%r1), %rd1, (%r2), ct; call %rd1, (), pr; call (%r1), %rd1, (%r2), pr;\n"
    " @%p9 ret; exit; trap; bar.sync 0; membar.gl; .pragma \"nounroll\"; fence.proxy.async;\n"
    " ld.global.L1::evict_last.L2::128B.v8.b32 {%r1,%r2,%r3,%r4,%r5,%r6,%r7,%r8}, [%rd1]; prefetch.tensormap [map]; "
    "ld.param.u16 h, [q];\n st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%r1], "
    "{%r1,%r2,%r3,%r4}, [%r5];\n lop3.or.b32 %r1|p, %r2, %r3, %r4, (0xF0 & 0xCC) | 0xAA, p; dp4a.s32.u32 %r1, %r2, "
    "%r3, rA;\n { .param .b64 param0; .param .align 16 .b8 param1[48]; st.param.b64 [param0+0], %rd1; st.param.v2.b32 "
    "[param1+8], {1, %r1}; }\n last:\n"
    "}\n"
    ".func later_f (.param .b32 z) {bra END; END:}\n";

static const char seed_debug[] =
    ".version 8.0\n"
    ".target sm_80\n"
    ".address_size 64\n"
    ".func (.param .b32 out) add(.param .b32 x)\n"
    "{\n"
    ".reg .b32 %r<3>;\n"
    ".loc 1 7 1\n"
    "ld.param.b32 %r1, [x];\n"
    ".loc 2 3 5, function_name $name0, inlined_at 1 7 1\n"
    "add.s32 %r2, %r1, 1;\n"
    ".loc 2 9 5, function_name $name0+2, inlined_at 2 3 5\n"
    "st.param.b32 [out], %r2;\n"
    "ret;\n"
    "}\n"
    ".file 1 \"one.cu\"\n"
    ".file 2 \"two.cuh\"\n"
    ".section .debug_str\n"
    "{\n"
    "$name0:\n"
    ".b8 97,98,99,0\n"
    "}\n"
    ".section .debug_abbrev\n"
    "{\n"
    ".b8 1, 2\n"
    ".b32 .debug_str\n"
    "}\n";
/* clang-format on */

#define START ".version 9.0\n.target sm_90\n.address_size 64\n"
#define BODY(text) START ".entry k(.param .u64 x) { .reg .b32 %r<4>; .reg .pred p; " text " }"

/* Texts that are refused, and a part of the message */
static const struct { const char *text, *message; } refused[] = {
    {"", "version"},
    {".version 9.0", "no .target"},
    {START ".address_size 32", "64 bits"},
    {BODY("mov.b32 %r1, %r4;"), "line 4: unknown name '%r4'"},
    {BODY("mov.b32 %r1, %r01;"), "unknown name '%r01'"},
    {BODY("\n\nmov.b32 %r1, nothing;"), "line 6: unknown name 'nothing'"},
    {BODY("{ L: } bra L;"), "unknown label or function 'L'"},
    {BODY("call nowhere;"), "unknown label or function 'nowhere'"},
    {BODY("L: L:"), "declared twice"},
    {BODY(".reg .b32 p;"), "declared twice"},
    {BODY(".reg .b32 %q<4000000000>;"), "4000000000"},
    {BODY(".reg .b64 %q<4000000>;"), "registers"},
    {BODY(".reg .v2 .f32 v;"), "vector registers"},
    {BODY("mov.b32 %r1, %r2.x;"), "parts of register"},
    {BODY("mov.b32 %r1, %tid;"), "'%tid'"},
    {BODY("mov.b32 %r1, 1 / 0;"), "division by zero"},
    {BODY("mov.b32 %r1, 18446744073709551616;"), "64 bits"},
    {BODY("mov.b32 %r1, 0f3F80;"), "8 hexadecimal digits"},
    {BODY("mov.b32 %r1, 09;"), "not a number"},
    {BODY("@%r1 ret;"), "predicate"},
    {BODY("ld..u32 %r1, [x];"), "no instruction name"},
    {BODY("ld.u32 %r1, [x"), "']'"},
    {BODY("ret"), "found '}'"},
    {BODY(".local .b8 a[1000000000]; .local .b8 b[1000000000];"), "local variables"},
    {BODY(".local .align 3 .b8 a;"), "power of two"},
    {START ".entry k() {", "no end"},
    {START ".entry k() {} .entry k() {}", "two bodies"},
    {START ".entry k(); .func k();", "as .entry and as .func"},
    {START ".global .b8 a[1099511627776][1099511627776];", "too big"},
    {START ".global .b8 a[];", "size of 'a' is missing"},
    {START ".global .b8 a[2] = {1, 2, 3};", "too many initial values"},
    {START ".global .b8 a[2][2] = {{1, 2, 3}};", "too many initial values"},
    {START ".global .u32 a; .global .u32 p = a;", "8 bytes"},
    {START ".global .u64 a = b;", "unknown name 'b'"},
    {START ".global .u32 a; .global .b8 p[4] = {0xFF(a), 0xFF00(a)};", "eight bytes"},
    {START "\"", "directive"},
    {START ".pragma \"x", "string without end"},
};

static const ptx_module *at_hand;

/* Everything an executor would follow leads somewhere. */
static int operand_good(const ptx_opnd *o, const ptx_func *f, int depth)
{
    int good = depth < 3;
    if (o->kind == PO_REG || (o->kind == PO_MEM && o->type != PT_NONE)) {
        int bits = ptx_type_bits(o->type);
        unsigned width = bits <= 32 ? 1 : (unsigned)bits / 32;
        good = good && (o->type == PT_PRED ? o->reg < f->npred : o->reg + width <= f->nslot
                        && (width == 1 || o->reg % 2 == 0));
    }
    if (o->kind == PO_SYM) good = good && o->sym;
    if ((o->kind == PO_SYM || o->kind == PO_MEM) && o->sym) {
        const ptx_sym *y = o->sym;
        good = good && y->name && strlen(y->name) < 1u << 20;
        if (y->space == SP_LABEL) good = good && y->target >= f->begin && y->target < f->end;
        if (y->space == SP_LABEL)
            for (int i = 0; i < y->ntargets; i++) good = good && y->targets[i] && y->targets[i]->name;
        if (y->space == SP_LOCAL) good = good && y->offset + y->size <= f->frame_bytes;
        if (y->space == SP_SHARED) good = good && y->id < (uint32_t)at_hand->nshared && at_hand->shared[y->id] == y;
        if (y->space == SP_PARAM) good = good && y->offset + y->size <= (y->id ? f->param_bytes : f->frame_bytes);
    }
    for (int i = 0; i < o->n; i++) good = good && operand_good(&o->elem[i], f, depth + 1);
    return good && o->kind > PO_NONE && o->kind <= PO_ARGS;
}

static int module_good(const ptx_module *m)
{
    char text[256];
    int good = m->version && m->target[0];
    at_hand = m;
    for (int k = 0; k < m->nfunc && good; k++) {
        const ptx_func *f = m->func[k];
        good = good && ptx_find(m, f->name);
        if (!f->has_body) continue;
        good = good && f->begin < f->end && f->end <= m->ncode && !strcmp(m->code[f->end - 1].mod[0], "ret");
        for (uint32_t i = f->begin; i < f->end && good; i++) {
            const ptx_instr *in = &m->code[i];
            good = in->nmod && in->guard < (int32_t)f->npred && in->loc < m->nloc 
                && ptx_text(m, in, text, sizeof text) == text && strlen(text) < sizeof text && text[0];
            for (int w = 0; w < in->nmod; w++) good = good && in->mod[w][0];
            for (int o = 0; o < in->nop; o++) good = good && operand_good(&in->op[o], f, 0);
        }
        for (int i = 0; i < f->nshared; i++) good = good && f->shared[i]->space == SP_SHARED;
        for (int i = 0; i < f->ncallee; i++) good = good && f->callee[i]->name;
    }
    for (int k = 0; k < m->nglobal; k++) {
        const ptx_sym *y = m->global[k];
        unsigned sum = 0;
        for (uint64_t i = 0; y->init && i < y->size && i < 4096; i++) sum += y->init[i];
        for (int r = 0; r < y->nreloc; r++) good = good && y->reloc[r].sym && y->reloc[r].at + 8 <= y->size;
        good = good && sum < 4096 * 256 && y->align && !(y->align & (y->align - 1));
    }
    for (uint32_t i = 0; i < m->nloc; i++) good = good && m->loc[i].file && m->loc[i].inlined < (i ? i : 1);
    return good;
}

/* From a block of exactly that length, for a reader past the end to be seen */
static int try_text(const char *text, size_t length, char *err, size_t size)
{
    char *block = malloc(length ? length : 1);
    if (!block) return -1;
    memcpy(block, text, length);
    err[0] = 0;
    ptx_module *m = ptx_parse(block, length, err, size);
    free(block);
    if (!m) return 0;
    int good = module_good(m);
    ptx_free(m);
    return good ? 1 : -1;
}

static uint64_t below(uint64_t n) { return n ? (test_random() >> 20) % n : 0; }

typedef struct { char *v; size_t n, cap; } text;

static void splice(text *t, size_t at, size_t gone, const char *with, size_t n)
{
    if (t->n - gone + n > t->cap) return;
    memmove(t->v + at + n, t->v + at + gone, t->n - at - gone);
    memmove(t->v + at, with, n);
    t->n += n - gone;
}

/* A token, or a run of blanks, at a random place */
static size_t token(const text *t, size_t *at)
{
    *at = below(t->n);
    size_t end = *at;
#define IN_NAME(c)                                                                                                    \
    (((c) | 32) >= 'a' && ((c) | 32) <= 'z') || ((c) >= '0' && (c) <= '9') || (c) == '_' || (c) == '$' || (c) == '%'
    int name = IN_NAME(t->v[*at]);
    while (name && *at && (IN_NAME(t->v[*at - 1]))) --*at;
    while (end < t->n && (name ? (IN_NAME(t->v[end])) : end == *at)) end++;
    return end - *at;
}

static void mutate(text *t, const char *other, size_t other_n)
{
    static const char *const words[] = {"{", "}", "(", ")", "[", "]", ";", ",", ":", "::", ".", "@", "!", "|", "_", "%",
                                        "0x", "0f", "-", "+", "<", ">",
        "4294967295", "18446744073709551615", "4000000000", "-9223372036854775808", "1e999",
        ".reg .b64 %rd<4000000000>;", ".b128", ".align 65536",
        "\"", "/*", "*/", "//", "\n", "call", "bra", "generic(", "0xFF(", "WARP_SZ", "%tid.x", "= {", "[4294967296]",
        ".param", ".shared", ".section .debug_str {",
        ".loc 1 2 3, function_name a, inlined_at 1 2 3 ", "{{{{{{{{{{{{", "((((((((((((", "-~-~-~-~", "<<", "/0", "%0",
        "?1:2"};
    size_t at = 0, n = t->n ? token(t, &at) : 0;
    switch (t->n ? below(10) : 4) {
    case 0: t->v[at] = (char)(t->v[at] ^ 1 << below(8)); break;
    case 1: t->v[at] = (char)below(256); break;
    case 2: splice(t, at, n, "", 0); break;
    case 3: {
        char copy[64];
        if (n > sizeof copy) n = sizeof copy;
        memcpy(copy, t->v + at, n);
        splice(t, below(t->n), 0, copy, n);
        break;
    }
    case 4: case 5: {
        const char *w = words[below(sizeof words / sizeof *words)];
        splice(t, at, below(2) ? n : 0, w, strlen(w));
        break;
    }
    case 6:
        if (below(4) == 0) t->n = at;
        break;
    case 7: {
        size_t from = below(other_n), len = below(200);
        if (len > other_n - from) len = other_n - from;
        splice(t, at, 0, other + from, len);
        break;
    }
    case 8: {
        size_t len = below(100);
        if (len > t->n - at) len = t->n - at;
        splice(t, at, len, "", 0);
        break;
    }
    default: {     /* one word many times */
        size_t times = below(400);
        char copy[16];
        if (n > sizeof copy) n = sizeof copy;
        memcpy(copy, t->v + at, n);
        for (size_t i = 0; i < times; i++) splice(t, at, 0, copy, n);
    }
    }
}

/* Of a long seed its heading and some function of it: mutations of megabytes try little a second. */
static void take_seed(text *t, const char *seed, size_t n)
{
    t->n = 0;
    if (n <= 1u << 14) {
        splice(t, 0, 0, seed, n);
        return;
    }
    splice(t, 0, 0, START, sizeof START - 1);
    size_t from = below(n);
    while (from < n && memcmp(seed + from, "\n.visible", n - from < 9 ? n - from : 9)) from++;
    size_t end = from + 1;
    while (end < n && end - from < 30000 && memcmp(seed + end, "\n.visible", n - end < 9 ? n - end : 9)) end++;
    if (end > n) end = n;
    if (from < end) splice(t, t->n, 0, seed + from, end - from);
}

/* The chain of inlined places of an instruction, and the same place read again */
static void check_places(void)
{
    char err[256] = "";
    ptx_module *m = ptx_parse(seed_debug, sizeof seed_debug - 1, err, sizeof err);
    CHECK(m != NULL, "%s", err);
    if (!m) return;
    const ptx_func *f = ptx_find(m, "add");
    CHECK(f && f->has_body && f->frame_bytes == 8 && f->nslot == 3, "function add");
    const ptx_loc *l = f ? &m->loc[m->code[f->begin + 2].loc] : NULL;
    CHECK(l && l->line == 9 && !strcmp(l->file, "two.cuh") && l->func && !strcmp(l->func, "c"), "the innermost place");
    if (l) l = &m->loc[l->inlined];
    CHECK(l && l->line == 3 && !strcmp(l->file, "two.cuh") && l->func && !strcmp(l->func, "abc"),
          "the place around it");
    if (l) l = &m->loc[l->inlined];
    CHECK(l && l->line == 7 && !strcmp(l->file, "one.cu") && l->func && !strcmp(l->func, "add") && !l->inlined,
          "the outermost place");
    ptx_free(m);
}

int main(int argc, char **argv)
{
    char *seed[64] = {(char *)seed_data, (char *)seed_code, (char *)seed_debug}, err[512];
    size_t length[64] = {sizeof seed_data - 1, sizeof seed_code - 1, sizeof seed_debug - 1};
    int seeds = 3, numbers = 0;
    unsigned long number[2] = {20000, 1};
    for (int i = 1; i < argc; i++) {
        char *end;
        unsigned long value = strtoul(argv[i], &end, 10);
        if (!*end && numbers < 2) {
            number[numbers++] = value;
            continue;
        }
        FILE *file = fopen(argv[i], "rb");
        if (!file || seeds == 64) {
            SKIP("%s: cannot be read", argv[i]);
            if (file) fclose(file);
            continue;
        }
        fseek(file, 0, SEEK_END);
        long size = ftell(file);
        rewind(file);
        seed[seeds] = malloc(size > 0 ? (size_t)size : 1);
        if (seed[seeds]) length[seeds] = fread(seed[seeds], 1, size > 0 ? (size_t)size : 0, file), seeds++;
        fclose(file);
    }
    for (int i = 0; i < seeds; i++) {
        int answer = try_text(seed[i], length[i], err, sizeof err);
        CHECK(answer == 1, "seed %d: %s", i, err);
    }
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        int answer = try_text(refused[i].text, strlen(refused[i].text), err, sizeof err);
        CHECK(answer == 0 && strstr(err, refused[i].message) && !strncmp(err, "line ", 5), "text %u: answer %d, '%s'",
              i, answer, err);
    }
    for (size_t n = 0; n <= sizeof seed_code; n += 1 + n / 100) {
        int answer = try_text(seed_code, n < sizeof seed_code ? n : sizeof seed_code - 1, err, sizeof err);
        CHECK(answer == 1 || (answer == 0 && err[0]), "the first %zu bytes of a seed", n);
    }

    check_places();

    printf("seed %lu, %lu mutations of %d texts\n", number[1], number[0], seeds);
    test_seed(number[1]);
    text t = {malloc(1 << 16), 0, 1 << 16};
    if (!t.v) return 1;
    unsigned long accepted = 0;
    for (unsigned long i = 0; i < number[0]; i++) {
        size_t k = below((uint64_t)seeds), other = below((uint64_t)seeds);
        take_seed(&t, seed[k], length[k]);
        for (uint64_t times = 1 + below(below(3) ? 2 : 12); times; times--) mutate(&t, seed[other], length[other]);
        int answer = try_text(t.v, t.n, err, sizeof err);
        CHECK(answer == 1 || (answer == 0 && !strncmp(err, "line ", 5)), "mutation %lu: answer %d, '%s'", i, answer,
              err);
        accepted += answer == 1;
    }
    printf("%lu of them still modules\n", accepted);
    free(t.v);
    for (int i = 3; i < seeds; i++) free(seed[i]);
    return test_end();
}
