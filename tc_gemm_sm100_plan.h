/* tc_gemm_sm100_plan.h - tc 0.2.0 - the Blackwell GEMM's configuration: its rules, its shared and tensor memory, what a
 * block knows. Needs: the headers below.
 *
 *     tc_gemm_sm100_config                    a configuration with every unset field filled in
 *     tc_gemm_sm100_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm100_form                      the same in the form of another target
 *     tc_gemm_sm100_columns                   columns of tensor memory that it takes
 *     tc_gemm_sm100_plan, _plan_of            offsets in shared memory
 *     tc_gemm_sm100_params                    what the kernel is given
 *     tc_gemm100, tc_gemm100_block            the kernel as its functions know it; what a block knows
 *
 * FORMS. A kernel's code for sm_107 has another form than that for the others: instructions with twice the k where its
 * type has such, and as many stages as 327 KB hold where .stages was left out. tc_gemm_sm100_form makes it of a
 * completed configuration; the device's code takes it by its target, and the host asks which code there is. With
 * .chip = 107 there is no other form.
 *
 * VIEW. Below tc_gemm100_view everything speaks of the instruction, whose rows are A's: those of D, or of its transpose
 * where D is column-major.
 *
 * OVERLAP. Two accumulators of 256 columns leave no column of 512 for factors. So they have 64 in common, and the 64
 * behind them are the factors'. A tile's sums are brought to D from the common columns on; when all warps have read
 * those, the next tile is multiplied into the other accumulator, and the tile after it, into this one, when the next
 * tile's common columns have been read: by warps that have read all of this one before.
 *
 *     columns   0         192  256        448    512
 *     first     |----------====|
 *     second               |====-----------|
 *     factors                               |------|
 *
 * WIDE. With .sf a tile may have 384 columns: two instructions for each step of k, of 256 and of 128 columns, of which
 * the second takes A from the collector that the first one has filled. A and its factors then serve half as many
 * columns again: of what TMA writes to shared memory and the Tensor Cores read there, less comes to a product. There is
 * one accumulator. Its first 256 columns are given back when they have been read, and the next tile's first slots are
 * multiplied into them alone while the other 128 are on their way to D; then those slots once more, into the 128.
 *
 *     columns   0               256     384    512
 *     the only  |----------------|-------|
 *     factors                            |------|    two sets of 64
 *
 * With .sparse and more than 224 columns metadata stands there.
 *
 * PAIRS. With .cluster_m = 2 two blocks, one below the other, multiply together (cta_group::2): 256 rows of D. Each
 * holds its 128 rows of A and of D, and half of the tile's columns of B. With .cluster_n = 2 two of them (pairs, or
 * blocks by themselves) stand side by side, need the same A, and load half of it each for both.
 *
 *     rank in the cluster, .cluster_m = .cluster_n = 2       columns 0 .. bn - 1     bn .. 2 bn - 1
 *                                        rows   0..127       0 \_ a pair             2 \_ a pair
 *                                        rows 128..255       1 /                     3 /
 *
 * GATES. With .gate half of a tile's columns are B's, half B2's, and so are those of an accumulator: D has as many as
 * one half. A block by itself holds both halves in a slot; of a pair the first one holds B's, the other B2's.
 */
#ifndef TC_GEMM_SM100_PLAN_H
#define TC_GEMM_SM100_PLAN_H

#include "tc_gemm_blackwell.h"
#include "tc_gemm_sparse.h"
#include "tc_gemm_tiles.h"
#include "tc_gemm_weights.h"
#include "tc_pipe.h"
#include "tc_sf.h"
#include "tc_tcgen05.h"

enum {
    TC__GEMM100_ROWS = 128,      /* of D that a block has: a lane of tensor memory each */
    TC__GEMM100_THREADS = 192,   /* six warps: loads, products, four for the end of a tile; */
    TC__GEMM100_META_THREADS = 32, /* .sparse: one more, for metadata */
    TC__GEMM100_SF_SETS = 4,     /* .sf, .sparse: slots of the ring whose factors or metadata have columns of tensor */
                                 /* memory of their own, at most */
    TC__GEMM100_ANSWERS = 4,     /* .clc: about tiles to come that are on their way to all roles */
    TC__GEMM100_ACCUMULATORS = 2, /* one tile is stored while the next one is multiplied */
    TC__GEMM100_MAKERS = 8,       /* .weights: warps that make numbers of codes, behind the others; */
    TC__GEMM100_MADE = 4,         /* blocks of k that they have columns of tensor memory for, at most */
    TC__GEMM100_TURN = 2048,      /* .weights: bytes in which a warp that stores turns 16 x 32 sums on their side */
    TC__GEMM100_OVERLAP = 64,     /* .sf, .sparse, 256 columns: columns that both of them have */
    TC__GEMM100_FIRST = 256       /* columns of an instruction, at most */
};

/* The configuration as the instruction sees it: with packed weights (.swap is 1 then) D's columns are its rows. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm100_view(tc_gemm_config_in given)
{
    tc_gemm_config c = tc__gemm_plain(given);
    if (given.swap == 1) c = tc__gemm_change(given), c.swap = 2; /* a view's view is itself */
    return c;
}

/* Do Blackwell's kernels serve it? TC_GEMM_DEFINE takes its sm_80 kernels for what they do not. */
TC_HD TC_CONSTEXPR int tc__gemm_by_tcgen05(tc_gemm_config_in c)
{
    return c.acc != TC_F16 && !tc__gemm_scaled(c) && !tc__tiles_some(c) && !c.weights && !tc__gemm_by_80(c)
        && tc__gemm_plain(c).sparse != TC_SPARSE_B
        && (tc__gemm_is_16(c.a) || tc__gemm_is_f8f6f4(c.a)
            || ((tc__gemm_is_int(c.a) || c.a == TC_TF32) && !c.round && (c.d != TC_S8 || c.d_scale)));
}

/* What TC_GEMM_DEFINE gives them, packed weights too. */
TC_HD TC_CONSTEXPR int tc__gemm100_serves(tc_gemm_config_in c)
{
    return !c.weights ? tc__gemm_by_tcgen05(c) && !tc__gemm_in_tile(c)
                      : tc__gemm_weights_plain(c) && !tc__gemm_outputs(c) && !tc__gemm_quantised(c);
}

/* .sf: k's that share a factor, and the factors' type; 0 without. */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_k(tc_gemm_config_in c)
{
    return c.sf == TC_SF_UE8M0_32 ? 32 : c.sf == TC_SF_UE4M3_16 ? 16 : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm100_sf_type(tc_gemm_config_in c)
{
    return c.sf == TC_SF_UE8M0_32 ? TC_UE8M0 : c.sf == TC_SF_UE4M3_16 ? TC_UE4M3 : 0;
}
/* Do types and factors go together? */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_ok(tc_gemm_config_in c)
{
    return c.sf == 0 || tc__gemm_fp4(c)
        || (c.sf == TC_SF_UE8M0_32 && tc__gemm_is_f8f6f4(c.a) && tc__gemm_is_f8f6f4(c.b));
}

/* An operand's type as shared memory has it: elements of 4 and 6 bits that become bytes are bytes to it. */
TC_HD TC_CONSTEXPR int tc__gemm100_stored(tc_gemm_config_in c, int type)
{
    return tc__gemm_padded(c, type) ? TC_U8 : type;
}

/* Are rows of A looked up? */
TC_HD TC_CONSTEXPR int tc__gemm100_gathers(tc_gemm_config_in c) { return (c.index & TC_INDEX_A) != 0; }

/* Elements of k in 128 bytes of a row. */
TC_HD TC_CONSTEXPR int tc__gemm100_box_k(tc_gemm_config_in c)
{
    const int bits = tc_type_bits(tc__gemm100_stored(c, c.a));
    return bits > 0 ? 1024 / bits : 64;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The plan of a block's shared memory, in bytes from its start, and of its tensor memory; c is a view.
 */
TC_HD TC_CONSTEXPR tc_operand tc__gemm100_a(tc_gemm_config_in c)
{
    const int type = tc__gemm100_stored(c, c.a);
    return tc__gemm_a_col(c) ? tc_operand_turned(type, c.bm, c.bk)
                             : tc_operand_of(type, c.bm, c.sparse ? c.bk / 2 : c.bk); /* what is kept */
}
/* WIDE: does a step take two instructions? Columns of the first one; the accumulators that there are then. */
TC_HD TC_CONSTEXPR int tc__gemm100_is_wide(tc_gemm_config_in c) { return c.bn > TC__GEMM100_FIRST; }
TC_HD TC_CONSTEXPR int tc__gemm100_first_columns(tc_gemm_config_in c)
{
    return tc__gemm100_is_wide(c) ? (int)TC__GEMM100_FIRST : c.bn;
}
TC_HD TC_CONSTEXPR int tc__gemm100_in_turn(tc_gemm_config_in c)
{
    return tc__gemm100_is_wide(c) || (c.weights && c.bn > 192) ? 1 : (int)TC__GEMM100_ACCUMULATORS;
}
/* Columns of B that a block holds: half of a pair's, of each instruction. WIDE: they come in three boxes, two of them
 * the first instruction's. GATES: half of them are one matrix's. */
TC_HD TC_CONSTEXPR int tc__gemm100_b_rows(tc_gemm_config_in c) { return c.bn / (c.cluster_m == 2 ? 2 : 1); }
TC_HD TC_CONSTEXPR int tc__gemm100_b_box(tc_gemm_config_in c)
{
    return c.gate ? c.bn / 2 : tc__gemm100_b_rows(c) / (tc__gemm100_is_wide(c) ? 3 : 1);
}
TC_HD TC_CONSTEXPR tc_operand tc__gemm100_b(tc_gemm_config_in c)
{
    const int type = tc__gemm100_stored(c, c.b), rows = tc__gemm100_b_rows(c);
    return tc__gemm_b_row(c) ? tc_operand_turned(type, rows, c.bk) : tc_operand_of(type, rows, c.bk);
}
/* .sf: blocks of 128 rows by 4 factors that a slot has of A, and as many of B's 128 columns; behind A and B. */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_blocks(tc_gemm_config_in c)
{
    return c.sf && tc__gemm100_sf_ok(c) ? c.bk / tc__gemm100_sf_k(c) / 4 : 0;
}
/* .sf: 128 rows of A, and as many columns of B, once to thrice: their factors stand behind each other in a slot. */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_across(tc_gemm_config_in c) { return (c.bn + 127) / 128; }
/* .sparse: columns of tensor memory that the metadata of a slot takes, of four instructions, and its bytes. */
TC_HD TC_CONSTEXPR int tc__gemm100_meta_columns(tc_gemm_config_in c)
{
    return !c.sparse ? 0 : tc_type_bits(c.a) == 8 ? 8 : 4;
}
TC_HD TC_CONSTEXPR int tc__gemm100_meta_bytes(tc_gemm_config_in c)
{
    return tc__gemm100_meta_columns(c) * 4 * TC__GEMM100_ROWS;
}
/* Bytes that a slot has before B: of A, or of packed weights, whose bricks are rounded up to whole swizzles. */
TC_HD TC_CONSTEXPR int tc__gemm100_bricks(tc_gemm_config_in c) { return c.bm / TC_WEIGHTS_ROWS * tc__gemm_brick(c); }
TC_HD TC_CONSTEXPR int tc__gemm100_a_bytes(tc_gemm_config_in c)
{
    return c.weights ? (tc__gemm100_bricks(c) + 1023) / 1024 * 1024 : tc__gemm100_a(c).bytes;
}
/* A slot of the ring, and what TMA counts of it: of elements that become bytes those that it read. */
TC_HD TC_CONSTEXPR int tc__gemm100_slot(tc_gemm_config_in c)
{
    return tc__gemm100_a_bytes(c) + tc__gemm100_b(c).bytes + tc__gemm100_meta_bytes(c)
         + (1 + tc__gemm100_sf_across(c)) * tc__gemm100_sf_blocks(c) * TC_SF_BLOCK;
}
TC_HD TC_CONSTEXPR int tc__gemm100_expected(tc_gemm_config_in c)
{
    const int a = tc__gemm_padded(c, c.a) ? 8 - tc_type_bits(c.a) : 0; /* bits of each byte that are padding */
    const int b = tc__gemm_padded(c, c.b) ? 8 - tc_type_bits(c.b) : 0;
    return tc__gemm100_slot(c) - tc__gemm100_meta_bytes(c) - tc__gemm100_a(c).bytes * a / 8
         - tc__gemm100_b(c).bytes * b / 8;
}

/* Boxes of D: the widest swizzle whose columns divide the tile's. */
TC_HD TC_CONSTEXPR tc_box tc__gemm100_box(tc_gemm_config_in c)
{
    const int cols = c.swap ? 32 : c.bn / tc__gemm_products(c); /* .weights: a warp's lanes are D's columns */
    const int row = cols * tc_type_bits(c.d) / 8;
    const tc_box b = {tc_type_bits(c.d) == 32 ? TC_F32 : c.d, row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : 32};
    return b; /* s32 looks like f32 */
}

/* Columns that both accumulators have, where 512 do not hold them and factors: the end of the first one, the beginning
 * of the second. What is stored comes from these first, and the next tile may then be multiplied (OVERLAP). */
TC_HD TC_CONSTEXPR int tc__gemm100_overlap(tc_gemm_config_in c)
{
    const int both = (c.sf && c.bn > 128 && !tc__gemm100_is_wide(c)) || (c.sparse && c.bn > 224);
    return both && c.chip != 107 ? TC__GEMM100_OVERLAP : 0;
}
/* From one accumulator to the next, and what a block allocates of the 512 columns; with .chip = 107 of 576. */
TC_HD TC_CONSTEXPR int tc__gemm100_stride(tc_gemm_config_in c)
{
    return (c.bn + 31) / 32 * 32 - tc__gemm100_overlap(c);
}
/* Columns of all of them. */
TC_HD TC_CONSTEXPR int tc__gemm100_accumulators(tc_gemm_config_in c)
{
    return tc__gemm100_in_turn(c) * tc__gemm100_stride(c) + tc__gemm100_overlap(c);
}
/* .weights: behind them blocks of k as the instruction's A, two elements a column; how many. */
TC_HD TC_CONSTEXPR int tc__gemm100_made_columns(tc_gemm_config_in c) { return c.bk / 2; }
TC_HD TC_CONSTEXPR int tc__gemm100_made(tc_gemm_config_in c)
{
    const int left = (TC_CHIP_100_TMEM - tc__gemm100_accumulators(c)) / (c.bk > 1 ? tc__gemm100_made_columns(c) : 1);
    return !c.weights ? 0 : left < TC__GEMM100_MADE ? left : (int)TC__GEMM100_MADE;
}
/* .sf: columns of a set of A's and B's factors; .sparse: of metadata. */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_columns(tc_gemm_config_in c)
{
    return c.sparse ? tc__gemm100_meta_columns(c) : (1 + tc__gemm100_sf_across(c)) * tc__gemm100_sf_blocks(c) * 4;
}
/* Such sets: as many as there is room for beside the accumulators, 4 at most. */
TC_HD TC_CONSTEXPR int tc__gemm100_sf_sets(tc_gemm_config_in c)
{
    const int left = (c.chip == 107 ? (int)TC_CHIP_107_TMEM : (int)TC_CHIP_100_TMEM) - tc__gemm100_accumulators(c);
    const int sets = tc__gemm100_sf_columns(c) ? left / tc__gemm100_sf_columns(c) : 0;
    return sets < TC__GEMM100_SF_SETS ? sets : TC__GEMM100_SF_SETS;
}
TC_HD TC_CONSTEXPR int tc_gemm_sm100_columns(tc_gemm_config_in given)
{
    const tc_gemm_config v = tc_gemm100_view(given);
    const int want = tc__gemm100_accumulators(v) + tc__gemm100_sf_sets(v) * tc__gemm100_sf_columns(v)
                   + tc__gemm100_made(v) * tc__gemm100_made_columns(v);
    if (want > TC_CHIP_100_TMEM) return TC_CHIP_107_TMEM;
    return want <= 32 ? 32 : want <= 64 ? 64 : want <= 128 ? 128 : want <= 256 ? 256 : 512;
}

/* EARLY: is a slot's A given back before its B, when the instructions have read it and still work? sm_107 says when
 * that is; of metadata it does not, and packed weights have no A here. */
TC_HD TC_CONSTEXPR int tc__gemm100_is_early(tc_gemm_config_in c) { return c.chip == 107 && !c.sparse && !c.weights; }

typedef struct tc_gemm_sm100_plan {
    int store; /* boxes of the four warps that store, warp_store bytes each */
    int warp_store;
    int ring; /* slots: a block of A, a block of B */
    int pipe; /* mbarriers: full, empty; an accumulator is done, is free */
    int done, free;
    int tmem;                  /* a word: the address of tensor memory */
    int answers, told, heard;  /* .clc: 16 bytes each; mbarriers: an answer is there, all roles have read it */
    int groups;                /* .groups: the table of their tiles */
    int parts;                 /* .split: a word: which slices are this block's */
    int rows;                  /* TC_INDEX_A: of a tile, which rows of A this block loads */
    int raw;                   /* .sparse: mbarriers: a slot's bricks have come */
    int made;                  /* .weights: mbarriers, as pipe: of blocks of k in tensor memory */
    int early;                 /* EARLY: mbarriers: of a slot A alone may be filled anew */
    int turn;                  /* .weights: two places of 16 x 16 floats for each warp that stores */
    int bytes;
} tc_gemm_sm100_plan;

TC_HD TC_CONSTEXPR tc_gemm_sm100_plan tc_gemm_sm100_plan_of(tc_gemm_config_in c)
{
    const int answers = c.clc ? TC__GEMM100_ANSWERS : 0;
    tc_gemm_sm100_plan p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    p.warp_store = (c.epi_stages * 16 * tc__gemm100_box(c).bytes + 1023) / 1024 * 1024;
    if (c.gate && p.warp_store < 2 * TC__GEMM_PLACE) p.warp_store = 2 * TC__GEMM_PLACE; /* of both products */
    p.turn = 4 * p.warp_store;
    p.ring = p.turn + (c.swap ? 4 * TC__GEMM100_TURN : 0);
    p.pipe = p.ring + c.stages * tc__gemm100_slot(c);
    p.done = p.pipe + tc_pipe_bytes(c.stages);
    p.free = p.done + TC__GEMM100_ACCUMULATORS * 8;
    p.tmem = p.free + TC__GEMM100_ACCUMULATORS * 8;
    p.answers = (p.tmem + 16 + 15) / 16 * 16;
    p.told = p.answers + answers * 16;
    p.heard = p.told + answers * 8;
    p.groups = p.heard + answers * 8;
    p.parts = p.groups + (c.groups ? TC__GROUPS_BYTES : 0);
    p.rows = p.parts + (c.split ? 16 : 0);
    p.raw = p.rows + (tc__gemm100_gathers(c) ? TC__GEMM100_ROWS * 4 : 0);
    p.made = p.raw + (c.sparse ? 8 * c.stages : 0);
    p.early = p.made + tc_pipe_bytes(tc__gemm100_made(c));
    p.bytes = p.early + (tc__gemm100_is_early(c) ? 8 * c.stages : 0);
    return p;
}

/* More than half of the tensor memory wants a multiprocessor of its own: two pairs that each hold one of two
 * multiprocessors and wait for the other would wait for ever. So such a block takes half of the shared memory. */
enum { TC__GEMM100_ALONE = 116736, TC__GEMM107_ALONE = 167936 };
TC_HD TC_CONSTEXPR int tc_gemm_sm100_smem(tc_gemm_config_in c)
{
    const int bytes = tc_gemm_sm100_plan_of(tc_gemm100_view(c)).bytes;
    const int alone = c.chip == 107 ? TC__GEMM107_ALONE : TC__GEMM100_ALONE;
    return tc_gemm_sm100_columns(c) > 256 && bytes < alone ? alone : bytes;
}
TC_HD TC_CONSTEXPR int tc_gemm_sm100_threads(tc_gemm_config_in c)
{
    return TC__GEMM100_THREADS + (c.sparse ? TC__GEMM100_META_THREADS : c.weights ? 32 * TC__GEMM100_MAKERS : 0);
}

/* Bytes of shared memory that a block may have. Factors and metadata, which tcgen05.cp reads, must lie in the first
 * 256 KB of it: beyond them hardware was reported not to find its source (docs/tcemu.md). */
enum { TC__GEMM107_FACTORS = 256 * 1024 - 2048 };
TC_HD TC_CONSTEXPR int tc__gemm100_smem_max(tc_gemm_config_in c)
{
    if (c.chip == 107) return c.sf || c.sparse ? (int)TC__GEMM107_FACTORS : (int)TC__SM107_SMEM_MAX;
    return TC__SM90_SMEM_MAX;
}
/* As many stages as fit, at most 12. */
TC_HD TC_CONSTEXPR int tc__gemm100_most_stages(tc_gemm_config_in given)
{
    tc_gemm_config v = tc_gemm100_view(given);
    int most = 0;
    v.stages = 0;
    most = (tc__gemm100_smem_max(v) - tc_gemm_sm100_plan_of(v).bytes)
         / (tc__gemm100_slot(v) + tc_pipe_bytes(1) + (v.sparse || tc__gemm100_is_early(v) ? 8 : 0));
    return most > 12 ? 12 : most;
}
/* A completed configuration as code for a target has it: 107, or another. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm100_form(tc_gemm_config_in complete, int target)
{
    tc_gemm_config c = complete;
    if (target != 107 || c.chip == 107) return c;
    c.chip = 107;
    if (c.stages_free) c.stages = tc__gemm100_most_stages(c);
    return c;
}

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm100_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (c.weights) { /* roles are changed over: B's columns are the instruction's rows */
        c.swap = 1;
        c.bm = c.bm ? c.bm : 128, c.bn = c.bn ? c.bn : TC__GEMM100_ROWS, c.bk = c.bk ? c.bk : TC_WEIGHTS_K;
        c.cluster_m = c.cluster_m ? c.cluster_m : 1, c.cluster_n = c.cluster_n ? c.cluster_n : 1;
    }
    const int turned = tc__gemm_d_col(c), pair = turned ? c.cluster_n : c.cluster_m;
    const int across = turned ? c.bm : c.bn; /* of the instruction's columns */
    const int cols = across ? across : tc_type_bits(c.d) == 32 && pair == 1 ? 128 : 256;
    c.bm = c.bm ? c.bm : turned ? cols : TC__GEMM100_ROWS;
    c.bn = c.bn ? c.bn : turned ? TC__GEMM100_ROWS : cols;
    c.bk = c.bk ? c.bk : c.a ? tc__gemm100_box_k(c) * (c.sparse ? 2 : 1) : 64;
    c.cluster_m = c.cluster_m ? c.cluster_m : turned ? 1 : 2;
    c.cluster_n = c.cluster_n ? c.cluster_n : turned ? 2 : 1;
    c.epi_stages = c.epi_stages ? c.epi_stages : 2;
    if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) { /* as many as fit, at most 12 */
        c.stages = tc__gemm100_most_stages(c);
        c.stages_free = 1;
    }
    return c;
}

/* The instruction: its kind, TC_KIND_*. */
TC_HD TC_CONSTEXPR int tc__gemm100_kind(tc_gemm_config_in c)
{
    if (c.sf) return !tc__gemm_fp4(c) ? TC_KIND_MXF8F6F4 : c.sf == TC_SF_UE8M0_32 ? TC_KIND_MXF4 : TC_KIND_MXF4NVF4;
    return tc__gemm_is_16(c.a) ? TC_KIND_F16 : c.a == TC_TF32 ? TC_KIND_TF32
         : tc__gemm_is_int(c.a) ? TC_KIND_I8 : TC_KIND_F8F6F4;
}
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm100_op(tc_gemm_config_in given)
{
    const tc_gemm_config c = tc_gemm100_view(given);
    tc_op op = tc_op_make(100, TC_INST_TCGEN05);
    op.a = c.a, op.b = c.b, op.acc = tc__gemm_sums(c);
    op.m = TC__GEMM100_ROWS * (c.cluster_m == 2 ? 2 : 1), op.n = tc__gemm100_first_columns(c);
    op.ctas = c.cluster_m == 2 ? 2 : 1;
    op.scale = tc__gemm100_sf_type(c), op.scale_vec = tc__gemm100_sf_k(c);
    op.kind = tc__gemm100_kind(c);
    op.sparse = c.sparse != 0;
    op.a_from = c.weights ? TC_HOME_TMEM : TC_HOME_SMEM, op.b_from = TC_HOME_SMEM;
    op.a_major = tc__gemm_a_col(c) ? TC_MAJOR_MN : TC_MAJOR_K;
    op.b_major = tc__gemm_b_row(c) ? TC_MAJOR_MN : TC_MAJOR_K;
    return op;
}

/* Its descriptor. */
TC_HD TC_CONSTEXPR tc_tcgen05_idesc_fields tc__gemm100_idesc(tc_gemm_config_in v)
{
    tc_tcgen05_idesc_fields f = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    f.kind = tc__gemm100_kind(v);
    f.m = TC__GEMM100_ROWS * v.cluster_m, f.n = tc__gemm100_first_columns(v);
    f.a = v.a, f.b = v.b, f.d = tc__gemm_sums(v);
    f.trans_a = tc__gemm_a_col(v), f.trans_b = tc__gemm_b_row(v);
    f.cta_group = v.cluster_m;
    f.scale = tc__gemm100_sf_type(v), f.block = tc__gemm100_sf_k(v);
    f.sparse = v.sparse != 0;
    f.sm107 = v.chip == 107 && f.kind != TC_KIND_I8;
    return f;
}
/* The same with twice the k, 64 bytes of a row, where sm_107 has that: not of elements that become bytes. */
TC_HD TC_CONSTEXPR int tc__gemm100_wide(tc_gemm_config_in v)
{
    return v.chip == 107 && tc_type_bits(v.a) <= 8 && !tc__gemm_is_int(v.a) && !v.sparse && !tc__gemm_padded(v, v.a)
        && !tc__gemm_padded(v, v.b);
}
TC_HD TC_CONSTEXPR tc_tcgen05_idesc_fields tc__gemm100_idesc_wide(tc_gemm_config_in v)
{
    tc_tcgen05_idesc_fields f = tc__gemm100_idesc(v);
    if (tc__gemm100_wide(v)) f.k = 512 / tc_type_bits(v.a);
    return f;
}

/* WIDE: what makes the first instruction's descriptor the second's, as a difference. */
TC_HD TC_CONSTEXPR uint32_t tc__gemm100_second(tc_gemm_config_in v)
{
    tc_tcgen05_idesc_fields f = tc__gemm100_idesc(v);
    const uint32_t first = tc_tcgen05_idesc_make(f);
    if (!tc__gemm100_is_wide(v)) return 0u;
    f.n = v.bn - f.n;
    return tc_tcgen05_idesc_make(f) - first;
}

/* A in columns comes in boxes of 128 bytes of them: the blocks of a cluster share whole ones. */
TC_HD TC_CONSTEXPR int tc__gemm100_turned_ok(tc_gemm_config_in v)
{
    return v.cluster_n == 1 || !tc__gemm_a_col(v) || tc_type_bits(v.a) >= 16;
}

/* Fields of other generations. */
TC_HD TC_CONSTEXPR int tc__gemm100_plain(tc_gemm_config_in c)
{
    return !c.warps_m && !c.warps_n && c.cluster_k <= 1 && !c.consumers && !c.schedule && !c.step
        && c.swap == (c.weights ? 2 : 0) && !c.any;
}

/* .weights: what goes with them. */
TC_HD TC_CONSTEXPR int tc__gemm100_weights_ok(tc_gemm_config_in c)
{
    return c.weights == 0
        || (c.bk == TC_WEIGHTS_K && c.bn == TC__GEMM100_ROWS && c.cluster_m * c.cluster_n == 1 && !c.clc && !c.groups
            && !c.index && !c.sparse && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c));
}
TC_HD TC_CONSTEXPR int tc__gemm100_weights_d_ok(tc_gemm_config_in c)
{
    return c.weights == 0 || (!tc__gemm_quantised(c) && !tc__gemm_outputs(c) && c.acc != TC_F16);
}

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM100_RULES(X, c)                                                                                    \
    TC__GEMM_ALL_TILES_RULES(X, c)                                                                                    \
    TC__GEMM_FACTORS_RULES(X, c)                                                                                      \
    TC__GEMM_SPARSE_PLAIN_RULES(X, c)                                                                                 \
    X(tc__gemm100_weights_ok(c),                                                                                      \
      "tc: .weights on Blackwell want .bk 128, .bn 128, A and D row-major, and no cluster, .clc, .groups, .index, "   \
      ".sparse or .b_layout")                                                                                         \
    X(tc__gemm100_weights_d_ok(c),                                                                                    \
      "tc: .weights on Blackwell want sums in f32 and a D that is not quantised, and no .aux, .row_sum, .col_sum or " \
      ".all_sum")                                                                                                     \
    X((c).weights == 0 || (c).chip == 0, "tc: .weights are not for sm_107: .chip must be left out")                   \
    TC__GEMM_NO_ROWS_RULES(X, c)                                                                                      \
    TC__GEMM_RULES(X, c)                                                                                              \
    TC__GEMM_GROUPS_RULES(X, c)                                                                                       \
    TC__GEMM_SM100_OWN_RULES(X, tc_gemm100_view(c))
#define TC__GEMM_SM100_OWN_RULES(X, c)                                                                                \
    X(!tc__gemm_quantised(c) || (c).bn % TC__QUANT_COLS == 0,                                                         \
      "tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn to be a multiple of 128")                      \
    X(!(c).groups || !(c).clc,                                                                                        \
      "tc: with .groups, .clc must be 0, for the device alone knows how many tiles there are")                        \
    X(tc__gemm_by_tcgen05(c) || tc__tiles_some(c) || (c).weights || tc__gemm_by_80(c)                                 \
          || ((c).gate && !(tc__gemm_gate_types_ok(c) && tc__gemm_gate_alone(c))),                                    \
      "tc: TC_GEMM_SM100_DEFINE multiplies f16, bf16, tf32 (.round 0), e4m3, e5m2, e3m2, e2m3, e2m1, s8 and u8 (not " \
      "to s8), sums not in f16, no .a_scale and .b_scale: others are for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE")     \
    X(tc__gemm100_sf_ok(c),                                                                                           \
      "tc: .sf must be TC_SF_UE8M0_32 of fp8, fp6 and fp4, TC_SF_UE4M3_16 of TC_E2M1, or 0")                          \
    X((!tc__gemm_is_narrow((c).a) || !tc__gemm_a_col(c)) && (!tc__gemm_is_narrow((c).b) || !tc__gemm_b_row(c)),       \
      "tc: TC_E3M2, TC_E2M3 and TC_E2M1 are read along k only: .a_layout TC_ROW of A, .b_layout TC_COL of B")         \
    X(!tc__gemm100_gathers(c) || !tc__gemm_padded(c, (c).a),                                                          \
      "tc: .index = TC_INDEX_A wants A of 8 bits or more, or two TC_E2M1 with .sf")                                   \
    X(tc_op_types_ok(tc_gemm_sm100_op(c)), "tc: tcgen05 does not multiply the types of .a and .b: docs/types.md")     \
    X((c).promote == 0 || (c).promote == TC_FAST,                                                                     \
      "tc: .promote must be left out, or TC_FAST: tcgen05's sums are f32 throughout")                                 \
    X(tc__gemm100_plain(c),                                                                                           \
      "tc: .warps_m, .warps_n, .consumers, .schedule, .cluster_k, .step and .swap are other generations': "           \
      "TC_GEMM_SM100_DEFINE leaves them out")                                                                         \
    X((c).split == 0 || ((c).split == 1 && !(c).clc && !(c).groups && !tc__gemm_quantised(c)),                        \
      "tc: .split must be 0, or 1 without .clc and .groups, and where D is not quantised")                            \
    X((c).bm == TC__GEMM100_ROWS,                                                                                     \
      "tc: .bm must be 128, the rows of tensor memory (.bn, where D is column-major or B is packed): .cluster_m = 2 " \
      "makes 256")                                                                                                    \
    X((c).cluster_m == 1 || (c).cluster_m == 2,                                                                       \
      "tc: .cluster_m must be 1, or 2 for a pair of blocks that multiply together (.cluster_n, where D is "           \
      "column-major)")                                                                                                \
    X((c).cluster_n == 1 || (c).cluster_n == 2,                                                                       \
      "tc: .cluster_n must be 1, or 2 for two that share A (.cluster_m, where D is column-major)")                    \
    X((c).chip == 0 || (c).chip == 107, "tc: .chip must be 107, or 0 for all targets")                                \
    X((c).chip != 107 || !tc__gemm_is_int((c).a), "tc: tcgen05 multiplies no integers of 8 bits on sm_107 (.chip)")   \
    X((c).sf == 0 || (c).bn == 128 || (c).bn == 256 || (c).bn == 384,                                                 \
      "tc: with .sf, .bn must be 128, 256 or 384 (.bm, where D is column-major): blocks of factors are 128 columns")  \
    X(!tc__gemm100_is_wide(c) || !(c).sf || !tc__gemm_b_row(c),                                                       \
      "tc: .bn = 384 wants B along k, .b_layout TC_COL (.bm and .a_layout TC_ROW, where D is column-major)")          \
    X((c).bn >= 16 && (c).bn % 16 == 0 && (!tc__gemm100_is_wide(c) || (c).sf) && tc_op_exists(tc_gemm_sm100_op(c)),   \
      "tc: .bn must be a multiple of 16 in 16..256 (.bm, where D is column-major or B is packed); of 32 in a pair "   \
      "with integers, or with B of 8 bits in rows")                                                                   \
    X(!(c).gate || (c).bn % 32 == 0, "tc: with .gate, .bn must be a multiple of 32: half of them are D's columns")    \
    X((c).bk > 0 && (c).bk <= 256 && (c).bk % tc__gemm100_box_k(c) == 0,                                              \
      "tc: .bk must be a multiple of 128 bytes, at most 256: 64 elements of 16 bits, 32 of 32, 128 of 8, 6 and 4")    \
    X((c).sf == 0 || (c).bk == tc__gemm100_box_k(c),                                                                  \
      "tc: with .sf, .bk must be 128 bytes: 128 elements, 256 where both are TC_E2M1")                                \
    X(!(c).sparse || (c).bk == 2 * tc__gemm100_box_k(c),                                                              \
      "tc: with .sparse, .bk must be 128 of elements of 16 bits, 64 of TC_TF32, 256 of 8 bits")                       \
    X(tc__gemm100_turned_ok(c), "tc: A of 8 bits in columns wants .cluster_n 1 (.cluster_m, where D is column-major)")\
    X((c).epi_stages >= 1 && (c).epi_stages <= 4, "tc: .epi_stages must be in 1..4")                                  \
    X((c).clc == 0 || (c).clc == 1, "tc: .clc must be 0 or 1")                                                        \
    X((c).stages >= 2 && tc_gemm_sm100_plan_of(c).bytes <= tc__gemm100_smem_max(c),                                   \
      "tc: .stages must be 2 or more, and tiles * .stages plus store buffers fit in 227 KB of shared memory (with "    \
      ".chip = 107 in 327 KB, with .sf too in 254)")                                                                  \
    X(tc_tcgen05_idesc_rule(tc__gemm100_idesc(c)) == 0, "tc: the instruction has no such descriptor")                 \
    X(tc_tcgen05_idesc_rule(tc__gemm100_idesc_wide(tc_gemm_sm100_form(c, tc__gemm_is_int((c).a) ? 0 : 107))) == 0,    \
      "tc: the instruction of sm_107 has no such descriptor")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm100_legal(tc_gemm_config_in c)
{
    return 1 TC__GEMM_SM100_RULES(TC__RULE_AND, c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the kernel is given. Tensor maps have the dimensions (k or n, rows, batch); a and b are the instruction's.
 */
typedef struct tc_gemm_sm100_params {
    tc_tiles tiles;               /* of clusters */
    uint32_t k_blocks;            /* at least 1, or the parts that k is split into: past the end of k are zeros */
    uint32_t k_steps;             /* .sf: instructions of 32 bytes of k, at least 1; behind them are no factors */
    int sf_blocks;                /* .sf: of a row, in memory */
    uint8_t sfa_batched, sfb_batched;
    int k_first;                  /* where k starts; past the end if k is 0 */
    uint8_t a_batched, b_batched; /* 0 where every batch uses the same matrix */
    uint8_t waits;                /* for the kernel before (programmatic dependent launch) */
    uint8_t d_plain, d_clips;     /* boxes go by TMA, without C; and TMA leaves out what a box has outside of D */
    int d_by;                     /* how boxes go to D: TC__GEMM_D_* */
    tc_tmap a, b, d;
    tc_tmap sfa, sfb; /* .sf: blocks of factors as four rows of 128 bytes each; .gate: sfb is B2's */
    tc_gemm_out out;
    tc_groups groups;     /* .groups: tiles is then the order of one of them, .total the most there can be */
    tc_gemm_split split;
    uint32_t works;       /* tiles, or with .split their parts */
    int d_rows;           /* .index: rows of D, and which of them */
    const int32_t *d_row;
    const int32_t *a_row; /* the same of A, whose map has two dimensions then */
    int a_rows;
    const char *meta;     /* .sparse: metadata in bricks, 0 if k is 0; */
    int64_t meta_batch;   /* bytes from one matrix's to the next's; bricks down and along */
    int meta_rows, meta_along;
    tc_gemm_bricks weights;
} tc_gemm_sm100_params;

#ifdef __CUDACC__

/* The target that this pass compiles for, as far as forms go. */
#if defined(__CUDA_ARCH__) && TC_HAS_SM107A
#define TC__GEMM100_TARGET 107
#else
#define TC__GEMM100_TARGET 100
#endif

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel as its functions know it: a constant.
 */
typedef struct tc_gemm100 {
    tc_gemm_config c; /* as a view */
    uint32_t idesc, idesc_half; /* the second, .sf: where k ends in the middle of an instruction's */
    uint32_t second;            /* WIDE: to be added for the second instruction, which has fewer columns */
    int kind, columns; /* of tensor memory */
    int wide;          /* an instruction takes 64 bytes of a row, not 32 */
} tc_gemm100;
TC_IN(tc_gemm100);

TC_HD TC_CONSTEXPR tc_gemm100 tc_gemm100_of(tc_gemm_config_in c)
{
    const tc_gemm_config form = tc_gemm_sm100_form(c, TC__GEMM100_TARGET), v = tc_gemm100_view(form);
    tc_gemm100 k = {v, tc_tcgen05_idesc_make(tc__gemm100_idesc_wide(v)), tc_tcgen05_idesc_make(tc__gemm100_idesc(v)),
                    tc__gemm100_second(v), tc__gemm100_kind(v), tc_gemm_sm100_columns(form), tc__gemm100_wide(v)};
    k.c.d_layout = c.d_layout; /* for the hooks, who know D as it is: from here on nobody asks for the view again */
    return k;
}

/* Has this target the instruction? Integers are not on all of them. */
TC_HD TC_CONSTEXPR int tc__gemm100_here(tc_gemm_config_in c)
{
    return TC_HAS_SM100A && (TC_HAS_TCGEN05_I8 || !tc__gemm_is_int(c.a)) && (c.chip != 107 || TC_HAS_SM107A)
        && (!c.weights || !TC_HAS_SM107A);
}

typedef struct tc_gemm100_block {
    const tc_gemm_sm100_params *p;
    uint32_t smem; /* shared address of its dynamic shared memory, a multiple of 1024 */
    uint32_t ring; /* that of the ring's first slot */
    uint32_t tmem;       /* the first accumulator */
    uint32_t done, free; /* mbarriers of the accumulators */
    uint32_t answers, told, heard;
    uint32_t table;      /* .groups: of their tiles */
    uint32_t parts;      /* .split: the word */
    uint32_t rows;       /* TC_INDEX_A: which of A's rows are a tile's */
    uint32_t raw;        /* .sparse: mbarriers: bricks have come */
    uint32_t early;      /* EARLY: mbarriers: A of a slot has been read */
    uint32_t rank;       /* in the cluster */
    tc_pipe pipe;
    tc_pipe made;        /* .weights: of blocks of k in tensor memory */
} tc_gemm100_block;

/* An accumulator's address, and the run of k whose products it is to hold. */
typedef struct tc__gemm100_sums {
    uint32_t d;
    uint32_t k_first, k_blocks; /* .split */
    uint32_t phase;             /* WIDE: the other columns are free when the barrier's phase of this parity is over */
} tc__gemm100_target;

TC_DEV int tc__gemm100_cluster(tc_gemm100_in k) { return k.c.cluster_m * k.c.cluster_n; }

/* This block's place in its cluster, and the block of its pair that multiplies for both. */
TC_DEV uint32_t tc__gemm100_m(tc_gemm100_in k, const tc_gemm100_block *g)
{
    return g->rank % (uint32_t)k.c.cluster_m;
}
TC_DEV uint32_t tc__gemm100_n(tc_gemm100_in k, const tc_gemm100_block *g)
{
    return g->rank / (uint32_t)k.c.cluster_m;
}
TC_DEV uint32_t tc__gemm100_leader(tc_gemm100_in k, const tc_gemm100_block *g)
{
    return g->rank - tc__gemm100_m(k, g);
}

/* Tiles of all clusters, or their parts; of groups, once the table is there. */
TC_DEV uint32_t tc__gemm100_works(tc_gemm100_in k, const tc_gemm100_block *g)
{
    if (!k.c.groups) return k.c.split ? g->p->works : g->p->tiles.total;
    return tc_groups_total(&g->p->groups, g->table) * g->p->tiles.area.by;
}

/* The same tile of .groups. */
TC_DEV_SM100A tc_work tc__gemm100_group_work(const int warp, tc_gemm100_in k, const tc_gemm100_block *g,
                                             uint32_t index)
{
    const tc_groups_line line = {&g->p->groups, &g->p->tiles, g->table};
    const int cols = k.c.bn / tc__gemm_products(k.c);
    const tc__gemm_share share = {k.c.groups == TC_GROUPS_MASKED, k.c.cluster_m * k.c.bm, k.c.cluster_n * cols,
                                  (int)tc__gemm100_m(k, g) * k.c.bm, (int)tc__gemm100_n(k, g) * cols};
    tc_work w = tc__gemm_group_work(warp, share, &line, index);
    w.k_blocks = g->p->k_blocks;
    return w;
}

/* Tile `index` of the clusters as this block sees it. warp, a constant: all lanes of a warp ask together. */
TC_DEV_SM100A tc_work tc_gemm100_work(const int warp, tc_gemm100_in k, const tc_gemm100_block *g, uint32_t index)
{
    if (k.c.groups) return tc__gemm100_group_work(warp, k, g, index);
    tc_work w;
    const uint32_t tile = k.c.split ? tc__gemm_part_of(&g->p->split, index, &w) : index;
    const tc_tile t = tc_tile_at(&g->p->tiles, tile);
    w.row = ((int)t.m * k.c.cluster_m + (int)tc__gemm100_m(k, g)) * k.c.bm;
    w.col = ((int)t.n * k.c.cluster_n + (int)tc__gemm100_n(k, g)) * (k.c.bn / tc__gemm_products(k.c));
    w.batch = (int)t.batch;
    if (!k.c.split) w.k_first = 0u, w.k_blocks = g->p->k_blocks, w.part = 0u;
    return w;
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM100_PLAN_H */
