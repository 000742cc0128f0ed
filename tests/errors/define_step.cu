// define_step.cu - a step in the generator that picks tiles itself
// expect: tc: TC_GEMM_DEFINE picks tiles and schedules itself
// expect-line: 6
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .step = 32)
