/* gemm_outputs_sm100.cu - gemm_outputs.cu for the kernels of tcgen05. For tcemu as sm_100a.
 *     build/tests/gemm_outputs_sm100 [problems] [seed] */
#define OUTPUTS_SM100
#include "gemm_outputs.cu"
