/* gemm_mixed_sm100.cu - gemm_mixed.cu for the kernels of tcgen05. For tcemu as sm_100a and sm_103a.
 *     build/tests/gemm_mixed_sm100 [problems] [seed] */
#define MIXED_SM100
#include "gemm_mixed.cu"
