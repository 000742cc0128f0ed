/* tc_gemm_sm120_mma.h - tc 0.2.0 - the sm_120 GEMM's products: fragments out of a slot of the ring, mma.sync.
 * Needs: the headers below; sm_120, sm_121.
 *
 *     tc__gemm120_lane_of     where a lane's rows of ldmatrix lie in a block
 *     tc__gemm120_read        the fragments of one step of k, 32 bytes of each row; two steps are a piece
 *     tc__gemm120_multiply    its products
 *
 * Whatever the type, a step is 16 rows of A by 32 bytes and 8 columns of B by 32 bytes an instruction: ldmatrix b16 of
 * rows along k, .trans of 16 bits that lie the other way, b8 .trans of 8 bits, and the forms of either that make bytes
 * of 4 and 6 bits; of 32 bits that lie the other way lanes read words one by one. Eight rows of one chunk of 16 bytes
 * lie in different banks in the swizzles of 64 and 128 bytes.
 */
#ifndef TC_GEMM_SM120_MMA_H
#define TC_GEMM_SM120_MMA_H

#include "tc_gemm_sm120_plan.h"
#include "tc_gemm_sm120_store.h"

#ifdef __CUDACC__
#if TC_HAS_SM120 && defined(__CUDA_ARCH__)

/* The warp has read its slot. */
TC_DEV_SM120 void tc__gemm120_release(const tc_gemm120_block *g, uint32_t stage)
{
    __syncwarp();
    if (tc_elect_one()) tc_mbarrier_arrive(tc_pipe_empty(g->pipe, stage));
}

/* Those of one step. sa, sb: .sf: factors of 128 rows and 128 columns (tc_gemm_sm120_plan.h). */
typedef struct tc__gemm120_fragments {
    uint32_t a[16][4], b[64];
    uint32_t sa[4], sb[4];
} tc__gemm120_fragments;

/* A block as a lane of ldmatrix sees it, of A (rows 16 at a time) or of B (8 at a time, in pairs). */
typedef struct tc__gemm120_side {
    tc__gemm120_operand o;
    int is_a, split; /* split: .sf: an instruction's last 8 rows are 32 further down than its first */
} tc__gemm120_side;

TC_DEV tc__gemm120_side tc__gemm120_side_a(tc_gemm120_in k)
{
    const tc__gemm120_side s = {k.a, 1, k.c.sf != 0};
    return s;
}
TC_DEV tc__gemm120_side tc__gemm120_side_b(tc_gemm120_in k)
{
    const tc__gemm120_side s = {k.b, 0, 0};
    return s;
}

/* Turned words: the k of 8 that a lane reads first. Half of the lanes begin with k 4 to 7: of eight rows and four k all
 * then lie in different banks. */
TC_DEV int tc__gemm120_word_k(int lane) { return lane % 4 + lane / 16 * 4; }

/* Offset of this lane's row, from row `first` of the block on. Turned: of its k, before the swizzle. */
TC_DEV uint32_t tc__gemm120_lane_of(const tc__gemm120_side s, int first)
{
    const int lane = tc_lane(), low = lane % 8, second = lane / 8 % 2, last = lane / 16;
    if (s.o.turned && s.o.bits == 8) return (uint32_t)(lane * s.o.row); /* 32 of k, 16 bytes of rows each */
    if (s.o.turned && s.o.bits == 32) return (uint32_t)(tc__gemm120_word_k(lane) * s.o.row + lane / 4 * 4);
    if (s.o.turned) return (uint32_t)((low + (s.is_a ? last : second) * 8) * s.o.row);
    if (s.is_a) return tc_rows_at(s.o.row, (uint32_t)(first + low + second * (s.split ? 32 : 8)), (uint32_t)last);
    return tc_rows_at(s.o.row, (uint32_t)(first + low + last * 8), (uint32_t)second);
}

/* Which 64 bytes of k of a slot a step is of, and which of the whole product's. */
typedef struct tc__gemm120_piece {
    uint32_t slot, part, number;
} tc__gemm120_piece;

/* The place of a piece of a block whose shared address plus tc__gemm120_lane_of is at. Rows: only the chunk moves with
 * k, and XOR with its bits commutes with the swizzle. Turned: further rows, whose swizzle is the same. */
TC_DEV uint32_t tc__gemm120_part(const tc__gemm120_side s, uint32_t at, uint32_t part)
{
    if (s.o.turned) return at + part * (uint32_t)(512 / s.o.bits * s.o.row);
    return s.o.row == 64 ? at : (at ^ part % 2u * 64u) + part / 2u * (uint32_t)s.o.box_bytes;
}

/* The address of 16 rows number i from row `first` on, at step 0 or 1. at: of tc__gemm120_part. Turned: the chunk is
 * that of the rows. */
TC_DEV uint32_t tc__gemm120_at(const tc__gemm120_side s, uint32_t at, int first, const int i, const int step)
{
    const int size = s.o.bits / 8, lane = tc_lane();
    if (!s.o.turned) return (at ^ (uint32_t)(step * 32)) + (uint32_t)(i * (s.split ? 8 : 16) * s.o.row);
    const int half = s.o.bits == 8 ? 0 : s.is_a ? lane / 8 % 2 : lane / 16;
    const int across = (first + i * 16) * size + half * 16;
    return at + (uint32_t)(across / s.o.row * s.o.box_bytes + step * (256 / s.o.bits) * s.o.row)
         + ((uint32_t)(across % s.o.row) ^ tc_rows_twist(s.o.row, (uint32_t)lane % 8u));
}

/* Four registers: A's fragment of 16 rows, B's of two instructions. */
TC_DEV_SM120 void tc__gemm120_ldmatrix(const tc__gemm120_side s, uint32_t *r, uint32_t at)
{
    if (s.o.turned && s.o.bits == 16) {
        tc_ldmatrix_x4_trans(r, at);
#if TC_HAS_SM120A
    } else if (s.o.turned) { /* 8 rows and the next 8 of 16 of k, then of the next 16 */
        uint32_t x[4];
        if (s.o.padded && s.o.type == TC_E2M1) {
            TC_LDMATRIX_TRANS(m16n16, x2, shared, b8x16_b4x16_p64, x, at);
#pragma unroll
            for (int i = 0; i < 4; i++) x[i] <<= 2;
        } else if (s.o.padded) {
            TC_LDMATRIX_TRANS(m16n16, x2, shared, b8x16_b6x16_p32, x, at);
        } else {
            TC_LDMATRIX_TRANS(m16n16, x2, shared, b8, x, at);
        }
        r[0] = x[0], r[1] = s.is_a ? x[1] : x[2], r[2] = s.is_a ? x[2] : x[1], r[3] = x[3];
    } else if (s.o.padded && s.o.type == TC_E2M1) {
        TC_LDMATRIX(m8n16, x4, shared, b8x16_b4x16_p64, r, at);
#pragma unroll
        for (int i = 0; i < 4; i++) r[i] <<= 2; /* kind::f8f6f4 reads bits 2 to 5 */
    } else if (s.o.padded) {
        TC_LDMATRIX(m8n16, x4, shared, b8x16_b6x16_p32, r, at);
#endif
    } else {
        tc_ldmatrix_x4(r, at);
    }
}

/* The same of words that lie the other way, 16 rows and 8 of k: rows 0..7 at k 0..3 and k 4..7, then rows 8..15.
 * at: of tc__gemm120_part, at the step; from: the first row. */
TC_DEV_SM120 void tc__gemm120_words(const tc__gemm120_side s, uint32_t *r, uint32_t at, int from)
{
    const int lane = tc_lane(), late = lane >= 16, k = tc__gemm120_word_k(lane);
    const uint32_t apart = (uint32_t)((late ? -4 : 4) * s.o.row);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int across = (from + h * 8) * 4;
        const uint32_t box = at + (uint32_t)(across / s.o.row * s.o.box_bytes + across % s.o.row);
        uint32_t x, y;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(x) : "r"(box ^ tc_rows_twist(s.o.row, (uint32_t)k)) : "memory");
        asm volatile("ld.shared.b32 %0, [%1];"
                     : "=r"(y) : "r"((box + apart) ^ tc_rows_twist(s.o.row, (uint32_t)k ^ 4u)) : "memory");
        r[s.is_a ? h : 2 * h] = late ? y : x;
        r[s.is_a ? 2 + h : 2 * h + 1] = late ? x : y;
    }
}

/* Of factors that exist in the four of a word, `left` of them: the others are zeros, as what they would multiply. */
TC_DEV void tc__gemm120_cut(uint32_t *words, int left)
{
    const uint32_t mask = left >= 4 ? 0xffffffffu : left <= 0 ? 0u : (1u << left * 8) - 1u;
#pragma unroll
    for (int i = 0; i < 4; i++) words[i] &= mask;
}

/* .sf: factors of A and B for a piece's step 0, or both of its steps where they share a block. */
TC_DEV_SM120 void tc__gemm120_read_factors(tc_gemm120_in k, const tc_gemm120_block *g, const tc__gemm120_piece *p,
                                           const int step, tc__gemm120_fragments *f)
{
    const int in_block = k.factors < 4 ? k.factors : 4, block = step * k.factors / 8;
    const uint32_t from = p->slot + (uint32_t)(k.a.bytes + k.b.bytes + tc_lane() * 16);
    const uint32_t lane = from + ((p->part * (uint32_t)k.factors) / 4u + (uint32_t)block) * (uint32_t)TC_SF_BLOCK;
    const int left = g->p->factors - (int)p->number * k.factors - block * 4;
    tc_ldmatrix_x4(f->sa, lane);
    tc_ldmatrix_x4(f->sb, lane + (uint32_t)(k.sf_blocks * TC_SF_BLOCK));
    if (k.factors == 2) { /* half a block */
#pragma unroll
        for (int i = 0; i < 4; i++) f->sa[i] >>= p->number % 2u * 16u, f->sb[i] >>= p->number % 2u * 16u;
    }
    if (left < in_block) tc__gemm120_cut(f->sa, left), tc__gemm120_cut(f->sb, left);
}

/* .sf and A in columns: 64 rows, of which ldmatrix brings 16 neighbours, and an instruction has 8 and those 32 further
 * down. at: of tc__gemm120_part; first: their first row. */
TC_DEV_SM120 void tc__gemm120_read_split(const tc__gemm120_side a, int first, uint32_t at, const int step,
                                         tc__gemm120_fragments *f)
{
#pragma unroll
    for (int i = 0; i < 2; i++) {
        uint32_t upper[4], lower[4];
        tc__gemm120_ldmatrix(a, upper, tc__gemm120_at(a, at, first, i, step));
        tc__gemm120_ldmatrix(a, lower, tc__gemm120_at(a, at, first, i + 2, step));
#pragma unroll
        for (int x = 0; x < 4; x++) /* 8 rows and the next 8 of 16 of k, then of the next 16 */
            f->a[2 * i + x % 2][x / 2 * 2] = upper[x], f->a[2 * i + x % 2][x / 2 * 2 + 1] = lower[x];
    }
}

/* The fragments of a step, 0 or 1, of a piece. before: those of the step before, whose factors may serve this one. */
TC_DEV_SM120 void tc__gemm120_read(tc_gemm120_in k, const tc_gemm120_block *g, const tc_gemm120_warp *u,
                                   const tc__gemm120_piece *p, const int step, tc__gemm120_fragments *f,
                                   const tc__gemm120_fragments *before)
{
    const tc__gemm120_side a = tc__gemm120_side_a(k), b = tc__gemm120_side_b(k);
    const uint32_t at_a = tc__gemm120_part(a, p->slot + u->a, p->part);
    const uint32_t at_b = tc__gemm120_part(b, p->slot + (uint32_t)k.a.bytes + u->b, p->part);
    if (k.c.sf && (step == 0 || k.factors == 8)) {
        tc__gemm120_read_factors(k, g, p, step, f);
    } else if (k.c.sf) {
#pragma unroll
        for (int i = 0; i < 4; i++) f->sa[i] = before->sa[i], f->sb[i] = before->sb[i];
    }
    if (k.a.turned && k.c.sf) tc__gemm120_read_split(a, u->row, at_a, step, f);
#pragma unroll
    for (int i = 0; i < (k.a.turned && k.c.sf ? 0 : k.mi); i++) {
        if (k.a.turned && k.a.bits == 32)
            tc__gemm120_words(a, f->a[i], at_a + (uint32_t)(step * 8 * k.a.row), u->row + i * 16);
        else tc__gemm120_ldmatrix(a, f->a[i], tc__gemm120_at(a, at_a, u->row, i, step));
    }
#pragma unroll
    for (int j = 0; j < k.ni / 2; j++) {
        if (k.b.turned && k.b.bits == 32)
            tc__gemm120_words(b, f->b + j * 4, at_b + (uint32_t)(step * 8 * k.b.row), u->col + j * 16);
        else tc__gemm120_ldmatrix(b, f->b + j * 4, tc__gemm120_at(b, at_b, u->col, j, step));
    }
}

/* ---------------------------------------------------------------------------------------------------------------------
 * One instruction.
 */
/* Its operands; .sf: its factors, which of their bytes (a constant), and in which lanes of four they are. */
typedef struct tc__gemm120_one_mma {
    const uint32_t *a, *b;
    float *f;
    int32_t *i;
    uint32_t sa, sb;
    int byte;
    uint16_t lane_a, lane_b;
    uint32_t *h; /* sums in f16 */
} tc__gemm120_one_mma;

TC_DEV_SM120 void tc__gemm120_mma_int(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    if (c.a == TC_S8 && c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, s8, s32, x.i, x.a, x.b, x.i);
    else if (c.a == TC_S8) TC_MMA(m16n8k32, row, col, s32, s8, u8, s32, x.i, x.a, x.b, x.i);
    else if (c.b == TC_S8) TC_MMA(m16n8k32, row, col, s32, u8, s8, s32, x.i, x.a, x.b, x.i);
    else TC_MMA(m16n8k32, row, col, s32, u8, u8, s32, x.i, x.a, x.b, x.i);
}

/* A statement for each pair of types: X is that of a pair. */
#define TC__GEMM120_WITH(X, type, text)                                                                               \
    if (c.a == type && c.b == TC_E4M3) X(text, e4m3);                                                                 \
    if (c.a == type && c.b == TC_E5M2) X(text, e5m2);                                                                 \
    if (c.a == type && c.b == TC_E3M2) X(text, e3m2);                                                                 \
    if (c.a == type && c.b == TC_E2M3) X(text, e2m3);                                                                 \
    if (c.a == type && c.b == TC_E2M1) X(text, e2m1);
#define TC__GEMM120_PAIRS(X)                                                                                          \
    TC__GEMM120_WITH(X, TC_E4M3, e4m3)                                                                                \
    TC__GEMM120_WITH(X, TC_E5M2, e5m2)                                                                                \
    TC__GEMM120_WITH(X, TC_E3M2, e3m2)                                                                                \
    TC__GEMM120_WITH(X, TC_E2M3, e2m3)                                                                                \
    TC__GEMM120_WITH(X, TC_E2M1, e2m1)

#if TC_HAS_SM120A
#define TC__GEMM120_KIND(ta, tb) TC_MMA_KIND(m16n8k32, row, col, f8f6f4, f32, ta, tb, f32, x.f, x.a, x.b, x.f)
TC_DEV_SM120A void tc__gemm120_mma_kind(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    TC__GEMM120_PAIRS(TC__GEMM120_KIND)
}

#define TC__GEMM120_SCALED(ta, tb)                                                                                    \
    TC_MMA_BLOCK_SCALE(m16n8k32, row, col, mxf8f6f4, scale_vec_1X, f32, ta, tb, f32, ue8m0, x.f, x.a, x.b, x.f,       \
                       x.sa, x.byte, x.lane_a, x.sb, x.byte, x.lane_b)
TC_DEV_SM120A void tc__gemm120_mma_scaled(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    TC__GEMM120_PAIRS(TC__GEMM120_SCALED)
}

TC_DEV_SM120A void tc__gemm120_mma_fp4(tc_gemm120_in k, const tc__gemm120_one_mma x)
{
    if (k.kind == TC__OPK_MXF4)
        TC_MMA_BLOCK_SCALE(m16n8k64, row, col, mxf4, scale_vec_2X, f32, e2m1, e2m1, f32, ue8m0, x.f, x.a, x.b, x.f,
                           x.sa, x.byte, x.lane_a, x.sb, x.byte, x.lane_b);
    else
        TC_MMA_BLOCK_SCALE(m16n8k64, row, col, mxf4nvf4, scale_vec_4X, f32, e2m1, e2m1, f32, ue4m3, x.f, x.a, x.b,
                           x.f, x.sa, x.byte, x.lane_a, x.sb, x.byte, x.lane_b);
}
#endif

/* fp8 without factors: its plain form is the same instruction here, and plain targets have it. */
TC_DEV_SM120 void tc__gemm120_mma_fp8(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    if (c.a == TC_E4M3 && c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f32, e4m3, e4m3, f32, x.f, x.a, x.b, x.f);
    else if (c.a == TC_E4M3) TC_MMA(m16n8k32, row, col, f32, e4m3, e5m2, f32, x.f, x.a, x.b, x.f);
    else if (c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f32, e5m2, e4m3, f32, x.f, x.a, x.b, x.f);
    else TC_MMA(m16n8k32, row, col, f32, e5m2, e5m2, f32, x.f, x.a, x.b, x.f);
}

/* To sums in f16. */
TC_DEV_SM120 void tc__gemm120_mma_half(tc_gemm_config_in c, const tc__gemm120_one_mma x)
{
    if (c.a == TC_F16) TC_MMA(m16n8k16, row, col, f16, f16, f16, f16, x.h, x.a, x.b, x.h);
    else if (c.a == TC_E4M3 && c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e4m3, f16, x.h, x.a, x.b, x.h);
    else if (c.a == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e4m3, e5m2, f16, x.h, x.a, x.b, x.h);
    else if (c.b == TC_E4M3) TC_MMA(m16n8k32, row, col, f16, e5m2, e4m3, f16, x.h, x.a, x.b, x.h);
    else TC_MMA(m16n8k32, row, col, f16, e5m2, e5m2, f16, x.h, x.a, x.b, x.h);
}

TC_DEV_SM120 void tc__gemm120_mma(tc_gemm120_in k, const tc__gemm120_one_mma x)
{
    const tc_gemm_config c = k.c;
    if (k.kind == TC_OP_NO_KIND) {
        if (k.sums == TC_S32) tc__gemm120_mma_int(c, x);
        else if (k.sums == TC_F16) tc__gemm120_mma_half(c, x);
        else if (tc__gemm_is_fp8(c.a)) tc__gemm120_mma_fp8(c, x);
        else if (c.a == TC_TF32) TC_MMA(m16n8k8, row, col, f32, tf32, tf32, f32, x.f, x.a, x.b, x.f);
        else if (c.a == TC_BF16) tc_mma_m16n8k16_f32_bf16(x.f, x.a, x.b, x.f);
        else tc_mma_m16n8k16_f32_f16(x.f, x.a, x.b, x.f);
#if TC_HAS_SM120A
    } else if (k.kind == TC__OPK_F8F6F4) {
        tc__gemm120_mma_kind(c, x);
    } else if (k.kind == TC__OPK_MXF8F6F4) {
        tc__gemm120_mma_scaled(c, x);
    } else {
        tc__gemm120_mma_fp4(k, x);
#endif
    }
}

/* The products of a step. */
TC_DEV_SM120 void tc__gemm120_multiply(tc_gemm120_in k, const tc_gemm120_warp *u, const int step,
                                       const tc__gemm120_fragments *f, tc__gemm120_acc *acc)
{
    const int bytes = step * k.factors / 2 % 4; /* of the first factor that it takes */
#pragma unroll
    for (int i = 0; i < k.mi; i++) {
#pragma unroll
        for (int jj = 0; jj < k.ni; jj++) {
            const int j = i % 2 ? k.ni - 1 - jj : jj; /* back and forth: B's registers stay for the turn */
            const tc__gemm120_one_mma x = {f->a[i], f->b + j * 2, acc->f + (i * k.ni + j) * 4,
                                           acc->i + (i * k.ni + j) * 4, f->sa[i % 4], f->sb[j % 4], bytes,
                                           (uint16_t)u->lane_a, (uint16_t)((u->lane_b + (uint32_t)j / 4u) % 4u),
                                           acc->h + (i * k.ni + j) * 2};
            tc__gemm120_mma(k, x);
        }
    }
}

#endif /* TC_HAS_SM120 */
#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM120_MMA_H */
