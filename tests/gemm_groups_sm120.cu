/* gemm_groups_sm120.cu - gemm_groups.cu for the kernels of the sm_120 family. For tcemu as sm_120a.
 *     build/tests/gemm_groups_sm120 [problems] [seed] */
#define GROUPS_SM120
#define TC_SM120_STUBS
#include "gemm_groups.cu"
