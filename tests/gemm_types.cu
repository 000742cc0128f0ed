/* gemm_types.cu - gemm_fuzz.cu for the kernels of further layouts and element types: A, B and D in rows or columns.
 *     build/tests/gemm_types [problems] [seed] [largest dimension] */
#define FUZZ_KERNELS "gemm_types.h"
#include "gemm_fuzz.cu"
