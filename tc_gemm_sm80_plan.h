/* tc_gemm_sm80_plan.h - tc 0.2.0 - the sm_80 GEMM's configuration: its rules, its shared memory, what the kernel is
 * given. Needs: the headers below.
 *
 *     tc_gemm_sm80_config                    a configuration with every unset field filled in
 *     tc_gemm_sm80_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm80_params                    what the kernel is given
 */
#ifndef TC_GEMM_SM80_PLAN_H
#define TC_GEMM_SM80_PLAN_H

#include "tc_gemm_f32.h"
#include "tc_conv_config.h"
#include "tc_gemm_gate.h"
#include "tc_gemm_each.h"
#include "tc_gemm_sparse.h"
#include "tc_gemm_tiles.h"
#include "tc_gemm_weights.h"
#include "tc_pipe.h"

TC_HD TC_CONSTEXPR int tc_gemm_sm80_threads(tc_gemm_config_in c) { return 32 * c.warps_m * c.warps_n; }

enum { TC__GEMM80_BY_INDEX = 1, TC__GEMM80_BY_FILTER = 2 };

/* A block of A or B of a view in shared memory, and how it is copied there. */
typedef struct tc__gemm80_operand {
    tc_rows t;
    int size;   /* bytes of an element; of elements of less than a byte 1 */
    int turned; /* its rows run along m or n, one for each k */
    int gathered; /* its rows are looked up: TC__GEMM80_BY_INDEX (.index), _BY_FILTER (.conv) */
    int two;      /* they are those of two matrices, 8 of each in turn (.gate) */
} tc__gemm80_operand;

/* Bytes of k of a row of a block that is not turned, of which an instruction takes 32; .sparse: of B, 64. */
TC_HD TC_CONSTEXPR int tc__gemm80_k_bytes(tc_gemm_config_in c) { return c.bk * tc_type_bits(c.a) / 8; }

TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_operand_of(tc_gemm_config_in c, int rows, int turned)
{
    const int size = tc__gemm_is_packed(c.a) ? 1 : tc_type_bits(c.a) / 8;
    const tc__gemm80_operand o = {
        {turned ? rows * size : tc__gemm80_k_bytes(c), turned ? c.bk : rows, tc_gemm_sm80_threads(c)}, size, turned,
        0, 0};
    return o;
}
TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_a(tc_gemm_config_in v)
{
    tc__gemm80_operand o = tc__gemm80_operand_of(v, v.bm, tc__gemm_a_col(v));
    o.gathered = v.conv ? TC__GEMM80_BY_FILTER : v.index & TC_INDEX_A;
    if (v.sparse) o.t.bytes /= 2; /* what is kept of a row */
    return o;
}
TC_HD TC_CONSTEXPR tc__gemm80_operand tc__gemm80_b(tc_gemm_config_in v)
{
    tc__gemm80_operand o = tc__gemm80_operand_of(v, v.bn, tc__gemm_b_row(v));
    o.two = v.gate != 0;
    return o;
}

/* Do whole passes of copies, each of whole rows, fill a block? */
TC_HD TC_CONSTEXPR int tc__gemm80_covers(const tc__gemm80_operand o)
{
    return o.t.bytes >= 16 && tc_rows_step(o.t) > 0 && o.t.threads % tc_rows_lanes(o.t) == 0
        && o.t.rows % tc_rows_step(o.t) == 0;
}

/* Elements of a row of a warp's sums in shared memory: the two halves of a store find different banks. */
TC_HD TC_CONSTEXPR int tc__gemm80_staged(tc_gemm_config_in c, int cols) { return cols + (c.a == TC_F64 ? 2 : 8); }

/* Bytes of B in a stage; .weights: its bricks of a block of k. */
TC_HD TC_CONSTEXPR int tc__gemm80_b_bytes(tc_gemm_config_in v)
{
    return v.weights ? v.bn / TC_WEIGHTS_ROWS * tc__gemm_brick(v) : v.bn * tc__gemm80_k_bytes(v);
}

/* .d_scale: the largest of each row of each warp's tile, behind the sums. */
TC_HD TC_CONSTEXPR int tc__gemm80_most_bytes(tc_gemm_config_in c) { return c.d_scale ? 4 * c.bm * c.warps_n : 0; }

TC_HD TC_CONSTEXPR int tc_gemm_sm80_smem(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc__gemm_plain(c);
    const int warps = tc_gemm_sm80_threads(v) / 32, row = tc__gemm80_staged(v, v.bn / v.warps_n);
    const int ring = v.stages * (v.bm / (v.sparse ? 2 : 1) * tc__gemm80_k_bytes(v) + tc__gemm80_b_bytes(v)),
              epilogue = warps * 16 * row * (v.a == TC_F64 ? 8 : 4) + tc__gemm80_most_bytes(v);
    return ring > epilogue ? ring : epilogue;
}

/* .sparse: twice as many registers of B, and two blocks' metadata. */
TC_HD TC_CONSTEXPR int tc__gemm80_sparse_registers(tc_gemm_config_in c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    return wm * wn / 32 + (tc__gemm_is_fp8(c.a) ? 9 : 2) * (wm / 16 * 4 + wn / 8 * 4) + 48;
}

/* .weights: besides sums and two steps' fragments what was read of half a block of k. */
TC_HD TC_CONSTEXPR int tc__gemm80_weights_registers(tc_gemm_config_in c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    const int read = c.bk / 32 * (tc_type_bits(c.weights) / 4) + (c.weights_k && c.bk > 2 * c.weights_k ? 8 : 4);
    return wm * wn / 32 + wn / 16 * (8 + read) + wm / 2 + 40;
}

/* Threads between which a multiprocessor parts its registers: ptxas reckons with whole fours of warps. */
TC_HD TC_CONSTEXPR int tc__gemm80_sharers(tc_gemm_config_in c)
{
    return c.weights ? (tc_gemm_sm80_threads(c) + 127) / 128 * 128 : tc_gemm_sm80_threads(c);
}

/* Is an operand turned on its way to registers by more than ldmatrix? */
TC_HD TC_CONSTEXPR int tc__gemm80_sorts(tc_gemm_config_in c)
{
    return (tc__gemm_a_col(c) || tc__gemm_b_row(c)) && !tc__gemm_is_16(c.a) && c.a != TC_F64;
}

/* Which alignment A and B have, the device alone knows, tile by tile: then NAME has both k loops, and NAME_any is a
 * stub. Of TC_GROUPS_K, where an operand's k lies together. */
TC_HD TC_CONSTEXPR int tc__gemm80_decides(tc_gemm_config_in c)
{
    return c.groups == TC_GROUPS_ARRAY || (c.groups == TC_GROUPS_K && !(tc__gemm_a_col(c) && tc__gemm_b_row(c)));
}

/* About what a thread needs: accumulators, two sets of fragments, addresses; fp8 several sets as f16 too, which is what
 * the targets without its instruction make of it, and elements of less than a byte one as bytes. */
TC_HD TC_CONSTEXPR int tc__gemm80_registers(tc_gemm_config_in c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n;
    if (c.sparse) return tc__gemm80_sparse_registers(tc__gemm_plain(c));
    const int own = tc__gemm80_decides(c); /* two k loops, or where a product's matrices lie */
    if (c.weights) return tc__gemm80_weights_registers(c);
    if (tc__gemm_is_f32(c.a)) /* and parts of both */
        return wm * wn / 32 + 8 * (wm / 16 * 4 + wn / 8 * 2) + 60 + (own ? 35 : 0);
    if (c.a == TC_F64) return wm * wn / 16 + 2 * (wm / 8 * 2 + wn / 8 * 2) + 32 + (own ? 48 : 0);
    const int looks = c.index & TC_INDEX_A || c.conv || own || (tc__gemm80_sorts(c) && !tc__gemm_is_fp8(c.a));
    return wm * wn / (c.acc == TC_F16 ? 64 : 32) + (tc__gemm_scaled(c) ? wm * wn / 32 : 0) + (looks ? 32 : 0)
         + (tc__gemm_is_fp8(c.a) ? 9 : tc__gemm_is_packed(c.a) ? 3 : 2) * (wm / 16 * 4 + wn / 8 * 2) + 32;
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm80_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (tc__gemm_in_tile(c) && !c.bn && tc__gemm_is_16(c.a)) { /* wide rows, in what all targets have */
        c.bn = 256, c.bm = c.bm ? c.bm : 64;
        c.bk = c.bk ? c.bk : 32;
        c.stages = c.stages ? c.stages : 4;
    }
    c.bm = c.bm ? c.bm : tc__gemm_is_fp8(c.a) || c.bsr == 64 ? 64 : 128;
    if (c.weights) { /* each warp along m makes the same numbers anew; few rows wait for memory: large copies */
        const int few = c.bm <= 32;
        c.bk = c.bk ? c.bk : few ? TC_WEIGHTS_K : 64;
        c.stages = c.stages ? c.stages : few ? 4 : 3;
        c.warps_m = c.warps_m ? c.warps_m : c.bm < 64 ? 1 : 2;
        c.warps_n = c.warps_n ? c.warps_n : c.bn == 64 && !few ? 2 : 4;
    }
    const int many = tc__gemm_is_fp8(c.a) || (c.index & TC_INDEX_A) || c.sparse || c.conv || c.bsr
                  || tc__gemm80_sorts(c) || tc__gemm80_decides(c) || tc__gemm_is_packed(c.a); /* registers */
    const int most = tc__gemm_is_fp8(c.a) && c.sparse;
    const int narrow = most || tc__gemm_is_f32(c.a) || (c.a == TC_F64 && tc__gemm80_decides(c));
    c.bn = c.bn ? c.bn : narrow ? 64 : 128;
    c.bk = c.bk ? c.bk : tc_type_bits(c.a) ? 1024 / tc_type_bits(c.a) : 64; /* 128 bytes */
    c.stages = c.stages ? c.stages : 3;
    c.warps_m = c.warps_m ? c.warps_m : c.a == TC_F64 || (tc__gemm_is_f32(c.a) && c.bm >= 128) ? 4 : 2;
    c.warps_n = c.warps_n ? c.warps_n : c.bn >= 256 || (many && c.bn >= 128) || most ? 4 : 2;
    c.cluster_m = c.cluster_n = c.cluster_k = 1;
    return c;
}

/* .gate: of 16 rows of a block of B the first 8 are B's, the others B2's. A thread copies of one of them. */
TC_HD TC_CONSTEXPR int tc__gemm80_gate_ok(tc_gemm_config_in c)
{
    const tc__gemm80_operand b = tc__gemm80_b(c);
    return !c.gate || (b.t.bytes >= 16 && tc_rows_step(b.t) % 16 == 0);
}

/* The same of TC_GEMM_DEFINE's kernel for few tiles. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm80_small(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.bm = c.bn = 64;
    if (c.weights) c.bm = 32;
    if (tc__gemm_quantised(c)) c.bm = 32, c.bn = TC__QUANT_COLS;
    c.stages = c.a == TC_F64 ? 5 : 4; /* 64 x 8192 x 8192 of f64 on an H200: 43 TFLOP/s, of five 46 */
    c.warps_m = c.weights ? 1 : 2;
    c.warps_n = (tc__gemm_is_fp8(c.a) && c.sparse) || c.weights ? 4 : 2;
    return tc_gemm_sm80_config(c);
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm80_op(tc_gemm_config_in c)
{
    tc_op op = tc_op_make(tc__gemm_is_fp8(c.a) ? 89 : 80, TC_INST_MMA);
    op.a = tc__gemm_is_f32(c.a) ? TC_TF32 : c.a, op.b = tc__gemm_is_f32(c.b) ? TC_TF32 : c.b, op.acc = tc__gemm_sums(c);
    op.m = c.a == TC_F64 ? 8 : 16, op.n = 8;
    op.k = tc_type_bits(c.a) ? 256 / tc_type_bits(c.a) : 0;
    return op;
}

/* .sparse: a warp's rows lie in one brick of metadata. */
TC_HD TC_CONSTEXPR int tc__gemm80_sparse_ok(tc_gemm_config_in v)
{
    const int wm = v.warps_m > 0 ? v.bm / v.warps_m : 0;
    return v.bm % 64 == 0 && (wm == 16 || wm == 32 || wm == 64) && tc__gemm80_covers(tc__gemm80_a(v));
}

/* .weights: what goes with them, and the rules of TC_GEMM_DEFINE too. */
TC_HD TC_CONSTEXPR int tc__gemm80_weights_given_ok(tc_gemm_config_in c)
{
    return c.weights == 0
        || (!tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c) && c.acc != TC_F16 && !tc__gemm_quantised(c)
            && !tc__tiles_some(c) && !c.bsr);
}
#define TC__GEMM80_WEIGHTS_GIVEN_RULES(X, c)                                                                          \
    TC__GEMM_FACTORS_RULES(X, c)                                                                                      \
    X(tc__gemm80_weights_given_ok(c),                                                                                 \
      "tc: .weights want A and D row-major, sums in f32, a D that is not quantised, and no .b_layout, .triangle, "    \
      ".tile, .k_range and .bsr")

/* The same of a kernel's: whole bricks, of which a warp has one or a strip of one. */
TC_HD TC_CONSTEXPR int tc__gemm80_weights_ok(tc_gemm_config_in c)
{
    const int wn = c.warps_n > 0 ? c.bn / c.warps_n : 0;
    return c.weights == 0
        || ((c.bk == 64 || c.bk == TC_WEIGHTS_K) && c.bn % TC_WEIGHTS_ROWS == 0 && (wn == 16 || wn == 32 || wn == 64)
            && tc__gemm80_weights_given_ok(c));
}

/* A quantised D: a row's 128 columns are whole warps'. */
TC_HD TC_CONSTEXPR int tc__gemm80_quant_ok(tc_gemm_config_in c)
{
    const int wn = c.warps_n > 0 ? c.bn / c.warps_n : 0;
    return c.bn % TC__QUANT_COLS == 0 && (wn == 32 || wn == 64 || wn == 128);
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM80_RULES(X, c)                                                                                     \
    TC__GEMM80_WEIGHTS_GIVEN_RULES(X, c)                                                                              \
    TC__GEMM_TURNED_RULES(X, c)                                                                                       \
    TC__GEMM_SPARSE_PLAIN_RULES(X, c)                                                                                 \
    TC__GEMM_TILES_RULES(X, c)                                                                                        \
    X(!tc__gemm_in_tile(c) || ((c).bn <= 256 && ((c).warps_n == 1 || (c).warps_n == 2 || (c).warps_n == 4)),          \
      "tc: with .rows and .top, .bn must be at most 256 and .warps_n 1, 2 or 4")                                      \
    X(tc__gemm80_weights_ok(c),                                                                                       \
      "tc: .weights by mma.sync want .bk 64 or 128, .bn a multiple of 64, and .bn / .warps_n 16, 32 or 64")           \
    X(!(c).sparse || tc__gemm80_k_bytes(c) == 128 || tc__gemm80_k_bytes(c) == 256,                                    \
      "tc: with .sparse, .bk must be 64 or 128 of elements of 16 bits, 32 or 64 of TC_TF32, 128 or 256 of 8 bits")    \
    X(!(c).sparse || tc__gemm80_sparse_ok(tc__gemm_plain(c)),                                                         \
      "tc: with .sparse, its side of a tile (.bm of TC_SPARSE_A) must be a multiple of 64, of which a warp has 16, "  \
      "32 or 64 rows, and of the rows that one pass of copies fills, threads / (.bk / 16)")                           \
    X(tc_op_exists(tc_gemm_sm80_op(c)),                                                                               \
      "tc: mma.sync does not multiply the types of .a and .b: docs/types.md")                                         \
    X((c).sparse || (c).weights || tc__gemm80_k_bytes(c) == 128 || (tc__gemm80_k_bytes(c) == 64 && (c).a != TC_F64),  \
      "tc: .bk must be 32 or 64 of elements of 16 bits, 64 or 128 of 8 bits, 16 or 32 of 32, 16 of TC_F64, 128 or "   \
      "256 of TC_S4 and TC_U4, 512 or 1024 of TC_B1")                                                                 \
    X(!tc__gemm_scaled(c) || (c).bk == TC__SCALE_K, "tc: with .a_scale or .b_scale, .bk must be 128")                 \
    X((c).warps_m >= 1 && (c).warps_n >= 1 && (c).warps_m * (c).warps_n <= 16,                                        \
      "tc: .warps_m * .warps_n must be in 1..16")                                                                     \
    X((c).bm > 0 && (c).bm % (16 * (c).warps_m) == 0, "tc: .bm must be a multiple of 16 * .warps_m")                  \
    X((c).bn > 0 && (c).bn % (16 * (c).warps_n) == 0, "tc: .bn must be a multiple of 16 * .warps_n")                  \
    X(!(c).gate || !tc__gemm_keeps(c) || (c).bn % (32 * (c).warps_n) == 0,                                            \
      "tc: with .gate and sums of D, .bn must be a multiple of 32 * .warps_n")                                        \
    X(tc__gemm80_gate_ok(c),                                                                                          \
      "tc: with .gate, one pass of copies must fill 16 rows of B or a multiple: threads / (.bk / 8) (8: the elements "\
      "of 16 bytes)")                                                                                                 \
    X(!tc__gemm_quantised(c) || tc__gemm80_quant_ok(c),                                                               \
      "tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn to be a multiple of 128, and .bn / .warps_n "  \
      "32, 64 or 128")                                                                                                \
    X((tc__gemm_a_col(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bm, 0)))                                   \
      && (tc__gemm_b_row(c) || (c).weights || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bn, 0))),                \
      "tc: .bm and .bn must be multiples of threads / (.bk / 8), the rows that one pass of copies fills (8: the "     \
      "elements of 16 bytes)")                                                                                        \
    X((!tc__gemm_a_col(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bm, 1)))                                  \
      && (!tc__gemm_b_row(c) || tc__gemm80_covers(tc__gemm80_operand_of(c, (c).bn, 1))),                              \
      "tc: .a_layout = TC_COL (.b_layout = TC_ROW): .bk must be a multiple of the rows of k that one pass of copies " \
      "fills, threads / the power of 2 in .bm / 8 (.bn / 8)")                                                         \
    X(tc__gemm80_registers(c) <= 255 && tc__gemm80_registers(c) * tc__gemm80_sharers(c) <= 65536,                     \
      "tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have: 64 x 64 "     \
      "is the most (TC_F64: 32 x 64; fp8, TC_F32: 32 x 32; .sparse: 64 x 32, fp8 32 x 16; .weights: 64 x 32; A in "    \
      "columns, B in rows of 8 bits or TC_TF32, TC_GROUPS_ARRAY, TC_GROUPS_K where k lies together, TC_S4, TC_U4, "    \
      "TC_B1: 64 x 48), less "                                                                                         \
      "with more than 8 warps")                                                                                        \
    X((c).stages >= 2 && (c).stages <= 6 && tc_gemm_sm80_smem(c) <= TC__SM90_SMEM_MAX,                                \
      "tc: .stages must be in 2..6, and tiles * .stages fit in 227 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm80_legal(tc_gemm_config_in c)
{
    return 1 TC__GEMM_SM80_RULES(TC__RULE_AND, c);
}

/* Has the target that is compiled for the types' instruction? 1 or 0, and not the question itself, which has the
 * target's number in it: where two targets have one text, tests/compile.sh compiles it once. */
#if TC_HAS_SM89
#define TC__GEMM80_HAS_FP8 1
#else
#define TC__GEMM80_HAS_FP8 0
#endif
#if TC_HAS_SM90
#define TC__GEMM80_HAS_4 0
#else
#define TC__GEMM80_HAS_4 1
#endif
#if TC_HAS_SM100
#define TC__GEMM80_HAS_BITS 0
#else
#define TC__GEMM80_HAS_BITS 1
#endif

/* Instructions of a wider type that do what one would do that the target lacks (tc_gemm_sm80_mma.h); 0: it has it. */
TC_HD TC_CONSTEXPR int tc__gemm80_parts(tc_gemm_config_in c)
{
    return (tc__gemm_is_fp8(c.a) && !TC__GEMM80_HAS_FP8) || (tc__gemm_is_4(c.a) && !TC__GEMM80_HAS_4) ? 2
         : c.a == TC_B1 && !TC__GEMM80_HAS_BITS ? 8 : 0;
}

/* Is the kernel there? mma.sp of fp8 has nothing wider in its place: then it is a stub, bounded to one warp. */
TC_HD TC_CONSTEXPR int tc__gemm80_here(tc_gemm_config_in c)
{
    return TC__GEMM80_HAS_FP8 || !tc__gemm_is_fp8(c.a) || !c.sparse;
}

/* The least compute capability that has it. */
TC_HD TC_CONSTEXPR int tc__gemm80_least(tc_gemm_config_in c) { return tc__gemm_is_fp8(c.a) && c.sparse ? 89 : 80; }

TC_HD TC_CONSTEXPR int tc__gemm80_bound(tc_gemm_config_in c)
{
    return tc__gemm80_here(c) ? tc_gemm_sm80_threads(c) : 32;
}

/* What the kernel is given. */
typedef struct tc_gemm_sm80_params {
    const void *a, *b;
    long long lda, ldb, stride_a, stride_b;
    tc_gemm_out out;
    tc_tiles tiles;
    int k, word, vec; /* word: rows of A and B are aligned to 4 bytes; vec: rows of C and D to 16 */
    double alpha, beta; /* where D is f64 */
    tc_scale_side a_scale, b_scale;
    tc_groups groups; /* tiles is then the order of one of them */
    const int32_t *a_row, *d_row; /* .index */
    int a_rows, d_rows;
    const char *meta;              /* .sparse: metadata in bricks, */
    long long meta_batch;          /* bytes from one matrix's to the next's, */
    int meta_rows, meta_along;     /* bricks along rows, along k; .weights: those of b */
    tc__each each;                 /* TC_GROUPS_ARRAY */
} tc_gemm_sm80_params;

#endif /* TC_GEMM_SM80_PLAN_H */
