/* 36_sm120_nvfp4.cu - example 33's call on an RTX 50: nvfp4 from end to end, D = A * B + bias, by mma.sync.
 *
 * The sm_120 family has no tensor memory, but its mma.sync multiplies by factors of a byte too. The quantiser, the
 * codes and the factors in tc_sf.h's layout are those of example 33, byte for byte: what was packed for one chip serves
 * the other. Only the generator's name differs; two groups of warps take tiles in turns, one multiplies while the other
 * stores through the hook.
 *
 * Quantiser, packer and check are in nvfp4_main.h. What the GEMM makes of the quantised numbers is checked against
 * their exact product; how far that is from the product of what they were made of is printed.
 *
 * Proven in tcemu (build/tcemu --device sm_120a) and assembled by ptxas; it has not run on a GPU yet. Needs tc*.h,
 * nvfp4_main.h.
 */
#include "tc.h"

/* ---------------------------------------------------------------------------------------------------------------- */
TC_GEMM_SM120_DEFINE(gemm_nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16,
                     .epi = tc_epi_bias_col)
/* ---------------------------------------------------------------------------------------------------------------- */

#define NVFP4_RUN gemm_nvfp4_run
#include "nvfp4_main.h"

int main(void) { return nvfp4_main(12, 12, "12.x"); }
