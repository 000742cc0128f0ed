/* tc.h - tc 0.1.0 - all of tc: Tensor Core kernels in plain C. Needs: CUDA 12.6 or later.
 *
 * Table of contents; each header is its own manual and may be included alone.
 *
 *     tc_core.h       qualifiers (TC_DEV), arch gates, element types, conversions, tc_status, tc_why, options, version
 *     tc_swizzle.h    32, 64 and 128-byte XOR swizzles as functions, host and device
 *     tc_mma.h        mma.sync, ldmatrix, stmatrix, movmatrix, cp.async; fragment coordinates
 *     tc_tma.h        mbarriers, fences, clusters, bulk and tensor copies, PDL; tensor maps
 *     tc_wgmma.h      wgmma, its descriptors and fragments, setmaxnreg
 *     tc_gemm.h       generated GEMMs with your epilogue, and their parts
 */
#ifndef TC_H
#define TC_H
#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_mma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_gemm.h"
#endif /* TC_H */
