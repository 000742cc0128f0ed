/* tc_wgmma.h - tc 0.1.0 - wgmma: the warpgroup matrix multiply of Hopper. Needs: tc_core.h, tc_swizzle.h; sm_90a only.
 *
 *     float acc[128] = {0};                                        64 x 256 of D, spread over the 128 threads
 *     uint64_t da = tc_wgmma_desc(smem_a, 128), db = tc_wgmma_desc(smem_b, 128);       K-major, 128-byte swizzle
 *     tc_wgmma_fence();
 *     for (int k = 0; k < 64; k += 16)                             unrolled; 16 bf16 of K are 32 bytes: +2 in the descriptor
 *         TC_WGMMA_SS(256, f32, bf16, acc, da + k / 8, db + k / 8, 1, 1, 1, 0, 0);
 *     tc_wgmma_commit_group();
 *     TC_WGMMA_WAIT_GROUP(0);
 *     tc_wgmma_fence_acc(acc, 128);
 *
 * CONTENTS
 *     TC_WGMMA_SS(n, d_type, ab_type, d, desc_a, desc_b, scale_d, scale_a, scale_b, trans_a, trans_b)
 *     TC_WGMMA_RS(n, d_type, ab_type, d, a, desc_b, scale_d, scale_a, scale_b, trans_b)
 *         m64 x n x k16, n = 8..256 in steps of 8; d_type f32; ab_type f16 or bf16. d: n / 2 floats. a: 4 registers.
 *         scale_d 0 or 1, may be a run-time value: 0 means D = A * B without reading D. scale_a, scale_b: 1 or -1.
 *         trans_a, trans_b: 0 for K-major, 1 for MN-major. All tokens but d, a, desc and scale_d must be literals.
 *     tc_wgmma_m64n{8..256}k16_f32_{f16,bf16}(d, desc_a, desc_b, scale_d)     the same, as functions, K-major
 *     tc_wgmma_pick_f32(n, ab_type)                                           such a function by constant n and type
 *     tc_wgmma_desc(addr, swizzle), tc_wgmma_desc_advance(desc, bytes), tc_wgmma_desc_make(fields)    shared-memory descriptors
 *     tc_wgmma_fence, tc_wgmma_commit_group, TC_WGMMA_WAIT_GROUP(n), tc_wgmma_fence_acc
 *     TC_SETMAXNREG_INC(n), TC_SETMAXNREG_DEC(n)
 *     tc_frag_wgmma_d_row, tc_frag_wgmma_d_col                                coordinates of accumulator i
 *
 * FRAGMENT of D (m64nN), thread t of the warpgroup, w = t / 32, g = t % 32 / 4, q = t % 4:
 *
 *                          col: 8j + 2q       8j + 2q + 1        j = 0 .. N/8 - 1
 *     row 16w + g              d[4j]            d[4j + 1]
 *     row 16w + g + 8          d[4j + 2]        d[4j + 3]        the A registers of _RS: m16n8k16's, rows 16w..16w+15
 *
 * TRAPS
 *     The accumulators are in flight from the first wgmma to the wait: nothing may read or write them between.
 *     tc_wgmma_fence before the first wgmma, and again whenever a register of D or A was touched by ordinary code. Keep it
 *     inside the k loop: hoisted out, ptxas serialises (note C7519). Serialisation notes (C75xx) mean lost speed: heed them.
 *     Shared memory written by ordinary stores needs tc_fence_proxy_async_shared and a barrier before wgmma reads it.
 *     setmaxnreg is silently ignored unless the kernel has __launch_bounds__(threads, 1).
 *
 * Source: PTX ISA, "Asynchronous warpgroup level matrix instructions".
 */
#ifndef TC_WGMMA_H
#define TC_WGMMA_H

#include "tc_core.h"
#include "tc_swizzle.h"

/* (row, col) of accumulator i of thread t (0..127) of the warpgroup in the 64 x N tile. */
TC_HD TC_CONSTEXPR int tc_frag_wgmma_d_row(int t, int i) { return t / 32 * 16 + t % 32 / 4 + i / 2 % 2 * 8; }
TC_HD TC_CONSTEXPR int tc_frag_wgmma_d_col(int t, int i) { return i / 4 * 8 + t % 4 * 2 + i % 2; }

/* The fields of a shared-memory descriptor. addr: shared address of the tile, 16-byte aligned; swizzle: 0, 32, 64 or 128
 * bytes. K-major with a swizzle: stride_bytes is the distance between groups of 8 rows, leading_bytes is not used (1).
 * base_offset: 0 where the tile is aligned to its swizzle atom. */
typedef struct tc_wgmma_desc_fields {
    uint32_t addr;
    uint32_t leading_bytes, stride_bytes;
    int base_offset;
    int swizzle;
} tc_wgmma_desc_fields;

/* bits 0-13 addr / 16, 16-29 leading / 16, 32-45 stride / 16, 49-51 base offset, 62-63 swizzle (1: 128B, 2: 64B, 3: 32B).
 * Source: PTX ISA, "Matrix descriptor format" under wgmma. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_make(const tc_wgmma_desc_fields f)
{
    return (uint64_t)((f.addr & 0x3ffffu) >> 4) | (uint64_t)((f.leading_bytes & 0x3ffffu) >> 4) << 16
         | (uint64_t)((f.stride_bytes & 0x3ffffu) >> 4) << 32 | (uint64_t)(f.base_offset & 7) << 49
         | (uint64_t)(f.swizzle == 128 ? 1 : f.swizzle == 64 ? 2 : f.swizzle == 32 ? 3 : 0) << 62;
}

/* The descriptor `bytes` further on in the same tile: only the low word changes, and adding to it alone spares the carry. */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc_advance(uint64_t desc, uint32_t bytes)
{
    return (desc & 0xffffffff00000000ull) | (uint32_t)((uint32_t)desc + (bytes >> 4));
}

/* Descriptor of a K-major tile whose rows are exactly one swizzle width (32, 64 or 128 bytes) and lie end to end: what TMA
 * writes for a box of that width. Step K by 16 elements of 16 bits: add 2 (32 bytes / 16). */
TC_HD TC_CONSTEXPR uint64_t tc_wgmma_desc(uint32_t addr, int swizzle)
{
    return (uint64_t)((addr & 0x3ffffu) >> 4) | (uint64_t)1 << 16 | (uint64_t)(swizzle * 8 / 16) << 32
         | (uint64_t)(swizzle == 128 ? 1 : swizzle == 64 ? 2 : swizzle == 32 ? 3 : 0) << 62;
}

#ifdef __CUDACC__

/* PTX: wgmma.fence: orders register accesses before it with the wgmmas after it. */
TC_DEV_SM90A void tc_wgmma_fence(void) { asm volatile("wgmma.fence.sync.aligned;" : : : "memory"); }

/* PTX: wgmma.commit_group: closes a group of wgmmas. wgmma.wait_group n (a literal): at most n newer groups in flight. */
TC_DEV_SM90A void tc_wgmma_commit_group(void) { asm volatile("wgmma.commit_group.sync.aligned;" : : : "memory"); }
#define TC_WGMMA_WAIT_GROUP(n) \
    do { tc__needs_sm90a(); asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(n) : "memory"); } while (0)

/* No instruction: keeps the compiler from moving uses of acc[0..count-1] above the wait before it. count is constant. */
TC_DEV_SM90A void tc_wgmma_fence_acc(float *acc, const int count)
{
#pragma unroll
    for (int i = 0; i < count; i++) asm volatile("" : "+f"(acc[i]) : : "memory");
}

/* PTX: setmaxnreg: registers per thread from here on; n a literal, a multiple of 8 in 24..256. All warps of a warpgroup. */
#define TC_SETMAXNREG_INC(n) \
    do { tc__needs_sm90a(); asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(n)); } while (0)
#define TC_SETMAXNREG_DEC(n) \
    do { tc__needs_sm90a(); asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(n)); } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * Tables. Index: registers of D. TC__WG_L_r: the list "%0,..,%r-1"; TC__WG_F_r(d): r "+f" operands; TC__WG_SS_r
 * and TC__WG_RS_r: the placeholders of the operands that follow them. Each line is the one before plus four.
 */
#define TC__WG_L_4 "%0,%1,%2,%3"
#define TC__WG_L_8 TC__WG_L_4 ",%4,%5,%6,%7"
#define TC__WG_L_12 TC__WG_L_8 ",%8,%9,%10,%11"
#define TC__WG_L_16 TC__WG_L_12 ",%12,%13,%14,%15"
#define TC__WG_L_20 TC__WG_L_16 ",%16,%17,%18,%19"
#define TC__WG_L_24 TC__WG_L_20 ",%20,%21,%22,%23"
#define TC__WG_L_28 TC__WG_L_24 ",%24,%25,%26,%27"
#define TC__WG_L_32 TC__WG_L_28 ",%28,%29,%30,%31"
#define TC__WG_L_36 TC__WG_L_32 ",%32,%33,%34,%35"
#define TC__WG_L_40 TC__WG_L_36 ",%36,%37,%38,%39"
#define TC__WG_L_44 TC__WG_L_40 ",%40,%41,%42,%43"
#define TC__WG_L_48 TC__WG_L_44 ",%44,%45,%46,%47"
#define TC__WG_L_52 TC__WG_L_48 ",%48,%49,%50,%51"
#define TC__WG_L_56 TC__WG_L_52 ",%52,%53,%54,%55"
#define TC__WG_L_60 TC__WG_L_56 ",%56,%57,%58,%59"
#define TC__WG_L_64 TC__WG_L_60 ",%60,%61,%62,%63"
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

/* What follows r registers of D. SS: two descriptors; RS: four registers and a descriptor; each with the predicate, and after
 * the comma the operand that the predicate is made from. */
#define TC__WG_SS_4 "%4, %5, p" , "%6"
#define TC__WG_SS_8 "%8, %9, p" , "%10"
#define TC__WG_SS_12 "%12, %13, p" , "%14"
#define TC__WG_SS_16 "%16, %17, p" , "%18"
#define TC__WG_SS_20 "%20, %21, p" , "%22"
#define TC__WG_SS_24 "%24, %25, p" , "%26"
#define TC__WG_SS_28 "%28, %29, p" , "%30"
#define TC__WG_SS_32 "%32, %33, p" , "%34"
#define TC__WG_SS_36 "%36, %37, p" , "%38"
#define TC__WG_SS_40 "%40, %41, p" , "%42"
#define TC__WG_SS_44 "%44, %45, p" , "%46"
#define TC__WG_SS_48 "%48, %49, p" , "%50"
#define TC__WG_SS_52 "%52, %53, p" , "%54"
#define TC__WG_SS_56 "%56, %57, p" , "%58"
#define TC__WG_SS_60 "%60, %61, p" , "%62"
#define TC__WG_SS_64 "%64, %65, p" , "%66"
#define TC__WG_SS_68 "%68, %69, p" , "%70"
#define TC__WG_SS_72 "%72, %73, p" , "%74"
#define TC__WG_SS_76 "%76, %77, p" , "%78"
#define TC__WG_SS_80 "%80, %81, p" , "%82"
#define TC__WG_SS_84 "%84, %85, p" , "%86"
#define TC__WG_SS_88 "%88, %89, p" , "%90"
#define TC__WG_SS_92 "%92, %93, p" , "%94"
#define TC__WG_SS_96 "%96, %97, p" , "%98"
#define TC__WG_SS_100 "%100, %101, p" , "%102"
#define TC__WG_SS_104 "%104, %105, p" , "%106"
#define TC__WG_SS_108 "%108, %109, p" , "%110"
#define TC__WG_SS_112 "%112, %113, p" , "%114"
#define TC__WG_SS_116 "%116, %117, p" , "%118"
#define TC__WG_SS_120 "%120, %121, p" , "%122"
#define TC__WG_SS_124 "%124, %125, p" , "%126"
#define TC__WG_SS_128 "%128, %129, p" , "%130"

#define TC__WG_RS_4 "{%4,%5,%6,%7}, %8, p" , "%9"
#define TC__WG_RS_8 "{%8,%9,%10,%11}, %12, p" , "%13"
#define TC__WG_RS_12 "{%12,%13,%14,%15}, %16, p" , "%17"
#define TC__WG_RS_16 "{%16,%17,%18,%19}, %20, p" , "%21"
#define TC__WG_RS_20 "{%20,%21,%22,%23}, %24, p" , "%25"
#define TC__WG_RS_24 "{%24,%25,%26,%27}, %28, p" , "%29"
#define TC__WG_RS_28 "{%28,%29,%30,%31}, %32, p" , "%33"
#define TC__WG_RS_32 "{%32,%33,%34,%35}, %36, p" , "%37"
#define TC__WG_RS_36 "{%36,%37,%38,%39}, %40, p" , "%41"
#define TC__WG_RS_40 "{%40,%41,%42,%43}, %44, p" , "%45"
#define TC__WG_RS_44 "{%44,%45,%46,%47}, %48, p" , "%49"
#define TC__WG_RS_48 "{%48,%49,%50,%51}, %52, p" , "%53"
#define TC__WG_RS_52 "{%52,%53,%54,%55}, %56, p" , "%57"
#define TC__WG_RS_56 "{%56,%57,%58,%59}, %60, p" , "%61"
#define TC__WG_RS_60 "{%60,%61,%62,%63}, %64, p" , "%65"
#define TC__WG_RS_64 "{%64,%65,%66,%67}, %68, p" , "%69"
#define TC__WG_RS_68 "{%68,%69,%70,%71}, %72, p" , "%73"
#define TC__WG_RS_72 "{%72,%73,%74,%75}, %76, p" , "%77"
#define TC__WG_RS_76 "{%76,%77,%78,%79}, %80, p" , "%81"
#define TC__WG_RS_80 "{%80,%81,%82,%83}, %84, p" , "%85"
#define TC__WG_RS_84 "{%84,%85,%86,%87}, %88, p" , "%89"
#define TC__WG_RS_88 "{%88,%89,%90,%91}, %92, p" , "%93"
#define TC__WG_RS_92 "{%92,%93,%94,%95}, %96, p" , "%97"
#define TC__WG_RS_96 "{%96,%97,%98,%99}, %100, p" , "%101"
#define TC__WG_RS_100 "{%100,%101,%102,%103}, %104, p" , "%105"
#define TC__WG_RS_104 "{%104,%105,%106,%107}, %108, p" , "%109"
#define TC__WG_RS_108 "{%108,%109,%110,%111}, %112, p" , "%113"
#define TC__WG_RS_112 "{%112,%113,%114,%115}, %116, p" , "%117"
#define TC__WG_RS_116 "{%116,%117,%118,%119}, %120, p" , "%121"
#define TC__WG_RS_120 "{%120,%121,%122,%123}, %124, p" , "%125"
#define TC__WG_RS_124 "{%124,%125,%126,%127}, %128, p" , "%129"
#define TC__WG_RS_128 "{%128,%129,%130,%131}, %132, p" , "%133"

/* registers of an f32 D, by n */
#define TC__WG_R_8 4
#define TC__WG_R_16 8
#define TC__WG_R_24 12
#define TC__WG_R_32 16
#define TC__WG_R_40 20
#define TC__WG_R_48 24
#define TC__WG_R_56 28
#define TC__WG_R_64 32
#define TC__WG_R_72 36
#define TC__WG_R_80 40
#define TC__WG_R_88 44
#define TC__WG_R_96 48
#define TC__WG_R_104 52
#define TC__WG_R_112 56
#define TC__WG_R_120 60
#define TC__WG_R_128 64
#define TC__WG_R_136 68
#define TC__WG_R_144 72
#define TC__WG_R_152 76
#define TC__WG_R_160 80
#define TC__WG_R_168 84
#define TC__WG_R_176 88
#define TC__WG_R_184 92
#define TC__WG_R_192 96
#define TC__WG_R_200 100
#define TC__WG_R_208 104
#define TC__WG_R_216 108
#define TC__WG_R_224 112
#define TC__WG_R_232 116
#define TC__WG_R_240 120
#define TC__WG_R_248 124
#define TC__WG_R_256 128

/* A wrong n is refused in words before anything is pasted from it. */
#define TC__WG_CHECK_N(n)                                                                                             \
    static_assert((n) >= 8 && (n) <= 256 && (n) % 8 == 0, "tc: wgmma: n must be a multiple of 8 in 8..256")

#define TC__CAT(a, b) TC__CAT_(a, b)
#define TC__CAT_(a, b) a##b
#define TC__WG_APPLY(macro, ...) macro(__VA_ARGS__)

/* One statement of inline PTX. regs: the registers of D; ops, pred: from the tables; tail: the literal operands. */
#define TC__WG_ASM(n, type, regs, ops, pred, tail, d, ...)                                                            \
    asm volatile("{\n"                                                                                                \
                 ".reg .pred p;\n"                                                                                    \
                 "setp.ne.b32 p, " pred ", 0;\n"                                                                      \
                 "wgmma.mma_async.sync.aligned.m64n" #n "k16" type " {" TC__CAT(TC__WG_L_, regs) "}, " ops tail ";\n" \
                 "}"                                                                                                  \
                 : TC__CAT(TC__WG_F_, regs)(d)                                                                        \
                 : __VA_ARGS__                                                                                        \
                 : "memory")

/* PTX: wgmma.mma_async, A and B by descriptor. See the top of this file. */
#define TC_WGMMA_SS(n, d_type, ab_type, d, desc_a, desc_b, scale_d, scale_a, scale_b, trans_a, trans_b)               \
    do {                                                                                                              \
        TC__WG_CHECK_N(n);                                                                                            \
        tc__needs_sm90a();                                                                                            \
        TC__WG_APPLY(TC__WG_ASM, n, "." #d_type "." #ab_type "." #ab_type, TC__CAT(TC__WG_R_, n),                     \
                     TC__CAT(TC__WG_SS_, TC__CAT(TC__WG_R_, n)),                                                      \
                     ", " #scale_a ", " #scale_b ", " #trans_a ", " #trans_b, d,                                      \
                     "l"(desc_a), "l"(desc_b), "r"((int)(scale_d)));                                                         \
    } while (0)

/* PTX: wgmma.mma_async, A in registers. */
#define TC_WGMMA_RS(n, d_type, ab_type, d, a, desc_b, scale_d, scale_a, scale_b, trans_b)                             \
    do {                                                                                                              \
        TC__WG_CHECK_N(n);                                                                                            \
        tc__needs_sm90a();                                                                                            \
        TC__WG_APPLY(TC__WG_ASM, n, "." #d_type "." #ab_type "." #ab_type, TC__CAT(TC__WG_R_, n),                     \
                     TC__CAT(TC__WG_RS_, TC__CAT(TC__WG_R_, n)),                                                      \
                     ", " #scale_a ", " #scale_b ", " #trans_b, d,                                                    \
                     "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(desc_b), "r"((int)(scale_d)));                  \
    } while (0)

/* ---------------------------------------------------------------------------------------------------------------------
 * The common set as functions: both operands K-major, nothing negated. A mainloop takes one of them as a constant.
 */
#define TC__WG_ALL_N(X)                                                                                               \
    X(8) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72) X(80) X(88) X(96) X(104) X(112) X(120) X(128)                \
    X(136) X(144) X(152) X(160) X(168) X(176) X(184) X(192) X(200) X(208) X(216) X(224) X(232) X(240) X(248) X(256)

#define TC__WG_FUNCTION(n)                                                                                            \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_bf16(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d)         \
    {                                                                                                                 \
        TC_WGMMA_SS(n, f32, bf16, d, desc_a, desc_b, scale_d, 1, 1, 0, 0);                                            \
    }                                                                                                                 \
    TC_DEV_SM90A void tc_wgmma_m64n##n##k16_f32_f16(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d)          \
    {                                                                                                                 \
        TC_WGMMA_SS(n, f32, f16, d, desc_a, desc_b, scale_d, 1, 1, 0, 0);                                             \
    }
TC__WG_ALL_N(TC__WG_FUNCTION)
#undef TC__WG_FUNCTION

typedef void (*tc_wgmma_fn)(float *d, uint64_t desc_a, uint64_t desc_b, int scale_d);

/* The function for n and A's and B's type (TC_F16 or TC_BF16), or 0; a constant expression, so that the call folds away. */
TC_DEV_SM90A TC_CONSTEXPR tc_wgmma_fn tc_wgmma_pick_f32(int n, int type)
{
#define TC__X(N) type == TC_BF16 && n == N ? tc_wgmma_m64n##N##k16_f32_bf16 : type == TC_F16 && n == N ? tc_wgmma_m64n##N##k16_f32_f16 :
    return TC__WG_ALL_N(TC__X) (tc_wgmma_fn)0;
#undef TC__X
}

#endif /* __CUDACC__ */
#endif /* TC_WGMMA_H */
