// groups_array_sm90.cu - products of their own, in columns, of a type that Hopper turns
// expect: tc: .groups = TC_GROUPS_ARRAY of TC_GEMM_SM90_DEFINE wants f16 or bf16, or another type than TC_F32 with A
// expect-line: 6
#include "tc_gemm.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_TF32, .b = TC_TF32, .d = TC_F32, .a_layout = TC_COL, .groups = TC_GROUPS_ARRAY)
