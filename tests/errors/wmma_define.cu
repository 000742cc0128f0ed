// wmma_define.cu - functions for a type that wmma does not have
// expect: tc_wmma_a_m16n16k16_e4m3
// expect-line: 6
#include "tc_wmma.h"

TC_WMMA_DEFINE(fp8, row, col, m16n16k16, f32, e4m3, e4m3, f32)
