/* test.h - the tests' harness: CHECK counts, SKIP gives a reason, the last line is "N passed, N failed, N skipped". */
#ifndef TC_TEST_H
#define TC_TEST_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __GNUC__
#define TC_TEST_UNUSED __attribute__((unused))
#else
#define TC_TEST_UNUSED
#endif

static int test_passed, test_failed, test_skipped;

/* Lines come out as they are written, into a pipe or a file too: a test that takes minutes shows where it is. */
#ifdef __GNUC__
__attribute__((constructor)) static void test_by_lines(void) { setvbuf(stdout, 0, _IOLBF, BUFSIZ); }
#endif

/* One check; on failure prints the place and a message in printf's form. */
#define CHECK(condition, ...)                                              \
    do {                                                                   \
        if (condition) {                                                   \
            test_passed++;                                                 \
        } else if (++test_failed <= 20) {                                  \
            printf("FAIL %s:%d: %s: ", __FILE__, __LINE__, #condition);    \
            printf(__VA_ARGS__);                                           \
            printf("\n");                                                  \
        }                                                                  \
    } while (0)

#define SKIP(...)                     \
    do {                              \
        printf("SKIP ");              \
        printf(__VA_ARGS__);          \
        printf("\n");                 \
        test_skipped++;               \
    } while (0)

static inline int test_end(void)
{
    printf("%d passed, %d failed, %d skipped\n", test_passed, test_failed, test_skipped);
    return test_failed != 0;
}

/* xorshift64*: the same numbers everywhere for one seed. */
static uint64_t test_state = 88172645463325252ull;

static inline void test_seed(uint64_t seed) { test_state = seed * 0x9e3779b97f4a7c15ull + 0x123456789ull; }

static inline uint64_t test_random(void)
{
    test_state ^= test_state >> 12;
    test_state ^= test_state << 25;
    test_state ^= test_state >> 27;
    return test_state * 0x2545f4914f6cdd1dull;
}

/* lo..hi, both included */
static inline int test_int(int lo, int hi) { return lo + (int)((test_random() >> 33) % (uint64_t)(hi - lo + 1)); }

/* about standard normal: the sum of four uniforms, scaled to variance 1 */
static inline float test_normal(void)
{
    double s = 0;
    for (int i = 0; i < 4; i++) s += (double)(test_random() >> 11) * (1.0 / 9007199254740992.0) - 0.5;
    return (float)(s * 1.7320508075688772);
}

/* What is being tried, for the report of a CUDA error. */
static char test_context[256] TC_TEST_UNUSED;

#ifdef __CUDACC__
#define CUDA_CHECK(call)                                                                               \
    do {                                                                                               \
        cudaError_t err_ = (call);                                                                     \
        if (err_ != cudaSuccess) {                                                                     \
            printf("FAIL %s:%d: %s: %s %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(err_), test_context); \
            test_failed++;                                                                             \
            exit(test_end());                                                                          \
        }                                                                                              \
    } while (0)

/* Compute capability of the device as 10 * major + minor; 0 where there is none. */
static inline int test_device(void)
{
    int count = 0, major = 0, minor = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
        (void)cudaGetLastError();
        return 0;
    }
    CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    return major * 10 + minor;
}

/* Host and device twins of some memory, zeros at first. */
typedef struct test_buffer { void *host, *dev; size_t bytes; } test_buffer;

TC_TEST_UNUSED static test_buffer test_buffer_make(size_t bytes)
{
    test_buffer b;
    b.bytes = bytes;
    b.host = calloc(bytes, 1);
    CUDA_CHECK(cudaMalloc(&b.dev, bytes));
    CUDA_CHECK(cudaMemset(b.dev, 0, bytes));
    return b;
}
TC_TEST_UNUSED static void test_buffer_up(const test_buffer *b)
{
    CUDA_CHECK(cudaMemcpy(b->dev, b->host, b->bytes, cudaMemcpyHostToDevice));
}
TC_TEST_UNUSED static void test_buffer_down(const test_buffer *b)
{
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaMemcpy(b->host, b->dev, b->bytes, cudaMemcpyDeviceToHost));
}
TC_TEST_UNUSED static void test_buffer_drop(test_buffer *b)
{
    free(b->host);
    CUDA_CHECK(cudaFree(b->dev));
}
#endif

#endif
