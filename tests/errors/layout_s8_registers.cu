// layout_s8_registers.cu - a warp's 64 x 64 of bytes that are turned on their way to registers
// expect: fp8 32 x 16; .weights: 64 x 32; A in columns, B in rows of 8 bits or TC_TF32, TC_GROUPS_A
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .b_layout = TC_ROW, .bm = 128, .bn = 128, .warps_n = 2)
