/* gemm_bits_sm75.cu - gemm_bits.cu for what TC_GEMM_DEFINE has on sm_75: 4 bits and TC_XOR by the Tensor Cores, TC_AND
 * and 8-bit floats on CUDA cores.
 *     build/tests/gemm_bits_sm75 [problems] [seed] */
#define BITS_SM75
#include "gemm_bits.cu"
