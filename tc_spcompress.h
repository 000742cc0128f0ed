/* tc_spcompress.h - tc 0.2.0 - 2:4 compression of registers and of what comes from tensor memory. Needs: tc_tcgen05.h;
 * sm_107a, PTX 9.4 (CUDA 13.4). Not part of tc.h: include it where it is wanted.
 *
 *     uint32_t data[8], kept[4], meta[1];                  16 halves of a thread's row; two of each four are kept
 *     TC_SPCOMPRESS(b16, b2, sp_2_4, x4, meta, kept, data, tc_spcompress_desc(TC_SP_MAXABS, TC_F16));
 *
 *     TC_TCGEN05_LD_SPCOMPRESS(x32, .max.sp::2:4.abs, meta, kept, taddr);       32 columns of f32 to 16, and places
 *     tc_tcgen05_wait_ld_regs(kept, 16);
 *
 * CONTENTS (tokens are PTX's, sp::2:4 written sp_2_4; arrays of uint32_t)
 *     TC_SPCOMPRESS(width, index, sp, xN, meta, kept, data, desc)      width b8 b16: of an element; index b2 b4: bits
 *                                  of a place; sp_2_4; x1 .. x64: registers of kept; data has 2N, meta what places take
 *     TC_SPDECOMPRESS(width, index, sp, xN, data, meta, kept)          sp_1_2 1_4 1_8 1_16 2_4 2_8 2_16 4_8 4_16
 *     tc_spcompress_desc(op, type), TC_SP_MAX _MAXABS _MIN _MINABS: what is kept
 *     TC_TCGEN05_LD_SPCOMPRESS(xN, q, meta, kept, taddr)               32x32b, x4 .. x128: columns, f32; kept has half
 *                                  of them, meta 1 (x64: 2, x128: 4); q: .min or .max, .sp::2:4, {.abs}
 *     TC_TCGEN05_LD_RED_SPCOMPRESS(xN, q, meta, kept, redval, taddr)   and the least or largest of all (a float); q:
 *                                  then {.abs}{.NaN}: NaN of redval
 *
 * WHAT HAS BEEN PROVEN. Assembled by ptxas 13.5. The instructions run in tcemu (tests/isa); none has on a GPU.
 *
 * TRAPS
 *     NaN are always kept; which of equals is kept is not specified.
 *     A desc whose type is not of the width is undefined when it runs, and said nowhere.
 *     tcgen05.mma.sp reads A and metadata from shared or tensor memory: results have to be stored first.
 *     Registers of the results must be others than those of the operands: the compiler sees to that.
 *
 * Source: PTX ISA 9.4.
 */
#ifndef TC_SPCOMPRESS_H
#define TC_SPCOMPRESS_H

#include "tc_tcgen05.h"

enum { TC_SP_MAX, TC_SP_MAXABS, TC_SP_MIN, TC_SP_MINABS };

/* spcompress' descriptor: bits 0-1 what is kept, 2-4 the type; 0xffffffff for a type that it has not */
TC_HD TC_CONSTEXPR uint32_t tc_spcompress_desc(int op, int type)
{
    return (uint32_t)(type == TC_F16 || type == TC_U8      ? 0
                      : type == TC_BF16 || type == TC_S8   ? 1
                      : type == TC_E5M2                    ? 2
                      : type == TC_E4M3                    ? 3
                      : type == TC_E3M2                    ? 4
                      : type == TC_E2M3                    ? 5
                                                           : 0x3fffffff)
               << 2
         | (uint32_t)(op & 3);
}

#ifdef __CUDACC__

/* ---------------------------------------------------------------------------------------------------------------------
 * Lists of operands. TC__SP_L_s_n: "%s,..": n of them from number s on. Operands are numbered so that the longer lists
 * come first; what is missing to the next list's place is filled up with constants that no text names.
 */
#define TC__SP_L_1_1 "%1"
#define TC__SP_L_2_1 "%2"
#define TC__SP_L_2_2 "%2,%3"
#define TC__SP_L_3_1 "%3"
#define TC__SP_L_4_1 "%4"
#define TC__SP_L_4_2 "%4,%5"
#define TC__SP_L_4_4 "%4,%5,%6,%7"
#define TC__SP_L_5_1 "%5"
#define TC__SP_L_6_1 "%6"
#define TC__SP_L_8_1 "%8"
#define TC__SP_L_8_2 "%8,%9"
#define TC__SP_L_8_4 "%8,%9,%10,%11"
#define TC__SP_L_8_8 "%8,%9,%10,%11,%12,%13,%14,%15"
#define TC__SP_L_9_1 "%9"
#define TC__SP_L_10_1 "%10"
#define TC__SP_L_12_1 "%12"
#define TC__SP_L_12_2 "%12,%13"
#define TC__SP_L_16_1 "%16"
#define TC__SP_L_16_2 "%16,%17"
#define TC__SP_L_16_4 "%16,%17,%18,%19"
#define TC__SP_L_16_8 "%16,%17,%18,%19,%20,%21,%22,%23"
#define TC__SP_L_16_16 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define TC__SP_L_17_1 "%17"
#define TC__SP_L_18_1 "%18"
#define TC__SP_L_20_1 "%20"
#define TC__SP_L_20_2 "%20,%21"
#define TC__SP_L_24_1 "%24"
#define TC__SP_L_24_2 "%24,%25"
#define TC__SP_L_24_4 "%24,%25,%26,%27"
#define TC__SP_L_32_2 "%32,%33"
#define TC__SP_L_32_4 "%32,%33,%34,%35"
#define TC__SP_L_32_8 "%32,%33,%34,%35,%36,%37,%38,%39"
#define TC__SP_L_32_16 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47"
#define TC__SP_L_48_16 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define TC__SP_L_32_32 TC__SP_L_32_16 "," TC__SP_L_48_16
#define TC__SP_L_34_1 "%34"
#define TC__SP_L_36_1 "%36"
#define TC__SP_L_36_2 "%36,%37"
#define TC__SP_L_40_1 "%40"
#define TC__SP_L_40_2 "%40,%41"
#define TC__SP_L_40_4 "%40,%41,%42,%43"
#define TC__SP_L_48_2 "%48,%49"
#define TC__SP_L_48_4 "%48,%49,%50,%51"
#define TC__SP_L_48_8 "%48,%49,%50,%51,%52,%53,%54,%55"
#define TC__SP_L_64_4 "%64,%65,%66,%67"
#define TC__SP_L_64_8 "%64,%65,%66,%67,%68,%69,%70,%71"
#define TC__SP_L_64_16 "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79"
#define TC__SP_L_80_16 "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95"
#define TC__SP_L_64_32 TC__SP_L_64_16 "," TC__SP_L_80_16
#define TC__SP_L_96_16 "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111"
#define TC__SP_L_112_16 "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define TC__SP_L_96_32 TC__SP_L_96_16 "," TC__SP_L_112_16
#define TC__SP_L_64_64 TC__SP_L_64_32 "," TC__SP_L_96_32
#define TC__SP_L_68_1 "%68"
#define TC__SP_L_68_2 "%68,%69"
#define TC__SP_L_72_2 "%72,%73"
#define TC__SP_L_72_4 "%72,%73,%74,%75"
#define TC__SP_L_80_2 "%80,%81"
#define TC__SP_L_80_4 "%80,%81,%82,%83"
#define TC__SP_L_80_8 "%80,%81,%82,%83,%84,%85,%86,%87"
#define TC__SP_L_96_4 "%96,%97,%98,%99"
#define TC__SP_L_96_8 "%96,%97,%98,%99,%100,%101,%102,%103"
#define TC__SP_L_128_8 "%128,%129,%130,%131,%132,%133,%134,%135"
#define TC__SP_L_128_16 "%128,%129,%130,%131,%132,%133,%134,%135,%136,%137,%138,%139,%140,%141,%142,%143"
#define TC__SP_L_144_16 "%144,%145,%146,%147,%148,%149,%150,%151,%152,%153,%154,%155,%156,%157,%158,%159"
#define TC__SP_L_128_32 TC__SP_L_128_16 "," TC__SP_L_144_16
#define TC__SP_L_160_16 "%160,%161,%162,%163,%164,%165,%166,%167,%168,%169,%170,%171,%172,%173,%174,%175"
#define TC__SP_L_176_16 "%176,%177,%178,%179,%180,%181,%182,%183,%184,%185,%186,%187,%188,%189,%190,%191"
#define TC__SP_L_160_32 TC__SP_L_160_16 "," TC__SP_L_176_16
#define TC__SP_L_128_64 TC__SP_L_128_32 "," TC__SP_L_160_32
#define TC__SP_L_192_16 "%192,%193,%194,%195,%196,%197,%198,%199,%200,%201,%202,%203,%204,%205,%206,%207"
#define TC__SP_L_208_16 "%208,%209,%210,%211,%212,%213,%214,%215,%216,%217,%218,%219,%220,%221,%222,%223"
#define TC__SP_L_192_32 TC__SP_L_192_16 "," TC__SP_L_208_16
#define TC__SP_L_224_16 "%224,%225,%226,%227,%228,%229,%230,%231,%232,%233,%234,%235,%236,%237,%238,%239"
#define TC__SP_L_240_16 "%240,%241,%242,%243,%244,%245,%246,%247,%248,%249,%250,%251,%252,%253,%254,%255"
#define TC__SP_L_224_32 TC__SP_L_224_16 "," TC__SP_L_240_16
#define TC__SP_L_192_64 TC__SP_L_192_32 "," TC__SP_L_224_32
#define TC__SP_L_128_128 TC__SP_L_128_64 "," TC__SP_L_192_64
#define TC__SP_L_136_2 "%136,%137"
#define TC__SP_L_136_4 "%136,%137,%138,%139"
#define TC__SP_L_144_4 "%144,%145,%146,%147"
#define TC__SP_L_144_8 "%144,%145,%146,%147,%148,%149,%150,%151"
#define TC__SP_L_160_4 "%160,%161,%162,%163"
#define TC__SP_L_160_8 "%160,%161,%162,%163,%164,%165,%166,%167"
#define TC__SP_L_192_8 "%192,%193,%194,%195,%196,%197,%198,%199"
#define TC__SP_PAD_0
#define TC__SP_PAD_1 "n"(0),
#define TC__SP_PAD_2 TC__SP_PAD_1 TC__SP_PAD_1
#define TC__SP_PAD_4 TC__SP_PAD_2 TC__SP_PAD_2
#define TC__SP_PAD_8 TC__SP_PAD_4 TC__SP_PAD_4
#define TC__SP_PAD_16 TC__SP_PAD_8 TC__SP_PAD_8
#define TC__SP_PAD_32 TC__SP_PAD_16 TC__SP_PAD_16
#define TC__SP_PAD_3 TC__SP_PAD_2 TC__SP_PAD_1
#define TC__SP_PAD_6 TC__SP_PAD_4 TC__SP_PAD_2
#define TC__SP_PAD_7 TC__SP_PAD_4 TC__SP_PAD_2 TC__SP_PAD_1
#define TC__SP_PAD_12 TC__SP_PAD_8 TC__SP_PAD_4
#define TC__SP_PAD_14 TC__SP_PAD_8 TC__SP_PAD_4 TC__SP_PAD_2
#define TC__SP_PAD_24 TC__SP_PAD_16 TC__SP_PAD_8
#define TC__SP_PAD_28 TC__SP_PAD_16 TC__SP_PAD_8 TC__SP_PAD_4
#define TC__SP_PAD_48 TC__SP_PAD_32 TC__SP_PAD_16
#define TC__SP_PAD_56 TC__SP_PAD_32 TC__SP_PAD_16 TC__SP_PAD_8

/* kept, meta, data, what fills up, the descriptor's place */
#define TC__SPC_b8_b2_sp_2_4_x1 ~, (1, 1, 2, 0, "%4")
#define TC__SPC_b8_b2_sp_2_4_x2 ~, (2, 1, 4, 1, "%8")
#define TC__SPC_b8_b2_sp_2_4_x4 ~, (4, 1, 8, 3, "%16")
#define TC__SPC_b8_b2_sp_2_4_x8 ~, (8, 2, 16, 6, "%32")
#define TC__SPC_b8_b2_sp_2_4_x16 ~, (16, 4, 32, 12, "%64")
#define TC__SPC_b8_b2_sp_2_4_x32 ~, (32, 8, 64, 24, "%128")
#define TC__SPC_b8_b2_sp_2_4_x64 ~, (64, 16, 128, 48, "%256")
#define TC__SPC_b8_b4_sp_2_4_x1 ~, (1, 1, 2, 0, "%4")
#define TC__SPC_b8_b4_sp_2_4_x2 ~, (2, 1, 4, 1, "%8")
#define TC__SPC_b8_b4_sp_2_4_x4 ~, (4, 2, 8, 2, "%16")
#define TC__SPC_b8_b4_sp_2_4_x8 ~, (8, 4, 16, 4, "%32")
#define TC__SPC_b8_b4_sp_2_4_x16 ~, (16, 8, 32, 8, "%64")
#define TC__SPC_b8_b4_sp_2_4_x32 ~, (32, 16, 64, 16, "%128")
#define TC__SPC_b8_b4_sp_2_4_x64 ~, (64, 32, 128, 32, "%256")
#define TC__SPC_b16_b2_sp_2_4_x1 ~, (1, 1, 2, 0, "%4")
#define TC__SPC_b16_b2_sp_2_4_x2 ~, (2, 1, 4, 1, "%8")
#define TC__SPC_b16_b2_sp_2_4_x4 ~, (4, 1, 8, 3, "%16")
#define TC__SPC_b16_b2_sp_2_4_x8 ~, (8, 1, 16, 7, "%32")
#define TC__SPC_b16_b2_sp_2_4_x16 ~, (16, 2, 32, 14, "%64")
#define TC__SPC_b16_b2_sp_2_4_x32 ~, (32, 4, 64, 28, "%128")
#define TC__SPC_b16_b2_sp_2_4_x64 ~, (64, 8, 128, 56, "%256")
#define TC__SPC_b16_b4_sp_2_4_x1 ~, (1, 1, 2, 0, "%4")
#define TC__SPC_b16_b4_sp_2_4_x2 ~, (2, 1, 4, 1, "%8")
#define TC__SPC_b16_b4_sp_2_4_x4 ~, (4, 1, 8, 3, "%16")
#define TC__SPC_b16_b4_sp_2_4_x8 ~, (8, 2, 16, 6, "%32")
#define TC__SPC_b16_b4_sp_2_4_x16 ~, (16, 4, 32, 12, "%64")
#define TC__SPC_b16_b4_sp_2_4_x32 ~, (32, 8, 64, 24, "%128")
#define TC__SPC_b16_b4_sp_2_4_x64 ~, (64, 16, 128, 48, "%256")

/* data, kept, data and kept, meta */
#define TC__SPD_b8_b2_sp_1_2_x2 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b2_sp_1_2_x4 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b2_sp_1_2_x8 ~, (4, 2, 6, 1)
#define TC__SPD_b8_b2_sp_1_2_x16 ~, (8, 4, 12, 1)
#define TC__SPD_b8_b2_sp_1_2_x32 ~, (16, 8, 24, 2)
#define TC__SPD_b8_b2_sp_1_2_x64 ~, (32, 16, 48, 4)
#define TC__SPD_b8_b2_sp_1_4_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b2_sp_1_4_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b2_sp_1_4_x4 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b2_sp_1_4_x8 ~, (8, 2, 10, 1)
#define TC__SPD_b8_b2_sp_1_4_x16 ~, (16, 4, 20, 1)
#define TC__SPD_b8_b2_sp_1_4_x32 ~, (32, 8, 40, 2)
#define TC__SPD_b8_b2_sp_1_4_x64 ~, (64, 16, 80, 4)
#define TC__SPD_b8_b2_sp_2_4_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b2_sp_2_4_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b2_sp_2_4_x4 ~, (4, 2, 6, 1)
#define TC__SPD_b8_b2_sp_2_4_x8 ~, (8, 4, 12, 1)
#define TC__SPD_b8_b2_sp_2_4_x16 ~, (16, 8, 24, 2)
#define TC__SPD_b8_b2_sp_2_4_x32 ~, (32, 16, 48, 4)
#define TC__SPD_b8_b2_sp_2_4_x64 ~, (64, 32, 96, 8)
#define TC__SPD_b8_b4_sp_1_2_x2 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b4_sp_1_2_x4 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_1_2_x8 ~, (4, 2, 6, 1)
#define TC__SPD_b8_b4_sp_1_2_x16 ~, (8, 4, 12, 2)
#define TC__SPD_b8_b4_sp_1_2_x32 ~, (16, 8, 24, 4)
#define TC__SPD_b8_b4_sp_1_2_x64 ~, (32, 16, 48, 8)
#define TC__SPD_b8_b4_sp_1_4_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b4_sp_1_4_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_1_4_x4 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_1_4_x8 ~, (8, 2, 10, 1)
#define TC__SPD_b8_b4_sp_1_4_x16 ~, (16, 4, 20, 2)
#define TC__SPD_b8_b4_sp_1_4_x32 ~, (32, 8, 40, 4)
#define TC__SPD_b8_b4_sp_1_4_x64 ~, (64, 16, 80, 8)
#define TC__SPD_b8_b4_sp_1_8_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_1_8_x2 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_1_8_x4 ~, (8, 1, 9, 1)
#define TC__SPD_b8_b4_sp_1_8_x8 ~, (16, 2, 18, 1)
#define TC__SPD_b8_b4_sp_1_8_x16 ~, (32, 4, 36, 2)
#define TC__SPD_b8_b4_sp_1_8_x32 ~, (64, 8, 72, 4)
#define TC__SPD_b8_b4_sp_1_8_x64 ~, (128, 16, 144, 8)
#define TC__SPD_b8_b4_sp_1_16_x1 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_1_16_x2 ~, (8, 1, 9, 1)
#define TC__SPD_b8_b4_sp_1_16_x4 ~, (16, 1, 17, 1)
#define TC__SPD_b8_b4_sp_1_16_x8 ~, (32, 2, 34, 1)
#define TC__SPD_b8_b4_sp_1_16_x16 ~, (64, 4, 68, 2)
#define TC__SPD_b8_b4_sp_1_16_x32 ~, (128, 8, 136, 4)
#define TC__SPD_b8_b4_sp_2_4_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b8_b4_sp_2_4_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_2_4_x4 ~, (4, 2, 6, 1)
#define TC__SPD_b8_b4_sp_2_4_x8 ~, (8, 4, 12, 2)
#define TC__SPD_b8_b4_sp_2_4_x16 ~, (16, 8, 24, 4)
#define TC__SPD_b8_b4_sp_2_4_x32 ~, (32, 16, 48, 8)
#define TC__SPD_b8_b4_sp_2_4_x64 ~, (64, 32, 96, 16)
#define TC__SPD_b8_b4_sp_2_8_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_2_8_x2 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_2_8_x4 ~, (8, 2, 10, 1)
#define TC__SPD_b8_b4_sp_2_8_x8 ~, (16, 4, 20, 2)
#define TC__SPD_b8_b4_sp_2_8_x16 ~, (32, 8, 40, 4)
#define TC__SPD_b8_b4_sp_2_8_x32 ~, (64, 16, 80, 8)
#define TC__SPD_b8_b4_sp_2_8_x64 ~, (128, 32, 160, 16)
#define TC__SPD_b8_b4_sp_2_16_x1 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_2_16_x2 ~, (8, 1, 9, 1)
#define TC__SPD_b8_b4_sp_2_16_x4 ~, (16, 2, 18, 1)
#define TC__SPD_b8_b4_sp_2_16_x8 ~, (32, 4, 36, 2)
#define TC__SPD_b8_b4_sp_2_16_x16 ~, (64, 8, 72, 4)
#define TC__SPD_b8_b4_sp_2_16_x32 ~, (128, 16, 144, 8)
#define TC__SPD_b8_b4_sp_4_8_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b8_b4_sp_4_8_x2 ~, (4, 2, 6, 1)
#define TC__SPD_b8_b4_sp_4_8_x4 ~, (8, 4, 12, 2)
#define TC__SPD_b8_b4_sp_4_8_x8 ~, (16, 8, 24, 4)
#define TC__SPD_b8_b4_sp_4_8_x16 ~, (32, 16, 48, 8)
#define TC__SPD_b8_b4_sp_4_8_x32 ~, (64, 32, 96, 16)
#define TC__SPD_b8_b4_sp_4_8_x64 ~, (128, 64, 192, 32)
#define TC__SPD_b8_b4_sp_4_16_x1 ~, (4, 1, 5, 1)
#define TC__SPD_b8_b4_sp_4_16_x2 ~, (8, 2, 10, 1)
#define TC__SPD_b8_b4_sp_4_16_x4 ~, (16, 4, 20, 2)
#define TC__SPD_b8_b4_sp_4_16_x8 ~, (32, 8, 40, 4)
#define TC__SPD_b8_b4_sp_4_16_x16 ~, (64, 16, 80, 8)
#define TC__SPD_b8_b4_sp_4_16_x32 ~, (128, 32, 160, 16)
#define TC__SPD_b16_b2_sp_1_2_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b16_b2_sp_1_2_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b2_sp_1_2_x4 ~, (4, 2, 6, 1)
#define TC__SPD_b16_b2_sp_1_2_x8 ~, (8, 4, 12, 1)
#define TC__SPD_b16_b2_sp_1_2_x16 ~, (16, 8, 24, 1)
#define TC__SPD_b16_b2_sp_1_2_x32 ~, (32, 16, 48, 2)
#define TC__SPD_b16_b2_sp_1_2_x64 ~, (64, 32, 96, 4)
#define TC__SPD_b16_b2_sp_1_4_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b2_sp_1_4_x2 ~, (4, 1, 5, 1)
#define TC__SPD_b16_b2_sp_1_4_x4 ~, (8, 2, 10, 1)
#define TC__SPD_b16_b2_sp_1_4_x8 ~, (16, 4, 20, 1)
#define TC__SPD_b16_b2_sp_1_4_x16 ~, (32, 8, 40, 1)
#define TC__SPD_b16_b2_sp_1_4_x32 ~, (64, 16, 80, 2)
#define TC__SPD_b16_b2_sp_1_4_x64 ~, (128, 32, 160, 4)
#define TC__SPD_b16_b2_sp_2_4_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b2_sp_2_4_x2 ~, (4, 2, 6, 1)
#define TC__SPD_b16_b2_sp_2_4_x4 ~, (8, 4, 12, 1)
#define TC__SPD_b16_b2_sp_2_4_x8 ~, (16, 8, 24, 1)
#define TC__SPD_b16_b2_sp_2_4_x16 ~, (32, 16, 48, 2)
#define TC__SPD_b16_b2_sp_2_4_x32 ~, (64, 32, 96, 4)
#define TC__SPD_b16_b2_sp_2_4_x64 ~, (128, 64, 192, 8)
#define TC__SPD_b16_b4_sp_1_2_x1 ~, (1, 1, 2, 1)
#define TC__SPD_b16_b4_sp_1_2_x2 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b4_sp_1_2_x4 ~, (4, 2, 6, 1)
#define TC__SPD_b16_b4_sp_1_2_x8 ~, (8, 4, 12, 1)
#define TC__SPD_b16_b4_sp_1_2_x16 ~, (16, 8, 24, 2)
#define TC__SPD_b16_b4_sp_1_2_x32 ~, (32, 16, 48, 4)
#define TC__SPD_b16_b4_sp_1_2_x64 ~, (64, 32, 96, 8)
#define TC__SPD_b16_b4_sp_1_4_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b4_sp_1_4_x2 ~, (4, 1, 5, 1)
#define TC__SPD_b16_b4_sp_1_4_x4 ~, (8, 2, 10, 1)
#define TC__SPD_b16_b4_sp_1_4_x8 ~, (16, 4, 20, 1)
#define TC__SPD_b16_b4_sp_1_4_x16 ~, (32, 8, 40, 2)
#define TC__SPD_b16_b4_sp_1_4_x32 ~, (64, 16, 80, 4)
#define TC__SPD_b16_b4_sp_1_4_x64 ~, (128, 32, 160, 8)
#define TC__SPD_b16_b4_sp_1_8_x1 ~, (4, 1, 5, 1)
#define TC__SPD_b16_b4_sp_1_8_x2 ~, (8, 1, 9, 1)
#define TC__SPD_b16_b4_sp_1_8_x4 ~, (16, 2, 18, 1)
#define TC__SPD_b16_b4_sp_1_8_x8 ~, (32, 4, 36, 1)
#define TC__SPD_b16_b4_sp_1_8_x16 ~, (64, 8, 72, 2)
#define TC__SPD_b16_b4_sp_1_8_x32 ~, (128, 16, 144, 4)
#define TC__SPD_b16_b4_sp_1_16_x1 ~, (8, 1, 9, 1)
#define TC__SPD_b16_b4_sp_1_16_x2 ~, (16, 1, 17, 1)
#define TC__SPD_b16_b4_sp_1_16_x4 ~, (32, 2, 34, 1)
#define TC__SPD_b16_b4_sp_1_16_x8 ~, (64, 4, 68, 1)
#define TC__SPD_b16_b4_sp_1_16_x16 ~, (128, 8, 136, 2)
#define TC__SPD_b16_b4_sp_2_4_x1 ~, (2, 1, 3, 1)
#define TC__SPD_b16_b4_sp_2_4_x2 ~, (4, 2, 6, 1)
#define TC__SPD_b16_b4_sp_2_4_x4 ~, (8, 4, 12, 1)
#define TC__SPD_b16_b4_sp_2_4_x8 ~, (16, 8, 24, 2)
#define TC__SPD_b16_b4_sp_2_4_x16 ~, (32, 16, 48, 4)
#define TC__SPD_b16_b4_sp_2_4_x32 ~, (64, 32, 96, 8)
#define TC__SPD_b16_b4_sp_2_4_x64 ~, (128, 64, 192, 16)
#define TC__SPD_b16_b4_sp_2_8_x1 ~, (4, 1, 5, 1)
#define TC__SPD_b16_b4_sp_2_8_x2 ~, (8, 2, 10, 1)
#define TC__SPD_b16_b4_sp_2_8_x4 ~, (16, 4, 20, 1)
#define TC__SPD_b16_b4_sp_2_8_x8 ~, (32, 8, 40, 2)
#define TC__SPD_b16_b4_sp_2_8_x16 ~, (64, 16, 80, 4)
#define TC__SPD_b16_b4_sp_2_8_x32 ~, (128, 32, 160, 8)
#define TC__SPD_b16_b4_sp_2_16_x1 ~, (8, 1, 9, 1)
#define TC__SPD_b16_b4_sp_2_16_x2 ~, (16, 2, 18, 1)
#define TC__SPD_b16_b4_sp_2_16_x4 ~, (32, 4, 36, 1)
#define TC__SPD_b16_b4_sp_2_16_x8 ~, (64, 8, 72, 2)
#define TC__SPD_b16_b4_sp_2_16_x16 ~, (128, 16, 144, 4)

/* columns, kept, meta, the places of redval and address */
#define TC__SPL_x4 ~, (2, 1, "%3", "%4")
#define TC__SPL_x8 ~, (4, 1, "%5", "%6")
#define TC__SPL_x16 ~, (8, 1, "%9", "%10")
#define TC__SPL_x32 ~, (16, 1, "%17", "%18")
#define TC__SPL_x64 ~, (32, 2, "%34", "%35")
#define TC__SPL_x128 ~, (64, 4, "%68", "%69")

#define TC__SP_OPEN(...) __VA_ARGS__
#define TC__SP_NEEDS(what)                                                                                            \
    TC__NEEDS_PTX(94, what);                                                                                          \
    TC__NEEDS_SM107A_ONLY_IF(1, what)
#define TC__SP_GO(asm_of, tuple, ...) TC__SP_GO_(asm_of, TC__SP_OPEN tuple, __VA_ARGS__)
#define TC__SP_GO_(asm_of, ...) asm_of(__VA_ARGS__)

/* PTX: spcompress. data: uint32_t array, read two elements of each four; kept and meta: written. */
#define TC__SPC_ASM(n, m, n2, pad, last, text, meta, kept, data, desc)                                                \
    asm("spcompress." text " {" TC__SP_L_##n##_##m "}, {" TC__T5_L_##n "}, {" TC__SP_L_##n2##_##n2 "}, " last ";"     \
        : TC__T5_V_##n("=&r", kept, 0), TC__T5_V_##m("=&r", meta, 0)                                                  \
        : TC__SP_PAD_##pad TC__T5_V_##n2("r", data, 0), "r"(desc))
#define TC__SPC_BAD (1, 1, 2, 0, "%4")
#define TC_SPCOMPRESS(width, index, sp, num, meta, kept, data, desc)                                                  \
    do {                                                                                                              \
        TC__SP_NEEDS("spcompress");                                                                                   \
        static_assert(tc__follows(#width "." #index "." #sp "." #num,                                                 \
                                  "b8.|b16. b2.|b4. sp_2_4. x1|x2|x4|x8|x16|x32|x64"),                                \
                      "tc: spcompress: (width, index, sp, xN, ..): b8 or b16, b2 or b4, sp_2_4, x1, x2, .. x64");     \
        TC__SP_GO(TC__SPC_ASM, TC__PROBE(TC__SPC_##width##_##index##_##sp##_##num, TC__SPC_BAD),                      \
                  #width "." #index ".sp::2:4." #num, meta, kept, data, desc);                                        \
    } while (0)

/* PTX: spdecompress: what was not kept becomes 0. */
#define TC__SPD_sp_1_2 ~, "1:2"
#define TC__SPD_sp_1_4 ~, "1:4"
#define TC__SPD_sp_1_8 ~, "1:8"
#define TC__SPD_sp_1_16 ~, "1:16"
#define TC__SPD_sp_2_4 ~, "2:4"
#define TC__SPD_sp_2_8 ~, "2:8"
#define TC__SPD_sp_2_16 ~, "2:16"
#define TC__SPD_sp_4_8 ~, "4:8"
#define TC__SPD_sp_4_16 ~, "4:16"
#define TC__SPD_ASM(d, k, dk, m, text, data, meta, kept)                                                              \
    asm("spdecompress." text " {" TC__T5_L_##d "}, {" TC__SP_L_##dk##_##m "}, {" TC__SP_L_##d##_##k "};"              \
        : TC__T5_V_##d("=&r", data, 0) : TC__T5_V_##k("r", kept, 0), TC__T5_V_##m("r", meta, 0))
#define TC__SPD_BAD (1, 1, 2, 1)
#define TC__SP_FIRST(n, ...) n
#define TC__SP_FIRST_OF(tuple) TC__SP_FIRST tuple
#define TC_SPDECOMPRESS(width, index, sp, num, data, meta, kept)                                                      \
    do {                                                                                                              \
        TC__SP_NEEDS("spdecompress");                                                                                 \
        static_assert(TC__SP_FIRST_OF(TC__PROBE(TC__SPD_##width##_##index##_##sp##_##num, (0, 0))) != 0,              \
                      "tc: spdecompress: (width, index, sp, xN, ..): b8 b2: sp_1_2 x2..x64, sp_1_4, sp_2_4 x1..x64; " \
                      "b8 b4: the same and sp_1_8, 2_8, 4_8 x1..x64, sp_1_16, 2_16, 4_16 x1..x32; b16 b2: sp_1_2, "   \
                      "1_4, 2_4 x1..x64; b16 b4: the same, sp_1_8, 2_8 x1..x32, sp_1_16, 2_16 x1..x16");              \
        TC__SP_GO(TC__SPD_ASM, TC__PROBE(TC__SPD_##width##_##index##_##sp##_##num, TC__SPD_BAD),                      \
                  #width "." #index ".sp::" TC__PROBE(TC__SPD_##sp, "2:4") "." #num, data, meta, kept);               \
    } while (0)

/* PTX: tcgen05.ld.spcompress, tcgen05.ld.red.spcompress. taddr as of TC_TCGEN05_LD; asynchronous as that. */
#define TC__SPL_ASM(n, m, at, after, text, meta, kept, taddr)                                                         \
    asm volatile("tcgen05.ld.spcompress.sync.aligned.32x32b." text ".f32.b2 {" TC__SP_L_##n##_##m "}, {" TC__T5_L_##n \
                 "}, [" at "];" : TC__T5_V_##n("=r", kept, 0), TC__T5_V_##m("=r", meta, 0) : "r"(taddr) : "memory")
#define TC__SPR_ASM(n, m, at, after, text, meta, kept, redval, taddr)                                                 \
    asm volatile("tcgen05.ld.red.spcompress.sync.aligned.32x32b." text ".f32.b2 {" TC__SP_L_##n##_##m "}, {"          \
                 TC__T5_L_##n "}, " at ", [" after "];"                                                               \
                 : TC__T5_V_##n("=r", kept, 0), TC__T5_V_##m("=r", meta, 0), "=f"(redval) : "r"(taddr) : "memory")
#define TC__SPL_BAD (2, 1, "%3", "%4")
#define TC__SPL_CHECK(what, num, q, rule, text)                                                                       \
    tc__needs_sm100a();                                                                                               \
    TC__SP_NEEDS(what);                                                                                               \
    static_assert(tc__follows(#num, "x4|x8|x16|x32|x64|x128"), "tc: " what ": the count is x4, x8, .. x128");         \
    static_assert(tc__follows(#q, ".min|.max .sp::2:4 |.abs" rule),                                                   \
                  "tc: " what ": the qualifiers are .min or .max, .sp::2:4, {.abs}" text)
#define TC_TCGEN05_LD_SPCOMPRESS(num, q, meta, kept, taddr)                                                           \
    do {                                                                                                              \
        TC__SPL_CHECK("tcgen05.ld.spcompress", num, q, "", "");                                                       \
        TC__SP_GO(TC__SPL_ASM, TC__PROBE(TC__SPL_##num, TC__SPL_BAD), #num #q, meta, kept, taddr);                    \
    } while (0)
#define TC_TCGEN05_LD_RED_SPCOMPRESS(num, q, meta, kept, redval, taddr)                                               \
    do {                                                                                                              \
        TC__SPL_CHECK("tcgen05.ld.red.spcompress", num, q, " |.NaN", "{.NaN}");                                       \
        TC__SP_GO(TC__SPR_ASM, TC__PROBE(TC__SPL_##num, TC__SPL_BAD), #num #q, meta, kept, redval, taddr);            \
    } while (0)

#endif /* __CUDACC__ */
#endif /* TC_SPCOMPRESS_H */
