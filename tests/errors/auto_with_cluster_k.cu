// TC_GEMM_DEFINE picks tiles and schedules itself.
// expect: TC_GEMM_DEFINE picks tiles and schedules itself
// expect-line: 5
#include "../../tc.h"
TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .cluster_k = 2)
