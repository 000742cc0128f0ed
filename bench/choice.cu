/* choice.cu - what TC_GEMM_DEFINE picks, beside the best of all that it could have picked: make bench-choice.
 *     build/bench/choice                       200 shapes, log-uniform, from the clock's seed, which it prints
 *     build/bench/choice --count 20 --seed 7   so many, from that seed
 *     build/bench/choice --shapes 16,4096,4096 1000,1000,1000      these
 *     --odd 1       any n and k; default: multiples of 8
 *     --as e4m3     another kernel of bench/gemm.cu: the group's name (bf16)
 *     --seconds 0.003 --rounds 5               a burst, and the rounds of the last eight
 *     --all FILE    every candidate's microseconds to a file
 *     --glance 0.001  seconds that each of them runs for
 *     --within 1.6  only candidates that the model has within 1.6 times of its favourite, and none for rows of any
 *                   alignment (0: all)
 *     --finals FILE the same of those that take turns, in graphs; --finalists 24: so many (8)
 *     --pdl 1       as in bench/gemm.cu
 *     --beside 1    each finalist takes turns with cuBLASLt's best instead, as in bench/gemm.cu: what ran before sets
 *                   a hot board's clock, and the order is another; times are scaled so that cuBLASLt takes 1000
 *
 * Every kernel, width, cluster and number of parts that args.choice may name and the call takes runs for a moment in a
 * loop of launches, short ones in a graph; the fastest few then take turns with what the kit picks by itself, in CUDA
 * graphs. A row for each shape: what was picked and what was best, as kernel/width/cluster/parts (c: that meet in a
 * cluster), their microseconds, and the rate of the pick over the best's. */
#include "bench.h"

/* bench/gemm_kernels.cu has them */
#define KERNELS_OF(X)                                                                                              \
    X(bf16, any, TC_BF16, TC_BF16, 0, 0, 0) X(f16, f16, TC_F16, TC_F16, 0, 0, 0)                                   \
    X(row_row, row_row, TC_BF16, TC_BF16, 0, 1, 0) X(col_col, col_col, TC_BF16, TC_BF16, 1, 0, 0)                  \
    X(col_row, col_row, TC_BF16, TC_BF16, 1, 1, 0) X(tf32, tf32, TC_TF32, TC_F32, 0, 0, 0)                         \
    X(s8, s8, TC_S8, TC_S32, 0, 0, 0) X(e4m3, e4m3, TC_E4M3, TC_BF16, 0, 0, 0)                                     \
    X(e4m3_fast, e4m3_fast, TC_E4M3, TC_BF16, 0, 0, 0) X(blocks, blocks, TC_E4M3, TC_BF16, 0, 0, 1)
#define DECLARE(as, name, ab, d, a_col, b_row, scaled) TC_GEMM_DECLARE(gemm_##name);
KERNELS_OF(DECLARE)

typedef struct kernel {
    const char *as;
    tc_status (*run)(const tc_gemm_args *, cudaStream_t);
    tc_status (*can_run)(const tc_gemm_args *, const char **);
    bench_kind kind;
} kernel;
#define ROW(as, name, ab, d, a_col, b_row, scaled) \
    {#as, gemm_##name##_run, gemm_##name##_can_run, {ab, d, a_col, b_row, 0, 0, scaled}},
static const kernel kernels[] = {KERNELS_OF(ROW)};
static const kernel *now = kernels; /* what is measured */

enum { CANDIDATES = 3072, FINALISTS_MOST = 64, SHAPES_MOST = 1024, KERNELS = TC__GEMM_ANY };

typedef struct options {
    bench_plan plan;
    double glance, within;
    int count, odd, own_count, finalists, beside;
    unsigned long long seed;
    FILE *all, *finals;
    bench_shape own[SHAPES_MOST];
} options;

typedef struct candidate {
    tc_gemm_choice choice; /* kernel 0: the kit's own */
    double seconds;
} candidate;

static int run_candidate(void *self, const bench_problem *p, int set)
{
    const candidate *c = (const candidate *)self;
    tc_gemm_args g = bench_args(p, set);
    if (c->choice.kernel) g.choice = &c->choice;
    return now->run(&g, p->stream) != TC_OK;
}

static int takes(const bench_problem *p, tc_gemm_choice choice)
{
    tc_gemm_args g = bench_args(p, 0);
    g.choice = &choice;
    return now->can_run(&g, 0) == TC_OK;
}

/* The model's nanoseconds of a candidate (tc_gemm_choice.h). */
static double model(const bench_problem *p, const tc_gemm_choice *x)
{
    const tc_gemm_args g = bench_args(p, 0);
    tc__gemm_device device;
    tc__device on;
    tc_gemm_config given, c, v;
    tc__gemm_problem problem;
    tc_gemm_cut cut;
    CUDA_CHECK(tc__device_now(&on));
    device = tc__gemm_device_of(on.sms, on.bandwidth);
    memset(&given, 0, sizeof given);
    memset(&cut, 0, sizeof cut);
    given.a = given.b = now->kind.ab, given.d = now->kind.d;
    given.a_layout = now->kind.a_col ? TC_COL : TC_ROW, given.b_layout = now->kind.b_row ? TC_ROW : TC_COL;
    if (now->kind.acc == TC_FAST) given.promote = TC_FAST;
    if (now->kind.scaled) given.a_scale = TC_SCALE_1X128, given.b_scale = TC_SCALE_128X128;
    c = tc__gemm_tiled(given, tc__gemm_tiles_of[x->kernel - 1]), v = tc_gemm90_view(c);
    problem = tc__gemm90_problem(&c, &g);
    cut.width = x->width, cut.parts = x->parts, cut.joined = x->meet == TC_MEET_CLUSTER;
    cut.cluster = v.step ? x->cluster : v.cluster_m;
    return tc__gemm90_time(&v, &problem, &cut, &device);
}

/* Leaves those out that the model has far from its favourite. */
static int near_the_model(const bench_problem *p, candidate *all, int count, double within)
{
    double least = INFINITY;
    int left = 0;
    for (int i = 0; i < count; i++) {
        if (all[i].choice.kernel == TC__GEMM_ANY) continue;
        all[i].seconds = model(p, &all[i].choice);
        if (all[i].seconds < least) least = all[i].seconds;
    }
    for (int i = 0; i < count; i++)
        if (all[i].choice.kernel != TC__GEMM_ANY && all[i].seconds <= within * least) all[left++] = all[i];
    return left;
}

/* All that the call takes. A kernel that picks its width itself is asked for each; of parts, those that are worth a try
 * where k has so many steps. */
static int list(const bench_problem *p, candidate *all)
{
    static const int parts[] = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32, 48, 64};
    int count = 0;
    for (int kernel = 1; kernel <= KERNELS; kernel++) {
        const tc_gemm_choice plain = {kernel, 0, 0, 0, 0, 0};
        const int fixed = kernel != TC__GEMM_ANY && !tc__gemm_tiles_of[kernel - 1].step; /* its cluster too */
        if (!takes(p, plain)) continue;
        for (int width = 16; width <= 256; width += 16)
            for (int cluster = 1; cluster <= 2 - fixed; cluster++)
                for (size_t i = 0; i < 2 * sizeof parts / sizeof *parts; i++) {
                    const int of = parts[i / 2], meet = of > 1 ? i % 2 ? TC_MEET_CLUSTER : TC_MEET_WORKSPACE : 0;
                    const tc_gemm_choice choice = {kernel, width, cluster, of, 0, meet};
                    if (of == 1 ? i % 2 : p->k < of * 128) continue;
                    if (takes(p, choice) && count < CANDIDATES) all[count++].choice = choice;
                }
    }
    return count;
}

static int faster(const void *x, const void *y)
{
    const double a = ((const candidate *)x)->seconds, b = ((const candidate *)y)->seconds;
    return a < b ? -1 : a > b;
}

/* Seconds of a call in a graph that goes through the sets. */
static double glance_in_graph(candidate *c, const bench_problem *p, int calls)
{
    bench_side s;
    double seconds;
    memset(&s, 0, sizeof s);
    s.run = run_candidate, s.self = c;
    if (bench_capture(&s, p, calls)) return INFINITY;
    seconds = bench_replay(&s, 1, 2) / 2 / s.calls;
    bench_side_free(&s);
    return seconds;
}

/* Seconds of a call in a loop of about so many seconds and at least a call of each set; of one that takes twice the
 * best's time, a rough figure does. Of one that the host's launches may be longer than, in a graph. INFINITY: it
 * fails. */
static double glance(candidate *c, const bench_problem *p, double seconds, double best)
{
    static const double launches = 12e-6;
    static cudaEvent_t start, stop;
    float ms = 0;
    int calls = p->sets < 8 ? 8 : p->sets;
    if (!start) {
        CUDA_CHECK(cudaEventCreate(&start));
        CUDA_CHECK(cudaEventCreate(&stop));
    }
    if (run_candidate(c, p, 0)) return INFINITY;
    for (int pass = 0; pass < 2; pass++) {
        CUDA_CHECK(cudaEventRecord(start, p->stream));
        for (int i = 0; i < calls; i++)
            if (run_candidate(c, p, i)) return INFINITY;
        CUDA_CHECK(cudaEventRecord(stop, p->stream));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (pass == 0 && ms * 1e-3 / calls < launches) return glance_in_graph(c, p, calls);
        if (ms * 1e-3 / calls > 2 * best) break;
        if (ms < 1e3 * seconds) calls = (int)(calls * 1e3 * seconds / (ms > 0.1 ? ms : 0.1f)) + 1;
    }
    return ms * 1e-3 / calls;
}

static void write_row(FILE *to, bench_shape s, const tc_gemm_choice *x, double seconds)
{
    if (to)
        fprintf(to, "%d,%d,%d,%d,%d,%d,%d,%d,%.2f\n", s.m, s.n, s.k, x->kernel, x->width, x->cluster, x->parts, x->meet,
                seconds * 1e6);
}

static FILE *rows_file(const char *name)
{
    FILE *f = fopen(name, "w");
    if (f) fprintf(f, "m,n,k,kernel,width,cluster,parts,meet,us\n");
    return f;
}

/* Each in turns with the fastest of cuBLASLt's algorithms: seconds of a call where that one takes a millisecond. */
static void beside_cublas(bench_side **sides, int count, const bench_problem *p, const bench_plan *plan)
{
    bench_cublas cublas;
    bench_cublas_make(&cublas, p, 0);
    if (cublas.count) bench_cublas_rank(&cublas, plan);
    for (int i = 0; i < count; i++) {
        bench_side *both[2] = {sides[i], &cublas.sides[0]};
        bench_alternate(both, cublas.count ? 2 : 1, plan);
        for (int r = 0; cublas.count && r < plan->rounds; r++)
            sides[i]->seconds[r] *= 1e-3 / cublas.sides[0].seconds[r];
        sides[i]->median = bench_median(sides[i]->seconds, plan->rounds);
    }
    bench_cublas_free(&cublas);
}

/* The pick's rate over the best's; 0: it failed. */
static double measure(bench_shape shape, const options *o)
{
    static candidate all[CANDIDATES], own;
    bench_side finalists[FINALISTS_MOST + 1], *sides[FINALISTS_MOST + 1];
    bench_problem p = bench_problem_make(shape, now->kind, 0);
    int count, best = -1, running = 0;
    double ratio = 0, least = INFINITY;
    p.replay = o->plan.seconds / 2;
    snprintf(bench_now, sizeof bench_now, " (%dx%dx%d)", shape.m, shape.n, shape.k);
    count = list(&p, all);
    if (o->within > 0) count = near_the_model(&p, all, count, o->within);
    for (int i = 0; i < count; i++) {
        const tc_gemm_choice *x = &all[i].choice;
        all[i].seconds = glance(&all[i], &p, o->glance, least);
        if (all[i].seconds < least) least = all[i].seconds;
        write_row(o->all, shape, x, all[i].seconds);
    }
    qsort(all, (size_t)count, sizeof *all, faster);
    memset(finalists, 0, sizeof finalists);
    memset(&own, 0, sizeof own);
    for (int i = -1; i < o->finalists && i < count; i++) {
        bench_side *s = &finalists[i + 1];
        s->run = run_candidate, s->self = i < 0 ? &own : &all[i];
        if (!bench_side_capture(s, &p)) sides[running++] = s;
        else if (i < 0) break;
    }
    if (running && o->beside) beside_cublas(sides, running, &p, &o->plan);
    else if (running) bench_alternate(sides, running, &o->plan);
    for (int i = 1; i < running; i++)
        if (best < 0 || sides[i]->median < sides[best]->median) best = i;
    for (int i = 1; i < running; i++)
        write_row(o->finals, shape, &((const candidate *)sides[i]->self)->choice, sides[i]->median);
    if (best > 0) {
        const candidate *b = (const candidate *)sides[best]->self;
        ratio = bench_against(sides[0], sides[best], o->plan.rounds).median;
        printf("%d,%d,%d,%.2f,%d/%d/%d/%d%s,%.2f,%.3f\n", shape.m, shape.n, shape.k, sides[0]->median * 1e6,
               b->choice.kernel, b->choice.width, b->choice.cluster, b->choice.parts,
               b->choice.meet == TC_MEET_CLUSTER ? "c" : "", sides[best]->median * 1e6, ratio);
    } else {
        printf("# %dx%dx%d: %s\n", shape.m, shape.n, shape.k, running ? "nothing to choose from" : tc_why());
    }
    fflush(stdout);
    for (int i = 0; i < running; i++) bench_side_free(sides[i]);
    bench_problem_free(&p);
    return ratio;
}

static uint64_t next_random(unsigned long long *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

static int log_uniform(unsigned long long *state, int least, int most, int unit)
{
    const double u = (double)(next_random(state) >> 11) / 9007199254740992.0;
    const int x = (int)(least * pow((double)most / least, u));
    return x / unit * unit > 0 ? x / unit * unit : unit;
}

/* 0: there is none of that name. */
static int pick_kernel(const char *as)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (!strcmp(kernels[i].as, as)) return now = &kernels[i], 1;
    return 0;
}

static int usage(const char *wrong)
{
    fprintf(stderr,
            "choice: %s; --count N --seed S --odd 1 --as KERNEL --seconds S --rounds N --all FILE --glance S "
            "--within R --finals FILE --finalists N --beside 1 --shapes m,n,k ...\n",
            wrong);
    return 2;
}

int main(int argc, char **argv)
{
    static options o = {{0.003, 5}, 1e-3, 0, 200, 0, 0, 8, 0, 0, 0, 0, {{0, 0, 0}}};
    double logs = 0, worst = INFINITY;
    int good = 0, near = 0, failed = 0;
    o.seed = (unsigned long long)time(0);
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--shapes")) {
            for (; i + 1 < argc && argv[i + 1][0] != '-'; i++) {
                bench_shape *s = &o.own[o.own_count];
                if (o.own_count == SHAPES_MOST || sscanf(argv[i + 1], "%d,%d,%d", &s->m, &s->n, &s->k) != 3 || s->m < 1
                    || s->n < 1 || s->k < 1)
                    return usage(argv[i + 1]);
                o.own_count++;
            }
            continue;
        }
        if (!strcmp(argv[i], "--count")) o.count = atoi(value);
        else if (!strcmp(argv[i], "--seed")) o.seed = strtoull(value, 0, 10);
        else if (!strcmp(argv[i], "--odd")) o.odd = atoi(value);
        else if (!strcmp(argv[i], "--as")) {
            if (!pick_kernel(value)) return usage(value);
        } else if (!strcmp(argv[i], "--seconds")) o.plan.seconds = atof(value);
        else if (!strcmp(argv[i], "--finalists")) o.finalists = atoi(value);
        else if (!strcmp(argv[i], "--beside")) o.beside = atoi(value);
        else if (!strcmp(argv[i], "--glance")) o.glance = atof(value);
        else if (!strcmp(argv[i], "--within")) o.within = atof(value);
        else if (!strcmp(argv[i], "--pdl")) bench_pdl = atoi(value);
        else if (!strcmp(argv[i], "--all")) {
            if (!(o.all = rows_file(value))) return usage(value);
        } else if (!strcmp(argv[i], "--finals")) {
            if (!(o.finals = rows_file(value))) return usage(value);
        } else if (!strcmp(argv[i], "--rounds")) o.plan.rounds = atoi(value);
        else return usage(argv[i]);
        i++;
    }
    if (o.count < 1 || o.count > SHAPES_MOST || o.finalists < 1 || o.finalists > FINALISTS_MOST
        || o.plan.seconds <= 0 || o.plan.rounds < 1 || o.plan.rounds > BENCH_ROUNDS_MAX)
        return usage("a number out of range");
    bench_header(stdout, argc, argv);
    if (o.own_count) o.count = o.own_count;
    else printf("# seed %llu\n", o.seed);
    printf("m,n,k,us,best,best_us,ratio\n");
    for (int i = 0; i < o.count; i++) {
        const int unit = o.odd ? 1 : 8;
        bench_shape s = o.own[i];
        double ratio;
        while (!o.own_count) {
            s.m = log_uniform(&o.seed, 1, 16384, 1), s.n = log_uniform(&o.seed, 64, 16384, unit);
            s.k = log_uniform(&o.seed, 64, 32768, unit);
            if (bench_shape_flops(s) < 3e12) break; /* some milliseconds */
        }
        ratio = measure(s, &o);
        failed += ratio == 0;
        if (ratio == 0) continue;
        good++, near += ratio >= 0.97;
        logs += log(ratio);
        if (ratio < worst) worst = ratio;
    }
    printf("# %d shapes: within 3 %% on %d (%.0f %%), geometric mean %.3f, worst %.3f; %d failed\n", good, near,
           good ? 100.0 * near / good : 0.0, good ? exp(logs / good) : 0.0, good ? worst : 0.0, failed);
    return failed != 0;
}
