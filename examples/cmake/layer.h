/* layer.h - what main.c knows of layer.cu: layer_run and layer_can_run, functions in C. */
#ifndef LAYER_H
#define LAYER_H
#include <tc.h>

TC_GEMM_DECLARE(layer);

#endif
