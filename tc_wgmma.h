/* tc_wgmma.h - tc 0.2.0 - wgmma: the warpgroup matrix multiply of Hopper. Needs: tc_core.h, tc_swizzle.h; sm_90a only.
 *
 *     float acc[128] = {0};                                        64 x 256 of D, spread over the 128 threads
 *     uint64_t da = tc_wgmma_desc(smem_a, 128), db = tc_wgmma_desc(smem_b, 128);       K-major, 128-byte swizzle
 *     tc_wgmma_fence();
 *     for (int k = 0; k < 64; k += 16)                             16 bf16 of K are 32 bytes: +2 in the descriptor
 *         TC_WGMMA_SS(256, f32, bf16, acc, da + k / 8, db + k / 8, 1, 1, 1, 0, 0);
 *     tc_wgmma_commit_group();
 *     TC_WGMMA_WAIT_GROUP(0);
 *     tc_wgmma_fence_acc(acc, 128);
 *
 * CONTENTS
 *     TC_WGMMA_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, scale_d[, scale_a, scale_b[, trans_a, trans_b]])
 *     TC_WGMMA_RS(n, d_type, a_type[, b_type], d, a, desc_b, scale_d[, scale_a, scale_b[, trans_b]])
 *     TC_WGMMA_SP_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, meta, selector, scale_d
 *                    [, scale_a, scale_b[, trans_a, trans_b]])
 *     TC_WGMMA_SP_RS(n, d_type, a_type[, b_type], d, a, desc_b, meta, selector, scale_d
 *                    [, scale_a, scale_b[, trans_b]])
 *         D (64 x n) = A (64 x k) * B (n x k) + D. A and B by descriptor (SS), or A in registers (RS); _SP_: A is 2:4
 *         sparse.
 *
 *            d_type    a_type, b_type                     k, sparse k   n            d                     takes
 *            f32 f16   f16.f16                            16   32       8..256 / 8   f32: n/2 float        scale, trans
 *            f32       bf16.bf16                          16   32       8..256 / 8   f16: n/4 uint32_t,    scale, trans
 *            f32       tf32.tf32                           8   16       8..256 / 8        two f16 each     scale
 *            f32 f16   e4m3 or e5m2, each                 32   64       8..256 / 8   s32: n/2 int32_t      scale
 *            s32       s8 or u8, each                     32   64       (*)
 *            s32       b1.b1 (popcount of the ands)      256    -       (*)
 *             (*) 8, 16, 24, 32, 48, 64, 80, .. 256 in steps of 16
 *
 *         Without b_type B's type is A's. PTX's last qualifiers are written behind B's type: s8.satfinite, u8.satfinite
 *         (the sum stays at the ends of s32 instead of wrapping), b1.and.popc (the only one there is, and what b1 alone
 *         means).
 *         scale_d 0 or 1, may be a run-time value: 0 means D = A * B without reading D. scale_a, scale_b: 1 or -1.
 *         trans_a, trans_b: 0 for K-major, 1 for MN-major. a: 4 registers (uint32_t). meta: the thread's register of
 *         metadata.
 *         selector: 0 or 1, which threads' metadata count; 0 for 8-bit types. All tokens but d, a, desc, meta and
 *         scale_d are literals.
 *     tc_wgmma_m64n{8..256}k16_f32_{f16,bf16}(d, desc_a, desc_b, scale_d)     f16 and bf16 as functions, K-major
 *     tc_wgmma_pick_f32(n, ab_type)                                           such a function by constant n and type
 *     tc_wgmma_pick(n, kind)                                                  the same for further types and majors,
 *                                                                             and sums in f16
 *     tc_wgmma_pick_sp(n, kind, selector)                                     the same with a sparse A
 *     tc_wgmma_desc(addr, swizzle), tc_wgmma_desc_advance(desc, bytes), tc_wgmma_desc_make(fields)    descriptors
 *     tc_wgmma_desc_live(desc, addr)                                          one that ptxas does not make anew
 *     tc_wgmma_desc_check(fields), tc_wgmma_desc_encode(out, fields)          on the host, with sentences
 *     tc_wgmma_desc_text(text, size, desc)                                    a descriptor in words
 *     tc_wgmma_fence, tc_wgmma_commit_group, TC_WGMMA_WAIT_GROUP(n), tc_wgmma_fence_acc, tc_wgmma_fence_acc_b32
 *     TC_SETMAXNREG_INC(n), TC_SETMAXNREG_DEC(n)                              sm_90a, Blackwell's a and f targets
 *     tc_frag_wgmma_{d,a,meta}_{row,col}                                      coordinates, for host and device
 *
 * FRAGMENT of D (m64nN), thread t of the warpgroup, w = t / 32, g = t % 32 / 4, q = t % 4:
 *
 *                         col: 8j + 2q      8j + 2q + 1    j = 0 .. N/8 - 1
 *     row 16w + g             d[4j]           d[4j + 1]    f16: the two of a row share the register d[2j] or d[2j + 1],
 *     row 16w + g + 8         d[4j + 2]       d[4j + 3]         the left one in the lower half
 *
 * FRAGMENT of A in registers (RS), e = 32 / bits of an element, K = 8e (sparse: columns of what is stored, half as many
 * as B has):
 *
 *                      k: eq .. eq + e - 1  4e + eq .. 4e + eq + e - 1
 *     row 16w + g          a[0]                  a[2]             (e elements a register, the lowest k lowest)
 *     row 16w + g + 8      a[1]                  a[3]
 *
 * METADATA of a sparse A: 4 bits for each 4 columns of A (tf32: each 2) say which two (one) are stored: the lower index
 * in the lower two bits, indices rising; tf32: 0b0100 for the first, 0b1110 for the second. Nibble x (bits 4x..4x+3) of
 * a thread's register is for
 *
 *     16- and 32-bit types    row 16w + g + x / 4 * 8   group q % 2 * 4 + x % 4   in threads with q / 2 = selector only
 *     8-bit types             row 16w + g + q % 2 * 8   group q / 2 * 8 + x
 *
 * TRAPS
 *     The accumulators are in flight from the first wgmma to the wait: nothing may read or write them between.
 *     tc_wgmma_fence before the first wgmma, and again whenever a register of D or A was touched by ordinary code. Keep
 *     it inside the k loop: hoisted out, ptxas serialises (note C7519). Serialisation notes (C75xx) mean lost speed:
 *     heed them.
 *     Shared memory written by ordinary stores needs tc_fence_proxy_async_shared and a barrier before wgmma reads it.
 *     setmaxnreg is silently ignored unless the kernel has __launch_bounds__(threads, 1).
 *     wgmma exists on sm_90a and nowhere else: no Blackwell has it.
 *     8-bit types and tf32 are read K-major only. The layouts of A and B in shared memory are drawn in tc_swizzle.h.
 *
 * Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
 */
#ifndef TC_WGMMA_H
#define TC_WGMMA_H

#include "tc_core.h"
#include "tc_swizzle.h"

/* (row, col) of accumulator i of thread t (0..127) of the warpgroup in the 64 x N tile; f16: element i lies in register
 * i / 2. */
TC_HD TC_CONSTEXPR int tc_frag_wgmma_d_row(int t, int i) { return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_wgmma_d_col(int t, int i) { return i / 4 * 8 + t % 4 * 2 + i % 2; }

/* (row, k) of element i of thread t in A's registers; bits: of an element (16, 32, 8, 1). Sparse: k counts the stored
 * elements. */
TC_HD TC_CONSTEXPR int tc_frag_wgmma_a_row(int t, int i, int bits)
{
    return t / 32 * 16 + t % 32 / 4 + i * bits / 32 % 2 * 8;
}
TC_HD TC_CONSTEXPR int tc_frag_wgmma_a_col(int t, int i, int bits)
{
    return i * bits / 64 * (128 / bits) + t % 4 * (32 / bits) + i % (32 / bits);
}

/* Nibble x (0..7) of thread t's metadata: its row, and its first column in A (a group is 4 columns, 2 of tf32). 16- and
 * 32-bit types: only the threads with t % 4 / 2 == selector hold any. */
TC_HD TC_CONSTEXPR int tc_frag_wgmma_meta_row(int t, int x, int bits)
{
    return t / 32 * 16 + t % 32 / 4 + (bits == 8 ? t % 2 : x / 4) * 8;
}
TC_HD TC_CONSTEXPR int tc_frag_wgmma_meta_col(int t, int x, int bits)
{
    return (bits == 8 ? t % 4 / 2 * 8 + x : t % 2 * 4 + x % 4) * (bits == 32 ? 2 : 4);
}

/* The fields of a shared-memory descriptor. addr: shared address of the tile, 16-byte aligned; leading_bytes,
 * stride_bytes: where the next atom lies, see tc_swizzle.h (K-major with a swizzle: stride_bytes is the distance
 * between groups of 8 rows, leading_bytes is not used unless the swizzle is narrower than K); swizzle: 0, 32, 64 or 128
 * bytes. base_offset: 0 where the tile is aligned to its swizzle atom, else bits 7..9 of the address where the pattern
 * begins. */
typedef struct tc_wgmma_desc_fields {
    uint32_t addr;
    uint32_t leading_bytes, stride_bytes;
    int base_offset;
    int swizzle;
} tc_wgmma_desc_fields;

/* bits 0-13 addr / 16, 16-29 leading / 16, 32-45 stride / 16, 49-51 base offset, 62-63 swizzle (1: 128B, 2: 64B, 3:
 * 32B).
 * Source: PTX ISA, "Matrix descriptor format" under wgmma. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_make(const tc_wgmma_desc_fields f)
{
    return (uint64_t)((f.addr & 0x3ffffu) >> 4) | (uint64_t)((f.leading_bytes & 0x3ffffu) >> 4) << 16
         | (uint64_t)((f.stride_bytes & 0x3ffffu) >> 4) << 32 | (uint64_t)(f.base_offset & 7) << 49
         | (uint64_t)(f.swizzle == 128 ? 1 : f.swizzle == 64 ? 2 : f.swizzle == 32 ? 3 : 0) << 62;
}

/* The descriptor `bytes` further on in the same tile: only the low word changes, and adding to it alone spares the
 * carry. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_advance(uint64_t desc, uint32_t bytes)
{
    return (desc & 0xffffffff00000000ull) | (uint32_t)((uint32_t)desc + (bytes >> 4));
}

/* The same descriptor, in whose upper word ptxas does not see a constant: one that it knows it writes anew for every
 * instruction, into the four registers that two descriptors take. It pays where a loop has much to do beside its
 * products (attention); in a GEMM's it changes nothing. addr: uniform, a shared address: its topmost bit, which is 0,
 * is added to that word. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_live(uint64_t desc, uint32_t addr)
{
    return (uint64_t)((uint32_t)(desc >> 32) + (addr >> 31)) << 32 | (uint32_t)desc;
}

/* Descriptor of an MN-major tile of 16-bit elements as TMA writes it in boxes of 64 columns (128 bytes, swizzled): the
 * rows are steps of K, the columns M or N; box_bytes: from one box to the next. Step K by 16: advance by 16 rows, 2048
 * bytes. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_mn(uint32_t addr, uint32_t box_bytes)
{
    return (uint64_t)((addr & 0x3ffffu) >> 4) | (uint64_t)((box_bytes & 0x3ffffu) >> 4) << 16
         | (uint64_t)(1024 / 16) << 32 | (uint64_t)1 << 62;
}

/* Descriptor of a K-major tile whose rows are exactly one swizzle width (32, 64 or 128 bytes) and lie end to end: what
 * TMA writes for a box of that width. Step K by 16 elements of 16 bits: add 2 (32 bytes / 16). */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc(uint32_t addr, int swizzle)
{
    return (uint64_t)((addr & 0x3ffffu) >> 4) | (uint64_t)1 << 16 | (uint64_t)(swizzle * 8 / 16) << 32
         | (uint64_t)(swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0) << 62;
}

#ifndef __CUDACC_RTC__
/* Checks the fields, each against its rule; TC_ERR_DESC and the sentence in tc_why(), or TC_OK. */
TC_HOST tc_status tc_wgmma_desc_check(const tc_wgmma_desc_fields *f)
{
    if (f->addr % 16) return tc__fail(TC_ERR_DESC, "addr = 0x%x is not a multiple of 16 bytes", f->addr);
    if (f->addr >= 1u << 18) return tc__fail(TC_ERR_DESC, "addr = 0x%x is no shared address: not below 2^18", f->addr);
    if (f->leading_bytes % 16)
        return tc__fail(TC_ERR_DESC, "leading_bytes = %u is not a multiple of 16", f->leading_bytes);
    if (f->leading_bytes >= 1u << 18)
        return tc__fail(TC_ERR_DESC, "leading_bytes = %u is not below 2^18", f->leading_bytes);
    if (f->stride_bytes % 16)
        return tc__fail(TC_ERR_DESC, "stride_bytes = %u is not a multiple of 16", f->stride_bytes);
    if (f->stride_bytes >= 1u << 18)
        return tc__fail(TC_ERR_DESC, "stride_bytes = %u is not below 2^18", f->stride_bytes);
    if (f->base_offset < 0 || f->base_offset > 7)
        return tc__fail(TC_ERR_DESC, "base_offset = %d is not in 0..7", f->base_offset);
    if (f->swizzle != 0 && f->swizzle != 32 && f->swizzle != 64 && f->swizzle != 128)
        return tc__fail(TC_ERR_DESC, "swizzle = %d is not 0, 32, 64 or 128: wgmma has no other", f->swizzle);
    if (f->swizzle && f->stride_bytes % tc_swizzle_atom(f->swizzle))
        return tc__fail(TC_ERR_DESC, "stride_bytes = %u is not a multiple of the %d-byte swizzle's atom of %u",
                        f->stride_bytes, f->swizzle, tc_swizzle_atom(f->swizzle));
    if (f->base_offset && !f->swizzle)
        return tc__fail(TC_ERR_DESC, "base_offset = %d, but without a swizzle there is no pattern", f->base_offset);
    return TC_OK;
}

/* Checks, then builds. On error *out is untouched. */
TC_HOST tc_status tc_wgmma_desc_encode(uint64_t *out, const tc_wgmma_desc_fields *f)
{
    const tc_status st = tc_wgmma_desc_check(f);
    if (st == TC_OK) *out = tc_wgmma_desc_make(*f);
    return st;
}

/* A descriptor in words, and what is odd about it. Writes at most size bytes with the final 0; returns text. */
TC_HOST const char *tc_wgmma_desc_text(char *text, size_t size, uint64_t desc)
{
    static const char *const swizzles[4] = {"no swizzle", "128-byte swizzle", "64-byte swizzle", "32-byte swizzle"};
    snprintf(text, size,
             "wgmma: shared address 0x%05x, leading byte offset %u, stride byte offset %u, base offset %u, %s%s%s",
             (unsigned)(desc & 0x3fff) << 4, (unsigned)(desc >> 16 & 0x3fff) << 4, (unsigned)(desc >> 32 & 0x3fff) << 4,
             (unsigned)(desc >> 49 & 7), swizzles[desc >> 62],
             (desc >> 46 & 7) == 1 ? "; bits 46-48 are 1: this is a descriptor of tcgen05" : "",
             desc & 0x3ff00000c000c000ull || (desc >> 46 & 7) > 1 ? "; bits that wgmma leaves unused are set" : "");
    return text;
}
#endif /* not NVRTC */

#ifdef __CUDACC__

/* PTX: wgmma.fence: orders register accesses before it with the wgmmas after it. */
TC_DEV_SM90A void tc_wgmma_fence(void) { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }

/* PTX: wgmma.commit_group: closes a group of wgmmas. wgmma.wait_group n (a literal): at most n newer groups in
 * flight. */
TC_DEV_SM90A void tc_wgmma_commit_group(void) { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
#define TC_WGMMA_WAIT_GROUP(n)                                                                                        \
    do {                                                                                                              \
        static_assert((n) >= 0 && (n) <= 7, "tc: wgmma.wait_group: n is a constant in 0..7");                         \
        tc__needs_sm90a();                                                                                            \
        asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(n) : "memory");                                      \
    } while (0)

/* No instruction: keeps the compiler from moving uses of acc[0..count-1] above the wait before it. count is constant.
 * _b32: for s32, and for f16, whose accumulators are uint32_t. */
TC_DEV_SM90A void tc_wgmma_fence_acc(float *acc, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+f"(acc[i]) : : "memory");
}
TC_DEV_SM90A void tc_wgmma_fence_acc_b32(void *acc, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+r"(((uint32_t *)acc)[i]) : : "memory");
}

/* PTX: setmaxnreg: registers per thread from here on; n a literal, a multiple of 8 in 24..256. All warps of a
 * warpgroup. */
#define TC__SETMAXNREG(op, n)                                                                                         \
    do {                                                                                                              \
        static_assert((n) >= 24 && (n) <= 256 && (n) % 8 == 0, "tc: setmaxnreg: n must be a multiple of 8 in 24..256");\
        tc__needs_any_a();                                                                                            \
        asm volatile("setmaxnreg." op ".sync.aligned.u32 %0;" : : "n"(n));                                            \
    } while (0)
#define TC_SETMAXNREG_INC(n) TC__SETMAXNREG("inc", n)
#define TC_SETMAXNREG_DEC(n) TC__SETMAXNREG("dec", n)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tables. Index r: registers of D. TC__WG_L_r: the list "%0,..,%r-1"; TC__WG_F_r(d), TC__WG_I_r(d): r operands "+f" and
 * "+r"; TC__WG_P_r: the numbers of the operands that follow. Each line is the one before and a few more. Line 0 stands
 * in for an n that wgmma has not, after the sentence about it.
 */
#define TC__WG_L_0 "%0"
#define TC__WG_L_2 "%0,%1"
#define TC__WG_L_4 TC__WG_L_2 ",%2,%3"
#define TC__WG_L_6 TC__WG_L_4 ",%4,%5"
#define TC__WG_L_8 TC__WG_L_6 ",%6,%7"
#define TC__WG_L_10 TC__WG_L_8 ",%8,%9"
#define TC__WG_L_12 TC__WG_L_10 ",%10,%11"
#define TC__WG_L_14 TC__WG_L_12 ",%12,%13"
#define TC__WG_L_16 TC__WG_L_14 ",%14,%15"
#define TC__WG_L_18 TC__WG_L_16 ",%16,%17"
#define TC__WG_L_20 TC__WG_L_18 ",%18,%19"
#define TC__WG_L_22 TC__WG_L_20 ",%20,%21"
#define TC__WG_L_24 TC__WG_L_22 ",%22,%23"
#define TC__WG_L_26 TC__WG_L_24 ",%24,%25"
#define TC__WG_L_28 TC__WG_L_26 ",%26,%27"
#define TC__WG_L_30 TC__WG_L_28 ",%28,%29"
#define TC__WG_L_32 TC__WG_L_30 ",%30,%31"
#define TC__WG_L_34 TC__WG_L_32 ",%32,%33"
#define TC__WG_L_36 TC__WG_L_34 ",%34,%35"
#define TC__WG_L_38 TC__WG_L_36 ",%36,%37"
#define TC__WG_L_40 TC__WG_L_38 ",%38,%39"
#define TC__WG_L_42 TC__WG_L_40 ",%40,%41"
#define TC__WG_L_44 TC__WG_L_42 ",%42,%43"
#define TC__WG_L_46 TC__WG_L_44 ",%44,%45"
#define TC__WG_L_48 TC__WG_L_46 ",%46,%47"
#define TC__WG_L_50 TC__WG_L_48 ",%48,%49"
#define TC__WG_L_52 TC__WG_L_50 ",%50,%51"
#define TC__WG_L_54 TC__WG_L_52 ",%52,%53"
#define TC__WG_L_56 TC__WG_L_54 ",%54,%55"
#define TC__WG_L_58 TC__WG_L_56 ",%56,%57"
#define TC__WG_L_60 TC__WG_L_58 ",%58,%59"
#define TC__WG_L_62 TC__WG_L_60 ",%60,%61"
#define TC__WG_L_64 TC__WG_L_62 ",%62,%63"
#define TC__WG_L_68 TC__WG_L_64 ",%64,%65,%66,%67"
#define TC__WG_L_72 TC__WG_L_68 ",%68,%69,%70,%71"
#define TC__WG_L_76 TC__WG_L_72 ",%72,%73,%74,%75"
#define TC__WG_L_80 TC__WG_L_76 ",%76,%77,%78,%79"
#define TC__WG_L_84 TC__WG_L_80 ",%80,%81,%82,%83"
#define TC__WG_L_88 TC__WG_L_84 ",%84,%85,%86,%87"
#define TC__WG_L_92 TC__WG_L_88 ",%88,%89,%90,%91"
#define TC__WG_L_96 TC__WG_L_92 ",%92,%93,%94,%95"
#define TC__WG_L_100 TC__WG_L_96 ",%96,%97,%98,%99"
#define TC__WG_L_104 TC__WG_L_100 ",%100,%101,%102,%103"
#define TC__WG_L_108 TC__WG_L_104 ",%104,%105,%106,%107"
#define TC__WG_L_112 TC__WG_L_108 ",%108,%109,%110,%111"
#define TC__WG_L_116 TC__WG_L_112 ",%112,%113,%114,%115"
#define TC__WG_L_120 TC__WG_L_116 ",%116,%117,%118,%119"
#define TC__WG_L_124 TC__WG_L_120 ",%120,%121,%122,%123"
#define TC__WG_L_128 TC__WG_L_124 ",%124,%125,%126,%127"

#define TC__WG_F_0(d) "+f"((d)[0])
#define TC__WG_F_4(d) "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])
#define TC__WG_F_8(d) TC__WG_F_4(d), "+f"((d)[4]), "+f"((d)[5]), "+f"((d)[6]), "+f"((d)[7])
#define TC__WG_F_12(d) TC__WG_F_8(d), "+f"((d)[8]), "+f"((d)[9]), "+f"((d)[10]), "+f"((d)[11])
#define TC__WG_F_16(d) TC__WG_F_12(d), "+f"((d)[12]), "+f"((d)[13]), "+f"((d)[14]), "+f"((d)[15])
#define TC__WG_F_20(d) TC__WG_F_16(d), "+f"((d)[16]), "+f"((d)[17]), "+f"((d)[18]), "+f"((d)[19])
#define TC__WG_F_24(d) TC__WG_F_20(d), "+f"((d)[20]), "+f"((d)[21]), "+f"((d)[22]), "+f"((d)[23])
#define TC__WG_F_28(d) TC__WG_F_24(d), "+f"((d)[24]), "+f"((d)[25]), "+f"((d)[26]), "+f"((d)[27])
#define TC__WG_F_32(d) TC__WG_F_28(d), "+f"((d)[28]), "+f"((d)[29]), "+f"((d)[30]), "+f"((d)[31])
#define TC__WG_F_36(d) TC__WG_F_32(d), "+f"((d)[32]), "+f"((d)[33]), "+f"((d)[34]), "+f"((d)[35])
#define TC__WG_F_40(d) TC__WG_F_36(d), "+f"((d)[36]), "+f"((d)[37]), "+f"((d)[38]), "+f"((d)[39])
#define TC__WG_F_44(d) TC__WG_F_40(d), "+f"((d)[40]), "+f"((d)[41]), "+f"((d)[42]), "+f"((d)[43])
#define TC__WG_F_48(d) TC__WG_F_44(d), "+f"((d)[44]), "+f"((d)[45]), "+f"((d)[46]), "+f"((d)[47])
#define TC__WG_F_52(d) TC__WG_F_48(d), "+f"((d)[48]), "+f"((d)[49]), "+f"((d)[50]), "+f"((d)[51])
#define TC__WG_F_56(d) TC__WG_F_52(d), "+f"((d)[52]), "+f"((d)[53]), "+f"((d)[54]), "+f"((d)[55])
#define TC__WG_F_60(d) TC__WG_F_56(d), "+f"((d)[56]), "+f"((d)[57]), "+f"((d)[58]), "+f"((d)[59])
#define TC__WG_F_64(d) TC__WG_F_60(d), "+f"((d)[60]), "+f"((d)[61]), "+f"((d)[62]), "+f"((d)[63])
#define TC__WG_F_68(d) TC__WG_F_64(d), "+f"((d)[64]), "+f"((d)[65]), "+f"((d)[66]), "+f"((d)[67])
#define TC__WG_F_72(d) TC__WG_F_68(d), "+f"((d)[68]), "+f"((d)[69]), "+f"((d)[70]), "+f"((d)[71])
#define TC__WG_F_76(d) TC__WG_F_72(d), "+f"((d)[72]), "+f"((d)[73]), "+f"((d)[74]), "+f"((d)[75])
#define TC__WG_F_80(d) TC__WG_F_76(d), "+f"((d)[76]), "+f"((d)[77]), "+f"((d)[78]), "+f"((d)[79])
#define TC__WG_F_84(d) TC__WG_F_80(d), "+f"((d)[80]), "+f"((d)[81]), "+f"((d)[82]), "+f"((d)[83])
#define TC__WG_F_88(d) TC__WG_F_84(d), "+f"((d)[84]), "+f"((d)[85]), "+f"((d)[86]), "+f"((d)[87])
#define TC__WG_F_92(d) TC__WG_F_88(d), "+f"((d)[88]), "+f"((d)[89]), "+f"((d)[90]), "+f"((d)[91])
#define TC__WG_F_96(d) TC__WG_F_92(d), "+f"((d)[92]), "+f"((d)[93]), "+f"((d)[94]), "+f"((d)[95])
#define TC__WG_F_100(d) TC__WG_F_96(d), "+f"((d)[96]), "+f"((d)[97]), "+f"((d)[98]), "+f"((d)[99])
#define TC__WG_F_104(d) TC__WG_F_100(d), "+f"((d)[100]), "+f"((d)[101]), "+f"((d)[102]), "+f"((d)[103])
#define TC__WG_F_108(d) TC__WG_F_104(d), "+f"((d)[104]), "+f"((d)[105]), "+f"((d)[106]), "+f"((d)[107])
#define TC__WG_F_112(d) TC__WG_F_108(d), "+f"((d)[108]), "+f"((d)[109]), "+f"((d)[110]), "+f"((d)[111])
#define TC__WG_F_116(d) TC__WG_F_112(d), "+f"((d)[112]), "+f"((d)[113]), "+f"((d)[114]), "+f"((d)[115])
#define TC__WG_F_120(d) TC__WG_F_116(d), "+f"((d)[116]), "+f"((d)[117]), "+f"((d)[118]), "+f"((d)[119])
#define TC__WG_F_124(d) TC__WG_F_120(d), "+f"((d)[120]), "+f"((d)[121]), "+f"((d)[122]), "+f"((d)[123])
#define TC__WG_F_128(d) TC__WG_F_124(d), "+f"((d)[124]), "+f"((d)[125]), "+f"((d)[126]), "+f"((d)[127])

#define TC__WG_I_0(d) "+r"((d)[0])
#define TC__WG_I_2(d) "+r"((d)[0]), "+r"((d)[1])
#define TC__WG_I_4(d) TC__WG_I_2(d), "+r"((d)[2]), "+r"((d)[3])
#define TC__WG_I_6(d) TC__WG_I_4(d), "+r"((d)[4]), "+r"((d)[5])
#define TC__WG_I_8(d) TC__WG_I_6(d), "+r"((d)[6]), "+r"((d)[7])
#define TC__WG_I_10(d) TC__WG_I_8(d), "+r"((d)[8]), "+r"((d)[9])
#define TC__WG_I_12(d) TC__WG_I_10(d), "+r"((d)[10]), "+r"((d)[11])
#define TC__WG_I_14(d) TC__WG_I_12(d), "+r"((d)[12]), "+r"((d)[13])
#define TC__WG_I_16(d) TC__WG_I_14(d), "+r"((d)[14]), "+r"((d)[15])
#define TC__WG_I_18(d) TC__WG_I_16(d), "+r"((d)[16]), "+r"((d)[17])
#define TC__WG_I_20(d) TC__WG_I_18(d), "+r"((d)[18]), "+r"((d)[19])
#define TC__WG_I_22(d) TC__WG_I_20(d), "+r"((d)[20]), "+r"((d)[21])
#define TC__WG_I_24(d) TC__WG_I_22(d), "+r"((d)[22]), "+r"((d)[23])
#define TC__WG_I_26(d) TC__WG_I_24(d), "+r"((d)[24]), "+r"((d)[25])
#define TC__WG_I_28(d) TC__WG_I_26(d), "+r"((d)[26]), "+r"((d)[27])
#define TC__WG_I_30(d) TC__WG_I_28(d), "+r"((d)[28]), "+r"((d)[29])
#define TC__WG_I_32(d) TC__WG_I_30(d), "+r"((d)[30]), "+r"((d)[31])
#define TC__WG_I_34(d) TC__WG_I_32(d), "+r"((d)[32]), "+r"((d)[33])
#define TC__WG_I_36(d) TC__WG_I_34(d), "+r"((d)[34]), "+r"((d)[35])
#define TC__WG_I_38(d) TC__WG_I_36(d), "+r"((d)[36]), "+r"((d)[37])
#define TC__WG_I_40(d) TC__WG_I_38(d), "+r"((d)[38]), "+r"((d)[39])
#define TC__WG_I_42(d) TC__WG_I_40(d), "+r"((d)[40]), "+r"((d)[41])
#define TC__WG_I_44(d) TC__WG_I_42(d), "+r"((d)[42]), "+r"((d)[43])
#define TC__WG_I_46(d) TC__WG_I_44(d), "+r"((d)[44]), "+r"((d)[45])
#define TC__WG_I_48(d) TC__WG_I_46(d), "+r"((d)[46]), "+r"((d)[47])
#define TC__WG_I_50(d) TC__WG_I_48(d), "+r"((d)[48]), "+r"((d)[49])
#define TC__WG_I_52(d) TC__WG_I_50(d), "+r"((d)[50]), "+r"((d)[51])
#define TC__WG_I_54(d) TC__WG_I_52(d), "+r"((d)[52]), "+r"((d)[53])
#define TC__WG_I_56(d) TC__WG_I_54(d), "+r"((d)[54]), "+r"((d)[55])
#define TC__WG_I_58(d) TC__WG_I_56(d), "+r"((d)[56]), "+r"((d)[57])
#define TC__WG_I_60(d) TC__WG_I_58(d), "+r"((d)[58]), "+r"((d)[59])
#define TC__WG_I_62(d) TC__WG_I_60(d), "+r"((d)[60]), "+r"((d)[61])
#define TC__WG_I_64(d) TC__WG_I_62(d), "+r"((d)[62]), "+r"((d)[63])
#define TC__WG_I_68(d) TC__WG_I_64(d), "+r"((d)[64]), "+r"((d)[65]), "+r"((d)[66]), "+r"((d)[67])
#define TC__WG_I_72(d) TC__WG_I_68(d), "+r"((d)[68]), "+r"((d)[69]), "+r"((d)[70]), "+r"((d)[71])
#define TC__WG_I_76(d) TC__WG_I_72(d), "+r"((d)[72]), "+r"((d)[73]), "+r"((d)[74]), "+r"((d)[75])
#define TC__WG_I_80(d) TC__WG_I_76(d), "+r"((d)[76]), "+r"((d)[77]), "+r"((d)[78]), "+r"((d)[79])
#define TC__WG_I_84(d) TC__WG_I_80(d), "+r"((d)[80]), "+r"((d)[81]), "+r"((d)[82]), "+r"((d)[83])
#define TC__WG_I_88(d) TC__WG_I_84(d), "+r"((d)[84]), "+r"((d)[85]), "+r"((d)[86]), "+r"((d)[87])
#define TC__WG_I_92(d) TC__WG_I_88(d), "+r"((d)[88]), "+r"((d)[89]), "+r"((d)[90]), "+r"((d)[91])
#define TC__WG_I_96(d) TC__WG_I_92(d), "+r"((d)[92]), "+r"((d)[93]), "+r"((d)[94]), "+r"((d)[95])
#define TC__WG_I_100(d) TC__WG_I_96(d), "+r"((d)[96]), "+r"((d)[97]), "+r"((d)[98]), "+r"((d)[99])
#define TC__WG_I_104(d) TC__WG_I_100(d), "+r"((d)[100]), "+r"((d)[101]), "+r"((d)[102]), "+r"((d)[103])
#define TC__WG_I_108(d) TC__WG_I_104(d), "+r"((d)[104]), "+r"((d)[105]), "+r"((d)[106]), "+r"((d)[107])
#define TC__WG_I_112(d) TC__WG_I_108(d), "+r"((d)[108]), "+r"((d)[109]), "+r"((d)[110]), "+r"((d)[111])
#define TC__WG_I_116(d) TC__WG_I_112(d), "+r"((d)[112]), "+r"((d)[113]), "+r"((d)[114]), "+r"((d)[115])
#define TC__WG_I_120(d) TC__WG_I_116(d), "+r"((d)[116]), "+r"((d)[117]), "+r"((d)[118]), "+r"((d)[119])
#define TC__WG_I_124(d) TC__WG_I_120(d), "+r"((d)[120]), "+r"((d)[121]), "+r"((d)[122]), "+r"((d)[123])
#define TC__WG_I_128(d) TC__WG_I_124(d), "+r"((d)[124]), "+r"((d)[125]), "+r"((d)[126]), "+r"((d)[127])

#define TC__WG_P_0 1, 2, 3, 4, 5, 6, 7
#define TC__WG_P_2 2, 3, 4, 5, 6, 7, 8
#define TC__WG_P_4 4, 5, 6, 7, 8, 9, 10
#define TC__WG_P_6 6, 7, 8, 9, 10, 11, 12
#define TC__WG_P_8 8, 9, 10, 11, 12, 13, 14
#define TC__WG_P_10 10, 11, 12, 13, 14, 15, 16
#define TC__WG_P_12 12, 13, 14, 15, 16, 17, 18
#define TC__WG_P_14 14, 15, 16, 17, 18, 19, 20
#define TC__WG_P_16 16, 17, 18, 19, 20, 21, 22
#define TC__WG_P_18 18, 19, 20, 21, 22, 23, 24
#define TC__WG_P_20 20, 21, 22, 23, 24, 25, 26
#define TC__WG_P_22 22, 23, 24, 25, 26, 27, 28
#define TC__WG_P_24 24, 25, 26, 27, 28, 29, 30
#define TC__WG_P_26 26, 27, 28, 29, 30, 31, 32
#define TC__WG_P_28 28, 29, 30, 31, 32, 33, 34
#define TC__WG_P_30 30, 31, 32, 33, 34, 35, 36
#define TC__WG_P_32 32, 33, 34, 35, 36, 37, 38
#define TC__WG_P_34 34, 35, 36, 37, 38, 39, 40
#define TC__WG_P_36 36, 37, 38, 39, 40, 41, 42
#define TC__WG_P_38 38, 39, 40, 41, 42, 43, 44
#define TC__WG_P_40 40, 41, 42, 43, 44, 45, 46
#define TC__WG_P_42 42, 43, 44, 45, 46, 47, 48
#define TC__WG_P_44 44, 45, 46, 47, 48, 49, 50
#define TC__WG_P_46 46, 47, 48, 49, 50, 51, 52
#define TC__WG_P_48 48, 49, 50, 51, 52, 53, 54
#define TC__WG_P_50 50, 51, 52, 53, 54, 55, 56
#define TC__WG_P_52 52, 53, 54, 55, 56, 57, 58
#define TC__WG_P_54 54, 55, 56, 57, 58, 59, 60
#define TC__WG_P_56 56, 57, 58, 59, 60, 61, 62
#define TC__WG_P_58 58, 59, 60, 61, 62, 63, 64
#define TC__WG_P_60 60, 61, 62, 63, 64, 65, 66
#define TC__WG_P_62 62, 63, 64, 65, 66, 67, 68
#define TC__WG_P_64 64, 65, 66, 67, 68, 69, 70
#define TC__WG_P_68 68, 69, 70, 71, 72, 73, 74
#define TC__WG_P_72 72, 73, 74, 75, 76, 77, 78
#define TC__WG_P_76 76, 77, 78, 79, 80, 81, 82
#define TC__WG_P_80 80, 81, 82, 83, 84, 85, 86
#define TC__WG_P_84 84, 85, 86, 87, 88, 89, 90
#define TC__WG_P_88 88, 89, 90, 91, 92, 93, 94
#define TC__WG_P_92 92, 93, 94, 95, 96, 97, 98
#define TC__WG_P_96 96, 97, 98, 99, 100, 101, 102
#define TC__WG_P_100 100, 101, 102, 103, 104, 105, 106
#define TC__WG_P_104 104, 105, 106, 107, 108, 109, 110
#define TC__WG_P_108 108, 109, 110, 111, 112, 113, 114
#define TC__WG_P_112 112, 113, 114, 115, 116, 117, 118
#define TC__WG_P_116 116, 117, 118, 119, 120, 121, 122
#define TC__WG_P_120 120, 121, 122, 123, 124, 125, 126
#define TC__WG_P_124 124, 125, 126, 127, 128, 129, 130
#define TC__WG_P_128 128, 129, 130, 131, 132, 133, 134

/* registers of D by n: of f32 and s32, of f16 */
#define TC__WG_R_8 ~, 4, 2
#define TC__WG_R_16 ~, 8, 4
#define TC__WG_R_24 ~, 12, 6
#define TC__WG_R_32 ~, 16, 8
#define TC__WG_R_40 ~, 20, 10
#define TC__WG_R_48 ~, 24, 12
#define TC__WG_R_56 ~, 28, 14
#define TC__WG_R_64 ~, 32, 16
#define TC__WG_R_72 ~, 36, 18
#define TC__WG_R_80 ~, 40, 20
#define TC__WG_R_88 ~, 44, 22
#define TC__WG_R_96 ~, 48, 24
#define TC__WG_R_104 ~, 52, 26
#define TC__WG_R_112 ~, 56, 28
#define TC__WG_R_120 ~, 60, 30
#define TC__WG_R_128 ~, 64, 32
#define TC__WG_R_136 ~, 68, 34
#define TC__WG_R_144 ~, 72, 36
#define TC__WG_R_152 ~, 76, 38
#define TC__WG_R_160 ~, 80, 40
#define TC__WG_R_168 ~, 84, 42
#define TC__WG_R_176 ~, 88, 44
#define TC__WG_R_184 ~, 92, 46
#define TC__WG_R_192 ~, 96, 48
#define TC__WG_R_200 ~, 100, 50
#define TC__WG_R_208 ~, 104, 52
#define TC__WG_R_216 ~, 108, 54
#define TC__WG_R_224 ~, 112, 56
#define TC__WG_R_232 ~, 116, 58
#define TC__WG_R_240 ~, 120, 60
#define TC__WG_R_248 ~, 124, 62
#define TC__WG_R_256 ~, 128, 64
#define TC__WG_THIRD(...) TC__WG_THIRD_(__VA_ARGS__, ~, ~, ~)
#define TC__WG_THIRD_(a, b, c, ...) c
#define TC__WG_REGS_f32(n) TC__SECOND(TC__CAT(TC__WG_R_, n), 0)
#define TC__WG_REGS_s32(n) TC__SECOND(TC__CAT(TC__WG_R_, n), 0)
#define TC__WG_REGS_f16(n) TC__WG_THIRD(TC__CAT(TC__WG_R_, n), 0, 0)
#define TC__WG_D_f32(r) TC__WG_F_##r
#define TC__WG_D_s32(r) TC__WG_I_##r
#define TC__WG_D_f16(r) TC__WG_I_##r
#define TC__WG_DTYPE_f32 ~, f32
#define TC__WG_DTYPE_s32 ~, s32
#define TC__WG_DTYPE_f16 ~, f16

/* by the type of A: K of the instruction, dense and sparse */
#define TC__WG_K_f16 "k16"
#define TC__WG_K_bf16 "k16"
#define TC__WG_K_tf32 "k8"
#define TC__WG_K_e4m3 "k32"
#define TC__WG_K_e5m2 "k32"
#define TC__WG_K_s8 "k32"
#define TC__WG_K_u8 "k32"
#define TC__WG_K_b1 "k256"
#define TC__WG_KSP_f16 "k32"
#define TC__WG_KSP_bf16 "k32"
#define TC__WG_KSP_tf32 "k16"
#define TC__WG_KSP_e4m3 "k64"
#define TC__WG_KSP_e5m2 "k64"
#define TC__WG_KSP_s8 "k64"
#define TC__WG_KSP_u8 "k64"

/* by the type of A: its class. H has scales and transposes, F scales, I and B nothing; X is no type at all. */
#define TC__WG_A_f16 ~, H
#define TC__WG_A_bf16 ~, H
#define TC__WG_A_tf32 ~, F
#define TC__WG_A_e4m3 ~, F
#define TC__WG_A_e5m2 ~, F
#define TC__WG_A_s8 ~, I
#define TC__WG_A_u8 ~, I
#define TC__WG_A_b1 ~, B

/* by form, class and number of arguments after a_type: which macro. 1: one type for A and B, 2: both types. */
#define TC__WG_SS_H_8 ~, TC__WG_SS_H1
#define TC__WG_SS_H_9 ~, TC__WG_SS_H2
#define TC__WG_SS_F_6 ~, TC__WG_SS_F1
#define TC__WG_SS_F_7 ~, TC__WG_SS_F2
#define TC__WG_SS_I_4 ~, TC__WG_SS_I1
#define TC__WG_SS_I_5 ~, TC__WG_SS_I2
#define TC__WG_SS_B_4 ~, TC__WG_SS_B1
#define TC__WG_SS_B_5 ~, TC__WG_SS_I2
#define TC__WG_RS_H_7 ~, TC__WG_RS_H1
#define TC__WG_RS_H_8 ~, TC__WG_RS_H2
#define TC__WG_RS_F_6 ~, TC__WG_RS_F1
#define TC__WG_RS_F_7 ~, TC__WG_RS_F2
#define TC__WG_RS_I_4 ~, TC__WG_RS_I1
#define TC__WG_RS_I_5 ~, TC__WG_RS_I2
#define TC__WG_RS_B_4 ~, TC__WG_RS_B1
#define TC__WG_RS_B_5 ~, TC__WG_RS_I2
#define TC__WG_SPSS_H_10 ~, TC__WG_SPSS_H1
#define TC__WG_SPSS_H_11 ~, TC__WG_SPSS_H2
#define TC__WG_SPSS_F_8 ~, TC__WG_SPSS_F1
#define TC__WG_SPSS_F_9 ~, TC__WG_SPSS_F2
#define TC__WG_SPSS_I_6 ~, TC__WG_SPSS_I1
#define TC__WG_SPSS_I_7 ~, TC__WG_SPSS_I2
#define TC__WG_SPRS_H_9 ~, TC__WG_SPRS_H1
#define TC__WG_SPRS_H_10 ~, TC__WG_SPRS_H2
#define TC__WG_SPRS_F_8 ~, TC__WG_SPRS_F1
#define TC__WG_SPRS_F_9 ~, TC__WG_SPRS_F2
#define TC__WG_SPRS_I_6 ~, TC__WG_SPRS_I1
#define TC__WG_SPRS_I_7 ~, TC__WG_SPRS_I2

/* ---------------------------------------------------------------------------------------------------------------------
 * Sentences
 */
#define TC__WG_CHECK_N(n, d_type)                                                                                     \
    static_assert((n) >= 8 && (n) <= 256 && (n) % 8 == 0, "tc: wgmma: n must be a multiple of 8 in 8..256");          \
    static_assert(!tc__follows(#d_type, "s32") || (n) % 16 == 0 || (n) == 8 || (n) == 24,                             \
                  "tc: wgmma: with s8, u8 and b1, n is 8, 16, 24, 32, 48 or a larger multiple of 16 up to 256")
#define TC__WG_TYPES                                                                                                  \
    "tc: wgmma: the types of D, A and B are f32 with f16.f16, bf16.bf16, tf32.tf32 or any of e4m3, e5m2 with any; "   \
    "f16 with f16.f16 or any of e4m3, e5m2 with any; s32 with any of s8, u8 with any (B may be s8.satfinite, "        \
    "u8.satfinite) or b1.b1.and.popc"
#define TC__WG_CHECK_TYPES(d_type, a_type, b_type)                                                                    \
    static_assert(tc__follows(#d_type "." #a_type "." #b_type,                                                        \
                              "f32.f16.f16|f32.bf16.bf16|f32.tf32.tf32|f16.f16.f16|s32.b1.b1.and.popc")               \
                      || tc__follows(#d_type "." #a_type "." #b_type, "f32|f16 .e4m3|.e5m2 .e4m3|.e5m2")              \
                      || tc__follows(#d_type "." #a_type "." #b_type, "s32 .s8|.u8 .s8|.u8 |.satfinite"), TC__WG_TYPES)
#define TC__WG_CHECK_SCALE(a, b)                                                                                      \
    static_assert(((a) == 1 || (a) == -1) && ((b) == 1 || (b) == -1), "tc: wgmma: scale_a and scale_b are 1 or -1")
#define TC__WG_CHECK_TRANS(a, b)                                                                                      \
    static_assert(((a) == 0 || (a) == 1) && ((b) == 0 || (b) == 1),                                                   \
                  "tc: wgmma: trans_a and trans_b are 0 (K-major) or 1 (MN-major)")
#define TC__WG_CHECK_SEL(sel, d_type, a_type)                                                                         \
    static_assert((sel) == 0 || ((sel) == 1 && tc__follows(#a_type, "f16|bf16|tf32")),                                \
                  "tc: wgmma: the sparsity selector is 0 or 1, with e4m3, e5m2, s8 and u8 it is 0")
/* what the wrong number of arguments, or a type of A that is none, leads to */
#define TC__WG_SAY(text) static_assert(0, "tc: wgmma: " text)
#define TC__WG_SS_BAD_X(...) static_assert(0, TC__WG_TYPES)
#define TC__WG_RS_BAD_X(...) static_assert(0, TC__WG_TYPES)
#define TC__WG_SPSS_BAD_X(...) static_assert(0, TC__WG_TYPES)
#define TC__WG_SPRS_BAD_X(...) static_assert(0, TC__WG_TYPES)
#define TC__WG_SS_BAD_H(...)                                                                                          \
    TC__WG_SAY("f16 and bf16: TC_WGMMA_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, scale_d, scale_a, "         \
               "scale_b, trans_a, trans_b)")
#define TC__WG_SS_BAD_F(...)                                                                                          \
    TC__WG_SAY("tf32, e4m3 and e5m2 are K-major only: TC_WGMMA_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, "   \
               "scale_d, scale_a, scale_b)")
#define TC__WG_SS_BAD_I(...) TC__WG_SAY("s8 and u8: TC_WGMMA_SS(n, s32, a_type[, b_type], d, desc_a, desc_b, scale_d)")
#define TC__WG_SS_BAD_B(...) TC__WG_SAY("b1: TC_WGMMA_SS(n, s32, b1, d, desc_a, desc_b, scale_d)")
#define TC__WG_RS_BAD_H(...)                                                                                          \
    TC__WG_SAY("f16 and bf16: TC_WGMMA_RS(n, d_type, a_type[, b_type], d, a, desc_b, scale_d, scale_a, scale_b, "     \
               "trans_b)")
#define TC__WG_RS_BAD_F(...)                                                                                          \
    TC__WG_SAY("tf32, e4m3 and e5m2 are K-major only: TC_WGMMA_RS(n, d_type, a_type[, b_type], d, a, desc_b, "        \
               "scale_d, scale_a, scale_b)")
#define TC__WG_RS_BAD_I(...) TC__WG_SAY("s8 and u8: TC_WGMMA_RS(n, s32, a_type[, b_type], d, a, desc_b, scale_d)")
#define TC__WG_RS_BAD_B(...) TC__WG_SAY("b1: TC_WGMMA_RS(n, s32, b1, d, a, desc_b, scale_d)")
#define TC__WG_SPSS_BAD_H(...)                                                                                        \
    TC__WG_SAY("f16 and bf16: TC_WGMMA_SP_SS(n, d_type, a_type[, b_type], d, desc_a, desc_b, meta, selector, "        \
               "scale_d, scale_a, scale_b, trans_a, trans_b)")
#define TC__WG_SPSS_BAD_F(...)                                                                                        \
    TC__WG_SAY("tf32, e4m3 and e5m2 are K-major only: TC_WGMMA_SP_SS(n, d_type, a_type[, b_type], d, desc_a, "        \
               "desc_b, meta, selector, scale_d, scale_a, scale_b)")
#define TC__WG_SPSS_BAD_I(...)                                                                                        \
    TC__WG_SAY("s8 and u8: TC_WGMMA_SP_SS(n, s32, a_type[, b_type], d, desc_a, desc_b, meta, selector, scale_d)")
#define TC__WG_SPSS_BAD_B(...) TC__WG_SAY("b1 has no sparse form")
#define TC__WG_SPRS_BAD_H(...)                                                                                        \
    TC__WG_SAY("f16 and bf16: TC_WGMMA_SP_RS(n, d_type, a_type[, b_type], d, a, desc_b, meta, selector, scale_d, "    \
               "scale_a, scale_b, trans_b)")
#define TC__WG_SPRS_BAD_F(...)                                                                                        \
    TC__WG_SAY("tf32, e4m3 and e5m2 are K-major only: TC_WGMMA_SP_RS(n, d_type, a_type[, b_type], d, a, desc_b, "     \
               "meta, selector, scale_d, scale_a, scale_b)")
#define TC__WG_SPRS_BAD_I(...)                                                                                        \
    TC__WG_SAY("s8 and u8: TC_WGMMA_SP_RS(n, s32, a_type[, b_type], d, a, desc_b, meta, selector, scale_d)")
#define TC__WG_SPRS_BAD_B(...) TC__WG_SAY("b1 has no sparse form")

/* ---------------------------------------------------------------------------------------------------------------------
 * From the arguments to one statement of inline PTX.
 */
/* the operands after D, from TC__WG_P_r; TC__WG_PRED_: the one that the predicate is made from */
#define TC__WG_OPS_SS(sel, p0, p1, ...) "%" #p0 ", %" #p1 ", p"
#define TC__WG_OPS_RS(sel, p0, p1, p2, p3, p4, ...) "{%" #p0 ",%" #p1 ",%" #p2 ",%" #p3 "}, %" #p4 ", p"
#define TC__WG_OPS_SPSS(sel, p0, p1, p2, ...) "%" #p0 ", %" #p1 ", %" #p2 ", " sel ", p"
#define TC__WG_OPS_SPRS(sel, p0, p1, p2, p3, p4, p5, ...)                                                             \
    "{%" #p0 ",%" #p1 ",%" #p2 ",%" #p3 "}, %" #p4 ", %" #p5 ", " sel ", p"
#define TC__WG_PRED_SS(p0, p1, p2, ...) "%" #p2
#define TC__WG_PRED_RS(p0, p1, p2, p3, p4, p5, ...) "%" #p5
#define TC__WG_PRED_SPSS(p0, p1, p2, p3, ...) "%" #p3
#define TC__WG_PRED_SPRS(p0, p1, p2, p3, p4, p5, p6, ...) "%" #p6

/* regs: the registers of D; sp: ".sp" or ""; k and types: text; tail: the literal operands; then the inputs */
#define TC__WG_ASM(regs, form, sp, k, types, n, d_type, d, sel, tail, ...)                                            \
    asm volatile("{\n"                                                                                                \
                 ".reg .pred p;\n"                                                                                    \
                 "setp.ne.b32 p, " TC__CALL3(TC__CAT(TC__WG_PRED_, form), TC__CAT(TC__WG_P_, regs)) ", 0;\n"           \
                 "wgmma.mma_async" sp ".sync.aligned.m64n" #n k types " {" TC__CAT(TC__WG_L_, regs) "}, "             \
                 TC__CALL3(TC__CAT(TC__WG_OPS_, form), sel, TC__CAT(TC__WG_P_, regs)) tail ";\n"                       \
                 "}"                                                                                                  \
                 : TC__CALL3(TC__CAT(TC__WG_D_, d_type), regs)(d)                                                      \
                 : __VA_ARGS__                                                                                        \
                 : "memory")
#define TC__WG_RUN(form, sp, k, n, d_type, a_type, b_type, d, sel, tail, ...)                                         \
    TC__WG_CHECK_TYPES(d_type, a_type, b_type);                                                                       \
    TC__WG_CHECK_N(n, d_type);                                                                                        \
    tc__needs_sm90a();                                                                                                \
    TC__WG_RUN_(TC__PROBE(TC__CAT(TC__WG_DTYPE_, d_type), f32), form, sp, k, "." #d_type "." #a_type "." #b_type, n,  \
                d, sel, tail, __VA_ARGS__)
#define TC__WG_RUN_(d_type, form, sp, k, types, n, d, sel, tail, ...)                                                 \
    TC__CALL2(TC__WG_ASM, TC__CAT(TC__WG_REGS_, d_type)(n), form, sp, k, types, n, d_type, d, sel, tail, __VA_ARGS__)

/* the four forms; tail: what stands behind the predicate */
#define TC__WG_SS_(n, D, A, B, d, da, db, sd, tail)                                                                   \
    TC__WG_RUN(SS, "", TC__WG_K_##A, n, D, A, B, d, "", tail, "l"(da), "l"(db), "r"((int)(sd)))
#define TC__WG_RS_(n, D, A, B, d, a, db, sd, tail)                                                                    \
    TC__WG_RUN(RS, "", TC__WG_K_##A, n, D, A, B, d, "", tail,                                                         \
               "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(db), "r"((int)(sd)))
#define TC__WG_SPSS_(n, D, A, B, d, da, db, meta, sel, sd, tail)                                                      \
    TC__WG_CHECK_SEL(sel, D, A);                                                                                      \
    TC__WG_RUN(SPSS, ".sp", TC__WG_KSP_##A, n, D, A, B, d, #sel, tail, "l"(da), "l"(db), "r"(meta), "r"((int)(sd)))
#define TC__WG_SPRS_(n, D, A, B, d, a, db, meta, sel, sd, tail)                                                       \
    TC__WG_CHECK_SEL(sel, D, A);                                                                                      \
    TC__WG_RUN(SPRS, ".sp", TC__WG_KSP_##A, n, D, A, B, d, #sel, tail,                                                \
               "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(db), "r"(meta), "r"((int)(sd)))

/* by class; the one-type line names the type twice */
#define TC__WG_SS_H1(n, D, A, ...) TC__WG_SS_H2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SS_F1(n, D, A, ...) TC__WG_SS_F2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SS_I1(n, D, A, ...) TC__WG_SS_I2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SS_B1(n, D, A, ...) TC__WG_SS_I2(n, D, A, b1.and.popc, __VA_ARGS__)
#define TC__WG_SS_H2(n, D, A, B, d, da, db, sd, sa, sb, ta, tb)                                                       \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_CHECK_TRANS(ta, tb);                                                                                       \
    TC__WG_SS_(n, D, A, B, d, da, db, sd, ", " #sa ", " #sb ", " #ta ", " #tb)
#define TC__WG_SS_F2(n, D, A, B, d, da, db, sd, sa, sb)                                                               \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_SS_(n, D, A, B, d, da, db, sd, ", " #sa ", " #sb)
#define TC__WG_SS_I2(n, D, A, B, d, da, db, sd) TC__WG_SS_(n, D, A, B, d, da, db, sd, "")

#define TC__WG_RS_H1(n, D, A, ...) TC__WG_RS_H2(n, D, A, A, __VA_ARGS__)
#define TC__WG_RS_F1(n, D, A, ...) TC__WG_RS_F2(n, D, A, A, __VA_ARGS__)
#define TC__WG_RS_I1(n, D, A, ...) TC__WG_RS_I2(n, D, A, A, __VA_ARGS__)
#define TC__WG_RS_B1(n, D, A, ...) TC__WG_RS_I2(n, D, A, b1.and.popc, __VA_ARGS__)
#define TC__WG_RS_H2(n, D, A, B, d, a, db, sd, sa, sb, tb)                                                            \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_CHECK_TRANS(0, tb);                                                                                        \
    TC__WG_RS_(n, D, A, B, d, a, db, sd, ", " #sa ", " #sb ", " #tb)
#define TC__WG_RS_F2(n, D, A, B, d, a, db, sd, sa, sb)                                                                \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_RS_(n, D, A, B, d, a, db, sd, ", " #sa ", " #sb)
#define TC__WG_RS_I2(n, D, A, B, d, a, db, sd) TC__WG_RS_(n, D, A, B, d, a, db, sd, "")

#define TC__WG_SPSS_H1(n, D, A, ...) TC__WG_SPSS_H2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPSS_F1(n, D, A, ...) TC__WG_SPSS_F2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPSS_I1(n, D, A, ...) TC__WG_SPSS_I2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPSS_H2(n, D, A, B, d, da, db, meta, sel, sd, sa, sb, ta, tb)                                          \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_CHECK_TRANS(ta, tb);                                                                                       \
    TC__WG_SPSS_(n, D, A, B, d, da, db, meta, sel, sd, ", " #sa ", " #sb ", " #ta ", " #tb)
#define TC__WG_SPSS_F2(n, D, A, B, d, da, db, meta, sel, sd, sa, sb)                                                  \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_SPSS_(n, D, A, B, d, da, db, meta, sel, sd, ", " #sa ", " #sb)
#define TC__WG_SPSS_I2(n, D, A, B, d, da, db, meta, sel, sd) TC__WG_SPSS_(n, D, A, B, d, da, db, meta, sel, sd, "")

#define TC__WG_SPRS_H1(n, D, A, ...) TC__WG_SPRS_H2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPRS_F1(n, D, A, ...) TC__WG_SPRS_F2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPRS_I1(n, D, A, ...) TC__WG_SPRS_I2(n, D, A, A, __VA_ARGS__)
#define TC__WG_SPRS_H2(n, D, A, B, d, a, db, meta, sel, sd, sa, sb, tb)                                               \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_CHECK_TRANS(0, tb);                                                                                        \
    TC__WG_SPRS_(n, D, A, B, d, a, db, meta, sel, sd, ", " #sa ", " #sb ", " #tb)
#define TC__WG_SPRS_F2(n, D, A, B, d, a, db, meta, sel, sd, sa, sb)                                                   \
    TC__WG_CHECK_SCALE(sa, sb);                                                                                       \
    TC__WG_SPRS_(n, D, A, B, d, a, db, meta, sel, sd, ", " #sa ", " #sb)
#define TC__WG_SPRS_I2(n, D, A, B, d, a, db, meta, sel, sd) TC__WG_SPRS_(n, D, A, B, d, a, db, meta, sel, sd, "")

#define TC__WG_PICK(form, class, count) TC__WG_PICK_(form, class, count)
#define TC__WG_PICK_(form, class, count) TC__PROBE(TC__WG_##form##_##class##_##count, TC__WG_##form##_BAD_##class)
#define TC__WG_GO(form, n, d_type, a_type, ...)                                                                       \
    do {                                                                                                              \
        TC__CALL(TC__WG_PICK(form, TC__PROBE(TC__WG_A_##a_type, X), TC__NARGS(__VA_ARGS__)), n, d_type, a_type,       \
                 __VA_ARGS__);                                                                                        \
    } while (0)

/* PTX: wgmma.mma_async and wgmma.mma_async.sp. See the top of this file. */
#define TC_WGMMA_SS(n, d_type, a_type, ...) TC__WG_GO(SS, n, d_type, a_type, __VA_ARGS__)
#define TC_WGMMA_RS(n, d_type, a_type, ...) TC__WG_GO(RS, n, d_type, a_type, __VA_ARGS__)
#define TC_WGMMA_SP_SS(n, d_type, a_type, ...) TC__WG_GO(SPSS, n, d_type, a_type, __VA_ARGS__)
#define TC_WGMMA_SP_RS(n, d_type, a_type, ...) TC__WG_GO(SPRS, n, d_type, a_type, __VA_ARGS__)

/* ---------------------------------------------------------------------------------------------------------------------
 * The common set as functions: both operands K-major, nothing negated. A mainloop takes one of them as a constant.
 */
#define TC__WG_ALL_N(X)                                                                                               \
    X(8) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72) X(80) X(88) X(96) X(104) X(112) X(120) X(128)                \
    X(136) X(144) X(152) X(160) X(168) X(176) X(184) X(192) X(200) X(208) X(216) X(224) X(232) X(240) X(248) X(256)

/* Their bodies, up to 128 operands each, are more text than all the rest of the kit: only the pass that makes code of
 * them reads them. For the host compiler, and for a target that refuses the call anyway, the names are enough. */
#if defined(__CUDA_ARCH__) && TC_HAS_SM90A
#define TC__WG_BODY(...) __VA_ARGS__
#else
#define TC__WG_BODY(...)
#endif
#define TC__WG_FUNCTION(n)                                                                                            \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_bf16(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d)         \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_FUNCTION_(n, ".f32.bf16.bf16", d, desc_a, desc_b, scale_d);)                              \
    }                                                                                                                 \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_f16(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d)          \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_FUNCTION_(n, ".f32.f16.f16", d, desc_a, desc_b, scale_d);)                                \
    }
#define TC__WG_FUNCTION_(n, types, d, da, db, sd)                                                                     \
    TC__WG_RUN_(f32, SS, "", "k16", types, n, d, "", ", 1, 1, 0, 0", "l"(da), "l"(db), "r"((int)(sd)))
TC__WG_ALL_N(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION
#undef TC__WG_FUNCTION_

typedef void (*tc_wgmma_fn)(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d);

/* The same with A, B or both MN-major, for the other types, and with sums in f16: one function for each n, as a
 * mainloop's constant. Sums of integers are their bits in the floats; of f16 two are the bits of one. */
#define TC__WG_ONE(name, n, regs, k, types, tail)                                                                     \
    TC_DEV_SM90A void tc__wgmma_##name##_n##n(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d)                \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_ONE_##regs(n, k, types, tail, d, desc_a, desc_b, scale_d);)                                \
    }
#define TC__WG_ONE_f32(n, k, types, tail, d, da, db, sd)                                                              \
    TC__WG_RUN_(f32, SS, "", k, types, n, d, "", tail, "l"(da), "l"(db), "r"((int)(sd)))
#define TC__WG_ONE_s32(n, k, types, tail, d, da, db, sd)                                                              \
    int32_t *sums = (int32_t *)d;                                                                                     \
    TC__WG_RUN_(s32, SS, "", k, types, n, sums, "", tail, "l"(da), "l"(db), "r"((int)(sd)))
#define TC__WG_ONE_f16(n, k, types, tail, d, da, db, sd)                                                              \
    uint32_t *sums = (uint32_t *)d;                                                                                   \
    TC__WG_RUN_(f16, SS, "", k, types, n, sums, "", tail, "l"(da), "l"(db), "r"((int)(sd)))
/* X(name, A, B, A is MN-major, B is MN-major, registers, k, types, what stands behind the predicate) */
#define TC__WG_FAMILIES(X, n)                                                                                         \
    X(bf16_mn_k, TC_BF16, TC_BF16, 1, 0, n, f32, "k16", ".f32.bf16.bf16", ", 1, 1, 1, 0")                             \
    X(bf16_k_mn, TC_BF16, TC_BF16, 0, 1, n, f32, "k16", ".f32.bf16.bf16", ", 1, 1, 0, 1")                             \
    X(bf16_mn_mn, TC_BF16, TC_BF16, 1, 1, n, f32, "k16", ".f32.bf16.bf16", ", 1, 1, 1, 1")                            \
    X(f16_mn_k, TC_F16, TC_F16, 1, 0, n, f32, "k16", ".f32.f16.f16", ", 1, 1, 1, 0")                                  \
    X(f16_k_mn, TC_F16, TC_F16, 0, 1, n, f32, "k16", ".f32.f16.f16", ", 1, 1, 0, 1")                                  \
    X(f16_mn_mn, TC_F16, TC_F16, 1, 1, n, f32, "k16", ".f32.f16.f16", ", 1, 1, 1, 1")                                 \
    X(f16_mn_k_to_f16, TC_F16, TC_F16, 1, 0, n, f16, "k16", ".f16.f16.f16", ", 1, 1, 1, 0")                           \
    X(f16_k_mn_to_f16, TC_F16, TC_F16, 0, 1, n, f16, "k16", ".f16.f16.f16", ", 1, 1, 0, 1")                           \
    X(f16_mn_mn_to_f16, TC_F16, TC_F16, 1, 1, n, f16, "k16", ".f16.f16.f16", ", 1, 1, 1, 1")                          \
    X(tf32, TC_TF32, TC_TF32, 0, 0, n, f32, "k8", ".f32.tf32.tf32", ", 1, 1")                                         \
    X(e4m3_e4m3, TC_E4M3, TC_E4M3, 0, 0, n, f32, "k32", ".f32.e4m3.e4m3", ", 1, 1")                                   \
    X(e4m3_e5m2, TC_E4M3, TC_E5M2, 0, 0, n, f32, "k32", ".f32.e4m3.e5m2", ", 1, 1")                                   \
    X(e5m2_e4m3, TC_E5M2, TC_E4M3, 0, 0, n, f32, "k32", ".f32.e5m2.e4m3", ", 1, 1")                                   \
    X(e5m2_e5m2, TC_E5M2, TC_E5M2, 0, 0, n, f32, "k32", ".f32.e5m2.e5m2", ", 1, 1")                                   \
    X(s8_s8, TC_S8, TC_S8, 0, 0, n, s32, "k32", ".s32.s8.s8", "")                                                     \
    X(s8_u8, TC_S8, TC_U8, 0, 0, n, s32, "k32", ".s32.s8.u8", "")                                                     \
    X(u8_s8, TC_U8, TC_S8, 0, 0, n, s32, "k32", ".s32.u8.s8", "")                                                     \
    X(u8_u8, TC_U8, TC_U8, 0, 0, n, s32, "k32", ".s32.u8.u8", "")
/* n that all of them have, and that a mainloop asks for */
#define TC__WG_BY_16(X)                                                                                               \
    X(16) X(32) X(48) X(64) X(80) X(96) X(112) X(128) X(144) X(160) X(176) X(192) X(208) X(224) X(240) X(256)
#define TC__WG_MAKE(name, A, B, mn_a, mn_b, n, regs, k, types, tail) TC__WG_ONE(name, n, regs, k, types, tail)
#define TC__WG_FUNCTION(n) TC__WG_FAMILIES(TC__WG_MAKE, n)
TC__WG_BY_16(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION
#define TC__WG_FUNCTION(n) TC__WG_ONE(f16_to_f16, n, f16, "k16", ".f16.f16.f16", ", 1, 1, 0, 0")
TC__WG_ALL_N(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION

/* The same with A in registers: B K-major, and (rs_mn) MN-major, as attention's second product wants it, P * V. */
#define TC__WG_FUNCTION(n) TC__WG_RS_ONE(n, rs, ", 1, 1, 0") TC__WG_RS_ONE(n, rs_mn, ", 1, 1, 1")
#define TC__WG_RS_ONE(n, name, tail)                                                                                  \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_bf16_##name(float *d, const uint32_t *a, uint64_t desc_b,             \
                                                          int scale_d)                                                \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_RS_BODY(n, ".f32.bf16.bf16", tail, d, a, desc_b, scale_d);)                                \
    }                                                                                                                 \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_f16_##name(float *d, const uint32_t *a, uint64_t desc_b,              \
                                                          int scale_d)                                                \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_RS_BODY(n, ".f32.f16.f16", tail, d, a, desc_b, scale_d);)                                  \
    }
#define TC__WG_RS_BODY(n, types, tail, d, a, db, sd)                                                                  \
    TC__WG_RUN_(f32, RS, "", "k16", types, n, d, "", tail, "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]),        \
                "l"(db), "r"((int)(sd)))
TC__WG_ALL_N(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION
#undef TC__WG_RS_ONE
#undef TC__WG_RS_BODY

/* The same with a 2:4 sparse A in shared memory: K-major, one function for each selector that the type has. X(name, A,
 * B, selector, n, registers, k, types, what stands behind the predicate). n: as TC__WG_SP_N lists them. */
#define TC__WG_SP_FAMILIES(X, n)                                                                                      \
    X(bf16_0, TC_BF16, TC_BF16, 0, n, f32, "k32", ".f32.bf16.bf16", ", 1, 1, 0, 0")                                   \
    X(bf16_1, TC_BF16, TC_BF16, 1, n, f32, "k32", ".f32.bf16.bf16", ", 1, 1, 0, 0")                                   \
    X(f16_0, TC_F16, TC_F16, 0, n, f32, "k32", ".f32.f16.f16", ", 1, 1, 0, 0")                                        \
    X(f16_1, TC_F16, TC_F16, 1, n, f32, "k32", ".f32.f16.f16", ", 1, 1, 0, 0")                                        \
    X(tf32_0, TC_TF32, TC_TF32, 0, n, f32, "k16", ".f32.tf32.tf32", ", 1, 1")                                         \
    X(tf32_1, TC_TF32, TC_TF32, 1, n, f32, "k16", ".f32.tf32.tf32", ", 1, 1")                                         \
    X(e4m3_e4m3, TC_E4M3, TC_E4M3, 0, n, f32, "k64", ".f32.e4m3.e4m3", ", 1, 1")                                      \
    X(e4m3_e5m2, TC_E4M3, TC_E5M2, 0, n, f32, "k64", ".f32.e4m3.e5m2", ", 1, 1")                                      \
    X(e5m2_e4m3, TC_E5M2, TC_E4M3, 0, n, f32, "k64", ".f32.e5m2.e4m3", ", 1, 1")                                      \
    X(e5m2_e5m2, TC_E5M2, TC_E5M2, 0, n, f32, "k64", ".f32.e5m2.e5m2", ", 1, 1")                                      \
    X(s8_s8, TC_S8, TC_S8, 0, n, s32, "k64", ".s32.s8.s8", "")                                                        \
    X(s8_u8, TC_S8, TC_U8, 0, n, s32, "k64", ".s32.s8.u8", "")                                                        \
    X(u8_s8, TC_U8, TC_S8, 0, n, s32, "k64", ".s32.u8.s8", "")                                                        \
    X(u8_u8, TC_U8, TC_U8, 0, n, s32, "k64", ".s32.u8.u8", "")
#define TC__WG_SP_N(X) X(16) X(32) X(64) X(96) X(128) X(160) X(192) X(224) X(256)
#define TC__WG_SP_ONE(name, A, B, sel, n, regs, k, types, tail)                                                       \
    TC_DEV_SM90A void tc__wgmma_sp_##name##_n##n(float *d, uint64_t desc_a, uint64_t desc_b, uint32_t meta,           \
                                                 int scale_d)                                                         \
    {                                                                                                                 \
        TC__WG_BODY(TC__WG_SP_BODY_##regs(n, #sel, k, types, tail, d, desc_a, desc_b, meta, scale_d);)                \
    }
#define TC__WG_SP_BODY_f32(n, sel, k, types, tail, d, da, db, meta, sd)                                               \
    TC__WG_RUN_(f32, SPSS, ".sp", k, types, n, d, sel, tail, "l"(da), "l"(db), "r"(meta), "r"((int)(sd)))
#define TC__WG_SP_BODY_s32(n, sel, k, types, tail, d, da, db, meta, sd)                                               \
    int32_t *sums = (int32_t *)d;                                                                                     \
    TC__WG_RUN_(s32, SPSS, ".sp", k, types, n, sums, sel, tail, "l"(da), "l"(db), "r"(meta), "r"((int)(sd)))
#define TC__WG_FUNCTION(n) TC__WG_SP_FAMILIES(TC__WG_SP_ONE, n)
TC__WG_SP_N(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION
#undef TC__WG_SP_ONE
#undef TC__WG_SP_BODY_f32
#undef TC__WG_SP_BODY_s32
#undef TC__WG_BODY

typedef void (*tc_wgmma_sp_fn)(float *d, uint64_t desc_a, uint64_t desc_b, uint32_t meta, int scale_d);

typedef void (*tc_wgmma_rs_fn)(float *d, const uint32_t *a, uint64_t desc_b, int scale_d);

/* The functions for n and A's and B's type (TC_F16 or TC_BF16), or 0; constant expressions, so that the calls fold
 * away. */
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_rs_fn tc_wgmma_pick_f32_rs_mn(int n, int type)
{
#define TC__X(N)                                                                                                      \
    type == TC_BF16 && n == N ? tc_wgmma_m64n##N##k16_f32_bf16_rs_mn : type == TC_F16                                 \
        && n == N ? tc_wgmma_m64n##N##k16_f32_f16_rs_mn :
    return TC__WG_ALL_N(TC__X) (tc_wgmma_rs_fn)0;
#undef TC__X
}
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_rs_fn tc_wgmma_pick_f32_rs(int n, int type)
{
#define TC__X(N)                                                                                                      \
    type == TC_BF16 && n == N ? tc_wgmma_m64n##N##k16_f32_bf16_rs : type == TC_F16                                    \
        && n == N ? tc_wgmma_m64n##N##k16_f32_f16_rs :
    return TC__WG_ALL_N(TC__X) (tc_wgmma_rs_fn)0;
#undef TC__X
}
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_fn tc_wgmma_pick_f32(int n, int type)
{
#define TC__X(N)                                                                                                      \
    type == TC_BF16 && n == N ? tc_wgmma_m64n##N##k16_f32_bf16 : type == TC_F16                                       \
        && n == N ? tc_wgmma_m64n##N##k16_f32_f16 :
    return TC__WG_ALL_N(TC__X) (tc_wgmma_fn)0;
#undef TC__X
}

/* What a product reads: types, and whether A and B lie MN-major in shared memory; and its sums: TC_F16 in f16 (of
 * TC_F16), 0 in f32, of integers in s32. */
typedef struct tc_wgmma_kind {
    int a, b, mn_a, mn_b, acc;
} tc_wgmma_kind;

/* The function for n and f16 K-major with sums in f16, or 0. */
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_fn tc__wgmma_pick_f16(int n)
{
#define TC__X(N) n == N ? tc__wgmma_f16_to_f16_n##N :
    return TC__WG_ALL_N(TC__X) (tc_wgmma_fn)0;
#undef TC__X
}

/* The function for n and a kind, or 0: A and B of one 16-bit type in any major, tf32, 8-bit floats, 8-bit integers
 * (sums in s32, as bits); but for 16 bits K-major, n is a multiple of 16. A constant expression too. */
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_fn tc_wgmma_pick(int n, const tc_wgmma_kind k)
{
#define TC__TO_f32 0
#define TC__TO_s32 0
#define TC__TO_f16 TC_F16
#define TC__X(name, A, B, MN_A, MN_B, N, regs, inst_k, types, tail)                                                   \
    n == N && k.a == A && k.b == B && k.mn_a == MN_A && k.mn_b == MN_B && k.acc == TC__TO_##regs                      \
        ? tc__wgmma_##name##_n##N :
#define TC__XN(N) TC__WG_FAMILIES(TC__X, N)
    return k.acc == TC_F16 && k.a == TC_F16 && k.b == TC_F16 && !k.mn_a && !k.mn_b ? tc__wgmma_pick_f16(n) :
        (k.a == TC_F16 || k.a == TC_BF16) && k.a == k.b && !k.mn_a && !k.mn_b && !k.acc ? tc_wgmma_pick_f32(n, k.a) :
        TC__WG_BY_16(TC__XN) (tc_wgmma_fn)0;
#undef TC__XN
#undef TC__X
#undef TC__TO_f32
#undef TC__TO_s32
#undef TC__TO_f16
}

/* The sparse function for n and a kind, K-major both, and a selector (0 or 1; of 8-bit types 0), or 0. */
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_sp_fn tc_wgmma_pick_sp(int n, const tc_wgmma_kind k, int selector)
{
#define TC__X(name, A, B, SEL, N, regs, inst_k, types, tail)                                                          \
    n == N && k.a == A && k.b == B && selector == SEL ? tc__wgmma_sp_##name##_n##N :
#define TC__XN(N) TC__WG_SP_FAMILIES(TC__X, N)
    return k.mn_a || k.mn_b ? (tc_wgmma_sp_fn)0 : TC__WG_SP_N(TC__XN) (tc_wgmma_sp_fn)0;
#undef TC__XN
#undef TC__X
}

#endif /* __CUDACC__ */
#endif /* TC_WGMMA_H */
