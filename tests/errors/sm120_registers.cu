// sm120_registers.cu - a warp with more than 64 x 64
// expect: tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers
// arch: 120a
// expect-line: 7
#include "tc.h"

TC_GEMM_SM120_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bn = 256, .stages = 2)
