/* tc.h - tc 0.2.0 - all of tc: Tensor Core kernels in plain C. Needs: CUDA 12.6 or later.
 *
 * Table of contents; each header is its own manual and may be included alone.
 *
 *     tc_core.h       qualifiers (TC_DEV), arch gates, element types, conversions, tc_status, tc_why, options, version
 *     tc_swizzle.h    32, 64 and 128-byte XOR swizzles as functions, host and device
 *     tc_types.h      element types down to 1 bit: conversions, packed forms, arrays; cvt
 *     tc_mma.h        mma.sync and mma.sp, ldmatrix, stmatrix, movmatrix, cp.async; fragment coordinates
 *     tc_sparse.h     2:4 sparsity: prune or verify, compress, metadata; the fragments of mma.sp
 *     tc_sparse_pack.h   2:4 sparse operands for generated GEMMs: pruned and packed by host or device
 *     tc_wmma.h       wmma: matrices loaded, multiplied and stored by a warp, without a layout to know
 *     tc_mbarrier.h   mbarriers, fences, clusters, named barriers, PDL, clusterlaunchcontrol
 *     tc_memory.h     loads, stores and prefetches with cache policies; asynchronous stores
 *     tc_tma.h        bulk and tensor copies; tensor maps. Includes the two above
 *     tc_wgmma.h      wgmma, its descriptors and fragments, setmaxnreg
 *     tc_tcgen05.h    tcgen05 of Blackwell: tensor memory, multiply, copies; tc_tcgen05_desc.h: descriptors, layouts
 *     tc_weights.h    weights of 4 and 8 bits, packed for a GEMM whose other operand has 16
 *     tc_sf.h         scale factors of mxfp8, mxfp4 and nvfp4 in the layout of the Tensor Cores
 *     tc_op.h         which Tensor Core instruction exists for which types, homes and majors on which target
 *     tc_kernel.h     a skeleton for Hopper kernels of your own: three functions; rings, roles and barriers are there
 *     tc_gemm.h       generated GEMMs with your epilogue
 *     tc_gemm_b2b.h   two products in a row whose middle stays on the chip, on Hopper
 *     tc_conv.h       generated convolutions with your epilogue
 *     tc_attn.h       generated attention kernels with your hooks
 *     tc_attn_mla.h   the same for decoding with multi-head latent attention, on Hopper
 *     tc_attn_append.h   K and V of new tokens normalised, rotated, quantised, into the pages of a cache
 *     tc_attn_bwd.h   the same for attention's backward pass
 *     tc_rows.h       softmax of rows in memory, of any width; the largest of each; rows quantised
 *   Parts that generated kernels and the skeleton stand on; for kernels of your own too
 *     tc_turn.h       squares of 8-bit elements turned in shared memory
 *     tc_chip.h       the chips: family, features of their targets, shared and tensor memory
 *     tc_operand.h    blocks of A and B in shared memory: bytes, descriptor steps, loaders, tensor maps
 *     tc_pipe.h       rings of slots, their mbarriers; roles and registers of warpgroups
 *     tc_work.h       which tile comes when; tc_attn_work.h, tc_attn_decode_work.h: the same for attention
 *     tc_attn_map.h   tensor maps of attention's operands
 *     tc_attn_mla_work.h   calls of multi-head latent attention
 *     tc_attn_mla_load.h   its producers
 *     tc_attn_mla_end.h    the ends of its units
 *     tc_tiles.h      tiles of D that are not computed, the tiles of a triangle as a line
 *     tc_split.h      tiles whose k is split between blocks: how the blocks of a tile meet
 *     tc_hooks.h      hooks, activations
 *     tc_sums.h       what is kept of D's rows and columns, and of all of it
 *     tc_epi.h        conversion, fragments to memory
 *     tc_softmax.h    online softmax on fragments
 *     tc_rows_work.h  probabilities of a row, the order of its largest
 *     tc_philox.h     random numbers by their place, masks of dropout
 *   Not included here, since few need them: include them by name
 *     tc_tma_more.h   bulk and tensor copies of PTX 9.1 to 9.5: an address or shape of one's own, reports, scopes
 *     tc_multimem.h   loads, stores and sums over the memory of several GPUs at once
 *     tc_fabric.h     copies through logical endpoints of the NVLink fabric
 *     tc_spcompress.h 2:4 compression of registers and tensor memory (sm_107a)
 */
#ifndef TC_H
#define TC_H
#include "tc_core.h"
#include "tc_swizzle.h"
#include "tc_types.h"
#include "tc_mma.h"
#include "tc_sparse.h"
#include "tc_sparse_pack.h"
#include "tc_wmma.h"
#include "tc_tma.h"
#include "tc_wgmma.h"
#include "tc_tcgen05.h"
#include "tc_sf.h"
#include "tc_weights.h"
#include "tc_op.h"
#include "tc_kernel.h"
#include "tc_gemm.h"
#include "tc_gemm_b2b.h"
#include "tc_conv.h"
#include "tc_attn.h"
#include "tc_attn_mla.h"
#include "tc_attn_append.h"
#include "tc_attn_bwd.h"
#include "tc_rows.h"
#endif /* TC_H */
