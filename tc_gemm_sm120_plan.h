/* tc_gemm_sm120_plan.h - tc 0.2.0 - the sm_120 GEMM's configuration: its rules, its shared memory, what a block knows.
 * Needs: the headers below.
 *
 *     tc_gemm_sm120_config                    a configuration with every unset field filled in
 *     tc_gemm_sm120_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm120_plan, _plan_of            offsets in shared memory
 *     tc_gemm_sm120_params                    what the kernel is given
 *     tc_gemm120, tc_gemm120_block            the kernel as its functions know it; what a block knows
 *
 * VIEW. Below tc_gemm120_view everything speaks of the instruction, whose rows are A's: those of D, or of its transpose
 * where D is column-major.
 *
 * FACTORS. A block of factors (tc_sf.h) has 128 rows: 32 pieces of 16 bytes, of which piece r holds the factors of rows
 * r, r + 32, r + 64 and r + 96, four bytes each. ldmatrix of 8 pieces gives lane 4g + t the four of row 8m + g + 32t.
 * mma.sync takes those of a column from any of the four lanes of a quad, of two rows from its first or its last two:
 * so the fragment comes as the instruction wants it, if an instruction's 16 rows are 8m .. 8m + 7 and those 32 further
 * down. Hence with .sf a warp has 64 rows, and its sums stand in another order (tc__gemm120_sum).
 *
 * GATES. With .gate half of a warp's columns are B's, half B2's: so its rows of them lie in a slot, and D's column has
 * both of its sums in one lane.
 */
#ifndef TC_GEMM_SM120_PLAN_H
#define TC_GEMM_SM120_PLAN_H

#include "tc_gemm_blackwell.h"
#include "tc_gemm_config.h"
#include "tc_gemm_sparse.h"
#include "tc_gemm_tiles.h"
#include "tc_pipe.h"
#include "tc_sf.h"

enum { TC__GEMM120_SMEM_MAX = TC_CHIP_120_SMEM }; /* 99 KB, what a block of sm_120 may have */

/* The configuration as the instruction sees it. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm120_view(tc_gemm_config_in given) { return tc__gemm_plain(given); }

/* The instruction's kind. */
TC_HD TC_CONSTEXPR int tc__gemm120_kind(tc_gemm_config_in c)
{
    const int fp4 = c.a == TC_E2M1 && c.b == TC_E2M1;
    if (c.sf) return !fp4 ? TC__OPK_MXF8F6F4 : c.sf == TC_SF_UE8M0_32 ? TC__OPK_MXF4 : TC__OPK_MXF4NVF4;
    return tc__gemm_is_narrow(c.a) || tc__gemm_is_narrow(c.b) ? TC__OPK_F8F6F4 : TC__OPK_NONE;
}
/* Two elements of e2m1 in a byte, also in shared memory and in registers. */
TC_HD TC_CONSTEXPR int tc__gemm120_packed(tc_gemm_config_in c)
{
    return tc__gemm_fp4(c);
}
/* Bits of an element in shared memory: those of 4 and 6 bits that other kinds multiply stand in bytes there. */
TC_HD TC_CONSTEXPR int tc__gemm120_bits(tc_gemm_config_in c)
{
    const int bits = tc_type_bits(c.a);
    return tc__gemm120_packed(c) ? 4 : bits > 0 && bits < 8 ? 8 : bits;
}
/* Does an operand's type of 4 or 6 bits become bytes? TMA gives each 16 elements 16 bytes then. */
TC_HD TC_CONSTEXPR int tc__gemm120_padded(tc_gemm_config_in c, int type)
{
    return tc__gemm_padded(c, type);
}

/* Do these kernels serve it? TC_GEMM_DEFINE takes its sm_80 kernels for what they do not. */
TC_HD TC_CONSTEXPR int tc__gemm_by_sm120(tc_gemm_config_in c)
{
    return !tc__gemm_scaled(c) && !c.round && !(c.index & TC_INDEX_A) && !c.weights && !tc__gemm_by_80(c)
        && !tc__gemm_outputs(c) && !tc__gemm_own_ends(c) && !tc__tiles_some(c)
        && (tc__gemm_is_16(c.a) || tc__gemm_is_f8f6f4(c.a) || c.a == TC_TF32
            || (tc__gemm_is_int(c.a) && c.d != TC_S8));
}

/* .sf: k's that share a factor, and the factors' type; 0 without. */
TC_HD TC_CONSTEXPR int tc__gemm120_sf_k(tc_gemm_config_in c)
{
    return c.sf == TC_SF_UE8M0_32 ? 32 : c.sf == TC_SF_UE4M3_16 ? 16 : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm120_sf_ok(tc_gemm_config_in c)
{
    return c.sf == 0 || (c.sf == TC_SF_UE8M0_32 && tc__gemm_is_f8f6f4(c.a))
        || (c.sf == TC_SF_UE4M3_16 && c.a == TC_E2M1 && c.b == TC_E2M1);
}
/* Sums in f16. */
TC_HD TC_CONSTEXPR int tc__gemm120_acc_ok(tc_gemm_config_in c)
{
    return c.acc != TC_F16 || (!c.sf && (c.a == TC_F16 || (tc__gemm_is_fp8(c.a) && tc__gemm_is_fp8(c.b))));
}
/* Factors of a row in a slot of the ring, and the blocks that bring them: of half a block two slots take two factors
 * each. */
TC_HD TC_CONSTEXPR int tc__gemm120_factors(tc_gemm_config_in c)
{
    return c.sf && tc__gemm120_sf_ok(c) ? c.bk / tc__gemm120_sf_k(c) : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm120_sf_blocks(tc_gemm_config_in c) { return (tc__gemm120_factors(c) + 3) / 4; }

/* ---------------------------------------------------------------------------------------------------------------------
 * An operand's block of k in shared memory. As tc_operand, but that a box's rows are 64 bytes long where k (turned: the
 * rows) is no multiple of 128: 99 KB are few slots of 128 bytes.
 */
typedef struct tc__gemm120_operand {
    int type, bits, rows, k;     /* elements; bits of one in shared memory */
    int turned, padded;          /* its rows run along m or n, one for each k; elements of less than a byte in bytes */
    int row;                     /* bytes of a row of a box, which is its swizzle */
    int boxes, box_bytes, bytes;
    int counted;                 /* bytes of it that TMA counts */
} tc__gemm120_operand;

TC_HD TC_CONSTEXPR tc__gemm120_operand tc__gemm120_operand_of(tc_gemm_config_in c, int type, int rows, int turned)
{
    tc__gemm120_operand o = {type, tc__gemm120_bits(c), rows, c.bk, turned, tc__gemm120_padded(c, type), 0, 0, 0, 0, 0};
    const int across = (turned ? rows : c.bk) * o.bits / 8;
    o.row = across % 128 == 0 ? 128 : 64;
    o.boxes = across / o.row;
    o.box_bytes = (turned ? c.bk : rows) * o.row;
    o.bytes = o.boxes * o.box_bytes;
    o.counted = o.padded ? o.bytes * tc_type_bits(type) / 8 : o.bytes;
    return o;
}
TC_HD TC_CONSTEXPR tc__gemm120_operand tc__gemm120_a(tc_gemm_config_in v)
{
    tc_gemm_config c = v;
    c.bk = v.sparse ? v.bk / 2 : v.bk; /* what is kept of a row */
    return tc__gemm120_operand_of(c, v.a, v.bm, tc__gemm_a_col(v));
}
TC_HD TC_CONSTEXPR tc__gemm120_operand tc__gemm120_b(tc_gemm_config_in v)
{
    return tc__gemm120_operand_of(v, v.b, v.bn, tc__gemm_b_row(v));
}
/* Elements of a row of a box. */
TC_HD TC_CONSTEXPR int tc__gemm120_across(const tc__gemm120_operand o) { return o.row * 8 / o.bits; }

/* Steps of k of a block, in pairs: of each 64 bytes of a row of A. */
TC_HD TC_CONSTEXPR int tc__gemm120_parts(tc_gemm_config_in c) { return tc__gemm120_a(c).k * tc__gemm120_bits(c) / 512; }

/* .sparse: bytes of metadata of 16 rows by 64 bytes of what is kept: a line of a brick (tc_sparse_pack.h); and of all
 * lines of a slot, line after line along the rows for each such 64 bytes. */
TC_HD TC_CONSTEXPR int tc__gemm120_meta_line(tc_gemm_config_in c)
{
    return c.sparse ? tc_sp_brick_bytes(tc_type_bits(c.a)) / (TC_SP_BRICK_ROWS / 16) : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm120_meta_bytes(tc_gemm_config_in c)
{
    return c.bm / 16 * tc__gemm120_parts(c) * tc__gemm120_meta_line(c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The plan of a block's shared memory, in bytes from its start; c is a view.
 */
/* What stands in a slot behind A and B. */
TC_HD TC_CONSTEXPR int tc__gemm120_behind(tc_gemm_config_in c)
{
    return 2 * tc__gemm120_sf_blocks(c) * TC_SF_BLOCK + tc__gemm120_meta_bytes(c);
}
TC_HD TC_CONSTEXPR int tc__gemm120_slot(tc_gemm_config_in c)
{
    return (tc__gemm120_a(c).bytes + tc__gemm120_b(c).bytes + tc__gemm120_behind(c) + 1023) / 1024 * 1024;
}
TC_HD TC_CONSTEXPR int tc__gemm120_expected(tc_gemm_config_in c)
{
    return tc__gemm120_a(c).counted + tc__gemm120_b(c).counted + tc__gemm120_behind(c);
}

/* Warps that share a tile, and how many such groups of them there are. */
TC_HD TC_CONSTEXPR int tc__gemm120_warps(tc_gemm_config_in c) { return c.warps_m * c.warps_n; }
TC_HD TC_CONSTEXPR int tc__gemm120_groups(tc_gemm_config_in c) { return c.schedule == TC_PINGPONG ? 2 : 1; }

/* Boxes of D: the widest swizzle whose columns divide a warp's. */
TC_HD TC_CONSTEXPR tc_box tc__gemm120_box(tc_gemm_config_in c)
{
    const int row = c.warps_n > 0 ? c.bn / tc__gemm_products(c) / c.warps_n * tc_type_bits(c.d) / 8 : 0;
    const tc_box b = {tc_type_bits(c.d) == 32 ? TC_F32 : c.d, row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : 32};
    return b; /* s32 looks like f32 */
}

typedef struct tc_gemm_sm120_plan {
    int ring;       /* slots: a block of A, a block of B, blocks of factors or lines of metadata */
    int store;      /* boxes of the warps that store, warp_store bytes each */
    int warp_store;
    int pipe, turn; /* mbarriers: full, empty; TC_PINGPONG: a warp may multiply */
    int groups;     /* .groups: the table of their tiles */
    int parts;      /* .split: a word of each group of warps: which slices are theirs */
    int bytes;
} tc_gemm_sm120_plan;

TC_HD TC_CONSTEXPR tc_gemm_sm120_plan tc_gemm_sm120_plan_of(tc_gemm_config_in c)
{
    const int warps = tc__gemm120_warps(c) * tc__gemm120_groups(c);
    tc_gemm_sm120_plan p = {0, 0, 0, 0, 0, 0, 0, 0};
    p.warp_store = (c.epi_stages * 16 * tc__gemm120_box(c).bytes + 1023) / 1024 * 1024;
    if (c.gate && p.warp_store < 2 * TC__GEMM_PLACE) p.warp_store = 2 * TC__GEMM_PLACE; /* of both products */
    p.store = c.stages * tc__gemm120_slot(c);
    p.pipe = p.store + warps * p.warp_store;
    p.turn = p.pipe + tc_pipe_bytes(c.stages);
    p.groups = p.turn + (tc__gemm120_groups(c) > 1 ? warps * 8 : 0);
    p.parts = p.groups + (c.groups ? TC__GROUPS_BYTES : 0);
    p.bytes = p.parts + (c.split ? 8 : 0);
    return p;
}

TC_HD TC_CONSTEXPR int tc_gemm_sm120_smem(tc_gemm_config_in c)
{
    return tc_gemm_sm120_plan_of(tc_gemm120_view(c)).bytes;
}
/* .sparse: columns of B whose fragments are read ahead; twice as many are held. */
enum { TC__GEMM120_SPARSE_AHEAD = 2 };

/* About what a thread needs: accumulators, two sets of fragments, factors, addresses. */
TC_HD TC_CONSTEXPR int tc__gemm120_registers(tc_gemm_config_in c)
{
    const int wm = c.bm / c.warps_m, wn = c.bn / c.warps_n, words = tc_type_bits(c.a) == 8 ? 4 : 2;
    if (c.sparse) return wm * wn / 32 + wm / 16 * (8 + words) + TC__GEMM120_SPARSE_AHEAD * 8 + 32;
    return wm * wn / 32 + 2 * (wm / 16 * 4 + wn / 8 * 2) + (c.sf ? 8 : 0) + 32;
}

/* What it can have: a quarter of the multiprocessor has 512 for each lane, and a warp in four. */
TC_HD TC_CONSTEXPR int tc__gemm120_has(int warps)
{
    const int each = 512 / ((warps + 3) / 4) / 8 * 8;
    return each < 255 ? each : 255;
}

/* setmaxnreg: eight warps that multiply, whose producer's warpgroup gives registers away, where 168 are too few. */
enum { TC__GEMM120_MOVED = 240 }; /* 24 are left to the producer's */
TC_HD TC_CONSTEXPR int tc__gemm120_moves(tc_gemm_config_in v)
{
    const int warps = tc__gemm120_warps(v) * tc__gemm120_groups(v);
    const int turned = (tc__gemm_a_col(v) && tc__gemm120_padded(v, v.a))
                    || (tc__gemm_b_row(v) && tc__gemm120_padded(v, v.b));
    const int more = turned ? 32 : 0; /* addresses */
    return warps == 8 && tc__gemm120_registers(v) + more > tc__gemm120_has(9);
}
TC_HD TC_CONSTEXPR int tc__gemm120_registers_ok(tc_gemm_config_in v)
{
    const int has = tc__gemm120_has(1 + tc__gemm120_warps(v) * tc__gemm120_groups(v));
    return tc__gemm120_registers(v) <= (tc__gemm120_moves(v) ? TC__GEMM120_MOVED : has);
}

/* The producer's warp, or warpgroup, and those that multiply. */
TC_HD TC_CONSTEXPR int tc__gemm120_first(tc_gemm_config_in v) { return tc__gemm120_moves(v) ? 4 : 1; }
TC_HD TC_CONSTEXPR int tc_gemm_sm120_threads(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc_gemm120_view(c);
    return 32 * (tc__gemm120_first(v) + tc__gemm120_warps(v) * tc__gemm120_groups(v));
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm120_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    const int turned = tc__gemm_d_col(c), bits = tc__gemm120_bits(c);
    c.bm = c.bm ? c.bm : 128;
    c.bn = c.bn ? c.bn : c.sf && tc__gemm_hooked(c) ? 64 : 128; /* with factors and a hook 128 columns spill */
    /* bytes of k */
    const int wide = c.sparse || tc__gemm120_padded(c, c.a) || tc__gemm120_padded(c, c.b) ? 128 : 64;
    c.bk = c.bk ? c.bk : bits ? wide * 8 / bits : 32;
    c.schedule = c.schedule ? c.schedule : TC_PINGPONG;
    c.epi_stages = c.epi_stages ? c.epi_stages : 1;
    if (c.warps_m == 0 && c.warps_n == 0) {
        const int rows = turned ? c.bn : c.bm, cols = turned ? c.bm : c.bn; /* the instruction's */
        const int down = c.sf ? (rows + 63) / 64 : 2, across = c.sf && cols < 128 ? 1 : 2;
        c.warps_m = turned ? across : down, c.warps_n = turned ? down : across;
    }
    c.warps_m = c.warps_m ? c.warps_m : 1, c.warps_n = c.warps_n ? c.warps_n : 1;
    c.cluster_m = c.cluster_m ? c.cluster_m : 1;
    c.cluster_n = c.cluster_n ? c.cluster_n : 1;
    if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0 && c.warps_m > 0 && c.warps_n > 0) { /* what fits */
        const tc_gemm_config v = tc_gemm120_view(c);
        c.stages = (TC__GEMM120_SMEM_MAX - tc_gemm_sm120_plan_of(v).bytes) / (tc__gemm120_slot(v) + tc_pipe_bytes(1));
        c.stages = c.stages > 12 ? 12 : c.stages;
    }
    return c;
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm120_op(tc_gemm_config_in given)
{
    const tc_gemm_config c = tc_gemm120_view(given);
    tc_op op = tc_op_make(120, TC_INST_MMA);
    op.a = c.a, op.b = c.b, op.acc = tc__gemm_sums(c);
    op.m = 16, op.n = 8;
    op.k = tc__gemm120_bits(c) ? (c.sparse ? 512 : 256) / tc__gemm120_bits(c) : 0;
    op.sparse = c.sparse != 0;
    op.kind = tc__gemm120_kind(c);
    op.scale = c.sf == TC_SF_UE8M0_32 ? TC_UE8M0 : c.sf ? TC_UE4M3 : 0, op.scale_vec = tc__gemm120_sf_k(c);
    op.target = op.kind == TC_OP_NO_KIND ? TC_TARGET_PLAIN : TC_TARGET_F;
    return op;
}

/* Has only an a or f target what it takes? All kinds are theirs, fragments of 8 bits in columns, setmaxnreg. */
TC_HD TC_CONSTEXPR int tc__gemm120_special(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc_gemm120_view(c);
    return tc__gemm120_kind(c) != TC_OP_NO_KIND
        || ((tc__gemm_a_col(v) || tc__gemm_b_row(v)) && tc_type_bits(c.a) == 8);
}

/* Fields of other generations. */
TC_HD TC_CONSTEXPR int tc__gemm120_alone(tc_gemm_config_in c)
{
    return c.cluster_m == 1 && c.cluster_n == 1 && c.cluster_k <= 1 && !c.consumers && !c.step && !c.swap && !c.any
        && !c.clc;
}
/* Layouts. */
TC_HD TC_CONSTEXPR int tc__gemm120_layout_ok(tc_gemm_config_in v)
{
    return (!tc__gemm_a_col(v) && !tc__gemm_b_row(v)) || !tc__gemm120_packed(v);
}
/* Steps of k and tiles: bytes of a box's rows. */
TC_HD TC_CONSTEXPR int tc__gemm120_bytes_ok(int bytes) { return bytes == 64 || (bytes > 0 && bytes % 128 == 0); }
TC_HD TC_CONSTEXPR int tc__gemm120_bk_ok(tc_gemm_config_in v)
{
    const int bytes = v.bk * tc__gemm120_bits(v) / 8;
    return v.bk > 0 && tc__gemm120_bytes_ok(bytes) && bytes <= 256
        && (bytes >= 128 || (!tc__gemm120_padded(v, v.a) && !tc__gemm120_padded(v, v.b)));
}
TC_HD TC_CONSTEXPR int tc__gemm120_tile_ok(tc_gemm_config_in v)
{
    return v.bm > 0 && v.bn > 0 && v.bm <= 256 && v.bn <= 256 && v.bm % (16 * v.warps_m) == 0
        && v.bn % (16 * v.warps_n) == 0
        && (!tc__gemm_a_col(v) || tc__gemm120_bytes_ok(v.bm * tc__gemm120_bits(v) / 8))
        && (!tc__gemm_b_row(v) || tc__gemm120_bytes_ok(v.bn * tc__gemm120_bits(v) / 8));
}
/* What TMA brings to bytes comes in rows of 128, along k or along the tile's side. */
TC_HD TC_CONSTEXPR int tc__gemm120_padded_ok(tc_gemm_config_in v)
{
    return (!tc__gemm_a_col(v) || !tc__gemm120_padded(v, v.a) || v.bm % 128 == 0)
        && (!tc__gemm_b_row(v) || !tc__gemm120_padded(v, v.b) || v.bn % 128 == 0);
}
TC_HD TC_CONSTEXPR int tc__gemm120_sf_tile_ok(tc_gemm_config_in v)
{
    return !v.sf
        || ((v.bm == 64 || v.bm == 128) && (v.bn == 64 || v.bn == 128) && v.bm / v.warps_m == 64
            && v.bn / v.warps_n % 32 == 0);
}

/* .sparse: whole lines of 64 bytes of what is kept; tiles that begin with a brick, or lie in one. */
TC_HD TC_CONSTEXPR int tc__gemm120_sparse_bk_ok(tc_gemm_config_in v)
{
    const int bytes = v.bk * tc__gemm120_bits(v) / 8;
    return !v.sparse || (v.bk > 0 && (bytes == 128 || bytes == 256));
}
TC_HD TC_CONSTEXPR int tc__gemm120_sparse_rows_ok(tc_gemm_config_in v)
{
    return !v.sparse || v.bm == 16 || v.bm == 32 || v.bm % TC_SP_BRICK_ROWS == 0;
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM120_RULES(X, c)                                                                                    \
    TC__GEMM_ALL_TILES_RULES(X, c)                                                                                    \
    TC__GEMM_PLAIN_B_RULES(X, c)                                                                                      \
    TC__GEMM_SPARSE_PLAIN_RULES(X, c)                                                                                 \
    TC__GEMM_NO_ROWS_RULES(X, c)                                                                                      \
    TC__GEMM_RULES(X, c)                                                                                              \
    TC__GEMM_GROUPS_RULES(X, c)                                                                                       \
    TC__GEMM_SM120_OWN_RULES(X, tc_gemm120_view(c))
#define TC__GEMM_SM120_OWN_RULES(X, c)                                                                                \
    TC__GEMM_PLAIN_D_RULES(X, c)                                                                                      \
    X(!((c).index & TC_INDEX_A) && !tc__gemm_outputs(c),                                                              \
      "tc: TC_GEMM_SM120_DEFINE has no .index = TC_INDEX_A, .aux, .row_sum and .all_sum: TC_GEMM_SM80_DEFINE "        \
      "and TC_GEMM_DEFINE have")                                                                                      \
    X(tc__gemm_by_sm120(c) || (c).index || tc__gemm_outputs(c) || tc__gemm_own_ends(c) || tc__tiles_some(c)           \
          || tc__gemm_by_80(c) || ((c).gate && !(tc__gemm_gate_types_ok(c) && tc__gemm_gate_alone(c))),               \
      "tc: TC_GEMM_SM120_DEFINE multiplies f16, bf16, tf32 (.round 0), e4m3, e5m2, e3m2, e2m3, e2m1, s8 and u8 (not " \
      "to s8), no .a_scale or .b_scale: others are for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE")      \
    X(tc__gemm120_acc_ok(c),                                                                                          \
      "tc: .acc = TC_F16 of TC_GEMM_SM120_DEFINE is of TC_F16, or of fp8 on both sides, without .sf")                 \
    X(tc__gemm120_sf_ok(c),                                                                                           \
      "tc: .sf must be TC_SF_UE8M0_32 of fp8, fp6 and fp4, TC_SF_UE4M3_16 of TC_E2M1, or 0")                          \
    X(!tc__gemm_by_sm120(c) || tc_op_exists(tc_gemm_sm120_op(c)),                                                     \
      "tc: mma.sync does not multiply the types of .a and .b: docs/types.md")                                         \
    X(tc__gemm120_layout_ok(c),                                                                                       \
      "tc: .a_layout = TC_COL and .b_layout = TC_ROW are not for .sf with TC_E2M1 on both sides (mxf4, nvf4): two "   \
      "elements of a byte then differ in their row, and nothing parts them")                                          \
    X(tc__gemm120_padded_ok(c),                                                                                       \
      "tc: of fp6 and fp4, A in columns wants a .bm and B in rows a .bn that is a multiple of 128")                   \
    X((c).promote == 0 || (c).promote == TC_FAST,                                                                     \
      "tc: .promote must be left out, or TC_FAST: mma.sync's sums are f32 here")                                      \
    X(tc__gemm120_alone(c),                                                                                           \
      "tc: .cluster_m, .cluster_n, .cluster_k, .consumers, .step, .swap and .clc are other generations': "            \
      "TC_GEMM_SM120_DEFINE leaves them out")                                                                         \
    X((c).split == 0 || ((c).split == 1 && !(c).groups), "tc: .split must be 0, or 1 without .groups")                \
    X((c).schedule == TC_COOPERATIVE || (c).schedule == TC_PINGPONG,                                                  \
      "tc: .schedule must be TC_COOPERATIVE or TC_PINGPONG")                                                          \
    X((c).warps_m >= 1 && (c).warps_n >= 1 && tc__gemm120_warps(c) * tc__gemm120_groups(c) <= 16,                     \
      "tc: .warps_m * .warps_n must be in 1..16, with TC_PINGPONG in 1..8")                                           \
    X(tc__gemm120_tile_ok(c),                                                                                         \
      "tc: .bm must be a multiple of 16 * .warps_m, .bn of 16 * .warps_n, 256 at most; of A in columns and B in "     \
      "rows 64 bytes or a multiple of 128")                                                                           \
    X(!(c).gate || (c).bn % (32 * (c).warps_n) == 0,                                                                  \
      "tc: with .gate, .bn must be a multiple of 32 * .warps_n: half of a warp's columns are D's")                    \
    X(tc__gemm120_sparse_bk_ok(c),                                                                                    \
      "tc: with .sparse, .bk must be 64 or 128 of elements of 16 bits, 32 or 64 of TC_TF32, 128 or 256 of 8 bits")    \
    X(tc__gemm120_sparse_rows_ok(c),                                                                                  \
      "tc: with .sparse, its side of a tile (.bm of TC_SPARSE_A, .bn of TC_SPARSE_B) must be 16, 32 or a multiple "   \
      "of 64")                                                                                                        \
    X(tc__gemm120_bk_ok(c),                                                                                           \
      "tc: .bk must be 64, 128 or 256 bytes: 32, 64 or 128 elements of 16 bits; fp6 and fp4, which stand in bytes "   \
      "unless both are TC_E2M1 with .sf, at least 128")                                                               \
    X(tc__gemm120_sf_tile_ok(c),                                                                                      \
      "tc: with .sf, .bm and .bn must be 64 or 128, and a warp's tile 64 rows by a multiple of 32 columns (.bm / "    \
      ".warps_m, .bn / .warps_n; the other way round where D is column-major)")                                       \
    X(!tc__gemm120_tile_ok(c) || tc__gemm120_registers_ok(c),                                                         \
      "tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have: 64 x 64 is "  \
      "the most, less with more than 8 warps (TC_PINGPONG: more than 4)")                                             \
    X((c).epi_stages >= 1 && (c).epi_stages <= 4, "tc: .epi_stages must be in 1..4")                                  \
    X((c).stages >= 2 && tc_gemm_sm120_plan_of(c).bytes <= TC__GEMM120_SMEM_MAX,                                      \
      "tc: .stages must be 2 or more, and tiles * .stages plus store buffers fit in 99 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm120_legal(tc_gemm_config_in c)
{
    return 1 TC__GEMM_SM120_RULES(TC__RULE_AND, c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the kernel is given. Tensor maps have the dimensions (k or n, rows, batch); a and b are the instruction's.
 */
typedef struct tc_gemm_sm120_params {
    tc_tiles tiles;
    uint32_t k_blocks;              /* 0: there are no products */
    uint32_t skip_slots, skip_laps; /* TC_PINGPONG: the other group's tile, as slots of the ring */
    int factors, sf_blocks;         /* .sf: of a row, and blocks of them in memory */
    uint8_t sfa_batched, sfb_batched;
    uint8_t a_batched, b_batched;   /* 0 where every batch uses the same matrix */
    uint8_t waits;                  /* for the kernel before (programmatic dependent launch) */
    uint8_t d_plain, d_clips;       /* boxes go by TMA, without C; and TMA leaves out what a box has outside of D */
    int d_by;                       /* how boxes go to D: TC__GEMM_D_* */
    tc_tmap a, b, d;
    tc_tmap sfa, sfb; /* .sf: blocks of factors as four rows of 128 bytes each; .gate: sfb is B2's */
    tc_gemm_out out;
    tc_groups groups; /* .groups: tiles is then the order of one of them, .total the most there can be */
    tc_gemm_split split;
    uint32_t works;   /* tiles, or with .split their parts */
    int d_rows;       /* .index: rows of D, and which of them */
    const int32_t *d_row;
    const char *meta;           /* .sparse: metadata in bricks, */
    long long meta_batch;       /* bytes to the next matrix's, */
    int meta_rows, meta_along;  /* bricks along the rows, along k */
} tc_gemm_sm120_params;

/* Has the target that is compiled for what the kernel takes? With -rdc=true ptxas ignores setmaxnreg. */
#if TC_HAS_SM120A && (!defined(__CUDACC_RDC__) || defined(__CUDACC_EWP__) || defined(TC_ALLOW_RDC))
#define TC__GEMM120_SETMAXNREG 1
#else
#define TC__GEMM120_SETMAXNREG 0
#endif
TC_HD TC_CONSTEXPR int tc__gemm120_here(tc_gemm_config_in c)
{
    return TC_HAS_SM120 && (TC_HAS_SM120A || !tc__gemm120_special(c))
        && (TC__GEMM120_SETMAXNREG || !tc__gemm120_moves(tc_gemm120_view(c)));
}

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel as its functions know it: a constant.
 */
typedef struct tc_gemm120 {
    tc_gemm_config c; /* as a view */
    tc__gemm120_operand a, b;
    int kind, sums, parts;      /* the instruction's kind; the type of sums; pieces of a block of k, of 64 bytes of A */
    int wm, wn, mi, ni;         /* a warp's tile, in elements and in instructions */
    int slot, expected;         /* bytes of a slot of the ring; those that TMA counts */
    int sf_blocks, factors;     /* .sf: of a slot; of such a piece's rows */
    int meta_line;              /* .sparse: bytes of 16 rows' metadata of such a piece */
} tc_gemm120;
TC_IN(tc_gemm120);

TC_HD TC_CONSTEXPR tc_gemm120 tc_gemm120_of(tc_gemm_config_in c)
{
    const tc_gemm_config v = tc_gemm120_view(c);
    tc_gemm120 k = {v, tc__gemm120_a(v), tc__gemm120_b(v), tc__gemm120_kind(v), tc__gemm_sums(v),
                    tc__gemm120_parts(v), v.bm / v.warps_m, v.bn / v.warps_n, v.bm / v.warps_m / 16,
                    v.bn / v.warps_n / 8, tc__gemm120_slot(v), tc__gemm120_expected(v), tc__gemm120_sf_blocks(v),
                    tc__gemm120_factors(v) * 512 / (v.bk * tc__gemm120_bits(v)), tc__gemm120_meta_line(v)};
    k.c.d_layout = c.d_layout; /* for the hooks, who know D as it is: from here on nobody asks for the view again */
    return k;
}

typedef struct tc_gemm120_block {
    const tc_gemm_sm120_params *p;
    uint32_t smem, ring; /* shared addresses: of its dynamic shared memory, a multiple of 1024; of the first slot */
    uint32_t turn;       /* mbarriers of the warps that multiply */
    uint32_t table;      /* .groups: of their tiles */
    uint32_t parts;      /* .split: the words */
    tc_pipe pipe;
} tc_gemm120_block;

/* Tiles, or their parts; of groups, once the table is there. */
TC_DEV uint32_t tc__gemm120_works(tc_gemm120_in k, const tc_gemm120_block *g)
{
    if (!k.c.groups) return k.c.split ? g->p->works : g->p->tiles.total;
    return tc_groups_total(&g->p->groups, g->table) * g->p->tiles.area.by;
}

/* The same tile of .groups. */
TC_DEV_SM120 tc_work tc__gemm120_group_work(const int warp, tc_gemm120_in k, const tc_gemm120_block *g, uint32_t index)
{
    const tc_groups_line line = {&g->p->groups, &g->p->tiles, g->table};
    const tc__gemm_share share = {k.c.groups == TC_GROUPS_MASKED, k.c.bm, k.c.bn / tc__gemm_products(k.c), 0, 0};
    tc_work w = tc__gemm_group_work(warp, share, &line, index);
    w.k_blocks = g->p->k_blocks;
    return w;
}

/* Tile `index`. warp, a constant: all lanes of a warp ask together. */
TC_DEV_SM120 tc_work tc_gemm120_work(const int warp, tc_gemm120_in k, const tc_gemm120_block *g, uint32_t index)
{
    if (k.c.groups) return tc__gemm120_group_work(warp, k, g, index);
    tc_work w;
    const uint32_t tile = k.c.split ? tc__gemm_part_of(&g->p->split, index, &w) : index;
    const tc_tile t = tc_tile_at(&g->p->tiles, tile);
    w.row = (int)t.m * k.c.bm, w.col = (int)t.n * (k.c.bn / tc__gemm_products(k.c));
    w.batch = (int)t.batch;
    w.end = g->p->out.m;
    if (!k.c.split) w.k_first = 0u, w.k_blocks = g->p->k_blocks, w.part = 0u;
    return w;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM120_PLAN_H */
