/* debug_hang.cu - with TC_DEBUG a wait that never ends is reported and trapped, not left to hang. */
#define TC_DEBUG
#define TC_DEBUG_TIMEOUT_NS 50000000ull
#include "../tc.h"
#include "test.h"
#include <unistd.h>

enum { LINE = __LINE__ + 10 }; /* of the wait below */
static __global__ void hang(void)
{
#if TC_HAS_SM90
    __shared__ uint64_t word;
    const uint32_t bar = tc_smem_u32(&word);
    if (threadIdx.x == 0) tc_mbarrier_init(bar, 3);
    __syncthreads();
    if (threadIdx.x == 0) tc_mbarrier_arrive(bar);
    __syncthreads();
    if (threadIdx.x >= 32) TC_MBARRIER_WAIT(bar, 0, "never", 7); /* two arrivals will not come */
#endif
}

int main(void)
{
    char text[4096], line[64];
    size_t size = 0;
    FILE *f = tmpfile();
    const int out = dup(1);
    if (test_device() < 90) {
        SKIP("debug_hang: no device of compute capability 9.0 or later");
        return test_end();
    }
    fflush(stdout);
    if (!f || out < 0 || dup2(fileno(f), 1) < 0) return 1; /* what the device prints goes to a file */
    hang<<<1, 64>>>();
    const cudaError_t err = cudaDeviceSynchronize();
    fflush(stdout);
    if (dup2(out, 1) < 0) return 1;
    snprintf(line, sizeof line, "debug_hang.cu:%d", LINE);
    rewind(f);
    size = fread(text, 1, sizeof text - 1, f);
    text[size] = 0;
    CHECK(err != cudaSuccess, "the wait ended without an error");
    CHECK(strstr(text, "tc: block (0,0,0) warp 1 waits for barrier \"never\"[7] parity 0: 2 arrivals pending") != 0,
          "the report says: %s", text);
    CHECK(strstr(text, line) != 0, "the report does not name the line: %s", text);
    return test_end();
}
