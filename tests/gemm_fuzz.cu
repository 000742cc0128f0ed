/* gemm_fuzz.cu - random problems through generated kernels, against fp64 on the CPU and, on a GPU, against cuBLAS.
 *     build/tests/gemm_fuzz [problems] [seed] [largest dimension]
 *
 * The bound: a sum of k products in f32, in any order and with truncation, is off by at most (k + 8) * 2^-23 * sum |a
 * b|; the hooks here have slopes below 1.2; rounding to D adds half a unit in its last place. tests/gemm_types.cu takes
 * this file for the kernels of other types and layouts. */
#ifndef FUZZ_DEVICE
#define FUZZ_DEVICE 80 /* the least that there must be */
#endif
#ifndef FUZZ_FROM
#define FUZZ_FROM 80 /* and for a kernel of its table */
#endif
#define TC_SM90_STUBS
#include "../tc.h"
#include "test.h"
#include <cublas_v2.h>
#include <dlfcn.h>
#include <time.h>

/* ---- hooks, device and host twin ---- */
enum { EPI_NONE, EPI_BIAS_GELU, EPI_SCALE_ROW, EPI_RESIDUAL, EPI_PAIR, EPI_ONCE, EPI_ONCE_PAIR };

typedef struct { const float *bias; float factor; } hook_args;

TC_DEV float hook_bias_gelu(float x, tc_gemm_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    return tc_gelu(x * p->factor + p->bias[at.col]);
}

TC_DEV tc_f32x2 hook_pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const hook_args *p = (const hook_args *)args;
    const tc_f32x2 r = {tc_relu(x.x + p->bias[at.col]), x.y * p->factor + p->bias[at.row]};
    return r;
}

/* Counts its calls for each element of D, keeps x, and counts what it was told of places that D does not have.
 * count and x: m x n of every matrix of the batch, without gaps. tests/check_ptx.sh defines FUZZ_BARE, for hooks as
 * small as a user's: nvcc does not inline one as large as this. */
typedef struct { int *count, *stray; float *x; int m, n, batch; } once_args;

TC_DEV void hook_seen(const once_args *p, float x, int row, int col, const tc_gemm_at *at)
{
#ifndef FUZZ_BARE
    if (row < 0 || row >= p->m || col < 0 || col >= p->n || at->batch < 0 || at->batch >= p->batch || at->group != 0) {
        atomicAdd(p->stray, 1);
    } else {
        const long long i = ((long long)at->batch * p->m + row) * p->n + col;
        atomicAdd(p->count + i, 1);
        p->x[i] = x;
    }
#else
    (void)p, (void)x, (void)row, (void)col, (void)at;
#endif
}

TC_DEV float hook_once(float x, tc_gemm_at at, const void *args)
{
    hook_seen((const once_args *)args, x, at.row, at.col, &at);
    return x;
}

TC_DEV tc_f32x2 hook_once_pair(tc_f32x2 x, tc_gemm_at at, const void *args)
{
    const once_args *p = (const once_args *)args;
#ifndef FUZZ_BARE
    if (at.col % 2) atomicAdd(p->stray, 1);
#endif
    hook_seen(p, x.x, at.row, at.col, &at);
    hook_seen(p, x.y, at.row, at.col + 1, &at);
    return x;
}

static int is_pair(int epi) { return epi == EPI_PAIR || epi == EPI_ONCE_PAIR; }
static int is_once(int epi) { return epi == EPI_ONCE || epi == EPI_ONCE_PAIR; }

static double host_hook(int epi, double x, int row, int col, const float *vector, double factor, const float *residual,
                        int64_t ld)
{
    switch (epi) {
    case EPI_BIAS_GELU: x = x * factor + vector[col]; return 0.5 * x * (1 + erf(x * 0.70710678118654752440));
    case EPI_SCALE_ROW: return x * vector[row];
    case EPI_RESIDUAL: return x + residual[row * ld + col];
    case EPI_PAIR: return col % 2 ? x * factor + vector[row] : (x + vector[col] > 0 ? x + vector[col] : 0);
    default: return x;
    }
}

/* ---- kernels ---- */
typedef struct {
    const char *name;
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    int sm, epi, smem;
    tc_gemm_config c;
    int split, step, wide, cluster; /* of its configuration; wide: the most that a call's width may be */
    int any_rows;                   /* a Hopper kernel that takes rows of any alignment */
} kernel;

/* Rows of the table: FROM devices of this compute capability on; of TC_GEMM_DEFINE, of one kernel of sm_80 (or of
 * FUZZ_FROM), of fp8, of Hopper; IF_ALL: in make fuzz alone. */
#define FROM(sm, name, epi, smem, ...) {#name, name##_can_run, name##_run, sm, epi, smem, name##_config(), __VA_ARGS__}
#define ANY(name, epi) FROM(FUZZ_DEVICE, name, epi, 0, 0)
#define ROW(name, epi) FROM(FUZZ_FROM, name, epi, name##_SMEM, 0)
#define FP8(name, epi, smem) FROM(FUZZ_FROM, name, epi, smem, 0)
#define H(name, epi, ...) FROM(90, name, epi, name##_SMEM, __VA_ARGS__)
#ifdef FUZZ_ALL
#define IF_ALL(...) __VA_ARGS__
#define SOME_SHAPES 0 /* of types of which all that TC_GEMM_DEFINE picks from is make fuzz's */
#else
#define IF_ALL(...)
#define SOME_SHAPES TC_SHAPES_SMALL | TC_SHAPES_UNALIGNED
#endif

#ifdef FUZZ_KERNELS /* tests/lattice.sh: kernels and table drawn at random */
#include FUZZ_KERNELS
#else
TC_GEMM_SM90_DEFINE(sm90_coop, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM90_DEFINE(sm90_coop_c21, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bm = 128, .bn = 256, .cluster_m = 2,
                    .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM90_DEFINE(sm90_pp_c22, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 192, .cluster_m = 2,
                    .cluster_n = 2, .schedule = TC_PINGPONG, .epi2 = hook_pair, .epi_size = sizeof(hook_args),
                    .epi_pure = 1)
TC_GEMM_SM90_DEFINE(sm90_bn48, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 48, .bk = 128,
                    .epi_stages = 1)
TC_GEMM_SM90_DEFINE(sm90_3wg, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 192, .bn = 192, .step = 48, .split = 1,
                    .cluster_m = 2, .raster = TC_RASTER_N, .raster_group = 3)
TC_GEMM_SM90_DEFINE(sm90_k3, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 96, .cluster_k = 3,
                    .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(sm90_once, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 80, .cluster_m = 2,
                    .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_step, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .step = 32, .split = 1, .cluster_m = 2,
                    .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_step_pp, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bn = 112, .step = 16, .schedule = TC_PINGPONG,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_crowd_swap, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 96, .bn = 64, .step = 32,
                    .cluster_m = 4, .cluster_n = 2, .swap = 1, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_split, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 96, .split = 1,
                    .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(sm90_swap, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 128, .step = 8, .swap = 1,
                    .split = 1, .epi = hook_once, .epi_size = sizeof(once_args))
/* plain D of 16 bits: the end of a block's only tile, upright and on its side */
TC_GEMM_SM90_DEFINE(sm90_plain, .a = TC_F16, .b = TC_F16, .d = TC_BF16, .bn = 208, .step = 16, .split = 1,
                    .cluster_m = 2)
TC_GEMM_SM90_DEFINE(sm90_plain_swap, .a = TC_BF16, .b = TC_BF16, .d = TC_F16, .bm = 96, .bn = 256, .step = 32,
                    .swap = 1, .cluster_n = 2)
TC_GEMM_SM90_ANY_DEFINE(sm90_any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .step = 32, .split = 1, .epi = hook_once,
                        .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(sm80_128, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16)
TC_GEMM_SM80_DEFINE(sm80_64, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64, .bk = 32, .stages = 4,
                    .warps_n = 2, .epi = tc_epi_residual_f32)
TC_GEMM_DEFINE(any, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .epi = tc_epi_scale_row)
/* numbers of warps whose passes of copies do not cover a multiple of 8 rows */
TC_GEMM_SM80_DEFINE(sm80_w1, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 64, .bn = 32, .warps_m = 1, .warps_n = 1,
                    .raster_group = 1 << 30)
TC_GEMM_SM80_DEFINE(sm80_w13, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 48, .bn = 96, .bk = 32, .stages = 4,
                    .warps_m = 1, .warps_n = 3, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
#ifndef FUZZ_BARE /* here, and not in a file of its own, nvcc leaves calls of the hook in it */
TC_GEMM_SM80_DEFINE(sm80_w15, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 80, .bn = 80, .warps_m = 1, .warps_n = 5,
                    .epi = tc_epi_scale_row)
#endif
#ifndef SOME_KERNELS /* the Makefile leaves these out where make test runs in tcemu; make fuzz has them */
TC_GEMM_SM90_DEFINE(sm90_coop_c12, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 256, .bn = 128, .cluster_n = 2,
                    .epi = tc_epi_residual_f32)
TC_GEMM_SM90_DEFINE(sm90_pp, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 128, .schedule = TC_PINGPONG,
                    .epi = tc_epi_scale_row)
TC_GEMM_SM90_DEFINE(sm90_k2, .a = TC_BF16, .b = TC_BF16, .d = TC_BF16, .bm = 128, .bn = 192, .cluster_k = 2,
                    .epi = hook_bias_gelu, .epi_size = sizeof(hook_args))
TC_GEMM_SM90_DEFINE(sm90_once_pp, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 48, .schedule = TC_PINGPONG,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_crowd, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 64, .bn = 96, .step = 32, .cluster_m = 2,
                    .cluster_n = 4, .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_swap_one, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 24, .bn = 64, .swap = 1,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM90_ANY_DEFINE(sm90_any_one, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 96, .bn = 64, .epi2 = hook_once_pair,
                        .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(sm80_256, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 128, .bn = 256, .epi = hook_bias_gelu,
                    .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(sm80_w3, .a = TC_F16, .b = TC_F16, .d = TC_F32, .bm = 48, .bn = 48, .warps_m = 3, .warps_n = 1,
                    .epi = hook_once, .epi_size = sizeof(once_args))
#endif
#ifdef FUZZ_ALL /* make fuzz: more combinations of what is above */
TC_GEMM_SM90_DEFINE(sm90_one, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 64, .bn = 64,
                    .stages = 2, .raster_group = 1 << 30)
TC_GEMM_SM90_DEFINE(sm90_once_c12, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 128, .bn = 64, .cluster_n = 2,
                    .schedule = TC_PINGPONG, .epi = hook_once, .epi_size = sizeof(once_args))
TC_GEMM_SM90_DEFINE(sm90_once_k2, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 96, .cluster_k = 2,
                    .epi2 = hook_once_pair, .epi_size = sizeof(once_args))
TC_GEMM_SM80_DEFINE(sm80_pair, .a = TC_F16, .b = TC_F16, .d = TC_F16, .bm = 64, .bn = 128, .stages = 2,
                    .epi2 = hook_pair, .epi_size = sizeof(hook_args))
TC_GEMM_SM80_DEFINE(sm80_w5, .a = TC_BF16, .b = TC_BF16, .d = TC_F32, .bm = 80, .bn = 80, .stages = 2, .warps_m = 5,
                    .warps_n = 1, .epi = tc_epi_residual_f32)
#endif

static const kernel kernels[] = {
    H(sm90_coop, EPI_NONE, 0), H(sm90_coop_c21, EPI_BIAS_GELU, 0),
    H(sm90_pp_c22, EPI_PAIR, 0), H(sm90_bn48, EPI_NONE, 0),
    H(sm90_3wg, EPI_NONE, 1, 48, 192, 1), H(sm90_k3, EPI_RESIDUAL, 0),
    H(sm90_once, EPI_ONCE, 0), H(sm90_step, EPI_ONCE, 1, 32, 256, 1),
    H(sm90_crowd_swap, EPI_ONCE, 0, 32, 96, 1),
    H(sm90_step_pp, EPI_ONCE_PAIR, 0, 16, 112), H(sm90_split, EPI_RESIDUAL, 1), H(sm90_swap, EPI_ONCE, 1, 8, 64),
    H(sm90_any, EPI_ONCE, 1, 32, 224, 1, 1), H(sm90_plain, EPI_NONE, 1, 16, 208, 1),
    H(sm90_plain_swap, EPI_NONE, 0, 32, 96, 1),
    ROW(sm80_128, EPI_NONE),
    ROW(sm80_64, EPI_RESIDUAL), ANY(any, EPI_SCALE_ROW), ROW(sm80_w1, EPI_NONE),
    ROW(sm80_w13, EPI_ONCE_PAIR),
#ifndef SOME_KERNELS
    H(sm90_coop_c12, EPI_RESIDUAL, 0), H(sm90_pp, EPI_SCALE_ROW, 0), H(sm90_k2, EPI_BIAS_GELU, 0),
    H(sm90_once_pp, EPI_ONCE_PAIR, 0), H(sm90_crowd, EPI_ONCE_PAIR, 0, 32, 96, 1), H(sm90_swap_one, EPI_ONCE_PAIR, 0),
    H(sm90_any_one, EPI_ONCE_PAIR, 0, 0, 0, 0, 1), ROW(sm80_256, EPI_BIAS_GELU), ROW(sm80_w3, EPI_ONCE),
#endif
#ifndef FUZZ_BARE
    ROW(sm80_w15, EPI_SCALE_ROW),
#endif
#ifdef FUZZ_ALL
    H(sm90_one, EPI_NONE, 0), H(sm90_once_c12, EPI_ONCE, 0), H(sm90_once_k2, EPI_ONCE_PAIR, 0),
    ROW(sm80_pair, EPI_PAIR), ROW(sm80_w5, EPI_RESIDUAL),
#endif
};
#endif
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* ---- elements of any type on the host ---- */
static double get(int type, const void *p, size_t i)
{
    if (type == TC_F64) return ((const double *)p)[i];
    if (type == TC_S32) return ((const int32_t *)p)[i];
    return tc_element_get(p, type == TC_TF32 ? TC_F32 : type, i);
}

static void put(int type, void *p, size_t i, double x)
{
    if (type == TC_F64) ((double *)p)[i] = x;
    else if (type == TC_S32) ((int32_t *)p)[i] = (int32_t)fmax(fmin(rint(x), INT32_MAX), INT32_MIN);
    else tc_element_set(p, type == TC_TF32 ? TC_F32 : type, i, (float)x);
}

static int is_int(int type) { return type == TC_S8 || type == TC_U8 || type == TC_S32; }

/* An operand's element as the instruction has it. */
static double operand(const tc_gemm_config *c, int type, const void *p, size_t i)
{
    const double x = get(type, p, i);
    if (type != TC_TF32) return x;
    return tc_f32_from_tf32(c->round ? tc_tf32_from_f32_rna((float)x) : tc_bits_from_f32((float)x));
}

/* A value for a test: all that an integer of 8 bits holds. */
static double random_value(int type)
{
    if (type == TC_S8) return test_int(-128, 127);
    if (type == TC_U8) return test_int(0, 255);
    if (type == TC_S32) return test_int(0, 9) ? test_int(-100000, 100000) : test_int(0, 1) ? INT32_MAX : INT32_MIN;
    return test_normal();
}

/* One unit of a type at 1; 1 for an integer. */
static double unit_of(int type)
{
    return type == TC_F64  ? 2.220446049250313e-16
         : type == TC_F32  ? 1.1920929e-7
         : type == TC_BF16 ? 1.0 / 128
         : type == TC_F16  ? 1.0 / 1024
                           : 0;
}

typedef struct { void *host, *dev; size_t bytes; } buffer;

/* count elements at `offset` elements past an aligned base; fill: 'n'ormal values, 'x': the byte 0xff (NaN in every
 * type), 'i': NaN and inf, '0': zeros */
static buffer make(size_t count, int type, int offset, char fill)
{
    buffer b;
    const size_t size = (size_t)tc_type_bits(type) / 8;
    b.bytes = (count + (size_t)offset) * size + 256;
    b.host = malloc(b.bytes);
    memset(b.host, fill == '0' ? 0 : 0xff, b.bytes);
    for (size_t i = 0; i < count + (size_t)offset; i++) {
        if (fill == 'n') put(type, b.host, i, random_value(type));
        if (fill == 'i' && i % 3) put(type, b.host, i, i % 3 == 1 ? INFINITY : -INFINITY);
    }
    CUDA_CHECK(cudaMalloc(&b.dev, b.bytes));
    CUDA_CHECK(cudaMemcpy(b.dev, b.host, b.bytes, cudaMemcpyHostToDevice));
    return b;
}

static void drop(buffer *b)
{
    free(b->host);
    CUDA_CHECK(cudaFree(b->dev));
}

/* ---- cuBLAS, where the machine has it ---- */
typedef cublasStatus_t (*gemm_ex)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void *,
                                  const void *, cudaDataType, int, long long, const void *, cudaDataType, int,
                                  long long, const void *, void *, cudaDataType, int, long long, int,
                                  cublasComputeType_t, cublasGemmAlgo_t);
static gemm_ex cublas_gemm;
static cublasHandle_t cublas;

static int emulated(void)
{
    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDeviceProperties(&properties, 0));
    return !strncmp(properties.name, "tcemu", 5);
}

static void cublas_open(void)
{
    void *lib = 0;
    if (!emulated()) { /* tcemu cannot run it */
        lib = dlopen("libcublas.so.13", RTLD_NOW);
        if (!lib) lib = dlopen("libcublas.so.12", RTLD_NOW);
    }
    cublasStatus_t (*create)(cublasHandle_t *) = lib
                                                   ? (cublasStatus_t (*)(cublasHandle_t *))dlsym(lib, "cublasCreate_v2")
                                                   : 0;
    if (create && create(&cublas) == CUBLAS_STATUS_SUCCESS)
        cublas_gemm = (gemm_ex)dlsym(lib, "cublasGemmStridedBatchedEx");
    if (!cublas_gemm) SKIP("comparison with cuBLAS: it does not load here; fp64 stays the reference");
}

static int pad(int x, int align) { return (x + align - 1) / align * align; }

/* Where an element lies in a matrix whose rows (turned: whose columns) are ld apart. */
static int64_t place(int turned, int64_t ld, int row, int col)
{
    return turned ? col * ld + row : row * ld + col;
}

enum { WORKSPACE = 64 << 20 };
static void *workspace(void)
{
    static void *there;
    if (!there) {
        CUDA_CHECK(cudaMalloc(&there, WORKSPACE));
        CUDA_CHECK(cudaMemset(there, 0xa5, WORKSPACE));
    }
    return there;
}

/* Factors of A or B (.a_scale, .b_scale) in either order, for `batch` matrices of `lines` rows and k columns. */
typedef struct {
    buffer values;
    int every; /* lines that share one; 0: there are none */
    tc_gemm_scale at;
} factors;

static factors make_factors(int scale, int lines, int k, int batch)
{
    factors f;
    const int across = test_int(0, 1), blocks = (k + 127) / 128;
    f.every = scale == TC_SCALE_128X128 ? 128 : scale == TC_SCALE_1X128;
    memset(&f.at, 0, sizeof f.at);
    if (!scale) return f;
    lines = (lines + f.every - 1) / f.every;
    f.at.lines = across ? 1 : blocks + test_int(0, 3);
    f.at.blocks = across ? lines + test_int(0, 5) : 1;
    if (f.at.lines == 0) f.at.lines = 1;
    f.at.batch = across ? f.at.blocks * blocks : f.at.lines * lines;
    f.values = make((size_t)(f.at.batch * batch) + 1, TC_F32, 0, 'n');
    f.at.at = (const float *)f.values.dev;
    if (batch == 1) f.at.batch = test_int(0, 9);
    return f;
}

static double factor_of(const factors *f, int batch, int line, int k)
{
    if (!f->every) return 1;
    return ((const float *)f->values.host)[batch * f->at.batch + line / f->every * f->at.lines
                                           + k / 128 * f->at.blocks];
}

static void drop_factors(factors *f)
{
    if (f->every) drop(&f->values);
}

static void one(const kernel *kn, int largest, uint64_t id)
{
    const tc_gemm_config *t = &kn->c;
    const int a_col = t->a_layout == TC_COL, b_row = t->b_layout == TC_ROW, d_col = t->d_layout == TC_COL;
    const int asize = tc_type_bits(t->a) / 8, dsize = tc_type_bits(t->d) / 8;
    /* A and B, C and D: rows that begin at multiples of 16 bytes, or anywhere */
    const int aligned = (kn->sm >= 90 && !kn->any_rows) || test_int(0, 2) == 0, aligned_d = test_int(0, 1);
    const int unit = !aligned ? 1 : asize == 1 ? 16 : 8, unit_d = !aligned_d ? 1 : dsize == 1 ? 16 : 8;
    const int odd_base = aligned ? 0 : test_int(0, 1) * test_int(1, 7);
    const int odd_d = aligned_d ? 0 : test_int(0, 1) * test_int(1, 7);
    int m = test_int(1, largest), n = test_int(1, largest), k = test_int(0, 9) ? test_int(1, largest) : 0;
    const float alphas[] = {1.f, -0.5f, 0.f, 2.25f}, betas[] = {0.f, 0.f, 1.f, -1.5f};
    const int is64 = t->d == TC_F64, pick_alpha = test_int(0, 3), pick_beta = test_int(0, 3);
    const double scale = t->d == TC_S8 && pick_alpha ? 1.0 / 512 : 1; /* else every D is at an end of s8 */
    const double alpha = is64 && pick_alpha == 3 ? 0.1 : scale * alphas[pick_alpha]; /* 0.1 is no float */
    const double beta = is64 && pick_beta == 3 ? 0.3 : betas[pick_beta];
    /* Hopper's sums of 8-bit floats have 14 bits until they are promoted, four instructions later; tcemu's have more */
    const double short_sums = (t->a == TC_E4M3 || t->a == TC_E5M2) && !emulated() ? 1.0 / 2048 : 0;
    const float alpha32 = (float)alpha, beta32 = (float)beta, factor = 0.75f;
    const int batch = test_int(0, 3) ? 1 : test_int(2, 3), share_a = batch > 1 && test_int(0, 1);
    int64_t lda, ldb, ldc, ldd, sa, sb, sc, sd, ldr;
    double worst = 0, worst_cublas = 0;
    int bad = 0, outside = 0;
    if (test_int(0, 3) == 0) m = test_int(1, 8);
    if (test_int(0, 5) == 0) n = test_int(1, 24);
    if (test_int(0, 9) == 0) k = test_int(500, 3000), m = m % 96 + 1, n = n % 96 + 1; /* many laps of the ring */
    else if (largest >= 300 && test_int(0, 9) == 0) m *= 5, n *= 4, k %= 70;          /* many tiles for each block */
    else if (largest >= 300 && test_int(0, 19) == 0) { /* long in one dimension */
        const int which = test_int(0, 2);
        m = m % 40 + 1, n = n % 40 + 1, k = k % 40 + 1;
        *(which == 0 ? &m : which == 1 ? &n : &k) = test_int(4000, 20000);
    }
    if (kn->any_rows && largest >= 300 && test_int(0, 3) == 0) /* round the ring, whose slots threads read */
        m = m % 90 + 1, n = n % 200 + 1, k = test_int(800, 2500);
    if (is_pair(kn->epi)) n = pad(n, 2);
    if (test_int(0, 1)) d_col ? (void)(m = pad(m, 8)) : (void)(n = pad(n, 8)); /* TMA clips at D's edges */
    lda = pad(a_col ? m : k, unit) + unit * test_int(0, 3), ldb = pad(b_row ? n : k, unit) + unit * test_int(0, 3);
    ldc = pad(d_col ? m : n, unit_d) + unit_d * test_int(0, 3);
    ldd = pad(d_col ? m : n, unit_d) + unit_d * test_int(0, 3);
    ldr = n + test_int(0, 5);
    const int a_lines = a_col ? k : m, b_lines = b_row ? k : n, d_lines = d_col ? n : m; /* each a pitch apart */
    sa = share_a ? 0 : pad((int)(a_lines * lda), unit) + unit * test_int(0, 2);
    sb = pad((int)(b_lines * ldb), unit) + unit;
    sc = pad((int)(d_lines * ldc), unit_d), sd = pad((int)(d_lines * ldd), unit_d) + unit_d;

    /* with alpha = 0 nobody reads A and B */
    buffer a = make((size_t)(sa * batch + a_lines * lda), t->a, odd_base, alpha == 0 ? 'i' : 'n');
    buffer b = make((size_t)(sb * batch), t->b, odd_base, alpha == 0 ? 'i' : 'n');
    buffer c = make((size_t)(sc * batch), t->d, odd_d, beta == 0 ? 'x' : 'n'),
           d = make((size_t)(sd * batch), t->d, odd_d, 'x');
    buffer vector = make((size_t)(m > n ? m : n), TC_F32, 0, 'n'), residual = make((size_t)(m * ldr), TC_F32, 0, 'n');
    const size_t elements = is_once(kn->epi) ? (size_t)m * n * batch : 0;
    buffer count = make(elements + 1, TC_F32, 0, '0'); /* the last: strays */
    buffer seen = make(elements, TC_F32, 0, 'x');
    const hook_args ha = {(const float *)vector.dev, factor};
    const tc_epi_vector va = {(const float *)vector.dev};
    const tc_epi_matrix ma = {residual.dev, ldr};
    const once_args oa = {(int *)count.dev, (int *)count.dev + elements, (float *)seen.dev, m, n, batch};
    factors a_factors = make_factors(t->a_scale, m, k, batch), b_factors = make_factors(t->b_scale, n, k, batch);
    tc_gemm_args g;
    memset(&g, 0, sizeof g);
    g.m = m, g.n = n, g.k = k;
    g.a_scale = a_factors.at, g.b_scale = b_factors.at;
    g.a = (char *)a.dev + odd_base * asize, g.lda = lda, g.b = (char *)b.dev + odd_base * asize, g.ldb = ldb;
    if (k == 0) g.a = g.b = 0;
    g.c = beta == 0 && test_int(0, 1) ? 0 : (char *)c.dev + odd_d * dsize, g.ldc = ldc;
    g.d = (char *)d.dev + odd_d * dsize, g.ldd = ldd;
    if (alpha != 1 || test_int(0, 1)) is64 ? (void)(g.alpha64 = &alpha) : (void)(g.alpha = &alpha32);
    if (beta != 0 || test_int(0, 1)) is64 ? (void)(g.beta64 = &beta) : (void)(g.beta = &beta32);
    g.batch = batch > 1 ? batch : test_int(0, 1);
    if (batch > 1) {
        g.stride_a = sa, g.stride_b = sb, g.stride_c = sc, g.stride_d = sd;
    } else if (g.batch == 1 && test_int(0, 3)) { /* strides that nobody uses: any will do */
        g.stride_a = test_int(0, 1) ? 8193 : test_int(0, 100000);
        g.stride_b = test_int(0, 100000), g.stride_c = test_int(0, 100000);
        g.stride_d = test_int(0, 1) ? test_int(0, 100000) : ((int64_t)1 << 45) + 1;
    }
    switch (kn->epi) {
    case EPI_BIAS_GELU: case EPI_PAIR: g.epi_args = &ha, g.epi_size = sizeof ha; break;
    case EPI_SCALE_ROW: g.epi_args = &va, g.epi_size = sizeof va; break;
    case EPI_RESIDUAL: g.epi_args = &ma, g.epi_size = sizeof ma; break;
    case EPI_ONCE: case EPI_ONCE_PAIR: g.epi_args = &oa, g.epi_size = sizeof oa; break;
    }
    g.pdl = test_int(-1, 1);
    g.pdl_constant = test_int(0, 3);
    /* a workspace holds anything; the kit's cut, or one of many */
    tc_gemm_choice choice = {0, 0, 0, 0, test_int(0, 2) ? 0 : test_int(1, 9), 0};
    if (test_int(0, 3)) g.workspace = workspace(), g.workspace_size = WORKSPACE;
    if (kn->step && test_int(0, 1)) choice.width = kn->step * test_int(1, kn->wide / kn->step);
    if (t->clc) choice.blocks = 0;
    if (kn->cluster) choice.cluster = test_int(0, 2);
    if (kn->any_rows && batch > 1 && choice.cluster > 1) choice.cluster = 1; /* A may have to be copied */
    if (!tc__gemm90_b_shared(tc_gemm90_view(*t), choice.width, 2)) choice.cluster = 1; /* boxes of 64 columns */
    if (kn->split && g.workspace && test_int(0, 1)) choice.parts = test_int(1, 1 << test_int(1, 5));
    /* .any: tiles of rows that share a residue, of which there are eight */
    const double down = kn->c.any || !strncmp(kn->name, "any", 3) ? 8. * pad((m + 7) / 8, 256) : (double)pad(m, 256);
    if (down * pad(n, 256) * batch * choice.parts * 4 > WORKSPACE / 2) choice.parts = 0; /* too small */
    if (kn->split && kn->step && !test_int(0, 3)) { /* parts that are a cluster */
        const tc_gemm_config v = tc_gemm90_view(*t);
        const tc_gemm_cut cut = {choice.width ? choice.width : kn->wide, test_int(2, 8), 0, 1, 0, 0, 0, 0, 1, 0};
        const tc__gemm_problem one = {1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 0};
        if (tc__gemm90_can_join(&v, &one, &cut))
            choice.width = cut.width, choice.cluster = 1, choice.parts = cut.parts, choice.meet = TC_MEET_CLUSTER;
    }
    if (!strncmp(kn->name, "any", 3)) { /* each of its kernels; what else it asks for depends on which */
        const int plain = (t->a == TC_F16 || t->a == TC_BF16) && !a_col && !b_row && !d_col;
        choice.kernel = aligned ? test_int(0, TC__GEMM_TILE_COUNT + plain) : TC__GEMM_ANY * plain * test_int(0, 1);
        const int of = choice.kernel == TC__GEMM_ANY ? TC_SHAPES_UNALIGNED
                     : choice.kernel ? tc__gemm_tiles_of[choice.kernel - 1].shapes : 0;
        if (choice.kernel && !tc__gemm_serves(*t, of)) choice.kernel = 0; /* .shapes leaves it out */
        const int listed = choice.kernel && choice.kernel < TC__GEMM_ANY;
        if (listed && !tc__gemm_line_ok(*t, tc__gemm_tiles_of[choice.kernel - 1])) {
            const tc_gemm_choice absent = {choice.kernel, 0, 0, 0, 0, 0};
            g.choice = &absent;
            CHECK(kn->can_run(&g, 0) == TC_ERR_CONFIG && strstr(tc_why(), "choice->kernel"), "%s", tc_why());
            g.choice = 0, choice.kernel = 0;
        }
        if (!choice.kernel) choice.blocks = 0;
        if (listed && choice.kernel && test_int(0, 1)) {
            const tc_gemm_config v = tc_gemm90_view(tc__gemm_tiled(*t, tc__gemm_tiles_of[choice.kernel - 1]));
            if (v.step) choice.width = v.step * test_int(1, v.bn / v.step);
            if (!tc__gemm90_b_shared(v, choice.width, 2)) choice.width = 0;
        }
    }
    if (test_int(0, 3)) g.choice = &choice;

    const tc_status could = kn->can_run(&g, 0), st = kn->run(&g, 0);
    char what[600];
    snprintf(what, sizeof what,
             "problem %llu %s m %d n %d k %d lda %d ldb %d ldd %d batch %d "
             "strides %lld %lld %lld %lld alpha %g beta %g base +%d d +%d width %d cluster %d parts %d blocks %d "
             "meet %d",
             (unsigned long long)id, kn->name, m, n, k, (int)lda, (int)ldb, (int)ldd, g.batch, (long long)g.stride_a,
             (long long)g.stride_b, (long long)g.stride_c, (long long)g.stride_d, alpha, beta, odd_base, odd_d,
             g.choice ? choice.width : 0, g.choice ? choice.cluster : 0, g.choice ? choice.parts : 0,
             g.choice ? choice.blocks : 0, g.choice ? choice.meet : 0);
    CHECK(st == TC_OK, "%s: %s", what, tc_why());
    CHECK(could == st, "%s: can_run says %s, run %s", what, tc_status_text(could), tc_status_text(st));
    if (st == TC_OK) {
        uint8_t *after = (uint8_t *)malloc(d.bytes);
        float *cb = 0;
        const int products = alpha == 0 ? 0 : k; /* of each sum */
        int wrong_count = 0;
        CUDA_CHECK(cudaDeviceSynchronize());
        CUDA_CHECK(cudaMemcpy(count.host, count.dev, count.bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(seen.host, seen.dev, seen.bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaMemcpy(after, d.dev, d.bytes, cudaMemcpyDeviceToHost));
        if (cublas_gemm && products > 0 && (t->a == TC_F16 || t->a == TC_BF16)) {
            /* row-major D = A B is column-major D' = B' A'; the raw product in f32 */
            const cudaDataType type = t->a == TC_BF16 ? CUDA_R_16BF : CUDA_R_16F;
            const float unity = 1.f, zero = 0.f;
            float *raw;
            CUDA_CHECK(cudaMalloc((void **)&raw, (size_t)m * n * batch * 4));
            CUDA_CHECK(cudaMemset(raw, 0, (size_t)m * n * batch * 4)); /* initcheck does not see cuBLAS's TMA stores */
            CHECK(cublas_gemm(cublas, b_row ? CUBLAS_OP_N : CUBLAS_OP_T, a_col ? CUBLAS_OP_T : CUBLAS_OP_N, n, m, k,
                              &unity, g.b, type, (int)ldb, sb, g.a, type, (int)lda, sa, &zero, raw,
                              CUDA_R_32F, n, (long long)m * n, batch, CUBLAS_COMPUTE_32F,
                              CUBLAS_GEMM_DEFAULT)
                      == CUBLAS_STATUS_SUCCESS,
                  "cuBLAS refuses %s", what);
            cb = (float *)malloc((size_t)m * n * batch * 4);
            CUDA_CHECK(cudaMemcpy(cb, raw, (size_t)m * n * batch * 4, cudaMemcpyDeviceToHost));
            CUDA_CHECK(cudaFree(raw));
        }
        double *fa = (double *)malloc(sizeof(double) * ((size_t)k + 1) * (size_t)m),
               *fb = (double *)malloc(sizeof(double) * ((size_t)k + 1) * (size_t)n);
        const double arithmetic = unit_of(t->a == TC_F64 ? TC_F64 : TC_F32);
        /* of the sums, for each product; f16: two roundings an instruction, of at least 16 products */
        const double step = is_int(t->a) ? 0 : t->acc == TC_F16 ? unit_of(TC_F16) / 8 : arithmetic;
        const int exact = t->d == TC_S32 && kn->epi == EPI_NONE && alpha == 1 && (beta == 0 || beta == 1);
        for (int z = 0; z < batch; z++) {
            for (int i = 0; i < m; i++)
                for (int x = 0; x < k; x++)
                    fa[(size_t)i * k + x] = operand(t, t->a, a.host, odd_base + z * sa + place(a_col, lda, i, x))
                                          * factor_of(&a_factors, z, i, x);
            for (int j = 0; j < n; j++)
                for (int x = 0; x < k; x++)
                    fb[(size_t)j * k + x] = operand(t, t->b, b.host, odd_base + z * sb + place(b_row, ldb, j, x))
                                          * factor_of(&b_factors, z, j, x);
            for (int i = 0; i < m; i++) {
                for (int j = 0; j < n; j++) {
                    double sum = 0, size = 0, cv = 0;
                    for (int x = 0; x < products; x++) {
                        const double ab = fa[(size_t)i * k + x] * fb[(size_t)j * k + x];
                        sum += ab, size += fabs(ab);
                    }
                    if (beta != 0)
                        cv = beta * get(t->d, c.host, odd_d + z * sc + place(d_col, ldc, i, j));
                    const double slope = kn->epi == EPI_SCALE_ROW ? fabs(((float *)vector.host)[i]) : 1.2;
                    const double ref = host_hook(kn->epi, alpha * sum + cv, i, j, (float *)vector.host, factor,
                                                 (float *)residual.host, ldr);
                    const double got = get(t->d, after, odd_d + z * sd + place(d_col, ldd, i, j));
                    const double tiny = (t->d == TC_F16 ? 6e-8 : 1e-30)
                                      + (t->acc == TC_F16 ? fabs(alpha) * slope * (products / 8 + 2) * 6e-8 : 0);
                    const double x_bound = slope
                                             * ((products + 8) * step * fabs(alpha) * size
                                                + (is_int(t->a) ? 2 * arithmetic : 0) * fabs(alpha * sum)
                                                + 8 * arithmetic * fabs(cv)
                                                + 3.4 * arithmetic * fabs(alpha * sum + cv))
                                         + 8.4 * arithmetic + (kn->epi == EPI_NONE ? 0 : 2.6 * arithmetic * fabs(ref));
                    const double bound = x_bound + slope * short_sums * fabs(alpha) * size
                                       + (is_int(t->d) ? 0.5 : 0.501 * unit_of(t->d) * fabs(ref) + tiny);
                    double want = ref; /* D of an integer type stops at its ends */
                    if (t->d == TC_S8) want = fmax(fmin(ref, 127), -128);
                    if (t->d == TC_S32) want = fmax(fmin(ref, INT32_MAX), INT32_MIN);
                    double e = fabs(got - want) / bound;
                    if (exact) e = got == (double)(int32_t)(uint32_t)(int64_t)(sum + cv) ? 0 : INFINITY;
                    if (is_once(kn->epi)) { /* one call; D is its x, rounded, and x lies within the bound */
                        const size_t at = ((size_t)z * m + i) * n + j;
                        const float x = ((float *)seen.host)[at];
                        double rounded;
                        put(t->d, &rounded, 0, x);
                        wrong_count += ((int *)count.host)[at] != 1;
                        if (!(got == get(t->d, &rounded, 0)) || !(fabs(x - ref) <= bound)) e = INFINITY;
                    }
                    if (alpha == 0 && (kn->epi == EPI_NONE || is_once(kn->epi))) { /* beta * C and nothing else */
                        double rounded;
                        put(t->d, &rounded, 0, t->d == TC_F64 ? cv : (double)(float)cv);
                        if (!(got == get(t->d, &rounded, 0))) e = INFINITY;
                    }
                    if (!(e <= 1)) bad++;
                    if (!(e <= worst)) worst = e;
                    if (cb) {
                        const double other = host_hook(kn->epi, alpha * (double)cb[((size_t)z * m + i) * n + j] + cv, i,
                                                       j, (float *)vector.host, factor, (float *)residual.host, ldr);
                        const double ec = fabs(got - other) / (2 * bound);
                        if (!(ec <= worst_cublas)) worst_cublas = ec;
                    }
                }
            }
        }
        /* every byte of D outside the m x n elements must be as it was */
        for (int z = 0; z < batch; z++)
            for (int i = 0; i < d_lines; i++)
                memset(after + (size_t)(odd_d + z * sd + i * ldd) * dsize, 0xff, (size_t)(d_col ? m : n) * dsize);
        for (size_t i = 0; i < d.bytes; i++) outside += after[i] != 0xff;
        CHECK(bad == 0, "%s: %d elements out of bound, worst %.2f of it", what, bad, worst);
        CHECK(!(worst_cublas > 1), "%s: differs from cuBLAS, %.2f of the bound", what, worst_cublas);
        CHECK(outside == 0, "%s: %d bytes outside of D written", what, outside);
        CHECK(wrong_count == 0, "%s: %d elements for which the hook is not called once", what, wrong_count);
        const int stray = ((int *)count.host)[elements];
        CHECK(stray == 0, "%s: the hook is told %d times of a place that D does not have", what, stray);
        free(fa), free(fb), free(cb), free(after);
    }
    drop(&a), drop(&b), drop(&c), drop(&d), drop(&vector), drop(&residual), drop(&count), drop(&seen);
    drop_factors(&a_factors), drop_factors(&b_factors);
}

#ifndef FUZZ_KERNELS
/* Rows 2^30 elements apart: the third one of A and of D lies past 2^31 elements, and past 2^32 bytes. */
static void far_apart(const kernel *kn)
{
    enum { M = 3, N = 200, K = 72 };
    const int64_t far = ((int64_t)1 << 30) + 8;
    const size_t bytes = (size_t)(2 * far + 256) * (size_t)(tc_type_bits(kn->c.d) / 8);
    static float a[M][K], b[N][K];
    static uint16_t ha[M][K], hb[N][K], hd[M][N];
    void *da, *db, *dd;
    size_t room = 0, all = 0;
    int bad = 0;
    tc_gemm_args g;
    CUDA_CHECK(cudaMemGetInfo(&room, &all));
    if (room < 2 * bytes + ((size_t)1 << 28)) {
        SKIP("%s: rows far apart: needs %zu GB of free memory, there are %zu", kn->name, (2 * bytes >> 30) + 1,
             room >> 30);
        return;
    }
    for (int i = 0; i < M; i++)
        for (int x = 0; x < K; x++) a[i][x] = (float)test_int(-4, 4), ha[i][x] = tc_bf16_from_f32(a[i][x]);
    for (int j = 0; j < N; j++)
        for (int x = 0; x < K; x++) b[j][x] = (float)test_int(-4, 4) * 0.125f, hb[j][x] = tc_bf16_from_f32(b[j][x]);
    CUDA_CHECK(cudaMalloc(&da, bytes));
    CUDA_CHECK(cudaMalloc(&db, sizeof hb));
    CUDA_CHECK(cudaMalloc(&dd, bytes));
    for (int i = 0; i < M; i++)
        CUDA_CHECK(cudaMemcpy((uint16_t *)da + i * far, ha[i], sizeof ha[i], cudaMemcpyHostToDevice));
    CUDA_CHECK(cudaMemcpy(db, hb, sizeof hb, cudaMemcpyHostToDevice));
    /* NaN where nothing is written. Also, initcheck does not see TMA stores: to it the rows have a value now */
    for (int i = 0; i < M; i++) CUDA_CHECK(cudaMemset((uint16_t *)dd + i * far, 0xff, sizeof hd[i]));
    memset(&g, 0, sizeof g);
    g.m = M, g.n = N, g.k = K, g.a = da, g.lda = far, g.b = db, g.ldb = K, g.d = dd, g.ldd = far;
    CHECK(kn->run(&g, 0) == TC_OK, "%s, rows far apart: %s", kn->name, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < M; i++)
        CUDA_CHECK(cudaMemcpy(hd[i], (uint16_t *)dd + i * far, sizeof hd[i], cudaMemcpyDeviceToHost));
    for (int i = 0; i < M; i++) {
        for (int j = 0; j < N; j++) {
            float sum = 0; /* multiples of 1/8 below 2^24: exact */
            for (int x = 0; x < K; x++) sum += a[i][x] * b[j][x];
            bad += hd[i][j] != tc_bf16_from_f32(sum);
        }
    }
    CHECK(bad == 0, "%s, rows far apart: %d of %d elements wrong", kn->name, bad, M * N);
    CUDA_CHECK(cudaFree(da));
    CUDA_CHECK(cudaFree(db));
    CUDA_CHECK(cudaFree(dd));
}

/* A long k: zeros but for a few elements at the start, in the middle and at the end of A's only row and B's only
 * column. Products are small integers, so the sum is exact. Above 2^30 the bytes left of a row do not fit an int. */
static void long_k(const kernel *kn, int k)
{
    const int places[] = {0, 1, 7, 8, 15, 16, 63, 64, k / 2 - 1, k / 2, k / 2 + 8, k - 65, k - 64, k - 9, k - 8, k - 1};
    const size_t bytes = (size_t)k * 2;
    uint16_t *da, *db, *dd, got = 0;
    size_t room = 0, all = 0;
    float want = 0;
    tc_gemm_args g;
    CUDA_CHECK(cudaMemGetInfo(&room, &all));
    if (room < 2 * bytes + ((size_t)1 << 28)) {
        SKIP("%s: k = %d: needs %zu GB of free memory, there are %zu", kn->name, k, (2 * bytes >> 30) + 1, room >> 30);
        return;
    }
    CUDA_CHECK(cudaMalloc((void **)&da, bytes));
    CUDA_CHECK(cudaMalloc((void **)&db, bytes));
    CUDA_CHECK(cudaMalloc((void **)&dd, 256));
    CUDA_CHECK(cudaMemset(da, 0, bytes));
    CUDA_CHECK(cudaMemset(db, 0, bytes));
    CUDA_CHECK(cudaMemset(dd, 0xff, 256)); /* NaN */
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const float x = (float)test_int(1, 4), y = (float)test_int(1, 3);
        const uint16_t u = tc_bf16_from_f32(x), v = tc_bf16_from_f32(y);
        CUDA_CHECK(cudaMemcpy(da + places[i], &u, 2, cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(db + places[i], &v, 2, cudaMemcpyHostToDevice));
        want += x * y; /* at most 204, which bf16 holds exactly */
    }
    memset(&g, 0, sizeof g);
    g.m = g.n = 1, g.k = k, g.a = da, g.b = db, g.lda = g.ldb = k, g.d = dd, g.ldd = 8;
    CHECK(kn->run(&g, 0) == TC_OK, "%s, k = %d: %s", kn->name, k, tc_why());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(&got, dd, 2, cudaMemcpyDeviceToHost));
    CHECK(tc_f32_from_bf16(got) == want, "%s, k = %d: %g, want %g", kn->name, k, tc_f32_from_bf16(got), want);
    CUDA_CHECK(cudaFree(da));
    CUDA_CHECK(cudaFree(db));
    CUDA_CHECK(cudaFree(dd));
}
#endif

/* Is there as much shared memory as the kernel's tile needs? Says so once if not. */
static int fits(const kernel *k, int index)
{
    static int told[KERNELS];
    int room = 0;
    CUDA_CHECK(tc__device_smem(&room, 0));
    if (k->smem <= room) return 1;
    if (!told[index]++)
        SKIP("%s: needs %d bytes of shared memory, this device gives a block %d", k->name, k->smem, room);
    return 0;
}

int main(int argc, char **argv)
{
    const int device = test_device();
    const int problems = argc > 1 ? atoi(argv[1]) : 300;
    const uint64_t seed = argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0);
    const int largest = argc > 3 ? atoi(argv[3]) : 400;
    if (device < FUZZ_DEVICE) {
        SKIP("gemm_fuzz: no device of compute capability %d.%d or later", FUZZ_DEVICE / 10, FUZZ_DEVICE % 10);
        return test_end();
    }
    printf("gemm_fuzz: %d problems, seed %llu, dimensions up to %d\n", problems, (unsigned long long)seed, largest);
    cublas_open();
    for (int i = 0; i < problems; i++) {
        const kernel *k = &kernels[i % KERNELS];
        test_seed(seed + (uint64_t)i);
        if (k->sm == 90 && device != 90) {
            if (i < KERNELS)
                SKIP("%s: needs compute capability 9.0, this device has %d.%d", k->name, device / 10, device % 10);
            continue;
        }
        if (k->sm == 100 && (device < 100 || device >= 120 || (device == 103 && is_int(k->c.a)))) {
            if (i < KERNELS) SKIP("%s: needs tcgen05%s, this device has compute capability %d.%d", k->name,
                                  is_int(k->c.a) ? " with integers" : "", device / 10, device % 10);
            continue;
        }
        if (k->sm == 120 && (device < 120 || device >= 130)) {
            if (i < KERNELS) SKIP("%s: needs compute capability 12.x, this device has %d.%d", k->name, device / 10,
                                  device % 10);
            continue;
        }
        if (fits(k, i % KERNELS)) one(k, largest, (uint64_t)i);
    }
#ifndef FUZZ_KERNELS
    for (int i = 0; i < KERNELS; i++) { /* those with bf16 throughout and no hook */
        const kernel *k = &kernels[i];
        if (k->c.a != TC_BF16 || k->c.d != TC_BF16 || k->epi != EPI_NONE) continue;
        if ((k->sm == 90 && device != 90) || !fits(k, i)) continue;
        far_apart(k);
        long_k(k, (1 << 14) + 8);
        if (k->run != sm80_w1_run) continue; /* one of them: its only block works for seconds */
        if (emulated()) SKIP("%s: k = 2^30 + 8: 16 million steps of a block take tcemu hours", k->name);
        else long_k(k, (1 << 30) + 8);
    }
#endif
#ifdef FUZZ_MORE
    FUZZ_MORE(problems, seed, largest);
#endif
    return test_end();
}
