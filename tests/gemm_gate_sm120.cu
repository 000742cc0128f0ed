/* gemm_gate_sm120.cu - gemm_gate.cu for the kernels of sm_120. For tcemu as sm_120a.
 *     build/tests/gemm_gate_sm120 [problems] [seed] */
#define GATE_SM120
#include "gemm_gate.cu"
