/* gemm_sm107.cu - gemm_sm100.cu for the form that its kernels have on Rubin: instructions with twice the k, more
 * stages, 576 columns of tensor memory. For tcemu as sm_107a; CUDA 13.4 or later compiles it for that.
 *     build/tests/gemm_sm107 [problems] [seed] [largest dimension] */
#define FUZZ_RUBIN
#include "gemm_sm100.cu"
