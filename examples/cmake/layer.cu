/* layer.cu - a linear layer by one generated GEMM: the only file that nvcc must read. */
#include "layer.h"

TC_GEMM_DEFINE(layer, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
