/* 40_attention_by_hand_sm80.cu - an attention kernel for every device from sm_80 on, written from the parts, beside the
 * generated one.
 *
 * O = softmax(scale * Q K') V in bf16, head dim 128, causal or not. Q, K, V and O are (batch, len, heads, 128), len is
 * any.
 *    1 A block works on 128 queries of a head and has 96 KB of shared memory and 128 threads of 255 registers: where an
 *      SM has room for two blocks (sm_90, sm_100), one is in its softmax while the other multiplies. Causal: the blocks
 *      with the most keys come first.
 *    2 Four warps, 32 queries each. What bounds this kernel is shared memory: each fragment of K or V that ldmatrix
 *      brings is multiplied twice, for two times 16 queries. More queries would need more registers: O takes 128, S 64.
 *    3 Two slots of 64 keys, K and V. While one is worked on cp.async fills the other; one barrier a tile says both
 *      that it is there and that nobody reads the one before any more. The copies go out between products, four at a
 *      time: sm_90 pauses before the first of a run.
 *    4 Rows of 128 bytes are swizzled: eight rows of one 16-byte column, which are a matrix of ldmatrix, lie in
 *      different banks.
 *      The swizzle is an XOR, and so is the step along a row: four addresses a lane, found once, serve all of a tile.
 *    5 ldmatrix runs three fragments ahead of the products. A __syncwarp here and there keeps ptxas from moving more of
 *      them up than there are registers for.
 *    6 P never leaves its registers: an accumulator lies in them as an A operand does.
 *    7 exp2 of the next 16 keys is computed between the products of P V of these 16.
 *    8 The softmax is one multiply-add and one exp2 a score. O is rescaled only where a row of the warp has a new
 *      maximum, and only then do the four lanes that share a row ask each other.
 *    9 Keys are visited from the last tile down. Only the first visited have anything to mask: the diagonal, or the
 *      end.
 */
#include "attn_main.h"

enum {
    /* queries of a warp: two tiles of 16 */
    DIM = 128, ROWS = 128, KEYS = 64, WARPS = 4, THREADS = 32 * WARPS, MINE = ROWS / WARPS,
    PASS = THREADS / 16, /* rows that one copy of each thread fills: 16 chunks of 16 bytes a row */
    /* Q | K: two slots | V: two slots */
    Q_BYTES = ROWS * DIM * 2, KV_BYTES = KEYS * DIM * 2, SMEM = Q_BYTES + 2 * 2 * KV_BYTES,
    STEPS = DIM / 16, GROUPS = KEYS / 16, UNITS = STEPS * GROUPS, AHEAD = 3
};
/* the shift of a row that has seen no key: exp2 gives 0, each score is a rise, and nothing is inf - inf */           \
#define NOTHING                                                                                                       \
    3e38f

typedef struct hand_params {
    const uint16_t *q, *k, *v;
    uint16_t *o;
    /* log of the sum of exp of a row's scores: (batch, heads, len); scale holds log2(e): exp(x) = exp2(x log2(e)) */
    float *lse, scale;
    int len, heads, causal;
    long long row;     /* elements between rows: heads * DIM */
    uint32_t blocks;   /* of a head */
    uint32_t section;  /* heads, of all batches, that are worked on side by side */
    uint32_t columns;  /* all of them */
} hand_params;

/* What a warp keeps of its rows. A lane has parts of four: lane / 4 + 0, 8, 16, 24, here 0..3. */
typedef struct hand_rows {
    /* what is added to score * scale before exp2, -maximum * scale; this lane's part of the sum */
    float shift[4], sum[4];
} hand_rows;

/* Shared memory: in two halves of 64 columns each, a row of which is 128 bytes. rows: of the tile; chunk: of 16 bytes,
 * 0..15 of a row. */
TC_DEV uint32_t place(int rows, uint32_t row, uint32_t chunk)
{
    return chunk / 8 * (uint32_t)(rows * 128) + tc_tile_offset(128, row, chunk % 8 * 16);
}
/* Idea 4: the same 16 * step columns on, for a place in the first 16 columns. */
TC_DEV uint32_t along(int rows, uint32_t at, int step)
{
    return (at ^ (uint32_t)(step % 4 * 32)) + (uint32_t)(step / 4 * rows * 128);
}

/* Rows first .. first + rows - 1 of a head; those behind the end become zeros: 0 times whatever lies there might be
 * NaN. */
TC_DEV_SM80 void load(const hand_params *p, uint32_t to, const uint16_t *head, int first, const int rows)
{
    const int r = (int)threadIdx.x / 16, chunk = (int)threadIdx.x % 16;
    to += place(rows, (uint32_t)r, (uint32_t)chunk);
#pragma unroll
    for (int i = 0; i < rows / PASS; i++) {
        const int row = first + r + i * PASS;
        tc_cp_async_cg_16_zfill(to + (uint32_t)(i * PASS * 128), head + (long long)row * p->row + chunk * 8,
                                row < p->len ? 16 : 0);
    }
}

/* A copy of a thread, if on: of a tile whose rows all exist. One predicated instruction, where a branch would part the
 * products around it. */
TC_DEV_SM80 void copy(uint32_t to, const void *from, uint32_t offset, int on)
{
    asm volatile("{\n\t"
                 ".reg .pred p;\n\t"
                 ".reg .b64 a;\n\t"
                 "setp.ne.b32 p, %3, 0;\n\t"
                 "cvt.u64.u32 a, %2;\n\t"
                 "add.s64 a, a, %1;\n\t"
                 "@p cp.async.cg.shared.global [%0], [a], 16;\n\t"
                 "}"
                 : : "r"(to), "l"(from), "r"(offset), "r"(on) : "memory");
}

/* S = Q K' of a tile (idea 2), and between the products (idea 3) the copies of the tile that is worked on next, if
 * there is one.
 * q, k: this warp's rows of Q, the tile of K; q_lane, k_lane: this lane's place in them; k_next, v_next: where from;
 * next: to. */
TC_DEV_SM80 void multiply_qk(const hand_params *p, uint32_t q, uint32_t q_lane, uint32_t k, uint32_t k_lane,
                             const char *k_next, const char *v_next, uint32_t next, int load_next, float s[2][KEYS / 2])
{
    /* that is 0, but unknown to ptxas: else what follows would take registers all the time */
    const uint32_t thread = threadIdx.x + (next >> 31);
    const uint32_t to = next + place(KEYS, thread / 16, thread % 16),
                   offset = thread / 16 * (uint32_t)(p->row * 2) + thread % 16 * 16;
    const long long pass = PASS * p->row * 2;
    uint32_t a[2][2][4], b[AHEAD + 1][4]; /* fragments: two tiles of Q, of this step and the next; 16 keys */
#pragma unroll
    for (int t = 0; t < 2; t++) tc_ldmatrix_x4(a[0][t], q_lane + (q + (uint32_t)(t * 16 * 128)));
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
        tc_ldmatrix_x4(b[u], along(KEYS, k_lane, u / GROUPS) + (k + (uint32_t)(u % GROUPS * 16 * 128)));
#pragma unroll
    for (int u = 0; u < UNITS; u++) { /* 16 columns by 16 keys */
        const int step = u / GROUPS, j = u % GROUPS, ahead = u + AHEAD, run = (u + 1) * 2 * KEYS / PASS / UNITS;
        if (j == 0 && step) __syncwarp(); /* idea 5 */
        if (ahead < UNITS)
            tc_ldmatrix_x4(b[ahead % (AHEAD + 1)],
                           along(KEYS, k_lane, ahead / GROUPS) + (k + (uint32_t)(ahead % GROUPS * 16 * 128)));
        if (j == 0 && step + 1 < STEPS)
#pragma unroll
            for (int t = 0; t < 2; t++)
                tc_ldmatrix_x4(a[(step + 1) % 2][t], along(ROWS, q_lane, step + 1) + (q + (uint32_t)(t * 16 * 128)));
        if ((u + 1) % (UNITS / 4) == 0) /* four runs of four copies */
#pragma unroll
            for (int i = run - 4; i < run; i++) {
                const int row = i % (KEYS / PASS) * PASS, is_v = i / (KEYS / PASS);
                copy(to + (uint32_t)(is_v * 2 * KV_BYTES + row * 128), is_v ? v_next : k_next, offset, load_next);
                if (is_v) v_next += pass;
                else k_next += pass;
            }
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
            for (int t = 0; t < 2; t++) {
                float *d = s[t] + (2 * j + e) * 4;
                if (step == 0)
                    TC_MMA_ZERO(m16n8k16, row, col, f32, bf16, bf16, f32, d, a[0][t], b[u % (AHEAD + 1)] + 2 * e);
                else tc_mma_m16n8k16_f32_bf16(d, a[step % 2][t], b[u % (AHEAD + 1)] + 2 * e, d);
            }
    }
    tc_cp_async_commit_group();
}

/* Idea 9. key, query: of s[0][0] of this lane. */
TC_DEV void mask(const hand_params *p, int key, int query, float s[2][KEYS / 2])
{
#pragma unroll
    for (int t = 0; t < 2; t++)
#pragma unroll
        for (int i = 0; i < KEYS / 2; i++) {
            const int at = key + i / 4 * 8 + i % 2, row = query + t * 16 + i / 2 % 2 * 8;
            if (at >= p->len || (p->causal && at > row)) s[t][i] = -INFINITY;
        }
}

/* exp2f has two instructions more, for denormals */
TC_DEV float exp2_fast(float x) { asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); return x; }

/* Idea 8, for 16 queries: are there new maxima? If so the shifts, and what has been added up with the old ones. */
TC_DEV_SM80 void raise(float scale, const float *s, float *shift, float *sum, float *o)
{
    float top[4] = {s[0], s[1], s[2], s[3]};
#pragma unroll
    for (int i = 4; i < KEYS / 2; i++) top[i % 4] = fmaxf(top[i % 4], s[i]);
    top[0] = fmaxf(top[0], top[1]), top[1] = fmaxf(top[2], top[3]);
    if (!__any_sync(0xffffffffu, fmaf(top[0], scale, shift[0]) > 0.f || fmaf(top[1], scale, shift[1]) > 0.f)) return;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float x = fmaxf(top[r], __shfl_xor_sync(0xffffffffu, top[r], 1)), to, f;
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
        to = fminf(shift[r], -x * scale);
        f = exp2_fast(to - shift[r]);
        shift[r] = to;
        sum[r] *= f;
#pragma unroll
        for (int i = 0; i < DIM / 4; i++) o[i / 2 * 4 + r * 2 + i % 2] *= f;
    }
}

/* 16 keys, number j of a tile, of both tiles of queries: element i of the 16 that this lane has, to exp2. */
TC_DEV void exp2_one(float scale, float s[2][KEYS / 2], int j, int i, hand_rows *r)
{
    float *x = &s[i / 8][j * 8 + i % 8];
    const int row = i / 8 * 2 + i % 4 / 2;
    *x = exp2_fast(fmaf(*x, scale, r->shift[row]));
    r->sum[row] += *x;
}
TC_DEV_SM80 void pack(float s[2][KEYS / 2], int j, uint32_t a[2][4]) /* idea 6 */
{
#pragma unroll
    for (int i = 0; i < 8; i++)
        a[i / 4][i % 4] = tc_bf16x2(s[i / 4][j * 8 + i % 4 * 2], s[i / 4][j * 8 + i % 4 * 2 + 1]);
}

/* O += P V of a tile, P = exp2(scale * S + shift). */
TC_DEV_SM80 void multiply_pv(float scale, uint32_t v, uint32_t v_lane, float s[2][KEYS / 2], hand_rows *r,
                             float o[2][DIM / 2])
{
    /* fragments: P of these 16 keys and the next, for two tiles; 16 columns of V */
    uint32_t a[2][2][4], b[AHEAD + 1][4];
#pragma unroll
    for (int u = 0; u < AHEAD; u++)
        tc_ldmatrix_x4_trans(b[u], along(KEYS, v_lane, u % STEPS) + (v + (uint32_t)(u / STEPS * 16 * 128)));
#pragma unroll
    for (int i = 0; i < 16; i++) exp2_one(scale, s, 0, i, r);
    pack(s, 0, a[0]);
#pragma unroll
    for (int u = 0; u < UNITS; u++) { /* 16 keys by 16 columns */
        const int j = u / STEPS, n = u % STEPS, ahead = u + AHEAD;
        if (u % 4 == 0) __syncwarp();
        if (ahead < UNITS)
            tc_ldmatrix_x4_trans(b[ahead % (AHEAD + 1)],
                                 along(KEYS, v_lane, ahead % STEPS) + (v + (uint32_t)(ahead / STEPS * 16 * 128)));
#pragma unroll
        for (int e = 0; e < 2; e++)
#pragma unroll
            for (int t = 0; t < 2; t++) {
                float *d = o[t] + (2 * n + e) * 4;
                tc_mma_m16n8k16_f32_bf16(d, a[j % 2][t], b[u % (AHEAD + 1)] + 2 * e, d);
            }
        if (j + 1 < GROUPS) { /* idea 7 */
            exp2_one(scale, s, j + 1, 2 * n, r);
            exp2_one(scale, s, j + 1, 2 * n + 1, r);
            if (n + 1 == STEPS) pack(s, j + 1, a[(j + 1) % 2]);
        }
    }
}

/* Idea 1: block `index` of the grid. Heads are taken in sections whose K and V fit into L2 together. */
TC_DEV void work_at(const hand_params *p, uint32_t index, int *q0, int *head, int *batch)
{
    const uint32_t area = p->section * p->blocks, begin = index / area * p->section,
                   size = min(p->section, p->columns - begin);
    const uint32_t row = index % area / size, column = begin + index % area % size;
    *q0 = (int)(p->causal ? p->blocks - 1 - row : row) * ROWS;
    *head = (int)column % p->heads;
    *batch = (int)column / p->heads;
}

static __global__ void __launch_bounds__(THREADS, 2) hand_kernel(const __grid_constant__ hand_params p)
{
#if TC_HAS_SM80
    extern __shared__ TC_ALIGN(1024) unsigned char dynamic_smem[];
    const uint32_t smem = tc_smem_u32(dynamic_smem), k = smem + Q_BYTES, v = k + 2 * KV_BYTES,
                   lane = (uint32_t)tc_lane();
    /* tc_uniform: for addresses in uniform registers */
    const uint32_t row0 = tc_uniform(threadIdx.x / 32) * MINE, q_lane = place(ROWS, lane % 16, lane / 16);
    const uint32_t k_lane = place(KEYS, lane % 8 + lane / 16 * 8, lane / 8 % 2),
                   v_lane = place(KEYS, lane % 16, lane / 16);
    hand_rows r = {{NOTHING, NOTHING, NOTHING, NOTHING}};
    float s[2][KEYS / 2], o[2][DIM / 2] = {};
    uint32_t slot = 0, index;
    int q0, head, batch;
    work_at(&p, blockIdx.x, &q0, &head, &batch);
    /* whole: nothing to mask */
    const int tiles = ((p.causal ? min(q0 + ROWS, p.len) : p.len) + KEYS - 1) / KEYS,
              whole = (p.causal ? q0 : p.len) / KEYS;
    const long long at = (long long)batch * p.len * p.row + (long long)head * DIM;

    load(&p, smem, p.q + at, q0, ROWS);
    load(&p, k, p.k + at, (tiles - 1) * KEYS, KEYS);
    load(&p, v, p.v + at, (tiles - 1) * KEYS, KEYS);
    tc_cp_async_commit_group();
    for (int n = tiles - 1; n >= 0; n--, slot ^= 1) {
        /* the tile before this one, which is next */
        const long long before = (at + (long long)(n - 1) * KEYS * p.row) * 2;
        TC_CP_ASYNC_WAIT_GROUP(0);
        __syncthreads(); /* idea 3 */
        multiply_qk(&p, smem + row0 * 128, q_lane, k + slot * KV_BYTES, k_lane, (const char *)p.k + before,
                    (const char *)p.v + before, k + (slot ^ 1) * KV_BYTES, n > 0, s);
        if (n >= whole) mask(&p, n * KEYS + (int)lane % 4 * 2, q0 + (int)(row0 + lane / 4), s);
#pragma unroll
        for (int t = 0; t < 2; t++) raise(p.scale, s[t], r.shift + 2 * t, r.sum + 2 * t, o[t]);
        multiply_pv(p.scale, v + slot * KV_BYTES, v_lane, s, &r, o);
    }
    /* once more, so that nothing of it takes registers in the loop */
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
    work_at(&p, index, &q0, &head, &batch);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const int query = q0 + (int)(row0 + lane / 4) + i * 8;
        float sum = r.sum[i], f;
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        f = 1.f / sum;
        if (query >= p.len) continue;
        if (lane % 4 == 0)
            p.lse[((size_t)batch * p.heads + head) * p.len + query] = (__log2f(sum) - r.shift[i]) * 0.69314718f;
#pragma unroll
        for (int j = 0; j < DIM / 8; j++) {
            const float *x = o[i / 2] + j * 4 + i % 2 * 2;
            *(uint32_t *)(p.o + ((long long)batch * p.len + query) * p.row + head * DIM + j * 8 + lane % 4 * 2) =
                tc_bf16x2(x[0] * f, x[1] * f);
        }
    }
#endif
}

static tc_status hand_run(const tc_attn_args *g, int causal, cudaStream_t stream)
{
    const uint32_t blocks = (uint32_t)(g->q_len + ROWS - 1) / ROWS, columns = (uint32_t)(g->batch * g->heads);
    const uint32_t fit = 32000000u / (blocks * 2 * Q_BYTES); /* heads whose K and V together are 32 MB */
    const hand_params p = {(const uint16_t *)g->q, (const uint16_t *)g->k, (const uint16_t *)g->v, (uint16_t *)g->o,
                           g->lse, 1.44269504f / sqrtf(DIM),
                           g->q_len, g->heads, causal, (long long)g->heads * DIM, blocks,
                           causal && fit > 1 ? min(fit, columns) : 1, columns};
    cudaFuncSetAttribute(hand_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SMEM);
    hand_kernel<<<blocks * columns, THREADS, SMEM, stream>>>(p);
    return cudaGetLastError() == cudaSuccess ? TC_OK : TC_ERR_CUDA;
}
static tc_status hand_full(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 0, stream); }
static tc_status hand_causal(const tc_attn_args *g, cudaStream_t stream) { return hand_run(g, 1, stream); }
TC_ATTN_SM80_DEFINE(generated, .type = TC_BF16, .head_dim = DIM)
TC_ATTN_SM80_DEFINE(generated_causal, .type = TC_BF16, .head_dim = DIM, .causal = 1)

int main(void)
{
    const attn_example full = {.name = "by hand", .run = hand_full, .rival = generated_run};
    const attn_example causal = {.name = "by hand", .run = hand_causal, .causal = 1, .rival = generated_causal_run};
    const attn_shape shapes[4] = {{32, 16, 16, 512, 512, DIM}, {4, 16, 16, 4096, 4096, DIM},
                                  {1, 16, 16, 16384, 16384, DIM}, {3, 5, 5, 3333, 3333, DIM}};
    int failed = 0;
    example_device(80);
    for (int i = 0; i < 8; i++) failed += attn_example_shape(i < 4 ? &full : &causal, shapes[i % 4]);
    return failed;
}
