// sm90_raster.cu - a raster that does not exist
// expect: tc: .raster must be TC_RASTER_M or TC_RASTER_N
// expect-line: 6
#include "tc.h"

TC_GEMM_SM90_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .raster = 3)
