/* gemm_problems.h - the main of a test that takes a table of generated kernels in turn; behind test.h.
 *     build/tests/NAME [problems] [seed]     the seed is the clock's where none is given; ONLY=kernel: that one alone
 * Problem i is seeded by seed + i, whichever of the kernels the device has.
 *
 * each_problem wants `kernel` (.name, .sm, .smem), `kernels` and KERNELS, and EACH_KERNEL defined to say that they are
 * there. */
#ifndef GEMM_PROBLEMS_H
#define GEMM_PROBLEMS_H

#include <time.h>

typedef struct { int problems; uint64_t seed; } problem_args;

static problem_args problem_args_of(int argc, char **argv, int usual)
{
    const problem_args a = {argc > 1 ? atoi(argv[1]) : usual,
                            argc > 2 ? strtoull(argv[2], 0, 10) : (uint64_t)time(0)};
    return a;
}

#ifdef EACH_KERNEL
#ifdef FUZZ_KERNELS /* kernels that are drawn: problems alone */
#define ONCE(f) ((void)f, (void (*)(const kernel *))0)
#else
#define ONCE(f) f
#endif

typedef struct {
    const char *name;                       /* of the test */
    void (*one)(const kernel *, uint64_t);  /* a problem, and what it is known by */
    void (*once)(const kernel *);           /* behind the first problem of each kernel; or null */
} problem_test;

/* Is a kernel of the table for this device? If not, says so (once). */
static int kernel_here(const kernel *kn, int device, int once)
{
    int room = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&room, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    if ((device == 90 || kn->sm != 90) && device >= kn->sm && room >= kn->smem) return 1;
    if (once) SKIP("%s: not on a device of %d.%d", kn->name, device / 10, device % 10);
    return 0;
}

/* a.problems of them, and of each kernel at least what is done once. The exit status. */
static int each_problem(const problem_test *t, problem_args a)
{
    const int device = test_device();
    if (device < 80) {
        SKIP("%s: no device of compute capability 8.0 or later", t->name);
        return test_end();
    }
    printf("%s: %d problems, seed %llu\n", t->name, a.problems, (unsigned long long)a.seed);
    for (int i = 0; i < a.problems || i < KERNELS; i++) {
        const kernel *kn = &kernels[i % KERNELS];
        if (!kernel_here(kn, device, i < KERNELS)) continue;
        if (getenv("ONLY") && strcmp(getenv("ONLY"), kn->name)) continue;
        test_seed(a.seed + (uint64_t)i);
        if (i < a.problems) t->one(kn, a.seed + (uint64_t)i);
        if (i < KERNELS && t->once) t->once(kn);
    }
    return test_end();
}
#endif

#endif
