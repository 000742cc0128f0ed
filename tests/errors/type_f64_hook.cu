// type_f64_hook.cu - a hook in f32 on sums in f64
// expect: tc: .a = TC_F64 takes no hook: .epi and .epi2 compute in f32
// arch: 80
// expect-line: 7
#include "tc.h"

TC_GEMM_SM80_DEFINE(gemm, .a = TC_F64, .b = TC_F64, .d = TC_F64, .epi = tc_epi_relu)
