/* tc_gemm_sm90_plan.h - tc 0.2.0 - the Hopper GEMM's configuration, its shared memory, what a block knows.
 * Needs: the headers below.
 *
 *     tc_gemm_sm90_config                    a configuration with every unset field filled in
 *     tc_gemm_sm90_smem, _threads            what its block takes
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
#include "tc_gemm_gate.h"
#include "tc_gemm_sparse.h"
#include "tc_gemm_tiles.h"
#include "tc_gemm_weights.h"
#include "tc_pipe.h"
#include "tc_split.h"

/* The configuration as the instruction sees it. */
TC_HD TC_CONSTEXPR tc_gemm_config tc_gemm90_view(tc_gemm_config_in given)
{
    const tc_gemm_config c = tc__gemm_plain(given);
    return c.swap ? tc__gemm_change(c) : c;
}

/* Are A's rows looked up? (tc_gemm_sm90_gather.h) */
TC_HD TC_CONSTEXPR int tc__gemm90_gathers(tc_gemm_config_in c) { return (c.index & TC_INDEX_A) != 0; }

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
/* Sums in f16 lie two in a register. Registers of a thread for 64 rows of n columns; */
TC_HD TC_CONSTEXPR int tc__gemm90_halves(tc_gemm_config_in c) { return c.acc == TC_F16 && c.a == TC_F16; }
TC_HD TC_CONSTEXPR int tc__gemm90_regs(tc_gemm_config_in c, int n) { return tc__gemm90_halves(c) ? n / 4 : n / 2; }
/* and where a tile has more of them than f32 would have room for, they stay so until they go to D. */
TC_HD TC_CONSTEXPR int tc__gemm90_packed(tc_gemm_config_in c)
{
    return tc__gemm90_halves(c) && tc__gemm90_rows(c) * c.bn / 128 > 128;
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
TC_HD TC_CONSTEXPR int tc__gemm90_a_bytes(tc_gemm_config_in c)
{
    if (c.weights) return (c.bm / TC_WEIGHTS_ROWS * tc__gemm_brick(c) + 1023) / 1024 * 1024;
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
    return !c.swap && !c.gated && c.epi_stages == 2 && tc__gemm90_box(c).bytes == 64
        && tc__gemm90_box(tc__gemm90_widened(c)).bytes == 2 * tc__gemm90_box(c).bytes;
}

/* With .swap: rows of D that go to shared memory at a time. */
enum { TC__GEMM90_ASIDE = 128 };

/* .row_sum: has a warp all columns of a tile's rows, so that it keeps one part of each? Where k is split, it
 * has not; nor has it with TC_GROUPS_ARRAY, by pieces. */
TC_HD TC_CONSTEXPR int tc__gemm90_whole_rows(tc_gemm_config_in c)
{
    return tc__gemm_row_kind(c) && c.groups != TC_GROUPS_ARRAY && !c.swap && !c.any && !tc__gemm_quantised(c)
        && c.bn / c.cluster_k % 16 == 0 && c.step % 16 == 0;
}

/* .col_sum: has a warpgroup one part of each column for all of its rows of a tile (tc_gemm_sm90_columns.h)? */
TC_HD TC_CONSTEXPR int tc__gemm90_whole_columns(tc_gemm_config_in c)
{
    return tc__gemm_col_kind(c) && c.groups != TC_GROUPS_ARRAY && !c.swap && !c.any && !tc__gemm_quantised(c)
        && !c.gate && !c.gated && c.bn / c.cluster_k % 16 == 0 && c.step % 16 == 0;
}

/* Does a warp have room of its own in shared memory for them, behind its boxes? Else registers keep them until the tile
 * has gone, and then the place of a box is free. */
TC_HD TC_CONSTEXPR int tc__gemm90_columns_room(tc_gemm_config_in c)
{
    return tc__gemm90_whole_columns(c) && tc__gemm90_rows(c) / 64 * tc__gemm90_regs(c, c.bn) > 128
             ? (c.bn / c.cluster_k * 4 + 1023) / 1024 * 1024 : 0;
}

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

enum { TC__GEMM90_ROWS_ROOM = 4096 }; /* .rows, .top: sums of some of a warp's rows */
enum { TC__GEMM90_NOTES = 4, TC__GEMM90_NOTE = 32 }; /* how many, bytes of each */
enum { TC__GEMM90_EACH = 512 };                      /* TC_GROUPS_ARRAY: a job, maps (tc_gemm_sm90_each.h) */
enum { TC__GEMM90_ORDER = 1024 };                    /* .bsr: rows of blocks that are put in order */
/* Does the producer leave notes of a block's tiles? Where not all are computed, and where they have k of their own. */
TC_HD TC_CONSTEXPR int tc__gemm90_noted(tc_gemm_config_in c) { return tc__tiles_some(c) || tc__gemm_by_80(c); }
TC_HD TC_CONSTEXPR int tc__gemm90_notes_bytes(tc_gemm_config_in c)
{
    return tc__gemm90_noted(c) ? TC__GEMM90_NOTES * TC__GEMM90_NOTE + tc_pipe_bytes(TC__GEMM90_NOTES)
                                   + (c.bsr ? 2 * TC__GEMM90_ORDER : 0)
                                   + (c.groups == TC_GROUPS_ARRAY ? TC__GEMM90_EACH : 0)
                             : 0;
}

/* c: not as the end of a gated tile knows it (tc__gemm_gated), with half of its columns. */
TC_HD TC_CONSTEXPR tc_gemm_sm90_plan tc_gemm_sm90_plan_of(tc_gemm_config_in c)
{
    tc_gemm_sm90_plan p = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const int aside = c.bn < TC__GEMM90_ASIDE ? c.bn : TC__GEMM90_ASIDE;
    const int boxes = tc__gemm_quantised(c) ? 1024 /* a place */
                    : c.swap ? aside * tc__gemm90_box(c).bytes : c.epi_stages * 16 * tc__gemm90_box(c).bytes;
    const int fixed = tc__gemm90_pipe_bytes(c, c.stages) + c.consumers * 8 + 16 + c.stages * tc__gemm90_factor_room(c)
                    + (tc__gemm_in_rows(c) ? TC__GROUPS_BYTES : 0) + tc__gemm90_notes_bytes(c) + 15;
    p.warp_store = (boxes + 1023) / 1024 * 1024;
    if (c.gate && p.warp_store < 2048) p.warp_store = 2048; /* places of both products */
    if (tc__gemm_in_tile(c) && p.warp_store < TC__GEMM90_ROWS_ROOM) p.warp_store = TC__GEMM90_ROWS_ROOM;
    p.warp_store += tc__gemm90_columns_room(c);
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

/* Where the next tile's products do not hide the store, a third box for each warp, if its bytes are left over: at 256 x
 * 192 a tile takes 1,900 cycles less so. c: complete. */
TC_HD TC_CONSTEXPR int tc__gemm90_third_box(tc_gemm_config_in given, tc_gemm_config_in c)
{
    tc_gemm_config more = tc_gemm90_view(c);
    const int boxes = more.bm > 0 && more.bn > 0 && more.cluster_k > 0 ? tc__gemm90_rows(more) / 64 * more.bn / 64 : 0;
    more.epi_stages = 3;
    return given.epi_stages == 0 && c.epi_stages == 2 && c.schedule == TC_COOPERATIVE && boxes > 2 && !more.step
        && !more.swap && !more.any && !more.gate && !tc__gemm_quantised(more) && !tc__gemm_in_tile(more)
        && tc_gemm_sm90_plan_of(more).bytes <= TC__SM90_SMEM_MAX;
}

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
    c.consumers = c.consumers ? c.consumers : c.schedule != TC_COOPERATIVE ? 2 : rows == 64 ? 1 : rows == 192 ? 3 : 2;
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
    if (tc__gemm90_third_box(given, c)) c.epi_stages = 3;
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

/* TC_F32: are there registers for the sums of two units at a time? */
TC_HD TC_CONSTEXPR int tc__gemm90_f32_pairs(tc_gemm_config_in v)
{
    return tc__gemm_is_f32(v.a) && tc__gemm90_rows(v) == 64 && v.bn <= 64;
}

/* .promote of each block of k in tiles of n columns: are short sums held twice, so that the next block's products run
 * while this one's are added? Where a warpgroup has 64 rows, and registers for it. */
TC_HD TC_CONSTEXPR int tc__gemm90_ahead(tc_gemm_config_in v, int n)
{
    return v.promote == v.bk && !tc__gemm_is_f32(v.a) && !v.sparse && !tc__gemm90_lifts(v) && v.consumers <= 2
        && v.groups != TC_GROUPS_ARRAY && v.b_scale != TC_SCALE_1X128 && tc__gemm90_rows(v) == 64
        && v.bn / 2 + n <= 192;
}

/* Registers of a thread that hold sums: with .promote also the Tensor Cores', of 64 rows at a time where they are added
 * after each block of k; and factors of columns; of .sparse metadata and what goes with it; of an A from registers
 * these, and what their order at the end takes. */
TC_HD TC_CONSTEXPR int tc__gemm90_sums_held(tc_gemm_config_in v)
{
    const int lifted = !tc__gemm90_lifts(v) ? 0 : tc__gemm90_promotes(v) ? 16 : v.consumers == 3 ? 24 : 64;
    const int more = lifted + (v.sparse ? tc__gemm90_rows(v) / 4 : 0);
    const int sums = tc__gemm90_rows(v) * tc__gemm90_regs(v, v.bn) / 64 + more;
    if (!tc__gemm90_promotes(v)) return sums;
    if (v.sparse) return sums + tc__gemm90_rows(v) * v.bn / 128;
    if (tc__gemm90_f32_pairs(v)) return sums + v.bn;
    if (tc__gemm_is_f32(v.a)) return sums + v.bn / 2 + v.bn / 8; /* and a unit's parts of A */
    if (tc__gemm90_ahead(v, v.bn)) return sums + v.bn;
    return sums + (v.promote > v.bk ? sums : v.bn / 2) + (v.b_scale == TC_SCALE_1X128 ? v.bn / 4 : 0);
}

/* Do the accumulators want every register? .sparse, .conv, .gate, looked-up rows, promoted sums of groups: their
 * producer wants some too. */
TC_HD TC_CONSTEXPR int tc__gemm90_many(tc_gemm_config_in v)
{
    if (tc__gemm90_ahead(v, v.bn)) return 0; /* there is little beside them */
    return tc__gemm90_sums_held(v)
         > (v.sparse || v.conv || v.gate || tc__gemm90_gathers(v) || (v.groups && tc__gemm90_promotes(v)) ? 192 : 160);
}

/* Who gives slots back to whom: is it found out before the loop over k (tc__gemm90_giver)? Not where all threads read
 * of a slot, but with .sparse. */
TC_HD TC_CONSTEXPR int tc__gemm90_gives(tc_gemm_config_in c)
{
    const int clusters = c.cluster_m * c.cluster_n > 1 && !tc__gemm90_by_threads(c);
    return c.sparse || (clusters && !tc__gemm90_turning(c));
}

/* .step: may blocks of a cluster share A too? Of what is multiplied as it lies, and stored and nothing else. */
TC_HD TC_CONSTEXPR int tc__gemm90_step_shares_a(tc_gemm_config_in v)
{
    return v.cluster_n == 1
        || ((v.cluster_n == 2 || v.cluster_n == 4) && tc__gemm90_gives(v) && !tc__gemm_a_col(v) && !tc__gemm_b_row(v)
            && !v.sparse && !v.conv && !v.groups && !v.index && !v.gate && !tc__tiles_some(v) && !tc__gemm_scaled(v)
            && !tc__gemm_in_tile(v) && !tc__gemm_quantised(v) && !tc__gemm_outputs(v));
}

/* Are rows that an operand does not have left out (tc_gemm_sm90_edge.h)? Where tiles begin at multiples of their rows,
 * and where the producer has registers for it. Not in clusters of two dimensions: a block that has no rows at all waits
 * for nobody's bytes there, and gives its slots back a lap too soon to a neighbour who still waits for another one. */
TC_HD TC_CONSTEXPR int tc__gemm90_edged(tc_gemm_config_in c)
{
    return !c.any && !c.conv && !c.groups && !c.sparse && !c.weights && !c.index && !tc__tiles_some(c)
        && !tc__gemm_by_80(c) && !tc__gemm_is_f32(c.a) && !tc__gemm90_turning(c) && !tc__gemm90_lifts(c)
        && !(tc__gemm90_promotes(c) && tc__gemm90_many(c)) && !(c.cluster_m > 1 && c.cluster_n > 1);
}
TC_HD TC_CONSTEXPR int tc__gemm90_edged_a(tc_gemm_config_in c)
{
    return tc__gemm90_edged(c) && !tc__gemm_a_col(c);
}

/* And columns: not where a tile has two products', or where what is made of a row is of all of its columns. */
TC_HD TC_CONSTEXPR int tc__gemm90_edged_b(tc_gemm_config_in c)
{
    return tc__gemm90_edged(c) && !tc__gemm_b_row(c) && !c.gate && !tc__gemm_in_tile(c);
}

/* Is there a function for each width that the instruction has, or for every second one? */
TC_HD TC_CONSTEXPR int tc__gemm90_any_n(tc_gemm_config_in c)
{
    return tc__gemm_is_16(c.a) && !tc__gemm_a_col(c) && !tc__gemm_b_row(c);
}

/* May the parts of a tile be the blocks of a cluster, as the call picks, and send each other their sums through
 * distributed shared memory? They take the end of the ring, which then has fewer slots. */
enum { TC__GEMM90_JOIN_MOST = 8, TC__GEMM90_PLACE = 1024 }; /* blocks; bytes of 16 x 16 sums */
TC_HD TC_CONSTEXPR int tc__gemm90_joins(tc_gemm_config_in v)
{
    return v.split && (v.step || v.weights) && !v.any && !v.gate && v.cluster_n == 1 && v.cluster_k == 1;
}

/* ---------------------------------------------------------------------------------------------------------------------
 * What the kernel is given. Tensor maps have the dimensions (k or n, rows, batch); a and b are the instruction's.
 */
typedef struct tc_gemm_sm90_params {
    /* What a block reads before its first load and at the end of its only tile, in the first two lines of the
     * constants: each line of 64 bytes costs hundreds of cycles when it is first touched. */
    tc_tiles tiles;    /* of clusters; .m counts the instruction's rows */
    uint32_t works;    /* tiles, or their parts */
    uint32_t k_blocks; /* at least 1, or the parts that k is split into: past the end of k are zeros */
    int width, stages; /* .step, .any: of a tile, of the ring */
    int cluster;       /* .step: blocks of a cluster, along the instruction's rows */
    uint8_t waits;     /* for the kernel before (programmatic dependent launch), */
    uint8_t early;     /* but not with TC__GEMM90_EARLY_A, _B: what it does not write */
    uint8_t edges;     /* TC__GEMM90_EDGE_*: tiles have rows that A or B does not have (tc_gemm_sm90_edge.h) */
    int k_first;       /* where k starts; past the end if k is 0 */
    uint8_t a_batched, b_batched;   /* 0 where every batch uses the same matrix */
    uint8_t gathers;                /* A's rows are looked up: in place of its map, b with .swap, tc_gemm90_rows */
    uint8_t d_once;                 /* a block has one tile, which goes as tc_gemm_sm90_once.h says; 2: by two maps */
    uint8_t joined;                 /* parts of a tile are a cluster's (join_at) */
    uint8_t apart;                  /* neighbours are not the parts of a tile, but tiles of the same k */
    tc_divide shares;               /* .split: by a tile's parts, or, with apart, by the tiles of a part */
    tc_gemm_split split;
    uint8_t d_some;                 /* boxes lie inside D in part, and hooks ask which elements do */
    uint8_t c_ahead;                /* a tile's C comes to the L2 while its products are computed */
    uint32_t join_at, join_each;    /* parts of a tile are a cluster's: where a block keeps the sums that are sent to
                                     * it, from the ring on, and places of each part (0: they meet in the workspace) */
    uint32_t skip_slots, skip_laps; /* k_blocks modulo and divided by the ring's stages: another warpgroup's tile */
    int to_and_fro;                 /* every second tile of a block takes k from its end to its start */
    int d_by;                       /* how boxes go to D: TC__GEMM_D_* */
    uint8_t d_plain, d_clips;       /* by TMA, without C; TMA leaves out what a box has outside of D */
    uint8_t d_wide;                 /* and in the boxes of tc__gemm90_widened */
    uint8_t d_first;                /* D's lines leave the L2 first */
    int classes, copies;            /* .any: log2 of the classes of A's rows; 1: they are copied */
    int d_rows;                     /* .index: rows of D, and which of them */
    const int32_t *d_row;
    int a_rows, b_rows;             /* that a and b have; or more than any */
    tc_tmap a, b, d;
    tc_tmap a_edge, b_edge;         /* of the last rows */
    tc_gemm_out out;
    tc_scale_side a_scale, b_scale; /* of the instruction's A and B */
    tc_groups groups; /* tiles is then the order of one of them, works the most that there can be */
    tc_gemm_bricks weights;
    const char *meta;                /* .sparse: the same of metadata */
    long long meta_batch;
    int meta_rows, meta_along;
} tc_gemm_sm90_params;

enum { TC__GEMM90_EARLY_A = 1, TC__GEMM90_EARLY_B = 2 };
/* The last rows of A, of B have a map; and there are tiles with rows that do not exist. */
enum { TC__GEMM90_EDGE_A = 1, TC__GEMM90_EDGE_B = 2, TC__GEMM90_EDGE_ROWS = 4 };

/* May C of a tile be asked for when the tile begins? */
TC_HD TC_CONSTEXPR int tc__gemm90_asks_c(tc_gemm_config_in c)
{
    return !c.any && !c.gate && !(c.index & TC_INDEX_D) && c.groups != TC_GROUPS_ARRAY && c.consumers <= 2;
}

/* Are there registers for C of the next box beside the sums? Where there are not, C is for boxes that lie wholly inside
 * D. */
TC_HD TC_CONSTEXPR int tc__gemm90_holds_c(tc_gemm_config_in c)
{
    const int sums = tc__gemm90_rows(c) / 64 * tc__gemm90_regs(c, c.bn);
    return sums <= (c.consumers > 2 || tc__gemm_is_f32(c.a) || tc__gemm90_promotes(c) ? 64 : 128);
}

/* May a hook's box cross an edge of D? What does not exist is left out by a branch for each pair, or, of a hook that
 * writes nothing, done at the place of what does. Sums of integers, which become floats on the way, and values that
 * branches part are more than there are registers for: kernels spilled 2 to 5 KB, without branches 100 bytes; with
 * three warpgroups branches spilled 8 bytes. */
TC_HD TC_CONSTEXPR int tc__gemm90_asks_hooks(tc_gemm_config_in c)
{
    return tc__gemm_hooked(c) && tc__gemm_sums(c) != TC_S32 && !tc__gemm_outputs(c)
        && (c.epi_pure || c.consumers <= 2);
}

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
    tc_wgmma_fn mma;                       /* of .bn columns */
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
    int ring_room; /* with .gate, at the end of a tile: bytes of the ring (it knows half of the columns) */
} tc_gemm90_block;

/* A number of blocks in clusters. The grid is a line of clusters, so the cluster's number and the block's rank in it
 * need no special register, which ptxas would find by a division of floats. With .step a cluster has 1 or 2 rows. */
TC_DEV uint32_t tc__gemm90_per_cluster(tc_gemm_config_in c, const tc_gemm90_block *b, uint32_t blocks)
{
    const uint32_t n = (uint32_t)c.cluster_n;
    if (c.step) return c.cluster_m > 1 && b->cluster_m == 2 ? blocks / (2u * n) : blocks / n;
    return blocks / (uint32_t)(c.cluster_m * c.cluster_n * c.cluster_k);
}

/* This block's rank in its cluster. */
TC_DEV uint32_t tc__gemm90_rank(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    const uint32_t n = (uint32_t)c.cluster_n;
    if (c.step) return c.cluster_m > 1 && b->cluster_m == 2 ? blockIdx.x % (2u * n) : blockIdx.x % n;
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
    else if (c.step && c.cluster_m > 1 && b->cluster_m == 1) p.n = tc__gemm90_rank(c, b);
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
    b.stages = c.step || c.any || tc__gemm90_joins(c) ? p->stages : c.stages;
    b.ring = smem + (uint32_t)tc_gemm_sm90_plan_of(c).ring;
    b.slot = (uint32_t)tc__gemm90_slot_of(c, b.width, c.any && p->copies);
    b.pipe = tc_pipe_at(smem + (uint32_t)tc_gemm_sm90_plan_of(c).pipe, c.stages);
    b.cluster_m = c.step && c.cluster_m > 1 ? p->cluster : c.cluster_m;
    b.warp = tc_uniform(threadIdx.x / 32u);
    b.wg = (int)(b.warp / 4u);
    return b;
}

/* Are the parts of its tile a cluster? */
TC_DEV int tc__gemm90_joined(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    return tc__gemm90_joins(c) && b->p->joined;
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

enum { TC__SPARSE_LINES = 32 }; /* of 64 rows: .bm / .cluster_n is at most 256, .cluster_n 8 */

/* Both operands of one tile: where they come from, and which of them to fetch. */
typedef struct tc__gemm90_sources {
    tc_operand oa, ob;
    tc_operand_source a, b;
    uint32_t to_a, to_b; /* within a slot */
    int a_k, b_k;        /* of what is turned: the k of a box from which on it is this block's share */
    int k;               /* TC_GROUPS_K: where the group's begins, in its matrix of the map */
    tc_conv_pixel first; /* .conv: where the first row's first tap lies in X */
    uint32_t edge; /* TC__EDGE_*: what of this tile does not exist */
    const char *bricks[TC__SPARSE_LINES]; /* .sparse: where those of each 64 rows begin */
} tc__gemm90_sources;

/* What a fetch knows before it runs. */
typedef struct tc__gemm90_fetching {
    tc_gemm_config c;
    int which; /* constants: TC__GEMM90_EARLY_A, _B, or both; */
    int alone; /* nothing of B goes to another block; */
    int asks;  /* each copy asks whether there is anything to fetch, and for whom: a branch */
} tc__gemm90_fetching;

/* Has a block of a launch that picks its cluster no neighbour along the instruction's rows? */
TC_DEV int tc__gemm90_alone(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    return c.step && c.cluster_m > 1 && g->cluster_m == 1;
}
/* Does a copy of B go to the neighbours too? Where nothing is asked the caller has seen to it that there are some. */
TC_DEV int tc__gemm90_shares_b(const tc__gemm90_fetching f, const tc_gemm90_block *g)
{
    return !f.alone && (f.asks ? g->cluster_m > 1 : f.c.cluster_m > 1);
}

/* .groups: where the table of tiles lies. */
TC_DEV uint32_t tc__gemm90_table(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    return b->smem + (uint32_t)tc_gemm_sm90_plan_of(c).groups;
}

/* Tiles of all blocks, or their parts; of groups, once the table is there. */
TC_DEV uint32_t tc__gemm90_works(tc_gemm_config_in c, const tc_gemm90_block *b)
{
    if (!tc__gemm_in_rows(c)) return b->p->works;
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

/* TC_GROUPS_K: a group's k, and its blocks; without any one of zeros. */
typedef struct tc__gemm90_cut_k {
    int first, end;
    uint32_t blocks;
} tc__gemm90_cut_k;

TC_DEV tc__gemm90_cut_k tc__gemm90_cut(tc_gemm_config_in c, const tc_gemm90_block *b, int group)
{
    const tc_group_rows run = tc_groups_rows(0, &b->p->groups, group);
    const uint32_t blocks = ((uint32_t)(run.end - run.first) + (uint32_t)c.bk - 1u) / (uint32_t)c.bk;
    const tc__gemm90_cut_k x = {run.first, run.end, blocks ? blocks : 1u};
    return x;
}

/* .split: which tile, and which of its parts. */
typedef struct tc__gemm90_share {
    uint32_t tile, part;
} tc__gemm90_share;

TC_DEV tc__gemm90_share tc__gemm90_share_of(const tc_gemm_sm90_params *p, uint32_t index)
{
    const uint32_t q = tc_quotient(index, p->shares), r = index - q * p->shares.by;
    const tc__gemm90_share s = {p->apart ? r : q, p->apart ? q : r};
    return s;
}

/* Tile `index` as this block sees it. With cluster_k: its share of k, one of cluster_k about equal runs; so with
 * .split. */
TC_DEV tc_work tc_gemm90_work(tc_gemm_config_in c, const tc_gemm90_block *b, uint32_t index)
{
    const tc_gemm_sm90_params *p = b->p;
    const tc_gemm_split *split = &p->split;
    const tc__gemm90_share share = tc__gemm90_share_of(p, index);
    const uint32_t tile = c.split ? share.tile : index, part = c.split ? share.part : tc__gemm90_rank(c, b);
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

/* Those who may write into this block's slots, number t: the blocks of its column of the cluster, itself among them,
 * then the others of its row. */
TC_DEV uint32_t tc__gemm90_writer(tc_gemm_config_in c, const tc_gemm90_block *g, uint32_t t)
{
    const uint32_t m = (uint32_t)g->cluster_m;
    const tc__gemm90_place at = tc__gemm90_place_of(c, g);
    return t < m ? at.n * m + t : at.m + (t - m < at.n ? t - m : t - m + 1u) * m;
}

/* Gives a slot back to all of them. */
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
        const uint32_t to = tc__gemm90_writer(c, g, t);
        /* this block's producer writes what this warp has read, or wgmma for it */
        if ((c.any && to == at.m) || ((c.sparse || tc__gemm90_gathers(c)) && to == at.n * m + at.m))
            tc_mbarrier_arrive(empty);
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

TC_DEV_SM90 tc__gemm90_giver tc__gemm90_giver_of(tc_gemm_config_in c, const tc_gemm90_block *g)
{
    const uint32_t t = threadIdx.x % (c.sparse ? 32u : 128u);
    const uint32_t m = (uint32_t)g->cluster_m, n = (uint32_t)c.cluster_n;
    tc__gemm90_giver give = {0, 0, g->pipe.empty};
    if (!tc__gemm90_gives(c)) return give;
    give.own = m * n == 1u ? t == 0u : t == tc__gemm90_place_of(c, g).m;
    give.other = m * n > 1u && t < m + n - 1u && !give.own;
    if (give.other) give.empty = tc_mapa(g->pipe.empty, tc__gemm90_writer(c, g, t));
    return give;
}

TC_DEV_SM90 void tc__gemm90_give(tc_gemm_config_in c, const tc_gemm90_block *g, const tc__gemm90_giver *give,
                                 uint32_t stage, int on)
{
    if (!tc__gemm90_gives(c)) {
        if (on) tc__gemm90_release(c, g, stage);
    } else {
        if (c.sparse) __syncwarp(); /* each warp has read of it */
        tc__mbarrier_arrive_if(give->own && on, give->empty + stage * 8u);
        tc__mbarrier_arrive_cluster_relaxed_if(give->other && on, give->empty + stage * 8u);
    }
}

typedef struct tc__gemm90_loop_state {
    tc_gemm90_consumer *u;
    float *acc;
    uint32_t last; /* the slot that is to be given back */
    int asks;      /* for C, once the first operands are there */
} tc__gemm90_loop_state;

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_PLAN_H */
