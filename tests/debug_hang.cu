/* debug_hang.cu - with TC_DEBUG a wait that never ends is reported and trapped, not left to hang. Each wait runs in a
 * process of its own: after a trap the device answers no more. */
#define TC_DEBUG
#define TC_DEBUG_TIMEOUT_NS 50000000ull
#include "../tc.h"
#include "test.h"
#include <sys/wait.h>
#include <unistd.h>

typedef struct hanging {
    const char *report;
    int line;
} hanging;

enum { LINE = __LINE__ + 13, WAITS = 2 }; /* of the first wait below; the second stands in the line after it */
static __global__ void hang(int which)
{
#if TC_HAS_SM90
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 3);
    __syncthreads();
    if (threadIdx.x == 0) {
        if (which == 0) tc_mbarrier_arrive(bar);
        if (which == 1) tc_mbarrier_arrive_expect_tx(bar, 16); /* of the bytes nobody sends any */
    }
    __syncthreads();
    if (threadIdx.x >= 32 && which == 0) TC_MBARRIER_WAIT(bar, 0, "never", 7); /* two arrivals will not come */
    if (threadIdx.x >= 32 && which == 1) TC_MBARRIER_WAIT_CLUSTER(bar, 0, "nobody", 5);
#else
    (void)which;
#endif
}

static const hanging waits[WAITS] = {
    {"tc: block (0,0,0) warp 1 waits for barrier \"never\"[7] parity 0: 2 arrivals pending", LINE},
    {"tc: block (0,0,0) warp 1 waits for barrier \"nobody\"[5] parity 0: 2 arrivals pending", LINE + 1}};

static int run(int which) /* returns whether something failed */
{
    char text[4096], line[64];
    size_t size = 0;
    FILE *f = tmpfile();
    const int out = dup(1);
    fflush(stdout);
    if (!f || out < 0 || dup2(fileno(f), 1) < 0) return 1; /* what the device prints goes to a file */
    hang<<<1, 64>>>(which);
    const cudaError_t err = cudaDeviceSynchronize();
    fflush(stdout);
    if (dup2(out, 1) < 0) return 1;
    snprintf(line, sizeof line, "debug_hang.cu:%d", waits[which].line);
    rewind(f);
    size = fread(text, 1, sizeof text - 1, f);
    text[size] = 0;
    CHECK(err != cudaSuccess, "the wait ended without an error");
    CHECK(strstr(text, waits[which].report) != 0, "the report says: %s", text);
    CHECK(strstr(text, line) != 0, "the report does not name the line %s: %s", line, text);
    fflush(stdout);
    return test_failed != 0;
}

int main(int argc, char **argv)
{
    if (argc > 1) return run(argv[1][0] == '1');
    if (test_device() < 90) {
        SKIP("debug_hang: no device of compute capability 9.0 or later");
        return test_end();
    }
    for (int i = 0; i < WAITS; i++) {
        char which[2] = {(char)('0' + i), 0};
        int status = -1;
        const pid_t child = fork();
        if (child == 0) {
            execl("/proc/self/exe", argv[0], which, (char *)0);
            _exit(127);
        }
        waitpid(child, &status, 0);
        CHECK(child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0, "wait %d: status %#x", i, status);
    }
    return test_end();
}
