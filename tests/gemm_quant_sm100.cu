/* gemm_quant_sm100.cu - gemm_quant.cu for the kernels of tcgen05. For tcemu as sm_100a.
 *     build/tests/gemm_quant_sm100 [problems] [seed] */
#define QUANT_SM100
#include "gemm_quant.cu"
