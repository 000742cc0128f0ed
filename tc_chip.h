/* tc_chip.h - tc 0.2.0 - the chips and targets that tc knows, as a table. Needs: tc_core.h; host and device.
 *
 *     if (tc_target_runs(100, 'f', 107)) ...                       code for sm_100f runs on sm_107
 *     static_assert(tc_target_has(107, 'a', TC_FEATURE_SPCOMPRESS), "");
 *
 * CONTENTS
 *     TC_CHIPS(X)                     the table, a chip a line
 *     tc_target_has(chip, suffix, feature), TC_FEATURE_..          suffix: 'a', 'f' or 0
 *     tc_target_runs(target, suffix, chip), tc_chip_family(chip)
 *     tc_chip_smem(chip), tc_chip_tmem_columns(chip), tc_chip_threads(chip), tc_chip_cluster(chip)
 *     TC_CHIP_107_SMEM, _TMEM, _THREADS, _CLUSTER                  the same as constants, of each chip
 *
 * Rules and plans of the generators, the wrappers of tensor memory, tcemu's devices (emu/device.c) and docs/types.md
 * read it. The gates that an #if can ask are those of tc_core.h; tests/compile/targets.cu compares the two.
 */
#ifndef TC_CHIP_H
#define TC_CHIP_H

#include "tc_core.h"

/* ---------------------------------------------------------------------------------------------------------------------
 * Targets: one table. Columns: compute capability; its family (code for an f target of a family runs on this chip and
 * later ones of the family; 0: it has none); bytes of shared memory that a block may have; columns of tensor memory (of
 * sm_107 64 more than a plain tcgen05.alloc gives: tcgen05.alloc.exclusive); threads of a multiprocessor; blocks that a
 * cluster may have, with non-portable sizes allowed (1: no clusters; of sm_107 no document says it); features of the
 * plain target, what the f target has beside them, what the a target has beside those.
 */
enum {
    TC_FEATURE_MMA = 1,            /* mma.sync, ldmatrix */
    TC_FEATURE_CP_ASYNC = 2,       /* cp.async, mbarrier, mma.sync of bf16 and tf32, sparse A */
    TC_FEATURE_FP8 = 4,            /* mma.sync and conversions of e4m3 and e5m2 */
    TC_FEATURE_TMA = 8,            /* bulk and tensor copies, clusters */
    TC_FEATURE_WGMMA = 16,         /* wgmma; with setmaxnreg */
    TC_FEATURE_TCGEN05 = 32,       /* tcgen05 and tensor memory */
    TC_FEATURE_TCGEN05_I8 = 64,    /* kind::i8 */
    TC_FEATURE_TCGEN05_107 = 128,  /* kind::ti16, collector b, lookup tables, K of 64 bytes, commit of A's reading */
    TC_FEATURE_SPCOMPRESS = 256,   /* spcompress, spdecompress, tcgen05.ld.spcompress */
    TC_FEATURE_F8F6F4_MMA = 512,   /* mma.sync of fp6 and fp4, with block scales */
    TC_FEATURE_CVT_RS = 1024,      /* conversions with stochastic rounding */
    TC_FEATURE_TENSORMAP = 2048    /* setmaxnreg, tensormap.replace */
};
#define TC__CHIP_75 TC_FEATURE_MMA
#define TC__CHIP_80 (TC__CHIP_75 | TC_FEATURE_CP_ASYNC)
#define TC__CHIP_89 (TC__CHIP_80 | TC_FEATURE_FP8)
#define TC__CHIP_90 (TC__CHIP_89 | TC_FEATURE_TMA)
#define TC__CHIP_T5 (TC_FEATURE_TCGEN05 | TC_FEATURE_TENSORMAP)
#define TC_CHIPS(X)                                                                                                   \
    X(75, 0, 65536, 0, 1024, 1, TC__CHIP_75, 0, 0)                                                                    \
    X(80, 0, 166912, 0, 2048, 1, TC__CHIP_80, 0, 0)                                                                   \
    X(86, 0, 101376, 0, 1536, 1, TC__CHIP_80, 0, 0)                                                                   \
    X(87, 0, 166912, 0, 1536, 1, TC__CHIP_80, 0, 0)                                                                   \
    X(88, 0, 101376, 0, 1536, 1, TC__CHIP_80, 0, 0)                                                                   \
    X(89, 0, 101376, 0, 1536, 1, TC__CHIP_89, 0, 0)                                                                   \
    X(90, 0, 232448, 0, 2048, 16, TC__CHIP_90, 0, TC_FEATURE_WGMMA | TC_FEATURE_TENSORMAP)                            \
    X(100, 100, 232448, 512, 2048, 16, TC__CHIP_90, TC__CHIP_T5, TC_FEATURE_TCGEN05_I8 | TC_FEATURE_CVT_RS)           \
    X(103, 100, 232448, 512, 2048, 16, TC__CHIP_90, TC__CHIP_T5, TC_FEATURE_CVT_RS)                                   \
    X(107, 100, 334848, 576, 1024, 16, TC__CHIP_90, TC__CHIP_T5 | TC_FEATURE_TCGEN05_107,                             \
      TC_FEATURE_CVT_RS | TC_FEATURE_SPCOMPRESS)                                                                      \
    X(110, 110, 232448, 512, 1536, 16, TC__CHIP_90, TC__CHIP_T5, TC_FEATURE_TCGEN05_I8)                               \
    X(120, 120, 101376, 0, 1536, 8, TC__CHIP_90, TC_FEATURE_F8F6F4_MMA | TC_FEATURE_TENSORMAP, 0)                     \
    X(121, 120, 101376, 0, 1536, 8, TC__CHIP_90, TC_FEATURE_F8F6F4_MMA | TC_FEATURE_TENSORMAP, 0)

/* Its numbers as constants */
#define TC__X(chip, family, smem, tmem, threads, cluster, ...)               \
    TC_CHIP_##chip##_SMEM = smem, TC_CHIP_##chip##_TMEM = tmem,              \
    TC_CHIP_##chip##_THREADS = threads, TC_CHIP_##chip##_CLUSTER = cluster,
enum { TC_CHIPS(TC__X) TC__CHIP_END };
#undef TC__X

/* A row of it without its name; zeros for a chip that is not in the table. */
typedef struct tc__chip {
    int family, smem, tmem, threads, cluster, plain, f, a;
} tc__chip;
TC_HD TC_CONSTEXPR tc__chip tc__chip_of(int chip)
{
    tc__chip c = {0, 0, 0, 0, 0, 0, 0, 0};
#define TC__X(cc, ...)                        \
    if (chip == cc) {                         \
        const tc__chip row = {__VA_ARGS__};   \
        c = row;                              \
    }
    TC_CHIPS(TC__X)
#undef TC__X
    return c;
}

/* Has the target ("sm_100f": 100, 'f'; 0 for a plain one) the feature? 0 for a target that is not in the table. */
TC_HD TC_CONSTEXPR int tc_target_has(int chip, char suffix, int feature)
{
    const tc__chip c = tc__chip_of(chip);
    return (c.plain | (suffix ? c.f : 0) | (suffix == 'a' ? c.a : 0)) & feature ? 1 : 0;
}
TC_HD TC_CONSTEXPR int tc_chip_family(int chip) { return tc__chip_of(chip).family; }
/* Does code for that target run on the chip? Code of a plain one as PTX. */
TC_HD TC_CONSTEXPR int tc_target_runs(int target, char suffix, int chip)
{
    return suffix == 'a' ? target == chip
         : suffix == 'f' ? tc_chip_family(target) && tc_chip_family(target) == tc_chip_family(chip) && target <= chip
                         : target <= chip;
}
/* Bytes of shared memory that a block may have, columns of tensor memory; 0 for a chip that is not in the table */
TC_HD TC_CONSTEXPR int tc_chip_smem(int chip) { return tc__chip_of(chip).smem; }
TC_HD TC_CONSTEXPR int tc_chip_tmem_columns(int chip) { return tc__chip_of(chip).tmem; }
/* Threads of a multiprocessor, blocks of the largest cluster; 0 for a chip that is not in the table */
TC_HD TC_CONSTEXPR int tc_chip_threads(int chip) { return tc__chip_of(chip).threads; }
TC_HD TC_CONSTEXPR int tc_chip_cluster(int chip) { return tc__chip_of(chip).cluster; }

#endif /* TC_CHIP_H */
