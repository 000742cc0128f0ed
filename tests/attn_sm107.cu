/* attn_sm107.cu - attn_sm100.cu's problems for code that was compiled for Rubin: the form is the same, the compiler's
 * target another. For tcemu as sm_107a; CUDA 13.4 or later compiles it for that.
 *     build/tests/attn_sm107 [problems] [seed] [kernel] */
#define FUZZ_RUBIN
#include "attn_sm100.cu"
