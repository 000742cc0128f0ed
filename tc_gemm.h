/* tc_gemm.h - tc 0.2.0 - generated GEMM kernels with your epilogue. Needs: the headers below; sm_75 to sm_120, best on
 * sm_90a; on sm_100a and its like by tcgen05.
 *
 *     D = epi(alpha * A * B + beta * C)       A: m x k row-major; B: k x n column-major (that is n rows of k); C, D: m
 *                                             x n row-major; or in other layouts, see LAYOUTS
 *
 *     #include "tc.h"
 *     typedef struct { const float *bias; } my_args;
 *     TC_DEV float bias_relu(float x, tc_gemm_at at, const void *args)
 *     {
 *         return tc_relu(x + ((const my_args *)args)->bias[at.col]);
 *     }
 *     TC_GEMM_DEFINE(gemm_bias_relu, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = bias_relu,
 *                    .epi_size = sizeof(my_args))
 *     ...
 *     my_args mine = { bias };
 *     tc_gemm_args args = { .m = m, .n = n, .k = k, .a = A, .lda = k, .b = B, .ldb = k, .d = D, .ldd = n,
 *                           .epi_args = &mine, .epi_size = sizeof mine };
 *     tc_status st = gemm_bias_relu_run(&args, stream);
 *
 * GENERATORS (NAME, then fields of tc_gemm_config, in any order)
 *     TC_GEMM_DEFINE        one call for every device: six Hopper kernels, three for Blackwell, two for the sm_120
 *                           family and three for sm_80; picks at run time
 *     TC_GEMM_SM90_DEFINE   TMA, wgmma, warp-specialised, persistent; sm_90a. Tile, stages, cluster, schedule are
 *                           fields; so are what a call may pick (.step: a tile's width, .split: parts of k) and .swap,
 *                           which turns a tile on its side for few rows of D. With .weights and without .step: .bm
 *                           is 16 for few rows, 256 for many; .bn 64 for each consumer (4 where .bm is 64 or less).
 *     TC_GEMM_SM90_ANY_DEFINE
 *                           the same for rows of A and B of any alignment, which TMA refuses (tc_gemm_sm90_any.h).
 *                           .bm: a tile's rows of D (224, with .epi2 192), .bn: 64 or 128 (128).
 *     TC_GEMM_SM100_DEFINE  TMA, tcgen05, tensor memory; sm_100a, 103a and their like: tc_gemm_sm100.h is its manual.
 *                           Also fp8, fp6 and fp4 in any mix, mxfp8, mxfp6, mxfp4 and nvfp4 with factors (.sf), and
 *                           packed weights (.weights)
 *     TC_GEMM_SM120_DEFINE  TMA, ldmatrix, mma.sync, warp-specialised, persistent; sm_120, sm_121: tc_gemm_sm120.h is
 *                           its manual. Also fp6 and fp4, and mxfp8, mxfp6, mxfp4 and nvfp4 with factors (.sf)
 *     TC_GEMM_SM80_DEFINE   cp.async, ldmatrix, mma.sync; sm_80 and every later target; any alignment. With .weights:
 *                           .bk is 64 or 128, .bn a multiple of 64, .bm 16 or 32 for few rows
 *   Not all of D, of k, of A may be there: .triangle (syrk), .tile and .keep, .k_range (trmm), .bsr (block-sparse A):
 *   tc_gemm_tiles.h is the manual.
 *   A or B may be 2:4 sparse: .sparse = TC_SPARSE_A or TC_SPARSE_B, with args.meta (tc_gemm_sparse.h is the manual).
 *   B may be packed weights of 4 or 8 bits, for all generators but TC_GEMM_SM120_DEFINE and _ANY_DEFINE: .weights =
 *   TC_S4, .weights_k = 128 beside .b, the 16-bit type that they are multiplied as (tc_weights.h is the manual). args.b
 *   is then what tc_weights_pack wrote, the same bytes for every device from sm_80 on, ldb 0, k a multiple of
 *   .weights_k, stride_b in bytes. A and D are row-major, sums in f32, D f16, bf16 or f32. TC_GEMM_DEFINE takes
 *   Hopper's and Blackwell's kernels for them; the sm_80 ones on all other devices, for rows of A that TMA refuses,
 *   with .groups and .index, and on Blackwell with .aux, .row_sum, .col_sum and .all_sum.
 *   Each declares:
 *     NAME                            the kernel (for TC_GEMM_DEFINE NAME_wide, _pair, _few, _flat, _small,
 *                                     _any, _sm80, _sm80_small, _pair100, _half100, _one100, _large120, _small120,
 *                                     _sm75)
 *     NAME_any                        TC_GEMM_SM80_DEFINE (TC_GEMM_DEFINE: NAME_sm80_any): its twin for rows of any
 *                                     alignment
 *     NAME_THREADS, NAME_SMEM         its block size and dynamic shared memory in bytes (not for TC_GEMM_DEFINE)
 *     tc_status NAME_can_run(const tc_gemm_args *args, const char **why)    checks only; *why (may be NULL) gets the
 *                                                                           sentence
 *     tc_status NAME_run(const tc_gemm_args *args, cudaStream_t stream)     checks, then launches
 *     size_t NAME_workspace(const tc_gemm_args *args)                       bytes of workspace that the call would use
 *     tc_status NAME_plan(const tc_gemm_args *args, tc_gemm_plan *plan)     checks, and writes the launch down
 *     tc_status NAME_launch(const tc_gemm_plan *plan, cudaStream_t stream)  launches it
 *
 * OTHER FILES. TC_GEMM_DECLARE(NAME); declares these five, which have C's linkage, in another file, a C file too. A
 * generator in a header that several files include: define TC_STATIC_ENTRIES, and each has its own.
 *
 * PLANS. What a call finds out - is it in order, which kernel, which cut, the tensor maps - holds for the next call of
 * the same shape too. NAME_plan finds out once, and NAME_launch asks which device is current, launches, and no more:
 *     tc_gemm_plan plan;                             about 2 KB, at most 2688 bytes
 *     tc_status st = gemm_plan(&args, &plan);        on error tc_why() as ever, and NAME_launch refuses the plan
 *     for (;;) st = gemm_launch(&plan, stream);      the same bits as gemm_run's
 *     other.a = X; st = tc_gemm_plan_pointers(&plan, &other);    any generator's: another a, b, b2, c, d, epi_args
 *   A plan is a plain struct: copy it, keep thousands, throw it away; there is nothing to free. alpha, beta and the
 *   hook's arguments are copied into it; the matrices and the workspace are the caller's, and stay where they are. It
 *   belongs to the process, the device and the generator it was made with; another device or generator is refused. Any
 *   number of threads may launch one at a time, but for its workspace, which serves one call at a time.
 *   tc_gemm_plan_pointers reads a, b, b2, c, d, epi_args of its args and nothing else (what the plan does not read, not
 *   even those). A pointer must have the alignment of the one before, up to 16 bytes (fp6 and fp4 that become bytes:
 *   32): a kernel was chosen by that (a where TMA refuses A: be as far from a multiple of 16 bytes). On error the plan
 *   is as it was.
 *
 * TYPES. On Hopper f16, bf16, tf32 (.round 0), e4m3, e5m2, s8 and u8 (to other types than s8) go to wgmma, the rest to
 * the sm_80 kernels, which TC_GEMM_DEFINE takes for it there; so do rows that TMA refuses, but of f16 and bf16.
 * BLACKWELL. The same types without .a_scale and .b_scale go to tcgen05 (integers on 10.0 and 11.0 alone), the rest and
 * all rows that TMA refuses to the sm_80 kernels; so does everything in a build without an a target of the device,
 * which PTX for sm_80 has always served there. args.choice is Hopper's and not used. Proven in
 * tcemu; no such board was at hand.
 * SM_120. On 12.x, in a build for sm_120a or sm_121a, f16, bf16, tf32 (.round 0), e4m3, e5m2, s8 and u8 (not to s8) go
 * to kernels with TMA (tc_gemm_sm120.h), all else, and rows that TMA refuses, to the sm_80 kernels. As above it is
 * proven in tcemu alone.
 *     .a .b                   products and sums           .d                           tile of k (.bk; the most)
 *     TC_F16, TC_BF16         f32                         TC_F16 TC_BF16 TC_F32        64
 *     TC_TF32: f32 elements   tf32 (10 bits of mantissa)  TC_F16 TC_BF16 TC_F32        32
 *                             in f32
 *     TC_F32                  f32, see below              TC_F16 TC_BF16 TC_F32        32
 *     TC_E4M3 TC_E5M2, any    f32                         TC_F16 TC_BF16 TC_F32        128
 *     TC_S8 TC_U8, any pair   s32, which wraps around     the same, TC_S32, TC_S8      128
 *     TC_S4 TC_U4, any pair   the same, see below         the same                     256
 *     TC_B1, with .op         the same, see below         the same                     1024
 *     TC_F64                  f64                         TC_F64                       16
 *   TC_TF32: the hardware cuts f32 elements off to tf32; .round = 1 rounds them to the nearest (half away from zero)
 *   for an instruction an element. Elements are f32 in memory, of any value.
 *   TC_F32: to f32's precision, in three products of tf32 (tc_gemm_f32.h): errors of the order of f32 sums in one loop,
 *   infinities and NaN as f32 has them. Of elements below 2^-112 bits are lost, 2^-137 at most. On Hopper .bk is 32,
 *   the schedule cooperative, without clusters and with one width. No .round, no .sparse.
 *   Integers: the sum (where k is split, a part's) becomes f32 (to the nearest), then alpha, beta * C and the hook as
 *   ever; D of an integer type is rounded to the nearest (ties to even) and stops at the type's ends, and NaN becomes
 *   0. But D = TC_S32 without a hook and with alpha = 1 and beta = 0 or 1 is exact: sum, or sum + C, in integers that
 *   wrap around.
 *   C has D's type, or with .c_type = TC_F16, TC_BF16 or TC_F32 another one of these, beside a D of these or a
 *   quantised one: a residual in f32 beside D in bf16, weights in bf16 beside a D that is kept in f32. c, ldc and
 *   stride_c are then of that type's elements.
 *   TC_E4M3, TC_E5M2 by wgmma: the Tensor Cores' own sums have about 14 bits. Every .promote elements of k (128; a
 *   multiple of .bk) they are added to sums in f32, as cuBLASLt does without fast accumulation. .promote = TC_FAST does
 *   not, is faster, and loses bits as k grows. With .promote equal to .bk 64 rows of a tile are added at a time; each
 *   width that .step gives takes nvcc about a second.
 *   FACTORS. .a_scale, .b_scale = TC_SCALE_1X128 (a float for each 128 of k of each row of A, column of B) or
 *   TC_SCALE_128X128 (for each 128 of k of 128 of them): args.a_scale and .b_scale say where they lie, in any strides.
 *   A block's sums are multiplied by both on their way to f32. As PyTorch and DeepGEMM lay them out, A's m x k / 128
 *   with rows together (pitch mp), B's n / 128 x k / 128 with k together (pitch kp):
 *       .a_scale = { sa, .lines = 1, .blocks = mp }, .b_scale = { sb, .lines = kp, .blocks = 1 }
 *   A factor for a whole row or column is a hook's: tc_epi_scale_row, tc_epi_scale_col.
 *   .acc = TC_F16 (TC_F16, TC_E4M3, TC_E5M2): sums in f16, of half the registers, each instruction rounded to 11
 *   bits; past 65504 they are infinite. Where k is split, each part's sums become f32, and parts are added in f32; so
 *   are alpha, beta * C and hooks. Of TC_F16 Hopper has them by wgmma, but with .sparse, .weights and rows that TMA
 *   refuses; two warpgroups then have room for tiles of 256 x 256. Of 8-bit floats they are mma.sync's everywhere, and
 *   of both on sm_120 (TC_GEMM_SM120_DEFINE).
 *   TC_S4, TC_U4, TC_B1: packed as tight as they are, the first element in the lowest bits of a byte (tc_element_get
 *   of tc_types.h). Sizes and pitches are elements as ever; k, lda, ldb, stride_a and stride_b are whole bytes:
 *   multiples of 2, of 8 of TC_B1. m and n are free, and rows may begin at any byte. What lies behind k in a row is not
 *   read. .op says what a sum counts along k of TC_B1, bits that differ (TC_XOR) or that are 1 in both (TC_AND):
 *       TC_GEMM_DEFINE(distance, .a = TC_B1, .b = TC_B1, .d = TC_S32, .op = TC_XOR)
 *   All of it by the sm_80 kernels, on every device: A in rows, B in columns; D, hooks, alpha, beta, C, batches,
 *   TC_GROUPS_ROWS and _MASKED and .index as TC_S8 has them. No .sparse, .bsr, .k_range, convolutions, TC_GROUPS_K and
 *   _ARRAY. Tensor Cores have 4 bits up to sm_89 and TC_B1 up to sm_90; later ones multiply the same numbers as s8 and
 *   u8, which they become in registers, exactly (PARTS in tc_gemm_sm80_mma.h), and NAME_can_run says so in *why.
 *   TC_E4M3, TC_E5M2: mma.sync has them from sm_89 on. Before, the sm_80 kernels make f16 of them in registers, exactly
 *   (PARTS in tc_gemm_sm80_mma.h), and NAME_can_run says so in *why, beside TC_OK; but not with .sparse, which wants
 *   sm_89. Hopper's mma.sync makes f16 of them too, slowly.
 *   TC_F64: alpha64 and beta64 stand in place of alpha and beta; no hooks.
 *
 *   NO TENSOR CORES for a type (before sm_80 all but f16, s8, u8, s4, u4 and TC_XOR): TC_GEMM_DEFINE multiplies on CUDA
 *   cores (tc_gemm_simt.h, built for targets before sm_80), exactly, in sums of f32, f64 or s32. That is slow, and
 *   NAME_can_run says so in *why, beside TC_OK.
 *
 * LAYOUTS. .a_layout, .b_layout, .d_layout = TC_ROW (neighbours of a row lie together) or TC_COL (of a column). Left
 * out: A and D TC_ROW, B TC_COL. A pitch is the distance between the lines that lie together, so lda >= m of an A in
 * columns, ldb >= n of a B in rows, ldc and ldd >= m of C and D in columns; C has D's layout. Hooks see D's row and
 * column whatever its layout; .epi2 wants D in rows. Every mix of every type runs on every device; of 8 and 32 bits
 * Hopper turns A in columns and B in rows in shared memory, which costs some speed. TC_GEMM_SM90_ANY_DEFINE takes the
 * default alone: rows that TMA refuses in other layouts are the sm_80 kernels'. BLAS's column-major C = A * B: all
 * three TC_COL; its transposed A is .a_layout = TC_ROW, its transposed B .b_layout = TC_ROW.
 *
 * GROUPS (mixture of experts). .groups = TC_GROUPS_ROWS, or for decoding TC_GROUPS_MASKED, makes of one launch many
 * products, each with a B of its own and with as many rows of A and D as the device alone knows:
 *     .m = rows of all groups, ..., .stride_b = (int64_t)n * k, .groups = { .count = 64, .offsets = offsets }
 *   Their backward pass: TC_GROUPS_K cuts k at such bounds, and each group has a D of its own. TC_GROUPS_ARRAY: sizes,
 *   pointers and pitches of each product, or pointers alone, in device memory:
 *     .m = most rows, .n = n, .k = k, .lda = k, .ldb = k, .ldd = n,
 *     .groups = { .count = 64, .each = { .m = rows_of_each, .a = as, .b = bs, .d = ds } }
 *   The manual stands above tc_gemm_groups in tc_gemm_config.h.
 *
 * MORE THAN D. .aux = TC_BF16, .aux_what = TC_AUX_PRE (or .aux_epi = hook) writes a second matrix, of 1 to 32 bits an
 * element, in D's layout or across it (.aux_layout); .row_sum = TC_SUM, TC_SUM_SQ, TC_MAX_ABS, TC_MAX or TC_LOG_SUM_EXP
 * a float for each row of D, .all_sum one for all of it: the manual stands above TC_AUX_PRE in tc_gemm_config.h. Sums
 * of columns, .col_sum, and a D that is quantised, .d = TC_E4M3, .d_scale = TC_SCALE_1X128: tc_gemm_quant.h.
 *
 * ROWS. .rows = TC_SOFTMAX or TC_LOG_SOFTMAX, .top = 8: D's rows as probabilities and the largest of each, where a row
 * lies in one tile (n up to 256, or .bn): tc_gemm_rows.h. Wider rows: a product of any generator, and TC_ROWS_DEFINE
 * behind it (tc_rows.h).
 *
 * WORKSPACE. With few tiles and a long k most multiprocessors have nothing to do, unless blocks share a tile: each adds
 * up a part of k and leaves its sums in args.workspace (tc_split.h). It is the caller's, for a call allocates nothing:
 *     size_t room = gemm_workspace(&args);           0: k is not split, or args break a rule; the most of all shapes
 *     void *w = NULL;
 *     if (room) cudaMalloc(&w, room);                once
 *     args.workspace = w;
 *     args.workspace_size = room;                    with less, k is split less; with none, by clusters alone
 *     tc_status st = gemm_run(&args, stream);        and again, for any shape, by any generator's kernel
 *   It may hold anything before its first use (tcemu wants it written: cudaMemset). Between calls leave it alone, or
 *   write all of it. It serves one call at a time: a stream's, one after the other, with PDL too. What runs side by
 *   side needs a workspace each. Kernels with .split only: of TC_GEMM_DEFINE's wide, few, flat and any, half100, one100
 *   and small120. With .step or .weights 2 to 8 parts of a tile may be a cluster's blocks instead, which takes none.
 *
 * CHOICE. args.choice sets what the kit would pick (tc_gemm_choice.h has its model of time), 0 for what it shall pick:
 * .kernel (TC_GEMM_DEFINE's, in the order above from 1 on; without it the other fields do not count there), .width (a
 * multiple of .step), .cluster (.step: 1 or the configuration's), .parts (.split: fails if they do not fit the
 * workspace), .meet (where parts add up: TC_MEET_WORKSPACE, or TC_MEET_CLUSTER: as the blocks of a cluster, which takes
 * no workspace), .blocks (at most so many clusters run). What cannot be is refused. The sm_80 kernel reads none.
 *
 * PDL. args.pdl = 1: the kernel may start while the one before it in the stream drains, sets itself up and waits for it
 * before it reads or writes anything. 0: the same on Hopper where it pays, which is in calls of less than 0.1 ms that
 * do not wait for the memory alone (tc_gemm_choice.h; not with .groups and rows that TMA refuses; with .weights where
 * multiprocessors are left over). -1: never. With args.pdl = 1 and args.pdl_constant = TC_CONSTANT_B (or _A, or both)
 * it does not wait for that operand: say so of weights, which nobody writes. It must be written by no kernel that may
 * still run: in a chain of such kernels that is not the one before alone, for the next may start before the last but
 * one has ended. Of Hopper's kernels; Blackwell's of tcgen05 take part in PDL, and wait for all operands.
 *
 * LAUNCH BY YOURSELF (kernels from NVRTC; C or C++, docs/guide.md)
 *     tc_gemm_sm90_prepare(config, args, clusters, &launch)    checks both; tc_gemm_sm90_launch: grid, block, smem,
 *                                                              cluster, pdl, params
 *     tc_gemm_sm80_prepare(config, args, blocks, &launch)      the same; .any: launch NAME_any
 *     tc_epi_on_device, tc_epi2_on_device                      what .epi or .epi2 of that config is for a kernel with a
 *                                                              hook; tc_gate_on_device: .gate;
 *                                                              tc_gemm_tile_on_device, _keep_, _k_: .tile, .keep,
 *                                                              .k_range
 *
 * FEWER KERNELS. All of them take nvcc about 20 seconds. TC_GEMM_DEFINE's .shapes says for which shapes to compile:
 *     .shapes = TC_SHAPES_LARGE                 wide, pair, tall, three, pair160, pair176 half of the time
 *     .shapes = TC_SHAPES_FEW_ROWS              few, flat                           a third
 *     .shapes = TC_SHAPES_SMALL                 wide, small, crowd                  a third
 *     .shapes = ... | TC_SHAPES_UNALIGNED       and rows that TMA refuses: any, sm80_any
 *   in any combination; 0, which is what it is when left out, for all. Any shape still runs, by the best of the kernels
 *   that are there; choice->kernel of another is refused, and without TC_SHAPES_UNALIGNED so are A and B that break
 *   TMA's rules (rows, batches, bases that are no multiples of 16 bytes). A hint that is wrong costs time and no more.
 *
 * TC_SM80_ON_HOPPER: a build without sm_90a code runs TC_GEMM_DEFINE's sm_80 kernels on Hopper, at half the rate.
 *
 * NAME_run and NAME_launch are asynchronous, allocate nothing, synchronise nothing, may be captured in a graph and
 * called from any thread. On error nothing is launched, D is untouched, and tc_why() names the argument, its value and
 * the rule.
 *
 * HOOKS (plain TC_DEV functions; copy and change them). x is alpha * (A*B) + beta * C in f32; at is its place: .row,
 * .col of D, .batch, .group.
 *     .epi  = float    f(float x, tc_gemm_at at, const void *args)
 *     .epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args)    at.col is even, x.y belongs to at.col + 1; n
 *                                                                        must be even
 *     Shipped: tc_epi_bias_col _bias_row _relu _gelu _gelu_tanh _silu _scale_row _scale_col _residual_{f32,f16,bf16},
 *     and as pairs tc_epi2_bias_col _bias_relu _bias_gelu _bias_gelu_tanh _residual_{f16,bf16}; activations tc_relu
 *     tc_gelu tc_gelu_tanh tc_silu. args points to a copy of *epi_args made at the call (at most TC_EPI_MAX bytes),
 *     which lies in constant memory. A hook that writes nothing may say so, .epi_pure = 1, as shipped ones do: at D's
 *     edges it is then called without a branch, for what does not exist at the place of what does.
 *     .gate = float f(float gate, float up, tc_gemm_at at, const void *args)    two products of one A, and one D, as
 *     SwiGLU is, with args.b2. Shipped: tc_gate_silu _gelu _gelu_tanh (tc_gemm_gate.h is the manual).
 *
 * PARTS for your own kernels (tier 2)
 *     tc_operand.h    blocks of A and B in shared memory, their loaders and tensor maps
 *     tc_pipe.h       rings of slots, roles and registers of warpgroups
 *     tc_work.h       which tile comes when
 *     tc_split.h      how blocks that share a tile meet
 *     tc_epi.h        activations, shipped hooks, fragments to memory
 *
 * RULES of TC_GEMM_SM90_DEFINE for the data (the other kernels have none): A and B: base a multiple of 16 bytes, pitch
 * and batch stride a multiple of 16 bytes (8 elements of 16 bits). C and D may lie anywhere: where TMA refuses D, warps
 * write its rows; where it would refuse C, the way to D is slower.
 *
 * ORDER OF SUMS, SAME BITS. Accumulation is in f32. An instruction adds up 16 products in the hardware's way;
 * instructions follow one another from k = 0 on. Two exceptions. In Hopper kernels, where k is 2048 or more and
 * there are more than two tiles a block, every second tile that a block computes takes k in steps of .bk from the last
 * step to the first (each step from its start): what the tile before read last is still in the L2. And where k is split
 * (.cluster_k, .split), each run of k is summed up by itself, and these sums are added in the order of k.
 *   Two calls with the same arguments, matrices, choice and workspace_size (0 if workspace is null) on the same device
 * give the same bits, whatever else runs there. Another workspace_size, another m, n or batch, another number of
 * multiprocessors may cut the work in another way, and round in another way: a row of D need not have the same bits in
 * every batch that it is computed in. It has where .choice fixes .width and .parts (and .kernel), or the configuration
 * has neither .step nor .split, and k is below 2048 or no block has more than two tiles.
 */
#ifndef TC_GEMM_H
#define TC_GEMM_H

#include "tc_gemm_check.h"
#include "tc_gemm_config.h"
#include "tc_gemm_shapes.h"
#include "tc_gemm_sm80.h"
#include "tc_gemm_simt.h"
#include "tc_gemm_sm90.h"
#include "tc_gemm_sm90_auto.h"
#include "tc_gemm_sm90_parts.h"
#include "tc_gemm_sm100.h"
#include "tc_gemm_sm120.h"
#include "tc_gemm_sm120_auto.h"
#include "tc_gemm_plan.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: its Blackwell kernels: X(name, own, tile, (columns, blocks that multiply together, split, shapes)).
 */
/* table, one row a line */
#define TC__GEMM100_TILES(X, name, own)                                                                               \
    X(name, own, pair100, (256, 2, 0, TC_SHAPES_LARGE)) /* many tiles */                                              \
    X(name, own, half100, (128, 2, 1, TC__SHAPES_WIDE)) /* fewer; k split where they are few */                       \
    X(name, own, one100, (64, 1, 1, TC_SHAPES_FEW_ROWS | TC_SHAPES_SMALL)) /* few: more blocks have work */

typedef struct tc__gemm100_tile {
    int columns, together, split, shapes;
} tc__gemm100_tile;
enum { TC__GEMM100_TILE_COUNT = 0 TC__GEMM100_TILES(TC__GEMM_COUNT_TILE, unused, unused) };

/* The configuration that a line of the list makes of the user's; where they serve it not, one that is never called. */
TC_HD TC_CONSTEXPR tc_gemm_config tc__gemm100_tiled(tc_gemm_config_in given, const tc__gemm100_tile t)
{
    tc_gemm_config c = given;
    const int turned = tc__gemm_d_col(given);
    if (!tc__gemm100_serves(c)) c = tc__gemm_undone(c);
    c = tc__gemm_all_tiles(c);
    c.promote = 0;
    if (c.weights) { /* packed ones are the instruction's rows by themselves: t.columns of D's rows */
        c.bm = t.columns == 64 ? 16 : t.columns == 128 ? 64 : 256;
        c.split = 1;
        return tc_gemm_sm100_config(c);
    }
    c.bm = turned ? t.columns : TC__GEMM100_ROWS;
    c.bn = turned || (tc__gemm_quantised(c) && t.columns < 128) ? TC__GEMM100_ROWS : t.columns;
    c.cluster_m = turned ? 1 : t.together, c.cluster_n = turned ? t.together : 1;
    c.split = t.split && !c.groups && !tc__gemm_quantised(c);
    return tc_gemm_sm100_config(c);
}

/* ---------------------------------------------------------------------------------------------------------------------
 * Host: the choice.
 */
#if !defined(__CUDACC_RTC__) && !defined(TC_NO_HOST)

static const tc__gemm_tile tc__gemm_tiles_of[TC__GEMM_TILE_COUNT] TC_UNUSED = {
    TC__GEMM_TILES(TC__GEMM_TILE_ROW, unused, unused)};

/* The best of the list for a call: which, from 1, and how it is cut. */
TC_HOST tc_gemm_choice tc__gemm_search(const tc_gemm_config *given, const tc_gemm_args *g, const tc__device *on)
{
    const tc__gemm_device device = tc__gemm_device_of(on->sms, on->bandwidth);
    const tc__gemm_best search = {&device, g->workspace ? g->workspace_size : 0, 0};
    tc_gemm_choice best = {0, 0, 0, 0, 0, 0};
    double best_time = 0;
    int i;
    for (i = 0; i < TC__GEMM_TILE_COUNT; i++) {
        const tc_gemm_config c = tc__gemm_tiled(*given, tc__gemm_tiles_of[i]), v = tc_gemm90_view(c);
        const tc__gemm_problem x = tc__gemm90_problem(&c, g);
        tc_gemm_cut cut = {v.bn, 1, 0, 1, 0, 0, 0, 0, 0, 0};
        double t;
        if (!tc__gemm_serves(*given, tc__gemm_tiles_of[i].shapes)) continue;
        if (!tc__gemm_line_ok(*given, tc__gemm_tiles_of[i])) continue;
        t = tc__gemm90_best(&v, &x, &cut, &search);
        if (best.kernel && t >= best_time) continue;
        best_time = t;
        best.kernel = i + 1;
        best.width = cut.width, best.cluster = v.step ? cut.cluster : 0, best.parts = cut.parts;
        best.meet = cut.joined ? TC_MEET_CLUSTER : cut.parts > 1 ? TC_MEET_WORKSPACE : 0;
    }
    return best;
}

TC_HOST tc_gemm_choice tc__gemm_choose(const tc_gemm_config *given, const tc_gemm_args *g, const tc__device *on)
{
    static tc__gemm_memo memos[TC__GEMM_MEMOS];
    const uint64_t key = tc__gemm_hash(given, g, on);
    tc__gemm_memo *memo = &memos[key % TC__GEMM_MEMOS];
    uint64_t answer = TC__LOAD_RELAXED(&memo->answer);
    tc_gemm_choice c;
    if (!answer || (TC__LOAD_RELAXED(&memo->mixed) ^ answer) != key) {
        c = tc__gemm_search(given, g, on);
        answer = (uint64_t)c.meet << 40 | (uint64_t)c.kernel << 32 | (uint64_t)c.width << 16 | (uint64_t)c.cluster << 8
               | (uint64_t)c.parts;
        TC__STORE_RELAXED(&memo->answer, answer);
        TC__STORE_RELAXED(&memo->mixed, answer ^ key);
    }
    c.kernel = (int)(answer >> 32 & 0xff), c.meet = (int)(answer >> 40), c.width = (int)(answer >> 16 & 0xffff);
    c.cluster = (int)(answer >> 8 & 0xff), c.parts = (int)(answer & 0xff);
    c.blocks = 0;
    return c;
}

/* A kernel as the host sees it. */
TC_HOST tc__kernel tc__gemm_sm90_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const int cluster = c->step ? 1 : c->cluster_m * c->cluster_n * c->cluster_k; /* .step: as the call picks */
    const tc__kernel k = {f.function, f.name, tc_gemm_sm90_threads(*c), tc_gemm_sm90_smem(*c), cluster, 90, cache};
    return k;
}

TC_HOST tc__kernel tc__gemm_sm80_kernel(const tc_gemm_config *c, tc__function f, tc__kernel_cache *cache)
{
    const tc__kernel k = {f.function, f.name, tc_gemm_sm80_threads(*c), tc_gemm_sm80_smem(*c), 1,
                          tc__gemm80_least(*c), cache};
    return k;
}

/* What a generator's functions for the host do with its kernels: one; NAME and NAME_any; the tiles of the list, then
 * those two. A build without sm_90a code refuses on Hopper (TC_ERR_IMAGE, with the -gencode line to add) rather than
 * run at half the rate without a word, unless TC_SM80_ON_HOPPER is defined. */
TC_HOST tc_status tc__gemm_sm90_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm90_kernel(c, s->f[0], &s->cache[0]);
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm90_params);
    return tc__gemm_sm90_run(c, &k, args, how);
}

TC_HOST tc_status tc__gemm_sm90_any_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                       const tc__launch *how)
{
    const tc__kernel k = tc__gemm_sm90_kernel(c, s->f[0], &s->cache[0]);
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm90_any_params);
    return tc__gemm_sm90_any_run(c, &k, args, how);
}

/* What a caller should know of the sm_80 kernels: elements for which the device has no instruction become wider. */
TC_HOST const char *tc__gemm80_note(const tc_gemm_config *c)
{
    tc__device on = {0, 0, 0, 0};
    if (tc__device_now(&on) != cudaSuccess) return "";
    if (tc__gemm_is_fp8(c->a) && !c->weights && on.cc < 89)
        return "this device's Tensor Cores lack 8-bit floats, which become f16 in registers, exactly";
    if ((tc__gemm_is_4(c->a) && on.cc >= 90) || (c->a == TC_B1 && on.cc >= 100))
        return "this device's Tensor Cores lack elements of less than a byte, which become 8-bit integers in registers";
    return "";
}

TC_HOST tc_status tc__gemm_sm80_go(const tc_gemm_config *c, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    tc_status st;
    tc__kernel k[2];
    k[0] = tc__gemm_sm80_kernel(c, s->f[0], &s->cache[0]);
    k[1] = s->f[1].function ? tc__gemm_sm80_kernel(c, s->f[1], &s->cache[1]) : k[0];
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm80_params);
    st = tc__gemm_sm80_run(c, k, args, how);
    if (st == TC_OK && how->note) *how->note = tc__gemm80_note(c);
    return st;
}

/* The line of the list that args->choice names, for a checked call that computes something and follows TMA's rules. */
TC_HOST tc_status tc__gemm_tiles_go(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                    const tc__launch *how)
{
    const int i = args->choice->kernel - 1;
    const tc_gemm_config c = tc__gemm_tiled(*given, tc__gemm_tiles_of[i]);
    const tc__kernel k = tc__gemm_sm90_kernel(&c, s->f[i], &s->cache[i]);
    if (how->plan) how->plan->bytes = sizeof(tc_gemm_sm90_params);
    return tc__gemm_sm90_run_checked(&c, &k, args, how);
}

/* Which kernel a checked call takes on Hopper: what it wants, else what the model says; 0: the sm_80 kernel. */
TC_HOST tc_gemm_choice tc__gemm_pick(const tc_gemm_config *given, const tc_gemm_args *g, const tc__device *on)
{
    const tc_gemm_choice any = {TC__GEMM_ANY, 0, 0, 0, 0, 0}, none = {0, 0, 0, 0, 0, 0};
    const tc_gemm_config plain = tc__gemm_plain(*given);
    const int fits = tc__gemm_fits(given, g, 'a') && tc__gemm_fits(given, g, 'b');
    tc_gemm_args x = tc__gemm_plain_args(given, g);
    if (g->choice && g->choice->kernel) return *g->choice;
    /* with one multiprocessor there are no clusters */
    if (!fits && !tc__gemm_any_by_wgmma(*given)) return none;
    if (tc__gemm_serves(*given, TC_SHAPES_UNALIGNED) && tc__gemm_any_by_wgmma(*given) && (!fits || on->sms < 2))
        return any;
    x = tc__gemm_less_parts(given, &x);
    return tc__gemm_choose(&plain, &x, on);
}

/* Do .choice's fields go together, and is its kernel there? */
TC_HOST tc_status tc__gemm_check_choice(const tc_gemm_config *given, const tc_gemm_choice *want)
{
    const int kernel = want ? want->kernel : 0;
    const tc__gemm_tile *const tile = kernel > 0 && kernel < TC__GEMM_ANY ? &tc__gemm_tiles_of[kernel - 1] : 0;
    const int lacks = tile && !tc__gemm_line_ok(*given, *tile); /* a line of the list, and the generator has it not */
    if (want && !kernel && (want->width || want->cluster || want->parts || want->blocks || want->meet))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = 0, but what its other fields ask for depends on the kernel");
    if (kernel < 0 || kernel > TC__GEMM_ANY)
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d must be in 0..%d", kernel, TC__GEMM_ANY);
    if (kernel == TC__GEMM_ANY && !tc__gemm_any_by_wgmma(*given))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d multiplies f16 and bf16, A and D row-major, B column-major",
                        kernel);
    if (kernel && !tc__gemm_serves(*given, tile ? tile->shapes : TC_SHAPES_UNALIGNED))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d is left out by .shapes = %d", kernel, given->shapes);
    if (lacks && given->weights)
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d is not there for packed weights, which have 1, 3 and 5",
                        kernel);
    if (lacks && tc__gemm_lifted(*given))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d is not there for 8 bits with A in columns or B in rows, "
                        "which have 1 and 3", kernel);
    if (tile && tc__gemm_crowd(*tile) && !tc__gemm_crowd_ok(*given))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d multiplies what lies along k and stores D alone: not with "
                        "A in columns, B in rows, .sparse, .bsr, .conv, .index, .gate, .groups, tiles of one's own, "
                        "other outputs, a quantised D, factors, promoted sums and TC_F32", kernel);
    if (lacks && tc__gemm_one_width(*tile))
        return tc__fail(TC_ERR_CONFIG, "choice->kernel = %d is not there with B in rows, operands that are turned, "
                        "looked up, sparse or f32, factors, sums in f16 or promoted, .conv, .gate, .groups, .rows, a "
                        "quantised D, tiles and outputs of one's own", kernel);
    if (lacks)
        return tc__fail(TC_ERR_CONFIG, tile->swap
                        ? "choice->kernel = %d changes roles over: not with .sparse, .bsr, .conv, .gate, .rows, .top "
                          "and a quantised D"
                        : "choice->kernel = %d has registers for sums alone: not for operands that are turned, looked "
                          "up, sparse or f32, factors, sums in f16 (7: or promoted), nor with .conv, .gate, .rows, a "
                          "quantised D, tiles and outputs of one's own; 7 not with .groups", kernel);
    return TC_OK;
}

/* For rows that TMA refuses, where .shapes leaves their kernel out. */
TC_HOST tc_status tc__gemm_check_aligned(const tc_gemm_config *given, const tc_gemm_args *g)
{
    char why[TC_WHY_SIZE];
    const tc_status st = tc__gemm_check_tma(given, g);
    if (st == TC_OK || tc__gemm_serves(*given, TC_SHAPES_UNALIGNED)) return st;
    memcpy(why, tc_why(), sizeof why);
    return tc__fail(st, "%.200s, and .shapes has no TC_SHAPES_UNALIGNED", why);
}

/* Blackwell's kernel for a call: the one whose blocks end first, k in parts or not. */
TC_HOST int tc__gemm100_choose(const tc_gemm_config *given, const tc_gemm_args *g, int sms)
{
    static const tc__gemm100_tile tiles[TC__GEMM100_TILE_COUNT] = {
        TC__GEMM100_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    const tc_gemm_args all = tc__gemm_plain_args(given, g);
    tc_gemm_args x = tc__gemm_less_parts(given, &all);
    int best = 0, i, parts;
    double best_time = 0;
    if (given->weights) x.m = all.n, x.n = all.m; /* rows and columns of the instruction */
    x.n *= tc__gemm_products(*given);
    for (i = 0; i < TC__GEMM100_TILE_COUNT; i++) {
        const tc_gemm_config v = tc_gemm100_view(tc__gemm100_tiled(*given, tiles[i]));
        const double time = tc__gemm100_best(&v, &x, sms / (given->weights ? 1 : tiles[i].together), &parts);
        if (!tc__gemm_serves(*given, tiles[i].shapes) || (best && time >= best_time)) continue;
        best = i + 1, best_time = time;
    }
    return best;
}

/* A checked call on Blackwell; TC_ERR_IMAGE where the sm_80 kernels are to serve it: the build has no code for tcgen05
 * here, or tcgen05 or TMA do not serve it. */
TC_HOST tc_status tc__gemm100_auto(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    static const tc__gemm100_tile tiles[TC__GEMM100_TILE_COUNT] = {
        TC__GEMM100_TILES(TC__GEMM_TILE_ROW, unused, unused)};
    tc__device on = {0, 0, 0, 0};
    tc__kernels one;
    tc_gemm_config c;
    tc_gemm_args g = *args;
    int i;
    if (tc__device_now(&on) != cudaSuccess || on.cc < 100 || on.cc >= 120 || !tc__gemm100_serves(*given)
        || !tc__gemm_fits(given, args, 'a') || !tc__gemm_fits(given, args, 'b') || tc__gemm100_lacks(given, on.cc))
        return TC_ERR_IMAGE;
    i = tc__gemm100_choose(given, args, on.sms) - 1;
    if (i < 0) return TC_ERR_IMAGE;
    one.f = s->f + TC__GEMM_ANY + 4 + i, one.cache = s->cache + TC__GEMM_ANY + 4 + i;
    c = tc__gemm100_tiled(*given, tiles[i]);
    g.choice = NULL; /* that speaks of Hopper's */
    return tc__gemm_sm100_go(&c, &one, &g, how);
}

TC_HOST tc_status tc__gemm_auto_go(const tc_gemm_config *given, const tc__kernels *s, const tc_gemm_args *args,
                                   const tc__launch *how)
{
    const tc__kernels any = {s->f + TC__GEMM_TILE_COUNT, s->cache + TC__GEMM_TILE_COUNT},
                      slow = {s->f + TC__GEMM_ANY, s->cache + TC__GEMM_ANY};
    const tc__kernels slow_small = {s->f + TC__GEMM_ANY + 2, s->cache + TC__GEMM_ANY + 2};
    const int behind = TC__GEMM_ANY + 4 + TC__GEMM100_TILE_COUNT;
    const tc__kernels family = {s->f + behind, s->cache + behind}; /* of sm_120 */
    const tc__kernels older = {family.f + TC__GEMM120_TILE_COUNT, family.cache + TC__GEMM120_TILE_COUNT};
    tc_gemm_choice pick;
    tc_gemm_config other;
    tc_gemm_args g;
    tc__launch there;
    tc__device device = {0, 0, 0, 0};
    tc_status st = tc__gemm_check_choice(given, args ? args->choice : NULL);
    if (st == TC_OK) st = tc__gemm_check(given, args);
    if (st == TC_OK) st = tc__gemm_check_sparse(given, args);
    if (st == TC_OK) st = tc__gemm_check_tiles(given, args);
    if (st != TC_OK || tc__gemm_empty(args)) return st;
    g = tc__gemm_effective(args);
    if (given->weights) st = tc__weights_call_check(given, &g);
    if (st != TC_OK) return st;
    st = tc__gemm100_auto(given, s, &g, how);
    if (st == TC_ERR_IMAGE) st = tc__gemm120_auto(given, &family, &g, how);
    if (st != TC_ERR_IMAGE) return st;
    if (tc__device_now(&device) == cudaSuccess && device.cc == 90 && tc__gemm_by_wgmma(*given)) {
        pick = tc__gemm_pick(given, &g, &device);
        there = *how;
        there.device = device.at + 1;
        if (pick.kernel) g.choice = &pick;
        if (!pick.kernel) {
            st = TC_ERR_IMAGE;
        } else if (pick.kernel == TC__GEMM_ANY) {
            other = tc__gemm_any_tiled(*given);
            st = tc__gemm_sm90_any_go(&other, &any, &g, &there);
        } else {
            st = tc__gemm_check_aligned(given, &g);
            if (st == TC_OK) st = tc__gemm_tiles_go(given, s, &g, &there);
        }
#ifdef TC_SM80_ON_HOPPER
        if (st != TC_ERR_IMAGE) return st;
#else
        if (pick.kernel) return st;
#endif
    }
    if (device.cc && tc__gemm_simt_of(*given, device.cc)) return tc__gemm_older_run(given, &older, args, how);
    other = tc_gemm_sm80_config(*given);
    if (!tc__gemm_serves(*given, TC_SHAPES_UNALIGNED) && tc__gemm80_any(&other, &g))
        return tc__gemm_check_aligned(given, &g);
    if (!tc__gemm80_prefers_small(given, &g, device.sms)) return tc__gemm_sm80_go(&other, &slow, args, how);
    other = tc__gemm80_small(*given);
    return tc__gemm_sm80_go(&other, &slow_small, args, how);
}

#endif /* host */

/* =====================================================================================================================
 * Generators. Each is thin: it makes the configuration a constant, checks it in words, and names the functions.
 */
#ifdef __CUDACC__

/* own: the prefix of what a generator keeps to itself, with the line in it, so that two generators of one name are an
 * error about what they give to the user and no more. The kernels know the hooks by functions that call them: when a
 * hook is a host function, nvcc names the function that calls it, and with it the rule, once and not a kernel. */
#define TC__GEMM_CONFIG(name, own, complete, ...)                                                                     \
    TC__GIVEN(own, gemm,                                                                                              \
              ".epi = float f(float x, tc_gemm_at at, const void *args), .aux_epi the same, "                         \
              ".epi2 = tc_f32x2 f(tc_f32x2 x, tc_gemm_at at, const void *args), "                                     \
              ".gate = float f(float gate, float up, tc_gemm_at at, const void *args), "                              \
              ".tile = int f(tc_gemm_tile tile, const void *args), "                                                  \
              ".k_range = tc_gemm_k f(tc_gemm_tile tile, const void *args), "                                         \
              ".keep = int f(tc_gemm_at at, const void *args)",                                                       \
              __VA_ARGS__)                                                                                            \
    TC__RULE_ASSERT(!own##_given().conv, "tc: .conv is set by TC_CONV_DEFINE and its like: leave it out")             \
    TC__CONFIG(name, own, gemm, complete(tc__gemm_shipped(own##_given())))                                            \
    TC__GEMM_HOOK(own, epi, float, (x, at, args), float x, tc_gemm_at at, const void *args)                           \
    TC__GEMM_HOOK(own, epi2, tc_f32x2, (x, at, args), tc_f32x2 x, tc_gemm_at at, const void *args)                    \
    TC__GEMM_HOOK(own, gate, float, (x, up, at, args), float x, float up, tc_gemm_at at, const void *args)            \
    TC__GEMM_HOOK(own, aux_epi, float, (x, at, args), float x, tc_gemm_at at, const void *args)                       \
    TC__GEMM_HOOK(own, tile, int, (tile, args), tc_gemm_tile tile, const void *args)                                  \
    TC__GEMM_HOOK(own, keep, int, (at, args), tc_gemm_at at, const void *args)                                        \
    TC__GEMM_HOOK(own, k_range, tc_gemm_k, (tile, args), tc_gemm_tile tile, const void *args)
#define TC__GEMM_HOOK(own, hook, result, given, ...)                                                                  \
    TC__LINE_BREAK TC_DEV result own##_##hook##_a_hook_is_a_TC_DEV_function(__VA_ARGS__)                              \
    {                                                                                                                 \
        return tc__gemm_hooks(own##_config()).hook given;                                                             \
    }
#define TC__GEMM_HOOKED(own, config)                                                                                  \
    tc__gemm_by_way(config, tc__gemm_ways{                                                                            \
        own##_epi_a_hook_is_a_TC_DEV_function, own##_epi2_a_hook_is_a_TC_DEV_function,                                \
        own##_gate_a_hook_is_a_TC_DEV_function, own##_aux_epi_a_hook_is_a_TC_DEV_function,                            \
        own##_tile_a_hook_is_a_TC_DEV_function, own##_keep_a_hook_is_a_TC_DEV_function,                               \
        own##_k_range_a_hook_is_a_TC_DEV_function})

/* Only one block of this size fits an SM: the bound of 1 lets setmaxnreg work and gives the compiler the registers. */
#define TC__GEMM_SM90_KERNEL(kernel, params, threads, ...)                                                            \
    TC__KERNEL_OF(kernel, params, (TC__SM90_BOUND(threads), 1), __VA_ARGS__)

#define TC__GEMM_SM90_BODY(own, config, params)                                                                       \
    constexpr tc_gemm90 k = tc_gemm90_of(TC__GEMM_HOOKED(own, config));                                               \
    constexpr tc__gemm90_loop_fn loop = tc__gemm90_loop_of(k.c);                                                      \
    constexpr tc__gemm90_produce_fn produce = tc__gemm90_produce_of(k.c);                                             \
    constexpr tc__gemm90_end_fn end = tc__gemm90_end_of(k.c);                                                         \
    if (TC__GEMM_FINISHES(k.c, params)) TC__GEMM_FINISH(k.c, params, tc__gemm90_sums_tiles(k.c, &params));            \
    else tc_gemm_sm90(loop, produce, end, k, &params);

#define TC__GEMM_SM80_KERNEL(kernel, params, bound, threads, ...)                                                     \
    TC__KERNEL_OF(kernel, params, (bound(threads), 1), __VA_ARGS__)

#define TC__GEMM_SM80_BODY(own, config, aligned, params)                                                              \
    constexpr tc_gemm80 k = tc_gemm80_of(TC__GEMM_HOOKED(own, config));                                               \
    constexpr int looked_up = tc__gemm80_looked_up(config);                                                           \
    tc_gemm_sm80(looked_up, k, aligned, &params);

/* NAME_can_run, NAME_run; NAME_plan, NAME_launch; and NAME_workspace: the call as it would be if it had all the
 * workspace that there is. */
#define TC__GEMM_ENTRIES(name, own)                                                                                   \
    TC__ENTRIES(name, gemm, own##_go)                                                                                 \
    TC__LINE_BREAK static char own##_is TC_UNUSED; /* its address is by what its plans are known */                   \
    TC__WORKSPACE_ENTRY(name, gemm, own##_go)                                                                         \
    TC__LINE_BREAK TC__ENTRY tc_status name##_plan(const tc_gemm_args *args, tc_gemm_plan *plan)                      \
    {                                                                                                                 \
        const tc__gemm_planner by = {#name, own##_go, &own##_is};                                                     \
        return tc__gemm_plan(&by, args, plan);                                                                        \
    }                                                                                                                 \
    TC__LINE_BREAK TC__ENTRY tc_status name##_launch(const tc_gemm_plan *plan, cudaStream_t stream)                   \
    {                                                                                                                 \
        const tc__gemm_planner by = {#name, own##_go, &own##_is};                                                     \
        return tc__gemm_launch(&by, plan, stream);                                                                    \
    }

/* What the further kernels of a generator take is a type of its own: to the compiler, those of a second generator of
 * this name are then other functions, and not an error each beside the one that says what is doubled. NVRTC finds a
 * kernel by its name alone. See TC__LINE_BREAK for why it is no typedef. */
#ifdef __CUDACC_RTC__
#define TC__GEMM_OWN_PARAMS(own)                                                                                      \
    typedef tc_gemm_sm90_params own##_sm90;                                                                           \
    typedef tc_gemm_sm90_any_params own##_sm90_any;                                                                   \
    typedef tc_gemm_sm80_params own##_sm80;                                                                           \
    typedef tc_gemm_sm100_params own##_sm100;                                                                         \
    typedef tc_gemm_sm120_params own##_sm120;
#define TC__GEMM_PARAMS_OF p
#define TC__GEMM_FUNCTION(kernel, params) TC__FUNCTION(kernel)
#else
#define TC__GEMM_OWN_PARAMS(own)                                                                                      \
    TC__LINE_BREAK struct own##_sm90 { tc_gemm_sm90_params call; };                                                   \
    TC__LINE_BREAK struct own##_sm90_any { tc_gemm_sm90_any_params call; };                                           \
    TC__LINE_BREAK struct own##_sm100 { tc_gemm_sm100_params call; };                                                 \
    TC__LINE_BREAK struct own##_sm120 { tc_gemm_sm120_params call; };                                                 \
    TC__LINE_BREAK struct own##_sm80 { tc_gemm_sm80_params call; }; TC__LINE_BREAK
#define TC__GEMM_PARAMS_OF p.call
#define TC__GEMM_FUNCTION(kernel, params) {(const void *)(void (*)(params))kernel, #kernel},
#endif

#define TC__GEMM_ONE_RULES(own)                                                                                       \
    TC__RULE_ASSERT(own##_config().shapes == 0,                                                                       \
                    "tc: .shapes leaves kernels of TC_GEMM_DEFINE out; this generator has one tile for all shapes")

/* A generator of one Hopper kernel: its parameters' type, where in them tc_gemm_sm90_params are, its go. */
#define TC__GEMM_SM90_ONE(name, own, params, where, go)                                                               \
    TC__GEMM_SM90_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm90_threads, tc_gemm_sm90_smem)                                          \
    TC__GEMM_SM90_KERNEL(name, params, tc_gemm_sm90_threads(own##_config()),                                          \
                         TC__SM90_STRICT(TC__GEMM_SM90_BODY(own, own##_config(), where)))                             \
    TC__HOST_PART(TC__GO(own, gemm, go, TC__FUNCTION(name)) TC__GEMM_ENTRIES(name, own))

/* See the top of this file. */
#define TC_GEMM_SM90_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM90_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM90_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm90_config, __VA_ARGS__)                                                      \
    TC__RULE_ASSERT(!own##_config().any, "tc: .any is for TC_GEMM_SM90_ANY_DEFINE")                                   \
    TC__GEMM_SM90_ONE(name, own, tc_gemm_sm90_params, p, tc__gemm_sm90_go)

#define TC_GEMM_SM90_ANY_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM90_ANY_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM90_ANY_DEFINE_(name, own, ...)                                                                     \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm90_any_config, __VA_ARGS__)                                                  \
    TC__GEMM_SM90_ONE(name, own, tc_gemm_sm90_any_params, p.p, tc__gemm_sm90_any_go)

#define TC_GEMM_SM80_DEFINE(name, ...) TC__CALL4(TC__GEMM_SM80_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_SM80_DEFINE_(name, own, ...)                                                                         \
    TC__GEMM_CONFIG(name, own, tc_gemm_sm80_config, __VA_ARGS__)                                                      \
    TC__GEMM_SM80_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_ONE_RULES(own)                                                                                           \
    TC__SIZES(name, own##_config(), tc_gemm_sm80_threads, tc_gemm_sm80_smem)                                          \
    TC__GEMM_SM80_KERNEL(name, tc_gemm_sm80_params, TC__SM80_BOUND, tc__gemm80_bound(own##_config()),                 \
                         TC__GEMM_SM80_BODY(own, own##_config(), 1, p))                                               \
    TC__GEMM_OWN_PARAMS(own)                                                                                          \
    TC__GEMM_SM80_KERNEL(name##_any, own##_sm80, TC__SM80_BOUND, tc__gemm80_bound(own##_config()),                    \
                         TC__GEMM_SM80_BODY(own, own##_config(), 0, TC__GEMM_PARAMS_OF))                              \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_sm80_go, TC__FUNCTION(name)                                              \
                         TC__GEMM_FUNCTION(name##_any, own##_sm80))                                                   \
                  TC__GEMM_ENTRIES(name, own))

/* ---------------------------------------------------------------------------------------------------------------------
 * TC_GEMM_DEFINE: types and hooks come from the user, everything else from here.
 */
#define TC__GEMM_AUTO_RULES(X, c)                                                                                     \
    X(TC__SETMAXNREG_COUNTS,                                                                                          \
      "tc: -rdc=true makes ptxas ignore setmaxnreg, and Hopper kernels spill: compile this file without it (or "      \
      "with -ewp), or define TC_ALLOW_RDC")                                                                           \
    X(!(c).bm && !(c).bn && !(c).bk && !(c).stages && !(c).warps_m && !(c).warps_n && !(c).cluster_m && !(c).cluster_n\
      && !(c).cluster_k && !(c).consumers && !(c).schedule && !(c).epi_stages && !(c).raster && !(c).raster_group     \
      && !(c).step && !(c).swap && !(c).split && !(c).clc && !(c).chip,                                               \
      "tc: TC_GEMM_DEFINE picks tiles and schedules itself; to choose them use TC_GEMM_SM90_DEFINE or "               \
      "TC_GEMM_SM80_DEFINE")                                                                                          \
    X((c).shapes >= 0 && (c).shapes <= TC__SHAPES_ALL && (!(c).shapes || ((c).shapes & TC__SHAPES_TILES)),            \
      "tc: .shapes must be of TC_SHAPES_LARGE, _FEW_ROWS and _SMALL, with TC_SHAPES_UNALIGNED or without, or 0")      \
    TC__GEMM80_WEIGHTS_GIVEN_RULES(X, c)                                                                              \
    TC__GEMM_SPARSE_PLAIN_RULES(X, c)                                                                                 \
    TC__GEMM_TILES_GIVEN_RULES(X, c)                                                                                  \
    TC__GEMM_AUTO_ROWS_RULES(X, c)                                                                                    \
    X((!(c).sparse && !(c).bsr && !(c).gate && !tc__gemm_quantised(c) && !tc__gemm_in_tile(c)) || !(c).shapes         \
          || ((c).shapes & TC__SHAPES_WIDE),                                                                          \
      "tc: with .sparse, .bsr, .gate, .rows, .top or a quantised D, .shapes must have TC_SHAPES_LARGE or "            \
      "TC_SHAPES_SMALL: no kernel is for few rows alone")                                                             \
    X((c).bsr != 64 && ((c).bsr != 128 || !tc__gemm_is_fp8((c).a) || (c).promote == TC_FAST),                         \
      "tc: .bsr of TC_GEMM_DEFINE must be 128 or 256, of TC_E4M3 and TC_E5M2 with sums promoted 256: so many rows "   \
      "has a tile")                                                                                                   \
    TC__GEMM_TURNED_RULES(X, c)

/* On Hopper it takes sm_80 kernels for what wgmma's do not serve and for nothing else: either are stubs there. On
 * Blackwell for what tcgen05 (sm_120: its kernels) does not serve, and for rows that TMA refuses. */
#if TC_HAS_SM90A && defined(__CUDA_ARCH__)
#define TC__GEMM_BY_MMA(config, aligned) (aligned ? !tc__gemm_by_wgmma(config) : !tc__gemm_any_by_wgmma(config))
#elif TC_HAS_SM100A && defined(__CUDA_ARCH__)
#define TC__GEMM_BY_MMA(config, aligned)                                                                              \
    (!aligned || !tc__gemm100_serves(config) || !tc__gemm100_here(config) || (config).weights) /* sm_100f: on 10.7 */
#elif TC_HAS_SM120A && defined(__CUDA_ARCH__)
#define TC__GEMM_BY_MMA(config, aligned) (!aligned || !tc__gemm120_auto_here(config))
#else
#define TC__GEMM_BY_MMA(config, aligned) true
#endif

/* Types, layouts and hooks only. */
TC_HD constexpr tc_gemm_config tc__gemm_as_given(tc_gemm_config_in c) { return c; }

/* A configuration that Hopper's kernels serve, to write down those that are never called. */
TC_HD constexpr tc_gemm_config tc__gemm_for_wgmma(tc_gemm_config_in given)
{
    return tc__gemm_by_wgmma(given) ? given : tc__gemm_undone(given);
}

/* That of an sm_80 kernel; without the hooks where it is a stub, so that an error in one is said but once. */
TC_HD constexpr tc_gemm_config tc__gemm_for_sm80(tc_gemm_config_in completed, int wanted)
{
    tc_gemm_config c = completed;
    if (!wanted) c.epi = 0, c.epi2 = 0, c.epi_pure = 0, c.aux_epi = 0, c.gate = 0;
    return c;
}

/* The same of the kernel for rows of any alignment. */
TC_HD constexpr tc_gemm_config tc__gemm_for_any(tc_gemm_config_in given)
{
    tc_gemm_config c = given;
    if (!tc__gemm_any_by_wgmma(c)) c.a = c.b = c.d = TC_F16, c.a_layout = c.b_layout = c.d_layout = 0;
    if (!tc__gemm_any_by_wgmma(given)) c.promote = c.a_scale = c.b_scale = c.groups = c.index = 0;
    if (!tc__gemm_any_by_wgmma(given)) c.weights = c.weights_k = c.weights_zero = c.op = 0, c.gate = 0;
    if (!tc__gemm_any_by_wgmma(given)) c.rows = c.top = c.renorm = 0;
    if (!tc__gemm_any_by_wgmma(given)) c.sparse = c.d_scale = c.d_sf = c.col_sum = c.all_sum = c.sum_atomic = 0;
    if (!tc__gemm_any_by_wgmma(given)) c = tc__gemm_all_tiles(c);
    return tc__gemm_any_tiled(c);
}

#define TC_GEMM_DEFINE(name, ...) TC__CALL4(TC__GEMM_DEFINE_, name, TC__OWN(name), __VA_ARGS__)
#define TC__GEMM_DEFINE_(name, own, ...)                                                                              \
    TC__GEMM_CONFIG(name, own, tc__gemm_as_given, __VA_ARGS__)                                                        \
    TC__GEMM_AUTO_RULES(TC__RULE_ASSERT, own##_config())                                                              \
    TC__GEMM_OWN_PARAMS(own)                                                                                          \
    TC__GEMM_TILES(TC__GEMM_AUTO_SM90, name, own)                                                                     \
    TC__GEMM_AUTO_ANY(name##_any, own)                                                                                \
    TC__GEMM_AUTO_SM80(name##_sm80, own, tc_gemm_sm80_config, 1)                                                      \
    TC__GEMM_AUTO_SM80(name##_sm80_any, own, tc_gemm_sm80_config, 0)                                                  \
    TC__GEMM_AUTO_SM80(name##_sm80_small, own, tc__gemm80_small, 1)                                                   \
    TC__GEMM100_TILES(TC__GEMM_AUTO_SM100, name, own)                                                                 \
    TC__GEMM120_TILES(TC__GEMM_AUTO_SM120, name, own)                                                                 \
    TC__GEMM_AUTO_OLDER(name##_sm75, own)                                                                             \
    TC__HOST_PART(TC__GO(own, gemm, tc__gemm_auto_go, TC__GEMM_TILES(TC__GEMM_AUTO_FUNCTION, name, own)               \
                         TC__GEMM_FUNCTION(name##_any, own##_sm90_any)                                                \
                         TC__GEMM_FUNCTION(name##_sm80, own##_sm80) TC__GEMM_FUNCTION(name##_sm80_any, own##_sm80)    \
                         TC__GEMM_FUNCTION(name##_sm80_small, own##_sm80) {0, 0},                                     \
                         TC__GEMM100_TILES(TC__GEMM_AUTO_FUNCTION100, name, own)                                      \
                         TC__GEMM120_TILES(TC__GEMM_AUTO_FUNCTION120, name, own)                                      \
                         TC__GEMM_FUNCTION(name##_sm75, own##_sm80))                                                  \
                  TC__GEMM_ENTRIES(name, own))

/* One kernel of TC_GEMM_DEFINE: what .shapes leaves out is a stub. */
#define TC__GEMM_AUTO_IF(wanted, threads) ((wanted) ? threads : 32)
#define TC__GEMM_AUTO_CONFIG(own, fields)                                                                             \
    tc__gemm_tiled(tc__gemm_for_wgmma(own##_config()), tc__gemm_tile{TC__GEMM_UNPACK fields})
/* Whether a kernel is wanted is asked out here: in a kernel it would be one more error about a hook of the host. */
#define TC__GEMM_AUTO_SM90(name, own, tile, fields)                                                                   \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_##tile = tc__gemm_by_wgmma(own##_config())                                                          \
                        && tc__gemm_serves(own##_config(), (tc__gemm_tile{TC__GEMM_UNPACK fields}).shapes)            \
                        && tc__gemm_line_ok(own##_config(), tc__gemm_tile{TC__GEMM_UNPACK fields})                    \
    };                                                                                                                \
    TC__GEMM_SM90_KERNEL(                                                                                             \
        name##_##tile, own##_sm90,                                                                                    \
        TC__GEMM_AUTO_IF(own##_has_##tile, tc_gemm_sm90_threads(TC__GEMM_AUTO_CONFIG(own, fields))),                  \
        TC__IF_SM90A(if (own##_has_##tile) {                                                                          \
            TC__GEMM_SM90_BODY(own, TC__GEMM_AUTO_CONFIG(own, fields), TC__GEMM_PARAMS_OF)                            \
        }))
#define TC__GEMM_AUTO_UNALIGNED(own) tc__gemm_serves(own##_config(), TC_SHAPES_UNALIGNED)
#define TC__GEMM_AUTO_ANY(kernel, own)                                                                                \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_any = tc__gemm_any_by_wgmma(own##_config()) && TC__GEMM_AUTO_UNALIGNED(own)                         \
    };                                                                                                                \
    TC__GEMM_SM90_KERNEL(                                                                                             \
        kernel, own##_sm90_any,                                                                                       \
        TC__GEMM_AUTO_IF(own##_has_any, tc_gemm_sm90_threads(tc__gemm_for_any(own##_config()))),                      \
        TC__IF_SM90A(if (own##_has_any) {                                                                             \
            TC__GEMM_SM90_BODY(own, tc__gemm_for_any(own##_config()), TC__GEMM_PARAMS_OF.p)                           \
        }))
#define TC__GEMM_AUTO_SM80(kernel, own, config, aligned)                                                              \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_##config##_##aligned = TC__GEMM_BY_MMA(own##_config(), aligned)                                     \
                                      && (aligned || (TC__GEMM_AUTO_UNALIGNED(own)                                    \
                                                      && !tc__gemm80_decides(own##_config())))                        \
    };                                                                                                                \
    TC__GEMM_SM80_KERNEL(                                                                                             \
        kernel, own##_sm80, TC__SM80_BOUND,                                                                           \
        TC__GEMM_AUTO_IF(own##_has_##config##_##aligned, tc__gemm80_bound(config(own##_config()))),                   \
        TC__IF_SM80(if (own##_has_##config##_##aligned) {                                                             \
            TC__GEMM_SM80_BODY(own, tc__gemm_for_sm80(config(own##_config()), own##_has_##config##_##aligned),        \
                               aligned, TC__GEMM_PARAMS_OF)                                                           \
        }))
#define TC__GEMM_AUTO_FUNCTION(name, own, tile, fields) TC__GEMM_FUNCTION(name##_##tile, own##_sm90)
#define TC__GEMM_AUTO_CONFIG100(own, fields)                                                                          \
    tc__gemm100_tiled(own##_config(), tc__gemm100_tile{TC__GEMM_UNPACK fields})
#define TC__GEMM_AUTO_SM100(name, own, tile, fields)                                                                  \
    TC__LINE_BREAK enum {                                                                                             \
        own##_has_##tile = tc__gemm100_serves(own##_config()) && tc__gemm100_here(own##_config())                     \
                        && tc__gemm_serves(own##_config(), (tc__gemm100_tile{TC__GEMM_UNPACK fields}).shapes)         \
    };                                                                                                                \
    TC__KERNEL_OF(name##_##tile, own##_sm100,                                                                         \
                  (TC__GEMM_AUTO_IF(own##_has_##tile, tc_gemm_sm100_threads(own##_config())), 1),                     \
                  TC__IF_SM100A(if (own##_has_##tile) {                                                               \
                      TC__GEMM_SM100_BODY(own, TC__GEMM_AUTO_CONFIG100(own, fields), TC__GEMM_PARAMS_OF)              \
                  }))
#define TC__GEMM_AUTO_FUNCTION100(name, own, tile, fields) TC__GEMM_FUNCTION(name##_##tile, own##_sm100)
#endif /* __CUDACC__ */
#endif /* TC_GEMM_H */
