/* matrix_wgmma.c - wgmma.mma_async, dense and sparse. Three warpgroups, each with one round of data: its A and B lie in
 * shared memory in a layout of its own (random swizzle, strides and start, as a descriptor can tell them), or A in
 * registers.
 *
 * Warp w of the group holds rows 16w..16w+15, of A like an m16n8 mma's, of D: register i (element i of packed f16) is
 * row 16w + g + i/2%2*8, column i/4*8 + 2t + i%2. Sparse metadata: 16- and 32-bit types, row r's chunks of four
 * elements (tf32: two): chunk x in lane r%8*4 + 2*sel + x/4, bits r/8*16 + x%4*4;
 * 8-bit types: lane r%8*4 + r/8 + x/8*2, bits x%8*4. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "matrix.h"

enum { GROUPS = MX_ROUNDS, THREADS = 128 * GROUPS };
/* what each thread finds in memory */
enum { P_DA = 0, P_DB = 8, P_OA = 16, P_OB = 20, P_META = 24, P_SCALE = 28, P_A = 32, P_D = 48 };

typedef struct { int n; mx_type d; mx_expect e[]; } wg_t;

static void frag_d(int t, int i, int *row, int *col)
{
    *row = t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8;
    *col = i / 4 * 8 + t % 4 * 2 + i % 2;
}

static void check(isa_case *c)
{
    wg_t *x = c->data;
    int per = x->d == MX_F16 ? 2 : 1, nd = x->n / 2 / per;
    for (int th = 0; th < THREADS; th++) for (int i = 0; i < nd * per; i++) {
        int row, col, g = th / 128;
        frag_d(th % 128, i, &row, &col);
        uint32_t got = ((uint32_t *)c->out)[th * nd + i / per] >> (per == 2 ? i % 2 * 16 : 0);
        mx_expect e = x->e[(g * 64 + row) * x->n + col];
        double v = mx_value(x->d, got);
        if (!mx_good(e, v)) {
            isa_fail(c, "round %d: D[%d][%d] (thread %d, element %d) is %.9g (0x%x), must be %.9g .. %.9g; %s", g, row,
                     col, th % 128, i, v, got, e.lo, e.hi, (char *)(x->e + GROUPS * 64 * x->n));
            return;
        }
    }
}

static uint64_t descriptor(const mx_smem *s)
{
    return (uint64_t)(s->lbo >> 4 & 0x3fff) << 16 | (uint64_t)(s->sbo >> 4 & 0x3fff) << 32 | (uint64_t)s->base << 49
        | (uint64_t)(s->swizzle == 128 ? 1 : s->swizzle == 64 ? 2 : s->swizzle == 32 ? 3 : 0) << 62;
}

static int build(isa_case *c)
{
    const char *mn = c->v->mnemonic;
    mx_regs r;
    mx_type t[3];
    int n, k;
    const char *shape = strstr(mn, ".m64n");
    if (!shape || sscanf(shape, ".m64n%dk%d", &n, &k) != 2 || mx_types(mn, t, 3) != 3 || mx_parse_ops(c, &r)) return -1;
    int sparse = strstr(mn, ".sp.") != NULL, rs = !strcmp(c->v->note, "RS"), bits = mx_bits(t[1]),
        kc = sparse ? k / 2 : k;
    int float16 = t[1] == MX_F16 || t[1] == MX_BF16, per = t[0] == MX_F16 ? 2 : 1, nd = n / 2 / per;
    if (r.op[0].count != nd || kc * bits != 256) return -1;
    /* the operands after D, A, B: metadata, selector, scale-d, scale-a, scale-b, trans-a (not RS), trans-b */
    int op = 3, meta_op = -1, sel = 0, scale_a = 1, scale_b = 1, trans_a = 0, trans_b = 0;
    if (sparse) { meta_op = op++; sel = atoi(r.op[op++].imm); }
    int scale_op = op++;
    if (!mx_is_int(t[1])) {
        scale_a = atoi(r.op[op++].imm); scale_b = atoi(r.op[op++].imm);
        if (float16 && !rs) trans_a = atoi(r.op[op++].imm);
        if (float16) trans_b = atoi(r.op[op++].imm);
    }
    if (op != r.nops) return -1;

    mx_smem la[GROUPS], lb[GROUPS];
    uint32_t top = 0;
    for (int g = 0; g < GROUPS; g++) {
        if (!rs) la[g] = mx_smem_layout(64, kc, bits, trans_a, -1, &top);
        lb[g] = mx_smem_layout(n, k, bits, trans_b, -1, &top);
    }
    top = (top + 15) & ~15u;
    int block = P_D + nd * 4;
    uint8_t *smem = isa_in(c, top + (size_t)THREADS * (size_t)block), *params = smem + top;
    memset(isa_out(c, (size_t)(THREADS * nd) * 4), 0, c->out_size);
    for (uint32_t i = 0; i < top; i += 4) { uint32_t v = (uint32_t)isa_random(); memcpy(smem + i, &v, 4); }
    wg_t *x = c->data = calloc(1, sizeof *x + (size_t)(GROUPS * 64 * n) * sizeof(mx_expect) + 400);
    *x = (wg_t){ .n = n, .d = t[0] };
    char *say = (char *)(x->e + GROUPS * 64 * n);
    for (int g = 0; g < GROUPS; g++)
        say += sprintf(say, "%sB %d%s+%x", g ? "; " : "", lb[g].swizzle, trans_b ? "T" : "", lb[g].start), say += rs ? 0
            : sprintf(say, ", A %d%s+%x", la[g].swizzle, trans_a ? "T" : "", la[g].start);
    uint64_t *codes = malloc(sizeof *codes * (size_t)(64 * kc));
    for (int g = 0; g < GROUPS; g++) {
        mx_product_t *p = mx_new(64, n, k, 0);
        p->a = t[1]; p->b = t[2]; p->c = p->d = t[0]; p->round = g; p->sat = isa_has(c, ".satfinite");
        p->b1 = t[1] == MX_B1 ? '&' : 0;
        int scale_d = r.op[scale_op].dir == 'm' ? atoi(r.op[scale_op].imm)
                    : g == MX_EXACT ? c->v->index % 2
                    : isa_int(0, 3) != 0;
        uint8_t *mine = params + (size_t)(g * 128 * block);
        for (int i = 0; i < 64 * kc; i++) codes[i] = mx_random(t[1], t[0], g);
        for (int row = 0; row < 64; row++) for (int i = 0; i < kc; i++) {
            double v = scale_a * mx_value(t[1], codes[row * kc + i]);
            if (!sparse) p->A[row * k + i] = v;
            /* of a tf32 the low 13 bits do not count */
            if (t[1] == MX_TF32 && isfinite(v)) codes[row * kc + i] |= isa_random() >> 9 & 0x1fff;
            if (!rs) mx_smem_put(smem, &la[g], row, i, codes[row * kc + i]);
        }
        for (int i = 0; i < n; i++) for (int j = 0; j < k; j++) {
            uint64_t code = mx_random(t[2], t[0], g);
            p->B[j * n + i] = scale_b * mx_value(t[2], code);
            if (t[2] == MX_TF32 && isfinite(p->B[j * n + i])) code |= isa_random() >> 9 & 0x1fff;
            mx_smem_put(smem, &lb[g], i, j, code);
        }
        for (int th = 0; th < 128; th++) {
            uint8_t *b = mine + th * block;
            uint64_t da = rs ? 0 : descriptor(&la[g]), db = descriptor(&lb[g]);
            uint32_t garbage = (uint32_t)isa_random(), sd = (uint32_t)scale_d, *a = (uint32_t *)(b + P_A),
                     *d = (uint32_t *)(b + P_D);
            memcpy(b + P_DA, &da, 8); memcpy(b + P_DB, &db, 8); memcpy(b + P_OB, &lb[g].start, 4);
            memcpy(b + P_META, &garbage, 4); memcpy(b + P_SCALE, &sd, 4);
            if (!rs) memcpy(b + P_OA, &la[g].start, 4);
            for (int i = 0; i < 4; i++) for (int j = 0; j < 32 / bits; j++) {
                int row = th / 32 * 16 + th % 32 / 4 + i % 2 * 8, col = (i / 2 * 4 + th % 4) * (32 / bits) + j;
                a[i] |= (uint32_t)codes[row * kc + col] << (bits < 32 ? j * bits : 0);
            }
            for (int i = 0; i < nd * per; i++) {
                int row, col;
                frag_d(th, i, &row, &col);
                uint64_t code = mx_random_acc(t[0], g);
                d[i / per] |= (uint32_t)code << (per == 2 ? i % 2 * 16 : 0);
                p->C[row * n + col] = scale_d ? mx_value(t[0], code) : 0;
            }
        }
        if (sparse) {
            int kind = t[1] == MX_TF32 ? 1 : 2, span = kind == 1 ? 2 : 4;
            for (int i = 0; i < 64 * k; i++) p->A[i] = MX_ABSENT;
            for (int row = 0; row < 64; row++) for (int ch = 0; ch < k / span; ch++) {
                int pos[2], q = row % 16, lane, bit;
                uint32_t nib = mx_metadata(kind, 1, pos), e;
                if (bits >= 16) { lane = q % 8 * 4 + 2 * sel + ch / 4; bit = q / 8 * 16 + ch % 4 * 4; }
                else { lane = q % 8 * 4 + q / 8 + ch / 8 * 2; bit = ch % 8 * 4; }
                uint8_t *at = mine + (row / 16 * 32 + lane) * block + P_META;
                memcpy(&e, at, 4);
                e = (e & ~(15u << bit)) | nib << bit;
                memcpy(at, &e, 4);
                for (int i = 0; i < span / 2; i++)
                    p->A[row * k + ch * span + pos[i]] = scale_a * mx_value(t[1],
                                                                            codes[row * kc + ch * span / 2 + i]
                                                                            & (t[1] == MX_TF32 ? ~0x1fffull : ~0ull));
            }
        }
        mx_product(p, x->e + g * 64 * n);
        free(p);
    }
    free(codes);
    c->check = check;
    c->block[0] = THREADS;
    c->smem = top;

    isa_begin(c);
    isa_put(c,
            ".reg .b64 %%p, %%q, %%da, %%db; .reg .b32 %%i, %%s, %%v<4>, %%e, %%a<4>; .reg .pred %%c, %%sd; .reg .%s "
            "%%d<%d>;\nmov.u32 %%s, dsmem;\n", r.op[0].type, nd);
    isa_put(c,
            "mul.lo.u32 %%i, %%tx, 16;\nCOPY:\nsetp.ge.u32 %%c, %%i, %u;\n@%%c bra COPIED;\ncvt.u64.u32 %%p, "
            "%%i;\nadd.u64 %%p, %%p, %%in;\nadd.u32 %%v0, %%i, %%s;\n"
            ".reg .b32 %%w<4>;\nld.global.v4.b32 {%%w0,%%w1,%%w2,%%w3}, [%%p];\nst.shared.v4.b32 [%%v0], "
            "{%%w0,%%w1,%%w2,%%w3};\nadd.u32 %%i, %%i, %d;\nbra COPY;\nCOPIED:\n" "fence.proxy.async;\nbar.sync 0;\n",
            top, THREADS * 16);
    isa_put(c, "mad.wide.u32 %%p, %%tx, %d, %%in;\nadd.u64 %%p, %%p, %u;\n", block, top);
    for (int i = 0; i < 2; i++)
        isa_put(c,
                "ld.global.b64 %%d%c, [%%p+%d];\nld.global.u32 %%v0, [%%p+%d];\nadd.u32 %%v0, %%v0, %%s;\nand.b32 "
                "%%v0, %%v0, 0x3ffff;\nshr.u32 %%v0, %%v0, 4;\ncvt.u64.u32 %%q, %%v0;\nor.b64 %%d%c, %%d%c, %%q;\n",
                "ab"[i], i ? P_DB : P_DA, i ? P_OB : P_OA, "ab"[i], "ab"[i]);
    isa_put(c, "ld.global.u32 %%e, [%%p+%d];\nld.global.u32 %%v0, [%%p+%d];\nsetp.ne.u32 %%sd, %%v0, 0;\n", P_META,
            P_SCALE);
    for (int i = 0; i < 4; i++) isa_put(c, "ld.global.b32 %%a%d, [%%p+%d];\n", i, P_A + 4 * i);
    for (int i = 0; i < nd; i++) isa_put(c, "ld.global.%s %%d%d, [%%p+%d];\n", r.op[0].type, i, P_D + 4 * i);
    isa_put(c, "wgmma.fence.sync.aligned;\n%s {", mn);
    for (int i = 0; i < nd; i++) isa_put(c, "%s%%d%d", i ? "," : "", i);
    isa_put(c, rs ? "}, {%%a0,%%a1,%%a2,%%a3}, %%db" : "}, %%da, %%db");
    for (int i = 3; i < r.nops; i++)
        isa_put(c, r.op[i].dir == 'm' ? ", %s" : i == meta_op ? ", %%e" : ", %%sd", r.op[i].imm);
    isa_put(c,
            ";\nwgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\nmad.wide.u32 %%q, %%tx, %d, "
            "%%out;\n", nd * 4);
    for (int i = 0; i < nd; i++) isa_put(c, "st.global.%s [%%q+%d], %%d%d;\n", r.op[0].type, i * 4, i);
    isa_end(c);
    return 0;
}
ISA_FAMILY(wgmma, "wgmma", build)

/* wgmma.fence, commit_group, wait_group N: N + 2 groups, each an m64n8k16 with an A, a B and an accumulator of its own.
 * After the wait the first two are stored, while the N others may be in flight; then those. The accumulators are set by
 * ordinary instructions before the fence. */
static int build_sync(isa_case *c)
{
    const char *mn = c->v->mnemonic;
    int wait = isa_sweep(c, "N", -1), groups = (wait < 0 ? 0 : wait) + 2;
    int is_fence = !strncmp(mn, "wgmma.fence", 11), is_commit = !strncmp(mn, "wgmma.commit", 12);
    if (wait < 0 && !is_fence && !is_commit) return -1;
    if (wait < 0) wait = 1, groups = 3;
    mx_smem la[10], lb[10];
    uint32_t top = 0;
    for (int i = 0; i < groups; i++) {
        la[i] = mx_smem_layout(64, 16, 16, 0, -1, &top);
        lb[i] = mx_smem_layout(8, 16, 16, 0, -1, &top);
    }
    top = (top + 15) & ~15u;
    uint8_t *smem = isa_in(c, top);
    float *want = isa_out(c, (size_t)(128 * groups * 4) * 4);
    for (int i = 0; i < groups; i++) {
        double a[64][16], b[16][8];
        for (int k = 0; k < 16; k++) {
            for (int j = 0; j < 64; j++) {
                a[j][k] = isa_int(-3, 3);
                mx_smem_put(smem, &la[i], j, k, mx_encode(MX_F16, a[j][k]));
            }
            for (int j = 0; j < 8; j++) {
                b[k][j] = isa_int(-3, 3);
                mx_smem_put(smem, &lb[i], j, k, mx_encode(MX_F16, b[k][j]));
            }
        }
        for (int th = 0; th < 128; th++) for (int e = 0; e < 4; e++) {
            int row, col;
            frag_d(th, e, &row, &col);
            double sum = th + 1000 * i;
            for (int k = 0; k < 16; k++) sum += a[row][k] * b[k][col];
            want[(th * groups + i) * 4 + e] = (float)sum;
        }
    }
    c->block[0] = 128;
    c->smem = top;
    isa_begin(c);
    isa_put(c,
            ".reg .b64 %%p, %%q, %%da, %%db; .reg .b32 %%i, %%s, %%v, %%w<4>; .reg .pred %%c; .reg .f32 %%f, "
            "%%d<%d>;\nmov.u32 %%s, dsmem;\n", groups * 4);
    isa_put(c,
            "mul.lo.u32 %%i, %%tx, 16;\nCOPY:\nsetp.ge.u32 %%c, %%i, %u;\n@%%c bra COPIED;\ncvt.u64.u32 %%p, "
            "%%i;\nadd.u64 %%p, %%p, %%in;\nadd.u32 %%v, %%i, %%s;\n"
            "ld.global.v4.b32 {%%w0,%%w1,%%w2,%%w3}, [%%p];\nst.shared.v4.b32 [%%v], {%%w0,%%w1,%%w2,%%w3};\nadd.u32 "
            "%%i, %%i, 2048;\nbra COPY;\nCOPIED:\nfence.proxy.async;\nbar.sync 0;\n", top);
    isa_put(c, "cvt.rn.f32.u32 %%f, %%tx;\nmad.wide.u32 %%p, %%tx, %d, %%out;\n", groups * 16);
    for (int i = 0; i < groups * 4; i++) isa_put(c, "add.f32 %%d%d, %%f, %d.0;\n", i, i / 4 * 1000);
    isa_put(c, "%s;\n", is_fence ? mn : "wgmma.fence.sync.aligned");
    for (int i = 0; i < groups; i++) {
        for (int j = 0; j < 2; j++) {
            const mx_smem *l = j ? &lb[i] : &la[i];
            isa_put(c,
                    "add.u32 %%v, %%s, %u;\nand.b32 %%v, %%v, 0x3ffff;\nshr.u32 %%v, %%v, 4;\ncvt.u64.u32 %%d%c, "
                    "%%v;\nor.b64 %%d%c, %%d%c, 0x%llx;\n", l->start, "ab"[j], "ab"[j], "ab"[j],
                    (unsigned long long)descriptor(l));
        }
        isa_put(c,
                "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%%d%d,%%d%d,%%d%d,%%d%d}, %%da, %%db, 1, 1, 1, 0, "
                "0;\n%s;\n", i * 4, i * 4 + 1, i * 4 + 2, i * 4 + 3, is_commit ? mn
                : "wgmma.commit_group.sync.aligned");
    }
    isa_put(c, "wgmma.wait_group.sync.aligned %d;\n", wait);
    for (int i = 0; i < groups * 4; i++) {
        if (i == 8) isa_put(c, "wgmma.wait_group.sync.aligned 0;\n");
        isa_put(c, "st.global.f32 [%%p+%d], %%d%d;\n", i * 4, i);
    }
    isa_end(c);
    return 0;
}
ISA_FAMILY(wgmma_sync, "wgmma.sync", build_sync)
