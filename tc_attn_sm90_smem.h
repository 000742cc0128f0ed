/* tc_attn_sm90_smem.h - tc 0.2.0 - the shared memory of Hopper's attention: what lies where, and the note on a tile of
 * work. Needs: the headers below.
 *
 *     Q: [boxes of 64 columns][bm rows][128 bytes] | K: [stages][boxes][bn][128] | V: the same | O, where there is room
 *     (else its place is V's: tc__attn90_o_in_v) | for each tile of Q which work it is | mbarriers: full and empty of
 *     each slot; tail | the order's word to the producer, and its mbarriers
 *
 * Blackwell's producer is Hopper's, and so is the note.
 */
#ifndef TC_ATTN_SM90_SMEM_H
#define TC_ATTN_SM90_SMEM_H

#include "tc_attn_sm90_plan.h"
#include "tc_mma.h"

#ifdef __CUDACC__

TC_DEV uint32_t tc__attn90_q(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return smem + stage * (uint32_t)tc__attn90_q_tile(c).bytes;
}
TC_DEV uint32_t tc__attn90_k(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_q(c, smem, (uint32_t)c.q_stages) + stage * (uint32_t)tc__attn90_k_tile(c).bytes;
}
TC_DEV uint32_t tc__attn90_v(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_k(c, smem, (uint32_t)c.stages) + stage * (uint32_t)tc__attn90_v_tile(c).bytes;
}
TC_DEV uint32_t tc__attn90_o(const tc_attn_config c, uint32_t smem)
{
    return tc__attn90_v(c, smem, (uint32_t)c.stages);
}
/* two notes, also where there is one slot of Q: its laps alternate between them */
TC_DEV uint32_t tc__attn90_note(const tc_attn_config c, uint32_t smem, tc_ring q)
{
    return tc__attn90_o(c, smem) + (uint32_t)tc__attn90_o_bytes(c) + (c.q_stages == 1 ? q.phase : q.stage) * 48u;
}
TC_DEV uint32_t tc__attn90_k_full(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_o(c, smem) + (uint32_t)(tc__attn90_o_bytes(c) + 2 * 48) + stage * 16u;
}
TC_DEV uint32_t tc__attn90_k_empty(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_k_full(c, smem, stage) + 8u;
}
TC_DEV uint32_t tc__attn90_v_full(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_k_full(c, smem, (uint32_t)c.stages) + stage * 16u;
}
TC_DEV uint32_t tc__attn90_v_empty(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_v_full(c, smem, stage) + 8u;
}
TC_DEV uint32_t tc__attn90_q_full(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_v_full(c, smem, (uint32_t)c.stages) + stage * 16u;
}
TC_DEV uint32_t tc__attn90_q_empty(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_q_full(c, smem, stage) + 8u;
}
TC_DEV uint32_t tc__attn90_tail(const tc_attn_config c, uint32_t smem)
{
    return tc__attn90_q_full(c, smem, (uint32_t)c.q_stages);
}

/* tc__attn90_o_in_v: O has left the slots of V. */
TC_DEV uint32_t tc__attn90_o_left(const tc_attn_config c, uint32_t smem) { return tc__attn90_tail(c, smem) + 8u; }

/* What comes next, from the warp that finds it out to the one that fetches it: full and empty, and 12 words. */
TC_DEV uint32_t tc__attn90_mail(const tc_attn_config c, uint32_t smem) { return tc__attn90_tail(c, smem) + 16u; }

/* TC_E4M3: the barrier that counts the bytes of a V that is to be turned, and beside it a word: 0: no V follows. */
TC_DEV uint32_t tc__attn90_v_raw(const tc_attn_config c, uint32_t smem, uint32_t stage)
{
    return tc__attn90_mail(c, smem) + (uint32_t)(64 + TC_ATTN_ORDER_BYTES) + stage * 16u;
}
TC_DEV void tc__attn90_v_follows(const tc_attn_config c, uint32_t smem, uint32_t stage, int follows)
{
    asm volatile("st.shared.b32 [%0+8], %1;" : : "r"(tc__attn90_v_raw(c, smem, stage)), "r"(follows) : "memory");
}

/* tc__attn90_pause, which TC_E4M3 has not: a barrier at which nobody ever arrives. */
TC_DEV uint32_t tc__attn90_still(const tc_attn_config c, uint32_t smem) { return tc__attn90_v_raw(c, smem, 0); }

/* 16 bytes of zeros. */
TC_DEV void tc__attn90_zero_16(uint32_t at)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" : : "r"(at), "r"(0) : "memory");
}

/* A note on work w beside its tile of Q, for the consumers. b = -1: the end. */
TC_DEV void tc__attn90_note_put(uint32_t at, const tc_attn_work *w)
{
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" : : "r"(at), "r"(w->b), "r"(w->h), "r"(w->q0),
                 "r"(w->q_len) : "memory");
    asm volatile("st.shared.v4.b32 [%0+16], {%1, %2, %3, %4};" : : "r"(at), "r"(w->k_len), "r"(w->q_at), "r"(w->lo),
                 "r"(w->hi) : "memory");
    asm volatile("st.shared.v4.b32 [%0+32], {%1, %2, %3, 0};" : : "r"(at), "r"(w->free_lo), "r"(w->free_hi),
                 "r"(w->k_at) : "memory");
}

/* Into uniform registers: it is the same for the warp, which has few others (producer) or needs them for sums
 * (consumers). by: which lanes read it (tc_uniform is an OR), and will give the place back. */
TC_DEV_SM80 void tc__attn90_note_get(const int by, uint32_t at, tc_attn_work *w)
{
    uint32_t x[11] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    if (by != TC__NOTE_ONE || tc_lane() == 0) {
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3]) : "r"(at) : "memory");
        asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4+16];"
                     : "=r"(x[4]), "=r"(x[5]), "=r"(x[6]), "=r"(x[7]) : "r"(at) : "memory");
        asm volatile("ld.shared.v2.b32 {%0, %1}, [%2+32];" : "=r"(x[8]), "=r"(x[9]) : "r"(at) : "memory");
        asm volatile("ld.shared.b32 %0, [%1+40];" : "=r"(x[10]) : "r"(at) : "memory");
    }
    w->b = (int)tc_uniform(x[0]), w->h = (int)tc_uniform(x[1]);
    w->q0 = (int)tc_uniform(x[2]), w->q_len = (int)tc_uniform(x[3]);
    w->k_len = (int)tc_uniform(x[4]), w->q_at = (int)tc_uniform(x[5]);
    w->k_at = (int)tc_uniform(x[10]);
    w->lo = (int)tc_uniform(x[6]), w->hi = (int)tc_uniform(x[7]);
    w->free_lo = (int)tc_uniform(x[8]), w->free_hi = (int)tc_uniform(x[9]);
    if (by == TC__NOTE_LAST) __syncwarp(); /* read before a lane gives the place back */
}

#endif /* __CUDACC__ */
#endif /* TC_ATTN_SM90_SMEM_H */
