/* tc_gemm_sm90_rows.h - tc 0.2.0 - the end of a Hopper GEMM's tile whose rows are D's (.rows, .top). Needs: the headers
 * below; sm_90a.
 *
 *     tc__gemm90_end_rows   a warp's sums to its shared memory, some of its 16 rows at a time, and on as tc_gemm_rows.h
 *                           has it; TMA takes no part
 */
#ifndef TC_GEMM_SM90_ROWS_H
#define TC_GEMM_SM90_ROWS_H

#include "tc_gemm_rows.h"
#include "tc_gemm_sm90_store.h"

#ifdef __CUDACC__

/* Rows at a time; are chunks of neighbouring rows spread over the banks? */
TC_HD TC_CONSTEXPR int tc__gemm90_rows_staged(tc_gemm_config_in c) { return c.bn > 128 ? 4 : c.bn > 64 ? 8 : 16; }
TC_HD TC_CONSTEXPR int tc__gemm90_rows_spread(tc_gemm_config_in c) { return c.bn % 32 == 0; }

/* Of the sums v of 16 rows those of rows first .. first + staged - 1, h: 0 or 1, of the lane's two rows. */
TC_DEV_SM90 void tc__gemm90_stage_rows(tc_gemm_config_in c, uint32_t to, const float *v, const int h, int first)
{
    const int lane = tc_lane(), in = lane / 4 + 8 * h - first;
    const uint32_t turn = tc__gemm90_rows_spread(c) ? (uint32_t)in & 3u : 0u;
    const uint32_t at = to + (uint32_t)(in * c.bn * 4 + lane % 4 * 8);
    if (in < 0 || in >= tc__gemm90_rows_staged(c)) return;
#pragma unroll
    for (int j = 0; j < c.bn / 8; j++)
        asm volatile("st.shared.v2.f32 [%0], {%1, %2};"
                     : : "r"(at + ((uint32_t)j ^ turn) * 32u), "f"(v[4 * j + 2 * h]), "f"(v[4 * j + 2 * h + 1])
                     : "memory");
}

/* Blocks of 64 rows each have this: where one loop has more of them, nvcc makes of their sums an array to look up. */
TC_DEV_SM90 void tc__gemm90_end_rows(tc_gemm_config_in c, const tc_gemm90_block *g, tc_gemm90_consumer *u, float *acc)
{
    const int rows = tc__gemm90_rows_staged(c), blocks = tc__gemm90_rows(c) / 64;
    tc__gemm90_sums_to_f32(c, acc, blocks * c.bn / 2);
#pragma unroll
    for (int i = 0; i < blocks; i++) {
        const tc_gemm_at first = {u->w.row + u->warp_row + i * 64, 0, u->w.batch, 0};
#pragma unroll 1
        for (int n = 0; n < 16; n += rows) {
            const tc__gemm_staged t = {u->buf, c.bn * 4, n, rows, c.bn / 8, 0, first};
            if (first.row + n >= g->p->out.m) break;
            tc__gemm90_stage_rows(c, u->buf, acc + i * (c.bn / 2), 0, n);
            tc__gemm90_stage_rows(c, u->buf, acc + i * (c.bn / 2), 1, n);
            __syncwarp();
            tc__gemm_rows_end(c, &g->p->out, tc__gemm90_rows_spread(c), t);
            __syncwarp();
        }
    }
}

#endif /* __CUDACC__ */
#endif /* TC_GEMM_SM90_ROWS_H */
