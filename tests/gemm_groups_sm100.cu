/* gemm_groups_sm100.cu - gemm_groups.cu for the kernels of tcgen05. For tcemu as sm_100a and sm_103a.
 *     build/tests/gemm_groups_sm100 [problems] [seed] */
#define GROUPS_SM100
#define TC_SM100_STUBS
#include "gemm_groups.cu"
