// type_f32_warps.cu - parts of f32 take registers
// expect: tc: a warp's tile (.bm / .warps_m x .bn / .warps_n) needs more registers than a thread can have
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .bm = 128, .bn = 128, .warps_m = 2, .warps_n = 4)
