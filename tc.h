/* tc.h - tc 0.1.0 - all of tc. */
#ifndef TC_H
#define TC_H
#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_gemm.h"
#endif
