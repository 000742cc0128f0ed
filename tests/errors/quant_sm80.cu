// quant_sm80.cu - the same of the sm_80 kernel, whose warps would share no block
// expect: tc: a quantised D (TC_E4M3, TC_E5M2, .d_scale, .d_sf) wants .bn to be a multiple of 128, and .bn / .warps_n
// expect-line: 7
// arch: 80
#include "tc_gemm.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_S8, .bn = 64, .d_scale = TC_SCALE_1X128)
