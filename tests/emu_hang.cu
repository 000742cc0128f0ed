/* emu_hang.cu - kernels that hang while they write memory, and others that only look so for a long time. usage:
 * emu_hang CASE [blocks] Under tcemu the first must be found in little time, the others must run to their end:
 * tests/emu_modes.sh. */
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

/* ---- these hang ---- */
static __global__ void hang_atomic(volatile int *flag, int *o, int) { while (*flag == 0) atomicAdd(o, 1); }
static __global__ void hang_store(volatile int *flag, int *o, int)
{
    while (*flag == 0) {
        o[threadIdx.x] += 3;
        __threadfence();
    }
}
static __global__ void hang_lock(volatile int *flag, int *o, int) /* nobody gives the lock back */
{
    if (threadIdx.x == 0) while (atomicCAS((int *)flag, 0, 1)) atomicAdd(o, 1);
    __syncthreads();
}
static __global__ void hang_shared(volatile int *, int *o, int) /* one warp; the others wait for it at the barrier */
{
    __shared__ volatile int s;
    if (threadIdx.x == 0) s = 0;
    __syncthreads();
    if (threadIdx.x >= 32) while (s == 0) atomicAdd(o, 1);
    __syncthreads();
}

/* ---- these end ---- */
static __global__ void late(volatile int *flag, int *o,
    int n) /* the last block works long before it lets the others go */
{
    if (threadIdx.x) return;
    if (blockIdx.x == gridDim.x - 1) {
        unsigned x = 1;
        for (int i = 0; i < n; i++) {
            x = x * 3 + i;
            ((volatile int *)o)[1] = (int)x;
        }
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0) atomicAdd(o, 1);
    }
}
static __global__ void counted(volatile int *, int *o, int n) { while (atomicAdd(o, 1) < n) ; }
static __global__ void value(volatile int *flag, int *o, int n) /* always stores 0 to the flag, until it is time */
{
    if (threadIdx.x) return;
    if (blockIdx.x == 0) {
        for (int x = 0; ((volatile int *)o)[2] == 0; x++) {
            *flag = x > n;
            if (x > n + 8) ((volatile int *)o)[2] = 1;
        }
    } else {
        while (*flag == 0) atomicAdd(o, 1);
    }
}
static __global__ void computed(volatile int *flag, int *, int n) /* what is stored decides,
    and comes of what does not */
{
    if (threadIdx.x || blockIdx.x) return;
    for (int x = 1; *flag == 0; x++) *flag = x / n;
}
static __global__ void walks(volatile int *flag, int *, int n) /* the pointer comes to the flag in the end */
{
    volatile int *p = flag - n;
    if (threadIdx.x || blockIdx.x) return;
    while (*flag == 0) *p++ = 1;
}
static __global__ void expires(volatile int *flag, int *o, int n) /* gives up after some time */
{
    const long long t = clock64();
    if (threadIdx.x == 0) while (*flag == 0 && clock64() - t < n) atomicAdd(o, 1);
}
static __global__ void relayed(volatile int *flag, int *o, int n) /* two steps from the counter to the flag */
{
    if (threadIdx.x) return;
    volatile int *mid = o + 8;
    if (blockIdx.x == 0) { for (int x = 1; *flag == 0; x++) *mid = x / n; }
    else if (blockIdx.x == 1) { while (*flag == 0) *flag = *mid; }
    else { while (*flag == 0) atomicAdd(o, 1); }
}
/* One block has long written memory when the other begins a copy, for which one of its warps waits while the other goes
 * round in a loop that writes. n: barriers before that, so that the two do not seem to hang any sooner. */
static __global__ void in_flight(volatile int *flag, int *o, int n)
{
    __shared__ alignas(16) int data[4];
    __shared__ alignas(8) unsigned long long full;
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) while (*flag == 0) atomicAdd(o, 1);
        return;
    }
    const unsigned bar = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(data);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 1; fence.mbarrier_init.release.cluster;" :: "r"(bar) : "memory");
    for (int i = 0; i < n; i++) __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 16;" :: "r"(bar) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
                     :: "r"(to), "l"(o + 64), "r"(bar) : "memory");
        while (flag[1] == 0) atomicAdd(o + 1, 1);
        *flag = 1;
    } else if (threadIdx.x == 32) {
        for (int done = 0; !done;)
            asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                         : "=r"(done) : "r"(bar) : "memory");
        flag[1] = 1;
    }
}
static __global__ void writes(volatile int *, int *o,
    int n) { for (int i = 0; i < n; i++) ((volatile int *)o)[threadIdx.x + (i & 255) * 64] = i; }

int main(int argc, char **argv)
{
    static const struct { const char *name; void (*kernel)(volatile int *, int *, int); int n; } cases[] = {
        {"hang_atomic", hang_atomic, 0}, {"hang_store", hang_store, 0}, {"hang_lock", hang_lock, 0}, {"hang_shared",
            hang_shared, 0}, {"late", late, 300000},
        {"counted", counted, 1000000}, {"value", value, 100000}, {"computed", computed, 300000}, {"walks", walks,
            300000}, {"expires", expires, 6000000},
        {"relayed", relayed, 100000}, {"in_flight", in_flight, 200000}, {"writes", writes, 300000},
        {"endless", writes, 2000000000}};
    const int blocks = argc > 2 ? atoi(argv[2]) : 1;
    int *m = nullptr;
    for (const auto &c : cases) {
        if (argc < 2 || strcmp(c.name, argv[1])) continue;
        cudaMalloc(&m, 16 << 20);
        cudaMemset(m, 0, 16 << 20);
        c.kernel<<<blocks, 64>>>(m + (2 << 20), m, c.n);
        const cudaError_t err = cudaDeviceSynchronize();
        printf("%s: %s\n", c.name, cudaGetErrorString(err));
        return err != cudaSuccess;
    }
    return 2;
}
