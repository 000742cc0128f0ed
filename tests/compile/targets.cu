/* targets.cu - the gates of tc_core.h beside the table of tc_chip.h, for the target of each pass: compiles or not. */
#include "tc_chip.h"
#include "tc_tcgen05.h"

#if defined(__CUDA_ARCH__)
#if TC_HAS_SM90A || TC_HAS_BLACKWELL_A_ONLY
#define SUFFIX 'a'
#elif TC_HAS_BLACKWELL_A
#define SUFFIX 'f'
#else
#define SUFFIX 0
#endif
#define AS_TABLE(gate, feature)                                                                                      \
    static_assert((gate) == tc_target_has(__CUDA_ARCH__ / 10, SUFFIX, feature), "the gate " #gate " is not " #feature)
AS_TABLE(TC_HAS_SM75, TC_FEATURE_MMA);
AS_TABLE(TC_HAS_SM80, TC_FEATURE_CP_ASYNC);
AS_TABLE(TC_HAS_SM89, TC_FEATURE_FP8);
AS_TABLE(TC_HAS_SM90, TC_FEATURE_TMA);
AS_TABLE(TC_HAS_SM90A, TC_FEATURE_WGMMA);
AS_TABLE(TC_HAS_ANY_A, TC_FEATURE_TENSORMAP);
AS_TABLE(TC_HAS_SM100A, TC_FEATURE_TCGEN05);
AS_TABLE(TC_HAS_SM107A, TC_FEATURE_TCGEN05_107);
AS_TABLE(TC_HAS_SM107A_ONLY, TC_FEATURE_SPCOMPRESS);
AS_TABLE(TC_HAS_SM120A, TC_FEATURE_F8F6F4_MMA);
AS_TABLE(TC_HAS_CVT_RS, TC_FEATURE_CVT_RS);
AS_TABLE(TC_HAS_SM100A && TC_HAS_TCGEN05_I8, TC_FEATURE_TCGEN05_I8);
static_assert(TC_HAS_SM100A == (tc_chip_tmem_columns(__CUDA_ARCH__ / 10) > 0 && SUFFIX), "tensor memory");
static_assert(tc_target_runs(__CUDA_ARCH__ / 10, SUFFIX, __CUDA_ARCH__ / 10), "a target runs on its chip");
#endif
