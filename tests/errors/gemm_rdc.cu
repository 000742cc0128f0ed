// gemm_rdc.cu - separate compilation, under which ptxas ignores setmaxnreg
// expect: -rdc=true makes ptxas ignore setmaxnreg
// flags: -rdc=true
#include "tc.h"

TC_GEMM_DEFINE(gemm, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
