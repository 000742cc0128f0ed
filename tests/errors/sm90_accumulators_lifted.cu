// sm90_accumulators_lifted.cu - A of 8 bits in columns takes registers of its own beside as many accumulators
// expect: tc: too many accumulators
// expect: with A in columns (.swap: B in rows) of 8 bits and 64
// expect-line: 7
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_S8, .b = TC_S8, .d = TC_S32, .bm = 256, .bn = 160, .a_layout = TC_COL)
