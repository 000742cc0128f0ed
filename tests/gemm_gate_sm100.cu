/* gemm_gate_sm100.cu - gemm_gate.cu for the kernels of tcgen05. For tcemu as sm_100a.
 *     build/tests/gemm_gate_sm100 [problems] [seed] */
#define GATE_SM100
#include "gemm_gate.cu"
