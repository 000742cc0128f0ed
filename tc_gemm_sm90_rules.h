/* tc_gemm_sm90_rules.h - tc 0.2.0 - what the Hopper GEMM's configuration must keep to, in words. Needs: the headers
 * below.
 *
 *     TC__GEMM_SM90_RULES   X(condition, sentence) of each rule: static_assert, or a status and a sentence
 *     tc_gemm_sm90_legal    whether a configuration keeps them
 */
#ifndef TC_GEMM_SM90_RULES_H
#define TC_GEMM_SM90_RULES_H

#include "tc_gemm_sm90_plan.h"

/* Does .step divide what it is a step of? */
TC_HD TC_CONSTEXPR int tc__gemm90_step_ok(tc_gemm_config_in c)
{
    const int least = c.swap && tc__gemm90_any_n(c) ? 8 : 16;
    return c.step == 0 || (c.step % least == 0 && tc_gemm90_view(c).bn % c.step == 0);
}

/* .promote: one width where sums are added late or have factors. */
TC_HD TC_CONSTEXPR int tc__gemm90_promoted_step_ok(tc_gemm_config_in c)
{
    const int any = c.promote == c.bk && !tc__gemm_scaled(c) && !tc__gemm_is_f32(c.a)
                 && !tc__gemm90_lifts(tc_gemm90_view(c));
    return !tc__gemm90_promotes(c) || c.step == 0 || c.step == tc_gemm90_view(c).bn || any;
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
TC_HD TC_CONSTEXPR int tc__gemm90_weights_ok(tc_gemm_config_in c)
{
    return c.weights == 0
        || ((c.bk == 64 || c.bk == 128) && c.swap == 1 && c.schedule == TC_COOPERATIVE && c.bn == 64 * c.consumers
            && c.cluster_m * c.cluster_n * c.cluster_k == 1 && !c.step && !c.groups && !c.index
            && !c.any && !tc__gemm_a_col(c) && !tc__gemm_b_row(c) && !tc__gemm_d_col(c));
}
#define TC__GEMM_WEIGHTS_RULES(X, c)                                                                                  \
    TC__GEMM_FACTORS_RULES(X, c)                                                                                      \
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

/* Looked-up rows of A: no block brings them for another one, and the producer wants registers. */
TC_HD TC_CONSTEXPR int tc__gemm90_gathers_ok(tc_gemm_config_in c)
{
    return !tc__gemm90_gathers(c)
        || (tc__gemm_gathers_ok(c) && c.cluster_n == 1 && tc__gemm90_sums_held(tc_gemm90_view(c)) <= 192);
}

/* Quantised D, sums of columns. */
#define TC__GEMM_SM90_QUANT_RULES(X, c)                                                                               \
    X(!tc__gemm_quantised(c) || (!(c).swap && !(c).split && (c).cluster_k == 1 && (c).bn % TC__QUANT_COLS == 0        \
                                 && (c).step % TC__QUANT_COLS == 0),                                                  \
      "tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn and .step to be multiples of 128, and no "     \
      ".swap, .split and .cluster_k: a row's 128 columns are one warp's")                                             \
    X(!tc__gemm_col_kind(c) || !(c).swap || (!(c).any && (c).bm % 16 == 0 && (c).step % 16 == 0),                     \
      "tc: with .col_sum and .swap, .bm and .step must be multiples of 16; TC_GEMM_SM90_ANY_DEFINE has no .col_sum")

/* TC_F32 */
TC_HD TC_CONSTEXPR int tc__gemm90_f32_ok(tc_gemm_config_in c)
{
    return !tc__gemm_is_f32(c.a)
        || (c.bk == 32 && c.schedule == TC_COOPERATIVE && c.cluster_m * c.cluster_n * c.cluster_k == 1
            && c.consumers <= 3 && tc__gemm90_sparse_n_ok(tc_gemm90_view(c).bn));
}
#define TC__GEMM_SM90_F32_RULES(X, c)                                                                                 \
    X(tc__gemm90_f32_ok(c),                                                                                           \
      "tc: .a = TC_F32 wants .bk 32, .bn (with .swap: .bm) 16 or a multiple of 32 up to 256, 1 to 3 .consumers, a "   \
      "cooperative schedule and no cluster")

/* Tiles that are not all of D. */
#define TC__GEMM_SM90_TILES_RULES(X, c)                                                                               \
    X(!tc__tiles_some(c) || (!(c).split && (c).cluster_k == 1 && !(c).weights),                                       \
      "tc: .triangle, .tile, .k_range and .bsr do not go with .split, .cluster_k and .weights")                       \
    X(!(c).bsr || ((c).swap == 0 && (c).cluster_m == 1),                                                              \
      "tc: .bsr goes without .swap, and with .cluster_m = 1: neighbours along m have other blocks")

/* Two products: each half of a tile's columns a TMA box of whole swizzles, and whole places of D. */
TC_HD TC_CONSTEXPR int tc__gemm90_gate_ok(tc_gemm_config_in c)
{
    const int shared = 16 * c.cluster_m; /* 0 is refused elsewhere */
    return !c.gate || (!c.swap && c.cluster_k == 1 && !c.any && c.bn % 32 == 0 && c.step % 32 == 0
                       && shared > 0 && c.bn % shared == 0 && c.step % shared == 0);
}
#define TC__GEMM_SM90_GATE_RULES(X, c)                                                                                \
    X(tc__gemm90_gate_ok(c),                                                                                          \
      "tc: with .gate, .bn and .step must be multiples of 32 and of 16 * .cluster_m (half of them are D's columns), " \
      "and .swap, .cluster_k and TC_GEMM_SM90_ANY_DEFINE are not served")

/* Groups along k, products of their own. */
#define TC__GEMM_SM90_GROUPS_RULES(X, c)                                                                              \
    X((c).groups != TC_GROUPS_K || tc__gemm_k_outer(c),                                                               \
      "tc: .groups = TC_GROUPS_K of TC_GEMM_SM90_DEFINE wants .a_layout TC_COL and .b_layout TC_ROW, where a group "  \
      "may begin at any k: others are for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE")                                    \
    X((c).groups != TC_GROUPS_ARRAY || tc__gemm_each_by_wgmma(c),                                                     \
      "tc: .groups = TC_GROUPS_ARRAY of TC_GEMM_SM90_DEFINE wants f16 or bf16, or another type than TC_F32 with A in " \
      "rows and B in columns: others are for TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE")                                 \
    X((c).groups != TC_GROUPS_ARRAY || (!(c).swap && (c).cluster_m * (c).cluster_n == 1 && (c).consumers <= 2         \
                                          && tc__gemm90_sums_held(tc_gemm90_view(c)) <= 160),                         \
      "tc: .groups = TC_GROUPS_ARRAY of TC_GEMM_SM90_DEFINE goes with 1 or 2 .consumers and at most 160 accumulators " \
      "(rows of a warpgroup * .bn / 128, with .promote and .bn / 2), and without .swap, .cluster_m and .cluster_n")

/* Rows of D in one tile, a warp's. */
#define TC__GEMM_SM90_ROWS_RULES(X, c)                                                                                \
    X(!tc__gemm_in_tile(c)                                                                                            \
          || (!(c).swap && !(c).step && !(c).split && (c).cluster_n == 1 && (c).cluster_k == 1 && !(c).any),          \
      "tc: with .rows and .top a row is in one tile, of one width, a warp's: no .swap, .step, .split, .cluster_n, "   \
      ".cluster_k, and not TC_GEMM_SM90_ANY_DEFINE")

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
    TC__GEMM_SM90_GATE_RULES(X, c)                                                                                    \
    TC__GEMM_SM90_GROUPS_RULES(X, c)                                                                                  \
    TC__GEMM_SM90_ROWS_RULES(X, c)                                                                                    \
    TC__GEMM_SM90_OWN_RULES(X, tc__gemm_plain(c))
#define TC__GEMM_SM90_OWN_RULES(X, c)                                                                                 \
    X(tc__gemm90_gathers_ok(c),                                                                                       \
      "tc: with .index = TC_INDEX_A, TC_GEMM_SM90_DEFINE wants .cluster_n 1, at most 192 accumulators (rows of a "    \
      "warpgroup * .bn / 128), no .b_scale and TC_F32, and B in columns but for 16 bits: others are for "             \
      "TC_GEMM_SM80_DEFINE and TC_GEMM_DEFINE")                                                                       \
    X(tc__gemm_types_by_wgmma(c) || tc__gemm_by_80(c), TC__GEMM_BY_WGMMA)                                             \
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
    X((c).step == 0 || ((c).bk == tc__gemm90_box_k(c) && (c).cluster_k == 1                                           \
                        && tc__gemm90_step_shares_a(tc_gemm90_view(c))                                                \
                        && tc_gemm90_view(c).cluster_m <= 2 && (c).step % (8 * tc_gemm90_view(c).cluster_m) == 0      \
                        && (c).stages <= TC__GEMM90_MOST_STAGES),                                                     \
      "tc: with .step, .bk must be 128 bytes, .cluster_k 1, .stages at most 24, .cluster_m (with .swap: .cluster_n) " \
      "1 or 2 and .step a multiple of 8 times it, and .cluster_n (.cluster_m) 1, or 2 or 4 where A and B lie along k " \
      "and D is all that is stored")                                                                                  \
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
    X(!tc__gemm90_packed(tc_gemm90_view(c)) || ((c).cluster_k == 1 && !tc__gemm_quantised(c)),                        \
      "tc: .acc = TC_F16 with more than 128 sums a thread (rows of a warpgroup * .bn / 128) goes with .cluster_k 1 "  \
      "and a D that is not quantised")                                                                                \
    X(tc__gemm90_sums_held(tc_gemm90_view(c)) <= ((c).consumers == 4 ? 32 : (c).consumers == 3 ? 96 : 208),           \
      "tc: too many accumulators: rows of a warpgroup * .bn / 128 must be at most 208 (96 for 3 consumers, 32 for "   \
      "4), with .promote and TC_F32 and .bn / 2 (of more than .bk: and as many again; TC_F32: and .bn / 8), with "     \
      "factors of columns and .bn / 4, with .sparse (and .promote: twice as many) and rows / 4, with A in columns "   \
      "(.swap: B in rows) of 8 bits and 64 (3 consumers: 24, .promote: 16)")                                          \
    X(((c).b_scale != TC_SCALE_128X128 || (c).bn % 64 == 0) && ((c).a_scale != TC_SCALE_128X128 || (c).bm % 64 == 0), \
      "tc: with TC_SCALE_128X128 a tile's side (.bm of A, .bn of B) must be a multiple of 64")                        \
    X(tc__gemm90_promoted_step_ok(c),                                                                                 \
      "tc: with .promote, .step must be .bn (with .swap: .bm) or 0 where .promote is not .bk, there are factors, or " \
      "A (with .swap: B) is turned on its way to registers; and so with TC_F32")                                      \
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

#endif /* TC_GEMM_SM90_RULES_H */
