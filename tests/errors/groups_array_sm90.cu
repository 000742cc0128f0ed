// groups_array_sm90.cu - products of their own of TC_F32, by TMA
// expect: tc: .groups = TC_GROUPS_ARRAY of TC_GEMM_SM90_DEFINE wants f16 or bf16, or another type than TC_F32 with A
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_F32, .b = TC_F32, .d = TC_F32, .groups = TC_GROUPS_ARRAY)
