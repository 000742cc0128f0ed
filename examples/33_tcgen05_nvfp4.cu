/* 33_tcgen05_nvfp4.cu - nvfp4 from end to end: f32 matrices are quantised to 4 bits with a factor for each 16 elements,
 * the factors brought into the layout of the Tensor Cores, and D = A * B + bias computed by one generated kernel.
 *
 *   1 quantise: the largest of 16 neighbours along k divided by 6, e2m1's largest value, is their factor, in ue4m3
 *     (three bits of mantissa, rounded to the nearest); each element divided by that factor becomes e2m1. A factor of
 *     the whole matrix brings the others into ue4m3's range; it goes into alpha.
 *   2 tc_sf_pack: blocks of 128 rows by 4 factors, as tcgen05, cuBLASLt and CUTLASS want them (tc_sf.h).
 *   3 the GEMM: a call like any other, with .sfa and .sfb.
 *
 * Quantiser, packer and check are in nvfp4_main.h. What the GEMM makes of the quantised numbers is checked against
 * their exact product; how far that is from the product of what they were made of is printed.
 *
 * Proven in tcemu (build/tcemu --device sm_100a) and assembled by ptxas; it has not run on a GPU yet. Needs tc*.h,
 * nvfp4_main.h.
 */
#include "tc.h"

/* ---------------------------------------------------------------------------------------------------------------- */
TC_GEMM_SM100_DEFINE(gemm_nvfp4, .a = TC_E2M1, .b = TC_E2M1, .d = TC_BF16, .sf = TC_SF_UE4M3_16,
                     .epi = tc_epi_bias_col)
/* ---------------------------------------------------------------------------------------------------------------- */

#define NVFP4_RUN gemm_nvfp4_run
#include "nvfp4_main.h"

int main(void) { return nvfp4_main(10, 11, "10.x or 11.x"); }
