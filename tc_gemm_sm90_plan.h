/* tc_gemm_sm90_plan.h - tc 0.2.0 - the Hopper GEMM's configuration: its rules, its shared memory, what a block knows.
 * Needs: the headers below.
 *
 *     tc_gemm_sm90_config                    a configuration with every unset field filled in
 *     tc_gemm_sm90_smem, _threads, _legal    what its block takes; whether it keeps the rules
 *     tc_gemm_sm90_plan, _plan_of            offsets in shared memory
 *     tc_gemm_sm90_params                    what the kernel is given
 *     tc_gemm90_block, tc_gemm90_consumer    what a block, a consumer warpgroup knows; tc_gemm90_work: a tile of theirs
 *
 * TWO VIEWS. The user's configuration speaks of D: bm rows and bn columns of a tile. The instruction has 64 rows for
 * each warpgroup and 8 to 256 columns. With .swap D's columns are the instruction's rows (and B is its A): below
 * tc_gemm90_view everything speaks of the instruction, and only the store knows which way D lies.
 *
 * WIDTH. The instruction's columns of a tile are .bn (.bm with .swap), or with .step what the call picks: a multiple of
 * .step up to it. The ring then has as many slots as fit.
 */
#ifndef TC_GEMM_SM90_PLAN_H
#define TC_GEMM_SM90_PLAN_H

#include "tc_conv_config.h"
#include "tc_gemm_sparse.h"
#include "tc_gemm_tiles.h"
#include "tc_pipe.h"
#include "tc_split.h"

/* The configuration as the instruction sees it. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm90_view(tc_gemm_config_in given)
{
    const tc_gemm_config c = tc__gemm_plain(given);
    return c.swap ? tc__gemm_change(c) : c;
}

/* Does it keep its sums beside the Tensor Cores', whose own are short? */
TC_HD TC_CONSTEXPR int tc__gemm90_promotes(tc_gemm_config_in c)
{
    return (tc__gemm_is_fp8(c.a) && c.promote > 0) || tc__gemm_is_f32(c.a);
}

/* Elements of k in 128 bytes of a row. */
TC_HD TC_CONSTEXPR int tc__gemm90_box_k(tc_gemm_config_in c)
{
    return tc_type_bits(c.a) > 0 ? 1024 / tc_type_bits(c.a) : 64;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * The plan of a block's shared memory, in bytes from its start; c is a view.
 */
TC_HD TC_CONSTEXPR int tc__gemm90_rows(tc_gemm_config_in c) /* of a warpgroup */
{
    return c.schedule == TC_PINGPONG ? c.bm : c.bm / c.consumers;
}
/* .sparse: bytes that are kept of a row of A in a block of k; its bricks along k, of 64 bytes each. */
TC_HD TC_CONSTEXPR int tc__gemm90_a_row(tc_gemm_config_in c) { return c.bk * tc_type_bits(c.a) / 16; }
TC_HD TC_CONSTEXPR int tc__gemm90_bricks_along(tc_gemm_config_in c) { return tc__gemm90_a_row(c) / 64; }
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_sparse_a(tc_gemm_config_in c)
{
    const int bytes = c.bm * tc__gemm90_a_row(c);
    const tc_operand o = {c.a, c.bm, c.bk / 2, 1, bytes, bytes, 0};
    return o;
}
/* Operands that lie MN-major in other types than those of 16 bits, which alone wgmma reads so: their blocks come in
 * squares. An A of 8 bits consumers turn on its way to registers (lifts), other squares are turned in the ring
 * (tc_gemm_sm90_turn.h). */
TC_HD TC_CONSTEXPR int tc__gemm90_turns_type(int type) { return tc_type_bits(type) > 0 && !tc__gemm_is_16(type); }
TC_HD TC_CONSTEXPR int tc__gemm90_squares_a(tc_gemm_config_in c)
{
    return tc__gemm_a_col(c) && tc__gemm90_turns_type(c.a);
}
TC_HD TC_CONSTEXPR int tc__gemm90_lifts(tc_gemm_config_in c)
{
    return tc__gemm90_squares_a(c) && tc_type_bits(c.a) == 8;
}
TC_HD TC_CONSTEXPR int tc__gemm90_turns_a(tc_gemm_config_in c)
{
    return tc__gemm90_squares_a(c) && !tc__gemm90_lifts(c);
}
TC_HD TC_CONSTEXPR int tc__gemm90_turns_b(tc_gemm_config_in c)
{
    return tc__gemm_b_row(c) && tc__gemm90_turns_type(c.a) && tc__gemm90_turns_type(c.b);
}
TC_HD TC_CONSTEXPR int tc__gemm90_turning(tc_gemm_config_in c)
{
    return tc__gemm90_turns_a(c) || tc__gemm90_turns_b(c);
}
/* An operand as TMA brings it, */
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_fetched_a(tc_gemm_config_in c)
{
    if (c.sparse) return tc__gemm90_sparse_a(c);
    return tc__gemm_a_col(c) ? tc_operand_turned(c.a, c.bm, c.bk) : tc_operand_of(c.a, c.bm, c.bk);
}
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_fetched_b(tc_gemm_config_in c, int width)
{
    return tc__gemm_b_row(c) ? tc_operand_turned(c.b, width, c.bk) : tc_operand_of(c.b, width, c.bk);
}
/* and as it is multiplied: where it is turned, in rows, as many as whole boxes have. */
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_in_rows(const tc_operand o)
{
    return tc_operand_of(o.type, o.boxes * tc_operand_box_k(o), o.k);
}
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_a(tc_gemm_config_in c)
{
    return tc__gemm90_turns_a(c) ? tc__gemm90_in_rows(tc__gemm90_fetched_a(c)) : tc__gemm90_fetched_a(c);
}
TC_HD TC_CONSTEXPR tc_operand tc__gemm90_b(tc_gemm_config_in c, int width)
{
    return tc__gemm90_turns_b(c) ? tc__gemm90_in_rows(tc__gemm90_fetched_b(c, width)) : tc__gemm90_fetched_b(c, width);
}
/* .any: rows of A come in 9 chunks of 16 bytes (tc_gemm_sm90_any.h). */
enum { TC__ANY_ROW = 144 };
/* .weights: bytes that a block of k has of a brick, or all of it. */
TC_HD TC_CONSTEXPR int tc__gemm90_brick(tc_gemm_config_in c)
{
    return tc__weights_codes(c.weights) / TC_WEIGHTS_K * c.bk
         + tc__weights_factors(c.weights_k, c.weights_zero, c.bk);
}
TC_HD TC_CONSTEXPR int tc__gemm90_a_bytes(tc_gemm_config_in c)
{
    if (c.weights) return (c.bm / TC_WEIGHTS_ROWS * tc__gemm90_brick(c) + 1023) / 1024 * 1024;
    return c.any ? c.bm * TC__ANY_ROW : tc__gemm90_a(c).bytes;
}
/* .sparse: all bricks of a slot, and where they begin in it. */
TC_HD TC_CONSTEXPR int tc__gemm90_bricks(tc_gemm_config_in c)
{
    return !c.sparse ? 0
                     : c.bm / TC_SP_BRICK_ROWS * tc__gemm90_bricks_along(c) * tc_sp_brick_bytes(tc_type_bits(c.a));
}
TC_HD TC_CONSTEXPR int tc__gemm90_bricks_at(tc_gemm_config_in c)
{
    return tc__gemm90_a_bytes(c) + tc__gemm90_b(c, c.bn).bytes;
}
/* Do threads read slots, not wgmma alone? Then each warp gives them back. */
TC_HD TC_CONSTEXPR int tc__gemm90_by_threads(tc_gemm_config_in c)
{
    return c.any || c.weights || c.sparse || tc__gemm_is_f32(c.a) || tc__gemm90_lifts(c);
}
/* TC_F32: bytes of B's lo in a slot, behind B, which no copy brings. */
TC_HD TC_CONSTEXPR int tc__gemm90_parts(tc_gemm_config_in c, int width)
{
    return tc__gemm_is_f32(c.a) ? tc__gemm90_b(c, width).bytes : 0;
}
/* A slot of the ring; with copies (.any) B comes in 9 chunks too. */
TC_HD TC_CONSTEXPR int tc__gemm90_slot_of(tc_gemm_config_in c, int width, int copies)
{
    const int besides = tc__gemm90_bricks(c) + tc__gemm90_parts(c, width) + (copies ? width * 16 : 0);
    return (tc__gemm90_a_bytes(c) + tc__gemm90_b(c, width).bytes + besides + 1023) / 1024 * 1024;
}
/* The most that it takes. */
TC_HD TC_CONSTEXPR int tc__gemm90_slot(tc_gemm_config_in c, int width)
{
    return tc__gemm90_slot_of(c, width, c.any);
}

/* Boxes of D: the widest swizzle whose columns divide those that a block stores, whatever width a call picks; with a
 * step of 16, 32 columns, and a last place of 16 goes its own way. With .swap they lie on their side: 16 columns by 8
 * rows. */
TC_HD TC_CONSTEXPR tc_box tc__gemm90_box(tc_gemm_config_in c)
{
    const int step = c.step == 16 && c.bn % 32 == 0 ? 32 : c.step;
    const int row = (step ? step : c.bn / c.cluster_k) * tc_type_bits(c.d) / 8;
    const int four = tc_type_bits(c.d) == 32; /* s32 looks like f32 */
    tc_box b = {four ? TC_F32 : c.d, row % 128 == 0 ? 128 : row % 64 == 0 ? 64 : row % 32 == 0 && !four ? 32 : 0};
    if (c.swap) b.bytes = 16 * tc_type_bits(c.d) / 8;
    return b;
}

/* A step of 16 or 32 columns makes narrow boxes. A call whose width is a multiple of 64 may have wide ones (d_wide),
 * the same as with a step of 64, of which the store is told. A warp's place for boxes holds one of them; the other lies
 * behind the ring's last slot, where the width leaves room for it (tc__gemm90_wide_apart from the first). */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm90_widened(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (c.step && c.step < 64 && c.bn % 64 == 0 && !c.swap) c.step = 64;
    return c;
}
TC_HD TC_CONSTEXPR int tc__gemm90_widens(tc_gemm_config_in c)
{
    return !c.swap && c.epi_stages == 2 && tc__gemm90_box(tc__gemm90_widened(c)).bytes == 2 * tc__gemm90_box(c).bytes
        && tc__gemm90_box(c).bytes == 64;
}

/* With .swap: rows of D that go to shared memory at a time. */
enum { TC__GEMM90_ASIDE = 128 };

/* Places of 16 columns that a tile of that width takes. */
TC_HD TC_CONSTEXPR int tc__gemm90_places(int width) { return (width + 15) / 16; }

/* With cluster_k: what the other blocks send, bm x bn / cluster_k floats from each, and the barrier that counts it. */
TC_HD TC_CONSTEXPR int tc__gemm90_sums_bytes(tc_gemm_config_in c)
{
    return (c.cluster_k - 1) * c.bm * c.bn / c.cluster_k * 4;
}

/* Factors of A's and B's blocks in a slot of the ring, 4 or a multiple of it: of each row or column of the tile, with
 * 128 x 128 of each 64. */
TC_HD TC_CONSTEXPR int tc__gemm90_factors_a(tc_gemm_config_in c)
{
    return c.a_scale == TC_SCALE_1X128 ? c.bm : c.a_scale ? 4 : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm90_factors_b(tc_gemm_config_in c)
{
    return c.b_scale == TC_SCALE_1X128 ? c.bn : c.b_scale ? 4 : 0;
}
TC_HD TC_CONSTEXPR int tc__gemm90_factor_bytes(tc_gemm_config_in c)
{
    return 4 * (tc__gemm90_factors_a(c) + tc__gemm90_factors_b(c));
}
/* With the mbarrier that says that they are read; TC_F32: that B's lo is there. */
TC_HD TC_CONSTEXPR int tc__gemm90_factor_room(tc_gemm_config_in c)
{
    return tc__gemm_scaled(c) || tc__gemm_is_f32(c.a) ? tc__gemm90_factor_bytes(c) + 8 : 0;
}

/* The mbarriers of a ring: where blocks are turned, one more for each slot says that what is to be turned is there. */
TC_HD TC_CONSTEXPR int tc__gemm90_pipe_bytes(tc_gemm_config_in c, int stages)
{
    return tc_pipe_bytes(stages) + (tc__gemm90_turning(c) ? stages * 8 : 0);
}

typedef struct tc_gemm_sm90_plan {
    int store;          /* boxes of the consumer warps, warp_store bytes each */
    int warp_store;
    int received;       /* sums from other blocks */
    int ring;           /* slots: a block of A, a block of B */
    int ring_bytes;
    int pipe, turn, sums; /* mbarriers */
    int parts;          /* a word: which slices of a split tile this block adds up */
    int factors;        /* of each slot of the ring, and mbarriers behind them */
    int read;
    int groups;         /* the table of tc_work.h */
    int notes;          /* of tiles that are not all of D (tc_gemm_sm90_tiles.h), and their mbarriers */
    int bytes;
} tc_gemm_sm90_plan;

enum { TC__GEMM90_NOTES = 4, TC__GEMM90_NOTE = 32 }; /* how many, bytes of each */
enum { TC__GEMM90_ORDER = 1024 };                    /* .bsr: rows of blocks that are put in order */
TC_HD TC_CONSTEXPR int tc__gemm90_notes_bytes(tc_gemm_config_in c)
{
    return tc__tiles_some(c) ? TC__GEMM90_NOTES * TC__GEMM90_NOTE + tc_pipe_bytes(TC__GEMM90_NOTES)
                                   + (c.bsr ? 2 * TC__GEMM90_ORDER : 0)
                             : 0;
}

TC_HD TC_CONSTEXPR tc_gemm_sm90_plan tc_gemm_sm90_plan_of(tc_gemm_config_in c)
{
    tc_gemm_sm90_plan p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const int aside = c.bn < TC__GEMM90_ASIDE ? c.bn : TC__GEMM90_ASIDE;
    const int boxes = tc__gemm_quantised(c) ? 1024 /* a place */
                    : c.swap ? aside * tc__gemm90_box(c).bytes : c.epi_stages * 16 * tc__gemm90_box(c).bytes;
    const int fixed = tc__gemm90_pipe_bytes(c, c.stages) + c.consumers * 8 + 16 + c.stages * tc__gemm90_factor_room(c)
                    + (c.groups ? TC__GROUPS_BYTES : 0) + tc__gemm90_notes_bytes(c) + 15;
    p.warp_store = (boxes + 1023) / 1024 * 1024;
    p.received = c.consumers * 4 * p.warp_store;
    p.ring = p.received + tc__gemm90_sums_bytes(c);
    p.ring_bytes = c.step ? (TC__SM90_SMEM_MAX - p.ring - fixed) / 1024 * 1024 : c.stages * tc__gemm90_slot(c, c.bn);
    p.pipe = p.ring + p.ring_bytes;
    p.turn = p.pipe + tc__gemm90_pipe_bytes(c, c.stages);
    p.sums = p.turn + c.consumers * 8;
    p.parts = p.sums + 8;
    p.factors = (p.parts + 8 + 15) / 16 * 16;
    p.read = p.factors + c.stages * tc__gemm90_factor_bytes(c);
    p.groups = p.factors + c.stages * tc__gemm90_factor_room(c);
    p.notes = p.groups;
    p.bytes = p.ring + p.ring_bytes + fixed;
    return p;
}
/* Bytes behind the slots that the second of the wide boxes takes of the ring, and how far it lies from the first. */
TC_HD TC_CONSTEXPR int tc__gemm90_wide_room(tc_gemm_config_in c)
{
    return c.consumers * 4 * tc_gemm_sm90_plan_of(c).warp_store;
}
TC_HD TC_CONSTEXPR int tc__gemm90_wide_apart(tc_gemm_config_in c)
{
    const tc_gemm_sm90_plan p = tc_gemm_sm90_plan_of(c);
    return p.ring + p.ring_bytes - tc__gemm90_wide_room(c) - p.store;
}

TC_HD TC_CONSTEXPR int tc_gemm_sm90_smem(tc_gemm_config_in c)
{
    return tc_gemm_sm90_plan_of(tc_gemm90_view(c)).bytes;
}
TC_HD TC_CONSTEXPR int tc_gemm_sm90_threads(tc_gemm_config_in c) { return 128 * (1 + c.consumers); }

enum { TC__GEMM90_MOST_STAGES = 24 }; /* of a ring that a call divides into slots */

/* The configuration with every unset field filled in. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm90_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (c.weights || tc__gemm_plain(c).sparse == TC_SPARSE_B) c.swap = 1;
    c.bm = c.bm == 0 && c.bsr == 64 ? 64 : c.bm;
    const int turned = tc__gemm_d_col(c), rows = c.swap != turned ? c.bn : c.bm; /* of the instruction */
    const int across = c.sparse && c.swap && !turned && !tc__gemm_is_fp8(c.a) ? 256 : 128;
    const int f32 = tc__gemm_is_f32(c.a) && !c.swap; /* 256 of the instruction's rows by 128 */
    c.bm = c.bm ? c.bm : f32 ? 256 >> turned : turned && !c.swap ? 256 : across;
    if (c.weights) { /* few rows wait for memory, and for threads: large copies, many threads */
        c.bk = c.bk ? c.bk : c.bm > 64 ? 64 : TC_WEIGHTS_K;
        c.bn = c.bn ? c.bn : TC_WEIGHTS_ROWS * (c.consumers ? c.consumers : c.bm > 64 ? 2 : 4);
        c.consumers = c.consumers ? c.consumers : c.bn / TC_WEIGHTS_ROWS;
    }
    c.bk = c.bk ? c.bk : c.a ? tc__gemm90_box_k(c) : 64;
    c.promote = tc__gemm_is_fp8(c.a) && c.promote == 0 ? c.bk * (c.sparse ? 2 : 1) : c.promote;
    c.bn = c.bn ? c.bn : f32 ? 128 << turned : turned || c.swap || tc__gemm90_promotes(c) ? 128 : 256;
    c.cluster_m = c.cluster_m ? c.cluster_m : 1;
    c.cluster_n = c.cluster_n ? c.cluster_n : 1;
    c.cluster_k = c.cluster_k ? c.cluster_k : 1;
    c.schedule = c.schedule ? c.schedule : TC_COOPERATIVE;
    c.consumers = c.consumers ? c.consumers : c.schedule == TC_COOPERATIVE && rows == 64 ? 1 : 2;
    c.epi_stages = c.epi_stages ? c.epi_stages : tc__gemm_scaled(c) ? 1 : 2;
    if (c.stages == 0 && c.step > 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) { /* as the narrowest tiles may have */
        const tc_gemm_config v = tc_gemm90_view(c);
        c.stages = TC__SM90_SMEM_MAX
                 / (tc__gemm90_slot(v, v.step) + tc__gemm90_pipe_bytes(v, 1) + tc__gemm90_factor_room(v));
        c.stages = c.stages > TC__GEMM90_MOST_STAGES ? TC__GEMM90_MOST_STAGES : c.stages;
    } else if (c.stages == 0 && c.bm > 0 && c.bn > 0 && c.bk > 0) { /* as many as fit, at most 12 */
        const tc_gemm_config v = tc_gemm90_view(c);
        const int slot = tc__gemm90_slot(v, v.bn) + tc__gemm90_pipe_bytes(v, 1) + tc__gemm90_factor_room(v);
        c.stages = (TC__SM90_SMEM_MAX - tc_gemm_sm90_plan_of(v).bytes) / slot;
        c.stages = c.stages > 12 ? 12 : c.stages;
    }
    return c;
}

/* The same of TC_GEMM_SM90_ANY_DEFINE. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm_sm90_any_config(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    c.any = c.swap = 1;
    /* with more, and more than one width, ptxas has too few registers */
    c.bm = c.bm ? c.bm : c.epi2 || tc__gemm_outputs(c) ? 192 : 224;
    c.bn = c.bn ? c.bn : 128;
    c.cluster_n = c.cluster_n ? c.cluster_n : c.step ? 2 : 1;
    return tc_gemm_sm90_config(c);
}

/* The instruction. */
TC_HD TC_CONSTEXPR tc_op tc_gemm_sm90_op(tc_gemm_config_in given)
{
    const tc_gemm_config c = tc_gemm90_view(given);
    tc_op op = tc_op_make(90, TC_INST_WGMMA);
    op.a = tc__gemm_is_f32(c.a) ? TC_TF32 : c.a, op.b = tc__gemm_is_f32(c.b) ? TC_TF32 : c.b;
    op.acc = tc__gemm_sums(c);
    op.m = 64, op.n = c.bn;
    op.a_from = op.b_from = TC_HOME_SMEM;
    op.a_major = tc__gemm90_a(c).mn && !tc__gemm90_lifts(c) ? TC_MAJOR_MN : TC_MAJOR_K;
    op.b_major = tc__gemm90_b(c, c.bn).mn ? TC_MAJOR_MN : TC_MAJOR_K;
    return op;
}

/* Registers of a thread that hold sums: with .promote also the Tensor Cores', of 64 rows at a time where they are added
 * after each block of k; and factors of columns; of .sparse metadata and what goes with it; of an A from registers
 * these, and what their order at the end takes. */
TC_HD TC_CONSTEXPR int tc__gemm90_sums_held(tc_gemm_config_in v)
{
    const int lifted = !tc__gemm90_lifts(v) ? 0 : tc__gemm90_promotes(v) ? 16 : v.consumers == 3 ? 24 : 64;
    const int sums = tc__gemm90_rows(v) * v.bn / 128 + (v.sparse ? tc__gemm90_rows(v) / 4 : 0) + lifted;
    if (!tc__gemm90_promotes(v)) return sums;
    if (v.sparse) return sums + tc__gemm90_rows(v) * v.bn / 128;
    if (tc__gemm_is_f32(v.a)) return sums + v.bn / 2 + v.bn / 8; /* and a unit's parts of A */
    return sums + (v.promote > v.bk ? sums : v.bn / 2) + (v.b_scale == TC_SCALE_1X128 ? v.bn / 4 : 0);
}

/* Do the accumulators want every register? .sparse, .conv: their producer wants some too. */
TC_HD TC_CONSTEXPR int tc__gemm90_many(tc_gemm_config_in v)
{
    return tc__gemm90_sums_held(v) > (v.sparse || v.conv ? 192 : 160);
}

/* Is there a function for each width that the instruction has, or for every second one? */
TC_HD TC_CONSTEXPR int tc__gemm90_any_n(tc_gemm_config_in c)
{
    return tc__gemm_is_16(c.a) && !tc__gemm_a_col(c) && !tc__gemm_b_row(c);
}

/* Does .step divide what it is a step of? */
TC_HD TC_CONSTEXPR int tc__gemm90_step_ok(tc_gemm_config_in c)
{
    const int least = c.swap && tc__gemm90_any_n(c) ? 8 : 16;
    return c.step == 0 || (c.step % least == 0 && tc_gemm90_view(c).bn % c.step == 0);
}

/* .promote: one width or two, and one where sums are added late or have factors. */
TC_HD TC_CONSTEXPR int tc__gemm90_promoted_step_ok(tc_gemm_config_in c)
{
    const int bn = tc_gemm90_view(c).bn;
    const int half = 2 * c.step == bn && c.promote == c.bk && !tc__gemm_scaled(c)
                  && !tc__gemm90_lifts(tc_gemm90_view(c));
    return !tc__gemm90_promotes(c) || c.step == 0 || c.step == bn || half;
}

/* What lies MN-major comes in boxes of 128 bytes of rows. Of 16 bits the blocks of a cluster share whole ones; of what
 * is turned each brings some k of every box, whole swizzles of 8. */
TC_HD TC_CONSTEXPR int tc__gemm90_k_shared(int box, int blocks) { return box % blocks == 0 && box / blocks % 8 == 0; }
TC_HD TC_CONSTEXPR int tc__gemm90_turned_ok(tc_gemm_config_in v)
{
    const int box = tc__gemm90_box_k(v);
    const int a_ok = tc__gemm90_squares_a(v) ? tc__gemm90_k_shared(box, v.cluster_n) : v.bm / v.cluster_n % 64 == 0;
    const int b_ok = tc__gemm90_turns_b(v) ? tc__gemm90_k_shared(box, v.cluster_m)
                                           : v.cluster_m == 1 || v.bn / v.cluster_m % 64 == 0;
    return (!tc__gemm_a_col(v) || (a_ok && v.bk == box)) && (!tc__gemm_b_row(v) || (b_ok && v.bk == box));
}
/* May the blocks of a cluster share B of a tile of `width` columns? */
TC_HD TC_CONSTEXPR int tc__gemm90_b_shared(tc_gemm_config_in v, int width, int cluster)
{
    return !tc__gemm_b_row(v) || tc__gemm90_turns_b(v) || cluster <= 1 || width / cluster % 64 == 0;
}

/* .weights */
TC_HD TC_CONSTEXPR int tc__gemm90_factors_ok(tc_gemm_config_in c)
{
    const int k_ok = c.weights_k == 0 || c.weights_k == 32 || c.weights_k == 64 || c.weights_k == 128;
    const int zero = c.weights_zero == 1 && c.weights_k && (c.weights == TC_U4 || c.weights == TC_U8);
    return k_ok && (c.weights || c.weights_k == 0) && (c.weights_zero == 0 || zero);
}
TC_HD TC_CONSTEXPR int tc__gemm90_weights_ok(tc_gemm_config_in c)
{
    return c.weights == 0
        || ((c.bk == 64 || c.bk == 128) && c.swap == 1 && c.schedule == TC_COOPERATIVE && c.bn == 64 * c.consumers
            && c.cluster_m * c.cluster_n * c.cluster_k == 1 && !c.step && !c.groups && !c.index
            && !c.any && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c));
}
#define TC__GEMM_WEIGHTS_RULES(X, c)                                                                                  \
    X((c).weights == 0 || (tc_weights_type_ok((c).weights) && tc__gemm_is_16((c).a)),                                 \
      "tc: .weights must be TC_S4, TC_U4, TC_S8, TC_U8, TC_E4M3 or TC_E2M1, and .a and .b TC_BF16 or TC_F16, which "   \
      "they are multiplied as")                                                                                       \
    X(tc__gemm90_factors_ok(c),                                                                                       \
      "tc: .weights_k must be 32, 64, 128 or 0, and .weights_zero 0, or 1 of TC_U4 and TC_U8 that have .weights_k; "  \
      "both are for .weights")                                                                                        \
    X(tc__gemm90_weights_ok(c),                                                                                       \
      "tc: .weights want .bk 64 or 128, .bn 64 for each of 1 to 4 .consumers, a cooperative schedule, A and D "       \
      "row-major, and no cluster, .step, .groups, .index or .b_layout")

/* .sparse */
TC_HD TC_CONSTEXPR int tc__gemm90_sparse_n_ok(int n) { return n == 16 || (n > 0 && n % 32 == 0 && n <= 256); }
#define TC__GEMM_SM90_SPARSE_RULES(X, c)                                                                              \
    X(!(c).sparse || tc_gemm90_view(c).sparse == TC_SPARSE_A,                                                         \
      "tc: TC_SPARSE_A does not go with .swap, nor TC_SPARSE_B with .d_layout = TC_COL and .swap")                    \
    X(!(c).sparse || (c).bk == tc__gemm90_box_k(c) || (c).bk == 2 * tc__gemm90_box_k(c),                              \
      "tc: with .sparse, .bk must be 64 or 128 of elements of 16 bits, 32 or 64 of TC_TF32, 128 or 256 of 8 bits")    \
    X(!(c).sparse || tc__gemm90_sparse_n_ok(tc_gemm90_view(c).bn),                                                    \
      "tc: with .sparse, .bn (TC_SPARSE_B: .bm) must be 16 or a multiple of 32 up to 256")                            \
    X(!(c).sparse || !tc__gemm90_promotes(c) || (c).promote % (2 * (c).bk) == 0,                                      \
      "tc: with .sparse, .promote must be a multiple of 2 * .bk, or TC_FAST")

/* Quantised D, sums of columns. */
#define TC__GEMM_SM90_QUANT_RULES(X, c)                                                                               \
    X(!tc__gemm_quantised(c) || (!(c).swap && !(c).split && (c).cluster_k == 1 && (c).bn % TC__QUANT_COLS == 0        \
                                 && (c).step % TC__QUANT_COLS == 0),                                                  \
      "tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn and .step to be multiples of 128, and no "     \
      ".swap, .split and .cluster_k: a row's 128 columns are one warp's")                                             \
    X(!(c).col_sum || !(c).swap || (!(c).any && (c).bm % 16 == 0 && (c).step % 16 == 0),                              \
      "tc: with .col_sum and .swap, .bm and .step must be multiples of 16; TC_GEMM_SM90_ANY_DEFINE has no .col_sum")

/* TC_F32 */
TC_HD TC_CONSTEXPR int tc__gemm90_f32_ok(tc_gemm_config_in c)
{
    return !tc__gemm_is_f32(c.a)
        || (c.bk == 32 && c.schedule == TC_COOPERATIVE && c.cluster_m * c.cluster_n * c.cluster_k == 1
            && c.consumers <= 2 && tc__gemm90_sparse_n_ok(tc_gemm90_view(c).bn));
}
#define TC__GEMM_SM90_F32_RULES(X, c)                                                                                 \
    X(tc__gemm90_f32_ok(c),                                                                                           \
      "tc: .a = TC_F32 wants .bk 32, .bn (with .swap: .bm) 16 or a multiple of 32 up to 256, 1 or 2 .consumers, a "   \
      "cooperative schedule and no cluster")

/* Tiles that are not all of D. */
#define TC__GEMM_SM90_TILES_RULES(X, c)                                                                               \
    X(!tc__tiles_some(c) || (!(c).split && (c).cluster_k == 1 && !(c).weights),                                       \
      "tc: .triangle, .tile, .k_range and .bsr do not go with .split, .cluster_k and .weights")                       \
    X(!(c).bsr || ((c).swap == 0 && (c).cluster_m == 1),                                                              \
      "tc: .bsr goes without .swap, and with .cluster_m = 1: neighbours along m have other blocks")

/* As TC__GEMM_RULES. */
#define TC__GEMM_SM90_RULES(X, c)                                                                                     \
    TC__GEMM_TURNED_RULES(X, c)                                                                                       \
    TC__GEMM_SM90_QUANT_RULES(X, c)                                                                                   \
    TC__GEMM_WEIGHTS_RULES(X, c)                                                                                      \
    TC__GEMM_SPARSE_RULES(X, c)                                                                                       \
    TC__GEMM_SM90_SPARSE_RULES(X, c)                                                                                  \
    TC__GEMM_SM90_F32_RULES(X, c)                                                                                     \
    TC__GEMM_TILES_RULES(X, c)                                                                                        \
    TC__GEMM_SM90_TILES_RULES(X, c)                                                                                   \
    TC__GEMM_SM90_OWN_RULES(X, tc__gemm_plain(c))
#define TC__GEMM_SM90_OWN_RULES(X, c)                                                                                 \
    X(!((c).index & TC_INDEX_A),                                                                                      \
      "tc: .index = TC_INDEX_A is for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE: TMA reads rows that follow one another") \
    X(tc__gemm_by_wgmma(c), TC__GEMM_BY_WGMMA)                                                                        \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(tc_op_types_ok(tc_gemm_sm90_op(c)), "tc: wgmma does not multiply the types of .a and .b: docs/types.md")        \
    X((c).schedule == TC_COOPERATIVE || (c).schedule == TC_PINGPONG,                                                  \
      "tc: .schedule must be TC_COOPERATIVE or TC_PINGPONG")                                                          \
    X((c).consumers >= 1 && (c).consumers <= ((c).weights ? 4 : 3),                                                   \
      "tc: .consumers must be 1, 2 or 3 warpgroups, or 4 with .weights")                                              \
    X((c).swap == 0 || (c).swap == 1, "tc: .swap must be 0 or 1")                                                     \
    X((c).split == 0 || (c).split == 1, "tc: .split must be 0 or 1")                                                  \
    X((c).swap || ((c).bm > 0 && tc__gemm90_rows(c) > 0 && tc__gemm90_rows(c) % 64 == 0                               \
                   && (c).bm % tc__gemm90_rows(c) == 0),                                                              \
      "tc: .bm must be a multiple of 64 rows for each consumer warpgroup (64 * consumers if cooperative)")            \
    X(!(c).swap || ((c).bn > 0 && tc__gemm90_rows(tc_gemm90_view(c)) > 0                                              \
                    && tc__gemm90_rows(tc_gemm90_view(c)) % 64 == 0                                                   \
                    && (c).bn % tc__gemm90_rows(tc_gemm90_view(c)) == 0),                                             \
      "tc: with .swap, .bn must be a multiple of 64 columns for each consumer warpgroup (64 * consumers if "          \
      "cooperative)")                                                                                                 \
    X((c).swap || ((c).bn > 0 && (c).bn % 16 == 0 && tc_op_exists(tc_gemm_sm90_op(c))),                               \
      "tc: .bn must be a multiple of 16 in 16..256")                                                                  \
    X(!(c).swap || ((c).bm > 0 && (c).bm % 8 == 0 && tc_op_exists(tc_gemm_sm90_op(c))),                               \
      "tc: with .swap, .bm must be a multiple of 8 in 8..256")                                                        \
    X(tc__gemm90_step_ok(c),                                                                                          \
      "tc: .step must be a multiple of 16 that divides .bn (with .swap: of 8 that divides .bm), or 0")                 \
    X((c).step == 0 || ((c).bk == tc__gemm90_box_k(c) && (c).cluster_k == 1 && tc_gemm90_view(c).cluster_n == 1       \
                        && tc_gemm90_view(c).cluster_m <= 2 && (c).step % (8 * tc_gemm90_view(c).cluster_m) == 0      \
                        && (c).stages <= TC__GEMM90_MOST_STAGES),                                                     \
      "tc: with .step, .bk must be 128 bytes, .cluster_k and .cluster_n (with .swap: .cluster_m) 1, .stages at most " \
      "24, and .cluster_m (.cluster_n) 1 or 2 and .step a multiple of 8 times it")                                   \
    X(!(c).swap || (c).cluster_k == 1, "tc: with .swap, .cluster_k must be 1")                                        \
    X(!(c).split || ((c).cluster_k == 1 && tc_gemm90_view(c).cluster_n == 1 && (c).schedule == TC_COOPERATIVE),       \
      "tc: with .split, .schedule must be TC_COOPERATIVE, .cluster_k and .cluster_n (with .swap: .cluster_m) 1")      \
    X((c).any == 0 || ((c).any == 1 && tc__gemm_any_by_wgmma(c) && (c).swap == 1 && (c).bk == 64                      \
                       && (c).consumers <= 2 && (c).bn == 64 * (c).consumers && (c).schedule == TC_COOPERATIVE        \
                       && (c).cluster_m * (c).cluster_k == 1 && ((c).cluster_n == 1 || (c).step)                      \
                       && (c).step % 32 == 0),                                                                        \
      "tc: rows of any alignment (.any) want f16 or bf16, A and D row-major and B column-major, .swap 1, .bk 64, "   \
      ".bn 64 for each of 1 or 2 .consumers, a cooperative schedule, a .step of 32s, and no cluster but .cluster_n "  \
      "2 with .step")                                                                                                 \
    X(!(c).groups || (!(c).split && (c).cluster_k == 1 && !(c).any),                                                  \
      "tc: with .groups, .split must be 0 and .cluster_k 1, and A and B follow TMA's rules (TC_GEMM_SM90_DEFINE)")    \
    X((c).bk > 0 && (c).bk % tc__gemm90_box_k(c) == 0,                                                                \
      "tc: .bk must be a multiple of 128 bytes: 64 elements of 16 bits, 32 of 32, 128 of 8")                          \
    X(tc__gemm90_turned_ok(tc_gemm90_view(c)),                                                                        \
      "tc: A in columns and B in rows want .bk 128 bytes; of 16 bits .bm / .cluster_n and .bn / .cluster_m multiples " \
      "of 64, of other types .cluster_n and .cluster_m 1, 2, 4 or 8 (TC_TF32: not 8)")                                \
    X(tc__gemm_sums(c) != TC_S32 || (c).cluster_k == 1, "tc: sums of integers want .cluster_k 1")                     \
    X(tc__gemm90_any_n(c) || tc_gemm90_view(c).bn % 16 == 0,                                                          \
      "tc: with .swap, .bm must be a multiple of 16 in other types than f16 and bf16, and other layouts")             \
    X(tc__gemm90_sums_held(tc_gemm90_view(c)) <= ((c).consumers == 4 ? 32 : (c).consumers == 3 ? 96 : 208),           \
      "tc: too many accumulators: rows of a warpgroup * .bn / 128 must be at most 208 (96 for 3 consumers, 32 for "   \
      "4), with .promote and TC_F32 and .bn / 2 (of more than .bk: and as many again; TC_F32: and .bn / 8), with "     \
      "factors of columns and .bn / 4, with .sparse (and .promote: twice as many) and rows / 4, with A in columns "   \
      "(.swap: B in rows) of 8 bits and 64 (3 consumers: 24, .promote: 16)")                      \
    X(((c).b_scale != TC_SCALE_128X128 || (c).bn % 64 == 0) && ((c).a_scale != TC_SCALE_128X128 || (c).bm % 64 == 0), \
      "tc: with TC_SCALE_128X128 a tile's side (.bm of A, .bn of B) must be a multiple of 64")                        \
    X(tc__gemm90_promoted_step_ok(c),                                                                                 \
      "tc: with .promote, .step must be .bn (with .swap: .bm) or 0, or half of it where .promote is .bk, there "      \
      "are no factors, and A (with .swap: B) is not turned on its way to registers")                                  \
    X((c).promote <= 0 || (c).promote % (c).bk == 0, "tc: .promote must be a multiple of .bk")                        \
    X((c).cluster_m >= 1 && (c).cluster_n >= 1 && (c).cluster_m * (c).cluster_n <= 8,                                 \
      "tc: .cluster_m * .cluster_n must be in 1..8")                                                                  \
    X((c).bm % (8 * (c).cluster_n) == 0 && (c).bn % (8 * (c).cluster_m) == 0,                                         \
      "tc: .bm must divide by 8 * .cluster_n and .bn by 8 * .cluster_m")                                              \
    X((c).cluster_k == 1 || ((c).cluster_k >= 2 && (c).cluster_k <= 4 && (c).cluster_m * (c).cluster_n == 1           \
                             && (c).schedule == TC_COOPERATIVE && (c).bn % (16 * (c).cluster_k) == 0),                \
      "tc: .cluster_k must be in 1..4, with a cooperative schedule, no other cluster, and .bn a multiple of 16 "      \
      "* .cluster_k")                                                                                                 \
    X((c).bm / (c).cluster_n <= 256 && (c).bn / (c).cluster_m <= 256,                                                 \
      "tc: .bm / .cluster_n and .bn / .cluster_m must be at most 256, a tensor map's box")                            \
    X((c).epi_stages >= 1 && (c).epi_stages <= 4, "tc: .epi_stages must be in 1..4")                                  \
    X((c).stages >= 2 && tc_gemm_sm90_smem(c) <= TC__SM90_SMEM_MAX                                                    \
          && tc_gemm_sm90_plan_of(tc_gemm90_view(c)).ring_bytes                                                       \
                 >= 2 * tc__gemm90_slot(tc_gemm90_view(c), tc_gemm90_view(c).bn),                                     \
      "tc: .stages must be 2 or more, and tiles * .stages plus store buffers fit in 227 KB of shared memory")

/* 1 if a completed configuration keeps every rule. */
TC_HD TC_CONSTEXPR int tc_gemm_sm90_legal(tc_gemm_config_in c)
{
    return 1 TC__GEMM_SM90_RULES(TC__RULE_AND, c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the kernel is given. Tensor maps have the dimensions (k or n, rows, batch); a and b are the instruction's.
 */
typedef struct tc_gemm_sm90_params {
    /* What a block reads before its first load, in the first two lines of the constants: each line costs hundreds of
     * cycles when it is first touched. */
    tc_tiles tiles;    /* of clusters; .m counts the instruction's rows */
    uint32_t works;    /* tiles, or their parts */
    uint32_t k_blocks; /* at least 1, or the parts that k is split into: past the end of k are zeros */
    int width, stages; /* .step, .any: of a tile, of the ring */
    int cluster;       /* .step: blocks of a cluster, along the instruction's rows */
    uint8_t waits;     /* for the kernel before (programmatic dependent launch), */
    uint8_t early;     /* but not with TC__GEMM90_EARLY_A, _B: what it does not write */
    int k_first;       /* where k starts; past the end if k is 0 */
    uint8_t a_batched, b_batched;   /* 0 where every batch uses the same matrix */
    tc_gemm_split split;
    uint32_t skip_slots, skip_laps; /* k_blocks modulo and divided by the ring's stages: another warpgroup's tile */
    int to_and_fro;                 /* every second tile of a block takes k from its end to its start */
    int d_by;                       /* how boxes go to D: TC__GEMM_D_* */
    uint8_t d_plain, d_clips;       /* by TMA, without C; and TMA leaves out what a box has outside of D */
    uint8_t d_wide;                 /* and in the boxes of tc__gemm90_widened */
    uint8_t d_first;                /* D's lines leave the L2 first */
    int classes, copies;            /* .any: log2 of the classes of A's rows; 1: they are copied */
    int d_rows;                     /* .index: rows of D, and which of them */
    const int32_t *d_row;
    tc_tmap a, b, d;
    tc_gemm_out out;
    tc_scale_side a_scale, b_scale; /* of the instruction's A and B */
    tc_groups groups; /* tiles is then the order of one of them, works the most that there can be */
    const char *weights;           /* .weights: bricks, which TMA brings without a map; NULL where k is 0 */
    long long weights_batch;       /* bytes from one matrix of the batch to the next */
    int weights_rows, weights_along; /* bricks along n, along k */
    const char *meta;                /* .sparse: the same of metadata */
    long long meta_batch;
    int meta_rows, meta_along;
} tc_gemm_sm90_params;

enum { TC__GEMM90_EARLY_A = 1, TC__GEMM90_EARLY_B = 2 };

/* Has a kernel the way by rows? With many accumulators there are no registers left for it. */
TC_HD TC_CONSTEXPR int tc__gemm90_by_rows(tc_gemm_config_in c) { return tc__gemm90_rows(c) * c.bn / 128 <= 128; }

#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)
/* How boxes go to D. c: complete, not a view. */
TC_HOST int tc__gemm90_d_by(const tc_gemm_config *c, const tc_gemm_args *g)
{
    if (!tc__gemm_fits(c, g, 'c')) return TC__GEMM_D_PIECES;
    if (tc__gemm_quantised(*c)) return TC__GEMM_D_ROWS; /* by bytes: tc_gemm_sm90_quant.h */
    if (tc__gemm_fits(c, g, 'd')) return TC__GEMM_D_TMA;
    return tc__gemm90_by_rows(tc_gemm90_view(*c)) ? TC__GEMM_D_ROWS : TC__GEMM_D_PIECES;
}
#endif

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * The kernel as its functions know it: a constant (its configuration as a view, the wgmma of each width and type), and
 * what a block knows.
 */
enum { TC__GEMM90_WIDTHS = 32 }; /* of 8, 16 ... 256 columns */

typedef struct tc_gemm90 {
    tc_gemm_config c;
    tc_wgmma_fn mma, half;                 /* of .bn columns; of .step, where it is half of them (.promote) */
    tc_wgmma_rs_fn rs_one;                 /* .any without .step; A from registers */
    tc_wgmma_fn widths[TC__GEMM90_WIDTHS]; /* .step: by columns / 8 - 1 */
    tc_wgmma_rs_fn rs[TC__GEMM90_WIDTHS];  /* .any with .step, and A from registers: so */
    tc_wgmma_sp_fn even, odd;              /* .sparse: of every second step */
} tc_gemm90;
TC_IN(tc_gemm90);

typedef struct tc_gemm90_block {
    const tc_gemm_sm90_params *p;
    uint32_t smem; /* shared address of its dynamic shared memory, a multiple of 1024 */
    uint32_t ring; /* that of the ring's first slot, and the bytes of a slot */
    uint32_t slot;
    tc_pipe pipe;
    int width, stages;
    int cluster_m; /* blocks of a cluster along the instruction's rows */
    uint32_t warp; /* of this thread, known to be the same for a warp; */
    int wg;        /* so is its warpgroup */
} tc_gemm90_block;

/* A number of blocks in clusters. The grid is a line of clusters, so the cluster's number and the block's rank in it
 * need no special register, which ptxas would find by a division of floats. With .step a cluster is of 1 or 2. */
TC_DEV uint32_t tc__gemm90_per_cluster(tc_gemm_config_in c, const tc_gemm90_block *b, uint32_t blocks)
{
    if (c.step) return c.cluster_m > 1 && b->cluster_m == 2 ? blocks / 2u : blocks;
    return blocks / (uint32_t)(c.cluster_m * c.cluster_n * c.cluster_k);
}

/* This block's rank in its cluster. */
TC_DEV uint32_t tc__gemm90_rank(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    if (c.step) return c.cluster_m > 1 && b->cluster_m == 2 ? blockIdx.x % 2u : 0u;
    return blockIdx.x % (uint32_t)(c.cluster_m * c.cluster_n * c.cluster_k);
}

/* This block's place in its cluster; with cluster_k all have the same. Where there is one row, nothing is divided. */
typedef struct tc__gemm90_place {
    uint32_t m, n;
} tc__gemm90_place;

TC_DEV tc__gemm90_place tc__gemm90_place_of(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    tc__gemm90_place p = {0, 0};
    if (c.cluster_k == 1 && c.cluster_n == 1) p.m = tc__gemm90_rank(c, b);
    else if (c.cluster_k == 1)
        p.m = tc__gemm90_rank(c, b) % (uint32_t)c.cluster_m, p.n = tc__gemm90_rank(c, b) / (uint32_t)c.cluster_m;
    return p;
}

/* Blocks of a cluster. */
TC_DEV int tc__gemm90_cluster(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    return b->cluster_m * c.cluster_n * c.cluster_k;
}

TC_DEV_SM90 tc_gemm90_block tc_gemm90_block_make(tc_gemm_config_in c, const tc_gemm_sm90_params *p, uint32_t smem)
{
    tc_gemm90_block b;
    b.p = p;
    b.smem = smem;
    b.width = c.step ? p->width : c.bn;
    b.stages = c.step || c.any ? p->stages : c.stages;
    b.ring = smem + (uint32_t)tc_gemm_sm90_plan_of(c).ring;
    b.slot = (uint32_t)tc__gemm90_slot_of(c, b.width, c.any && p->copies);
    b.pipe = tc_pipe_at(smem + (uint32_t)tc_gemm_sm90_plan_of(c).pipe, c.stages);
    b.cluster_m = c.step && c.cluster_m > 1 ? p->cluster : c.cluster_m;
    b.warp = tc_uniform(threadIdx.x / 32u);
    b.wg = tc_warpgroup();
    return b;
}

/* A block's or cluster's first tile, asked for anew: one value for both roles would take a register of each all the
 * way, which the consumers of some kernels do not have. */
TC_DEV_SM90 uint32_t tc__gemm90_first(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    uint32_t x;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(x));
    return tc__gemm90_per_cluster(c, b, x);
}

/* A consumer warpgroup: its place in the ring, and what its warps keep. */
typedef struct tc_gemm90_consumer {
    tc_ring ring;
    int row, warp_row; /* its first row within a tile; that of this warp, known to be the same for all lanes */
    uint32_t my_turn, next_turn; /* ping-pong: mbarriers of this warpgroup and of the one whose tile comes next */
    uint32_t buf, stores;        /* this warp's boxes; how many stores have used them, in turn */
    int warps;                   /* that compute a tile together */
    int last;                    /* no tile comes after this one */
    uint32_t tile;               /* .split: number of the tile, of all blocks */
    tc_work w;                   /* the tile */
} tc_gemm90_consumer;

/* Block number kb of k, and the slot of the ring where it goes. */
typedef struct tc__gemm90_fetch_at {
    uint32_t stage, kb;
} tc__gemm90_fetch_at;

/* Both operands of one tile: where they come from, and which of them to fetch. */
typedef struct tc__gemm90_sources {
    tc_operand oa, ob;
    tc_operand_source a, b;
    uint32_t to_a, to_b; /* within a slot */
    int a_k, b_k;        /* of what is turned: the k of a box from which on it is this block's share */
    tc_conv_pixel first; /* .conv: where the first row's first tap lies in X */
} tc__gemm90_sources;

/* What a fetch knows before it runs. */
typedef struct tc__gemm90_fetching {
    tc_gemm_config c;
    int which; /* a constant: TC__GEMM90_EARLY_A, _B, or both; */
    int alone; /* so is this: nothing goes to another block */
} tc__gemm90_fetching;

/* .groups: where the table of tiles lies. */
TC_DEV uint32_t tc__gemm90_table(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    return b->smem + (uint32_t)tc_gemm_sm90_plan_of(c).groups;
}

/* Tiles of all blocks, or their parts; of groups, once the table is there. */
TC_DEV uint32_t tc__gemm90_works(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    if (!c.groups) return b->p->works;
    return tc_groups_total(&b->p->groups, tc__gemm90_table(c, b)) * b->p->tiles.area.by;
}

/* Tile `index` of all groups' as this block sees it; .batch is its group. warp, a constant: all lanes of a warp ask
 * together, and what they are told is known to be the same for all. */
TC_DEV_SM80 tc_work tc__gemm90_group_work(const int warp, tc_gemm_config_in c, const tc_gemm90_block *b,
                                          uint32_t index)
{
    const tc_gemm_sm90_params *p = b->p;
    const tc_groups_line line = {&p->groups, &p->tiles, tc__gemm90_table(c, b)};
    const tc_group_tile t = tc_groups_tile(warp, &line, index);
    const tc_group_rows rows = tc_groups_rows(c.groups == TC_GROUPS_MASKED, &p->groups, t.group);
    const tc__gemm90_place at = tc__gemm90_place_of(c, b);
    const int m = (int)(c.swap ? t.across : t.along), n = (int)(c.swap ? t.along : t.across);
    tc_work w;
    w.row = (m * b->cluster_m + (int)at.m) * c.bm + (c.swap ? 0 : rows.first);
    w.col = (n * c.cluster_n + (int)at.n) * b->width + (c.swap ? rows.first : 0);
    w.batch = t.group, w.end = rows.end;
    w.k_first = 0u, w.k_blocks = p->k_blocks, w.part = 0u;
    if (warp) {
        w.row = (int)tc_uniform((uint32_t)w.row), w.col = (int)tc_uniform((uint32_t)w.col);
        w.batch = (int)tc_uniform((uint32_t)w.batch), w.end = (int)tc_uniform((uint32_t)w.end);
    }
    return w;
}

/* Tile `index` as this block sees it. With cluster_k: its share of k, one of cluster_k about equal runs; so with
 * .split, where the parts of a tile are neighbours. */
TC_DEV tc_work tc_gemm90_work(tc_gemm_config_in c, const tc_gemm90_block *b, uint32_t index)
{
    const tc_gemm_sm90_params *p = b->p;
    const tc_gemm_split *split = &p->split;
    const uint32_t tile = c.split ? tc_quotient(index, split->by_parts) : index;
    const uint32_t part = c.split ? index - tile * split->parts : tc__gemm90_rank(c, b);
    const tc_tile t = tc_tile_at(&p->tiles, tile);
    const tc__gemm90_place at = tc__gemm90_place_of(c, b);
    tc_work w;
    w.row = ((int)t.m * b->cluster_m + (int)at.m) * c.bm;
    w.col = ((int)t.n * c.cluster_n + (int)at.n) * b->width;
    if (c.any) /* every 2^classes-th row: of each class in turn */
        w.col = ((((int)t.n >> p->classes) * b->width) << p->classes) + ((int)t.n & ((1 << p->classes) - 1));
    w.batch = (int)t.batch, w.end = 0;
    w.k_first = 0u, w.k_blocks = p->k_blocks, w.part = part;
    if (c.split) {
        w.k_first = part * split->k_each + (part < split->k_more ? part : split->k_more);
        w.k_blocks = split->k_each + (part < split->k_more ? 1u : 0u);
    } else if (c.cluster_k > 1) {
        w.k_first = p->k_blocks * part / (uint32_t)c.cluster_k;
        w.k_blocks = p->k_blocks * (part + 1u) / (uint32_t)c.cluster_k - w.k_first;
    }
    return w;
}

/* Gives a slot back to every block that may write into it: those of this block's row and column. */
TC_DEV_SM90 void tc__gemm90_release(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t stage)
{
    /* .any, .weights, .sparse: all threads have read of it, each warp says so for itself; else wgmma has, for all */
    const uint32_t t = threadIdx.x % (tc__gemm90_by_threads(c) ? 32u : 128u), empty = tc_pipe_empty(g->pipe, stage);
    const uint32_t m = (uint32_t)g->cluster_m, n = (uint32_t)c.cluster_n;
    if (tc__gemm90_by_threads(c)) __syncwarp();
    if (m * n == 1u) {
        if (t == 0) tc_mbarrier_arrive(empty);
    } else if (t < m + n - 1u) {
        const tc__gemm90_place at = tc__gemm90_place_of(c, g);
        uint32_t to = t - m; /* index among the other blocks of the row */
        to = t < m ? at.n * m + t : at.m + (to < at.n ? to : to + 1u) * m;
        /* this block's producer writes what this warp has read */
        if ((c.any && to == at.m) || (c.sparse && to == at.n * m + at.m)) tc_mbarrier_arrive(empty);
        else if (tc__gemm90_turning(c) || tc__gemm90_lifts(c))
            tc_mbarrier_arrive_cluster(empty, to); /* threads have read or written what others will write */
        else tc_mbarrier_arrive_cluster_relaxed(empty, to);
    }
}

/* The same for a loop: which thread tells whom is found out before it, and told by instructions with a predicate.
 * Branches would part the lanes. */
typedef struct tc__gemm90_giver {
    int own, other; /* does this thread tell its own block, another? */
    uint32_t empty; /* the first slot's mbarrier */
} tc__gemm90_giver;

/* .step: are clusters picked by the call, of 1 or 2 blocks along the instruction's rows? */
TC_HD TC_CONSTEXPR int tc__gemm90_picks_cluster(tc_gemm_config_in c)
{
    return c.step && c.cluster_m > 1 && !tc__gemm90_by_threads(c) && !tc__gemm90_turning(c);
}

TC_DEV_SM90 tc__gemm90_giver tc__gemm90_giver_of(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t t = threadIdx.x % 128u;
    tc__gemm90_giver give = {0, 0, g->pipe.empty};
    if (!tc__gemm90_picks_cluster(c)) return give;
    give.own = g->cluster_m == 1 && t == 0u;
    give.other = g->cluster_m == 2 && t < 2u;
    if (give.other) give.empty = tc_mapa(g->pipe.empty, t);
    return give;
}

TC_DEV_SM90 void tc__gemm90_give(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_giver *give,
                                 uint32_t stage, int on)
{
    if (!tc__gemm90_picks_cluster(c)) {
        if (on) tc__gemm90_release(c, g, stage);
    } else {
        tc__mbarrier_arrive_if(give->own && on, give->empty + stage * 8u);
        tc__mbarrier_arrive_cluster_relaxed_if(give->other && on, give->empty + stage * 8u);
    }
}

typedef struct tc__gemm90_loop_state {
    tc_gemm90_consumer *u;
    float *acc;
    uint32_t last; /* the slot that is to be given back */
} tc__gemm90_loop_state;

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_PLAN_H */
