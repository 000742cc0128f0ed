// sm80_registers.cu - a warp tile whose accumulators do not fit in registers
// expect: tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 256, .bn = 192, .warps_m = 4, .warps_n = 4)
