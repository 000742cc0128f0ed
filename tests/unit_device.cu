/* unit_device.cu - every wrapper of tc_core.h, tc_mma.h, tc_tma.h and tc_wgmma.h on the device, against the host.
 *     nvcc -std=c++17 -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a tests/unit_device.cu -o
 *     build/tests/unit_device
 *
 * Data are small integers, so every sum is exact and every comparison is for equality. Kernels are small and empty
 * where the target lacks the instruction; what the device (or this build) cannot do is skipped with the reason. */
#include "../tc.h"
#include "test.h"

static uint16_t code(int type, float x) { return type == TC_BF16 ? tc_bf16_from_f32(x) : tc_f16_from_f32(x); }
static float value(int type, uint16_t x) { return type == TC_BF16 ? tc_f32_from_bf16(x) : tc_f32_from_f16(x); }

/* count elements of type, integers of -4..4 */
static void small_integers(uint16_t *p, int count, int type)
{
    for (int i = 0; i < count; i++) p[i] = code(type, (float)test_int(-4, 4));
}

/* Dynamic shared memory, from its first multiple of 1024 on; launches give 1024 bytes more than they use. */
extern __shared__ unsigned char dynamic[];
TC_DEV unsigned char *smem_base(void) { return dynamic + (1024u - (tc_smem_u32(dynamic) & 1023u)) % 1024u; }

/* ---- what this build holds for this device ---- */
__global__ void k_has(int *out) { *out = TC_HAS_SM80 | TC_HAS_SM90 << 1 | TC_HAS_SM90A << 2; }
static int has80, has90, has90a;

/* ---- conversions ---- */
enum { SWEEP = 1049345, STEP = 4093 }; /* SWEEP * STEP covers 2^32 */
__global__ void k_convert(uint32_t *f16, uint32_t *bf16, uint32_t *from, uint32_t *pairs)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 65536) {
        f16[i] = tc_bits_from_f32(tc_f32_from_f16((uint16_t)i));
        bf16[i] = tc_bits_from_f32(tc_f32_from_bf16((uint16_t)i));
    }
    if (i < SWEEP) {
        const float x = tc_f32_from_bits(i * STEP);
        from[i] = tc_f16_from_f32(x) | (uint32_t)tc_bf16_from_f32(x) << 16;
#if TC_HAS_SM80
        const float y = tc_f32_from_bits(~(i * STEP));
        pairs[2 * i] = tc_f16x2(x, y);
        pairs[2 * i + 1] = tc_bf16x2(x, y);
#endif
    }
}

static void test_convert(void)
{
    test_buffer f16 = test_buffer_make(65536 * 4), bf16 = test_buffer_make(65536 * 4),
                from = test_buffer_make((size_t)SWEEP * 4), pairs = test_buffer_make((size_t)SWEEP * 8);
    k_convert<<<(SWEEP + 255) / 256, 256>>>((uint32_t *)f16.dev, (uint32_t *)bf16.dev, (uint32_t *)from.dev,
                                            (uint32_t *)pairs.dev);
    test_buffer_down(&f16), test_buffer_down(&bf16), test_buffer_down(&from), test_buffer_down(&pairs);
    for (uint32_t i = 0; i < 65536; i++) {
        const float h = tc_f32_from_f16((uint16_t)i), g = tc_f32_from_bits(((uint32_t *)f16.host)[i]);
        CHECK(isnan(h) ? isnan(g) : tc_bits_from_f32(h) == tc_bits_from_f32(g), "f16 %04x: %g here, %g there", i, h, g);
        CHECK(tc_bits_from_f32(tc_f32_from_bf16((uint16_t)i)) == ((uint32_t *)bf16.host)[i], "bf16 %04x", i);
    }
    for (uint32_t i = 0; i < SWEEP; i++) {
        const float x = tc_f32_from_bits(i * STEP), y = tc_f32_from_bits(~(i * STEP));
        const uint32_t hf = tc_f16_from_f32(x), hb = tc_bf16_from_f32(x), got = ((uint32_t *)from.host)[i];
        CHECK(got == (hf | hb << 16), "f32 %08x: %04x %04x there, %04x %04x here", i * STEP, got & 0xffff, got >> 16,
              hf, hb);
        if (has80) {
            const uint32_t wf = hf | (uint32_t)tc_f16_from_f32(y) << 16, wb = hb | (uint32_t)tc_bf16_from_f32(y) << 16;
            CHECK(((uint32_t *)pairs.host)[2 * i] == wf, "tc_f16x2 of %08x: %08x, want %08x", i * STEP,
                  ((uint32_t *)pairs.host)[2 * i], wf);
            CHECK(((uint32_t *)pairs.host)[2 * i + 1] == wb, "tc_bf16x2 of %08x: %08x, want %08x", i * STEP,
                  ((uint32_t *)pairs.host)[2 * i + 1], wb);
        }
    }
    test_buffer_drop(&f16), test_buffer_drop(&bf16), test_buffer_drop(&from), test_buffer_drop(&pairs);
}

/* ---- ldmatrix, stmatrix, movmatrix: matrices of 8 rows of 16 bytes, end to end ---- */
__global__ void k_ldmatrix(const uint16_t *in, uint32_t *out)
{
    __shared__ TC_ALIGN(128) uint16_t s[256];
    uint32_t r[14];
    for (int i = (int)threadIdx.x; i < 256; i += 32) s[i] = in[i];
    __syncthreads();
    const uint32_t row = tc_smem_u32(s) + 16 * threadIdx.x;
    tc_ldmatrix_x1(r, row);
    tc_ldmatrix_x2(r + 1, row);
    tc_ldmatrix_x4(r + 3, row);
    tc_ldmatrix_x1_trans(r + 7, row);
    tc_ldmatrix_x2_trans(r + 8, row);
    tc_ldmatrix_x4_trans(r + 10, row);
#pragma unroll
    for (int i = 0; i < 14; i++) out[i * 32 + threadIdx.x] = r[i];
}

__global__ void k_stmatrix(uint16_t *out)
{
#if TC_HAS_SM90
    __shared__ TC_ALIGN(128) uint16_t s[6 * 256];
    uint32_t r[4];
    for (int i = (int)threadIdx.x; i < 6 * 256; i += 32) s[i] = 0xffff;
#pragma unroll
    for (int m = 0; m < 4; m++) r[m] = (m * 64 + threadIdx.x * 2) | (m * 64 + threadIdx.x * 2 + 1) << 16;
    __syncthreads();
    const uint32_t row = tc_smem_u32(s) + 16 * threadIdx.x;
    tc_stmatrix_x1(row, r[0]);
    tc_stmatrix_x2(row + 512, r[0], r[1]);
    tc_stmatrix_x4(row + 1024, r);
    tc_stmatrix_x1_trans(row + 1536, r[0]);
    tc_stmatrix_x2_trans(row + 2048, r[0], r[1]);
    tc_stmatrix_x4_trans(row + 2560, r);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 6 * 256; i += 32) out[i] = s[i];
#endif
}

__global__ void k_movmatrix(const uint32_t *in, uint32_t *out)
{
    out[threadIdx.x] = tc_movmatrix_trans(in[threadIdx.x]);
}

static void test_matrices(void)
{
    static const int counts[6] = {1, 2, 4, 1, 2, 4};
    test_buffer in = test_buffer_make(512), out = test_buffer_make(14 * 32 * 4), st = test_buffer_make(6 * 256 * 2),
                min = test_buffer_make(128), mout = test_buffer_make(128);
    const uint16_t *m = (const uint16_t *)in.host;
    for (int i = 0; i < 256; i++) ((uint16_t *)in.host)[i] = (uint16_t)(i * 257 + 3);
    test_buffer_up(&in);
    k_ldmatrix<<<1, 32>>>((const uint16_t *)in.dev, (uint32_t *)out.dev);
    test_buffer_down(&out);
    for (int v = 0, r = 0; v < 6; v++)
        for (int i = 0; i < counts[v]; i++, r++)
            for (int lane = 0; lane < 32; lane++) {
                const int g = lane / 4, t = lane % 4, trans = v >= 3;
                const uint32_t lo = m[i * 64 + (trans ? 2 * t * 8 + g : g * 8 + 2 * t)],
                               hi = m[i * 64 + (trans ? (2 * t + 1) * 8 + g : g * 8 + 2 * t + 1)];
                const uint32_t got = ((uint32_t *)out.host)[r * 32 + lane];
                CHECK(got == (lo | hi << 16), "ldmatrix x%d%s matrix %d lane %d: %08x, want %08x", counts[v],
                      trans ? " trans" : "", i, lane, got, lo | hi << 16);
            }
    /* element (r, c) is 8r + c + 1 */
    for (int lane = 0; lane < 32; lane++)
        ((uint32_t *)min.host)[lane] = (uint32_t)(2 * lane + 1) | (uint32_t)(2 * lane + 2) << 16;
    test_buffer_up(&min);
    k_movmatrix<<<1, 32>>>((const uint32_t *)min.dev, (uint32_t *)mout.dev);
    test_buffer_down(&mout);
    for (int lane = 0; lane < 32; lane++) {
        const uint32_t g = (uint32_t)lane / 4, t = (uint32_t)lane % 4,
                       want = (8 * 2 * t + g + 1) | (8 * (2 * t + 1) + g + 1) << 16;
        CHECK(((uint32_t *)mout.host)[lane] == want, "movmatrix lane %d: %08x, want %08x", lane,
              ((uint32_t *)mout.host)[lane], want);
    }
    if (has90) {
        k_stmatrix<<<1, 32>>>((uint16_t *)st.dev);
        test_buffer_down(&st);
        for (int v = 0; v < 6; v++)
            for (int i = 0; i < 256; i++) {
                const int mat = i / 64, row = i / 8 % 8, col = i % 8, trans = v >= 3;
                const int lane = trans ? col * 4 + row / 2 : row * 4 + col / 2, half = trans ? row % 2 : col % 2;
                const uint16_t want = mat < counts[v] ? (uint16_t)(mat * 64 + lane * 2 + half) : 0xffff,
                               got = ((uint16_t *)st.host)[v * 256 + i];
                CHECK(got == want, "stmatrix x%d%s matrix %d (%d, %d): %04x, want %04x", counts[v], trans ? " trans"
                      : "", mat, row, col, got, want);
            }
    } else {
        SKIP("stmatrix: needs sm_90");
    }
    test_buffer_drop(&in), test_buffer_drop(&out), test_buffer_drop(&st), test_buffer_drop(&min),
        test_buffer_drop(&mout);
}

/* ---- cp.async: thread i copies by case i into its own 16 bytes ---- */
enum { CP_CASES = 4 + 5 + 9 + 17 + 17 };
enum { WAIT_GROUP, WAIT_ALL, WAIT_MBARRIER, WAIT_MBARRIER_ALL, WAITS };
__global__ void k_cp_async(const unsigned char *in, unsigned char *out, int wait)
{
#if TC_HAS_SM80
    __shared__ TC_ALIGN(16) unsigned char s[64 * 16];
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word);
    int i = (int)threadIdx.x;
    const unsigned char *src = in + 16 * i;
    const uint32_t dst = tc_smem_u32(s) + 16u * (uint32_t)i;
    for (int x = 0; x < 16; x++) s[16 * i + x] = 0xee;
    if (i == 0) tc_mbarrier_init(bar, 64);
    __syncthreads();
    if (i == 0) tc_cp_async_ca_4(dst, src);
    else if (i == 1) tc_cp_async_ca_8(dst, src);
    else if (i == 2) tc_cp_async_ca_16(dst, src);
    else if (i == 3) tc_cp_async_cg_16(dst, src);
    else if (i < 9) tc_cp_async_ca_4_zfill(dst, src, i - 4);
    else if (i < 18) tc_cp_async_ca_8_zfill(dst, src, i - 9);
    else if (i < 35) tc_cp_async_ca_16_zfill(dst, src, i - 18);
    else if (i < CP_CASES) tc_cp_async_cg_16_zfill(dst, src, i - 35);
    if (wait >= WAIT_MBARRIER) {
        tc_cp_async_mbarrier_arrive_noinc(bar);
        if (wait == WAIT_MBARRIER_ALL) tc_cp_async_wait_all(); /* others still learn of the copies by the mbarrier */
        TC_MBARRIER_WAIT(bar, 0, "copies", 0);
        i = 63 - i; /* every thread's copies have landed, not only the own ones */
    } else {
        tc_cp_async_commit_group();
        if (wait == WAIT_ALL) tc_cp_async_wait_all();
        else TC_CP_ASYNC_WAIT_GROUP(0);
        __syncthreads();
    }
    for (int x = 0; x < 16; x++) out[16 * i + x] = s[16 * i + x];
#endif
}

/* With no bytes to read the source may be any address, 0 too. */
__global__ void k_cp_async_null(unsigned char *out)
{
#if TC_HAS_SM80
    __shared__ TC_ALIGN(16) unsigned char s[16];
    for (int x = 0; x < 16; x++) s[x] = 0xee;
    tc_cp_async_cg_16_zfill(tc_smem_u32(s), (const void *)0, 0);
    tc_cp_async_commit_group();
    TC_CP_ASYNC_WAIT_GROUP(0);
    for (int x = 0; x < 16; x++) out[x] = s[x];
#endif
}

static void test_cp_async(void)
{
    test_buffer in = test_buffer_make(1024), out = test_buffer_make(1024);
    for (int i = 0; i < 1024; i++) ((unsigned char *)in.host)[i] = (unsigned char)(i * 7 + 1);
    test_buffer_up(&in);
    for (int wait = 0; wait < WAITS; wait++) {
        k_cp_async<<<1, 64>>>((const unsigned char *)in.dev, (unsigned char *)out.dev, wait);
        test_buffer_down(&out);
        for (int i = 0; i < 64; i++) {
            const int size = i < 4 ? (i == 0 ? 4 : i == 1 ? 8 : 16) : i < 9 ? 4 : i < 18 ? 8 : i < CP_CASES ? 16 : 0;
            const int copied = i < 4 ? size : i < 9 ? i - 4 : i < 18 ? i - 9 : i < 35 ? i - 18 : i - 35;
            for (int x = 0; x < 16; x++) {
                const int want = x >= size ? 0xee
                               : x < copied ? ((unsigned char *)in.host)[16 * i + x]
                               : 0, got = ((unsigned char *)out.host)[16 * i + x];
                CHECK(got == want, "cp.async case %d wait %d (size %d, %d bytes) byte %d: %02x, want %02x", i, wait,
                      size, copied, x, got, want);
            }
        }
    }
    test_buffer_drop(&in), test_buffer_drop(&out);
}

static void test_cp_async_null(void)
{
    test_buffer out = test_buffer_make(16);
    k_cp_async_null<<<1, 1>>>((unsigned char *)out.dev);
    test_buffer_down(&out);
    for (int x = 0; x < 16; x++)
        CHECK(((unsigned char *)out.host)[x] == 0, "cp.async of nothing from null, byte %d", x);
    test_buffer_drop(&out);
}

/* ---- mma.sync: A 16x16, B 8x16 (n, k), C and D 16x8; results of f32_bf16, f32_f16, f16_f16 ---- */
__global__ void k_mma(const uint16_t *a, const uint16_t *b, const float *c, float *d, int type)
{
#if TC_HAS_SM80
    uint32_t ra[4], rb[2];
    float rc[4], rd[4];
    const int lane = tc_lane();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        ra[i] = a[tc_frag_m16n8k16_a_row(lane, 2 * i) * 16 + tc_frag_m16n8k16_a_col(lane, 2 * i)]
              | (uint32_t)a[tc_frag_m16n8k16_a_row(lane, 2 * i + 1) * 16 + tc_frag_m16n8k16_a_col(lane, 2 * i + 1)]
              << 16;
        rc[i] = c[tc_frag_m16n8k16_d_row(lane, i) * 8 + tc_frag_m16n8k16_d_col(lane, i)];
    }
#pragma unroll
    for (int i = 0; i < 2; i++)
        rb[i] = b[tc_frag_m16n8k16_b_row(lane, 2 * i) * 16 + tc_frag_m16n8k16_b_col(lane, 2 * i)]
              | (uint32_t)b[tc_frag_m16n8k16_b_row(lane, 2 * i + 1) * 16 + tc_frag_m16n8k16_b_col(lane, 2 * i + 1)]
              << 16;
    if (type == 0) tc_mma_m16n8k16_f32_bf16(rd, ra, rb, rc);
    else if (type == 1) tc_mma_m16n8k16_f32_f16(rd, ra, rb, rc);
    else {
        uint32_t h[2] = {tc_f16x2(rc[0], rc[1]), tc_f16x2(rc[2], rc[3])};
        tc_mma_m16n8k16_f16_f16(h, ra, rb, h);
#pragma unroll
        for (int i = 0; i < 4; i++) rd[i] = tc_f32_from_f16((uint16_t)(h[i / 2] >> (i % 2 * 16)));
    }
#pragma unroll
    for (int i = 0; i < 4; i++) d[tc_frag_m16n8k16_d_row(lane, i) * 8 + tc_frag_m16n8k16_d_col(lane, i)] = rd[i];
#endif
}

static void test_mma(void)
{
    static const char *const names[3] = {"f32_bf16", "f32_f16", "f16_f16"};
    test_buffer a = test_buffer_make(512), b = test_buffer_make(256), c = test_buffer_make(512),
                d = test_buffer_make(512);
    for (int type = 0; type < 3; type++) {
        const int ab = type == 0 ? TC_BF16 : TC_F16;
        small_integers((uint16_t *)a.host, 256, ab), small_integers((uint16_t *)b.host, 128, ab);
        for (int i = 0; i < 128; i++) ((float *)c.host)[i] = (float)test_int(-50, 50);
        test_buffer_up(&a), test_buffer_up(&b), test_buffer_up(&c);
        k_mma<<<1, 32>>>((const uint16_t *)a.dev, (const uint16_t *)b.dev, (const float *)c.dev, (float *)d.dev, type);
        test_buffer_down(&d);
        for (int i = 0; i < 128; i++) {
            float want = ((float *)c.host)[i];
            for (int k = 0; k < 16; k++)
                want += value(ab, ((uint16_t *)a.host)[i / 8 * 16 + k]) * value(ab,
                    ((uint16_t *)b.host)[i % 8 * 16 + k]);
            CHECK(((float *)d.host)[i] == want, "mma %s (%d, %d): %g, want %g", names[type], i / 8, i % 8,
                  ((float *)d.host)[i], want);
        }
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&c), test_buffer_drop(&d);
}

/* ---- mbarrier: one thread, one sequence; out[i] against the number beside each step ---- */
__global__ void k_mbarrier_sm80(uint32_t *out)
{
#if TC_HAS_SM80
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word);
    tc_mbarrier_init(bar, 5);
    out[0] = tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)); /* 5: before it */
    out[1] = tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)); /* 4 */
    out[2] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 0: the first phase goes on */
    out[3] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 1); /* 1: the phase before it is over */
    tc_mbarrier_arrive(bar);
    tc_mbarrier_arrive(bar);
    out[4] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 0 */
    tc_mbarrier_arrive(bar);
    out[5] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 1 */
    out[6] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 1); /* 0 */
    out[7] = tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)); /* 5: the next phase */
    tc_mbarrier_inval(bar);
    tc_mbarrier_init(bar, 1);
    tc_mbarrier_arrive(bar);
    out[8] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 1 */
    tc_mbarrier_arrive(bar);
    out[9] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 1); /* 1 */
#endif
}

__global__ void k_mbarrier_sm90(uint32_t *out, const unsigned char *in)
{
#if TC_HAS_SM90
    __shared__ uint64_t word;
    __shared__ TC_ALIGN(128) unsigned char s[256];
    const uint32_t bar = tc_smem_u32(&word), data = tc_smem_u32(s);
    tc_mbarrier_init(bar, 3);
    tc_fence_mbarrier_init();
    tc_mbarrier_arrive_count(bar, 2);
    out[1] = (uint32_t)tc_mbarrier_try_wait_parity(bar, 0); /* 0 */
    out[2] = (uint32_t)tc_mbarrier_try_wait_parity(bar, 1); /* 1 */
    tc_mbarrier_arrive_expect_tx(bar, 128);
    out[3] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 0: all have arrived, the bytes have not */
    tc_cp_async_bulk_g2s(data, in, 128, bar);
    TC_MBARRIER_WAIT(bar, 0, "bytes", 0);
    out[4] = s[0] + s[127] * 256u;                         /* in[0], in[127] */
    tc_mbarrier_expect_tx(bar, 64);                        /* the second phase, in the other order */
    tc_cp_async_bulk_g2s(data + 128, in + 128, 32, bar);
    tc_cp_async_bulk_g2s(data + 160, in + 160, 32, bar);
    tc_mbarrier_arrive_count(bar, 3);
    TC_MBARRIER_WAIT(bar, 1, "bytes", 0);
    out[5] = s[128] + s[191] * 256u;                       /* in[128], in[191] */
    out[6] = (uint32_t)tc_mbarrier_test_wait_parity(bar, 0); /* 0: the third phase has begun */
    out[7] = tc_mbarrier_pending_count(tc_mbarrier_arrive_state(bar)); /* 3 */
#endif
}

static void test_mbarrier(void)
{
    static const uint32_t want80[10] = {5, 4, 0, 1, 0, 1, 0, 5, 1, 1};
    test_buffer out = test_buffer_make(64), in = test_buffer_make(256);
    uint32_t *o = (uint32_t *)out.host;
    k_mbarrier_sm80<<<1, 1>>>((uint32_t *)out.dev);
    test_buffer_down(&out);
    for (int i = 0; i < 10; i++) CHECK(o[i] == want80[i], "mbarrier step %d: %u, want %u", i, o[i], want80[i]);
    if (has90) {
        const uint32_t want90[8] = {0, 0, 1, 0, 11 + ((127 * 3 + 11) & 255) * 256u,
                                    ((128 * 3 + 11) & 255) + ((191 * 3 + 11) & 255) * 256u, 0, 3};
        for (int i = 0; i < 256; i++) ((unsigned char *)in.host)[i] = (unsigned char)(i * 3 + 11);
        test_buffer_up(&in);
        k_mbarrier_sm90<<<1, 1>>>((uint32_t *)out.dev, (const unsigned char *)in.dev);
        test_buffer_down(&out);
        for (int i = 1; i < 8; i++)
            CHECK(o[i] == want90[i], "mbarrier with bytes, step %d: %u, want %u", i, o[i], want90[i]);
    } else {
        SKIP("mbarrier with bytes: needs sm_90");
    }
    test_buffer_drop(&out), test_buffer_drop(&in);
}

/* ---- bulk copies: in -> shared -> out; and shared added onto out ---- */
__global__ void k_bulk(const unsigned char *in, unsigned char *out, unsigned char *seen, uint32_t bytes)
{
#if TC_HAS_SM90
    __shared__ uint64_t word;
    unsigned char *s = smem_base();
    const uint32_t bar = tc_smem_u32(&word);
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_fence_mbarrier_init();
        tc_mbarrier_arrive_expect_tx(bar, bytes);
        tc_cp_async_bulk_g2s(tc_smem_u32(s), in, bytes, bar);
    }
    __syncthreads();
    TC_MBARRIER_WAIT(bar, 0, "bulk", 0);
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) seen[i] = s[i];
    __syncthreads();
    if (threadIdx.x == 0) {
        tc_cp_async_bulk_s2g(out, tc_smem_u32(s), bytes);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP_READ(0);
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
#endif
}

enum { ADD_U32, ADD_S32, ADD_U64, ADD_F32, ADD_F16, ADD_BF16, ADDS };
__global__ void k_bulk_add(const unsigned char *in, unsigned char *out, uint32_t bytes, int type)
{
#if TC_HAS_SM90
    unsigned char *s = smem_base();
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) s[i] = in[i];
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (threadIdx.x == 0) {
        const uint32_t src = tc_smem_u32(s);
        if (type == ADD_U32) tc_cp_reduce_async_bulk_add_u32(out, src, bytes);
        if (type == ADD_S32) tc_cp_reduce_async_bulk_add_s32(out, src, bytes);
        if (type == ADD_U64) tc_cp_reduce_async_bulk_add_u64(out, src, bytes);
        if (type == ADD_F32) tc_cp_reduce_async_bulk_add_f32(out, src, bytes);
        if (type == ADD_F16) tc_cp_reduce_async_bulk_add_f16(out, src, bytes);
        if (type == ADD_BF16) tc_cp_reduce_async_bulk_add_bf16(out, src, bytes);
        tc_cp_async_bulk_commit_group();
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);
    }
#endif
}

static void test_bulk(void)
{
    static const uint32_t sizes[] = {16, 32, 592, 4096, 16384};
    static const char *const names[ADDS] = {"u32", "s32", "u64", "f32", "f16", "bf16"};
    test_buffer in = test_buffer_make(16384 + 64), out = test_buffer_make(16384 + 64),
                seen = test_buffer_make(16384 + 64);
    unsigned char *o = (unsigned char *)out.host, *p = (unsigned char *)in.host;
    for (size_t i = 0; i < in.bytes; i++) p[i] = (unsigned char)test_random();
    test_buffer_up(&in);
    for (int x = 0; x < 5; x++) {
        CUDA_CHECK(cudaMemset(out.dev, 0xcd, out.bytes));
        k_bulk<<<1, 64, 16384 + 1024>>>((const unsigned char *)in.dev, (unsigned char *)out.dev,
                                        (unsigned char *)seen.dev, sizes[x]);
        test_buffer_down(&out), test_buffer_down(&seen);
        CHECK(!memcmp(seen.host, p, sizes[x]), "bulk g2s of %u bytes", sizes[x]);
        CHECK(!memcmp(o, p, sizes[x]), "bulk s2g of %u bytes", sizes[x]);
        CHECK(o[sizes[x]] == 0xcd && o[out.bytes - 1] == 0xcd, "bulk s2g of %u bytes writes past its end", sizes[x]);
    }
    for (int type = 0; type < ADDS; type++) {
        enum { BYTES = 1024 };
        const int size = type == ADD_U64 ? 8 : type >= ADD_F16 ? 2 : 4, count = BYTES / size;
        unsigned char before[BYTES];
        for (int i = 0; i < count; i++) {
            const int x = test_int(-100, 100), y = test_int(-100, 100);
            if (type == ADD_U32)
                ((uint32_t *)p)[i] = (uint32_t)test_random(), ((uint32_t *)o)[i] = (uint32_t)test_random();
            if (type == ADD_S32) ((int32_t *)p)[i] = x, ((int32_t *)o)[i] = y;
            if (type == ADD_U64) ((uint64_t *)p)[i] = test_random(), ((uint64_t *)o)[i] = test_random();
            if (type == ADD_F32) ((float *)p)[i] = (float)x, ((float *)o)[i] = (float)y;
            if (type == ADD_F16)
                ((uint16_t *)p)[i] = code(TC_F16, (float)x), ((uint16_t *)o)[i] = code(TC_F16, (float)y);
            if (type == ADD_BF16)
                ((uint16_t *)p)[i] = code(TC_BF16, (float)x), ((uint16_t *)o)[i] = code(TC_BF16, (float)y);
        }
        memcpy(before, o, BYTES);
        test_buffer_up(&in), test_buffer_up(&out);
        k_bulk_add<<<1, 64, 16384 + 1024>>>((const unsigned char *)in.dev, (unsigned char *)out.dev, BYTES, type);
        test_buffer_down(&out);
        for (int i = 0; i < count; i++) {
            int same = 0;
            if (type == ADD_U32) same = ((uint32_t *)o)[i] == ((uint32_t *)p)[i] + ((uint32_t *)before)[i];
            if (type == ADD_S32) same = ((int32_t *)o)[i] == ((int32_t *)p)[i] + ((int32_t *)before)[i];
            if (type == ADD_U64) same = ((uint64_t *)o)[i] == ((uint64_t *)p)[i] + ((uint64_t *)before)[i];
            if (type == ADD_F32) same = ((float *)o)[i] == ((float *)p)[i] + ((float *)before)[i];
            if (type >= ADD_F16) {
                const int t = type == ADD_F16 ? TC_F16 : TC_BF16;
                same = value(t, ((uint16_t *)o)[i]) == value(t, ((uint16_t *)p)[i]) + value(t, ((uint16_t *)before)[i]);
            }
            CHECK(same, "bulk add %s, element %d", names[type], i);
        }
    }
    test_buffer_drop(&in), test_buffer_drop(&out), test_buffer_drop(&seen);
}

/* ---- tensor copies, 1 to 5 dimensions ---- */
enum { LOAD, LOAD_HINT, STORE, REDUCE_ADD, REDUCE_MIN, REDUCE_MAX, REDUCE_AND, REDUCE_OR, REDUCE_XOR };
typedef struct { int c[5]; } place;

#define C_1 at.c[0]
#define C_2 C_1, at.c[1]
#define C_3 C_2, at.c[2]
#define C_4 C_3, at.c[3]
#define C_5 C_4, at.c[4]
#if TC_HAS_SM90
#define TENSOR_BODY(n, ...)                                                                                 \
    __shared__ uint64_t word;                                                                               \
    unsigned char *s = smem_base();                                                                         \
    const uint32_t bar = tc_smem_u32(&word), data = tc_smem_u32(s);                                         \
    for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) s[i] = op <= LOAD_HINT ? 0xcc : box[i];      \
    if (threadIdx.x == 0) {                                                                                 \
        tc_prefetch_tensormap(&map);                                                                        \
        tc_mbarrier_init(bar, 1);                                                                           \
        tc_fence_mbarrier_init();                                                                           \
    }                                                                                                       \
    tc_fence_proxy_async_shared();                                                                          \
    __syncthreads();                                                                                        \
    if (op <= LOAD_HINT) {                                                                                  \
        if (threadIdx.x == 0) {                                                                             \
            tc_mbarrier_arrive_expect_tx(bar, bytes);                                                       \
            if (op == LOAD) {                                                                               \
                tc_cp_async_bulk_prefetch_tensor_##n##d(&map, C_##n);                                       \
                tc_cp_async_bulk_tensor_##n##d(data, &map, C_##n, bar);                                     \
            } else {                                                                                        \
                tc_cp_async_bulk_tensor_##n##d_hint(data, &map, C_##n, bar, tc_createpolicy_evict_first()); \
            }                                                                                               \
        }                                                                                                   \
        TC_MBARRIER_WAIT(bar, 0, "tensor", 0);                                                              \
        for (uint32_t i = threadIdx.x; i < bytes; i += blockDim.x) box[i] = s[i];                           \
    } else if (threadIdx.x == 0) {                                                                          \
        if (op == STORE) tc_cp_async_bulk_tensor_##n##d_store(&map, data, C_##n);                           \
        else if (op == REDUCE_ADD) tc_cp_reduce_async_bulk_tensor_##n##d_add(&map, data, C_##n);            \
        __VA_ARGS__                                                                                         \
        tc_cp_async_bulk_commit_group();                                                                    \
        TC_CP_ASYNC_BULK_WAIT_GROUP(0);                                                                     \
    }
#else
#define TENSOR_BODY(n, ...)
#endif
#define TENSOR_KERNEL(n, ...)                                                                                         \
    __global__ void k_tensor_##n(const __grid_constant__ tc_tmap map, const place at, int op, uint32_t bytes,         \
                                 unsigned char *box)                                                                  \
    {                                                                                                                 \
        TENSOR_BODY(n, __VA_ARGS__)                                                                                   \
    }
TENSOR_KERNEL(1, )
TENSOR_KERNEL(2,
              else if (op == REDUCE_MIN) tc_cp_reduce_async_bulk_tensor_2d_min(&map, data, C_2);
              else if (op == REDUCE_MAX) tc_cp_reduce_async_bulk_tensor_2d_max(&map, data, C_2);
              else if (op == REDUCE_AND) tc_cp_reduce_async_bulk_tensor_2d_and(&map, data, C_2);
              else if (op == REDUCE_OR) tc_cp_reduce_async_bulk_tensor_2d_or(&map, data, C_2);
              else if (op == REDUCE_XOR) tc_cp_reduce_async_bulk_tensor_2d_xor(&map, data, C_2);)
TENSOR_KERNEL(3, )
TENSOR_KERNEL(4, )
TENSOR_KERNEL(5, )

static void *const tensor_kernels[5] = {(void *)k_tensor_1, (void *)k_tensor_2, (void *)k_tensor_3, (void *)k_tensor_4,
                                        (void *)k_tensor_5};

/* One random copy: a box at a random place of a ragged tensor, often across its edges. */
static void one_tensor(int rank, int swizzle, int op, test_buffer *global, test_buffer *box)
{
    static unsigned char before[1 << 20];
    const int type = op >= REDUCE_MIN ? TC_S32
                   : op == REDUCE_ADD ? TC_F32
                   : test_int(0, 2) == 0 ? TC_U8
                   : test_int(0, 1) ? TC_BF16
                   : TC_F32;
    const int size = tc_type_bits(type) / 8, quantum = 16 / size;
    tc_tmap_desc d;
    tc_tmap map;
    place at;
    uint32_t bytes = 1, volume = 1;
    uint64_t span;
    char what[256];
    memset(&d, 0, sizeof d);
    d.type = type, d.rank = rank, d.base = global->dev, d.swizzle = swizzle, d.l2_promotion = 128;
    d.box[0] = (uint32_t)(swizzle ? swizzle / size : test_int(1, 8) * quantum);
    d.dim[0] = (uint64_t)test_int(1, 200);
    /* stores are cut every 16 bytes, not at the last element */
    if (op >= STORE) d.dim[0] = (uint64_t)(test_int(1, 20) * quantum);
    span = (d.dim[0] * (uint64_t)size + 15) / 16 * 16 + 16ull * (uint64_t)test_int(0, 2);
    for (int i = 1; i < rank; i++) {
        d.box[i] = (uint32_t)test_int(1, rank == 2 ? 64 : rank == 3 ? 10 : 4);
        d.dim[i] = (uint64_t)test_int(1, rank == 2 ? 100 : rank == 3 ? 20 : 6);
        d.stride[i - 1] = span;
        span = span * d.dim[i] + (i + 1 < rank ? 16ull * (uint64_t)test_int(0, 2) : 0);
    }
    if (span > sizeof before) return;
    for (int i = 0; i < rank; i++) {
        at.c[i] = test_int(0, 3) ? test_int(0, (int)d.dim[i] - 1) : test_int(-(int)d.box[i] - 1, (int)d.dim[i] + 2);
        volume *= d.box[i];
    }
    for (int i = rank; i < 5; i++) at.c[i] = 0;
    for (int i = 0; op >= STORE && i < rank; i++) at.c[i] = at.c[i] < 0 ? -at.c[i] : at.c[i]; /* stores: not below 0 */
    at.c[0] = at.c[0] / quantum * quantum; /* the hardware refuses another start with "illegal instruction" */
    bytes = volume * (uint32_t)size;
    snprintf(what, sizeof what, "%dd %s op %d swizzle %d dim %d %d %d %d %d box %u %u %u %u %u at %d %d %d %d %d", rank,
             tc_type_name(type), op, swizzle, (int)d.dim[0], (int)d.dim[1], (int)d.dim[2], (int)d.dim[3], (int)d.dim[4],
             d.box[0], d.box[1], d.box[2], d.box[3], d.box[4], at.c[0], at.c[1], at.c[2], at.c[3], at.c[4]);
    for (size_t i = 0; i < (span + 3) / 4; i++) {
        if (type == TC_F32) ((float *)global->host)[i] = (float)test_int(-1000, 1000);
        else ((uint32_t *)global->host)[i] = (uint32_t)test_random();
    }
    for (uint32_t i = 0; i < (bytes + 3) / 4; i++) {
        if (type == TC_F32) ((float *)box->host)[i] = (float)test_int(-1000, 1000);
        else ((uint32_t *)box->host)[i] = (uint32_t)test_random();
    }
    memcpy(before, global->host, span);
    snprintf(test_context, sizeof test_context, "%s", what);
    test_buffer_up(global), test_buffer_up(box);
    const tc_status st = tc_tmap_encode(&map, &d);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    if (st != TC_OK) return;
    void *args[5] = {&map, &at, &op, &bytes, &box->dev};
    CUDA_CHECK(cudaLaunchKernel(tensor_kernels[rank - 1], dim3(1), dim3(64), args, 32768 + 1024, 0));
    if (op <= LOAD_HINT) test_buffer_down(box);
    else test_buffer_down(global);
    int bad = 0;
    for (uint32_t e = 0; e < volume; e++) {
        uint32_t rest = e, in = 1;
        uint64_t offset = 0;
        unsigned char *s = (unsigned char *)box->host + tc_swizzle(swizzle, e * (uint32_t)size);
        for (int i = 0; i < rank; i++) {
            const int64_t x = (int64_t)at.c[i] + (int64_t)(rest % d.box[i]);
            rest /= d.box[i];
            if (x < 0 || x >= (int64_t)d.dim[i]) in = 0;
            else offset += (uint64_t)x * (i ? d.stride[i - 1] : (uint64_t)size);
        }
        if (op <= LOAD_HINT) {
            static const unsigned char zero[8] = {0};
            bad += memcmp(s, in ? before + offset : zero, (size_t)size) != 0;
        } else if (in && op == STORE) {
            memcpy(before + offset, s, (size_t)size);
        } else if (in && op == REDUCE_ADD) {
            *(float *)(before + offset) += *(float *)s;
        } else if (in) {
            int32_t *t = (int32_t *)(before + offset), y = *(int32_t *)s;
            *t = op == REDUCE_MIN ? (*t < y ? *t : y)
               : op == REDUCE_MAX ? (*t > y ? *t : y)
               : op == REDUCE_AND ? (*t & y)
               : op == REDUCE_OR ? (*t | y)
               : (*t ^ y);
        }
    }
    if (op <= LOAD_HINT) CHECK(bad == 0, "%s: %d of %u elements wrong", what, bad, volume);
    else CHECK(!memcmp(before, global->host, span), "%s: the tensor differs", what);
}

static void test_tensor(void)
{
    static const int swizzles[4] = {0, 32, 64, 128};
    test_buffer global = test_buffer_make(1 << 20), box = test_buffer_make(32768);
    for (int rank = 1; rank <= 5; rank++)
        for (int s = 0; s < 4; s++)
            for (int op = LOAD; op <= REDUCE_ADD; op++)
                for (int i = 0; i < 12; i++) one_tensor(rank, swizzles[s], op, &global, &box);
    test_buffer_drop(&global), test_buffer_drop(&box);
}

static void test_tensor_reduce(void)
{
    test_buffer global = test_buffer_make(1 << 20), box = test_buffer_make(32768);
    for (int op = REDUCE_MIN; op <= REDUCE_XOR; op++)
        for (int i = 0; i < 6; i++) one_tensor(2, i % 2 ? 128 : 0, op, &global, &box);
    test_buffer_drop(&global), test_buffer_drop(&box);
}

/* ---- clusters of two blocks ---- */
/* bytes that a block writes: tensor, tensor with hint, bulk multicast, from the other block */
enum { HALF = 2048, CLUSTER_OUT = 5 * 2 * HALF };
__global__ void k_cluster(const __grid_constant__ tc_tmap map, const unsigned char *in, unsigned char *out,
                          uint32_t *ranks)
{
#if TC_HAS_SM90
    __shared__ uint64_t words[4];
    unsigned char *s = smem_base();
    const uint32_t rank = tc_cluster_ctarank(), data = tc_smem_u32(s), bar = tc_smem_u32(words), both = bar + 8,
                   other = bar + 16;
    unsigned char *mine = out + blockIdx.x * CLUSTER_OUT;
    if (threadIdx.x == 0) {
        tc_mbarrier_init(bar, 1);
        tc_mbarrier_init(both, 2);
        tc_mbarrier_init(other, 1);
        tc_fence_mbarrier_init();
        ranks[blockIdx.x * 4] = rank;
        ranks[blockIdx.x * 4 + 1] = tc_cluster_nctarank();
    }
    tc_cluster_arrive_relaxed();
    tc_cluster_wait();
    /* each block loads half of the box into both */
    for (int kind = 0; kind < 3; kind++) {
        if (threadIdx.x == 0) {
            tc_mbarrier_arrive_expect_tx(bar, 2 * HALF);
            if (kind == 0) tc_cp_async_bulk_tensor_2d_multicast(data + rank * HALF, &map, 0, (int)rank * 16, bar, 3);
            if (kind == 1)
                tc_cp_async_bulk_tensor_2d_multicast_hint(data + rank * HALF, &map, 0, (int)rank * 16 + 32, bar, 3,
                                                          tc_createpolicy_evict_last());
            if (kind == 2) tc_cp_async_bulk_g2s_multicast(data + rank * HALF, in + rank * HALF, HALF, bar, 3);
        }
        TC_MBARRIER_WAIT(bar, kind & 1, "multicast", kind);
        for (uint32_t i = threadIdx.x; i < 2 * HALF; i += blockDim.x) mine[(uint32_t)kind * 2 * HALF + i] = s[i];
        tc_cluster_sync();
    }
    /* each barrier of two arrivals gets one from each block, first with release, then relaxed */
    for (int kind = 0; kind < 2; kind++) {
        if (threadIdx.x == 0) {
            if (kind == 0) tc_mbarrier_arrive_cluster(both, 0), tc_mbarrier_arrive_cluster(both, 1);
            else tc_mbarrier_arrive_cluster_relaxed(both, rank), tc_mbarrier_arrive_cluster_relaxed(both, rank ^ 1);
        }
        TC_MBARRIER_WAIT(both, kind, "both", 0);
        /* 0: one phase, not two */
        if (threadIdx.x == 0)
            ranks[blockIdx.x * 4 + 2 + kind] = (uint32_t)tc_mbarrier_test_wait_parity(both, (uint32_t)kind ^ 1u);
        tc_cluster_sync();
    }
    /* shared memory of one block to shared memory of the other */
    for (uint32_t i = threadIdx.x; i < HALF; i += blockDim.x) s[i] = (unsigned char)(in[i] + 1 + rank);
    tc_fence_proxy_async_shared();
    if (threadIdx.x == 0) tc_mbarrier_arrive_expect_tx(other, HALF);
    tc_cluster_sync();
    if (threadIdx.x == 0)
        tc_cp_async_bulk_s2cluster(tc_mapa(data + HALF, rank ^ 1), data, HALF, tc_mapa(other, rank ^ 1));
    TC_MBARRIER_WAIT(other, 0, "other", 0);
    for (uint32_t i = threadIdx.x; i < HALF; i += blockDim.x) mine[6 * HALF + i] = s[HALF + i];
    tc_cluster_sync();
#endif
}

static void test_cluster(void)
{
    test_buffer in = test_buffer_make(64 * 128), out = test_buffer_make(4 * CLUSTER_OUT), ranks = test_buffer_make(64);
    tc_tmap map;
    tc_tmap_desc d;
    cudaLaunchConfig_t launch;
    cudaLaunchAttribute attribute;
    void *args[4] = {&map, &in.dev, &out.dev, &ranks.dev};
    for (size_t i = 0; i < in.bytes; i++) ((unsigned char *)in.host)[i] = (unsigned char)test_random();
    test_buffer_up(&in);
    memset(&d, 0, sizeof d);
    d.type = TC_BF16, d.rank = 2, d.base = in.dev, d.dim[0] = 64, d.dim[1] = 64, d.stride[0] = 128, d.box[0] = 64,
        d.box[1] = 16, d.swizzle = 128;
    CHECK(tc_tmap_encode(&map, &d) == TC_OK, "cluster: %s", tc_why());
    memset((void *)&launch, 0, sizeof launch);
    launch.gridDim = dim3(4), launch.blockDim = dim3(64), launch.dynamicSmemBytes = 2 * HALF + 1024;
    launch.attrs = &attribute, launch.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 2, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    CUDA_CHECK(cudaLaunchKernelExC(&launch, (const void *)k_cluster, args));
    test_buffer_down(&out), test_buffer_down(&ranks);
    for (uint32_t block = 0; block < 4; block++) {
        const unsigned char *o = (unsigned char *)out.host + block * CLUSTER_OUT, *p = (unsigned char *)in.host;
        const uint32_t *r = (uint32_t *)ranks.host + block * 4;
        int bad[4] = {0, 0, 0, 0};
        CHECK(r[0] == block % 2 && r[1] == 2, "block %u has rank %u of %u", block, r[0], r[1]);
        CHECK(r[2] == 0 && r[3] == 0, "block %u: the barrier of two arrivals ran on: %u %u", block, r[2], r[3]);
        for (uint32_t i = 0; i < 2 * HALF; i++) {
            bad[0] += o[tc_swizzle_128B(i)] != p[i];
            bad[1] += o[2 * HALF + tc_swizzle_128B(i)] != p[2 * HALF + i];
            bad[2] += o[4 * HALF + i] != p[i];
            if (i < HALF) bad[3] += o[6 * HALF + i] != (unsigned char)(p[i] + 1 + (block % 2 ^ 1));
        }
        CHECK(!bad[0] && !bad[1], "block %u: tensor multicast: %d bytes wrong, with a hint %d", block, bad[0], bad[1]);
        CHECK(!bad[2], "block %u: bulk multicast: %d bytes wrong", block, bad[2]);
        CHECK(!bad[3], "block %u: from the other block: %d bytes wrong", block, bad[3]);
    }
    test_buffer_drop(&in), test_buffer_drop(&out), test_buffer_drop(&ranks);
}

/* ---- elect, named barriers, setmaxnreg ---- */
__global__ void k_elect(int *out)
{
#if TC_HAS_SM90
    out[threadIdx.x] = tc_elect_one() | tc_warp() << 8 | tc_lane() << 16;
    tc_cluster_sync(); /* a block without a cluster is a cluster of one */
    if (threadIdx.x == 0) out[64] = (int)(tc_cluster_ctarank() + 16 * tc_cluster_nctarank());
    tc_griddepcontrol_launch_dependents();
    tc_griddepcontrol_wait();
#endif
}

/* 168 registers a thread, which become 40 + 232 + 232; each warpgroup then tells its index, in an order that named
 *   barriers give. */
__global__ void __launch_bounds__(384, 1) k_setmaxnreg(int *out)
{
#if TC_HAS_SM90A
    /* one for each warpgroup: racecheck does not follow named barriers between three parties */
    __shared__ int turns[3];
    const int wg = tc_warpgroup();
    if (wg == 0) {
        TC_SETMAXNREG_DEC(40);
        if (threadIdx.x == 0) turns[0] = 1;
        tc_bar_arrive(1, 256);
    } else if (wg == 1) {
        TC_SETMAXNREG_INC(232);
        tc_bar_sync(1, 256);
        if (threadIdx.x == 128) turns[1] = turns[0] * 10 + 2;
        tc_bar_arrive(2, 256);
    } else {
        TC_SETMAXNREG_INC(232);
        tc_bar_sync(2, 256);
        if (threadIdx.x == 256) out[0] = turns[1] * 10 + 3;
    }
#endif
}

static void test_threads(void)
{
    test_buffer out = test_buffer_make(65 * 4);
    int *o = (int *)out.host;
    k_elect<<<1, 64>>>((int *)out.dev);
    test_buffer_down(&out);
    for (int warp = 0; warp < 2; warp++) {
        int elected = 0;
        for (int lane = 0; lane < 32; lane++) {
            elected += o[warp * 32 + lane] & 1;
            CHECK(o[warp * 32 + lane] >> 8 == (warp | lane << 8), "thread %d: warp and lane %x", warp * 32 + lane,
                  o[warp * 32 + lane] >> 8);
        }
        CHECK(elected == 1, "warp %d elects %d lanes", warp, elected);
    }
    CHECK(o[64] == 16, "a block without a cluster has rank %d of %d", o[64] % 16, o[64] / 16);
    if (has90a) {
        k_setmaxnreg<<<1, 384>>>((int *)out.dev);
        test_buffer_down(&out);
        CHECK(o[0] == 123, "setmaxnreg and named barriers: %d", o[0]);
    } else {
        SKIP("setmaxnreg: needs sm_90a");
    }
    test_buffer_drop(&out);
}

/* ---- wgmma: D (64 x n) = A (64 x k) * B (n x k), k as wide as the swizzle ---- */
enum { B_AT = 8192, WG_SMEM = 8192 + 32768 + 1024 };

/* rows x (swizzle / 2) elements, K-major, into shared memory with the swizzle */
TC_DEV void fill_k_major(unsigned char *s, const uint16_t *p, int rows, int swizzle)
{
    const int k = swizzle / 2;
    for (int i = (int)threadIdx.x; i < rows * k; i += 128)
        *(uint16_t *)(s + tc_tile_offset(swizzle, (uint32_t)(i / k), (uint32_t)(i % k * 2))) = p[i];
}

/* The same matrix MN-major, 128-byte swizzle: k rows of 64 elements of M or N; 64 such columns after another lie 128 *
 * k bytes apart. */
TC_DEV void fill_mn_major(unsigned char *s, const uint16_t *p, int rows, int k)
{
    for (int i = (int)threadIdx.x; i < rows * k; i += 128) {
        const int mn = i / k, kk = i % k;
        *(uint16_t *)(s + mn / 64 * 128 * k + tc_tile_offset(128, (uint32_t)kk, (uint32_t)(mn % 64 * 2))) = p[i];
    }
}

#if TC_HAS_SM90A
#define SS_BODY(n, type)                                                                                      \
    unsigned char *s = smem_base();                                                                           \
    uint64_t da = tc_wgmma_desc(tc_smem_u32(s), swizzle), db = tc_wgmma_desc(tc_smem_u32(s + B_AT), swizzle); \
    float acc[n / 2];                                                                                         \
    fill_k_major(s, a, 64, swizzle);                                                                          \
    fill_k_major(s + B_AT, b, n, swizzle);                                                                    \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++) acc[i] = 12345.f;                                       \
    tc_fence_proxy_async_shared();                                                                            \
    __syncthreads();                                                                                          \
    for (int k = 0; k < swizzle / 32; k++, da += 2, db += 2) {                                                \
        tc_wgmma_fence();                                                                                     \
        tc_wgmma_m64n##n##k16_f32_##type(acc, da, db, accumulate | (k > 0)); /* 0: 12345 is forgotten */      \
        tc_wgmma_commit_group();                                                                              \
        TC_WGMMA_WAIT_GROUP(0);                                                                               \
        tc_wgmma_fence_acc(acc, n / 2);                                                                       \
    }                                                                                                         \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++)                                                         \
        d[tc_frag_wgmma_d_row((int)threadIdx.x, i) * n + tc_frag_wgmma_d_col((int)threadIdx.x, i)] = acc[i];
#define RS_BODY(n, type)                                                                                      \
    unsigned char *s = smem_base();                                                                           \
    uint64_t db = tc_wgmma_desc(tc_smem_u32(s + B_AT), swizzle);                                              \
    float acc[n / 2];                                                                                         \
    const int lane = tc_lane(), row0 = (int)threadIdx.x / 32 * 16, width = swizzle / 2;                       \
    fill_k_major(s + B_AT, b, n, swizzle);                                                                    \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++) acc[i] = 12345.f;                                       \
    tc_fence_proxy_async_shared();                                                                            \
    __syncthreads();                                                                                          \
    for (int k = 0; k < swizzle / 32; k++, db += 2) {                                                         \
        uint32_t ra[4];                                                                                       \
        _Pragma("unroll") for (int i = 0; i < 4; i++) {                                                       \
            const uint16_t *p = a + (row0 + tc_frag_m16n8k16_a_row(lane, 2 * i)) * width + k * 16                     \
                           + tc_frag_m16n8k16_a_col(lane, 2 * i);                                                     \
            ra[i] = p[0] | (uint32_t)p[1] << 16;                                                              \
        }                                                                                                     \
        tc_wgmma_fence();                                                                                     \
        TC_WGMMA_RS(n, f32, type, acc, ra, db, accumulate | (k > 0), 1, 1, 0);                                \
        tc_wgmma_commit_group();                                                                              \
        TC_WGMMA_WAIT_GROUP(0);                                                                               \
        tc_wgmma_fence_acc(acc, n / 2);                                                                       \
    }                                                                                                         \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++)                                                         \
        d[tc_frag_wgmma_d_row((int)threadIdx.x, i) * n + tc_frag_wgmma_d_col((int)threadIdx.x, i)] = acc[i];
#else
#define SS_BODY(n, type)
#define RS_BODY(n, type)
#endif

#define WG_ARGS const uint16_t *a, const uint16_t *b, float *d, int swizzle, int accumulate
#define SS_KERNELS(n)                                                                      \
    __global__ void __launch_bounds__(128, 1) k_ss_##n##_bf16(WG_ARGS) { SS_BODY(n, bf16) } \
    __global__ void __launch_bounds__(128, 1) k_ss_##n##_f16(WG_ARGS) { SS_BODY(n, f16) }
#define RS_KERNELS(n)                                                                      \
    __global__ void __launch_bounds__(128, 1) k_rs_##n##_bf16(WG_ARGS) { RS_BODY(n, bf16) } \
    __global__ void __launch_bounds__(128, 1) k_rs_##n##_f16(WG_ARGS) { RS_BODY(n, f16) }
#define EACH_N(X)                                                                                  \
    X(8) X(16) X(24) X(32) X(40) X(48) X(56) X(64) X(72) X(80) X(88) X(96) X(104) X(112) X(120) X(128) \
    X(136) X(144) X(152) X(160) X(168) X(176) X(184) X(192) X(200) X(208) X(216) X(224) X(232) X(240) X(248) X(256)
EACH_N(SS_KERNELS)
RS_KERNELS(8) RS_KERNELS(64) RS_KERNELS(96) RS_KERNELS(256)

typedef struct { int n, type; void *kernel; const char *form; } wgmma_case;
static const wgmma_case wgmma_cases[] = {
#define ROW(n) {n, TC_BF16, (void *)k_ss_##n##_bf16, "SS"}, {n, TC_F16, (void *)k_ss_##n##_f16, "SS"},
    EACH_N(ROW)
#undef ROW
#define ROW(n) {n, TC_BF16, (void *)k_rs_##n##_bf16, "RS"}, {n, TC_F16, (void *)k_rs_##n##_f16, "RS"},
    ROW(8) ROW(64) ROW(96) ROW(256)
#undef ROW
};

/* product of row i of a and row j of b */
static float dot(const uint16_t *a, const uint16_t *b, int i, int j, int k, int type)
{
    float sum = 0;
    for (int x = 0; x < k; x++) sum += value(type, a[i * k + x]) * value(type, b[j * k + x]);
    return sum;
}

static void test_wgmma(void)
{
    static const int swizzles[3] = {128, 64, 32};
    test_buffer a = test_buffer_make(64 * 64 * 2), b = test_buffer_make(256 * 64 * 2),
                d = test_buffer_make(64 * 256 * 4);
    for (size_t x = 0; x < sizeof wgmma_cases / sizeof wgmma_cases[0]; x++) {
        const wgmma_case *w = &wgmma_cases[x];
        for (int s = 0; s < 3; s++) {
            int swizzle = swizzles[s], k = swizzle / 2;
            if (s > 0 && w->n != 8 && w->n != 24 && w->n != 96 && w->n != 256) continue;
            small_integers((uint16_t *)a.host, 64 * k, w->type), small_integers((uint16_t *)b.host, w->n * k, w->type);
            test_buffer_up(&a), test_buffer_up(&b);
            for (int accumulate = 0; accumulate < 2; accumulate++) {
                void *args[5] = {&a.dev, &b.dev, &d.dev, &swizzle, &accumulate};
                int bad = 0;
                CUDA_CHECK(cudaMemset(d.dev, 0xff, d.bytes));
                CUDA_CHECK(cudaLaunchKernel(w->kernel, dim3(1), dim3(128), args, WG_SMEM, 0));
                test_buffer_down(&d);
                for (int i = 0; i < 64; i++)
                    for (int j = 0; j < w->n; j++) {
                        const float want = (accumulate ? 12345.f : 0.f) + dot((uint16_t *)a.host, (uint16_t *)b.host, i,
                                    j, k, w->type);
                        bad += !(((float *)d.host)[i * w->n + j] == want);
                    }
                CHECK(bad == 0, "wgmma %s m64n%dk16 %s, %dB swizzle, scale_d %d first: %d of %d elements wrong",
                      w->form, w->n, tc_type_name(w->type), swizzle, accumulate, bad, 64 * w->n);
            }
        }
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d);
}

/* ---- wgmma: signs and MN-major operands; n = 64 and 128, bf16 ---- */
enum { SIGN_A, SIGN_B, SIGN_BOTH, SIGN_RS, TRANS_B, TRANS_A, TRANS_BOTH, TRANS_B_RS, TRANS_B_128, FORMS };
#if TC_HAS_SM90A
/* One form of the instruction, over k = 64 in four steps; step_a and step_b in the descriptors' unit of 16 bytes. */
#define FORM(n, instruction)                                      \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++) acc[i] = 7; \
    for (int k = 0; k < 4; k++, da += step_a, db += step_b) {     \
        _Pragma("unroll") for (int i = 0; i < 4; i++) {           \
            const uint16_t *p = a + (row0 + tc_frag_m16n8k16_a_row(lane, 2 * i)) * 64 + k * 16                        \
                           + tc_frag_m16n8k16_a_col(lane, 2 * i);                                                     \
            ra[i] = p[0] | (uint32_t)p[1] << 16;                  \
        }                                                         \
        tc_wgmma_fence();                                         \
        instruction;                                              \
        tc_wgmma_commit_group();                                  \
        TC_WGMMA_WAIT_GROUP(0);                                   \
        tc_wgmma_fence_acc(acc, n / 2);                           \
    }                                                             \
    _Pragma("unroll") for (int i = 0; i < n / 2; i++)             \
        d[tc_frag_wgmma_d_row((int)threadIdx.x, i) * n + tc_frag_wgmma_d_col((int)threadIdx.x, i)] = acc[i];
#endif

__global__ void __launch_bounds__(128, 1) k_forms(const uint16_t *a, const uint16_t *b, float *d, int form)
{
#if TC_HAS_SM90A
    unsigned char *s = smem_base();
    const int a_mn = form == TRANS_A || form == TRANS_BOTH, b_mn = form == TRANS_B || form >= TRANS_BOTH;
    const int lane = tc_lane(), row0 = (int)threadIdx.x / 32 * 16, n = form == TRANS_B_128 ? 128 : 64;
    /* MN-major with a 128-byte swizzle: stride is between groups of 8 rows of k, leading between blocks of 64
     * columns. */
    const tc_wgmma_desc_fields fa = {tc_smem_u32(s), 64 * 128, 1024, 0, 128},
        fb = {tc_smem_u32(s + B_AT), 64 * 128, 1024, 0, 128};
    uint64_t da = tc_wgmma_desc_make(fa), db = tc_wgmma_desc_make(fb);
    const uint64_t step_a = a_mn ? 2048 / 16 : 2, step_b = b_mn ? 2048 / 16 : 2;
    uint32_t ra[4];
    if (a_mn) fill_mn_major(s, a, 64, 64);
    else fill_k_major(s, a, 64, 128);
    if (b_mn) fill_mn_major(s + B_AT, b, n, 64);
    else fill_k_major(s + B_AT, b, n, 128);
    tc_fence_proxy_async_shared();
    __syncthreads();
    if (form == TRANS_B_128) {
        float acc[64];
        FORM(128, TC_WGMMA_SS(128, f32, bf16, acc, da, db, 1, 1, 1, 0, 1))
    } else {
        float acc[32];
        if (form == SIGN_A) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, -1, 1, 0, 0)) }
        else if (form == SIGN_B) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, 1, -1, 0, 0)) }
        else if (form == SIGN_BOTH) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, -1, -1, 0, 0)) }
        else if (form == SIGN_RS) { FORM(64, TC_WGMMA_RS(64, f32, bf16, acc, ra, db, 1, -1, 1, 0)) }
        else if (form == TRANS_B) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, 1, 1, 0, 1)) }
        else if (form == TRANS_A) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, 1, 1, 1, 0)) }
        else if (form == TRANS_BOTH) { FORM(64, TC_WGMMA_SS(64, f32, bf16, acc, da, db, 1, 1, 1, 1, 1)) }
        else { FORM(64, TC_WGMMA_RS(64, f32, bf16, acc, ra, db, 1, 1, 1, 1)) }
    }
#endif
}

static void test_forms(void)
{
    static const char *const names[FORMS] = {"scale_a -1", "scale_b -1", "both -1", "RS scale_a -1", "trans_b",
                                             "trans_a", "trans_a and trans_b",
                                             "RS trans_b", "trans_b, n 128"};
    test_buffer a = test_buffer_make(64 * 64 * 2), b = test_buffer_make(128 * 64 * 2),
                d = test_buffer_make(64 * 128 * 4);
    for (int form = 0; form < FORMS; form++) {
        const int n = form == TRANS_B_128 ? 128 : 64;
        const float sign = form == SIGN_A || form == SIGN_B || form == SIGN_RS ? -1.f : 1.f;
        int bad = 0;
        small_integers((uint16_t *)a.host, 64 * 64, TC_BF16), small_integers((uint16_t *)b.host, n * 64, TC_BF16);
        test_buffer_up(&a), test_buffer_up(&b);
        CUDA_CHECK(cudaMemset(d.dev, 0xff, d.bytes));
        k_forms<<<1, 128, WG_SMEM>>>((const uint16_t *)a.dev, (const uint16_t *)b.dev, (float *)d.dev, form);
        test_buffer_down(&d);
        for (int i = 0; i < 64; i++)
            for (int j = 0; j < n; j++)
                bad += !(((float *)d.host)[i * n + j] == 7.f + sign * dot((uint16_t *)a.host, (uint16_t *)b.host, i, j,
                                                                          64, TC_BF16));
        CHECK(bad == 0, "wgmma %s: %d of %d elements wrong", names[form], bad, 64 * n);
    }
    test_buffer_drop(&a), test_buffer_drop(&b), test_buffer_drop(&d);
}

/* ---- activations: not-finite values as tc_hooks.h says, and a sweep against fp64 ---- */
enum { RELU, GELU, GELU_TANH, SILU, ACTIVATIONS, SIZES = 8 * 254, LINE = 60001, ACTIVATED = SIZES + LINE };

__global__ void k_activations(const float *in, float *out, int count)
{
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= count) return;
    out[RELU * count + i] = tc_relu(in[i]);
    out[GELU * count + i] = tc_gelu(in[i]);
    out[GELU_TANH * count + i] = tc_gelu_tanh(in[i]);
    out[SILU * count + i] = tc_silu(in[i]);
}

/* Exact values, and by how much the device may be off. tc_gelu's 4e-7 * |x| and tc_gelu_tanh's 2.5e-4 * |x| are what
 * tc_hooks.h says; tc_silu's ex2 is good to 2 + 1.2 |x| units, its rcp to 2, and rcp of more than 2^126 is 0. */
static double activation(int which, double x, double *bound)
{
    const double gate = 0.7978845608028654 * (x + 0.044715 * x * x * x);
    double y = 0;
    *bound = 0;
    switch (which) {
    case RELU: return x > 0 ? x : 0;
    case GELU: *bound = 4e-7 * fabs(x) + 1e-44; return 0.5 * x * erfc(-x * 0.70710678118654752440);
    case GELU_TANH: *bound = 2.5e-4 * fabs(x) + 1e-44; return 0.5 * x * (1 + tanh(gate));
    default: y = x / (1 + exp(-x)), *bound = (6 + 1.2 * fabs(x)) * 1.2e-7 * fabs(y) + 2e-36; return y;
    }
}

static void test_activations(void)
{
    static const char *const names[ACTIVATIONS] = {"tc_relu", "tc_gelu", "tc_gelu_tanh", "tc_silu"};
    static const float special[] = {NAN, -NAN, INFINITY, -INFINITY, 0.f, -0.f, 3.4e38f, -3.4e38f, 100.f, -100.f};
    enum { SPECIAL = sizeof special / sizeof special[0], COUNT = ACTIVATED + SPECIAL };
    test_buffer in = test_buffer_make(COUNT * 4), out = test_buffer_make(COUNT * ACTIVATIONS * 4);
    float *x = (float *)in.host;
    const float *y = (const float *)out.host;
    for (int i = 0; i < SIZES; i++) /* of every size that a normal number has: eight of each, both signs */
        x[i] = tc_f32_from_bits((uint32_t)(i % 2) << 31 | (uint32_t)(1 + i / 8) << 23 | (uint32_t)test_int(0,
                                    0x7fffff));
    for (int i = 0; i < LINE; i++) x[SIZES + i] = (float)(i - LINE / 2) * 5e-4f; /* -15..15 */
    memcpy(x + ACTIVATED, special, sizeof special);
    test_buffer_up(&in);
    k_activations<<<(COUNT + 127) / 128, 128>>>((const float *)in.dev, (float *)out.dev, COUNT);
    test_buffer_down(&out);
    for (int f = 0; f < ACTIVATIONS; f++) {
        const float *v = y + f * COUNT, *s = v + ACTIVATED;
        double worst = 0, worst_x = 0;
        for (int i = 0; i < ACTIVATED; i++) {
            double bound, want = activation(f, x[i], &bound), e = fabs(v[i] - want);
            e = e == 0 ? 0 : e / bound;
            if (f == GELU_TANH && x[i] < -1e12f) continue; /* x^3 overflows: not-finite values, as below */
            if (!(e <= worst)) worst = e, worst_x = x[i];
        }
        CHECK(worst <= 1, "%s(%.9g) is %g of the bound away from its value", names[f], worst_x, worst);
        CHECK(isnan(s[0]) && isnan(s[1]), "%s(NaN) = %g, %g", names[f], s[0], s[1]);
        CHECK(s[2] == INFINITY, "%s(+inf) = %g", names[f], s[2]);
        if (f == RELU || f == GELU) CHECK(s[3] == 0.f, "%s(-inf) = %g", names[f], s[3]);
        else CHECK(isnan(s[3]), "%s(-inf) = %g", names[f], s[3]);
        CHECK(s[4] == 0.f && s[5] == 0.f, "%s(0), %s(-0) = %g, %g", names[f], names[f], s[4], s[5]);
        CHECK(s[6] == 3.4e38f && s[8] == 100.f, "%s(3.4e38), %s(100) = %g, %g", names[f], names[f], s[6], s[8]);
        CHECK(s[9] == 0.f, "%s(-100) = %g", names[f], s[9]);
        if (f != GELU_TANH) CHECK(s[7] == 0.f, "%s(-3.4e38) = %g", names[f], s[7]);
    }
    test_buffer_drop(&in), test_buffer_drop(&out);
}

/* ---- shipped hooks on pairs that add a bias: the same as its parts, for the column that they are told ---- */
enum { PAIRS = 4, PAIR_COLS = 64 };

__global__ void k_pairs(const float *in, const float *bias, float *out)
{
    const tc_epi_vector v = {bias};
    const int col = (int)threadIdx.x * 2;
    const tc_gemm_at at = {5, col, 0, 0};
    const tc_f32x2 x = {in[col], in[col + 1]};
    const tc_f32x2 made[PAIRS] = {tc_epi2_bias_col(x, at, &v), tc_epi2_bias_relu(x, at, &v),
                                  tc_epi2_bias_gelu(x, at, &v), tc_epi2_bias_gelu_tanh(x, at, &v)};
    for (int i = 0; i < 2; i++) {
        const float y = in[col + i] + bias[col + i];
        const float want[PAIRS] = {y, tc_relu(y), tc_gelu(y), tc_gelu_tanh(y)};
        for (int f = 0; f < PAIRS; f++) {
            out[(f * PAIR_COLS + col + i) * 2] = i ? made[f].y : made[f].x;
            out[(f * PAIR_COLS + col + i) * 2 + 1] = want[f];
        }
    }
}

static void test_pairs(void)
{
    static const char *const names[PAIRS] = {"tc_epi2_bias_col", "tc_epi2_bias_relu", "tc_epi2_bias_gelu",
                                             "tc_epi2_bias_gelu_tanh"};
    test_buffer in = test_buffer_make(PAIR_COLS * 4), bias = test_buffer_make(PAIR_COLS * 4);
    test_buffer out = test_buffer_make(PAIRS * PAIR_COLS * 8);
    const float *y = (const float *)out.host;
    for (int i = 0; i < PAIR_COLS; i++) {
        ((float *)in.host)[i] = (float)test_int(-400, 400) / 128.f;
        ((float *)bias.host)[i] = (float)test_int(-100, 100) / 64.f;
    }
    test_buffer_up(&in), test_buffer_up(&bias);
    k_pairs<<<1, PAIR_COLS / 2>>>((const float *)in.dev, (const float *)bias.dev, (float *)out.dev);
    test_buffer_down(&out);
    for (int i = 0; i < PAIR_COLS; i++)
        CHECK(y[2 * i] == ((float *)in.host)[i] + ((float *)bias.host)[i], "%s, column %d: %g", names[0], i, y[2 * i]);
    for (int i = 0; i < PAIRS * PAIR_COLS; i++)
        CHECK(y[2 * i] == y[2 * i + 1], "%s, column %d: %g, not %g", names[i / PAIR_COLS], i % PAIR_COLS, y[2 * i],
              y[2 * i + 1]);
    test_buffer_drop(&in), test_buffer_drop(&bias), test_buffer_drop(&out);
}

/* Shipped hooks bring the size of their arguments; a size that is given stands. */
#define BRINGS(field, hook, size)                                                                                    \
    {                                                                                                                \
        tc_gemm_config c;                                                                                            \
        memset((void *)&c, 0, sizeof c);                                                                             \
        c.field = hook;                                                                                              \
        CHECK(tc__gemm_shipped(c).epi_size == (int)(size), "%s brings %d", #hook, tc__gemm_shipped(c).epi_size);     \
        c.epi_size = 100;                                                                                            \
        CHECK(tc__gemm_shipped(c).epi_size == 100, "%s overrules the size that is given", #hook);                    \
    }

TC_DEV float hook_of_mine(float x, tc_gemm_at at, const void *args)
{
    (void)at, (void)args;
    return x;
}

static void test_shipped(void)
{
    BRINGS(epi, tc_epi_relu, TC_NO_ARGS) BRINGS(epi, tc_epi_gelu, TC_NO_ARGS)
    BRINGS(epi, tc_epi_gelu_tanh, TC_NO_ARGS) BRINGS(epi, tc_epi_silu, TC_NO_ARGS)
    BRINGS(epi, tc_epi_bias_col, sizeof(tc_epi_vector)) BRINGS(epi, tc_epi_bias_row, sizeof(tc_epi_vector))
    BRINGS(epi, tc_epi_scale_col, sizeof(tc_epi_vector)) BRINGS(epi, tc_epi_scale_row, sizeof(tc_epi_vector))
    BRINGS(epi2, tc_epi2_bias_col, sizeof(tc_epi_vector)) BRINGS(epi2, tc_epi2_bias_gelu_tanh, sizeof(tc_epi_vector))
    BRINGS(epi2, tc_epi2_bias_relu, sizeof(tc_epi_vector)) BRINGS(epi2, tc_epi2_bias_gelu, sizeof(tc_epi_vector))
    BRINGS(epi, tc_epi_residual_f32, sizeof(tc_epi_matrix)) BRINGS(epi, tc_epi_residual_f16, sizeof(tc_epi_matrix))
    BRINGS(epi, tc_epi_residual_bf16, sizeof(tc_epi_matrix)) BRINGS(epi2, tc_epi2_residual_f16, sizeof(tc_epi_matrix))
    BRINGS(epi2, tc_epi2_residual_bf16, sizeof(tc_epi_matrix)) BRINGS(epi, hook_of_mine, 0)
}

int main(void)
{
    const int device = test_device();
    test_buffer flags;
    if (device < 75) {
        SKIP("unit_device: no device of compute capability 7.5 or later");
        return test_end();
    }
    flags = test_buffer_make(4);
    k_has<<<1, 1>>>((int *)flags.dev);
    if (cudaGetLastError() != cudaSuccess) {
        SKIP("unit_device: this build holds no code for a device of compute capability %d.%d", device / 10,
             device % 10);
        return test_end();
    }
    test_buffer_down(&flags);
    has80 = *(int *)flags.host & 1, has90 = *(int *)flags.host >> 1 & 1, has90a = *(int *)flags.host >> 2 & 1;
    test_buffer_drop(&flags);
    test_seed(3);
    test_convert();
    test_matrices();
    test_shipped();
    test_activations();
    test_pairs();
    if (has80) {
        test_cp_async();
        test_mma();
        test_mbarrier();
    } else {
        SKIP("cp.async, mma m16n8k16, mbarrier: need sm_80, this device runs code for less");
    }
    if (has90) {
        test_bulk();
        test_tensor();
        test_cluster();
        test_threads();
    } else {
        SKIP("bulk and tensor copies, clusters, elect.sync: need sm_90, this device runs code for less");
    }
    if (has90a) {
        test_wgmma();
        test_forms();
    } else {
        SKIP("wgmma: needs sm_90a and a build for it");
    }
    if (has90) test_tensor_reduce();
    if (has80) test_cp_async_null();
    return test_end();
}
