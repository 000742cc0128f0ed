/* unit_op.c - tc_op.h's table against tests/isa/variants.tsv and, for what the descriptors of tcgen05 say, against
 * tc_tcgen05.h's rules: what the ISA has exists, and what exists the ISA has, over every type, shape, home, major and
 * target. usage: unit_op VARIANTS.TSV */
#include "../tc_op.h"
#include "../tc_tcgen05.h"
#include "test.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Targets, and what the ISA says: sets of (key, mask of targets).
 */
static const struct {
    int gen, target;
} targets[] = {
    {75, TC_TARGET_A},      {80, TC_TARGET_A},      {86, TC_TARGET_A},      {87, TC_TARGET_A},
    {88, TC_TARGET_A},      {89, TC_TARGET_A},      {90, TC_TARGET_PLAIN},  {90, TC_TARGET_A},
    {100, TC_TARGET_PLAIN}, {100, TC_TARGET_F},     {100, TC_TARGET_A},     {103, TC_TARGET_PLAIN},
    {103, TC_TARGET_F},     {103, TC_TARGET_A},     {110, TC_TARGET_PLAIN}, {110, TC_TARGET_F},
    {110, TC_TARGET_A},     {120, TC_TARGET_PLAIN}, {120, TC_TARGET_F},     {120, TC_TARGET_A},
    {121, TC_TARGET_PLAIN}, {121, TC_TARGET_F},     {121, TC_TARGET_A},     {90, TC_TARGET_F},
    {80, TC_TARGET_PLAIN},  {72, TC_TARGET_A},      {95, TC_TARGET_A}}; /* no such targets, but sm_80 without an a */
enum { TARGETS = sizeof targets / sizeof *targets };

static uint32_t targets_of(const char *column)
{
    uint32_t mask = 0;
    int t, from;
    for (t = 0; t < TARGETS; t++) {
        char name[16];
        const int gen = targets[t].gen, bare = targets[t].target == TC_TARGET_PLAIN || gen < 90;
        const char *at;
        if (gen == 72 || gen == 95 || (gen < 100 && targets[t].target == TC_TARGET_F)) continue;
        if (sscanf(column, "sm_%d+", &from) == 1) {
            if (gen >= from) mask |= 1u << t;
            continue;
        }
        sprintf(name, "%d%s", gen, bare ? "" : targets[t].target == TC_TARGET_F ? "f" : "a");
        for (at = strstr(column, name); at; at = strstr(at + 1, name))
            if ((at == column || at[-1] == ',') && (at[strlen(name)] == ',' || at[strlen(name)] == 0)) mask |= 1u << t;
    }
    return mask;
}

typedef struct fact {
    tc_op op;
    int used;
    uint32_t targets;
} fact;
enum { SLOTS = 1 << 16 };
static fact facts[SLOTS];
static int fact_count;

static fact *fact_of(const tc_op *op)
{
    uint64_t h = 88172645463325252ull;
    size_t i;
    for (i = 0; i < sizeof *op / sizeof(int); i++)
        h = (h ^ (uint64_t)((const int *)op)[i]) * 0x9e3779b97f4a7c15ull, h ^= h >> 29;
    for (h %= SLOTS; facts[h].used && memcmp(&facts[h].op, op, sizeof *op); h = (h + 1) % SLOTS) {
    }
    return &facts[h];
}
static void add_fact(const tc_op *op, uint32_t mask)
{
    fact *f = fact_of(op);
    if (!f->used) f->used = 1, f->op = *op, fact_count++;
    f->targets |= mask;
    if (fact_count > SLOTS / 2) {
        printf("FAIL unit_op: more facts than room\n");
        exit(1);
    }
}

/* What an instruction's text tells of op. MAJORS: of wgmma, where the table has transposed operands in samples of n. */
enum { WHOLE, MAJORS };
static tc_op told(const tc_op *o, int part)
{
    tc_op t = *o;
    t.gen = t.target = 0;
    if (o->inst >= TC_INST_TCGEN05)
        t.a = t.b = t.acc = t.m = t.n = t.k = t.a_major = t.b_major = t.scale = 0;
    else if (o->inst == TC_INST_WGMMA && part == WHOLE)
        t.a_major = t.b_major = 0;
    else if (part == MAJORS)
        t.b = t.acc = t.m = t.n = t.k = 0;
    return t;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Reading variants.tsv. One variant's mnemonic, its operands and note: what op is that?
 */
static int type_named(const char *name)
{
    int t;
    for (t = 1; t < TC_TYPE_COUNT; t++)
        if (!strcmp(tc_type_name(t), name)) return t;
    return 0;
}

static int variants_read;

static void variant(const char *mnemonic, const char *operands, const char *note, uint32_t mask)
{
    tc_op op = tc_op_make(0, 0);
    char text[512], *word;
    int types[4] = {0}, n_types = 0, layouts[2] = {0}, n_layouts = 0, per = 0;
    snprintf(text, sizeof text, "%s", mnemonic);
    op.inst = strstr(text, "tcgen05.mma.ws") ? TC_INST_TCGEN05_WS
              : strstr(text, "tcgen05")      ? TC_INST_TCGEN05
              : strstr(text, "wgmma")        ? TC_INST_WGMMA
                                             : TC_INST_MMA;
    op.kind = TC_OP_NO_KIND, op.ctas = 1;
    for (word = strtok(text, "."); word; word = strtok(NULL, ".")) {
        int i;
        if (!strncmp(word, "sp", 2) && (word[2] == 0 || word[2] == ':')) op.sparse = 1;
        if (!strncmp(word, "kind::", 6))
            for (i = 1; i < TC_KIND_COUNT; i++)
                if (!strcmp(tc_kind_name(i), word + 6)) op.kind = i;
        if (!strcmp(word, "cta_group::2")) op.ctas = 2;
        if (!strcmp(word, "block16") || !strcmp(word, "block32")) op.scale_vec = atoi(word + 5);
        if (!strncmp(word, "scale_vec::", 11)) per = atoi(word + 11);
        if (sscanf(word, "m%dn%dk%d", &op.m, &op.n, &op.k) == 3) continue;
        if ((!strcmp(word, "row") || !strcmp(word, "col")) && n_layouts < 2) layouts[n_layouts++] = word[0] == 'r';
        if (type_named(word) && n_types < 4) types[n_types++] = type_named(word);
        if (!strcmp(word, "ue8m0") || !strcmp(word, "ue4m3")) op.scale = type_named(word);
    }
    op.acc = types[0], op.a = types[1], op.b = types[2];
    if (strstr(mnemonic, "block_scale") && !op.scale_vec) {
        const int k = op.kind == TC_KIND_MXF8F6F4 ? 32 : 64;
        op.scale_vec = k / (per ? per : op.kind == TC_KIND_MXF8F6F4 ? 1 : 2);
    }
    if (op.inst == TC_INST_MMA) {
        op.a_from = op.b_from = TC_HOME_REG;
        op.a_major = layouts[0] ? TC_MAJOR_K : TC_MAJOR_MN, op.b_major = layouts[1] ? TC_MAJOR_MN : TC_MAJOR_K;
    } else {
        op.a_from = note[0] == 'R'   ? TC_HOME_REG
                    : note[0] == 'T' ? TC_HOME_TMEM
                                     : TC_HOME_SMEM,
        op.b_from = TC_HOME_SMEM;
        op.a_major = op.b_major = TC_MAJOR_K;
    }
    variants_read++;
    {
        const tc_op t = told(&op, WHOLE);
        add_fact(&t, mask);
    }
    if (op.inst ==
        TC_INST_WGMMA) { /* the last operands are the transpositions, where there are any: 1, or $TA and $TB of 0, 1 */
        const int a = strstr(operands, "imm $TA") != NULL, b = strstr(operands, "imm $TB") != NULL;
        int i;
        for (i = 0; i < 4; i++) {
            tc_op t;
            if (((i & 1) && !a) || ((i & 2) && !b)) continue;
            op.a_major = i & 1 ? TC_MAJOR_MN : TC_MAJOR_K, op.b_major = i & 2 ? TC_MAJOR_MN : TC_MAJOR_K;
            t = told(&op, MAJORS);
            add_fact(&t, mask);
        }
    }
}

/* {a,b} and {8..256:8} are alternatives; the product of all. */
static void expand(const char *mnemonic, const char *operands, const char *note, uint32_t mask)
{
    const char *open = strchr(mnemonic, '{'), *close = open ? strchr(open, '}') : NULL, *at;
    if (!open) {
        variant(mnemonic, operands, note, mask);
        return;
    }
    for (at = open + 1; at <= close;) {
        char item[64], next[512];
        const size_t length = strcspn(at, ",}");
        int from, to, step, i;
        snprintf(item, sizeof item, "%.*s", (int)length, at);
        if (sscanf(item, "%d..%d:%d", &from, &to, &step) != 3) from = to = 0, step = 1;
        for (i = from; i <= to; i += step) {
            if (to) sprintf(item, "%d", i);
            snprintf(next, sizeof next, "%.*s%s%s", (int)(open - mnemonic), mnemonic, item, close + 1);
            expand(next, operands, note, mask);
        }
        at += length + 1;
    }
}

static void read_variants(const char *path)
{
    static char line[8192];
    FILE *f = fopen(path, "r");
    if (!f) {
        printf("FAIL unit_op: cannot open %s\n", path);
        exit(1);
    }
    while (fgets(line, sizeof line, f)) {
        char *column[9] = {0}, *at = line;
        int n = 0;
        line[strcspn(line, "\n")] = 0;
        while (n < 8 && at) {
            column[n++] = at;
            at = strchr(at, '\t');
            if (at) *at++ = 0;
        }
        if (line[0] == '#' || n < 8) continue;
        if (at) continue; /* newer than PTX 9.0: not in tc_op.h */
        if (strncmp(column[1], "mma.", 4) && strncmp(column[1], "wgmma.", 6) && strncmp(column[1], "tcgen05.mma", 11))
            continue;
        if (!strcmp(column[1], "wgmma.sync")) continue;
        expand(column[4], column[5], column[7], targets_of(column[2]));
    }
    fclose(f);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * On which targets does the ISA have op (nothing open)?
 */
static uint32_t isa_targets(const tc_op *o)
{
    tc_op ask = told(o, WHOLE);
    uint32_t mask = fact_of(&ask)->targets;
    if (mask && o->inst == TC_INST_WGMMA) {
        ask = told(o, MAJORS);
        mask &= fact_of(&ask)->targets;
    }
    if (mask && o->inst >= TC_INST_TCGEN05) {
        const int k96 = o->k == 96 && o->kind >= TC_KIND_MXF4;
        tc_tcgen05_idesc_fields f = {.kind = o->kind, .m = o->m, .n = o->n, .a = o->a, .b = o->b, .d = o->acc};
        f.trans_a = o->a_major == TC_MAJOR_MN, f.trans_b = o->b_major == TC_MAJOR_MN;
        f.sparse = o->sparse, f.scale = o->scale, f.k96 = k96, f.cta_group = o->ctas,
        f.ws = o->inst == TC_INST_TCGEN05_WS;
        f.block = o->scale_vec;
        if (o->k != tc_tcgen05_k(o->kind, o->sparse, k96) || tc_tcgen05_idesc_rule(f)) return 0;
        if (o->a_major > TC_MAJOR_MN || o->b_major > TC_MAJOR_MN) return 0;
        /* what neither the text nor the descriptor's rules say, but the ISA's tables: A in tensor memory is K-major; K
         * of 96 is sm_103a's, with A in shared memory and 128 rows a CTA */
        if (f.trans_a && o->a_from == TC_HOME_TMEM) return 0;
        if (k96) mask = o->a_from == TC_HOME_SMEM && o->m == 128 * o->ctas ? mask & targets_of("103a") : 0;
    }
    return mask;
}
static int isa_has(const tc_op *o, int t) { return isa_targets(o) >> t & 1; }

/* ---------------------------------------------------------------------------------------------------------------------
 * All there is. The dimensions of an op, each with its values, illegal ones among them; walk() goes through those of
 * which the table says that they, the rest being open, exist.
 */
static const int v_inst[] = {TC_INST_MMA, TC_INST_WGMMA, TC_INST_TCGEN05, TC_INST_TCGEN05_WS};
static const int v_kind[] = {TC_OP_NO_KIND, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static const int v_sparse[] = {0, 1};
static const int v_vec[] = {0, 16, 32, 64};
static const int v_scale[] = {0, TC_UE8M0, TC_UE4M3, TC_E4M3};
static const int v_home[] = {TC_HOME_REG, TC_HOME_SMEM, TC_HOME_TMEM, 8};
static const int v_major[] = {TC_MAJOR_K, TC_MAJOR_MN, 3};
static const int v_ctas[] = {1, 2, 3};
static const int v_m[] = {4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512};
static const int v_k[] = {2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512};
static int v_type[TC_TYPE_COUNT + 1], v_n[84];

typedef struct dimension {
    size_t at;
    const int *values;
    int count;
} dimension;
#define DIM(field, values)                                                                                             \
    {                                                                                                                  \
        offsetof(tc_op, field), values, (int)(sizeof values / sizeof *values)                                          \
    }
static dimension dims[] = {DIM(inst, v_inst),   DIM(kind, v_kind),   DIM(sparse, v_sparse), DIM(scale_vec, v_vec),
                           DIM(scale, v_scale), DIM(a, v_type),      DIM(b, v_type),        DIM(acc, v_type),
                           DIM(a_from, v_home), DIM(b_from, v_home), DIM(a_major, v_major), DIM(b_major, v_major),
                           DIM(ctas, v_ctas),   DIM(m, v_m),         DIM(k, v_k),           DIM(n, v_n)};
enum { DIMS = sizeof dims / sizeof *dims };
#define FIELD(op, d) (*(int *)((char *)(op) + dims[d].at))

static const char *op_text(const tc_op *o, int t)
{
    static char s[400];
    snprintf(s, sizeof s,
             "sm_%d%s %s kind %s: a %s, b %s, acc %s, m%dn%dk%d, from %d %d, majors %d %d, scale_vec %d %s, sparse %d, "
             "ctas %d",
             targets[t].gen,
             targets[t].target == TC_TARGET_A   ? "a"
             : targets[t].target == TC_TARGET_F ? "f"
                                                : "",
             tc_op_name(tc_op_make(0, o->inst)), tc_op_kind_name(o->kind), tc_type_name(o->a), tc_type_name(o->b),
             tc_type_name(o->acc), o->m, o->n, o->k, o->a_from, o->b_from, o->a_major, o->b_major, o->scale_vec,
             tc_type_name(o->scale), o->sparse, o->ctas);
    return s;
}

static long found;

static int unscaled(const tc_op *o) { return o->scale_vec == 0; }

static void walk(tc_op *op, int d, int t)
{
    int i, keep;
    if (d == DIMS) {
        found++;
        CHECK(isa_has(op, t), "the table has what the ISA has not: %s", op_text(op, t));
        return;
    }
    keep = FIELD(op, d);
    for (i = 0; i < dims[d].count; i++) {
        FIELD(op, d) = dims[d].values[i];
        if (dims[d].at == offsetof(tc_op, scale) && unscaled(op) != (dims[d].values[i] == 0))
            continue; /* 0 is open: a scale is named */
        if (tc_op_exists(*op)) walk(op, d + 1, t);
    }
    FIELD(op, d) = keep;
}

static void table_in_isa(void)
{
    int t;
    for (t = 0; t < TARGETS; t++) {
        tc_op op = tc_op_make(targets[t].gen, 0);
        op.target = targets[t].target, op.sparse = op.scale_vec = op.ctas = TC_OP_ANY;
        walk(&op, 0, t);
    }
    CHECK(found > 100000, "only %ld ops", found);
}

/* The other way round: each op of the ISA, on each target, exists. */
static long asked;

static void must_exist(tc_op op)
{
    const uint32_t mask = isa_targets(&op);
    int t;
    for (t = 0; mask >> t; t++) {
        if (!(mask >> t & 1)) continue;
        op.gen = targets[t].gen, op.target = targets[t].target;
        asked++;
        CHECK(tc_op_exists(op), "the ISA has what the table has not: %s", op_text(&op, t));
        op.gen = op.target = 0;
    }
}

static void each_descriptor(tc_op op)
{
    int i, j;
    for (i = 0; i < (int)(sizeof v_m / sizeof *v_m); i++)
        for (j = 0; j < (int)(sizeof v_n / sizeof *v_n); j++) {
            int k96;
            op.m = v_m[i], op.n = v_n[j];
            for (k96 = 0; k96 < (op.kind >= TC_KIND_MXF4 && !op.sparse ? 2 : 1); k96++) {
                op.k = tc_tcgen05_k(op.kind, op.sparse, k96);
                must_exist(op);
            }
        }
}

static void isa_in_table(void)
{
    int i, a, b, acc, scale, majors;
    for (i = 0; i < SLOTS; i++) {
        tc_op op = facts[i].op;
        if (!facts[i].used || (op.inst == TC_INST_WGMMA && op.n == 0)) continue;
        if (op.inst == TC_INST_MMA) must_exist(op);
        if (op.inst == TC_INST_WGMMA)
            for (majors = 0; majors < 4; majors++) {
                op.a_major = majors & 1 ? TC_MAJOR_MN : TC_MAJOR_K, op.b_major = majors & 2 ? TC_MAJOR_MN : TC_MAJOR_K;
                must_exist(op);
            }
        if (op.inst < TC_INST_TCGEN05) continue;
        for (a = 1; a < TC_TYPE_COUNT; a++)
            for (b = 1; b < TC_TYPE_COUNT; b++) {
                if (tc__t5_type_code(op.kind, a) < 0 || tc__t5_type_code(op.kind, b) < 0) continue;
                for (acc = 1; acc < TC_TYPE_COUNT; acc++)
                    for (scale = 0; scale < 3; scale++)
                        for (majors = 0; majors < 4; majors++) {
                            static const int scales[] = {0, TC_UE8M0, TC_UE4M3};
                            tc_op o = op;
                            if (acc != TC_F16 && acc != TC_F32 && acc != TC_S32)
                                continue; /* others: table_in_isa refuses them */
                            o.a = a, o.b = b, o.acc = acc, o.scale = scales[scale];
                            o.a_major = majors & 1 ? TC_MAJOR_MN : TC_MAJOR_K,
                            o.b_major = majors & 2 ? TC_MAJOR_MN : TC_MAJOR_K;
                            each_descriptor(o);
                        }
            }
    }
    CHECK(asked == found, "the ISA has %ld ops, the table %ld", asked, found);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Near what exists: one to three fields changed at random. Exists or not, and which rule it breaks.
 */
static tc_op open_behind(tc_op op, int rule)
{
    if (rule < TC_OP_RULE_K) op.k = 0;
    if (rule < TC_OP_RULE_N) op.n = 0;
    if (rule < TC_OP_RULE_M) op.m = 0, op.ctas = TC_OP_ANY;
    if (rule < TC_OP_RULE_MAJORS) op.a_major = op.b_major = 0;
    if (rule < TC_OP_RULE_HOMES) op.a_from = op.b_from = 0;
    if (rule < TC_OP_RULE_DENSITY) op.sparse = op.scale_vec = TC_OP_ANY, op.scale = 0;
    if (rule < TC_OP_RULE_SUMS) op.acc = 0;
    if (rule < TC_OP_RULE_TYPES) op.a = op.b = op.kind = 0;
    return op;
}

static void neighbours(void)
{
    int i, broken[TC_OP_RULE_COUNT] = {0}, rule;
    for (i = 0; i < 200000; i++) {
        const int t = test_int(0, TARGETS - 1);
        const tc_op_row r = tc_op_row_at(test_int(0, TC_OP_ROW_COUNT - 1));
        tc_op op = tc_op_make(targets[t].gen, r.inst);
        int d, n = test_int(0, 3);
        op.target = targets[t].target, op.kind = r.kind, op.sparse = r.density > 1, op.scale_vec = r.scale_vec,
        op.ctas = r.shape[1].m ? test_int(1, 2) : 1;
        do op.a = test_int(1, TC_TYPE_COUNT - 1);
        while (!(r.types >> op.a & 1));
        do op.b = test_int(1, TC_TYPE_COUNT - 1);
        while (!(r.types >> op.b & 1));
        do op.acc = test_int(1, TC_TYPE_COUNT - 1);
        while (!(r.sums >> op.acc & 1));
        if (r.scale) do
                op.scale = test_int(1, TC_TYPE_COUNT - 1);
            while (!(r.scale >> op.scale & 1));
        do op.a_from = 1 << test_int(0, 2);
        while (!(r.a_from & op.a_from));
        op.b_from = r.b_from, op.a_major = op.b_major = TC_MAJOR_K, op.k = r.k << op.sparse;
        op.m = r.shape[op.ctas - 1].m & -r.shape[op.ctas - 1].m, op.n = r.shape[op.ctas - 1].n_min;
        while (n--) {
            d = test_int(0, DIMS - 1);
            FIELD(&op, d) = dims[d].values[test_int(0, dims[d].count - 1)];
        }
        if (unscaled(&op) != (op.scale == 0)) continue;
        rule = tc_op_rule(op);
        broken[rule]++;
        CHECK(tc_op_exists(op) == isa_has(&op, t), "%s: the table says %d", op_text(&op, t), tc_op_exists(op));
        CHECK((rule == 0) == tc_op_exists(op), "%s: rule %d", op_text(&op, t), rule);
        for (d = 1; d < TC_OP_RULE_COUNT; d++)
            CHECK(tc_op_exists(open_behind(op, d)) == (rule == 0 || rule > d), "%s: breaks rule %d, %d in doubt",
                  op_text(&op, t), rule, d);
    }
    for (rule = 0; rule < TC_OP_RULE_COUNT; rule++)
        CHECK(broken[rule] > 100, "rule %d was broken %d times", rule, broken[rule]);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What a mainloop and a chooser ask.
 */
static tc_op types(int gen, int inst, int a, int acc)
{
    tc_op op = tc_op_make(gen, inst);
    op.a = op.b = a, op.acc = acc;
    return op;
}

static void lookups(void)
{
    int i, n;
    for (i = 0; i < TC_OP_ROW_COUNT; i++) { /* of each row: k in bytes, and n as trial has it */
        const tc_op_row r = tc_op_row_at(i);
        int sparse, ctas, mn;
        for (sparse = 0; sparse < 2; sparse++)
            for (ctas = 1; ctas <= 2; ctas++)
                for (mn = 0; mn < 2; mn++) {
                    tc_op op = tc_op_make(0, r.inst);
                    int least = 0, most = 0, odd = 0, type = 1;
                    while (!(r.types >> type & 1)) type++;
                    op.kind = r.kind, op.sparse = sparse, op.ctas = ctas, op.scale_vec = r.scale_vec,
                    op.a = op.b = type, op.k = r.k << sparse;
                    op.b_major = mn ? TC_MAJOR_MN : TC_MAJOR_K;
                    if (!(r.density >> sparse & 1) || !tc_op_exists(op)) continue;
                    for (n = 1; n <= 512; n++) {
                        op.n = n;
                        if (!tc_op_exists(op)) continue;
                        least = least ? least : n, most = n;
                    }
                    CHECK(tc_op_n_min(op) == least && tc_op_n_max(op) == most, "row %d: n %d..%d, not %d..%d", i,
                          tc_op_n_min(op), tc_op_n_max(op), least, most);
                    for (n = 1; n <= 512; n++) { /* multiples of the step, and 8 and 24; but not 192 with .ws */
                        const int step = tc_op_n_step(op), multiple = n >= least && n <= most && n % step == 0;
                        op.n = n;
                        odd +=
                            tc_op_exists(op) ? !multiple && n != 8 && n != 24 : multiple && !(n == 192 && step == 64);
                    }
                    CHECK(odd == 0, "row %d: %d n do not keep steps of %d", i, odd, tc_op_n_step(op));
                    op.n = 0;
                    if (r.inst == TC_INST_MMA) continue;
                    CHECK(tc_op_k(op) == op.k && tc_op_k_bytes(op, 0) == (r.k == 96 ? 48 : 32), "row %d: %d bytes of A",
                          i, tc_op_k_bytes(op, 0));
                    CHECK(tc_op_k_bytes(op, 1) == (r.k == 96 ? 48 : 32 << sparse), "row %d: %d bytes of B", i,
                          tc_op_k_bytes(op, 1));
                }
    }
    /* the best of a generation; k of it; slow ones; sums */
    CHECK(tc_op_inst(types(80, 0, TC_BF16, TC_F32)) == TC_INST_MMA && tc_op_k(types(80, 0, TC_BF16, TC_F32)) == 16,
          "bf16 on sm_80");
    CHECK(tc_op_inst(types(90, 0, TC_E4M3, TC_F32)) == TC_INST_WGMMA && tc_op_k(types(90, 0, TC_E4M3, TC_F32)) == 32,
          "fp8 on sm_90a");
    CHECK(tc_op_inst(types(103, 0, TC_S8, TC_S32)) == TC_INST_MMA, "int8 on sm_103a: %s",
          tc_op_name(types(103, 0, TC_S8, TC_S32)));
    CHECK(tc_op_inst(types(100, 0, TC_S8, TC_S32)) == TC_INST_TCGEN05, "int8 on sm_100a");
    CHECK(!strcmp(tc_op_name(types(120, 0, TC_F16, TC_F16)), "mma.sync"), "f16 on sm_120a");
    CHECK(tc_op_k(types(75, 0, TC_BF16, TC_F32)) == 0 && tc_op_name(types(75, 0, TC_BF16, TC_F32))[0] == 0,
          "bf16 on sm_75");
    CHECK(tc_op_n_min(types(75, 0, TC_BF16, TC_F32)) == 0 && tc_op_n_max(types(75, 0, TC_BF16, TC_F32)) == 0,
          "n of what there is not");
    CHECK(tc_op_sums(types(90, TC_INST_WGMMA, TC_F16, 0)) == (1 << TC_F16 | 1 << TC_F32), "sums of f16");
    CHECK(tc_op_sums(types(90, TC_INST_WGMMA, TC_BF16, 0)) == 1 << TC_F32 &&
              tc_op_sums(types(90, 0, TC_S8, TC_F32)) == 0,
          "sums of bf16, s8");
    CHECK(tc_op_bits(types(120, TC_INST_MMA, TC_E2M1, TC_F32), TC_E2M1) == 8 &&
              tc_op_bits(types(90, 0, TC_F16, TC_F32), TC_F16) == 16,
          "bits");
    {
        tc_op op = types(100, TC_INST_TCGEN05, TC_E2M1, TC_F32);
        op.scale_vec = 16;
        CHECK(tc_op_bits(op, TC_E2M1) == 4 && tc_op_k(op) == 64, "mxf4nvf4: %d bits, k %d", tc_op_bits(op, TC_E2M1),
              tc_op_k(op));
        op.gen = 103;
        CHECK(tc_op_k(op) == 64, "k of 96 only for the asking");
    }
    /* native: docs/isa.md's first table, by type: a bit for each of sm_75 80 89 90 100 103 110 120 121, with mma.sync
     */
    {
        static const struct {
            int type, sum, gens;
        } native[] = {{TC_F16, TC_F32, 511},        {TC_BF16, TC_F32, 510},
                      {TC_TF32, TC_F32, 510},       {TC_F64, TC_F64, 510},
                      {TC_S8, TC_S32, 511},         {TC_U4, TC_S32, 7},
                      {TC_B1, TC_S32, 15},          {TC_E4M3, TC_F32, 4 + 128 + 256},
                      {TC_E3M2, TC_F32, 128 + 256}, {TC_E2M1, TC_F32, 128 + 256},
                      {TC_F32, TC_F32, 0}};
        static const int gens[] = {75, 80, 89, 90, 100, 103, 110, 120, 121};
        size_t k;
        for (i = 0; i < TC_OP_ROW_COUNT; i++) { /* row by row: mma.sync alone is slow anywhere */
            const tc_op_row r = tc_op_row_at(i);
            int want = r.gens, seen = r.inst != TC_INST_MMA || r.scale_vec;
            for (k = 0; k < sizeof native / sizeof *native; k++)
                if (!seen && (r.types >> native[k].type & 1)) want &= native[k].gens, seen = 1;
            if (r.inst == TC_INST_MMA && r.k == 4 && r.types == 1 << TC_F16) want = 1;
            CHECK(seen && (r.native & r.gens) == want, "row %d is native on %x, not %x", i, r.native, want);
        }
        for (k = 0; k < sizeof native / sizeof *native; k++)
            for (i = 0; i < 9; i++)
                CHECK(tc_op_native(types(gens[i], TC_INST_MMA, native[k].type, native[k].sum)) ==
                          (native[k].gens >> i & 1),
                      "%s on sm_%d", tc_type_name(native[k].type), gens[i]);
    }
    for (i = 1; i < TC_KIND_COUNT; i++)
        CHECK(!strcmp(tc_op_kind_name(i), tc_kind_name(i)), "kind %d: %s", i, tc_op_kind_name(i));
    CHECK((int)TC__OPK_F16 == (int)TC_KIND_F16 && (int)TC__OPK_MXF4NVF4 == (int)TC_KIND_MXF4NVF4, "numbers of kinds");
    {
        tc_op op = types(90, TC_INST_WGMMA, TC_E4M3, TC_F32);
        CHECK(tc_op_check(&op) == TC_OK && tc_op_types_ok(op) && tc_op_majors_ok(op), "%s", tc_why());
        op.b_major = TC_MAJOR_MN;
        CHECK(tc_op_check(&op) == TC_ERR_DESC && strstr(tc_why(), "a e4m3") && strstr(tc_why(), "MN-major"), "%s",
              tc_why());
        CHECK(tc_op_homes_ok(op) && !tc_op_majors_ok(op) && !tc_op_n_ok(op), "majors and what comes before");
        for (i = 1; i < TC_OP_RULE_COUNT; i++) CHECK(strlen(tc_op_rule_text(i)) > 20, "rule %d has no text", i);
    }
}

int main(int argc, char **argv)
{
    int i;
    for (i = 0; i < (int)(sizeof v_type / sizeof *v_type); i++)
        v_type[i] = i + 1; /* all types, and two that are none */
    for (i = 0; i < (int)(sizeof v_n / sizeof *v_n); i++)
        v_n[i] = i < 72 ? 4 * i + 4 : 40 * (i - 72) + i % 3 * 2 + 1; /* and some odd ones */
    read_variants(argc > 1 ? argv[1] : "tests/isa/variants.tsv");
    CHECK(variants_read > 2000, "only %d variants read", variants_read);
    table_in_isa();
    isa_in_table();
    neighbours();
    lookups();
    return test_end();
}
