/* rows.cu - softmax of rows, their largest elements, rows quantised (tc_rows.h): GB/s of what must be read and written,
 * beside a cudaMemcpyAsync that moves as many bytes.
 *     make build/bench/rows && build/bench/rows       half a minute on an H200
 *     build/bench/rows --list              cases and kernels; needs no GPU
 *     build/bench/rows --case 2 --kernel soft    one of them; --seconds 0.01 --rounds 3: a quick look
 *
 * Calls stand in CUDA graphs over sets of X and Y that do not fit the L2 together, and take turns with the copy's
 * (bench.h). Each row of Y is checked to add up to 1, the chosen values to fall, the largest byte of a quantised row to
 * be its type's: tests/rows.cu is the test. */
#define TC_SM90_STUBS
#include "bench.h"

TC_ROWS_DEFINE(soft, .x = TC_BF16, .op = TC_SOFTMAX)
TC_ROWS_DEFINE(logs, .x = TC_F32, .op = TC_LOG_SOFTMAX, .y = TC_F32)
TC_ROWS_DEFINE(route, .x = TC_F32, .op = TC_SOFTMAX, .top = 8, .renorm = 1)
TC_ROWS_DEFINE(best, .x = TC_BF16, .top = 32)
TC_ROWS_DEFINE(fp8, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_E4M3)
TC_ROWS_DEFINE(s8, .x = TC_BF16, .op = TC_QUANTISE, .y = TC_S8)

typedef struct rows_kernel {
    const char *name;
    tc_status (*run)(const tc_rows_args *, cudaStream_t);
    int x, y, top; /* y: 0: none is written */
    int logs;      /* Y is of logarithms */
} rows_kernel;
static const rows_kernel kernels[] = {
    {"soft", soft_run, TC_BF16, TC_BF16, 0, 0}, {"logs", logs_run, TC_F32, TC_F32, 0, 1},
    {"route", route_run, TC_F32, 0, 8, 0}, {"best", best_run, TC_BF16, 0, 32, 0},
    {"fp8", fp8_run, TC_BF16, TC_E4M3, 0, 0}, {"s8", s8_run, TC_BF16, TC_S8, 0, 0}};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

typedef struct rows_case { int m, n; } rows_case;
static const rows_case cases[] = {{16384, 64}, {65536, 256}, {16384, 1000}, {16384, 4096}, {4096, 8192},
                                  {2048, 32000}, {512, 128256}, {8, 128256}};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct contest {
    rows_case s;
    const rows_kernel *k;
    char *x, *y;          /* of all sets */
    float *values; /* or factors */
    int32_t *index;
    size_t x_size, y_size; /* bytes of a set */
} contest;

/* Is Y quantised? */
static __host__ __device__ int in_bytes(const contest *c) { return c->k->y == TC_E4M3 || c->k->y == TC_S8; }

static tc_rows_args args_of(const contest *c, int set)
{
    tc_rows_args r;
    memset(&r, 0, sizeof r);
    r.m = c->s.m, r.n = c->s.n, r.x = c->x + c->x_size * set;
    if (c->k->y) r.y = c->y + c->y_size * set;
    if (c->k->top) r.values = c->values, r.index = c->index;
    if (in_bytes(c)) r.scale_out = c->values;
    return r;
}
static int run_rows(void *self, const bench_problem *p, int set)
{
    const contest *c = (const contest *)self;
    const tc_rows_args r = args_of(c, set % p->sets);
    return c->k->run(&r, p->stream) != TC_OK;
}

/* What the kernel reads and writes; and as much by a copy, half of it read. */
static double bytes_of(const contest *c)
{
    const double of_rows = (8.0 * c->k->top + 4.0 * in_bytes(c)) * c->s.m;
    return (double)c->x_size + (double)(c->k->y ? c->y_size : 0) + of_rows;
}
static int run_copy(void *self, const bench_problem *p, int set)
{
    const contest *c = (const contest *)self;
    const size_t half = (size_t)(bytes_of(c) / 2);
    set %= p->sets;
    return cudaMemcpyAsync(c->y + c->y_size * set, c->x + c->x_size * set, half, cudaMemcpyDeviceToDevice, p->stream)
           != cudaSuccess;
}

/* A block a row. */
static __global__ void check_rows(contest c, unsigned *worst)
{
    __shared__ double sum;
    const size_t row = blockIdx.x;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    if (in_bytes(&c)) {
        float most = 0; /* a thread's; some thread has the type's largest */
        for (int i = (int)threadIdx.x; i < c.s.n; i += (int)blockDim.x)
            most = fmaxf(most, fabsf((float)bench_get(c.k->y, c.y, row * c.s.n + i)));
        const int there = __syncthreads_or(most == (c.k->y == TC_S8 ? 127.f : 448.f));
        if (threadIdx.x == 0 && !(there && c.values[row] > 0.f)) bench_report(worst, 1, 0, 0);
    } else if (c.k->y) {
        double part = 0;
        for (int i = (int)threadIdx.x; i < c.s.n; i += (int)blockDim.x) {
            const double y = bench_get(c.k->y, c.y, row * c.s.n + i);
            part += c.k->logs ? exp(y) : y;
        }
        atomicAdd(&sum, part);
        __syncthreads();
        if (threadIdx.x == 0) bench_report(worst, sum, 1, 0);
    } else if (threadIdx.x > 0 && (int)threadIdx.x < c.k->top) {
        const float *v = c.values + row * c.k->top + threadIdx.x;
        const int32_t at = c.index[row * c.k->top + threadIdx.x];
        if (!(v[0] <= v[-1]) || at < 0 || at >= c.s.n) bench_report(worst, 1, 0, 0);
    }
}

static int measure_one(contest *c, const bench_options *o)
{
    const rows_kernel *k = c->k;
    bench_side ours, copy, *in[] = {&ours, &copy};
    bench_problem p;
    rows_kernel *there;
    unsigned *worst = bench_worst();
    float off;
    int calls;
    memset(&ours, 0, sizeof ours), memset(&copy, 0, sizeof copy), memset(&p, 0, sizeof p);
    CUDA_CHECK(cudaStreamCreateWithFlags(&p.stream, cudaStreamNonBlocking));
    c->x_size = (size_t)c->s.m * c->s.n * tc_type_bits(k->x) / 8;
    c->y_size = (size_t)c->s.m * c->s.n * tc_type_bits(k->y ? k->y : k->x) / 8;
    p.sets = (int)fmax(2, ceil(180e6 / bytes_of(c)));
    calls = p.sets * (int)fmax(1, ceil(1e-3 / (p.sets * (bytes_of(c) / 4e12 + 2e-6))));
    CUDA_CHECK(cudaMalloc((void **)&c->x, c->x_size * p.sets + (size_t)bytes_of(c))); /* the last copy runs past it */
    CUDA_CHECK(cudaMalloc((void **)&c->y, c->y_size * p.sets + (size_t)bytes_of(c)));
    CUDA_CHECK(cudaMalloc((void **)&c->values, (size_t)c->s.m * 32 * 4));
    CUDA_CHECK(cudaMalloc((void **)&c->index, (size_t)c->s.m * 32 * 4));
    bench_fill(c->x, c->x_size / (tc_type_bits(k->x) / 8) * p.sets, 1, k->x, 1.f);
    CUDA_CHECK(cudaMemset(c->y, 0xff, c->y_size * p.sets));
    CUDA_CHECK(cudaDeviceSynchronize());
    ours.run = run_rows, ours.self = c, copy.run = run_copy, copy.self = c;
    if (bench_capture(&ours, &p, calls)) {
        printf("# %d x %d, %s: %s\n", c->s.m, c->s.n, k->name, tc_why());
        return 1;
    }
    /* the check runs on the device, and so does what it is told of the kernel */
    CUDA_CHECK(cudaMalloc((void **)&there, sizeof *there));
    CUDA_CHECK(cudaMemcpy(there, k, sizeof *k, cudaMemcpyHostToDevice));
    contest seen = *c;
    seen.k = there;
    check_rows<<<c->s.m, 128>>>(seen, worst);
    off = bench_worst_end(worst);
    CUDA_CHECK(cudaFree(there));
    if (bench_capture(&copy, &p, calls)) CUDA_CHECK(cudaErrorUnknown);
    bench_alternate(in, 2, &o->plan);
    const bench_ratio r = bench_against(&ours, &copy, o->plan.rounds);
    printf("%d,%d,%s,%.2f,%.0f,%.0f,%.3f,%.3f,%.3f%s\n", c->s.m, c->s.n, k->name, ours.median * 1e6,
           bytes_of(c) / ours.median * 1e-9, bytes_of(c) / copy.median * 1e-9, r.median, r.min, r.max,
           off < 0.02f ? "" : ",WRONG");
    bench_side_free(&ours), bench_side_free(&copy);
    CUDA_CHECK(cudaFree(c->x));
    CUDA_CHECK(cudaFree(c->y));
    CUDA_CHECK(cudaFree(c->values));
    CUDA_CHECK(cudaFree(c->index));
    CUDA_CHECK(cudaStreamDestroy(p.stream));
    return !(off < 0.02f);
}

static void say_case(int i) { printf("%d rows of %d", cases[i].m, cases[i].n); }
static const char *kernel_name(int i) { return kernels[i].name; }
static int measure_case(int i, const bench_options *o)
{
    int failed = 0;
    for (int j = 0; j < KERNELS; j++) {
        contest c;
        if (o->kernel && strcmp(o->kernel, kernels[j].name)) continue;
        memset(&c, 0, sizeof c);
        c.s = cases[i], c.k = &kernels[j];
        failed += measure_one(&c, o);
        fflush(stdout);
    }
    return failed;
}

int main(int argc, char **argv)
{
    const bench_table table = {"rows,columns,kernel,us,GB/s,GB/s_copy,ratio,min,max", CASES, KERNELS, say_case,
                               kernel_name, 0, measure_case};
    return bench_main(&table, argc, argv);
}
