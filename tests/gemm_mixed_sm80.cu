/* gemm_mixed_sm80.cu - gemm_mixed.cu for the kernels of mma.sync, and TC_GEMM_DEFINE's. For every device from sm_80 on.
 *     build/tests/gemm_mixed_sm80 [problems] [seed] */
#define MIXED_SM80
#include "gemm_mixed.cu"
