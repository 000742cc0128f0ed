/* attn_sm120_plain.cu - a few of attn_sm120.cu's kernels for the plain targets of the sm_120 family. In tcemu as sm_120
 * and sm_121.
 *     build/tests/attn_sm120_plain [problems] [seed] [kernel] */
#define FUZZ_PLAIN
#include "attn_sm120.cu"
